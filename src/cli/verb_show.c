/* verb_show.c - what a person is shown beside what the templates of a row say. */
#include "cli/verb_show.h"

#include <string.h>

#include "base/utf8.h"
#include "cli/verb_cmd.h"
#include "memory/frame/frame.h"
#include "memory/run/run_newest.h"

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
    (void)s;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        Str query = json_str(json_object_get(run, "query"));
        AUTO(Buf) line = { 0 };
        fputs(ink(INK_YELLOW), stdout);
        print_name(json_str(json_object_get(run, "id")));
        template_add(&line, "  {at}  {records:6}  {by}  ", run, TEMPLATE_PLAIN);
        buf_add(&line, str_slice(query, 0, str_find(query, '\n')));
        fputs(ink(INK_PLAIN), stdout);
        print_name_line(buf_str(&line));
    }
    if (!json_array_size(runs))
        puts("(none)");
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
    if (is_kind(step, "tool_call"))
        return;
    if ((!reply && !is_kind(step, "setup")) || json_read(text, &read, NULL) != JOT_OK) {
        print_indented(text);
        return;
    }
    AUTO_PTR(json_t) value = read;
    if (reply)
        print_reply(value);
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
        puts("(none)");
}

static const struct {
    const char *tool;
    VerbShow show;
} shows[] = {
    { "checkpoint_list", show_turns },
    { "run_list", show_runs },
    { "run_read", show_run },
    { "run_unfinished", show_open },
};

VerbShow verb_show(const Verb *v)
{
    for (size_t i = 0; v->tool.name && i < COUNT_OF(shows); i++)
        if (strcmp(shows[i].tool, v->tool.name) == 0)
            return shows[i].show;
    return NULL;
}
