/* files.h - the files engine from inside: who does what, and the rules they share.
 *
 *   path.c      where a stream and its view lie in the pad
 *   line.c      walking over the lines of a stream file, both ways
 *   stream.c    the truth: a stream file, its lock, and writing to it
 *   tail.c      the end of a stream file: its head, and what lies after it
 *   scan.c      the records of a stream file, and what is left of damaged ones
 *   view.c      what people see: one file a document
 *   mirror.c    what people see of streams that are no documents
 *   quarantine.c  what was quarantined rather than lost
 *   recover.c   what a dead writer or a power loss left behind
 *   recent.c    the names that changed lately, and waiting for them
 *   list.c      names in byte order out of two directory trees
 *   verify.c    looking at all of it, and saying what is wrong
 *   heads.c     the list of heads, which knows of streams that are gone
 *   heads_check.c  every stream held against it
 *   mend.c      repairing what the other parts leave alone
 *   pad.c       making, opening and closing a pad
 *   clone.c     what git carries of it, and opening what git brought
 *   raise.c     bringing a pad of an older format to this one
 *   there.c     whether it is still where it was opened
 *   write.c     one write under way, from its lock to its view
 *   clash.c     names that cannot live side by side
 *   twins.c     notes whose keys differ only in case
 *   notes_dir.c     notes that lie in a directory of the person's own
 *   head.c      reading without a lock
 *   forget.c    trim, redact, purge
 *   many.c      many appends that share a sync
 *   files.c     append, copying in, the comparing after a reboot, the table
 *
 * The rules (docs/format.md explains each):
 *   1. A stream's lock is an OFD lock on byte 0 of its own file.
 *   2. A write is: draft beside the view, record appended, fdatasync, view
 *      exchanged with the draft, displaced file looked at, unlink.  One sync.
 *   3. A draft found under the lock is a dead writer's.
 *   4. A new name is durable before its first record.
 *   5. After a reboot, and when the file system was mounted again, every view is compared with its
 *      stream.
 *   6. A person's edit is never overwritten unseen.
 *   7. Anyone who reads a value reads the view, without lock.
 *   8. A failed sync is never retried and never acknowledged.
 *   9. Everything is opened beneath the pad's descriptor; regular files only. */
#ifndef STORE_FILES_FILES_H
#define STORE_FILES_FILES_H

#include <limits.h>

#include "base/boot.h"
#include "base/buf.h"
#include "store/engine.h"
#include "store/record.h"

enum {
    FILES_READ_FORMAT = 3,      /* who knows less than this cannot read the pad */
    FILES_WRITE_FORMAT = 3,     /* who knows less than this cannot write it */
    FILES_WIDE_FORMAT = 3,      /* notes in folders, with letters of any script, in .md files */
    FILES_NOTES_DIR_FORMAT = 4, /* only of pads whose notes lie somewhere else (notes_dir.c) */
    FILES_NOTES_DIR_MAX = 255,  /* bytes of the path of such a directory */
    FILES_PATH_MAX = 2 * STORE_NAME_MAX + 64,
    FILES_NAME_MAX = STORE_SEGMENT_MAX + 16,
    FILES_CHECK_INLINE = 1000, /* streams compared by one write after a reboot */
};

enum { FILES_FORMAT_BYTES = 64 + FILES_NOTES_DIR_MAX }; /* of the file `format`, with a NUL */

/* Where the drafts of notes lie that are kept in a directory of the person's own. */
#define FILES_DRAFTS "drafts"

/* Bytes of files that carry locks. */
enum { LOCK_STREAM = 0, LOCK_GATE = 1, LOCK_PAD = 0, LOCK_DRAFT = 1, LOCK_NAMES = 8 };

/* --- path.c ---------------------------------------------------------------------------- */

/* Where a stream lies, relative to the pad. */
typedef struct Paths {
    Str name;                       /* the stream's */
    char dir[FILES_PATH_MAX];       /* streams/notes.d */
    char file[FILES_NAME_MAX];      /* plan.jsonl */
    char path[FILES_PATH_MAX];      /* both */
    char fresh[FILES_NAME_MAX];     /* .plan.jsonl.new, while the file is rewritten */
    bool viewed;                    /* a document: has the rest */
    char view_dir[FILES_PATH_MAX];  /* notes */
    char view[FILES_NAME_MAX];      /* plan.txt */
    char view_path[FILES_PATH_MAX]; /* both */
    char draft[FILES_NAME_MAX];     /* .plan.txt.new; of a placed one HASH.new */
    bool either;                    /* the view may have another ending: .md */
    bool turned;                    /* it has */
    bool placed; /* the view lies in a directory of the person's own, the draft in drafts/ */
    bool obeyed; /* and has a name there that other programs obey: it is no note */
} Paths;

