/* feed.c - what changed in the pad goes into the index.
 *
 * store_changes names the streams that may have changed.  Of a document the
 * head is read again, of a run what comes behind the record read last; if that
 * record is not there any more as it was, the run is read from its start.  All
 * of it becomes one new segment; rows of older ones die.  A feed that fails
 * half-way leaves nothing: what is in memory is given up.
 *
 * If the pad says that text was forgotten, or cannot say, a stream that was in
 * the index already is also asked what has gone: records redacted since, or a
 * whole history.  Else its history is not read again.  Dead rows still lie in
 * their segments, so if text went those segments are written again (index.c). */
#include <stdlib.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "memory/kinds.h"
#include "memory/search/index.h"

enum { PROGRESS_EVERY = 200 };

typedef struct CoveredKind {
    const char *prefix;
    bool log; /* every record can be found, not the head alone */
} CoveredKind;

static const CoveredKind covered[] = {
    { "artifacts/", false },
    { "memories/", false },
    { "notes/", false },
    { "runs/", true },
};

static const CoveredKind *kind_of(Str stream)
{
    for (size_t i = 0; i < COUNT_OF(covered); i++)
        if (str_starts(stream, str(covered[i].prefix)))
            return &covered[i];
    return NULL;
}

bool index_covers(Str stream)
{
    return kind_of(stream) != NULL;
}

/* --- Text ------------------------------------------------------------------------------ */

/* One escape of a JSON string, from behind its backslash on; returns how many bytes it has. */
static size_t unescape(Str rest, Buf *to)
{
    static const char names[] = "nrtbf", values[] = "\n\r\t  ";
    const char *found = rest.n ? strchr(names, rest.p[0]) : NULL;
    uint32_t c = 0;
    if (rest.n == 0 || rest.p[0] != 'u') {
        char plain = ' ';
        if (rest.n)
            plain = rest.p[0];
        if (found && *found)
            plain = values[found - names];
        buf_add_char(to, plain);
        return 1;
    }
    for (size_t i = 1; i < 5 && i < rest.n && hex_digit(rest.p[i]) >= 0; i++)
        c = c << 4 | (uint32_t)hex_digit(rest.p[i]);
    if (c < ' ' || (c >= 0xD800 && c < 0xE000))
        buf_add_char(to, ' ');
    else
        utf8_add(to, c);
    return 5;
}

Str index_text(Str stream, Str body, Arena *into)
{
    if (!str_starts(stream, S("artifacts/")) || str_find(body, '\\') == body.n)
        return body;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    for (size_t at = 0; at < body.n;) {
        if (body.p[at] != '\\')
            buf_add_char(&text, body.p[at++]);
        else
            at += 1 + unescape(str_from(body, at + 1), &text);
    }
    return arena_copy(into, buf_str(&text));
}

/* A run's folds and clearings say nothing that its other records do not, and what a loop began or
 * ended with is not what it found out.  Notices of a hook are what was done. */
bool index_label(Str stream, const Record *r, Arena *into, Str *label)
{
    *label = (Str){ 0 };
    const CoveredKind *kind = kind_of(stream);
    if (!kind || !mark_live(&r->mark) || r->mark.redacted)
        return false;
    json_t *read = NULL;
    if (!kind->log || r->meta.n == 0 || json_read(r->meta, &read, NULL) != JOT_OK)
        return true;
    AUTO_PTR(json_t) meta = read;
    Str what = json_str(json_object_get(meta, "kind"));
    static const char *const silent[] = { "fold", "clear", "setup", "notice", "end" };
    for (size_t i = 0; i < COUNT_OF(silent); i++)
        if (str_eq(what, str(silent[i])) &&
            !(str_eq(what, S("notice")) && str_starts(stream, S(SESSION_RUNS))))
            return false;
    *label = arena_copy(into, json_str(json_object_get(meta, "tool")));
    return true;
}

/* --- What is known ----------------------------------------------------------------------- */

typedef struct Feed {
    Index *x;
    SegDraft *draft;
    bool forgot;             /* text may have gone from what was read before */
    uint64_t streams, total; /* looked at, of so many; total 0: nobody asks */
} Feed;

static uint64_t first_bytes(Hash h)
{
    uint64_t out;
    memcpy(&out, h.b, sizeof out);
    return out;
}

/* A document is what it was if neither its history nor its text differ; an edit that nobody has
 * recorded has no history, only the time of its file. */
static uint64_t print_of(const Mark *m, bool log)
{
    uint64_t all = first_bytes(m->chain) ^ (log ? 0 : first_bytes(m->sha256) * 3);
    all ^= m->seq ? 0 : (uint64_t)m->at_ms;
    return all & ((UINT64_C(1) << 48) - 1);
}

