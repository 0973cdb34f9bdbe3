/* time.c - moments as text, in UTC, without the C library's hidden state. */
#include "base/time.h"

#include <stdio.h>
#include <time.h>

static struct tm split(int64_t ms)
{
    struct tm t = { 0 };
    time_t s = (time_t)(ms / 1000 - (ms % 1000 < 0)); /* rounded down, also before 1970 */
    gmtime_r(&s, &t);
    return t;
}

TimeText time_text(int64_t ms)
{
    struct tm t = split(ms);
    TimeText out;
    int left = (int)(((ms % 1000) + 1000) % 1000);
    snprintf(out.text, sizeof out.text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", t.tm_year + 1900,
             t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, left);
    return out;
}

int64_t time_steady_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

TimeText time_stamp(int64_t ms)
{
    struct tm t = split(ms);
    TimeText out;
    snprintf(out.text, sizeof out.text, "%04d%02d%02d-%02d%02d%02d", t.tm_year + 1900, t.tm_mon + 1,
             t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
    return out;
}

/* `count` digits at `at`, within [0, max]; -1 if they are not that. */
static int digits(Str s, size_t at, size_t count, int max)
{
    int value = 0;
    if (at + count > s.n)
        return -1;
    for (size_t i = at; i < at + count; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return -1;
        value = value * 10 + (s.p[i] - '0');
    }
    return value <= max ? value : -1;
}

/* A day and a time of it. */
typedef struct Moment {
    int year, month, day, hour, minute, second;
} Moment;

/* The first 19 characters: YYYY-MM-DD, something between, hh:mm:ss. */
static bool read_moment(Str s, Moment *out)
{
    static const struct {
        size_t at;
        char c;
    } marks[] = { { 4, '-' }, { 7, '-' }, { 13, ':' }, { 16, ':' } };
    if (s.n < 19)
        return false;
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (s.p[marks[i].at] != marks[i].c)
            return false;
    *out = (Moment){ digits(s, 0, 4, 9999), digits(s, 5, 2, 12),  digits(s, 8, 2, 31),
                     digits(s, 11, 2, 23),  digits(s, 14, 2, 59), digits(s, 17, 2, 59) };
    return out->year >= 0 && out->month >= 1 && out->day >= 1 && out->hour >= 0 &&
           out->minute >= 0 && out->second >= 0;
}

static bool seconds_of(const Moment *m, int64_t *out)
{
    struct tm t = { .tm_year = m->year - 1900,
                    .tm_mon = m->month - 1,
                    .tm_mday = m->day,
                    .tm_hour = m->hour,
                    .tm_min = m->minute,
                    .tm_sec = m->second };
    *out = (int64_t)timegm(&t);
    return t.tm_mday == m->day; /* 31 February would be turned into March */
}

bool time_parse(Str s, int64_t *ms)
{
    Moment m;
    int64_t seconds;
    bool fraction = s.n == 24;
    if ((!fraction && s.n != 20) || s.p[10] != 'T' || s.p[s.n - 1] != 'Z' ||
        (fraction && s.p[19] != '.'))
        return false;
    int left = fraction ? digits(s, 20, 3, 999) : 0;
    if (left < 0 || !read_moment(s, &m) || !seconds_of(&m, &seconds))
        return false;
    *ms = seconds * 1000 + left;
    return true;
}

/* The milliseconds of a fraction at *at, which moves past it. */
static int64_t read_fraction(Str s, size_t *at)
{
    int64_t ms = 0, unit = 100;
    if (*at >= s.n || (s.p[*at] != '.' && s.p[*at] != ','))
        return 0;
    for (++*at; *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9'; ++*at) {
        ms += (s.p[*at] - '0') * unit;
        unit /= 10;
    }
    return ms;
}

/* Minutes east of UTC. */
static bool read_zone(Str s, int *out)
{
    *out = 0;
    if (s.n == 0 || str_eq(s, S("Z")) || str_eq(s, S("z")))
        return true;
    size_t minutes = s.n == 6 && s.p[3] == ':' ? 4 : 3;
    if ((s.p[0] != '+' && s.p[0] != '-') || (s.n != 3 && s.n != 5 && s.n != 6))
        return false;
    int h = digits(s, 1, 2, 23), m = s.n == 3 ? 0 : digits(s, minutes, 2, 59);
    *out = (s.p[0] == '-' ? -1 : 1) * (h * 60 + m);
    return h >= 0 && m >= 0 && (s.n != 6 || minutes == 4);
}

bool time_parse_any(Str s, int64_t *ms)
{
    Moment m;
    int64_t seconds;
    int zone;
    size_t at = 19;
    if (!read_moment(s, &m)) {
        /* Seconds since 1970, as in 1769885100.123. */
        uint64_t whole;
        size_t dot = str_find(s, '.');
        const uint64_t year_9999 = UINT64_C(253402300799);
        if (!str_to_u64(str_slice(s, 0, dot), year_9999, &whole))
            return false;
        *ms = (int64_t)whole * 1000 + read_fraction(s, &dot);
        return dot == s.n;
    }
    int64_t left = read_fraction(s, &at);
    bool apart = s.p[10] == 'T' || s.p[10] == 't' || s.p[10] == ' ';
    if (!apart || !read_zone(str_from(s, at), &zone) || !seconds_of(&m, &seconds))
        return false;
    *ms = (seconds - (int64_t)zone * 60) * 1000 + left;
    return true;
}
