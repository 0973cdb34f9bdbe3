/* test_cycle_merge.c - a person's state and a cycle's, joined: lists, keys, and what it costs. */
#include "unit/unit.h"

#include "memory/cycle/cycle_state.h"
#include "memory/cycle/cycle_state_list.h"
#include "memory/hostile.h"

static Yaml *read_yaml(Arena *a, const char *text)
{
    Yaml *out = NULL;
    Err e = { 0 };
    if (yaml_read(str(text), a, &out, &e) != JOT_OK)
        fail_msg("%s: %s", text, e.text);
    return out;
}

static void check_join(const char *base, const char *ours, const char *theirs, const char *want,
                       bool clashes)
{
    AUTO(Arena) a = { 0 };
    size_t compared = 0;
    bool clashed;
    Yaml *got = cycle_state_join_lists(&a, read_yaml(&a, base), read_yaml(&a, ours),
                                       read_yaml(&a, theirs), &clashed, &compared);
    AUTO(Buf) text = { 0 };
    assert_int_equal(yaml_write(&text, got, NULL), JOT_OK);
    if (!yaml_eq(got, read_yaml(&a, want)) || clashed != clashes)
        fail_msg("%s, %s, %s: not %s but (clash %d)\n" STR_FMT, base, ours, theirs, want, clashed,
                 STR_ARG(buf_str(&text)));
}

