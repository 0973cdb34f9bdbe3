/* refusal.c - failures that carry more than a sentence; options with more than one value. */
#include "cli/refusal.h"

#include <string.h>

jot_status refuse_with(Session *s, jot_status st, const char *key, json_t *more)
{
    if (!s->json || !more) {
        json_decref(more);
        return st;
    }
    json_t *out = json_pack("{s:s, s:o, s:b}", "status", status_info(st)->name, "error",
                            json_text(str(s->err.text)), "retry", status_info(st)->retry);
    json_object_set_new(out, key, more);
    print_json(out);
    s->told = true;
    return st;
}

size_t opt_all(Session *s, const char *name, Str **out)
{
    size_t n = 0;
    *out = NEW_ARRAY(&s->arena, Str, OPTS_MAX);
    for (size_t i = 0; i < s->given_n; i++)
        if (strcmp(s->given[i].name, name) == 0)
            (*out)[n++] = str(s->given[i].value);
    return n;
}
