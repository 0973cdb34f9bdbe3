/* secret.h - Secret, a piece of text that looks like a key, a token or a password.
 *
 * A look, not a proof: what is found is stored all the same, and its writer is
 * told how to forget it. */
#ifndef MEMORY_DOC_SECRET_H
#define MEMORY_DOC_SECRET_H

#include "base/str.h"

typedef struct Secret {
    const char *what; /* "an AWS access key" */
    size_t at, n;     /* where it stands */
    size_t line;      /* from 1 on */
} Secret;

/* The first one; false if there is none. */
bool secret_find(Str text, Secret *out);

#endif
