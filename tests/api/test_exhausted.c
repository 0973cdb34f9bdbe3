/* test_exhausted.c - memory runs out anywhere in a call: a status, never the end of the program.
 *
 * malloc and its kin are replaced here, for this program and every library in it.  A child opens a
 * pad, does one deed, and at its Nth allocation there is no memory: once, or from then on until the
 * deed has returned.  The child must live; the deed must end with a status; nobody else may be
 * locked out; the same handle can be opened again, and reads what was acknowledged before; and
 * when all is freed no descriptor is left. */
#include "api/caller.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

/* Counts down to the allocation that fails; below 0: none does. */
static long left = -1;
static long seen;
static bool sticky;

static bool exhausted(void)
{
    seen++;
    if (left < 0)
        return false;
    if (left > 0) {
        left--;
        return left == 0;
    }
    return sticky;
}

/* Names are hidden by default; these must be seen by the libraries. */
#define SEEN __attribute__((visibility("default")))

SEEN void *malloc(size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_malloc(size);
}

SEEN void *calloc(size_t n, size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_calloc(n, size);
}

SEEN void *realloc(void *old, size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_realloc(old, size);
}

/* --- What is done ----------------------------------------------------------------------- */

static const char *run_id; /* of the run in the pad */
static const char *engine;
static char scratch[256]; /* a directory for what a deed writes outside the pad */

#define DEED(name) static jot_status name(jot_pad *p)

