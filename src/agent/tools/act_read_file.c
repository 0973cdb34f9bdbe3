/* act_read_file.c - read a file, or the part of it that was asked for.
 *
 * A part is so many lines or so many bytes, and never more than READ_MAX bytes;
 * the last line of the answer is ours and says what was left out and how to continue.
 * By lines, a part ends after a line; one that is longer than READ_MAX is read by
 * bytes.  What is not UTF-8 is shown as U+FFFD; a file with NUL bytes in the part
 * is not text and is refused. */
#include <errno.h>
#include <string.h>

#include "agent/sandbox/workdir.h"
#include "agent/tools/act.h"
#include "tool/reply.h"
#include "tool/template.h"

enum {
    READ_MAX = 256 * 1024,         /* bytes of one answer */
    READ_LINES = 2000,             /* of one answer, unless others are asked for */
    SCAN_MAX = 1024 * 1024 * 1024, /* bytes that are passed over to find a line */
    CHUNK = 64 * 1024,
};

/* What was found: bytes [from, from + text.n) of the file. */
typedef struct Part {
    Buf text;
    uint64_t from;
    uint64_t first, lines; /* by lines: the number of the first one, and how many */
    bool cut;              /* the one line does not fit */
    bool more;
} Part;

static void part_done(Part *p)
{
    buf_free(&p->text);
}
DEFINE_AUTO(Part, part_done)

static jot_status read_some(ToolCall *c, int fd, char *to, size_t n, uint64_t at, size_t *got)
{
    ssize_t done = io_read_all(act_workdir(c->outside)->io, fd, to, n, (off_t)at);
    Shown shown;
    if (done < 0)
        return err_errno(c->e, (int)-done, "could not read '%s'",
                         err_show(&shown, arg_text(c, "path")));
    *got = (size_t)done;
    return JOT_OK;
}

static jot_status by_bytes(ToolCall *c, int fd, Part *out)
{
    size_t want = (size_t)arg_number(c, "bytes", READ_MAX), got;
    char *room = buf_room(&out->text, want + 1);
    out->from = (uint64_t)arg_number(c, "from_byte", 0);
    TRY(read_some(c, fd, room, want + 1, out->from, &got));
    out->more = got > want;
    buf_grew(&out->text, out->more ? want : got);
    return JOT_OK;
}

/* The offset at which a line begins; false: the file ends before. */
static jot_status seek_line(ToolCall *c, int fd, uint64_t line, uint64_t *at, bool *found)
{
    AUTO(Buf) chunk = { 0 };
    char *p = buf_room(&chunk, CHUNK);
    uint64_t seen = 1;
    *at = 0;
    *found = line == 1;
    while (!*found && *at < SCAN_MAX) {
        size_t n;
        if (act_cancelled(c->outside))
            return err_set(c->e, JOT_CANCELLED, "cancelled");
        TRY(read_some(c, fd, p, CHUNK, *at, &n));
        if (!n)
            return JOT_OK;
        size_t i = 0;
        while (i < n && seen < line)
            seen += p[i++] == '\n';
        *at += i;
        *found = seen == line;
    }
    if (!*found)
        return err_set(c->e, JOT_TOO_BIG,
                       "line %llu is further than %d bytes into the file: use "
                       "'from_byte'",
                       (unsigned long long)line, SCAN_MAX);
    return JOT_OK;
}

static jot_status by_lines(ToolCall *c, int fd, Part *out)
{
    uint64_t count = (uint64_t)arg_number(c, "lines", READ_LINES);
    bool found;
    size_t got;
    out->first = (uint64_t)arg_number(c, "from_line", 1);
    TRY(seek_line(c, fd, out->first, &out->from, &found));
    if (!found)
        return err_set(c->e, JOT_NOT_FOUND, "the file has no line %llu",
                       (unsigned long long)out->first);
    char *room = buf_room(&out->text, READ_MAX + 1);
    TRY(read_some(c, fd, room, READ_MAX + 1, out->from, &got));
    size_t end = 0;
    for (size_t i = 0; i < got && i < READ_MAX && out->lines < count; i++)
        if (room[i] == '\n') {
            end = i + 1;
            out->lines++;
        }
    if (out->lines < count && got <= READ_MAX && end < got) { /* the last line has no end */
        end = got;
        out->lines++;
    }
    out->cut = !end && got > READ_MAX;
    end = out->cut ? READ_MAX : end;
    out->more = end < got;
    buf_grew(&out->text, end);
    return JOT_OK;
}

/* The line that says what this is a part of. */
static void add_label(const ToolCall *c, Buf *to, const Part *p, const struct stat *info,
                      size_t replaced)
{
    unsigned long long from = p->from, end = p->from + p->text.n, first = p->first;
    if (to->n && to->p[to->n - 1] != '\n')
        buf_add_char(to, '\n');
    if (p->first && !p->cut)
        buf_addf(to, "(lines %llu-%llu, ", (unsigned long long)p->first,
                 (unsigned long long)(p->first + p->lines - (p->lines > 0)));
    else
        buf_add(to, S("("));
    buf_addf(to, "bytes %llu-%llu of %llu", from, end, (unsigned long long)info->st_size);
    if (replaced)
        buf_addf(to, "; %s %s not UTF-8 and shown as U+FFFD", counted(replaced, "byte").text,
                 replaced == 1 ? "is" : "are");
    bool lines = p->first && !p->cut;
    if (p->more) {
        buf_add(to, S("; "));
        reply_continue(c, to, lines ? "from_line" : "from_byte",
                       arena_printf(c->into, "%llu", lines ? first + p->lines : end));
    }
    buf_add(to, S(")"));
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    struct stat info;
    Shown shown;
    AUTO(Part) p = { 0 };
    AUTO(Fd) fd = FD_NONE;
    AUTO(Buf) text = { 0 };
    size_t replaced;
    bool bytes = arg_given(c, "from_byte") || arg_given(c, "bytes");
    if (bytes && (arg_given(c, "from_line") || arg_given(c, "lines")))
        return err_set(c->e, JOT_INVALID,
                       "say 'from_line' and 'lines', or 'from_byte' and "
                       "'bytes', not both");
    TRY(workdir_open_file(act_workdir(c->outside), arg_text(c, "path"), &fd, &info, c->e));
    TRY(bytes ? by_bytes(c, fd, &p) : by_lines(c, fd, &p));
    if (p.text.n && memchr(p.text.p, 0, p.text.n))
        return err_set(c->e, JOT_UNSUPPORTED, "'%s' is not text: it holds NUL bytes",
                       err_show(&shown, arg_text(c, "path")));
    buf_add(&text, act_text(c->into, buf_str(&p.text), &replaced));
    add_label(c, &text, &p, &info, replaced);
    out->text = arena_copy(c->into, buf_str(&text));
    return JOT_OK;
}

extern const Tool act_read_file;
const Tool act_read_file = {
    .name = "read_file",
    .title = "Read a file",
    .about = "Read a text file of the working directory, or a part of it. The last line says which "
             "part this is and how to continue.",
    .effects = TOOL_READS | TOOL_OUTSIDE,
    .params = PARAMS(
        { "path", PARAM_TEXT, .max = WORKDIR_PATH_MAX },
        { "from_line", PARAM_NUMBER, .optional = true, .min = 1 },
        { "lines", PARAM_NUMBER, .about = "how many", .optional = true, .min = 1, .max = 100000 },
        { "from_byte", PARAM_NUMBER, .about = "from 0 on", .optional = true },
        { "bytes", PARAM_NUMBER, .about = "how many", .optional = true, .min = 1,
          .max = READ_MAX }),
    .run = run,
};
