/* redis.c - the engine that keeps a pad on a Redis server: opening it and reading.
 *
 * For speed across machines.  A read is one script and sees one moment; a write is one
 * script, and durable when the server has synced its log.  redis.h says what always
 * holds. */
#include "store/redis/redis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/append.h"
#include "store/redis/change.h"
#include "store/redis/connect.h"
#include "store/redis/flight.h"
#include "store/redis/forget.h"
#include "store/redis/pad.h"
#include "store/row.h"

/* --- Opening --------------------------------------------------------------------------- */

static void redis_close(Store *s)
{
    Redis *p = (Redis *)s;
    if (p->hi)
        redis_disconnect(p);
    buf_free(&p->out);
    known_free(&p->known);
    arena_free(&p->keep);
    free(p);
}

static jot_status open_pad(Redis *p, const Url *url, bool create, Err *e)
{
    TRY(hi_open(&p->hi, e));
    TRY(redis_address(p, url, e));
    TRY(redis_ready(p, "open", str(p->pad), e));
    return redis_identify(p, create && !p->base.read_only_why[0], e);
}

static jot_status redis_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    Redis *p = mem_alloc(sizeof *p);
    AUTO_PTR(Store) fresh = &p->base;
    store_init(&p->base, &redis_ops, o);
    p->sock.fd = -1;
    TRY(open_pad(p, url, o->create, e));
    *out = TAKE(fresh);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

static bool body_fits(const Record *r)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return r->body.n == 0;
    return r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256);
}

/* How often a body may be gone when it is asked for, before it comes through the script whatever
 * that costs. */
enum { LOOKS = 3 };

/* A read under way: rows, and then the bodies that did not come along with them. */
typedef struct Look {
    Redis *p;
    Str stream;
    Arena *into;
    int n;          /* the so-maniest */
    uint64_t along; /* bytes of bodies that come with their rows */
    bool whole;     /* else a body was gone: look again */
} Look;

static jot_status begin_look(Look *l, Err *e)
{
    l->along = l->n++ < LOOKS - 1 ? REDIS_ALONG : STORE_READ_BYTES + STORE_BODY_MAX;
    l->whole = true;
    return redis_ready(l->p, "read", l->stream, e);
}

/* The bodies of these records, by one command.  Not whole: one of them is not there any more,
 * because of a redaction or a trim since the rows were read, or the server has something against
 * it. */
static jot_status fetch_bodies(Look *l, Record *items, size_t n, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Words w = { .arena = &arena };
    words_add(&w, S("HMGET"));
    words_add(&w, arena_printf(&arena, "%sb:" STR_FMT, l->p->prefix, STR_ARG(l->stream)));
    for (size_t i = 0; i < n; i++)
        words_add_seq(&w, items[i].mark.seq);
    l->p->texts = l->into;
    jot_status st = redis_command(l->p, &w, &r, e);
    l->p->texts = NULL;
    l->whole = st == JOT_OK && r->type == REDIS_REPLY_ARRAY && r->elements == n;
    for (size_t i = 0; i < n && l->whole; i++) {
        const Mark *m = &items[i].mark;
        items[i].body = reply_text(r, i);
        l->whole = m->redacted || m->op == OP_DELETE || items[i].body.n == m->size;
    }
    return l->p->lost ? JOT_OK : st; /* it is asked again, on another connection */
}

/* A body that was asked for together with a row; not whole: it is none of that record. */
static void take_body(Look *l, const redisReply *r, size_t i, Record *out)
{
    out->body = arena_copy(l->into, reply_text(r, i));
    l->whole = out->mark.redacted || out->mark.op == OP_DELETE || out->body.n == out->mark.size;
}

/* A head that stood still until now: row, and the body of the record that was the head, at once.
 * NULL: a script has to. */
static jot_status look_at_steady(Look *l, const Mark *was, Record *out, redisReply **r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Words asks[] = { look_begin(l->p, &arena, "ZREVRANGE", "s:", l->stream),
                     look_begin(l->p, &arena, "HGET", "b:", l->stream) };
    words_add(&asks[0], S("0"));
    words_add(&asks[0], S("0"));
    words_add_seq(&asks[1], was->seq);
    TRY(redis_look(l->p, asks, COUNT_OF(asks), r, e));
    const redisReply *rows = *r ? reply_list(*r, LOOK_FIRST) : NULL;
    if (!*r || reply_count(rows) == 0)
        return JOT_OK;
    uint64_t seq = was->seq; /* what it leads to is about to change */
    TRY(reply_row(l->p, rows, 0, l->into, out, e));
    TRY(known_keep(&l->p->known, l->stream, &out->mark, e));
    if (out->mark.seq == seq)
        take_body(l, *r, LOOK_FIRST + 1, out);
    return out->mark.seq == seq ? JOT_OK : fetch_bodies(l, out, 1, e);
}

