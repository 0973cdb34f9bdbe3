/* event.h - libevent, through one table.
 *
 * Linked in it would be paid for at every start of the program; it is opened when the
 * first server starts.  Only its core is used, by one thread. */
#ifndef NET_EVENT_H
#define NET_EVENT_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include "base/err.h"

typedef struct EventLibrary {
    __typeof__(event_base_new) *event_base_new;
    __typeof__(event_base_dispatch) *event_base_dispatch;
    __typeof__(event_base_loopbreak) *event_base_loopbreak;
    __typeof__(event_base_free) *event_base_free;
    __typeof__(event_new) *event_new;
    __typeof__(event_add) *event_add;
    __typeof__(event_del) *event_del;
    __typeof__(event_free) *event_free;
    __typeof__(evconnlistener_new) *evconnlistener_new;
    __typeof__(evconnlistener_free) *evconnlistener_free;
    __typeof__(evconnlistener_set_error_cb) *evconnlistener_set_error_cb;
    __typeof__(bufferevent_socket_new) *bufferevent_socket_new;
    __typeof__(bufferevent_free) *bufferevent_free;
    __typeof__(bufferevent_setcb) *bufferevent_setcb;
    __typeof__(bufferevent_enable) *bufferevent_enable;
    __typeof__(bufferevent_set_timeouts) *bufferevent_set_timeouts;
    __typeof__(bufferevent_setwatermark) *bufferevent_setwatermark;
    __typeof__(bufferevent_read) *bufferevent_read;
    __typeof__(bufferevent_write) *bufferevent_write;
    __typeof__(bufferevent_get_input) *bufferevent_get_input;
    __typeof__(bufferevent_get_output) *bufferevent_get_output;
    __typeof__(evbuffer_get_length) *evbuffer_get_length;
} EventLibrary;

/* JOT_UNSUPPORTED if it is not installed.  For one thread. */
MUST_USE jot_status event_library(const EventLibrary **out, Err *e);

#endif
