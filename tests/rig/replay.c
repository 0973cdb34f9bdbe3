/* replay.c - choosing, at every step, what has reached the disk.
 *
 * A candidate is a choice for each uncertain name (a bit: it is there) and for
 * each dirty file (a Variant: see bytes.h).  The first few candidates of a point
 * are the extremes; then systematic ones (each name alone missing, each alone
 * there, each file in each variant), in an order shuffled by the seed so that a
 * cap cuts no kind off, take turns with random ones.
 *
 * Names are kept as `certain`, a Tree, and the steps behind it in order; of
 * these some are durable and always applied, the others are the uncertain
 * ones.  A step is applied as directory entries, not as a system call: a
 * rename whose source was never made still puts its inode where it should be. */
#include "rig/replay.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "rig/bytes.h"

enum {
    UNCERTAIN_MAX = 256, /* names in flight at one time */
    KEYS = 6,            /* candidates that come first at every point */
    STREAK_MAX = 48,     /* random candidates in a row that show nothing new */
};

const char *const model_names[MODEL_COUNT] = { "ordered", "weak", "kill" };

typedef struct Change {
    const Step *step;
    bool durable;
} Change;

typedef struct Replay {
    const Recording *rec;
    const ReplayOptions *options;
    Tree certain;
    Change *changes;
    size_t changes_n, changes_cap;
    size_t uncertain;
    File *files;
    size_t point, begun, acked;
    /* The present candidate. */
    uint64_t kept[UNCERTAIN_MAX / 64];
    Image image;
    uint64_t random;
    size_t fresh;   /* states so far that the visitor had not seen */
    Arena at_point; /* the bytes made for the present point */
} Replay;

static uint64_t next_random(Replay *r)
{
    r->random += 0x9E3779B97F4A7C15u;
    return mix64(r->random, 0x5851F42D4C957F2Du);
}

static bool is_name_step(const Step *s)
{
    return s->kind <= STEP_UNLINK;
}

/* --- Following the steps --------------------------------------------------------------- */

static void apply_names(Tree *t, const Step *s)
{
    switch (s->kind) {
    case STEP_CREATE:
    case STEP_MKDIR:
        tree_set(t, s->dir, s->name, s->hash, s->inode);
        break;
    case STEP_RENAME:
        tree_remove(t, s->dir, s->hash);
        tree_set(t, s->dir2, s->name2, s->hash2, s->inode);
        break;
    case STEP_EXCHANGE:
        tree_set(t, s->dir, s->name, s->hash, s->inode2);
        tree_set(t, s->dir2, s->name2, s->hash2, s->inode);
        break;
    case STEP_UNLINK:
        tree_remove(t, s->dir, s->hash);
        break;
    case STEP_WRITE:
    case STEP_TRUNCATE:
    case STEP_SYNC:
    case STEP_SYNC_FAILED:
    case STEP_SYNC_ALL:
    case STEP_SYNC_ALL_FAILED:
    case STEP_BEGIN:
    case STEP_ACK:
        assert(false); /* these change no names */
    }
}

/* Whether the sync of `inode` makes this change of names durable. */
static bool settles(const Replay *r, int inode, const Step *s)
{
    if (r->options->model == MODEL_ORDERED)
        return true;
    return s->dir == inode || (s->dir2 == inode && s->dir2 >= 0);
}

static void settle_names(Replay *r, int inode)
{
    for (size_t i = 0; i < r->changes_n; i++) {
        Change *c = &r->changes[i];
        if (!c->durable && settles(r, inode, c->step)) {
            c->durable = true;
            r->uncertain--;
        }
    }
    size_t done = 0;
    while (done < r->changes_n && r->changes[done].durable)
        apply_names(&r->certain, r->changes[done++].step);
    r->changes_n -= done;
    if (done)
        memmove(r->changes, r->changes + done, r->changes_n * sizeof *r->changes);
}

/* Of the whole disk: every byte, and every name if it did not fail. */
static void settle_all(Replay *r, bool failed)
{
    for (size_t i = 0; i < r->rec->inodes; i++) {
        if (!r->rec->dirs[i])
            file_settle(&r->files[i], failed);
        else if (!failed)
            settle_names(r, (int)i);
    }
}

