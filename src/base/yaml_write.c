/* yaml_write.c - a tree as a YAML document.
 *
 * A string is written in one of three ways, and each only where every reader
 * agrees on it:
 *   plain     a word or sentence no version of YAML takes for anything else;
 *   literal   a block after '|', for several lines that show all they hold;
 *   quoted    in double quotes, with escapes: everything else.
 * Blanks at the end of a line stay in a block: one of them does not make a page
 * of notes unreadable, and an editor that removes them takes nothing that is
 * seen.  Each level is indented by two columns. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "base/yaml.h"
#include "base/yaml_internal.h"

/* A reader gives up on a key of more than 1024 characters, unless '?' announces it. */
enum { SIMPLE_KEY_MAX = 1000, INDENT = 2 };

/* What stands on the line in front of a value. */
typedef enum Behind { BEHIND_NOTHING, BEHIND_KEY, BEHIND_DASH } Behind;

typedef struct Writer {
    Buf *to;
    size_t nodes;
    Err *e;
} Writer;

bool yaml_shows(uint32_t c)
{
    if (c == '\t' || c == '\n' || (c >= 0x20 && c < 0x7F))
        return true;
    bool line_break = c == 0x2028 || c == 0x2029;
    bool in_plane = c >= 0xA0 && c <= 0xFFFD && !(c >= 0xD800 && c <= 0xDFFF);
    return c >= 0x10000 || (in_plane && !line_break && c != 0xFEFF);
}

static bool shows_all(Str text)
{
    for (size_t i = 0; i < text.n;)
        if (!yaml_shows(utf8_next(text, &i)))
            return false;
    return true;
}

/* --- Which style ----------------------------------------------------------------------- */

/* Words that some version of YAML takes for a bool or for null, in any case. */
static bool is_word(Str text)
{
    static const char *const words[] = {
        "null", "true", "false", "yes", "no", "on", "off", "y", "n"
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (text.n == strlen(words[i]) && strncasecmp(text.p, words[i], text.n) == 0)
            return true;
    return false;
}

/* Numbers in any base, with any separator, dates and times: begins with a digit and holds nothing
 * but what these are made of. */
static bool like_number(Str text)
{
    static const char parts[] = "0123456789abcdefABCDEFoOxX_.,:+-tTzZ ";
    if (text.p[0] < '0' || text.p[0] > '9')
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (!text.p[i] || !strchr(parts, text.p[i]))
            return false;
    return true;
}

static bool plain_first(char c)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool high = (unsigned char)c >= 0x80;
    return letter || high || (c >= '0' && c <= '9') || (c && strchr("_/($", c));
}

static bool plain_ok(Str text)
{
    if (text.n == 0 || !plain_first(text.p[0]) || text.p[text.n - 1] == ' ')
        return false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i], next = ' ';
        if (i + 1 < text.n)
            next = text.p[i + 1];
        if (c == '\n' || c == '\t' || (c == ':' && next == ' ') || (c == ' ' && next == '#'))
            return false;
    }
    return shows_all(text) && !is_word(text) && !like_number(text);
}

/* True if the text needs the block's indentation said: its first line begins with blanks, so that
 * a reader cannot measure it. */
static bool needs_hint(Str text)
{
    return text.p[0] == ' ' || text.p[0] == '\t' || text.p[0] == '\n';
}

static bool literal_ok(Str text, Behind behind)
{
    bool lines = false, other = false;
    for (size_t i = 0; i < text.n; i++) {
        lines |= text.p[i] == '\n';
        other |= text.p[i] != '\n' && text.p[i] != ' ' && text.p[i] != '\t';
    }
    /* From which column a hint counts at the root is a thing readers disagree on. */
    bool hint = lines && other && needs_hint(text);
    return lines && other && !(hint && behind == BEHIND_NOTHING) && shows_all(text);
}

/* --- Scalars --------------------------------------------------------------------------- */

static void add_spaces(Buf *to, size_t n)
{
    for (; n > 0; n--)
        buf_add_char(to, ' ');
}

static void write_quoted(Buf *to, Str text)
{
    static const char from[] = "\"\\\b\t\n\f\r", into[] = "\"\\btnfr";
    buf_add_char(to, '"');
    for (size_t i = 0; i < text.n;) {
        size_t at = i;
        uint32_t c = utf8_next(text, &i);
        const char *known = c < 0x80 ? strchr(from, (int)c) : NULL;
        if (known) {
            buf_add_char(to, '\\');
            buf_add_char(to, into[known - from]);
        } else if (yaml_shows(c)) {
            buf_add(to, str_slice(text, at, i));
        } else {
            buf_addf(to, "\\u%04X", c);
        }
    }
    buf_add_char(to, '"');
}

static void write_literal(Buf *to, Str text, size_t column)
{
    buf_add_char(to, '|');
    if (needs_hint(text))
        buf_addf(to, "%d", INDENT);
    bool ends = text.p[text.n - 1] == '\n';
    if (!ends)
        buf_add_char(to, '-');
    else if (text.p[text.n - 2] == '\n')
        buf_add_char(to, '+');
    /* The last line is ended by the function that writes the next one. */
    Str line, rest = str_slice(text, 0, text.n - ends);
    bool more = true;
    while (more) {
        more = str_cut(&rest, '\n', &line);
        if (!more)
            line = rest;
        buf_add_char(to, '\n');
        if (line.n)
            add_spaces(to, column);
        buf_add(to, line);
    }
}

