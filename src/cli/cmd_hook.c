/* cmd_hook.c - jotter hook CLIENT: what another program's hook calls.
 *
 * The program waits for its hooks, so this one ends within HOOK_MS whatever happens, always with 0,
 * and says nothing but what the program is to know.  The work is done by a child:
 *
 *     hook ── fork ── waits for the answer ───────────── prints it ── ends
 *               │            ▲           └─ or HOOK_MS are over ────┘
 *               └── child ── reads the event ── pad: context, or a record
 *
 * The fork comes first: some programs end their hooks when they end themselves, and what has been
 * sent by then shall count.  A child that takes longer (a disk that syncs slowly, a writer that
 * holds the run) finishes without anybody waiting, and is killed after CHILD_SECONDS.  It has none
 * of the program's descriptors but the event's: the program would wait for their end.  What fails
 * is counted in the user's state directory; status and doctor show it.
 *
 * The event is another program's word: its `cwd` only says where to look for a pad, which must be
 * the user's own or allowed (safe.h), and its `transcript_path` is never opened. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/hook_event.h"
#include "memory/context/context.h"
#include "memory/frame/pointer.h"

extern const Cmd cmd_hook;

enum {
    HOOK_MS =
        80, /* since the process was started: what is left of 100 is for starting and ending */
    CHILD_SECONDS = 10,
    WRITE_MS = 30,   /* of these, to make a text of what was looked at, and to print it */
    EVENT_MS = 5000, /* that the child waits for the rest of an event */
    STORE_MS = 4000, /* that the child waits for another writer */
    EVENT_MAX = 16 * 1024 * 1024, /* bytes; of more nothing is read */
    HOOK_BUDGET = 4000,           /* tokens of a context, if nothing is said */
};

/* --- The pad ------------------------------------------------------------------------------- */

typedef struct Hook {
    Session *s;
    const HookClient *client;
    HookEvent event;
    bool whole; /* it was read to its end */
    int64_t budget;
    int64_t until_ms; /* when nobody waits any more */
} Hook;

/* The pad of the directory the event names, as if the command were given there. */
static jot_status open_pad(void *ctx, bool make, Memory **out, Err *e)
{
    const Hook *h = ctx;
    Session *s = h->s;
    *out = &s->memory;
    if (s->memory.store)
        memory_close(&s->memory);
    s->found = (SafeFound){ .path = s->where.found };
    MemoryOptions o = { .by = s->named ? s->by : str(h->client->name),
                        .create = make,
                        .wait_ms = STORE_MS,
                        .found = s->where.found ? &s->found : NULL };
    TRY(where_check(&s->where, e));
    return memory_open(&s->memory, s->where.url, &o, e);
}

static void go_there(const Hook *h)
{
    Session *s = h->s;
    const char *cwd = h->event.cwd.n ? arena_cstr(&s->arena, h->event.cwd) : "";
    if (cwd[0] == '/' && chdir(cwd) == 0)
        s->where = where_find(str(opt_text(s, "pad")), &s->arena);
}

/* --- What it does -------------------------------------------------------------------------- */

static jot_status show_context(Hook *h, Buf *answer, Err *e)
{
    Memory *m;
    Context c;
    /* A pad with more notes than can be looked at in time shows those that were. */
    ContextAsk ask = { .budget = (uint64_t)h->budget,
                       .reach = POINT_SHELL,
                       .until_ms = h->until_ms - WRITE_MS };
    session_sweep();
    Err none = { 0 };
    jot_status st = open_pad(h, false, &m, &none);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &none, st);
    TRY(context_build(m, &ask, &h->s->arena, &c, e));
    if (!c.text.n)
        return JOT_OK;
    AUTO_PTR(json_t)
    out = json_pack("{s:{s:s, s:o}}", "hookSpecificOutput", "hookEventName", h->event.name,
                    "additionalContext", json_text(c.text));
    json_write(answer, out);
    return JOT_OK;
}

static jot_status take_event(Hook *h, Str text, Buf *answer, Err *e)
{
    json_t *read = NULL;
    if (!h->whole)
        return err_set(e, JOT_UNAVAILABLE, "an event did not come to its end in time");
    if (text.n == EVENT_MAX)
        return err_set(e, JOT_TOO_BIG, "an event was larger than %d bytes", EVENT_MAX - 1);
    /* Why is not said: the sentence would have a piece of it. */
    if (json_read(text, &read, &(Err){ 0 }) != JOT_OK)
        return err_set(e, JOT_INVALID, "an event was not JSON");
    AUTO_PTR(json_t) object = read;
    h->event = hook_event_read(object, &h->s->arena);
    if (h->event.deed == HOOK_NOTHING)
        return JOT_OK;
    go_there(h);
    if (h->event.deed == HOOK_BEGIN)
        return show_context(h, answer, e);
    if (!h->event.session.n)
        return err_set(e, JOT_INVALID, "the event '%s' names no session", h->event.name);
    SessionName name = { str(h->client->name), h->event.session };
    if (h->event.deed == HOOK_END)
        session_drop_held(&name);
    return session_add(&(SessionPad){ open_pad, h }, &name, h->event.kind, h->event.text, e);
}

