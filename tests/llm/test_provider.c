/* test_provider.c - one table of promises, tried on every provider against a real server.
 *
 * tests/llm/server.py serves recorded and hostile streams on this machine.
 * Waits go through an Io that counts instead of sleeping, so a promise about
 * sixty seconds takes none. */
#include "llm/streams.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "net/http_client.h"

/* --- The server -------------------------------------------------------------------------- */

static pid_t server;
static int server_in = -1;
static int port, tls_port;

static int start_server(void **state)
{
    int in[2], out[2];
    char line[64] = "";
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    server = fork();
    if (server == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execlp("python3", "python3", getenv("LLM_SERVER"), getenv("LLM_STREAMS"), getenv("LLM_PEM"),
               (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    server_in = in[1];
    FILE *f = fdopen(out[0], "r");
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_int_equal(sscanf(line, "%d %d", &port, &tls_port), 2);
    setenv("ANTHROPIC_API_KEY", "key-of-anthropic", 1);
    setenv("OPENAI_API_KEY", "key-of-openai", 1);
    setenv("JOTTER_API_KEY", "key-of-others", 1);
    unsetenv("ANTHROPIC_BASE_URL");
    unsetenv("OPENAI_BASE_URL");
    unsetenv("JOTTER_API_KEY_FILE");
    return 0;
}

static int stop_server(void **state)
{
    int status = 0;
    close(server_in);
    return waitpid(server, &status, 0) == server && status == 0 ? 0 : -1;
}

/* --- A desk: one model and one conversation ---------------------------------------------- */

typedef struct Who {
    const char *name;
    int vendor;
    const char *before, *behind; /* around the place, in an address */
} Who;

static const Who everybody[] = {
    { "anthropic", VENDOR_ANTHROPIC, "anthropic:claude-test?base=", "" },
    { "openai", VENDOR_OPENAI, "openai:gpt-test?base=", "" },
    { "compatible", VENDOR_OPENAI, "", "#gpt-test" },
};

typedef struct Desk {
    Llm *llm;
    Io io;
    Arena arena;
    LlmRequest request;
    LlmPart question;
    LlmMessage message;
    LlmReply reply;
    Err e;
    Buf shown;
    char id[32];
    int64_t slept_us, clock_ms, clock_step_ms;
    int again;
    int cancel_at, asked; /* cancelled() is true from the cancel_at-th time on; 0: never */
} Desk;

static int desks;

static int64_t wall_ms(void *ctx)
{
    return 1000 * 1000;
}

static int64_t awake_ms(void *ctx)
{
    Desk *d = ctx;
    return d->clock_ms += d->clock_step_ms;
}

static void sleep_us(void *ctx, int64_t us)
{
    ((Desk *)ctx)->slept_us += us;
}

static void no_dice(void *ctx, void *out, size_t n)
{
    static uint32_t next = 0;
    memset(out, 0, n);
    /* Ids must differ; the dice for a wait, four bytes, stay at 0. */
    if (n != sizeof next)
        memcpy(out, &next, n < sizeof next ? n : sizeof next);
    next++;
}

static bool cancelled(void *ctx)
{
    Desk *d = ctx;
    d->asked++;
    return d->cancel_at && d->asked >= d->cancel_at;
}

static void on_again(void *ctx, int64_t ms, const char *why)
{
    Desk *d = ctx;
    d->again++;
    assert_true(ms >= 0 && why[0]);
}

static void desk_init(Desk *d)
{
    *d = (Desk){ 0 };
    d->io = (Io){ .wall_ms = wall_ms, .sleep_us = sleep_us, .random = no_dice, .ctx = d };
    d->question = (LlmPart){ .text = S("go") };
    d->message = (LlmMessage){ LLM_USER, &d->question, 1 };
    d->request = (LlmRequest){ .messages = &d->message,
                               .n_messages = 1,
                               .on_again = on_again,
                               .cancelled = cancelled,
                               .ctx = d };
    snprintf(d->id, sizeof d->id, "t%d", ++desks);
}

static void desk_done(Desk *d)
{
    llm_close(d->llm);
    arena_free(&d->arena);
    buf_free(&d->shown);
    *d = (Desk){ 0 };
}

DEFINE_AUTO(Desk, desk_done)

static jot_status open_at(Desk *d, const Who *who, const char *base, const char *behind)
{
    char url[800];
    snprintf(url, sizeof url, "%s%s%s%s", who->before, base, behind, who->behind);
    LlmOptions options = { .io = &d->io };
    llm_close(d->llm);
    d->llm = NULL;
    d->e = (Err){ 0 };
    return llm_open(str(url), &options, &d->llm, &d->e);
}

/* Open who's model at the server, which will play `steps`. */
static void open_steps(Desk *d, const Who *who, const char *steps)
{
    char base[256];
    desk_init(d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/%s/%s", port, d->id, steps);
    if (open_at(d, who, base, "") != JOT_OK)
        print_error("%s\n", d->e.text);
    assert_non_null(d->llm);
}

/* Ask; the reply or the failure is shown. */
static jot_status ask(Desk *d)
{
    d->e = (Err){ 0 };
    jot_status st = llm_ask(d->llm, &d->request, &d->arena, &d->reply, &d->e);
    if (st == JOT_OK) {
        show_reply(&d->shown, &d->reply);
        return st;
    }
    assert_int_equal(d->e.status, st);
    assert_sentence(&d->e);
    show_failure(&d->shown, &d->e, false);
    return st;
}

static jot_status collect(void *ctx, Str bytes, Err *e)
{
    buf_add(ctx, bytes);
    return JOT_OK;
}

/* What the server was asked under an id, as JSON; the caller owns it. */
static json_t *log_of(const char *id)
{
    char url[96];
    AUTO(Buf) body = { 0 };
    AUTO(HttpAnswer) answer = { 0 };
    AUTO_PTR(HttpClient) client = http_client_new(&io_system);
    Err e = { 0 };
    json_t *log = NULL;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/log/%s", port, id);
    HttpCall r = { .method = "GET", .url = url, .on_body = collect, .ctx = &body };
    assert_int_equal(http_send(client, &r, &answer, &e), JOT_OK);
    assert_int_equal(answer.status, 200);
    assert_int_equal(json_read(buf_str(&body), &log, &e), JOT_OK);
    return log;
}

static size_t times_asked(const Desk *d)
{
    AUTO_PTR(json_t) log = log_of(d->id);
    return json_array_size(log);
}

/* --- The table of promises --------------------------------------------------------------- */

#define HELLO "text(Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!) end 25/0/0/15"
#define BROKE_OFF "fail io: the provider's answer broke off"
#define OVERFLOW "fail too_big: the request is too long for the model (HTTP 400): "

typedef struct Row {
    const char *steps;
    const char *want;   /* the beginning of what is shown */
    size_t asks;        /* how often the server is asked */
    int64_t waited_ms;  /* altogether */
    const char *openai; /* what differs for these; NULL: nothing */
    size_t openai_asks;
    int64_t openai_waited_ms;
} Row;

#define SAME NULL, 0, 0

/* clang-format off */
static const Row rows[] = {
    { "ok-text", HELLO, 1, 0, SAME },
    { "bytes-text", HELLO, 1, 0, SAME },
    { "rude-text", HELLO, 1, 0, SAME },
    { "429-after_2/ok-text", HELLO, 2, 2000, SAME },
    { "429-after_0/ok-text", HELLO, 2, 0, SAME },
    { "429-after_1.5/ok-text", HELLO, 2, 1500, SAME },
    { "429-after_ms_150/ok-text", HELLO, 2, 150, SAME },
    { "429-date/ok-text", HELLO, 2, 7000, SAME },
    { "429-after_soon/ok-text", HELLO, 2, 500, SAME },
    { "429-after_2", "fail unavailable: the provider's rate limit is reached (HTTP 429): because of 429", 3, 4000, SAME },
    { "429-after_3600", "fail unavailable: not before 3600 seconds: the provider's rate limit", 1, 0, SAME },
    { "429", "fail unavailable: the provider's rate limit is reached", 1, 0,
             "fail unavailable: the provider's rate limit is reached", 3, 1500 },
    { "429-should/ok-text", HELLO, 2, 500, SAME },
    { "429-quota", "fail unavailable: the account at the provider is spent (HTTP 429)", 1, 0, SAME },
    { "429-too_large", "fail too_big: the request is too long for the model (HTTP 429)", 1, 0, SAME },
    { "529/ok-text", HELLO, 2, 500, SAME },
    { "529", "fail unavailable: the provider is overloaded (HTTP 529): because of 529", 3, 1500, SAME },
    { "503/ok-text", HELLO, 2, 500, SAME },
    { "500/503/ok-text", HELLO, 3, 1500, SAME },
    { "500", "fail io: the provider failed (HTTP 500): because of 500", 3, 1500, SAME },
    { "502-html/ok-text", HELLO, 2, 500, SAME },
    { "502-html", "fail io: the provider failed (HTTP 502)", 3, 1500, SAME },
    { "408/409/ok-text", HELLO, 3, 1500, SAME },
    { "500-never", "fail io: the provider failed (HTTP 500)", 1, 0, SAME },
    { "400-should/ok-text", HELLO, 2, 500, SAME },
    { "400", "fail invalid: the provider refuses the request (HTTP 400): because of 400", 1, 0, SAME },
    { "422", "fail invalid: the provider refuses the request (HTTP 422)", 1, 0, SAME },
    { "401", "fail denied: the provider refuses the key (HTTP 401): because of 401", 1, 0, SAME },
    { "403", "fail denied: the provider refuses the key (HTTP 403)", 1, 0, SAME },
    { "402", "fail unavailable: the account at the provider is spent (HTTP 402)", 1, 0, SAME },
    { "404", "fail not_found: the provider has no such model (HTTP 404)", 1, 0, SAME },
    { "413", "fail too_big: the request is too long for the model (HTTP 413)", 1, 0, SAME },
    { "400-overflow", OVERFLOW "prompt is too long", 1, 0, OVERFLOW "This model's maximum context", 1, 0 },
    { "400-other_overflow", OVERFLOW "input length and", 1, 0, OVERFLOW "the request exceeds", 1, 0 },
    { "302-elsewhere", "fail invalid: the provider points elsewhere, which is not followed (HTTP 302)", 1, 0, SAME },
    { "cut-text/ok-text", HELLO, 2, 500, SAME },
    { "cut-text", "fail io: ", 3, 1500, SAME },
    { "drop/ok-text", HELLO, 2, 500, SAME },
    { "drop", "fail io: could not complete the HTTP request", 3, 1500, SAME },
    { "garbage", "fail io: could not complete the HTTP request", 3, 1500, SAME },
    { "headers", "fail io: the headers of the answer are too long", 1, 0, SAME },
    { "huge-21000000", "fail io: an event of the stream is too long", 1, 0, SAME },
    { "huge-17000000", "fail io: the reply is too long", 1, 0, SAME },
    { "ok-error/ok-text", HELLO, 2, 500, SAME },
    { "ok-error", "fail unavailable: the provider is overloaded: Overloaded", 3, 1500, SAME },
};
/* clang-format on */

static void check_row(const Who *who, size_t i)
{
    const Row *row = &rows[i];
    AUTO(Desk) d;
    bool other = who->vendor == VENDOR_OPENAI && row->openai;
    const char *want = other ? row->openai : row->want;
    size_t asks = other ? row->openai_asks : row->asks;
    int64_t waited = other ? row->openai_waited_ms : row->waited_ms;
    open_steps(&d, who, row->steps);
    ask(&d);
    size_t asked = times_asked(&d);
    bool good = strncmp(d.shown.p, want, strlen(want)) == 0 && asked == asks &&
                d.slept_us == waited * 1000 && (size_t)d.again == asks - 1;
    if (!good)
        print_error("%s, %s: asked %zu, waited %lld ms\n%s\n", who->name, row->steps, asked,
                    (long long)d.slept_us / 1000, d.shown.p);
    assert_true(good);
}

static void every_provider_keeps_every_promise(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++)
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            check_row(&everybody[w], i);
}

static void recorded_streams_mean_the_same_over_a_connection(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++)
        for (size_t i = 0; i < COUNT_OF(stream_rows); i++) {
            char steps[64];
            AUTO(Desk) d = { 0 };
            const char *want = stream_want(&stream_rows[i], everybody[w].vendor);
            if (!want)
                continue;
            snprintf(steps, sizeof steps, "%s-%s", i % 2 ? "ok" : "bytes", stream_rows[i].name);
            open_steps(&d, &everybody[w], steps);
            ask(&d);
            const char *again = strstr(want, " again:");
            bool good = again ? strncmp(d.shown.p, want, (size_t)(again - want)) == 0
                              : strcmp(d.shown.p, want) == 0;
            if (!good)
                print_error("got  %s\nwant %s\n", d.shown.p, want);
            assert_row(good, i, stream_rows[i].name);
            assert_int_equal(d.again, again ? 2 : 0);
        }
}

static void huge_arguments_arrive_whole(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "huge-4000000");
        assert_int_equal(ask(&d), JOT_OK);
        assert_int_equal(d.reply.parts[0].args.n, 4000000);
        assert_false(d.reply.parts[0].broken);
    }
}

