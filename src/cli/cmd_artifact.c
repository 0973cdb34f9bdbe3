/* cmd_artifact.c - artifacts from the shell: write, read, list, find, ref, delete, and named index
 * documents.  Line logs are below `artifact log`, in cmd_artifact_log.c. */
#include <stdio.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/refusal.h"
#include "memory/artifact/artifact.h"

extern const Cmd cmd_artifact, cmd_artifact_log;

/* --- Words in common ------------------------------------------------------------------- */

static const Opt write_opts[] = {
    { "type", "TYPE", "what it is; find looks for it" },
    { "task", "ID", "the task it belongs to" },
    { "if-version", "HEX", "only if it is still this version" },
    { "if-absent", NULL, "only if there is none" },
    { 0 },
};

static const Opt when_opts[] = {
    { "if-version", "HEX", "only if it is still this version" },
    { "if-absent", NULL, "only if there is none" },
    { 0 },
};

static jot_status read_when(Session *s, DocIf *out)
{
    *out =
        (DocIf){ .version = str(opt_text(s, "if-version")), .absent = opt_given(s, "if-absent") };
    if (out->absent && out->version.n)
        return err_set(&s->err, JOT_INVALID, "use --if-version or --if-absent, not both");
    return JOT_OK;
}

static void print_ref(const ArtifactRef *r)
{
    print_name(r->category);
    putchar('/');
    print_name(r->id);
}

static void print_wrote(const ArtifactRef *r, const char *what)
{
    printf("wrote %s to %s ", counted(r->size, "byte").text, what);
    print_ref(r);
    printf("\ncontent_hash %s\n", hash_hex(r->sha256).text);
}

/* What stands in the way of a write, if anything does. */
static jot_status tell_present(Session *s, jot_status st, const ArtifactRef *now)
{
    bool there = st == JOT_CONFLICT && now->id.n;
    return tell_with(s, st, "artifact", there ? artifact_ref_json(now) : NULL);
}

static jot_status write_with(Session *s, ArtifactWrite *w,
                             jot_status (*write)(Memory *, const ArtifactWrite *, Arena *,
                                                 ArtifactRef *, Err *))
{
    ArtifactRef ref = { 0 };
    w->category = arg_at(s, 0);
    w->id = arg_at(s, 1);
    TRY(read_when(s, &w->when));
    TRY(read_input(s, STORE_BODY_MAX, &w->json));
    TRY(session_open(s, true));
    jot_status st = write(&s->memory, w, &s->arena, &ref, &s->err);
    if (st != JOT_OK)
        return tell_present(s, st, &ref);
    Str hint = artifact_hint(w->json);
    if (s->json) {
        json_t *value = artifact_ref_json(&ref);
        if (hint.n)
            json_object_set_new(value, "hint", json_text(hint));
        print_json(value);
        return JOT_OK;
    }
    print_wrote(&ref, write == artifact_index_write ? "index" : "artifact");
    if (hint.n)
        say(STR_FMT, STR_ARG(hint));
    return JOT_OK;
}

static jot_status print_read(Session *s, jot_status st, const Artifact *a)
{
    if (st == JOT_CORRUPT && s->json)
        return tell_with(s, st, "artifact", artifact_json(a));
    TRY(st);
    if (s->json) {
        print_json(artifact_json(a));
        return JOT_OK;
    }
    /* The stored bytes, whose hash is in the ref; they end without a line break. */
    print_text(a->text);
    if (isatty(STDOUT_FILENO) == 1)
        putchar('\n');
    return JOT_OK;
}

/* --- One artifact ---------------------------------------------------------------------- */

static jot_status run_write(Session *s)
{
    ArtifactWrite w = { .type = str(opt_text(s, "type")), .task = str(opt_text(s, "task")) };
    return write_with(s, &w, artifact_write);
}

static jot_status run_read(Session *s)
{
    Artifact a = { 0 };
    TRY(session_open(s, false));
    jot_status st = artifact_read(&s->memory, arg_at(s, 0), arg_at(s, 1),
                                  str(opt_text(s, "version")), &s->arena, &a, &s->err);
    if (st == JOT_CORRUPT && opt_given(s, "raw")) {
        print_text(a.text);
        return JOT_OK;
    }
    return print_read(s, st, &a);
}