/* What is there is read, however late it is: only waiting for more has an end.  False: it had to be
 * ended. */
static bool read_event(Buf *text)
{
    int64_t until_ms = io_awake_ms(&io_system) + EVENT_MS;
    while (text->n < EVENT_MAX) {
        struct pollfd ready = { .fd = STDIN_FILENO, .events = POLLIN };
        int64_t left = until_ms - io_awake_ms(&io_system);
        if (poll(&ready, 1, left > 0 ? (int)left : 0) <= 0)
            return false;
        size_t room = EVENT_MAX - text->n < 65536 ? EVENT_MAX - text->n : 65536;
        ssize_t got = read(STDIN_FILENO, buf_room(text, room), room);
        if (got <= 0)
            return got == 0;
        buf_grew(text, (size_t)got);
    }
    return true;
}

/* A pad of another user in which the program happens to work is none of our business. */
static void work(Hook *h, int to)
{
    AUTO(Buf) text = { .max = EVENT_MAX }, answer = { .max = EVENT_MAX };
    Err e = { 0 };
    h->whole = read_event(&text);
    jot_status st = take_event(h, buf_str(&text), &answer, &e);
    memory_close(&h->s->memory);
    if (st == JOT_OK && answer.n && io_write_all(&io_system, to, buf_str(&answer)) < 0) {
        st = JOT_UNAVAILABLE;
        err_set(&e, st, "the context was not ready in time");
    }
    if (st != JOT_OK && st != JOT_DENIED)
        session_failed(str(h->client->name), e.text);
}

/* --- The two processes --------------------------------------------------------------------- */

static NO_RETURN void leave(int number)
{
    (void)number;
    _exit(0);
}

/* Whatever this process waits for from here on: the child, or whoever reads what is printed. */
static void leave_at(int64_t until_ms)
{
    struct sigaction a = { .sa_handler = leave };
    int64_t left = until_ms - io_awake_ms(&io_system);
    struct itimerval in_time = { .it_value = { 0, (left > 1 ? left : 1) * 1000 } };
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &in_time, NULL);
}

/* Of a process that nobody waits for and that nobody's end depends on: only `to` stays open. */
static int part(int to)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, ignored = { .sa_handler = SIG_IGN };
    sigaction(SIGALRM, &usual, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
    setsid();
    alarm(CHILD_SECONDS);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    to = dup2(to, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, ~0U, 0);
    return to;
}

static void print_answer(int from)
{
    AUTO(Buf) answer = { .max = EVENT_MAX };
    for (ssize_t got = 1; got > 0;) {
        got = read(from, buf_room(&answer, 65536), 65536);
        if (got > 0)
            buf_grew(&answer, (size_t)got);
    }
    if (!answer.n)
        return;
    fwrite(answer.p, 1, answer.n, stdout);
    putchar('\n');
    fflush(stdout);
}

/* When this process was started, by the clock of io_awake_ms; now, if the system does not say.  On
 * a busy machine the program that waits has waited for a while before main began. */
static int64_t started_ms(void)
{
    char text[1024] = "";
    int64_t now = io_awake_ms(&io_system), per_second = sysconf(_SC_CLK_TCK);
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    /* The second field is a name in brackets, which may hold anything; the start is the 22nd. */
    char *at = n > 0 ? strrchr(text, ')') : NULL;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    int64_t ticks = at ? strtoll(at, NULL, 10) : 0;
    int64_t began = per_second > 0 ? ticks * 1000 / per_second : 0;
    return began > 0 && began <= now ? began : now;
}

static jot_status run_hook(Session *s)
{
    Hook h = { .s = s, .client = hook_client(arg_at(s, 0)) };
    int ends[2];
    h.until_ms = started_ms() + HOOK_MS;
    TRY(opt_number(s, "budget", CONTEXT_BUDGET_MIN, CONTEXT_BUDGET_MAX, HOOK_BUDGET, &h.budget));
    if (!h.client || pipe2(ends, O_CLOEXEC) != 0)
        return JOT_OK;
    pid_t child = fork();
    if (child == 0) {
        work(&h, part(ends[1]));
        _exit(0);
    }
    leave_at(h.until_ms);
    close(ends[1]);
    if (child > 0)
        print_answer(ends[0]);
    close(ends[0]);
    return JOT_OK;
}

static const Opt hook_opts[] = {
    { "budget", "N", "tokens of the context that is shown, estimated; 4000 if not given" },
    { 0 },
};

const Cmd cmd_hook = {
    .name = "hook",
    .args = "CLIENT",
    .summary = "Take an event of an agent's program, for the hooks that setup installs",
    .help =
        "The event is a JSON object on standard input, as Claude Code, Codex and Gemini CLI give\n"
        "it.  When a session begins, is continued, cleared or compacted, the context of the pad "
        "is\n"
        "printed.  What the user asked, lists of things to do, files that were changed, commands\n"
        "and how they ended, and the last answer are recorded in a run of the session, without\n"
        "secrets; a session that only talked leaves nothing.  It ends within 100 ms, with 0.\n",
    .opts = hook_opts,
    .args_min = 1,
    .args_max = 1,
    .hidden = true,
    .run = run_hook,
};
