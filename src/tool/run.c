/* run.c - the profile `runs`: what an agent does on a query, step by step.
 *
 * A run is known by its id alone, so every call opens it anew. */
#include "memory/run.h"

#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame.h"
#include "memory/run_results.h"
#include "tool/reply.h"

enum {
    PREVIEW = 200, /* bytes of a step in a list; run_read with its record has all of it */
    QUERY_MAX = 1024 * 1024,
};

static const char *const kinds[] = { "thinking", "plan", "answer", NULL };

static jot_status run_start(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_new(c->m, NULL, arg_text(c, "query"), &r, c->e));
    out->text = arena_printf(c->into, "run %s", r.id);
    return JOT_OK;
}

static RunKind kind_of(Str word)
{
    if (str_eq(word, S("plan")))
        return RUN_PLAN;
    return str_eq(word, S("answer")) ? RUN_ANSWER : RUN_THINKING;
}

static jot_status run_note(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_say(&r, kind_of(arg_text(c, "kind")), arg_text(c, "text"), c->e));
    out->text = arena_printf(c->into, "recorded " STR_FMT " in run %s, record %llu",
                             STR_ARG(arg_text(c, "kind")), r.id, (unsigned long long)r.state.seq);
    return JOT_OK;
}

static jot_status run_begin_call(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) args = { 0 };
    if (arg_json(c, "args"))
        json_write(&args, arg_json(c, "args"));
    RunCall call = { .call = arg_text(c, "call"),
                     .tool = arg_text(c, "tool"),
                     .args = buf_str(&args),
                     .mutating = arg_bool(c, "mutating") };
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_call(&r, &call, c->e));
    out->text =
        arena_printf(c->into, "recorded the call, record %llu", (unsigned long long)r.state.seq);
    return JOT_OK;
}

static jot_status run_end_call(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    uint64_t n;
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_result(&r, arg_text(c, "call"), !arg_bool(c, "failed"), arg_text(c, "result"), &n,
                   c->e));
    out->text = arena_printf(c->into, "recorded result #%llu", (unsigned long long)n);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

typedef struct Telling {
    ToolCall *c;
    Lister *l;
    uint64_t next; /* the first step that did not fit; 0: all did */
} Telling;

static jot_status tell_step(void *ctx, const Step *s)
{
    Telling *t = ctx;
    AUTO(Buf) text = { 0 };
    if (s->kind == RUN_FOLD)
        return JOT_OK;
    buf_addf(&text, "%llu  %s  %s", (unsigned long long)s->seq, time_text(s->at_ms).text,
             run_kind_name(s->kind));
    if (s->tool.n) {
        buf_add(&text, S("  "));
        frame_name_add(&text, s->tool);
    }
    if (s->kind == RUN_RESULT)
        buf_addf(&text, "  #%llu%s", (unsigned long long)s->n, s->ok ? "" : "  failed");
    buf_addf(&text, "  %zu bytes\n", s->body.n);
    if (utf8_valid(s->body))
        reply_quote(&text, str_slice(s->body, 0, utf8_floor(s->body, PREVIEW)), PREVIEW);
    Str line = buf_str(&text);
    if (lister_add(t->l, str_slice(line, 0, line.n - 1)))
        return JOT_OK;
    t->next = s->seq;
    return JOT_CANCELLED;
}

static jot_status show_step(ToolCall *c, Run *r, uint64_t seq, ToolReply *out)
{
    Step s;
    TRY(run_step(r, seq, c->into, &s, c->e));
    TRY(reply_check_text(str(r->stream), s.body, c->e));
    Str label =
        arena_printf(c->into, "record %llu, %s", (unsigned long long)seq, run_kind_name(s.kind));
    reply_body(c, s.body, label, out);
    return JOT_OK;
}

static void tell_open(Buf *to, const UnfinishedList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        buf_add(to, S("... without a result: call "));
        frame_name_add(to, list->items[i].open.call);
        buf_addf(to, ", record %llu%s%s\n", (unsigned long long)list->items[i].open.seq,
                 list->items[i].open.mutating ? ", it changes things: look before you repeat it"
                                              : "",
                 list->items[i].stored ? ", its result is stored" : "");
    }
}

static jot_status run_show(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Lister) l = lister_begin(c);
    Telling t = { .c = c, .l = &l };
    UnfinishedList open;
    uint64_t damaged = 0;
    TRY(reply_body_check(c));
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    if (arg_given(c, "record"))
        return show_step(c, &r, (uint64_t)arg_number(c, "record", 0), out);
    uint64_t from = (uint64_t)arg_number(c, "from_record", 1);
    jot_status st = run_each(&r, from, tell_step, &t, &damaged, c->e);
    if (st != JOT_CANCELLED)
        TRY(st);
    if (damaged)
        buf_addf(&l.text, "... %llu records cannot be read\n", (unsigned long long)damaged);
    TRY(run_unfinished(&r, c->into, &open, c->e));
    if (t.next)
        buf_addf(&l.text, "... there are more: go on with from_record=%llu",
                 (unsigned long long)t.next);
    else
        tell_open(&l.text, &open);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

