/* name.c - what a stream may be called, and what kind of stream that makes it.
 *
 * Names are bytes: they are accepted as they are or refused with a sentence,
 * never folded, normalised or rewritten.  A name that passes here can be a path
 * on every engine: no segment is empty, begins with '.' or holds a control
 * character, and none is too long for a file name with a suffix. */
#include <assert.h>

#include "base/utf8.h"
#include "store/engine.h"

/* The last row stands for every other kind.  The engines and the format know notes in folders and
 * with any letters, and notes that end in .md; as long as no door offers them, a note's name is one
 * key (docs/format.md, Names). */
static const StoreKind kinds[] = {
    { .name = "notes", .flat = true, .key = true, .document = true, .tail = ".txt", .own = ".md" },
    { .name = "memories", .document = true, .tail = "" },
    { .name = "artifacts", .document = true, .tail = ".json" },
    { .name = "cycles", .flat = true, .key = true, .document = true, .tail = ".yaml" },
    { .name = "snapshots", .pair = true, .document = true, .tail = ".yaml" },
    { .name = "shared", .document = true, .tail = ".json" },
    { .name = "runs", .flat = true },
    { .name = "leases", .flat = true },
    { .name = "tasks", .flat = true, .mirrored = true },
    { .name = "logs", .mirrored = true },
    { .name = "plans", .flat = true },
    { .name = "" },
};

static Str first_segment(Str name)
{
    return str_slice(name, 0, str_find(name, '/'));
}

const StoreKind *store_kind(Str stream)
{
    Str first = first_segment(stream);
    size_t last = COUNT_OF(kinds) - 1;
    for (size_t i = 0; i < last; i++)
        if (str_eq(first, str(kinds[i].name)))
            return &kinds[i];
    return &kinds[last];
}

static bool key_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool all_key_chars(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!key_char(s.p[i]))
            return false;
    return true;
}

static bool kind_char(char c)
{
    return key_char(c) && !(c >= 'A' && c <= 'Z');
}

static jot_status check_kind(Str kind, Err *e)
{
    bool good = kind.n > 0 && kind.p[0] >= 'a' && kind.p[0] <= 'z';
    for (size_t i = 0; good && i < kind.n; i++)
        good = kind_char(kind.p[i]);
    Shown shown;
    return good ? JOT_OK
                : err_set(e, JOT_INVALID,
                          "invalid kind '%s': a stream's name begins with [a-z][a-z0-9_-]*/",
                          err_show(&shown, kind));
}

/* One segment; `open_ended` if more bytes may follow, as at the end of a prefix. */
static jot_status check_segment(Str seg, bool open_ended, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, seg);
    if (seg.n == 0 && !open_ended)
        return err_set(e, JOT_INVALID, "a segment of a name cannot be empty");
    if (seg.n > STORE_SEGMENT_MAX)
        return err_set(e, JOT_INVALID, "invalid segment '%s': use at most %d bytes", name,
                       STORE_SEGMENT_MAX);
    if (seg.n && seg.p[0] == '.')
        return err_set(e, JOT_INVALID, "invalid segment '%s': it cannot begin with '.'", name);
    if (!open_ended && (seg.p[seg.n - 1] == '.' || seg.p[seg.n - 1] == ' '))
        return err_set(e, JOT_INVALID, "invalid segment '%s': it cannot end in '.' or a space",
                       name);
    return JOT_OK;
}

/* True if more bytes could make a character of `s`, as at the end of a prefix.  Which bytes may
 * follow depends on the first, but the lowest or the highest continuation always may. */
static bool begins_character(Str s)
{
    char lowest[4], highest[4];
    memset(lowest, '\x80', sizeof lowest);
    memset(highest, '\xBF', sizeof highest);
    for (size_t i = 0; i < s.n && i < sizeof lowest; i++)
        lowest[i] = highest[i] = s.p[i];
    for (size_t n = s.n + 1; n <= sizeof lowest; n++)
        if (utf8_valid((Str){ lowest, n }) || utf8_valid((Str){ highest, n }))
            return true;
    return false;
}

