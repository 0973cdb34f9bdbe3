/* sending.c - an append on its way to a server: sealing, and what is known of it. */
#include "store/sending.h"

#include <assert.h>

void seen_done(Seen *s)
{
    arena_free(&s->arena);
}

size_t sending_window(const Sending *a)
{
    return a->draft->id.n ? STORE_ID_WINDOW : 1;
}

jot_status sending_seal(Store *s, Sending *a, const Seen *seen, uint64_t nonce, Err *e)
{
    Sealing asked = {
        .stream = a->stream,
        .x = a->x,
        .draft = a->draft,
        .head = &seen->head,
        .recent = seen->recent,
        .recent_n = a->draft->id.n ? seen->recent_n : 0,
        .guard_seq = seen->guard_seq,
    };
    jot_status st = store_seal(s, &asked, &a->sealed, &a->again, e);
    a->against = seen->head;
    a->nonce = nonce;
    *a->out = a->sealed.mark;
    return st;
}

bool sending_seal_known(Store *s, Sending *a, const Known *known, uint64_t nonce)
{
    const Mark *head = known_find(known, a->stream);
    if (!head)
        return false;
    Seen seen = { .head = *head, .guard_seq = a->x->guard_seq };
    Err ignored = { 0 };
    return sending_seal(s, a, &seen, nonce, &ignored) == JOT_OK;
}

jot_status sending_done(Sending *a, Known *known, Err *e)
{
    assert(a->sealed.mark.seq > a->against.seq);
    *a->out = a->sealed.mark;
    return known_keep(known, a->stream, &a->sealed.mark, e);
}

jot_status sending_unknown(Err *e)
{
    return err_set(e, JOT_UNKNOWN,
                   "it is not known whether the record was written: its answer was lost, and its "
                   "place was trimmed since");
}
