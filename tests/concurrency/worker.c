/* worker.c - the mix of operations: mostly conditional appends to few streams, by workers who
 * know what they saw last and are often wrong by now. */
#include "worker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void worker_init(Worker *w, const Scene *scene, uint32_t number, uint32_t incarnation,
                 uint64_t seed, Meeting *meeting)
{
    assert(number < HISTORY_WORKERS_MAX);
    *w = (Worker){
        .scene = scene, .number = number, .incarnation = incarnation, .meeting = meeting
    };
    w->dice.state = seed ^ ((uint64_t)number << 32 | incarnation);
    dice_next(&w->dice);
}

void worker_remember(Worker *w, const Entry *e)
{
    if (e->kind != ENTRY_APPEND || e->id == 0)
        return;
    size_t i =
        w->repeat_n < WORKER_REPEATS_MAX ? w->repeat_n++ : dice_below(&w->dice, WORKER_REPEATS_MAX);
    w->repeats[i] = *e;
}

/* --- Choosing --------------------------------------------------------------------------- */

static uint16_t choose_stream(Worker *w)
{
    const Scene *sc = w->scene;
    if (sc->n == 1)
        return 0;
    if (dice_percent(&w->dice, 45))
        return (uint16_t)atomic_load(&w->meeting->focus);
    bool hot = dice_percent(&w->dice, 76);
    if (!hot)
        return (uint16_t)(sc->hot + dice_below(&w->dice, sc->n - sc->hot));
    static const unsigned weights[] = { 32, 20, 16, 8, 12, 12 };
    return (uint16_t)dice_pick(&w->dice, weights, sc->hot);
}

static void choose_expect(Worker *w, Entry *e)
{
    static const unsigned weights[] = { 30, 10, 35, 25 }; /* in the order of ExpectKind */
    e->expect = (uint8_t)dice_pick(&w->dice, weights, COUNT_OF(weights));
    bool old = dice_percent(&w->dice, 12);
    e->expect_seq = old ? w->known[e->stream].old_seq : w->known[e->stream].seq;
    e->expect_sha = old ? w->known[e->stream].old_sha : w->known[e->stream].sha;
}

static uint8_t choose_op(Worker *w, StreamUse use)
{
    if (dice_percent(&w->dice, use == USE_SKEW ? 3 : 13))
        return OP_DELETE;
    return use == USE_LOG && dice_percent(&w->dice, 90) ? OP_APPEND : OP_PUT;
}

static void choose_guard(Worker *w, Entry *e)
{
    uint16_t guard = w->scene->streams[e->stream].guard;
    bool skew = w->scene->streams[e->stream].use == USE_SKEW;
    if (guard == HISTORY_NO_STREAM || !dice_percent(&w->dice, skew ? 90 : 15))
        return;
    e->guard = guard;
    bool old = dice_percent(&w->dice, 10);
    e->guard_seq = old ? w->known[guard].old_seq : w->known[guard].seq;
}

/* The number of a body only this entry writes. */
static uint64_t own_content(const Worker *w, size_t index)
{
    return (uint64_t)(w->number + 1) << 40 | (index + 1);
}

/* Contents that a few workers write at the same time under the same id: one record, no more. */
static uint64_t duel_content(const Worker *w)
{
    enum { ASKED_EACH = 4 };
    return (uint64_t)1 << 63 | (atomic_fetch_add(&w->meeting->duels, 1) / ASKED_EACH + 1);
}

static void choose_append(Worker *w, size_t index, Entry *e)
{
    if (w->repeat_n && dice_percent(&w->dice, 8)) {
        uint32_t incarnation = e->incarnation;
        *e = w->repeats[dice_below(&w->dice, w->repeat_n)];
        e->incarnation = incarnation;
        if (e->op != OP_DELETE && dice_percent(&w->dice, 20))
            e->content = own_content(w, index); /* the same id for another content */
        return;
    }
    StreamUse use = w->scene->streams[e->stream].use;
    e->op = choose_op(w, use);
    choose_expect(w, e);
    choose_guard(w, e);
    e->content = own_content(w, index);
    if (e->op != OP_DELETE && use == USE_HOT && dice_percent(&w->dice, 10)) {
        e->content = e->id = duel_content(w);
        e->expect = EXPECT_ANY;
    } else if (dice_percent(&w->dice, 25)) {
        e->id = e->content;
    }
    if (e->op == OP_DELETE)
        e->content = 0;
}

static void choose_read(Worker *w, Entry *e)
{
    uint64_t head = w->known[e->stream].seq, back = dice_below(&w->dice, 24);
    e->expect_seq = head + 2 > back ? head + 2 - back : dice_below(&w->dice, 3);
    e->limit = 1 + dice_below(&w->dice, 30);
}

