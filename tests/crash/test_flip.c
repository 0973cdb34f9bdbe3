/* test_flip.c - one bit of a pad is not what it was: noticed, or harmless.
 *
 * A small pad is made and everything in it is remembered.  Then one bit of one
 * byte of one of its files is turned over and the pad is read as anybody would
 * read it.  What is answered must be what was written; or the answer must say
 * that something is wrong (a status, a count of damaged records, an edit from
 * outside); or, for what no single answer can show, store_verify must. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/engine.h"
#include "unit/remove.h"
#include "unit/unit.h"

enum { FILES_MAX = 64, STREAMS_MAX = 16, BYTES_MAX = 1 << 20 };

static const char *const streams[] = { "notes/plan", "notes/gone", "memories/a/b.md", "runs/r",
                                       "notes/redacted" };

typedef struct Pad {
    char dir[64], url[96];
    char files[FILES_MAX][256];
    size_t files_n;
} Pad;

/* What is known of one stream. */
typedef struct Known {
    Record head;
    Records all;
} Known;

static Pad *walked; /* nftw has no context */

/* --- The pad --------------------------------------------------------------------------- */

static void append(Store *s, const char *stream, Op op, const char *text)
{
    Err e = { 0 };
    Mark m;
    Draft d = { .op = op, .by = S("ann"), .meta = S("{\"k\":1}"), .body = str(text) };
    if (op == OP_DELETE)
        d.body = (Str){ 0 };
    if (store_append(s, str(stream), NULL, &d, &m, &e) != JOT_OK)
        fail_msg("%s: %s", stream, e.text);
}

static Store *open_pad(const Pad *p, bool read_only, Err *e)
{
    Store *s = NULL;
    StoreOptions o = { .create = !read_only, .read_only = read_only };
    return store_open(&s, str(p->url), &o, e) == JOT_OK ? s : NULL;
}

static int note_file(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    if (kind == FTW_F && walked->files_n < FILES_MAX)
        snprintf(walked->files[walked->files_n++], sizeof walked->files[0], "%s", path);
    return 0;
}

static void make_pad(Pad *p, const char *engine)
{
    Err e = { 0 };
    *p = (Pad){ 0 };
    snprintf(p->dir, sizeof p->dir, "%s/jotter-flip-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->url, sizeof p->url, "%s:%s/pad", engine, p->dir);
    Store *s = open_pad(p, false, &e);
    assert_non_null(s);
    append(s, "notes/plan", OP_PUT, "one\n");
    append(s, "notes/plan", OP_PUT, "one\ntwo \"quoted\"\n");
    append(s, "notes/gone", OP_PUT, "text");
    append(s, "notes/gone", OP_DELETE, "");
    append(s, "memories/a/b.md", OP_PUT, "# title\n");
    append(s, "runs/r", OP_APPEND, "first");
    append(s, "runs/r", OP_APPEND, "second");
    append(s, "runs/r", OP_APPEND, "third");
    append(s, "notes/redacted", OP_PUT, "secret");
    append(s, "notes/redacted", OP_PUT, "open");
    assert_int_equal(store_redact(s, S("notes/redacted"), NULL, 1, &e), JOT_OK);
    store_close(s);
    walked = p;
    assert_int_equal(nftw(p->dir, note_file, 16, FTW_PHYS), 0);
    assert_in_range(p->files_n, 1, FILES_MAX - 1);
}

/* --- Reading it ------------------------------------------------------------------------ */

static bool same_record(const Record *a, const Record *b)
{
    const Mark *m = &a->mark, *n = &b->mark;
    return m->seq == n->seq && m->at_ms == n->at_ms && m->op == n->op && m->fence == n->fence &&
           m->size == n->size && m->redacted == n->redacted && hash_eq(m->sha256, n->sha256) &&
           hash_eq(m->chain, n->chain) && str_eq(a->by, b->by) && str_eq(a->id, b->id) &&
           str_eq(a->meta, b->meta) && str_eq(a->body, b->body);
}

/* True if the answers are those of before, or say that something is wrong. */
static bool head_holds(Store *s, const char *name, const Known *k, Arena *a)
{
    Record r;
    jot_status st = store_head(s, str(name), HEAD_RECORD, a, &r, NULL);
    if (st != JOT_OK)
        return st != JOT_NOT_FOUND;
    return r.mark.seq == 0 || same_record(&r, &k->head);
}

static bool records_hold(Store *s, const char *name, const Known *k, Arena *a)
{
    Records got;
    jot_status st = store_read(s, str(name), (SeqRange){ 1, 100 }, a, &got, NULL);
    if (st != JOT_OK)
        return st != JOT_NOT_FOUND;
    size_t at = 0;
    for (size_t i = 0; i < got.n; i++, at++) {
        while (at < k->all.n && k->all.items[at].mark.seq < got.items[i].mark.seq)
            at++;
        if (at == k->all.n || !same_record(&got.items[i], &k->all.items[at]))
            return got.damaged > 0 && got.items[i].mark.seq == 0;
    }
    return got.n == k->all.n || got.damaged > 0;
}

static bool all_listed(Store *s, Arena *a)
{
    Listing l;
    if (store_list(s, &(ListQuery){ .limit = 100, .which = LIST_ALL }, a, &l, NULL) != JOT_OK)
        return true;
    size_t found = 0;
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        for (size_t k = 0; k < l.n; k++)
            found += str_eq(l.items[k].name, str(streams[i]));
    return found == COUNT_OF(streams) && l.n == COUNT_OF(streams);
}

static bool verify_tells(Store *s)
{
    VerifyCount count = { 0 };
    return store_verify(s, NULL, &count, NULL) != JOT_OK || count.faults > 0;
}

typedef struct Tally {
    unsigned long tried, by_verify;
} Tally;

static void check(const Pad *p, const Known *known, const char *where, size_t at, Tally *t)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    t->tried++;
    Store *s = open_pad(p, true, &e);
    if (!s)
        return; /* refused: that says it */
    bool held = all_listed(s, &a);
    for (size_t i = 0; held && i < COUNT_OF(streams); i++)
        held =
            head_holds(s, streams[i], &known[i], &a) && records_hold(s, streams[i], &known[i], &a);
    if (!held) {
        t->by_verify++;
        held = verify_tells(s);
    }
    store_close(s);
    if (!held)
        fail_msg("a bit at %zu of %s goes unnoticed", at, where);
}

