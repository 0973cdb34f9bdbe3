/* run_branch.c - a run that begins as another one did.
 *
 * A run is never cut: going back to an earlier point begins a new one, which has the records
 * of the old one up to there under the same numbers.  So everything that names a record by its
 * number (a result its call, a summary where it ends, a fold what it adds up) is right in the copy,
 * too, and both runs can be read by themselves.
 *
 * The first record says where the others come from and how many there are to be.  A process that
 * dies while it copies leaves a run that is too short by that record, and the process that opens it
 * copies the rest first.
 *
 * Calls keep their names, which are those of their results in the sink.  Each copied reply says
 * which run it was made in, because the names of its calls begin with that. */
#include <assert.h>
#include <stdio.h>

#include "base/time.h"
#include "memory/run/run.h"

/* One record as it is, with its body. */
static jot_status read_one(const Run *r, uint64_t seq, Arena *into, Record *out, Err *e)
{
    Records page;
    Str stream = str(r->stream);
    TRY(store_read(r->m->store, stream, (SeqRange){ seq, 1 }, into, &page, e));
    if (page.n == 0 || page.items[0].mark.seq != seq || page.items[0].mark.op != OP_APPEND)
        return err_set(e, JOT_CORRUPT,
                       "record %llu of run '%s' cannot be read: it cannot be taken back to a point "
                       "after it",
                       (unsigned long long)seq, r->id);
    *out = page.items[0];
    return JOT_OK;
}

/* The meta of a copy: as it was, and what the copy itself cannot say any more. */
static void copy_meta(const Run *from, const Record *r, Buf *to)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) meta = NULL;
    RunStep s = run_step_of(r, &arena);
    bool names = s.kind == RUN_REPLY && !s.origin.n;
    if ((!names && !r->mark.redacted) || json_read(r->meta, &meta, NULL) != JOT_OK) {
        buf_add(to, r->meta);
        return;
    }
    if (names)
        json_object_set_new(meta, "origin", json_string(from->id));
    if (r->mark.redacted)
        json_object_set_new(meta, "redacted", json_true());
    json_write(to, meta);
}

jot_status run_branch(const Run *from, const RunPoint *at, Run *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) meta = { 0 };
    Record first;
    TRY(read_one(from, 1, &arena, &first, e));
    RunStep s = run_step_of(&first, &arena);
    AUTO_PTR(json_t)
    json =
        json_pack("{s:s, s:o, s:s, s:I, s:I}", "kind", "init", "sign", json_text(s.sign), "origin",
                  from->id, "until", (json_int_t)at->until, "turn", (json_int_t)at->turn);
    if (s.limits.calls)
        json_object_set_new(json, "limit", json_integer((json_int_t)s.limits.calls));
    if (s.limits.similar)
        json_object_set_new(json, "similarity", json_integer((json_int_t)s.limits.similar));
    if (first.mark.redacted)
        json_object_set_new(json, "redacted", json_true());
    json_write(&meta, json);
    return run_begin_with(from->m, buf_str(&meta), first.body, out, e);
}

jot_status run_origin(const Run *r, Arena *into, RunStep *out, Err *e)
{
    Record first;
    *out = (RunStep){ 0 };
    TRY(read_one(r, 1, into, &first, e));
    *out = run_step_of(&first, into);
    return JOT_OK;
}

jot_status run_branch_fill(Run *r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Run) from = { 0 };
    RunStep first;
    TRY(run_refresh(r, e));
    if (run_origin(r, &arena, &first, NULL) != JOT_OK || !first.origin.n ||
        r->state.seq >= first.until)
        return JOT_OK;
    TRY(run_at(r->m, first.origin, &from, e));
    for (uint64_t seq = r->state.seq + 1; seq <= first.until; seq++) {
        AUTO(Arena) one = { 0 };
        AUTO(Buf) meta = { 0 };
        Record was;
        TRY(read_one(&from, seq, &one, &was, e));
        copy_meta(&from, &was, &meta);
        Expect x = { .kind = EXPECT_SEQ, .seq = seq - 1 };
        Draft d = { .op = OP_APPEND, .meta = buf_str(&meta), .body = was.body };
        Mark mark;
        TRY(memory_append(r->m, str(r->stream), &x, &d, &mark, e));
        assert(mark.seq == seq);
    }
    return run_refresh(r, e);
}
