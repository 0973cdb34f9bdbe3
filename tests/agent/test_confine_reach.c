/* test_confine_reach.c - what a confined command reaches besides files: no secrets of ours, no
 * network, no sockets, no other process. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/yard.h"

static void no_key_is_in_the_environment(Yard *y)
{
    setenv("ANTHROPIC_API_KEY", "canary-env", 1);
    setenv("SOME_HARMLESS_NAME", "canary-env", 1);
    setenv("BASH_ENV", "/tmp/canary-env", 1);
    setenv("LD_PRELOAD_X", "canary-env", 1);
    yard_prints(y, "env | grep canary; echo \"$ANTHROPIC_API_KEY\"", "\n");
    yard_fails(y, "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep canary-env");
    yard_fails(y, arena_printf(&y->a, "cat /proc/%d/environ /proc/%d/mem", getpid(), getpid()).p);
    unsetenv("ANTHROPIC_API_KEY");
    unsetenv("SOME_HARMLESS_NAME");
    unsetenv("BASH_ENV");
    unsetenv("LD_PRELOAD_X");
}

static int listening(int type, int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    if (type == SOCK_STREAM)
        assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void there_is_no_network_unless_it_is_given(Yard *y)
{
    int tcp_port, udp_port;
    int tcp = listening(SOCK_STREAM, &tcp_port), udp = listening(SOCK_DGRAM, &udp_port);
    if (access("/bin/bash", X_OK) != 0)
        yard_skip(y);
    const char *connect = arena_printf(&y->a, "exec 3<>/dev/tcp/127.0.0.1/%d", tcp_port).p;
    yard_fails(y, connect);
    yard_command(y, arena_printf(&y->a, "echo x > /dev/udp/127.0.0.1/%d", udp_port).p);
    char got[8];
    assert_true(recv(udp, got, sizeof got, MSG_DONTWAIT) < 0);
    ConfineJob job = yard_job(y, connect);
    job.network = true;
    Confined c;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    assert_true(c.end == CONFINE_EXITED && c.code == 0);
    close(tcp);
    close(udp);
}

static void only_sockets_of_the_internet_are_there(Yard *y)
{
    static const char *const families[] = { "AF_UNIX", "40", "AF_PACKET" }; /* 40: AF_VSOCK */
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s/work/sub/ear", y->dir);
    int ear = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(ear >= 0 && bind(ear, (struct sockaddr *)&at, sizeof at) == 0);
    assert_int_equal(listen(ear, 8), 0);
    for (size_t i = 0; i < COUNT_OF(families); i++)
        yard_prints(y,
                    arena_printf(&y->a,
                                 "python3 -c 'import socket as s\n"
                                 "try: s.socket(%s%s, s.SOCK_STREAM)\n"
                                 "except PermissionError: print(\"refused\")'",
                                 families[i][0] == 'A' ? "s." : "", families[i])
                        .p,
                    "refused\n");
    yard_fails(y, "python3 -c 'import socket as s; s.socket(s.AF_UNIX).connect(\"sub/ear\")'");
    assert_int_equal(poll(&(struct pollfd){ .fd = ear, .events = POLLIN }, 1, 0), 0);
    yard_prints(y,
                "python3 -c 'import socket as s; a, b = s.socketpair(); a.send(b\"x\"); "
                "print(b.recv(1).decode())'",
                "x\n");
    yard_prints(y,
                "python3 -c 'import asyncio, subprocess as s\n"
                "async def f(): return 7\n"
                "print(asyncio.run(f()), s.run([\"echo\", \"sub\"], capture_output=True).stdout)'",
                "7 b'sub\\n'\n");
    close(ear);
}

static void a_command_cannot_reach_other_processes(Yard *y)
{
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0)
        for (;;)
            pause();
    yard_command(y, arena_printf(&y->a, "kill -9 %d", other).p);
    /* Nor the supervisor: outside of bwrap's namespace that is the command's parent. */
    yard_prints(y, "kill -9 $PPID 2>/dev/null; echo alive", "alive\n");
    int status;
    pid_t ended = waitpid(other, &status, WNOHANG);
    kill(other, SIGKILL);
    if (ended == 0)
        waitpid(other, &status, 0);
    assert_int_equal(ended, 0);
}

static void a_machine_without_any_mechanism_says_so(Yard *y)
{
    ConfineHow how;
    jot_status st = confine_best(&y->workdir, &how, &y->e);
    assert_true(st == JOT_OK || st == JOT_UNSUPPORTED);
    if (st == JOT_OK)
        assert_true(how == CONFINE_BWRAP || how == CONFINE_LANDLOCK);
    Workdir root = y->workdir;
    root.path = S("/");
    assert_int_equal(confine_try(&root, CONFINE_LANDLOCK, &y->e), JOT_UNSUPPORTED);
    assert_sentence(&y->e);
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(no_key_is_in_the_environment, "work/deep/pad", true),
    TRIAL(there_is_no_network_unless_it_is_given, "outside", true),
    TRIAL(only_sockets_of_the_internet_are_there, "outside", true),
    TRIAL(a_command_cannot_reach_other_processes, "outside", true),
    TRIAL(a_machine_without_any_mechanism_says_so, "outside", false),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_reach", trials, COUNT_OF(trials));
}