static jot_status run_ref(Session *s)
{
    Artifact a = { 0 };
    TRY(session_open(s, false));
    jot_status st = artifact_read(&s->memory, arg_at(s, 0), arg_at(s, 1),
                                  str(opt_text(s, "version")), &s->arena, &a, &s->err);
    if (st != JOT_CORRUPT) /* a ref is of bytes, whatever they are */
        TRY(st);
    if (s->json) {
        print_json(artifact_ref_json(&a.ref));
        return JOT_OK;
    }
    fputs("artifact_id   ", stdout);
    print_name_line(a.ref.id);
    fputs("category      ", stdout);
    print_name_line(a.ref.category);
    printf("content_hash  %s\ntimestamp     %s\n", hash_hex(a.ref.sha256).text,
           time_text(a.ref.at_ms).text);
    fputs("type          ", stdout);
    print_name_line(a.ref.type);
    fputs("task_id       ", stdout);
    print_name_line(a.ref.task);
    return JOT_OK;
}

static jot_status run_delete(Session *s)
{
    DocIf when = { .version = str(opt_text(s, "if-version")) };
    TRY(session_open(s, false));
    TRY(artifact_delete(&s->memory, arg_at(s, 0), arg_at(s, 1), &when, &s->arena, &s->err));
    if (s->json)
        print_json(json_pack("{s:o, s:o, s:b}", "artifact_id", json_text(arg_at(s, 1)), "category",
                             json_text(arg_at(s, 0)), "deleted", true));
    else
        print_sentence("deleted artifact %s/%s", s->args[0], s->args[1]);
    return JOT_OK;
}

/* --- Finding --------------------------------------------------------------------------- */

static void print_list(Session *s, const ArtifactList *list)
{
    if (s->json) {
        print_json(artifact_list_json(list));
        return;
    }
    for (size_t i = 0; i < list->n; i++) {
        print_ref(&list->items[i]);
        putchar('\n');
    }
    if (list->n == 0)
        puts("(empty)");
    for (size_t i = 0; i < list->problems_n; i++)
        say("'" STR_FMT "': " STR_FMT, STR_ARG(list->problems[i].name),
            STR_ARG(list->problems[i].why));
    if (list->more)
        say("there are more: --after '" STR_FMT "/" STR_FMT "'",
            STR_ARG(list->items[list->n - 1].category), STR_ARG(list->items[list->n - 1].id));
}

static jot_status find(Session *s, ArtifactQuery *q)
{
    ArtifactList list = { 0 };
    int64_t limit;
    bool there;
    TRY(opt_number(s, "limit", 1, ARTIFACT_FIND_MAX, ARTIFACT_FIND_MAX, &limit));
    q->limit = (size_t)limit;
    q->after = str(opt_text(s, "after"));
    TRY(session_open_any(s, &there));
    if (there)
        TRY(artifact_find(&s->memory, q, &s->arena, &list, &s->err));
    print_list(s, &list);
    return JOT_OK;
}

static jot_status run_list(Session *s)
{
    return find(s, &(ArtifactQuery){ .category = arg_at(s, 0), .below = true });
}

static jot_status run_find(Session *s)
{
    ArtifactQuery q = { .category = str(opt_text(s, "category")),
                        .below = opt_given(s, "below"),
                        .id = str(opt_text(s, "id")),
                        .type = str(opt_text(s, "type")),
                        .task = str(opt_text(s, "task")) };
    if (q.below && q.category.n == 0)
        return err_set(&s->err, JOT_INVALID, "--below goes with --category");
    return find(s, &q);
}

