/* forget.c - purge and redact.
 *
 * These are the store's own operations and not appends: there is nothing to
 * append; memory.h says what a lease means for them.  A phrase is forgotten in two steps: first a
 * new version without it, on condition of the one it was made from, then the older ones one by one.
 * An interrupted call leaves fewer of them than before and never a wrong text. */
#include "memory/forget.h"

#include <string.h>

#include "memory/search.h"

/* The search index is a cache, but what is forgotten must not stand in it either. */
static jot_status clear_index(Memory *m, Str stream, Err *e)
{
    Err why = { 0 };
    jot_status st = search_forget(m, stream, &why);
    if (st == JOT_OK)
        return JOT_OK;
    return err_set(e, st, "%s is forgotten, but not yet in the search index: %.100s",
                   doc_name(stream).text, why.text);
}

jot_status forget_document(Memory *m, Str stream, Mark *out, Err *e)
{
    jot_status st = memory_purge(m, stream, out, e);
    if (st == JOT_NOT_FOUND)
        return err_set(e, st, "%s not found", doc_name(stream).text);
    TRY(st);
    return clear_index(m, stream, e);
}

/* Seqs to be redacted, collected before the first is: a stream is not changed while it is read. */
typedef struct Found {
    Arena *into;
    Str phrase;    /* records that hold it, or ... */
    Hash sha256;   /* ... that have this text */
    uint64_t head; /* which is left alone */
    uint64_t *seqs;
    size_t n, cap;
} Found;

static jot_status collect(void *ctx, const Record *r)
{
    Found *f = ctx;
    bool hit = f->phrase.n ? r->body.n && memmem(r->body.p, r->body.n, f->phrase.p, f->phrase.n)
                           : hash_eq(r->mark.sha256, f->sha256);
    if (!hit || r->mark.redacted || r->mark.op == OP_DELETE || r->mark.seq == f->head)
        return JOT_OK;
    f->seqs = arena_grow(f->into, f->seqs, f->n, &f->cap, sizeof *f->seqs, alignof(uint64_t));
    f->seqs[f->n++] = r->mark.seq;
    return JOT_OK;
}

static jot_status redact_all(Memory *m, Str stream, Found *f, Err *e)
{
    jot_status st = memory_each_record(m, stream, 1, collect, f, NULL, e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    for (size_t i = 0; i < f->n; i++)
        TRY(memory_redact(m, stream, f->seqs[i], e));
    return f->n ? clear_index(m, stream, e) : JOT_OK;
}

jot_status forget_version(Memory *m, Str stream, const When *which, uint64_t *n, Err *e)
{
    AUTO(Arena) scratch = { 0 };
    Doc head, was;
    *n = 0;
    TRY(history_at(m, stream, which, &scratch, &was, e));
    TRY(doc_present(m, stream, &scratch, &head, e));
    if (mark_live(&head.mark) && hash_eq(head.mark.sha256, was.mark.sha256))
        return err_set(e, JOT_INVALID,
                       "that is the present text of %s: write a new version first, or purge it",
                       doc_name(stream).text);
    Found f = { .into = &scratch, .sha256 = was.mark.sha256 };
    TRY(redact_all(m, stream, &f, e));
    *n = f.n;
    return JOT_OK;
}

static Str without(Str text, Str phrase, Arena *into)
{
    AUTO(Buf) b = { 0 };
    for (const char *at; text.n && (at = memmem(text.p, text.n, phrase.p, phrase.n));) {
        size_t offset = (size_t)(at - text.p);
        buf_add(&b, str_slice(text, 0, offset));
        buf_add(&b, S(FORGET_MARK));
        text = str_from(text, offset + phrase.n);
    }
    buf_add(&b, text);
    return buf_ok(&b) ? arena_copy(into, buf_str(&b)) : (Str){ 0 };
}

/* A new version without the phrase, if the present one has it. */
static jot_status rewrite(Memory *m, Str stream, Str phrase, Arena *into, Doc *head,
                          bool *rewritten, Err *e)
{
    *rewritten = false;
    for (int tries = 0; tries < DOC_TRIES_MAX; tries++) {
        TRY(doc_present(m, stream, into, head, e));
        Str text = mark_live(&head->mark) ? head->text : (Str){ 0 };
        if (!text.n || !memmem(text.p, text.n, phrase.p, phrase.n))
            return JOT_OK;
        HashHex all = hash_hex(head->mark.sha256);
        DocWrite w = { .text = without(text, phrase, into), .meta = meta_kept(head->meta, into) };
        w.when.version = str(all.text);
        jot_status st = doc_write(m, stream, &w, into, head, e);
        *rewritten = st == JOT_OK;
        if (st != JOT_CONFLICT)
            return st;
    }
    return err_set(e, JOT_UNAVAILABLE, "could not rewrite %s: others write it all the time",
                   doc_name(stream).text);
}

jot_status forget_phrase(Memory *m, Str stream, Str phrase, Arena *into, Forgotten *out, Err *e)
{
    Doc head;
    *out = (Forgotten){ 0 };
    if (phrase.n == 0)
        return err_set(e, JOT_INVALID, "the text to redact cannot be empty");
    if (memmem(FORGET_MARK, sizeof FORGET_MARK - 1, phrase.p, phrase.n))
        return err_set(e, JOT_INVALID, "the text to redact is part of the mark '%s'", FORGET_MARK);
    TRY(rewrite(m, stream, phrase, into, &head, &out->rewritten, e));
    if (head.mark.op == 0)
        return err_set(e, JOT_NOT_FOUND, "%s not found", doc_name(stream).text);
    Found f = { .into = into, .phrase = phrase, .head = head.mark.seq };
    TRY(redact_all(m, stream, &f, e));
    out->n = f.n;
    out->mark = head.mark;
    if (!out->rewritten && f.n == 0)
        return err_set(e, JOT_NOT_FOUND, "no version of %s that is kept holds that text",
                       doc_name(stream).text);
    return JOT_OK;
}
