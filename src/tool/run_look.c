/* run_look.c - the noun `runs`: reading what was recorded, for a prompt, for an answer, for
 * resuming.
 *
 * Everything is a function of the run's stream alone.  A model gets the beginning of each step, and
 * the call that reads all of one; so what it is handed of a run stays small, however long that is.
 */
#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame/pointer.h"
#include "memory/run/run_results.h"
#include "tool/run.h"

enum {
    PREVIEW = 200,    /* bytes of a step in a list; run_read with its record has all of it */
    STEPS_TOLD = 500, /* to a model, in one answer */
    STEPS_SHOWN = 1000,
    STEPS_MAX = 100 * 1000,
    RUNS_SHOWN = 50,
    RUNS_MAX = 100 * 1000,
};

extern const Noun noun_run;

/* clang-format off */
#define TEXT(word) { word, .type = PARAM_TEXT }
#define NUMBER(word) { word, .type = PARAM_NUMBER }
#define FLAG(word) { word, .type = PARAM_BOOL }

/* --- Steps --------------------------------------------------------------------------------- */

static const Param step_fields[] = {
    NUMBER("seq"), TEXT("kind"), { "at", PARAM_TEXT, .about = "time" }, TEXT("by"), TEXT("call"),
    TEXT("tool"), FLAG("mutating"), FLAG("ok"), NUMBER("of"), NUMBER("limit"),
    NUMBER("similarity"), TEXT("warning"), TEXT("word"), TEXT("dir"), TEXT("origin"),
    NUMBER("turn"), NUMBER("until"), NUMBER("n"), NUMBER("from"), NUMBER("to"), FLAG("redacted"),
    TEXT("text"), { "bytes", PARAM_NUMBER, .about = "of the whole text" }, { 0 } };
static const Param open_fields[] = {
    TEXT("call"), TEXT("tool"), { "args", .type = PARAM_ANY }, NUMBER("seq"), FLAG("mutating"),
    { "stored", PARAM_BOOL, .about = "its result is in the sink" }, { 0 } };
static const Param read_fields[] = {
    TEXT("run"), { "steps", PARAM_OBJECTS, .fields = step_fields },
    { "next", PARAM_NUMBER, .about = "record to continue from; 0: that was all" },
    { "damaged", PARAM_NUMBER, .about = "records that cannot be read" },
    { "open", PARAM_OBJECTS, .about = "calls without a result", .fields = open_fields },
    NUMBER("seq"), TEXT("kind"), { 0 } };
/* clang-format on */

typedef struct Walk {
    json_t *steps;
    bool all;   /* folds too */
    bool brief; /* only the beginning of each text */
    size_t left;
    uint64_t next; /* where to continue; 0: that was all */
    uint64_t turn; /* replies so far: how --from of `jotter run` counts */
} Walk;

static jot_status add_step(void *ctx, const RunStep *x)
{
    Walk *w = ctx;
    RunStep shown = *x;
    w->turn += x->kind == RUN_REPLY;
    if (x->kind == RUN_FOLD && !w->all)
        return JOT_OK;
    if (w->left-- == 0) {
        w->next = x->seq;
        return JOT_CANCELLED; /* only ends the walk */
    }
    if (w->brief)
        shown.body =
            utf8_valid(x->body) ? str_slice(x->body, 0, utf8_floor(x->body, PREVIEW)) : S("");
    json_t *step = run_step_json(&shown);
    json_object_set_new(step, "bytes", json_integer((json_int_t)x->body.n));
    if (x->kind == RUN_REPLY)
        json_object_set_new(step, "turn", json_integer((json_int_t)w->turn));
    json_array_append_new(w->steps, step);
    return JOT_OK;
}

/* One step, whole. */
static jot_status read_step(ToolCall *c, Run *r, VerbData *out)
{
    RunStep s;
    uint64_t seq = (uint64_t)arg_number(c, "record", 0);
    TRY(run_step(r, seq, c->into, &s, c->e));
    out->body = s.body.p ? s.body : S("");
    out->json = json_pack("{s:s, s:I, s:s}", "run", r->id, "seq", (json_int_t)seq, "kind",
                          run_kind_name(s.kind));
    return JOT_OK;
}

