/* str.c - borrowed runs of bytes: compare, find, cut, read a number. */
#include "base/str.h"

#include <assert.h>
#include <string.h>

Str str(const char *text)
{
    return text ? (Str){ text, strlen(text) } : (Str){ 0 };
}

int str_cmp(Str a, Str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    if (order != 0)
        return order;
    return (a.n > b.n) - (a.n < b.n);
}

bool str_starts(Str s, Str prefix)
{
    return s.n >= prefix.n && str_eq((Str){ s.p, prefix.n }, prefix);
}

bool str_ends(Str s, Str suffix)
{
    return s.n >= suffix.n && str_eq(str_from(s, s.n - suffix.n), suffix);
}

size_t str_find(Str s, char c)
{
    const char *at = s.n ? memchr(s.p, c, s.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

size_t str_find_last(Str s, char c)
{
    const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

Str str_base_name(Str path)
{
    size_t slash = str_find_last(path, '/');
    return slash == path.n ? path : str_from(path, slash + 1);
}

Str str_dir_name(Str path)
{
    size_t slash = str_find_last(path, '/');
    if (slash == path.n)
        return S(".");
    return str_slice(path, 0, slash ? slash : 1);
}

Str str_from(Str s, size_t from)
{
    return str_slice(s, from, s.n);
}

Str str_slice(Str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    if (!s.p)
        return (Str){ 0 };
    return (Str){ s.p + from, to - from };
}

bool str_cut(Str *rest, char sep, Str *head)
{
    assert(rest && head);
    size_t at = str_find(*rest, sep);
    if (at == rest->n)
        return false;
    *head = str_slice(*rest, 0, at);
    *rest = str_from(*rest, at + 1);
    return true;
}

bool str_to_u64(Str s, uint64_t max, uint64_t *out)
{
    if (s.n == 0 || (s.n > 1 && s.p[0] == '0'))
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (value > max)
        return false;
    *out = value;
    return true;
}

bool str_to_i64(Str s, int64_t min, int64_t max, int64_t *out)
{
    bool negative = s.n > 0 && s.p[0] == '-';
    uint64_t magnitude = 0;
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (!str_to_u64(negative ? str_from(s, 1) : s, limit, &magnitude))
        return false;
    if (negative && magnitude == 0)
        return false; /* "-0" is not a number anybody writes on purpose */
    int64_t value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t str_skip_space(Str s, size_t at)
{
    while (at < s.n && str_is_space(s.p[at]))
        at++;
    return at;
}

Str str_trim(Str s)
{
    while (s.n && str_is_space(s.p[0]))
        s = str_from(s, 1);
    while (s.n && str_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

size_t str_count_lines(Str s)
{
    size_t n = s.n && s.p[s.n - 1] != '\n';
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

static bool has_line(Str text, Str start)
{
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at);
        if (str_starts(rest, start))
            return true;
        at += str_find(rest, '\n') + 1;
    }
    return false;
}

bool str_has_marks(Str text)
{
    return has_line(text, S("<<<<<<< ")) && has_line(text, S(">>>>>>> "));
}
