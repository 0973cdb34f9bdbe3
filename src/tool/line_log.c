/* line_log.c - the noun `line-log`: logs of lines, appended to by anybody, read in their order.
 *
 * To a model the lines of an answer are the log's, one by one and exactly; as no line holds a line
 * break, they can be counted.  One that is longer than an answer is read in parts. */
#include "memory/artifact/line_log.h"

#include <assert.h>

#include "base/utf8.h"
#include "memory/frame/tokens.h"
#include "tool/template.h"
#include "tool/verb.h"

extern const Noun noun_line_log;

/* clang-format off */
static const Param line_fields[] = {
    { "seq", .type = PARAM_NUMBER }, { "at", PARAM_TEXT, .about = "time" },
    { "by", .type = PARAM_TEXT }, { "text", .type = PARAM_TEXT },
    { "redacted", .type = PARAM_BOOL }, { 0 } };
static const Param log_fields[] = {
    { "category", .type = PARAM_TEXT }, { "name", .type = PARAM_TEXT },
    { "lines", .type = PARAM_NUMBER }, { "at", PARAM_TEXT, .about = "time" },
    { "by", .type = PARAM_TEXT }, { 0 } };

#define CATEGORY { "category", PARAM_TEXT, .about = "segments with / between", \
                   .max = STORE_NAME_MAX, .place = 1 }
#define NAME { "name", PARAM_TEXT, .max = STORE_SEGMENT_MAX, .place = 2 }
/* clang-format on */

/* --- Appending ----------------------------------------------------------------------------- */

static LineLogName name_of(const ToolCall *c)
{
    return (LineLogName){ arg_text(c, "category"), arg_text(c, "name") };
}

/* Each line of standard input; its last one need not end in a line break.  What was said is one. */
static jot_status append(ToolCall *c, VerbData *out)
{
    LineLogName log = name_of(c);
    Str id = arg_text(c, "id");
    Str rest = arg_text(c, "line"), text;
    bool split = arg_from_input(c, "line");
    Line last = { 0 };
    int64_t n = 0;
    /* One append each: a line that was acknowledged stays, whatever becomes of the next. */
    while (split && str_cut(&rest, '\n', &text)) {
        TRY(line_log_append(c->m, log, text, id, &last, c->e));
        n++;
    }
    if (rest.n || !split) {
        TRY(line_log_append(c->m, log, rest, id, &last, c->e));
        n++;
    }
    out->json =
        json_pack("{s:I, s:I, s:o, s:o}", "appended", (json_int_t)n, "seq", (json_int_t)last.seq,
                  "category", json_text(log.category), "name", json_text(log.name));
    return JOT_OK;
}

static const Verb verb_append = {
    .tool = { .name = "line_log_append",
              .title = "Append a line",
              .about = "Append one line to a log that others append to as well, such as the events "
                       "of a task.",
              .effects = TOOL_WRITES,
              .params =
                  PARAMS(CATEGORY, NAME,
                         { "line", PARAM_TEXT, .about = "without a line break",
                           .max = LINE_LOG_LINE_MAX, .place = 3, .input = INPUT_ELSE },
                         { "id", PARAM_TEXT, .about = "append it only once, even if you retry",
                           .optional = true, .max = STORE_ID_MAX }),
              .run = verb_answer },
    .verb = "append",
    .summary = "Append a line to a log, or each line of standard input",
    .help = "Each line is durable by itself, and lines of several writers never run together.\n",
    .fields = (const Param[]){ { "appended", PARAM_NUMBER, .about = "how many lines" },
                               { "seq", PARAM_NUMBER, .about = "of the last one" },
                               { "category", .type = PARAM_TEXT },
                               { "name", .type = PARAM_TEXT },
                               { 0 } },
    .says = "appended line {seq} to log {category}/{name}",
    .shows = "appended {appended#line} to log {category}/{name}",
    .run = append,
};

/* --- Reading ------------------------------------------------------------------------------- */

/* The lines as they are, for who has no frame: any bytes, one a line. */
static Str plain(const Lines *lines, Arena *into)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    for (size_t i = 0; i < lines->n; i++) {
        buf_add(&text, lines->items[i].text);
        buf_add(&text, lines->items[i].redacted ? S("(redacted)\n") : S("\n"));
    }
    return arena_copy(into, buf_str(&text));
}

