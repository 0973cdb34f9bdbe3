/* jail.c - what all mechanisms have in common: environment, shell, a /tmp, and none at all. */
#include "agent/jail.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENVIRONMENT_MAX = 32 };

const char *const jail_hidden[] = {
    "/etc/shadow",      "/etc/shadow-",     "/etc/gshadow",   "/etc/gshadow-",
    "/etc/sudoers",     "/etc/sudoers.d",   "/etc/ssh",       "/etc/security/opasswd",
    "/etc/ssl/private", "/etc/krb5.keytab", "/etc/wireguard", NULL,
};

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
    return env;
}

void jail_shell(const ConfineJob *job, Arena *into, const char **argv, size_t *n)
{
    bool bash = access("/bin/bash", X_OK) == 0;
    argv[(*n)++] = bash ? "/bin/bash" : "/bin/sh";
    argv[(*n)++] = "-c";
    argv[(*n)++] = arena_cstr(into, job->command);
}

jot_status jail_tmp(Arena *into, Jail *out, Err *e)
{
    const char *base = getenv("TMPDIR");
    char *path = arena_cstr(
        into, arena_printf(into, "%s/jotter-shell-XXXXXX", base && base[0] == '/' ? base : "/tmp"));
    if (!mkdtemp(path))
        return err_errno(e, errno, "could not make a directory for temporary files");
    out->tmp = str(path);
    out->tmp_path = path;
    return JOT_OK;
}

jot_status jail_open(const ConfineJob *job, Arena *into, Jail *out, Err *e)
{
    const char **argv = NEW_ARRAY(into, const char *, 4);
    size_t n = 0;
    TRY(jail_tmp(into, out, e));
    jail_shell(job, into, argv, &n);
    out->argv = (char *const *)argv;
    out->envp = jail_environment(out->tmp, job->place->path, into);
    return JOT_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    int removed = remove(path);
    (void)removed; /* what cannot be removed stays; the rest need not */
    return 0;
}

void jail_done(Jail *j)
{
    fd_close(&j->ruleset);
    fd_close(&j->filter_fd);
    fd_close(&j->output);
    jail_disband(j);
    if (j->tmp.n)
        nftw(j->tmp.p, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    j->tmp = (Str){ 0 };
}
