/* cmd_lease.c - leases from the shell: acquire, renew, release, check, list, run.
 *
 * A command that takes a lease and ends cannot live with it, so what it takes
 * lasts for its time; the token is what the next command needs to go on.  `run`
 * stays: it lives with the lease as long as the program it started (lease_runner.c). */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/lease_runner.h"
#include "memory/lease.h"

enum { SECOND = 1000, WAIT_S_MAX = 24 * 3600 };

extern const Cmd cmd_lease;

/* A key alone is a note's; whatever has a slash is a stream's name, and the beginning of names if
 * it ends in one. */
static LeaseAsk ask_of(Session *s, const char *name, bool prefix)
{
    Str text = str(name);
    bool whole = str_find(text, '/') < text.n;
    return (LeaseAsk){ .on = whole ? text : arena_printf(&s->arena, "notes/%s", name),
                       .prefix = prefix || str_ends(text, S("/")) };
}

static jot_status read_times(Session *s, LeaseAsk *ask)
{
    int64_t ttl_s, wait_s;
    TRY(opt_number(s, "ttl", 1, LEASE_TTL_MS_MAX / SECOND, LEASE_TTL_MS / SECOND, &ttl_s));
    TRY(opt_number(s, "wait", 0, WAIT_S_MAX, 0, &wait_s));
    ask->ttl_ms = ttl_s * SECOND;
    ask->wait_ms = wait_s * SECOND;
    return JOT_OK;
}

/* The token that was said as an argument, else by --lease or $JOTTER_LEASE. */
static jot_status token_of(Session *s, int at, uint64_t *out)
{
    if (at < s->n)
        return read_token(s, s->args[at], out);
    *out = s->lease;
    if (s->lease)
        return JOT_OK;
    return err_set(&s->err, JOT_INVALID, "say which lease: its token, --lease or $JOTTER_LEASE");
}

static void print_lease(Session *s, const Lease *l)
{
    if (s->json) {
        print_json(lease_json(l));
        return;
    }
    printf("lease %llu on '", (unsigned long long)l->token);
    print_name(l->on);
    printf("%s' for %lld s\n", l->prefix ? "*" : "", (long long)(l->left_ms + SECOND - 1) / SECOND);
}

/* With --json a refusal also carries the lease that is in the way. */
static jot_status refused(Session *s, const Lease *l)
{
    if (s->json) {
        s->told = true;
        print_json(json_pack("{s:s, s:s, s:b, s:o}", "status", status_info(JOT_LEASED)->name,
                             "error", s->err.text, "retry", true, "lease", lease_json(l)));
    }
    return JOT_LEASED;
}

static jot_status run_acquire(Session *s)
{
    LeaseAsk ask = ask_of(s, s->args[0], opt_given(s, "prefix"));
    Lease l;
    TRY(read_times(s, &ask));
    TRY(session_open(s, true));
    jot_status st = lease_acquire(&s->memory, &ask, &s->arena, &l, &s->err);
    if (st == JOT_LEASED)
        return refused(s, &l);
    TRY(st);
    print_lease(s, &l);
    return JOT_OK;
}

static jot_status run_renew(Session *s)
{
    uint64_t token;
    int64_t ttl_s;
    Lease l;
    TRY(token_of(s, 0, &token));
    TRY(opt_number(s, "ttl", 1, LEASE_TTL_MS_MAX / SECOND, 0, &ttl_s));
    TRY(session_open(s, false));
    TRY(lease_renew(&s->memory, token, ttl_s * SECOND, &s->arena, &l, &s->err));
    print_lease(s, &l);
    return JOT_OK;
}

static jot_status run_release(Session *s)
{
    uint64_t token;
    TRY(token_of(s, 0, &token));
    TRY(session_open(s, false));
    TRY(lease_release(&s->memory, token, &s->err));
    if (s->json)
        print_json(json_pack("{s:I, s:b}", "token", (json_int_t)token, "released", true));
    else
        printf("released lease %llu\n", (unsigned long long)token);
    return JOT_OK;
}

static void print_free(Session *s, Str on)
{
    if (s->json) {
        print_json(json_pack("{s:o, s:b}", "on", json_text(on), "free", true));
        return;
    }
    fputs("free: ", stdout);
    print_name_line(on);
}

/* Whether somebody has it, or, with a token, whether that is it. */
static jot_status run_check(Session *s)
{
    LeaseAsk ask = ask_of(s, s->args[0], opt_given(s, "prefix"));
    Shown shown;
    Lease l = { 0 };
    TRY(session_open(s, false));
    jot_status st = lease_find(&s->memory, ask.on, ask.prefix, &s->arena, &l, &s->err);
    if (st == JOT_NOT_FOUND && !s->lease) {
        print_free(s, ask.on);
        return JOT_OK;
    }
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    if (s->lease && l.token != s->lease)
        return err_set(&s->err, JOT_FENCED, "lease %llu on '%s' is over, or was never on it",
                       (unsigned long long)s->lease, err_show(&shown, ask.on));
    if (!s->lease) {
        Shown by;
        err_set(&s->err, JOT_LEASED, "'%s' is leased to '%s'%s (token %llu)",
                err_show(&shown, l.on), err_show(&by, l.by), lease_rest(&l).text,
                (unsigned long long)l.token);
        return refused(s, &l);
    }
    print_lease(s, &l);
    return JOT_OK;
}

