/* artifact.c - artifacts: JSON documents with a type and a task, and finding them.
 *
 * The stream decides, and it is the only thing that is written: one append makes
 * or replaces an artifact, so a process killed anywhere leaves the old one or
 * the new one.  Everything an index would hold (category, id, type, task, hash,
 * time) is in the name and in the head's header, which a listing gives without
 * reading a body.
 *
 * A person who edits the file leaves a version without meta.  Type and task are
 * then those of the last version that had any, since the person cannot have
 * meant to change what the file does not show. */
#include "memory/artifact/artifact.h"

#include <assert.h>
#include <string.h>

#include "base/time.h"
#include "store/walk.h"

enum { PAGE = 200 };

/* --- Names ----------------------------------------------------------------------------- */

static Str first_segment(Str category)
{
    return str_slice(category, 0, str_find(category, '/'));
}

jot_status artifact_stream(Str category, Str id, Arena *into, Str *out, Err *e)
{
    return memory_name(&(MemoryKind){ ARTIFACT_KIND, "an artifact's id" }, &category, id, into, out,
                       e);
}

/* The stream for a caller who may write anything there. */
static jot_status own_stream(Str category, Str id, Arena *into, Str *out, Err *e)
{
    TRY(artifact_stream(category, id, into, out, e));
    Str first = first_segment(category);
    if (str_eq(first, S(ARTIFACT_TOOL_RESULTS)))
        return err_set(e, JOT_INVALID, "the category '%s' is the sink's: put a tool result there",
                       ARTIFACT_TOOL_RESULTS);
    if (str_eq(first, S(ARTIFACT_INDEX)))
        return err_set(e, JOT_INVALID, "the category '%s' holds index documents: write one as such",
                       ARTIFACT_INDEX);
    return JOT_OK;
}

/* False if the name has no category. */
static bool split(Str stream, Str *category, Str *id)
{
    assert(str_starts(stream, S(ARTIFACT_KIND)));
    Str rest = str_from(stream, strlen(ARTIFACT_KIND));
    size_t slash = str_find_last(rest, '/');
    *category = slash < rest.n ? str_slice(rest, 0, slash) : (Str){ 0 };
    *id = slash < rest.n ? str_from(rest, slash + 1) : rest;
    return slash < rest.n;
}

/* --- Meta ------------------------------------------------------------------------------ */

jot_status artifact_check_task(Str task, Err *e)
{
    char name[sizeof "tasks/" + STORE_SEGMENT_MAX] = "tasks/";
    if (task.n == 0)
        return JOT_OK;
    if (task.n > STORE_SEGMENT_MAX)
        return err_set(e, JOT_INVALID, "a task's id has at most %d bytes", STORE_SEGMENT_MAX);
    memcpy(name + strlen("tasks/"), task.p, task.n);
    return store_check_name((Str){ name, strlen("tasks/") + task.n }, e);
}

static Str make_meta(Str type, Str task, Arena *into)
{
    AUTO_PTR(json_t) meta = json_object();
    AUTO(Buf) text = { 0 };
    if (type.n)
        json_object_set_new(meta, "type", json_text(type));
    if (task.n)
        json_object_set_new(meta, "task_id", json_text(task));
    json_write(&text, meta);
    return json_object_size(meta) ? arena_copy(into, buf_str(&text)) : (Str){ 0 };
}

/* Type and task; NULL, or what is wrong with them. */
static const char *read_meta(Str text, Arena *into, ArtifactRef *ref)
{
    AUTO_PTR(json_t) meta = NULL;
    if (text.n == 0)
        return NULL;
    if (json_read(text, &meta, NULL) != JOT_OK || !json_is_object(meta))
        return "its meta is not a JSON object";
    const json_t *type = json_object_get(meta, "type"), *task = json_object_get(meta, "task_id");
    if (type && !json_is_string(type))
        return "the type in its meta is not a string";
    if (task && !json_is_string(task))
        return "the task_id in its meta is not a string";
    ref->type = arena_copy(into, json_str(type));
    ref->task = arena_copy(into, json_str(task));
    return NULL;
}

typedef struct LastMeta {
    Arena *into;
    Str meta;
} LastMeta;

static jot_status note_meta(void *ctx, const Record *r)
{
    LastMeta *last = ctx;
    if (r->mark.op == OP_DELETE)
        last->meta = (Str){ 0 };
    else if (!str_eq(r->by, S(STORE_OUTSIDE)))
        last->meta = arena_copy(last->into, r->meta);
    return JOT_OK;
}

/* What a version by a person stands for: the meta of the last one before it that had an author. */
static Str inherited(Memory *m, Str stream, Arena *into)
{
    LastMeta last = { .into = into };
    if (memory_each_record(m, stream, &(RecordVisit){ .from = 1, .each = note_meta, .ctx = &last },
                           NULL) != JOT_OK)
        return (Str){ 0 };
    return last.meta;
}

