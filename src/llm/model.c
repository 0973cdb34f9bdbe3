/* model.c - the table of models, and the user's file over it.
 *
 *     table       claude-sonnet-   window 1000000, input 3, output 15
 *     models.yaml claude-sonnet-   input 2.5
 *     known       claude-sonnet-5  window 1000000, input 2.5, output 15
 *
 * Our rows are what the vendors' pages said in November 2026.  A row says what is true of all names
 * that begin like it, so a new model of a family is guessed from the family's newest. */
#include "llm/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/home.h"
#include "base/yaml.h"

enum { MODEL_ROWS_MAX = 1000 };

#define NONE -1.0

static const struct {
    const char *begins;
    uint64_t window, reply;
    ModelThinking thinking;
    double price[PRICES]; /* input, read from the cache, written to it, output */
} rows[] = {
    { "claude-3-5", 200000, 8192, MODEL_NO_THINKING, { 3, 0.3, 3.75, 15 } },
    { "claude-3-5-haiku", 200000, 8192, MODEL_NO_THINKING, { 0.8, 0.08, 1, 4 } },
    { "claude-3-7", 200000, 64000, MODEL_BUDGET, { 3, 0.3, 3.75, 15 } },
    { "claude-3-", 200000, 4096, MODEL_NO_THINKING, { NONE, NONE, NONE, NONE } },
    { "claude-haiku-4", 200000, 64000, MODEL_BUDGET, { 1, 0.1, 1.25, 5 } },
    { "claude-sonnet-4", 200000, 64000, MODEL_BUDGET, { 3, 0.3, 3.75, 15 } },
    { "claude-sonnet-4-6", 1000000, 64000, MODEL_ADAPTIVE, { 3, 0.3, 3.75, 15 } },
    { "claude-sonnet-5", 1000000, 128000, MODEL_ADAPTIVE, { 2, 0.2, 2.5, 10 } },
    { "claude-opus-4", 200000, 32000, MODEL_BUDGET, { 15, 1.5, 18.75, 75 } },
    { "claude-opus-4-5", 200000, 64000, MODEL_BUDGET, { 5, 0.5, 6.25, 25 } },
    { "claude-opus-4-6", 1000000, 128000, MODEL_ADAPTIVE, { 5, 0.5, 6.25, 25 } },
    { "claude-opus-4-7", 1000000, 128000, MODEL_ADAPTIVE, { 5, 0.5, 6.25, 25 } },
    { "claude-opus-4-8", 1000000, 128000, MODEL_ADAPTIVE, { 5, 0.5, 6.25, 25 } },
    { "claude-opus-5", 1000000, 128000, MODEL_ADAPTIVE, { 5, 0.5, 6.25, 25 } },
    { "claude-opus-5-5", 1000000, 128000, MODEL_ADAPTIVE, { 4, 0.2, 5, 20 } },
    { "claude-fable-5", 1000000, 128000, MODEL_ADAPTIVE, { 10, 1, 12.5, 50 } },
    { "claude-fable-5-1", 1000000, 128000, MODEL_ADAPTIVE, { 10, 0.25, 12.5, 50 } },
    { "claude-mythos-5", 1000000, 128000, MODEL_ADAPTIVE, { 10, 1, 12.5, 50 } },
    { "claude-mythos-5-1", 1000000, 128000, MODEL_ADAPTIVE, { 10, 0.25, 12.5, 50 } },
    { "claude-", 200000, 64000, MODEL_ADAPTIVE, { NONE, NONE, NONE, NONE } },
    { "gpt-3.5", 16385, 0, MODEL_NO_THINKING, { 0.5, NONE, NONE, 1.5 } },
    { "gpt-4", 8192, 0, MODEL_NO_THINKING, { 30, NONE, NONE, 60 } },
    { "gpt-4-turbo", 128000, 0, MODEL_NO_THINKING, { 10, NONE, NONE, 30 } },
    { "gpt-4.1", 1047576, 0, MODEL_NO_THINKING, { 2, 0.5, NONE, 8 } },
    { "gpt-4o", 128000, 0, MODEL_NO_THINKING, { 2.5, 1.25, NONE, 10 } },
    { "gpt-4o-mini", 128000, 0, MODEL_NO_THINKING, { 0.15, 0.075, NONE, 0.6 } },
    { "gpt-5", 400000, 0, MODEL_ADAPTIVE, { 1.25, 0.125, NONE, 10 } },
    { "gpt-5-mini", 400000, 0, MODEL_ADAPTIVE, { 0.25, 0.025, NONE, 2 } },
    { "gpt-5-nano", 400000, 0, MODEL_ADAPTIVE, { 0.05, 0.005, NONE, 0.4 } },
    { "gpt-5.2", 400000, 0, MODEL_ADAPTIVE, { 1.75, 0.175, NONE, 14 } },
    { "gpt-5.4", 400000, 0, MODEL_ADAPTIVE, { 2.5, 0.25, NONE, 15 } },
    { "gpt-5.4-mini", 400000, 0, MODEL_ADAPTIVE, { 0.75, 0.075, NONE, 4.5 } },
    { "gpt-5.5", 400000, 0, MODEL_ADAPTIVE, { NONE, NONE, NONE, NONE } },
    { "gpt-5.6", 400000, 0, MODEL_ADAPTIVE, { NONE, NONE, NONE, NONE } },
    { "gpt-5.6-terra", 400000, 0, MODEL_ADAPTIVE, { 2, 0.2, NONE, 12 } },
    { "gpt-5.6-luna", 400000, 0, MODEL_ADAPTIVE, { 0.2, 0.02, NONE, 1.2 } },
    { "gpt-6", 400000, 0, MODEL_ADAPTIVE, { NONE, NONE, NONE, NONE } },
    { "gpt-6-sol", 400000, 0, MODEL_ADAPTIVE, { 2, 0.2, 2.5, 10 } },
    { "gpt-6.1-sol", 400000, 0, MODEL_ADAPTIVE, { 2, 0.1, 2.5, 10 } },
    { "gpt-6-luna", 400000, 0, MODEL_ADAPTIVE, { 0.1, 0.01, 0.125, 0.5 } },
    { "gpt-6-astra", 400000, 0, MODEL_ADAPTIVE, { 10, 1, NONE, 50 } },
    { "gpt-oss", 131072, 0, MODEL_ADAPTIVE, { NONE, NONE, NONE, NONE } },
    { "o1", 200000, 0, MODEL_ADAPTIVE, { 15, 7.5, NONE, 60 } },
    { "o3", 200000, 0, MODEL_ADAPTIVE, { 2, 0.5, NONE, 8 } },
    { "o4-mini", 200000, 0, MODEL_ADAPTIVE, { 1.1, 0.275, NONE, 4.4 } },
};

