/* names.c - promises about hostile names: each row of one table is refused or accepted as
 * distinct from all the others, on every operation and every engine alike, with one sentence.
 *
 * A row is put behind the prefix of a kind.  What a name may be depends on the
 * kind: a key (cycles/), a note's key (notes/), a path of segments (memories/, x/) or one
 * segment (runs/).  As the prefix of a list a row may be the beginning of a name. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

/* R: refused.  D: accepted as distinct. */
typedef enum Verdict { R, D } Verdict;

typedef struct Row {
    const char *what; /* for whoever reads a failure */
    Str text;
    Verdict as_key, as_path, as_segment, as_prefix, as_note;
} Row;

#define TEN(x) x x x x x x x x x x
#define HUNDRED(x) TEN(TEN(x))

/* clang-format off */
static const Row rows[] = {
    /*                                                          key path segment prefix note */
    { "nothing: the root itself",  { "", 0 },                   R, R, R, D, R },
    { "here",                      { ".", 1 },                  R, R, R, R, R },
    { "up",                        { "..", 2 },                 R, R, R, R, R },
    { "up and over",               { "../x", 4 },               R, R, R, R, R },
    { "up in the middle",          { "a/../b", 6 },             R, R, R, R, R },
    { "up at the end",             { "a/..", 4 },               R, R, R, R, R },
    { "here in the middle",        { "a/./b", 5 },              R, R, R, R, R },
    { "absolute",                  { "/abs", 4 },               R, R, R, R, R },
    { "two slashes",               { "a//b", 4 },               R, R, R, R, R },
    { "a slash at the end",        { "a/", 2 },                 R, R, R, D, R },
    { "a path",                    { "deep/er", 7 },            R, D, R, D, D },
    { "a backslash",               { "a\\b", 3 },               R, D, D, D, R },
    { "escaped dots",              { "%2e%2e%2f", 9 },          R, D, D, D, R },
    { "an escaped NUL",            { "a%00", 4 },               R, D, D, D, R },
    { "NUL inside",                { "a\0b", 3 },               R, R, R, R, R },
    { "NUL behind",                { "a\0", 2 },                R, R, R, R, R },
    { "a line feed",               { "a\nb", 3 },               R, R, R, R, R },
    { "a carriage return",         { "a\rb", 3 },               R, R, R, R, R },
    { "a tab",                     { "a\tb", 3 },               R, R, R, R, R },
    { "an escape",                 { "\x1B[31m", 5 },           R, R, R, R, R },
    { "DEL",                       { "\x7F", 1 },               R, R, R, R, R },
    { "a C1 control",              { "a\xC2\x85", 3 },          R, R, R, R, R },
    { "an overlong dot",           { "\xC0\xAE", 2 },           R, R, R, R, R },
    { "an overlong slash",         { "a\xC0\xAF" "b", 4 },      R, R, R, R, R },
    { "a lone surrogate",          { "\xED\xA0\x80", 3 },       R, R, R, R, R },
    { "beyond Unicode",            { "\xF4\x90\x80\x80", 4 },   R, R, R, R, R },
    { "a byte of no character",    { "\xFF", 1 },               R, R, R, R, R },
    { "a lone continuation",       { "\x80", 1 },               R, R, R, R, R },
    { "half a character",          { "a\xE2\x82", 3 },          R, R, R, D, R },
    { "half a character inside",   { "a\xE2\x82" "b", 4 },      R, R, R, R, R },
    { "a byte order mark",         { "\xEF\xBB\xBF" "a", 4 },   R, D, D, D, R },
    { "right-to-left override",    { "a\xE2\x80\xAE" "b", 5 },  R, D, D, D, R },
    { "zero width",                { "a\xE2\x80\x8B" "b", 5 },  R, D, D, D, R },
    { "a line separator",          { "a\xE2\x80\xA8" "b", 5 },  R, D, D, D, R },
    { "NFC",                       { "caf\xC3\xA9", 5 },        R, D, D, D, D },
    { "NFD",                       { "cafe\xCC\x81", 6 },       R, D, D, D, R },
    { "a full-width digit",        { "\xEF\xBC\x91", 3 },       R, D, D, D, D },
    { "a letter with an accent",   { "\xC3\xA9", 2 },           R, D, D, D, D },
    { "upper case",                { "PLANS", 5 },               D, D, D, D, D },
    { "lower case",                { "plan", 4 },               D, D, D, D, D },
    { "a device of old",           { "CON", 3 },                D, D, D, D, D },
    { "another one",               { "NUL", 3 },                D, D, D, D, D },
    { "a dot at the end",          { "a.", 2 },                 R, R, R, D, R },
    { "a space at the end",        { "a ", 2 },                 R, R, R, D, R },
    { "a space in front",          { " a", 2 },                 R, D, D, D, D },
    { "a space",                   { " ", 1 },                  R, R, R, D, R },
    { "a directory with a dot",    { "a./b", 4 },               R, R, R, R, R },
    { "a dash in front",           { "-rf", 3 },                D, D, D, D, D },
    { "a dot in front",            { ".a", 2 },                 R, R, R, R, R },
    { "a dot in front, deeper",    { "a/.b", 4 },               R, R, R, R, R },
    { "a dot inside",              { "a.b", 3 },                R, D, D, D, D },
    { "a key",                     { "A-z_09", 6 },             D, D, D, D, D },
    { "a name like a temporary",   { ".plan.txt.new", 13 },     R, R, R, R, R },
    { "the same without its dot",  { "plan.txt.new", 12 },      R, D, D, D, D },
    { "a name like a view",        { "plan.txt", 8 },           R, D, D, D, R },
    { "a name like a stream",      { "plan.jsonl", 10 },        R, D, D, D, D },
    { "a name like its directory", { "plan.d", 6 },             R, D, D, D, D },
    { "a name in it",              { "more.d/plan.jsonl", 17 }, R, D, R, D, D },
    { "the format's name",         { "format", 6 },             D, D, D, D, D },
    { "the streams' name",         { "streams", 7 },            D, D, D, D, D },
    { "the log of changes",        { "recent", 6 },             D, D, D, D, D },
    { "the mark of the boot",      { "checked", 7 },            D, D, D, D, D },
    { "the quarantine",            { "quarantine", 10 },        D, D, D, D, D },
    { "the index",                 { "index.d", 7 },           R, D, D, D, D },
    { "a database's other files",  { "pad.db-wal", 10 },        R, D, D, D, D },
    { "ignored by git",            { ".gitignore", 10 },        R, R, R, R, R },
    { "a wildcard of SQL",         { "%", 1 },                  R, D, D, D, R },
    { "another one",               { "_", 1 },                  D, D, D, D, D },
    { "wildcards of a shell",      { "*?[a]", 5 },              R, D, D, D, R },
    { "a query",                   { "@{}|", 4 },               R, D, D, D, R },
    { "a quote that ends",         { "x') OR '1'='1", 13 },     R, D, D, D, R },
    { "a command",                 { "$(touch p);`id`", 15 },   R, D, D, D, R },
    { "another command",           { "1;drop table x", 14 },    R, D, D, D, R },
    { "a format",                  { "%s%n", 4 },               R, D, D, D, R },
    { "a colon",                   { "a:b", 3 },                R, D, D, D, R },
    { "a home",                    { "~", 1 },                  R, D, D, D, R },
    { "128 bytes",                 { HUNDRED("k") TEN("k") TEN("k") "kkkkkkkk", 128 }, D, D, D, D, D },
    { "129 bytes",                 { HUNDRED("l") TEN("l") TEN("l") "lllllllll", 129 }, R, D, D, D, R },
    { "200 bytes",                 { HUNDRED("m") HUNDRED("m"), 200 },           R, D, D, D, R },
    { "201 bytes",                 { HUNDRED("n") HUNDRED("n") "n", 201 },       R, R, R, R, R },
    { "255 bytes",                 { HUNDRED("o") HUNDRED("o") TEN("ooooo") "ooooo", 255 }, R, R, R, R, R },
    { "256 bytes",                 { HUNDRED("p") HUNDRED("p") TEN("ppppp") "pppppp", 256 }, R, R, R, R, R },
    { "4096 bytes",                { HUNDRED(TEN("qqqq")) TEN("qqqqqqqqq") "qqqqqq", 4096 }, R, R, R, R, R },
    { "4096 bytes of segments",    { HUNDRED(TEN("a/b/")) TEN("a/b/c/d/e") "/f/g/h", 4096 }, R, R, R, R, R },
};