static jot_status read_some(ToolCall *c, VerbData *out)
{
    Lines lines;
    LineLogName log = name_of(c);
    size_t limit = (size_t)arg_number(c, "limit", LINE_LOG_READ_MAX);
    if (arg_given(c, "tail") && (arg_given(c, "from") || arg_given(c, "from_char")))
        return err_set(c->e, JOT_INVALID, "say %s, not both",
                       c->shell ? "--from or --tail" : "'from' or 'tail'");
    if (arg_given(c, "tail"))
        TRY(line_log_tail(c->m, log, (size_t)arg_number(c, "tail", 1), c->into, &lines, c->e));
    else
        TRY(line_log_read(c->m, log, (SeqRange){ (uint64_t)arg_number(c, "from", 1), limit },
                          c->into, &lines, c->e));
    out->json = lines_json(&lines);
    if (c->shell && !arg_bool(c, "times"))
        out->body = plain(&lines, c->into);
    return JOT_OK;
}

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

static uint64_t seq_of(const json_t *line)
{
    return (uint64_t)json_integer_value(json_object_get(line, "seq"));
}

/* A part of a line that is too long, or that was asked for. */
static void add_part(Page *p, const json_t *line, size_t from_char)
{
    Str text = json_str(json_object_get(line, "text"));
    size_t from = reply_char_at(text, from_char), n = tokens_cut(str_from(text, from), p->budget);
    size_t shown = utf8_count(str_slice(text, from, from + n));
    bool all = from + n == text.n;
    assert(from + n <= text.n);
    buf_add(&p->text, str_slice(text, from, from + n));
    buf_addf(&p->label, ", chars %zu-%zu of %zu", from_char, from_char + shown - 1,
             utf8_count(text));
    p->next = seq_of(line) + all;
    p->next_char = all ? 0 : from_char + shown;
}

/* False if the next one does not fit any more. */
static bool add_line(Page *p, const json_t *line)
{
    bool redacted = json_is_true(json_object_get(line, "redacted"));
    Str text = redacted ? S(FORGET_MARK) : json_str(json_object_get(line, "text"));
    size_t tokens = tokens_estimate(text) + 1;
    if (p->last && p->tokens + tokens > p->budget) {
        p->next = seq_of(line);
        return false;
    }
    if (p->last)
        buf_add_char(&p->text, '\n');
    p->first = p->last ? p->first : seq_of(line);
    p->last = seq_of(line);
    p->tokens += tokens;
    /* Too long for any page: it comes in parts, the first of them now. */
    if (tokens > p->budget) {
        add_part(p, line, 1);
        return false;
    }
    buf_add(&p->text, text);
    return true;
}

static jot_status check_lines(const json_t *lines, Err *e)
{
    for (size_t i = 0; i < json_array_size(lines); i++)
        if (!json_is_string(json_object_get(json_array_get(lines, i), "text")))
            return err_set(e, JOT_UNSUPPORTED, "line %llu is not UTF-8 text: continue after it",
                           (unsigned long long)seq_of(json_array_get(lines, i)));
    return JOT_OK;
}

static void say_page(ToolCall *c, Page *p, const json_t *data, ToolReply *out)
{
    AUTO(Buf) all = { .max = SIZE_MAX / 2 };
    uint64_t damaged = (uint64_t)json_integer_value(json_object_get(data, "damaged"));
    buf_add(&all, buf_str(&p->text));
    buf_addf(&all, "\nlines %llu-%llu of log ", (unsigned long long)p->first,
             (unsigned long long)p->last);
    template_add(&all, "{category}/{name}", c->args, TEMPLATE_FRAMED);
    if (damaged)
        buf_addf(&all, ", %llu cannot be read", (unsigned long long)damaged);
    buf_add(&all, buf_str(&p->label));
    if (p->next) {
        Str line = arena_printf(c->into, "%llu", (unsigned long long)p->next);
        if (p->next_char)
            line = arena_printf(c->into, STR_FMT " from_char=%zu", STR_ARG(line), p->next_char);
        buf_add(&all, S("; "));
        reply_continue(c, &all, "from", line);
    }
    out->text = arena_copy(c->into, buf_str(&all));
    out->value = str_slice(out->text, 0, p->text.n);
}

