/* open.c - promises about opening: what a handle may do, and that a pad is made only on request. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

/* Every way to write, on handle `i`, must be refused. */
static void check_no_write(Trial *p, size_t i)
{
    Store *s = p->open[i];
    Draft put_draft = PUT("x"), gone = DELETE, line = ENTRY("x");
    Mark m, none = { 0 };
    uint64_t dropped;
    Record r = next_record("x/new", &none, PUT("x"), 5);
    CHECK_IS(p, store_append(s, S("notes/a"), NULL, &put_draft, &m, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_append(s, S("notes/new"), NULL, &put_draft, &m, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_append(s, S("notes/a"), NULL, &gone, &m, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_append(s, S("runs/r"), NULL, &line, &m, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_trim(s, S("runs/r"), NULL, 5, &dropped, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_redact(s, S("notes/a"), NULL, 1, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_purge(s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_READ_ONLY);
    CHECK_IS(p, store_put_records(s, S("x/new"), &r, 1, &p->e), JOT_READ_ONLY);
    CHECK(strstr(p->e.text, store_read_only_why(s)) != NULL);
}

static void a_read_only_handle_refuses_every_write(Trial *p)
{
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    CHECK(store_read_only_why(p->open[1])[0]);
    check_no_write(p, 1);
    trial_use(p, 1);
    CHECK_NUM(list(p, "", "", 10, LIST_ALL).n, 0);
}

static void a_read_only_handle_reads_everything_and_changes_nothing(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    entries(p, "runs/r", 20);
    put(p, "memories/d/e", "x");
    bury(p, "memories/d/e");
    Str before = trial_dump(p);
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    check_no_write(p, 1);
    trial_use(p, 1);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("two"));
    changes(p, NULL);
    trial_close(p);
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    check_no_write(p, 1);
    trial_use(p, 1);
    CHECK_TEXT(trial_dump(p), before);
}

static void a_read_only_handle_sees_what_others_write(Trial *p)
{
    put(p, "notes/a", "one");
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    trial_use(p, 1);
    Cursor c = changes(p, NULL).next;
    trial_use(p, 0);
    put(p, "notes/a", "two");
    put(p, "notes/b", "new");
    trial_use(p, 1);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("two"));
    CHECK_TEXT(head(p, "notes/b", HEAD_VALUE).body, S("new"));
    Changes got = changes(p, &c);
    CHECK(got.rescan || (names_hold(&got, "notes/a") && names_hold(&got, "notes/b")));
}

static void bad_arguments_are_told_before_read_only(Trial *p)
{
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    Draft d = PUT("x");
    Mark m;
    CHECK_IS(p, store_append(p->open[1], S("x/../y"), NULL, &d, &m, &p->e), JOT_INVALID);
    CHECK_IS(p, store_purge(p->open[1], S(""), NULL, S("ann"), &m, &p->e), JOT_INVALID);
}

static void a_handle_that_may_write_has_no_reason_not_to(Trial *p)
{
    CHECK_TEXT(str(store_read_only_why(p->s)), S(""));
}

static void a_pad_that_is_not_there_is_not_found(Trial *p)
{
    char url[200];
    trial_url_of_nothing(p, "nothing/", url, sizeof url);
    StoreOptions ways[] = { { 0 }, { .read_only = true } };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        Store *s = NULL;
        CHECK_IS(p, store_open(&s, str(url), &ways[i], &p->e), JOT_NOT_FOUND);
        CHECK(!s && p->e.text[0]);
    }
    trial_url_of_nothing(p, "none-", url, sizeof url);
    Store *s = NULL;
    CHECK_IS(p, store_open(&s, str(url), NULL, &p->e), JOT_NOT_FOUND);
    CHECK_IS(p, store_open(&s, str(url), NULL, &p->e), JOT_NOT_FOUND); /* nothing was made */
}

static void a_read_only_open_makes_no_pad(Trial *p)
{
    char url[200];
    trial_url_of_nothing(p, "none-", url, sizeof url);
    StoreOptions both = { .create = true, .read_only = true };
    Store *s = NULL;
    jot_status st = store_open(&s, str(url), &both, &p->e);
    CHECK(st != JOT_OK && !s);
    CHECK_IS(p, store_open(&s, str(url), NULL, &p->e), JOT_NOT_FOUND);
}

static void creating_a_pad_that_is_there_opens_it(Trial *p)
{
    put(p, "notes/a", "one");
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .create = true }), JOT_OK);
    trial_use(p, 1);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("one"));
    trial_close(p);
    CHECK_IS(p, trial_open(p, 0, (StoreOptions){ .create = true }), JOT_OK);
    trial_use(p, 0);
    CHECK_NUM(put(p, "notes/a", "two").seq, 2);
}

