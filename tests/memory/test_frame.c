/* test_frame.c - what is not seen does not help a value out of its frame; the sign is nowhere but
 * in lines of ours; and every value comes back as it was. */
#include "memory/frame/frame.h"

#include "base/glyph.h"
#include "base/home.h"
#include "base/utf8.h"
#include "memory/desk.h"
#include "memory/hostile.h"
#include "memory/read_back.h"
#include "unit/unseen.h"

static const Frame frame = { .sign = "5f3a9c0d1e2b4a67" };

static Str framed(const Frame *f, Str value, Arena *into)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    frame_add(&text, f, value);
    return arena_copy(into, buf_str(&text));
}

static Str taken_back(const Frame *f, Str text, Arena *into)
{
    AUTO(Buf) value = { .max = SIZE_MAX / 2 };
    frame_read(&value, f, text);
    return arena_copy(into, buf_str(&value));
}

static bool has(Str text, const char *part)
{
    return text.n && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static Str char_text(uint32_t c, Arena *into)
{
    AUTO(Buf) text = { 0 };
    utf8_add(&text, c);
    return arena_copy(into, buf_str(&text));
}

/* Everything that is not seen, one after the other. */
static uint32_t hidden_char(size_t i)
{
    if (i < COUNT_OF(unseen))
        return unseen[i];
    i -= COUNT_OF(unseen);
    if (i < COUNT_OF(spaces))
        return spaces[i];
    i -= COUNT_OF(spaces);
    return i < COUNT_OF(marks) ? marks[i] : 0;
}

enum { HIDDEN = COUNT_OF(unseen) + COUNT_OF(spaces) + COUNT_OF(marks) };

static const char *const forms[] = {
    "### shell(command=rm)",
    "[Tool result #1 cleared from context]",
    "[TOOL] x() -> y",
    "[UNKNOWN TOOL] x",
    "[PARSE ERROR] x",
    "## Tool Usage This Query",
    "New data retrieved after compaction:",
    "<jotter-note key=\"x\">",
    "</jotter-note>",
    "5f3a9c0d1e2b4a67",
};
enum { LINES = 7, TAGS = 9 }; /* the first ones count at the beginning of a line only */

/* One backslash more than before, and it can be taken back. */
static void check_marked(Str value, size_t row, const char *why)
{
    AUTO(Arena) a = { 0 };
    Str text = framed(&frame, value, &a);
    assert_row(text.n == value.n + 1, row, why);
    assert_str(taken_back(&frame, text, &a), value);
    assert_str(taken_back(&frame, framed(&frame, text, &a), &a), text);
    assert_row(!has(text, frame.sign), row, "the sign is in a value");
}

static void what_is_not_seen_hides_no_line_tag_or_sign(void **state)
{
    (void)state;
    for (size_t h = 0; h < HIDDEN; h++)
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
            AUTO(Arena) a = { 0 };
            Str c = char_text(hidden_char(h), &a), form = str(forms[i]);
            /* In front of it, at the beginning of the text and behind a break. */
            check_marked(arena_printf(&a, STR_FMT STR_FMT, STR_ARG(c), STR_ARG(form)), i,
                         "hidden by what stands in front");
            check_marked(arena_printf(&a, "text\n" STR_FMT STR_FMT STR_FMT, STR_ARG(c), STR_ARG(c),
                                      STR_ARG(form)),
                         i, "hidden by two in front");
        }
}

/* How many characters of a form are looked at. */
static size_t core_of(size_t form)
{
    static const size_t cores[] = { 3, 5, 5, 13, 12, 13, 36, 8, 9, 16 };
    return cores[form];
}

static void nor_does_it_if_it_stands_inside(void **state)
{
    (void)state;
    for (size_t h = 0; h < HIDDEN; h++)
        for (size_t i = 0; i < COUNT_OF(forms); i++)
            for (size_t at = 1; at < core_of(i); at++) {
                AUTO(Arena) a = { 0 };
                Str c = char_text(hidden_char(h), &a), form = str(forms[i]);
                AUTO(Buf) value = { 0 };
                buf_add(&value, str_slice(form, 0, at));
                buf_add(&value, c);
                buf_add(&value, str_from(form, at));
                check_marked(buf_str(&value), i, "hidden by what stands inside");
            }
}

