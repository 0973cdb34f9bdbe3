/* cmd_list.c - which documents there are, and what to tell a model about them. */
#include "base/utf8.h"
#include "cli/docs.h"
#include "cli/table.h"
#include "cli/when.h"
#include "memory/kinds.h"
#include "memory/newest.h"
#include "tool/tool.h"

extern const Cmd cmd_list, cmd_prompt;

enum { PAGE = STORE_LIST_MAX, RECENT_MAX = 1000, TITLE_READ = 1024 * 1024, TITLE_BYTES = 60 };

/* The first line of a document, if reading it is worth the while. */
static Str title_of(Session *s, const Listed *l, Arena *into)
{
    Doc doc;
    if (!mark_live(&l->mark) || l->mark.size > TITLE_READ ||
        doc_glance(&s->memory, l->name, into, &doc, &(Err){ 0 }) != JOT_OK)
        return (Str){ 0 };
    Str title = doc_title(doc.text);
    return title.n <= TITLE_BYTES
               ? title
               : arena_printf(into, STR_FMT " ...", (int)utf8_floor(title, TITLE_BYTES), title.p);
}

static void add_long(Session *s, Table *to, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    table_row(to);
    table_cell(to, mark_live(&l->mark) ? str(version_listed(l->mark.seq, l->mark.sha256).text)
                                       : S("deleted"));
    table_cellf(to, "%llu", (unsigned long long)l->mark.size);
    table_cell(to, str(when_shown(s, l->mark.at_ms).text));
    table_cell(to, doc_word(l->name));
    table_cell(to, l->by);
    table_cell(to, title_of(s, l, &arena));
}

static void print_page(Session *s, const Listing *page, bool first)
{
    AUTO(Table) table = { .heads = first ? "version\tbytes\twhen\tkey\twho\tfirst line" : NULL };
    for (size_t i = 0; i < page->n; i++)
        if (opt_given(s, "long"))
            add_long(s, &table, &page->items[i]);
        else
            print_name_line(doc_word(page->items[i].name));
    table_print(&table);
}

/* Those that were changed last, newest first. */
static jot_status list_recent(Session *s, Str prefix, size_t limit, json_t *into, Str *last,
                              bool *more)
{
    Newest newest;
    NewestAsk ask = { .prefix = prefix, .max = limit < RECENT_MAX ? limit : RECENT_MAX };
    if (opt_given(s, "deleted") || opt_given(s, "after"))
        return err_set(&s->err, JOT_INVALID, "--recent goes neither with --deleted nor --after");
    if (str_find(prefix, '/') == prefix.n)
        ask.prefix = arena_printf(&s->arena, "notes/" STR_FMT, STR_ARG(prefix));
    TRY(memory_newest(&s->memory, &ask, &s->arena, &newest, &s->err));
    Listing page = { .items = newest.items, .n = newest.n };
    if (into) {
        AUTO_PTR(json_t) list = note_list_json(&page);
        json_array_extend(into, list);
    } else {
        print_page(s, &page, true);
    }
    *last = newest.n ? newest.items[newest.n - 1].name : (Str){ 0 };
    *more = newest.total > newest.n;
    return JOT_OK;
}

/* Everything, page by page, or at most `limit` of it; *last is the name of the last one, and empty
 * if there is none. */
static jot_status list_all(Session *s, Str prefix, size_t limit, json_t *into, Str *last,
                           bool *more)
{
    bool names = !into && !opt_given(s, "long"); /* nothing else is printed */
    NoteWhich which = opt_given(s, "deleted") ? NOTE_DELETED : names ? NOTE_NAMES : NOTE_LIVE;
    Str after = { 0 };
    if (opt_given(s, "after"))
        TRY(note_resolve(str(opt_text(s, "after")), &s->arena, &after, &s->err));
    for (*more = true; *more && limit;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        size_t room = limit < PAGE ? limit : PAGE;
        TRY(note_list(&s->memory, &(NoteAsk){ prefix, after, room, which }, &arena, &page,
                      &s->err));
        if (into) {
            AUTO_PTR(json_t) list = note_list_json(&page);
            json_array_extend(into, list);
        } else {
            print_page(s, &page, !after.n);
        }
        *more = page.more && page.n;
        limit -= page.n;
        if (page.n)
            *last = after = arena_copy(&s->arena, page.items[page.n - 1].name);
    }
    return JOT_OK;
}

