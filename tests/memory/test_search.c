/* test_search.c - searching: what is found, and what must not be found any more. */
#include "memory/search/search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/search_desk.h"

/* --- Finding ----------------------------------------------------------------------------- */

static void a_hit_says_what_it_is_and_what_it_costs(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m =
        desk_put(d, "notes/plan", "first line\nthe backups are restored nightly\x1B[31m\nlast");
    Hits h = find(d, s, "backup");
    assert_int_equal(h.n, 1);
    assert_text(h.items[0].stream, "notes/plan");
    assert_text(h.items[0].by, "ann");
    assert_text(h.items[0].snippet, "first line the **backups** are restored nightly [31m last");
    assert_true(hash_eq(h.items[0].sha256, m.sha256));
    assert_int_equal(h.items[0].seq, 1);
    assert_true(h.items[0].tokens > 5 && h.items[0].tokens < 30);
    assert_false(h.more);
}

/* Hits are kept until the pad changes: nobody may see an older one, whoever wrote. */
static void a_hit_that_was_shown_before_is_the_newest_again(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Memory bob = d->m;
    bob.by = S("bob");
    for (int i = 0; i < 20; i++)
        desk_put(d, arena_printf(&d->a, "notes/n%02d", i).p, "a pear tree");
    for (int i = 0; i < 20; i++) {
        Str stream = arena_printf(&d->a, "notes/n%02d", i);
        Draft draft = { .op = OP_PUT, .body = arena_printf(&d->a, "pear tree number %d", i) };
        Mark m;
        (void)find(d, s, "pear");
        Hits h = find(d, s, "tree");
        assert_int_equal(h.n, 10);
        d->now_ms += 1000;
        desk_ok(d, memory_append(&bob, stream, NULL, &draft, &m, &d->e));
        h = find(d, s, "pear number");
        assert_str(h.items[0].stream, stream);
        assert_int_equal(h.items[0].seq, m.seq);
        assert_true(hash_eq(h.items[0].sha256, m.sha256));
        assert_int_equal(h.items[0].size, draft.body.n);
        assert_text(h.items[0].by, "bob");
        assert_str(h.items[0].snippet, arena_printf(&d->a, "**pear** tree **number** %d", i));
        h = find(d, s, "number");
        assert_str(h.items[0].snippet, arena_printf(&d->a, "pear tree **number** %d", i));
    }
    drop(d, "notes/n19");
    assert_int_equal(find(d, s, "number").n, 10);
    assert_finds(d, s, "\"number 19\"", "");
}

/* What all texts have weighs next to nothing beside what one has, in whole numbers nothing at all.
 */
static void letters_that_every_text_has_are_counted_once_a_text(Desk *d)
{
    enum { ARTIFACTS = 600 };
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < ARTIFACTS; i++)
        desk_put(d, arena_printf(&d->a, "artifacts/x/a%d", i).p, "\"abcdefghijkl\"");
    desk_put(d, "artifacts/x/rare", "\"abcdefghijkl ovzyynqntyttwsypntmzssvyymxtqxypvnrmmmwu\"");
    assert_finds(d, s, "bcdefghijk ovzyynqntyttwsypntmzssvyymxtqxypvnrmmmwu", "artifacts/x/rare");
    assert_text(find(d, s, "bcdefghijkovzyynqntyttwsypntmzssvyymxtqxypvnrmmm").items[0].stream,
                "artifacts/x/rare");
}

static void what_is_found_by_its_letters_is_found_once(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/n", "alpha beta gamma delta");
    desk_put(d, "artifacts/x/a", "\"abcdefghijkl\"");
    assert_finds(d, s, "alpha beta gamma delta bcdefghijk", "notes/n artifacts/x/a");
}