/* NULL, or why this cannot be shown. */
static const char *make_ref(Memory *m, const Listed *l, Arena *into, ArtifactRef *out)
{
    *out = (ArtifactRef){ .by = arena_copy(into, l->by),
                          .sha256 = l->mark.sha256,
                          .at_ms = l->mark.at_ms,
                          .seq = l->mark.seq,
                          .size = l->mark.size };
    if (!split(arena_copy(into, l->name), &out->category, &out->id))
        return "it has no category";
    if (hash_is_zero(l->mark.sha256))
        return "its newest record cannot be read";
    Str meta = l->meta;
    if (meta.n == 0 && (str_eq(l->by, S(STORE_OUTSIDE)) || l->mark.seq == 0))
        meta = inherited(m, l->name, into);
    return read_meta(meta, into, out);
}

ArtifactRef artifact_ref_of(Memory *m, Str stream, const Doc *doc, Arena *into)
{
    ArtifactRef ref;
    Listed l = { .name = stream, .mark = doc->mark, .by = doc->by, .meta = doc->meta };
    make_ref(m, &l, into, &ref);
    return ref;
}

/* --- One artifact ---------------------------------------------------------------------- */

Str artifact_hint(Str json)
{
    AUTO_PTR(json_t) value = NULL;
    AUTO_PTR(json_t) inner = NULL;
    if (json_read(json, &value, NULL) != JOT_OK || !json_is_string(value))
        return (Str){ 0 };
    if (json_read(json_str(value), &inner, NULL) != JOT_OK ||
        !(json_is_object(inner) || json_is_array(inner)))
        return (Str){ 0 };
    return S(
        "this is a string that holds JSON, and was stored as a string: if you meant the value, "
        "write it without the quotes around it");
}

static jot_status lay_out(Str json, Buf *to, Err *e)
{
    AUTO_PTR(json_t) value = NULL;
    if (json.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "an artifact of %zu bytes: the limit is %d", json.n,
                       STORE_BODY_MAX);
    TRY(json_read(json, &value, e));
    *to = (Buf){ .max = STORE_BODY_MAX };
    json_indent(to, json);
    return buf_ok(to) ? JOT_OK
                      : err_set(e, JOT_TOO_BIG, "indented, it has more than %d bytes: the limit",
                                STORE_BODY_MAX);
}

static jot_status write_at(Memory *m, Str stream, const ArtifactWrite *w, Arena *into,
                           ArtifactRef *out, Err *e)
{
    AUTO(Buf) text = { 0 };
    *out = (ArtifactRef){ 0 };
    TRY(lay_out(w->json, &text, e));
    Doc now;
    DocWrite doc = { .text = buf_str(&text), .when = w->when };
    doc.meta = make_meta(w->type, w->task, into);
    jot_status st = doc_write(m, stream, &doc, into, &now, e);
    if (st != JOT_OK && st != JOT_CONFLICT)
        return st;
    if (mark_live(&now.mark))
        *out = artifact_ref_of(m, stream, &now, into);
    return st;
}

jot_status artifact_write(Memory *m, const ArtifactWrite *w, Arena *into, ArtifactRef *out, Err *e)
{
    Str stream;
    TRY(own_stream(w->category, w->id, into, &stream, e));
    TRY(memory_check_word("type", w->type, ARTIFACT_WORD_MAX, e));
    TRY(artifact_check_task(w->task, e));
    return write_at(m, stream, w, into, out, e);
}

/* An older version, by its hash. */
typedef struct Wanted {
    Str version;
    Arena *into;
    Record found; /* the newest that fits; seq 0: none */
    bool several; /* another one fits too */
} Wanted;

static jot_status look_for(void *ctx, const Record *r)
{
    Wanted *w = ctx;
    if (r->mark.op != OP_PUT || !version_names(w->version, r->mark.sha256))
        return JOT_OK;
    w->several =
        w->several || (w->found.mark.seq && !hash_eq(w->found.mark.sha256, r->mark.sha256));
    w->found = (Record){ .mark = r->mark,
                         .by = arena_copy(w->into, r->by),
                         .meta = arena_copy(w->into, r->meta),
                         .body = arena_copy(w->into, r->body) };
    return JOT_OK;
}

