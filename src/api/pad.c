/* pad.c - the pad of jotter.h: opening, closing, errors, where it is; and what every call needs.
 *
 * A call's results and its error lie in one of two arenas, which take turns: they are valid until
 * the next call returns, and may be its arguments.  Opening makes the new pad before it lets go of
 * the old one, so a jot_open that fails leaves the handle as it was.  A call that runs out of
 * memory jumps back to its beginning (API_BEGIN) and closes the pad: nobody knows what it left
 * half done, while everything on the disk is in order at any moment. */
#include "api/api.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "memory/doc/doc.h"
#include "memory/frame/tokens.h"
#include "memory/search/search.h"
#include "memory/where.h"
#include "tool/tool.h"

/* --- Without a pad ----------------------------------------------------------------------- */

jot_text jot_str(const char *string)
{
    Str s = str(string);
    return (jot_text){ s.n ? s.p : "", s.n };
}

size_t jot_tokens(jot_text text)
{
    return text.data ? tokens_estimate((Str){ text.data, text.size }) : 0;
}

const char *jot_prompt(bool brief)
{
    return tool_prompt(brief).p;
}

/* --- The beginning of a call ------------------------------------------------------------- */

Arena *api_arena(jot_pad *p)
{
    return &p->arenas[p->turn];
}

Err *api_err(jot_pad *p)
{
    return &p->errs[p->turn];
}

jot_status api_turn(jot_pad *p)
{
    if (!p)
        return JOT_INVALID;
    /* The last call's results may be this call's arguments: what goes are those of the call before
     * that. */
    assert(p->turn <= 1);
    p->turn = !p->turn;
    arena_free(api_arena(p));
    *api_err(p) = (Err){ 0 };
    return JOT_OK;
}

jot_status api_begin(jot_pad *p)
{
    TRY(api_turn(p));
    if (!p->m.store)
        return err_set(api_err(p), JOT_INVALID, "the pad is not open: call jot_open first");
    return store_check_mine(p->m.store, api_err(p));
}

/* --- Arguments --------------------------------------------------------------------------- */

jot_status api_need(jot_pad *p, const char *what, const void *given)
{
    return given ? JOT_OK : err_set(api_err(p), JOT_INVALID, "%s is missing: it is NULL", what);
}

jot_status api_name(jot_pad *p, const char *what, const char *given, Str *out)
{
    TRY(api_need(p, what, given));
    *out = str(given);
    return JOT_OK;
}

jot_status api_strings(jot_pad *p, const ApiStrings *s, Str **out)
{
    if (s->n > s->max)
        return err_set(api_err(p), JOT_TOO_BIG, "%zu %s: the limit is %zu", s->n, s->what, s->max);
    if (s->n)
        TRY(api_need(p, s->what, s->given));
    Str *strings = NEW_ARRAY(api_arena(p), Str, s->n + 1);
    for (size_t i = 0; i < s->n; i++)
        TRY(api_name(p, "one of them", s->given[i], &strings[i]));
    *out = strings;
    return JOT_OK;
}

jot_status api_text(jot_pad *p, jot_text given, Str *out)
{
    if (!given.data && given.size)
        return err_set(api_err(p), JOT_INVALID, "a text of %zu bytes is NULL", given.size);
    if (given.size > STORE_BODY_MAX)
        return err_set(api_err(p), JOT_TOO_BIG, "a text of %zu bytes: the limit is %d", given.size,
                       STORE_BODY_MAX);
    *out = (Str){ given.data ? given.data : "", given.size };
    return JOT_OK;
}

jot_status api_wait(jot_pad *p, int64_t given_ms)
{
    if (given_ms >= 0 && given_ms <= API_WAIT_MS_MAX)
        return JOT_OK;
    return err_set(api_err(p), JOT_INVALID, "a wait of %lld ms: use 0 to %d", (long long)given_ms,
                   API_WAIT_MS_MAX);
}

jot_status api_limit(jot_pad *p, size_t given, size_t max, size_t *out)
{
    if (given > max)
        return err_set(api_err(p), JOT_INVALID, "a limit of %zu: use 1 to %zu", given, max);
    *out = given ? given : max;
    return JOT_OK;
}

