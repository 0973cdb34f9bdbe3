/* oracle.c - looking at a disk after a crash, and judging. */
#include "oracle.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/engine.h"

/* Later than anything a workload wrote. */
enum { LATER_S = 100000 };

#define LATE_TEXT S("written after the crash")

/* --- Looking --------------------------------------------------------------------------- */

static bool fail(Seen *seen, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool fail(Seen *seen, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(seen->wrong, sizeof seen->wrong, fmt, args);
    va_end(args);
    return false;
}

static bool open_store(Oracle *o, Seen *seen, Store **out, const char *when)
{
    Err e = { 0 };
    jot_status st = o->target->open(o->target, o->root, &o->io.io, out, &e);
    if (st != JOT_OK)
        return fail(seen, "open %s answers %s: %s", when, status_info(st)->name, e.text);
    if (store_read_only_why(*out)[0])
        return fail(seen, "open %s is read-only: %s", when, store_read_only_why(*out));
    return true;
}

static bool write_one(const Oracle *o, Seen *seen, Store *s, Str stream)
{
    const Shot *shot = snapshot_find(&seen->first, stream);
    uint64_t last = shot && shot->n ? shot->records[shot->n - 1].mark.seq : 0;
    bool log = !store_kind(stream)->document && str_starts(stream, S("runs/"));
    Draft draft = { .op = log ? OP_APPEND : OP_PUT, .by = S("rig"), .body = LATE_TEXT };
    Expect expect = { .kind = EXPECT_SEQ, .seq = last };
    if (o->history->edits_n)
        expect = (Expect){ .kind = EXPECT_ANY };
    Mark mark;
    Err e = { 0 };
    jot_status st = store_append(s, stream, &expect, &draft, &mark, &e);
    Shown shown;
    if (st != JOT_OK)
        return fail(seen, "%s: the write after the crash answers %s: %s", err_show(&shown, stream),
                    status_info(st)->name, e.text);
    if (mark.seq != last + 1 && !o->history->edits_n)
        return fail(seen, "%s: the write after the crash has seq %llu, not %llu",
                    err_show(&shown, stream), (unsigned long long)mark.seq,
                    (unsigned long long)last + 1);
    return true;
}

static bool is_written(const Oracle *o, Str stream)
{
    for (size_t i = 0; i < o->streams_n; i++)
        if (str_eq(str(o->streams[i]), stream))
            return true;
    return false;
}

/* The second sight of a stream: the first one's records, perhaps edits, then our own. */
static bool compare_stream(const Oracle *o, Seen *seen, const Shot *second)
{
    Shown shown;
    const char *name = err_show(&shown, second->name);
    const Shot *first = snapshot_find(&seen->first, second->name);
    size_t at = first ? first->n : 0;
    bool written = is_written(o, second->name);
    if (second->n < at || (at && memcmp(first->digests, second->digests, at * sizeof(uint64_t))))
        return fail(seen, "%s: the write after the crash changed what was there", name);
    for (; at + written < second->n; at++) {
        const Record *r = &second->records[at];
        bool outside = str_eq(r->by, S(STORE_OUTSIDE));
        if (!outside || seen->extras_n == EXTRAS_MAX)
            return fail(seen, "%s: record %llu came from nowhere", name,
                        (unsigned long long)r->mark.seq);
        seen->extras[seen->extras_n++] =
            (Extra){ arena_copy(&seen->arena, second->name), arena_copy(&seen->arena, r->body),
                     r->mark.op == OP_DELETE };
    }
    const Record *last = second->n ? &second->records[second->n - 1] : NULL;
    if (written && (!last || at >= second->n || !str_eq(last->body, LATE_TEXT)))
        return fail(seen, "%s: the write after the crash is not there", name);
    return true;
}

static bool compare_all(const Oracle *o, Seen *seen, const Snapshot *second)
{
    Shown shown;
    for (size_t i = 0; i < second->n; i++)
        if (!compare_stream(o, seen, &second->shots[i]))
            return false;
    for (size_t i = 0; i < seen->first.n; i++)
        if (!snapshot_find(second, seen->first.shots[i].name))
            return fail(seen, "%s: vanished when another stream was written",
                        err_show(&shown, seen->first.shots[i].name));
    for (size_t i = 0; i < o->streams_n; i++)
        if (!snapshot_find(second, str(o->streams[i])))
            return fail(seen, "%s: the write after the crash is not there", o->streams[i]);
    return true;
}

/* People see the head of every document, or nothing if it has none. */
static bool check_view(const Oracle *o, Seen *seen, const Shot *shot, Arena *scratch)
{
    char path[700];
    Shown shown;
    if (!target_view(o->target, shot->name, path, sizeof path) || shot->n == 0)
        return true;
    bool there;
    Str text = file_read(o->live.inodes[TREE_ROOT].fd, path, scratch, &there);
    const Record *last = &shot->records[shot->n - 1];
    bool live = mark_live(&last->mark);
    if (live == there && (!live || str_eq(text, last->body)))
        return true;
    return fail(seen, "%s: people see %s", err_show(&shown, shot->name),
                there ? "another text than the head's" : "nothing");
}

static bool check_views(const Oracle *o, Seen *seen, const Snapshot *second, Arena *scratch)
{
    for (size_t i = 0; i < second->n; i++)
        if (is_written(o, second->shots[i].name) &&
            !check_view(o, seen, &second->shots[i], scratch))
            return false;
    return true;
}

/* A draft belongs to a writer; there is none any more for the streams just written. */
static bool check_drafts(const Oracle *o, Seen *seen)
{
    for (size_t i = 0; i < o->live.names.n; i++) {
        Str name = str(o->live.names.items[i].text);
        if (!str_starts(name, S(".")) || !str_ends(name, S(".new")))
            continue;
        for (size_t k = 0; k < o->streams_n; k++) {
            char key[STORE_SEGMENT_MAX + 2];
            snprintf(key, sizeof key, "%s.", strrchr(o->streams[k], '/') + 1);
            if (strstr(name.p, key))
                return fail(seen, "%s: the draft '" STR_FMT "' was left behind", o->streams[k],
                            STR_ARG(name));
        }
    }
    return true;
}

/* --- People's texts -------------------------------------------------------------------- */

static bool file_holds(int dir, const char *name, Str text)
{
    AUTO(Arena) arena = { 0 };
    bool there;
    Str bytes = file_read(dir, name, &arena, &there);
    return there && str_eq(bytes, text);
}

static bool quarantine_holds(const Oracle *o, Str text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s/quarantine", o->root, o->target->pad);
    DIR *d = opendir(path);
    bool found = false;
    for (struct dirent *e = d ? readdir(d) : NULL; e && !found; e = readdir(d))
        found = e->d_type == DT_REG && file_holds(dirfd(d), e->d_name, text);
    if (d)
        closedir(d);
    return found;
}

static bool stream_holds(const Snapshot *s, const Edit *edit)
{
    const Shot *shot = snapshot_find(s, edit->stream);
    for (size_t i = 0; shot && i < shot->n; i++) {
        const Record *r = &shot->records[i];
        bool removal = r->mark.op == OP_DELETE && str_eq(r->by, S(STORE_OUTSIDE));
        if (edit->removal ? removal : r->mark.op == OP_PUT && str_eq(r->body, edit->text))
            return true;
    }
    return false;
}

static void find_edits(const Oracle *o, Seen *seen, const Snapshot *second)
{
    for (size_t i = 0; i < o->history->edits_n; i++) {
        const Edit *edit = &o->history->edits[i];
        bool found =
            stream_holds(second, edit) || (!edit->removal && quarantine_holds(o, edit->text));
        seen->found |= (uint64_t)found << i;
    }
}

/* --- All of it ------------------------------------------------------------------------- */

static bool look_first(Oracle *o, Seen *seen)
{
    AUTO_PTR(Store) s = NULL;
    char why[300] = "";
    if (!open_store(o, seen, &s, "after the crash"))
        return false;
    if (!snapshot_take(s, &seen->arena, &seen->first, why, sizeof why))
        return fail(seen, "%s", why);
    for (size_t i = 0; i < o->streams_n; i++)
        if (!write_one(o, seen, s, str(o->streams[i])))
            return false;
    return true;
}

static bool look_again(Oracle *o, Seen *seen)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(Store) s = NULL;
    Snapshot second;
    char why[300] = "";
    if (!open_store(o, seen, &s, "once more"))
        return false;
    if (!snapshot_take(s, &arena, &second, why, sizeof why))
        return fail(seen, "after a write and a second open: %s", why);
    find_edits(o, seen, &second);
    return compare_all(o, seen, &second) && check_views(o, seen, &second, &arena) &&
           check_drafts(o, seen);
}