static jot_status check_text(Str text, Err *e)
{
    Shown shown;
    if (!utf8_valid(text))
        return err_set(e, JOT_INVALID, "cannot write '%s' as YAML: it is not UTF-8",
                       err_show(&shown, text));
    if (str_find(text, 0) < text.n)
        return err_set(e, JOT_INVALID, "cannot write '%s' as YAML: it holds a NUL",
                       err_show(&shown, text));
    return JOT_OK;
}

static jot_status count_node(Writer *w)
{
    if (++w->nodes > YAML_NODES_MAX)
        return err_set(w->e, JOT_TOO_BIG, "a YAML document has at most %d values and keys",
                       YAML_NODES_MAX);
    return JOT_OK;
}

/* --- Lists and maps -------------------------------------------------------------------- */

static jot_status write_node(Writer *w, const Yaml *y, size_t column, Behind behind, int depth);

/* A key and its ':'. */
static jot_status write_key(Writer *w, const YamlPair *pair, size_t column)
{
    TRY(count_node(w));
    TRY(check_text(pair->key, w->e));
    AUTO(Buf) key = { 0 };
    bool bare = pair->key_type != YAML_STRING;
    assert(!bare || (pair->key.n && yaml_type_of(pair->key) == pair->key_type));
    if (bare || plain_ok(pair->key))
        buf_add(&key, pair->key);
    else
        write_quoted(&key, pair->key);
    bool simple = key.n <= SIMPLE_KEY_MAX;
    if (!simple)
        buf_add(w->to, S("? "));
    buf_add(w->to, buf_str(&key));
    if (!simple) {
        buf_add_char(w->to, '\n');
        add_spaces(w->to, column);
    }
    buf_add_char(w->to, ':');
    return JOT_OK;
}

/* What is in a list or map, from `column` on.  After a dash the first stands on its line. */
static jot_status write_members(Writer *w, const Yaml *y, size_t column, Behind behind, int depth)
{
    if (behind == BEHIND_KEY)
        buf_add_char(w->to, '\n');
    else if (behind == BEHIND_DASH)
        buf_add_char(w->to, ' ');
    for (size_t i = 0; i < y->n; i++) {
        if (i > 0 || behind != BEHIND_DASH)
            add_spaces(w->to, column);
        if (y->kind == YAML_LIST) {
            buf_add_char(w->to, '-');
            TRY(write_node(w, y->items[i], column, BEHIND_DASH, depth));
        } else {
            TRY(write_key(w, &y->pairs[i], column));
            TRY(write_node(w, y->pairs[i].value, column, BEHIND_KEY, depth));
        }
    }
    return JOT_OK;
}

/* A value inside a list or map that begins at `column`; the root is inside nothing. */
static jot_status write_node(Writer *w, const Yaml *y, size_t column, Behind behind, int depth)
{
    TRY(count_node(w));
    if (y->kind == YAML_SCALAR) {
        /* A scalar after what stands on the line, and the end of that line. */
        if (behind != BEHIND_NOTHING && !(y->type == YAML_NULL && y->text.n == 0))
            buf_add_char(w->to, ' ');
        if (y->type != YAML_STRING) {
            assert(yaml_type_of(y->text) == y->type);
            buf_add(w->to, y->text);
        } else {
            TRY(check_text(y->text, w->e));
            if (plain_ok(y->text))
                buf_add(w->to, y->text);
            else if (literal_ok(y->text, behind))
                write_literal(w->to, y->text, column + INDENT);
            else
                write_quoted(w->to, y->text);
        }
        buf_add_char(w->to, '\n');
        return JOT_OK;
    }
    if (depth == YAML_DEPTH_MAX)
        return err_set(w->e, JOT_TOO_BIG, "a YAML document nests at most %d levels",
                       YAML_DEPTH_MAX);
    if (y->n == 0) {
        if (behind != BEHIND_NOTHING)
            buf_add_char(w->to, ' ');
        buf_add(w->to, y->kind == YAML_LIST ? S("[]\n") : S("{}\n"));
        return JOT_OK;
    }
    size_t inner = behind == BEHIND_NOTHING ? 0 : column + INDENT;
    return write_members(w, y, inner, behind, depth + 1);
}

jot_status yaml_write(Buf *to, const Yaml *tree, Err *e)
{
    size_t start = to->n;
    Writer w = { .to = to, .e = e };
    jot_status st = write_node(&w, tree, 0, BEHIND_NOTHING, 0);
    if (st == JOT_OK && (!buf_ok(to) || to->n - start > YAML_BYTES_MAX))
        st = err_set(e, JOT_TOO_BIG, "a YAML document has at most %d bytes", YAML_BYTES_MAX);
    if (st != JOT_OK)
        to->n = start;
    return st;
}
