/* other.c - an addon that looks like Jotter's, of a version there is not yet. */
#include "node_api_8.h"

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env,
                                                                          napi_value exports);

static napi_value call(napi_env env, napi_callback_info info)
{
    return NULL;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    const napi_property_descriptor member = { .utf8name = "call", .method = call };
    napi_value version = NULL;
    napi_create_string_utf8(env, "99.0.0", 6, &version);
    napi_define_properties(env, exports, 1, &member);
    napi_set_named_property(env, exports, "version", version);
    return exports;
}
