/* jail.c - what all mechanisms have in common: environment, shell, a /tmp, and none at all.
 *
 * A command gets an environment that is made here, not ours with names taken out: a list of what
 * is secret is never complete.  Language and time zone are taken over.  HOME and TMPDIR lead to a
 * directory of its own, which is removed afterwards through descriptors that are held from the
 * start (jail_remove.c): a command that still runs cannot lead the removal elsewhere.
 *
 * What comes on top is each mechanism's: bubblewrap's mounts (jail_bwrap.c), or Landlock and the
 * filter of system calls alone (jail_landlock.c, filter.c). */
#include "agent/sandbox/jail.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ENVIRONMENT_MAX = 32 };

const char *const jail_sys_readable[] = { "/sys/devices/system", "/sys/fs/cgroup",
                                          "/sys/kernel/mm/transparent_hugepage", NULL };

/* Names whose values are taken over: language and time zone.  Nothing else is, so nothing secret
 * is, whatever it is called. */
static const char *const kept[] = { "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ" };

char **jail_environment(Str tmp, Str dir, Arena *into)
{
    char **env = NEW_ARRAY(into, char *, ENVIRONMENT_MAX);
    size_t n = 0;
    env[n++] =
        arena_cstr(into, S("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
    env[n++] = arena_cstr(into, S("TERM=dumb"));
    env[n++] = arena_cstr(into, S("PAGER=cat"));
    env[n++] = arena_cstr(into, arena_printf(into, "HOME=" STR_FMT, STR_ARG(tmp)));
    env[n++] = arena_cstr(into, arena_printf(into, "TMPDIR=" STR_FMT, STR_ARG(tmp)));
    env[n++] = arena_cstr(into, arena_printf(into, "PWD=" STR_FMT, STR_ARG(dir)));
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        const char *value = getenv(kept[i]);
        if (value && strlen(value) < 100)
            env[n++] = arena_cstr(into, arena_printf(into, "%s=%s", kept[i], value));
    }
    assert(n < ENVIRONMENT_MAX); /* NULL ends it */
    return env;
}

void jail_shell(const ConfineJob *job, Arena *into, const char **argv, size_t *n)
{
    bool bash = access("/bin/bash", X_OK) == 0;
    argv[(*n)++] = bash ? "/bin/bash" : "/bin/sh";
    argv[(*n)++] = "-c";
    argv[(*n)++] = arena_cstr(into, job->command);
}

/* A directory of its own for temporary files. */
static jot_status make_tmp(Arena *into, Jail *out, Err *e)
{
    const char *named = getenv("TMPDIR");
    Str base = named && named[0] == '/' ? str(named) : S("/tmp");
    char *path =
        arena_cstr(into, arena_printf(into, STR_FMT "/jotter-shell-XXXXXX", STR_ARG(base)));
    out->tmp_above = open(base.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->tmp_above < 0 || !mkdtemp(path))
        return err_errno(e, errno, "could not make a directory for temporary files");
    out->tmp = str(path);
    out->tmp_name = strrchr(path, '/') + 1;
    out->tmp_fd =
        openat(out->tmp_above, out->tmp_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return out->tmp_fd < 0 ? err_errno(e, errno, "could not open a directory for temporary files")
                           : JOT_OK;
}

jot_status jail_open(const ConfineJob *job, Arena *into, Jail *out, Err *e)
{
    const char **argv = NEW_ARRAY(into, const char *, 4);
    size_t n = 0;
    TRY(make_tmp(into, out, e));
    jail_shell(job, into, argv, &n);
    out->argv = (char *const *)argv;
    out->envp = jail_environment(out->tmp, job->workdir->path, into);
    return JOT_OK;
}

Jail jail_none(void)
{
    Jail j = { .ruleset = FD_NONE,
               .filter_fd = FD_NONE,
               .self_fd = FD_NONE,
               .output = FD_NONE,
               .fence = FD_NONE,
               .tmp_fd = FD_NONE,
               .tmp_above = FD_NONE };
    for (size_t i = 0; i < COUNT_OF(j.stand_ins); i++)
        j.stand_ins[i].fd = FD_NONE;
    for (size_t i = 0; i < COUNT_OF(j.groups); i++)
        j.groups[i] = (JailGroup){ .fd = FD_NONE, .events = FD_NONE };
    return j;
}

void jail_done(Jail *j)
{
    fd_close(&j->ruleset);
    fd_close(&j->fence);
    fd_close(&j->filter_fd);
    fd_close(&j->self_fd);
    fd_close(&j->output);
    jail_limits_done(j);
    jail_release(j);
    jail_remove(j->tmp_above, j->tmp_name, j->tmp_fd);
    fd_close(&j->tmp_fd);
    fd_close(&j->tmp_above);
    j->tmp = (Str){ 0 };
}
