/* reply.h - how answers are put together: bounded, and with values that cannot pass for framing.
 *
 * There are three ways in which a stored value stands in an answer.  As a body: it
 * comes first, as it is, then one line break and one line of ours.  As a quotation:
 * each of its lines begins with "| ".  As a name: on one line, in quotes if it has
 * anything but letters, digits and "_.-:/". */
#ifndef TOOL_REPLY_H
#define TOOL_REPLY_H

#include "memory/doc/conflict.h"
#include "tool/args.h"

/* JOT_UNSUPPORTED, with the offset of the first bad byte, if a stored text is not UTF-8. */
MUST_USE jot_status reply_check_text(Str stream, Str text, Err *e);

/* Put `text` after "| ", line by line; what is beyond `tokens` is left out, and a line of ours
 * says how much. */
void reply_quote(Buf *to, Str text, size_t tokens);

/* The parameters by which a part of a text is asked for, and a check that they go together. */
/* clang-format off */
#define REPLY_PART(name, words) \
    { name, PARAM_NUMBER, .about = words, .optional = true, .min = 1, .door = DOOR_TOOL }
#define REPLY_BODY_PARAMS \
    REPLY_PART("from_line", NULL), REPLY_PART("lines", "how many"), REPLY_PART("from_char", NULL)
/* clang-format on */
/* The byte at which the 1-based character begins; the end, if there are not so many. */
size_t reply_char_at(Str text, size_t number);
MUST_USE jot_status reply_body_check(const ToolCall *c);

/* The answer is the part of a text (UTF-8) that was asked for, or as much of it as fits, exactly,
 * and one last line: the label, what was left out, and the call that reads on. */
void reply_body(ToolCall *c, Str text, Str label, ToolReply *out);
/* "version X", as a label. */
Str reply_label(ToolCall *c, Hash version);

/* "continue with TOOL k=v ... NAME=VALUE": the call at hand again, from another place on.  `name`
 * is a parameter of it. */
void reply_continue(const ToolCall *c, Buf *to, const char *name, Str value);
/* The same as the last line of a list: "... there are more: continue with ...". */
void reply_more(const ToolCall *c, Buf *to, const char *name, Str value);
/* Tokens to keep free for such a line. */
size_t reply_continue_tokens(const ToolCall *c);

/* "version X" as a line. */
void reply_version(Buf *to, const Mark *m);

/* The answer is a value as JSON on one line; takes the reference. */
void reply_json(ToolCall *c, json_t *value, ToolReply *out);

/* The answer is what is in the Buf, without line breaks at its end. */
void reply_set(ToolCall *c, const Buf *text, ToolReply *out);

/* The answer to a change of a document: a line, the version, a warning if it looks like a secret
 * (`written`: the text to look at). */
void reply_changed(ToolCall *c, Str stream, Str line, const Doc *now, Str written, ToolReply *out);

/* The answer to a conflict: the sentence, what to do next, the present text, and the clean merge
 * if there is one.  Returns JOT_CONFLICT. */
jot_status reply_conflict(ToolCall *c, const Conflict *k, ToolReply *out);

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
/* The same for a value, as JSON on one line; takes the reference. */
bool lister_add_json(Lister *l, json_t *value);
void lister_done(Lister *l);
DEFINE_AUTO(Lister, lister_done)

/* The version a change depends on, checked; empty if none was named. */
MUST_USE jot_status arg_if_version(const ToolCall *c, DocIf *out);

/* Write under the lease named by the parameter "lease", if any; reply_unlease() after the write. */
void reply_lease(const ToolCall *c);
void reply_unlease(const ToolCall *c);

#endif
