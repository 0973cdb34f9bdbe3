/* export_run.c - a run as JSON lines: init, thinking, tool_result.
 *
 * A call and its result become one line again.  What the layout does not know
 * (clearing, compaction, plans, answers, calls without a result) is counted and
 * told, not forged into something else. */
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/port/export.h"

typedef struct Args {
    Str call, args;
} Args;

typedef struct Writing {
    Buf text;
    Arena arena;
    Args *calls; /* issued, not completed */
    size_t calls_n, calls_cap;
    uint64_t left_out;
    int64_t at_ms; /* of the newest record */
} Writing;

static void add_string(Buf *to, const char *key, Str value)
{
    buf_addf(to, ",\"%s\":", key);
    json_quote(to, value);
}

static void begin_line(Writing *w, const char *type, const json_t *meta, const Record *r)
{
    Str was = json_member(meta, "was");
    TimeText now = time_text(r->mark.at_ms);
    buf_addf(&w->text, "{\"type\":\"%s\"", type);
    add_string(&w->text, "timestamp", was.n ? was : str(now.text));
}

/* What an import kept of the line besides. */
static void end_line(Writing *w, const json_t *meta)
{
    AUTO(Arena) arena = { 0 };
    Str more = json_member(meta, "more");
    Str whole = arena_printf(&arena, "{" STR_FMT "}", STR_ARG(more));
    if (more.n && json_skip(whole, 0) == whole.n && str_find(more, '\n') == more.n)
        buf_addf(&w->text, "," STR_FMT, STR_ARG(more));
    buf_add(&w->text, S("}\n"));
}

static Str forget_call(Writing *w, Str call)
{
    for (size_t i = 0; i < w->calls_n; i++)
        if (str_eq(w->calls[i].call, call)) {
            Str args = w->calls[i].args;
            w->calls[i] = w->calls[--w->calls_n];
            return args;
        }
    return S("{}");
}

/* A body that says it is JSON stands in the line as it is, if it is. */
static bool stands_as_json(const json_t *meta, Str body)
{
    return str_eq(json_member(meta, "form"), S("json")) && body.n && json_skip(body, 0) == body.n &&
           str_find(body, '\n') == body.n;
}

static void add_result(Writing *w, const json_t *meta, const Record *r)
{
    Str args = forget_call(w, json_member(meta, "call"));
    if (!utf8_valid(r->body)) {
        w->left_out++;
        return;
    }
    begin_line(w, "tool_result", meta, r);
    add_string(&w->text, "toolName", json_member(meta, "tool"));
    bool plain = args.n && json_skip(args, 0) == args.n && str_find(args, '\n') == args.n;
    buf_addf(&w->text, ",\"args\":" STR_FMT, STR_ARG(plain ? args : S("{}")));
    if (stands_as_json(meta, r->body)) {
        buf_add(&w->text, S(",\"result\":"));
        buf_add(&w->text, r->body);
    } else {
        add_string(&w->text, "result", r->body);
    }
    end_line(w, meta);
}

static jot_status add_record(void *ctx, const Record *r)
{
    Writing *w = ctx;
    json_t *read = NULL;
    Err ignored;
    w->at_ms = r->mark.at_ms;
    if (r->mark.op != OP_APPEND || r->mark.redacted || !r->meta.n ||
        json_read(r->meta, &read, &ignored) != JOT_OK) {
        w->left_out++;
        return JOT_OK;
    }
    AUTO_PTR(json_t) meta = read;
    Str kind = json_member(meta, "kind");
    bool text = str_eq(kind, S("init")) || str_eq(kind, S("thinking"));
    if (text && utf8_valid(r->body)) {
        begin_line(w, str_eq(kind, S("init")) ? "init" : "thinking", meta, r);
        add_string(&w->text, "content", r->body);
        end_line(w, meta);
    } else if (str_eq(kind, S("line")) && json_skip(r->body, 0) == r->body.n &&
               str_find(r->body, '\n') == r->body.n) {
        buf_add(&w->text, r->body);
        buf_add_char(&w->text, '\n');
    } else if (str_eq(kind, S("tool_call"))) {
        w->calls =
            arena_grow(&w->arena, w->calls, w->calls_n, &w->calls_cap, sizeof(Args), alignof(Args));
        w->calls[w->calls_n++] = (Args){ arena_copy(&w->arena, json_member(meta, "call")),
                                         arena_copy(&w->arena, r->body) };
    } else if (str_eq(kind, S("tool_result"))) {
        add_result(w, meta, r);
    } else if (!str_eq(kind, S("fold"))) { /* a fold repeats what the others say */
        w->left_out++;
    }
    return JOT_OK;
}

jot_status export_run(Export *x, Str stream, Str id)
{
    Writing w = { .text = { .max = BUF_MAX_DEFAULT } };
    uint64_t damaged = 0;
    Err why = { 0 };
    jot_status st = memory_each_record(
        x->m, stream,
        &(RecordVisit){ .from = 1, .each = add_record, .ctx = &w, .damaged = &damaged }, &why);
    uint64_t missing = w.left_out + w.calls_n;
    if (missing)
        layout_skip(x->report, x->into, stream, "%llu records have no place in this layout",
                    (unsigned long long)missing);
    if (st == JOT_CORRUPT)
        layout_miss(x->report, x->into, st, stream, "%s", why.text);
    else if (damaged)
        layout_miss(x->report, x->into, JOT_CORRUPT, stream, "%llu records cannot be read",
                    (unsigned long long)damaged);
    st = st == JOT_CORRUPT ? JOT_OK : err_pass(x->e, &why, st);
    if (st == JOT_OK && !buf_ok(&w.text))
        layout_miss(x->report, x->into, JOT_TOO_BIG, stream, "it is too long for one file");
    else if (st == JOT_OK)
        st = export_file(x, &(ExportFile){ stream,
                                           arena_printf(&w.arena, STR_FMT ".jsonl", STR_ARG(id)),
                                           buf_str(&w.text), w.at_ms });
    buf_free(&w.text);
    arena_free(&w.arena);
    return st;
}
