/* tool.h - Tool, a word an agent can say, declared once as data.
 *
 * MCP's tools/list, the agent loop and docs/tools.md are all printed from these
 * tables, and arguments are checked against them before a tool runs, so they
 * cannot disagree.  A tool is one `const Tool` in a file of its own and one line
 * in registry.c.
 *
 * What a call answers is text that is complete on its own and never longer than
 * the host's budget: where something was left out, the last line says what, and
 * how to get it.  A few tools have structured data besides; it then says the same
 * as the text, because a client may show its model either of the two.
 *
 * Nothing in a stored value can pass for an answer's own words: a value comes
 * first, exactly as it is stored, and one line break and one last line of ours
 * follow; or each of its lines begins with "| "; or it is JSON.  In the first case
 * all before the last line break is the value, so a door can hand it over apart. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "base/json.h"
#include "memory/memory.h"
#include "tool/dialect/memory_dir.h"

enum {
    TOOL_PARAMS_MAX = 12,
    TOOL_ABOUT_MAX = 2048,       /* bytes of a description */
    TOOL_NAME_MAX = 64,          /* bytes of a name: [a-z0-9_] */
    TOOL_LIST_TOKENS_MAX = 1500, /* of the default tools together, as MCP lists them */
    TOOL_BUDGET = 8000,          /* tokens of an answer, unless the host says otherwise */
    TOOL_BUDGET_MIN = 200,
};

/* --- The tables ------------------------------------------------------------------------ */

typedef enum ParamType {
    PARAM_TEXT = 1, /* a string of at most `max` bytes */
    PARAM_NUMBER,   /* an integer from `min` to `max` */
    PARAM_BOOL,
    PARAM_CHOICE,  /* a string, one of `choices` */
    PARAM_TEXTS,   /* an array of at most `items` strings of at most `max` bytes */
    PARAM_NUMBERS, /* an array of at most `items` integers from `min` to `max` */
    PARAM_OBJECT,  /* any object, or, with `fields`, one with exactly these members */
    PARAM_OBJECTS, /* an array of at most `items` of those */
    PARAM_ANY,     /* any JSON value */
} ParamType;

/* Who may say it: a person on a command line, an agent by a tool. */
typedef enum ParamDoor { DOOR_ALL = 0, DOOR_CLI = 1, DOOR_TOOL = 2 } ParamDoor;

/* Where a command takes a text from that is not on its line. */
typedef enum ParamInput {
    INPUT_NONE = 0,
    INPUT_ELSE,         /* standard input, if it is not given */
    INPUT_ONLY,         /* standard input */
    INPUT_FILE,         /* the file that is named; '-' is standard input */
    INPUT_FILE_OR_NAME, /* the same for a word with a '/' or '.' in it; else the word is the text */
} ParamInput;

typedef struct Param Param;
/* There are more than a thousand of them, each with addresses that are set at every start, page by
 * page: so the small members lie together, in eight bytes. */
struct Param {
    const char *name; /* NULL ends a table */
    ParamType type : 8;
    bool optional;
    ParamDoor door : 8;         /* the only door that has it; DOOR_ALL: each that has the verb */
    ParamInput input : 8;       /* on a command line, as the next two */
    uint8_t place;              /* the argument at this place, from 1 on; 0: it is an option */
    bool must;                  /* a command cannot leave it out, though a tool can */
    uint16_t items;             /* of an array; 0: PARAM_ITEMS_MAX */
    const char *about;          /* may be NULL where the name says all */
    int64_t min, max;           /* bytes of a text, values of a number; max 0: the type's own */
    const char *const *choices; /* ends with NULL */
    const Param *fields;        /* ends with a NULL name */
    /* On a command line (src/cli/verb_cmd.c). */
    const char *option; /* its name there; NULL: the parameter's, with '-' for '_' */
    const char *word;   /* what help calls its value; NULL: the name in capitals, N, JSON */
    const char *help;   /* a few words for a person; NULL: about */
    const char *unless; /* standard input is not read if this option is given; may be NULL */
};
_Static_assert(sizeof(Param) == 8 * sizeof(void *) + 8 + 2 * sizeof(int64_t),
               "no room is left over");

enum { PARAM_ITEMS_MAX = 1000 };

