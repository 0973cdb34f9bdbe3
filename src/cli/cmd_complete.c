/* cmd_complete.c - completion: what could stand where the cursor is.
 *
 * One hidden command knows the answer for every shell; the scripts that
 * `jotter completion` prints only ask it.  Commands and options come from the
 * tables, names from the pad that the line itself names, by the word that help
 * uses for them.  zsh and fish hand over words and quote the answers themselves;
 * bash does neither, so it hands over the line (shell_line.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/policy.h"
#include "cli/cmd.h"
#include "cli/setup_client.h"
#include "cli/shell_line.h"
#include "cli/verb_cmd.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "tool/tool.h"

enum { NAMES_MAX = 200, VERSIONS_MAX = 30 };

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

/* What was asked, and where the answers go. */
typedef struct Asked {
    Session *s;
    char **words; /* after `jotter`; the last is at the cursor */
    int n;
    Str start;        /* the last word */
    Str pad;          /* as the line names it; empty: it does not */
    Str first;        /* the command's first argument, if it stands before the cursor */
    const Cmd *group; /* the first word of the command; NULL: it is not there yet */
    size_t kept;      /* as in ShellLine */
    char quote;       /* as in ShellLine */
    bool for_a_line;  /* answers are quoted here */
} Asked;

static void give(const Asked *a, Str word)
{
    AUTO(Buf) out = { 0 };
    Str rest = str_from(word, a->kept);
    if (a->for_a_line)
        shell_line_add(&out, rest, a->quote);
    else
        buf_add(&out, rest);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void offer(const Asked *a, const char *word)
{
    if (str_starts(str(word), a->start))
        give(a, str(word));
}

static void offer_all(const Asked *a, const char *const *words)
{
    for (; *words; words++)
        offer(a, *words);
}

static void offer_cmds(const Asked *a, const Cmd *const *among)
{
    for (; *among; among++)
        if (!(*among)->hidden && !(*among)->stands_for)
            offer(a, (*among)->name);
}

static void offer_opts(const Asked *a, const Opt *opts)
{
    for (; opts && opts->name; opts++) {
        char word[64];
        snprintf(word, sizeof word, "--%s", opts->name);
        offer(a, word);
    }
}

/* The option a word is, or begins with, if a value follows its '='. */
static const Opt *find_opt(const Cmd *cmd, const char *word)
{
    const Opt *lists[] = { cmd ? cmd->opts : NULL, opts_always };
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    Str name = str_slice(str(word + 2), 0, str_find(str(word + 2), '='));
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (const Opt *o = lists[i]; o && o->name; o++)
            if (str_eq(name, str(o->name)))
                return o;
    return NULL;
}

/* The word that help uses for the argument at this place: "KEY" of "KEY [TEXT]". */
static Str placeholder(const Cmd *cmd, int at)
{
    assert(cmd && cmd->args);
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

/* The pad that is meant.  A shell expands the '~' before the command sees it; what else it would
 * expand is left alone, and names no pad. */
static Where find_pad(const Asked *a)
{
    const char *home = getenv("HOME");
    Str pad = a->pad;
    if (str_starts(pad, S("~/")) && home && home[0] == '/')
        pad = arena_printf(&a->s->arena, "%s" STR_FMT, home, STR_ARG(str_from(pad, 1)));
    return where_find(pad, &a->s->arena);
}

/* That there is no pad, or that it cannot be read, is no answer and no fault. */
static bool open_pad(const Asked *a)
{
    Session *s = a->s;
    Err ignored = { 0 };
    s->where = find_pad(a);
    SafeFound found = { .path = s->where.found };
    MemoryOptions o = { .read_only = true, .found = s->where.found ? &found : NULL };
    return where_check(&s->where, &ignored) == JOT_OK &&
           memory_open(&s->memory, s->where.url, &o, &ignored) == JOT_OK;
}

/* The newest versions of the document that the line is about. */
static void offer_versions(const Asked *a)
{
    Session *s = a->s;
    Str stream;
    History page;
    Err ignored = { 0 };
    if (!a->first.n || !open_pad(a) ||
        note_resolve(a->first, &s->arena, &stream, &ignored) != JOT_OK ||
        history_page(&s->memory, stream, &(HistoryAsk){ .limit = VERSIONS_MAX, .glance = true },
                     &s->arena, &page, &ignored) != JOT_OK)
        return;
    for (size_t i = 0; i < page.n; i++)
        if (mark_live(&page.items[i].mark))
            offer(a, version_of(page.items[i].mark.sha256).text);
}

/* Names in the pad. */
static void offer_names(const Asked *a, Str kind)
{
    Session *s = a->s;
    Listing page;
    Err ignored = { 0 };
    Str prefix = arena_printf(&s->arena, STR_FMT STR_FMT, STR_ARG(kind), STR_ARG(a->start));
    if (!open_pad(a) ||
        store_list(s->memory.store, &(ListQuery){ .prefix = prefix, .limit = NAMES_MAX }, &s->arena,
                   &page, &ignored) != JOT_OK)
        return;
    for (size_t i = 0; i < page.n; i++)
        give(a, str_from(page.items[i].name, kind.n));
}

/* The first parts of names, each once: "reports" of "artifacts/reports/r1". */
static void offer_categories(const Asked *a, Str kind)
{
    Session *s = a->s;
    Listing page;
    Str last = { 0 };
    Str prefix = arena_printf(&s->arena, STR_FMT STR_FMT, STR_ARG(kind), STR_ARG(a->start));
    ListQuery query = { .prefix = prefix, .limit = NAMES_MAX };
    if (!open_pad(a) ||
        store_list(s->memory.store, &query, &s->arena, &page, &(Err){ 0 }) != JOT_OK)
        return;
    for (size_t i = 0; i < page.n; i++) {
        Str name = str_from(page.items[i].name, kind.n);
        Str category = str_slice(name, 0, str_find_last(name, '/'));
        if (!str_eq(category, last))
            give(a, category);
        last = category;
    }
}

/* The names that a word of help stands for. */
static void offer_from_pad(const Asked *a, Str word)
{
    static const struct {
        const char *group, *word, *kind; /* group NULL: any that has no line above */
    } kinds[] = {
        { "checkpoint", "RUN", "checkpoints/" },
        { "sink", "HANDLE", "artifacts/tool_results/" },
        { "task", "ID", "tasks/" },
        { NULL, "KEY", "notes/" },
        { NULL, "RUN", "runs/" },
        { NULL, "TASK", "tasks/" },
        { NULL, "PLAN", "plans/" },
    };
    const char *group = a->group ? a->group->name : "";
    bool artifact = strcmp(group, "artifact") == 0;
    Str of = artifact ? S("artifacts/") : S("logs/");
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(word, str(kinds[i].word)) &&
            (!kinds[i].group || strcmp(group, kinds[i].group) == 0)) {
            offer_names(a, str(kinds[i].kind));
            return;
        }
    if (str_eq(word, S("CATEGORY")))
        offer_categories(a, of);
    else if (a->first.n && str_eq(word, artifact ? S("ID") : S("NAME")))
        offer_names(
            a, arena_printf(&a->s->arena, STR_FMT STR_FMT "/", STR_ARG(of), STR_ARG(a->first)));
}

/* What a word of help stands for, whether an argument or an option's value is called so. */
static void offer_word(const Asked *a, Str word)
{
    static const char *const times[] = { "today", "yesterday", "1h", "1d", "7d", NULL };
    static const char *const nouns[] = { "notes", "memories", "artifacts", "tasks",
                                         "plans", "runs",     "cycles",    "checkpoints",
                                         "logs",  "graph",    NULL };
    static const char *const shares[] = { "tasks", "plans", "tasks,plans", "none", NULL };
    static const struct {
        const char *word;
        const char *const *values;
    } words[] = { { "SHELL", shells }, { "TIME", times }, { "KIND", nouns }, { "SHARES", shares } };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq(word, str(words[i].word)))
            offer_all(a, words[i].values);
    if (str_eq(word, S("VERSION")))
        offer_versions(a);
    if (str_eq(word, S("CLIENT")))
        for (size_t i = 0; setup_client(i); i++)
            offer(a, setup_client(i)->name);
    offer_from_pad(a, word);
}

