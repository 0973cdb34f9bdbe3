/* cmd_status.c - one screen about a pad: which it is, what it holds, what is open, what happened
 * last, and whether something is wrong that is seen without reading everything. */
#include <stdio.h>

#include "base/url.h"
#include "cli/cmd_history.h"
#include "cli/when.h"
#include "memory/context/open.h"
#include "memory/kinds.h"
#include "memory/run/factor.h"
#include "memory/run/session.h"
#include "memory/task/share.h"

extern const Cmd cmd_status;

enum { CHANGES_SHOWN = 5, MARKED_SHOWN = 10 };

typedef struct Status {
    Session *s;
    Kinds kinds;
    Str marked[MARKED_SHOWN]; /* documents with marks of a conflict, as git leaves them */
    size_t marked_n;          /* that there are, shown or not */
    ShareRefusals refused;    /* files of tasks and plans that are not taken */
    OpenWork open;
    SessionFailures hooks; /* of this user, in any pad */
    ChangeList changes;
    json_t *models; /* whose tokens are known: factor_list() */
} Status;

static jot_status take(void *ctx, const Listed *l)
{
    Status *x = ctx;
    AUTO(Arena) arena = { 0 };
    Doc doc;
    kinds_take(&x->kinds, l, true);
    /* Only what was not written through Jotter can be what git left. */
    bool marked = str_eq(l->by, S(STORE_OUTSIDE)) &&
                  doc_glance(&x->s->memory, l->name, &arena, &doc, &(Err){ 0 }) == JOT_OK &&
                  str_has_marks(doc.text);
    if (marked && x->marked_n < MARKED_SHOWN)
        x->marked[x->marked_n] = arena_copy(&x->s->arena, doc_word(l->name));
    x->marked_n += marked;
    return JOT_OK;
}

static jot_status count_one(void *ctx, Str id)
{
    (void)id;
    ++*(uint64_t *)ctx;
    return JOT_OK;
}

/* What came as a file counts, too, before it has a stream. */
static jot_status count_shared(Session *s, Kinds *k)
{
    static const char *const shared[] = { "plans", "tasks" };
    unsigned shares;
    TRY(share_now(&s->memory, &shares, &s->err));
    for (size_t i = 0; i < COUNT_OF(shared); i++) {
        uint64_t n = 0;
        Str kind = arena_printf(&s->arena, "%s/", shared[i]);
        if (!share_has(shares, kind.p))
            continue;
        TRY(share_each(&s->memory, &(ShareWalk){ .kind = kind.p, .each = count_one, .ctx = &n },
                       &s->err));
        kinds_set(k, shared[i], n);
    }
    return JOT_OK;
}

static void status_done(Status *x)
{
    json_decref(x->models);
}
DEFINE_AUTO(Status, status_done)

static jot_status look(Session *s, Status *out)
{
    TRY(memory_each(&s->memory, (Str){ 0 }, LIST_LIVE, take, out, &s->err));
    TRY(count_shared(s, &out->kinds));
    TRY(open_work(&s->memory, &s->arena, &out->open, &s->err));
    TRY(share_refusals(&s->memory, &s->arena, &out->refused, &s->err));
    json_decref(out->models);
    out->models = NULL;
    TRY(factor_list(&s->memory, &out->models, &s->err));
    return changes_list(&s->memory, &(ChangesAsk){ .limit = CHANGES_SHOWN }, &s->arena,
                        &out->changes, &s->err);
}

static size_t marked_shown(const Status *x)
{
    return x->marked_n < MARKED_SHOWN ? x->marked_n : MARKED_SHOWN;
}

