/* keys.h - credentials: where others keep them, and in the order in which they look. */
#ifndef STORE_S3_KEYS_H
#define STORE_S3_KEYS_H

#include "store/s3/s3.h"

/* See that p->keys are there and still good for a while.  JOT_DENIED: there are none. */
MUST_USE jot_status s3_find_keys(S3 *p, Err *e);
/* They were refused as too old: the next s3_find_keys looks again. */
void s3_drop_keys(S3 *p);
/* A setting of the profile, from the files of AWS's own programs; the empty Str if there is none.
 */
Str s3_profile_setting(const S3 *p, const char *name, Arena *into);

#endif
