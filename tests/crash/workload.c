/* workload.c - the stories.
 *
 * Each takes its own names and texts, so that no two of them leave the same
 * disk behind.  Texts grow and shrink, because a torn write of a shorter text
 * over a longer one looks different from the opposite. */
#include "workload.h"

#include <string.h>

#define ON(name, body) .stream = name, .text = body
#define END                \
    {                      \
        .kind = DO_NOTHING \
    }

/* clang-format off */

static const Action first_story[] = {
    { .kind = DO_PUT, ON("notes/first", "the very first note") },
    { .kind = DO_PUT, ON("notes/first", "its second version") },
    END };

static const Action new_setup[] = {
    { .kind = DO_PUT, ON("notes/other", "already there") },
    END };
static const Action new_story[] = {
    { .kind = DO_PUT, ON("notes/new", "a new note beside an older one") },
    { .kind = DO_PUT, ON("notes/newer", "and another") },
    { .kind = DO_PUT, ON("artifacts/plans/one", "{\"an\": \"artifact\"}") },
    END };

static const Action overwrite_setup[] = {
    { .kind = DO_PUT, ON("notes/over", "over 1: short") },
    END };
static const Action overwrite_story[] = {
    { .kind = DO_PUT, ON("notes/over", "over 2: a good deal longer than it was before") },
    { .kind = DO_PUT, ON("notes/over", "over 3"), .exact = true },
    { .kind = DO_PUT, ON("notes/over", "over 4: and again with more text"), .id = "four" },
    { .kind = DO_PUT, ON("notes/over", "over 5: the last") },
    END };

static const Action delete_setup[] = {
    { .kind = DO_PUT, ON("notes/gone", "delete me") },
    { .kind = DO_PUT, ON("notes/gone", "delete me now") },
    { .kind = DO_PUT, ON("notes/gone2", "and me") },
    END };
static const Action delete_story[] = {
    { .kind = DO_DELETE, .stream = "notes/gone" },
    { .kind = DO_DELETE, .stream = "notes/gone2", .exact = true },
    END };

static const Action recreate_setup[] = {
    { .kind = DO_PUT, ON("notes/phoenix", "first life") },
    END };
static const Action recreate_story[] = {
    { .kind = DO_DELETE, .stream = "notes/phoenix" },
    { .kind = DO_PUT, ON("notes/phoenix", "second life, which is longer") },
    { .kind = DO_DELETE, .stream = "notes/phoenix" },
    { .kind = DO_PUT, ON("notes/phoenix", "third life") },
    END };

static const Action run_setup[] = {
    { .kind = DO_APPEND, ON("runs/20251115-1", "{\"init\":1}") },
    END };
static const Action run_story[] = {
    { .kind = DO_APPEND, ON("runs/20251115-1", "{\"thinking\":\"about it\"}") },
    { .kind = DO_APPEND, ON("runs/20251115-1", "{\"tool_call\":\"write\"}"), .id = "call-1" },
    { .kind = DO_APPEND, ON("runs/20251115-1", "{\"tool_result\":\"ok\"}") },
    { .kind = DO_APPEND, ON("runs/20251115-2", "{\"init\":2}") },
    { .kind = DO_APPEND, ON("runs/20251115-2", "{\"answer\":42}") },
    { .kind = DO_APPEND, ON("runs/20251115-1", "{\"answer\":43}"), .exact = true },
    END };

static const Action nested_setup[] = {
    { .kind = DO_PUT, ON("memories/top.md", "# top") },
    END };
static const Action nested_story[] = {
    { .kind = DO_PUT, ON("memories/a/b/c.md", "three levels down") },
    { .kind = DO_PUT, ON("memories/a/b/d.md", "beside it") },
    { .kind = DO_DELETE, .stream = "memories/a/b/c.md" },
    { .kind = DO_PUT, ON("memories/a/e.md", "between") },
    END };

