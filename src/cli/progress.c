/* progress.c - how far long work has come, on one line. */
#include "cli/progress.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "cli/cmd.h"

enum {
    BAR = 24,           /* columns of the bar */
    EVERY_MS = 100,     /* at most so often */
    RATE_AFTER_MS = 500 /* before that a rate says nothing */
};

Progress progress_new(const char *of)
{
    assert(of);
    return (Progress){ .of = of, .terminal = can_show_progress() };
}

/* 1,234,567 */
static void add_number(Buf *to, uint64_t n)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < count; i++)
        buf_addf(to, "%s%c", i && (count - i) % 3 == 0 ? "," : "", digits[i]);
}

/* Two units are enough to decide whether to wait. */
static void add_span(Buf *to, uint64_t seconds)
{
    unsigned long long s = seconds;
    if (s < 60)
        buf_addf(to, "%llu s", s);
    else if (s < 3600)
        buf_addf(to, "%llu min %llu s", s / 60, s % 60);
    else
        buf_addf(to, "%llu h %llu min", s / 3600, s / 60 % 60);
}

static void add_bar(Buf *to, uint64_t done, uint64_t total)
{
    uint64_t filled = (uint64_t)((double)done / (double)total * BAR);
    buf_add(to, S("["));
    for (uint64_t i = 0; i < BAR; i++)
        buf_add_char(to, i < filled ? '=' : ' ');
    buf_add(to, S("] "));
}

/* The rate since the line was first shown: what a broken-off copy had done before costs less. */
static void add_rate(Buf *to, const Progress *p, uint64_t done, uint64_t total)
{
    int64_t ms = p->shown_ms - p->began_ms;
    if (ms < RATE_AFTER_MS || done <= p->began_at)
        return;
    double rate = (double)(done - p->began_at) * 1000 / (double)ms;
    buf_add(to, S("; "));
    add_number(to, (uint64_t)(rate + 0.5));
    buf_add(to, S(" a second"));
    if (total > done) {
        buf_add(to, S(", "));
        add_span(to, (uint64_t)((double)(total - done) / rate) + 1);
        buf_add(to, S(" left"));
    }
}

static size_t columns(void)
{
    struct winsize w = { 0 };
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

void progress_show(Progress *p, uint64_t done, uint64_t total, const char *more)
{
    AUTO(Buf) line = { 0 };
    int64_t now = io_awake_ms(&io_system);
    if (!p->terminal || (p->drawn && now - p->shown_ms < EVERY_MS))
        return;
    if (!p->began_ms) {
        p->began_ms = now;
        p->began_at = done;
    }
    p->shown_ms = now;
    if (done > total)
        total = 0; /* more has come meanwhile */
    if (total)
        add_bar(&line, done, total);
    add_number(&line, done);
    if (total) {
        buf_add(&line, S(" of "));
        add_number(&line, total);
    }
    buf_addf(&line, " %s%s%s%s", p->of, (total ? total : done) == 1 ? "" : "s", more[0] ? ", " : "",
             more);
    add_rate(&line, p, done, total);
    Str text = buf_str(&line);
    if (text.n >= columns()) /* a line that breaks cannot be written over */
        text = str_slice(text, 0, columns() - 1);
    fprintf(stderr, "\r" STR_FMT "\033[K", STR_ARG(text));
    p->drawn = true;
}

void progress_clear(Progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
