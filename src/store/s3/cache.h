/* cache.h - S3Cache, records that this handle has read and need not be fetched again. */
#ifndef STORE_S3_CACHE_H
#define STORE_S3_CACHE_H

#include "store/s3/s3.h"

/* An object is listed with this ETag now: for what is under way, what was kept of it is as good as
 * the object. */
void s3_cache_vouch(S3 *p, Str key, Str etag);
/* What was kept of it and is vouched for; false: fetch it.  With `whole` only if all of it was
 * kept.  *text and *etag are valid until something else is kept. */
MUST_USE bool s3_cache_find(const S3 *p, Str key, bool whole, Str *text, Str *etag);
/* Keep the text of an object that was fetched under this ETag, or the beginning of it. */
void s3_cache_keep(S3 *p, Str key, Str etag, Str text, bool whole);
void s3_cache_free(S3 *p);

#endif
