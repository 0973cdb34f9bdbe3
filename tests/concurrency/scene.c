/* scene.c - which streams there are, and the dice. */
#include "scene.h"

#include <assert.h>
#include <stdio.h>

static uint16_t add(Scene *s, StreamUse use, const char *fmt, unsigned number)
{
    assert(s->n < HISTORY_STREAMS_MAX);
    uint16_t i = (uint16_t)s->n++;
    s->streams[i].use = use;
    s->streams[i].guard = HISTORY_NO_STREAM;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(s->streams[i].name, sizeof s->streams[i].name, fmt, number);
#pragma GCC diagnostic pop
    return i;
}

void scene_full(Scene *out)
{
    *out = (Scene){ 0 };
    uint16_t a = add(out, USE_HOT, "notes/hot-%u", 1);
    uint16_t b = add(out, USE_HOT, "notes/hot-%u", 2);
    uint16_t log = add(out, USE_LOG, "runs/hot-%u", 3);
    uint16_t table = add(out, USE_TABLE, "leases/table-%u", 4);
    uint16_t left = add(out, USE_SKEW, "notes/skew-%u", 5);
    uint16_t right = add(out, USE_SKEW, "notes/skew-%u", 6);
    out->hot = out->n;
    out->streams[a].guard = out->streams[b].guard = out->streams[log].guard = table;
    out->streams[left].guard = right;
    out->streams[right].guard = left;
    for (unsigned i = 0; i < 16; i++)
        add(out, USE_COLD, "notes/cold-%u", i);
    for (unsigned i = 0; i < 8; i++)
        add(out, USE_COLD, "artifacts/cold/a%u", i);
    for (unsigned i = 0; i < 8; i++)
        add(out, USE_LOG, "logs/cold/l%u", i);
}

void scene_unguard(Scene *out)
{
    for (size_t i = 0; i < out->n; i++)
        out->streams[i].guard = HISTORY_NO_STREAM;
}

void scene_one(Scene *out, StreamUse use)
{
    *out = (Scene){ 0 };
    add(out, use, use == USE_LOG ? "runs/one-%u" : "notes/one-%u", 1);
    out->hot = 1;
}

uint64_t dice_next(Dice *d)
{
    uint64_t x = d->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

uint64_t dice_below(Dice *d, uint64_t n)
{
    assert(n > 0);
    return dice_next(d) % n;
}

bool dice_percent(Dice *d, unsigned percent)
{
    return dice_below(d, 100) < percent;
}

size_t dice_pick(Dice *d, const unsigned *weights, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    uint64_t at = dice_below(d, sum);
    size_t i = 0;
    while (at >= weights[i])
        at -= weights[i++];
    return i;
}
