/* act_shell.c - run a command in the working directory, confined (confine.h).
 *
 * What a command prints and how it ended is the result, also when it failed: a
 * test that fails is what the model wanted to know.  The tool itself fails only
 * where the command could not be run. */
#include <signal.h>
#include <string.h>

#include "agent/sandbox/confine.h"
#include "agent/tools/act.h"
#include "tool/args.h"
#include "tool/template.h"

enum { OUTPUT_MAX = 256 * 1024 /* bytes that are kept of the output */ };

static bool cancelled(void *act)
{
    return act_cancelled(act);
}

static void add_end(Buf *to, const Confined *c, int64_t time_ms)
{
    const char *name = c->end == CONFINE_SIGNALLED ? sigabbrev_np(c->code) : NULL;
    switch (c->end) {
    case CONFINE_EXITED:
        buf_addf(to, "(exit code %d)", c->code);
        break;
    case CONFINE_SIGNALLED:
        buf_addf(to, "(killed by signal %d, %s)", c->code, name ? name : "unknown");
        break;
    case CONFINE_TIMED_OUT:
        buf_addf(to,
                 "(stopped: it was not done after %lld s, and everything it started was killed)",
                 (long long)(time_ms / 1000));
        break;
    case CONFINE_FLOODED:
        buf_addf(to, "(stopped: more than %d MB of output)", CONFINE_FLOOD_BYTES / 1024 / 1024);
        break;
    case CONFINE_SWARMED:
        buf_addf(to, "(stopped: more than %d processes)", CONFINE_PROCESSES_MAX);
        break;
    case CONFINE_MEMORY:
        buf_add(to, S("(stopped: its processes had more memory together than they may)"));
        break;
    case CONFINE_DISK:
        buf_addf(to, "(stopped: it has filled more than %d GB of the disk; what it wrote is there)",
                 (int)(CONFINE_DISK_BYTES >> 30));
        break;
    }
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Act *a = c->outside;
    Confined got;
    Shown shown;
    ConfineJob job = { .workdir = act_workdir(a),
                       .command = arg_text(c, "command"),
                       .network = policy_for_effect(act_policy(a), POLICY_NETWORK) == POLICY_ALLOW,
                       .time_ms = 1000 * arg_number(c, "seconds", ACT_SHELL_MS / 1000),
                       .output_max = OUTPUT_MAX,
                       .cancelled = cancelled,
                       .ctx = a };
    AUTO(Buf) text = { 0 };
    if (str_find(job.command, 0) != job.command.n)
        return err_set(c->e, JOT_INVALID, "'%s' is no command: it holds a NUL",
                       err_show(&shown, job.command));
    TRY(act_confinement(a, &job.how, c->e));
    jot_status st = confine_run(&job, c->into, &got, c->e);
    act_report_planted(a, &got.planted);
    if (st != JOT_OK && got.planted.n)
        return err_set(c->e, st,
                       "%.120s; files it left for other programs were moved to '" PLANT_ASIDE
                       "' in the working directory",
                       c->e->text);
    TRY(st);
    size_t in_head, in_tail;
    buf_add(&text, act_text(c->into, got.head, &in_head));
    if (got.left_out)
        buf_addf(&text, "\n(%s %s left out here)\n", counted(got.left_out, "byte").text,
                 got.left_out == 1 ? "was" : "were");
    buf_add(&text, act_text(c->into, got.tail, &in_tail));
    if (text.n && text.p[text.n - 1] != '\n')
        buf_add_char(&text, '\n');
    if (in_head + in_tail)
        buf_addf(&text, "(%s %s not UTF-8 and shown as U+FFFD)\n",
                 counted(in_head + in_tail, "byte").text, in_head + in_tail == 1 ? "is" : "are");
    buf_add(&text, plant_sentences(&got.planted, c->into));
    add_end(&text, &got, job.time_ms);
    out->text = arena_copy(c->into, buf_str(&text));
    return JOT_OK;
}

extern const Tool act_shell;
const Tool act_shell = {
    .name = "shell",
    .title = "Run a command",
    .about = "Run a shell command in the working directory. It may write there and in /tmp (which "
             "is empty each time) only, has no network unless that was allowed, no input, and "
             "everything it started ends with it. Files that other programs run or obey (hooks and "
             "configuration of git, AGENTS.md, .vscode and their like) stay as they are, and files "
             "of the scratchpad cannot be opened: use its tools. The last line says how it ended.",
    .effects = TOOL_WRITES | TOOL_EXECUTES,
    .params = PARAMS({ "command", PARAM_TEXT, .min = 1, .max = CONFINE_COMMAND_MAX },
                     { "seconds", PARAM_NUMBER, .about = "after which it is stopped; 60",
                       .optional = true, .min = 1, .max = ACT_SHELL_MS_MAX / 1000 }),
    .run = run,
};
