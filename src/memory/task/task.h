/* task.h - Task, a piece of work with a state, and what it waits for.
 *
 * A task is the stream `tasks/ID`.  Each record is an event together with the
 * task as it is after it, so the newest record is the task and all of them are
 * its history; the two cannot disagree.  Every event demands that the task is
 * still where its author saw it: of two who move it at once, one wins and the
 * other is reported.
 *
 * Six states, and these nine ways between them:
 *
 *     pending -> ready        all dependencies completed, or a manual action
 *     pending -> blocked      with a reason
 *     ready   -> running
 *     ready   -> blocked      with a reason
 *     running -> completed
 *     running -> failed       with a reason; counts in retry_count
 *     running -> blocked      with a reason
 *     blocked -> ready        manual action
 *     failed  -> ready        manual action, while retry_count <= max_retries
 *
 * Completed is final, so a dependency that was found completed stays so. */
#ifndef MEMORY_TASK_TASK_H
#define MEMORY_TASK_TASK_H

#include "base/json.h"
#include "memory/memory.h"

#define TASK_KIND "tasks/"

enum {
    TASK_TEXT_MAX = 64 * 1024,     /* bytes of a description, reason or expected output */
    TASK_RESULT_MAX = 1024 * 1024, /* bytes of a result; a larger one is an artifact */
    TASK_NAMES_MAX = 1000,         /* dependencies or tools of one task */
    TASK_NAME_MAX = 200,           /* bytes of an agent's or a tool's name */
    TASK_LIST_MAX = 1000,
    TASK_ORDER_MAX = 10000, /* tasks of a pad that are put in order, or followed by an add */
    TASK_PROBLEMS_MAX = 100,
    TASK_RETRIES_MAX = 1000000,
    TASK_PRIORITY_MAX = 1000000,
};

typedef enum TaskStatus {
    TASK_PENDING = 0,
    TASK_READY,
    TASK_RUNNING,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_BLOCKED,
} TaskStatus;

const char *task_status_name(TaskStatus s);
MUST_USE bool task_status_parse(Str name, TaskStatus *out);

typedef struct TaskNames {
    Str *items;
    size_t n;
} TaskNames;

typedef struct Task {
    Str id, description, expected_output;
    Str agent; /* to whom it is assigned; empty: anybody */
    TaskNames tools, dependencies;
    int64_t priority; /* higher comes first */
    int64_t max_retries, retry_count;
    TaskStatus status;
    Str holder; /* who runs it; empty: nobody */
    Str reason; /* why it is blocked or failed */
    bool blocked_until_manual;
    bool cancelled; /* nobody is to do it, until somebody unblocks or retries it */
    /* Something it depends on, over any number of steps, was not there when it was added.  Only
     * such a task can lead to one that is new: an add follows these and no others. */
    bool awaits;
    Str result;
    Str refused;   /* why what its shared file says is not taken (share.h); empty: it is */
    uint64_t file; /* the record of that file that was seen; 0: none */
    uint64_t seq;  /* of the last event; 0: there is only a file, which has no event yet */
    int64_t at_ms;
    Str by;
} Task;

/* --- One task -------------------------------------------------------------------------- */

typedef struct TaskAdd {
    Str id; /* one segment of a name; empty: one is made from the description */
    Str description, expected_output, agent;
    TaskNames tools, dependencies;
    int64_t priority, max_retries;
    bool later; /* dependencies may be added afterwards */
} TaskAdd;

/* JOT_CONFLICT: there is a task of this id.  JOT_INVALID: a dependency is missing (unless `later`),
 * named twice, or closes a cycle, which the sentence shows.  out's texts are those of `add`. */
MUST_USE jot_status task_add(Memory *m, const TaskAdd *add, Arena *into, Task *out, Err *e);

/* What a pull brought counts at once, if it may (share.h): it is read, and not recorded. */
MUST_USE jot_status task_read(Memory *m, Str id, Arena *into, Task *out, Err *e);

typedef struct TaskMove {
    TaskStatus to;
    bool manual;     /* a person, or a program that may decide, wants it so */
    Str reason;      /* needed for blocked and failed; kept with unblocking too */
    Str result;      /* for completed */
    uint64_t if_seq; /* only if this is the last event; 0: any */
} TaskMove;

/* JOT_INVALID: it is no way from where it is; the sentence lists those there are.  JOT_CONFLICT:
 * somebody moved it meanwhile, or it waits for a dependency.  With either, *out is the task as it
 * is now.  JOT_NOT_FOUND: no such task. */
MUST_USE jot_status task_move(Memory *m, Str id, const TaskMove *move, Arena *into, Task *out,
                              Err *e);

/* To running, held by who writes; a pending task is made ready first.  Killed between the two it is
 * ready.  JOT_CONFLICT names who has it, if that is somebody else. */
MUST_USE jot_status task_start(Memory *m, Str id, bool manual, Arena *into, Task *out, Err *e);

/* --- What a person does beside it (task_edit.c) ------------------------------------------ */

/* What is to be other than it is; NULL stays. */
typedef struct TaskEdit {
    const Str *description, *expected_output, *agent;
    const TaskNames *tools, *dependencies; /* all of them, in the place of those there are */
    const int64_t *priority, *max_retries;
    bool later;      /* dependencies may be added afterwards */
    uint64_t if_seq; /* only if this is the last event; 0: any */
} TaskEdit;

/* An event of its own, which moves nothing.  JOT_INVALID: nothing would change, it is completed, or
 * its dependencies are and it is not pending any more.  The rest as task_add and task_move. */
