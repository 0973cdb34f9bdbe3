/* registry.c - which tools there are, and calling one of them.
 *
 *     name ──► find ──► check the arguments ──► open the pad ──► run ──► keep the promises
 *              of the   against its table       if it is not             of tool.h: UTF-8,
 *              profiles                         open yet                 within the budget
 *
 * Wrong arguments are an answer, not a failure: one sentence for the model, which may try again.
 * Where there is no pad, a tool that makes none works on an empty one, so that "not found" and
 * "(empty)" are said by the same code as everywhere else. */
#include "tool/registry.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/pointer.h"
#include "memory/frame/tokens.h"

enum { CUT_LINE = 20 /* tokens of the line that says that an answer was cut */ };

/* One a line, in the order they are listed. */
/* clang-format off */
extern const Tool tool_scratchpad_write;
extern const Tool tool_scratchpad_read;
extern const Tool tool_scratchpad_list;
extern const Tool tool_scratchpad_edit;
extern const Tool tool_scratchpad_search;
extern const Tool tool_scratchpad_delete;
extern const Tool tool_scratchpad_history;
extern const Tool tool_scratchpad_lease;
extern const Noun noun_artifact;
extern const Noun noun_run;
extern const Noun noun_cycle;
extern const Noun noun_lease;
extern const Noun noun_task;
extern const Tool tool_memory;
extern const Tool tool_memory_view;
extern const Tool tool_create_entities;
extern const Tool tool_create_relations;
extern const Tool tool_add_observations;
extern const Tool tool_delete_entities;
extern const Tool tool_delete_observations;
extern const Tool tool_delete_relations;
extern const Tool tool_read_graph;
extern const Tool tool_search_nodes;
extern const Tool tool_open_nodes;
extern const Noun noun_plan;
extern const Noun noun_sink;
extern const Noun noun_line_log;
extern const Noun noun_checkpoint;
extern const Noun noun_artifact_index;
extern const Noun noun_note;
extern const Noun noun_pad;
extern const Noun noun_rules;

static const struct Row {
    ToolProfile profile;
    const Tool *tool; /* one of them, or ... */
    const Noun *noun; /* ... those of a noun's verbs */
} rows[] = {
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_write },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_read },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_list },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_edit },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_search },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_delete },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_history },
    { TOOLS_SCRATCHPAD, .tool = &tool_scratchpad_lease },
    { .noun = &noun_artifact },
    { .noun = &noun_run },
    { .noun = &noun_cycle },
    { .noun = &noun_task },
    { .noun = &noun_lease },
    { TOOLS_MEMORY, .tool = &tool_memory },
    { TOOLS_MEMORY, .tool = &tool_memory_view },
    { TOOLS_GRAPH, .tool = &tool_create_entities },
    { TOOLS_GRAPH, .tool = &tool_create_relations },
    { TOOLS_GRAPH, .tool = &tool_add_observations },
    { TOOLS_GRAPH, .tool = &tool_delete_entities },
    { TOOLS_GRAPH, .tool = &tool_delete_observations },
    { TOOLS_GRAPH, .tool = &tool_delete_relations },
    { TOOLS_GRAPH, .tool = &tool_read_graph },
    { TOOLS_GRAPH, .tool = &tool_search_nodes },
    { TOOLS_GRAPH, .tool = &tool_open_nodes },
    { .noun = &noun_plan },
    { .noun = &noun_sink },
    { .noun = &noun_line_log },
    { .noun = &noun_checkpoint },
    { .noun = &noun_artifact_index },
    { .noun = &noun_note },
    { .noun = &noun_pad },
    { .noun = &noun_rules },
};

static const struct Profile {
    const char *name;
    unsigned set;
} profiles[] = {
    { "scratchpad", TOOLS_SCRATCHPAD },
    { "artifacts", TOOLS_ARTIFACTS },
    { "runs", TOOLS_RUNS },
    { "cycles", TOOLS_CYCLES },
    { "tasks", TOOLS_TASKS },
    { "memory", TOOLS_MEMORY },
    { "graph", TOOLS_GRAPH },
    { "plans", TOOLS_PLANS },
    { "sink", TOOLS_SINK },
    { "line_logs", TOOLS_LINE_LOGS },
    { "checkpoints", TOOLS_CHECKPOINTS },
    { "indexes", TOOLS_INDEXES },
    { "all", TOOLS_ALL },
};
/* clang-format on */

/* --- Finding --------------------------------------------------------------------------- */

const Noun *noun_at(size_t i)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++)
        if (rows[row].noun && i-- == 0)
            return rows[row].noun;
    return NULL;
}

/* The tool of a noun's i-th verb that has one; counts `i` down to there. */
static const Tool *noun_tool(const Noun *n, size_t *i)
{
    if (n->apart)
        return NULL;
    for (const Verb *const *v = n->verbs; *v; v++)
        if ((*v)->tool.name && !(*v)->apart && (*i)-- == 0)
            return &(*v)->tool;
    return NULL;
}

