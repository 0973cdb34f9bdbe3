/* wire_open.c - from an address to a model over HTTP.
 *
 *     anthropic:MODEL?thinking=...      the vendor's place, or ?base=, or $ANTHROPIC_BASE_URL
 *     http://HOST/v1#MODEL?window=...   that place
 *          |
 *          +-> settings -> place -> what is known of the model -> effort, limits -> key
 *
 * In this order: which dialect it is can depend on a setting, what effort means on the model, and
 * whether a key is needed on the place.
 *
 * The key goes to one place only, and that place is either reached over TLS or
 * is this machine, unless the caller insists. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "llm/wire.h"

/* A limit is there to end what runs away, not to make a reply short; what is not used costs
 * nothing.  Adaptive thinking takes its tokens from the same limit. */
enum { REPLY = 16384, REPLY_THINKING = 32000 };

static void find_limits(Wire *w)
{
    LlmLimits *limits = &w->base.limits;
    bool anthropic = w->dialect == &dialect_anthropic;
    w->base.window = w->base.known.window;
    limits->reply_max = anthropic ? w->base.known.reply : 0;
    limits->unlimited = w->dialect->unlimited;
    if (!anthropic) /* which wants a limit in every request */
        return;
    limits->reply = str_eq(w->thinking, S("adaptive")) ? REPLY_THINKING : REPLY;
    if (limits->reply_max && limits->reply > limits->reply_max)
        limits->reply = limits->reply_max;
}

/* --- Thinking ---------------------------------------------------------------------------- */

static const struct {
    const char *word;
    const char *claude; /* Anthropic has fewer words ... */
    const char *budget; /* ... and had numbers of tokens before; NULL: do not think */
} efforts[] = {
    { "none", "low", NULL },        { "minimal", "low", "1024" }, { "low", "low", "4096" },
    { "medium", "medium", "8192" }, { "high", "high", "16384" },  { "xhigh", "xhigh", "32000" },
    { "max", "max", "32000" },
};

/* The vendors' words, which differ by model: who does not know one says so. */
static jot_status read_effort(Wire *w, Str value, Err *e)
{
    for (size_t i = 0; i < COUNT_OF(efforts); i++)
        if (str_eq(value, str(efforts[i].word))) {
            w->effort = value;
            return JOT_OK;
        }
    return err_set(e, JOT_INVALID,
                   "'effort' of a model is none, minimal, low, medium, high, xhigh or max");
}

/* One word for all of Anthropic's models, in the way the model has.  A number that was given counts
 * more: it is the older way to say the same. */
static jot_status settle_effort(Wire *w, Err *e)
{
    size_t i = 0;
    bool given = w->thinking.n > 0;
    if (!w->effort.n || w->dialect != &dialect_anthropic)
        return JOT_OK;
    while (!str_eq(w->effort, str(efforts[i].word))) /* read_effort took no other */
        i++;
    assert(i < COUNT_OF(efforts));
    if (w->base.known.thinking == MODEL_NO_THINKING) {
        Shown shown;
        if (efforts[i].budget)
            return err_set(e, JOT_INVALID, "'%s' does not think: leave out effort",
                           err_show(&shown, w->base.model));
        w->effort = (Str){ 0 };
    } else if (w->base.known.thinking == MODEL_BUDGET) {
        w->effort = (Str){ 0 };
        if (!given)
            w->thinking = str(efforts[i].budget);
    } else {
        w->effort = str(efforts[i].claude);
        if (!given && efforts[i].budget)
            w->thinking = S("adaptive");
    }
    return JOT_OK;
}

static jot_status read_flag(Str key, Str value, bool *out, Err *e)
{
    Shown shown;
    if (!str_eq(value, S("yes")) && !str_eq(value, S("no")))
        return err_set(e, JOT_INVALID, "'%s' of a model is yes or no", err_show(&shown, key));
    *out = str_eq(value, S("yes"));
    return JOT_OK;
}

static jot_status read_thinking(Wire *w, Str value, Err *e)
{
    uint64_t tokens = WIRE_THINKING_MIN;
    if (w->dialect != &dialect_anthropic ||
        (!str_eq(value, S("adaptive")) && !str_to_u64(value, UINT32_MAX, &tokens)))
        return err_set(e, JOT_INVALID,
                       "'thinking' is 'adaptive' or a number of tokens, and for anthropic: only");
    if (tokens < WIRE_THINKING_MIN)
        return err_set(
            e, JOT_INVALID,
            "thinking=%ju is too little: at least %d tokens, 'adaptive', or leave it out",
            (uintmax_t)tokens, WIRE_THINKING_MIN);
    w->thinking = value;
    return JOT_OK;
}

static jot_status read_cache(Wire *w, Str value, Err *e)
{
    static const char *const words[] = { "5m", "1h", "no" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq(value, str(words[i]))) {
            w->cache = (WireCache)i;
            return JOT_OK;
        }
    return err_set(e, JOT_INVALID, "'cache' of a model is 5m, 1h or no");
}

static jot_status read_strict(Wire *w, Str key, Str value, Err *e)
{
    bool on = false;
    TRY(read_flag(key, value, &on, e));
    w->base.strict = !on                                ? SCHEMA_LOOSE
                     : w->dialect == &dialect_anthropic ? SCHEMA_CLOSED
                                                        : SCHEMA_COMPLETE;
    return JOT_OK;
}

