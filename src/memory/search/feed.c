/* feed.c - what changed in the pad goes into the index.
 *
 * store_changes names the streams that may have changed.  Of a document the
 * head is read again, of a run what comes behind the record read last; if that
 * record is not there any more as it was, the run is read from its start.  All of
 * it, and the cursor, is one transaction: whoever is killed has done nothing.
 *
 * If the pad says that text was forgotten, or cannot say, a stream that was in
 * the index already is also asked what has gone: records redacted since, or a
 * whole history.  Else its history is not read again.  Then deleting rows
 * is not enough, for FTS5 keeps the words of deleted rows until it merges its
 * segments, and SQLite's pages keep what was moved.  So the words are written
 * anew and the file is rebuilt from its content (VACUUM); the fact `scrub` says
 * that this is due, and is committed together with the rows. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "memory/search/index.h"

enum { READ_PAGE = 100, PROGRESS_EVERY = 200 };

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

/* --- Cutting --------------------------------------------------------------------------- */

void index_words_done(IndexWords *w)
{
    for (size_t i = 0; i < COLUMNS; i++)
        buf_free(&w->columns[i]);
}

static void add_token(Buf *to, Str token)
{
    if (to->n)
        buf_add_char(to, ' ');
    buf_add(to, token);
}

/* Plain words in a row; stems only of words that are not their own. */
static void cut_text(Index *x, Str text, Buf *plain, Buf *stem, Buf *whole)
{
    AUTO(Words) words;
    Chunk c;
    words_init(&words, text);
    while (words_next(&words, &c)) {
        for (size_t i = 0; i < c.parts_n; i++) {
            Str part = c.parts[i].text;
            add_token(plain, part);
            Str s = c.dense ? part : stem_of(x->stemmer, part);
            if (!str_eq(s, part))
                add_token(stem, s);
        }
        for (size_t i = 0; i < c.wholes_n; i++)
            add_token(whole, c.wholes[i]);
    }
}

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

void index_cut(Index *x, Str stream, Str label, Str text, IndexWords *out)
{
    *out = (IndexWords){ 0 };
    for (size_t i = 0; i < COLUMNS; i++)
        out->columns[i].max = SIZE_MAX / 2;
    if (utf8_valid(text))
        cut_text(x, text, &out->columns[COLUMN_PLAIN], &out->columns[COLUMN_STEM],
                 &out->columns[COLUMN_WHOLE]);
    /* The kind is a filter, not a word of the name. */
    Str name = str_from(stream, str_find(stream, '/') + 1);
    AUTO(Buf) stems = { 0 };
    AUTO(Buf) wholes = { 0 };
    Buf *to = &out->columns[COLUMN_NAME];
    cut_text(x, name, to, &stems, &wholes);
    cut_text(x, label, to, &stems, &wholes);
    if (stems.n)
        add_token(to, buf_str(&stems));
    if (wholes.n)
        add_token(to, buf_str(&wholes));
}

/* --- Rows ------------------------------------------------------------------------------ */

/* What the index knows of a stream. */
typedef struct Known {
    int64_t id; /* 0: nothing */
    uint64_t seq;
    Hash chain, sha256;
    uint64_t redacted;
} Known;

typedef struct Feed {
    Index *x;
    int64_t pass;
    bool forgot; /* text may have gone from what was read before */
    uint64_t streams;
} Feed;

static void column_hash(sqlite3_stmt *q, int at, Hash *out)
{
    const void *p = sqlite3_column_blob(q, at);
    *out = (Hash){ 0 };
    if (p && sqlite3_column_bytes(q, at) == (int)sizeof out->b)
        memcpy(out->b, p, sizeof out->b);
}

static jot_status find_known(Index *x, Str stream, Known *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    *out = (Known){ 0 };
    TRY(index_stmt(x, INDEX_STREAM, &q, e));
    bind_str(q, 1, stream);
    TRY(index_step(x, q, &row, e));
    if (!row)
        return JOT_OK;
    out->id = sqlite3_column_int64(q, 0);
    out->seq = (uint64_t)sqlite3_column_int64(q, 1);
    column_hash(q, 2, &out->chain);
    column_hash(q, 3, &out->sha256);
    out->redacted = (uint64_t)sqlite3_column_int64(q, 4);
    return JOT_OK;
}