/* Named index documents lie among the artifacts, and are shown elsewhere. */
#define FILES_INDEX "artifacts/index/"

/* The paths of a checked name, in this pad or in one of that format.  `name` must outlive it. */
typedef struct Files Files;
Paths paths_of(const Files *f, Str name);
Paths paths_in(RecordForm format, Str name);

/* What the file of a document is called, without its ending; false if it has none of this kind. */
bool view_stem(const Files *f, const StoreKind *kind, Str file, Str *stem);

/* The path of the view with its other ending, if it may have one. */
void view_turned(const Paths *p, char to[FILES_PATH_MAX]);
/* From here on it is that one. */
void paths_turn(Paths *p);

/* The stream whose file, or whose view, has this path; false if it is nobody's.
 * The name is written into `to`. */
bool stream_of_path(Str path, Buf *to);
bool stream_of_view(const Files *f, Str path, Buf *to);

/* --- line.c ---------------------------------------------------------------------------- */

/* A window on a stream file, from which whole lines are taken. */
typedef struct Lines {
    const Io *io;
    int fd;
    off_t end;   /* bytes of the file that count */
    off_t at;    /* forwards: the next line begins here; backwards: the last one began here */
    off_t start; /* file offset of window.p[0] */
    bool open;   /* forwards: what stands after the last '\n' is a line too */
    size_t step; /* how much is read next, forwards */
    Buf window;
} Lines;

void lines_init(Lines *l, const Io *io, int fd, off_t at, off_t end);
void lines_done(Lines *l);
DEFINE_AUTO(Lines, lines_done)

/* The next line with its '\n', borrowed until the next call; an empty one at the end (bytes
 * after the last '\n' are no line).  In place of a line longer than any record its last
 * byte alone is returned, or something else that is no '\n'.  -errno on failure. */
int lines_next(Lines *l, Str *line, off_t *at);
/* The line before l->at, likewise; the bytes after the last '\n' come first, as a line without. */
int lines_previous(Lines *l, Str *line, off_t *at);

/* --- stream.c -------------------------------------------------------------------------- */

typedef struct Stream {
    const Paths *paths;
    const Io *io;
    Fd fd;
    off_t size; /* bytes of records, and of damage that keeps its place */
    Mark head;  /* seq 0: none that can be read */
    bool locked;
    off_t good;   /* where the head ends */
    off_t broken; /* where the one damaged line after it begins; -1: there is none, or several */
    bool open;    /* the head is whole but for its '\n' */
} Stream;

/* Unlock and close. */
void stream_done(Stream *st);
DEFINE_AUTO(Stream, stream_done)

/* Take the stream's lock, creating the file (rule 4), putting its end right, reading the head.
 * JOT_UNAVAILABLE names who holds it.  With `create` false JOT_NOT_FOUND if it is not there. */
MUST_USE jot_status stream_take(Files *f, const Paths *p, bool create, Stream *out, Err *e);

/* The same for reading: no lock is held, nothing is waited for or changed.  If somebody is
 * writing, what can be seen is made durable first; LOOK_SYNCED does so even if nobody is, for a
 * writer may have died before its sync; LOOK_ANY allows what may yet be lost.  The head is believed
 * by its header unless its body is wanted.  With JOT_NOT_FOUND out->head.lost is set. */
typedef enum LookAt { LOOK_DURABLE, LOOK_SYNCED, LOOK_ANY } LookAt;
MUST_USE jot_status stream_look(Files *f, const Paths *p, LookAt what, RecordWant want, Stream *out,
                                Err *e);

/* Where a stream stands as a guard (store_guard_seq), under a shared lock that *held keeps. */
MUST_USE jot_status stream_guard(Files *f, const Paths *p, Fd *held, uint64_t *seq, Err *e);

/* Add lines in one write and one sync.  On success st->size has grown; the caller sets the head.
 * JOT_UNKNOWN if the sync failed. */
MUST_USE jot_status stream_add(Files *f, Stream *st, Str lines, Err *e);

/* The same without the syncs: neither the name nor the lines are durable yet, and st->size is as
 * before. */
MUST_USE jot_status stream_write(Files *f, Stream *st, Str lines, Err *e);
/* What was written could not be synced: it goes, everything before it stays.  JOT_UNKNOWN. */
MUST_USE jot_status stream_unsynced(Files *f, Stream *st, int why, Err *e);

/* Make what a dead writer appended durable before anything is built on it.  If that fails, the
 * stream has been rewritten, and the next try may succeed. */
