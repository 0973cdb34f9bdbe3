/* beside.h - files that stand beside a desk's pad, in its directory. */
#ifndef TESTS_AGENT_BESIDE_H
#define TESTS_AGENT_BESIDE_H

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "memory/desk.h"

typedef struct BesidePath {
    char text[160];
} BesidePath;

static inline BesidePath beside_path(const char *dir, const char *name)
{
    BesidePath p;
    snprintf(p.text, sizeof p.text, "%s/%s", dir, name);
    return p;
}

static inline void beside_put(const char *dir, const char *name, Str text)
{
    AUTO(Fd) fd = open(beside_path(dir, name).text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
}

/* Empty if there is no such file. */
static inline Str beside_get(const char *dir, const char *name, Arena *into)
{
    AUTO(Fd) fd = open(beside_path(dir, name).text, O_RDONLY | O_CLOEXEC);
    AUTO(Buf) text = { 0 };
    char *room;
    ssize_t n;
    while (fd >= 0 && (room = buf_room(&text, 65536)) && (n = read(fd, room, 65536)) > 0)
        buf_grew(&text, (size_t)n);
    return arena_copy(into, buf_str(&text));
}

#endif
