/* test_note.c - notes: keys that are refused everywhere alike, lists, excerpts, secrets. */
#include "memory/doc/note.h"

#include "memory/desk.h"
#include "memory/doc/conflict.h"
#include "memory/doc/secret.h"
#include "memory/forget/forget.h"
#include "memory/frame/excerpt.h"

/* --- Keys ------------------------------------------------------------------------------- */

#define USE "use letters and digits of any script"
#define BEGINS "nothing in it can begin with '.'"
#define EMPTY "a folder or name in it is empty"

typedef struct BadKey {
    Str word;
    const char *says;
} BadKey;

static const BadKey bad_keys[] = {
    { T(""), "key cannot be empty" },
    { T("."), "invalid key '.': " BEGINS },
    { T(".."), "invalid key '..': " BEGINS },
    { T("../x"), "invalid key '../x': " BEGINS },
    { T("../../etc/evil"), "invalid key '../../etc/evil': " BEGINS },
    { T("a/../b"), "invalid key 'a/../b': " BEGINS },
    { T("/abs"), "invalid key '/abs': " EMPTY },
    { T("a//b"), "invalid key 'a//b': " EMPTY },
    { T("a/"), "invalid key 'a/': " EMPTY },
    { T("a\\b"), USE },
    { T("%2e%2e%2f"), USE },
    { T("a\0b"), USE },
    { T("a\nb"), USE },
    { T("\x7f"), USE },
    { T("\xc0\xae"), USE },
    { T("\xed\xa0\x80"), USE },
    { T("\xef\xbb\xbfplan"), USE },
    { T("a\xe2\x80\xae"), USE },
    { T("a\xe2\x80\x8b"), USE },
    { T("cafe\xcc\x81"), "normal form C (6 bytes), which is 'caf\xc3\xa9' (5 bytes)" },
    { T("a\xcd\x8f"), USE },        /* a mark that cannot be seen */
    { T("\xf0\x9f\x98\x80"), USE }, /* no letter */
    { T("plan."), "end in '.' or a blank" },
    { T("plan "), "end in '.' or a blank" },
    { T("a./b"), "end in '.' or a blank" },
    { T("a /b"), "end in '.' or a blank" },
    { T(".plan.new"), BEGINS },
    { T("plan.txt"), "'.txt' is the ending of a note's file" },
    { T("plan.md"), "'.md' is the ending of a note's file" },
    { T("a.md/b"), "a folder cannot end in '.md'" },
    { T("x') OR '1'='1"), USE },
    { T("$(touch pwned)"), USE },
    { T("*?["), USE },
    { T("notes/"), "key cannot be empty" },
    { T("notes/../x"), "invalid key '../x': " BEGINS },
    { T("notes/runs/b"), "runs/ is not a folder of notes" },
    { T("memories/"), "cannot be empty" },
    { T("memories/../x"), "cannot begin with '.'" },
    { T("memories//x"), "cannot be empty" },
    { T("memories/a\x01"), "control characters" },
    { T("memories/a\xff"), "not UTF-8" },
    { T("artifacts/a/.."), "cannot begin with '.'" },
    { T("cycles/a/b"), "takes one segment" },
    { T("runs/x"), "runs/ is not a folder of notes" },
    { T("checkpoints/x"), "checkpoints/ is not a folder of notes" },
    { T("notes/notes/x"), "notes/ is not a folder of notes" },
};

static jot_status resolve(Desk *d, Str word, Str *out)
{
    return note_resolve(word, &d->a, out, &d->e);
}

static void every_bad_key_gets_one_sentence_that_says_what_is_allowed(Desk *d)
{
    for (size_t i = 0; i < COUNT_OF(bad_keys); i++) {
        Str stream = { 0 };
        assert_row(resolve(d, bad_keys[i].word, &stream) == JOT_INVALID, i, "must be refused");
        assert_says(d, bad_keys[i].says);
        assert_sentence(&d->e);
        assert_int_equal(stream.n, 0);
    }
}