MUST_USE jot_status stream_settle(Files *f, Stream *st, Err *e);

/* A stretch of a rewritten stream: old bytes [from, to), then `text`. */
typedef struct Piece {
    off_t from, to;
    Str text;
} Piece;

/* Put other content in the stream's place, durably and at once.  `st` stays locked, on the new
 * file; the caller sets the head. */
MUST_USE jot_status stream_replace(Files *f, Stream *st, const Piece *pieces, size_t n, Err *e);

/* 1 if somebody is writing to the stream right now, 0 if not, -errno if that cannot be known. */
int stream_busy(Files *f, const Paths *p);

/* 1 if the file still has its name, 0 if not (a stream taken away under us must be written again),
 * -errno if that cannot be known.  *info is what fstat says of it. */
int stream_in_place(Files *f, const Stream *st, struct stat *info);

/* Copy a stretch of an open file to the end of another. */
int copy_range(const Io *io, int from, int to, off_t at, off_t end);

/* --- tail.c ---------------------------------------------------------------------------- */

/* Set st->head and where it ends, and st->size to where that begins which has no place at the end
 * of the first `end` bytes.  The head is believed by its header unless its body is wanted. */
MUST_USE jot_status stream_find_head(Files *f, Stream *st, off_t end, RecordWant want, Err *e);

/* The damaged line after the head, if something still proves which record it was. */
MUST_USE jot_status stream_prove(Files *f, const Stream *st, Arena *into, Record *out, bool *proven,
                                 Err *e);
/* Make that record's line again, under the lock. */
MUST_USE jot_status stream_rebuild(Files *f, Stream *st, Err *e);
/* Remember, durably, that the lost records were reported. */
MUST_USE jot_status stream_record_loss(Files *f, Stream *st, Err *e);

/* --- scan.c ---------------------------------------------------------------------------- */

/* The record a line holds; *skip is what lies before it that is none. */
bool line_record(Str line, RecordWant want, Arena *into, Record *out, size_t *skip);

/* "could not read" */
jot_status scan_failed(Err *e, Str stream, int got);

/* Room for the newest records. */
typedef struct Newest {
    Record *items; /* newest first */
    size_t max;
    size_t n; /* that were found */
} Newest;

/* Fill the room; damaged records are passed over. */
MUST_USE jot_status stream_newest(Files *f, const Stream *st, RecordWant want, Arena *into,
                                  Newest *out, Err *e);
MUST_USE jot_status stream_read(Files *f, const Stream *st, SeqRange range, Arena *into,
                                Records *out, Err *e);

/* The records next to a seq: before it, and from it on; without bodies.  The seq of one that is not
 * there is 0. */
typedef struct Around {
    Record before, after;
    off_t at; /* where the second begins */
} Around;
MUST_USE jot_status stream_around(Files *f, const Stream *st, uint64_t seq, Arena *into,
                                  Around *out, Err *e);

/* True if some record has this body hash. */
MUST_USE jot_status stream_knows(Files *f, const Stream *st, Hash sha256, bool *known, Err *e);

/* Where a record begins and ends; from == to if it is not there. */
typedef struct Located {
    off_t from, to;
    Record *record; /* is filled in, without its body; NULL: it is not even read */
} Located;
MUST_USE jot_status stream_find(Files *f, const Stream *st, uint64_t seq, Arena *into, Located *out,
                                Err *e);

/* --- view.c ---------------------------------------------------------------------------- */

/* True if a document with this head has a view: its body is there to be seen. */
static inline bool mark_shown(const Mark *m)
{
    return m->op == OP_PUT && !m->redacted;
}

/* What a view holds. */
typedef struct View {
    bool there;
    bool directory; /* a directory stands in its place; then it is not there */
    bool held;      /* of drafts: when it was read, somebody had it open for writing */
    bool gone;      /* of displaced ones: there was certainly none to displace */
    Hash sha256;
    Str text;
    int64_t changed_ms; /* when, by the file system's clock */
    uint64_t inode;
    int64_t mtime_ns, ctime_ns;
} View;

/* Read a view.  A missing one is not an error.  JOT_DENIED if it is not a regular file with one
 * name, JOT_TOO_BIG if it is larger than a body may be. */
MUST_USE jot_status view_read(Files *f, const Paths *p, Arena *into, View *out, Err *e);
/* The same in its directory, which is open already. */
MUST_USE jot_status view_read_in(Files *f, const Paths *p, int dir, Arena *into, View *out, Err *e);
/* What has the draft's name.  It is asked first whether somebody has it open for writing: if not,
 * the text is the last it will have, for no path leads a person there.  What cannot be read goes to
 * quarantine/ and counts as missing. */
