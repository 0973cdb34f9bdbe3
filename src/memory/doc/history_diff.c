/* history_diff.c - what changed between two versions of a document. */
#include "base/time.h"
#include "memory/doc/history.h"

/* One side: the text, and its name for the head of the diff.  Without a word it is that of the last
 * change, which may have made or deleted the document. */
static jot_status side(Memory *m, const HistoryDiffAsk *ask, bool from, Arena *into, Doc *d, Err *e)
{
    Err missing = { 0 };
    When when;
    Str word = from ? ask->from : ask->to;
    TRY(when_parse(word.n ? word : from ? S("~1") : S("now"), &when, e));
    jot_status st = history_at(m, ask->stream, &when, into, d, &missing);
    if (st == JOT_NOT_FOUND && !word.n) {
        *d = (Doc){ 0 };
        return JOT_OK;
    }
    return err_pass(e, &missing, st);
}

static Str side_name(Str stream, const Doc *d, Arena *into)
{
    Str word = doc_word(stream);
    if (!d->mark.op)
        return arena_printf(into, STR_FMT " (none)", STR_ARG(word));
    return arena_printf(into, STR_FMT " %s %s", STR_ARG(word), version_of(d->mark.sha256).text,
                        time_text(d->mark.at_ms).text);
}

jot_status history_diff(Memory *m, const HistoryDiffAsk *ask, Arena *into, HistoryDiff *out, Err *e)
{
    Doc present;
    Diff d;
    AUTO(Buf) text = { 0 };
    TRY(doc_present(m, ask->stream, into, &present, e));
    if (present.mark.op == 0)
        return err_set(e, JOT_NOT_FOUND, "%s not found", doc_name(ask->stream).text);
    TRY(side(m, ask, true, into, &out->from, e));
    TRY(side(m, ask, false, into, &out->to, e));
    diff_make(out->from.text, out->to.text, into, &d);
    diff_write(&d, side_name(ask->stream, &out->from, into), side_name(ask->stream, &out->to, into),
               &text);
    if (!buf_ok(&text))
        return err_set(e, JOT_TOO_BIG, "the diff is larger than %d bytes", BUF_MAX_DEFAULT);
    out->text = arena_copy(into, buf_str(&text));
    out->added = d.added;
    out->removed = d.removed;
    return JOT_OK;
}
