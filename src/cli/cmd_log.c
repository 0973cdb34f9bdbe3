/* cmd_log.c - runs from the shell: which there are, what happened in one, what a prompt shows. */
#include "cli/cmd_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "memory/frame/frame.h"
#include "memory/run/run_results.h"

enum { RUNS_SHOWN = 50, RUNS_MAX = 100 * 1000, STEPS_SHOWN = 1000, STEPS_MAX = 100 * 1000 };

extern const Cmd cmd_log;

/* --- Which runs there are ------------------------------------------------------------------ */

/* The runs written to last, in a heap: the one to be dropped for a newer one is the first. */
typedef struct Newest {
    RunLine *items;
    size_t n, max;
    uint64_t seen;
    Arena *arena;
} Newest;

/* As 'last' means it: by the newest record; of several in one millisecond, by name.  A run that a
 * wrong clock has put into the future would be the last one for ever: it comes behind all others.
 */
static bool is_older(const RunLine *a, const RunLine *b)
{
    if (a->ahead != b->ahead)
        return a->ahead;
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : str_cmp(a->id, b->id) < 0;
}

/* Let the one at `at` sink until those below it are newer. */
static void sink_down(Newest *n, size_t at)
{
    for (size_t below = 2 * at + 1; below < n->n; below = 2 * at + 1) {
        if (below + 1 < n->n && is_older(&n->items[below + 1], &n->items[below]))
            below++;
        if (!is_older(&n->items[below], &n->items[at]))
            return;
        RunLine other = n->items[at];
        n->items[at] = n->items[below];
        n->items[below] = other;
        at = below;
    }
}

static jot_status keep_newest(void *ctx, const RunLine *l)
{
    Newest *n = ctx;
    n->seen++;
    if (n->n == n->max && !is_older(&n->items[0], l))
        return JOT_OK;
    RunLine *to = n->n < n->max ? &n->items[n->n++] : &n->items[0];
    *to = *l;
    to->id = arena_copy(n->arena, l->id);
    to->by = arena_copy(n->arena, l->by);
    if (n->n < n->max)
        return JOT_OK;
    for (size_t i = n->seen == n->max ? n->n : 1; i-- > 0;)
        sink_down(n, i);
    return JOT_OK;
}

static int newest_first(const void *a, const void *b)
{
    return is_older(a, b) - is_older(b, a);
}

static jot_status find_newest(Session *s, size_t max, Newest *out)
{
    *out = (Newest){ .items = NEW_ARRAY(&s->arena, RunLine, max), .max = max, .arena = &s->arena };
    TRY(run_list(&s->memory, keep_newest, out, &s->err));
    qsort(out->items, out->n, sizeof *out->items, newest_first);
    return JOT_OK;
}

/* The run that was written to last. */
typedef struct Last {
    RunLine line;
    char id[RUN_ID_MAX + 1];
} Last;

static jot_status keep_last(void *ctx, const RunLine *l)
{
    Last *last = ctx;
    if (l->id.n > RUN_ID_MAX || (last->id[0] && is_older(l, &last->line)))
        return JOT_OK;
    snprintf(last->id, sizeof last->id, STR_FMT, STR_ARG(l->id));
    last->line = *l;
    last->line.id = str(last->id);
    return JOT_OK;
}

jot_status log_find_run(Session *s, Str id, Run *out)
{
    Last last = { 0 };
    if (str_eq(id, S("last")))
        TRY(run_list(&s->memory, keep_last, &last, &s->err));
    return run_at(&s->memory, last.id[0] ? str(last.id) : id, out, &s->err);
}

jot_status log_open_run(Session *s, Str id, Run *out)
{
    TRY(log_find_run(s, id, out));
    return run_refresh(out, &s->err);
}

jot_status log_open(Session *s, Run *out)
{
    TRY(session_open(s, false));
    return log_open_run(s, str(s->args[0]), out);
}

jot_status log_limits(Session *s, UsageLimits *out)
{
    int64_t calls, similar;
    TRY(opt_number(s, "limit", 1, INT64_MAX, 0, &calls));
    TRY(opt_number(s, "similarity", 1, 100, 0, &similar));
    *out = (UsageLimits){ .calls = (uint64_t)calls, .similar = (uint64_t)similar };
    return JOT_OK;
}

void log_damage(uint64_t damaged)
{
    if (damaged)
        say("%s cannot be read", counted(damaged, "record").text);
}

/* The first line of a query, for a list. */
static Str first_line(Str query)
{
    return str_slice(query, 0, str_find(query, '\n'));
}

