/* tools.c - the page about the tools, made from their tables. */
#include "cli/tools.h"

#include "memory/frame/tokens.h"
#include "tool/verb.h"

static const char *kind_of(const Param *p)
{
    switch (p->type) {
    case PARAM_TEXT:
        return "text";
    case PARAM_NUMBER:
        return "number";
    case PARAM_BOOL:
        return "true or false";
    case PARAM_CHOICE:
        return "one of";
    case PARAM_TEXTS:
        return "list of texts";
    case PARAM_NUMBERS:
        return "list of numbers";
    case PARAM_OBJECT:
        return "object";
    case PARAM_OBJECTS:
        return "list of objects";
    case PARAM_ANY:
        return "any JSON";
    }
    return "";
}

static void add_bounds(Buf *to, const Param *p)
{
    bool text = p->type == PARAM_TEXT || p->type == PARAM_TEXTS;
    if (text && p->max)
        buf_addf(to, ", at most %lld bytes", (long long)p->max);
    else if (p->type == PARAM_NUMBER && p->max)
        buf_addf(to, ", %lld to %lld", (long long)p->min, (long long)p->max);
    for (const char *const *c = p->choices; c && *c; c++)
        buf_addf(to, "%s`%s`", c == p->choices ? " " : ", ", *c);
}

static void add_params(Buf *to, const Param *p, int depth)
{
    for (; p->name; p++) {
        if (p->door == DOOR_CLI)
            continue;
        buf_addf(to, "%*s- `%s`%s: %s", depth * 2, "", p->name, p->optional ? " (optional)" : "",
                 kind_of(p));
        add_bounds(to, p);
        buf_addf(to, "%s%s\n", p->about ? "; " : "", p->about ? p->about : "");
        if (p->fields)
            add_params(to, p->fields, depth + 1);
    }
}

/* What the answer is made of; the command with --json prints it. */
static void add_fields(Buf *to, const Tool *t)
{
    const Verb *v = tool_verb(t);
    if (!v)
        return;
    buf_add(to, S("\nData: "));
    for (const Param *f = v->fields; f->name; f++)
        buf_addf(to, "%s`%s`", f == v->fields ? "" : ", ", f->name);
    buf_add(to, S(".\n"));
}

static void add_tool(Buf *to, const Tool *t)
{
    buf_addf(to, "\n### %s\n\n%s\n\n", t->name, t->about);
    buf_addf(to, "%s%s.\n\n",
             t->effects & TOOL_READS     ? "Changes nothing"
             : t->effects & TOOL_DELETES ? "Deletes"
                                         : "Writes",
             t->effects & TOOL_IDEMPOTENT ? "; the same call again changes nothing more" : "");
    add_params(to, tool_params(t), 0);
    if (!tool_params(t)->name)
        buf_add(to, S("No parameters.\n"));
    if (t->output) {
        buf_add(to, S("\nStructured data, which says the same as the text:\n\n"));
        add_params(to, t->output, 0);
    }
    add_fields(to, t);
}

static size_t tokens_of(unsigned profile)
{
    const Tool *t;
    AUTO_PTR(json_t) list = json_array();
    AUTO(Buf) text = { 0 };
    for (size_t i = 0; (t = tool_at(profile, i)); i++)
        json_array_append_new(list, tool_json(t));
    json_write(&text, list);
    return tokens_estimate(buf_str(&text));
}

void tools_page(Buf *to)
{
    const Tool *t;
    buf_add(to, S("# Tools\n\nWhat an agent can say, made by `jotter help --tools` from the tables "
                  "in src/tool; do not edit.\n\nAn answer is text of about 8,000 tokens at most; "
                  "where something was left out, its last line says\nwhat, and how to continue. A "
                  "failure is a sentence that says what is wrong and what is allowed. Where a tool "
                  "has a line of data,\nthe command of the same name prints it with `--json`.\n"));
    for (unsigned profile = TOOLS_SCRATCHPAD; profile < TOOLS_ALL; profile *= 2) {
        if (!tool_at(profile, 0))
            continue;
        buf_addf(to, "\n## %s\n\nAbout %zu tokens in a list of tools.\n",
                 tool_profile_name(tool_at(profile, 0)), tokens_of(profile));
        for (size_t i = 0; (t = tool_at(profile, i)); i++)
            add_tool(to, t);
    }
}
