/* draft.h - SegDraft, rows that are about to become a segment.
 *
 * A row is cut into terms here, and what can be known of it alone is found out:
 * its profile, speaker, title, dates.  Rows come in any order. */
#ifndef MEMORY_SEARCH_DRAFT_H
#define MEMORY_SEARCH_DRAFT_H

#include "memory/search/segment.h"
#include "memory/search/stem.h"
#include "store/store.h"

typedef struct SegDraft SegDraft;

SegDraft *draft_new(Stemmer *stemmer);
void draft_free(SegDraft *d); /* NULL is fine */
DEFINE_AUTO_PTR(SegDraft, draft_free)

/* A record of a stream; `label` is looked for together with the name, `text` is what a person
 * reads of the body. */
void draft_row(SegDraft *d, Str stream, const Record *r, Str label, Str text);
/* What is known of a stream; `first` and `n` are found here. */
void draft_stream(SegDraft *d, Str stream, const SegStream *known);
bool draft_has(const SegDraft *d, Str stream);
/* Rows of a stream with records in [from, to] are taken out again. */
void draft_drop(SegDraft *d, Str stream, uint64_t from, uint64_t to);
uint32_t draft_rows(const SegDraft *d);
bool draft_empty(const SegDraft *d); /* no row and no stream */
/* The bytes of the segment. */
void draft_end(SegDraft *d, Buf *out);

/* --- Rows -------------------------------------------------------------------------------- */

/* The key of a word, in `to` of SEG_KEY_MAX bytes; returns its length. */
size_t term_key(Stemmer *stemmer, Str word, char *to);
/* Who speaks: "Name: ..." at the beginning of a text; empty: nobody. */
Str leading_speaker(Str text);
/* The words of a name, folded, joined by one space; at most `max` bytes. */
size_t fold_name(Str name, char *to, size_t max);
/* Does it look like a program? */
bool looks_like_code(Str text);
/* Short text that several rows share, as 32 bits; 0: none. */
uint32_t title_of(Str stream, Str text);
uint32_t text_digest(Str text);

#endif
