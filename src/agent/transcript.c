/* transcript.c - folding the records of a run into turns.
 *
 * A reply begins a turn; what follows until the next reply belongs to it:
 *
 *     records                             turns
 *     1 init      the question            query
 *     2 setup     rules, tools            setup
 *     3 reply     parts, two calls        turn 1: calls r1c1, r1c2
 *     4 tool_call    r1c1                         r1c1 issued
 *     5 tool_result  r1c1                         r1c1 has result 1
 *     6 tool_call    r1c2                         r1c2 issued
 *     7 tool_result  r1c2                         r1c2 has result 2
 *     8 notice    rules of src/                   notice
 *     9 reply     text                    turn 2: final
 *
 * Later records change what is shown of earlier ones, never the records themselves:
 * `clear` raises the number up to which results are a pointer, `compact` takes whole
 * turns away from the front and leaves a summary, `notice short` bounds the results of
 * the newest turn.
 *
 * The fold is a function of the records alone, so the same records always give the
 * same turns.  What it cannot understand (a newer version's record, a damaged one) it
 * passes over; a result whose call is not in the newest turn belongs to the summary.
 * Neither is an error. */
#include "agent/transcript.h"

#include <assert.h>
#include <string.h>

#include "agent/budget.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "memory/cycle/action.h"

/* --- Members ----------------------------------------------------------------------------- */

static json_t *text_json(Str text)
{
    AUTO(Arena) arena = { 0 };
    Str good = utf8_mended(text, &arena);
    return json_stringn(good.n ? good.p : "", good.n);
}

static Str copy_member(const json_t *object, const char *name, Arena *into)
{
    return arena_copy(into, json_member(object, name));
}

static uint64_t number_member(const json_t *object, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(object, name));
    return n > 0 ? (uint64_t)n : 0;
}

/* --- Setup ------------------------------------------------------------------------------- */

void setup_write(const Setup *s, Buf *to)
{
    AUTO_PTR(json_t) out = json_object();
    json_t *tools = json_array();
    for (size_t i = 0; i < s->tools_n; i++)
        json_array_append_new(tools,
                              json_pack("{s:o, s:o, s:o}", "name", text_json(s->tools[i].name),
                                        "about", text_json(s->tools[i].about), "schema",
                                        text_json(s->tools[i].schema)));
    json_object_set_new(out, "model", text_json(s->model));
    json_object_set_new(out, "protocol", json_string(s->json ? "json" : "native"));
    json_object_set_new(out, "window", json_integer((json_int_t)s->window));
    json_object_set_new(out, "headroom", json_integer((json_int_t)s->headroom));
    json_object_set_new(out, "max_tokens", json_integer(s->max_tokens));
    if (s->raised)
        json_object_set_new(out, "raised", json_true());
    if (s->tool_choice.n)
        json_object_set_new(out, "tool_choice", text_json(s->tool_choice));
    json_object_set_new(out, "system", text_json(s->system));
    json_object_set_new(out, "tools", tools);
    json_write(to, out);
}

/* --- Replies ----------------------------------------------------------------------------- */

static json_t *part_json(const LlmPart *p)
{
    switch (p->kind) {
    case LLM_TEXT:
        return json_pack("{s:o}", "text", text_json(p->text));
    case LLM_RAW:
        return json_pack("{s:o}", "raw", text_json(p->text));
    case LLM_CALL:
    case LLM_RESULT:
    case LLM_FILE:
        break;
    }
    assert(p->kind == LLM_CALL); /* results and files are what a model is given */
    json_t *out = json_pack("{s:o, s:o, s:o}", "call", text_json(p->id), "name", text_json(p->name),
                            "args", text_json(p->args));
    if (p->broken)
        json_object_set_new(out, "broken", json_true());
    return out;
}

