/* desk.c - a worker's pad, opened by the first request that needs it. */
#include "mcp/session.h"
#include "memory/lease.h"

static jot_status open_for_tools(void *ctx, bool create, Memory **out, Err *e)
{
    return mcp_desk_open(ctx, create, out, e);
}

void mcp_desk_init(McpDesk *d, const McpOptions *o)
{
    *d = (McpDesk){ .o = o, .by = o->by };
    d->host = (ToolHost){
        .open = open_for_tools, .ctx = d, .profiles = o->profiles, .dialect = o->dialect
    };
}

void mcp_desk_done(McpDesk *d)
{
    memory_close(&d->memory);
}

void mcp_desk_serve(McpDesk *d, Str by, Interest *interest)
{
    d->by = d->memory.by = by;
    d->interest = d->memory.interest = interest;
}

jot_status mcp_desk_open(McpDesk *d, bool create, Memory **out, Err *e)
{
    if (!d->memory.store) {
        SafeFound found = { .path = d->o->found };
        MemoryOptions o = {
            .io = d->o->io, .by = d->by, .create = create, .found = d->o->found ? &found : NULL
        };
        TRY(memory_open(&d->memory, d->o->url, &o, e));
        d->memory.interest = d->interest;
        if (d->o->lease)
            lease_adopt(&d->memory, d->o->lease);
    }
    *out = &d->memory;
    return JOT_OK;
}
