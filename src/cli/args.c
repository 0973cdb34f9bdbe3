/* args.c - the words of a command line: which command, which arguments, which options.
 *
 * One pass from left to right, because what a word means depends on those before it:
 *
 *     --                 every word after it is an argument
 *     --name[=value]     an option of the command so far, or of all commands
 *     another word       a command, as long as there are some to choose from; else an argument
 *
 * "- item" is an argument, for the dash of a list.  When all words are read, their number is held
 * against what the command takes.  What is wrong is one sentence, with what was probably meant. */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/commands.h"
#include "cli/guess.h"

const Opt opts_always[] = {
    { "pad", "URL",
      "files:DIR, sqlite:FILE or a path; else $JOTTER_PAD, the nearest .jotter/, your own" },
    { "as", "NAME", "who writes; else $JOTTER_AS, $USER, your name" },
    { "lease", "TOKEN", "write only while this lease is held; else $JOTTER_LEASE" },
    { "json", NULL, "answer with one JSON value" },
    { "utc", NULL, "exact times, in UTC (the default without a terminal)" },
    { "no-pager", NULL, "do not use a pager" },
    { "help", NULL, "about this command" },
    { 0 },
};

static const Cmd *find_cmd(const Cmd *const *among, const char *name)
{
    for (; among && *among; among++)
        if (strcmp((*among)->name, name) == 0)
            return *among;
    return NULL;
}

static const Opt *find_in(const Opt *opts, Str name)
{
    for (; opts && opts->name; opts++)
        if (str_eq(str(opts->name), name))
            return opts;
    return NULL;
}

static const Opt *find_opt(const Session *s, Str name)
{
    const Opt *own = s->cmd ? find_in(s->cmd->opts, name) : NULL;
    return own ? own : find_in(opts_always, name);
}

/* `words`: all of the command, with the one that is none at its end. */
static const char *guess_cmd(const Cmd *const *among, Str words, Str word)
{
    Guess g = { .word = word };
    const char *known = command_for(words);
    if (known)
        return known;
    for (; *among; among++)
        if (!(*among)->hidden && !(*among)->stands_for)
            guess_add(&g, (*among)->name);
    return g.name;
}

static const char *guess_opt(const Session *s, Str word)
{
    Guess g = { .word = word };
    for (const Opt *o = s->cmd ? s->cmd->opts : NULL; o && o->name; o++)
        guess_add(&g, o->name);
    for (const Opt *o = opts_always; o->name; o++)
        guess_add(&g, o->name);
    return g.name;
}

/* An empty value is a variable that was not set far more often than it is meant: taken for "not
 * given" it would write without the condition, or to another pad.  Only a text can be empty, and
 * --as, which then takes back an earlier one. */
static bool may_be_empty(const Opt *opt)
{
    return strcmp(opt->value, "TEXT") == 0 || strcmp(opt->name, "as") == 0;
}

static jot_status take_opt(Session *s, const char *name, const char *value)
{
    if (s->given_n == OPTS_MAX)
        return err_set(&s->err, JOT_TOO_BIG, "more than %d options on one command line: the limit",
                       OPTS_MAX);
    s->given[s->given_n].name = name;
    s->given[s->given_n++].value = value;
    return JOT_OK;
}

static jot_status no_option(Session *s, Str name)
{
    Shown shown;
    const char *meant = guess_opt(s, name), *space = s->cmd ? " " : "";
    return err_set(&s->err, JOT_INVALID, "no option '--%s':%s%s%s see 'jotter help%s%s'",
                   err_show(&shown, name), meant ? " did you mean '--" : "", meant ? meant : "",
                   meant ? "'?" : "", space, s->path);
}

/* An option that has become a command of its own: "cycle show --steps" is "cycle steps".  That one
 * must have the options that were given before it. */
static jot_status take_as_command(Session *s, const Cmd *other)
{
    snprintf(s->path, sizeof s->path, "%s", other->stands_for);
    s->cmd = other;
    for (size_t i = 0; i < s->given_n; i++)
        if (!find_opt(s, str(s->given[i].name)))
            return no_option(s, str(s->given[i].name));
    return JOT_OK;
}