static void a_key_has_at_most_128_bytes(Desk *d)
{
    static const size_t sizes[] = { 129, 255, 256, 4096, 1 << 20 };
    Str stream;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char *key = arena_alloc(&d->a, sizes[i], 1);
        memset(key, 'k', sizes[i]);
        desk_expect(d, JOT_INVALID, resolve(d, (Str){ key, sizes[i] }, &stream));
        assert_says(d, "use at most 128 bytes");
        assert_sentence(&d->e);
    }
    char longest[128];
    memset(longest, 'k', sizeof longest);
    desk_ok(d, resolve(d, (Str){ longest, sizeof longest }, &stream));
}

typedef jot_status Verb(Desk *d, Str word);

/* Each verb takes the word as its stream, as if a door had forgotten to check it. */
static jot_status verb_read(Desk *d, Str w)
{
    Doc out;
    return doc_read(&d->m, w, &d->a, &out, &d->e);
}

static jot_status verb_write(Desk *d, Str w)
{
    Doc out;
    DocWrite x = { .text = S("evil") };
    return doc_write(&d->m, w, &x, &d->a, &out, &d->e);
}

static jot_status verb_append(Desk *d, Str w)
{
    Doc out;
    DocAppend x = { .text = S("evil") };
    return doc_append(&d->m, w, &x, &d->a, &out, &d->e);
}

static jot_status verb_edit(Desk *d, Str w)
{
    Doc out;
    DocEdit x = { .old_text = S("a"), .new_text = S("evil") };
    return doc_edit(&d->m, w, &x, &d->a, &out, &d->e);
}

static jot_status verb_delete(Desk *d, Str w)
{
    Doc out;
    return doc_delete(&d->m, w, NULL, &d->a, &out, &d->e);
}

static jot_status verb_move_from(Desk *d, Str w)
{
    Doc out;
    return doc_move(&d->m, w, S("notes/new"), &d->a, &out, &d->e);
}

static jot_status verb_move_to(Desk *d, Str w)
{
    Doc out;
    return doc_move(&d->m, S("notes/kept"), w, &d->a, &out, &d->e);
}

static jot_status verb_history(Desk *d, Str w)
{
    History out;
    return history_page(&d->m, w, &(HistoryAsk){ .before = 0, .limit = 10 }, &d->a, &out, &d->e);
}

static jot_status verb_at(Desk *d, Str w)
{
    Doc out;
    When when = { .kind = WHEN_SEQ, .number = 1 };
    return history_at(&d->m, w, &when, &d->a, &out, &d->e);
}

static jot_status verb_undo(Desk *d, Str w)
{
    Doc out;
    return history_undo(&d->m, w, NULL, &d->a, &out, &d->e);
}

static jot_status verb_restore(Desk *d, Str w)
{
    Doc out;
    When when = { .kind = WHEN_SEQ, .number = 1 };
    return history_restore(&d->m, w, &(Restore){ .which = when }, &d->a, &out, &d->e);
}

static jot_status verb_blame(Desk *d, Str w)
{
    Blame out;
    return history_blame(&d->m, w, &d->a, &out, &d->e);
}

static jot_status verb_purge(Desk *d, Str w)
{
    Mark out;
    return forget_document(&d->m, w, &out, &d->e);
}

static jot_status verb_redact(Desk *d, Str w)
{
    uint64_t n;
    When when = { .kind = WHEN_SEQ, .number = 1 };
    return forget_version(&d->m, w, &when, &n, &d->e);
}

static jot_status verb_redact_phrase(Desk *d, Str w)
{
    Forgotten out;
    return forget_phrase(&d->m, w, S("a"), &out, &d->e);
}

static Verb *const verbs[] = {
    verb_read,    verb_write,     verb_append,  verb_edit,   verb_delete,
    verb_move_to, verb_move_from, verb_history, verb_at,     verb_undo,
    verb_restore, verb_blame,     verb_purge,   verb_redact, verb_redact_phrase,
};

static Doc write_note(Desk *d, const char *key, const char *text)
{
    Doc out;
    Str stream;
    DocWrite w = { .text = str(text) };
    desk_ok(d, note_stream(str(key), &d->a, &stream, &d->e));
    desk_ok(d, doc_write(&d->m, stream, &w, &d->a, &out, &d->e));
    return out;
}

