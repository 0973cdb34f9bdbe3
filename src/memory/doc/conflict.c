/* conflict.c - looking at a refused write, and merging it.
 *
 * A merge is written like any other text, on condition of the version it was
 * made for: nothing is ever merged into something nobody has seen. */
#include "memory/doc/conflict.h"

#include "base/utf8.h"
#include "memory/doc/diff.h"
#include "memory/doc/history.h"

jot_status conflict_look(Memory *m, Str stream, Str base, Str mine, const Doc *now, Arena *into,
                         Conflict *out, Err *e)
{
    *out = (Conflict){ .stream = stream, .mine = mine, .now = *now };
    if (base.n == 0 || !mark_live(&now->mark))
        return JOT_OK;
    Doc read;
    Err missing = { 0 };
    When when = { .kind = WHEN_VERSION, .version = base };
    jot_status st = history_at(m, stream, &when, into, &read, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    Merge merge;
    diff_merge(read.text, mine, now->text, into, &merge);
    out->based = true;
    out->clean = merge.conflicts == 0 && merge.text.n <= STORE_BODY_MAX;
    out->merged = merge.text;
    return JOT_OK;
}

jot_status conflict_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out,
                          bool *merged, Conflict *c, Err *e)
{
    DocWrite now = *w;
    *merged = false;
    *c = (Conflict){ .stream = stream, .mine = w->text };
    for (int tries = 0; tries < DOC_TRIES_MAX; tries++) {
        Err why = { 0 };
        jot_status st = doc_write(m, stream, &now, into, out, &why);
        if (st != JOT_OK && e)
            *e = why;
        if (st != JOT_CONFLICT)
            return st;
        TRY(conflict_look(m, stream, now.when.version, now.text, out, into, c, e));
        if (!c->clean)
            break;
        HashHex seen = hash_hex(out->mark.sha256);
        now = (DocWrite){ .text = c->merged, .meta = w->meta };
        now.when.version = arena_copy(into, str(seen.text));
        *merged = true;
    }
    *merged = false;
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
