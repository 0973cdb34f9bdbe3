/* import.c - writing what is not in the pad yet.
 *
 *     a document --> no such stream:           append, with the file's own time
 *                    its head is this text:     unchanged
 *                    an older version, another text, or deleted: skipped and reported; with
 *                                               --replace appended
 *     a log      --> the stream begins with the same lines: append the rest
 *                    it does not:               skipped and reported
 *
 * Each stream decides for itself; there is no record of an import.  Killed at any
 * point, some files have been imported and the others have not, and the next
 * import finds that out by comparing. */
#include "memory/port/import.h"

#include <assert.h>

#include "base/utf8.h"
#include "memory/artifact/line_log.h"

/* --- Documents ------------------------------------------------------------------------- */

typedef struct Seen {
    Hash sha256;
    bool known;
} Seen;

static jot_status look_for(void *ctx, const Record *r)
{
    Seen *p = ctx;
    p->known = p->known || (r->mark.op == OP_PUT && hash_eq(r->mark.sha256, p->sha256));
    return JOT_OK;
}

/* Why a text is not written over what is there, or NULL: there is nothing. */
static jot_status in_the_way(Import *x, Str stream, const Mark *head, Hash sha256, const char **why,
                             Err *e)
{
    Seen seen = { .sha256 = sha256 };
    *why = NULL;
    if (head->op == 0)
        return JOT_OK;
    if (head->op == OP_DELETE) {
        *why = "it was deleted in the pad: use --replace to bring it back";
        return JOT_OK;
    }
    Err missing;
    jot_status st = memory_each_record(
        x->m, stream, &(RecordVisit){ .from = 1, .each = look_for, .ctx = &seen }, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_set(e, st, "%s", missing.text);
    *why = seen.known ? "it is an older version in the pad: use --replace to bring it back"
                      : "it exists with another text: use --replace";
    return JOT_OK;
}

/* What has become of an append. */
static jot_status count_added(Import *x, const ImportDoc *d, jot_status st, const Err *why, Err *e)
{
    if (st == JOT_OK)
        x->report->added++;
    else if (st == JOT_CONFLICT)
        layout_miss(x->report, x->into, st, d->name, "it exists with another text: use --replace");
    else if (st == JOT_INVALID || st == JOT_TOO_BIG)
        layout_miss(x->report, x->into, st, d->name, "%s", why->text);
    else
        return err_set(e, st, "%s", why->text);
    return JOT_OK;
}

/* One that cannot simply be added: something is there, or was. */
static jot_status import_over(Import *x, const ImportDoc *d, Err *e)
{
    Mark head;
    const char *refused = NULL;
    TRY(memory_mark(x->m, d->stream, &head, e));
    Hash sha256 = hash_of(d->text);
    if (head.op == OP_PUT && hash_eq(head.sha256, sha256)) {
        x->report->unchanged++;
        return JOT_OK;
    }
    if (!x->o->replace)
        TRY(in_the_way(x, d->stream, &head, sha256, &refused, e));
    if (refused) {
        layout_miss(x->report, x->into, JOT_CONFLICT, d->name, "%s", refused);
        return JOT_OK;
    }
    Err refusal;
    Mark mark;
    Expect expect = { .kind = x->o->replace ? EXPECT_ANY : EXPECT_ABSENT };
    Draft draft = { .op = OP_PUT, .meta = d->meta, .body = d->text, .at_ms = d->at_ms };
    jot_status st = memory_append(x->m, d->stream, &expect, &draft, &mark, &refusal);
    return count_added(x, d, st, &refusal, e);
}

/* Those that wait for each other to be written. */
struct ImportQueue {
    Arena arena; /* of the texts */
    ImportDoc *docs;
    Append *items;
    size_t n, bytes;
};

static void queue_clear(ImportQueue *q)
{
    arena_free(&q->arena);
    *q = (ImportQueue){ 0 };
}
DEFINE_AUTO(ImportQueue, queue_clear)

jot_status import_flush(Import *x, Err *e)
{
    AUTO(ImportQueue) q = *x->queue;
    *x->queue = (ImportQueue){ 0 };
    if (q.n == 0)
        return JOT_OK;
    TRY(memory_append_many(x->m, q.items, q.n, e));
    /* All were appended on the condition that there is nothing of their name.  The few of which
     * that is not true are looked at one by one. */
    for (size_t i = 0; i < q.n; i++) {
        const Append *a = &q.items[i];
        TRY(a->status == JOT_CONFLICT ? import_over(x, &q.docs[i], e)
                                      : count_added(x, &q.docs[i], a->status, &a->why, e));
    }
    return JOT_OK;
}

jot_status import_go_on(Import *x, Err *e)
{
    const LayoutReport *r = x->report;
    if (!x->o->go_on || x->o->go_on(x->o->ctx, r->files + r->skipped_total, x->total))
        return JOT_OK;
    TRY(import_flush(x, e));
    return err_set(e, JOT_CANCELLED,
                   "interrupted after %llu file%s: what was imported stays, and importing again "
                   "continues",
                   (unsigned long long)r->files, r->files == 1 ? "" : "s");
}

/* A copy that lives as long as it waits. */
static ImportDoc keep_doc(ImportQueue *q, const ImportDoc *d)
{
    ImportDoc kept = *d;
    kept.name = arena_copy(&q->arena, d->name);
    kept.stream = arena_copy(&q->arena, d->stream);
    kept.text = arena_copy(&q->arena, d->text);
    kept.meta = arena_copy(&q->arena, d->meta);
    return kept;
}

jot_status import_document(Import *x, const ImportDoc *d, Err *e)
{
    Err why;
    ImportQueue *q = x->queue;
    if (store_check_name(d->stream, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, d->name, "%s", why.text);
        return JOT_OK;
    }
    if (q->n == STORE_MANY_MAX || (q->n && q->bytes + d->text.n > STORE_MANY_BYTES))
        TRY(import_flush(x, e));
    if (!q->items) {
        q->items = NEW_ARRAY(&q->arena, Append, STORE_MANY_MAX);
        q->docs = NEW_ARRAY(&q->arena, ImportDoc, STORE_MANY_MAX);
    }
    assert(q->n < STORE_MANY_MAX);
    x->report->files++;
    ImportDoc *kept = &q->docs[q->n];
    *kept = keep_doc(q, d);
    /* No record at all: whatever else is there is looked at when this is refused. */
    q->items[q->n++] = (Append){
        .stream = kept->stream,
        .expect = { .kind = EXPECT_SEQ },
        .draft = { .op = OP_PUT, .meta = kept->meta, .body = kept->text, .at_ms = d->at_ms }
    };
    q->bytes += d->text.n;
    return import_go_on(x, e);
}

/* --- Logs ------------------------------------------------------------------------------ */

/* How far a stream goes along with the drafts. */
typedef struct Along {
    const Draft *drafts;
    size_t n, at;
    bool other; /* it is another one */
} Along;

/* A line that was the last one, and not ended, may have been ended and followed by others since. */
static bool same_meta(Str a, Str b)
{
    Str open = S(IMPORT_OPEN);
    return str_eq(str_eq(a, open) ? S("") : a, str_eq(b, open) ? S("") : b);
}

static jot_status go_along(void *ctx, const Record *r)
{
    Along *a = ctx;
    if (a->other || a->at == a->n)
        return JOT_OK;
    const Draft *d = &a->drafts[a->at];
    bool first = a->at > 0 || r->mark.seq == 1;
    a->other = !first || r->mark.op != d->op || !same_meta(r->meta, d->meta) ||
               (d->op != OP_DELETE && !hash_eq(r->mark.sha256, hash_of(d->body)));
    a->at++;
    return JOT_OK;
}

jot_status import_records(Import *x, Str name, Str stream, const Draft *drafts, size_t n, Err *e)
{
    Err why;
    if (store_check_name(stream, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "%s", why.text);
        return JOT_OK;
    }
    x->report->files++;
    Along along = { .drafts = drafts, .n = n };
    jot_status st = memory_each_record(
        x->m, stream, &(RecordVisit){ .from = 1, .each = go_along, .ctx = &along }, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_set(e, st, "%s", why.text);
    if (along.other) {
        layout_miss(x->report, x->into, JOT_CONFLICT, name,
                    "a log of that name exists with other entries");
        return JOT_OK;
    }
    assert(along.at <= n);
    x->report->unchanged += along.at == n;
    /* One record at a time, each after exactly the one before: an import that dies leaves a
     * beginning of the log, and the next one goes along with it as far as it goes. */
    for (size_t i = along.at; i < n; i++) {
        Expect expect = { .kind = EXPECT_SEQ, .seq = i };
        Mark mark;
        TRY(memory_append(x->m, stream, &expect, &drafts[i], &mark, e));
        x->report->added++;
    }
    return JOT_OK;
}

jot_status import_log(Import *x, Str name, Str stream, Str text, int64_t at_ms, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Draft *lines = NULL;
    size_t n = 0, cap = 0;
    Str rest = text, line;
    if (!text.n) {
        layout_skip(x->report, x->into, name, "it is empty: a log has at least one line");
        return JOT_OK;
    }
    while (rest.n) {
        bool ended = str_cut(&rest, '\n', &line);
        if (!ended)
            line = TAKE(rest);
        if (line.n > LINE_LOG_LINE_MAX) {
            layout_miss(x->report, x->into, JOT_TOO_BIG, name, "line %zu has more than %d bytes",
                        n + 1, LINE_LOG_LINE_MAX);
            return JOT_OK;
        }
        lines = arena_grow(&arena, lines, n, &cap, sizeof *lines, alignof(Draft));
        lines[n++] = (Draft){
            .op = OP_APPEND, .meta = ended ? S("") : S(IMPORT_OPEN), .body = line, .at_ms = at_ms
        };
    }
    return import_records(x, name, stream, lines, n, e);
}

/* --- Files ----------------------------------------------------------------------------- */

bool import_read(Import *x, int dir, Str path, Str name, Arena *into, Str *text)
{
    Err why;
    jot_status st = foreign_read(&(ForeignFile){ x->m->io, dir, path.p, .max = STORE_BODY_MAX },
                                 into, text, &why);
    if (st != JOT_OK)
        layout_miss(x->report, x->into, st, name, "%s", why.text);
    else if (!utf8_valid(*text))
        layout_miss(x->report, x->into, JOT_INVALID, name, "it is not UTF-8 at byte %zu",
                    utf8_bad_at(*text));
    else
        return true;
    return false;
}

static jot_status import_lines(Import *x, Str file, Layout layout, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    Err why;
    jot_status st = foreign_read(&(ForeignFile){ x->m->io, x->dir, file.p, .max = IMPORT_FILE_MAX },
                                 &arena, &text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, file, "%s", why.text);
        return JOT_OK;
    }
    return layout == LAYOUT_RUNS    ? import_run_file(x, file, text, e)
           : layout == LAYOUT_BEADS ? import_beads_file(x, file, text, e)
                                    : import_graph_file(x, file, text, e);
}

static jot_status import_all_lines(Import *x, Layout layout, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, x->dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        bool lines = f->regular && str_ends(f->name, S(".jsonl"));
        if (lines && import_layout_of(x->m->io, x->dir, f->name) == layout)
            TRY(import_lines(x, f->name, layout, e));
        else
            import_stray(x, f, f->name,
                         layout == LAYOUT_RUNS    ? "it is not a run"
                         : layout == LAYOUT_BEADS ? "it is no list of issues"
                                                  : "it is not a graph");
    }
    return JOT_OK;
}

