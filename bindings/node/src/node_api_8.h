/* node_api_8.h - what the addon uses of Node-API 8.
 *
 * Node-API is Node's stable ABI: a declaration that was right in Node 18 is right in every later
 * one. So these few are written down here, and building needs neither Node nor its headers, which
 * on Debian bring along a second copy of the whole of Node.  With JOT_NODE_HEADERS the official
 * header is used instead: a test compiles the addon so, and a type that differs would be a warning
 * there. */
#ifndef JOT_NODE_API_8_H
#define JOT_NODE_API_8_H

#ifdef JOT_NODE_HEADERS
#define NAPI_VERSION 8
#include <node_api.h>
#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_ref__ *napi_ref;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_async_work__ *napi_async_work;

typedef enum { napi_ok, napi_invalid_arg } napi_status; /* the others are only "not ok" here */
typedef enum { napi_default = 0 } napi_property_attributes;
typedef enum {
    napi_undefined,
    napi_null,
    napi_boolean,
    napi_number,
    napi_string,
    napi_symbol,
    napi_object,
    napi_function,
    napi_external,
    napi_bigint
} napi_valuetype;

typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
typedef void (*napi_async_execute_callback)(napi_env env, void *data);
typedef void (*napi_async_complete_callback)(napi_env env, napi_status status, void *data);

typedef struct {
    uint64_t lower;
    uint64_t upper;
} napi_type_tag;

typedef struct {
    const char *utf8name;
    napi_value name;
    napi_callback method;
    napi_callback getter;
    napi_callback setter;
    napi_value value;
    napi_property_attributes attributes;
    void *data;
} napi_property_descriptor;

napi_status napi_check_object_type_tag(napi_env env, napi_value object, const napi_type_tag *tag,
                                       bool *result);
napi_status napi_create_array_with_length(napi_env env, size_t length, napi_value *result);
napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name,
                                   napi_async_execute_callback execute,
                                   napi_async_complete_callback complete, void *data,
                                   napi_async_work *result);
napi_status napi_create_buffer_copy(napi_env env, size_t length, const void *data, void **copy,
                                    napi_value *result);
napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_object(napi_env env, napi_value *result);
napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length,
                                    napi_value *result);
napi_status napi_define_properties(napi_env env, napi_value object, size_t count,
                                   const napi_property_descriptor *properties);
napi_status napi_delete_async_work(napi_env env, napi_async_work work);
napi_status napi_get_boolean(napi_env env, bool value, napi_value *result);
napi_status napi_get_buffer_info(napi_env env, napi_value value, void **data, size_t *length);
napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count,
                             napi_value *arguments, napi_value *self, void **data);
napi_status napi_get_named_property(napi_env env, napi_value object, const char *name,
                                    napi_value *result);
napi_status napi_get_null(napi_env env, napi_value *result);
napi_status napi_get_value_bool(napi_env env, napi_value value, bool *result);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *room, size_t size,
                                       size_t *result);
napi_status napi_is_buffer(napi_env env, napi_value value, bool *result);
napi_status napi_queue_async_work(napi_env env, napi_async_work work);
napi_status napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_set_element(napi_env env, napi_value object, uint32_t index, napi_value value);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name,
                                    napi_value value);
napi_status napi_throw_type_error(napi_env env, const char *code, const char *message);
napi_status napi_type_tag_object(napi_env env, napi_value object, const napi_type_tag *tag);
napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *result);
napi_status napi_unwrap(napi_env env, napi_value object, void **result);
napi_status napi_wrap(napi_env env, napi_value object, void *native, napi_finalize finalize,
                      void *hint, napi_ref *result);

#endif
#endif
