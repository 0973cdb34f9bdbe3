/* test_factor.c - what is learned about a model's tokens, and kept in the pad. */
#include "memory/run/factor.h"

#include "memory/desk.h"

static TokenFactor known(Desk *d, const char *model)
{
    TokenFactor f;
    desk_ok(d, factor_read(&d->m, str(model), &f, &d->e));
    return f;
}

static void learn(TokenFactor *f, uint64_t e0, uint64_t e1, uint64_t r0, uint64_t r1)
{
    factor_learn(f, (uint64_t[]){ e0, e1 }, (uint64_t[]){ r0, r1 });
}

static void what_every_request_has_is_no_part_of_the_factor(Desk *d)
{
    (void)d;
    TokenFactor f = { 0 };
    learn(&f, 1000, 5000, 1700, 6500); /* 500 more each time, and 1.2 for one */
    assert_int_equal(f.requests, 1);
    assert_int_equal(factor_of(&f), 1200);
}

static void too_little_is_not_believed(Desk *d)
{
    (void)d;
    TokenFactor f = { 0 };
    assert_int_equal(factor_of(&f), FACTOR_ONE);
    learn(&f, 0, 1000, 10, 1510);
    assert_int_equal(factor_of(&f), FACTOR_ONE);
    learn(&f, 1000, 2000, 1510, 3010);
    assert_int_equal(factor_of(&f), 1500);
}

static void nonsense_teaches_nothing(Desk *d)
{
    (void)d;
    TokenFactor f = { 0 };
    learn(&f, 0, 9000, 0, 9000);       /* the first was not counted */
    learn(&f, 9000, 100, 9000, 100);   /* shorter: something was taken out */
    learn(&f, 100, 110, 100, 130);     /* hardly longer */
    learn(&f, 100, 9000, 100, 100);    /* nothing more was counted */
    learn(&f, 100, 9000, 100, 100000); /* ten for one */
    learn(&f, 100, 9000, 100, 500);    /* one for twenty */
    learn(&f, 0, UINT64_MAX / 2, 1, UINT64_MAX / 2);
    assert_int_equal(f.requests + f.estimated + f.reported, 0);
}

static void it_is_kept_for_each_model_by_itself(Desk *d)
{
    TokenFactor more = { 2, 4000, 6000 };
    desk_ok(d, factor_add(&d->m, S("a:one"), &more, &d->e));
    desk_ok(d, factor_add(&d->m, S("b:two"), &(TokenFactor){ 1, 4000, 3000 }, &d->e));
    desk_ok(d, factor_add(&d->m, S("a:one"), &more, &d->e));
    TokenFactor a = known(d, "a:one"), b = known(d, "b:two"), none = known(d, "c");
    assert_int_equal(a.requests, 4);
    assert_int_equal(factor_of(&a), 1500);
    assert_int_equal(factor_of(&b), 750);
    assert_int_equal(factor_of(&none), FACTOR_ONE);
    json_t *list = NULL;
    desk_ok(d, factor_list(&d->m, &list, &d->e));
    assert_int_equal(json_array_size(list), 2);
    json_decref(list);
}

static void a_model_that_changes_is_learned_anew(Desk *d)
{
    uint64_t large = FACTOR_HALVED;
    desk_ok(d, factor_add(&d->m, S("a"), &(TokenFactor){ 9, large, large * 2 }, &d->e));
    for (int i = 0; i < 8; i++)
        desk_ok(d, factor_add(&d->m, S("a"), &(TokenFactor){ 9, large / 2, large / 2 }, &d->e));
    TokenFactor a = known(d, "a");
    assert_true(factor_of(&a) < 1100);
    assert_true(a.estimated <= large);
}

static void the_models_of_longest_ago_are_forgotten(Desk *d)
{
    for (int i = 0; i < FACTOR_MODELS_MAX + 10; i++) {
        Str name = arena_printf(&d->a, "m%d", i);
        desk_ok(d, factor_add(&d->m, name, &(TokenFactor){ 1, 4000, 8000 }, &d->e));
        desk_ok(d, factor_add(&d->m, S("kept"), &(TokenFactor){ 1, 40, 80 }, &d->e));
    }
    TokenFactor old = known(d, "m3"), kept = known(d, "kept");
    assert_int_equal(old.requests, 0);
    assert_int_equal(factor_of(&kept), 2000);
}

static void a_table_that_cannot_be_read_is_begun_anew(Desk *d)
{
    static const char *const bodies[] = {
        "", "nonsense", "[]", "{\"models\":7}",
        "{\"models\":[7,{\"model\":\"a\",\"estimated\":-5},{}]}"
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Mark mark;
        Draft draft = { .op = OP_PUT, .body = str(bodies[i]) };
        desk_ok(d, memory_append(&d->m, S(FACTOR_STREAM), &(Expect){ 0 }, &draft, &mark, &d->e));
        TokenFactor f = known(d, "a");
        assert_row(factor_of(&f) == FACTOR_ONE, i, "nothing is known");
        desk_ok(d, factor_add(&d->m, S("a"), &(TokenFactor){ 1, 4000, 8000 }, &d->e));
        f = known(d, "a");
        assert_row(factor_of(&f) == 2000, i, "and it is learned");
    }
}

static const DeskTest tests[] = {
    DESK_TEST(what_every_request_has_is_no_part_of_the_factor),
    DESK_TEST(too_little_is_not_believed),
    DESK_TEST(nonsense_teaches_nothing),
    DESK_TEST(it_is_kept_for_each_model_by_itself),
    DESK_TEST(a_model_that_changes_is_learned_anew),
    DESK_TEST(the_models_of_longest_ago_are_forgotten),
    DESK_TEST(a_table_that_cannot_be_read_is_begun_anew),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
