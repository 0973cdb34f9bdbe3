/* compare.c - one program on two stores: the model in memory and an engine.
 *
 * Both have the same clock, so every answer must be equal to the last bit of the
 * chain; only `changes` may differ, and is held against what really changed.
 * Each answer becomes a text; the first two texts that differ end the run.  At
 * the end both pads are read completely, closed, opened and read again. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "child.h"
#include "program.h"

/* A run of one program. */
typedef struct Run {
    const Program *program;
    const Engine *engine;
    Trial *model, *subject;
    Cursor cursors[2];      /* one a handle, of the subject */
    bool changed[2][NAMES]; /* since each of them */
    Mark before, guard;     /* heads of the model before the step */
    int at;                 /* the step under way */
} Run;

Counters *counters(void)
{
    static Counters *shared;
    if (!shared) {
        void *p =
            mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(p != MAP_FAILED);
        shared = p;
    }
    return shared;
}

/* --- Answers as text ------------------------------------------------------------------- */

static void add_status(Buf *to, jot_status st, const Err *e)
{
    buf_addf(to, "%s", jot_status_name(st));
    if (st == JOT_OK)
        return;
    Str text = str(e->text);
    /* Which of several names is in the way is the engine's choice. */
    if (str_starts(text, S("cannot create '")))
        text.n = 15 + str_find(str_from(text, 15), '\'');
    buf_addf(to, " (" STR_FMT ")", STR_ARG(text));
}

static void add_mark(Buf *to, const Mark *m)
{
    buf_addf(to, " seq %llu at %lld op %d%s fence %llu size %llu sha %.8s chain %.8s",
             (unsigned long long)m->seq, (long long)m->at_ms, (int)m->op,
             m->redacted ? " redacted" : "", (unsigned long long)m->fence,
             (unsigned long long)m->size, hash_hex(m->sha256).text, hash_hex(m->chain).text);
}

static void add_text(Buf *to, const char *what, Str text)
{
    Shown shown;
    if (text.n)
        buf_addf(to, " %s '%s'", what, err_show(&shown, text));
    if (text.n > 60)
        buf_addf(to, " %zu:%.8s", text.n, hash_hex(hash_of(text)).text);
}

static void add_record(Buf *to, const Record *r)
{
    add_mark(to, &r->mark);
    add_text(to, "by", r->by);
    add_text(to, "id", r->id);
    add_text(to, "meta", r->meta);
    add_text(to, "extra", r->extra);
    add_text(to, "body", r->body);
}

/* --- The steps ------------------------------------------------------------------------- */

/* A seq that far from the model's head; none below 0. */
static uint64_t seq_at(const Mark *head, int shift)
{
    int64_t seq = (int64_t)head->seq + shift;
    return seq < 0 ? 0 : (uint64_t)seq;
}

static Str stream_of(const Step *s)
{
    return name_of(s->stream);
}

static void do_append(const Run *run, Trial *p, const Step *s, Buf *to)
{
    Expect x = { .kind = s->expect, .seq = seq_at(&run->before, s->shift) };
    if (s->expect == EXPECT_HASH)
        x.sha256 = hash_of(body_of(s->version));
    if (s->guard) {
        x.guard = name_of(s->guard - 1);
        x.guard_seq = seq_at(&run->guard, s->guard_shift);
    }
    Draft d = { .op = s->op,
                .by = author_of(s->by),
                .id = id_of(s->id),
                .meta = meta_of(s->meta),
                .fence = (uint64_t)s->fence };
    if (s->op != OP_DELETE)
        d.body = body_of(s->body);
    Mark m = { 0 };
    jot_status st = store_append(p->s, stream_of(s), &x, &d, &m, &p->e);
    add_status(to, st, &p->e);
    if (st == JOT_OK || st == JOT_CONFLICT || st == JOT_FENCED)
        add_mark(to, &m);
}

static void do_burst(Trial *p, const Step *s, Buf *to)
{
    Draft d = { .op = store_kind(stream_of(s))->document ? OP_PUT : OP_APPEND, .by = S("ann") };
    for (int i = 0; i < s->n; i++) {
        char body[16];
        snprintf(body, sizeof body, "%d", i);
        d.body = str(body);
        Mark m = { 0 };
        add_status(to, store_append(p->s, stream_of(s), NULL, &d, &m, &p->e), &p->e);
        buf_addf(to, " %llu %.8s ", (unsigned long long)m.seq, hash_hex(m.chain).text);
    }
}

