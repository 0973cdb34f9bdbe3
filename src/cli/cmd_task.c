/* cmd_task.c - tasks from the shell: add, move from state to state, and see what comes next. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/refusal.h"
#include "memory/task/task.h"

extern const Cmd cmd_task;

/* --- One task -------------------------------------------------------------------------- */

static jot_status print_task(Session *s, const Task *t)
{
    if (s->json) {
        print_json(task_json(t));
    } else {
        print_name(t->id);
        printf(": %s\n", task_status_name(t->status));
    }
    return JOT_OK;
}

/* How a move ended; a refusal shows the task as it is. */
static jot_status answer(Session *s, jot_status st, const Task *t)
{
    if (st == JOT_OK)
        return print_task(s, t);
    return tell_with(s, st, "task", t->id.n ? task_json(t) : NULL);
}

static TaskNames all_of(Session *s, const char *opt)
{
    TaskNames out = { 0 };
    out.n = opt_all(s, opt, &out.items);
    return out;
}

static jot_status run_add(Session *s)
{
    Task t;
    TaskAdd a = { .id = arg_at(s, 0),
                  .description = arg_at(s, 1),
                  .expected_output = str(opt_text(s, "expect")),
                  .agent = str(opt_text(s, "agent")),
                  .tools = all_of(s, "tool"),
                  .dependencies = all_of(s, "needs"),
                  .later = opt_given(s, "later") };
    TRY(opt_number(s, "priority", -TASK_PRIORITY_MAX, TASK_PRIORITY_MAX, 0, &a.priority));
    TRY(opt_number(s, "retries", 0, TASK_RETRIES_MAX, 0, &a.max_retries));
    TRY(session_open(s, true));
    TRY(task_add(&s->memory, &a, &s->arena, &t, &s->err));
    return print_task(s, &t);
}

/* What waits is started by a word of its own, which the list of ways does not show. */
static void hint_start(Session *s, const TaskMove *move, const Task *t)
{
    bool waits = t->id.n && (t->status == TASK_PENDING || t->status == TASK_READY);
    if (!waits || (move->to != TASK_COMPLETED && move->to != TASK_FAILED))
        return;
    Str why = arena_copy(&s->arena, str(s->err.text));
    err_set(&s->err, s->err.status, STR_FMT "; start it first: jotter task start " STR_FMT,
            STR_ARG(why), STR_ARG(t->id));
}

static jot_status move_to(Session *s, TaskMove *move)
{
    Task t = { 0 };
    move->manual = move->manual || opt_given(s, "manual");
    TRY(session_open(s, false));
    jot_status st = task_move(&s->memory, arg_at(s, 0), move, &s->arena, &t, &s->err);
    if (st == JOT_INVALID)
        hint_start(s, move, &t);
    return answer(s, st, &t);
}

static jot_status run_start(Session *s)
{
    Task t = { 0 };
    bool manual = opt_given(s, "manual");
    TRY(session_open(s, false));
    return answer(s, task_start(&s->memory, arg_at(s, 0), manual, &s->arena, &t, &s->err), &t);
}

static jot_status run_done(Session *s)
{
    TaskMove move = { .to = TASK_COMPLETED, .result = arg_at(s, 1) };
    return move_to(s, &move);
}

static jot_status run_fail(Session *s)
{
    return move_to(s, &(TaskMove){ .to = TASK_FAILED, .reason = arg_at(s, 1) });
}

static jot_status run_block(Session *s)
{
    return move_to(s, &(TaskMove){ .to = TASK_BLOCKED, .reason = arg_at(s, 1) });
}

/* Back to ready, by hand, and from one state only: an answer to what the caller saw. */
static jot_status back_to_ready(Session *s, TaskStatus from)
{
    Task t = { 0 };
    Shown shown;
    TaskMove move = { .to = TASK_READY, .manual = true, .reason = arg_at(s, 1) };
    TRY(session_open(s, false));
    TRY(task_read(&s->memory, arg_at(s, 0), &s->arena, &t, &s->err));
    if (t.status != from) {
        jot_status st =
            err_set(&s->err, JOT_INVALID, "task '%s' is %s, not %s", err_show(&shown, t.id),
                    task_status_name(t.status), task_status_name(from));
        return answer(s, st, &t);
    }
    move.if_seq = t.seq;
    return answer(s, task_move(&s->memory, arg_at(s, 0), &move, &s->arena, &t, &s->err), &t);
}

static jot_status run_unblock(Session *s)
{
    return back_to_ready(s, TASK_BLOCKED);
}

static jot_status run_retry(Session *s)
{
    return back_to_ready(s, TASK_FAILED);
}

static void print_text_line(const char *name, Str text)
{
    if (text.n == 0)
        return;
    printf("%-16s ", name);
    print_line(text);
}

