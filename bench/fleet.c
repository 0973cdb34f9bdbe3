/* fleet.c - how one server carries a fleet: 1 to 256 agents on one pad, and the curve through them.
 *
 * An agent is a process with a handle of its own.  It does what agents do: mostly it writes to
 * streams of its own (a run's log), now and then to one that a team of eight shares, and reads.
 * Each size runs for a few seconds; what counts is operations a second, all agents together, and
 * how long the slowest hundredth takes.
 *
 * Through the points goes Gunther's universal scalability law:
 *
 *     X(N) = L N / (1 + S (N - 1) + K N (N - 1))
 *
 *     L  what one agent gets done alone
 *     S  contention: the share of the work that must be done one after the other
 *     K  coherence: what each pair of agents costs each other
 *
 * N / X(N), normalised, is a parabola in N - 1, so S and K are found by least squares.  The
 * greatest X is at N = sqrt((1 - S) / K).  The agents and the server share this machine's
 * processors: that is in S. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum {
    AGENTS_MAX = 256,
    SIZES = 9, /* 1, 2, 4 ... 256 */
    ROUNDS = 5,
    TEAM = 8,
    BYTES = 1024,
    SLOTS = 256, /* of the histogram: eight a power of two, from 16 us on */
};

/* What all agents share. */
typedef struct Yard {
    atomic_uint ready;
    atomic_bool go, stop;
    atomic_ullong done;
    atomic_ullong slow[SLOTS];
} Yard;

typedef struct Fleet {
    const char *scheme;
    char url[300];
    double seconds;
    Yard *yard;
} Fleet;

static size_t slot_of(double us)
{
    double at = us <= 16 ? 0 : 8 * log2(us / 16);
    return at >= SLOTS - 1 ? SLOTS - 1 : (size_t)at;
}

/* One operation in ten goes to what the team shares, one in five is a read. */
static void work_once(Store *s, uint64_t agent, uint64_t i, Text *text)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Mark m;
    bool shared = i % 10 == 9, reads = i % 5 == 0;
    Str own = arena_printf(&arena, "runs/agent%llu", (unsigned long long)agent);
    Str team = arena_printf(&arena, "runs/team%llu", (unsigned long long)(agent / TEAM));
    Draft d = { .op = OP_APPEND, .by = S("agent"), .body = text_next(text) };
    Record head = { 0 };
    jot_status st = reads && i ? store_head(s, own, HEAD_RECORD, &arena, &head, &e)
                               : store_append(s, shared ? team : own, NULL, &d, &m, &e);
    must_ok(st, &e, "an operation of an agent");
}

NO_RETURN static void live(const Fleet *f, uint64_t agent)
{
    Store *s = NULL;
    Err e = { 0 };
    Text text = text_new(BYTES);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    must_ok(store_open(&s, str(f->url), NULL, &e), &e, "open");
    work_once(s, agent, 0, &text);
    atomic_fetch_add(&f->yard->ready, 1);
    while (!atomic_load(&f->yard->go))
        usleep(1000);
    for (uint64_t i = 1; !atomic_load(&f->yard->stop); i++) {
        double begin = now_us();
        work_once(s, agent, i, &text);
        atomic_fetch_add(&f->yard->slow[slot_of(now_us() - begin)], 1);
        atomic_fetch_add(&f->yard->done, 1);
    }
    store_close(s);
    _exit(0);
}

static double hundredth_ms(const Yard *y)
{
    uint64_t all = atomic_load(&y->done), seen = 0;
    size_t i = SLOTS;
    while (i > 0 && seen * 100 <= all)
        seen += atomic_load(&y->slow[--i]);
    return 16 * pow(2, (double)(i + 1) / 8) / 1000;
}

/* Operations a second of so many agents. */
static double run_size(const Fleet *f, unsigned n, double *slow_ms)
{
    pid_t pids[AGENTS_MAX];
    memset(f->yard, 0, sizeof *f->yard);
    for (unsigned i = 0; i < n; i++) {
        pids[i] = fork();
        must(pids[i] >= 0, "fork");
        if (pids[i] == 0)
            live(f, i);
    }
    while (atomic_load(&f->yard->ready) < n) {
        must(waitpid(-1, NULL, WNOHANG) == 0, "an agent ended");
        usleep(1000);
    }
    double begin = now_us();
    atomic_store(&f->yard->go, true);
    usleep((useconds_t)(f->seconds * 1e6));
    uint64_t done = atomic_load(&f->yard->done);
    double took = (now_us() - begin) / 1e6;
    *slow_ms = hundredth_ms(f->yard);
    atomic_store(&f->yard->stop, true);
    for (unsigned i = 0; i < n; i++) {
        int status = 1;
        must(waitpid(pids[i], &status, 0) == pids[i] && status == 0, "an agent failed");
    }
    return (double)done / took;
}

/* --- The curve ------------------------------------------------------------------------- */

typedef struct Curve {
    double one, contention, coherence, fit;
} Curve;

static double curve_at(const Curve *c, double n)
{
    return c->one * n / (1 + c->contention * (n - 1) + c->coherence * n * (n - 1));
}

enum { TERMS = 3 };

