/* glyph.h - what of a text can be seen, and any bytes so that all of them can.
 *
 * A terminal draws nothing for a zero-width space, turns a line around at U+202E and obeys ESC; a
 * model reads what nobody saw.  So everything that is shown to a person on a terminal, and every
 * name in a sentence, goes through glyph_add(): what can be seen stays as it is, in every script,
 * and the rest is written out.
 *
 *   \n \r \t        line breaks and tabs, on a line
 *   \x1B            other control characters below U+0080, and bytes that are not UTF-8
 *   \u{202E}        everything else that is not seen
 *
 * It is for reading, not for reading back: a backslash stands for itself. */
#ifndef BASE_GLYPH_H
#define BASE_GLYPH_H

#include "base/buf.h"

typedef enum GlyphKind {
    GLYPH_SEEN,
    GLYPH_SPACE,   /* a tab, and a space of any width */
    GLYPH_BREAK,   /* what may be shown as the end of a line, or is taken for one by a program */
    GLYPH_MARK,    /* seen on the character before it */
    GLYPH_UNSEEN,  /* control and format characters, fillers, selectors, tags, non-characters */
    GLYPH_UNKNOWN, /* not assigned, or for private use: it looks as some font has it */
} GlyphKind;

/* By Unicode's categories and Default_Ignorable_Code_Point, as utf8proc has them, with what is
 * reserved there to be ignored, and what is assigned and empty (U+2800, U+1D159, U+13441,
 * U+13442). */
GlyphKind glyph_kind(uint32_t c);

/* What a character is in writing, by Unicode's categories alone. */
typedef enum GlyphClass {
    GLYPH_CLASS_OTHER,  /* punctuation, symbols, what controls, and what is not assigned */
    GLYPH_CLASS_LOWER,  /* Ll */
    GLYPH_CLASS_UPPER,  /* Lu, Lt */
    GLYPH_CLASS_LETTER, /* Lm, Lo: neither */
    GLYPH_CLASS_MARK,   /* M */
    GLYPH_CLASS_NUMBER, /* N */
    GLYPH_CLASS_SPACE,  /* the property White_Space */
} GlyphClass;
GlyphClass glyph_class(uint32_t c);

/* The character at *at of any bytes; *at moves past it.  False: the byte there is not UTF-8, and
 * *c is that byte. */
bool glyph_next(Str s, size_t *at, uint32_t *c);

enum { GLYPH_MARKS_MAX = 4 /* on one character; more of them run over the lines around */ };

typedef enum GlyphHow {
    GLYPH_LINE, /* a name or a sentence: the only thing that is not seen is the plain space */
    /* Text of several lines: breaks by line feed and tabs stay, and so do the selectors and joiners
     * that emoji and some scripts are written with, where they stand in such writing. */
    GLYPH_TEXT,
} GlyphHow;

/* Add any bytes so that all of them are seen. */
void glyph_add(Buf *to, Str bytes, GlyphHow how);
/* The same of as many as take at most `max` bytes; how many of `bytes` that are. */
size_t glyph_add_most(Buf *to, Str bytes, GlyphHow how, size_t max);

/* How many columns of a terminal a text of one line takes: a character of East Asia two, a mark on
 * another none. */
size_t glyph_columns(Str line);

/* Where the first character is that glyph_add would write out; s.n: none. */
size_t glyph_hidden_at(Str s, GlyphHow how);

#endif
