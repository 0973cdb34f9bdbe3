/* test_index.c - an index nobody can rely on: lost, damaged, held, killed or lying, it changes no
 * result. */
#include "memory/search/search.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/search_desk.h"
#include "rig/volume.h"

static void expect_private(void *ctx, const char *path)
{
    struct stat info;
    (void)ctx;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void the_index_is_a_directory_of_its_owner(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    struct stat info;
    mode_t old = umask(0);
    desk_put(d, "notes/a", "pear");
    assert_finds(d, s, "pear", "notes/a");
    umask(old);
    assert_int_equal(stat(index_path(d).p, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(each_index_file(d, expect_private, NULL), 3);
    const char *want = strcmp(d->engine, "files") == 0 ? "/pad/index.d" : "/pad.db.index";
    assert_true(str_ends(index_path(d), str(want)));
}

static void write_file(const char *path, Str bytes)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), bytes.n);
}

static void remove_it(void *ctx, const char *path)
{
    (void)ctx;
    assert_int_equal(unlink(path), 0);
}

static void write_junk(void *ctx, const char *path)
{
    (void)ctx;
    write_file(path, S("this is no index, only some text that lies in its place"));
}

static void write_nothing(void *ctx, const char *path)
{
    (void)ctx;
    write_file(path, (Str){ 0 });
}

static void cut_in_half(void *ctx, const char *path)
{
    struct stat info;
    (void)ctx;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
}

static void flip_bytes(void *ctx, const char *path)
{
    struct stat info;
    AUTO(Fd) fd = open(path, O_RDWR);
    (void)ctx;
    assert_int_equal(fstat(fd, &info), 0);
    for (off_t at = 0; at < info.st_size; at += 97) {
        char c = 0;
        assert_int_equal(pread(fd, &c, 1, at), 1);
        c = (char)~c;
        assert_int_equal(pwrite(fd, &c, 1, at), 1);
    }
}

/* The words themselves are hit; the head of the file is whole. */
static void flip_words(void *ctx, const char *path)
{
    AUTO(Fd) fd = open(path, O_RDWR);
    char junk[16];
    (void)ctx;
    memset(junk, 0x5A, sizeof junk);
    if (str_ends(str(path), S(".seg")))
        assert_int_equal(pwrite(fd, junk, sizeof junk, 530), sizeof junk);
}

/* Whatever happens to the files, the answer stays the same. */
static void a_lost_or_damaged_index_changes_no_result(Desk *d)
{
    static void (*const ways[])(void *ctx, const char *path) = {
        remove_it, write_junk, write_nothing, cut_in_half, flip_bytes, flip_words,
    };
    desk_put(d, "notes/a", "pear tree");
    desk_put(d, "notes/b", "pear");
    for (size_t how = 0; how < COUNT_OF(ways); how++) {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear", "notes/b notes/a");
        assert_int_equal(each_index_file(d, ways[how], NULL), 3);
        assert_finds(d, s, "pear", "notes/b notes/a");
        AUTO_PTR(Search) fresh = begin(d, &d->m);
        assert_finds(d, fresh, "pear", "notes/b notes/a");
    }
}

/* The files of an index as they were, so that each damage finds the same ones: a search that meets
 * one makes them again, under other names. */
typedef struct SavedFile {
    Str path, bytes;
} SavedFile;

typedef struct Saved {
    Arena *into;
    SavedFile items[8];
    size_t n;
} Saved;

static void save_file(void *ctx, const char *path)
{
    Saved *s = ctx;
    struct stat info;
    AUTO(Fd) fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &info) == 0 && s->n < COUNT_OF(s->items));
    char *bytes = arena_alloc(s->into, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
    s->items[s->n++] =
        (SavedFile){ arena_copy(s->into, str(path)), { bytes, (size_t)info.st_size } };
}

static void put_back(Desk *d, const Saved *s)
{
    (void)each_index_file(d, remove_it, NULL);
    for (size_t i = 0; i < s->n; i++)
        write_file(s->items[i].path.p, s->items[i].bytes);
}

/* One file as it was but for one byte, or without what comes after it. */
static void damage(const SavedFile *f, size_t at, bool cut)
{
    AUTO(Buf) bytes = { 0 };
    buf_add(&bytes, cut ? str_slice(f->bytes, 0, at) : f->bytes);
    if (!cut)
        bytes.p[at] = (char)(bytes.p[at] ^ 0x10);
    write_file(f->path.p, buf_str(&bytes));
}