void reply_write(const LlmReply *r, Str budget, Buf *to)
{
    AUTO_PTR(json_t) out = json_object();
    json_t *parts = json_array(), *snapshot = NULL;
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(parts, part_json(&r->parts[i]));
    json_object_set_new(out, "stop", json_string(llm_stop_name(r->stop)));
    if (r->why.n)
        json_object_set_new(out, "why", text_json(r->why));
    if (r->model.n)
        json_object_set_new(out, "model", text_json(r->model));
    json_object_set_new(out, "usage",
                        json_pack("{s:I, s:I, s:I, s:I}", "input", (json_int_t)r->usage.input,
                                  "cache_read", (json_int_t)r->usage.cache_read, "cache_write",
                                  (json_int_t)r->usage.cache_write, "output",
                                  (json_int_t)r->usage.output));
    if (budget.n && json_read(budget, &snapshot, NULL) == JOT_OK)
        json_object_set_new(out, "budget", snapshot);
    json_object_set_new(out, "parts", parts);
    json_write(to, out);
}

static LlmPart part_read(const json_t *part, Arena *into)
{
    if (json_object_get(part, "text"))
        return (LlmPart){ .kind = LLM_TEXT, .text = copy_member(part, "text", into) };
    if (json_object_get(part, "raw"))
        return (LlmPart){ .kind = LLM_RAW, .text = copy_member(part, "raw", into) };
    return (LlmPart){ .kind = LLM_CALL,
                      .id = copy_member(part, "call", into),
                      .name = copy_member(part, "name", into),
                      .args = copy_member(part, "args", into),
                      .broken = json_is_true(json_object_get(part, "broken")) };
}

/* --- Understanding a reply --------------------------------------------------------------- */

static void add_call(Transcript *t, Turn *turn, TurnCall call)
{
    call.call.id = arena_printf(&t->arena, STR_FMT ".r%lluc%zu", STR_ARG(turn->run),
                                (unsigned long long)t->replies, turn->calls_n + 1);
    assert(turn->calls_n <= turn->parts_n); /* there is room for one a part, and one */
    turn->calls[turn->calls_n++] = call;
}

/* Native tool calls. */
static void read_parts(Transcript *t, Turn *turn)
{
    turn->calls = NEW_ARRAY(&t->arena, TurnCall, turn->parts_n + 1);
    for (size_t i = 0; i < turn->parts_n; i++) {
        const LlmPart *p = &turn->parts[i];
        if (p->kind == LLM_CALL)
            add_call(t, turn,
                     (TurnCall){ .call = { .tool = p->name, .args = p->args },
                                 .part = p->id,
                                 .broken = p->broken });
    }
    turn->kind = turn->calls_n ? TURN_CALLS : TURN_FINAL;
    if (!turn->calls_n && str_trim(turn->text).n == 0) {
        turn->kind = TURN_UNREADABLE;
        turn->why = S("the reply was empty");
    }
}

/* The summary of {"tool": "done", "args": {"summary": ...}}. */
static Str done_summary(Str args, Arena *into)
{
    json_t *read = NULL;
    if (json_read(args, &read, NULL) != JOT_OK)
        return S("Task complete.");
    AUTO_PTR(json_t) value = read;
    Str summary = json_member(value, "summary");
    if (!summary.n)
        summary = json_member(value, "answer");
    return summary.n ? arena_copy(into, summary) : S("Task complete.");
}

/* The JSON protocol: one action, in the text. */
static void read_action(Transcript *t, Turn *turn)
{
    Action x = action_parse(turn->text, &t->arena);
    turn->calls = NEW_ARRAY(&t->arena, TurnCall, turn->parts_n + 1);
    if (x.kind == ACTION_UNREADABLE) {
        turn->kind = TURN_UNREADABLE;
        turn->why = x.why;
    } else if (x.kind == ACTION_DONE) {
        turn->kind = TURN_FINAL;
        turn->text = done_summary(x.args, &t->arena);
    } else {
        turn->kind = TURN_CALLS;
        Str tool = x.kind == ACTION_UPDATE ? S("update_scratchpad") : x.tool;
        add_call(t, turn, (TurnCall){ .call = { .tool = tool, .args = x.args } });
    }
}