typedef struct Lines {
    Arena *into;
    RunLine *items;
    size_t n, cap;
} Lines;

static jot_status keep_line(void *ctx, const RunLine *line)
{
    Lines *all = ctx;
    all->items =
        arena_grow(all->into, all->items, all->n, &all->cap, sizeof *all->items, alignof(RunLine));
    all->items[all->n] = *line;
    all->items[all->n].id = arena_copy(all->into, line->id);
    all->items[all->n++].by = (Str){ 0 };
    return JOT_OK;
}

/* The newest first: that is the one to go on with. */
static jot_status run_index(ToolCall *c, ToolReply *out)
{
    Lines all = { .into = c->into };
    AUTO(Lister) l = lister_begin(c);
    size_t offset = (size_t)arg_number(c, "offset", 0), n = offset;
    TRY(run_list(c->m, keep_line, &all, c->e));
    for (bool fits = true; n < all.n && fits; n += fits) {
        const RunLine *line = &all.items[all.n - 1 - n];
        AUTO(Buf) text = { 0 };
        Str query;
        TRY(run_query(c->m, line->id, c->into, &query, c->e));
        frame_last_name_add(&text, line->id);
        buf_addf(&text, "  %s  %llu records\n", time_text(line->at_ms).text,
                 (unsigned long long)line->records);
        reply_quote(&text, str_slice(query, 0, utf8_floor(query, PREVIEW)), PREVIEW);
        Str lines = buf_str(&text);
        fits = lister_add(&l, str_slice(lines, 0, lines.n - 1));
    }
    if (n < all.n)
        buf_addf(&l.text, "... there are more: go on with offset=%zu", n);
    else if (n == offset)
        buf_add(&l.text, S("(none)"));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

/* clang-format off */
#define RUN { "run", PARAM_TEXT, .about = "its id", .max = RUN_ID_MAX }
#define CALL { "call", PARAM_TEXT, .about = "the id of the call", .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_run_new, tool_run_say, tool_run_call, tool_run_result, tool_run_read,
    tool_run_list;

const Tool tool_run_new = {
    .name = "run_new",
    .title = "Begin a run",
    .about = "Begin the log of your work on a query; answers with the run's id.",
    .effects = TOOL_WRITES,
    .params = { { "query", PARAM_TEXT, .max = QUERY_MAX } },
    .run = run_start,
};

const Tool tool_run_say = {
    .name = "run_say",
    .title = "Record a thought",
    .about = "Record what you think, your plan as it is now, or your answer, in a run.",
    .effects = TOOL_WRITES,
    .params = { RUN, { "kind", PARAM_CHOICE, .choices = kinds }, { "text", .type = PARAM_TEXT } },
    .run = run_note,
};

const Tool tool_run_call = {
    .name = "run_call",
    .title = "Record a call",
    .about =
        "Record a tool call before you make it, so that whoever takes over knows it was begun.",
    .effects = TOOL_WRITES,
    .params = { RUN,
                CALL,
                { "tool", PARAM_TEXT, .max = RUN_TOOL_MAX },
                { "args", PARAM_OBJECT, .optional = true },
                { "mutating", PARAM_BOOL, .about = "it changes something outside",
                  .optional = true } },
    .run = run_begin_call,
};

const Tool tool_run_result = {
    .name = "run_result",
    .title = "Record a result",
    .about = "Record what came of a call, exactly.",
    .effects = TOOL_WRITES,
    .params = { RUN,
                CALL,
                { "result", .type = PARAM_TEXT },
                { "failed", PARAM_BOOL, .optional = true } },
    .run = run_end_call,
};

const Tool tool_run_read = {
    .name = "run_read",
    .title = "Read a run",
    .about =
        "The steps of a run with the beginning of each, and the calls that have no result; or, "
        "with record, all of one step.",
    .effects = TOOL_READS,
    .params = { RUN,
                { "from_record", PARAM_NUMBER, .optional = true, .min = 1 },
                { "record", PARAM_NUMBER, .optional = true, .min = 1 },
                REPLY_BODY_PARAMS },
    .run = run_show,
};

const Tool tool_run_list = {
    .name = "run_list",
    .title = "List runs",
    .about = "The runs and their queries, newest first. Look here to go on where another stopped.",
    .effects = TOOL_READS,
    .params = { { "offset", PARAM_NUMBER, .about = "pass over so many", .optional = true } },
    .run = run_index,
};
