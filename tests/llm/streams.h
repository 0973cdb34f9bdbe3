/* streams.h - what the recorded streams in streams/ mean, and a reply as one line.
 *
 * The same table is used for decoders alone (test_stream.c) and for providers
 * against a server (test_provider.c). */
#ifndef LLM_STREAMS_H
#define LLM_STREAMS_H

#include "unit/unit.h"

#include "llm/llm.h"

typedef struct StreamRow {
    const char *name;      /* streams/VENDOR/NAME.sse */
    const char *anthropic; /* the reply; NULL: this vendor has no such stream */
    const char *openai;    /* NULL: none; "=": the same as Anthropic's */
    const char *responses; /* NULL: none; "=": the same as OpenAI's */
} StreamRow;

/* A failure is written "fail STATUS [again]: SENTENCE".  An id that nobody sent is "*". */
/* clang-format off */
__attribute__((unused)) static const StreamRow stream_rows[] = {
    { "text", "text(Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!) end 25/0/0/15", "=", "=" },
    { "calls", "text(I look.) call(toolu_01 shell {\"command\": \"uname -r\", \"n\": 2}) "
               "call(toolu_02 done {}) calls 472/0/0/89", "=", "=" },
    { "cached", "text(ok) end 3/1000/200/7", "text(ok) end 3/1200/0/7", "=" },
    { "max_tokens_call", "text(Writing.) broken(toolu_01 write {\"path\": \"a\", \"text\": \"some) "
                         "max_tokens 25/0/0/8192", "=", "=" },
    { "max_tokens_empty_call", "broken(toolu_01 write {}) max_tokens 25/0/0/8192", "=", "=" },
    { "refusal", "text(I) refusal(not that) 25/0/0/3", "=", "=" },
    { "filtered", NULL, "text(I) refusal 25/0/0/3", "=" },
    { "thinking", "raw({\"type\":\"thinking\",\"thinking\":\"Let me \\\"see\\\"\\n\xE2\x80\xA6 925 = "
                  "5\xC2\xB7" "5\xC2\xB7" "37\",\"signature\":\"EqQBCgIYAhIM1gbcDa9GJwZA2b3h==\"}) "
                  "raw({\"type\":\"redacted_thinking\",\"data\":\"EmwKAhgBEgy3va3pzix/LafPsn4a=\"}) "
                  "text(37) end 25/0/0/15", NULL, NULL },
    { "pause", "raw({\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\","
               "\"input\":{\"query\":\"jotter\"}}) pause 25/0/0/15", NULL, NULL },
    { "window", "text(and then) window 25/0/0/40", NULL, NULL },
    { "unknown", "text(ab) end 25/0/0/15", "=", "=" },
    { "unknown_block", "raw({\"type\":\"hologram\",\"shape\":[1,{\"x\":null}],\"text\":\"ab\"}) "
                       "raw({\"type\":\"fallback\",\"from\":\"m1\"}) text(ok) end 25/0/0/15", NULL, NULL },
    { "error", "fail unavailable again: the provider is overloaded: Overloaded", "=", "=" },
    { "error_invalid", "fail invalid: the provider refuses the request: no",
                       "fail denied: the provider refuses the key: no", "=" },
    { "empty", "end 25/0/0/2", "=", "=" },
    { "bad_utf8", "text(a\xEF\xBF\xBD" "b\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80\\ud83d\xEF\xBF\xBD) end 25/0/0/15", "=", "=" },
    { "not_json", "fail io again: the provider's answer is not understood: an event is not JSON", "=", "=" },
    { "bad_args", "broken(toolu_01 shell {\"a\": 01}) broken(toolu_02 shell [\"a\"]) calls 25/0/0/15", "=", "=" },
    { "new_reason", "text(x) other(moonrise) 25/0/0/15", "=", "=" },
    { "same_ids", "call(toolu_01 a {}) call(* b {}) calls 25/0/0/15", "=", "=" },
    { "whole_input", "broken(toolu_01 a {\"x\":1}) refusal(cyber) 25/0/0/3", NULL, NULL },
    { "local_text_last", NULL, "text(after) call(toolu_01 a {}) call(toolu_02 b {}) calls 0/0/0/0", NULL },
    { "local_content_list", NULL, "text(Hello there) end 25/0/0/15", NULL },
    { "local_no_index", NULL, "text(I look.) call(toolu_01 shell {\"command\": \"uname -r\", \"n\": 2}) "
                              "call(toolu_02 done {}) calls 0/0/0/0", NULL },
    { "local_all_zero", NULL, "text(I look.) call(toolu_01 shell {\"command\": \"uname -r\", \"n\": 2}) "
                              "call(toolu_02 done {}) calls 0/0/0/0", NULL },
    { "local_no_ids", NULL, "text(I look.) call(* shell {\"command\": \"uname -r\", \"n\": 2}) "
                            "call(* done {}) calls 0/0/0/0", NULL },
    { "local_objects", NULL, "text(I look.) call(toolu_01 shell {\"command\":\"uname -r\",\"n\":2}) "
                             "call(toolu_02 done {}) calls 0/0/0/0",
      "text(I look.) call(toolu_01 shell {\"command\": \"uname -r\", \"n\": 2}) "
                             "call(toolu_02 done {}) calls 0/0/0/0" },
    { "local_repeats_name", NULL, "text(I look.) call(toolu_01 shell {\"command\": \"uname -r\", \"n\": 2}) "
                                  "call(toolu_02 done {}) calls 0/0/0/0", NULL },
    { "local_no_reason", NULL, "text(Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!) end 0/0/0/0", NULL },
    { "reasoning", NULL, "text(I look.) raw({\"type\":\"reasoning\",\"reasoning_content\":\"Let me \\\"see\\\"\\n\"}) "
                         "call(toolu_01 shell {}) calls 0/0/0/0",
      "raw({\"type\":\"response_item\",\"item\":{\"id\":\"rs_0\",\"type\":\"reasoning\","
                         "\"summary\":[],\"encrypted_content\":\"gAAA==\"}}) call(toolu_01 shell {}) text(I look.) "
                         "calls 25/0/0/15" },
    { "reasoning_twice", NULL, "raw({\"type\":\"reasoning\",\"reasoning_content\":\"so\"}) call(toolu_01 shell {}) "
                               "calls 0/0/0/0", NULL },
    { "reasoning_answer", NULL, "text(37) end 0/0/0/0",
      "text(37) end 25/0/0/15" },
    { "extra_content", NULL, "raw({\"type\":\"extra_content\",\"extra_content\":{\"google\":{\"thought_signature\":"
                             "\"c2ln\"}}}) call(toolu_01 shell {}) call(toolu_02 done {}) calls 0/0/0/0", NULL },
    { "local_usage_along", NULL, "text(Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!) end 25/0/0/15", NULL },
};
/* clang-format on */

