/* look.c - looking at a stream: its head, its records, and what this handle remembers of it.
 *
 * A LIST shows the newest numbers first and can begin anywhere, but goes one way only: from a
 * number to lower ones.  So the head is its first answer, and the records from a number on are
 * found by asking for a window of numbers above it; where numbers are missing, as after a trim,
 * the next one that is there is found by halving:
 *
 *     from        mid            head
 *       |          |   x x x x x  |      LIST from mid downward: nothing above `from`,
 *                                        so the next one is in the upper half */
#include "store/s3/look.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mutant.h"
#include "store/s3/cache.h"
#include "store/s3/listing.h"
#include "store/s3/request.h"

#define HEADER_RANGE "bytes=0-8191"

/* --- What was seen ------------------------------------------------------------------------ */

static S3Sight *place_of(S3 *p, Hash stream)
{
    _Static_assert(S3_SIGHTS == 256, "a byte of the hash is the place");
    return &p->sights[stream.b[0]];
}

S3Sight *s3_believed(S3 *p, Str stream)
{
    Hash name = hash_of(stream);
    S3Sight *s = place_of(p, name);
    bool fresh =
        io_awake_ms(p->base.io) - s->seen_ms <= S3_BELIEVE_MS || MUTANT(S3_BELIEVE_OLD_HEAD);
    return s->used && hash_eq(s->stream, name) && fresh ? s : NULL;
}

static char *own(Str text)
{
    char *p = mem_alloc(text.n + 1);
    if (text.n)
        memcpy(p, text.p, text.n);
    return p;
}

jot_status s3_saw(S3 *p, Str stream, const S3Object *o, int64_t seen_ms, Err *e)
{
    static const S3Object nothing;
    o = o ? o : &nothing;
    Hash name = hash_of(stream);
    S3Sight *s = place_of(p, name);
    TRY(known_keep(&p->known, stream, &o->record.mark, e));
    bool same = s->used && hash_eq(s->stream, name);
    char *ids = own(o->ids);
    free(s->ids);
    *s = (S3Sight){ .used = true,
                    .stream = name,
                    .head = o->record.mark,
                    .floor = o->floor,
                    .ids = ids,
                    .seen_ms = seen_ms,
                    .window = same ? s->window : 0 };
    return JOT_OK;
}

void s3_forget_sights(S3 *p)
{
    for (size_t i = 0; i < S3_SIGHTS; i++)
        free(p->sights[i].ids);
    known_free(&p->known);
}

/* --- One record --------------------------------------------------------------------------- */

static S3Found judge(Str text, Str stream, Arena *into, S3Object *out, bool *whole)
{
    if (text.n < S3_STUB_MAX)
        return str_eq(text, S(S3_STUB)) ? S3_GONE : S3_BROKEN;
    return s3_read_object(text, stream, into, out, whole) ? S3_THERE : S3_BROKEN;
}

/* An object's text, or the beginning of it. */
typedef struct S3Text {
    S3Answer answer;
    bool there, kept;
    Str text, etag;
} S3Text;

static void text_done(S3Text *t)
{
    s3_answer_done(&t->answer);
}
DEFINE_AUTO(S3Text, text_done)

static jot_status get_text(S3 *p, Str key, bool all, S3Text *out, Err *e)
{
    out->kept = out->there = s3_cache_find(p, key, all, &out->text, &out->etag);
    if (out->kept)
        return JOT_OK;
    TRY(s3_get(p, key, all ? NULL : HEADER_RANGE, &out->answer, &out->there, e));
    out->text = buf_str(&out->answer.body);
    out->etag = str(out->answer.etag);
    return JOT_OK;
}

jot_status s3_fetch(S3 *p, const S3At *at, Arena *into, S3Object *out, S3Found *found, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(S3Text) t = { 0 };
    bool all = at->body, whole = false;
    Str key = s3_record(&arena, at->stream, at->seq);
    *out = (S3Object){ 0 };
    TRY(get_text(p, key, all, &t, e));
    *found = t.there ? judge(t.text, at->stream, into, out, &whole) : S3_ABSENT;
    if (*found == S3_BROKEN && !all) { /* its header may be longer than what was asked for */
        TRY(get_text(p, key, true, &t, e));
        *found = t.there ? judge(t.text, at->stream, into, out, &whole) : S3_ABSENT;
    }
    out->etag = arena_copy(into, t.etag);
    if (*found == S3_THERE && (out->record.mark.seq != at->seq || (at->body && !whole)))
        *found = S3_BROKEN;
    if (*found == S3_THERE && !t.kept)
        s3_cache_keep(p, key, t.etag, t.text, whole);
    return JOT_OK;
}

/* --- The head ----------------------------------------------------------------------------- */

/* A page of a stream's numbers, from `from` downward; 0: from the newest. */
static jot_status list_from(S3 *p, Str stream, uint64_t from, size_t max, S3List *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Where w = { .prefix = s3_records(&arena, stream), .max = max };
    if (from && from < STORE_SEQ_MAX)
        w.after = s3_record(&arena, stream, from + 1);
    return s3_list(p, &w, out, e);
}

jot_status s3_newest(S3 *p, Str stream, uint64_t *seq, Err *e)
{
    AUTO(S3List) l = { 0 };
    *seq = 0;
    TRY(list_from(p, stream, 0, 1, &l, e));
    if (l.n && !s3_seq_of(l.items[0].key, seq))
        return s3_say(p, e, JOT_CORRUPT, "there is an object among its records that is none");
    return JOT_OK;
}