jot_status api_options(jot_pad *p, const void *given, void *to, size_t known)
{
    /* They begin with the size that the caller's compiler knew, so either side may be the newer
     * one: what the other does not have is zero, which always means "as usual". */
    assert(known >= sizeof(size_t) && known <= API_OPTIONS_MAX);
    memset(to, 0, known);
    if (!given)
        return JOT_OK;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > API_OPTIONS_MAX || size % sizeof(void *))
        return err_set(api_err(p), JOT_INVALID, "options of size %zu: set it to their sizeof",
                       size);
    /* Members that this version does not know are fine as long as they say nothing. */
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i])
            return err_set(api_err(p), JOT_UNSUPPORTED,
                           "these options are of a newer version: this is " JOT_VERSION);
    memcpy(to, given, size < known ? size : known);
    return JOT_OK;
}

/* --- Results ----------------------------------------------------------------------------- */

jot_text api_give_text(jot_pad *p, Str s)
{
    return (jot_text){ arena_cstr(api_arena(p), s), s.n };
}

const char *api_give_name(jot_pad *p, Str s)
{
    return s.n ? arena_cstr(api_arena(p), s) : "";
}

const char *api_give_hash(jot_pad *p, Hash h)
{
    return hash_is_zero(h) ? "" : arena_cstr(api_arena(p), str(hash_hex(h).text));
}

const char *api_give_short(jot_pad *p, Hash h)
{
    return hash_is_zero(h) ? "" : arena_cstr(api_arena(p), str(version_of(h).text));
}

const char *const *api_give_names(jot_pad *p, const Str *names, size_t n)
{
    const char **out = NEW_ARRAY(api_arena(p), const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = api_give_name(p, names[i]);
    return out;
}

const char *api_give_json(jot_pad *p, json_t *value)
{
    AUTO_PTR(json_t) owned = value;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    json_write(&text, owned);
    return arena_cstr(api_arena(p), buf_str(&text));
}

void **api_new_results(jot_pad *p, size_t n, size_t size)
{
    void **out = NEW_ARRAY(api_arena(p), void *, n + 1);
    /* One array, and pointers into it: a struct that grows in a later version moves the next one,
     * and callers who only follow pointers do not see it. */
    char *all = arena_array(api_arena(p), n + 1, size, alignof(max_align_t));
    for (size_t i = 0; i < n; i++)
        out[i] = all + i * size;
    return out;
}

/* --- The pad ----------------------------------------------------------------------------- */

jot_pad *jot_new(void)
{
    return calloc(1, sizeof(jot_pad));
}

/* Close what is open; results stay for their time. */
static void let_go(jot_pad *p)
{
    /* Whatever a forked child has a copy of is its parent's. */
    if (p->m.store && store_check_mine(p->m.store, NULL) != JOT_OK) {
        *p = (jot_pad){ .arenas = { p->arenas[0], p->arenas[1] },
                        .errs = { p->errs[0], p->errs[1] },
                        .turn = p->turn };
        return;
    }
    search_close(p->search);
    api_run_close(p);
    api_watch_close(p);
    memory_close(&p->m);
    free(p->by);
    free(p->language);
    free(p->url);
    p->search = NULL;
    p->by = p->language = p->url = NULL;
}

DEFINE_AUTO(jot_pad, let_go)

/* Whatever may be open, without looking at it. */
static void forget_parts(jot_pad *p)
{
    p->m = (Memory){ 0 };
    p->by = p->language = p->url = p->watched = NULL;
    p->search = NULL;
    p->run = NULL;
    p->watch = NULL;
}

jot_status api_exhausted(jot_pad *p)
{
    ESCAPE(again)
    forget_parts(p); /* what could not be closed is lost to this process, and to nobody else */
    else let_go(p);
    return err_set(api_err(p), JOT_UNKNOWN,
                   "memory ran out: whether it was done is not known, and the pad was closed: open "
                   "it again and look");
}

void jot_free(jot_pad *pad)
{
    if (!pad)
        return;
    let_go(pad);
    arena_free(&pad->arenas[0]);
    arena_free(&pad->arenas[1]);
    free(pad);
}

const char *jot_error(const jot_pad *pad)
{
    return pad ? pad->errs[pad->turn].text : "there is no pad: it is NULL";
}

static char *copy_of(Str s)
{
    char *to = mem_alloc(s.n + 1);
    memcpy(to, s.p ? s.p : "", s.n);
    return to;
}

jot_status jot_open(jot_pad *pad, const char *url, const jot_open_options *options)
{
    jot_open_options o;
    /* The new one is built aside: if it cannot be opened, the old one stays as it is. */
    AUTO(jot_pad) fresh = { 0 };
    API_TURN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_wait(pad, o.wait_ms < 0 ? 0 : o.wait_ms));
    fresh.by = copy_of(str(o.as));
    fresh.language = o.language ? copy_of(str(o.language)) : NULL;
    Where where = where_find(str(url), api_arena(pad));
    SafeFound found = { .path = where.found };
    MemoryOptions mo = { .by = str(fresh.by),
                         .create = !o.existing && !o.read_only,
                         .read_only = o.read_only,
                         .wait_ms = o.wait_ms,
                         .found = where.found ? &found : NULL };
    SearchOptions so = { .language = fresh.language };
    TRY(memory_dialect(str(o.dialect), &fresh.dialect, api_err(pad)));
    TRY(where_check(&where, api_err(pad)));
    TRY(memory_open(&fresh.m, where.url, &mo, api_err(pad)));
    /* An unknown language is refused now, and not by the first search. */
    if (fresh.language)
        TRY(search_open(&fresh.search, &fresh.m, &so, api_err(pad)));
    search_close(TAKE(fresh.search));
    fresh.url = copy_of(where.url);
    assert(fresh.m.store && !fresh.run && !fresh.watch);
    let_go(pad);
    pad->m = TAKE(fresh.m);
    pad->by = TAKE(fresh.by);
    pad->language = TAKE(fresh.language);
    pad->dialect = fresh.dialect;
    pad->url = TAKE(fresh.url);
    pad->why = where.why;
    return JOT_OK;
}

