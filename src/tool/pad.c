/* pad.c - the noun `pad`: what concerns all of it, for programs and for the page.
 *
 * People have a command for each of these, and agents those tools they need, so the noun is apart
 * (verb.h).  The rows return what the commands print with --json. */
#include "tool/pad.h"
#include "base/time.h"
#include "memory/care.h"
#include "memory/context/context_parts.h"
#include "memory/context/open.h"
#include "memory/frame/pointer.h"
#include "memory/kinds.h"
#include "memory/run/run_newest.h"
#include "memory/search/search.h"
#include "tool/note.h"

extern const Noun noun_pad;
extern const Verb verb_pad_waiting, verb_pad_since, verb_pad_now; /* pad_now.c */

enum { CHANGES_SHOWN = 100, PROBLEMS_SHOWN = 1000 };

/* clang-format off */
#define MOMENT(name, words) \
    { name, PARAM_TEXT, .about = words, .optional = true, .max = HASH_HEX }
#define KIND { "kind", PARAM_TEXT, .about = "notes, memories, artifacts, tasks, runs ...", \
               .optional = true, .max = KIND_NAME_MAX }
#define BY { "by", PARAM_TEXT, .about = "whose", .optional = true, .max = STORE_BY_MAX }
#define LIMIT(most) { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = most }
#define CHANGE_FIELDS NOTE_MARK, { "change", .type = PARAM_TEXT }, \
    { "grew", .type = PARAM_NUMBER }, { "records", .type = PARAM_NUMBER }, \
    { "query", PARAM_TEXT, .about = "of a run" }
/* clang-format on */

const Param pad_change_fields[] = { CHANGE_FIELDS, { 0 } };

/* --- status ---------------------------------------------------------------------------------- */

const char *pad_read_only_why(const ToolCall *c)
{
    return c->m->looks ? "" : store_read_only_why(c->m->store);
}

json_t *pad_counts_json(const Kinds *k)
{
    json_t *counts = json_object();
    for (size_t i = 0; i < k->n; i++)
        if (kind_word(k->items[i].name))
            json_object_set_new(counts, k->items[i].name, json_integer((json_int_t)k->items[i].n));
    return counts;
}

static jot_status status(ToolCall *c, VerbData *out)
{
    Kinds kinds = { 0 };
    OpenWork open;
    TRY(memory_kinds(c->m, LIST_LIVE, &kinds, c->e));
    TRY(open_work(c->m, c->into, &open, c->e));
    out->json = json_pack("{s:s, s:o, s:I, s:I, s:o}", "read_only", pad_read_only_why(c), "counts",
                          pad_counts_json(&kinds), "edited", (json_int_t)kinds.edited, "damaged",
                          (json_int_t)kinds.lost, "open", open_work_json(&open));
    return JOT_OK;
}

/* clang-format off */
const Param pad_open_fields[] = {
    { "what", .type = PARAM_TEXT }, { "name", .type = PARAM_TEXT }, { "state", .type = PARAM_TEXT },
    { "about", .type = PARAM_TEXT }, { "at", PARAM_TEXT, .about = "time" }, { 0 } };
static const Verb verb_status = {
    .tool = { .name = "pad_status", .title = "Status",
              .about = "What the pad holds, and what is open.",
              .effects = TOOL_READS, .run = verb_answer },
    .verb = "status",
    .summary = "Say what the pad holds, and what is open",
    .fields = PARAMS(
        { "read_only", PARAM_TEXT, .about = "why; empty: it is not" },
        { "counts", PARAM_OBJECT, .about = "by kind" },
        { "edited", PARAM_NUMBER, .about = "documents edited by hand, not recorded yet" },
        { "damaged", PARAM_NUMBER, .about = "streams with records that cannot be read" },
        { "open", PARAM_OBJECTS, .fields = pad_open_fields }),
    .present = true,
    .run = status,
};
/* clang-format on */

/* --- search, changes ------------------------------------------------------------------------- */

static jot_status search(ToolCall *c, VerbData *out)
{
    AUTO_PTR(Search) s = NULL;
    Hits hits;
    SearchQuery q = { .text = arg_text(c, "query"),
                      .kind = arg_text(c, "kind"),
                      .prefix = arg_text(c, "prefix"),
                      .by = arg_text(c, "by"),
                      .limit = (size_t)arg_number(c, "limit", SEARCH_LIMIT),
                      .offset = (size_t)arg_number(c, "offset", 0),
                      .explain = arg_bool(c, "explain") };
    TRY(arg_moment(c, "since", &q.since_ms));
    TRY(arg_moment(c, "until", &q.until_ms));
    TRY(search_open(&s, c->m, &(SearchOptions){ 0 }, c->e));
    TRY(search_find(s, &q, c->into, &hits, c->e));
    out->json = search_json(&hits, q.explain);
    return JOT_OK;
}