MUST_USE jot_status view_read_draft(Files *f, const Paths *p, int dir, Arena *into, View *out,
                                    Err *e);

/* The same for a reader, who changes nothing: what cannot be read counts as missing. */
MUST_USE jot_status view_peek_draft(Files *f, const Paths *p, Arena *into, View *out, Err *e);

/* Which of its endings a view has is looked at under the lock, in its directory.  JOT_DENIED if it
 * is there with both: then it is not known which one counts. */
MUST_USE jot_status view_settle(Files *f, Paths *p, int dir, Err *e);
/* Of one that is to be made: as the file was called that the record came from (its meta). */
void view_choose(Paths *p, Str meta);
/* That meta for a text that came by the view itself, so that the ending goes where the note goes;
 * empty if it ends as any new view would.  Lives in `into`. */
Str view_meta(const Paths *p, Arena *into);
/* What a view is, whichever ending it has; -errno as io_stat_path. */
int view_stat(Files *f, const Paths *p, struct stat *out);
/* True if it is there with both endings; a sentence that names the two files. */
bool view_is_double(Files *f, const Paths *p);
jot_status view_refuse_double(const Paths *p, Err *e);

/* Remove the directory that stands in a view's place, if nothing is in it. */
MUST_USE jot_status view_make_room(Files *f, const Paths *p, int dir, Err *e);

/* Write the next text of a document beside its view; empty for a delete.  Of a placed one the
 * directory of the drafts must be open (notes_dir_drafts). */
MUST_USE jot_status view_draft(Files *f, const Paths *p, int dir, Str text, Err *e);

/* Let the draft become the view.  *displaced is what was there in that moment; it keeps the draft's
 * name until view_drop. */
MUST_USE jot_status view_exchange(Files *f, const Paths *p, int dir, Arena *into, View *displaced,
                                  Err *e);
/* The same for a delete: the view goes. */
MUST_USE jot_status view_remove(Files *f, const Paths *p, int dir, Arena *into, View *displaced,
                                Err *e);

/* Be done with the file that has the draft's name, as it was read: gone, or quarantined if somebody
 * still has it open for writing. */
MUST_USE jot_status view_drop(Files *f, const Paths *p, int dir, const View *draft, Err *e);

/* Where the draft lies: beside the view, but for a placed one. */
int view_draft_dir(const Files *f, const Paths *p, int dir);
/* True if something has the draft's name, or if that cannot be known: a write of this document is
 * under way, or was left unfinished.  Only whether it is there matters, so it does not matter where
 * a symlink leads. */
bool view_drafted(Files *f, const Paths *p);
/* Make durable which names view and draft have. */
MUST_USE jot_status view_sync(Files *f, const Paths *p, int dir, Err *e);

/* --- quarantine.c ----------------------------------------------------------------------- */

/* Move a file to quarantine/ under a name that tells its stream; `late` if somebody may still be
 * writing to it. */
MUST_USE jot_status quarantine_move(Files *f, Str stream, int dir, const char *name, bool late,
                                    Err *e);
/* The same for a stretch of an open file, which stays. */
MUST_USE jot_status quarantine_copy(Files *f, Str stream, int fd, off_t at, off_t end, Err *e);
/* Remove what was quarantined for a stream. */
MUST_USE jot_status quarantine_purge(Files *f, Str stream, Err *e);
/* As store_forget_quarantined. */
MUST_USE jot_status quarantine_forget(Store *s, Str stream, bool (*holds)(void *ctx, Str text),
                                      void *ctx, QuarantineCount *out, Err *e);
/* Look again at files that were still being written when they were quarantined. */
void quarantine_look(Files *f);

/* --- recover.c ------------------------------------------------------------------------- */

/* What a view is, measured against its stream. */
typedef enum Verdict {
    VIEW_FITS,    /* it is the head */
    VIEW_STALE,   /* it is not, but nothing a person wrote: the head is the value */
    VIEW_EDITED,  /* a person's: a version of its own */
    VIEW_REMOVED, /* a person deleted it */
} Verdict;

/* Remove what a recovery left that died: of a placed note it drafts under a name of its own. */
void recover_placed(Files *f, const Paths *p);
MUST_USE jot_status recover_judge(Files *f, const Stream *st, const View *v, Verdict *out, Err *e);

/* Under the lock: finish or undo what a dead writer left, restore a stale view, and find a
 * person's edit.  Sets w->seen and w->edit. */
typedef struct Writing Writing;
MUST_USE jot_status recover_stream(Files *f, Writing *w, Err *e);

