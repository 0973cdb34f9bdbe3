/* test_damage.c - stream files that are not what was written.
 *
 * An unfinished record at the end is cut by the next writer, kept in
 * quarantine/ and reported; readers pass over it and touch nothing.  Damage in
 * the middle is reported and costs what was damaged: every other record stays
 * readable, none is returned wrong, and seq goes on. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>

#include "store/record.h"

#define RUN "runs/r"
#define FILE_OF_RUN "runs/r.jsonl"
#define NOTE "notes/plan"
#define FILE_OF_NOTE "streams/notes.d/plan.jsonl"

static void add_bytes(Bench *b, const char *path, Str bytes)
{
    AUTO(Fd) fd = open(full_path(b, path), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
}

/* Five entries: "one" ... "five". */
static const char *const plain[] = { "one", "two", "three", "four", "five" };
/* The same with bodies that stand in their lines as they are. */
static const char *const nested[] = { "{\"n\":1}", "[{},[2]]", "{ \"three\" : {\"a\":[{}]} }",
                                      "[\"}\",{\"b\":{}}]", "{\"five\":[5,{\"c\":null}]}" };
static const char *const *words = plain;
enum { WORDS = COUNT_OF(plain) };

static void five(Bench *b)
{
    for (size_t i = 0; i < WORDS; i++)
        entry(b, RUN, words[i]);
}

/* --- The end ----------------------------------------------------------------------------- */

static void tail_is_cut(Bench *b, Str tail)
{
    five(b);
    Str whole = bytes_of(b, FILE_OF_RUN);
    add_bytes(b, FILE_OF_RUN, tail);
    Str before = tree_of(b, b->path);
    assert_int_equal(records(b, RUN).n, 5);
    assert_text(head(b, RUN).body, "five");
    assert_true(str_eq(tree_of(b, b->path), before)); /* readers touch nothing */
    assert_int_equal(entry(b, RUN, "six").seq, 6);
    assert_true(str_starts(bytes_of(b, FILE_OF_RUN), whole));
    assert_int_equal(records(b, RUN).n, 6);
    assert_int_equal(records(b, RUN).damaged, 0);
    assert_int_equal(store_report(b->s)->torn, 1);
    assert_non_null(strstr(store_report(b->s)->last, RUN));
    assert_int_equal(quarantined(b, NULL), 1);
}

static void half_a_record_is_cut_and_kept_aside(void **state)
{
    static const char half[] = "{\"seq\":6,\"at\":1763241838123,\"by\":\"ann\",\"op\":\"app";
    tail_is_cut(*state, str(half));
    assert_int_equal(quarantined(*state, half), 1);
}

static void zeros_at_the_end_are_cut(void **state)
{
    static const char zeros[5000];
    tail_is_cut(*state, (Str){ zeros, sizeof zeros });
}

static void stray_lines_are_cut_and_kept_aside(void **state)
{
    static const char stray[] = "\n<<<<<<< ours\n\nno record at all\n";
    tail_is_cut(*state, str(stray));
    assert_int_equal(quarantined(*state, stray), 1);
}

static void after_a_reboot_a_whole_line_that_is_no_record_was_torn(void **state)
{
    Bench *b = *state;
    five(b);
    put(b, NOTE, "text");
    add_bytes(b, FILE_OF_RUN, S("blocks written in any order\n"));
    reboot(b);
    assert_text(head(b, RUN).body, "five");
    put(b, NOTE, "any write");
    assert_int_equal(store_report(b->s)->torn, 1);
    assert_int_equal(entry(b, RUN, "six").seq, 6);
    assert_int_equal(records(b, RUN).damaged, 0);
    assert_int_equal(quarantined(b, NULL), 1);
}

static void a_record_torn_in_its_body_is_noticed_before_the_boot_counts_as_checked(void **state)
{
    Bench *b = *state;
    five(b);
    Str file = bytes_of(b, FILE_OF_RUN);
    memcpy(memmem(file.p, file.n, "five", 4), "\0\0\0\0", 4);
    write_bytes(b, FILE_OF_RUN, file);
    reboot(b);
    put(b, NOTE, "any write");
    assert_int_equal(store_report(b->s)->torn, 1);
    assert_text(head(b, RUN).body, "four");
    assert_int_equal(entry(b, RUN, "five").seq, 5);
}

static void a_stream_whose_newest_record_is_damaged_is_listed(void **state)
{
    Bench *b = *state;
    five(b);
    add_bytes(b, FILE_OF_RUN, S("no record at all\n"));
    assert_true(lists(b, "", RUN));
}