static jot_status say_lines(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Page) p = { .budget = c->budget - reply_continue_tokens(c) };
    const json_t *lines = json_object_get(d->json, "lines");
    size_t from_char = (size_t)arg_number(c, "from_char", 1), n = json_array_size(lines);
    bool fits = from_char == 1;
    TRY(check_lines(lines, c->e));
    if (n && !fits) {
        p.first = p.last = seq_of(json_array_get(lines, 0));
        add_part(&p, json_array_get(lines, 0), from_char);
    }
    for (size_t i = 0; i < n && fits; i++)
        fits = add_line(&p, json_array_get(lines, i));
    if (fits && json_is_true(json_object_get(d->json, "more")))
        p.next = (uint64_t)json_integer_value(json_object_get(d->json, "next"));
    if (n)
        say_page(c, &p, d->json, out);
    else
        out->text = S("(no lines)");
    return JOT_OK;
}

static const Verb verb_read = {
    .tool = { .name = "line_log_read",
              .title = "Read lines",
              .about = "Read the lines of a log as they are, from a number on or the newest ones.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  CATEGORY, NAME,
                  { "from", PARAM_NUMBER, .about = "number of a line", .optional = true, .min = 1,
                    .word = "SEQ", .help = "the first line, counted from 1" },
                  { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = LINE_LOG_READ_MAX,
                    .door = DOOR_CLI, .help = "at most N, 1 to 1000" },
                  { "tail", PARAM_NUMBER, .about = "only the newest N", .optional = true, .min = 1,
                    .max = LINE_LOG_READ_MAX, .help = "the newest N lines instead" },
                  { "times", PARAM_BOOL, .optional = true, .door = DOOR_CLI,
                    .help = "with number, time and author" },
                  { "from_char", PARAM_NUMBER, .about = "of that line", .optional = true, .min = 1,
                    .door = DOOR_TOOL }),
              .run = verb_answer },
    .verb = "read",
    .summary = "Print lines of a log",
    .fields = (const Param[]){ { "lines", PARAM_OBJECTS, .fields = line_fields },
                               { "more", .type = PARAM_BOOL },
                               { "next", PARAM_NUMBER, .about = "seq to continue from" },
                               { "damaged", PARAM_NUMBER, .about = "lines that cannot be read" },
                               { 0 } },
    .items = "lines",
    .row = "{seq:6}  {at:-12}  {by}  {text}[(redacted){?redacted}]",
    .page = "from",
    .unit = "line",
    .run = read_some,
    .say = say_lines,
};

static jot_status list(ToolCall *c, VerbData *out)
{
    LineLogs logs;
    TRY(line_log_list(c->m,
                      &(LineLogQuery){ .category = arg_text(c, "category"),
                                       .after = arg_text(c, "after"),
                                       .limit = (size_t)arg_number(c, "limit", STORE_LIST_MAX) },
                      c->into, &logs, c->e));
    out->json = line_logs_json(&logs);
    return JOT_OK;
}

static const Verb verb_list = {
    .tool = { .name = "line_log_list",
              .title = "List logs",
              .about = "The logs of lines, in a category and below it.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "category", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX, .place = 1 },
                  { "after", PARAM_TEXT, .about = "CATEGORY/NAME", .optional = true,
                    .max = STORE_NAME_MAX, .word = "CATEGORY/NAME",
                    .help = "start after this one" },
                  { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = STORE_LIST_MAX,
                    .door = DOOR_CLI, .help = "at most N, 1 to 1000" }),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the logs, one per line",
    .fields = (const Param[]){ { "logs", PARAM_OBJECTS, .fields = log_fields },
                               { "more", .type = PARAM_BOOL },
                               { 0 } },
    .items = "logs",
    .line = "{category}/{name}  {lines#line}  {at}",
    .row = "{category}/{name}",
    .page = "after",
    .cursor = "{category}/{name}",
    .unit = "log",
    .run = list,
};

static const Verb *const verbs[] = { &verb_append, &verb_read, &verb_list, NULL };

const Noun noun_line_log = {
    .name = "line-log",
    .was = "artifact log",
    .summary = "Logs of lines, by category and name",
    .verbs = verbs,
    .profile = TOOLS_LINE_LOGS,
};
