/* script_fill.c - answers that depend on what happened: {{SOURCE|CUT|CUT...}}
 *
 * Sources are parts of the request that is being answered, nothing else, so a
 * filled answer follows from the request alone:
 *
 *     result:ID   what the tool call ID answered (the newest, if there are several)
 *     text:N      the text of the N-th message of the assistant
 *     user:N      the text of the N-th message of the user that has text
 *
 * Cuts: `line N` and `word N` (from 1; from the end below 0), `after TEXT`,
 * `before TEXT`, `json KEY` (a member of an object), `trim`.  There are no
 * patterns: a script that needs them should be two answers. */
#include <string.h>

#include "llm/script.h"

typedef struct Fill {
    const LlmRequest *request;
    Str whole;   /* the template, for sentences */
    Arena arena; /* for what a cut makes */
} Fill;

/* Where `what` begins in `s`; s.n if it does not. */
static size_t find(Str s, Str what)
{
    const char *at = what.n && s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

static bool has(Str s, Str what)
{
    return what.n == 0 || find(s, what) < s.n;
}

static jot_status refuse(const Fill *f, const char *why, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID, "the script's template '%s' %s", err_show(&shown, f->whole),
                   why);
}

/* --- Sources ----------------------------------------------------------------------------- */

static bool result_of(const LlmRequest *r, Str id, Str *out)
{
    for (size_t i = r->n_messages; i-- > 0;)
        for (size_t k = r->messages[i].n; k-- > 0;) {
            const LlmPart *part = &r->messages[i].parts[k];
            if (part->kind == LLM_RESULT && str_eq(part->id, id)) {
                *out = part->text;
                return true;
            }
        }
    return false;
}

/* The texts of the N-th message of a role, one after the other.  A user's message that only
 * brings results does not count. */
static bool text_of(Fill *f, LlmRole role, int64_t n, Str *out)
{
    const LlmRequest *r = f->request;
    for (size_t i = 0; i < r->n_messages; i++) {
        const LlmMessage *m = &r->messages[i];
        Str all = { 0 };
        bool counts = role == LLM_ASSISTANT;
        for (size_t k = 0; k < m->n; k++)
            if (m->parts[k].kind == LLM_TEXT) {
                counts = true;
                all = arena_printf(&f->arena, STR_FMT STR_FMT, STR_ARG(all),
                                   STR_ARG(m->parts[k].text));
            }
        if (m->role == role && counts && --n == 0) {
            *out = all;
            return true;
        }
    }
    return false;
}

static jot_status source(Fill *f, Str name, Str *out, Err *e)
{
    Str kind = { 0 };
    int64_t n = 0;
    if (!str_cut(&name, ':', &kind))
        return refuse(f, "has no source: use result:ID, text:N or user:N", e);
    if (str_eq(kind, S("result")))
        return result_of(f->request, name, out) ? JOT_OK : refuse(f, "finds no such result", e);
    if (!str_eq(kind, S("text")) && !str_eq(kind, S("user")))
        return refuse(f, "has an unknown source: use result:ID, text:N or user:N", e);
    if (!str_to_i64(name, 1, INT32_MAX, &n))
        return refuse(f, "needs a number from 1 after ':'", e);
    bool found = text_of(f, str_eq(kind, S("text")) ? LLM_ASSISTANT : LLM_USER, n, out);
    return found ? JOT_OK : refuse(f, "finds no such message", e);
}

/* --- Cuts -------------------------------------------------------------------------------- */

/* The next line or word of `rest`; false at the end. */
static bool next(Str *rest, bool words, Str *out)
{
    if (words)
        *rest = str_trim(*rest);
    if (rest->n == 0)
        return false;
    size_t end = 0;
    while (end < rest->n && (words ? !str_is_space(rest->p[end]) : rest->p[end] != '\n'))
        end++;
    *out = str_slice(*rest, 0, end);
    *rest = str_from(*rest, end + 1);
    return true;
}

static bool pick(Str s, bool words, int64_t n, Str *out)
{
    int64_t count = 0;
    Str one = { 0 };
    for (Str rest = s; n < 0 && next(&rest, words, &one);)
        count++;
    n = n < 0 ? count + 1 + n : n;
    for (Str rest = s; n > 0 && next(&rest, words, &one);)
        if (--n == 0) {
            *out = one;
            return true;
        }
    return false;
}

/* A member of the object that `*s` is: a string's text, anything else as JSON. */
static bool member(Fill *f, Str key, Str *s)
{
    AUTO_PTR(json_t) object = NULL;
    AUTO(Buf) text = { 0 };
    if (json_read(*s, &object, NULL) != JOT_OK)
        return false;
    const json_t *value = json_object_get(object, arena_cstr(&f->arena, key));
    if (json_is_string(value))
        buf_add(&text, json_str(value));
    else if (value)
        json_write(&text, value);
    *s = arena_copy(&f->arena, buf_str(&text));
    return value != NULL;
}

