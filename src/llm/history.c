/* history.c - making a conversation acceptable, on the way out.
 *
 * This is the one place where it is done: it runs for every request of every provider
 * (llm_request_text), and on what is sent, not on what is recorded.  So a run that an
 * older version recorded, and that its provider refuses, continues too.
 *
 * One pass over the messages.  Of the newest message of the model its calls are kept
 * open; the next message must answer them, and what is missing there is answered here:
 *
 *     recorded                              sent
 *     assistant  thinking, no signature     assistant  text
 *                text                                  call c1
 *                call c1                               call c2, renamed if it must be
 *                call "c.2"
 *     user       result of c1               user       result of c1
 *                result of c9                          result of c2: "not made"
 *                                                      text: what c9's result said
 *
 * A conversation that needs nothing of this is written byte for byte as it is, because
 * providers find what they have cached by its bytes. */
#include "llm/history.h"

#include <assert.h>
#include <string.h>

#include "base/glyph.h"
#include "base/hash.h"
#include "base/json.h"

#define EMPTY_REPLY "(an empty reply)"
#define NOTHING "(nothing)"
#define NOT_MADE "this call was not made: it came with a reply that was not carried out"

/* A call of the newest message of the model. */
typedef struct Open {
    Str id;   /* as it came */
    Str sent; /* as it is written */
    bool answered;
} Open;

typedef struct Mend {
    const Llm *llm;
    const LlmRequest *from;
    Arena *into;
    LlmMessage *messages;
    size_t n;
    Open *open;
    size_t open_n;
    Str *ids; /* of all calls: a table with open addressing, more than half empty */
    size_t ids_cap, calls;
} Mend;

bool history_blank(Str text)
{
    for (size_t at = 0; at < text.n;) {
        uint32_t c;
        if (!glyph_next(text, &at, &c))
            return false;
        GlyphKind kind = glyph_kind(c);
        if (kind != GLYPH_SPACE && kind != GLYPH_BREAK && kind != GLYPH_UNSEEN)
            return false;
    }
    return true;
}

/* --- Names and ids ----------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool is_words(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_word(s.p[i]))
            return false;
    return s.n > 0;
}

/* A name that a model made up, such as functions.shell, as one that a tool could have. */
static Str good_name(Str name, Arena *into)
{
    if (is_words(name) && name.n <= HISTORY_NAME_MAX)
        return name;
    if (!name.n)
        return S("unknown");
    size_t n = name.n < HISTORY_NAME_MAX ? name.n : HISTORY_NAME_MAX;
    char *to = arena_alloc(into, n + 1, 1);
    memcpy(to, name.p, n);
    for (size_t i = 0; i < n; i++)
        if (!is_word(to[i]))
            to[i] = '_';
    return (Str){ to, n };
}

/* Some providers take any id that has no spaces; the others are as strict as their vendors' own. */
static bool good_id(const Llm *llm, Str id)
{
    if (!llm->any_id)
        return is_words(id) && id.n <= HISTORY_ID_MAX;
    for (size_t i = 0; i < id.n; i++)
        if (id.p[i] <= ' ' || id.p[i] == 0x7F)
            return false;
    return id.n > 0 && id.n <= HISTORY_ID_MAX_ANY;
}

/* Where an id is in the table, or would be. */
static Str *find_id(const Mend *m, Str id)
{
    Hash h = hash_of(id);
    size_t at = 0;
    assert(m->ids_cap && (m->ids_cap & (m->ids_cap - 1)) == 0);
    for (size_t i = 0; i < sizeof at; i++)
        at = at << 8 | h.b[i];
    for (;; at++) {
        Str *slot = &m->ids[at & (m->ids_cap - 1)];
        if (!slot->n || str_eq(*slot, id))
            return slot;
    }
}

/* --- Parts ------------------------------------------------------------------------------- */

typedef enum RawKind { RAW_BAD, RAW_GOOD, RAW_THINKING } RawKind;