static void a_pad_can_be_opened_again_and_again(Trial *p)
{
    for (int i = 1; i <= 20; i++) {
        CHECK_NUM(put(p, "notes/a", "x").seq, i);
        trial_reopen(p);
    }
    CHECK_NUM(read_all(p, "notes/a").n, 20);
}

static void an_empty_pad_can_be_reopened(Trial *p)
{
    trial_reopen(p);
    CHECK_NUM(list(p, "", "", 10, LIST_ALL).n, 0);
    CHECK_NUM(put(p, "notes/a", "x").seq, 1);
}

static void a_reboot_changes_nothing_in_a_healthy_pad(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    put(p, "notes/gone", "x");
    bury(p, "notes/gone");
    put(p, "memories/d/e", "");
    entries(p, "runs/r", 20);
    Str before = trial_dump(p);
    Cursor c = changes(p, NULL).next;
    for (int i = 0; i < 3; i++) {
        trial_reboot(p);
        CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("two"));
        CHECK_TEXT(trial_dump(p), before);
    }
    put(p, "notes/b", "new");
    Changes got = changes(p, &c);
    CHECK(got.rescan || names_hold(&got, "notes/b"));
    CHECK_NUM(append(p, "notes/a", VERSION("two"), PUT("three")).seq, 3);
    check_all_chains(p);
}

static void an_unknown_engine_is_unsupported_by_name(Trial *p)
{
    Store *s = NULL;
    CHECK_IS(p, store_open(&s, S("floppy:a"), NULL, &p->e), JOT_UNSUPPORTED);
    CHECK(!s && strstr(p->e.text, "floppy"));
}

static void an_url_that_is_none_is_invalid(Trial *p)
{
    static const char *const wrong[] = {
        "", "mem", ":", ":mem", "me m:", "mem:x", "mem:?a=b", "1:a"
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Store *s = NULL;
        CHECK_IS(p, store_open(&s, str(wrong[i]), NULL, &p->e), JOT_INVALID);
        CHECK(!s);
    }
}

static void the_promise_names_the_engine(Trial *p)
{
    StorePromise promise = store_promise(p->s);
    CHECK_TEXT(str(promise.scheme), str(engine_scheme(p->engine)));
    CHECK(promise.shared == p->engine->lasting);
    CHECK(promise.durable == p->engine->lasting);
}

static void a_fresh_pad_has_nothing_to_report(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    const StoreReport *r = store_report(p->s);
    CHECK(!r->torn && !r->damaged && !r->outside && !r->quarantined && !r->restored);
    CHECK_TEXT(str(r->last), S(""));
}

static void two_pads_know_nothing_of_each_other(Trial *p)
{
    Trial *other = trial_other(p, p->engine);
    put(p, "notes/a", "one");
    CHECK_NUM(list(other, "", "", 10, LIST_ALL).n, 0);
    CHECK_NUM(append(other, "notes/a", ABSENT, PUT("two")).seq, 1);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("one"));
}

static void a_pad_keeps_its_id_and_no_other_has_it(Trial *p)
{
    char first[STORE_PAD_ID + 1], again[STORE_PAD_ID + 1], other[STORE_PAD_ID + 1];
    CHECK_IS(p, store_id(p->s, first, &p->e), JOT_OK);
    CHECK_NUM(strspn(first, "0123456789abcdef"), STORE_PAD_ID);
    trial_close(p);
    trial_use(p, 1);
    CHECK_IS(p, store_id(p->s, again, &p->e), JOT_OK);
    CHECK_TEXT(str(again), str(first));
    CHECK_IS(p, store_id(trial_other(p, p->engine)->s, other, &p->e), JOT_OK);
    CHECK(strcmp(other, first) != 0);
}

const Promise open_promises[] = {
    PROMISE(a_read_only_handle_refuses_every_write),
    LASTING(a_read_only_handle_reads_everything_and_changes_nothing),
    LASTING(a_read_only_handle_sees_what_others_write),
    PROMISE(bad_arguments_are_told_before_read_only),
    PROMISE(a_handle_that_may_write_has_no_reason_not_to),
    LASTING(a_pad_that_is_not_there_is_not_found),
    LASTING(a_read_only_open_makes_no_pad),
    LASTING(creating_a_pad_that_is_there_opens_it),
    LASTING(a_pad_can_be_opened_again_and_again),
    LASTING(an_empty_pad_can_be_reopened),
    LASTING(a_reboot_changes_nothing_in_a_healthy_pad),
    PROMISE(an_unknown_engine_is_unsupported_by_name),
    PROMISE(an_url_that_is_none_is_invalid),
    LASTING(a_pad_keeps_its_id_and_no_other_has_it),
    PROMISE(the_promise_names_the_engine),
    PROMISE(a_fresh_pad_has_nothing_to_report),
    PROMISE(two_pads_know_nothing_of_each_other),
    { 0 },
};
