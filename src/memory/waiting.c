/* waiting.c - what waits for a person, kind by kind.
 *
 * What only a person can decide comes first (rules, tasks, runs, what was moved away), then what is
 * found by reading: the documents of the newest changes, each once, for marks of a conflict and for
 * secrets.  A document that cannot be read, or is too large to be read here, ends nothing: the rest
 * is still shown, and `not_looked` says that something was passed over. */
#include "memory/waiting.h"

#include <assert.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/context/rule.h"
#include "memory/doc/doc.h"
#include "memory/doc/secret.h"
#include "memory/kinds.h"
#include "memory/run/run_newest.h"
#include "memory/task/share.h"
#include "memory/task/task.h"

typedef struct Look {
    Memory *m;
    Arena *into;
    Waiting *out;
    size_t cap;
    Err *e;
} Look;

/* One more; NULL if there are enough. */
static WaitingItem *add(Look *l, const char *what, Str name)
{
    Waiting *w = l->out;
    assert(w->n <= WAITING_MAX);
    if (w->n == WAITING_MAX) {
        w->more = true;
        return NULL;
    }
    w->items =
        arena_grow(l->into, w->items, w->n, &l->cap, sizeof(WaitingItem), alignof(WaitingItem));
    w->items[w->n] = (WaitingItem){ .what = what, .name = arena_copy(l->into, name) };
    return &w->items[w->n++];
}

/* The same for a document. */
static WaitingItem *add_doc(Look *l, const char *what, Str stream, const Doc *d)
{
    WaitingItem *x = add(l, what, doc_word(stream));
    if (!x)
        return NULL;
    x->stream = arena_copy(l->into, stream);
    x->by = arena_copy(l->into, d->by);
    x->at_ms = d->mark.at_ms;
    return x;
}

/* --- Rules ----------------------------------------------------------------------------------- */

static Str approved_hash(Look *l, const Approvals *a, Str key)
{
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->items[i].key, key))
            return arena_copy(l->into, str(hash_hex(a->items[i].sha256).text));
    return (Str){ 0 };
}

/* Names may be an agent's, and the command is there to be pasted. */
static Str command_on(Look *l, const char *does, Str name, const char *after)
{
    Str word = arena_shell_word(l->into, name);
    return arena_printf(l->into, "jotter %s " STR_FMT "%s", does, STR_ARG(word), after);
}

static void add_rule(Look *l, const Approvals *a, Str key)
{
    Doc d;
    Str stream = arena_printf(l->into, "notes/" STR_FMT, STR_ARG(key));
    if (doc_read(l->m, stream, l->into, &d, &(Err){ 0 }) != JOT_OK || !utf8_valid(d.text))
        return;
    RuleState state = rules_judge(a, key, d.text);
    WaitingItem *x = state == RULE_APPROVED ? NULL : add_doc(l, "rule", stream, &d);
    if (!x)
        return;
    x->says = state == RULE_CHANGED ? S("another text was approved") : S("not approved yet");
    x->about = str_slice(d.text, 0, utf8_floor(d.text, RULE_BYTES_MAX));
    x->sha256 = hash_of(d.text);
    x->approved = approved_hash(l, a, key);
    x->command = command_on(l, "rules approve", key, "");
}

static jot_status add_rules(Look *l)
{
    Approvals a;
    Str *keys;
    size_t n;
    TRY(rules_read(l->m, l->into, &a, l->e));
    TRY(rules_keys(l->m, l->into, &keys, &n, l->e));
    for (size_t i = 0; i < n; i++)
        add_rule(l, &a, keys[i]);
    return JOT_OK;
}

/* --- Tasks ----------------------------------------------------------------------------------- */

