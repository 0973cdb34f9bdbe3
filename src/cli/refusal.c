/* refusal.c - failures that carry more than a sentence; options with more than one value. */
#include "cli/refusal.h"

#include <string.h>

jot_status tell_with(Session *s, jot_status st, const char *key, json_t *more)
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

jot_status opt_range(Session *s, const char *name, uint64_t *from, uint64_t *count)
{
    Shown shown;
    Str first, rest = str(opt_text(s, name));
    *count = 0;
    bool both = str_cut(&rest, ':', &first);
    bool good = str_to_u64(both ? first : rest, INT64_MAX, from) &&
                (!both || (str_to_u64(rest, INT64_MAX, count) && *count));
    return good ? JOT_OK
                : err_set(&s->err, JOT_INVALID, "--%s '%s': use FROM or FROM:COUNT", name,
                          err_show(&shown, str(opt_text(s, name))));
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
