/* verb_cmd.c - commands made from the verbs' table: what they take, what they print.
 *
 * A row of the table becomes a Cmd, so arguments, help, the manual page and completion treat it as
 * any other.  When it is run, the words become the verb's arguments: numbers and choices are
 * checked here, in the words of a command line, because that is where the mistake was made; texts
 * stay the bytes they are and are judged below.  Then the pad is opened, the verb's function called
 * and its data printed: whole with --json, else as the row says. */
#include "cli/verb_cmd.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/commands.h"
#include "cli/refusal.h"
#include "cli/table.h"
#include "cli/verb_show.h"
#include "cli/when.h"
#include "tool/registry.h"

enum { NAME_MAX_BYTES = 64, DOCUMENT_MAX = STORE_BODY_MAX };

/* --- What a parameter is called -------------------------------------------------------------- */

static const char *option_of(const Param *p, Arena *into)
{
    if (p->option)
        return p->option;
    char *name = arena_alloc(into, strlen(p->name) + 1, 1);
    for (size_t i = 0; p->name[i]; i++)
        name[i] = (char)(p->name[i] == '_' ? '-' : p->name[i]);
    return name;
}

static const char *word_of(const Param *p, Arena *into)
{
    if (p->word || p->type == PARAM_BOOL)
        return p->word;
    if (!p->place && (p->type == PARAM_NUMBER || p->type == PARAM_NUMBERS))
        return "N";
    if (p->type == PARAM_OBJECT || p->type == PARAM_ANY)
        return "JSON";
    char *name = arena_alloc(into, strlen(p->name) + 1, 1);
    for (size_t i = 0; p->name[i]; i++)
        name[i] = (char)(p->name[i] == '_' ? '-' : toupper(p->name[i]));
    return name;
}

static bool is_rest(const Param *p)
{
    return p->place && p->type == PARAM_TEXTS;
}

/* True if standard input gives it, when the line does not. */
static bool from_input(const Param *p)
{
    return p->input == INPUT_ELSE || p->input == INPUT_ONLY;
}

static bool is_option(const Param *p)
{
    return !p->place && p->door != DOOR_TOOL && !from_input(p);
}

const Param *verb_param_at(const Verb *v, int place)
{
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (p->door != DOOR_TOOL && (p->place == place || (is_rest(p) && place > p->place)))
            return p;
    return NULL;
}

const Param *verb_param_of(const Verb *v, const char *option)
{
    AUTO(Arena) names = { 0 };
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (is_option(p) && strcmp(option_of(p, &names), option) == 0)
            return p;
    return NULL;
}

/* --- The command ----------------------------------------------------------------------------- */

static jot_status run_verb(Session *s);

/* "TASK [DESCRIPTION] --tool NAME": the arguments, and the options that are needed. */
static void set_args(Cmd *cmd, const Verb *v, Arena *into)
{
    AUTO(Buf) text = { 0 };
    const Param *p;
    for (int place = 1; (p = verb_param_at(v, place)) && p->place == place; place++) {
        bool need = (!p->optional || p->must) && p->input != INPUT_ELSE && !v->bare;
        buf_addf(&text, "%s%s%s%s%s", text.n ? " " : "", need ? "" : "[", word_of(p, into),
                 is_rest(p) ? " ..." : "", need ? "" : "]");
        cmd->args_min += need;
        cmd->args_max = is_rest(p) ? (int)p->items : place;
    }
    for (p = tool_params(&v->tool); p->name; p++)
        if (is_option(p) && !p->optional)
            buf_addf(&text, "%s--%s %s", text.n ? " " : "", option_of(p, into), word_of(p, into));
    cmd->args = arena_copy(into, buf_str(&text)).p;
}

/* "pending, ready or running". */
static Str choices_of(const Param *p, Arena *into)
{
    AUTO(Buf) all = { 0 };
    for (const char *const *c = p->choices; *c; c++)
        buf_addf(&all, "%s%s", c == p->choices ? "" : c[1] ? ", " : " or ", *c);
    return arena_copy(into, buf_str(&all));
}

/* What help says about a parameter. */
static const char *about_of(const Param *p, Arena *into)
{
    if (p->help || p->about)
        return p->help ? p->help : p->about;
    return p->choices ? choices_of(p, into).p : "";
}