/* More than are kept, small ones and large: the first and the last want the same slots. */
static void hits_are_the_same_however_often_they_are_read(Desk *d)
{
    enum { NOTES = 1200, ENDS = 176, PAGE = 100, ROUNDS = 4 };
    AUTO_PTR(Search) s = begin(d, &d->m);
    AUTO(Buf) large = { 0 };
    for (int i = 0; i < 2000; i++)
        buf_addf(&large, "filler ");
    for (int i = 0; i < NOTES; i++)
        desk_put(d, arena_printf(&d->a, "notes/n%d", i).p,
                 arena_printf(&d->a, "%s %d %s",
                              i < ENDS           ? "apple"
                              : i < NOTES - ENDS ? "fig"
                                                 : "pear",
                              i, i % 50 ? "" : buf_str(&large).p)
                     .p);
    for (int round = 0; round < ROUNDS; round++) {
        size_t seen = 0;
        Str word = round % 2 ? S("apple") : S("pear");
        for (size_t offset = 0; offset < ENDS; offset += PAGE) {
            Hits h;
            SearchQuery q = { .text = word, .offset = offset, .limit = PAGE };
            desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
            for (size_t i = 0; i < h.n; i++, seen++) {
                uint64_t n;
                assert_true(str_to_u64(str_from(h.items[i].stream, 7), NOTES, &n));
                Str begins = arena_printf(&d->a, "**" STR_FMT "** %llu", STR_ARG(word),
                                          (unsigned long long)n);
                assert_true(str_starts(h.items[i].snippet, begins));
                assert_int_equal(h.items[i].size > 10000, n % 50 == 0);
                assert_int_equal(h.items[i].tokens > 1000, n % 50 == 0);
            }
        }
        assert_int_equal(seen, ENDS);
    }
}

static void words_phrases_beginnings_and_names_are_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "running tests with retry_policy.ts");
    desk_put(d, "notes/b", "tests are running");
    desk_put(d, "notes/deploy-steps", "nothing");
    assert_finds(d, s, "run retry", "notes/a notes/b"); /* one word of two is enough */
    assert_finds(d, s, "\"tests are\"", "notes/b");
    assert_finds(d, s, "\"run tests\"", "");
    assert_finds(d, s, "retr*", "notes/a");
    assert_finds(d, s, "retryPolicy", "notes/a");
    assert_finds(d, s, "deploying", "notes/deploy-steps");
}

static void a_word_cut_short_meets_the_whole_word(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "artifacts/x/code", "\"def parse_args(cfg_dict):\\n    return tmp_dirs\"");
    desk_put(d, "notes/text", "the configuration has a temporary directory");
    assert_finds(d, s, "dictionary of arguments", "artifacts/x/code");
    assert_finds(d, s, "dictionaries", "artifacts/x/code");
    assert_finds(d, s, "tmp dirs", "notes/text artifacts/x/code");
    assert_text(find(d, s, "cfg").items[0].snippet,
                "the **configuration** has a temporary directory");
}

static void filters_leave_out_what_does_not_fit(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/one", "apple");
    int64_t then = d->now_ms;
    Memory bob = d->m;
    bob.by = S("bob");
    Mark m;
    d->now_ms += 1000;
    Draft draft = { .op = OP_PUT, .body = S("apple") };
    desk_ok(d, memory_append(&bob, S("memories/two.md"), NULL, &draft, &m, &d->e));
    desk_put(d, "artifacts/x/three", "{\"fruit\":\"apple\"}");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .kind = S("notes") }), "notes/one");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .prefix = S("artifacts/x") }),
                "artifacts/x/three");
    assert_text(
        names(d, s,
              &(SearchQuery){ .text = S("apple"), .kind = S("notes"), .prefix = S("artifacts/") }),
        "");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .by = S("bob") }),
                "memories/two.md");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .until_ms = then }), "notes/one");
    assert_text(names(d, s, &(SearchQuery){ .text = S("apple"), .since_ms = then + 1001 }),
                "artifacts/x/three");
}

static void one_author_of_many_is_found(Desk *d)
{
    enum { AUTHORS = 100 };
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < 2 * AUTHORS; i++) {
        Mark m;
        Memory other = d->m;
        Draft draft = { .op = OP_PUT, .body = S("apple") };
        other.by = arena_printf(&d->a, "agent%d", i % AUTHORS);
        Str stream = arena_printf(&d->a, "notes/n%03d", i);
        d->now_ms += 1000;
        desk_ok(d, memory_append(&other, stream, NULL, &draft, &m, &d->e));
    }
    for (int i = 0; i < AUTHORS; i++) {
        SearchQuery q = { .text = S("apple"), .by = arena_printf(&d->a, "agent%d", i) };
        assert_str(names(d, s, &q), arena_printf(&d->a, "notes/n%03d notes/n%03d", i + AUTHORS, i));
    }
}

