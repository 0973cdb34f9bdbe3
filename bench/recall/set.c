/* set.c - reading a folder of rows and questions. */
#include "bench/recall/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "bench/bench.h"

/* --- Times ------------------------------------------------------------------------------- */

static int month_of(const char *name)
{
    static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec" };
    for (int i = 0; i < (int)COUNT_OF(months); i++)
        if (strncasecmp(name, months[i], 3) == 0)
            return i;
    return -1;
}

static int64_t utc_ms(int year, int month, int day, int minutes)
{
    struct tm t = { .tm_year = year - 1900, .tm_mon = month, .tm_mday = day, .tm_min = minutes };
    return (int64_t)timegm(&t) * 1000;
}

int64_t set_time(Str text)
{
    char line[64] = "", half[3] = "", name[16] = "";
    int hour, minute, day, year, month;
    int64_t ms;
    if (time_parse_any(text, &ms))
        return ms;
    if (text.n >= sizeof line)
        return 0;
    memcpy(line, text.p, text.n);
    if (sscanf(line, "%d:%d %2s on %d %15[A-Za-z], %d", &hour, &minute, half, &day, name, &year) ==
            6 &&
        month_of(name) >= 0)
        return utc_ms(year, month_of(name), day,
                      (hour % 12 + (half[0] == 'p' ? 12 : 0)) * 60 + minute);
    if (sscanf(line, "%4d-%2d-%2d", &year, &month, &day) == 3)
        return utc_ms(year, month - 1, day, 9 * 60);
    return 0;
}

/* --- Lines ------------------------------------------------------------------------------- */

static FILE *open_in(const char *folder, const char *name)
{
    AUTO(Arena) arena = { 0 };
    FILE *f = fopen(arena_printf(&arena, "%s/%s", folder, name).p, "re");
    if (!f)
        die("%s/%s cannot be read", folder, name);
    return f;
}

static json_t *next_line(FILE *f, const char *what)
{
    char *line = NULL;
    size_t cap = 0;
    json_t *value = NULL;
    ssize_t n = getline(&line, &cap, f);
    if (n > 0 && json_read((Str){ line, (size_t)n }, &value, NULL) != JOT_OK)
        die("a line of %s is no JSON", what);
    free(line);
    return value;
}

static Str text_of(Set *s, const json_t *object, const char *key)
{
    return arena_copy(&s->arena, json_str(json_object_get(object, key)));
}

static void read_rows(Set *s, const char *folder)
{
    FILE *f = open_in(folder, "corpus.jsonl");
    for (json_t *line; (line = next_line(f, "corpus.jsonl")); json_decref(line)) {
        s->rows =
            arena_grow(&s->arena, s->rows, s->rows_n, &s->rows_cap, sizeof(Row), alignof(Row));
        s->rows[s->rows_n++] = (Row){ .cid = text_of(s, line, "cid"),
                                      .id = text_of(s, line, "id"),
                                      .session = text_of(s, line, "session"),
                                      .speaker = text_of(s, line, "speaker"),
                                      .text = text_of(s, line, "text"),
                                      .at_ms = set_time(json_str(json_object_get(line, "time"))),
                                      .seq = json_integer_value(json_object_get(line, "seq")) };
    }
    fclose(f);
    for (size_t i = 1; i < s->rows_n && s->rows[0].at_ms; i++)
        if (str_eq(s->rows[i].cid, s->rows[i - 1].cid) && s->rows[i].seq == s->rows[i - 1].seq)
            s->kind = ROW_NOTE;
    if (s->rows_n && !s->rows[0].at_ms)
        s->kind = ROW_ARTIFACT;
}

static size_t row_of(const Set *s, Str cid, Str id)
{
    for (size_t i = 0; i < s->rows_n; i++)
        if (str_eq(s->rows[i].id, id) && str_eq(s->rows[i].cid, cid))
            return i;
    die("%s: a question names a row that is not there", s->name);
}

static void read_question(Set *s, const json_t *line)
{
    const json_t *gold = json_object_get(line, "gold"), *before = json_object_get(line, "before");
    Question q = { .cid = text_of(s, line, "cid"),
                   .qid = text_of(s, line, "qid"),
                   .text = text_of(s, line, "text"),
                   .cat = text_of(s, line, "cat"),
                   .before = json_is_integer(before) ? json_integer_value(before) : INT64_MAX,
                   .gold_n = json_array_size(gold) };
    if (q.gold_n == 0)
        return;
    q.gold = NEW_ARRAY(&s->arena, size_t, q.gold_n);
    for (size_t i = 0; i < q.gold_n; i++)
        q.gold[i] = row_of(s, q.cid, json_str(json_array_get(gold, i)));
    for (size_t i = 0; i < json_array_size(s->exclude); i++)
        q.apart = q.apart || str_eq(q.cat, json_str(json_array_get(s->exclude, i)));
    s->questions = arena_grow(&s->arena, s->questions, s->questions_n, &s->questions_cap,
                              sizeof(Question), alignof(Question));
    s->questions[s->questions_n++] = q;
}

static int by_time(const void *a, const void *b)
{
    const Question *x = a, *y = b;
    int order = str_cmp(x->cid, y->cid);
    if (order == 0)
        order = (x->before > y->before) - (x->before < y->before);
    return order ? order : str_cmp(x->qid, y->qid);
}

void set_read(Set *s, const char *folder)
{
    *s = (Set){ .name = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder };
    FILE *f = open_in(folder, "meta.json");
    char text[4096];
    json_t *meta = NULL;
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    if (json_read((Str){ text, n }, &meta, NULL) != JOT_OK)
        die("%s/meta.json is no JSON", folder);
    s->exclude = json_incref(json_object_get(meta, "exclude"));
    json_decref(meta);
    read_rows(s, folder);
    f = open_in(folder, "queries.jsonl");
    for (json_t *line; (line = next_line(f, "queries.jsonl")); json_decref(line))
        read_question(s, line);
    fclose(f);
    if (s->questions_n)
        qsort(s->questions, s->questions_n, sizeof(Question), by_time);
}

void set_free(Set *s)
{
    json_decref(s->exclude);
    arena_free(&s->arena);
}
