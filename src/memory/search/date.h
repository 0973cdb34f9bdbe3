/* date.h - days, months and years that a text speaks of.
 *
 * "8 May 2023", "May 8th", "2023-05-08", "in 2022"; and what is said from a day on: "yesterday",
 * "last Friday", "two weeks ago", "next month".  A day of the week and a number alone are no
 * date: they say too little. */
#ifndef MEMORY_SEARCH_DATE_H
#define MEMORY_SEARCH_DATE_H

#include "base/str.h"

enum { DATES_MAX = 8 };

/* 0 stands for what is not said. */
typedef struct Date {
    uint16_t year;
    uint8_t month, day; /* from 1 on */
} Date;

typedef struct Dates {
    Date items[DATES_MAX];
    size_t n;
    bool time; /* a day, a time of the day or a span is spoken of at all */
} Dates;

/* The day of a time, in UTC. */
Date date_of(int64_t at_ms);

/* The dates of a text, each once, the first DATES_MAX.  What is said from a day on is reckoned
 * from `from`; a `from` of {0} leaves it out.  `words` are the text's, folded, in order. */
void dates_find(const Str *words, size_t n, Date from, Dates *out);

/* May this word be part of a date, or of what else dates_find looks for?  Of a text without any
 * such word it finds nothing. */
bool date_hint(Str word);

/* How well a date fits what is asked for, in ONE: the same day 1, the month .8, another day of the
 * month .4, the year .5. */
uint32_t date_fit(Date asked, Date there);

#endif