const Tool *tool_at(unsigned set, size_t i)
{
    const Tool *t;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        const Noun *noun = rows[row].noun;
        if (noun && (noun->profile & set) && (t = noun_tool(noun, &i)))
            return t;
        if (!noun && (rows[row].profile & set) && i-- == 0)
            return rows[row].tool;
    }
    return NULL;
}

const Tool *tool_find(unsigned set, Str name)
{
    const Tool *t;
    for (size_t i = 0; (t = tool_at(set, i)); i++)
        if (str_eq(str(t->name), name))
            return t;
    return NULL;
}

static unsigned profiles_of(const ToolHost *h)
{
    return h->profiles ? h->profiles : TOOLS_SCRATCHPAD;
}

const Tool *tool_host_at(const ToolHost *h, size_t i)
{
    const Tool *t;
    for (size_t at = 0; (t = tool_at(profiles_of(h), at)); at++)
        if (i-- == 0)
            return t;
    for (const Tool *const *more = h->more; more && *more; more++)
        if (!tool_find(profiles_of(h), str((*more)->name)) && i-- == 0)
            return *more;
    return NULL;
}

const Tool *tool_host_find(const ToolHost *h, Str name)
{
    const Tool *t;
    for (size_t i = 0; (t = tool_host_at(h, i)); i++)
        if (str_eq(str(t->name), name))
            return t;
    return NULL;
}

const Param *tool_params(const Tool *t)
{
    static const Param none;
    return t->params ? t->params : &none;
}

bool tool_mutates(const Tool *t, const json_t *args)
{
    if (t->effects & TOOL_FOREIGN) /* what it says of itself is not believed here */
        return true;
    return !(t->effects & TOOL_READS) && !(t->may_repeat && t->may_repeat(args));
}

/* The last of the profiles is all of them, and no tool's. */
const char *tool_profile_name(const Tool *t)
{
    for (size_t p = 0; p + 1 < COUNT_OF(profiles); p++)
        for (size_t i = 0; tool_at(profiles[p].set, i); i++)
            if (tool_at(profiles[p].set, i) == t)
                return profiles[p].name;
    return "";
}

unsigned tool_reach(unsigned set)
{
    return POINT_TOOLS | (set & TOOLS_SCRATCHPAD ? POINT_NOTES : 0) |
           (set & TOOLS_RUNS ? POINT_RUNS : 0) | (set & TOOLS_CYCLES ? POINT_CYCLES : 0);
}

static bool profile_named(Str word, unsigned *set)
{
    for (size_t i = 0; i < COUNT_OF(profiles); i++)
        if (str_eq(word, str(profiles[i].name))) {
            *set |= profiles[i].set;
            return true;
        }
    return false;
}

jot_status tool_profiles(Str words, unsigned *out, Err *e)
{
    unsigned set = TOOLS_SCRATCHPAD, without = 0;
    while (words.n) {
        Str word;
        if (!str_cut(&words, ',', &word)) {
            word = words;
            words = (Str){ 0 };
        }
        Shown shown;
        if (str_eq(word, S("no-scratchpad")))
            without = TOOLS_SCRATCHPAD;
        else if (!profile_named(word, &set))
            return err_set(e, JOT_INVALID,
                           "there are no tools '%s': use scratchpad, " TOOL_PROFILE_WORDS
                           ", no-scratchpad",
                           err_show(&shown, word));
    }
    if (!(set & ~without))
        return err_set(e, JOT_INVALID, "'no-scratchpad' alone leaves no tools: name others too");
    *out = set & ~without;
    return JOT_OK;
}

/* --- Calling --------------------------------------------------------------------------- */

Str tool_reply_line(const ToolReply *r)
{
    assert(!r->value.p || r->value.n < r->text.n); /* one line break, at least, stands between */
    return r->value.p ? str_from(r->text, r->value.n + 1) : (Str){ 0 };
}

void tool_reply_done(ToolReply *r)
{
    json_decref(r->data);
    *r = (ToolReply){ 0 };
}

/* The pad, or an empty one in `none` if there is none and the tool does not make one. */
static jot_status open_pad(ToolHost *h, const ToolCall *c, Memory *none, Memory **out, Err *e)
{
    const Tool *t = c->tool;
    unsigned elsewhere = TOOL_OUTSIDE | TOOL_NETWORK | TOOL_EXECUTES | TOOL_FOREIGN;
    /* A pad is made only for something that is kept in it. */
    bool create = (t->effects & TOOL_WRITES) && !(t->effects & (elsewhere | TOOL_EXISTING)) &&
                  !(t->makes_nothing && t->makes_nothing(c->args));
    if (!h->m) {
        assert(h->open);
        jot_status st = h->open(h->ctx, create, &h->m, e);
        if (st != JOT_NOT_FOUND || create)
            TRY(st);
    }
    assert(h->m || !create);
    if (!h->m)
        TRY(memory_open(none, S("mem:"), &(MemoryOptions){ .create = true }, e));
    *out = h->m ? h->m : none;
    return JOT_OK;
}

