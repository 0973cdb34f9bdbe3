/* watch.c - changes as they come, of jotter.h.
 *
 * A watch stays with the pad from the first call on; another prefix begins
 * another one. */
#include "memory/watch.h"

#include <stdlib.h>
#include <string.h>

#include "api/doc.h"

void api_watch_close(jot_pad *p)
{
    watch_close(p->watch);
    free(p->watched);
    p->watch = NULL;
    p->watched = NULL;
}

static jot_status open_watch(jot_pad *p, Str prefix)
{
    if (p->watch && str_eq(str(p->watched), prefix))
        return JOT_OK;
    Watch *fresh = NULL;
    TRY(watch_open(&fresh, &p->m, &(WatchAsk){ prefix, true }, api_err(p)));
    api_watch_close(p);
    p->watch = fresh;
    p->watched = mem_alloc(prefix.n + 1);
    memcpy(p->watched, prefix.p ? prefix.p : "", prefix.n);
    return JOT_OK;
}

jot_status jot_watch(jot_pad *pad, const char *prefix, int64_t wait_ms, const jot_docs **out)
{
    Change *changes;
    size_t n;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_wait(pad, wait_ms));
    TRY(open_watch(pad, str(prefix)));
    TRY(watch_next(pad->watch, wait_ms, api_arena(pad), &changes, &n, api_err(pad)));
    const jot_doc **items = NEW_ARRAY(api_arena(pad), const jot_doc *, n + 1);
    for (size_t i = 0; i < n; i++)
        items[i] =
            api_give_mark(pad, changes[i].stream, &changes[i].mark, changes[i].by, (Str){ 0 });
    jot_docs *list = NEW_RESULT(pad, jot_docs);
    *list = (jot_docs){ .items = items, .count = n };
    GIVE(out, list);
    return JOT_OK;
}
