/* test_yaml.c - YAML that is read: what people write, what is refused and where, and the limits. */
#include "base/yaml.h"

#include "unit/yaml_trip.h"

/* --- Reading --------------------------------------------------------------------------- */

static void a_state_document_is_read_as_people_write_it(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("# what the agent knows\n"
                                "goals:\n"
                                "- watch the camera   # every hour\n"
                                "- 'report: birds'\n"
                                "current_task: \"look\\tup\"\n"
                                "pending_actions: []\n"
                                "completed_tasks:\n"
                                "    - one\n"
                                "last_updated: null\n"
                                "tries: 3\n"
                                "done: no\n"
                                "notes: |\n"
                                "  first line\n"
                                "    [TOOL] echo(...) # kept\n"
                                "\n"
                                "  last line\n"
                                "folded: >\n"
                                "  one\n"
                                "  two\n"));
    assert_int_equal(doc->kind, YAML_MAP);
    assert_int_equal(doc->n, 9);
    const Yaml *goals = yaml_get(doc, S("goals"));
    assert_int_equal(goals->kind, YAML_LIST);
    assert_int_equal(goals->n, 2);
    assert_str(goals->items[0]->text, S("watch the camera"));
    assert_str(goals->items[1]->text, S("report: birds"));
    assert_str(yaml_get(doc, S("current_task"))->text, S("look\tup"));
    assert_int_equal(yaml_get(doc, S("pending_actions"))->n, 0);
    assert_int_equal(yaml_get(doc, S("last_updated"))->type, YAML_NULL);
    assert_int_equal(yaml_get(doc, S("tries"))->type, YAML_INT);
    assert_int_equal(yaml_get(doc, S("done"))->type, YAML_STRING);
    assert_str(yaml_get(doc, S("notes"))->text,
               S("first line\n  [TOOL] echo(...) # kept\n\nlast line\n"));
    assert_str(yaml_get(doc, S("folded"))->text, S("one two\n"));
    assert_str(doc->pairs[8].key, S("folded"));
    assert_null(yaml_get(doc, S("nothing")));
    assert_null(yaml_get(goals, S("goals")));
    assert_null(yaml_get(NULL, S("goals")));
    check_round_trip(doc);
}

static void nodes_know_where_they_were_written(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("a: 1\nb:\n  - \xc3\xa9: x\n"));
    assert_int_equal(doc->line, 1);
    assert_int_equal(doc->pairs[1].line, 2);
    assert_int_equal(doc->pairs[1].column, 1);
    const Yaml *item = yaml_get(doc, S("b"))->items[0];
    assert_int_equal(item->line, 3);
    assert_int_equal(item->column, 5);
    assert_int_equal(item->pairs[0].value->column, 8);
    assert_int_equal(yaml_text(&a, S("x"))->line, 0);
}

