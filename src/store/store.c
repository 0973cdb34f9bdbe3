/* store.c - the contract's gatekeeper: every argument, limit and chain is checked here, once,
 * for all engines, and every append is decided here.
 *
 * Invariants this file keeps:
 *   1. An engine sees only names, sizes and texts that are within the limits.
 *   2. A record's seq, time, fence and chain follow from its predecessor by store_next() and
 *      from nothing else.
 *   3. What an engine returns is verified before a caller sees it: bodies against their hash,
 *      neighbours against the chain. */
#include "store/store.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mutant.h"
#include "base/utf8.h"
#include "store/engine.h"
#include "store/record.h"

/* What a verbatim record may carry besides; with it the longest record still fits a line. */
enum { EXTRA_MAX = 16 * 1024 };

/* --- Tables ---------------------------------------------------------------------------- */

/* Adding an engine is one file and one line here. */
static const StoreOps *const engines[] = {
    &files_ops,
    &sqlite_ops,
    &mem_ops,
};

/* The last row stands for every other kind. */
static const StoreKind kinds[] = {
    { .name = "notes", .flat = true, .key = true, .document = true, .tail = ".txt" },
    { .name = "memories", .document = true, .tail = "" },
    { .name = "artifacts", .document = true, .tail = ".json" },
    { .name = "cycles", .flat = true, .key = true, .document = true, .tail = ".yaml" },
    { .name = "runs", .flat = true },
    { .name = "leases", .flat = true },
    { .name = "tasks", .flat = true },
    { .name = "plans", .flat = true },
    { .name = "" },
};

static Str first_segment(Str name)
{
    return str_slice(name, 0, str_find(name, '/'));
}

const StoreKind *store_kind(Str stream)
{
    Str first = first_segment(stream);
    size_t last = COUNT_OF(kinds) - 1;
    for (size_t i = 0; i < last; i++)
        if (str_eq(first, str(kinds[i].name)))
            return &kinds[i];
    return &kinds[last];
}

/* --- Names and limits ------------------------------------------------------------------ */

/* The first control character (C0, DEL or C1) of valid text, or s.n. */
static size_t find_control(Str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool c1 = c == 0xC2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xA0;
        if (c < 0x20 || c == 0x7F || c1)
            return i;
    }
    return s.n;
}

static bool key_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool all_key_chars(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!key_char(s.p[i]))
            return false;
    return true;
}

static bool kind_char(char c)
{
    return key_char(c) && !(c >= 'A' && c <= 'Z');
}

static jot_status check_kind(Str kind, Err *e)
{
    bool good = kind.n > 0 && kind.p[0] >= 'a' && kind.p[0] <= 'z';
    for (size_t i = 0; good && i < kind.n; i++)
        good = kind_char(kind.p[i]);
    Shown shown;
    return good ? JOT_OK
                : err_set(e, JOT_INVALID,
                          "invalid kind '%s': a stream's name begins with [a-z][a-z0-9_-]*/",
                          err_show(&shown, kind));
}

/* One segment; `open_ended` if more bytes may follow, as at the end of a prefix. */
static jot_status check_segment(Str seg, bool open_ended, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, seg);
    if (seg.n == 0 && !open_ended)
        return err_set(e, JOT_INVALID, "a segment of a name cannot be empty");
    if (seg.n > STORE_SEGMENT_MAX)
        return err_set(e, JOT_INVALID, "invalid segment '%s': use at most %d bytes", name,
                       STORE_SEGMENT_MAX);
    if (seg.n && seg.p[0] == '.')
        return err_set(e, JOT_INVALID, "invalid segment '%s': it cannot begin with '.'", name);
    if (!open_ended && (seg.p[seg.n - 1] == '.' || seg.p[seg.n - 1] == ' '))
        return err_set(e, JOT_INVALID, "invalid segment '%s': it cannot end in '.' or a space",
                       name);
    return JOT_OK;
}

/* True if more bytes could make a character of `s`, as at the end of a prefix.  Which bytes may
 * follow depends on the first, but the lowest or the highest continuation always may. */
static bool begins_character(Str s)
{
    char lowest[4], highest[4];
    memset(lowest, '\x80', sizeof lowest);
    memset(highest, '\xBF', sizeof highest);
    for (size_t i = 0; i < s.n && i < sizeof lowest; i++)
        lowest[i] = highest[i] = s.p[i];
    for (size_t n = s.n + 1; n <= sizeof lowest; n++)
        if (utf8_valid((Str){ lowest, n }) || utf8_valid((Str){ highest, n }))
            return true;
    return false;
}

