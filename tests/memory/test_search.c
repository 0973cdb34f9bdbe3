/* test_search.c - searching: what is found, what must not be, and an index nobody can rely on. */
#include "memory/search.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/doc.h"

/* --- Words for the tests ----------------------------------------------------------------- */

static Mark put(Desk *d, const char *stream, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_PUT, .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e));
    return m;
}

static void step(Desk *d, const char *run, const char *meta, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_APPEND, .meta = str(meta), .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(run), NULL, &draft, &m, &d->e));
}

static void drop(Desk *d, const char *stream)
{
    Mark m;
    Draft draft = { .op = OP_DELETE };
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e));
}

static Search *begin(Desk *d, Memory *m)
{
    Search *s = NULL;
    desk_ok(d, search_open(&s, m, &(SearchOptions){ .wait_ms = 200 }, &d->e));
    return s;
}

static Hits find(Desk *d, Search *s, const char *text)
{
    Hits h;
    desk_ok(d, search_find(s, &(SearchQuery){ .text = str(text) }, &d->a, &h, &d->e));
    return h;
}

/* The streams that are found, with spaces between. */
static Str names(Desk *d, Search *s, const SearchQuery *q)
{
    Hits h;
    AUTO(Buf) all = { 0 };
    desk_ok(d, search_find(s, q, &d->a, &h, &d->e));
    for (size_t i = 0; i < h.n; i++)
        buf_addf(&all, "%s" STR_FMT, i ? " " : "", STR_ARG(h.items[i].stream));
    return arena_copy(&d->a, buf_str(&all));
}

#define assert_finds(d, s, query, want) \
    assert_text(names((d), (s), &(SearchQuery){ .text = str(query) }), (want))

static Str index_path(Desk *d)
{
    Str path;
    desk_ok(d, store_index_path(d->m.store, &d->a, &path, &d->e));
    return path;
}

/* Is this text in any file of the index? */
static bool traced(Desk *d, const char *text)
{
    AUTO(Arena) a = { 0 };
    Str path = index_path(d);
    static const char *const tails[] = { "", "-journal", "-wal" };
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        AUTO(Fd) fd = open(arena_printf(&a, "%s%s", path.p, tails[i]).p, O_RDONLY);
        struct stat info;
        if (fd < 0 || fstat(fd, &info) != 0)
            continue;
        char *bytes = arena_alloc(&a, (size_t)info.st_size + 1, 1);
        assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
        if (memmem(bytes, (size_t)info.st_size, text, strlen(text)))
            return true;
    }
    return false;
}

/* --- Finding ----------------------------------------------------------------------------- */

static void a_hit_says_what_it_is_and_what_it_costs(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m = put(d, "notes/plan", "first line\nthe backups are restored nightly\x1B[31m\nlast");
    Hits h = find(d, s, "backup");
    assert_int_equal(h.n, 1);
    assert_text(h.items[0].stream, "notes/plan");
    assert_text(h.items[0].by, "ann");
    assert_text(h.items[0].snippet, "first line the **backups** are restored nightly [31m last");
    assert_true(hash_eq(h.items[0].sha256, m.sha256));
    assert_int_equal(h.items[0].seq, 1);
    assert_true(h.items[0].tokens > 5 && h.items[0].tokens < 30);
    assert_false(h.more);
}

static void words_phrases_beginnings_and_names_are_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    put(d, "notes/a", "running tests with retry_policy.ts");
    put(d, "notes/b", "tests are running");
    put(d, "notes/deploy-steps", "nothing");
    assert_finds(d, s, "run retry", "notes/a");
    assert_finds(d, s, "\"tests are\"", "notes/b");
    assert_finds(d, s, "\"run tests\"", "");
    assert_finds(d, s, "retr*", "notes/a");
    assert_finds(d, s, "retryPolicy", "notes/a");
    assert_finds(d, s, "deploying", "notes/deploy-steps");
}

static void filters_leave_out_what_does_not_fit(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    put(d, "notes/one", "apple");
    int64_t then = d->now_ms;
    Memory bob = d->m;
    bob.by = S("bob");
    Mark m;
    d->now_ms += 1000;
    Draft draft = { .op = OP_PUT, .body = S("apple") };
    desk_ok(d, memory_append(&bob, S("memories/two.md"), NULL, &draft, &m, &d->e));
    put(d, "artifacts/x/three", "{\"fruit\":\"apple\"}");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .kind = S("notes") }), "notes/one");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .prefix = S("artifacts/x") }),
                "artifacts/x/three");
    assert_text(
        names(d, s,
              &(SearchQuery){ .text = S("apple"), .kind = S("notes"), .prefix = S("artifacts/") }),
        "");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .by = S("bob") }),
                "memories/two.md");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .until_ms = then }), "notes/one");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .since_ms = then + 1001 }),
                "artifacts/x/three");
}

