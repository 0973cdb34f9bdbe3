/* script.c - a model whose answers stand in a file.
 *
 * The demonstration and the tests of the loop run without network and without
 * money.  docs/models.md describes the file.
 *
 * Which answer comes next follows from the request, never from a counter: a
 * process that was killed is followed by one that reads the same conversation
 * and must get the answer the first one would have got.  Every message of the
 * assistant counts one, and the id of a call says which answer made it, so the
 * count stays right when the beginning of a conversation was dropped.  The only
 * thing remembered is how often an answer with `times` has failed. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/yaml_json.h"
#include "llm/provider.h"
#include "llm/script.h"

enum { HANG_STEP_US = 10 * 1000 };

typedef struct Answer {
    const Yaml *map;
    Str text, when, message, why;
    const Yaml *calls, *raw, *expect, *without; /* lists, or NULL */
    const Yaml *usage;                          /* a map, or NULL */
    LlmStop stop;
    jot_status error; /* JOT_OK: none */
    uint64_t times;   /* how often the error comes before the answer; 0: always */
    uint64_t failed;  /* how often it came */
    bool repeat, hang;
} Answer;

typedef struct Script {
    Llm base;
    Answer *answers; /* in order */
    size_t n;
    Answer *asides; /* those with `when`, which have no place in the order */
    size_t n_asides;
    uint64_t limit; /* bytes of a request; more is an overflow; 0: none */
    Str file;       /* for sentences */
    const char *log;
} Script;

/* --- Reading the file -------------------------------------------------------------------- */

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

static jot_status read_answers(Script *s, const Yaml *list, Err *e)
{
    if (list->kind != YAML_LIST)
        return bad(list, e, "the answers are a list");
    s->answers = NEW_ARRAY(&s->base.arena, Answer, list->n);
    s->asides = NEW_ARRAY(&s->base.arena, Answer, list->n);
    for (size_t i = 0; i < list->n; i++) {
        Answer a = { 0 };
        TRY(read_answer(list->items[i], &a, e));
        if (a.when.n)
            s->asides[s->n_asides++] = a;
        else
            s->answers[s->n++] = a;
    }
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
    return read_answers(s, list, e);
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

static jot_status check_params(const LlmAddress *a, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key, value;
    for (size_t at = 0; url_next_param(&a->url, &at, &arena, &key, &value);)
        if (!str_eq(key, S("log")) && !str_eq(key, S("window")))
            return err_set(e, JOT_INVALID, "behind script:FILE? only 'log' and 'window' are known");
    return JOT_OK;
}

static void script_close(Llm *llm);

static jot_status open_into(Script *s, const LlmAddress *a, Err *e)
{
    Str text = { 0 }, log = { 0 };
    Yaml *doc = NULL;
    const char *path = arena_cstr(&s->base.arena, a->url.path), *wish = getenv("JOTTER_SCRIPT_LOG");
    s->file = str(path);
    s->base.model = S("script");
    s->log = wish && *wish ? arena_cstr(&s->base.arena, str(wish)) : NULL;
    if (url_param(&a->url, S("log"), &s->base.arena, &log) && log.n)
        s->log = arena_cstr(&s->base.arena, log);
    TRY(check_params(a, e));
    TRY(read_file(s, path, &text, e));
    if (yaml_read(text, &s->base.arena, &doc, e) != JOT_OK)
        return err_at(e, "the script '%s'", path);
    return read_document(s, doc, a->fragment, e);
}

static jot_status script_open(const LlmAddress *a, Llm **out, Err *e)
{
    Script *s = mem_alloc(sizeof *s);
    s->base.io = a->io;
    jot_status st = open_into(s, a, e);
    if (st == JOT_OK)
        *out = &s->base;
    else
        script_close(&s->base);
    return st;
}

static void script_close(Llm *llm)
{
    arena_free(&llm->arena);
    free(llm);
}

/* --- The request as text ----------------------------------------------------------------- */

static void member(Buf *to, const char *name, Str text)
{
    buf_addf(to, ",\"%s\":", name);
    llm_quote(to, text);
}

static jot_status write_part(Buf *to, const LlmPart *p, Err *e)
{
    static const char *const kinds[] = { "text", "call", "result", "raw" };
    buf_addf(to, "{\"kind\":\"%s\"", kinds[p->kind]);
    if (p->kind == LLM_CALL || p->kind == LLM_RESULT)
        member(to, "id", p->id);
    if (p->kind == LLM_TEXT || p->kind == LLM_RESULT)
        member(to, "text", p->text);
    if (p->kind == LLM_CALL) {
        member(to, "name", p->name);
        buf_add(to, S(",\"args\":"));
        llm_add_args(to, p->args);
    } else if (p->kind == LLM_RAW) {
        buf_add(to, S(",\"raw\":"));
        TRY(llm_add_object(to, p->text, "raw part", S("the conversation"), e));
    }
    if (p->is_error)
        buf_add(to, S(",\"is_error\":true"));
    buf_add_char(to, '}');
    return JOT_OK;
}

static jot_status write_messages(Buf *to, const LlmRequest *r, Err *e)
{
    for (size_t i = 0; i < r->n_messages; i++) {
        const LlmMessage *m = &r->messages[i];
        buf_addf(to, "%s{\"role\":\"%s\",\"parts\":[", i ? "," : "",
                 m->role == LLM_USER ? "user" : "assistant");
        for (size_t k = 0; k < m->n; k++) {
            if (k)
                buf_add_char(to, ',');
            TRY(write_part(to, &m->parts[k], e));
        }
        buf_add(to, S("]}"));
    }
    return JOT_OK;
}

static jot_status script_write(Llm *llm, const LlmRequest *r, Buf *to, Err *e)
{
    buf_addf(to, "{\"max_tokens\":%u,\"system\":", r->max_tokens);
    llm_quote(to, r->system);
    buf_add(to, S(",\"tools\":["));
    for (size_t i = 0; i < r->n_tools; i++) {
        buf_add(to, i ? S(",{\"name\":") : S("{\"name\":"));
        llm_quote(to, r->tools[i].name);
        member(to, "about", r->tools[i].about);
        buf_add(to, S(",\"schema\":"));
        TRY(llm_add_object(to, r->tools[i].schema, "schema", r->tools[i].name, e));
        buf_add_char(to, '}');
    }
    buf_add(to, S("],\"messages\":["));
    TRY(write_messages(to, r, e));
    buf_add(to, S("]}"));
    return JOT_OK;
}

static jot_status log_request(const Script *s, Str body, Err *e)
{
    if (!s->log)
        return JOT_OK;
    AUTO(Buf) line = { .max = LLM_REQUEST_MAX + 1 };
    buf_add(&line, body);
    buf_add_char(&line, '\n');
    AUTO(Fd) fd = open(s->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    int failed = fd < 0 ? -errno : io_write_all(s->base.io, fd, buf_str(&line));
    if (failed < 0)
        return err_errno(e, -failed, "could not write the script's log '%s'", s->log);
    return JOT_OK;
}

/* --- Choosing the answer ----------------------------------------------------------------- */

/* The number in call_NUMBER_K, 0 for any other id. */
static size_t number_in_id(Str id)
{
    uint64_t n = 0;
    Str head = { 0 };
    if (!str_starts(id, S("call_")))
        return 0;
    id = str_from(id, 5);
    return str_cut(&id, '_', &head) && str_to_u64(head, INT32_MAX, &n) ? (size_t)n : 0;
}

/* The number of the answer that made this call; 0 if none did. */
static size_t answer_of_call(const Script *s, Str id)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; s->answers[i].calls && k < s->answers[i].calls->n; k++) {
            const Yaml *own = yaml_get(s->answers[i].calls->items[k], S("id"));
            if (own && str_eq(own->text, id))
                return i + 1;
        }
    return number_in_id(id);
}