static void bad_questions_are_refused(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Hits h;
    SearchQuery bad[] = {
        { .text = S("x"), .kind = S("leases") },
        { .text = S("x"), .kind = S("notes/a") },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, search_find(s, &bad[i], &d->a, &h, &d->e));
    desk_expect(d, JOT_TOO_BIG,
                search_find(s, &(SearchQuery){ .text = S("x"), .limit = 101 }, &d->a, &h, &d->e));
    Search *none = NULL;
    desk_expect(d, JOT_INVALID,
                search_open(&none, &d->m, &(SearchOptions){ .language = "klingon" }, &d->e));
    assert_says(d, "no language 'klingon'");
}

/* A query is often a whole message of a person, whatever stands in it. */
static void no_query_is_refused(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "the pear tree, and \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D");
    static const char *const found[] = { "open \"quote of a pear",
                                         "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D pear", "and the",
                                         "\xFFpear\xFE", "pear \xF0\x9F\x8D\x90" };
    for (size_t i = 0; i < COUNT_OF(found); i++)
        assert_finds(d, s, found[i], "notes/a");
    static const char *const none[] = { "", "\"", "x", "\xF0\x9F\x8D\x8E", "\"pear the tree\"" };
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_finds(d, s, none[i], "");
    AUTO(Buf) big = { .max = 32 << 20 };
    for (int i = 0; big.n < 16 << 20; i++)
        buf_addf(&big, "filler%d ", i % 5000);
    buf_add(&big, S("pear"));
    Hits h;
    desk_ok(d, search_find(s, &(SearchQuery){ .text = buf_str(&big) }, &d->a, &h, &d->e));
}

static void pages_follow_each_other_without_gap(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < 25; i++) /* all alike: the newest first */
        desk_put(d, arena_printf(&d->a, "notes/n%02d", i).p, "the same pear");
    size_t seen = 0;
    for (size_t offset = 0; offset < 30; offset += 10) {
        Hits h;
        SearchQuery q = { .text = S("pear"), .offset = offset, .limit = 10 };
        desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
        assert_int_equal(h.more, offset < 20);
        for (size_t i = 0; i < h.n; i++, seen++)
            assert_str(h.items[i].stream, arena_printf(&d->a, "notes/n%02zu", 24 - seen));
    }
    assert_int_equal(seen, 25);
}

static void a_run_is_found_by_its_records(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    step(d, "runs/r1", "{\"kind\":\"init\"}", "why is checkout slow");
    step(d, "runs/r1", "{\"kind\":\"tool_result\",\"tool\":\"sql_query\"}",
         "fourteen sessions wait");
    step(d, "runs/r1", "{\"kind\":\"fold\"}", "fourteen fold");
    Hits h = find(d, s, "fourteen");
    assert_int_equal(h.n, 1);
    assert_int_equal(h.items[0].seq, 2);
    assert_int_equal(find(d, s, "sql_query").items[0].seq, 2);
    step(d, "runs/r1", "{\"kind\":\"answer\"}", "because of the weekly report");
    assert_int_equal(find(d, s, "weekly").items[0].seq, 4);
}

static void what_is_no_text_is_found_by_its_name(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m;
    Draft draft = { .op = OP_PUT, .body = S("\xFF\xFEpear\x00") };
    desk_ok(d, memory_append(&d->m, S("memories/photo.bin"), NULL, &draft, &m, &d->e));
    assert_finds(d, s, "photo", "memories/photo.bin");
    assert_finds(d, s, "pear", "");
}

