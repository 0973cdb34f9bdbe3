/* cmd_line_log.c - `line-log follow`: lines as they come.  The other verbs are rows in
 * src/tool/line_log.c. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "memory/artifact/line_log.h"

enum { FOLLOW_MS = 60 * 1000 };

extern const Cmd cmd_line_log_follow;

static void print_one(const Session *s, const Line *line)
{
    if (opt_given(s, "times")) {
        printf("%6llu  %s  ", (unsigned long long)line->seq, time_text(line->at_ms).text);
        print_name(line->by);
        fputs("  ", stdout);
    }
    print_text(line->text);
    puts(line->redacted ? "(redacted)" : "");
}

/* Without --for until it is interrupted; lines appear as they come. */
static jot_status run_follow(Session *s)
{
    int64_t from, seconds;
    LineLogCursor at = { .log = { arg_at(s, 0), arg_at(s, 1) } };
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "for", 0, 86400, -1, &seconds));
    TRY(session_open(s, false));
    int64_t end = seconds < 0 ? INT64_MAX : io_awake_ms(s->memory.io) + seconds * 1000;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Lines lines;
        int64_t left = end - io_awake_ms(s->memory.io);
        int64_t wait = left < 0 ? 0 : left > FOLLOW_MS ? FOLLOW_MS : left;
        TRY(line_log_follow(&s->memory, &at, wait, &arena, &lines, &s->err));
        for (size_t i = 0; i < lines.n; i++) {
            if (lines.items[i].seq < (uint64_t)from)
                continue;
            if (s->json)
                print_json(line_json(&lines.items[i]));
            else
                print_one(s, &lines.items[i]);
        }
        if (fflush(stdout) != 0)
            return err_set(&s->err, JOT_IO, "could not write to standard output");
        more = left > 0 || lines.n;
    }
    return JOT_OK;
}

static const Opt follow_opts[] = {
    { "from", "SEQ", "the first line, counted from 1" },
    { "for", "SECONDS", "stop after this time; else when interrupted" },
    { "times", NULL, "with number, time and author" },
    { 0 },
};

const Cmd cmd_line_log_follow = {
    .name = "follow",
    .args = "CATEGORY NAME",
    .summary = "Print the lines of a log as they are appended",
    .help = "With --json each line is a JSON value of its own.\n",
    .opts = follow_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_follow,
};
