/* doc.c - documents: reading the head, and replacing it under a condition.
 *
 * A version is given by a few hex digits, a condition needs all of them.  So the
 * head is read first; if the digits name it, the append demands exactly that
 * hash, and fails if somebody was faster.
 *
 * Edit and append are a loop of three steps, bounded by DOC_TRIES_MAX:
 *
 *     read the head  -->  make the new text  -->  write, if the head is still that one
 *          ^                                           |
 *          +--- pause a little <--- CONFLICT ----------+
 *
 * The loser of a race begins again from the text that won, so both changes stay.
 * Only if the caller named a version does the first conflict end it: then he
 * wants to know.
 *
 * A move writes two streams, and nothing is atomic across two:
 *
 *     1. put the text at the new name, if nobody has it; its meta says {"from": old name}
 *     2. delete the old name, if it is still the version that was copied
 *
 * Killed between the two, both names have the text.  The same call again finds its
 * own copy at the new name by that meta and continues with step 2.  If the old one
 * was changed before step 2, it is copied again, over our own copy only. */
#include "memory/doc/doc.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/doc/history_internal.h"

Version version_of(Hash sha256)
{
    Version v;
    snprintf(v.text, sizeof v.text, "%.*s", VERSION_HEX, hash_hex(sha256).text);
    return v;
}

Version version_listed(uint64_t seq, Hash sha256)
{
    return seq ? version_of(sha256) : (Version){ "edited" };
}

jot_status version_check(Str text, Err *e)
{
    bool good = text.n >= VERSION_SHORT && text.n <= HASH_HEX;
    for (size_t i = 0; good && i < text.n; i++)
        good = (text.p[i] >= '0' && text.p[i] <= '9') || (text.p[i] >= 'a' && text.p[i] <= 'f');
    if (good)
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_INVALID, "invalid version '%s': use %d to %d hex digits, as a read gives",
                   err_show(&shown, text), VERSION_SHORT, HASH_HEX);
}

bool version_names(Str text, Hash sha256)
{
    HashHex hex = hash_hex(sha256);
    return text.n >= VERSION_SHORT && text.n <= HASH_HEX && memcmp(text.p, hex.text, text.n) == 0;
}

DocName doc_name(Str stream)
{
    DocName name;
    Shown shown;
    Str word = doc_word(stream);
    if (word.n < stream.n)
        snprintf(name.text, sizeof name.text, "scratchpad[" STR_FMT "]", STR_ARG(word));
    else
        snprintf(name.text, sizeof name.text, "'%s'", err_show(&shown, stream));
    return name;
}

Str doc_title(Str text)
{
    Str line = { 0 };
    for (bool more = utf8_valid(text); more && line.n == 0;) {
        more = str_cut(&text, '\n', &line);
        line = str_trim(more ? line : text);
        while (line.n && line.p[0] == '#')
            line = str_trim(str_from(line, 1));
        if (str_eq(line, S("---"))) /* front matter, or a rule */
            line.n = 0;
    }
    return line;
}

Str doc_word(Str stream)
{
    return str_starts(stream, S("notes/")) ? str_from(stream, 6) : stream;
}

