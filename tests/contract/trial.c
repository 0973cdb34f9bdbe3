/* trial.c - fresh pads of every engine to try promises on, and the short words promises are written
 * in.
 *
 * A pad lies in a directory of its own.  Its handles share one Io, whose clock
 * is a number in the pad.  Whatever a handle met and had to mend is a failure,
 * for nothing in these tests damages a pad. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/id.h"

#define CONTRACT_WORDS_THEMSELVES
#include "contract.h"

/* The engines of the product, then each of the wrong ones.  Adding an engine is one line here
 * and its name in meson.build. */
static const Engine engines[] = {
    { .name = "mem" },
    { .name = "files", .where = "pad", .lasting = true },
    { .name = "placed", .scheme = "files", .where = "pad?notes=docs", .lasting = true },
    { .name = "sqlite", .where = "pad.db", .lasting = true },
    { .name = "postgres", .server = "JOT_TEST_POSTGRES", .lasting = true },
    { .name = "redis", .server = "JOT_TEST_REDIS", .lasting = true, .timed = true },
    { .name = "s3", .server = "JOT_TEST_S3", .lasting = true, .timed = true },
#define X(name_, about) { .name = "wrong:" #name_, .layered = true, .wrong = WRONG_##name_ },
    WRONGS(X)
#undef X
};

const Engine *engine_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(engines); i++)
        if (strcmp(engines[i].name, name) == 0)
            return &engines[i];
    return NULL;
}

const Engine *engine_at(size_t i)
{
    return i < COUNT_OF(engines) && !engines[i].layered ? &engines[i] : NULL;
}

const char *engine_scheme(const Engine *engine)
{
    return engine->layered ? "mem" : engine->scheme ? engine->scheme : engine->name;
}

bool engine_present(const Engine *engine)
{
    if (engine->layered)
        return true;
    if (engine->server)
        return getenv(engine->server) != NULL;
    char url[64];
    snprintf(url, sizeof url, "%s:%s", engine_scheme(engine),
             engine->where ? "/nonexistent/pad" : "");
    Store *s = NULL;
    Err e = { 0 };
    jot_status st = store_open(&s, str(url), NULL, &e);
    if (st == JOT_OK)
        store_close(s);
    return st != JOT_UNSUPPORTED;
}

/* --- Directories ----------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

void dir_remove(const char *path)
{
    nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

void dir_make(char *path, size_t room)
{
    static const char *const places[] = { "/dev/shm", "", "/tmp" };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const char *place = places[i][0] ? places[i] : getenv("TMPDIR");
        if (!place)
            continue;
        snprintf(path, room, "%s/contract-XXXXXX", place);
        if (mkdtemp(path))
            return;
    }
    FAIL("there is no place for a directory");
}

/* --- Pads ------------------------------------------------------------------------------ */

static int64_t trial_clock(void *ctx)
{
    return ((Trial *)ctx)->now_ms;
}

jot_status trial_open(Trial *p, size_t i, StoreOptions options)
{
    CHECK(i < TRIAL_HANDLES && !p->open[i]);
    options.io = &p->io;
    TRY(store_open(&p->open[i], str(p->url), &options, &p->e));
    if (p->engine->layered)
        p->open[i] = wrong_wrap(p->open[i], p->engine->wrong);
    if (p->engine->wrong == WRONG_STOPS_WORKING)
        wrong_allow(p->open[i], 3);
    return JOT_OK;
}

void trial_url_of_nothing(const Trial *p, const char *name, char *url, size_t room)
{
    const char *server = p->engine->server ? getenv(p->engine->server) : NULL;
    if (server)
        snprintf(url, room, "%s%cpad=none-%zu", server, strchr(server, '?') ? '&' : '?',
                 strlen(name));
    else
        snprintf(url, room, "%s:%s/%s%s", engine_scheme(p->engine), p->dir, name, p->engine->where);
}

static void address(Trial *p)
{
    const char *scheme = engine_scheme(p->engine);
    const char *server = p->engine->server ? getenv(p->engine->server) : NULL;
    Id pad = id_random(&io_system, 8);
    if (server)
        snprintf(p->url, sizeof p->url, "%s%cpad=t%s", server, strchr(server, '?') ? '&' : '?',
                 pad.text);
    else if (p->engine->where)
        snprintf(p->url, sizeof p->url, "%s:%s/%s", scheme, p->dir, p->engine->where);
    else
        snprintf(p->url, sizeof p->url, "%s:", scheme);
}

/* Digits that no boot before had. */
static void new_boot(Trial *p)
{
    static unsigned boots;
    snprintf(p->boot_id, sizeof p->boot_id, "%032x", ++boots);
}

