/* openai.c - OpenAI's chat completions: the bytes of a request.
 *
 * The same for OpenAI and for the many who speak like it (Ollama, llama.cpp,
 * vLLM ...).  Those know less, so only what is old and plain is used: texts as
 * strings, one message a result.
 *
 * What a server's model thought before a call goes back with that call, to the same
 * base URL only: DeepSeek and Kimi refuse the results without it, others do not know
 * the member, and it is nobody else's business. */
#include "llm/wire.h"

/* Without it a stream has no count of tokens; not every server takes it. */
#define USAGE ",\"stream_options\":{\"include_usage\":true}"

/* The texts of one kind in a message, with `glue` between them. */
static void join(Buf *to, const LlmMessage *m, Str glue)
{
    bool first = true;
    for (size_t i = 0; i < m->n; i++) {
        if (m->parts[i].kind != LLM_TEXT)
            continue;
        if (!first)
            buf_add(to, glue);
        first = false;
        buf_add(to, m->parts[i].text);
    }
}

static void begin(Buf *to, const char *role)
{
    buf_addf(to, "%s{\"role\":\"%s\",\"content\":", to->p[to->n - 1] == '[' ? "" : ",", role);
}

/* A text and files as a list of parts; who has no files never sees one. */
static void write_with_files(Buf *to, const LlmMessage *m, Str text)
{
    begin(to, "user");
    buf_add_char(to, '[');
    for (size_t i = 0; i < m->n; i++) {
        const LlmPart *p = &m->parts[i];
        if (p->kind != LLM_FILE)
            continue;
        if (str_starts(p->args, S("image/"))) {
            buf_add(to, S("{\"type\":\"image_url\",\"image_url\":{\"url\":"));
        } else {
            buf_add(to, S("{\"type\":\"file\",\"file\":{\"filename\":"));
            llm_quote(to, p->name.n ? p->name : S("document.pdf"));
            buf_add(to, S(",\"file_data\":"));
        }
        llm_quote_data_url(to, p);
        buf_add(to, S("}},"));
    }
    buf_add(to, S("{\"type\":\"text\",\"text\":"));
    llm_quote(to, text.n ? text : S("(see above)"));
    buf_add(to, S("}]}"));
}

static void write_user(Buf *to, const LlmMessage *m)
{
    bool files = false;
    AUTO(Buf) text = { .max = LLM_REQUEST_MAX };
    for (size_t i = 0; i < m->n; i++)
        if (m->parts[i].kind == LLM_RESULT) {
            begin(to, "tool");
            AUTO(Buf) said = { .max = LLM_REQUEST_MAX };
            /* There is no flag for a failure: the model must read it. */
            if (m->parts[i].is_error && !str_starts(m->parts[i].text, S("Error")))
                buf_add(&said, S("Error: "));
            buf_add(&said, m->parts[i].text);
            llm_quote(to, buf_str(&said));
            buf_add(to, S(",\"tool_call_id\":"));
            llm_quote(to, m->parts[i].id);
            buf_add_char(to, '}');
            if (!buf_ok(&said))
                to->full = true;
        }
    for (size_t i = 0; i < m->n; i++)
        files = files || m->parts[i].kind == LLM_FILE;
    join(&text, m, S("\n\n"));
    if (!buf_ok(&text))
        to->full = true;
    if (files)
        write_with_files(to, m, buf_str(&text));
    if (text.n == 0 || files)
        return;
    begin(to, "user");
    llm_quote(to, buf_str(&text));
    buf_add_char(to, '}');
}

/* The raw part of ours, if it is of this type; the caller owns it. */
static json_t *read_raw(const LlmPart *p, const char *type)
{
    json_t *block = NULL;
    if (p->kind != LLM_RAW || json_read(p->text, &block, NULL) != JOT_OK)
        return NULL;
    if (str_eq(json_member(block, "type"), str(type)))
        return block;
    json_decref(block);
    return NULL;
}

static void write_calls(Buf *to, const LlmMessage *m)
{
    const char *comma = ",\"tool_calls\":[";
    for (size_t i = 0; i < m->n; i++) {
        if (m->parts[i].kind != LLM_CALL)
            continue;
        buf_add(to, str(comma));
        comma = ",";
        /* What the server wants to see again beside a call is in the part before it. */
        const LlmPart *before = i ? &m->parts[i - 1] : NULL;
        AUTO(Buf) args = { .max = LLM_REQUEST_MAX };
        AUTO_PTR(json_t) extra = before ? read_raw(before, "extra_content") : NULL;
        buf_add(to, S("{\"id\":"));
        llm_quote(to, m->parts[i].id);
        buf_add(to, S(",\"type\":\"function\",\"function\":{\"name\":"));
        llm_quote(to, m->parts[i].name);
        buf_add(to, S(",\"arguments\":"));
        llm_add_args(&args, m->parts[i].args);
        llm_quote(to, buf_str(&args));
        buf_add_char(to, '}');
        if (extra) {
            buf_add(to, S(",\"extra_content\":"));
            json_write(to, json_object_get(extra, "extra_content"));
        }
        buf_add_char(to, '}');
        if (!buf_ok(&args))
            to->full = true;
    }
    buf_add_char(to, ']');
}

