/* scene.h - Scene, a loop at a desk: a scripted model, a tool that counts, tools of the pad.
 *
 * The tool `count` leaves a line in a file for each time it really ran, whatever
 * the pad says; `big` answers with many bytes; `stop` fails with a status. */
#ifndef TESTS_AGENT_SCENE_H
#define TESTS_AGENT_SCENE_H

#include "agent/beside.h"
#include "agent/loop.h"
#include "memory/artifact/sink.h"
#include "memory/frame/pointer.h"
#include "tool/tool.h"

typedef struct Scene {
    Memory *m;
    const char *dir;
    Loop loop;
    Llm *llm;
    jot_status failed; /* what `stop` fails with */
    size_t budgets, compactions;
    Budget newest;
    Compacted compacted;
} Scene;

static inline void scene_put(const char *dir, const char *name, const char *text)
{
    beside_put(dir, name, str(text));
}

static inline bool scene_mutates(void *ctx, const Call *call)
{
    (void)ctx;
    return str_eq(call->tool, S("count"));
}

static inline void scene_count(const Scene *s, Str id)
{
    BesidePath path = beside_path(s->dir, "counter");
    AUTO(Fd) fd = open(path.text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && dprintf(fd, STR_FMT "\n", STR_ARG(id)) > 0);
}

static inline jot_status scene_keep(const Scene *s, const Call *c, Str text, Arena *into,
                                    Reply *out, Err *e)
{
    SinkView view;
    SinkPut put = { .call = c->id, .tool = c->tool, .result = text };
    TRY(sink_write(s->m, &put, into, &view, NULL, e));
    out->text = sink_text(&view, POINT_TOOLS | POINT_NOTES, into);
    return JOT_OK;
}

static inline jot_status scene_call(void *ctx, const Call *c, Arena *into, Reply *out, Err *e)
{
    Scene *s = ctx;
    *out = (Reply){ 0 };
    if (str_eq(c->tool, S("count"))) {
        scene_count(s, c->id);
        return scene_keep(s, c, S("counted"), into, out, e);
    }
    if (str_eq(c->tool, S("big"))) {
        AUTO(Buf) text = { 0 };
        json_int_t n = json_integer_value(json_object_get(c->object, "lines"));
        for (json_int_t i = 1; i <= n; i++)
            buf_addf(&text, "this is line %lld of a long result\n", (long long)i);
        return scene_keep(s, c, buf_str(&text), into, out, e);
    }
    if (str_eq(c->tool, S("bytes"))) {
        out->text = S("bad \xFF\xFE bytes");
        return JOT_OK;
    }
    if (str_eq(c->tool, S("stop")) && s->failed != JOT_OK)
        return err_set(e, s->failed, "stopped on purpose");
    ToolHost host = { .m = s->m };
    ToolReply reply;
    if (!tool_find(TOOLS_SCRATCHPAD, c->tool)) {
        *out = (Reply){ .text = S("[UNKNOWN TOOL]"), .failed = true, .unknown = true };
        return JOT_OK;
    }
    TRY(tool_call(&host, c->tool, c->object, into, &reply, e));
    *out = (Reply){ .text = reply.text, .failed = reply.is_error };
    tool_reply_done(&reply);
    return JOT_OK;
}

static inline jot_status scene_recall(void *ctx, Str id, Arena *into, Reply *out, Err *e)
{
    const Scene *s = ctx;
    SinkView view;
    TRY(sink_view(s->m, id, 0, into, &view, e));
    *out = (Reply){ .text = sink_text(&view, POINT_TOOLS | POINT_NOTES, into) };
    return JOT_OK;
}

static inline void scene_budget(void *ctx, const Transcript *t, const Budget *b)
{
    (void)t;
    ((Scene *)ctx)->budgets++;
    ((Scene *)ctx)->newest = *b;
}

static inline void scene_compacted(void *ctx, const Compacted *c)
{
    ((Scene *)ctx)->compactions++;
    ((Scene *)ctx)->compacted = *c;
}

/* The script is the file "script" of the directory; requests go to "requests". */
static inline jot_status scene_open(Scene *s, Memory *m, const char *dir, Err *e)
{
    AUTO(Arena) a = { 0 };
    *s = (Scene){ .m = m, .dir = dir };
    Str url = arena_printf(&a, "script:%s/script?log=%s/requests", dir, dir);
    TRY(llm_open(url, &(LlmOptions){ .io = m->io }, &s->llm, e));
    s->loop = (Loop){
        .m = m,
        .llm = s->llm,
        .tools = { .mutates = scene_mutates, .call = scene_call, .recall = scene_recall, .ctx = s },
        .view = { .budget = scene_budget, .compacted = scene_compacted, .ctx = s },
        .frame = { .sign = "5f3a9c0d1e2b4a67" }, /* so that runs can be compared */
        .setup = { .system = S("Work."),
                   .window = 100 * 1000,
                   .headroom = 1000,
                   .max_tokens = 1000,
                   .model = S("script") }
    };
    return JOT_OK;
}

static inline void scene_close(Scene *s)
{
    llm_close(s->llm);
    *s = (Scene){ 0 };
}
DEFINE_AUTO(Scene, scene_close)

static inline size_t scene_times(Str text, const char *part)
{
    size_t n = 0, length = strlen(part);
    const char *at = text.p, *found;
    while (at && (found = memmem(at, (size_t)(text.p + text.n - at), part, length))) {
        n++;
        at = found + length;
    }
    return n;
}

#endif