static void offer_arg(const Asked *a, const Cmd *cmd, int at)
{
    assert(cmd);
    const Param *p = cmd->verb ? verb_param_at(cmd->verb, at + 1) : NULL;
    if (p && p->choices)
        offer_all(a, p->choices);
    offer_word(a, placeholder(cmd, at));
}

/* The last of several profiles, with those before it. */
static void offer_profiles(const Asked *a)
{
    size_t comma = str_find_last(a->start, ',');
    Str before = comma < a->start.n ? str_slice(a->start, 0, comma + 1) : (Str){ 0 };
    for (Str rest = S(TOOL_PROFILE_WORDS), word; rest.n;) {
        if (!str_cut(&rest, ',', &word))
            word = rest, rest = (Str){ 0 };
        Str whole =
            arena_printf(&a->s->arena, STR_FMT STR_FMT, STR_ARG(before), STR_ARG(str_trim(word)));
        offer(a, whole.p);
    }
}

/* By the option's own name, for a few words that say nothing of what they stand for. */
static void offer_for(const Asked *a, const char *option)
{
    static const char *const dialects[] = { "documented", "typescript", "python", NULL };
    static const char *const efforts[] = { "none", "minimal", "low", "medium",
                                           "high", "xhigh",   "max", NULL };
    static const char *const choices[] = { "auto", "required", "none", NULL };
    static const char *const protocols[] = { "native", "json", NULL };
    static const char *const layouts[] = { "memories",  "mem0", "langgraph", "beads", "notes",
                                           "artifacts", "runs", "cycles",    "graph", NULL };
    bool out = a->group && strcmp(a->group->name, "export") == 0; /* not those of other programs */
    const struct {
        const char *option;
        const char *const *values;
    } known[] = { { "dialect", dialects },
                  { "effort", efforts },
                  { "tool-choice", choices },
                  { "protocol", protocols },
                  { "layout", out ? layouts + 4 : layouts } };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(option, known[i].option) == 0)
            offer_all(a, known[i].values);
    if (strcmp(option, "agent") == 0)
        offer_names(a, S("cycles/"));
    if (strcmp(option, "task") == 0)
        offer_names(a, S("tasks/"));
}