/* Also where a door forgot to resolve the word, no verb does anything with a bad name. */
static void no_verb_accepts_a_bad_name_or_changes_anything(Desk *d)
{
    write_note(d, "kept", "a");
    for (size_t v = 0; v < COUNT_OF(verbs); v++)
        for (size_t i = 0; i < COUNT_OF(bad_keys); i++) {
            Str word = bad_keys[i].word;
            char *p = arena_alloc(&d->a, 7 + word.n, 1);
            memcpy(p, "notes/", 6);
            memcpy(p + 6, word.p, word.n);
            assert_row(verbs[v](d, (Str){ p, 6 + word.n }) == JOT_INVALID, i, "as a note's key");
            assert_sentence(&d->e);
            if (store_check_name(word, NULL) == JOT_OK)
                continue; /* a good name, though not of a note */
            assert_row(verbs[v](d, word) == JOT_INVALID, i, "as a stream's name");
            assert_sentence(&d->e);
        }
    Listing all;
    desk_ok(d, store_list(d->m.store, &(ListQuery){ .limit = 10, .which = LIST_ALL }, &d->a, &all,
                          &d->e));
    assert_int_equal(all.n, 1);
    assert_int_equal(all.items[0].mark.seq, 1);
}

static void keys_that_look_odd_are_keys_and_differ_from_each_other(Desk *d)
{
    static const char *const keys[] = {
        "Plans",  "plan", "CON",    "-x",    "--",       "_",
        "format", "0",    "recent", "notes", "plan-new", "streams"
    };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        write_note(d, keys[i], keys[i]);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        Str stream;
        Doc out;
        desk_ok(d, resolve(d, str(keys[i]), &stream));
        desk_ok(d, doc_read(&d->m, stream, &d->a, &out, &d->e));
        assert_text(out.text, keys[i]);
    }
}

static jot_status try_note(Desk *d, const char *key)
{
    Doc out;
    Str stream;
    DocWrite w = { .text = S("x") };
    desk_ok(d, note_stream(str(key), &d->a, &stream, &d->e));
    return doc_write(&d->m, stream, &w, &d->a, &out, &d->e);
}

static void a_key_may_have_folders_and_letters_of_any_script(Desk *d)
{
    static const char *const keys[] = {
        "a/b",     "a/b-c", "A-dir/x",   "größe",   "\xd0\x96/\xe8\xa8\x88\xe7\x94\xbb",
        "My note", "v1.2",  "a,b+c=d@e", "x/notes", "x/runs/y"
    };
    Listing l;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        write_note(d, keys[i], keys[i]);
    desk_ok(d,
            note_list(&d->m, &(NoteAsk){ S("a/"), (Str){ 0 }, 10, NOTE_LIVE }, &d->a, &l, &d->e));
    assert_int_equal(l.n, 2);
    assert_text(l.items[0].name, "notes/a/b");
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        Str stream;
        Doc out;
        desk_ok(d, resolve(d, str(keys[i]), &stream));
        desk_ok(d, doc_read(&d->m, stream, &d->a, &out, &d->e));
        assert_text(out.text, keys[i]);
        desk_ok(d, doc_delete(&d->m, stream, NULL, &d->a, &out, &d->e));
    }
}

static void a_note_is_a_name_or_a_folder_and_never_both(Desk *d)
{
    write_note(d, "a", "x");
    desk_expect(d, JOT_INVALID, try_note(d, "a/b"));
    write_note(d, "c/d", "x");
    desk_expect(d, JOT_INVALID, try_note(d, "c"));
    desk_ok(d, try_note(d, "c-"));
}

static void on_a_server_keys_may_differ_only_in_case(Desk *d)
{
    Doc out;
    write_note(d, "plan", "small");
    write_note(d, "Plan", "large");
    desk_ok(d, doc_read(&d->m, S("notes/plan"), &d->a, &out, &d->e));
    assert_text(out.text, "small");
}