static uint64_t digest_seen(const Seen *seen)
{
    uint64_t h = mix64(seen->first.digest, bytes_hash(str(seen->wrong)));
    for (size_t i = 0; i < seen->extras_n; i++) {
        const Extra *x = &seen->extras[i];
        h = mix64(mix64(h, bytes_hash(x->stream)), mix64(bytes_hash(x->text), x->removal));
    }
    return mix64(h, seen->found);
}

static size_t intern(Oracle *o, Seen *fresh)
{
    fresh->digest = digest_seen(fresh);
    for (size_t i = 0; i < o->seen_n; i++)
        if (o->seen[i]->digest == fresh->digest) {
            arena_free(&fresh->arena);
            free(fresh);
            return i;
        }
    if (o->seen_n == o->seen_cap) {
        o->seen_cap = o->seen_cap ? o->seen_cap * 2 : 64;
        o->seen = mem_grow(o->seen, o->seen_cap * sizeof(Seen *));
    }
    o->seen[o->seen_n] = fresh;
    return o->seen_n++;
}

static size_t look(Oracle *o, const char *boot)
{
    Seen *seen = mem_alloc(sizeof *seen);
    test_io_init(&o->io, &o->follow.hook, boot, 11);
    o->io.wall_ms += (int64_t)LATER_S * 1000;
    if (look_first(o, seen))
        look_again(o, seen);
    return intern(o, seen);
}

