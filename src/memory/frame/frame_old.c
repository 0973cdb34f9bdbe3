/* frame_old.c - values in the prompts of runs that were begun without a sign.
 *
 * As it was when they began: tags only at the beginning of a line, and fewer characters that do not
 * count in front of one.  A run that continues must send the same bytes again, so nothing here is
 * ever changed; it can go when no such run will.
 *
 * All of it works on bytes: a value that is not UTF-8 is framed as well, and no
 * byte sequence can be split, because what is looked for begins with ASCII. */
#include "memory/frame/frame.h"

#include <string.h>
#include <strings.h>

#include "base/vector16.h"

/* What a line that means something begins with.  A new kind of line is added here first. */
static const Str openings[] = {
    { "### ", 4 },          { "## tool usage", 13 },
    { "[tool", 5 },         { "[unknown tool", 13 },
    { "[parse error", 12 }, { "new data retrieved after compaction:", 36 },
    { "<jotter-", 8 },      { "</jotter-", 9 },
};

static unsigned char byte(Str s, size_t at)
{
    return at < s.n ? (unsigned char)s.p[at] : 0;
}

/* The bytes of the line break at `at`, 0 if there is none: NEL, LS and PS are some too. */
static size_t break_at(Str s, size_t at)
{
    unsigned char c = byte(s, at), d = byte(s, at + 1), f = byte(s, at + 2);
    if (at < s.n && c >= '\n' && c <= '\r')
        return 1;
    if (c == 0xC2 && d == 0x85)
        return 2;
    return c == 0xE2 && d == 0x80 && (f == 0xA8 || f == 0xA9) ? 3 : 0;
}

/* The bytes of a character that is not seen in front of a line, 0 if it is seen. */
static size_t unseen_at(Str s, size_t at)
{
    unsigned char c = byte(s, at), d = byte(s, at + 1), f = byte(s, at + 2);
    if (at < s.n && (c <= ' ' || c == 0x7F || c == '\\') && !break_at(s, at))
        return 1;
    if (c == 0xC2 && ((d >= 0x80 && d <= 0xA0 && d != 0x85) || d == 0xAD))
        return 2;
    bool spaces = c == 0xE2 && d == 0x80 && f >= 0x80 && (f <= 0x8F || (f >= 0xAA && f <= 0xAF));
    bool signs = c == 0xE2 && d == 0x81 && f >= 0x9F && f <= 0xAF;
    bool other = (c == 0xE3 && d == 0x80 && f == 0x80) || (c == 0xEF && d == 0xBB && f == 0xBF);
    return spaces || signs || other ? 3 : 0;
}

static bool means(Str line)
{
    size_t at = 0, step;
    while ((step = unseen_at(line, at)) > 0)
        at += step;
    Str core = str_from(line, at);
    if (core.n == 0 || !strchr("#[<nN", core.p[0]))
        return false; /* no opening begins so, which is most lines */
    for (size_t i = 0; i < COUNT_OF(openings); i++)
        if (core.n >= openings[i].n && strncasecmp(core.p, openings[i].p, openings[i].n) == 0)
            return true;
    return false;
}

/* The first place from `at` on where a break may begin, or where fewer than sixteen bytes are
 * left. */
static size_t may_break(Str s, size_t at)
{
    for (; s.n - at >= sizeof(Vector16); at += sizeof(Vector16)) {
        Vector16 x = vector16_at(s.p + at);
        Vector16 begins = (Vector16)(((x >= '\n') & (x <= '\r')) | (x == 0xC2) | (x == 0xE2));
        size_t first = vector16_first(begins);
        if (first < sizeof x)
            return at + first;
    }
    return at;
}

/* The end of the line that begins at `at`: where its break begins. */
static size_t line_end(Str s, size_t at)
{
    at = may_break(s, at);
    while (at < s.n && !break_at(s, at))
        at = may_break(s, at + 1);
    return at;
}

void frame_old_add(Buf *to, Str value)
{
    size_t added = 0;
    for (size_t at = 0; at < value.n;) {
        size_t end = line_end(value, at);
        if (means(str_slice(value, at, end))) {
            buf_add(to, str_slice(value, added, at));
            buf_add_char(to, '\\');
            added = at;
        }
        at = end + break_at(value, end);
    }
    buf_add(to, str_from(value, added));
}

void frame_old_read(Buf *to, Str framed)
{
    for (size_t at = 0; at < framed.n;) {
        size_t end = line_end(framed, at), next = end + break_at(framed, end);
        bool marked = framed.p[at] == '\\' && means(str_slice(framed, at, end));
        buf_add(to, str_slice(framed, at + marked, next));
        at = next;
    }
}
