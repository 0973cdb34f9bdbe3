/* context_evidence.c - what the pad says to a question, as a part of a context. */
#include "memory/context/context_internal.h"
#include "memory/frame/frame.h"
#include "memory/frame/pointer.h"
#include "memory/frame/tokens.h"
#include "memory/search/evidence.h"

/* What is left out comes from other words or a larger budget: who asked has the words. */
static Str ask_again(const Build *b)
{
    if (b->ask->reach == POINT_SHELL)
        return S("jotter search QUERY --budget N");
    return b->ask->reach & POINT_NOTES ? S("scratchpad_search query=QUERY budget=N") : (Str){ 0 };
}

static jot_status find(Build *b, uint64_t budget, Evidence *out, Err *e)
{
    AUTO_PTR(Search) s = NULL;
    TRY(search_open(&s, b->m, &(SearchOptions){ .language = b->ask->language }, e));
    return evidence_find(s, &(SearchQuery){ .text = b->ask->query }, budget, b->into, out, e);
}

enum { LEAST = EVIDENCE_BUDGET_MIN + 64 /* its first line, and what was found */ };

jot_status context_add_evidence(Build *b, uint64_t left, Err *e)
{
    uint64_t least = left < LEAST ? left : LEAST;
    uint64_t room = left / 2 > least ? left / 2 : least;
    AUTO(Buf) says = { 0 };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    AUTO(Buf) part = { .max = SIZE_MAX / 2 };
    Evidence v = { 0 };
    frame_attribute_add(&says, &b->frame, "query", b->ask->query);
    frame_part_add(&part, &b->frame, "evidence", buf_str(&says));
    uint64_t around = tokens_estimate(buf_str(&part)) + 2;
    if (room >= around + EVIDENCE_BUDGET_MIN)
        TRY(find(b, room - around, &v, e));
    else
        context_leave(b, "evidence", "left out")->get = ask_again(b);
    if (v.left_n) {
        ContextLeft *l = context_leave(b, "hits", "left out");
        l->count = v.left_n;
        l->get = ask_again(b);
    }
    evidence_add(&text, &v);
    if (v.budget && text.n == 0)
        buf_add(&text, S("(nothing found)\n"));
    /* Framed, a value may be longer: then a passage is cut, and the cut says so. */
    uint64_t spent;
    Part p = { .word = "evidence",
               .attributes = buf_str(&says),
               .value = str_slice(buf_str(&text), 0, text.n ? text.n - 1 : 0),
               .get = ask_again(b) };
    if (p.value.n && !context_add_part(b, &b->tail, &p, room, &spent))
        context_leave(b, "evidence", spent ? "cut" : "left out")->get = p.get;
    return JOT_OK;
}
