/* fuzz_calc.c - any bytes as an expression. */
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "tool/args.h"

const char *const fuzz_words[] = {
    "(",      ")",     "+",     "-",     "*",  "/",  "%",  "^",   "**",
    "sqrt",   "max",   "abs(",  "round", ",",  "pi", "e",  "1e9", "0",
    ".5",     "1e308", "log(",  "2^63",  "-1", " ",  "1.", "ln",  "9223372036854775807",
    "1e-320", "min(",  "floor", NULL
};

extern const Tool act_calc;

static jot_status compute(Str text, Arena *into, ToolReply *out, Err *e)
{
    AUTO_PTR(json_t)
    args = json_pack("{s:o}", "expression", json_stringn_nocheck(text.p, text.n));
    ToolCall c = { .tool = &act_calc, .args = args, .into = into, .e = e };
    *out = (ToolReply){ 0 };
    return act_calc.run(&c, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    ToolReply r, again;
    Str text = { size ? (const char *)data : "", size < 2000 ? size : 2000 };
    jot_status st = compute(text, &a, &r, &e);
    if (st != JOT_OK) {
        MUST(st == JOT_INVALID || st == JOT_TOO_BIG);
        MUST_SAY(e, st);
        return 0;
    }
    MUST(r.text.n && utf8_valid(r.text));
    /* What it answers is an expression that is worth the same. */
    Str value = str_ends(r.text, S(" (rounded)")) ? str_slice(r.text, 0, r.text.n - 10) : r.text;
    MUST(compute(value, &a, &again, &e) == JOT_OK);
    bool whole = str_find(value, '.') == value.n && str_find(value, 'e') == value.n;
    if (whole && value.n < 15)
        MUST(str_eq(again.text, value));
    return 0;
}
