/* bytes.h - File, the bytes of one file of which some may not have reached the disk.
 *
 * What was synced is certain.  What was written since is there as one of a few
 * variants; each that is offered is a Variant, and the one of the present candidate is
 * `chosen`.  Which steps belong to a file, and when a sync settles them, is
 * replay's to say; names are not known here. */
#ifndef RIG_BYTES_H
#define RIG_BYTES_H

#include "base/buf.h"
#include "rig/recorder.h"

typedef enum VariantKind {
    BYTES_ALL,
    BYTES_NONE,
    BYTES_ZEROS,     /* the size is there and the data is not: zeros where there was nothing */
    BYTES_TORN,      /* the last write ends after `arg` bytes */
    BYTES_TORN_ZERO, /* the same, but the size is there */
    BYTES_PREFIX,    /* the first `arg` writes */
    BYTES_PAGES,     /* a random half of the pages, by the seed `arg` */
} VariantKind;

typedef struct Variant {
    VariantKind kind;
    bool lost; /* what a failed sync left behind is gone */
    uint64_t arg;
    Content *made; /* built when first wanted */
} Variant;

enum { VARIANTS_MAX = 24 };

typedef struct File {
    const Step *steps; /* of the recording */
    Buf base[2];       /* synced bytes: [1] with, [0] without what a failed sync left behind */
    size_t *pending;   /* steps since the last sync */
    size_t n, cap;
    bool doomed; /* a sync has failed: base[0] and base[1] may differ */
    Content settled;
    Variant variants[VARIANTS_MAX];
    size_t variants_n;
    Variant chosen; /* in the present candidate, if it is dirty */
} File;

/* A file that holds `bytes`, all of them on the disk. */
void file_init(File *f, const Step *steps, Str bytes);
void file_done(File *f);

/* Step number `step` has written to the file, or cut it. */
void file_write(File *f, size_t step);
/* What was written is on the disk, or, if the sync has failed, may be gone for ever. */
void file_settle(File *f, bool failed);

/* The variants of a dirty file, the most telling first; none of a clean one. */
void file_offer(File *f);
/* The first variant of this kind; that with all bytes if there is none. */
void file_choose(File *f, VariantKind kind);
/* Any variant, by two random numbers; only of a file that has some. */
void file_choose_random(File *f, uint64_t dice, uint64_t arg);
/* The bytes as chosen, made in `into` when they are first wanted. */
const Content *file_content(File *f, Arena *into);
/* What is missing, as a line; nothing if nothing is. */
void file_describe(const File *f, const char *path, Buf *to);

#endif
