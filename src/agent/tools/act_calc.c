/* act_calc.c - arithmetic, done by a machine that can.
 *
 * Whole numbers are 64 bits and exact, also when they are compared; a result that does
 * not fit, or is no whole number, is a double of 15 digits; the answer says "(rounded)"
 * wherever digits of a whole number were lost to that, on the way or in what is shown,
 * not for a fraction like 1/3.  There is no infinity and no "not a
 * number": what would give one is an error that says why.
 *
 *     sum      product { (+|-) product }
 *     product  sign { (*|/|%) sign }
 *     sign     (-|+) sign | power
 *     power    value [ (^|**) sign ]            right to left, before a sign: -2^2 is -4
 *     value    number | name | name ( sum {, sum} ) | ( sum )
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/args.h"

enum {
    TEXT_MAX = 2000, /* bytes of an expression */
    DEPTH_MAX = 100, /* of parentheses, signs and powers */
    ARGS_MAX = 32,   /* of a function */
    NUMBER_MAX = 64, /* bytes of a number */
};

typedef struct Number {
    bool whole; /* `n` is it, exactly; else `x` */
    int64_t n;
    double x;
} Number;

typedef struct Calc {
    Str text;
    size_t at;
    int depth;
    bool rounded; /* digits of whole numbers were lost */
    Err *e;
} Calc;

static double real(Number v)
{
    return v.whole ? (double)v.n : v.x;
}

/* The same where it is computed with: a whole number of more than 53 bits may lose digits. */
static double as_real(Calc *c, Number v)
{
    uint64_t size = v.n < 0 ? 0 - (uint64_t)v.n : (uint64_t)v.n;
    if (v.whole && size && size >> __builtin_ctzll(size) >> DBL_MANT_DIG)
        c->rounded = true;
    return real(v);
}

static Number whole(int64_t n)
{
    return (Number){ .whole = true, .n = n };
}

static jot_status set_real(Calc *c, double x, Number *out)
{
    if (isnan(x))
        return err_set(c->e, JOT_INVALID, "the result is not defined");
    if (isinf(x))
        return err_set(c->e, JOT_INVALID, "the result is too large: at most about 1.8e308");
    *out = (Number){ .x = x == 0 ? 0 : x }; /* there is one zero, and it has no sign */
    return JOT_OK;
}

/* <0, 0, >0, exactly: no number is made another one to be compared. */
static int compare(Number a, Number b)
{
    static const double end = 9223372036854775808.0; /* 2^63 */
    if (!a.whole && b.whole)
        return -compare(b, a);
    if (a.whole && b.whole)
        return (a.n > b.n) - (a.n < b.n);
    if (!a.whole)
        return (a.x > b.x) - (a.x < b.x);
    /* A whole number and a double: the whole part of the double is compared as a whole number, for
     * above 2^53 the other would lose digits; where those agree, the fraction decides. */
    if (b.x >= end || b.x < -end)
        return b.x < 0 ? 1 : -1;
    int64_t below = (int64_t)b.x; /* towards zero */
    double rest = b.x - (double)below;
    return a.n != below ? (a.n > below) - (a.n < below) : (rest < 0) - (rest > 0);
}

/* --- Operations ------------------------------------------------------------------------ */

/* A whole result that does not fit is computed again with doubles. */
static jot_status set_wide(Calc *c, double x, Number *out)
{
    c->rounded = true;
    return set_real(c, x, out);
}

static jot_status divide(Calc *c, Number a, Number b, char op, Number *out)
{
    if (real(b) == 0)
        return err_set(c->e, JOT_INVALID, "division by zero");
    if (!a.whole || !b.whole)
        return set_real(
            c, op == '%' ? fmod(as_real(c, a), as_real(c, b)) : as_real(c, a) / as_real(c, b), out);
    if (b.n == -1) { /* INT64_MIN / -1 does not fit, and its remainder traps */
        int64_t n;
        *out = whole(0);
        if (op == '/' && __builtin_sub_overflow(0, a.n, &n))
            return set_wide(c, -real(a), out);
        if (op == '/')
            *out = whole(n);
        return JOT_OK;
    }
    if (op == '%')
        *out = whole(a.n % b.n);
    else if (a.n % b.n == 0)
        *out = whole(a.n / b.n);
    else
        return set_real(c, as_real(c, a) / as_real(c, b), out);
    return JOT_OK;
}

