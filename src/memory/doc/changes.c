/* changes.c - the newest changes of a pad, from the newest streams backwards.
 *
 * The streams are taken by their heads, the newest first, and each is read backwards only as far as
 * it can still have one of the changes that are wanted: once there are enough of them, the oldest
 * one is the bound, and the first stream whose head is older ends the search.
 *
 * Whose changes a stream has is known only when it is read.  So one author's are sought in the
 * newest CHANGES_STREAMS streams, and the answer says how many others there are. */
#include "memory/doc/changes.h"

#include <stdlib.h>

#include "memory/doc/history.h"
#include "memory/newest.h"

enum { PAGE = 32 /* records of one stream at a time */ };

/* What people and agents write. */
static const char *const shown[] = { "notes/",  "memories/", "artifacts/",   "tasks/", "plans/",
                                     "cycles/", "runs/",     "checkpoints/", "logs/",  "graph/" };

typedef struct Search {
    Memory *m;
    const ChangesAsk *ask;
    Arena *into;
    Str prefix; /* of the kind; empty: all that are shown */
    Change *items;
    size_t n, cap;
    int64_t bound_ms; /* what is older is not wanted */
    bool more;
} Search;

static bool is_shown(void *ctx, const Listed *l)
{
    const Search *s = ctx;
    if (s->prefix.n)
        return true;
    for (size_t i = 0; i < COUNT_OF(shown); i++)
        if (str_starts(l->name, str(shown[i])))
            return true;
    return false;
}

static int newest_first(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    const Mark *m = &x->record.mark, *n = &y->record.mark;
    if (m->at_ms != n->at_ms)
        return m->at_ms > n->at_ms ? -1 : 1;
    int names = str_cmp(x->stream, y->stream);
    if (names)
        return names;
    /* An edit that is not recorded yet is the newest of its stream. */
    if (m->seq == 0 || n->seq == 0)
        return (n->seq == 0) - (m->seq == 0);
    return (m->seq < n->seq) - (m->seq > n->seq);
}

/* Keep the newest `limit`; what is older than the last of them is not wanted any more. */
static void settle(Search *s)
{
    if (s->n)
        qsort(s->items, s->n, sizeof *s->items, newest_first);
    if (s->n > s->ask->limit) {
        s->n = s->ask->limit;
        s->more = true;
    }
    if (s->n == s->ask->limit)
        s->bound_ms = s->items[s->n - 1].record.mark.at_ms;
}

static void add(Search *s, Str stream, const Record *r, int64_t grew, uint64_t joined)
{
    if (s->ask->by.n && !str_eq(s->ask->by, r->by))
        return;
    s->items = arena_grow(s->into, s->items, s->n, &s->cap, sizeof(Change), alignof(Change));
    s->items[s->n++] = (Change){ stream, *r, grew, joined };
}

static bool is_joined(Str stream)
{
    return str_starts(stream, S("runs/")) || str_starts(stream, S("logs/"));
}

static int64_t bytes_of(const Record *r)
{
    return mark_live(&r->mark) ? (int64_t)r->mark.size : 0;
}

/* The changes of one stream that are not older than the bound. */
static jot_status look_back(Search *s, Str stream, Err *e)
{
    uint64_t before = 0;
    for (bool more = true; more;) {
        History page;
        jot_status st = history_page(
            s->m, stream, &(HistoryAsk){ .before = before, .limit = PAGE, .glance = true }, s->into,
            &page, e);
        if (st == JOT_NOT_FOUND)
            return JOT_OK;
        TRY(st);
        more = page.more && page.n;
        for (size_t i = 0; i < page.n; i++) {
            const Record *r = &page.items[i];
            if (r->mark.at_ms < s->bound_ms) {
                s->more = true;
                return JOT_OK;
            }
            /* What was before the last of a page is on the next page, which begins with it. */
            bool last = i + 1 == page.n;
            if (last && more && i > 0)
                break;
            add(s, stream, r, bytes_of(r) - (last ? 0 : bytes_of(&page.items[i + 1])), 0);
        }
        more = more && page.items[page.n - 1].mark.seq;
        if (more)
            before = page.items[page.n - 1].mark.seq + (page.n > 1);
    }
    return JOT_OK;
}

jot_status changes_list(Memory *m, const ChangesAsk *ask, Arena *into, ChangeList *out, Err *e)
{
    Search s = { .m = m, .ask = ask, .into = into, .bound_ms = ask->since_ms };
    Newest streams;
    if (ask->limit == 0 || ask->limit > CHANGES_MAX)
        return err_set(e, JOT_INVALID, "one answer has 1 to %d changes", CHANGES_MAX);
    if (ask->kind.n) {
        Str kind =
            str_ends(ask->kind, S("/")) ? str_slice(ask->kind, 0, ask->kind.n - 1) : ask->kind;
        TRY(store_check_name(arena_printf(into, STR_FMT "/x", STR_ARG(kind)), e));
        s.prefix = arena_printf(into, STR_FMT "/", STR_ARG(kind));
    }
    NewestAsk which = { .prefix = s.prefix, .which = LIST_ALL, .takes = is_shown, .ctx = &s };
    /* Each of the newest streams has a change at least, so no others are needed. */
    which.max = ask->by.n ? CHANGES_STREAMS : ask->limit;
    TRY(memory_newest(m, &which, into, &streams, e));
    for (size_t i = 0; i < streams.n; i++) {
        const Listed *l = &streams.items[i];
        if (l->mark.at_ms < s.bound_ms) {
            s.more = s.more || s.n >= ask->limit;
            break;
        }
        if (is_joined(l->name))
            add(&s, l->name, &(Record){ .mark = l->mark, .by = l->by }, (int64_t)l->mark.size,
                l->mark.seq);
        else
            TRY(look_back(&s, l->name, e));
        settle(&s);
    }
    bool full = s.n == ask->limit, rest = streams.total > streams.n;
    /* Older than the bound is what nobody wants. */
    bool reached = rest && !full && streams.items[streams.n - 1].mark.at_ms >= s.bound_ms;
    *out = (ChangeList){ .items = s.items,
                         .n = s.n,
                         .more = (s.more || rest) && full,
                         .unseen = ask->by.n && reached ? streams.total - streams.n : 0 };
    return JOT_OK;
}

const char *change_word(const Change *c)
{
    const Mark *m = &c->record.mark;
    if (m->op == OP_DELETE)
        return "deleted";
    if (c->joined || m->op == OP_APPEND)
        return m->seq == 1 ? "made" : "added";
    if (m->seq == 0 || str_eq(c->record.by, S(STORE_OUTSIDE)))
        return "edited";
    return m->seq == 1 ? "made" : "wrote";
}

json_t *changes_json(const ChangeList *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->n; i++) {
        const Change *c = &l->items[i];
        json_t *row = mark_json(c->stream, &c->record.mark, c->record.by, c->record.meta);
        json_object_set_new(row, "change", json_string(change_word(c)));
        json_object_set_new(row, "grew", json_integer((json_int_t)c->grew));
        if (c->joined)
            json_object_set_new(row, "records", json_integer((json_int_t)c->joined));
        json_array_append_new(list, row);
    }
    json_t *all = json_pack("{s:o, s:b}", "changes", list, "more", l->more);
    if (l->unseen)
        json_object_set_new(all, "unseen", json_integer((json_int_t)l->unseen));
    return all;
}