static void a_tail_longer_than_any_record_is_cut(void **state)
{
    size_t n = 4 * (size_t)RECORD_LINE_MAX + 1000; /* as much as one write may have been */
    char *zeros = mem_alloc(n);
    tail_is_cut(*state, (Str){ zeros, n });
    free(zeros);
}

static void a_first_record_that_was_torn_was_never_there(void **state)
{
    Bench *b = *state;
    Record r;
    write_bytes(b, FILE_OF_RUN, S("{\"seq\":1,\"at\":17632"));
    assert_status(b, try_head(b, RUN, &r), JOT_NOT_FOUND);
    assert_int_equal(listed(b, "").n, 0);
    assert_int_equal(entry(b, RUN, "one").seq, 1);
    assert_int_equal(records(b, RUN).n, 1);
}

/* It is in no list, so it is not among what is compared after a reboot. */
static void a_first_record_without_a_page_of_its_body_was_never_there(void **state)
{
    Bench *b = *state;
    Record r;
    char text[9001] = "";
    memset(text, 'x', sizeof text - 1);
    put(b, "notes/long", text);
    Str file = bytes_of(b, "streams/notes.d/long.jsonl");
    memset((char *)file.p + 4096, 0, 4096);
    write_bytes(b, "streams/notes.d/long.jsonl", file);
    person_removes(b, "notes/long.txt");
    reboot(b);
    for (int i = 0; i < 2; i++) {
        assert_status(b, try_head(b, "notes/long", &r), JOT_NOT_FOUND);
        assert_false(lists(b, "", "notes/long"));
        put(b, NOTE, "any write");
        reopen(b);
    }
    assert_int_equal(put(b, "notes/long", "short").seq, 1);
}

static void a_read_only_handle_reads_past_a_torn_tail(void **state)
{
    Bench *b = *state;
    five(b);
    add_bytes(b, FILE_OF_RUN, S("{\"seq\":6,"));
    reboot_read_only(b);
    assert_int_equal(records(b, RUN).n, 5);
    assert_text(head(b, RUN).body, "five");
}

static void a_tail_that_cannot_be_put_aside_is_not_cut(void **state)
{
    Bench *b = *state;
    five(b);
    add_bytes(b, FILE_OF_RUN, S("{\"seq\":6,"));
    Str whole = bytes_of(b, FILE_OF_RUN);
    trap(b, (Trap){ .kind = IO_MKDIR, .at = "quarantine", .answer = -ENOSPC });
    assert_status(b, try_entry(b, RUN, "six", NULL), JOT_IO);
    assert_true(str_eq(bytes_of(b, FILE_OF_RUN), whole));
    assert_int_equal(entry(b, RUN, "six").seq, 6);
}

static void cut_the_tail(Bench *b, IoCall *call)
{
    (void)call;
    off_t size = (off_t)bytes_of(b, FILE_OF_RUN).n;
    assert_int_equal(truncate(full_path(b, FILE_OF_RUN), size - 9), 0);
}

static void a_tail_that_is_cut_while_somebody_reads_disturbs_nobody(void **state)
{
    Bench *b = *state;
    five(b);
    for (int i = 0; i < 2; i++) {
        add_bytes(b, FILE_OF_RUN, S("{\"seq\":6,"));
        trap(b, (Trap){ .kind = IO_READ, .at = "r.jsonl", .act = cut_the_tail });
        if (i == 0)
            assert_text(head(b, RUN).body, "five");
        else
            assert_int_equal(records(b, RUN).n, 5);
    }
}

/* --- The middle -------------------------------------------------------------------------- */

/* Offset of the line with this seq, and of the one behind it. */
static void line_of(Str file, int seq, size_t *from, size_t *to)
{
    *from = 0;
    for (int i = 1; i < seq; i++)
        *from += str_find(str_from(file, *from), '\n') + 1;
    *to = *from + str_find(str_from(file, *from), '\n') + 1;
}

static void spoil(Bench *b, const char *path, int seq, const char *with)
{
    Str file = bytes_of(b, path);
    size_t from, to;
    line_of(file, seq, &from, &to);
    memcpy((char *)file.p + from + 3, with, strlen(with));
    write_bytes(b, path, file);
}

