/* markdown.c - asking cmark-gfm.
 *
 * Its own rules for what is safe forbid javascript:, vbscript:, file: and most data: addresses, and
 * let any other scheme pass; here only those that are known pass.  A data: image stays out as well:
 * the page may not show it. */
#include "tool/markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/library.h"
#include "base/utf8.h"

static struct {
    cmark_parser *(*cmark_parser_new)(int options);
    void (*cmark_parser_free)(cmark_parser *parser);
    void (*cmark_parser_feed)(cmark_parser *parser, const char *buffer, size_t len);
    cmark_node *(*cmark_parser_finish)(cmark_parser *parser);
    int (*cmark_parser_attach_syntax_extension)(cmark_parser *parser,
                                                cmark_syntax_extension *extension);
    cmark_syntax_extension *(*cmark_find_syntax_extension)(const char *name);
    cmark_llist *(*cmark_parser_get_syntax_extensions)(cmark_parser *parser);
    char *(*cmark_render_html)(cmark_node *root, int options, cmark_llist *extensions);
    void (*cmark_node_free)(cmark_node *node);
    cmark_iter *(*cmark_iter_new)(cmark_node *root);
    void (*cmark_iter_free)(cmark_iter *iter);
    cmark_event_type (*cmark_iter_next)(cmark_iter *iter);
    cmark_node *(*cmark_iter_get_node)(cmark_iter *iter);
    cmark_node_type (*cmark_node_get_type)(cmark_node *node);
    const char *(*cmark_node_get_url)(cmark_node *node);
    int (*cmark_node_set_url)(cmark_node *node, const char *url);
    cmark_node *(*cmark_node_new)(cmark_node_type type);
    cmark_node *(*cmark_node_first_child)(cmark_node *node);
    int (*cmark_node_append_child)(cmark_node *node, cmark_node *child);
    int (*cmark_node_set_literal)(cmark_node *node, const char *content);
    cmark_node *(*cmark_node_parent)(cmark_node *node);
    int (*cmark_node_insert_before)(cmark_node *node, cmark_node *sibling);
} lib;

static struct {
    void (*cmark_gfm_core_extensions_ensure_registered)(void);
} more;

#define NEED(function)                                             \
    {                                                              \
#function, (void *)&lib.function, LIBRARY_LINKED(function) \
    }

static const LibraryFunction functions[] = {
    NEED(cmark_parser_new),
    NEED(cmark_parser_free),
    NEED(cmark_parser_feed),
    NEED(cmark_parser_finish),
    NEED(cmark_parser_attach_syntax_extension),
    NEED(cmark_find_syntax_extension),
    NEED(cmark_parser_get_syntax_extensions),
    NEED(cmark_render_html),
    NEED(cmark_node_free),
    NEED(cmark_iter_new),
    NEED(cmark_iter_free),
    NEED(cmark_iter_next),
    NEED(cmark_iter_get_node),
    NEED(cmark_node_get_type),
    NEED(cmark_node_get_url),
    NEED(cmark_node_set_url),
    NEED(cmark_node_new),
    NEED(cmark_node_first_child),
    NEED(cmark_node_append_child),
    NEED(cmark_node_set_literal),
    NEED(cmark_node_parent),
    NEED(cmark_node_insert_before),
};

static Library library = {
    .use = "showing Markdown",
    .package = "libcmark-gfm0.29.0.gfm.6",
    .names = { "libcmark-gfm.so.0.29.0.gfm.6", "libcmark-gfm.so.0.29.0.gfm.13", "libcmark-gfm.so" },
    .functions = functions,
    .count = COUNT_OF(functions),
};

static const LibraryFunction more_functions[] = {
    { "cmark_gfm_core_extensions_ensure_registered",
      (void *)&more.cmark_gfm_core_extensions_ensure_registered,
      LIBRARY_LINKED(cmark_gfm_core_extensions_ensure_registered) },
};

