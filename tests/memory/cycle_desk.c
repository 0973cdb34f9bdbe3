/* cycle_desk.c - a few words for cycles; each is one call that must succeed. */
#include "memory/cycle_desk.h"

#include "memory/doc/doc.h"

const char *const by_hand = "# what I want\n"
                            "goals: [ \"show a cycle\" ]\n"
                            "current_task: 'say hi'   # first\n"
                            "pending_actions:\n    - rest\n"
                            "mood: sunny\n";

void put_state(Desk *d, Str agent, const char *text)
{
    Doc out;
    Str stream = arena_printf(&d->a, "cycles/" STR_FMT, STR_ARG(agent));
    DocWrite w = { .text = str(text) };
    desk_ok(d, doc_write(&d->m, stream, &w, &d->a, &out, &d->e));
}

Str text_of(Desk *d, const char *stream)
{
    Doc out;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &out, &d->e));
    return out.text;
}

Str snapshot(Desk *d, const Cycle *c, const char *which)
{
    return text_of(d, arena_printf(&d->a, "snapshots/" STR_FMT "/" STR_FMT "_%s", STR_ARG(c->agent),
                                   STR_ARG(c->id), which)
                          .p);
}

Cycle wake_as(Desk *d, Str agent, const CycleWake *o)
{
    Cycle c;
    desk_ok(d, cycle_wake(&d->m, agent, o, &d->a, &c, &d->e));
    return c;
}

Cycle wake(Desk *d)
{
    return wake_as(d, ME, NULL);
}

void refuse_wake(Desk *d, jot_status want)
{
    Cycle c;
    desk_expect(d, want, cycle_wake(&d->m, ME, NULL, &d->a, &c, &d->e));
}

CycleStep step(Desk *d, Cycle *c, const char *reply)
{
    CycleStep out;
    desk_ok(d,
            cycle_step(&d->m, &(CycleInput){ .agent = c->agent, .id = c->id, .text = str(reply) },
                       &d->a, &out, c, &d->e));
    return out;
}

void result(Desk *d, Cycle *c, const char *text)
{
    CycleStep out;
    desk_ok(d, cycle_result(&d->m,
                            &(CycleInput){
                                .agent = c->agent, .id = c->id, .end = TOOL_OK, .text = str(text) },
                            &d->a, &out, c, &d->e));
}

Cycle asleep(Desk *d, const Cycle *c)
{
    Cycle out;
    desk_ok(d, cycle_sleep(&d->m, c->agent, c->id, &d->a, &out, &d->e));
    return out;
}

Cycle crash(Desk *d, const Cycle *c, const char *why, const char *trace)
{
    Cycle out;
    desk_ok(d,
            cycle_fail(&d->m,
                       &(CycleFailure){
                           .agent = c->agent, .id = c->id, .why = str(why), .trace = str(trace) },
                       &d->a, &out, &d->e));
    return out;
}

Yaml *state(Desk *d, Str text)
{
    Yaml *out;
    desk_ok(d, cycle_state_read(text, &d->a, &out, &d->e));
    return out;
}

Str value(Desk *d, Str text, const char *key)
{
    return yaml_get(state(d, text), str(key))->text;
}

Str active(Desk *d)
{
    return text_of(d, "cycles/default");
}

bool holds(Str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}