/* Names that are hostile as a whole. */
static const Row wholes[] = {
    { "nothing at all",            { "", 0 },                   R, R, R, D, R },
    { "the root",                  { "/", 1 },                  R, R, R, R, R },
    { "absolute",                  { "/etc/passwd", 11 },       R, R, R, R, R },
    { "up",                        { "../notes/a", 10 },        R, R, R, R, R },
    { "here",                      { "./notes/a", 9 },          R, R, R, R, R },
    { "a kind alone",              { "notes", 5 },              R, R, R, D, R },
    { "a kind and a slash",        { "notes/", 6 },             R, R, R, D, R },
    { "an upper-case kind",        { "Notes/a", 7 },            R, R, R, D, R },
    { "a kind with a digit first", { "9x/a", 4 },               R, R, R, D, R },
    { "a kind with a dash first",  { "-x/a", 4 },               R, R, R, D, R },
    { "a kind with a space",       { "x y/a", 5 },              R, R, R, D, R },
    { "a kind with a dot",         { "x.d/a", 5 },              R, R, R, D, R },
    { "a kind with an accent",     { "\xC3\xA9/a", 4 },         R, R, R, D, R },
    { "a file beside the streams", { "index.d/a", 9 },         R, R, R, D, R },
    { "a hidden kind",             { ".git/config", 11 },       R, R, R, R, R },
    { "the streams' directory",    { "streams/notes.d", 15 },   D, D, D, D, R },
    { "a stream's very file",      { "stream/notes.d/a.jsonl", 22 }, D, D, D, D, R },
    { "the quarantine",            { "quarantine/a", 12 },      D, D, D, D, R },
    { "the format",                { "format/a", 8 },           D, D, D, D, R },
    { "the log of changes",        { "recent/a", 8 },           D, D, D, D, R },
    { "the mark of the boot",      { "checked/a", 9 },          D, D, D, D, R },
    { "a kind of one letter",      { "z/a", 3 },                D, D, D, D, R },
    { "a kind with all it may",    { "z9_-/a", 6 },             D, D, D, D, R },
    { "a kind of 200 bytes",       { HUNDRED("zy") "/a", 202 }, D, D, D, D, R },
    { "a kind of 201 bytes",       { HUNDRED("zy") "z/a", 203 }, R, R, R, R, R },
};
/* clang-format on */

