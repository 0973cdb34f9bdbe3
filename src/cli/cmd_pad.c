/* cmd_pad.c - the pad itself from the shell: making it, where it is, copying it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/url.h"
#include "cli/cmd.h"
#include "cli/copying.h"
#include "cli/last_pad.h"
#include "memory/task/share.h"

extern const Cmd cmd_init, cmd_where, cmd_copy;

/* Without words the new pad is here, whatever there is further up; with a directory it is in that
 * one, which is then named and not found. */
static jot_status choose_place(Session *s)
{
    const char *named = getenv("JOTTER_PAD");
    Str dir = arg_at(s, 0);
    if (dir.n && opt_given(s, "pad"))
        return err_set(&s->err, JOT_INVALID, "give DIR or --pad, not both");
    if (!dir.n && (opt_given(s, "pad") || (named && named[0])))
        return JOT_OK;
    char *here = getcwd(NULL, 0);
    if (!here)
        return err_errno(&s->err, errno, "could not find the working directory");
    Str path = arena_copy(&s->arena, str(here));
    free(here);
    if (dir.n)
        path = dir.p[0] == '/'
                   ? dir
                   : arena_printf(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(path), STR_ARG(dir));
    s->where = where_in(path, &s->arena);
    if (dir.n)
        s->where.named = true, s->where.found = NULL;
    return JOT_OK;
}

/* The path of `to` without what leads to the directory `from`; empty if it does not lie there. */
static Str path_from(Str from, Str to)
{
    while (to.n > 1 && to.p[to.n - 1] == '/')
        to.n--;
    if (str_eq(to, from))
        return S(".");
    bool root = str_eq(from, S("/"));
    if (!str_starts(to, from) || (!root && to.p[from.n] != '/'))
        return (Str){ 0 };
    return str_from(to, from.n + !root);
}

/* An absolute path without symlinks, whether its last part is there or not. */
static Str real_path(Session *s, Str path)
{
    char *whole = realpath(arena_cstr(&s->arena, path), NULL);
    size_t slash = str_find_last(path, '/');
    char *above = whole || slash == path.n || slash == 0
                      ? NULL
                      : realpath(arena_cstr(&s->arena, str_slice(path, 0, slash)), NULL);
    Str real = whole ? arena_copy(&s->arena, str(whole))
               : above
                   ? arena_printf(&s->arena, "%s" STR_FMT, above, STR_ARG(str_from(path, slash)))
                   : path;
    free(whole);
    free(above);
    return real;
}

/* Make a pad whose notes are the files of a directory: its URL says so once
 * (store/files/notes_dir.c), with the path from where the pad lies; from then on the pad knows. */
static jot_status make_with_notes(Session *s)
{
    const char *notes = opt_text(s, "notes");
    Url url;
    Shown shown, where;
    if (!notes)
        return JOT_OK;
    TRY(where_check(&s->where, &s->err));
    TRY(url_parse(s->where.url, &s->arena, &url, &s->err));
    if (!str_eq(url.scheme, S("files")))
        return err_set(&s->err, JOT_INVALID, "only a pad in files can have its notes in '%s'",
                       err_show(&shown, str(notes)));
    char *here = getcwd(NULL, 0);
    if (!here)
        return err_errno(&s->err, errno, "could not find the working directory");
    Str base = arena_copy(&s->arena, str(here));
    free(here);
    Str pad = url.path, dir = str(notes);
    while (pad.n > 1 && str_ends(pad, S("/")))
        pad.n--;
    while (dir.n > 1 && str_ends(dir, S("/")))
        dir.n--;
    if (pad.p[0] != '/')
        pad = arena_printf(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(pad));
    if (dir.n && dir.p[0] != '/')
        dir = arena_printf(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(dir));
    size_t slash = str_find_last(pad, '/');
    Str project = real_path(s, slash ? str_slice(pad, 0, slash) : S("/"));
    Str link = path_from(project, dir); /* as it was typed: a symlink on the way is refused */
    Str rel = link.n ? link : path_from(project, real_path(s, dir));
    if (!rel.n)
        return err_set(&s->err, JOT_INVALID,
                       "the notes cannot lie in '%s': they must be in the directory the pad lies "
                       "in, %s, or below it",
                       err_show(&shown, str(notes)), err_show(&where, project));
    AUTO(Memory) made = { 0 };
    s->found = (SafeFound){ .path = s->where.found };
    MemoryOptions o = { .by = s->by, .create = true, .found = s->where.found ? &s->found : NULL };
    Str told = arena_printf(&s->arena, STR_FMT "%snotes=" STR_FMT, STR_ARG(s->where.url),
                            url.query.n ? "&" : "?", STR_ARG(url_encode(&s->arena, rel, true)));
    return memory_open(&made, told, &o, &s->err);
}

