/* cmd_list.c - which documents there are, and what to tell a model about them. */
#include "base/time.h"
#include "cli/docs.h"
#include "tool/tool.h"

extern const Cmd cmd_list, cmd_prompt;

enum { PAGE = 500 };

static void print_long(const Listed *l)
{
    Str word = doc_word(l->name);
    bool live = mark_live(&l->mark);
    printf("%-*s  %8llu  %s  ", VERSION_HEX, live ? version_of(l->mark.sha256).text : "deleted",
           (unsigned long long)l->mark.size, time_text(l->mark.at_ms).text);
    print_name(word);
    if (l->by.n) {
        fputs("  ", stdout);
        print_name(l->by);
    }
    putchar('\n');
}

static void print_page(Session *s, const Listing *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (opt_given(s, "long"))
            print_long(&page->items[i]);
        else
            print_name_line(doc_word(page->items[i].name));
}

/* Everything, page by page, or at most `limit` of it; *last is the name of the last one, and empty
 * if there is none. */
static jot_status list_all(Session *s, Str prefix, size_t limit, json_t *into, Str *last,
                           bool *more)
{
    NoteWhich which = opt_given(s, "deleted") ? NOTE_DELETED : NOTE_LIVE;
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
            print_page(s, &page);
        }
        *more = page.more && page.n;
        limit -= page.n;
        if (page.n)
            *last = after = arena_copy(&s->arena, page.items[page.n - 1].name);
    }
    return JOT_OK;
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
    if (there) {
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
        puts("(empty)");
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
    { "long", NULL, "version, bytes, time, key, author" },
    { "deleted", NULL, "those that were deleted instead" },
    { "limit", "N", "at most so many" },
    { "after", "KEY", "only those after this one" },
    { 0 },
};

const Cmd cmd_list = {
    .name = "list",
    .args = "[PREFIX]",
    .summary = "Print the keys, one a line",
    .help = "In byte order; '(empty)' if there is none.  'memories/', 'artifacts/' and 'cycles/'\n"
            "as PREFIX list those documents, by their whole names.\n",
    .opts = list_opts,
    .args_max = 1,
    .run = run_list,
};

static const Opt prompt_opts[] = {
    { "short", NULL, "the form below 2 KiB" },
    { "tools", "PROFILES", "for who has these tools and no shell: " TOOL_PROFILE_WORDS },
    { 0 },
};

const Cmd cmd_prompt = {
    .name = "prompt",
    .args = "",
    .summary = "Print what to tell a model about the scratchpad",
    .help = "Put it into the system prompt, CLAUDE.md or AGENTS.md.  Clients of MCP get it by\n"
            "themselves: the short form as instructions, the long one as the prompt scratchpad.\n",
    .opts = prompt_opts,
    .run = run_prompt,
};
