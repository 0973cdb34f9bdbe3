/* portable.c - what linking Debian's archives into one shared library needs.
 *
 * An archive made for programs may use the address of libc's `stdin` as if it were its own, which a
 * shared library cannot.  The linker (--wrap=stdin) leads such uses here.  The one there is, in
 * jansson's json_loadf(), compares a stream with it to name it in an error; nobody calls that. */
#include <stdio.h>

FILE *jotter_no_stdin __asm__("__wrap_stdin");
