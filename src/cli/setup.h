/* setup.h - putting one entry into somebody else's configuration file.
 *
 * The file belongs to a person and a program; only one entry in it is ours.  So a
 * file is never written anew from what was understood of it: the bytes around the
 * entry stay as they are, and what was written is read again and compared before
 * it replaces the file.  A file that cannot be edited like that is left alone, and
 * the sentence says why.
 *
 * In an entry that is there already, members that are not ours stay too. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum { SETUP_FILE_MAX = 4 * 1024 * 1024 };

typedef struct SetupEntry {
    const char *table; /* where entries of this kind stand: "mcpServers" */
    const char *name;
    const json_t *value;     /* an object: the members that are ours */
    const char *const *ours; /* all names we ever set, ends in NULL: the others of them go */
} SetupEntry;

/* The text with the entry in it, added to `out`.  An empty text is an empty file.
 * JOT_UNSUPPORTED: this text cannot be edited safely; the sentence continues after the file's name.
 */
MUST_USE jot_status setup_json(Str text, const SetupEntry *x, Buf *out, Err *e);
MUST_USE jot_status setup_toml(Str text, const SetupEntry *x, Buf *out, Err *e);
MUST_USE jot_status setup_yaml(Str text, const SetupEntry *x, Buf *out, Err *e);

/* The entry that is there, as far as it can be read; NULL: none.  The caller owns it.  Only to be
 * told of: what is written is found by the functions above. */
json_t *setup_json_look(Str text, const SetupEntry *x);
json_t *setup_toml_look(Str text, const SetupEntry *x); /* texts and lists of texts */
json_t *setup_yaml_look(Str text, const SetupEntry *x);

/* What the entry becomes where `old` stands; NULL: nothing.  The caller owns it. */
json_t *setup_merge(const json_t *old, const SetupEntry *x);

/* --- The file -------------------------------------------------------------------------- */

typedef struct SetupFile {
    const char *path;
    bool there;
    Str text;
    struct stat info; /* as it was when it was read */
} SetupFile;

/* A file that is not there is empty.  JOT_UNSUPPORTED for anything that is not a plain file of
 * one's own: a symbolic link, a device, a file with a second name. */
MUST_USE jot_status setup_file_read(const char *path, Arena *into, SetupFile *out, Err *e);
/* Replace the file, as a whole or not at all, with the mode it had.  JOT_CONFLICT: somebody changed
 * it since it was read. */
MUST_USE jot_status setup_file_write(const SetupFile *f, Str text, Err *e);

#endif
