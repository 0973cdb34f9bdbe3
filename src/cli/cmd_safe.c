/* cmd_safe.c - directories of other users whose pads are used without being named. */
#include <stdio.h>

#include "base/safe.h"
#include "cli/cmd.h"

extern const Cmd cmd_safe;

static void answer(Session *s, const char *verb, const char *not_changed, Str path, bool changed)
{
    s->changed = changed;
    if (s->json) {
        print_json(json_pack("{s:o, s:b}", "directory", json_text(path), "changed", changed));
        return;
    }
    fputs(changed ? verb : not_changed, stdout);
    print_line(path);
}

static jot_status run_add(Session *s)
{
    Str path;
    bool changed;
    TRY(safe_add(&io_system, s->args[0], &s->arena, &path, &changed, &s->err));
    answer(s, "added ", "there already: ", path, changed);
    return JOT_OK;
}

static jot_status run_remove(Session *s)
{
    Str path;
    bool changed;
    Shown shown;
    TRY(safe_remove(&io_system, s->args[0], &s->arena, &path, &changed, &s->err));
    if (!changed)
        return err_set(&s->err, JOT_NOT_FOUND, "'%s' is not on the list: jotter safe list",
                       err_show(&shown, path));
    answer(s, "removed ", "", path, changed);
    return JOT_OK;
}

static jot_status run_list(Session *s)
{
    SafeList l;
    AUTO_PTR(json_t) list = json_array();
    TRY(safe_read(&io_system, &s->arena, &l, &s->err));
    for (size_t i = 0; i < l.n; i++) {
        if (s->json)
            json_array_append_new(list, json_text(l.dirs[i]));
        else
            print_line(l.dirs[i]);
    }
    if (s->json)
        print_json(json_pack("{s:O}", "directories", list));
    return JOT_OK;
}

static const Cmd add_cmd = {
    .name = "add",
    .args = "DIR",
    .summary = "Use the .jotter/ of this directory, even if somebody else owns it",
    .help = "Its owner decides what you read there, and sees what you write.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_add,
};

static const Cmd remove_cmd = {
    .name = "remove",
    .args = "DIR",
    .summary = "Do not use it any more, unless it is named",
    .help = "",
    .args_min = 1,
    .args_max = 1,
    .run = run_remove,
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "",
    .summary = "Print the directories",
    .help = "",
    .run = run_list,
};

static const Cmd *const subs[] = { &add_cmd, &list_cmd, &remove_cmd, NULL };

const Cmd cmd_safe = {
    .name = "safe",
    .args = "COMMAND",
    .summary = "List the pads of other users that you trust",
    .help =
        "A .jotter/ that is found from the working directory upward is used if the directory\n"
        "and its file 'format' are yours (for root under sudo: or the user's who called it).\n"
        "One of another user is refused, unless it is named (--pad, JOTTER_PAD) or its directory\n"
        "is on this list, the file 'safe' in $XDG_CONFIG_HOME/jotter or ~/.config/jotter.\n",
    .subs = subs,
};