/* Notes in folders, with letters of any script and in upper case, and in files that end in .md. */
#define MD .meta = WORKLOAD_MARKDOWN_META
static const char *const folders_also[] = { "notes/f/Two", "notes/f/deep/three", NULL };
static const Action folders_setup[] = {
    { .kind = DO_PUT, ON("notes/f/old", "in a folder from the start") },
    { .kind = DO_PUT, ON("notes/md/aged", "# In Markdown"), MD },
    END };
static const Action folders_story[] = {
    { .kind = DO_PUT, ON("notes/gr\xc3\xb6\xc3\x9f" "e/New", "a folder, and a sign of its upper case") },
    { .kind = DO_PUT, ON("notes/f/old", "again, and longer than before") },
    { .kind = DO_PUT, ON("notes/md/aged", "# Still in Markdown"), MD },
    { .kind = DO_PUT, ON("notes/md/new", "# New"), MD },
    { .kind = DO_DELETE, .stream = "notes/md/aged" },
    { .kind = DO_PUT, ON("notes/md/aged", "# Back again"), MD },
    { .kind = DO_MANY, ON("notes/f/one", "several in folders"), .also = folders_also },
    { .kind = DO_DELETE, .stream = "notes/f/old" },
    END };
static const Action edit_md_story[] = {
    { .kind = DO_EDIT_SYNCED, ON("notes/md/aged", "# Edited by a person, synced") },
    { .kind = DO_PUT, ON("notes/md/aged", "# Found by an agent"), MD },
    { .kind = DO_EDIT_SYNCED, ON("notes/md/mine", "# Made by a person, synced") },
    { .kind = DO_PUT, ON("notes/md/mine", "# Found, too"), MD },
    END };

static const Action edit_setup[] = {
    { .kind = DO_PUT, ON("notes/edited", "written by an agent") },
    END };
static const Action edit_story[] = {
    { .kind = DO_EDIT, ON("notes/edited", "Saved in place by a person, with care") },
    { .kind = DO_PUT, ON("notes/edited", "the agent writes again") },
    { .kind = DO_EDIT, ON("notes/edited", "Nobody asked the person") },
    { .kind = DO_PUT, ON("notes/edited", "and the agent once more") },
    END };
static const Action edit_rename_setup[] = {
    { .kind = DO_PUT, ON("notes/renamed", "agent's text") },
    END };
static const Action edit_rename_story[] = {
    { .kind = DO_EDIT_RENAME, ON("notes/renamed", "Saved by rename, as vi does it") },
    { .kind = DO_PUT, ON("notes/renamed", "agent's second text") },
    { .kind = DO_EDIT_RENAME, ON("notes/renamed", "Again by rename") },
    { .kind = DO_DELETE, .stream = "notes/renamed" },
    END };
static const Action edit_synced_story[] = {
    { .kind = DO_EDIT_SYNCED, ON("notes/careful", "Made by a person, synced") },
    { .kind = DO_PUT, ON("notes/careful", "found by an agent") },
    { .kind = DO_EDIT_SYNCED, ON("notes/careful", "Edited by a person, synced") },
    { .kind = DO_PUT, ON("notes/careful", "found again") },
    END };
static const Action remove_setup[] = {
    { .kind = DO_PUT, ON("notes/removed", "soon removed") },
    { .kind = DO_PUT, ON("notes/kept", "this one stays") },
    END };
static const Action remove_story[] = {
    { .kind = DO_REMOVE, .stream = "notes/removed" },
    { .kind = DO_PUT, ON("notes/removed", "back again") },
    { .kind = DO_PUT, ON("notes/kept", "with another text") },
    END };

static const Action trim_setup[] = {
    { .kind = DO_APPEND, ON("runs/trimmed", "{\"entry\":\"one\"}") },
    { .kind = DO_PUT, ON("notes/long", "every version but the last sixteen may go") },
    END };
static const Action trim_story[] = {
    { .kind = DO_TRIM, .stream = "notes/long", .number = 3 },
    { .kind = DO_PUT, ON("notes/long", "after the trim") },
    { .kind = DO_TRIM, .stream = "notes/long", .number = 100 },
    { .kind = DO_PUT, ON("notes/long", "after the second trim") },
    END };