/* "tasks, plans" */
static Str shares_text(Session *s, unsigned shares)
{
    return arena_printf(&s->arena, "%s%s%s", shares & SHARE_TASKS ? "tasks" : "",
                        (shares & SHARE_TASKS) && (shares & SHARE_PLANS) ? ", " : "",
                        shares & SHARE_PLANS ? "plans" : "");
}

static json_t *shares_json(unsigned shares)
{
    json_t *list = json_array();
    if (shares & SHARE_TASKS)
        json_array_append_new(list, json_string("tasks"));
    if (shares & SHARE_PLANS)
        json_array_append_new(list, json_string("plans"));
    return list;
}

static void print_shared(Session *s, unsigned shares, const ShareCount *c)
{
    if (shares)
        print_sentence("git carries its " STR_FMT ": commit .jotter/shared/ (%s written)",
                       STR_ARG(shares_text(s, shares)), counted(c->written, "file").text);
    else
        print_sentence("git carries no tasks and no plans (%s removed)",
                       counted(c->removed, "file").text);
}

static jot_status run_init(Session *s)
{
    bool there;
    unsigned shares = 0;
    ShareCount count = { 0 };
    const char *share = opt_text(s, "share");
    if (share)
        TRY(share_parse(str(share), &shares, &s->err));
    TRY(choose_place(s));
    Str plain = s->where.url, pad = url_bare(&s->arena, plain);
    TRY(session_look(s, &there));
    if (!there)
        last_pad_keep(s); /* whoever makes a pad knows that it is there */
    memory_close(&s->memory);
    TRY(make_with_notes(s));
    TRY(session_open(s, true)); /* also one that is there: git may have brought a part of it */
    if (share)
        TRY(share_change(&s->memory, shares, &count, &s->err));
    TRY(share_now(&s->memory, &shares, &s->err));
    const char *notes = store_promise(s->memory.store).notes;
    Shown shown;
    s->changed = !there || count.written || count.removed;
    if (s->json) {
        json_t *out = json_pack("{s:o, s:b, s:o}", "pad", json_text(pad), "made", !there, "share",
                                shares_json(shares));
        if (notes)
            json_object_set_new(out, "notes", json_string(notes));
        print_json(out);
        return JOT_OK;
    }
    fputs(there ? "there already: " : "made ", stdout);
    print_name_line(pad);
    if (notes)
        print_sentence("its notes are the .md and .txt files in '%s', beside it",
                       err_show(&shown, str(notes)));
    if (share)
        print_shared(s, shares, &count);
    return JOT_OK;
}

static jot_status where_json(Session *s, bool there)
{
    json_t *out = json_pack("{s:o, s:s, s:b}", "pad", json_text(url_bare(&s->arena, s->where.url)),
                            "because", s->where.why, "there", there);
    if (there && s->found.listed)
        json_object_set_new(out, "owner", json_integer((json_int_t)s->found.owner));
    if (there) {
        Store *store = s->memory.store;
        StorePromise p = store_promise(store);
        Str index = { 0 };
        json_object_set_new(out, "read_only", json_string(store_read_only_why(store)));
        json_object_set_new(out, "durable", json_boolean(p.durable));
        json_object_set_new(out, "shared", json_boolean(p.shared));
        json_object_set_new(out, "editable", json_boolean(p.edits_seen));
        json_object_set_new(out, "guarded", json_boolean(p.edits_guarded));
        json_object_set_new(out, "holds", json_boolean(p.holds));
        if (p.notes)
            json_object_set_new(out, "notes", json_string(p.notes));
        json_object_set_new(out, "caveats", json_text(str(p.caveats)));
        unsigned shares = 0;
        if (share_now(&s->memory, &shares, NULL) == JOT_OK)
            json_object_set_new(out, "share", shares_json(shares));
        if (store_index_path(store, &s->arena, &index, NULL) == JOT_OK && index.n)
            json_object_set_new(out, "index", json_text(index));
    }
    print_json(out);
    return JOT_OK;
}

static void print_answer(const char *what, bool is, const char *if_so, const char *if_not)
{
    printf("%-10s %s (%s)\n", what, is ? "yes" : "no", is ? if_so : if_not);
}

static void print_caveats(Str lines)
{
    while (lines.n) {
        Str line = str_slice(lines, 0, str_find(lines, '\n'));
        print_sentence("note       " STR_FMT, STR_ARG(line));
        lines = str_from(lines, line.n + 1);
    }
}

