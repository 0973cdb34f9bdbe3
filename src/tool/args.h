/* args.h - the arguments of a call: checked against the tool's table, then read by name.
 *
 * For the tools themselves; doors need only tool.h.  A tool asks for parameters
 * of its own table by their names; asking for any other is a mistake in the
 * program. */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "tool/tool.h"

/* A text that a door has as bytes, which JSON could not hold unless they are UTF-8. */
typedef struct ArgBytes {
    const char *name; /* of the parameter */
    Str bytes;
    bool input; /* it was standard input, or a file */
    Str word;   /* what was said on the line: the name of the file, or the text itself */
} ArgBytes;

struct ToolCall {
    const Tool *tool;
    const json_t *args;    /* an object that has passed args_check, or what a command line said */
    const ArgBytes *bytes; /* more arguments; from a command line only */
    size_t bytes_n;
    uint64_t lease;        /* the token given besides, by a command; 0: none */
    bool shell;            /* a command asks, not a model: next steps are commands */
    Memory *m;             /* open; an empty one if there is no pad and the tool needs none */
    void *outside;         /* the host's */
    Str plan;              /* the host's */
    MemoryDialect dialect; /* the host's */
    size_t budget;         /* tokens the answer may have */
    Arena *into;
    Err *e;
};

/* JOT_INVALID: one sentence that names the parameter and says what is allowed. */
MUST_USE jot_status args_check(const Tool *t, const json_t *args, Err *e);
/* The same for a program that wants the data: it has the parameters of a command, not those by
 * which a model asks for a part of an answer. */
MUST_USE jot_status args_check_program(const Tool *t, const json_t *args, Err *e);

/* The note, or memory file, that `key` names, for a tool that changes it.  JOT_INVALID for any
 * other document: what tools answered, the state of cycles and the like are not for a model to
 * change. */
MUST_USE jot_status arg_note(const ToolCall *c, Str *stream);

bool arg_given(const ToolCall *c, const char *name);
Str arg_text(const ToolCall *c, const char *name); /* empty if not given */
int64_t arg_number(const ToolCall *c, const char *name, int64_t otherwise);
bool arg_bool(const ToolCall *c, const char *name);          /* false if not given */
const json_t *arg_json(const ToolCall *c, const char *name); /* NULL if not given */
/* A JSON value as text, in c->into: the bytes that were given, or what was read written again;
 * empty if not given. */
Str arg_json_text(const ToolCall *c, const char *name);
/* True if a text was not said but read, from standard input or a file. */
bool arg_from_input(const ToolCall *c, const char *name);
/* What a command line said for it, be it the text or the name of a file; empty if nothing. */
Str arg_word(const ToolCall *c, const char *name);
/* The strings of an array, in c->into; *n is 0 if not given. */
Str *arg_texts(const ToolCall *c, const char *name, size_t *n);

#endif
