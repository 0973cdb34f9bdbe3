/* layout.c - the names of layouts, and the report of a passage. */
#include "memory/port/layout.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const names[] = {
    [LAYOUT_NONE] = "none",         [LAYOUT_NOTES] = "notes",     [LAYOUT_ARTIFACTS] = "artifacts",
    [LAYOUT_RUNS] = "runs",         [LAYOUT_CYCLES] = "cycles",   [LAYOUT_GRAPH] = "graph",
    [LAYOUT_MEMORIES] = "memories", [LAYOUT_MEM0] = "mem0",       [LAYOUT_LANGGRAPH] = "langgraph",
    [LAYOUT_BEADS] = "beads",       [LAYOUT_ARCHIVE] = "archive",
};
_Static_assert(COUNT_OF(names) == LAYOUT_COUNT, "every layout has a name");

const char *layout_name(Layout l)
{
    return names[l < LAYOUT_COUNT ? l : LAYOUT_NONE];
}

jot_status layout_parse(Str name, Layout *out, Err *e)
{
    Shown shown;
    for (Layout l = LAYOUT_NOTES; l < LAYOUT_ARCHIVE; l++)
        if (str_eq(name, str(names[l]))) {
            *out = l;
            return JOT_OK;
        }
    return err_set(e, JOT_INVALID, "no layout '%s': use " LAYOUT_NAMES, err_show(&shown, name));
}

PRINTF_LIKE(4, 0)
static void add(LayoutReport *r, Arena *into, Str name, const char *fmt, va_list args)
{
    r->skipped_total++;
    if (r->skipped_n == LAYOUT_SKIPPED_MAX)
        return;
    char why[sizeof((Err *)0)->text];
    vsnprintf(why, sizeof why, fmt, args);
    r->skipped = arena_grow(into, r->skipped, r->skipped_n, &r->skipped_cap, sizeof *r->skipped,
                            alignof(LayoutSkip));
    r->skipped[r->skipped_n++] = (LayoutSkip){ arena_copy(into, name), arena_copy(into, str(why)) };
}

void layout_skip(LayoutReport *r, Arena *into, Str name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(r, into, name, fmt, args);
    va_end(args);
}

void layout_stray(LayoutReport *r, Arena *into, Str name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(r, into, name, fmt, args);
    va_end(args);
    r->missed++;
}

void layout_miss(LayoutReport *r, Arena *into, jot_status why, Str name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(r, into, name, fmt, args);
    va_end(args);
    r->missed++;
    if (r->why_missed == JOT_OK)
        r->why_missed = why;
}

void layout_rename(LayoutReport *r, Arena *into, Str name, Str as)
{
    if (r->renamed_total++ >= LAYOUT_SKIPPED_MAX)
        return;
    r->renamed = arena_grow(into, r->renamed, r->renamed_n, &r->renamed_cap, sizeof *r->renamed,
                            alignof(LayoutName));
    r->renamed[r->renamed_n++] = (LayoutName){ arena_copy(into, name), arena_copy(into, as) };
}

jot_status layout_missed(const LayoutReport *r, const char *done, Err *e)
{
    if (r->missed == 0)
        return JOT_OK;
    return err_set(e, r->why_missed ? r->why_missed : JOT_INVALID,
                   "not everything was %s: %llu missed", done, (unsigned long long)r->missed);
}

json_t *layout_report_json(const LayoutReport *r)
{
    json_t *skipped = json_array(), *renamed = json_array();
    for (size_t i = 0; i < r->renamed_n; i++)
        json_array_append_new(renamed,
                              json_pack("{s:o, s:o}", "name", json_text(r->renamed[i].name), "as",
                                        json_text(r->renamed[i].as)));
    for (size_t i = 0; i < r->skipped_n; i++)
        json_array_append_new(skipped,
                              json_pack("{s:o, s:o}", "name", json_text(r->skipped[i].name), "why",
                                        json_text(r->skipped[i].why)));
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:I}", "layout", layout_name(r->layout), "files",
        (json_int_t)r->files, "added", (json_int_t)r->added, "unchanged", (json_int_t)r->unchanged,
        "skipped", skipped, "skipped_total", (json_int_t)r->skipped_total, "missed",
        (json_int_t)r->missed, "renamed", renamed, "renamed_total", (json_int_t)r->renamed_total);
}
