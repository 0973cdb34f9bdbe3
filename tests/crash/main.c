/* main.c - the crash rig as a program.
 *
 *   crash --engine files [--part power|kill|fault] [--workload W] [--share I/N]
 *         [--states N] [--quick] [--seed N] [--model M] [--state S] [--steps]
 *         [--lost boot|mount|untold]
 *
 * A violation is printed with the command that judges that one state again.
 * Ends with 0 if nothing is wrong, 1 if something is or the state that was asked
 * for does not exist, 2 if it was called wrongly.  Each part ends with a line of counters, which
 * tools/test-summary adds up over all engines and shares. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "rig/volume.h"
#include "toy.h"

enum { STATES_DEFAULT = 100000, STATES_SMALL = 20, STATES_QUICK = 1500 };

static int usage(void)
{
    fprintf(stderr, "usage: crash --engine files|placed|sqlite|toy[:BUG] [--part power|kill|fault] "
                    "[--workload W] [--share I/N]\n"
                    "             [--states N] [--quick] [--seed N] [--model ordered|weak|kill] "
                    "[--state S] [--steps] [--lost boot|mount|untold]\n");
    return 2;
}

static bool number(const char *text, size_t *out)
{
    uint64_t value;
    if (!text || !str_to_u64(str(text), UINT32_MAX, &value))
        return false;
    *out = value;
    return true;
}

static bool parse_share(const char *text, Options *o)
{
    Str rest = str(text), share;
    uint64_t a, b;
    if (!str_cut(&rest, '/', &share) || !str_to_u64(share, 100, &a) || !str_to_u64(rest, 100, &b))
        return false;
    o->share = a;
    o->shares = b;
    return b > a;
}

static bool parse_lost(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(test_lost_names); i++)
        if (strcmp(text, test_lost_names[i]) == 0) {
            test_lost = (TestLost)i;
            return true;
        }
    return false;
}

static bool parse_one(const char *name, const char *value, Options *o)
{
    const struct {
        const char *name, **text;
        size_t *number;
    } known[] = { { "--engine", &o->engine, NULL },     { "--part", &o->part, NULL },
                  { "--workload", &o->workload, NULL }, { "--model", &o->model, NULL },
                  { "--state", &o->only, NULL },        { "--states", NULL, &o->states } };
    if (strcmp(name, "--share") == 0)
        return value && parse_share(value, o);
    if (strcmp(name, "--lost") == 0)
        return value && parse_lost(value);
    if (strcmp(name, "--seed") == 0)
        return value && str_to_u64(str(value), UINT64_MAX, &o->seed);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (strcmp(name, known[i].name) != 0)
            continue;
        if (known[i].text)
            *known[i].text = value;
        return known[i].text ? value != NULL : number(value, known[i].number);
    }
    return false;
}

static bool parse(int argc, char **argv, Options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0 || strcmp(argv[i], "--steps") == 0) {
            o->quick = o->quick || argv[i][2] == 'q';
            o->steps = o->steps || argv[i][2] == 's';
            continue;
        }
        if (!parse_one(argv[i], argv[i + 1], o))
            return false;
        i++;
    }
    if (!o->states)
        o->states = o->quick ? STATES_QUICK : STATES_DEFAULT;
    if (volume_small()) {
        o->quick = true;
        o->states = o->states > STATES_SMALL ? STATES_SMALL : o->states;
    }
    return o->engine && (!o->workload || workload_find(o->workload));
}

/* "toy:no-sync" is the toy store with that bug. */
static bool choose_target(const char *name, Target *out)
{
    const Target *found = target_find(name);
    if (found)
        *out = *found;
    for (int bug = 0; !found && bug < TOY_BUGS; bug++) {
        char toy[60];
        snprintf(toy, sizeof toy, "toy:%s", toy_bugs[bug]);
        if (strcmp(name, toy) == 0 || (bug == 0 && strcmp(name, "toy") == 0)) {
            *out = toy_target((ToyBug)bug);
            return true;
        }
    }
    return found != NULL;
}

typedef struct Part {
    const char *name;
    void (*run)(Bench *b, const Workload *w);
} Part;

static const Part parts[] = { { "power", power_run },
                              { "kill", kill_run },
                              { "fault", fault_run } };

/* Each unit has a name of its own: lines are added up by them. */
static void say_totals(const char *part, const char *engine, const Totals *t)
{
    printf("crash %s: ", engine);
    if (strcmp(part, "kill") == 0)
        printf("%llu kills, %llu kills of a recovery, ", (unsigned long long)t->kills,
               (unsigned long long)t->kills_again);
    else if (strcmp(part, "fault") == 0)
        printf("%llu faults, %llu states after a failed sync, ", (unsigned long long)t->faults,
               (unsigned long long)t->states);
    else
        printf("%llu distinct states, %llu judged, %llu workloads, the largest %llu states, ",
               (unsigned long long)t->distinct, (unsigned long long)t->states,
               (unsigned long long)t->workloads, (unsigned long long)t->largest);
    printf("%llu violations\n", (unsigned long long)t->violations);
}

static bool run_part(const Part *part, const Options *o, const Target *t)
{
    Bench b;
    bench_init(&b, o, t);
    for (const Workload *w = workloads; w->name; w++) {
        uint64_t before = b.totals.distinct;
        if (!bench_wants(&b, w) || (w->only_power && part->run != power_run))
            continue;
        part->run(&b, w);
        uint64_t own = b.totals.distinct - before;
        b.totals.largest = own > b.totals.largest ? own : b.totals.largest;
        if (getenv("JOTTER_CRASH_VERBOSE"))
            printf("%s %s: %llu distinct\n", part->name, w->name, (unsigned long long)own);
    }
    alarm(0);
    bench_done(&b);
    say_totals(part->name, t->name, &b.totals);
    const Totals *sum = &b.totals;
    bool nothing = o->only && sum->states + sum->kills + sum->kills_again + sum->faults == 0;
    if (nothing && sum->violations == 0)
        fprintf(stderr, "crash: part %s has no state '%s': nothing was judged\n", part->name,
                o->only);
    return sum->violations == 0 && sum->workloads > 0 && !nothing;
}

int main(int argc, char **argv)
{
    Options o = { .shares = 1, .seed = 1 };
    Target target;
    /* Memory goes back and forth by the thousand; the system need not hear of it. */
    mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
    mallopt(M_MMAP_THRESHOLD, 256 * 1024 * 1024);
    const char *seed = getenv("JOT_TEST_SEED");
    if (seed && !str_to_u64(str(seed), UINT64_MAX, &o.seed))
        return usage();
    if (!parse(argc, argv, &o) || !choose_target(o.engine, &target))
        return usage();
    bool ok = true, any = false;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (o.part && strcmp(o.part, parts[i].name) != 0)
            continue;
        ok = run_part(&parts[i], &o, &target) && ok;
        any = true;
    }
    if (!any)
        return usage();
    return ok ? 0 : 1;
}
