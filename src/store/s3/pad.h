/* pad.h - the pad's own object, and whether a server is fit for one. */
#ifndef STORE_S3_PAD_H
#define STORE_S3_PAD_H

#include "store/s3/s3.h"

/* Read what the pad says of itself; JOT_NOT_FOUND if there is none and `create` is not set. */
MUST_USE jot_status s3_identify(S3 *p, bool create, Err *e);
/* JOT_UNSUPPORTED: the server makes an object although there is one. */
MUST_USE jot_status s3_probe(S3 *p, Err *e);
/* JOT_UNSUPPORTED: the server ignores If-Match, so what is overwritten under a condition is
 * overwritten whatever it has become. */
MUST_USE jot_status s3_probe_match(S3 *p, Err *e);

#endif