/* clang-format off */
static const Param hit_fields[] = {
    { "stream", .type = PARAM_TEXT }, { "seq", .type = PARAM_NUMBER },
    { "version", .type = PARAM_TEXT }, { "at", PARAM_TEXT, .about = "time" },
    { "by", .type = PARAM_TEXT }, { "size", .type = PARAM_NUMBER },
    { "tokens", .type = PARAM_NUMBER }, { "score", .type = PARAM_ANY },
    { "snippet", .type = PARAM_TEXT }, { "explain", .type = PARAM_OBJECT }, { 0 } };
static const Verb verb_search = {
    .tool = { .name = "pad_search", .title = "Search",
              .about = "Find notes, memory files, artifacts and steps of runs by their words.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "query", .type = PARAM_TEXT }, KIND,
                  { "prefix", PARAM_TEXT, .about = "of the names", .optional = true,
                    .max = STORE_NAME_MAX },
                  BY, MOMENT("since", "not before"), MOMENT("until", "not after"),
                  LIMIT(SEARCH_LIMIT_MAX),
                  { "offset", PARAM_NUMBER, .optional = true, .max = SEARCH_OFFSET_MAX },
                  { "explain", PARAM_BOOL, .about = "why a hit ranks so", .optional = true }),
              .run = verb_answer },
    .verb = "search",
    .summary = "Find notes, memory files, artifacts and steps of runs by their words",
    .fields = PARAMS({ "hits", PARAM_OBJECTS, .fields = hit_fields },
                     { "more", .type = PARAM_BOOL },
                     { "stemmed", PARAM_BOOL, .about = "endings of words did not matter" },
                     { "in_memory", PARAM_TEXT, .about = "why the index is" }),
    .items = "hits", .unit = "hit",
    .searches = true,
    .present = true,
    .run = search,
};
/* clang-format on */

jot_status pad_changes_json(ToolCall *c, const ChangeList *list, json_t **out)
{
    json_t *all = *out = changes_json(list);
    for (size_t i = 0; i < list->n; i++) {
        Str query, stream = list->items[i].stream;
        if (!str_starts(stream, S("runs/")))
            continue;
        TRY(run_query(c->m, str_from(stream, sizeof "runs/" - 1), c->into, &query, c->e));
        json_object_set_new(json_array_get(json_object_get(all, "changes"), i), "query",
                            json_text(query));
    }
    return JOT_OK;
}

static jot_status changes(ToolCall *c, VerbData *out)
{
    ChangeList list;
    ChangesAsk ask = { .kind = arg_text(c, "kind"),
                       .by = arg_text(c, "by"),
                       .limit = (size_t)arg_number(c, "limit", CHANGES_SHOWN) };
    TRY(arg_moment(c, "since", &ask.since_ms));
    TRY(changes_list(c->m, &ask, c->into, &list, c->e));
    return pad_changes_json(c, &list, &out->json);
}

/* clang-format off */
static const Verb verb_changes = {
    .tool = { .name = "pad_changes", .title = "Changes",
              .about = "What changed in the pad, newest first.",
              .effects = TOOL_READS,
              .params = PARAMS(KIND, BY, MOMENT("since", "not before"), LIMIT(CHANGES_MAX)),
              .run = verb_answer },
    .verb = "changes",
    .summary = "List what changed in the pad, newest first",
    .fields = PARAMS({ "changes", PARAM_OBJECTS, .fields = pad_change_fields },
                     { "more", .type = PARAM_BOOL },
                     { "unseen", PARAM_NUMBER, .about = "older streams that were not looked at" }),
    .items = "changes", .unit = "change",
    .run = changes,
};
/* clang-format on */

/* --- context --------------------------------------------------------------------------------- */

static jot_status context(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    Context made;
    ContextAsk ask = { .budget = (uint64_t)arg_number(c, "budget", CONTEXT_BUDGET),
                       .agent = arg_text(c, "agent"),
                       .query = arg_text(c, "query"),
                       .reach = POINT_SHELL };
    if (arg_given(c, "run")) {
        TRY(run_named(c->m, arg_text(c, "run"), &r, c->e));
        ask.run = &r;
    }
    TRY(context_build(c->m, &ask, c->into, &made, c->e));
    out->json = context_json(&made);
    json_object_set_new(out->json, "parts", context_parts_json(made.text));
    return JOT_OK;
}

/* clang-format off */
static const Param left_fields[] = {
    { "what", .type = PARAM_TEXT }, { "why", .type = PARAM_TEXT }, { "name", .type = PARAM_TEXT },
    { "from", .type = PARAM_NUMBER }, { "to", .type = PARAM_NUMBER },
    { "count", .type = PARAM_NUMBER }, { "get", .type = PARAM_TEXT }, { 0 } };
