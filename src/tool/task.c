/* task.c - the profile `tasks`: pieces of work, what they wait for, and what comes next. */
#include "memory/task/task.h"

#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"

enum { LINE_TEXT = 300 /* bytes of a text in a list; task_read has all of it */ };

static const char *const states[] = { "pending", "ready",   "running", "completed",
                                      "failed",  "blocked", NULL };

static TaskNames names_of(ToolCall *c, const char *param)
{
    const json_t *list = arg_json(c, param);
    TaskNames names = { .n = json_array_size(list) };
    names.items = NEW_ARRAY(c->into, Str, names.n ? names.n : 1);
    for (size_t i = 0; i < names.n; i++)
        names.items[i] = json_str(json_array_get(list, i));
    return names;
}

/* Where a task is now: "task 'a' is running, event 3". */
static Str event_of(ToolCall *c, const Task *t)
{
    Shown shown;
    return arena_printf(c->into, "task '%s' is %s, event %llu", err_show(&shown, t->id),
                        task_status_name(t->status), (unsigned long long)t->seq);
}

static jot_status run_add(ToolCall *c, ToolReply *out)
{
    TaskAdd add = { .id = arg_text(c, "id"),
                    .description = arg_text(c, "description"),
                    .expected_output = arg_text(c, "expected_output"),
                    .agent = arg_text(c, "agent"),
                    .dependencies = names_of(c, "dependencies"),
                    .priority = arg_number(c, "priority", 0),
                    .max_retries = arg_number(c, "max_retries", 0) };
    Task t;
    TRY(task_add(c->m, &add, c->into, &t, c->e));
    out->text = event_of(c, &t);
    return JOT_OK;
}

static jot_status run_move(ToolCall *c, ToolReply *out)
{
    TaskMove move = { .reason = arg_text(c, "reason"),
                      .result = arg_text(c, "result"),
                      .manual = arg_bool(c, "manual"),
                      .if_seq = (uint64_t)arg_number(c, "if_seq", 0) };
    Task t;
    bool known = task_status_parse(arg_text(c, "to"), &move.to);
    if (known && move.to == TASK_RUNNING && !move.if_seq)
        TRY(task_start(c->m, arg_text(c, "id"), move.manual, c->into, &t, c->e));
    else
        TRY(task_move(c->m, arg_text(c, "id"), &move, c->into, &t, c->e));
    out->text = event_of(c, &t);
    return JOT_OK;
}

static jot_status run_read(ToolCall *c, ToolReply *out)
{
    Task t;
    TRY(reply_body_check(c));
    TRY(task_read(c->m, arg_text(c, "id"), c->into, &t, c->e));
    AUTO_PTR(json_t) o = task_json(&t);
    AUTO(Buf) flat = { 0 };
    AUTO(Buf) text = { 0 };
    json_write(&flat, o);
    json_indent(&text, buf_str(&flat));
    reply_body(c, buf_str(&text), event_of(c, &t), out);
    return JOT_OK;
}

/* The beginning of a long text. */
static json_t *beginning(Str text)
{
    AUTO(Buf) cut = { 0 };
    buf_add(&cut, str_slice(text, 0, utf8_floor(text, LINE_TEXT)));
    buf_add(&cut, S(" ..."));
    return json_stringn(cut.p, cut.n);
}

