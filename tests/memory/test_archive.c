/* test_archive.c - whole pads in one file: complete, verified, and refused when damaged. */
#include "store/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/desk.h"

static const char *path_of(Desk *d, const char *name)
{
    return arena_printf(&d->a, "%s/%s", d->dir, name).p;
}

static Mark add(Desk *d, const char *stream, Op op, Str body)
{
    Mark mark = { 0 };
    Draft draft = { .op = op, .meta = S("{\"a\":1}"), .body = body };
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &mark, &d->e));
    return mark;
}

/* One of everything that a stream can hold. */
static void fill(Desk *d)
{
    uint64_t dropped;
    Mark mark;
    add(d, "notes/plan", OP_PUT, S("one"));
    add(d, "notes/plan", OP_PUT, S("two\nlines"));
    desk_ok(d, store_redact(d->m.store, S("notes/plan"), NULL, 1, &d->e));
    add(d, "notes/gone", OP_PUT, S("x"));
    add(d, "notes/gone", OP_DELETE, S(""));
    add(d, "artifacts/a/b", OP_PUT, S("\0\xff binary"));
    add(d, "memories/d/e.md", OP_PUT, S(""));
    for (int i = 0; i < 40; i++)
        add(d, "runs/r", OP_APPEND, S("entry"));
    desk_ok(d, store_trim(d->m.store, S("runs/r"), NULL, 30, &dropped, &d->e));
    add(d, "notes/purged", OP_PUT, S("secret"));
    desk_ok(d, store_purge(d->m.store, S("notes/purged"), NULL, S("ann"), &mark, &d->e));
}

static Str slurp(Desk *d, const char *path)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    char *text = arena_alloc(&d->a, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, text, (size_t)info.st_size), info.st_size);
    return (Str){ text, (size_t)info.st_size };
}

static void spill(const char *path, Str text)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
}

static const char *export(Desk *d, Store *from, const char *name)
{
    ArchiveCount count;
    const char *path = path_of(d, name);
    desk_ok(d, archive_write(from, path, NULL, &count, &d->e));
    return path;
}

static Store *open_archive(Desk *d, const char *path)
{
    Store *s = NULL;
    desk_ok(d, archive_open(&s, &d->io, path, &d->e));
    return s;
}

static Store *fresh(Desk *d, const char *url)
{
    Store *s = NULL;
    StoreOptions o = { .io = &d->io, .create = true };
    desk_ok(d, store_open(&s, str(url), &o, &d->e));
    return s;
}

static void a_pad_comes_back_from_its_archive_with_all_its_history(Desk *d)
{
    fill(d);
    const char *path = export(d, d->m.store, "one.jotter");
    const char *urls[] = { arena_printf(&d->a, "files:%s/new", d->dir).p,
                           arena_printf(&d->a, "sqlite:%s/new.db", d->dir).p, "mem:" };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        AUTO_PTR(Store) archive = open_archive(d, path);
        AUTO_PTR(Store) to = fresh(d, urls[i]);
        CopyCount count;
        desk_ok(d, store_copy(archive, to, NULL, &count, &d->e));
        assert_int_equal(count.streams, 6);
        assert_int_equal(count.copied, count.records);
        const char *again = export(d, to, arena_printf(&d->a, "again%zu.jotter", i).p);
        assert_str(slurp(d, again), slurp(d, path));
        /* A second time adds nothing. */
        desk_ok(d, store_copy(archive, to, NULL, &count, &d->e));
        assert_int_equal(count.copied, 0);
    }
}

static void an_import_that_was_interrupted_goes_on(Desk *d)
{
    fill(d);
    AUTO_PTR(Store) archive = open_archive(d, export(d, d->m.store, "one.jotter"));
    AUTO_PTR(Store) to = fresh(d, "mem:");
    Records some;
    desk_ok(d, store_read(archive, S("runs/r"), (SeqRange){ 1, 5 }, &d->a, &some, &d->e));
    desk_ok(d, store_put_records(to, S("runs/r"), some.items, some.n, &d->e));
    CopyCount count;
    desk_ok(d, store_copy(archive, to, NULL, &count, &d->e));
    assert_int_equal(count.copied, count.records - 5);
}

