/* recorder.c - from system calls to steps.
 *
 * A descriptor is turned into an inode by asking the system which file it is,
 * so that closing, duplicating and reusing descriptors need no attention. */
#include "rig/recorder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"

/* --- Where a call points --------------------------------------------------------------- */

/* The directory and last component a call's name stands for; false if it is not beneath ours. */
static bool place(const Recorder *r, int fd, const char *name, int *dir, const char **last)
{
    int from = TREE_ROOT;
    if (name[0] == '/') {
        size_t n = strlen(r->live->root);
        if (strncmp(name, r->live->root, n) != 0 || name[n] != '/')
            return false;
        name += n + 1;
    } else {
        from = live_by_fd(r->live, fd);
    }
    *dir = from < 0 ? -1 : live_parent(r->live, from, name, last);
    return *dir >= 0 && (*last)[0] && strcmp(*last, ".") != 0;
}

/* --- Writing down ---------------------------------------------------------------------- */

static Step *add(Recorder *r, StepKind kind)
{
    Recording *to = r->to;
    to->steps = arena_grow(&to->arena, to->steps, to->n, &to->cap, sizeof(Step), alignof(Step));
    Step *step = &to->steps[to->n++];
    *step = (Step){ .kind = kind, .inode = -1, .inode2 = -1, .dir = -1, .dir2 = -1 };
    return step;
}

static const char *path_of(const Recorder *r, int inode, char out[400])
{
    tree_path(&r->live->names, inode, out, 400);
    return out;
}

static void set_name(Recorder *r, Step *step, int dir, const char *name)
{
    step->dir = dir;
    step->name = arena_cstr(&r->to->arena, str(name));
    step->hash = bytes_hash(str(name));
}

static void set_name2(Recorder *r, Step *step, int dir, const char *name)
{
    step->dir2 = dir;
    step->name2 = arena_cstr(&r->to->arena, str(name));
    step->hash2 = bytes_hash(str(name));
}

static void know_inode(Recorder *r, int inode, bool is_dir)
{
    Recording *to = r->to;
    while (to->inodes <= (size_t)inode) {
        to->dirs = arena_grow(&to->arena, to->dirs, to->inodes, &to->dirs_cap, sizeof(bool), 1);
        to->dirs[to->inodes++] = false;
    }
    to->dirs[inode] = is_dir;
}

static const char *dir_text(const Recorder *r, int dir, char out[400])
{
    path_of(r, dir, out);
    size_t n = strlen(out);
    if (n && n + 1 < 400)
        memcpy(out + n, "/", 2);
    return out;
}

static void note_made(Recorder *r, int dir, const char *name, bool is_dir, const struct stat *st)
{
    int inode = live_added(r->live, dir, name, st->st_ino, is_dir);
    if (!r->to)
        return;
    know_inode(r, inode, is_dir);
    Step *step = add(r, is_dir ? STEP_MKDIR : STEP_CREATE);
    step->inode = inode;
    set_name(r, step, dir, name);
    char path[400];
    step->about =
        arena_printf(&r->to->arena, "%s %s", is_dir ? "mkdir" : "create", path_of(r, inode, path))
            .p;
}

static void note_truncated(Recorder *r, int inode, off_t size)
{
    live_written(r->live, inode);
    if (!r->to)
        return;
    Step *step = add(r, STEP_TRUNCATE);
    step->inode = inode;
    step->at = size;
    char path[400];
    step->about =
        arena_printf(&r->to->arena, "truncate %s to %lld", path_of(r, inode, path), (long long)size)
            .p;
}

static void note_open(Recorder *r, const IoCall *call)
{
    int dir;
    const char *last;
    bool makes = call->flags & O_CREAT, cuts = call->flags & O_TRUNC;
    if ((!makes && !cuts) || !place(r, call->dir, call->name, &dir, &last))
        return;
    int known = live_lookup(r->live, dir, last);
    struct stat st;
    if (known >= 0 && cuts)
        note_truncated(r, known, 0);
    else if (known < 0 && makes && fstat((int)call->result, &st) == 0)
        note_made(r, dir, last, false, &st);
}

