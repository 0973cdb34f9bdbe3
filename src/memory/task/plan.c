/* plan.c - one plan: its record, the rules of its events, and the gate.
 *
 *     created ──► step ──► step ──► verified ──► ...      events, each with the plan after it
 *
 *     gate:  every step done or blocked, every postcondition satisfied ──► open
 *            else, up to PLAN_NUDGES_MAX times                         ──► nudge: what is open
 *            after that                                                ──► give up, and say so
 *
 * The deciding stream is plans/ID.  An event is made from the plan as it was read,
 * and appended under EXPECT_SEQ; if another process was faster it is repeated on
 * what stands there then, because events about different steps do not exclude each
 * other. */
#include "memory/task/plan.h"

#include <assert.h>
#include <stdio.h>

#include "base/glyph.h"
#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "memory/task/plan_internal.h"

enum { TRIES = 32 /* of an event against others */ };

static const char *const names[] = { "pending", "in_progress", "done", "blocked" };

const char *plan_status_name(PlanStatus s)
{
    return (size_t)s < COUNT_OF(names) ? names[s] : "none";
}

bool plan_status_parse(Str name, PlanStatus *out)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(name, str(names[i]))) {
            *out = (PlanStatus)i;
            return true;
        }
    return false;
}

jot_status plan_stream(Str id, Arena *into, Str *out, Err *e)
{
    return memory_name(&(MemoryKind){ PLAN_KIND, "a plan's id" }, NULL, id, into, out, e);
}

/* --- The record ------------------------------------------------------------------------ */

static json_t *run_step_json(const PlanStep *s, size_t number)
{
    char id[24];
    snprintf(id, sizeof id, "s%zu", number);
    return json_pack("{s:s, s:o, s:s, s:o, s:o}", "id", id, "description",
                     json_text(s->description), "status", plan_status_name(s->status), "evidence",
                     json_text_or_null(s->evidence), "notes", json_text_or_null(s->notes));
}

json_t *plan_snapshot_json(const Plan *p)
{
    json_t *steps = json_array(), *posts = json_array();
    for (size_t i = 0; i < p->steps_n; i++)
        json_array_append_new(steps, run_step_json(&p->steps[i], i + 1));
    for (size_t i = 0; i < p->posts_n; i++)
        json_array_append_new(posts, json_pack("{s:o, s:b, s:o}", "description",
                                               json_text(p->posts[i].description), "satisfied",
                                               p->posts[i].satisfied, "evidence",
                                               json_text_or_null(p->posts[i].evidence)));
    return json_pack("{s:o, s:o, s:o, s:o, s:s}", "id", json_text(p->id), "objective",
                     json_text(p->objective), "steps", steps, "postconditions", posts, "created",
                     time_text(p->created_ms).text);
}

json_t *plan_json(const Plan *p)
{
    json_t *out = plan_snapshot_json(p);
    json_object_set_new(out, "ready", json_boolean(plan_ready(p)));
    json_object_set_new(out, "seq", json_integer((json_int_t)p->seq));
    json_object_set_new(out, "at", json_string(time_text(p->at_ms).text));
    json_object_set_new(out, "by", json_text(p->by));
    return out;
}

static Str text_of(const json_t *object, const char *key, Arena *into)
{
    return arena_copy(into, json_member(object, key));
}

bool plan_read_snapshot(const json_t *j, Arena *into, Plan *out)
{
    const json_t *steps = json_object_get(j, "steps"),
                 *posts = json_object_get(j, "postconditions");
    *out = (Plan){ .id = text_of(j, "id", into),
                   .objective = text_of(j, "objective", into),
                   .steps_n = json_array_size(steps),
                   .posts_n = json_array_size(posts) };
    if (!out->steps_n || out->steps_n > PLAN_STEPS_MAX || out->posts_n > PLAN_POSTCONDITIONS_MAX)
        return false;
    out->steps = NEW_ARRAY(into, PlanStep, out->steps_n);
    out->posts = NEW_ARRAY(into, PlanPostcondition, out->posts_n + 1);
    for (size_t i = 0; i < out->steps_n; i++) {
        const json_t *s = json_array_get(steps, i);
        out->steps[i] = (PlanStep){ .description = text_of(s, "description", into),
                                    .evidence = text_of(s, "evidence", into),
                                    .notes = text_of(s, "notes", into) };
        if (!plan_status_parse(json_member(s, "status"), &out->steps[i].status))
            return false;
    }
    for (size_t i = 0; i < out->posts_n; i++) {
        const json_t *p = json_array_get(posts, i);
        out->posts[i] =
            (PlanPostcondition){ .description = text_of(p, "description", into),
                                 .satisfied = json_is_true(json_object_get(p, "satisfied")),
                                 .evidence = text_of(p, "evidence", into) };
    }
    return time_parse(json_member(j, "created"), &out->created_ms);
}