static RawKind raw_kind(const Llm *llm, Str text)
{
    AUTO_PTR(json_t) block = NULL;
    if (json_read(text, &block, NULL) != JOT_OK || !json_is_object(block))
        return RAW_BAD;
    Str type = json_member(block, "type");
    bool thinking = str_eq(type, S("thinking")), hidden = str_eq(type, S("redacted_thinking"));
    if (thinking && !json_member(block, "signature").n)
        return RAW_BAD; /* it was cut: half a thought cannot be shown to be the model's own */
    if (hidden && !json_member(block, "data").n)
        return RAW_BAD;
    if (llm->provider->takes_raw && !llm->provider->takes_raw(llm, block))
        return RAW_BAD;
    return thinking || hidden ? RAW_THINKING : RAW_GOOD;
}

static LlmPart text_part(Str text)
{
    return (LlmPart){ .kind = LLM_TEXT, .text = text };
}

static void add_message(Mend *m, LlmRole role, const LlmPart *parts, size_t n)
{
    assert(n > 0 && m->n <= 2 * m->from->n_messages);
    m->messages[m->n++] = (LlmMessage){ .role = role, .parts = parts, .n = n };
}

/* A message of one text of ours. */
static void add_text(Mend *m, LlmRole role, Str text)
{
    LlmPart *part = NEW(m->into, LlmPart);
    *part = text_part(text);
    add_message(m, role, part, 1);
}

static bool next_is(const Mend *m, size_t i, LlmRole role)
{
    return i + 1 < m->from->n_messages && m->from->messages[i + 1].role == role;
}

/* --- What the model said ----------------------------------------------------------------- */

/* The calls that nobody answered, as results that say so.  How many. */
static size_t answer_open(Mend *m, LlmPart *to)
{
    size_t n = 0;
    for (size_t i = 0; i < m->open_n; i++)
        if (!m->open[i].answered)
            to[n++] = (LlmPart){
                .kind = LLM_RESULT, .id = m->open[i].sent, .text = S(NOT_MADE), .is_error = true
            };
    m->open_n = 0;
    return n;
}

/* Before the model speaks again, or when nobody does any more. */
static void close_calls(Mend *m)
{
    LlmPart *parts = NEW_ARRAY(m->into, LlmPart, m->open_n);
    size_t n = answer_open(m, parts);
    if (n)
        add_message(m, LLM_USER, parts, n);
}

static LlmPart open_call(Mend *m, const LlmPart *p)
{
    LlmPart call = *p;
    /* The id becomes one that no call before has. */
    Str sent = p->id;
    if (!good_id(m->llm, p->id))
        sent = arena_printf(m->into, "call_%.24s", hash_hex(hash_of(p->id)).text);
    m->calls++;
    assert(2 * m->calls < m->ids_cap); /* so that a search ends at an empty place */
    Str *slot = find_id(m, sent);
    while (slot->n) { /* its number is part of it; a second round is not to be expected */
        Str numbered = arena_printf(m->into, "%zu " STR_FMT, m->calls, STR_ARG(sent));
        sent = arena_printf(m->into, "call_%.24s", hash_hex(hash_of(numbered)).text);
        slot = find_id(m, sent);
    }
    *slot = sent;
    call.id = sent;
    call.name = good_name(p->name, m->into);
    m->open[m->open_n++] = (Open){ .id = p->id, .sent = call.id };
    return call;
}

static void mend_said(Mend *m, size_t at)
{
    const LlmMessage *said = &m->from->messages[at];
    LlmPart *parts = NEW_ARRAY(m->into, LlmPart, said->n + 1);
    size_t n = 0, words = 0;
    RawKind last = RAW_GOOD;
    close_calls(m);
    m->open = NEW_ARRAY(m->into, Open, said->n);
    for (size_t i = 0; i < said->n; i++) {
        const LlmPart *p = &said->parts[i];
        RawKind raw = p->kind == LLM_RAW ? raw_kind(m->llm, p->text) : RAW_GOOD;
        if (raw == RAW_BAD || p->kind == LLM_RESULT || p->kind == LLM_FILE ||
            (p->kind == LLM_TEXT && history_blank(p->text)))
            continue;
        parts[n++] = p->kind == LLM_CALL ? open_call(m, p) : *p;
        words += p->kind != LLM_RAW;
        last = raw;
    }
    assert(n <= said->n && m->open_n <= said->n);
    /* Nothing is left of it.  It is left out where the model says something after it; elsewhere it
     * has to stand, or two messages of the user's would follow each other. */
    if (n == 0 && next_is(m, at, LLM_ASSISTANT))
        return;
    /* A message must not end in a thought, and has words or a call but where a raw block alone is
     * taken. */
    bool alone = n && m->llm->provider->raw_alone;
    if (last == RAW_THINKING || (!words && !alone))
        parts[n++] = text_part(S(EMPTY_REPLY));
    if (m->n == 0)
        add_text(m, LLM_USER, S(NOTHING)); /* the user begins */
    add_message(m, LLM_ASSISTANT, parts, n);
}