static jot_status cut(Fill *f, Str how, Str *s, Err *e)
{
    Str word = how, rest = how;
    if (!str_cut(&rest, ' ', &word))
        rest = (Str){ 0 };
    rest = str_trim(rest);
    int64_t n = 0;
    bool found = true, words = str_eq(word, S("word"));
    size_t at = find(*s, rest);
    if (words || str_eq(word, S("line"))) {
        if (!str_to_i64(rest, INT32_MIN, INT32_MAX, &n) || n == 0)
            return refuse(f, "needs a number other than 0 after 'line' or 'word'", e);
        found = pick(*s, words, n, s);
    } else if (str_eq(word, S("after"))) {
        found = at < s->n;
        *s = str_from(*s, at + rest.n);
    } else if (str_eq(word, S("before"))) {
        found = at < s->n;
        *s = str_slice(*s, 0, at);
    } else if (str_eq(word, S("json"))) {
        found = member(f, rest, s);
    } else if (str_eq(word, S("trim"))) {
        *s = str_trim(*s);
    } else {
        return refuse(f, "has an unknown cut: use line, word, after, before, json or trim", e);
    }
    return found ? JOT_OK : refuse(f, "finds nothing to cut", e);
}

/* --- Templates --------------------------------------------------------------------------- */

static jot_status fill_one(Str inside, const LlmRequest *request, Buf *to, Err *e)
{
    Fill f = { .request = request, .whole = inside };
    Str value = { 0 }, part = { 0 };
    bool more = true;
    jot_status st = JOT_OK;
    for (int i = 0; more && st == JOT_OK; i++) {
        more = str_cut(&inside, '|', &part);
        part = str_trim(more ? part : inside);
        st = i == 0 ? source(&f, part, &value, e) : cut(&f, part, &value, e);
    }
    if (st == JOT_OK)
        buf_add(to, value);
    arena_free(&f.arena);
    return st;
}

jot_status script_fill(Str text, const LlmRequest *request, Buf *to, Err *e)
{
    for (;;) {
        size_t open = find(text, S("{{"));
        Str after = str_from(text, open + 2);
        size_t close = find(after, S("}}"));
        if (open == text.n || close == after.n) {
            buf_add(to, text);
            return JOT_OK;
        }
        buf_add(to, str_slice(text, 0, open));
        TRY(fill_one(str_slice(after, 0, close), request, to, e));
        text = str_from(after, close + 2);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): a script nests no deeper than YAML_DEPTH_MAX */
jot_status script_fill_json(json_t **value, const LlmRequest *request, Err *e)
{
    if (json_is_string(*value)) {
        AUTO(Buf) filled = { 0 };
        TRY(script_fill(json_str(*value), request, &filled, e));
        json_decref(*value);
        *value = json_text(buf_str(&filled));
        return JOT_OK;
    }
    size_t n = json_array_size(*value);
    for (size_t i = 0; i < n; i++) {
        json_t *item = json_incref(json_array_get(*value, i));
        jot_status st = script_fill_json(&item, request, e);
        json_array_set_new(*value, i, item);
        TRY(st);
    }
    const char *key;
    json_t *old;
    json_object_foreach(*value, key, old)
    {
        json_t *item = json_incref(old);
        jot_status st = script_fill_json(&item, request, e);
        json_object_set_new(*value, key, item);
        TRY(st);
    }
    return JOT_OK;
}

/* --- What a request has ------------------------------------------------------------------ */

static bool message_has(const LlmMessage *m, Str text)
{
    for (size_t k = 0; k < m->n; k++) {
        const LlmPart *p = &m->parts[k];
        if (has(p->text, text) || has(p->args, text) || has(p->name, text))
            return true;
    }
    return false;
}

bool script_request_has(const LlmRequest *r, Str text)
{
    bool found = has(r->system, text);
    for (size_t i = 0; i < r->n_tools && !found; i++)
        found = has(r->tools[i].name, text) || has(r->tools[i].about, text);
    for (size_t i = 0; i < r->n_messages && !found; i++)
        found = message_has(&r->messages[i], text);
    return found;
}

bool script_newest_has(const LlmRequest *r, Str text)
{
    if (r->n_messages == 0)
        return false;
    const LlmMessage *m = &r->messages[r->n_messages - 1];
    for (size_t k = 0; k < m->n; k++)
        if (m->parts[k].kind == LLM_TEXT && has(m->parts[k].text, text))
            return true;
    return false;
}
