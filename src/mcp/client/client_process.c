/* client_process.c - starting a program, and asking it one thing at a time.
 *
 *              to_send            in
 *     ask  ---> [bytes] -------> standard input \
 *      ^                                          the program, in a session of its own
 *      |        lines  <-------- standard output /
 *      +--- is it the answer to this id?  else a ping, progress, or nothing of ours
 *               err_tail <------ standard error: its last line, for when it exits
 *
 * Both pipes are non-blocking and are served together: a program that writes
 * before it reads, or reads nothing at all, cannot hold us up.  Time is the real
 * one: limits on a real process are. */
#include "mcp/client/client_process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/time.h"

enum {
    TICK_MS = 50,
    SEND_MAX = 64 * 1024 * 1024, /* bytes that wait for it */
};

extern char **environ;

/* --- Starting and ending ------------------------------------------------------------------- */

static jot_status make_pipe(Fd *in, Fd *out, Err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_errno(e, errno, "could not make a pipe");
    *in = ends[0];
    *out = ends[1];
    return JOT_OK;
}

static NO_RETURN void exec_program(int in, int out, int err, char *const *argv, char *const *env)
{
    sigset_t none;
    /* A session of its own, so that everything it starts can be ended with it; and it ends with us,
     * however we do. */
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
        execve(argv[0], argv, env);
    _exit(127);
}

jot_status client_process_open(ClientProcess *out, Str command, Err *e)
{
    assert(!out->pid && !out->command.n);
    ClientProcess p = { .in = FD_NONE,
                        .out = FD_NONE,
                        .err = FD_NONE,
                        .lines = { .max = CLIENT_PROCESS_LINE_MAX, .early = true },
                        .to_send = { .max = SEND_MAX },
                        .cancelled = out->cancelled,
                        .ctx = out->ctx };
    AUTO(Fd) its_in = FD_NONE;
    AUTO(Fd) its_out = FD_NONE;
    AUTO(Fd) its_err = FD_NONE;
    *out = p;
    out->command = arena_copy(&out->arena, command);
    char *argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, arena_cstr(&out->arena, command),
                     NULL };
    /* Our environment without what looks like a model's key: the program is a stranger's. */
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **env = NEW_ARRAY(&out->arena, char *, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!str_ends(str_slice(str(environ[i]), 0, str_find(str(environ[i]), '=')), S("_API_KEY")))
            env[kept++] = environ[i];
    TRY(make_pipe(&its_in, &out->in, e));
    TRY(make_pipe(&out->out, &its_out, e));
    TRY(make_pipe(&out->err, &its_err, e));
    out->pid = fork();
    if (out->pid < 0) {
        out->pid = 0;
        return err_errno(e, errno, "could not start a process");
    }
    if (out->pid == 0)
        exec_program(its_in, its_out, its_err, argv, env);
    fcntl(out->in, F_SETFL, O_NONBLOCK);
    fcntl(out->out, F_SETFL, O_NONBLOCK);
    fcntl(out->err, F_SETFL, O_NONBLOCK);
    return JOT_OK;
}

