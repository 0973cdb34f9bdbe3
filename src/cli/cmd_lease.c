/* cmd_lease.c - `lease run`: a program that holds a lease as long as it runs (lease_runner.c).  The
 * other verbs are rows in src/tool/lease.c. */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/lease_runner.h"
#include "cli/refusal.h"
#include "tool/lease.h"

enum { SECOND = 1000, WAIT_S_MAX = 24 * 3600 };

extern const Cmd cmd_lease_run;

static jot_status read_times(Session *s, LeaseAsk *ask)
{
    int64_t ttl_s, wait_s;
    TRY(opt_number(s, "ttl", 1, LEASE_TTL_MS_MAX / SECOND, LEASE_TTL_MS / SECOND, &ttl_s));
    TRY(opt_number(s, "wait", 0, WAIT_S_MAX, 0, &wait_s));
    ask->ttl_ms = ttl_s * SECOND;
    ask->wait_ms = wait_s * SECOND;
    return JOT_OK;
}

static jot_status run_run(Session *s)
{
    LeaseAsk ask = lease_ask(arg_at(s, 0), opt_given(s, "prefix"), &s->arena);
    Lease l;
    Kept kept = { 0 };
    TRY(read_times(s, &ask));
    TRY(session_open(s, true));
    ask.live = true;
    jot_status st = lease_acquire(&s->memory, &ask, &s->arena, &l, &s->err);
    if (st == JOT_LEASED)
        return refuse_with(s, st, "lease", lease_json(&l));
    TRY(st);
    TRY(keeper_run(&s->memory, &l, s->args + 1, s->json, &kept, &s->err));
    s->exit_code = kept.exit_code;
    jot_status released = kept.lost ? JOT_FENCED : lease_release(&s->memory, l.token, &s->err);
    if (released != JOT_OK)
        say("lease %llu was lost while the program ran", (unsigned long long)l.token);
    if (s->json)
        print_json(json_pack("{s:o, s:i, s:b}", "lease", lease_json(&l), "exit", kept.exit_code,
                             "lost", released != JOT_OK));
    return JOT_OK;
}

static const Opt opts[] = {
    { "ttl", "S", "for this many seconds (60)" },
    { "wait", "S", "wait up to this many seconds for others (0)" },
    { "prefix", NULL, "KEY is a prefix of keys" },
    { 0 },
};

const Cmd cmd_lease_run = {
    .name = "run",
    .args = "KEY|PREFIX/ -- COMMAND [ARG...]",
    .summary = "Hold a lease while a program runs",
    .help =
        "The lease is renewed meanwhile, and free at once when this command ends, however it\n"
        "ends.  jotter inside the program writes under it, by $JOTTER_LEASE.  The exit code is\n"
        "the program's (128 + N if signal N ended it, 127 or 126 if it cannot be found or run);\n"
        "signals are passed on to it.  With --json the program's output goes to standard error.\n",
    .opts = opts,
    .args_min = 2,
    .args_max = ARGS_ANY,
    .run = run_run,
};
