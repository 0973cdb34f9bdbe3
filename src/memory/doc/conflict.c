/* conflict.c - looking at a refused write, and merging it.
 *
 *            base, which both had read
 *           /                         \\
 *        mine                          now, which somebody wrote meanwhile
 *           \\                         /
 *            merged: three-way, by lines
 *
 * The base is in the history, because the writer named its version.  A merge is
 * written like any other text, on condition of the version it was made for: nothing
 * is ever merged into something nobody has seen.  If somebody is faster once more,
 * the merge is `mine` and what it was made for is the base. */
#include "memory/doc/conflict.h"

#include "base/utf8.h"
#include "memory/doc/diff.h"
#include "memory/doc/history.h"

jot_status conflict_look(Memory *m, Conflict *c, Arena *into, Err *e)
{
    c->based = c->clean = false;
    c->merged = (Str){ 0 };
    if (c->base.n == 0 || !mark_live(&c->now.mark))
        return JOT_OK;
    Doc read;
    Err missing = { 0 };
    When when = { .kind = WHEN_VERSION, .version = c->base };
    jot_status st = history_at(m, c->stream, &when, into, &read, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    Merge merge;
    diff_merge(read.text, c->mine, c->now.text, into, &merge);
    c->based = true;
    c->clean = merge.conflicts == 0 && merge.text.n <= STORE_BODY_MAX;
    c->merged = merge.text;
    return JOT_OK;
}

jot_status conflict_check(const DocWrite *w, Err *e)
{
    if (w->when.absent && w->when.version.n)
        return err_set(e, JOT_INVALID,
                       "a write can depend on a version or on there being none, "
                       "not on both");
    if (w->merge && !w->when.version.n)
        return err_set(e, JOT_INVALID, "a merge needs the version you read");
    return JOT_OK;
}

jot_status conflict_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Conflict *c,
                          Err *e)
{
    DocWrite next = *w;
    *c = (Conflict){ .stream = stream };
    TRY(conflict_check(w, e));
    for (int tries = 0; tries < DOC_TRIES_MAX; tries++) {
        Err why = { 0 };
        jot_status st = doc_write(m, stream, &next, into, &c->now, &why);
        if (st != JOT_OK && e)
            *e = why;
        c->joined = st == JOT_OK && tries > 0;
        if (st != JOT_CONFLICT)
            return st;
        c->base = next.when.version;
        c->mine = next.text;
        TRY(conflict_look(m, c, into, w->merge ? e : NULL));
        if (!w->merge || !c->clean)
            break;
        HashHex seen = hash_hex(c->now.mark.sha256);
        next = (DocWrite){ .text = c->merged, .meta = w->meta };
        next.when.version = arena_copy(into, str(seen.text));
    }
    c->mine = w->text;
    return JOT_CONFLICT;
}

json_t *conflict_json(const Conflict *c, const Err *e)
{
    const StatusInfo *info = status_info(JOT_CONFLICT);
    bool live = mark_live(&c->now.mark);
    return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o}", "status", info->name, "error",
                     json_text(str(e->text)), "retry", info->retry, "present",
                     live ? doc_json(c->stream, &c->now, true) : json_null(), "mine",
                     c->mine.p ? json_text(c->mine) : json_null(), "merge",
                     c->clean ? json_text(c->merged) : json_null());
}
