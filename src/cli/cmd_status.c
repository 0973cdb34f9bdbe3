/* cmd_status.c - one screen about a pad: which it is, what it holds, what is open, what happened
 * last, and whether something is wrong that is seen without reading everything. */
#include <stdio.h>

#include "base/url.h"
#include "cli/cmd_history.h"
#include "cli/when.h"
#include "memory/context/open.h"
#include "memory/kinds.h"

extern const Cmd cmd_status;

enum { CHANGES_SHOWN = 5 };

typedef struct Status {
    Kinds kinds;
    OpenWork open;
    ChangeList changes;
} Status;

static jot_status look(Session *s, Status *out)
{
    TRY(memory_kinds(&s->memory, LIST_LIVE, &out->kinds, &s->err));
    TRY(open_work(&s->memory, &s->arena, &out->open, &s->err));
    return changes_list(&s->memory, &(ChangesAsk){ .limit = CHANGES_SHOWN }, &s->arena,
                        &out->changes, &s->err);
}

static void print_status_json(Session *s, const Status *x, bool there)
{
    json_t *counts = json_object();
    for (size_t i = 0; i < x->kinds.n; i++)
        if (kind_word(x->kinds.items[i].name))
            json_object_set_new(counts, x->kinds.items[i].name,
                                json_integer((json_int_t)x->kinds.items[i].n));
    AUTO_PTR(json_t) changes = changes_json(&x->changes);
    print_json(json_pack(
        "{s:o, s:s, s:b, s:s, s:o, s:I, s:I, s:o, s:O}", "pad",
        json_text(url_bare(&s->arena, s->where.url)), "because", s->where.why, "exists", there,
        "read_only", there ? store_read_only_why(s->memory.store) : "", "counts", counts, "edited",
        (json_int_t)x->kinds.edited, "damaged", (json_int_t)x->kinds.lost, "open",
        open_work_json(&x->open), "changes", json_object_get(changes, "changes")));
}

static void print_counts(const Kinds *k)
{
    bool any = false;
    fputs("holds    ", stdout);
    for (size_t i = 0; i < k->n; i++) {
        const char *word = kind_word(k->items[i].name);
        if (word) {
            printf("%s%s: %llu", any ? ", " : "", word, (unsigned long long)k->items[i].n);
            any = true;
        }
    }
    puts(any ? "" : "nothing yet");
}

static void print_open(Session *s, const OpenWork *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const OpenItem *x = &w->items[i];
        Str title = doc_title(x->about);
        printf("%s%s ", i ? "         " : "open     ", x->what);
        print_name(x->name);
        fputs(", ", stdout);
        print_name(x->says);
        if (x->at_ms)
            printf(", %s", when_shown(s, x->at_ms).text);
        if (title.n) {
            fputs(": ", stdout);
            print_name(title);
        }
        putchar('\n');
    }
}

static void print_health(Session *s, const Kinds *k)
{
    const char *why = store_read_only_why(s->memory.store);
    if (why[0])
        print_sentence("health   read-only: %s", why);
    if (k->edited)
        printf("health   edited by hand, not recorded yet: %llu; the next write records them\n",
               (unsigned long long)k->edited);
    if (k->lost)
        printf("health   streams with records that cannot be read: %llu: jotter verify\n",
               (unsigned long long)k->lost);
    if (!why[0] && !k->lost)
        puts("health   nothing is wrong at first sight; 'jotter verify' reads everything");
}

static jot_status run_status(Session *s)
{
    Status x = { 0 };
    bool there;
    TRY(session_open_any(s, &there));
    if (there)
        TRY(look(s, &x));
    if (s->json) {
        print_status_json(s, &x, there);
        return JOT_OK;
    }
    fputs("pad      ", stdout);
    print_name(url_bare(&s->arena, s->where.url));
    print_sentence(" (%s)", s->where.why);
    if (!there) {
        puts("holds    nothing: it is not there yet, the first write makes it");
        return JOT_OK;
    }
    print_counts(&x.kinds);
    print_open(s, &x.open);
    print_health(s, &x.kinds);
    if (x.changes.n)
        puts("\nlast changes (jotter history):");
    changes_print(s, &x.changes);
    return JOT_OK;
}

static const Opt status_opts[] = {
    { "utc", NULL, "exact times, in UTC; so it is without a terminal" },
    { 0 },
};

const Cmd cmd_status = {
    .name = "status",
    .args = "",
    .summary = "Say on one screen what the pad holds, what is open and what happened last",
    .help = "",
    .opts = status_opts,
    .run = run_status,
};
