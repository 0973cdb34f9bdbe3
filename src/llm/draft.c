/* draft.c - a reply while it comes in pieces.
 *
 * A dialect (anthropic_stream.c, openai_stream.c) finds the part an event is about by the server's
 * index and adds to it; draft_finish makes the reply of what is there.  Only a reply whose end was
 * said is one: half of it could be a call with half of its arguments.  A call that may lack
 * something is marked broken, and the loop tells the model so. */
#include "llm/draft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/utf8.h"

/* --- Pieces ------------------------------------------------------------------------------ */

jot_status draft_add(Draft *d, LlmPartKind kind, int64_t index, DraftPart **out, Err *e)
{
    if (d->n >= LLM_PARTS_MAX)
        return err_set(e, JOT_IO, "the reply has too many parts: at most %d", LLM_PARTS_MAX);
    if (d->n == d->cap) {
        d->cap = d->cap ? d->cap * 2 : 8;
        d->parts = mem_grow(d->parts, d->cap * sizeof *d->parts);
    }
    assert(d->n < d->cap);
    DraftPart *p = &d->parts[d->n++];
    *p = (DraftPart){ .kind = kind, .index = index };
    *out = p;
    return JOT_OK;
}

jot_status draft_add_first(Draft *d, LlmPartKind kind, int64_t index, DraftPart **out, Err *e)
{
    TRY(draft_add(d, kind, index, out, e));
    DraftPart first = **out;
    assert(*out == &d->parts[d->n - 1]);
    memmove(d->parts + 1, d->parts, (d->n - 1) * sizeof *d->parts);
    *out = d->parts;
    **out = first;
    return JOT_OK;
}

DraftPart *draft_find(Draft *d, int64_t index)
{
    /* The newest first: a server that numbers every call 0 means the one it is at. */
    for (size_t i = d->n; i-- > 0;)
        if (d->parts[i].index == index)
            return &d->parts[i];
    return NULL;
}

jot_status draft_grow(Draft *d, Buf *field, Str piece, Err *e)
{
    d->bytes += piece.n;
    if (d->bytes > LLM_REPLY_MAX)
        return err_set(e, JOT_IO, "the reply is too long: at most %d MiB",
                       LLM_REPLY_MAX / 1024 / 1024);
    buf_add(field, piece);
    assert(buf_ok(field));
    return JOT_OK;
}

jot_status draft_say(Draft *d, DraftPart *part, Str piece, Err *e)
{
    if (piece.n == 0)
        return JOT_OK;
    TRY(draft_grow(d, &part->text, piece, e));
    if (d->request && d->request->on_text)
        d->request->on_text(d->request->ctx, piece);
    return JOT_OK;
}

/* --- Events as JSON ---------------------------------------------------------------------- */

jot_status draft_read(Str data, json_t **out, Err *e)
{
    if (json_read(data, out, NULL) == JOT_OK)
        return JOT_OK;
    /* Servers cut texts where a token ends, and a token may end inside a character: what is left of
     * it is bytes that are no UTF-8, or half of an escaped pair. */
    AUTO(Buf) text = { .max = BUF_MAX_DEFAULT };
    utf8_mend(&text, data);
    if (buf_ok(&text)) {
        json_mend_surrogates(text.p, text.n);
        if (json_read(buf_str(&text), out, e) == JOT_OK)
            return JOT_OK;
    }
    return err_set(e, JOT_IO, "the provider's answer is not understood: an event is not JSON");
}

/* --- The reply --------------------------------------------------------------------------- */

/* Before in this reply, or anywhere in the conversation: results are told apart by it. */
static bool id_used(const Draft *d, const LlmReply *r, Str id)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->parts[i].kind == LLM_CALL && str_eq(r->parts[i].id, id))
            return true;
    for (size_t i = 0; d->request && i < d->request->n_messages; i++)
        for (size_t k = 0; k < d->request->messages[i].n; k++) {
            const LlmPart *p = &d->request->messages[i].parts[k];
            if (p->kind == LLM_CALL && str_eq(p->id, id))
                return true;
        }
    return false;
}

static Str block_text(const json_t *block, Arena *into)
{
    AUTO(Buf) json = { 0 };
    json_write(&json, block);
    return arena_copy(into, buf_str(&json));
}

