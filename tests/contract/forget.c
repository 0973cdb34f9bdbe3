/* forget.c - promises about trim, redact and purge: what must go is gone, what must stay stays. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "contract.h"

static uint64_t trim(Trial *p, const char *stream, uint64_t before)
{
    uint64_t dropped = UINT64_MAX;
    CHECK_IS(p, store_trim(p->s, str(stream), NULL, before, &dropped, &p->e), JOT_OK);
    return dropped;
}

static void redact(Trial *p, const char *stream, uint64_t seq)
{
    CHECK_IS(p, store_redact(p->s, str(stream), NULL, seq, &p->e), JOT_OK);
}

static Mark purge(Trial *p, const char *stream)
{
    Mark m;
    CHECK_IS(p, store_purge(p->s, str(stream), NULL, S("bob"), &m, &p->e), JOT_OK);
    return m;
}

static void check_redact_refused(Trial *p, const char *stream, uint64_t seq, jot_status status)
{
    Str before = trial_dump(p);
    CHECK_IS(p, store_redact(p->s, str(stream), NULL, seq, &p->e), status);
    CHECK_TEXT(trial_dump(p), before);
}

/* --- Trim ------------------------------------------------------------------------------ */

static void trim_drops_what_is_before_and_counts_it(Trial *p)
{
    entries(p, "runs/r", 30);
    Record kept = record_at(p, "runs/r", 10);
    CHECK_NUM(trim(p, "runs/r", 10), 9);
    Records all = read_all(p, "runs/r");
    CHECK_NUM(all.n, 21);
    CHECK_RECORD(all.items[0], kept);
}

static void trim_keeps_the_newest_16(Trial *p)
{
    entries(p, "runs/r", 30);
    CHECK_NUM(trim(p, "runs/r", 30), 14);
    Records all = read_all(p, "runs/r");
    CHECK_NUM(all.n, STORE_ID_WINDOW);
    CHECK_NUM(all.items[0].mark.seq, 15);
    CHECK_NUM(trim(p, "runs/r", STORE_SEQ_MAX), 0);
    CHECK_NUM(trim(p, "runs/r", UINT64_MAX), 0);
    CHECK_NUM(read_all(p, "runs/r").n, STORE_ID_WINDOW);
}

static void trim_leaves_a_short_stream_alone(Trial *p)
{
    entries(p, "runs/r", STORE_ID_WINDOW);
    put(p, "notes/a", "one");
    CHECK_NUM(trim(p, "runs/r", STORE_SEQ_MAX), 0);
    CHECK_NUM(trim(p, "notes/a", STORE_SEQ_MAX), 0);
    CHECK_NUM(read_all(p, "runs/r").n, STORE_ID_WINDOW);
}

static void trim_before_the_first_drops_nothing(Trial *p)
{
    entries(p, "runs/r", 30);
    CHECK_NUM(trim(p, "runs/r", 0), 0);
    CHECK_NUM(trim(p, "runs/r", 1), 0);
    CHECK_NUM(read_all(p, "runs/r").n, 30);
}

static void trimming_again_goes_on_from_there(Trial *p)
{
    entries(p, "runs/r", 30);
    CHECK_NUM(trim(p, "runs/r", 5), 4);
    CHECK_NUM(trim(p, "runs/r", 5), 0);
    CHECK_NUM(trim(p, "runs/r", 3), 0);
    CHECK_NUM(trim(p, "runs/r", 8), 3);
    entries(p, "runs/r", 10);
    CHECK_NUM(trim(p, "runs/r", 100), 17);
}

static void trimming_nothing_is_not_found(Trial *p)
{
    uint64_t dropped = 7;
    CHECK_IS(p, store_trim(p->s, S("runs/r"), NULL, 1, &dropped, &p->e), JOT_NOT_FOUND);
    CHECK_NUM(dropped, 0);
}

static void the_oldest_kept_record_anchors_the_chain(Trial *p)
{
    entries(p, "runs/r", 30);
    Mark oldest = record_at(p, "runs/r", 12).mark;
    trim(p, "runs/r", 12);
    CHECK_MARK(record_at(p, "runs/r", 12).mark, oldest);
    entry(p, "runs/r", "next");
    check_chain(p, "runs/r");
}

