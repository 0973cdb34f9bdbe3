/* cmd_cycle_look.c - looking at cycles from the shell: status, list, show, diff, explain. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/yaml_json.h"
#include "cli/cycle.h"
#include "memory/cycle/explain.h"
#include "memory/doc/doc.h"

enum { SECOND = 1000, LIST_LIMIT = 20, LIST_LIMIT_MAX = 1000 * 1000 };

const Opt cycle_opts_agent[] = { CYCLE_OPT_AGENT, { 0 } };

Str cycle_agent(Session *s)
{
    const char *name = opt_text(s, "agent");
    return str(name ? name : CYCLE_DEFAULT_AGENT);
}

void cycle_print_end(const Cycle *c)
{
    print_sentence("cycle " STR_FMT ": %s, %zu of %zu iterations", STR_ARG(c->id),
                   cycle_end_name(c->end), c->iterations, c->iterations_max);
}

jot_status cycle_named(Session *s, int at, Str *id)
{
    Shown shown;
    *id = arg_at(s, at);
    if (id->n == 0) {
        CycleStatus status;
        TRY(cycle_status(&s->memory, cycle_agent(s), &s->arena, &status, &s->err));
        *id = status.newest;
    }
    if (id->n == 0)
        return err_set(&s->err, JOT_NOT_FOUND, "'%s' has had no cycle yet",
                       err_show(&shown, cycle_agent(s)));
    return JOT_OK;
}

static jot_status find_cycle(Session *s, int at, Cycle *out)
{
    Str id;
    TRY(session_open(s, false));
    TRY(cycle_named(s, at, &id));
    return cycle_find(&s->memory, cycle_agent(s), id, &s->arena, out, &s->err);
}

/* --- status ----------------------------------------------------------------------------- */

static void print_newest(const Cycle *c)
{
    if (c->end != CYCLE_RUNNING) {
        printf("newest     ");
        cycle_print_end(c);
        return;
    }
    printf("running    " STR_FMT ", %zu of %zu iterations, ", STR_ARG(c->id), c->iterations,
           c->iterations_max);
    if (c->orphaned)
        puts("killed, or its lease ran out: the next wake ends it");
    else if (c->dead)
        puts("without a sign of life: the next wake ends it");
    else
        printf("dead in %lld s without a sign\n", (long long)(c->left_ms + SECOND - 1) / SECOND);
    if (c->waiting) {
        printf("waiting    for the result of ");
        print_name_line(c->call.tool);
    }
}

static jot_status run_status(Session *s)
{
    CycleStatus st = { .agent = cycle_agent(s) };
    Cycle c;
    bool there, known = false;
    TRY(session_open_any(s, &there));
    if (there)
        TRY(cycle_status(&s->memory, cycle_agent(s), &s->arena, &st, &s->err));
    if (st.newest.n) {
        Err ignored = { 0 };
        known =
            cycle_find(&s->memory, cycle_agent(s), st.newest, &s->arena, &c, &ignored) == JOT_OK;
    }
    if (s->json) {
        json_t *out = cycle_status_json(&st);
        json_object_set_new(out, "cycle", known ? cycle_json(&c) : json_null());
        print_json(out);
        return JOT_OK;
    }
    printf("agent      " STR_FMT "\ncycles     %llu\n", STR_ARG(st.agent),
           (unsigned long long)st.cycles);
    if (known)
        print_newest(&c);
    if (!st.there) {
        puts("state      none yet: 'jotter cycle init' or the first wake makes one");
        return JOT_OK;
    }
    if (st.unreadable.status != JOT_OK)
        print_sentence("state      %s", st.unreadable.text);
    printf("version    %s%s", version_of(st.mark.sha256).text, st.by.n ? " by " : "");
    print_name_line(st.by);
    putchar('\n');
    print_line(st.text);
    return JOT_OK;
}

/* --- list, show -------------------------------------------------------------------------- */