static const Param part_fields[] = {
    { "what", PARAM_TEXT, .about = "note, rule, notes ..." }, { "name", .type = PARAM_TEXT },
    { "at", PARAM_NUMBER, .about = "byte of the text where it begins" },
    { "bytes", .type = PARAM_NUMBER }, { "tokens", PARAM_NUMBER, .about = "estimated" }, { 0 } };
static const Verb verb_context = {
    .tool = { .name = "pad_context", .title = "Context",
              .about = "What a model should see of the pad, within a budget of tokens.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "budget", PARAM_NUMBER, .about = "tokens, estimated", .optional = true,
                    .min = CONTEXT_BUDGET_MIN, .max = CONTEXT_BUDGET_MAX },
                  { "query", PARAM_TEXT, .about = "with what the pad says to it",
                    .optional = true },
                  { "run", PARAM_TEXT, .about = "with its query and results", .optional = true,
                    .max = STORE_SEGMENT_MAX },
                  { "agent", PARAM_TEXT, .about = "with the state of its cycles",
                    .optional = true, .max = STORE_SEGMENT_MAX }),
              .run = verb_answer },
    .verb = "context",
    .summary = "Make what a model should see, within a budget of tokens",
    .fields = PARAMS(
        { "text", .type = PARAM_TEXT },
        { "prefix_bytes", PARAM_NUMBER, .about = "of it that seldom change" },
        { "tokens", .type = PARAM_NUMBER }, { "budget", .type = PARAM_NUMBER },
        { "results_shown", .type = PARAM_NUMBER },
        { "rules", PARAM_NUMBER, .about = "pinned notes that are approved" },
        { "not_approved", PARAM_NUMBER, .about = "pinned notes that are not" },
        { "damaged", .type = PARAM_NUMBER },
        { "left_out", PARAM_OBJECTS, .fields = left_fields },
        { "parts", PARAM_OBJECTS, .about = "the text, cut at its own lines",
          .fields = part_fields }),
    .searches = true,
    .present = true,
    .run = context,
};
/* clang-format on */

/* --- Care ------------------------------------------------------------------------------------ */

static jot_status stats(ToolCall *c, VerbData *out)
{
    Stats all;
    TRY(care_stats(c->m, c->into, &all, c->e));
    out->json = stats_json(&all);
    for (size_t i = 0; i < all.n; i++) {
        json_t *days = json_array();
        for (size_t d = 0; d < STATS_DAYS; d++)
            json_array_append_new(days, json_integer((json_int_t)all.kinds[i].grew[d]));
        json_object_set_new(json_array_get(json_object_get(out->json, "kinds"), i), "grew", days);
    }
    return JOT_OK;
}

/* clang-format off */
static const Param kind_fields[] = {
    { "kind", .type = PARAM_TEXT }, { "streams", .type = PARAM_NUMBER },
    { "deleted", .type = PARAM_NUMBER }, { "records", .type = PARAM_NUMBER },
    { "bytes", .type = PARAM_NUMBER }, { "damaged", .type = PARAM_NUMBER },
    { "oldest", PARAM_TEXT, .about = "time" }, { "newest", PARAM_TEXT, .about = "time" },
    { "grew", PARAM_NUMBERS, .about = "bytes written on each of the newest 90 days, UTC, today "
                                      "last" }, { 0 } };
static const Verb verb_stats = {
    .tool = { .name = "pad_stats", .title = "Count",
              .about = "How much of each kind is in the pad.",
              .effects = TOOL_READS, .run = verb_answer },
    .verb = "stats",
    .summary = "Count what is in the pad, kind by kind",
    .fields = PARAMS({ "kinds", PARAM_OBJECTS, .fields = kind_fields },
                     { "requests", PARAM_NUMBER, .about = "to the server, where it bills them" }),
    .items = "kinds", .unit = "kind",
    .present = true,
    .run = stats,
};
/* clang-format on */

static void take_fault(void *ctx, const StoreFault *f)
{
    json_t *list = ctx;
    if (json_array_size(list) < PROBLEMS_SHOWN)
        json_array_append_new(list, fault_json(f));
}