static jot_status run_list(Session *s)
{
    LeaseList all = { 0 };
    bool there;
    TRY(session_open_any(s, &there));
    if (there)
        TRY(lease_list(&s->memory, &s->arena, &all, &s->err));
    if (s->json) {
        json_t *list = json_array();
        for (size_t i = 0; i < all.n; i++)
            json_array_append_new(list, lease_json(&all.items[i]));
        print_json(json_pack("{s:o}", "leases", list));
        return JOT_OK;
    }
    for (size_t i = 0; i < all.n; i++) {
        const Lease *l = &all.items[i];
        printf("%8llu  %6lld s  %s  ", (unsigned long long)l->token,
               (long long)(l->left_ms + SECOND - 1) / SECOND, l->live ? "live" : "    ");
        print_name(l->by);
        fputs("  ", stdout);
        print_name(l->on);
        puts(l->prefix ? "*" : "");
    }
    if (!all.n)
        puts("(none)");
    return JOT_OK;
}

static jot_status run_run(Session *s)
{
    LeaseAsk ask = ask_of(s, s->args[0], opt_given(s, "prefix"));
    Lease l;
    Kept kept = { 0 };
    TRY(read_times(s, &ask));
    TRY(session_open(s, true));
    ask.live = true;
    jot_status st = lease_acquire(&s->memory, &ask, &s->arena, &l, &s->err);
    if (st == JOT_LEASED)
        return refused(s, &l);
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

/* clang-format off */
static const Opt time_opts[] = {
    { "ttl", "S", "for so many seconds (60)" },
    { "wait", "S", "wait so many seconds for others (0)" },
    { "prefix", NULL, "KEY is what the keys begin with" },
    { 0 },
};
static const Opt renew_opts[] = { { "ttl", "S", "for so many seconds (as before)" }, { 0 } };
static const Opt check_opts[] = { { "prefix", NULL, "KEY is what the keys begin with" }, { 0 } };
/* clang-format on */

static const Cmd lease_acquire_cmd = {
    .name = "acquire",
    .args = "KEY|PREFIX/",
    .summary = "Take a lease and print its token",
    .help =
        "A KEY alone is a note's.  With a slash it is a stream's name, as in artifacts/x/y, and\n"
        "what ends in a slash is the beginning of names.  Give the token to later commands\n"
        "with --lease or $JOTTER_LEASE: they write only while the lease stands.\n",
    .opts = time_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_acquire,
};

static const Cmd lease_renew_cmd = {
    .name = "renew",
    .args = "[TOKEN]",
    .summary = "Begin its time anew; one that is over cannot be renewed",
    .help = "",
    .opts = renew_opts,
    .args_max = 1,
    .run = run_renew,
};

static const Cmd lease_release_cmd = {
    .name = "release",
    .args = "[TOKEN]",
    .summary = "Let others have it",
    .help = "",
    .args_max = 1,
    .run = run_release,
};

static const Cmd lease_check_cmd = {
    .name = "check",
    .args = "KEY|PREFIX/",
    .summary = "Say whether somebody has a lease on it",
    .help = "Ends with 0 if it is free.  With --lease TOKEN it ends with 0 if that is the lease.\n",
    .opts = check_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_check,
};

static const Cmd lease_list_cmd = {
    .name = "list",
    .args = "",
    .summary = "Print the leases: token, seconds left, who, what",
    .help = "",
    .run = run_list,
};

static const Cmd lease_run_cmd = {
    .name = "run",
    .args = "KEY|PREFIX/ -- COMMAND [ARG...]",
    .summary = "Run a program that has the lease as long as it runs",
    .help =
        "The lease is renewed meanwhile, and free at once when this command ends, however it\n"
        "ends.  jotter inside the program writes under it, by $JOTTER_LEASE.  The exit code is\n"
        "the program's (128 + N if signal N ended it, 127 or 126 if it cannot be found or run);\n"
        "signals are passed on to it.  With --json the program's output goes to standard error.\n",
    .opts = time_opts,
    .args_min = 2,
    .args_max = ARGS_ANY,
    .run = run_run,
};

static const Cmd *const subs[] = { &lease_acquire_cmd,
                                   &lease_renew_cmd,
                                   &lease_release_cmd,
                                   &lease_check_cmd,
                                   &lease_list_cmd,
                                   &lease_run_cmd,
                                   NULL };

const Cmd cmd_lease = {
    .name = "lease",
    .args = "COMMAND",
    .summary = "Have a note, or several, for oneself for a while",
    .help = "Leases bind those who use them: a write without one is not stopped.\n",
    .subs = subs,
};