/* Which of OpenAI's two ways of asking. */
static jot_status read_api(Wire *w, Str value, Err *e)
{
    bool own = w->dialect->base, responses = str_eq(value, S("responses"));
    if (!responses && !str_eq(value, S("chat")))
        return err_set(e, JOT_INVALID, "'api' of a model is chat or responses");
    if (responses)
        w->dialect = own ? &dialect_responses : &dialect_compatible_responses;
    return JOT_OK;
}

static jot_status read_reasoning(Wire *w, Str key, Str value, Err *e)
{
    bool back = true;
    TRY(read_flag(key, value, &back, e));
    w->no_reasoning = !back;
    return JOT_OK;
}

typedef struct Server {
    Str base;
    const char *key_file;
    bool plain_http;
} Server;

static jot_status read_params(Wire *w, const LlmAddress *a, Server *p, Err *e)
{
    Shown shown;
    Arena *arena = &w->base.arena;
    Str key, value;
    for (size_t at = 0; url_next_param(&a->url, &at, arena, &key, &value);) {
        if (str_eq(key, S("base")) && w->dialect->base)
            p->base = value;
        else if (str_eq(key, S("key_file")))
            p->key_file = arena_cstr(arena, value);
        else if (str_eq(key, S("ca")))
            w->ca_file = arena_cstr(arena, value);
        else if (str_eq(key, S("plain_http")))
            TRY(read_flag(key, value, &p->plain_http, e));
        else if (str_eq(key, S("thinking")))
            TRY(read_thinking(w, value, e));
        else if (str_eq(key, S("effort")))
            TRY(read_effort(w, value, e));
        else if (str_eq(key, S("strict")))
            TRY(read_strict(w, key, value, e));
        else if (str_eq(key, S("cache")) && w->dialect == &dialect_anthropic)
            TRY(read_cache(w, value, e));
        else if (str_eq(key, S("api")) && w->dialect != &dialect_anthropic)
            TRY(read_api(w, value, e));
        else if (str_eq(key, S("reasoning")) && w->dialect != &dialect_anthropic)
            TRY(read_reasoning(w, key, value, e));
        else if (!str_eq(key, S("window")))
            return err_set(
                e, JOT_INVALID,
                "unknown setting '%s' of a model: use window, effort, strict, key_file, ca, "
                "plain_http%s%s",
                err_show(&shown, key), w->dialect->base ? ", base" : "",
                w->dialect == &dialect_anthropic ? ", thinking, cache" : ", reasoning, api");
    }
    return JOT_OK;
}

static jot_status check_place(const Url *u, bool plain_http, Err *e)
{
    bool web = str_eq(u->scheme, S("https")) || str_eq(u->scheme, S("http"));
    if (!web || !u->authority || u->host.n == 0)
        return err_set(e, JOT_INVALID,
                       "the address of a model is https://HOST/PATH or http://HOST/PATH");
    if (u->user.n || u->password.n)
        return err_set(e, JOT_INVALID,
                       "an address holds no key: set JOTTER_API_KEY, or use key_file");
    return plain_http ? JOT_OK : http_check_private(u, e);
}

static jot_status open_into(Wire *w, const LlmAddress *a, Err *e)
{
    Arena *arena = &w->base.arena;
    Server p = { .key_file = a->key_file, .plain_http = a->plain_http };
    if (a->effort)
        TRY(read_effort(w, str(a->effort), e));
    TRY(read_params(w, a, &p, e));
    const Dialect *d = w->dialect;
    const char *elsewhere = d->base_env ? getenv(d->base_env) : NULL;
    Str model = d->base ? a->url.path : a->fragment;
    Url url = a->url;
    if (d->base) {
        if (p.base.n == 0)
            p.base = elsewhere && *elsewhere ? str(elsewhere) : str(d->base);
        TRY(url_parse(p.base, arena, &url, e));
    }
    TRY(check_place(&url, p.plain_http, e));
    if (model.n == 0)
        return err_set(e, JOT_INVALID, "an address names its model: %s",
                       d->base ? "anthropic:MODEL or openai:MODEL" : "http://HOST/v1#MODEL");
    w->base.model = arena_copy(arena, model);
    TRY(model_find(a->io, w->base.model, arena, &w->base.known, e));
    TRY(settle_effort(w, e));
    find_limits(w);
    w->base_url = url_base(&url, arena);
    w->elsewhere = !d->base || !str_eq(w->base_url, str(d->base));
    /* Servers that only speak like OpenAI may read something into their ids, as Kimi's do. */
    w->base.any_id = d != &dialect_anthropic && w->elsewhere;
    w->url = arena_cstr(arena, arena_printf(arena, STR_FMT "%s", STR_ARG(w->base_url), d->path));
    if (a->silent)
        return JOT_OK;
    return wire_key(w, p.key_file, !d->base || http_host_is_here(url.host), e);
}

jot_status wire_open(const Dialect *dialect, const LlmAddress *a, Llm **out, Err *e)
{
    Wire *w = mem_alloc(sizeof *w);
    w->dialect = dialect;
    w->http = http_client_new(a->io);
    jot_status st = open_into(w, a, e);
    if (st == JOT_OK)
        *out = &w->base;
    else
        wire_close(&w->base);
    return st;
}

void wire_close(Llm *llm)
{
    Wire *w = (Wire *)llm;
    if (w->key.n)
        explicit_bzero(w->key.p, w->key.n);
    if (w->bearer.n)
        explicit_bzero(w->bearer.p, w->bearer.n);
    buf_free(&w->key);
    buf_free(&w->bearer);
    http_client_free(w->http);
    arena_free(&w->base.arena);
    free(w);
}
