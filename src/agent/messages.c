/* messages.c - turning turns into messages.
 *
 *     transcript                    messages
 *     query, summary                user       the question, then the summary
 *     turn 1: parts                 assistant  its parts, as they came
 *             results, notice       user       results, then the notice
 *     turn 2: parts                 assistant
 *     ...
 *
 * Nothing but the transcript is asked, so the same one always gives the same messages.
 * That includes every sentence here: a run that is resumed by a newer version must send
 * the bytes the older one sent (prefixes are cached by them).  Do not reword them.
 *
 * Where a provider has a place for a result, that is its frame, and the text is exact.  What we
 * say inside of it, and around a summary, carries the run's sign; a run that was begun without one
 * has these lines as they were. */
#include "agent/messages.h"

#include <assert.h>

#include "base/utf8.h"
#include "memory/artifact/artifact.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "memory/run/results.h"
#include "tool/tool.h"

/* --- Pointers ---------------------------------------------------------------------------- */

/* The call that reads a result again.  What the pad's own tools answered is in the pad, and nowhere
 * else: the same call reads it. */
static Str reads_again(const Frame *f, const TurnCall *c, Arena *into)
{
    if (!tool_find(TOOLS_ALL, c->call.tool))
        return arena_printf(into,
                            "scratchpad_read(key=artifacts/" ARTIFACT_TOOL_RESULTS "/" STR_FMT ")",
                            STR_ARG(c->call.id));
    AUTO(Buf) call = { 0 };
    frame_call_add_text(&call, f, c->call.tool, c->call.args);
    return arena_copy(into, buf_str(&call));
}

/* The line that stands for a result; empty: it is shown. */
static Str elided(const Transcript *t, const TurnCall *c, Arena *into)
{
    /* A failure was not kept elsewhere: it stays.  So does what is shorter than its pointer, and
     * what a tool of the pad answered that would do it again if it were called again. */
    if (!c->ok || c->n > t->cleared || (c->mutating && tool_find(TOOLS_ALL, c->call.tool)))
        return (Str){ 0 };
    const char *sign = t->frame.sign;
    Str again = reads_again(&t->frame, c, into);
    Str pointer =
        arena_printf(into, "[tool_result%s%s elided; about %zu tokens; read it again: " STR_FMT "]",
                     sign[0] ? " " : "", sign, tokens_estimate(c->result), STR_ARG(again));
    return tokens_estimate(pointer) < tokens_estimate(c->result) ? pointer : (Str){ 0 };
}

/* --- A result ---------------------------------------------------------------------------- */

/* The beginning of a result of which only so much is shown; all of it if there is no more. */
static Str shown_part(const TurnCall *c)
{
    size_t end = 0;
    for (uint64_t i = 0; i < c->most && end < c->result.n; i++)
        utf8_next(c->result, &end);
    return c->most ? str_slice(c->result, 0, end) : c->result;
}

/* What is said below a result of which a part is left out: where the rest is. */
static void add_rest(Buf *to, const Transcript *t, const TurnCall *c, Arena *into)
{
    Str shown = shown_part(c);
    const Frame *f = &t->frame;
    if (shown.n == c->result.n)
        return;
    buf_addf(to, "\n[tool_result%s%s cut: %zu of %zu bytes are shown", f->sign[0] ? " " : "",
             f->sign, shown.n, c->result.n);
    /* A failure was not kept elsewhere; of a preview the handle leads to the whole, from its
     * beginning. */
    bool pad = tool_find(TOOLS_ALL, c->call.tool) != NULL;
    bool preview = str_starts(c->result, S("[Result persisted as "));
    if (c->ok && (pad || preview))
        buf_addf(to, "; read it again: " STR_FMT, STR_ARG(reads_again(f, c, into)));
    else if (c->ok)
        buf_addf(to,
                 "; read on: scratchpad_read key=artifacts/" ARTIFACT_TOOL_RESULTS "/" STR_FMT
                 " from_char=%zu",
                 STR_ARG(c->call.id), utf8_count(shown) + 1);
    buf_add_char(to, ']');
}

static void add_warning(Buf *to, const Frame *f, Str warning)
{
    if (warning.n)
        buf_addf(to, "\n\n[warning%s%s] " STR_FMT, f->sign[0] ? " " : "", f->sign,
                 STR_ARG(warning));
}

/* A result as the model is shown it: whole, its beginning, or a pointer to it. */
static Str shown_result(const Transcript *t, const TurnCall *c, Arena *into)
{
    assert(c->n > 0);
    Str pointer = elided(t, c, into);
    if (pointer.n || (!c->warning.n && !c->most))
        return pointer.n ? pointer : c->result;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    buf_add(&text, shown_part(c));
    add_rest(&text, t, c, into);
    add_warning(&text, &t->frame, c->warning);
    return arena_copy(into, buf_str(&text));
}

