/* write_read.c - the smallest program that remembers something.
 *
 *     cc write_read.c $(pkg-config --cflags --libs jotter) && ./a.out files:notes
 */
#include <jotter.h>
#include <stdio.h>

static int failed(jot_pad *pad)
{
    fprintf(stderr, "%s\n", jot_error(pad));
    jot_free(pad);
    return 1;
}

int main(int argc, char **argv)
{
    jot_pad *pad = jot_new();
    const jot_doc *plan;
    if (jot_open(pad, argc > 1 ? argv[1] : NULL, NULL) != JOT_OK)
        return failed(pad);
    /* When this returns JOT_OK the text survives kill -9 and power loss. */
    if (jot_doc_write(pad, "plan", jot_str("ship on friday\n"), NULL, NULL) != JOT_OK)
        return failed(pad);
    if (jot_doc_read(pad, "plan", NULL, &plan) != JOT_OK)
        return failed(pad);
    printf("version %s: %s", plan->version, plan->text.data);
    jot_free(pad);
    return 0;
}