jot_status plan_not_found(Str id, Err *e)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "there is no plan '%s' yet", err_show(&shown, id));
}

jot_status plan_read_recorded(Memory *m, Str id, Arena *into, Plan *out, Err *e)
{
    Str stream;
    Record head;
    Shown shown;
    AUTO_PTR(json_t) body = NULL;
    TRY(plan_stream(id, into, &stream, e));
    jot_status st = store_head(m->store, stream, HEAD_RECORD, into, &head, e);
    if (st == JOT_NOT_FOUND || (st == JOT_OK && !mark_live(&head.mark)))
        return plan_not_found(id, e);
    TRY(st);
    bool good = !head.mark.redacted && json_read(head.body, &body, NULL) == JOT_OK &&
                plan_read_snapshot(json_object_get(body, "plan"), into, out) && str_eq(out->id, id);
    if (!good)
        return err_set(e, JOT_CORRUPT, "the newest record of plan '%s' does not hold a plan",
                       err_show(&shown, id));
    out->seq = head.mark.seq;
    out->at_ms = head.mark.at_ms;
    /* What came in a file is not of who took it in. */
    const json_t *event = json_object_get(body, "event");
    Str by = text_of(event, "by", into);
    out->by = by.n ? by : head.by;
    out->file = share_seen(event);
    return JOT_OK;
}

jot_status plan_record(Memory *m, const Expect *x, json_t *event, Plan *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    share_note_seen(event, p->file);
    AUTO_PTR(json_t) body = json_pack("{s:o, s:o}", "event", event, "plan", plan_snapshot_json(p));
    AUTO_PTR(json_t)
    meta = json_pack("{s:s, s:b}", "event", json_string_value(json_object_get(event, "type")),
                     "ready", plan_ready(p));
    AUTO(Buf) text = { .max = STORE_BODY_MAX };
    AUTO(Buf) small = { 0 };
    Mark mark;
    Str stream;
    TRY(plan_stream(p->id, &arena, &stream, e));
    json_write(&text, body);
    json_write(&small, meta);
    if (!buf_ok(&text))
        return err_set(e, JOT_TOO_BIG, "the plan has more than %d bytes: the limit",
                       STORE_BODY_MAX);
    Draft d = { .op = OP_APPEND, .meta = buf_str(&small), .body = buf_str(&text) };
    TRY(memory_append(m, stream, x, &d, &mark, e));
    assert(!x || x->kind != EXPECT_SEQ || mark.seq > x->seq);
    p->seq = mark.seq;
    p->at_ms = mark.at_ms;
    p->by = m->by;
    return JOT_OK;
}

static jot_status append_event(Memory *m, const Expect *x, json_t *event, Plan *p, Err *e)
{
    TRY(plan_record(m, x, event, p, e));
    plan_show(m, p);
    return JOT_OK;
}

/* --- Creating -------------------------------------------------------------------------- */

jot_status plan_check_text(const char *what, Str text, bool needed, Err *e)
{
    if (needed && !text.n)
        return err_set(e, JOT_INVALID, "%s cannot be empty", what);
    if (text.n > PLAN_TEXT_MAX)
        return err_set(e, JOT_TOO_BIG, "%s of %zu bytes: the limit is %d", what, text.n,
                       PLAN_TEXT_MAX);
    return utf8_check(what, text, e);
}

static jot_status check_draft(const PlanDraft *d, Err *e)
{
    TRY(plan_check_text("an objective", d->objective, true, e));
    if (!d->steps_n || d->steps_n > PLAN_STEPS_MAX)
        return err_set(e, JOT_INVALID, "%zu steps: a plan has 1 to %d", d->steps_n, PLAN_STEPS_MAX);
    if (d->posts_n > PLAN_POSTCONDITIONS_MAX)
        return err_set(e, JOT_INVALID, "%zu postconditions: a plan has at most %d", d->posts_n,
                       PLAN_POSTCONDITIONS_MAX);
    for (size_t i = 0; i < d->steps_n; i++)
        TRY(plan_check_text("a step", d->steps[i], true, e));
    for (size_t i = 0; i < d->posts_n; i++)
        TRY(plan_check_text("a postcondition", d->posts[i], true, e));
    return JOT_OK;
}

