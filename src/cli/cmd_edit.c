/* cmd_edit.c - edit: one exact place from the command line, or the whole text in an editor.
 *
 * The editor works on a copy in a private file.  What it leaves is written on
 * condition of the version it was given; if somebody wrote meanwhile both changes
 * are merged, and if that cannot be done the copy stays and its name is printed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/docs.h"

extern const Cmd cmd_edit;
extern char **environ;

/* --- One exact place ------------------------------------------------------------------- */

static jot_status edit_place(Session *s, Str stream)
{
    DocEdit w = { .old_text = str(opt_text(s, "old")), .new_text = str(opt_text(s, "new")) };
    if (!opt_given(s, "old") || !opt_given(s, "new"))
        return err_set(&s->err, JOT_INVALID,
                       "give both --old and --new, or neither to use an editor");
    TRY(check_text(s, "a document", w.new_text));
    TRY(docs_if(s, &w.when));
    TRY(docs_open(s, stream));
    Doc now;
    jot_status st = doc_edit(&s->memory, stream, &w, &s->arena, &now, &s->err);
    if (st == JOT_CONFLICT) {
        Conflict c = { .stream = stream, .mine = w.new_text, .now = now };
        return docs_show_conflict(s, &c);
    }
    TRY(st);
    Str says =
        arena_printf(&s->arena, "replaced 1 place in %s, line %zu", doc_name(stream).text, w.line);
    docs_answer(s, stream, &now, says, docs_warn(s, stream, w.new_text));
    return JOT_OK;
}

/* --- In an editor ---------------------------------------------------------------------- */

static jot_status make_copy(Session *s, Str text, char **path)
{
    const char *tmp = getenv("TMPDIR");
    Str name = arena_printf(&s->arena, "%s/jotter-XXXXXX.txt", tmp && tmp[0] ? tmp : "/tmp");
    *path = arena_cstr(&s->arena, name);
    AUTO(Fd) fd = mkostemps(*path, 4, O_CLOEXEC);
    if (fd < 0)
        return err_errno(&s->err, errno, "could not make a file to edit");
    int written = io_write_all(&io_system, fd, text);
    if (written < 0)
        return err_errno(&s->err, -written, "could not write the file to edit");
    return JOT_OK;
}

/* $VISUAL or $EDITOR may have arguments, so a shell reads it; the file is handed over as a
 * parameter and never read by it. */
static jot_status run_editor(Session *s, char *path)
{
    const char *editor = getenv("VISUAL");
    if (!editor || !editor[0])
        editor = getenv("EDITOR");
    bool chosen = editor && editor[0];
    if (!chosen && (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1))
        return err_set(&s->err, JOT_INVALID,
                       "there is no terminal for an editor: give --old and --new, or set $EDITOR");
    if (!chosen)
        editor = "vi";
    Str command = arena_printf(&s->arena, "%s \"$@\"", editor);
    char *argv[] = { arena_cstr(&s->arena, S("sh")),
                     arena_cstr(&s->arena, S("-c")),
                     arena_cstr(&s->arena, command),
                     arena_cstr(&s->arena, S("jotter")),
                     path,
                     NULL };
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (s->json) /* standard output is for the answer */
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int failed = posix_spawn(&child, "/bin/sh", &actions, NULL, argv, environ), status = 0;
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return err_errno(&s->err, failed, "could not start an editor");
    /* Ctrl-C belongs to the editor. */
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGINT, &ignore, &before);
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    sigaction(SIGINT, &before, NULL);
    if (ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(&s->err, JOT_CANCELLED, "the editor failed: nothing was changed");
    return JOT_OK;
}

/* Write what the editor left; *keep: the copy is the only place where it is. */
static jot_status take_copy(Session *s, Str stream, const Doc *was, Str text, bool *keep)
{
    bool live = mark_live(&was->mark);
    HashHex all = hash_hex(was->mark.sha256);
    DocWrite w = { .text = text, .meta = live ? meta_kept(was->meta, &s->arena) : (Str){ 0 } };
    w.merge = live;
    w.when.absent = !live;
    if (live)
        w.when.version = str(all.text);
    jot_status st = docs_write(s, stream, &w);
    *keep = st != JOT_OK;
    return st;
}

static jot_status edit_copy(Session *s, Str stream, const Doc *was, char *path, bool *keep)
{
    Str before = mark_live(&was->mark) ? was->text : (Str){ 0 }, text;
    *keep = false;
    TRY(run_editor(s, path));
    *keep = true;
    TRY(read_file(s, path, STORE_BODY_MAX, &text));
    TRY(check_text(s, "a document", text));
    *keep = false;
    if (str_eq(before, text)) {
        docs_answer(s, stream, was, S("nothing was changed"), (Str){ 0 });
        return JOT_OK;
    }
    return take_copy(s, stream, was, text, keep);
}

static jot_status run_edit(Session *s)
{
    Str stream;
    TRY(docs_arg(s, 0, &stream));
    if (opt_given(s, "old") || opt_given(s, "new"))
        return edit_place(s, stream);
    if (opt_given(s, "if-version"))
        return err_set(&s->err, JOT_INVALID, "--if-version goes with --old and --new");
    TRY(session_open(s, true));
    Doc was;
    char *path;
    bool keep;
    TRY(doc_present(&s->memory, stream, &s->arena, &was, &s->err));
    TRY(make_copy(s, mark_live(&was.mark) ? was.text : (Str){ 0 }, &path));
    jot_status st = edit_copy(s, stream, &was, path, &keep);
    if (keep)
        say("your text is kept in %s", path);
    else
        unlink(path);
    return st;
}

static const Opt edit_opts[] = {
    { "old", "TEXT", "the text to replace: exact, occurring once" },
    { "new", "TEXT", "what to replace it with" },
    { "if-version", "VERSION", "only if it is still at this version" },
    { 0 },
};

const Cmd cmd_edit = {
    .name = "edit",
    .args = "KEY",
    .summary = "Replace one exact place, or edit the text in $EDITOR",
    .help = "Fails if the text is missing or occurs more than once, and says where.\n"
            "Without --old and --new the text opens in $VISUAL or $EDITOR; what others write\n"
            "meanwhile is merged, or both texts are shown and yours is kept in a file.\n",
    .opts = edit_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_edit,
};
