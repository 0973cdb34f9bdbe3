/* search.c - depth first over all orders that real time allows, never twice into the same
 * (set of operations done, state of the stream). */
#include "search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

enum {
    WORDS = (SEARCH_MAX + 63) / 64,
    TRIED_SLOTS = 1 << 13,
    TRIED_MAX = TRIED_SLOTS / 2, /* then it gives up */
};

/* --- The model -------------------------------------------------------------------------- */

typedef struct ModelRecord {
    uint64_t seq, id, content;
    Hash sha;
    uint8_t op; /* 0: no record */
} ModelRecord;

typedef struct Model {
    uint64_t seq;
    ModelRecord recent[STORE_ID_WINDOW]; /* record s is at s % STORE_ID_WINDOW */
    uint64_t makers;                     /* digest of who made what since the start */
} Model;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDu;
    x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53u;
    return x ^ (x >> 33);
}

static uint64_t add_maker(uint64_t makers, uint64_t worker, uint64_t index)
{
    return mix(makers * 31 + (worker << 40 | (index + 1)));
}

static const ModelRecord *model_head(const Model *m)
{
    static const ModelRecord nothing = { 0 };
    return m->seq ? &m->recent[m->seq % STORE_ID_WINDOW] : &nothing;
}

static const ModelRecord *model_id(const Model *m, uint64_t id)
{
    for (size_t i = 0; id && i < STORE_ID_WINDOW; i++)
        if (m->recent[i].op && m->recent[i].id == id)
            return &m->recent[i];
    return NULL;
}

static bool model_expects(const Model *m, const Entry *e)
{
    const ModelRecord *head = model_head(m);
    switch ((ExpectKind)e->expect) {
    case EXPECT_ANY:
        return true;
    case EXPECT_ABSENT:
        return head->op == 0 || head->op == OP_DELETE;
    case EXPECT_SEQ:
        return m->seq == e->expect_seq;
    case EXPECT_HASH:
        return head->op == OP_PUT && memcmp(&head->sha, &e->expect_sha, sizeof head->sha) == 0;
    }
    return false;
}

/* What the model answers to an append. */
typedef struct ModelAnswer {
    jot_status status;
    ModelRecord mark;
    bool made;
} ModelAnswer;

static ModelAnswer model_append(const Model *m, const Entry *e)
{
    const ModelRecord *head = model_head(m), *same = model_id(m, e->id);
    uint64_t content = e->op == OP_DELETE ? 0 : e->content;
    if (same && same->op == e->op && same->content == content)
        return (ModelAnswer){ JOT_OK, *same, false };
    if (same)
        return (ModelAnswer){ JOT_ID_REUSED, *same, false };
    if (e->answered && e->status == JOT_FENCED && e->guard != HISTORY_NO_STREAM)
        return (ModelAnswer){ JOT_FENCED, *head, false };
    if (!model_expects(m, e))
        return (ModelAnswer){ JOT_CONFLICT, *head, false };
    if (e->op == OP_DELETE && (head->op == 0 || head->op == OP_DELETE))
        return (ModelAnswer){ JOT_NOT_FOUND, *head, false };
    ModelRecord fresh = { .seq = m->seq + 1, .id = e->id, .content = content, .op = e->op };
    if (e->op != OP_DELETE)
        fresh.sha = content_sha(content);
    return (ModelAnswer){ JOT_OK, fresh, true };
}

static bool shows(const Entry *e, const ModelRecord *r)
{
    return (e->seq == 0 || e->seq == r->seq) && e->mark_op == r->op &&
           memcmp(&e->sha, &r->sha, sizeof r->sha) == 0;
}

static bool append_agrees(const Entry *e, const ModelAnswer *a)
{
    if (!e->answered)
        return a->made; /* otherwise it did nothing, which needs no place */
    if (e->status != a->status)
        return false;
    if (a->status == JOT_NOT_FOUND || a->status == JOT_ID_REUSED)
        return true;
    return e->seq == a->mark.seq && shows(e, &a->mark);
}

/* Older records than the window are not in the model; they are taken from the end. */
static bool digest_agrees(const Stream *st, uint64_t from, const Entry *e)
{
    Hash digest = { 0 };
    for (uint64_t seq = from; seq < from + e->count && seq <= st->n; seq++)
        digest = digest_add(digest, seq, &st->records[seq - 1].sha);
    return memcmp(&digest, &e->sha, sizeof digest) == 0;
}

