/* markdown.h - Markdown as HTML that can do nothing but be shown.
 *
 * By cmark-gfm, which is opened when it is first used.  HTML in the text is left out, links lead
 * nowhere but to http, https, mailto and places in the text itself, and an image that would be
 * fetched from elsewhere is a link to it: showing a text asks nobody for anything.  A text that was
 * made to take for ever is shown without its tables, or without bare addresses as links. */
#ifndef TOOL_MARKDOWN_H
#define TOOL_MARKDOWN_H

#include "base/buf.h"
#include "base/err.h"

enum { MARKDOWN_MAX = 1024 * 1024 /* bytes of a text */ };

/* JOT_UNSUPPORTED: cmark-gfm is not there.  JOT_TOO_BIG.  JOT_INVALID: no UTF-8. */
MUST_USE jot_status markdown_html(Str text, Buf *to, Err *e);

#endif