jot_status plan_create(Memory *m, Str id, const PlanDraft *d, Arena *into, Plan *out, Err *e)
{
    Str stream;
    Plan old = { 0 };
    Err none = { 0 };
    TRY(plan_stream(id, into, &stream, e));
    TRY(check_draft(d, e));
    jot_status st = plan_take(m, id, into, &old, &none);
    if (st != JOT_OK && st != JOT_NOT_FOUND && st != JOT_INVALID && st != JOT_CORRUPT)
        return err_pass(e, &none, st);
    Plan p = { .file = old.file,
               .id = arena_copy(into, id),
               .objective = arena_copy(into, d->objective),
               .steps = NEW_ARRAY(into, PlanStep, d->steps_n),
               .steps_n = d->steps_n,
               .posts = NEW_ARRAY(into, PlanPostcondition, d->posts_n + 1),
               .posts_n = d->posts_n,
               .created_ms = io_wall_ms(m->io) };
    for (size_t i = 0; i < d->steps_n; i++)
        p.steps[i].description = arena_copy(into, d->steps[i]);
    for (size_t i = 0; i < d->posts_n; i++)
        p.posts[i].description = arena_copy(into, d->posts[i]);
    TRY(append_event(m, NULL, json_pack("{s:s}", "type", "created"), &p, e));
    *out = p;
    return JOT_OK;
}

/* --- Taking over ----------------------------------------------------------------------- */

typedef struct Older {
    int64_t at_ms;
    Arena *into;
    Plan plan;
    bool found;
} Older;

static jot_status keep_older(void *ctx, const Record *r)
{
    Older *o = ctx;
    AUTO_PTR(json_t) body = NULL;
    Plan p;
    if (r->mark.at_ms > o->at_ms || r->mark.redacted || json_read(r->body, &body, NULL) != JOT_OK ||
        !plan_read_snapshot(json_object_get(body, "plan"), o->into, &p))
        return JOT_OK;
    o->plan = p;
    o->found = true;
    return JOT_OK;
}

jot_status plan_take_over(Memory *m, Str from, int64_t at_ms, Str to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Older o = { .at_ms = at_ms, .into = &arena };
    Expect none = { .kind = EXPECT_SEQ, .seq = 0 };
    Err missing = { 0 };
    Str stream;
    TRY(plan_stream(from, &arena, &stream, e));
    jot_status st = memory_each_record(
        m, stream, &(RecordVisit){ .from = 1, .each = keep_older, .ctx = &o }, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &missing, st);
    if (!o.found)
        return JOT_OK;
    o.plan.id = to;
    st = append_event(m, &none,
                      json_pack("{s:s, s:o}", "type", "taken_over", "from", json_text(from)),
                      &o.plan, &missing);
    return st == JOT_OK || st == JOT_CONFLICT ? JOT_OK : err_pass(e, &missing, st);
}

/* --- Moving on ------------------------------------------------------------------------- */

/* `how` changes *p by `what`, and gives the event (the caller owns it); JOT_INVALID if the rules
 * forbid it. */
typedef struct Change {
    jot_status (*how)(Plan *p, const void *what, Arena *into, json_t **event, Err *e);
    const void *what;
} Change;

static jot_status change(Memory *m, Str id, const Change *c, Arena *into, Plan *out, Err *e)
{
    jot_status st = JOT_CONFLICT;
    for (int i = 0; i < TRIES && st == JOT_CONFLICT; i++) {
        json_t *event = NULL;
        Plan p;
        TRY(plan_take(m, id, into, &p, e));
        Expect x = { .kind = EXPECT_SEQ, .seq = p.seq };
        TRY(c->how(&p, c->what, into, &event, e));
        assert(event);
        st = append_event(m, &x, event, &p, e);
        if (st == JOT_OK)
            *out = p;
    }
    return st;
}

static jot_status change_step(Plan *p, const void *what, Arena *into, json_t **event, Err *e)
{
    const PlanMove *move = what;
    if (move->n < 1 || move->n > p->steps_n)
        return err_set(e, JOT_INVALID, "there is no step %zu: the plan has steps 1 to %zu", move->n,
                       p->steps_n);
    PlanStep *s = &p->steps[move->n - 1];
    if (move->status == PLAN_DONE && !move->evidence.n && !s->evidence.n)
        return err_set(e, JOT_INVALID,
                       "marking step %zu done needs 'evidence': what was seen that shows it, such "
                       "as the output of a command",
                       move->n);
    if (move->status == PLAN_BLOCKED && !move->notes.n && !s->notes.n)
        return err_set(e, JOT_INVALID, "marking step %zu blocked needs 'notes' that say why",
                       move->n);
    *event = json_pack("{s:s, s:I, s:s, s:s, s:o, s:o}", "type", "step", "n", (json_int_t)move->n,
                       "from", plan_status_name(s->status), "to", plan_status_name(move->status),
                       "evidence", json_text_or_null(move->evidence), "notes",
                       json_text_or_null(move->notes));
    s->status = move->status;
    if (move->evidence.n)
        s->evidence = arena_copy(into, move->evidence);
    if (move->notes.n)
        s->notes = arena_copy(into, move->notes);
    return JOT_OK;
}

jot_status plan_step(Memory *m, Str id, const PlanMove *move, Arena *into, Plan *out, Err *e)
{
    TRY(plan_check_text("evidence", move->evidence, false, e));
    TRY(plan_check_text("notes", move->notes, false, e));
    return change(m, id, &(Change){ change_step, move }, into, out, e);
}