jot_status s3_look(S3 *p, Str stream, bool body, Arena *into, S3Object *out, Err *e)
{
    Shown shown;
    int64_t seen_ms;
    uint64_t seq = 0, before;
    S3Found found;
    /* What was the newest may be purged before it is fetched: then there is a newer one. */
    do {
        before = seq;
        seen_ms = io_awake_ms(p->base.io);
        *out = (S3Object){ 0 };
        TRY(s3_newest(p, stream, &seq, e));
        if (seq == 0)
            return s3_saw(p, stream, NULL, seen_ms, e);
        TRY(s3_fetch(p, &(S3At){ stream, seq, body }, into, out, &found, e));
    } while (found != S3_THERE && seq != before);
    if (found != S3_THERE)
        return err_set(e, JOT_CORRUPT, "record %llu of '%s', its newest, %s",
                       (unsigned long long)seq, err_show(&shown, stream),
                       found == S3_BROKEN ? "cannot be read" : "is gone");
    return s3_saw(p, stream, out, seen_ms, e);
}

/* --- Numbers ------------------------------------------------------------------------------ */

/* Those of a page that are in [from, to] and have not gone, to the end of `out`, ascending. */
static void take_page(const S3List *l, uint64_t from, size_t limit, S3Numbers *out)
{
    for (size_t i = l->n; i-- > 0 && out->n < limit;) {
        uint64_t seq = 0;
        if (s3_seq_of(l->items[i].key, &seq) && seq >= from && l->items[i].size >= S3_STUB_MAX)
            out->seqs[out->n++] = seq;
    }
}

/* The smallest number above `low` that is there; `high` is. */
static jot_status next_above(S3 *p, Str stream, uint64_t low, uint64_t high, uint64_t *out, Err *e)
{
    while (high > low + 1) {
        AUTO(S3List) l = { 0 };
        uint64_t mid = low + (high - low) / 2, least = 0, seq = 0;
        TRY(list_from(p, stream, mid, S3_PAGE, &l, e));
        bool below = !l.more;
        for (size_t i = 0; i < l.n && s3_seq_of(l.items[i].key, &seq); i++) {
            below = below || seq <= low;
            least = seq > low ? seq : least;
        }
        if (least == 0)
            low = mid;
        else
            high = least;
        if (least && below)
            break;
        s3_more(p);
    }
    *out = high;
    return JOT_OK;
}

/* A stream of more than a page. */
static jot_status number_long(S3 *p, Str stream, uint64_t from, size_t limit, S3Numbers *out,
                              Err *e)
{
    while (out->n < limit && from <= out->head) {
        AUTO(S3List) l = { 0 };
        uint64_t to = out->head - from < S3_PAGE ? out->head : from + S3_PAGE - 1;
        size_t before = out->n;
        TRY(list_from(p, stream, to, S3_PAGE, &l, e));
        take_page(&l, from, limit, out);
        s3_more(p);
        if (to == out->head)
            break;
        from = to + 1;
        if (out->n == before)
            TRY(next_above(p, stream, to, out->head, &from, e));
    }
    return JOT_OK;
}

/* Before which number everything was purged, as the newest record says; *there: it could. */
static jot_status find_floor(S3 *p, Str stream, uint64_t head, uint64_t *out, bool *there, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object o;
    S3Found found;
    const S3Sight *s = s3_believed(p, stream);
    *there = true;
    if (s && s->head.seq == head) {
        *out = s->floor;
        return JOT_OK;
    }
    TRY(s3_fetch(p, &(S3At){ stream, head, false }, &arena, &o, &found, e));
    *there = found == S3_THERE;
    *out = *there ? o.floor : 0;
    return JOT_OK;
}

jot_status s3_numbers(S3 *p, Str stream, SeqRange range, Arena *into, S3Numbers *out, Err *e)
{
    AUTO(S3List) l = { 0 };
    uint64_t floor = 0, before;
    bool there = false;
    *out = (S3Numbers){ .seqs = NEW_ARRAY(into, uint64_t, range.limit) };
    do { /* as s3_look */
        before = out->head;
        TRY(list_from(p, stream, 0, S3_PAGE, &l, e));
        if (l.n == 0 || !s3_seq_of(l.items[0].key, &out->head))
            return JOT_OK;
        TRY(find_floor(p, stream, out->head, &floor, &there, e));
    } while (!there && out->head != before);
    uint64_t from = range.from > floor ? range.from : floor;
    if (l.more)
        TRY(number_long(p, stream, from ? from : 1, range.limit, out, e));
    else
        take_page(&l, from, range.limit, out);
    out->more = out->n && out->seqs[out->n - 1] < out->head;
    return JOT_OK;
}

jot_status s3_before(S3 *p, Str stream, uint64_t seq, uint64_t *out, Err *e)
{
    uint64_t head = 0, floor = 0;
    bool there = false;
    *out = 0;
    TRY(s3_newest(p, stream, &head, e));
    if (head == 0 || seq <= 1)
        return JOT_OK;
    TRY(find_floor(p, stream, head, &floor, &there, e));
    for (uint64_t from = seq - 1; from >= floor && from > 0;) {
        AUTO(S3List) l = { 0 };
        TRY(list_from(p, stream, from, S3_PAGE, &l, e));
        for (size_t i = 0; i < l.n && s3_seq_of(l.items[i].key, &from); i++)
            if (l.items[i].size >= S3_STUB_MAX) {
                *out = from >= floor ? from : 0;
                return JOT_OK;
            }
        if (!l.more)
            return JOT_OK;
        from--;
        s3_more(p);
    }
    return JOT_OK;
}