/* What a name, or the beginning of one, may look like whatever its kind. */
static jot_status check_segments(Str name, bool open_ended, Err *e)
{
    Shown shown;
    if (name.n > STORE_NAME_MAX)
        return err_set(e, JOT_INVALID, "invalid name '%s': use at most %d bytes",
                       err_show(&shown, name), STORE_NAME_MAX);
    size_t bad = utf8_bad_at(name);
    if (bad < name.n && !(open_ended && begins_character(str_from(name, bad))))
        return err_set(e, JOT_INVALID, "invalid name '%s': byte %zu is not UTF-8",
                       err_show(&shown, name), bad);
    if (find_control(name) < name.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': control characters are not allowed",
                       err_show(&shown, name));
    Str rest = name, segment;
    while (str_cut(&rest, '/', &segment))
        TRY(check_segment(segment, false, e));
    return check_segment(rest, open_ended, e);
}

/* What the kind adds: depth, keys, and directories that cannot look like a value's file. */
static jot_status check_by_kind(Str name, Err *e)
{
    const StoreKind *kind = store_kind(name);
    Shown shown;
    Str rest = str_from(name, first_segment(name).n + 1);
    if (kind->flat && str_find(rest, '/') < rest.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': %s/ takes one segment",
                       err_show(&shown, name), kind->name);
    if (kind->key && !all_key_chars(rest))
        return err_set(e, JOT_INVALID, "invalid key '%s': use [A-Za-z0-9_-]+",
                       err_show(&shown, rest));
    if (kind->key && rest.n > STORE_KEY_MAX)
        return err_set(e, JOT_INVALID, "invalid key '%s': use at most %d bytes",
                       err_show(&shown, rest), STORE_KEY_MAX);
    Str segment;
    while (kind->tail && kind->tail[0] && str_cut(&rest, '/', &segment))
        if (str_ends(segment, str(kind->tail)))
            return err_set(e, JOT_INVALID,
                           "invalid name '%s': a directory of %s/ cannot end in '%s'",
                           err_show(&shown, name), kind->name, kind->tail);
    return JOT_OK;
}

