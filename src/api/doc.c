/* doc.c - documents of jotter.h: writing, reading, listing, moving. */
#include "api/doc.h"

#include "memory/doc/conflict.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "memory/frame/excerpt.h"

/* --- Arguments and results --------------------------------------------------------------- */

jot_status api_stream(jot_pad *p, const char *name, Str *out)
{
    Str word;
    TRY(api_name(p, "a document's name", name, &word));
    return note_resolve(word, api_arena(p), out, api_err(p));
}

jot_status api_if(jot_pad *p, const char *if_version, DocIf *out)
{
    *out = (DocIf){ .version = str(if_version) };
    return if_version ? version_check(out->version, api_err(p)) : JOT_OK;
}

jot_doc *api_give_mark(jot_pad *p, Str stream, const Mark *mark, Str by, Str meta)
{
    jot_doc *d = NEW_RESULT(p, jot_doc);
    bool live = mark_live(mark);
    *d = (jot_doc){
        .name = api_give_name(p, doc_word(stream)),
        .text = { "", 0 },
        .bytes = mark->size,
        .version = live ? api_give_short(p, mark->sha256) : "",
        .sha256 = live ? api_give_hash(p, mark->sha256) : "",
        .seq = mark->seq,
        .at_ms = mark->at_ms,
        .by = api_give_name(p, by),
        .meta = api_give_name(p, meta),
        .deleted = !live,
        .redacted = mark->redacted,
        .left_out = "",
        .warning = "",
    };
    return d;
}

jot_doc *api_give_doc(jot_pad *p, Str stream, const Doc *d)
{
    jot_doc *out = api_give_mark(p, stream, &d->mark, d->by, d->meta);
    out->text = api_give_text(p, d->text);
    return out;
}

jot_status api_end_change(jot_pad *p, jot_status st, Str stream, const Doc *now,
                          const jot_doc **out)
{
    if (st == JOT_OK || st == JOT_CONFLICT)
        GIVE(out, api_give_doc(p, stream, now));
    return st;
}

/* --- Changing ---------------------------------------------------------------------------- */

static jot_status read_write_options(jot_pad *p, const jot_write_options *given, DocWrite *w)
{
    jot_write_options o;
    TRY(api_options(p, given, &o, sizeof o));
    TRY(api_if(p, o.if_version, &w->when));
    w->when.absent = o.if_absent;
    w->meta = str(o.meta);
    w->id = str(o.id);
    w->merge = o.merge;
    return JOT_OK;
}

jot_status jot_doc_write(jot_pad *pad, const char *name, jot_text text,
                         const jot_write_options *options, const jot_doc **out)
{
    Str stream;
    DocWrite w = { 0 };
    Conflict c = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_text(pad, text, &w.text));
    TRY(read_write_options(pad, options, &w));
    Arena *into = api_arena(pad);
    jot_status st = conflict_write(&pad->m, stream, &w, into, &c, api_err(pad));
    if (st != JOT_OK)
        return api_end_change(pad, st, stream, &c.now, out);
    jot_doc *d = api_give_doc(pad, stream, &c.now);
    d->merged = c.joined;
    d->warning = api_give_name(pad, note_warns(stream, c.now.text, into));
    GIVE(out, d);
    return JOT_OK;
}

jot_status jot_doc_append(jot_pad *pad, const char *name, jot_text text,
                          const jot_append_options *options, const jot_doc **out)
{
    jot_append_options o;
    DocAppend a = { 0 };
    Str stream;
    Doc now;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_text(pad, text, &a.text));
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_if(pad, o.if_version, &a.when));
    a.line = o.line;
    jot_status st = doc_append(&pad->m, stream, &a, api_arena(pad), &now, api_err(pad));
    if (st != JOT_OK)
        return api_end_change(pad, st, stream, &now, out);
    jot_doc *d = api_give_doc(pad, stream, &now);
    d->warning = api_give_name(pad, note_warns(stream, a.text, api_arena(pad)));
    GIVE(out, d);
    return JOT_OK;
}

