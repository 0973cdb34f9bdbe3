/* tail.c - the end of a stream file: where the head is, and what lies after it.
 *
 * The head is the last line that is a record.  What can stand after it:
 *   - the beginning of a line: a writer died.  It was never acknowledged.  Only a
 *     record that lacks nothing but its '\n' counts: it may have been.
 *   - after the machine went down, or the file system was lost, lines with zeros in
 *     them, for their blocks may have been written in any order.  They were never
 *     acknowledged either.
 *   - lines too short to be what is left of a record: an editor's newline, a
 *     conflict's marks.  They are stray.
 *   - anything else was a record, and acknowledged: damage.  It keeps its place
 *     and its number.
 * All but damage is no part of the stream: readers pass over it, the next writer
 * puts it aside.  Damage that is still proven is made a record again by the next
 * writer; what is not is lost (store.h), and a line after it says so when that
 * was reported. */
#include <assert.h>
#include <string.h>

#include "base/mutant.h"
#include "store/files/files.h"

enum { ZERO_BLOCK = 512 };

static bool is_record(Str line)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    return record_read(line, RECORD_ALL, &arena, &r, NULL) == JOT_OK;
}

static bool complete(Str line)
{
    return line.n && line.p[line.n - 1] == '\n';
}

/* How much of the bytes after the last '\n' is a whole record: it lacks its '\n', or has another
 * byte in its place. */
static size_t whole_record(Str line)
{
    if (is_record(line))
        return line.n;
    return line.n && is_record(str_slice(line, 0, line.n - 1)) ? line.n - 1 : 0;
}

static bool has_zeros(Str line)
{
    return line.n && memchr(line.p, 0, line.n) != NULL;
}

/* True if a block of the file that the line has a part in is zeros there. */
static bool lacks_a_block(Str line, off_t at)
{
    static const char zeros[ZERO_BLOCK];
    for (size_t from = 0, n; from < line.n; from += n) {
        n = ZERO_BLOCK - (size_t)(at + (off_t)from) % ZERO_BLOCK;
        n = n < line.n - from ? n : line.n - from;
        if (memcmp(line.p + from, zeros, n) == 0)
            return true;
    }
    return false;
}

/* True if a power failure can have made this of a line: what it takes are blocks, and they are
 * zeros.  After a reboot or a mount any zeros will do.  Otherwise it is asked for whole blocks: of
 * a stream's only record, for such a stream is not among those that are compared; and of any where
 * nobody notices a lost mount. */
static bool is_torn(const Files *f, Str line, off_t at)
{
    if (!f->checked)
        return has_zeros(line);
    return (at == 0 || pad_syncs_views(f)) && lacks_a_block(line, at);
}

/* Lines after the head that are no records, from the last to the first. */
typedef struct Rest {
    off_t from;      /* where they begin */
    off_t bytes;     /* of all of them */
    uint64_t lines;  /* how many there are */
    uint64_t begun;  /* how many begin as a record does, or may */
    bool whole_line; /* the one before begins no record, but is long enough to be one */
} Rest;

static void rest_add(Rest *r, Str line, off_t at)
{
    /* A record that was cut in two by a '\n' in it is one: only after what ends as a record does
     * can a line without the beginning of one be another. */
    if (r->whole_line && line.n > 1 && line.p[line.n - 2] == '}')
        r->begun++;
    bool begins = str_starts(line, S("{\"seq\":"));
    r->begun += begins;
    r->whole_line = !begins && line.n >= RECORD_LINE_MIN - 1;
    r->from = at;
    r->bytes += (off_t)line.n;
    r->lines++;
}

/* How many records they were, as far as can be known; not less than that.  The shortest record
 * without one of its bytes is still longer than what counts as stray. */
static uint64_t rest_records(const Rest *r)
{
    uint64_t n = r->begun + r->whole_line;
    return n || r->bytes < RECORD_LINE_MIN - 1 ? n : 1;
}

/* The head is `r`, or none (seq 0), and the rest lies after it; `told` is the number up to which a
 * line says that they were reported as lost. */
static void settle_head(Stream *st, const Mark *head, const Rest *rest, uint64_t told)
{
    uint64_t lost = rest_records(rest), room = STORE_SEQ_MAX - head->seq;
    bool damaged = lost > 0;
    if (rest->lines && !damaged)
        st->size = rest->from;
    if (rest->lines == 1 && damaged && !told)
        st->broken = rest->from;
    if (told > head->seq)
        lost += told - head->seq;
    st->head = *head;
    st->head.lost = lost < room ? lost : room;
    st->head.loss_reported = st->head.lost && told && !damaged;
}

