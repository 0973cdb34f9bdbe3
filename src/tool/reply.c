/* reply.c - putting answers together. */
#include "tool/reply.h"

#include "base/utf8.h"
#include "memory/doc/note.h"
#include "memory/frame/frame.h"
#include "memory/frame/pointer.h"
#include "memory/frame/tokens.h"
#include "memory/lease.h"

jot_status reply_check_text(Str stream, Str text, Err *e)
{
    size_t bad = utf8_bad_at(text);
    if (bad == text.n)
        return JOT_OK;
    return err_set(e, JOT_UNSUPPORTED,
                   "%s is not UTF-8 text: byte %zu is the first bad one of %zu bytes",
                   doc_name(stream).text, bad, text.n);
}

void reply_quote(Buf *to, Str text, size_t tokens)
{
    Str shown = str_slice(text, 0, tokens_cut(text, tokens));
    for (size_t at = 0, next; at < shown.n; at = next) {
        size_t end = frame_line_end(shown, at, &next);
        if (end < shown.n && shown.p[end] == '\r' && next < shown.n && shown.p[next] == '\n')
            next++; /* one break, not two */
        buf_add(to, S("| "));
        buf_add(to, str_slice(shown, at, end));
        buf_add_char(to, '\n');
    }
    if (shown.n < text.n)
        buf_addf(to, "(%zu of %zu chars)\n", utf8_count(shown), utf8_count(text));
}

void reply_version(Buf *to, const Mark *m)
{
    buf_addf(to, "version %s\n", version_of(m->sha256).text);
}

Str reply_label(ToolCall *c, Hash version)
{
    return arena_printf(c->into, "version %s", version_of(version).text);
}

void reply_json(ToolCall *c, json_t *value, ToolReply *out)
{
    AUTO_PTR(json_t) owned = value;
    AUTO(Buf) line = { 0 };
    json_write(&line, owned);
    reply_set(c, &line, out);
}

void reply_set(ToolCall *c, const Buf *text, ToolReply *out)
{
    Str s = buf_str(text); /* the last line has no break: what follows an answer is the door's */
    while (s.n && s.p[s.n - 1] == '\n')
        s.n--;
    out->text = arena_copy(c->into, s);
}

void reply_changed(ToolCall *c, Str stream, Str line, const Doc *now, Str written, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, STR_FMT "\n", STR_ARG(line));
    if (mark_live(&now->mark))
        reply_version(&text, &now->mark);
    Str warning = note_warns(stream, written, c->into);
    if (warning.n)
        buf_addf(&text, "warning: " STR_FMT "\n", STR_ARG(warning));
    reply_set(c, &text, out);
}

/* What to do about it, in front of the texts, which may be cut. */
static void add_next(Buf *to, const Doc *now, bool clean)
{
    if (!mark_live(&now->mark))
        buf_add(to, S("next: call again without if_version to create it again\n"));
    else
        buf_addf(to,
                 "next: take the present text into account, and call again with %sif_version=%s\n",
                 clean ? "merge=true or with " : "", version_of(now->mark.sha256).text);
}

jot_status reply_conflict(ToolCall *c, const Conflict *k, ToolReply *out)
{
    const Doc *now = &k->now;
    AUTO(Buf) text = { 0 };
    /* Two texts may have to fit, and what is said about them. */
    size_t half = c->budget / 2 - c->budget / 16;
    bool clean = k->clean && utf8_valid(k->merged);
    buf_addf(&text, "%s; nothing was changed\n", c->e->text);
    add_next(&text, now, clean);
    if (mark_live(&now->mark) && utf8_valid(now->text)) {
        buf_add(&text, S("the present text:\n"));
        reply_quote(&text, now->text, half);
        size_t shown = tokens_cut(now->text, half);
        if (shown < now->text.n)
            buf_addf(&text, "(continue with " STR_FMT ")\n",
                     STR_ARG(point_after(point_note(POINT_ALL, doc_word(k->stream), c->into),
                                         str_slice(now->text, 0, shown), c->into)));
    }
    if (clean) {
        buf_add(&text, S("with your change merged in, which is clean (merge=true writes this):\n"));
        reply_quote(&text, k->merged, half);
    }
    reply_set(c, &text, out);
    return JOT_CONFLICT;
}

/* --- Lists ----------------------------------------------------------------------------- */

Lister lister_begin(const ToolCall *c)
{
    return (Lister){ .budget = c->budget - reply_continue_tokens(c) };
}

bool lister_add(Lister *l, Str line)
{
    size_t tokens = tokens_estimate(line) + 1;
    /* The first one is taken however long it is: a page without an item would never end. */
    if (l->n && l->tokens + tokens > l->budget)
        return false;
    l->tokens += tokens;
    l->n++;
    buf_add(&l->text, line);
    buf_add_char(&l->text, '\n');
    return true;
}

bool lister_add_json(Lister *l, json_t *value)
{
    AUTO_PTR(json_t) owned = value;
    AUTO(Buf) line = { 0 };
    json_write(&line, owned);
    return lister_add(l, buf_str(&line));
}

void lister_done(Lister *l)
{
    buf_free(&l->text);
}

/* --- What changes have in common ------------------------------------------------------- */

jot_status arg_if_version(const ToolCall *c, DocIf *out)
{
    *out = (DocIf){ .version = arg_text(c, "if_version") };
    return out->version.n ? version_check(out->version, c->e) : JOT_OK;
}

void reply_lease(const ToolCall *c)
{
    if (arg_given(c, "lease"))
        lease_adopt(c->m, (uint64_t)arg_number(c, "lease", 0));
}

void reply_unlease(const ToolCall *c)
{
    if (arg_given(c, "lease"))
        lease_disown(c->m, (uint64_t)arg_number(c, "lease", 0));
}
