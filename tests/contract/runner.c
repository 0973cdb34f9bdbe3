/* runner.c - the one table of promises, tried on an engine, and what is said about it.
 *
 * Each promise runs in a child process of its own (child.c); it must hold, and
 * leave no file open.  Output is TAP: one line a promise, "# " before what
 * explains it. */
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "contract.h"

static const Promise *const tables[] = {
    expect_promises,      guard_promises,   id_promises,       order_promises, read_promises,
    list_promises,        changes_promises, forget_promises,   body_promises,  limit_promises,
    many_promises,        name_promises,    verbatim_promises, place_promises, copy_promises,
    copy_forget_promises, open_promises,    hold_promises,     clock_promises,
};

/* --- Checking -------------------------------------------------------------------------- */

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

typedef struct Try {
    const Promise *promise;
    const Engine *engine;
} Try;

static void keep(void *ctx, const char *dir)
{
    const Try *t = ctx;
    int before = open_files();
    Trial *p = trial_new(t->engine, dir);
    t->promise->keep(p);
    trial_free(p);
    CHECK_NUM(open_files(), before);
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
        text[n] = (char)(name[n] == '_' ? ' ' : name[n]);
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
    char why[CHILD_WHY_MAX];
    result->promises++;
    if ((promise->lasting && !engine->lasting) || (promise->local && engine->server) ||
        (promise->holding && engine->timed)) {
        result->apart++;
        return;
    }
    Try each = { promise, engine };
    bool held = child_run(keep, &each, run->stay, why);
    *(held ? &result->held : &result->broken) += 1;
    tell(run, engine, result->promises, promise, held, why);
}

ContractResult contract_run(const char *engine, const ContractRun *run)
{
    const Engine *row = engine_find(engine);
    ContractResult result = { 0 };
    if (!row || !engine_present(row)) {
        result.missing = true;
        return result;
    }
    for (size_t t = 0; t < COUNT_OF(tables); t++)
        for (const Promise *promise = tables[t]; promise->name; promise++)
            if ((!run->promise || strcmp(run->promise, promise->name) == 0) &&
                !(run->first && result.broken))
                run_one(promise, row, run, &result);
    return result;
}