jot_status store_check_name(Str name, Err *e)
{
    if (name.n == 0)
        return err_set(e, JOT_INVALID, "a stream's name cannot be empty");
    TRY(check_segments(name, false, e));
    TRY(check_kind(first_segment(name), e));
    Shown shown;
    if (str_find(name, '/') == name.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': use KIND/NAME", err_show(&shown, name));
    return check_by_kind(name, e);
}

static jot_status check_by(Str by, Err *e)
{
    Shown shown;
    if (by.n > STORE_BY_MAX || !utf8_valid(by) || find_control(by) < by.n)
        return err_set(
            e, JOT_INVALID,
            "invalid author '%s': use at most %d bytes of UTF-8 without control characters",
            err_show(&shown, by), STORE_BY_MAX);
    if (str_eq(by, S(STORE_OUTSIDE)))
        return err_set(e, JOT_INVALID, "the author '%s' stands for edits made outside Jotter",
                       STORE_OUTSIDE);
    return JOT_OK;
}

static jot_status check_meta(Str meta, Err *e)
{
    if (meta.n == 0)
        return JOT_OK;
    if (meta.n > STORE_META_MAX)
        return err_set(e, JOT_TOO_BIG, "meta of %zu bytes: the limit is %d", meta.n,
                       STORE_META_MAX);
    json_t *value = NULL;
    if (json_read(meta, &value, e) != JOT_OK)
        return err_at(e, "meta");
    bool object = json_is_object(value);
    json_decref(value);
    return object ? JOT_OK : err_set(e, JOT_INVALID, "meta must be a JSON object");
}

static jot_status check_body(Str body, Err *e)
{
    if (body.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "body of %zu bytes: the limit is %d", body.n,
                       STORE_BODY_MAX);
    return JOT_OK;
}

static jot_status check_id(Str id, Err *e)
{
    Shown shown;
    if (id.n > STORE_ID_MAX || !utf8_valid(id) || find_control(id) < id.n)
        return err_set(e, JOT_INVALID,
                       "invalid id '%s': use at most %d bytes of UTF-8 without control characters",
                       err_show(&shown, id), STORE_ID_MAX);
    return JOT_OK;
}

static jot_status check_op(Str stream, Op op, Err *e)
{
    if (op != OP_PUT && op != OP_DELETE && op != OP_APPEND)
        return err_set(e, JOT_INVALID, "op must be put, delete or append");
    if (op == OP_APPEND && store_kind(stream)->document)
        return err_set(e, JOT_INVALID, "%s/ holds documents: write them with put",
                       store_kind(stream)->name);
    return JOT_OK;
}

static jot_status check_draft(Str stream, const Draft *d, Err *e)
{
    TRY(check_op(stream, d->op, e));
    TRY(check_by(d->by, e));
    TRY(check_id(d->id, e));
    TRY(check_meta(d->meta, e));
    TRY(check_body(d->body, e));
    if (d->op == OP_DELETE && d->body.n)
        return err_set(e, JOT_INVALID, "a delete has no body");
    if (d->fence > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a fence token is at most %lld", (long long)STORE_SEQ_MAX);
    return JOT_OK;
}

static jot_status check_expect(Str stream, const Expect *x, Err *e)
{
    if (x->guard.n == 0)
        return JOT_OK;
    if (store_check_name(x->guard, e) != JOT_OK)
        return err_at(e, "guard");
    if (str_eq(x->guard, stream))
        return err_set(e, JOT_INVALID, "a stream cannot guard itself: expect its seq instead");
    return JOT_OK;
}

/* --- Records --------------------------------------------------------------------------- */

bool mark_live(const Mark *m)
{
    return m->op == OP_PUT || m->op == OP_APPEND;
}

Hash record_chain(Hash previous, Str stream, const Record *r)
{
    const Mark *m = &r->mark;
    HashState h;
    hash_init(&h);
    hash_add_field(&h, stream);
    hash_add_u64(&h, (uint64_t)m->at_ms);
    hash_add_field(&h, r->by);
    hash_add_u64(&h, (uint64_t)m->op);
    hash_add_u64(&h, m->fence);
    hash_add_field(&h, r->id);
    hash_add_field(&h, r->meta);
    hash_add(&h, (Str){ (const char *)m->sha256.b, sizeof m->sha256.b });
    Hash header = hash_end(&h);
    hash_init(&h);
    hash_add(&h, (Str){ (const char *)previous.b, sizeof previous.b });
    hash_add(&h, (Str){ (const char *)header.b, sizeof header.b });
    return hash_end(&h);
}

Record store_next(Store *s, Str stream, const Draft *d, const Mark *head)
{
    assert(head->seq < STORE_SEQ_MAX);
    Record r = { .by = d->by, .id = d->id, .meta = d->meta, .body = d->body };
    int64_t now = io_wall_ms(s->io);
    if (now < head->at_ms && !MUTANT(TIME_GOES_BACK))
        now = head->at_ms; /* the clock was set back: time stands still instead */
    uint64_t fence = d->fence > head->fence ? d->fence : head->fence;
    r.mark = (Mark){ .seq = head->seq + 1,
                     .at_ms = now < 0 ? 0 : now,
                     .op = d->op,
                     .fence = fence,
                     .size = d->body.n };
    if (d->op != OP_DELETE)
        r.mark.sha256 = hash_of(d->body);
    r.mark.chain = record_chain(head->chain, stream, &r);
    return r;
}

jot_status store_check_next(Str stream, const Mark *head, const Record *r, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    unsigned long long seq = r->mark.seq;
    if (head->seq && r->mark.seq != head->seq + 1)
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' does not follow %llu", seq, name,
                       (unsigned long long)head->seq);
    if (head->seq && (r->mark.at_ms < head->at_ms || r->mark.fence < head->fence))
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' goes back in time or fence", seq,
                       name);
    bool anchored = head->seq || r->mark.seq == 1;
    if (anchored && !hash_eq(r->mark.chain, record_chain(head->chain, stream, r)))
        return err_set(e, JOT_CONFLICT, "the chain of record %llu of '%s' does not fit", seq, name);
    return JOT_OK;
}

/* --- Deciding an append ---------------------------------------------------------------- */