jot_status jot_where(jot_pad *pad, const jot_info **out)
{
    GIVE(out, NULL);
    API_BEGIN(pad);
    StorePromise promise = store_promise(pad->m.store);
    const StoreReport *met = store_report(pad->m.store);
    jot_info *info = NEW_RESULT(pad, jot_info);
    *info = (jot_info){
        .url = api_give_name(pad, url_bare(api_arena(pad), str(pad->url))),
        .why = pad->why,
        .engine = promise.scheme,
        .read_only = api_give_name(pad, str(store_read_only_why(pad->m.store))),
        .durable = promise.durable,
        .shared = promise.shared,
        .edits_seen = promise.edits_seen,
        .edits_guarded = promise.edits_guarded,
        .torn = met->torn,
        .damaged = met->damaged,
        .outside = met->outside,
        .quarantined = met->quarantined,
        .restored = met->restored,
        .last = api_give_name(pad, str(met->last)),
    };
    GIVE(out, info);
    return JOT_OK;
}

jot_status jot_changes(jot_pad *pad, const char *cursor, int64_t wait_ms, const jot_changed **out)
{
    Cursor from = { 0 };
    Changes changes;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_wait(pad, wait_ms));
    Str text = str(cursor);
    if (text.n >= sizeof from.text)
        return err_set(api_err(pad), JOT_INVALID, "a cursor has at most %zu bytes",
                       sizeof from.text - 1);
    memcpy(from.text, text.p ? text.p : "", text.n);
    TRY(store_changes(pad->m.store, &from, wait_ms, api_arena(pad), &changes, api_err(pad)));
    jot_changed *c = NEW_RESULT(pad, jot_changed);
    *c = (jot_changed){ .names = api_give_names(pad, changes.names, changes.n),
                        .count = changes.n,
                        .rescan = changes.rescan,
                        .next = api_give_name(pad, str(changes.next.text)) };
    GIVE(out, c);
    return JOT_OK;
}
