/* segment.h - Segment, a part of the search index that never changes.
 *
 * A segment is one run of bytes, in memory or in a file:
 *
 *   head       what follows, and a checksum of itself
 *   sums       a checksum of each SEGMENT_BLOCK bytes behind the head
 *   index      where each thirty-two keys begin
 *   keys       in byte order, each without what it shares with the one before it
 *   postings   of each key: in which rows it stands
 *   rows       what is known of a row: of each field what it is above the least, in as
 *              many bytes as the largest of this segment takes
 *   norms      of each row its profile and length
 *   sessions   of each session its first row and its length
 *   authors    their names
 *
 *   index ---> keys (32 a block)       postings
 *   [0] --+    "t" pear  3 rows  -+--> usual byte, then bits of row gaps: +2, +0 *, +7
 *   [1]   +--> "t" pear|s ...     |              (* differs: its own byte follows)
 *              "s" notes/a  1 ----+--> how far it was read, its first row
 *                                          |
 *   rows       [0] [1] [2] ...  <----------+   some 16 bytes each
 *   norms      [0] [1] [2] ...      2 bytes: the column that every search walks
 *                                            through is apart from the rest
 *
 * Postings of a key are what one step of a search reads from start to end: in
 * bits, the rows between this one and the one before (segment.c), and whether
 * the posting says something else than most (SegTerm.usual).
 *
 * A word of every second row, or more, has half a byte for every row instead
 * (SegDense): that takes hardly more room, and any row can be asked about.
 *
 * A key's first byte says what it is (SegKey).  Rows have an order that follows
 * from what they are (seg_row_order), never from when they came: documents by
 * time, then runs by name and record.  So rows of one session stand together,
 * and the same rows give the same bytes.
 *
 * A file is read in blocks, when they are first used, and each is checked then.
 * It is not mapped: somebody who cuts a mapped file short kills the process
 * that looks at it. */
#ifndef MEMORY_SEARCH_SEGMENT_H
#define MEMORY_SEARCH_SEGMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/io.h"

enum {
    SEGMENT_FORMAT = 6,
    SEGMENT_BLOCK = 64 * 1024,
    SEG_KEY_MAX = 512,
    SEG_LEN_MAX = 1 << 20,
    SEG_FIELDS = 8,                  /* of a row, as it is kept */
    SESSION_GAP_MS = 60 * 60 * 1000, /* between two documents of one session */
};

typedef enum SegKey {
    KEY_DATE = 'd',    /* yyyymm, or yyyy: rows that speak of it; the byte is the day */
    KEY_FORM = 'f',    /* a word as written, where that is not its stem */
    KEY_GRAM = 'g',    /* four characters */
    KEY_SPEAKER = 'p', /* who said it, folded */
    KEY_STREAM = 's',  /* a stream and how far it was read */
    KEY_TERM = 't',    /* a word's stem, or characters of a dense script */
    KEY_WHOLE = 'w',   /* an identifier */
} SegKey;

/* What a posting of a term says beside its row; 0: once, as its stem is written. */
enum {
    POST_COUNT = 7,  /* how often it is there, less one, up to this */
    POST_HEAD = 8,   /* in the first line, of an artifact */
    POST_NAME = 16,  /* in the row's name */
    POST_OTHER = 32, /* never as its stem is written: KEY_FORM has how */
    POST_ABOUT = 64, /* in what an artifact says of itself */
};

typedef enum Profile { PROFILE_TURN, PROFILE_NOTE, PROFILE_ARTIFACT, PROFILES } Profile;

enum {
    ROW_LOG = 1,      /* a record of a run */
    ROW_QUESTION = 2, /* it ends in a question mark */
    ROW_TIME = 4,     /* it speaks of a time */
    ROW_NUMBER = 8,
    ROW_CAPITALS = 16, /* and 32: 0 to 2 names in it */
};

