/* phrase.c - finding a phrase through escapes.
 *
 * A text is a row of units: at level 0 a unit is a byte, at each level above it
 * what one escape of JSON stands for, made of units of the level below.  So units
 * of a level never overlap, and a walk from the beginning of the text meets all of
 * them.  A backslash that begins no escape is itself.
 *
 *     level 0   s  a  y  \  \  \  "  h  i     as it stands there: nine units
 *     level 1   s  a  y  \     "     h  i     read as JSON once: "\\" and "\"" are a unit each
 *     level 2   s  a  y  "           h  i     read twice: the two of level 1 are one
 *
 * Exactly first, loosely afterwards: what is exact is then gone already, and a loose
 * match costs nothing where the first byte of the phrase does not stand. */
#include "memory/forget/phrase.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"

typedef struct Unit {
    size_t end; /* in the text */
    char bytes[4];
    size_t n;
} Unit;

static Unit unit_at(Str s, size_t at, int level);

/* The four hex digits at `*at`, which moves past them; -1 if there are others. */
static int32_t read_hex(Str s, size_t *at, int level)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        if (*at >= s.n)
            return -1;
        Unit u = unit_at(s, *at, level);
        int digit = u.n == 1 ? hex_digit(u.bytes[0]) : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
        *at = u.end;
    }
    return value;
}

/* The second half of a pair, from its backslash on; -1 if there is none. */
static int32_t read_low(Str s, size_t *at, int level)
{
    for (const char *want = "\\u"; *want; want++) {
        if (*at >= s.n)
            return -1;
        Unit u = unit_at(s, *at, level);
        if (u.n != 1 || u.bytes[0] != *want)
            return -1;
        *at = u.end;
    }
    int32_t low = read_hex(s, at, level);
    return low >= 0xDC00 && low <= 0xDFFF ? low : -1;
}

static void put_code(Unit *u, uint32_t c)
{
    static const unsigned char heads[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    u->n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = u->n; i-- > 1; c >>= 6)
        u->bytes[i] = (char)(0x80 | (c & 0x3F));
    u->bytes[0] = (char)(heads[u->n < 2 ? 0 : u->n] | c);
}

/* What stands after \u at `at`; false if that is no character. */
static bool read_code(Str s, size_t at, int level, Unit *out)
{
    int32_t code = read_hex(s, &at, level);
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF))
        return false;
    if (code >= 0xD800 && code <= 0xDBFF) {
        int32_t low = read_low(s, &at, level);
        if (low < 0)
            return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    out->end = at;
    put_code(out, (uint32_t)code);
    return true;
}

static Unit unit_at(Str s, size_t at, int level)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    Unit plain = { .end = at + 1, .bytes = { s.p[at] }, .n = 1 };
    if (level == 0 || s.p[at] != '\\')
        return plain;
    Unit first = unit_at(s, at, level - 1);
    if (first.n != 1 || first.bytes[0] != '\\' || first.end >= s.n)
        return first;
    Unit second = unit_at(s, first.end, level - 1), out = second;
    if (second.n != 1)
        return first;
    const char *name = second.bytes[0] ? strchr(names, second.bytes[0]) : NULL;
    if (name) {
        out.bytes[0] = means[name - names];
        return out;
    }
    return second.bytes[0] == 'u' && read_code(s, second.end, level - 1, &out) ? out : first;
}

/* The end of the phrase that begins with the unit at `at`, or 0. */
static size_t match_units(Str s, size_t at, Str phrase, int level)
{
    size_t done = 0;
    while (done < phrase.n) {
        if (at >= s.n)
            return 0;
        Unit u = unit_at(s, at, level);
        if (u.n > phrase.n - done || memcmp(u.bytes, phrase.p + done, u.n) != 0)
            return 0;
        done += u.n;
        at = u.end;
    }
    return at;
}

/* The same for bytes: it may begin and end inside a character that JSON has written. */
static size_t match_bytes(Str s, size_t at, Str phrase)
{
    size_t end = unit_at(s, at, 1).end, stop = 0;
    for (size_t i = at; i < end && !stop && i + phrase.n <= s.n; i++)
        if (memcmp(s.p + i, phrase.p, phrase.n) == 0)
            stop = i + phrase.n;
    while (stop && end < stop)
        end = unit_at(s, end, 1).end;
    return stop ? end : 0;
}

/* --- Loosely ----------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F;
}

/* The one byte of the unit at `at`; -1 if there is none, or it has more.  *end is where it ends. */
static int byte_at(Str s, size_t at, int level, size_t *end)
{
    if (at >= s.n)
        return -1;
    Unit u = unit_at(s, at, level);
    *end = u.end;
    return u.n == 1 ? (unsigned char)u.bytes[0] : -1;
}

/* After what stands in front of a line in a view: "|", or a number and a tab. */
static size_t skip_gutter(Str s, size_t at, int level)
{
    size_t end = at, next = at;
    int c = byte_at(s, at, level, &end);
    if (c == '|') {
        c = byte_at(s, end, level, &next);
        return c < 0 || is_blank((char)c) ? end : at;
    }
    size_t here = at;
    for (; c >= '0' && c <= '9'; c = byte_at(s, here, level, &end))
        here = end;
    return here > at && c == '\t' ? end : at;
}