static void a_pad_with_another_history_is_not_changed(Desk *d)
{
    fill(d);
    AUTO_PTR(Store) archive = open_archive(d, export(d, d->m.store, "one.jotter"));
    AUTO_PTR(Store) to = fresh(d, "mem:");
    Mark mark;
    Draft draft = { .op = OP_PUT, .body = S("mine") };
    desk_ok(d, store_append(to, S("artifacts/a/b"), NULL, &draft, &mark, &d->e));
    CopyCount count;
    desk_expect(d, JOT_CONFLICT, store_copy(archive, to, NULL, &count, &d->e));
    assert_says(d, "'artifacts/a/b'");
}

static void what_is_passed_over_takes_no_memory(Desk *d)
{
    enum { VERSIONS = 200, BYTES = 10000 };
    AUTO(Arena) a = { 0 };
    Records got;
    char *text = arena_alloc(&d->a, BYTES, 1);
    memset(text, 'x', BYTES);
    for (int i = 0; i < VERSIONS; i++)
        add(d, "notes/long", OP_PUT, (Str){ text, BYTES });
    AUTO_PTR(Store) archive = open_archive(d, export(d, d->m.store, "one.jotter"));
    desk_ok(d,
            store_read(archive, S("notes/long"), (SeqRange){ VERSIONS - 1, 1 }, &a, &got, &d->e));
    assert_int_equal(got.n, 1);
    assert_int_equal(got.items[0].mark.seq, VERSIONS - 1);
    assert_true(got.more && a.total < 3 * BYTES);
    desk_ok(d, store_read(archive, S("notes/long"), (SeqRange){ VERSIONS, 9 }, &a, &got, &d->e));
    assert_true(got.n == 1 && !got.more && got.items[0].mark.seq == VERSIONS);
}

static void an_archive_is_a_store_that_cannot_be_written(Desk *d)
{
    fill(d);
    AUTO_PTR(Store) s = open_archive(d, export(d, d->m.store, "one.jotter"));
    Record head;
    Records some;
    Listing names;
    Mark mark;
    Draft draft = { .op = OP_PUT, .body = S("x") };
    desk_ok(d, store_head(s, S("notes/plan"), HEAD_RECORD, &d->a, &head, &d->e));
    assert_text(head.body, "two\nlines");
    desk_expect(d, JOT_NOT_FOUND, store_head(s, S("notes/no"), HEAD_MARK, &d->a, &head, &d->e));
    /* Any order of reading gives the same. */
    for (uint64_t from = 40; from >= 30; from--) {
        desk_ok(d, store_read(s, S("runs/r"), (SeqRange){ from, 3 }, &d->a, &some, &d->e));
        assert_int_equal(some.items[0].mark.seq, from);
        assert_int_equal(some.more, from < 38);
    }
    desk_ok(d, store_list(
                   s, &(ListQuery){ .prefix = S("notes/"), .after = S("notes/gone"), .limit = 10 },
                   &d->a, &names, &d->e));
    assert_int_equal(names.n, 1);
    desk_ok(d, store_list(s, &(ListQuery){ .limit = 2, .which = LIST_ALL }, &d->a, &names, &d->e));
    assert_int_equal(names.n, 2);
    assert_true(names.more);
    desk_expect(d, JOT_READ_ONLY, store_append(s, S("notes/x"), NULL, &draft, &mark, &d->e));
    assert_says(d, "it is an archive");
}

static void an_empty_pad_has_an_archive_too(Desk *d)
{
    const char *path = export(d, d->m.store, "none.jotter");
    Str text = slurp(d, path);
    assert_true(str_starts(text, S("jotter archive 3\nend 0 0 ")));
    AUTO_PTR(Store) s = open_archive(d, path);
    Listing names;
    desk_ok(d, store_list(s, &(ListQuery){ .limit = 10, .which = LIST_ALL }, &d->a, &names, &d->e));
    assert_int_equal(names.n, 0);
}