/* Compare some more streams after a reboot or mount; when all are done, say so in `checked`. */
MUST_USE jot_status recover_pad(Files *f, Err *e);

/* --- recent.c -------------------------------------------------------------------------- */

/* Announce a change of `name`; the announcement is held until recent_done. */
MUST_USE jot_status recent_add(Files *f, Str name, Err *e);
/* The same of several. */
MUST_USE jot_status recent_add_many(Files *f, const Str *names, size_t n, Err *e);
/* The same of a change that takes text away. */
MUST_USE jot_status recent_add_forgetting(Files *f, Str name, Err *e);
void recent_done(Files *f);
MUST_USE jot_status files_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into,
                                  Changes *out, Err *e);
void recent_close(Files *f);

/* --- list.c ---------------------------------------------------------------------------- */

MUST_USE jot_status files_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e);
void list_close(Files *f);

/* Names in a directory, sorted as the names of streams sort; borrowed from the handle. */
typedef struct Names {
    Str *items; /* directories end in '/' */
    size_t n;
} Names;
MUST_USE jot_status list_directory(Files *f, const char *path, Arena *into, Names *out, Err *e);

/* --- write.c --------------------------------------------------------------------------- */

/* One write under way: the stream, locked and repaired. */
struct Writing {
    Paths paths;
    Stream stream;
    const Io *io;
    Fd guard; /* holds the guard stream's shared lock */
    Fd names; /* holds locks while a name comes into being */
    Fd dir;   /* of the view */
    uint64_t guard_seq;
    View seen;     /* the view as it was read under the lock */
    Draft edit;    /* what a person did to it; op 0: nothing */
    bool mirrored; /* its mirrors show what the stream holds */
    off_t staged;  /* bytes of a record that is written and not synced */
    Arena arena;
};

void writing_init(Files *f, Writing *w, Str name);
void writing_done(Writing *w);
DEFINE_AUTO(Writing, writing_done)

/* First of all: may this handle write, and has the pad been compared since the last reboot? */
MUST_USE jot_status writing_allowed(Files *f, Err *e);
/* Lock the stream and the guard `x` names (may be NULL), put the stream right, see what a person
 * did.  With `create` false JOT_NOT_FOUND if there is none. */
MUST_USE jot_status writing_begin(Files *f, Writing *w, const Expect *x, bool create, Err *e);
/* All of that for a stream that must exist and meet the condition, with a person's edit recorded.
 */
MUST_USE jot_status writing_begin_existing(Files *f, Writing *w, const Expect *x, Err *e);

/* Put records after the head and let the last one take effect. */
MUST_USE jot_status writing_commit(Files *f, Writing *w, const Record *records, size_t n, Err *e);
/* The same in two parts, for a record that shares its sync with others (many.c): first the draft
 * and the record, announced by the caller and with nothing synced; then, when the sync has answered
 * (0 or -errno), what follows from that. */
MUST_USE jot_status writing_stage(Files *f, Writing *w, const Record *r, Err *e);
MUST_USE jot_status writing_land(Files *f, Writing *w, const Record *r, int synced, Err *e);
/* A person's edit becomes a version.  Its view is there already, or already gone. */
MUST_USE jot_status writing_record_edit(Files *f, Writing *w, Err *e);
/* JOT_CONFLICT, as store_check_expect or store_seal has said: remember it if it tells of lost
 * records. */
MUST_USE jot_status writing_conflict(Files *f, Writing *w, const Expect *x, Err *e);
/* A file that was made for a record that did not come goes again.  Anyone who waits for its lock
 * will see that it has lost its name. */
void writing_remove_empty(Files *f, const Writing *w);
/* JOT_UNKNOWN: the record is there, the view is not. */
MUST_USE jot_status writing_unsettled(const Paths *p, Err *e);
/* JOT_UNKNOWN: nobody can say whether the file the record is in still has its name. */
MUST_USE jot_status writing_unknown(Str stream, Err *e);

/* --- clash.c --------------------------------------------------------------------------- */

/* May this name come to life?  JOT_INVALID names what stands in the way. */
MUST_USE jot_status clash_check(Files *f, Writing *w, Err *e);

/* And does no note differ from it only in case?  Only for one that is not copied: a copy has what
 * its source had. */
MUST_USE jot_status clash_check_twin(Files *f, Writing *w, Err *e);

/* Where the file system does not tell `A` from `a`: JOT_INVALID for a name that differs only in
 * case from one that is there. */
MUST_USE jot_status clash_check_case(Files *f, const Paths *p, Err *e);

/* --- twins.c --------------------------------------------------------------------------- */