static const char *conflict_with(const Expect *x, const Mark *head)
{
    switch (x->kind) {
    case EXPECT_ANY:
        return NULL;
    case EXPECT_ABSENT:
        return mark_live(head) ? "it exists" : NULL;
    case EXPECT_SEQ:
        return head->seq != x->seq ? "it is not at that seq" : NULL;
    case EXPECT_HASH:
        return head->op == OP_PUT && hash_eq(head->sha256, x->sha256) ? NULL
                                                                      : "it is not that version";
    }
    return "the expectation is of no known kind";
}

/* The record that carries the draft's id, or NULL. */
static const Record *find_id(const Draft *d, const Record *recent, size_t n)
{
    assert(n <= STORE_ID_WINDOW);
    for (size_t i = 0; d->id.n && i < n; i++)
        if (str_eq(recent[i].id, d->id))
            return &recent[i];
    return NULL;
}

static bool same_content(const Draft *d, const Record *r)
{
    Hash sha256 = { 0 };
    if (d->op != OP_DELETE)
        sha256 = hash_of(d->body);
    return r->mark.op == d->op && str_eq(r->meta, d->meta) && hash_eq(r->mark.sha256, sha256);
}

jot_status store_seal(Store *s, Str stream, const Expect *x, const Draft *d, const Mark *head,
                      const Record *recent, size_t recent_n, uint64_t guard_seq, Record *out,
                      bool *again, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    *again = false;
    *out = (Record){ .mark = *head };
    const Record *same = find_id(d, recent, recent_n);
    if (same && !MUTANT(ID_NOT_LOOKED_UP)) {
        out->mark = same->mark;
        if (!same_content(d, same))
            return err_set(e, JOT_ID_REUSED,
                           "the id was used for other content in record %llu of '%s'",
                           (unsigned long long)same->mark.seq, name);
        *again = true;
        return JOT_OK;
    }
    if (x->guard.n && guard_seq != x->guard_seq)
        return err_set(e, JOT_FENCED, "'%s' was guarded by a lease that has changed", name);
    if (d->fence && d->fence < head->fence && !MUTANT(FENCE_NOT_CHECKED))
        return err_set(e, JOT_FENCED, "'%s' was written under token %llu; %llu is too old", name,
                       (unsigned long long)head->fence, (unsigned long long)d->fence);
    const char *wrong = conflict_with(x, head);
    if (wrong)
        return err_set(e, JOT_CONFLICT, "'%s' has changed: %s (seq %llu now)", name, wrong,
                       (unsigned long long)head->seq);
    if (d->op == OP_DELETE && !mark_live(head))
        return store_not_found(e, stream);
    if (head->seq >= STORE_SEQ_MAX)
        return err_set(e, JOT_TOO_BIG, "'%s' cannot hold more records", name);
    *out = store_next(s, stream, d, head);
    return JOT_OK;
}

uint64_t store_trim_from(const Mark *head, uint64_t before)
{
    uint64_t keep = head->seq > STORE_ID_WINDOW ? head->seq - STORE_ID_WINDOW + 1 : 1;
    return before < keep ? before : keep;
}

jot_status store_check_redact(Str stream, const Mark *head, const Mark *m, Err *e)
{
    Shown shown;
    if (m->op == OP_DELETE)
        return err_set(e, JOT_INVALID, "record %llu of '%s' is a tombstone: there is no body",
                       (unsigned long long)m->seq, err_show(&shown, stream));
    if (m->seq == head->seq && m->op == OP_PUT)
        return err_set(e, JOT_INVALID,
                       "record %llu of '%s' is the live value: write a new version first",
                       (unsigned long long)m->seq, err_show(&shown, stream));
    return JOT_OK;
}

/* --- Shared sentences ------------------------------------------------------------------ */

jot_status store_not_found(Err *e, Str stream)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "'%s' not found", err_show(&shown, stream));
}

jot_status store_name_taken(Err *e, Str stream, Str other)
{
    Shown a, b;
    bool above = str_starts(stream, other);
    return err_set(e, JOT_INVALID, "cannot create '%s': '%s' %s", err_show(&a, stream),
                   err_show(&b, other),
                   above ? "is not a directory" : "is in it, so it is a directory");
}

jot_status store_refuse_write(const Store *s, Err *e)
{
    return err_set(e, JOT_READ_ONLY, "this pad is open read-only: %s", s->read_only_why);
}

