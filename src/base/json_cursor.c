/* json_cursor.c - JSON read front to back without building a tree. */
#include "base/json_cursor.h"

#include "base/json.h"

/* The byte that is next after spaces; 0 at the end, or if the cursor is bad. */
static char peek(JsonCursor *c)
{
    Str s = c->text;
    while (c->at < s.n &&
           (s.p[c->at] == ' ' || s.p[c->at] == '\t' || s.p[c->at] == '\n' || s.p[c->at] == '\r'))
        c->at++;
    if (c->bad || c->at == s.n)
        return 0;
    return s.p[c->at];
}

static bool eat(JsonCursor *c, char what)
{
    bool there = peek(c) == what;
    c->bad = c->bad || !there;
    c->at += there;
    return there;
}

Str json_cursor_raw(JsonCursor *c)
{
    (void)peek(c);
    size_t end = c->bad ? 0 : json_skip(c->text, c->at);
    if (end == 0) {
        c->bad = true;
        return (Str){ 0 };
    }
    Str value = str_slice(c->text, c->at, end);
    c->at = end;
    return value;
}

static Str take_string(JsonCursor *c)
{
    c->bad = c->bad || peek(c) != '"';
    return json_cursor_raw(c);
}

void json_cursor_enter(JsonCursor *c, char open)
{
    eat(c, open);
    c->begun = false;
}

/* To the next value of this level; false after the last. */
static bool go_on(JsonCursor *c, char close)
{
    if (peek(c) == close) {
        c->at++;
        c->begun = true; /* of the level around it */
        return false;
    }
    if (c->begun)
        eat(c, ',');
    c->begun = true;
    return !c->bad;
}

bool json_cursor_member(JsonCursor *c, Str *name)
{
    if (!go_on(c, '}'))
        return false;
    Str quoted = take_string(c);
    *name = str_slice(quoted, 1, quoted.n - 1);
    return eat(c, ':');
}

bool json_cursor_element(JsonCursor *c)
{
    return go_on(c, ']');
}

Str json_cursor_text(JsonCursor *c, Arena *into)
{
    Str value = take_string(c);
    if (c->bad)
        return (Str){ 0 };
    Str inner = str_slice(value, 1, value.n - 1);
    if (str_find(inner, '\\') == inner.n)
        return arena_copy(into, inner);
    AUTO(Buf) text = { 0 };
    (void)json_unquote(value, 0, &text);
    return arena_copy(into, buf_str(&text));
}

uint64_t json_cursor_number(JsonCursor *c)
{
    uint64_t number = 0;
    Str value = json_cursor_raw(c);
    c->bad = c->bad || !str_to_u64(value, INT64_MAX, &number);
    return number;
}

bool json_cursor_bool(JsonCursor *c)
{
    Str value = json_cursor_raw(c);
    bool yes = str_eq(value, S("true"));
    c->bad = c->bad || (!yes && !str_eq(value, S("false")));
    return yes;
}

void json_cursor_skip(JsonCursor *c)
{
    (void)json_cursor_raw(c);
}

bool json_cursor_done(JsonCursor *c)
{
    (void)peek(c);
    return !c->bad && c->at == c->text.n;
}

Str json_cursor_find(Str object, Str name)
{
    JsonCursor c = { .text = object };
    Str here, found = { 0 };
    json_cursor_enter(&c, '{');
    while (json_cursor_member(&c, &here)) {
        Str value = json_cursor_raw(&c);
        if (str_eq(here, name))
            found = value;
    }
    return c.bad ? S("") : found;
}