static jot_status show_run(Session *s, const RunLine *l, json_t *to)
{
    Str query;
    TRY(run_query(&s->memory, l->id, &s->arena, &query, &s->err));
    if (s->json) {
        json_array_append_new(to,
                              json_pack("{s:o, s:I, s:I, s:o, s:o}", "id", json_text(l->id), "at",
                                        (json_int_t)l->at_ms, "records", (json_int_t)l->records,
                                        "by", json_text(l->by), "query", json_text(query)));
        return JOT_OK;
    }
    fputs(ink(INK_YELLOW), stdout);
    print_name(l->id);
    printf("%s  %s  %6llu  ", ink(INK_PLAIN), time_text(l->at_ms).text,
           (unsigned long long)l->records);
    print_name(l->by);
    fputs("  ", stdout);
    print_name_line(first_line(query));
    return JOT_OK;
}

static jot_status run_log(Session *s)
{
    int64_t max;
    bool there;
    TRY(opt_number(s, "limit", 1, RUNS_MAX, RUNS_SHOWN, &max));
    TRY(session_open_any(s, &there));
    Newest newest = { .max = 1 };
    if (there)
        TRY(find_newest(s, (size_t)max, &newest));
    AUTO_PTR(json_t) runs = json_array();
    for (size_t i = 0; i < newest.n; i++)
        TRY(show_run(s, &newest.items[i], runs));
    uint64_t older = newest.seen - newest.n;
    if (s->json)
        print_json(json_pack("{s:O, s:I}", "runs", runs, "older", (json_int_t)older));
    else if (newest.n == 0)
        puts("(none)");
    else if (older)
        say("%s: use --limit", counted(older, "older run").text);
    return JOT_OK;
}

/* --- What happened in one -------------------------------------------------------------------- */

typedef struct Timeline {
    bool all; /* folds too */
    size_t left;
    uint64_t next; /* where to go on; 0: that was all */
    uint64_t turn; /* replies so far: how --from of `jotter run` counts */
    json_t *to;    /* NULL: print */
} Timeline;

static void print_indented(Str text)
{
    for (bool more = true; more;) {
        Str line = text;
        more = str_cut(&text, '\n', &line);
        if (!more && text.n == 0)
            return;
        fputs("        ", stdout);
        print_text(more ? line : text);
        putchar('\n');
    }
}

static void print_call(const RunStep *x)
{
    json_t *read = NULL;
    if (json_read(x->body, &read, NULL) != JOT_OK)
        read = NULL;
    AUTO_PTR(json_t) args = read;
    AUTO(Buf) call = { 0 };
    frame_call_add(&call, NULL, x->tool, args);
    print_name(buf_str(&call));
}

/* What a model replied: its words, and what it asks for. */
static void print_reply(const json_t *reply)
{
    const json_t *parts = json_object_get(reply, "parts");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        if (json_object_get(part, "text"))
            print_indented(json_str(json_object_get(part, "text")));
        if (!json_object_get(part, "call"))
            continue;
        fputs("        asks for ", stdout);
        print_name_line(json_str(json_object_get(part, "name")));
    }
}

static void print_setup(const json_t *setup)
{
    fputs("        model ", stdout);
    print_name(json_str(json_object_get(setup, "model")));
    printf(", window %lld, %s, rules of %s\n",
           (long long)json_integer_value(json_object_get(setup, "window")),
           counted(json_array_size(json_object_get(setup, "tools")), "tool").text,
           counted(json_str(json_object_get(setup, "system")).n, "byte").text);
}

/* The body of a step; that of an agent's loop is JSON, of which --json shows all. */
static void print_body(const RunStep *x)
{
    json_t *read = NULL;
    bool ours = x->kind == RUN_REPLY || x->kind == RUN_SETUP;
    if (!ours || json_read(x->body, &read, NULL) != JOT_OK) {
        print_indented(x->body);
        return;
    }
    AUTO_PTR(json_t) value = read;
    if (x->kind == RUN_REPLY)
        print_reply(value);
    else
        print_setup(value);
}