static void an_explanation_adds_up(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/pear", "a pear tree");
    desk_put(d, "notes/other", "an apple tree");
    Hits h;
    SearchQuery q = { .text = S("pear trees"), .explain = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    const Hit *hit = &h.items[0];
    assert_text(hit->stream, "notes/pear");
    assert_true(hit->parts_n >= 2);
    assert_string_equal(hit->parts[0].what, "words");
    double sum = 0;
    for (size_t i = 0; i < hit->parts_n; i++)
        sum += hit->parts[i].points;
    assert_true(sum > hit->score - 1e-9 && sum < hit->score + 1e-9);
    AUTO_PTR(json_t) j = search_json(&h, true);
    assert_non_null(json_object_get(json_array_get(json_object_get(j, "hits"), 0), "explain"));
}

static double points_of(const Hit *h, const char *what)
{
    for (size_t i = 0; i < h->parts_n; i++)
        if (strcmp(h->parts[i].what, what) == 0)
            return h->parts[i].points;
    return 0;
}

static void what_is_near_counts_for_what_a_record_lacks(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Hits h;
    step(d, "runs/r", "{\"kind\":\"thinking\"}", "the pear is ripe");
    step(d, "runs/r", "{\"kind\":\"thinking\"}", "the pear is eaten");
    step(d, "runs/r", "{\"kind\":\"thinking\"}", "nothing of it");
    SearchQuery q = { .text = S("a ripe pear"), .explain = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    assert_int_equal(h.n, 3);
    for (size_t i = 0; i < h.n; i++) {
        double near = points_of(&h.items[i], "words nearby");
        if (h.items[i].seq == 1)
            assert_true(near == 0); /* it has both words */
        else
            assert_true(near > 0); /* the second lacks "ripe", the third both */
    }
}

/* One record of a wrong clock does not make all others equally old. */
static void a_time_that_is_still_to_come_counts_as_now(Desk *d)
{
    enum { YEAR_S = 365 * 24 * 3600 };
    int64_t now = d->now_ms;
    AUTO_PTR(Search) s = begin(d, &d->m);
    d->now_ms = now - (int64_t)YEAR_S * 1000;
    desk_put(d, "notes/old", "a pear tree");
    d->now_ms = 4070908800000; /* 2099 */
    desk_put(d, "notes/moved", "a pear tree");
    d->now_ms = now;
    desk_put(d, "notes/fresh", "a pear tree");
    Hits h;
    SearchQuery q = { .text = S("pear tree"), .explain = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    assert_int_equal(h.n, 3);
    assert_text(h.items[2].stream, "notes/old");
    q.until_ms = d->now_ms + 60000;
    assert_int_equal(names(d, s, &q).n, strlen("notes/fresh notes/moved notes/old"));
    q.until_ms = now - 60000;
    assert_text(names(d, s, &q), "notes/old");
}

/* --- Forgetting -------------------------------------------------------------------------- */

static void an_older_version_is_not_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "zebra");
    assert_finds(d, s, "zebra", "notes/a");
    desk_put(d, "notes/a", "lion");
    assert_finds(d, s, "zebra", "");
    assert_finds(d, s, "lion", "notes/a");
}

static void deleted_text_is_not_found(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "zebra");
    assert_finds(d, s, "zebra", "notes/a");
    drop(d, "notes/a");
    assert_finds(d, s, "zebra", "");
    desk_put(d, "notes/a", "zebra again");
    assert_finds(d, s, "zebra", "notes/a");
}

/* Enough other text that pages and segments fill and move. */
static void fill(Desk *d, int from, int n)
{
    for (int i = from; i < from + n; i++)
        desk_put(d, arena_printf(&d->a, "notes/fill%d", i % 40).p,
                 arena_printf(&d->a, "filler%d common words and more of them %d %d", i, i * 7919,
                              i * 104729)
                     .p);
}

static void purged_text_leaves_no_trace(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m;
    for (int i = 0; i < 8; i++) {
        const char *stream = arena_printf(&d->a, "notes/secret%d", i).p;
        const char *word = arena_printf(&d->a, "xylophonequartz%dkey", i).p;
        fill(d, i * 30, 15);
        desk_put(d, stream, arena_printf(&d->a, "password %s here", word).p);
        assert_int_equal(find(d, s, "password").n, 1);
        fill(d, i * 30 + 15, 15);
        desk_put(d, stream, "harmless"); /* the secret is history by now */
        assert_int_equal(find(d, s, "password").n, 0);
        desk_ok(d, store_purge(d->m.store, str(stream), NULL, S("ann"), &m, &d->e));
        assert_int_equal(find(d, s, word).n, 0);
        if (strcmp(d->engine, "mem"))
            assert_false(traced(d, "xylophonequartz"));
    }
}

static void redacted_text_leaves_no_trace(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    fill(d, 0, 20);
    desk_put(d, "notes/a", "my secret is xylophonequartz");
    step(d, "runs/r", "", "the run says sphinxquartzite");
    step(d, "runs/r", "", "and goes on");
    assert_finds(d, s, "xylophonequartz", "notes/a");
    assert_finds(d, s, "sphinxquartzite", "runs/r");
    desk_put(d, "notes/a", "my secret is gone");
    desk_ok(d, store_redact(d->m.store, S("notes/a"), NULL, 1, &d->e));
    desk_ok(d, store_redact(d->m.store, S("runs/r"), NULL, 1, &d->e));
    assert_finds(d, s, "xylophonequartz", "");
    assert_finds(d, s, "sphinxquartzite", "");
    assert_finds(d, s, "\"goes on\"", "runs/r");
    if (strcmp(d->engine, "mem") == 0)
        return;
    assert_false(traced(d, "xylophonequartz"));
    assert_false(traced(d, "sphinxquartzite"));
}