static const struct {
    const char *prefix;
    size_t column; /* of the verdict, counted from as_key */
} kinds[] = {
    { "notes/", 3 }, { "cycles/", 0 }, { "memories/", 1 }, { "artifacts/", 1 },
    { "x/", 1 },     { "runs/", 2 },   { "tasks/", 2 },
};

static Verdict verdict(const Row *row, size_t column)
{
    const Verdict columns[] = { row->as_key, row->as_path, row->as_segment, row->as_note };
    return columns[column];
}

/* --- Walking over the tables ----------------------------------------------------------- */

typedef struct Name {
    Str text;
    Verdict want;
    Verdict want_prefix;
    const char *what;
} Name;

/* The i-th of all names; false behind the last. */
static bool name_at(Trial *p, size_t i, Name *out)
{
    size_t rows_n = COUNT_OF(rows), all = rows_n * COUNT_OF(kinds);
    if (i >= all + COUNT_OF(wholes))
        return false;
    if (i >= all) {
        const Row *row = &wholes[i - all];
        *out = (Name){ row->text, row->as_key, row->as_prefix, row->what };
        return true;
    }
    const Row *row = &rows[i % rows_n];
    const char *prefix = kinds[i / rows_n].prefix;
    char *text = arena_alloc(&p->arena, strlen(prefix) + row->text.n, 1);
    memcpy(text, prefix, strlen(prefix));
    memcpy(text + strlen(prefix), row->text.p, row->text.n);
    *out = (Name){ { text, strlen(prefix) + row->text.n },
                   verdict(row, kinds[i / rows_n].column),
                   row->as_prefix,
                   row->what };
    return true;
}