static void note_mkdir(Recorder *r, const IoCall *call)
{
    int dir;
    const char *last;
    struct stat st;
    if (!place(r, call->dir, call->name, &dir, &last))
        return;
    if (fstatat(call->dir, call->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        note_made(r, dir, last, true, &st);
}

static void note_write(Recorder *r, const IoCall *call)
{
    int inode = live_by_fd(r->live, call->fd);
    if (inode < 0) {
        r->strays += r->to != NULL;
        return;
    }
    live_written(r->live, inode);
    if (!r->to || call->result == 0)
        return;
    Step *step = add(r, STEP_WRITE);
    step->inode = inode;
    step->data = arena_copy(&r->to->arena, str_slice(call->data, 0, (size_t)call->result));
    step->at = call->at;
    if (call->at < 0)
        step->at = lseek(call->fd, 0, SEEK_CUR) - call->result;
    assert(step->at >= 0);
    char path[400];
    step->about = arena_printf(&r->to->arena, "write %zu bytes at %lld to %s", step->data.n,
                               (long long)step->at, path_of(r, inode, path))
                      .p;
}

static void note_sync(Recorder *r, const IoCall *call, StepKind kind)
{
    int inode = live_by_fd(r->live, call->fd);
    if (inode < 0 || !r->to)
        return;
    Step *step = add(r, kind);
    step->inode = inode;
    char path[400];
    path_of(r, inode, path);
    step->about =
        arena_printf(&r->to->arena, "%s %s%s", call->kind == IO_FSYNC ? "fsync" : "fdatasync",
                     path[0] ? path : ".", kind == STEP_SYNC ? "" : " fails")
            .p;
}

static void note_sync_all(Recorder *r, bool failed)
{
    if (!r->to)
        return;
    Step *step = add(r, failed ? STEP_SYNC_ALL_FAILED : STEP_SYNC_ALL);
    step->about = failed ? "syncfs fails" : "syncfs";
}

static void note_rename(Recorder *r, const IoCall *call)
{
    int dir = -1, dir2 = -1;
    const char *from, *to;
    bool ours = place(r, call->dir, call->name, &dir, &from);
    bool ours2 = place(r, call->fd, call->name2, &dir2, &to);
    int moved = ours ? live_lookup(r->live, dir, from) : -1;
    if (!ours || !ours2 || moved < 0) {
        r->strays += r->to != NULL && (ours || ours2);
        return;
    }
    bool swap = call->flags & RENAME_EXCHANGE;
    int other = live_lookup(r->live, dir2, to);
    if (r->to) {
        Step *step = add(r, swap ? STEP_EXCHANGE : STEP_RENAME);
        step->inode = moved;
        step->inode2 = other;
        set_name(r, step, dir, from);
        set_name2(r, step, dir2, to);
        char a[400], b[400];
        step->about = arena_printf(&r->to->arena, "%s %s%s -> %s%s", swap ? "exchange" : "rename",
                                   dir_text(r, dir, a), from, dir_text(r, dir2, b), to)
                          .p;
    }
    if (swap)
        live_exchanged(r->live, dir, from, dir2, to);
    else
        live_named(r->live, dir2, to, moved);
}

static void note_unlink(Recorder *r, const IoCall *call)
{
    int dir;
    const char *last;
    if (!place(r, call->dir, call->name, &dir, &last))
        return;
    if (live_lookup(r->live, dir, last) < 0)
        return;
    if (r->to) {
        Step *step = add(r, STEP_UNLINK);
        step->inode = live_lookup(r->live, dir, last);
        set_name(r, step, dir, last);
        char path[400];
        step->about = arena_printf(&r->to->arena, "unlink %s", path_of(r, step->inode, path)).p;
    }
    live_removed(r->live, dir, last);
}

/* --- The hook -------------------------------------------------------------------------- */

/* A sync is written down and not made: what it does to a real disk is nobody's question here. */
static long before(void *ctx, IoCall *call)
{
    Recorder *r = ctx;
    long said = r->next ? r->next->before(r->next->ctx, call) : 0;
    bool sync = call->kind == IO_FSYNC || call->kind == IO_FDATASYNC, all = call->kind == IO_SYNCFS;
    if (all && said == -EOPNOTSUPP)
        return said; /* it was not tried */
    if (all && said <= 0) {
        note_sync_all(r, said < 0);
        return said < 0 ? said : IO_PRETEND;
    }
    if (!sync || said > 0)
        return said;
    note_sync(r, call, said < 0 ? STEP_SYNC_FAILED : STEP_SYNC);
    return said < 0 ? said : IO_PRETEND;
}

static void note(Recorder *r, const IoCall *call)
{
    switch (call->kind) {
    case IO_OPEN:
        note_open(r, call);
        break;
    case IO_WRITE:
        note_write(r, call);
        break;
    case IO_TRUNCATE:
        if (live_by_fd(r->live, call->fd) >= 0)
            note_truncated(r, live_by_fd(r->live, call->fd), call->at);
        break;
    case IO_RENAME:
        note_rename(r, call);
        break;
    case IO_UNLINK:
        note_unlink(r, call);
        break;
    case IO_MKDIR:
        note_mkdir(r, call);
        break;
    case IO_FSYNC:
    case IO_FDATASYNC:
    case IO_SYNCFS:
    case IO_READ:
    case IO_STAT:
    case IO_LOCK:
    case IO_ASK:
    case IO_LIST:
    case IO_BOOT:
    case IO_MOUNT:
    case IO_TIMES: /* no promise rests on a time */
    case IO_KINDS:
        break;
    }
}

static void after(void *ctx, const IoCall *call)
{
    Recorder *r = ctx;
    if (call->result >= 0)
        note(r, call);
    if (r->next && r->next->after)
        r->next->after(r->next->ctx, call);
}

void recorder_start(Recorder *r, Live *live, Recording *to, const IoHook *next)
{
    *r = (Recorder){ .next = next, .live = live, .to = to };
    r->hook = (IoHook){ before, after, r };
    live->recycle = to == NULL;
    if (!to)
        return;
    live_image(live, &to->arena, &to->start);
    for (size_t i = 0; i < live->n; i++)
        know_inode(r, (int)i, live->inodes[i].dir);
}

static void note_event(Recorder *r, StepKind kind, size_t number)
{
    if (!r->to)
        return;
    Step *step = add(r, kind);
    step->at = (off_t)number;
    step->about = arena_printf(&r->to->arena, "operation %zu %s", number,
                               kind == STEP_BEGIN ? "begins" : "has returned")
                      .p;
}

void recorder_begin(Recorder *r, size_t number)
{
    note_event(r, STEP_BEGIN, number);
}

void recorder_ack(Recorder *r, size_t number)
{
    note_event(r, STEP_ACK, number);
}

void recording_free(Recording *recording)
{
    arena_free(&recording->arena);
    *recording = (Recording){ 0 };
}
