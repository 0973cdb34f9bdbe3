/* scratchpad_history.c - what a note was: its versions, and what changed since one of them. */
#include "base/time.h"
#include "base/utf8.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "tool/reply.h"
#include "tool/template.h"

enum { LAST_LINE = 60 /* tokens kept free for it */ };

static Str line_of(ToolCall *c, const Record *r)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, "%llu  %s  %s  %s  %llu bytes  ", (unsigned long long)r->mark.seq,
             time_text(r->mark.at_ms).text, op_name(r->mark.op),
             mark_live(&r->mark) ? version_of(r->mark.sha256).text : "-",
             (unsigned long long)r->mark.size);
    frame_name_add(&text, r->by);
    if (r->mark.redacted)
        buf_add(&text, S("  (redacted)"));
    if (r->mark.seq == 0)
        buf_add(&text, S("  (not recorded)"));
    return arena_copy(c->into, buf_str(&text));
}

static jot_status list_versions(ToolCall *c, Str stream, ToolReply *out)
{
    History h;
    AUTO(Lister) l = lister_begin(c);
    uint64_t last = (uint64_t)arg_number(c, "before", 0);
    size_t n = 0;
    TRY(history_page(c->m, stream,
                     &(HistoryAsk){ .before = last, .limit = (size_t)arg_number(c, "limit", 20) },
                     c->into, &h, c->e));
    while (n < h.n && lister_add(&l, line_of(c, &h.items[n]))) {
        last = h.items[n].mark.seq ? h.items[n].mark.seq : last;
        n++;
    }
    if (h.damaged)
        buf_addf(&l.text, "... %s cannot be read\n", counted(h.damaged, "record").text);
    if (n < h.n || h.more)
        reply_more(c, &l.text, "before", arena_printf(c->into, "%llu", (unsigned long long)last));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status show_diff(ToolCall *c, Str stream, ToolReply *out)
{
    HistoryDiffAsk ask = { stream, arg_text(c, "diff_since"), S("now") };
    HistoryDiff d;
    AUTO(Buf) text = { 0 };
    TRY(history_diff(c->m, &ask, c->into, &d, c->e));
    TRY(reply_check_text(stream, d.from.text, c->e));
    TRY(reply_check_text(stream, d.to.text, c->e));
    Str shown = d.text;
    shown.n = tokens_cut(shown, c->budget - LAST_LINE);
    buf_add(&text, shown);
    if (shown.n && shown.p[shown.n - 1] != '\n')
        buf_add_char(&text, '\n');
    buf_addf(&text, "version %s to %s: %s added, %zu removed", version_of(d.from.mark.sha256).text,
             version_of(d.to.mark.sha256).text, counted(d.added, "line").text, d.removed);
    if (shown.n < d.text.n)
        buf_addf(&text, "; the diff is cut after %zu of %zu bytes: read both versions instead",
                 shown.n, d.text.n);
    if (d.to.mark.op && d.to.mark.seq == 0)
        buf_addf(&text, "; not recorded: %s", c->m->unrecorded.text);
    reply_set(c, &text, out);
    return JOT_OK;
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Str stream;
    TRY(note_resolve_agent(arg_text(c, "key"), c->into, &stream, c->e));
    return arg_given(c, "diff_since") ? show_diff(c, stream, out) : list_versions(c, stream, out);
}

extern const Tool tool_scratchpad_history;
const Tool tool_scratchpad_history = {
    .name = "scratchpad_history",
    .title = "History of a note",
    .about = "Who changed a note and when, newest first, also if it is deleted: number, time, "
             "what, version, size, author; or what changed since a version.",
    .effects = TOOL_READS,
    .params = PARAMS({ "key", PARAM_TEXT, .max = STORE_NAME_MAX },
                     { "diff_since", PARAM_TEXT, .about = "a version or a time", .optional = true,
                       .max = HASH_HEX },
                     { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = HISTORY_PAGE_MAX },
                     { "before", PARAM_NUMBER, .about = "only older than this number",
                       .optional = true, .min = 1 }),
    .run = run,
};