/* For people: standard output has keys alone.  A kind is meant by its name with a slash. */
static void say_empty(Session *s)
{
    Str prefix = arg_at(s, 0);
    fputs("(empty)\n", stderr);
    if (prefix.n && kind_word(arena_cstr(&s->arena, prefix)))
        say("no note has that prefix; to list that kind: jotter list " STR_FMT "/",
            STR_ARG(prefix));
}

static jot_status run_list(Session *s)
{
    bool there, more = false;
    Str last = { 0 };
    int64_t limit;
    Listing probe;
    TRY(opt_number(s, "limit", 1, INT32_MAX, INT64_MAX, &limit));
    TRY(session_open_any(s, &there));
    AUTO_PTR(json_t) list = s->json ? json_array() : NULL;
    if (there && opt_given(s, "recent")) {
        TRY(list_recent(s, arg_at(s, 0), (size_t)limit, list, &last, &more));
    } else if (there) {
        TRY(list_all(s, arg_at(s, 0), (size_t)limit, list, &last, &more));
    } else if (arg_at(s, 0).n) {
        /* A bad prefix is refused also where there is no pad to look into. */
        Memory none = { 0 };
        TRY(memory_open(&none, S("mem:"), &(MemoryOptions){ .create = true }, &s->err));
        jot_status st = note_list(&none, &(NoteAsk){ .prefix = arg_at(s, 0), .limit = 1 },
                                  &s->arena, &probe, &s->err);
        memory_close(&none);
        TRY(st);
    }
    if (s->json)
        print_json(json_pack("{s:O, s:b}", "notes", list, "more", more));
    else if (!last.n)
        say_empty(s);
    else if (more && opt_given(s, "recent"))
        say("there are older ones: jotter list");
    else if (more)
        say("there are more: --after '" STR_FMT "'", STR_ARG(doc_word(last)));
    return JOT_OK;
}

static jot_status run_prompt(Session *s)
{
    AUTO(Buf) text = { 0 };
    unsigned set;
    TRY(tool_profiles(str(opt_text(s, "tools")), &set, &s->err));
    tool_teach(&text, set, opt_given(s, "short"));
    if (!opt_given(s, "short") && !opt_given(s, "tools"))
        buf_add(&text, tool_prompt_shell());
    if (s->json)
        print_json(json_pack("{s:o}", "prompt", json_text(buf_str(&text))));
    else
        print_text(buf_str(&text));
    return JOT_OK;
}

static const Opt list_opts[] = {
    { "long", NULL, "version, bytes, time, key, author, first line" },
    { "recent", NULL, "by time of the last change, newest first" },
    { "deleted", NULL, "deleted ones instead" },
    { "limit", "N", "at most N" },
    { "after", "KEY", "start after this one" },
    { 0 },
};

const Cmd cmd_list = {
    .name = "list",
    .args = "[PREFIX]",
    .summary = "Print the keys, one per line",
    .help = "In byte order; if there are none, standard error says so.  'memories/', 'artifacts/' "
            "and 'cycles/'\n"
            "as PREFIX list those documents, by their whole names.\n",
    .opts = list_opts,
    .args_max = 1,
    .run = run_list,
};

static const Opt prompt_opts[] = {
    { "short", NULL, "the short form, under 2 KiB" },
    { "tools", "PROFILES", "for a model with these tools and no shell: " TOOL_PROFILE_WORDS },
    { 0 },
};

const Cmd cmd_prompt = {
    .name = "prompt",
    .args = "",
    .summary = "Print instructions for a model about the scratchpad",
    .help = "Put it into the system prompt, CLAUDE.md or AGENTS.md.  MCP clients get it on\n"
            "their own: the short form as instructions, the long one as the prompt scratchpad.\n",
    .opts = prompt_opts,
    .run = run_prompt,
};