/* After the blanks at `at`, and what stands in front of the lines that begin there. */
static size_t skip_blanks(Str s, size_t at, int level)
{
    bool fresh = false;
    for (;;) {
        size_t end = at;
        int c;
        while ((c = byte_at(s, at, level, &end)) >= 0 && is_blank((char)c)) {
            fresh = fresh || c == '\n';
            at = end;
        }
        size_t behind = fresh ? skip_gutter(s, at, level) : at;
        if (behind == at)
            return at;
        at = behind;
    }
}

/* After the ** at `at`; `at` if there is none. */
static size_t skip_bold(Str s, size_t at, int level)
{
    size_t end = at;
    if (byte_at(s, at, level, &end) != '*' || byte_at(s, end, level, &end) != '*')
        return at;
    return end;
}

/* As match_units, with any blanks for blanks and ** passed over.  `phrase` has none at its ends. */
static size_t match_loose(Str s, size_t at, Str phrase, int level)
{
    size_t done = 0;
    bool bold = false;
    while (done < phrase.n) {
        size_t next = at;
        if (is_blank(phrase.p[done])) {
            next = skip_blanks(s, at, level);
            done = next > at ? skip_blanks(phrase, done, 0) : done;
        } else if (at < s.n) {
            Unit u = unit_at(s, at, level);
            bool same = u.n <= phrase.n - done && memcmp(u.bytes, phrase.p + done, u.n) == 0;
            next = same ? u.end : at;
            done += same ? u.n : 0;
        }
        if (next == at) {
            next = done ? skip_bold(s, at, level) : at;
            bold = !bold;
        }
        if (next == at)
            return 0;
        at = next;
    }
    return bold ? skip_bold(s, at, level) : at;
}

/* The same for bytes, without cutting a character that JSON has written. */
static size_t match_loose_bytes(Str s, size_t at, Str phrase)
{
    size_t stop = match_loose(s, at, phrase, 0), end = at;
    while (end < stop)
        end = unit_at(s, end, 1).end;
    return stop ? end : 0;
}

/* What of a phrase is looked for loosely; empty if it is one word. */
static Str loose_part(Str phrase)
{
    while (phrase.n && is_blank(phrase.p[0]))
        phrase = str_from(phrase, 1);
    while (phrase.n && is_blank(phrase.p[phrase.n - 1]))
        phrase.n--;
    for (size_t i = 0; i < phrase.n; i++) {
        unsigned char c = (unsigned char)phrase.p[i];
        bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!word && c < 0x80)
            return phrase;
    }
    return (Str){ 0 };
}

/* --- Walking ----------------------------------------------------------------------------- */

/* How a phrase is looked for. */
typedef struct Way {
    Str phrase;
    int level;
    bool loose;
} Way;

static size_t match(Str s, size_t at, const Way *w)
{
    if (w->loose)
        return w->level ? match_loose(s, at, w->phrase, w->level)
                        : match_loose_bytes(s, at, w->phrase);
    return w->level ? match_units(s, at, w->phrase, w->level) : match_bytes(s, at, w->phrase);
}

/* One walk at one level; what is not the phrase goes to `to`.  Without it the first one is enough.
 * *deeper: there are escapes at this level, so that the next one differs. */
static bool walk(Str s, const Way *w, Str mark, Buf *to, bool *deeper)
{
    size_t kept = 0; /* up to here `to` has it */
    *deeper = false;
    for (size_t at = 0; at < s.n;) {
        if (s.p[at] != '\\' && s.p[at] != w->phrase.p[0]) { /* most bytes are neither */
            at++;
            continue;
        }
        size_t end = match(s, at, w);
        if (end && !to)
            return true;
        size_t next = end ? end : unit_at(s, at, w->level ? w->level : 1).end;
        *deeper = *deeper || next > at + 1;
        if (end) {
            buf_add(to, str_slice(s, kept, at));
            buf_add(to, mark);
            kept = end;
        }
        at = next;
    }
    if (to)
        buf_add(to, str_from(s, kept));
    return kept > 0;
}

bool phrase_in(Str text, Str phrase)
{
    assert(phrase.n);
    if (text.n == 0)
        return false;
    if (memmem(text.p, text.n, phrase.p, phrase.n))
        return true;
    bool escapes = memchr(text.p, '\\', text.n) != NULL, deeper = escapes;
    for (Way w = { phrase, 1, false }; deeper && w.level <= PHRASE_DEPTH; w.level++)
        if (walk(text, &w, (Str){ 0 }, NULL, &deeper))
            return true;
    Way w = { loose_part(phrase), 0, true };
    for (deeper = w.phrase.n > 0; deeper && w.level <= PHRASE_DEPTH; w.level++) {
        if (walk(text, &w, (Str){ 0 }, NULL, &deeper))
            return true;
        deeper = w.level == 0 ? escapes : deeper;
    }
    return false;
}

/* All levels, one way. */
static Str replace(Str text, Way w, Str mark, Arena *into)
{
    bool deeper = true;
    for (; text.n && deeper && w.level <= PHRASE_DEPTH; w.level++) {
        AUTO(Buf) out = { .max = SIZE_MAX / 2 };
        bool escapes = memchr(text.p, '\\', text.n) != NULL;
        bool found = walk(text, &w, mark, &out, &deeper);
        if (found)
            text = arena_copy(into, buf_str(&out));
        deeper = w.level == 0 ? escapes : deeper;
    }
    return text;
}

Str phrase_replace(Str text, Str phrase, Str mark, Arena *into)
{
    assert(phrase.n);
    text = replace(text, (Way){ phrase, 0, false }, mark, into);
    Way loose = { loose_part(phrase), 0, true };
    return loose.phrase.n ? replace(text, loose, mark, into) : text;
}