static void bad_questions_are_refused(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Hits h;
    SearchQuery bad[] = {
        { .text = S("") },
        { .text = S("open \"quote") },
        { .text = S("x"), .kind = S("leases") },
        { .text = S("x"), .kind = S("notes/a") },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, search_find(s, &bad[i], &d->a, &h, &d->e));
    desk_expect(d, JOT_TOO_BIG,
                search_find(s, &(SearchQuery){ .text = S("x"), .limit = 101 }, &d->a, &h, &d->e));
    Search *none = NULL;
    desk_expect(d, JOT_INVALID,
                search_open(&none, &d->m, &(SearchOptions){ .language = "klingon" }, &d->e));
    assert_says(d, "no language 'klingon'");
}

static void pages_follow_each_other_without_gap(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < 25; i++) /* all alike: the newest first */
        put(d, arena_printf(&d->a, "notes/n%02d", i).p, "the same pear");
    size_t seen = 0;
    for (size_t offset = 0; offset < 30; offset += 10) {
        Hits h;
        SearchQuery q = { .text = S("pear"), .offset = offset, .limit = 10 };
        desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
        assert_int_equal(h.more, offset < 20);
        for (size_t i = 0; i < h.n; i++, seen++)
            assert_str(h.items[i].stream, arena_printf(&d->a, "notes/n%02zu", 24 - seen));
    }
    assert_int_equal(seen, 25);
}

static void a_run_is_found_by_its_records(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    step(d, "runs/r1", "{\"kind\":\"init\"}", "why is checkout slow");
    step(d, "runs/r1", "{\"kind\":\"tool_result\",\"tool\":\"sql_query\"}",
         "fourteen sessions wait");
    step(d, "runs/r1", "{\"kind\":\"fold\"}", "fourteen fold");
    Hits h = find(d, s, "fourteen");
    assert_int_equal(h.n, 1);
    assert_int_equal(h.items[0].seq, 2);
    assert_int_equal(find(d, s, "sql_query").items[0].seq, 2);
    step(d, "runs/r1", "{\"kind\":\"answer\"}", "because of the weekly report");
    assert_int_equal(find(d, s, "weekly").items[0].seq, 4);
}

static void what_is_no_text_is_found_by_its_name(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m;
    Draft draft = { .op = OP_PUT, .body = S("\xFF\xFEpear\x00") };
    desk_ok(d, memory_append(&d->m, S("memories/photo.bin"), NULL, &draft, &m, &d->e));
    assert_finds(d, s, "photo", "memories/photo.bin");
    assert_finds(d, s, "pear", "");
}

static void an_explanation_adds_up(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    put(d, "notes/pear", "a pear tree");
    put(d, "notes/other", "an apple tree");
    Hits h;
    SearchQuery q = { .text = S("pear trees"), .explain = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    const Hit *hit = &h.items[0];
    assert_text(hit->stream, "notes/pear");
    assert_int_equal(hit->terms_n, 2);
    assert_int_equal(hit->terms[0].name, 1);
    assert_int_equal(hit->terms[0].exact, 1);
    assert_int_equal(hit->terms[1].stem, 1);
    double product = hit->points * hit->coverage * hit->kind * hit->recency;
    assert_true(product > hit->score * 0.999 && product < hit->score * 1.001);
    double sum = hit->terms[0].points + hit->terms[1].points;
    assert_true(sum > hit->points * 0.999 && sum < hit->points * 1.001);
    AUTO_PTR(json_t) j = search_json(&h, true);
    assert_non_null(json_object_get(json_array_get(json_object_get(j, "hits"), 0), "explain"));
}

/* --- Forgetting -------------------------------------------------------------------------- */

static void an_older_version_is_not_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    put(d, "notes/a", "zebra");
    assert_finds(d, s, "zebra", "notes/a");
    put(d, "notes/a", "lion");
    assert_finds(d, s, "zebra", "");
    assert_finds(d, s, "lion", "notes/a");
}

static void deleted_text_is_not_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    put(d, "notes/a", "zebra");
    assert_finds(d, s, "zebra", "notes/a");
    drop(d, "notes/a");
    assert_finds(d, s, "zebra", "");
    put(d, "notes/a", "zebra again");
    assert_finds(d, s, "zebra", "notes/a");
}

/* Enough other text that pages and segments fill and move. */
static void fill(Desk *d, int from, int n)
{
    for (int i = from; i < from + n; i++)
        put(d, arena_printf(&d->a, "notes/fill%d", i % 40).p,
            arena_printf(&d->a, "filler%d common words and more of them %d %d", i, i * 7919,
                         i * 104729)
                .p);
}

static void purged_text_leaves_no_trace(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m;
    for (int i = 0; i < 8; i++) {
        const char *stream = arena_printf(&d->a, "notes/secret%d", i).p;
        const char *word = arena_printf(&d->a, "xylophonequartz%dkey", i).p;
        fill(d, i * 30, 15);
        put(d, stream, arena_printf(&d->a, "password %s here", word).p);
        assert_int_equal(find(d, s, "password").n, 1);
        fill(d, i * 30 + 15, 15);
        put(d, stream, "harmless"); /* the secret is history by now */
        assert_int_equal(find(d, s, "password").n, 0);
        desk_ok(d, store_purge(d->m.store, str(stream), NULL, S("ann"), &m, &d->e));
        assert_int_equal(find(d, s, word).n, 0);
        if (strcmp(d->engine, "mem"))
            assert_false(traced(d, "xylophonequartz"));
    }
}