/* The same in words, below its call. */
static Str result_in_words(const Transcript *t, const TurnCall *c, Arena *into)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    Result item = { .n = c->n, .ok = c->ok, .tool = c->call.tool, .args = c->call.args };
    if (!t->frame.sign[0]) {
        item.result = shown_result(t, c, into);
        results_add_item(&text, &t->frame, &item);
        return arena_copy(into, buf_str(&text));
    }
    Str pointer = elided(t, c, into);
    if (!pointer.n)
        item.result = shown_part(c);
    frame_part_add(&text, &t->frame, "results", (Str){ 0 });
    results_add_item(&text, &t->frame, &item);
    buf_add(&text, pointer);
    if (!pointer.n) {
        add_rest(&text, t, c, into);
        add_warning(&text, &t->frame, c->warning);
    }
    return arena_copy(into, buf_str(&text));
}

/* --- Messages ---------------------------------------------------------------------------- */

static Str first_text(const Transcript *t, Arena *into)
{
    if (!t->summary.n)
        return t->query;
    if (!t->frame.sign[0])
        return arena_printf(into,
                            STR_FMT "\n\n[session summary: %llu turn%s replaced]\n" STR_FMT
                                    "\n[end of the summary: go on from here]",
                            STR_ARG(t->query), (unsigned long long)t->summed,
                            t->summed == 1 ? "" : "s", STR_ARG(t->summary));
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    AUTO(Buf) says = { 0 };
    buf_addf(&says, " turns=\"%llu\"", (unsigned long long)t->summed);
    buf_addf(&text, STR_FMT "\n\n", STR_ARG(t->query));
    frame_value_add(&text, &t->frame, "summary", buf_str(&says), t->summary);
    frame_end_add(&text, &t->frame);
    buf_add(&text, S("The summary stands for the turns before; go on from here."));
    return arena_copy(into, buf_str(&text));
}

/* What the model was answered: results first, then words.  False: nothing. */
static bool add_answer(const Transcript *t, const Turn *turn, Arena *into, LlmMessage *out)
{
    LlmPart *parts = NEW_ARRAY(into, LlmPart, turn->calls_n + turn->files_n + 1);
    size_t n = 0;
    /* A result goes where a provider expects one only beside the call it answers.  In the JSON
     * protocol there is none, and of a redacted reply it is gone. */
    bool in_words = t->setup.json || turn->kind == TURN_REDACTED;
    for (size_t i = 0; i < turn->calls_n; i++) {
        const TurnCall *c = &turn->calls[i];
        if (c->n && in_words)
            parts[n++] = (LlmPart){ .kind = LLM_TEXT, .text = result_in_words(t, c, into) };
        else if (c->n)
            parts[n++] = (LlmPart){ .kind = LLM_RESULT,
                                    .id = c->part,
                                    .text = shown_result(t, c, into),
                                    .is_error = !c->ok };
    }
    for (size_t i = 0; i < turn->files_n; i++)
        parts[n++] = turn->files[i];
    if (turn->notice.n)
        parts[n++] = (LlmPart){ .kind = LLM_TEXT, .text = turn->notice };
    if (n == 0 && turn->kind == TURN_REDACTED) /* else the model would continue its own words */
        parts[n++] =
            (LlmPart){ .kind = LLM_TEXT, .text = S("[your last reply was redacted: go on]") };
    assert(n <= turn->calls_n + turn->files_n + 1);
    *out = (LlmMessage){ .role = LLM_USER, .parts = parts, .n = n };
    return n > 0;
}

MessageList messages_of(const Transcript *t, Arena *into)
{
    MessageList list = { .items = NEW_ARRAY(into, LlmMessage, 2 * t->turns_n + 1) };
    LlmPart *first = NEW_ARRAY(into, LlmPart, t->files_n + 1);
    for (size_t i = 0; i < t->files_n; i++) /* in front of the question, as vendors advise */
        first[i] = t->files[i];
    first[t->files_n] = (LlmPart){ .kind = LLM_TEXT, .text = first_text(t, into) };
    list.items[list.n++] = (LlmMessage){ .role = LLM_USER, .parts = first, .n = t->files_n + 1 };
    for (size_t i = 0; i < t->turns_n; i++) {
        const Turn *turn = &t->turns[i];
        /* The model's own words go back as they came; what a provider refuses is repaired where
         * they are sent (llm/history.h). */
        list.items[list.n++] =
            (LlmMessage){ .role = LLM_ASSISTANT, .parts = turn->parts, .n = turn->parts_n };
        list.n += add_answer(t, turn, into, &list.items[list.n]);
    }
    assert(list.n <= 2 * t->turns_n + 1);
    return list;
}

LlmRequest request_of(const Transcript *t, Arena *into)
{
    const Setup *s = &t->setup;
    MessageList list = messages_of(t, into);
    assert(list.n > 0 && list.items[0].role == LLM_USER);
    /* A model that must call a tool in every reply could never answer. */
    bool chosen = t->replies == 0 || str_eq(s->tool_choice, S(LLM_CHOICE_NONE));
    return (LlmRequest){ .system = s->system,
                         .tools = s->tools,
                         .n_tools = s->json ? 0 : s->tools_n,
                         .messages = list.items,
                         .n_messages = list.n,
                         .tool_choice = chosen ? s->tool_choice : (Str){ 0 },
                         .max_tokens = s->max_tokens };
}