static jot_status set_known(Feed *f, Str stream, Known *k, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(f->x, INDEX_SET_STREAM, &q, e));
    bind_str(q, 1, stream);
    bind_i64(q, 2, (int64_t)k->seq);
    bind_hash(q, 3, &k->chain);
    bind_hash(q, 4, &k->sha256);
    bind_i64(q, 5, (int64_t)k->redacted);
    bind_i64(q, 6, f->pass);
    TRY(index_step(f->x, q, &row, e));
    Known now;
    TRY(find_known(f->x, stream, &now, e));
    k->id = now.id;
    return JOT_OK;
}

static jot_status drop_row(Index *x, int64_t id, Err *e)
{
    static const IndexStmt both[] = { INDEX_DROP_WORDS, INDEX_DROP_ROW };
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        bool row;
        TRY(index_stmt(x, both[i], &q, e));
        bind_i64(q, 1, id);
        TRY(index_step(x, q, &row, e));
    }
    return JOT_OK;
}

/* Drop the rows of a stream whose records stand in [from, to]. */
static jot_status drop_range(Index *x, int64_t stream, uint64_t from, uint64_t to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    int64_t *ids = NULL;
    size_t n = 0, cap = 0;
    {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        bool row;
        TRY(index_stmt(x, INDEX_ROWS_OF, &q, e));
        bind_i64(q, 1, stream);
        TRY(index_step(x, q, &row, e));
        for (; row;) {
            uint64_t seq = (uint64_t)sqlite3_column_int64(q, 1);
            if (seq >= from && seq <= to) {
                ids = arena_grow(&arena, ids, n, &cap, sizeof *ids, alignof(int64_t));
                ids[n++] = sqlite3_column_int64(q, 0);
            }
            TRY(index_step(x, q, &row, e));
        }
    }
    for (size_t i = 0; i < n; i++)
        TRY(drop_row(x, ids[i], e));
    return JOT_OK;
}

static jot_status drop_rows(Index *x, int64_t stream, Err *e)
{
    return drop_range(x, stream, 0, STORE_SEQ_MAX, e);
}

static jot_status add_row(Index *x, Str stream, int64_t stream_id, const Record *r, Str label,
                          Err *e)
{
    bool row;
    {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        TRY(index_stmt(x, INDEX_ADD_ROW, &q, e));
        bind_i64(q, 1, stream_id);
        bind_i64(q, 2, (int64_t)r->mark.seq);
        bind_i64(q, 3, r->mark.at_ms);
        bind_str(q, 4, r->by);
        TRY(index_step(x, q, &row, e));
    }
    AUTO(IndexWords) words;
    AUTO(Arena) arena = { 0 };
    index_cut(x, stream, label, index_text(stream, r->body, &arena), &words);
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(index_stmt(x, INDEX_ADD_WORDS, &q, e));
    bind_i64(q, 1, sqlite3_last_insert_rowid(x->sql));
    for (int i = 0; i < COLUMNS; i++)
        bind_str(q, 2 + i, buf_str(&words.columns[i]));
    return index_step(x, q, &row, e);
}

static jot_status drop_stream(Index *x, const Known *k, Err *e)
{
    if (k->id == 0)
        return JOT_OK;
    TRY(drop_rows(x, k->id, e));
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(x, INDEX_DROP_STREAM, &q, e));
    bind_i64(q, 1, k->id);
    return index_step(x, q, &row, e);
}

/* A run's folds and clearings say nothing that its other records do not, and what a loop began or
 * ended with is not what it found out. */
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
        if (str_eq(what, str(silent[i])))
            return false;
    *label = arena_copy(into, json_str(json_object_get(meta, "tool")));
    return true;
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
    jot_status st = memory_each_record(x->m, stream, 0, count_redacted, out, NULL, &why);
    if (st == JOT_OK || st == JOT_NOT_FOUND || is_damage(st))
        return JOT_OK;
    if (e)
        *e = why;
    return st;
}

/* A history that was purged, or trimmed behind all that was read, took text along; so did a
 * redaction. */
static void notice_forgetting(Index *x, const Known *k, const History *h)
{
    /* Of an edit that nobody had recorded (seq 0) a history that begins later is all there is. */
    bool lost = k->seq ? h->oldest == 0 || h->oldest > k->seq : h->oldest > 1;
    if (k->id && (lost || h->redacted > k->redacted))
        x->scrub = true;
}

