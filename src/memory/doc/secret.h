/* secret.h - Secret, a piece of text that looks like a key, a token or a password.
 *
 * A look, not a proof: what is found in a note is stored all the same, and its writer is
 * told how to forget it.  What nobody chose to store (session.h) is stored without. */
#ifndef MEMORY_DOC_SECRET_H
#define MEMORY_DOC_SECRET_H

#include "base/arena.h"

typedef struct Secret {
    const char *what; /* "an AWS access key" */
    size_t at, n;     /* where it stands */
    size_t line;      /* from 1 on */
} Secret;

/* The first one; false if there is none. */
bool secret_find(Str text, Secret *out);

/* The text with "[redacted: an AWS access key]" in the place of each; itself if there is none.  Of
 * a private key all goes up to its last line, or to the end of the text.  Lives in `into`. */
Str secret_redact(Str text, Arena *into);

#endif
