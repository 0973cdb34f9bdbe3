/* share.c - which kinds a pad shares, and the files of what it shares.
 *
 *     tasks/t1     1  2  3  4        the stream that decides; event 4 saw record 2 of the file
 *                        |  \
 *     shared/tasks/t1    1   \__ 2   3        1 shows event 3; 2 came with git, and was taken;
 *                                             3 shows event 4
 *
 * A record of the file is ours if its meta says which event it shows, else it came from outside.
 * From outside and newer than what the newest event has seen: that is news, and the noun judges it.
 * Ours and older than the newest event: a process died in between, and it is written again. */
#include "memory/task/share.h"

#include <assert.h>
#include <string.h>

#include "memory/doc/doc.h"
#include "store/walk.h"

#define KINDS SHARE_KIND "kinds"

enum { PAGE = 200, SHOW_TRIES = 32 };

static const struct {
    const char *word, *kind;
    Shares share;
} kinds[] = { { "tasks", "tasks/", SHARE_TASKS }, { "plans", "plans/", SHARE_PLANS } };

/* --- Which kinds ----------------------------------------------------------------------------- */

static unsigned share_of(Str word)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(word, str(kinds[i].word)))
            return kinds[i].share;
    return 0;
}

jot_status share_parse(Str words, unsigned *out, Err *e)
{
    Shown shown;
    Str rest = words, word;
    *out = 0;
    if (str_eq(words, S("none")))
        return JOT_OK;
    for (bool more = true; more;) {
        more = str_cut(&rest, ',', &word);
        if (!more)
            word = rest;
        if (!share_of(word))
            return err_set(e, JOT_INVALID, "cannot share '%s': use tasks, plans, both, or none",
                           err_show(&shown, word));
        *out |= share_of(word);
    }
    return JOT_OK;
}

/* What cannot be read shares nothing: verify tells. */
jot_status share_now(Memory *m, unsigned *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) list = NULL;
    Record head;
    Err why = { 0 };
    *out = 0;
    if (!store_promise(m->store).edits_seen)
        return JOT_OK;
    jot_status st = store_head(m->store, S(KINDS), HEAD_VALUE, &arena, &head, &why);
    if (st == JOT_IO || st == JOT_CANCELLED)
        return err_pass(e, &why, st);
    if (st != JOT_OK || !mark_live(&head.mark) || json_read(head.body, &list, NULL) != JOT_OK)
        return JOT_OK;
    for (size_t i = 0; i < json_array_size(list); i++)
        *out |= share_of(json_str(json_array_get(list, i)));
    return JOT_OK;
}

jot_status share_say(Memory *m, unsigned shares, Err *e)
{
    AUTO(Buf) text = { 0 };
    Mark mark;
    StorePromise p = store_promise(m->store);
    if (!p.edits_seen)
        return err_set(e, JOT_UNSUPPORTED,
                       "a %s: pad has no files that git could carry: only one in a directory can "
                       "be shared so",
                       p.scheme);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (shares & kinds[i].share)
            buf_addf(&text, "%s\"%s\"", text.n ? ", " : "[", kinds[i].word);
    buf_add(&text, text.n ? S("]\n") : S(""));
    Draft d = { .op = shares ? OP_PUT : OP_DELETE, .body = buf_str(&text) };
    jot_status st = memory_append(m, S(KINDS), NULL, &d, &mark, e);
    return st == JOT_NOT_FOUND && !shares ? JOT_OK : st;
}

bool share_has(unsigned shares, const char *kind)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return shares & kinds[i].share;
    return false;
}

/* --- One file -------------------------------------------------------------------------------- */

static void judge_head(const Record *head, SharedFile *out)
{
    out->seq = head->mark.seq;
    out->at_ms = head->mark.at_ms;
    out->text = head->body;
    out->of = out->seq ? meta_number(head->meta, "shows") : 0;
    bool outside = !out->seq || str_eq(head->by, S(STORE_OUTSIDE));
    if (!mark_live(&head->mark))
        out->state = outside ? SHARE_GONE : SHARE_NONE;
    else
        out->state = out->of ? SHARE_OURS : SHARE_THEIRS;
}

jot_status share_look(Memory *m, const char *kind, Str id, Arena *into, SharedFile *out, Err *e)
{
    unsigned shares;
    Record head;
    *out = (SharedFile){ 0 };
    TRY(share_now(m, &shares, e));
    out->stream = arena_printf(into, SHARE_KIND "%s" STR_FMT, kind, STR_ARG(id));
    out->shared = share_has(shares, kind) && store_check_name(out->stream, NULL) == JOT_OK;
    if (!out->shared)
        return JOT_OK;
    jot_status st = store_head(m->store, out->stream, HEAD_RECORD, into, &head, &out->why);
    if (st == JOT_OK)
        judge_head(&head, out);
    else if (st == JOT_IO || st == JOT_UNAVAILABLE || st == JOT_CANCELLED)
        return err_pass(e, &out->why, st);
    else if (st != JOT_NOT_FOUND)
        out->state = SHARE_BAD;
    if (out->state == SHARE_THEIRS && out->text.n > SHARE_FILE_MAX) {
        err_set(&out->why, JOT_TOO_BIG, "it has %zu bytes: the limit is %d", out->text.n,
                SHARE_FILE_MAX);
        out->state = SHARE_BAD;
    }
    return JOT_OK;
}