jot_status doc_look(Memory *m, Str stream, bool names, Arena *into, Doc *out, Err *e)
{
    Record head;
    *out = (Doc){ 0 };
    TRY(store_check_name(stream, e));
    Err missing = { 0 };
    jot_status st = names ? memory_head(m, stream, HEAD_RECORD, into, &head, &missing)
                          : store_head(m->store, stream, HEAD_RECORD, into, &head, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    *out = (Doc){ .text = head.body, .by = head.by, .meta = head.meta, .mark = head.mark };
    return JOT_OK;
}

jot_status doc_present(Memory *m, Str stream, Arena *into, Doc *out, Err *e)
{
    return doc_look(m, stream, true, into, out, e);
}

static jot_status not_found(Str stream, Err *e)
{
    return err_set(e, JOT_NOT_FOUND, "%s not found", doc_name(stream).text);
}

jot_status doc_read(Memory *m, Str stream, Arena *into, Doc *out, Err *e)
{
    TRY(doc_present(m, stream, into, out, e));
    return mark_live(&out->mark) ? JOT_OK : not_found(stream, e);
}

jot_status doc_glance(Memory *m, Str stream, Arena *into, Doc *out, Err *e)
{
    TRY(doc_look(m, stream, false, into, out, e));
    return mark_live(&out->mark) ? JOT_OK : not_found(stream, e);
}

jot_status doc_conflict(Str stream, bool absent, const Doc *now, Err *e)
{
    DocName name = doc_name(stream);
    /* Who made it what it is, for the end of the sentence; nothing if nobody signed. */
    char who[96] = "";
    Shown shown;
    bool live = mark_live(&now->mark);
    if (str_eq(now->by, S(STORE_OUTSIDE)))
        snprintf(who, sizeof who, live ? ", edited by hand" : ": it was removed by hand");
    else if (now->by.n)
        snprintf(who, sizeof who, live ? ", written by '%s'" : ": '%s' deleted it",
                 err_show(&shown, now->by));
    if (!live)
        return err_set(e, JOT_CONFLICT, "%s is not there any more%s", name.text, who);
    return err_set(e, JOT_CONFLICT, "%s %s: it is at version %s now%s", name.text,
                   absent ? "exists" : "has changed", version_of(now->mark.sha256).text, who);
}

/* What is to be appended, and on what it depends. */
typedef struct Change {
    const DocIf *when;
    Draft draft;
} Change;

/* Append under a condition; *out is what stands there afterwards. */
static jot_status change(Memory *m, Str stream, const Change *c, Arena *into, Doc *out, Err *e)
{
    const DocIf *when = c->when;
    assert(!(when->absent && when->version.n));
    *out = (Doc){ 0 };
    Expect x = { .kind = when->absent ? EXPECT_ABSENT : EXPECT_ANY };
    /* A few digits become the whole hash here, and the append demands that one: between this look
     * and the append nobody can slip in a text that has the same digits. */
    if (when->version.n) {
        TRY(version_check(when->version, e));
        TRY(doc_present(m, stream, into, out, e));
        if (!mark_live(&out->mark) || !version_names(when->version, out->mark.sha256))
            return doc_conflict(stream, false, out, e);
        TRY(history_only(m, stream, when->version, out->mark.sha256, e));
        x = (Expect){ .kind = EXPECT_HASH, .sha256 = out->mark.sha256 };
    }
    Mark mark;
    jot_status st = memory_append(m, stream, &x, &c->draft, &mark, e);
    if (st == JOT_CONFLICT) {
        /* The caller gets what is there now: that is what it needs to continue. */
        TRY(doc_present(m, stream, into, out, e));
        return doc_conflict(stream, when->absent, out, e);
    }
    if (st == JOT_NOT_FOUND && c->draft.op == OP_DELETE)
        return not_found(stream, e);
    TRY(st);
    assert(mark.seq > 0 && mark.op == c->draft.op);
    *out = (Doc){ .text = c->draft.body, .by = m->by, .meta = c->draft.meta, .mark = mark };
    return JOT_OK;
}

jot_status doc_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out, Err *e)
{
    Change c = { .when = &w->when,
                 .draft = { .op = OP_PUT, .id = w->id, .meta = w->meta, .body = w->text } };
    return change(m, stream, &c, into, out, e);
}

jot_status doc_delete(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out, Err *e)
{
    const DocIf none = { 0 };
    Change c = { .when = when ? when : &none, .draft = { .op = OP_DELETE } };
    return change(m, stream, &c, into, out, e);
}

/* --- Edit and append: read, change, write if nobody else did ---------------------------- */

/* Somebody was faster.  The pause grows, and differs from one loser to the next. */
static void pause_before(Memory *m, int tries)
{
    uint16_t chance;
    io_random(m->io, &chance, sizeof chance);
    int64_t most = tries < 6 ? 200 << tries : 200 << 6;
    io_sleep_us(m->io, 1 + chance % most);
}

/* Texts may hold NULs, so no printf puts them together. */
static Str join(Arena *into, Str a, Str b, Str c)
{
    char *to = arena_alloc(into, a.n + b.n + c.n + 1, 1);
    const Str parts[] = { a, b, c };
    for (size_t i = 0, at = 0; i < COUNT_OF(parts); at += parts[i++].n)
        if (parts[i].n)
            memcpy(to + at, parts[i].p, parts[i].n);
    return (Str){ to, a.n + b.n + c.n };
}