void worker_choose(Worker *w, size_t index, Entry *out)
{
    static const unsigned weights[] = { 62, 26, 9, 3 };
    static const EntryKind kinds[] = { ENTRY_APPEND, ENTRY_HEAD, ENTRY_READ, ENTRY_LIST };
    static const unsigned wants[] = { 35, 20, 45 }; /* in the order of HeadWant */
    *out = (Entry){ .stream = choose_stream(w),
                    .guard = HISTORY_NO_STREAM,
                    .incarnation = w->incarnation };
    /* A guard must be known to be passed: look at it as often as it is needed. */
    bool skew = w->scene->streams[out->stream].use == USE_SKEW && dice_percent(&w->dice, 40);
    EntryKind kind = skew ? ENTRY_HEAD : kinds[dice_pick(&w->dice, weights, COUNT_OF(weights))];
    if (kind == ENTRY_APPEND)
        choose_append(w, index, out);
    else if (kind == ENTRY_HEAD)
        out->which = (uint8_t)(skew ? HEAD_MARK : dice_pick(&w->dice, wants, COUNT_OF(wants)));
    else if (kind == ENTRY_READ)
        choose_read(w, out);
    else
        out->which = dice_percent(&w->dice, 50) ? LIST_ALL : LIST_LIVE;
    out->kind = (uint8_t)kind;
    out->status = out->mark_op = out->flags = 0;
    out->answer_ns = out->seq = out->count = 0;
    out->sha = (Hash){ 0 };
    out->answered = 0;
}

/* --- Asking ----------------------------------------------------------------------------- */

static void learn(Worker *w, uint16_t stream, const Mark *m)
{
    if (m->seq <= w->known[stream].seq)
        return;
    w->known[stream].old_seq = w->known[stream].seq;
    w->known[stream].old_sha = w->known[stream].sha;
    w->known[stream].seq = m->seq;
    w->known[stream].sha = m->sha256;
}

static void note_mark(Worker *w, Entry *e, const Mark *m)
{
    e->seq = m->seq;
    e->mark_op = (uint8_t)m->op;
    e->sha = m->sha256;
    learn(w, e->stream, m);
}

static Str name_of(const Worker *w, uint16_t stream)
{
    return str(w->scene->streams[stream].name);
}

static void ask_append(Worker *w, Store *s, size_t index, Entry *e, Err *err)
{
    AUTO(Arena) arena = { 0 };
    Label by = signature_label(w->number, w->incarnation, (uint32_t)index), id = id_label(e->id);
    Expect x = { .kind = e->expect };
    if (e->expect == EXPECT_SEQ)
        x.seq = e->expect_seq;
    if (e->expect == EXPECT_HASH)
        x.sha256 = e->expect_sha;
    if (e->guard != HISTORY_NO_STREAM) {
        x.guard = name_of(w, e->guard);
        x.guard_seq = e->guard_seq;
    }
    Draft d = { .op = e->op, .by = str(by.text), .id = str(id.text) };
    if (e->op != OP_DELETE)
        d.body = content_body(e->content, &arena);
    Mark mark = { 0 };
    e->status = (uint8_t)store_append(s, name_of(w, e->stream), &x, &d, &mark, err);
    bool tells = e->status == JOT_OK || e->status == JOT_CONFLICT || e->status == JOT_FENCED;
    if (tells)
        note_mark(w, e, &mark);
    if (e->status == JOT_OK)
        worker_remember(w, e);
}

/* The body is some number's body, whole, and the one that the mark stands for. */
static bool body_is_right(const Record *r)
{
    if (r->mark.op == OP_DELETE)
        return r->body.n == 0;
    return content_of_body(r->body) && r->body.n == r->mark.size &&
           hash_eq(hash_of(r->body), r->mark.sha256);
}

static void ask_head(Worker *w, Store *s, Entry *e, Err *err)
{
    AUTO(Arena) arena = { 0 };
    Record r = { 0 };
    e->status = (uint8_t)store_head(s, name_of(w, e->stream), e->which, &arena, &r, err);
    if (e->status != JOT_OK)
        return;
    note_mark(w, e, &r.mark);
    if (e->which != HEAD_MARK && !body_is_right(&r))
        e->flags |= ENTRY_BAD_VALUE;
}

static void ask_read(Worker *w, Store *s, Entry *e, Err *err)
{
    AUTO(Arena) arena = { 0 };
    Records got = { 0 };
    e->status = (uint8_t)store_read(s, name_of(w, e->stream), (SeqRange){ e->expect_seq, e->limit },
                                    &arena, &got, err);
    if (e->status != JOT_OK)
        return;
    e->count = got.n;
    e->flags |= got.more ? ENTRY_MORE : 0;
    for (size_t i = 0; i < got.n; i++) {
        e->sha = digest_add(e->sha, got.items[i].mark.seq, &got.items[i].mark.sha256);
        e->flags |= body_is_right(&got.items[i]) ? 0 : ENTRY_BAD_VALUE;
    }
    if (got.n)
        e->seq = got.items[got.n - 1].mark.seq;
    e->flags |= got.damaged ? ENTRY_BAD_VALUE : 0;
}

