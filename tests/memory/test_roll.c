/* test_roll.c - a roll says what the store says, whoever changes the pad. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/newest.h"
#include "memory/roll.h"

static Roll *roll_of(Desk *d)
{
    return roll_new(str(d->url), &(MemoryOptions){ .io = &d->io, .read_only = true });
}

static bool is_same(const Listed *a, const Listed *b)
{
    return str_eq(a->name, b->name) && str_eq(a->by, b->by) && str_eq(a->meta, b->meta) &&
           a->mark.seq == b->mark.seq && a->mark.at_ms == b->mark.at_ms &&
           a->mark.op == b->mark.op && a->mark.size == b->mark.size &&
           hash_eq(a->mark.sha256, b->mark.sha256);
}

static void compare(Desk *d, Roll *r, const ListQuery *q)
{
    AUTO(Arena) arena = { 0 };
    Listing want, got;
    desk_ok(d, store_list(d->m.store, q, &arena, &want, &d->e));
    roll_page(r, q, &arena, &got);
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.more, want.more);
    for (size_t i = 0; i < want.n; i++) {
        if (!list_takes_heads(q->which))
            assert_true(str_eq(got.items[i].name, want.items[i].name));
        else if (!is_same(&got.items[i], &want.items[i]))
            fail_msg(STR_FMT " is another one", STR_ARG(want.items[i].name));
    }
}

/* All of it, and pages of it. */
static void check(Desk *d, Roll *r)
{
    static const char *const prefixes[] = { "", "notes/", "notes/a", "runs/", "zzz" };
    static const char *const afters[] = { "", "notes/a", "notes/aa", "notes/zz", "tasks/t" };
    desk_ok(d, roll_refresh(r, NULL, &d->e));
    for (size_t p = 0; p < COUNT_OF(prefixes); p++)
        for (size_t a = 0; a < COUNT_OF(afters); a++)
            for (ListWhich which = LIST_LIVE; which <= LIST_ALL_NAMES; which++)
                for (size_t limit = 1; limit <= STORE_LIST_MAX; limit *= 10)
                    compare(d, r, &(ListQuery){ str(prefixes[p]), str(afters[a]), limit, which });
}

static void what_was_written_is_on_it_at_once(Desk *d)
{
    AUTO_PTR(Roll) r = roll_of(d);
    Mark mark;
    check(d, r);
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/z", "last");
    check(d, r);
    desk_put(d, "notes/a", "two");
    desk_put(d, "notes/aa", "between");
    desk_put(d, "artifacts/c/first", "{}");
    check(d, r);
    Draft gone = { .op = OP_DELETE };
    desk_ok(d, memory_append(&d->m, S("notes/aa"), NULL, &gone, &mark, &d->e));
    Draft meta = { .op = OP_PUT, .body = S("x"), .meta = S("{\"type\":\"t\"}") };
    desk_ok(d, memory_append(&d->m, S("tasks/t"), NULL, &meta, &mark, &d->e));
    check(d, r);
    desk_ok(d, memory_purge(&d->m, S("notes/z"), &mark, &d->e));
    check(d, r);
    AUTO(Memory) other = desk_open(d, "bob");
    Draft more = { .op = OP_APPEND, .body = S("step") };
    for (int i = 0; i < 3; i++)
        desk_ok(d, memory_append(&other, S("runs/one"), NULL, &more, &mark, &d->e));
    check(d, r);
}

static const char *pad_of(const Desk *d)
{
    return d->url + sizeof "files:" - 1;
}

/* As an editor saves: in place, or a file that was not there. */
static void edit(Desk *d, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/notes/%s.txt", pad_of(d), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void an_edit_by_hand_is_on_it_at_once(Desk *d)
{
    AUTO_PTR(Roll) r = roll_of(d);
    char path[300];
    if (strcmp(d->engine, "files") != 0)
        return;
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/b", "one");
    check(d, r);
    edit(d, "a", "by hand");
    check(d, r);
    edit(d, "new", "by hand");
    check(d, r);
    snprintf(path, sizeof path, "%s/notes/b.txt", pad_of(d));
    assert_int_equal(unlink(path), 0);
    check(d, r);
}

static void another_pad_at_its_place_is_not_taken_for_it(Desk *d)
{
    AUTO_PTR(Roll) r = roll_of(d);
    char away[300];
    if (strcmp(d->engine, "files") != 0)
        return;
    desk_put(d, "notes/a", "one");
    check(d, r);
    snprintf(away, sizeof away, "%s.away", pad_of(d));
    memory_close(&d->m);
    assert_int_equal(rename(pad_of(d), away), 0);
    MemoryOptions o = { .io = &d->io, .by = S("ann"), .create = true };
    desk_ok(d, memory_open(&d->m, str(d->url), &o, &d->e));
    desk_put(d, "notes/b", "two");
    check(d, r);
}

static bool never(void *ctx, uint64_t scanned)
{
    (void)ctx;
    return scanned < 2;
}

static void a_look_that_was_cancelled_is_begun_again(Desk *d)
{
    AUTO_PTR(Roll) r = roll_of(d);
    MemoryProgress progress = { .report = never };
    for (int i = 0; i < 5; i++)
        desk_put(d, (const char *[]){ "notes/a", "notes/b", "notes/c", "notes/d", "notes/e" }[i],
                 "x");
    desk_expect(d, JOT_CANCELLED, roll_refresh(r, &progress, &d->e));
    check(d, r);
}

static Newest newest_of(Desk *d, Memory *m, Arena *into)
{
    Newest out;
    NewestAsk ask = { .prefix = S("notes/"), .max = 3 };
    desk_ok(d, memory_newest(m, &ask, into, &out, &d->e));
    return out;
}

static void the_newest_are_the_same_with_it_and_without(Desk *d)
{
    AUTO_PTR(Roll) r = roll_of(d);
    AUTO(Arena) arena = { 0 };
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 450; i += 1 + round * 100)
            desk_put(d, arena_cstr(&arena, arena_printf(&arena, "notes/n%d", i)), "x");
        Newest want = newest_of(d, &d->m, &arena);
        d->m.roll = r;
        Newest got = newest_of(d, &d->m, &arena);
        d->m.roll = NULL;
        assert_int_equal(got.total, want.total);
        assert_int_equal(got.n, want.n);
        for (size_t i = 0; i < want.n; i++)
            assert_true(is_same(&got.items[i], &want.items[i]));
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(what_was_written_is_on_it_at_once),
        DESK_TEST(an_edit_by_hand_is_on_it_at_once),
        DESK_TEST(another_pad_at_its_place_is_not_taken_for_it),
        DESK_TEST(a_look_that_was_cancelled_is_begun_again),
        DESK_TEST(the_newest_are_the_same_with_it_and_without),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
