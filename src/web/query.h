/* query.h - the parameters of an address, checked by nobody yet, as the arguments of a verb.
 *
 * As a form sends them: NAME=VALUE with '&' between, percent escapes, '+' for a space.  What type a
 * value has follows from the verb's table; an array is a name that is repeated. */
#ifndef WEB_QUERY_H
#define WEB_QUERY_H

#include "tool/verb.h"

enum { QUERY_PARAMS_MAX = 1000 };

/* Add the parameters to an object; one that the table does not know is added as text, for the check
 * of the arguments to refuse.  `but` is left out.  JOT_INVALID: an escape that is none, a text that
 * is no UTF-8, a name that stands twice and is no array's, or a value of another type. */
MUST_USE jot_status query_args(Str query, const Param *params, const char *but, json_t *to, Err *e);

/* The value of one parameter, in `into`; empty if it is not there, or not well written. */
Str query_value(Str query, const char *wanted, Arena *into);

#endif
