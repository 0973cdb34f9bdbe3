/* run_look.c - the profile `runs`: reading what was recorded, for a prompt, for an answer, for
 * going on.
 *
 * Everything is a function of the run's stream alone, and bounded: what does not fit is read on
 * with the call that the last line names. */
#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "memory/frame/pointer.h"
#include "memory/run/run_results.h"
#include "tool/reply.h"
#include "tool/run.h"

enum { PREVIEW = 200 /* bytes of a step in a list; run_read with its record has all of it */ };

/* --- Steps ------------------------------------------------------------------------------- */

typedef struct Telling {
    ToolCall *c;
    Lister *l;
    uint64_t next; /* the first step that did not fit; 0: all did */
    uint64_t cut;  /* the first one of which only the beginning is shown; 0: none */
} Telling;

static jot_status tell_step(void *ctx, const RunStep *s)
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
    if (lister_add(t->l, str_slice(line, 0, line.n - 1))) {
        if (!t->cut && s->body.n > PREVIEW)
            t->cut = s->seq;
        return JOT_OK;
    }
    t->next = s->seq;
    return JOT_CANCELLED;
}

static Str number_str(Arena *into, uint64_t n)
{
    return arena_printf(into, "%llu", (unsigned long long)n);
}

static jot_status show_step(ToolCall *c, Run *r, uint64_t seq, ToolReply *out)
{
    RunStep s;
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
    if (t.cut) {
        buf_add(&l.text, S("... all of a step: "));
        buf_add(&l.text, point_record(POINT_ALL, r.id, t.cut, c->into));
        buf_add_char(&l.text, '\n');
    }
    TRY(run_unfinished(&r, c->into, &open, c->e));
    if (t.next)
        reply_more(c, &l.text, "from_record", number_str(c->into, t.next));
    else
        tell_open(&l.text, &open);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* --- Which runs there are ---------------------------------------------------------------- */

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
        reply_more(c, &l.text, "offset", number_str(c->into, n));
    else if (n == offset)
        buf_add(&l.text, S("(none)"));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* --- Results ----------------------------------------------------------------------------- */

/* "results 4-9 of 9, 2 of them cleared": what the text in front of it is. */
static Str label_of(ToolCall *c, const Run *r, const Results *list)
{
    AUTO(Buf) to = { 0 };
    size_t cleared = 0;
    for (size_t i = 0; i < list->n; i++)
        cleared += list->items[i].cleared;
    buf_addf(&to, "%zu of %llu results in full", list->n - cleared,
             (unsigned long long)r->state.results);
    if (cleared)
        buf_addf(&to, ", %zu cleared", cleared);
    if (list->summary.n)
        buf_addf(&to, ", %llu summed up", (unsigned long long)r->state.compacted);
    if (list->damaged)
        buf_addf(&to, ", %llu cannot be read", (unsigned long long)list->damaged);
    return arena_copy(c->into, buf_str(&to));
}

static jot_status run_show_results(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    Results list;
    uint64_t from = (uint64_t)arg_number(c, "from", 1), to = (uint64_t)arg_number(c, "to", 0);
    TRY(reply_body_check(c));
    if (to && from > to)
        return err_set(c->e, JOT_INVALID, "'from' is %llu and 'to' is %llu: say from, then to",
                       (unsigned long long)from, (unsigned long long)to);
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    if (arg_given(c, "from") || arg_given(c, "to"))
        TRY(run_results(&r, from, to, c->into, &list, c->e));
    else
        TRY(run_prompt(&r, c->into, &list, c->e));
    results_add(&text, &list);
    reply_body(c, buf_str(&text), label_of(c, &r, &list), out);
    return JOT_OK;
}

static jot_status run_show_final(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    TRY(reply_body_check(c));
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_final(&r, &text, c->e));
    reply_body(c, buf_str(&text), arena_printf(c->into, "what run %s found", r.id), out);
    return JOT_OK;
}

static jot_status run_show_usage(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { 0 };
    AUTO(Buf) args = { 0 };
    UsageWarnings w = { 0 };
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    UsageLimits limits = run_limits(&r, run_arg_limits(c));
    if (arg_json(c, "args"))
        json_write(&args, arg_json(c, "args"));
    if (arg_given(c, "tool"))
        w = run_warnings(&r, limits, arg_text(c, "tool"), buf_str(&args), c->into);
    usage_add_block(&text, &r.state.usage, limits);
    buf_add(&text, text.n ? S("\n") : S("no tool was called yet\n"));
    if (w.limit.n)
        buf_addf(&text, "warning: " STR_FMT "\n", STR_ARG(w.limit));
    if (w.loop.n)
        buf_addf(&text, "warning: " STR_FMT "\n", STR_ARG(w.loop));
    reply_set(c, &text, out);
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

extern const Tool tool_run_read, tool_run_list, tool_run_results, tool_run_final, tool_run_usage;

const Tool tool_run_read = {
    .name = "run_read",
    .title = "Read a run",
    .about =
        "The steps of a run with the beginning of each, and the calls that have no result; or, "
        "with record, all of one step.",
    .effects = TOOL_READS,
    .params = { RUN_PARAM,
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

const Tool tool_run_results = {
    .name = "run_results",
    .title = "Read results",
    .about =
        "The results of a run as a prompt shows them, each below its call: the summary, cleared "
        "ones as a line, the others in full; or, with from or to, those in full.",
    .effects = TOOL_READS,
    .params = { RUN_PARAM,
                { "from", PARAM_NUMBER, .about = "number of a result", .optional = true, .min = 1 },
                { "to", PARAM_NUMBER, .optional = true, .min = 1 },
                REPLY_BODY_PARAMS },
    .run = run_show_results,
};

const Tool tool_run_final = {
    .name = "run_final",
    .title = "Read what was found",
    .about =
        "Every result of a run that is no failure, also cleared ones, to write the final answer "
        "from.",
    .effects = TOOL_READS,
    .params = { RUN_PARAM, REPLY_BODY_PARAMS },
    .run = run_show_final,
};

const Tool tool_run_usage = {
    .name = "run_usage",
    .title = "Count calls",
    .about = "How often each tool was called in a run; with tool and args, what there is to say "
             "about such a call before you make it.",
    .effects = TOOL_READS,
    .params = { RUN_PARAM,
                { "tool", PARAM_TEXT, .optional = true, .max = RUN_TOOL_MAX },
                { "args", PARAM_OBJECT, .optional = true },
                { "limit", PARAM_NUMBER, .optional = true, .min = 1 },
                { "similarity", PARAM_NUMBER, .optional = true, .min = 1, .max = 100 } },
    .run = run_show_usage,
};