DEED(opens)
{
    jot_open_options o = { .size = sizeof o, .as = "ann", .language = "german" };
    char url[300];
    snprintf(url, sizeof url, "%s:%s/other", engine, scratch);
    return jot_open(p, url, &o);
}
DEED(tells_where)
{
    const jot_info *info;
    return jot_where(p, &info);
}
DEED(writes)
{
    return jot_doc_write(p, "plan", jot_str("ship on monday\n"), NULL, NULL);
}
DEED(writes_much)
{
    static char text[200 * 1000];
    memset(text, 'x', sizeof text);
    return jot_doc_write(p, "much", (jot_text){ text, sizeof text }, NULL, NULL);
}
DEED(conflicts)
{
    jot_write_options o = { .size = sizeof o, .if_version = "0123456789ab" };
    const jot_doc *now;
    return jot_doc_write(p, "plan", jot_str("no\n"), &o, &now);
}
DEED(appends)
{
    return jot_doc_append(p, "plan", jot_str("more\n"), NULL, NULL);
}
DEED(edits)
{
    return jot_doc_edit(p, "plan", jot_str("ship"), jot_str("ship"), NULL, NULL);
}
DEED(reads)
{
    const jot_doc *d;
    return jot_doc_read(p, "plan", NULL, &d);
}
DEED(lists)
{
    const jot_docs *d;
    return jot_doc_list(p, "", NULL, &d);
}
DEED(moves)
{
    (void)jot_doc_write(p, "from", jot_str("x\n"), NULL, NULL);
    return jot_doc_move(p, "from", "to", NULL);
}
DEED(looks_back)
{
    const jot_docs *d;
    const jot_diff *diff;
    const char *json;
    jot_status st = jot_doc_history(p, "plan", 0, 0, &d);
    st = st ? st : jot_doc_diff(p, "plan", NULL, NULL, &diff);
    return st ? st : jot_doc_blame_json(p, "plan", &json);
}
DEED(undoes)
{
    return jot_doc_undo(p, "plan", NULL, NULL);
}
DEED(watches)
{
    const jot_docs *c;
    return jot_watch(p, "", 0, &c);
}
DEED(forgets)
{
    jot_status st = jot_doc_write(p, "secret", jot_str("hidden words\n"), NULL, NULL);
    return st ? st : jot_doc_purge(p, "secret");
}
DEED(redacts_all)
{
    const jot_redacted *r;
    return jot_redact_all(p, jot_str("tuesday"), &r);
}
DEED(keeps_artifacts)
{
    const jot_artifact *a;
    const jot_artifacts *all;
    jot_status st = jot_artifact_write(p, "x", "y", jot_str("{\"a\": [1, 2]}"), NULL, &a);
    st = st ? st : jot_artifact_read(p, "x", "y", NULL, &a);
    return st ? st : jot_artifact_list(p, NULL, &all);
}
DEED(logs)
{
    return jot_line_log_append(p, "a", "b", jot_str("a line"), NULL, NULL);
}
DEED(begins_a_run)
{
    const char *id;
    return jot_run_begin(p, jot_str("why?"), NULL, &id);
}
DEED(goes_on_with_a_run)
{
    jot_status st = jot_run_say(p, run_id, JOT_STEP_THINKING, jot_str("hm"));
    st = st ? st : jot_run_call(p, run_id, "c9", "grep", NULL, NULL);
    return st ? st : jot_run_result(p, run_id, "c9", true, jot_str("found"), NULL);
}
DEED(looks_at_a_run)
{
    const jot_run *r;
    const jot_text *text;
    const jot_runs *all;
    jot_status st = jot_run_read(p, run_id, &r);
    st = st ? st : jot_run_final(p, run_id, &text);
    st = st ? st : jot_run_usage(p, run_id, 0, &text);
    return st ? st : jot_run_list(p, 0, &all);
}
DEED(makes_a_context)
{
    jot_context_options o = { .size = sizeof o, .run = run_id };
    const jot_shown *c;
    return jot_context(p, &o, &c);
}
DEED(cycles)
{
    const jot_cycle *c;
    jot_status st = jot_cycle_wake(p, NULL, NULL, &c);
    return st ? st : jot_cycle_fail(p, NULL, c->id, jot_str("enough"), jot_str(""), NULL);
}
DEED(looks_at_cycles)
{
    const jot_cycles *all;
    return jot_cycle_list(p, NULL, &all);
}
DEED(adds_a_task)
{
    const jot_task *t;
    static char id[32];
    snprintf(id, sizeof id, "t%ld", (long)getpid());
    return jot_task_add(p, id, NULL, &t);
}
DEED(orders_tasks)
{
    const jot_tasks *ready, *waiting;
    return jot_task_ready(p, &ready, &waiting);
}
DEED(leases)
{
    jot_lease_options o = { .size = sizeof o, .ttl_ms = 60000, .live = true };
    const jot_lease *l;
    jot_status st = jot_lease_acquire(p, "leased", &o, &l);
    return st ? st : jot_lease_release(p, l->token);
}
DEED(searches)
{
    const jot_hits *h;
    return jot_search(p, "ship monday", NULL, &h);
}
DEED(looks_for_evidence)
{
    const jot_evidence *v;
    return jot_search_evidence(p, "ship monday", 500, NULL, &v);
}
DEED(calls_tools)
{
    const jot_tool_reply *r;
    const char *json;
    jot_status st = jot_tools(p, NULL, &json);
    return st ? st : jot_tool_call(p, "scratchpad_read", "{\"key\":\"plan\"}", &r);
}
DEED(copies)
{
    const jot_report *r;
    char url[300];
    snprintf(url, sizeof url, "%s:%s/copy", engine, scratch);
    return jot_copy(p, url, &r);
}
DEED(copies_to_memory)
{
    const jot_report *r;
    return jot_copy(p, "mem:", &r);
}
DEED(exports)
{
    const jot_report *r;
    char path[300];
    snprintf(path, sizeof path, "%s/%ld.jotter", scratch, (long)getpid());
    return jot_export(p, path, NULL, &r);
}
DEED(verifies)
{
    const jot_verified *v;
    return jot_verify(p, &v);
}
DEED(collects)
{
    jot_gc_options o = { .size = sizeof o, .keep = 16 };
    const jot_gc_count *c;
    return jot_gc(p, &o, &c);
}

static const struct Deed {
    const char *name;
    jot_status (*act)(jot_pad *p);
} deeds[] = {
#define ROW(name)   \
    {               \
#name, name \
    }
    ROW(opens),
    ROW(tells_where),
    ROW(writes),
    ROW(writes_much),
    ROW(conflicts),
    ROW(appends),
    ROW(edits),
    ROW(reads),
    ROW(lists),
    ROW(moves),
    ROW(looks_back),
    ROW(undoes),
    ROW(watches),
    ROW(forgets),
    ROW(redacts_all),
    ROW(keeps_artifacts),
    ROW(logs),
    ROW(begins_a_run),
    ROW(goes_on_with_a_run),
    ROW(looks_at_a_run),
    ROW(makes_a_context),
    ROW(cycles),
    ROW(looks_at_cycles),
    ROW(adds_a_task),
    ROW(orders_tasks),
    ROW(leases),
    ROW(searches),
    ROW(looks_for_evidence),
    ROW(calls_tools),
    ROW(copies),
    ROW(copies_to_memory),
    ROW(exports),
    ROW(verifies),
    ROW(collects),
};