static void set_opts(Cmd *cmd, const Verb *v, Arena *into)
{
    size_t n = 0;
    Opt *opts = NEW_ARRAY(into, Opt, TOOL_PARAMS_MAX + 1);
    for (const Param *p = tool_params(&v->tool); p->name; p++) {
        if (is_option(p))
            opts[n++] = (Opt){ option_of(p, into), word_of(p, into), about_of(p, into) };
    }
    cmd->opts = n ? opts : NULL;
}

static Cmd *make_verb(const Verb *v, Arena *into)
{
    Cmd *cmd = NEW(into, Cmd);
    *cmd = (Cmd){ .name = v->verb,
                  .args = "",
                  .summary = v->summary,
                  .help = v->help ? v->help : "",
                  .run = run_verb,
                  .verb = v };
    set_args(cmd, v, into);
    set_opts(cmd, v, into);
    return cmd;
}

Cmd *verb_cmd_alias(const Cmd *of, const char *was, const char *path, Arena *into)
{
    Cmd *cmd = NEW(into, Cmd);
    *cmd = *of;
    cmd->name = was;
    cmd->stands_for = path;
    return cmd;
}

static const char *joined(const char *before, const char *word, Arena *into)
{
    return arena_printf(into, "%s%s%s", before, before[0] ? " " : "", word).p;
}

/* The word that a noun had below `path`; NULL: it was not there. */
static const char *word_below(const Noun *n, const char *path)
{
    size_t wide = strlen(path);
    bool below = n->was && strncmp(n->was, path, wide) == 0 && n->was[wide] == ' ';
    return below ? n->was + wide + 1 : NULL;
}

/* The command below `path` that was an option of the older word: "show --steps" is "steps". */
static const Cmd *was_option_of(const char *word, const Cmd *const *subs, const char *path,
                                Arena *into)
{
    for (; *subs; subs++) {
        const Verb *v = (*subs)->verb;
        if (v && v->option_of && strcmp(v->option_of, word) == 0)
            return verb_cmd_alias(*subs, v->verb, joined(path, v->verb, into), into);
    }
    return NULL;
}

static Cmd *make_noun(const Noun *n, Arena *into)
{
    Cmd *cmd = n->alone ? make_verb(n->alone, into) : NEW(into, Cmd);
    cmd->name = n->name;
    cmd->args = n->alone ? cmd->args : "";
    cmd->summary = n->summary;
    cmd->help = n->help ? n->help : "";
    return cmd;
}

const Cmd *verb_cmd_make(const Noun *n, Arena *into)
{
    Cmd *cmd = make_noun(n, into);
    cmd->noun = n;
    return cmd;
}

/* The verbs, then the nouns, then what is made by hand, then the words of before. */
static const Cmd *const *make_subs(const Noun *n, const char *path, Arena *into)
{
    enum { BELOW_MAX = 64 };
    const char *word;
    const Cmd **subs = NEW_ARRAY(into, const Cmd *, BELOW_MAX + 1);
    size_t at = 0;
    for (const Verb *const *v = n->verbs; *v; v++)
        if ((*v)->verb && !(*v)->apart)
            subs[at++] = make_verb(*v, into);
    for (const Noun *const *sub = n->subs; sub && *sub; sub++) {
        Cmd *below = make_noun(*sub, into);
        below->subs = make_subs(*sub, joined(path, (*sub)->name, into), into);
        subs[at++] = below;
    }
    for (const Cmd *const *more = commands_more(n); more && *more; more++)
        subs[at++] = *more;
    for (size_t i = 0, n_now = at; i < n_now; i++) {
        const char *was = subs[i]->verb ? subs[i]->verb->was : NULL;
        if (!was)
            continue;
        Cmd *older = verb_cmd_alias(subs[i], was, joined(path, subs[i]->name, into), into);
        older->by_option = was_option_of(was, subs, path, into);
        subs[at++] = older;
    }
    for (size_t i = 0; noun_at(i); i++)
        if ((word = word_below(noun_at(i), path)))
            subs[at++] =
                verb_cmd_alias(verb_cmd_make(noun_at(i), into), word, noun_at(i)->name, into);
    assert(at <= BELOW_MAX);
    return subs;
}

const Cmd *const *verb_cmd_subs(const Noun *n, Arena *into)
{
    return make_subs(n, n->name, into);
}

/* --- Its words as arguments ------------------------------------------------------------------ */

/* A call as it is put together. */
typedef struct Saying {
    json_t *args;
    ArgBytes bytes[TOOL_PARAMS_MAX];
    size_t n;
} Saying;