static jot_status combine(Calc *c, Number a, char op, Number b, Number *out)
{
    int64_t n = 0;
    bool lost = !a.whole || !b.whole;
    double x = 0;
    switch (op) {
    case '+':
        lost = lost || __builtin_add_overflow(a.n, b.n, &n);
        x = real(a) + real(b);
        break;
    case '-':
        lost = lost || __builtin_sub_overflow(a.n, b.n, &n);
        x = real(a) - real(b);
        break;
    case '*':
        lost = lost || __builtin_mul_overflow(a.n, b.n, &n);
        x = real(a) * real(b);
        break;
    default:
        return divide(c, a, b, op, out);
    }
    if (lost && a.whole && b.whole)
        return set_wide(c, x, out);
    if (lost) {
        as_real(c, a);
        as_real(c, b);
        return set_real(c, x, out);
    }
    *out = whole(n);
    return JOT_OK;
}

/* By repeated squaring while it fits; the exponent has at most 63 bits, so this ends. */
static bool whole_power(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return false;
        exponent >>= 1;
        if (exponent && __builtin_mul_overflow(base, base, &base))
            return false;
    }
    *out = result;
    return true;
}

/* --- Functions ------------------------------------------------------------------------- */

static double half_up(double x)
{
    return round(x);
}

/* clang-format off */
static const struct Function {
    const char *name;
    double (*of)(double);
    bool integral; /* leaves a whole number as it is, and gives one */
} functions[] = {
    { "sqrt", sqrt, false }, { "cbrt", cbrt, false },  { "exp", exp, false },
    { "ln", log, false },    { "log", log10, false },  { "log10", log10, false },
    { "log2", log2, false }, { "sin", sin, false },    { "cos", cos, false },
    { "tan", tan, false },   { "asin", asin, false },  { "acos", acos, false },
    { "atan", atan, false }, { "floor", floor, true }, { "ceil", ceil, true },
    { "round", half_up, true },
};
static const struct Constant {
    const char *name;
    double x;
} constants[] = { { "pi", 3.14159265358979323846 }, { "e", 2.71828182845904523536 } };
/* clang-format on */

static jot_status apply_one(Calc *c, const struct Function *f, Number v, Number *out)
{
    if (f->integral && v.whole) {
        *out = v;
        return JOT_OK;
    }
    double x = f->of(real(v));
    if (isnan(x) || isinf(x))
        return err_set(c->e, JOT_INVALID, "%s is not defined for %g", f->name, real(v));
    if (f->integral && fabs(x) < 9e15) {
        *out = whole((int64_t)x);
        return JOT_OK;
    }
    double nearest = nearbyint(x);
    bool exact = f->of == sqrt && v.whole && fabs(nearest) < 9e7 && nearest * nearest == real(v);
    if (!exact)
        return set_real(c, x, out);
    *out = whole((int64_t)nearest);
    return JOT_OK;
}

static jot_status apply(Calc *c, Str name, const Number *args, size_t n, Number *out)
{
    Shown shown;
    bool max = str_eq(name, S("max"));
    if (max || str_eq(name, S("min"))) {
        *out = args[0];
        for (size_t i = 1; i < n; i++)
            if (max ? compare(args[i], *out) > 0 : compare(args[i], *out) < 0)
                *out = args[i];
        return JOT_OK;
    }
    if (n != 1)
        return err_set(c->e, JOT_INVALID, "'%s' takes one value, not %zu", err_show(&shown, name),
                       n);
    if (str_eq(name, S("abs"))) {
        *out = args[0];
        return real(args[0]) < 0 ? combine(c, whole(0), '-', args[0], out) : JOT_OK;
    }
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (str_eq(name, str(functions[i].name)))
            return apply_one(c, &functions[i], args[0], out);
    return err_set(c->e, JOT_INVALID,
                   "unknown function '%s': there are abs, min, max, sqrt, cbrt, exp, ln, log, "
                   "log10, log2, sin, cos, tan, asin, acos, atan, floor, ceil, round",
                   err_show(&shown, name));
}

