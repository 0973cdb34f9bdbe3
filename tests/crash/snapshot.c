/* snapshot.c - reading a whole store, distrustfully.
 *
 * A file that was edited by a person and is not recorded yet shows up as a
 * value without a seq; that is kept apart from the records. */
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

#include "rig/tree.h"
#include "store/engine.h"
#include "workload.h"

enum { PAGE_NAMES = 100, PAGE_RECORDS = 100 };

typedef struct Reading {
    Store *store;
    Doors doors;
    Arena *into;
    char *wrong;
    size_t size;
} Reading;

static bool fail(const Reading *r, Str name, const char *what, const Err *e)
{
    Shown shown;
    snprintf(r->wrong, r->size, "%s: %s%s%s", err_show(&shown, name), what, e ? ": " : "",
             e ? e->text : "");
    return false;
}

static uint64_t digest_of(const Record *r)
{
    uint64_t h = bytes_hash((Str){ (const char *)r->mark.chain.b, sizeof r->mark.chain.b });
    h = mix64(h, r->mark.seq);
    h = mix64(h, r->mark.redacted);
    h = mix64(h, r->mark.size);
    h = mix64(h, bytes_hash(r->extra));
    return mix64(h, bytes_hash(r->body));
}

/* The chain of the first record kept cannot be computed unless it is the very first. */
static bool chain_fits(Str name, const Record *before, const Record *r)
{
    Hash previous = before ? before->mark.chain : (Hash){ 0 };
    if (!before && r->mark.seq != 1)
        return true;
    return hash_eq(r->mark.chain, record_chain(previous, name, r));
}

static bool read_records(const Reading *r, Shot *shot)
{
    size_t cap = 0;
    Records page = { .more = true };
    for (uint64_t from = 1; page.more; from = shot->records[shot->n - 1].mark.seq + 1) {
        Err e = { 0 };
        jot_status st =
            store_read(r->store, shot->name, (SeqRange){ from, PAGE_RECORDS }, r->into, &page, &e);
        if (st == JOT_NOT_FOUND && shot->n == 0)
            return true;
        if (st != JOT_OK)
            return fail(r, shot->name, "cannot be read", &e);
        if (page.damaged || page.n == 0)
            return fail(r, shot->name, page.damaged ? "is damaged" : "has a page of nothing", NULL);
        for (size_t i = 0; i < page.n; i++) {
            shot->records =
                arena_grow(r->into, shot->records, shot->n, &cap, sizeof(Record), alignof(Record));
            shot->records[shot->n++] = page.items[i];
        }
    }
    return true;
}

static bool check_records(const Reading *r, Shot *shot)
{
    shot->digests = NEW_ARRAY(r->into, uint64_t, shot->n + 1);
    bool gaps = str_eq(shot->name, S(WORKLOAD_GAPS));
    for (size_t i = 0; i < shot->n; i++) {
        const Record *record = &shot->records[i], *before = i ? record - 1 : NULL;
        if (before && gaps && record->mark.seq > before->mark.seq + 1)
            before = NULL;
        if (before && record->mark.seq != before->mark.seq + 1)
            return fail(r, shot->name, "has a gap or a repeated seq", NULL);
        if (!chain_fits(shot->name, before, record))
            return fail(r, shot->name, "has a chain that does not fit", NULL);
        shot->digests[i] = digest_of(record);
    }
    return true;
}

static bool same_mark(const Mark *a, const Mark *b)
{
    return a->seq == b->seq && hash_eq(a->chain, b->chain);
}

/* The value alone is the head's. */
static bool check_value(const Reading *r, const Shot *shot, const Record *head)
{
    Err e = { 0 };
    Record value;
    if (store_head(r->store, shot->name, HEAD_VALUE, r->into, &value, &e) != JOT_OK)
        return fail(r, shot->name, "has no value", &e);
    if (head->mark.op == OP_PUT && !str_eq(head->body, value.body))
        return fail(r, shot->name, "has a value that is not its head", NULL);
    if (mark_live(&head->mark) != mark_live(&value.mark))
        return fail(r, shot->name, "has a value that lives and a head that does not", NULL);
    return true;
}

