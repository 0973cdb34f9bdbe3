/* pad_now.c - the noun `pad`, for a person who comes back: what waits, what is under way, what
 * happened meanwhile. */
#include "base/time.h"
#include "memory/context/open.h"
#include "memory/kinds.h"
#include "memory/lease.h"
#include "memory/run/run.h"
#include "memory/waiting.h"
#include "tool/note.h"
#include "tool/pad.h"

extern const Verb verb_pad_waiting, verb_pad_since, verb_pad_now;

enum { BUDGET_LOOK = 40 /* newest records in which a model's last reply is sought */ };

/* clang-format off */
static const Param item_fields[] = {
    { "what", PARAM_TEXT, .about = "rule, task, run, conflict, quarantine or secret" },
    { "name", .type = PARAM_TEXT }, { "stream", .type = PARAM_TEXT },
    { "says", PARAM_TEXT, .about = "why it waits" }, { "about", .type = PARAM_TEXT },
    { "at", PARAM_TEXT, .about = "time" }, { "by", .type = PARAM_TEXT },
    { "command", PARAM_TEXT, .about = "for a shell" },
    { "sha256", .type = PARAM_TEXT }, { "version", .type = PARAM_TEXT },
    { "approved_version", PARAM_TEXT, .about = "of a rule: the text that was approved" }, { 0 } };
#define WAITING_FIELDS                                                               \
    { "items", PARAM_OBJECTS, .fields = item_fields },                               \
    { "count", .type = PARAM_NUMBER }, { "more", .type = PARAM_BOOL },               \
    { "not_looked", PARAM_BOOL, .about = "some documents are too old, or too large" }
static const Param waiting_fields[] = { WAITING_FIELDS, { 0 } };
/* clang-format on */

static jot_status waiting(ToolCall *c, VerbData *out)
{
    Waiting w;
    TRY(waiting_look(c->m, c->into, &w, c->e));
    out->json = waiting_json(&w);
    return JOT_OK;
}

const Verb verb_pad_waiting = {
    .tool = { .name = "pad_waiting",
              .title = "What waits",
              .about = "What waits for a person: rules, tasks, runs, conflicts, secrets.",
              .effects = TOOL_READS,
              .run = verb_answer },
    .verb = "waiting",
    .summary = "List what waits for a person",
    .fields = waiting_fields,
    .items = "items",
    .unit = "item",
    .present = true,
    .run = waiting,
};

/* --- since ----------------------------------------------------------------------------------- */

/* The row of a name in a list that is short (of authors, of what changed since somebody was here);
 * a new one if there is none. */
static json_t *row_of(json_t *list, const char *member, Str name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *row = json_array_get(list, i);
        if (str_eq(json_str(json_object_get(row, member)), name))
            return row;
    }
    json_t *row = json_pack("{s:o, s:i}", member, json_text(name), "changes", 0);
    json_array_append_new(list, row);
    return row;
}

static void count(json_t *row, const Change *c)
{
    json_int_t n = json_integer_value(json_object_get(row, "changes"));
    json_object_set_new(row, "changes", json_integer(n + 1));
    if (!json_object_get(row, "newest"))
        json_object_set_new(row, "newest", json_string(time_text(c->record.mark.at_ms).text));
}

/* Newest first, so the first change of a stream is what it is now. */
static void take_change(json_t *by, json_t *streams, const Change *c)
{
    count(row_of(by, "by", c->record.by), c);
    size_t n = json_array_size(streams);
    json_t *row = row_of(streams, "stream", c->stream);
    if (json_array_size(streams) > n) {
        json_object_set_new(row, "name", json_text(doc_word(c->stream)));
        json_object_set_new(row, "kind",
                            json_text(str_slice(c->stream, 0, str_find(c->stream, '/'))));
        json_object_set_new(row, "change", json_string(change_word(c)));
        json_object_set_new(row, "by", json_array());
    }
    count(row, c);
    json_t *who = json_object_get(row, "by");
    for (size_t i = 0; i < json_array_size(who); i++)
        if (str_eq(json_str(json_array_get(who, i)), c->record.by))
            return;
    json_array_append_new(who, json_text(c->record.by));
}

