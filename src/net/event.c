/* event.c - opening libevent. */
#include "net/event.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libevent_core-2.1.so.7"

/* ISO C has no cast from an object's pointer to a function's. */
static bool find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

#define FIND(name) find(library, #name, &table.name)

jot_status event_library(const EventLibrary **out, Err *e)
{
    static EventLibrary table;
    static bool good;
    void *library = good ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library)
        good = FIND(event_base_new) && FIND(event_base_dispatch) && FIND(event_base_loopbreak) &&
               FIND(event_base_free) && FIND(event_new) && FIND(event_add) && FIND(event_del) &&
               FIND(event_free) && FIND(evconnlistener_new) && FIND(evconnlistener_free) &&
               FIND(evconnlistener_set_error_cb) && FIND(bufferevent_socket_new) &&
               FIND(bufferevent_free) && FIND(bufferevent_setcb) && FIND(bufferevent_enable) &&
               FIND(bufferevent_set_timeouts) && FIND(bufferevent_setwatermark) &&
               FIND(bufferevent_read) && FIND(bufferevent_write) && FIND(bufferevent_get_input) &&
               FIND(bufferevent_get_output) && FIND(evbuffer_get_length);
    if (!good)
        return err_set(e, JOT_UNSUPPORTED, "a server needs %s: install libevent-core-2.1-7",
                       LIBRARY);
    *out = &table;
    return JOT_OK;
}
