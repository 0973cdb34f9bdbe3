/* print.c - text on its way to a person, values on their way to a program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cmd.h"

/* Control characters of well-formed text: C0, DEL, and C1 in two bytes. */
static void print_valid(Str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool c1 = c == 0xC2 && i + 1 < text.n && (unsigned char)text.p[i + 1] < 0xA0;
        if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7F && !c1))
            putchar(c);
        else if (c1)
            printf("\\x%02X\\x%02X", c, (unsigned char)text.p[++i]);
        else
            printf("\\x%02X", c);
    }
}

/* Stored text may hold escape sequences that a terminal would obey.  A byte that is not UTF-8 can
 * begin one too, where the terminal takes single bytes for characters. */
static void print_shown(Str text)
{
    while (text.n) {
        size_t bad = utf8_bad_at(text);
        print_valid(str_slice(text, 0, bad));
        if (bad < text.n)
            printf("\\x%02X", (unsigned char)text.p[bad]);
        text = str_from(text, bad < text.n ? bad + 1 : bad);
    }
}

void print_text(Str text)
{
    if (isatty(STDOUT_FILENO) == 1)
        print_shown(text);
    else if (text.n)
        fwrite(text.p, 1, text.n, stdout);
}

void print_line(Str text)
{
    print_text(text);
    if (!str_ends(text, S("\n")))
        putchar('\n');
}

Counted counted(uint64_t n, const char *what)
{
    Counted c;
    size_t all = strlen(what);
    bool y = all > 1 && what[all - 1] == 'y' && !strchr("aeiou", what[all - 2]);
    if (n == 1)
        snprintf(c.text, sizeof c.text, "1 %s", what);
    else
        snprintf(c.text, sizeof c.text, "%llu %.*s%s", (unsigned long long)n,
                 (int)(y ? all - 1 : all), what, y ? "ies" : "s");
    return c;
}

void print_json(json_t *value)
{
    AUTO_PTR(json_t) owned = value;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    json_write(&text, owned);
    buf_add_char(&text, '\n');
    /* JSON leaves DEL and C1 as they are, and a terminal may obey them; they stand in strings. */
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool c1 = c == 0xC2 && i + 1 < text.n && (unsigned char)text.p[i + 1] < 0xA0;
        if (!c1 && c != 0x7F)
            continue;
        fwrite(text.p + from, 1, i - from, stdout);
        i += c1;
        printf("\\u%04x", (unsigned char)text.p[i]);
        from = i + 1;
    }
    fwrite(text.p + from, 1, text.n - from, stdout);
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