static const Opt page_opts[] = {
    { "after", "CATEGORY/ID", "begin behind this one" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { 0 },
};

static const Opt find_opts[] = {
    { "id", "ID", "of this id, in any category" },
    { "category", "CATEGORY", "in this category" },
    { "below", NULL, "and in those below it" },
    { "type", "TYPE", "of this type" },
    { "task", "ID", "of this task" },
    { "after", "CATEGORY/ID", "begin behind this one" },
    { "limit", "N", "at most so many, 1 to 1000" },
    { 0 },
};

/* --- Named index documents ------------------------------------------------------------- */

static jot_status run_index_write(Session *s)
{
    ArtifactWrite w = { 0 };
    return write_with(s, &w, artifact_index_write);
}

static jot_status run_index_read(Session *s)
{
    Artifact a = { 0 };
    TRY(session_open(s, false));
    return print_read(
        s, artifact_index_read(&s->memory, arg_at(s, 0), arg_at(s, 1), &s->arena, &a, &s->err), &a);
}

static jot_status run_index_list(Session *s)
{
    return find(s, &(ArtifactQuery){ .category = arg_at(s, 0), .below = true, .documents = true });
}

static jot_status run_index_delete(Session *s)
{
    TRY(session_open(s, false));
    TRY(artifact_index_delete(&s->memory, arg_at(s, 0), arg_at(s, 1), &s->arena, &s->err));
    if (s->json)
        print_json(json_pack("{s:o, s:o, s:b}", "name", json_text(arg_at(s, 1)), "category",
                             json_text(arg_at(s, 0)), "deleted", true));
    else
        print_sentence("deleted index %s/%s", s->args[0], s->args[1]);
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

static const Cmd index_write_cmd = {
    .name = "write",
    .args = "CATEGORY NAME",
    .summary = "Replace an index document by the JSON on standard input, in one step",
    .help = "",
    .opts = when_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_index_write,
};

static const Cmd index_read_cmd = {
    .name = "read",
    .args = "CATEGORY NAME",
    .summary = "Print an index document",
    .help = "",
    .args_min = 2,
    .args_max = 2,
    .run = run_index_read,
};

static const Cmd index_list_cmd = {
    .name = "list",
    .args = "[CATEGORY]",
    .summary = "Print the index documents, one a line",
    .help = "",
    .opts = page_opts,
    .args_max = 1,
    .run = run_index_list,
};

static const Cmd index_delete_cmd = {
    .name = "delete",
    .args = "CATEGORY NAME",
    .summary = "Delete an index document",
    .help = "",
    .args_min = 2,
    .args_max = 2,
    .run = run_index_delete,
};

static const Cmd *const index_subs[] = { &index_write_cmd, &index_read_cmd, &index_list_cmd,
                                         &index_delete_cmd, NULL };

static const Cmd index_cmd = {
    .name = "index",
    .args = "",
    .summary = "Named documents beside the artifacts, replaced in one step",
    .help = "They lie in artifacts/index/ and are not listed among the artifacts.\n",
    .subs = index_subs,
};

static const Cmd write_cmd = {
    .name = "write",
    .args = "CATEGORY ID",
    .summary = "Keep the JSON on standard input under a category and an id",
    .help =
        "It is stored with two spaces a level; strings and numbers stay as they are.  An id may\n"
        "hold '.' and ':', a category '/'.  What was there stays in the history.\n",
    .opts = write_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_write,
};

static const Opt read_opts[] = {
    { "version", "HEX", "as it was when its hash began so" },
    { "raw", NULL, "also if an edit left no JSON" },
    { 0 },
};

static const Cmd read_cmd = {
    .name = "read",
    .args = "CATEGORY ID",
    .summary = "Print an artifact",
    .help = "",
    .opts = read_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_read,
};

static const Cmd ref_cmd = {
    .name = "ref",
    .args = "CATEGORY ID",
    .summary = "Print the reference of an artifact: id, category, hash, time",
    .help = "The hash is the SHA-256 of the stored bytes; `read --version` finds them again.\n",
    .opts = read_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_ref,
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "[CATEGORY]",
    .summary = "Print the artifacts of a category and those below it, one a line",
    .help = "In byte order.  One that cannot be understood is told on standard error.\n",
    .opts = page_opts,
    .args_max = 1,
    .run = run_list,
};

static const Cmd find_cmd = {
    .name = "find",
    .args = "",
    .summary = "Print the artifacts with this id, category, type or task",
    .help = "All that is given must fit.  The answer is made from the streams each time.\n",
    .opts = find_opts,
    .run = run_find,
};

static const Opt delete_opts[] = {
    { "if-version", "HEX", "only if it is still this version" },
    { 0 },
};

static const Cmd delete_cmd = {
    .name = "delete",
    .args = "CATEGORY ID",
    .summary = "Delete an artifact",
    .help = "Its versions stay readable by their hash.\n",
    .opts = delete_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_delete,
};

static const Cmd *const subs[] = { &write_cmd,  &read_cmd,  &list_cmd,         &find_cmd, &ref_cmd,
                                   &delete_cmd, &index_cmd, &cmd_artifact_log, NULL };

const Cmd cmd_artifact = {
    .name = "artifact",
    .args = "",
    .summary = "JSON documents by category and id, with their hash, type and task",
    .help = "",
    .subs = subs,
};
