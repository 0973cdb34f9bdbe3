/* http_id.c - making ids, believing them, and remembering which have ended.
 *
 * The file of those that have ended is small text: a first line with the epoch, then a
 * line for each, "EXPIRES MAC", of which the first half of the MAC is enough.  Ending
 * one leaves out those that have expired.  The epoch goes into every MAC; a new one
 * ends all ids of before, which is how the file stays small whatever clients do. */
#include "mcp/http/http_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/home.h"
#include "base/id.h"

#define ENDED_FILE "mcp-ended"
#define ENDED_HEAD "jotter-mcp-ended 1 "

enum { MAC_KEPT = 32 /* hex digits of a MAC in the file */ };

static int64_t now_s(const McpIds *ids)
{
    return io_wall_ms(ids->io) / 1000;
}

jot_status mcp_ids_open(McpIds *out, const Io *io, Hash token, Str pad, Err *e)
{
    *out = (McpIds){ .io = io, .token = token, .pad = pad };
    jot_status st = home_secret(io, &out->key, e);
    out->persistent = st == JOT_OK;
    if (!out->persistent)
        io_random(io, out->key.b, sizeof out->key.b);
    return st;
}

/* --- What has ended ---------------------------------------------------------------------- */

typedef struct Ended {
    uint64_t epoch;
    Str lines;
} Ended;

/* False if it cannot be known what has ended: then nothing is believed. */
static bool read_ended(const McpIds *ids, Arena *into, Ended *out)
{
    Str text = str(ids->ended);
    *out = (Ended){ 0 };
    if (ids->persistent) {
        jot_status st = home_read(ids->io, HOME_STATE, ENDED_FILE, into, &text, NULL);
        if (st == JOT_NOT_FOUND)
            text = (Str){ 0 };
        else if (st != JOT_OK)
            return false;
    }
    Str head;
    *out = (Ended){ 0 };
    if (text.n == 0)
        return true; /* nothing has ended yet */
    if (!str_cut(&text, '\n', &head) || !str_starts(head, S(ENDED_HEAD)))
        return false;
    out->lines = text;
    return str_to_u64(str_from(head, S(ENDED_HEAD).n), INT64_MAX, &out->epoch);
}

/* The next line: when it may be forgotten, and what has ended. */
static bool next_ended(Str *lines, int64_t *expires, Str *mac)
{
    Str line, time;
    while (str_cut(lines, '\n', &line))
        if (str_cut(&line, ' ', &time) && str_to_i64(time, 0, INT64_MAX, expires)) {
            *mac = line;
            return true;
        }
    return false;
}

static bool has_ended(const Ended *all, Str mac)
{
    int64_t expires;
    Str one;
    for (Str lines = all->lines; next_ended(&lines, &expires, &one);)
        if (str_eq(one, mac))
            return true;
    return false;
}

static jot_status write_ended(McpIds *ids, Str text, Err *e)
{
    if (ids->persistent)
        return home_write(ids->io, HOME_STATE, ENDED_FILE, text, e);
    free(ids->ended);
    ids->ended = mem_alloc(text.n + 1);
    memcpy(ids->ended, text.p, text.n);
    return JOT_OK;
}

/* --- Ids --------------------------------------------------------------------------------- */

static HashHex mac_of(const McpIds *ids, uint64_t epoch, Str payload)
{
    HashMac m;
    hash_mac_init(&m, ids->key);
    hash_add_field(&m.inner, S("mcp session"));
    hash_add_field(&m.inner, (Str){ (const char *)ids->token.b, sizeof ids->token.b });
    hash_add_field(&m.inner, ids->pad);
    hash_add_u64(&m.inner, epoch);
    hash_add_field(&m.inner, payload);
    return hash_hex(hash_mac_end(&m));
}

void mcp_ids_make(McpIds *ids, const char *version, Str name, char out[MCP_ID_MAX + 1])
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) coded = { 0 };
    Ended ended;
    (void)read_ended(ids, &arena, &ended);
    base64_write(&coded, name);
    Str payload = arena_printf(&arena, "1.%" PRId64 ".%s.%s." STR_FMT, now_s(ids) + MCP_ID_LASTS_S,
                               version, id_random(ids->io, 8).text, (int)coded.n, coded.p);
    snprintf(out, MCP_ID_MAX + 1, "%s.%s", payload.p, mac_of(ids, ended.epoch, payload).text);
}