static void trim_changes_neither_the_head_nor_the_value(Trial *p)
{
    for (int i = 0; i < 30; i++)
        put(p, "notes/a", "text");
    Record before = head(p, "notes/a", HEAD_RECORD);
    trim(p, "notes/a", 30);
    Record after = head(p, "notes/a", HEAD_RECORD);
    CHECK_RECORD(after, before);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("text"));
    CHECK_NUM(append(p, "notes/a", VERSION("text"), PUT("31")).seq, 31);
}

static void a_deleted_stream_can_be_trimmed(Trial *p)
{
    for (int i = 0; i < 30; i++)
        put(p, "notes/a", "text");
    bury(p, "notes/a");
    CHECK_NUM(trim(p, "notes/a", 100), 15);
    CHECK(head(p, "notes/a", HEAD_RECORD).mark.op == OP_DELETE);
}

static void trim_is_seen_by_every_handle_and_after_reopening(Trial *p)
{
    entries(p, "runs/r", 30);
    trial_use(p, 1);
    CHECK_NUM(read_all(p, "runs/r").n, 30);
    trial_use(p, 0);
    trim(p, "runs/r", 12);
    entry(p, "runs/r", "31");
    trial_use(p, 1);
    CHECK_NUM(read_all(p, "runs/r").n, 20);
    CHECK_NUM(entry(p, "runs/r", "32").seq, 32);
    trial_reopen(p);
    CHECK_NUM(read_all(p, "runs/r").n, 21);
    CHECK_NUM(entry(p, "runs/r", "33").seq, 33);
    check_chain(p, "runs/r");
}

/* --- Redact ---------------------------------------------------------------------------- */

static void redact_removes_the_body_and_nothing_else(Trial *p)
{
    Draft d = { .op = OP_PUT, .by = S("bob"), .id = S("i"), .meta = S("{}"), .body = S("secret") };
    append(p, "notes/a", ANY, d);
    put(p, "notes/a", "two");
    Record want = record_at(p, "notes/a", 1);
    redact(p, "notes/a", 1);
    want.mark.redacted = true;
    want.body = S("");
    Record got = record_at(p, "notes/a", 1);
    CHECK_RECORD(got, want);
    CHECK_NUM(got.mark.size, 6);
    CHECK(hash_eq(got.mark.sha256, hash_of(S("secret"))));
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("two"));
}

static void the_chain_verifies_over_a_redaction(Trial *p)
{
    entries(p, "runs/r", 9);
    redact(p, "runs/r", 1);
    redact(p, "runs/r", 5);
    check_chain(p, "runs/r");
    entry(p, "runs/r", "ten");
    check_chain(p, "runs/r");
    CHECK_TEXT(record_at(p, "runs/r", 4).body, S("4"));
    CHECK_TEXT(record_at(p, "runs/r", 6).body, S("6"));
}

static void the_live_value_is_not_redacted(Trial *p)
{
    put(p, "notes/a", "one");
    check_redact_refused(p, "notes/a", 1, JOT_INVALID);
    put(p, "notes/a", "two");
    check_redact_refused(p, "notes/a", 2, JOT_INVALID);
    bury(p, "notes/a");
    redact(p, "notes/a", 2);
}

static void a_tombstone_is_not_redacted(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    check_redact_refused(p, "notes/a", 2, JOT_INVALID);
    put(p, "notes/a", "three");
    check_redact_refused(p, "notes/a", 2, JOT_INVALID);
}

static void the_last_entry_of_a_log_can_be_redacted(Trial *p)
{
    entries(p, "runs/r", 2);
    redact(p, "runs/r", 2);
    Record got = head(p, "runs/r", HEAD_RECORD);
    CHECK(got.mark.redacted && got.mark.op == OP_APPEND);
    CHECK_NUM(got.body.n, 0);
    CHECK_NUM(entry(p, "runs/r", "three").seq, 3);
    check_chain(p, "runs/r");
}

static void redacting_twice_is_redacting_once(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    redact(p, "notes/a", 1);
    Str before = trial_dump(p);
    redact(p, "notes/a", 1);
    CHECK_TEXT(trial_dump(p), before);
}

static void redacting_what_is_not_there_is_not_found(Trial *p)
{
    check_redact_refused(p, "notes/a", 1, JOT_NOT_FOUND);
    entries(p, "runs/r", 30);
    trim(p, "runs/r", 10);
    uint64_t missing[] = { 0, 9, 31, STORE_SEQ_MAX, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(missing); i++)
        check_redact_refused(p, "runs/r", missing[i], JOT_NOT_FOUND);
    redact(p, "runs/r", 10);
}

