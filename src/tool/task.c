/* task.c - the noun `task`: pieces of work, what they wait for, and what comes next.
 *
 * An agent moves a task with one tool; a person has a word for each move:
 *
 *     pending -> ready -> running -> completed        ready, start, done
 *     running -> failed -> ready                      fail, retry
 *     pending, ready, running -> blocked -> ready     block, unblock
 *
 * `start` makes a pending task ready on its way, if what it depends on is completed.  Which moves
 * are legal is decided in memory/task; here they get their words. */
#include "memory/task/task.h"

#include "tool/verb.h"

extern const Noun noun_task;

/* clang-format off */
static const char *const states[] = { "pending", "ready", "running", "completed", "failed",
                                      "blocked", NULL };

#define TASK_FIELDS                                                                         \
    { "task_id", .type = PARAM_TEXT },                                                      \
    { "description", .type = PARAM_TEXT },                                                  \
    { "expected_output", .type = PARAM_TEXT },                                              \
    { "agent", .type = PARAM_TEXT },                                                        \
    { "tools", .type = PARAM_TEXTS },                                                       \
    { "dependencies", .type = PARAM_TEXTS },                                                \
    { "priority", .type = PARAM_NUMBER },                                                   \
    { "max_retries", .type = PARAM_NUMBER },                                                \
    { "retry_count", .type = PARAM_NUMBER },                                                \
    { "status", PARAM_CHOICE, .choices = states },                                          \
    { "holder", PARAM_TEXT, .about = "who runs it" },                                       \
    { "reason", .type = PARAM_TEXT },                                                       \
    { "blocked_until_manual", .type = PARAM_BOOL },                                         \
    { "cancelled", .type = PARAM_BOOL },                                                    \
    { "result", .type = PARAM_TEXT },                                                       \
    { "seq", PARAM_NUMBER, .about = "of the last event" },                                  \
    { "at", PARAM_TEXT, .about = "time" },                                             \
    { "by", .type = PARAM_TEXT },                                                           \
    { 0 }
static const Param task_fields[] = { TASK_FIELDS };
static const Param problem_fields[] = {
    { "task_id", .type = PARAM_TEXT }, { "why", .type = PARAM_TEXT }, { 0 } };

#define ID { "id", PARAM_TEXT, .max = STORE_SEGMENT_MAX, .place = 1, .word = "TASK" }
#define LIMIT { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = TASK_LIST_MAX, \
                .door = DOOR_CLI, .help = "at most N, 1 to 1000" }
#define MANUAL { "manual", PARAM_BOOL, .optional = true, .help = "record it as a manual action" }
/* clang-format on */

static jot_status give(const Task *t, VerbData *out)
{
    out->json = task_json(t);
    return JOT_OK;
}

/* How a move ended; a refusal has the task as it is. */
static jot_status moved(jot_status st, const Task *t, VerbData *out)
{
    if (st == JOT_OK || t->id.n)
        out->json = task_json(t);
    return st;
}

/* --- add, read ----------------------------------------------------------------------------- */

static TaskNames names_of(const ToolCall *c, const char *param)
{
    TaskNames names;
    names.items = arg_texts(c, param, &names.n);
    return names;
}

static jot_status add(ToolCall *c, VerbData *out)
{
    TaskAdd a = { .id = arg_text(c, "id"),
                  .description = arg_text(c, "description"),
                  .expected_output = arg_text(c, "expected_output"),
                  .agent = arg_text(c, "agent"),
                  .tools = names_of(c, "tools"),
                  .dependencies = names_of(c, "dependencies"),
                  .priority = arg_number(c, "priority", 0),
                  .max_retries = arg_number(c, "max_retries", 0),
                  .later = arg_bool(c, "later") };
    Task t;
    /* jotter task add 'fix the login': words with spaces between them are no id. */
    if (c->shell && !a.description.n && str_find(a.id, ' ') < a.id.n) {
        a.description = a.id;
        a.id = (Str){ 0 };
    }
    TRY(task_add(c->m, &a, c->into, &t, c->e));
    return give(&t, out);
}

