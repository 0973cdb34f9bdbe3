/* graph.c - a topological sort; what it cannot sort holds a cycle. */
#include "graph.h"

#include <stdlib.h>

static uint32_t node_of(Graph *g, const History *h, const Place *p)
{
    if (!g->numbers[p->worker])
        g->numbers[p->worker] = mem_alloc((h->logs[p->worker].n + 1) * sizeof(uint32_t));
    uint32_t *number = &g->numbers[p->worker][p->index];
    if (*number == 0) {
        if (g->node_n == g->node_cap) {
            g->node_cap = g->node_cap ? g->node_cap * 2 : 1024;
            g->nodes = mem_grow(g->nodes, g->node_cap * sizeof *g->nodes);
        }
        g->nodes[g->node_n++] = (GraphNode){ p->invoke_ns, p->answer_ns, p->worker, p->index };
        *number = (uint32_t)g->node_n;
    }
    return *number - 1;
}

static void add_edge(Graph *g, size_t from, size_t to)
{
    if (g->edge_n == g->edge_cap) {
        g->edge_cap = g->edge_cap ? g->edge_cap * 2 : 4096;
        g->edges = mem_grow(g->edges, g->edge_cap * sizeof *g->edges);
    }
    g->edges[g->edge_n++] = (GraphEdge){ (uint32_t)from, (uint32_t)to };
}

/* made s -> saw s (each) -> made s + 1, and made s -> made s + 1. */
void graph_add_stream(Graph *g, const History *h, const Place *places, size_t n)
{
    size_t seen_from = 0; /* those that saw the state since the last append */
    bool any_made = false;
    uint32_t made = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = node_of(g, h, &places[i]);
        if (any_made)
            add_edge(g, made, node);
        if (places[i].role != ROLE_MADE)
            continue;
        for (size_t k = seen_from; k < i; k++)
            add_edge(g, node_of(g, h, &places[k]), node);
        seen_from = i + 1;
        made = node;
        any_made = true;
    }
}

static int by_answer(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* How many of the sorted moments lie strictly before `at`. */
static size_t moments_before(const uint64_t *moments, size_t n, uint64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (moments[mid] < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Moments are the nodes behind the operations; returns how many there are. */
static size_t add_moments(Graph *g)
{
    size_t ops = g->node_n, n = 0;
    uint64_t *moments = mem_alloc((ops + 1) * sizeof *moments);
    for (size_t i = 0; i < ops; i++)
        if (g->nodes[i].answer_ns != UINT64_MAX)
            moments[n++] = g->nodes[i].answer_ns;
    qsort(moments, n, sizeof *moments, by_answer);
    for (size_t i = 0; i + 1 < n; i++)
        add_edge(g, ops + i, ops + i + 1);
    for (size_t i = 0; i < ops; i++) {
        if (g->nodes[i].answer_ns != UINT64_MAX)
            add_edge(g, i, ops + moments_before(moments, n, g->nodes[i].answer_ns));
        size_t ended = moments_before(moments, n, g->nodes[i].invoke_ns);
        if (ended > 0)
            add_edge(g, ops + ended - 1, i);
    }
    free(moments);
    return n;
}

/* The edges of each node, one after the other: those of i are to[from[i]] to to[from[i + 1]]. */
typedef struct Lists {
    size_t *from;
    uint32_t *to, *waiting; /* waiting: edges into a node from nodes not yet sorted */
} Lists;

static Lists make_lists(const Graph *g, size_t n)
{
    Lists l = { mem_alloc((n + 2) * sizeof *l.from), mem_alloc((g->edge_n + 1) * sizeof *l.to),
                mem_alloc((n + 1) * sizeof *l.waiting) };
    for (size_t i = 0; i < g->edge_n; i++) {
        l.from[g->edges[i].from + 2]++;
        l.waiting[g->edges[i].to]++;
    }
    for (size_t i = 0; i < n; i++)
        l.from[i + 2] += l.from[i + 1];
    for (size_t i = 0; i < g->edge_n; i++)
        l.to[l.from[g->edges[i].from + 1]++] = g->edges[i].to;
    return l;
}

/* Take away whatever nothing waits before; returns how many nodes are left. */
static size_t sort_nodes(Lists *l, size_t n)
{
    uint32_t *ready = mem_alloc((n + 1) * sizeof *ready);
    size_t done = 0, found = 0;
    for (size_t i = 0; i < n; i++)
        if (l->waiting[i] == 0)
            ready[found++] = (uint32_t)i;
    while (done < found) {
        uint32_t node = ready[done++];
        for (size_t k = l->from[node]; k < l->from[node + 1]; k++)
            if (--l->waiting[l->to[k]] == 0)
                ready[found++] = l->to[k];
    }
    free(ready);
    return n - done;
}

/* Every node that is left has a predecessor that is left.  So walking backwards among them
 * must come round, and then the nodes since the first visit are a cycle. */
static size_t walk_cycle(const Graph *g, const Lists *l, size_t n, Culprit *cycle, size_t max)
{
    uint32_t *before = mem_alloc((n + 1) * sizeof *before);
    bool *seen = mem_alloc((n + 1) * sizeof *seen);
    uint32_t at = 0;
    for (size_t i = 0; i < g->edge_n; i++)
        if (l->waiting[g->edges[i].from] && l->waiting[g->edges[i].to])
            before[at = g->edges[i].to] = g->edges[i].from;
    while (!seen[at]) {
        seen[at] = true;
        at = before[at];
    }
    size_t count = 0;
    uint32_t start = at;
    do {
        if (at < g->node_n && count < max)
            cycle[count++] = (Culprit){ g->nodes[at].worker, g->nodes[at].index };
        at = before[at];
    } while (at != start);
    for (size_t i = 0; i < count / 2; i++) {
        Culprit swap = cycle[i];
        cycle[i] = cycle[count - 1 - i];
        cycle[count - 1 - i] = swap;
    }
    free(before);
    free(seen);
    return count;
}

size_t graph_find_cycle(Graph *g, Culprit *cycle, size_t max)
{
    size_t n = g->node_n + add_moments(g), found = 0;
    Lists l = make_lists(g, n);
    if (sort_nodes(&l, n) > 0)
        found = walk_cycle(g, &l, n, cycle, max);
    free(l.from);
    free(l.to);
    free(l.waiting);
    return found;
}

void graph_done(Graph *g)
{
    free(g->nodes);
    free(g->edges);
    for (size_t i = 0; i < HISTORY_WORKERS_MAX; i++)
        free(g->numbers[i]);
    *g = (Graph){ 0 };
}