jot_status stream_find_head(Files *f, Stream *st, off_t end, RecordWant want, Err *e)
{
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, end, end);
    st->size = end;
    st->good = 0;
    st->broken = -1;
    st->open = false;
    Rest rest = { 0 };
    uint64_t told = 0;
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Record r = { 0 };
        Str line;
        off_t at;
        size_t skip;
        int got = lines_previous(&lines, &line, &at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        bool behind = rest.lines || told; /* something is kept after this line */
        if (line.n && !complete(line)) {
            size_t whole = whole_record(line);
            st->open = whole > 0;
            st->size = at + (off_t)whole;
            line.n = whole;
            if (!st->open)
                continue;
        }
        /* A header says nothing of a body that may be torn. */
        RecordWant as = f->checked && !has_zeros(line) ? want : RECORD_ALL;
        if (line.n == 0 || line_record(line, as, &arena, &r, &skip)) {
            st->good = at + (off_t)line.n;
            settle_head(st, &r.mark, &rest, told);
            return JOT_OK;
        }
        if ((!behind && is_torn(f, line, at)) || MUTANT(CUT_THE_MIDDLE))
            st->size = at;
        else if (!told && !record_read_lost(line, &told))
            rest_add(&rest, line, at);
    }
}

/* --- Reporting a loss --------------------------------------------------------------------- */

jot_status stream_record_loss(Files *f, Stream *st, Err *e)
{
    AUTO(Buf) line = { 0 };
    assert(st->locked && st->head.lost && !st->head.loss_reported);
    record_write_lost(&line, mark_last(&st->head));
    TRY(stream_add(f, st, buf_str(&line), e));
    st->head.loss_reported = true;
    return JOT_OK;
}

/* --- Rebuilding -------------------------------------------------------------------------- */

/* True if the record continues the head: nothing but the record that was there does. */
static bool follows(const Stream *st, const Record *r)
{
    return r->mark.seq == st->head.seq + 1 && (st->head.seq || r->mark.seq == 1) &&
           hash_eq(r->mark.chain, record_chain(st->head.chain, st->paths->name, r));
}

/* The body of a document is also in its view, or in the draft of a writer that died. */
static bool find_body(Files *f, const Stream *st, Record *r, Arena *into)
{
    View seen[2] = { 0 };
    if (!st->paths->viewed || !mark_shown(&r->mark))
        return false;
    if (view_read(f, st->paths, into, &seen[0], NULL) != JOT_OK)
        seen[0] = (View){ 0 };
    if (view_peek_draft(f, st->paths, into, &seen[1], NULL) != JOT_OK)
        seen[1] = (View){ 0 };
    for (size_t i = 0; i < COUNT_OF(seen); i++)
        if (seen[i].there && hash_eq(seen[i].sha256, r->mark.sha256)) {
            r->body = seen[i].text;
            return true;
        }
    return false;
}

jot_status stream_prove(Files *f, const Stream *st, Arena *into, Record *out, bool *proven, Err *e)
{
    Str line;
    off_t at;
    *proven = false;
    if (st->broken < 0)
        return JOT_OK;
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, st->broken, st->size);
    int got = lines_next(&lines, &line, &at);
    if (got < 0)
        return scan_failed(e, st->paths->name, got);
    if (record_read(line, RECORD_UNSUMMED, into, out, NULL) == JOT_OK)
        *proven = follows(st, out);
    else if (record_read(line, RECORD_NO_BODY, into, out, NULL) == JOT_OK)
        *proven = follows(st, out) && find_body(f, st, out, into);
    return JOT_OK;
}

jot_status stream_rebuild(Files *f, Stream *st, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) line = { 0 };
    Record r;
    bool proven;
    assert(st->locked);
    TRY(stream_prove(f, st, &arena, &r, &proven, e));
    if (!proven)
        return JOT_OK;
    record_write(&line, &r, f->form);
    TRY(recent_add(f, st->paths->name, e));
    Piece all = { 0, st->broken, buf_str(&line) };
    jot_status done = stream_replace(f, st, &all, 1, e);
    recent_done(f);
    TRY(done);
    Shown shown;
    store_met(&f->base, &f->base.report.restored, "record %llu of '%s' was damaged and was rebuilt",
              (unsigned long long)r.mark.seq, err_show(&shown, st->paths->name));
    return stream_find_head(f, st, st->size, RECORD_ALL, e);
}