static void an_answer_that_is_no_stream_is_understood(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[2], "json-x");
    assert_int_equal(ask(&d), JOT_OK);
    assert_string_equal(d.shown.p, "text(whole) end 3/0/0/1");
}

static void the_model_is_named_as_the_provider_names_it(void **state)
{
    static const char *const names[] = { "claude-sonnet-4-5-20250929", "gpt-5-2025-08-07",
                                         "gpt-5-2025-08-07" };
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "ok-text");
        assert_int_equal(ask(&d), JOT_OK);
        assert_str(d.reply.model, str(names[w]));
    }
}

/* --- What is sent ------------------------------------------------------------------------ */

static const LlmPart asked_parts[] = { { .text = T("which kernel?") } };
static const LlmPart said_parts[] = {
    { .kind = LLM_RAW,
      .text = T("{\"type\":\"thinking\",\"thinking\":\"h\\u0000m\","
                "\"signature\":\"s==\"}") },
    { .text = T("I look.") },
    { .kind = LLM_CALL, .id = T("a"), .name = T("shell"), .args = T("{\"c\":\n \"uname\"}") },
    { .kind = LLM_CALL,
      .id = T("b"),
      .name = T("shell"),
      .args = T("{\"c\": \"un"),
      .broken = true },
};
static const LlmPart result_parts[] = {
    { .text = T("a warning") },
    { .kind = LLM_RESULT, .id = T("a"), .text = T("6.1\xff\n") },
    { .kind = LLM_RESULT, .id = T("b"), .text = T("not run"), .is_error = true },
    { .text = T("") },
    { .text = T("go on") },
};
static const LlmMessage talk[] = {
    { LLM_USER, asked_parts, COUNT_OF(asked_parts) },
    { LLM_ASSISTANT, NULL, 0 },
    { LLM_ASSISTANT, said_parts, COUNT_OF(said_parts) },
    { LLM_USER, result_parts, COUNT_OF(result_parts) },
};
static const LlmTool tools[] = {
    { T("shell"), T("Runs a \"command\"."), T("{\n  \"type\": \"object\"\n}") },
};

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}}"