static void saying_done(Saying *y)
{
    json_decref(y->args);
}
DEFINE_AUTO(Saying, saying_done)

/* How a parameter is named in a sentence about its value: "--limit 'x'", "invalid version 'x'". */
static jot_status wrong(Session *s, const Param *p, const char *value, Str use)
{
    Shown shown;
    const char *bad = err_show(&shown, str(value));
    if (!p->place)
        return err_set(&s->err, JOT_INVALID, "--%s '%s': use " STR_FMT, option_of(p, &s->arena),
                       bad, STR_ARG(use));
    return err_set(&s->err, JOT_INVALID, "invalid %s '%s': use " STR_FMT, word_of(p, &s->arena),
                   bad, STR_ARG(use));
}

static jot_status take_number(Session *s, const Param *p, const char *value, Saying *y)
{
    int64_t n;
    if (!str_to_i64(str(value), p->min, p->max ? p->max : INT64_MAX, &n))
        return wrong(s, p, value, number_range(&s->arena, p->min, p->max ? p->max : INT64_MAX));
    json_object_set_new(y->args, p->name, json_integer(n));
    return JOT_OK;
}

static jot_status take_choice(Session *s, const Param *p, const char *value, Saying *y)
{
    const char *const *c = p->choices;
    while (*c && strcmp(*c, value) != 0)
        c++;
    if (!*c)
        return wrong(s, p, value, choices_of(p, &s->arena));
    json_object_set_new(y->args, p->name, json_string(*c));
    return JOT_OK;
}

static jot_status take_texts(Session *s, const Param *p, Saying *y)
{
    Str *all = NULL;
    size_t n = 0;
    if (is_rest(p))
        for (all = NEW_ARRAY(&s->arena, Str, (size_t)s->n + 1); p->place - 1 + (int)n < s->n; n++)
            all[n] = arg_at(s, p->place - 1 + (int)n);
    else
        n = opt_all(s, option_of(p, &s->arena), &all);
    json_t *list = json_array();
    json_object_set_new(y->args, p->name, list);
    for (size_t i = 0; i < n; i++) {
        TRY(check_text(s, word_of(p, &s->arena), all[i]));
        json_array_append_new(list, json_text(all[i]));
    }
    return JOT_OK;
}

/* A text that the line has, or the file that it names. */
static jot_status take_text(Session *s, const Param *p, const char *word, Saying *y)
{
    ArgBytes text = { p->name, str(word), false, str(word) };
    text.input = p->input == INPUT_FILE || (p->input == INPUT_FILE_OR_NAME && strpbrk(word, "/."));
    if (text.input && strcmp(word, "-") == 0)
        TRY(read_input(s, (size_t)p->max, &text.bytes));
    else if (text.input)
        TRY(read_file(s, word, (size_t)p->max, &text.bytes));
    y->bytes[y->n++] = text;
    return JOT_OK;
}

static jot_status take_value(Session *s, const Param *p, const char *value, Saying *y)
{
    switch (p->type) {
    case PARAM_NUMBER:
        return take_number(s, p, value, y);
    case PARAM_CHOICE:
        return take_choice(s, p, value, y);
    case PARAM_BOOL:
        json_object_set_new(y->args, p->name, json_true());
        return JOT_OK;
    case PARAM_TEXTS:
        return take_texts(s, p, y);
    case PARAM_TEXT:
    case PARAM_ANY:
    case PARAM_OBJECT:
        return take_text(s, p, value, y);
    case PARAM_NUMBERS:
    case PARAM_OBJECTS:
        break;
    }
    assert(false); /* no row gives a command line such a parameter: test_verb.c */
    return JOT_OK;
}

static jot_status take_input(Session *s, const Param *p, Saying *y)
{
    Str text;
    TRY(read_input(s, p->max ? (size_t)p->max : DOCUMENT_MAX, &text));
    y->bytes[y->n++] = (ArgBytes){ p->name, text, true, { 0 } };
    return JOT_OK;
}

static jot_status missing(Session *s, const Param *p)
{
    return err_set(&s->err, JOT_INVALID, "--%s %s is missing: %s", option_of(p, &s->arena),
                   word_of(p, &s->arena), about_of(p, &s->arena));
}

