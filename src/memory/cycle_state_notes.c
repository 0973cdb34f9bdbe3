/* cycle_state_notes.c - the notes of a state: entries of one line each, and never too many of them.
 *
 *     [TRIMMED] 3 older entries, 512 bytes: the history has them
 *     [TOOL] echo({"message":"hi"}) -> ECHO: hi
 *     [COMPLETED] the echo works
 *     Cycle 20260131_184500 failed: out of memory
 *
 * An entry begins at a line with '[' or "Cycle " in front and goes on to the
 * next such line: text that a person or an agent wrote between belongs to the
 * entry above it.  What stands before the first one counts as one entry. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/cycle_state.h"

#define TRIMMED "[TRIMMED] "

static const char *const tags[] = { "[TOOL]",       "[COMPLETED]",    "[PARSE ERROR]",
                                    "[TOOL ERROR]", "[UNKNOWN TOOL]", "[CONFLICT]",
                                    "[EDIT]",       "[TRIMMED]",      "[REDACTED]" };

/* --- One line ---------------------------------------------------------------------------- */

static void add_code_point(Buf *to, Str text, size_t from, size_t to_at, uint32_t c)
{
    bool hidden = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
    if (c == '\n')
        buf_add(to, S("\\n"));
    else if (c == '\t')
        buf_add(to, S("\\t"));
    else if (hidden)
        buf_addf(to, "\\u%04x", (unsigned)c);
    else
        buf_add(to, str_slice(text, from, to_at));
}

/* A character, or a byte that is part of none. */
static size_t next_char(Str text, size_t at, size_t *good, Buf *to)
{
    if (at >= *good) {
        size_t more = utf8_bad_at(str_from(text, at));
        *good = at + more;
        if (more == 0) {
            if (to)
                buf_addf(to, "\\x%02x", (unsigned char)text.p[at]);
            return at + 1;
        }
    }
    size_t end = at;
    uint32_t c = utf8_next(str_slice(text, 0, *good), &end);
    if (to)
        add_code_point(to, text, at, end, c);
    return end;
}

Str cycle_state_line(Arena *a, Str text, size_t chars_max)
{
    AUTO(Buf) out = { 0 };
    size_t at = 0, good = 0, chars = 0;
    for (; at < text.n && chars < chars_max; chars++)
        at = next_char(text, at, &good, &out);
    bool cut = at < text.n;
    for (; at < text.n; chars++)
        at = next_char(text, at, &good, NULL);
    if (cut)
        buf_addf(&out, "... (%zu characters)", chars);
    return arena_copy(a, buf_str(&out));
}

/* --- Entries ----------------------------------------------------------------------------- */

static bool begins_entry(Str line)
{
    return str_starts(line, S("[")) || str_starts(line, S("Cycle "));
}

/* Where the entry that begins at `at` ends. */
static size_t entry_end(Str notes, size_t at)
{
    do {
        Str rest = str_from(notes, at);
        at += str_find(rest, '\n') + 1;
    } while (at < notes.n && !begins_entry(str_from(notes, at)));
    return at < notes.n ? at : notes.n;
}

/* The count behind what was left out before; *notes moves behind it. */
static void cut_trimmed(Str *notes, uint64_t *entries, uint64_t *bytes)
{
    Str rest = str_from(*notes, strlen(TRIMMED)), number;
    if (!str_starts(*notes, S(TRIMMED)) || !str_cut(&rest, ' ', &number) ||
        !str_to_u64(number, INT64_MAX / 2, entries))
        return;
    Str word = S("older entries, ");
    if (!str_starts(rest, word))
        return;
    rest = str_from(rest, word.n);
    if (!str_cut(&rest, ' ', &number) || !str_to_u64(number, INT64_MAX / 2, bytes))
        return;
    *notes = str_from(*notes, str_find(*notes, '\n') + 1);
}

/* Drop the oldest entries until the rest fits.  The newest always stays. */
static Str bound(Arena *a, Str notes)
{
    uint64_t entries = 0, bytes = 0;
    if (notes.n <= CYCLE_STATE_NOTES_MAX)
        return notes;
    cut_trimmed(&notes, &entries, &bytes);
    for (size_t end;
         notes.n > CYCLE_STATE_NOTES_MAX - 100 && (end = entry_end(notes, 0)) < notes.n;) {
        entries++;
        bytes += end;
        notes = str_from(notes, end);
    }
    return arena_printf(a, TRIMMED "%llu older entries, %llu bytes: the history has them\n" STR_FMT,
                        (unsigned long long)entries, (unsigned long long)bytes, STR_ARG(notes));
}

static Str notes_of(const Yaml *state)
{
    const Yaml *notes = yaml_get(state, S("notes"));
    return notes && notes->kind == YAML_SCALAR ? notes->text : (Str){ 0 };
}

void cycle_state_note(Arena *a, Yaml *state, Str line)
{
    Str old = notes_of(state);
    bool apart = old.n && old.p[old.n - 1] != '\n';
    Str all =
        arena_printf(a, STR_FMT "%s" STR_FMT "\n", STR_ARG(old), apart ? "\n" : "", STR_ARG(line));
    yaml_set(a, state, S("notes"), yaml_text(a, bound(a, all)));
}

/* --- What an agent writes ---------------------------------------------------------------- */

static bool looks_like_ours(Str line)
{
    for (size_t i = 0; i < COUNT_OF(tags); i++)
        if (str_starts(line, str(tags[i])))
            return true;
    return str_starts(line, S("Cycle "));
}

static bool has_line(Str text, Str line)
{
    Str here;
    while (str_cut(&text, '\n', &here))
        if (str_eq(here, line))
            return true;
    return str_eq(text, line);
}

size_t cycle_state_set_notes(Arena *a, Yaml *state, Str text)
{
    AUTO(Buf) out = { 0 };
    size_t quoted = 0;
    Str old = notes_of(state);
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at);
        size_t feed = str_find(rest, '\n'), back = str_find(rest, '\r');
        size_t end = feed < back ? feed : back;
        Str line = str_slice(rest, 0, end);
        if (looks_like_ours(line) && !has_line(old, line)) {
            buf_add(&out, S("> "));
            quoted++;
        }
        size_t next = end < rest.n ? end + 1 : end;
        buf_add(&out, str_slice(rest, 0, next));
        at += next;
    }
    yaml_set(a, state, S("notes"), yaml_text(a, buf_str(&out)));
    return quoted;
}
