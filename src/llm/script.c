/* script.c - a model whose answers stand in a file.
 *
 * The demonstration and the tests of the loop run without network and without
 * money.  docs/models.md describes the file.
 *
 * Which answer comes next follows from the request, never from a counter: a
 * process that was killed is followed by one that reads the same conversation
 * and must get the answer the first one would have got.  Every message of the
 * assistant counts one, and the id of a call says which answer made it, so the
 * count stays right when the beginning of a conversation was dropped.  A caller
 * that sends a state instead of a conversation says how many replies came before.  The only
 * thing remembered is how often an answer with `times` has failed. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/yaml_json.h"
#include "llm/script.h"

enum { HANG_STEP_US = 10 * 1000 };

/* --- Opening ----------------------------------------------------------------------------- */

static jot_status check_params(const LlmAddress *a, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key, value;
    for (size_t at = 0; url_next_param(&a->url, &at, &arena, &key, &value);)
        if (!str_eq(key, S("log")) && !str_eq(key, S("window")))
            return err_set(e, JOT_INVALID,
                           "after 'script:FILE?' only 'log' and 'window' are known");
    return JOT_OK;
}

static void script_close(Llm *llm);

static jot_status open_into(Script *s, const LlmAddress *a, Err *e)
{
    Str log = { 0 };
    const char *path = arena_cstr(&s->base.arena, a->url.path), *wish = getenv("JOTTER_SCRIPT_LOG");
    s->file = str(path);
    s->base.model = S("script");
    s->base.any_id = true;
    s->log = wish && *wish ? arena_cstr(&s->base.arena, str(wish)) : NULL;
    if (url_param(&a->url, S("log"), &s->base.arena, &log) && log.n)
        s->log = arena_cstr(&s->base.arena, log);
    TRY(check_params(a, e));
    return script_read(s, path, a->fragment, e);
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
    static const char *const kinds[] = { "text", "call", "result", "raw", "file" };
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
    } else if (p->kind == LLM_FILE) {
        member(to, "name", p->name);
        member(to, "type", p->args);
        buf_add(to, S(",\"data\":"));
        llm_quote_base64(to, p->text);
    }
    if (p->is_error)
        buf_add(to, S(",\"is_error\":true"));
    buf_add_char(to, '}');
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
    buf_add_char(to, ']');
    if (r->tool_choice.n)
        member(to, "tool_choice", r->tool_choice);
    buf_add(to, S(",\"messages\":["));
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

/* The number of the answer that made this call; 0 if none did. */
static size_t answer_of_call(const Script *s, Str id)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; s->answers[i].calls && k < s->answers[i].calls->n; k++) {
            const Yaml *own = yaml_get(s->answers[i].calls->items[k], S("id"));
            if (own && str_eq(own->text, id))
                return i + 1;
        }
    /* The number in call_NUMBER_K; 0 for any other id. */
    uint64_t n = 0;
    Str head = { 0 };
    if (!str_starts(id, S("call_")))
        return 0;
    id = str_from(id, 5);
    return str_cut(&id, '_', &head) && str_to_u64(head, INT32_MAX, &n) ? (size_t)n : 0;
}

/* How many answers have been given, as far as the conversation shows. */
static size_t answers_given(const Script *s, const LlmRequest *r)
{
    size_t given = (size_t)r->earlier;
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
    for (size_t i = 0; i < s->n_conditional; i++)
        if (script_newest_has(r, s->conditional[i].when)) {
            *out = &s->conditional[i];
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

/* `own_id`: for a call that names none. */
static jot_status make_call(const Yaml *call, const LlmRequest *r, Str own_id, Arena *into,
                            LlmPart *out, Err *e)
{
    const Yaml *id = yaml_get(call, S("id")), *args = yaml_get(call, S("args"));
    const Yaml *text = yaml_get(call, S("args_text"));
    *out = (LlmPart){ .kind = LLM_CALL, .name = arena_copy(into, yaml_get(call, S("name"))->text) };
    out->id = id ? arena_copy(into, id->text) : own_id;
    if (text) {
        out->args = arena_copy(into, text->text);
    } else {
        AUTO_PTR(json_t) value = args ? yaml_to_json(args) : json_object();
        TRY(script_fill_json(&value, r, e));
        out->args = json_to_str(into, value);
    }
    out->broken = !llm_is_object(out->args);
    return JOT_OK;
}

static jot_status make_parts(const Answer *a, const LlmRequest *r, size_t number, Arena *into,
                             LlmReply *out, Err *e)
{
    size_t calls = a->calls ? a->calls->n : 0, raws = a->raw ? a->raw->n : 0;
    LlmPart *parts = NEW_ARRAY(into, LlmPart, calls + raws + 1);
    out->parts = parts;
    for (size_t i = 0; i < raws; i++) {
        AUTO_PTR(json_t) value = yaml_to_json(a->raw->items[i]);
        parts[out->n++] = (LlmPart){ .kind = LLM_RAW, .text = json_to_str(into, value) };
    }
    AUTO(Buf) text = { 0 };
    TRY(script_fill(a->text, r, &text, e));
    if (text.n)
        parts[out->n++] = (LlmPart){ .text = arena_copy(into, buf_str(&text)) };
    for (size_t i = 0; i < calls; i++)
        TRY(make_call(a->calls->items[i], r, arena_printf(into, "call_%zu_%zu", number, i + 1),
                      into, &parts[out->n++], e));
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
    /* Four bytes a token, as good a guess as any, so that budgets move without being scripted. */
    LlmUsage u = { .input = (body.n + 3) / 4 };
    size_t said = 0;
    for (size_t i = 0; i < out->n; i++)
        said += out->parts[i].text.n + out->parts[i].args.n;
    u.output = (said + 3) / 4;
    static const char *const names[] = { "input", "cache_read", "cache_write", "output" };
    uint64_t *const fields[] = { &u.input, &u.cache_read, &u.cache_write, &u.output };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const Yaml *v = yaml_get(a->usage, str(names[i]));
        bool good = !v || str_to_u64(v->text, INT64_MAX, fields[i]);
        assert(good); /* script_read has looked at it */
    }
    out->usage = u;
    return JOT_OK;
}

const Provider provider_script = { .scheme = "script",
                                   .open = script_open,
                                   .close = script_close,
                                   .write = script_write,
                                   .ask = script_ask,
                                   .raw_alone = true };
