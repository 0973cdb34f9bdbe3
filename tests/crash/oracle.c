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

#include "secret.h"
#include "store/engine.h"

/* Later than anything a workload wrote. */
enum { LATER_S = 100000, DOORS_EVERY = 8, FORGET_EVERY = 2, TWIN_EVERY = 61 };

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

/* Write behind the newest record; if a dead writer's record appears there in that moment, behind
 * that. */
static bool write_one(const Oracle *o, Seen *seen, Store *s, Str stream, Mark *mark)
{
    const Shot *shot = snapshot_find(&seen->first, stream);
    uint64_t last = shot && shot->n ? shot->records[shot->n - 1].mark.seq : 0;
    bool log = !store_kind(stream)->document && str_starts(stream, S("runs/"));
    Draft draft = { .op = log ? OP_APPEND : OP_PUT, .by = S("rig"), .body = LATE_TEXT };
    if (str_starts(stream, S(WORKLOAD_MARKDOWN)))
        draft.meta = S(WORKLOAD_MARKDOWN_META);
    Expect expect = { .kind = o->history->edits_n ? EXPECT_ANY : EXPECT_SEQ, .seq = last };
    Err e = { 0 };
    jot_status st = store_append(s, stream, &expect, &draft, mark, &e);
    if (st == JOT_CONFLICT && mark->seq > last) {
        expect.seq = mark->seq;
        st = store_append(s, stream, &expect, &draft, mark, &e);
    }
    Shown shown;
    if (st != JOT_OK)
        return fail(seen, "%s: the write after the crash answers %s: %s", err_show(&shown, stream),
                    status_info(st)->name, e.text);
    return true;
}

/* Take the oracle's own record away from the second sight of a stream. */
static bool take_own(Seen *seen, Str stream, const Mark *mark)
{
    Shown shown;
    Shot *shot = (Shot *)snapshot_find(&seen->second, stream);
    const Record *last = shot && shot->n ? &shot->records[shot->n - 1] : NULL;
    bool own = last && str_eq(last->body, LATE_TEXT) && last->mark.seq == mark->seq &&
               hash_eq(last->mark.chain, mark->chain);
    if (!own)
        return fail(seen, "%s: the write after the crash is not there", err_show(&shown, stream));
    shot->n--;
    return true;
}