static void print_word(const char *name, Str word)
{
    if (word.n == 0)
        return;
    printf("%-16s ", name);
    print_name_line(word);
}

static void print_names(const char *name, const TaskNames *list)
{
    for (size_t i = 0; i < list->n; i++)
        print_word(name, list->items[i]);
}

static jot_status run_show(Session *s)
{
    Task t;
    TRY(session_open(s, false));
    TRY(task_read(&s->memory, arg_at(s, 0), &s->arena, &t, &s->err));
    if (s->json)
        return print_task(s, &t);
    print_word("task_id", t.id);
    printf("%-16s %s\n", "status", task_status_name(t.status));
    print_text_line("reason", t.reason);
    print_text_line("description", t.description);
    print_text_line("expected_output", t.expected_output);
    print_word("agent", t.agent);
    print_names("tool", &t.tools);
    print_names("needs", &t.dependencies);
    printf("%-16s %lld\n%-16s %lld of %lld\n", "priority", (long long)t.priority, "failures",
           (long long)t.retry_count, (long long)t.max_retries + 1);
    print_text_line("result", t.result);
    printf("%-16s %s\n", "updated", time_text(t.at_ms).text);
    print_word("by", t.by);
    return JOT_OK;
}

static void print_event(const TaskEvent *v)
{
    printf("%6llu  %s  %-13s  ", (unsigned long long)v->seq, time_text(v->at_ms).text, v->type.p);
    if (v->to.n) {
        print_name(v->from);
        fputs(" -> ", stdout);
        print_name(v->to);
        fputs("  ", stdout);
    }
    print_name(v->by);
    if (v->manual)
        fputs("  (manual)", stdout);
    if (v->reason.n) {
        fputs("  ", stdout);
        print_name(v->reason);
    }
    putchar('\n');
}

static jot_status run_events(Session *s)
{
    TaskEvents events;
    int64_t from, limit;
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "limit", 1, TASK_LIST_MAX, TASK_LIST_MAX, &limit));
    TRY(session_open(s, false));
    TRY(task_events(&s->memory, arg_at(s, 0), (uint64_t)from, (size_t)limit, &s->arena, &events,
                    &s->err));
    if (s->json) {
        print_json(task_events_json(&events));
        return JOT_OK;
    }
    for (size_t i = 0; i < events.n; i++)
        print_event(&events.items[i]);
    if (events.damaged)
        say("%llu events cannot be read, or were redacted", (unsigned long long)events.damaged);
    if (events.more)
        say("there are more: --from %llu", (unsigned long long)events.next);
    return JOT_OK;
}

/* --- All tasks ------------------------------------------------------------------------- */

static void print_row(const Task *t)
{
    printf("%-9s  %6lld  ", task_status_name(t->status), (long long)t->priority);
    print_name_line(t->id);
}

static void tell_problems(const TaskProblem *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say("task '" STR_FMT "': " STR_FMT, STR_ARG(items[i].id), STR_ARG(items[i].why));
}

static jot_status run_list(Session *s)
{
    TaskList list = { 0 };
    TaskStatus status;
    TaskQuery q = { .after = str(opt_text(s, "after")) };
    int64_t limit;
    bool there;
    Shown shown;
    TRY(opt_number(s, "limit", 1, TASK_LIST_MAX, TASK_LIST_MAX, &limit));
    q.limit = (size_t)limit;
    if (opt_given(s, "status")) {
        if (!task_status_parse(str(opt_text(s, "status")), &status))
            return err_set(&s->err, JOT_INVALID,
                           "--status '%s': use pending, ready, running, completed, failed or "
                           "blocked",
                           err_show(&shown, str(opt_text(s, "status"))));
        q.status = &status;
    }
    TRY(session_open_any(s, &there));
    if (there)
        TRY(task_list(&s->memory, &q, &s->arena, &list, &s->err));
    if (s->json) {
        print_json(task_list_json(&list));
        return JOT_OK;
    }
    for (size_t i = 0; i < list.n; i++)
        print_row(&list.items[i]);
    if (list.n == 0)
        puts("(empty)");
    tell_problems(list.problems, list.problems_n);
    if (list.more)
        say("there are more: --after '" STR_FMT "'", STR_ARG(list.items[list.n - 1].id));
    return JOT_OK;
}

static void print_order(const TaskOrder *order)
{
    for (size_t i = 0; i < order->ready_n; i++)
        print_name_line(order->ready[i].id);
    if (order->ready_n == 0)
        puts("(empty)");
    tell_problems(order->problems, order->problems_n);
}

