/* act.c - one call of a tool: policy, tool, sink.
 *
 *     call --> policy --> tool --> sink --> reply
 *                |         |        |
 *                |         |        +- kept under the call's id; the context gets all of it,
 *                |         |           or its beginning and a handle
 *                |         +- it fails: a sentence for the model, and nothing is kept
 *                +- deny, or a person says no: a sentence, and nothing was done
 *
 * The sink's append is the deciding one: from then on the call has a result, and act_recall() gives
 * it.  What the tools of the pad answer is not put there: it is in the pad already, and a copy
 * would outlive a purge. */
#include "agent/tools/act.h"

#include <assert.h>
#include <string.h>

#include "agent/sandbox/plant.h"
#include "agent/sandbox/workdir.h"
#include "base/utf8.h"
#include "llm/schema.h"
#include "mcp/client/client.h"
#include "memory/frame/pointer.h"

enum { FOREIGN_MAX = ACT_SERVERS_MAX * MCP_CLIENT_TOOLS_MAX };

/* One a line, in the order they are listed. */
/* clang-format off */
extern const Tool act_echo;
extern const Tool act_calc;
extern const Tool act_read_file;
extern const Tool act_write_file;
extern const Tool act_shell;
extern const Tool act_http_get;

static const Tool *const own[] = {
    &act_echo,
    &act_calc,
    &act_read_file,
    &act_write_file,
    &act_shell,
    &act_http_get,
};
/* clang-format on */

struct Act {
    ActOptions o;
    Policy policy;
    Workdir workdir;
    ToolHost host;
    ConfineHow how; /* CONFINE_BEST: not yet known */
    McpClient *servers[ACT_SERVERS_MAX];
    size_t servers_n;
    const Tool **more; /* ends with NULL */
    Arena arena;
};

/* --- Opening --------------------------------------------------------------------------- */

static bool stop_server(void *ctx)
{
    return act_cancelled(ctx);
}

static bool name_taken(void *ctx, Str name)
{
    const Act *a = ctx;
    for (size_t i = 0; i < a->servers_n; i++)
        for (size_t k = 0; mcp_client_tool(a->servers[i], k); k++)
            if (str_eq(str(mcp_client_tool(a->servers[i], k)->name), name))
                return true;
    return false;
}

/* A model's provider refuses all tools for one whose schema it does not take. */
static bool can_be_offered(const Act *a, const McpClient *server, const Tool *t)
{
    Shown name;
    const char *why = schema_refused(t->schema);
    if (why && a->o.left_out)
        buf_addf(a->o.left_out, "the tool '%s' of the server '%s' is left out: its schema %s\n",
                 err_show(&name, str(t->title)), mcp_client_name(server), why);
    return !why;
}

jot_status act_open(Act **out, const ActOptions *o, Err *e)
{
    AUTO_PTR(Act) a = mem_alloc(sizeof *a);
    a->o = *o;
    if (o->policy)
        a->policy = *o->policy;
    TRY(workdir_open(&a->workdir, o->m->io, o->dir, o->pad, e));
    a->workdir.reads_beyond = policy_for_effect(&a->policy, POLICY_OUTSIDE) == POLICY_ALLOW;
    for (int row = 0; obeyed_name(row); row++)
        a->workdir.plants_allowed[row] = policy_allows_plant(&a->policy, obeyed_name(row));
    for (const char *const *command = o->servers; command && *command; command++) {
        McpClientOptions server = { .command = str(*command),
                                    .cancelled = stop_server,
                                    .taken = name_taken,
                                    .call_ms = a->o.server_ms,
                                    .ctx = a };
        if (a->servers_n == ACT_SERVERS_MAX)
            return err_set(e, JOT_TOO_BIG, "more than %d external servers: the limit",
                           ACT_SERVERS_MAX);
        TRY(mcp_client_open(&a->servers[a->servers_n], &server, e));
        a->servers_n++;
    }
    /* Our own tools first, then those of the servers. */
    size_t n = 0, max = COUNT_OF(own) + FOREIGN_MAX + 1;
    a->more = NEW_ARRAY(&a->arena, const Tool *, max);
    for (size_t i = 0; i < COUNT_OF(own) && !o->only_pad; i++)
        a->more[n++] = own[i];
    for (size_t i = 0; i < a->servers_n; i++)
        for (size_t k = 0; mcp_client_tool(a->servers[i], k); k++)
            if (can_be_offered(a, a->servers[i], mcp_client_tool(a->servers[i], k)))
                a->more[n++] = mcp_client_tool(a->servers[i], k);
    assert(n < max);      /* the list ends with NULL */
    a->o.left_out = NULL; /* it is the caller's again */
    a->host = (ToolHost){ .m = o->m,
                          .profiles = o->profiles ? o->profiles : TOOLS_SCRATCHPAD | TOOLS_PLANS,
                          .plan = o->plan,
                          .more = a->more,
                          .outside = a };
    TRY(policy_check(&a->policy, &a->host, e));
    *out = TAKE(a);
    return JOT_OK;
}

