/* print.c - text on its way to a person. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cmd.h"

/* Stored text may hold escape sequences that a terminal would obey. */
static void print_shown(Str text)
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

void print_text(Str text)
{
    if (isatty(STDOUT_FILENO) == 1)
        print_shown(text);
    else if (text.n)
        fwrite(text.p, 1, text.n, stdout);
}
