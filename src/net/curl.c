/* curl.c - opening libcurl. */
#include "net/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static Curl table;
static const char *missing = "libcurl"; /* NULL once the table is full */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Both flavours have the same interface; the second is all that some systems have. */
static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static void open_library(void)
{
    void *library = NULL;
    for (size_t i = 0; i < COUNT_OF(libraries) && !library; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    CURLcode (*global_init)(long) = NULL;
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        { "curl_global_init", &global_init },
        { "curl_easy_init", &table.easy_init },
        { "curl_easy_cleanup", &table.easy_cleanup },
        { "curl_easy_reset", &table.easy_reset },
        { "curl_easy_setopt", &table.easy_setopt },
        { "curl_easy_strerror", &table.easy_strerror },
        { "curl_multi_init", &table.multi_init },
        { "curl_multi_cleanup", &table.multi_cleanup },
        { "curl_multi_add_handle", &table.multi_add_handle },
        { "curl_multi_remove_handle", &table.multi_remove_handle },
        { "curl_multi_perform", &table.multi_perform },
        { "curl_multi_poll", &table.multi_poll },
        { "curl_multi_info_read", &table.multi_info_read },
        { "curl_slist_append", &table.slist_append },
        { "curl_slist_free_all", &table.slist_free_all },
        { "curl_getdate", &table.getdate },
    };
    for (size_t i = 0; i < COUNT_OF(symbols); i++) {
        void *found = dlsym(library, symbols[i].name);
        missing = symbols[i].name;
        if (!found)
            return;
        /* ISO C has no cast from an object's pointer to a function's. */
        memcpy(symbols[i].to, &found, sizeof found);
    }
    missing = global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "a working libcurl";
    /* It stays open: libraries below it register handlers that run when the process ends. */
}

jot_status curl_open(const Curl **out, Err *e)
{
    pthread_once(&once, open_library);
    if (missing)
        return err_set(
            e, JOT_UNSUPPORTED,
            "HTTP needs libcurl 7.66 or newer, and '%s' is missing here: install libcurl4",
            missing);
    *out = &table;
    return JOT_OK;
}
