/* reply.h - how answers are put together: bounded, and with values that cannot pass for framing.
 *
 * There are three ways in which a stored value stands in an answer.  As a body: it
 * comes first, as it is, and exactly one line of ours comes last.  As a quotation:
 * each of its lines begins with "| ".  As a name: on one line, in quotes if it has
 * anything but letters, digits and "_.-:/". */
#ifndef TOOL_REPLY_H
#define TOOL_REPLY_H

#include "memory/conflict.h"
#include "tool/args.h"

/* JOT_UNSUPPORTED, with the offset of the first bad byte, if a stored text is not UTF-8. */
MUST_USE jot_status reply_check_text(Str stream, Str text, Err *e);

/* Put `text` behind "| ", line by line; what is beyond `tokens` is left out, and a line of ours
 * says how much. */
void reply_quote(Buf *to, Str text, size_t tokens);

/* "version X" as a line. */
void reply_version(Buf *to, const Mark *m);

/* The answer is what is in the Buf, without line breaks at its end. */
void reply_set(ToolCall *c, const Buf *text, ToolReply *out);

/* The answer to a change of a document: a line, the version, a warning if it looks like a secret
 * (`written`: the text to look at). */
void reply_changed(ToolCall *c, Str stream, Str line, const Doc *now, Str written, ToolReply *out);

/* The answer to a conflict: the sentence, the present text, and the clean merge with `mine` if
 * there is one.  `base` is the version that was named.  Returns JOT_CONFLICT. */
jot_status reply_conflict(ToolCall *c, Str stream, Str base, Str mine, const Doc *now,
                          ToolReply *out);

/* Lines of a list, until the budget is used up. */
typedef struct Lister {
    Buf text;
    size_t tokens; /* used so far */
    size_t budget;
    size_t n; /* lines taken */
} Lister;
Lister lister_begin(const ToolCall *c);
/* False, and nothing is added, if it does not fit; the first one always does. */
bool lister_add(Lister *l, Str line);
void lister_done(Lister *l);
DEFINE_AUTO(Lister, lister_done)

/* The version a change depends on, checked; empty if none was named. */
MUST_USE jot_status arg_if_version(const ToolCall *c, DocIf *out);

/* Write under the lease named by the parameter "lease", if any; reply_unlease() after the write. */
void reply_lease(const ToolCall *c);
void reply_unlease(const ToolCall *c);

#endif