Trial *trial_new(const Engine *engine, const char *dir)
{
    Trial *p = mem_alloc(sizeof *p);
    p->engine = engine;
    p->now_ms = 1763241838123;
    new_boot(p);
    p->io =
        (Io){ .wall_ms = trial_clock, .served_ms = trial_clock, .boot_id = p->boot_id, .ctx = p };
    snprintf(p->dir, sizeof p->dir, "%s/XXXXXX", dir);
    if (!mkdtemp(p->dir))
        FAIL("cannot make a directory in %s", dir);
    address(p);
    CHECK_IS(p, trial_open(p, 0, (StoreOptions){ .create = true }), JOT_OK);
    p->s = p->open[0];
    return p;
}

static void close_handle(Trial *p, size_t i)
{
    if (!p->open[i])
        return;
    StoreReport met = *store_report(p->open[i]);
    store_close(p->open[i]);
    p->open[i] = NULL;
    if (met.torn || met.damaged || met.outside || met.quarantined || met.restored)
        FAIL("the handle met something in a healthy pad: %s", met.last);
}

void trial_use(Trial *p, size_t i)
{
    CHECK(i < TRIAL_HANDLES);
    if (!p->open[i])
        CHECK_IS(p, trial_open(p, i, (StoreOptions){ 0 }), JOT_OK);
    p->s = p->open[i];
}

void trial_close(Trial *p)
{
    for (size_t i = 0; i < TRIAL_HANDLES; i++)
        close_handle(p, i);
    p->s = NULL;
}

void trial_reopen(Trial *p)
{
    trial_close(p);
    trial_use(p, 0);
}

void trial_reboot(Trial *p)
{
    trial_close(p);
    new_boot(p);
    trial_use(p, 0);
}

void trial_free(Trial *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < TRIAL_OTHERS; i++)
        trial_free(p->others[i]);
    trial_close(p);
    arena_free(&p->arena);
    dir_remove(p->dir);
    free(p);
}

Trial *trial_other(Trial *p, const Engine *engine)
{
    size_t i = 0;
    while (i < TRIAL_OTHERS && p->others[i])
        i++;
    CHECK(i < TRIAL_OTHERS);
    p->others[i] = trial_new(engine, p->dir);
    return p->others[i];
}

/* --- Appending ------------------------------------------------------------------------- */

Mark append(Trial *p, const char *stream, Expect expect, Draft draft)
{
    Mark out;
    CHECK_IS(p, store_append(p->s, str(stream), &expect, &draft, &out, &p->e), JOT_OK);
    return out;
}

Mark put(Trial *p, const char *stream, const char *body)
{
    return append(p, stream, ANY, PUT(body));
}

Mark entry(Trial *p, const char *stream, const char *body)
{
    return append(p, stream, ANY, ENTRY(body));
}

Mark bury(Trial *p, const char *stream)
{
    return append(p, stream, ANY, DELETE);
}

void entries(Trial *p, const char *stream, int n)
{
    for (int i = 1; i <= n; i++) {
        char body[16];
        snprintf(body, sizeof body, "%d", i);
        entry(p, stream, body);
    }
}

Mark refused(Trial *p, jot_status status, const char *stream, Expect expect, Draft draft)
{
    Str before = trial_dump(p);
    Mark out = { 0 };
    CHECK_IS(p, store_append(p->s, str(stream), &expect, &draft, &out, &p->e), status);
    CHECK(p->e.status == status && p->e.text[0]);
    CHECK_TEXT(trial_dump(p), before);
    return out;
}

/* --- Reading --------------------------------------------------------------------------- */

Record head(Trial *p, const char *stream, HeadWant want)
{
    Record r = { 0 };
    CHECK_IS(p, store_head(p->s, str(stream), want, &p->arena, &r, &p->e), JOT_OK);
    return r;
}

Records read_from(Trial *p, const char *stream, uint64_t from, size_t limit)
{
    Records got = { 0 };
    CHECK_IS(p, store_read(p->s, str(stream), (SeqRange){ from, limit }, &p->arena, &got, &p->e),
             JOT_OK);
    CHECK_NUM(got.damaged, 0);
    return got;
}

static Records records_of(Trial *p, Str stream)
{
    Records all = { 0 };
    size_t cap = 0;
    uint64_t from = 0;
    for (bool more = true; more;) {
        Records got = { 0 };
        CHECK_IS(
            p, store_read(p->s, stream, (SeqRange){ from, STORE_READ_MAX }, &p->arena, &got, &p->e),
            JOT_OK);
        CHECK(got.n || !got.more);
        for (size_t i = 0; i < got.n; i++) {
            all.items =
                arena_grow(&p->arena, all.items, all.n, &cap, sizeof(Record), alignof(Record));
            all.items[all.n++] = got.items[i];
            from = got.items[i].mark.seq + 1;
        }
        more = got.more;
    }
    return all;
}

Records read_all(Trial *p, const char *stream)
{
    return records_of(p, str(stream));
}

Record record_at(Trial *p, const char *stream, uint64_t seq)
{
    Records got = read_from(p, stream, seq, 1);
    CHECK_NUM(got.n, 1);
    CHECK_NUM(got.items[0].mark.seq, seq);
    return got.items[0];
}

