/* table.c - rows in columns that are as wide as what stands in them. */
#include "cli/table.h"

#include <assert.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/glyph.h"
#include "base/utf8.h"
#include "cli/screen.h"

enum { GAP = 2, LAST_MIN = 20 /* columns of the last cell, however narrow the screen is */ };

void table_row(Table *t)
{
    t->rows = arena_grow(&t->arena, t->rows, t->n, &t->cap, sizeof *t->rows, alignof(Str));
    for (size_t i = 0; i < TABLE_COLUMNS; i++)
        t->rows[t->n][i] = (Str){ 0 };
    t->n++;
}

/* A terminal shows what is not seen otherwise, and that is what is measured. */
static Str shown(Table *t, Str text)
{
    AUTO(Buf) line = { .max = SIZE_MAX / 2 };
    if (isatty(STDOUT_FILENO) != 1)
        return arena_copy(&t->arena, text);
    glyph_add(&line, text, GLYPH_LINE);
    return arena_copy(&t->arena, buf_str(&line));
}

void table_cell(Table *t, Str text)
{
    size_t at = 0;
    assert(t->n);
    Str *row = t->rows[t->n - 1];
    while (row[at].p)
        at++;
    assert(at < TABLE_COLUMNS);
    row[at] = text.n ? shown(t, text) : S("");
}

void table_cellf(Table *t, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    table_cell(t, str(text));
}

static bool is_number(Str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] < '0' || text.p[i] > '9') && !(text.p[i] == '-' && i == 0))
            return false;
    return true;
}

typedef struct Column {
    size_t wide;
    bool number;
} Column;

static size_t measure(const Table *t, Column columns[TABLE_COLUMNS])
{
    size_t used = 0;
    Str heads = str(t->heads), head;
    bool headed = isatty(STDOUT_FILENO) == 1;
    for (size_t c = 0; c < TABLE_COLUMNS; c++) {
        columns[c] = (Column){ .number = true };
        if (!str_cut(&heads, '\t', &head))
            head = heads, heads = (Str){ 0 };
        columns[c].wide = headed ? head.n : 0;
        for (size_t r = 0; r < t->n; r++) {
            Str cell = t->rows[r][c];
            columns[c].number = columns[c].number && is_number(cell);
            columns[c].wide =
                glyph_columns(cell) > columns[c].wide ? glyph_columns(cell) : columns[c].wide;
            used = cell.p && c + 1 > used ? c + 1 : used;
        }
    }
    return used;
}

static void print_spaces(size_t n)
{
    for (; n; n--)
        putchar(' ');
}

/* The last cell has what is left of the screen. */
static void print_last(Str text, size_t before)
{
    size_t room = screen_columns();
    room = room > before + LAST_MIN ? room - before : LAST_MIN;
    if (isatty(STDOUT_FILENO) != 1 || glyph_columns(text) <= room) {
        fwrite(text.p, 1, text.n, stdout);
        return;
    }
    size_t fits = 0;
    for (size_t at = 0; utf8_next(text, &at) && glyph_columns(str_slice(text, 0, at)) + 4 <= room;)
        fits = at;
    fwrite(text.p, 1, fits, stdout);
    fputs(" ...", stdout);
}

static void print_row(const Str *row, const Column *columns, size_t n)
{
    size_t last = 0, before = 0;
    for (size_t c = 0; c < n; c++)
        last = row[c].n ? c : last;
    for (size_t c = 0; c < last; c++) {
        size_t pad = columns[c].wide - glyph_columns(row[c]);
        if (!columns[c].wide)
            continue;
        print_spaces(columns[c].number ? pad : 0);
        fwrite(row[c].p, 1, row[c].n, stdout);
        print_spaces((columns[c].number ? 0 : pad) + GAP);
        before += columns[c].wide + GAP;
    }
    if (columns[last].number)
        print_spaces(columns[last].wide - glyph_columns(row[last]));
    print_last(row[last], before);
    putchar('\n');
}

static void print_heads(const char *heads, const Column *columns, size_t n)
{
    Str row[TABLE_COLUMNS] = { 0 };
    Str rest = str(heads);
    for (size_t c = 0; c < n; c++)
        if (!str_cut(&rest, '\t', &row[c]))
            row[c] = rest, rest = (Str){ 0 };
    fputs(ink(INK_DIM), stdout);
    print_row(row, columns, n);
    fputs(ink(INK_PLAIN), stdout);
}

void table_print(const Table *t)
{
    Column columns[TABLE_COLUMNS];
    size_t n = measure(t, columns);
    if (t->n && t->heads && isatty(STDOUT_FILENO) == 1)
        print_heads(t->heads, columns, n);
    for (size_t r = 0; r < t->n; r++)
        print_row(t->rows[r], columns, n);
}

void table_done(Table *t)
{
    arena_free(&t->arena);
}
