/* many.c - promises about append_many: each is decided by itself, and all of them share what makes
 * them durable. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

static Append to(const char *stream, Expect expect, Draft draft)
{
    return (Append){ .stream = str(stream), .expect = expect, .draft = draft };
}

static void append_many(Trial *p, Append *items, size_t n)
{
    CHECK(store_append_many(p->s, items, n, &p->e) == JOT_OK);
}

static void each_of_many_is_an_append(Trial *p)
{
    Append items[] = { to("notes/b", ANY, PUT("two")), to("notes/a", ABSENT, PUT("one")),
                       to("runs/r", ANY, ENTRY("three")), to("memories/d/e", ANY, PUT("four")) };
    append_many(p, items, COUNT_OF(items));
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        CHECK(items[i].status == JOT_OK);
        CHECK(items[i].mark.seq == 1);
        Record r = head(p, items[i].stream.p, HEAD_RECORD);
        CHECK(str_eq(r.body, items[i].draft.body));
        CHECK(hash_eq(r.mark.chain, items[i].mark.chain));
    }
    check_all_chains(p);
}

static void one_that_is_refused_stops_no_other(Trial *p)
{
    put(p, "notes/there", "before");
    Append items[] = { to("notes/a", ANY, PUT("one")), to("notes/there", ABSENT, PUT("other")),
                       to("notes/none", ANY, DELETE), to("not a name", ANY, PUT("x")),
                       to("notes/z", AT_SEQ(0), PUT("two")) };
    append_many(p, items, COUNT_OF(items));
    CHECK(items[0].status == JOT_OK && items[4].status == JOT_OK);
    CHECK(items[1].status == JOT_CONFLICT && items[1].mark.seq == 1 && items[1].why.text[0]);
    CHECK(items[2].status == JOT_NOT_FOUND);
    CHECK(items[3].status == JOT_INVALID);
    CHECK(str_eq(head(p, "notes/there", HEAD_RECORD).body, S("before")));
}

static void those_to_one_stream_keep_their_order(Trial *p)
{
    Append items[] = { to("notes/a", AT_SEQ(0), PUT("1")), to("notes/b", ANY, PUT("x")),
                       to("notes/a", AT_SEQ(1), PUT("2")), to("notes/a", AT_SEQ(1), PUT("no")),
                       to("notes/a", AT_SEQ(2), PUT("3")) };
    append_many(p, items, COUNT_OF(items));
    CHECK(items[3].status == JOT_CONFLICT);
    CHECK(items[4].status == JOT_OK && items[4].mark.seq == 3);
    Records all = read_all(p, "notes/a");
    CHECK(all.n == 3 && str_eq(all.items[1].body, S("2")) && str_eq(all.items[2].body, S("3")));
}

static void ids_and_guards_hold_among_many(Trial *p)
{
    put(p, "leases/table", "{}");
    Draft once = PUT("once");
    once.id = S("an-id");
    Expect guarded = { .guard = S("leases/table"), .guard_seq = 1 };
    Expect late = { .guard = S("leases/table"), .guard_seq = 7 };
    Append items[] = { to("notes/a", ANY, once), to("notes/b", guarded, PUT("guarded")),
                       to("notes/c", late, PUT("late")), to("notes/d", ANY, PUT("plain")) };
    append_many(p, items, COUNT_OF(items));
    append_many(p, items, COUNT_OF(items));
    CHECK(items[0].status == JOT_OK && items[0].mark.seq == 1);
    CHECK(items[1].status == JOT_OK && items[1].mark.seq == 2);
    CHECK(items[2].status == JOT_FENCED);
    CHECK(items[3].mark.seq == 2);
}

static void many_are_there_when_the_pad_is_opened_again(Trial *p)
{
    enum { N = 100 };
    static Append items[N];
    static char names[N][32];
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "notes/n%03zu", i);
        items[i] = to(names[i], AT_SEQ(0), PUT(names[i]));
    }
    append_many(p, items, N);
    trial_reopen(p);
    CHECK(list(p, "notes/", "", N + 1, LIST_LIVE).n == N);
    for (size_t i = 0; i < N; i++)
        CHECK(str_eq(head(p, names[i], HEAD_VALUE).body, str(names[i])));
}

static void many_are_announced(Trial *p)
{
    Cursor from = changes(p, NULL).next;
    Append items[] = { to("notes/a", ANY, PUT("one")), to("notes/b", ANY, PUT("two")) };
    append_many(p, items, COUNT_OF(items));
    Changes got = changes(p, &from);
    CHECK(got.rescan || (names_hold(&got, "notes/a") && names_hold(&got, "notes/b")));
}

static void too_many_are_refused_and_none_is_written(Trial *p)
{
    static Append items[STORE_MANY_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(items); i++)
        items[i] = to("notes/a", ANY, PUT("x"));
    CHECK(store_append_many(p->s, items, COUNT_OF(items), &p->e) == JOT_TOO_BIG);
    CHECK(list(p, "", "", 1, LIST_ALL).n == 0);
    CHECK(store_append_many(p->s, items, 0, &p->e) == JOT_OK);
}

const Promise many_promises[] = {
    PROMISE(each_of_many_is_an_append),
    PROMISE(one_that_is_refused_stops_no_other),
    PROMISE(those_to_one_stream_keep_their_order),
    PROMISE(ids_and_guards_hold_among_many),
    LASTING(many_are_there_when_the_pad_is_opened_again),
    PROMISE(many_are_announced),
    PROMISE(too_many_are_refused_and_none_is_written),
    { 0 },
};