static const Verb verb_add = {
    .tool = { .name = "task_add",
              .title = "Add a task",
              .about = "Add a piece of work and what it depends on. Use it to split work between "
                       "agents or sessions.",
              .effects = TOOL_WRITES,
              .params = PARAMS(
                  { "id", PARAM_TEXT, .about = "made from the description if not given",
                    .optional = true, .max = STORE_SEGMENT_MAX, .place = 1, .word = "TASK" },
                  { "description", PARAM_TEXT, .max = TASK_TEXT_MAX, .optional = true, .place = 2 },
                  { "expected_output", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX,
                    .option = "expect", .word = "TEXT", .help = "what success looks like" },
                  { "agent", PARAM_TEXT, .about = "who should do it", .optional = true,
                    .max = TASK_NAME_MAX, .word = "NAME" },
                  { "dependencies", PARAM_TEXTS, .about = "ids", .optional = true,
                    .max = STORE_SEGMENT_MAX, .option = "needs", .word = "ID",
                    .help = "a task that must be completed first; repeatable" },
                  { "later", PARAM_BOOL, .about = "dependencies may be added afterwards",
                    .optional = true },
                  { "tools", PARAM_TEXTS, .optional = true, .max = TASK_NAME_MAX, .option = "tool",
                    .word = "NAME", .help = "a tool for it; repeatable" },
                  { "priority", PARAM_NUMBER, .about = "higher comes first", .optional = true,
                    .min = -TASK_PRIORITY_MAX, .max = TASK_PRIORITY_MAX,
                    .help = "higher comes first (0)" },
                  { "max_retries", PARAM_NUMBER, .optional = true, .max = TASK_RETRIES_MAX,
                    .option = "retries",
                    .help = "how often it may be retried after a failure (0)" }),
              .run = verb_answer },
    .verb = "add",
    .summary = "Add a task, pending",
    .help =
        "Without an id one is made: jotter task add 'fix the login page'.  A dependency that is\n"
        "missing, named twice or closes a cycle is refused.\n",
    .fields = task_fields,
    .says = "task {'task_id} is {status}, event {seq}",
    .shows = "{task_id}: {status}",
    .run = add,
};

static jot_status read_one(ToolCall *c, VerbData *out)
{
    Task t;
    TRY(task_read(c->m, arg_text(c, "id"), c->into, &t, c->e));
    return give(&t, out);
}