static void print_step(const RunStep *x, uint64_t turn)
{
    printf("%s%6llu  %s  %-11s%s  ", ink(INK_DIM), (unsigned long long)x->seq,
           time_text(x->at_ms).text, run_kind_name(x->kind), ink(INK_PLAIN));
    if (x->kind == RUN_CALL)
        print_call(x);
    if (x->kind == RUN_RESULT) {
        printf("#%llu ", (unsigned long long)x->n);
        print_name(x->tool);
    }
    if (x->call.n) {
        fputs("  [", stdout);
        print_name(x->call);
        printf("]%s%s", x->mutating ? "  mutating" : "",
               x->kind == RUN_RESULT && !x->ok ? "  error" : "");
    }
    if (x->kind == RUN_INIT && x->origin.n) {
        printf("taken back to turn %llu of ", (unsigned long long)x->turn);
        print_name(x->origin);
    }
    if (x->kind == RUN_REPLY)
        printf("turn %llu", (unsigned long long)turn);
    if (x->kind == RUN_CLEAR)
        printf("results %llu-%llu", (unsigned long long)x->from, (unsigned long long)x->to);
    if (x->kind == RUN_COMPACT)
        printf("results 1-%llu are now:", (unsigned long long)x->n);
    if (x->kind == RUN_END || x->kind == RUN_NOTICE)
        print_name(x->word);
    puts(x->redacted ? "  (redacted)" : "");
    if (x->kind != RUN_CALL)
        print_body(x);
}

static jot_status show_step(void *ctx, const RunStep *x)
{
    Timeline *t = ctx;
    t->turn += x->kind == RUN_REPLY;
    if (x->kind == RUN_FOLD && !t->all)
        return JOT_OK;
    if (t->left-- == 0) {
        t->next = x->seq;
        return JOT_CANCELLED;
    }
    if (!t->to) {
        print_step(x, t->turn);
        return JOT_OK;
    }
    json_t *step = run_step_json(x);
    if (x->kind == RUN_REPLY)
        json_object_set_new(step, "turn", json_integer((json_int_t)t->turn));
    json_array_append_new(t->to, step);
    return JOT_OK;
}

typedef struct Before {
    uint64_t seq, turns;
} Before;

static jot_status count_turn(void *ctx, const RunStep *x)
{
    Before *b = ctx;
    b->turns += x->kind == RUN_REPLY && x->seq < b->seq;
    return x->seq < b->seq ? JOT_OK : JOT_CANCELLED;
}

jot_status log_turns_before(Session *s, Run *r, uint64_t seq, uint64_t *out)
{
    Before b = { .seq = seq };
    jot_status st = seq > 1 ? run_each(r, 1, count_turn, &b, NULL, &s->err) : JOT_OK;
    *out = b.turns;
    return st == JOT_CANCELLED ? JOT_OK : st;
}

static jot_status run_show(Session *s)
{
    int64_t from, max;
    AUTO(Run) r = { 0 };
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "limit", 1, STEPS_MAX, STEPS_SHOWN, &max));
    TRY(log_open(s, &r));
    AUTO_PTR(json_t) steps = json_array();
    Timeline t = { .all = opt_given(s, "all"), .left = (size_t)max, .to = s->json ? steps : NULL };
    uint64_t damaged;
    TRY(log_turns_before(s, &r, (uint64_t)from, &t.turn));
    jot_status st = run_each(&r, (uint64_t)from, show_step, &t, &damaged, &s->err);
    if (st != JOT_CANCELLED)
        TRY(st);
    if (s->json) {
        print_json(json_pack("{s:s, s:O, s:I, s:I}", "run", r.id, "steps", steps, "next",
                             (json_int_t)t.next, "damaged", (json_int_t)damaged));
        return JOT_OK;
    }
    log_damage(damaged);
    if (t.next)
        say("there is more: jotter log show %s --from %llu", r.id, (unsigned long long)t.next);
    return JOT_OK;
}

/* --- For a prompt ---------------------------------------------------------------------------- */

static jot_status run_show_results(Session *s)
{
    int64_t from, to;
    AUTO(Run) r = { 0 };
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "to", 1, INT64_MAX, 0, &to));
    if (opt_given(s, "to") && from > to)
        return err_set(&s->err, JOT_INVALID, "--from %lld is behind --to %lld", (long long)from,
                       (long long)to);
    TRY(log_open(s, &r));
    Results list;
    if (opt_given(s, "from") || opt_given(s, "to") || opt_given(s, "all"))
        TRY(run_results(&r, (uint64_t)from, (uint64_t)to, &s->arena, &list, &s->err));
    else
        TRY(run_prompt(&r, &s->arena, &list, &s->err));
    if (s->json) {
        json_t *out = results_json(&list);
        json_object_set_new(out, "run", json_string(r.id));
        print_json(out);
        return JOT_OK;
    }
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    results_add(&text, &list);
    if (text.n)
        print_line(buf_str(&text));
    log_damage(list.damaged);
    return JOT_OK;
}

static jot_status run_show_final(Session *s)
{
    AUTO(Run) r = { 0 };
    TRY(log_open(s, &r));
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    TRY(run_final(&r, &text, &s->err));
    if (s->json)
        print_json(json_pack("{s:s, s:o}", "run", r.id, "text", json_text(buf_str(&text))));
    else
        print_line(buf_str(&text));
    return JOT_OK;
}

