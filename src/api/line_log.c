/* line_log.c - line logs of jotter.h. */
#include "memory/artifact/line_log.h"

#include <string.h>

#include "api/api.h"

static void give_line(jot_pad *p, const Line *l, jot_line *to)
{
    *to = (jot_line){ .seq = l->seq,
                      .at_ms = l->at_ms,
                      .by = api_give_name(p, l->by),
                      .text = api_give_text(p, l->text),
                      .redacted = l->redacted };
}

static jot_lines *give(jot_pad *p, const Lines *lines)
{
    jot_line **items = NEW_RESULTS(p, jot_line, lines->n);
    for (size_t i = 0; i < lines->n; i++)
        give_line(p, &lines->items[i], items[i]);
    jot_lines *out = NEW_RESULT(p, jot_lines);
    *out = (jot_lines){ .items = (const jot_line *const *)items,
                        .count = lines->n,
                        .more = lines->more,
                        .next = lines->next,
                        .damaged = lines->damaged };
    return out;
}

static jot_status read_name(jot_pad *p, const char *category, const char *name, LineLogName *out)
{
    TRY(api_name(p, "a log's category", category, &out->category));
    return api_name(p, "a log's name", name, &out->name);
}

jot_status jot_line_log_append(jot_pad *pad, const char *category, const char *name, jot_text line,
                               const char *id, const jot_line **out)
{
    LineLogName log;
    Str text;
    Line added;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_name(pad, category, name, &log));
    TRY(api_text(pad, line, &text));
    TRY(line_log_append(&pad->m, log, text, str(id), &added, api_err(pad)));
    jot_line *result = NEW_RESULT(pad, jot_line);
    give_line(pad, &added, result);
    GIVE(out, result);
    return JOT_OK;
}

jot_status jot_line_log_read(jot_pad *pad, const char *category, const char *name, uint64_t from,
                             size_t limit, const jot_lines **out)
{
    LineLogName log;
    Lines lines;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_name(pad, category, name, &log));
    TRY(api_limit(pad, limit, LINE_LOG_READ_MAX, &limit));
    TRY(line_log_read(&pad->m, log, (SeqRange){ from, limit }, api_arena(pad), &lines,
                      api_err(pad)));
    GIVE(out, give(pad, &lines));
    return JOT_OK;
}

jot_status jot_line_log_tail(jot_pad *pad, const char *category, const char *name, size_t limit,
                             const jot_lines **out)
{
    LineLogName log;
    Lines lines;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_name(pad, category, name, &log));
    TRY(api_limit(pad, limit, LINE_LOG_READ_MAX, &limit));
    TRY(line_log_tail(&pad->m, log, limit, api_arena(pad), &lines, api_err(pad)));
    GIVE(out, give(pad, &lines));
    return JOT_OK;
}

_Static_assert(sizeof((jot_line_log_cursor){ 0 }.chain) == sizeof(Hash), "a place holds a chain");
_Static_assert(sizeof((jot_line_log_cursor){ 0 }.cursor) == sizeof(Cursor),
               "a place holds a cursor");

jot_status jot_line_log_follow(jot_pad *pad, const char *category, const char *name,
                               jot_line_log_cursor *place, int64_t wait_ms, const jot_lines **out)
{
    Lines lines;
    LineLogCursor at = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_name(pad, category, name, &at.log));
    TRY(api_need(pad, "a place", place));
    TRY(api_wait(pad, wait_ms));
    if (!memchr(place->cursor, 0, sizeof place->cursor))
        return err_set(api_err(pad), JOT_INVALID,
                       "this is no place: it is all zeros, or what the last call made of it");
    at.seq = place->seq;
    memcpy(&at.chain, place->chain, sizeof at.chain);
    memcpy(&at.cursor, place->cursor, sizeof at.cursor);
    TRY(line_log_follow(&pad->m, &at, wait_ms, api_arena(pad), &lines, api_err(pad)));
    place->seq = at.seq;
    memcpy(place->chain, &at.chain, sizeof at.chain);
    memcpy(place->cursor, &at.cursor, sizeof at.cursor);
    GIVE(out, give(pad, &lines));
    return JOT_OK;
}