static const char *const sent[] = {
    "{\"model\":\"claude-test\",\"max_tokens\":100,\"stream\":true,\"system\":[{\"type\":\"text\","
    "\"text\":\"be brief\"" MARK "],\"tools\":[{\"name\":\"shell\",\"description\":"
    "\"Runs a \\\"command\\\".\",\"input_schema\":{   \"type\": \"object\" }}],\"messages\":["
    "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"which kernel?\"}]},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\\u0000m\","
    "\"signature\":\"s==\"},{\"type\":\"text\",\"text\":\"I look.\"},{\"type\":\"tool_use\","
    "\"id\":\"a\",\"name\":\"shell\",\"input\":{\"c\":  \"uname\"}},{\"type\":\"tool_use\","
    "\"id\":\"b\",\"name\":\"shell\",\"input\":{\"INVALID_JSON\":\"{\\\"c\\\": \\\"un\"}}]},"
    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":"
    "\"6.1\xEF\xBF\xBD\\n\"},{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":"
    "\"not run\",\"is_error\":true},{\"type\":\"text\",\"text\":\"a warning\"},{\"type\":"
    "\"text\",\"text\":\"go on\"" MARK "]}]}",
    "{\"model\":\"gpt-test\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
    "\"max_completion_tokens\":100,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
    "\"shell\",\"description\":\"Runs a \\\"command\\\".\",\"parameters\":{   \"type\": \"object\" "
    "}}}],\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\","
    "\"content\":\"which kernel?\"},{\"role\":\"assistant\",\"content\":\"I look.\",\"tool_calls\":"
    "[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":"
    "\"{\\\"c\\\":  \\\"uname\\\"}\"}},{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":"
    "\"shell\",\"arguments\":\"{\\\"INVALID_JSON\\\":\\\"{\\\\\\\"c\\\\\\\": \\\\\\\"un\\\"}\"}}]},"
    "{\"role\":\"tool\",\"content\":\"6.1\xEF\xBF\xBD\\n\",\"tool_call_id\":\"a\"},{\"role\":"
    "\"tool\",\"content\":\"Error: not run\",\"tool_call_id\":\"b\"},{\"role\":\"user\",\"content\""
    ":\"a warning\\n\\ngo on\"}]}",
};

