/* cycle_pair.c - what a cycle of another program came to, by the two states it left.
 *
 * There is no record of its steps.  Its notes say that it failed, or name the
 * tools it called, one entry a line; its task moved on, or did not.  A cycle of
 * such a program ends when its model says done, when it fails, or when its
 * iterations are used up, so what is neither of the first two is the third. */
#include "memory/cycle/cycle_pair.h"

#include <string.h>

#include "base/yaml.h"
#include "memory/cycle/cycle_state.h"

static Str notes_of(const Yaml *state)
{
    return yaml_get(state, S("notes"))->text;
}

/* What was added to the notes; all of them if they were rewritten. */
static Str added(Str before, Str after)
{
    return str_starts(after, before) ? str_from(after, before.n) : after;
}

static bool holds_line(Str text, Str line)
{
    const char *at = line.n ? memmem(text.p, text.n, line.p, line.n) : NULL;
    return at && (at == text.p || at[-1] == '\n');
}

/* [TOOL] NAME(ARGS) -> RESULT, with an arrow of one kind or another. */
static void read_call(Cycle *out, Str rest, Arena *into, size_t *cap)
{
    Str name;
    if (!str_cut(&rest, '(', &name))
        return;
    const char *end = memmem(rest.p, rest.n, ") ", 2);
    Str args = str_slice(rest, 0, end ? (size_t)(end - rest.p) : rest.n);
    CycleCall *known = NULL;
    for (size_t i = 0; i < out->calls_n && !known; i++)
        if (str_eq(out->calls[i].tool, name))
            known = &out->calls[i];
    if (!known) {
        out->calls =
            arena_grow(into, out->calls, out->calls_n, cap, sizeof(CycleCall), alignof(CycleCall));
        known = &out->calls[out->calls_n++];
        *known = (CycleCall){ .tool = arena_copy(into, name), .args = arena_copy(into, args) };
    }
    known->n++;
    known->same += str_eq(known->args, args);
}

static bool failed(Cycle *out, Str notes, Arena *into)
{
    Str said = arena_printf(into, "Cycle " STR_FMT " failed: ", STR_ARG(out->id));
    const char *found = notes.n ? memmem(notes.p, notes.n, said.p, said.n) : NULL;
    if (!found)
        return false;
    Str why = str_from(notes, (size_t)(found - notes.p) + said.n);
    out->why =
        cycle_state_line(into, str_slice(why, 0, str_find(why, '\n')), CYCLE_STATE_LINE_CHARS);
    return true;
}

void cycle_pair_judge(Cycle *out, Arena *into)
{
    Yaml *before, *after;
    Err ignored = { 0 };
    out->end = CYCLE_STOPPED;
    if (cycle_state_read(out->before, into, &before, &ignored) != JOT_OK ||
        cycle_state_read(out->after, into, &after, &ignored) != JOT_OK)
        return;
    Str old = notes_of(before), now = notes_of(after);
    Str fresh = added(old, now);
    Str line, tool = S("[TOOL] ");
    size_t cap = 0;
    while (fresh.n) {
        if (!str_cut(&fresh, '\n', &line)) {
            line = fresh;
            fresh = (Str){ 0 };
        }
        if (holds_line(old, line))
            continue;
        if (str_starts(line, tool))
            read_call(out, str_from(line, tool.n), into, &cap);
        out->unreadable += str_starts(line, S("[PARSE ERROR]"));
        out->done = out->done || str_starts(line, S("[COMPLETED]"));
    }
    bool moved =
        yaml_get(after, S("completed_tasks"))->n > yaml_get(before, S("completed_tasks"))->n;
    if (failed(out, now, into))
        out->end = CYCLE_FAILED;
    else
        out->end = moved || out->done ? CYCLE_DONE : CYCLE_LIMIT;
}