static void forgetting_clears_the_index_at_once(Desk *d)
{
    Mark m;
    {
        AUTO_PTR(Search) s = begin(d, &d->m);
        desk_put(d, "notes/a", "my secret is xylophonequartz");
        step(d, "runs/r", "", "sphinxquartzite");
        step(d, "runs/r", "", "more");
        assert_int_equal(find(d, s, "xylophonequartz").n, 1);
    }
    bool file = strcmp(d->engine, "mem") != 0;
    assert_int_equal(file && traced(d, "xylophonequartz"), file);
    desk_ok(d, store_purge(d->m.store, S("notes/a"), NULL, S("ann"), &m, &d->e));
    desk_ok(d, search_forget(&d->m, &S("notes/a"), 1, &d->e));
    desk_ok(d, store_redact(d->m.store, S("runs/r"), NULL, 1, &d->e));
    step(d, "runs/r", "", "and on"); /* the head has moved since */
    desk_ok(d, search_forget(&d->m, &S("runs/r"), 1, &d->e));
    assert_false(file && traced(d, "xylophonequartz"));
    assert_false(file && traced(d, "sphinxquartzite"));
}

static bool always(void *ctx, uint64_t looked_at)
{
    (void)ctx, (void)looked_at;
    return true;
}

/* How many names and records a search looks at. */
static uint64_t work_of(Desk *d, Search *s, const char *query)
{
    MemoryProgress counted = { .report = always };
    d->m.progress = &counted;
    (void)find(d, s, query);
    d->m.progress = NULL;
    return counted.scanned;
}

static void catching_up_reads_what_is_new(Desk *d)
{
    enum { VERSIONS = 300 };
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < VERSIONS; i++) {
        desk_put(d, "notes/long", arena_printf(&d->a, "version %d", i).p);
        step(d, "runs/long", "", "step");
    }
    (void)find(d, s, "version");
    desk_put(d, "notes/long", "version pear");
    step(d, "runs/long", "", "pear");
    uint64_t work = work_of(d, s, "pear");
    if (work > 10)
        fail_msg("%llu names and records were looked at", (unsigned long long)work);
    assert_int_equal(find(d, s, "pear").n, 2);
}

/* Somebody who knows nothing of this index redacts, and then writes on. */
static void what_was_redacted_before_a_write_leaves_no_trace(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    fill(d, 0, 20);
    desk_put(d, "notes/a", "my secret is xylophonequartz");
    step(d, "runs/r", "", "the run says sphinxquartzite");
    assert_finds(d, s, "xylophonequartz", "notes/a");
    desk_put(d, "notes/a", "my secret is gone");
    step(d, "runs/r", "", "and goes on");
    (void)find(d, s, "secret");
    desk_ok(d, store_redact(d->m.store, S("notes/a"), NULL, 1, &d->e));
    desk_ok(d, store_redact(d->m.store, S("runs/r"), NULL, 1, &d->e));
    desk_put(d, "notes/a", "my secret was told");
    step(d, "runs/r", "", "and on");
    assert_finds(d, s, "sphinxquartzite", "");
    assert_finds(d, s, "xylophonequartz", "");
    assert_false(strcmp(d->engine, "mem") && traced(d, "xylophonequartz"));
    assert_false(strcmp(d->engine, "mem") && traced(d, "sphinxquartzite"));
}

/* Does the engine name more than what has changed since?  S3 all of the last 90 seconds, mem:
 * everything. */
static bool named_again(const Desk *d)
{
    return !strcmp(d->engine, "s3") || !strcmp(d->engine, "mem");
}