static void the_bytes_shown_are_the_bytes_sent(void **state)
{
    for (size_t w = 0; w < 2; w++) {
        AUTO(Desk) d;
        AUTO(Buf) text = { 0 };
        open_steps(&d, &everybody[w], "ok-text");
        d.request.system = S("be brief");
        d.request.max_tokens = 100;
        d.request.tools = tools;
        d.request.n_tools = 1;
        d.request.messages = talk;
        d.request.n_messages = COUNT_OF(talk);
        assert_int_equal(llm_request_text(d.llm, &d.request, &text, &d.e), JOT_OK);
        assert_str(buf_str(&text), str(sent[w]));
        assert_int_equal(ask(&d), JOT_OK);
        AUTO_PTR(json_t) log = log_of(d.id);
        assert_str(json_str(json_object_get(json_array_get(log, 0), "body")), buf_str(&text));
        AUTO_PTR(json_t) value = NULL;
        assert_int_equal(json_read(buf_str(&text), &value, &d.e), JOT_OK);
    }
}

static void each_key_goes_to_its_own_provider_only(void **state)
{
    static const char *const headers[] = { "x-api-key", "authorization", "authorization" };
    static const char *const values[] = { "key-of-anthropic", "Bearer key-of-openai",
                                          "Bearer key-of-others" };
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        AUTO(Buf) all = { 0 };
        open_steps(&d, &everybody[w], "ok-text");
        assert_int_equal(ask(&d), JOT_OK);
        AUTO_PTR(json_t) log = log_of(d.id);
        json_t *got = json_object_get(json_array_get(log, 0), "headers");
        assert_str(json_str(json_object_get(got, headers[w])), str(values[w]));
        assert_int_equal(json_object_get(got, "anthropic-version") != NULL, w == 0);
        json_write(&all, log);
        buf_add_char(&all, 0);
        const char *first = strstr(all.p, "key-of-");
        assert_non_null(first);
        assert_null(strstr(first + 1, "key-of-"));
    }
}

