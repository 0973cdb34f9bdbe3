/* curl.h - libcurl, through one table.
 *
 * libcurl brings two dozen libraries along.  Linked in, every start of the
 * program would load them all; so it is opened by the first HTTP request. */
#ifndef NET_CURL_H
#define NET_CURL_H

#include <curl/curl.h>

#include "base/err.h"

typedef struct Curl {
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    const char *(*easy_strerror)(CURLcode);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    time_t (*getdate)(const char *, const time_t *);
} Curl;

/* The table, filled once in the life of the process.  JOT_UNSUPPORTED if the library is not
 * installed or lacks one of them. */
MUST_USE jot_status curl_open(const Curl **out, Err *e);

#endif