static void drop_rows(Feed *f, Str stream, uint64_t from, uint64_t to)
{
    index_kill(f->x, stream, from, to);
    draft_drop(f->draft, stream, from, to);
}

static void drop_stream(Feed *f, Str stream, bool known)
{
    drop_rows(f, stream, 0, STORE_SEQ_MAX);
    if (known)
        draft_stream(f->draft, stream, &(SegStream){ .gone = true });
}

static void add_row(Feed *f, Str stream, const Record *r, Str label)
{
    AUTO(Arena) arena = { 0 };
    draft_row(f->draft, stream, r, label, index_text(stream, r->body, &arena));
}

/* --- Streams --------------------------------------------------------------------------- */

/* What a history has lost. */
typedef struct History {
    uint64_t oldest;   /* seq of the oldest record kept */
    uint64_t redacted; /* records without body */
} History;

static jot_status count_redacted(void *ctx, const Record *r)
{
    History *h = ctx;
    if (h->oldest == 0)
        h->oldest = r->mark.seq;
    h->redacted += r->mark.redacted;
    return JOT_OK;
}

/* Damage in one stream must not keep the others from being found. */
static bool is_damage(jot_status st)
{
    return st == JOT_CORRUPT || st == JOT_DENIED || st == JOT_TOO_BIG || st == JOT_INVALID;
}

static jot_status look_at_history(Index *x, Str stream, History *out, Err *e)
{
    Err why = { 0 };
    *out = (History){ 0 };
    jot_status st = memory_each_record(x->m, stream,
                                       &(RecordVisit){ .each = count_redacted, .ctx = out }, &why);
    if (st == JOT_OK || st == JOT_NOT_FOUND || is_damage(st))
        return JOT_OK;
    if (e)
        *e = why;
    return st;
}

/* A history that was purged, or trimmed behind all that was read, took text along; so did a
 * redaction. */
static void notice_forgetting(Index *x, const SegStream *k, const History *h)
{
    /* Of an edit that nobody had recorded (seq 0) a history that begins later is all there is. */
    bool lost = k->seq ? h->oldest == 0 || h->oldest > k->seq : h->oldest > 1;
    if (lost || h->redacted > k->redacted)
        x->scrub = true;
}

static jot_status feed_document(Feed *f, Str stream, SegStream *k, bool known, Err *e)
{
    Index *x = f->x;
    AUTO(Arena) arena = { 0 };
    Record head;
    Err why = { 0 };
    Str label;
    jot_status st = store_head(x->m->store, stream, HEAD_RECORD, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND && !is_damage(st)) {
        if (e)
            *e = why;
        return st;
    }
    History h = { .redacted = k->redacted };
    if (known && f->forgot)
        TRY(look_at_history(x, stream, &h, e));
    if (known && f->forgot && st == JOT_OK)
        notice_forgetting(x, k, &h);
    if (st != JOT_OK) {
        drop_stream(f, stream, known);
        return JOT_OK;
    }
    uint64_t print = print_of(&head.mark, false);
    bool same = known && k->seq == head.mark.seq && k->print == print;
    if (same && k->redacted == h.redacted)
        return JOT_OK;
    *k = (SegStream){ .seq = head.mark.seq, .print = print, .redacted = h.redacted };
    draft_stream(f->draft, stream, k);
    if (same)
        return JOT_OK;
    drop_rows(f, stream, 0, STORE_SEQ_MAX);
    if (index_label(stream, &head, &arena, &label))
        add_row(f, stream, &head, label);
    return JOT_OK;
}

typedef struct FeedLog {
    Feed *f;
    Str stream;
    SegStream *k;
    bool behind; /* records up to k->seq are in the index */
    bool other;  /* they are not what they were */
} FeedLog;

static jot_status feed_record(void *ctx, const Record *r)
{
    FeedLog *l = ctx;
    AUTO(Arena) arena = { 0 };
    Str label;
    if (l->behind && r->mark.seq <= l->k->seq) {
        l->other = r->mark.seq == l->k->seq && print_of(&r->mark, true) != l->k->print;
        return l->other ? JOT_CONFLICT : JOT_OK;
    }
    if (l->behind && l->k->seq + 1 < r->mark.seq)
        l->other = true; /* what was read last is gone */
    if (l->other)
        return JOT_CONFLICT;
    l->k->seq = r->mark.seq;
    l->k->print = print_of(&r->mark, true);
    l->k->redacted += r->mark.redacted;
    l->behind = false;
    if (r->mark.op == OP_DELETE)
        drop_rows(l->f, l->stream, 0, STORE_SEQ_MAX);
    else if (index_label(l->stream, r, &arena, &label))
        add_row(l->f, l->stream, r, label);
    return JOT_OK;
}