static void an_empty_body_can_be_redacted(Trial *p)
{
    put(p, "notes/a", "");
    put(p, "notes/a", "two");
    redact(p, "notes/a", 1);
    CHECK(record_at(p, "notes/a", 1).mark.redacted);
}

static void a_redacted_version_can_be_written_again(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    redact(p, "notes/a", 1);
    CHECK_NUM(put(p, "notes/a", "one").seq, 3);
    CHECK_TEXT(record_at(p, "notes/a", 3).body, S("one"));
    CHECK_NUM(record_at(p, "notes/a", 1).body.n, 0);
}

static void a_redaction_is_seen_by_every_handle_and_after_reopening(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    trial_use(p, 1);
    CHECK_TEXT(record_at(p, "notes/a", 1).body, S("one"));
    trial_use(p, 0);
    redact(p, "notes/a", 1);
    trial_use(p, 1);
    CHECK(record_at(p, "notes/a", 1).mark.redacted);
    put(p, "notes/a", "three");
    trial_reopen(p);
    CHECK(record_at(p, "notes/a", 1).mark.redacted);
    CHECK_NUM(record_at(p, "notes/a", 1).body.n, 0);
    check_chain(p, "notes/a");
}

/* --- Several at once ------------------------------------------------------------------- */

static jot_status redact_set(Trial *p, const char *stream, const uint64_t *seqs, size_t n)
{
    return store_redact_set(p->s, str(stream), NULL, &(Redaction){ .seqs = seqs, .n = n }, &p->e);
}

static void several_records_are_redacted_in_one_step(Trial *p)
{
    static const uint64_t seqs[] = { 1, 2, 5, 9 };
    entries(p, "runs/r", 9);
    CHECK_IS(p, redact_set(p, "runs/r", seqs, COUNT_OF(seqs)), JOT_OK);
    for (uint64_t seq = 1; seq <= 9; seq++) {
        Record r = record_at(p, "runs/r", seq);
        bool gone = seq <= 2 || seq == 5 || seq == 9;
        CHECK(r.mark.redacted == gone);
        CHECK_NUM(r.body.n, gone ? 0 : 1);
    }
    CHECK(head(p, "runs/r", HEAD_RECORD).mark.redacted);
    check_chain(p, "runs/r");
    CHECK_NUM(entry(p, "runs/r", "ten").seq, 10);
    check_chain(p, "runs/r");
    CHECK_IS(p, redact_set(p, "runs/r", seqs, COUNT_OF(seqs)), JOT_OK); /* again is the same */
}

static void one_that_cannot_be_redacted_keeps_the_others(Trial *p)
{
    static const struct {
        uint64_t seqs[3];
        size_t n;
        jot_status status;
    } rows[] = {
        { { 1, 3, 99 }, 3, JOT_NOT_FOUND }, { { 0, 1 }, 2, JOT_NOT_FOUND },
        { { 1, 2, 3 }, 3, JOT_INVALID }, /* a tombstone */
        { { 1, 4 }, 2, JOT_INVALID },    /* the live value */
        { { 3, 1 }, 2, JOT_INVALID },       { { 1, 1 }, 2, JOT_INVALID },
        { { 1 }, 0, JOT_INVALID },          { { 1 }, STORE_REDACT_MAX + 1, JOT_INVALID },
    };
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    put(p, "notes/a", "three");
    put(p, "notes/a", "four");
    Str before = trial_dump(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK_IS(p, redact_set(p, "notes/a", rows[i].seqs, rows[i].n), rows[i].status);
        CHECK_TEXT(trial_dump(p), before);
    }
    CHECK_IS(p, redact_set(p, "notes/b", rows[0].seqs, 1), JOT_NOT_FOUND);
    static const uint64_t fine[] = { 1, 3 };
    Redaction r = { .seqs = fine, .n = 2 };
    Expect other = { .kind = EXPECT_SEQ, .seq = 3 };
    CHECK_IS(p, store_redact_set(p->s, S("notes/a"), &other, &r, &p->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_IS(p, redact_set(p, "notes/a", fine, 2), JOT_OK);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("four"));
}

static void several_redactions_are_seen_by_every_handle_and_after_reopening(Trial *p)
{
    static const uint64_t seqs[] = { 2, 3, 30 };
    entries(p, "runs/r", 30);
    trial_use(p, 1);
    CHECK_TEXT(record_at(p, "runs/r", 2).body, S("2"));
    trial_use(p, 0);
    CHECK_IS(p, redact_set(p, "runs/r", seqs, COUNT_OF(seqs)), JOT_OK);
    trial_use(p, 1);
    CHECK(record_at(p, "runs/r", 3).mark.redacted);
    CHECK_NUM(entry(p, "runs/r", "31").seq, 31);
    trial_reopen(p);
    CHECK(record_at(p, "runs/r", 30).mark.redacted);
    CHECK_TEXT(record_at(p, "runs/r", 29).body, S("29"));
    check_chain(p, "runs/r");
}

/* --- Purge ----------------------------------------------------------------------------- */

static void purge_leaves_one_fresh_tombstone(Trial *p)
{
    put(p, "notes/a", "secret");
    put(p, "notes/a", "two");
    p->now_ms += 5;
    Mark m = purge(p, "notes/a");
    CHECK(m.op == OP_DELETE && hash_is_zero(m.sha256));
    CHECK_NUM(m.seq, 3);
    CHECK_NUM(m.at_ms, p->now_ms);
    Records all = read_all(p, "notes/a");
    CHECK_NUM(all.n, 1);
    CHECK_MARK(all.items[0].mark, m);
    CHECK_TEXT(all.items[0].by, S("bob"));
    CHECK_MARK(head(p, "notes/a", HEAD_RECORD).mark, m);
    CHECK(head(p, "notes/a", HEAD_VALUE).mark.op == OP_DELETE);
}

static void purge_keeps_the_fence(Trial *p)
{
    Draft d = PUT("one");
    d.fence = 7;
    append(p, "notes/a", ANY, d);
    CHECK_NUM(purge(p, "notes/a").fence, 7);
    d.fence = 6;
    refused(p, JOT_FENCED, "notes/a", ANY, d);
}

static void purging_nothing_is_not_found(Trial *p)
{
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("bob"), &m, &p->e), JOT_NOT_FOUND);
    CHECK_NUM(list(p, "", "", 10, LIST_ALL).n, 0);
}

