/* plan_share.c - plans in files that git carries: what such a file says, and whether it may.
 *
 * As task_share.c, but for what may be: a plan has no states, so every plan that its own events
 * could have made is one. */
#include "memory/task/plan_internal.h"

enum { TAKE_TRIES = 8 };

typedef struct Sight {
    bool there; /* the stream has a plan: `now` */
    Plan now, next;
    bool takes, refused,
        removes; /* the file counts; it may not; it is gone, and the plan with it */
    SharedFile file;
    Err why; /* refused */
} Sight;

/* --- What a file says ------------------------------------------------------------------------ */

static jot_status check_steps(const Plan *p, Err *e)
{
    for (size_t i = 0; i < p->steps_n; i++) {
        const PlanStep *s = &p->steps[i];
        TRY(plan_check_text("a step", s->description, true, e));
        TRY(plan_check_text("evidence", s->evidence, false, e));
        TRY(plan_check_text("notes", s->notes, false, e));
        if (s->status == PLAN_DONE && !s->evidence.n)
            return err_set(e, JOT_INVALID, "its step %zu is done without evidence", i + 1);
        if (s->status == PLAN_BLOCKED && !s->notes.n)
            return err_set(e, JOT_INVALID, "its step %zu is blocked without notes", i + 1);
    }
    for (size_t i = 0; i < p->posts_n; i++) {
        const PlanPostcondition *c = &p->posts[i];
        TRY(plan_check_text("a postcondition", c->description, true, e));
        TRY(plan_check_text("evidence", c->evidence, false, e));
        if (c->satisfied && !c->evidence.n)
            return err_set(e, JOT_INVALID, "its postcondition %zu is satisfied without evidence",
                           i + 1);
    }
    return JOT_OK;
}

static jot_status read_file(Str id, const SharedFile *f, Arena *into, Plan *out, Err *e)
{
    AUTO_PTR(json_t) body = NULL;
    Shown shown;
    if (str_has_marks(f->text))
        return err_set(e, JOT_INVALID, "it holds the marks of a conflict in git");
    TRY(json_read(f->text, &body, e));
    if (!json_is_object(body) || !plan_read_snapshot(body, into, out))
        return err_set(e, JOT_INVALID,
                       "it holds no plan: steps, their statuses or the time it was "
                       "created are not what they should be");
    if (!str_eq(out->id, id))
        return err_set(e, JOT_INVALID, "it says that it is plan '%s'", err_show(&shown, out->id));
    out->at_ms = f->at_ms;
    out->by = S(STORE_OUTSIDE);
    TRY(plan_check_text("an objective", out->objective, true, e));
    return check_steps(out, e);
}

static bool same_plan(const Plan *a, const Plan *b)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) x = plan_snapshot_json(a);
    AUTO_PTR(json_t) y = plan_snapshot_json(b);
    return str_eq(json_to_str(&arena, x), json_to_str(&arena, y));
}

static jot_status judge(Str id, Arena *into, Sight *out)
{
    if (out->file.state == SHARE_BAD) {
        out->why = out->file.why;
        return out->why.status;
    }
    TRY(read_file(id, &out->file, into, &out->next, &out->why));
    out->next.seq = out->there ? out->now.seq : 0;
    out->next.file = out->file.seq;
    out->takes = !out->there || !same_plan(&out->now, &out->next);
    return JOT_OK;
}

static jot_status see(Memory *m, Str id, Arena *into, Sight *out, Err *e)
{
    Err missing = { 0 };
    Shown shown;
    *out = (Sight){ 0 };
    jot_status st = plan_read_recorded(m, id, into, &out->now, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &missing, st);
    out->there = st == JOT_OK;
    TRY(share_look(m, PLAN_KIND, id, into, &out->file, e));
    bool news = share_is_news(&out->file, out->now.file);
    if (out->file.seq > out->now.file)
        out->now.file = out->file.seq;
    out->removes = out->there && news && out->file.state == SHARE_GONE;
    if (!news || out->file.state == SHARE_GONE)
        return JOT_OK;
    if (judge(id, into, out) != JOT_OK) {
        out->refused = true;
        (void)err_at(&out->why, "the file of plan '%s' is not taken", err_show(&shown, id));
        out->now.refused = arena_copy(into, str(out->why.text));
    }
    return JOT_OK;
}

jot_status plan_read(Memory *m, Str id, Arena *into, Plan *out, Err *e)
{
    Sight s;
    TRY(see(m, id, into, &s, e));
    *out = s.takes ? s.next : s.now;
    if (s.takes || (s.there && !s.removes))
        return JOT_OK;
    *out = (Plan){ 0 };
    return s.refused ? err_pass(e, &s.why, JOT_INVALID) : plan_not_found(id, e);
}

/* --- Taking it in ---------------------------------------------------------------------------- */

