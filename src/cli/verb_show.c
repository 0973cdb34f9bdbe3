/* verb_show.c - what a person is shown beside what the templates of a row say, or instead.
 *
 * A template has no loops and no arithmetic (tool/template.h).  What needs them is a function here,
 * found by the name of the verb in the table at the end; it gets the data that --json prints, and
 * nothing else, so both show the same. */
#include "cli/verb_show.h"

#include <string.h>

#include "base/utf8.h"
#include "cli/verb_cmd.h"
#include "cli/when.h"
#include "memory/cycle/cycle_state.h"
#include "memory/frame/frame.h"
#include "memory/run/run_newest.h"
#include "tool/cycle.h"

/* An agent's run needs no checkpoints: each of its turns is one. */
static void show_turns(Session *s, const VerbData *d)
{
    AUTO(Run) r = { 0 };
    Err none = s->err;
    uint64_t turns = 0;
    if (json_array_size(json_object_get(d->json, "checkpoints")))
        return;
    if (run_open(&s->memory, arg_at(s, 0), &r, &s->err) == JOT_OK &&
        run_turns_before(&r, UINT64_MAX, &turns, &s->err) == JOT_OK && turns)
        say("run %s has %s to go back to: jotter run --resume %s --from TURN", r.id,
            counted(turns, "turn").text, r.id);
    s->err = none;
}

/* --- Runs ---------------------------------------------------------------------------------- */

static void show_runs(Session *s, const VerbData *d)
{
    const json_t *runs = json_object_get(d->json, "runs");
    uint64_t older = (uint64_t)json_integer_value(json_object_get(d->json, "older"));
    for (size_t i = 0; i < json_array_size(runs); i++) {
        AUTO_PTR(json_t) run = when_for_person(s, json_array_get(runs, i));
        Str query = json_str(json_object_get(run, "query"));
        AUTO(Buf) line = { 0 };
        fputs(ink(INK_YELLOW), stdout);
        print_name(json_str(json_object_get(run, "id")));
        template_add(&line, "  {at:-12}  {records:6}  {by}  ", run, TEMPLATE_PLAIN);
        buf_add(&line, str_slice(query, 0, str_find(query, '\n')));
        fputs(ink(INK_PLAIN), stdout);
        print_name_line(buf_str(&line));
    }
    if (!json_array_size(runs))
        fputs("(none)\n", stderr);
    else if (older)
        say("%s: use --limit", counted(older, "older run").text);
}

static void print_indented(Str text)
{
    for (bool more = true; more;) {
        Str line = text;
        more = str_cut(&text, '\n', &line);
        if (!more && text.n == 0)
            return;
        fputs("        ", stdout);
        print_text(more ? line : text);
        putchar('\n');
    }
}

/* What a model replied: its words, and what it asks for. */
static void print_reply(const json_t *reply)
{
    const json_t *parts = json_object_get(reply, "parts");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        if (json_object_get(part, "text"))
            print_indented(json_str(json_object_get(part, "text")));
        if (!json_object_get(part, "call"))
            continue;
        fputs("        asks for ", stdout);
        print_name_line(json_str(json_object_get(part, "name")));
    }
}

static void print_setup(const json_t *setup)
{
    fputs("        model ", stdout);
    print_name(json_str(json_object_get(setup, "model")));
    printf(", window %lld, %s, rules of %s\n",
           (long long)json_integer_value(json_object_get(setup, "window")),
           counted(json_array_size(json_object_get(setup, "tools")), "tool").text,
           counted(json_str(json_object_get(setup, "system")).n, "byte").text);
}

/* A file that was given with a question. */
static void print_file(const json_t *file)
{
    size_t encoded = json_str(json_object_get(file, "data")).n;
    fputs("        ", stdout);
    print_name(json_str(json_object_get(file, "name")));
    printf(" (%s, about %s)\n", json_string_value(json_object_get(file, "type")),
           counted(encoded / 4 * 3, "byte").text);
}

static bool is_kind(const json_t *step, const char *kind)
{
    return str_eq(json_str(json_object_get(step, "kind")), str(kind));
}

static void print_call(Str tool, Str args)
{
    AUTO(Buf) call = { 0 };
    frame_call_add_text(&call, NULL, tool, args);
    print_name(buf_str(&call));
}

/* The text of a step; that of an agent's loop is JSON, of which --json shows all. */
static void print_step_text(const json_t *step)
{
    json_t *read = NULL;
    Str text = json_str(json_object_get(step, "text"));
    bool reply = is_kind(step, "reply");
    bool file = is_kind(step, "notice") && str_eq(json_member(step, "word"), S("file"));
    if (is_kind(step, "tool_call"))
        return;
    if ((!reply && !file && !is_kind(step, "setup")) || json_read(text, &read, NULL) != JOT_OK) {
        print_indented(text);
        return;
    }
    AUTO_PTR(json_t) value = read;
    if (reply)
        print_reply(value);
    else if (file && json_object_get(value, "data"))
        print_file(value);
    else if (file)
        print_indented(text);
    else
        print_setup(value);
}

