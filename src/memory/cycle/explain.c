/* explain.c - reading a pair of snapshots for somebody who asks what the agent did.
 *
 *     before ──┐
 *              ├──► what differs ──► one word for it (running, finished, limit, crashed, nothing,
 *     after  ──┘                     stopped), and a hint where one helps
 *
 * Only the two texts and how the cycle ended are looked at: so it says the same today and in a
 * year, and of a cycle of another program as of our own. */
#include "memory/cycle/explain.h"

#include <assert.h>

static const char *reading_name(Reading r)
{
    static const char *const names[] = {
        [READING_RUNNING] = "running", [READING_FINISHED] = "finished",
        [READING_LIMIT] = "limit",     [READING_CRASHED] = "crashed",
        [READING_NOTHING] = "nothing", [READING_STOPPED] = "stopped",
    };
    assert((size_t)r < COUNT_OF(names));
    return names[r];
}

/* Nothing but entries of the notes differs: the agent did something and moved nothing. */
static bool only_notes(const TreeDiff *d)
{
    for (size_t i = 0; i < d->n; i++) {
        Str path = d->items[i].path;
        if (!str_starts(path, S("notes")) || (path.n > 5 && path.p[5] != '['))
            return false;
    }
    return true;
}

static Reading read_cycle(const Cycle *c, const TreeDiff *d)
{
    switch (c->end) {
    case CYCLE_RUNNING:
        return READING_RUNNING;
    case CYCLE_FAILED:
    case CYCLE_KILLED:
        return READING_CRASHED;
    case CYCLE_DONE:
        return READING_FINISHED;
    case CYCLE_LIMIT:
        return d->n == 0 || (c->iterations_max == 1 && only_notes(d)) ? READING_NOTHING
                                                                      : READING_LIMIT;
    case CYCLE_STOPPED:
        return only_notes(d) ? READING_NOTHING : READING_STOPPED;
    }
    return READING_STOPPED;
}

/* The replies that were no calls, if that is what became of the cycle: half of them at least. */
static bool mostly_unreadable(const Cycle *c)
{
    size_t calls = 0;
    assert(c->calls || c->calls_n == 0);
    for (size_t i = 0; i < c->calls_n; i++)
        calls += c->calls[i].n;
    return c->unreadable && c->unreadable >= calls;
}

static Str unreadable(const Cycle *c, Arena *into)
{
    if (c->iterations == 0)
        return arena_printf(into, "%zu replies could not be read", c->unreadable);
    return arena_printf(into, "%zu of %zu replies could not be read", c->unreadable, c->iterations);
}

static Str repeated(const Cycle *c, Arena *into)
{
    if (mostly_unreadable(c))
        return unreadable(c, into);
    /* The tool that was called most often. */
    const CycleCall *most = NULL;
    for (size_t i = 0; i < c->calls_n; i++)
        if (!most || c->calls[i].n > most->n)
            most = &c->calls[i];
    if (!most)
        return S("no tool was called");
    Str tool = cycle_state_line(into, most->tool, 64);
    if (most->unknown == most->n)
        return arena_printf(into, "'" STR_FMT "' was asked for, and there is no such tool",
                            STR_ARG(tool));
    if (most->n < 2)
        return S("no tool was called twice");
    if (most->same < 2)
        return arena_printf(into, "'" STR_FMT "' was called %zu times", STR_ARG(tool), most->n);
    return arena_printf(into, "'" STR_FMT "' was called %zu times, %zu of them with " STR_FMT,
                        STR_ARG(tool), most->n, most->same,
                        STR_ARG(cycle_state_line(into, most->args, 100)));
}

static Str task_of(const Yaml *state, Arena *into)
{
    const Yaml *task = yaml_get(state, S("current_task"));
    if (!task || (task->kind == YAML_SCALAR && task->type == YAML_NULL))
        return S("none");
    if (task->kind != YAML_SCALAR)
        return S("(not a text)");
    return arena_printf(into, "'" STR_FMT "'", STR_ARG(cycle_state_line(into, task->text, 100)));
}

