/* test_evidence.c - evidence: the lines that answer, where they are from, and what they cost. */
#include "memory/search/evidence.h"

#include "memory/frame/tokens.h"
#include "memory/search_desk.h"

static Evidence look(Desk *d, Search *s, const char *text, uint64_t budget)
{
    Evidence v;
    SearchQuery q = { .text = str(text) };
    desk_ok(d, evidence_find(s, &q, budget, &d->a, &v, &d->e));
    return v;
}

static Str as_text(Desk *d, const Evidence *v)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    evidence_add(&text, v);
    return arena_copy(&d->a, buf_str(&text));
}

static bool has(Str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/* `lines` of filler with one line in the middle that says something. */
static const char *long_text(Desk *d, int lines, const char *words)
{
    AUTO(Buf) text = { 0 };
    for (int i = 1; i <= lines; i++)
        if (i == lines / 2)
            buf_addf(&text, "%s\n", words);
        else
            buf_addf(&text, "line %d is about nothing that anybody would ever want to know\n", i);
    return arena_copy(&d->a, buf_str(&text)).p;
}

/* --- Lines ------------------------------------------------------------------------------- */

static void a_short_note_is_shown_whole_and_says_where_it_is_from(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Mark m = desk_put(d, "notes/plan", "first\nrestore the backups\nlast\n");
    Evidence v = look(d, s, "backup", 500);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.items[0].n, 1);
    const EvidencePart *p = &v.items[0].parts[0];
    assert_text(v.items[0].stream, "notes/plan");
    assert_text(p->text, "first\nrestore the backups\nlast");
    assert_text(p->by, "ann");
    assert_true(hash_eq(p->sha256, m.sha256));
    assert_int_equal(p->seq, 1);
    assert_int_equal(p->from, 1);
    assert_int_equal(p->to, 3);
    assert_int_equal(p->lines, 3);
    assert_true(p->found && !p->cut);
    Str text = as_text(d, &v);
    assert_true(str_starts(text, S("plan  version ")));
    assert_true(has(text, "\n| restore the backups\n| last\n"));
    assert_int_equal(v.tokens, tokens_estimate(text));
}

static void of_a_long_note_the_lines_around_the_words_are_shown(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/long", long_text(d, 400, "the password of the router is under the mat"));
    Evidence v = look(d, s, "router password", 400);
    assert_int_equal(v.n, 1);
    const EvidencePart *p = &v.items[0].parts[0];
    assert_true(p->from < 200 && p->to > 200 && p->to - p->from <= 6);
    assert_int_equal(p->lines, 400);
    assert_true(has(p->text, "under the mat"));
    assert_true(has(as_text(d, &v), " of 400  "));
}

static void words_that_stand_apart_are_both_shown(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    const char *one = long_text(d, 300, "the boiler was made by Vaillant");
    const char *two = long_text(d, 300, "its service is due in October");
    desk_put(d, "notes/house", arena_printf(&d->a, "%s%s", one, two).p);
    Evidence v = look(d, s, "boiler service", 1000);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.items[0].n, 2);
    assert_true(has(v.items[0].parts[0].text, "Vaillant"));
    assert_true(has(v.items[0].parts[1].text, "October"));
    assert_true(v.items[0].parts[0].to < v.items[0].parts[1].from);
}

static void a_line_that_is_too_long_is_cut_around_the_words(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    AUTO(Buf) text = { 0 };
    for (int i = 0; i < 3000; i++)
        buf_addf(&text, "%s%d ", i == 1500 ? "needle " : "hay", i);
    desk_put(d, "notes/one-line", arena_copy(&d->a, buf_str(&text)).p);
    Evidence v = look(d, s, "needle", 300);
    assert_int_equal(v.n, 1);
    assert_true(v.items[0].parts[0].cut);
    assert_true(has(v.items[0].parts[0].text, "needle"));
    assert_true(v.tokens <= 300);
}

/* --- Runs -------------------------------------------------------------------------------- */

#define TURN "{\"kind\":\"thought\"}"

static void a_record_of_a_run_comes_with_those_beside_it(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    step(d, "runs/r1", TURN, "nothing yet");
    step(d, "runs/r1", TURN, "what colour shall it be?");
    step(d, "runs/r1", TURN, "turquoise, as the gate");
    step(d, "runs/r1", TURN, "then I order the paint");
    step(d, "runs/r1", TURN, "done for today");
    Evidence v = look(d, s, "turquoise", 500);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.items[0].n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(v.items[0].parts[i].seq, i + 2);
        assert_int_equal(v.items[0].parts[i].found, i == 1);
    }
    assert_true(has(as_text(d, &v), "  record 2  "));
    assert_true(has(as_text(d, &v), "| what colour shall it be?\n  record 3  "));
}

