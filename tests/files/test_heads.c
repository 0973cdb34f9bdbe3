/* test_heads.c - the list of heads: what is gone is told, what people do is not taken for it. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- Listening ------------------------------------------------------------------------------ */

typedef struct Heard {
    int lost, views, edits, faults;
    char last[400];
} Heard;

static void hear(void *ctx, const StoreFault *f)
{
    Heard *h = ctx;
    h->lost += f->kind == FAULT_LOST;
    h->views += f->kind == FAULT_VIEW;
    h->edits += f->kind == FAULT_EDIT;
    h->faults += fault_counts(f->kind);
    if (fault_counts(f->kind))
        snprintf(h->last, sizeof h->last, STR_FMT ": %s", STR_ARG(f->stream), f->what);
}

static Heard verified(Bench *b)
{
    Heard h = { 0 };
    VerifyCount count;
    VerifyHooks hooks = { .fault = hear, .ctx = &h };
    assert_ok(b, store_verify(b->s, &hooks, &count, &b->e));
    assert_int_equal(count.faults, h.faults);
    assert_true(count.heads.kept);
    return h;
}

static void nothing_is_missing(Bench *b)
{
    Heard h = verified(b);
    if (h.faults)
        fail_msg("%s", h.last);
}

static bool listed_name(Bench *b, const char *name)
{
    Str text = bytes_of(b, "heads");
    return text.n && memmem(text.p, text.n, name, strlen(name));
}

/* Some seconds later: files that were just written have been still for long. */
static int64_t later(void *ctx)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + 60 * 1000;
}

static void a_few(Bench *b)
{
    put(b, "notes/plan", "the first");
    put(b, "notes/plan", "the second");
    put(b, "memories/a/b", "deep");
    for (int i = 0; i < 5; i++)
        entry(b, "runs/r", "an entry");
    reopen(b);
}

/* Cut the last line off a file. */
static void cut_last(Bench *b, const char *path)
{
    Str text = bytes_of(b, path);
    size_t n = text.n - 1;
    while (n && text.p[n - 1] != '\n')
        n--;
    write_bytes(b, path, str_slice(text, 0, n));
}

/* Cut so many lines off its beginning. */
static void cut_first(Bench *b, const char *path, int lines)
{
    Str text = bytes_of(b, path), line;
    for (int i = 0; i < lines; i++)
        assert_true(str_cut(&text, '\n', &line));
    write_bytes(b, path, text);
}

/* --- Loss ----------------------------------------------------------------------------------- */

static void a_stream_file_that_is_gone_is_told(void **state)
{
    static const char *const files[] = { "streams/notes.d/plan.jsonl", "runs/r.jsonl",
                                         "streams/memories.d/a.d/b.jsonl" };
    Bench *b = *state;
    a_few(b); /* closing the handle was enough: nobody has verified yet */
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        Str was = bytes_of(b, files[i]);
        person_removes(b, files[i]);
        Heard h = verified(b);
        assert_int_equal(h.lost, 1);
        assert_int_equal(h.faults, 1);
        assert_int_equal(h.edits, 0); /* its file is no new one that a person made */
        assert_non_null(strstr(h.last, "its stream is gone"));
        write_bytes(b, files[i], was);
        nothing_is_missing(b);
    }
}

static void a_run_cut_at_the_end_of_a_record_is_told(void **state)
{
    Bench *b = *state;
    a_few(b);
    Str was = bytes_of(b, "runs/r.jsonl");
    cut_last(b, "runs/r.jsonl");
    Heard h = verified(b);
    assert_int_equal(h.lost, 1);
    assert_non_null(strstr(h.last, "it ends with 4, the list of heads knows 5"));
    assert_int_equal(verified(b).lost, 1); /* and again */
    write_bytes(b, "runs/r.jsonl", was);
    nothing_is_missing(b);
}

static void a_stream_that_was_cut_and_written_on_is_told(void **state)
{
    Bench *b = *state;
    a_few(b);
    cut_last(b, "runs/r.jsonl");
    cut_last(b, "runs/r.jsonl");
    for (int i = 0; i < 4; i++) { /* 4 to 7; 5 was another one */
        entry(b, "runs/r", "in its place");
        reopen(b);
    }
    Heard h = verified(b);
    assert_int_equal(h.lost, 1);
    assert_non_null(strstr(h.last, "record 5 is not the one the list of heads knows"));
    assert_int_equal(verified(b).lost, 1);
}