static void try_each_byte(Desk *d, bool cut)
{
    size_t step = volume_small() ? 101 : 29; /* each is a rebuild, and its syncs */
    desk_put(d, "notes/a", "pear tree");
    desk_put(d, "notes/b", "pear");
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear tree", "notes/a notes/b");
    }
    Saved saved = { .into = &d->a };
    (void)each_index_file(d, save_file, &saved);
    for (size_t i = 0; i < saved.n; i++)
        for (size_t at = 0; at < saved.items[i].bytes.n; at += step) {
            put_back(d, &saved);
            damage(&saved.items[i], at, cut);
            AUTO_PTR(Search) s = begin(d, &d->m);
            assert_finds(d, s, "pear tree", "notes/a notes/b");
        }
}

static void a_flipped_byte_changes_no_result(Desk *d)
{
    try_each_byte(d, false);
}

static void a_file_cut_anywhere_changes_no_result(Desk *d)
{
    try_each_byte(d, true);
}

/* A note with a name so long that six hundred of them fill several blocks of a segment, and so do
 * its words, which have endings. */
static void put_long_name(Desk *d, unsigned i, const char *text, unsigned versions)
{
    char name[256];
    size_t n = (size_t)snprintf(name, sizeof name, "notes/n%03u", i);
    for (uint64_t chance = i + 1; n < sizeof name - 1; n++) {
        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407U;
        name[n] = n % 84 == 0   ? '/'
                  : n % 84 > 80 ? "ing"[n % 84 - 81]
                                : (char)('a' + (chance >> 33) % 26);
    }
    name[n] = 0;
    for (unsigned v = 0; v < versions; v++) {
        Mark m;
        Draft draft = { .op = OP_PUT, .body = str(text), .at_ms = d->now_ms };
        desk_ok(d, memory_append(&d->m, str(name), NULL, &draft, &m, &d->e));
    }
}

/* Each block of each file of the index is damaged in turn. */
static void try_each_block(Desk *d, const SearchQuery *q)
{
    enum { BLOCK = 64 * 1024 };
    Str want;
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        want = names(d, s, q);
    }
    Saved saved = { .into = &d->a };
    (void)each_index_file(d, save_file, &saved);
    for (size_t i = 0; i < saved.n; i++)
        for (size_t at = 600; at < saved.items[i].bytes.n; at += BLOCK) {
            put_back(d, &saved);
            damage(&saved.items[i], at, false);
            AUTO_PTR(Search) s = begin(d, &d->m);
            assert_str(names(d, s, q), want);
        }
}

/* Of hits that are alike the names decide, and these are read when the hits are put in order: a
 * block may turn out to be damaged only then. */
static void a_block_that_is_damaged_below_equal_hits_changes_no_result(Desk *d)
{
    enum { NOTES = 600, OFTEN = 20 };
    if (strcmp(d->engine, "sqlite"))
        return;
    for (unsigned i = 0; i < NOTES; i++)
        put_long_name(d, i, "pear", i < OFTEN ? 3 : 1);
    try_each_block(d, &(SearchQuery){ .text = S("pear"), .limit = 10 });
}

/* What the only hit is called is read after all else. */
static void a_block_that_is_damaged_below_the_only_hit_changes_no_result(Desk *d)
{
    enum { NOTES = 600, ONLY = 150 };
    if (strcmp(d->engine, "sqlite"))
        return;
    for (unsigned i = 0; i < NOTES; i++)
        put_long_name(d, i, i == ONLY ? "plum" : "pear", 1);
    try_each_block(d, &(SearchQuery){ .text = S("plum") });
}

static void a_file_in_its_place_is_replaced(Desk *d)
{
    Str path = index_path(d);
    desk_put(d, "notes/a", "pear");
    write_file(path.p, S("an index of another version"));
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "pear", "notes/a");
    assert_int_equal(each_index_file(d, NULL, NULL), 3);
}