bool share_is_news(const SharedFile *f, uint64_t seen)
{
    bool foreign = f->state == SHARE_THEIRS || f->state == SHARE_GONE;
    return f->state == SHARE_BAD || (foreign && (!f->seq || f->seq > seen));
}

uint64_t share_seen(const json_t *event)
{
    json_int_t seen = json_integer_value(json_object_get(event, "file"));
    return seen > 0 ? (uint64_t)seen : 0;
}

void share_note_seen(json_t *event, uint64_t file)
{
    if (file)
        json_object_set_new(event, "file", json_integer((json_int_t)file));
}

Draft share_draft(const ShareText *t, Arena *into)
{
    assert(t->of > 0); /* a file of ours says which record it shows */
    return (Draft){ .op = OP_PUT,
                    .meta = arena_printf(into, "{\"shows\":%llu}", (unsigned long long)t->of),
                    .body = t->text };
}

/* One try; JOT_CONFLICT: somebody was faster. */
static jot_status show_once(Memory *m, const ShareText *t)
{
    AUTO(Arena) arena = { 0 };
    SharedFile f;
    Mark mark;
    Err ignored = { 0 };
    TRY(share_look(m, t->kind, t->id, &arena, &f, &ignored));
    /* Never over something that nobody has looked at, nor back to an older event. */
    if (!f.shared || share_is_news(&f, t->seen) || (f.state == SHARE_OURS && f.of >= t->of))
        return JOT_OK;
    Expect x = { .kind = EXPECT_SEQ, .seq = f.seq };
    Draft d = share_draft(t, &arena);
    return memory_append(m, f.stream, &x, &d, &mark, &ignored);
}

Str share_text(const json_t *snapshot, Arena *into)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    json_indent(&text, json_to_str(&arena, snapshot));
    buf_add_char(&text, '\n');
    return arena_copy(into, buf_str(&text));
}

/* What fails is found to be behind, and written with the next event. */
void share_show(Memory *m, const ShareText *t)
{
    jot_status st = JOT_CONFLICT;
    for (int i = 0; i < SHOW_TRIES && st == JOT_CONFLICT; i++)
        st = show_once(m, t);
}

/* --- All of them ----------------------------------------------------------------------------- */

/* The names below one prefix, a page at a time. */
typedef struct Side {
    Pages pages;
    Arena arena; /* of the page */
    Listing page;
    size_t at;
} Side;

/* See that the side stands at a name, if there is one left. */
static jot_status fill(Memory *m, Side *s, Err *e)
{
    while (s->at == s->page.n && s->pages.more) {
        arena_free(&s->arena);
        s->arena = (Arena){ 0 };
        TRY(pages_read(&s->pages, &s->arena, &s->page, e));
        TRY(memory_progress(m, s->page.n, e));
        s->at = 0;
    }
    return JOT_OK;
}

/* The id it stands at; NULL data at the end. */
static Str id_at(const Side *s)
{
    return s->at < s->page.n ? str_from(s->page.items[s->at].name, s->pages.q.prefix.n)
                             : (Str){ 0 };
}

static jot_status merge(Memory *m, Side sides[2], const ShareWalk *w, Err *e)
{
    for (;;) {
        TRY(fill(m, &sides[0], e));
        TRY(fill(m, &sides[1], e));
        Str a = id_at(&sides[0]), b = id_at(&sides[1]);
        if (!a.n && !b.n)
            return JOT_OK;
        /* Both sides are in byte order: the lesser id is next, and one that both have is one. */
        int order = !a.n ? 1 : !b.n ? -1 : str_cmp(a, b);
        Str id = order <= 0 ? a : b;
        sides[0].at += order <= 0;
        sides[1].at += order >= 0;
        /* A file in a folder there is nobody's. */
        if (str_find(id, '/') == id.n)
            TRY(w->each(w->ctx, id));
    }
}

jot_status share_each(Memory *m, const ShareWalk *w, Err *e)
{
    unsigned shares;
    Side sides[2] = { 0 };
    AUTO(Arena) arena = { 0 };
    ListQuery asks[2] = {
        { .prefix = str(w->kind), .limit = PAGE, .which = LIST_LIVE },
        { .prefix = arena_printf(&arena, SHARE_KIND "%s", w->kind),
          .limit = PAGE,
          .which = LIST_LIVE_NAMES },
    };
    TRY(share_now(m, &shares, e));
    for (size_t i = 0; i < 2; i++) {
        ListQuery *q = &asks[i];
        if (w->after.n)
            q->after = arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(q->prefix), STR_ARG(w->after));
        if (q->after.n > STORE_NAME_MAX)
            return err_set(e, JOT_INVALID, "a name has at most %d bytes", STORE_NAME_MAX);
        sides[i].pages = pages_new(m->store, q);
    }
    sides[1].pages.more = share_has(shares, w->kind);
    jot_status st = merge(m, sides, w, e);
    arena_free(&sides[0].arena);
    arena_free(&sides[1].arena);
    return st;
}
