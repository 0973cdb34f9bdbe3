/* lease_table.c - reading and writing the table of leases.
 *
 *   {"leases":[{"on":"notes/plan","token":7,"by":"ann","ttl_ms":60000,
 *               "until_ms":81234567,"boot":"<32 hex>","prefix":true,"live":true}]}
 *
 * `until_ms` is a moment of the pad's clock (store_clock) in the era named as
 * "boot"; in any other era the lease has expired.  On one machine the clock is
 * CLOCK_BOOTTIME, an era is a boot, and a moment that lies further ahead than the
 * whole time it was taken for cannot be of this boot either.  A server's clock
 * may be set back: such a lease lasts its whole time from now, unless the moment
 * is further ahead than any clock is wrong; and it binds others a margin longer
 * than its holder, who counts from before it asked.  If the clock cannot be
 * asked, no lease is judged: the table cannot be read.
 *
 * If the newest table was damaged, nobody knows who has what: all leases have
 * ended, also those of older tables, and the next token is higher than any that
 * can have been given.  The same holds for a record that is no table, as when
 * another stream's file was put in the place of this one: nobody waits for it. */
#include "memory/lease_table.h"

#include <assert.h>

enum { TRIM_EVERY = 64 };

static bool good_entry(const json_t *entry)
{
    return json_string_length(json_object_get(entry, "on")) > 0 &&
           json_is_string(json_object_get(entry, "by")) &&
           json_is_string(json_object_get(entry, "boot")) &&
           json_is_integer(json_object_get(entry, "token")) &&
           json_is_integer(json_object_get(entry, "ttl_ms")) &&
           json_is_integer(json_object_get(entry, "until_ms"));
}

static bool good_table(const json_t *root)
{
    const json_t *list = json_object_get(root, "leases");
    bool good = json_is_array(list);
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = good_entry(json_array_get(list, i));
    return good;
}

/* The table in the head, or the empty one. */
static json_t *table_of(Store *s, const Record *head)
{
    json_t *root = NULL;
    if (mark_live(&head->mark) && !head->mark.lost) {
        if (json_read(head->body, &root, NULL) == JOT_OK && good_table(root))
            return root;
        json_decref(root);
        store_met_foreign(s, S(LEASE_TABLE), head->mark.seq,
                          "no table of leases: all leases have ended");
    }
    return json_pack("{s:[]}", "leases");
}

jot_status lease_table_read(Store *s, const Io *io, LeaseTable *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(LeaseTable) t = { 0 };
    Record head = { 0 };
    Err missing = { 0 };
    t.asked_ms = io_awake_ms(io);
    jot_status st = store_head(s, S(LEASE_TABLE), HEAD_RECORD, &arena, &head, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_set(e, st, "%s", missing.text);
    /* Not before: what was granted meanwhile would seem to end later than it can. */
    TRY(store_clock(s, &t.time, e));
    t.seq = head.mark.seq;
    t.next = mark_last(&head.mark) + 1;
    t.root = table_of(s, &head);
    t.list = json_object_get(t.root, "leases");
    assert(json_is_array(t.list) && t.next > t.seq);
    *out = TAKE(t);
    return JOT_OK;
}

void lease_table_done(LeaseTable *t)
{
    json_decref(t->root);
    *t = (LeaseTable){ 0 };
}

size_t lease_table_count(const LeaseTable *t)
{
    return json_array_size(t->list);
}

static int64_t member(const json_t *entry, const char *name)
{
    return json_integer_value(json_object_get(entry, name));
}

Lease lease_table_at(const LeaseTable *t, size_t i)
{
    assert(i < lease_table_count(t));
    const json_t *entry = json_array_get(t->list, i);
    Lease l = { .on = json_member(entry, "on"),
                .prefix = json_is_true(json_object_get(entry, "prefix")),
                .token = (uint64_t)member(entry, "token"),
                .by = json_member(entry, "by"),
                .ttl_ms = member(entry, "ttl_ms"),
                .live = json_is_true(json_object_get(entry, "live")) };
    if (!str_eq(json_member(entry, "boot"), str(t->time.era)))
        return l;
    int64_t left_ms = member(entry, "until_ms") - t->time.now_ms;
    if (left_ms > l.ttl_ms && t->time.served && left_ms - l.ttl_ms <= STORE_AHEAD_MS)
        left_ms = l.ttl_ms;
    l.late = left_ms <= 0 && left_ms > -t->time.margin_ms;
    l.left_ms = left_ms > 0 && left_ms <= l.ttl_ms ? left_ms : 0;
    return l;
}

size_t lease_table_find(const LeaseTable *t, uint64_t token)
{
    size_t i = 0, n = lease_table_count(t);
    while (i < n && (uint64_t)member(json_array_get(t->list, i), "token") != token)
        i++;
    return i;
}

void lease_table_drop(LeaseTable *t, size_t i)
{
    assert(i < lease_table_count(t));
    json_array_remove(t->list, i);
}

void lease_table_add(LeaseTable *t, const Lease *l)
{
    assert(t->time.era[0]); /* without an era it would bind nobody */
    assert(l->on.n > 0 && l->ttl_ms > 0);
    json_int_t until_ms = t->time.now_ms + l->ttl_ms;
    json_t *entry = json_pack("{s:s%, s:I, s:s%, s:I, s:I, s:s}", "on", l->on.p, l->on.n, "token",
                              (json_int_t)l->token, "by", l->by.n ? l->by.p : "", l->by.n, "ttl_ms",
                              (json_int_t)l->ttl_ms, "until_ms", until_ms, "boot", t->time.era);
    if (l->prefix)
        json_object_set_new(entry, "prefix", json_true());
    if (l->live)
        json_object_set_new(entry, "live", json_true());
    json_array_append_new(t->list, entry);
}

void lease_table_renew(LeaseTable *t, size_t i, int64_t ttl_ms)
{
    assert(i < lease_table_count(t));
    json_t *entry = json_array_get(t->list, i);
    json_object_set_new(entry, "ttl_ms", json_integer(ttl_ms));
    json_object_set_new(entry, "until_ms", json_integer(t->time.now_ms + ttl_ms));
}

jot_status lease_table_write(Store *s, Str by, LeaseTable *t, const char *event, uint64_t token,
                             Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    assert(lease_table_count(t) <= LEASE_MAX);
    json_write(&text, t->root);
    Draft d = { .op = OP_PUT,
                .by = by,
                .meta = arena_printf(&arena, "{\"event\":\"%s\",\"token\":%llu}", event,
                                     (unsigned long long)token),
                .body = buf_str(&text) };
    Expect x = expect_at(t->seq);
    Mark mark;
    TRY(store_append(s, S(LEASE_TABLE), &x, &d, &mark, e));
    assert(mark.seq == t->next); /* or the token in what was just written is not its seq */
    t->seq = mark.seq;
    t->next = mark.seq + 1;
    /* A table that was not trimmed is longer than it need be, and nothing else. */
    uint64_t dropped;
    if (mark.seq % TRIM_EVERY == 0 &&
        store_trim(s, S(LEASE_TABLE), NULL, mark.seq, &dropped, NULL) != JOT_OK)
        dropped = 0;
    return JOT_OK;
}