static void a_damaged_newest_record_is_told_once_and_stays_listed(void **state)
{
    Bench *b = *state;
    a_few(b);
    Str was = bytes_of(b, "runs/r.jsonl");
    char *text = arena_cstr(&b->arena, was);
    char *last = strstr(text, "{\"seq\":5,");
    *strstr(last, "an entry") = 'A';
    write_bytes(b, "runs/r.jsonl", (Str){ text, was.n });
    for (int i = 0; i < 2; i++) {
        Heard h = verified(b);
        assert_int_equal(h.faults, 1);
        assert_int_equal(h.lost, 0);
        assert_non_null(strstr(h.last, "record 5, its newest, is damaged"));
    }
    cut_last(b, "runs/r.jsonl");
    assert_int_equal(verified(b).lost, 1);
}

/* Its line still begins with its number, so that it is found where the list looks for it. */
static void a_damaged_record_that_the_list_knows_stops_nobody(void **state)
{
    Bench *b = *state;
    a_few(b); /* the list knows record 5 */
    Str was = bytes_of(b, "runs/r.jsonl");
    char *text = arena_cstr(&b->arena, was);
    *strstr(strstr(text, "{\"seq\":5,"), "ann") = 'A';
    write_bytes(b, "runs/r.jsonl", (Str){ text, was.n });
    entry(b, "runs/r", "behind it");
    reopen(b);
    for (int i = 0; i < 2; i++) {
        Heard h = verified(b);
        assert_int_equal(h.faults, 1);
        assert_int_equal(h.lost, 0);
        assert_ok(b, store_note_heads(b->s, &b->e)); /* as gc */
        assert_ok(b, store_mend(b->s, NULL, &b->e));
    }
}

static void what_is_lost_is_told_until_it_is_accepted(void **state)
{
    Bench *b = *state;
    a_few(b);
    cut_last(b, "runs/r.jsonl");
    person_removes(b, "streams/notes.d/plan.jsonl");
    person_removes(b, "notes/plan.txt");
    assert_int_equal(verified(b).lost, 2);
    assert_ok(b, store_note_heads(b->s, &b->e)); /* as gc does */
    reopen(b);
    assert_int_equal(verified(b).lost, 2);
    assert_ok(b, store_mend(b->s, NULL, &b->e));
    assert_int_equal(store_report(b->s)->accepted, 2);
    nothing_is_missing(b);
    entry(b, "runs/r", "goes on");
    reopen(b);
    nothing_is_missing(b);
}

static void oldest_records_that_are_gone_are_told(void **state)
{
    Bench *b = *state;
    a_few(b);
    Str was = bytes_of(b, "runs/r.jsonl");
    cut_first(b, "runs/r.jsonl", 2);
    for (int i = 0; i < 2; i++) {
        Heard h = verified(b);
        assert_int_equal(h.lost, 1);
        assert_int_equal(h.faults, 1);
        assert_non_null(strstr(h.last, "it begins with 3, the list of heads knows 1"));
    }
    entry(b, "runs/r", "written on");
    reopen(b);
    assert_int_equal(verified(b).lost, 1);
    assert_ok(b, store_mend(b->s, NULL, &b->e));
    nothing_is_missing(b);
    cut_first(b, "runs/r.jsonl", 1);
    assert_int_equal(verified(b).lost, 1);
    write_bytes(b, "runs/r.jsonl", was);
}

static void a_trim_is_proved_and_what_goes_behind_it_is_not(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 60; i++)
        entry(b, "runs/r", "an entry");
    reopen(b);
    nothing_is_missing(b);
    for (int i = 1; i < 4; i++) { /* trimmed, and trimmed again */
        assert_ok(b, store_trim(b->s, S("runs/r"), NULL, (uint64_t)i * 10 + 1, &dropped, &b->e));
        assert_int_equal(dropped, 10);
        nothing_is_missing(b);
        reopen(b);
        nothing_is_missing(b);
    }
    assert_int_equal(records(b, "runs/r").n, 30);
    cut_first(b, "runs/r.jsonl", 1);
    Heard h = verified(b);
    assert_int_equal(h.lost, 1);
    assert_non_null(strstr(h.last, "it begins with 32, the list of heads knows 31"));
    /* What is trimmed afterwards takes the loss along. */
    assert_ok(b, store_trim(b->s, S("runs/r"), NULL, 40, &dropped, &b->e));
    nothing_is_missing(b);
}

