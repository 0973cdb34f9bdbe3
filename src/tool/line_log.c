/* line_log.c - the profile `line_logs`: logs of lines, appended to by anybody, read in their order.
 *
 * The lines of an answer are the log's, one by one and exactly; as no line holds a line break, they
 * can be counted.  One that is longer than an answer is read in parts. */
#include "memory/artifact/line_log.h"

#include "base/time.h"
#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "tool/reply.h"

static void add_name(Buf *to, Str category, Str name)
{
    AUTO(Buf) both = { 0 };
    buf_addf(&both, STR_FMT "/" STR_FMT, STR_ARG(category), STR_ARG(name));
    frame_name_add(to, buf_str(&both));
}

static jot_status run_append(ToolCall *c, ToolReply *out)
{
    Line line;
    AUTO(Buf) text = { 0 };
    TRY(line_log_append(c->m, arg_text(c, "category"), arg_text(c, "name"), arg_text(c, "line"),
                        arg_text(c, "id"), &line, c->e));
    buf_addf(&text, "appended line %llu to log ", (unsigned long long)line.seq);
    add_name(&text, arg_text(c, "category"), arg_text(c, "name"));
    reply_set(c, &text, out);
    return JOT_OK;
}

/* --- Reading ----------------------------------------------------------------------------- */

/* An answer as it grows. */
typedef struct Page {
    Buf text;
    Buf label;
    size_t budget, tokens;
    uint64_t first, last; /* lines; 0: none */
    uint64_t next;        /* the line to continue with; 0: that was all */
    size_t next_char;     /* ... from this character on; 0: from its beginning */
} Page;

static void page_done(Page *p)
{
    buf_free(&p->text);
    buf_free(&p->label);
}
DEFINE_AUTO(Page, page_done)

static size_t char_at(Str text, size_t number)
{
    size_t at = 0;
    while (number > 1 && at < text.n) {
        utf8_next(text, &at);
        number--;
    }
    return at;
}

/* A part of a line that is too long, or that was asked for. */
static void add_part(Page *p, const Line *line, size_t from_char)
{
    size_t from = char_at(line->text, from_char);
    size_t n = tokens_cut(str_from(line->text, from), p->budget);
    size_t shown = utf8_count(str_slice(line->text, from, from + n));
    buf_add(&p->text, str_slice(line->text, from, from + n));
    buf_addf(&p->label, ", chars %zu-%zu of %zu", from_char, from_char + shown - 1,
             utf8_count(line->text));
    p->next = from + n < line->text.n ? line->seq : line->seq + 1;
    p->next_char = from + n < line->text.n ? from_char + shown : 0;
}

/* False if the next one does not fit any more. */
static bool add_line(Page *p, const Line *line)
{
    Str text = line->redacted ? S(FORGET_MARK) : line->text;
    size_t tokens = tokens_estimate(text) + 1;
    if (p->last && p->tokens + tokens > p->budget) {
        p->next = line->seq;
        return false;
    }
    if (p->last)
        buf_add_char(&p->text, '\n');
    p->first = p->last ? p->first : line->seq;
    p->last = line->seq;
    p->tokens += tokens;
    if (tokens > p->budget) {
        add_part(p, line, 1);
        return false;
    }
    buf_add(&p->text, text);
    return true;
}

static jot_status check_lines(const Lines *lines, Err *e)
{
    for (size_t i = 0; i < lines->n; i++)
        if (!utf8_valid(lines->items[i].text))
            return err_set(e, JOT_UNSUPPORTED, "line %llu is not UTF-8 text: read on behind it",
                           (unsigned long long)lines->items[i].seq);
    return JOT_OK;
}

static void add_next(const ToolCall *c, Page *p)
{
    if (!p->next)
        return;
    buf_add(&p->label, S("; "));
    Str line = arena_printf(c->into, "%llu", (unsigned long long)p->next);
    if (p->next_char)
        line =
            arena_printf(c->into, "%llu from_char=%zu", (unsigned long long)p->next, p->next_char);
    reply_continue(c, &p->label, "from", line);
}

static void tell(ToolCall *c, Page *p, const Lines *lines, ToolReply *out)
{
    AUTO(Buf) all = { .max = SIZE_MAX / 2 };
    buf_add(&all, buf_str(&p->text));
    buf_addf(&all, "\nlines %llu-%llu of log ", (unsigned long long)p->first,
             (unsigned long long)p->last);
    add_name(&all, arg_text(c, "category"), arg_text(c, "name"));
    if (lines->damaged)
        buf_addf(&all, ", %llu cannot be read", (unsigned long long)lines->damaged);
    add_next(c, p);
    buf_add(&all, buf_str(&p->label));
    out->text = arena_copy(c->into, buf_str(&all));
    out->value = str_slice(out->text, 0, p->text.n);
}