static void follow_names(Replay *r, const Step *s)
{
    if (r->changes_n == r->changes_cap) {
        r->changes_cap = r->changes_cap ? r->changes_cap * 2 : 64;
        r->changes = mem_grow(r->changes, r->changes_cap * sizeof *r->changes);
    }
    assert(r->uncertain < UNCERTAIN_MAX);
    r->changes[r->changes_n++] = (Change){ s, false };
    r->uncertain++;
}

static void follow(Replay *r, const Step *s)
{
    if (is_name_step(s))
        follow_names(r, s);
    switch (s->kind) {
    case STEP_WRITE:
    case STEP_TRUNCATE:
        file_write(&r->files[s->inode], (size_t)(s - r->rec->steps));
        break;
    case STEP_SYNC:
        if (!r->rec->dirs[s->inode])
            file_settle(&r->files[s->inode], false);
        settle_names(r, s->inode);
        break;
    case STEP_SYNC_FAILED:
        if (!r->rec->dirs[s->inode])
            file_settle(&r->files[s->inode], true);
        break;
    case STEP_SYNC_ALL:
    case STEP_SYNC_ALL_FAILED:
        settle_all(r, s->kind == STEP_SYNC_ALL_FAILED);
        break;
    case STEP_BEGIN:
        r->begun = (size_t)s->at + 1;
        break;
    case STEP_ACK:
        r->acked = (size_t)s->at + 1;
        break;
    case STEP_CREATE:
    case STEP_MKDIR:
    case STEP_RENAME:
    case STEP_EXCHANGE:
    case STEP_UNLINK:
        break;
    }
}

/* --- Candidates ------------------------------------------------------------------------ */

static void keep_all(Replay *r)
{
    memset(r->kept, 0xFF, sizeof r->kept);
}

static void keep_none(Replay *r)
{
    memset(r->kept, 0, sizeof r->kept);
}

static void flip(Replay *r, size_t i)
{
    r->kept[i / 64] ^= (uint64_t)1 << (i % 64);
}

static bool kept(const Replay *r, size_t i)
{
    return r->kept[i / 64] >> (i % 64) & 1;
}

static void keep_prefix(Replay *r, size_t n)
{
    keep_none(r);
    for (size_t i = 0; i < n; i++)
        flip(r, i);
}

static size_t name_choices(const Replay *r)
{
    return r->options->model == MODEL_ORDERED ? r->uncertain + 1 : 3 * r->uncertain + 1;
}

/* The systematic choices of names: prefixes; and if any subset may be there, one missing, one
 * alone. */
static void choose_names(Replay *r, size_t choice)
{
    size_t n = r->uncertain;
    if (choice <= n) {
        keep_prefix(r, choice);
        return;
    }
    choice -= n + 1;
    if (choice < n)
        keep_all(r);
    else
        keep_none(r);
    flip(r, choice % n);
}

static void choose_names_at_random(Replay *r)
{
    uint64_t dice = next_random(r);
    size_t n = r->uncertain;
    if (n == 0)
        return;
    if (r->options->model == MODEL_ORDERED || dice % 4 == 0) {
        keep_prefix(r, next_random(r) % (n + 1));
        return;
    }
    if (dice % 4 == 1) {
        for (size_t i = 0; i < COUNT_OF(r->kept); i++)
            r->kept[i] = next_random(r);
        return;
    }
    if (dice % 4 == 2)
        keep_all(r);
    else
        keep_none(r);
    for (size_t i = 1 + (dice >> 32) % 3; i > 0; i--)
        flip(r, next_random(r) % n);
}

/* The same kind of variant for every dirty file that has it; BYTES_ALL for the others. */
static void choose_bytes(Replay *r, VariantKind kind)
{
    for (size_t i = 0; i < r->rec->inodes; i++)
        file_choose(&r->files[i], kind);
}