typedef struct SegRow {
    int64_t at_ms;
    uint64_t seq;
    uint32_t stream; /* which of the segment's */
    uint32_t title;  /* of a group of rows; 0: none */
    uint32_t digest; /* of its text */
    uint32_t author; /* where its name stands */
    uint32_t len;    /* words */
    uint8_t head;    /* words of its first line */
    uint8_t flags;
    uint8_t profile;
} SegRow;

typedef struct SegPost {
    uint32_t row;
    uint8_t bits;
} SegPost;

/* How far a stream was read. */
typedef struct SegStream {
    uint64_t seq;
    uint64_t print;    /* of the chain there, and of a document's text: 48 bits */
    uint64_t redacted; /* records without body */
    uint32_t first, n; /* its rows in this segment */
    bool gone;
} SegStream;

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Segment {
    const uint8_t *p;
    size_t n;
    Fd fd; /* -1: all of it is in memory */
    const Io *io;
    uint64_t *seen; /* a bit for each block that was read; NULL: all */
    bool bad;       /* something was not as it must be: nothing read from here counts */
    bool checked;   /* its columns */
    uint32_t rows, sessions, keys, streams, first_stream;
    uint64_t off[10], len[10]; /* of its parts */
    uint64_t least[SEG_FIELDS];
    uint8_t width[SEG_FIELDS]; /* of the fields of a row */
    uint32_t row_bytes;
    const uint16_t *norms; /* by row; NULL: not looked at yet */
    uint32_t *session_of;  /* by row; NULL: not reckoned yet */
    uint64_t id;           /* its name in the manifest; 0: it has no file */
    uint8_t *dead;         /* a bit for each row that is not there any more; NULL: none */
    uint32_t dead_n;
    Buf own; /* the bytes, if they are in memory */
} Segment;

/* From bytes that are taken over, or from a file whose descriptor is.  False: it is none, or not
 * whole. */
MUST_USE bool seg_from_bytes(Segment *s, Buf *bytes);
MUST_USE bool seg_from_file(Segment *s, const Io *io, Fd *fd);
void seg_close(Segment *s);
DEFINE_AUTO(Segment, seg_close)
/* Read all of it and check it. */
MUST_USE bool seg_check(Segment *s);

typedef struct SegTerm {
    uint32_t n;        /* rows */
    bool usual;        /* they begin with what most of them say */
    bool dense;        /* they are a SegDense */
    bool summed;       /* what is known of all of them stands in front (seg_sums) */
    uint64_t from, to; /* bits of its postings, or of what else is known of it */
} SegTerm;

MUST_USE bool seg_find(Segment *s, Str key, SegTerm *out);

/* Keys in their order. */
typedef struct SegKeys {
    Segment *s;
    uint32_t next; /* number of the key behind `term` */
    uint64_t at, post;
    char key[SEG_KEY_MAX];
    size_t key_n;
    SegTerm term;
} SegKeys;
/* The first key that is not before this one; false: there is none. */
MUST_USE bool seg_keys_from(SegKeys *k, Segment *s, Str key);
MUST_USE bool seg_keys_next(SegKeys *k);

/* Postings, in the order of rows.  Returns how many there are; fewer than term->n if it is bad. */
size_t seg_posts(Segment *s, const SegTerm *term, SegPost *out);

/* Of all rows of a term: in how many sessions they are, and how often it is at most in a row, and
 * in a session.  Of few rows that is not kept. */
typedef struct SegSums {
    uint32_t sessions, most, session_most;
} SegSums;
/* False: a block cannot be read. */
MUST_USE bool seg_sums(Segment *s, const SegTerm *term, SegSums *out);

/* Postings of a word that is nearly everywhere: for each row four bits, which say whether it is
 * there, how often, and whether always in another form than its stem (DENSE_OTHER).  What they
 * cannot say is DENSE_MORE, and a whole byte elsewhere: these are in the order of rows, and counted
 * before each DENSE_BLOCK rows. */
typedef struct SegDense {
    const uint8_t *codes, *before, *more; /* NULL: there are none */
    uint32_t rows, more_n;
} SegDense;