/* The head is the newest record, or an edit that is none yet. */
static bool check_head(const Reading *r, Shot *shot, const Mark *listed)
{
    Err e = { 0 };
    Record head;
    const Record *last = shot->n ? &shot->records[shot->n - 1] : NULL;
    if (store_head(r->store, shot->name, HEAD_RECORD, r->into, &head, &e) != JOT_OK)
        return fail(r, shot->name, "has no head", &e);
    if (r->doors == DOORS_ALL && !check_value(r, shot, &head))
        return false;
    if (head.mark.seq == 0) {
        shot->pending = true;
        shot->gone = !mark_live(&head.mark);
        shot->edit = head.body;
        return true;
    }
    if (!last || !same_mark(&head.mark, &last->mark) || !str_eq(head.body, last->body))
        return fail(r, shot->name, "has a head that is not its newest record", NULL);
    if (listed && !same_mark(listed, &last->mark))
        return fail(r, shot->name, "is listed with a mark that is not its head's", NULL);
    return true;
}

/* `listed` is the mark it is listed with, or NULL. */
static bool take_one(const Reading *r, Str name, const Mark *listed, Shot *shot)
{
    *shot = (Shot){ .name = name };
    return read_records(r, shot) && check_records(r, shot) && check_head(r, shot, listed);
}

static bool list_all(const Reading *r, ListWhich which, Listed **out, size_t *n)
{
    Str after = { 0 };
    size_t cap = 0;
    *out = NULL;
    *n = 0;
    for (bool more = true; more;) {
        Listing page;
        Err e = { 0 };
        if (store_list(r->store,
                       &(ListQuery){ .after = after, .limit = PAGE_NAMES, .which = which }, r->into,
                       &page, &e) != JOT_OK)
            return fail(r, S("the pad"), "cannot be listed", &e);
        for (size_t i = 0; i < page.n; i++) {
            if (after.n && str_cmp(after, page.items[i].name) >= 0)
                return fail(r, page.items[i].name, "is listed out of order", NULL);
            after = page.items[i].name;
            *out = arena_grow(r->into, *out, *n, &cap, sizeof(Listed), alignof(Listed));
            (*out)[(*n)++] = page.items[i];
        }
        more = page.more && page.n > 0;
    }
    return true;
}

static bool shot_lives(const Shot *s)
{
    if (s->pending)
        return !s->gone;
    return s->n && mark_live(&s->records[s->n - 1].mark);
}

/* The list of living names is the list of all of them, without the dead. */
static bool check_living(const Reading *r, const Snapshot *s)
{
    Listed *items;
    size_t n = 0, at = 0;
    if (!list_all(r, LIST_LIVE, &items, &n))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        const Shot *shot = &s->shots[i];
        bool listed = at < n && str_eq(items[at].name, shot->name);
        if (listed != shot_lives(shot))
            return fail(r, shot->name, listed ? "is listed and dead" : "lives and is not listed",
                        NULL);
        at += listed;
    }
    return at == n ? true : fail(r, items[at].name, "is listed only while it lives", NULL);
}

static uint64_t digest_all(const Snapshot *s)
{
    uint64_t h = s->n + 1;
    for (size_t i = 0; i < s->n; i++) {
        const Shot *shot = &s->shots[i];
        h = mix64(h, bytes_hash(shot->name));
        for (size_t j = 0; j < shot->n; j++)
            h = mix64(h, shot->digests[j]);
        h = mix64(h, shot->pending ? mix64(bytes_hash(shot->edit), shot->gone) : 0);
    }
    return h;
}