const Seen *oracle_look(Oracle *o, const char *boot)
{
    size_t which = look(o, boot);
    return o->seen[which];
}

/* --- Remembering ----------------------------------------------------------------------- */

static struct Known *place_of(const Oracle *o, uint64_t disk)
{
    size_t i = disk & (o->known_cap - 1);
    while (o->known[i].disk && o->known[i].disk != disk)
        i = (i + 1) & (o->known_cap - 1);
    return &o->known[i];
}

static void grow_known(Oracle *o)
{
    struct Known *old = o->known;
    size_t cap = o->known_cap;
    o->known_cap = cap ? cap * 2 : 4096;
    o->known = mem_alloc(o->known_cap * sizeof *o->known);
    for (size_t i = 0; i < cap; i++)
        if (old[i].disk)
            *place_of(o, old[i].disk) = old[i];
    free(old);
}

const Seen *oracle_state(Oracle *o, const Image *image, uint64_t hash, const char *boot,
                         bool *fresh)
{
    if (2 * o->known_n >= o->known_cap)
        grow_known(o);
    uint64_t disk = mix64(hash, (uint64_t)boot[0]);
    disk += disk == 0;
    struct Known *known = place_of(o, disk);
    *fresh = known->disk == 0;
    if (*fresh) {
        live_become(&o->live, image);
        *known = (struct Known){ disk, look(o, boot) };
        o->known_n++;
    }
    return o->seen[known->seen];
}

void oracle_init(Oracle *o, const Target *t, const Workload *w, const History *h, const char *root)
{
    *o = (Oracle){ .target = t, .workload = w, .history = h };
    o->streams_n = workload_streams(w, o->streams, ORACLE_STREAMS);
    snprintf(o->root, sizeof o->root, "%s", root);
    live_open(&o->live, root, t->untracked);
    recorder_start(&o->follow, &o->live, NULL, NULL);
}

void oracle_refresh(Oracle *o)
{
    live_close(&o->live);
    live_open(&o->live, o->root, o->target->untracked);
    recorder_start(&o->follow, &o->live, NULL, NULL);
}

void oracle_done(Oracle *o)
{
    live_close(&o->live);
    for (size_t i = 0; i < o->seen_n; i++) {
        arena_free(&o->seen[i]->arena);
        free(o->seen[i]);
    }
    free(o->seen);
    free(o->known);
    *o = (Oracle){ 0 };
}

/* --- Judging --------------------------------------------------------------------------- */

/* True if a crash can have made this out of something a person had begun to save. */
static bool from_a_person(const Past *past, const Extra *x)
{
    for (size_t i = 0; i < past->history->edits_n; i++) {
        const Edit *edit = &past->history->edits[i];
        if (edit->op >= past->begun || !str_eq(edit->stream, x->stream))
            continue;
        if (x->removal ? edit->removal : !edit->removal && str_starts(edit->text, x->text))
            return true;
    }
    return false;
}

static bool judge_extra(const Past *past, const Extra *x, char *wrong, size_t size)
{
    Shown shown, text;
    if (from_a_person(past, x))
        return true;
    snprintf(wrong, size, "%s: a text nobody wrote became its value: '%s'%s",
             err_show(&shown, x->stream), err_show(&text, x->text), x->removal ? " (removed)" : "");
    return false;
}

/* What a person had saved, and no crash can have taken away, is still somewhere. */
static bool judge_edits(const Seen *seen, const Past *past, char *wrong, size_t size)
{
    for (size_t i = 0; i < past->history->edits_n; i++) {
        const Edit *edit = &past->history->edits[i];
        bool safe = edit->op < past->acked && (past->kept || edit->synced);
        if (!safe || seen->found >> i & 1)
            continue;
        Shown shown, text;
        snprintf(wrong, size, "%s: what a person saved is lost: '%s'",
                 err_show(&shown, edit->stream), err_show(&text, edit->text));
        return false;
    }
    return true;
}

bool oracle_judge(const Seen *seen, const Past *past, char *wrong, size_t size)
{
    if (seen->wrong[0]) {
        snprintf(wrong, size, "%s", seen->wrong);
        return false;
    }
    Allowed allowed = history_allowed(past->history, past->begun, past->acked);
    if (!allowed_fits(&allowed, &seen->first, wrong, size))
        return false;
    for (size_t i = 0; i < seen->extras_n; i++)
        if (!judge_extra(past, &seen->extras[i], wrong, size))
            return false;
    for (size_t i = 0; i < seen->first.n; i++) {
        const Shot *shot = &seen->first.shots[i];
        Extra pending = { shot->name, shot->edit, shot->gone };
        if (shot->pending && !judge_extra(past, &pending, wrong, size))
            return false;
    }
    return judge_edits(seen, past, wrong, size);
}
