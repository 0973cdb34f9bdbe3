/* record.h - a record as one line of JSON, the form in which it lies on disk.
 *
 *   {"seq":7,"at":1763241838123,"by":"ann","op":"put","sha256":"...","size":5,
 *    "fence":3,"id":"...","meta":{...},"chain":"...",
 *    "sum":"...","body":"hello"}
 *
 * Written without spaces and in this order, on one line that ends in '\n'.
 * fence, id and meta are left out when empty; a tombstone has no sha256, size
 * and body; a redacted record has "redacted":true and no body.
 *
 * The body is one of three things, and its first byte says which:
 *   "body":{...} or [...]   a body that is itself one line of JSON, an object or an array: its very
 *                           bytes, so that jq sees through it
 *   "body":"..."            any other text
 *   "body64":"..."          what is not UTF-8 without NUL, or takes less room so
 *
 * The sum is the first 16 hex digits of the SHA-256 of all that stands before its comma: what the
 * body's hash does not cover.  Meta with spaces around it or line breaks in it is a string.
 * Members that are not known here are kept; they stand before the sum, and no key is written with
 * escapes.
 *
 * A line begins with {"seq": or {"lost":, and neither stands anywhere else in it: what holds one of
 * them is written as a string, in which quotes are escaped.  So a reader that finds {"seq": in the
 * middle of a damaged line has found the beginning of another one, whatever the bodies say. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "base/buf.h"
#include "store/store.h"

enum { RECORD_LINE_MAX = 22 * 1024 * 1024 + 64 * 1024 };

/* Which bodies may stand in a line as they are.  Readers read both. */
typedef enum RecordForm {
    RECORD_STRINGS = 1, /* none: pads of format 1 */
    RECORD_NESTED = 2,  /* objects and arrays on one line */
} RecordForm;

/* Add the record's line, with its '\n'. */
void record_write(Buf *to, const Record *r, RecordForm form);

typedef enum RecordWant {
    RECORD_ALL,
    RECORD_NO_BODY,
    RECORD_UNSUMMED, /* all, whatever its sum says: the caller proves the header by the chain */
} RecordWant;

/* Read one line (with or without its '\n').  Strings live in `into`.  Checks form, limits, the
 * header's sum and (if the body is wanted) that the body has the size and sha256 the header gives.
 * JOT_CORRUPT with a sentence otherwise. */
MUST_USE jot_status record_read(Str line, RecordWant want, Arena *into, Record *out, Err *e);

/* No record is shorter than this. */
enum { RECORD_LINE_MIN = 139 };

/* The line by which a stream file says that the numbers up to `seq` are used though what had them
 * cannot be read, and that this was reported:  {"lost":7,"sum":"<16 hex>"} */
void record_write_lost(Buf *to, uint64_t seq);
bool record_read_lost(Str line, uint64_t *seq);

/* True if the text holds what a line of a stream file begins with. */
bool record_holds_start(Str text);

/* The seq at the start of a line, or 0 if the line does not begin like a record. */
uint64_t record_seq(Str line);

#endif