/* A document's file is its newest version, wherever the history begins. */
static void oldest_versions_that_are_gone_are_told(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 40; i++)
        put(b, "notes/plan", "text");
    reopen(b);
    cut_first(b, "streams/notes.d/plan.jsonl", 1);
    assert_int_equal(verified(b).lost, 1);
    assert_text(head(b, "notes/plan").body, "text");
    assert_ok(b, store_trim(b->s, S("notes/plan"), NULL, 20, &dropped, &b->e));
    assert_int_equal(dropped, 18);
    nothing_is_missing(b);
    assert_int_equal(records(b, "notes/plan").items[0].mark.gap, 19);
}

/* A list as the first versions wrote it: a line does not say where its stream begins. */
static Str older_list(Bench *b)
{
    Str text = bytes_of(b, "heads"), line;
    AUTO(Buf) out = { 0 };
    assert_true(str_cut(&text, '\n', &line));
    buf_addf(&out, STR_FMT "\n", STR_ARG(line));
    while (str_cut(&text, '\n', &line)) {
        AUTO(Buf) rest = { 0 };
        Str word;
        assert_true(str_cut(&line, ' ', &word)); /* the sum */
        for (int i = 0; str_cut(&line, ' ', &word); i++)
            if (i < 7)
                buf_addf(&rest, STR_FMT " ", STR_ARG(word));
        buf_add(&rest, line);
        buf_addf(&out, "%.8s " STR_FMT "\n", hash_hex(hash_of(buf_str(&rest))).text,
                 STR_ARG(buf_str(&rest)));
    }
    return arena_copy(&b->arena, buf_str(&out));
}

static void what_was_trimmed_before_there_was_a_proof_is_not_missing(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 40; i++)
        entry(b, "runs/r", "an entry");
    reopen(b);
    nothing_is_missing(b);
    Str old = older_list(b);
    for (int i = 0; i < 2; i++) { /* with such a list, and with none */
        cut_first(b, "runs/r.jsonl", 5);
        if (i == 0)
            write_bytes(b, "heads", old);
        else
            person_removes(b, "heads");
        nothing_is_missing(b);
        nothing_is_missing(b);
    }
    cut_first(b, "runs/r.jsonl", 1);
    assert_int_equal(verified(b).lost, 1); /* from then on it is known */
    write_bytes(b, "heads", old);
    cut_last(b, "runs/r.jsonl");
    assert_int_equal(verified(b).lost, 1); /* and an old line tells what it can */
}

static void every_way_to_forget_leaves_nothing_missing(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    Mark m;
    for (int i = 0; i < 40; i++) {
        put(b, "notes/trimmed", "text");
        put(b, "notes/redacted", "text");
        put(b, "notes/purged", "text");
    }
    put(b, "notes/deleted", "text");
    reopen(b);
    nothing_is_missing(b);
    assert_ok(b, store_trim(b->s, S("notes/trimmed"), NULL, 30, &dropped, &b->e));
    assert_ok(b, store_redact(b->s, S("notes/redacted"), NULL, 7, &b->e));
    assert_ok(b, store_purge(b->s, S("notes/purged"), NULL, S("ann"), &m, &b->e));
    bury(b, "notes/deleted");
    nothing_is_missing(b);
    reopen(b);
    nothing_is_missing(b);
    assert_true(listed_name(b, "notes/redacted"));
    assert_true(listed_name(b, "notes/deleted"));
    person_removes(b, "streams/notes.d/deleted.jsonl");
    assert_int_equal(verified(b).lost, 1); /* its history was worth something */
}

/* --- People --------------------------------------------------------------------------------- */