static void damage_in_the_middle_is_reported_and_costs_one_record(void **state)
{
    Bench *b = *state;
    five(b);
    spoil(b, FILE_OF_RUN, 3, "#####");
    Str file = bytes_of(b, FILE_OF_RUN);
    Records all = records(b, RUN);
    assert_int_equal(all.n, 4);
    assert_int_equal(all.damaged, 1);
    assert_int_equal(store_report(b->s)->damaged, 1);
    assert_non_null(strstr(store_report(b->s)->last, RUN));
    assert_text(all.items[2].body, "four");
    assert_int_equal(entry(b, RUN, "six").seq, 6);
    assert_true(str_starts(bytes_of(b, FILE_OF_RUN), file)); /* the bytes are kept */
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void seq_goes_on_behind_damaged_records(void **state)
{
    Bench *b = *state;
    five(b);
    spoil(b, FILE_OF_RUN, 4, "#####");
    spoil(b, FILE_OF_RUN, 5, "#####");
    add_bytes(b, FILE_OF_RUN, S("torn"));
    uint64_t seq = entry(b, RUN, "next").seq;
    assert_true(seq >= 6);
    assert_text(head(b, RUN).body, "next");
}

static void a_damaged_body_is_never_returned(void **state)
{
    Bench *b = *state;
    five(b);
    Str file = bytes_of(b, FILE_OF_RUN);
    char *at = memmem(file.p, file.n, "three", 5);
    assert_non_null(at);
    at[0] = 'T';
    write_bytes(b, FILE_OF_RUN, file);
    for (int boot = 0; boot < 2; boot++) {
        Records all = records(b, RUN);
        assert_int_equal(all.n, 4);
        assert_int_equal(all.damaged, 1);
        reboot(b);
    }
}

static void where_the_newest_record_is_damaged_the_one_before_counts_and_that_is_told(void **state)
{
    Bench *b = *state;
    five(b);
    Str file = bytes_of(b, FILE_OF_RUN);
    char *at = memmem(file.p, file.n, "five", 4);
    assert_non_null(at);
    at[0] = 'F';
    write_bytes(b, FILE_OF_RUN, file);
    Record r = head(b, RUN);
    assert_text(r.body, "four");
    assert_int_equal(r.mark.seq, 4);
    assert_int_equal(r.mark.lost, 1);
    assert_true(store_report(b->s)->damaged > 0);
    assert_non_null(strstr(store_report(b->s)->last, "record 5 of '" RUN "'"));
    assert_int_equal(entry(b, RUN, "six").seq, 6);
    assert_text(head(b, RUN).body, "six");
    assert_int_equal(head(b, RUN).mark.lost, 0);
    assert_int_equal(records(b, RUN).damaged, 1);
}

static void trimming_a_damaged_stream_keeps_its_newest_records(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 40; i++)
        entry(b, RUN, "text");
    for (int seq = 10; seq <= 30; seq++)
        spoil(b, FILE_OF_RUN, seq, "#####");
    assert_ok(b, store_trim(b->s, S(RUN), NULL, 20, &dropped, &b->e));
    assert_int_equal(records(b, RUN).items[0].mark.seq, 31);
    assert_int_equal(entry(b, RUN, "next").seq, 41);
}

static void trimming_never_drops_the_last_record_that_can_be_read(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 40; i++)
        entry(b, RUN, "text");
    for (int seq = 20; seq <= 39; seq++)
        spoil(b, FILE_OF_RUN, seq, "#####");
    spoil(b, FILE_OF_RUN, 40, "#####");
    add_bytes(b, FILE_OF_RUN, S("torn"));
    assert_ok(b, store_trim(b->s, S(RUN), NULL, 30, &dropped, &b->e));
    assert_true(records(b, RUN).n > 0);
    assert_true(entry(b, RUN, "next").seq > 40);
    assert_text(head(b, RUN).body, "next");
}

/* --- Every byte -------------------------------------------------------------------------- */

/* The record with this seq, read alone; false if it is not to be had. */
static bool read_one(Bench *b, const char *stream, uint64_t seq, Record *out)
{
    Records got = { 0 };
    if (store_read(b->s, str(stream), (SeqRange){ seq, 1 }, &b->arena, &got, &b->e) != JOT_OK ||
        got.n == 0)
        return false;
    *out = got.items[0];
    return out->mark.seq == seq;
}

static bool survives(Bench *b, const char *stream, size_t damaged, const char **why)
{
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .read_only = true });
    assert_non_null(b->s);
    for (size_t i = 0; i < WORDS; i++) {
        Record r;
        bool got = read_one(b, stream, i + 1, &r);
        *why = "a record was returned wrong";
        if (got && !str_eq(r.body, str(words[i])))
            return false;
        if (got && !str_eq(r.by, S("ann")))
            return false;
        *why = "a record was lost";
        if (!got && i != damaged)
            return false;
    }
    return true;
}

