/* act_desk.h - an Act at a desk, whose working directory is the desk's: the pad lies in it. */
#ifndef TESTS_AGENT_ACT_DESK_H
#define TESTS_AGENT_ACT_DESK_H

#include "agent/beside.h"
#include "agent/tools/act.h"

static inline Policy act_desk_allow(const char *words)
{
    Policy p = { 0 };
    Err e;
    assert_int_equal(policy_add(&p, POLICY_ALLOW, str(words), &e), JOT_OK);
    return p;
}

static inline Act *act_desk_open(Desk *d, const Policy *p)
{
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .policy = p };
    Act *a = NULL;
    desk_ok(d, act_open(&a, &o, &d->e));
    return a;
}

static inline Reply act_desk_call(Desk *d, Act *a, const char *tool, const char *args)
{
    static unsigned count;
    json_t *read = NULL;
    Reply r;
    desk_ok(d, json_read(str(args), &read, &d->e));
    AUTO_PTR(json_t) object = read;
    Call c = { .id = arena_printf(&d->a, "test.%u", ++count), .tool = str(tool), .object = object };
    desk_ok(d, act_call(a, &c, &d->a, &r, &d->e));
    assert_true(r.text.n > 0);
    return r;
}

static inline void act_desk_says(Desk *d, Act *a, const char *tool, const char *args,
                                 const char *want)
{
    Reply r = act_desk_call(d, a, tool, args);
    assert_text(r.text, want);
    assert_false(r.failed);
}

static inline void act_desk_fails(Desk *d, Act *a, const char *tool, const char *args,
                                  const char *want)
{
    Reply r = act_desk_call(d, a, tool, args);
    assert_text(r.text, want);
    assert_true(r.failed);
}

/* A path below the desk's directory, in its arena. */
static inline const char *desk_path(Desk *d, const char *name)
{
    return arena_printf(&d->a, "%s/%s", d->dir, name).p;
}

static inline void desk_file(Desk *d, const char *name, Str content)
{
    beside_put(d->dir, name, content);
}

static inline Str desk_content(Desk *d, const char *name)
{
    return beside_get(d->dir, name, &d->a);
}

#endif
