/* date.c - finding dates among the words of a text. */
#include "memory/search/date.h"

#include <string.h>

#include "base/arena.h"
#include "memory/search/scale.h"

enum { DAY_MS = 24 * 3600 * 1000 };

/* --- Reckoning --------------------------------------------------------------------------- */

/* Days since 1970 and back, by Howard Hinnant's formulas: exact and without the C library's time
 * zone. */
static int64_t days_of(int64_t y, unsigned m, unsigned d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    unsigned yoe = (unsigned)(y - era * 400);
    unsigned doy = (153 * (m + (m > 2 ? -3U : 9U)) + 2) / 5 + d - 1;
    unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + (int64_t)doe - 719468;
}

static Date from_days(int64_t z)
{
    z += 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned doe = (unsigned)(z - era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t y = (int64_t)yoe + era * 400;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;
    unsigned m = mp < 10 ? mp + 3 : mp - 9;
    return (Date){ (uint16_t)(y + (m <= 2)), (uint8_t)m, (uint8_t)(doy - (153 * mp + 2) / 5 + 1) };
}

Date date_of(int64_t at_ms)
{
    int64_t days = at_ms / DAY_MS - (at_ms % DAY_MS < 0);
    /* Years beyond these are no time anybody wrote at. */
    if (days < -700000 || days > 20000000)
        return (Date){ 0 };
    return from_days(days);
}

static Date days_later(Date from, int64_t days)
{
    return from_days(days_of(from.year, from.month, from.day) + days);
}

static Date months_later(Date from, int64_t months)
{
    int64_t all = (int64_t)from.year * 12 + from.month - 1 + months;
    return (Date){ (uint16_t)(all / 12), (uint8_t)(all % 12 + 1), 0 };
}

/* 0 is Sunday. */
static int64_t weekday(Date d)
{
    int64_t z = days_of(d.year, d.month, d.day);
    return ((z + 4) % 7 + 7) % 7;
}

/* --- Words ------------------------------------------------------------------------------- */

/* Most words differ from most names in the first letter, and every word of a pad is looked at. */
static bool is_word(Str word, const char *name)
{
    return word.n && word.p[0] == name[0] && str_eq(word, str(name));
}

/* The number of the name that the word is, or begins with if it has at least three letters and is
 * one of its usual short forms. */
static int name_of(Str word, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (is_word(word, names[i]) || (word.n >= 3 && word.n <= 4 && word.p[0] == names[i][0] &&
                                        str_starts(str(names[i]), word)))
            return i;
    return -1;
}

static unsigned month_of(Str word)
{
    static const char *const names[] = { "january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december" };
    return word.n < 3 ? 0 : (unsigned)(name_of(word, names, 12) + 1);
}

static int day_name(Str word)
{
    static const char *const names[] = { "sunday",   "monday", "tuesday", "wednesday",
                                         "thursday", "friday", "saturday" };
    return word.n < 6 ? -1 : name_of(word, names, 7);
}

static unsigned number_of(Str word)
{
    static const char *const names[] = { "zero", "one",    "two",   "three", "four",
                                         "five", "six",    "seven", "eight", "nine",
                                         "ten",  "eleven", "twelve" };
    unsigned n = 0;
    size_t i = 0;
    for (; i < word.n && i < 4 && word.p[i] >= '0' && word.p[i] <= '9'; i++)
        n = n * 10 + (unsigned)(word.p[i] - '0');
    if (i && i == word.n)
        return n;
    if (str_eq(word, S("a")) || str_eq(word, S("an")))
        return 1;
    if (str_eq(word, S("couple")))
        return 2;
    if (str_eq(word, S("few")))
        return 3;
    for (unsigned k = 1; k < COUNT_OF(names); k++)
        if (is_word(word, names[k]))
            return k;
    return 0;
}

static bool is_digits(Str word, size_t n)
{
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] < '0' || word.p[i] > '9')
            return false;
    return word.n == n;
}

static unsigned year_of(Str word)
{
    unsigned y = is_digits(word, 4) ? number_of(word) : 0;
    return y >= 1900 && y < 2100 ? y : 0;
}

static unsigned day_of(Str word)
{
    unsigned d =
        word.n <= 2 && word.n && word.p[0] >= '0' && word.p[0] <= '9' ? number_of(word) : 0;
    return d <= 31 ? d : 0;
}

/* --- Finding ----------------------------------------------------------------------------- */

typedef struct Look {
    const Str *words;
    size_t n, at;
    Date from;
    Dates *out;
} Look;

static Str word_at(const Look *l, size_t at)
{
    return at < l->n ? l->words[at] : (Str){ 0 };
}

static void add(Look *l, Date d)
{
    Dates *out = l->out;
    out->time = true;
    if (d.year > 2200 || (d.year == 0 && d.month == 0))
        return;
    for (size_t i = 0; i < out->n; i++)
        if (memcmp(&out->items[i], &d, sizeof d) == 0)
            return;
    if (out->n < DATES_MAX)
        out->items[out->n++] = d;
}

/* The word behind a number may be what a cutter made of its ending. */
static size_t skip_ending(const Look *l, size_t at)
{
    Str w = word_at(l, at);
    return str_eq(w, S("st")) || str_eq(w, S("nd")) || str_eq(w, S("rd")) || str_eq(w, S("th"))
               ? at + 1
               : at;
}