static void a_redirect_takes_nothing_along(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "302-elsewhere");
        assert_int_equal(ask(&d), JOT_INVALID);
        AUTO_PTR(json_t) log = log_of("stolen");
        assert_int_equal(json_array_size(log), 0);
    }
}

static void a_key_is_not_shown_even_if_the_provider_shows_it(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "401-echo");
        assert_int_equal(ask(&d), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "bad key"));
        assert_null(strstr(d.e.text, "key-of"));
    }
}

static void a_reply_goes_back_as_it_came(void **state)
{
    AUTO(Desk) d;
    AUTO(Buf) text = { 0 };
    open_steps(&d, &everybody[0], "ok-thinking");
    assert_int_equal(ask(&d), JOT_OK);
    LlmPart more = { .text = S("and?") };
    const LlmMessage messages[] = { d.message,
                                    { LLM_ASSISTANT, d.reply.parts, d.reply.n },
                                    { LLM_USER, &more, 1 } };
    d.request.messages = messages;
    d.request.n_messages = 3;
    assert_int_equal(llm_request_text(d.llm, &d.request, &text, &d.e), JOT_OK);
    buf_add_char(&text, 0);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(text.p, d.reply.parts[i].text.p));
    assert_non_null(strstr(text.p, "\"signature\":\"EqQBCgIYAhIM1gbcDa9GJwZA2b3h==\"}"));
}

