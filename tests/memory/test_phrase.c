/* test_phrase.c - phrases: found as they stand and as JSON writes them, and cut out of it. */
#include "memory/forget/phrase.h"

#include "base/json.h"
#include "memory/desk.h"

static void a_phrase_is_found_as_it_stands_and_as_json_writes_it(Desk *d)
{
    static const struct {
        const char *text, *phrase, *without; /* NULL: it is not in it */
    } rows[] = {
        { "a key b", "key", "a # b" },
        { "keykey key", "key", "## #" },
        { "a k\xC3\xA9y b", "k\xC3\xA9y", "a # b" },
        { "a k\\u00e9y b", "k\xC3\xA9y", "a # b" },
        { "a k\\u00E9y b", "k\xC3\xA9y", "a # b" },
        { "a \\uD83D\\uDE00 b", "\xF0\x9F\x98\x80", "a # b" },
        { "a \\uD83D b", "\xF0\x9F\x98\x80", NULL },
        { "{\"a\":\"say \\\"key\\\"\"}", "say \"key\"", "{\"a\":\"#\"}" },
        { "{\"a\":\"one\\ntwo\"}", "one\ntwo", "{\"a\":\"#\"}" },
        { "{\"a\":\"{\\\"b\\\":\\\"one\\\\ntwo\\\"}\"}", "one\ntwo",
          "{\"a\":\"{\\\"b\\\":\\\"#\\\"}\"}" },
        { "{\"a\":\"{\\\"b\\\":\\\"\\\\\\\"key\\\\\\\"\\\"}\"}", "\"key\"",
          "{\"a\":\"{\\\"b\\\":\\\"#\\\"}\"}" },
        { "a\\/b", "a/b", "#" },
        { "C:\\\\dir", "C:\\dir", "#" },
        { "C:\\dir", "C:\\dir", "#" },
        /* A character of JSON is taken whole, so that JSON stays JSON. */
        { "{\"a\":\"\\nfoo\"}", "nfoo", "{\"a\":\"#\"}" },
        { "{\"a\":\"\\u00e9foo\"}", "e9foo", "{\"a\":\"#\"}" },
        { "a \\", "key", NULL },
        { "a \\u12", "key", NULL },
        { "\\\\\\\\\\\\", "key", NULL },
        { "", "key", NULL },
        /* As Jotter lays texts out. */
        { "a: |\n  one\n    two\n  three\n", "one\n  two\nthree", "a: |\n  #\n" },
        { "{\"a\":\"x\\n  one\\n  two\"}", "one\ntwo", "{\"a\":\"x\\n  #\"}" },
        { "alpha **bravo** charlie", "alpha bravo", "# charlie" },
        { "**alpha** **bravo** x", "alpha\nbravo", "**#** x" },
        { "my **pass**-**word** is", "pass-word", "my **#** is" },
        { "| one\n| two\n|\n| three", "one\ntwo\n\nthree", "| #" },
        { "     9\tone\n    10\ttwo", "one\ntwo", "     9\t#" },
        { "| a |\n| b |", "| a |\n| b |\n", "#" },
        { "  | a |\n  | b |", "| a |\n| b |", "  #" },
        { "one two", "one  two", "#" },
        { "a \\\\n", "  a \\ ", "#n" },
        { "onetwo one-two one|two", "one two", NULL },
        { "one\n7 two", "one two", NULL },
        { "se**cr**et sec ret", "secret", NULL },
        { "one-two one -two", "one - two", NULL },
        { "a b", "  ", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str text = str(rows[i].text), phrase = str(rows[i].phrase);
        bool in = rows[i].without != NULL;
        if (phrase_in(text, phrase) != in)
            fail_msg("'%s' in '%s'", rows[i].phrase, rows[i].text);
        Str got = phrase_replace(text, phrase, S("#"), &d->a);
        assert_text(got, in ? rows[i].without : rows[i].text);
    }
}

/* Any text around any phrase, of characters that JSON writes in other ways, quoted again and again:
 * the phrase is found, and what is left is JSON. */
static void json_without_a_phrase_is_json(Desk *d)
{
    static const char *const letters[] = { "a",  "n",  "u", "0",        "\"",
                                           "\\", "\n", "/", "\xC3\xA9", "b" };
    uint64_t state = 81;
    for (int round = 0; round < 2000; round++) {
        Str parts[3];
        AUTO(Buf) whole = { 0 };
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            AUTO(Buf) part = { 0 };
            for (int k = 0; k < 1 + round % 5; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                buf_add(&part, str(letters[(state >> 33) % COUNT_OF(letters)]));
            }
            parts[i] = arena_copy(&d->a, buf_str(&part));
            buf_add(&whole, parts[i]);
        }
        Str text = arena_copy(&d->a, buf_str(&whole));
        for (int level = 0; level < PHRASE_DEPTH; level++) {
            AUTO(Buf) quoted = { 0 };
            json_quote(&quoted, text);
            text = arena_copy(&d->a, buf_str(&quoted));
            Str without = phrase_replace(text, parts[1], S("#"), &d->a);
            /* With a quote in it, it may stand across the quotes of a string. */
            bool across = str_find(parts[1], '"') < parts[1].n;
            bool json = across || json_skip(without, 0) == without.n;
            if (!phrase_in(text, parts[1]) || !json)
                fail_msg("'" STR_FMT "' in '" STR_FMT "': '" STR_FMT "'", STR_ARG(parts[1]),
                         STR_ARG(text), STR_ARG(without));
        }
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_phrase_is_found_as_it_stands_and_as_json_writes_it),
        DESK_TEST(json_without_a_phrase_is_json),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