void act_close(Act *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->servers_n; i++)
        mcp_client_close(a->servers[i]);
    workdir_close(&a->workdir);
    arena_free(&a->arena);
    free(a);
}

Workdir *act_workdir(Act *a)
{
    return &a->workdir;
}

jot_status act_confinement(Act *a, ConfineHow *out, Err *e)
{
    if (a->how == CONFINE_BEST) {
        jot_status st = confine_best(&a->workdir, &a->how, e);
        if (st == JOT_UNSUPPORTED && a->o.unconfined)
            a->how = CONFINE_NOT;
        else
            TRY(st);
    }
    *out = a->how;
    return JOT_OK;
}

const Policy *act_policy(const Act *a)
{
    return &a->policy;
}

void act_set_plan(Act *a, Str plan)
{
    a->host.plan = plan;
}

bool act_cancelled(const Act *a)
{
    return a->o.cancelled && a->o.cancelled(a->o.ctx);
}

void act_report_planted(const Act *a, const PlantReport *r)
{
    for (size_t i = 0; a->o.planted && i < r->n; i++)
        a->o.planted(a->o.ctx, &r->at[i]);
}

/* --- The tools ------------------------------------------------------------------------- */

const Tool *act_tool_at(const Act *a, size_t i)
{
    return tool_host_at(&a->host, i);
}

const Tool *act_tool_find(const Act *a, Str name)
{
    return tool_host_find(&a->host, name);
}

bool act_mutates(const Act *a, const Call *call)
{
    const Tool *t = act_tool_find(a, call->tool);
    return t && tool_mutates(t, call->object);
}

/* --- Calling --------------------------------------------------------------------------- */

static void refuse(Reply *out, Arena *into, const char *fmt, const char *tool, Str effects)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, "'%s' is not allowed here (%.*s): ", tool, STR_ARG(effects));
    buf_add(&text, str(fmt));
    out->text = arena_copy(into, buf_str(&text));
    out->failed = out->refused = true;
    out->status = JOT_DENIED;
}

/* True if the call may be made; else *out says to the model why not. */
static bool may(Act *a, const Tool *t, const json_t *args, Arena *into, Reply *out)
{
    Str effects = policy_effect_names(policy_effects(t), into);
    PolicyAnswer answer = policy_for_tool(&a->policy, t);
    if (answer == POLICY_ALLOW)
        return true;
    if (answer == POLICY_DENY) {
        refuse(out, into, "the policy denies it; continue without it", t->name, effects);
        return false;
    }
    if (!a->o.ask) {
        refuse(out, into,
               "the user would have to be asked, and there is nobody to ask; continue without it, "
               "or say "
               "that it is needed",
               t->name, effects);
        return false;
    }
    ActSay said = a->o.ask(a->o.ctx, t, args);
    if (said == ACT_ALWAYS) {
        Err full; /* a policy without room for the rule asks again the next time */
        if (policy_add(&a->policy, POLICY_ALLOW, str(t->name), &full) != JOT_OK)
            said = ACT_YES;
    }
    if (said == ACT_NO)
        refuse(out, into, "the user was asked and said no; do not try it again", t->name, effects);
    if (said == ACT_TOO_LONG)
        refuse(out, into,
               "the user has to be asked, and the call is too long to be shown in full; shorten "
               "it, or "
               "split it",
               t->name, effects);
    if (said == ACT_STOPPED)
        *out = (Reply){ .failed = true,
                        .refused = true,
                        .status = JOT_DENIED,
                        .text = arena_printf(into,
                                             "'%s' was not run: the user was asked for it and "
                                             "stopped the work instead; make the call again if "
                                             "it is still needed",
                                             t->name) };
    return said == ACT_YES || said == ACT_ALWAYS;
}