/* How many answers have been given, as far as the conversation shows. */
static size_t answers_given(const Script *s, const LlmRequest *r)
{
    size_t given = 0;
    for (size_t i = 0; i < r->n_messages; i++) {
        const LlmMessage *m = &r->messages[i];
        size_t number = 0;
        for (size_t k = 0; k < m->n && number == 0; k++)
            if (m->parts[k].kind == LLM_CALL)
                number = answer_of_call(s, m->parts[k].id);
        if (m->role == LLM_ASSISTANT)
            given = number ? number : given + 1;
    }
    return given;
}

static jot_status choose(Script *s, const LlmRequest *r, Answer **out, size_t *number, Err *e)
{
    Shown shown;
    for (size_t i = 0; i < s->n_asides; i++)
        if (script_newest_has(r, s->asides[i].when)) {
            *out = &s->asides[i];
            return JOT_OK;
        }
    *number = answers_given(s, r) + 1;
    if (*number <= s->n)
        *out = &s->answers[*number - 1];
    else if (s->n && s->answers[s->n - 1].repeat)
        *out = &s->answers[s->n - 1];
    else
        return err_set(e, JOT_INVALID,
                       "the script '%s' is used up: it has %zu answers, this would "
                       "be number %zu",
                       err_show(&shown, s->file), s->n, *number);
    return JOT_OK;
}

/* --- Answering --------------------------------------------------------------------------- */

static jot_status check_texts(const Answer *a, const LlmRequest *r, size_t number, Err *e)
{
    Shown shown;
    for (size_t i = 0; a->expect && i < a->expect->n; i++)
        if (!script_request_has(r, a->expect->items[i]->text))
            return err_set(e, JOT_INVALID, "answer %zu of the script expects '%s' in the request",
                           number, err_show(&shown, a->expect->items[i]->text));
    for (size_t i = 0; a->without && i < a->without->n; i++)
        if (script_request_has(r, a->without->items[i]->text))
            return err_set(e, JOT_INVALID,
                           "answer %zu of the script expects a request without '%s'", number,
                           err_show(&shown, a->without->items[i]->text));
    return JOT_OK;
}

