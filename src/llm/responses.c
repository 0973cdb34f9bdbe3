/* responses.c - OpenAI's Responses: the bytes of a request.
 *
 * A conversation is a list of items here, not of messages: a text, a call and its result
 * are items of their own, and so is what the model thought.  Nothing is kept at the
 * server (store is false): who resumes asks again from what was recorded, and a record
 * that is forgotten here is not kept there.
 *
 *     message                  items
 *     user       text          {"type":"message","role":"user", ...}
 *     assistant  raw           {"type":"reasoning","encrypted_content":"..."}
 *                text          {"type":"message","role":"assistant", ...}
 *                call          {"type":"function_call","call_id":"c1", ...}
 *     user       result        {"type":"function_call_output","call_id":"c1", ...}
 *
 * A model that thinks wants its reasoning back with the results of its calls; as nothing
 * is stored it comes encrypted, because it was asked for, and goes back to the same base
 * URL only.  Models that do not think refuse the wish, and are asked again without it. */
#include "llm/wire.h"

#define INCLUDE ",\"include\":[\"reasoning.encrypted_content\"]"

static void begin_item(Buf *to, const char *type)
{
    buf_addf(to, "%s{\"type\":\"%s\"", to->p[to->n - 1] == '[' ? "" : ",", type);
}

static void write_text(Buf *to, LlmRole role, Str text)
{
    begin_item(to, "message");
    buf_addf(to, ",\"role\":\"%s\",\"content\":[{\"type\":\"%s\",\"text\":",
             role == LLM_USER ? "user" : "assistant",
             role == LLM_USER ? "input_text" : "output_text");
    llm_quote(to, text);
    buf_add(to, S("}]}"));
}

static void write_file(Buf *to, const LlmPart *p)
{
    bool image = str_starts(p->args, S("image/"));
    begin_item(to, "message");
    buf_addf(to, ",\"role\":\"user\",\"content\":[{\"type\":\"%s\",",
             image ? "input_image" : "input_file");
    if (!image) {
        buf_add(to, S("\"filename\":"));
        llm_quote(to, p->name.n ? p->name : S("document.pdf"));
        buf_add_char(to, ',');
    }
    buf_add(to, image ? S("\"image_url\":") : S("\"file_data\":"));
    llm_quote_data_url(to, p);
    buf_add(to, S("}]}"));
}

/* What the model thought, as it came; other raw parts are not of this dialect. */
static void write_raw(Buf *to, Str text)
{
    AUTO_PTR(json_t) block = NULL;
    if (json_read(text, &block, NULL) != JOT_OK)
        return;
    const json_t *item = json_object_get(block, "item");
    if (!str_eq(json_member(block, "type"), S("response_item")) || !json_is_object(item))
        return;
    if (to->p[to->n - 1] != '[')
        buf_add_char(to, ',');
    json_write(to, item);
}

static void write_call(Buf *to, const LlmPart *p)
{
    AUTO(Buf) args = { .max = LLM_REQUEST_MAX };
    llm_add_args(&args, p->args);
    begin_item(to, "function_call");
    buf_add(to, S(",\"call_id\":"));
    llm_quote(to, p->id);
    buf_add(to, S(",\"name\":"));
    llm_quote(to, p->name);
    buf_add(to, S(",\"arguments\":"));
    llm_quote(to, buf_str(&args));
    buf_add_char(to, '}');
    if (!buf_ok(&args))
        to->full = true;
}

static void write_result(Buf *to, const LlmPart *p)
{
    AUTO(Buf) said = { .max = LLM_REQUEST_MAX };
    /* There is no flag for a failure: the model must read it. */
    if (p->is_error && !str_starts(p->text, S("Error")))
        buf_add(&said, S("Error: "));
    buf_add(&said, p->text);
    begin_item(to, "function_call_output");
    buf_add(to, S(",\"call_id\":"));
    llm_quote(to, p->id);
    buf_add(to, S(",\"output\":"));
    llm_quote(to, buf_str(&said));
    buf_add_char(to, '}');
    if (!buf_ok(&said))
        to->full = true;
}

/* Results come first, as every provider wants them. */
static void write_message(Buf *to, const LlmMessage *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->parts[i].kind == LLM_RESULT)
            write_result(to, &m->parts[i]);
    for (size_t i = 0; i < m->n; i++) {
        const LlmPart *p = &m->parts[i];
        if (p->kind == LLM_TEXT)
            write_text(to, m->role, p->text);
        else if (p->kind == LLM_FILE)
            write_file(to, p);
        else if (p->kind == LLM_CALL)
            write_call(to, p);
        else if (p->kind == LLM_RAW)
            write_raw(to, p->text);
    }
}

static jot_status write_request(Wire *w, const LlmRequest *r, Buf *to, Err *e)
{
    buf_add(to, S("{\"model\":"));
    llm_quote(to, w->base.model);
    buf_add(to, S(",\"stream\":true,\"store\":false"));
    if (!w->no_option && !w->no_reasoning)
        buf_add(to, S(INCLUDE));
    if (w->effort.n)
        buf_addf(to, ",\"reasoning\":{\"effort\":\"" STR_FMT "\"}", STR_ARG(w->effort));
    if (r->max_tokens)
        buf_addf(to, ",\"max_output_tokens\":%u", r->max_tokens);
    if (r->system.n) {
        buf_add(to, S(",\"instructions\":"));
        llm_quote(to, r->system);
    }
    if (r->n_tools) {
        buf_add(to, S(",\"tools\":["));
        for (size_t i = 0; i < r->n_tools; i++) {
            begin_item(to, "function");
            buf_add(to, S(",\"name\":"));
            llm_quote(to, r->tools[i].name);
            buf_add(to, S(",\"description\":"));
            llm_quote(to, r->tools[i].about);
            buf_add(to, S(",\"parameters\":"));
            TRY(llm_add_object(to, r->tools[i].schema, "schema", r->tools[i].name, e));
            /* Without the word schemas are taken as strict ones here, which ours are not. */
            buf_add(to, llm_strict(r, i) ? S(",\"strict\":true}") : S(",\"strict\":false}"));
        }
        buf_add_char(to, ']');
        openai_tool_choice(to, r->tool_choice, false);
    }
    buf_add(to, S(",\"input\":["));
    for (size_t i = 0; i < r->n_messages; i++)
        write_message(to, &r->messages[i]);
    buf_add(to, S("]}"));
    return JOT_OK;
}

const Dialect dialect_responses = {
    .base = "https://api.openai.com/v1",
    .base_env = "OPENAI_BASE_URL",
    .key_env = "OPENAI_API_KEY",
    .path = "/responses",
    .bare_429 = true,
    .unlimited = true,
    .option = INCLUDE,
    .option_words = { "encrypted_content", "Encrypted content" },
    .write = write_request,
    .headers = openai_headers,
    .event = responses_event,
};

const Dialect dialect_compatible_responses = {
    .path = "/responses",
    .bare_429 = true,
    .option = INCLUDE,
    .option_words = { "encrypted_content", "Encrypted content" },
    .write = write_request,
    .headers = openai_headers,
    .event = responses_event,
};