static void print_list_line(const CycleLine *l)
{
    char iterations[24] = "-"; /* of another program: nobody counted */
    if (!l->imported || l->iterations)
        snprintf(iterations, sizeof iterations, "%zu", l->iterations);
    printf("%-18.*s %-8s %4s  %s", STR_ARG(l->id), cycle_end_name(l->end), iterations,
           l->started_ms ? time_text(l->started_ms).text : "-");
    if (l->why.n) {
        fputs("  ", stdout);
        print_name(l->why);
    }
    putchar('\n');
}

static jot_status run_list(Session *s)
{
    CycleList list = { 0 };
    int64_t limit;
    bool there;
    TRY(opt_number(s, "limit", 1, LIST_LIMIT_MAX, LIST_LIMIT, &limit));
    TRY(session_open_any(s, &there));
    if (there)
        TRY(cycle_list(&s->memory, cycle_agent(s), &s->arena, &list, &s->err));
    size_t shown = list.n > (size_t)limit ? (size_t)limit : list.n;
    if (s->json) {
        json_t *items = json_array();
        for (size_t i = 0; i < shown; i++)
            json_array_append_new(items, cycle_line_json(&list.items[i]));
        print_json(
            json_pack("{s:o, s:I}", "cycles", items, "left_out", (json_int_t)(list.n - shown)));
        return JOT_OK;
    }
    for (size_t i = 0; i < shown; i++)
        print_list_line(&list.items[i]);
    if (list.n == 0)
        puts("(empty)");
    if (shown < list.n)
        say("%zu older ones are left out: use --limit", list.n - shown);
    return JOT_OK;
}

/* Which text of a cycle, and its name. */
static jot_status choose_text(Session *s, const Cycle *c, Str *text, const char **which)
{
    bool before = opt_given(s, "before"), after = opt_given(s, "after");
    if (before && after)
        return err_set(&s->err, JOT_INVALID, "say one of --before and --after");
    if (after && c->after.n == 0)
        return err_set(&s->err, JOT_NOT_FOUND, "cycle '" STR_FMT "' has not ended", STR_ARG(c->id));
    bool over = c->after.n > 0;
    *which = before ? "before" : over ? "after" : "now";
    *text = before ? c->before : c->after;
    if (!before && !over)
        TRY(cycle_state_write(c->state, &s->arena, text, &s->err));
    return JOT_OK;
}

static jot_status run_show(Session *s)
{
    Cycle c = { 0 };
    Str text;
    const char *which = "state";
    if (opt_given(s, "steps") || opt_given(s, "step"))
        return cycle_show_steps(s);
    if (s->n == 0 && !opt_given(s, "before") && !opt_given(s, "after")) {
        Doc doc;
        Str stream = arena_printf(&s->arena, "cycles/" STR_FMT, STR_ARG(cycle_agent(s)));
        TRY(session_open(s, false));
        TRY(doc_read(&s->memory, stream, &s->arena, &doc, &s->err));
        text = doc.text;
    } else {
        TRY(find_cycle(s, 0, &c));
        TRY(choose_text(s, &c, &text, &which));
    }
    if (!s->json) {
        print_text(text);
        return JOT_OK;
    }
    Yaml *state = NULL;
    Err ignored = { 0 };
    bool readable = cycle_state_read(text, &s->arena, &state, &ignored) == JOT_OK;
    print_json(json_pack("{s:o, s:o, s:s, s:o, s:o}", "agent", json_text(cycle_agent(s)), "cycle",
                         json_text(c.id), "which", which, "text", json_text(text), "state",
                         readable ? yaml_to_json(state) : json_null()));
    return JOT_OK;
}

/* --- diff, explain ----------------------------------------------------------------------- */

static void print_side(Ink colour, char sign, Str path, Str text)
{
    printf("%s%c ", ink(colour), sign);
    print_name(path);
    fputs(": ", stdout);
    print_text(text);
    printf("%s\n", ink(INK_PLAIN));
}

static void print_diff(const TreeDiff *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const TreeChange *c = &d->items[i];
        if (c->kind != CHANGE_ADDED)
            print_side(INK_RED, '-', c->path, c->was);
        if (c->kind != CHANGE_REMOVED)
            print_side(INK_GREEN, '+', c->path, c->is);
    }
    if (d->n == 0)
        puts("(no difference)");
}