static void a_request_that_is_too_long_is_not_sent(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        AUTO(Buf) text = { 0 };
        open_steps(&d, &everybody[w], "ok-text");
        memset(buf_room(&text, LLM_REQUEST_MAX), w == 1 ? 0xff : 'x', LLM_REQUEST_MAX);
        buf_grew(&text, LLM_REQUEST_MAX);
        d.question.text = buf_str(&text);
        assert_int_equal(ask(&d), JOT_TOO_BIG);
        assert_int_equal(times_asked(&d), 0);
    }
}

/* --- Cancelling, and waiting in vain ----------------------------------------------------- */

static void it_can_be_cancelled_at_any_moment(void **state)
{
    static const char *const steps[] = { "bytes-calls", "stall", "hang-text" };
    for (size_t w = 0; w < 2; w++)
        for (size_t s = 0; s < COUNT_OF(steps); s++)
            for (int at = 1; at < 8; at++) {
                AUTO(Desk) d;
                open_steps(&d, &everybody[w], steps[s]);
                d.cancel_at = at;
                jot_status st = ask(&d);
                assert_row(st == JOT_CANCELLED || (s == 0 && st == JOT_OK), s, d.shown.p);
                assert_int_equal(d.again, 0);
            }
}

static void a_wait_can_be_cancelled(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[1], "503-after_50");
    d.io.sleep_us = sleep_us;
    d.cancel_at = 100;
    assert_int_equal(ask(&d), JOT_CANCELLED);
    assert_true(d.slept_us > 0 && d.slept_us < 10 * 1000 * 1000);
    assert_int_equal(times_asked(&d), 1);
}

/* A place where nobody answers the first packet: a listener whose queue is full. */
static int full_listener(int *at, int clients[4])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    for (int i = 0; i < 4; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(clients[i], (struct sockaddr *)&a, sizeof a);
    }
    *at = ntohs(a.sin_port);
    return fd;
}

static void connecting_can_be_cancelled(void **state)
{
    int at = 0, clients[4];
    int fd = full_listener(&at, clients);
    char base[64];
    AUTO(Desk) d;
    desk_init(&d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/v1", at);
    assert_int_equal(open_at(&d, &everybody[1], base, ""), JOT_OK);
    d.cancel_at = 4;
    assert_int_equal(ask(&d), JOT_CANCELLED);
    assert_int_equal(d.again, 0);
    for (int i = 0; i < 4; i++)
        close(clients[i]);
    close(fd);
}

static void silence_is_not_waited_for_for_ever(void **state)
{
    static const char *const steps[] = { "stall", "hang-text" };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[i], steps[i]);
        d.io.awake_ms = awake_ms;
        d.clock_step_ms = 50 * 1000;
        assert_int_equal(ask(&d), JOT_IO);
        assert_string_equal(d.e.text, "the server said nothing for 300 seconds");
        assert_int_equal(d.again, 2);
    }
}

static void a_place_where_nobody_listens_is_tried_three_times(void **state)
{
    AUTO(Desk) d;
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    char base[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* bound, but not listening */
    assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    desk_init(&d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/v1", ntohs(a.sin_port));
    assert_int_equal(open_at(&d, &everybody[2], base, ""), JOT_OK);
    assert_int_equal(ask(&d), JOT_IO);
    assert_int_equal(d.again, 2);
    assert_int_equal(d.slept_us, 1500 * 1000);
    close(fd);
}

static void a_connection_is_kept_and_not_inherited(void **state)
{
    AUTO(Desk) d;
    int found = 0;
    open_steps(&d, &everybody[1], "ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_in a = { 0 };
        socklen_t n = sizeof a;
        if (getpeername(fd, (struct sockaddr *)&a, &n) != 0 || ntohs(a.sin_port) != port)
            continue;
        found++;
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    }
    assert_int_equal(found, 1);
}

/* --- TLS --------------------------------------------------------------------------------- */

static void an_unknown_certificate_is_refused_before_the_key_is_sent(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost" };
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        AUTO(Desk) d;
        char base[128], behind[600];
        desk_init(&d);
        snprintf(base, sizeof base, "https://%s:%d/%s/ok-text", hosts[i], tls_port, d.id);
        assert_int_equal(open_at(&d, &everybody[1], base, ""), JOT_OK);
        assert_int_equal(ask(&d), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "certificate"));
        assert_int_equal(d.again, 0);
        assert_int_equal(times_asked(&d), 0);
        /* Known, it is good for the name it was made for and for no other. */
        snprintf(behind, sizeof behind, "&ca=%s", getenv("LLM_PEM"));
        assert_int_equal(open_at(&d, &everybody[1], base, behind), JOT_OK);
        assert_int_equal(ask(&d), i == 0 ? JOT_OK : JOT_DENIED);
        assert_int_equal(times_asked(&d), i == 0 ? 1 : 0);
    }
}

