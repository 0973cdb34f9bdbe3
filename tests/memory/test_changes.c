/* test_changes.c - what changed in a pad, where it has more streams than are looked at. */
#include "unit/unit.h"

#include "memory/doc/changes.h"

static void put(Memory *m, const char *by, const char *text, int number)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Mark mark;
    Draft d = { .op = OP_PUT, .by = str(by), .body = str(text) };
    Str stream = arena_printf(&arena, "notes/n%d", number);
    assert_int_equal(store_append(m->store, stream, NULL, &d, &mark, &e), JOT_OK);
}

static ChangeList changes_by(Memory *m, const char *by, int64_t since_ms, Arena *into)
{
    ChangeList list;
    Err e = { 0 };
    ChangesAsk ask = { .by = str(by), .since_ms = since_ms, .limit = 2 };
    assert_int_equal(changes_list(m, &ask, into, &list, &e), JOT_OK);
    return list;
}

/* Time that goes on by a second with each question. */
static int64_t ticking(void *ctx)
{
    int64_t *now = ctx;
    return *now += 1000;
}

static void an_answer_says_how_many_streams_were_not_looked_at(void **state)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Memory) m = { 0 };
    Err e = { 0 };
    int64_t now = 1000 * 1000;
    Io io = { .wall_ms = ticking, .ctx = &now };
    MemoryOptions o = { .create = true, .by = S("test"), .io = &io };
    assert_int_equal(memory_open(&m, S("mem:"), &o, &e), JOT_OK);
    put(&m, "old", "one", 1);
    put(&m, "old", "two", 2);
    for (int i = 0; i < CHANGES_STREAMS; i++)
        put(&m, i < 3 ? "few" : "many", "text", i + 3);

    /* Found only where nobody looks: that is said, and "more" is not promised. */
    ChangeList list = changes_by(&m, "old", 0, &arena);
    assert_int_equal(list.n, 0);
    assert_int_equal(list.unseen, 2);
    assert_false(list.more);
    AUTO_PTR(json_t) json = changes_json(&list);
    assert_int_equal(json_integer_value(json_object_get(json, "unseen")), 2);

    /* Enough was found: what was not looked at is older. */
    list = changes_by(&m, "few", 0, &arena);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.unseen, 0);
    assert_true(list.more);

    /* What was not looked at is older than what was asked for. */
    list = changes_by(&m, "old", now - 5000, &arena);
    assert_int_equal(list.n, 0);
    assert_int_equal(list.unseen, 0);
    AUTO_PTR(json_t) complete = changes_json(&list);
    assert_null(json_object_get(complete, "unseen"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_says_how_many_streams_were_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
