/* addon.h - how the functions and structs of jotter.h are described to the addon.
 *
 * src/table.h, made by tools/gen-node, describes those that lib/ names; addon.c reads arguments and
 * writes results by it, and knows none of them itself. */
#ifndef JOT_NODE_ADDON_H
#define JOT_NODE_ADDON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jotter.h"

enum { ARGUMENTS_MAX = 6 }; /* of a function, without the pad and the result */

typedef enum Kind {
    KIND_STRING,   /* const char * */
    KIND_TEXT,     /* jot_text: a Buffer */
    KIND_SIZE,     /* size_t */
    KIND_UNSIGNED, /* uint64_t */
    KIND_SIGNED,   /* int64_t */
    KIND_BOOL,
    KIND_DOUBLE,
    KIND_STRUCT, /* const T *: an object */
    KIND_LIST,   /* const T *const *, with a count beside it: an array */
    KIND_STRINGS /* const char *const *, likewise */
} Kind;

typedef struct Shape Shape;

typedef struct Member {
    const char *name;
    Kind kind;
    size_t offset;
    const Shape *shape; /* KIND_STRUCT, KIND_LIST: of what */
    size_t count;       /* KIND_LIST, KIND_STRINGS: the offset of its count */
} Member;

struct Shape {
    const Member *members;
    size_t count;
    size_t size; /* of the struct */
};

typedef union Value {
    const char *string;
    jot_text text;
    uint64_t number;
    bool truth;
    const void *options;
} Value;

typedef struct Argument {
    Kind kind;
    const Shape *shape; /* KIND_STRUCT: of the options */
} Argument;

/* What a function has besides its status. */
typedef enum Result { RESULT_NONE, RESULT_STRUCT, RESULT_STRING, RESULT_NUMBER } Result;

typedef union Out {
    const void *pointer; /* to a struct or a string */
    uint64_t number;
} Out;

typedef struct Function {
    const char *name;
    jot_status (*call)(jot_pad *pad, const Value *v, Out *out);
    Argument arguments[ARGUMENTS_MAX];
    size_t count;
    Result result;
    const Shape *shape; /* RESULT_STRUCT */
} Function;

#endif
