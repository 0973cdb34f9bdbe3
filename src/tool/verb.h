/* verb.h - Verb, what can be done with a noun, declared once for every door.
 *
 *                        Verb task_add (src/tool/task.c)
 *            parameters, effects, one function over memory that returns data
 *                   /                    |                      \
 *      tool: task_add            command: jotter task add     docs/tools.md, manual page,
 *      text within a budget,     columns for a person,        completion, schemas
 *      values framed             --json: all of the data
 *
 * A row has no door's words in its function: that takes arguments by name, calls memory and returns
 * data.  How the data looks is said by templates (template.h): `says` for a model, `shows` and
 * `row` for a person.  Where that is not enough a row has a function `say`, and the command line a
 * function in src/cli/verb_show.c.
 *
 * A refusal is one sentence, worded in memory or in the row's function.  It may carry the thing as
 * it is now (`refused` names it), and a next step in the words of the door (verb_next).
 *
 * A new verb is a row here and nothing elsewhere.  What only a person may do has a row without a
 * tool's name; what only an agent needs has one without a verb.  Where agents and the command line
 * have words of their own for a thing (notes, the pad as a whole), its noun is `apart`: its rows
 * are for programs (jot_verb) and for the page. */
#ifndef TOOL_VERB_H
#define TOOL_VERB_H

#include "tool/reply.h"

/* What a verb answers. */
typedef struct VerbData {
    json_t *json; /* all of it: what --json prints; the caller owns it */
    Str body;     /* the stored text or bytes that were asked for, exactly; p NULL: there is none */
} VerbData;
void verb_data_done(VerbData *d);
DEFINE_AUTO(VerbData, verb_data_done)

typedef struct Verb {
    /* The part for agents: title, description; and what all doors share: effects, parameters.
     * Without a name no agent has it.  Its run is verb_answer. */
    Tool tool;

    /* The part for people. */
    const char *verb;        /* the word on a command line; NULL: it is no command */
    const char *was;         /* a word it had before, understood for one release; may be NULL */
    const char *option_of;   /* the older word that had this verb as an option; may be NULL */
    const struct Verb *bare; /* what it does without arguments; NULL: they are needed */
    const char *summary;     /* one line, imperative, without a full stop */
    const char *help;        /* what else to know, in lines that end in a newline; may be NULL */

    /* The data.  Every member of it is declared here, whichever door asks. */
    const Param *fields;

    /* One thing. */
    const char *says;  /* to a model: the answer, or the last line below a body; NULL: JSON */
    const char *shows; /* to a person: the answer (NULL: as says), or a line below a body */
    const char *card;  /* to a person instead: these members, one a line, by name */
    bool whole;        /* a model's body is all of the data, as indented JSON */
    bool brief;        /* a model is not shown the body */

    /* Many things. */
    const char *items;   /* the member that is the list; NULL: it is no list */
    const char *line;    /* one item to a model; NULL: as JSON ... */
    const char *members; /* ... with these members only; NULL: all */
    const char *row;     /* one item to a person; tabs part the columns of a table ... */
    const char *heads;   /* ... which are called so, likewise with tabs; may be NULL */
    const char *none;    /* where there is no item; NULL: "(empty)" */
    const char *tail;    /* to a model, below the items; may be NULL */
    const char *page;    /* the parameter that asks for the next page; NULL: there is none */
    const char *cursor;  /* its value: of the last item shown; NULL: data's "next" */
    const char *unit;    /* what an item is, "event" */
    bool newest_last;    /* in the data; models and people are shown the newest first */

    const char *refused; /* what the data of a refusal is called */
    bool present;        /* it is about now: no moment of the past can be asked for */
    bool searches;       /* it brings the search index up to date, which is a cache */
    bool apart;          /* as a noun can be: no command and no tool is made of it */

    /* Do it.  On failure the sentence is in c->e; out->json may then be what is in the way. */
    jot_status (*run)(ToolCall *c, VerbData *out);
    /* Instead of the templates, for a model. */
    jot_status (*say)(ToolCall *c, const VerbData *d, ToolReply *out);
} Verb;

/* What verbs are about. */
typedef struct Noun {
    const char *name;   /* on a command line */
    const char *called; /* by programs; NULL: the name, with '_' for '-' */
    const char *was;    /* the word before, understood for one release; may be NULL */
    const char *summary;
    const char *help;               /* may be NULL */
    const Verb *alone;              /* what the noun does without a verb; NULL: that is refused */
    const Verb *const *verbs;       /* in the order of help; ends in NULL */
    const struct Noun *const *subs; /* nouns below this one; ends in NULL; may be NULL */
    ToolProfile profile;
    bool apart; /* no command and no tool is made of it */
} Noun;

/* The verb a tool is made from; NULL: it is none of these. */
const Verb *tool_verb(const Tool *t);

/* Do it and answer a model: the run of every verb's tool. */
jot_status verb_answer(ToolCall *c, ToolReply *out);

/* Do it for another door.  The arguments are as args.h has them. */
MUST_USE jot_status verb_do(const Verb *v, ToolCall *c, VerbData *out);

/* What a program does by the verb's name: the verb itself, or, where only a person may do that,
 * what it does without arguments.  NULL: nothing, for what only a person may do has no tool. */
const Verb *verb_for_programs(const Verb *v);

/* True if it changes nothing. */
bool verb_reads(const Verb *v);

/* True if a pad is made where there is none. */
bool verb_makes_pad(const Verb *v);

/* Add the next step to the sentence of a refusal, in the words of the caller's door; empty: there
 * is nothing to add. */
void verb_next(ToolCall *c, Str command, Str call);

/* What programs call a noun: [a-z_]+, in `into`. */
Str noun_called(const Noun *n, Arena *into);

/* The name and the reason of one of the data's "problems". */
Str verb_problem(const json_t *problem, Str *why);

/* --- What it looks like (schema.c) ------------------------------------------------------------ */

/* A verb as programs see it, by this name: verb, summary, description, reads, and the schemas of
 * its input (the parameters of a command) and output.  The caller owns it. */
json_t *verb_json(const Verb *v, const char *name);

#endif
