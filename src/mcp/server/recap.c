/* recap.c - the newest notes, found by looking at the names of all of them once. */
#include "mcp/server/recap.h"

#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/context/rule.h"
#include "memory/doc/doc.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"

#define PREFIX "notes/"

typedef struct Recap {
    Memory *m;
    Arena *into;
    Frame frame;
    Listed notes[RECAP_LISTED]; /* `plan` first, then the newest first */
    Str texts[RECAP_LISTED];    /* of those that are shown in full; p is NULL for the others */
    size_t n;
    uint64_t total;
} Recap;

static Str key_of(const Listed *l)
{
    return str_from(l->name, sizeof PREFIX - 1);
}

static bool is_plan(const Listed *l)
{
    return str_eq(key_of(l), S("plan"));
}

/* True if `a` stands before `b`. */
static bool comes_before(const Listed *a, const Listed *b)
{
    return is_plan(a) || (!is_plan(b) && a->mark.at_ms > b->mark.at_ms);
}

static jot_status keep_newest(void *ctx, const Listed *l)
{
    Recap *r = ctx;
    size_t at = r->n;
    Str key = key_of(l);
    if (str_eq(key, S(RULE_FIRST)) || str_starts(key, S(RULE_PINNED)))
        return JOT_OK; /* the context has them */
    r->total++;
    while (at > 0 && comes_before(l, &r->notes[at - 1]))
        at--;
    if (at == RECAP_LISTED)
        return JOT_OK;
    r->n += r->n < RECAP_LISTED;
    memmove(r->notes + at + 1, r->notes + at, (r->n - at - 1) * sizeof *r->notes);
    r->notes[at] = *l;
    r->notes[at].name = arena_copy(r->into, l->name);
    return JOT_OK;
}

static void add_list(const Recap *r, Buf *to)
{
    frame_part_add(to, &r->frame, "notes", (Str){ 0 });
    for (size_t i = 0; i < r->n; i++) {
        const Listed *l = &r->notes[i];
        buf_addf(to, "- " STR_FMT ", %llu byte%s", STR_ARG(key_of(l)),
                 (unsigned long long)l->mark.size, l->mark.size == 1 ? "" : "s");
        if (l->mark.at_ms)
            buf_addf(to, ", %s", time_text(l->mark.at_ms).text);
        if (r->texts[i].p)
            buf_add(to, S(": below\n"));
        else
            buf_addf(to, ": scratchpad_read key=" STR_FMT "\n", STR_ARG(key_of(l)));
    }
    if (r->total > r->n)
        buf_addf(to, "- and %llu older: scratchpad_list\n", (unsigned long long)(r->total - r->n));
}

static void add_texts(const Recap *r, Buf *to)
{
    for (size_t i = 0; i < r->n; i++) {
        AUTO(Buf) about = { 0 };
        if (!r->texts[i].p)
            continue;
        frame_attribute_add(&about, &r->frame, "key", key_of(&r->notes[i]));
        frame_attribute_add(&about, &r->frame, "version",
                            str(version_of(r->notes[i].mark.sha256).text));
        frame_value_add(to, &r->frame, "note", buf_str(&about), r->texts[i]);
    }
}

jot_status recap_add(Memory *m, Arena *into, Buf *to, Err *e)
{
    Recap r = { .m = m, .into = into };
    TRY(memory_each(m, S(PREFIX), LIST_LIVE, keep_newest, &r, e));
    /* The texts, as many as there is room for; one that is not text, or is gone by now, is left
     * out. */
    size_t room = RECAP_TOKENS;
    for (size_t i = 0; i < r.n; i++) {
        Doc doc;
        if (r.notes[i].mark.size / 8 > room) /* no text is that dense: not worth the reading */
            continue;
        jot_status st = doc_read(r.m, r.notes[i].name, r.into, &doc, e);
        if (st == JOT_NOT_FOUND)
            continue;
        TRY(st);
        r.notes[i].mark = doc.mark;
        if (!utf8_valid(doc.text) || !tokens_fit(doc.text, room))
            continue;
        room -= tokens_estimate(doc.text);
        r.texts[i] = (Str){ doc.text.n ? doc.text.p : "", doc.text.n };
    }
    if (r.n == 0)
        return JOT_OK;
    r.frame = frame_of_pad(m, 0);
    add_list(&r, to);
    add_texts(&r, to);
    frame_end_add(to, &r.frame);
    return JOT_OK;
}