/* A row's parameters, with the end of the table: each row takes the room it needs, for all of them
 * have addresses in them that are set at every start. */
/* clang-format off */
#define PARAMS(...) (const Param[]){ __VA_ARGS__, { 0 } }
/* clang-format on */

/* True if its value is an array. */
static inline bool param_is_list(const Param *p)
{
    return p->type == PARAM_TEXTS || p->type == PARAM_NUMBERS || p->type == PARAM_OBJECTS;
}

/* True if it cannot be left out by a caller to whom the parameters of the door `shut` are not open.
 */
static inline bool param_needed(const Param *p, ParamDoor shut)
{
    return !p->optional || (p->must && shut == DOOR_TOOL);
}

typedef enum ToolEffects {
    TOOL_READS = 1,      /* changes nothing */
    TOOL_WRITES = 2,     /* adds a version, a record, a name; what was stays in the history */
    TOOL_DELETES = 4,    /* takes something out of sight */
    TOOL_IDEMPOTENT = 8, /* the same call again changes nothing more */
    /* What a door has besides the tools of the pad; these say where a tool reaches, and one of
     * TOOL_READS and TOOL_WRITES still says whether it changes anything there. */
    TOOL_OUTSIDE = 16,  /* works on files, not on the pad */
    TOOL_NETWORK = 32,  /* talks to other machines */
    TOOL_EXECUTES = 64, /* runs programs */
    TOOL_FOREIGN = 128, /* is somebody else's, who alone knows what it does */
    /* Changes what is there and makes nothing new: where there is no pad, none is made. */
    TOOL_EXISTING = 256,
} ToolEffects;

/* Sets of tools that are switched on together. */
typedef enum ToolProfile {
    TOOLS_SCRATCHPAD = 1, /* the default */
    TOOLS_ARTIFACTS = 2,
    TOOLS_RUNS = 4,
    TOOLS_CYCLES = 8,
    TOOLS_TASKS = 16,
    TOOLS_MEMORY = 32,
    TOOLS_GRAPH = 64,
    TOOLS_PLANS = 128,
    TOOLS_SINK = 256,
    TOOLS_LINE_LOGS = 512,
    TOOLS_CHECKPOINTS = 1024,
    TOOLS_INDEXES = 2048,
    TOOLS_ALL = 4095,
} ToolProfile;

typedef struct ToolCall ToolCall;
typedef struct ToolReply ToolReply;

typedef struct Tool {
    const char *name;
    const char *title;    /* for people */
    const char *about;    /* for models: what it does and when to use it */
    unsigned effects;     /* of ToolEffects */
    const Param *params;  /* PARAMS(...); NULL: there are none; ask tool_params() */
    bool at_large;        /* about anything: its first parameter names nothing (tool_scope) */
    const json_t *schema; /* instead of params: of a foreign tool's arguments, who checks them */
    const Param *output;  /* the members of the structured data; NULL: there is none */
    /* True if a call with these arguments makes nothing new, whatever the effects say: it then
     * finds no pad where there is none, instead of making one.  NULL: never. */
    bool (*makes_nothing)(const json_t *args);
    /* True if a call with these arguments, made twice, does no more than once, whatever the effects
     * say.  NULL: never. */
    bool (*may_repeat)(const json_t *args);
    /* Fill `out`, or fail: then the sentence in c->e is the answer, unless out->text is set, which
     * then says more than it. */
    jot_status (*run)(ToolCall *c, ToolReply *out);
} Tool;

/* --- Which tools there are (registry.c) ----------------------------------------------- */

/* The tools of a set of profiles, always in the same order: the i-th, or NULL after the last. */
const Tool *tool_at(unsigned set, size_t i);
/* NULL: there is none of this name in these profiles. */
const Tool *tool_find(unsigned set, Str name);
/* What it takes; ends with a NULL name. */
const Param *tool_params(const Tool *t);

/* The words below, for help texts. */
#define TOOL_PROFILE_WORDS                                                                 \
    "artifacts, runs, cycles, tasks, memory, graph, plans, sink, line_logs, checkpoints, " \
    "indexes, "                                                                            \
    "all"

/* "artifacts,runs" and the like: the scratchpad and these; "all": all; with "no-scratchpad" among
 * them: only the others.  Empty: the scratchpad.  JOT_INVALID names the word that is no profile. */