static jot_status read_run(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    UnfinishedList open;
    uint64_t damaged = 0, from = (uint64_t)arg_number(c, "from_record", 1);
    Walk w = { .all = arg_bool(c, "all"),
               .brief = !c->shell,
               .left = (size_t)arg_number(c, "limit", c->shell ? STEPS_SHOWN : STEPS_TOLD) };
    TRY(run_arg_open(c, &r));
    if (arg_given(c, "record"))
        return read_step(c, &r, out);
    /* A page counts its turns from where the one before it ended. */
    TRY(run_turns_before(&r, from, &w.turn, c->e));
    w.steps = json_array();
    out->json = json_pack("{s:s, s:o}", "run", r.id, "steps", w.steps);
    jot_status st = run_each(&r, from, add_step, &w, &damaged, c->e);
    if (st != JOT_CANCELLED)
        TRY(st);
    TRY(run_unfinished(&r, c->into, &open, c->e));
    json_object_set_new(out->json, "next", json_integer((json_int_t)w.next));
    json_object_set_new(out->json, "damaged", json_integer((json_int_t)damaged));
    json_object_set_new(out->json, "open", unfinished_json(&open));
    return JOT_OK;
}

static uint64_t number_in(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static bool say_step(Lister *l, const json_t *step)
{
    AUTO(Buf) text = { 0 };
    bool result = str_eq(json_str(json_object_get(step, "kind")), S("tool_result"));
    template_add(&text, "{seq}  {at}  {kind}[  {tool}]", step, TEMPLATE_FRAMED);
    if (result)
        template_add(&text, "  #{n}[  failed{!ok}]", step, TEMPLATE_FRAMED);
    template_add(&text, "  {bytes#byte}\n", step, TEMPLATE_FRAMED);
    reply_quote(&text, json_str(json_object_get(step, "text")), PREVIEW);
    return lister_add(l, str_slice(buf_str(&text), 0, text.n - 1));
}

static void say_open(Buf *to, const json_t *open)
{
    for (size_t i = 0; i < json_array_size(open); i++) {
        template_add(to,
                     "... without a result: call {call}, record {seq}"
                     "{mutating&, it changes things: look before you repeat it}"
                     "{stored&, its result is stored}",
                     json_array_get(open, i), TEMPLATE_FRAMED);
        buf_add_char(to, '\n');
    }
}

static jot_status say_run(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    const json_t *steps = json_object_get(d->json, "steps");
    uint64_t cut = 0, next = number_in(d->json, "next");
    size_t n = 0;
    if (d->body.p) {
        AUTO(Buf) label = { 0 };
        template_add(&label, "record {seq}, {kind}", d->json, TEMPLATE_FRAMED);
        TRY(reply_check_text(arg_text(c, "run"), d->body, c->e));
        reply_body(c, d->body, buf_str(&label), out);
        return JOT_OK;
    }
    for (bool fits = true; n < json_array_size(steps) && fits; n += fits) {
        const json_t *step = json_array_get(steps, n);
        fits = say_step(&l, step);
        if (fits && !cut && number_in(step, "bytes") > PREVIEW)
            cut = number_in(step, "seq");
        if (!fits)
            next = number_in(step, "seq");
    }
    if (number_in(d->json, "damaged"))
        template_add(&l.text, "... {damaged#record} cannot be read\n", d->json, TEMPLATE_FRAMED);
    if (cut)
        buf_addf(&l.text, "... all of a step: " STR_FMT "\n",
                 STR_ARG(point_record(POINT_ALL, json_string_value(json_object_get(d->json, "run")),
                                      cut, c->into)));
    /* Open calls are said at the end: before it their results may still come. */
    if (next)
        reply_more(c, &l.text, "from_record",
                   arena_printf(c->into, "%llu", (unsigned long long)next));
    else
        say_open(&l.text, json_object_get(d->json, "open"));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static const Verb verb_read = {
    .tool = { .name = "run_read",
              .title = "Read a run",
              .about = "The steps of a run with the beginning of each, and the calls that have no "
                       "result; or, with record, all of one step.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  RUN_PARAM,
                  { "from_record", PARAM_NUMBER, .optional = true, .min = 1, .option = "from",
                    .word = "SEQ", .help = "start at this record" },
                  { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = STEPS_MAX,
                    .door = DOOR_CLI, .help = "how many steps (1000)" },
                  { "all", PARAM_BOOL, .optional = true, .door = DOOR_CLI, .help = "folds too" },
                  { "record", PARAM_NUMBER, .optional = true, .min = 1, .word = "SEQ",
                    .help = "all of this step, exactly" },
                  REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .was = "show",
    .summary = "Print what happened in a run, step by step",
    .help = "RUN is an id, or 'last' for the run that was written to last.\n",
    .fields = read_fields,
    .items = "steps",
    .unit = "record",
    .run = read_run,
    .say = say_run,
};

/* --- Which runs there are ------------------------------------------------------------------ */

static const char *state_of(ToolCall *c, Str id)
{
    AUTO(Arena) arena = { 0 };
    RunKind kind = run_last_step(c->m, id, &arena).kind;
    return kind == RUN_ANSWER ? "answered" : kind == RUN_END ? "ended" : "open";
}

static jot_status list(ToolCall *c, VerbData *out)
{
    RunNewest newest;
    size_t offset = (size_t)arg_number(c, "offset", 0);
    size_t limit = (size_t)arg_number(c, "limit", RUNS_SHOWN);
    json_t *runs = json_array();
    out->json = json_pack("{s:o}", "runs", runs);
    TRY(run_newest(c->m, offset + limit, c->into, &newest, c->e));
    for (size_t i = offset; i < newest.n; i++) {
        const RunLine *l = &newest.items[i];
        Str query;
        TRY(run_query(c->m, l->id, c->into, &query, c->e));
        json_array_append_new(runs,
                              json_pack("{s:o, s:s, s:I, s:o, s:o, s:s}", "id", json_text(l->id),
                                        "at", time_text(l->at_ms).text, "records",
                                        (json_int_t)l->records, "by", json_text(l->by), "query",
                                        json_text(query), "state", state_of(c, l->id)));
    }
    json_object_set_new(out->json, "older", json_integer((json_int_t)(newest.total - newest.n)));
    return JOT_OK;
}

/* Newest first: that is the one to resume. */
static jot_status say_runs(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    const json_t *runs = json_object_get(d->json, "runs");
    size_t offset = (size_t)arg_number(c, "offset", 0), n = 0;
    for (bool fits = true; n < json_array_size(runs) && fits; n += fits) {
        AUTO(Buf) text = { 0 };
        const json_t *run = json_array_get(runs, n);
        Str query = json_str(json_object_get(run, "query"));
        template_add(&text, "{id}  {at}  {records#record}\n", run, TEMPLATE_FRAMED);
        reply_quote(&text, str_slice(query, 0, utf8_floor(query, PREVIEW)), PREVIEW);
        fits = lister_add(&l, str_slice(buf_str(&text), 0, text.n - 1));
    }
    if (n < json_array_size(runs) || number_in(d->json, "older"))
        reply_more(c, &l.text, "offset", arena_printf(c->into, "%zu", offset + n));
    else if (!n)
        buf_add(&l.text, S("(none)"));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static const Verb verb_list = {
    .tool = { .name = "run_list",
              .title = "List runs",
              .about =
                  "The runs and their queries, newest first. Look here to resume where another "
                  "stopped.",
              .effects = TOOL_READS,
              .params = PARAMS({ "offset", PARAM_NUMBER, .about = "skip this many",
                                 .optional = true, .max = RUNS_MAX, .door = DOOR_TOOL },
                               { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = RUNS_MAX,
                                 .door = DOOR_CLI, .help = "how many runs (50)" }),
              .run = verb_answer },
    .verb = "list",
    .summary = "List the runs, newest first",
    .help = "id, time of the newest record, records, who, query.\n",
    .fields = (const Param[]){ { "runs", PARAM_OBJECTS,
                                 .fields = (const Param[]){ TEXT("id"),
                                                            TEXT("at"),
                                                            NUMBER("records"),
                                                            TEXT("by"),
                                                            TEXT("query"),
                                                            { "state", PARAM_TEXT,
                                                              .about = "answered, ended or open" },
                                                            { 0 } } },
                               { "older", PARAM_NUMBER, .about = "runs that are not in the list" },
                               { 0 } },
    .items = "runs",
    .none = "(none)",
    .unit = "run",
    .run = list,
    .say = say_runs,
};

/* --- Results ------------------------------------------------------------------------------- */

static jot_status results(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    Results list;
    uint64_t from = (uint64_t)arg_number(c, "from", 1), to = (uint64_t)arg_number(c, "to", 0);
    size_t cleared = 0;
    if (to && from > to)
        return err_set(c->e, JOT_INVALID, "%s %llu is after %s %llu",
                       c->shell ? "--from" : "'from'", (unsigned long long)from,
                       c->shell ? "--to" : "'to'", (unsigned long long)to);
    TRY(run_arg_open(c, &r));
    if (arg_given(c, "from") || arg_given(c, "to") || arg_bool(c, "all"))
        TRY(run_results(&r, from, to, c->into, &list, c->e));
    else
        TRY(run_prompt(&r, c->into, &list, c->e));
    results_add(&text, &list);
    out->body = arena_copy(c->into, buf_str(&text));
    out->json = results_json(&list);
    for (size_t i = 0; i < list.n; i++)
        cleared += list.items[i].cleared;
    json_object_set_new(out->json, "run", json_string(r.id));
    json_object_set_new(out->json, "total", json_integer((json_int_t)r.state.results));
    json_object_set_new(out->json, "full", json_integer((json_int_t)(list.n - cleared)));
    json_object_set_new(out->json, "cleared", json_integer((json_int_t)cleared));
    json_object_set_new(out->json, "compacted",
                        json_integer(list.summary.n ? (json_int_t)r.state.compacted : 0));
    return JOT_OK;
}

static const Verb verb_results = {
    .tool = { .name = "run_results",
              .title = "Read results",
              .about = "The results of a run as a prompt shows them, each below its call: the "
                       "summary, cleared ones as a line, the others in full; or, with from or to, "
                       "those in full.",
              .effects = TOOL_READS,
              .params =
                  PARAMS(RUN_PARAM,
                         { "from", PARAM_NUMBER, .about = "number of a result", .optional = true,
                           .min = 1, .help = "from this result on, in full" },
                         { "to", PARAM_NUMBER, .optional = true, .min = 1,
                           .help = "up to this result, in full" },
                         { "all", PARAM_BOOL, .optional = true, .door = DOOR_CLI,
                           .help = "all of them in full, cleared or not" },
                         REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "results",
    .summary = "Print the results as a prompt shows them",
    .help = "Each below its call; those that were cleared as one line, those summed up as their\n"
            "summary.  A line of a result that looks like one of these headings begins with a\n"
            "backslash that is not part of it.\n",
    .fields = (const Param[]){ TEXT("run"),
                               TEXT("summary"),
                               { "results", PARAM_OBJECTS,
                                 .fields = (const Param[]){ NUMBER("n"),
                                                            FLAG("cleared"),
                                                            FLAG("ok"),
                                                            TEXT("tool"),
                                                            { "args", .type = PARAM_ANY },
                                                            TEXT("result"),
                                                            { 0 } } },
                               NUMBER("damaged"),
                               { "total", PARAM_NUMBER, .about = "of the run" },
                               { "full", PARAM_NUMBER, .about = "shown in full" },
                               NUMBER("cleared"),
                               NUMBER("compacted"),
                               { 0 } },
    .says = "{full} of {total} results in full[, {cleared} cleared][, {compacted} summed up]"
            "[, {damaged} cannot be read]",
    .shows = "",
    .run = results,
};

static jot_status final(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    TRY(run_arg_open(c, &r));
    TRY(run_final(&r, &text, c->e));
    out->body = arena_copy(c->into, buf_str(&text));
    out->json = json_pack("{s:s, s:o}", "run", r.id, "text", json_text(out->body));
    return JOT_OK;
}

static const Verb verb_final = {
    .tool = { .name = "run_final",
              .title = "Read what was found",
              .about =
                  "Every result of a run that is not a failure, also cleared ones, to write the "
                  "final answer from.",
              .effects = TOOL_READS,
              .params = PARAMS(RUN_PARAM, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "final",
    .summary = "Print every result that is not a failure, for a final answer",
    .fields = (const Param[]){ TEXT("run"), TEXT("text"), { 0 } },
    .says = "what run {run} found",
    .shows = "",
    .run = final,
};

/* --- Usage, open calls --------------------------------------------------------------------- */

static jot_status usage(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { 0 };
    UsageWarnings w = { 0 };
    TRY(run_arg_open(c, &r));
    UsageLimits limits = run_limits(&r, run_arg_limits(c));
    if (arg_given(c, "tool"))
        w = run_warnings(&r, limits, arg_text(c, "tool"), arg_json_text(c, "args"), c->into);
    out->json = usage_status_json(&r.state.usage, limits);
    json_object_set_new(out->json, "run", json_string(r.id));
    json_object_set_new(out->json, "warnings", warnings_json(&w));
    usage_add_block(&text, &r.state.usage, limits);
    if (w.limit.n)
        buf_addf(&text, "%s" STR_FMT, text.n ? "\n" : "", STR_ARG(w.limit));
    if (w.loop.n)
        buf_addf(&text, "%s" STR_FMT, text.n ? "\n" : "", STR_ARG(w.loop));
    out->body = arena_copy(c->into, buf_str(&text));
    return JOT_OK;
}

static jot_status say_usage(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    AUTO(Run) r = { 0 };
    const json_t *warnings = json_object_get(d->json, "warnings");
    TRY(run_arg_open(c, &r));
    usage_add_block(&text, &r.state.usage, run_limits(&r, run_arg_limits(c)));
    buf_add(&text, text.n ? S("\n") : S("no tool was called yet\n"));
    for (size_t i = 0; i < json_array_size(warnings); i++)
        buf_addf(&text, "warning: " STR_FMT "\n", STR_ARG(json_str(json_array_get(warnings, i))));
    reply_set(c, &text, out);
    return JOT_OK;
}

static const Verb verb_usage = {
    .tool = { .name = "run_usage",
              .title = "Count calls",
              .about = "How often each tool was called in a run; with tool and args, what there is "
                       "to say about such a call before you make it.",
              .effects = TOOL_READS,
              .params =
                  PARAMS(RUN_PARAM,
                         { "tool", PARAM_TEXT, .optional = true, .max = RUN_TOOL_MAX,
                           .word = "NAME", .help = "warn of this call, which is about to be made" },
                         { "args", PARAM_OBJECT, .optional = true, .help = "its arguments" },
                         { "limit", PARAM_NUMBER, .optional = true, .min = 1,
                           .help = "calls of one tool before a warning; else the run's own, or 3" },
                         { "similarity", PARAM_NUMBER, .optional = true, .min = 1, .max = 100,
                           .word = "PERCENT",
                           .help = "of their words similar queries share; else the run's own, or "
                                   "70" }),
              .run = verb_answer },
    .verb = "usage",
    .summary = "Print how often each tool was called, and warnings",
    .help = "A warning is never a refusal.\n",
    .fields =
        (const Param[]){
            TEXT("run"),
            NUMBER("limit"),
            NUMBER("similarity"),
            { "tools", PARAM_OBJECTS,
              .fields =
                  (const Param[]){
                      TEXT("name"), NUMBER("calls"), NUMBER("errors"), NUMBER("left"), { 0 } } },
            { "warnings", .type = PARAM_TEXTS },
            { 0 } },
    .shows = "",
    .run = usage,
    .say = say_usage,
};

static jot_status unfinished(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    UnfinishedList open;
    TRY(run_arg_open(c, &r));
    TRY(run_unfinished(&r, c->into, &open, c->e));
    out->json = json_pack("{s:s, s:o}", "run", r.id, "open", unfinished_json(&open));
    return JOT_OK;
}

static const Verb verb_unfinished = {
    .tool = { .name = "run_unfinished",
              .title = "Calls without a result",
              .about = "The calls of a run that were begun and have no result: decide about them "
                       "before you continue it.",
              .effects = TOOL_READS,
              .params = PARAMS(RUN_PARAM),
              .run = verb_answer },
    .verb = "unfinished",
    .was = "open",
    .summary = "Print the calls that were issued and not completed",
    .help =
        "What a process that takes over has to decide about: a call marked 'mutating' may have\n"
        "happened, so look before you repeat it.\n",
    .fields =
        (const Param[]){ TEXT("run"), { "open", PARAM_OBJECTS, .fields = open_fields }, { 0 } },
    .items = "open",
    .none = "(none)",
    .unit = "call",
    .run = unfinished,
};

static const Verb *const verbs[] = {
    &verb_run_begin, &verb_run_say, &verb_run_call,   &verb_run_result,   &verb_run_finish,
    &verb_results,   &verb_usage,   &verb_run_clear,  &verb_run_compact,  &verb_final,
    &verb_read,      &verb_list,    &verb_unfinished, &verb_run_timeline, NULL,
};

const Noun noun_run = {
    .name = "runs",
    .called = "run",
    .was = "log",
    .summary = "List the runs, newest first; read and record what happens in one",
    .help = "id, time of the newest record, records, who, query.\n",
    .alone = &verb_list,
    .verbs = verbs,
    .profile = TOOLS_RUNS,
};