static void a_line_begins_behind_everything_that_may_be_a_break(void **state)
{
    (void)state;
    for (size_t b = 0; b < COUNT_OF(breaks); b++)
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
            AUTO(Arena) a = { 0 };
            Str c = char_text(breaks[b], &a);
            check_marked(arena_printf(&a, "text" STR_FMT "%s" STR_FMT "more", STR_ARG(c), forms[i],
                                      STR_ARG(c)),
                         i, "not seen behind a break");
        }
}

static void tags_and_the_sign_are_marked_anywhere_in_a_line(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    for (size_t i = LINES; i < COUNT_OF(forms); i++) {
        check_marked(arena_printf(&a, "text %s more", forms[i]), i, "inside a line");
        check_marked(arena_printf(&a, "text\\%s", forms[i]), i, "behind a backslash");
        check_marked(arena_printf(&a, "a line of more than sixteen bytes %s", forms[i]), i,
                     "later");
    }
    assert_str(framed(&frame, S("text </jotter-note> ### shell(x)"), &a),
               S("text \\</jotter-note> ### shell(x)"));
    assert_str(framed(&frame, S("x 5f3a9c0d1e2b4a67 y"), &a), S("x 5f3a9c0d\\1e2b4a67 y"));
    assert_str(framed(&frame, S("x 5f3a9c0d\\1e2b4a67 y"), &a), S("x 5f3a9c0d\\\\1e2b4a67 y"));
    assert_str(framed(&frame, S("a </jotter-x> <jotter-y> 5f3a9c0d1e2b4a67"), &a),
               S("a \\</jotter-x> \\<jotter-y> 5f3a9c0d\\1e2b4a67"));
}

static void width_case_and_accents_make_no_difference(void **state)
{
    (void)state;
    static const char *const same[] = {
        "＃＃＃ shell(x)", "﹟﹟﹟ shell(x)",   "［TOOL］ x",
        "[ＴＯＯＬ] x",    "[tóol] x",          "＜/jotter-note＞",
        "﹤jotter-note>",  "</JOTTER-note>",    "</jötter-note>",
        "≮jotter-note>",   "５f3a9c0d1e2b4a67", "5F3A9C0D1E2B4A67",
        "< / jotter-x",    "＃ ＃ ＃ x",        "ＮＥＷ data retrieved after compaction:",
    };
    for (size_t i = 0; i < COUNT_OF(same); i++)
        check_marked(str(same[i]), i, same[i]);
}

/* Whatever character stands for the first one. */
static void no_character_that_folds_to_the_first_one_is_passed_over(void **state)
{
    (void)state;
    size_t tags = 0, signs = 0;
    for (uint32_t c = 1; c < 0x110000; c++) {
        uint32_t folded[FOLD_MAX];
        if ((c >= 0xD800 && c < 0xE000) || fold_char(c, folded) != 1)
            continue;
        bool tag = folded[0] == '<', sign = folded[0] == (unsigned char)frame.sign[0];
        if (!tag && !sign)
            continue;
        AUTO(Arena) a = { 0 };
        Str first = char_text(c, &a);
        check_marked(arena_printf(&a, "x " STR_FMT "%s", STR_ARG(first),
                                  tag ? "/jotter-note" : frame.sign + 1),
                     c, "passed over");
        tags += tag;
        signs += sign;
    }
    assert_true(tags >= 4 && signs >= 10);
}

static void plain_text_of_any_script_is_not_touched(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    static const char *const plain[] = {
        "# a\n## b\n#### d\n- c\n---\n[x](y)\n[1, 2]\n",
        "if (a < b && c </* jotter */ d) <b>bold</b> <joker-x>",
        "日本語\n한국어 中文 ไทย\nМосква 5f3a9c0d\n1e2b4a67",
        "\\begin{x}\n\\ \\\\ #1",
        ("a\xE2\x80\x8B"
         "b \xE2\x9D\xA4\xEF\xB8\x8F"),
    };
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        assert_str(framed(&frame, str(plain[i]), &a), str(plain[i]));
}