/* A directory that was copied by hand brings another pad's index along. */
static void an_index_of_another_pad_is_not_used(Desk *d)
{
    AUTO(Arena) a = { 0 };
    desk_put(d, "notes/a", "pear");
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "pear", "notes/a");
    }
    Memory other = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("eve"), .create = true };
    Str url = strcmp(d->engine, "files") == 0 ? arena_printf(&a, "files:%s/other", d->dir)
                                              : arena_printf(&a, "sqlite:%s/other.db", d->dir);
    desk_ok(d, memory_open(&other, url, &o, &d->e));
    Mark m;
    Draft draft = { .op = OP_PUT, .body = S("plum") };
    desk_ok(d, memory_append(&other, S("notes/b"), NULL, &draft, &m, &d->e));
    Str theirs;
    desk_ok(d, store_index_path(other.store, &a, &theirs, &d->e));
    assert_int_equal(rename(index_path(d).p, theirs.p), 0);
    {
        AUTO_PTR(Search) s = begin(d, &other);
        assert_finds(d, s, "pear", "");
        assert_finds(d, s, "plum", "notes/b");
    }
    memory_close(&other);
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
    AUTO(Arena) a = { 0 };
    AUTO(Fd) lock = open(arena_printf(&a, "%s/lock", index_path(d).p).p, O_RDWR);
    struct flock whole = { .l_type = F_WRLCK, .l_len = 1 };
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &whole), 0);
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < 100; i++)
        desk_put(d, arena_printf(&a, "notes/n%d", i).p, "plum");
    desk_put(d, "notes/b", "pear");
    assert_finds(d, s, "pear", "notes/b notes/a");
    assert_int_equal(find(d, s, "plum").n, 10);
    desk_expect(d, JOT_UNAVAILABLE, search_forget(&d->m, &S("notes/a"), 1, &d->e));
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
    static void (*const ways[])(void *ctx, const char *path) = { flip_words, cut_in_half };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        (void)each_index_file(d, ways[i], NULL);
        told = 0;
        desk_ok(d, search_verify(s, note_problem, &told, &c, &d->e));
        assert_true(told > 0 || i == 1); /* a manifest that is cut is none: all is read again */
        desk_ok(d, search_rebuild(s, &d->e));
        told = 0;
        desk_ok(d, search_verify(s, note_problem, &told, &c, &d->e));
        assert_int_equal(told, 0);
        assert_int_equal(c.rows, 3);
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

static void a_file_that_came_and_went_unrecorded_leaves_no_trace(Desk *d)
{
    if (strcmp(d->engine, "files"))
        return;
    AUTO(Arena) a = { 0 };
    const char *path = arena_printf(&a, "%s/pad/notes/gone.txt", d->dir).p;
    desk_put(d, "notes/a", "pear");
    write_file(path, S("zebrafish"));
    desk_reopen(d);
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        assert_finds(d, s, "zebrafish", "notes/gone");
        desk_ok(d, search_rebuild(s, &d->e));
    }
    assert_true(traced(d, "zebrafish"));
    assert_int_equal(unlink(path), 0);
    desk_reopen(d);
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "zebrafish", "");
    assert_false(traced(d, "zebrafish"));
    assert_finds(d, s, "zebrafish", "");
    assert_finds(d, s, "pear", "notes/a");
}