static void hits_close_together_are_one_passage(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 1; i <= 9; i++)
        step(d, "runs/r1", TURN,
             i == 3 || i == 5 ? arena_printf(&d->a, "walnut shelf number %d", i).p
                              : arena_printf(&d->a, "something else, %d", i).p);
    Evidence v = look(d, s, "walnut", 500);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.items[0].n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(v.items[0].parts[i].seq, i + 2);
        assert_int_equal(v.items[0].parts[i].found, i == 1 || i == 3);
    }
}

/* --- Nothing twice ----------------------------------------------------------------------- */

static void the_same_text_is_shown_once(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/a", "the kiln reaches 1240 degrees\n");
    desk_put(d, "notes/b", "  the kiln reaches 1240 degrees");
    step(d, "runs/r1", TURN, "the kiln reaches 1240 degrees");
    desk_put(d, "notes/c", "the kiln reaches 1240 degrees\nand needs nine hours\n");
    Evidence v = look(d, s, "kiln degrees", 1000);
    Str text = as_text(d, &v);
    assert_int_equal(v.same + v.n, 4);
    assert_true(v.same >= 2);
    assert_true(has(text, "nine hours"));
    assert_true(has(text, " the same)\n"));
    /* An older version is not there to be found. */
    desk_put(d, "notes/c", "the kiln was sold\n");
    v = look(d, s, "nine hours", 1000);
    assert_false(has(as_text(d, &v), "nine hours"));
}

/* --- Budgets ----------------------------------------------------------------------------- */

static void the_text_never_costs_more_than_the_budget(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < 40; i++) {
        const char *words =
            arena_printf(&d->a, "walnut \xE6\x9C\xA8 \xC3\xA9t\xC3\xA9 0x%08x", i * 7919).p;
        desk_put(d, arena_printf(&d->a, "notes/n%d", i).p, long_text(d, 2 + i * 3, words));
        step(d, "runs/r1", TURN, arena_printf(&d->a, "%s {\"x\":[1,2,%d]}", words, i).p);
    }
    size_t shown = 0;
    for (uint64_t budget = EVIDENCE_BUDGET_MIN; budget < 6000; budget += budget / 3 + 7) {
        Evidence v = look(d, s, "walnut", budget);
        Str text = as_text(d, &v);
        assert_true(tokens_estimate(text) <= budget);
        assert_int_equal(v.tokens, tokens_estimate(text));
        assert_true(v.n > 0);
        assert_true(v.n >= shown / 2);
        shown = v.n;
    }
    Evidence small = look(d, s, "walnut", EVIDENCE_BUDGET_MIN);
    assert_true(small.left_n > 0);
    assert_true(has(as_text(d, &small), "(no room for "));
}

static void what_is_far_worse_than_the_best_is_not_evidence(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_put(d, "notes/right", "the walnut shelf in the study holds forty books");
    for (int i = 0; i < 30; i++) {
        d->now_ms += 2 * 60 * 60 * 1000; /* a session of its own: near ones count for each other */
        desk_put(d, arena_printf(&d->a, "notes/other%d", i).p,
                 long_text(d, 30, arena_printf(&d->a, "books of the year %d", i).p));
    }
    Evidence v = look(d, s, "walnut shelf study forty books", 4000);
    assert_text(v.items[0].stream, "notes/right");
    assert_true(v.n < 10);
    assert_true(v.more);
}

static void a_budget_out_of_bounds_is_refused(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Evidence v;
    SearchQuery q = { .text = S("x") };
    desk_expect(d, JOT_INVALID, evidence_find(s, &q, 99, &d->a, &v, &d->e));
    assert_says(d, "a budget of 99 tokens: use 100 to 4000000");
    desk_expect(d, JOT_INVALID, evidence_find(s, &q, UINT64_MAX, &d->a, &v, &d->e));
}

static void nothing_is_no_evidence(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    Evidence v = look(d, s, "walnut", 500);
    assert_int_equal(v.n + v.left_n + v.same + v.tokens, 0);
    desk_put(d, "notes/bytes", "walnut \xFF\xFE");
    v = look(d, s, "walnut", 500);
    assert_int_equal(v.n, 0); /* what is not text cannot be shown */
    assert_int_equal(as_text(d, &v).n, 0);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_short_note_is_shown_whole_and_says_where_it_is_from),
        DESK_TEST(of_a_long_note_the_lines_around_the_words_are_shown),
        DESK_TEST(words_that_stand_apart_are_both_shown),
        DESK_TEST(a_line_that_is_too_long_is_cut_around_the_words),
        DESK_TEST(a_record_of_a_run_comes_with_those_beside_it),
        DESK_TEST(hits_close_together_are_one_passage),
        DESK_TEST(the_same_text_is_shown_once),
        DESK_TEST(the_text_never_costs_more_than_the_budget),
        DESK_TEST(what_is_far_worse_than_the_best_is_not_evidence),
        DESK_TEST(a_budget_out_of_bounds_is_refused),
        DESK_TEST(nothing_is_no_evidence),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