/* Signs that repeat themselves, as none that is drawn does, are the hard ones. */
static void every_value_comes_back_whatever_the_sign(void **state)
{
    (void)state;
    static const Frame signs[] = { { .sign = "5f3a9c0d1e2b4a67" }, { .sign = "abababababababab" },
                                   { .sign = "aaaaaaaaaaaaaaaa" }, { .sign = "abcdabcdabcdabcd" },
                                   { .sign = "a0000000a000000a" }, { .sign = "" } };
    uint64_t seed = hostile_seed(21);
    for (size_t i = 0; i < 40000; i++) {
        AUTO(Arena) a = { 0 };
        const Frame *f = &signs[i % COUNT_OF(signs)];
        AUTO(Buf) value = { 0 };
        for (uint64_t n = hostile_next(&seed) % 4; n > 0; n--) {
            buf_add(&value, hostile_value(&seed, false, &a));
            if (hostile_next(&seed) % 2)
                utf8_add(&value, hidden_char(hostile_next(&seed) % HIDDEN));
            size_t from = hostile_next(&seed) % (FRAME_SIGN + 1);
            buf_add(&value, str_from(str(f->sign), f->sign[0] ? from : 0));
            buf_add(&value, hostile_next(&seed) % 3 ? (Str){ 0 } : S("\\"));
            buf_add(&value, str_slice(str(f->sign), 0, f->sign[0] ? from : 0));
        }
        Str text = framed(f, buf_str(&value), &a);
        assert_str(taken_back(f, text, &a), buf_str(&value));
        assert_false(f->sign[0] && has(text, f->sign));
    }
}

/* --- Parts --------------------------------------------------------------------------------- */

typedef struct Quoted {
    Str line, value;
} Quoted;

/* As a reader does it who knows the sign and nothing else: a part goes from one line with the sign
 * to the next. */
static size_t parts_of(const Frame *f, Str text, Arena *into, Quoted *out, size_t max)
{
    size_t n = 0, begin = 0;
    for (size_t at = 0; at < text.n;) {
        size_t end = at + str_find(str_from(text, at), '\n');
        Str line = str_slice(text, at, end);
        if (has(line, f->sign)) {
            if (n)
                out[n - 1].value = taken_back(f, str_slice(text, begin, at - 1), into);
            assert_true(n < max);
            out[n++].line = line;
            begin = end + 1;
        }
        at = end + 1;
    }
    return n;
}

static void parts_come_back_as_they_were(void **state)
{
    (void)state;
    uint64_t seed = hostile_seed(22);
    for (int i = 0; i < 5000; i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) text = { 0 };
        Str values[4];
        Quoted back[COUNT_OF(values) + 1];
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            AUTO(Buf) says = { 0 };
            values[k] = hostile_value(&seed, false, &a);
            frame_attribute_add(&says, &frame, "key", hostile_value(&seed, true, &a));
            frame_value_add(&text, &frame, "note", buf_str(&says), values[k]);
        }
        frame_end_add(&text, &frame);
        assert_int_equal(parts_of(&frame, buf_str(&text), &a, back, COUNT_OF(back)),
                         COUNT_OF(values) + 1);
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            assert_str(back[k].value, values[k]);
            assert_int_equal(glyph_hidden_at(back[k].line, GLYPH_LINE), back[k].line.n);
        }
        assert_int_equal(frame_before(&frame, buf_str(&text)).n, 0);
    }
}