/* Every byte of it changed, in two ways, and every length it could be cut to. */
static void no_damage_goes_unnoticed(Desk *d)
{
    if (strcmp(d->engine, "mem") != 0)
        return; /* the file is the same, whatever it was made from */
    add(d, "notes/plan", OP_PUT, S("one"));
    add(d, "notes/plan", OP_PUT, S("two"));
    add(d, "runs/r", OP_APPEND, S("entry"));
    Str good = slurp(d, export(d, d->m.store, "one.jotter"));
    const char *path = path_of(d, "bad.jotter");
    char *bad = arena_alloc(&d->a, good.n, 1);
    for (size_t i = 0; i < good.n; i++) {
        static const char masks[] = { 1, '\x80' };
        for (size_t k = 0; k < sizeof masks; k++) {
            memcpy(bad, good.p, good.n);
            bad[i] = (char)(bad[i] ^ masks[k]);
            spill(path, (Str){ bad, good.n });
            Store *s = NULL;
            jot_status st = archive_open(&s, &d->io, path, &d->e);
            assert_true(st == JOT_CORRUPT || st == JOT_UNSUPPORTED);
            assert_null(s);
        }
        spill(path, str_slice(good, 0, i));
        Store *s = NULL;
        desk_expect(d, JOT_CORRUPT, archive_open(&s, &d->io, path, &d->e));
    }
    spill(path, arena_printf(&d->a, STR_FMT STR_FMT, STR_ARG(good), STR_ARG(good)));
    Store *s = NULL;
    desk_expect(d, JOT_CORRUPT, archive_open(&s, &d->io, path, &d->e));
    assert_says(d, "there is more after its end");
    spill(path, S("jotter archive 5\nsomething\n"));
    desk_expect(d, JOT_UNSUPPORTED, archive_open(&s, &d->io, path, &d->e));
    spill(path, S("something else\n"));
    desk_expect(d, JOT_CORRUPT, archive_open(&s, &d->io, path, &d->e));
    desk_expect(d, JOT_NOT_FOUND, archive_open(&s, &d->io, path_of(d, "no.jotter"), &d->e));
}

static size_t files_in(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static void a_file_that_exists_is_never_replaced(Desk *d)
{
    fill(d);
    const char *path = path_of(d, "taken.jotter");
    spill(path, S("mine"));
    size_t before = files_in(d->dir);
    ArchiveCount count;
    desk_expect(d, JOT_CONFLICT, archive_write(d->m.store, path, NULL, &count, &d->e));
    assert_says(d, "'taken.jotter' exists");
    desk_expect(d, JOT_NOT_FOUND,
                archive_write(d->m.store, path_of(d, "no/where.jotter"), NULL, &count, &d->e));
    desk_expect(d, JOT_INVALID, archive_write(d->m.store, path_of(d, ""), NULL, &count, &d->e));
    assert_text(slurp(d, path), "mine");
    assert_int_equal(files_in(d->dir), before);
}

static void many_records_and_large_ones_are_kept(Desk *d)
{
    if (strcmp(d->engine, "mem") != 0)
        return;
    for (int i = 0; i < 3000; i++)
        add(d, "runs/long", OP_APPEND, arena_printf(&d->a, "entry %d", i));
    char *big = arena_alloc(&d->a, STORE_BODY_MAX, 1);
    memset(big, '\x01', STORE_BODY_MAX);
    add(d, "notes/big", OP_PUT, (Str){ big, STORE_BODY_MAX });
    AUTO_PTR(Store) archive = open_archive(d, export(d, d->m.store, "one.jotter"));
    AUTO_PTR(Store) to = fresh(d, "mem:");
    CopyCount count;
    desk_ok(d, store_copy(archive, to, NULL, &count, &d->e));
    assert_int_equal(count.copied, 3001);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_pad_comes_back_from_its_archive_with_all_its_history),
        DESK_TEST(an_import_that_was_interrupted_goes_on),
        DESK_TEST(a_pad_with_another_history_is_not_changed),
        DESK_TEST(what_is_passed_over_takes_no_memory),
        DESK_TEST(an_archive_is_a_store_that_cannot_be_written),
        DESK_TEST(an_empty_pad_has_an_archive_too),
        DESK_TEST(no_damage_goes_unnoticed),
        DESK_TEST(a_file_that_exists_is_never_replaced),
        DESK_TEST(many_records_and_large_ones_are_kept),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
