/* bench.c - the workbench: a pad in memory, and hands for everybody who reaches into it. */
#include "bench.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Boots of the machine, in turn. */
static const char *const boots[] = { "11111111111111111111111111111111",
                                     "22222222222222222222222222222222",
                                     "33333333333333333333333333333333",
                                     "44444444444444444444444444444444" };

/* --- The hook -------------------------------------------------------------------------- */

/* The path behind a descriptor, as far as the system tells. */
static void path_of_fd(int fd, char *to, size_t size)
{
    char link[48];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, to, size - 1);
    to[n < 0 ? 0 : n] = 0;
}

static bool springs(Trap *t, const IoCall *call)
{
    char path[512] = "";
    if (!t->set || (t->kind != IO_KINDS && t->kind != call->kind))
        return false;
    if (t->at && !call->name)
        path_of_fd(call->fd, path, sizeof path);
    const char *name = call->name ? call->name : path;
    bool here = !t->at || str_ends(str(name), str(t->at)) ||
                (call->name2 && str_ends(str(call->name2), str(t->at)));
    return here && t->skip-- <= 0;
}

static long before(void *ctx, IoCall *call)
{
    Bench *b = ctx;
    if (b->deaf)
        return 0;
    b->calls[call->kind]++;
    for (size_t i = 0; i < BENCH_TRAPS; i++) {
        Trap *t = &b->traps[i];
        if (!springs(t, call))
            continue;
        t->sprung++;
        t->set = t->stays;
        Trap now = *t; /* what it does may set another in its place */
        if (now.act) {
            b->deaf = true;
            now.act(b, call);
            b->deaf = false;
        }
        if (now.cut && now.cut < call->data.n)
            call->data.n = now.cut;
        if (now.answer)
            return now.answer;
    }
    return 0;
}

Trap *trap(Bench *b, Trap t)
{
    for (size_t i = 0; i < BENCH_TRAPS; i++) {
        if (b->traps[i].set)
            continue;
        t.set = true;
        b->traps[i] = t;
        return &b->traps[i];
    }
    fail_msg("no room for another trap");
    return NULL;
}

void traps_clear(Bench *b)
{
    memset(b->traps, 0, sizeof b->traps);
    memset(b->calls, 0, sizeof b->calls);
}

static void sleep_instead(void *ctx, int64_t us)
{
    Bench *b = ctx;
    if (b->asleep)
        b->asleep(b);
    else
        io_sleep_us(&io_system, us);
}

/* --- Opening --------------------------------------------------------------------------- */

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *d;
    while (dir && (d = readdir(dir)) != NULL) {
        char below[1400];
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, d->d_name);
        if (unlink(below) != 0 && (errno == EISDIR || errno == EPERM))
            remove_tree(below);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

int bench_empty(void **state)
{
    Bench *b = mem_alloc(sizeof *b);
    const char *tmp = getenv("TMPDIR");
    snprintf(b->dir, sizeof b->dir, "%s/jotter-files-XXXXXX", tmp && tmp[0] ? tmp : "/dev/shm");
    if (!mkdtemp(b->dir))
        return -1;
    snprintf(b->path, sizeof b->path, "%s/pad", b->dir);
    snprintf(b->url, sizeof b->url, "files:%s", b->path);
    b->held = -1;
    b->hook = (IoHook){ .before = before, .ctx = b };
    b->io = (Io){
        .hook = &b->hook, .sleep_us = sleep_instead, .boot_id = boots[0], .mount_id = "m1", .ctx = b
    };
    *state = b;
    return 0;
}

int bench_new(void **state)
{
    if (bench_empty(state) != 0)
        return -1;
    Bench *b = *state;
    b->s = open_pad(b, (StoreOptions){ .create = true });
    return b->s ? 0 : -1;
}

int bench_free(void **state)
{
    Bench *b = *state;
    store_close(b->s);
    if (b->held >= 0)
        close(b->held);
    arena_free(&b->arena);
    remove_tree(b->dir);
    free(b);
    return 0;
}

Store *open_pad(Bench *b, StoreOptions options)
{
    Store *s = NULL;
    options.io = &b->io;
    b->e = (Err){ 0 };
    return store_open(&s, str(b->url), &options, &b->e) == JOT_OK ? s : NULL;
}

void reopen(Bench *b)
{
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ 0 });
    if (!b->s)
        fail_msg("could not open the pad again: %s", b->e.text);
}

static void next_boot(Bench *b)
{
    size_t i = 0;
    while (i + 1 < COUNT_OF(boots) && b->io.boot_id != boots[i])
        i++;
    assert(i + 1 < COUNT_OF(boots));
    b->io.boot_id = boots[i + 1];
}

void reboot(Bench *b)
{
    next_boot(b);
    reopen(b);
}

void remount(Bench *b, const char *mount)
{
    b->io.mount_id = mount;
    reopen(b);
}

bool compared(Bench *b)
{
    Str said = arena_printf(&b->arena, "%s %s", b->io.boot_id, b->io.mount_id);
    return str_starts(bytes_of(b, "checked"), said);
}