static Library extensions = {
    .use = "showing Markdown",
    .package = "libcmark-gfm-extensions0.29.0.gfm.6",
    .names = { "libcmark-gfm-extensions.so.0.29.0.gfm.6",
               "libcmark-gfm-extensions.so.0.29.0.gfm.13", "libcmark-gfm-extensions.so" },
    .functions = more_functions,
    .count = COUNT_OF(more_functions),
};

/* Registering is not for two threads at once. */
static void register_extensions(void)
{
    more.cmark_gfm_core_extensions_ensure_registered();
}

static jot_status open_library(Err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    TRY(library_open(&library, e));
    TRY(library_open(&extensions, e));
    pthread_once(&once, register_extensions);
    return JOT_OK;
}

/* --- What may be led to ---------------------------------------------------------------------- */

static bool begins(Str url, const char *scheme)
{
    for (size_t i = 0; scheme[i]; i++)
        if (i == url.n || (url.p[i] | 0x20) != (scheme[i] | 0x20))
            return false;
    return true;
}

static bool may_lead(Str url)
{
    return begins(url, "http://") || begins(url, "https://") || begins(url, "mailto:") ||
           (url.n && url.p[0] == '#');
}

static cmark_node *new_node(cmark_node_type type)
{
    cmark_node *node = lib.cmark_node_new(type);
    if (!node)
        mem_exhausted();
    return node;
}

/* What leads nowhere is its words alone, or its address where it has none. */
static void make_words(cmark_node *node, const char *url)
{
    cmark_node *child;
    if (!lib.cmark_node_first_child(node)) {
        child = new_node(CMARK_NODE_TEXT);
        lib.cmark_node_set_literal(child, url);
        lib.cmark_node_append_child(node, child);
    }
    while ((child = lib.cmark_node_first_child(node)))
        lib.cmark_node_insert_before(node, child);
    lib.cmark_node_free(node);
}

static void make_link(cmark_node *image, const char *url)
{
    cmark_node *link = new_node(CMARK_NODE_LINK), *child;
    lib.cmark_node_set_url(link, url);
    lib.cmark_node_insert_before(image, link);
    while ((child = lib.cmark_node_first_child(image)))
        lib.cmark_node_append_child(link, child);
    if (!lib.cmark_node_first_child(link)) {
        child = new_node(CMARK_NODE_TEXT);
        lib.cmark_node_set_literal(child, url);
        lib.cmark_node_append_child(link, child);
    }
    lib.cmark_node_free(image);
}

static bool in_link(cmark_node *node)
{
    while ((node = lib.cmark_node_parent(node)))
        if (lib.cmark_node_get_type(node) == CMARK_NODE_LINK)
            return true;
    return false;
}

/* A link or an image that may lead nowhere is its words; an image that may is a link to it. */
static void tame_node(cmark_node *node)
{
    const char *url = lib.cmark_node_get_url(node);
    bool image = lib.cmark_node_get_type(node) == CMARK_NODE_IMAGE;
    if (!may_lead(str(url)) || (image && in_link(node)))
        make_words(node, url);
    else if (image)
        make_link(node, url);
}

/* A node is changed after it was left: nothing of it is visited then. */
static void tame(cmark_node *root)
{
    cmark_iter *i = lib.cmark_iter_new(root);
    cmark_event_type event;
    cmark_node *left = NULL;
    while ((event = lib.cmark_iter_next(i)) != CMARK_EVENT_DONE) {
        if (left)
            tame_node(left);
        left = NULL;
        cmark_node *node = lib.cmark_iter_get_node(i);
        cmark_node_type type = lib.cmark_node_get_type(node);
        if (event == CMARK_EVENT_EXIT && (type == CMARK_NODE_IMAGE || type == CMARK_NODE_LINK))
            left = node;
    }
    lib.cmark_iter_free(i);
}

/* --- What would take too long ---------------------------------------------------------------- */