static void a_key_that_differs_only_in_case_is_refused_and_the_other_is_named(Desk *d)
{
    if (desk_on_server(d)) {
        on_a_server_keys_may_differ_only_in_case(d);
        return;
    }
    Doc out;
    static const char *const rows[][2] = {
        { "plan", "Plan" },
        { "Ideas", "ideas" },
        { "LIST", "LiSt" },
        { "dir/Note", "Dir/note" },
        { "gr\xc3\xb6n", "GR\xc3\x96N" },
        { "\xce\xa3\xce\x91\xce\xa3", "\xcf\x83\xce\xb1\xcf\x82" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        write_note(d, rows[i][0], "x");
        assert_row(try_note(d, rows[i][1]) == JOT_INVALID, i, rows[i][1]);
        assert_says(d, "differs only in case from");
        assert_says(d, rows[i][0]);
        desk_ok(d, try_note(d, rows[i][0]));
    }
    desk_ok(d, doc_delete(&d->m, S("notes/plan"), NULL, &d->a, &out, &d->e));
    desk_ok(d, try_note(d, "Plan"));
    desk_expect(d, JOT_INVALID, try_note(d, "plan"));
    desk_ok(d, try_note(d, "planS"));
    desk_ok(d, try_note(d, "pla"));
}

static void an_agent_makes_plain_keys_and_may_change_any(Desk *d)
{
    static const char *const fresh[] = { "a/new", "gr\xc3\xbcn", "a b", "../../etc/evil",
                                         "runs/x" };
    Str stream;
    write_note(d, "a/b", "x");
    for (size_t i = 0; i < COUNT_OF(fresh); i++) {
        char says[80];
        assert_row(note_resolve_change(&d->m, str(fresh[i]), &d->a, &stream, &d->e) == JOT_INVALID,
                   i, fresh[i]);
        snprintf(says, sizeof says, "invalid key '%s': use [A-Za-z0-9_-]+", fresh[i]);
        assert_string_equal(d->e.text, says);
    }
    desk_expect(d, JOT_INVALID, note_resolve_agent(S("../../etc/evil"), &d->a, &stream, &d->e));
    assert_string_equal(d->e.text, "invalid key '../../etc/evil': use [A-Za-z0-9_-]+");
    desk_expect(d, JOT_INVALID, note_resolve_agent(S("cafe\xcc\x81"), &d->a, &stream, &d->e));
    assert_says(d, "which is 'caf\xc3\xa9'");
    desk_ok(d, note_resolve_change(&d->m, S("a/b"), &d->a, &stream, &d->e));
    assert_text(stream, "notes/a/b");
    desk_ok(d, note_resolve_agent(S("a/new"), &d->a, &stream, &d->e)); /* to look for it */
    desk_ok(d, note_resolve_change(&d->m, S("new"), &d->a, &stream, &d->e));
    desk_ok(d, note_resolve_change(&d->m, S("memories/x y"), &d->a, &stream, &d->e));
}

static void a_whole_name_means_any_document(Desk *d)
{
    static const char *const names[] = { "memories/a.md", "memories/a dir/b", "artifacts/x/y",
                                         "cycles/default" };
    Str stream;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        desk_ok(d, resolve(d, str(names[i]), &stream));
        assert_text(stream, names[i]);
    }
    desk_ok(d, resolve(d, S("notes/plan"), &stream));
    assert_text(stream, "notes/plan");
}

/* --- Lists ------------------------------------------------------------------------------ */

static void a_list_has_the_live_ones_of_a_prefix_or_the_deleted_ones(Desk *d)
{
    Doc out;
    Listing l;
    static const char *const keys[] = { "a1", "a2", "b1", "a3" };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        write_note(d, keys[i], "x");
    desk_ok(d, doc_delete(&d->m, S("notes/a2"), NULL, &d->a, &out, &d->e));
    desk_ok(d, note_list(&d->m, &(NoteAsk){ S("a"), (Str){ 0 }, 10, NOTE_LIVE }, &d->a, &l, &d->e));
    assert_int_equal(l.n, 2);
    assert_text(l.items[1].name, "notes/a3");
    desk_ok(d, note_list(&d->m, &(NoteAsk){ S(""), (Str){ 0 }, 2, NOTE_LIVE }, &d->a, &l, &d->e));
    assert_int_equal(l.n, 2);
    assert_true(l.more);
    desk_ok(d,
            note_list(&d->m, &(NoteAsk){ S(""), (Str){ 0 }, 1, NOTE_DELETED }, &d->a, &l, &d->e));
    assert_int_equal(l.n, 1);
    assert_text(l.items[0].name, "notes/a2");
    desk_expect(
        d, JOT_INVALID,
        note_list(&d->m, &(NoteAsk){ S("../"), (Str){ 0 }, 10, NOTE_LIVE }, &d->a, &l, &d->e));
    assert_says(d, "invalid key '..': " BEGINS);
}