static jot_status run_tool(ToolHost *h, ToolCall *c, ToolReply *out)
{
    AUTO(Memory) none = { 0 };
    if (!c->tool->schema)
        TRY(args_check(c->tool, c->args, c->e));
    TRY(open_pad(h, c, &none, &c->m, c->e));
    return c->tool->run(c, out);
}

/* Tools keep to the budget themselves and say how to continue; this is for what no tool foresees,
 * such as a text quoted in a refusal.  JSON is left whole. */
static void keep_budget(const ToolCall *c, ToolReply *out)
{
    if (out->data || tokens_fit(out->text, c->budget))
        return;
    AUTO(Buf) text = { 0 };
    Str shown = str_slice(out->text, 0, tokens_cut(out->text, c->budget - CUT_LINE));
    buf_add(&text, shown);
    buf_addf(&text, "\n(cut here: %zu of %zu chars)", utf8_count(shown), utf8_count(out->text));
    out->text = arena_copy(c->into, buf_str(&text));
    out->value = (Str){ 0 };
}

static uint64_t losses(const ToolHost *h)
{
    return h->m ? store_report(h->m->store)->lost : 0;
}

/* What was read is not the newest that was written: say so where the answer ends in words. */
static void warn_of_loss(const ToolHost *h, uint64_t before, Arena *into, ToolReply *out)
{
    bool json = out->data ||
                (!out->value.p && out->text.n && (out->text.p[0] == '{' || out->text.p[0] == '['));
    if (json || losses(h) == before)
        return;
    const char *loss = store_report(h->m->store)->loss;
    out->text = arena_printf(into, STR_FMT " (warning: %s)", STR_ARG(out->text), loss);
}

jot_status tool_call(ToolHost *h, Str name, const json_t *args, Arena *into, ToolReply *out, Err *e)
{
    *out = (ToolReply){ 0 };
    const Tool *t = tool_host_find(h, name);
    Shown shown;
    if (!t)
        return err_set(e, JOT_NOT_FOUND, "unknown tool '%s'", err_show(&shown, name));
    if (args && !json_is_object(args))
        return err_set(e, JOT_INVALID, "the arguments of a tool must be an object");
    /* From here on whatever goes wrong is an answer: the model may try again. */
    AUTO_PTR(json_t) nothing = args ? NULL : json_object();
    Err why = { 0 };
    size_t budget = h->budget ? h->budget : TOOL_BUDGET;
    ToolCall c = { .tool = t,
                   .args = args ? args : nothing,
                   .outside = h->outside,
                   .plan = h->plan,
                   .dialect = h->dialect,
                   .budget = budget < TOOL_BUDGET_MIN ? TOOL_BUDGET_MIN : budget,
                   .into = into,
                   .e = &why };
    uint64_t before = losses(h); /* of the handle, so only this call's are new */
    jot_status st = run_tool(h, &c, out);
    out->status = st;
    out->is_error = st != JOT_OK;
    if (st != JOT_OK && !out->text.n)
        out->text = arena_copy(into, str(why.text));
    keep_budget(&c, out);
    warn_of_loss(h, before, into, out);
    assert(utf8_valid(out->text));
    assert(!out->data || json_is_object(out->data));
    return JOT_OK;
}

/* --- Order ----------------------------------------------------------------------------- */

/* The key of a note or the category of an artifact that a call names first; empty: it names none.
 */
static Str named_thing(const Tool *t, const json_t *args)
{
    const Param *first = tool_params(t);
    bool named = !t->at_large && first->name && first->type == PARAM_TEXT && !first->optional;
    Str word = named ? json_str(json_object_get(args, first->name)) : (Str){ 0 };
    /* A whole name means what somebody else may call by its last word. */
    if (str_find(word, '/') < word.n)
        word.n = 0;
    return word;
}

/* Notes and artifacts stand for themselves.  What the other profiles keep hangs together: a task
 * waits for others, a result belongs to a run and may lie among the artifacts, a plan replaces the
 * one before.  So there every call is about all of it, whatever its first parameter says; a tool
 * that is added to a profile is in order without saying so. */
ToolScope tool_scope(const Tool *t, const json_t *args)
{
    Str profile = str(tool_profile_name(t));
    if (!str_eq(profile, S("scratchpad")) && !str_eq(profile, S("artifacts")))
        return (ToolScope){ .subject = profile };
    Str thing = named_thing(t, args);
    return (ToolScope){ .subject = thing, .alone = thing.n > 0 };
}