/* True if it has ended within the time; it stays a zombie, which keeps its number taken. */
static bool ends_within(int pid, int64_t ms)
{
    int64_t end = time_steady_ms() + ms;
    for (;;) {
        siginfo_t info = { 0 };
        int got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (got < 0 && errno != EINTR)
            return true;
        if (got == 0 && info.si_pid == pid)
            return true;
        if (time_steady_ms() >= end)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
}

void client_process_close(ClientProcess *p)
{
    if (p->pid) {
        /* First politely: its input ends.  Then by signals, to all that it has started. */
        fd_close(&p->in);
        if (!ends_within(p->pid, CLIENT_PROCESS_END_MS)) {
            kill(-p->pid, SIGTERM);
            ends_within(p->pid, CLIENT_PROCESS_END_MS);
        }
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        for (int i = 0; i < CLIENT_PROCESS_END_MS && kill(-p->pid, 0) == 0; i++)
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    if (p->command.n) {
        fd_close(&p->in);
        fd_close(&p->out);
        fd_close(&p->err);
    }
    rpc_lines_done(&p->lines);
    buf_free(&p->to_send);
    arena_free(&p->arena);
    *p = (ClientProcess){ 0 };
}

/* --- Bytes --------------------------------------------------------------------------------- */

static void send_some(ClientProcess *p)
{
    /* A program that closed its input must not end us. */
    sigset_t pipe_only, before;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t n = write(p->in, p->to_send.p, p->to_send.n);
    bool broken = n < 0 && errno == EPIPE;
    if (broken)
        sigtimedwait(&pipe_only, NULL, &(struct timespec){ 0 });
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (n > 0) {
        memmove(p->to_send.p, p->to_send.p + n, p->to_send.n - (size_t)n);
        p->to_send.n -= (size_t)n;
    } else if (broken) {
        buf_clear(&p->to_send); /* its output may still hold an answer, or an end */
        fd_close(&p->in);
    }
}

/* Keep the end of what it says there. */
static void read_err(ClientProcess *p)
{
    char text[CLIENT_PROCESS_ERR_MAX];
    ssize_t n = read(p->err, text, sizeof text);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        fd_close(&p->err);
    if (n <= 0)
        return;
    size_t more = (size_t)n, keep = CLIENT_PROCESS_ERR_MAX - more;
    if (p->err_tail_n > keep) {
        memmove(p->err_tail, p->err_tail + p->err_tail_n - keep, keep);
        p->err_tail_n = keep;
    }
    memcpy(p->err_tail + p->err_tail_n, text, more);
    p->err_tail_n += more;
}

static void serve_pipes(ClientProcess *p, int wait_ms)
{
    struct pollfd at[] = { { .fd = p->out, .events = POLLIN },
                           { .fd = p->err, .events = POLLIN },
                           { .fd = p->to_send.n ? p->in : -1, .events = POLLOUT } };
    if (poll(at, COUNT_OF(at), wait_ms) <= 0)
        return;
    if (at[2].revents)
        send_some(p);
    if (at[1].revents)
        read_err(p);
    if (at[0].revents) {
        size_t room;
        char *to = rpc_lines_room(&p->lines, &room);
        ssize_t n = read(p->out, to, room);
        if (n > 0)
            rpc_lines_grew(&p->lines, (size_t)n);
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            p->gone = true;
    }
}

/* --- Messages ------------------------------------------------------------------------------ */

static void queue(ClientProcess *p, const json_t *message)
{
    json_write(&p->to_send, message);
    buf_add_char(&p->to_send, '\n');
}

void client_process_notify(ClientProcess *p, const char *method, json_t *params)
{
    AUTO_PTR(json_t) m = json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", method);
    if (params)
        json_object_set_new(m, "params", params);
    queue(p, m);
    if (p->in >= 0)
        send_some(p);
}

static jot_status is_gone(ClientProcess *p, Err *e)
{
    Shown name, said;
    for (int i = 0; i < 4 && p->err >= 0; i++) /* what it said last may still be on its way */
        serve_pipes(p, 20);
    /* The last line it wrote to standard error says why, if anything does. */
    Str all = { p->err_tail, p->err_tail_n };
    while (all.n && (all.p[all.n - 1] == '\n' || all.p[all.n - 1] == ' '))
        all.n--;
    size_t before = str_find_last(all, '\n');
    Str err = before < all.n ? str_from(all, before + 1) : all;
    return err_set(e, JOT_UNAVAILABLE, "the server '%s' has exited%s%s%s",
                   err_show(&name, p->command),
                   err.n ? "; the last line on its standard error: '" : "",
                   err.n ? err_show(&said, err) : "", err.n ? "'" : "");
}

/* Progress of the request that is asked.  It must grow, as MCP says: what says the same again and
 * again may be a server that hangs. */
static void take_progress(ClientProcess *p, const RpcMessage *m)
{
    const json_t *token = json_object_get(m->params, "progressToken");
    const json_t *number = json_object_get(m->params, "progress");
    if (!str_eq(m->method, S("notifications/progress")) || !json_is_integer(token) ||
        json_integer_value(token) != p->next_id || !json_is_number(number) ||
        json_number_value(number) <= p->progress)
        return;
    p->progress = json_number_value(number);
    p->progress_ms = time_steady_ms();
}

/* One line.  *done: it is the answer to `id`. */
static jot_status take_line(ClientProcess *p, Str line, Str id, json_t **result, bool *done, Err *e)
{
    AUTO(RpcMessage) m = { 0 };
    AUTO(RpcError) why = { 0 };
    Shown name, said;
    bool good = rpc_read(line, &m, &why);
    bool mine = (!good || m.kind == RPC_RESPONSE) && rpc_id_same(m.id, id);
    if (!good && !mine) {
        if (++p->bad_lines <= CLIENT_PROCESS_BAD_LINES_MAX)
            return JOT_OK;
        p->gone = true;
        return err_set(e, JOT_UNAVAILABLE, "the server '%s' sends lines that are not MCP messages",
                       err_show(&name, p->command));
    }
    if (m.kind == RPC_REQUEST) {
        /* Nothing is offered to a server but that we are there. */
        AUTO(Buf) reply = { 0 };
        AUTO_PTR(json_t) nothing = json_object();
        RpcError no = rpc_error(RPC_METHOD_NOT_FOUND, "this client offers no methods");
        if (str_eq(m.method, S("ping")))
            rpc_write_result(&reply, m.id, nothing);
        else
            rpc_write_error(&reply, m.id, &no);
        buf_add(&p->to_send, buf_str(&reply));
        buf_add_char(&p->to_send, '\n');
    }
    if (m.kind == RPC_NOTIFICATION)
        take_progress(p, &m);
    if (!mine)
        return JOT_OK;
    *done = true;
    if (!good || m.flawed)
        return err_set(e, JOT_UNAVAILABLE, "the answer from the server '%s' cannot be read: %s",
                       err_show(&name, p->command), why.text);
    const json_t *error = json_given(m.whole, "error");
    if (error) {
        json_int_t code = json_integer_value(json_object_get(error, "code"));
        return err_set(e, code == RPC_METHOD_NOT_FOUND ? JOT_UNSUPPORTED : JOT_INVALID,
                       "the server '%s' says: '%s' (%lld)", err_show(&name, p->command),
                       err_show(&said, json_member(error, "message")), (long long)code);
    }
    *result = json_incref(json_object_get(m.whole, "result"));
    return JOT_OK;
}

static jot_status give_up(ClientProcess *p, Str id, jot_status why, const ClientProcessAsk *ask,
                          Err *e)
{
    Shown name;
    bool stuck = p->progress >= 0 && time_steady_ms() - p->progress_ms >= ask->time_ms;
    int64_t ms = p->progress >= 0 && !stuck ? ask->time_ms_max : ask->time_ms;
    client_process_notify(p, "notifications/cancelled",
                          json_pack("{s:o, s:s}", "requestId",
                                    json_loadb(id.p, id.n, JSON_DECODE_ANY, NULL), "reason",
                                    why == JOT_CANCELLED ? "cancelled" : "timeout"));
    if (why == JOT_CANCELLED)
        return err_set(e, why, "cancelled");
    return err_set(e, why, "the server '%s' %s %lld s", err_show(&name, p->command),
                   stuck ? "made no progress for" : "did not answer within",
                   (long long)((ms + 999) / 1000));
}

jot_status client_process_ask(ClientProcess *p, const ClientProcessAsk *ask, json_t **result,
                              Err *e)
{
    char id[24];
    Str line;
    Shown name;
    bool done = false;
    int64_t start = time_steady_ms();
    int n = snprintf(id, sizeof id, "%lld", (long long)++p->next_id);
    Str own = { id, (size_t)n };
    assert(!ask->time_ms_max || ask->params);
    if (ask->time_ms_max) { /* it is asked to report its progress */
        json_t *meta = json_object_get(ask->params, "_meta");
        if (!meta)
            json_object_set_new(ask->params, "_meta", meta = json_object());
        json_object_set_new(meta, "progressToken", json_integer(p->next_id));
    }
    AUTO_PTR(json_t)
    m = json_pack("{s:s, s:I, s:s, s:o*}", "jsonrpc", "2.0", "id", (json_int_t)p->next_id, "method",
                  ask->method, "params", ask->params);
    *result = NULL;
    p->progress = -1;
    if (p->gone)
        return is_gone(p, e);
    queue(p, m);
    if (!buf_ok(&p->to_send)) {
        p->gone = true; /* half a message is in its pipe */
        return err_set(e, JOT_UNAVAILABLE, "the server does not read its input");
    }
    for (;;) {
        bool gone = p->gone;
        for (RpcLine got; !done && (got = rpc_lines_next(&p->lines, gone, &line));) {
            if (got == RPC_LINE_TOO_LONG)
                return err_set(e, JOT_UNAVAILABLE,
                               "the server '%s' sent a message larger than %d MB",
                               err_show(&name, p->command), CLIENT_PROCESS_LINE_MAX / 1024 / 1024);
            TRY(take_line(p, line, own, result, &done, e));
        }
        if (done)
            return JOT_OK;
        if (gone)
            return is_gone(p, e);
        if (p->cancelled && p->cancelled(p->ctx))
            return give_up(p, own, JOT_CANCELLED, ask, e);
        /* Progress gives it the time again, but never more than the most. */
        int64_t end = (p->progress >= 0 ? p->progress_ms : start) + ask->time_ms;
        if (ask->time_ms_max && end > start + ask->time_ms_max)
            end = start + ask->time_ms_max;
        int64_t left = end - time_steady_ms();
        if (left <= 0)
            return give_up(p, own, JOT_UNAVAILABLE, ask, e);
        serve_pipes(p, left < TICK_MS ? (int)left : TICK_MS);
    }
}
