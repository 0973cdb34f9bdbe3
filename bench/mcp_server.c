/* mcp_server.c - starting a server and talking to it, one line each way. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/mcp.h"

void server_start(Server *s)
{
    int in[2], out[2];
    posix_spawn_file_actions_t fds;
    must(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe");
    posix_spawn_file_actions_init(&fds);
    posix_spawn_file_actions_adddup2(&fds, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&fds, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&fds, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    must(posix_spawn(&s->pid, s->argv[0], &fds, NULL, (char *const *)s->argv,
                     (char *const *)s->env) == 0,
         s->argv[0]);
    posix_spawn_file_actions_destroy(&fds);
    close(in[0]);
    close(out[1]);
    s->to = in[1];
    s->from = out[0];
    s->id = 0;
}

void server_stop(Server *s)
{
    if (!s->pid)
        return;
    close(s->to);
    close(s->from);
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    s->pid = 0;
}

static void send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        must(k > 0, "write to a server");
        p += k;
        n -= (size_t)k;
    }
}

/* One line; longer ones are read to their end. */
static void receive(Server *s)
{
    size_t n = 0;
    do {
        if (n == sizeof s->reply)
            n = 0;
        ssize_t k = read(s->from, s->reply + n, sizeof s->reply - n);
        must(k > 0, "read from a server");
        n += (size_t)k;
    } while (s->reply[n - 1] != '\n');
    s->reply[n - 1] = 0;
}

void server_ask(Server *s, const char *method, const char *params)
{
    static char line[MCP_LINE_MAX];
    int n = snprintf(line, sizeof line,
                     "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"%s\",\"params\":%s}\n",
                     (unsigned long long)++s->id, method, params);
    must(n > 0 && (size_t)n < sizeof line, "a request is too long");
    send_all(s->to, line, (size_t)n);
    receive(s);
    if (strstr(s->reply, "\"isError\":true") || strstr(s->reply, "\"error\":{"))
        die("%s: %.300s", method, s->reply);
}

void server_hello(Server *s)
{
    static const char told[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    server_ask(s, "initialize",
               "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":"
               "\"bench\",\"version\":\"1\"}}");
    send_all(s->to, told, sizeof told - 1);
}

const char *server_text(Server *s)
{
    static char text[MCP_BODY + 1];
    memset(text, 'x', MCP_BODY);
    int n = snprintf(text, sizeof text, "%llu ", (unsigned long long)++s->turn);
    text[n] = 'x';
    return text;
}

void server_call(Server *s, const char *tool, const char *fmt, ...)
{
    static char args[MCP_LINE_MAX / 2], params[MCP_LINE_MAX];
    va_list list;
    va_start(list, fmt);
    vsnprintf(args, sizeof args, fmt, list);
    va_end(list);
    snprintf(params, sizeof params, "{\"name\":\"%s\",\"arguments\":%s}", tool, args);
    server_ask(s, "tools/call", params);
}

void step_ask(void *server)
{
    Server *s = server;
    s->ask(s);
}

void step_first_answer(void *server)
{
    Server *s = server;
    server_start(s);
    server_hello(s);
    server_stop(s);
}

double server_memory(const Server *s)
{
    char path[64], line[256];
    double kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *status = fopen(path, "re");
    must(status != NULL, path);
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtod(line + 6, NULL);
    fclose(status);
    return kb * 1024;
}
