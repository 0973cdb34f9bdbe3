/* addon.c - libjotter for Node, by Node-API 8.
 *
 * It has three functions for pads: handle() makes a jot_pad, call(handle, name, ...arguments) calls
 * a function of jotter.h on it, close(handle) frees it.  Both return a promise of [status,
 * sentence, result].  Two need no pad and answer at once: tokens(buffer), prompt(brief).  What a
 * pad is to a program, with its queue, its classes and its errors, is in lib/, in JavaScript.
 *
 *     main thread                      a thread of Node's pool
 *     call: copy the arguments  ───►   the function of jotter.h
 *     complete: copy the result ◄───   (it may take as long as it likes)
 *
 * A handle is busy from call to complete, and refuses other calls meanwhile: that is rule 7 of
 * jotter.h and keeps what the result points to.  Everything but the function itself happens on the
 * thread that made the handle, so nothing here needs a lock, in worker threads neither.  A handle
 * that is collected while it is busy (a worker that is stopped) is freed when its call has
 * returned. */
#include "addon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node_api_8.h"
#include "table.h"

enum { OWNED_MAX = 32 };
static const double LARGEST = 9007199254740991.0; /* Number.MAX_SAFE_INTEGER */

typedef struct Handle {
    jot_pad *pad;
    bool busy;
    bool collected;
} Handle;

typedef struct Work {
    Handle *handle;
    const Function *function; /* NULL: close */
    Value values[ARGUMENTS_MAX];
    void *owned[OWNED_MAX];
    size_t owned_count;
    Out out;
    jot_status status;
    napi_async_work work;
    napi_deferred deferred;
} Work;

static const napi_type_tag HANDLE_TAG = { 0x6a6f747465722d68, 0x616e646c65000001 };

static napi_value refuse(napi_env env, const char *why)
{
    napi_throw_type_error(env, NULL, why);
    return NULL;
}

/* --- Arguments --------------------------------------------------------------------------- */

static void free_work(Work *w)
{
    for (size_t i = 0; i < w->owned_count; i++)
        free(w->owned[i]);
    free(w);
}

/* Zeroed memory that lasts as long as the call; NULL if there is none. */
static void *own(Work *w, size_t size)
{
    if (w->owned_count == OWNED_MAX)
        return NULL;
    void *p = calloc(1, size ? size : 1);
    if (p)
        w->owned[w->owned_count++] = p;
    return p;
}

static bool is_absent(napi_env env, napi_value v)
{
    napi_valuetype type = napi_symbol;
    napi_typeof(env, v, &type);
    return type == napi_undefined || type == napi_null;
}

static bool take_string(napi_env env, Work *w, napi_value v, const char **to)
{
    size_t size;
    if (napi_get_value_string_utf8(env, v, NULL, 0, &size) != napi_ok)
        return false;
    char *copy = own(w, size + 1);
    if (!copy || napi_get_value_string_utf8(env, v, copy, size + 1, &size) != napi_ok)
        return false;
    *to = copy;
    return strlen(copy) == size;
}

static bool take_text(napi_env env, Work *w, napi_value v, jot_text *to)
{
    bool is = false;
    void *data = NULL;
    size_t size = 0;
    if (napi_is_buffer(env, v, &is) != napi_ok || !is ||
        napi_get_buffer_info(env, v, &data, &size) != napi_ok)
        return false;
    char *copy = own(w, size);
    if (copy && size > 0 && data)
        memcpy(copy, data, size);
    *to = (jot_text){ copy, size };
    return copy && (data || size == 0);
}

static bool take_number(napi_env env, napi_value v, Kind kind, uint64_t *to)
{
    double d;
    if (napi_get_value_double(env, v, &d) != napi_ok || !(fabs(d) <= LARGEST) || trunc(d) != d)
        return false;
    if (kind != KIND_SIGNED && d < 0)
        return false;
    *to = (uint64_t)(int64_t)d;
    return true;
}

static bool take_options(napi_env env, Work *w, napi_value v, const Shape *shape, const void **to);