static void write_assistant(const Wire *w, Buf *to, const LlmMessage *m)
{
    AUTO(Buf) text = { .max = LLM_REQUEST_MAX };
    size_t calls = 0;
    join(&text, m, (Str){ 0 });
    if (!buf_ok(&text))
        to->full = true;
    for (size_t i = 0; i < m->n; i++)
        calls += m->parts[i].kind == LLM_CALL;
    begin(to, "assistant");
    /* OpenAI has null for no text, which others refuse (llama-cpp-python, SGLang), as they do a
     * message without the member. */
    if (text.n || w->elsewhere)
        llm_quote(to, buf_str(&text));
    else
        buf_add(to, S("null"));
    if (calls) {
        static const char *const names[] = { "reasoning_content", "reasoning" };
        for (size_t i = 0; i < m->n; i++) {
            AUTO_PTR(json_t) block = read_raw(&m->parts[i], "reasoning");
            for (size_t k = 0; block && k < COUNT_OF(names); k++) {
                if (!json_object_get(block, names[k]))
                    continue;
                buf_addf(to, ",\"%s\":", names[k]);
                llm_quote(to, json_member(block, names[k]));
            }
        }
        write_calls(to, m);
    }
    buf_add_char(to, '}');
}

void openai_tool_choice(Buf *to, Str choice, bool nested)
{
    if (!choice.n)
        return;
    buf_add(to, S(",\"tool_choice\":"));
    if (str_eq(choice, S(LLM_CHOICE_ANY)) || str_eq(choice, S(LLM_CHOICE_NONE))) {
        llm_quote(to, choice);
        return;
    }
    buf_add(to, nested ? S("{\"type\":\"function\",\"function\":{\"name\":")
                       : S("{\"type\":\"function\",\"name\":"));
    llm_quote(to, choice);
    buf_add(to, nested ? S("}}") : S("}"));
}

static jot_status write_tools(Buf *to, const LlmRequest *r, Err *e)
{
    buf_add(to, S(",\"tools\":["));
    for (size_t i = 0; i < r->n_tools; i++) {
        buf_addf(to, "%s{\"type\":\"function\",\"function\":{\"name\":", i ? "," : "");
        llm_quote(to, r->tools[i].name);
        buf_add(to, S(",\"description\":"));
        llm_quote(to, r->tools[i].about);
        buf_add(to, S(",\"parameters\":"));
        TRY(llm_add_object(to, r->tools[i].schema, "schema", r->tools[i].name, e));
        buf_add(to, llm_strict(r, i) ? S(",\"strict\":true}}") : S("}}"));
    }
    buf_add_char(to, ']');
    openai_tool_choice(to, r->tool_choice, true);
    return JOT_OK;
}

static jot_status write_request(Wire *w, const LlmRequest *r, Buf *to, Err *e)
{
    buf_add(to, S("{\"model\":"));
    llm_quote(to, w->base.model);
    buf_add(to, S(",\"stream\":true"));
    if (!w->no_option)
        buf_add(to, S(USAGE));
    if (w->effort.n)
        buf_addf(to, ",\"reasoning_effort\":\"" STR_FMT "\"", STR_ARG(w->effort));
    /* OpenAI's newer models refuse the old name, others do not know the new one. */
    if (r->max_tokens)
        buf_addf(to, ",\"%s\":%u", w->dialect->unlimited ? "max_completion_tokens" : "max_tokens",
                 r->max_tokens);
    if (r->n_tools)
        TRY(write_tools(to, r, e));
    buf_add(to, S(",\"messages\":["));
    if (r->system.n) {
        begin(to, "system");
        llm_quote(to, r->system);
        buf_add_char(to, '}');
    }
    for (size_t i = 0; i < r->n_messages; i++) {
        if (r->messages[i].role == LLM_USER)
            write_user(to, &r->messages[i]);
        else
            write_assistant(w, to, &r->messages[i]);
    }
    buf_add(to, S("]}"));
    return JOT_OK;
}

size_t openai_headers(const Wire *w, HttpField *out)
{
    out[0] = (HttpField){ "authorization", buf_str(&w->bearer) };
    return w->bearer.n ? 1 : 0;
}

const Dialect dialect_openai = {
    .base = "https://api.openai.com/v1",
    .base_env = "OPENAI_BASE_URL",
    .key_env = "OPENAI_API_KEY",
    .path = "/chat/completions",
    .bare_429 = true,
    .unlimited = true,
    .option = USAGE,
    .option_words = { "stream_options" },
    .write = write_request,
    .headers = openai_headers,
    .event = openai_event,
};

const Dialect dialect_compatible = {
    .path = "/chat/completions",
    .bare_429 = true,
    .option = USAGE,
    .option_words = { "stream_options" },
    .write = write_request,
    .headers = openai_headers,
    .event = openai_event,
};

static jot_status open_openai(const LlmAddress *a, Llm **out, Err *e)
{
    return wire_open(&dialect_openai, a, out, e);
}

static jot_status open_compatible(const LlmAddress *a, Llm **out, Err *e)
{
    return wire_open(&dialect_compatible, a, out, e);
}

/* Parts that came from this place. */
static bool takes_raw(const Llm *llm, const json_t *block)
{
    const Wire *w = (const Wire *)llm;
    return !w->no_reasoning && str_eq(json_member(block, "base"), w->base_url);
}

static uint64_t find_window(Llm *llm)
{
    return wire_find_window((Wire *)llm);
}

const Provider provider_openai = { .scheme = "openai",
                                   .open = open_openai,
                                   .close = wire_close,
                                   .write = wire_write,
                                   .ask = wire_ask,
                                   .takes_raw = takes_raw };

const Provider provider_http = { .scheme = "http",
                                 .open = open_compatible,
                                 .close = wire_close,
                                 .write = wire_write,
                                 .ask = wire_ask,
                                 .takes_raw = takes_raw,
                                 .find_window = find_window };
const Provider provider_https = { .scheme = "https",
                                  .open = open_compatible,
                                  .close = wire_close,
                                  .write = wire_write,
                                  .ask = wire_ask,
                                  .takes_raw = takes_raw,
                                  .find_window = find_window };