static void a_list_has_what_either_added_and_lacks_what_either_removed(void **state)
{
    (void)state;
    static const struct Row {
        const char *base, *ours, *theirs, *want;
    } rows[] = {
        /* A finished duplicate does not come back, an added one is not lost. */
        { "[test, test]", "[test]", "[test, test, deploy]", "[test, deploy]" },
        { "[test]", "[test, test]", "[test, deploy]", "[test, deploy, test]" },
        { "[test, test, test]", "[test, test]", "[test, test]", "[test, test]" },
        { "[a, b]", "[b]", "[a, b, c]", "[b, c]" },
        { "[a]", "[]", "[a, b]", "[b]" },
        { "[a, b]", "[b, c]", "[a, b, d]", "[b, d, c]" },
        { "[a, b, c]", "[a, c]", "[z, a, b, c]", "[z, a, c]" },
        { "[]", "[a]", "[b]", "[b, a]" },
        { "[]", "[a, b]", "[b, a]", "[b, a]" }, /* both added the same */
        { "[a, b, c]", "[b, c]", "[a, c]", "[c]" },
        /* A person who puts a finished task elsewhere does not revive it. */
        { "[a, b]", "[b]", "[b, a]", "[b]" },
        { "[a, b, c]", "[a, b, c, d]", "[c, b, a]", "[c, b, a, d]" },
        { "[{do: x}, {do: y}]", "[{do: y}]", "[{do: x}, {do: y}, {do: x}]", "[{do: y}, {do: x}]" },
        { "[1, '1']", "['1']", "[1, '1', 2]", "['1', 2]" },
        /* The same change of both. */
        { "[a, b]", "[a, c]", "[a, c]", "[a, c]" },
        { "[a, b, x]", "[a, c, x, y]", "[z, a, c, x]", "[z, a, c, x, y]" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_join(rows[i].base, rows[i].ours, rows[i].theirs, rows[i].want, false);
}

static void items_that_both_replaced_are_a_clash_and_nothing_is_lost(void **state)
{
    (void)state;
    check_join("[a, b, c]", "[a, ours, c]", "[a, theirs, c]", "[a, theirs, ours, c]", true);
    check_join("[a]", "[]", "[a2]", "[a2]", true);
    check_join("[a, b]", "[x]", "[a, y]", "[x, y]", true);
}

static void a_clash_in_a_list_is_in_the_notes(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    CycleMerge told;
    Yaml *got = cycle_state_merge(&a, read_yaml(&a, "{pending_actions: [a]}"),
                                  read_yaml(&a, "{pending_actions: [ours]}"),
                                  read_yaml(&a, "{pending_actions: [theirs]}"), &told);
    assert_int_equal(told.clashes, 1);
    assert_int_equal(yaml_get(got, S("pending_actions"))->n, 2);
    Str notes = yaml_get(got, S("notes"))->text;
    const char *want = "[CONFLICT] pending_actions: a person and the cycle replaced the same "
                       "items, what either put there is kept, the cycle had: - ours";
    if (!memmem(notes.p, notes.n, want, strlen(want)))
        fail_msg(STR_FMT, STR_ARG(notes));
}

/* --- Any lists --------------------------------------------------------------------------- */

enum { LETTERS = 5, LENGTH = 8, ROUNDS = 20000 };

static Yaml *letter(Arena *a, uint64_t n)
{
    char text[2] = { (char)('a' + n % LETTERS), 0 };
    return yaml_text(a, str(text));
}

static Yaml *random_list(Arena *a, uint64_t *seed)
{
    Yaml *out = yaml_list(a);
    for (uint64_t n = hostile_next(seed) % LENGTH; n > 0; n--)
        yaml_add(a, out, letter(a, hostile_next(seed)));
    return out;
}

/* A few items go, some come. */
static Yaml *edited(Arena *a, const Yaml *base, uint64_t *seed)
{
    Yaml *out = yaml_list(a);
    for (size_t i = 0; i <= base->n; i++) {
        if (hostile_next(seed) % 5 == 0)
            yaml_add(a, out, letter(a, hostile_next(seed)));
        if (i < base->n && hostile_next(seed) % 4)
            yaml_add(a, out, base->items[i]);
    }
    return out;
}

static size_t count(const Yaml *list, const Yaml *item)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += yaml_eq(list->items[i], item);
    return n;
}

static Yaml *join(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs)
{
    size_t compared = 0;
    bool clashed;
    return cycle_state_join_lists(a, base, ours, theirs, &clashed, &compared);
}

/* What one side added is there, what one side removed is not. */
static bool counts_hold(size_t base, size_t ours, size_t theirs, size_t got)
{
    if (ours == theirs || theirs == base)
        return got == ours;
    if (ours == base)
        return got == theirs;
    if (ours > base && theirs > base)
        return got >= ours && got >= theirs;
    if (ours < base && theirs < base)
        return got <= ours && got <= theirs;
    return got == ours + theirs - base;
}

static void check_any(uint64_t *seed)
{
    AUTO(Arena) a = { 0 };
    Yaml *base = random_list(&a, seed);
    Yaml *ours = hostile_next(seed) % 8 ? edited(&a, base, seed) : random_list(&a, seed);
    Yaml *theirs = hostile_next(seed) % 8 ? edited(&a, base, seed) : random_list(&a, seed);
    Yaml *got = join(&a, base, ours, theirs);
    for (uint64_t i = 0; i < LETTERS; i++) {
        const Yaml *item = letter(&a, i);
        if (!counts_hold(count(base, item), count(ours, item), count(theirs, item),
                         count(got, item)))
            fail_msg("%s: base %zu, ours %zu, theirs %zu, joined %zu", item->text.p,
                     count(base, item), count(ours, item), count(theirs, item), count(got, item));
    }
    assert_true(yaml_eq(join(&a, base, base, theirs), theirs));
    assert_true(yaml_eq(join(&a, base, ours, base), ours));
    assert_true(yaml_eq(join(&a, base, ours, ours), ours));
}

static void any_two_lists_are_joined_without_loss_and_without_revival(void **state)
{
    (void)state;
    uint64_t seed = hostile_seed(20261117);
    for (int i = 0; i < ROUNDS; i++)
        check_any(&seed);
}

/* --- Costs ------------------------------------------------------------------------------- */

static Yaml *large_map(Arena *a, size_t n, bool last)
{
    AUTO(Buf) text = { .max = YAML_BYTES_MAX };
    for (size_t i = 0; i < n; i++)
        buf_addf(&text, "k%zu: %d\n", (i * 7919) % n, last && i + 1 == n);
    buf_add_char(&text, 0);
    return read_yaml(a, text.p);
}

static void merging_many_keys_takes_n_log_n_comparisons(void **state)
{
    (void)state;
    enum { KEYS = 40000, LOG = 16, MAPS = 3 };
    AUTO(Arena) a = { 0 };
    CycleMerge told;
    Yaml *base = large_map(&a, KEYS, false), *theirs = large_map(&a, KEYS, true);
    Yaml *ours = cycle_state_copy(&a, base);
    ours->pairs[0].value = yaml_text(&a, S("done"));
    Yaml *got = cycle_state_merge(&a, base, ours, theirs, &told);
    assert_int_equal(got->n, KEYS);
    assert_str(got->pairs[0].value->text, S("done"));
    assert_str(got->pairs[KEYS - 1].value->text, S("1"));
    assert_true(told.compared < (size_t)3 * MAPS * KEYS * LOG);
}

static void joining_long_lists_takes_n_log_n_comparisons(void **state)
{
    (void)state;
    enum { ITEMS = 40000, LOG = 18, LISTS = 3 };
    AUTO(Arena) a = { 0 };
    size_t compared = 0;
    bool clashed;
    Yaml *base = yaml_list(&a), *ours = yaml_list(&a), *theirs = yaml_list(&a);
    for (int i = 0; i < ITEMS; i++) {
        Yaml *item = yaml_int(&a, i);
        yaml_add(&a, base, item);
        if (i > 0)
            yaml_add(&a, ours, item);
        yaml_add(&a, theirs, item);
    }
    yaml_add(&a, theirs, yaml_text(&a, S("new")));
    Yaml *got = cycle_state_join_lists(&a, base, ours, theirs, &clashed, &compared);
    assert_int_equal(got->n, ITEMS);
    assert_str(got->items[0]->text, S("1"));
    assert_str(got->items[ITEMS - 1]->text, S("new"));
    assert_true(compared < (size_t)2 * LISTS * ITEMS * LOG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_has_what_either_added_and_lacks_what_either_removed),
        cmocka_unit_test(items_that_both_replaced_are_a_clash_and_nothing_is_lost),
        cmocka_unit_test(a_clash_in_a_list_is_in_the_notes),
        cmocka_unit_test(any_two_lists_are_joined_without_loss_and_without_revival),
        cmocka_unit_test(merging_many_keys_takes_n_log_n_comparisons),
        cmocka_unit_test(joining_long_lists_takes_n_log_n_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