/* The operation must answer a refused name with the one sentence, behind `where`. */
static void check_refusal(Trial *p, const Name *name, const char *operation, const char *where,
                          jot_status got)
{
    Err want = { 0 };
    Shown shown;
    jot_status st = store_check_name(name->text, &want);
    char text[sizeof want.text];
    snprintf(text, sizeof text, "%s%.200s", where, want.text);
    if (st != JOT_INVALID || got != JOT_INVALID)
        FAIL("%s answers %s to '%s' (%s)", operation, jot_status_name(got),
             err_show(&shown, name->text), name->what);
    if (strncmp(p->e.text, text, 200) != 0)
        FAIL("%s says '%s' and not '%s'", operation, p->e.text, text);
}

static void check_accepted(Trial *p, const Name *name, const char *operation, jot_status got,
                           jot_status want)
{
    Shown shown;
    if (got != want)
        FAIL("%s answers %s to '%s' (%s): %s", operation, jot_status_name(got),
             err_show(&shown, name->text), name->what, p->e.text);
}

/* --- Every operation ------------------------------------------------------------------- */

typedef jot_status (*Operation)(Trial *p, Str name);

static jot_status do_append(Trial *p, Str name)
{
    /* It expects what cannot be, so that an accepted name is a conflict and nothing happens. */
    Expect never = AT_SEQ(STORE_SEQ_MAX);
    Draft d = PUT("x");
    Mark m;
    return store_append(p->s, name, &never, &d, &m, &p->e);
}

static jot_status do_guard(Trial *p, Str name)
{
    Expect x = { .guard = name, .guard_seq = STORE_SEQ_MAX };
    Draft d = PUT("x");
    Mark m;
    return store_append(p->s, S("x/guarded"), &x, &d, &m, &p->e);
}

static jot_status do_head(Trial *p, Str name)
{
    Record r;
    return store_head(p->s, name, HEAD_RECORD, &p->arena, &r, &p->e);
}

static jot_status do_head_value(Trial *p, Str name)
{
    Record r;
    return store_head(p->s, name, HEAD_VALUE, &p->arena, &r, &p->e);
}

static jot_status do_read(Trial *p, Str name)
{
    Records r;
    return store_read(p->s, name, (SeqRange){ 1, 1 }, &p->arena, &r, &p->e);
}

static jot_status do_trim(Trial *p, Str name)
{
    uint64_t dropped;
    return store_trim(p->s, name, NULL, 1, &dropped, &p->e);
}

static jot_status do_redact(Trial *p, Str name)
{
    return store_redact(p->s, name, NULL, 1, &p->e);
}

static jot_status do_purge(Trial *p, Str name)
{
    Mark m;
    return store_purge(p->s, name, NULL, S("ann"), &m, &p->e);
}

/* Two records that do not follow each other. */
static jot_status do_put_records(Trial *p, Str name)
{
    Mark none = { 0 };
    Record two[] = { next_record("x/other", &none, PUT("x"), 5),
                     next_record("x/other", &none, PUT("y"), 5) };
    return store_put_records(p->s, name, two, 2, &p->e);
}

static jot_status do_after(Trial *p, Str name)
{
    Listing l;
    return store_list(p->s, &(ListQuery){ .after = name, .limit = 1, .which = LIST_ALL }, &p->arena,
                      &l, &p->e);
}