void import_stray(Import *x, const ForeignEntry *f, Str name, const char *why)
{
    if (f->name.p[0] == '.')
        layout_skip(x->report, x->into, name, "it is hidden");
    else
        layout_stray(x->report, x->into, name, "%s", f->regular ? why : NOT_A_FILE);
}

static jot_status import_layout(Import *x, const ImportFrom *from, Err *e)
{
    if (from->sqlite)
        return import_sqlite(
            x,
            arena_printf(x->into, STR_FMT "/" STR_FMT, STR_ARG(from->dir), STR_ARG(from->file)).p,
            from->layout, e);
    switch (from->layout) {
    case LAYOUT_NOTES:
        return from->file.n ? import_note_file(x, from->file, e) : import_notes(x, e);
    case LAYOUT_MEMORIES:
        return import_memories(x, from->dir.p, e);
    case LAYOUT_CYCLES:
        return import_cycles(x, e);
    case LAYOUT_ARTIFACTS:
        return import_artifacts(x, e);
    case LAYOUT_RUNS:
    case LAYOUT_GRAPH:
    case LAYOUT_BEADS:
        return from->file.n ? import_lines(x, from->file, from->layout, e)
                            : import_all_lines(x, from->layout, e);
    case LAYOUT_NONE:
    case LAYOUT_MEM0:
    case LAYOUT_LANGGRAPH:
    case LAYOUT_ARCHIVE:
    case LAYOUT_COUNT:
        break;
    }
    return err_set(e, JOT_INVALID, "this layout cannot be imported this way");
}

jot_status import_run(Memory *m, const ImportFrom *from, const ImportOptions *o, Arena *into,
                      LayoutReport *out, Err *e)
{
    static const ImportOptions plain = { 0 };
    Shown shown;
    *out = (LayoutReport){ .layout = from->layout };
    AUTO(Fd) dir = io_open_root(m->io, from->dir.p);
    if (dir < 0)
        return err_errno(e, -dir, "could not open '%s'", err_show(&shown, from->dir));
    AUTO(Fd) project = from->project.n ? io_open_root(m->io, from->project.p) : FD_NONE;
    AUTO(ImportQueue) queue = { 0 };
    Import x = { .m = m,
                 .o = o ? o : &plain,
                 .dir = dir,
                 .project = project < 0 ? FD_NONE : project,
                 .into = into,
                 .queue = &queue,
                 .report = out };
    TRY(import_layout(&x, from, e));
    return import_flush(&x, e);
}