/* As the file has them, in this order. */
static const char *const price_names[PRICES] = { "input", "cache_read", "cache_write", "output" };
static const char *const thinking_names[] = { NULL, "adaptive", "budget", "none" };

static const Model nothing = { .price = { NONE, NONE, NONE, NONE } };

size_t model_count(void)
{
    return COUNT_OF(rows);
}

Model model_row(size_t i)
{
    Model k = { .begins = str(rows[i].begins),
                .window = rows[i].window,
                .reply = rows[i].reply,
                .thinking = rows[i].thinking };
    memcpy(k.price, rows[i].price, sizeof k.price);
    return k;
}

/* --- The user's file --------------------------------------------------------------------- */

static jot_status bad(size_t line, Err *e, const char *what)
{
    return err_set(e, JOT_INVALID, "line %zu of " MODEL_FILE " in the configuration: %s", line,
                   what);
}

static bool read_price(Str text, double *out)
{
    char digits[32] = "", *end = NULL;
    if (!text.n || text.n >= sizeof digits)
        return false;
    memcpy(digits, text.p, text.n);
    if (strspn(digits, "0123456789.") != text.n)
        return false;
    *out = strtod(digits, &end);
    return end && !*end && isfinite(*out);
}

static jot_status read_member(const YamlPair *p, Model *k, Err *e)
{
    Str text = p->value->text;
    bool scalar = p->value->kind == YAML_SCALAR;
    if (str_eq(p->key, S("window")) || str_eq(p->key, S("reply"))) {
        uint64_t *to = str_eq(p->key, S("window")) ? &k->window : &k->reply;
        if (!scalar || !str_to_u64(text, UINT32_MAX, to) || !*to)
            return bad(p->line, e, "window and reply are numbers of tokens");
        return JOT_OK;
    }
    for (size_t i = 1; str_eq(p->key, S("thinking")) && i < COUNT_OF(thinking_names); i++)
        if (scalar && str_eq(text, str(thinking_names[i]))) {
            k->thinking = (ModelThinking)i;
            return JOT_OK;
        }
    if (str_eq(p->key, S("thinking")))
        return bad(p->line, e, "thinking is adaptive, budget or none");
    for (size_t i = 0; i < PRICES; i++)
        if (str_eq(p->key, str(price_names[i])))
            return scalar && read_price(text, &k->price[i])
                       ? JOT_OK
                       : bad(p->line, e, "a price is a number: US dollars a million tokens");
    return bad(p->line, e,
               "use window, reply, thinking, input, cache_read, cache_write and output");
}