/* Reported once: if it already has a record, the process that recorded it was told. */
static jot_status refuse(Sight *s, bool fresh, Err *e)
{
    if (!fresh)
        return s->there ? JOT_OK : err_pass(e, &s->why, JOT_INVALID);
    s->why.status = JOT_CONFLICT;
    (void)err_next(&s->why, S("its text is kept, and the next change writes over it"));
    return err_pass(e, &s->why, JOT_CONFLICT);
}

static jot_status take_once(Memory *m, Str id, Sight *s, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    Mark mark;
    Expect x = { .kind = s->there ? EXPECT_SEQ : EXPECT_ABSENT, .seq = s->now.seq };
    TRY(plan_stream(id, &arena, &stream, e));
    if (s->removes)
        return memory_append(m, stream, &x, &(Draft){ .op = OP_DELETE }, &mark, e);
    json_t *event =
        json_pack("{s:s, s:s}", "type", s->there ? "edited" : "created", "by", STORE_OUTSIDE);
    TRY(plan_record(m, &x, event, &s->next, e));
    s->next.by = S(STORE_OUTSIDE);
    return JOT_OK;
}

jot_status plan_take(Memory *m, Str id, Arena *into, Plan *out, Err *e)
{
    Shown shown;
    Sight s;
    bool fresh = false;
    for (int i = 0; i < TAKE_TRIES; i++) {
        Err why = { 0 };
        TRY(see(m, id, into, &s, e));
        *out = s.now;
        bool gone = s.file.state == SHARE_GONE && !s.file.seq;
        if (!s.takes && !s.refused && !s.removes && !gone)
            return s.there ? JOT_OK : plan_not_found(id, e);
        if (!s.file.seq && s.file.state != SHARE_BAD) {
            TRY(store_record_edits(m->store, s.file.stream, e));
            fresh = true;
            continue;
        }
        if (s.refused)
            return refuse(&s, fresh, e);
        jot_status st = take_once(m, id, &s, &why);
        if (st == JOT_CONFLICT)
            continue;
        if (st == JOT_OK && s.takes)
            *out = s.next;
        if (s.removes)
            *out = (Plan){ .file = s.now.file };
        return st == JOT_OK && s.removes ? plan_not_found(id, e) : err_pass(e, &why, st);
    }
    return err_set(e, JOT_CONFLICT, "plan '%s' keeps changing", err_show(&shown, id));
}

/* --- All of them ----------------------------------------------------------------------------- */

typedef struct Each {
    Memory *m;
    PlanEach *each;
    void *ctx;
    Err *e;
} Each;

static jot_status give_one(void *ctx, Str id)
{
    const Each *x = ctx;
    AUTO(Arena) arena = { 0 };
    Plan p;
    Err why = { 0 };
    jot_status st = plan_read(x->m, id, &arena, &p, &why);
    if (st == JOT_NOT_FOUND || st == JOT_INVALID)
        return JOT_OK;
    if (st != JOT_OK && st != JOT_CORRUPT)
        return err_pass(x->e, &why, st);
    if (st == JOT_CORRUPT)
        p = (Plan){ .id = id };
    return x->each(x->ctx, &p);
}

jot_status plan_each(Memory *m, PlanEach *each, void *ctx, Err *e)
{
    Each x = { m, each, ctx, e };
    return share_each(m, &(ShareWalk){ .kind = PLAN_KIND, .each = give_one, .ctx = &x }, e);
}

/* --- Showing it ------------------------------------------------------------------------------ */

static Str file_text(const Plan *p, Arena *into)
{
    AUTO_PTR(json_t) plan = plan_snapshot_json(p);
    return share_text(plan, into);
}

void plan_show(Memory *m, const Plan *p)
{
    AUTO(Arena) arena = { 0 };
    unsigned shares;
    if (share_now(m, &shares, &(Err){ 0 }) == JOT_OK && (shares & SHARE_PLANS))
        share_show(m, &(ShareText){ PLAN_KIND, p->id, file_text(p, &arena), p->seq, p->file });
}

jot_status plan_file_due(Memory *m, Str id, Arena *into, ShareText *out, Err *e)
{
    Sight s;
    Plan p;
    TRY(see(m, id, into, &s, e));
    *out = (ShareText){ .kind = PLAN_KIND, .id = id, .of = s.now.seq, .seen = s.file.seq };
    bool shows = s.file.state == SHARE_OURS && s.file.of == s.now.seq;
    /* What was brought and taken in says it in its own bytes. */
    if (s.file.state == SHARE_THEIRS && read_file(id, &s.file, into, &p, &(Err){ 0 }) == JOT_OK)
        shows = same_plan(&s.now, &p);
    bool news = s.takes || s.refused || s.removes;
    if (s.there && s.file.shared && !news && !shows)
        out->text = file_text(&s.now, into);
    return JOT_OK;
}
