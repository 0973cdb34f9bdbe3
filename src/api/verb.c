/* verb.c - verbs by name, of jotter.h: what bindings and other programs do with tasks, runs, plans
 * and all the other nouns whose verbs are rows of src/tool.
 *
 * A tool answers a model in words and within a budget; here the same row's function returns its
 * data whole.  A program has the parameters of a command, because it wants what `--json` prints. */
#include "tool/verb.h"

#include "api/api.h"
#include "tool/args.h"
#include "tool/registry.h"

/* --- Which there are ------------------------------------------------------------------------- */

static json_t *noun_json(const Noun *n, Arena *into)
{
    json_t *verbs = json_array();
    for (const Verb *const *v = n->verbs; *v; v++) {
        const Verb *does = verb_for_programs(*v);
        if (does)
            json_array_append_new(verbs, verb_json(does, (*v)->verb));
    }
    return json_pack("{s:s, s:s, s:o}", "noun", noun_called(n, into).p, "summary", n->summary,
                     "verbs", verbs);
}

jot_status jot_verbs(jot_pad *pad, const char **out)
{
    AUTO_PTR(json_t) all = json_array();
    const Noun *n;
    GIVE(out, NULL);
    API_BEGIN(pad);
    for (size_t i = 0; (n = noun_at(i)); i++) {
        json_t *one = noun_json(n, api_arena(pad));
        if (json_array_size(json_object_get(one, "verbs")))
            json_array_append_new(all, one);
        else
            json_decref(one);
    }
    GIVE(out, api_give_json(pad, TAKE(all)));
    return JOT_OK;
}

/* --- Doing one ------------------------------------------------------------------------------- */

static jot_status find_verb(jot_pad *pad, Str noun, Str verb, const Verb **out)
{
    const Noun *n;
    Shown shown, shown_too;
    for (size_t i = 0; (n = noun_at(i)); i++) {
        if (!str_eq(noun_called(n, api_arena(pad)), noun))
            continue;
        for (const Verb *const *v = n->verbs; *v; v++)
            if (verb_for_programs(*v) && str_eq(str((*v)->verb), verb)) {
                *out = verb_for_programs(*v);
                return JOT_OK;
            }
    }
    return err_set(api_err(pad), JOT_NOT_FOUND,
                   "there is no verb '%s' of '%s': jot_verbs() has all", err_show(&shown, verb),
                   err_show(&shown_too, noun));
}

static jot_status read_args(jot_pad *pad, const char *args, json_t **out)
{
    if (!args) {
        *out = json_object();
        return JOT_OK;
    }
    TRY(json_read(str(args), out, api_err(pad)));
    if (!json_is_object(*out))
        return err_set(api_err(pad), JOT_INVALID, "arguments must be a JSON object");
    return JOT_OK;
}

static const jot_answer *answer_of(jot_pad *pad, VerbData *d)
{
    jot_answer *a = NEW_RESULT(pad, jot_answer);
    a->data = d->json ? api_give_json(pad, TAKE(d->json)) : "";
    a->has_body = d->body.p != NULL;
    a->body = api_give_text(pad, d->body);
    return a;
}

jot_status jot_verb(jot_pad *pad, const char *noun, const char *verb, const char *args,
                    const jot_answer **out)
{
    Str noun_name, verb_name;
    AUTO_PTR(json_t) given = NULL;
    AUTO(VerbData) d = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    const Verb *v = NULL;
    TRY(api_name(pad, "a noun's name", noun, &noun_name));
    TRY(api_name(pad, "a verb's name", verb, &verb_name));
    TRY(find_verb(pad, noun_name, verb_name, &v));
    TRY(read_args(pad, args, &given));
    TRY(args_check_program(&v->tool, given, api_err(pad)));
    ToolCall c = { .tool = &v->tool,
                   .args = given,
                   .m = &pad->m,
                   .dialect = pad->dialect,
                   .into = api_arena(pad),
                   .e = api_err(pad) };
    jot_status st = verb_do(v, &c, &d);
    if (st == JOT_OK || d.json)
        GIVE(out, answer_of(pad, &d));
    return st;
}