static jot_status add_tasks(Look *l)
{
    TaskList list;
    TRY(task_list(l->m, &(TaskQuery){ 0 }, l->into, &list, l->e));
    for (size_t i = 0; i < list.n; i++) {
        const Task *t = &list.items[i];
        bool failed = t->status == TASK_FAILED && t->retry_count <= t->max_retries;
        WaitingItem *x = NULL;
        if (!t->cancelled && (failed || t->status == TASK_BLOCKED))
            x = add(l, "task", t->id);
        if (!x)
            continue;
        x->stream = arena_printf(l->into, TASK_KIND STR_FMT, STR_ARG(t->id));
        x->says = arena_printf(l->into, "%s%s" STR_FMT, failed ? "failed" : "blocked",
                               t->reason.n ? ": " : "", STR_ARG(t->reason));
        x->about = t->description;
        x->by = t->by;
        x->at_ms = t->at_ms;
        x->command = command_on(l, failed ? "task retry" : "task unblock", t->id, "");
    }
    return JOT_OK;
}

/* What git brought, and may not be. */
static jot_status add_refused(Look *l)
{
    ShareRefusals r;
    TRY(share_refusals(l->m, l->into, &r, l->e));
    for (size_t i = 0; i < r.n; i++) {
        WaitingItem *x = add(l, "conflict", r.items[i].stream);
        if (!x)
            continue;
        x->stream = r.items[i].stream;
        x->says = r.items[i].why;
        x->command = command_on(l, "edit", x->name, "");
    }
    return JOT_OK;
}

/* --- Runs ------------------------------------------------------------------------------------ */

/* By which word, and what was said of it. */
static Str why_ended(Look *l, const RunStep *end)
{
    bool said = end->body.n && utf8_valid(end->body);
    return arena_printf(l->into, "ended without an answer: " STR_FMT "%s" STR_FMT,
                        STR_ARG(end->word), said ? ", " : "", STR_ARG(said ? end->body : S("")));
}

static jot_status add_runs(Look *l)
{
    RunNewest newest;
    int64_t now = io_wall_ms(l->m->io);
    TRY(run_newest(l->m, WAITING_RUNS, l->into, &newest, l->e));
    for (size_t i = 0; i < newest.n; i++) {
        const RunLine *r = &newest.items[i];
        RunStep last = run_last_step(l->m, r->id, l->into);
        bool ended = last.kind == RUN_END;
        bool stopped = !ended && last.kind != RUN_ANSWER && now - r->at_ms > WAITING_RUN_MS;
        bool session = str_starts(r->id, str_from(S(SESSION_RUNS), sizeof "runs/" - 1));
        WaitingItem *x = (ended || stopped) && !session ? add(l, "run", r->id) : NULL;
        if (!x)
            continue;
        x->stream = arena_printf(l->into, "runs/" STR_FMT, STR_ARG(r->id));
        x->says = stopped ? S("stopped without an end") : why_ended(l, &last);
        TRY(run_query(l->m, r->id, l->into, &x->about, l->e));
        x->by = r->by;
        x->at_ms = r->at_ms;
        x->command = command_on(l, "run --resume", r->id, "");
    }
    return JOT_OK;
}

jot_status waiting_running(Memory *m, Arena *into, RunningRuns *out, Err *e)
{
    RunNewest newest;
    int64_t now = io_wall_ms(m->io);
    TRY(run_newest(m, WAITING_RUNS, into, &newest, e));
    *out = (RunningRuns){ .items = NEW_ARRAY(into, RunningRun, newest.n + 1) };
    for (size_t i = 0; i < newest.n; i++) {
        AUTO(Arena) arena = { 0 };
        const RunLine *r = &newest.items[i];
        RunKind kind = run_last_step(m, r->id, &arena).kind;
        if (kind == RUN_ANSWER || kind == RUN_END || now - r->at_ms > WAITING_RUN_MS || r->ahead)
            continue;
        RunningRun *x = &out->items[out->n++];
        *x = (RunningRun){ .id = r->id, .by = r->by, .at_ms = r->at_ms, .records = r->records };
        TRY(run_query(m, r->id, into, &x->query, e));
    }
    return JOT_OK;
}

/* --- Documents ------------------------------------------------------------------------------- */

static bool is_document(Str stream)
{
    return str_starts(stream, S("notes/")) || str_starts(stream, S("memories/"));
}

