/* note.c - keys, lists and sentences of notes.
 *
 * Keys are checked here before a stream's name is made of them, so that every
 * door refuses a bad one with the same sentence. */
#include "memory/doc/note.h"

#include <assert.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "memory/doc/secret.h"

static const char *const kinds[] = { "notes/",  "memories/", "artifacts/",
                                     "cycles/", "threads/",  "shared/" };

jot_status note_stream(Str key, Arena *into, Str *out, Err *e)
{
    if (key.n == 0)
        return err_set(e, JOT_INVALID, "key cannot be empty");
    TRY(store_check_note(key, e));
    *out = arena_printf(into, "notes/" STR_FMT, STR_ARG(key));
    return JOT_OK;
}

static bool names_kind(Str word, Str *rest)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(word, str(kinds[i]))) {
            *rest = str_from(word, str(kinds[i]).n);
            return true;
        }
    return false;
}

jot_status note_resolve(Str word, Arena *into, Str *out, Err *e)
{
    Str rest;
    if (!names_kind(word, &rest))
        return note_stream(word, into, out, e);
    if (str_starts(word, S("notes/")))
        return note_stream(rest, into, out, e);
    TRY(store_check_name(word, e));
    *out = word;
    return JOT_OK;
}

/* An origin fixed the sentence.  A key in another normal form looks right: what helps is the form.
 */
jot_status note_resolve_agent(Str word, Arena *into, Str *out, Err *e)
{
    Err why = { 0 };
    AUTO(Buf) nfc = { 0 };
    Str rest = word;
    jot_status st = note_resolve(word, into, out, &why);
    bool note = !names_kind(word, &rest) || str_starts(word, S("notes/"));
    if (st == JOT_OK || !note || !rest.n)
        return err_pass(e, &why, st);
    if (utf8_valid(rest))
        fold_add_nfc(&nfc, rest);
    if (nfc.n && !str_eq(buf_str(&nfc), rest) && store_check_note(buf_str(&nfc), NULL) == JOT_OK)
        return err_pass(e, &why, st);
    TRY(store_check_key(rest, e));
    return err_pass(e, &why, st);
}

jot_status note_resolve_change(Memory *m, Str word, Arena *into, Str *out, Err *e)
{
    Record head;
    TRY(note_resolve_agent(word, into, out, e));
    if (!store_note_is_wide(*out))
        return JOT_OK;
    Err missing = { 0 };
    jot_status st = store_head(m->store, *out, HEAD_MARK, into, &head, &missing);
    return st == JOT_NOT_FOUND ? store_check_key(doc_word(*out), e) : err_pass(e, &missing, st);
}

/* The beginning of streams' names that a word means. */
static jot_status resolve_prefix(Str prefix, Arena *into, Str *out, Err *e)
{
    Str rest = prefix;
    bool named = names_kind(prefix, &rest);
    if (named && !str_starts(prefix, S("notes/"))) {
        *out = prefix; /* store_list checks it */
        return JOT_OK;
    }
    TRY(store_check_note_prefix(rest, e));
    *out = arena_printf(into, "notes/" STR_FMT, STR_ARG(rest));
    return JOT_OK;
}

jot_status note_list(Memory *m, const NoteAsk *ask, Arena *into, Listing *out, Err *e)
{
    Str begin, after = ask->after;
    size_t limit = ask->limit;
    TRY(resolve_prefix(ask->prefix, into, &begin, e));
    ListWhich form = ask->which == NOTE_NAMES ? LIST_LIVE_NAMES : LIST_LIVE;
    if (ask->which != NOTE_DELETED)
        return store_list(
            m->store,
            &(ListQuery){ .prefix = begin, .after = after, .limit = limit, .which = form }, into,
            out, e);
    /* Tombstones are few among the living: continue until there are enough of them. */
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, limit ? limit : 1), .more = true };
    while (out->more && out->n < limit) {
        AUTO(Arena) scratch = { 0 };
        Listing page;
        TRY(store_list(
            m->store,
            &(ListQuery){ .prefix = begin, .after = after, .limit = limit, .which = LIST_ALL },
            &scratch, &page, e));
        size_t i = 0;
        for (; i < page.n && out->n < limit; i++)
            if (!mark_live(&page.items[i].mark))
                out->items[out->n++] = (Listed){ .name = arena_copy(into, page.items[i].name),
                                                 .mark = page.items[i].mark,
                                                 .by = arena_copy(into, page.items[i].by),
                                                 .meta = arena_copy(into, page.items[i].meta) };
        if (i)
            after = arena_copy(into, page.items[i - 1].name);
        out->more = i < page.n || (page.more && page.n);
    }
    return JOT_OK;
}

json_t *note_list_json(const Listing *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(
            list, mark_json(l->items[i].name, &l->items[i].mark, l->items[i].by, l->items[i].meta));
    return list;
}

Str note_wrote(Str stream, Str text, bool joined, Arena *into)
{
    Str word = doc_word(stream);
    Str name =
        word.n < stream.n ? arena_printf(into, "scratchpad[" STR_FMT "]", STR_ARG(word)) : word;
    return arena_printf(into, "wrote %zu chars to " STR_FMT "%s",
                        utf8_valid(text) ? utf8_count(text) : text.n, STR_ARG(name),
                        joined ? ", merged with what others wrote" : "");
}

Str note_warns(Str stream, Str text, Arena *into)
{
    Secret s;
    if (!secret_find(text, &s))
        return (Str){ 0 };
    Str word = arena_shell_word(into, doc_word(stream));
    return arena_printf(into,
                        "line %zu looks like %s: it is stored; 'jotter redact " STR_FMT
                        " --stdin' takes a text out of every version, 'jotter purge " STR_FMT
                        "' removes all",
                        s.line, s.what, STR_ARG(word), STR_ARG(word));
}
