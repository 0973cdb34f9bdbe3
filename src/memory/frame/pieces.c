/* pieces.c - that regular expression as a scanner.
 *
 * What a regular expression does by trying and going back is decided here by what a run of letters
 * looks like.  U* takes all of UPPER, LETTER and MARK; then W+ needs at least one of LOWER, LETTER
 * and MARK:
 *
 *     HTTPServer      a LOWER follows the run: all of it, and the W after it, is one body
 *     [Lo][Lo]HTTP    none follows: the run ends after its last LETTER or MARK
 *     HTTP            and there is none: the second line of the expression takes it */
#include "memory/frame/pieces.h"

#include "base/glyph.h"
#include "base/vector16.h"

enum { DIGITS_MAX = 3 };

/* What a character is, in one bit, so that a class of them is one mask. */
typedef enum Char {
    LOWER = 1,
    UPPER = 2,  /* title case too */
    LETTER = 4, /* neither: most scripts have no case */
    MARK = 8,
    NUMBER = 16,
    SPACE = 32,
    BREAK = 64, /* \r and \n */
    OTHER = 128,
} Char;

enum {
    BEGINS = UPPER | LETTER | MARK, /* U above */
    GOES_ON = LOWER | LETTER | MARK,
    BOTH = BEGINS & GOES_ON,
    ANY_LETTER = BEGINS | GOES_ON,
    SYMBOL = OTHER | MARK, /* not \s, L, N */
    WHITE = SPACE | BREAK,
    END = 0, /* what follows a text is in no class */
};

/* clang-format off */
static const unsigned char ascii[0x80] = {
    [0x00 ... 0x08] = OTHER, ['\t'] = SPACE, ['\n'] = BREAK, ['\v' ... '\f'] = SPACE, ['\r'] = BREAK,
    [0x0E ... 0x1F] = OTHER, [' '] = SPACE,
    ['!' ... '/'] = OTHER, ['0' ... '9'] = NUMBER, [':' ... '@'] = OTHER, ['A' ... 'Z'] = UPPER,
    ['[' ... '`'] = OTHER, ['a' ... 'z'] = LOWER, ['{' ... 0x7F] = OTHER,
};
/* clang-format on */

static Char beyond_ascii(uint32_t c)
{
    /* The letters of Chinese, Japanese and Korean are most of what is not ASCII. */
    if ((c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3))
        return LETTER;
    static const Char chars[] = {
        [GLYPH_CLASS_LOWER] = LOWER, [GLYPH_CLASS_UPPER] = UPPER,   [GLYPH_CLASS_LETTER] = LETTER,
        [GLYPH_CLASS_MARK] = MARK,   [GLYPH_CLASS_NUMBER] = NUMBER, [GLYPH_CLASS_SPACE] = SPACE,
        [GLYPH_CLASS_OTHER] = OTHER,
    };
    return chars[glyph_class(c)];
}

/* The character at `at`; *next is after it. */
static inline unsigned char_at(Str text, size_t at, size_t *next)
{
    uint32_t c;
    if (at >= text.n) {
        *next = at;
        return END;
    }
    if ((unsigned char)text.p[at] < 0x80) {
        *next = at + 1;
        return ascii[(unsigned char)text.p[at]];
    }
    *next = at;
    return glyph_next(text, next, &c) ? beyond_ascii(c) : OTHER;
}

/* Behind all characters of this class that stand at `at`. */
static size_t skip(Str text, size_t at, unsigned class)
{
    size_t next;
    while (char_at(text, at, &next) & class)
        at = next;
    return at;
}

/* 's, 't, 're, 've, 'm, 'll and 'd belong to the word in front of them. */
static size_t skip_contraction(Str text, size_t at)
{
    if (text.n - at < 2 || text.p[at] != '\'')
        return at;
    unsigned first = (unsigned char)text.p[at + 1] | 0x20u;
    unsigned second = text.n - at > 2 ? (unsigned char)text.p[at + 2] | 0x20u : 0;
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return at + 2;
    bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
               (first == 'l' && second == 'l');
    return two ? at + 3 : at;
}

/* The letters at `at`: where they end, or 0 if there are none, or none but UPPER and those are not
 * `allowed`. */
static size_t body_end(Str text, size_t at, bool capitals)
{
    size_t run = at, both = 0, next = at;
    unsigned now = char_at(text, at, &next);
    for (; now & BEGINS; now = char_at(text, run, &next)) {
        run = next;
        both = now & BOTH ? next : both;
    }
    if (now & LOWER)
        return skip_contraction(text, skip(text, next, GOES_ON));
    if (both)
        return skip_contraction(text, both);
    return capitals && run > at ? skip_contraction(text, run) : 0;
}

static size_t number_end(Str text, size_t at)
{
    size_t next;
    for (size_t n = 0; n < DIGITS_MAX && char_at(text, at, &next) & NUMBER; n++)
        at = next;
    return at;
}

/* Where a run of punctuation ends, with the line breaks and slashes after it. */
static size_t symbols_end(Str text, size_t at)
{
    at = skip(text, at, SYMBOL);
    while (at < text.n && (text.p[at] == '\n' || text.p[at] == '\r' || text.p[at] == '/'))
        at++;
    return at;
}

static size_t space_end(Str text, size_t at)
{
    size_t line = 0, last = at, end = at, next;
    for (unsigned now = char_at(text, at, &next); now & WHITE; now = char_at(text, end, &next)) {
        last = end;
        end = next;
        line = now & BREAK ? end : line;
    }
    if (line)
        return line;
    /* The last one goes to the piece that follows, unless it is the only one. */
    return end == text.n || last == at ? end : last;
}

/* A word of ASCII, which is most pieces of most texts, in one step: `from` is its first letter.  0
 * if it is longer than what is looked at, or may go on with other letters. */
static size_t plain_word_end(Str text, size_t from)
{
    if (text.n - from < sizeof(Vector16))
        return 0;
    Vector16 x = vector16_at(text.p + from);
    uint64_t lower = vector16_bits((Vector16)((x >= 'a') & (x <= 'z')));
    uint64_t upper = vector16_bits((Vector16)((x >= 'A') & (x <= 'Z')));
    size_t capitals = (size_t)__builtin_ctzll(~upper);
    size_t n = capitals + (size_t)__builtin_ctzll(~(lower >> capitals));
    if (n >= sizeof(Vector16) || (unsigned char)text.p[from + n] >= 0x80)
        return 0;
    return skip_contraction(text, from + n);
}

size_t piece_end(Str text, size_t at)
{
    size_t next, end;
    unsigned first = char_at(text, at, &next), second;
    if (first & (LOWER | UPPER | LETTER)) {
        end = text.p[at] & 0x80 ? 0 : plain_word_end(text, at);
        return end ? end : body_end(text, at, true);
    }
    if (first & NUMBER)
        return number_end(text, at);
    size_t after;
    second = char_at(text, next, &after);
    if (!(first & BREAK) && second & ANY_LETTER) {
        end = text.p[next] & 0x80 || first & MARK ? 0 : plain_word_end(text, next);
        if (end)
            return end;
        end = body_end(text, next, !(first & MARK));
        if (end)
            return end;
    }
    if (first & MARK)
        return body_end(text, at, true);
    if (first & OTHER)
        return symbols_end(text, next);
    return text.p[at] == ' ' && second & SYMBOL ? symbols_end(text, next) : space_end(text, at);
}
