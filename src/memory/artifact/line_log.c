/* line_log.c - logs of lines: appending, reading by number, following.
 *
 * The stream decides and there is nothing beside it: a process killed at any
 * moment leaves whole lines.  A follower keeps the number and the chain of the
 * last line it saw; store_changes() only says when it is worth to look again,
 * so a change announced twice, or not at all for another reason, costs a look
 * and never a line. */
#include "memory/artifact/line_log.h"

#include <assert.h>
#include <string.h>

#include "base/time.h"

/* The stream of a log; JOT_INVALID with a sentence for what cannot be one. */
static jot_status stream_of(LineLogName log, Arena *into, Str *out, Err *e)
{
    return memory_name(&(MemoryKind){ LINE_LOG_KIND, "a log's name" }, &log.category, log.name,
                       into, out, e);
}

jot_status line_log_append(Memory *m, LineLogName log, Str text, Str id, Line *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    Mark mark;
    TRY(stream_of(log, &arena, &stream, e));
    if (str_find(text, '\n') < text.n)
        return err_set(e, JOT_INVALID, "a line holds no line break: append one line at a time");
    if (text.n > LINE_LOG_LINE_MAX)
        return err_set(e, JOT_TOO_BIG, "a line of %zu bytes: the limit is %d", text.n,
                       LINE_LOG_LINE_MAX);
    Draft d = { .op = OP_APPEND, .id = id, .body = text };
    TRY(memory_append(m, stream, NULL, &d, &mark, e));
    *out = (Line){ .seq = mark.seq, .at_ms = mark.at_ms, .by = m->by, .text = text };
    return JOT_OK;
}

/* A purge leaves a tombstone among the lines; it is none. */
static void take_lines(const Records *from, uint64_t start, Arena *into, Lines *out)
{
    *out = (Lines){ .items = NEW_ARRAY(into, Line, from->n + 1),
                    .more = from->more,
                    .next = from->n ? from->items[from->n - 1].mark.seq + 1 : start,
                    .damaged = from->damaged };
    for (size_t i = 0; i < from->n; i++) {
        const Record *r = &from->items[i];
        if (r->mark.op == OP_APPEND)
            out->items[out->n++] = (Line){ .seq = r->mark.seq,
                                           .at_ms = r->mark.at_ms,
                                           .by = r->by,
                                           .text = r->body,
                                           .redacted = r->mark.redacted };
    }
    assert(out->n <= from->n);
}

jot_status line_log_read(Memory *m, LineLogName log, SeqRange range, Arena *into, Lines *out,
                         Err *e)
{
    Str stream;
    Records got;
    TRY(stream_of(log, into, &stream, e));
    if (range.limit == 0 || range.limit > LINE_LOG_READ_MAX)
        return err_set(e, JOT_INVALID, "one answer has 1 to %d lines", LINE_LOG_READ_MAX);
    uint64_t start = range.from ? range.from : 1;
    TRY(store_read(m->store, stream, (SeqRange){ start, range.limit }, into, &got, e));
    take_lines(&got, start, into, out);
    return JOT_OK;
}

jot_status line_log_tail(Memory *m, LineLogName log, size_t n, Arena *into, Lines *out, Err *e)
{
    Str stream;
    Record head;
    TRY(stream_of(log, into, &stream, e));
    TRY(store_head(m->store, stream, HEAD_MARK, into, &head, e));
    uint64_t from = head.mark.seq >= n ? head.mark.seq - n + 1 : 1;
    return line_log_read(m, log, (SeqRange){ from, n }, into, out, e);
}

/* --- Which there are ------------------------------------------------------------------- */

static LineLog log_of(const Listed *l)
{
    Str rest = str_from(l->name, strlen(LINE_LOG_KIND));
    size_t slash = str_find_last(rest, '/');
    return (LineLog){ .category = slash < rest.n ? str_slice(rest, 0, slash) : (Str){ 0 },
                      .name = slash < rest.n ? str_from(rest, slash + 1) : rest,
                      .seq = l->mark.seq,
                      .at_ms = l->mark.at_ms,
                      .by = l->by };
}