/* Only what was not written through Jotter can be what git left. */
static void look_for_marks(Look *l, Str stream, const Doc *d)
{
    bool outside = str_eq(d->by, S(STORE_OUTSIDE)) && str_has_marks(d->text);
    WaitingItem *x = outside ? add_doc(l, "conflict", stream, d) : NULL;
    if (!x)
        return;
    x->says = S("it holds marks of a conflict, as git leaves them");
    x->command = command_on(l, "edit", x->name, "");
}

static void look_for_secret(Look *l, Str stream, const Doc *d)
{
    Secret s;
    WaitingItem *x = secret_find(d->text, &s) ? add_doc(l, "secret", stream, d) : NULL;
    if (!x)
        return;
    x->says = arena_printf(l->into, "line %zu looks like %s", s.line, s.what);
    x->command = command_on(l, "redact", x->name, " --stdin");
}

/* Newest first, so a stream that came before has been looked at. */
static bool seen_before(const ChangeList *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_eq(list->items[k].stream, list->items[i].stream))
            return true;
    return false;
}

static jot_status add_documents(Look *l)
{
    ChangeList *list = &l->out->changes;
    TRY(changes_list(l->m, &(ChangesAsk){ .limit = WAITING_CHANGES }, l->into, list, l->e));
    l->out->not_looked = list->more;
    for (size_t i = 0; i < list->n; i++) {
        AUTO(Arena) arena = { 0 };
        const Change *c = &list->items[i];
        Doc d;
        if (!is_document(c->stream) || seen_before(list, i))
            continue;
        if (c->record.mark.size > WAITING_TEXT_MAX) {
            l->out->not_looked = true;
            continue;
        }
        if (doc_read(l->m, c->stream, &arena, &d, &(Err){ 0 }) != JOT_OK)
            continue;
        look_for_marks(l, c->stream, &d);
        look_for_secret(l, c->stream, &d);
    }
    return JOT_OK;
}

/* --- What was quarantined -------------------------------------------------------------------- */

static void add_quarantine(Look *l)
{
    uint64_t n = 0;
    jot_status st = store_count_quarantined(l->m->store, &n, &(Err){ 0 });
    WaitingItem *x = st == JOT_OK && n ? add(l, "quarantine", S("quarantine/")) : NULL;
    if (!x)
        return;
    x->says = arena_printf(l->into, "%llu %s moved to quarantine", (unsigned long long)n,
                           n == 1 ? "thing was" : "things were");
    x->command = S("jotter verify");
}

jot_status waiting_look(Memory *m, Arena *into, Waiting *out, Err *e)
{
    *out = (Waiting){ 0 };
    Look l = { .m = m, .into = into, .out = out, .e = e };
    TRY(add_rules(&l));
    TRY(add_tasks(&l));
    TRY(add_refused(&l));
    TRY(add_runs(&l));
    add_quarantine(&l);
    return add_documents(&l);
}

/* --- As JSON --------------------------------------------------------------------------------- */

static json_t *item_json(const WaitingItem *x)
{
    json_t *row =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "what", x->what, "name", json_text(x->name),
                  "says", json_text(x->says), "about", json_text(x->about), "by",
                  json_text_or_null(x->by), "command", json_text(x->command));
    if (x->stream.n)
        json_object_set_new(row, "stream", json_text(x->stream));
    if (x->at_ms)
        json_object_set_new(row, "at", json_string(time_text(x->at_ms).text));
    if (str_eq(str(x->what), S("rule"))) {
        json_object_set_new(row, "sha256", json_string(hash_hex(x->sha256).text));
        json_object_set_new(row, "version", json_string(version_of(x->sha256).text));
        json_object_set_new(row, "approved_version", json_text_or_null(x->approved));
    }
    return row;
}

json_t *waiting_json(const Waiting *w)
{
    json_t *items = json_array();
    for (size_t i = 0; i < w->n; i++)
        json_array_append_new(items, item_json(&w->items[i]));
    return json_pack("{s:o, s:I, s:b, s:b}", "items", items, "count", (json_int_t)w->n, "more",
                     w->more, "not_looked", w->not_looked);
}
