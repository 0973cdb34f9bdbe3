/* address.h - what a URL says: which bucket, on which server. */
#ifndef STORE_S3_ADDRESS_H
#define STORE_S3_ADDRESS_H

#include "store/s3/s3.h"

MUST_USE jot_status s3_address(S3 *p, const Url *url, Err *e);

#endif