/* A living note whose key differs only in case from this one, or empty. */
MUST_USE jot_status twins_find(Files *f, Str name, Arena *into, Str *out, Err *e);
/* Leave a sign of a note by which that is found; not synced. */
void twins_note(Files *f, Str name);
/* The same for every note of a pad that has no signs yet. */
MUST_USE jot_status twins_note_all(Files *f, Err *e);

/* --- notes_dir.c --------------------------------------------------------------------------- */

/* What is asked for may be there or not: the directory it would be in is not there.  Never what the
 * system says of a local file. */
enum { NOTES_DIR_GONE = -ESTALE };

/* Is this path of the pad one beneath that directory? */
bool notes_dir_has(const Files *f, const char *path);
/* Would programs obey a file with this name there, as agents do AGENTS.md?  `stem` has no ending.
 */
bool notes_dir_is_obeyed(const Files *f, Str stem);
MUST_USE jot_status notes_dir_refuse_obeyed(const Paths *p, Err *e);
/* JOT_INVALID if no notes may lie there. */
MUST_USE jot_status notes_dir_set(Files *f, Str dir, Err *e);
/* Find the directory, from where the pad is.  With `make` it must be there in the end; otherwise it
 * may be missing. */
MUST_USE jot_status notes_dir_begin(Files *f, const char *pad, bool make, Err *e);
void notes_dir_end(Files *f);
/* Has another directory come in its place?  From then on it is that one. */
bool notes_dir_moved(Files *f);
/* Is it not there? */
bool notes_dir_lost(Files *f);
/* The sentence for NOTES_DIR_GONE. */
jot_status notes_dir_gone(const Files *f, Err *e);

/* Open or ask about what has such a path; make a directory with that path. */
int notes_dir_open(Files *f, const char *path, int flags);
int notes_dir_stat(Files *f, const char *path, struct stat *out);
int notes_dir_make_dir(Files *f, const char *path);

/* The directory of the drafts, or -errno: it stays open. */
int notes_dir_drafts(Files *f, bool make);
/* Does a draft lie there, or is that not known? */
bool notes_dir_drafted(Files *f);
/* JOT_DENIED if the file there now is not to be written: its owner said so. */
MUST_USE jot_status notes_dir_check_file(Files *f, const Paths *p, int dir, Err *e);

/* --- many.c ---------------------------------------------------------------------------- */

MUST_USE jot_status files_append_many(Store *s, Append *items, size_t n, Err *e);

/* --- forget.c -------------------------------------------------------------------------- */

MUST_USE jot_status files_trim(Store *s, Str stream, const Expect *x, uint64_t before,
                               uint64_t *dropped, Err *e);
MUST_USE jot_status files_redact(Store *s, Str stream, const Expect *x, const Redaction *set,
                                 Err *e);
MUST_USE jot_status files_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq,
                                        Err *e);
MUST_USE jot_status files_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);

/* --- verify.c --------------------------------------------------------------------------- */

MUST_USE jot_status files_index_path(Store *s, Arena *into, Str *out, Err *e);
MUST_USE jot_status files_verify(Store *s, const VerifyHooks *hooks, Err *e);

/* Every file below a directory of the pad whose name fits, as paths; directories are entered. */
typedef jot_status WalkFile(void *ctx, const char *dir, const char *name);
MUST_USE jot_status walk_files(Files *f, const char *path, bool hidden, WalkFile *each, void *ctx,
                               Err *e);

/* --- mend.c ----------------------------------------------------------------------------- */

/* What of a stream file continues what stands before it, and what does not. */
typedef struct Fork {
    bool markers;   /* lines that git leaves in a conflict */
    uint64_t twice; /* records whose seq was there before */
    Piece *kept;    /* the first history, in stretches */
    size_t kept_n;
} Fork;
/* *forked is false if there is one history only (damaged or not). */
MUST_USE jot_status fork_find(Files *f, const Stream *st, Arena *into, Fork *out, bool *forked,
                              Err *e);
MUST_USE jot_status files_settle(Store *s, Err *e);
MUST_USE jot_status files_mend(Store *s, const MendOptions *o, Err *e);

/* --- heads.c ---------------------------------------------------------------------------- */

/* What is known of a stream.  Hashes are their first 64 bits. */
typedef struct HeadLine {
    Str name;
    uint64_t seq, chain;
    bool shown; /* a document with a value: has the rest, as far as it is known (inode 0: not) */
    uint64_t version, size;
    uint64_t inode; /* of its file, when that had this version and had long been still */
    int64_t mtime_ns, ctime_ns;
    uint64_t first; /* where the stream begins; 0: not known */
    size_t turn;    /* of its line, among all */
} HeadLine;