/* More versions than a trim leaves, and none of their files synced yet. */
static const Action trim_behind_story[] = {
    { .kind = DO_PUT, ON("notes/quick", "version a") },
    { .kind = DO_PUT, ON("notes/quick", "version b") },
    { .kind = DO_PUT, ON("notes/quick", "version c") },
    { .kind = DO_PUT, ON("notes/quick", "version d") },
    { .kind = DO_PUT, ON("notes/quick", "version e") },
    { .kind = DO_PUT, ON("notes/quick", "version f") },
    { .kind = DO_PUT, ON("notes/quick", "version g") },
    { .kind = DO_PUT, ON("notes/quick", "version h") },
    { .kind = DO_PUT, ON("notes/quick", "version i") },
    { .kind = DO_PUT, ON("notes/quick", "version j") },
    { .kind = DO_PUT, ON("notes/quick", "version k") },
    { .kind = DO_PUT, ON("notes/quick", "version l") },
    { .kind = DO_PUT, ON("notes/quick", "version m") },
    { .kind = DO_PUT, ON("notes/quick", "version n") },
    { .kind = DO_PUT, ON("notes/quick", "version o") },
    { .kind = DO_PUT, ON("notes/quick", "version p") },
    { .kind = DO_PUT, ON("notes/quick", "version q") },
    { .kind = DO_TRIM, .stream = "notes/quick", .number = 100 },
    { .kind = DO_PUT, ON("notes/quick", "after the trim") },
    END };

static const Action purge_setup[] = {
    { .kind = DO_PUT, ON("notes/secret", "not for long") },
    { .kind = DO_PUT, ON("notes/secret", "a password, by mistake") },
    { .kind = DO_PUT, ON("notes/public", "this stays") },
    END };
static const Action purge_story[] = {
    { .kind = DO_PURGE, .stream = "notes/secret" },
    { .kind = DO_PUT, ON("notes/secret", "clean now") },
    { .kind = DO_PURGE, .stream = "notes/public" },
    END };

static const Action redact_setup[] = {
    { .kind = DO_PUT, ON("notes/redacted", "version one, with a name in it") },
    { .kind = DO_PUT, ON("notes/redacted", "version two, with the name too") },
    { .kind = DO_PUT, ON("notes/redacted", "version three, clean") },
    END };
static const Action redact_story[] = {
    { .kind = DO_REDACT, .stream = "notes/redacted", .number = 1 },
    { .kind = DO_REDACT, .stream = "notes/redacted", .number = 2 },
    { .kind = DO_PUT, ON("notes/redacted", "version four") },
    END };

#define SECRET "zqx-canary"

/* The secret is in records of earlier processes, in the log of this one and at the end of a run. */
static const Action redact_set_setup[] = {
    { .kind = DO_PUT, ON("notes/set", "one with a " SECRET " in it") },
    { .kind = DO_PUT, ON("notes/set", "two without") },
    { .kind = DO_PUT, ON("notes/set", "three, " SECRET " once more") },
    { .kind = DO_APPEND, ON("runs/set", "{\"asked\":\"" SECRET "\"}") },
    { .kind = DO_APPEND, ON("runs/set", "{\"thinking\":1}") },
    { .kind = DO_PUT, ON("notes/beside", "nobody touches this") },
    END };
static const Action redact_set_story[] = {
    { .kind = DO_PUT, ON("notes/set", "four: " SECRET) },
    { .kind = DO_PUT, ON("notes/set", "five is clean") },
    { .kind = DO_REDACT_SET, .stream = "notes/set", .seqs = { 1, 3, 4 } },
    { .kind = DO_APPEND, ON("runs/set", "{\"answer\":\"" SECRET "\"}") },
    { .kind = DO_REDACT_SET, .stream = "runs/set", .seqs = { 1, 3 }, .forgets = true },
    { .kind = DO_PUT, ON("notes/set", "six follows") },
    END };