/* --- Reading --------------------------------------------------------------------------- */

static char peek(Calc *c)
{
    while (c->at < c->text.n && strchr(" \t\r\n", c->text.p[c->at]) && c->text.p[c->at])
        c->at++;
    if (c->at == c->text.n)
        return 0;
    return c->text.p[c->at];
}

static bool eat(Calc *c, const char *token)
{
    peek(c);
    if (!str_starts(str_from(c->text, c->at), str(token)))
        return false;
    c->at += strlen(token);
    return true;
}

static jot_status unexpected(Calc *c, const char *want)
{
    Shown shown;
    peek(c);
    if (c->at >= c->text.n)
        return err_set(c->e, JOT_INVALID, "the expression ends where %s should be", want);
    return err_set(c->e, JOT_INVALID, "found '%s' at %zu where %s should be",
                   err_show(&shown, str_slice(c->text, c->at, c->at + 1)), c->at + 1, want);
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

static size_t digits_end(Str s, size_t at)
{
    while (at < s.n && is_digit(s.p[at]))
        at++;
    return at;
}

static jot_status read_number(Calc *c, Number *out)
{
    Str s = c->text;
    size_t from = c->at, end = digits_end(s, from);
    bool fraction = end < s.n && s.p[end] == '.';
    if (fraction)
        end = digits_end(s, end + 1);
    if (end < s.n && (s.p[end] == 'e' || s.p[end] == 'E')) {
        size_t sign = end + 1 < s.n && strchr("+-", s.p[end + 1]) && s.p[end + 1] ? 1 : 0;
        size_t exponent = digits_end(s, end + 1 + sign);
        if (exponent > end + 1 + sign) {
            fraction = true;
            end = exponent;
        }
    }
    Str text = str_slice(s, from, end);
    char copy[NUMBER_MAX + 1] = "";
    int64_t n = 0;
    if (text.n > NUMBER_MAX || (text.n == 1 && text.p[0] == '.'))
        return err_set(c->e, JOT_INVALID, "no number at %zu: use up to %d digits", from + 1,
                       NUMBER_MAX);
    c->at = end;
    bool wide = false;
    for (size_t i = 0; i < text.n && !fraction && !wide; i++)
        wide = __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text.p[i] - '0', &n);
    if (!fraction && !wide) {
        *out = whole(n);
        return JOT_OK;
    }
    memcpy(copy, text.p, text.n);
    c->rounded = c->rounded || wide;
    return set_real(c, strtod(copy, NULL), out);
}

static jot_status read_sum(Calc *c, Number *out);
static jot_status read_sign(Calc *c, Number *out);

static jot_status read_name(Calc *c, Number *out)
{
    size_t from = c->at;
    Number args[ARGS_MAX];
    size_t n = 0;
    Shown shown;
    while (c->at < c->text.n && (is_letter(c->text.p[c->at]) || is_digit(c->text.p[c->at])))
        c->at++;
    Str name = str_slice(c->text, from, c->at);
    if (!eat(c, "(")) {
        for (size_t i = 0; i < COUNT_OF(constants); i++)
            if (str_eq(name, str(constants[i].name)))
                return set_real(c, constants[i].x, out);
        return err_set(c->e, JOT_INVALID, "unknown name '%s': there are pi and e",
                       err_show(&shown, name));
    }
    do {
        if (n == ARGS_MAX)
            return err_set(c->e, JOT_TOO_BIG, "a function takes at most %d values", ARGS_MAX);
        TRY(read_sum(c, &args[n++]));
    } while (eat(c, ","));
    if (!eat(c, ")"))
        return unexpected(c, "')'");
    return apply(c, name, args, n, out);
}

