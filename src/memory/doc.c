/* doc.c - documents: reading the head, and replacing it under a condition.
 *
 * A version is given by a few hex digits, a condition needs all of them.  So the
 * head is read first; if the digits name it, the append demands exactly that
 * hash, and whoever was faster makes it fail. */
#include "memory/doc.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

Version version_of(Hash sha256)
{
    Version v;
    snprintf(v.text, sizeof v.text, "%.*s", VERSION_HEX, hash_hex(sha256).text);
    return v;
}

jot_status version_check(Str text, Err *e)
{
    bool good = text.n >= VERSION_HEX && text.n <= HASH_HEX;
    for (size_t i = 0; good && i < text.n; i++)
        good = (text.p[i] >= '0' && text.p[i] <= '9') || (text.p[i] >= 'a' && text.p[i] <= 'f');
    if (good)
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_INVALID, "invalid version '%s': use %d to %d hex digits, as a read gives",
                   err_show(&shown, text), VERSION_HEX, HASH_HEX);
}

bool version_names(Str text, Hash sha256)
{
    HashHex hex = hash_hex(sha256);
    return text.n >= VERSION_HEX && text.n <= HASH_HEX && memcmp(text.p, hex.text, text.n) == 0;
}

/* The head, whatever it is; a stream nobody wrote to is a Doc without op. */
static jot_status present(Memory *m, Str stream, Arena *into, Doc *out, Err *e)
{
    Record head;
    *out = (Doc){ 0 };
    Err missing = { 0 };
    jot_status st = store_head(m->store, stream, HEAD_RECORD, into, &head, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK) {
        if (e)
            *e = missing;
        return st;
    }
    *out = (Doc){ .text = head.body, .by = head.by, .meta = head.meta, .mark = head.mark };
    return JOT_OK;
}

jot_status doc_read(Memory *m, Str stream, Arena *into, Doc *out, Err *e)
{
    Shown shown;
    TRY(store_check_name(stream, e));
    TRY(present(m, stream, into, out, e));
    if (mark_live(&out->mark))
        return JOT_OK;
    return err_set(e, JOT_NOT_FOUND, "'%s' not found", err_show(&shown, stream));
}

static jot_status conflict(Str stream, const DocIf *when, const Doc *now, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    if (!mark_live(&now->mark))
        return err_set(e, JOT_CONFLICT, "'%s' is not there any more", name);
    return err_set(e, JOT_CONFLICT, "'%s' %s: it is at version %s now", name,
                   when->absent ? "exists" : "has changed", version_of(now->mark.sha256).text);
}

/* Append under a condition; *out is what stands there afterwards. */
static jot_status change(Memory *m, Str stream, const DocIf *when, const Draft *d, Arena *into,
                         Doc *out, Err *e)
{
    assert(!(when->absent && when->version.n));
    *out = (Doc){ 0 };
    TRY(store_check_name(stream, e));
    Expect x = { .kind = when->absent ? EXPECT_ABSENT : EXPECT_ANY };
    if (when->version.n) {
        TRY(version_check(when->version, e));
        TRY(present(m, stream, into, out, e));
        if (!mark_live(&out->mark) || !version_names(when->version, out->mark.sha256))
            return conflict(stream, when, out, e);
        x = (Expect){ .kind = EXPECT_HASH, .sha256 = out->mark.sha256 };
    }
    Mark mark;
    jot_status st = memory_append(m, stream, &x, d, &mark, e);
    if (st == JOT_CONFLICT) {
        TRY(present(m, stream, into, out, e));
        return conflict(stream, when, out, e);
    }
    TRY(st);
    *out = (Doc){ .text = d->body, .by = m->by, .meta = d->meta, .mark = mark };
    return JOT_OK;
}

jot_status doc_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out, Err *e)
{
    Draft d = { .op = OP_PUT, .id = w->id, .meta = w->meta, .body = w->text };
    return change(m, stream, &w->when, &d, into, out, e);
}

jot_status doc_delete(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out, Err *e)
{
    Draft d = { .op = OP_DELETE };
    return change(m, stream, when ? when : &(DocIf){ 0 }, &d, into, out, e);
}
