/* tree.c - names in an array, and a hash that does not mind their order. */
#include "rig/tree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

uint64_t mix64(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xFF51AFD7ED558CCDu;
    h = (h ^ (h >> 32)) * 0xC4CEB9FE1A85EC53u;
    return h ^ (h >> 29);
}

uint64_t bytes_hash(Str s)
{
    /* Four lanes, so that the multiplications of one block do not wait for each other. */
    uint64_t lane[4] = { s.n + 1, 0x243F6A8885A308D3u, 0x13198A2E03707344u, 0xA4093822299F31D0u };
    size_t i = 0;
    for (; i + 32 <= s.n; i += 32)
        for (size_t j = 0; j < 4; j++) {
            uint64_t word;
            memcpy(&word, s.p + i + 8 * j, 8);
            lane[j] = (lane[j] ^ word) * 0x9FB21C651E98DF25u;
            lane[j] ^= lane[j] >> 35;
        }
    for (; i < s.n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, s.p + i, s.n - i < 8 ? s.n - i : 8);
        lane[0] = mix64(lane[0], word);
    }
    uint64_t h = mix64(mix64(lane[0], lane[1]), mix64(lane[2], lane[3]));
    return h ? h : 1;
}

Name *tree_find(const Tree *t, int dir, uint64_t hash)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].dir == dir && t->items[i].hash == hash)
            return &t->items[i];
    return NULL;
}

static void remove_at(Tree *t, size_t i)
{
    t->items[i] = t->items[--t->n];
}

void tree_remove(Tree *t, int dir, uint64_t hash)
{
    Name *found = tree_find(t, dir, hash);
    if (found)
        remove_at(t, (size_t)(found - t->items));
}

static void reserve(Tree *t, size_t n)
{
    if (n <= t->cap)
        return;
    t->cap = n < 32 ? 32 : n * 2;
    t->items = mem_grow(t->items, t->cap * sizeof *t->items);
}

void tree_set(Tree *t, int dir, const char *text, uint64_t hash, int inode)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].inode == inode) {
            remove_at(t, i);
            break;
        }
    Name *found = tree_find(t, dir, hash);
    if (!found) {
        reserve(t, t->n + 1);
        found = &t->items[t->n++];
    }
    *found = (Name){ dir, inode, hash, text };
}

void tree_copy(Tree *to, const Tree *from)
{
    reserve(to, from->n);
    if (from->n)
        memcpy(to->items, from->items, from->n * sizeof *to->items);
    to->n = from->n;
}

void tree_free(Tree *t)
{
    free(t->items);
    *t = (Tree){ 0 };
}

static const Name *name_of(const Tree *t, int inode)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].inode == inode)
            return &t->items[i];
    return NULL;
}

void tree_path(const Tree *t, int inode, char *out, size_t size)
{
    assert(size > 2);
    const Name *chain[32];
    size_t depth = 0;
    out[0] = 0;
    for (; inode != TREE_ROOT; inode = chain[depth++]->dir) {
        const Name *found = depth < COUNT_OF(chain) ? name_of(t, inode) : NULL;
        if (!found) {
            snprintf(out, size, "?");
            return;
        }
        chain[depth] = found;
    }
    size_t used = 0;
    while (depth && used < size) {
        const Name *part = chain[--depth];
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "/" : "", part->text);
    }
}

/* Sums are used, so that the order in which names stand does not matter. */
static uint64_t dir_hash(const Image *image, int dir, uint64_t path)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < image->names.n; i++) {
        const Name *name = &image->names.items[i];
        if (name->dir != dir)
            continue;
        uint64_t here = mix64(path, name->hash);
        const Content *content = image->contents[name->inode];
        sum += content ? mix64(here, content->hash) : here + dir_hash(image, name->inode, here);
    }
    return sum;
}

uint64_t image_hash(const Image *image)
{
    uint64_t h = mix64(dir_hash(image, TREE_ROOT, 1), 1);
    return h ? h : 1;
}