/* What was said about each parameter; standard input last, when all else is right. */
static jot_status read_saying(Session *s, const Verb *v, Saying *y)
{
    const Param *input = NULL;
    y->args = json_object();
    for (const Param *p = tool_params(&v->tool); p->name; p++) {
        const char *value = NULL;
        if (p->door == DOOR_TOOL)
            continue;
        if (p->place)
            value = p->place <= s->n ? s->args[p->place - 1] : NULL;
        else if (p->input != INPUT_ONLY)
            value = opt_text(s, option_of(p, &s->arena));
        if (value)
            TRY(take_value(s, p, value, y));
        else if (from_input(p))
            input = p;
        else if (!p->optional && !p->place)
            return missing(s, p);
    }
    if (!input || (input->unless && opt_given(s, input->unless)))
        return JOT_OK;
    return take_input(s, input, y);
}

/* --- What it prints -------------------------------------------------------------------------- */

/* A template may have several lines, a value has one. */
void verb_print_template(const char *template, const json_t *data)
{
    for (Str rest = str(template), one; rest.n;) {
        AUTO(Buf) line = { 0 };
        if (!str_cut(&rest, '\n', &one))
            one = rest, rest = (Str){ 0 };
        template_add_str(&line, one, data, TEMPLATE_PLAIN);
        print_name_line(buf_str(&line));
    }
}

static void print_member(int wide, Str name, const json_t *value)
{
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            print_member(wide, name, json_array_get(value, i));
        return;
    }
    if (!value || json_is_null(value) || (json_is_string(value) && !json_string_length(value)))
        return;
    AUTO(Buf) text = { 0 };
    if (json_is_string(value))
        buf_add(&text, json_str(value));
    else
        json_write(&text, value);
    printf("%-*.*s  ", wide, STR_ARG(name));
    print_line(buf_str(&text));
}

void verb_print_card(const char *names, const json_t *data)
{
    int wide = 0;
    for (Str rest = str(names), name; rest.n;) {
        if (!str_cut(&rest, ' ', &name))
            name = rest, rest = (Str){ 0 };
        wide = (int)name.n > wide ? (int)name.n : wide;
    }
    for (Str rest = str(names), name; rest.n;) {
        if (!str_cut(&rest, ' ', &name))
            name = rest, rest = (Str){ 0 };
        print_member(wide, name, json_object_getn(data, name.p, name.n));
    }
}

/* What cannot be read or used hides nothing else, and is reported beside the list. */
static void report_problems(const Verb *v, const json_t *data)
{
    const json_t *all = json_object_get(data, "problems");
    uint64_t damaged = (uint64_t)json_integer_value(json_object_get(data, "damaged"));
    for (size_t i = 0; i < json_array_size(all); i++) {
        Str why, name = verb_problem(json_array_get(all, i), &why);
        say("%s '" STR_FMT "': " STR_FMT, v->unit, STR_ARG(name), STR_ARG(why));
    }
    if (damaged)
        say("%s cannot be read", counted(damaged, v->unit).text);
}

static void report_more(Session *s, const Verb *v, const json_t *data)
{
    AUTO(Buf) value = { 0 };
    const json_t *items = json_object_get(data, v->items);
    const Param *p = tool_params(&v->tool);
    if (!v->page || !json_is_true(json_object_get(data, "more")))
        return;
    while (strcmp(p->name, v->page) != 0)
        p++;
    if (v->cursor) {
        buf_add_char(&value, '\'');
        template_add(&value, v->cursor, json_array_get(items, json_array_size(items) - 1),
                     TEMPLATE_PLAIN);
        buf_add_char(&value, '\'');
    } else {
        json_write(&value, json_object_get(data, "next"));
    }
    say("there are more: --%s " STR_FMT, option_of(p, &s->arena), STR_ARG(buf_str(&value)));
}

