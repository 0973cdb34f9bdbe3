/* search_care.c - keeping the index honest: making it again, forgetting, comparing.
 *
 * This is the same index as in search.c, without its patience: who asks for care
 * wants to hear what is wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/search/index.h"

jot_status search_rebuild(Search *s, Err *e)
{
    Index *x = &s->index;
    if (x->path[0])
        TRY(index_reset(x, e));
    else
        index_close(x);
    return index_catch_up(x, e);
}

/* Is there an index file at all?  Whatever is there in its place is none of ours. */
static bool has_file(const Index *x)
{
    struct stat info;
    return x->path[0] && lstat(x->path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Whoever has it open sees that it has lost its name. */
static bool remove_file(const Index *x)
{
    AUTO(Arena) arena = { 0 };
    const char *journal = arena_printf(&arena, "%s-journal", x->path).p;
    return (unlink(journal) == 0 || errno == ENOENT) && unlink(x->path) == 0;
}

jot_status search_forget(Memory *m, Str stream, Err *e)
{
    AUTO_PTR(Search) s = NULL;
    if (stream.n)
        TRY(store_check_name(stream, e));
    TRY(search_open(&s, m, NULL, e));
    Index *x = &s->index;
    if (!has_file(x) || (stream.n && !index_covers(stream)))
        return JOT_OK;
    jot_status st = index_reset(x, e);
    if (st == JOT_OK || x->busy)
        return st;
    /* An index that is gone holds no trace either, and takes no room. */
    index_close(x);
    return remove_file(x) ? JOT_OK : st;
}

/* --- Comparing --------------------------------------------------------------------------- */

typedef struct Compare {
    Index *x;
    void (*tell)(void *ctx, Str stream, const char *what);
    void *ctx;
    SearchCheck *out;
    uint64_t expected; /* rows the pad should have */
    Err *e;
} Compare;

static void tell(Compare *c, Str stream, const char *what)
{
    c->out->problems++;
    if (c->tell)
        c->tell(c->ctx, stream, what);
}

/* The record a row stands for, or JOT_NOT_FOUND. */
static jot_status read_row(const Compare *c, Str stream, uint64_t seq, Arena *into, Record *out)
{
    Store *store = c->x->m->store;
    if (!str_starts(stream, S("runs/")))
        return store_head(store, stream, HEAD_RECORD, into, out, NULL);
    Records one;
    TRY(store_read(store, stream, seq, 1, into, &one, NULL));
    if (one.n == 0 || one.items[0].mark.seq != seq)
        return JOT_NOT_FOUND;
    *out = one.items[0];
    return JOT_OK;
}

static void compare_row(Compare *c, sqlite3_stmt *q)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    Str stream = arena_copy(&arena, column_str(q, 0)), label;
    uint64_t seq = (uint64_t)sqlite3_column_int64(q, 1);
    c->out->rows++;
    if (read_row(c, stream, seq, &arena, &r) != JOT_OK ||
        !index_label(stream, &r, &arena, &label)) {
        tell(c, stream, "the search index has text that is not in the pad");
        return;
    }
    AUTO(IndexWords) words;
    index_cut(c->x, stream, label, index_text(stream, r.body, &arena), &words);
    bool same = r.mark.seq == seq && r.mark.at_ms == sqlite3_column_int64(q, 2) &&
                str_eq(r.by, column_str(q, 3));
    for (int i = 0; i < COLUMNS; i++)
        same = same && str_eq(buf_str(&words.columns[i]), column_str(q, 4 + i));
    if (!same)
        tell(c, stream, "the search index has other words than the pad");
}

static jot_status count_expected(void *ctx, const Record *r)
{
    Compare *c = ctx;
    AUTO(Arena) arena = { 0 };
    Str label;
    if (r->mark.op == OP_DELETE)
        c->expected = 0;
    else
        c->expected += index_label(S("runs/x"), r, &arena, &label);
    return JOT_OK;
}

/* Rows that should be there. */
static jot_status count_listed(void *ctx, const Listed *l)
{
    uint64_t *all = ctx;
    (*all) += mark_live(&l->mark) && !l->mark.redacted;
    return JOT_OK;
}

typedef struct CountRuns {
    Compare *c;
    uint64_t *all;
} CountRuns;

static jot_status count_run(void *ctx, const Listed *l)
{
    CountRuns *x = ctx;
    x->c->expected = 0;
    jot_status st = memory_each_record(x->c->x->m, l->name, 0, count_expected, x->c, NULL, NULL);
    if (st == JOT_OK)
        *x->all += x->c->expected;
    return JOT_OK;
}

static jot_status count_rows(Compare *c, uint64_t *out, Err *e)
{
    static const char *const documents[] = { "artifacts/", "memories/", "notes/" };
    *out = 0;
    for (size_t i = 0; i < COUNT_OF(documents); i++)
        TRY(memory_each(c->x->m, str(documents[i]), LIST_LIVE, count_listed, out, e));
    CountRuns runs = { c, out };
    return memory_each(c->x->m, S("runs/"), LIST_LIVE, count_run, &runs, e);
}

/* SQLite's own check, and FTS5's of its words. */
static jot_status check_file(Compare *c, Err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(c->x->sql, "PRAGMA integrity_check(1)", -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    bool fine = rc == SQLITE_ROW && str_eq(column_str(q, 0), S("ok"));
    sqlite3_finalize(q);
    if (fine)
        fine = sqlite3_exec(c->x->sql, "INSERT INTO words(words) VALUES('integrity-check')", NULL,
                            NULL, NULL) == SQLITE_OK;
    if (!fine)
        return index_fault(c->x, SQLITE_CORRUPT, e);
    return JOT_OK;
}

static jot_status compare_all(Compare *c, Err *e)
{
    TRY(index_catch_up(c->x, e));
    TRY(check_file(c, e));
    uint64_t wanted;
    TRY(count_rows(c, &wanted, e));
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(c->x, INDEX_ALL, &q, e));
    TRY(index_step(c->x, q, &row, e));
    for (; row;) {
        compare_row(c, q);
        TRY(index_step(c->x, q, &row, e));
    }
    if (c->out->rows < wanted)
        tell(c, (Str){ 0 }, "the search index lacks text that is in the pad");
    return JOT_OK;
}

jot_status search_verify(Search *s, void (*to)(void *ctx, Str stream, const char *what), void *ctx,
                         SearchCheck *out, Err *e)
{
    Index *x = &s->index;
    Err why = { 0 };
    *out = (SearchCheck){ .there = has_file(x) };
    if (!out->there)
        return JOT_OK;
    Compare c = { .x = x, .tell = to, .ctx = ctx, .out = out, .e = e };
    x->broken = false;
    jot_status st = compare_all(&c, &why);
    if (st != JOT_OK && x->broken) {
        if (x->busy || x->full)
            out->unchecked = why;
        else
            tell(&c, (Str){ 0 }, why.text);
        index_close(x);
        return JOT_OK;
    }
    if (st != JOT_OK && e)
        *e = why;
    return st;
}
