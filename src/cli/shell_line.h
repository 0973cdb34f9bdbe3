/* shell_line.h - a command line as somebody types it into bash, up to the cursor.
 *
 * bash hands completion the raw line, and words that it has cut at ':' and '=' as well.  This
 * reads the line as the shell will: quotes and backslashes, and nothing that is expanded, because
 * completion must not run anything.  What an answer replaces is only the part of the last word
 * after such a cut, or after a quote that is still open. */
#ifndef CLI_SHELL_LINE_H
#define CLI_SHELL_LINE_H

#include "base/arena.h"
#include "base/buf.h"

enum { SHELL_WORDS_MAX = 100 };

typedef struct ShellLine {
    char *words[SHELL_WORDS_MAX + 1]; /* without their quotes, ends in NULL; the last is at the
                                         cursor, and may be "" */
    int n;
    size_t kept; /* bytes of the last word that stand before what is replaced */
    char quote;  /* that is open at the cursor: ' or ", or 0 */
} ShellLine;

/* `breaks` are the characters bash cuts at ($COMP_WORDBREAKS).  Words live in `into`.  False if
 * there are too many. */
MUST_USE bool shell_line_read(Str line, Str breaks, Arena *into, ShellLine *out);

/* A text as it must be typed there: escaped, or as it stands in the open quote. */
void shell_line_add(Buf *to, Str text, char quote);

#endif
