/* heads_check.c - every stream held against the list of heads, and the list rewritten.
 *
 * It reports what only the list knows: a stream that is gone, that ends before a
 * record that was there or begins after it (and was not trimmed), or that has
 * another record in its place; and a file
 * that changed although nobody wrote to it.  What is reported stays in the list, so
 * that it is reported again, until somebody accepts it. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/files/files.h"

enum { SENTENCE = 300, CHECK_TRIES = 4 };

typedef struct Check {
    Files *f;
    const VerifyHooks *hooks; /* NULL: nobody listens */
    bool accept;
    Heads old, fresh;
    bool *met; /* of `old`: its file was there */
    size_t cap;
    Arena arena;
    Err *e;
} Check;

static void check_done(Check *c)
{
    arena_free(&c->arena);
}
DEFINE_AUTO(Check, check_done)

static void report(const Check *c, FaultKind kind, Str stream, const char *what, const char *advice)
{
    StoreFault fault = { kind, stream, what, advice, true };
    if (c->hooks && c->hooks->fault)
        c->hooks->fault(c->hooks->ctx, &fault);
}

static void list(Check *c, const HeadLine *l)
{
    assert(l);
    c->fresh.items = arena_grow(&c->arena, c->fresh.items, c->fresh.n, &c->cap, sizeof(HeadLine),
                                alignof(HeadLine));
    c->fresh.items[c->fresh.n++] = *l;
}

/* --- Loss ---------------------------------------------------------------------------------- */

/* Is the record that the list knows still where it was?  One that was trimmed cannot be asked. */
static jot_status still_there(Check *c, const Stream *st, const HeadLine *old, bool *same, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    Located at = { .record = &r };
    Mark m = st->head;
    *same = true;
    if (old->seq < m.seq) {
        Err why = { 0 };
        jot_status found = stream_find(c->f, st, old->seq, &arena, &at, &why);
        if (found == JOT_CORRUPT) /* reported when it is read */
            return JOT_OK;
        TRY(err_pass(e, &why, found));
        if (at.from == at.to)
            return JOT_OK;
        m = r.mark;
    }
    *same = heads_line(old->name, &m).chain == old->chain;
    return JOT_OK;
}

/* The line stays, unless the loss is accepted. */
static void report_lost(Check *c, const HeadLine *old, const HeadLine *now, const char *what)
{
    Shown shown;
    if (!c->accept) {
        report(c, FAULT_LOST, old->name, what,
               "bring the stream back from a copy of the pad, or accept the loss: jotter doctor "
               "--fix takes it off the list");
        list(c, old);
        return;
    }
    store_met(&c->f->base, &c->f->base.report.accepted, "what is lost of '%s' was accepted",
              err_show(&shown, old->name));
    if (now)
        list(c, now);
}

static void report_gone(Check *c, const HeadLine *old)
{
    char what[SENTENCE];
    snprintf(what, sizeof what, "its stream is gone: the list of heads knows record %llu of it",
             (unsigned long long)old->seq);
    report_lost(c, old, NULL, what);
}

/* Was everything before the oldest record taken away in order?  A trim leaves its count there, a
 * purge a tombstone that reports it. */
static jot_status begins_in_order(Check *c, const Stream *st, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Records oldest;
    PurgeTrace told;
    TRY(stream_read(c->f, st, (SeqRange){ 0, 1 }, &arena, &oldest, e));
    const Record *r = oldest.n ? &oldest.items[0] : NULL;
    *out = !r || r->mark.gap + 1 >= r->mark.seq || store_purge_trace(r, &told);
    return JOT_OK;
}

/* Does it begin after a record that the list knows? */
static jot_status compare_first(Check *c, const Stream *st, const HeadLine *old, uint64_t first,
                                char what[SENTENCE], Err *e)
{
    bool in_order = true;
    if (old->first && first > old->first)
        TRY(begins_in_order(c, st, &in_order, e));
    if (!in_order)
        snprintf(what, SENTENCE,
                 "its oldest records are gone, and were not trimmed: it begins with %llu, the list "
                 "of heads knows %llu",
                 (unsigned long long)first, (unsigned long long)old->first);
    return JOT_OK;
}

/* Does one line say that something is missing?  *what is the sentence, or "". */
static jot_status compare_line(Check *c, const Stream *st, const HeadLine *old, char what[SENTENCE],
                               Err *e)
{
    bool same = true;
    assert(old);
    what[0] = 0;
    if (st->head.seq < old->seq && old->seq <= mark_last(&st->head))
        return JOT_OK; /* damaged, and reported when it is read */
    if (st->head.seq < old->seq)
        snprintf(what, SENTENCE,
                 "its newest records are gone: it ends with %llu, the list of heads knows %llu",
                 (unsigned long long)st->head.seq, (unsigned long long)old->seq);
    else
        TRY(still_there(c, st, old, &same, e));
    if (!same)
        snprintf(what, SENTENCE,
                 "record %llu is not the one the list of heads knows: records were lost, and "
                 "others written in their place",
                 (unsigned long long)old->seq);
    return JOT_OK;
}

/* A stream that can be read, and the lines that are known of it. */
static jot_status compare(Check *c, const Stream *st, const HeadLine *old, size_t n, Err *e)
{
    HeadLine now = heads_line(arena_copy(&c->arena, st->paths->name), &st->head);
    char what[SENTENCE];
    now.first = heads_first(c->f, st);
    for (size_t i = 0; i < n; i++) {
        TRY(compare_line(c, st, &old[i], what, e));
        if (!what[0])
            TRY(compare_first(c, st, &old[i], now.first, what, e));
        if (what[0]) {
            report_lost(c, &old[i], &now, what);
            return JOT_OK;
        }
        if (old[i].seq > now.seq) { /* what is left of it may yet be cut off */
            list(c, &old[i]);
            return JOT_OK;
        }
        if (old[i].seq == now.seq) { /* what its file looked like then */
            now.inode = old[i].inode;
            now.mtime_ns = old[i].mtime_ns;
            now.ctime_ns = old[i].ctime_ns;
        }
        if (now.first == 0) /* damaged, and reported when it is read */
            now.first = old[i].first;
    }
    list(c, &now);
    return JOT_OK;
}

