/* kinds.c - counting by the first part of the name.
 *
 * Names come in byte order, so all of one kind come one after the other, and a count is begun when
 * the first part changes: no table is searched.  A pad of made-up names has at most KINDS_MAX of
 * them here; what is beyond is not counted. */
#include "memory/kinds.h"

#include <string.h>

void kinds_take(Kinds *k, const Listed *l, bool head)
{
    Str kind = str_slice(l->name, 0, str_find(l->name, '/'));
    if (head) {
        k->edited += l->mark.seq == 0;
        k->lost += l->mark.lost > 0;
    }
    /* Names come in order, so a kind is the last one or a new one. */
    bool known = k->n && str_eq(kind, str(k->items[k->n - 1].name));
    if (!known && (k->n == KINDS_MAX || kind.n >= KIND_NAME_MAX))
        return;
    if (!known)
        memcpy(k->items[k->n++].name, kind.p, kind.n);
    k->items[k->n - 1].n++;
}

typedef struct Counting {
    Kinds *out;
    bool heads;
} Counting;

static jot_status count(void *ctx, const Listed *l)
{
    const Counting *c = ctx;
    kinds_take(c->out, l, c->heads);
    return JOT_OK;
}

jot_status memory_kinds(Memory *m, ListWhich which, Kinds *out, Err *e)
{
    *out = (Kinds){ 0 };
    Counting c = { out, list_takes_heads(which) };
    /* Records that cannot be read are found by looking. */
    return c.heads ? memory_each(m, (Str){ 0 }, which, count, &c, e)
                   : memory_each_known(m, (Str){ 0 }, which, count, &c, e);
}

jot_status memory_count(Memory *m, Str prefix, uint64_t *out, Err *e)
{
    Kinds kinds = { 0 };
    Counting c = { &kinds, false };
    *out = 0;
    TRY(memory_each_known(m, prefix, LIST_LIVE_NAMES, count, &c, e));
    for (size_t i = 0; i < kinds.n; i++)
        *out += kinds.items[i].n;
    return JOT_OK;
}

uint64_t kinds_count(const Kinds *k, const char *kind)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->items[i].name, kind) == 0)
            return k->items[i].n;
    return 0;
}

void kinds_set(Kinds *k, const char *kind, uint64_t n)
{
    size_t at = 0;
    while (at < k->n && strcmp(k->items[at].name, kind) < 0)
        at++;
    bool known = at < k->n && strcmp(k->items[at].name, kind) == 0;
    if (!known && (n == 0 || k->n == KINDS_MAX))
        return;
    if (!known) {
        memmove(&k->items[at + 1], &k->items[at], (k->n - at) * sizeof k->items[0]);
        k->items[at] = (KindCount){ 0 };
        memcpy(k->items[at].name, kind, strlen(kind));
        k->n++;
    }
    k->items[at].n = n;
}

const char *kind_word(const char *kind)
{
    static const struct {
        const char *kind, *word;
    } words[] = {
        { "notes", "notes" },
        { "artifacts", "artifacts" },
        { "checkpoints", "checkpoints" },
        { "cycles", "states of agents" },
        { "graph", "entities and relations" },
        { "logs", "line logs" },
        { "memories", "memory files" },
        { "plans", "plans" },
        { "runs", "runs" },
        { "tasks", "tasks" },
        { "threads", "threads of frameworks" },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].kind, kind) == 0)
            return words[i].word;
    return NULL;
}
