/* test_calc.c - arithmetic, through the tool. */
#include "agent/act_desk.h"

static void numbers_and_signs_bind_as_on_paper(Desk *d)
{
    static const struct Row {
        const char *text, *is;
    } rows[] = {
        { "1 + 2 * 3", "7" },
        { "(1 + 2) * 3", "9" },
        { "2 ^ 3 ^ 2", "512" },
        { "2 ** 10", "1024" },
        { "-2 ^ 2", "-4" },
        { "2 ^ -1", "0.5" },
        { "7 / 2", "3.5" },
        { "8 / 2", "4" },
        { "7 % 3", "1" },
        { "7.5 % 2", "1.5" },
        { "10 - 2 - 3", "5" },
        { "- - 3", "3" },
        { "1e3 + 1", "1001" },
        { ".5 * 4", "2" },
        { "sqrt(144)", "12" },
        { "max(1, 7, 3) - min(4, 2)", "5" },
        { "abs(-3) + round(2.5) + floor(-1.5) + ceil(0.1)", "5" },
        { "log(1000) + log2(8) + ln(e)", "7" },
        { "cos(0) * pi", "3.14159265358979" },
        { "9223372036854775807", "9223372036854775807" },
        { "9223372036854775807 + 1", "9.22337203685478e+18 (rounded)" },
        { "-9223372036854775807 - 1", "-9223372036854775808" },
        { "(-9223372036854775807 - 1) / -1", "9.22337203685478e+18 (rounded)" },
        { "(-9223372036854775807 - 1) % -1", "0" },
        { "2 ^ 64", "1.84467440737096e+19 (rounded)" },
        { "99999999999999999999", "1e+20 (rounded)" },
        { "max(9007199254740992, 9007199254740993)", "9007199254740993" },
        { "min(9007199254740993, 9007199254740992)", "9007199254740992" },
        { "max(-9223372036854775807, -9223372036854775806)", "-9223372036854775806" },
        { "max(9007199254740993, 9007199254740992.0)", "9007199254740993" },
        { "min(9007199254740993, 9007199254740994.0)", "9007199254740993" },
        { "max(9223372036854775807, 9223372036854775808.0)", "9.22337203685478e+18 (rounded)" },
        { "min(-9223372036854775807, -1e300)", "-1e+300" },
        { "max(2, 2.5)", "2.5" },
        { "max(-2, -2.5)", "-2" },
        { "min(3, 2.5, 2)", "2" },
        { "9007199254740993 * 1.0", "9.00719925474099e+15 (rounded)" },
        { "9007199254740993 + 0.5", "9.00719925474099e+15 (rounded)" },
        { "9007199254740993 / 2", "4.5035996273705e+15 (rounded)" },
        { "9007199254740993 % 2.0", "0 (rounded)" },
        { "4503599627370497 * 1.0", "4.5035996273705e+15 (rounded)" },
        { "9007199254740992 / 4 * 1.0 - 2251799813685248", "0" },
        { "1e300 * 1", "1e+300" },
        { "1 / 3", "0.333333333333333" },
        { "0.1 + 0.2", "0.3" },
    };
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str args = arena_printf(&d->a, "{\"expression\": \"%s\"}", rows[i].text);
        Reply r = act_desk_call(d, a, "calc", args.p);
        if (!str_eq(r.text, str(rows[i].is)) || r.failed)
            fail_msg("%s = " STR_FMT ", not %s", rows[i].text, STR_ARG(r.text), rows[i].is);
    }
}

static void what_has_no_value_is_refused_with_a_reason(Desk *d)
{
    static const struct Row {
        const char *text, *why;
    } rows[] = {
        { "1 / 0", "division by zero" },
        { "5 % 0", "division by zero" },
        { "0 ^ -1", "division by zero: 0 to a negative power" },
        { "(-8) ^ 0.5", "a negative number has no power that is a fraction" },
        { "sqrt(-1)", "sqrt is not defined for -1" },
        { "ln(0)", "ln is not defined for 0" },
        { "1e308 * 10", "the result is too large: at most about 1.8e308" },
        { "2 +", "the expression ends where a number should be" },
        { "(1", "the expression ends where ')' should be" },
        { "1 2", "found '2' at 3 where an operator or the end should be" },
        { "2 x 3", "found 'x' at 3 where an operator or the end should be" },
        { "foo", "unknown name 'foo': there are pi and e" },
        { "sqrt(1, 2)", "'sqrt' takes one value, not 2" },
        { "$(reboot)", "found '$' at 1 where a number should be" },
        { ".", "no number at 1: use up to 64 digits" },
    };
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str args = arena_printf(&d->a, "{\"expression\": \"%s\"}", rows[i].text);
        act_desk_fails(d, a, "calc", args.p, rows[i].why);
    }
}

static void a_thousand_parentheses_end_at_the_limit(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    AUTO(Buf) args = { 0 };
    buf_add(&args, S("{\"expression\": \""));
    for (int i = 0; i < 1000; i++)
        buf_add(&args, S("("));
    buf_add(&args, S("\"}\0"));
    act_desk_fails(d, a, "calc", args.p, "more than 100 levels deep: the limit");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(numbers_and_signs_bind_as_on_paper),
        DESK_TEST(what_has_no_value_is_refused_with_a_reason),
        DESK_TEST(a_thousand_parentheses_end_at_the_limit),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