/* "8 May 2023", "May 8th, 2023", "May 2023", "May". */
static bool find_month(Look *l)
{
    unsigned m = month_of(l->words[l->at]), day = 0;
    bool ambiguous = str_eq(l->words[l->at], S("may")) || str_eq(l->words[l->at], S("march")) ||
                     l->words[l->at].n == 3;
    if (!m)
        return false;
    size_t next = l->at + 1;
    if (l->at) {
        size_t before = l->at - 1;
        if (before && str_eq(l->words[before], S("of")))
            before--;
        if (before && skip_ending(l, before) == before + 1)
            before--;
        day = day_of(l->words[before]);
    }
    if (!day && (day = day_of(word_at(l, next))))
        next = skip_ending(l, next + 1);
    unsigned year = year_of(word_at(l, next));
    if (!day && !year && ambiguous &&
        !(l->at &&
          (str_eq(l->words[l->at - 1], S("in")) || str_eq(l->words[l->at - 1], S("last")) ||
           str_eq(l->words[l->at - 1], S("next")) || str_eq(l->words[l->at - 1], S("of")))))
        return false;
    if (!year && l->from.year) { /* the nearest one that is not far ahead */
        year = l->from.year;
        year -= m > (unsigned)l->from.month + 6;
    }
    add(l, (Date){ (uint16_t)year, (uint8_t)m, (uint8_t)day });
    l->at = year_of(word_at(l, next)) ? next : next - 1;
    return true;
}

/* 2023-05-08 and 2023/05/08 are three words by now. */
static bool find_numbers(Look *l)
{
    unsigned year = year_of(l->words[l->at]);
    if (!year)
        return false;
    Str month = word_at(l, l->at + 1), day = word_at(l, l->at + 2);
    bool iso = is_digits(month, 2) && is_digits(day, 2) && day_of(month) <= 12;
    add(l, (Date){ (uint16_t)year, (uint8_t)(iso ? day_of(month) : 0),
                   (uint8_t)(iso ? day_of(day) : 0) });
    l->at += iso ? 2 : 0;
    return true;
}

static bool add_unit(Look *l, Str unit, int64_t n)
{
    if (str_starts(unit, S("day")))
        add(l, days_later(l->from, n));
    else if (str_starts(unit, S("week")) && !str_starts(unit, S("weekend")))
        add(l, days_later(l->from, 7 * n));
    else if (str_starts(unit, S("month")))
        add(l, months_later(l->from, n));
    else if (str_starts(unit, S("year")))
        add(l, (Date){ (uint16_t)(l->from.year + n), 0, 0 });
    else
        return false;
    return true;
}

/* "last week", "next Friday", "two weeks ago", "yesterday". */
static bool find_relative(Look *l)
{
    Str w = l->words[l->at], next = word_at(l, l->at + 1);
    if (str_eq(w, S("yesterday")) || str_eq(w, S("today")) || str_eq(w, S("tomorrow")) ||
        str_eq(w, S("tonight"))) {
        add(l, days_later(l->from, w.p[0] == 'y' ? -1 : str_eq(w, S("tomorrow"))));
        return true;
    }
    bool last = str_eq(w, S("last")), coming = str_eq(w, S("next"));
    if ((last || coming || str_eq(w, S("this"))) && add_unit(l, next, coming - last))
        return true;
    int day = last || coming ? day_name(next) : -1;
    if (day >= 0) {
        int64_t ahead = (day - weekday(l->from) + 7) % 7;
        add(l, days_later(l->from, coming ? (ahead ? ahead : 7) : ahead - 7));
        return true;
    }
    if (last && str_starts(next, S("weekend"))) {
        add(l, days_later(l->from, -1 - weekday(l->from)));
        return true;
    }
    size_t unit = l->at + 1 + str_eq(next, S("of"));
    if (!str_eq(word_at(l, unit + 1), S("ago"))) /* looked at first: nearly no word is a number */
        return false;
    unsigned n = number_of(w);
    return n && add_unit(l, word_at(l, unit), -(int64_t)n);
}

static bool speaks_of_time(Str w)
{
    static const char *const words[] = {
        "ago",     "am",    "day",  "days", "evening", "hour",    "hours", "month", "months",
        "morning", "night", "noon", "pm",   "week",    "weekend", "weeks", "year",  "years"
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (is_word(w, words[i]))
            return true;
    return day_name(w) >= 0;
}

bool date_hint(Str word)
{
    static const char *const units[] = { "day", "week", "month", "year" };
    static const char *const days[] = { "ago", "yesterday", "today", "tomorrow", "tonight" };
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (str_starts(word, str(units[i])))
            return true;
    for (size_t i = 0; i < COUNT_OF(days); i++)
        if (is_word(word, days[i]))
            return true;
    return month_of(word) || year_of(word) || speaks_of_time(word);
}

void dates_find(const Str *words, size_t n, Date from, Dates *out)
{
    Look l = { .words = words, .n = n, .from = from, .out = out };
    *out = (Dates){ 0 };
    for (; l.at < n; l.at++) {
        if (find_month(&l) || find_numbers(&l))
            continue;
        if (from.year && find_relative(&l))
            continue;
        out->time = out->time || speaks_of_time(words[l.at]);
    }
}

uint32_t date_fit(Date asked, Date there)
{
    if (asked.year && there.year && asked.year != there.year)
        return 0;
    if (!asked.month)
        return asked.year && there.year ? ONE / 2 : 0;
    if (asked.month != there.month)
        return 0;
    if (!asked.day)
        return ONE * 4 / 5;
    return asked.day == there.day ? ONE : ONE * 2 / 5;
}