static bool has_nothing(const Turn *turn)
{
    for (size_t i = 0; i < turn->parts_n; i++) {
        const LlmPart *p = &turn->parts[i];
        if ((p->kind == LLM_TEXT && str_trim(p->text).n) || (p->kind == LLM_CALL && !p->broken))
            return false;
    }
    return true;
}

static bool stopped_by(Str stop, LlmStop what)
{
    return str_eq(stop, str(llm_stop_name(what)));
}

static void understand(Transcript *t, Turn *turn, Str stop, Str why)
{
    AUTO(Buf) text = { 0 };
    for (size_t i = 0; i < turn->parts_n; i++) {
        if (turn->parts[i].kind != LLM_TEXT || !turn->parts[i].text.n)
            continue;
        if (text.n)
            buf_add_char(&text, '\n');
        buf_add(&text, turn->parts[i].text);
    }
    turn->text = arena_copy(&t->arena, buf_str(&text));
    if (t->setup.json)
        read_action(t, turn);
    else
        read_parts(t, turn);
    assert((turn->kind == TURN_CALLS) == (turn->calls_n > 0));
    /* What it says is one thing, how it ended another: that may change what it is. */
    turn->at_limit = stopped_by(stop, LLM_STOP_MAX_TOKENS);
    turn->full = stopped_by(stop, LLM_STOP_WINDOW);
    turn->empty = has_nothing(turn);
    bool cut = turn->at_limit || turn->full;
    if (stopped_by(stop, LLM_STOP_REFUSAL)) {
        turn->kind = TURN_REFUSED;
        turn->why = why.n ? arena_copy(&t->arena, why) : turn->text;
    } else if (turn->calls_n == 0 && stopped_by(stop, LLM_STOP_PAUSE)) {
        turn->kind = TURN_PAUSED;
    } else if (cut &&
               (t->setup.json || turn->kind == TURN_FINAL || turn->kind == TURN_UNREADABLE)) {
        /* In words nobody can tell a whole call from the beginning of another.  Native calls are
         * marked one by one where they are broken (llm/draft.c), so those that came whole count. */
        turn->kind = TURN_CUT;
        turn->calls_n = 0;
    }
}

/* --- Taking in --------------------------------------------------------------------------- */

static Turn *new_turn(Transcript *t, const RunStep *s)
{
    assert(s->kind == RUN_REPLY);
    assert(t->turns_n == 0 || t->turns[t->turns_n - 1].last < s->seq);
    t->turns =
        arena_grow(&t->arena, t->turns, t->turns_n, &t->turns_cap, sizeof(Turn), alignof(Turn));
    Turn *turn = &t->turns[t->turns_n++];
    *turn = (Turn){ .seq = s->seq, .last = s->seq, .run = t->run };
    if (s->origin.n)
        turn->run = arena_copy(&t->arena, s->origin);
    return turn;
}

/* What the request was estimated at; a record that does not say so was not made by a loop. */
static uint64_t estimated(const Transcript *t, const json_t *budget)
{
    if (!json_is_object(budget)) {
        Budget now = budget_measure(t);
        return budget_estimate(&now);
    }
    return number_member(budget, "system") + number_member(budget, "tools") +
           number_member(budget, "history") + number_member(budget, "retrieved");
}