/* What is undefined or null stays zero. */
static bool take(napi_env env, Work *w, napi_value v, Argument as, Value *to)
{
    if (is_absent(env, v))
        return as.kind != KIND_TEXT;
    switch (as.kind) {
    case KIND_STRING:
        return take_string(env, w, v, &to->string);
    case KIND_TEXT:
        return take_text(env, w, v, &to->text);
    case KIND_SIZE:
    case KIND_UNSIGNED:
    case KIND_SIGNED:
        return take_number(env, v, as.kind, &to->number);
    case KIND_BOOL:
        return napi_get_value_bool(env, v, &to->truth) == napi_ok;
    case KIND_STRUCT:
        return as.shape && take_options(env, w, v, as.shape, &to->options);
    case KIND_DOUBLE:
    case KIND_LIST:
    case KIND_STRINGS:
        break;
    }
    return false;
}

static void store(char *at, Kind kind, Value v)
{
    size_t size = (size_t)v.number;
    if (kind == KIND_STRING)
        memcpy(at, &v.string, sizeof(v.string));
    else if (kind == KIND_TEXT)
        memcpy(at, &v.text, sizeof(v.text));
    else if (kind == KIND_BOOL)
        memcpy(at, &v.truth, sizeof(v.truth));
    else if (kind == KIND_SIZE)
        memcpy(at, &size, sizeof(size));
    else
        memcpy(at, &v.number, sizeof(v.number));
}

/* An object as a struct of options, whose first member is its size. */
static bool take_options(napi_env env, Work *w, napi_value v, const Shape *shape, const void **to)
{
    char *made = own(w, shape->size);
    if (!made)
        return false;
    memcpy(made, &shape->size, sizeof(shape->size));
    for (size_t i = 1; i < shape->count; i++) {
        const Member *m = &shape->members[i];
        napi_value member;
        Value value = { 0 };
        if (napi_get_named_property(env, v, m->name, &member) != napi_ok)
            return false;
        if (is_absent(env, member))
            continue;
        if (!take(env, w, member, (Argument){ m->kind, NULL }, &value))
            return false;
        store(made + m->offset, m->kind, value);
    }
    *to = made;
    return true;
}

/* --- Results ----------------------------------------------------------------------------- */

static napi_value make_object(napi_env env, const Shape *shape, const void *start);

static napi_value make_string(napi_env env, const char *text)
{
    napi_value v = NULL;
    napi_create_string_utf8(env, text ? text : "", text ? strlen(text) : 0, &v);
    return v;
}

static napi_value make_number(napi_env env, double d)
{
    napi_value v = NULL;
    napi_create_double(env, d, &v);
    return v;
}

static napi_value make_list(napi_env env, const Member *m, const char *from)
{
    const void *const *items;
    size_t count;
    napi_value list = NULL;
    memcpy(&items, from + m->offset, sizeof(items));
    memcpy(&count, from + m->count, sizeof(count));
    napi_create_array_with_length(env, count, &list);
    for (size_t i = 0; i < count; i++)
        napi_set_element(env, list, (uint32_t)i, make_object(env, m->shape, items[i]));
    return list;
}

static napi_value make_strings(napi_env env, const Member *m, const char *from)
{
    const char *const *items;
    size_t count;
    napi_value list = NULL;
    memcpy(&items, from + m->offset, sizeof(items));
    memcpy(&count, from + m->count, sizeof(count));
    napi_create_array_with_length(env, count, &list);
    for (size_t i = 0; i < count; i++)
        napi_set_element(env, list, (uint32_t)i, make_string(env, items[i]));
    return list;
}

static napi_value make_text(napi_env env, jot_text text)
{
    napi_value v = NULL;
    napi_create_buffer_copy(env, text.size, text.data, NULL, &v);
    return v;
}

static napi_value make_bool(napi_env env, bool truth)
{
    napi_value v = NULL;
    napi_get_boolean(env, truth, &v);
    return v;
}

#define AT(type) (*(const type *)(const void *)(from + m->offset))

