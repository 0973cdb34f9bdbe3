/* fuzz_stream.c - any bytes as the files of a pad, opened like any other.
 *
 * The first byte says which file the rest becomes: a stream, its view, its
 * draft, `recent`, `checked`, `format` ...  Then the pad is opened, read,
 * written to and opened again, in the same boot and in the next.  Whatever the
 * bytes are:
 *   1. nothing crashes, and every refusal has a status and a sentence;
 *   2. every record that could be read before can be read after, or its bytes
 *      lie in quarantine/; the text of a head, which may be a person's or
 *      stand in a damaged record, is somewhere in the pad;
 *   3. an append works or is refused, and one that worked is there afterwards;
 *   4. what can be opened once can be opened again. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "fuzz/fuzz.h"
#include "store/record.h"
#include "store/store.h"

#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"
#define NOTE "notes/x"
#define RUN "runs/x"

const char *const fuzz_words[] = {
    "{\"seq\":1,\"at\":2,\"by\":\"a\",\"op\":\"put\",",
    "{\"seq\":2,",
    "\"op\":\"delete\",",
    "\"sha256\":\"" ZERO "\",\"size\":0,",
    "\"chain\":\"" ZERO "\"",
    ",\"body\":\"\"}\n",
    ",\"body\":{}}\n",
    ",\"body\":[{\"seq\":2,",
    ",\"redacted\":true",
    "\"meta\":{\"seq\":3},",
    "}\n",
    "\n",
    "jotter 1 1\n",
    "jotter 3 3\n",
    "jotter 1 1 casefold\n",
    "jotter recent 0123456789abcdef\n",
    "notes/x\n",
    "runs/x\n",
    "11111111111111111111111111111111",
    "9223372036854775807",
    "9223372036854775806",
    NULL,
};

/* What the bytes can become; the letter stands first in the input. */
static const struct {
    char letter;
    const char *path;
} places[] = {
    { 's', "streams/notes.d/x.jsonl" },
    { 'r', "runs/x.jsonl" },
    { 'v', "notes/x.txt" },
    { 'd', "notes/.x.txt.new" },
    { 'n', "recent" },
    { 'c', "checked" },
    { 'f', "format" },
    { 'p', ".checking" },
    { 'g', ".gitignore" },
    { 'w', "runs/.x.jsonl.new" },
    { 'l', "quarantine/x.late" },
};

static const char *const boots[] = { "11111111111111111111111111111111",
                                     "22222222222222222222222222222222" };

static int64_t still(void *ctx)
{
    (void)ctx;
    return 1763241838000;
}

static void no_sleep(void *ctx, int64_t us)
{
    (void)ctx;
    (void)us;
}

/* --- The pad ------------------------------------------------------------------------------- */

