/* shell_line.c - the words of a line that is still being typed. */
#include "cli/shell_line.h"

#include <string.h>

static bool is_one_of(char c, Str among)
{
    return str_find(among, c) < among.n;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Whether a backslash takes the next character as it is: in double quotes it does so only before
 * those that mean something there. */
static bool escapes(char quote, char next)
{
    return !quote || (quote == '"' && is_one_of(next, S("\"\\$`")));
}

/* One word from `*at` on, into `word`; *at moves past it. */
static void read_word(Str line, Str breaks, size_t *at, Buf *word, ShellLine *out)
{
    out->quote = 0;
    out->kept = 0;
    for (; *at < line.n && (out->quote || !is_space(line.p[*at])); ++*at) {
        char c = line.p[*at];
        if (c == '\\' && out->quote != '\'' && *at + 1 < line.n &&
            escapes(out->quote, line.p[*at + 1])) {
            buf_add_char(word, line.p[++*at]);
        } else if (out->quote && c == out->quote) {
            out->quote = 0;
        } else if (!out->quote && (c == '"' || c == '\'')) {
            out->quote = c;
            out->kept = word->n;
        } else {
            buf_add_char(word, c);
            if (!out->quote && is_one_of(c, breaks))
                out->kept = word->n;
        }
    }
}

bool shell_line_read(Str line, Str breaks, Arena *into, ShellLine *out)
{
    *out = (ShellLine){ 0 };
    for (size_t at = 0;;) {
        AUTO(Buf) word = { 0 };
        while (at < line.n && is_space(line.p[at]))
            at++;
        if (out->n == SHELL_WORDS_MAX)
            return false;
        read_word(line, breaks, &at, &word, out);
        out->words[out->n++] = arena_cstr(into, buf_str(&word));
        if (at == line.n)
            return true;
    }
}

void shell_line_add(Buf *to, Str text, char quote)
{
    static const Str odd = S(" \t\n\\\"'`$&|;<>(){}[]*?!#~^");
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (quote == '\'' && c == quote)
            buf_add(to, S("'\\'")); /* nothing is escaped in there: it ends, and begins again */
        else if (quote == '"' ? escapes(quote, c) : !quote && is_one_of(c, odd))
            buf_add_char(to, '\\');
        buf_add_char(to, c);
    }
}
