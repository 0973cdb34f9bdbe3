/* manifest.h - Manifest, which files are an index: the one file that is replaced as a whole.
 *
 * It names the segments, the rows of them that are dead, the files of vectors, the cursor up to
 * which the pad is in them, and whom the user was told that texts are sent to. */
#ifndef MEMORY_SEARCH_MANIFEST_H
#define MEMORY_SEARCH_MANIFEST_H

#include "memory/search/row_vectors.h"
#include "memory/search/segment.h"
#include "store/store.h"

typedef struct ManifestSegment {
    uint64_t id, bytes;
    uint32_t rows, dead_n;
    const uint32_t *dead; /* numbers of rows, ascending */
} ManifestSegment;

typedef struct ManifestVectors {
    uint64_t id, bytes;
} ManifestVectors;

typedef struct Manifest {
    uint64_t generation;
    Cursor at;
    char pad[STORE_PAD_ID + 1], language[32];
    uint64_t told; /* a hash of the embeddings server that was announced; 0: none */
    ManifestSegment *segs;
    ManifestVectors *vectors;
    uint32_t n, vectors_n;
} Manifest;

/* False: it is none, or not whole.  Lives in `into`. */
MUST_USE bool manifest_parse(Str text, Arena *into, Manifest *out);

/* What is written: the fields of `m` but for its lists, and these. */
typedef struct ManifestFiles {
    const Segment *segs;
    size_t n;
    const RowVectors *vectors;
    size_t vectors_n;
} ManifestFiles;
void manifest_write(const Manifest *m, const ManifestFiles *files, Buf *to);

#endif
