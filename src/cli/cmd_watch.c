/* cmd_watch.c - changes as they come, until Ctrl-C. */
#include <signal.h>
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "memory/doc/doc.h"
#include "memory/watch.h"

enum { WAIT_MS = 500 };

extern const Cmd cmd_watch;

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void print_change(const Change *c)
{
    static const char *const words[] = {
        [0] = "gone", [OP_PUT] = "written", [OP_DELETE] = "deleted", [OP_APPEND] = "appended"
    };
    bool text = c->mark.op == OP_PUT || c->mark.op == OP_APPEND;
    printf("%s  %-8s  ", c->mark.at_ms ? time_text(c->mark.at_ms).text : "-", words[c->mark.op]);
    print_name(c->stream);
    if (text)
        printf("  version %s  %s", version_of(c->mark.sha256).text,
               counted(c->mark.size, "byte").text);
    fputs("  ", stdout);
    print_name(c->by);
    fputs(c->mark.op && c->mark.seq == 0 ? "  (not recorded)\n" : "\n", stdout);
}

static jot_status follow(Session *s, Watch *w, int64_t count)
{
    for (int64_t told = 0; !stopped && (count == 0 || told < count);) {
        AUTO(Arena) arena = { 0 };
        Change *changes;
        size_t n;
        TRY(watch_next(w, WAIT_MS, &arena, &changes, &n, &s->err));
        for (size_t i = 0; i < n && (count == 0 || told < count); i++, told++) {
            if (s->json)
                print_json(change_json(&changes[i]));
            else
                print_change(&changes[i]);
        }
        if (n && fflush(stdout) != 0)
            return JOT_OK; /* the listener is gone; main says so */
    }
    return JOT_OK;
}

static jot_status run_watch(Session *s)
{
    AUTO_PTR(Watch) w = NULL;
    int64_t count;
    Str prefix = arg_at(s, 0);
    struct sigaction on = { .sa_handler = stop };
    TRY(opt_number(s, "count", 1, INT64_MAX, 0, &count));
    TRY(check_prefix(s, prefix));
    TRY(session_open(s, false));
    TRY(watch_open(&w, &s->memory, &(WatchAsk){ prefix, true }, &s->err));
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGTERM, &on, NULL);
    fputs("watching; Ctrl-C ends it\n", stderr);
    return follow(s, w, count);
}

static const Opt opts[] = {
    { "count", "N", "stop after N changes" },
    { 0 },
};

const Cmd cmd_watch = {
    .name = "watch",
    .args = "[PREFIX]",
    .summary = "Print changes as they happen, one per line",
    .help = "Changes by any process, and people's edits of the files.  With --json each line is a "
            "JSON\n"
            "value.  PREFIX begins with a kind: notes/, runs/.  Ctrl-C ends it.\n",
    .opts = opts,
    .args_max = 1,
    .run = run_watch,
};
