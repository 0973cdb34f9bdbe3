/* when.c - reading moments. */
#include "cli/when.h"

#include "base/time.h"

/* 2026-01-31, 2026-01-31T18:45:00Z, or how long ago: 30m, 12h, 7d, 2w. */
static bool read_time(Session *s, Str text, bool end_of_day, int64_t *out)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {
        { 'm', 60000 },
        { 'h', 3600000 },
        { 'd', 86400000 },
        { 'w', 604800000 },
    };
    int64_t n;
    Str day = arena_printf(&s->arena, STR_FMT "T%sZ", STR_ARG(text),
                           end_of_day ? "23:59:59.999" : "00:00:00.000");
    if (time_parse(text, out) || time_parse(day, out))
        return true;
    for (size_t i = 0; text.n && i < COUNT_OF(units); i++)
        if (text.p[text.n - 1] == units[i].unit &&
            str_to_i64(str_slice(text, 0, text.n - 1), 0, 100000, &n)) {
            *out = io_wall_ms(&io_system) - n * units[i].ms;
            return true;
        }
    return false;
}

jot_status opt_time(Session *s, const char *name, bool end_of_day, int64_t *out)
{
    const char *text = opt_text(s, name);
    Shown shown;
    *out = 0;
    if (!text || read_time(s, str(text), end_of_day, out))
        return JOT_OK;
    return err_set(
        &s->err, JOT_INVALID,
        "--%s '%s': use 2026-01-31, 2026-01-31T18:45:00Z, or how long ago: 30m, 12h, 7d, "
        "2w",
        name, err_show(&shown, str(text)));
}
