/* run_budget.c - a run of many tool calls, and a context that never grows beyond its budget.
 *
 * The results are large and there are many of them.  What the model is shown stays
 * within the budget; what is left out is named, with the way to get it. */
#include <jotter.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 20, WORDS = 600, BUDGET = 4000 };

static void must(jot_status got, const jot_pad *pad)
{
    if (got == JOT_OK)
        return;
    fprintf(stderr, "%s: %s\n", jot_status_name(got), jot_error(pad));
    exit(1);
}

/* What a tool would return. */
static void look_up(int page, char *to, size_t room)
{
    size_t at = 0;
    int i;
    for (i = 0; i < WORDS; i++)
        at += (size_t)snprintf(to + at, room - at, "word%d ", page * WORDS + i);
}

static void work(jot_pad *pad, const char *run)
{
    static char result[WORDS * 16];
    char call[32], arguments[64];
    jot_call_options options = { 0 };
    const jot_warnings *warnings;
    int page;
    options.size = sizeof options;
    options.arguments = arguments;
    options.limit = CALLS;
    for (page = 1; page <= CALLS; page++) {
        snprintf(call, sizeof call, "call_%d", page);
        snprintf(arguments, sizeof arguments, "{\"page\": %d}", page);
        must(jot_run_call(pad, run, call, "look_up", &options, &warnings), pad);
        if (warnings->limit[0])
            printf("to the model: %.60s...\n", warnings->limit);
        look_up(page, result, sizeof result);
        must(jot_run_result(pad, run, call, true, jot_str(result), NULL), pad);
    }
}

int main(int argc, char **argv)
{
    jot_pad *pad = jot_new();
    jot_context_options options = { 0 };
    const jot_shown *shown;
    const char *begun;
    char run[80];
    size_t i;
    must(jot_open(pad, argc > 1 ? argv[1] : NULL, NULL), pad);
    must(jot_run_begin(pad, jot_str("what do the pages say?"), NULL, &begun), pad);
    snprintf(run, sizeof run, "%s", begun);
    must(jot_doc_write(pad, "pinned-style", jot_str("answer in one sentence\n"), NULL, NULL), pad);
    work(pad, run);

    options.size = sizeof options;
    options.run = run;
    options.budget = BUDGET;
    must(jot_context(pad, &options, &shown), pad);
    printf("%d results; the context has about %d of %d tokens and shows %d of them in full\n",
           CALLS, (int)shown->tokens, BUDGET, (int)shown->results);
    printf("its first %d bytes stay the same while the run grows\n", (int)shown->prefix);
    for (i = 0; i < shown->left_count; i++)
        printf("left out: %s %d to %d (%s)\n", shown->left[i]->what, (int)shown->left[i]->from,
               (int)shown->left[i]->to, shown->left[i]->why);

    must(jot_run_say(pad, run, JOT_STEP_ANSWER, jot_str("words, all of them")), pad);
    jot_free(pad);
    return 0;
}
