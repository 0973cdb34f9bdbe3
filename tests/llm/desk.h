/* desk.h - a model at the test server, and one conversation with it.
 *
 * server.py serves recorded and hostile streams on this machine.  Waits go
 * through an Io that counts instead of sleeping, so a promise about sixty
 * seconds takes none. */
#ifndef LLM_DESK_H
#define LLM_DESK_H

#include "llm/streams.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "net/http_client.h"

/* --- The server -------------------------------------------------------------------------- */

static pid_t server;
static int server_in = -1;
static int port;
__attribute__((unused)) static int tls_port;

__attribute__((unused)) static int start_server(void **state)
{
    int in[2], out[2];
    char line[64] = "";
    assert_true(getenv("LLM_SERVER") && getenv("LLM_STREAMS") && getenv("LLM_PEM"));
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
    unsetenv("ANTHROPIC_AUTH_TOKEN");
    unsetenv("ANTHROPIC_BASE_URL");
    unsetenv("OPENAI_BASE_URL");
    unsetenv("JOTTER_API_KEY_FILE");
    setenv("XDG_CONFIG_HOME", "/nowhere", 1); /* where no models.yaml is */
    return 0;
}

__attribute__((unused)) static int stop_server(void **state)
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
    { "responses", VENDOR_RESPONSES, "openai:gpt-test?api=responses&base=", "" },
    { "compatible responses", VENDOR_RESPONSES, "", "?api=responses#gpt-test" },
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

__attribute__((unused)) static int64_t awake_ms(void *ctx)
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

__attribute__((unused)) static jot_status open_at(Desk *d, const Who *who, const char *base,
                                                  const char *behind)
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
__attribute__((unused)) static void open_steps(Desk *d, const Who *who, const char *steps)
{
    char base[256];
    desk_init(d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/%s/%s", port, d->id, steps);
    if (open_at(d, who, base, "") != JOT_OK)
        print_error("%s\n", d->e.text);
    assert_non_null(d->llm);
}

/* Ask; the reply or the failure is shown. */
__attribute__((unused)) static jot_status ask(Desk *d)
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
__attribute__((unused)) static json_t *log_of(const char *id)
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

__attribute__((unused)) static size_t times_asked(const Desk *d)
{
    AUTO_PTR(json_t) log = log_of(d->id);
    return json_array_size(log);
}

#endif