/* An id taken apart. */
typedef struct Parts {
    Str payload, mac;
    int64_t expires;
    McpIdClaims claims;
} Parts;

static bool copy_text(char *to, size_t size, Str text)
{
    if (text.n >= size)
        return false;
    memcpy(to, text.n ? text.p : "", text.n);
    to[text.n] = 0;
    return true;
}

static bool parse_id(Str id, Parts *out)
{
    AUTO(Arena) arena = { 0 };
    Str form, expires, version, nonce, name;
    size_t dot = str_find_last(id, '.');
    *out = (Parts){ .payload = str_slice(id, 0, dot), .mac = str_from(id, dot + 1) };
    Str rest = out->payload;
    return id.n <= MCP_ID_MAX && out->mac.n == HASH_HEX && str_cut(&rest, '.', &form) &&
           str_eq(form, S("1")) && str_cut(&rest, '.', &expires) &&
           str_to_i64(expires, 0, INT64_MAX, &out->expires) && str_cut(&rest, '.', &version) &&
           str_cut(&rest, '.', &nonce) && base64_read(rest, &arena, &name) &&
           copy_text(out->claims.version, sizeof out->claims.version, version) &&
           copy_text(out->claims.name, sizeof out->claims.name, name);
}

/* Hashes are compared, so that the time reveals nothing about the MAC. */
static bool mac_matches(const McpIds *ids, uint64_t epoch, const Parts *p)
{
    HashHex right = mac_of(ids, epoch, p->payload);
    return hash_eq(hash_of(str(right.text)), hash_of(p->mac));
}

bool mcp_ids_read(McpIds *ids, Str id, McpIdClaims *out)
{
    AUTO(Arena) arena = { 0 };
    Ended ended;
    Parts p;
    if (!parse_id(id, &p) || p.expires <= now_s(ids) || !read_ended(ids, &arena, &ended) ||
        !mac_matches(ids, ended.epoch, &p) || has_ended(&ended, str_slice(p.mac, 0, MAC_KEPT)))
        return false;
    *out = p.claims;
    return true;
}

/* --- Ending ------------------------------------------------------------------------------ */

static void add_line(Buf *to, int64_t expires, Str mac)
{
    buf_addf(to, "%" PRId64 " " STR_FMT "\n", expires, STR_ARG(mac));
}

/* What has ended by now, with one more; all that was given so far if there are too many. */
static void add_ended(const McpIds *ids, const Ended *old, const Parts *p, Buf *to)
{
    int64_t expires, now = now_s(ids);
    size_t n = 1;
    Str mac;
    buf_addf(to, ENDED_HEAD "%" PRIu64 "\n", old->epoch);
    for (Str lines = old->lines; next_ended(&lines, &expires, &mac);)
        if (expires > now) {
            add_line(to, expires, mac);
            n++;
        }
    add_line(to, p->expires, str_slice(p->mac, 0, MAC_KEPT));
    if (n <= MCP_IDS_ENDED_MAX)
        return;
    buf_clear(to);
    buf_addf(to, ENDED_HEAD "%" PRIu64 "\n", old->epoch + 1);
}

static jot_status end_one(McpIds *ids, const Parts *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    Ended old;
    if (!read_ended(ids, &arena, &old)) /* damaged: nothing of before is believed any more */
        buf_addf(&text, ENDED_HEAD "%" PRId64 "\n", now_s(ids));
    else if (mac_matches(ids, old.epoch, p))
        add_ended(ids, &old, p, &text);
    return text.n ? write_ended(ids, buf_str(&text), e) : JOT_OK;
}

jot_status mcp_ids_end(McpIds *ids, Str id, Err *e)
{
    Parts p;
    if (!parse_id(id, &p) || p.expires <= now_s(ids))
        return JOT_OK;
    if (!ids->persistent)
        return end_one(ids, &p, e);
    AUTO(Fd) lock = FD_NONE;
    TRY(home_lock(ids->io, HOME_STATE, &lock, e));
    jot_status st = end_one(ids, &p, e);
    home_unlock(ids->io, &lock);
    return st;
}
