/* graph.h - Graph, what must come before what when operations stand in two streams at once.
 *
 * Nodes are operations and moments.  Edges run along each stream, and from an operation to the
 * moment of its answer, along the moments, and from a moment to whatever began after it; so
 * real time costs three edges an operation instead of one for each pair. */
#ifndef CONCURRENCY_GRAPH_H
#define CONCURRENCY_GRAPH_H

#include "order.h"

typedef struct GraphEdge {
    uint32_t from, to;
} GraphEdge;

typedef struct GraphNode {
    uint64_t invoke_ns, answer_ns;
    uint32_t worker, index;
} GraphNode;

typedef struct Graph {
    GraphNode *nodes;
    size_t node_n, node_cap;
    GraphEdge *edges;
    size_t edge_n, edge_cap;
    uint32_t *numbers[HISTORY_WORKERS_MAX]; /* node of an entry, plus 1 */
} Graph;

/* Add the exact places of one stream, in the order of their positions. */
void graph_add_stream(Graph *g, const History *h, const Place *places, size_t n);

/* The operations of one cycle, at most `max` of them; 0 if there is none. */
size_t graph_find_cycle(Graph *g, Culprit *cycle, size_t max);
void graph_done(Graph *g);
DEFINE_AUTO(Graph, graph_done)

#endif