/* --- Addresses and keys ------------------------------------------------------------------ */

typedef struct Wrong {
    const char *url;
    jot_status status;
    const char *why;
} Wrong;

static const Wrong wrongs[] = {
    { "anthropic:", JOT_INVALID, "names its model" },
    { "openai:", JOT_INVALID, "names its model" },
    { "http://127.0.0.1/v1", JOT_INVALID, "names its model" },
    { "https:gpt", JOT_INVALID, "https://HOST/PATH" },
    { "http:///v1#x", JOT_INVALID, "https://HOST/PATH" },
    { "http://ann:secret@127.0.0.1/v1#x", JOT_INVALID, "holds no key" },
    { "http://example.com/v1#x", JOT_DENIED, "'example.com' would show everything" },
    { "http://127.0.0.1.example.com/v1#x", JOT_DENIED, "would show everything" },
    { "http://127.0.0.256/v1#x", JOT_DENIED, "would show everything" },
    { "http://10.0.0.1/v1#x", JOT_DENIED, "would show everything" },
    { "http://10.0.0.1/v1?plain_http=maybe#x", JOT_INVALID, "yes or no" },
    { "openai:x?base=http://example.com", JOT_DENIED, "would show everything" },
    { "openai:x?base=ftp://example.com", JOT_INVALID, "https://HOST/PATH" },
    { "openai:x?windows=1", JOT_INVALID, "unknown setting 'windows'" },
    { "openai:x?thinking=5", JOT_INVALID, "anthropic: only" },
    { "anthropic:x?thinking=much", JOT_INVALID, "adaptive" },
    { "http://127.0.0.1/v1?base=http://127.0.0.1#x", JOT_INVALID, "unknown setting 'base'" },
};

static void a_wrong_address_is_refused(void **state)
{
    for (size_t i = 0; i < COUNT_OF(wrongs); i++) {
        AUTO_PTR(Llm) llm = NULL;
        Err e = { 0 };
        jot_status st = llm_open(str(wrongs[i].url), NULL, &llm, &e);
        assert_row(st == wrongs[i].status && strstr(e.text, wrongs[i].why), i, e.text);
        assert_null(strstr(e.text, "secret"));
        assert_sentence(&e);
    }
}

static void places_that_are_allowed_open(void **state)
{
    static const char *const urls[] = {
        "http://127.0.0.1:11434/v1#qwen3:8b",
        "http://127.9.9.9/v1/#x",
        "http://localhost/v1#x",
        "http://[::1]:8080/v1#x",
        "http://10.0.0.1/v1?plain_http=yes#x",
        "https://example.com/v1#x",
        "anthropic:claude-x?thinking=2048",
        "anthropic:claude-x?thinking=adaptive",
        "openai:gpt-5",
    };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        AUTO_PTR(Llm) llm = NULL;
        Err e = { 0 };
        assert_row(llm_open(str(urls[i]), NULL, &llm, &e) == JOT_OK, i, e.text);
    }
}

static void windows_are_known_or_given(void **state)
{
    static const struct {
        const char *url;
        uint64_t given, want;
    } known[] = {
        { "anthropic:claude-sonnet-4-5", 0, 200000 },
        { "openai:gpt-4o-mini", 0, 128000 },
        { "openai:gpt-4.1", 0, 1047576 },
        { "openai:gpt-4", 0, 8192 },
        { "openai:whatever", 0, 0 },
        { "openai:whatever", 77, 77 },
        { "openai:gpt-4o", 77, 77 },
        { "openai:gpt-4o?window=99", 77, 99 },
        { "http://127.0.0.1/v1#m?window=4096", 0, 4096 },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        AUTO_PTR(Llm) llm = NULL;
        LlmOptions options = { .window = known[i].given };
        assert_int_equal(llm_open(str(known[i].url), &options, &llm, NULL), JOT_OK);
        assert_row(llm_window(llm) == known[i].want, i, known[i].url);
    }
}