static void what_people_do_is_no_loss_and_no_damage(void **state)
{
    Bench *b = *state;
    b->io.wall_ms = later;
    a_few(b);
    put(b, "notes/other", "same size");
    reopen(b);
    nothing_is_missing(b);
    person_writes(b, "notes/other.txt", "SAME SIZE");
    person_saves(b, "notes/plan.txt", "edited");
    person_removes(b, "memories/a/b");
    person_writes(b, "notes/fresh.txt", "a person's own");
    reopen(b);
    Heard h = verified(b);
    assert_int_equal(h.faults, 0);
    assert_int_equal(h.edits, 4);
    assert_text(head(b, "notes/other").body, "SAME SIZE");
    assert_int_equal(put(b, "notes/other", "next").seq, 3);
    assert_version(b, "notes/other", 2, "outside", "SAME SIZE");
}

/* --- Rot ------------------------------------------------------------------------------------ */

/* Turn a bit over behind everybody's back.  A file system in memory does not note writes through a
 * mapping; where one does, the test cannot be made. */
static void turn_over(Bench *b, const char *path)
{
    struct stat before, after;
    int fd = open(full_path(b, path), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    fstat(fd, &before);
    char *p = mmap(NULL, (size_t)before.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(p != MAP_FAILED);
    p[3] ^= 4;
    munmap(p, (size_t)before.st_size);
    fstat(fd, &after);
    close(fd);
    if (before.st_ctim.tv_sec != after.st_ctim.tv_sec ||
        before.st_ctim.tv_nsec != after.st_ctim.tv_nsec)
        skip();
}

static void a_bit_that_turned_over_in_a_file_is_not_believed(void **state)
{
    Bench *b = *state;
    b->io.wall_ms = later;
    a_few(b);
    nothing_is_missing(b); /* which has seen the file */
    turn_over(b, "notes/plan.txt");
    reopen(b);
    Record r = head(b, "notes/plan");
    assert_text(r.body, "the second");
    assert_int_equal(r.mark.seq, 2);
    assert_text(r.by, "ann");
    Heard h = verified(b);
    assert_int_equal(h.views, 1);
    assert_int_equal(h.faults, 1);
    assert_int_equal(h.edits, 0);
    assert_int_equal(verified(b).views, 1);
    assert_int_equal(put(b, "notes/plan", "the third").seq, 3);
    assert_int_equal(files_in(b, "quarantine"), 2);
    assert_int_equal(store_report(b->s)->restored, 1);
    assert_int_equal(store_report(b->s)->outside, 0);
    assert_int_equal(verified(b).faults, 0);
}

/* Most of it is found when the file is read anew from the disk: after a reboot or a mount. */
static void a_bit_that_turned_over_is_no_edit_after_a_reboot_either(void **state)
{
    Bench *b = *state;
    b->io.wall_ms = later;
    a_few(b);
    nothing_is_missing(b);
    turn_over(b, "notes/plan.txt");
    reboot(b);
    assert_text(head(b, "notes/plan").body, "the second");
    assert_int_equal(put(b, "notes/other", "compares all of them").seq, 1);
    assert_int_equal(records(b, "notes/plan").n, 2);
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
    assert_int_equal(files_in(b, "quarantine"), 2);
    assert_int_equal(store_report(b->s)->outside, 0);
}

static void a_damaged_file_is_mended(void **state)
{
    Bench *b = *state;
    b->io.wall_ms = later;
    a_few(b);
    nothing_is_missing(b);
    turn_over(b, "notes/plan.txt");
    assert_ok(b, store_mend(b->s, NULL, &b->e));
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
    assert_int_equal(records(b, "notes/plan").n, 2);
    assert_int_equal(files_in(b, "quarantine"), 2);
    nothing_is_missing(b);
}

/* Its times could still be those of an edit that comes in the same tick. */
static void a_file_that_was_just_written_is_listed_without_its_times(void **state)
{
    Bench *b = *state;
    a_few(b);
    nothing_is_missing(b);
    Str text = bytes_of(b, "heads"), line;
    int documents = 0;
    while (str_cut(&text, '\n', &line))
        documents +=
            str_ends(line, S(" 0 0 0 1 notes/plan")) || str_ends(line, S(" 0 0 0 1 memories/a/b"));
    assert_int_equal(documents, 2);
}

/* --- Names that must go ---------------------------------------------------------------------- */

static void a_purged_name_is_not_in_the_list(void **state)
{
    Bench *b = *state;
    Mark m;
    a_few(b);
    put(b, "notes/secret-name", "text");
    reopen(b);
    put(b, "notes/secret-name", "more");
    store_idle(b->s);
    assert_true(listed_name(b, "secret-name"));
    Store *other = open_pad(b, (StoreOptions){ 0 });
    Draft d = { .op = OP_PUT, .by = S("bob"), .body = S("bob's") };
    assert_ok(b, store_append(other, S("notes/secret-name"), NULL, &d, &m, &b->e));
    put(b, "notes/secret-name", "once more");
    assert_ok(b, store_purge(b->s, S("notes/secret-name"), NULL, S("ann"), &m, &b->e));
    assert_false(listed_name(b, "secret-name"));
    store_close(other); /* it has written there, before the purge */
    assert_false(listed_name(b, "secret-name"));
    reopen(b);
    assert_false(listed_name(b, "secret-name"));
    nothing_is_missing(b);
    assert_false(listed_name(b, "secret-name"));
    assert_true(listed_name(b, "notes/plan"));
}

static void purge_meanwhile(Bench *b, IoCall *call)
{
    Mark m;
    Store *other = NULL;
    StoreOptions o = { 0 };
    assert_int_equal(store_open(&other, str(b->url), &o, NULL), JOT_OK);
    assert_int_equal(store_purge(other, S("notes/plan"), NULL, S("ann"), &m, NULL), JOT_OK);
    store_close(other);
}

static void a_purge_while_the_list_is_made_is_not_undone_by_it(void **state)
{
    Bench *b = *state;
    a_few(b);
    trap(b, (Trap){ .kind = IO_OPEN, .at = "runs", .act = purge_meanwhile });
    assert_ok(b, store_note_heads(b->s, &b->e));
    assert_false(listed_name(b, "notes/plan"));
    assert_true(listed_name(b, "runs/r"));
}

static void a_purge_that_cannot_take_the_name_out_does_not_happen(void **state)
{
    Bench *b = *state;
    Mark m;
    a_few(b);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "heads", .answer = -EIO });
    assert_status(b, store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e), JOT_IO);
    assert_text(head(b, "notes/plan").body, "the second");
    assert_int_equal(records(b, "notes/plan").n, 2);
}