/* Streams that people see in files which only show them. */
static const Action lines_setup[] = {
    { .kind = DO_APPEND, ON("logs/c/lines", "{\"n\": 1}") },
    { .kind = DO_APPEND, ON("logs/c/lines", "two with a " SECRET) },
    { .kind = DO_APPEND, ON("tasks/t", "{\"event\":{\"type\":\"" SECRET "\"},\"task\":{\"n\":\"" SECRET "\"}}") },
    { .kind = DO_PUT, ON("artifacts/index/c/i", "[\"" SECRET "\"]") },
    { .kind = DO_PUT, ON("artifacts/index/c/i", "[2]") },
    END };
static const Action lines_story[] = {
    { .kind = DO_APPEND, ON("logs/c/lines", "three") },
    { .kind = DO_APPEND, ON("tasks/t", "{\"event\":{\"type\":\"x\"},\"task\":{\"n\":[2]}}") },
    { .kind = DO_PUT, ON("artifacts/index/c/i", "[]") },
    { .kind = DO_REDACT_SET, .stream = "tasks/t", .seqs = { 1 } },
    { .kind = DO_REDACT_SET, .stream = "artifacts/index/c/i", .seqs = { 1 } },
    { .kind = DO_REDACT_SET, .stream = "logs/c/lines", .seqs = { 2 }, .forgets = true },
    { .kind = DO_APPEND, ON("logs/c/lines", "four") },
    END };

/* The same with bodies that want to be records. */
static const Action json_setup[] = {
    { .kind = DO_APPEND, ON("runs/json", "[{\"seq\":2},{}]") },
    END };
static const Action json_story[] = {
    { .kind = DO_APPEND, ON("runs/json", "{\"a\":{\"b\":[1,{}]}}") },
    { .kind = DO_APPEND, ON("runs/json", "{ \"seq\" :3,\"at\":[{\"lost\":9}]}") },
    { .kind = DO_PUT, ON("notes/json", "[[[]],{\"seq\":1}]") },
    { .kind = DO_PUT, ON("notes/json", "{\"n\":[{},{}]}") },
    END };

static const Action aside_setup[] = {
    { .kind = DO_PUT, ON("notes/aside", "the only version") },
    { .kind = DO_APPEND, ON("runs/before", "{\"old\":1}") },
    { .kind = DO_LEAVE, ON("notes/aside", "the next version with a " SECRET) },
    { .kind = DO_LEAVE, ON("runs/aside", "{\"asked\":\"" SECRET "\"}") },
    { .kind = DO_LEAVE, ON("runs/before", "{\"and\":\"" SECRET "\"}") },
    END };
static const Action aside_story[] = {
    { .kind = DO_SETTLE, .stream = "notes/aside" },
    { .kind = DO_FORGET_ASIDE, ON("notes/aside", SECRET), .forgets = true },
    { .kind = DO_PUT, ON("notes/aside", "another version") },
    { .kind = DO_APPEND, ON("runs/aside", "{\"begun\":\"anew\"}") },
    END };

static const Action guard_setup[] = {
    { .kind = DO_PUT, ON("leases/table", "{\"held\":1}") },
    { .kind = DO_PUT, ON("notes/guarded", "before the lease") },
    END };
static const Action guard_story[] = {
    { .kind = DO_PUT, ON("notes/guarded", "under the first lease"), .guard = "leases/table" },
    { .kind = DO_PUT, ON("leases/table", "{\"held\":2}"), .exact = true },
    { .kind = DO_PUT, ON("notes/guarded", "under the second"), .guard = "leases/table" },
    { .kind = DO_PUT, ON("leases/table", "{}"), .exact = true },
    { .kind = DO_PUT, ON("notes/guarded", "no holder"), .guard = "leases/table", .exact = true },
    END };

/* What a copy does to a stream that it cannot have all of, and of which something was purged. */
static const Action place_setup[] = {
    { .kind = DO_PUT, ON(WORKLOAD_GAPS, SECRET) },
    { .kind = DO_PUT, ON(WORKLOAD_GAPS, SECRET " again") },
    END };