/* Somebody puts an older copy in its place, or another directory, while a handle is open. */
static void a_directory_that_is_replaced_changes_no_result(Desk *d)
{
    AUTO(Arena) a = { 0 };
    desk_put(d, "notes/a", "pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_ok(d, search_rebuild(s, &d->e));
    const char *dir = index_path(d).p, *aside = arena_printf(&a, "%s/aside", d->dir).p;
    assert_int_equal(rename(dir, aside), 0);
    for (int i = 0; i < 100; i++)
        desk_put(d, arena_printf(&a, "notes/n%d", i).p, "pear and plum");
    desk_put(d, "notes/a", "quince");
    assert_finds(d, s, "quince", "notes/a");
    desk_ok(d, search_rebuild(s, &d->e));
    const char *newer = arena_printf(&a, "%s/newer", d->dir).p;
    assert_int_equal(rename(dir, newer), 0);
    assert_int_equal(rename(aside, dir), 0); /* it has notes/a as it was */
    assert_finds(d, s, "quince", "notes/a");
    AUTO_PTR(Search) other = begin(d, &d->m);
    assert_finds(d, other, "quince", "notes/a");
    assert_str(names(d, s, &(SearchQuery){ .text = S("pear"), .limit = 100 }), truth(d, "pear"));
    assert_str(names(d, other, &(SearchQuery){ .text = S("pear"), .limit = 100 }),
               truth(d, "pear"));
}

/* An open database needs none for a search; the files of the index do. */
static void without_a_descriptor_left_the_same_is_found(Desk *d)
{
    if (strcmp(d->engine, "sqlite"))
        return;
    struct rlimit limit, none;
    for (int i = 0; i < 80; i++)
        desk_put(d, arena_printf(&d->a, "notes/n%d", i).p, i % 2 ? "pear" : "plum");
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        desk_ok(d, search_rebuild(s, &d->e));
    }
    Str want = truth(d, "pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    AUTO(Fd) last = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = (rlim_t)last + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    Str found = names(d, s, &(SearchQuery){ .text = S("pear"), .limit = 100 });
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_str(found, want);
    assert_str(names(d, s, &(SearchQuery){ .text = S("pear"), .limit = 100 }), want);
}

/* A handle that stays open, as a server's does. */
static void a_persons_edit_beside_an_open_handle_is_found_within_two_seconds(Desk *d)
{
    if (strcmp(d->engine, "files"))
        return;
    AUTO(Arena) a = { 0 };
    desk_put(d, "notes/a", "pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, "pear", "notes/a");
    write_file(arena_printf(&a, "%s/pad/notes/a.txt", d->dir).p, S("quince"));
    write_file(arena_printf(&a, "%s/pad/notes/new.txt", d->dir).p, S("quince jam"));
    d->now_ms += 2000;
    usleep(2000 * 1000);
    assert_int_equal(find(d, s, "quince").n, 2);
    assert_finds(d, s, "pear", "");
}

static struct timespec manifest_time(Desk *d)
{
    struct stat info;
    assert_int_equal(stat(arena_printf(&d->a, "%s/manifest", index_path(d).p).p, &info), 0);
    return info.st_mtim;
}

/* What is only in memory every process that searches makes anew: that must be little. */
static void a_large_text_that_changed_is_in_the_files_after_one_search(Desk *d)
{
    AUTO(Buf) text = { 0 };
    for (int i = 0; text.n < (256 << 10); i++)
        buf_addf(&text, "word%d ", i);
    for (int large = 0; large < 2; large++) {
        AUTO_PTR(Search) s = begin(d, &d->m);
        desk_put(d, "notes/a", "pear");
        assert_finds(d, s, "pear", "notes/a");
        struct timespec before = manifest_time(d);
        Str body = large ? buf_str(&text) : S("word7");
        Draft draft = { .op = OP_PUT, .body = body };
        Mark m;
        desk_ok(d, memory_append(&d->m, S("notes/b"), NULL, &draft, &m, &d->e));
        assert_finds(d, s, "word7", "notes/b");
        struct timespec after = manifest_time(d);
        bool written = before.tv_sec != after.tv_sec || before.tv_nsec != after.tv_nsec;
        assert_int_equal(written, large);
        search_close(TAKE(s));
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_large_text_that_changed_is_in_the_files_after_one_search),
        DESK_TEST(the_index_is_a_directory_of_its_owner),
        DESK_TEST(a_lost_or_damaged_index_changes_no_result),
        DESK_TEST(a_flipped_byte_changes_no_result),
        DESK_TEST(a_file_cut_anywhere_changes_no_result),
        DESK_TEST(a_block_that_is_damaged_below_equal_hits_changes_no_result),
        DESK_TEST(a_block_that_is_damaged_below_the_only_hit_changes_no_result),
        DESK_TEST(a_file_in_its_place_is_replaced),
        DESK_TEST(an_index_of_another_pad_is_not_used),
        DESK_TEST(a_symlink_in_its_place_is_not_followed),
        DESK_TEST(an_index_somebody_holds_is_done_without),
        DESK_TEST(a_read_only_pad_is_searched_and_left_alone),
        DESK_TEST(another_handles_write_is_found_at_the_next_search),
        DESK_TEST(killing_the_indexer_changes_no_result),
        DESK_TEST(processes_that_search_and_write_at_once_find_their_own),
        DESK_TEST(verifying_tells_an_index_that_lies),
        DESK_TEST(a_persons_edit_is_found),
        DESK_TEST(a_file_that_came_and_went_unrecorded_leaves_no_trace),
        DESK_TEST(a_directory_that_is_replaced_changes_no_result),
        DESK_TEST(without_a_descriptor_left_the_same_is_found),
        DESK_TEST(a_persons_edit_beside_an_open_handle_is_found_within_two_seconds),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
