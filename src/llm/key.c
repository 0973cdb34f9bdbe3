/* key.c - where a provider's key comes from.
 *
 * From a file that only its owner can read, or from the environment; never from
 * the address or an argument, which others see in a list of processes and which
 * end up in logs.  A vendor's own variable is read for that vendor only: a
 * server that merely speaks like it gets JOTTER_API_KEY or nothing.  Anthropic has two: a key, and
 * a token, as gateways in front of it give out. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "llm/wire.h"

enum { KEY_MAX = 4096 };

static jot_status check_key(Str key, const char *where, Err *e)
{
    bool good = key.n > 0 && key.n <= KEY_MAX;
    for (size_t i = 0; good && i < key.n; i++)
        good = key.p[i] > 0x20 && key.p[i] < 0x7F;
    if (!good)
        return err_set(e, JOT_DENIED, "the key in %s must be 1 to %d visible ASCII characters",
                       where, KEY_MAX);
    return JOT_OK;
}

static jot_status read_file(const char *path, Buf *to, Err *e)
{
    char text[KEY_MAX + 2];
    struct stat st;
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0)
        return err_errno(e, errno, "could not open the key file '%s'", path);
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
        return err_set(e, JOT_DENIED,
                       "the key file '%s' must be yours and closed to others: chmod 600", path);
    ssize_t n = read(fd, text, sizeof text);
    if (n < 0)
        return err_errno(e, errno, "could not read the key file '%s'", path);
    Str key = { text, (size_t)n };
    while (key.n && (key.p[key.n - 1] == '\n' || key.p[key.n - 1] == '\r'))
        key.n--;
    jot_status st_key = check_key(key, "the key file", e);
    if (st_key == JOT_OK)
        buf_add(to, key);
    explicit_bzero(text, sizeof text);
    return st_key;
}

static const char *variable(const char *name)
{
    const char *value = name ? getenv(name) : NULL;
    return value && *value ? value : NULL;
}

jot_status wire_key(Wire *w, const char *file, bool optional, Err *e)
{
    const char *own = w->dialect->key_env, *token = w->dialect->token_env;
    const char *name = variable(own) ? own : variable(token) ? token : "JOTTER_API_KEY";
    const char *path = file || variable(name) ? file : variable("JOTTER_API_KEY_FILE");
    if (path) {
        TRY(read_file(path, &w->key, e));
    } else if (variable(name)) {
        TRY(check_key(str(variable(name)), name, e));
        buf_add(&w->key, str(variable(name)));
        w->is_token = name == token;
    } else if (!optional) {
        return err_set(e, JOT_DENIED,
                       "no key: set %s, or JOTTER_API_KEY_FILE to a file that only you can read",
                       own ? own : "JOTTER_API_KEY");
    }
    if (w->key.n) {
        buf_add(&w->bearer, S("Bearer "));
        buf_add(&w->bearer, buf_str(&w->key));
    }
    return JOT_OK;
}
