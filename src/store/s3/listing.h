/* listing.h - lists of objects, and the little XML that they are written in. */
#ifndef STORE_S3_LISTING_H
#define STORE_S3_LISTING_H

#include "store/s3/s3.h"

/* The text of the first element of that name, as it stands; empty if there is none. */
Str xml_text(Str xml, Str name);

typedef struct S3Listed {
    Str key; /* without the pad's prefix */
    int64_t at_ms;
    uint64_t size;
    Str etag;
} S3Listed;

typedef struct S3List {
    Arena arena;
    S3Listed *items;
    size_t n;
    bool more; /* there are others after the last */
} S3List;

void s3_list_done(S3List *l);
DEFINE_AUTO(S3List, s3_list_done)

typedef struct S3Where {
    Str prefix;   /* keys begin with it ... */
    Str after;    /* ... and come after it; "": from the first */
    size_t max;   /* 1 to S3_PAGE */
    bool folders; /* what has one more '/' is shown once, as the part up to that */
} S3Where;

/* One page, in the order of bytes. */
MUST_USE jot_status s3_list(S3 *p, const S3Where *w, S3List *out, Err *e);

#endif