static const Verb verb_read = {
    .tool = { .name = "task_read",
              .title = "Read a task",
              .about = "Everything about one task.",
              .effects = TOOL_READS,
              .params = PARAMS(ID, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .was = "show",
    .summary = "Print a task",
    .fields = task_fields,
    .says = "task {'task_id} is {status}, event {seq}",
    .card = "task_id status holder cancelled reason description expected_output agent tools "
            "dependencies priority "
            "retry_count max_retries result at by",
    .whole = true,
    .run = read_one,
};

/* --- Moves --------------------------------------------------------------------------------- */

/* What waits is started by a move of its own, which the list of legal ones does not show. */
static void hint_start(ToolCall *c, TaskStatus to, const Task *t)
{
    bool waits = t->id.n && (t->status == TASK_PENDING || t->status == TASK_READY);
    Str id = t->id, word = arena_shell_word(c->into, id);
    if (waits && (to == TASK_COMPLETED || to == TASK_FAILED))
        verb_next(
            c, arena_printf(c->into, "start it first: jotter task start " STR_FMT, STR_ARG(word)),
            arena_printf(c->into, "start it first: task_move id=" STR_FMT " to=running",
                         STR_ARG(id)));
}

static jot_status move_to(ToolCall *c, const TaskMove *move, VerbData *out)
{
    Task t = { 0 };
    Str id = arg_text(c, "id");
    jot_status st;
    /* Starting is more than a move: a pending task whose dependencies are done becomes ready first,
     * and the caller its holder. */
    if (move->to == TASK_RUNNING && !move->if_seq)
        st = task_start(c->m, id, move->manual, c->into, &t, c->e);
    else
        st = task_move(c->m, id, move, c->into, &t, c->e);
    if (st == JOT_INVALID)
        hint_start(c, move->to, &t);
    return moved(st, &t, out);
}

static jot_status move(ToolCall *c, VerbData *out)
{
    TaskMove m = { .reason = arg_text(c, "reason"),
                   .result = arg_text(c, "result"),
                   .manual = arg_bool(c, "manual"),
                   .if_seq = (uint64_t)arg_number(c, "if_seq", 0) };
    bool known = task_status_parse(arg_text(c, "to"), &m.to);
    return known ? move_to(c, &m, out) : err_set(c->e, JOT_INVALID, "'to' is no state of a task");
}

static const Verb verb_move = {
    .tool = { .name = "task_move",
              .title = "Move a task",
              .about = "Mark a task as running, completed (with its result), failed or blocked "
                       "(with the reason), or ready again (manual). If two agents move it at once, "
                       "one is refused.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params =
                  PARAMS(ID, { "to", PARAM_CHOICE, .choices = states, .place = 2, .word = "STATE" },
                         { "reason", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX,
                           .word = "TEXT", .help = "why; needed for failed and blocked" },
                         { "result", PARAM_TEXT, .optional = true, .max = TASK_RESULT_MAX,
                           .word = "TEXT", .help = "what came of it, for completed" },
                         MANUAL,
                         { "if_seq", PARAM_NUMBER, .about = "only if this is its last event",
                           .optional = true, .min = 1, .word = "SEQ" }),
              .run = verb_answer },
    .verb = "move",
    .summary = "Move a task to another state",
    .help = "start, done, fail, block, unblock and retry are shorter words for its moves.\n",
    .fields = task_fields,
    .says = "task {'task_id} is {status}, event {seq}",
    .shows = "{task_id}: {status}",
    .refused = "task",
    .run = move,
};

static jot_status start(ToolCall *c, VerbData *out)
{
    return move_to(c, &(TaskMove){ .to = TASK_RUNNING, .manual = arg_bool(c, "manual") }, out);
}

static jot_status done(ToolCall *c, VerbData *out)
{
    TaskMove m = { .to = TASK_COMPLETED,
                   .result = arg_text(c, "result"),
                   .manual = arg_bool(c, "manual") };
    return move_to(c, &m, out);
}

static jot_status stop(ToolCall *c, TaskStatus to, VerbData *out)
{
    TaskMove m = { .to = to, .reason = arg_text(c, "reason"), .manual = arg_bool(c, "manual") };
    return move_to(c, &m, out);
}

static jot_status fail(ToolCall *c, VerbData *out)
{
    return stop(c, TASK_FAILED, out);
}

static jot_status block(ToolCall *c, VerbData *out)
{
    return stop(c, TASK_BLOCKED, out);
}

static jot_status make_ready(ToolCall *c, VerbData *out)
{
    return move_to(c, &(TaskMove){ .to = TASK_READY, .manual = arg_bool(c, "manual") }, out);
}

/* Back to ready, by hand, and from one state only: an answer to what the caller saw. */
static jot_status back_to_ready(ToolCall *c, TaskStatus from, VerbData *out)
{
    Task t = { 0 };
    Shown shown;
    TaskMove m = { .to = TASK_READY, .manual = true, .reason = arg_text(c, "reason") };
    TRY(task_read(c->m, arg_text(c, "id"), c->into, &t, c->e));
    if (t.status != from) {
        jot_status st =
            err_set(c->e, JOT_INVALID, "task '%s' is %s, not %s", err_show(&shown, t.id),
                    task_status_name(t.status), task_status_name(from));
        return moved(st, &t, out);
    }
    m.if_seq = t.seq;
    return move_to(c, &m, out);
}

static jot_status unblock(ToolCall *c, VerbData *out)
{
    return back_to_ready(c, TASK_BLOCKED, out);
}

static jot_status retry(ToolCall *c, VerbData *out)
{
    return back_to_ready(c, TASK_FAILED, out);
}

/* --- What it says, and whether it is to be done ---------------------------------------------- */

static jot_status edit(ToolCall *c, VerbData *out)
{
    Str description = arg_text(c, "description"), expected = arg_text(c, "expected_output"),
        agent = arg_text(c, "agent");
    TaskNames tools = names_of(c, "tools"), needs = names_of(c, "dependencies");
    int64_t priority = arg_number(c, "priority", 0), retries = arg_number(c, "max_retries", 0);
    TaskEdit x = { .description = arg_given(c, "description") ? &description : NULL,
                   .expected_output = arg_given(c, "expected_output") ? &expected : NULL,
                   .agent = arg_given(c, "agent") ? &agent : NULL,
                   .tools = arg_given(c, "tools") ? &tools : NULL,
                   .dependencies = arg_given(c, "dependencies") ? &needs : NULL,
                   .priority = arg_given(c, "priority") ? &priority : NULL,
                   .max_retries = arg_given(c, "max_retries") ? &retries : NULL,
                   .later = arg_bool(c, "later"),
                   .if_seq = (uint64_t)arg_number(c, "if_seq", 0) };
    Task t = { 0 };
    jot_status st = task_edit(c->m, arg_text(c, "id"), &x, c->into, &t, c->e);
    return moved(st, &t, out);
}

static const Verb verb_edit = {
    .tool = { .name = "task_edit",
              .title = "Edit a task",
              .about = "Change what a task says, its priority or what it depends on; what is not "
                       "given stays. It is not moved.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(
                  ID,
                  { "description", PARAM_TEXT, .max = TASK_TEXT_MAX, .optional = true, .place = 2 },
                  { "expected_output", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX,
                    .option = "expect", .word = "TEXT", .help = "what success looks like" },
                  { "agent", PARAM_TEXT, .about = "who should do it; empty: anybody",
                    .optional = true, .max = TASK_NAME_MAX, .word = "TEXT" },
                  { "dependencies", PARAM_TEXTS, .about = "ids, all of them", .optional = true,
                    .max = STORE_SEGMENT_MAX, .option = "needs", .word = "ID",
                    .help = "all that must be completed first; repeatable" },
                  { "later", PARAM_BOOL, .about = "dependencies may be added afterwards",
                    .optional = true },
                  { "tools", PARAM_TEXTS, .optional = true, .max = TASK_NAME_MAX, .option = "tool",
                    .word = "NAME", .help = "all the tools for it; repeatable" },
                  { "priority", PARAM_NUMBER, .about = "higher comes first", .optional = true,
                    .min = -TASK_PRIORITY_MAX, .max = TASK_PRIORITY_MAX },
                  { "max_retries", PARAM_NUMBER, .optional = true, .max = TASK_RETRIES_MAX,
                    .option = "retries", .help = "how often it may be retried" },
                  { "if_seq", PARAM_NUMBER, .about = "only if this is its last event",
                    .optional = true, .min = 1, .word = "SEQ" }),
              .run = verb_answer },
    .verb = "edit",
    .summary = "Change what a task says, its priority or what it needs",
    .help = "What is not given keeps its value; --agent '' makes it anybody's.  A completed\n"
            "task stays as it is, and what a task needs can be changed only while it is pending.\n",
    .fields = task_fields,
    .says = "task {'task_id} is {status}, event {seq}",
    .shows = "{task_id}: {status}",
    .refused = "task",
    .run = edit,
};

static jot_status cancel(ToolCall *c, VerbData *out)
{
    TaskMove why = { .reason = arg_text(c, "reason"),
                     .manual = arg_bool(c, "manual"),
                     .if_seq = (uint64_t)arg_number(c, "if_seq", 0) };
    Task t = { 0 };
    jot_status st = task_cancel(c->m, arg_text(c, "id"), &why, c->into, &t, c->e);
    return moved(st, &t, out);
}

static const Verb verb_cancel = {
    .tool = { .name = "task_cancel",
              .title = "Cancel a task",
              .about =
                  "A task that is not to be done any more. It stays readable, blocked, and can "
                  "be made ready again by hand.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(
                  ID, { "reason", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX, .place = 2 },
                  { "manual", PARAM_BOOL, .about = "also if somebody else runs it",
                    .optional = true },
                  { "if_seq", PARAM_NUMBER, .about = "only if this is its last event",
                    .optional = true, .min = 1, .word = "SEQ" }),
              .run = verb_answer },
    .verb = "cancel",
    .summary = "Mark a task as not to be done",
    .help =
        "It is blocked, and 'unblock' makes it a task again ('retry', if it had failed).  It is "
        "refused\nwithout --manual while somebody else runs the task.\n",
    .fields = task_fields,
    .says = "task {'task_id} is cancelled, event {seq}",
    .shows = "{task_id}: cancelled",
    .refused = "task",
    .run = cancel,
};

