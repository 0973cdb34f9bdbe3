/* history.c - what documents were, of jotter.h: versions, going back, merging, forgetting. */
#include "memory/doc/history.h"

#include "api/doc.h"
#include "base/time.h"
#include "memory/doc/conflict.h"
#include "memory/forget/forget.h"

jot_status jot_doc_history(jot_pad *pad, const char *name, uint64_t before, size_t limit,
                           const jot_docs **out)
{
    Str stream;
    History h;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_limit(pad, limit, HISTORY_PAGE_MAX, &limit));
    TRY(history_page(&pad->m, stream, &(HistoryAsk){ .before = before, .limit = limit },
                     api_arena(pad), &h, api_err(pad)));
    const jot_doc **items = NEW_ARRAY(api_arena(pad), const jot_doc *, h.n + 1);
    for (size_t i = 0; i < h.n; i++) {
        const Record *r = &h.items[i];
        items[i] = api_give_mark(pad, stream, &r->mark, r->by, r->meta);
    }
    jot_docs *list = NEW_RESULT(pad, jot_docs);
    *list = (jot_docs){ .items = items, .count = h.n, .more = h.more, .damaged = h.damaged };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_doc_versions(jot_pad *pad, const char *name, uint64_t from, size_t limit,
                            const jot_docs **out)
{
    Str stream;
    Records got;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_limit(pad, limit, HISTORY_PAGE_MAX, &limit));
    SeqRange range = { from ? from : 1, limit };
    TRY(store_read(pad->m.store, stream, range, api_arena(pad), &got, api_err(pad)));
    const jot_doc **items = NEW_ARRAY(api_arena(pad), const jot_doc *, got.n + 1);
    for (size_t i = 0; i < got.n; i++) {
        const Record *r = &got.items[i];
        jot_doc *d = api_give_mark(pad, stream, &r->mark, r->by, r->meta);
        d->text = api_give_text(pad, r->body);
        items[i] = d;
    }
    jot_docs *list = NEW_RESULT(pad, jot_docs);
    *list = (jot_docs){ .items = items, .count = got.n, .more = got.more, .damaged = got.damaged };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_doc_diff(jot_pad *pad, const char *name, const char *from, const char *to,
                        const jot_diff **out)
{
    HistoryDiffAsk ask = { .from = str(from), .to = str(to) };
    HistoryDiff d;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &ask.stream));
    TRY(history_diff(&pad->m, &ask, api_arena(pad), &d, api_err(pad)));
    jot_diff *diff = NEW_RESULT(pad, jot_diff);
    *diff =
        (jot_diff){ .text = api_give_text(pad, d.text), .added = d.added, .removed = d.removed };
    GIVE(out, diff);
    return JOT_OK;
}

jot_status jot_doc_blame_json(jot_pad *pad, const char *name, const char **out)
{
    Str stream;
    Blame b;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(history_blame(&pad->m, stream, api_arena(pad), &b, api_err(pad)));
    json_t *value = json_pack("{s:o, s:b}", "lines", blame_json(&b), "cut", b.cut);
    GIVE(out, api_give_json(pad, value));
    return JOT_OK;
}

jot_status jot_doc_merge(jot_pad *pad, const char *name, const char *base, jot_text mine,
                         const jot_merge **out)
{
    Str stream, version, text;
    Doc now;
    Conflict c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_name(pad, "the version it was made of", base, &version));
    TRY(version_check(version, api_err(pad)));
    TRY(api_text(pad, mine, &text));
    TRY(doc_present(&pad->m, stream, api_arena(pad), &now, api_err(pad)));
    c = (Conflict){ .stream = stream, .base = version, .mine = text, .now = now };
    TRY(conflict_look(&pad->m, &c, api_arena(pad), api_err(pad)));
    jot_merge *m = NEW_RESULT(pad, jot_merge);
    *m = (jot_merge){ .now = api_give_doc(pad, stream, &c.now),
                      .text = api_give_text(pad, c.based ? c.merged : (Str){ 0 }),
                      .based = c.based,
                      .clean = c.clean };
    GIVE(out, m);
    return JOT_OK;
}

/* --- Going back -------------------------------------------------------------------------- */

jot_status jot_doc_undo(jot_pad *pad, const char *name, const char *if_version, const jot_doc **out)
{
    return api_change(pad, name, if_version, history_undo, out);
}

jot_status jot_doc_redo(jot_pad *pad, const char *name, const char *if_version, const jot_doc **out)
{
    return api_change(pad, name, if_version, history_redo, out);
}

jot_status jot_doc_restore(jot_pad *pad, const char *name, const char *version,
                           const char *if_version, const jot_doc **out)
{
    Str stream, text;
    When which;
    DocIf when;
    Doc now;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_name(pad, "the version to restore", version, &text));
    TRY(when_parse(text, &which, api_err(pad)));
    TRY(api_if(pad, if_version, &when));
    jot_status st = history_restore(&pad->m, stream, &(Restore){ which, when }, api_arena(pad),
                                    &now, api_err(pad));
    return api_end_change(pad, st, stream, &now, out);
}

/* --- Forgetting -------------------------------------------------------------------------- */

jot_status jot_doc_purge(jot_pad *pad, const char *name)
{
    Str stream;
    Mark mark;
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    return forget_document(&pad->m, stream, &mark, api_err(pad));
}

jot_status jot_doc_redact(jot_pad *pad, const char *name, const char *version, uint64_t *count)
{
    Str stream, text;
    When which;
    uint64_t n;
    GIVE(count, 0);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_name(pad, "the version to redact", version, &text));
    TRY(when_parse(text, &which, api_err(pad)));
    TRY(forget_version(&pad->m, stream, &which, &n, api_err(pad)));
    GIVE(count, n);
    return JOT_OK;
}

jot_status jot_doc_redact_text(jot_pad *pad, const char *name, jot_text phrase, uint64_t *count)
{
    Str stream, text;
    Forgotten f;
    GIVE(count, 0);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_text(pad, phrase, &text));
    jot_status st = forget_phrase(&pad->m, stream, text, &f, api_err(pad));
    if (st == JOT_OK || st == JOT_UNSUPPORTED)
        GIVE(count, f.n);
    return st;
}
