/* marked.h - processes that are known by a mark in their arguments, whoever their parent is. */
#ifndef TESTS_AGENT_MARKED_H
#define TESTS_AGENT_MARKED_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many processes on this machine have the mark in their arguments; -1: that
 * cannot be seen. */
static inline int count_marked(const char *mark)
{
    DIR *d = opendir("/proc");
    struct dirent *entry;
    int n = 0;
    while (d && (entry = readdir(d))) {
        char name[300], text[4096];
        snprintf(name, sizeof name, "/proc/%s/cmdline", entry->d_name);
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);
        if (fd >= 0)
            close(fd);
        n += got > 0 && memmem(text, (size_t)got, mark, strlen(mark)) != NULL;
    }
    if (d)
        closedir(d);
    return d ? n : -1;
}

#endif