/* A new pad for every input, below one directory of this process. */
static char base[64], pad[96];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_base(void)
{
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void fresh_pad(void)
{
    if (!base[0]) {
        const char *tmp = getenv("TMPDIR");
        snprintf(base, sizeof base, "%s/jotter-fuzz-XXXXXX", tmp && tmp[0] ? tmp : "/dev/shm");
        MUST(mkdtemp(base));
        atexit(remove_base);
    }
    snprintf(pad, sizeof pad, "%s/pad", base);
    nftw(pad, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static Store *open_pad(const char *boot, bool create, Err *e)
{
    static Io io;
    io = (Io){ .wall_ms = still, .sleep_us = no_sleep, .boot_id = boot };
    StoreOptions options = { .io = &io, .create = create, .wait_ms = -1 };
    char url[128];
    Store *s = NULL;
    snprintf(url, sizeof url, "files:%s", pad);
    *e = (Err){ 0 };
    jot_status st = store_open(&s, str(url), &options, e);
    if (st != JOT_OK)
        MUST_SAY(*e, st);
    MUST((st == JOT_OK) == (s != NULL));
    return s;
}

static void write_file(const char *path, Str bytes)
{
    char full[192];
    snprintf(full, sizeof full, "%s/%s", pad, path);
    for (char *slash = strchr(full + strlen(pad) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    AUTO(Fd) fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n);
}

/* A pad with a note of two versions and a log of two entries. */
static void make_pad(void)
{
    Err e;
    Mark m;
    Store *s = open_pad(boots[0], true, &e);
    MUST(s);
    for (int i = 0; i < 2; i++) {
        Draft text = { .op = OP_PUT, .by = S("ann"), .body = i ? S("second") : S("first") };
        MUST(store_append(s, S(NOTE), NULL, &text, &m, &e) == JOT_OK);
        text.op = OP_APPEND;
        MUST(store_append(s, S(RUN), NULL, &text, &m, &e) == JOT_OK);
    }
    store_close(s);
}

/* Its files, so that it is made only once. */
static struct {
    const char *path;
    char bytes[1024];
    ssize_t n;
} files[] = { { .path = "format" },       { .path = "checked" },
              { .path = "recent" },       { .path = "streams/notes.d/x.jsonl" },
              { .path = "runs/x.jsonl" }, { .path = "notes/x.txt" } };

static void fill_pad(void)
{
    static bool made;
    if (!made)
        make_pad();
    else
        mkdir(pad, 0700);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%s", pad, files[i].path);
        AUTO(Fd) fd = made ? FD_NONE : open(path, O_RDONLY | O_CLOEXEC);
        if (made)
            write_file(files[i].path, (Str){ files[i].bytes, (size_t)files[i].n });
        else
            files[i].n = read(fd, files[i].bytes, sizeof files[i].bytes);
        MUST(files[i].n > 0 && files[i].n < (ssize_t)sizeof files[i].bytes);
    }
    made = true;
}

/* --- What must not get lost ------------------------------------------------------------------ */

/* Hashes of bodies that could be read. */
typedef struct Seen {
    Hash bodies[64];
    bool head[64]; /* only as a head */
    size_t n;
} Seen;

static void see(Seen *seen, Hash h, bool head)
{
    if (seen->n == COUNT_OF(seen->bodies))
        return;
    seen->head[seen->n] = head;
    seen->bodies[seen->n++] = h;
}

static bool has(const Seen *seen, Hash h)
{
    for (size_t i = 0; i < seen->n; i++)
        if (hash_eq(seen->bodies[i], h))
            return true;
    return false;
}

static void check_record(const Record *r)
{
    MUST(r->mark.seq > 0 && r->mark.seq <= STORE_SEQ_MAX && r->mark.at_ms >= 0);
    if (r->mark.op != OP_DELETE && !r->mark.redacted)
        MUST(r->body.n == r->mark.size && hash_eq(hash_of(r->body), r->mark.sha256));
}

/* Everything that can be read of a stream, one by one where a read as a whole is refused. */
static void read_stream(Store *s, Str stream, Seen *seen)
{
    uint64_t from = 0;
    size_t limit = STORE_READ_MAX;
    for (int i = 0; i < 200; i++) {
        AUTO(Arena) arena = { 0 };
        Records got = { 0 };
        Err e = { 0 };
        jot_status st = store_read(s, stream, (SeqRange){ from, limit }, &arena, &got, &e);
        if (st != JOT_OK)
            MUST_SAY(e, st);
        bool whole = limit > 1;
        limit = 1;
        if (st == JOT_CORRUPT && whole)
            continue;
        for (size_t k = 0; k < got.n; k++) {
            const Mark *m = &got.items[k].mark;
            check_record(&got.items[k]);
            MUST(m->seq >= from);
            if (m->op != OP_DELETE && !m->redacted)
                see(seen, m->sha256, false);
            from = m->seq + 1;
        }
        if (st != JOT_OK || got.n == 0 || !got.more || from > STORE_SEQ_MAX)
            return;
    }
}

static void read_head(Store *s, Str stream, Seen *seen)
{
    for (int want = HEAD_RECORD; want <= HEAD_VALUE; want++) {
        AUTO(Arena) arena = { 0 };
        Record r;
        Err e = { 0 };
        jot_status st = store_head(s, stream, (HeadWant)want, &arena, &r, &e);
        if (st != JOT_OK)
            MUST_SAY(e, st);
        else if (want != HEAD_MARK && r.mark.op != OP_DELETE && !r.mark.redacted) {
            MUST(hash_eq(hash_of(r.body), r.mark.sha256));
            see(seen, r.mark.sha256, true);
        }
    }
}

static void read_all(Store *s, Seen *seen)
{
    read_head(s, S(NOTE), seen);
    read_head(s, S(RUN), seen);
    read_stream(s, S(NOTE), seen);
    read_stream(s, S(RUN), seen);
    AUTO(Arena) arena = { 0 };
    Listing page;
    Changes c;
    Err e = { 0 };
    jot_status st =
        store_list(s, &(ListQuery){ .limit = 100, .which = LIST_ALL }, &arena, &page, &e);
    if (st != JOT_OK)
        MUST_SAY(e, st);
    st = store_changes(s, NULL, 0, &arena, &c, &e);
    if (st == JOT_OK)
        st = store_changes(s, &c.next, 0, &arena, &c, &e);
    if (st != JOT_OK)
        MUST_SAY(e, st);
}

static bool found;
static Hash wanted;

/* A file holds the body as it is, or in the lines of a stream. */
static int look_into(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_F || info->st_size > 1 << 20)
        return 0;
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = arena_alloc(&arena, (size_t)info->st_size + 1, 1);
    ssize_t n = read(fd, bytes, (size_t)info->st_size);
    Str rest = { bytes, n < 0 ? 0 : (size_t)n }, line;
    found = found || hash_eq(hash_of(rest), wanted);
    for (bool more = true; more;) {
        Record r;
        more = str_cut(&rest, '\n', &line);
        for (size_t at = 0; at < line.n && more; at++)
            if (line.p[at] == '{' &&
                record_read(str_from(line, at), RECORD_ALL, &arena, &r, NULL) == JOT_OK)
                found = found || hash_eq(r.mark.sha256, wanted);
        if (!more && record_read(rest, RECORD_ALL, &arena, &r, NULL) == JOT_OK)
            found = found || hash_eq(r.mark.sha256, wanted);
    }
    return 0;
}

static bool lies_in(const char *dir, Hash body)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", pad, dir);
    found = false;
    wanted = body;
    nftw(path, look_into, 16, FTW_PHYS);
    return found;
}

static void nothing_lost(const Seen *before, Store *s)
{
    Seen now = { 0 };
    read_all(s, &now);
    for (size_t i = 0; i < before->n; i++)
        MUST(has(&now, before->bodies[i]) || now.n == COUNT_OF(now.bodies) ||
             lies_in(before->head[i] ? "." : "quarantine", before->bodies[i]));
}

/* --- What is tried --------------------------------------------------------------------------- */

static void append(Store *s, Str stream, Op op, Str body)
{
    AUTO(Arena) arena = { 0 };
    Draft d = { .op = op, .by = S("ann"), .body = body };
    Mark m;
    Err e = { 0 };
    jot_status st = store_append(s, stream, NULL, &d, &m, &e);
    if (st != JOT_OK) {
        MUST_SAY(e, st);
        return;
    }
    Record r;
    MUST(store_head(s, stream, HEAD_RECORD, &arena, &r, &e) == JOT_OK);
    MUST(r.mark.seq == m.seq && str_eq(r.body, body));
}

static void live_through(const char *boot, Str body)
{
    Err e;
    Seen before = { 0 };
    Store *s = open_pad(boot, false, &e);
    if (!s)
        return;
    read_all(s, &before);
    append(s, S(NOTE), OP_PUT, body);
    append(s, S(RUN), OP_APPEND, body);
    nothing_lost(&before, s);
    store_close(s);
    s = open_pad(boot, false, &e);
    MUST(s);
    nothing_lost(&before, s);
    store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t i = 0;
    while (i < COUNT_OF(places) && places[i].letter != (char)data[0])
        i++;
    if (i == COUNT_OF(places))
        i = data[0] % COUNT_OF(places);
    fresh_pad();
    fill_pad();
    write_file(places[i].path, (Str){ (const char *)data + 1, size - 1 });
    live_through(boots[size % 2], S("third"));
    live_through(boots[1], S("fourth"));
    return 0;
}
