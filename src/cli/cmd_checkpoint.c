/* cmd_checkpoint.c - checkpoints of a run from the shell: save, list, load, undo, trim. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/cmd_log.h"
#include "memory/artifact/checkpoint.h"

extern const Cmd cmd_checkpoint;

static jot_status read_keep(Session *s, CheckpointKeep *out)
{
    int64_t states, age;
    TRY(opt_number(s, "keep", 1, INT32_MAX, 0, &states));
    TRY(opt_number(s, "age", 1, INT32_MAX, 0, &age));
    *out = (CheckpointKeep){ .states = (uint64_t)states, .age_ms = age * 1000 };
    return JOT_OK;
}

static jot_status run_save(Session *s)
{
    CheckpointSaved saved;
    CheckpointKeep keep;
    CheckpointSave save = { .label = str(opt_text(s, "label")) };
    TRY(read_keep(s, &keep));
    TRY(read_input(s, STORE_BODY_MAX, &save.state));
    TRY(session_open(s, true));
    TRY(checkpoint_save_keep(&s->memory, arg_at(s, 0), &save, &keep, &saved, &s->err));
    /* What could not be dropped now is dropped next time. */
    if (saved.not_dropped.status != JOT_OK)
        say("it is saved, but older ones were not dropped: %s", saved.not_dropped.text);
    if (s->json) {
        json_t *out = checkpoint_json(&saved.c, false);
        json_object_set_new(out, "dropped", json_integer((json_int_t)saved.dropped));
        print_json(out);
    } else {
        print_name_line(checkpoint_saved_text(&saved, arg_at(s, 0), &s->arena));
    }
    return JOT_OK;
}

static void print_state(Session *s, const Checkpoint *c)
{
    if (s->json)
        print_json(checkpoint_json(c, true));
    else
        print_text(c->state);
}

static jot_status run_load(Session *s)
{
    Checkpoint c;
    Shown shown;
    uint64_t version = 0;
    if (s->n == 2 && (!str_to_u64(arg_at(s, 1), STORE_SEQ_MAX, &version) || version == 0))
        return err_set(&s->err, JOT_INVALID, "invalid version '%s': use a number from 1 on",
                       err_show(&shown, arg_at(s, 1)));
    TRY(session_open(s, false));
    TRY(checkpoint_load(&s->memory, arg_at(s, 0), version, &s->arena, &c, &s->err));
    print_state(s, &c);
    return JOT_OK;
}

static jot_status run_undo(Session *s)
{
    Checkpoint c;
    int64_t version;
    TRY(opt_number(s, "if-version", 1, INT64_MAX, 0, &version));
    TRY(session_open(s, false));
    TRY(checkpoint_undo(&s->memory, arg_at(s, 0), (uint64_t)version, &s->arena, &c, &s->err));
    print_state(s, &c);
    return JOT_OK;
}

/* An agent's run needs no checkpoints: each of its turns is one. */
static void tell_turns(Session *s)
{
    AUTO(Run) r = { 0 };
    Err none = s->err;
    uint64_t turns = 0;
    if (run_open(&s->memory, arg_at(s, 0), &r, &s->err) == JOT_OK &&
        log_turns_before(s, &r, UINT64_MAX, &turns) == JOT_OK && turns)
        say("run %s has %s to go back to: jotter run --resume %s --from TURN", r.id,
            counted(turns, "turn").text, r.id);
    s->err = none;
}

static jot_status list_checkpoints(Session *s)
{
    CheckpointList list = { 0 };
    int64_t limit;
    bool there;
    TRY(opt_number(s, "limit", 1, CHECKPOINT_LIST_MAX, CHECKPOINT_LIST_MAX, &limit));
    TRY(session_open_any(s, &there));
    if (there)
        TRY(checkpoint_list(&s->memory, arg_at(s, 0), (size_t)limit, &s->arena, &list, &s->err));
    if (s->json) {
        print_json(checkpoint_list_json(&list));
        return JOT_OK;
    }
    for (size_t i = 0; i < list.n; i++) {
        const Checkpoint *c = &list.items[i];
        printf("%c %6llu  %s  %8llu  ", c->live ? '*' : ' ', (unsigned long long)c->version,
               time_text(c->at_ms).text, (unsigned long long)c->size);
        if (c->undone)
            printf("(undid %llu, restored %llu)\n", (unsigned long long)c->undone,
                   (unsigned long long)c->restored);
        else
            print_name_line(c->label);
    }
    if (list.n == 0)
        puts("(empty)");
    if (list.n == 0 && there)
        tell_turns(s);
    if (list.n < list.total)
        say("%llu older ones are not shown", (unsigned long long)(list.total - list.n));
    if (list.damaged)
        say("%llu checkpoints cannot be read", (unsigned long long)list.damaged);
    return JOT_OK;
}

static jot_status run_trim(Session *s)
{
    CheckpointKeep keep;
    uint64_t dropped;
    TRY(read_keep(s, &keep));
    if (!keep.states && !keep.age_ms)
        return err_set(&s->err, JOT_INVALID, "say what may go: --keep N or --age SECONDS");
    TRY(session_open(s, false));
    TRY(checkpoint_trim(&s->memory, arg_at(s, 0), &keep, &dropped, &s->err));
    if (s->json)
        print_json(json_pack("{s:I}", "dropped", (json_int_t)dropped));
    else
        print_sentence("dropped %s of %s", counted(dropped, "checkpoint").text, s->args[0]);
    return JOT_OK;
}

static const Opt save_opts[] = {
    { "label", "TEXT", "a word about it" },
    { "keep", "N", "then keep the newest N states to go back to" },
    { "age", "SECONDS", "then drop what is older" },
    { 0 },
};

static const Cmd save_cmd = {
    .name = "save",
    .args = "RUN",
    .summary = "Save the state on standard input as a new version",
    .help = "",
    .opts = save_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_save,
};

static const Opt list_opts[] = {
    { "limit", "N", "the newest N, 1 to 1000" },
    { 0 },
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "RUN",
    .summary = "Print the versions that are kept, oldest first",
    .help = "version, time, bytes, label.  A star marks what undo can come to.\n",
    .opts = list_opts,
    .args_min = 1,
    .args_max = 1,
    .run = list_checkpoints,
};

static const Cmd load_cmd = {
    .name = "load",
    .args = "RUN [VERSION]",
    .summary = "Print the present state, or that of a version",
    .help = "",
    .args_min = 1,
    .args_max = 2,
    .run = run_load,
};

static const Opt undo_opts[] = {
    { "if-version", "N", "only if this is the newest version" },
    { 0 },
};

static const Cmd undo_cmd = {
    .name = "undo",
    .args = "RUN",
    .summary = "Go one state back, and print it",
    .help = "What is undone stays readable by its version.\n",
    .opts = undo_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_undo,
};

static const Opt trim_opts[] = {
    { "keep", "N", "keep the newest N states to go back to" },
    { "age", "SECONDS", "drop what is older" },
    { 0 },
};

static const Cmd trim_cmd = {
    .name = "trim",
    .args = "RUN",
    .summary = "Drop old versions",
    .help = "The newest one is never dropped.  What is dropped cannot be loaded any more; of the\n"
            "newest 16 versions the number and the hash of its state stay in the stream.\n",
    .opts = trim_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_trim,
};

static const Cmd *const subs[] = { &save_cmd, &list_cmd, &load_cmd, &undo_cmd, &trim_cmd, NULL };

const Cmd cmd_checkpoint = {
    .name = "checkpoint",
    .args = "",
    .summary = "States of a run: save, load, and go back",
    .help = "",
    .subs = subs,
};