MUST_USE jot_status task_edit(Memory *m, Str id, const TaskEdit *edit, Arena *into, Task *out,
                              Err *e);

/* It is not to be done: blocked, with the reason, and `cancelled`; a failed one stays failed.
 * Unblocking or retrying it takes that back.  JOT_CONFLICT: somebody else runs it and `manual` is
 * not set.  `to` and `result` of the move say nothing. */
MUST_USE jot_status task_cancel(Memory *m, Str id, const TaskMove *why, Arena *into, Task *out,
                                Err *e);

/* Start the first of those that are ready (task_order) and are meant for who writes or for anybody;
 * one that somebody takes meanwhile is passed over.  JOT_NOT_FOUND: there is none. */
MUST_USE jot_status task_next(Memory *m, Arena *into, Task *out, Err *e);

/* --- History --------------------------------------------------------------------------- */

typedef struct TaskEvent {
    uint64_t seq;
    int64_t at_ms;
    Str by;
    Str type; /* created, edited, state_changed, blocked, unblocked, completed, failed, cancelled;
                 of an imported task
                 also imported, unreadable, or what another program calls it */
    Str from, to, reason, result;
    bool manual;
} TaskEvent;

typedef struct TaskEvents {
    TaskEvent *items; /* oldest first */
    size_t n;
    bool more;
    uint64_t next;    /* the seq to continue from */
    uint64_t damaged; /* events that cannot be read; the others are shown all the same */
} TaskEvents;

/* The events of a range, 1 to TASK_LIST_MAX. */
MUST_USE jot_status task_history(Memory *m, Str id, SeqRange range, Arena *into, TaskEvents *out,
                                 Err *e);

/* --- For tasks that come from elsewhere -------------------------------------------------- */

/* An event that happened somewhere else, and the task after it. */
typedef struct TaskForeignEvent {
    const json_t *event; /* "type", and "from", "to", "reason", "result", "manual" where they apply;
                            other members are kept, and not looked at */
    const Task *task;
    Str snapshot; /* the task as another program writes it, to be given back; may be empty */
    int64_t at_ms;
} TaskForeignEvent;

/* The record of it, in `into`.  Nothing is checked: such a program has transitions of its own. */
Draft task_draft(const TaskForeignEvent *p, Arena *into);

/* --- All tasks (task_order.c) ---------------------------------------------------------- */

typedef struct TaskProblem {
    Str id;
    Str why;
} TaskProblem;

typedef struct TaskList {
    Task *items; /* by id, in byte order */
    size_t n;
    bool more; /* ask again, after the last one */
    TaskProblem *problems;
    size_t problems_n;     /* at most TASK_PROBLEMS_MAX are reported ... */
    size_t problems_total; /* ... of this many */
} TaskList;

typedef struct TaskQuery {
    const TaskStatus *status; /* NULL: any */
    Str of;                   /* only what this one holds, or is to do and nobody holds */
    Str after;                /* an id: begin after it */
    size_t limit;             /* 1 to TASK_LIST_MAX; 0: as many */
} TaskQuery;

/* A task that cannot be read is a problem and hides no other. */
MUST_USE jot_status task_list(Memory *m, const TaskQuery *q, Arena *into, TaskList *out, Err *e);

typedef struct TaskWaiting {
    Task task;
    TaskNames reasons; /* "waiting for dependency: a", "upstream dependency failed: b" ... */
} TaskWaiting;

typedef struct TaskOrder {
    Task *ready; /* may be started now: by priority, highest first, then by id */
    size_t ready_n;
    TaskWaiting *waiting; /* pending, in the same order */
    size_t waiting_n;
    TaskProblem *problems; /* missing dependencies, cycles with their paths, unreadable tasks */
    size_t problems_n, problems_total;
} TaskOrder;

/* What can be done next.  A problem keeps only the tasks from being ready that it concerns.
 * JOT_TOO_BIG beyond TASK_ORDER_MAX tasks. */
MUST_USE jot_status task_order(Memory *m, Arena *into, TaskOrder *out, Err *e);

/* Whether a task with these dependencies would close a cycle: JOT_INVALID shows it.  Dependencies
 * that do not exist are JOT_INVALID too, unless `later`.  *awaits: as in Task.  Completed tasks are
 * not followed, for nobody waits for them, and no more than TASK_ORDER_MAX: it is a courtesy,
 * the order tells every cycle. */
MUST_USE jot_status task_check_dependencies(Memory *m, Str id, const TaskNames *dependencies,
                                            bool later, bool *awaits, Err *e);

/* --- As JSON --------------------------------------------------------------------------- */

/* [NAME ...]; the caller owns it. */
json_t *task_names_json(const TaskNames *list);
/* {"task_id", "description", "expected_output", "agent", "tools", "dependencies", "priority",
 * "max_retries", "retry_count", "status", "holder", "reason", "blocked_until_manual",
 * "cancelled", "result", "seq", "at", "by"}; texts that are not given are null.  The caller owns
 * these. */
json_t *task_json(const Task *t);
/* {"events": [{"seq", "at", "by", "type", ...}], "more", "next", "damaged"} */
json_t *task_history_json(const TaskEvents *events);
/* {"tasks": [...], "more", "problems": [{"task_id", "why"}], "problems_total"} */
json_t *task_list_json(const TaskList *list);
/* {"ready": [...], "waiting": [{"task_id", "reasons"}], "problems", "problems_total"} */
json_t *task_order_json(const TaskOrder *order);

#endif
