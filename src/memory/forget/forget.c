/* forget.c - purge and redact.
 *
 * These are the store's own operations and not appends: there is nothing to
 * append; memory.h says what a lease means for them.
 *
 * A phrase is forgotten in a document in three steps, in this order:
 *
 *     1. write the present text without it, on condition of the version it was made from
 *     2. redact all older records that hold it, STORE_REDACT_MAX in one step of the store
 *     3. clear the traces: quarantined files, the search index
 *
 * Killed after 1, the phrase is in older versions still, and the same call continues
 * there; killed inside 2, all or none of a step are redacted and never a wrong text is left.
 * Traces are cleared last, and also by a call that finds nothing any more, which
 * may be the second one. */
#include "memory/forget/forget.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "memory/artifact/artifact.h"
#include "memory/artifact/checkpoint.h"
#include "memory/doc/note.h"
#include "memory/forget/forget_internal.h"
#include "memory/forget/forget_text.h"
#include "memory/forget/phrase.h"
#include "memory/run/run.h"
#include "memory/search/search.h"

/* --- Kinds ------------------------------------------------------------------------------- */

typedef enum Nature {
    NATURE_DOCUMENT, /* its present text can be rewritten */
    NATURE_LOG,      /* each record stands for itself */
    NATURE_VALUE,    /* the newest record is what others work with */
} Nature;

typedef struct KnownKind {
    const char *prefix;
    Nature nature;
} KnownKind;

static const KnownKind kinds[] = {
    { "notes/", NATURE_DOCUMENT },    { "memories/", NATURE_DOCUMENT },
    { "cycles/", NATURE_DOCUMENT },   { "artifacts/", NATURE_DOCUMENT },
    { "graph/", NATURE_DOCUMENT },    { "snapshots/", NATURE_DOCUMENT },
    { "runs/", NATURE_LOG },          { "logs/", NATURE_LOG },
    { "steps/", NATURE_LOG },         { "threads/", NATURE_LOG },
    { "tasks/", NATURE_VALUE },       { "plans/", NATURE_VALUE },
    { "checkpoints/", NATURE_VALUE }, { "shared/", NATURE_VALUE },
};

static const KnownKind *kind_of(Str stream)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(stream, str(kinds[i].prefix)))
            return &kinds[i];
    return NULL;
}

static Nature nature_of(Str stream)
{
    const KnownKind *kind = kind_of(stream);
    return kind ? kind->nature : NATURE_VALUE;
}

bool forget_is_document(Str stream)
{
    return nature_of(stream) == NATURE_DOCUMENT;
}

jot_status forget_resolve(Str word, Arena *into, Str *out, Err *e)
{
    if (!kind_of(word) || str_starts(word, S("notes/")))
        return note_resolve(word, into, out, e);
    *out = word;
    return store_check_name(word, e);
}

/* A stream inside a sentence. */
static DocName name_of(Str stream)
{
    if (!str_starts(stream, S("runs/")))
        return doc_name(stream);
    DocName name;
    Shown shown;
    snprintf(name.text, sizeof name.text, "run '%s'", err_show(&shown, str_from(stream, 5)));
    return name;
}

static jot_status not_found(Str stream, Err *e)
{
    return err_set(e, JOT_NOT_FOUND, "%s not found", name_of(stream).text);
}

/* What is forgotten must not stand in the search index either, which is a cache, nor in a log that
 * somebody reads.  Both are tried; what could not be done is reported, and done by the
 * next call. */
static jot_status clear_traces(Memory *m, Str stream, Err *e)
{
    Err why = { 0 };
    jot_status index = search_forget(m, &stream, 1, &why);
    jot_status file = store_scrub(m->store, &why);
    if (index == JOT_OK && file == JOT_OK)
        return JOT_OK;
    const char *where = file == JOT_OK    ? "the search index"
                        : index == JOT_OK ? "the pad's file"
                                          : "the search index and the pad's file";
    jot_status st = file == JOT_OK ? index : file;
    /* Something was changed, which JOT_IO would deny. */
    return err_set(e, st == JOT_IO ? JOT_UNKNOWN : st, "%s is forgotten, but still in %s: %.100s",
                   name_of(stream).text, where, why.text);
}

/* --- Streams and records ----------------------------------------------------------------- */