/* --- What it heard ----------------------------------------------------------------------- */

static Open *find_open(const Mend *m, Str id)
{
    for (size_t i = 0; i < m->open_n; i++)
        if (!m->open[i].answered && str_eq(m->open[i].id, id))
            return &m->open[i];
    return NULL;
}

/* A result under the id its call was written with; one without a call is words. */
static LlmPart heard_result(Mend *m, const LlmPart *p)
{
    Open *open = find_open(m, p->id);
    if (!open)
        return text_part(p->text);
    LlmPart result = *p;
    result.id = open->sent;
    open->answered = true;
    if (history_blank(p->text))
        result.text = S(NOTHING);
    return result;
}

static void mend_heard(Mend *m, size_t at)
{
    const LlmMessage *heard = &m->from->messages[at];
    LlmPart *parts = NEW_ARRAY(m->into, LlmPart, m->open_n + heard->n);
    size_t n = 0;
    for (size_t i = 0; i < heard->n; i++) {
        const LlmPart *p = &heard->parts[i];
        LlmPart part = p->kind == LLM_RESULT ? heard_result(m, p) : *p;
        /* A call or a raw block is the model's, and nothing that it can have heard. */
        bool word = part.kind == LLM_TEXT && !history_blank(part.text);
        if (word || part.kind == LLM_RESULT || part.kind == LLM_FILE)
            parts[n++] = part;
    }
    n += answer_open(m, parts + n);
    if (n)
        add_message(m, LLM_USER, parts, n);
    else if (!next_is(m, at, LLM_USER))
        add_text(m, LLM_USER, S(NOTHING));
}

/* --- All of it --------------------------------------------------------------------------- */

/* What the model is to continue must not end in spaces. */
static void trim_end(Mend *m)
{
    LlmMessage *last = m->n ? &m->messages[m->n - 1] : NULL;
    if (!last || last->role != LLM_ASSISTANT)
        return;
    LlmPart *parts = NEW_ARRAY(m->into, LlmPart, last->n);
    memcpy(parts, last->parts, last->n * sizeof *parts);
    Str *text = &parts[last->n - 1].text;
    if (parts[last->n - 1].kind == LLM_TEXT)
        text->n = (size_t)(str_trim(*text).p + str_trim(*text).n - text->p);
    last->parts = parts;
}

LlmRequest history_mend(const Llm *llm, const LlmRequest *r, Arena *into)
{
    LlmRequest out = *r;
    Mend m = { .llm = llm, .from = r, .into = into };
    /* Each message may need one of ours in front of it, and there may be one after the last. */
    m.messages = NEW_ARRAY(into, LlmMessage, 2 * r->n_messages + 1);
    size_t calls = 0;
    for (size_t i = 0; i < m.from->n_messages; i++)
        for (size_t k = 0; k < m.from->messages[i].n; k++)
            calls += m.from->messages[i].parts[k].kind == LLM_CALL;
    for (m.ids_cap = 8; m.ids_cap < 2 * calls + 1;)
        m.ids_cap *= 2;
    m.ids = NEW_ARRAY(m.into, Str, m.ids_cap);
    for (size_t i = 0; i < r->n_messages; i++)
        if (r->messages[i].role == LLM_ASSISTANT)
            mend_said(&m, i);
        else
            mend_heard(&m, i);
    close_calls(&m);
    assert(m.open_n == 0); /* every call has its result */
    trim_end(&m);
    out.messages = m.messages;
    out.n_messages = m.n;
    return out;
}