static void try_operation(Trial *p, const char *operation, Operation run, const char *where,
                          jot_status accepted)
{
    Name name;
    for (size_t i = 0; name_at(p, i, &name); i++) {
        bool none = name.text.n == 0 && where[0]; /* no guard, no name to come after */
        if (none)
            continue;
        jot_status got = run(p, name.text);
        if (name.want == R)
            check_refusal(p, &name, operation, where, got);
        else
            check_accepted(p, &name, operation, got, accepted);
    }
    CHECK_NUM(list(p, "", "", 10, LIST_ALL).n, 0);
}

static void hostile_names_are_refused_or_taken_by_append(Trial *p)
{
    try_operation(p, "append", do_append, "", JOT_CONFLICT);
}

static void hostile_names_are_refused_or_taken_as_a_guard(Trial *p)
{
    try_operation(p, "append", do_guard, "guard: ", JOT_FENCED);
}

static void hostile_names_are_refused_or_taken_by_head(Trial *p)
{
    try_operation(p, "head", do_head, "", JOT_NOT_FOUND);
    try_operation(p, "head", do_head_value, "", JOT_NOT_FOUND);
}

static void hostile_names_are_refused_or_taken_by_read(Trial *p)
{
    try_operation(p, "read", do_read, "", JOT_NOT_FOUND);
}

static void hostile_names_are_refused_or_taken_by_trim(Trial *p)
{
    try_operation(p, "trim", do_trim, "", JOT_NOT_FOUND);
}

static void hostile_names_are_refused_or_taken_by_redact(Trial *p)
{
    try_operation(p, "redact", do_redact, "", JOT_NOT_FOUND);
}

static void hostile_names_are_refused_or_taken_by_purge(Trial *p)
{
    try_operation(p, "purge", do_purge, "", JOT_NOT_FOUND);
}

static void hostile_names_are_refused_or_taken_by_put_records(Trial *p)
{
    try_operation(p, "put_records", do_put_records, "", JOT_CONFLICT);
}

static void hostile_names_are_refused_or_taken_as_the_name_a_page_follows(Trial *p)
{
    try_operation(p, "list", do_after, "after: ", JOT_OK);
}

static void hostile_names_are_refused_or_taken_as_a_prefix(Trial *p)
{
    Name name;
    for (size_t i = 0; name_at(p, i, &name); i++) {
        Listing l = { 0 };
        jot_status got =
            store_list(p->s, &(ListQuery){ .prefix = name.text, .limit = 1, .which = LIST_ALL },
                       &p->arena, &l, &p->e);
        jot_status want = name.want_prefix == R ? JOT_INVALID : JOT_OK;
        check_accepted(p, &name, "list", got, want);
        CHECK(got == JOT_OK || strncmp(p->e.text, "prefix: ", 8) == 0);
        CHECK_NUM(l.n, 0);
    }
}

static void a_name_of_a_mebibyte_is_refused(Trial *p)
{
    static const Operation all[] = { do_append, do_guard,  do_head,  do_head_value,  do_read,
                                     do_trim,   do_redact, do_purge, do_put_records, do_after };
    size_t n = 1024 * 1024;
    char *text = arena_alloc(&p->arena, n, 1);
    memset(text, 'n', n);
    memcpy(text, "x/", 2);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        CHECK_IS(p, all[i](p, (Str){ text, n }), JOT_INVALID);
    Listing l;
    CHECK_IS(p,
             store_list(p->s,
                        &(ListQuery){ .prefix = (Str){ text, n }, .limit = 1, .which = LIST_ALL },
                        &p->arena, &l, &p->e),
             JOT_INVALID);
}

/* --- Accepted as distinct -------------------------------------------------------------- */

/* Every accepted name holds its own number. */
static size_t store_all(Trial *p)
{
    size_t stored = 0;
    Name name;
    for (size_t i = 0; name_at(p, i, &name); i++) {
        if (name.want == R)
            continue;
        Draft d = { .op = OP_PUT, .by = S("ann"), .body = arena_printf(&p->arena, "%zu", i) };
        Expect none = ABSENT;
        Mark m;
        jot_status got = store_append(p->s, name.text, &none, &d, &m, &p->e);
        check_accepted(p, &name, "append", got, JOT_OK);
        stored++;
    }
    return stored;
}