/* A provider's own block, with what was added to it since it began. */
static void finish_raw(DraftPart *p, Arena *into, LlmPart *out)
{
    static const char *const texts[] = { "thinking", "text", "reasoning_content", "reasoning" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_t *had = json_object_get(p->block, texts[i]);
        if (!json_is_string(had) || p->text.n == 0)
            continue;
        AUTO(Buf) whole = { 0 };
        buf_add(&whole, json_str(had));
        buf_add(&whole, buf_str(&p->text));
        json_object_set_new(p->block, texts[i], json_text(buf_str(&whole)));
    }
    if (p->signature.n)
        json_object_set_new(p->block, "signature", json_text(buf_str(&p->signature)));
    json_t *input = NULL;
    if (p->args.n && json_read(buf_str(&p->args), &input, NULL) == JOT_OK)
        json_object_set_new(p->block, "input", input);
    out->text = block_text(p->block, into);
}

uint64_t draft_number(const json_t *object, const char *key)
{
    const json_t *n = json_object_get(object, key);
    return json_is_integer(n) && json_integer_value(n) > 0 ? (uint64_t)json_integer_value(n) : 0;
}

jot_status draft_finish(Draft *d, Arena *into, LlmReply *out, Err *e)
{
    if (!d->stopped) {
        d->retry = true;
        return err_set(e, JOT_IO, "the provider's answer broke off");
    }
    /* A call may have a block in front of it that belongs to it: two parts for one. */
    LlmPart *parts = NEW_ARRAY(into, LlmPart, 2 * d->n + 1);
    assert(out->n == 0);
    bool calls = false;
    out->parts = parts;
    for (size_t i = 0; i < d->n; i++) {
        DraftPart *p = &d->parts[i];
        if (p->kind == LLM_TEXT && p->text.n == 0)
            continue;
        if (p->kind == LLM_CALL && p->block)
            parts[out->n++] = (LlmPart){ .kind = LLM_RAW, .text = block_text(p->block, into) };
        LlmPart *to = &parts[out->n];
        to->kind = p->kind;
        if (p->kind == LLM_CALL) {
            /* An id that is missing, or was given before, becomes one of ours. */
            Str id = buf_str(&p->id);
            to->id = id.n && !id_used(d, out, id)
                         ? arena_copy(into, id)
                         : arena_printf(into, "call_%s", id_random(d->io, 12).text);
            to->name = arena_copy(into, buf_str(&p->name));
            /* No arguments at all is how a call without arguments comes. */
            to->args = arena_copy(into, p->args.n ? buf_str(&p->args) : S("{}"));
            to->broken = !p->closed || to->name.n == 0 || !llm_is_object(to->args);
        } else if (p->kind == LLM_RAW)
            finish_raw(p, into, to);
        else
            to->text = arena_copy(into, buf_str(&p->text));
        calls = calls || p->kind == LLM_CALL;
        out->n++;
        assert(out->n <= 2 * d->n);
    }
    /* The end of a reply that was cut: its last call may look whole and still lack the rest. */
    bool cut =
        d->stop == LLM_STOP_MAX_TOKENS || d->stop == LLM_STOP_WINDOW || d->stop == LLM_STOP_REFUSAL;
    if (cut && out->n && parts[out->n - 1].kind == LLM_CALL)
        parts[out->n - 1].broken = true;
    /* Whether it calls is seen by its calls: servers say "stop" where calls wait. */
    if (d->stop == LLM_STOP_END || d->stop == LLM_STOP_CALLS)
        d->stop = calls ? LLM_STOP_CALLS : LLM_STOP_END;
    out->stop = d->stop;
    out->why = arena_copy(into, buf_str(&d->why));
    out->model = arena_copy(into, buf_str(&d->model));
    out->usage = d->usage;
    return JOT_OK;
}

void draft_done(Draft *d)
{
    for (size_t i = 0; i < d->n; i++) {
        DraftPart *p = &d->parts[i];
        buf_free(&p->text);
        buf_free(&p->id);
        buf_free(&p->name);
        buf_free(&p->args);
        buf_free(&p->signature);
        json_decref(p->block);
    }
    free(d->parts);
    buf_free(&d->why);
    buf_free(&d->model);
    *d = (Draft){ 0 };
}
