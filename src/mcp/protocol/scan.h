/* scan.h - RpcScan, the members of a message's outermost object, found without reading it.
 *
 * A message that cannot be read still has to be answered, and an answer without the id of
 * its request is nobody's: over a pipe the client waits until it gives up.  So the bytes
 * are walked once more, by a reader that only knows strings and brackets.  It needs no
 * well-formed text, has no limit on depth, keeps nothing but a few bytes, and may be given
 * the text piece by piece, also if all of it would be too much to hold.
 *
 * What it finds is only good for refusing: nothing is done because of it. */
#ifndef MCP_PROTOCOL_SCAN_H
#define MCP_PROTOCOL_SCAN_H

#include "base/str.h"

enum {
    RPC_ID_MAX = 1024,  /* bytes of an id, quotes included */
    SCAN_NAME_MAX = 32, /* bytes kept of a member's name, quotes included */
};

typedef struct RpcScan {
    uint64_t at;    /* bytes walked over */
    uint64_t depth; /* brackets that are open */
    bool quoted, escaped;
    enum { SCAN_BEFORE = 0, SCAN_NAME, SCAN_VALUE, SCAN_OVER } phase;
    /* The member that ended last, or is being walked over. */
    uint64_t name_at, name_end, value_at, value_end;
    char name[SCAN_NAME_MAX], value[RPC_ID_MAX + 1]; /* as they are written, or their beginning */
    size_t name_n, value_n;
    /* The ids that were met. */
    char id[RPC_ID_MAX];
    size_t id_n;
    uint64_t id_at;
    bool ids, differ; /* there was one; there were two, and they differ */
} RpcScan;

/* The next byte; true if it ends a member. */
bool scan_step(RpcScan *s, char c);
void scan_add(RpcScan *s, Str bytes);
/* The id, as it is written, if there is one that can be answered with; else the empty Str. */
Str scan_id(const RpcScan *s);

/* Where an element of an array ends that begins at `at`: at the comma or the bracket after it, or
 * at the end of the text. */
size_t scan_element(Str text, size_t at);

#endif