Listing list(Trial *p, const char *prefix, const char *after, size_t limit, ListWhich which)
{
    Listing got = { 0 };
    CHECK_IS(
        p,
        store_list(p->s,
                   &(ListQuery){
                       .prefix = str(prefix), .after = str(after), .limit = limit, .which = which },
                   &p->arena, &got, &p->e),
        JOT_OK);
    return got;
}

Changes changes(Trial *p, const Cursor *cursor)
{
    Changes got = { 0 };
    CHECK_IS(p, store_changes(p->s, cursor, 0, &p->arena, &got, &p->e), JOT_OK);
    size_t n = strnlen(got.next.text, sizeof got.next.text);
    CHECK(n > 0 && n < sizeof got.next.text);
    for (size_t i = 0; i < n; i++)
        CHECK(got.next.text[i] > 0x20 && got.next.text[i] < 0x7F);
    return got;
}

bool names_hold(const Changes *changes, const char *name)
{
    for (size_t i = 0; i < changes->n; i++)
        if (str_eq(changes->names[i], str(name)))
            return true;
    return false;
}

/* --- Whole pads ------------------------------------------------------------------------ */

Record next_record(const char *stream, const Mark *head, Draft draft, int64_t at_ms)
{
    Record r = { .by = draft.by, .id = draft.id, .meta = draft.meta, .body = draft.body };
    r.mark = (Mark){ .seq = head->seq + 1,
                     .at_ms = at_ms,
                     .op = draft.op,
                     .fence = draft.fence > head->fence ? draft.fence : head->fence,
                     .size = draft.body.n };
    if (draft.op != OP_DELETE)
        r.mark.sha256 = hash_of(draft.body);
    r.mark.chain = record_chain(head->chain, str(stream), &r);
    return r;
}

static void dump_record(Buf *to, const Record *r)
{
    const Mark *m = &r->mark;
    buf_addf(to, "  %llu at %lld op %d%s fence %llu size %llu sha %.12s chain %.12s",
             (unsigned long long)m->seq, (long long)m->at_ms, (int)m->op,
             m->redacted ? " redacted" : "", (unsigned long long)m->fence,
             (unsigned long long)m->size, hash_hex(m->sha256).text, hash_hex(m->chain).text);
    buf_addf(to, " by '" STR_FMT "' id '" STR_FMT "' meta '" STR_FMT "' extra '" STR_FMT "'",
             STR_ARG(r->by), STR_ARG(r->id), STR_ARG(r->meta), STR_ARG(r->extra));
    buf_addf(to, " body %zu:%.12s\n", r->body.n, hash_hex(hash_of(r->body)).text);
}

Str trial_dump(Trial *p)
{
    AUTO(Buf) text = { 0 };
    Str after = S("");
    for (bool more = true; more;) {
        Listing page = { 0 };
        CHECK_IS(
            p,
            store_list(p->s,
                       &(ListQuery){ .after = after, .limit = STORE_LIST_MAX, .which = LIST_ALL },
                       &p->arena, &page, &p->e),
            JOT_OK);
        for (size_t i = 0; i < page.n; i++) {
            after = page.items[i].name;
            buf_addf(&text, STR_FMT "\n", STR_ARG(after));
            Records all = records_of(p, after);
            for (size_t k = 0; k < all.n; k++)
                dump_record(&text, &all.items[k]);
        }
        more = page.more;
    }
    CHECK(buf_ok(&text));
    return arena_copy(&p->arena, buf_str(&text));
}

static void check_chain_of(Trial *p, Str stream, bool gaps)
{
    Records all = records_of(p, stream);
    for (size_t i = 0; i < all.n; i++) {
        const Record *r = &all.items[i];
        const Mark *before = i ? &all.items[i - 1].mark : NULL;
        Hash zero = { 0 };
        if (i == 0 && r->mark.seq > 1)
            continue; /* the anchor */
        if (gaps && before && r->mark.seq > before->seq + 1)
            continue; /* another one */
        Hash chain = record_chain(before ? before->chain : zero, stream, r);
        CHECK(hash_eq(r->mark.chain, chain));
        /* A number is left out where a record was lost, and the chain goes on over it. */
        CHECK(!before || (r->mark.seq > before->seq && r->mark.at_ms >= before->at_ms &&
                          r->mark.fence >= before->fence));
    }
}

void check_chain(Trial *p, const char *stream)
{
    check_chain_of(p, str(stream), false);
}

void check_all_chains(Trial *p)
{
    Listing all = list(p, "", "", STORE_LIST_MAX, LIST_ALL);
    for (size_t i = 0; i < all.n; i++)
        check_chain_of(p, all.items[i].name, false);
}

void check_chains_over_gaps(Trial *p)
{
    Listing all = list(p, "", "", STORE_LIST_MAX, LIST_ALL);
    for (size_t i = 0; i < all.n; i++)
        check_chain_of(p, all.items[i].name, true);
}
