/* pad_copy.c - copying a pad, and keeping the target's search index clean. */
#include "memory/port/pad_copy.h"

#include "memory/search/search.h"

/* With more streams than this the index is emptied instead: the next search makes it again. */
enum { FORGET_ONE_BY_ONE = 16 };

typedef struct Passage {
    Memory *to;
    const CopyHooks *show; /* its progress; may be NULL */
    Arena *into;
    PadReport *report;
    uint64_t forgot; /* streams, so far */
    Err first;       /* why the index still holds text */
} Passage;

void pad_report_add(PadReport *r, Arena *into, const CopyNotice *t)
{
    layout_skip(t->status == JOT_OK ? &r->notes : &r->problems, into, t->stream, "%s", t->what);
}

static void clear_index(Passage *p, Str stream)
{
    Err why = { 0 };
    Shown shown;
    if (++p->forgot > FORGET_ONE_BY_ONE)
        return; /* all of it, at the end */
    jot_status st = search_forget(p->to, &stream, 1, &why);
    if (st == JOT_OK)
        return;
    layout_skip(&p->report->problems, p->into, stream,
                "it is forgotten, but not yet in the search index: %.100s", why.text);
    if (p->first.status == JOT_OK)
        err_set(&p->first, st, "'%s' is forgotten, but not yet in the search index: %.100s",
                err_show(&shown, stream), why.text);
}

static void add_notice(void *ctx, const CopyNotice *t)
{
    Passage *p = ctx;
    pad_report_add(p->report, p->into, t);
    if (t->news == COPY_FORGOT)
        clear_index(p, t->stream);
}

static void progress(void *ctx, const CopyCount *count)
{
    Passage *p = ctx;
    p->show->progress(p->show->ctx, count);
}

static bool go_on(void *ctx)
{
    const Passage *p = ctx;
    return p->show->go_on(p->show->ctx);
}

jot_status pad_copy(Store *from, Memory *to, const CopyHooks *show, Arena *into, PadReport *out,
                    Err *e)
{
    *out = (PadReport){ 0 };
    Passage p = { .to = to, .show = show, .into = into, .report = out };
    CopyHooks hooks = { .notice = add_notice, .ctx = &p };
    if (show && show->progress)
        hooks.progress = progress;
    if (show && show->go_on)
        hooks.go_on = go_on;
    jot_status st = store_copy(from, to->store, &hooks, &out->count, e);
    if (p.forgot > FORGET_ONE_BY_ONE) {
        jot_status cleared = search_forget(to, NULL, 0, st == JOT_OK ? e : NULL);
        return st == JOT_OK ? cleared : st;
    }
    return st == JOT_OK ? err_pass(e, &p.first, p.first.status) : st;
}

static json_t *list_json(const LayoutReport *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->skipped_n; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", json_text(r->skipped[i].name),
                                              "why", json_text(r->skipped[i].why)));
    return list;
}

void pad_report_add_json(json_t *to, const PadReport *r)
{
    json_object_set_new(to, "problems", list_json(&r->problems));
    json_object_set_new(to, "problems_total", json_integer((json_int_t)r->problems.skipped_total));
    json_object_set_new(to, "notes", list_json(&r->notes));
}