static jot_status run_ready(Session *s)
{
    TaskOrder order = { 0 };
    bool there;
    if (s->n)
        return move_to(s, &(TaskMove){ .to = TASK_READY });
    TRY(session_open_any(s, &there));
    if (there)
        TRY(task_order(&s->memory, &s->arena, &order, &s->err));
    if (s->json)
        print_json(task_order_json(&order));
    else
        print_order(&order);
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

static const Opt add_opts[] = {
    { "needs", "ID", "a task that must be completed before; as often as you like" },
    { "later", NULL, "what it needs may be added afterwards" },
    { "expect", "TEXT", "what success looks like" },
    { "agent", "NAME", "who is to do it" },
    { "tool", "NAME", "a tool for it; as often as you like" },
    { "priority", "N", "higher comes first (0)" },
    { "retries", "N", "how often it may be tried again after it failed (0)" },
    { 0 },
};

static const Cmd add_cmd = {
    .name = "add",
    .args = "TASK [DESCRIPTION]",
    .summary = "Add a task, pending",
    .help = "A dependency that is missing, named twice or closes a cycle is refused.\n",
    .opts = add_opts,
    .args_min = 1,
    .args_max = 2,
    .run = run_add,
};

static const Opt list_opts[] = {
    { "status", "STATUS", "pending, ready, running, completed, failed or blocked" },
    { "after", "ID", "begin behind this one" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { 0 },
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "",
    .summary = "Print the tasks: status, priority, id",
    .help = "",
    .opts = list_opts,
    .run = run_list,
};

static const Cmd show_cmd = {
    .name = "show",
    .args = "TASK",
    .summary = "Print a task",
    .help = "",
    .args_min = 1,
    .args_max = 1,
    .run = run_show,
};

static const Opt manual_opts[] = {
    { "manual", NULL, "a manual action: do not wait for what it needs" },
    { 0 },
};

static const Cmd ready_cmd = {
    .name = "ready",
    .args = "[TASK]",
    .summary = "Print what can be started now, in order; or make a pending task ready",
    .help = "By priority, highest first, then by id.  Cycles and missing dependencies are told on\n"
            "standard error; with --json there is also what waits, and for what.\n",
    .opts = manual_opts,
    .args_max = 1,
    .run = run_ready,
};

static const Cmd start_cmd = {
    .name = "start",
    .args = "TASK",
    .summary = "Take a task that is pending or ready: it is running then",
    .help = "Of two who start it at once, one is told that the other was faster.\n",
    .opts = manual_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_start,
};

static const Cmd done_cmd = {
    .name = "done",
    .args = "TASK [RESULT]",
    .summary = "Complete a running task",
    .help = "",
    .args_min = 1,
    .args_max = 2,
    .opts = (const Opt[]){ { "manual", NULL, "note it as a manual action" }, { 0 } },
    .run = run_done,
};

static const Cmd fail_cmd = {
    .name = "fail",
    .args = "TASK REASON",
    .summary = "Say that a running task failed",
    .help = "",
    .args_min = 2,
    .args_max = 2,
    .opts = (const Opt[]){ { "manual", NULL, "note it as a manual action" }, { 0 } },
    .run = run_fail,
};

static const Cmd block_cmd = {
    .name = "block",
    .args = "TASK REASON",
    .summary = "Block a task that is pending, ready or running, until somebody unblocks it",
    .help = "",
    .args_min = 2,
    .args_max = 2,
    .opts = (const Opt[]){ { "manual", NULL, "note it as a manual action" }, { 0 } },
    .run = run_block,
};

static const Cmd unblock_cmd = {
    .name = "unblock",
    .args = "TASK [REASON]",
    .summary = "Make a blocked task ready again, by hand",
    .help = "",
    .args_min = 1,
    .args_max = 2,
    .run = run_unblock,
};

static const Cmd retry_cmd = {
    .name = "retry",
    .args = "TASK [REASON]",
    .summary = "Make a failed task ready again, by hand, while it has retries left",
    .help = "",
    .args_min = 1,
    .args_max = 2,
    .run = run_retry,
};

static const Opt events_opts[] = {
    { "from", "SEQ", "the first event, counted from 1" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { 0 },
};

static const Cmd events_cmd = {
    .name = "events",
    .args = "TASK",
    .summary = "Print what happened to a task, oldest first",
    .help = "",
    .opts = events_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_events,
};

static const Cmd *const subs[] = { &add_cmd,     &list_cmd,  &show_cmd,   &ready_cmd,
                                   &start_cmd,   &done_cmd,  &fail_cmd,   &block_cmd,
                                   &unblock_cmd, &retry_cmd, &events_cmd, NULL };

const Cmd cmd_task = {
    .name = "task",
    .args = "",
    .summary = "Pieces of work, with states and dependencies",
    .help = "pending -> ready -> running -> completed; running -> failed -> ready while retries\n"
            "are left; pending, ready and running -> blocked -> ready.\n",
    .subs = subs,
};
