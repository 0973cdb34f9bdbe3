/* change.c - which streams have changed, by hints and the server's times.
 *
 * S3 has no list of what is new.  So who writes puts a hint before the record, c/WINDOW/NAME, once
 * in ten minutes: this stream may change from now on.  A cursor is a moment T of the server's
 * clock.  What has changed since then is found so:
 *
 *     LIST c/ from the window of T - 40 minutes on       which streams may have changed
 *     LIST r/HASH/ of each, its newest object            has it, after T - 90 seconds?
 *
 * No record is missed: its hint was there before it was sent; it comes at most 15 minutes after
 * it was signed, because S3 refuses it then, so at most two windows after its hint's; and an
 * object can be listed a request's time after the moment it is said to be of, at most, which the
 * 90 seconds are for.  So streams of the last 90 seconds are named again and again; a handle
 * remembers which states it has named, and to whom (the count in a cursor), and names them once.
 *
 *   PAD.TIME.HANDLE.COUNT.CHECK      CHECK is of the rest, so that no part of one is believed
 *
 * A cursor of more than a day ago is a RESCAN, for gc removes hints after 25 hours. */
#include "store/s3/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/s3/listing.h"
#include "store/s3/look.h"
#include "store/s3/mark.h"
#include "store/s3/request.h"

enum {
    LATE_MS = 90 * 1000,
    WINDOWS_BACK = 4,
    DAY_MS = 24 * 60 * 60 * 1000,
    NAMES_MAX = 2000, /* more streams that may have changed are a RESCAN: each is a request */
    SLOTS = 1024,
    CHECK = 8,
    PAUSE_MS = 100,
    PAUSE_MS_MAX = 2000,
};

typedef struct ToldState {
    Hash name, state;
    uint64_t count; /* of the cursor that was given with it */
} ToldState;

/* What this handle has named. */
struct Told {
    ToldState slots[SLOTS];
    uint64_t handle; /* drawn once */
    uint64_t count;  /* of cursors given */
    ToldState forgot;
};

void s3_forget_told(S3 *p)
{
    free(p->told);
    p->told = NULL;
}

/* --- Cursors ------------------------------------------------------------------------------ */

typedef struct Since {
    int64_t at_ms;  /* 0: anything may have changed */
    uint64_t count; /* 0: of another handle */
} Since;

static void write_cursor(const S3 *p, int64_t at_ms, Cursor *out)
{
    *out = (Cursor){ "" };
    int n = snprintf(out->text, sizeof out->text, "%s.%lld.%016llx.%llu", p->id, (long long)at_ms,
                     (unsigned long long)p->told->handle, (unsigned long long)p->told->count);
    HashHex check = hash_hex(hash_of((Str){ out->text, (size_t)n }));
    snprintf(out->text + n, sizeof out->text - (size_t)n, ".%.*s", CHECK, check.text);
}

static Since read_cursor(const S3 *p, const Cursor *c)
{
    Str all = str(c->text), pad, time, handle;
    size_t end = str_find_last(all, '.');
    Str body = str_slice(all, 0, end), check = str_from(all, end + 1);
    HashHex right = hash_hex(hash_of(body));
    Since s = { 0 };
    char own[20];
    uint64_t count = 0;
    snprintf(own, sizeof own, "%016llx", (unsigned long long)p->told->handle);
    if (!str_eq(check, (Str){ right.text, CHECK }) || !str_cut(&body, '.', &pad) ||
        !str_eq(pad, str(p->id)) || !str_cut(&body, '.', &time) || !str_cut(&body, '.', &handle) ||
        !str_to_u64(body, INT64_MAX, &count) || !str_to_i64(time, 1, INT64_MAX, &s.at_ms))
        return (Since){ 0 };
    s.count = str_eq(handle, str(own)) ? count : 0;
    int64_t age = s3_server_ms(p) - s.at_ms;
    if (age > DAY_MS || age < -DAY_MS)
        s = (Since){ 0 };
    return s;
}

/* --- Hints -------------------------------------------------------------------------------- */

/* A stream that may have changed. */
typedef struct Hinted {
    Str name;
    Hash hints; /* of all its hints */
    int64_t at_ms;
} Hinted;

typedef struct HintedSet {
    Arena arena;
    Hinted *items;
    size_t n, cap;
    Hash forgot;       /* what c/forgot says ... */
    int64_t forgot_ms; /* ... since when; 0: nothing */
    bool forgetting;   /* somebody is at it */
} HintedSet;

static void hinted_done(HintedSet *h)
{
    arena_free(&h->arena);
}
DEFINE_AUTO(HintedSet, hinted_done)

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const Hinted *)a)->name, ((const Hinted *)b)->name);
}

static void add_hint(HintedSet *h, const S3Listed *mark)
{
    Str rest, key = str_from(mark->key, 2);
    if (str_eq(key, S("forgot"))) {
        h->forgot = hash_of(mark->etag);
        h->forgot_ms = mark->at_ms;
        return;
    }
    if (str_starts(key, S("forgetting-"))) {
        h->forgetting = true;
        return;
    }
    Str name = s3_read_name(&h->arena, str_from(key, str_find(key, '/') + 1), &rest);
    if (store_check_name(name, NULL) != JOT_OK)
        return;
    if (h->n == h->cap)
        h->items =
            arena_grow(&h->arena, h->items, h->n, &h->cap, sizeof *h->items, alignof(Hinted));
    h->items[h->n++] = (Hinted){ name, hash_of(mark->etag), mark->at_ms };
}

