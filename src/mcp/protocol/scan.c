/* scan.c - walking over strings and brackets. */
#include "mcp/protocol/scan.h"

#include <string.h>

#include "base/json.h"

static void begin_name(RpcScan *s)
{
    s->phase = SCAN_NAME;
    s->name_n = s->value_n = 0;
}

/* A byte of the name or of the value; spaces before them do not count, and the
 * caller trims those after them. */
static void keep(RpcScan *s, char c)
{
    bool name = s->phase == SCAN_NAME;
    size_t *n = name ? &s->name_n : &s->value_n;
    size_t max = name ? sizeof s->name : sizeof s->value;
    if (*n == 0 && str_is_space(c))
        return;
    if (*n == 0)
        *(name ? &s->name_at : &s->value_at) = s->at - 1;
    if (name && !str_is_space(c))
        s->name_end = s->at;
    if (*n < max)
        (name ? s->name : s->value)[(*n)++] = c;
}

/* True for what an id may be: a whole number of any size, or a string. */
static bool is_id(Str v)
{
    if (v.n == 0 || v.n > RPC_ID_MAX || json_skip(v, 0) != v.n)
        return false;
    size_t digits = v.p[0] == '-' ? 1 : 0;
    for (size_t i = digits; i < v.n && v.p[0] != '"'; i++)
        if (v.p[i] < '0' || v.p[i] > '9')
            return false;
    return v.p[0] == '"' || v.n > digits;
}

/* A member has ended, right before the byte that was walked over last. */
static void end_member(RpcScan *s)
{
    Str name = str_trim((Str){ s->name, s->name_n });
    Str value = str_trim((Str){ s->value, s->value_n });
    s->value_end = s->at - 1;
    if (!str_eq(name, S("\"id\"")))
        return;
    if (!is_id(value))
        value.n = 0;
    if (s->ids)
        s->differ = s->differ || !str_eq(value, (Str){ s->id, s->id_n });
    s->ids = true;
    memcpy(s->id, value.p, value.n);
    s->id_n = value.n;
    s->id_at = s->value_at;
}

/* A byte outside of strings; true if a member has ended. */
static bool step_plain(RpcScan *s, char c)
{
    if (c == '{' || c == '[') {
        if (++s->depth > 1)
            keep(s, c);
        else if (c == '{')
            begin_name(s);
        else
            s->phase = SCAN_OVER;
    } else if (c == '}' || c == ']') {
        bool ended = s->depth == 1 && s->phase == SCAN_VALUE;
        if (ended)
            end_member(s);
        if (s->depth > 1)
            keep(s, c);
        else
            s->phase = SCAN_OVER;
        s->depth -= s->depth > 0;
        return ended;
    } else if (s->depth == 1 && c == ',') {
        bool ended = s->phase == SCAN_VALUE;
        if (ended)
            end_member(s);
        begin_name(s);
        return ended;
    } else if (s->depth == 1 && c == ':' && s->phase == SCAN_NAME) {
        s->phase = SCAN_VALUE;
        s->value_n = 0;
    } else {
        s->quoted = c == '"';
        keep(s, c);
    }
    return false;
}

bool scan_step(RpcScan *s, char c)
{
    s->at++;
    if (s->phase == SCAN_OVER)
        return false;
    if (s->quoted) {
        s->quoted = s->escaped || c != '"';
        s->escaped = !s->escaped && c == '\\';
        keep(s, c);
        return false;
    }
    return step_plain(s, c);
}

void scan_add(RpcScan *s, Str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        (void)scan_step(s, bytes.p[i]);
}

Str scan_id(const RpcScan *s)
{
    return (Str){ s->id, s->differ ? 0 : s->id_n };
}

size_t scan_element(Str text, size_t at)
{
    size_t depth = 0;
    for (bool quoted = false; at < text.n; at++) {
        char c = text.p[at];
        if (quoted && c == '\\')
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && depth == 0 && (c == ',' || c == ']' || c == '}'))
            return at;
        else if (!quoted && (c == '}' || c == ']'))
            depth--;
    }
    return text.n;
}