static void do_head(Trial *p, const Step *s, Buf *to)
{
    Record r = { 0 };
    HeadWant want = (HeadWant)s->choice;
    jot_status st = store_head(p->s, stream_of(s), want, &p->arena, &r, &p->e);
    add_status(to, st, &p->e);
    if (st == JOT_OK && want != HEAD_VALUE)
        add_record(to, &r);
    if (st != JOT_OK || want != HEAD_VALUE)
        return;
    buf_addf(to, " %s size %llu sha %.8s", r.mark.op == OP_DELETE ? "deleted" : "live",
             (unsigned long long)r.mark.size, hash_hex(r.mark.sha256).text);
    add_text(to, "body", r.body);
}

static void do_read(const Run *run, Trial *p, const Step *s, Buf *to)
{
    Records got = { 0 };
    jot_status st =
        store_read(p->s, stream_of(s), (SeqRange){ seq_at(&run->before, s->shift), (size_t)s->n },
                   &p->arena, &got, &p->e);
    add_status(to, st, &p->e);
    for (size_t i = 0; st == JOT_OK && i < got.n; i++) {
        buf_addf(to, "\n      ");
        add_record(to, &got.items[i]);
    }
    buf_addf(to, "%s", got.more ? "\n      more" : "");
}

static void do_list(Trial *p, const Step *s, Buf *to)
{
    Listing got = { 0 };
    Str after = s->guard ? name_of(s->guard - 1) : (Str){ 0 };
    jot_status st = store_list(p->s,
                               &(ListQuery){ .prefix = prefix_of(s->stream),
                                             .after = after,
                                             .limit = (size_t)s->n,
                                             .which = (ListWhich)s->choice },
                               &p->arena, &got, &p->e);
    add_status(to, st, &p->e);
    for (size_t i = 0; st == JOT_OK && i < got.n; i++) {
        const Listed *one = &got.items[i];
        buf_addf(to, "\n      " STR_FMT, STR_ARG(one->name));
        add_mark(to, &one->mark);
        add_text(to, "by", one->by);
        add_text(to, "meta", one->meta);
    }
    buf_addf(to, "%s", got.more ? "\n      more" : "");
}

static void do_trim(const Run *run, Trial *p, const Step *s, Buf *to)
{
    uint64_t dropped = 0;
    uint64_t before = seq_at(&run->before, s->shift);
    add_status(to, store_trim(p->s, stream_of(s), NULL, before, &dropped, &p->e), &p->e);
    buf_addf(to, " dropped %llu", (unsigned long long)dropped);
}

static void do_redact(const Run *run, Trial *p, const Step *s, Buf *to)
{
    uint64_t seq = seq_at(&run->before, s->shift);
    add_status(to, store_redact(p->s, stream_of(s), NULL, seq, &p->e), &p->e);
}

static void do_purge(Trial *p, const Step *s, Buf *to)
{
    Mark m = { 0 };
    jot_status st = store_purge(p->s, stream_of(s), NULL, author_of(s->by), &m, &p->e);
    add_status(to, st, &p->e);
    if (st == JOT_OK)
        add_mark(to, &m);
}

/* Records that follow the model's head, but for the flaw. */
static void make_records(const Run *run, const Step *s, Record *out)
{
    Str stream = stream_of(s);
    Mark head = run->before;
    if (head.seq == 0 && s->shift)
        head = (Mark){ .seq = (uint64_t)s->shift, .chain = hash_of(S("elsewhere")) };
    for (int i = 0; i < s->n; i++) {
        bool last = i == s->n - 1;
        Draft d = { .op = last ? s->op : OP_PUT, .by = S("eve"), .meta = meta_of(s->meta) };
        d.fence = (uint64_t)s->fence;
        if (d.op != OP_DELETE)
            d.body = body_of(last ? s->body : i);
        int64_t at = run->model->now_ms > head.at_ms ? run->model->now_ms : head.at_ms;
        if (s->choice == FLAW_TIME)
            at = head.at_ms - 1;
        if (s->choice == FLAW_GAP)
            head.seq++;
        if (s->choice == FLAW_FENCE)
            head.fence = 0;
        out[i] = next_record(stream.p, &head, d, at < 0 ? 0 : at);
        if (s->choice == FLAW_CHAIN || (s->choice == FLAW_LAST_CHAIN && last))
            out[i].mark.chain.b[7] ^= 1;
        if (s->choice == FLAW_HASH && d.op != OP_DELETE)
            out[i].mark.sha256.b[7] ^= 1;
        if (i == 1 && s->n > 2) { /* one of them was redacted where it comes from */
            out[i].mark.redacted = true;
            out[i].body = (Str){ 0 };
        }
        if (i == 0)
            out[i].extra = S("\"colour\":\"red\"");
        head = out[i].mark;
    }
}

