/* lease.c - the noun `lease`: hold a note or a prefix exclusively for a while.
 *
 * A command that takes a lease and ends cannot live with it, so what it takes lasts for its time;
 * the token is what the next command needs.  Agents have one tool for all of this, whose name
 * clients know (scratchpad_lease.c); `lease run` lives with its lease (cli/cmd_lease.c). */
#include "tool/lease.h"

#include "tool/verb.h"

enum { SECOND = 1000, WAIT_S_MAX = 24 * 3600 };

extern const Noun noun_lease;

/* clang-format off */
#define LEASE_FIELDS                                                                        \
    { "on", .type = PARAM_TEXT },                                                           \
    { "prefix", PARAM_BOOL, .about = "on every name that begins so" },                      \
    { "token", .type = PARAM_NUMBER },                                                      \
    { "by", .type = PARAM_TEXT },                                                           \
    { "ttl_ms", .type = PARAM_NUMBER },                                                     \
    { "left_ms", .type = PARAM_NUMBER },                                                    \
    { "left_s", PARAM_NUMBER, .about = "the same in seconds, rounded up" },                 \
    { "live", PARAM_BOOL, .about = "it ends with its process" },                            \
    { "free", PARAM_BOOL, .about = "by check: nobody holds it" }
static const Param lease_fields[] = { LEASE_FIELDS, { 0 } };

#define KEY { "key", .type = PARAM_TEXT, .place = 1, .word = "KEY|PREFIX/" }
#define PREFIX { "prefix", PARAM_BOOL, .optional = true, .help = "KEY is a prefix of keys" }
#define TOKEN { "token", PARAM_TEXT, .optional = true, .place = 1 }
#define TTL(words) { "ttl", PARAM_NUMBER, .optional = true, .min = 1, \
                     .max = LEASE_TTL_MS_MAX / SECOND, .word = "S", .help = words }
#define HELD "lease {token} on '{on}{prefix&*}' for {left_s} s"
/* clang-format on */

LeaseAsk lease_ask(Str name, bool prefix, Arena *into)
{
    bool whole = store_names_kind(name);
    return (LeaseAsk){ .on = whole ? name : arena_printf(into, "notes/" STR_FMT, STR_ARG(name)),
                       .prefix = prefix || str_ends(name, S("/")) };
}

static json_t *data_of(const Lease *l)
{
    json_t *out = lease_json(l);
    json_object_set_new(out, "left_s", json_integer((l->left_ms + SECOND - 1) / SECOND));
    return out;
}

/* The token that was said, else the one of --lease or $JOTTER_LEASE. */
static jot_status token_of(const ToolCall *c, uint64_t *out)
{
    *out = c->lease;
    if (!arg_given(c, "token") && !c->lease)
        return err_set(c->e, JOT_INVALID, "say which lease: its %s",
                       c->shell ? "token, --lease or $JOTTER_LEASE" : "'token'");
    return arg_given(c, "token") ? lease_read_token(arg_text(c, "token"), out, c->e) : JOT_OK;
}

static jot_status acquire(ToolCall *c, VerbData *out)
{
    LeaseAsk ask = lease_ask(arg_text(c, "key"), arg_bool(c, "prefix"), c->into);
    Lease l;
    ask.ttl_ms = arg_number(c, "ttl", LEASE_TTL_MS / SECOND) * SECOND;
    ask.wait_ms = arg_number(c, "wait", 0) * SECOND;
    jot_status st = lease_acquire(c->m, &ask, c->into, &l, c->e);
    if (st == JOT_OK || st == JOT_LEASED)
        out->json = data_of(&l);
    return st;
}

static const Verb verb_acquire = {
    .tool = { .effects = TOOL_WRITES,
              .params =
                  PARAMS(KEY, TTL("for this many seconds (60)"),
                         { "wait", PARAM_NUMBER, .optional = true, .max = WAIT_S_MAX, .word = "S",
                           .help = "wait up to this many seconds for others (0)" },
                         PREFIX),
              .run = verb_answer },
    .verb = "acquire",
    .summary = "Take a lease and print its token",
    .help =
        "A KEY alone is a note's.  With a slash it is a stream's name, as in artifacts/x/y, and\n"
        "what ends in a slash is a prefix of names.  Give the token to later commands with\n"
        "--lease or $JOTTER_LEASE: they write only while the lease is held.\n",
    .fields = lease_fields,
    .shows = HELD,
    .refused = "lease",
    .run = acquire,
};