static jot_status look_at_head(Look *l, bool body, Record *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    const Mark *steady = body && l->n == 1 ? known_steady(&l->p->known, l->stream) : NULL;
    if (steady && steady->seq) {
        TRY(look_at_steady(l, steady, out, &r, e));
        if (out->mark.seq)
            return JOT_OK;
        hi_free(TAKE(r));
    }
    Script script = script_get(l->p, &arena, "head", l->stream, NULL);
    words_add_u64(&script.words, body ? l->along : 0);
    TRY(redis_ask(l->p, &script, &r, e));
    TRY(reply_row(l->p, r, 1, l->into, out, e));
    TRY(known_keep(&l->p->known, l->stream, &out->mark, e));
    if (out->mark.seq == 0)
        return store_not_found(e, l->stream);
    if (!body)
        return JOT_OK;
    if (reply_count(r) == 2)
        return fetch_bodies(l, out, 1, e);
    out->body = arena_copy(l->into, reply_text(r, 2));
    return JOT_OK;
}

static jot_status redis_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Look look = { .p = (Redis *)s, .stream = stream, .into = into };
    Shown shown;
    bool body = want != HEAD_MARK;
    do {
        *out = (Record){ 0 };
        TRY(begin_look(&look, e));
        TRY(look_at_head(&look, body, out, e));
    } while (!look.whole);
    if (body && !body_fits(out))
        return err_set(e, JOT_CORRUPT, "record %llu of '%s' does not have the hash in its header",
                       (unsigned long long)out->mark.seq, err_show(&shown, stream));
    return JOT_OK;
}

/* The records of a page, each row with its body if those came along. */
static void take_records(const Look *l, const redisReply *r, Records *out)
{
    const redisReply *rows = reply_list(r, 3), *bodies = reply_list(r, 4);
    size_t n = reply_count(rows);
    out->items = NEW_ARRAY(l->into, Record, n);
    for (size_t i = 0; i < n; i++) {
        Record *to = &out->items[out->n];
        bool good = reply_row(l->p, rows, i, l->into, to, NULL) == JOT_OK;
        if (bodies)
            to->body = arena_copy(l->into, reply_text(bodies, i));
        *(good ? &out->n : &out->damaged) += 1;
    }
}

/* Rows alone, by a plain command: how many of them are a page is seen here.  None: a script says
 * why. */
static jot_status look_at_rows(Look *l, SeqRange range, Records *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Words ask = look_begin(l->p, &arena, "ZRANGEBYLEX", "s:", l->stream);
    words_add(&ask, arena_printf(&arena, "[%s", row_seq(range.from).text));
    words_add(&ask, S("+"));
    words_add(&ask, S("LIMIT"));
    words_add(&ask, S("0"));
    words_add_u64(&ask, range.limit + 1);
    TRY(redis_look(l->p, &ask, 1, &r, e));
    const redisReply *rows = r ? reply_list(r, LOOK_FIRST) : NULL;
    size_t n = reply_count(rows);
    uint64_t sum = 0;
    out->items = NEW_ARRAY(l->into, Record, n);
    for (size_t i = 0; i < n && !out->more; i++) {
        Record *to = &out->items[out->n];
        bool good = reply_row(l->p, rows, i, l->into, to, NULL) == JOT_OK;
        sum += good && !to->mark.redacted ? to->mark.size : 0;
        out->more = i == range.limit || (i > 0 && sum > STORE_READ_BYTES);
        if (!out->more)
            *(good ? &out->n : &out->damaged) += 1;
    }
    l->p->large = sum > REDIS_ALONG;
    return out->n == 0 ? JOT_OK : fetch_bodies(l, out->items, out->n, e);
}

static jot_status look_at_page(Look *l, SeqRange range, Records *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    *out = (Records){ 0 };
    if (l->p->large && l->n < LOOKS) {
        TRY(look_at_rows(l, range, out, e));
        if (out->n + out->damaged > 0)
            return JOT_OK;
    }
    Script script = script_get(l->p, &arena, "read", l->stream, NULL);
    words_add_seq(&script.words, range.from);
    words_add_u64(&script.words, range.limit);
    words_add_u64(&script.words, STORE_READ_BYTES);
    words_add_u64(&script.words, l->along);
    TRY(redis_ask(l->p, &script, &r, e));
    *out = (Records){ .more = reply_number(r, 1) };
    if (!reply_number(r, 2))
        return store_not_found(e, l->stream);
    take_records(l, r, out);
    l->p->large = out->n > 0 && !reply_list(r, 4);
    return l->p->large ? fetch_bodies(l, out->items, out->n, e) : JOT_OK;
}