/* What an option's value may be; for what only a file system knows the shell offers files. */
static void offer_value(const Asked *a, const Cmd *cmd, const Opt *opt)
{
    offer_for(a, opt->name);
    Arena *into = &a->s->arena;
    const Param *p = cmd && cmd->verb ? verb_param_of(cmd->verb, opt->name) : NULL;
    if (p && p->choices)
        offer_all(a, p->choices);
    offer_word(a, str(opt->value));
    if (strcmp(opt->value, "PROFILES") == 0)
        offer_profiles(a);
    for (size_t i = 0; strcmp(opt->value, "WORDS") == 0 && policy_word(i, into).n; i++)
        offer(a, policy_word(i, into).p);
}

static const Cmd *find_cmd(const Cmd *const *among, const char *word)
{
    for (; among && *among; among++)
        if (strcmp((*among)->name, word) == 0)
            return *among;
    return NULL;
}

/* Takes an option and its value, if it has one; false if that is what the cursor is at. */
static bool pass_opt(Asked *a, const Opt *opt, int *at)
{
    const char *equals = strchr(a->words[*at], '=');
    if (!opt->value)
        return true;
    if (!equals && ++*at + 1 >= a->n)
        return false;
    if (strcmp(opt->name, "pad") == 0)
        a->pad = equals ? str(equals + 1) : str(a->words[*at]);
    return true;
}

