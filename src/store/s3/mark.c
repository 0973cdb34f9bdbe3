/* mark.c - the objects that say which names there are.
 *
 * A name lives while there is a mark n/NAME SEQ-NONCE, and every life has its own: who begins one
 * puts the mark, and then the record SEQ.  So there is no record without a mark, and a list of
 * marks misses no live name.  A mark is removed by
 *   - who put it, when its record was not written;
 *   - who writes a tombstone, all those of lower seqs: what they announced is over, or can never
 *     come, because those numbers are taken;
 *   - doctor, an hour after it came, if no record did.
 * A mark is nobody's but its writer's (NONCE), so none can be removed under another who counts on
 * it.  t/NAME is put before a tombstone, and stays: n/ and t/ together have every name.
 *
 * A name may not live if one above or below it does (a and a/b).  Both put their marks first and
 * look for the other's then, so at least one sees the other; a mark without a record may become
 * one.  The deeper one takes its mark away again and begins anew later; the other one waits until
 * that mark is gone, or has become a name that lives. */
#include "store/s3/mark.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "store/s3/look.h"
#include "store/s3/object.h"
#include "store/s3/request.h"

/* --- Names in order ----------------------------------------------------------------------- */

S3Names s3_names_begin(const char *kind, Str prefix, Str after)
{
    S3Names n = { .kind = kind };
    n.prefix = s3_named(&n.arena, kind, prefix, S(""));
    if (after.n) /* after all marks of that name, and before any other name */
        n.after = s3_named(&n.arena, kind, after, S(" ~"));
    return n;
}

void s3_names_done(S3Names *n)
{
    s3_list_done(&n->page);
    arena_free(&n->arena);
}

static jot_status next_mark(S3 *p, S3Names *n, const S3Listed **out, Err *e)
{
    *out = NULL;
    if (n->at == n->page.n) {
        if (n->over)
            return JOT_OK;
        S3Where w = { n->prefix, n->after, S3_PAGE, false };
        TRY(s3_list(p, &w, &n->page, e));
        s3_more(p);
        n->at = 0;
        n->over = !n->page.more;
        if (n->page.n == 0)
            return JOT_OK;
        n->after = arena_copy(&n->arena, n->page.items[n->page.n - 1].key);
    }
    *out = &n->page.items[n->at++];
    return JOT_OK;
}

jot_status s3_names_next(S3 *p, S3Names *n, bool *there, Err *e)
{
    for (;;) {
        const S3Listed *mark = NULL;
        Str rest;
        TRY(next_mark(p, n, &mark, e));
        *there = mark != NULL;
        if (!mark)
            return JOT_OK;
        Str name = s3_read_name(&n->arena, str_from(mark->key, strlen(n->kind) + 1), &rest);
        bool again = str_eq(name, n->name);
        n->name = name;
        n->at_ms = mark->at_ms;
        if (!again)
            return JOT_OK;
    }
}

/* --- Clashes ------------------------------------------------------------------------------ */

/* What a mark of another name means. */
typedef enum Rival { RIVAL_NONE, RIVAL_LIVES, RIVAL_PENDING } Rival;

static bool read_seq(Str digits, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits.n && i < 16; i++) {
        int digit = hex_digit(digits.p[i]);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return digits.n >= 16;
}

static jot_status judge(S3 *p, const S3Listed *mark, Arena *arena, Str *name, Rival *out, Err *e)
{
    S3Object head;
    uint64_t seq = 0;
    Str rest;
    *name = s3_read_name(arena, str_from(mark->key, 2), &rest);
    TRY(s3_look(p, *name, false, arena, &head, e));
    bool old = !read_seq(rest, &seq) || seq <= head.record.mark.seq ||
               s3_server_ms(p) - mark->at_ms > S3_YOUNG_MS;
    if (mark_live(&head.record.mark))
        *out = RIVAL_LIVES;
    else if (!old && *out == RIVAL_NONE)
        *out = RIVAL_PENDING;
    return JOT_OK;
}

/* Among the marks whose keys begin so. */
static jot_status find_rival(S3 *p, Str prefix, Arena *arena, Str *name, Rival *out, Err *e)
{
    S3Where w = { .prefix = prefix, .max = S3_PAGE };
    for (;;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        for (size_t i = 0; i < l.n && *out != RIVAL_LIVES; i++)
            TRY(judge(p, &l.items[i], arena, name, out, e));
        if (*out == RIVAL_LIVES || !l.more)
            return JOT_OK;
        w.after = arena_copy(arena, l.items[l.n - 1].key);
    }
}