/* Solve the normal equations of the first `terms` terms, by elimination. */
static void solve(double a[TERMS][TERMS + 1], size_t terms, double out[TERMS])
{
    for (size_t i = 0; i < terms; i++)
        for (size_t r = i + 1; r < terms; r++) {
            double by = a[r][i] / a[i][i];
            for (size_t k = i; k <= TERMS; k++)
                a[r][k] -= by * a[i][k];
        }
    for (size_t i = terms; i-- > 0;) {
        out[i] = a[i][TERMS];
        for (size_t k = i + 1; k < terms; k++)
            out[i] -= a[i][k] * out[k];
        out[i] /= a[i][i];
    }
}

/* Least squares of N / X(N) = 1/L + S/L (N - 1) + K/L N (N - 1); each point is weighted by its own
 * size, so that a relative error counts the same everywhere.  Neither S nor K may be below zero:
 * then the curve is drawn without. */
static Curve fit(const double *n, const double *x, size_t points)
{
    double found[TERMS] = { 0 };
    size_t terms = points < TERMS ? points : TERMS;
    for (bool good = false; !good; terms -= !good) {
        double a[TERMS][TERMS + 1] = { 0 };
        for (size_t i = 0; i < points; i++) {
            double term[TERMS] = { 1, n[i] - 1, n[i] * (n[i] - 1) }, y = n[i] / x[i];
            for (size_t r = 0; r < terms; r++) {
                for (size_t k = 0; k < terms; k++)
                    a[r][k] += term[r] * term[k] / (y * y);
                a[r][TERMS] += term[r] * y / (y * y);
            }
        }
        memset(found, 0, sizeof found);
        solve(a, terms, found);
        good = terms == 1 || found[terms - 1] >= 0;
    }
    Curve c = { 1 / found[0], fmax(found[1], 0) / found[0], found[2] / found[0], 0 };
    double mean = 0, off = 0, all = 0;
    for (size_t i = 0; i < points; i++)
        mean += log(x[i]) / (double)points;
    for (size_t i = 0; i < points; i++) {
        off += pow(log(x[i]) - log(curve_at(&c, n[i])), 2);
        all += pow(log(x[i]) - mean, 2);
    }
    c.fit = all > 0 ? 1 - off / all : 1;
    return c;
}

/* What it means: an agent waits for its model most of the time.  With one operation every ten
 * seconds ten thousand agents ask for a thousand a second. */
static void explain(const char *scheme, const Curve *c)
{
    double best = c->coherence > 0 ? sqrt((1 - c->contention) / c->coherence) : AGENTS_MAX;
    best = best < 1 || isnan(best) ? 1
           : best > AGENTS_MAX     ? AGENTS_MAX
                                   : best; /* as far as was looked */
    double most = curve_at(c, best);
    printf("%s: L = %.0f/s, S = %.4f, K = %.2g, R2 of the logarithms %.2f; the most is %.0f/s, by "
           "%.0f busy agents\n",
           scheme, c->one, c->contention, c->coherence, c->fit, most, best);
    printf("%s: an agent that does one operation every 10 s is 0.1/s; ten thousand of them are "
           "1,000/s, %.0f %% of the most;\n"
           "%s: so this machine carries %.0f such agents at two thirds of its most\n",
           scheme, 100 * 1000 / most, scheme, most * 2 / 3 / 0.1);
}

static void measure(const char *scheme, const char *variable, double seconds, unsigned top)
{
    const char *server = getenv(variable);
    double n[SIZES], x[SIZES], all[SIZES][ROUNDS], late[SIZES][ROUNDS];
    size_t points = 0;
    unsigned rounds = top < AGENTS_MAX ? 1 : ROUNDS;
    for (unsigned size = 1; size <= top; size *= 2)
        n[points++] = size;
    Fleet f = { .scheme = scheme, .seconds = seconds };
    if (!server) {
        printf("%s: no server; run it beside one (tests/rig/with-servers)\n", scheme);
        return;
    }
    snprintf(f.url, sizeof f.url, "%s%cpad=fleet", server, strchr(server, '?') ? '&' : '?');
    f.yard = mmap(NULL, sizeof *f.yard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(f.yard != MAP_FAILED, "mmap");
    Store *s = NULL;
    Err e = { 0 };
    must_ok(store_open(&s, str(f.url), &(StoreOptions){ .create = true }, &e), &e, "open");
    store_close(s);
    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i < points; i++)
            all[i][round] = run_size(&f, (unsigned)n[i], &late[i][round]);
    for (size_t i = 0; i < points; i++) {
        x[i] = median(all[i], rounds);
        printf(
            "fleet %-8s %3u agents  %8.0f operations/s  %6.1f each  slowest hundredth %7.1f ms\n",
            scheme, (unsigned)n[i], x[i], x[i] / n[i], median(late[i], rounds));
        fflush(stdout);
    }
    Curve c = fit(n, x, points);
    explain(scheme, &c);
    munmap(f.yard, sizeof *f.yard);
}

int main(int argc, char **argv)
{
    bool smoke = argc > 1 && strcmp(argv[1], "--smoke") == 0;
    double seconds = smoke ? 0.2 : 1;
    unsigned top = smoke ? 4 : AGENTS_MAX;
    printf("# agents and server share %ld processors; %d bytes a record; 7 of 10 operations append "
           "to an own stream,\n"
           "# 1 to one shared by %d, 2 read\n",
           sysconf(_SC_NPROCESSORS_ONLN), BYTES, TEAM);
    measure("postgres", "JOT_TEST_POSTGRES", seconds, top);
    measure("redis", "JOT_TEST_REDIS", seconds, top);
    return 0;
}
