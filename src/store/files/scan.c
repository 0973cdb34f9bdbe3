/* scan.c - the records of a stream file, and what is left of damaged ones.
 *
 * Damage costs the record it hits and no other:
 *   1. A line that is no record is passed over and counted.
 *   2. If the '\n' between two records was hit, the second is found inside the line: nothing but a
 *      record begins with {"seq": (record.h), and nothing but the last one in a line ends where the
 *      line ends.
 *   3. A record is believed by its own sum and hash; whether it continues its predecessor is for
 *      those to say who read both (store.c).
 *
 *     {"seq":4,...}\n                    record 4
 *     {"seq":5,..#..}\n                  a damaged byte: no record, counted
 *     {"seq":6,...}#{"seq":7,...}\n      a damaged '\n': 6 is counted, 7 is found at its start
 *
 * A record is found by its number in a few reads, whatever the size of the file.  Records are in
 * the order of their numbers, so the file is bisected; the first guess is where the record would be
 * if all had the same size.  A number is only believed where its whole header is, or one damaged
 * digit would send the search astray. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mutant.h"
#include "store/files/files.h"

enum { BISECT_UNTIL = 32 * 1024, SEARCH_MAX = 64 * 1024 };

static const Str record_start = { "{\"seq\":", 7 };

jot_status scan_failed(Err *e, Str stream, int got)
{
    Shown shown;
    return err_errno(e, -got, "could not read '%s'", err_show(&shown, stream));
}

/* --- One line ---------------------------------------------------------------------------- */

/* Where a record may begin in a line, at `from` or after; line.n if nowhere.  Of a very long line
 * only both ends are searched: the start between two records is there unless both are long. */
static size_t next_start(Str line, size_t from)
{
    size_t near = line.n < SEARCH_MAX ? line.n : SEARCH_MAX;
    size_t far = line.n - near > from ? line.n - near : from;
    const char *found = NULL;
    if (from < near)
        found = memmem(line.p + from, near - from, record_start.p, record_start.n);
    if (!found && near < line.n)
        found = memmem(line.p + far, line.n - far, record_start.p, record_start.n);
    return found ? (size_t)(found - line.p) : line.n;
}

static bool is_record(Str line)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    return record_read(line, RECORD_ALL, &arena, &r, NULL) == JOT_OK;
}

/* Where the record of a line begins.  More than 0 only if the line as a whole is none.  In a line
 * that this version writes, the start of a record stands at its beginning alone; but a meta by an
 * older version may hold one, so nothing less than a whole record is believed. */
static size_t find_start(Str line)
{
    size_t at = next_start(line, 1);
    if (at == line.n || is_record(line))
        return 0;
    while (at < line.n && !MUTANT(TRUST_A_START) && !is_record(str_from(line, at)))
        at = next_start(line, at + 1);
    return at < line.n ? at : 0;
}

bool line_record(Str line, RecordWant want, Arena *into, Record *out, size_t *skip)
{
    *skip = 0;
    if (want == RECORD_ALL && record_read(line, want, into, out, NULL) == JOT_OK)
        return true;
    *skip = find_start(line);
    return (want == RECORD_NO_BODY || *skip) &&
           record_read(str_from(line, *skip), want, into, out, NULL) == JOT_OK;
}

/* --- From the end ------------------------------------------------------------------------ */

jot_status stream_newest(Files *f, const Stream *st, RecordWant want, Arena *into, Newest *out,
                         Err *e)
{
    assert(out->items && out->max > 0);
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, st->good, st->good);
    for (out->n = 0; out->n < out->max;) {
        Str line;
        off_t at;
        size_t skip;
        int read = lines_previous(&lines, &line, &at);
        if (read < 0)
            return scan_failed(e, st->paths->name, read);
        if (line.n == 0)
            break;
        if (line_record(line, want, into, &out->items[out->n], &skip))
            out->n++;
    }
    return JOT_OK;
}

/* --- From some seq on -------------------------------------------------------------------- */

/* A stretch of the file in which the record looked for begins. */
typedef struct Span {
    off_t low, high;
} Span;

/* The seq of a line, if its header is whole: others would be looked for in the wrong place because
 * of a damaged digit. */
static uint64_t seq_believed(Str line)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    return record_read(line, RECORD_NO_BODY, &arena, &r, NULL) == JOT_OK ? r.mark.seq : 0;
}

/* Narrow the span by what stands at `middle`. */
static jot_status narrow(Files *f, const Stream *st, uint64_t seq, off_t middle, Span *span, Err *e)
{
    if (middle <= span->low || middle >= span->high)
        return JOT_OK;
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, middle, span->high);
    Str line;
    off_t at = middle;
    /* The first line is the rest of one that began before the middle. */
    int got = lines_next(&lines, &line, &at);
    uint64_t here = 0;
    while (got == 0 && line.n && here == 0) {
        got = lines_next(&lines, &line, &at);
        here = seq_believed(line);
    }
    if (got < 0)
        return scan_failed(e, st->paths->name, got);
    if (here && here <= seq)
        span->low = at;
    else
        span->high = middle;
    return JOT_OK;
}

/* An offset at or before the record with this seq: first looked for where it would be if all
 * records were of one size, which those of a run nearly are on the whole; then by halving. */
