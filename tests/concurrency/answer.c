/* answer.c - the contract of single operations, as a predicate on states. */
#include "answer.h"

const Found *stream_head(const Stream *st, uint64_t t)
{
    return t > 0 && t <= st->n ? &st->records[t - 1] : NULL;
}

bool found_live(const Found *f)
{
    return f && f->op != OP_DELETE;
}

bool expect_holds(const Entry *e, const Stream *st, uint64_t t)
{
    const Found *head = stream_head(st, t);
    switch ((ExpectKind)e->expect) {
    case EXPECT_ANY:
        return true;
    case EXPECT_ABSENT:
        return !found_live(head);
    case EXPECT_SEQ:
        return t == e->expect_seq;
    case EXPECT_HASH:
        return head && head->op == OP_PUT && hash_eq(head->sha, e->expect_sha);
    }
    return false;
}

uint64_t id_found(const Entry *e, const Stream *st, uint64_t t)
{
    for (uint64_t seq = t; e->id && seq > 0 && seq + STORE_ID_WINDOW > t; seq--)
        if (stream_head(st, seq) && stream_head(st, seq)->id == e->id)
            return seq;
    return 0;
}

bool found_is(const Found *f, const Entry *e)
{
    uint64_t content = e->op == OP_DELETE ? 0 : e->content;
    return f && f->sound && f->op == e->op && f->content == content && f->id == e->id;
}

bool mark_fits(const Entry *e, const Stream *st, uint64_t t)
{
    const Found *head = stream_head(st, t);
    if (!head)
        return t == 0 && e->seq == 0 && e->mark_op == 0;
    bool placed = e->seq == 0 || e->seq == t;
    return placed && e->mark_op == head->op && hash_eq(e->sha, head->sha);
}

bool append_fits_before(const Entry *e, const Stream *st, uint64_t seq)
{
    uint64_t before = seq - 1;
    return !id_found(e, st, before) && expect_holds(e, st, before) &&
           (e->op != OP_DELETE || found_live(stream_head(st, before)));
}

/* An append that made no record. */
static bool append_fits(const Entry *e, const Stream *st, uint64_t t)
{
    uint64_t same = id_found(e, st, t);
    switch ((jot_status)e->status) {
    case JOT_OK:
        return same && e->seq == same && found_is(stream_head(st, same), e) &&
               mark_fits(e, st, same);
    case JOT_ID_REUSED:
        return same && !found_is(stream_head(st, same), e);
    case JOT_CONFLICT:
        return !same && mark_fits(e, st, t) && !expect_holds(e, st, t);
    case JOT_FENCED:
        return !same && mark_fits(e, st, t) && e->guard != HISTORY_NO_STREAM;
    case JOT_NOT_FOUND:
        return !same && e->op == OP_DELETE && expect_holds(e, st, t) &&
               !found_live(stream_head(st, t));
    case JOT_UNAVAILABLE:
        return e->flags & ENTRY_OUTAGE;
    case JOT_INVALID:
    case JOT_TOO_BIG:
    case JOT_IO:
    case JOT_LEASED:
    case JOT_READ_ONLY:
    case JOT_CORRUPT:
    case JOT_UNSUPPORTED:
    case JOT_UNKNOWN:
    case JOT_CANCELLED:
    case JOT_DENIED:
        break;
    }
    return false;
}

static bool head_fits(const Entry *e, const Stream *st, uint64_t t)
{
    if (e->status == JOT_NOT_FOUND)
        return t == 0;
    return e->status == JOT_OK && t > 0 && mark_fits(e, st, t);
}

/* The digest of the records is compared once, not in every state: they never change. */
static bool read_fits(const Entry *e, uint64_t t)
{
    if (e->status == JOT_NOT_FOUND)
        return t == 0;
    uint64_t from = e->expect_seq ? e->expect_seq : 1;
    if (e->status != JOT_OK || t == 0 || e->count > e->limit)
        return false;
    if (e->count == 0)
        return !(e->flags & ENTRY_MORE) && t < from;
    bool more = e->seq < t;
    return e->seq <= t && e->seq == from + e->count - 1 && more == !!(e->flags & ENTRY_MORE) &&
           (e->count == e->limit || !more);
}

bool answer_fits(const Entry *e, const Stream *st, uint64_t t)
{
    switch ((EntryKind)e->kind) {
    case ENTRY_APPEND:
        return append_fits(e, st, t);
    case ENTRY_HEAD:
        return head_fits(e, st, t);
    case ENTRY_READ:
        return read_fits(e, t);
    case ENTRY_LIST:
        return true;
    case ENTRY_LISTED:
        return t > 0 && mark_fits(e, st, t) &&
               (e->which == LIST_ALL || found_live(stream_head(st, t)));
    case ENTRY_UNLISTED:
        return e->which == LIST_ALL ? t == 0 : !found_live(stream_head(st, t));
    }
    return false;
}

static bool append_state(const Entry *e, uint64_t *t)
{
    if (e->status == JOT_OK || e->status == JOT_ID_REUSED || e->flags & ENTRY_OUTAGE)
        return false; /* whether it made a record only the records can say */
    *t = e->status == JOT_NOT_FOUND ? e->expect_seq : e->seq;
    return e->status != JOT_NOT_FOUND || e->expect == EXPECT_SEQ;
}

bool answer_state(const Entry *e, uint64_t *t)
{
    if (e->kind == ENTRY_APPEND)
        return append_state(e, t);
    bool none = e->kind == ENTRY_UNLISTED ? e->which == LIST_ALL : e->status == JOT_NOT_FOUND;
    *t = none ? 0 : e->seq;
    if (none)
        return true;
    if (e->kind == ENTRY_READ)
        return e->count > 0 && !(e->flags & ENTRY_MORE);
    return (e->kind == ENTRY_HEAD || e->kind == ENTRY_LISTED) && e->seq > 0;
}
