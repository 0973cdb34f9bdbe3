/* rule.c - approvals: a file a pad, a line an approval.
 *
 * "KEY SHA256 TIME".  Anyone who changes the file holds the state directory's lock from
 * reading to writing, so two approvals at once are both kept.  A line that cannot be
 * read approves nothing. */
#include "memory/context/rule.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/home.h"
#include "base/time.h"
#include "base/utf8.h"

typedef struct FileName {
    char text[32];
} FileName;

bool rule_key(Str key)
{
    return str_eq(key, S(RULE_FIRST)) || str_starts(key, S(RULE_PINNED));
}

/* --- The file -------------------------------------------------------------------------- */

/* False: the pad has no id, so there are no approvals of it. */
static bool name_of(Memory *m, FileName *out)
{
    char id[STORE_PAD_ID + 1] = "";
    Err ignored = { 0 };
    /* One that could not be read has none: it is chosen when it is first asked for. */
    if (store_id(m->store, id, &ignored) != JOT_OK || !id[0])
        return false;
    snprintf(out->text, sizeof out->text, "rules-%s", id);
    return true;
}

/* RULE_FIRST is first by its bytes, too. */
static int compare(const void *a, const void *b)
{
    const Approval *x = a, *y = b;
    return str_cmp(x->key, y->key);
}

static bool read_line(Str line, Approval *out)
{
    Str hash;
    return str_cut(&line, ' ', &out->key) && str_cut(&line, ' ', &hash) &&
           hash_parse(hash, &out->sha256) && rule_key(out->key) && (out->at = line, true);
}

static const Approval *find(const Approvals *a, Str key)
{
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->items[i].key, key))
            return &a->items[i];
    return NULL;
}

jot_status rules_read(Memory *m, Arena *into, Approvals *out, Err *e)
{
    FileName name;
    Str text = { 0 };
    Err why = { 0 };
    AUTO(Fd) dir = FD_NONE;
    *out = (Approvals){ 0 };
    /* Without a state directory no pad need be asked, or given, its id. */
    jot_status st = home_open(m->io, HOME_STATE, false, &dir, &why);
    if (st == JOT_OK && !name_of(m, &name))
        return JOT_OK;
    if (st == JOT_OK)
        st = home_read(m->io, HOME_STATE, name.text, into, &text, &why);
    if (st == JOT_DENIED)
        out->why = why;
    if (st == JOT_DENIED || st == JOT_NOT_FOUND || st == JOT_UNAVAILABLE)
        return JOT_OK;
    TRY(err_pass(e, &why, st));
    Str line;
    out->items = NEW_ARRAY(into, Approval, RULES_MAX);
    while (str_cut(&text, '\n', &line) && out->n < RULES_MAX) {
        Approval x;
        if (read_line(line, &x) && !find(out, x.key))
            out->items[out->n++] = x;
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, compare);
    return JOT_OK;
}

static jot_status write_all(Memory *m, const char *name, const Approvals *a, Err *e)
{
    AUTO(Buf) text = { .max = HOME_FILE_MAX };
    for (size_t i = 0; i < a->n; i++)
        if (a->items[i].key.n)
            buf_addf(&text, STR_FMT " %s " STR_FMT "\n", STR_ARG(a->items[i].key),
                     hash_hex(a->items[i].sha256).text, STR_ARG(a->items[i].at));
    return home_write(m->io, HOME_STATE, name, buf_str(&text), e);
}

/* --- Judging --------------------------------------------------------------------------- */

RuleState rules_judge(const Approvals *a, Str key, Str text)
{
    const Approval *x = find(a, key);
    if (!x)
        return RULE_NOT;
    /* By the bytes that will be shown, not by what a record says of them. */
    return hash_eq(x->sha256, hash_of(text)) ? RULE_APPROVED : RULE_CHANGED;
}

/* --- Changing -------------------------------------------------------------------------- */

static jot_status check_pad(Memory *m, FileName *name, Err *e)
{
    if (name_of(m, name))
        return JOT_OK;
    return err_set(e, JOT_UNSUPPORTED,
                   "the pad has no id and cannot be given one, so nothing in it can be approved: "
                   "use --rules FILE");
}