static jot_status read_row(const YamlPair *p, Model *out, Err *e)
{
    *out = nothing;
    out->begins = p->key;
    out->users = true;
    if (p->value->kind != YAML_MAP || !p->key.n)
        return bad(p->line, e, "a model is NAME: {window: ..., input: ..., output: ...}");
    for (size_t i = 0; i < p->value->n; i++)
        TRY(read_member(&p->value->pairs[i], out, e));
    return JOT_OK;
}

jot_status model_users(const Io *io, Arena *into, Model **out, size_t *n, Err *e)
{
    Str text;
    Yaml *tree;
    Err why = { 0 };
    *out = NULL;
    *n = 0;
    jot_status st = home_read(io, HOME_CONFIG, MODEL_FILE, into, &text, &why);
    if (st == JOT_NOT_FOUND || st == JOT_UNAVAILABLE)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &why, st);
    if (yaml_read(text, into, &tree, e) != JOT_OK)
        return err_at(e, MODEL_FILE " in the configuration");
    if (tree->kind == YAML_SCALAR && tree->type == YAML_NULL)
        return JOT_OK;
    if (tree->kind != YAML_MAP || tree->n > MODEL_ROWS_MAX)
        return bad(tree->line, e, "it is at most 1000 lines NAME: {...}");
    *out = NEW_ARRAY(into, Model, tree->n + 1);
    for (; *n < tree->n; (*n)++)
        TRY(read_row(&tree->pairs[*n], &(*out)[*n], e));
    return JOT_OK;
}

/* --- Finding ----------------------------------------------------------------------------- */

/* The longer name says more. */
static bool fits_better(const Model *row, Str model, const Model *best)
{
    return str_starts(model, row->begins) && row->begins.n > best->begins.n;
}

jot_status model_find(const Io *io, Str model, Arena *into, Model *out, Err *e)
{
    Model best = nothing, own = nothing, *users;
    size_t n;
    TRY(model_users(io, into, &users, &n, e));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Model row = model_row(i);
        if (fits_better(&row, model, &best))
            best = row;
    }
    for (size_t i = 0; i < n; i++)
        if (fits_better(&users[i], model, &own))
            own = users[i];
    if (own.window)
        best.window = own.window;
    if (own.reply)
        best.reply = own.reply;
    if (own.thinking)
        best.thinking = own.thinking;
    for (size_t i = 0; i < PRICES; i++)
        if (own.price[i] >= 0)
            best.price[i] = own.price[i];
    best.users = own.users;
    *out = best;
    return JOT_OK;
}

/* --- Writing ----------------------------------------------------------------------------- */

void model_write(const Model *k, Buf *to)
{
    const char *comma = "";
    buf_addf(to, STR_FMT ": {", STR_ARG(k->begins));
    if (k->window) {
        buf_addf(to, "window: %ju", (uintmax_t)k->window);
        comma = ", ";
    }
    if (k->reply) {
        buf_addf(to, "%sreply: %ju", comma, (uintmax_t)k->reply);
        comma = ", ";
    }
    if (k->thinking) {
        buf_addf(to, "%sthinking: %s", comma, thinking_names[k->thinking]);
        comma = ", ";
    }
    for (size_t i = 0; i < PRICES; i++)
        if (k->price[i] >= 0) {
            buf_addf(to, "%s%s: %.10g", comma, price_names[i], k->price[i]);
            comma = ", ";
        }
    buf_add(to, S("}\n"));
}

bool model_cost(const Model *k, const LlmUsage *usage, double *out)
{
    const uint64_t tokens[PRICES] = { usage->input, usage->cache_read, usage->cache_write,
                                      usage->output };
    double all = 0;
    if (!k->begins.n && !k->users)
        return false;
    for (size_t i = 0; i < PRICES; i++) {
        /* What has no price of its own is input like any other. */
        double price = k->price[i] < 0 && i != PRICE_OUTPUT ? k->price[PRICE_INPUT] : k->price[i];
        if (tokens[i] && price < 0)
            return false;
        all += (double)tokens[i] * (price < 0 ? 0 : price) / 1e6;
    }
    *out = all;
    return true;
}