static jot_status read_version(Memory *m, Str stream, Str version, Arena *into, Doc *out, Err *e)
{
    Shown a, b;
    Wanted w = { .version = version, .into = into };
    TRY(version_check(version, e));
    jot_status st = doc_read(m, stream, into, out, e);
    if (st == JOT_OK && version.n >= VERSION_HEX && version_names(version, out->mark.sha256))
        return JOT_OK;
    if (st != JOT_NOT_FOUND)
        TRY(st);
    st = memory_each_record(m, stream, &(RecordVisit){ .from = 1, .each = look_for, .ctx = &w }, e);
    if (st != JOT_NOT_FOUND)
        TRY(st);
    if (w.several)
        return err_set(e, JOT_INVALID, "'%s' names more than one version of '%s': use more digits",
                       err_show(&b, version), err_show(&a, stream));
    if (w.found.mark.seq == 0)
        return err_set(e, JOT_NOT_FOUND, "'%s' has no version %s", err_show(&a, stream),
                       err_show(&b, version));
    if (w.found.mark.redacted)
        return err_set(e, JOT_NOT_FOUND, "version %s of '%s' was redacted", err_show(&b, version),
                       err_show(&a, stream));
    *out = (Doc){ w.found.body, w.found.by, w.found.meta, w.found.mark };
    return JOT_OK;
}

static jot_status read_at(Memory *m, Str stream, Str version, Arena *into, Artifact *out, Err *e)
{
    Doc doc;
    AUTO_PTR(json_t) value = NULL;
    *out = (Artifact){ 0 };
    TRY(version.n ? read_version(m, stream, version, into, &doc, e)
                  : doc_read(m, stream, into, &doc, e));
    *out = (Artifact){ artifact_ref_of(m, stream, &doc, into), doc.text };
    if (json_read(doc.text, &value, e) == JOT_OK)
        return JOT_OK;
    if (e) {
        Err why = *e;
        Shown shown;
        return err_set(e, JOT_CORRUPT, "'%s' is %s", err_show(&shown, stream), why.text);
    }
    return JOT_CORRUPT;
}

jot_status artifact_read(Memory *m, const ArtifactRead *r, Arena *into, Artifact *out, Err *e)
{
    Str stream;
    TRY(artifact_stream(r->category, r->id, into, &stream, e));
    return read_at(m, stream, r->version, into, out, e);
}

jot_status artifact_delete(Memory *m, Str category, Str id, const DocIf *when, Arena *into, Err *e)
{
    Str stream;
    Doc gone;
    TRY(artifact_stream(category, id, into, &stream, e));
    return doc_delete(m, stream, when, into, &gone, e);
}

/* --- Finding --------------------------------------------------------------------------- */

static void add_problem(ArtifactList *to, Str name, const char *why, Arena *into)
{
    if (to->problems_total++ >= ARTIFACT_PROBLEMS_MAX)
        return;
    assert(to->problems_n < ARTIFACT_PROBLEMS_MAX);
    if (!to->problems)
        to->problems = NEW_ARRAY(into, ArtifactProblem, ARTIFACT_PROBLEMS_MAX);
    to->problems[to->problems_n++] =
        (ArtifactProblem){ arena_copy(into, name), arena_copy(into, str(why)) };
}

/* The category of an index document, as its author knows it. */
static void strip_index(ArtifactRef *ref)
{
    Str above = S(ARTIFACT_INDEX "/");
    if (str_starts(ref->category, above))
        ref->category = str_from(ref->category, above.n);
}

/* What the name alone decides, so that most are never looked at closer. */
static bool name_fits(const ArtifactQuery *q, Str name)
{
    Str category, id;
    bool whole = split(name, &category, &id);
    bool document = whole && str_eq(first_segment(category), S(ARTIFACT_INDEX));
    if (document != q->documents || (q->id.n && !str_eq(id, q->id)))
        return false;
    if (document)
        category = str_from(category, strlen(ARTIFACT_INDEX) + 1);
    return q->below || q->category.n == 0 || str_eq(category, q->category);
}

static bool fits(const ArtifactQuery *q, const ArtifactRef *ref)
{
    return (q->type.n == 0 || str_eq(ref->type, q->type)) &&
           (q->task.n == 0 || str_eq(ref->task, q->task));
}

/* The names to look at. */
static jot_status prefix_of(const ArtifactQuery *q, Arena *into, Str *out, Err *e)
{
    const char *above = q->documents ? ARTIFACT_KIND ARTIFACT_INDEX "/" : ARTIFACT_KIND;
    Str probe;
    if (q->category.n == 0) {
        *out = str(above);
        return JOT_OK;
    }
    TRY(artifact_stream(q->category, S("x"), into, &probe, e));
    *out = arena_printf(into, "%s" STR_FMT "/", above, STR_ARG(q->category));
    return JOT_OK;
}

/* What is written through here is JSON; a person's edit need not be.  NULL, or what is wrong. */
static const char *look_inside(Memory *m, const Listed *l, Arena *into)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) value = NULL;
    Doc doc;
    Err why = { 0 };
    bool edited = str_eq(l->by, S(STORE_OUTSIDE)) || l->mark.seq == 0;
    if (!edited || doc_glance(m, l->name, &arena, &doc, &why) != JOT_OK)
        return NULL;
    if (json_read(doc.text, &value, &why) == JOT_OK)
        return NULL;
    return arena_printf(into, "it is %s", why.text).p;
}