/* A task on one line of a list: what is needed to choose one. */
static json_t *line_of(const Task *t)
{
    json_t *o = task_json(t);
    static const char *const kept[] = { "task_id",  "description",  "status", "agent",
                                        "priority", "dependencies", "reason" };
    json_t *line = json_object();
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        json_t *value = json_object_get(o, kept[i]);
        if (json_is_string(value) && json_string_length(value) > LINE_TEXT)
            json_object_set_new(o, kept[i], beginning(json_str(value)));
        value = json_object_get(o, kept[i]);
        if (!json_is_null(value) && !(json_is_array(value) && !json_array_size(value)))
            json_object_set(line, kept[i], value);
    }
    json_decref(o);
    return line;
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    TaskStatus status;
    TaskQuery q = { .after = arg_text(c, "after") };
    TaskList list;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    if (arg_given(c, "status") && task_status_parse(arg_text(c, "status"), &status))
        q.status = &status;
    TRY(task_list(c->m, &q, c->into, &list, c->e));
    while (n < list.n && lister_add_json(&l, line_of(&list.items[n])))
        n++;
    if (!list.n)
        buf_add(&l.text, S("(empty)\n"));
    if (list.problems_total)
        buf_addf(&l.text, "... %zu cannot be read\n", list.problems_total);
    if (n && (n < list.n || list.more))
        reply_more(c, &l.text, "after", list.items[n - 1].id);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status run_next(ToolCall *c, ToolReply *out)
{
    TaskOrder order;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(task_order(c->m, c->into, &order, c->e));
    while (n < order.ready_n && lister_add_json(&l, line_of(&order.ready[n])))
        n++;
    if (!order.ready_n)
        buf_add(&l.text, S("(nothing is ready)\n"));
    buf_addf(&l.text, "... %zu ready, %zu waiting, %zu problems", order.ready_n, order.waiting_n,
             order.problems_total);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* clang-format off */
#define ID { "id", PARAM_TEXT, .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_task_add, tool_task_move, tool_task_read, tool_task_list, tool_task_next;

const Tool tool_task_add = {
    .name = "task_add",
    .title = "Add a task",
    .about = "Add a piece of work, with what it waits for. Use it to split work between agents or "
             "over sessions.",
    .effects = TOOL_WRITES,
    .params = {
        ID,
        { "description", PARAM_TEXT, .max = TASK_TEXT_MAX },
        { "expected_output", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX },
        { "agent", PARAM_TEXT, .about = "who is to do it", .optional = true, .max = TASK_NAME_MAX },
        { "dependencies", PARAM_TEXTS, .about = "ids", .optional = true, .max = STORE_SEGMENT_MAX },
        { "priority", PARAM_NUMBER, .about = "higher comes first", .optional = true,
          .max = TASK_PRIORITY_MAX },
        { "max_retries", PARAM_NUMBER, .optional = true, .max = TASK_RETRIES_MAX },
    },
    .run = run_add,
};

const Tool tool_task_move = {
    .name = "task_move",
    .title = "Move a task",
    .about = "Say that a task is running, completed (with its result), failed or blocked (with the "
             "reason), or ready again (manual). Of two who move it at once, one is told.",
    .effects = TOOL_WRITES,
    .params = {
        ID,
        { "to", PARAM_CHOICE, .choices = states },
        { "reason", PARAM_TEXT, .optional = true, .max = TASK_TEXT_MAX },
        { "result", PARAM_TEXT, .optional = true, .max = TASK_RESULT_MAX },
        { "manual", PARAM_BOOL, .optional = true },
        { "if_seq", PARAM_NUMBER, .about = "only if this is its last event",
          .optional = true, .min = 1 },
    },
    .run = run_move,
};

const Tool tool_task_read = {
    .name = "task_read",
    .title = "Read a task",
    .about = "All about one task.",
    .effects = TOOL_READS,
    .params = { ID, REPLY_BODY_PARAMS },
    .run = run_read,
};

const Tool tool_task_list = {
    .name = "task_list",
    .title = "List tasks",
    .about = "List tasks, one a line.",
    .effects = TOOL_READS,
    .params = {
        { "status", PARAM_CHOICE, .choices = states, .optional = true },
        { "after", PARAM_TEXT, .about = "an id", .optional = true, .max = STORE_SEGMENT_MAX },
    },
    .run = run_list,
};

const Tool tool_task_next = {
    .name = "task_next",
    .title = "What to do next",
    .about = "The tasks that can be started now, the most urgent first.",
    .effects = TOOL_READS,
    .run = run_next,
};