/* The parser takes time and memory that grow with the square of some texts: it reads a paragraph
 * again at every line that could be below a table's head, fills up every row with the cells it
 * does not have, and looks for an address from every sign of one to the end of the word.  These
 * bounds are far above what is written to be read; beyond them the text is shown without tables,
 * or without addresses as links. */
enum {
    CELLS_MAX = 100 * 1000,
    LINE_BARS_MAX = 500,
    BELOW_HEADS_MAX = 64 * 1000 * 1000, /* lines that could be below a head, times bytes */
    ADDRESSES_MAX = 32 * 1000 * 1000,   /* signs of an address in a word, times its bytes */
};

typedef struct Cost {
    uint64_t cells, below_heads, addresses;
    size_t bars;    /* the most in a line */
    size_t columns; /* of the table that may have begun */
} Cost;

static bool one_of(char c, const char *set)
{
    for (; *set; set++)
        if (c == *set)
            return true;
    return false;
}

/* The line below a table's head, also in a quote or a list. */
static bool below_head(Str line)
{
    bool dash = false;
    for (size_t i = 0; i < line.n; i++) {
        if (!one_of(line.p[i], "|:- \t\r\f\v>*+.)0123456789"))
            return false;
        dash = dash || line.p[i] == '-';
    }
    return dash;
}

static void count_line(Cost *c, Str line)
{
    size_t bars = 0;
    for (size_t i = 0; i < line.n; i++)
        bars += line.p[i] == '|';
    c->bars = bars > c->bars ? bars : c->bars;
    c->cells += c->columns;
    if (below_head(line)) {
        c->below_heads++;
        c->columns = bars + 1 > c->columns ? bars + 1 : c->columns;
    } else if (str_trim(line).n == 0) {
        c->columns = 0;
    }
}

static void count_words(Cost *c, Str text)
{
    uint64_t from = 0, signs = 0;
    for (size_t i = 0; i <= text.n; i++) {
        if (i == text.n || one_of(text.p[i], " \t\r\n")) {
            c->addresses += signs * (i - from);
            from = i + 1;
            signs = 0;
        } else if (one_of(text.p[i], "@:wW")) {
            signs++;
        }
    }
}

static Cost cost_of(Str text)
{
    Cost c = { 0 };
    Str rest = text, line;
    while (str_cut(&rest, '\n', &line))
        count_line(&c, line);
    count_line(&c, rest);
    c.below_heads *= text.n;
    count_words(&c, text);
    return c;
}

static bool bearable(const Cost *c, Str extension)
{
    if (str_eq(extension, S("table")))
        return c->cells <= CELLS_MAX && c->bars <= LINE_BARS_MAX &&
               c->below_heads <= BELOW_HEADS_MAX;
    return !str_eq(extension, S("autolink")) || c->addresses <= ADDRESSES_MAX;
}

jot_status markdown_html(Str text, Buf *to, Err *e)
{
    static const char *const names[] = { "table", "strikethrough", "autolink", "tasklist" };
    if (text.n > MARKDOWN_MAX)
        return err_set(e, JOT_TOO_BIG, "a text of more than %d bytes is shown as it is",
                       MARKDOWN_MAX);
    TRY(utf8_check("the text", text, e));
    TRY(open_library(e));
    Cost cost = cost_of(text);
    cmark_parser *parser = lib.cmark_parser_new(CMARK_OPT_DEFAULT);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!bearable(&cost, str(names[i])))
            continue;
        cmark_syntax_extension *x = lib.cmark_find_syntax_extension(names[i]);
        if (x)
            lib.cmark_parser_attach_syntax_extension(parser, x);
    }
    lib.cmark_parser_feed(parser, text.p, text.n);
    cmark_node *root = lib.cmark_parser_finish(parser);
    tame(root);
    char *html = lib.cmark_render_html(root, CMARK_OPT_DEFAULT,
                                       lib.cmark_parser_get_syntax_extensions(parser));
    buf_add(to, str(html));
    free(html);
    lib.cmark_node_free(root);
    lib.cmark_parser_free(parser);
    return JOT_OK;
}