MUST_USE jot_status tool_profiles(Str words, unsigned *out, Err *e);
/* What a reader with these tools has to get what it is not shown (pointer.h). */
unsigned tool_reach(unsigned set);
/* The name of the profile a tool belongs to. */
const char *tool_profile_name(const Tool *t);

/* --- What a model reads about them (teach.c) ---------------------------------------- */

/* When to use the scratchpad, by the names of its tools; `brief`: in a few lines.  Static. */
Str tool_prompt(bool brief);
/* The same deeds as commands, for who has a shell.  Static. */
Str tool_prompt_shell(void);
/* The same for who has the tools of these profiles (0: the scratchpad's), and names no other;
 * `brief` is below 2 KiB whatever they are, for protocols that have little room. */
void tool_teach(Buf *to, unsigned set, bool brief);

/* --- What they look like (schema.c) --------------------------------------------------- */

/* JSON Schema of the arguments, and of the structured data (NULL: there is none).  The caller owns
 * them. */
json_t *tool_input_schema(const Tool *t);
json_t *tool_output_schema(const Tool *t);
/* A tool as MCP lists it: name, title, description, inputSchema, outputSchema, annotations.  The
 * caller owns it. */
json_t *tool_json(const Tool *t);

/* --- Calling them (registry.c) -------------------------------------------------------- */

/* Who calls: the pad, opened when the first call needs it, the budget and the profiles.  A host
 * belongs to one thread at a time. */
typedef struct ToolHost {
    Memory *m; /* the open pad; NULL: `open` is called first */
    /* Open the pad; *out must stay open as long as the host is used, and is kept in `m`.  Without
     * `create`, JOT_NOT_FOUND means that there is no pad yet: the call then finds nothing, and the
     * next one asks again.  May be NULL if `m` is set. */
    jot_status (*open)(void *ctx, bool create, Memory **out, Err *e);
    void *ctx;
    size_t budget;     /* tokens of an answer; 0: TOOL_BUDGET */
    unsigned profiles; /* 0: TOOLS_SCRATCHPAD */
    /* The host's own tools, listed after those of the profiles, which win where two have the same
     * name; ends with NULL.  May be NULL. */
    const Tool *const *more;
    void *outside;         /* what those work with; ToolCall has it */
    Str plan;              /* which plan is meant if a call names none; empty: "main" */
    MemoryDialect dialect; /* of the memory tool */
} ToolHost;

/* The tools of a host, always in the same order: the i-th, or NULL after the last. */
const Tool *tool_host_at(const ToolHost *h, size_t i);
/* NULL: the host has none of this name. */
const Tool *tool_host_find(const ToolHost *h, Str name);

/* True if the same call made twice may do more than made once: such a call is never repeated after
 * a crash without somebody deciding so. */
bool tool_mutates(const Tool *t, const json_t *args);

struct ToolReply {
    bool is_error;
    jot_status status; /* why is_error; JOT_OK otherwise */
    Str text;          /* UTF-8; lives in `into` */
    Str value;    /* the text's beginning, if that is a value and a line follows; else p NULL */
    json_t *data; /* an object, or NULL; the caller owns it: tool_reply_done() */
};
/* The line after a value; empty if there is no value. */
Str tool_reply_line(const ToolReply *r);
void tool_reply_done(ToolReply *r); /* {0} is fine */
DEFINE_AUTO(ToolReply, tool_reply_done)

/* Call a tool by its name.  `args` is an object; NULL is an empty one.  JOT_NOT_FOUND: the
 * host has no such tool.  JOT_INVALID: `args` is something else than an object.
 * Whatever else goes wrong, wrong arguments included, is JOT_OK with is_error and the sentence.
 * What was acknowledged is durable. */
MUST_USE jot_status tool_call(ToolHost *h, Str name, const json_t *args, Arena *into,
                              ToolReply *out, Err *e);

/* What a call is about, for a caller that runs several at a time: calls about the same thing have
 * to run in the order they came in. */
typedef struct ToolScope {
    Str subject; /* a key, a category, or what a whole profile is about; empty: nothing certain */
    bool alone;  /* the subject is all it looks at and touches */
} ToolScope;
ToolScope tool_scope(const Tool *t, const json_t *args); /* borrowed from both */

#endif
