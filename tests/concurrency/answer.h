/* answer.h - what an answer says about the state in which it was given.
 *
 * A state of a stream is the number of its records, since records only come to its end: state
 * 0 is the empty stream, state t the one whose head is record t.  Each answered entry is right
 * in some states and wrong in others; answer_fits() is the store's contract written as that
 * question. */
#ifndef CONCURRENCY_ANSWER_H
#define CONCURRENCY_ANSWER_H

#include "history.h"

/* The newest record in state `t`, or NULL if there is none.  `t` is at most st->n. */
const Found *stream_head(const Stream *st, uint64_t t);

bool found_live(const Found *f); /* NULL: nothing, so not live */

/* The expectation holds in state `t`. */
bool expect_holds(const Entry *e, const Stream *st, uint64_t t);

/* The seq of the record that carries the entry's id and would be found in state `t`, or 0. */
uint64_t id_found(const Entry *e, const Stream *st, uint64_t t);

/* The record is what the entry asked for. */
bool found_is(const Found *f, const Entry *e);

/* The mark in the answer is that of record `t` (or of nothing, for 0).  An answer without a
 * seq is compared by version alone. */
bool mark_fits(const Entry *e, const Stream *st, uint64_t t);

/* An append may make record `seq`: nothing in the state before it stands against that. */
bool append_fits_before(const Entry *e, const Stream *st, uint64_t seq);

/* The answer of an operation that made no record is right in state `t`.  JOT_OK of an append
 * means here that its id was found.  The guard is not looked at. */
bool answer_fits(const Entry *e, const Stream *st, uint64_t t);

/* The answer can only have been given in one state, which is *t. */
bool answer_state(const Entry *e, uint64_t *t);

#endif
