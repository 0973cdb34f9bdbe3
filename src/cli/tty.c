/* tty.c - asking the person at the terminal. */
#include "cli/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>

enum { ANSWER = 16 };

jot_status tty_open(Fd *out, Err *e)
{
    AUTO(Fd) fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, JOT_DENIED, "there is no terminal to ask at");
    /* A process in the background that reads is stopped, and nobody would see why. */
    if (tcgetpgrp(fd) != getpgrp())
        return err_set(e, JOT_DENIED, "this runs in the background of its terminal");
    *out = fd_take(&fd);
    return JOT_OK;
}

void tty_show(int tty, Str text)
{
    while (text.n) {
        ssize_t n = write(tty, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return;
        text = str_from(text, n > 0 ? (size_t)n : 0);
    }
}

/* A line, without its end; longer ones are read to their end and are no answer. */
static bool read_line(int tty, char line[ANSWER])
{
    size_t n = 0;
    for (;;) {
        char c;
        ssize_t got = read(tty, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return false;
        if (c == '\n')
            break;
        line[n < ANSWER - 1 ? n : ANSWER - 1] = c;
        n++;
    }
    line[n < ANSWER - 1 ? n : ANSWER - 1] = 0;
    return n < ANSWER - 1;
}

bool tty_asks_yes(int tty, const char *question)
{
    char line[ANSWER];
    tcflush(tty, TCIFLUSH);
    tty_show(tty, str(question));
    bool answered = read_line(tty, line);
    if (!answered)
        tty_show(tty, S("\n"));
    return answered && strcmp(line, "yes") == 0;
}
