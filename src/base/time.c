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

bool time_parse(Str s, int64_t *ms)
{
    bool fraction = s.n == 24;
    if (!fraction && s.n != 20)
        return false;
    static const struct {
        size_t at;
        char c;
    } marks[] = { { 4, '-' }, { 7, '-' }, { 10, 'T' }, { 13, ':' }, { 16, ':' } };
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (s.p[marks[i].at] != marks[i].c)
            return false;
    if (s.p[s.n - 1] != 'Z' || (fraction && s.p[19] != '.'))
        return false;
    int year = digits(s, 0, 4, 9999), month = digits(s, 5, 2, 12), day = digits(s, 8, 2, 31);
    int hour = digits(s, 11, 2, 23), minute = digits(s, 14, 2, 59), second = digits(s, 17, 2, 59);
    int left = fraction ? digits(s, 20, 3, 999) : 0;
    if (year < 0 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0 || left < 0)
        return false;
    struct tm t = { .tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second };
    time_t at = timegm(&t);
    if (t.tm_mday != day)
        return false; /* 31 February was turned into March */
    *ms = (int64_t)at * 1000 + left;
    return true;
}
