/* results.c - results of a run as text.
 *
 * No line of a framed value begins like a line that means something, so the first one that does
 * ends the value: what a tool returned cannot pass for another result.  The product never reads
 * the text back; tests/memory/read_back.h does, to prove this. */
#include "memory/run/results.h"

#include "base/base64.h"
#include "base/utf8.h"

void results_add_item(Buf *to, const Frame *f, const Result *item)
{
    if (item->cleared) {
        buf_addf(to, "[Tool result #%llu cleared from context]", (unsigned long long)item->n);
        return;
    }
    bool text = utf8_valid(item->result);
    buf_add(to, S("### "));
    /* What is left of redacted arguments is none. */
    frame_call_add_text(to, f, item->tool, item->args);
    if (!item->ok)
        buf_add(to, S(" [error]"));
    if (!text)
        buf_add(to, S(" [base64]"));
    buf_add_char(to, '\n');
    if (text)
        frame_add(to, f, item->result);
    else
        base64_write(to, item->result);
}

void results_add(Buf *to, const Results *list)
{
    frame_add(to, &list->frame, list->summary);
    if (list->summary.n && list->n)
        buf_add(to, S("\n\n---\n\nNew data retrieved after compaction:\n\n"));
    for (size_t i = 0; i < list->n; i++) {
        if (i)
            buf_add(to, S("\n\n"));
        results_add_item(to, &list->frame, &list->items[i]);
    }
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *item_json(const Result *item)
{
    if (item->cleared)
        return json_pack("{s:I, s:b}", "n", (json_int_t)item->n, "cleared", 1);
    json_t *args = NULL;
    if (json_read(item->args, &args, NULL) != JOT_OK)
        args = json_null();
    return json_pack("{s:I, s:o, s:o, s:b, s:o}", "n", (json_int_t)item->n, "tool",
                     json_text(item->tool), "args", args, "ok", item->ok, "result",
                     json_text(item->result));
}

json_t *results_json(const Results *list)
{
    json_t *items = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(items, item_json(&list->items[i]));
    return json_pack("{s:o, s:o, s:I}", "summary", json_text_or_null(list->summary), "results",
                     items, "damaged", (json_int_t)list->damaged);
}
