/* live.c - lines and words of an agent at work.
 *
 * The loop calls the functions of a table (LoopView) as things happen: a piece of text, a reply, a
 * call, its result, a compaction.  Each prints a line, or an event if a program listens.
 *
 * Words are printed as they come, and a letter may come in pieces: of accents, joiners and bytes
 * that belong to the last character everything is held back until the next one begins, so that a
 * terminal never gets half of one.  When nothing has come for a while, a line says for how long. */
#include "cli/live.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/glyph.h"
#include "cli/cmd.h"
#include "memory/cycle/cycle_state.h"
#include "memory/frame/frame.h"

enum { CALL_CHARS = 160, RESULT_CHARS = 100, NOTICE_CHARS = 320, GAUGE = 20, ASK_BYTES = 8000 };

/* When a silent model gets a sign: on a terminal every second, in a log now and then. */
enum {
    SIGN_TTY_MS = 2000,
    SIGN_TTY_STEP_MS = 1000,
    SIGN_LOG_MS = 10 * 1000,
    SIGN_LOG_STEP_MS = 30 * 1000
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

bool live_stopped(void *ctx)
{
    (void)ctx;
    return stopped != 0;
}

Live live_begin(bool json, bool quiet, bool verbose)
{
    /* The second signal does what it does everywhere. */
    struct sigaction once = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    /* A terminal that is closed says so more than once; and nohup has its way. */
    struct sigaction hangup, always = { .sa_handler = stop };
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &always, NULL);
    return (Live){ .terminal = !json && !quiet && isatty(STDOUT_FILENO) == 1,
                   .quiet = quiet || json,
                   .json = json && !quiet,
                   .plain = !json,
                   .verbose = verbose,
                   .events = json_array() };
}

void live_end(Live *l)
{
    json_decref(l->events);
    *l = (Live){ 0 };
}

/* --- A sign of life ---------------------------------------------------------------------- */

