/* test_index.c - an index nobody can rely on: lost, damaged, held, killed or lying, it changes no
 * result. */
#include "memory/search/search.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/search_desk.h"
#include "rig/volume.h"

static void the_index_is_a_file_of_its_owner(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    struct stat info;
    mode_t old = umask(0);
    desk_put(d, "notes/a", "pear");
    assert_finds(d, s, "pear", "notes/a");
    umask(old);
    assert_int_equal(stat(index_path(d).p, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    const char *want = strcmp(d->engine, "files") == 0 ? "/pad/index.sqlite" : "/pad.db.index";
    assert_true(str_ends(index_path(d), str(want)));
}

static void write_file(const char *path, Str bytes)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), bytes.n);
}

/* Whatever happens to the file, the answer stays the same. */
static void a_lost_or_damaged_index_changes_no_result(Desk *d)
{
    Str path = index_path(d);
    desk_put(d, "notes/a", "pear tree");
    desk_put(d, "notes/b", "pear");
    for (int how = 0; how < 7; how++) {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear", "notes/b notes/a");
        struct stat info;
        assert_int_equal(stat(path.p, &info), 0);
        switch (how) {
        case 0:
            assert_int_equal(unlink(path.p), 0);
            break;
        case 1:
            write_file(path.p, S("this is no database, only some text that lies in its place"));
            break;
        case 2:
            write_file(path.p, (Str){ 0 });
            break;
        case 3:
            assert_int_equal(truncate(path.p, info.st_size / 2), 0);
            break;
        case 4: { /* the words themselves are hit */
            AUTO(Fd) fd = open(path.p, O_WRONLY);
            char junk[4096];
            memset(junk, 0x5A, sizeof junk);
            for (off_t at = 4096; at < info.st_size; at += 4096)
                assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
            break;
        }
        case 5: { /* another version's */
            sqlite3 *sql = NULL;
            assert_int_equal(sqlite3_open(path.p, &sql), SQLITE_OK);
            sqlite3_exec(sql, "PRAGMA user_version = 99; DROP TABLE rows;", NULL, NULL, NULL);
            sqlite3_close(sql);
            break;
        }
        default:
            assert_int_equal(unlink(path.p), 0);
            assert_int_equal(mkdir(path.p, 0700), 0);
            break;
        }
        assert_finds(d, s, "pear", "notes/b notes/a");
        AUTO_PTR(Search) fresh = begin(d, &d->m);
        assert_finds(d, fresh, "pear", "notes/b notes/a");
    }
    assert_int_equal(rmdir(path.p), 0);
}

static void a_symlink_in_its_place_is_not_followed(Desk *d)
{
    AUTO(Arena) a = { 0 };
    struct stat info;
    Str target = arena_printf(&a, "%s/elsewhere", d->dir);
    desk_put(d, "notes/a", "pear");
    assert_int_equal(symlink(target.p, index_path(d).p), 0);
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "pear", "notes/a");
    assert_int_not_equal(stat(target.p, &info), 0);
    SearchQuery q = { .text = S("pear"), .explain = true };
    Hits h;
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    assert_non_null(h.where);
}

static void an_index_somebody_holds_is_done_without(Desk *d)
{
    desk_put(d, "notes/a", "pear");
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear", "notes/a");
    }
    pid_t holder = fork();
    if (holder == 0) { /* locks are a process's */
        sqlite3 *sql = NULL;
        if (sqlite3_open(index_path(d).p, &sql) != SQLITE_OK ||
            sqlite3_exec(sql, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
            _exit(1);
        pause();
        _exit(0);
    }
    usleep(200 * 1000);
    desk_put(d, "notes/b", "pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "pear", "notes/b notes/a");
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
}

static void a_read_only_pad_is_searched_and_left_alone(Desk *d)
{
    desk_put(d, "notes/a", "pear");
    Memory reader = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("eve"), .read_only = true };
    desk_ok(d, memory_open(&reader, str(d->url), &o, &d->e));
    {
        AUTO_PTR(Search) s = begin(d, &reader);
        struct stat info;
        assert_finds(d, s, "pear", "notes/a");
        assert_int_not_equal(stat(index_path(d).p, &info), 0);
    }
    memory_close(&reader);
}

static void another_handles_write_is_found_at_the_next_search(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "pear");
    assert_finds(d, s, "pear", "notes/a");
    Memory bob = desk_open(d, "bob");
    Mark m;
    for (int i = 0; i < 20; i++) {
        Str body = arena_printf(&d->a, "plum%d", i);
        Draft draft = { .op = OP_PUT, .body = body };
        desk_ok(d, memory_append(&bob, S("notes/b"), NULL, &draft, &m, &d->e));
        assert_text(names(d, s, &(SearchQuery){ .text = body }), "notes/b");
    }
    memory_close(&bob);
}

/* What a search on a fresh index in memory says. */
static Str truth(Desk *d, const char *query)
{
    Memory reader = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("eve"), .read_only = true };
    desk_ok(d, memory_open(&reader, str(d->url), &o, &d->e));
    Search *s = begin(d, &reader);
    Str found = names(d, s, &(SearchQuery){ .text = str(query), .limit = 100 });
    search_close(s);
    memory_close(&reader);
    return found;
}

