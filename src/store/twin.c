/* twin.c - keys of notes that differ only in case: `Plan` and `plan`.
 *
 * On many file systems, and to many people, the two are one name, so the second is refused.  An
 * engine that keeps names in order finds a twin without going through all of them: it looks for the
 * least name that could be one, and what comes after that says which is the least that is left.
 *
 *     for `plan`     PLAN -> alpha     the next of the twins after `alpha` is
 *                    pLAN -> pad       the next after `pad`
 *                    plAN -> ...
 *
 * That takes about one step a letter. */
#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "store/engine.h"

enum { STEPS_MAX = 4 * STORE_NOTE_MAX };

Str store_caseless(Str name, Arena *into)
{
    AUTO(Buf) text = { 0 };
    fold_add_lower(&text, name);
    return arena_copy(into, buf_str(&text));
}

jot_status store_twin_taken(Err *e, Str stream, Str other)
{
    Shown shown, taken;
    return err_set(e, JOT_INVALID, "invalid key '%s': it differs only in case from '%s'",
                   err_show(&shown, str_from(stream, str_find(stream, '/') + 1)),
                   err_show(&taken, str_from(other, str_find(other, '/') + 1)));
}

/* The least twin that is not before a bound. */
typedef struct Least {
    Str name, bound;
    Buf twin;
} Least;

/* What follows in its least form. */
static void add_least(Least *l, size_t at)
{
    while (at < l->name.n) {
        uint32_t cases[FOLD_CASES];
        (void)fold_cases(utf8_next(l->name, &at), cases);
        utf8_add(&l->twin, cases[0]);
    }
}

/* l->twin is the beginning of the bound so far; false if nothing that continues it will do.
 * NOLINTNEXTLINE(misc-no-recursion): the length of a name */
static bool find_least(Least *l, size_t at)
{
    size_t made = l->twin.n, next = at;
    if (at == l->name.n)
        return made == l->bound.n;
    uint32_t cases[FOLD_CASES];
    size_t n = fold_cases(utf8_next(l->name, &next), cases);
    Str wanted = str_from(l->bound, made);
    for (size_t i = 0; i < n; i++) {
        l->twin.n = made;
        utf8_add(&l->twin, cases[i]);
        Str added = str_from(buf_str(&l->twin), made);
        Str same = str_slice(wanted, 0, added.n < wanted.n ? added.n : wanted.n);
        int order = str_cmp(added, same);
        if (order > 0) {
            add_least(l, next);
            return true;
        }
        if (order == 0 && find_least(l, next))
            return true;
    }
    return false;
}

static void least_done(Least *l)
{
    buf_free(&l->twin);
}
DEFINE_AUTO(Least, least_done)

jot_status store_find_twin(Str name, NextName *next, void *ctx, Arena *into, Str *out, Err *e)
{
    *out = (Str){ 0 };
    AUTO(Least) l = { .name = name, .bound = S("") };
    for (int i = 0; store_kind(name)->note && i < STEPS_MAX; i++) {
        Str there;
        l.twin.n = 0;
        if (!find_least(&l, 0))
            return JOT_OK;
        TRY(next(ctx, buf_str(&l.twin), into, &there, e));
        bool twin = str_eq(there, buf_str(&l.twin));
        if (twin && !str_eq(there, name))
            *out = there;
        if (there.n == 0 || out->n)
            return JOT_OK;
        l.bound = twin ? arena_printf(into, STR_FMT " ", STR_ARG(there)) : there;
    }
    return JOT_OK;
}