static jot_status redis_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                             Err *e)
{
    Look look = { .p = (Redis *)s, .stream = stream, .into = into };
    do {
        TRY(begin_look(&look, e));
        TRY(look_at_page(&look, range, out, e));
    } while (!look.whole);
    return JOT_OK;
}

/* --- Listing --------------------------------------------------------------------------- */

/* The range of names that start with `prefix` and come after `after`, as Redis writes it. */
static void add_range(Words *w, Str prefix, Str after)
{
    bool later = after.n && str_cmp(after, prefix) >= 0;
    Str from = later ? after : prefix;
    words_add(w, arena_printf(w->arena, "%s" STR_FMT, later ? "(" : "[", STR_ARG(from)));
    if (prefix.n == 0) {
        words_add(w, S("+"));
        return;
    }
    /* No byte of UTF-8 is 0xFF, so the last byte of a prefix always has a successor. */
    char *end = arena_cstr(w->arena, arena_printf(w->arena, "(" STR_FMT, STR_ARG(prefix)));
    assert((unsigned char)end[prefix.n] < 0xFF);
    end[prefix.n] = (char)((unsigned char)end[prefix.n] + 1);
    words_add(w, (Str){ end, prefix.n + 1 });
}

static jot_status read_listed(Redis *p, const redisReply *heads, size_t i, Arena *into, Listed *out,
                              Err *e)
{
    Record head;
    TRY(reply_row(p, heads, i, into, &head, e));
    out->mark = head.mark;
    out->by = head.by;
    out->meta = head.meta;
    return JOT_OK;
}

/* Names alone, by a plain command; none if a script has to. */
static jot_status ask_names(Redis *p, const char *set, const ListQuery *q, redisReply **r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Words ask = look_begin(p, &arena, "ZRANGEBYLEX", set, (Str){ 0 });
    add_range(&ask, q->prefix, q->after);
    words_add(&ask, S("LIMIT"));
    words_add(&ask, S("0"));
    words_add_u64(&ask, q->limit + 1);
    return redis_look(p, &ask, 1, r, e);
}

static jot_status ask_heads(Redis *p, const char *set, const ListQuery *q, redisReply **r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Script script = script_get(p, &arena, "list", (Str){ 0 }, set);
    add_range(&script.words, q->prefix, q->after);
    words_add_u64(&script.words, q->limit + 1);
    words_add_u64(&script.words, list_takes_heads(q->which));
    words_add(&script.words, arena_printf(&arena, "%ss:", p->prefix));
    return redis_ask(p, &script, r, e);
}

static jot_status redis_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    Redis *p = (Redis *)s;
    AUTO_PTR(redisReply) r = NULL;
    TRY(redis_ready(p, "list", q->prefix, e));
    const char *set = list_takes_all(q->which) ? "names" : "live";
    bool with_heads = list_takes_heads(q->which);
    if (!with_heads)
        TRY(ask_names(p, set, q, &r, e));
    size_t at = r ? LOOK_FIRST : 1;
    if (!r)
        TRY(ask_heads(p, set, q, &r, e));
    const redisReply *names = reply_list(r, at), *heads = with_heads ? reply_list(r, 2) : NULL;
    size_t n = reply_count(names);
    *out = (Listing){ .n = n < q->limit ? n : q->limit, .more = n > q->limit };
    out->items = NEW_ARRAY(into, Listed, out->n + 1);
    for (size_t i = 0; i < out->n; i++) {
        out->items[i] = (Listed){ .name = arena_copy(into, reply_text(names, i)) };
        if (heads)
            TRY(read_listed(p, heads, i, into, &out->items[i], e));
    }
    return JOT_OK;
}

/* --- Time ------------------------------------------------------------------------------ */

static jot_status redis_clock(Store *s, StoreTime *out, Err *e)
{
    Redis *p = (Redis *)s;
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    TRY(redis_ready(p, "ask for the time", (Str){ 0 }, e));
    Script script = script_begin(p, &arena, SCRIPT_REST, "facts", (Str){ 0 }, (Str){ 0 });
    TRY(redis_ask(p, &script, &r, e));
    store_saw_clock(s, reply_number(r, 1));
    *out = (StoreTime){ .now_ms = s->served_ms, .margin_ms = REDIS_MARGIN_MS, .served = true };
    snprintf(out->era, sizeof out->era, "server");
    return JOT_OK;
}