typedef struct Heads {
    bool there;
    int64_t at_ms;      /* when it was complete; 0: never */
    uint64_t complete;  /* so many bytes of it */
    uint32_t forgotten; /* names were taken out, as often as this says */
    HeadLine *items;    /* in order of names; of one name, in order of time */
    size_t n;
} Heads;

HeadLine heads_line(Str name, const Mark *m);
/* One that is missing, or none, is empty.  -errno if it cannot be read. */
int heads_load(Files *f, Arena *into, Heads *out);
/* The lines of a name, or NULL. */
const HeadLine *heads_find(const Heads *h, Str name, size_t *n);
/* Put it in the place of the one there.  -ESTALE if a name was forgotten since it was loaded. */
int heads_store(Files *f, const Heads *h);
/* Fill in what the file of a document looks like, if that has the line's version. */
void heads_see(Files *f, HeadLine *l);
/* The number of a stream's oldest record, without reading that; 0: damage stands there. */
uint64_t heads_first(Files *f, const Stream *st);
/* Nothing is left of it but a tombstone: such a name is not listed. */
bool heads_purged(Files *f, const Stream *st);

/* As the engine's `tokens`: what the list knows of them. */
MUST_USE jot_status files_tokens(Store *s, uint64_t *out, Err *e);

/* This handle wrote: remembered until heads_flush, which appends it to the list. */
void heads_wrote(Files *f, Str name, const Mark *m);
void heads_flush(Files *f);
void heads_close(Files *f);
/* Take a name out, durably. */
MUST_USE jot_status heads_forget(Files *f, Str name, Err *e);
/* True if the view is proved to be damaged by the disk: the list knows it as it is, and with the
 * head's text. */
bool heads_rotten(Files *f, Str name, const Mark *head, const View *v);
/* True if the list knows of records after this head: the stream is gone, or was cut. */
bool heads_beyond(Files *f, Str name, const Mark *head);

/* --- heads_check.c ----------------------------------------------------------------------- */

MUST_USE jot_status files_heads(Store *s, const VerifyHooks *hooks, bool accept, HeadsSeen *out,
                                Err *e);

/* --- head.c ---------------------------------------------------------------------------- */

/* The head as a reader sees it, without lock. */
MUST_USE jot_status files_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out,
                               Err *e);
/* As the engine's `whole`. */
MUST_USE jot_status files_whole(Store *s, Str stream, Err *e);
/* All but its body, for a list: where there is no view the header is believed without the body. */
MUST_USE jot_status files_glance(Files *f, Str stream, Arena *into, Record *out, Err *e);
MUST_USE jot_status files_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                               Err *e);

/* --- there.c ------------------------------------------------------------------- */

/* JOT_IO if the directory has no name any more: nothing made in it would ever be found. */
MUST_USE jot_status pad_check_there(Files *f, Err *e);
bool pad_moved(Store *s); /* as store_moved */
/* An absolute path, whatever becomes of the working directory; NULL if that cannot be known.  The
 * caller owns it. */
char *pad_whole_path(const char *path);

/* --- clone.c ------------------------------------------------------------------- */

/* Keep what `format` says where git does not take it away.  -errno on failure. */
int clone_keep_format(Files *f, Str format);
/* The same, and the file that says what git is to ignore, for a new pad. */
int clone_prepare(Files *f, Str format);
/* Let git ignore this path too, for a pad that an older version made; a file that people wrote anew
 * stays. */
void clone_ignore(Files *f, const char *path);
/* What was kept, in the file of this name; false if there is nothing. */
#define FORMAT_KEPT ".format"
bool clone_read_kept(Files *f, char to[FILES_FORMAT_BYTES]);
/* Does a directory with these names hold what people see of a pad? */
bool clone_has_views(const Names *names);
/* For a pad whose `format` was read: what this file system does to names.  With `writes`, what was
 * not here before, or of an older version, is prepared as far as that can be done. */
void clone_settle(Files *f, bool writes);

/* --- pad.c --------------------------------------------------------------------- */

/* Up to `size` - 1 bytes of a file at the top of the pad, and a NUL; -errno on failure. */
int pad_read_small(Files *f, const char *name, char *to, size_t size);

MUST_USE jot_status pad_open(Store **out, const Url *url, const StoreOptions *o, Err *e);
void pad_close(Store *s);
MUST_USE jot_status pad_id(Store *s, char out[STORE_PAD_ID + 1], Err *e);
int pad_hold(Store *s, uint64_t number, bool hold);
bool pad_held(Store *s, uint64_t number);
/* JOT_UNAVAILABLE if it is not known which boot and mount this is: then f->boot is "", nothing is
 * `checked`, and a view that is not the head means nothing.  It is asked again each time. */