static jot_status fail(Answer *a, Err *e)
{
    Shown shown;
    if (a->error == JOT_OK || (a->times && a->failed >= a->times))
        return JOT_OK;
    a->failed++;
    return err_set(e, a->error, "%s",
                   a->message.n ? err_show(&shown, a->message) : "the script says so");
}

static jot_status hang(const Script *s, const LlmRequest *r, Err *e)
{
    if (!r->cancelled)
        return err_set(e, JOT_INVALID, "the script hangs, and nobody could cancel it");
    while (!r->cancelled(r->ctx))
        io_sleep_us(s->base.io, HANG_STEP_US);
    return err_set(e, JOT_CANCELLED, "cancelled while the model was asked");
}

static Str filled_json(Arena *into, json_t *value)
{
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    return arena_copy(into, buf_str(&text));
}

static jot_status make_call(const Yaml *call, const LlmRequest *r, size_t number, size_t k,
                            Arena *into, LlmPart *out, Err *e)
{
    const Yaml *id = yaml_get(call, S("id")), *args = yaml_get(call, S("args"));
    const Yaml *text = yaml_get(call, S("args_text"));
    *out = (LlmPart){ .kind = LLM_CALL, .name = arena_copy(into, yaml_get(call, S("name"))->text) };
    out->id = id ? arena_copy(into, id->text) : arena_printf(into, "call_%zu_%zu", number, k + 1);
    if (text) {
        out->args = arena_copy(into, text->text);
    } else {
        AUTO_PTR(json_t) value = args ? yaml_to_json(args) : json_object();
        TRY(script_fill_json(&value, r, e));
        out->args = filled_json(into, value);
    }
    out->broken = !llm_is_object(out->args);
    return JOT_OK;
}

static LlmUsage usage_of(const Answer *a, const LlmReply *reply, size_t body)
{
    /* Four bytes a token, as good a guess as any, so that budgets move without being scripted. */
    LlmUsage u = { .input = (body + 3) / 4 };
    size_t said = 0;
    for (size_t i = 0; i < reply->n; i++)
        said += reply->parts[i].text.n + reply->parts[i].args.n;
    u.output = (said + 3) / 4;
    static const char *const names[] = { "input", "cache_read", "cache_write", "output" };
    uint64_t *const fields[] = { &u.input, &u.cache_read, &u.cache_write, &u.output };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const Yaml *v = yaml_get(a->usage, str(names[i]));
        if (v && !str_to_u64(v->text, INT64_MAX, fields[i]))
            assert(!"want_usage has looked at it");
    }
    return u;
}

static jot_status make_parts(const Answer *a, const LlmRequest *r, size_t number, Arena *into,
                             LlmReply *out, Err *e)
{
    size_t calls = a->calls ? a->calls->n : 0, raws = a->raw ? a->raw->n : 0;
    LlmPart *parts = NEW_ARRAY(into, LlmPart, calls + raws + 1);
    out->parts = parts;
    for (size_t i = 0; i < raws; i++) {
        AUTO_PTR(json_t) value = yaml_to_json(a->raw->items[i]);
        parts[out->n++] = (LlmPart){ .kind = LLM_RAW, .text = filled_json(into, value) };
    }
    AUTO(Buf) text = { 0 };
    TRY(script_fill(a->text, r, &text, e));
    if (text.n)
        parts[out->n++] = (LlmPart){ .text = arena_copy(into, buf_str(&text)) };
    for (size_t i = 0; i < calls; i++)
        TRY(make_call(a->calls->items[i], r, number, i, into, &parts[out->n++], e));
    if (a->stop == LLM_STOP_MAX_TOKENS && calls)
        parts[out->n - 1].broken = true;
    return JOT_OK;
}

static jot_status script_ask(Llm *llm, const LlmRequest *r, Str body, Arena *into, LlmReply *out,
                             Err *e)
{
    Script *s = (Script *)llm;
    Answer *a = NULL;
    size_t number = 0;
    TRY(log_request(s, body, e));
    if (s->limit && body.n > s->limit)
        return err_set(e, JOT_TOO_BIG, "the request has %zu bytes, the script's limit is %zu",
                       body.n, (size_t)s->limit);
    TRY(choose(s, r, &a, &number, e));
    TRY(check_texts(a, r, number, e));
    TRY(fail(a, e));
    if (a->hang)
        return hang(s, r, e);
    TRY(make_parts(a, r, number, into, out, e));
    for (size_t i = 0; r->on_text && i < out->n; i++)
        if (out->parts[i].kind == LLM_TEXT)
            r->on_text(r->ctx, out->parts[i].text);
    out->stop = a->stop;
    out->why = arena_copy(into, a->why);
    out->model = arena_copy(into, llm->model);
    out->usage = usage_of(a, out, body.n);
    return JOT_OK;
}

const Provider provider_script = { "script", script_open, script_close, script_write, script_ask };