static void do_put_records(const Run *run, Trial *p, const Step *s, Buf *to)
{
    Record records[4];
    make_records(run, s, records);
    add_status(to, store_put_records(p->s, stream_of(s), records, (size_t)s->n, &p->e), &p->e);
}

/* Of one history where it follows the head, otherwise of an unknown one, and as old as the head. */
static void do_place(const Run *run, Trial *p, const Step *s, Buf *to)
{
    Mark before = run->before;
    before.seq = seq_at(&run->before, s->shift);
    if (s->shift)
        before.chain = hash_of(S("elsewhere"));
    Draft d = { .op = OP_PUT, .by = S("eve"), .body = body_of(s->body) };
    Record r = next_record(stream_of(s).p, &before, d, run->before.at_ms);
    Expect x = { .kind = EXPECT_SEQ, .seq = seq_at(&run->before, s->guard_shift) };
    add_status(to, store_place_records(p->s, stream_of(s), &x, &r, 1, &p->e), &p->e);
}

static void do_forget_before(const Run *run, Trial *p, const Step *s, Buf *to)
{
    uint64_t seq = seq_at(&run->before, s->shift);
    add_status(to, store_forget_before(p->s, stream_of(s), NULL, seq, &p->e), &p->e);
}

/* A copy must be the model, to the last byte. */
static void do_copy(Run *run)
{
    Trial *target = trial_new(engine_find("mem"), run->subject->dir);
    CopyCount count;
    Trial *p = run->subject;
    CHECK_IS(p, store_copy(p->s, target->s, NULL, &count, &p->e), JOT_OK);
    CHECK_TEXT(trial_dump(target), trial_dump(run->model));
    trial_free(target);
}

/* --- Changes --------------------------------------------------------------------------- */

static Mark model_head(const Run *run, Str stream)
{
    Record r = { 0 };
    Trial *p = run->model;
    jot_status st = store_head(p->s, stream, HEAD_MARK, &p->arena, &r, &p->e);
    return st == JOT_OK ? r.mark : (Mark){ 0 };
}

static bool model_redacted(const Run *run, const Step *s)
{
    Records got = { 0 };
    Trial *p = run->model;
    uint64_t seq = seq_at(&run->before, s->shift);
    jot_status st = store_read(p->s, stream_of(s), (SeqRange){ seq, 1 }, &p->arena, &got, &p->e);
    return st == JOT_OK && got.n && got.items[0].mark.seq == seq && got.items[0].mark.redacted;
}

static void note_change(Run *run, const Step *s, bool redacted_before)
{
    if (s->kind == STEP_LIST)
        return;
    bool moved = model_head(run, stream_of(s)).seq != run->before.seq;
    if (s->kind == STEP_REDACT && !redacted_before && model_redacted(run, s))
        moved = true;
    if (moved)
        run->changed[0][s->stream] = run->changed[1][s->stream] = true;
}

static void check_changes(Run *run, int handle)
{
    Changes got = changes(run->subject, &run->cursors[handle]);
    for (int i = 0; i < NAMES; i++)
        if (run->changed[handle][i] && !got.rescan && !names_hold(&got, name_of(i).p))
            FAIL("step %d: '%s' has changed and was not named", run->at + 1, name_of(i).p);
    run->cursors[handle] = got.next;
    memset(run->changed[handle], 0, sizeof run->changed[handle]);
}

/* --- One program ----------------------------------------------------------------------- */