static jot_status bisect(Files *f, const Stream *st, uint64_t seq, off_t *found, Err *e)
{
    Span span = { 0, st->size };
    if (seq > 1 && st->size > BISECT_UNTIL) {
        double share = (double)(seq - 1) / (double)mark_last(&st->head);
        off_t guess = share < 1 ? (off_t)((double)st->size * share) : st->size;
        TRY(narrow(f, st, seq, guess - BISECT_UNTIL / 2, &span, e));
        TRY(narrow(f, st, seq, guess + BISECT_UNTIL / 2, &span, e));
    }
    while (seq > 1 && span.high - span.low > BISECT_UNTIL)
        TRY(narrow(f, st, seq, span.low + (span.high - span.low) / 2, &span, e));
    assert(span.low >= 0 && span.low <= span.high && span.high <= st->size);
    *found = span.low;
    return JOT_OK;
}

/* One read under way. */
typedef struct Reading {
    uint64_t from;
    size_t limit;
    Records got;
    size_t cap; /* of got.items */
    size_t bytes;
    uint64_t passed; /* seq of the last line that was not wanted */
} Reading;

static void count_damage(Reading *r)
{
    /* Only if it stands where something wanted could have been. */
    if (r->passed == 0 || r->passed + 1 >= r->from)
        r->got.damaged++;
}

/* Take a line into the answer; false if it is full. */
static bool take_line(Reading *r, Str line, Arena *into)
{
    uint64_t seq = record_seq(line), told;
    if (record_read_lost(line, &told))
        return true; /* the damage it tells of stands before it */
    if (seq && seq < r->from && find_start(line) == 0) {
        r->passed = seq;
        return true;
    }
    if (r->got.n == r->limit) {
        r->got.more = true;
        return false;
    }
    r->got.items =
        arena_grow(into, r->got.items, r->got.n, &r->cap, sizeof(Record), alignof(Record));
    Record *to = &r->got.items[r->got.n];
    size_t skip;
    bool good = line_record(line, RECORD_ALL, into, to, &skip);
    if (!good || skip)
        count_damage(r);
    if (!good || to->mark.seq < r->from)
        return true;
    bool later = r->got.n == 0 || to->mark.seq > to[-1].mark.seq;
    if (!later) {
        count_damage(r);
        return true;
    }
    r->bytes += to->body.n;
    if (r->got.n && r->bytes > STORE_READ_BYTES) {
        r->got.more = true;
        return false;
    }
    r->got.n++;
    return true;
}

jot_status stream_read(Files *f, const Stream *st, SeqRange range, Arena *into, Records *out,
                       Err *e)
{
    off_t at;
    TRY(bisect(f, st, range.from, &at, e));
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, at, st->size);
    lines.open = st->open;
    Reading r = { .from = range.from, .limit = range.limit };
    for (bool more = true; more;) {
        Str line;
        int got = lines_next(&lines, &line, &at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        more = line.n && take_line(&r, line, into);
    }
    if (!r.got.more && lines.at < st->size)
        count_damage(&r); /* the last line has lost its end */
    if (r.got.damaged) {
        Shown shown;
        store_met(&f->base, &f->base.report.damaged, "'%s' has records that cannot be read",
                  err_show(&shown, st->paths->name));
    }
    *out = r.got;
    return JOT_OK;
}

/* --- Looking for one --------------------------------------------------------------------- */

jot_status stream_find(Files *f, const Stream *st, uint64_t seq, Arena *into, Located *out, Err *e)
{
    off_t at;
    TRY(bisect(f, st, seq, &at, e));
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, at, st->size);
    lines.open = st->open;
    for (;;) {
        Str line;
        int got = lines_next(&lines, &line, &at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        out->from = out->to = at;
        size_t skip = find_start(line);
        uint64_t here = record_seq(str_from(line, skip));
        if (line.n == 0 || (here > seq && seq_believed(str_from(line, skip))))
            return JOT_OK;
        if (here != seq)
            continue;
        out->from = at + (off_t)skip;
        out->to = at + (off_t)line.n;
        if (!out->record)
            return JOT_OK;
        return record_read(str_from(line, skip), RECORD_NO_BODY, into, out->record, e);
    }
}

jot_status stream_around(Files *f, const Stream *st, uint64_t seq, Arena *into, Around *out, Err *e)
{
    off_t from;
    *out = (Around){ 0 };
    TRY(bisect(f, st, seq, &from, e));
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, from, st->size);
    while (out->after.mark.seq == 0) {
        Str line;
        size_t skip;
        Record r;
        int got = lines_next(&lines, &line, &out->at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        if (line.n == 0)
            break;
        if (!line_record(line, RECORD_NO_BODY, into, &r, &skip))
            continue;
        out->at += (off_t)skip;
        *(r.mark.seq < seq ? &out->before : &out->after) = r;
    }
    return JOT_OK;
}

jot_status stream_knows(Files *f, const Stream *st, Hash sha256, bool *known, Err *e)
{
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, 0, st->size);
    lines.open = st->open;
    *known = false;
    while (!*known) {
        AUTO(Arena) arena = { 0 };
        Record r;
        Str line;
        off_t at;
        size_t skip;
        int got = lines_next(&lines, &line, &at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        if (line.n == 0)
            break;
        *known = line_record(line, RECORD_NO_BODY, &arena, &r, &skip) && r.mark.op != OP_DELETE &&
                 hash_eq(r.mark.sha256, sha256);
    }
    return JOT_OK;
}