/* What the answer says besides: a hint, a warning, what was met on the way. */
static void report_words(const json_t *data)
{
    static const char *const names[] = { "hint", "warning", "notice" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (Str rest = json_str(json_object_get(data, names[i])), line; rest.n;) {
            if (!str_cut(&rest, '\n', &line))
                line = rest, rest = (Str){ 0 };
            say(STR_FMT, STR_ARG(line));
        }
}

/* What is not in the list, or cannot be. */
static void report_beside(Session *s, const Verb *v, const json_t *data)
{
    const json_t *items = json_object_get(data, v->items);
    uint64_t total = (uint64_t)json_integer_value(json_object_get(data, "total"));
    if (v->newest_last && total > json_array_size(items))
        say("%s not shown", counted(total - json_array_size(items), "older one").text);
    report_problems(v, data);
    report_more(s, v, data);
}

/* The items in the order in which a list is read. */
static json_t *item_at(const Verb *v, const json_t *items, size_t i)
{
    size_t n = json_array_size(items);
    assert(i < n);
    return json_array_get(items, v->newest_last ? n - 1 - i : i);
}

/* A row whose template has tabs is one of a table. */
static void print_table(const Session *s, const Verb *v, const json_t *items)
{
    AUTO(Table) table = { .heads = v->heads };
    for (size_t i = 0; i < json_array_size(items); i++) {
        AUTO_PTR(json_t) item = when_for_person(s, item_at(v, items, i));
        table_row(&table);
        for (Str rest = str(v->row), cell; rest.n;) {
            AUTO(Buf) text = { .max = SIZE_MAX / 2 };
            if (!str_cut(&rest, '\t', &cell))
                cell = rest, rest = (Str){ 0 };
            template_add_str(&text, cell, item, TEMPLATE_PLAIN);
            table_cell(&table, buf_str(&text));
        }
    }
    table_print(&table);
}

static void print_list(const Session *s, const Verb *v, const json_t *data)
{
    const json_t *items = json_object_get(data, v->items);
    bool table = strchr(v->row, '\t') != NULL;
    if (table)
        print_table(s, v, items);
    for (size_t i = 0; !table && i < json_array_size(items); i++) {
        AUTO_PTR(json_t) item = when_for_person(s, item_at(v, items, i));
        verb_print_template(v->row, item);
    }
    if (!json_array_size(items))
        fprintf(stderr, "%s\n", v->none ? v->none : "(empty)"); /* standard output is for items */
}

/* Stored bytes are printed as they are; a terminal gets the line break they may lack. */
static void print_body(Str body, bool more)
{
    print_text(body);
    if (body.n && !str_ends(body, S("\n")) && (more || isatty(STDOUT_FILENO) == 1))
        putchar('\n');
}

/* What the row's templates say. */
static void print_templates(const Session *s, const Verb *v, const VerbData *d)
{
    AUTO_PTR(json_t) item = when_for_person(s, d->json);
    if (d->body.p)
        print_body(d->body, v->shows != NULL);
    else if (v->items && v->row)
        print_list(s, v, d->json);
    else if (v->card)
        verb_print_card(v->card, item);
    if (v->shows)
        verb_print_template(v->shows, d->json);
    else if (!d->body.p && !v->items && !v->card && v->says)
        verb_print_template(v->says, d->json);
}

static void print_data(Session *s, const Verb *v, VerbData *d)
{
    bool beside = true;
    VerbShow show = verb_show(v, &beside);
    if (s->json) {
        print_json(json_incref(d->json));
        return;
    }
    if (beside)
        print_templates(s, v, d);
    if (show && !beside)
        show(s, d);
    if (v->items)
        report_beside(s, v, d->json);
    if (show && beside)
        show(s, d);
    report_words(d->json);
}

/* --- Running it ------------------------------------------------------------------------------ */

/* Where there is no pad, a verb that makes none works on an empty one. */
static jot_status open_for(Session *s, const Verb *v, bool *there)
{
    *there = true;
    if (verb_makes_pad(v))
        return session_open(s, true);
    TRY(session_open_any(s, there));
    if (*there)
        return JOT_OK;
    return memory_open(&s->memory, S("mem:"), &(MemoryOptions){ .create = true }, &s->err);
}

static jot_status run_verb(Session *s)
{
    const Verb *v = s->cmd->verb->bare && !s->n ? s->cmd->verb->bare : s->cmd->verb;
    AUTO(Saying) y = { 0 };
    AUTO(VerbData) d = { 0 };
    bool there;
    Shown shown;
    TRY(read_saying(s, v, &y));
    TRY(open_for(s, v, &there));
    ToolCall c = { .tool = &v->tool,
                   .args = y.args,
                   .bytes = y.bytes,
                   .bytes_n = y.n,
                   .shell = true,
                   .lease = s->lease,
                   .m = &s->memory,
                   .into = &s->arena,
                   .e = &s->err };
    jot_status st = verb_do(v, &c, &d);
    if (st == JOT_OK) {
        print_data(s, v, &d);
        return JOT_OK;
    }
    if (st == JOT_NOT_FOUND && !there) {
        Err was = s->err;
        err_set(&s->err, st, "%s: there is no pad '%s'", was.text, err_show(&shown, s->where.url));
    }
    return d.json ? refuse_with(s, st, v->refused, json_incref(d.json)) : st;
}