/* --- A child ---------------------------------------------------------------------------- */

enum { ENDED = 0, NO_STATUS = 10, NOT_OPENED, NOT_READ, LOCKED_OUT, LEFT_OPEN };

static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static jot_pad *opened(const Caller *c, const char *as)
{
    jot_open_options o = { .size = sizeof o, .as = as, .wait_ms = 2000 };
    jot_pad *p = jot_new();
    if (jot_open(p, c->url, &o) == JOT_OK)
        return p;
    fprintf(stderr, "%s\n", jot_error(p));
    _exit(NOT_OPENED);
}

/* Does the deed with the Nth allocation failing; *seen_out is how many there were. */
static int live_through(const Caller *c, const struct Deed *deed, long n, bool on, long *seen_out)
{
    int before = open_files();
    jot_pad *p = opened(c, "ann");
    const jot_doc *d;
    seen = 0;
    sticky = on;
    left = n;
    jot_status st = deed->act(p);
    left = -1;
    *seen_out = seen;
    if (st != JOT_OK && !jot_error(p)[0])
        return NO_STATUS;
    /* Somebody else is not locked out, though this handle has not been freed. */
    jot_pad *other = opened(c, "bob");
    jot_lease_options live = { .size = sizeof live, .live = true };
    if (jot_doc_write(other, "plan", jot_str("ship on tuesday\n"), NULL, NULL) != JOT_OK ||
        jot_lease_acquire(other, "bobs", &live, NULL) != JOT_OK) {
        fprintf(stderr, "%s\n", jot_error(other));
        return LOCKED_OUT;
    }
    jot_open_options o = { .size = sizeof o, .as = "ann" };
    if (jot_open(p, c->url, &o) != JOT_OK)
        return NOT_OPENED;
    if (jot_doc_read(p, "kept", NULL, &d) != JOT_OK || strcmp(d->text.data, "before\n") != 0)
        return NOT_READ;
    jot_free(other);
    jot_free(p);
    return open_files() == before ? ENDED : LEFT_OPEN;
}

/* How many allocations the deed made; fails the test if the child did not live. */
static long try_at(const Caller *c, const struct Deed *deed, long n, bool on)
{
    int told[2], ended = 0;
    long made = 0;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        alarm(120);
        int how = live_through(c, deed, n, on, &made);
        if (write(told[1], &made, sizeof made) != sizeof made)
            how = 1;
        _exit(how);
    }
    close(told[1]);
    if (read(told[0], &made, sizeof made) != sizeof made)
        made = -1;
    close(told[0]);
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != ENDED)
        fail_msg("%s, allocation %ld%s: %s %d", deed->name, n, on ? " and all later" : "",
                 WIFEXITED(ended) ? "ended with" : "killed by signal",
                 WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
    return made;
}

static void memory_that_runs_out_in_any_call_is_a_status(Caller *c)
{
    static char run_name[64];
    const char *volume = getenv("JOT_TEST_VOLUME"), *id;
    bool full = volume && strcmp(volume, "full") == 0;
    const jot_task *t;
    long tries = 0;
    engine = c->engine;
    snprintf(scratch, sizeof scratch, "%s", c->dir);
    ok(c->pad, jot_doc_write(c->pad, "kept", jot_str("before\n"), NULL, NULL));
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("ship on monday\n"), NULL, NULL));
    ok(c->pad, jot_run_begin(c->pad, jot_str("why?"), NULL, &id));
    snprintf(run_name, sizeof run_name, "%s", id);
    run_id = run_name;
    ok(c->pad, jot_cycle_init(c->pad, NULL, NULL, NULL));
    ok(c->pad, jot_task_add(c->pad, "t", NULL, &t));
    jot_free(c->pad); /* a child inherits no pad */
    c->pad = NULL;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        long made = try_at(c, &deeds[i], -1, false), n = 1;
        for (; n <= made; n = full || n < 12 ? n + 1 : n + n / 4) {
            try_at(c, &deeds[i], n, (n + (long)i) % 2);
            tries++;
        }
    }
    print_message("%s: memory ran out %ld times in %d deeds\n", engine, tries,
                  (int)(sizeof deeds / sizeof deeds[0]));
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(memory_that_runs_out_in_any_call_is_a_status),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