static jot_status drop_redacted(void *ctx, const Record *r)
{
    FeedLog *l = ctx;
    if (r->mark.redacted)
        drop_rows(l->f, l->stream, r->mark.seq, r->mark.seq);
    return JOT_OK;
}

/* From the record that was read last on, or from the start. */
static jot_status read_log(FeedLog *l, uint64_t from, Err *e)
{
    Err why = { 0 };
    jot_status st = memory_each_record(
        l->f->x->m, l->stream, &(RecordVisit){ .from = from, .each = feed_record, .ctx = l }, &why);
    if (st == JOT_OK || st == JOT_NOT_FOUND || (st == JOT_CONFLICT && l->other) || is_damage(st))
        return JOT_OK;
    if (e && why.status)
        *e = why;
    return st;
}

/* What has gone of a run that was read before. */
static jot_status look_for_losses(FeedLog *l, const SegStream *before, Err *e)
{
    Index *x = l->f->x;
    History h;
    TRY(look_at_history(x, l->stream, &h, e));
    notice_forgetting(x, before, &h);
    if (h.oldest > 1)
        drop_rows(l->f, l->stream, 0, h.oldest - 1); /* what was trimmed */
    if (h.oldest == 0) {
        l->k->seq = 0;
        return JOT_OK;
    }
    if (l->other) {
        *l->k = (SegStream){ 0 };
        drop_rows(l->f, l->stream, 0, STORE_SEQ_MAX);
        *l = (FeedLog){ .f = l->f, .stream = l->stream, .k = l->k };
        return read_log(l, 0, e);
    }
    if (h.redacted > before->redacted) {
        jot_status st = memory_each_record(x->m, l->stream,
                                           &(RecordVisit){ .each = drop_redacted, .ctx = l }, e);
        if (st != JOT_OK && !is_damage(st))
            return st;
        l->k->redacted = h.redacted;
    }
    return JOT_OK;
}

static jot_status feed_log(Feed *f, Str stream, SegStream *k, bool known, Err *e)
{
    FeedLog l = { .f = f, .stream = stream, .k = k, .behind = known };
    SegStream before = *k;
    TRY(read_log(&l, known ? before.seq : 0, e));
    if (known && (f->forgot || l.other))
        TRY(look_for_losses(&l, &before, e));
    if (k->seq == 0)
        drop_stream(f, stream, known);
    else if (!known || k->seq != before.seq || k->print != before.print ||
             k->redacted != before.redacted)
        draft_stream(f->draft, stream, k);
    return JOT_OK;
}

static jot_status feed_stream(Feed *f, Str stream, Err *e)
{
    const CoveredKind *kind = kind_of(stream);
    SegStream k;
    if (!kind || draft_has(f->draft, stream))
        return JOT_OK;
    bool known = index_known(f->x, stream, &k);
    TRY(kind->log ? feed_log(f, stream, &k, known, e) : feed_document(f, stream, &k, known, e));
    if (++f->streams % PROGRESS_EVERY == 0 && f->x->progress)
        f->x->progress(f->x->ctx, f->streams, f->total);
    return JOT_OK;
}

/* --- Everything ------------------------------------------------------------------------ */

typedef struct EachListed {
    Feed *f;
    Str *met; /* in byte order: kinds are listed so, and the names of a kind */
    size_t n, cap;
    Arena arena;
    Err *e;
} EachListed;

static void each_listed_done(EachListed *each)
{
    arena_free(&each->arena);
}
DEFINE_AUTO(EachListed, each_listed_done)

