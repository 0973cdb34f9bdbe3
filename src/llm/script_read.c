/* script_read.c - the file of a scripted model.
 *
 *     - text: looking                    answers in order: the first ...
 *       calls: [{name: echo, args: {}}]
 *     - text: done                       ... the second
 *     - when: summary                    an aside: whenever the newest message holds this
 *       text: nothing to sum up
 *
 * or a map with `model`, `window`, `limit` and one or several such lists, of which the address
 * names one (script:FILE#LIST; otherwise `answers`).
 *
 * Everything is checked when it is opened, so that a run does not get half way
 * and then meets a word that means nothing. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "llm/script.h"

static jot_status bad(const Yaml *at, Err *e, const char *what)
{
    return err_set(e, JOT_INVALID, "line %zu of the script: %s", at->line, what);
}

static jot_status want_text(const Yaml *value, Str *out, Err *e)
{
    if (value->kind != YAML_SCALAR)
        return bad(value, e, "a text is expected here");
    *out = value->text;
    return JOT_OK;
}

static jot_status want_number(const Yaml *value, uint64_t *out, Err *e)
{
    if (value->kind != YAML_SCALAR || !str_to_u64(value->text, INT64_MAX, out))
        return bad(value, e, "a number is expected here");
    return JOT_OK;
}

static jot_status want_bool(const Yaml *value, bool *out, Err *e)
{
    if (value->kind != YAML_SCALAR || value->type != YAML_BOOL)
        return bad(value, e, "true or false is expected here");
    *out = str_eq(value->text, S("true"));
    return JOT_OK;
}

static jot_status want_texts(const Yaml *value, const Yaml **out, Err *e)
{
    if (value->kind != YAML_LIST)
        return bad(value, e, "a list of texts is expected here");
    for (size_t i = 0; i < value->n; i++) {
        Str ignored;
        TRY(want_text(value->items[i], &ignored, e));
    }
    *out = value;
    return JOT_OK;
}

static jot_status want_maps(const Yaml *value, const Yaml **out, Err *e)
{
    if (value->kind != YAML_LIST)
        return bad(value, e, "a list is expected here");
    for (size_t i = 0; i < value->n; i++)
        if (value->items[i]->kind != YAML_MAP)
            return bad(value->items[i], e, "a map is expected here");
    *out = value;
    return JOT_OK;
}

static jot_status want_calls(const Yaml *value, const Yaml **out, Err *e)
{
    static const char *const known[] = { "id", "name", "args", "args_text" };
    TRY(want_maps(value, out, e));
    for (size_t i = 0; i < value->n; i++) {
        const Yaml *call = value->items[i];
        const Yaml *name = yaml_get(call, S("name")), *args = yaml_get(call, S("args"));
        if (!name || name->kind != YAML_SCALAR || name->text.n == 0)
            return bad(call, e, "a call has a name");
        if (args && args->kind != YAML_MAP)
            return bad(args, e, "the args of a call are a map");
        for (size_t k = 0; k < call->n; k++) {
            bool good = false;
            for (size_t j = 0; j < COUNT_OF(known); j++)
                good = good || str_eq(call->pairs[k].key, str(known[j]));
            if (!good)
                return bad(call, e, "a call has id, name and args or args_text, nothing else");
        }
    }
    return JOT_OK;
}

static jot_status want_usage(const Yaml *value, const Yaml **out, Err *e)
{
    uint64_t ignored;
    if (value->kind != YAML_MAP)
        return bad(value, e, "usage is a map of input, cache_read, cache_write and output");
    for (size_t i = 0; i < value->n; i++)
        TRY(want_number(value->pairs[i].value, &ignored, e));
    *out = value;
    return JOT_OK;
}

static jot_status want_stop(const Yaml *value, LlmStop *out, Err *e)
{
    for (int i = LLM_STOP_END; i <= LLM_STOP_OTHER; i++)
        if (value->kind == YAML_SCALAR && str_eq(value->text, str(llm_stop_name((LlmStop)i)))) {
            *out = (LlmStop)i;
            return JOT_OK;
        }
    return bad(value, e, "stop is end, calls, max_tokens, refusal, pause, window or other");
}

static jot_status want_error(const Yaml *value, jot_status *out, Err *e)
{
    static const struct {
        const char *name;
        jot_status status;
    } errors[] = {
        { "overflow", JOT_TOO_BIG },
        { "key", JOT_DENIED },
        { "rate_limit", JOT_UNAVAILABLE },
        { "overloaded", JOT_UNAVAILABLE },
        { "not_found", JOT_NOT_FOUND },
        { "invalid", JOT_INVALID },
        { "broken", JOT_IO },
        { "cancelled", JOT_CANCELLED },
    };
    for (size_t i = 0; i < COUNT_OF(errors); i++)
        if (value->kind == YAML_SCALAR && str_eq(value->text, str(errors[i].name))) {
            *out = errors[i].status;
            return JOT_OK;
        }
    return bad(value, e,
               "error is overflow, key, rate_limit, overloaded, not_found, invalid, "
               "broken or cancelled");
}

/* One key of an answer. */
static jot_status read_key(Answer *a, const YamlPair *p, Err *e)
{
    const Yaml *v = p->value;
    if (str_eq(p->key, S("text")))
        return want_text(v, &a->text, e);
    if (str_eq(p->key, S("calls")))
        return want_calls(v, &a->calls, e);
    if (str_eq(p->key, S("raw")))
        return want_maps(v, &a->raw, e);
    if (str_eq(p->key, S("stop")))
        return want_stop(v, &a->stop, e);
    if (str_eq(p->key, S("why")))
        return want_text(v, &a->why, e);
    if (str_eq(p->key, S("usage")))
        return want_usage(v, &a->usage, e);
    if (str_eq(p->key, S("expect")))
        return want_texts(v, &a->expect, e);
    if (str_eq(p->key, S("without")))
        return want_texts(v, &a->without, e);
    if (str_eq(p->key, S("error")))
        return want_error(v, &a->error, e);
    if (str_eq(p->key, S("message")))
        return want_text(v, &a->message, e);
    if (str_eq(p->key, S("times")))
        return want_number(v, &a->times, e);
    if (str_eq(p->key, S("when")))
        return want_text(v, &a->when, e);
    if (str_eq(p->key, S("repeat")))
        return want_bool(v, &a->repeat, e);
    if (str_eq(p->key, S("hang")))
        return want_bool(v, &a->hang, e);
    return bad(v, e,
               "an answer has text, calls, raw, stop, why, usage, expect, without, error, "
               "message, times, when, repeat and hang, nothing else");
}

