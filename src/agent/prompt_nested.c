/* prompt_nested.c - finding and reading the rules of directories below. */
#include "agent/prompt_nested.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>

#include "agent/prompt.h"
#include "agent/sandbox/plant.h"
#include "base/utf8.h"
#include "memory/frame/tokens.h"

static const char *const names[] = { "AGENTS.md", "CLAUDE.md" };

/* --- Where ------------------------------------------------------------------------------- */

/* True if a command may have left rules there that nobody has looked at. */
static bool is_left_alone(const Workdir *p, Str dir)
{
    Str name = str_base_name(dir);
    if (plant_of_packages(name) || obeyed_find(name) == OBEYED_GIT ||
        str_starts(name, S(PLANT_ASIDE)))
        return true;
    AUTO(Fd) fd = workdir_open_dir(p, dir);
    return fd < 0 || plant_is_git(fd);
}

static bool has_rules(const Workdir *p, Str dir, Arena *into)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str path = arena_printf(into, STR_FMT "/%s", STR_ARG(dir), names[i]);
        if (faccessat(p->dir, path.p, F_OK, 0) == 0)
            return true;
    }
    return false;
}

static bool is_among(Str dir, const Str *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], dir))
            return true;
    return false;
}

/* A path, and all directories between the working directory and it. */
static void add_path(const Workdir *p, Str path, Arena *into, Str *out, size_t *n)
{
    Str dir;
    if (workdir_dir_of(p, path, into, &dir, NULL) != JOT_OK || is_left_alone(p, S(".")))
        return;
    for (size_t end = 0; end < dir.n && *n < NESTED_DIRS_MAX;) {
        end += str_find(str_from(dir, end), '/');
        Str here = str_slice(dir, 0, end++);
        if (is_left_alone(p, here))
            return;
        if (!is_among(here, out, *n) && has_rules(p, here, into))
            out[(*n)++] = here;
    }
}

static bool is_word_end(char c)
{
    return strchr(" \t\r\n;|&()<>\"'`=,${}", c) != NULL;
}

/* What a command names.  It is not understood as a shell would: a word that is no path of anything
 * is none, and one too many shows rules that are the user's own anyway. */
static void add_words(const Workdir *p, Str command, Arena *into, Str *out, size_t *n)
{
    size_t words = 0;
    for (size_t at = 0; at < command.n && words < NESTED_WORDS_MAX;) {
        size_t end = at;
        while (end < command.n && !is_word_end(command.p[end]))
            end++;
        Str word = str_slice(command, at, end);
        if (word.n && word.p[0] != '-') {
            words++;
            add_path(p, word, into, out, n);
        }
        at = end + 1;
    }
}

size_t nested_dirs(const Workdir *p, const Call *call, Arena *into, Str out[NESTED_DIRS_MAX])
{
    size_t n = 0;
    if (str_eq(call->tool, S("read_file")) || str_eq(call->tool, S("write_file")))
        add_path(p, json_member(call->object, "path"), into, out, &n);
    else if (str_eq(call->tool, S("shell")))
        add_words(p, json_member(call->object, "command"), into, out, &n);
    assert(n <= NESTED_DIRS_MAX);
    return n;
}

/* --- What -------------------------------------------------------------------------------- */

typedef struct Rules {
    Str path; /* from the working directory */
    Str text;
    const char *why; /* why it is not shown; NULL: it is */
    bool cut;
} Rules;

/* One file.  False: there is none. */
static bool read_rules(const Workdir *p, Str path, size_t tokens, Arena *into, Rules *out)
{
    struct stat info;
    AUTO(Fd) fd = FD_NONE;
    *out = (Rules){ .path = path };
    Workdir inside = *p; /* a link that leads elsewhere could show anything, as rules */
    inside.reads_beyond = false;
    jot_status st = workdir_open_file(&inside, path, &fd, &info, NULL);
    if (st == JOT_NOT_FOUND)
        return false;
    Str whole = arena_printf(into, STR_FMT "/" STR_FMT, STR_ARG(p->path), STR_ARG(path));
    if (st != JOT_OK)
        out->why = "cannot be read";
    else if (!prompt_trusts(whole.p, &info))
        out->why = "belongs to another user";
    if (out->why)
        return true;
    char *bytes = arena_alloc(into, PROMPT_FILE_MAX + 1, 1);
    ssize_t n = io_read_all(p->io, fd, bytes, PROMPT_FILE_MAX + 1, 0);
    out->text = (Str){ bytes, n > 0 ? (size_t)n : 0 };
    size_t bad = utf8_bad_at(out->text);
    if (n < 0)
        out->why = "cannot be read";
    else if (bad < out->text.n && (n <= PROMPT_FILE_MAX || bad + 4 < out->text.n))
        out->why = "is not UTF-8 text";
    out->text.n = bad;
    size_t fits = tokens_cut(out->text, tokens);
    out->cut = fits < out->text.n || n > PROMPT_FILE_MAX;
    out->text.n = fits;
    return true;
}

/* As the rules at the beginning are: words of the user's, so only what stands for the end of this
 * part is marked in them. */
static void add_rules(const Rules *r, const Frame *f, Buf *to)
{
    AUTO(Buf) says = { 0 };
    frame_attribute_add(&says, f, "path", r->path);
    if (f->sign[0])
        frame_part_add(to, f, "rules", buf_str(&says));
    else
        buf_addf(to, "# Rules from " STR_FMT "\n\n", STR_ARG(r->path));
    frame_add_places(to, f, r->text);
    buf_add(to, str_ends(r->text, S("\n")) ? S("") : S("\n"));
    if (r->cut)
        buf_addf(to, "[the file is longer: read it with read_file path=" STR_FMT "]\n",
                 STR_ARG(r->path));
}

void nested_rules_add(const Workdir *p, Str dir, const Frame *f, size_t tokens, Buf *to,
                      Buf *left_out)
{
    AUTO(Arena) arena = { 0 };
    Rules r;
    Str last = { 0 };
    AUTO(Buf) hidden = { 0 };
    size_t before = to->n;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Shown shown;
        Str path = arena_printf(&arena, STR_FMT "/%s", STR_ARG(dir), names[i]);
        if (!read_rules(p, path, tokens, &arena, &r))
            continue;
        if (r.why) {
            buf_addf(left_out, "'%s' %s: it is left out of the rules\n", err_show(&shown, path),
                     r.why);
            buf_addf(&hidden, "[" STR_FMT " %s and is not shown]\n", STR_ARG(path), r.why);
        } else if (r.text.n && !str_eq(r.text, last)) {
            add_rules(&r, f, to);
            last = r.text;
        }
    }
    bool any = to->n > before;
    if (any && f->sign[0])
        frame_end_add(to, f);
    buf_add(to, buf_str(&hidden)); /* so that it is said once */
    if (!any)
        return;
    buf_addf(to, "These are your user's rules for what is in " STR_FMT "/: keep to them there.",
             STR_ARG(dir));
}