static void plain_scalars_have_the_types_of_the_core_schema(void **state)
{
    static const struct {
        const char *text;
        YamlType type;
    } rows[] = {
        { "null", YAML_NULL },
        { "Null", YAML_NULL },
        { "NULL", YAML_NULL },
        { "~", YAML_NULL },
        { "nULL", YAML_STRING },
        { "nil", YAML_STRING },
        { "true", YAML_BOOL },
        { "True", YAML_BOOL },
        { "TRUE", YAML_BOOL },
        { "false", YAML_BOOL },
        { "tRUE", YAML_STRING },
        { "yes", YAML_STRING },
        { "no", YAML_STRING },
        { "on", YAML_STRING },
        { "off", YAML_STRING },
        { "y", YAML_STRING },
        { "0", YAML_INT },
        { "-0", YAML_INT },
        { "+12", YAML_INT },
        { "0123", YAML_INT },
        { "0o17", YAML_INT },
        { "0o18", YAML_STRING },
        { "0x1F", YAML_INT },
        { "0xG", YAML_STRING },
        { "0x", YAML_STRING },
        { "0o", YAML_STRING },
        { "-0x1", YAML_STRING },
        { "0b1", YAML_STRING },
        { "1_000", YAML_STRING },
        { "12345678901234567890", YAML_INT },
        { "1.", YAML_REAL },
        { ".5", YAML_REAL },
        { "-.5", YAML_REAL },
        { "1.5e3", YAML_REAL },
        { "1e3", YAML_REAL },
        { "+1.5E-3", YAML_REAL },
        { "1e", YAML_STRING },
        { "1e+", YAML_STRING },
        { ".", YAML_STRING },
        { "+.", YAML_STRING },
        { "+", YAML_STRING },
        { ".e1", YAML_STRING },
        { ".inf", YAML_REAL },
        { "-.INF", YAML_REAL },
        { "+.Inf", YAML_REAL },
        { ".nan", YAML_REAL },
        { ".NaN", YAML_REAL },
        { "+.nan", YAML_STRING },
        { "inf", YAML_STRING },
        { "1.2.3", YAML_STRING },
        { "2026-01-31", YAML_TIME },
        { "12:30:00", YAML_STRING },
        { "1 2", YAML_STRING },
        { "a", YAML_STRING },
        { "2026-1-31", YAML_STRING },
        { "2026-01-31x", YAML_STRING },
        { "2026-01-31T18:45:00.5Z", YAML_TIME },
        { "2026-1-3 8:45:00 +01:00", YAML_TIME },
        { "2026-01-31 18:45:00-5", YAML_TIME },
        { "2026-01-31T18:45", YAML_STRING },

        { "2026-01-31T", YAML_STRING },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        Yaml *plain = read_good(&a, arena_printf(&a, "- %s\n", rows[i].text))->items[0];
        assert_row(plain->type == rows[i].type, i, rows[i].text);
        assert_row(str_eq(plain->text, str(rows[i].text)), i, rows[i].text);
        Yaml *key = read_good(&a, arena_printf(&a, "%s: x\n", rows[i].text));
        assert_row(key->pairs[0].key_type == rows[i].type, i, rows[i].text);
        check_round_trip(plain);
        check_round_trip(key);
        Yaml *quoted = read_good(&a, arena_printf(&a, "'%s'", rows[i].text));
        assert_row(quoted->type == YAML_STRING, i, rows[i].text);
        check_text(str(rows[i].text));
    }
}

static void an_empty_value_is_null(void **state)
{
    AUTO(Arena) a = { 0 };
    static const char *const nothing[] = { "", "\n", "# only a comment\n", "---\n",
                                           "\xef\xbb\xbf" };
    for (size_t i = 0; i < COUNT_OF(nothing); i++) {
        Yaml *tree = read_good(&a, str(nothing[i]));
        assert_row(tree->kind == YAML_SCALAR && tree->type == YAML_NULL, i, nothing[i]);
        check_round_trip(tree);
    }
    Yaml *map = read_good(&a, S("a:\nb: ''\nc:\n  -\n  - x\n"));
    assert_int_equal(yaml_get(map, S("a"))->type, YAML_NULL);
    assert_int_equal(yaml_get(map, S("b"))->type, YAML_STRING);
    assert_int_equal(yaml_get(map, S("c"))->items[0]->type, YAML_NULL);
    assert_str(write_good(&a, map), S("a:\nb: \"\"\nc:\n  -\n  - x\n"));
    check_round_trip(map);
}

static void files_of_other_systems_are_read(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("\xef\xbb\xbf"
                                "a: 1\r\nb: |\r\n  x\r\n  y\r\n"));
    assert_str(yaml_get(doc, S("b"))->text, S("x\ny\n"));
    assert_int_equal(read_good(&a, S("%YAML 1.2\n---\na: 1\n...\n"))->n, 1);
    assert_int_equal(read_good(&a, S("{a: 1, b: [x, {c: d}]}"))->n, 2);
    assert_int_equal(read_good(&a, S("{\"a\": 1, \"b\": [null, true]}"))->n, 2);
}

