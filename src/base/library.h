/* library.h - Library, a shared library that is opened when its first function is needed.
 *
 * Large libraries that few commands use are not linked: their relocations would be paid at every
 * start of the program.  Each has a table of the functions it must have; library_open() fills it.
 * A library once opened stays open, because what lies below it may register handlers that run when
 * the process ends.
 *
 * A file that declares a library and is compiled with JOT_STATIC has it linked: library_open() then
 * only copies the addresses.  A static program cannot open libraries safely: there library.c is
 * compiled so too, and what was not linked is not there.  The library that packages of other
 * languages carry has libstemmer linked and opens the rest. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

typedef struct LibraryFunction {
    const char *name;
    void *to;             /* the function pointer to set */
    void (*linked)(void); /* NULL: it is not linked */
} LibraryFunction;

#ifdef JOT_STATIC
#define LIBRARY_LINKED(function) ((void (*)(void))(function))
#else
#define LIBRARY_LINKED(function) NULL
#endif

typedef struct Library {
    const char *use;      /* what needs it, to begin a sentence: "a server" */
    const char *package;  /* Debian's */
    const char *names[5]; /* as it is called on different systems, the usual one first */
    const LibraryFunction *functions;
    size_t count;
    bool open; /* all functions are set; false to begin with */
} Library;

/* Set all functions of the table.  Any number of threads may call it, any number of times.
 * JOT_UNSUPPORTED, with a sentence that says what to install: it is not there, or too old. */
MUST_USE jot_status library_open(Library *l, Err *e);

#endif
