/* verb.c - doing what a verb says, and answering a model.
 *
 * The function of a row returns data.  What a model gets of it is made here, from the row's
 * templates: a body with one last line of ours, a list with the call that continues it, or a
 * sentence.  The command line makes its own of the same data (src/cli/verb_cmd.c). */
#include "tool/verb.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"
#include "tool/template.h"

enum {
    ITEM_TEXT = 300,    /* bytes of a text in an item of a list */
    PROBLEMS_NAMED = 10 /* in one answer */
};

void verb_data_done(VerbData *d)
{
    json_decref(d->json);
    *d = (VerbData){ 0 };
}

const Verb *tool_verb(const Tool *t)
{
    return t->run == verb_answer ? (const Verb *)(const void *)t : NULL;
}

bool verb_makes_pad(const Verb *v)
{
    return (v->tool.effects & TOOL_WRITES) && !(v->tool.effects & TOOL_EXISTING);
}

bool verb_reads(const Verb *v)
{
    return (v->tool.effects & TOOL_READS) != 0;
}

const Verb *verb_for_programs(const Verb *v)
{
    const Verb *does = v->tool.name ? v : v->bare;
    return v->verb && does && does->tool.name ? does : NULL;
}

/* What a door prints, completes and documents is what the row declares. */
static void check_fields(const Verb *v, json_t *data)
{
    const char *name;
    const json_t *value;
    json_object_foreach(data, name, value)
    {
        const Param *f = v->fields;
        while (f && f->name && strcmp(f->name, name) != 0)
            f++;
        assert(f && f->name);
    }
}

jot_status verb_do(const Verb *v, ToolCall *c, VerbData *out)
{
    assert(c->tool == &v->tool && c->m);
    TRY(v->run(c, out));
    assert(out->json);
    check_fields(v, out->json);
    return JOT_OK;
}

void verb_next(ToolCall *c, Str command, Str call)
{
    Str next = c->shell ? command : call;
    if (next.n)
        err_next(c->e, next);
}

Str noun_called(const Noun *n, Arena *into)
{
    Str name = arena_copy(into, str(n->called ? n->called : n->name));
    for (char *c = (char *)(uintptr_t)name.p; *c; c++)
        if (*c == '-')
            *c = '_';
    return name;
}

Str verb_problem(const json_t *problem, Str *why)
{
    *why = json_str(json_object_get(problem, "why"));
    const json_t *name = json_object_get(problem, "name");
    return json_str(name ? name : json_object_get(problem, "task_id"));
}

/* --- To a model ---------------------------------------------------------------------------- */