static jot_status feed_document(Feed *f, Str stream, Known *k, Err *e)
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
    bool look = k->id && f->forgot;
    if (look)
        TRY(look_at_history(x, stream, &h, e));
    if (look && st == JOT_OK)
        notice_forgetting(x, k, &h);
    if (st != JOT_OK)
        return drop_stream(x, k, e);
    bool same = k->id && k->seq == head.mark.seq && hash_eq(k->sha256, head.mark.sha256) &&
                hash_eq(k->chain, head.mark.chain);
    *k = (Known){ k->id, head.mark.seq, head.mark.chain, head.mark.sha256, h.redacted };
    TRY(set_known(f, stream, k, e));
    if (same)
        return JOT_OK;
    TRY(drop_rows(x, k->id, e));
    return index_label(stream, &head, &arena, &label) ? add_row(x, stream, k->id, &head, label, e)
                                                      : JOT_OK;
}

typedef struct FeedLog {
    Feed *f;
    Str stream;
    Known *k;
    bool behind; /* records up to k->seq are in the index */
    bool other;  /* they are not what they were */
    Err *e;
} FeedLog;

static jot_status feed_record(void *ctx, const Record *r)
{
    FeedLog *l = ctx;
    AUTO(Arena) arena = { 0 };
    Str label;
    if (l->behind && r->mark.seq <= l->k->seq) {
        l->other = r->mark.seq == l->k->seq && !hash_eq(r->mark.chain, l->k->chain);
        return l->other ? JOT_CONFLICT : JOT_OK;
    }
    if (l->behind && l->k->seq + 1 < r->mark.seq)
        l->other = true; /* what was read last is gone */
    if (l->other)
        return JOT_CONFLICT;
    l->k->seq = r->mark.seq;
    l->k->chain = r->mark.chain;
    l->k->redacted += r->mark.redacted;
    l->behind = false;
    if (r->mark.op == OP_DELETE)
        return drop_rows(l->f->x, l->k->id, l->e);
    if (!index_label(l->stream, r, &arena, &label))
        return JOT_OK;
    return add_row(l->f->x, l->stream, l->k->id, r, label, l->e);
}

static jot_status drop_redacted(void *ctx, const Record *r)
{
    FeedLog *l = ctx;
    uint64_t seq = r->mark.seq;
    return r->mark.redacted ? drop_range(l->f->x, l->k->id, seq, seq, l->e) : JOT_OK;
}

/* From the record that was read last on, or from the start. */
static jot_status read_log(FeedLog *l, uint64_t from, Err *e)
{
    Err why = { 0 };
    jot_status st = memory_each_record(l->f->x->m, l->stream, from, feed_record, l, NULL, &why);
    if (st == JOT_OK || st == JOT_NOT_FOUND || (st == JOT_CONFLICT && l->other) ||
        (is_damage(st) && !l->f->x->broken))
        return JOT_OK;
    if (e && why.status)
        *e = why;
    return st;
}

static jot_status feed_log(Feed *f, Str stream, Known *k, Err *e)
{
    Index *x = f->x;
    FeedLog l = { .f = f, .stream = stream, .k = k, .behind = k->id != 0, .e = e };
    Known before = *k;
    History h = { 0 };
    TRY(set_known(f, stream, k, e)); /* rows need its number */
    TRY(read_log(&l, before.id ? before.seq : 0, e));
    if (before.id && (f->forgot || l.other)) {
        TRY(look_at_history(x, stream, &h, e));
        notice_forgetting(x, &before, &h);
        if (h.oldest == 0)
            return drop_stream(x, k, e);
        TRY(drop_range(x, k->id, 0, h.oldest - 1, e)); /* what was trimmed */
    }
    if (before.id && l.other) {
        *k = (Known){ .id = before.id };
        TRY(drop_rows(x, k->id, e));
        l = (FeedLog){ .f = f, .stream = stream, .k = k, .e = e };
        TRY(read_log(&l, 0, e));
    } else if (h.redacted > before.redacted) {
        Err why = { 0 };
        jot_status st = memory_each_record(x->m, stream, 0, drop_redacted, &l, NULL, &why);
        if (st != JOT_OK && x->broken)
            return st;
        k->redacted = h.redacted;
    }
    if (k->seq == 0)
        return drop_stream(x, k, e);
    return set_known(f, stream, k, e);
}

static jot_status feed_stream(Feed *f, Str stream, Err *e)
{
    const CoveredKind *kind = kind_of(stream);
    Known k;
    if (!kind)
        return JOT_OK;
    TRY(find_known(f->x, stream, &k, e));
    TRY(kind->log ? feed_log(f, stream, &k, e) : feed_document(f, stream, &k, e));
    if (++f->streams % PROGRESS_EVERY == 0 && f->x->progress)
        f->x->progress(f->x->ctx, f->streams);
    return JOT_OK;
}

/* --- Everything ------------------------------------------------------------------------ */

typedef struct EachListed {
    Feed *f;
    Err *e;
} EachListed;

