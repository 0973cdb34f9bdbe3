/* script.h - what the server does in one step each. */
#ifndef STORE_REDIS_SCRIPT_H
#define STORE_REDIS_SCRIPT_H

/* A script and what the server is told about it.  None runs on a replica, whose answers may be
 * old: the server refuses what may write there. */
typedef enum RedisScript {
    SCRIPT_ADD,  /* what needs room: refused while the server's memory is full */
    SCRIPT_READ, /* heads, records and lists */
    SCRIPT_REST, /* other reading, and forgetting */
    /* The same, reading only, for a server that has just refused all writes. */
    SCRIPT_READ_LOOK,
    SCRIPT_LOOK,
    SCRIPTS
} RedisScript;

extern const char *const redis_scripts[SCRIPTS];

/* The first number of every answer. */
typedef enum RedisCode {
    CODE_GONE = -1, /* the pad is not there any more, or is another one */
    CODE_DONE = 0,
    CODE_WAS_DONE = 1, /* by an earlier sending */
    CODE_AGAIN = 2,    /* head or guard do not stand where the client saw them */
    CODE_CLASH = 3,    /* a name above or below lives */
    CODE_TRIMMED = 4,  /* the place of the record was trimmed: nobody can tell any more */
} RedisCode;

#endif
