/* artifact.c - artifacts and named indexes of jotter.h. */
#include "memory/artifact/artifact.h"

#include "api/doc.h"

static jot_artifact *give(jot_pad *p, const ArtifactRef *ref, Str text)
{
    jot_artifact *a = NEW_RESULT(p, jot_artifact);
    *a = (jot_artifact){ .category = api_give_name(p, ref->category),
                         .id = api_give_name(p, ref->id),
                         .type = api_give_name(p, ref->type),
                         .task = api_give_name(p, ref->task),
                         .by = api_give_name(p, ref->by),
                         .sha256 = api_give_hash(p, ref->sha256),
                         .at_ms = ref->at_ms,
                         .seq = ref->seq,
                         .bytes = ref->size,
                         .text = api_give_text(p, text) };
    return a;
}

static jot_status read_names(jot_pad *p, const char *category, const char *id, Str *a, Str *b)
{
    TRY(api_name(p, "a category", category, a));
    return api_name(p, "an id", id, b);
}

jot_status jot_artifact_write(jot_pad *pad, const char *category, const char *id, jot_text json,
                              const jot_artifact_options *options, const jot_artifact **out)
{
    jot_artifact_options o;
    ArtifactWrite w = { 0 };
    ArtifactRef ref;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_names(pad, category, id, &w.category, &w.id));
    TRY(api_text(pad, json, &w.json));
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_if(pad, o.if_version, &w.when));
    if (o.if_absent && o.if_version)
        return err_set(api_err(pad), JOT_INVALID, "say if_version or if_absent, not both");
    w.when.absent = o.if_absent;
    w.type = str(o.type);
    w.task = str(o.task);
    jot_status st = artifact_write(&pad->m, &w, api_arena(pad), &ref, api_err(pad));
    if (st == JOT_OK || st == JOT_CONFLICT)
        GIVE(out, give(pad, &ref, (Str){ 0 }));
    return st;
}

jot_status jot_artifact_read(jot_pad *pad, const char *category, const char *id,
                             const char *version, const jot_artifact **out)
{
    Str c, i;
    Artifact a;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_names(pad, category, id, &c, &i));
    if (version && version[0])
        TRY(version_check(str(version), api_err(pad)));
    jot_status st =
        artifact_read(&pad->m, &(ArtifactRead){ .category = c, .id = i, .version = str(version) },
                      api_arena(pad), &a, api_err(pad));
    if (st == JOT_OK || st == JOT_CORRUPT)
        GIVE(out, give(pad, &a.ref, a.text));
    return st;
}

jot_status jot_artifact_delete(jot_pad *pad, const char *category, const char *id,
                               const char *if_version)
{
    Str c, i;
    DocIf when;
    API_BEGIN(pad);
    TRY(read_names(pad, category, id, &c, &i));
    TRY(api_if(pad, if_version, &when));
    return artifact_delete(&pad->m, c, i, &when, api_arena(pad), api_err(pad));
}

static jot_artifacts *give_list(jot_pad *p, const ArtifactList *found)
{
    const jot_artifact **items = NEW_ARRAY(api_arena(p), const jot_artifact *, found->n + 1);
    for (size_t i = 0; i < found->n; i++)
        items[i] = give(p, &found->items[i], (Str){ 0 });
    jot_problem **problems = NEW_RESULTS(p, jot_problem, found->problems_n);
    for (size_t i = 0; i < found->problems_n; i++)
        *problems[i] = (jot_problem){ api_give_name(p, found->problems[i].name),
                                      api_give_name(p, found->problems[i].why) };
    jot_artifacts *list = NEW_RESULT(p, jot_artifacts);
    *list = (jot_artifacts){ .items = items,
                             .count = found->n,
                             .more = found->more,
                             .problems = (const jot_problem *const *)problems,
                             .problems_count = found->problems_n,
                             .problems_total = found->problems_total };
    return list;
}

jot_status jot_artifact_list(jot_pad *pad, const jot_artifact_query *query,
                             const jot_artifacts **out)
{
    jot_artifact_query q;
    ArtifactList found;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, query, &q, sizeof q));
    ArtifactQuery ask = { .category = str(q.category),
                          .below = q.below,
                          .id = str(q.id),
                          .type = str(q.type),
                          .task = str(q.task),
                          .documents = q.indexes,
                          .after = str(q.after) };
    TRY(api_limit(pad, q.limit, ARTIFACT_FIND_MAX, &ask.limit));
    TRY(artifact_find(&pad->m, &ask, api_arena(pad), &found, api_err(pad)));
    GIVE(out, give_list(pad, &found));
    return JOT_OK;
}

/* --- Named indexes ----------------------------------------------------------------------- */

jot_status jot_artifact_index_write(jot_pad *pad, const char *category, const char *name,
                                    jot_text json, const char *if_version, const jot_artifact **out)
{
    ArtifactWrite w = { 0 };
    ArtifactRef ref;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_names(pad, category, name, &w.category, &w.id));
    TRY(api_text(pad, json, &w.json));
    TRY(api_if(pad, if_version, &w.when));
    jot_status st = artifact_index_write(&pad->m, &w, api_arena(pad), &ref, api_err(pad));
    if (st == JOT_OK || st == JOT_CONFLICT)
        GIVE(out, give(pad, &ref, (Str){ 0 }));
    return st;
}

jot_status jot_artifact_index_read(jot_pad *pad, const char *category, const char *name,
                                   const jot_artifact **out)
{
    Str c, n;
    Artifact a;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_names(pad, category, name, &c, &n));
    jot_status st = artifact_index_read(&pad->m, c, n, api_arena(pad), &a, api_err(pad));
    if (st == JOT_OK || st == JOT_CORRUPT)
        GIVE(out, give(pad, &a.ref, a.text));
    return st;
}

jot_status jot_artifact_index_delete(jot_pad *pad, const char *category, const char *name)
{
    Str c, n;
    API_BEGIN(pad);
    TRY(read_names(pad, category, name, &c, &n));
    return artifact_index_delete(&pad->m, c, n, api_arena(pad), api_err(pad));
}
