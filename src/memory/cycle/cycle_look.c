/* cycle_look.c - looking at cycles: one of them, where an agent stands, and both as JSON. */
#include <assert.h>

#include "base/time.h"
#include "base/yaml_json.h"
#include "memory/cycle/cycle_pair.h"
#include "memory/cycle/cycle_snapshot.h"
#include "memory/cycle/cycle_steps.h"
#include "memory/doc/doc.h"

const char *cycle_end_name(CycleEnd end)
{
    static const char *const names[] = {
        [CYCLE_RUNNING] = "running", [CYCLE_DONE] = "done",     [CYCLE_LIMIT] = "limit",
        [CYCLE_STOPPED] = "stopped", [CYCLE_FAILED] = "failed", [CYCLE_KILLED] = "killed",
    };
    assert((size_t)end < COUNT_OF(names));
    return names[end];
}

jot_status cycle_find(Memory *m, Str agent, Str id, Arena *into, Cycle *out, Err *e)
{
    Tail t;
    TRY(cycle_snapshot_locate(m, agent, id, into, &t, e));
    cycle_tail_cycle(&t, arena_copy(into, agent), out);
    CycleEnd end = out->end;
    Str why = out->why;
    size_t iterations = out->iterations;
    TRY(cycle_steps_fold(m, &t, into, out, e));
    if (end == CYCLE_RUNNING)
        return JOT_OK;
    /* It has ended: what decides is how it ended, not what its steps said last. */
    out->end = end;
    out->why = why;
    out->dead = out->orphaned = out->waiting = false;
    if (t.after_seq == 0)
        return JOT_OK;
    out->iterations = iterations;
    if (t.iterations_max == 0) /* of another program */
        cycle_pair_judge(out, into);
    /* What cannot be read is not in the way of a caller who asks for something else. */
    if (cycle_state_read(t.after, into, &out->state, &out->unreadable_after) != JOT_OK)
        out->state = NULL;
    return JOT_OK;
}

jot_status cycle_check_state(const Cycle *c, Err *e)
{
    if (c->state)
        return JOT_OK;
    return err_set(e, c->unreadable_after.status, "the state at the end of cycle '" STR_FMT "': %s",
                   STR_ARG(c->id), c->unreadable_after.text);
}

static jot_status count_one(void *ctx, const Listed *l)
{
    uint64_t *n = ctx;
    *n += str_ends(l->name, S("_before"));
    return JOT_OK;
}

jot_status cycle_status(Memory *m, Str agent, Arena *into, CycleStatus *out, Err *e)
{
    Tail t;
    TRY(cycle_tail_read(m, agent, into, &t, e));
    *out = (CycleStatus){ .agent = arena_copy(into, agent),
                          .there = t.phase != TAIL_NOTHING,
                          .text = t.text,
                          .by = t.by,
                          .mark = t.head,
                          .newest = t.id,
                          .running = t.phase == TAIL_OPEN };
    Yaml *state = NULL;
    if (out->there) {
        jot_status readable = cycle_state_read(t.text, into, &state, &out->unreadable);
        assert(readable == out->unreadable.status);
    }
    Str prefix = arena_printf(into, "snapshots/" STR_FMT "/", STR_ARG(agent));
    return memory_each(m, prefix, LIST_LIVE, count_one, &out->cycles, e);
}

jot_status cycle_newest(Memory *m, Str agent, Arena *into, Str *id, Err *e)
{
    CycleStatus status;
    Shown shown;
    TRY(cycle_status(m, agent, into, &status, e));
    *id = status.newest;
    if (id->n)
        return JOT_OK;
    return err_set(e, JOT_NOT_FOUND, "'%s' has not had a cycle yet", err_show(&shown, agent));
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *calls_json(const Cycle *c)
{
    json_t *out = json_array();
    for (size_t i = 0; i < c->calls_n; i++)
        json_array_append_new(
            out,
            json_pack("{s:o, s:I, s:I, s:I, s:o}", "tool", json_text(c->calls[i].tool), "calls",
                      (json_int_t)c->calls[i].n, "unknown", (json_int_t)c->calls[i].unknown, "same",
                      (json_int_t)c->calls[i].same, "same_args", json_text(c->calls[i].args)));
    return out;
}

/* "started" and "ended", as far as they are known. */
static void set_times(json_t *out, int64_t started_ms, int64_t ended_ms)
{
    if (started_ms)
        json_object_set_new(out, "started", json_string(time_text(started_ms).text));
    if (ended_ms)
        json_object_set_new(out, "ended", json_string(time_text(ended_ms).text));
}

json_t *cycle_json(const Cycle *c)
{
    json_t *out =
        json_pack("{s:o, s:o, s:s, s:o, s:I, s:I, s:b, s:o}", "cycle", json_text(c->id), "agent",
                  json_text(c->agent), "end", cycle_end_name(c->end), "by", json_text(c->by),
                  "iterations", (json_int_t)c->iterations, "iterations_max",
                  (json_int_t)c->iterations_max, "done", c->done, "calls", calls_json(c));
    set_times(out, c->started_ms, c->ended_ms);
    json_object_set_new(out, "unreadable_replies", json_integer((json_int_t)c->unreadable));
    if (c->why.n)
        json_object_set_new(out, "why", json_text(c->why));
    if (c->unreadable_after.status != JOT_OK)
        json_object_set_new(out, "unreadable", json_string(c->unreadable_after.text));
    if (c->end == CYCLE_RUNNING) {
        json_object_set_new(out, "dead", json_boolean(c->dead));
        json_object_set_new(out, "orphaned", json_boolean(c->orphaned));
        json_object_set_new(out, "left_ms", json_integer(c->left_ms));
    }
    if (c->waiting)
        json_object_set_new(out, "waiting_for", action_json(&c->call));
    if (c->notice.n)
        json_object_set_new(out, "notice", json_text(c->notice));
    json_object_set_new(out, "state", c->state ? yaml_to_json(c->state) : json_null());
    return out;
}

json_t *cycle_status_json(const CycleStatus *s)
{
    json_t *out = json_pack("{s:o, s:b, s:o, s:b, s:I}", "agent", json_text(s->agent), "there",
                            s->there, "newest", json_text(s->newest), "running", s->running,
                            "cycles", (json_int_t)s->cycles);
    if (!s->there)
        return out;
    json_object_set_new(out, "text", json_text(s->text));
    json_object_set_new(out, "by", json_text(s->by));
    json_object_set_new(out, "version", json_string(version_of(s->mark.sha256).text));
    if (s->unreadable.status != JOT_OK)
        json_object_set_new(out, "unreadable", json_string(s->unreadable.text));
    return out;
}

json_t *cycle_line_json(const CycleLine *l)
{
    json_t *out = json_pack("{s:o, s:s, s:I}", "cycle", json_text(l->id), "end",
                            cycle_end_name(l->end), "iterations", (json_int_t)l->iterations);
    set_times(out, l->started_ms, l->ended_ms);
    if (l->imported)
        json_object_set_new(out, "imported", json_true());
    if (l->why.n)
        json_object_set_new(out, "why", json_text(l->why));
    return out;
}