static jot_status open_with_file(const char *path, Desk *d, const char *steps)
{
    char url[256];
    LlmOptions options = { .io = &d->io, .key_file = path };
    llm_close(d->llm);
    d->llm = NULL;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s/%s#m", port, d->id, steps);
    return llm_open(str(url), &options, &d->llm, &d->e);
}

static void write_key(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void a_key_file_must_be_closed_to_others(void **state)
{
    char path[] = "/tmp/jotter-key-XXXXXX";
    AUTO(Desk) d;
    desk_init(&d);
    close(mkstemp(path));
    static const mode_t wide[] = { 0644, 0640, 0604, 0620, 0601 };
    for (size_t i = 0; i < COUNT_OF(wide); i++) {
        write_key(path, "file-key\n", wide[i]);
        assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "chmod 600"));
    }
    write_key(path, "two words\n", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
    assert_null(strstr(d.e.text, "two words"));
    write_key(path, "", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
    write_key(path, "file-key\n", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_OK);
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    json_t *headers = json_object_get(json_array_get(log, 0), "headers");
    assert_str(json_str(json_object_get(headers, "authorization")), S("Bearer file-key"));
    unlink(path);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_NOT_FOUND);
}

static void without_a_key_a_vendor_is_not_asked(void **state)
{
    AUTO_PTR(Llm) llm = NULL;
    Err e = { 0 };
    unsetenv("OPENAI_API_KEY");
    unsetenv("JOTTER_API_KEY");
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_DENIED);
    assert_non_null(strstr(e.text, "set OPENAI_API_KEY"));
    setenv("OPENAI_API_KEY", "a\nX-Evil: 1", 1);
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_DENIED);
    assert_null(strstr(e.text, "Evil"));
    setenv("OPENAI_API_KEY", "key-of-openai", 1);
    setenv("JOTTER_API_KEY_FILE", "/nowhere/at/all", 1);
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_OK);
    llm_close(llm);
    llm = NULL;
    assert_int_equal(llm_open(S("https://example.com/v1#m"), NULL, &llm, &e), JOT_NOT_FOUND);
    unsetenv("JOTTER_API_KEY_FILE");
    AUTO(Desk) d;
    open_steps(&d, &everybody[2], "ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    assert_null(
        json_object_get(json_object_get(json_array_get(log, 0), "headers"), "authorization"));
    setenv("JOTTER_API_KEY", "key-of-others", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_provider_keeps_every_promise),
        cmocka_unit_test(recorded_streams_mean_the_same_over_a_connection),
        cmocka_unit_test(huge_arguments_arrive_whole),
        cmocka_unit_test(an_answer_that_is_no_stream_is_understood),
        cmocka_unit_test(the_model_is_named_as_the_provider_names_it),
        cmocka_unit_test(the_bytes_shown_are_the_bytes_sent),
        cmocka_unit_test(each_key_goes_to_its_own_provider_only),
        cmocka_unit_test(a_redirect_takes_nothing_along),
        cmocka_unit_test(a_key_is_not_shown_even_if_the_provider_shows_it),
        cmocka_unit_test(a_reply_goes_back_as_it_came),
        cmocka_unit_test(a_request_that_is_too_long_is_not_sent),
        cmocka_unit_test(it_can_be_cancelled_at_any_moment),
        cmocka_unit_test(a_wait_can_be_cancelled),
        cmocka_unit_test(connecting_can_be_cancelled),
        cmocka_unit_test(silence_is_not_waited_for_for_ever),
        cmocka_unit_test(a_place_where_nobody_listens_is_tried_three_times),
        cmocka_unit_test(a_connection_is_kept_and_not_inherited),
        cmocka_unit_test(an_unknown_certificate_is_refused_before_the_key_is_sent),
        cmocka_unit_test(a_wrong_address_is_refused),
        cmocka_unit_test(places_that_are_allowed_open),
        cmocka_unit_test(windows_are_known_or_given),
        cmocka_unit_test(a_key_file_must_be_closed_to_others),
        cmocka_unit_test(without_a_key_a_vendor_is_not_asked),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
