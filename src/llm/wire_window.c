/* wire_window.c - asking a server how long its model's context is.
 *
 * The window of a model at an address of the user's is not known, so the server is asked for its
 * list of models.  Many servers have the window in it, each by a name of its own:
 *
 *     max_model_len        vLLM, SGLang
 *     context_length       OpenRouter, Together, LM Studio's newer ones
 *     context_window       Groq
 *     max_context_length   Mistral
 *
 * llama.cpp's list has the window the model was trained with, not the one it is served with; that
 * is in /props.  Ollama has it in /api/ps, for models that are loaded: of others it does not know
 * yet what it will give them (docs/models.md).
 *
 * Nothing depends on the answer but the size of the budget, so it is waited for two seconds and
 * no longer. */
#include <string.h>

#include "llm/wire.h"

enum {
    WINDOW_WAIT_MS = 2000,
    WINDOW_ANSWER_MAX = 8 * 1024 * 1024,
    WINDOW_MIN = 512, /* less is no window */
};

static const char *const members[] = { "max_model_len", "context_length", "context_window",
                                       "max_context_length" };

static jot_status collect(void *ctx, Str bytes, Err *e)
{
    (void)e;
    buf_add(ctx, bytes);
    return JOT_OK;
}

/* What is at an address, as JSON; NULL: nothing of use.  The caller owns it. */
static json_t *fetch(Wire *w, const char *url)
{
    AUTO(Buf) body = { .max = WINDOW_ANSWER_MAX };
    AUTO(HttpAnswer) answer = { 0 };
    HttpField headers[WIRE_HEADERS + 1] = { { "user-agent", S("jotter/" JOT_VERSION) } };
    HttpCall call = { .method = "GET",
                      .url = url,
                      .headers = headers,
                      .n_headers = 1 + w->dialect->headers(w, headers + 1),
                      .ca_file = w->ca_file,
                      .connect_ms = WINDOW_WAIT_MS,
                      .idle_ms = WINDOW_WAIT_MS,
                      .answer_max = WINDOW_ANSWER_MAX,
                      .on_body = collect,
                      .ctx = &body };
    json_t *value = NULL;
    if (http_send(w->http, &call, &answer, NULL) != JOT_OK || answer.status != 200 ||
        json_read(buf_str(&body), &value, NULL) != JOT_OK)
        return NULL;
    return value;
}

static uint64_t window_in(const json_t *object, const char *member)
{
    const json_t *n = json_object_get(object, member);
    return json_is_integer(n) && json_integer_value(n) >= WINDOW_MIN
               ? (uint64_t)json_integer_value(n)
               : 0;
}

/* Servers of one model answer to any name. */
static const json_t *find_model(const json_t *list, Str model)
{
    const json_t *all = json_object_get(list, "data");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (str_eq(json_member(json_array_get(all, i), "id"), model))
            return json_array_get(all, i);
    return json_array_size(all) == 1 ? json_array_get(all, 0) : NULL;
}

/* Of Ollama's models that are loaded. */
static uint64_t loaded_window(const json_t *list, Str model)
{
    const json_t *all = json_object_get(list, "models");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (str_eq(json_member(json_array_get(all, i), "name"), model))
            return window_in(json_array_get(all, i), "context_length");
    return 0;
}

uint64_t wire_find_window(Wire *w)
{
    Arena *arena = &w->base.arena;
    Str base = w->base_url;
    AUTO_PTR(json_t)
    list = fetch(w, arena_cstr(arena, arena_printf(arena, STR_FMT "/models", STR_ARG(base))));
    const json_t *model = find_model(list, w->base.model);
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (window_in(model, members[i]))
            return window_in(model, members[i]);
    if (str_ends(base, S("/v1")))
        base.n -= 3;
    if (str_eq(json_member(model, "owned_by"), S("library"))) {
        AUTO_PTR(json_t)
        loaded = fetch(w, arena_cstr(arena, arena_printf(arena, STR_FMT "/api/ps", STR_ARG(base))));
        return loaded_window(loaded, w->base.model);
    }
    if (!str_eq(json_member(model, "owned_by"), S("llamacpp")))
        return 0;
    AUTO_PTR(json_t)
    props = fetch(w, arena_cstr(arena, arena_printf(arena, STR_FMT "/props", STR_ARG(base))));
    return window_in(json_object_get(props, "default_generation_settings"), "n_ctx");
}