static void take_reply(Transcript *t, const RunStep *s)
{
    json_t *read = NULL;
    t->replies++; /* also one that was redacted: names of calls are never given twice */
    if (s->redacted) {
        /* A turn that says so; its calls follow, by their own records (add_issued). */
        Turn *turn = new_turn(t, s);
        turn->kind = TURN_REDACTED;
        turn->parts = NEW(&t->arena, LlmPart);
        turn->parts[turn->parts_n++] = (LlmPart){ .kind = LLM_TEXT, .text = S(FORGET_MARK) };
        t->since += s->seq > t->inherited;
        t->fresh = false;
        t->reported = t->unread = 0;
    }
    if (s->redacted || json_read(s->body, &read, NULL) != JOT_OK)
        return;
    AUTO_PTR(json_t) value = read;
    const json_t *parts = json_object_get(value, "parts");
    /* Before the reply itself is taken in. Where a provider does not count, what was spent is
     * estimated. */
    const json_t *usage = json_object_get(value, "usage");
    const json_t *budget = json_object_get(value, "budget");
    uint64_t in = number_member(usage, "input") + number_member(usage, "cache_read") +
                  number_member(usage, "cache_write");
    t->estimated = estimated(t, budget);
    t->reported = in;
    t->cached = number_member(usage, "cache_read");
    /* Replies that a branch took over were paid for by the run they come from. */
    if (t->seq > t->inherited) {
        t->spent += (in ? in : number_member(budget, "used")) + number_member(usage, "output");
        t->usage.input += number_member(usage, "input");
        t->usage.cache_read += t->cached;
        t->usage.cache_write += number_member(usage, "cache_write");
        t->usage.output += number_member(usage, "output");
    }
    Turn *turn = new_turn(t, s);
    turn->parts_n = json_array_size(parts);
    turn->parts = NEW_ARRAY(&t->arena, LlmPart, turn->parts_n + 1);
    for (size_t i = 0; i < turn->parts_n; i++)
        turn->parts[i] = part_read(json_array_get(parts, i), &t->arena);
    t->since += s->seq > t->inherited;
    t->fresh = false;
    understand(t, turn, json_member(value, "stop"), json_member(value, "why"));
    bool unread = turn->kind == TURN_UNREADABLE || turn->kind == TURN_CUT;
    t->unread = unread ? t->unread + 1 : 0;
}

/* A call of the newest turn; NULL: it is not one. */
static TurnCall *find_call(const Transcript *t, Str call)
{
    Turn *turn = transcript_last(t);
    for (size_t i = 0; turn && i < turn->calls_n; i++)
        if (str_eq(turn->calls[i].call.id, call))
            return &turn->calls[i];
    return NULL;
}

/* A call that is known by its own record alone: the reply that asked for it is redacted.  Its name
 * says whose it is. */
static TurnCall *add_issued(Transcript *t, const RunStep *s)
{
    Turn *turn = transcript_last(t);
    if (!turn || turn->kind != TURN_REDACTED)
        return NULL;
    Str own = arena_printf(&t->arena, STR_FMT ".r%lluc", STR_ARG(turn->run),
                           (unsigned long long)t->replies);
    if (!str_starts(s->call, own))
        return NULL;
    turn->calls = arena_grow(&t->arena, turn->calls, turn->calls_n, &turn->calls_cap,
                             sizeof(TurnCall), alignof(TurnCall));
    TurnCall *c = &turn->calls[turn->calls_n++];
    *c = (TurnCall){ .call = { .id = arena_copy(&t->arena, s->call),
                               .tool = arena_copy(&t->arena, s->tool),
                               .args = arena_copy(&t->arena, s->body) },
                     .redacted = s->redacted };
    return c;
}

static void take_call(Transcript *t, const RunStep *s)
{
    TurnCall *c = find_call(t, s->call);
    if (!c)
        c = add_issued(t, s);
    if (!c)
        return; /* of a turn that the summary stands for */
    c->issued = s->seq;
    c->mutating = s->mutating;
    c->warning = arena_copy(&t->arena, s->warning);
    transcript_last(t)->last = s->seq;
}

static void take_result(Transcript *t, const RunStep *s)
{
    TurnCall *c = find_call(t, s->call);
    if (!c)
        return;
    c->n = s->n;
    c->ok = s->ok;
    c->result = arena_copy(&t->arena, utf8_mended(s->body, &t->arena));
    transcript_last(t)->last = s->seq;
}

void file_write(Str name, Str type, Str bytes, Buf *to)
{
    AUTO(Buf) data = { .max = to->max };
    base64_write(&data, bytes);
    AUTO_PTR(json_t)
    value = json_pack("{s:o, s:o, s:o}", "name", text_json(name), "type", text_json(type), "data",
                      text_json(buf_str(&data)));
    json_write(to, value);
}