/* --- Writers -------------------------------------------------------------------------------- */

static void add_meanwhile(Bench *b, IoCall *call)
{
    Mark m;
    Store *other = NULL;
    StoreOptions o = { 0 };
    Draft d = { .op = OP_APPEND, .by = S("ann"), .body = S("meanwhile") };
    assert_int_equal(store_open(&other, str(b->url), &o, NULL), JOT_OK);
    assert_int_equal(store_append(other, S("runs/r"), NULL, &d, &m, NULL), JOT_OK);
    store_close(other);
}

/* Whenever a stream is looked at, somebody has just come to the end of a write. */
static void a_writer_that_comes_to_its_end_leaves_nothing_unfinished(void **state)
{
    Bench *b = *state;
    a_few(b);
    Trap *t = trap(
        b, (Trap){ .kind = IO_READ, .at = "runs/r.jsonl", .stays = true, .act = add_meanwhile });
    nothing_is_missing(b);
    assert_true(t->sprung > 2);
}

/* --- The file itself -------------------------------------------------------------------------- */

static void no_damaged_byte_of_the_list_invents_a_loss(void **state)
{
    Bench *b = *state;
    a_few(b);
    nothing_is_missing(b);
    Str was = bytes_of(b, "heads");
    for (size_t i = 0; i < was.n; i++) {
        char *text = arena_cstr(&b->arena, was);
        text[i] ^= 1 << (i % 8);
        write_bytes(b, "heads", (Str){ text, was.n });
        nothing_is_missing(b);
        write_bytes(b, "heads", str_slice(was, 0, i)); /* or cut there */
        nothing_is_missing(b);
    }
}