static void a_deleted_stream_can_be_purged(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    CHECK_NUM(purge(p, "notes/a").seq, 3);
    CHECK_NUM(read_all(p, "notes/a").n, 1);
    CHECK_NUM(purge(p, "notes/a").seq, 4);
    CHECK_NUM(read_all(p, "notes/a").n, 1);
}

static void a_log_can_be_purged(Trial *p)
{
    entries(p, "runs/r", 40);
    CHECK_NUM(purge(p, "runs/r").seq, 41);
    CHECK_NUM(read_all(p, "runs/r").n, 1);
    CHECK_NUM(entry(p, "runs/r", "next").seq, 42);
    CHECK_NUM(read_from(p, "runs/r", 1, 10).items[0].mark.seq, 41);
    check_chain(p, "runs/r");
}

static void purge_touches_no_other_stream(Trial *p)
{
    put(p, "memories/a-b", "x");
    put(p, "memories/a/b", "x");
    put(p, "memories/b", "x");
    Mark before = head(p, "memories/a/b", HEAD_MARK).mark;
    purge(p, "memories/a-b");
    purge(p, "memories/b");
    CHECK_MARK(head(p, "memories/a/b", HEAD_MARK).mark, before);
}

static void purged_text_cannot_be_read_by_any_handle_or_after_reopening(Trial *p)
{
    put(p, "notes/a", "secret");
    trial_use(p, 1);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("secret"));
    trial_use(p, 0);
    purge(p, "notes/a");
    trial_use(p, 1);
    CHECK_NUM(read_all(p, "notes/a").n, 1);
    CHECK(head(p, "notes/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK_NUM(put(p, "notes/a", "three").seq, 3);
    trial_reopen(p);
    CHECK_NUM(read_all(p, "notes/a").n, 2);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("three"));
}

/* --- On disk --------------------------------------------------------------------------- */

static const char canary[] = "canary-7f3a9c51-of-which-no-byte-may-stay";
static int found;

static int look_into(const char *path, const struct stat *st, int type, struct FTW *at)
{
    if (type != FTW_F)
        return 0;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    char *bytes = mem_alloc((size_t)st->st_size + 1);
    size_t n = fread(bytes, 1, (size_t)st->st_size, file);
    found += memmem(bytes, n, canary, strlen(canary)) != NULL;
    free(bytes);
    fclose(file);
    return 0;
}

/* In how many files of the pad the canary lies.  A child looks, for whoever opens a database's
 * file and closes it again takes away the locks its own process has on it. */