static jot_status find_above(S3 *p, Str stream, Arena *arena, Str *name, Rival *out, Err *e)
{
    size_t first = str_find(stream, '/');
    for (size_t i = first + 1; i < stream.n && *out != RIVAL_LIVES; i++)
        if (stream.p[i] == '/')
            TRY(find_rival(p, s3_named(arena, "n", str_slice(stream, 0, i), S(" ")), arena, name,
                           out, e));
    return JOT_OK;
}

static jot_status find_below(S3 *p, Str stream, Arena *arena, Str *name, Rival *out, Err *e)
{
    return find_rival(p, s3_named(arena, "n", stream, S("/")), arena, name, out, e);
}

static jot_status say_pending(Str stream, Str other, Err *e)
{
    Shown a, b;
    return err_set(e, JOT_UNAVAILABLE,
                   "cannot create '%s' now: '%s' is being created, or was an hour ago at most",
                   err_show(&a, stream), err_show(&b, other));
}

jot_status s3_put_mark(S3 *p, S3Claim *c, Arena *into, Err *e)
{
    char suffix[40];
    snprintf(suffix, sizeof suffix, " %016llx-%016llx", (unsigned long long)c->seq,
             (unsigned long long)c->nonce);
    c->key = s3_named(into, "n", c->stream, str(suffix));
    return MUTANT(S3_RECORD_BEFORE_MARK) ? JOT_OK : s3_put(p, c->key, S(""), e);
}

/* One look at those above and below: *other is who is in the way. */
static jot_status find_rivals(S3 *p, S3Claim *c, Arena *arena, Str *other, Rival found[2], Err *e)
{
    found[0] = found[1] = RIVAL_NONE;
    TRY(find_above(p, c->stream, arena, other, &found[0], e));
    if (found[0] == RIVAL_NONE)
        TRY(find_below(p, c->stream, arena, other, &found[1], e));
    return JOT_OK;
}

jot_status s3_claim(S3 *p, S3Claim *c, Arena *into, Err *e)
{
    enum { ABOVE, BELOW };
    const StoreKind *kind = store_kind(c->stream);
    TRY(s3_put_mark(p, c, into, e));
    if (kind->flat || kind->pair)
        return JOT_OK; /* nothing can be above or below */
    for (;;) {
        Str other = { 0 };
        Rival found[2];
        TRY(find_rivals(p, c, into, &other, found, e));
        if (found[ABOVE] == RIVAL_NONE && found[BELOW] == RIVAL_NONE)
            return JOT_OK;
        bool lives = found[ABOVE] == RIVAL_LIVES || found[BELOW] == RIVAL_LIVES;
        if (lives || found[ABOVE] == RIVAL_PENDING)
            s3_withdraw(p, c);
        if (lives)
            return store_name_taken(e, c->stream, other);
        if (!s3_pause(p)) {
            s3_withdraw(p, c);
            return say_pending(c->stream, other, e);
        }
        if (found[ABOVE] == RIVAL_PENDING)
            TRY(s3_put_mark(p, c, into, e));
    }
}

void s3_withdraw(S3 *p, S3Claim *c)
{
    Err ignored = { 0 };
    if (c->key.n && s3_delete(p, c->key, &ignored) != JOT_OK)
        return; /* it is a name without a record, which doctor removes */
    c->key = (Str){ 0 };
}

/* --- Ends --------------------------------------------------------------------------------- */

jot_status s3_bury(S3 *p, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    return s3_put(p, s3_named(&arena, "t", stream, S(" ")), S(""), e);
}

jot_status s3_retire(S3 *p, Str stream, uint64_t seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(S3List) l = { 0 };
    S3Where w = { .prefix = s3_named(&arena, "n", stream, S(" ")), .max = S3_PAGE };
    TRY(s3_list(p, &w, &l, e));
    for (size_t i = 0; i < l.n; i++) {
        Str rest;
        uint64_t of = 0;
        (void)s3_read_name(&arena, l.items[i].key, &rest);
        if (read_seq(rest, &of) && of < seq)
            TRY(s3_delete(p, l.items[i].key, e));
    }
    return JOT_OK;
}

/* --- Hints -------------------------------------------------------------------------------- */

jot_status s3_hint(S3 *p, Str stream, bool anew, Err *e)
{
    AUTO(Arena) arena = { 0 };
    char kind[24];
    uint64_t window = (uint64_t)s3_server_ms(p) / S3_WINDOW_MS;
    S3Sight *s = s3_believed(p, stream);
    if (MUTANT(S3_NO_HINT) || (s && s->window == window && !anew))
        return JOT_OK;
    snprintf(kind, sizeof kind, "c/%08llx", (unsigned long long)window);
    Str nonce = arena_printf(&arena, "%016llx", (unsigned long long)s3_nonce(p));
    TRY(s3_put(p, s3_named(&arena, kind, stream, S(" ")), nonce, e));
    if (s)
        s->window = window;
    return JOT_OK;
}