static void print_step(const json_t *step)
{
    AUTO(Buf) head = { 0 };
    AUTO(Buf) rest = { 0 };
    template_add(&head, "{seq:6}  {at}  {kind:-11}", step, TEMPLATE_PLAIN);
    printf("%s", ink(INK_DIM));
    print_name(buf_str(&head));
    printf("%s  ", ink(INK_PLAIN));
    if (is_kind(step, "tool_call"))
        print_call(json_str(json_object_get(step, "tool")),
                   json_str(json_object_get(step, "text")));
    if (is_kind(step, "tool_result"))
        template_add(&rest, "#{n} {tool}", step, TEMPLATE_PLAIN);
    if (json_str(json_object_get(step, "call")).n) {
        buf_addf(&rest, "  [" STR_FMT "]", STR_ARG(json_str(json_object_get(step, "call"))));
        template_add(&rest, "{mutating&  mutating}", step, TEMPLATE_PLAIN);
    }
    if (is_kind(step, "tool_result"))
        template_add(&rest, "[  error{!ok}]", step, TEMPLATE_PLAIN);
    if (is_kind(step, "init"))
        template_add(&rest, "[taken back to turn {turn} of {origin}]", step, TEMPLATE_PLAIN);
    if (is_kind(step, "reply"))
        template_add(&rest, "turn {turn}", step, TEMPLATE_PLAIN);
    if (is_kind(step, "clear"))
        template_add(&rest, "results {from}-{to}", step, TEMPLATE_PLAIN);
    if (is_kind(step, "compact"))
        template_add(&rest, "results 1-{n} are now:", step, TEMPLATE_PLAIN);
    else
        template_add(&rest, "[{word}]", step, TEMPLATE_PLAIN);
    template_add(&rest, "{redacted&  (redacted)}", step, TEMPLATE_PLAIN);
    print_name_line(buf_str(&rest));
    print_step_text(step);
}

static void show_run(Session *s, const VerbData *d)
{
    const json_t *steps = json_object_get(d->json, "steps");
    long long next = (long long)json_integer_value(json_object_get(d->json, "next"));
    (void)s;
    for (size_t i = 0; i < json_array_size(steps); i++)
        print_step(json_array_get(steps, i));
    if (next)
        say("there is more: jotter runs read %s --from %lld",
            json_string_value(json_object_get(d->json, "run")), next);
}

static void show_open(Session *s, const VerbData *d)
{
    const json_t *open = json_object_get(d->json, "open");
    (void)s;
    for (size_t i = 0; i < json_array_size(open); i++) {
        const json_t *call = json_array_get(open, i);
        AUTO(Buf) args = { 0 };
        AUTO(Buf) rest = { 0 };
        json_write(&args, json_object_get(call, "args"));
        print_name(json_str(json_object_get(call, "call")));
        fputs("  ", stdout);
        print_call(json_str(json_object_get(call, "tool")), buf_str(&args));
        template_add(&rest, "{mutating&  mutating}{stored&  stored: only its record is missing}",
                     call, TEMPLATE_PLAIN);
        print_name_line(buf_str(&rest));
    }
    if (!json_array_size(open))
        fputs("(none)\n", stderr);
}

/* --- Cycles -------------------------------------------------------------------------------- */

static void show_cycle_id(Session *s, const VerbData *d)
{
    (void)s;
    print_name_line(json_str(json_object_get(d->json, "cycle")));
}

static void print_newest(const json_t *cycle)
{
    long long left_ms = (long long)json_integer_value(json_object_get(cycle, "left_ms"));
    if (!str_eq(json_str(json_object_get(cycle, "end")), S("running"))) {
        verb_print_template("newest     " CYCLE_ENDED, cycle);
        return;
    }
    AUTO(Buf) line = { 0 };
    template_add(&line,
                 "running    {cycle}, {iterations} of {iterations_max#iteration}, "
                 "[killed, or its lease ran out: the next wake ends it{?orphaned}]"
                 "[without a sign of life: the next wake ends it{?dead}{!orphaned}]",
                 cycle, TEMPLATE_PLAIN);
    if (!json_is_true(json_object_get(cycle, "dead")) &&
        !json_is_true(json_object_get(cycle, "orphaned")))
        buf_addf(&line, "dead in %lld s without a sign", (left_ms + 999) / 1000);
    print_name_line(buf_str(&line));
    if (json_object_get(cycle, "waiting_for"))
        verb_print_template("waiting    for the result of {waiting_for.tool}", cycle);
}

static void show_cycle_status(Session *s, const VerbData *d)
{
    (void)s;
    verb_print_template("agent      {agent}\ncycles     {cycles}", d->json);
    if (json_is_object(json_object_get(d->json, "cycle")))
        print_newest(json_object_get(d->json, "cycle"));
    if (!d->body.p) {
        puts("state      none yet: 'jotter cycle init' or the first wake makes one");
        return;
    }
    if (json_object_get(d->json, "unreadable"))
        verb_print_template("state      {unreadable}", d->json);
    verb_print_template("version    {version}[ by {by}]", d->json);
    putchar('\n');
    print_line(d->body);
}

