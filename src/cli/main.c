/* main.c - the jotter command: finds the command and the pad, turns a status into an exit code.
 *
 *     words ──► args_read ──► the command, its arguments and options
 *                                   │
 *               where (--pad, JOTTER_PAD, the nearest .jotter, the user's own)
 *               who   (--as, JOTTER_AS, the user's name),  under which lease
 *                                   │
 *                             cmd->run ──► a status ──► an exit code
 *                                   │          └──► a sentence on standard error, or JSON
 *                             the answer on standard output
 *
 * A command opens the pad itself, when it knows that its arguments are right: a mistyped word must
 * not make a pad.  Standard output is flushed before the exit code is chosen, because an answer
 * that could not be written must not look like one that was (unheard).
 *
 * What a caller left in an odd state is repaired first: closed standard streams, an ignored
 * SIGCHLD, a limit on the size of files.  Each would end in a wrong answer much later. */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/screen.h"
#include "memory/doc/doc.h"
#include "memory/lease.h"

/* A user's line of the user database.  A static program cannot load what the C library would ask
 * (nsswitch.conf names libraries), so it reads the file alone. */
static const struct passwd *find_entry(uid_t uid)
{
#ifdef JOT_STATIC
    const struct passwd *entry = NULL;
    FILE *users = fopen("/etc/passwd", "re");
    while (users && (entry = fgetpwent(users)) && entry->pw_uid != uid)
        ;
    if (users)
        fclose(users);
    return entry;
#else
    return getpwuid(uid);
#endif
}

/* The user's name; it is not in the environment of what a timer or a service manager starts. */
static Str find_user(Arena *into)
{
    const char *user = getenv("USER");
    if (user && user[0])
        return str(user);
    const struct passwd *entry = find_entry(geteuid());
    return entry && entry->pw_name[0] ? arena_copy(into, str(entry->pw_name))
                                      : arena_printf(into, "uid-%u", (unsigned)geteuid());
}

static void find_author(Session *s)
{
    const char *as = opt_text(s, "as");
    if (!as || !as[0])
        as = getenv("JOTTER_AS");
    s->named = as && as[0];
    s->by = s->named ? str(as) : find_user(&s->arena);
}

/* The token to write under. */
static jot_status find_lease(Session *s)
{
    const char *token = opt_text(s, "lease");
    if (!token)
        token = getenv("JOTTER_LEASE");
    return token && token[0] ? lease_read_token(str(token), &s->lease, &s->err) : JOT_OK;
}

