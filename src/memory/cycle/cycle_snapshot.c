/* cycle_snapshot.c - keeping snapshots, finding them, and cleaning up.
 *
 *     cycles/AGENT          before(1) after(1) before(2) after(2) ...    the state stream
 *                              |         |
 *                              v         v
 *     snapshots/AGENT/      ID_before  ID_after                          a document each
 *     steps/AGENT/ID        what happened between the two
 *
 * The state stream decides.  A snapshot is a copy of a record of it, made with the expectation that
 * there is none yet, so two processes that make it at once make it once.  A reader of a cycle
 * looks at the end of the state stream first (cycle_tail.c): only older cycles are read from their
 * snapshots.  What a person did to a snapshot afterwards (edit, delete, import) changes what is
 * shown of an old cycle, never the state. */
#include "memory/cycle/cycle_snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cycle/cycle_pair.h"
#include "memory/cycle/cycle_steps.h"
#include "memory/doc/doc.h"

static Str stream_of(Str agent, Str id, const char *which, Arena *into)
{
    return arena_printf(into, "snapshots/" STR_FMT "/" STR_FMT "_%s", STR_ARG(agent), STR_ARG(id),
                        which);
}

/* --- Keeping ----------------------------------------------------------------------------- */

/* The first record is the snapshot; whatever else happened to the document stays. */
static jot_status keep(Memory *m, Str stream, json_t *meta, Str body, Err *e)
{
    AUTO_PTR(json_t) owned = meta;
    AUTO(Buf) text = { 0 };
    json_write(&text, owned);
    Expect first = { .kind = EXPECT_SEQ, .seq = 0 };
    Draft d = { .op = OP_PUT, .meta = buf_str(&text), .body = body };
    Mark mark;
    Err failed = { 0 };
    jot_status st = memory_append(m, stream, &first, &d, &mark, &failed);
    if (st == JOT_OK || st == JOT_CONFLICT)
        return JOT_OK;
    if (e)
        *e = failed;
    return st;
}

jot_status cycle_snapshot_keep(Memory *m, Str agent, const Tail *t, Err *e)
{
    AUTO(Arena) arena = { 0 };
    assert((!t->before_seq && !t->after_seq) || t->id.n);
    if (t->before_seq) {
        json_t *meta = json_pack(
            "{s:s, s:s%, s:I, s:I, s:s%, s:I, s:I}", "kind", "before", "cycle", t->id.p, t->id.n,
            "seq", (json_int_t)t->before_seq, "at", (json_int_t)t->started_ms, "by", t->woken_by.p,
            t->woken_by.n, "max", (json_int_t)t->iterations_max, "ttl", (json_int_t)t->ttl_ms);
        TRY(keep(m, stream_of(agent, t->id, "before", &arena), meta, t->before, e));
    }
    if (t->after_seq) {
        json_t *meta =
            json_pack("{s:s, s:s%, s:I, s:I, s:s, s:I}", "kind", "after", "cycle", t->id.p, t->id.n,
                      "seq", (json_int_t)t->after_seq, "at", (json_int_t)t->ended_ms, "end",
                      cycle_end_name(t->end), "iterations", (json_int_t)t->iterations);
        if (t->why.n)
            json_object_set_new(meta, "why", json_stringn(t->why.p, t->why.n));
        TRY(keep(m, stream_of(agent, t->id, "after", &arena), meta, t->after, e));
    }
    return JOT_OK;
}

static jot_status has_record(Memory *m, Str stream, bool *has, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err missing = { 0 };
    jot_status st = store_head(m->store, stream, HEAD_MARK, &arena, &head, &missing);
    *has = st == JOT_OK;
    if (st == JOT_OK || st == JOT_NOT_FOUND)
        return JOT_OK;
    return err_pass(e, &missing, st);
}

jot_status cycle_snapshot_taken(Memory *m, Str agent, Str id, bool *taken, Err *e)
{
    AUTO(Arena) arena = { 0 };
    TRY(has_record(m, stream_of(agent, id, "before", &arena), taken, e));
    return *taken ? JOT_OK : has_record(m, cycle_steps_stream(agent, id, &arena), taken, e);
}

/* --- Finding ----------------------------------------------------------------------------- */

static Str member(const json_t *meta, const char *key, Arena *into)
{
    return arena_copy(into, json_member(meta, key));
}

static int64_t number(const json_t *meta, const char *key)
{
    return json_integer_value(json_object_get(meta, key));
}

/* The record a snapshot is, and its meta, which the caller owns; NULL for one that was imported. */
static jot_status first_record(Memory *m, Str stream, Arena *into, Record *out, json_t **meta,
                               Err *e)
{
    Records page;
    Doc doc;
    TRY(doc_read(m, stream, into, &doc, e)); /* a deleted one is not found */
    Err unread = { 0 };
    *out = (Record){ .mark = doc.mark, .body = doc.text }; /* of a file that was put there */
    if (store_read(m->store, stream, (SeqRange){ 1, 1 }, into, &page, &unread) == JOT_OK && page.n)
        *out = page.items[0];
    if (out->mark.redacted) /* what was written in its place, without the phrase */
        out->body = doc.text;
    if (out->meta.n && json_read(out->meta, meta, NULL) != JOT_OK)
        *meta = NULL;
    return JOT_OK;
}