/* Something else is shown: the sign goes, and the next silence is counted from here. */
static void end_silence(Live *l)
{
    if (l->told_ms && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    l->since_ms = l->told_ms = 0;
}

/* Asked many times a second while the model is waited for. */
static bool on_beat(void *ctx)
{
    Live *l = ctx;
    bool tty = isatty(STDERR_FILENO) == 1;
    int64_t now = io_awake_ms(&io_system), first = tty ? SIGN_TTY_MS : SIGN_LOG_MS;
    if (!l->since_ms)
        l->since_ms = now;
    int64_t silent = now - l->since_ms;
    int64_t next = l->told_ms ? l->told_ms + (tty ? SIGN_TTY_STEP_MS : SIGN_LOG_STEP_MS) : first;
    if (!l->quiet && !l->streaming && silent >= next) {
        fprintf(stderr,
                tty ? "\r\033[K%swaiting for the model, %lld s%s"
                    : "%swaiting for the model, %lld s%s\n",
                ink(INK_DIM), (long long)silent / 1000, ink(INK_PLAIN));
        l->told_ms = silent;
    }
    return stopped != 0;
}

/* --- Words ------------------------------------------------------------------------------- */

/* How many bytes at the end are not to be shown yet: the beginning of a character, or a character
 * that marks or joiners may still follow. */
static size_t unfinished(Str s, size_t max)
{
    for (size_t back = 1; back <= max && back <= s.n; back++) {
        size_t at = s.n - back;
        uint32_t c;
        if (((unsigned char)s.p[at] & 0xC0) == 0x80)
            continue;
        if (!glyph_next(s, &at, &c))
            c = 'x'; /* half a character, or none */
        GlyphKind kind = glyph_kind(c);
        if (kind != GLYPH_MARK && kind != GLYPH_UNSEEN)
            return kind == GLYPH_BREAK || kind == GLYPH_SPACE ? 0 : back;
    }
    return 0;
}

static void on_text(void *ctx, Str piece)
{
    Live *l = ctx;
    AUTO(Buf) text = { 0 };
    end_silence(l);
    if (!l->terminal)
        return;
    buf_add(&text, (Str){ l->held, l->held_n });
    buf_add(&text, piece);
    Str now = buf_str(&text);
    l->held_n = unfinished(now, sizeof l->held);
    now.n -= l->held_n;
    memcpy(l->held, now.p + now.n, l->held_n);
    print_text(now);
    fflush(stdout);
    l->streaming = l->streaming || now.n > 0;
}

void live_end_words(Live *l)
{
    end_silence(l);
    print_text((Str){ l->held, l->held_n });
    l->streaming = l->streaming || l->held_n;
    if (l->streaming)
        putchar('\n');
    fflush(stdout);
    l->streaming = false;
    l->held_n = 0;
}

static void on_again(void *ctx, int64_t wait_ms, const char *why)
{
    Live *l = ctx;
    live_end_words(l);
    if (!l->quiet)
        say("%s; again in %.1f s", why, (double)wait_ms / 1000);
}

static void on_replied(void *ctx, const Turn *turn)
{
    Live *l = ctx;
    l->shown = (l->streaming || l->held_n) && turn->kind == TURN_FINAL;
    live_end_words(l);
}

/* --- Lines ------------------------------------------------------------------------------- */

static Str one_line(Arena *a, Str text, size_t chars)
{
    return cycle_state_line(a, text, chars);
}

static Str call_text(const TurnCall *c, Arena *into)
{
    AUTO(Buf) text = { 0 };
    json_t *read = NULL;
    if (json_read(c->call.args, &read, NULL) != JOT_OK)
        read = NULL;
    AUTO_PTR(json_t) args = read;
    frame_call_add(&text, NULL, c->call.tool, json_is_object(args) ? args : NULL);
    return one_line(into, buf_str(&text), CALL_CHARS);
}

static void on_call(void *ctx, const TurnCall *c)
{
    Live *l = ctx;
    AUTO(Arena) a = { 0 };
    end_silence(l);
    if (!l->quiet)
        fprintf(stderr, "%s> " STR_FMT "%s\n", ink(INK_CYAN), STR_ARG(call_text(c, &a)),
                ink(INK_PLAIN));
}

static void on_result(void *ctx, const TurnCall *c)
{
    Live *l = ctx;
    AUTO(Arena) a = { 0 };
    end_silence(l);
    if (l->quiet)
        return;
    Str first = str_slice(c->result, 0, str_find(c->result, '\n'));
    fprintf(stderr, "%s  %s" STR_FMT " (%s)%s\n", ink(c->ok ? INK_DIM : INK_RED),
            c->ok ? "" : "failed: ", STR_ARG(one_line(&a, first, RESULT_CHARS)),
            counted(c->result.n, "byte").text, ink(INK_PLAIN));
    if (c->warning.n)
        fprintf(stderr, "%s  " STR_FMT "%s\n", ink(INK_YELLOW), STR_ARG(c->warning),
                ink(INK_PLAIN));
}

static Ink ink_of(BudgetState state)
{
    return state == BUDGET_GREEN ? INK_GREEN : state == BUDGET_YELLOW ? INK_YELLOW : INK_RED;
}

static void on_budget(void *ctx, const Transcript *t, const Budget *b)
{
    const Live *l = ctx;
    char bar[GAUGE + 1];
    unsigned percent = budget_percent(b), filled = percent * GAUGE / 100;
    if (l->quiet || (!l->terminal && !l->verbose))
        return;
    for (unsigned i = 0; i < GAUGE; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[GAUGE] = 0;
    unsigned cached = b->reported ? (unsigned)(b->cached * 100 / b->reported) : 0;
    char hits[40] = "";
    if (cached)
        snprintf(hits, sizeof hits, ", %u%% from the cache", cached);
    fprintf(stderr, "%s[%s] %u%% %s, turn %llu of %llu%s%s\n", ink(ink_of(b->state)), bar, percent,
            budget_state_name(b->state), (unsigned long long)t->since + 1,
            (unsigned long long)l->iterations_max, hits, ink(INK_PLAIN));
    if (l->verbose)
        fprintf(stderr,
                "  context: system %llu, tools %llu, history %llu, retrieved %llu, reported %llu "
                "(%llu from the cache): "
                "%llu of %llu tokens usable (window %llu, headroom %llu, factor %.2f)\n",
                (unsigned long long)b->system, (unsigned long long)b->tools,
                (unsigned long long)b->history, (unsigned long long)b->retrieved,
                (unsigned long long)b->reported, (unsigned long long)b->cached,
                (unsigned long long)b->used, (unsigned long long)b->usable,
                (unsigned long long)b->window, (unsigned long long)b->headroom, b->factor / 1000.0);
}

/* Keep an event for the end, and tell it now if a program listens; takes the reference. */
static void print_event(Live *l, json_t *event)
{
    AUTO(Buf) line = { 0 };
    json_write(&line, event);
    json_array_append_new(l->events, event);
    if (l->json)
        fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&line)));
}