jot_status line_log_list(Memory *m, const LineLogQuery *q, Arena *into, LineLogs *out, Err *e)
{
    Str prefix = S(LINE_LOG_KIND), behind = { 0 }, probe;
    Listing page;
    if (q->category.n) {
        TRY(stream_of((LineLogName){ q->category, S("x") }, into, &probe, e));
        prefix = str_slice(probe, 0, probe.n - 1);
    }
    if (q->after.n) {
        behind = arena_printf(into, LINE_LOG_KIND STR_FMT, STR_ARG(q->after));
        TRY(store_check_name(behind, e));
    }
    TRY(store_list(m->store, &(ListQuery){ .prefix = prefix, .after = behind, .limit = q->limit },
                   into, &page, e));
    *out =
        (LineLogs){ .items = NEW_ARRAY(into, LineLog, page.n + 1), .n = page.n, .more = page.more };
    for (size_t i = 0; i < page.n; i++)
        out->items[i] = log_of(&page.items[i]);
    return JOT_OK;
}

/* --- Following ------------------------------------------------------------------------- */

/* The records from the last one seen on; JOT_OK without any if there is no such log. */
static jot_status look(Memory *m, Str stream, uint64_t from, Arena *into, Records *got, Err *e)
{
    Err missing = { 0 };
    *got = (Records){ 0 };
    jot_status st =
        store_read(m->store, stream, (SeqRange){ from, LINE_LOG_READ_MAX }, into, got, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    return err_pass(e, &missing, st);
}

static bool still_there(const Records *got, const LineLogCursor *at)
{
    return got->n && got->items[0].mark.seq == at->seq &&
           hash_eq(got->items[0].mark.chain, at->chain);
}

/* The lines after the place.  It is read together with them: if it is not what it was, the log is
 * another one.  A place that was trimmed away says nothing, and then what is kept follows it. */
static jot_status go_on(Memory *m, Str stream, LineLogCursor *at, Arena *into, Lines *out, Err *e)
{
    Records got;
    TRY(look(m, stream, at->seq ? at->seq : 1, into, &got, e));
    bool trimmed = got.n && got.items[0].mark.seq > at->seq;
    if (at->seq && !trimmed && still_there(&got, at)) {
        got.items++;
        got.n--;
    } else if (at->seq && !trimmed) {
        *at = (LineLogCursor){ .log = at->log, .cursor = at->cursor };
        TRY(look(m, stream, 1, into, &got, e));
    }
    take_lines(&got, at->seq + 1, into, out);
    if (got.n) {
        at->seq = got.items[got.n - 1].mark.seq;
        at->chain = got.items[got.n - 1].mark.chain;
    }
    return JOT_OK;
}

jot_status line_log_follow(Memory *m, LineLogCursor *at, int64_t wait_ms, Arena *into, Lines *out,
                           Err *e)
{
    Str stream;
    Changes changes;
    TRY(stream_of(at->log, into, &stream, e));
    TRY(go_on(m, stream, at, into, out, e));
    if (out->n || wait_ms <= 0)
        return JOT_OK;
    TRY(store_changes(m->store, &at->cursor, wait_ms, into, &changes, e));
    at->cursor = changes.next;
    return go_on(m, stream, at, into, out, e);
}

/* --- As JSON --------------------------------------------------------------------------- */

json_t *line_json(const Line *line)
{
    json_t *out = json_pack("{s:I, s:s, s:o, s:o}", "seq", (json_int_t)line->seq, "at",
                            time_text(line->at_ms).text, "by", json_text(line->by), "text",
                            json_text(line->text));
    if (line->redacted)
        json_object_set_new(out, "redacted", json_true());
    return out;
}

json_t *lines_json(const Lines *lines)
{
    json_t *items = json_array();
    for (size_t i = 0; i < lines->n; i++)
        json_array_append_new(items, line_json(&lines->items[i]));
    return json_pack("{s:o, s:b, s:I, s:I}", "lines", items, "more", lines->more, "next",
                     (json_int_t)lines->next, "damaged", (json_int_t)lines->damaged);
}

json_t *line_logs_json(const LineLogs *logs)
{
    json_t *items = json_array();
    for (size_t i = 0; i < logs->n; i++) {
        const LineLog *l = &logs->items[i];
        json_array_append_new(items, json_pack("{s:o, s:o, s:I, s:s, s:o}", "category",
                                               json_text(l->category), "name", json_text(l->name),
                                               "lines", (json_int_t)l->seq, "at",
                                               time_text(l->at_ms).text, "by", json_text(l->by)));
    }
    return json_pack("{s:o, s:b}", "logs", items, "more", logs->more);
}