static jot_status run_diff(Session *s)
{
    Cycle from, to;
    Yaml *before;
    TRY(find_cycle(s, 0, &from));
    TRY(cycle_check_state(&from, &s->err));
    if (s->n == 2) {
        TRY(cycle_find(&s->memory, cycle_agent(s), arg_at(s, 1), &s->arena, &to, &s->err));
        TRY(cycle_check_state(&to, &s->err));
        before = from.state;
    } else {
        to = from;
        TRY(cycle_state_read(from.before, &s->arena, &before, &s->err));
    }
    TreeDiff d = tree_diff(before, to.state, &s->arena);
    if (s->json)
        print_json(json_pack("{s:o, s:o, s:o}", "from", json_text(from.id), "to", json_text(to.id),
                             "diff", tree_diff_json(&d)));
    else
        print_diff(&d);
    return JOT_OK;
}

static jot_status run_explain(Session *s)
{
    Cycle c;
    Explanation x;
    TRY(find_cycle(s, 0, &c));
    TRY(cycle_explain(&c, &s->arena, &x, &s->err));
    if (s->json) {
        json_t *out = explanation_json(&x);
        json_object_set_new(out, "cycle", cycle_json(&c));
        print_json(out);
        return JOT_OK;
    }
    printf("cycle " STR_FMT ": %s%s%s\n", STR_ARG(c.id), ink(INK_BOLD), reading_name(x.reading),
           ink(INK_PLAIN));
    print_name_line(x.sentence);
    if (x.hint.n)
        print_name_line(x.hint);
    if (x.see_log) {
        bool own = str_eq(c.agent, S(CYCLE_DEFAULT_AGENT));
        print_sentence("jotter cycle log " STR_FMT "%s" STR_FMT, STR_ARG(c.id),
                       own ? "" : " --agent ", STR_ARG(own ? S("") : c.agent));
    }
    if (x.diff.n) {
        putchar('\n');
        print_diff(&x.diff);
    }
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------- */

const Cmd cmd_cycle_status = {
    .name = "status",
    .args = "",
    .summary = "Print where an agent stands, and its state",
    .help = "",
    .opts = cycle_opts_agent,
    .run = run_status,
};

static const Opt opts_list[] = {
    CYCLE_OPT_AGENT,
    { "limit", "N", "the newest N; 20 unless said" },
    { 0 },
};

const Cmd cmd_cycle_list = {
    .name = "list",
    .args = "",
    .summary = "Print the cycles, newest first: id, end, iterations, when, why",
    .help = "",
    .opts = opts_list,
    .run = run_list,
};

static const Opt opts_show[] = {
    CYCLE_OPT_AGENT,
    { "before", NULL, "what it woke with, to the byte" },
    { "after", NULL, "what it ended with, to the byte" },
    { "steps", NULL, "every reply of the model and every result of a tool, whole" },
    { "step", "N", "one of them, to the byte" },
    { 0 },
};

const Cmd cmd_cycle_show = {
    .name = "show",
    .args = "[ID]",
    .summary = "Print the state, or that of a cycle as it is now",
    .help =
        "An entry of the notes holds 300 characters of a result; its key, steps/AGENT/ID/N, has\n"
        "the N for --step.  With --steps the newest cycle if none is named.\n",
    .opts = opts_show,
    .args_max = 1,
    .run = run_show,
};

const Cmd cmd_cycle_diff = {
    .name = "diff",
    .args = "[ID [ID]]",
    .summary = "Print what a cycle changed, or what lies between the ends of two",
    .help = "By keys and elements; the newest cycle if none is named.\n",
    .opts = cycle_opts_agent,
    .args_max = 2,
    .run = run_diff,
};

const Cmd cmd_cycle_explain = {
    .name = "explain",
    .args = "[ID]",
    .summary = "Say what became of a cycle, and what it changed",
    .help =
        "It finished, hit the iteration limit (and which tool was repeated, or how many replies\n"
        "could not be read), crashed (and why), or nothing changed.  The newest cycle if none\n"
        "is named.\n",
    .opts = cycle_opts_agent,
    .args_max = 1,
    .run = run_explain,
};
