/* played.h - Played, a run of a script to its end, and the run taken over. */
#ifndef TESTS_AGENT_PLAYED_H
#define TESTS_AGENT_PLAYED_H

#include "agent/scene.h"

/* A run of a script to its end. */
typedef struct Played {
    Run run;
    LoopOutcome o;
    jot_status st;
    Scene s;
} Played;

static inline void played_done(Played *p)
{
    run_close(&p->run);
    scene_close(&p->s);
}
DEFINE_AUTO(Played, played_done)

static inline void begin(Desk *d, const char *script, Played *p)
{
    scene_put(d->dir, "script", script);
    scene_put(d->dir, "requests", "");
    scene_put(d->dir, "counter", "");
    *p = (Played){ 0 };
    desk_ok(d, scene_open(&p->s, &d->m, d->dir, &d->e));
    d->now_ms += 1000;
}

static inline void go(Desk *d, Played *p)
{
    desk_ok(d, loop_begin(&p->s.loop, S("what is it?"), &p->run, &d->e));
    p->st = loop_go(&p->s.loop, &p->run, &d->a, &p->o, &d->e);
}

static inline void play(Desk *d, const char *script, Played *p)
{
    begin(d, script, p);
    go(d, p);
}

static inline void resume(Desk *d, Played *p)
{
    char id[RUN_ID_MAX + 1];
    snprintf(id, sizeof id, "%s", p->run.id);
    run_close(&p->run);
    p->st = loop_resume(&p->s.loop, str(id), &p->run, &d->e);
    if (p->st == JOT_OK)
        p->st = loop_go(&p->s.loop, &p->run, &d->a, &p->o, &d->e);
}

static inline Str requests(Desk *d)
{
    return beside_get(d->dir, "requests", &d->a);
}

#endif