/* One option, with its value after '=' or in the next word. */
static jot_status read_opt(Session *s, char ***words)
{
    Str name = str(**words + 2), value = { 0 };
    size_t equals = str_find(name, '=');
    bool inside = equals < name.n;
    if (inside)
        value = str_from(name, equals + 1);
    name = str_slice(name, 0, equals);
    const Opt *opt = find_opt(s, name);
    const Cmd *other = s->cmd ? s->cmd->by_option : NULL;
    if (!opt && !inside && other && str_eq(name, str(other->name))) {
        ++*words;
        return take_as_command(s, other);
    }
    if (!opt)
        return no_option(s, name);
    if (!opt->value && inside)
        return err_set(&s->err, JOT_INVALID, "--%s takes no value", opt->name);
    if (opt->value && !inside) {
        if (!(*words)[1])
            return err_set(&s->err, JOT_INVALID, "--%s needs a value, %s: %s", opt->name,
                           opt->value, opt->about);
        value = str(*++*words);
    }
    if (opt->value && !value.n && !may_be_empty(opt))
        return err_set(&s->err, JOT_INVALID, "--%s cannot be empty: give it %s, or leave it out",
                       opt->name, opt->value);
    ++*words;
    return take_opt(s, opt->name, opt->value ? arena_cstr(&s->arena, value) : "");
}

/* The only option of one letter is -h; what else begins with a dash is meant to be one, unless a
 * space follows: that is an item of a list. */
static jot_status read_short(Session *s, const char *word)
{
    Shown shown;
    if (strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0)
        return take_opt(s, "help", "");
    /* A number is how many; one dash may be a dash too few. */
    bool number = isdigit((unsigned char)word[strncmp(word, "-n", 2) == 0 ? 2 : 1]) ||
                  strcmp(word, "-n") == 0;
    AUTO(Buf) meant = { 0 };
    for (const Opt *o = s->cmd ? s->cmd->opts : opts_always; o && o->name; o++)
        if (o->name[0] == word[1] ||
            (number && (strcmp(o->name, "limit") == 0 || strcmp(o->name, "lines") == 0)))
            buf_addf(&meant, "%s--%s", meant.n ? ", " : ": ", o->name);
    if (find_opt(s, str(word + 1)))
        return err_set(&s->err, JOT_INVALID, "no option '%s': did you mean '-%s'?",
                       err_show(&shown, str(word)), word);
    return err_set(&s->err, JOT_INVALID,
                   "no option '%s': options begin with --" STR_FMT "; after a -- every word is an "
                   "argument",
                   err_show(&shown, str(word)), STR_ARG(buf_str(&meant)));
}

/* The words that can follow, with commas. */
static Str following(Session *s, const Cmd *const *among)
{
    AUTO(Buf) list = { 0 };
    for (; *among; among++)
        if (!(*among)->hidden && !(*among)->stands_for)
            buf_addf(&list, "%s%s", list.n ? ", " : "", (*among)->name);
    return arena_copy(&s->arena, buf_str(&list));
}

static jot_status no_command(Session *s, const Cmd *const *among, const char *word)
{
    Shown shown;
    const char *space = s->cmd ? " " : "";
    Str words = arena_printf(&s->arena, "%s%s%s", s->path, space, word);
    const char *meant = guess_cmd(among, words, str(word));
    if (!meant && s->cmd)
        return err_set(&s->err, JOT_INVALID, "no command '%s': use " STR_FMT,
                       err_show(&shown, words), STR_ARG(following(s, among)));
    return err_set(&s->err, JOT_INVALID, "no command '%s':%s%s%s see 'jotter help%s%s'",
                   err_show(&shown, words), meant ? " did you mean '" : "", meant ? meant : "",
                   meant ? "'?" : "", space, s->path);
}

/* A word that is no option: a command as long as there are some to choose from, else an argument.
 */
static jot_status read_word(Session *s, char *word)
{
    const Cmd *const *among = s->cmd ? cmd_subs(s->cmd) : commands;
    if (!among) {
        s->args[s->n++] = word;
        return JOT_OK;
    }
    const Cmd *cmd = find_cmd(among, word);
    if (!cmd)
        return no_command(s, among, word);
    size_t used = cmd->stands_for ? 0 : strlen(s->path);
    snprintf(s->path + used, sizeof s->path - used, "%s%s", used ? " " : "",
             cmd->stands_for ? cmd->stands_for : cmd->name);
    s->cmd = cmd;
    return JOT_OK;
}

/* What is missing or too much, and the command with what it is for: where a text comes from, for
 * those who give it as an argument. */
