/* scratchpad_lease.c - have a note, or several, for oneself for a while.
 *
 * A lease lasts for its time and is known by its token, never by who asks: the
 * handle of a call may be another one each time.  So what a call takes it does
 * not keep, and a later write says the token. */
#include "memory/doc/note.h"
#include "memory/frame/frame.h"
#include "memory/lease.h"
#include "tool/reply.h"

enum { SECOND = 1000 };

static const char *const actions[] = { "acquire", "renew", "release", "list", NULL };

static void lease_line(Buf *to, const Lease *l, bool with_holder)
{
    buf_addf(to, "lease %llu on ", (unsigned long long)l->token);
    frame_name_add(to, l->on);
    buf_addf(to, "%s for %lld s", l->prefix ? "*" : "",
             (long long)(l->left_ms + SECOND - 1) / SECOND);
    if (with_holder) {
        buf_add(to, S(", held by "));
        frame_name_add(to, l->by);
    }
}

static void say(ToolCall *c, const Lease *l, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    lease_line(&text, l, false);
    reply_set(c, &text, out);
}

static jot_status acquire(ToolCall *c, ToolReply *out)
{
    LeaseAsk ask = { .prefix = arg_bool(c, "prefix"),
                     .ttl_ms = arg_number(c, "seconds", LEASE_TTL_MS / SECOND) * SECOND };
    Lease l;
    if (!arg_given(c, "key"))
        return err_set(c->e, JOT_INVALID, "acquire needs 'key'");
    TRY(note_resolve_agent(arg_text(c, "key"), c->into, &ask.on, c->e));
    TRY(lease_acquire(c->m, &ask, c->into, &l, c->e));
    lease_disown(c->m, l.token);
    say(c, &l, out);
    return JOT_OK;
}

static jot_status renew(ToolCall *c, uint64_t token, ToolReply *out)
{
    Lease l;
    TRY(lease_renew(c->m, token, arg_number(c, "seconds", 0) * SECOND, c->into, &l, c->e));
    lease_disown(c->m, token);
    say(c, &l, out);
    return JOT_OK;
}

static jot_status list(ToolCall *c, ToolReply *out)
{
    LeaseList all;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(lease_list(c->m, c->into, &all, c->e));
    for (bool fits = true; n < all.n && fits; n += fits) {
        AUTO(Buf) line = { 0 };
        lease_line(&line, &all.items[n], true);
        fits = lister_add(&l, buf_str(&line));
    }
    if (!all.n)
        buf_add(&l.text, S("(none)"));
    if (n < all.n)
        buf_addf(&l.text, "... and %zu more", all.n - n);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Str action = arg_text(c, "action");
    uint64_t token = (uint64_t)arg_number(c, "token", 0);
    if (str_eq(action, S("list")))
        return list(c, out);
    if (str_eq(action, S("acquire")))
        return acquire(c, out);
    if (!token)
        return err_set(c->e, JOT_INVALID, STR_FMT " needs 'token'", STR_ARG(action));
    if (str_eq(action, S("renew")))
        return renew(c, token, out);
    TRY(lease_release(c->m, token, c->e));
    out->text = arena_printf(c->into, "released lease %llu", (unsigned long long)token);
    return JOT_OK;
}

/* To renew or to release is the same twice. */
static bool of_a_lease_there_is(const json_t *args)
{
    return !str_eq(json_str(json_object_get(args, "action")), S("acquire"));
}

extern const Tool tool_scratchpad_lease;
const Tool tool_scratchpad_lease = {
    .name = "scratchpad_lease",
    .title = "Lease a note",
    .about = "Where several agents share notes: hold one exclusively for a while. acquire gives a "
             "token; pass it as lease in your writes, which are refused once it is lost. Leases "
             "bind only those who use them.",
    .effects = TOOL_WRITES,
    .params = PARAMS(
        { "action", PARAM_CHOICE, .choices = actions },
        { "key", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX },
        { "prefix", PARAM_BOOL, .about = "all keys that begin so", .optional = true },
        { "seconds", PARAM_NUMBER, .optional = true, .min = 1, .max = LEASE_TTL_MS_MAX / SECOND },
        { "token", PARAM_NUMBER, .optional = true, .min = 1 }),
    .makes_nothing = of_a_lease_there_is,
    .may_repeat = of_a_lease_there_is,
    .run = run,
};
