/* llm.c - addresses, and the table of providers.
 *
 * Everything a provider may rely on is checked here: the address is taken
 * apart, the request is within its limits, nobody has cancelled yet. */
#include "llm/llm.h"

#include <assert.h>

#include "llm/history.h"
#include "llm/provider.h"
#include "llm/schema.h"

/* A provider is one line here. */
static const Provider *const providers[] = { &provider_anthropic, &provider_openai, &provider_http,
                                             &provider_https, &provider_script };

const char *llm_stop_name(LlmStop stop)
{
    static const char *const names[] = {
        [LLM_STOP_END] = "end",
        [LLM_STOP_CALLS] = "calls",
        [LLM_STOP_MAX_TOKENS] = "max_tokens",
        [LLM_STOP_REFUSAL] = "refusal",
        [LLM_STOP_PAUSE] = "pause",
        [LLM_STOP_WINDOW] = "window",
        [LLM_STOP_OTHER] = "other",
    };
    assert((size_t)stop < COUNT_OF(names));
    return names[stop];
}

/* --- Addresses --------------------------------------------------------------------------- */

static jot_status no_provider(Str scheme, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID,
                   "no model at '%s': use anthropic:MODEL, openai:MODEL, http(s)://HOST/v1#MODEL "
                   "or script:FILE",
                   err_show(&shown, scheme));
}

/* URL[?QUERY][#FRAGMENT], or URL#FRAGMENT?QUERY: both are typed, and no model has '?' in its name.
 */
static jot_status take_apart(Str text, Arena *into, LlmAddress *out, Err *e)
{
    size_t hash = str_find(text, '#');
    Str fragment = str_from(text, hash + 1);
    size_t mark = str_find(fragment, '?');
    Str place = str_slice(text, 0, hash), query = str_from(fragment, mark + 1);
    const char *glue = query.n == 0 ? "" : str_find(place, '?') < place.n ? "&" : "?";
    Str whole = arena_printf(into, STR_FMT "%s" STR_FMT, STR_ARG(place), glue, STR_ARG(query));
    Url part = { 0 };
    if (str_find(place, ':') == place.n) /* a model's name alone is what most people try first */
        return no_provider(place, e);
    TRY(url_parse(whole, into, &out->url, e));
    /* The same decoding as everywhere: a fragment is the path of an address of its own. */
    TRY(url_parse(arena_printf(into, "x:" STR_FMT, STR_ARG(str_slice(fragment, 0, mark))), into,
                  &part, e));
    out->fragment = part.path;
    return JOT_OK;
}

static jot_status read_window(LlmAddress *a, Arena *into, Err *e)
{
    Str value = { 0 };
    if (!url_param(&a->url, S("window"), into, &value))
        return JOT_OK;
    if (!str_to_u64(value, UINT32_MAX, &a->window) || a->window == 0)
        return err_set(e, JOT_INVALID, "the window of a model is a number of tokens");
    return JOT_OK;
}

jot_status llm_open(Str url, const LlmOptions *options, Llm **out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    static const LlmOptions none = { 0 };
    const LlmOptions *o = options ? options : &none;
    LlmAddress a = { .io = o->io ? o->io : &io_system,
                     .key_file = o->key_file,
                     .effort = o->effort,
                     .window = o->window,
                     .plain_http = o->plain_http,
                     .silent = o->silent };
    *out = NULL;
    if (url.n > URL_MAX)
        return err_set(e, JOT_TOO_BIG, "the address of a model has at most %d bytes", URL_MAX);
    TRY(take_apart(url, &arena, &a, e));
    TRY(read_window(&a, &arena, e));
    for (size_t i = 0; i < COUNT_OF(providers); i++) {
        if (!str_eq(a.url.scheme, str(providers[i]->scheme)))
            continue;
        TRY(providers[i]->open(&a, out, e));
        (*out)->provider = providers[i];
        (*out)->io = a.io;
        if (a.window)
            (*out)->window = a.window;
        return JOT_OK;
    }
    return no_provider(a.url.scheme, e);
}

void llm_close(Llm *llm)
{
    if (llm)
        llm->provider->close(llm);
}

/* --- Asking ------------------------------------------------------------------------------ */

jot_status llm_request_text(Llm *llm, const LlmRequest *request, Buf *to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) body = { .max = LLM_REQUEST_MAX };
    LlmRequest mended = history_mend(llm, request, &arena);
    mended.n_tools = schema_good_tools(request->tools, request->n_tools, &arena, &mended.tools);
    if (llm->strict)
        schema_strict_tools(&mended, llm->strict, &arena);
    if (!mended.n_tools)
        mended.tool_choice = (Str){ 0 };
    TRY(llm->provider->write(llm, &mended, &body, e));
    buf_add(to, buf_str(&body));
    if (!buf_ok(&body) || !buf_ok(to))
        return err_set(e, JOT_TOO_BIG, "the request is too long: at most %d MiB",
                       LLM_REQUEST_MAX / 1024 / 1024);
    return JOT_OK;
}

/* A model that must name every property says null for what it leaves out. */
static void drop_nulls(const LlmRequest *r, LlmReply *reply, Arena *into)
{
    LlmPart *parts = NEW_ARRAY(into, LlmPart, reply->n);
    for (size_t i = 0; i < reply->n; i++) {
        parts[i] = reply->parts[i];
        for (size_t k = 0; parts[i].kind == LLM_CALL && !parts[i].broken && k < r->n_tools; k++)
            if (str_eq(parts[i].name, r->tools[k].name))
                parts[i].args = schema_without_nulls(parts[i].args, &r->tools[k], into);
    }
    reply->parts = parts;
}

jot_status llm_ask(Llm *llm, const LlmRequest *request, Arena *into, LlmReply *out, Err *e)
{
    AUTO(Buf) body = { 0 };
    TRY(llm_request_text(llm, request, &body, e));
    if (llm_cancelled(request))
        return err_set(e, JOT_CANCELLED, "cancelled before the model was asked");
    LlmReply reply = { 0 };
    TRY(llm->provider->ask(llm, request, buf_str(&body), into, &reply, e));
    if (llm->strict == SCHEMA_COMPLETE)
        drop_nulls(request, &reply, into);
    *out = reply;
    return JOT_OK;
}

bool llm_cost(const Llm *llm, const LlmUsage *usage, double *out)
{
    return model_cost(&llm->known, usage, out);
}

uint64_t llm_window(const Llm *llm)
{
    return llm->window;
}

void llm_find_window(Llm *llm)
{
    if (!llm->window && llm->provider->find_window)
        llm->window = llm->provider->find_window(llm);
}

LlmLimits llm_limits(const Llm *llm)
{
    return llm->limits;
}

Str llm_model(const Llm *llm)
{
    return llm->model;
}

/* --- Files ------------------------------------------------------------------------------- */

Str llm_file_type(Str bytes)
{
    static const struct {
        Str begins, type;
    } types[] = {
        { S_INIT("\x89PNG\r\n\x1a\n"), S_INIT("image/png") },
        { S_INIT("\xff\xd8\xff"), S_INIT("image/jpeg") },
        { S_INIT("GIF87a"), S_INIT("image/gif") },
        { S_INIT("GIF89a"), S_INIT("image/gif") },
        { S_INIT("%PDF-"), S_INIT("application/pdf") },
    };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_starts(bytes, types[i].begins))
            return types[i].type;
    if (str_starts(bytes, S("RIFF")) && str_starts(str_from(bytes, 8), S("WEBP")))
        return S("image/webp");
    return (Str){ 0 };
}
