/* event.c - opening libevent. */
#include "net/event.h"

#include "base/library.h"

static EventLibrary table;

#define NEED(function)                                               \
    {                                                                \
#function, (void *)&table.function, LIBRARY_LINKED(function) \
    }

static const LibraryFunction functions[] = {
    NEED(event_base_new),
    NEED(event_base_dispatch),
    NEED(event_base_loopbreak),
    NEED(event_base_free),
    NEED(event_new),
    NEED(event_add),
    NEED(event_del),
    NEED(event_free),
    NEED(evconnlistener_new),
    NEED(evconnlistener_free),
    NEED(evconnlistener_set_error_cb),
    NEED(bufferevent_socket_new),
    NEED(bufferevent_free),
    NEED(bufferevent_setcb),
    NEED(bufferevent_enable),
    NEED(bufferevent_set_timeouts),
    NEED(bufferevent_setwatermark),
    NEED(bufferevent_read),
    NEED(bufferevent_write),
    NEED(bufferevent_get_input),
    NEED(bufferevent_get_output),
    NEED(evbuffer_get_length),
};

static Library library = {
    .use = "a server",
    .package = "libevent-core-2.1-7",
    .names = { "libevent_core-2.1.so.7", "libevent-2.1.so.7", "libevent_core.so", "libevent.so" },
    .functions = functions,
    .count = COUNT_OF(functions),
};

jot_status event_library(const EventLibrary **out, Err *e)
{
    TRY(library_open(&library, e));
    *out = &table;
    return JOT_OK;
}