static void what_invites_surprises_is_refused_and_located(void **state)
{
    static const struct {
        const char *about;
        Str text;
        size_t line, column;
        const char *says;
    } rows[] = {
        { "an anchor on a key", T("a: 1\n&x b: 2\n"), 2, 1, "neither anchor" },
        { "an alias of nothing", T("a: 1\nb: *x\n"), 2, 4, "has no anchor" },
        { "an alias before its anchor", T("a: *x\nb: &x 1\n"), 1, 4, "has no anchor" },
        { "an alias inside what it stands for", T("a: &x [1, *x]\n"), 1, 11, "inside what" },
        { "an alias as key", T("*x : 1\n"), 1, 1, "nor alias" },
        { "an alias as key of what is there", T("a: &x b\n*x : 1\n"), 2, 1, "nor alias" },
        { "a merge key", T("a: &x {b: 1}\nc:\n  <<: *x\n"), 3, 3, "merging" },
        { "a tag", T("a: !!str 1\n"), 1, 4, "tags" },
        { "a local tag", T("a: !mine 1\n"), 1, 4, "tags" },
        { "a tag without a name", T("a: ! 1\n"), 1, 4, "tags" },
        { "a tag on a list", T("!!seq [1]\n"), 1, 1, "tags" },
        { "a tag that makes an object", T("!!python/object:os.system {}\n"), 1, 1, "tags" },
        { "a tag directive", T("%TAG ! x\n---\na: 1\n"), 1, 1, "%TAG" },
        { "a tag directive further down", T("a: 1\n...\r%TAG ! x\n"), 3, 1, "%TAG" },
        { "a duplicate key", T("a: 1\nb: 2\na: 3\n"), 3, 1, "'a' is already in line 1" },
        { "a duplicate key in quotes", T("1: x\n'1': y\n"), 2, 1, "'1' is already in line 1" },
        { "a duplicate key in a flow map", T("{a: 1, a: 2}"), 1, 8, "'a' is already" },
        { "a duplicate key deep inside", T("x:\n  - a: 1\n    a: 2\n"), 3, 5, "'a' is already" },
        { "a key that is a list", T("[1, 2]: x\n"), 1, 1, "scalar" },
        { "a key that is a map", T("? {a: 1}\n: x\n"), 1, 3, "scalar" },
        { "no key", T("?\n: x\n"), 1, 2, "no key" },
        { "no key in a flow map", T("{: x}"), 1, 2, "" },
        { "no key at the start", T(": x\n"), 1, 1, "" },
        { "a second document", T("a: 1\n---\nb: 2\n"), 2, 1, "second document" },
        { "a second document behind the end", T("a\n...\nb\n"), 3, 1, "" },
        { "an invalid byte", T("a: \xff\n"), 1, 4, "UTF-8" },
        { "Latin-1 behind other letters", T("x: 1\n\xc3\xa9\xc3\xa9: caf\xe9\n"), 2, 8, "UTF-8" },
        { "a NUL", T("a: b\0c\n"), 1, 5, "NUL" },
        { "an escaped NUL", T("a: \"b\\0c\"\n"), 1, 4, "NUL" },
        { "an escaped NUL by x", T("\"\\x00\""), 1, 1, "NUL" },
        { "a control character", T("a: \x1b[31m\n"), 1, 4, "U+001B" },
        { "a line separator", T("a: x\xe2\x80\xa8y: z\n"), 1, 5, "U+2028" },
        { "a paragraph separator", T("a: \"\xe2\x80\xa9\"\n"), 1, 5, "U+2029" },
        { "a next-line", T("a: x\xc2\x85y\n"), 1, 5, "U+0085" },
        { "a byte order mark inside", T("a: \xef\xbb\xbf\n"), 1, 4, "U+FEFF" },
        { "a noncharacter", T("a: \xef\xbf\xbe\n"), 1, 4, "U+FFFE" },
        { "UTF-16",
          { "\xff\xfe"
            "a\0:\0",
            6 },
          1,
          1,
          "UTF-8" },
        { "a list that is not closed", T("a: [1, 2\n"), 2, 1, "" },
        { "a string that is not closed", T("a: 'x\n"), 2, 1, "" },
        { "a tab as indentation", T("a:\n\tb: 1\n"), 2, 1, "" },
        { "two colons on a line", T("a: b: c\n"), 1, 5, "" },
        { "a map inside a list", T("- a\nb: 1\n"), 2, 1, "" },
        { "bad indentation", T("a:\n    b: 1\n  c: 2\n"), 3, 3, "" },
        { "an unknown escape", T("a: \"\\q\"\n"), 1, 5, "" },
        { "a lone surrogate", T("a: \"\\uD83D\"\n"), 1, 7, "" },
        { "a percent sign", T("a: %x\n"), 1, 4, "" },
        { "an at sign", T("a: @x\n"), 1, 4, "" },
        { "a newer YAML", T("%YAML 3.0\n---\na\n"), 1, 1, "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        Err e = { 0 };
        Yaml *tree = NULL;
        assert_row(yaml_read(rows[i].text, &a, &tree, &e) == JOT_INVALID, i, rows[i].about);
        assert_row(tree == NULL, i, rows[i].about);
        Str where = arena_printf(&a, "not valid YAML at line %zu, column %zu: ", rows[i].line,
                                 rows[i].column);
        assert_row(str_starts(str(e.text), where), i, e.text);
        assert_row(strstr(e.text, rows[i].says) != NULL, i, e.text);
        assert_sentence(&e);
    }
}

/* --- Aliases --------------------------------------------------------------------------- */

/* yaml.dump() of {"goals": g, "old": [g, {"again": g}], "task": t, "tasks": [t]}. */
static void what_python_writes_for_an_object_met_twice_is_read(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("goals: &id001\n- one\n- by: 1\nold:\n- *id001\n- again: *id001\n"
                                "task: &id002\n  due: &id003 2026-04-01\n  since: *id003\n"
                                "tasks:\n- *id002\n"));
    assert_str(write_good(&a, doc), S("goals:\n  - one\n  - by: 1\n"
                                      "old:\n  - - one\n    - by: 1\n"
                                      "  - again:\n      - one\n      - by: 1\n"
                                      "task:\n  due: 2026-04-01\n  since: 2026-04-01\n"
                                      "tasks:\n  - due: 2026-04-01\n    since: 2026-04-01\n"));
    check_round_trip(doc);
}