static int files_with_canary(Trial *p)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        nftw(p->dir, look_into, 32, FTW_PHYS);
        _exit(found);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void purged_text_is_nowhere_on_disk(Trial *p)
{
    static const char *const streams[] = { "notes/a", "memories/d/e", "x/a", "runs/r" };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        put(p, streams[i], canary);
        put(p, streams[i], "two");
        put(p, streams[i], canary);
    }
    CHECK(files_with_canary(p) > 0);
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        purge(p, streams[i]);
    CHECK_NUM(files_with_canary(p), 0);
}

static void redacted_text_is_nowhere_on_disk(Trial *p)
{
    static const char *const streams[] = { "notes/a", "memories/d/e", "x/a", "runs/r" };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        put(p, streams[i], canary);
        put(p, streams[i], "two");
    }
    CHECK(files_with_canary(p) > 0);
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        redact(p, streams[i], 1);
    CHECK_NUM(files_with_canary(p), 0);
}

static void text_redacted_from_several_records_is_nowhere_on_disk(Trial *p)
{
    static const char *const streams[] = { "notes/a", "runs/r" };
    static const uint64_t seqs[] = { 1, 3 };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        put(p, streams[i], canary);
        put(p, streams[i], "two");
        put(p, streams[i], canary);
        put(p, streams[i], "four");
    }
    CHECK(files_with_canary(p) > 0);
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        CHECK_IS(p, redact_set(p, streams[i], seqs, COUNT_OF(seqs)), JOT_OK);
    CHECK_NUM(files_with_canary(p), 0);
}

/* Trimming saves room, it does not hide: the text may stay until the pad is closed. */
static void trimmed_text_is_nowhere_on_disk_once_the_pad_is_closed(Trial *p)
{
    entry(p, "runs/r", canary);
    put(p, "notes/a", canary);
    entries(p, "runs/r", 30);
    for (int i = 0; i < 30; i++)
        put(p, "notes/a", "text");
    CHECK(files_with_canary(p) > 0);
    trim(p, "runs/r", 5);
    trim(p, "notes/a", 5);
    trial_close(p);
    CHECK_NUM(files_with_canary(p), 0);
}

const Promise forget_promises[] = {
    PROMISE(trim_drops_what_is_before_and_counts_it),
    PROMISE(trim_keeps_the_newest_16),
    PROMISE(trim_leaves_a_short_stream_alone),
    PROMISE(trim_before_the_first_drops_nothing),
    PROMISE(trimming_again_goes_on_from_there),
    PROMISE(trimming_nothing_is_not_found),
    PROMISE(the_oldest_kept_record_anchors_the_chain),
    PROMISE(trim_changes_neither_the_head_nor_the_value),
    PROMISE(a_deleted_stream_can_be_trimmed),
    LASTING(trim_is_seen_by_every_handle_and_after_reopening),
    PROMISE(redact_removes_the_body_and_nothing_else),
    PROMISE(the_chain_verifies_over_a_redaction),
    PROMISE(the_live_value_is_not_redacted),
    PROMISE(a_tombstone_is_not_redacted),
    PROMISE(the_last_entry_of_a_log_can_be_redacted),
    PROMISE(redacting_twice_is_redacting_once),
    PROMISE(redacting_what_is_not_there_is_not_found),
    PROMISE(an_empty_body_can_be_redacted),
    PROMISE(a_redacted_version_can_be_written_again),
    LASTING(a_redaction_is_seen_by_every_handle_and_after_reopening),
    PROMISE(several_records_are_redacted_in_one_step),
    PROMISE(one_that_cannot_be_redacted_keeps_the_others),
    LASTING(several_redactions_are_seen_by_every_handle_and_after_reopening),
    PROMISE(purge_leaves_one_fresh_tombstone),
    PROMISE(purge_keeps_the_fence),
    PROMISE(purging_nothing_is_not_found),
    PROMISE(a_deleted_stream_can_be_purged),
    PROMISE(a_log_can_be_purged),
    PROMISE(purge_touches_no_other_stream),
    LASTING(purged_text_cannot_be_read_by_any_handle_or_after_reopening),
    LOCAL(purged_text_is_nowhere_on_disk),
    LOCAL(redacted_text_is_nowhere_on_disk),
    LOCAL(text_redacted_from_several_records_is_nowhere_on_disk),
    LOCAL(trimmed_text_is_nowhere_on_disk_once_the_pad_is_closed),
    { 0 },
};
