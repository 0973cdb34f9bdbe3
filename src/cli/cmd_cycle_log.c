/* cmd_cycle_log.c - what was said and done in a cycle: its steps, whole, and its log. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cycle.h"
#include "memory/cycle/cycle_log.h"

static void print_step(Session *s, const CycleLogStep *p)
{
    static const char *const ends[] = {
        [TOOL_OK] = "result", [TOOL_FAILED] = "error", [TOOL_UNKNOWN] = "unknown tool"
    };
    printf("%sstep %llu%s  %s  ", ink(INK_BOLD), (unsigned long long)p->seq, ink(INK_PLAIN),
           time_text(p->at_ms).text);
    if (p->kind == CYCLE_LOG_END) {
        fputs(cycle_end_name(p->end), stdout);
        if (p->why.n)
            print_sentence(": " STR_FMT, STR_ARG(p->why));
        else
            putchar('\n');
        return;
    }
    fputs(p->kind == CYCLE_LOG_REPLY ? action_name(p->action.kind) : ends[p->how], stdout);
    if (p->action.tool.n) {
        putchar(' ');
        print_name(cycle_state_line(&s->arena, p->action.tool, ACTION_SUMMARY_CHARS));
    }
    putchar('\n');
    print_line(p->text);
    putchar('\n');
}

/* All of them, a page at a time. */
static jot_status print_steps(Session *s, Str id)
{
    AUTO_PTR(json_t) all = json_array();
    uint64_t damaged = 0;
    CycleLog list = { .more = true };
    for (uint64_t next = 1; list.more; next = list.next) {
        AUTO(Arena) a = { 0 };
        TRY(cycle_log_list(&s->memory, cycle_agent(s), id, next, CYCLE_LOG_MAX, &a, &list,
                           &s->err));
        for (size_t i = 0; i < list.n; i++) {
            if (s->json)
                json_array_append_new(all, cycle_log_step_json(&list.items[i]));
            else
                print_step(s, &list.items[i]);
        }
        damaged += list.damaged;
        list.more = list.more && list.next > next;
    }
    if (s->json) {
        print_json(json_pack("{s:o, s:o, s:O, s:I}", "agent", json_text(cycle_agent(s)), "cycle",
                             json_text(id), "steps", all, "damaged", (json_int_t)damaged));
        return JOT_OK;
    }
    if (damaged)
        say("%llu steps cannot be read", (unsigned long long)damaged);
    return JOT_OK;
}

jot_status cycle_show_steps(Session *s)
{
    int64_t number;
    Str id;
    CycleLogStep p;
    if (opt_given(s, "before") || opt_given(s, "after"))
        return err_set(&s->err, JOT_INVALID,
                       "say --before, --after, --steps or --step, one of them");
    TRY(opt_number(s, "step", 1, INT64_MAX, 0, &number));
    TRY(session_open(s, false));
    TRY(cycle_named(s, 0, &id));
    if (!number)
        return print_steps(s, id);
    TRY(cycle_log_read(&s->memory, cycle_agent(s), id, (uint64_t)number, &s->arena, &p, &s->err));
    if (s->json)
        print_json(cycle_log_step_json(&p));
    else
        print_text(p.text);
    return JOT_OK;
}

static jot_status run_log(Session *s)
{
    AUTO(Buf) text = { .max = BUF_MAX_DEFAULT };
    Str id;
    TRY(session_open(s, false));
    TRY(cycle_named(s, 0, &id));
    TRY(cycle_log(&s->memory, cycle_agent(s), id, &text, &s->err));
    if (s->json)
        print_json(json_pack("{s:o, s:o, s:o}", "agent", json_text(cycle_agent(s)), "cycle",
                             json_text(id), "log", json_text(buf_str(&text))));
    else
        print_text(buf_str(&text));
    return JOT_OK;
}

const Cmd cmd_cycle_log = {
    .name = "log",
    .args = "[ID]",
    .summary = "Print the log of a cycle: what the model said, what the tools gave, how it ended",
    .help =
        "Made of the steps, and of the trace of a failure; of a cycle that was imported, the log\n"
        "that came with it.  The newest cycle if none is named.\n",
    .opts = cycle_opts_agent,
    .args_max = 1,
    .run = run_log,
};