/* What a name, or the beginning of one, may look like whatever its kind. */
static jot_status check_segments(Str name, bool open_ended, Err *e)
{
    Shown shown;
    if (name.n > STORE_NAME_MAX)
        return err_set(e, JOT_INVALID, "invalid name '%s': use at most %d bytes",
                       err_show(&shown, name), STORE_NAME_MAX);
    size_t bad = utf8_bad_at(name);
    if (bad < name.n && !(open_ended && begins_character(str_from(name, bad))))
        return err_set(e, JOT_INVALID, "invalid name '%s': byte %zu is not UTF-8",
                       err_show(&shown, name), bad);
    if (utf8_control_at(name) < name.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': control characters are not allowed",
                       err_show(&shown, name));
    Str rest = name, segment;
    while (str_cut(&rest, '/', &segment))
        TRY(check_segment(segment, false, e));
    return check_segment(rest, open_ended, e);
}

jot_status store_check_key(Str key, Err *e)
{
    Shown shown;
    if (!all_key_chars(key))
        return err_set(e, JOT_INVALID, "invalid key '%s': use [A-Za-z0-9_-]+",
                       err_show(&shown, key));
    if (key.n > STORE_KEY_MAX)
        return err_set(e, JOT_INVALID, "invalid key '%s': use at most %d bytes",
                       err_show(&shown, key), STORE_KEY_MAX);
    return JOT_OK;
}

/* AGENT/CYCLE_before or AGENT/CYCLE_after: on files these lie beside the agent's state, where a
 * person may keep files of their own, so no other name is taken. */
static jot_status check_pair(Str name, Str rest, Err *e)
{
    Shown shown;
    Str agent;
    bool two = str_cut(&rest, '/', &agent) && str_find(rest, '/') == rest.n;
    bool named = str_ends(rest, S("_before")) || str_ends(rest, S("_after"));
    if (!two || !named)
        return err_set(e, JOT_INVALID,
                       "invalid name '%s': use snapshots/AGENT/CYCLE_before or _after",
                       err_show(&shown, name));
    TRY(store_check_key(agent, e));
    return store_check_key(rest, e);
}

/* True if a value's file could be called so. */
static bool looks_like_a_file(const StoreKind *kind, Str segment)
{
    return (kind->tail && kind->tail[0] && str_ends(segment, str(kind->tail))) ||
           (kind->own && str_ends(segment, str(kind->own)));
}

/* What the kind adds: depth, keys, and directories that cannot look like a value's file. */
static jot_status check_by_kind(Str name, Err *e)
{
    const StoreKind *kind = store_kind(name);
    Shown shown;
    Str rest = str_from(name, first_segment(name).n + 1);
    if (kind->pair)
        return check_pair(name, rest, e);
    if (kind->flat && str_find(rest, '/') < rest.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': %s/ takes one segment",
                       err_show(&shown, name), kind->name);
    if (kind->key)
        TRY(store_check_key(rest, e));
    Str segment;
    while (str_cut(&rest, '/', &segment))
        if (looks_like_a_file(kind, segment))
            return err_set(e, JOT_INVALID,
                           "invalid name '%s': a directory of %s/ cannot end in '%s'",
                           err_show(&shown, name), kind->name,
                           str_ends(segment, str(kind->tail)) ? kind->tail : kind->own);
    return JOT_OK;
}

jot_status store_check_name(Str name, Err *e)
{
    if (name.n == 0)
        return err_set(e, JOT_INVALID, "a stream's name cannot be empty");
    TRY(check_segments(name, false, e));
    TRY(check_kind(first_segment(name), e));
    Shown shown;
    if (str_find(name, '/') == name.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': use KIND/NAME", err_show(&shown, name));
    return check_by_kind(name, e);
}

jot_status store_check_prefix(Str prefix, Err *e)
{
    return check_segments(prefix, true, e);
}

void list_range(const ListQuery *q, Arena *into, Str *from, Str *to)
{
    Str prefix = q->prefix;
    /* Nothing lies between a name and the same name followed by a NUL. */
    *from = prefix;
    if (q->after.n && str_cmp(q->after, prefix) >= 0)
        *from = (Str){ arena_copy(into, q->after).p, q->after.n + 1 };
    /* No byte of UTF-8 is 0xFF, so the last byte of a prefix always has a successor. */
    char *end = arena_cstr(into, prefix.n ? prefix : S("\xFE"));
    size_t n = prefix.n ? prefix.n : 1;
    assert((unsigned char)end[n - 1] < 0xFF);
    end[n - 1] = (char)((unsigned char)end[n - 1] + 1);
    *to = (Str){ end, n };
}
