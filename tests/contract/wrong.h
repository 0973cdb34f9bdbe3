/* wrong.h - an engine that breaks one rule, on purpose.
 *
 * A suite that has never failed proves nothing.  wrong_wrap() puts a thin layer
 * between store.c and a good engine, which answers as the engine does except
 * where its one rule is concerned.  The tests of the tests demand that each is
 * noticed; the copy promises use the one that stops working half-way. */
#ifndef CONTRACT_WRONG_H
#define CONTRACT_WRONG_H

#include "store/engine.h"

/* Each breaks what its sentence denies.  Add a row here and its case in wrong.c. */
#define WRONGS(X)                                                                  \
    X(EXPECT_IGNORED, "expect is not looked at")                                   \
    X(CONFLICT_BLIND, "a conflict does not answer with the head")                  \
    X(CONFLICT_WRITES, "a conflict writes nevertheless")                           \
    X(HASH_FITS_ENTRIES, "an expected hash fits an entry of a log")                \
    X(GUARD_IGNORED, "the guard is not looked at")                                 \
    X(GUARD_NEEDS_STREAM, "a guard on a missing stream never holds")               \
    X(FENCE_IGNORED, "tokens are not compared")                                    \
    X(ID_IGNORED, "ids are not looked at")                                         \
    X(ID_AFTER_EXPECT, "the id is looked up only if the expectation holds")        \
    X(ID_WINDOW_SHORT, "the id is looked up among 15")                             \
    X(ID_ANSWERS_HEAD, "an id seen before answers with the head")                  \
    X(DELETE_OF_NOTHING, "deleting what is not there is fine")                     \
    X(HEAD_SKIPS_TOMBSTONES, "the head of a deleted stream is not found")          \
    X(READ_FROM_EXCLUSIVE, "read begins behind `from`")                            \
    X(READ_MORE_ALWAYS_FALSE, "read never says that there is more")                \
    X(READ_UNBOUNDED, "read does not stop at its ceiling of bytes")                \
    X(LIST_SHOWS_TOMBSTONES, "a list of live names has tombstones")                \
    X(LIST_AFTER_INCLUSIVE, "a page begins with the last name of the one before")  \
    X(LIST_PREFIX_BY_SEGMENT, "a prefix matches whole segments only")              \
    X(LIST_WITHOUT_META, "a list leaves out meta")                                 \
    X(CHANGES_FORGETS_REDACTION, "a redaction is not a change")                    \
    X(CHANGES_TRUSTS_CURSORS, "any cursor is taken for one of its own")            \
    X(TRIM_NOTHING, "trim counts and drops nothing")                               \
    X(REDACT_NOTHING, "redact says yes and keeps the body")                        \
    X(REDACT_LIVE, "the live value can be redacted")                               \
    X(PURGE_KEEPS_HISTORY, "purge is only a delete")                               \
    X(PUT_RECORDS_ONE_BY_ONE, "put_records adds what fits and stops")              \
    X(PUT_RECORDS_AGREES, "put_records says yes to what does not fit")             \
    X(EXTRA_DROPPED, "members of a newer version get lost")                        \
    X(NAMES_CLASH, "a name that is taken is given away again")                     \
    X(BODY_STOPS_AT_NUL, "a body ends at its first NUL")                           \
    X(HOLD_SEES_ITSELF, "a handle takes what it holds itself for somebody else's") \
    X(STOPS_WORKING, "nothing can be put any more after a few times")              \
    X(FORGET_BEFORE_NOTHING, "forget_before says yes and keeps the records")       \
    X(PLACE_ANYWHERE, "a condition on placing is not looked at")                   \
    X(RECORD_DAMAGED, "the body of every third record is another one")

typedef enum Wrong {
    WRONG_NOTHING,
#define X(name, about) WRONG_##name,
    WRONGS(X)
#undef X
        WRONG_COUNT
} Wrong;

/* Its name, and what it does. */
const char *wrong_name(Wrong wrong);
const char *wrong_about(Wrong wrong);

/* A store that is `inner` but for one rule.  It owns `inner` from now on. */
Store *wrong_wrap(Store *inner, Wrong wrong);
/* STOPS_WORKING: how many more puts succeed. */
void wrong_allow(Store *s, int puts);
/* Let go of the layer alone; the caller owns what is returned. */
Store *wrong_unwrap(Store *s);

#endif
