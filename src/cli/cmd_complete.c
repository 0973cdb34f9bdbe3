/* cmd_complete.c - completion: what could stand where the cursor is.
 *
 * One hidden command knows the answer for every shell; the scripts that
 * `jotter completion` prints only ask it.  Commands and options come from the
 * tables, names from the pad, by the word that help uses for them. */
#include <string.h>

#include "agent/policy.h"
#include "cli/cmd.h"

enum { NAMES_MAX = 200, WORDS_MAX = 100 };

static void offer(const char *word, Str start)
{
    if (str_starts(str(word), start))
        puts(word);
}

static void offer_cmds(const Cmd *const *among, Str start)
{
    for (; *among; among++)
        if (!(*among)->hidden)
            offer((*among)->name, start);
}

static void offer_opts(const Opt *opts, Str start)
{
    for (; opts && opts->name; opts++) {
        char word[64];
        snprintf(word, sizeof word, "--%s", opts->name);
        offer(word, start);
    }
}

static const Opt *find_opt(const Cmd *cmd, const char *word)
{
    const Opt *lists[] = { cmd ? cmd->opts : NULL, opts_always };
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (const Opt *o = lists[i]; o && o->name; o++)
            if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0)
                return o;
    return NULL;
}

/* The word that help uses for the argument at this place: "KEY" of "KEY [TEXT]". */
static Str placeholder(const Cmd *cmd, int at)
{
    Str rest = str(cmd->args), word = { 0 };
    for (int i = 0; i <= at; i++) {
        word = rest;
        if (!str_cut(&rest, ' ', &word))
            rest = (Str){ 0 };
    }
    while (word.n && (word.p[0] == '[' || word.p[0] == '('))
        word = str_from(word, 1);
    size_t n = 0;
    while (n < word.n && word.p[n] >= 'A' && word.p[n] <= 'Z')
        n++;
    return str_slice(word, 0, n);
}

/* Names in the pad; that there is no pad, or that it cannot be read, is no answer and no fault. */
static void offer_names(Session *s, Str kind, Str start)
{
    Listing page;
    Err ignored = { 0 };
    Str prefix = arena_printf(&s->arena, STR_FMT STR_FMT, STR_ARG(kind), STR_ARG(start));
    s->where = where_find(str(opt_text(s, "pad")), &s->arena);
    SafeFound found = { .path = s->where.found };
    MemoryOptions o = { .read_only = true, .found = s->where.found ? &found : NULL };
    if (memory_open(&s->memory, s->where.url, &o, &ignored) != JOT_OK ||
        store_list(s->memory.store, prefix, (Str){ 0 }, NAMES_MAX, LIST_LIVE, &s->arena, &page,
                   &ignored) != JOT_OK)
        return;
    for (size_t i = 0; i < page.n; i++) {
        Str name = str_from(page.items[i].name, kind.n);
        printf(STR_FMT "\n", STR_ARG(name));
    }
}

static void offer_arg(Session *s, const Cmd *cmd, int at, Str start)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {
        { "KEY", "notes/" },
        { "RUN", "runs/" },
        { "TASK", "tasks/" },
        { "PLAN", "plans/" },
    };
    Str word = placeholder(cmd, at);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(word, str(kinds[i].word)))
            offer_names(s, str(kinds[i].kind), start);
}

/* Words of a policy; for other values the shell offers files. */
static void offer_value(Session *s, const Opt *opt, Str start)
{
    if (strcmp(opt->value, "WORDS") != 0)
        return;
    for (size_t i = 0; policy_word(i, &s->arena).n; i++)
        offer(policy_word(i, &s->arena).p, start);
}

/* Walks over the words before the cursor as args.c would, and forgives all of them. */
static jot_status run_complete(Session *s)
{
    const Cmd *cmd = NULL;
    const Cmd *const *among = commands;
    int args = 0;
    Str start = s->n ? str(s->args[s->n - 1]) : (Str){ 0 };
    for (int i = 0; i + 1 < s->n; i++) {
        const Opt *opt = find_opt(cmd, s->args[i]);
        if (opt && opt->value && ++i + 1 >= s->n) {
            offer_value(s, opt, start);
            return JOT_OK;
        }
        if (opt || s->args[i][0] == '-')
            continue;
        const Cmd *found = NULL;
        for (const Cmd *const *c = among; c && *c && !found; c++)
            if (strcmp((*c)->name, s->args[i]) == 0)
                found = *c;
        args += !found;
        if (found)
            cmd = found, among = found->subs;
    }
    if (str_starts(start, S("-"))) {
        offer_opts(cmd ? cmd->opts : NULL, start);
        offer_opts(opts_always, start);
    } else if (among) {
        offer_cmds(among, start);
    } else {
        offer_arg(s, cmd, args, start);
    }
    return JOT_OK;
}

static const char bash[] = "_jotter() {\n"
                           "    local IFS=$'\\n'\n"
                           "    COMPREPLY=($(jotter complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
                           "2>/dev/null))\n"
                           "}\n"
                           "complete -o default -F _jotter jotter\n";

static const char zsh[] = "#compdef jotter\n"
                          "_jotter() {\n"
                          "    local -a found\n"
                          "    found=(${(f)\"$(jotter complete -- \"${(@)words[2,CURRENT]}\" "
                          "2>/dev/null)\"})\n"
                          "    if (( $#found )); then compadd -a found; else _files; fi\n"
                          "}\n"
                          "compdef _jotter jotter\n";

static const char fish[] =
    "complete -c jotter -f -a \"(jotter complete -- (commandline -opc)[2..-1] "
    "(commandline -ct) 2>/dev/null)\"\n";

static jot_status run_completion(Session *s)
{
    static const struct {
        const char *shell, *text;
    } scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    for (size_t i = 0; i < COUNT_OF(scripts); i++) {
        if (strcmp(s->args[0], scripts[i].shell) == 0) {
            if (s->json)
                print_json(
                    json_pack("{s:s, s:s}", "shell", scripts[i].shell, "script", scripts[i].text));
            else
                fputs(scripts[i].text, stdout);
            return JOT_OK;
        }
    }
    Shown shown;
    return err_set(&s->err, JOT_INVALID, "no completion for '%s': use bash, zsh or fish",
                   err_show(&shown, str(s->args[0])));
}

const Cmd cmd_complete = {
    .name = "complete",
    .args = "WORD ...",
    .summary = "Print what could stand in the place of the last word",
    .help = "",
    .args_max = WORDS_MAX,
    .hidden = true,
    .run = run_complete,
};

const Cmd cmd_completion = {
    .name = "completion",
    .args = "SHELL",
    .summary = "Print the script that makes bash, zsh or fish complete jotter",
    .help = "source <(jotter completion bash)\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_completion,
};