/* What the snapshots of a cycle say, as far as a tail would.  JOT_NOT_FOUND. */
static jot_status find(Memory *m, Str agent, Str id, Arena *into, Tail *out, Err *e)
{
    Record r;
    Shown shown;
    AUTO_PTR(json_t) before = NULL;
    AUTO_PTR(json_t) after = NULL;
    Err missing = { 0 };
    *out = (Tail){ .id = arena_copy(into, id), .phase = TAIL_IDLE, .end = CYCLE_KILLED };
    jot_status st =
        first_record(m, stream_of(agent, id, "before", into), into, &r, &before, &missing);
    if (st == JOT_NOT_FOUND)
        return err_set(e, JOT_NOT_FOUND, "cycle '%s' not found", err_show(&shown, id));
    if (st == JOT_OK) {
        out->before_seq = (uint64_t)number(before, "seq");
        out->before = r.body;
        out->started_ms = before ? number(before, "at") : r.mark.at_ms;
        out->woken_by = member(before, "by", into);
        out->iterations_max = (size_t)number(before, "max");
        out->ttl_ms = number(before, "ttl");
        st = first_record(m, stream_of(agent, id, "after", into), into, &r, &after, &missing);
    }
    if (st == JOT_NOT_FOUND)
        return JOT_OK; /* its end was deleted by hand: what is known is that it began */
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    out->after = r.body;
    out->after_seq = (uint64_t)number(after, "seq");
    out->ended_ms = after ? number(after, "at") : r.mark.at_ms;
    if (out->after_seq == 0) {
        out->after_seq = 1; /* no cycle of ours: it was imported, or put there */
        Cycle c = { .id = out->id, .before = out->before, .after = out->after };
        cycle_pair_judge(&c, into);
        out->end = c.end;
        out->why = c.why;
        return JOT_OK;
    }
    out->end = cycle_tail_end(json_member(after, "end"));
    out->iterations = (size_t)number(after, "iterations");
    out->why = member(after, "why", into);
    return JOT_OK;
}

jot_status cycle_refuse_id(Str id, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID, "invalid cycle '%s': use YYYYMMDD_HHMMSS, as wake gives it",
                   err_show(&shown, id));
}

jot_status cycle_snapshot_locate(Memory *m, Str agent, Str id, Arena *into, Tail *out, Err *e)
{
    /* The newest cycle is known to the state stream, whose word counts; its snapshots may be
     * missing still, if the process that made them died. */
    TRY(cycle_tail_read(m, agent, into, out, e));
    if (str_eq(out->id, id) && out->before_seq)
        return JOT_OK;
    if (store_check_name(stream_of(agent, id, "before", into), NULL) != JOT_OK)
        return cycle_refuse_id(id, e);
    return find(m, agent, id, into, out, e);
}

/* --- Listing ----------------------------------------------------------------------------- */

typedef struct Lines {
    Arena *into;
    CycleList *out;
    size_t cap;
} Lines;

static CycleLine *line_for(Lines *l, Str id)
{
    CycleList *out = l->out;
    for (size_t i = out->n; i-- > 0;)
        if (str_eq(out->items[i].id, id))
            return &out->items[i];
    out->items =
        arena_grow(l->into, out->items, out->n, &l->cap, sizeof(CycleLine), alignof(CycleLine));
    out->items[out->n] = (CycleLine){ .id = arena_copy(l->into, id), .end = CYCLE_STOPPED };
    return &out->items[out->n++];
}

/* The meta of the head is that of the snapshot unless a person edited or brought it; such a cycle
 * has the times of its files, and what became of it is read from them. */
static jot_status add_line(void *ctx, const Listed *listed)
{
    Lines *l = ctx;
    AUTO_PTR(json_t) meta = NULL;
    size_t slash = str_find_last(listed->name, '/');
    Str name = str_from(listed->name, slash + 1);
    bool before = str_ends(name, S("_before"));
    CycleLine *line = line_for(l, str_slice(name, 0, name.n - (before ? 7 : 6)));
    if (listed->meta.n == 0 || json_read(listed->meta, &meta, NULL) != JOT_OK) {
        line->imported = true;
        *(before ? &line->started_ms : &line->ended_ms) = listed->mark.at_ms;
        return JOT_OK;
    }
    if (before) {
        line->started_ms = number(meta, "at");
        line->seq = (uint64_t)number(meta, "seq");
        return JOT_OK;
    }
    line->ended_ms = number(meta, "at");
    line->end = cycle_tail_end(json_member(meta, "end"));
    line->iterations = (size_t)number(meta, "iterations");
    line->why = member(meta, "why", l->into);
    return JOT_OK;
}

