/* fuzz_archive.c - any bytes as an archive, and the same with the last line made to fit.
 *
 * A last line that fits lets what is wrong before it be found for what it is, and not by the hash
 * of the whole.  An archive that opens holds what it says: every stream can be read to its end,
 * each record follows the one before, the last is the head, and a copy verifies. */
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "store/archive.h"
#include "store/engine.h"

#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

const char *const fuzz_words[] = { "jotter archive 1\n",
                                   "jotter archive 2\n",
                                   "jotter archive 3\n",
                                   "stream notes/a\n",
                                   "stream runs/x\n",
                                   "stream ../x\n",
                                   "end 1 1 " ZERO "\n",
                                   "end ",
                                   "{\"seq\":1,",
                                   "\"redacted\":true",
                                   "\n",
                                   "\r\n",
                                   "9223372036854775807",
                                   NULL };

static char path[] = "/dev/shm/jotter-fuzz-archive-XXXXXX";

static void forget_file(void)
{
    unlink(path);
}

/* The one file of this process, with other bytes. */
static void file_become(Str bytes)
{
    static int fd = -1;
    if (fd < 0) {
        fd = mkstemp(path);
        MUST(fd >= 0 && atexit(forget_file) == 0);
    }
    MUST(ftruncate(fd, 0) == 0 && pwrite(fd, bytes.p, bytes.n, 0) == (ssize_t)bytes.n);
}

static void check_stream(Store *s, const Listed *l)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Mark last = { 0 };
    for (uint64_t from = 1;;) {
        Records got;
        MUST(store_read(s, l->name, (SeqRange){ from, 2 }, &a, &got, &e) == JOT_OK &&
             got.damaged == 0);
        for (size_t i = 0; i < got.n; i++) {
            MUST(store_check_next(l->name, &last, &got.items[i], &e) == JOT_OK);
            last = got.items[i].mark;
        }
        if (!got.more)
            break;
        MUST(got.n > 0);
        from = last.seq + 1;
    }
    Record head;
    MUST(store_head(s, l->name, HEAD_RECORD, &a, &head, &e) == JOT_OK);
    MUST(head.mark.seq == last.seq && hash_eq(head.mark.chain, last.chain));
}

static void check_store(Store *s)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Str after = { 0 };
    Listing page;
    do {
        MUST(store_list(s, &(ListQuery){ .after = after, .limit = 3, .which = LIST_ALL }, &a, &page,
                        &e) == JOT_OK);
        for (size_t i = 0; i < page.n; i++) {
            MUST(str_cmp(after, page.items[i].name) < 0);
            check_stream(s, &page.items[i]);
            after = page.items[i].name;
        }
    } while (page.more);
    AUTO_PTR(Store) copy = NULL;
    CopyCount count;
    MUST(store_open(&copy, S("mem:"), &(StoreOptions){ .create = true }, &e) == JOT_OK);
    jot_status st = store_copy(s, copy, NULL, &count, &e);
    if (st != JOT_OK) /* two names that cannot be in one pad */
        MUST_SAY(e, st);
}

static void check(Str bytes)
{
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    file_become(bytes);
    jot_status st = archive_open(&s, NULL, path, &e);
    if (st == JOT_OK)
        check_store(s);
    else
        MUST_SAY(e, st);
}

/* How many lines begin so. */
static size_t lines_with(Str text, Str word)
{
    size_t n = 0;
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at);
        n += str_starts(rest, word);
        size_t line = str_find(rest, '\n');
        at += line < rest.n ? line + 1 : rest.n;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str bytes = { (const char *)data, size };
    check(bytes);
    /* The same up to the last line that says "end", and then what it should have said. */
    size_t end = size;
    for (size_t at = 0; at < size; at++)
        if ((at == 0 || bytes.p[at - 1] == '\n') && str_starts(str_from(bytes, at), S("end ")))
            end = at;
    AUTO(Buf) fitting = { 0 };
    Str before = { bytes.p, end };
    buf_add(&fitting, before);
    buf_addf(&fitting, "end %zu %zu %s\n", lines_with(before, S("stream ")),
             lines_with(before, S("{")), hash_hex(hash_of(before)).text);
    check(buf_str(&fitting));
    return 0;
}