static napi_value make_member(napi_env env, const Member *m, const char *from)
{
    switch (m->kind) {
    case KIND_STRING:
        return make_string(env, AT(char *));
    case KIND_TEXT:
        return make_text(env, AT(jot_text));
    case KIND_SIZE:
        return make_number(env, (double)AT(size_t));
    case KIND_UNSIGNED:
        return make_number(env, (double)AT(uint64_t));
    case KIND_SIGNED:
        return make_number(env, (double)AT(int64_t));
    case KIND_DOUBLE:
        return make_number(env, AT(double));
    case KIND_BOOL:
        return make_bool(env, AT(bool));
    case KIND_STRUCT:
        return make_object(env, m->shape, AT(void *));
    case KIND_LIST:
        return make_list(env, m, from);
    case KIND_STRINGS:
        return make_strings(env, m, from);
    }
    return NULL;
}

static napi_value make_object(napi_env env, const Shape *shape, const void *start)
{
    const char *from = start;
    napi_value object = NULL;
    if (!from) {
        napi_get_null(env, &object);
        return object;
    }
    napi_create_object(env, &object);
    for (size_t i = 0; i < shape->count; i++)
        napi_set_named_property(env, object, shape->members[i].name,
                                make_member(env, &shape->members[i], from));
    return object;
}

static napi_value make_result(napi_env env, const Function *f, Out out)
{
    napi_value nothing = NULL;
    if (f && f->result == RESULT_NUMBER)
        return make_number(env, (double)out.number);
    if (f && f->result == RESULT_STRING && out.pointer)
        return make_string(env, out.pointer);
    if (f && f->result == RESULT_STRUCT)
        return make_object(env, f->shape, out.pointer);
    napi_get_null(env, &nothing);
    return nothing;
}

/* [status, sentence, result]: a call that failed may have a result too. */
static napi_value make_answer(napi_env env, const Work *w)
{
    napi_value answer = NULL;
    napi_create_array_with_length(env, 3, &answer);
    napi_set_element(env, answer, 0, make_number(env, (double)w->status));
    napi_set_element(env, answer, 1,
                     make_string(env, w->status == JOT_OK ? "" : jot_error(w->handle->pad)));
    napi_set_element(env, answer, 2, make_result(env, w->function, w->out));
    return answer;
}

/* --- Calls ------------------------------------------------------------------------------- */

static void execute(napi_env env, void *data)
{
    Work *w = data;
    if (w->function) {
        w->status = w->function->call(w->handle->pad, w->values, &w->out);
        return;
    }
    jot_free(w->handle->pad);
    w->handle->pad = NULL;
}

static void free_handle(Handle *h)
{
    jot_free(h->pad);
    free(h);
}

/* At the end of a process or a worker nobody can be answered any more: what fails then is no
 * matter. */
static void complete(napi_env env, napi_status status, void *data)
{
    Work *w = data;
    napi_value answer = status == napi_ok ? make_answer(env, w) : NULL, nothing = NULL;
    if (!answer || napi_resolve_deferred(env, w->deferred, answer) != napi_ok) {
        napi_get_null(env, &nothing);
        napi_reject_deferred(env, w->deferred, nothing);
    }
    w->handle->busy = false;
    if (w->handle->collected)
        free_handle(w->handle);
    napi_delete_async_work(env, w->work);
    free_work(w);
}

static napi_value queue(napi_env env, Work *w)
{
    napi_value promise = NULL, name = make_string(env, "jotter");
    if (napi_create_async_work(env, NULL, name, execute, complete, w, &w->work) != napi_ok) {
        free_work(w);
        return refuse(env, "the call could not be queued");
    }
    if (napi_create_promise(env, &w->deferred, &promise) != napi_ok ||
        napi_queue_async_work(env, w->work) != napi_ok) {
        napi_delete_async_work(env, w->work);
        free_work(w);
        return refuse(env, "the call could not be queued");
    }
    w->handle->busy = true;
    return promise;
}

/* The handle an argument is; NULL: it is none, or cannot be used now, and that was thrown. */
static Handle *take_handle(napi_env env, napi_value v)
{
    bool is = false;
    void *found = NULL;
    if (napi_check_object_type_tag(env, v, &HANDLE_TAG, &is) != napi_ok || !is ||
        napi_unwrap(env, v, &found) != napi_ok) {
        refuse(env, "the first argument is no handle");
        return NULL;
    }
    Handle *h = found;
    if (h->busy || !h->pad) {
        refuse(env, h->busy ? "the handle is busy" : "the handle is closed");
        return NULL;
    }
    return h;
}