static jot_status change_post(Plan *p, const void *what, Arena *into, json_t **event, Err *e)
{
    const PlanVerify *v = what;
    if (v->n < 1 || v->n > p->posts_n)
        return err_set(e, JOT_INVALID, "there is no postcondition %zu: the plan has %zu", v->n,
                       p->posts_n);
    if (!v->evidence.n)
        return err_set(e, JOT_INVALID,
                       "verifying postcondition %zu needs 'evidence': what was seen that shows it",
                       v->n);
    p->posts[v->n - 1].satisfied = true;
    p->posts[v->n - 1].evidence = arena_copy(into, v->evidence);
    *event = json_pack("{s:s, s:I, s:o}", "type", "verified", "n", (json_int_t)v->n, "evidence",
                       json_text(v->evidence));
    return JOT_OK;
}

jot_status plan_verify(Memory *m, Str id, const PlanVerify *what, Arena *into, Plan *out, Err *e)
{
    TRY(plan_check_text("evidence", what->evidence, false, e));
    return change(m, id, &(Change){ change_post, what }, into, out, e);
}

/* --- Looking --------------------------------------------------------------------------- */

static bool step_closed(const PlanStep *s)
{
    return s->status == PLAN_DONE || s->status == PLAN_BLOCKED;
}

bool plan_ready(const Plan *p)
{
    for (size_t i = 0; i < p->steps_n; i++)
        if (!step_closed(&p->steps[i]))
            return false;
    for (size_t i = 0; i < p->posts_n; i++)
        if (!p->posts[i].satisfied)
            return false;
    return true;
}

/* On one line, so that nothing in it can pass for another item. */
static void add_line(Buf *to, Str text)
{
    for (size_t at = 0, next; at < text.n; at = next) {
        size_t end = frame_line_end(text, at, &next);
        glyph_add(to, str_slice(text, at, end), GLYPH_LINE);
        if (next > end)
            buf_add_char(to, ' ');
    }
    buf_add_char(to, '\n');
}

static void add_detail(Buf *to, const char *what, Str text)
{
    if (!text.n)
        return;
    buf_addf(to, "     %s: ", what);
    add_line(to, text);
}

Str plan_text(const Plan *p, Arena *into)
{
    static const char marks[] = { ' ', '.', 'x', '!' };
    AUTO(Buf) text = { 0 };
    buf_add(&text, S("# Plan: "));
    add_line(&text, p->objective);
    buf_add(&text, S("## Steps\n"));
    for (size_t i = 0; i < p->steps_n; i++) {
        const PlanStep *s = &p->steps[i];
        buf_addf(&text, "%zu. [%c] ", i + 1, marks[s->status]);
        add_line(&text, s->description);
        add_detail(&text, "evidence", s->evidence);
        add_detail(&text, "notes", s->notes);
    }
    if (p->posts_n)
        buf_add(&text, S("## Postconditions\n"));
    for (size_t i = 0; i < p->posts_n; i++) {
        buf_addf(&text, "%zu. [%c] ", i + 1, p->posts[i].satisfied ? 'x' : ' ');
        add_line(&text, p->posts[i].description);
        add_detail(&text, "evidence", p->posts[i].evidence);
    }
    text.n--; /* the last line break */
    return arena_copy(into, buf_str(&text));
}

PlanGate plan_gate(const Plan *p, unsigned nudges, Arena *into, Str *text)
{
    AUTO(Buf) says = { 0 };
    *text = (Str){ 0 };
    if (!p || plan_ready(p))
        return PLAN_OPEN;
    bool last = nudges >= PLAN_NUDGES_MAX;
    buf_add(&says,
            last ? S("the plan is incomplete; open: ") : S("the plan is not finished; open: "));
    /* What is open, as "steps 2, 3; postconditions 1". */
    size_t n = 0;
    for (size_t i = 0; i < p->steps_n; i++)
        if (!step_closed(&p->steps[i]))
            buf_addf(&says, "%s%zu", n++ ? ", " : "steps ", i + 1);
    size_t m = 0;
    for (size_t i = 0; i < p->posts_n; i++) {
        if (p->posts[i].satisfied)
            continue;
        buf_addf(&says, "%s%zu", m ? ", " : n ? "; postconditions " : "postconditions ", i + 1);
        m++;
    }
    assert(n + m > 0); /* else the plan would be ready */
    if (!last)
        buf_add(&says, S(". Do what is left and say so with step_update and postcondition_verify, "
                         "with evidence; mark a step that cannot be done as blocked, with notes. "
                         "Then answer."));
    *text = arena_copy(into, buf_str(&says));
    return last ? PLAN_GIVE_UP : PLAN_NUDGE;
}
