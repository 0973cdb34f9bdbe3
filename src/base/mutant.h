/* mutant.h - seeded bugs, compiled only into the rigs that must catch them.
 *
 * A rig that has never failed proves nothing.  MUTANT(NAME) stands where a bug
 * of that name could have been made; in the product it is the constant false
 * and costs nothing.  tests/mutants/ builds the same sources with JOT_MUTANTS,
 * switches on one at a time, and demands that a rig notices.
 *
 * Add a mutant here and where it bites, nowhere else. */
#ifndef BASE_MUTANT_H
#define BASE_MUTANT_H

#include <stdbool.h>

#ifdef JOT_MUTANTS
/* clang-format off */
#define MUTANTS(X) \
    X(NONE,                 "the product as it is") \
    X(NO_SYNC,              "files: a record is acknowledged without fdatasync") \
    X(NO_DIRECTORY_SYNC,    "files: a new name is not made durable before its first record") \
    X(RETRY_SYNC,           "files: a failed fdatasync is tried again and believed") \
    X(IGNORE_SYNC_ERROR,    "files: a failed fdatasync is ignored") \
    X(SHOW_BEFORE_SYNC,     "files: the view is exchanged before the record is durable") \
    X(NO_STREAM_LOCK,       "files: a writer does not lock its stream") \
    X(SIZE_BEFORE_LOCK,     "files: the size of a stream is taken before its lock") \
    X(STAY_WITH_OLD_FILE,   "files: a stream file replaced under a waiting writer is not noticed") \
    X(REPLACE_WITHOUT_SYNC, "files: a rewritten stream takes its name before it is durable") \
    X(REPLACE_WITHOUT_DIRECTORY_SYNC, "files: the name of a rewritten stream is not synced") \
    X(GUARD_WITHOUT_LOCK,   "files: the guard is read without its lock") \
    X(KEEP_TORN_TAIL,       "files: a record is appended after half of another") \
    X(NEST_ANY_BODY,        "files: a nested body may hold what begins a record") \
    X(TRUST_A_START,        "files: what looks like the start of a record inside a line is one") \
    X(CUT_THE_MIDDLE,       "files: a stream is cut at its first damaged record") \
    X(FORGET_DRAFT,         "files: a dead writer's record is never shown") \
    X(NO_SETTLE,            "files: a dead writer's record is shown before it is durable") \
    X(TRUST_EVERY_BOOT,     "files: views are believed after a reboot") \
    X(TRUST_EVERY_MOUNT,    "files: views are believed after the file system was mounted again") \
    X(VIEW_UNSYNCED,        "files: views are not synced where a mount has no word") \
    X(PURGE_VIEW_UNSYNCED,  "files: history is purged while the view may come back") \
    X(FORGET_VIEW_UNSYNCED, "files: a version is redacted or trimmed while the view of it may come back") \
    X(MIRROR_UNSYNCED,      "files: what showed a forgotten text may come back") \
    X(DROP_MIRROR_EDIT,     "files: an edit of a file that only shows a stream is overwritten") \
    X(QUARANTINE_UNSYNCED,       "files: what was quarantined may come back after it was removed") \
    X(PLAIN_RENAME,         "files: the draft is renamed over the view") \
    X(IGNORE_DISPLACED,     "files: what an exchange displaced is not looked at") \
    X(IGNORE_OPEN_EDITOR,   "files: a displaced file that is open for writing is removed") \
    X(OVERWRITE_EDIT,       "files: an edit found before a write is not recorded") \
    X(RESTORE_OVER_EDIT,    "files: an edit found after a reboot is replaced by the head") \
    X(DROP_UNKNOWN_DRAFT,   "files: a draft with unknown text is removed") \
    X(NO_PATIENCE,          "files: a view an editor has just emptied is taken for its text") \
    X(SQLITE_NO_SYNC,       "sqlite: a commit is not synced at all") \
    X(SQLITE_SYNC_NORMAL,   "sqlite: a commit is not synced before it is acknowledged") \
    X(SQLITE_BELIEVE_COMMIT, "sqlite: a failed commit is acknowledged") \
    X(SQLITE_EXPECT_BEFORE_BEGIN, "sqlite: the expectation is checked outside the transaction") \
    X(SQLITE_GUARD_BEFORE_BEGIN, "sqlite: the guard is checked outside the transaction") \
    X(SQLITE_TRUNCATE_UNSYNCED, "sqlite: the log of what is forgotten is cut off and not synced") \
    X(PG_SEAL_AGAIN,        "postgres: a record whose answer was lost is written once more") \
    X(PG_SAME_NUMBER,       "postgres: all writers have one number, so another's record is taken for ours") \
    X(PG_GUARD_BEFORE,      "postgres: the guard is checked before the step that appends") \
    X(PG_CURSOR_IS_A_NUMBER, "postgres: what transactions that were open have changed is not named") \
    X(PG_TOKENS_STAY,       "postgres: tokens of leases are given again after a failover") \
    X(REDIS_SEAL_AGAIN,     "redis: a record whose answer was lost is written once more") \
    X(REDIS_SAME_NUMBER,    "redis: all writers have one number, so another's record is taken for ours") \
    X(REDIS_GUARD_BEFORE,   "redis: the guard is checked before the step that appends") \
    X(REDIS_TOKENS_STAY,    "redis: tokens of leases are given again after a failover") \
    X(S3_BELIEVE_OLD_HEAD,  "s3: a record is put after a head that was seen long ago") \
    X(S3_SAME_NUMBER,       "s3: another's record in the place of ours is taken for ours") \
    X(S3_DELETE_YOUNG,      "s3: numbers are deleted while a writer may still count on them") \
    X(S3_RECORD_BEFORE_MARK, "s3: a record is put without its name's mark") \
    X(S3_NO_HINT,           "s3: a change is not announced") \
    X(S3_REDACT_WHATEVER,   "s3: a redaction overwrites what came after its look") \
    X(S3_NO_PROBE,          "s3: a server that ignores conditions is not noticed") \
    X(SERVER_WENT_BACK,     "servers: a head older than the one that was seen is believed") \
    X(FENCE_NOT_CHECKED,    "store: a lower fence token is accepted") \
    X(LOST_TOKENS_AGAIN,    "store: tokens begin again at 1 when their table was lost") \
    X(DOCTOR_DROPS_TOKENS,  "store: doctor accepts that the table of leases is lost, and tokens with it") \
    X(DOCTOR_KEEPS_TABLES,  "store: doctor leaves a damaged table of leases to copies") \
    X(TIME_GOES_BACK,       "store: a record can be older than its predecessor") \
    X(ID_NOT_LOOKED_UP,     "store: an id used before is appended again")
/* clang-format on */

typedef enum Mutant {
#define X(name, about) MUTANT_##name,
    MUTANTS(X)
#undef X
        MUTANT_COUNT
} Mutant;

extern Mutant mutant_on; /* chosen once, when the rig starts */
#define MUTANT(name) (mutant_on == MUTANT_##name)
#else
#define MUTANT(name) false
#endif

#endif