static void show_cycle_step(Session *s, const VerbData *d)
{
    Str said = json_str(json_object_get(d->json, "said"));
    Str action = json_str(json_object_get(d->json, "action"));
    AUTO(Buf) args = { 0 };
    if (!json_is_true(json_object_get(d->json, "result"))) {
        print_text(action);
        if (str_eq(action, S("tool"))) {
            putchar(' ');
            print_name(cycle_state_line(&s->arena, json_str(json_object_get(d->json, "tool")),
                                        ACTION_SUMMARY_CHARS));
            putchar(' ');
            json_write(&args, json_object_get(d->json, "args"));
            print_name(buf_str(&args));
        }
        putchar('\n');
    }
    if (said.n)
        print_line(said);
}

/* How a step is called: what a reply asks for, how a tool ended. */
static const char *step_word(const json_t *step)
{
    static const char *const ends[][2] = { { "ok", "result" },
                                           { "error", "error" },
                                           { "unknown", "unknown tool" } };
    Str status = json_str(json_object_get(step, "status"));
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_eq(status, str(ends[i][0])))
            return ends[i][1];
    return json_string_value(json_object_get(step, "action"));
}

static void print_cycle_step(Session *s, const json_t *step)
{
    Str tool = json_str(json_object_get(step, "tool"));
    printf("%sstep %lld%s  ", ink(INK_BOLD),
           (long long)json_integer_value(json_object_get(step, "step")), ink(INK_PLAIN));
    if (is_kind(step, "end")) {
        verb_print_template("{at}  {end}[: {why}]", step);
        return;
    }
    printf("%s  %s", json_string_value(json_object_get(step, "at")), step_word(step));
    if (tool.n) {
        putchar(' ');
        print_name(cycle_state_line(&s->arena, tool, ACTION_SUMMARY_CHARS));
    }
    putchar('\n');
    const json_t *text = json_object_get(step, "text");
    print_line(json_is_string(text) ? json_str(text)
                                    : S("(no text: jotter read prints its bytes)"));
    putchar('\n');
}

static void show_cycle_steps(Session *s, const VerbData *d)
{
    const json_t *steps = json_object_get(d->json, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++)
        print_cycle_step(s, json_array_get(steps, i));
}

static void print_side(Ink colour, char sign, Str path, const json_t *text)
{
    if (!text)
        return;
    printf("%s%c ", ink(colour), sign);
    print_name(path);
    fputs(": ", stdout);
    print_text(json_str(text));
    printf("%s\n", ink(INK_PLAIN));
}

static void print_changes(const json_t *diff)
{
    for (size_t i = 0; i < json_array_size(diff); i++) {
        const json_t *change = json_array_get(diff, i);
        Str path = json_str(json_object_get(change, "path"));
        print_side(INK_RED, '-', path, json_object_get(change, "was"));
        print_side(INK_GREEN, '+', path, json_object_get(change, "is"));
    }
}

static void show_cycle_diff(Session *s, const VerbData *d)
{
    const json_t *diff = json_object_get(d->json, "diff");
    (void)s;
    print_changes(diff);
    if (!json_array_size(diff))
        puts("(no difference)");
}

static void show_explanation(Session *s, const VerbData *d)
{
    const json_t *cycle = json_object_get(d->json, "cycle"),
                 *diff = json_object_get(d->json, "diff");
    Str agent = json_str(json_object_get(cycle, "agent"));
    (void)s;
    fputs("cycle ", stdout);
    print_name(json_str(json_object_get(cycle, "cycle")));
    printf(": %s%s%s\n", ink(INK_BOLD), json_string_value(json_object_get(d->json, "reading")),
           ink(INK_PLAIN));
    print_name_line(json_str(json_object_get(d->json, "sentence")));
    if (json_object_get(d->json, "hint"))
        print_name_line(json_str(json_object_get(d->json, "hint")));
    if (json_object_get(d->json, "see_log"))
        verb_print_template(str_eq(agent, S(CYCLE_DEFAULT_AGENT))
                                ? "jotter cycle log {cycle}"
                                : "jotter cycle log {cycle} --agent {agent}",
                            cycle);
    if (json_array_size(diff)) {
        putchar('\n');
        print_changes(diff);
    }
}

static const struct {
    const char *tool;
    VerbShow show;
    bool beside; /* what the templates say is printed before it */
} shows[] = {
    { "checkpoint_list", show_turns, true },  { "run_list", show_runs, false },
    { "run_read", show_run, false },          { "run_unfinished", show_open, false },
    { "cycle_wake", show_cycle_id, false },   { "cycle_status", show_cycle_status, false },
    { "cycle_step", show_cycle_step, false }, { "cycle_steps", show_cycle_steps, false },
    { "cycle_diff", show_cycle_diff, false }, { "cycle_explain", show_explanation, false },
};

VerbShow verb_show(const Verb *v, bool *beside)
{
    for (size_t i = 0; v->tool.name && i < COUNT_OF(shows); i++)
        if (strcmp(shows[i].tool, v->tool.name) == 0) {
            *beside = shows[i].beside;
            return shows[i].show;
        }
    return NULL;
}