/* Damage each byte in turn and look what is left. */
static void hit_every_byte(Bench *b, const char *stream, const char *path, const char *boot)
{
    Str file = bytes_of(b, path);
    b->io.boot_id = boot ? boot : b->io.boot_id;
    for (size_t i = 0, line = 0; i < file.n; line += file.p[i++] == '\n') {
        for (int way = 0; way < 3; way++) {
            const char *why = "";
            Arena kept = TAKE(b->arena);
            char *bytes = arena_cstr(&b->arena, file);
            bytes[i] = way == 0 ? (char)(bytes[i] ^ 1 << i % 8) : way == 1 ? '\n' : 0;
            write_bytes(b, path, (Str){ bytes, file.n });
            if (!survives(b, stream, line, &why))
                fail_msg("byte %zu ('%c') of record %zu, way %d: %s", i, file.p[i], line + 1, way,
                         why);
            arena_free(&b->arena);
            b->arena = kept;
        }
    }
}

static void no_damaged_byte_costs_more_than_its_record(void **state)
{
    Bench *b = *state;
    five(b);
    hit_every_byte(b, RUN, FILE_OF_RUN, NULL);
}

static void no_damaged_byte_costs_more_than_its_record_after_a_reboot(void **state)
{
    Bench *b = *state;
    five(b);
    hit_every_byte(b, RUN, FILE_OF_RUN, "99999999999999999999999999999999");
}

static void no_damaged_byte_of_a_notes_history_costs_more_than_its_record(void **state)
{
    Bench *b = *state;
    for (size_t i = 0; i < WORDS; i++)
        put(b, NOTE, words[i]);
    hit_every_byte(b, NOTE, FILE_OF_NOTE, NULL);
}

static void no_damaged_byte_of_nested_bodies_costs_more_than_its_record(void **state)
{
    Bench *b = *state;
    words = nested;
    five(b);
    assert_non_null(strstr(bytes_of(b, FILE_OF_RUN).p, "\"body\":{\"n\":1}}\n"));
    Str whole = bytes_of(b, FILE_OF_RUN);
    hit_every_byte(b, RUN, FILE_OF_RUN, NULL);
    write_bytes(b, FILE_OF_RUN, whole);
    hit_every_byte(b, RUN, FILE_OF_RUN, "99999999999999999999999999999999");
    words = plain;
}

/* --- Forged records ---------------------------------------------------------------------- */

/* The line of a record as anybody can make one who can read the pad: with its sum, its hash and a
 * chain that fits. */
static Str forged_line(Bench *b, uint64_t seq)
{
    AUTO(Buf) line = { 0 };
    Mark before = head(b, RUN).mark;
    Record r = { .by = S("eve"), .body = S("forged") };
    r.mark = (Mark){ .seq = seq,
                     .at_ms = before.at_ms,
                     .op = OP_APPEND,
                     .size = r.body.n,
                     .sha256 = hash_of(r.body) };
    r.mark.chain = record_chain(before.chain, S(RUN), &r);
    record_write(&line, &r, RECORD_NESTED);
    return arena_copy(&b->arena, str_slice(buf_str(&line), 0, line.n - 1));
}

/* Nobody reads what a body only says, whatever byte of the file is hit. */
static void nothing_forged_shows(Bench *b)
{
    Str file = bytes_of(b, FILE_OF_RUN);
    for (size_t i = 0; i < file.n; i++) {
        for (int way = 0; way < 4; way++) {
            Arena kept = TAKE(b->arena);
            char *bytes = arena_cstr(&b->arena, file);
            static const char with[] = "\n} {";
            bytes[i] = with[way];
            write_bytes(b, FILE_OF_RUN, (Str){ bytes, file.n });
            store_close(b->s);
            b->s = open_pad(b, (StoreOptions){ .read_only = true });
            Records all = records(b, RUN);
            for (size_t k = 0; k < all.n; k++)
                if (str_eq(all.items[k].by, S("eve")))
                    fail_msg("byte %zu ('%c'), way %d: a body became record %llu", i, file.p[i],
                             way, (unsigned long long)all.items[k].mark.seq);
            if (str_eq(head(b, RUN).by, S("eve")))
                fail_msg("byte %zu ('%c'), way %d: a body became the head", i, file.p[i], way);
            arena_free(&b->arena);
            b->arena = kept;
        }
    }
}