void reboot_read_only(Bench *b)
{
    next_boot(b);
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .read_only = true });
    assert_non_null(b->s);
}

/* --- Through the store ----------------------------------------------------------------- */

static jot_status append(Bench *b, const char *stream, Expect x, Draft d, Mark *out)
{
    Mark ignored;
    b->e = (Err){ 0 };
    d.by = S("ann");
    return store_append(b->s, str(stream), &x, &d, out ? out : &ignored, &b->e);
}

jot_status try_put(Bench *b, const char *stream, Expect expect, const char *text, Mark *out)
{
    return append(b, stream, expect, (Draft){ .op = OP_PUT, .body = str(text) }, out);
}

jot_status try_entry(Bench *b, const char *stream, const char *text, Mark *out)
{
    return append(b, stream, ANYTHING, (Draft){ .op = OP_APPEND, .body = str(text) }, out);
}

jot_status try_delete(Bench *b, const char *stream, Mark *out)
{
    return append(b, stream, ANYTHING, (Draft){ .op = OP_DELETE }, out);
}

Mark put(Bench *b, const char *stream, const char *text)
{
    Mark m = { 0 };
    assert_ok(b, try_put(b, stream, ANYTHING, text, &m));
    return m;
}

Mark entry(Bench *b, const char *stream, const char *text)
{
    Mark m = { 0 };
    assert_ok(b, try_entry(b, stream, text, &m));
    return m;
}

Mark bury(Bench *b, const char *stream)
{
    Mark m = { 0 };
    assert_ok(b, try_delete(b, stream, &m));
    return m;
}

jot_status try_head(Bench *b, const char *stream, Record *out)
{
    b->e = (Err){ 0 };
    return store_head(b->s, str(stream), HEAD_RECORD, &b->arena, out, &b->e);
}

Record head(Bench *b, const char *stream)
{
    Record r = { 0 };
    assert_ok(b, try_head(b, stream, &r));
    return r;
}

Records records(Bench *b, const char *stream)
{
    Records r = { 0 };
    assert_ok(b,
              store_read(b->s, str(stream), (SeqRange){ 1, STORE_READ_MAX }, &b->arena, &r, &b->e));
    return r;
}

Listing listed(Bench *b, const char *prefix)
{
    Listing page = { 0 };
    assert_ok(b, store_list(b->s, &(ListQuery){ .prefix = str(prefix), .limit = STORE_LIST_MAX },
                            &b->arena, &page, &b->e));
    return page;
}

bool lists(Bench *b, const char *prefix, const char *name)
{
    Listing page = listed(b, prefix);
    for (size_t i = 0; i < page.n; i++)
        if (str_eq(page.items[i].name, str(name)))
            return true;
    return false;
}

Changes changes(Bench *b, const Cursor *cursor, int64_t wait_ms)
{
    Changes c = { 0 };
    assert_ok(b, store_changes(b->s, cursor, wait_ms, &b->arena, &c, &b->e));
    return c;
}

bool names(const Changes *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_eq(c->names[i], str(name)))
            return true;
    return false;
}

/* --- Past the store -------------------------------------------------------------------- */

char *full_path(Bench *b, const char *path)
{
    return arena_cstr(&b->arena, arena_printf(&b->arena, "%s/%s", b->path, path));
}

static void make_above(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void write_to(const char *path, int flags, Str bytes)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
}

void write_bytes(Bench *b, const char *path, Str bytes)
{
    char *full = full_path(b, path);
    make_above(full);
    write_to(full, O_TRUNC, bytes);
}

void person_writes(Bench *b, const char *path, const char *text)
{
    write_bytes(b, path, str(text));
}

void person_saves(Bench *b, const char *path, const char *text)
{
    char *full = full_path(b, path);
    make_above(full);
    char *beside = arena_cstr(&b->arena, arena_printf(&b->arena, "%s~", full));
    write_to(beside, O_EXCL, str(text));
    assert_int_equal(rename(beside, full), 0);
}

void person_removes(Bench *b, const char *path)
{
    assert_int_equal(unlink(full_path(b, path)), 0);
}

bool there(Bench *b, const char *path)
{
    struct stat info;
    return lstat(full_path(b, path), &info) == 0;
}

static Str whole_file(Bench *b, const char *full)
{
    struct stat info;
    AUTO(Fd) fd = open(full, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return (Str){ 0 };
    char *room = arena_alloc(&b->arena, (size_t)info.st_size + 1, 1);
    ssize_t n = io_read_all(&io_system, fd, room, (size_t)info.st_size, 0);
    return (Str){ room, n < 0 ? 0 : (size_t)n };
}

Str bytes_of(Bench *b, const char *path)
{
    return whole_file(b, full_path(b, path));
}

ino_t inode_of(Bench *b, const char *path)
{
    struct stat info = { 0 };
    assert_int_equal(lstat(full_path(b, path), &info), 0);
    return info.st_ino;
}

/* Call `each` for everything in a directory, in the order of the names. */
static void walk(const char *path, void (*each)(void *ctx, const char *path, const char *name),
                 void *ctx)
{
    struct dirent **found = NULL;
    int n = scandir(path, &found, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            char below[1400];
            snprintf(below, sizeof below, "%s/%s", path, name);
            each(ctx, below, name);
        }
        free(found[i]);
    }
    free(found);
}

