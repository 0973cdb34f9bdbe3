/* lease.c - leases of jotter.h. */
#include "memory/lease.h"

#include "api/api.h"
#include "memory/doc/note.h"

static jot_lease *give(jot_pad *p, const Lease *l)
{
    jot_lease *out = NEW_RESULT(p, jot_lease);
    *out = (jot_lease){ .on = api_give_name(p, l->on),
                        .prefix = l->prefix,
                        .live = l->live,
                        .token = l->token,
                        .by = api_give_name(p, l->by),
                        .ttl_ms = l->ttl_ms,
                        .left_ms = l->left_ms };
    return out;
}

/* What a name stands for: a key alone is a note's. */
static jot_status read_name(jot_pad *p, const char *name, LeaseAsk *ask)
{
    Str word;
    TRY(api_name(p, "a name", name, &word));
    ask->on = word;
    if (str_ends(word, S("/")))
        ask->prefix = true;
    if (store_names_kind(word))
        return JOT_OK;
    if (!ask->prefix)
        return note_stream(word, api_arena(p), &ask->on, api_err(p));
    ask->on = arena_printf(api_arena(p), "notes/" STR_FMT, STR_ARG(word));
    return store_check_note_prefix(word, api_err(p));
}

static jot_status check_token(jot_pad *p, uint64_t token)
{
    if (token > 0 && token <= STORE_SEQ_MAX)
        return JOT_OK;
    return err_set(api_err(p), JOT_INVALID, "no lease has the token %llu",
                   (unsigned long long)token);
}

jot_status jot_lease_acquire(jot_pad *pad, const char *name, const jot_lease_options *options,
                             const jot_lease **out)
{
    jot_lease_options o;
    LeaseAsk ask = { 0 };
    Lease l;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    ask.prefix = o.prefix;
    TRY(read_name(pad, name, &ask));
    TRY(api_wait(pad, o.wait_ms));
    ask.ttl_ms = o.ttl_ms;
    ask.wait_ms = o.wait_ms;
    ask.live = o.live;
    jot_status st = lease_acquire(&pad->m, &ask, api_arena(pad), &l, api_err(pad));
    if (st == JOT_OK || st == JOT_LEASED)
        GIVE(out, give(pad, &l));
    return st;
}

jot_status jot_lease_renew(jot_pad *pad, uint64_t token, int64_t ttl_ms, const jot_lease **out)
{
    Lease l;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(check_token(pad, token));
    TRY(lease_renew(&pad->m, token, ttl_ms, api_arena(pad), &l, api_err(pad)));
    GIVE(out, give(pad, &l));
    return JOT_OK;
}

jot_status jot_lease_release(jot_pad *pad, uint64_t token)
{
    API_BEGIN(pad);
    TRY(check_token(pad, token));
    return lease_release(&pad->m, token, api_err(pad));
}

jot_status jot_lease_adopt(jot_pad *pad, uint64_t token)
{
    API_BEGIN(pad);
    TRY(check_token(pad, token));
    lease_adopt(&pad->m, token);
    return JOT_OK;
}

jot_status jot_lease_check(jot_pad *pad, uint64_t token, const jot_lease **out)
{
    Lease l;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(check_token(pad, token));
    TRY(lease_check(&pad->m, token, api_arena(pad), &l, api_err(pad)));
    GIVE(out, give(pad, &l));
    return JOT_OK;
}

jot_status jot_lease_find(jot_pad *pad, const char *name, bool prefix, const jot_lease **out)
{
    LeaseAsk ask = { .prefix = prefix };
    Lease l;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_name(pad, name, &ask));
    TRY(lease_find(&pad->m, ask.on, ask.prefix, api_arena(pad), &l, api_err(pad)));
    GIVE(out, give(pad, &l));
    return JOT_OK;
}

jot_status jot_lease_list(jot_pad *pad, const jot_leases **out)
{
    LeaseList all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(lease_list(&pad->m, api_arena(pad), &all, api_err(pad)));
    const jot_lease **items = NEW_ARRAY(api_arena(pad), const jot_lease *, all.n + 1);
    for (size_t i = 0; i < all.n; i++)
        items[i] = give(pad, &all.items[i]);
    jot_leases *list = NEW_RESULT(pad, jot_leases);
    *list = (jot_leases){ .items = items, .count = all.n };
    GIVE(out, list);
    return JOT_OK;
}