static void a_body_cannot_forge_a_record_whatever_byte_is_damaged(void **state)
{
    static const char *const around[] = { "%s", "{\"a\":%s}", "[%s]", "[{},%s]", "[%s,{}]" };
    for (size_t i = 0; i < COUNT_OF(around); i++) {
        Bench *b = *state;
        char text[1024];
        Str forged;
        if (i)
            assert_int_equal(bench_new(state), 0);
        b = *state;
        entry(b, RUN, "one");
        forged = forged_line(b, 2);
        AUTO(Buf) body = { 0 };
        for (const char *p = around[i]; *p; p++) {
            if (p[0] == '%')
                buf_add(&body, forged);
            else if (p[0] != 's' || p == around[i] || p[-1] != '%')
                buf_add_char(&body, *p);
        }
        snprintf(text, sizeof text, STR_FMT, STR_ARG(buf_str(&body)));
        entry(b, RUN, text);
        entry(b, RUN, "three");
        nothing_forged_shows(b);
        if (i + 1 < COUNT_OF(around))
            bench_free(state);
    }
}

static void a_meta_cannot_forge_a_record_whatever_byte_is_damaged(void **state)
{
    Bench *b = *state;
    Mark out;
    entry(b, RUN, "one");
    Str forged = forged_line(b, 2);
    Str metas[] = { forged, arena_printf(&b->arena, "{\"a\":[{}," STR_FMT "]}", STR_ARG(forged)) };
    for (size_t i = 0; i < COUNT_OF(metas); i++) {
        Draft d = { .op = OP_APPEND, .by = S("ann"), .meta = metas[i], .body = S("two") };
        assert_ok(b, store_append(b->s, S(RUN), NULL, &d, &out, &b->e));
    }
    nothing_forged_shows(b);
}

/* A meta by an older version may hold all of a record but its end. */
static void half_a_record_inside_a_line_is_none(void **state)
{
    Bench *b = *state;
    entry(b, RUN, "one");
    entry(b, RUN, "two");
    Str file = bytes_of(b, FILE_OF_RUN);
    size_t from, to;
    line_of(file, 2, &from, &to);
    Str forged = forged_line(b, 3);
    const char *end = memmem(forged.p, forged.n, "forged", 6);
    Str header = str_slice(forged, 0, (size_t)(end - forged.p));
    write_bytes(b, FILE_OF_RUN,
                arena_printf(&b->arena, STR_FMT "x" STR_FMT "\n",
                             STR_ARG(str_slice(file, 0, to - 1)), STR_ARG(header)));
    assert_int_equal(records(b, RUN).n, 1);
    assert_text(head(b, RUN).body, "one");
    assert_text(listed(b, RUN).items[0].by, "ann"); /* a list believes headers */
    assert_true(entry(b, RUN, "next").seq >= 3);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(half_a_record_is_cut_and_kept_aside),
        BENCH_TEST(zeros_at_the_end_are_cut),
        BENCH_TEST(stray_lines_are_cut_and_kept_aside),
        BENCH_TEST(after_a_reboot_a_whole_line_that_is_no_record_was_torn),
        BENCH_TEST(a_record_torn_in_its_body_is_noticed_before_the_boot_counts_as_checked),
        BENCH_TEST(a_stream_whose_newest_record_is_damaged_is_listed),
        BENCH_TEST(a_tail_longer_than_any_record_is_cut),
        BENCH_TEST(a_first_record_that_was_torn_was_never_there),
        BENCH_TEST(a_first_record_without_a_page_of_its_body_was_never_there),
        BENCH_TEST(a_read_only_handle_reads_past_a_torn_tail),
        BENCH_TEST(a_tail_that_cannot_be_put_aside_is_not_cut),
        BENCH_TEST(a_tail_that_is_cut_while_somebody_reads_disturbs_nobody),
        BENCH_TEST(damage_in_the_middle_is_reported_and_costs_one_record),
        BENCH_TEST(seq_goes_on_behind_damaged_records),
        BENCH_TEST(a_damaged_body_is_never_returned),
        BENCH_TEST(where_the_newest_record_is_damaged_the_one_before_counts_and_that_is_told),
        BENCH_TEST(trimming_a_damaged_stream_keeps_its_newest_records),
        BENCH_TEST(trimming_never_drops_the_last_record_that_can_be_read),
        BENCH_TEST(no_damaged_byte_costs_more_than_its_record),
        BENCH_TEST(no_damaged_byte_costs_more_than_its_record_after_a_reboot),
        BENCH_TEST(no_damaged_byte_of_a_notes_history_costs_more_than_its_record),
        BENCH_TEST(no_damaged_byte_of_nested_bodies_costs_more_than_its_record),
        BENCH_TEST(a_body_cannot_forge_a_record_whatever_byte_is_damaged),
        BENCH_TEST(a_meta_cannot_forge_a_record_whatever_byte_is_damaged),
        BENCH_TEST(half_a_record_inside_a_line_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
