/* tokens.c - how fast tokens are estimated: tokens [--smoke] FILE...
 *
 * Each text is repeated to a quarter of a megabyte and estimated beside the least that reading it
 * takes here, the check that it is UTF-8; a line has the bytes a second of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "bench/bench.h"
#include "memory/frame/tokens.h"

enum { TEXT_BYTES = 256 * 1024, SMOKE_BYTES = 4 * 1024 };

static size_t seen; /* so that nothing is optimised away */

static void estimate(void *ctx)
{
    seen += tokens_estimate(*(Str *)ctx);
}

static void check(void *ctx)
{
    seen += utf8_valid(*(Str *)ctx);
}

static void fill(Buf *to, const char *path, size_t bytes)
{
    static char text[65536];
    FILE *f = fopen(path, "r");
    must(f != NULL, path);
    size_t n = fread(text, 1, sizeof text, f);
    must(n > 0, path);
    fclose(f);
    while (to->n < bytes)
        buf_add(to, (Str){ text, n });
}

static void measure(const Bench *b, const char *path)
{
    AUTO(Buf) text = { 0 };
    fill(&text, path, b->smoke ? SMOKE_BYTES : TEXT_BYTES);
    Str all = buf_str(&text);
    Side sides[] = { { estimate, &all }, { check, &all } };
    Times t;
    race_run(b, &(Race){ .sides = sides, .n = COUNT_OF(sides), .batch = 4, .turns = 9 }, &t);
    double took = median(t.us[0], t.rounds), least = median(t.us[1], t.rounds);
    const char *name = strrchr(path, '/');
    printf("%-22s %6.0f MB/s   UTF-8 check %6.0f MB/s   %4.2f bytes a token\n",
           name ? name + 1 : path, (double)all.n / took, (double)all.n / least,
           (double)all.n / (double)tokens_estimate(all));
}

int main(int argc, char **argv)
{
    Bench b = { .rounds = 3 };
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--smoke") == 0)
            b.smoke = true;
        else
            measure(&b, argv[i]);
    return seen ? 0 : 1;
}