static void closing_costs_no_sync_and_the_list_no_write(void **state)
{
    Bench *b = *state;
    a_few(b);
    int writes = b->calls[IO_WRITE];
    put(b, "notes/plan", "the third");
    int of_a_write = b->calls[IO_WRITE] - writes;
    assert_int_equal(of_a_write, 3); /* draft, recent, record */
    int syncs = b->calls[IO_FSYNC] + b->calls[IO_FDATASYNC];
    store_close(b->s);
    b->s = NULL;
    assert_int_equal(b->calls[IO_FSYNC] + b->calls[IO_FDATASYNC], syncs);
    assert_int_equal(b->calls[IO_WRITE] - writes, of_a_write + 1);
}

static void a_list_that_grows_is_folded(void **state)
{
    Bench *b = *state;
    a_few(b);
    nothing_is_missing(b);
    Str was = bytes_of(b, "heads");
    size_t first = str_find(was, '\n') + 1;
    AUTO(Buf) text = { 0 };
    buf_add(&text, was);
    while (text.n < 1300 * 1000)
        buf_add(&text, str_from(was, first));
    write_bytes(b, "heads", buf_str(&text));
    put(b, "notes/plan", "the third");
    reopen(b);
    assert_true(bytes_of(b, "heads").n < 4 * was.n);
    nothing_is_missing(b);
    person_removes(b, "runs/r.jsonl");
    assert_int_equal(verified(b).lost, 1);
}

static void what_stands_in_its_place_stops_only_forgetting(void **state)
{
    Bench *b = *state;
    Mark m;
    a_few(b);
    person_removes(b, "heads");
    person_writes(b, "elsewhere", "not ours");
    assert_int_equal(symlink(full_path(b, "elsewhere"), full_path(b, "heads")), 0);
    put(b, "notes/plan", "the third");
    reopen(b);
    assert_text(head(b, "notes/plan").body, "the third");
    assert_status(b, store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e), JOT_DENIED);
    assert_text(bytes_of(b, "elsewhere"), "not ours");
}

static void who_may_not_write_makes_no_list(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    reopen(b);
    person_removes(b, "heads");
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .read_only = true });
    nothing_is_missing(b);
    assert_false(there(b, "heads"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_stream_file_that_is_gone_is_told),
        BENCH_TEST(a_run_cut_at_the_end_of_a_record_is_told),
        BENCH_TEST(a_stream_that_was_cut_and_written_on_is_told),
        BENCH_TEST(a_damaged_newest_record_is_told_once_and_stays_listed),
        BENCH_TEST(a_damaged_record_that_the_list_knows_stops_nobody),
        BENCH_TEST(what_is_lost_is_told_until_it_is_accepted),
        BENCH_TEST(oldest_records_that_are_gone_are_told),
        BENCH_TEST(a_trim_is_proved_and_what_goes_behind_it_is_not),
        BENCH_TEST(oldest_versions_that_are_gone_are_told),
        BENCH_TEST(what_was_trimmed_before_there_was_a_proof_is_not_missing),
        BENCH_TEST(every_way_to_forget_leaves_nothing_missing),
        BENCH_TEST(what_people_do_is_no_loss_and_no_damage),
        BENCH_TEST(a_bit_that_turned_over_in_a_file_is_not_believed),
        BENCH_TEST(a_bit_that_turned_over_is_no_edit_after_a_reboot_either),
        BENCH_TEST(a_damaged_file_is_mended),
        BENCH_TEST(a_file_that_was_just_written_is_listed_without_its_times),
        BENCH_TEST(a_purged_name_is_not_in_the_list),
        BENCH_TEST(a_purge_while_the_list_is_made_is_not_undone_by_it),
        BENCH_TEST(a_purge_that_cannot_take_the_name_out_does_not_happen),
        BENCH_TEST(a_writer_that_comes_to_its_end_leaves_nothing_unfinished),
        BENCH_TEST(no_damaged_byte_of_the_list_invents_a_loss),
        BENCH_TEST(closing_costs_no_sync_and_the_list_no_write),
        BENCH_TEST(a_list_that_grows_is_folded),
        BENCH_TEST(what_stands_in_its_place_stops_only_forgetting),
        BENCH_TEST(who_may_not_write_makes_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