static void choose_bytes_at_random(Replay *r)
{
    bool calm = next_random(r) & 1; /* half of the time most files are whole */
    for (size_t i = 0; i < r->rec->inodes; i++) {
        File *f = &r->files[i];
        if (!f->variants_n)
            continue;
        bool whole = calm && next_random(r) % 4 != 0;
        if (whole) {
            f->chosen = f->variants[0];
            continue;
        }
        uint64_t dice = next_random(r), arg = next_random(r);
        file_choose_random(f, dice, arg);
    }
}

static size_t variant_count(const Replay *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->rec->inodes; i++)
        n += r->files[i].variants_n;
    return n;
}

/* Variant number `which`, counted over all dirty files, for its file alone. */
static void choose_variant(Replay *r, size_t which)
{
    for (size_t i = 0; i < r->rec->inodes; i++) {
        File *f = &r->files[i];
        if (which < f->variants_n) {
            f->chosen = f->variants[which];
            return;
        }
        which -= f->variants_n;
    }
}

/* What the systematic candidates try on all files at once. */
static const VariantKind uniform[] = { BYTES_ALL, BYTES_NONE, BYTES_ZEROS, BYTES_TORN };

static size_t systematic_count(const Replay *r)
{
    return name_choices(r) * COUNT_OF(uniform) + variant_count(r) * 2;
}

static void choose_systematic(Replay *r, size_t i)
{
    size_t names = name_choices(r), uniforms = names * COUNT_OF(uniform);
    if (i < uniforms) {
        choose_names(r, i % names);
        choose_bytes(r, uniform[i / names]);
        return;
    }
    i -= uniforms;
    keep_all(r);
    choose_bytes(r, i % 2 ? BYTES_NONE : BYTES_ALL);
    choose_variant(r, i / 2);
}

static void choose_key(Replay *r, size_t i)
{
    static const struct {
        bool names;
        VariantKind bytes;
    } keys[KEYS] = { { true, BYTES_ALL },   { false, BYTES_NONE }, { true, BYTES_NONE },
                     { true, BYTES_ZEROS }, { true, BYTES_TORN },  { false, BYTES_ALL } };
    if (keys[i].names)
        keep_all(r);
    else
        keep_none(r);
    choose_bytes(r, keys[i].bytes);
}

/* Choose candidate number `i`; false if there are no more.  Numbers come in order from 0. */
static bool choose(Replay *r, size_t i)
{
    bool open = r->uncertain > 0 || variant_count(r) > 0;
    if (i >= 1 && (!open || r->options->model == MODEL_KILL))
        return false;
    if (i < KEYS) {
        choose_key(r, i);
        return true;
    }
    i -= KEYS;
    size_t systematic = systematic_count(r);
    if (i % 2 == 0 && i / 2 < systematic) {
        /* A stride that shares no factor with the count visits each exactly once. */
        size_t stride = 7919, offset = r->options->seed % systematic;
        if (systematic % stride == 0)
            stride = 7907;
        choose_systematic(r, (i / 2 * stride + offset) % systematic);
        return true;
    }
    choose_names_at_random(r);
    choose_bytes_at_random(r);
    return true;
}

/* --- States ---------------------------------------------------------------------------- */

static void build_names(Replay *r)
{
    tree_copy(&r->image.names, &r->certain);
    size_t bit = 0;
    for (size_t i = 0; i < r->changes_n; i++) {
        const Change *c = &r->changes[i];
        if (c->durable || kept(r, bit))
            apply_names(&r->image.names, c->step);
        bit += !c->durable;
    }
}

static void build_image(Replay *r)
{
    build_names(r);
    for (size_t i = 0; i < r->image.names.n; i++) {
        int inode = r->image.names.items[i].inode;
        if (!r->rec->dirs[inode])
            r->image.contents[inode] = file_content(&r->files[inode], &r->at_point);
    }
}

/* How many new states the present point may show: twice its share of what is left, because
 * many points have little to show. */
static size_t new_max(const Replay *r)
{
    size_t last = r->options->point_last < r->rec->n ? r->options->point_last : r->rec->n;
    size_t left = r->options->budget > r->fresh ? r->options->budget - r->fresh : 0;
    size_t share = 2 * left / (last - r->point + 1);
    return share < r->options->new_min ? r->options->new_min : share;
}