/* An append or an edit: what is to become of the present text. */
typedef struct Rewrite {
    Str stream;
    const DocIf *when;
    const DocAppend *append; /* one of the two */
    DocEdit *edit;
    Arena *into;
} Rewrite;

static jot_status append_text(const Rewrite *r, const Doc *now, Str *out, Err *e)
{
    Str before = mark_live(&now->mark) ? now->text : (Str){ 0 }, added = r->append->text;
    if (before.n + added.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "%s would have %zu bytes: the limit is %d",
                       doc_name(r->stream).text, before.n + added.n, STORE_BODY_MAX);
    bool split = r->append->line && before.n && !str_ends(before, S("\n"));
    *out = join(r->into, before, split ? S("\n") : (Str){ 0 }, added);
    return JOT_OK;
}

static size_t line_at(Str text, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text.p[i] == '\n';
    return line;
}

static jot_status edit_text(const Rewrite *r, const Doc *now, Str *out, Err *e)
{
    Str old = r->edit->old_text, new_text = r->edit->new_text, text = now->text;
    if (!mark_live(&now->mark))
        return not_found(r->stream, e);
    const char *at = text.n ? memmem(text.p, text.n, old.p, old.n) : NULL;
    if (!at)
        return err_set(e, JOT_INVALID, "the text to replace is not in %s: it must be exact",
                       doc_name(r->stream).text);
    size_t offset = (size_t)(at - text.p);
    if (memmem(at + 1, text.n - offset - 1, old.p, old.n)) {
        char places[160] = "";
        size_t n = 0, used = 0;
        for (const char *found = text.p, *end = text.p + text.n;
             n < DOC_PLACES_MAX && (found = memmem(found, (size_t)(end - found), old.p, old.n));
             found++)
            if (n++ < DOC_PLACES_SHOWN)
                used += (size_t)snprintf(places + used, sizeof places - used, "%s%zu",
                                         used ? ", " : "", line_at(text, (size_t)(found - text.p)));
        return err_set(
            e, JOT_INVALID,
            "the text to replace is in %s %s%zu times, at lines %s%s: add more of what is "
            "around it",
            doc_name(r->stream).text, n == DOC_PLACES_MAX ? "at least " : "", n, places,
            n > DOC_PLACES_SHOWN ? " ..." : "");
    }
    r->edit->line = line_at(text, offset);
    Str before = str_slice(text, 0, offset), after = str_from(text, offset + old.n);
    if (before.n + new_text.n + after.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "%s would be larger than the limit of %d bytes",
                       doc_name(r->stream).text, STORE_BODY_MAX);
    *out = join(r->into, before, new_text, after);
    return JOT_OK;
}

/* The loop of the first comment. */
static jot_status rewrite(Memory *m, const Rewrite *r, Doc *out, Err *e)
{
    const DocIf *when = r->when;
    assert(!r->append != !r->edit);
    assert(!(when->absent && when->version.n));
    if (when->version.n)
        TRY(version_check(when->version, e));
    for (int tries = 0;; tries++) {
        Doc now;
        DocWrite w = { 0 };
        TRY(doc_present(m, r->stream, r->into, &now, e));
        bool live = mark_live(&now.mark);
        if ((when->absent && live) ||
            (when->version.n && !(live && version_names(when->version, now.mark.sha256)))) {
            *out = now;
            return doc_conflict(r->stream, when->absent, out, e);
        }
        TRY(r->append ? append_text(r, &now, &w.text, e) : edit_text(r, &now, &w.text, e));
        /* The new text was made from `now`, so it is written over `now` and nothing else. */
        HashHex all = hash_hex(now.mark.sha256);
        w.when = (DocIf){ .absent = !live };
        if (live)
            w.when.version = str(all.text);
        w.meta = live ? meta_kept(now.meta, r->into) : (Str){ 0 };
        jot_status st = doc_write(m, r->stream, &w, r->into, out, e);
        if (st != JOT_CONFLICT || tries + 1 == DOC_TRIES_MAX || when->version.n)
            return st;
        pause_before(m, tries);
    }
}

jot_status doc_append(Memory *m, Str stream, const DocAppend *a, Arena *into, Doc *out, Err *e)
{
    Rewrite r = { .stream = stream, .when = &a->when, .append = a, .into = into };
    return rewrite(m, &r, out, e);
}

