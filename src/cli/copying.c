/* copying.c - a whole pad on its way, as a terminal shows it. */
#include "cli/copying.h"

#include <stdio.h>

#include "cli/interrupt.h"

void show_copied(void *progress, const CopyCount *c)
{
    progress_show(progress, c->streams, c->total, counted(c->records, "record").text);
}

static void print_list(const LayoutReport *r)
{
    Shown name;
    for (size_t i = 0; i < r->skipped_n; i++)
        fprintf(stderr, "%s: " STR_FMT "\n", err_show(&name, r->skipped[i].name),
                STR_ARG(r->skipped[i].why));
    if (r->skipped_total > r->skipped_n)
        fprintf(stderr, "and %llu more\n", (unsigned long long)(r->skipped_total - r->skipped_n));
}

void print_pad_problems(const Session *s, const PadReport *r)
{
    if (s->json)
        return;
    print_list(&r->notes);
    if (r->problems.skipped_total > 1) /* a single one is the error's own sentence */
        print_list(&r->problems);
}

jot_status copy_showing(Store *from, Memory *to, Session *s, PadReport *out)
{
    Progress p = progress_new("stream");
    CopyHooks hooks = { .progress = p.terminal ? show_copied : NULL,
                        .go_on = not_interrupted,
                        .ctx = &p };
    interrupt_catch();
    jot_status st = pad_copy(from, to, &hooks, &s->arena, out, &s->err);
    progress_clear(&p);
    print_pad_problems(s, out);
    return st;
}
