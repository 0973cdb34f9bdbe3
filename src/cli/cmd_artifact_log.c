/* cmd_artifact_log.c - line logs from the shell.  They stand below `artifact` because `log` is what
 * reads runs. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/refusal.h"
#include "memory/artifact/line_log.h"

extern const Cmd cmd_artifact_log;

enum { FOLLOW_MS = 60 * 1000, TAIL = 10 };

/* --- Appending ------------------------------------------------------------------------- */

static jot_status append_one(Session *s, Str text, Line *out)
{
    return line_log_append(&s->memory, arg_at(s, 0), arg_at(s, 1), text, str(opt_text(s, "id")),
                           out, &s->err);
}

static jot_status run_append(Session *s)
{
    Str rest = arg_at(s, 2), text;
    Line last = { 0 };
    int64_t n = 0;
    if (s->n < 3)
        TRY(read_input(s, STORE_BODY_MAX, &rest));
    TRY(session_open(s, true));
    /* The last line need not end in a line break; an argument is one line. */
    while (s->n < 3 && str_cut(&rest, '\n', &text)) {
        TRY(append_one(s, text, &last));
        n++;
    }
    if (rest.n || s->n == 3) {
        TRY(append_one(s, rest, &last));
        n++;
    }
    if (s->json)
        print_json(json_pack("{s:I, s:I}", "appended", (json_int_t)n, "seq", (json_int_t)last.seq));
    else
        print_sentence("appended %lld line%s to log %s/%s", (long long)n, n == 1 ? "" : "s",
                       s->args[0], s->args[1]);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

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

static void print_lines(const Session *s, const Lines *lines)
{
    if (s->json) {
        print_json(lines_json(lines));
        return;
    }
    for (size_t i = 0; i < lines->n; i++)
        print_one(s, &lines->items[i]);
    if (lines->damaged)
        say("%llu lines cannot be read", (unsigned long long)lines->damaged);
    if (lines->more)
        say("there are more: --from %llu", (unsigned long long)lines->next);
}

static jot_status run_read(Session *s)
{
    Lines lines;
    int64_t from, limit, tail;
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "limit", 1, LINE_LOG_READ_MAX, LINE_LOG_READ_MAX, &limit));
    TRY(opt_number(s, "tail", 1, LINE_LOG_READ_MAX, TAIL, &tail));
    TRY(session_open(s, false));
    if (opt_given(s, "tail"))
        TRY(line_log_tail(&s->memory, arg_at(s, 0), arg_at(s, 1), (size_t)tail, &s->arena, &lines,
                          &s->err));
    else
        TRY(line_log_read(&s->memory, arg_at(s, 0), arg_at(s, 1), (uint64_t)from, (size_t)limit,
                          &s->arena, &lines, &s->err));
    print_lines(s, &lines);
    return JOT_OK;
}

/* Without --for until it is interrupted; lines appear as they come. */
static jot_status run_follow(Session *s)
{
    int64_t from, seconds;
    LineLogCursor at = { 0 };
    TRY(opt_number(s, "from", 1, INT64_MAX, 1, &from));
    TRY(opt_number(s, "for", 0, 86400, -1, &seconds));
    TRY(session_open(s, false));
    int64_t end = seconds < 0 ? INT64_MAX : io_awake_ms(s->memory.io) + seconds * 1000;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Lines lines;
        int64_t left = end - io_awake_ms(s->memory.io);
        int64_t wait = left < 0 ? 0 : left > FOLLOW_MS ? FOLLOW_MS : left;
        TRY(line_log_follow(&s->memory, arg_at(s, 0), arg_at(s, 1), &at, wait, &arena, &lines,
                            &s->err));
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

static jot_status run_list(Session *s)
{
    LineLogs logs = { 0 };
    int64_t limit;
    bool there;
    TRY(opt_number(s, "limit", 1, STORE_LIST_MAX, STORE_LIST_MAX, &limit));
    TRY(session_open_any(s, &there));
    if (there)
        TRY(line_log_list(&s->memory, arg_at(s, 0), str(opt_text(s, "after")), (size_t)limit,
                          &s->arena, &logs, &s->err));
    if (s->json) {
        print_json(line_logs_json(&logs));
        return JOT_OK;
    }
    for (size_t i = 0; i < logs.n; i++) {
        print_name(logs.items[i].category);
        putchar('/');
        print_name_line(logs.items[i].name);
    }
    if (logs.n == 0)
        puts("(empty)");
    if (logs.more)
        say("there are more: --after '" STR_FMT "/" STR_FMT "'",
            STR_ARG(logs.items[logs.n - 1].category), STR_ARG(logs.items[logs.n - 1].name));
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

static const Opt append_opts[] = {
    { "id", "ID", "append it once, however often it is tried" },
    { 0 },
};

static const Cmd append_cmd = {
    .name = "append",
    .args = "CATEGORY NAME [LINE]",
    .summary = "Append a line to a log, or each line of standard input",
    .help = "Each line is durable by itself, and lines of several writers never run together.\n",
    .opts = append_opts,
    .args_min = 2,
    .args_max = 3,
    .run = run_append,
};

static const Opt read_opts[] = {
    { "from", "SEQ", "the first line, counted from 1" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { "tail", "N", "the newest N lines instead" },
    { "times", NULL, "with number, time and author" },
    { 0 },
};

static const Cmd read_cmd = {
    .name = "read",
    .args = "CATEGORY NAME",
    .summary = "Print lines of a log",
    .help = "",
    .opts = read_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_read,
};

static const Opt follow_opts[] = {
    { "from", "SEQ", "the first line, counted from 1" },
    { "for", "SECONDS", "stop after that time; else when interrupted" },
    { "times", NULL, "with number, time and author" },
    { 0 },
};

static const Cmd follow_cmd = {
    .name = "follow",
    .args = "CATEGORY NAME",
    .summary = "Print the lines of a log as they come",
    .help = "With --json each line is a JSON value of its own.\n",
    .opts = follow_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_follow,
};

static const Opt list_opts[] = {
    { "after", "CATEGORY/NAME", "begin behind this one" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { 0 },
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "[CATEGORY]",
    .summary = "Print the logs there are, one a line",
    .help = "",
    .opts = list_opts,
    .args_max = 1,
    .run = run_list,
};

static const Cmd *const subs[] = { &append_cmd, &read_cmd, &follow_cmd, &list_cmd, NULL };

const Cmd cmd_artifact_log = {
    .name = "log",
    .args = "",
    .summary = "Logs of lines, by category and name",
    .help = "",
    .subs = subs,
};