static jot_status renew(ToolCall *c, VerbData *out)
{
    uint64_t token;
    Lease l;
    TRY(token_of(c, &token));
    TRY(lease_renew(c->m, token, arg_number(c, "ttl", 0) * SECOND, c->into, &l, c->e));
    out->json = data_of(&l);
    return JOT_OK;
}

static const Verb verb_renew = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(TOKEN, TTL("for this many seconds (as before)")),
              .run = verb_answer },
    .verb = "renew",
    .summary = "Restart its time; an expired lease cannot be renewed",
    .fields = lease_fields,
    .shows = HELD,
    .run = renew,
};

static jot_status release(ToolCall *c, VerbData *out)
{
    uint64_t token;
    TRY(token_of(c, &token));
    TRY(lease_release(c->m, token, c->e));
    out->json = json_pack("{s:I, s:b}", "token", (json_int_t)token, "released", true);
    return JOT_OK;
}

static const Verb verb_release = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING, .params = PARAMS(TOKEN), .run = verb_answer },
    .verb = "release",
    .summary = "Release a lease",
    .fields = (const Param[]){ { "token", .type = PARAM_NUMBER },
                               { "released", .type = PARAM_BOOL },
                               { 0 } },
    .shows = "released lease {token}",
    .run = release,
};

/* Whether somebody holds it or, with a token, whether that is it. */
static jot_status check(ToolCall *c, VerbData *out)
{
    LeaseAsk ask = lease_ask(arg_text(c, "key"), arg_bool(c, "prefix"), c->into);
    Shown shown, by;
    Lease l = { 0 };
    jot_status st = lease_find(c->m, ask.on, ask.prefix, c->into, &l, c->e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    if (c->lease && l.token != c->lease)
        return err_set(c->e, JOT_FENCED, "lease %llu on '%s' has expired, or was never on it",
                       (unsigned long long)c->lease, err_show(&shown, ask.on));
    if (st == JOT_NOT_FOUND) {
        out->json = json_pack("{s:o, s:b}", "on", json_text(ask.on), "free", true);
        return JOT_OK;
    }
    out->json = data_of(&l);
    if (c->lease)
        return JOT_OK;
    return err_set(c->e, JOT_LEASED, "'%s' is leased to '%s'%s (token %llu)",
                   err_show(&shown, l.on), err_show(&by, l.by), lease_rest(&l).text,
                   (unsigned long long)l.token);
}

static const Verb verb_check = {
    .tool = { .effects = TOOL_READS, .params = PARAMS(KEY, PREFIX), .run = verb_answer },
    .verb = "check",
    .summary = "Check whether somebody holds a lease on it",
    .help = "Ends with 0 if it is free.  With --lease TOKEN it ends with 0 if that is the lease.\n",
    .fields = lease_fields,
    .shows = "[free: {on}{?free}][" HELD "{?token}]",
    .refused = "lease",
    .present = true,
    .run = check,
};

static jot_status list(ToolCall *c, VerbData *out)
{
    LeaseList all;
    json_t *leases = json_array();
    out->json = json_pack("{s:o}", "leases", leases);
    TRY(lease_list(c->m, c->into, &all, c->e));
    for (size_t i = 0; i < all.n; i++)
        json_array_append_new(leases, data_of(&all.items[i]));
    return JOT_OK;
}

static const Verb verb_list = {
    .tool = { .effects = TOOL_READS, .run = verb_answer },
    .verb = "list",
    .summary = "Print the leases: token, seconds left, who, what",
    .fields = (const Param[]){ { "leases", PARAM_OBJECTS, .fields = lease_fields }, { 0 } },
    .items = "leases",
    .row = "{token:8}  {left_s:6} s  [live{?live}][    {!live}]  {by}  {on}{prefix&*}",
    .none = "(none)",
    .unit = "lease",
    .present = true,
    .run = list,
};

static const Verb *const verbs[] = { &verb_acquire, &verb_renew, &verb_release,
                                     &verb_check,   &verb_list,  NULL };

const Noun noun_lease = {
    .name = "lease",
    .summary = "Hold a note or a prefix exclusively for a while",
    .help = "Leases bind those who use them: a write without one is not stopped.\n",
    .verbs = verbs,
};
