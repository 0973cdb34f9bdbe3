/* next.c - making that request, and saying what comes before it. */
#include "agent/next.h"

#include <stdlib.h>

#include "agent/budget.h"
#include "agent/loop_internal.h"
#include "agent/messages.h"
#include "base/url.h"
#include "tool/run.h"

/* --- What comes before it --------------------------------------------------------------------- */

typedef struct Before {
    const char *next; /* one word of NEXT_WORDS */
    Str says;         /* a sentence; empty: nothing comes before it */
} Before;

#define NEXT_WORDS "request, calls, notice, smaller, ended or answered"

/* The steps of the loop (loop.c) in the same order: the first that applies is what it would do. */
static Before before_of(const Transcript *t, const Budget *b, Arena *into)
{
    const Turn *turn = transcript_last(t);
    size_t calls = 0; /* without a result */
    for (size_t i = 0; turn && i < turn->calls_n; i++)
        calls += !turn->calls[i].n;
    if (t->answered)
        return (Before){ "answered",
                         S("it is answered: this goes before what you say to it next") };
    if (calls)
        return (Before){ "calls",
                         arena_printf(into, "%zu call%s no result yet, and come%s first", calls,
                                      calls == 1 ? " has" : "s have", calls == 1 ? "s" : "") };
    if (t->end.n)
        return (Before){ "ended", arena_printf(into,
                                               "it ended (" STR_FMT "): this is sent when it is "
                                               "resumed",
                                               STR_ARG(t->end)) };
    if (b->state == BUDGET_RED)
        return (Before){ "smaller",
                         S("the context is red: it is made smaller first, so what is sent "
                           "is shorter") };
    if (turn && !turn->notice.n && turn->kind != TURN_CALLS && turn->kind != TURN_PAUSED &&
        turn->kind != TURN_REDACTED)
        return (Before){ "notice", S("first its newest reply is judged: as the answer, or with a "
                                     "notice to the model") };
    return (Before){ "request", S("") };
}

/* --- How it is written ------------------------------------------------------------------------ */

typedef struct Way {
    const char *name, *scheme, *query; /* of an address */
} Way;

static const Way ways[] = {
    { "anthropic", "anthropic", "" },
    { "openai", "openai", "" },
    { "responses", "openai", "?api=responses" },
};
static const char *const way_names[] = { "anthropic", "openai", "responses", NULL };

static const Way *way_of(Str name, Str model)
{
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (str_eq(str(ways[i].name), name))
            return &ways[i];
    return str_starts(model, S("claude")) ? &ways[0] : &ways[1];
}

/* The address in the environment, if it is that of the run's model. */
static bool open_named(Str model, Llm **out)
{
    const char *address = getenv("JOTTER_MODEL");
    if (!address || !*address ||
        llm_open(str(address), &(LlmOptions){ .silent = true }, out, &(Err){ 0 }) != JOT_OK)
        return false;
    if (str_eq(llm_model(*out), model))
        return true;
    llm_close(*out);
    *out = NULL;
    return false;
}

/* *way stays NULL where the address is known. */
static jot_status open_model(ToolCall *c, Str model, Llm **out, const Way **way)
{
    Str asked = arg_text(c, "way");
    if (!asked.n && open_named(model, out))
        return JOT_OK;
    *way = way_of(asked, model);
    Str address = url_from_path(c->into, (*way)->scheme, model);
    return llm_open(arena_printf(c->into, STR_FMT "%s", STR_ARG(address), (*way)->query),
                    &(LlmOptions){ .silent = true }, out, c->e);
}

static jot_status write_request(ToolCall *c, const Transcript *t, VerbData *out)
{
    AUTO(Buf) text = { .max = LLM_REQUEST_MAX };
    AUTO_PTR(Llm) llm = NULL;
    const Way *way = NULL;
    LlmRequest request = request_of(t, c->into);
    TRY(open_model(c, t->setup.model, &llm, &way));
    TRY(llm_request_text(llm, &request, &text, c->e));
    out->body = arena_copy(c->into, buf_str(&text));
    json_object_set_new(out->json, "way", json_string(way ? way->name : "JOTTER_MODEL"));
    json_object_set_new(out->json, "bytes", json_integer((json_int_t)out->body.n));
    json_object_set_new(out->json, "messages", json_integer((json_int_t)request.n_messages));
    json_object_set_new(out->json, "tools", json_integer((json_int_t)request.n_tools));
    return JOT_OK;
}

/* --- The verb --------------------------------------------------------------------------------- */

static jot_status check(const Run *r, const Transcript *t, Err *e)
{
    TRY(loop_check_setup(&(Loop){ 0 }, r, t, e));
    if (!t->set_up)
        return err_set(e, JOT_INVALID,
                       "run '%s' has no setup yet: its process asked the model nothing", r->id);
    return JOT_OK;
}

static jot_status next(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Transcript) t = { 0 };
    TokenFactor known;
    TRY(run_arg_open(c, &r));
    TRY(transcript_refresh(&t, &r, c->e));
    TRY(check(&r, &t, c->e));
    t.factor = FACTOR_ONE;
    if (factor_read(c->m, t.setup.model, &known, &(Err){ 0 }) == JOT_OK)
        t.factor = factor_of(&known);
    Budget b = budget_measure(&t);
    Before before = before_of(&t, &b, c->into);
    out->json =
        json_pack("{s:s, s:o, s:s, s:o, s:o}", "run", r.id, "model", json_text(t.setup.model),
                  "next", before.next, "says", json_text(before.says), "budget", budget_json(&b));
    return write_request(c, &t, out);
}

/* clang-format off */
#define TEXT(word, words) { word, PARAM_TEXT, .about = words }
#define NUMBER(word) { word, .type = PARAM_NUMBER }
const Verb verb_run_next = {
    .tool = { .name = "run_next", .title = "What is asked next",
              .about = "The request that a run would send to its model next, without keys.",
              .effects = TOOL_READS,
              .params = PARAMS(RUN_PARAM,
                  { "way", PARAM_CHOICE, .about = "how it is written", .optional = true,
                    .choices = way_names }),
              .run = verb_answer },
    .verb = "next",
    .summary = "Show the request that a run would send to its model next",
    .fields = PARAMS(TEXT("run", "its id"), TEXT("model", "its name"),
                     TEXT("next", NEXT_WORDS),
                     TEXT("says", "what comes before the request; empty: nothing"),
                     { "budget", PARAM_OBJECT, .about = "of the context" },
                     TEXT("way", "JOTTER_MODEL: exactly as its address says; else a vendor's, "
                                 "without the settings of an address"),
                     NUMBER("bytes"), NUMBER("messages"), NUMBER("tools")),
    .apart = true,
    .run = next,
};
/* clang-format on */
