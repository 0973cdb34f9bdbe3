/* story.c - one line of a story is one entry of a log, and perhaps a record. */
#include "story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

Story *begin(Story *s)
{
    memset(s, 0, sizeof *s);
    s->h.log_n = 4;
    s->h.stream_n = 2;
    for (size_t w = 0; w < 4; w++)
        s->h.logs[w].items = s->entries[w];
    for (size_t i = 0; i < 2; i++)
        s->h.streams[i].records = s->records[i];
    s->h.streams[X].name = "notes/x";
    s->h.streams[Y].name = "notes/y";
    return s;
}

Entry *ask(Story *s, int w, EntryKind kind, uint16_t stream, uint64_t from, uint64_t to)
{
    Log *log = &s->h.logs[w];
    Entry *e = &log->items[log->n++];
    *e = (Entry){ .kind = (uint8_t)kind,
                  .stream = stream,
                  .guard = HISTORY_NO_STREAM,
                  .invoke_ns = from,
                  .answer_ns = to,
                  .answered = to != 0 };
    return e;
}

static uint64_t content_at(int w, size_t index)
{
    return (uint64_t)(w + 1) << 40 | (index + 1);
}

Entry *put(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = ask(s, w, ENTRY_APPEND, stream, from, to);
    e->op = OP_PUT;
    e->content = content_at(w, s->h.logs[w].n - 1);
    return e;
}

Found *leave(Story *s, int w)
{
    size_t index = s->h.logs[w].n - 1;
    const Entry *e = &s->h.logs[w].items[index];
    Stream *st = &s->h.streams[e->stream];
    Found *f = &st->records[st->n++];
    *f = (Found){ .content = e->op == OP_DELETE ? 0 : e->content,
                  .id = e->id,
                  .worker = (uint32_t)w,
                  .index = (uint32_t)index,
                  .op = e->op,
                  .signed_by_us = true,
                  .sound = true };
    if (e->op != OP_DELETE)
        f->sha = content_sha(e->content);
    return f;
}

void show(Story *s, Entry *e, jot_status status, uint64_t seq)
{
    e->status = (uint8_t)status;
    e->seq = seq;
    if (seq == 0)
        return;
    const Found *f = &s->h.streams[e->stream].records[seq - 1];
    e->mark_op = f->op;
    e->sha = f->sha;
}

Entry *made(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = put(s, w, stream, from, to);
    leave(s, w);
    if (to)
        show(s, e, JOT_OK, s->h.streams[stream].n);
    return e;
}

Entry *deleted(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = put(s, w, stream, from, to);
    e->op = OP_DELETE;
    e->content = 0;
    leave(s, w);
    show(s, e, JOT_OK, s->h.streams[stream].n);
    return e;
}

Entry *saw(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq)
{
    Entry *e = ask(s, w, ENTRY_HEAD, stream, from, to);
    show(s, e, seq ? JOT_OK : JOT_NOT_FOUND, seq);
    return e;
}

Entry *saw_value(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq)
{
    Entry *e = saw(s, w, stream, from, to, seq);
    e->which = HEAD_VALUE;
    e->seq = 0;
    return e;
}

void assert_accepted(Story *s)
{
    Verdict v;
    if (!checker_run(&s->h, &v))
        fail_msg("rejected: %s", v.text);
}

void assert_rejected(Story *s, Rule rule)
{
    Verdict v;
    if (checker_run(&s->h, &v))
        fail_msg("accepted, but: %s", rule_text(rule));
    if (v.first != rule)
        fail_msg("rejected, but not because %s: %s", rule_text(rule), v.text);
}