static json_t *since_json(int64_t since_ms, const ChangeList *list)
{
    json_t *by = json_array(), *streams = json_array();
    for (size_t i = 0; i < list->n; i++)
        take_change(by, streams, &list->items[i]);
    return json_pack("{s:s, s:I, s:o, s:o, s:b}", "since", time_text(since_ms).text, "changes",
                     (json_int_t)list->n, "by", by, "streams", streams, "more", list->more);
}

static jot_status since(ToolCall *c, VerbData *out)
{
    ChangeList list;
    ChangesAsk ask = { .limit = CHANGES_MAX };
    TRY(arg_moment(c, "since", &ask.since_ms));
    TRY(changes_list(c->m, &ask, c->into, &list, c->e));
    out->json = since_json(ask.since_ms, &list);
    return JOT_OK;
}

/* clang-format off */
static const Param author_fields[] = {
    { "by", .type = PARAM_TEXT }, { "changes", .type = PARAM_NUMBER },
    { "newest", PARAM_TEXT, .about = "time" }, { 0 } };
static const Param stream_fields[] = {
    { "stream", .type = PARAM_TEXT }, { "name", .type = PARAM_TEXT },
    { "kind", .type = PARAM_TEXT }, { "change", PARAM_TEXT, .about = "the newest" }, { "changes", .type = PARAM_NUMBER },
    { "by", .type = PARAM_TEXTS }, { "newest", PARAM_TEXT, .about = "time" }, { 0 } };
#define SINCE_FIELDS                                                              \
    { "since", PARAM_TEXT, .about = "time" }, { "changes", .type = PARAM_NUMBER }, \
    { "by", PARAM_OBJECTS, .fields = author_fields },                             \
    { "streams", PARAM_OBJECTS, .fields = stream_fields }, { "more", .type = PARAM_BOOL }
static const Param since_fields[] = { SINCE_FIELDS, { 0 } };

const Verb verb_pad_since = {
    .tool = { .name = "pad_since", .title = "What changed since",
              .about = "What changed since a moment, by author and by name.",
              .effects = TOOL_READS,
              .params = PARAMS({ "since", PARAM_TEXT, .about = "a moment", .min = 1,
                                 .max = HASH_HEX }),
              .run = verb_answer },
    .verb = "since",
    .summary = "Sum up what changed since a moment, by author and by name",
    .fields = since_fields,
    .run = since,
};
/* clang-format on */

/* --- now ------------------------------------------------------------------------------------- */

/* How full the context was when the model answered last; NULL: it has not, or nobody said. */
static json_t *newest_budget(ToolCall *c, const Run *r)
{
    Records got;
    uint64_t from = r->state.seq > BUDGET_LOOK ? r->state.seq - BUDGET_LOOK : 1;
    SeqRange range = { from, BUDGET_LOOK + 1 };
    if (store_read(c->m->store, str(r->stream), range, c->into, &got, &(Err){ 0 }) != JOT_OK)
        return NULL;
    for (size_t i = got.n; i-- > 0;) {
        AUTO_PTR(json_t) reply = NULL;
        RunStep s = run_step_of(&got.items[i], c->into);
        if (s.kind == RUN_REPLY && json_read(s.body, &reply, &(Err){ 0 }) == JOT_OK)
            return json_incref(json_object_get(reply, "budget"));
    }
    return NULL;
}

/* What a run that is under way waits for, and how much of its context is used. */
static void add_state(ToolCall *c, Str id, json_t *to)
{
    AUTO(Run) r = { 0 };
    json_t *calls = json_array();
    json_object_set_new(to, "calls", calls);
    if (run_open(c->m, id, &r, &(Err){ 0 }) != JOT_OK)
        return;
    for (size_t i = 0; i < r.state.open_n; i++) {
        const RunOpen *o = &r.state.open[i];
        json_t *call = json_pack("{s:o, s:o, s:I}", "tool", json_text(o->tool), "call",
                                 json_text(o->call), "seq", (json_int_t)o->seq);
        json_array_append_new(calls, call);
    }
    json_t *budget = newest_budget(c, &r);
    if (budget)
        json_object_set_new(to, "budget", budget);
}

static json_t *runs_json(ToolCall *c, const RunningRuns *r)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const RunningRun *x = &r->items[i];
        json_t *run = json_pack("{s:o, s:o, s:o, s:s, s:I}", "id", json_text(x->id), "query",
                                json_text(x->query), "by", json_text(x->by), "at",
                                time_text(x->at_ms).text, "records", (json_int_t)x->records);
        add_state(c, x->id, run);
        json_array_append_new(runs, run);
    }
    return runs;
}