static jot_status next(ToolCall *c, VerbData *out)
{
    Task t;
    TRY(task_next(c->m, c->into, &t, c->e));
    return give(&t, out);
}

static const Verb verb_take = {
    .tool = { .name = "task_next",
              .title = "Take the next task",
              .about =
                  "Start the task that is ready and has the highest priority, in one step, and "
                  "answer with it. Nobody else gets the same one.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "next",
    .summary = "Start the ready task with the highest priority, and print it",
    .help = "Among those meant for you (--as) or for anybody; ties go by id.  Two\n"
            "agents that ask at once get different tasks.  Exit code 66 if there is none.\n",
    .fields = task_fields,
    .says = "task {'task_id} is {status}, event {seq}",
    .card = "task_id status description expected_output tools priority retry_count",
    .whole = true,
    .run = next,
};

/* --- All of them --------------------------------------------------------------------------- */

static jot_status list(ToolCall *c, VerbData *out)
{
    TaskStatus status;
    TaskQuery q = { .after = arg_text(c, "after"), .limit = (size_t)arg_number(c, "limit", 0) };
    TaskList all;
    if (arg_bool(c, "mine"))
        q.of = c->m->by;
    if (arg_given(c, "status") && task_status_parse(arg_text(c, "status"), &status))
        q.status = &status;
    TRY(task_list(c->m, &q, c->into, &all, c->e));
    out->json = task_list_json(&all);
    return JOT_OK;
}

#define CHOOSE_BY "task_id description status holder agent priority dependencies reason at"
#define STATE "[cancelled{?cancelled}][{status}{!cancelled}]"
#define WHO "[{holder}][{agent}{!holder}]"

static const Verb verb_list = {
    .tool = { .name = "task_list",
              .title = "List tasks",
              .about = "List tasks, one per line.",
              .effects = TOOL_READS,
              .params =
                  PARAMS({ "status", PARAM_CHOICE, .choices = states, .optional = true },
                         { "mine", PARAM_BOOL, .about = "only what you hold or are to do",
                           .optional = true },
                         { "after", PARAM_TEXT, .about = "an id", .optional = true,
                           .max = STORE_SEGMENT_MAX, .word = "ID", .help = "start after this one" },
                         LIMIT),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the tasks: state, priority, id, who has it, since when, what it is",
    .fields = (const Param[]){ { "tasks", PARAM_OBJECTS, .fields = task_fields },
                               { "more", .type = PARAM_BOOL },
                               { "problems", PARAM_OBJECTS, .fields = problem_fields },
                               { "problems_total", .type = PARAM_NUMBER },
                               { 0 } },
    .items = "tasks",
    .unit = "task",
    .members = CHOOSE_BY,
    .heads = "state\tpriority\ttask\twho\twhen\tdescription",
    .row = STATE "\t{priority}\t{task_id}\t" WHO "\t{at}\t{^description}",
    .page = "after",
    .cursor = "{task_id}",
    .run = list,
};

static jot_status ready(ToolCall *c, VerbData *out)
{
    TaskOrder order;
    TRY(task_order(c->m, c->into, &order, c->e));
    out->json = task_order_json(&order);
    return JOT_OK;
}

static const Param waiting_fields[] = { { "task_id", .type = PARAM_TEXT },
                                        { "reasons", .type = PARAM_TEXTS },
                                        { 0 } };

static const Verb verb_order = {
    .tool = { .name = "task_ready",
              .title = "What can be done now",
              .about = "The tasks that can be started now, most urgent first, without taking one.",
              .effects = TOOL_READS,
              .run = verb_answer },
    .summary = "Print the tasks that can be started now",
    .fields = (const Param[]){ { "ready", PARAM_OBJECTS, .fields = task_fields },
                               { "waiting", PARAM_OBJECTS, .fields = waiting_fields },
                               { "problems", PARAM_OBJECTS, .fields = problem_fields },
                               { "problems_total", .type = PARAM_NUMBER },
                               { 0 } },
    .items = "ready",
    .unit = "task",
    .members = CHOOSE_BY,
    .heads = "priority\ttask\twho\tdescription",
    .row = "{priority}\t{task_id}\t{agent}\t{^description}",
    .tail = "... {ready} ready, {waiting} waiting, {problems_total#problem}",
    .run = ready,
};

static jot_status history(ToolCall *c, VerbData *out)
{
    TaskEvents events;
    TRY(task_history(c->m, arg_text(c, "id"),
                     (SeqRange){ (uint64_t)arg_number(c, "from", 1),
                                 (size_t)arg_number(c, "limit", TASK_LIST_MAX) },
                     c->into, &events, c->e));
    out->json = task_history_json(&events);
    return JOT_OK;
}

static const Param event_fields[] = { { "seq", .type = PARAM_NUMBER },
                                      { "at", PARAM_TEXT, .about = "time" },
                                      { "by", .type = PARAM_TEXT },
                                      { "type", .type = PARAM_TEXT },
                                      { "from", PARAM_CHOICE, .choices = states },
                                      { "to", PARAM_CHOICE, .choices = states },
                                      { "reason", .type = PARAM_TEXT },
                                      { "result", .type = PARAM_TEXT },
                                      { "manual", .type = PARAM_BOOL },
                                      { 0 } };

static const Verb verb_history = {
    .tool = { .name = "task_history",
              .title = "What happened to a task",
              .about = "The events of a task, oldest first.",
              .effects = TOOL_READS,
              .params =
                  PARAMS(ID,
                         { "from", PARAM_NUMBER, .about = "seq of an event", .optional = true,
                           .min = 1, .word = "SEQ", .help = "the first event, counted from 1" },
                         LIMIT),
              .run = verb_answer },
    .verb = "history",
    .was = "events",
    .summary = "Print what happened to a task, oldest first",
    .fields = (const Param[]){ { "events", PARAM_OBJECTS, .fields = event_fields },
                               { "more", .type = PARAM_BOOL },
                               { "next", PARAM_NUMBER, .about = "seq to continue from" },
                               { "damaged", PARAM_NUMBER, .about = "events that cannot be read" },
                               { 0 } },
    .items = "events",
    .heads = "event\twhen\twhat\tstate\twho\treason",
    .row = "{seq}\t{at}\t{type}\t[{from} -> {to}]\t{by}{manual& (manual)}\t{^reason}",
    .page = "from",
    .unit = "event",
    .run = history,
};

/* --- Words of the command line for moves --------------------------------------------------- */

/* A move by a word of its own; `more` is the parameter after the id, and may be empty. */
#define MOVE(word, about, function, ...)                                                       \
    {                                                                                          \
        .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,                                      \
                  .params = PARAMS(ID, __VA_ARGS__),                                           \
                  .run = verb_answer },                                                        \
        .verb = word, .summary = about, .fields = task_fields, .shows = "{task_id}: {status}", \
        .refused = "task", .run = function,                                                    \
    }
/* clang-format off */
#define REASON { "reason", .type = PARAM_TEXT, .place = 2 }
#define REASON_IF_ANY { "reason", PARAM_TEXT, .optional = true, .place = 2 }
#define RESULT_IF_ANY { "result", PARAM_TEXT, .optional = true, .place = 2 }
#define NO_WAIT { "manual", PARAM_BOOL, .optional = true, \
                  .help = "a manual action: do not wait for its dependencies" }