/* --- What the pad says of itself ------------------------------------------------------- */

static jot_status redis_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    (void)e;
    snprintf(out, STORE_PAD_ID + 1, "%s", ((Redis *)s)->id);
    return JOT_OK;
}

static StorePromise redis_promise(const Store *s)
{
    const Redis *p = (const Redis *)s;
    return (StorePromise){ .scheme = "redis",
                           .durable = p->durable,
                           .shared = true,
                           .guards = true,
                           .caveats = p->caveats };
}

#define ADVICE "bring the server back from a backup; 'jotter copy' saves what can still be read"

/* Names whose rows are not what the sets of names say. */
static jot_status verify_names(Redis *p, const VerifyHooks *hooks, Err *e)
{
    enum { PAGE = 1000, FIRST = 2 };
    AUTO(Arena) arena = { 0 };
    StoreFault f = { .kind = FAULT_DAMAGE,
                     .what = "the lists of names do not fit its newest record",
                     .advice = ADVICE };
    for (Str after = { 0 };;) {
        AUTO_PTR(redisReply) r = NULL;
        TRY(redis_ready(p, "verify", str(p->pad), e));
        Script script = script_begin(p, &arena, SCRIPT_REST, "check", (Str){ 0 }, (Str){ 0 });
        words_add(&script.words, (Str){ 0 });
        words_add(&script.words,
                  after.n ? arena_printf(&arena, "(" STR_FMT, STR_ARG(after)) : S("-"));
        words_add_u64(&script.words, PAGE);
        words_add(&script.words, arena_printf(&arena, "%ss:", p->prefix));
        TRY(redis_ask(p, &script, &r, e));
        for (size_t i = FIRST; i < reply_count(r); i++) {
            f.stream = reply_text(r, i);
            hooks->fault(hooks->ctx, &f);
        }
        after = arena_copy(&arena, reply_text(r, 1));
        if (after.n == 0)
            return JOT_OK;
    }
}

static jot_status is_named(Redis *p, Str name, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Script script = script_begin(p, &arena, SCRIPT_REST, "known", name, (Str){ 0 });
    TRY(redis_call(p, &script, &code, &r, e));
    *out = code == CODE_WAS_DONE;
    return JOT_OK;
}

/* Rows that belong to no name.  A scan may show a key twice, so they are reported one by one. */
static jot_status verify_keys(Redis *p, const VerifyHooks *hooks, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str cursor = S("0"), start = arena_printf(&arena, "%ss:", p->prefix);
    Str pattern = arena_printf(&arena, STR_FMT "*", STR_ARG(start));
    StoreFault f = { .kind = FAULT_PAD, .what = "records belong to no name", .advice = ADVICE };
    do {
        AUTO_PTR(redisReply) r = NULL;
        Words w = { .arena = &arena };
        TRY(redis_ready(p, "verify", str(p->pad), e));
        const Str words[] = { S("SCAN"), cursor, S("MATCH"), pattern, S("COUNT"), S("1000") };
        for (size_t i = 0; i < COUNT_OF(words); i++)
            words_add(&w, words[i]);
        TRY(redis_command(p, &w, &r, e));
        if (r->type != REDIS_REPLY_ARRAY || r->elements != 2)
            return redis_refused(p, r, e);
        const redisReply *keys = r->element[1];
        for (size_t i = 0; i < reply_count(keys); i++) {
            bool named = true;
            f.stream = str_from(reply_text(keys, i), start.n);
            TRY(is_named(p, f.stream, &named, e));
            if (!named)
                hooks->fault(hooks->ctx, &f);
        }
        cursor = arena_copy(&arena, reply_text(r, 0));
    } while (!str_eq(cursor, S("0")));
    return JOT_OK;
}

static jot_status redis_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    TRY(verify_names((Redis *)s, hooks, e));
    return verify_keys((Redis *)s, hooks, e);
}

const StoreOps redis_ops = {
    .scheme = "redis",
    .also = (const char *const[]){ "rediss", "redis+unix", NULL },
    .open = redis_open,
    .close = redis_close,
    .append = redis_append,
    .head = redis_head,
    .read = redis_read,
    .list = redis_list,
    .changes = redis_changes,
    .trim = redis_trim,
    .redact = redis_redact,
    .purge = redis_purge,
    .put_records = redis_put_records,
    .forget_before = redis_forget_before,
    .promise = redis_promise,
    .clock = redis_clock,
    .id = redis_id,
    .verify = redis_verify,
    .scrub = redis_scrub,
};
