/* anthropic.c - Anthropic's Messages: the bytes of a request.
 *
 * A loop sends its whole history every time; with cache marks it pays for it once.  A mark keeps
 * everything in front of it, and finds what was kept at most 20 blocks before it.  So the four that
 * a request may have stand where the beginning does not change:
 *
 *     tools, system   [1]   the same in the whole run
 *     question        [2]   and it stays when results are cleared and turns summed up
 *     turns
 *     message before  [3]   here stood the newest mark of the last request: a turn with many calls
 *     newest message  [4]   is longer than 20 blocks, and [4] alone would not find it
 *
 * They do not change what the model reads. */
#include "llm/wire.h"

/* Anything else would be of no use to a cache, or is refused. */
static void add_mark(Buf *to, const Wire *w)
{
    if (w->cache == CACHE_OFF)
        return;
    buf_add(to, w->cache == CACHE_HOUR
                    ? S(",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}")
                    : S(",\"cache_control\":{\"type\":\"ephemeral\"}"));
}

/* Anything in front of a result is refused. */
static bool is_now(const LlmPart *p, bool results)
{
    return (p->kind == LLM_RESULT) == results;
}

static void write_file(Buf *to, const LlmPart *p)
{
    bool image = str_starts(p->args, S("image/"));
    buf_addf(to,
             "{\"type\":\"%s\",\"source\":{\"type\":\"base64\",\"media_type\":\"" STR_FMT
             "\",\"data\":",
             image ? "image" : "document", STR_ARG(p->args));
    llm_quote_base64(to, p->text);
    buf_add_char(to, '}');
    if (!image && p->name.n) {
        buf_add(to, S(",\"title\":"));
        llm_quote(to, p->name);
    }
}

static jot_status write_part(const Wire *w, Buf *to, const LlmPart *p, bool mark, Err *e)
{
    if (p->kind == LLM_RAW)
        return llm_add_object(to, p->text, "raw part", S("the conversation"), e);
    if (p->kind == LLM_FILE) {
        write_file(to, p);
    } else if (p->kind == LLM_TEXT) {
        buf_add(to, S("{\"type\":\"text\",\"text\":"));
        llm_quote(to, p->text);
    } else if (p->kind == LLM_CALL) {
        buf_add(to, S("{\"type\":\"tool_use\",\"id\":"));
        llm_quote(to, p->id);
        buf_add(to, S(",\"name\":"));
        llm_quote(to, p->name);
        buf_add(to, S(",\"input\":"));
        llm_add_args(to, p->args);
    } else {
        buf_add(to, S("{\"type\":\"tool_result\",\"tool_use_id\":"));
        llm_quote(to, p->id);
        buf_add(to, S(",\"content\":"));
        llm_quote(to, p->text);
        if (p->is_error)
            buf_add(to, S(",\"is_error\":true"));
    }
    if (mark)
        add_mark(to, w);
    buf_add_char(to, '}');
    return JOT_OK;
}

/* Which part comes last. */
static const LlmPart *last_sent(const LlmMessage *m)
{
    const LlmPart *last = NULL;
    for (int results = 1; results >= 0; results--)
        for (size_t i = 0; i < m->n; i++)
            if (is_now(&m->parts[i], results))
                last = &m->parts[i];
    return last;
}

static jot_status write_parts(const Wire *w, Buf *to, const LlmMessage *m, const LlmPart *mark,
                              Err *e)
{
    const char *comma = "";
    for (int results = 1; results >= 0; results--)
        for (size_t i = 0; i < m->n; i++) {
            if (!is_now(&m->parts[i], results))
                continue;
            buf_add(to, str(comma));
            comma = ",";
            TRY(write_part(w, to, &m->parts[i], mark == &m->parts[i], e));
        }
    return JOT_OK;
}

/* The API counts thinking as part of the reply; for callers, thinking that was asked for by number
 * is not.  Both together stay within what the model can do, but a caller who asks for more than we
 * know of may know better, and thinking must not fill all of it. */
static uint64_t reply_tokens(const Wire *w, const LlmRequest *r, uint64_t thinking)
{
    const LlmLimits *limits = &w->base.limits;
    uint64_t words = r->max_tokens ? r->max_tokens : limits->reply, most = limits->reply_max;
    if (most < words)
        most = words;
    if (most < thinking + 1)
        most = thinking + 1;
    bool known = limits->reply_max && words + thinking > most;
    return known ? most : words + thinking;
}

