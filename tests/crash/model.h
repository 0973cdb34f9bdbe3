/* model.h - Model, mem: told the same story as the store under test.
 *
 * It is told an operation when the store has said yes to it.  An operation the
 * store is not sure of is in doubt: it stays in the list of what was told, but
 * the model is without it until something shows that it has happened; then it
 * is told everything again, with it.  There is one doubt at most.
 *
 * A person's edit becomes a version when the next write meets it. */
#ifndef CRASH_MODEL_H
#define CRASH_MODEL_H

#include "rig/test_io.h"
#include "snapshot.h"
#include "target.h"
#include "workload.h"

enum { EDITS_MAX = 8, TOLD_MAX = 2 * ACTIONS_MAX + 32 };

typedef struct Told {
    const Action *action;
    int64_t at_ms;
    bool doubtful;
    bool in_part;
} Told;

typedef struct Model {
    Store *store;
    const Target *target; /* what people edit the files of */
    TestIo io;
    Arena scratch;
    const Snapshot *adopted; /* what it began with, if not with nothing */
    Told told[TOLD_MAX];
    size_t told_n;
    struct {
        Str stream, text, meta;
        bool removal;
    } pending[EDITS_MAX]; /* edits that no write has met yet */
    size_t pending_n;
} Model;

/* `adopted` may be NULL; it must outlive the model. */
void model_init(Model *m, const Target *target, const Snapshot *adopted);
void model_done(Model *m);

/* An action with everything in it that depends on what its stream holds. */
typedef struct Prepared {
    Str stream;
    Draft draft;
    Expect expect;
    Record *records;
    uint64_t number;
} Prepared;

/* Make an action ready for the store under test; lives in m->scratch. */
Prepared model_prepare(Model *m, const Action *a, int64_t at_ms);
/* Do it to a store. */
jot_status action_do(Store *s, const Action *a, const Prepared *p, Mark *out, Err *e);

/* Tell the model, and let it remember if it agrees.  `p` is what the store was told, or NULL. */
jot_status model_tell(Model *m, const Action *a, const Prepared *p, int64_t at_ms, Mark *out,
                      Err *e);
/* Remember an action that may have happened. */
void model_doubt(Model *m, const Action *a, int64_t at_ms);
/* The stream the doubt is about, or an empty name. */
Str model_doubted(const Model *m);
/* The doubt is over.  Some operations have two parts, of which only the first may have happened:
 * an edit was met and recorded, but not the record that met it; a purge has added its tombstone,
 * and nothing is gone.  And if somebody edits a file whose writer has not come to its end, that
 * text may be put aside instead of becoming a version. */
typedef enum Outcome { HAPPENED_NOT, HAPPENED, HAPPENED_IN_PART, HAPPENED_EDIT_ASIDE } Outcome;
void model_settle(Model *m, Outcome outcome);

/* True if the model has been told of this stream since it began. */
bool model_was_told(const Model *m, Str stream);
/* True if a person's edit waits for the next write. */
bool model_edited(const Model *m, Str stream);

/* What it holds now, if the doubtful action has come out like this.  Lives in `into`. */
const Snapshot *model_snapshot(Model *m, Outcome doubt, Arena *into);

/* The same with one more action, all or a part of it, which is not remembered. */
const Snapshot *model_snapshot_with(Model *m, const Action *a, int64_t at_ms, Outcome outcome,
                                    Arena *into);

#endif