/* clang-format on */

static const Verb verb_start =
    MOVE("start", "Start a task that is pending or ready", start, NO_WAIT);
static const Verb verb_done = MOVE("done", "Complete a running task", done, RESULT_IF_ANY, MANUAL);
static const Verb verb_fail = MOVE("fail", "Mark a running task as failed", fail, REASON, MANUAL);
static const Verb verb_block =
    MOVE("block", "Block a task that is pending, ready or running, until it is unblocked", block,
         REASON, MANUAL);
static const Verb verb_unblock =
    MOVE("unblock", "Make a blocked task ready again, by hand", unblock, REASON_IF_ANY);
static const Verb verb_retry =
    MOVE("retry", "Make a failed task ready again, by hand, while it has retries left", retry,
         REASON_IF_ANY);

static const Verb verb_ready = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(ID, NO_WAIT),
              .run = verb_answer },
    .verb = "ready",
    .bare = &verb_order,
    .summary = "Print the tasks that can be started now, or make a pending one ready",
    .help =
        "Without TASK: by priority, highest first, then by id.  Cycles and missing dependencies "
        "are\n"
        "reported on standard error; with --json there is also what waits, and for what.\n",
    .fields = task_fields,
    .shows = "{task_id}: {status}",
    .refused = "task",
    .run = make_ready,
};

static const Verb *const verbs[] = {
    &verb_add,    &verb_list,  &verb_order, &verb_take,    &verb_read,    &verb_edit,
    &verb_start,  &verb_done,  &verb_fail,  &verb_block,   &verb_unblock, &verb_retry,
    &verb_cancel, &verb_ready, &verb_move,  &verb_history, NULL,
};

const Noun noun_task = {
    .name = "task",
    .summary = "Pieces of work, with states and dependencies",
    .help = "pending -> ready -> running -> completed; running -> failed -> ready while retries\n"
            "are left; pending, ready and running -> blocked -> ready.\n",
    .verbs = verbs,
    .profile = TOOLS_TASKS,
};