/* However large the index is: what else is in it is neither read again nor lost. */
static void forgetting_reads_only_what_was_forgotten(Desk *d)
{
    Mark m;
    MemoryProgress counted = { .report = always };
    AUTO_PTR(Search) s = begin(d, &d->m);
    fill(d, 0, 200);
    desk_put(d, "notes/a", "my secret is xylophonequartz");
    desk_put(d, "notes/b", "of no secret: quartz");
    assert_finds(d, s, "xylophonequartz", "notes/a");
    desk_ok(d, store_purge(d->m.store, S("notes/a"), NULL, S("ann"), &m, &d->e));
    d->m.progress = &counted;
    desk_ok(d, search_forget(&d->m, &S("notes/a"), 1, &d->e));
    d->m.progress = NULL;
    assert_true(counted.scanned <= 1);
    if (strcmp(d->engine, "mem")) {
        assert_true(each_index_file(d, NULL, NULL) > 2); /* the manifest and the lock */
        assert_false(traced(d, "xylophonequartz"));
        assert_true(traced(d, "quartz") && traced(d, "filler"));
    }
    assert_true(work_of(d, s, "xylophonequartz") <= 2 || named_again(d));
    assert_finds(d, s, "xylophonequartz", "");
    assert_finds(d, s, "filler39", "notes/fill39");
    assert_finds(d, s, "quartz", "notes/b");
}

/* Killed behind the purge: the next search of anybody does what was left, and no more. */
static void a_search_takes_out_what_was_forgotten_beside_it(Desk *d)
{
    Mark m;
    AUTO_PTR(Search) s = begin(d, &d->m);
    fill(d, 0, 200);
    desk_put(d, "notes/a", "my secret is xylophonequartz");
    desk_put(d, "notes/b", "sphinxquartzite");
    desk_put(d, "notes/b", "no more of that");
    assert_finds(d, s, "xylophonequartz", "notes/a");
    desk_ok(d, store_purge(d->m.store, S("notes/a"), NULL, S("ann"), &m, &d->e));
    desk_ok(d, store_redact(d->m.store, S("notes/b"), NULL, 1, &d->e));
    AUTO_PTR(Search) other = begin(d, &d->m);
    assert_true(work_of(d, other, "filler39") <= 12 || named_again(d) || !strcmp(d->engine, "mem"));
    if (strcmp(d->engine, "mem")) {
        assert_false(traced(d, "xylophonequartz") || traced(d, "sphinxquartzite"));
        assert_true(traced(d, "filler"));
    }
    assert_finds(d, s, "filler39", "notes/fill39");
}

static void forgetting_makes_no_index(Desk *d)
{
    struct stat info;
    desk_put(d, "notes/a", "pear");
    desk_ok(d, search_forget(&d->m, &S("notes/a"), 1, &d->e));
    if (strcmp(d->engine, "mem"))
        assert_int_not_equal(stat(index_path(d).p, &info), 0);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_hit_says_what_it_is_and_what_it_costs),
        DESK_TEST(a_hit_that_was_shown_before_is_the_newest_again),
        DESK_TEST(letters_that_every_text_has_are_counted_once_a_text),
        DESK_TEST(what_is_found_by_its_letters_is_found_once),
        DESK_TEST(hits_are_the_same_however_often_they_are_read),
        DESK_TEST(words_phrases_beginnings_and_names_are_found),
        DESK_TEST(a_word_cut_short_meets_the_whole_word),
        DESK_TEST(filters_leave_out_what_does_not_fit),
        DESK_TEST(one_author_of_many_is_found),
        DESK_TEST(bad_questions_are_refused),
        DESK_TEST(no_query_is_refused),
        DESK_TEST(pages_follow_each_other_without_gap),
        DESK_TEST(a_run_is_found_by_its_records),
        DESK_TEST(what_is_no_text_is_found_by_its_name),
        DESK_TEST(an_explanation_adds_up),
        DESK_TEST(what_is_near_counts_for_what_a_record_lacks),
        DESK_TEST(a_time_that_is_still_to_come_counts_as_now),
        DESK_TEST(an_older_version_is_not_found),
        DESK_TEST(deleted_text_is_not_found),
        DESK_TEST(purged_text_leaves_no_trace),
        DESK_TEST(redacted_text_leaves_no_trace),
        DESK_TEST(forgetting_clears_the_index_at_once),
        DESK_TEST(what_was_redacted_before_a_write_leaves_no_trace),
        DESK_TEST(forgetting_reads_only_what_was_forgotten),
        DESK_TEST(a_search_takes_out_what_was_forgotten_beside_it),
        DESK_TEST(catching_up_reads_what_is_new),
        DESK_TEST(forgetting_makes_no_index),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
