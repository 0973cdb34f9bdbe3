/* change.h - which streams have changed. */
#ifndef STORE_S3_CHANGE_H
#define STORE_S3_CHANGE_H

#include "store/s3/s3.h"

jot_status s3_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                      Err *e);
void s3_forget_told(S3 *p);

#endif