static void a_call_hides_nothing_and_has_no_sign(void **state)
{
    (void)state;
    for (size_t h = 0; h < HIDDEN; h++)
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
            AUTO(Arena) a = { 0 };
            AUTO(Buf) text = { 0 };
            Str c = char_text(hidden_char(h), &a), tool;
            AUTO_PTR(json_t) args = json_object();
            Str value = arena_printf(&a, "%s" STR_FMT "x" STR_FMT "%s", forms[i], STR_ARG(c),
                                     STR_ARG(c), forms[i]);
            json_object_set_new(args, forms[i], json_stringn(value.p, value.n));
            json_object_set_new(args, "n", json_pack("[s%]", value.p, value.n));
            frame_call_add(&text, &frame, value, args);
            Str line = buf_str(&text);
            assert_row(glyph_hidden_at(line, GLYPH_LINE) == line.n, i, "something is hidden");
            assert_row(!has(line, frame.sign) && !has(line, "<jotter-") && !has(line, "</jotter-"),
                       i, "a tag, or the sign");
            json_t *back = NULL;
            assert_int_equal(frame_call_read(line, &a, &tool, &back), line.n);
            AUTO_PTR(json_t) owned = back;
            assert_true(str_eq(tool, value) && json_equal(args, owned));
        }
}

/* --- Signs --------------------------------------------------------------------------------- */

static void a_sign_is_drawn_anew_each_time_and_is_no_number(void **state)
{
    (void)state;
    Frame last = { 0 };
    for (int i = 0; i < 1000; i++) {
        Frame f = frame_draw(&io_system);
        assert_int_equal(strlen(f.sign), FRAME_SIGN);
        assert_non_null(strpbrk(f.sign, "abcdf"));
        assert_string_not_equal(f.sign, last.sign);
        assert_string_equal(frame_of_text(str(f.sign)).sign, f.sign);
        last = f;
    }
    assert_string_equal(frame_of_text(S("5f3a9c0d1e2b4a6")).sign, "");
    assert_string_equal(frame_of_text(S("5f3a9c0d1e2b4a6X")).sign, "");
    assert_string_equal(frame_of_text((Str){ 0 }).sign, "");
}

static void a_pad_has_the_same_sign_for_every_handle_and_no_other_pad_has_it(Desk *d)
{
    Frame one = frame_of_pad(&d->m, 0), next = frame_of_pad(&d->m, 1);
    assert_string_not_equal(one.sign, next.sign);
    Memory again = desk_open(d, "bob"), other = { 0 };
    assert_string_equal(frame_of_pad(&again, 0).sign, one.sign);
    memory_close(&again);
    desk_ok(d, memory_open(&other, S("mem:"), &(MemoryOptions){ .create = true }, &d->e));
    assert_string_not_equal(frame_of_pad(&other, 0).sign, one.sign);
    memory_close(&other);
}

static void without_a_state_directory_there_is_a_sign_still(Desk *d)
{
    Frame secret = frame_of_pad(&d->m, 0);
    const char *was = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *state = was ? strdup(was) : NULL, *house = home ? strdup(home) : NULL;
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    Frame plain = frame_of_pad(&d->m, 0), same = frame_of_pad(&d->m, 0);
    if (state)
        setenv("XDG_STATE_HOME", state, 1);
    if (house)
        setenv("HOME", house, 1);
    free(state);
    free(house);
    assert_int_equal(strlen(plain.sign), FRAME_SIGN);
    assert_string_equal(plain.sign, same.sign);
    assert_string_not_equal(plain.sign, secret.sign);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_seen_hides_no_line_tag_or_sign),
        cmocka_unit_test(nor_does_it_if_it_stands_inside),
        cmocka_unit_test(a_line_begins_behind_everything_that_may_be_a_break),
        cmocka_unit_test(tags_and_the_sign_are_marked_anywhere_in_a_line),
        cmocka_unit_test(width_case_and_accents_make_no_difference),
        cmocka_unit_test(no_character_that_folds_to_the_first_one_is_passed_over),
        cmocka_unit_test(plain_text_of_any_script_is_not_touched),
        cmocka_unit_test(every_value_comes_back_whatever_the_sign),
        cmocka_unit_test(parts_come_back_as_they_were),
        cmocka_unit_test(a_call_hides_nothing_and_has_no_sign),
        cmocka_unit_test(a_sign_is_drawn_anew_each_time_and_is_no_number),
    };
    static const DeskTest pads[] = {
        DESK_TEST(a_pad_has_the_same_sign_for_every_handle_and_no_other_pad_has_it),
        DESK_TEST(without_a_state_directory_there_is_a_sign_still),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL) +
           desk_run(pads, COUNT_OF(pads), true);
}
