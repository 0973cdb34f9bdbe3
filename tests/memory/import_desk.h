/* import_desk.h - files of other programs in the desk's directory, on their way in and out. */
#ifndef TESTS_MEMORY_IMPORT_DESK_H
#define TESTS_MEMORY_IMPORT_DESK_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/doc/doc.h"
#include "memory/port/export.h"
#include "memory/port/import.h"

/* A file in the desk's directory, with the directories above it. */
static inline void file(Desk *d, const char *path, const char *text)
{
    char whole[512];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(whole, sizeof whole, "%s/%.*s", d->dir, (int)(slash - path), path);
        (void)mkdir(whole, 0700);
    }
    snprintf(whole, sizeof whole, "%s/%s", d->dir, path);
    AUTO(Fd) fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static inline const char *at(Desk *d, const char *path)
{
    return arena_printf(&d->a, "%s/%s", d->dir, path).p;
}

static inline void file_holds(Desk *d, const char *path, const char *want)
{
    AUTO(Fd) fd = open(at(d, path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fail_msg("there is no '%s'", path);
    char text[4096];
    ssize_t n = read(fd, text, sizeof text);
    assert_true(n >= 0);
    assert_str(((Str){ text, (size_t)n }), str(want));
}

static inline Layout recognised(Desk *d, const char *path)
{
    ImportFrom from;
    desk_ok(d, import_find(&d->io, at(d, path), LAYOUT_NONE, &d->a, &from, &d->e));
    return from.layout;
}

static inline LayoutReport bring_in(Desk *d, const char *path, bool replace)
{
    ImportFrom from;
    LayoutReport report;
    ImportOptions o = { .replace = replace };
    desk_ok(d, import_find(&d->io, at(d, path), LAYOUT_NONE, &d->a, &from, &d->e));
    desk_ok(d, import_run(&d->m, &from, &o, &d->a, &report, &d->e));
    return report;
}

static inline LayoutReport write_out(Desk *d, Layout layout, const char *path)
{
    LayoutReport report;
    desk_ok(d, export_layout(&d->m, layout, at(d, path), &d->a, &report, &d->e));
    return report;
}

static inline void holds(Desk *d, const char *stream, const char *text)
{
    Doc doc;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &doc, &d->e));
    assert_text(doc.text, text);
}

static inline void says_why(const LayoutReport *r, const char *name, const char *why)
{
    for (size_t i = 0; i < r->skipped_n; i++)
        if (str_eq(r->skipped[i].name, str(name)) && strstr(r->skipped[i].why.p, why))
            return;
    fail_msg("'%s' was not skipped with '%s'", name, why);
}

/* Importing once more must not change anything. */
static inline void adds_nothing(Desk *d, const char *path)
{
    LayoutReport again = bring_in(d, path, false);
    assert_int_equal(again.added, 0);
    assert_int_equal(again.unchanged, again.files);
    assert_true(again.files > 0);
    again = bring_in(d, path, true);
    assert_int_equal(again.added, 0);
}

#endif
