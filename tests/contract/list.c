/* list.c - promises about lists: byte order, prefixes, pages that survive what happens between
 * them, and names that are files or directories but never both. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

/* The names must be these, in this order; NULL ends them. */
static void check_names(const char *file, int line, const Listing *got, const char *const *want)
{
    size_t n = 0;
    for (; want[n]; n++) {
        if (n >= got->n)
            fail_at(file, line, "the list ends before '%s'", want[n]);
        check_text(file, line, got->items[n].name, str(want[n]));
    }
    Shown shown;
    if (n < got->n)
        fail_at(file, line, "the list goes on with '%s'", err_show(&shown, got->items[n].name));
}
#define CHECK_NAMES(listing, ...)               \
    check_names(__FILE__, __LINE__, &(listing), \
                (const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static Listing all_live(Trial *p, const char *prefix)
{
    return list(p, prefix, "", STORE_LIST_MAX, LIST_LIVE);
}

static void a_fresh_pad_lists_nothing(Trial *p)
{
    Listing got = list(p, "", "", 10, LIST_ALL);
    CHECK_NUM(got.n, 0);
    CHECK(!got.more);
}

static void names_come_in_byte_order(Trial *p)
{
    static const char *const names[] = { "x/b",     "x/a/b",      "notes/b", "x/a-b",
                                         "notes/A", "x/a.b",      "x/a0",    "x/Z",
                                         "y/a",     "x/\xC3\xA9", "x/~",     "x-y/a" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    Listing got = all_live(p, "");
    CHECK_NAMES(got, "notes/A", "notes/b", "x-y/a", "x/Z", "x/a-b", "x/a.b", "x/a/b", "x/a0", "x/b",
                "x/~", "x/\xC3\xA9", "y/a");
}

static void nested_names_sort_by_bytes_and_not_by_directory(Trial *p)
{
    static const char *const names[] = { "memories/a/z",   "memories/a-b", "memories/a/b/c",
                                         "memories/a.txt", "memories/a b", "memories/a0" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    Listing got = all_live(p, "memories/");
    CHECK_NAMES(got, "memories/a b", "memories/a-b", "memories/a.txt", "memories/a/b/c",
                "memories/a/z", "memories/a0");
}

static void a_prefix_is_bytes_and_not_a_directory(Trial *p)
{
    static const char *const names[] = { "x/a", "x/ab", "x/ab-c", "x/b", "xy/a", "notes/x" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    Listing got = all_live(p, "x");
    CHECK_NAMES(got, "x/a", "x/ab", "x/ab-c", "x/b", "xy/a");
    got = all_live(p, "x/");
    CHECK_NAMES(got, "x/a", "x/ab", "x/ab-c", "x/b");
    got = all_live(p, "x/a");
    CHECK_NAMES(got, "x/a", "x/ab", "x/ab-c");
    got = all_live(p, "x/ab");
    CHECK_NAMES(got, "x/ab", "x/ab-c");
    got = all_live(p, "x/abc");
    CHECK_NAMES(got);
    got = all_live(p, "z");
    CHECK_NAMES(got);
}

static void a_prefix_may_end_inside_a_character(Trial *p)
{
    put(p, "x/\xC3\xA9", "x");
    put(p, "x/\xC3\xB6", "x");
    put(p, "x/\xE2\x82\xAC", "x");
    Listing got = all_live(p, "x/\xC3");
    CHECK_NAMES(got, "x/\xC3\xA9", "x/\xC3\xB6");
    got = all_live(p, "x/\xE2\x82");
    CHECK_NAMES(got, "x/\xE2\x82\xAC");
}

static void a_prefix_has_no_wildcards(Trial *p)
{
    static const char *const names[] = { "x/a%b", "x/aXb", "x/a_b", "x/a*b",
                                         "x/a?b", "x/[a]", "x/a\\b" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Listing got = all_live(p, names[i]);
        CHECK_NAMES(got, names[i]);
    }
    Listing got = all_live(p, "x/%");
    CHECK_NAMES(got);
    got = all_live(p, "x/a_");
    CHECK_NAMES(got, "x/a_b");
}

static void a_page_begins_behind_the_name_given(Trial *p)
{
    put(p, "x/a", "x");
    put(p, "x/b", "x");
    put(p, "x/c", "x");
    Listing got = list(p, "", "x/a", 10, LIST_LIVE);
    CHECK_NAMES(got, "x/b", "x/c");
    got = list(p, "x/", "x/c", 10, LIST_LIVE);
    CHECK_NAMES(got);
    got = list(p, "x/", "a/a", 10, LIST_LIVE);
    CHECK_NAMES(got, "x/a", "x/b", "x/c");
    got = list(p, "x/a", "x/a", 10, LIST_LIVE);
    CHECK_NAMES(got);
}

static void the_name_given_need_not_exist(Trial *p)
{
    put(p, "x/a", "x");
    put(p, "x/c", "x");
    Listing got = list(p, "x/", "x/b", 10, LIST_LIVE);
    CHECK_NAMES(got, "x/c");
    got = list(p, "x/", "x/a/z", 10, LIST_LIVE);
    CHECK_NAMES(got, "x/c");
    got = list(p, "x/", "zz/a", 10, LIST_LIVE);
    CHECK_NAMES(got);
}

static void pages_of_any_size_give_the_same_list(Trial *p)
{
    for (int i = 0; i < 23; i++) {
        char name[32];
        snprintf(name, sizeof name, i % 3 ? "x/%d" : "x/d/%d", i * 7);
        put(p, name, "x");
    }
    Listing whole = all_live(p, "");
    for (size_t limit = 1; limit <= 24; limit++) {
        char after[STORE_NAME_MAX + 1] = "";
        size_t seen = 0;
        for (bool more = true; more;) {
            Listing page = list(p, "x/", after, limit, LIST_LIVE);
            CHECK(page.n <= limit && (page.n == limit || !page.more));
            for (size_t i = 0; i < page.n; i++)
                CHECK_TEXT(page.items[i].name, whole.items[seen++].name);
            snprintf(after, sizeof after, STR_FMT, STR_ARG(page.items[page.n - 1].name));
            more = page.more;
        }
        CHECK_NUM(seen, whole.n);
    }
}

static void more_is_said_only_if_there_is_more(Trial *p)
{
    put(p, "x/a", "x");
    put(p, "x/b", "x");
    put(p, "x/c", "x");
    put(p, "y/a", "x");
    bury(p, "x/c");
    CHECK(list(p, "x/", "", 1, LIST_LIVE).more);
    CHECK(!list(p, "x/", "", 2, LIST_LIVE).more);
    CHECK(list(p, "x/", "", 2, LIST_ALL).more);
    CHECK(!list(p, "x/", "", 3, LIST_ALL).more);
    CHECK(list(p, "", "", 2, LIST_LIVE).more);
}

static void appends_between_two_pages_move_nothing(Trial *p)
{
    static const char *const names[] = { "x/a", "x/b", "x/c", "x/d", "x/e" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    Listing page = list(p, "", "", 2, LIST_LIVE);
    CHECK_NAMES(page, "x/a", "x/b");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[COUNT_OF(names) - 1 - i], "y");
    page = list(p, "", "x/b", 2, LIST_LIVE);
    CHECK_NAMES(page, "x/c", "x/d");
    CHECK_NUM(page.items[0].mark.seq, 2);
}

static void names_made_between_two_pages_come_if_they_lie_ahead(Trial *p)
{
    put(p, "x/b", "x");
    put(p, "x/d", "x");
    Listing page = list(p, "", "", 1, LIST_LIVE);
    CHECK_NAMES(page, "x/b");
    put(p, "x/a", "x");
    put(p, "x/c", "x");
    page = list(p, "", "x/b", 10, LIST_LIVE);
    CHECK_NAMES(page, "x/c", "x/d");
}

static void names_deleted_between_two_pages_are_gone_and_nothing_is_skipped(Trial *p)
{
    static const char *const names[] = { "x/a", "x/b", "x/c", "x/d" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    list(p, "", "", 2, LIST_LIVE);
    bury(p, "x/b");
    bury(p, "x/c");
    Listing page = list(p, "", "x/b", 2, LIST_LIVE);
    CHECK_NAMES(page, "x/d");
    page = list(p, "", "x/b", 2, LIST_ALL);
    CHECK_NAMES(page, "x/c", "x/d");
}

static void live_lists_leave_out_tombstones_and_full_lists_do_not(Trial *p)
{
    put(p, "notes/a", "x");
    put(p, "notes/b", "x");
    put(p, "x/a", "x");
    Mark gone = bury(p, "notes/a"), purged;
    CHECK_IS(p, store_purge(p->s, S("x/a"), NULL, S("bob"), &purged, &p->e), JOT_OK);
    Listing live = all_live(p, "");
    CHECK_NAMES(live, "notes/b");
    Listing all = list(p, "", "", 10, LIST_ALL);
    CHECK_NAMES(all, "notes/a", "notes/b", "x/a");
    CHECK_MARK(all.items[0].mark, gone);
    CHECK_MARK(all.items[2].mark, purged);
    CHECK_TEXT(all.items[2].by, S("bob"));
}

static void a_stream_that_lives_again_is_listed_again(Trial *p)
{
    put(p, "notes/a", "x");
    bury(p, "notes/a");
    put(p, "notes/a", "y");
    Listing live = all_live(p, "");
    CHECK_NAMES(live, "notes/a");
    CHECK_NUM(live.items[0].mark.seq, 3);
}

static void a_list_gives_each_heads_mark_author_and_meta(Trial *p)
{
    Draft d = { .op = OP_PUT, .by = S("bob"), .meta = S("{\"tag\": [1, 2]}"), .body = S("text") };
    put(p, "notes/a", "one");
    Mark a = append(p, "notes/a", ANY, d);
    Mark r = entry(p, "runs/r", "one");
    Listing got = all_live(p, "");
    CHECK_NAMES(got, "notes/a", "runs/r");
    CHECK_MARK(got.items[0].mark, a);
    CHECK_TEXT(got.items[0].by, S("bob"));
    CHECK_TEXT(got.items[0].meta, S("{\"tag\": [1, 2]}"));
    CHECK_MARK(got.items[1].mark, r);
    CHECK_TEXT(got.items[1].by, S("ann"));
    CHECK_TEXT(got.items[1].meta, S(""));
}

/* Both forms give the same names, page by page; the shorter one gives nothing else. */
static void check_forms(Trial *p, ListWhich heads, ListWhich names, size_t limit)
{
    Str after = S("");
    for (bool more = true; more;) {
        Listing full = list(p, "", arena_cstr(&p->arena, after), limit, heads);
        Listing bare = list(p, "", arena_cstr(&p->arena, after), limit, names);
        CHECK_NUM(bare.n, full.n);
        CHECK(bare.more == full.more);
        for (size_t i = 0; i < full.n; i++) {
            CHECK_TEXT(bare.items[i].name, full.items[i].name);
            CHECK(full.items[i].mark.seq > 0);
            CHECK_MARK(bare.items[i].mark, ((Mark){ 0 }));
            CHECK(bare.items[i].by.n == 0 && bare.items[i].meta.n == 0);
        }
        more = full.more;
        after = full.n ? full.items[full.n - 1].name : after;
    }
}

static void names_alone_are_the_names_that_come_with_heads(Trial *p)
{
    static const char *const names[] = { "notes/a", "notes/b",    "memories/d/e", "runs/r",
                                         "x/a",     "cycles/bob", "artifacts/c/1" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    bury(p, "notes/b");
    bury(p, "memories/d/e");
    bury(p, "runs/r");
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("x/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    for (size_t limit = 1; limit <= COUNT_OF(names) + 1; limit++) {
        check_forms(p, LIST_LIVE, LIST_LIVE_NAMES, limit);
        check_forms(p, LIST_ALL, LIST_ALL_NAMES, limit);
    }
    CHECK_NUM(list(p, "", "", 10, LIST_LIVE_NAMES).n, 3);
    CHECK_NUM(list(p, "", "", 10, LIST_ALL_NAMES).n, COUNT_OF(names));
}

static void a_refused_append_leaves_no_name_behind(Trial *p)
{
    refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(5), PUT("x"));
    refused(p, JOT_NOT_FOUND, "x/a/b/c", ANY, DELETE);
    refused(p, JOT_FENCED, "memories/d/e", (Expect){ .guard = S("x/g"), .guard_seq = 1 }, PUT("x"));
    Listing all = list(p, "", "", 10, LIST_ALL);
    CHECK_NAMES(all);
    put(p, "x/a", "the name is free");
    put(p, "memories/d", "this one too");
}

static void both_handles_and_a_later_one_list_the_same(Trial *p)
{
    put(p, "notes/a", "x");
    trial_use(p, 1);
    put(p, "x/a/b", "x");
    Listing got = all_live(p, "");
    CHECK_NAMES(got, "notes/a", "x/a/b");
    trial_use(p, 0);
    bury(p, "notes/a");
    got = all_live(p, "");
    CHECK_NAMES(got, "x/a/b");
    trial_reopen(p);
    got = all_live(p, "");
    CHECK_NAMES(got, "x/a/b");
    got = list(p, "", "", 10, LIST_ALL);
    CHECK_NAMES(got, "notes/a", "x/a/b");
}

/* --- A name is a file or a directory --------------------------------------------------- */

static void nothing_can_be_made_below_a_live_name(Trial *p)
{
    static const char *const kinds[] = { "memories", "x", "artifacts", "logs" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char file[32], below[32], deeper[32];
        snprintf(file, sizeof file, "%s/a", kinds[i]);
        snprintf(below, sizeof below, "%s/a/b", kinds[i]);
        snprintf(deeper, sizeof deeper, "%s/a/b/c/d", kinds[i]);
        put(p, file, "x");
        refused(p, JOT_INVALID, below, ANY, PUT("x"));
        refused(p, JOT_INVALID, deeper, ANY, PUT("x"));
        char want[128];
        snprintf(want, sizeof want, "cannot create '%s': '%s' is not a directory", deeper, file);
        CHECK_TEXT(str(p->e.text), str(want));
    }
}

static void nothing_can_be_made_above_a_live_name(Trial *p)
{
    put(p, "memories/a/b/c", "x");
    put(p, "x/a/b/c", "x");
    static const char *const above[] = { "memories/a", "memories/a/b", "x/a", "x/a/b" };
    for (size_t i = 0; i < COUNT_OF(above); i++) {
        refused(p, JOT_INVALID, above[i], ANY, PUT("x"));
        refused(p, JOT_INVALID, above[i], ABSENT, PUT("x"));
        char want[128];
        snprintf(want, sizeof want,
                 "cannot create '%s': '%.*s/a/b/c' is in it, so it is a directory", above[i],
                 above[i][0] == 'x' ? 1 : 8, above[i]);
        CHECK_TEXT(str(p->e.text), str(want));
    }
}

static void names_that_only_look_nested_do_not_clash(Trial *p)
{
    static const char *const names[] = { "memories/a",     "memories/ab/c", "memories/a-b",
                                         "memories/a.b/c", "memories/A/b",  "x/a" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        CHECK_NUM(put(p, names[i], "x").seq, 1);
}

static void a_deleted_file_makes_room_for_a_directory(Trial *p)
{
    put(p, "memories/a", "x");
    bury(p, "memories/a");
    put(p, "memories/a/b", "y");
    CHECK_TEXT(head(p, "memories/a/b", HEAD_VALUE).body, S("y"));
    CHECK(head(p, "memories/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK_TEXT(record_at(p, "memories/a", 1).body, S("x"));
    Mark answer = refused(p, JOT_INVALID, "memories/a", ANY, PUT("z"));
    CHECK_NUM(answer.seq, 2);
}

static void a_directory_without_live_names_makes_room_for_a_file(Trial *p)
{
    put(p, "memories/a/b", "x");
    put(p, "memories/a/c/d", "x");
    bury(p, "memories/a/b");
    refused(p, JOT_INVALID, "memories/a", ANY, PUT("y"));
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("memories/a/c/d"), NULL, S("ann"), &m, &p->e), JOT_OK);
    put(p, "memories/a", "y");
    CHECK_TEXT(head(p, "memories/a", HEAD_VALUE).body, S("y"));
    refused(p, JOT_INVALID, "memories/a/b", ANY, PUT("z"));
    CHECK(head(p, "memories/a/b", HEAD_VALUE).mark.op == OP_DELETE);
}

static void conditions_are_told_before_a_clash_of_names(Trial *p)
{
    put(p, "memories/a", "x");
    refused(p, JOT_CONFLICT, "memories/a/b", AT_SEQ(3), PUT("y"));
    refused(p, JOT_NOT_FOUND, "memories/a/b", ANY, DELETE);
}

static void a_clash_of_names_is_seen_by_every_handle_and_after_reopening(Trial *p)
{
    trial_use(p, 1);
    trial_use(p, 0);
    put(p, "memories/a", "x");
    trial_use(p, 1);
    refused(p, JOT_INVALID, "memories/a/b", ANY, PUT("y"));
    bury(p, "memories/a");
    trial_use(p, 0);
    put(p, "memories/a/b", "y");
    trial_reopen(p);
    refused(p, JOT_INVALID, "memories/a", ANY, PUT("y"));
}

const Promise list_promises[] = {
    PROMISE(a_fresh_pad_lists_nothing),
    PROMISE(names_come_in_byte_order),
    PROMISE(nested_names_sort_by_bytes_and_not_by_directory),
    PROMISE(a_prefix_is_bytes_and_not_a_directory),
    PROMISE(a_prefix_may_end_inside_a_character),
    PROMISE(a_prefix_has_no_wildcards),
    PROMISE(a_page_begins_behind_the_name_given),
    PROMISE(the_name_given_need_not_exist),
    PROMISE(pages_of_any_size_give_the_same_list),
    PROMISE(more_is_said_only_if_there_is_more),
    PROMISE(appends_between_two_pages_move_nothing),
    PROMISE(names_made_between_two_pages_come_if_they_lie_ahead),
    PROMISE(names_deleted_between_two_pages_are_gone_and_nothing_is_skipped),
    PROMISE(live_lists_leave_out_tombstones_and_full_lists_do_not),
    PROMISE(a_stream_that_lives_again_is_listed_again),
    PROMISE(a_list_gives_each_heads_mark_author_and_meta),
    PROMISE(names_alone_are_the_names_that_come_with_heads),
    PROMISE(a_refused_append_leaves_no_name_behind),
    LASTING(both_handles_and_a_later_one_list_the_same),
    PROMISE(nothing_can_be_made_below_a_live_name),
    PROMISE(nothing_can_be_made_above_a_live_name),
    PROMISE(names_that_only_look_nested_do_not_clash),
    PROMISE(a_deleted_file_makes_room_for_a_directory),
    PROMISE(a_directory_without_live_names_makes_room_for_a_file),
    PROMISE(conditions_are_told_before_a_clash_of_names),
    LASTING(a_clash_of_names_is_seen_by_every_handle_and_after_reopening),
    { 0 },
};