/* --- Listings --------------------------------------------------------------------------- */

static uint16_t find_name(const Scene *sc, Str name)
{
    for (size_t i = 0; i < sc->n; i++)
        if (str_eq(str(sc->streams[i].name), name))
            return (uint16_t)i;
    return HISTORY_NO_STREAM;
}

static Entry *add_seen(Worker *w, const Entry *list, uint16_t stream, EntryKind kind)
{
    if (w->seen_n == WORKER_SEEN_MAX)
        return NULL;
    Entry *seen = &w->seen[w->seen_n++];
    *seen = (Entry){ .kind = (uint8_t)kind,
                     .stream = stream,
                     .guard = HISTORY_NO_STREAM,
                     .which = list->which,
                     .incarnation = w->incarnation };
    return seen;
}

static bool in_order(const Listing *got, Str prefix, Str after, size_t limit)
{
    for (size_t i = 0; i < got->n; i++) {
        Str name = got->items[i].name, before = i ? got->items[i - 1].name : after;
        if (!str_starts(name, prefix) || str_cmp(before, name) >= 0)
            return false;
    }
    return got->n <= limit;
}

static bool was_listed(const Listing *got, Str name)
{
    for (size_t i = 0; i < got->n; i++)
        if (str_eq(got->items[i].name, name))
            return true;
    return false;
}

/* What a listing leaves out says as much as what it shows. */
static void note_absent(Worker *w, const Entry *e, const Listing *got, Str prefix, Str after)
{
    const Scene *sc = w->scene;
    size_t start = dice_below(&w->dice, sc->n);
    for (size_t k = 0; k < sc->n; k++) {
        size_t i = (start + k) % sc->n;
        Str name = str(sc->streams[i].name);
        bool covered = str_starts(name, prefix) && str_cmp(name, after) > 0 &&
                       (!got->more || (got->n && str_cmp(name, got->items[got->n - 1].name) < 0));
        if (covered && !was_listed(got, name))
            add_seen(w, e, (uint16_t)i, ENTRY_UNLISTED);
    }
}

static void ask_list(Worker *w, Store *s, Entry *e, Err *err)
{
    static const char *const prefixes[] = { "", "notes/", "notes/hot", "notes/skew", "runs/" };
    AUTO(Arena) arena = { 0 };
    Str prefix = str(prefixes[dice_below(&w->dice, COUNT_OF(prefixes))]), after = { 0 };
    if (dice_percent(&w->dice, 30))
        after = name_of(w, (uint16_t)dice_below(&w->dice, w->scene->n));
    size_t limit = 1 + dice_below(&w->dice, 40);
    Listing got = { 0 };
    e->status = (uint8_t)store_list(
        s, &(ListQuery){ .prefix = prefix, .after = after, .limit = limit, .which = e->which },
        &arena, &got, err);
    if (e->status != JOT_OK)
        return;
    if (!in_order(&got, prefix, after, limit))
        e->flags |= ENTRY_BAD_LISTING;
    for (size_t i = 0; i < got.n; i++) {
        uint16_t stream = find_name(w->scene, got.items[i].name);
        if (str_eq(got.items[i].name, S(STORE_TOKENS)))
            continue; /* an engine raises its tokens when its server was another */
        if (stream == HISTORY_NO_STREAM) {
            e->flags |= ENTRY_BAD_LISTING;
            continue;
        }
        Entry *seen = add_seen(w, e, stream, ENTRY_LISTED);
        if (seen)
            note_mark(w, seen, &got.items[i].mark);
    }
    note_absent(w, e, &got, prefix, after);
}

void worker_ask(Worker *w, Store *s, size_t index, Entry *e)
{
    Err err = { 0 };
    w->seen_n = 0;
    switch ((EntryKind)e->kind) {
    case ENTRY_APPEND:
        ask_append(w, s, index, e, &err);
        break;
    case ENTRY_HEAD:
        ask_head(w, s, e, &err);
        break;
    case ENTRY_READ:
        ask_read(w, s, e, &err);
        break;
    case ENTRY_LIST:
        ask_list(w, s, e, &err);
        break;
    case ENTRY_LISTED:
    case ENTRY_UNLISTED:
        abort(); /* nobody asks for what a listing shows, but for the listing */
    }
    snprintf(w->said, sizeof w->said, "%s", err.text);
}