void store_met(Store *s, uint64_t *counter, const char *fmt, ...)
{
    (*counter)++;
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->report.last, sizeof s->report.last, fmt, args);
    va_end(args);
}

/* --- The operations -------------------------------------------------------------------- */

void store_init(Store *s, const StoreOps *ops, const StoreOptions *o)
{
    s->ops = ops;
    s->io = o->io ? o->io : &io_system;
    s->wait_ms = o->wait_ms == 0 ? STORE_WAIT_MS : o->wait_ms < 0 ? 0 : o->wait_ms;
    if (o->read_only)
        snprintf(s->read_only_why, sizeof s->read_only_why, "it was asked for");
}

static jot_status check_writable(const Store *s, Err *e)
{
    return s->read_only_why[0] ? store_refuse_write(s, e) : JOT_OK;
}

jot_status store_append(Store *s, Str stream, const Expect *expect, const Draft *draft, Mark *out,
                        Err *e)
{
    static const Expect any = { .kind = EXPECT_ANY };
    assert(s && draft && out);
    *out = (Mark){ 0 };
    TRY(store_check_name(stream, e));
    TRY(check_expect(stream, expect ? expect : &any, e));
    TRY(check_draft(stream, draft, e));
    TRY(check_writable(s, e));
    return s->ops->append(s, stream, expect ? expect : &any, draft, out, e);
}

/* Bodies came from outside the process: they must be what their header says. */
static jot_status check_record(Str stream, const Record *r, Err *e)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return JOT_OK;
    if (r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256))
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_CORRUPT, "record %llu of '%s' does not have the hash in its header",
                   (unsigned long long)m->seq, err_show(&shown, stream));
}

jot_status store_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    assert(s && into && out);
    TRY(store_check_name(stream, e));
    return s->ops->head(s, stream, want, into, out, e);
}

jot_status store_read(Store *s, Str stream, uint64_t from, size_t limit, Arena *into, Records *out,
                      Err *e)
{
    assert(s && into && out);
    TRY(store_check_name(stream, e));
    if (limit == 0 || limit > STORE_READ_MAX)
        return err_set(e, JOT_INVALID, "a read takes 1 to %d records", STORE_READ_MAX);
    if (from > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a seq is at most %lld", (long long)STORE_SEQ_MAX);
    Records got = { 0 };
    TRY(s->ops->read(s, stream, from, limit, into, &got, e));
    for (size_t i = 0; i < got.n; i++) {
        TRY(check_record(stream, &got.items[i], e));
        const Record *before = i ? &got.items[i - 1] : NULL;
        bool neighbours = before && before->mark.seq + 1 == got.items[i].mark.seq;
        if (neighbours && store_check_next(stream, &before->mark, &got.items[i], e) != JOT_OK) {
            e->status = JOT_CORRUPT;
            return JOT_CORRUPT;
        }
    }
    *out = got;
    return JOT_OK;
}

jot_status store_list(Store *s, Str prefix, Str after, size_t limit, ListWhich which, Arena *into,
                      Listing *out, Err *e)
{
    assert(s && into && out);
    if (limit == 0 || limit > STORE_LIST_MAX)
        return err_set(e, JOT_INVALID, "a list takes 1 to %d names", STORE_LIST_MAX);
    if (check_segments(prefix, true, e) != JOT_OK)
        return err_at(e, "prefix");
    if (after.n && store_check_name(after, e) != JOT_OK)
        return err_at(e, "after");
    return s->ops->list(s, prefix, after, limit, which, into, out, e);
}

jot_status store_changes(Store *s, const Cursor *cursor, int64_t wait_ms, Arena *into, Changes *out,
                         Err *e)
{
    static const Cursor start = { "" };
    assert(s && into && out);
    const Cursor *from = cursor ? cursor : &start;
    if (!memchr(from->text, 0, sizeof from->text))
        return err_set(e, JOT_INVALID, "a cursor has at most %d bytes", STORE_CURSOR_MAX - 1);
    return s->ops->changes(s, from, wait_ms < 0 ? 0 : wait_ms, into, out, e);
}

jot_status store_trim(Store *s, Str stream, uint64_t before, uint64_t *dropped, Err *e)
{
    assert(s && dropped);
    *dropped = 0;
    TRY(store_check_name(stream, e));
    TRY(check_writable(s, e));
    return s->ops->trim(s, stream, before, dropped, e);
}

jot_status store_redact(Store *s, Str stream, uint64_t seq, Err *e)
{
    assert(s);
    TRY(store_check_name(stream, e));
    TRY(check_writable(s, e));
    return s->ops->redact(s, stream, seq, e);
}

jot_status store_purge(Store *s, Str stream, Str by, Mark *out, Err *e)
{
    assert(s && out);
    *out = (Mark){ 0 };
    TRY(store_check_name(stream, e));
    TRY(check_by(by, e));
    TRY(check_writable(s, e));
    return s->ops->purge(s, stream, by, out, e);
}

/* Members of a newer version lie in a record's line as they are, so the codec must give back what
 * it was given. */
static jot_status check_extra(Str extra, Err *e)
{
    if (extra.n == 0)
        return JOT_OK;
    if (extra.n > EXTRA_MAX)
        return err_set(e, JOT_TOO_BIG, "members of a newer version take %zu bytes: the limit is %d",
                       extra.n, EXTRA_MAX);
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) line = { 0 };
    Record back = { .mark = { .seq = 1, .op = OP_PUT, .sha256 = hash_of(S("")) }, .extra = extra };
    record_write(&line, &back);
    bool one_line = str_find(extra, '\n') == extra.n && str_find(extra, '\r') == extra.n;
    if (!one_line || record_read(buf_str(&line), RECORD_ALL, &arena, &back, NULL) != JOT_OK ||
        !str_eq(back.extra, extra))
        return err_set(e, JOT_INVALID,
                       "members of a newer version must be those of JSON, on one "
                       "line, and none of this version's");
    return JOT_OK;
}