static jot_status read_answer(const Yaml *map, Answer *a, Err *e)
{
    if (map->kind != YAML_MAP)
        return bad(map, e, "an answer is a map");
    a->map = map;
    a->stop = yaml_get(map, S("calls")) ? LLM_STOP_CALLS : LLM_STOP_END;
    for (size_t i = 0; i < map->n; i++)
        TRY(read_key(a, &map->pairs[i], e));
    if (yaml_get(map, S("when")) && (a->when.n == 0 || a->calls))
        return bad(map, e, "an answer with 'when' has a text there, and no calls");
    return JOT_OK;
}

/* A list of answers, or a map with settings and one or several lists. */
static jot_status read_document(Script *s, const Yaml *doc, Str part, Err *e)
{
    Shown shown;
    const Yaml *model = yaml_get(doc, S("model")), *window = yaml_get(doc, S("window"));
    const Yaml *limit = yaml_get(doc, S("limit"));
    const Yaml *list = doc;
    if (doc->kind == YAML_MAP || part.n)
        list = yaml_get(doc, part.n ? part : S("answers"));
    if (!list)
        return err_set(e, JOT_INVALID, "the script has no list of answers called '%s'",
                       err_show(&shown, part.n ? part : S("answers")));
    if (model)
        TRY(want_text(model, &s->base.model, e));
    if (window)
        TRY(want_number(window, &s->base.window, e));
    if (limit)
        TRY(want_number(limit, &s->limit, e));
    if (list->kind != YAML_LIST)
        return bad(list, e, "the answers are a list");
    s->answers = NEW_ARRAY(&s->base.arena, Answer, list->n);
    s->conditional = NEW_ARRAY(&s->base.arena, Answer, list->n);
    for (size_t i = 0; i < list->n; i++) {
        Answer a = { 0 };
        TRY(read_answer(list->items[i], &a, e));
        if (a.when.n)
            s->conditional[s->n_conditional++] = a;
        else
            s->answers[s->n++] = a;
    }
    return JOT_OK;
}

static jot_status read_file(Script *s, const char *path, Str *out, Err *e)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return err_errno(e, errno, "could not open the script '%s'", path);
    if (!S_ISREG(st.st_mode) || st.st_size > YAML_BYTES_MAX)
        return err_set(e, JOT_INVALID, "the script '%s' must be a file of at most %d bytes", path,
                       YAML_BYTES_MAX);
    char *text = arena_alloc(&s->base.arena, (size_t)st.st_size + 1, 1);
    ssize_t n = io_read_all(s->base.io, fd, text, (size_t)st.st_size, 0);
    if (n < 0)
        return err_errno(e, (int)-n, "could not read the script '%s'", path);
    *out = (Str){ text, (size_t)n };
    return JOT_OK;
}

jot_status script_read(Script *s, const char *path, Str part, Err *e)
{
    Str text = { 0 };
    Yaml *doc = NULL;
    TRY(read_file(s, path, &text, e));
    if (yaml_read(text, &s->base.arena, &doc, e) != JOT_OK)
        return err_at(e, "the script '%s'", path);
    return read_document(s, doc, part, e);
}
