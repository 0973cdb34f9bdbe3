/* table.h - Table, rows in columns that are as wide as what stands in them.
 *
 * On a terminal the columns have heads and no row is wider than the screen: the last column is cut.
 * Elsewhere there are no heads and nothing is cut.  Numbers stand to the right. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/cmd.h"

enum { TABLE_COLUMNS = 8 };

typedef struct Table {
    Arena arena;
    Str (*rows)[TABLE_COLUMNS];
    size_t n, cap;
    const char *heads; /* with tabs between them; NULL: none */
} Table;

/* Begin a row. */
void table_row(Table *t);
/* The next cells of the row that was begun last. */
void table_cell(Table *t, Str text);
void table_cellf(Table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print it all on standard output. */
void table_print(const Table *t);
void table_done(Table *t);
DEFINE_AUTO(Table, table_done)

#endif