static jot_status say_usage(Session *s)
{
    Shown shown;
    const Cmd *cmd = s->cmd;
    bool more = s->n > cmd->args_max, text = str_ends(str(cmd->args), S("TEXT]"));
    Str usage = arena_printf(
        &s->arena, "usage: jotter %s%s%s%s (%c%s)", s->path, cmd->args[0] ? " " : "", cmd->args,
        more && cmd->opts ? " [OPTION ...]" : "", tolower(cmd->summary[0]), cmd->summary + 1);
    if (!more)
        return err_set(&s->err, JOT_INVALID, "an argument is missing: " STR_FMT, STR_ARG(usage));
    return err_set(&s->err, JOT_INVALID, "no place for '%s'%s: " STR_FMT,
                   err_show(&shown, str(s->args[cmd->args_max])),
                   text ? "; several words need quotes" : "", STR_ARG(usage));
}

/* What an argument that can be left out may be, besides: a text; a beginning of names, which every
 * name has; and what its command refuses in better words.  What else is empty is no choice
 * (may_be_empty). */
static bool arg_may_be_empty(Str name)
{
    static const char *const names[] = { "TEXT",   "LINE", "WHY",     "QUERY",  "QUESTION",
                                         "RESULT", "ARG",  "GOAL",    "REASON", "DESCRIPTION",
                                         "PREFIX", "KEY",  "VERSION", "SEQ" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(name, str(names[i])))
            return true;
    return false;
}

/* An argument that can be left out must not be taken for left out because it is empty; of the
 * others each command says what they have to be. */
static jot_status check_empty(Session *s)
{
    Str rest = str(s->cmd->args), word;
    bool optional = false;
    for (int at = 0; at < s->n && rest.n; at++) {
        if (!str_cut(&rest, ' ', &word))
            word = rest, rest = (Str){ 0 };
        optional = optional || str_starts(word, S("["));
        Str name = str_from(word, str_starts(word, S("[")) ? 1 : 0);
        name = str_slice(name, 0, str_find(name, ']'));
        name = str_slice(name, 0, str_find(name, '.'));
        if (optional && !s->args[at][0] && !arg_may_be_empty(name))
            return err_set(&s->err, JOT_INVALID,
                           STR_FMT " cannot be empty: give it a value, or leave it out",
                           STR_ARG(name));
    }
    return JOT_OK;
}

static jot_status check_count(Session *s)
{
    const Cmd *cmd = s->cmd;
    if (!cmd || opt_given(s, "help"))
        return JOT_OK;
    if (cmd_subs(cmd) && !cmd->run)
        return err_set(&s->err, JOT_INVALID, "'jotter %s' needs one more word: " STR_FMT, s->path,
                       STR_ARG(following(s, cmd_subs(cmd))));
    if (s->n < cmd->args_min || s->n > cmd->args_max)
        return say_usage(s);
    return cmd->hidden ? JOT_OK : check_empty(s);
}

jot_status args_read(Session *s, char **words)
{
    size_t n = 0;
    while (words[n])
        n++;
    s->args = NEW_ARRAY(&s->arena, char *, n + 1);
    bool plain = false; /* after -- */
    while (*words) {
        const char *word = *words;
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
            words++;
        } else if (!plain && word[0] == '-' && word[1] && !strchr("- ", word[1])) {
            TRY(read_short(s, word));
            words++;
        } else if (!plain && strncmp(word, "--", 2) == 0) {
            TRY(read_opt(s, &words));
        } else {
            TRY(read_word(s, *words++));
        }
    }
    s->json = opt_given(s, "json");
    return check_count(s);
}

const char *opt_text(const Session *s, const char *name)
{
    assert(find_opt(s, str(name)));
    for (size_t i = s->given_n; i-- > 0;)
        if (strcmp(s->given[i].name, name) == 0)
            return s->given[i].value;
    return NULL;
}

bool opt_given(const Session *s, const char *name)
{
    return opt_text(s, name) != NULL;
}

jot_status opt_number(Session *s, const char *name, int64_t min, int64_t max, int64_t otherwise,
                      int64_t *out)
{
    const char *text = opt_text(s, name);
    *out = otherwise;
    if (!text || str_to_i64(str(text), min, max, out))
        return JOT_OK;
    Shown shown;
    return err_set(&s->err, JOT_INVALID, "--%s '%s': use " STR_FMT, name,
                   err_show(&shown, str(text)), STR_ARG(number_range(&s->arena, min, max)));
}

Str number_range(Arena *into, int64_t min, int64_t max)
{
    if (max == INT64_MAX)
        return arena_printf(into, "a number from %lld on", (long long)min);
    return arena_printf(into, "a number from %lld to %lld", (long long)min, (long long)max);
}

Str arg_at(const Session *s, int at)
{
    return at < s->n ? str(s->args[at]) : (Str){ 0 };
}
