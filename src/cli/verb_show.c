/* verb_show.c - what a person is shown beside what the templates of a row say. */
#include "cli/verb_show.h"

#include <string.h>

#include "cli/cmd_log.h"

/* An agent's run needs no checkpoints: each of its turns is one. */
static void show_turns(Session *s, const VerbData *d)
{
    AUTO(Run) r = { 0 };
    Err none = s->err;
    uint64_t turns = 0;
    if (json_array_size(json_object_get(d->json, "checkpoints")))
        return;
    if (run_open(&s->memory, arg_at(s, 0), &r, &s->err) == JOT_OK &&
        log_turns_before(s, &r, UINT64_MAX, &turns) == JOT_OK && turns)
        say("run %s has %s to go back to: jotter run --resume %s --from TURN", r.id,
            counted(turns, "turn").text, r.id);
    s->err = none;
}

static const struct {
    const char *tool;
    VerbShow show;
} shows[] = {
    { "checkpoint_list", show_turns },
};

VerbShow verb_show(const Verb *v)
{
    for (size_t i = 0; v->tool.name && i < COUNT_OF(shows); i++)
        if (strcmp(shows[i].tool, v->tool.name) == 0)
            return shows[i].show;
    return NULL;
}
