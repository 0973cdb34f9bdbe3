/* curl.c - opening libcurl. */
#include "net/curl.h"

#include <pthread.h>

#include "base/library.h"

static Curl table;
static CURLcode (*global_init)(long);
static CURLcode begun;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* It is never linked: with all that it needs it is larger than the program. */
#define NEED(function)                                   \
    {                                                    \
        "curl_" #function, (void *)&table.function, NULL \
    }

static const LibraryFunction functions[] = {
    { "curl_global_init", (void *)&global_init, NULL },
    NEED(easy_init),
    NEED(easy_cleanup),
    NEED(easy_reset),
    NEED(easy_setopt),
    NEED(easy_strerror),
    NEED(multi_init),
    NEED(multi_cleanup),
    NEED(multi_add_handle),
    NEED(multi_remove_handle),
    NEED(multi_perform),
    NEED(multi_poll),
    NEED(multi_info_read),
    NEED(slist_append),
    NEED(slist_free_all),
    NEED(getdate),
};

/* All flavours have the same interface; some systems have only the second or third. */
static Library library = {
    .use = "HTTP",
    .package = "libcurl4",
    .names = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4", "libcurl.so" },
    .functions = functions,
    .count = COUNT_OF(functions),
};

static void begin(void)
{
    begun = global_init(CURL_GLOBAL_DEFAULT);
}

jot_status curl_open(const Curl **out, Err *e)
{
    TRY(library_open(&library, e));
    pthread_once(&once, begin);
    if (begun != CURLE_OK)
        return err_set(e, JOT_UNSUPPORTED, "HTTP needs a working libcurl: %s",
                       table.easy_strerror(begun));
    *out = &table;
    return JOT_OK;
}