static void redacted_text_leaves_no_trace(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    fill(d, 0, 20);
    put(d, "notes/a", "my secret is xylophonequartz");
    step(d, "runs/r", "", "the run says sphinxquartzite");
    step(d, "runs/r", "", "and goes on");
    assert_finds(d, s, "xylophonequartz", "notes/a");
    assert_finds(d, s, "sphinxquartzite", "runs/r");
    put(d, "notes/a", "my secret is gone");
    desk_ok(d, store_redact(d->m.store, S("notes/a"), NULL, 1, &d->e));
    desk_ok(d, store_redact(d->m.store, S("runs/r"), NULL, 1, &d->e));
    assert_finds(d, s, "xylophonequartz", "");
    assert_finds(d, s, "sphinxquartzite", "");
    assert_finds(d, s, "\"goes on\"", "runs/r");
    if (strcmp(d->engine, "mem") == 0)
        return;
    assert_false(traced(d, "xylophonequartz"));
    assert_false(traced(d, "sphinxquartzite"));
}

static void forgetting_clears_the_index_at_once(Desk *d)
{
    Mark m;
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        put(d, "notes/a", "my secret is xylophonequartz");
        step(d, "runs/r", "", "sphinxquartzite");
        step(d, "runs/r", "", "more");
        assert_int_equal(find(d, s, "xylophonequartz").n, 1);
    }
    bool file = strcmp(d->engine, "mem") != 0;
    assert_int_equal(file && traced(d, "xylophonequartz"), file);
    desk_ok(d, store_purge(d->m.store, S("notes/a"), NULL, S("ann"), &m, &d->e));
    desk_ok(d, search_forget(&d->m, S("notes/a"), &d->e));
    desk_ok(d, store_redact(d->m.store, S("runs/r"), NULL, 1, &d->e));
    step(d, "runs/r", "", "and on"); /* the head has moved since */
    desk_ok(d, search_forget(&d->m, S("runs/r"), &d->e));
    assert_false(file && traced(d, "xylophonequartz"));
    assert_false(file && traced(d, "sphinxquartzite"));
}

static void forgetting_makes_no_index(Desk *d)
{
    struct stat info;
    put(d, "notes/a", "pear");
    desk_ok(d, search_forget(&d->m, S("notes/a"), &d->e));
    if (strcmp(d->engine, "mem"))
        assert_int_not_equal(stat(index_path(d).p, &info), 0);
}

/* --- An index nobody can rely on --------------------------------------------------------- */

static void the_index_is_a_file_of_its_owner(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    struct stat info;
    mode_t old = umask(0);
    put(d, "notes/a", "pear");
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
    put(d, "notes/a", "pear tree");
    put(d, "notes/b", "pear");
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
    put(d, "notes/a", "pear");
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
    put(d, "notes/a", "pear");
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
    put(d, "notes/b", "pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "pear", "notes/b notes/a");
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
}

static void a_read_only_pad_is_searched_and_left_alone(Desk *d)
{
    put(d, "notes/a", "pear");
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
    put(d, "notes/a", "pear");
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
        put(d, arena_printf(&d->a, "notes/n%d", i).p,
            arena_printf(&d->a, "pear number %d of many pears, with some more words", i).p);
    Str want = truth(d, "pear");
    for (int i = 0; i < 40; i++) {
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
    put(d, "notes/a", "pear");
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
    put(d, "notes/a", "pear tree");
    put(d, "notes/b", "plum");
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
    put(d, "notes/a", "pear");
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
        DESK_TEST(a_hit_says_what_it_is_and_what_it_costs),
        DESK_TEST(words_phrases_beginnings_and_names_are_found),
        DESK_TEST(filters_leave_out_what_does_not_fit),
        DESK_TEST(bad_questions_are_refused),
        DESK_TEST(pages_follow_each_other_without_gap),
        DESK_TEST(a_run_is_found_by_its_records),
        DESK_TEST(what_is_no_text_is_found_by_its_name),
        DESK_TEST(an_explanation_adds_up),
        DESK_TEST(an_older_version_is_not_found),
        DESK_TEST(deleted_text_is_not_found),
        DESK_TEST(purged_text_leaves_no_trace),
        DESK_TEST(redacted_text_leaves_no_trace),
        DESK_TEST(forgetting_clears_the_index_at_once),
        DESK_TEST(forgetting_makes_no_index),
    };
    static const DeskTest lasting[] = {
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
    int failed = desk_run(tests, COUNT_OF(tests), false);
    return failed + desk_run(lasting, COUNT_OF(lasting), true);
}