static void check_stored(Trial *p)
{
    Name name;
    for (size_t i = 0; name_at(p, i, &name); i++) {
        if (name.want == R)
            continue;
        Record r;
        Str want = arena_printf(&p->arena, "%zu", i);
        jot_status got = store_head(p->s, name.text, HEAD_VALUE, &p->arena, &r, &p->e);
        check_accepted(p, &name, "head", got, JOT_OK);
        CHECK_TEXT(r.body, want);
        Records all;
        got = store_read(p->s, name.text, (SeqRange){ 1, 5 }, &p->arena, &all, &p->e);
        check_accepted(p, &name, "read", got, JOT_OK);
        CHECK_NUM(all.n, 1);
        CHECK_TEXT(all.items[0].body, want);
    }
}

/* A list by each name as prefix gives the names that begin with it, and no others. */
static void check_prefixes(Trial *p, const Listing *all)
{
    for (size_t i = 0; i < all->n; i++) {
        Str prefix = all->items[i].name;
        Listing got;
        CHECK_IS(p,
                 store_list(p->s, &(ListQuery){ .prefix = prefix, .limit = STORE_LIST_MAX },
                            &p->arena, &got, &p->e),
                 JOT_OK);
        size_t k = 0;
        for (size_t j = 0; j < all->n; j++)
            if (str_starts(all->items[j].name, prefix)) {
                CHECK(k < got.n);
                CHECK_TEXT(got.items[k++].name, all->items[j].name);
            }
        CHECK_NUM(got.n, k);
    }
}

static void accepted_names_are_distinct_streams(Trial *p)
{
    size_t stored = store_all(p);
    check_stored(p);
    Listing all = list(p, "", "", STORE_LIST_MAX, LIST_LIVE);
    CHECK_NUM(all.n, stored);
    for (size_t i = 1; i < all.n; i++)
        CHECK(str_cmp(all.items[i - 1].name, all.items[i].name) < 0);
    check_prefixes(p, &all);
}

static void accepted_names_are_there_after_reopening(Trial *p)
{
    size_t stored = store_all(p);
    trial_reopen(p);
    check_stored(p);
    CHECK_NUM(list(p, "", "", STORE_LIST_MAX, LIST_LIVE).n, stored);
}

static void accepted_names_can_be_deleted_one_by_one(Trial *p)
{
    size_t left = store_all(p);
    Name name;
    for (size_t i = 0; name_at(p, i, &name); i++) {
        if (name.want == R)
            continue;
        Draft d = DELETE;
        Mark m;
        jot_status got = store_append(p->s, name.text, NULL, &d, &m, &p->e);
        check_accepted(p, &name, "append", got, JOT_OK);
        left--;
        if (left % 50 == 0)
            CHECK_NUM(list(p, "", "", STORE_LIST_MAX, LIST_LIVE).n, left);
    }
    CHECK_NUM(left, 0);
}

const Promise name_promises[] = {
    PROMISE(hostile_names_are_refused_or_taken_by_append),
    PROMISE(hostile_names_are_refused_or_taken_as_a_guard),
    PROMISE(hostile_names_are_refused_or_taken_by_head),
    PROMISE(hostile_names_are_refused_or_taken_by_read),
    PROMISE(hostile_names_are_refused_or_taken_by_trim),
    PROMISE(hostile_names_are_refused_or_taken_by_redact),
    PROMISE(hostile_names_are_refused_or_taken_by_purge),
    PROMISE(hostile_names_are_refused_or_taken_by_put_records),
    PROMISE(hostile_names_are_refused_or_taken_as_the_name_a_page_follows),
    PROMISE(hostile_names_are_refused_or_taken_as_a_prefix),
    PROMISE(a_name_of_a_mebibyte_is_refused),
    PROMISE(accepted_names_are_distinct_streams),
    LASTING(accepted_names_are_there_after_reopening),
    PROMISE(accepted_names_can_be_deleted_one_by_one),
    { 0 },
};