/* False: it is none, as one that was redacted. */
static bool take_file(Transcript *t, Turn *turn, const RunStep *s)
{
    json_t *read = NULL;
    LlmPart file = { .kind = LLM_FILE };
    if (json_read(s->body, &read, NULL) != JOT_OK)
        return false;
    AUTO_PTR(json_t) value = read;
    if (!base64_read(json_member(value, "data"), &t->arena, &file.text))
        return false;
    file.name = copy_member(value, "name", &t->arena);
    file.args = copy_member(value, "type", &t->arena);
    LlmPart **files = turn ? &turn->files : &t->files;
    size_t *n = turn ? &turn->files_n : &t->files_n, *cap = turn ? &turn->files_cap : &t->files_cap;
    *files = arena_grow(&t->arena, *files, *n, cap, sizeof(LlmPart), alignof(LlmPart));
    (*files)[(*n)++] = file;
    if (turn)
        turn->last = s->seq;
    return true;
}

/* Words of the loop or of a person to the model.  Before the first reply they belong to the
 * question, later to the newest turn; some say more by their kind. */
static void take_notice(Transcript *t, const RunStep *s)
{
    Turn *turn = transcript_last(t);
    if (str_eq(s->word, S("file")) && take_file(t, turn, s))
        return;
    if (turn && str_eq(s->word, S("short"))) {
        for (size_t i = 0; i < turn->calls_n; i++)
            turn->calls[i].most = s->n;
        t->shorter = s->seq;
    }
    if (turn && str_eq(s->word, S("rules"))) {
        turn->rules = arena_grow(&t->arena, turn->rules, turn->rules_n, &turn->rules_cap,
                                 sizeof(Str), alignof(Str));
        turn->rules[turn->rules_n++] = arena_copy(&t->arena, s->dir);
    }
    if (str_eq(s->word, S("plan")))
        t->nudges++;
    if (str_eq(s->word, S("user")))
        t->answered = false; /* asked further: the run continues */
    if (!turn) {
        t->query =
            arena_printf(&t->arena, STR_FMT "\n\n" STR_FMT, STR_ARG(t->query), STR_ARG(s->body));
        return;
    }
    turn->notice = turn->notice.n ? arena_printf(&t->arena, STR_FMT "\n\n" STR_FMT,
                                                 STR_ARG(turn->notice), STR_ARG(s->body))
                                  : arena_copy(&t->arena, s->body);
    turn->last = s->seq;
}

static void take_compact(Transcript *t, const RunStep *s)
{
    /* One that does not say how far it reaches stands for everything before it. */
    uint64_t until = s->until ? s->until : s->seq;
    size_t gone = 0;
    while (gone < t->turns_n && t->turns[gone].seq <= until)
        gone++;
    assert(gone <= t->turns_n);
    memmove(t->turns, t->turns + gone, (t->turns_n - gone) * sizeof *t->turns);
    t->turns_n -= gone;
    t->summed += gone;
    t->summary = arena_copy(&t->arena, s->body);
    t->fresh = true;
    t->shorter = s->seq;
    t->spent += s->seq > t->inherited ? s->tokens : 0;
}

static void take_setup(Transcript *t, const RunStep *s)
{
    json_t *read = NULL;
    t->setup_lost = t->setup_lost || (s->redacted && !t->set_up);
    if (json_read(s->body, &read, NULL) != JOT_OK)
        return;
    AUTO_PTR(json_t) value = read;
    const json_t *tools = json_object_get(value, "tools");
    Setup setup = { .model = copy_member(value, "model", &t->arena),
                    .json = str_eq(json_member(value, "protocol"), S("json")),
                    .window = number_member(value, "window"),
                    .headroom = number_member(value, "headroom"),
                    .max_tokens = (uint32_t)number_member(value, "max_tokens"),
                    .raised = json_is_true(json_object_get(value, "raised")),
                    .tool_choice = copy_member(value, "tool_choice", &t->arena),
                    .system = copy_member(value, "system", &t->arena),
                    .tools_n = json_array_size(tools) };
    setup.tools = NEW_ARRAY(&t->arena, LlmTool, setup.tools_n + 1);
    for (size_t i = 0; i < setup.tools_n; i++) {
        const json_t *tool = json_array_get(tools, i);
        setup.tools[i] = (LlmTool){ .name = copy_member(tool, "name", &t->arena),
                                    .about = copy_member(tool, "about", &t->arena),
                                    .schema = copy_member(tool, "schema", &t->arena) };
    }
    t->setup = setup;
    t->set_up = true;
    t->setup_seq = s->seq;
}