static void print_compacted(Live *l, const Compacted *c)
{
    if (c->masked)
        print_event(l, run_cleared_json(l->run, c->masked));
    if (!c->summed && !c->dropped)
        return;
    json_t *event = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "event", "context_compacted", "run",
                              l->run->id, "summed", (json_int_t)c->summed, "dropped",
                              (json_int_t)c->dropped, "tokens_before", (json_int_t)c->before.used,
                              "tokens_after", (json_int_t)c->after.used);
    if (c->why.status != JOT_OK)
        json_object_set_new(event, "why", json_text(str(c->why.text)));
    print_event(l, event);
}

static void on_compacted(void *ctx, const Compacted *c)
{
    Live *l = ctx;
    if (l->run)
        print_compacted(l, c);
    if (l->quiet)
        return;
    say("the context was at %u%%: %s masked, %s summed up, %llu dropped; now %u%%",
        budget_percent(&c->before), counted(c->masked, "result").text,
        counted(c->summed, "turn").text, (unsigned long long)c->dropped, budget_percent(&c->after));
    if (c->shortened)
        say("%s of the newest turn %s shown in part", counted(c->shortened, "result").text,
            c->shortened == 1 ? "is" : "are");
    if (c->why.status != JOT_OK)
        say("no summary: %s", c->why.text);
    if (c->after.state == BUDGET_RED)
        fputs("jotter: the context is still red: nothing more can be left out\n", stderr);
}

static void on_notice(void *ctx, Str text)
{
    const Live *l = ctx;
    AUTO(Arena) a = { 0 };
    if (!l->quiet)
        fprintf(stderr, "%s" STR_FMT "%s\n", ink(INK_YELLOW),
                STR_ARG(one_line(&a, text, NOTICE_CHARS)), ink(INK_PLAIN));
}

void live_planted(void *ctx, const PlantFound *found)
{
    Live *l = ctx;
    json_t *event = json_pack("{s:s, s:o}", "event", "planted", "text", json_text(found->text));
    if (l->run)
        json_object_set_new(event, "run", json_string(l->run->id));
    if (found->path.n) {
        json_object_set_new(event, "path", json_text(found->path));
        json_object_set_new(event, "name", json_string(found->name));
    }
    if (found->aside.n)
        json_object_set_new(event, "aside", json_text(found->aside));
    print_event(l, event);
    if (!l->plain)
        return;
    live_end_words(l);
    say(STR_FMT, STR_ARG(found->text));
}

LoopView live_view(Live *l)
{
    return (LoopView){ .budget = on_budget,
                       .text = on_text,
                       .again = on_again,
                       .replied = on_replied,
                       .call = on_call,
                       .result = on_result,
                       .notice = on_notice,
                       .compacted = on_compacted,
                       .cancelled = on_beat,
                       .ctx = l };
}

/* --- Asking ------------------------------------------------------------------------------ */

bool live_can_ask(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

/* A line of the terminal, the rest of a long one thrown away; false at Ctrl-D, which is about this
 * question only, and if a signal came. */
static bool read_line(char *line, size_t size)
{
    bool there = fgets(line, (int)size, stdin) != NULL;
    for (int c = 0; there && !strchr(line, '\n') && c != '\n' && c != EOF;)
        c = fgetc(stdin);
    clearerr(stdin);
    return there;
}

ActSay live_ask(void *ctx, const Tool *t, const json_t *args)
{
    (void)ctx;
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    char line[64];
    frame_call_add(&text, NULL, str(t->name), args);
    Str whole = one_line(&a, buf_str(&text), SIZE_MAX);
    /* Nobody can say yes to what is not shown. */
    if (whole.n > ASK_BYTES) {
        say("no to a call of '%s' with %zu bytes: at most %d can be shown and asked "
            "for",
            t->name, whole.n, ASK_BYTES);
        return ACT_TOO_LONG;
    }
    for (;;) {
        /* What was typed before the question was shown is no answer to it. */
        tcflush(STDIN_FILENO, TCIFLUSH);
        fprintf(stderr, "allow " STR_FMT "? [y]es, [n]o, [a]lways: ", STR_ARG(whole));
        bool said = !stopped && read_line(line, sizeof line);
        if (!said)
            fputc('\n', stderr);
        if (stopped)
            return ACT_STOPPED;
        switch (said ? line[0] : 'n') {
        case 'y':
        case 'Y':
            return ACT_YES;
        case 'a':
        case 'A':
            return ACT_ALWAYS;
        case 'n':
        case 'N':
            return ACT_NO;
        default:
            break;
        }
    }
}