static const Function *find_function(napi_env env, napi_value v)
{
    char name[64];
    size_t size;
    if (napi_get_value_string_utf8(env, v, name, sizeof(name), &size) != napi_ok)
        return NULL;
    for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++)
        if (strcmp(FUNCTIONS[i].name, name) == 0)
            return &FUNCTIONS[i];
    return NULL;
}

static napi_value call(napi_env env, napi_callback_info info)
{
    napi_value given[2 + ARGUMENTS_MAX];
    size_t count = 2 + ARGUMENTS_MAX;
    napi_get_cb_info(env, info, &count, given, NULL, NULL);
    Handle *h = take_handle(env, given[0]);
    if (!h)
        return NULL;
    const Function *f = find_function(env, given[1]);
    if (!f)
        return refuse(env, "there is no such function");
    Work *w = calloc(1, sizeof(*w));
    if (!w)
        return refuse(env, "there is no memory for the call");
    w->handle = h;
    w->function = f;
    for (size_t i = 0; i < f->count; i++)
        if (!take(env, w, given[2 + i], f->arguments[i], &w->values[i])) {
            free_work(w);
            return refuse(env, "an argument is of the wrong type");
        }
    return queue(env, w);
}

static napi_value close_handle(napi_env env, napi_callback_info info)
{
    napi_value given[1];
    size_t count = 1;
    napi_get_cb_info(env, info, &count, given, NULL, NULL);
    Handle *h = take_handle(env, given[0]);
    Work *w = h ? calloc(1, sizeof(*w)) : NULL;
    if (!w)
        return h ? refuse(env, "there is no memory for the call") : NULL;
    w->handle = h;
    return queue(env, w);
}

static void collect(napi_env env, void *data, void *hint)
{
    Handle *h = data;
    h->collected = true;
    if (!h->busy)
        free_handle(h);
}

static napi_value make_handle(napi_env env, napi_callback_info info)
{
    napi_value object = NULL;
    Handle *h = calloc(1, sizeof(*h));
    if (h)
        h->pad = jot_new();
    if (!h || !h->pad || napi_create_object(env, &object) != napi_ok ||
        napi_type_tag_object(env, object, &HANDLE_TAG) != napi_ok ||
        napi_wrap(env, object, h, collect, NULL, NULL) != napi_ok) {
        if (h)
            free_handle(h);
        return refuse(env, "there is no memory for a pad");
    }
    return object;
}

/* --- What needs no pad ------------------------------------------------------------------- */

static napi_value count_tokens(napi_env env, napi_callback_info info)
{
    napi_value given[1];
    size_t count = 1, size = 0;
    void *data = NULL;
    bool is = false;
    napi_get_cb_info(env, info, &count, given, NULL, NULL);
    if (napi_is_buffer(env, given[0], &is) != napi_ok || !is ||
        napi_get_buffer_info(env, given[0], &data, &size) != napi_ok)
        return refuse(env, "an argument is of the wrong type");
    return make_number(env, (double)jot_tokens((jot_text){ data, data ? size : 0 }));
}

static napi_value give_prompt(napi_env env, napi_callback_info info)
{
    napi_value given[1];
    size_t count = 1;
    bool brief = false;
    napi_get_cb_info(env, info, &count, given, NULL, NULL);
    if (napi_get_value_bool(env, given[0], &brief) != napi_ok)
        return refuse(env, "an argument is of the wrong type");
    return make_string(env, jot_prompt(brief));
}

/* The names Node looks for. */
__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void);
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env,
                                                                          napi_value exports);

int32_t node_api_module_get_api_version_v1(void)
{
    return 8;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    const napi_property_descriptor members[] = {
        { .utf8name = "handle", .method = make_handle },
        { .utf8name = "call", .method = call },
        { .utf8name = "close", .method = close_handle },
        { .utf8name = "tokens", .method = count_tokens },
        { .utf8name = "prompt", .method = give_prompt },
    };
    napi_define_properties(env, exports, sizeof(members) / sizeof(members[0]), members);
    napi_set_named_property(env, exports, "version", make_string(env, jot_version()));
    return exports;
}