static bool read_agrees(const Model *m, const Entry *e, const Stream *st)
{
    if (m->seq == 0)
        return e->status == JOT_NOT_FOUND;
    uint64_t from = e->expect_seq ? e->expect_seq : 1;
    uint64_t there = m->seq >= from ? m->seq - from + 1 : 0;
    uint64_t count = there < e->limit ? there : e->limit;
    return e->status == JOT_OK && e->count == count && (count == 0 || e->seq == from + count - 1) &&
           !!(e->flags & ENTRY_MORE) == (there > count) && digest_agrees(st, from, e);
}

static bool look_agrees(const Model *m, const Entry *e, const Stream *st)
{
    const ModelRecord *head = model_head(m);
    bool live = head->op == OP_PUT || head->op == OP_APPEND;
    switch ((EntryKind)e->kind) {
    case ENTRY_APPEND:
    case ENTRY_LIST:
        break;
    case ENTRY_HEAD:
        if (m->seq == 0)
            return e->status == JOT_NOT_FOUND;
        return e->status == JOT_OK && (e->seq || e->which == HEAD_VALUE) && shows(e, head);
    case ENTRY_READ:
        return read_agrees(m, e, st);
    case ENTRY_LISTED:
        return (live || (e->which == LIST_ALL && m->seq)) && shows(e, head);
    case ENTRY_UNLISTED:
        return !live && (e->which == LIST_LIVE || m->seq == 0);
    }
    return false;
}

/* --- The search ------------------------------------------------------------------------- */

typedef struct Search {
    const History *h;
    const Culprit *ops;
    size_t n;
    uint64_t to, makers; /* where it must end */
    uint64_t done[WORDS];
    uint64_t (*tried)[2]; /* two independent hashes; 0, 0: free */
    size_t tried_n;
} Search;

static const Entry *entry_at(const Search *s, size_t i)
{
    return &s->h->logs[s->ops[i].worker].items[s->ops[i].index];
}

static bool is_done(const Search *s, size_t i)
{
    return s->done[i / 64] >> (i % 64) & 1;
}

static void flip(Search *s, size_t i)
{
    s->done[i / 64] ^= (uint64_t)1 << (i % 64);
}

/* True if this was tried before; remembers it. */
static bool been_here(Search *s, const Model *m)
{
    uint64_t a = mix(m->makers ^ m->seq), b = mix(m->makers + 0x1234567);
    for (size_t i = 0; i < WORDS; i++) {
        a = mix(a ^ s->done[i]);
        b = mix(b * 3 + s->done[i]);
    }
    a |= 1;
    size_t slot = a % TRIED_SLOTS;
    while (s->tried[slot][0]) {
        if (s->tried[slot][0] == a && s->tried[slot][1] == b)
            return true;
        slot = (slot + 1) % TRIED_SLOTS;
    }
    s->tried[slot][0] = a;
    s->tried[slot][1] = b;
    s->tried_n++;
    return false;
}

/* The earliest answer among those not done: whatever began after it must wait. */
static uint64_t horizon(const Search *s)
{
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const Entry *e = entry_at(s, i);
        if (!is_done(s, i) && e->answered && e->answer_ns < earliest)
            earliest = e->answer_ns;
    }
    return earliest;
}

static void model_add(Model *m, const ModelRecord *r, Culprit maker)
{
    m->seq = r->seq;
    m->recent[r->seq % STORE_ID_WINDOW] = *r;
    m->makers = add_maker(m->makers, maker.worker, maker.index);
}

/* Do everything that changes nothing and can be done now: doing it at once never hurts, since
 * it only frees what waits for it.  What was done is added to `undo`. */
static size_t do_looks(Search *s, const Model *m, uint8_t *undo)
{
    size_t n = 0;
    for (bool again = true; again;) {
        again = false;
        uint64_t earliest = horizon(s);
        for (size_t i = 0; i < s->n; i++) {
            const Entry *e = entry_at(s, i);
            if (is_done(s, i) || e->invoke_ns > earliest || !e->answered)
                continue;
            bool agrees = look_agrees(m, e, &s->h->streams[e->stream]);
            if (e->kind == ENTRY_APPEND) {
                ModelAnswer a = model_append(m, e);
                agrees = !a.made && append_agrees(e, &a);
            }
            if (agrees) {
                flip(s, i);
                undo[n++] = (uint8_t)i;
                again = true;
            }
        }
    }
    return n;
}

