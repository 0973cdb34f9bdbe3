/* test_as_of.c - a pad as it was: every stream ends where it ended then, whoever reads it. */
#include "store/as_of.h"

#include "memory/desk.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "memory/run/run.h"
#include "memory/task/task.h"

/* The moment of a record, behind which the next one is later: a server's clock is not ours. */
static int64_t settle(Desk *d, const char *stream)
{
    Mark first = desk_put(d, "notes/clock", "tick"), next = first;
    Doc doc;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &doc, &d->e));
    while (next.at_ms <= first.at_ms)
        next = desk_put(d, "notes/clock", next.seq % 2 ? "tack" : "tick");
    return first.at_ms;
}

static void says(Desk *d, Memory *past, const char *stream, const char *text)
{
    Doc doc;
    jot_status st = doc_read(past, str(stream), &d->a, &doc, &d->e);
    assert_int_equal(st, text ? JOT_OK : JOT_NOT_FOUND);
    if (text)
        assert_text(doc.text, text);
}

static void a_document_is_what_it_was_and_what_came_later_is_not_there(Desk *d)
{
    AUTO(Memory) past = { 0 };
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/a", "two");
    desk_put(d, "notes/gone", "still here");
    int64_t then = settle(d, "notes/a");
    for (int i = 0; i < 40; i++)
        desk_put(d, "notes/a", i % 2 ? "x" : "y");
    desk_put(d, "notes/later", "new");
    Doc doc;
    desk_ok(d, doc_delete(&d->m, S("notes/gone"), &(DocIf){ 0 }, &d->a, &doc, &d->e));
    memory_open_past(&past, &d->m, then);
    says(d, &past, "notes/a", "two");
    says(d, &past, "notes/gone", "still here");
    says(d, &past, "notes/later", NULL);
    History h;
    desk_ok(d, history_page(&past, S("notes/a"), &(HistoryAsk){ .limit = 100 }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 2);
    assert_false(h.more);
}

static void a_list_has_what_was_there_page_by_page(Desk *d)
{
    AUTO(Memory) past = { 0 };
    char name[32];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "notes/k%d", i);
        desk_put(d, name, "old");
    }
    int64_t then = settle(d, "notes/k0");
    for (int i = 0; i < 7; i += 2) {
        snprintf(name, sizeof name, "notes/k%d", i);
        desk_put(d, name, "new");
        snprintf(name, sizeof name, "notes/k%d-later", i);
        desk_put(d, name, "new");
    }
    memory_open_past(&past, &d->m, then);
    Str after = { 0 };
    size_t seen = 0;
    for (bool more = true; more;) {
        Listing page;
        desk_ok(d,
                note_list(&past, &(NoteAsk){ S("k"), after, 3, NOTE_LIVE }, &d->a, &page, &d->e));
        for (size_t i = 0; i < page.n; i++) {
            snprintf(name, sizeof name, "notes/k%zu", seen++);
            assert_text(page.items[i].name, name);
            assert_true(page.items[i].mark.at_ms <= then);
        }
        more = page.more;
        after = page.n ? page.items[page.n - 1].name : after;
    }
    assert_int_equal(seen, 7);
}

static void tasks_and_runs_are_as_they_were(Desk *d)
{
    AUTO(Memory) past = { 0 };
    AUTO(Run) r = { 0 };
    AUTO(Run) was = { 0 };
    Task t;
    TaskList list;
    TaskAdd add = { .id = S("t"), .description = S("do it") };
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    desk_ok(d, run_begin(&d->m, NULL, S("why?"), &r, &d->e));
    desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    desk_put(d, "notes/a", "x");
    int64_t then = settle(d, "notes/a");
    desk_ok(d, task_start(&d->m, S("t"), false, &d->a, &t, &d->e));
    add = (TaskAdd){ .id = S("u"), .description = S("later") };
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    for (int i = 0; i < 2 * RUN_FOLD_EVERY; i++)
        desk_ok(d, run_say(&r, RUN_THINKING, S("more"), &d->e));
    memory_open_past(&past, &d->m, then);
    desk_ok(d, task_list(&past, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_true(list.items[0].status != TASK_RUNNING);
    desk_ok(d, run_open(&past, str(r.id), &was, &d->e));
    assert_int_equal(was.state.thoughts, 1);
}

static void nothing_can_be_written_into_the_past(Desk *d)
{
    AUTO(Memory) past = { 0 };
    Doc doc;
    Mark mark = desk_put(d, "notes/a", "one");
    memory_open_past(&past, &d->m, mark.at_ms);
    assert_int_equal(
        doc_write(&past, S("notes/a"), &(DocWrite){ .text = S("two") }, &d->a, &doc, &d->e),
        JOT_READ_ONLY);
    assert_int_equal(memory_purge(&past, S("notes/a"), &mark, &d->e), JOT_READ_ONLY);
    says(d, &d->m, "notes/a", "one");
}

static void before_the_first_record_there_is_nothing(Desk *d)
{
    AUTO(Memory) past = { 0 };
    Listing page;
    desk_put(d, "notes/a", "one");
    memory_open_past(&past, &d->m, 1);
    says(d, &past, "notes/a", NULL);
    desk_ok(d, note_list(&past, &(NoteAsk){ .limit = 10 }, &d->a, &page, &d->e));
    assert_int_equal(page.n, 0);
    assert_false(page.more);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_document_is_what_it_was_and_what_came_later_is_not_there),
        DESK_TEST(a_list_has_what_was_there_page_by_page),
        DESK_TEST(tasks_and_runs_are_as_they_were),
        DESK_TEST(nothing_can_be_written_into_the_past),
        DESK_TEST(before_the_first_record_there_is_nothing),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