jot_status jot_doc_edit(jot_pad *pad, const char *name, jot_text old_text, jot_text new_text,
                        const char *if_version, const jot_doc **out)
{
    DocEdit w = { 0 };
    Str stream;
    Doc now;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_text(pad, old_text, &w.old_text));
    TRY(api_text(pad, new_text, &w.new_text));
    TRY(api_if(pad, if_version, &w.when));
    jot_status st = doc_edit(&pad->m, stream, &w, api_arena(pad), &now, api_err(pad));
    if (st != JOT_OK)
        return api_end_change(pad, st, stream, &now, out);
    jot_doc *d = api_give_doc(pad, stream, &now);
    d->line = w.line;
    GIVE(out, d);
    return JOT_OK;
}

jot_status api_change(jot_pad *pad, const char *name, const char *if_version, ApiChange *change,
                      const jot_doc **out)
{
    Str stream;
    DocIf when;
    Doc now;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_if(pad, if_version, &when));
    jot_status st = change(&pad->m, stream, &when, api_arena(pad), &now, api_err(pad));
    return api_end_change(pad, st, stream, &now, out);
}

jot_status jot_doc_delete(jot_pad *pad, const char *name, const char *if_version,
                          const jot_doc **out)
{
    return api_change(pad, name, if_version, doc_delete, out);
}

jot_status jot_doc_move(jot_pad *pad, const char *from, const char *to, const jot_doc **out)
{
    Str old_stream, new_stream;
    Doc now;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, from, &old_stream));
    TRY(api_stream(pad, to, &new_stream));
    TRY(doc_move(&pad->m, old_stream, new_stream, api_arena(pad), &now, api_err(pad)));
    GIVE(out, api_give_doc(pad, new_stream, &now));
    return JOT_OK;
}

/* --- Reading ----------------------------------------------------------------------------- */

jot_status jot_doc_read(jot_pad *pad, const char *name, const jot_read_options *options,
                        const jot_doc **out)
{
    jot_read_options o;
    Str stream;
    When when;
    Doc d;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_stream(pad, name, &stream));
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(when_parse(str(o.version), &when, api_err(pad)));
    TRY(history_at(&pad->m, stream, &when, api_arena(pad), &d, api_err(pad)));
    ExcerptWant want = { .from = o.line_from, .count = o.lines, .tokens = o.tokens };
    if (!want.from && !want.count && !want.tokens) {
        GIVE(out, api_give_doc(pad, stream, &d));
        return JOT_OK;
    }
    Excerpt x;
    want.from = want.from ? want.from : 1;
    excerpt_make(d.text, &want, &x);
    d.text = x.text;
    jot_doc *doc = api_give_doc(pad, stream, &d);
    doc->left_out = api_give_name(pad, excerpt_says(&x, api_arena(pad)));
    doc->next_line = x.last < x.lines ? x.last + 1 : 0;
    GIVE(out, doc);
    return JOT_OK;
}

jot_status jot_doc_list(jot_pad *pad, const char *prefix, const jot_list_options *options,
                        const jot_docs **out)
{
    jot_list_options o;
    Listing page;
    Str after = { 0 };
    size_t limit;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_limit(pad, o.limit, STORE_LIST_MAX, &limit));
    if (o.after)
        TRY(note_resolve(str(o.after), api_arena(pad), &after, api_err(pad)));
    TRY(note_list(&pad->m,
                  &(NoteAsk){ str(prefix), after, limit, o.deleted ? NOTE_DELETED : NOTE_LIVE },
                  api_arena(pad), &page, api_err(pad)));
    const jot_doc **items = NEW_ARRAY(api_arena(pad), const jot_doc *, page.n + 1);
    for (size_t i = 0; i < page.n; i++) {
        const Listed *l = &page.items[i];
        items[i] = api_give_mark(pad, l->name, &l->mark, l->by, l->meta);
    }
    jot_docs *list = NEW_RESULT(pad, jot_docs);
    *list = (jot_docs){ .items = items, .count = page.n, .more = page.more };
    GIVE(out, list);
    return JOT_OK;
}