jot_status forget_document(Memory *m, Str stream, Mark *out, Err *e)
{
    bool file;
    Err missing = { 0 };
    TRY(forget_shared_file(m, stream, &file, e));
    jot_status st = memory_purge(m, stream, out, &missing);
    if (st == JOT_NOT_FOUND && !file)
        return not_found(stream, e);
    if (st != JOT_NOT_FOUND) /* else the file was all there was */
        TRY(err_pass(e, &missing, st));
    return clear_traces(m, stream, e);
}

jot_status forget_record(Memory *m, Str stream, uint64_t seq, Err *e)
{
    Mark head;
    TRY(memory_mark(m, stream, &head, e));
    if (!mark_live(&head))
        return not_found(stream, e);
    if (seq == head.seq && nature_of(stream) != NATURE_LOG)
        return err_set(e, JOT_INVALID,
                       "record %llu of %s is its present value: change it first, or purge it",
                       (unsigned long long)seq, name_of(stream).text);
    TRY(forget_shared_record(m, stream, seq, e));
    jot_status st = memory_redact(m, stream, seq, e);
    if (st == JOT_NOT_FOUND)
        return err_set(e, st, "%s has no record %llu", name_of(stream).text,
                       (unsigned long long)seq);
    TRY(st);
    return clear_traces(m, stream, e);
}

/* --- What holds a phrase ----------------------------------------------------------------- */

jot_status forget_check_phrase(Str phrase, Err *e)
{
    if (phrase.n == 0)
        return err_set(e, JOT_INVALID, "the text to redact cannot be empty");
    if (memmem(FORGET_MARK, sizeof FORGET_MARK - 1, phrase.p, phrase.n))
        return err_set(e, JOT_INVALID, "the text to redact is part of the mark '%s'", FORGET_MARK);
    return JOT_OK;
}

static bool kept_in(const Record *r, Str phrase)
{
    return phrase_in(r->meta, phrase) || phrase_in(r->by, phrase) || phrase_in(r->id, phrase) ||
           phrase_in(r->extra, phrase);
}

/* Seqs to be redacted, collected before the first is: a stream is not changed while it is read. */
typedef struct Found {
    Arena *into;
    Str stream;
    Str phrase;  /* records that hold it, or ... */
    Hash sha256; /* ... that have this text */
    /* Which is left alone, like all after it; 0: there is none to spare, or it is a person's edit
     * that no write has recorded: a redaction does so first. */
    uint64_t head;
    bool newer; /* something after it holds the phrase: it came meanwhile */
    uint64_t kept;
    uint64_t *seqs;
    size_t n, cap;
    void (*each)(void *ctx); /* after each one that is redacted; may be NULL */
    void *ctx;
} Found;

static jot_status collect(void *ctx, const Record *r)
{
    Found *f = ctx;
    f->kept += f->phrase.n && kept_in(r, f->phrase);
    if (r->mark.redacted || r->mark.op == OP_DELETE || (f->head && r->mark.seq == f->head))
        return JOT_OK;
    bool hit = f->phrase.n ? forget_holds(f->stream, r->body, f->phrase)
                           : hash_eq(r->mark.sha256, f->sha256);
    if (!hit)
        return JOT_OK;
    if (f->head && r->mark.seq > f->head) {
        f->newer = true;
        return JOT_OK;
    }
    f->seqs = arena_grow(f->into, f->seqs, f->n, &f->cap, sizeof *f->seqs, alignof(uint64_t));
    f->seqs[f->n++] = r->mark.seq;
    return JOT_OK;
}