static void print_promise(Session *s)
{
    Store *store = s->memory.store;
    StorePromise p = store_promise(store);
    const char *why = store_read_only_why(store);
    Str index = { 0 };
    if (s->found.listed)
        printf("owner      uid %u, not you; its directory is on your list (jotter safe list)\n",
               (unsigned)s->found.owner);
    print_sentence("state      %s%s", why[0] ? "read-only: " : "open", why);
    Shown shown;
    if (p.notes)
        print_sentence("notes      the .md and .txt files in '%s', beside the pad",
                       err_show(&shown, str(p.notes)));
    print_answer("durable", p.durable, "what is acknowledged survives a power loss",
                 p.shared ? "the server may lose what it acknowledged"
                          : "what is acknowledged is gone with the process");
    print_answer("shared", p.shared, "several processes may use it at once",
                 "one process has it for itself");
    print_answer("editable", p.edits_seen,
                 "people may edit the files; logs/, tasks/ and index/ only show",
                 "there are no files for people to edit");
    if (p.edits_seen)
        print_answer("guarded", p.edits_guarded,
                     "an edit during a write is never overwritten unseen",
                     "an edit during a write may be overwritten");
    unsigned shares = 0;
    if (share_now(&s->memory, &shares, NULL) == JOT_OK && shares)
        print_sentence("shared/    git carries its " STR_FMT, STR_ARG(shares_text(s, shares)));
    print_caveats(str(p.caveats));
    if (store_index_path(store, &s->arena, &index, NULL) == JOT_OK && index.n) {
        fputs("index      ", stdout);
        print_name_line(index);
    }
}

static jot_status run_where(Session *s)
{
    bool there;
    TRY(where_check(&s->where, &s->err));
    if (!s->json) { /* also if it cannot be opened */
        fputs("pad        ", stdout);
        print_name_line(url_bare(&s->arena, s->where.url));
        print_sentence("because    %s", s->where.why);
    }
    TRY(session_look(s, &there));
    if (s->json)
        return where_json(s, there);
    if (there)
        print_promise(s);
    else
        puts("state      not there yet: the first write makes it");
    return JOT_OK;
}

static jot_status run_copy(Session *s)
{
    AUTO(Memory) to = { 0 };
    PadReport r;
    Shown shown;
    Str url;
    const char *name = err_show(&shown, url_bare(&s->arena, str(s->args[0])));
    if (where_url(str(s->args[0]), &s->arena, &url, &s->err) != JOT_OK)
        return err_at(&s->err, "pad '%s'", name);
    TRY(session_open(s, false));
    MemoryOptions o = { .by = s->memory.by, .create = true };
    if (memory_open(&to, url, &o, &s->err) != JOT_OK)
        return err_at(&s->err, "pad '%s'", name);
    jot_status st = copy_showing(s->memory.store, &to, s, &r);
    const CopyCount *c = &r.count;
    s->changed = c->copied > 0;
    if (s->json) {
        json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:I}", "to", json_text(url), "streams",
                                (json_int_t)c->streams, "records", (json_int_t)c->records, "bytes",
                                (json_int_t)c->bytes, "copied", (json_int_t)c->copied);
        pad_report_add_json(out, &r);
        print_json(out);
        return st;
    }
    printf("%s, %s, %s; %s new\n", counted(c->streams, "stream").text,
           counted(c->records, "record").text, counted(c->bytes, "byte").text,
           counted(c->copied, "record").text);
    return st;
}

static const Opt init_opts[] = {
    { "notes", "DIR", "the notes are the .md and .txt files in DIR, beside the pad or below" },
    { "share", "SHARES", "let git carry tasks, plans, both (tasks,plans), or none" },
    { 0 },
};

const Cmd cmd_init = {
    .name = "init",
    .args = "[DIR]",
    .summary = "Make a pad in this directory, in DIR, or where --pad says",
    .help =
        "The first write makes a pad where there is none; this makes one here: .jotter/\n"
        "With --notes, of a new pad, they are the .md and .txt files of a directory that people "
        "have\n"
        "anyway: docs/, a vault, or . for all of them.  They keep their names, permissions and "
        "place;\n"
        "drafts, locks and the history stay in .jotter/; links and hidden names are left out, and\n"
        "nothing else there is touched.  DIR must be in the directory of the pad or below.\n"
        "With --share, also in a pad that is there, each task or plan has a file in\n"
        ".jotter/shared/, which git carries; the histories stay.  What a pull changes there is\n"
        "taken in as an edit by 'outside', if it may be; 'jotter status' names what may not.\n"
        "'--share none' takes the files away again.\n",
    .opts = init_opts,
    .args_max = 1,
    .run = run_init,
};

const Cmd cmd_where = {
    .name = "where",
    .args = "",
    .summary = "Show which pad is used, why, and what it promises",
    .help = "",
    .run = run_where,
};

const Cmd cmd_copy = {
    .name = "copy",
    .args = "URL|PATH",
    .summary = "Copy the whole pad, with its history, to another store",
    .help =
        "Every record is read back and compared.  Copying again continues where it stopped.  What\n"
        "can be read is copied, what cannot is reported.  Purges and redactions are carried over;\n"
        "leases are not.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_copy,
};