static jot_status verify(ToolCall *c, VerbData *out)
{
    CareCount count;
    AUTO_PTR(json_t) problems = json_array();
    VerifyHooks hooks = { .fault = take_fault, .ctx = problems };
    TRY(care_verify(c->m, &hooks, &count, c->e));
    out->json = care_json(&count);
    json_object_set(out->json, "problems", problems);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_verify = {
    .tool = { .name = "pad_verify", .title = "Verify",
              .about = "Read every byte of the pad and report what is wrong.",
              .effects = TOOL_READS, .run = verb_answer },
    .verb = "verify",
    .summary = "Read every byte of the pad and report what is wrong",
    .fields = PARAMS({ "streams", .type = PARAM_NUMBER }, { "records", .type = PARAM_NUMBER },
                     { "bytes", .type = PARAM_NUMBER }, { "faults", .type = PARAM_NUMBER },
                     { "index", PARAM_BOOL, .about = "the search index was compared" },
                     { "index_rows", .type = PARAM_NUMBER },
                     { "heads", PARAM_ANY, .about = "the list of heads it was compared with" },
                     { "problems", .type = PARAM_OBJECTS }),
    .present = true,
    .run = verify,
};

/* clang-format on */

static jot_status where(ToolCall *c, VerbData *out)
{
    StorePromise p = store_promise(c->m->store);
    out->json = json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:o}", "scheme", p.scheme,
                          "read_only", pad_read_only_why(c), "durable", p.durable, "shared",
                          p.shared, "editable", p.edits_seen, "guarded", p.edits_guarded, "holds",
                          p.holds, "caveats", json_text(p.caveats ? str(p.caveats) : S("")));
    return JOT_OK;
}

/* clang-format off */
#define YES(name, words) { name, PARAM_BOOL, .about = words }
static const Verb verb_where = {
    .tool = { .name = "pad_where", .title = "Promises",
              .about = "What the pad's store promises.",
              .effects = TOOL_READS, .run = verb_answer },
    .verb = "where",
    .summary = "Say what the pad's store promises",
    .fields = PARAMS({ "scheme", .type = PARAM_TEXT },
                     { "read_only", PARAM_TEXT, .about = "why; empty: it is not" },
                     YES("durable", "what is acknowledged survives a power loss"),
                     YES("shared", "several processes may use it"),
                     YES("editable", "people may edit the files"),
                     YES("guarded", "an edit during a write is never overwritten unseen"),
                     YES("holds", "a lease can end with its process"),
                     { "caveats", PARAM_TEXT, .about = "one sentence a line" }),
    .present = true,
    .run = where,
};
/* clang-format on */

static void take_trimmed(void *ctx, Str stream, const GcCount *of_it)
{
    json_t *list = ctx;
    if (json_array_size(list) < PROBLEMS_SHOWN)
        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "stream", json_text(stream),
                                              "records", (json_int_t)of_it->records, "bytes",
                                              (json_int_t)of_it->bytes));
}

/* What would go; nothing goes. */
static jot_status gc(ToolCall *c, VerbData *out)
{
    GcCount count;
    GcPolicy policy = { .prefix = arg_text(c, "prefix"),
                        .keep = (uint64_t)arg_number(c, "keep", 0),
                        .bytes = (uint64_t)arg_number(c, "bytes", 0),
                        .dry_run = true };
    AUTO_PTR(json_t) streams = json_array();
    TRY(arg_moment(c, "before", &policy.before_ms));
    TRY(care_gc(c->m, &policy, &(GcHooks){ .each = take_trimmed, .ctx = streams }, &count, c->e));
    out->json =
        json_pack("{s:I, s:I, s:I, s:O}", "count", (json_int_t)count.streams, "records",
                  (json_int_t)count.records, "bytes", (json_int_t)count.bytes, "streams", streams);
    return JOT_OK;
}

/* clang-format off */
static const Param trimmed_fields[] = {
    { "stream", .type = PARAM_TEXT }, { "records", .type = PARAM_NUMBER },
    { "bytes", .type = PARAM_NUMBER }, { 0 } };
static const Verb verb_gc = {
    .tool = { .name = "pad_gc", .title = "What could go",
              .about = "What dropping old versions would free. Nothing is dropped.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "keep", PARAM_NUMBER, .about = "the newest N of each", .optional = true,
                    .min = GC_KEEP_MIN },
                  MOMENT("before", "written before"),
                  { "bytes", PARAM_NUMBER, .about = "beyond this many of each", .optional = true,
                    .min = 1 },
                  { "prefix", PARAM_TEXT, .about = "of names", .optional = true,
                    .max = STORE_NAME_MAX }),
              .run = verb_answer },
    .verb = "gc",
    .summary = "Say what dropping old versions would free",
    .fields = PARAMS({ "count", PARAM_NUMBER, .about = "streams" },
                     { "records", .type = PARAM_NUMBER }, { "bytes", .type = PARAM_NUMBER },
                     { "streams", PARAM_OBJECTS, .fields = trimmed_fields }),
    .present = true,
    .run = gc,
};

static const Verb *const verbs[] = {
    &verb_pad_now, &verb_pad_waiting, &verb_pad_since, &verb_status, &verb_search, &verb_changes,
    &verb_context, &verb_stats, &verb_verify, &verb_where, &verb_gc, NULL };
/* clang-format on */

const Noun noun_pad = {
    .name = "pad",
    .summary = "All of a pad: what is in it, what happened, what is open",
    .verbs = verbs,
    .apart = true,
};