jot_status rules_check(Memory *m, Str key, Str text, Err *e)
{
    Shown shown;
    FileName name;
    /* The file of approvals has blanks between its words. */
    if (!rule_key(key) || store_check_key(key, NULL) != JOT_OK)
        return err_set(e, JOT_INVALID,
                       "the note '%s' cannot be a rule: only '" RULE_FIRST
                       "' and keys that begin with '" RULE_PINNED "' can, of [A-Za-z0-9_-]+",
                       err_show(&shown, key));
    if (text.n > RULE_BYTES_MAX)
        return err_set(e, JOT_TOO_BIG,
                       "the note '%s' has %zu bytes: a rule has at most %d, so that somebody reads "
                       "it",
                       err_show(&shown, key), text.n, RULE_BYTES_MAX);
    if (!text.n || !utf8_valid(text))
        return err_set(e, JOT_INVALID, "the note '%s' is %s: nothing to approve",
                       err_show(&shown, key), text.n ? "not UTF-8 text" : "empty");
    return check_pad(m, &name, e);
}

static jot_status approve(Memory *m, const char *name, Str key, Str text, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Approvals all;
    TRY(rules_read(m, &arena, &all, e));
    size_t at = 0;
    while (at < all.n && !str_eq(all.items[at].key, key))
        at++;
    if (at == RULES_MAX)
        return err_set(e, JOT_TOO_BIG, "a pad has at most %d rules", RULES_MAX);
    if (!all.items)
        all.items = NEW_ARRAY(&arena, Approval, 1);
    all.n += at == all.n;
    Str now = arena_copy(&arena, str(time_text(io_wall_ms(m->io)).text));
    all.items[at] = (Approval){ key, hash_of(text), now };
    return write_all(m, name, &all, e);
}

jot_status rules_approve(Memory *m, Str key, Str text, Err *e)
{
    Fd lock = FD_NONE;
    FileName name;
    TRY(rules_check(m, key, text, e));
    TRY(check_pad(m, &name, e));
    TRY(home_lock(m->io, HOME_STATE, &lock, e));
    jot_status st = approve(m, name.text, key, text, e);
    home_unlock(m->io, &lock);
    return st;
}

static jot_status forget(Memory *m, const char *name, Str key, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Approvals all;
    bool found = false;
    TRY(rules_read(m, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++)
        if (str_eq(all.items[i].key, key)) {
            all.items[i].key = (Str){ 0 };
            found = true;
        }
    Shown shown;
    if (!found)
        return err_set(e, JOT_NOT_FOUND, "the note '%s' is not approved", err_show(&shown, key));
    return write_all(m, name, &all, e);
}

jot_status rules_revoke(Memory *m, Str key, Err *e)
{
    Fd lock = FD_NONE;
    FileName name;
    TRY(check_pad(m, &name, e));
    TRY(home_lock(m->io, HOME_STATE, &lock, e));
    jot_status st = forget(m, name.text, key, e);
    home_unlock(m->io, &lock);
    return st;
}

/* --- Which notes there are ------------------------------------------------------------- */

jot_status rules_keys(Memory *m, Arena *into, Str **out, size_t *n, Err *e)
{
    Listing first, page;
    const Str kind = S("notes/");
    TRY(store_list(m->store, &(ListQuery){ .prefix = S("notes/" RULE_FIRST), .limit = 1 }, into,
                   &first, e));
    TRY(store_list(m->store,
                   &(ListQuery){ .prefix = S("notes/" RULE_PINNED), .limit = STORE_LIST_MAX }, into,
                   &page, e));
    *out = NEW_ARRAY(into, Str, page.n + 1);
    *n = 0;
    if (first.n && str_eq(first.items[0].name, S("notes/" RULE_FIRST)))
        (*out)[(*n)++] = S(RULE_FIRST);
    for (size_t i = 0; i < page.n; i++)
        (*out)[(*n)++] = str_from(page.items[i].name, kind.n);
    return JOT_OK;
}
