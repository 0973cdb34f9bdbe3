/* runner.c - the one table of promises, tried on an engine, and what is said about it.
 *
 * Each promise runs in a child, in a directory the parent made and removes
 * whatever happens to the child.  The child reports through a pipe: nothing if
 * the promise held, a sentence if not.  A child that dies or takes too long is
 * a broken promise with a sentence of its own.
 *
 * Output is TAP: one line a promise, "# " before what explains it. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "contract.h"

/* A promise that takes this long hangs; the slowest one takes a second. */
enum { PROMISE_SECONDS = 120, WHY_MAX = 2048 };

static const Promise *const tables[] = {
    expect_promises, guard_promises,    id_promises,     order_promises, read_promises,
    list_promises,   changes_promises,  forget_promises, body_promises,  limit_promises,
    name_promises,   verbatim_promises, copy_promises,   open_promises,
};

/* Where fail_at() writes its sentence; -1: to stderr. */
static int why_fd = -1;

/* --- Checking -------------------------------------------------------------------------- */

void fail_at(const char *file, int line, const char *fmt, ...)
{
    char text[WHY_MAX];
    int n = snprintf(text, sizeof text, "%s:%d: ", file, line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    va_end(args);
    if (why_fd < 0)
        fprintf(stderr, "%s\n", text);
    else if (write(why_fd, text, strlen(text)) < 0)
        perror("contract");
    _exit(1);
}

void check_status(const char *file, int line, const char *what, jot_status got, jot_status want,
                  const Err *e)
{
    if (got != want)
        fail_at(file, line, "%s is %s and not %s%s%s", what, jot_status_name(got),
                jot_status_name(want), got == JOT_OK ? "" : ": ", got == JOT_OK ? "" : e->text);
}

void check_text(const char *file, int line, Str got, Str want)
{
    if (str_eq(got, want))
        return;
    size_t i = 0;
    while (i < got.n && i < want.n && got.p[i] == want.p[i])
        i++;
    size_t from = i > 40 ? i - 40 : 0;
    Shown a, b;
    fail_at(file, line, "texts of %zu and %zu bytes differ at byte %zu: '%s' and not '%s'", got.n,
            want.n, i, err_show(&a, str_from(got, from)), err_show(&b, str_from(want, from)));
}

/* The first thing in which two marks differ, or NULL. */
static const char *difference(const Mark *a, const Mark *b)
{
    if (a->seq != b->seq)
        return "seq";
    if (a->at_ms != b->at_ms)
        return "time";
    if (a->op != b->op)
        return "op";
    if (a->redacted != b->redacted)
        return "redaction";
    if (a->fence != b->fence)
        return "fence";
    if (a->size != b->size)
        return "size";
    if (!hash_eq(a->sha256, b->sha256))
        return "sha256";
    return hash_eq(a->chain, b->chain) ? NULL : "chain";
}

void check_mark(const char *file, int line, Mark got, Mark want)
{
    const char *what = difference(&got, &want);
    if (what)
        fail_at(file, line, "the %s differs: seq %llu at %lld and not seq %llu at %lld", what,
                (unsigned long long)got.seq, (long long)got.at_ms, (unsigned long long)want.seq,
                (long long)want.at_ms);
}

void check_record(const char *file, int line, Record got, Record want)
{
    check_mark(file, line, got.mark, want.mark);
    check_text(file, line, got.by, want.by);
    check_text(file, line, got.id, want.id);
    check_text(file, line, got.meta, want.meta);
    check_text(file, line, got.extra, want.extra);
    check_text(file, line, got.body, want.body);
}

/* --- One promise ----------------------------------------------------------------------- */

static int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static void keep(const Promise *promise, const Engine *engine, const char *dir)
{
    int before = open_files();
    Trial *p = trial_new(engine, dir);
    promise->keep(p);
    trial_free(p);
    CHECK_NUM(open_files(), before);
}

NO_RETURN static void keep_in_child(const Promise *promise, const Engine *engine, const char *dir,
                                    int fd)
{
    why_fd = fd;
    alarm(PROMISE_SECONDS);
    keep(promise, engine, dir);
    /* Not _exit: the leak check of a sanitizer runs at exit. */
    exit(0);
}

/* What the child has to say, until it ends. */
static void read_why(int fd, char *why)
{
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, why + n, WHY_MAX - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    why[n] = 0;
}

/* True if it held; otherwise `why` says what did not. */
static bool try_promise(const Promise *promise, const Engine *engine, char *why)
{
    char dir[64];
    dir_make(dir, sizeof dir);
    fflush(NULL);
    int ends[2];
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        close(ends[0]);
        keep_in_child(promise, engine, dir, ends[1]);
    }
    if (child < 0)
        FAIL("cannot start a child");
    close(ends[1]);
    read_why(ends[0], why);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    dir_remove(dir);
    if (WIFSIGNALED(status))
        snprintf(why, WHY_MAX, "it ended with signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) && !why[0])
        snprintf(why, WHY_MAX, "it ended with code %d", WEXITSTATUS(status));
    return status == 0;
}

static void stay_and_keep(const Promise *promise, const Engine *engine)
{
    char dir[64];
    dir_make(dir, sizeof dir);
    keep(promise, engine, dir);
    dir_remove(dir);
}

/* --- All of them ----------------------------------------------------------------------- */

bool contract_expects(const char *engine)
{
    Str rest = S(CONTRACT_EXPECTED " "), one;
    while (str_cut(&rest, ' ', &one))
        if (str_eq(one, str(engine)))
            return true;
    return false;
}

/* "a_guard_holds" as a sentence. */
static const char *sentence(const char *name)
{
    static char text[160];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof text; n++)
        text[n] = name[n] == '_' ? ' ' : name[n];
    text[n] = 0;
    return text;
}

static void tell(const ContractRun *run, const Engine *engine, int number, const Promise *promise,
                 bool held, const char *why)
{
    if (!held && run->failed)
        run->failed(run->ctx, promise->name, why);
    if (run->silent || (held && run->quiet))
        return;
    printf("%s %d - %s: %s\n", held ? "ok" : "not ok", number, engine->name,
           sentence(promise->name));
    if (!held)
        printf("# %s\n", why);
    fflush(stdout);
}

static void run_one(const Promise *promise, const Engine *engine, const ContractRun *run,
                    ContractResult *result)
{
    char why[WHY_MAX] = "";
    result->promises++;
    if (promise->lasting && !engine->lasting) {
        result->apart++;
        return;
    }
    bool held = true;
    if (run->stay)
        stay_and_keep(promise, engine);
    else
        held = try_promise(promise, engine, why);
    *(held ? &result->held : &result->broken) += 1;
    tell(run, engine, result->promises, promise, held, why);
}

ContractResult contract_run(const char *name, const ContractRun *run)
{
    const Engine *engine = engine_find(name);
    ContractResult result = { 0 };
    if (!engine || !engine_present(engine)) {
        result.missing = true;
        return result;
    }
    for (size_t t = 0; t < COUNT_OF(tables); t++)
        for (const Promise *promise = tables[t]; promise->name; promise++)
            if (!run->promise || strcmp(run->promise, promise->name) == 0)
                run_one(promise, engine, run, &result);
    return result;
}
