/* fuzz_yaml.c - any bytes as a YAML document, and any bytes as a text inside one. */
#include "base/utf8.h"
#include "base/yaml.h"
#include "fuzz/fuzz.h"

const char *const fuzz_words[] = { "goals:\n",
                                   "- ",
                                   "  ",
                                   "\n",
                                   ": ",
                                   "# x",
                                   "|\n  ",
                                   "|2-\n",
                                   ">+\n ",
                                   "\"\\u2028\"",
                                   "\"\\x00\"",
                                   "''",
                                   "null",
                                   "~",
                                   "0x1F",
                                   ".inf",
                                   "1e3",
                                   "yes",
                                   "{a: b}",
                                   "[x, y]",
                                   "&a ",
                                   "*a",
                                   "!!str ",
                                   "---\n",
                                   "...\n",
                                   "? ",
                                   "%YAML 1.2\n",
                                   "%TAG ! x\n",
                                   "\t",
                                   "\r\n",
                                   "\xe2\x80\xa8",
                                   "\xc2\x85",
                                   "\xef\xbb\xbf",
                                   "\xf0\x9f\x98\x80",
                                   NULL };

static void check_limits(const Yaml *y, int depth, size_t *nodes)
{
    MUST(++*nodes <= YAML_NODES_MAX && depth <= YAML_DEPTH_MAX);
    MUST(y->line > 0 && y->column > 0);
    if (y->kind == YAML_SCALAR)
        MUST(utf8_valid(y->text) && str_find(y->text, 0) == y->text.n);
    for (size_t i = 0; y->kind == YAML_LIST && i < y->n; i++)
        check_limits(y->items[i], depth + 1, nodes);
    for (size_t i = 0; y->kind == YAML_MAP && i < y->n; i++) {
        ++*nodes;
        MUST(yaml_get(y, y->pairs[i].key) == y->pairs[i].value); /* there is no other */
        check_limits(y->pairs[i].value, depth + 1, nodes);
    }
}

/* Written, read and written again: the same tree and the same bytes. */
static void check_round_trip(const Yaml *tree)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) first = { 0 };
    AUTO(Buf) second = { 0 };
    Yaml *back = NULL;
    MUST(yaml_write(&first, tree, NULL) == JOT_OK);
    MUST(yaml_read(buf_str(&first), &a, &back, NULL) == JOT_OK);
    MUST(yaml_eq(tree, back));
    MUST(yaml_write(&second, back, NULL) == JOT_OK);
    MUST(str_eq(buf_str(&first), buf_str(&second)));
}

static void check_document(Str text)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Yaml *tree = NULL;
    jot_status st = yaml_read(text, &a, &tree, &e);
    MUST((tree != NULL) == (st == JOT_OK));
    if (st != JOT_OK) {
        MUST(st == JOT_INVALID || st == JOT_TOO_BIG);
        MUST_SAY(e, st);
        MUST(strstr(e.text, "line "));
        return;
    }
    size_t nodes = 0;
    MUST(utf8_valid(text));
    if (tree->line)
        check_limits(tree, 0, &nodes);
    check_round_trip(tree);
}

/* The bytes as a value, an item and a key. */
static void check_text(Str text)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) b = { 0 };
    Err e = { 0 };
    Yaml *map = yaml_map(&a), *list = yaml_list(&a);
    yaml_set(&a, map, S("a"), yaml_text(&a, text));
    yaml_add(&a, list, yaml_text(&a, text));
    yaml_add(&a, list, map);
    yaml_set(&a, map, text, yaml_text(&a, text));
    bool good = utf8_valid(text) && str_find(text, 0) == text.n;
    jot_status st = yaml_write(&b, list, &e);
    MUST(st == (good ? JOT_OK : JOT_INVALID));
    if (!good) {
        MUST_SAY(e, st);
        return;
    }
    check_round_trip(list);
    check_round_trip(yaml_text(&a, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str text = { (const char *)data, size };
    check_document(text);
    check_text(text);
    return 0;
}