static jot_status read_value(Calc *c, Number *out)
{
    char next = peek(c);
    if (is_digit(next) || next == '.')
        return read_number(c, out);
    if (is_letter(next))
        return read_name(c, out);
    if (!eat(c, "("))
        return unexpected(c, "a number");
    TRY(read_sum(c, out));
    return eat(c, ")") ? JOT_OK : unexpected(c, "')'");
}

static jot_status read_power(Calc *c, Number *out)
{
    Number base, exponent;
    TRY(read_value(c, &base));
    if (!eat(c, "**") && !eat(c, "^")) {
        *out = base;
        return JOT_OK;
    }
    TRY(read_sign(c, &exponent));
    int64_t n;
    if (real(base) == 0 && real(exponent) < 0)
        return err_set(c->e, JOT_INVALID, "division by zero: 0 to a negative power");
    if (real(base) < 0 && floor(real(exponent)) != real(exponent))
        return err_set(c->e, JOT_INVALID, "a negative number has no power that is a fraction");
    if (base.whole && exponent.whole && exponent.n >= 0) {
        if (!whole_power(base.n, exponent.n, &n))
            return set_wide(c, pow(real(base), real(exponent)), out);
        *out = whole(n);
        return JOT_OK;
    }
    return set_real(c, pow(as_real(c, base), as_real(c, exponent)), out);
}

static jot_status read_sign(Calc *c, Number *out)
{
    if (++c->depth > DEPTH_MAX)
        return err_set(c->e, JOT_TOO_BIG, "more than %d levels deep: the limit", DEPTH_MAX);
    if (eat(c, "-")) {
        Number v;
        TRY(read_sign(c, &v));
        TRY(combine(c, whole(0), '-', v, out));
    } else if (eat(c, "+")) {
        TRY(read_sign(c, out));
    } else {
        TRY(read_power(c, out));
    }
    c->depth--;
    return JOT_OK;
}

static jot_status read_product(Calc *c, Number *out)
{
    TRY(read_sign(c, out));
    for (char op; (op = peek(c)) && strchr("*/%", op);) {
        Number right;
        c->at++;
        TRY(read_sign(c, &right));
        TRY(combine(c, *out, op, right, out));
    }
    return JOT_OK;
}

static jot_status read_sum(Calc *c, Number *out)
{
    TRY(read_product(c, out));
    for (char op; (op = peek(c)) && strchr("+-", op);) {
        Number right;
        c->at++;
        TRY(read_product(c, &right));
        TRY(combine(c, *out, op, right, out));
    }
    return JOT_OK;
}

/* True if what is shown of a whole number is not all of it. */
static bool shown_short(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    return floor(x) == x && strtod(text, NULL) != x;
}

static jot_status run(ToolCall *call, ToolReply *out)
{
    Calc c = { .text = arg_text(call, "expression"), .e = call->e };
    Number v;
    TRY(read_sum(&c, &v));
    if (peek(&c) || c.at < c.text.n)
        return unexpected(&c, "an operator or the end");
    const char *mark = !v.whole && (c.rounded || shown_short(v.x)) ? " (rounded)" : "";
    out->text = v.whole ? arena_printf(call->into, "%lld", (long long)v.n)
                        : arena_printf(call->into, "%.15g%s", v.x, mark);
    return JOT_OK;
}

extern const Tool act_calc;
const Tool act_calc = {
    .name = "calc",
    .title = "Calculate",
    .about = "Compute an expression: + - * / % ^, parentheses, sqrt, min, max, round, log, sin and "
             "the like, pi, e. Whole numbers are exact up to 64 bits.",
    .effects = TOOL_READS | TOOL_OUTSIDE | TOOL_IDEMPOTENT,
    .params = PARAMS({ "expression", PARAM_TEXT, .min = 1, .max = TEXT_MAX }),
    .run = run,
};
