/* keys.c - credentials: where others keep them, and in the order in which they look.
 *
 *   1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, unless the URL names a profile
 *   2. the profile (of the URL, AWS_PROFILE, or "default") in ~/.aws/credentials and ~/.aws/config
 *   3. the container's endpoint, if AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI is set
 *   4. the instance's endpoint (version 2, with a token), unless AWS_EC2_METADATA_DISABLED=true
 *
 * Those of 3 and 4 end; they are asked for again five minutes before.  Not here: single sign-on,
 * roles to assume, programs that print keys; those programs can set 1. */
#include "store/s3/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"

enum {
    FILE_MAX = 256 * 1024,
    ENDPOINT_MS = 1000, /* it is near, or not there */
    ENDPOINT_ANSWER_MAX = 64 * 1024,
    EARLY_MS = 5 * 60 * 1000,
};

/* --- Keeping them ----------------------------------------------------------------------- */

static void wipe(char **secret)
{
    if (*secret)
        explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

void s3_drop_keys(S3 *p)
{
    wipe(&p->keys.id);
    wipe(&p->keys.secret);
    wipe(&p->keys.token);
    p->keys = (S3Keys){ 0 };
}

static char *own(Str text)
{
    char *p = mem_alloc(text.n + 1);
    if (text.n)
        memcpy(p, text.p, text.n);
    return p;
}

/* What goes into a header: no control characters, and not too long. */
static bool good_secret(Str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < 0x21 || text.p[i] == 0x7F)
            return false;
    return text.n <= S3_SECRET_MAX;
}

static bool keep(S3 *p, Str id, Str secret, Str token, const char *from)
{
    if (!id.n || !secret.n || !good_secret(id) || !good_secret(secret) || !good_secret(token))
        return false;
    s3_drop_keys(p);
    p->keys = (S3Keys){ own(id), own(secret), token.n ? own(token) : NULL, 0, from };
    return true;
}

/* --- The environment -------------------------------------------------------------------- */

static Str variable(const char *name)
{
    return str_trim(str(getenv(name)));
}

static bool from_environment(S3 *p)
{
    return p->profile.n == 0 &&
           keep(p, variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                variable("AWS_SESSION_TOKEN"), "the environment");
}

/* --- The files -------------------------------------------------------------------------- */

/* All of a small file; empty if it cannot be read. */
static Str read_file(const S3 *p, const char *path, Arena *into)
{
    AUTO(Fd) fd = io_open_path(p->base.io, path);
    if (fd < 0)
        return (Str){ 0 };
    char *text = arena_alloc(into, FILE_MAX, 1);
    ssize_t n = io_read_all(p->base.io, fd, text, FILE_MAX, 0);
    return (Str){ text, n < 0 || n == FILE_MAX ? 0 : (size_t)n };
}

/* Is this line the section's "[NAME]" or "[profile NAME]"? */
static bool is_section(Str line, Str name)
{
    if (line.n < 2 || line.p[0] != '[' || line.p[line.n - 1] != ']')
        return false;
    Str inside = str_trim(str_slice(line, 1, line.n - 1));
    if (str_starts(inside, S("profile ")))
        inside = str_trim(str_from(inside, 8));
    return str_eq(inside, name);
}

/* KEY = VALUE of a section. */
static Str setting(Str text, Str section, Str key)
{
    bool inside = false;
    while (text.n) {
        Str line = text, name;
        if (!str_cut(&text, '\n', &line))
            text = (Str){ 0 };
        line = str_trim(line);
        if (line.n && line.p[0] == '[')
            inside = is_section(line, section);
        else if (inside && str_cut(&line, '=', &name) && str_eq(str_trim(name), key))
            return str_trim(line);
    }
    return (Str){ 0 };
}

static Str profile_name(const S3 *p)
{
    if (p->profile.n)
        return p->profile;
    Str name = variable("AWS_PROFILE");
    return name.n ? name : S("default");
}

static Str profile_file(const S3 *p, const char *named, const char *below_home, Arena *into)
{
    Str path = variable(named);
    const char *home = getenv("HOME");
    if (path.n == 0 && home && home[0] == '/')
        path = arena_printf(into, "%s/.aws/%s", home, below_home);
    return path.n ? read_file(p, arena_cstr(into, path), into) : (Str){ 0 };
}

Str s3_profile_setting(const S3 *p, const char *name, Arena *into)
{
    AUTO(Arena) arena = { 0 };
    Str found = setting(profile_file(p, "AWS_SHARED_CREDENTIALS_FILE", "credentials", &arena),
                        profile_name(p), str(name));
    if (found.n == 0)
        found = setting(profile_file(p, "AWS_CONFIG_FILE", "config", &arena), profile_name(p),
                        str(name));
    return found.n ? arena_copy(into, found) : (Str){ 0 };
}