static bool is_own(const Act *a, const Tool *t)
{
    for (const Tool *const *at = a->host.more; at && *at; at++)
        if (*at == t)
            return true;
    return false;
}

static jot_status keep(Act *a, const Call *call, Arena *into, Reply *out, Err *e)
{
    AUTO(Buf) args = { 0 };
    SinkView view;
    assert(call->id.n && !out->failed);
    if (call->object)
        json_write(&args, call->object);
    SinkPut put = { .call = call->id,
                    .tool = call->tool,
                    .arguments = buf_str(&args),
                    .result = out->text,
                    .inline_max = a->o.inline_max };
    TRY(sink_write(a->o.m, &put, into, &view, NULL, e));
    out->text = sink_text(&view, POINT_TOOLS | POINT_NOTES, into);
    out->spilled = view.spilled;
    return JOT_OK;
}

/* The reply to a call of a tool that is not there: which there are. */
static Reply unknown_tool(const Act *a, Str name, Arena *into)
{
    AUTO(Buf) text = { 0 };
    Shown shown;
    const Tool *t;
    buf_addf(&text, "[UNKNOWN TOOL] unknown tool '%s': there are ", err_show(&shown, name));
    for (size_t i = 0; (t = act_tool_at(a, i)); i++)
        buf_addf(&text, "%s%s", i ? ", " : "", t->name);
    return (Reply){ .text = arena_copy(into, buf_str(&text)),
                    .failed = true,
                    .unknown = true,
                    .status = JOT_NOT_FOUND };
}

jot_status act_call(Act *a, const Call *call, Arena *into, Reply *out, Err *e)
{
    const Tool *t = act_tool_find(a, call->tool);
    *out = (Reply){ 0 };
    if (!t)
        *out = unknown_tool(a, call->tool, into);
    if (!t || !may(a, t, call->object, into, out))
        return JOT_OK;
    AUTO(ToolReply) reply = { 0 };
    bool ours = is_own(a, t);
    assert(!out->refused && !out->unknown);
    a->host.budget = ours ? ACT_RESULT_MAX : TOOL_BUDGET;
    jot_status st = tool_call(&a->host, call->tool, call->object, into, &reply, e);
    if (st == JOT_INVALID)
        reply =
            (ToolReply){ .is_error = true, .status = st, .text = arena_copy(into, str(e->text)) };
    else
        TRY(st);
    if (reply.is_error && reply.status == JOT_CANCELLED)
        return err_set(e, JOT_CANCELLED, "'%s' was cancelled", t->name);
    out->text = reply.text.n ? reply.text : S("(nothing)");
    out->failed = reply.is_error;
    out->status = reply.status;
    return ours && !out->failed ? keep(a, call, into, out, e) : JOT_OK;
}

jot_status act_recall(Act *a, Str id, Arena *into, Reply *out, Err *e)
{
    SinkView view;
    *out = (Reply){ 0 };
    TRY(sink_view(a->o.m, id, a->o.inline_max, into, &view, e));
    out->text = sink_text(&view, POINT_TOOLS | POINT_NOTES, into);
    out->spilled = view.spilled;
    return JOT_OK;
}

/* --- For the tools --------------------------------------------------------------------- */

Str act_text(Arena *into, Str bytes, size_t *replaced)
{
    AUTO(Buf) text = { .max = 3 * (bytes.n + 1) };
    *replaced = utf8_mend(&text, bytes);
    return arena_copy(into, buf_str(&text));
}
