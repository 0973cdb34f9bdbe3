/* cycle_look.c - the verbs of `cycle` that only look: where an agent stands, what its cycles did
 * and what became of them.  Where no cycle is named, the newest is meant. */
#include "base/yaml_json.h"
#include "memory/cycle/cycle_log.h"
#include "memory/cycle/explain.h"
#include "memory/doc/doc.h"
#include "tool/cycle.h"

enum { LIST_LIMIT = 20, LIST_LIMIT_MAX = 1000 * 1000 };

/* The cycle that is named, else the agent's newest. */
static jot_status name_cycle(ToolCall *c, Str *id)
{
    *id = arg_text(c, "cycle");
    return id->n ? JOT_OK : cycle_newest(c->m, cycle_arg_agent(c), c->into, id, c->e);
}

static jot_status find(ToolCall *c, Cycle *out)
{
    Str id;
    TRY(name_cycle(c, &id));
    return cycle_refused(c, cycle_find(c->m, cycle_arg_agent(c), id, c->into, out, c->e));
}

/* --- status -------------------------------------------------------------------------------- */

static jot_status status(ToolCall *c, VerbData *out)
{
    CycleStatus s;
    Cycle k;
    Err ignored = { 0 };
    TRY(cycle_status(c->m, cycle_arg_agent(c), c->into, &s, c->e));
    bool known = s.newest.n && cycle_find(c->m, s.agent, s.newest, c->into, &k, &ignored) == JOT_OK;
    out->json = cycle_status_json(&s);
    json_object_set_new(out->json, "cycle", known ? cycle_json(&k) : json_null());
    if (s.there)
        out->body = s.text.p ? s.text : S("");
    return JOT_OK;
}

