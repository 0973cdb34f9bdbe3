/* calls.c - URL: the C side of calls.py.  Does what a line of standard input asks for, "write 100"
 * or "read 100", as many times, and answers with the nanoseconds that took. */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "jotter.h"

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static jot_status call(jot_pad *pad, bool writes, long long n)
{
    char text[32];
    const jot_doc *doc;
    snprintf(text, sizeof text, "value %lld", n);
    return writes ? jot_doc_write(pad, "calls", jot_str(text), NULL, &doc)
                  : jot_doc_read(pad, "calls", NULL, &doc);
}

int main(int argc, char **argv)
{
    char line[64], verb[16];
    long long times, n = 0;
    if (argc != 2)
        errx(1, "usage: calls URL");
    jot_pad *pad = jot_new();
    if (jot_open(pad, argv[1], NULL) != JOT_OK || call(pad, true, 0) != JOT_OK)
        errx(1, "%s", jot_error(pad));
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%15s %lld", verb, &times) == 2) {
        long long begin = now_ns();
        for (long long i = 0; i < times; i++)
            if (call(pad, strcmp(verb, "write") == 0, ++n) != JOT_OK)
                errx(1, "%s", jot_error(pad));
        printf("%lld\n", now_ns() - begin);
        fflush(stdout);
    }
    jot_free(pad);
    return 0;
}