/* All states of the present point; false if the visitor has had enough. */
static bool visit_point(Replay *r, Visit (*visit)(void *, const CrashState *), void *ctx)
{
    r->random = mix64(r->options->seed, r->point);
    for (size_t i = 0; i < r->rec->inodes; i++)
        file_offer(&r->files[i]);
    size_t fresh = 0, streak = 0, fresh_max = new_max(r);
    for (size_t i = 0; i < r->options->tries_max && choose(r, i); i++) {
        build_image(r);
        CrashState state = { r->point, i, r->begun, r->acked, &r->image, image_hash(&r->image), r };
        Visit said = visit(ctx, &state);
        if (said == VISIT_STOP)
            return false;
        fresh += said == VISIT_NEW;
        r->fresh += said == VISIT_NEW;
        /* A state nobody has looked at says nothing about those behind it. */
        streak = said == VISIT_SEEN ? streak + 1 : 0;
        bool random = i >= KEYS + 2 * systematic_count(r);
        if (fresh >= fresh_max || (random && streak > STREAK_MAX))
            break;
    }
    arena_free(&r->at_point);
    return true;
}

static void start(Replay *r)
{
    tree_copy(&r->certain, &r->rec->start.names);
    r->files = mem_alloc(r->rec->inodes * sizeof *r->files);
    r->image.inodes = r->rec->inodes;
    r->image.contents = mem_alloc(r->rec->inodes * sizeof *r->image.contents);
    for (size_t i = 0; i < r->rec->inodes; i++) {
        const Content *c = i < r->rec->start.inodes ? r->rec->start.contents[i] : NULL;
        file_init(&r->files[i], r->rec->steps, c ? c->bytes : S(""));
    }
}

static void done(Replay *r)
{
    for (size_t i = 0; i < r->rec->inodes; i++)
        file_done(&r->files[i]);
    arena_free(&r->at_point);
    tree_free(&r->certain);
    tree_free(&r->image.names);
    free(r->image.contents);
    free(r->files);
    free(r->changes);
}

void replay(const Recording *recording, const ReplayOptions *options,
            Visit (*visit)(void *ctx, const CrashState *state), void *ctx)
{
    Replay r = { .rec = recording, .options = options };
    start(&r);
    for (; r.point <= recording->n && r.point <= options->point_last; r.point++) {
        if (r.point)
            follow(&r, &recording->steps[r.point - 1]);
        if (r.point >= options->point_first && !visit_point(&r, visit, ctx))
            break;
    }
    done(&r);
}

bool replay_only(ReplayOptions *options, const char *name)
{
    size_t point, number = 0;
    int n = 0, m = 0;
    int got = sscanf(name, "%zu%n.%zu%n", &point, &n, &number, &m);
    if (got < 1 || name[got == 2 ? m : n] != 0)
        return false;
    options->point_first = options->point_last = point;
    /* However far behind a budget it lies. */
    options->budget = SIZE_MAX / 4;
    if (got == 2)
        options->tries_max = number + 1;
    return true;
}

/* --- In words -------------------------------------------------------------------------- */

static void describe_bytes(const Replay *r, Buf *to, int inode)
{
    char path[400];
    tree_path(&r->image.names, inode, path, sizeof path);
    if (path[0] != '?')
        file_describe(&r->files[inode], path, to);
}

void crash_describe(const CrashState *state, Buf *to)
{
    const Replay *r = state->of;
    buf_addf(to, "  the crash comes after step %zu: %s\n", state->point,
             state->point ? r->rec->steps[state->point - 1].about : "the start");
    size_t bit = 0;
    for (size_t i = 0; i < r->changes_n; i++) {
        const Change *c = &r->changes[i];
        if (!c->durable && !kept(r, bit))
            buf_addf(to, "  not on disk: %s\n", c->step->about);
        bit += !c->durable;
    }
    for (size_t i = 0; i < r->rec->inodes; i++)
        describe_bytes(r, to, (int)i);
}