/* Several hints of one stream are one. */
static void merge_hints(HintedSet *h)
{
    size_t kept = 0;
    if (h->n)
        qsort(h->items, h->n, sizeof *h->items, by_name);
    for (size_t i = 0; i < h->n; i++) {
        Hinted *last = kept ? &h->items[kept - 1] : NULL;
        if (!last || !str_eq(last->name, h->items[i].name)) {
            h->items[kept++] = h->items[i];
            continue;
        }
        for (size_t k = 0; k < sizeof last->hints.b; k++)
            last->hints.b[k] ^= h->items[i].hints.b[k];
        if (h->items[i].at_ms > last->at_ms)
            last->at_ms = h->items[i].at_ms;
    }
    h->n = kept;
}

static jot_status read_hints(S3 *p, int64_t since_ms, HintedSet *out, Err *e)
{
    int64_t window = (since_ms - LATE_MS) / S3_WINDOW_MS - WINDOWS_BACK;
    S3Where w = { .prefix = S("c/"),
                  .after = arena_printf(&out->arena, "c/%08llx",
                                        (unsigned long long)(window > 0 ? window : 0)),
                  .max = S3_PAGE };
    for (bool more = true; more;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        s3_more(p);
        for (size_t i = 0; i < l.n; i++) {
            S3Listed one = l.items[i];
            one.key = arena_copy(&out->arena, one.key);
            add_hint(out, &one);
        }
        more = l.more && l.n;
        if (more)
            w.after = arena_copy(&out->arena, l.items[l.n - 1].key);
    }
    merge_hints(out);
    return JOT_OK;
}

/* --- Telling ------------------------------------------------------------------------------ */

/* True if this state was named to whoever has the cursor; else it counts as named from now on. */
static bool was_told(S3 *p, ToldState *slot, Hash name, Hash state, const Since *since)
{
    bool same = slot->count && hash_eq(slot->name, name) && hash_eq(slot->state, state);
    if (!same)
        *slot = (ToldState){ name, state, p->told->count };
    return same && since->count && slot->count <= since->count;
}

/* Has it changed since then, as far as anyone can tell? */
static jot_status has_changed(S3 *p, const Hinted *h, const Since *since, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(S3List) l = { 0 };
    S3Where w = { .prefix = s3_records(&arena, h->name), .max = 1 };
    Hash name = hash_of(h->name);
    HashState state;
    *out = false;
    TRY(s3_list(p, &w, &l, e));
    s3_more(p);
    int64_t at_ms = l.n && l.items[0].at_ms > h->at_ms ? l.items[0].at_ms : h->at_ms;
    if (l.n == 0 || at_ms < since->at_ms - LATE_MS)
        return JOT_OK;
    hash_init(&state);
    hash_add_field(&state, l.items[0].key);
    hash_add_field(&state, l.items[0].etag);
    hash_add(&state, (Str){ (const char *)h->hints.b, sizeof h->hints.b });
    *out = !was_told(p, &p->told->slots[((size_t)name.b[0] << 2 | (name.b[1] & 3)) % SLOTS], name,
                     hash_end(&state), since);
    return JOT_OK;
}

static jot_status look(S3 *p, const Since *since, Arena *into, Changes *out, Err *e)
{
    AUTO(HintedSet) h = { 0 };
    int64_t now = s3_server_ms(p);
    p->told->count++;
    *out = (Changes){ .rescan = since->at_ms == 0 };
    TRY(read_hints(p, since->at_ms ? since->at_ms : now, &h, e));
    bool told = was_told(p, &p->told->forgot, (Hash){ { 1 } }, h.forgot, since);
    out->forgot = h.forgetting || (!told && h.forgot_ms && h.forgot_ms >= since->at_ms - LATE_MS);
    out->rescan = out->rescan || h.n > NAMES_MAX;
    out->names = NEW_ARRAY(into, Str, h.n + 1);
    for (size_t i = 0; i < h.n && !out->rescan; i++) {
        bool changed = false;
        TRY(has_changed(p, &h.items[i], since, &changed, e));
        if (changed)
            out->names[out->n++] = arena_copy(into, h.items[i].name);
    }
    out->forgot = out->forgot && !out->rescan;
    write_cursor(p, now, &out->next);
    return JOT_OK;
}

static jot_status ready(S3 *p, Err *e)
{
    TRY(s3_ready(p, "look for changes", (Str){ 0 }, e));
    if (!p->told) {
        p->told = mem_alloc(sizeof *p->told);
        p->told->handle = s3_nonce(p);
    }
    return JOT_OK;
}

jot_status s3_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out, Err *e)
{
    S3 *p = (S3 *)s;
    const Cursor from = *c; /* it may lie in *out */
    int64_t until = io_awake_ms(&io_system) + wait_ms, pause = PAUSE_MS;
    for (;;) {
        TRY(ready(p, e));
        Since since = read_cursor(p, &from);
        TRY(look(p, &since, into, out, e));
        int64_t left = until - io_awake_ms(&io_system);
        if (out->n || out->rescan || out->forgot || left <= 0)
            return JOT_OK;
        io_sleep_us(&io_system, 1000 * (left < pause ? left : pause));
        pause = pause * 2 < PAUSE_MS_MAX ? pause * 2 : PAUSE_MS_MAX;
    }
}
