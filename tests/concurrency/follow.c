/* follow.c - the promise of `changes`: every changed stream is named at least once, or "rescan". */
#include "follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "toy.h"

/* An engine may say "rescan" for ever; after so many turns in calm it has been believed. */
enum { WAIT_MS = 100, CALM_TURNS_MAX = 20, AWAY_TURNS_MAX = 200, AWAY_PAUSE_US = 100 * 1000 };

typedef struct Follower {
    Store *store;
    const Scene *scene;
    uint64_t known[HISTORY_STREAMS_MAX];
    Cursor cursor;
} Follower;

static jot_status head_seq(Follower *f, size_t i, uint64_t *seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record r = { 0 };
    jot_status st = store_head(f->store, str(f->scene->streams[i].name), HEAD_MARK, &arena, &r, e);
    *seq = st == JOT_OK ? r.mark.seq : 0;
    return st == JOT_NOT_FOUND ? JOT_OK : st;
}

static jot_status look_at(Follower *f, Str name, Err *e)
{
    for (size_t i = 0; i < f->scene->n; i++)
        if (str_eq(name, str(f->scene->streams[i].name)))
            return head_seq(f, i, &f->known[i], e);
    return JOT_OK; /* a name MAY have changed; we do not know it */
}

/* One turn; *quiet is set if nothing was said to have changed. */
static jot_status turn(Follower *f, bool *quiet, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes got = { 0 };
    TRY(store_changes(f->store, &f->cursor, WAIT_MS, &arena, &got, e));
    f->cursor = got.next;
    *quiet = got.n == 0 && !got.rescan;
    for (size_t i = 0; i < got.n; i++)
        TRY(look_at(f, got.names[i], e));
    for (size_t i = 0; got.rescan && i < f->scene->n; i++)
        TRY(look_at(f, str(f->scene->streams[i].name), e));
    return JOT_OK;
}

static bool check_end(Follower *f, char *fault, size_t size, Err *e)
{
    for (size_t i = 0; i < f->scene->n; i++) {
        uint64_t seq;
        if (head_seq(f, i, &seq, e) != JOT_OK) {
            snprintf(fault, size, "%s", e->text);
            return false;
        }
        if (seq == f->known[i])
            continue;
        snprintf(fault, size, "%s is at %" PRIu64 ", but nothing was said since %" PRIu64,
                 f->scene->streams[i].name, seq, f->known[i]);
        return false;
    }
    return true;
}

/* A turn that failed because the server is away is taken again, from the same cursor. */
static jot_status turn_in_time(Follower *f, bool outages, bool *quiet, Err *e)
{
    jot_status st = turn(f, quiet, e);
    for (int i = 0; i < AWAY_TURNS_MAX && outages && st == JOT_UNAVAILABLE; i++) {
        usleep(AWAY_PAUSE_US);
        f->cursor = (Cursor){ "" }; /* names that were told before a look failed count as unseen */
        st = turn(f, quiet, e);
    }
    return st;
}

bool follow(const char *url, const Scene *scene, const atomic_bool *calm, bool outages, char *fault,
            size_t size)
{
    Err e = { 0 };
    AUTO_PTR(Store) store = NULL;
    if (open_any(&store, str(url), NULL, &e) != JOT_OK) {
        snprintf(fault, size, "%s", e.text);
        return false;
    }
    Follower f = { .store = store, .scene = scene };
    for (int turns = 0; turns < CALM_TURNS_MAX;) {
        bool quiet, was_calm = atomic_load(calm);
        if (turn_in_time(&f, outages, &quiet, &e) != JOT_OK) {
            snprintf(fault, size, "%s", e.text);
            return false;
        }
        if (was_calm)
            turns = quiet ? CALM_TURNS_MAX : turns + 1;
    }
    return check_end(&f, fault, size, &e);
}
