/* pad.c - the pad's own object, and whether a server is fit for one.
 *
 *   jotter READ WRITE ID WRITERS\n     READ and WRITE as everywhere; WRITERS is any or one
 *
 * Everything rests on PUT with If-None-Match: *.  A server that does not know it makes the object
 * all the same and says nothing, so it is tried when a pad is made, and by doctor: of two PUTs of
 * one object the second must fail.  On a server that lets it pass a pad may be made for one writer
 * (?writers=one), by the user's word; others are refused then.
 *
 * If-Match is needed by redactions alone, so a server without it holds a pad, and each handle tries
 * before its first one. */
#include "store/s3/pad.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/mutant.h"
#include "store/s3/request.h"

static jot_status put_absent(S3 *p, Str key, Str body, int *status, Err *e)
{
    AUTO(S3Answer) a = { 0 };
    S3Call c = { .method = "PUT", .key = key, .body = body, .absent = true };
    TRY(s3_ask(p, &c, &a, e));
    *status = a.status;
    return JOT_OK;
}

jot_status s3_probe(S3 *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Shown at;
    int first = 0, second = 0;
    if (p->one_writer || MUTANT(S3_NO_PROBE))
        return JOT_OK;
    Str key = arena_printf(&arena, "probe-%016llx", (unsigned long long)s3_nonce(p));
    TRY(put_absent(p, key, S("one"), &first, e));
    TRY(put_absent(p, key, S("two"), &second, e));
    TRY(s3_delete(p, key, e));
    if (second == 412)
        return JOT_OK;
    return err_set(e, JOT_UNSUPPORTED,
                   "the server at '%s' ignores If-None-Match, so several writers would overwrite "
                   "each other: use another one, or say that only one writes with ?writers=one",
                   err_show(&at, str(p->host)));
}

/* An object that is not there has no ETag, so this must fail. */
jot_status s3_probe_match(S3 *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(S3Answer) a = { 0 };
    Shown at;
    if (p->one_writer || p->matches)
        return JOT_OK;
    Str key = arena_printf(&arena, "probe-%016llx", (unsigned long long)s3_nonce(p));
    S3Call c = { .method = "PUT", .key = key, .body = S("one"), .match = S("\"none\"") };
    TRY(s3_ask(p, &c, &a, e));
    p->matches = a.status / 100 != 2;
    if (p->matches)
        return JOT_OK;
    TRY(s3_delete(p, key, e));
    return err_set(e, JOT_UNSUPPORTED,
                   "the server at '%s' ignores If-Match, so a redaction could overwrite what came "
                   "after it: purge instead, or say that only one writes with ?writers=one",
                   err_show(&at, str(p->host)));
}

/* --- The pad ------------------------------------------------------------------------------- */

static jot_status say_missing(const S3 *p, Err *e)
{
    Shown bucket, prefix;
    return err_set(e, JOT_NOT_FOUND, "there is no pad at '%s' in bucket '%s'",
                   err_show(&prefix, p->prefix), err_show(&bucket, p->shown));
}

static jot_status say_damaged(const S3 *p, Err *e)
{
    Shown prefix;
    return err_set(e, JOT_CORRUPT, "the object '%spad' does not say what the pad is",
                   err_show(&prefix, p->prefix));
}

static jot_status check_format(S3 *p, uint64_t read, uint64_t write, Err *e)
{
    if (read > S3_READ_FORMAT)
        return err_set(e, JOT_UNSUPPORTED,
                       "the pad has format %llu, and this version knows %d: use a newer one",
                       (unsigned long long)read, S3_READ_FORMAT);
    if (write > S3_WRITE_FORMAT && !p->base.read_only_why[0])
        snprintf(p->base.read_only_why, sizeof p->base.read_only_why,
                 "it was written by a newer version");
    return JOT_OK;
}

static jot_status read_facts(S3 *p, Str text, Err *e)
{
    uint64_t read = 0, write = 0;
    Str word, id, line;
    if (!str_cut(&text, '\n', &line) || !str_cut(&line, ' ', &word) || !str_eq(word, S("jotter")) ||
        !str_cut(&line, ' ', &word) || !str_to_u64(word, INT32_MAX, &read) ||
        !str_cut(&line, ' ', &word) || !str_to_u64(word, INT32_MAX, &write) ||
        !str_cut(&line, ' ', &id) || id.n != STORE_PAD_ID)
        return say_damaged(p, e);
    snprintf(p->id, sizeof p->id, STR_FMT, STR_ARG(id));
    bool one = str_eq(line, S("one"));
    if (one && !p->one_writer && !p->base.read_only_why[0])
        return err_set(e, JOT_UNSUPPORTED,
                       "this pad is on a server that cannot keep several writers apart: open it "
                       "with ?writers=one if no other process writes");
    return check_format(p, read, write, e);
}

static jot_status make(S3 *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    int status = 0;
    Id id = id_random(p->base.io, STORE_PAD_ID / 2);
    TRY(s3_probe(p, e));
    Str text = arena_printf(&arena, "jotter %d %d %s %s\n", S3_READ_FORMAT, S3_WRITE_FORMAT,
                            id.text, p->one_writer ? "one" : "any");
    return put_absent(p, S("pad"), text, &status, e); /* if it is there, another made it just now */
}

jot_status s3_identify(S3 *p, bool create, Err *e)
{
    AUTO(S3Answer) a = { 0 };
    bool there = false;
    TRY(s3_get(p, S("pad"), NULL, &a, &there, e));
    if (!there && create) {
        TRY(make(p, e));
        TRY(s3_get(p, S("pad"), NULL, &a, &there, e));
    }
    return there ? read_facts(p, buf_str(&a.body), e) : say_missing(p, e);
}
