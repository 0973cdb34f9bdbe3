/* shrink.c - from a failing program to the few steps that matter.
 *
 * First everything behind the failure goes.  Then ever smaller stretches are
 * left out, down to single steps, as long as what remains still fails (delta
 * debugging).  Then each step is made simpler, field by field: 0 is the simplest
 * value of every field.  All of it again until nothing helps any more, or until
 * it has been tried often enough. */
#include <string.h>

#include "program.h"

enum { TRIES_MAX = 4000 };

typedef struct Shrink {
    Program best; /* fails */
    bool (*agrees)(const Program *, void *ctx);
    void *ctx;
    int tries;
} Shrink;

/* Take the candidate if it fails too. */
static bool try_program(Shrink *s, const Program *candidate)
{
    if (s->tries >= TRIES_MAX || candidate->n == 0)
        return false;
    s->tries++;
    if (s->agrees(candidate, s->ctx))
        return false;
    s->best = *candidate;
    return true;
}

static bool cut_behind_failure(Shrink *s)
{
    Program candidate = s->best;
    int failed = counters()->step;
    if (failed + 1 >= candidate.n)
        return false;
    candidate.n = failed + 1;
    return try_program(s, &candidate);
}

static bool leave_out(Shrink *s)
{
    bool helped = false;
    for (int size = s->best.n / 2; size >= 1; size /= 2)
        for (int at = 0; at < s->best.n;) {
            Program candidate = s->best;
            int n = size < candidate.n - at ? size : candidate.n - at;
            memmove(&candidate.steps[at], &candidate.steps[at + n],
                    (size_t)(candidate.n - at - n) * sizeof(Step));
            candidate.n -= n;
            if (try_program(s, &candidate))
                helped = true;
            else
                at += size;
        }
    return helped;
}

/* The i-th way to make a step simpler; false behind the last. */
static bool simplify(Step *step, int i)
{
    int *const numbers[] = {
        &step->handle, &step->guard,  &step->guard_shift, &step->meta,  &step->id,     &step->by,
        &step->fence,  &step->choice, &step->body,        &step->shift, &step->stream,
    };
    int fields = (int)COUNT_OF(numbers);
    if (i < fields)
        *numbers[i] = 0;
    else if (i == fields)
        step->expect = EXPECT_ANY;
    else if (i == fields + 1)
        step->op = OP_PUT;
    else if (i == fields + 2)
        step->n = step->n > 1 ? step->n - 1 : step->n;
    else
        return false;
    return true;
}

static bool make_simpler(Shrink *s)
{
    bool helped = false;
    for (int at = 0; at < s->best.n; at++)
        for (int way = 0;; way++) {
            Program candidate = s->best;
            if (!simplify(&candidate.steps[at], way))
                break;
            if (memcmp(&candidate.steps[at], &s->best.steps[at], sizeof(Step)) != 0)
                helped |= try_program(s, &candidate);
        }
    return helped;
}

Program program_shrink(const Program *program, bool (*agrees)(const Program *, void *ctx),
                       void *ctx)
{
    Shrink s = { .best = *program, .agrees = agrees, .ctx = ctx };
    if (!agrees(program, ctx)) /* so that the counters tell of this program */
        cut_behind_failure(&s);
    for (bool helped = true; helped;) {
        helped = leave_out(&s);
        helped |= make_simpler(&s);
    }
    return s.best;
}