static const Action place_story[] = {
    { .kind = DO_PLACE, ON(WORKLOAD_GAPS, "behind a gap"), .number = 7 },
    { .kind = DO_PLACE, ON(WORKLOAD_GAPS, "in the gap"), .number = 4 },
    { .kind = DO_FORGET_BEFORE, .stream = WORKLOAD_GAPS, .number = 4, .forgets = true },
    { .kind = DO_PUT, ON(WORKLOAD_GAPS, "as ever") },
    END };

static const Action batch_setup[] = {
    { .kind = DO_PUT, ON("notes/batch", "one at a time") },
    END };
static const Action batch_story[] = {
    { .kind = DO_RECORDS, ON("notes/copied", "copied from another pad"), .number = 4 },
    { .kind = DO_RECORDS, ON("notes/batch", "several at once"), .number = 3 },
    { .kind = DO_PUT, ON("notes/copied", "and on from there") },
    END };

/* Many at once: two new ones, one that is there, one whose value is gone. */
static const Action many_setup[] = {
    { .kind = DO_PUT, ON("notes/many-b", "there before") },
    { .kind = DO_PUT, ON("notes/many-d", "deleted before") },
    { .kind = DO_DELETE, .stream = "notes/many-d" },
    END };
static const char *const many_also[] = { "notes/many-b", "notes/many-c", "notes/many-d", NULL };
static const char *const many_runs[] = { "runs/many-b", "notes/many-e", NULL };
static const Action many_story[] = {
    { .kind = DO_MANY, ON("notes/many-a", "one of several that share a sync"), .also = many_also },
    { .kind = DO_PUT, ON("notes/many-solo", "and one by itself") },
    { .kind = DO_MANY, ON("runs/many-a", "{\"not\":\"documents\"}"), .also = many_runs },
    END };

static const Action large_setup[] = {
    { .kind = DO_PUT, ON("notes/large", "nine thousand bytes; "), .size = 9000 },
    END };
static const Action large_story[] = {
    { .kind = DO_PUT, ON("notes/large", "several pages of text; "), .size = 18000 },
    { .kind = DO_APPEND, ON("runs/large", "{\"a long answer\"} "), .size = 13000 },
    { .kind = DO_PUT, ON("notes/larger", "a new note of several pages; "), .size = 15000 },
    { .kind = DO_PUT, ON("notes/large", "fewer pages of text; "), .size = 5000 },
    END };

static const Action reopen_setup[] = {
    { .kind = DO_PUT, ON("notes/process", "by the first process") },
    END };
static const Action reopen_story[] = {
    { .kind = DO_PUT, ON("notes/process", "by the second") },
    { .kind = DO_REOPEN },
    { .kind = DO_PUT, ON("notes/process", "by the third, which found things in order") },
    { .kind = DO_REOPEN },
    { .kind = DO_DELETE, .stream = "notes/process" },
    { .kind = DO_REOPEN },
    { .kind = DO_PUT, ON("notes/process", "by the fourth") },
    END };

static const Action mixed_setup[] = {
    { .kind = DO_PUT, ON("notes/mixed", "alpha") },
    { .kind = DO_APPEND, ON("runs/mixed", "{\"n\":0}") },
    { .kind = DO_PUT, ON("memories/m/x", "beta") },
    END };
static const Action mixed_story[] = {
    { .kind = DO_PUT, ON("notes/mixed", "gamma, a longer one") },
    { .kind = DO_APPEND, ON("runs/mixed", "{\"n\":1}") },
    { .kind = DO_PUT, ON("memories/m/x", "delta") },
    { .kind = DO_DELETE, .stream = "notes/mixed" },
    { .kind = DO_APPEND, ON("runs/mixed", "{\"n\":2}") },
    { .kind = DO_REDACT, .stream = "memories/m/x", .number = 1 },
    { .kind = DO_PUT, ON("notes/mixed", "epsilon") },
    { .kind = DO_PURGE, .stream = "memories/m/x" },
    END };

/* What one leaves of its share of the states goes to those behind it: the one whose states cost
 * most is no heir. */