static void do_step(const Run *run, Trial *p, const Step *s, Buf *to)
{
    switch (s->kind) {
    case STEP_APPEND:
        do_append(run, p, s, to);
        break;
    case STEP_BURST:
        do_burst(p, s, to);
        break;
    case STEP_HEAD:
        do_head(p, s, to);
        break;
    case STEP_READ:
        do_read(run, p, s, to);
        break;
    case STEP_LIST:
        do_list(p, s, to);
        break;
    case STEP_TRIM:
        do_trim(run, p, s, to);
        break;
    case STEP_REDACT:
        do_redact(run, p, s, to);
        break;
    case STEP_PURGE:
        do_purge(p, s, to);
        break;
    case STEP_PUT_RECORDS:
        do_put_records(run, p, s, to);
        break;
    case STEP_PLACE:
        do_place(run, p, s, to);
        break;
    case STEP_FORGET_BEFORE:
        do_forget_before(run, p, s, to);
        break;
    case STEP_CLOCK:
        p->now_ms += s->shift;
        break;
    case STEP_CHANGES:
    case STEP_REOPEN:
    case STEP_COPY:
    case STEP_KINDS:
        break;
    }
}

/* Steps that are about the subject alone. */
static void do_apart(Run *run, const Step *s)
{
    if (s->kind == STEP_CHANGES)
        check_changes(run, run->engine->lasting ? s->handle : 0);
    if (s->kind == STEP_REOPEN && run->engine->lasting && s->choice)
        trial_reboot(run->subject);
    else if (s->kind == STEP_REOPEN && run->engine->lasting)
        trial_reopen(run->subject);
    if (s->kind == STEP_COPY)
        do_copy(run);
}

static void run_step(Run *run, const Step *s)
{
    AUTO(Buf) want = { 0 };
    AUTO(Buf) got = { 0 };
    if (run->engine->lasting)
        trial_use(run->subject, (size_t)s->handle);
    run->before = s->kind == STEP_LIST ? (Mark){ 0 } : model_head(run, stream_of(s));
    run->guard = s->guard ? model_head(run, name_of(s->guard - 1)) : (Mark){ 0 };
    bool redacted = s->kind == STEP_REDACT && model_redacted(run, s);
    do_step(run, run->model, s, &want);
    do_step(run, run->subject, s, &got);
    CHECK(buf_ok(&want) && buf_ok(&got));
    if (!str_eq(buf_str(&want), buf_str(&got)))
        FAIL("step %d differs\n    mem: " STR_FMT "\n    %s: " STR_FMT, run->at + 1,
             STR_ARG(buf_str(&want)), run->engine->name, STR_ARG(buf_str(&got)));
    note_change(run, s, redacted);
    do_apart(run, s);
    counters()->operations += s->kind == STEP_BURST ? (uint64_t)s->n : 1;
}

static void check_end(Run *run)
{
    CHECK_TEXT(trial_dump(run->subject), trial_dump(run->model));
    check_chains_over_gaps(run->subject);
    if (run->engine->lasting) {
        trial_reopen(run->subject);
        CHECK_TEXT(trial_dump(run->subject), trial_dump(run->model));
    }
    if (run->program->seed % 4 == 0) {
        Trial *target = trial_new(run->engine, run->model->dir);
        CopyCount count;
        CHECK_IS(target, store_copy(run->model->s, target->s, NULL, &count, &target->e), JOT_OK);
        CHECK_TEXT(trial_dump(target), trial_dump(run->model));
        trial_free(target);
    }
}

typedef struct Pair {
    const Program *program;
    const Engine *engine;
} Pair;

static void run_pair(void *ctx, const char *dir)
{
    const Pair *pair = ctx;
    Run run = { .program = pair->program, .engine = pair->engine };
    names_have_twins(!pair->engine->server);
    run.model = trial_new(engine_find("mem"), dir);
    run.subject = trial_new(pair->engine, dir);
    run.cursors[0] = run.cursors[1] = changes(run.subject, NULL).next;
    for (int i = 0; i < pair->program->n; i++) {
        run.at = counters()->step = i;
        run_step(&run, &pair->program->steps[i]);
    }
    counters()->step = pair->program->n;
    check_end(&run);
    trial_free(run.model);
    trial_free(run.subject);
}

bool program_agrees(const Program *program, const Engine *engine, char *why)
{
    Pair pair = { program, engine };
    counters(); /* shared with the child, so made before it */
    return child_run(run_pair, &pair, false, why);
}