static jot_status check_stream(void *ctx, const char *dir, const char *name)
{
    Check *c = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    if (!stream_of_path(arena_printf(&arena, "%s/%s", dir, name), &stream))
        return JOT_OK;
    Paths p = paths_of(c->f, buf_str(&stream));
    size_t n;
    const HeadLine *old = heads_find(&c->old, p.name, &n);
    for (size_t i = 0; i < n; i++)
        c->met[old - c->old.items + (ptrdiff_t)i] = true;
    AUTO(Stream) st = { .fd = FD_NONE };
    Err why = { 0 };
    /* A record that may yet be lost must not be missed later. */
    jot_status looked = stream_look(c->f, &p, LOOK_DURABLE, RECORD_NO_BODY, &st, &why);
    if (looked == JOT_OK && (!old || old[n - 1].seq != st.head.seq)) {
        stream_done(&st);
        looked = stream_look(c->f, &p, LOOK_SYNCED, RECORD_NO_BODY, &st, &why);
    }
    if (looked == JOT_IO || looked == JOT_UNAVAILABLE)
        return err_pass(c->e, &why, looked);
    if (looked == JOT_NOT_FOUND) {
        if (old)
            report_gone(c, &old[n - 1]);
        return JOT_OK;
    }
    if (looked != JOT_OK) { /* reported when it is read */
        for (size_t i = 0; i < n; i++)
            list(c, &old[i]);
        return JOT_OK;
    }
    return heads_purged(c->f, &st) ? JOT_OK : compare(c, &st, old, n, c->e);
}

/* Names whose stream file was not met on the way.  One that is there was not to be reached, behind
 * a symlink say, which is reported where that was met: nothing is lost, and nothing forgotten. */
static jot_status find_missing(Check *c)
{
    for (size_t i = 0; i < c->old.n; i++) {
        const HeadLine *old = &c->old.items[i];
        if (c->met[i])
            continue;
        Paths p = paths_of(c->f, old->name);
        struct stat info;
        int got = io_stat_path(c->f->base.io, c->f->root, p.path, &info);
        if (got < 0 && !io_missing(got))
            return err_errno(c->e, -got, "could not look at a stream");
        bool newest = i + 1 == c->old.n || !str_eq(old->name, old[1].name);
        if (got == 0)
            list(c, old);
        else if (newest)
            report_gone(c, old);
    }
    return JOT_OK;
}

/* --- Rot ----------------------------------------------------------------------------------- */

/* A file that looks as it did then, and has another text. */
static void check_view(Check *c, HeadLine *l)
{
    AUTO(Arena) arena = { 0 };
    Paths p = paths_of(c->f, l->name);
    View v;
    HeadLine was = *l;
    heads_see(c->f, l);
    if (!was.inode || l->inode || view_read(c->f, &p, &arena, &v, NULL) != JOT_OK || !v.there)
        return;
    bool same = v.inode == was.inode && v.mtime_ns == was.mtime_ns && v.ctime_ns == was.ctime_ns &&
                v.text.n == was.size;
    if (!same)
        return; /* a person's */
    report(c, FAULT_VIEW, l->name,
           "its file has other bytes although nobody wrote to it: the disk has damaged it",
           "nothing: readers get the text from its stream; the next write, or jotter doctor --fix, "
           "restores the file and puts the damaged one into quarantine/");
    *l = was;
}

/* --- All of it ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const HeadLine *)a)->name, ((const HeadLine *)b)->name);
}

static jot_status check_once(Check *c)
{
    int got = heads_load(c->f, &c->arena, &c->old);
    if (got < 0)
        return err_errno(c->e, -got, "could not read the list of heads");
    c->met = arena_alloc(&c->arena, c->old.n + 1, 1);
    c->fresh.forgotten = c->old.forgotten;
    c->fresh.at_ms = io_wall_ms(c->f->base.io);
    TRY(walk_files(c->f, "streams", false, check_stream, c, c->e));
    TRY(walk_files(c->f, "runs", false, check_stream, c, c->e));
    TRY(find_missing(c));
    for (size_t i = 0; i < c->fresh.n; i++)
        check_view(c, &c->fresh.items[i]);
    if (c->fresh.n)
        qsort(c->fresh.items, c->fresh.n, sizeof *c->fresh.items, by_name);
    return JOT_OK;
}

static uint64_t count_names(const Heads *h)
{
    uint64_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n += i + 1 == h->n || !str_eq(h->items[i].name, h->items[i + 1].name);
    return n;
}

jot_status files_heads(Store *s, const VerifyHooks *hooks, bool accept, HeadsSeen *out, Err *e)
{
    Files *f = (Files *)s;
    heads_flush(f);
    for (int i = 0; i < CHECK_TRIES; i++) {
        AUTO(Check) c = { .f = f, .hooks = i ? NULL : hooks, .accept = accept, .e = e };
        TRY(check_once(&c));
        if (i == 0)
            *out = (HeadsSeen){ .kept = true, .at_ms = c.old.at_ms, .names = count_names(&c.old) };
        int got = f->base.read_only_why[0] ? 0 : heads_store(f, &c.fresh);
        /* Somebody purged a stream meanwhile: once more without it.  A list that cannot be written
         * stays as it is, and says how old. */
        if (got != -ESTALE)
            break;
    }
    return JOT_OK;
}