static jot_status feed_listed(void *ctx, const Listed *l)
{
    EachListed *each = ctx;
    TRY(memory_progress(each->f->x->m, 0, each->e)); /* the walk counts the names */
    return feed_stream(each->f, l->name, each->e);
}

/* Streams that were not met in this pass are not there any more. */
static jot_status feed_unseen(Feed *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str *names = NULL;
    size_t n = 0, cap = 0;
    {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        bool row;
        TRY(index_stmt(f->x, INDEX_UNSEEN, &q, e));
        bind_i64(q, 1, f->pass);
        TRY(index_step(f->x, q, &row, e));
        for (; row;) {
            names = arena_grow(&arena, names, n, &cap, sizeof *names, alignof(Str));
            names[n++] = arena_copy(&arena, column_str(q, 0));
            TRY(index_step(f->x, q, &row, e));
        }
    }
    for (size_t i = 0; i < n; i++) {
        Known k;
        TRY(find_known(f->x, names[i], &k, e));
        f->x->scrub = true; /* nobody says how it went */
        TRY(drop_stream(f->x, &k, e));
    }
    return JOT_OK;
}

static jot_status feed_all(Feed *f, Err *e)
{
    for (size_t i = 0; i < COUNT_OF(covered); i++) {
        EachListed each = { f, e };
        TRY(memory_each(f->x->m, str(covered[i].prefix), LIST_ALL, feed_listed, &each, e));
    }
    return feed_unseen(f, e);
}

/* Everything FTS5 and SQLite still keep of deleted rows goes. */
static jot_status scrub(Index *x, Err *e)
{
    TRY(index_exec(x, "INSERT INTO words(words) VALUES('rebuild')", e));
    TRY(index_exec(x, "VACUUM", e));
    return index_set_fact(x, "scrub", S("0"), e);
}

static jot_status scrub_if_due(Index *x, Err *e)
{
    char due[8];
    TRY(index_fact(x, "scrub", due, sizeof due, e));
    return strcmp(due, "1") == 0 ? scrub(x, e) : JOT_OK;
}

static jot_status next_pass(Index *x, int64_t *out, Err *e)
{
    char text[24];
    TRY(index_fact(x, "pass", text, sizeof text, e));
    *out = 0;
    if (!str_to_i64(str(text), 0, INT64_MAX - 1, out))
        *out = 0;
    return JOT_OK;
}

/* Inside the transaction. */
static jot_status feed_changes(Index *x, const Changes *c, Err *e)
{
    Feed f = { .x = x, .forgot = c->rescan || c->forgot };
    TRY(next_pass(x, &f.pass, e));
    if (c->rescan) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)++f.pass);
        TRY(feed_all(&f, e));
        TRY(index_set_fact(x, "pass", str(text), e));
    }
    for (size_t i = 0; i < c->n; i++) {
        TRY(memory_progress(x->m, 1, e));
        TRY(feed_stream(&f, c->names[i], e));
    }
    if (x->scrub)
        TRY(index_set_fact(x, "scrub", S("1"), e));
    return index_set_fact(x, "cursor", str(c->next.text), e);
}

static jot_status end(Index *x, jot_status st, Err *e)
{
    if (st == JOT_OK)
        st = index_run(x, INDEX_COMMIT, e);
    if (st != JOT_OK && sqlite3_get_autocommit(x->sql) == 0)
        sqlite3_exec(x->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

/* Somebody else may have been here since: the cursor in the file decides. */
static jot_status feed_locked(Index *x, Changes *c, Arena *arena, Err *e)
{
    Cursor now;
    TRY(index_fact(x, "cursor", now.text, sizeof now.text, e));
    if (strcmp(now.text, x->saved.text) != 0)
        TRY(store_changes(x->m->store, &now, 0, arena, c, e));
    return feed_changes(x, c, e);
}

jot_status index_catch_up(Index *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Cursor saved;
    Changes c;
    TRY(index_open(x, e));
    TRY(index_fact(x, "cursor", saved.text, sizeof saved.text, e));
    if (strcmp(saved.text, x->saved.text) != 0 || !x->at.text[0])
        x->saved = x->at = saved;
    TRY(store_changes(x->m->store, &x->at, 0, &arena, &c, e));
    if (!c.rescan && c.n == 0) {
        x->at = c.next;
        return scrub_if_due(x, e);
    }
    x->scrub = false;
    TRY(index_run(x, INDEX_BEGIN, e));
    TRY(end(x, feed_locked(x, &c, &arena, e), e));
    x->saved = x->at = c.next;
    return scrub_if_due(x, e);
}