const Verb verb_cycle_status = {
    .tool = { .name = "cycle_status",
              .title = "State of an agent",
              .about = "What an agent that sleeps in between knows: goals, task, pending actions, "
                       "notes.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_AGENT, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "status",
    .summary = "Print where an agent stands, and its state",
    .fields = (const Param[]){ { "agent", .type = PARAM_TEXT },
                               { "there", PARAM_BOOL, .about = "there is a state" },
                               { "newest", PARAM_TEXT, .about = "id of the newest cycle" },
                               { "running", PARAM_BOOL, .about = "it runs" },
                               { "cycles", PARAM_NUMBER, .about = "how many there are" },
                               { "text", PARAM_TEXT, .about = "the state" },
                               { "by", .type = PARAM_TEXT },
                               { "version", .type = PARAM_TEXT },
                               { "unreadable", PARAM_TEXT, .about = "why it is no state" },
                               { "cycle", PARAM_OBJECT, .fields = cycle_fields },
                               { 0 } },
    .says = "version {version}; {cycles#cycle}, the newest [{newest}][none{!newest}]"
            "[ is running{?running}]",
    .run = status,
    .say = cycle_say_state,
};

/* --- list ---------------------------------------------------------------------------------- */

static jot_status list(ToolCall *c, VerbData *out)
{
    CycleList all;
    Str after = arg_text(c, "after");
    Shown shown;
    size_t at = 0;
    TRY(cycle_list(c->m, cycle_arg_agent(c), c->into, &all, c->e));
    while (after.n && at < all.n && !str_eq(all.items[at].id, after))
        at++;
    if (after.n && at == all.n)
        return err_set(c->e, JOT_NOT_FOUND, "cycle '%s' not found", err_show(&shown, after));
    at += after.n > 0;
    size_t limit = c->shell ? (size_t)arg_number(c, "limit", LIST_LIMIT) : all.n;
    json_t *items = json_array();
    for (; at < all.n && json_array_size(items) < limit; at++)
        json_array_append_new(items, cycle_line_json(&all.items[at]));
    out->json = json_pack("{s:o, s:I, s:b}", "cycles", items, "total", (json_int_t)all.n, "more",
                          at < all.n);
    return JOT_OK;
}

static const Param line_fields[] = {
    { "cycle", PARAM_TEXT, .about = "its id" },
    { "end", .type = PARAM_TEXT },
    { "iterations", .type = PARAM_NUMBER },
    { "started", PARAM_TEXT, .about = "time" },
    { "ended", PARAM_TEXT, .about = "time" },
    { "imported", PARAM_BOOL, .about = "another program ran it: its times are its files'" },
    { "why", PARAM_TEXT, .about = "it failed" },
    { 0 },
};

const Verb verb_cycle_list = {
    .tool = { .name = "cycle_list",
              .title = "List cycles",
              .about = "The cycles of an agent, newest first.",
              .effects = TOOL_READS,
              .params =
                  PARAMS(CYCLE_AGENT,
                         { "after", PARAM_TEXT, .about = "an id", .optional = true,
                           .max = CYCLE_ID_MAX, .word = "ID", .help = "start after this one" },
                         { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = LIST_LIMIT_MAX,
                           .door = DOOR_CLI, .help = "the newest N; 20 unless given" }),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the cycles, newest first: id, end, iterations, when, why",
    .fields = (const Param[]){ { "cycles", PARAM_OBJECTS, .fields = line_fields },
                               { "total", .type = PARAM_NUMBER },
                               { "more", .type = PARAM_BOOL },
                               { 0 } },
    .items = "cycles",
    .unit = "cycle",
    .row = "{cycle:-18} {end:-8} [{iterations:4}][   0{!iterations}{!imported}]"
           "[   -{!iterations}{?imported}]  [{started}][-{!started}][  {why}]",
    .page = "after",
    .cursor = "{cycle}",
    .run = list,
};

/* --- read ---------------------------------------------------------------------------------- */

/* Which text of a cycle, and its name. */
static jot_status choose_text(ToolCall *c, const Cycle *k, Str *text, const char **which)
{
    bool before = arg_bool(c, "before"), over = k->after.n > 0;
    if (arg_bool(c, "after") && !over)
        return err_set(c->e, JOT_NOT_FOUND, "cycle '" STR_FMT "' has not ended", STR_ARG(k->id));
    *which = before ? "before" : over ? "after" : "now";
    *text = before ? k->before : k->after;
    if (!before && !over)
        TRY(cycle_state_write(k->state, c->into, text, c->e));
    return JOT_OK;
}

static jot_status read_state(ToolCall *c, VerbData *out)
{
    Cycle k = { 0 };
    Str text, agent = cycle_arg_agent(c);
    const char *which = "state";
    Yaml *state = NULL;
    Err ignored = { 0 };
    if (arg_bool(c, "before") && arg_bool(c, "after"))
        return err_set(c->e, JOT_INVALID, "say one of %s",
                       c->shell ? "--before and --after" : "'before' and 'after'");
    if (!arg_given(c, "cycle") && !arg_bool(c, "before") && !arg_bool(c, "after")) {
        Doc doc;
        TRY(doc_read(c->m, arena_printf(c->into, "cycles/" STR_FMT, STR_ARG(agent)), c->into, &doc,
                     c->e));
        text = doc.text;
    } else {
        TRY(find(c, &k));
        TRY(choose_text(c, &k, &text, &which));
    }
    bool readable = cycle_state_read(text, c->into, &state, &ignored) == JOT_OK;
    out->json = json_pack("{s:o, s:o, s:s, s:o, s:o}", "agent", json_text(agent), "cycle",
                          json_text(k.id), "which", which, "text", json_text(text), "state",
                          readable ? yaml_to_json(state) : json_null());
    out->body = text.p ? text : S("");
    return JOT_OK;
}

const Verb verb_cycle_read = {
    .tool = { .name = "cycle_read",
              .title = "Read a state",
              .about = "The state of an agent, or that of one of its cycles: as it is now, as it "
                       "was before, as it was after.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_ANY, CYCLE_AGENT,
                               { "before", PARAM_BOOL, .about = "what the cycle woke with",
                                 .optional = true, .help = "what it woke with, to the byte" },
                               { "after", PARAM_BOOL, .about = "what it ended with",
                                 .optional = true, .help = "what it ended with, to the byte" },
                               REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .was = "show",
    .summary = "Print the state, or that of a cycle as it is now",
    .fields = (const Param[]){ { "agent", .type = PARAM_TEXT },
                               { "cycle", .type = PARAM_TEXT },
                               { "which", PARAM_TEXT, .about = "state, before, now or after" },
                               { "text", .type = PARAM_TEXT },
                               { "state", PARAM_OBJECT, .about = "the same, read" },
                               { 0 } },
    .says = "state of {agent}[, cycle {cycle}, {which}]",
    .run = read_state,
    .say = cycle_say_state,
};

/* --- steps, log ---------------------------------------------------------------------------- */

/* All that a person asks for, a page at a time; a model gets the first page. */
static jot_status steps(ToolCall *c, VerbData *out)
{
    Str id;
    CycleLog page = { .more = true };
    uint64_t damaged = 0, next = (uint64_t)arg_number(c, "after", 0) + 1;
    TRY(name_cycle(c, &id));
    AUTO_PTR(json_t) all = json_array();
    for (bool first = true; page.more && (first || c->shell); first = false) {
        AUTO(Arena) a = { 0 };
        TRY(cycle_refused(c, cycle_log_list(c->m, (CycleName){ cycle_arg_agent(c), id },
                                            (SeqRange){ next, CYCLE_LOG_MAX }, &a, &page, c->e)));
        for (size_t i = 0; i < page.n; i++)
            json_array_append_new(all, cycle_log_step_json(&page.items[i]));
        damaged += page.damaged;
        page.more = page.more && page.next > next;
        next = page.next;
    }
    out->json =
        json_pack("{s:o, s:o, s:O, s:I, s:b}", "agent", json_text(cycle_arg_agent(c)), "cycle",
                  json_text(id), "steps", all, "damaged", (json_int_t)damaged, "more", page.more);
    return JOT_OK;
}

static const Param step_fields[] = {
    { "step", PARAM_NUMBER, .about = "its number" },
    { "at", PARAM_TEXT, .about = "time" },
    { "by", .type = PARAM_TEXT },
    { "kind", PARAM_TEXT, .about = "reply, result or end" },
    { "action", PARAM_TEXT, .about = "of a reply" },
    { "tool", .type = PARAM_TEXT },
    { "args", .type = PARAM_OBJECT },
    { "why", .type = PARAM_TEXT },
    { "status", PARAM_TEXT, .about = "of a result: ok, error or unknown" },
    { "end", PARAM_TEXT, .about = "how the cycle ended" },
    { "text", .type = PARAM_TEXT },
    { "redacted", .type = PARAM_BOOL },
    { 0 },
};

const Verb verb_cycle_steps = {
    .tool = { .name = "cycle_steps",
              .title = "Steps of a cycle",
              .about = "The replies and results of a cycle, one per line. One of them whole: "
                       "scratchpad_read key=steps/AGENT/CYCLE/NUMBER.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_ANY, CYCLE_AGENT,
                               { "after", PARAM_NUMBER, .about = "a step", .optional = true,
                                 .min = 1, .help = "start after this one" }),
              .run = verb_answer },
    .verb = "steps",
    .option_of = "show",
    .summary = "Print every reply of the model and every result of a tool, whole",
    .help = "An entry of the notes holds 300 characters of a result; its key, steps/AGENT/ID/N,\n"
            "has the number: 'jotter read KEY' prints that step to the byte.\n",
    .fields = (const Param[]){ { "agent", .type = PARAM_TEXT },
                               { "cycle", .type = PARAM_TEXT },
                               { "steps", PARAM_OBJECTS, .fields = step_fields },
                               { "damaged", PARAM_NUMBER, .about = "that cannot be read" },
                               { "more", .type = PARAM_BOOL },
                               { 0 } },
    .items = "steps",
    .unit = "step",
    .members = "step kind action tool status end why text redacted",
    .none = "(none)",
    .page = "after",
    .cursor = "{step}",
    .run = steps,
};

static jot_status read_log(ToolCall *c, VerbData *out)
{
    AUTO(Buf) text = { .max = BUF_MAX_DEFAULT };
    Str id;
    TRY(name_cycle(c, &id));
    TRY(cycle_refused(c, cycle_log(c->m, cycle_arg_agent(c), id, &text, c->e)));
    out->body = arena_copy(c->into, buf_str(&text));
    out->json = json_pack("{s:o, s:o, s:o}", "agent", json_text(cycle_arg_agent(c)), "cycle",
                          json_text(id), "log", json_text(out->body));
    return JOT_OK;
}

const Verb verb_cycle_log = {
    .tool = { .name = "cycle_log",
              .title = "Log of a cycle",
              .about = "What was said and done in a cycle: every reply and every result, whole.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_ANY, CYCLE_AGENT, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "log",
    .summary = "Print the log of a cycle: what the model said, what the tools gave, how it ended",
    .help = "Made of the steps, and of the trace of a failure; of a cycle that was imported, the\n"
            "log that came with it.  The newest cycle if none is named.\n",
    .fields = (const Param[]){ { "agent", .type = PARAM_TEXT },
                               { "cycle", .type = PARAM_TEXT },
                               { "log", .type = PARAM_TEXT },
                               { 0 } },
    .says = "log of cycle {cycle}",
    .run = read_log,
};

/* --- diff, explain ------------------------------------------------------------------------- */

/* One change as a line: "~ goals[0]: was -> is". */
static void write_change(Buf *to, const json_t *change)
{
    const json_t *was = json_object_get(change, "was"), *is = json_object_get(change, "is");
    buf_addf(to, "%s ", !was ? "+" : !is ? "-" : "~");
    buf_add(to, json_str(json_object_get(change, "path")));
    buf_addf(to, ": " STR_FMT "%s" STR_FMT, STR_ARG(json_str(was)), was && is ? " -> " : "",
             STR_ARG(json_str(is)));
}

/* As many changes as fit, each quoted. */
static void list_changes(const ToolCall *c, const json_t *diff, Lister *l)
{
    size_t n = 0, total = json_array_size(diff);
    for (bool fits = true; n < total && fits; n += fits) {
        AUTO(Buf) line = { 0 };
        AUTO(Buf) quoted = { 0 };
        write_change(&line, json_array_get(diff, n));
        reply_quote(&quoted, buf_str(&line), c->budget / 4);
        fits = lister_add(l, str_slice(buf_str(&quoted), 0, quoted.n - 1));
    }
    if (n < total)
        buf_addf(&l->text, "... and %s\n", counted(total - n, "more change").text);
}

static jot_status diff(ToolCall *c, VerbData *out)
{
    Cycle from, to;
    Yaml *before;
    TRY(find(c, &from));
    TRY(cycle_check_state(&from, c->e));
    if (arg_given(c, "to")) {
        TRY(cycle_refused(
            c, cycle_find(c->m, cycle_arg_agent(c), arg_text(c, "to"), c->into, &to, c->e)));
        TRY(cycle_check_state(&to, c->e));
        before = from.state;
    } else {
        to = from;
        TRY(cycle_state_read(from.before, c->into, &before, c->e));
    }
    TreeDiff d = tree_diff(before, to.state, c->into);
    out->json = json_pack("{s:o, s:o, s:o}", "from", json_text(from.id), "to", json_text(to.id),
                          "diff", tree_diff_json(&d));
    return JOT_OK;
}

static jot_status say_diff(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    bool one = json_equal(json_object_get(d->json, "from"), json_object_get(d->json, "to"));
    list_changes(c, json_object_get(d->json, "diff"), &l);
    template_add(&l.text,
                 one ? "{diff#change} by cycle {from}"
                     : "{diff#change} from the end of cycle {from} to that of cycle {to}",
                 d->json, TEMPLATE_FRAMED);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static const Param change_fields[] = {
    { "change", PARAM_TEXT, .about = "added, removed or changed" },
    { "path", .type = PARAM_TEXT },
    { "was", .type = PARAM_TEXT },
    { "is", .type = PARAM_TEXT },
    { 0 },
};

const Verb verb_cycle_diff = {
    .tool = { .name = "cycle_diff",
              .title = "Compare states",
              .about = "What a cycle changed in the state, or what differs between the ends of two "
                       "cycles.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_ANY,
                               { "to", PARAM_TEXT, .about = "the id of another one",
                                 .optional = true, .max = CYCLE_ID_MAX, .place = 2, .word = "ID" },
                               CYCLE_AGENT),
              .run = verb_answer },
    .verb = "diff",
    .summary = "Print what a cycle changed, or what differs between the ends of two",
    .help = "By keys and elements; the newest cycle if none is named.\n",
    .fields = (const Param[]){ { "from", PARAM_TEXT, .about = "a cycle" },
                               { "to", PARAM_TEXT, .about = "the same, or another one" },
                               { "diff", PARAM_OBJECTS, .fields = change_fields },
                               { 0 } },
    .run = diff,
    .say = say_diff,
};

static jot_status explain(ToolCall *c, VerbData *out)
{
    Cycle k;
    Explanation x;
    TRY(find(c, &k));
    TRY(cycle_explain(&k, c->into, &x, c->e));
    out->json = explanation_json(&x);
    json_object_set_new(out->json, "cycle", cycle_json(&k));
    return JOT_OK;
}

static jot_status say_explanation(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    list_changes(c, json_object_get(d->json, "diff"), &l);
    template_add(&l.text,
                 "{reading}: {=sentence}[; {=hint}][ (cycle_log cycle={cycle.cycle}{?see_log})]",
                 d->json, TEMPLATE_FRAMED);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

const Verb verb_cycle_explain = {
    .tool = { .name = "cycle_explain",
              .title = "Explain a cycle",
              .about = "What became of a cycle, and how it changed the state.",
              .effects = TOOL_READS,
              .params = PARAMS(CYCLE_ANY, CYCLE_AGENT),
              .run = verb_answer },
    .verb = "explain",
    .summary = "Explain how a cycle ended, and what it changed",
    .help =
        "It finished, hit the iteration limit (and which tool was repeated, or how many replies\n"
        "could not be read), crashed (and why), or nothing changed.  The newest cycle if none\n"
        "is named.\n",
    .fields = (const Param[]){ { "reading", PARAM_TEXT,
                                 .about = "running, finished, limit, crashed, nothing, stopped" },
                               { "sentence", .type = PARAM_TEXT },
                               { "hint", PARAM_TEXT, .about = "what that usually means" },
                               { "see_log", PARAM_BOOL, .about = "the log of the cycle says more" },
                               { "diff", PARAM_OBJECTS, .fields = change_fields },
                               { "cycle", PARAM_OBJECT, .fields = cycle_fields },
                               { 0 } },
    .run = explain,
    .say = say_explanation,
};
