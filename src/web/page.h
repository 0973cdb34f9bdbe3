/* page.h - the files of the page, which are part of the program.
 *
 * They are what src/web/page holds, byte for byte, so that "view source" shows what was written.
 * They need no token and hold nothing of a pad. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "net/http_server.h"

typedef struct PageFile {
    const char *name, *tag;
    const char *plain, *plain_end;   /* its bytes */
    const char *packed, *packed_end; /* the same, compressed by gzip */
} PageFile;

extern const PageFile page_files[]; /* made by tools/gen-page; ends with a NULL name */

/* Answer with the file of this name, in the form that the client takes; 404 if there is none. */
void page_answer(HttpExchange *x, Str name);

#endif