/* --- Sentences -------------------------------------------------------------------------- */

static void the_answer_counts_characters_and_not_bytes(Desk *d)
{
    assert_text(note_wrote(S("notes/plan"), S("caf\xc3\xa9\n"), false, &d->a),
                "wrote 5 chars to scratchpad[plan]");
    assert_text(note_wrote(S("memories/a.md"), S("x"), true, &d->a),
                "wrote 1 chars to memories/a.md, merged with what others wrote");
}

/* The tokens are put together here, so that nobody takes this file for one that leaks them. */
static void what_looks_like_a_secret_is_warned_about(Desk *d)
{
#define TWENTY "abcdefghij0123456789"
    static const Str yes[] = {
        T("AKIA"
          "ABCDEFGHIJKLMNOP"),
        T("key: sk-" TWENTY),
        T("sk-ant-api03-" TWENTY),
        T("token ghp_" TWENTY TWENTY),
        T("github_pat_" TWENTY TWENTY),
        T("xoxb-"
          "1234567890-abc"),
        T("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." TWENTY),
        T("-----BEGIN OPENSSH PRIVATE"
          " KEY-----\nabc"),
        T("PASSWORD=hunter22"),
        T("DB_PASSWORD='s3cret!!'"),
        T("\"api_key\": \"abc123def456\""),
        T("AIza"
          "SyA-" TWENTY "abcdefghijk"),
        T("see postgres://ann:"
          "hunter@db/pads"),
        T("eyJ-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." TWENTY),
    };
    static const Str no[] = {
        T(""),
        T("ship on friday"),
        T("the password is in the safe"),
        T("password: ask bob"),
        T("PASSWORD=$DB_PASSWORD"),
        T("risk-assessment-for-the-next-quarter-of-the-year"),
        T("sk-learn"),
        T("AKIA is a prefix"),
        T("password reset flow = done"),
        T("eyJ.eyJ.x"),
        T("secret: <redacted>"),
        T("mask-ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    };
    Secret s;
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        assert_row(secret_find(yes[i], &s), i, "looks like a secret");
    for (size_t i = 0; i < COUNT_OF(no); i++)
        assert_row(!secret_find(no[i], &s), i, "does not look like a secret");
    assert_true(secret_find(S("one\ntwo\nghp_" TWENTY TWENTY "\n"), &s));
    assert_int_equal(s.line, 3);
    assert_int_equal(s.at, 8);
    assert_int_equal(s.n, 44);
    Str warning = note_warns(S("notes/plan"), yes[0], &d->a);
    assert_non_null(strstr(warning.p, "jotter redact plan"));
    assert_non_null(strstr(warning.p, "jotter purge plan"));
    assert_int_equal(note_warns(S("notes/plan"), no[1], &d->a).n, 0);
}

/* Beginnings of secrets, again and again: each place leads as far as the text goes. */
static void a_text_full_of_beginnings_is_looked_at_in_one_pass(Desk *d)
{
    static const char *const beginnings[] = { "-",   "eyJ-", "a.",      "a+",
                                              "sk-", "pwd ", "bearer ", "a://" };
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        AUTO(Buf) text = { .max = STORE_BODY_MAX };
        Secret s;
        while (text.n < 1u << 20)
            buf_add(&text, str(beginnings[i]));
        bool found = secret_find(buf_str(&text), &s);
        assert_row(found == (i == 4), i, "is found, or ends");
    }
}

/* --- Excerpts --------------------------------------------------------------------------- */

static void an_excerpt_says_what_was_left_out(Desk *d)
{
    Str text = S("one\ntwo\nthree\nfour");
    static const struct {
        ExcerptWant want;
        const char *text, *says;
    } rows[] = {
        { { 0 }, "one\ntwo\nthree\nfour", "" },
        { { .from = 2, .count = 2 }, "two\nthree\n", "lines 2-3 of 4, about 4 of 7 tokens" },
        { { .from = 3 }, "three\nfour", "lines 3-4 of 4, about 3 of 7 tokens" },
        { { .from = 9 }, "", "there are only 4 lines" },
        { { .tokens = 2 }, "one\n", "lines 1-1 of 4, about 2 of 7 tokens" },
        { { .tokens = 100 }, "one\ntwo\nthree\nfour", "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Excerpt x;
        excerpt_make(text, &rows[i].want, &x);
        assert_text(x.text, rows[i].text);
        assert_text(excerpt_says(&x, &d->a), rows[i].says);
    }
    Excerpt x;
    excerpt_make(S("a very long line of many words, all on one line"),
                 &(ExcerptWant){ .tokens = 3 }, &x);
    assert_true(x.partly);
    assert_text(excerpt_says(&x, &d->a), "the beginning of line 1 of 1, about 3 of 12 tokens");
}

static void the_parts_of_a_text_read_in_turn_are_the_whole(Desk *d)
{
    AUTO(Buf) whole = { 0 }, got = { 0 };
    for (int i = 0; i < 200; i++)
        buf_addf(&whole, "line number %d has %d words in it\n", i, i % 7);
    ExcerptWant want = { .from = 1, .tokens = 60 };
    for (bool more = true; more;) {
        Excerpt x;
        excerpt_make(buf_str(&whole), &want, &x);
        assert_true(x.text.n > 0 && x.tokens <= 60);
        buf_add(&got, x.text);
        want.from = x.last + 1;
        more = x.last < x.lines;
    }
    assert_str(buf_str(&got), buf_str(&whole));
    (void)d;
}

static void ranges_of_lines_are_checked(Desk *d)
{
    static const struct {
        Str range;
        size_t from, count;
    } good[] = { { T("2:4"), 2, 3 }, { T("2:"), 2, 0 }, { T(":4"), 1, 4 }, { T("3"), 3, 1 } };
    static const Str bad[] = { T(""),      T(":"),    T("0:1"),  T("4:2"),        T("a:b"),
                               T("1:2:3"), T("-1:2"), T("1: 2"), T("99999999999") };
    ExcerptWant w;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        w = (ExcerptWant){ 0 };
        desk_ok(d, excerpt_parse(good[i].range, &w, &d->e));
        assert_int_equal(w.from, good[i].from);
        assert_int_equal(w.count, good[i].count);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_row(excerpt_parse(bad[i], &w, &d->e) == JOT_INVALID, i, "must be refused");
    assert_says(d, "invalid lines");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(every_bad_key_gets_one_sentence_that_says_what_is_allowed),
        DESK_TEST(a_key_has_at_most_128_bytes),
        DESK_TEST(no_verb_accepts_a_bad_name_or_changes_anything),
        DESK_TEST(keys_that_look_odd_are_keys_and_differ_from_each_other),
        DESK_TEST(a_key_may_have_folders_and_letters_of_any_script),
        DESK_TEST(a_note_is_a_name_or_a_folder_and_never_both),
        DESK_TEST(a_key_that_differs_only_in_case_is_refused_and_the_other_is_named),
        DESK_TEST(an_agent_makes_plain_keys_and_may_change_any),
        DESK_TEST(a_whole_name_means_any_document),
        DESK_TEST(a_list_has_the_live_ones_of_a_prefix_or_the_deleted_ones),
        DESK_TEST(the_answer_counts_characters_and_not_bytes),
        DESK_TEST(what_looks_like_a_secret_is_warned_about),
        DESK_TEST(a_text_full_of_beginnings_is_looked_at_in_one_pass),
        DESK_TEST(an_excerpt_says_what_was_left_out),
        DESK_TEST(the_parts_of_a_text_read_in_turn_are_the_whole),
        DESK_TEST(ranges_of_lines_are_checked),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
