/* checkpoint.c - checkpoints of jotter.h. */
#include "memory/artifact/checkpoint.h"

#include "api/api.h"

static jot_checkpoint *give(jot_pad *p, const Checkpoint *c)
{
    jot_checkpoint *out = NEW_RESULT(p, jot_checkpoint);
    *out = (jot_checkpoint){ .version = c->version,
                             .at_ms = c->at_ms,
                             .by = api_give_name(p, c->by),
                             .label = api_give_name(p, c->label),
                             .undone = c->undone,
                             .restored = c->restored,
                             .live = c->live,
                             .bytes = c->size,
                             .sha256 = api_give_hash(p, c->sha256),
                             .state = api_give_text(p, c->state) };
    return out;
}

jot_status jot_checkpoint_write(jot_pad *pad, const char *run, jot_text state, const char *label,
                                const jot_checkpoint **out)
{
    Str id;
    CheckpointWrite save = { .label = str(label) };
    Checkpoint c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    TRY(api_text(pad, state, &save.state));
    TRY(checkpoint_write(&pad->m, id, &save, &c, api_err(pad)));
    GIVE(out, give(pad, &c));
    return JOT_OK;
}

jot_status jot_checkpoint_read(jot_pad *pad, const char *run, uint64_t version,
                               const jot_checkpoint **out)
{
    Str id;
    Checkpoint c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    TRY(checkpoint_read(&pad->m, id, version, api_arena(pad), &c, api_err(pad)));
    GIVE(out, give(pad, &c));
    return JOT_OK;
}

jot_status jot_checkpoint_undo(jot_pad *pad, const char *run, uint64_t if_version,
                               const jot_checkpoint **out)
{
    Str id;
    Checkpoint c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    TRY(checkpoint_undo(&pad->m, id, if_version, api_arena(pad), &c, api_err(pad)));
    GIVE(out, give(pad, &c));
    return JOT_OK;
}

jot_status jot_checkpoint_list(jot_pad *pad, const char *run, size_t limit,
                               const jot_checkpoints **out)
{
    Str id;
    CheckpointList all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    TRY(api_limit(pad, limit, CHECKPOINT_LIST_MAX, &limit));
    TRY(checkpoint_list(&pad->m, id, limit, api_arena(pad), &all, api_err(pad)));
    const jot_checkpoint **items = NEW_ARRAY(api_arena(pad), const jot_checkpoint *, all.n + 1);
    for (size_t i = 0; i < all.n; i++)
        items[i] = give(pad, &all.items[i]);
    jot_checkpoints *list = NEW_RESULT(pad, jot_checkpoints);
    *list = (jot_checkpoints){ .items = items,
                               .count = all.n,
                               .total = all.total,
                               .depth = all.depth,
                               .damaged = all.damaged };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_checkpoint_trim(jot_pad *pad, const char *run, uint64_t states, int64_t age_ms,
                               uint64_t *dropped)
{
    Str id;
    CheckpointKeep keep = { .states = states, .age_ms = age_ms };
    uint64_t n;
    GIVE(dropped, 0);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    if (age_ms < 0)
        return err_set(api_err(pad), JOT_INVALID, "an age of %lld ms: use 0 or more",
                       (long long)age_ms);
    TRY(checkpoint_trim(&pad->m, id, &keep, &n, api_err(pad)));
    GIVE(dropped, n);
    return JOT_OK;
}