/* --- Turning bits over ------------------------------------------------------------------ */

static void know_all(const Pad *p, Known *known, Arena *a)
{
    Err e = { 0 };
    Store *s = open_pad(p, true, &e);
    assert_non_null(s);
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        Str name = str(streams[i]);
        assert_int_equal(store_head(s, name, HEAD_RECORD, a, &known[i].head, &e), JOT_OK);
        assert_int_equal(store_read(s, name, (SeqRange){ 1, 100 }, a, &known[i].all, &e), JOT_OK);
    }
    assert_false(verify_tells(s));
    store_close(s);
}

static void flip_file(const Pad *p, const Known *known, const char *path, size_t step, Tally *t)
{
    AUTO(Fd) fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    for (off_t at = 0; at < info.st_size; at += (off_t)step) {
        unsigned char was, now;
        assert_int_equal(pread(fd, &was, 1, at), 1);
        now = (unsigned char)(was ^ (1u << (at / (off_t)step % 8)));
        assert_int_equal(pwrite(fd, &now, 1, at), 1);
        check(p, known, path + strlen(p->dir), (size_t)at, t);
        assert_int_equal(pwrite(fd, &was, 1, at), 1);
    }
}

static void flip_everywhere(const char *engine, size_t step)
{
    AUTO(Arena) a = { 0 };
    Pad p;
    Known known[COUNT_OF(streams)];
    Tally t = { 0 };
    make_pad(&p, engine);
    know_all(&p, known, &a);
    for (size_t i = 0; i < p.files_n; i++)
        flip_file(&p, known, p.files[i], step, &t);
    know_all(&p, known, &a); /* all is as it was */
    assert_int_equal(remove_all(p.dir), 0);
    printf("crash %s: %lu bits turned over, %lu such bits told by verify, 0 violations\n", engine,
           t.tried, t.by_verify);
}

static void a_bit_turned_over_in_a_files_pad_is_noticed_or_harmless(void **state)
{
    (void)state;
    flip_everywhere("files", 1);
}

static void a_bit_turned_over_in_a_sqlite_pad_is_noticed_or_harmless(void **state)
{
    (void)state;
    flip_everywhere("sqlite", 13);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bit_turned_over_in_a_files_pad_is_noticed_or_harmless),
        cmocka_unit_test(a_bit_turned_over_in_a_sqlite_pad_is_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