static bool finished(const Search *s, const Model *m)
{
    return horizon(s) == UINT64_MAX && m->seq == s->to && m->makers == s->makers;
}

/* At most SEARCH_MAX deep: each level does one more operation. */
static SearchResult descend(Search *s, const Model *m)
{
    uint8_t undo[SEARCH_MAX];
    size_t undo_n = do_looks(s, m, undo);
    SearchResult result = finished(s, m) ? SEARCH_YES : SEARCH_NO;
    if (result == SEARCH_NO && s->tried_n >= TRIED_MAX)
        result = SEARCH_GAVE_UP;
    uint64_t earliest = horizon(s);
    bool fresh = result == SEARCH_NO && !been_here(s, m);
    for (size_t i = 0; fresh && result == SEARCH_NO && i < s->n; i++) {
        const Entry *e = entry_at(s, i);
        if (is_done(s, i) || e->kind != ENTRY_APPEND || e->invoke_ns > earliest)
            continue;
        ModelAnswer a = model_append(m, e);
        if (!a.made || !append_agrees(e, &a))
            continue;
        Model next = *m;
        model_add(&next, &a.mark, s->ops[i]);
        flip(s, i);
        result = descend(s, &next);
        flip(s, i);
    }
    for (size_t i = 0; i < undo_n; i++)
        flip(s, undo[i]);
    return result;
}

static ModelRecord model_record(uint64_t seq, const Found *f)
{
    return (ModelRecord){ seq, f->id, f->content, f->sha, f->op };
}

SearchResult search_run(const History *h, size_t stream, uint64_t from, uint64_t to,
                        const Culprit *ops, size_t n)
{
    const Stream *st = &h->streams[stream];
    assert(n <= SEARCH_MAX && from <= to && to <= st->n);
    Search s = { .h = h, .ops = ops, .n = n, .to = to };
    Model m = { .seq = from };
    for (uint64_t seq = from; seq > 0 && seq + STORE_ID_WINDOW > from; seq--)
        m.recent[seq % STORE_ID_WINDOW] = model_record(seq, &st->records[seq - 1]);
    for (uint64_t seq = from + 1; seq <= to; seq++) {
        const Found *f = &st->records[seq - 1];
        uint64_t who = f->sound && f->signed_by_us ? f->worker : HISTORY_WORKERS_MAX;
        s.makers = add_maker(s.makers, who, f->index);
    }
    s.tried = mem_alloc(TRIED_SLOTS * sizeof *s.tried);
    SearchResult result = descend(&s, &m);
    free(s.tried);
    return result;
}

size_t search_all(const History *h, size_t stream, Culprit *ops)
{
    size_t n = 0;
    for (size_t w = 0; w < h->log_n; w++)
        for (size_t i = 0; i < h->logs[w].n && n <= SEARCH_MAX; i++) {
            const Entry *e = &h->logs[w].items[i];
            bool asks = e->kind == ENTRY_APPEND || (e->kind != ENTRY_LIST && e->answered);
            if (asks && e->stream == stream)
                ops[n++] = (Culprit){ w, i };
        }
    return n;
}

/* The state the entry saw, if it made nothing and its answer says so. */
static bool saw_state(const Entry *e, uint64_t *t)
{
    return e->kind != ENTRY_LIST && e->answered && answer_state(e, t);
}

size_t search_window(const History *h, size_t stream, uint64_t from, uint64_t to, Culprit *ops)
{
    const Stream *st = &h->streams[stream];
    size_t n = 0;
    for (uint64_t seq = from + 1; seq <= to && n <= SEARCH_MAX; seq++)
        ops[n++] = (Culprit){ st->records[seq - 1].worker, st->records[seq - 1].index };
    for (size_t w = 0; w < h->log_n; w++)
        for (size_t i = 0; i < h->logs[w].n && n <= SEARCH_MAX; i++) {
            const Entry *e = &h->logs[w].items[i];
            uint64_t t;
            if (e->stream == stream && saw_state(e, &t) && t >= from && t <= to)
                ops[n++] = (Culprit){ w, i };
        }
    return n;
}