static jot_status judge_line(Memory *m, Str agent, Arena *into, CycleLine *line, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Tail t;
    Err missing = { 0 };
    jot_status st = find(m, agent, line->id, &arena, &t, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK; /* an end without a beginning */
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    line->end = t.end;
    line->iterations = t.iterations;
    line->why = arena_copy(into, t.why);
    return JOT_OK;
}

/* The newest first.  Ids of one second differ by a number, which sorts by its length first. */
static int newest_first(const void *a, const void *b)
{
    const CycleLine *x = b, *y = a;
    enum { SECOND = 15 };
    int order = str_cmp(str_slice(x->id, 0, SECOND), str_slice(y->id, 0, SECOND));
    if (order == 0 && x->id.n != y->id.n)
        order = x->id.n < y->id.n ? -1 : 1;
    return order ? order : str_cmp(x->id, y->id);
}

jot_status cycle_list(Memory *m, Str agent, Arena *into, CycleList *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Tail t;
    *out = (CycleList){ 0 };
    TRY(cycle_tail_read(m, agent, &arena, &t, e));
    Lines lines = { .into = into, .out = out };
    Str prefix = arena_printf(&arena, "snapshots/" STR_FMT "/", STR_ARG(agent));
    TRY(memory_each(m, prefix, LIST_LIVE, add_line, &lines, e));
    for (size_t i = 0; i < out->n; i++)
        if (out->items[i].imported)
            TRY(judge_line(m, agent, into, &out->items[i], e));
    /* The cycle that runs, or has just ended, is not among the snapshots yet, or is only begun. */
    if (t.phase == TAIL_OPEN || t.phase == TAIL_ENDING) {
        CycleLine *line = line_for(&lines, t.id);
        line->end = t.phase == TAIL_OPEN ? CYCLE_RUNNING : t.end;
        line->started_ms = t.started_ms;
        line->ended_ms = t.ended_ms;
        line->iterations = t.iterations;
        line->why = arena_copy(into, t.why);
        line->seq = t.before_seq;
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, newest_first);
    return JOT_OK;
}

/* --- Cleaning up ------------------------------------------------------------------------- */

typedef struct Clean {
    Memory *m;
    Str agent, keep; /* the cycle that is running, or empty */
    uint64_t n;
    Err *e;
} Clean;

static jot_status remove_one(Clean *c, Str stream)
{
    Mark mark;
    Err failed = { 0 };
    Draft d = { .op = OP_DELETE };
    jot_status st = memory_append(c->m, stream, NULL, &d, &mark, &failed);
    if (st == JOT_NOT_FOUND)
        return JOT_OK; /* somebody else was faster */
    if (st != JOT_OK && c->e)
        *c->e = failed;
    if (st == JOT_OK)
        c->n++;
    return st;
}

/* Snapshots and steps lie below their agent. */
static jot_status clean_one(void *ctx, const Listed *l)
{
    Clean *c = ctx;
    Str name = str_from(l->name, str_find_last(l->name, '/') + 1);
    Str rest = str_from(name, c->keep.n); /* ID, ID_before, ID_after: the running cycle stays */
    bool running = c->keep.n && str_starts(name, c->keep) && (!rest.n || rest.p[0] == '_');
    return running ? JOT_OK : remove_one(c, l->name);
}

/* Logs are named ID for the default agent and ID.AGENT for others. */
static jot_status clean_log(void *ctx, const Listed *l)
{
    Clean *c = ctx;
    Str name = str_from(l->name, str_find_last(l->name, '/') + 1);
    size_t dot = str_find(name, '.');
    Str agent = dot < name.n ? str_from(name, dot + 1) : S(CYCLE_DEFAULT_AGENT);
    Str id = str_slice(name, 0, dot);
    return str_eq(agent, c->agent) && !str_eq(id, c->keep) ? remove_one(c, l->name) : JOT_OK;
}

jot_status cycle_clean(Memory *m, Str agent, uint64_t *n, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Tail t;
    *n = 0;
    TRY(cycle_tail_read(m, agent, &arena, &t, e));
    bool running = t.phase == TAIL_OPEN || t.phase == TAIL_ENDING;
    Clean c = { .m = m, .agent = agent, .keep = running ? t.id : (Str){ 0 }, .e = e };
    static const char *const kinds[] = { "snapshots", "steps" };
    jot_status st = JOT_OK;
    for (size_t i = 0; st == JOT_OK && i < COUNT_OF(kinds); i++) {
        Str prefix = arena_printf(&arena, "%s/" STR_FMT "/", kinds[i], STR_ARG(agent));
        st = memory_each(m, prefix, LIST_LIVE, clean_one, &c, e);
    }
    if (st == JOT_OK)
        st = memory_each(m, S("logs/cycle/"), LIST_LIVE, clean_log, &c, e);
    *n = c.n;
    return st;
}