static void an_alias_is_a_copy_that_changes_alone(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("a: &x [1]\nb: *x\nc: &y {d: *x}\nx: &x 1\ne: *y\nf: *x\n"));
    yaml_add(&a, yaml_get(doc, S("b")), yaml_int(&a, 2));
    assert_str(write_good(&a, doc), S("a:\n  - 1\nb:\n  - 1\n  - 2\n"
                                      "c:\n  d:\n    - 1\nx: 1\ne:\n  d:\n    - 1\nf: 1\n"));
}

/* Each line stands for ten of the one before it. */
static Str laughs(Arena *a, int levels, const char *first)
{
    AUTO(Buf) b = { 0 };
    buf_addf(&b, "a0: &a0 %s\n", first);
    for (int i = 1; i <= levels; i++) {
        buf_addf(&b, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            buf_addf(&b, "%s*a%d", k ? ", " : "", i - 1);
        buf_add(&b, S("]\n"));
    }
    return arena_copy(a, buf_str(&b));
}

static void ten_lines_cannot_stand_for_a_billion(void **state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) page = { 0 };
    AUTO(Buf) many = { 0 };
    Err e = { 0 };
    Yaml *tree = NULL;
    assert_int_equal(read_good(&a, laughs(&a, 3, "lol"))->n, 4);
    assert_int_equal(yaml_read(laughs(&a, 9, "lol"), &a, &tree, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "values and keys"));
    for (int i = 0; i < 100 * 1000; i++)
        buf_add_char(&page, 'x');
    buf_add_char(&page, 0);
    assert_int_equal(yaml_read(laughs(&a, 4, page.p), &a, &tree, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "aliases stand for more than"));
    assert_true(a.total < 32 * 1024 * 1024);
    for (int i = 0; i <= 1000; i++)
        buf_addf(&many, "- &n%d x\n", i);
    assert_int_equal(yaml_read(buf_str(&many), &a, &tree, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "more than 1000 anchors"));
    AUTO(Buf) deep = { 0 };
    buf_add(&deep, S("- &a0 [x]\n"));
    for (int i = 1; i < 70; i++)
        buf_addf(&deep, "- &a%d [*a%d]\n", i, i - 1);
    assert_int_equal(yaml_read(buf_str(&deep), &a, &tree, &e), JOT_INVALID);
    assert_non_null(strstr(e.text, "deeper than 64 levels"));
}

/* --- Limits ---------------------------------------------------------------------------- */

static Str nested(Arena *a, size_t depth, const char *open, const char *close)
{
    AUTO(Buf) b = { 0 };
    for (size_t i = 0; i < depth; i++)
        buf_add(&b, str(open));
    buf_add(&b, S("x"));
    for (size_t i = 0; i < depth; i++)
        buf_add(&b, str(close));
    return arena_copy(a, buf_str(&b));
}

static void sixty_four_levels_are_read_and_no_more(void **state)
{
    static const char *const ways[][2] = {
        { "[", "]" }, { "{a: ", "}" }, { "- ", "" }, { "? ", "" }
    };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        AUTO(Arena) a = { 0 };
        Err e = { 0 };
        Yaml *tree = NULL;
        if (ways[i][0][0] != '?')
            check_round_trip(read_good(&a, nested(&a, YAML_DEPTH_MAX, ways[i][0], ways[i][1])));
        static const size_t too_deep[] = { YAML_DEPTH_MAX + 1, 5000, 500000 };
        for (size_t k = 0; k < COUNT_OF(too_deep); k++) {
            Str text = nested(&a, too_deep[k], ways[i][0], ways[i][1]);
            assert_int_equal(yaml_read(text, &a, &tree, &e), JOT_INVALID);
            assert_row(ways[i][0][0] == '?' || strstr(e.text, "deeper than 64 levels"), i, e.text);
        }
    }
}