bool snapshot_take(Store *s, Doors doors, Arena *into, Snapshot *out, char *wrong, size_t size)
{
    Reading r = { s, doors, into, wrong, size };
    Listed *items;
    size_t n = 0;
    *out = (Snapshot){ 0 };
    if (!list_all(&r, LIST_ALL, &items, &n))
        return false;
    out->shots = NEW_ARRAY(into, Shot, n + 1);
    for (; out->n < n; out->n++)
        if (!take_one(&r, items[out->n].name, &items[out->n].mark, &out->shots[out->n]))
            return false;
    if (doors == DOORS_ALL && !check_living(&r, out))
        return false;
    out->digest = digest_all(out);
    return true;
}

bool snapshot_again(Store *s, const Snapshot *earlier, const char *const *more, size_t n,
                    Arena *into, Snapshot *out, char *wrong, size_t size)
{
    Reading r = { s, DOORS_SOME, into, wrong, size };
    *out = (Snapshot){ .shots = NEW_ARRAY(into, Shot, earlier->n + n + 1) };
    for (size_t i = 0; i < earlier->n + n; i++) {
        Str name = i < earlier->n ? earlier->shots[i].name : str(more[i - earlier->n]);
        if (snapshot_find(out, name))
            continue;
        if (!take_one(&r, name, NULL, &out->shots[out->n]))
            return false;
        out->n++;
    }
    out->digest = digest_all(out);
    return true;
}

const Shot *snapshot_find(const Snapshot *s, Str name)
{
    for (size_t i = 0; i < s->n; i++)
        if (str_eq(s->shots[i].name, name))
            return &s->shots[i];
    return NULL;
}

/* --- What may be there ----------------------------------------------------------------- */

void allowed_add(Allowed *a, const Snapshot *s)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->any[i]->digest == s->digest)
            return;
    if (a->n < ALLOWED_MAX)
        a->any[a->n++] = s;
}

static const Shot nothing = { 0 };

static const Shot *shot_or_nothing(const Snapshot *s, Str name)
{
    const Shot *found = snapshot_find(s, name);
    return found ? found : &nothing;
}

/* True if `whole` begins with all of `part`. */
static bool begins_with(const Shot *whole, const Shot *part)
{
    return part->n <= whole->n && (part->n == 0 || memcmp(whole->digests, part->digests,
                                                          part->n * sizeof *part->digests) == 0);
}

bool allowed_stream(const Allowed *a, const Shot *seen)
{
    Str name = seen->name;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->n; j++) {
            const Shot *low = shot_or_nothing(a->any[i], name);
            const Shot *high = shot_or_nothing(a->any[j], name);
            if (begins_with(high, seen) && begins_with(seen, low))
                return true;
        }
    return false;
}

static void say_misfit(const Allowed *a, const Shot *seen, char *wrong, size_t size)
{
    Shown shown;
    Str name = seen->name;
    const Shot *oldest = shot_or_nothing(a->any[0], name);
    const Shot *newest = shot_or_nothing(a->any[a->n - 1], name);
    size_t same = 0;
    while (same < seen->n && same < oldest->n && seen->digests[same] == oldest->digests[same])
        same++;
    unsigned long long first = oldest->n ? oldest->records[0].mark.seq : 0;
    const char *what = same < oldest->n ? "an acknowledged record is not there or not the same"
                                        : "there are records nobody wrote";
    snprintf(wrong, size, "%s: %s (%zu records, %zu of them right; expected %zu to %zu from %llu)",
             err_show(&shown, name), what, seen->n, same, oldest->n, newest->n, first);
}

bool allowed_fits(const Allowed *a, const Snapshot *seen, char *wrong, size_t size)
{
    for (size_t k = 0; k <= a->n; k++) {
        const Snapshot *names = k < a->n ? a->any[k] : seen;
        for (size_t i = 0; i < names->n; i++) {
            Str name = names->shots[i].name;
            Shot shot = *shot_or_nothing(seen, name);
            shot.name = name;
            if (allowed_stream(a, &shot))
                continue;
            say_misfit(a, &shot, wrong, size);
            return false;
        }
    }
    return true;
}