static jot_status write_tools(Buf *to, const LlmRequest *r, Err *e)
{
    buf_add(to, S(",\"tools\":["));
    for (size_t i = 0; i < r->n_tools; i++) {
        buf_add(to, i ? S(",{\"name\":") : S("{\"name\":"));
        llm_quote(to, r->tools[i].name);
        buf_add(to, S(",\"description\":"));
        llm_quote(to, r->tools[i].about);
        buf_add(to, S(",\"input_schema\":"));
        TRY(llm_add_object(to, r->tools[i].schema, "schema", r->tools[i].name, e));
        buf_add(to, llm_strict(r, i) ? S(",\"strict\":true}") : S("}"));
    }
    buf_add_char(to, ']');
    if (!r->tool_choice.n)
        return JOT_OK;
    if (str_eq(r->tool_choice, S(LLM_CHOICE_ANY)) || str_eq(r->tool_choice, S(LLM_CHOICE_NONE))) {
        bool any = str_eq(r->tool_choice, S(LLM_CHOICE_ANY));
        buf_addf(to, ",\"tool_choice\":{\"type\":\"%s\"}", any ? "any" : "none");
        return JOT_OK;
    }
    buf_add(to, S(",\"tool_choice\":{\"type\":\"tool\",\"name\":"));
    llm_quote(to, r->tool_choice);
    buf_add_char(to, '}');
    return JOT_OK;
}

/* The first message of the user and the newest two, if it is the user who spoke last. */
static bool is_marked(const LlmRequest *r, size_t at)
{
    size_t after = 0;
    if (r->messages[at].role != LLM_USER || r->messages[r->n_messages - 1].role != LLM_USER)
        return false;
    for (size_t i = at + 1; i < r->n_messages; i++)
        after += r->messages[i].role == LLM_USER;
    return at == 0 || after < 2;
}

static jot_status write_messages(const Wire *w, Buf *to, const LlmRequest *r, Err *e)
{
    const char *comma = "";
    buf_add(to, S(",\"messages\":["));
    for (size_t i = 0; i < r->n_messages; i++) {
        const LlmMessage *m = &r->messages[i];
        buf_addf(to, "%s{\"role\":\"%s\",\"content\":[", comma,
                 m->role == LLM_USER ? "user" : "assistant");
        TRY(write_parts(w, to, m, is_marked(r, i) ? last_sent(m) : NULL, e));
        buf_add(to, S("]}"));
        comma = ",";
    }
    buf_add_char(to, ']');
    return JOT_OK;
}

static jot_status write_request(Wire *w, const LlmRequest *r, Buf *to, Err *e)
{
    uint64_t thinking = 0;
    bool counted = str_to_u64(w->thinking, UINT32_MAX, &thinking);
    buf_add(to, S("{\"model\":"));
    llm_quote(to, w->base.model);
    buf_addf(to, ",\"max_tokens\":%ju,\"stream\":true", (uintmax_t)reply_tokens(w, r, thinking));
    if (counted)
        buf_addf(to, ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":%ju}",
                 (uintmax_t)thinking);
    else if (w->thinking.n)
        buf_add(to, S(",\"thinking\":{\"type\":\"adaptive\"}"));
    if (w->effort.n)
        buf_addf(to, ",\"output_config\":{\"effort\":\"" STR_FMT "\"}", STR_ARG(w->effort));
    if (r->system.n) {
        buf_add(to, S(",\"system\":[{\"type\":\"text\",\"text\":"));
        llm_quote(to, r->system);
        add_mark(to, w);
        buf_add(to, S("}]"));
    }
    if (r->n_tools)
        TRY(write_tools(to, r, e));
    TRY(write_messages(w, to, r, e));
    buf_add_char(to, '}');
    return JOT_OK;
}

static size_t headers(const Wire *w, HttpField *out)
{
    out[0] = (HttpField){ "anthropic-version", S("2023-06-01") };
    out[1] = w->is_token ? (HttpField){ "authorization", buf_str(&w->bearer) }
                         : (HttpField){ "x-api-key", buf_str(&w->key) };
    return w->key.n ? 2 : 1;
}

const Dialect dialect_anthropic = {
    .base = "https://api.anthropic.com",
    .base_env = "ANTHROPIC_BASE_URL",
    .key_env = "ANTHROPIC_API_KEY",
    .token_env = "ANTHROPIC_AUTH_TOKEN",
    .path = "/v1/messages",
    .bare_429 = false, /* it means that the account's budget is spent */
    .write = write_request,
    .headers = headers,
    .event = anthropic_event,
};

static jot_status open_anthropic(const LlmAddress *a, Llm **out, Err *e)
{
    return wire_open(&dialect_anthropic, a, out, e);
}

/* Its own blocks have a type; another server's reasoning says where it comes from. */
static bool takes_raw(const Llm *llm, const json_t *block)
{
    (void)llm;
    return json_member(block, "type").n && !json_object_get(block, "base");
}

const Provider provider_anthropic = { .scheme = "anthropic",
                                      .open = open_anthropic,
                                      .close = wire_close,
                                      .write = wire_write,
                                      .ask = wire_ask,
                                      .takes_raw = takes_raw,
                                      .raw_alone = true };
