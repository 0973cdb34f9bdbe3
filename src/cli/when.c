/* when.c - moments, as people type and read them. */
#include "cli/when.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

enum { DAY_S = 86400, WEEK_S = 7 * DAY_S };

/* The first or the last moment of a day, `back` days before that of `tm`. */
static int64_t moment_of_day(const struct tm *day, int back, bool end)
{
    struct tm tm = { .tm_year = day->tm_year,
                     .tm_mon = day->tm_mon,
                     .tm_mday = day->tm_mday - back + end,
                     .tm_isdst = -1 };
    return (int64_t)mktime(&tm) * 1000 - end;
}

/* How many days ago the last such weekday was, 1 to 7; 0: it is none. */
static int days_since(Str word, int today)
{
    static const char *const days[] = { "sunday",   "monday", "tuesday", "wednesday",
                                        "thursday", "friday", "saturday" };
    for (int i = 0; i < (int)COUNT_OF(days); i++)
        if (str_eq(word, str(days[i])) || str_eq(word, (Str){ days[i], 3 }))
            return (today - i + 6) % 7 + 1;
    return 0;
}

static bool read_word(Str text, bool end, int64_t now_ms, int64_t *out)
{
    time_t now = (time_t)(now_ms / 1000);
    struct tm here;
    int days;
    if (!localtime_r(&now, &here))
        return false;
    if (str_eq(text, S("now")))
        *out = now_ms;
    else if (str_eq(text, S("today")))
        *out = moment_of_day(&here, 0, end);
    else if (str_eq(text, S("yesterday")))
        *out = moment_of_day(&here, 1, end);
    else if ((days = days_since(text, here.tm_wday)) > 0)
        *out = moment_of_day(&here, days, end);
    else
        return false;
    return true;
}

static bool read_ago(Str text, int64_t now_ms, int64_t *out)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {
        { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, { 'w', 604800000 },
    };
    int64_t n;
    for (size_t i = 0; text.n && i < COUNT_OF(units); i++)
        if (text.p[text.n - 1] == units[i].unit &&
            str_to_i64(str_slice(text, 0, text.n - 1), 0, 100000, &n)) {
            *out = now_ms - n * units[i].ms;
            return true;
        }
    return false;
}

/* 2026-01-31, here. */
static bool read_day(Str text, bool end, int64_t *out)
{
    char whole[40];
    int64_t utc;
    if (text.n != 10)
        return false;
    snprintf(whole, sizeof whole, STR_FMT "T00:00:00Z", STR_ARG(text));
    if (!time_parse(str(whole), &utc))
        return false;
    time_t s = (time_t)(utc / 1000);
    struct tm day;
    if (!gmtime_r(&s, &day))
        return false;
    *out = moment_of_day(&day, 0, end);
    return true;
}

bool when_read(Str text, bool end_of_day, int64_t *out)
{
    int64_t now_ms = io_wall_ms(&io_system);
    return read_word(text, end_of_day, now_ms, out) || read_ago(text, now_ms, out) ||
           read_day(text, end_of_day, out) ||
           (text.n > 10 && str_find(text, 'T') == 10 && time_parse_any(text, out));
}

void when_say(const Session *s, const char *text, int64_t at_ms)
{
    char here_text[64];
    Shown shown;
    struct tm here;
    time_t at = (time_t)(at_ms / 1000);
    bool exact = str_find(str(text), 'T') == 10;
    if (s->json || exact || isatty(STDERR_FILENO) != 1 || !localtime_r(&at, &here) ||
        strftime(here_text, sizeof here_text, "%a %Y-%m-%d %H:%M:%S %Z", &here) == 0)
        return;
    say("'%s' is %s", err_show(&shown, str(text)), here_text);
}

jot_status opt_time(Session *s, const char *name, bool end_of_day, int64_t *out)
{
    const char *text = opt_text(s, name);
    Shown shown;
    *out = 0;
    if (!text)
        return JOT_OK;
    if (when_read(str(text), end_of_day, out)) {
        when_say(s, text, *out);
        return JOT_OK;
    }
    return err_set(&s->err, JOT_INVALID,
                   "--%s '%s': use 2026-01-31, 2026-01-31T18:45:00Z, yesterday, monday, or how "
                   "long ago: 30m, 12h, 7d, 2w",
                   name, err_show(&shown, str(text)));
}

json_t *when_for_person(const Session *s, const json_t *item)
{
    int64_t at_ms;
    json_t *copy = json_copy((json_t *)(uintptr_t)item);
    if (time_parse(json_str(json_object_get(item, "at")), &at_ms))
        json_object_set_new(copy, "at", json_string(when_shown(s, at_ms).text));
    return copy;
}

WhenText when_shown(const Session *s, int64_t at_ms)
{
    WhenText out;
    int64_t ago = (io_wall_ms(&io_system) - at_ms) / 1000;
    time_t at = (time_t)(at_ms / 1000);
    struct tm here;
    if (opt_given(s, "utc") || isatty(STDOUT_FILENO) != 1 || !localtime_r(&at, &here))
        snprintf(out.text, sizeof out.text, "%s", time_text(at_ms).text);
    else if (ago >= 0 && ago < 60)
        snprintf(out.text, sizeof out.text, "%lld s ago", (long long)ago);
    else if (ago >= 0 && ago < 3600)
        snprintf(out.text, sizeof out.text, "%lld min ago", (long long)ago / 60);
    else if (ago >= 0 && ago < DAY_S)
        snprintf(out.text, sizeof out.text, "%lld h ago", (long long)ago / 3600);
    else if (ago >= 0 && ago < WEEK_S)
        snprintf(out.text, sizeof out.text, "%lld d ago", (long long)ago / DAY_S);
    else if (strftime(out.text, sizeof out.text, "%Y-%m-%d %H:%M", &here) == 0)
        out.text[0] = '\0';
    return out;
}