static jot_status find_all(Memory *m, Found *f, uint64_t *damaged, Err *e)
{
    Err missing = { 0 };
    jot_status st = memory_each_record(
        m, f->stream, &(RecordVisit){ .from = 1, .each = collect, .ctx = f, .damaged = damaged },
        &missing);
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

/* *n counts what is done also if it ends before the last one. */
static jot_status redact_found(Memory *m, const Found *f, bool aside, uint64_t *n, Err *e)
{
    for (size_t at = 0; at < f->n;) {
        size_t rest = f->n - at;
        Redaction r = { f->seqs + at, rest < STORE_REDACT_MAX ? rest : STORE_REDACT_MAX, aside };
        assert(r.n > 0 && r.n <= STORE_REDACT_MAX);
        assert(!f->head || r.seqs[r.n - 1] < f->head); /* the present value is spared */
        TRY(memory_redact_set(m, f->stream, &r, e));
        *n += r.n;
        at += r.n;
        for (size_t i = 0; f->each && i < r.n; i++)
            f->each(f->ctx);
    }
    return JOT_OK;
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
    Found f = { .into = &scratch, .stream = stream, .sha256 = was.mark.sha256 };
    TRY(find_all(m, &f, NULL, e));
    TRY(redact_found(m, &f, true, n, e));
    return clear_traces(m, stream, e);
}

/* --- The present text -------------------------------------------------------------------- */

/* See to the head: a document that holds the phrase gets a new version without it.  out->mark is
 * what the head is then.  JOT_CONFLICT: somebody else wrote meanwhile. */
static jot_status clear_present(Memory *m, Str stream, Str phrase, Forgotten *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Doc head;
    TRY(doc_present(m, stream, &arena, &head, e));
    Nature nature = nature_of(stream);
    bool live = mark_live(&head.mark) && nature != NATURE_LOG;
    if (live && nature == NATURE_DOCUMENT && phrase_in(head.text, phrase)) {
        Str text = forget_clean(stream, head.text, phrase, &arena);
        if (!forget_has_layout(stream) && phrase_in(text, phrase))
            return err_set(
                e, JOT_INVALID,
                "the text to redact cannot be distinguished from the mark '%s' beside other text",
                FORGET_MARK);
        /* If nothing could be taken out, the caller sees that the phrase is still there. */
        if (!str_eq(text, head.text)) {
            HashHex all = hash_hex(head.mark.sha256);
            DocWrite w = { .text = text, .meta = meta_kept(head.meta, &arena) };
            w.when.version = str(all.text);
            TRY(doc_write(m, stream, &w, &arena, &head, e));
            out->rewritten = true;
        }
    }
    assert(!out->rewritten || (live && nature == NATURE_DOCUMENT));
    out->live = live && forget_holds(stream, head.text, phrase);
    out->mark = head.mark;
    return JOT_OK;
}

jot_status forget_in_stream(Memory *m, Str stream, const ForgetWhat *what, Forgotten *out, Err *e)
{
    Str phrase = what->phrase;
    *out = (Forgotten){ 0 };
    for (int tries = 0; tries < DOC_TRIES_MAX; tries++) {
        AUTO(Arena) arena = { 0 };
        jot_status st = clear_present(m, stream, phrase, out, e);
        if (st == JOT_CONFLICT)
            continue;
        TRY(st);
        /* Now the older ones.  Somebody may write the phrase again between the two steps: then it
         * is in a record that is newer than our clean text, and all of it is done once more. */
        Found f = {
            .into = &arena, .stream = stream, .phrase = phrase, .each = what->each, .ctx = what->ctx
        };
        if (nature_of(stream) != NATURE_LOG)
            f.head = out->mark.seq;
        TRY(find_all(m, &f, &out->damaged, e));
        if (f.newer)
            continue;
        out->kept = f.kept;
        return redact_found(m, &f, false, &out->n, e);
    }
    return err_set(e, JOT_UNAVAILABLE, "could not rewrite %s: others write it all the time",
                   name_of(stream).text);
}

/* The status of a phrase that was taken out where that is possible. */
static jot_status judge(Str stream, const Forgotten *f, const char *what, Err *e)
{
    if (f->live)
        return err_set(e, JOT_UNSUPPORTED,
                       "the present value of %s holds that text and cannot be redacted: change it "
                       "first, or purge it",
                       name_of(stream).text);
    if (f->kept)
        return err_set(e, JOT_UNSUPPORTED,
                       "%llu record%s of %s still hold%s that text in meta, author or id, which "
                       "cannot be redacted: only a purge removes it",
                       (unsigned long long)f->kept, f->kept == 1 ? "" : "s", name_of(stream).text,
                       f->kept == 1 ? "s" : "");
    if (f->damaged)
        return err_set(e, JOT_UNSUPPORTED,
                       "%llu record%s of %s cannot be read, so nobody knows whether that text is "
                       "there: only a purge removes it",
                       (unsigned long long)f->damaged, f->damaged == 1 ? "" : "s",
                       name_of(stream).text);
    if (f->unread)
        return err_set(e, JOT_UNSUPPORTED,
                       "something of %s that lies in quarantine cannot be read: look there",
                       name_of(stream).text);
    if (!f->rewritten && f->n == 0 && f->quarantined == 0)
        return err_set(e, JOT_NOT_FOUND, "no %s of %s that is kept holds that text", what,
                       name_of(stream).text);
    return JOT_OK;
}

/* What a dead writer left of the stream is quarantined first, where it can be looked at. */
static jot_status settle(Memory *m, Str stream, Err *e)
{
    uint64_t dropped;
    Err missing = { 0 };
    if (!store_promise(m->store).edits_seen)
        return JOT_OK;
    jot_status st = memory_trim(m, stream, 0, &dropped, &missing); /* takes the lock, drops none */
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

static bool text_holds(void *phrase, Str text)
{
    return phrase_in(text, *(const Str *)phrase);
}

jot_status forget_phrase(Memory *m, Str stream, Str phrase, Forgotten *out, Err *e)
{
    QuarantineCount quarantined;
    *out = (Forgotten){ 0 };
    TRY(forget_check_phrase(phrase, e));
    TRY(settle(m, stream, e));
    TRY(forget_in_stream(m, stream, &(ForgetWhat){ .phrase = phrase }, out, e));
    TRY(forget_shared_phrase(m, stream, phrase, out, e));
    TRY(store_forget_quarantined(m->store, stream, text_holds, &phrase, &quarantined, e));
    out->quarantined = quarantined.removed;
    out->unread = quarantined.unread;
    if (out->mark.op == 0 && out->quarantined == 0)
        return not_found(stream, e);
    TRY(clear_traces(m, stream, e));
    return judge(stream, out, forget_is_document(stream) ? "version" : "record", e);
}

/* --- Runs -------------------------------------------------------------------------------- */

/* What belongs to a run and lies elsewhere. */
typedef struct Beside {
    Memory *m;
    Arena *into;
    RunForgotten *out;
    size_t cap;
    uint64_t inherited; /* calls up to this record belong to the run that it was taken back from */
    Err *e;
} Beside;

static jot_status add_beside(Beside *b, Str stream)
{
    Mark head;
    TRY(memory_mark(b->m, stream, &head, b->e));
    if (!mark_live(&head))
        return JOT_OK;
    RunForgotten *out = b->out;
    out->beside = arena_grow(b->into, out->beside, out->n, &b->cap, sizeof(Str), alignof(Str));
    out->beside[out->n++] = arena_copy(b->into, stream);
    return JOT_OK;
}

static jot_status look_beside(void *ctx, const Record *r)
{
    Beside *b = ctx;
    AUTO(Arena) arena = { 0 };
    Str stream;
    RunStep s = run_step_of(r, &arena);
    if (s.kind == RUN_INIT && s.origin.n)
        b->inherited = s.until;
    if (s.kind != RUN_CALL || s.seq <= b->inherited ||
        artifact_stream(S(ARTIFACT_TOOL_RESULTS), s.call, &arena, &stream, NULL) != JOT_OK)
        return JOT_OK;
    return add_beside(b, stream);
}

/* JOT_NOT_FOUND unless the run is there.  One that is not may have been purged by a process that
 * died before it had cleared the index. */
static jot_status find_run(Memory *m, Str id, Arena *into, Str *stream, Err *e)
{
    Mark head;
    TRY(run_stream(id, into, stream, e));
    TRY(memory_mark(m, *stream, &head, e));
    if (mark_live(&head))
        return JOT_OK;
    if (head.op == OP_DELETE)
        TRY(clear_traces(m, *stream, e));
    return not_found(*stream, e);
}

jot_status forget_run(Memory *m, Str id, Arena *into, RunForgotten *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    *out = (RunForgotten){ 0 };
    TRY(find_run(m, id, &arena, &stream, e));
    /* What else there is of it is named before the run goes: its calls say where the results lie.
     */
    Beside b = { .m = m, .into = into, .out = out, .e = e };
    TRY(memory_each_record(m, stream, &(RecordVisit){ .from = 1, .each = look_beside, .ctx = &b },
                           e));
    TRY(add_beside(&b, arena_printf(&arena, "plans/" STR_FMT, STR_ARG(id))));
    TRY(add_beside(&b, arena_printf(&arena, CHECKPOINT_KIND STR_FMT, STR_ARG(id))));
    return forget_document(m, stream, &out->mark, e);
}

jot_status forget_run_record(Memory *m, Str id, uint64_t seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    TRY(find_run(m, id, &arena, &stream, e));
    return forget_record(m, stream, seq, e);
}

jot_status forget_run_phrase(Memory *m, Str id, Str phrase, Forgotten *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    *out = (Forgotten){ 0 };
    TRY(forget_check_phrase(phrase, e));
    TRY(find_run(m, id, &arena, &stream, e));
    return forget_phrase(m, stream, phrase, out, e);
}