jot_status artifact_find(Memory *m, const ArtifactQuery *query, Arena *into, ArtifactList *out,
                         Err *e)
{
    ArtifactQuery q = *query;
    Str prefix, after = { 0 };
    if (q.limit > ARTIFACT_FIND_MAX)
        return err_set(e, JOT_INVALID, "one answer has at most %d artifacts", ARTIFACT_FIND_MAX);
    if (q.limit == 0)
        q.limit = ARTIFACT_FIND_MAX;
    TRY(prefix_of(&q, into, &prefix, e));
    if (q.after.n) {
        after = arena_printf(into, ARTIFACT_KIND "%s" STR_FMT,
                             q.documents ? ARTIFACT_INDEX "/" : "", STR_ARG(q.after));
        TRY(store_check_name(after, e));
    }
    *out = (ArtifactList){ .items = NEW_ARRAY(into, ArtifactRef, q.limit) };
    Pages p = pages_new(m->store, &(ListQuery){ .prefix = prefix, .after = after, .limit = PAGE });
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        for (size_t i = 0; i < page.n; i++) {
            ArtifactRef ref;
            /* By the name first, which costs nothing, then by the header; the body is read only
             * where a person may have written it. */
            if (!name_fits(&q, page.items[i].name))
                continue;
            const char *wrong = make_ref(m, &page.items[i], into, &ref);
            if (!wrong && fits(&q, &ref))
                wrong = look_inside(m, &page.items[i], into);
            if (wrong) {
                add_problem(out, page.items[i].name, wrong, into);
            } else if (fits(&q, &ref)) {
                out->more = out->n == q.limit;
                if (out->more)
                    return JOT_OK;
                if (q.documents)
                    strip_index(&ref);
                out->items[out->n++] = ref;
            }
        }
    }
    return JOT_OK;
}

/* --- Named index documents ------------------------------------------------------------- */

static jot_status index_stream(Str category, Str name, Arena *into, Str *out, Err *e)
{
    Str probe;
    TRY(artifact_stream(category, name, into, &probe, e));
    Str below = arena_printf(into, ARTIFACT_INDEX "/" STR_FMT, STR_ARG(category));
    return artifact_stream(below, name, into, out, e);
}

jot_status artifact_index_write(Memory *m, const ArtifactWrite *w, Arena *into, ArtifactRef *out,
                                Err *e)
{
    Str stream;
    TRY(index_stream(w->category, w->id, into, &stream, e));
    ArtifactWrite plain = { .json = w->json, .when = w->when }; /* it has neither type nor task */
    jot_status st = write_at(m, stream, &plain, into, out, e);
    strip_index(out);
    return st;
}

jot_status artifact_index_read(Memory *m, Str category, Str name, Arena *into, Artifact *out,
                               Err *e)
{
    Str stream;
    TRY(index_stream(category, name, into, &stream, e));
    jot_status st = read_at(m, stream, (Str){ 0 }, into, out, e);
    strip_index(&out->ref);
    return st;
}

jot_status artifact_index_delete(Memory *m, Str category, Str name, Arena *into, Err *e)
{
    Str stream;
    Doc gone;
    TRY(index_stream(category, name, into, &stream, e));
    return doc_delete(m, stream, NULL, into, &gone, e);
}

/* --- As JSON --------------------------------------------------------------------------- */

json_t *artifact_ref_json(const ArtifactRef *r)
{
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:I, s:I}", "artifact_id",
                     json_text(r->id), "category", json_text(r->category), "content_hash",
                     hash_hex(r->sha256).text, "at", time_text(r->at_ms).text, "type",
                     json_text_or_null(r->type), "task_id", json_text_or_null(r->task), "by",
                     json_text(r->by), "seq", (json_int_t)r->seq, "size", (json_int_t)r->size);
}

json_t *artifact_json(const Artifact *a)
{
    json_t *out = artifact_ref_json(&a->ref), *data = NULL;
    if (json_read(a->text, &data, NULL) == JOT_OK)
        json_object_set_new(out, "data", data);
    else
        json_object_set_new(out, "text", json_text(a->text));
    return out;
}

json_t *artifact_list_json(const ArtifactList *list)
{
    json_t *items = json_array(), *problems = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(items, artifact_ref_json(&list->items[i]));
    for (size_t i = 0; i < list->problems_n; i++)
        json_array_append_new(problems,
                              json_pack("{s:o, s:o}", "name", json_text(list->problems[i].name),
                                        "why", json_text(list->problems[i].why)));
    return json_pack("{s:o, s:b, s:o, s:I}", "artifacts", items, "more", list->more, "problems",
                     problems, "problems_total", (json_int_t)list->problems_total);
}
