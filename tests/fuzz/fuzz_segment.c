/* fuzz_segment.c - a segment of the search index with any bytes in it.
 *
 * A segment is made, then bytes of it are changed as the input says (three for
 * a place, one for the value), then its checksums are made right, so that what
 * reads it cannot rely on them.  Whatever it holds, it is found to be bad or
 * gives some rows; it is never read beyond its end. */
#include <stdio.h>

#include "fuzz/fuzz.h"
#include "memory/search/draft.h"
#include "memory/search/merge.h"
#include "memory/search/rank.h"

const char *const fuzz_words[] = { "\x10\x20\x01\xFF", "\x00\x11\x00\x80", "\x00\x00\x18\x01",
                                   NULL };

static void add(SegDraft *d, const char *stream, uint64_t seq, const char *text)
{
    Record r = { .mark = { .seq = seq, .at_ms = (int64_t)(1700000000000 + seq * 60000) },
                 .by = S("Ann"),
                 .body = str(text) };
    draft_row(d, str(stream), &r, (Str){ 0 }, str(text));
    draft_stream(d, str(stream), &(SegStream){ .seq = seq, .print = seq });
}

/* Without a program in it, what cannot be among the best is left out. */
static void make(bool code, Buf *out)
{
    AUTO_PTR(SegDraft) d = draft_new(NULL);
    add(d, "notes/a", 1, "[plan] pear tree in May 2023, and what Bob said");
    add(d, "notes/b", 2, "pear");
    add(d, "runs/r", 1, "where is the pear?");
    add(d, "runs/r", 2, "it stands in parseConfig of src/main.c");
    if (code)
        add(d, "artifacts/c/f", 1, "def pear(self):\n    return 1\n");
    for (unsigned i = 0; i < 20; i++) { /* now some words are nearly everywhere */
        char name[16];
        snprintf(name, sizeof name, "notes/n%02u", i);
        add(d, name, 1, i % 7 ? "a tree" : "pear pear pear pear pear pear pear pear pear trees");
    }
    draft_end(d, out);
}

static void ask(Segment *s)
{
    AUTO(Arena) arena = { 0 };
    View v;
    Query q;
    RankHits hits;
    RankScratch scratch = { 0 };
    query_read(S("when did Ann plant the pear tree, may 2023 parse* main.c"), NULL, &arena, &q);
    if (view_make(&v, s, 1)) {
        static const PruneWhen ways[] = { PRUNE_ALL, PRUNE_NONE };
        for (size_t w = 0; w < COUNT_OF(ways); w++) {
            RankAsk a = {
                .view = &v, .query = &q, .limit = 10, .scratch = &scratch, .prune = ways[w]
            };
            if (!rank_find(&a, &arena, &hits))
                continue;
            for (size_t i = 0; i < hits.n; i++)
                MUST(hits.items[i].place < v.rows);
        }
        for (uint32_t p = 0; p < v.rows; p++)
            (void)view_name(&v, p, &arena);
    }
    rank_scratch_free(&scratch);
    view_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(Buf) bytes = { 0 };
    AUTO(Buf) merged = { 0 };
    Segment s;
    make(size % 2, &bytes);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        size_t at = ((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % bytes.n;
        bytes.p[at] = (char)data[i + 3];
    }
    if (size % 4 != 1) /* else they are as they are */
        seg_seal(&bytes);
    if (!seg_from_bytes(&s, &bytes))
        return 0;
    ask(&s);
    if (!s.bad && merge_segments(&s, 1, true, &merged)) {
        Segment again;
        MUST(seg_from_bytes(&again, &merged));
        ask(&again);
        seg_close(&again);
    }
    seg_close(&s);
    return 0;
}
