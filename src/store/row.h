/* row.h - the header of a record as it stands on servers (docs/format.md). */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include "base/buf.h"
#include "store/store.h"

enum {
    ROW_SEQ = 16,   /* hex digits: in byte order, numbers are in their order */
    ROW_NONCE = 16, /* the same */
};

typedef struct RowSeq {
    char text[ROW_SEQ + 1];
} RowSeq;

RowSeq row_seq(uint64_t seq);

/* Everything but the body. */
void row_write(Buf *to, const Record *r, uint64_t nonce);
/* The strings are copied to `into`.  False for what was not written by row_write. */
MUST_USE bool row_read(Str row, Arena *into, Record *out);

#endif