jot_status doc_edit(Memory *m, Str stream, DocEdit *w, Arena *into, Doc *out, Err *e)
{
    *out = (Doc){ 0 };
    if (w->old_text.n == 0)
        return err_set(e, JOT_INVALID, "the text to replace cannot be empty");
    if (str_eq(w->old_text, w->new_text))
        return err_set(e, JOT_INVALID, "the new text is the same as the old");
    Rewrite r = { .stream = stream, .when = &w->when, .edit = w, .into = into };
    return rewrite(m, &r, out, e);
}

/* --- Move ------------------------------------------------------------------------------ */

/* True if the target is what an earlier, unfinished move of this document left there. */
static bool half_moved(const Doc *to, Str from, const Doc *old, Arena *into)
{
    return mark_live(&to->mark) && hash_eq(to->mark.sha256, old->mark.sha256) &&
           str_eq(meta_text(to->meta, "from", into), from);
}

/* Delete the old one if it is still what was copied; JOT_CONFLICT if not. */
static jot_status leave(Memory *m, Str from, const Doc *copied, Arena *into, Err *e)
{
    Doc now;
    HashHex all = hash_hex(copied->mark.sha256);
    jot_status st = doc_delete(m, from, &(DocIf){ .version = str(all.text) }, into, &now, e);
    /* Somebody deleted it in between: that is where it was to end. */
    return st == JOT_CONFLICT && !mark_live(&now.mark) ? JOT_OK : st;
}

jot_status doc_keep_file(Memory *m, Str stream, Str *meta, Arena *into, Err *e)
{
    Records oldest;
    if (!str_starts(stream, S("notes/")) || meta_text(*meta, "file", into).n)
        return JOT_OK;
    Err missing = { 0 };
    jot_status st = store_read(m->store, stream, (SeqRange){ 1, 1 }, into, &oldest, &missing);
    if (st != JOT_OK)
        return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
    Str file = oldest.n ? meta_text(oldest.items[0].meta, "file", into) : (Str){ 0 };
    if (file.n)
        *meta = meta_with(*meta, "file", json_stringn(file.p, file.n), into);
    return JOT_OK;
}

/* The meta of what is moved: where it came from, and the name of its file, with the ending it had.
 */
static jot_status moved_meta(Memory *m, Str from, Str to, Arena *into, Str *meta, Err *e)
{
    TRY(doc_keep_file(m, from, meta, into, e));
    *meta = meta_with(*meta, "from", json_stringn(from.p, from.n), into);
    Str file = meta_text(*meta, "file", into);
    Str tail = str_ends(file, S(".md")) ? S(".md") : S(".txt");
    if (file.n && str_starts(to, S("notes/"))) {
        Str name = arena_printf(into, STR_FMT STR_FMT, STR_ARG(doc_word(to)), STR_ARG(tail));
        *meta = meta_with(*meta, "file", json_stringn(name.p, name.n), into);
    }
    return JOT_OK;
}

jot_status doc_move(Memory *m, Str from, Str to, Arena *into, Doc *out, Err *e)
{
    Doc old;
    *out = (Doc){ 0 };
    TRY(store_check_name(to, e));
    TRY(doc_read(m, from, into, &old, e));
    assert(mark_live(&old.mark));
    if (str_eq(from, to))
        return err_set(e, JOT_INVALID, "cannot move %s to itself", doc_name(from).text);
    HashHex seen = { "" }; /* of what we put at the target; "" before that */
    for (int tries = 0;; tries++) {
        DocWrite w = { .text = old.text, .meta = old.meta };
        TRY(moved_meta(m, from, to, into, &w.meta, e));
        w.when = (DocIf){ .version = str(seen.text), .absent = !seen.text[0] };
        /* 1. The text at its new name.  If it is there already by an earlier try, that is done. */
        jot_status st = doc_write(m, to, &w, into, out, e);
        if (st == JOT_CONFLICT && !seen.text[0] && half_moved(out, from, &old, into))
            st = JOT_OK;
        TRY(st);
        /* 2. The old name goes, if it still has what was copied. */
        st = leave(m, from, &old, into, e);
        if (st != JOT_CONFLICT || tries + 1 == DOC_TRIES_MAX)
            return st;
        /* The old one changed after it was copied: copy again, over our own copy only. */
        seen = hash_hex(out->mark.sha256);
        pause_before(m, tries);
        TRY(doc_read(m, from, into, &old, e));
    }
}