static jot_status feed_listed(void *ctx, const Listed *l)
{
    EachListed *each = ctx;
    TRY(memory_progress(each->f->x->m, 0, each->e)); /* the walk counts the names */
    each->met = arena_grow(&each->arena, each->met, each->n, &each->cap, sizeof(Str), alignof(Str));
    each->met[each->n++] = arena_copy(&each->arena, l->name);
    return feed_stream(each->f, l->name, each->e);
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

/* Streams that were not met are not there any more. */
static void drop_unmet(EachListed *each)
{
    Index *x = each->f->x;
    if (each->n)
        qsort(each->met, each->n, sizeof(Str), by_bytes);
    for (size_t i = 0; i < x->n; i++) {
        SegKeys k;
        SegStream known;
        char from[] = { KEY_STREAM };
        bool more = seg_keys_from(&k, &x->segs[i], (Str){ from, 1 });
        for (; more && k.key[0] == KEY_STREAM; more = seg_keys_next(&k)) {
            Str name = { k.key + 1, k.key_n - 1 };
            if (each->n && bsearch(&name, each->met, each->n, sizeof(Str), by_bytes))
                continue;
            if (!index_known(x, name, &known))
                continue;
            x->scrub = true; /* nobody says how it went */
            drop_stream(each->f, name, true);
        }
        x->broken = x->broken || x->segs[i].bad;
    }
}

static jot_status count_listed(void *ctx, const Listed *l)
{
    (void)l;
    ((Feed *)ctx)->total++;
    return JOT_OK;
}

static jot_status feed_all(Feed *f, Err *e)
{
    AUTO(EachListed) each = { .f = f, .e = e };
    jot_status st = JOT_OK;
    for (size_t i = 0; f->x->progress && i < COUNT_OF(covered); i++)
        TRY(memory_each(f->x->m, str(covered[i].prefix), LIST_ALL_NAMES, count_listed, f, e));
    for (size_t i = 0; st == JOT_OK && i < COUNT_OF(covered); i++)
        st = memory_each(f->x->m, str(covered[i].prefix), LIST_ALL, feed_listed, &each, e);
    if (st == JOT_OK)
        drop_unmet(&each);
    return st;
}

static jot_status feed_changes(Feed *f, const Changes *c, Err *e)
{
    f->total += c->n;
    if (c->rescan)
        TRY(feed_all(f, e));
    for (size_t i = 0; i < c->n; i++) {
        TRY(memory_progress(f->x->m, 1, e));
        TRY(feed_stream(f, c->names[i], e));
    }
    return JOT_OK;
}

static jot_status take_draft(Index *x, SegDraft *draft, Err *e)
{
    AUTO(Buf) bytes = { 0 };
    if (draft_empty(draft))
        return JOT_OK;
    draft_end(draft, &bytes);
    if (index_add(x, &bytes))
        return JOT_OK;
    x->broken = true;
    return err_set(e, JOT_IO, "a segment of the search index came out wrong");
}

static jot_status catch_up_once(Index *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    TRY(index_load(x, e));
    TRY(store_changes(x->m->store, &x->at, 0, &arena, &c, e));
    x->scrub = false;
    x->changes += c.rescan || c.n || c.forgot;
    if (c.rescan || c.n) {
        AUTO_PTR(SegDraft) draft = draft_new(x->stemmer);
        Feed f = { .x = x, .draft = draft, .forgot = c.rescan || c.forgot };
        TRY(feed_changes(&f, &c, e));
        TRY(take_draft(x, draft, e));
    }
    x->at = c.next;
    return JOT_OK;
}

/* A document's count of redacted records is not found on the way, as that of a run is. */
static jot_status feed_again(Feed *f, Str stream, Err *e)
{
    SegStream old, k = { 0 };
    History h;
    const CoveredKind *kind = kind_of(stream);
    if (!kind || draft_has(f->draft, stream))
        return JOT_OK;
    bool known = index_known(f->x, stream, &old);
    drop_rows(f, stream, 0, STORE_SEQ_MAX);
    TRY(look_at_history(f->x, stream, &h, e));
    k.redacted = kind->log ? 0 : h.redacted;
    TRY(kind->log ? feed_log(f, stream, &k, false, e) : feed_document(f, stream, &k, false, e));
    if (known && !draft_has(f->draft, stream))
        draft_stream(f->draft, stream, &(SegStream){ .gone = true });
    return JOT_OK;
}

jot_status index_read_again(Index *x, const Str *streams, size_t n, Err *e)
{
    AUTO_PTR(SegDraft) draft = draft_new(x->stemmer);
    Feed f = { .x = x, .draft = draft };
    for (size_t i = 0; i < n; i++)
        TRY(feed_again(&f, streams[i], e));
    return take_draft(x, draft, e);
}

/* A search that found text gone takes it out of the index before anything else; if others publish
 * again and again meanwhile, all goes. */
jot_status index_catch_up(Index *x, Err *e)
{
    enum { SCRUB_TRIES = 4 };
    for (int tries = 0;; tries++) {
        bool done = true;
        jot_status st = catch_up_once(x, e);
        if (st != JOT_OK) { /* rows may be dead already that should not be */
            index_unload(x);
            return st;
        }
        if (x->broken)
            return err_set(e, JOT_CORRUPT, "the search index is damaged");
        if (x->scrub && tries < SCRUB_TRIES)
            TRY(index_scrub(x, &done, e));
        else if (x->scrub && tries == SCRUB_TRIES) {
            TRY(index_empty(x, e));
            done = false;
        }
        if (done)
            break;
    }
    index_publish(x, false);
    return JOT_OK;
}