enum { VENDOR_ANTHROPIC, VENDOR_OPENAI, VENDOR_RESPONSES, VENDORS };

__attribute__((unused)) static const char *const vendor_names[] = { "anthropic", "openai",
                                                                    "responses" };

/* What a vendor's stream must give; NULL if there is none. */
__attribute__((unused)) static const char *stream_want(const StreamRow *row, int vendor)
{
    const char *wants[] = { row->anthropic, row->openai, row->responses };
    while (wants[vendor] && strcmp(wants[vendor], "=") == 0)
        vendor--;
    return wants[vendor];
}

/* A raw part without where it comes from, which is another port each time. */
static void show_raw(Buf *to, Str text)
{
    const char *base = memmem(text.p, text.n, ",\"base\":\"", 9);
    size_t from = base ? (size_t)(base - text.p) : text.n, end = from + 9;
    while (end < text.n && text.p[end] != '"')
        end++;
    buf_add(to, str_slice(text, 0, from));
    buf_add(to, str_from(text, end + 1));
}

static void show_part(Buf *to, const LlmPart *p)
{
    if (p->kind == LLM_CALL) {
        bool sent = str_starts(p->id, S("toolu_"));
        buf_addf(to, "%s(" STR_FMT " " STR_FMT " " STR_FMT ") ", p->broken ? "broken" : "call",
                 STR_ARG(sent ? p->id : S("*")), STR_ARG(p->name), STR_ARG(p->args));
        assert_true(sent || (str_starts(p->id, S("call_")) && p->id.n > 16));
    } else if (p->kind == LLM_RAW) {
        buf_add(to, S("raw("));
        show_raw(to, p->text);
        buf_add(to, S(") "));
    } else {
        buf_addf(to, "text(" STR_FMT ") ", STR_ARG(p->text));
    }
}

/* The reply as one line, ended by a NUL. */
__attribute__((unused)) static void show_reply(Buf *to, const LlmReply *r)
{
    buf_clear(to);
    for (size_t i = 0; i < r->n; i++)
        show_part(to, &r->parts[i]);
    buf_addf(to, "%s", llm_stop_name(r->stop));
    if (r->why.n)
        buf_addf(to, "(" STR_FMT ")", STR_ARG(r->why));
    buf_addf(to, " %ju/%ju/%ju/%ju", (uintmax_t)r->usage.input, (uintmax_t)r->usage.cache_read,
             (uintmax_t)r->usage.cache_write, (uintmax_t)r->usage.output);
    buf_add_char(to, 0);
}

__attribute__((unused)) static void show_failure(Buf *to, const Err *e, bool again)
{
    buf_clear(to);
    buf_addf(to, "fail %s%s: %s", status_info(e->status)->name, again ? " again" : "", e->text);
    buf_add_char(to, 0);
}

#endif
