/* run_timeline.c - the noun `runs`: a run as it went, for who draws it.
 *
 * Of each step what a line of a chart needs: when, how long, how many tokens, the beginning of its
 * text.  The replies of a model carry what its provider counted and how full the context was
 * (agent/budget.h); from those the context over the run can be drawn.  For programs and the page;
 * people and agents have `read`. */
#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame/tokens.h"
#include "memory/run/run_newest.h"
#include "tool/run.h"

enum {
    PREVIEW = 200,
    STEPS_SHOWN = 1000,
    STEPS_MAX = 10 * 1000,
    TOKENS_READ = 64 * 1024,       /* bytes of a text whose tokens are estimated as a whole */
    CALLS_KEPT = RUN_OPEN_MAX * 4, /* newest calls whose time is known */
};

typedef struct Called {
    uint64_t seq;
    int64_t at_ms;
} Called;

typedef struct Walk {
    json_t *steps;
    size_t left;
    uint64_t next;
    uint64_t turn;
    int64_t before_ms; /* of the step before; 0: there was none */
    Called calls[CALLS_KEPT];
    size_t calls_n;
} Walk;

static int64_t called_at(const Walk *w, uint64_t seq)
{
    for (size_t i = 0; i < w->calls_n && i < CALLS_KEPT; i++)
        if (w->calls[i].seq == seq)
            return w->calls[i].at_ms;
    return 0;
}

/* From the call to its result; of anything else since the step before. */
static int64_t duration(Walk *w, const RunStep *x)
{
    int64_t from = x->kind == RUN_RESULT ? called_at(w, x->of) : 0;
    if (!from)
        from = w->before_ms ? w->before_ms : x->at_ms;
    if (x->kind == RUN_CALL)
        w->calls[w->calls_n++ % CALLS_KEPT] = (Called){ x->seq, x->at_ms };
    w->before_ms = x->at_ms;
    return x->at_ms > from ? x->at_ms - from : 0;
}

static uint64_t tokens_of(Str body)
{
    if (body.n <= TOKENS_READ)
        return tokens_estimate(body);
    return tokens_estimate(str_slice(body, 0, TOKENS_READ)) * (body.n / TOKENS_READ);
}

/* What the provider counted, and how full the context was; of the words only the beginning. */
static void add_reply(json_t *step, const RunStep *x)
{
    static const char *const names[] = { "usage", "budget", "stop", "model" };
    AUTO_PTR(json_t) reply = NULL;
    if (x->redacted || json_read(x->body, &reply, &(Err){ 0 }) != JOT_OK)
        return;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (json_object_get(reply, names[i]))
            json_object_set(step, names[i], json_object_get(reply, names[i]));
    AUTO(Buf) words = { 0 };
    const json_t *parts = json_object_get(reply, "parts");
    for (size_t i = 0; i < json_array_size(parts) && words.n < PREVIEW; i++)
        buf_add(&words, json_member(json_array_get(parts, i), "text"));
    Str text = buf_str(&words);
    json_object_set_new(step, "text", json_text(str_slice(text, 0, utf8_floor(text, PREVIEW))));
}

static jot_status add_step(void *ctx, const RunStep *x)
{
    Walk *w = ctx;
    RunStep shown = *x;
    w->turn += x->kind == RUN_REPLY;
    if (x->kind == RUN_FOLD)
        return JOT_OK;
    if (w->left-- == 0) {
        w->next = x->seq;
        return JOT_CANCELLED;
    }
    shown.body = utf8_valid(x->body) ? str_slice(x->body, 0, utf8_floor(x->body, PREVIEW)) : S("");
    json_t *step = run_step_json(&shown);
    json_object_set_new(step, "bytes", json_integer((json_int_t)x->body.n));
    json_object_set_new(step, "tokens", json_integer((json_int_t)tokens_of(x->body)));
    json_object_set_new(step, "ms", json_integer((json_int_t)duration(w, x)));
    if (x->kind == RUN_COMPACT && x->tokens)
        json_object_set_new(step, "cost", json_integer((json_int_t)x->tokens));
    if (x->kind == RUN_REPLY) {
        json_object_set_new(step, "turn", json_integer((json_int_t)w->turn));
        add_reply(step, x);
    }
    json_array_append_new(w->steps, step);
    return JOT_OK;
}

static jot_status timeline(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    uint64_t damaged = 0, from = (uint64_t)arg_number(c, "from_record", 1);
    Str query;
    Walk *w = NEW(c->into, Walk);
    *w = (Walk){ .left = (size_t)arg_number(c, "limit", STEPS_SHOWN) };
    TRY(run_arg_open(c, &r));
    TRY(run_query(c->m, str(r.id), c->into, &query, c->e));
    TRY(run_turns_before(&r, from, &w->turn, c->e));
    w->steps = json_array();
    out->json = json_pack("{s:s, s:o, s:I, s:o}", "run", r.id, "query", json_text(query), "records",
                          (json_int_t)r.state.seq, "steps", w->steps);
    jot_status st = run_each(&r, from, add_step, w, &damaged, c->e);
    if (st != JOT_CANCELLED || !w->next)
        TRY(st);
    json_object_set_new(out->json, "next", json_integer((json_int_t)w->next));
    json_object_set_new(out->json, "damaged", json_integer((json_int_t)damaged));
    return JOT_OK;
}

/* clang-format off */
#define TEXT(word) { word, .type = PARAM_TEXT }
#define NUMBER(word) { word, .type = PARAM_NUMBER }
static const Param step_fields[] = {
    NUMBER("seq"), TEXT("kind"), { "at", PARAM_TEXT, .about = "time" }, TEXT("by"), TEXT("call"),
    TEXT("tool"), { "ok", .type = PARAM_BOOL }, NUMBER("of"), NUMBER("n"), TEXT("word"),
    { "ms", PARAM_NUMBER, .about = "since its call, or since the step before" },
    { "tokens", PARAM_NUMBER, .about = "of its text, estimated" },
    { "cost", PARAM_NUMBER, .about = "tokens that making a summary took" },
    NUMBER("bytes"), NUMBER("turn"), { "text", PARAM_TEXT, .about = "its beginning" },
    { "usage", PARAM_OBJECT, .about = "tokens, as the provider counted" },
    { "budget", PARAM_OBJECT, .about = "of the context: window, headroom, system, tools, history, "
                                       "retrieved, used, state" },
    TEXT("stop"), TEXT("model"), { 0 } };

const Verb verb_run_timeline = {
    .tool = { .name = "run_timeline", .title = "A run as it went",
              .about = "The steps of a run with their durations and tokens.",
              .effects = TOOL_READS,
              .params = PARAMS(RUN_PARAM,
                  { "from_record", PARAM_NUMBER, .optional = true, .min = 1 },
                  { "limit", PARAM_NUMBER, .about = "steps", .optional = true, .min = 1,
                    .max = STEPS_MAX }),
              .run = verb_answer },
    .verb = "timeline",
    .summary = "List the steps of a run with their durations and tokens",
    .fields = PARAMS(TEXT("run"), TEXT("query"),
                     { "records", PARAM_NUMBER, .about = "that the run has" },
                     { "steps", PARAM_OBJECTS, .fields = step_fields },
                     { "next", PARAM_NUMBER, .about = "record to continue from; 0: that was all" },
                     { "damaged", PARAM_NUMBER, .about = "records that cannot be read" }),
    .items = "steps", .unit = "step",
    .apart = true,
    .run = timeline,
};
/* clang-format on */