const Workload workloads[] = {
    { .name = "large", .setup = large_setup, .story = large_story },
    { .name = "first", .setup = NULL, .story = first_story },
    { .name = "new", .setup = new_setup, .story = new_story },
    { .name = "overwrite", .setup = overwrite_setup, .story = overwrite_story },
    { .name = "delete", .setup = delete_setup, .story = delete_story },
    { .name = "recreate", .setup = recreate_setup, .story = recreate_story },
    { .name = "run", .setup = run_setup, .story = run_story },
    { .name = "nested", .setup = nested_setup, .story = nested_story },
    { .name = "folders", .setup = folders_setup, .story = folders_story },
    { .name = "edit-md", .setup = folders_setup, .story = edit_md_story },
    { .name = "edit", .setup = edit_setup, .story = edit_story },
    { .name = "edit-rename", .setup = edit_rename_setup, .story = edit_rename_story },
    { .name = "edit-synced", .setup = edit_setup, .story = edit_synced_story },
    { .name = "remove", .setup = remove_setup, .story = remove_story },
    { .name = "trim", .setup = trim_setup, .story = trim_story, .repeats = 19 },
    { .name = "trim-behind", .setup = overwrite_setup, .story = trim_behind_story, .only_power = true },
    { .name = "purge", .setup = purge_setup, .story = purge_story },
    { .name = "redact", .setup = redact_setup, .story = redact_story },
    { .name = "redact-set", .setup = redact_set_setup, .story = redact_set_story, .secret = SECRET },
    { .name = "lines", .setup = lines_setup, .story = lines_story, .secret = SECRET },
    { .name = "json", .setup = json_setup, .story = json_story },
    { .name = "aside", .setup = aside_setup, .story = aside_story, .secret = SECRET },
    { .name = "guard", .setup = guard_setup, .story = guard_story },
    { .name = "batch", .setup = batch_setup, .story = batch_story },
    { .name = "many", .setup = many_setup, .story = many_story },
    { .name = "many-each", .setup = many_setup, .story = many_story, .syncs_each = true },
    { .name = "place", .setup = place_setup, .story = place_story, .secret = SECRET },
    { .name = "reopen", .setup = reopen_setup, .story = reopen_story },
    { .name = "mixed", .setup = mixed_setup, .story = mixed_story },
    { .name = NULL } };

/* clang-format on */

const Workload *workload_find(const char *name)
{
    for (const Workload *w = workloads; w->name; w++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

bool workload_edited(const Workload *w)
{
    for (const Action *a = w->story; a->kind; a++)
        if (a->kind >= DO_EDIT)
            return true;
    return false;
}

bool workload_needs_files(const Workload *w)
{
    for (const Action *a = w->setup; a && a->kind; a++)
        if (a->kind == DO_LEAVE)
            return true;
    return workload_edited(w);
}

bool action_forgets(ActionKind kind)
{
    return kind == DO_REDACT_SET || kind == DO_SETTLE || kind == DO_FORGET_ASIDE ||
           kind == DO_FORGET_BEFORE;
}

bool action_concerns(const Action *a, Str stream)
{
    bool does = a->stream && str_eq(str(a->stream), stream);
    for (size_t i = 0; !does && a->also && a->also[i]; i++)
        does = str_eq(str(a->also[i]), stream);
    return does;
}

static void add_stream(const char *name, const char **out, size_t *n, size_t max)
{
    size_t i = 0;
    while (i < *n && strcmp(out[i], name) != 0)
        i++;
    if (i == *n && *n < max)
        out[(*n)++] = name;
}

size_t workload_streams(const Workload *w, const char **out, size_t max)
{
    size_t n = 0;
    for (const Action *a = w->story; a->kind; a++) {
        if (a->stream)
            add_stream(a->stream, out, &n, max);
        for (size_t i = 0; a->also && a->also[i]; i++)
            add_stream(a->also[i], out, &n, max);
    }
    return n;
}

Str action_text(const Action *a, Arena *into)
{
    Str text = str(a->text);
    if (a->size == 0 || text.n == 0)
        return text;
    char *bytes = NEW_ARRAY(into, char, a->size + 1);
    for (size_t i = 0; i < a->size; i++)
        bytes[i] = text.p[i % text.n];
    return (Str){ bytes, a->size };
}