static jot_status run_show_usage(Session *s)
{
    UsageLimits limits;
    AUTO(Run) r = { 0 };
    const char *tool = opt_text(s, "tool"), *args = opt_text(s, "args");
    TRY(log_limits(s, &limits));
    TRY(log_open(s, &r));
    UsageWarnings w = { 0 };
    limits = run_limits(&r, limits);
    if (tool)
        w = run_warnings(&r, limits, str(tool), str(args), &s->arena);
    if (s->json) {
        json_t *out = usage_status_json(&r.state.usage, limits);
        json_object_set_new(out, "run", json_string(r.id));
        json_object_set_new(out, "warnings", warnings_json(&w));
        print_json(out);
        return JOT_OK;
    }
    AUTO(Buf) text = { 0 };
    usage_add_block(&text, &r.state.usage, limits);
    if (text.n)
        print_line(buf_str(&text));
    if (w.limit.n)
        print_line(w.limit);
    if (w.loop.n)
        print_line(w.loop);
    return JOT_OK;
}

static jot_status run_show_open(Session *s)
{
    AUTO(Run) r = { 0 };
    TRY(log_open(s, &r));
    UnfinishedList list;
    TRY(run_unfinished(&r, &s->arena, &list, &s->err));
    if (s->json) {
        print_json(json_pack("{s:s, s:o}", "run", r.id, "open", unfinished_json(&list)));
        return JOT_OK;
    }
    for (size_t i = 0; i < list.n; i++) {
        const Unfinished *u = &list.items[i];
        RunStep x = { .tool = u->open.tool, .body = u->args };
        print_name(u->open.call);
        fputs("  ", stdout);
        print_call(&x);
        printf("%s%s\n", u->open.mutating ? "  mutating" : "",
               u->stored ? "  stored: only its record is missing" : "");
    }
    if (list.n == 0)
        puts("(none)");
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------------- */

static const Opt log_opts[] = {
    { "limit", "N", "how many runs; 50 if not given" },
    { 0 },
};

static const Opt show_opts[] = {
    { "from", "SEQ", "begin at this record" },
    { "limit", "N", "how many steps; 1000 if not given" },
    { "all", NULL, "folds too" },
    { 0 },
};

static const Opt results_opts[] = {
    { "from", "N", "from this result on, in full" },
    { "to", "N", "up to this result, in full" },
    { "all", NULL, "all of them in full, cleared or not" },
    { 0 },
};

static const Opt usage_opts[] = {
    LOG_LIMIT_OPTS,
    { "tool", "NAME", "warn of this call, which is about to be made" },
    { "args", "JSON", "its arguments" },
    { 0 },
};

static const Cmd show_cmd = {
    .name = "show",
    .args = "RUN",
    .summary = "Print what happened in a run, step by step",
    .help = "RUN is an id, or 'last' for the run that was written to last.\n",
    .opts = show_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_show,
};

static const Cmd results_cmd = {
    .name = "results",
    .args = "RUN",
    .summary = "Print the results as a prompt shows them",
    .help = "Each below its call; those that were cleared as one line, those summed up as their\n"
            "summary.  A line of a result that looks like one of these headings begins with a\n"
            "backslash that is not part of it.\n",
    .opts = results_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_show_results,
};

static const Cmd final_cmd = {
    .name = "final",
    .args = "RUN",
    .summary = "Print every result that is no failure, for a final answer",
    .help = "",
    .args_min = 1,
    .args_max = 1,
    .run = run_show_final,
};

static const Cmd usage_cmd = {
    .name = "usage",
    .args = "RUN",
    .summary = "Print how often each tool was called, and warnings",
    .help = "A warning is never a refusal.\n",
    .opts = usage_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_show_usage,
};

static const Cmd open_cmd = {
    .name = "open",
    .args = "RUN",
    .summary = "Print the calls that were issued and not completed",
    .help =
        "What a process that takes over has to decide about: a call marked 'mutating' may have\n"
        "happened, so look before you repeat it.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_show_open,
};

static const Cmd *const subs[] = {
    &log_new_cmd, &log_add_cmd, &show_cmd,       &results_cmd,   &log_clear_cmd, &usage_cmd,
    &open_cmd,    &final_cmd,   &log_redact_cmd, &log_purge_cmd, NULL,
};

const Cmd cmd_log = {
    .name = "log",
    .args = "",
    .summary = "List the runs, newest first; show and record what happens in one",
    .help = "id, time of the newest record, records, who, query.\n",
    .opts = log_opts,
    .subs = subs,
    .run = run_log,
};
