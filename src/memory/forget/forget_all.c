/* forget_all.c - a phrase is taken out of the whole pad, stream by stream.
 *
 * No stream records how far it has come: a process that is killed has taken the phrase
 * out of some streams, and the same call finds nothing there any more.  The
 * search index follows at the end, by what the pad says was forgotten, which
 * covers what such a process did.
 *
 * What dead writers left is settled first: it is quarantined, and the quarantine is
 * searched after the streams.
 *
 * A stream that cannot be changed does not stop the others: it is reported.
 * A failure of the pad as a whole (it can only be read, its disk fails) ends the
 * call. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "memory/forget/forget.h"
#include "memory/forget/phrase.h"
#include "memory/search/search.h"
#include "store/walk.h"

enum { PROGRESS_EVERY = 50 /* streams and redactions */ };

typedef struct Clearing {
    Memory *m;
    Str phrase;
    const ForgetHooks *hooks;
    ForgetCount *count;
    uint64_t ticks;
    Err *e;
} Clearing;

static void tick(void *walk)
{
    Clearing *w = walk;
    if (++w->ticks % PROGRESS_EVERY == 0 && w->hooks && w->hooks->progress)
        w->hooks->progress(w->hooks->ctx, w->count);
}

static void count_redacted(void *walk)
{
    ((Clearing *)walk)->count->redacted++;
    tick(walk);
}

const char *forget_left_name(ForgetLeftKind kind)
{
    static const char *const names[] = {
        [LEFT_VALUE] = "value",
        [LEFT_META] = "meta",
        [LEFT_NAME] = "name",
        [LEFT_DAMAGE] = "damage",
        [LEFT_QUARANTINE] = "quarantine",
        [LEFT_FAILED] = "failed",
    };
    return names[kind];
}

json_t *forget_left_json(const ForgetLeft *l)
{
    return json_pack("{s:s, s:o, s:s}", "kind", forget_left_name(l->kind), "stream",
                     json_text(l->stream), "what", l->what);
}

json_t *forget_count_json(const ForgetCount *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "streams", (json_int_t)c->streams, "changed",
                     (json_int_t)c->changed, "rewritten", (json_int_t)c->rewritten, "redacted",
                     (json_int_t)c->redacted, "quarantined", (json_int_t)c->quarantined);
}

static void report(Clearing *w, ForgetLeftKind kind, Str stream, const char *what)
{
    w->count->left++;
    if (w->hooks && w->hooks->left)
        w->hooks->left(w->hooks->ctx,
                       &(ForgetLeft){ .kind = kind, .stream = stream, .what = what });
}

static void report_number(Clearing *w, ForgetLeftKind kind, Str stream, uint64_t n,
                          const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "%llu record%s %s", (unsigned long long)n, n == 1 ? "" : "s", what);
    report(w, kind, stream, text);
}

/* What is left in a stream. */
static void report_left(Clearing *w, Str stream, const Forgotten *f)
{
    if (f->live)
        report(w, LEFT_VALUE, stream,
               "its present value cannot be redacted: change it and redact again, or purge it");
    if (f->kept)
        report_number(w, LEFT_META, stream, f->kept,
                      "with it in meta, author or id, which cannot be redacted: purge it");
    if (f->damaged)
        report_number(w, LEFT_DAMAGE, stream, f->damaged,
                      "that cannot be read, so nobody knows what they hold: purge it");
}

/* Does this end the whole call? */
static bool is_over(jot_status st)
{
    return st == JOT_READ_ONLY || st == JOT_IO || st == JOT_UNKNOWN || st == JOT_CANCELLED;
}

static jot_status clear_one(void *ctx, const Listed *l)
{
    Clearing *w = ctx;
    Forgotten f;
    Err why = { 0 };
    ForgetCount *c = w->count;
    ForgetWhat what = { w->phrase, count_redacted, w };
    jot_status st = forget_in_stream(w->m, l->name, &what, &f, &why);
    c->rewritten += f.rewritten;
    c->changed += f.rewritten || f.n;
    if (st == JOT_OK)
        report_left(w, l->name, &f);
    else if (!is_over(st))
        report(w, LEFT_FAILED, l->name, why.text);
    if (phrase_in(l->name, w->phrase))
        report(w, LEFT_NAME, l->name, "a name cannot be changed, and stays after a purge too");
    c->streams++;
    tick(w);
    if (!is_over(st))
        return JOT_OK;
    if (w->e)
        *w->e = why;
    return st;
}

static bool holds_phrase(void *walk, Str text)
{
    return phrase_in(text, ((const Clearing *)walk)->phrase);
}

/* It is gone from the streams, but for what was reported as left, and not from `where`. */
static jot_status trace_stays(const ForgetCount *c, const char *where, const Err *why, Err *e)
{
    assert(why->status != JOT_OK);
    if (c->left == 0)
        return err_set(e, why->status, "the text is forgotten, but still in %s: %.100s", where,
                       why->text);
    return err_set(e, why->status,
                   "the text is still in the pad, or may be, in %llu place%s, and in %s: %.80s",
                   (unsigned long long)c->left, c->left == 1 ? "" : "s", where, why->text);
}

static void report_unsettled(void *walk, Str stream, const char *why)
{
    report(walk, LEFT_FAILED, stream, why);
}

static jot_status judge(const ForgetCount *c, Err *e)
{
    if (c->left)
        return err_set(e, JOT_UNSUPPORTED,
                       "the text is still in the pad, or may be, in %llu place%s",
                       (unsigned long long)c->left, c->left == 1 ? "" : "s");
    if (c->changed == 0 && c->quarantined == 0)
        return err_set(e, JOT_NOT_FOUND, "nothing in the pad holds that text");
    return JOT_OK;
}

jot_status forget_all(Memory *m, Str phrase, const ForgetHooks *hooks, ForgetCount *out, Err *e)
{
    *out = (ForgetCount){ 0 };
    TRY(forget_check_phrase(phrase, e));
    if (phrase.n < FORGET_ALL_MIN)
        return err_set(e, JOT_INVALID,
                       "%zu bytes are too little to be taken out of a whole pad: use at least %d",
                       phrase.n, FORGET_ALL_MIN);
    Clearing w = { .m = m, .phrase = phrase, .hooks = hooks, .count = out, .e = e };
    /* First what dead writers left: a half written file is in no stream, but in quarantine it is
     * looked at below. */
    TRY(store_settle(m->store, report_unsettled, &w, e));
    if (hooks && hooks->progress)
        TRY(walk_count(m->store, &out->total, e));
    TRY(memory_each(m, (Str){ 0 }, LIST_ALL, clear_one, &w, e));
    QuarantineCount quarantined;
    TRY(store_forget_quarantined(w.m->store, (Str){ 0 }, holds_phrase, &w, &quarantined, e));
    w.count->quarantined = quarantined.removed;
    if (quarantined.unread)
        report(&w, LEFT_QUARANTINE, (Str){ 0 },
               "something in quarantine cannot be read: look there");
    Err why = { 0 };
    /* Both are tried whatever the other says, and last: by now every stream is done, and a call
     * that is repeated for their sake finds nothing else to do. */
    jot_status index = search_forget_all(m, &why), file = store_scrub(m->store, &why);
    if (file != JOT_OK)
        return trace_stays(
            out, index == JOT_OK ? "the pad's file" : "the search index and the pad's file", &why,
            e);
    return index == JOT_OK ? judge(out, e) : trace_stays(out, "the search index", &why, e);
}