void transcript_take(Transcript *t, const RunStep *given)
{
    RunStep shown = *given, *s = &shown;
    /* Of what is redacted the mark is shown where the body is words; elsewhere it would have to be
     * JSON, and the step itself knows. */
    if (s->redacted && s->kind != RUN_SETUP && s->kind != RUN_REPLY && s->kind != RUN_CALL)
        s->body = S(FORGET_MARK);
    if (s->seq <= t->seq)
        return;
    t->seq = s->seq;
    /* It has ended only as long as nothing follows; a fold is no work of anybody's. */
    if (s->kind != RUN_FOLD && s->kind != RUN_END)
        t->end = t->end_why = (Str){ 0 };
    /* What was given with the question comes before the setup; of all else the loop comes after. */
    bool with = s->kind == RUN_NOTICE && (str_eq(s->word, S("file")) || str_eq(s->word, S("user")));
    if (s->kind != RUN_INIT && s->kind != RUN_SETUP && !with && !t->set_up)
        t->foreign = true;
    switch (s->kind) {
    case RUN_INIT:
        t->query = arena_copy(&t->arena, s->body);
        t->frame = frame_of_text(s->sign);
        t->inherited = s->origin.n ? s->until : 0;
        break;
    case RUN_SETUP:
        take_setup(t, s);
        break;
    case RUN_REPLY:
        take_reply(t, s);
        break;
    case RUN_CALL:
        take_call(t, s);
        break;
    case RUN_RESULT:
        take_result(t, s);
        break;
    case RUN_NOTICE:
        take_notice(t, s);
        break;
    case RUN_CLEAR:
        t->cleared = s->to > t->cleared ? s->to : t->cleared;
        t->shorter = s->seq;
        break;
    case RUN_COMPACT:
        take_compact(t, s);
        break;
    case RUN_ANSWER:
        t->answered = true;
        t->answer = arena_copy(&t->arena, s->body);
        break;
    case RUN_END:
        t->end = arena_copy(&t->arena, s->word);
        t->end_why = arena_copy(&t->arena, s->body);
        t->since = t->nudges = t->unread = 0; /* a resumed run counts from zero */
        break;
    case RUN_THINKING:
    case RUN_PLAN:
    case RUN_FOLD:
    case RUN_OTHER:
        break;
    }
    assert(t->since <= t->replies && t->unread <= t->replies);
    assert(t->turns_n + t->summed <= t->replies);
}

static jot_status take_step(void *transcript, const RunStep *s)
{
    transcript_take(transcript, s);
    return JOT_OK;
}

jot_status transcript_refresh(Transcript *t, Run *r, Err *e)
{
    if (!t->run.n)
        t->run = arena_copy(&t->arena, str(r->id));
    TRY(run_refresh(r, e));
    if (r->state.seq <= t->seq)
        return JOT_OK;
    return run_each(r, t->seq + 1, take_step, t, NULL, e);
}

void transcript_done(Transcript *t)
{
    arena_free(&t->arena);
    *t = (Transcript){ 0 };
}

Turn *transcript_last(const Transcript *t)
{
    return t->turns_n ? &t->turns[t->turns_n - 1] : NULL;
}

TurnCall *transcript_open_call(const Transcript *t)
{
    Turn *turn = transcript_last(t);
    for (size_t i = 0; turn && i < turn->calls_n; i++)
        if (!turn->calls[i].n)
            return &turn->calls[i];
    return NULL;
}

bool transcript_has_rules(const Transcript *t, Str dir)
{
    for (size_t i = 0; i < t->turns_n; i++)
        for (size_t k = 0; k < t->turns[i].rules_n; k++)
            if (str_eq(t->turns[i].rules[k], dir))
                return true;
    return false;
}
