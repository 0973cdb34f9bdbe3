/* cycle_state_notes.c - the notes of a state: entries of one line each, and never too many of them.
 *
 *     [TRIMMED] 3 older entries, 512 bytes: see the steps of the cycles, and older versions
 *     [TOOL] echo({"message":"hi"}) -> ECHO: hi
 *     [COMPLETED] the echo works
 *     Cycle 20260131_184500 failed: out of memory
 *
 * An entry begins at a line with '[' or "Cycle " in front and continues to the
 * next such line: text that a person or an agent wrote between belongs to the
 * entry above it.  What stands before the first one counts as one entry. */
#include <stdio.h>
#include <string.h>

#include "base/glyph.h"
#include "memory/cycle/cycle_state.h"
#include "memory/frame/frame.h"

/* An entry that came and went within a cycle is in no version, but in the cycle's steps. */
#define TRIMMED "[TRIMMED] "
#define TRIMMED_TO "see the steps of the cycles, and older versions"

/* What entries of ours begin with, as frame_opens() wants it. */
static const Str tags[] = {
    S_INIT("[tool]"),        S_INIT("[completed]"), S_INIT("[parseerror]"), S_INIT("[toolerror]"),
    S_INIT("[unknowntool]"), S_INIT("[conflict]"),  S_INIT("[edit]"),       S_INIT("[trimmed]"),
    S_INIT("[redacted]"),    S_INIT("cycle2"), /* and the rest of an id */
};

/* --- One line ---------------------------------------------------------------------------- */

Str cycle_state_part(Arena *a, Str text, size_t chars_max, size_t *chars)
{
    AUTO(Buf) out = { .max = SIZE_MAX / 2 };
    /* Where the first `chars_max` characters end, a byte that is part of none being one, too;
     * *chars is how many there are in all. */
    size_t end = 0;
    *chars = 0;
    for (size_t at = 0; at < text.n; (*chars)++) {
        uint32_t c;
        glyph_next(text, &at, &c);
        if (*chars < chars_max)
            end = at;
    }
    glyph_add(&out, str_slice(text, 0, end), GLYPH_LINE);
    return arena_copy(a, buf_str(&out));
}

Str cycle_state_line(Arena *a, Str text, size_t chars_max)
{
    size_t chars;
    Str part = cycle_state_part(a, text, chars_max, &chars);
    return chars <= chars_max
               ? part
               : arena_printf(a, STR_FMT "... (%zu characters)", STR_ARG(part), chars);
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

/* The count after what was left out before; *notes moves past it. */
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
    return arena_printf(a, TRIMMED "%llu older entries, %llu bytes: " TRIMMED_TO "\n" STR_FMT,
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
    while (line.n && line.p[line.n - 1] == ' ') /* of an entry whose value is empty */
        line.n--;
    bool apart = old.n && old.p[old.n - 1] != '\n';
    Str all =
        arena_printf(a, STR_FMT "%s" STR_FMT "\n", STR_ARG(old), apart ? "\n" : "", STR_ARG(line));
    yaml_set(a, state, S("notes"), yaml_text(a, bound(a, all)));
}

/* --- What an agent writes ---------------------------------------------------------------- */

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
    for (size_t at = 0, next; at < text.n; at = next) {
        Str line = str_slice(text, at, frame_line_end(text, at, &next));
        if (frame_opens(line, tags, COUNT_OF(tags)) && !has_line(old, line)) {
            buf_add(&out, S("> "));
            quoted++;
        }
        buf_add(&out, str_slice(text, at, next));
    }
    yaml_set(a, state, S("notes"), yaml_text(a, buf_str(&out)));
    return quoted;
}