/* Real processes, killed wherever they happen to be. */
static void killing_the_indexer_changes_no_result(Desk *d)
{
    for (int i = 0; i < 60; i++)
        desk_put(d, arena_printf(&d->a, "notes/n%d", i).p,
                 arena_printf(&d->a, "pear number %d of many pears, with some more words", i).p);
    Str want = truth(d, "pear");
    for (int i = 0; i < 40; i += volume_small() ? 5 : 1) {
        pid_t child = fork();
        if (child == 0) {
            Memory m = { 0 };
            MemoryOptions o = { .by = S("bob") };
            Search *s = NULL;
            if (memory_open(&m, str(d->url), &o, NULL) != JOT_OK ||
                search_open(&s, &m, NULL, NULL) != JOT_OK)
                _exit(1);
            for (;;)
                if (search_rebuild(s, NULL) != JOT_OK)
                    _exit(2);
        }
        usleep((useconds_t)(500 + i * 400));
        kill(child, SIGKILL);
        int how = 0;
        waitpid(child, &how, 0);
        assert_true(WIFSIGNALED(how));
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_str(names(d, s, &(SearchQuery){ .text = S("pear"), .limit = 100 }), want);
    }
}

static int search_and_write(const Desk *d, int who)
{
    Memory m = { 0 };
    char by[16];
    Search *s = NULL;
    snprintf(by, sizeof by, "agent%d", who);
    MemoryOptions o = { .by = str(by) };
    if (memory_open(&m, str(d->url), &o, NULL) != JOT_OK ||
        search_open(&s, &m, NULL, NULL) != JOT_OK)
        return 1;
    for (int i = 0; i < 15; i++) {
        AUTO(Arena) a = { 0 };
        Str body = arena_printf(&a, "plum own%dx%d", who, i);
        Str stream = arena_printf(&a, "notes/w%d-%d", who, i);
        Draft draft = { .op = OP_PUT, .body = body };
        Mark mark;
        Hits h;
        if (memory_append(&m, stream, NULL, &draft, &mark, NULL) != JOT_OK)
            return 2;
        SearchQuery q = { .text = str_from(body, 5) };
        if (search_find(s, &q, &a, &h, NULL) != JOT_OK)
            return 3;
        if (h.n == 0 || !str_eq(h.items[0].stream, stream))
            return 4;
    }
    search_close(s);
    memory_close(&m);
    return 0;
}

static void processes_that_search_and_write_at_once_find_their_own(Desk *d)
{
    enum { PROCESSES = 6 };
    pid_t children[PROCESSES];
    desk_put(d, "notes/a", "pear");
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(search_and_write(d, i));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int how = 0;
        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
    }
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_str(names(d, s, &(SearchQuery){ .text = S("plum"), .limit = 100 }), truth(d, "plum"));
}

/* --- Comparing --------------------------------------------------------------------------- */

static void note_problem(void *ctx, Str stream, const char *what)
{
    (void)stream, (void)what;
    ++*(int *)ctx;
}

static void verifying_tells_an_index_that_lies(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    SearchCheck c;
    int told = 0;
    desk_put(d, "notes/a", "pear tree");
    desk_put(d, "notes/b", "plum");
    step(d, "runs/r", "{\"kind\":\"init\"}", "apple");
    assert_finds(d, s, "pear", "notes/a");
    desk_ok(d, search_verify(s, note_problem, &told, &c, &d->e));
    assert_true(c.there);
    assert_int_equal(c.rows, 3);
    assert_int_equal(told, 0);
    static const char *const lies[] = {
        "UPDATE words SET plain = 'fig' WHERE plain = 'plum'",
        "UPDATE rows SET \"by\" = 'eve' WHERE id = 1",
        "DELETE FROM words WHERE plain = 'plum'; DELETE FROM rows WHERE id = 2",
    };
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        sqlite3 *sql = NULL;
        assert_int_equal(sqlite3_open(index_path(d).p, &sql), SQLITE_OK);
        assert_int_equal(sqlite3_exec(sql, lies[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(sql);
        told = 0;
        desk_ok(d, search_verify(s, note_problem, &told, &c, &d->e));
        assert_true(told > 0);
        desk_ok(d, search_rebuild(s, &d->e));
        told = 0;
        desk_ok(d, search_verify(s, note_problem, &told, &c, &d->e));
        assert_int_equal(told, 0);
    }
}

static void a_persons_edit_is_found(Desk *d)
{
    if (strcmp(d->engine, "files"))
        return;
    AUTO(Arena) a = { 0 };
    desk_put(d, "notes/a", "pear");
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear", "notes/a");
    }
    write_file(arena_printf(&a, "%s/pad/notes/a.txt", d->dir).p, S("quince"));
    write_file(arena_printf(&a, "%s/pad/notes/new.txt", d->dir).p, S("quince jam"));
    desk_reopen(d);
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_int_equal(find(d, s, "quince").n, 2);
    assert_finds(d, s, "pear", "");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(the_index_is_a_file_of_its_owner),
        DESK_TEST(a_lost_or_damaged_index_changes_no_result),
        DESK_TEST(a_symlink_in_its_place_is_not_followed),
        DESK_TEST(an_index_somebody_holds_is_done_without),
        DESK_TEST(a_read_only_pad_is_searched_and_left_alone),
        DESK_TEST(another_handles_write_is_found_at_the_next_search),
        DESK_TEST(killing_the_indexer_changes_no_result),
        DESK_TEST(processes_that_search_and_write_at_once_find_their_own),
        DESK_TEST(verifying_tells_an_index_that_lies),
        DESK_TEST(a_persons_edit_is_found),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