static void count_plain(void *ctx, const char *path, const char *name)
{
    (void)path;
    *(int *)ctx += name[0] != '.';
}

int files_in(Bench *b, const char *path)
{
    int n = 0;
    walk(full_path(b, path), count_plain, &n);
    return n;
}

typedef struct Search {
    Bench *b;
    const char *text;
    int n;
    const char *first;
    Buf out;
} Search;

static void count_equal(void *ctx, const char *path, const char *name)
{
    Search *s = ctx;
    if (str_ends(str(name), S(".stream")))
        return;
    s->n += !s->text || str_eq(whole_file(s->b, path), str(s->text));
}

int quarantined(Bench *b, const char *text)
{
    Search s = { .b = b, .text = text };
    walk(full_path(b, "quarantine"), count_equal, &s);
    return s.n;
}

static void add_to_tree(void *ctx, const char *path, const char *name)
{
    Search *s = ctx;
    struct stat i;
    (void)name;
    assert_int_equal(lstat(path, &i), 0);
    buf_addf(&s->out, "%s %o %llu %lld %lld.%09ld %lld.%09ld ", path, i.st_mode,
             (unsigned long long)i.st_ino, (long long)i.st_size, (long long)i.st_mtim.tv_sec,
             i.st_mtim.tv_nsec, (long long)i.st_ctim.tv_sec, i.st_ctim.tv_nsec);
    buf_addf(&s->out, "%s\n", hash_hex(hash_of(whole_file(s->b, path))).text);
    if (S_ISDIR(i.st_mode))
        walk(path, add_to_tree, s);
}

Str tree_of(Bench *b, const char *path)
{
    Search s = { .b = b };
    walk(path, add_to_tree, &s);
    assert_true(buf_ok(&s.out));
    Str tree = arena_copy(&b->arena, buf_str(&s.out));
    buf_free(&s.out);
    return tree;
}

static void search_in(void *ctx, const char *path, const char *name)
{
    Search *s = ctx;
    struct stat i;
    (void)name;
    Str all = whole_file(s->b, path);
    if (all.n && memmem(all.p, all.n, s->text, strlen(s->text)))
        s->first = arena_cstr(&s->b->arena, str(path));
    if (lstat(path, &i) == 0 && S_ISDIR(i.st_mode))
        walk(path, search_in, s);
}

const char *find_text(Bench *b, const char *text)
{
    Search s = { .b = b, .text = text };
    walk(b->path, search_in, &s);
    return s.first;
}

int open_descriptors(void)
{
    int n = 0;
    walk("/proc/self/fd", count_plain, &n);
    return n;
}

/* --- Other processes ------------------------------------------------------------------- */

pid_t start_elsewhere(Bench *b, bool (*f)(Bench *b))
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        bool deaf = b->deaf;
        b->deaf = true;
        if (b->s) /* a handle does not survive a fork */
            b->s = open_pad(b, (StoreOptions){ 0 });
        b->deaf = deaf;
        _exit(f(b) ? 0 : 1);
    }
    return pid;
}

bool finish(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool elsewhere(Bench *b, bool (*f)(Bench *b))
{
    return finish(start_elsewhere(b, f));
}

void die_here(Bench *b, IoCall *call)
{
    (void)b;
    (void)call;
    kill(getpid(), SIGKILL);
}

void stop_here(Bench *b, IoCall *call)
{
    (void)b;
    (void)call;
    kill(getpid(), SIGSTOP);
}

void wait_until_stopped(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

void kill_it(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* --- Checks ---------------------------------------------------------------------------- */

void check_text(Str got, const char *want, const char *file, int line)
{
    if (str_eq(got, str(want)))
        return;
    print_error("got  (%zu bytes) '" STR_FMT "'\nwant (%zu bytes) '%s'\n", got.n, STR_ARG(got),
                strlen(want), want);
    _fail(file, line);
}

void check_status(jot_status got, jot_status want, const Err *e, const char *file, int line)
{
    if (got == want)
        return;
    print_error("got %s and not %s: %s\n", status_info(got)->name, status_info(want)->name,
                e->text);
    _fail(file, line);
}

void check_version(Bench *b, const char *stream, uint64_t seq, const char *by, const char *body,
                   const char *file, int line)
{
    Records all = records(b, stream);
    for (size_t i = 0; i < all.n; i++) {
        const Record *r = &all.items[i];
        if (r->mark.seq != seq)
            continue;
        bool op = r->mark.op == (body ? OP_PUT : OP_DELETE);
        if (op && str_eq(r->by, str(by)) && (!body || str_eq(r->body, str(body))))
            return;
        print_error("record %llu of %s is op %d by '" STR_FMT "': '" STR_FMT "'\n",
                    (unsigned long long)seq, stream, (int)r->mark.op, STR_ARG(r->by),
                    STR_ARG(r->body));
        _fail(file, line);
    }
    print_error("%s has no record %llu\n", stream, (unsigned long long)seq);
    _fail(file, line);
}