/* Walks over the words before the cursor as args.c would, and forgives all of them. */
static void answer(Asked *a)
{
    const Cmd *cmd = NULL;
    const Cmd *const *among = commands;
    int args = 0;
    bool plain = false, about = false; /* after --; after help, where only commands stand */
    for (int i = 0; i + 1 < a->n; i++) {
        const char *word = a->words[i];
        const Opt *opt = plain ? NULL : find_opt(cmd, word);
        if (opt && !pass_opt(a, opt, &i)) {
            offer_value(a, cmd, opt);
            return;
        }
        if (opt || (!plain && word[0] == '-')) {
            plain = plain || strcmp(word, "--") == 0;
            continue;
        }
        const Cmd *found = find_cmd(among, word);
        bool help = found == &cmd_help && !about;
        if (!found && !args++)
            a->first = str(word);
        about = about || help;
        a->group = a->group ? a->group : found;
        if (found)
            cmd = found, among = help ? commands : cmd_subs(found);
    }
    if (!plain && str_starts(a->start, S("-"))) {
        offer_opts(a, cmd ? cmd->opts : NULL);
        offer_opts(a, opts_always);
    } else if (among) {
        offer_cmds(a, among);
        for (size_t i = 0; about && cmd == &cmd_help && topic_at(i); i++)
            offer(a, topic_at(i));
    } else if (!about) {
        offer_arg(a, cmd, args);
    }
}

static jot_status run_complete(Session *s)
{
    Asked a = { .s = s, .words = s->args, .n = s->n };
    ShellLine line;
    if (opt_given(s, "line")) {
        if (!shell_line_read(str(opt_text(s, "line")), str(opt_text(s, "breaks")), &s->arena,
                             &line))
            return JOT_OK;
        a = (Asked){ s,
                     line.words + 1,
                     line.n - 1,
                     .kept = line.kept,
                     .quote = line.quote,
                     .for_a_line = true };
    }
    a.start = a.n ? str(a.words[a.n - 1]) : (Str){ 0 };
    a.pad = str(opt_text(s, "pad")); /* unless the line names one */
    answer(&a);
    return JOT_OK;
}

/* `default`: where nothing is offered, readline offers files. */
static const char bash[] =
    "_jotter() {\n"
    "    mapfile -t COMPREPLY < <(jotter complete \"--breaks=$COMP_WORDBREAKS\" "
    "\"--line=${COMP_LINE:0:COMP_POINT}\" 2>/dev/null)\n"
    "}\n"
    "complete -o default -F _jotter jotter\n";

/* As a file in $fpath it is read by the first completion, which is then its caller. */
static const char zsh[] =
    "#compdef jotter\n"
    "_jotter() {\n"
    "    local -a found\n"
    "    found=(${(f)\"$(jotter complete -- \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" "
    "2>/dev/null)\"})\n"
    "    if (( $#found )); then\n"
    "        compadd -a found\n"
    "    else\n"
    "        compset -P '--*='\n"
    "        _files\n"
    "    fi\n"
    "}\n"
    "if [[ $funcstack[1] == _jotter ]]; then _jotter \"$@\"; else compdef _jotter jotter; fi\n";

static const char fish[] =
    "function __jotter_complete\n"
    "    set -l word (commandline -ct)\n"
    "    set -l found (jotter complete -- (commandline -opc)[2..-1] (string unescape -- $word; or "
    "echo $word) 2>/dev/null)\n"
    "    if set -q found[1]\n"
    "        printf '%s\\n' $found\n"
    "    else\n"
    "        __fish_complete_path $word\n"
    "    end\n"
    "end\n"
    "complete -c jotter -f -a '(__jotter_complete)'\n";

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

static const Opt complete_opts[] = {
    { "line", "TEXT", "the line as it was typed up to the cursor, instead of words" },
    { "breaks", "TEXT", "with --line: where the shell cuts words besides at spaces" },
    { 0 },
};

const Cmd cmd_complete = {
    .name = "complete",
    .args = "WORD ...",
    .summary = "Print what could complete the last word",
    .help = "",
    .opts = complete_opts,
    .args_max = SHELL_WORDS_MAX,
    .hidden = true,
    .run = run_complete,
};

const Cmd cmd_completion = {
    .name = "completion",
    .args = "SHELL",
    .summary = "Print the completion script for bash, zsh or fish",
    .help = "bash, in .bashrc:  source <(jotter completion bash)\n"
            "zsh:   jotter completion zsh >DIR/_jotter, DIR being in $fpath; or source it after\n"
            "       compinit, as in bash\n"
            "fish, in config.fish:  jotter completion fish | source\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_completion,
};