/* A verbatim record has passed store.c once before, somewhere; it is not believed. */
static jot_status check_verbatim(Str stream, const Record *r, Err *e)
{
    Draft d = { .op = r->mark.op, .id = r->id, .meta = r->meta, .body = r->body };
    if (!str_eq(r->by, S(STORE_OUTSIDE)))
        d.by = r->by;
    TRY(check_draft(stream, &d, e));
    if (r->mark.seq == 0 || r->mark.seq > STORE_SEQ_MAX || r->mark.at_ms < 0 ||
        r->mark.fence > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a record's seq, time or fence is out of range");
    if (r->mark.size > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "body of %llu bytes: the limit is %d",
                       (unsigned long long)r->mark.size, STORE_BODY_MAX);
    TRY(check_extra(r->extra, e));
    if (r->mark.redacted && (r->body.n || r->mark.op == OP_DELETE))
        return err_set(e, JOT_INVALID, "a redacted record has no body and is not a tombstone");
    if (r->mark.op == OP_DELETE && (r->mark.size || !hash_is_zero(r->mark.sha256)))
        return err_set(e, JOT_INVALID, "a tombstone has no size and no sha256");
    return check_record(stream, r, e);
}

jot_status store_put_records(Store *s, Str stream, const Record *records, size_t n, Err *e)
{
    assert(s && records && n);
    TRY(store_check_name(stream, e));
    for (size_t i = 0; i < n; i++) {
        TRY(check_verbatim(stream, &records[i], e));
        if (i)
            TRY(store_check_next(stream, &records[i - 1].mark, &records[i], e));
    }
    TRY(check_writable(s, e));
    return s->ops->put_records(s, stream, records, n, e);
}

/* --- Opening --------------------------------------------------------------------------- */

jot_status store_open(Store **out, Str url, const StoreOptions *options, Err *e)
{
    static const StoreOptions plain = { 0 };
    assert(out);
    AUTO(Arena) arena = { 0 };
    Url parsed;
    TRY(url_parse(url, &arena, &parsed, e));
    for (size_t i = 0; i < COUNT_OF(engines); i++)
        if (str_eq(parsed.scheme, str(engines[i]->scheme)))
            return engines[i]->open(out, &parsed, options ? options : &plain, e);
    Shown shown;
    return err_set(e, JOT_UNSUPPORTED, "no engine '%s': use files:DIR, sqlite:FILE or mem:",
                   err_show(&shown, parsed.scheme));
}

void store_close(Store *s)
{
    if (s)
        s->ops->close(s);
}

const StoreReport *store_report(const Store *s)
{
    return &s->report;
}

const char *store_read_only_why(const Store *s)
{
    return s->read_only_why;
}

StorePromise store_promise(const Store *s)
{
    return s->ops->promise(s);
}