/* How long it took, where that is known: a cycle of another program does not say. */
static Str spent(const Cycle *c, const char *word, Arena *into)
{
    if (c->iterations_max == 0)
        return (Str){ 0 };
    return arena_printf(into, " %s %zu of %zu iterations", word, c->iterations, c->iterations_max);
}

static Str sentence(const Cycle *c, Reading r, const Yaml *before, Arena *into)
{
    switch (r) {
    case READING_RUNNING:
        return arena_printf(
            into, "it runs, and has had %zu of %zu iterations%s", c->iterations, c->iterations_max,
            c->orphaned ? "; it was killed, or its lease ran out: the next wake ends it"
            : c->dead   ? "; it gave no sign for its ttl: the next wake ends it"
                        : "");
    case READING_FINISHED:
        return arena_printf(into,
                            "it finished" STR_FMT "; the task was " STR_FMT " and is " STR_FMT,
                            STR_ARG(spent(c, "after", into)), STR_ARG(task_of(before, into)),
                            STR_ARG(task_of(c->state, into)));
    case READING_LIMIT:
        if (c->iterations_max == 0)
            return arena_printf(into, "it hit its limit of iterations; " STR_FMT,
                                STR_ARG(repeated(c, into)));
        return arena_printf(into, "it hit the limit of %zu iterations; " STR_FMT, c->iterations_max,
                            STR_ARG(repeated(c, into)));
    case READING_CRASHED:
        return arena_printf(into, "it crashed: " STR_FMT "; the state is what it was before",
                            STR_ARG(c->why.n
                                        ? cycle_state_line(into, c->why, CYCLE_STATE_LINE_CHARS)
                                        : S("nobody knows why")));
    case READING_NOTHING:
        return arena_printf(into, "nothing changed" STR_FMT "; " STR_FMT,
                            STR_ARG(spent(c, "in", into)), STR_ARG(repeated(c, into)));
    case READING_STOPPED:
        return arena_printf(into, "it was put to sleep" STR_FMT ", before it was done",
                            STR_ARG(spent(c, "after", into)));
    }
    return (Str){ 0 };
}

static Str hint(const Cycle *c, Reading r)
{
    if ((r == READING_LIMIT || r == READING_NOTHING) && mostly_unreadable(c))
        return S("the model does not answer with one JSON object that names a tool: its log has "
                 "what it said");
    switch (r) {
    case READING_LIMIT:
        return S("the usual cause is a model that repeats one call instead of saying done");
    case READING_CRASHED:
        return S("its log has what was said and done until then, and the trace if one was given");
    case READING_NOTHING:
        return S("the updates said what was already so, or there was time for one action only");
    case READING_RUNNING:
    case READING_FINISHED:
    case READING_STOPPED:
        break;
    }
    return (Str){ 0 };
}

jot_status cycle_explain(const Cycle *c, Arena *into, Explanation *out, Err *e)
{
    Yaml *before = NULL;
    TRY(cycle_check_state(c, e));
    TRY(cycle_state_read(c->before, into, &before, e));
    *out = (Explanation){ .diff = tree_diff(before, c->state, into) };
    out->reading = read_cycle(c, &out->diff);
    out->sentence = sentence(c, out->reading, before, into);
    out->hint = hint(c, out->reading);
    out->see_log = out->reading == READING_CRASHED ||
                   (mostly_unreadable(c) && out->reading != READING_RUNNING);
    return JOT_OK;
}

json_t *explanation_json(const Explanation *x)
{
    json_t *out = json_pack("{s:s, s:s%, s:o}", "reading", reading_name(x->reading), "sentence",
                            x->sentence.p, x->sentence.n, "diff", tree_diff_json(&x->diff));
    if (x->hint.n)
        json_object_set_new(out, "hint", json_stringn(x->hint.p, x->hint.n));
    if (x->see_log)
        json_object_set_new(out, "see_log", json_true());
    return out;
}