/* What was there at the first sight is there at the second. */
static bool compare_all(Seen *seen)
{
    Shown shown;
    for (size_t i = 0; i < seen->first.n; i++) {
        const Shot *first = &seen->first.shots[i];
        const Shot *second = snapshot_find(&seen->second, first->name);
        bool same = second && second->n >= first->n &&
                    memcmp(first->digests, second->digests, first->n * sizeof(uint64_t)) == 0;
        if (!same)
            return fail(seen, "%s: the write after the crash changed what was there",
                        err_show(&shown, first->name));
    }
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

static bool check_views(const Oracle *o, Seen *seen)
{
    AUTO(Arena) scratch = { 0 };
    for (size_t i = 0; i < o->streams_n; i++) {
        const Shot *shot = snapshot_find(&seen->second, str(o->streams[i]));
        if (shot && !check_view(o, seen, shot, &scratch))
            return false;
    }
    return true;
}

/* A draft belongs to a writer; there is none any more for the streams just written. */
static bool check_drafts(const Oracle *o, Seen *seen)
{
    for (size_t k = 0; k < o->streams_n; k++) {
        char path[700];
        struct stat info;
        if (target_draft(o->target, str(o->streams[k]), path, sizeof path) &&
            fstatat(o->live.inodes[TREE_ROOT].fd, path, &info, AT_SYMLINK_NOFOLLOW) == 0)
            return fail(seen, "%s: the draft '%s' was left behind", o->streams[k], path);
    }
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

static void find_edits(const Oracle *o, Seen *seen)
{
    for (size_t i = 0; i < o->history->edits_n; i++) {
        const Edit *edit = &o->history->edits[i];
        bool found = stream_holds(&seen->second, edit) ||
                     (!edit->removal && quarantine_holds(o, edit->text));
        seen->found |= (uint64_t)found << i;
    }
}

/* --- All of it ------------------------------------------------------------------------- */

static bool look_first(Oracle *o, Seen *seen, Mark marks[ORACLE_STREAMS])
{
    AUTO_PTR(Store) s = NULL;
    char why[300] = "";
    if (!open_store(o, seen, &s, "after the crash"))
        return false;
    if (!snapshot_take(s, o->doors, &seen->arena, &seen->first, why, sizeof why))
        return fail(seen, "%s", why);
    for (size_t i = 0; i < o->streams_n; i++)
        if (!write_one(o, seen, s, str(o->streams[i]), &marks[i]))
            return false;
    return true;
}

static bool look_again(Oracle *o, Seen *seen, const Mark marks[ORACLE_STREAMS])
{
    AUTO_PTR(Store) s = NULL;
    char why[300] = "";
    if (!open_store(o, seen, &s, "once more"))
        return false;
    bool read = o->doors == DOORS_ALL
                    ? snapshot_take(s, DOORS_ALL, &seen->arena, &seen->second, why, sizeof why)
                    : snapshot_again(s, &seen->first, o->streams, o->streams_n, &seen->arena,
                                     &seen->second, why, sizeof why);
    if (!read)
        return fail(seen, "after a write and a second open: %s", why);
    if (!check_views(o, seen) || !check_drafts(o, seen))
        return false;
    for (size_t i = 0; i < o->streams_n; i++)
        if (!take_own(seen, str(o->streams[i]), &marks[i]))
            return false;
    find_edits(o, seen);
    return compare_all(seen);
}

/* Forgetting the secret again, or for the first time, leaves it nowhere. */
static bool forget_again(Oracle *o, Seen *seen)
{
    AUTO_PTR(Store) s = NULL;
    Action again[SECRET_AGAIN_MAX];
    Err e = { 0 };
    if (!open_store(o, seen, &s, "to forget"))
        return false;
    size_t n = secret_again(o->workload, &seen->second, again);
    for (size_t i = 0; i < n; i++)
        if (secret_do(s, &again[i], &e) != JOT_OK)
            return fail(seen, "%s: forgetting after the crash answers %s: %s", again[i].stream,
                        status_info(e.status)->name, e.text);
    char where[200];
    return !secret_lies(&o->live, str(o->workload->secret), where, sizeof where) ||
           fail(seen, "what was forgotten after the crash is still in '%s'", where);
}

static void hear_of_loss(void *ctx, const StoreFault *f)
{
    if (f->kind == FAULT_LOST)
        fail(ctx, STR_FMT ": verify tells of a loss: %s", STR_ARG(f->stream), f->what);
}

/* A power loss takes nothing that a list of heads could know. */
static bool miss_nothing(Oracle *o, Seen *seen)
{
    AUTO_PTR(Store) s = NULL;
    VerifyHooks hooks = { .fault = hear_of_loss, .ctx = seen };
    VerifyCount count;
    Err e = { 0 };
    if (!open_store(o, seen, &s, "to verify"))
        return false;
    if (store_verify(s, &hooks, &count, &e) != JOT_OK)
        return fail(seen, "verify after the crash answers %s: %s", status_info(e.status)->name,
                    e.text);
    return !seen->wrong[0];
}

static uint64_t digest_seen(const Seen *seen)
{
    uint64_t h = mix64(seen->first.digest, bytes_hash(str(seen->wrong)));
    return mix64(mix64(h, seen->second.digest), seen->found << 1 | seen->secret);
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

/* Trying every door every time would halve the number of disks that can be looked at. */
static Doors choose_doors(Oracle *o)
{
    return o->thorough || ++o->looks % DOORS_EVERY == 0 ? DOORS_ALL : DOORS_SOME;
}

static size_t look(Oracle *o, const char *boot, Doors doors)
{
    Seen *seen = mem_alloc(sizeof *seen);
    test_io_init(&o->io, &o->follow.hook, boot, 11);
    o->io.wall_ms += (int64_t)LATER_S * 1000;
    o->doors = doors;
    Mark marks[ORACLE_STREAMS] = { 0 };
    const char *secret = o->workload->secret;
    char where[200];
    seen->secret = secret && secret_lies(&o->live, str(secret), where, sizeof where);
    bool forget = secret && (o->thorough || o->looks % FORGET_EVERY == 0);
    if (look_first(o, seen, marks) && look_again(o, seen, marks) &&
        (doors == DOORS_SOME || miss_nothing(o, seen)) && forget)
        forget_again(o, seen);
    return intern(o, seen);
}

const Seen *oracle_look(Oracle *o, const char *boot)
{
    size_t which = look(o, boot, choose_doors(o));
    return o->seen[which];
}

/* The twin's sight of a disk is the same, or the ramdisk is no file system. */
static size_t look_twice(Oracle *o, const Image *image, const char *boot)
{
    Doors doors = choose_doors(o);
    live_become(&o->live, image);
    size_t which = look(o, boot, doors);
    if (!o->twin || (o->known_n % TWIN_EVERY && !o->thorough))
        return which;
    live_become(&o->twin->live, image);
    size_t there = look(o->twin, boot, doors);
    const Seen *again = o->twin->seen[there];
    /* What is wrong may be said with the name of the place. */
    if (again->digest == o->seen[which]->digest || (again->wrong[0] && o->seen[which]->wrong[0]))
        return which;
    Seen *differs = mem_alloc(sizeof *differs);
    fail(differs, "a real file system shows something else: %s", again->wrong);
    return intern(o, differs);
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

/* The disk's place in the table; its `disk` is 0 if nobody has looked yet. */
static struct Known *known_of(Oracle *o, uint64_t hash, const char *boot, uint64_t *disk)
{
    if (2 * o->known_n >= o->known_cap)
        grow_known(o);
    *disk = mix64(hash, (uint64_t)boot[0]);
    *disk += *disk == 0;
    return place_of(o, *disk);
}

const Seen *oracle_state(Oracle *o, const Image *image, uint64_t hash, const char *boot,
                         bool *fresh)
{
    uint64_t disk;
    struct Known *known = known_of(o, hash, boot, &disk);
    *fresh = known->disk == 0;
    if (*fresh) {
        *known = (struct Known){ disk, look_twice(o, image, boot) };
        o->known_n++;
    }
    return o->seen[known->seen];
}

/* True if there is something in the directory that no image tells of. */
static bool has_more(const Oracle *o)
{
    const char *name = o->live.untracked;
    struct stat st;
    return name && fstatat(o->live.inodes[TREE_ROOT].fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

const Seen *oracle_left(Oracle *o, const Image *image, const char *boot)
{
    uint64_t disk;
    struct Known *known = known_of(o, image_hash(image), boot, &disk);
    if (known->disk && !has_more(o) && !o->thorough)
        return o->seen[known->seen];
    size_t which = look(o, boot, choose_doors(o));
    o->known_n += known->disk == 0;
    *known = (struct Known){ disk, which };
    return o->seen[which];
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
static bool from_a_person(const Past *past, Str stream, Str text, bool removal)
{
    for (size_t i = 0; i < past->history->edits_n; i++) {
        const Edit *edit = &past->history->edits[i];
        if (edit->op >= past->begun || !str_eq(edit->stream, stream))
            continue;
        if (removal ? edit->removal : !edit->removal && str_starts(edit->text, text))
            return true;
    }
    return false;
}

/* True if the stream may have no value. */
static bool may_be_dead(const Allowed *allowed, Str stream)
{
    for (size_t i = 0; i < allowed->n; i++) {
        const Shot *shot = snapshot_find(allowed->any[i], stream);
        if (!shot || shot->n == 0 || !mark_live(&shot->records[shot->n - 1].mark))
            return true;
    }
    return false;
}

/* True if the stream's value, recorded or not, may be this: exactly the old or the new one. */
static bool may_be_value(const Allowed *allowed, const Shot *seen)
{
    if (seen->gone)
        return may_be_dead(allowed, seen->name);
    for (size_t i = 0; i < allowed->n; i++) {
        const Shot *shot = snapshot_find(allowed->any[i], seen->name);
        const Record *last = shot && shot->n ? &shot->records[shot->n - 1] : NULL;
        if (last && last->mark.op == OP_PUT && str_eq(last->body, seen->edit))
            return true;
    }
    return false;
}

static bool say_nobody(Str stream, Str text, bool removal, char *wrong, size_t size)
{
    Shown shown, shown_text;
    snprintf(wrong, size, "%s: a text nobody wrote became its value: '%s'%s",
             err_show(&shown, stream), err_show(&shown_text, text), removal ? " (removed)" : "");
    return false;
}

/* The second sight: what may be there, and behind it what people had saved. */
static bool judge_second(const Past *past, const Allowed *allowed, const Shot *second, char *wrong,
                         size_t size)
{
    Shot part = *second;
    for (; part.n > 0 && !allowed_stream(allowed, &part); part.n--) {
        const Record *last = &part.records[part.n - 1];
        bool removal = last->mark.op == OP_DELETE;
        bool person = from_a_person(past, part.name, last->body, removal);
        /* A missing file may be taken for a removed one where nothing had been there. */
        bool nothing = removal && may_be_dead(allowed, part.name);
        if (!str_eq(last->by, S(STORE_OUTSIDE)) || (!person && !nothing))
            return say_nobody(part.name, last->body, removal, wrong, size);
    }
    return true;
}

/* What a person had saved, and no crash can have taken away, is still somewhere. */
static bool judge_edits(const Seen *seen, const Past *past, char *wrong, size_t size)
{
    for (size_t i = 0; i < past->history->edits_n; i++) {
        const Edit *edit = &past->history->edits[i];
        bool safe = edit->op < past->acked && !edit->replaced && (past->kept || edit->synced);
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
    if (seen->secret && past->history->clean[past->acked]) {
        snprintf(wrong, size, "what was forgotten is still in a file");
        return false;
    }
    Allowed allowed = history_allowed(past->history, past->begun, past->acked);
    if (!allowed_fits(&allowed, &seen->first, wrong, size))
        return false;
    for (size_t i = 0; i < seen->first.n; i++) {
        const Shot *shot = &seen->first.shots[i];
        bool fine = !shot->pending || may_be_value(&allowed, shot);
        if (!fine && !from_a_person(past, shot->name, shot->edit, shot->gone))
            return say_nobody(shot->name, shot->edit, shot->gone, wrong, size);
    }
    for (size_t i = 0; i < seen->second.n; i++)
        if (!judge_second(past, &allowed, &seen->second.shots[i], wrong, size))
            return false;
    return judge_edits(seen, past, wrong, size);
}

static void describe(const Snapshot *s, const char *when, Buf *to)
{
    static const char *const ops[] = { "?", "put", "delete", "append" };
    for (size_t i = 0; i < s->n; i++) {
        const Shot *shot = &s->shots[i];
        Shown name, text, by;
        buf_addf(to, "  %s, %s:", when, err_show(&name, shot->name));
        for (size_t k = 0; k < shot->n; k++) {
            const Record *r = &shot->records[k];
            buf_addf(to, " %llu %s by %s%s '%s';", (unsigned long long)r->mark.seq,
                     ops[r->mark.op < COUNT_OF(ops) ? r->mark.op : 0], err_show(&by, r->by),
                     r->mark.redacted ? " redacted" : "",
                     err_show(&text, str_slice(r->body, 0, 24)));
        }
        if (shot->pending)
            buf_addf(to, " then unrecorded%s '%s'", shot->gone ? " removal" : "",
                     err_show(&text, str_slice(shot->edit, 0, 24)));
        buf_add_char(to, '\n');
    }
}

void oracle_describe(const Seen *seen, Buf *to)
{
    describe(&seen->first, "at first sight", to);
    describe(&seen->second, "after a write", to);
}
