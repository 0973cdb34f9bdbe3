/* err.c - statuses, their faces at each door, and the sentence of a fault. */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/glyph.h"

/* What is only declared to the analyzer is defined here. */
#undef err_set
#undef err_errno
#undef err_at
#undef err_next

/* One row per status: add a status here and in jotter.h, nowhere else.
 * Exit codes follow sysexits.h; own JSON-RPC codes lie outside -32768..-32000. */
/* clang-format off */
static const StatusInfo infos[] = {
    /*                       name          http  rpc    exit retry */
    [JOT_OK]          = { "ok",            200,  0,      0,  false },
    [JOT_INVALID]     = { "invalid",       400, -32602, 64,  false },
    [JOT_NOT_FOUND]   = { "not_found",     404, -32602, 66,  false },
    [JOT_CONFLICT]    = { "conflict",      409, -31009, 75,  true  },
    [JOT_TOO_BIG]     = { "too_big",       413, -31013, 65,  false },
    [JOT_UNAVAILABLE] = { "unavailable",   503, -31003, 69,  true  },
    [JOT_IO]          = { "io",            500, -31000, 74,  false },
    [JOT_LEASED]      = { "leased",        423, -31023, 75,  true  },
    [JOT_FENCED]      = { "fenced",        412, -31012, 76,  false },
    [JOT_READ_ONLY]   = { "read_only",     403, -31004, 73,  false },
    [JOT_CORRUPT]     = { "corrupt",       500, -31001, 70,  false },
    [JOT_UNSUPPORTED] = { "unsupported",   501, -31002, 78,  false },
    [JOT_UNKNOWN]     = { "unknown",       500, -31005, 71,  false },
    [JOT_CANCELLED]   = { "cancelled",     499, -31006, 130, false },
    [JOT_DENIED]      = { "denied",        403, -31007, 77,  false },
    [JOT_ID_REUSED]   = { "id_reused",     409, -31008, 65,  false },
};
/* clang-format on */
_Static_assert(COUNT_OF(infos) == JOT_ID_REUSED + 1, "every status has a row");

const StatusInfo *status_info(jot_status st)
{
    static const StatusInfo none = { "no such status", 500, -31000, 70, false };
    size_t i = (size_t)st;
    return i < COUNT_OF(infos) ? &infos[i] : &none;
}

/* A cut must not leave half a character at the end of the sentence. */
static void end_cleanly(char *text, size_t size)
{
    size_t n = strlen(text);
    if (n + 1 < size)
        return;
    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80)
        n--;
    if (n > 0 && (unsigned char)text[n - 1] >= 0xC0)
        n--;
    text[n] = 0;
}

PRINTF_LIKE(3, 0) static jot_status set_v(Err *e, jot_status st, const char *fmt, va_list args)
{
    assert(st != JOT_OK);
    if (!e)
        return st;
    e->status = st;
    vsnprintf(e->text, sizeof e->text, fmt, args);
    end_cleanly(e->text, sizeof e->text);
    return st;
}

jot_status err_set(Err *e, jot_status st, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_v(e, st, fmt, args);
    va_end(args);
    return st;
}

static jot_status status_of_errno(int errnum)
{
    switch (errnum) {
    case ENOENT:
        return JOT_NOT_FOUND;
    case EACCES:
    case EPERM:
        return JOT_DENIED;
    case EROFS:
        return JOT_READ_ONLY;
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return JOT_UNAVAILABLE;
    default:
        return JOT_IO;
    }
}

jot_status err_errno(Err *e, int errnum, const char *fmt, ...)
{
    jot_status st = status_of_errno(errnum);
    if (!e)
        return st;
    va_list args;
    va_start(args, fmt);
    set_v(e, st, fmt, args);
    va_end(args);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, ": %s", strerrordesc_np(errnum) ?: "unknown error");
    end_cleanly(e->text, sizeof e->text);
    return st;
}

jot_status err_at(Err *e, const char *fmt, ...)
{
    assert(e && e->status != JOT_OK);
    Err was = *e;
    va_list args;
    va_start(args, fmt);
    set_v(e, was.status, fmt, args);
    va_end(args);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, ": %s", was.text);
    end_cleanly(e->text, sizeof e->text);
    return was.status;
}

jot_status err_next(Err *e, Str next)
{
    assert(e->status != JOT_OK);
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, "; " STR_FMT, STR_ARG(next));
    end_cleanly(e->text, sizeof e->text);
    return e->status;
}

const char *err_show(Shown *shown, Str name)
{
    static const char dots[] = "...";
    shown->text[0] = 0;
    /* It never grows, so it is nobody's to free. */
    Buf to = { .p = shown->text, .cap = sizeof shown->text };
    bool whole = glyph_add_most(&to, name, GLYPH_LINE, to.cap - sizeof dots) == name.n;
    if (!whole)
        buf_add(&to, str(dots));
    shown->text[to.n] = 0;
    return shown->text;
}
