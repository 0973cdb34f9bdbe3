/* note.h - what the rows about documents share: their fields, and how a conflict is reported. */
#ifndef TOOL_NOTE_H
#define TOOL_NOTE_H

#include "tool/verb.h"

enum { NOTE_PAGE = 100 /* documents or versions, if nobody says how many */ };

/* clang-format off */
/* A document without its text: what lists and histories have. */
#define NOTE_MARK                                                                            \
    { "key", PARAM_TEXT, .about = "of a note" }, { "stream", .type = PARAM_TEXT },           \
    { "version", .type = PARAM_TEXT }, { "sha256", .type = PARAM_TEXT },                     \
    { "seq", PARAM_NUMBER, .about = "0: a person's edit of the file, not recorded yet" },    \
    { "at", PARAM_TEXT, .about = "time" }, { "by", .type = PARAM_TEXT },                     \
    { "bytes", .type = PARAM_NUMBER }, { "meta", .type = PARAM_OBJECT },                     \
    { "deleted", .type = PARAM_BOOL }, { "redacted", .type = PARAM_BOOL },                   \
    { "edited", PARAM_BOOL, .about = "a person's edit that has no record" }
#define NOTE_FIELDS NOTE_MARK, { "chars", .type = PARAM_NUMBER }, { "text", .type = PARAM_TEXT }

#define NOTE_KEY { "key", PARAM_TEXT, .max = STORE_NAME_MAX, \
                   .about = "a note's key, or the whole name of another document" }
#define NOTE_IF { "if_version", PARAM_TEXT, .about = "only if it is still at this version", \
                  .optional = true, .min = 1, .max = HASH_HEX }
#define NOTE_AGAIN { "again", PARAM_TEXT, .max = STORE_NAME_MAX, \
                     .about = "the key once more: there is no way back" }
/* clang-format on */

extern const Param note_fields[];         /* of a document */
extern const Param note_changed_fields[]; /* of one that was changed, or stands in the way */

/* The stream of the parameter "key". */
MUST_USE jot_status note_arg(const ToolCall *c, Str *stream);
/* How a change ended: the document, or what stands in its way. */
jot_status note_changed(jot_status st, Str stream, const Doc *now, VerbData *out);
/* A moment; *out is 0 if it was not given.  JOT_INVALID for what is none. */
MUST_USE jot_status arg_moment(const ToolCall *c, const char *name, int64_t *out);

#endif