static bool from_profile(S3 *p)
{
    AUTO(Arena) arena = { 0 };
    return keep(p, s3_profile_setting(p, "aws_access_key_id", &arena),
                s3_profile_setting(p, "aws_secret_access_key", &arena),
                s3_profile_setting(p, "aws_session_token", &arena), "the profile");
}

/* --- Endpoints --------------------------------------------------------------------------- */

static jot_status add_to_buf(void *ctx, Str bytes, Err *e)
{
    buf_add(ctx, bytes);
    return JOT_OK;
}

static bool ask_endpoint(const S3 *p, const char *method, const char *url, const HttpField *header,
                         Buf *out)
{
    AUTO(HttpAnswer) answer = { 0 };
    Err ignored = { 0 };
    HttpCall call = { .method = method,
                      .url = url,
                      .headers = header,
                      .n_headers = header && header->value.n,
                      .connect_ms = ENDPOINT_MS,
                      .idle_ms = ENDPOINT_MS,
                      .answer_max = ENDPOINT_ANSWER_MAX,
                      .on_body = add_to_buf,
                      .ctx = out };
    buf_clear(out);
    return http_send(p->http, &call, &answer, &ignored) == JOT_OK && answer.status == 200;
}

/* Keys as both kinds of endpoints write them. */
static bool keep_document(S3 *p, Str text, const char *from)
{
    AUTO_PTR(json_t) all = NULL;
    int64_t until = 0;
    if (json_read(text, &all, NULL) != JOT_OK)
        return false;
    bool good = keep(p, json_str(json_object_get(all, "AccessKeyId")),
                     json_str(json_object_get(all, "SecretAccessKey")),
                     json_str(json_object_get(all, "Token")), from);
    if (good && time_parse_any(json_str(json_object_get(all, "Expiration")), &until))
        p->keys.until_ms = until;
    return good;
}

/* The token is sent only where a container's endpoint can be. */
static bool is_near(Str url)
{
    AUTO(Arena) arena = { 0 };
    Url at = { 0 };
    if (url_parse(url, &arena, &at, NULL) != JOT_OK)
        return false;
    return str_eq(at.scheme, S("https")) || http_host_is_here(at.host) ||
           str_eq(at.host, S("169.254.170.2")) || str_eq(at.host, S("169.254.170.23"));
}

static bool from_container(S3 *p)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    Str below = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    Str url = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (below.n)
        url = arena_printf(&arena, "http://169.254.170.2" STR_FMT, STR_ARG(below));
    if (url.n == 0 || !is_near(url))
        return false;
    Str file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    HttpField token = { "Authorization", variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") };
    if (file.n)
        token.value = str_trim(read_file(p, arena_cstr(&arena, file), &arena));
    return ask_endpoint(p, "GET", arena_cstr(&arena, url), &token, &text) &&
           keep_document(p, buf_str(&text), "the container's endpoint");
}

static bool from_instance(S3 *p)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    if (str_eq(variable("AWS_EC2_METADATA_DISABLED"), S("true")))
        return false;
    Str base = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (base.n == 0)
        base = S("http://169.254.169.254");
    while (base.n && base.p[base.n - 1] == '/')
        base = str_slice(base, 0, base.n - 1);
    HttpField ttl = { "X-aws-ec2-metadata-token-ttl-seconds", S("300") };
    Str url = arena_printf(&arena, STR_FMT "/latest/api/token", STR_ARG(base));
    if (!ask_endpoint(p, "PUT", url.p, &ttl, &text))
        return false;
    HttpField token = { "X-aws-ec2-metadata-token", arena_copy(&arena, buf_str(&text)) };
    url =
        arena_printf(&arena, STR_FMT "/latest/meta-data/iam/security-credentials/", STR_ARG(base));
    if (!ask_endpoint(p, "GET", url.p, &token, &text))
        return false;
    Str role = str_trim(buf_str(&text));
    url = arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(url), STR_ARG(role));
    return ask_endpoint(p, "GET", url.p, &token, &text) &&
           keep_document(p, buf_str(&text), "the instance's endpoint");
}

/* --- Finding them ------------------------------------------------------------------------ */

jot_status s3_find_keys(S3 *p, Err *e)
{
    Shown shown;
    if (p->keys.id && (!p->keys.until_ms || io_wall_ms(&io_system) < p->keys.until_ms - EARLY_MS))
        return JOT_OK;
    if (from_environment(p) || from_profile(p))
        return JOT_OK;
    if (p->profile.n)
        return err_set(e, JOT_DENIED,
                       "the profile '%s' has no keys for S3: put aws_access_key_id and "
                       "aws_secret_access_key into ~/.aws/credentials",
                       err_show(&shown, p->profile));
    if (from_container(p) || from_instance(p))
        return JOT_OK;
    if (p->keys.id && io_wall_ms(&io_system) < p->keys.until_ms)
        return JOT_OK; /* the endpoint does not answer, and those we have are still good */
    return err_set(e, JOT_DENIED,
                   "there are no keys for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                   "put a profile into ~/.aws/credentials");
}
