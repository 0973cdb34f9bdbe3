/* print.c - text on its way to a person, values on their way to a program. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glyph.h"
#include "base/utf8.h"
#include "cli/cmd.h"

static bool on_terminal(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

static void print_shown(Str text, GlyphHow how)
{
    AUTO(Buf) shown = { .max = SIZE_MAX / 2 };
    if (on_terminal()) {
        glyph_add(&shown, text, how);
        text = buf_str(&shown);
    }
    if (text.n)
        fwrite(text.p, 1, text.n, stdout);
}

void print_text(Str text)
{
    print_shown(text, GLYPH_TEXT);
}

void print_line(Str text)
{
    print_text(text);
    if (!str_ends(text, S("\n")))
        putchar('\n');
}

void print_name(Str name)
{
    print_shown(name, GLYPH_LINE);
}

void print_name_line(Str name)
{
    print_name(name);
    putchar('\n');
}

void print_padded(Str name, size_t width)
{
    print_name(name);
    for (size_t n = glyph_columns(name); n < width; n++)
        putchar(' ');
}

PRINTF_LIKE(2, 0) static void add_sentence(Buf *to, const char *fmt, va_list args)
{
    char *text = NULL;
    int n = vasprintf(&text, fmt, args);
    if (n > 0)
        buf_add(to, (Str){ text, (size_t)n });
    free(text);
}

void print_sentence(const char *fmt, ...)
{
    AUTO(Buf) text = { 0 };
    va_list args;
    va_start(args, fmt);
    add_sentence(&text, fmt, args);
    va_end(args);
    print_name_line(buf_str(&text));
}

void say(const char *fmt, ...)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) shown = { 0 };
    va_list args;
    va_start(args, fmt);
    add_sentence(&text, fmt, args);
    va_end(args);
    buf_add(&shown, S("jotter: "));
    glyph_add(&shown, buf_str(&text), GLYPH_LINE);
    buf_add_char(&shown, '\n');
    fwrite(shown.p, 1, shown.n, stderr);
}

/* The character that `rest` begins with, as JSON escapes it. */
static void print_escape(Str *rest)
{
    size_t at = 0;
    uint32_t c = utf8_next(*rest, &at);
    if (c > 0xFFFF)
        printf("\\u%04x\\u%04x", (unsigned)(0xD7C0 + (c >> 10)), (unsigned)(0xDC00 + (c & 0x3FF)));
    else
        printf("\\u%04x", (unsigned)c);
    *rest = str_from(*rest, at);
}

void print_json(json_t *value)
{
    AUTO_PTR(json_t) owned = value;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    json_write(&text, owned);
    buf_add_char(&text, '\n');
    /* JSON leaves all but the first control characters as they are; they stand in strings. */
    Str rest = buf_str(&text);
    while (on_terminal() && rest.n) {
        size_t hidden = glyph_hidden_at(str_slice(rest, 0, rest.n - 1), GLYPH_LINE);
        fwrite(rest.p, 1, hidden, stdout);
        rest = str_from(rest, hidden);
        if (rest.n > 1)
            print_escape(&rest);
        else
            break;
    }
    fwrite(rest.p, 1, rest.n, stdout);
}

static bool can_move(void)
{
    const char *term = getenv("TERM");
    return term && !str_eq(str(term), S("dumb"));
}

bool can_show_progress(void)
{
    return isatty(STDERR_FILENO) == 1 && can_move();
}

const char *ink(Ink i)
{
    static const char *const codes[] = {
        [INK_PLAIN] = "\033[0m", [INK_BOLD] = "\033[1m",   [INK_DIM] = "\033[2m",
        [INK_RED] = "\033[31m",  [INK_GREEN] = "\033[32m", [INK_YELLOW] = "\033[33m",
        [INK_CYAN] = "\033[36m",
    };
    static int coloured = -1;
    if (coloured < 0) {
        const char *no = getenv("NO_COLOR");
        coloured = isatty(STDOUT_FILENO) == 1 && !(no && no[0]) && can_move();
    }
    return coloured ? codes[i] : "";
}