static jot_status run_read(ToolCall *c, ToolReply *out)
{
    Lines lines;
    Str category = arg_text(c, "category"), name = arg_text(c, "name");
    uint64_t from = (uint64_t)arg_number(c, "from", 1);
    size_t from_char = (size_t)arg_number(c, "from_char", 1);
    if (arg_given(c, "tail") && (arg_given(c, "from") || arg_given(c, "from_char")))
        return err_set(c->e, JOT_INVALID, "say 'from' or 'tail', not both");
    if (arg_given(c, "tail"))
        TRY(line_log_tail(c->m, category, name, (size_t)arg_number(c, "tail", 1), c->into, &lines,
                          c->e));
    else
        TRY(line_log_read(c->m, category, name, from, LINE_LOG_READ_MAX, c->into, &lines, c->e));
    TRY(check_lines(&lines, c->e));
    AUTO(Page) p = { .budget = c->budget - reply_continue_tokens(c) };
    bool fits = from_char == 1;
    if (lines.n && !fits) {
        p.first = p.last = lines.items[0].seq;
        add_part(&p, &lines.items[0], from_char);
    }
    size_t i = 0;
    while (i < lines.n && fits)
        fits = add_line(&p, &lines.items[i++]);
    if (fits && lines.more)
        p.next = lines.next;
    if (lines.n)
        tell(c, &p, &lines, out);
    else
        out->text = S("(no lines)");
    return JOT_OK;
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    LineLogs logs;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(line_log_list(c->m, arg_text(c, "category"), arg_text(c, "after"), STORE_LIST_MAX, c->into,
                      &logs, c->e));
    for (bool fits = true; n < logs.n && fits; n += fits) {
        AUTO(Buf) line = { 0 };
        add_name(&line, logs.items[n].category, logs.items[n].name);
        buf_addf(&line, "  %llu lines  %s", (unsigned long long)logs.items[n].seq,
                 time_text(logs.items[n].at_ms).text);
        fits = lister_add(&l, buf_str(&line));
    }
    if (!logs.n)
        buf_add(&l.text, S("(empty)"));
    if (n && (n < logs.n || logs.more))
        reply_more(c, &l.text, "after",
                   arena_printf(c->into, STR_FMT "/" STR_FMT, STR_ARG(logs.items[n - 1].category),
                                STR_ARG(logs.items[n - 1].name)));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

/* clang-format off */
#define CATEGORY { "category", PARAM_TEXT, .about = "segments with / between", .max = STORE_NAME_MAX }
#define NAME { "name", PARAM_TEXT, .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_line_log_append, tool_line_log_read, tool_line_log_list;

const Tool tool_line_log_append = {
    .name = "line_log_append",
    .title = "Append a line",
    .about = "Append one line to a log that others append to as well, such as events of a task.",
    .effects = TOOL_WRITES,
    .params = { CATEGORY,
                NAME,
                { "line", PARAM_TEXT, .about = "without a line break", .max = LINE_LOG_LINE_MAX },
                { "id", PARAM_TEXT, .about = "append it once, however often you try",
                  .optional = true, .max = STORE_ID_MAX } },
    .run = run_append,
};

const Tool tool_line_log_read = {
    .name = "line_log_read",
    .title = "Read lines",
    .about = "Read the lines of a log as they are, from a number on or the newest ones.",
    .effects = TOOL_READS,
    .params = { CATEGORY,
                NAME,
                { "from", PARAM_NUMBER, .about = "number of a line", .optional = true, .min = 1 },
                { "tail", PARAM_NUMBER, .about = "only the newest so many", .optional = true,
                  .min = 1, .max = LINE_LOG_READ_MAX },
                { "from_char", PARAM_NUMBER, .about = "of that line", .optional = true,
                  .min = 1 } },
    .run = run_read,
};

const Tool tool_line_log_list = {
    .name = "line_log_list",
    .title = "List logs",
    .about = "The logs of lines, in a category and below it.",
    .effects = TOOL_READS,
    .params = { { "category", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX },
                { "after", PARAM_TEXT, .about = "CATEGORY/NAME", .optional = true,
                  .max = STORE_NAME_MAX } },
    .run = run_list,
};
