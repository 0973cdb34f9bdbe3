/* pad.c - pads and texts to measure with. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "bench/bench.h"

/* --- Texts ----------------------------------------------------------------------------- */

Text text_new(size_t n)
{
    static const char words[] = "the quick brown fox jumps over the lazy dog and \"rests\".\n";
    Text t = { .p = mem_alloc(n + 1), .n = n };
    for (size_t i = 0; i < n; i++)
        t.p[i] = words[i % (sizeof words - 1)];
    return t;
}

Str text_next(Text *t)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)++t->turn);
    size_t n = t->n < 16 ? t->n : 16;
    memcpy(t->p, digits + 16 - n, n);
    if (t->n >= 64) /* not only at the start: a page further on changes too */
        memcpy(t->p + t->n / 2, digits, 16);
    return (Str){ t->p, t->n };
}

void text_free(Text *t)
{
    free(t->p);
    *t = (Text){ 0 };
}

/* --- Pads ------------------------------------------------------------------------------ */

Store *pad_open_in(const char *dir, const char *engine, const char *name)
{
    AUTO(Arena) arena = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    Str url = arena_printf(&arena, "%s:%s", engine, url_encode(&arena, path, true).p);
    Store *s = NULL;
    Err e = { 0 };
    jot_status st = store_open(&s, url, &(StoreOptions){ .create = true }, &e);
    if (st == JOT_UNSUPPORTED)
        return NULL;
    must_ok(st, &e, "open a pad");
    return s;
}

static void append(Store *s, Str stream, Op op, Str body)
{
    Mark mark;
    Err e = { 0 };
    Draft d = { .op = op, .by = S("bench"), .body = body };
    must_ok(store_append(s, stream, NULL, &d, &mark, &e), &e, "append");
}

void pad_put(Store *s, Str stream, Str body)
{
    append(s, stream, OP_PUT, body);
}

void pad_add(Store *s, Str stream, Str body)
{
    append(s, stream, OP_APPEND, body);
}

Str note_name(NoteName *name, uint64_t n)
{
    snprintf(name->text, sizeof name->text, "notes/n%08llu", (unsigned long long)n);
    return str(name->text);
}

double pad_fill(Store *s, uint64_t notes, bool progress)
{
    Text text = text_new(200);
    double begin = now_us(), told = begin;
    for (uint64_t i = 0; i < notes; i++) {
        NoteName name;
        pad_put(s, note_name(&name, i), text_next(&text));
        if (progress && now_us() - told > 2e6) {
            told = now_us();
            fprintf(stderr, "filled %llu of %llu streams\n", (unsigned long long)i,
                    (unsigned long long)notes);
        }
    }
    text_free(&text);
    return (double)notes / ((now_us() - begin) / 1e6);
}

/* --- Directories ----------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

void remove_tree(const char *path)
{
    /* 64: directories held open at a time, more than any pad here is deep. */
    if (nftw(path, remove_one, 64, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        fprintf(stderr, "could not remove '%s'\n", path);
}

static uint64_t bytes_seen;

static int add_bytes(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    if (kind == FTW_F)
        bytes_seen += (uint64_t)info->st_size;
    return 0;
}

uint64_t tree_bytes(const char *path)
{
    bytes_seen = 0; /* nftw passes no context */
    must(nftw(path, add_bytes, 64, FTW_PHYS) == 0, "walk over a pad");
    return bytes_seen;
}