static bool takes(const ToolCall *c, const char *name)
{
    for (const Param *p = tool_params(c->tool); p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static jot_status say_body(ToolCall *c, const Verb *v, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) label = { 0 };
    assert(v->says);
    template_add(&label, v->says, d->json, TEMPLATE_FRAMED);
    if (!v->whole) {
        TRY(reply_check_text(arg_text(c, tool_params(c->tool)->name), d->body, c->e));
        reply_body(c, d->body, buf_str(&label), out);
        return JOT_OK;
    }
    AUTO(Buf) flat = { .max = SIZE_MAX / 2 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    json_write(&flat, d->json);
    json_indent(&text, buf_str(&flat));
    reply_body(c, buf_str(&text), buf_str(&label), out);
    return JOT_OK;
}

/* A long text in an item is cut: what reads one thing has all of it. */
static json_t *shortened(json_t *value)
{
    AUTO(Buf) cut = { 0 };
    if (!json_is_string(value) || json_string_length(value) <= ITEM_TEXT)
        return json_incref(value);
    buf_add(&cut, str_slice(json_str(value), 0, utf8_floor(json_str(value), ITEM_TEXT)));
    buf_add(&cut, S(" ..."));
    return json_stringn(cut.p, cut.n);
}

/* An item as JSON: what is needed to choose one. */
static json_t *chosen(const Verb *v, json_t *item)
{
    if (!v->members)
        return json_incref(item);
    json_t *some = json_object();
    for (Str rest = str(v->members), name; rest.n;) {
        if (!str_cut(&rest, ' ', &name))
            name = rest, rest = (Str){ 0 };
        json_t *value = json_object_getn(item, name.p, name.n);
        bool empty = json_is_array(value) && !json_array_size(value);
        if (value && !json_is_null(value) && !empty)
            json_object_setn_new(some, name.p, name.n, shortened(value));
    }
    return some;
}

static bool add_item(const Verb *v, Lister *l, json_t *item)
{
    AUTO(Buf) line = { 0 };
    if (!v->line)
        return lister_add_json(l, chosen(v, item));
    template_add(&line, v->line, item, TEMPLATE_FRAMED);
    return lister_add(l, buf_str(&line));
}

/* What cannot be used is named, as many as fit: it hides nothing else. */
static void add_problems(const Verb *v, const json_t *data, Lister *l)
{
    const json_t *all = json_object_get(data, "problems");
    size_t total = (size_t)json_integer_value(json_object_get(data, "problems_total")), n = 0;
    uint64_t damaged = (uint64_t)json_integer_value(json_object_get(data, "damaged"));
    for (bool fits = true; n < json_array_size(all) && n < PROBLEMS_NAMED && fits; n += fits) {
        AUTO(Buf) line = { 0 };
        Str why, name = verb_problem(json_array_get(all, n), &why);
        buf_add(&line, S("... cannot be used: "));
        frame_name_add(&line, name);
        buf_addf(&line, ": " STR_FMT, STR_ARG(why));
        fits = lister_add(l, buf_str(&line));
    }
    if (n < total)
        buf_addf(&l->text, "... and %zu more cannot be used\n", total - n);
    if (damaged)
        buf_addf(&l->text, "... %s cannot be read\n", counted(damaged, v->unit).text);
}

/* Where the next page begins: after the last item shown, or at the first that is not. */
static Str cursor_of(ToolCall *c, const Verb *v, const VerbData *d, size_t shown)
{
    AUTO(Buf) text = { 0 };
    const json_t *items = json_object_get(d->json, v->items);
    assert(shown > 0 && shown <= json_array_size(items));
    bool all = shown == json_array_size(items);
    if (v->cursor)
        template_add(&text, v->cursor, json_array_get(items, shown - 1), TEMPLATE_PLAIN);
    else
        json_write(&text, json_object_get(all ? d->json : json_array_get(items, shown),
                                          all ? "next" : "seq"));
    return arena_copy(c->into, buf_str(&text));
}

static jot_status say_list(ToolCall *c, const Verb *v, const VerbData *d, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    const json_t *items = json_object_get(d->json, v->items);
    assert(json_is_array(items));
    size_t n = 0, total = json_array_size(items);
    while (n < total && add_item(v, &l, json_array_get(items, v->newest_last ? total - 1 - n : n)))
        n++;
    if (!total)
        buf_addf(&l.text, "%s\n", v->none ? v->none : "(empty)");
    add_problems(v, d->json, &l);
    bool more = n < total || json_is_true(json_object_get(d->json, "more"));
    if (v->tail)
        template_add(&l.text, v->tail, d->json, TEMPLATE_FRAMED);
    /* Where no page can be asked for, it is said how many are left. */
    if (n && more && v->page)
        reply_more(c, &l.text, v->page, cursor_of(c, v, d, n));
    else if (n < total)
        buf_addf(&l.text, "%s... and %zu more", v->tail ? "\n" : "", total - n);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status say(ToolCall *c, const Verb *v, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    if (v->say)
        return v->say(c, d, out);
    if ((d->body.p && !v->brief) || v->whole)
        return say_body(c, v, d, out);
    if (v->items)
        return say_list(c, v, d, out);
    if (!v->says) {
        reply_json(c, json_incref(d->json), out);
        return JOT_OK;
    }
    template_add(&text, v->says, d->json, TEMPLATE_FRAMED);
    reply_set(c, &text, out);
    return JOT_OK;
}

jot_status verb_answer(ToolCall *c, ToolReply *out)
{
    const Verb *v = tool_verb(c->tool);
    AUTO(VerbData) d = { 0 };
    assert(v);
    /* Which part of a body is asked for is checked before anything is done. */
    if (takes(c, "from_char") && takes(c, "from_line"))
        TRY(reply_body_check(c));
    TRY(verb_do(v, c, &d));
    TRY(say(c, v, &d, out));
    if (c->tool->output)
        out->data = json_incref(d.json);
    return JOT_OK;
}