enum { DENSE_COUNT = 7, DENSE_OTHER = 8, DENSE_MORE = 8, DENSE_BLOCK = 128 };

/* False: a block cannot be read. */
MUST_USE bool seg_dense(Segment *s, const SegTerm *term, SegDense *out);
static inline unsigned seg_dense_code(const SegDense *d, uint32_t row)
{
    return d->codes[row / 2] >> (row % 2 * 4) & 0xF;
}
/* What the posting of a row says whose code is not 0. */
uint8_t seg_dense_bits(const SegDense *d, uint32_t row);
/* In rows [from, to): how often it is there, a row with more than POST_COUNT + 1 having so many,
 * and how often at most in one of them. */
typedef struct SegDenseSum {
    uint32_t all, most;
} SegDenseSum;
SegDenseSum seg_dense_sum(const SegDense *d, uint32_t from, uint32_t to);

MUST_USE bool seg_row(Segment *s, uint32_t row, SegRow *out);
/* What is known of a stream by its key's term. */
MUST_USE bool seg_stream(Segment *s, const SegTerm *term, SegStream *out);
/* The name of the stream with this number, in `into`. */
Str seg_stream_name(Segment *s, uint32_t stream, Arena *into);
Str seg_author(Segment *s, uint32_t author); /* borrowed */

/* Profile and length of all rows, and the sessions; NULL if they cannot be read.  What they hold is
 * checked once, because it is used without a look. */
const uint16_t *seg_norms(Segment *s);
const uint32_t *seg_session_of(Segment *s);
typedef struct SegSession {
    uint32_t first, len; /* its first row, and the words of all of them */
} SegSession;
const SegSession *seg_sessions(Segment *s);

static inline bool seg_dead(const Segment *s, uint32_t row)
{
    return s->dead && (s->dead[row / 8] >> (row % 8) & 1);
}
void seg_kill(Segment *s, uint32_t row);

/* --- Lengths ----------------------------------------------------------------------------- */

/* A length in eight bits: exact up to 31, then to one part in sixteen. */
uint8_t norm_of(uint32_t len);
uint32_t norm_len(uint8_t norm);

/* --- Writing ----------------------------------------------------------------------------- */

typedef struct SegWriter {
    Buf index, keys, postings, authors;
    char last[SEG_KEY_MAX];
    size_t last_n;
    uint64_t bits;   /* of postings that are not among their bytes yet */
    unsigned bits_n; /* less than 32 */
    uint32_t rows;   /* of the segment, and the session of each, to be set before the first key */
    const uint32_t *session_of;
    uint32_t keys_n, streams, first_stream;
    uint32_t *author_slots; /* by the hash of a name: where it is put, plus one; 0: free */
    uint32_t authors_n, author_cap;
} SegWriter;

/* Keys come in their order, none twice; postings by row. */
void seg_write_term(SegWriter *w, Str key, const SegPost *posts, size_t n);
void seg_write_stream(SegWriter *w, Str name, const SegStream *known);
/* Where an author's name is put; the same name gives the same place. */
uint32_t seg_write_author(SegWriter *w, Str name);
/* The whole of it; `rows` are in their order. */
void seg_write_end(SegWriter *w, const SegRow *rows, uint32_t n, Buf *out);
/* Make the checksums right again, whatever the rest is: a test that changes bytes needs it. */
void seg_seal(Buf *bytes);
void seg_writer_free(SegWriter *w);
DEFINE_AUTO(SegWriter, seg_writer_free)

/* Does `next` belong to the session of `row`, which comes before it?  `same`: both are of one
 * stream. */
static inline bool seg_same_session(const SegRow *row, const SegRow *next, bool same)
{
    if ((row->flags & ROW_LOG) || (next->flags & ROW_LOG))
        return same && (row->flags & ROW_LOG) && (next->flags & ROW_LOG);
    return next->at_ms - row->at_ms <= SESSION_GAP_MS;
}

/* Sixty-four bits of some bytes; not for what an enemy chooses. */
uint64_t seg_hash(Str bytes);

#endif
