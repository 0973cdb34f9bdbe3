/* history_blame.c - which version each line of a document came with.
 *
 * From the newest version backwards: a line that the version before does not
 * have came with this one; the others are looked for there.
 *
 *     version 3        version 2        version 1
 *     x  --not in 2--> came with 3
 *     a  ------------> a  ------------> a  --nothing before--> came with 1
 *     b  ------------> b  --not in 1--> came with 2
 *
 * `at` maps each line of the present text to its line in the version looked at.  It
 * ends when every line has been placed, so that a long history with a young text
 * costs little.  A version that brought an older one back (undo, restore) has no
 * lines of its own: the search continues at the one it names. */
#include <assert.h>

#include "base/time.h"
#include "memory/doc/history.h"
#include "memory/doc/history_internal.h"

enum { PLACED = UINT32_MAX };

typedef struct Search {
    Memory *m;
    Str stream;
    Arena *into; /* of the result */
    Blame *out;
    uint32_t *at; /* where each line of the present text is in the version looked at, or PLACED */
    size_t open;  /* lines not placed yet */
    size_t bytes, versions;
} Search;

/* A version that is looked at, with memory of its own. */
typedef struct Step {
    Arena arena;
    Record r;
    bool same; /* its lines are those of the version after it */
} Step;

/* Lines of the version `r` that are `new_line` in it (NULL: all that are left) came with it. */
static void place_if(Search *s, const Record *r, const bool *new_line)
{
    Record *from = NULL;
    for (size_t i = 0; i < s->out->lines.n; i++) {
        if (s->at[i] == PLACED || (new_line && !new_line[s->at[i]]))
            continue;
        if (!from) {
            from = NEW(s->into, Record);
            *from = (Record){ .mark = r->mark,
                              .by = arena_copy(s->into, r->by),
                              .meta = arena_copy(s->into, r->meta) };
        }
        assert(s->open > 0);
        s->out->from[i] = from;
        s->at[i] = PLACED;
        s->open--;
    }
}

/* Place what `r` has and `before` has not; the rest is somewhere in `before`. */
static void compare(Search *s, const Record *r, const Record *before)
{
    AUTO(Arena) scratch = { 0 };
    Diff d;
    diff_make(before->body, r->body, &scratch, &d);
    bool *fresh = NEW_ARRAY(&scratch, bool, d.b.n + 1);
    uint32_t *old = NEW_ARRAY(&scratch, uint32_t, d.b.n + 1);
    size_t a = 0, b = 0;
    for (size_t h = 0; h <= d.n; h++) {
        size_t stop = h < d.n ? d.hunks[h].b : d.b.n;
        while (b < stop)
            old[b++] = (uint32_t)a++;
        if (h == d.n)
            break;
        for (size_t i = 0; i < d.hunks[h].b_n; i++)
            fresh[b++] = true;
        a += d.hunks[h].a_n;
    }
    assert(a == d.a.n && b == d.b.n);
    place_if(s, r, fresh);
    for (size_t i = 0; i < s->out->lines.n; i++)
        if (s->at[i] != PLACED)
            s->at[i] = old[s->at[i]];
}

/* The seq a version says it brought back; 0: none. */
static uint64_t brought_back(const Record *r)
{
    uint64_t undo = meta_number(r->meta, "undo");
    uint64_t seq = undo ? undo : meta_number(r->meta, "restored");
    return seq < r->mark.seq ? seq : 0;
}

/* The version whose lines are to be compared with those of `now`; to->r.mark.seq is 0 if there is
 * none.  out->cut: there may have been one. */
static jot_status find_before(Search *s, const Record *now, uint64_t last, Step *to, Err *e)
{
    uint64_t named = brought_back(now), seq = now->mark.seq ? now->mark.seq - 1 : last;
    if (named) {
        TRY(history_record(s->m, s->stream, named, &to->arena, &to->r, e));
        to->same = mark_live(&to->r.mark) && !to->r.mark.redacted &&
                   hash_eq(to->r.mark.sha256, now->mark.sha256);
        if (to->same)
            return JOT_OK;
    }
    to->r = (Record){ 0 };
    if (seq == 0)
        return JOT_OK;
    TRY(history_record(s->m, s->stream, seq, &to->arena, &to->r, e));
    bool readable = to->r.mark.seq && !to->r.mark.redacted;
    s->out->cut = s->out->cut || !readable;
    if (!readable || !mark_live(&to->r.mark))
        to->r = (Record){ 0 };
    return JOT_OK;
}

static jot_status walk(Search *s, Step steps[2], uint64_t last, Err *e)
{
    for (int i = 0; s->open; i = !i) {
        Step *now = &steps[i], *before = &steps[!i];
        arena_free(&before->arena);
        *before = (Step){ 0 };
        TRY(find_before(s, &now->r, last, before, e));
        bool found = before->r.mark.seq;
        assert(!found || now->r.mark.seq == 0 || before->r.mark.seq < now->r.mark.seq);
        s->bytes += before->r.body.n;
        if (found && (++s->versions > BLAME_VERSIONS_MAX || s->bytes > BLAME_BYTES_MAX)) {
            s->out->cut = true;
            found = false;
        }
        if (!found)
            place_if(s, &now->r, NULL);
        else if (!before->same)
            compare(s, &now->r, &before->r);
    }
    return JOT_OK;
}

jot_status history_blame(Memory *m, Str stream, Arena *into, Blame *out, Err *e)
{
    Doc head;
    uint64_t last;
    *out = (Blame){ 0 };
    TRY(doc_read(m, stream, into, &head, e));
    TRY(history_last(m, stream, &head.mark, &last, e));
    out->lines = lines_of(head.text, into);
    out->from = NEW_ARRAY(into, const Record *, out->lines.n + 1);
    Search s = { .m = m, .stream = stream, .into = into, .out = out, .open = out->lines.n };
    AUTO(Arena) scratch = { 0 };
    s.at = NEW_ARRAY(&scratch, uint32_t, out->lines.n + 1);
    for (size_t i = 0; i < out->lines.n; i++)
        s.at[i] = (uint32_t)i;
    Step steps[2] = { 0 };
    steps[0].r = (Record){ .mark = head.mark, .by = head.by, .meta = head.meta, .body = head.text };
    jot_status st = walk(&s, steps, last, e);
    assert(st != JOT_OK || s.open == 0); /* every line came with some version */
    arena_free(&steps[0].arena);
    arena_free(&steps[1].arena);
    return st;
}

json_t *blame_json(const Blame *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->lines.n; i++) {
        const Record *r = b->from[i];
        Str text = lines_slice(&b->lines, i, i + 1);
        if (str_ends(text, S("\n")))
            text.n--;
        json_t *one = json_pack("{s:I, s:o, s:s, s:I, s:s, s:o}", "line", (json_int_t)i + 1, "text",
                                json_text(text), "version", version_of(r->mark.sha256).text, "seq",
                                (json_int_t)r->mark.seq, "at", time_text(r->mark.at_ms).text, "by",
                                json_text(r->by));
        json_array_append_new(list, one);
    }
    return list;
}
