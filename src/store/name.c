/* name.c - what a stream may be called, and what kind of stream that makes it.
 *
 * Names are bytes: they are accepted as they are or refused with a sentence,
 * never folded, normalised or rewritten.  The key of a note, which people make up, is stricter than
 * other names: one text has one key (normal form C), and nothing in it is invisible.  A name that
 * passes here can be a path on every engine: no segment is empty, begins with '.' or holds a
 * control character, and none is too long for a file name with a suffix. */
#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "store/engine.h"

/* Each kind Jotter keeps has a row, for no note lies in a folder of its name; the last row stands
 * for every other kind. */
static const StoreKind kinds[] = {
    { .name = "notes", .note = true, .document = true, .tail = ".txt", .also = ".md" },
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
    { .name = "checkpoints" },
    { .name = "graph" },
    { .name = "steps" },
    { .name = "threads" },
    { .name = "tokens" },
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

static jot_status check_kind(Str kind, Err *e)
{
    bool good = kind.n > 0 && kind.p[0] >= 'a' && kind.p[0] <= 'z';
    for (size_t i = 0; good && i < kind.n; i++)
        good = key_char(kind.p[i]) && !(kind.p[i] >= 'A' && kind.p[i] <= 'Z');
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
    /* Only what follows the last slash of a prefix may be unfinished. */
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

/* The ending of a value's file that this segment has, or empty. */
static Str ending_of(const StoreKind *kind, Str segment)
{
    if (kind->tail && kind->tail[0] && str_ends(segment, str(kind->tail)))
        return str(kind->tail);
    return kind->also && str_ends(segment, str(kind->also)) ? str(kind->also) : (Str){ 0 };
}

/* --- Keys of notes ---------------------------------------------------------------------- */

#define NOTE_SIGNS " _-.,+=@"

static bool note_char(uint32_t c)
{
    return c < 0x80 ? key_char((char)c) || (c && strchr(NOTE_SIGNS, (int)c)) : fold_is_word(c);
}

static jot_status check_note_chars(Str key, Err *e)
{
    Shown shown;
    bool good = utf8_valid(key);
    for (size_t at = 0; good && at < key.n;)
        good = key.p[at] == '/' ? at++, true : note_char(utf8_next(key, &at));
    return good ? JOT_OK
                : err_set(e, JOT_INVALID,
                          "invalid key '%s': use letters and digits of any script, blanks "
                          "and _-.,+=@, in folders with /",
                          err_show(&shown, key));
}

static jot_status check_note_form(Str key, Err *e)
{
    Shown shown, right;
    AUTO(Buf) nfc = { 0 };
    fold_add_nfc(&nfc, key);
    if (str_eq(buf_str(&nfc), key))
        return JOT_OK;
    /* The two look alike, so it says what the difference is. */
    return err_set(e, JOT_INVALID,
                   "invalid key '%s': it is not in Unicode's normal form C (%zu bytes), which is "
                   "'%s' (%zu bytes)",
                   err_show(&shown, key), key.n, err_show(&right, buf_str(&nfc)), nfc.n);
}

/* One part of a note's key; `last`: it names the note, otherwise it is a folder. */
static jot_status check_note_part(Str key, Str part, bool last, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, key);
    Str ending = ending_of(&kinds[0], part);
    if (part.n == 0)
        return err_set(e, JOT_INVALID, "invalid key '%s': a folder or name in it is empty", name);
    if (part.n > STORE_KEY_MAX)
        return err_set(e, JOT_INVALID, "invalid key '%s': use at most %d bytes%s", name,
                       STORE_KEY_MAX, part.n < key.n ? " between two slashes" : "");
    if (part.p[0] == '.')
        return err_set(e, JOT_INVALID, "invalid key '%s': nothing in it can begin with '.'", name);
    if (part.p[part.n - 1] == '.' || part.p[part.n - 1] == ' ')
        return err_set(e, JOT_INVALID, "invalid key '%s': nothing in it can end in '.' or a blank",
                       name);
    Shown without;
    if (ending.n && last)
        return err_set(e, JOT_INVALID,
                       "invalid key '%s': '" STR_FMT "' is the ending of a note's file, and no "
                       "part of its key: use '%s'",
                       name, STR_ARG(ending),
                       err_show(&without, str_slice(key, 0, key.n - ending.n)));
    if (ending.n)
        return err_set(e, JOT_INVALID, "invalid key '%s': a folder cannot end in '" STR_FMT "'",
                       name, STR_ARG(ending));
    return JOT_OK;
}

/* The kind a first folder would be taken for, or NULL. */
static const StoreKind *kind_meant(Str key)
{
    Str first = first_segment(key);
    for (size_t i = 0; first.n < key.n && i + 1 < COUNT_OF(kinds); i++)
        if (str_eq(first, str(kinds[i].name)))
            return &kinds[i];
    return NULL;
}

jot_status store_check_note(Str key, Err *e)
{
    Shown shown;
    const StoreKind *kind = kind_meant(key);
    /* What older versions took for a key is one, and asks for no look at Unicode's tables. */
    if (all_key_chars(key))
        return store_check_key(key, e);
    if (key.n > STORE_NOTE_MAX)
        return err_set(e, JOT_INVALID, "invalid key '%s': use at most %d bytes",
                       err_show(&shown, key), STORE_NOTE_MAX);
    TRY(check_note_chars(key, e));
    TRY(check_note_form(key, e));
    if (kind)
        return err_set(e, JOT_INVALID,
                       "invalid key '%s': %s/ is not a folder of notes, but what Jotter keeps its "
                       "%s in",
                       err_show(&shown, key), kind->name, kind->name);
    Str rest = key, part;
    while (str_cut(&rest, '/', &part))
        TRY(check_note_part(key, part, false, e));
    return check_note_part(key, rest, true, e);
}

jot_status store_check_note_prefix(Str prefix, Err *e)
{
    size_t slash = str_find_last(prefix, '/');
    TRY(check_note_chars(prefix, e));
    TRY(check_note_form(prefix, e));
    return slash < prefix.n ? store_check_note(str_slice(prefix, 0, slash), e) : JOT_OK;
}

bool store_names_kind(Str word)
{
    return kind_meant(word) != NULL;
}

bool store_note_is_wide(Str name)
{
    return store_kind(name)->note && !all_key_chars(str_from(name, first_segment(name).n + 1));
}

/* --- Names ------------------------------------------------------------------------------ */

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
    if (kind->note)
        TRY(store_check_note(rest, e));
    Str segment;
    while (str_cut(&rest, '/', &segment)) {
        Str ending = ending_of(kind, segment);
        if (ending.n)
            return err_set(e, JOT_INVALID,
                           "invalid name '%s': a directory of %s/ cannot end in '" STR_FMT "'",
                           err_show(&shown, name), kind->name, STR_ARG(ending));
    }
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