static void print_status_json(Session *s, const Status *x, bool there)
{
    json_t *counts = json_object();
    for (size_t i = 0; i < x->kinds.n; i++)
        if (kind_word(x->kinds.items[i].name))
            json_object_set_new(counts, x->kinds.items[i].name,
                                json_integer((json_int_t)x->kinds.items[i].n));
    json_t *marked = json_array();
    for (size_t i = 0; i < marked_shown(x); i++)
        json_array_append_new(marked, json_text(x->marked[i]));
    json_t *refused = json_array();
    for (size_t i = 0; i < x->refused.n; i++)
        json_array_append_new(refused, json_pack("{s:o, s:o}", "stream",
                                                 json_text(x->refused.items[i].stream), "why",
                                                 json_text(x->refused.items[i].why)));
    AUTO_PTR(json_t) changes = changes_json(&x->changes);
    print_json(json_pack("{s:o, s:s, s:b, s:s, s:o, s:I, s:I, s:o, s:o, s:I, s:o, s:O, s:O}", "pad",
                         json_text(url_bare(&s->arena, s->where.url)), "because", s->where.why,
                         "exists", there, "read_only",
                         there ? store_read_only_why(s->memory.store) : "", "counts", counts,
                         "edited", (json_int_t)x->kinds.edited, "damaged",
                         (json_int_t)x->kinds.lost, "conflicted", marked, "refused", refused,
                         "hook_failures", (json_int_t)x->hooks.n, "open", open_work_json(&x->open),
                         "changes", json_object_get(changes, "changes"), "models", x->models));
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

/* How a model's tokens compare with those that are estimated. */
static void print_models(const json_t *models)
{
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *row = json_array_get(models, i);
        fputs(i ? "         " : "models   ", stdout);
        print_name(json_member(row, "model"));
        long long asked = json_integer_value(json_object_get(row, "requests"));
        printf(": %.2f of its tokens for one that is estimated, learned from %lld request%s\n",
               json_real_value(json_object_get(row, "factor")), asked, asked == 1 ? "" : "s");
    }
}

static void print_marked(const Status *x)
{
    if (!x->marked_n)
        return;
    fputs("health   with conflict marks of git:", stdout);
    for (size_t i = 0; i < marked_shown(x); i++) {
        fputs(i ? ", " : " ", stdout);
        print_name(x->marked[i]);
    }
    if (x->marked_n > MARKED_SHOWN)
        printf(" and %zu more", x->marked_n - MARKED_SHOWN);
    puts("; edit the file, what you save is the next version");
}

static void print_refused(const Status *x)
{
    const ShareRefusals *r = &x->refused;
    for (size_t i = 0; i < r->n && i < MARKED_SHOWN; i++)
        print_sentence("health   " STR_FMT, STR_ARG(r->items[i].why));
    unsigned long long more = r->total > MARKED_SHOWN ? r->total - MARKED_SHOWN : 0;
    if (more)
        printf("health   %llu more file%s not taken: jotter verify\n", more,
               more == 1 ? " is" : "s are");
    if (r->behind)
        printf(
            "health   files in shared/ that do not show the newest: %llu; the next change of each "
            "writes it\n",
            (unsigned long long)r->behind);
}

static void print_hooks(const SessionFailures *h)
{
    if (h->n)
        print_sentence("health   hooks failed %s%s, the last: " STR_FMT, counted(h->n, "time").text,
                       h->more ? " and more" : "", STR_ARG(h->last));
}

static void print_health(Session *s, const Status *x)
{
    const Kinds *k = &x->kinds;
    const StoreReport *met = store_report(s->memory.store);
    const char *why = store_read_only_why(s->memory.store);
    if (why[0])
        print_sentence("health   read-only: %s", why);
    if (k->edited)
        printf("health   edited by hand, not recorded yet: %llu; the next write records them\n",
               (unsigned long long)k->edited);
    print_marked(x);
    print_refused(x);
    if (k->lost)
        printf("health   streams with records that cannot be read: %llu: jotter verify\n",
               (unsigned long long)k->lost);
    /* A name that has two files, or none that may be read: it is in no list. */
    if (met->damaged)
        print_sentence("health   %s: jotter verify", met->last);
    print_hooks(&x->hooks);
    if (!why[0] && !k->lost && !met->damaged && !x->marked_n && !x->refused.total && !x->hooks.n)
        puts("health   nothing is wrong at first sight; 'jotter verify' reads everything");
}

static jot_status run_status(Session *s)
{
    AUTO(Status) x = { .s = s, .models = json_array() };
    bool there;
    TRY(session_open_any(s, &there));
    x.hooks = session_failures(&s->arena);
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
        print_hooks(&x.hooks);
        return JOT_OK;
    }
    print_counts(&x.kinds);
    print_open(s, &x.open);
    print_models(x.models);
    print_health(s, &x);
    if (x.changes.n)
        puts("\nlast changes (jotter history):");
    changes_print(s, &x.changes);
    return JOT_OK;
}

const Cmd cmd_status = {
    .name = "status",
    .args = "",
    .summary = "Show what the pad holds, what is open and what happened last",
    .help = "",
    .run = run_status,
};
