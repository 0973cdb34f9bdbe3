/* note_list.c - the noun `note`: which documents there are, by name, by time, or with a word in
 * their names. */
#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "memory/doc/note.h"
#include "memory/newest.h"
#include "tool/note.h"

extern const Verb verb_note_list;

enum {
    TITLE_READ = 256 * 1024, /* bytes of a document whose first line is worth the reading */
    TITLE_BYTES = 120,
    OFFSET_MAX = 100 * 1000,
};

/* What a listing is made from.  Three ways lead to its page: by name, as the store lists them; by
 * name with a filter, where names are asked for until enough fit; by time, from the newest heads.
 */
typedef struct List {
    ToolCall *c;
    Listing page;
    Str filter;     /* folded; empty: none */
    uint64_t total; /* of those by time */
} List;

/* --- With a word in their names -------------------------------------------------------------- */

static Str folded(Str text, Arena *into)
{
    AUTO(Buf) low = { 0 };
    if (!utf8_valid(text))
        return text;
    fold_add_lower(&low, text);
    return arena_copy(into, buf_str(&low));
}

static bool fits(const List *l, Str name)
{
    AUTO(Arena) arena = { 0 };
    Str low = folded(doc_word(name), &arena);
    return !l->filter.n || memmem(low.p, low.n, l->filter.p, l->filter.n);
}

/* Names are cheap, heads are not: only those that fit are looked at. */
static jot_status list_filtered(List *l, NoteAsk ask)
{
    ToolCall *c = l->c;
    size_t limit = ask.limit;
    bool more = true;
    l->page.items = NEW_ARRAY(c->into, Listed, limit);
    ask.which = NOTE_NAMES;
    ask.limit = STORE_LIST_MAX;
    while (more) {
        AUTO(Arena) arena = { 0 };
        Listing names;
        TRY(note_list(c->m, &ask, &arena, &names, c->e));
        TRY(memory_progress(c->m, names.n, c->e));
        for (size_t i = 0; i < names.n; i++) {
            Record head;
            if (!fits(l, names.items[i].name))
                continue;
            if (l->page.n == limit) { /* one more that fits is known */
                l->page.more = true;
                return JOT_OK;
            }
            assert(l->page.n < limit);
            Str name = arena_copy(c->into, names.items[i].name);
            jot_status st = store_head(c->m->store, name, HEAD_MARK, c->into, &head, c->e);
            if (st == JOT_NOT_FOUND)
                continue; /* it went since the names were listed */
            TRY(st);
            l->page.items[l->page.n++] = (Listed){ name, head.mark, head.by, head.meta };
        }
        more = names.more && names.n;
        if (names.n)
            ask.after = arena_copy(c->into, names.items[names.n - 1].name);
    }
    return JOT_OK;
}

/* --- By time --------------------------------------------------------------------------------- */

static bool takes(void *ctx, const Listed *item)
{
    return fits(ctx, item->name);
}

static jot_status list_recent(List *l, const NoteAsk *ask)
{
    Newest newest;
    ToolCall *c = l->c;
    size_t skip = (size_t)arg_number(c, "offset", 0);
    NewestAsk want = { .prefix = ask->prefix, .max = skip + ask->limit, .takes = takes, .ctx = l };
    if (arg_given(c, "after") || arg_bool(c, "deleted"))
        return err_set(c->e, JOT_INVALID, "'recent' goes neither with 'after' nor 'deleted'");
    if (str_find(ask->prefix, '/') == ask->prefix.n)
        want.prefix = arena_printf(c->into, "notes/" STR_FMT, STR_ARG(ask->prefix));
    TRY(memory_newest(c->m, &want, c->into, &newest, c->e));
    skip = skip < newest.n ? skip : newest.n;
    l->page = (Listing){ .items = newest.items + skip,
                         .n = newest.n - skip,
                         .more = newest.total > newest.n };
    l->total = newest.total;
    return JOT_OK;
}

/* --- The row --------------------------------------------------------------------------------- */

/* The first line of each that says something. */
static void add_titles(ToolCall *c, const Listing *page, json_t *list)
{
    for (size_t i = 0; i < page->n; i++) {
        AUTO(Arena) arena = { 0 };
        const Listed *l = &page->items[i];
        Doc d;
        if (!mark_live(&l->mark) || l->mark.size > TITLE_READ ||
            doc_read(c->m, l->name, &arena, &d, &(Err){ 0 }) != JOT_OK)
            continue;
        Str title = doc_title(d.text);
        title.n = title.n > TITLE_BYTES ? utf8_floor(title, TITLE_BYTES) : title.n;
        json_object_set_new(json_array_get(list, i), "first", json_text(title));
    }
}

static jot_status list(ToolCall *c, VerbData *out)
{
    List l = { .c = c, .filter = folded(arg_text(c, "filter"), c->into) };
    NoteAsk ask = { .prefix = arg_text(c, "prefix"),
                    .limit = (size_t)arg_number(c, "limit", NOTE_PAGE),
                    .which = arg_bool(c, "deleted") ? NOTE_DELETED : NOTE_LIVE };
    if (arg_given(c, "after"))
        TRY(note_resolve(arg_text(c, "after"), c->into, &ask.after, c->e));
    if (l.filter.n && arg_bool(c, "deleted"))
        return err_set(c->e, JOT_INVALID, "'filter' does not go with 'deleted'");
    if (arg_given(c, "offset") && !arg_bool(c, "recent"))
        return err_set(c->e, JOT_INVALID, "'offset' goes with 'recent': otherwise use 'after'");
    if (arg_bool(c, "recent"))
        TRY(list_recent(&l, &ask));
    else if (l.filter.n)
        TRY(list_filtered(&l, ask));
    else
        TRY(note_list(c->m, &ask, c->into, &l.page, c->e));
    json_t *notes = note_list_json(&l.page);
    out->json = json_pack("{s:o, s:b}", "notes", notes, "more", l.page.more);
    if (arg_bool(c, "recent"))
        json_object_set_new(out->json, "total", json_integer((json_int_t)l.total));
    if (arg_bool(c, "first"))
        add_titles(c, &l.page, notes);
    return JOT_OK;
}

/* clang-format off */
static const Param listed_fields[] = { NOTE_MARK, { "first", PARAM_TEXT, .about = "line" }, { 0 } };

#define YES(name, words) { name, PARAM_BOOL, .about = words, .optional = true }
const Verb verb_note_list = {
    .tool = { .name = "note_list", .title = "List notes",
              .about = "Notes, or other documents by the beginning of their names, in byte order.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "prefix", PARAM_TEXT, .about = "what keys, or whole names, begin with",
                    .optional = true, .max = STORE_NAME_MAX },
                  { "after", PARAM_TEXT, .about = "those that come after this one",
                    .optional = true, .max = STORE_NAME_MAX },
                  { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = STORE_LIST_MAX },
                  { "filter", PARAM_TEXT, .about = "a part of the name, in any case",
                    .optional = true, .max = STORE_NAME_MAX },
                  YES("recent", "newest first"),
                  { "offset", PARAM_NUMBER, .about = "of the newest, to pass over",
                    .optional = true, .max = OFFSET_MAX },
                  YES("first", "with the first line of each"),
                  YES("deleted", "those that were deleted")),
              .run = verb_answer },
    .verb = "list",
    .summary = "List notes, or other documents",
    .fields = PARAMS({ "notes", PARAM_OBJECTS, .fields = listed_fields },
                     { "more", .type = PARAM_BOOL },
                     { "total", PARAM_NUMBER, .about = "of those by time" }),
    .items = "notes", .unit = "note",
    .run = list,
};
/* clang-format on */