static jot_status add_leases(ToolCall *c, json_t *to)
{
    LeaseList list;
    json_t *leases = json_array();
    json_object_set_new(to, "leases", leases);
    TRY(lease_list(c->m, c->into, &list, c->e));
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].left_ms > 0)
            json_array_append_new(leases, lease_json(&list.items[i]));
    return JOT_OK;
}

/* The newest changes, and what they were since the last visit: what was listed for what waits is
 * enough, because to list changes looks at every stream. */
static jot_status add_changes(ToolCall *c, const ChangeList *all, json_t *to)
{
    int64_t since_ms;
    size_t limit = (size_t)arg_number(c, "limit", PAD_NOW_CHANGES), since_n = 0;
    ChangeList some = *all, since = *all;
    TRY(arg_moment(c, "since", &since_ms));
    some.n = limit < all->n ? limit : all->n;
    some.more = all->more || some.n < all->n;
    AUTO_PTR(json_t) changes = NULL;
    TRY(pad_changes_json(c, &some, &changes));
    json_object_set(to, "changes", json_object_get(changes, "changes"));
    json_object_set_new(to, "more", json_boolean(some.more));
    while (since_n < all->n && all->items[since_n].record.mark.at_ms >= since_ms)
        since_n++;
    since.n = since_n;
    since.more = all->more && since_n == all->n;
    json_object_set_new(to, "since", since_ms ? since_json(since_ms, &since) : json_null());
    return JOT_OK;
}

static jot_status now(ToolCall *c, VerbData *out)
{
    Waiting w;
    OpenWork open;
    RunningRuns running;
    Kinds kinds = { 0 };
    TRY(waiting_look(c->m, c->into, &w, c->e));
    TRY(open_work(c->m, c->into, &open, c->e));
    TRY(waiting_running(c->m, c->into, &running, c->e));
    TRY(memory_kinds(c->m, LIST_LIVE_NAMES, &kinds, c->e));
    out->json = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "at",
                          time_text(io_wall_ms(c->m->io)).text, "read_only", pad_read_only_why(c),
                          "waiting", waiting_json(&w), "open", open_work_json(&open), "runs",
                          runs_json(c, &running), "counts", pad_counts_json(&kinds));
    TRY(add_leases(c, out->json));
    return add_changes(c, &w.changes, out->json);
}

/* clang-format off */
static const Param running_fields[] = {
    { "id", .type = PARAM_TEXT }, { "query", .type = PARAM_TEXT }, { "by", .type = PARAM_TEXT },
    { "at", PARAM_TEXT, .about = "time" }, { "records", .type = PARAM_NUMBER },
    { "calls", PARAM_OBJECTS, .about = "without a result" },
    { "budget", PARAM_OBJECT, .about = "of its context, when its model answered last" }, { 0 } };

const Verb verb_pad_now = {
    .tool = { .name = "pad_now", .title = "Now",
              .about = "What waits for a person, what is under way, and what changed last.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "since", PARAM_TEXT, .about = "sum up what changed since this moment",
                    .optional = true, .max = HASH_HEX },
                  { "limit", PARAM_NUMBER, .about = "changes", .optional = true, .min = 1,
                    .max = CHANGES_MAX }),
              .run = verb_answer },
    .verb = "now",
    .summary = "Say what waits, what is under way and what changed last",
    .fields = PARAMS({ "at", PARAM_TEXT, .about = "time" }, { "read_only", .type = PARAM_TEXT },
                     { "waiting", PARAM_OBJECT, .fields = waiting_fields },
                     { "open", PARAM_OBJECTS, .fields = pad_open_fields },
                     { "runs", PARAM_OBJECTS, .about = "under way", .fields = running_fields },
                     { "counts", PARAM_OBJECT, .about = "by kind" },
                     { "leases", .type = PARAM_OBJECTS },
                     { "changes", PARAM_OBJECTS, .fields = pad_change_fields },
                     { "more", .type = PARAM_BOOL },
                     { "since", PARAM_OBJECT, .fields = since_fields }),
    .present = true,
    .run = now,
};
/* clang-format on */