static void a_tree_that_could_not_be_read_back_is_not_written(void **state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) b = { 0 };
    Err e = { 0 };
    buf_add(&b, S("before"));
    Yaml *deep = yaml_text(&a, S("x"));
    for (int i = 0; i <= YAML_DEPTH_MAX; i++) {
        Yaml *list = yaml_list(&a);
        yaml_add(&a, list, deep);
        if (i < YAML_DEPTH_MAX)
            check_round_trip(list);
        deep = list;
    }
    assert_int_equal(yaml_write(&b, deep, &e), JOT_TOO_BIG);
    Yaml *wide = yaml_list(&a);
    for (int i = 0; i < YAML_NODES_MAX; i++)
        yaml_add(&a, wide, yaml_null(&a));
    assert_int_equal(yaml_write(&b, wide, &e), JOT_TOO_BIG);
    wide->n--;
    check_round_trip(wide);
    char *text = arena_alloc(&a, YAML_BYTES_MAX, 1);
    memset(text, 'x', YAML_BYTES_MAX);
    assert_int_equal(yaml_write(&b, yaml_text(&a, (Str){ text, YAML_BYTES_MAX }), &e), JOT_TOO_BIG);
    assert_str(buf_str(&b), S("before")); /* nothing of any of them */
    check_round_trip(yaml_text(&a, (Str){ text, YAML_BYTES_MAX - 1 }));
    AUTO(Buf) small = { .max = 4 };
    assert_int_equal(yaml_write(&small, yaml_text(&a, S("hello")), &e), JOT_TOO_BIG);
}

static void size_and_number_of_nodes_are_limited(void **state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) b = { 0 };
    Err e = { 0 };
    Yaml *tree = NULL;
    buf_add_char(&b, '[');
    for (int i = 1; i < YAML_NODES_MAX; i++)
        buf_add(&b, S("x,"));
    size_t most = b.n;
    buf_add_char(&b, ']');
    assert_int_equal(read_good(&a, buf_str(&b))->n, YAML_NODES_MAX - 1);
    b.n = most;
    buf_add(&b, S("x]"));
    assert_int_equal(yaml_read(buf_str(&b), &a, &tree, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "100000"));
    buf_clear(&b);
    while (b.n < YAML_BYTES_MAX)
        buf_add_char(&b, '#');
    assert_int_equal(yaml_read(buf_str(&b), &a, &tree, &e), JOT_OK);
    buf_add_char(&b, '#');
    assert_int_equal(yaml_read(buf_str(&b), &a, &tree, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "4194304"));
}

static void a_large_map_is_checked_for_duplicates_all_the_same(void **state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) b = { 0 };
    Err e = { 0 };
    Yaml *tree = NULL;
    for (int i = 0; i < 40000; i++)
        buf_addf(&b, "key%d: 1\n", i);
    assert_int_equal(read_good(&a, buf_str(&b))->n, 40000);
    buf_add(&b, S("key20000: 2\n"));
    assert_int_equal(yaml_read(buf_str(&b), &a, &tree, &e), JOT_INVALID);
    assert_non_null(
        strstr(e.text, "line 40001, column 1: the key 'key20000' is already in line 20001"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_document_is_read_as_people_write_it),
        cmocka_unit_test(nodes_know_where_they_were_written),
        cmocka_unit_test(plain_scalars_have_the_types_of_the_core_schema),
        cmocka_unit_test(an_empty_value_is_null),
        cmocka_unit_test(files_of_other_systems_are_read),
        cmocka_unit_test(what_invites_surprises_is_refused_and_located),
        cmocka_unit_test(what_python_writes_for_an_object_met_twice_is_read),
        cmocka_unit_test(an_alias_is_a_copy_that_changes_alone),
        cmocka_unit_test(ten_lines_cannot_stand_for_a_billion),
        cmocka_unit_test(sixty_four_levels_are_read_and_no_more),
        cmocka_unit_test(a_tree_that_could_not_be_read_back_is_not_written),
        cmocka_unit_test(size_and_number_of_nodes_are_limited),
        cmocka_unit_test(a_large_map_is_checked_for_duplicates_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