MUST_USE jot_status pad_boot(Files *f, Err *e);
/* The system has no word for the mount (io_mount_id): then it could be lost and come back
 * unnoticed, so nothing of a view is left unsynced. */
bool pad_syncs_views(const Files *f);
/* Look whether this boot and mount have been checked, perhaps by another process. */
bool pad_read_checked(Files *f);
/* Need a reader not ask whether a view was torn? */
bool pad_trusts_views(Files *f);
/* Say in `checked` that they need no more comparing.  If that fails the handle knows, and the
 * next one compares again. */
void pad_write_checked(Files *f);
/* Make a file with a name nobody else has, to be renamed to `name` at the top of the pad. */
int pad_open_draft(Files *f, const char *name, char draft[FILES_NAME_MAX]);
/* Give the pad a file in one step, not synced: over one that is there, or -EEXIST. */
int pad_install(Files *f, const char *name, Str text);
int pad_install_new(Files *f, const char *name, Str text);
/* The same over one that is there, durably. */
int pad_install_durably(Files *f, const char *name, Str text);
/* Remove such files that dead processes left. */
void pad_sweep(Files *f);
/* How far the comparing has come under this boot and mount, for processes that write once and end.
 * Not knowing it costs only time, so failures do not matter. */
void pad_read_progress(Files *f);
void pad_write_progress(Files *f);
/* Open `format` and hold it, as long as the handle lives, with a shared lock. */
MUST_USE jot_status pad_hold_format(Files *f, Err *e);
/* 1 if an open file is the one of that name: anyone who raises the format replaces it.  Else 0, or
 * -errno. */
int pad_format_in_place(Files *f, int fd);
/* True if the file system does not distinguish `a` from `A`. */
bool pad_probe_folding(Files *f);
/* What `format` says for a pad of this version. */
Str pad_format_text(const Files *f, Arena *into);
/* Open a directory of the pad; with `make`, create what is missing of it. -errno on failure. */
int pad_open_dir(Files *f, const char *path, bool make);
/* Open a file of the pad for reading, and ask about one (as io_stat_path), wherever it lies. */
int pad_open_file(Files *f, const char *path);
int pad_stat(Files *f, const char *path, struct stat *out);
/* fsync a directory and those above it, up to the pad. */
MUST_USE jot_status pad_sync_dirs(Files *f, const char *path, Err *e);
/* An operation that may wait begins: from here it waits no longer than the handle allows. */
void pad_begin_wait(Files *f);
int64_t pad_wait_left(const Files *f);
/* The handle gives up writing: the reason is reported to every later write. */
jot_status pad_stop_writing(Files *f, Err *e, const char *why);

/* How the kernel names a file; ino 0: not asked yet. */
typedef struct FileId {
    dev_t dev;
    ino_t ino;
} FileId;

struct Files {
    Store base;
    Fd root;                              /* the pad's directory */
    char *path;                           /* where it was found, absolute; NULL: not known */
    Fd format;                            /* open as long as the handle, with a shared lock */
    FileId root_id, format_id;            /* of these two (there.c) */
    char id[STORE_PAD_ID + 1];            /* "" until somebody asks */
    char boot[BOOT_TEXT];                 /* of the running system; "": not known */
    char mount[MOUNT_TEXT];               /* of the pad's file system; NO_MOUNT: it has no word */
    bool checked;                         /* every view was compared under these two */
    char check_after[STORE_NAME_MAX + 1]; /* how far recover_pad has come */
    bool check_missed;                    /* it has passed one that must be looked at again */
    bool check_shared;                    /* how far it has come lies in a file */
    int64_t until_ms; /* when the operation under way stops waiting, by io_awake_ms */
    RecordForm form;  /* of the lines it writes, as the pad's format allows */
    bool wide;        /* it has room for notes in folders, and in .md files */
    bool raise_tried; /* pad_raise was called */
    unsigned holds;   /* numbers this handle holds */
    char notes_dir[FILES_NOTES_DIR_MAX +
                   1];       /* where the notes lie, from beside the pad; "": in it */
    Fd above, notes, drafts; /* of these: beside the pad; the notes; their drafts */
    FileId notes_id;
    bool swaps; /* the file system can exchange two names */
    bool folds; /* it does not tell `A` from `a` */
    struct Recent *recent;
    struct ListCache *listed;
    struct HeadsWrote *wrote; /* since the list of heads was last written */
};

#endif