static bool has_word(char **words, const char *word)
{
    for (; *words && strcmp(*words, "--") != 0; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Of what --json prints: grows by one when a member goes, changes its name or becomes something
 * else; new members do not count.  tests/cli/json.golden has them all. */
enum { JSON_SCHEMA = 1 };

/* --version in any of its spellings, and nothing else but --json. */
static bool asks_version(char **words)
{
    static const char *const spellings[] = { "--version", "version", "-v", "-V" };
    bool asks = false;
    for (; *words; words++) {
        bool is = false;
        for (size_t i = 0; i < COUNT_OF(spellings); i++)
            is = is || strcmp(*words, spellings[i]) == 0;
        if (!is && strcmp(*words, "--json") != 0)
            return false;
        asks = asks || is;
    }
    return asks;
}

static jot_status run(Session *s, char **words)
{
    if (asks_version(words)) {
        if (has_word(words, "--json"))
            print_json(json_pack("{s:s, s:i}", "version", jot_version(), "schema", JSON_SCHEMA));
        else
            printf("jotter %s\n", jot_version());
        return JOT_OK;
    }
    jot_status st = args_read(s, words);
    if (st != JOT_OK) {
        s->json = s->json || has_word(words, "--json"); /* also after the word that is wrong */
        return st;
    }
    if (!s->cmd && !opt_given(s, "help")) {
        help_all(stderr);
        return err_set(&s->err, JOT_INVALID, "say a command");
    }
    screen_begin(s);
    if (opt_given(s, "help")) {
        help_answer(s, s->cmd, s->path, false);
        return JOT_OK;
    }
    s->where = where_find(str(opt_text(s, "pad")), &s->arena);
    find_author(s);
    TRY(find_lease(s));
    return s->cmd->run(s);
}

typedef struct GuessKey {
    Guess *guess;
    Arena *arena;
} GuessKey;

static jot_status guess_key(void *ctx, const Listed *l)
{
    GuessKey *g = ctx;
    char key[STORE_NOTE_MAX + 1];
    Str word = doc_word(l->name);
    if (word.n > STORE_NOTE_MAX)
        return JOT_OK;
    memcpy(key, word.p, word.n);
    key[word.n] = '\0';
    guess_add(g->guess, key);
    if (g->guess->name == key)
        g->guess->name = arena_cstr(g->arena, word);
    return JOT_OK;
}

/* The key that was probably meant by one that is not there. */
static void say_nearest(Session *s)
{
    Str key = doc_word(s->missed);
    Guess g = { .word = key };
    if (key.n < s->missed.n && s->memory.store &&
        memory_each(&s->memory, S("notes/"), LIST_LIVE_NAMES, guess_key,
                    &(GuessKey){ &g, &s->arena }, &(Err){ 0 }) == JOT_OK &&
        g.name && !str_eq(str(g.name), key))
        say("did you mean '%s'?", g.name);
}

/* A failure is reported where it was asked for: on standard error, or as the JSON value. */
static void print_failure(Session *s, jot_status st)
{
    if (!s->json) {
        say("%s", s->err.text);
        if (st == JOT_NOT_FOUND && s->missed.n)
            say_nearest(s);
    } else if (!s->told)
        print_json(json_pack("{s:s, s:o, s:b}", "status", status_info(st)->name, "error",
                             json_text(str(s->err.text)), "retry", status_info(st)->retry));
}

/* What was read is not the newest that was written, or may not stay readable. */
static void warn_loss(const Session *s)
{
    const StoreReport *met = s->memory.store ? store_report(s->memory.store) : NULL;
    if (met && met->lost)
        fprintf(stderr, "jotter: warning: %s\n", met->loss);
    if (s->memory.unrecorded.status != JOT_OK)
        fprintf(stderr, "jotter: the edit is not recorded: %s\n", s->memory.unrecorded.text);
}

/* Standard output did not take the answer.  If something was changed before, "io" would say that
 * nothing was, and a script would do it again. */
static jot_status unheard(Session *s)
{
    Shown shown;
    const StoreReport *r = s->memory.store ? store_report(s->memory.store) : NULL;
    bool wrote = r && r->changes;
    if (!wrote && !s->changed) {
        fputs("jotter: could not write to standard output\n", stderr);
        return JOT_IO;
    }
    fputs("jotter: it was done, but could not be reported: standard output cannot be written",
          stderr);
    if (wrote && r->mark.seq && mark_live(&r->mark))
        fprintf(stderr, "; '%s' has version %.12s as record %llu",
                err_show(&shown, str(r->changed)), hash_hex(r->mark.sha256).text,
                (unsigned long long)r->mark.seq);
    else if (wrote && r->mark.seq)
        fprintf(stderr, "; '%s' is deleted, by record %llu", err_show(&shown, str(r->changed)),
                (unsigned long long)r->mark.seq);
    fputc('\n', stderr);
    return JOT_UNKNOWN;
}

static void go_on(int number)
{
    (void)number;
}

/* A file that may not grow any more is an error of the write, as on a full disk, and not the end
 * in the middle of it.  A handler, not SIG_IGN: programs that are run shall not inherit it. */
static void survive_limits(void)
{
    struct sigaction a = { .sa_handler = go_on, .sa_flags = SA_RESTART };
    sigaction(SIGXFSZ, &a, NULL);
}

/* Whoever started us may ignore the end of children, and that is inherited: then the kernel takes
 * each away at once, nobody learns how it ended, and its number may be another process' by the
 * time we signal it.  Every program that is started from here is waited for, so it is undone once,
 * for all of them. */
static void expect_children(void)
{
    struct sigaction a = { .sa_handler = SIG_DFL };
    sigaction(SIGCHLD, &a, NULL);
}

/* A standard stream that is closed stays one that cannot be used: else the next file that is opened
 * gets its number, and is read for the user's text or written over with the answer. */
static void keep_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd)
            exit(status_info(JOT_IO)->exit_code);
}

/* Nothing is closed any more: the kernel does it, and there may be no memory for anything else. */
static NO_RETURN void leave_exhausted(void)
{
    static const char text[] = "jotter: memory ran out: whether it was done is not known, look "
                               "before you do it again\n";
    ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    (void)told;
    _exit(status_info(JOT_UNKNOWN)->exit_code);
}

int main(int argc, char **argv)
{
    (void)argc;
    Session s = { 0 };
    ESCAPE(escape)
    leave_exhausted();
    keep_streams();
    survive_limits();
    expect_children();
    commands_make(&s.arena);
    jot_status st = run(&s, argv + 1);
    screen_end();
    if (st != JOT_OK)
        print_failure(&s, st);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (st == JOT_OK)
            st = unheard(&s);
        else
            fputs("jotter: could not write to standard output\n", stderr);
    }
    warn_loss(&s);
    memory_close(&s.memory);
    arena_free(&s.arena);
    return st == JOT_OK ? s.exit_code : status_info(st)->exit_code;
}
