/* history.c - versions of a document: finding one, listing them.
 *
 * A stream can be read forward from any seq, and no other way.  So
 *   - the version at a time is found by halving: time never runs backwards in a
 *     stream, and "the first record at or after seq n" is one read even where
 *     records are missing;
 *   - a page of the newest is a forward read of its range, turned round;
 *   - a version by its hash is looked for page by page, from the newest on.
 * What a stream lost to trimming or damage is missing here and said to be missing,
 * never guessed.
 *
 * On files a person's edit may have no record: nobody has named its version yet (memory_head), or
 * it could not be recorded.  It is the newest version all the same, with the seq 0; then the head
 * does not know the seq of the newest record, and history_last() searches it:
 *
 *     seq   1  2  3  .  5  6  7  8                 . missing   8 newest
 *           ?     ?           ?              ?     1, 2, 4, 8 ... until nothing is there
 *                             +-- halve here --+ */
#include "memory/doc/history.h"

#include <assert.h>
#include <stdlib.h>

#include "base/time.h"
#include "memory/doc/history_internal.h"

enum { SEQ_DIGITS = 11 };

/* --- Single records -------------------------------------------------------------------- */

/* The first record at or after this seq; its mark.seq is 0 if there is none. */
static jot_status first_from(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out, Err *e)
{
    Records got;
    *out = (Record){ 0 };
    jot_status st = store_read(m->store, stream, (SeqRange){ seq, 1 }, into, &got, e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    if (got.n) {
        *out = got.items[0];
        assert(out->mark.seq >= seq);
    }
    return JOT_OK;
}

jot_status history_record(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out, Err *e)
{
    TRY(first_from(m, stream, seq, into, out, e));
    if (out->mark.seq != seq)
        *out = (Record){ 0 };
    return JOT_OK;
}

/* The seq of the newest record, for a head that is an edit and does not know it: doubling, then
 * halving. */
static jot_status search_last(Memory *m, Str stream, uint64_t *out, Err *e)
{
    uint64_t low = 0, high = 1; /* `low` is a record or 0; from `high` on there is none, at last */
    for (bool doubling = true; doubling || low + 1 < high;) {
        AUTO(Arena) scratch = { 0 };
        Record r;
        uint64_t seq = doubling ? high : low + (high - low) / 2;
        TRY(first_from(m, stream, seq, &scratch, &r, e));
        if (r.mark.seq) {
            low = r.mark.seq;
            high = doubling ? 2 * low : high;
        } else {
            high = seq;
            doubling = false;
        }
    }
    *out = low;
    return JOT_OK;
}

jot_status history_last(Memory *m, Str stream, const Mark *head, uint64_t *out, Err *e)
{
    *out = head->seq;
    return head->op && head->seq == 0 ? search_last(m, stream, out, e) : JOT_OK;
}

static jot_status never_was(Str stream, Err *e)
{
    return err_set(e, JOT_NOT_FOUND, "%s not found", doc_name(stream).text);
}

/* --- Which version is meant ------------------------------------------------------------ */

static bool all_digits(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

static bool parse_time(Str text, int64_t *out)
{
    AUTO(Arena) scratch = { 0 };
    bool day = text.n == 10;
    Str whole = day ? arena_printf(&scratch, STR_FMT "T00:00:00Z", STR_ARG(text)) : text;
    return time_parse(whole, out);
}

jot_status when_parse(Str text, When *out, Err *e)
{
    *out = (When){ 0 };
    if (text.n == 0 || str_eq(text, S("now")))
        return JOT_OK;
    if (text.p[0] == '~' && str_to_u64(str_from(text, 1), UNDO_STEPS_MAX, &out->number)) {
        out->kind = out->number ? WHEN_BACK : WHEN_NOW;
        return JOT_OK;
    }
    if (text.n <= SEQ_DIGITS && all_digits(text) && str_to_u64(text, STORE_SEQ_MAX, &out->number) &&
        out->number) {
        out->kind = WHEN_SEQ;
        out->version = version_check(text, NULL) == JOT_OK ? text : (Str){ 0 };
        return JOT_OK;
    }
    if (version_check(text, NULL) == JOT_OK) {
        *out = (When){ .kind = WHEN_VERSION, .version = text };
        return JOT_OK;
    }
    if (parse_time(text, &out->at_ms)) {
        out->kind = WHEN_TIME;
        return JOT_OK;
    }
    Shown shown;
    return err_set(e, JOT_INVALID,
                   "'%s' names no version: use %d to %d hex digits, a seq, ~N (N versions back), "
                   "or a time such as 2026-01-31T18:45:00Z",
                   err_show(&shown, text), VERSION_SHORT, HASH_HEX);
}

static jot_status as_doc(Str stream, const Record *r, Doc *out, Err *e)
{
    unsigned long long seq = (unsigned long long)r->mark.seq;
    if (r->mark.redacted)
        return err_set(e, JOT_NOT_FOUND, "the text of %s at seq %llu was redacted",
                       doc_name(stream).text, seq);
    if (!mark_live(&r->mark))
        return err_set(e, JOT_NOT_FOUND, "%s was deleted at seq %llu", doc_name(stream).text, seq);
    *out = (Doc){ .text = r->body, .by = r->by, .meta = r->meta, .mark = r->mark };
    return JOT_OK;
}

static jot_status at_seq(Memory *m, Str stream, uint64_t seq, Arena *into, Doc *out, Err *e)
{
    Record r;
    TRY(history_record(m, stream, seq, into, &r, e));
    if (r.mark.seq == 0)
        return err_set(e, JOT_NOT_FOUND, "%s has no record %llu", doc_name(stream).text,
                       (unsigned long long)seq);
    return as_doc(stream, &r, out, e);
}

static Record record_of(const Doc *d)
{
    return (Record){ .mark = d->mark, .by = d->by, .meta = d->meta, .body = d->text };
}

/* *out is the head, and then the newest record that is not younger than `at_ms`. */
static jot_status at_time(Memory *m, Str stream, int64_t at_ms, Arena *into, Doc *out, Err *e)
{
    Record now = record_of(out);
    if (now.mark.at_ms <= at_ms)
        return as_doc(stream, &now, out, e);
    uint64_t last, low = 0;
    TRY(history_last(m, stream, &now.mark, &last, e));
    for (uint64_t high = last + 1; low + 1 < high;) {
        AUTO(Arena) scratch = { 0 };
        Record r;
        uint64_t middle = low + (high - low) / 2;
        assert(low < middle && middle < high);
        TRY(first_from(m, stream, middle, &scratch, &r, e));
        if (r.mark.seq && r.mark.at_ms <= at_ms)
            low = r.mark.seq;
        else
            high = middle;
    }
    if (low == 0)
        return err_set(e, JOT_NOT_FOUND, "%s has no version as old as %s", doc_name(stream).text,
                       time_text(at_ms).text);
    return at_seq(m, stream, low, into, out, e);
}

/* The newest version that digits name, and whether they name another one too. */
typedef struct Named {
    Str digits;
    uint64_t seq; /* 0: none */
    Hash sha256;
    bool several;
} Named;

static void look_at(Named *n, const Mark *mark)
{
    if (!mark_live(mark) || !version_names(n->digits, mark->sha256))
        return;
    if (hash_is_zero(n->sha256))
        n->sha256 = mark->sha256;
    n->several = n->several || !hash_eq(n->sha256, mark->sha256);
    if (!n->seq && hash_eq(n->sha256, mark->sha256))
        n->seq = mark->seq;
}

/* Through the history, newest first: as far as is needed to be sure. */
static jot_status find_named(Memory *m, Str stream, Named *n, Err *e)
{
    /* Enough digits name one version only, and the search ends with it.  A few might name another
     * one further back, so then all of the history is looked at. */
    HistoryAsk ask = { .limit = HISTORY_PAGE_MAX };
    bool sure = n->digits.n >= VERSION_HEX;
    for (bool more = true; more && !(sure && n->seq) && !n->several;) {
        AUTO(Arena) scratch = { 0 };
        History page;
        TRY(history_page(m, stream, &ask, &scratch, &page, e));
        for (size_t i = 0; i < page.n; i++) {
            look_at(n, &page.items[i].mark);
            ask.before = page.items[i].mark.seq ? page.items[i].mark.seq : ask.before;
        }
        more = page.more && page.n;
    }
    Shown shown;
    return n->several
               ? err_set(e, JOT_INVALID, "'%s' names more than one version of %s: use more digits",
                         err_show(&shown, n->digits), doc_name(stream).text)
               : JOT_OK;
}

jot_status history_only(Memory *m, Str stream, Str version, Hash one, Err *e)
{
    Named n = { .digits = version, .sha256 = one };
    return version.n >= VERSION_HEX ? JOT_OK : find_named(m, stream, &n, e);
}

/* *out is the head, and then the newest record of this version. */
static jot_status at_version(Memory *m, Str stream, Str version, Arena *into, Doc *out, Err *e)
{
    Shown shown;
    if (mark_live(&out->mark) && version_names(version, out->mark.sha256))
        return history_only(m, stream, version, out->mark.sha256, e);
    Named n = { .digits = version };
    TRY(find_named(m, stream, &n, e));
    if (n.seq)
        return at_seq(m, stream, n.seq, into, out, e);
    return err_set(e, JOT_NOT_FOUND, "%s has no version %s", doc_name(stream).text,
                   err_show(&shown, version));
}

/* *out is the head, and then the version `steps` before it. */
static jot_status at_back(Memory *m, Str stream, uint64_t steps, Arena *into, Doc *out, Err *e)
{
    Record at = record_of(out);
    Err missing = { 0 };
    jot_status st = history_earlier(m, stream, steps, into, &at, &missing);
    if (st == JOT_NOT_FOUND)
        return err_set(e, JOT_NOT_FOUND, "%s has no version %llu back: see its history",
                       doc_name(stream).text, (unsigned long long)steps);
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    if (at.mark.seq == 0)
        return err_set(e, JOT_NOT_FOUND, "%s did not exist then", doc_name(stream).text);
    return as_doc(stream, &at, out, e);
}

/* A seq; seven digits and more may be a version that has no letter in it. */
static jot_status at_number(Memory *m, Str stream, const When *when, Arena *into, Doc *out, Err *e)
{
    Err other = { 0 };
    Doc head = *out;
    jot_status st = at_seq(m, stream, when->number, into, out, e);
    if (st != JOT_NOT_FOUND || !when->version.n)
        return st;
    *out = head;
    return at_version(m, stream, when->version, into, out, &other) == JOT_OK ? JOT_OK : st;
}

static jot_status find_version(Memory *m, Str stream, const When *when, Arena *into, Doc *out,
                               Err *e)
{
    if (when->kind == WHEN_VERSION)
        TRY(version_check(when->version, e));
    TRY(doc_present(m, stream, into, out, e));
    if (out->mark.op == 0)
        return never_was(stream, e);
    switch (when->kind) {
    case WHEN_NOW:
        return mark_live(&out->mark) ? JOT_OK : never_was(stream, e);
    case WHEN_SEQ:
        return at_number(m, stream, when, into, out, e);
    case WHEN_VERSION:
        return at_version(m, stream, when->version, into, out, e);
    case WHEN_TIME:
        return at_time(m, stream, when->at_ms, into, out, e);
    case WHEN_BACK:
        return at_back(m, stream, when->number, into, out, e);
    }
    abort();
}

jot_status history_at(Memory *m, Str stream, const When *when, Arena *into, Doc *out, Err *e)
{
    jot_status st = find_version(m, stream, when, into, out, e);
    if (st != JOT_OK)
        *out = (Doc){ 0 };
    return st;
}

/* --- Listing --------------------------------------------------------------------------- */

static Record header(const Record *r, Arena *into)
{
    return (Record){ .mark = r->mark,
                     .by = arena_copy(into, r->by),
                     .id = arena_copy(into, r->id),
                     .meta = arena_copy(into, r->meta) };
}

static void turn_round(Record *items, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        Record r = items[i];
        items[i] = items[n - 1 - i];
        items[n - 1 - i] = r;
    }
}

jot_status history_page(Memory *m, Str stream, const HistoryAsk *ask, Arena *into, History *out,
                        Err *e)
{
    Doc head;
    AUTO(Arena) arena = { 0 };
    size_t limit = ask->limit;
    *out = (History){ 0 };
    if (limit == 0 || limit > HISTORY_PAGE_MAX)
        return err_set(e, JOT_INVALID, "a history takes 1 to %d versions", HISTORY_PAGE_MAX);
    TRY(doc_look(m, stream, !ask->glance, &arena, &head, e));
    if (head.mark.op == 0)
        return never_was(stream, e);
    out->items = NEW_ARRAY(into, Record, limit + 1);
    uint64_t high;
    TRY(history_last(m, stream, &head.mark, &high, e));
    if (ask->before == 0 && head.mark.seq == 0) {
        Record edit = { .mark = head.mark, .by = head.by };
        out->items[out->n++] = header(&edit, into);
        limit--;
    }
    if (ask->before && ask->before <= high)
        high = ask->before - 1;

    /* The records [low, high], which one read may not hold all, oldest first; then turned round. */
    uint64_t low = high > limit ? high - limit + 1 : 1;
    size_t edits = out->n;
    for (uint64_t from = low; limit && from <= high;) {
        AUTO(Arena) scratch = { 0 };
        Records got;
        TRY(store_read(m->store, stream, (SeqRange){ from, (size_t)(high - from + 1) }, &scratch,
                       &got, e));
        for (size_t i = 0; i < got.n && got.items[i].mark.seq <= high; i++)
            out->items[out->n++] = header(&got.items[i], into);
        out->damaged += got.damaged;
        if (got.n == 0 || !got.more)
            break;
        from = got.items[got.n - 1].mark.seq + 1;
    }
    assert(out->n <= ask->limit);
    turn_round(out->items + edits, out->n - edits);

    Record oldest = { 0 };
    if (low > 1 || limit == 0)
        TRY(first_from(m, stream, 1, &arena, &oldest, e));
    out->more = oldest.mark.seq && oldest.mark.seq < (limit ? low : high + 1);
    return JOT_OK;
}

const char *op_name(Op op)
{
    switch (op) {
    case OP_PUT:
        return "put";
    case OP_DELETE:
        return "delete";
    case OP_APPEND:
        return "append";
    }
    return "";
}

json_t *history_json(Str stream, const History *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n; i++) {
        const Record *r = &h->items[i];
        json_t *one = mark_json(stream, &r->mark, r->by, r->meta);
        json_object_set_new(one, "op", json_string(op_name(r->mark.op)));
        json_array_append_new(list, one);
    }
    return list;
}
