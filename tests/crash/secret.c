/* secret.c - looking for it, forgetting it, leaving it behind. */
#include "secret.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool holds(Str text, Str secret)
{
    return text.n && memmem(text.p, text.n, secret.p, secret.n);
}

bool secret_lies(const Live *l, Str secret, char *where, size_t size)
{
    AUTO(Arena) arena = { 0 };
    Image image;
    live_image(l, &arena, &image);
    for (size_t i = 0; i < image.names.n; i++) {
        int inode = image.names.items[i].inode;
        const Content *content = image.contents[inode];
        if (!content || !holds(content->bytes, secret))
            continue;
        tree_path(&image.names, inode, where, size);
        return true;
    }
    return false;
}

/* --- Forgetting -------------------------------------------------------------------------- */

static void count_refusal(void *ctx, Str stream, const char *why)
{
    (void)stream;
    (void)why;
    ++*(size_t *)ctx;
}

static jot_status settle(Store *s, Err *e)
{
    size_t refused = 0;
    TRY(store_settle(s, count_refusal, &refused, e));
    return refused ? err_set(e, JOT_UNAVAILABLE, "%zu streams could not be settled", refused)
                   : JOT_OK;
}

static bool holds_text(void *ctx, Str text)
{
    return holds(text, *(const Str *)ctx);
}

static jot_status forget_quarantined(Store *s, Str secret, Err *e)
{
    QuarantineCount count;
    TRY(store_forget_quarantined(s, (Str){ 0 }, holds_text, &secret, &count, e));
    return count.unread ? err_set(e, JOT_UNAVAILABLE, "something put aside could not be read")
                        : JOT_OK;
}

jot_status secret_do(Store *s, const Action *a, Err *e)
{
    if (a->kind == DO_SETTLE)
        return settle(s, e);
    if (a->kind == DO_FORGET_ASIDE)
        return forget_quarantined(s, str(a->text), e);
    Redaction set = { .seqs = a->seqs, .aside = true };
    while (set.n < SEQS_MAX && a->seqs[set.n])
        set.n++;
    return store_redact_set(s, str(a->stream), NULL, &set, e);
}

size_t secret_again(const Workload *w, const Snapshot *seen, Action out[SECRET_AGAIN_MAX])
{
    const char *streams[SECRET_AGAIN_MAX - 2];
    size_t count = workload_streams(w, streams, SECRET_AGAIN_MAX - 2), n = 0;
    out[n++] = (Action){ .kind = DO_SETTLE, .stream = streams[0] };
    out[n++] = (Action){ .kind = DO_FORGET_ASIDE, .stream = streams[0], .text = w->secret };
    for (size_t i = 0; i < count; i++) {
        const Shot *shot = snapshot_find(seen, str(streams[i]));
        Action set = { .kind = DO_REDACT_SET, .stream = streams[i] };
        size_t seqs = 0;
        for (size_t k = 0; shot && k < shot->n && seqs < SEQS_MAX; k++)
            if (shot->records[k].mark.redacted || holds(shot->records[k].body, str(w->secret)))
                set.seqs[seqs++] = shot->records[k].mark.seq;
        if (seqs)
            out[n++] = set;
    }
    out[n - 1].forgets = true;
    return n;
}

/* --- A writer that died ------------------------------------------------------------------ */

static bool write_to(const Run *r, const char *path, int flags, Str text)
{
    AUTO(Fd) root = open(r->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO(Fd) fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    return fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
}

bool secret_leave(const Run *r, const Action *a)
{
    AUTO(Arena) arena = { 0 };
    const char *slash = strrchr(a->stream, '/'), *pad = r->target->pad;
    Str above = { a->stream, (size_t)(slash - a->stream) };
    bool run = str_eq(above, S("runs"));
    Str file =
        run ? arena_printf(&arena, "%s/runs%s.jsonl", pad, slash)
            : arena_printf(&arena, "%s/streams/" STR_FMT ".d%s.jsonl", pad, STR_ARG(above), slash);
    if (!write_to(r, file.p, O_APPEND, arena_printf(&arena, "{\"seq\":1,\"body\":\"%s", a->text)))
        return false;
    char draft[700];
    return !target_draft(r->target, str(a->stream), draft, sizeof draft) ||
           write_to(r, draft, O_TRUNC, str(a->text));
}
