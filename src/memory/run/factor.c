/* factor.c - a small table in one stream; the newest record is all of it.
 *
 *     {"models": [{"model": "openai:gpt-5", "requests": 31, "estimated": 80412, "reported":
 * 94880}]}
 *
 * Adding reads it, and appends on the condition that no other process did so in between. */
#include "memory/run/factor.h"

#include <assert.h>

enum { TRIES = 8, DELTA_MIN = 32, TRIM_EVERY = 64 };

uint32_t factor_of(const TokenFactor *f)
{
    if (f->estimated < FACTOR_BELIEVED)
        return FACTOR_ONE;
    uint64_t factor = f->reported * FACTOR_ONE / f->estimated;
    return (uint32_t)(factor < FACTOR_MIN ? FACTOR_MIN : factor > FACTOR_MAX ? FACTOR_MAX : factor);
}

void factor_learn(TokenFactor *f, const uint64_t estimated[2], const uint64_t reported[2])
{
    bool longer = estimated[1] >= estimated[0] + DELTA_MIN && reported[1] > reported[0];
    if (reported[0] == 0 || !longer)
        return;
    uint64_t more = estimated[1] - estimated[0], counted = reported[1] - reported[0];
    if (counted > more * 4 || more > counted * 4 || more > FACTOR_HALVED)
        return;
    f->requests++;
    f->estimated += more;
    f->reported += counted;
}

/* --- The table --------------------------------------------------------------------------- */

/* {"models": []} if there is none, or none that can be read. */
static json_t *table_of(Str body)
{
    json_t *table = NULL;
    if (json_read(body, &table, NULL) == JOT_OK && json_is_array(json_object_get(table, "models")))
        return table;
    json_decref(table);
    return json_pack("{s:[]}", "models");
}

static jot_status read_table(Memory *m, json_t **out, uint64_t *seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record r = { 0 };
    Err why = { 0 };
    jot_status st = store_head(m->store, S(FACTOR_STREAM), HEAD_RECORD, &arena, &r, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &why, st);
    *seq = st == JOT_OK ? r.mark.seq : 0;
    *out = table_of(st == JOT_OK ? r.body : (Str){ 0 });
    return JOT_OK;
}

static uint64_t number(const json_t *row, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(row, name));
    return n > 0 && n <= 2 * (json_int_t)FACTOR_HALVED ? (uint64_t)n : 0;
}

static TokenFactor row_read(const json_t *row)
{
    return (TokenFactor){ number(row, "requests"), number(row, "estimated"),
                          number(row, "reported") };
}

/* Where the model's row is; the number of rows if it has none. */
static size_t find(const json_t *models, Str model)
{
    size_t i = 0, n = json_array_size(models);
    while (i < n && !str_eq(json_member(json_array_get(models, i), "model"), model))
        i++;
    return i;
}

jot_status factor_read(Memory *m, Str model, TokenFactor *out, Err *e)
{
    json_t *read;
    uint64_t seq;
    *out = (TokenFactor){ 0 };
    TRY(read_table(m, &read, &seq, e));
    AUTO_PTR(json_t) table = read;
    const json_t *models = json_object_get(table, "models");
    *out = row_read(json_array_get(models, find(models, model)));
    return JOT_OK;
}

/* The model's row with more in it, as the last one: the first is that of longest ago. */
static void put_row(json_t *models, Str model, const TokenFactor *more)
{
    size_t at = find(models, model);
    TokenFactor f = row_read(json_array_get(models, at));
    f.requests += more->requests;
    f.estimated += more->estimated;
    f.reported += more->reported;
    if (f.estimated > FACTOR_HALVED) {
        f.estimated /= 2;
        f.reported /= 2;
    }
    if (at < json_array_size(models))
        json_array_remove(models, at);
    while (json_array_size(models) >= FACTOR_MODELS_MAX)
        json_array_remove(models, 0);
    json_array_append_new(models,
                          json_pack("{s:o, s:I, s:I, s:I}", "model", json_text(model), "requests",
                                    (json_int_t)f.requests, "estimated", (json_int_t)f.estimated,
                                    "reported", (json_int_t)f.reported));
}

static jot_status add_once(Memory *m, Str model, const TokenFactor *more, Err *e)
{
    json_t *read;
    uint64_t seq, dropped;
    Mark mark;
    TRY(read_table(m, &read, &seq, e));
    AUTO_PTR(json_t) table = read;
    AUTO(Buf) body = { 0 };
    put_row(json_object_get(table, "models"), model, more);
    json_write(&body, table);
    Expect x = expect_at(seq);
    TRY(memory_append(m, S(FACTOR_STREAM), &x, &(Draft){ .op = OP_PUT, .body = buf_str(&body) },
                      &mark, e));
    /* A stream that was not trimmed is longer than it need be, and nothing else. */
    if (mark.seq % TRIM_EVERY == 0 &&
        store_trim(m->store, S(FACTOR_STREAM), NULL, mark.seq, &dropped, NULL) != JOT_OK)
        dropped = 0;
    return JOT_OK;
}

jot_status factor_add(Memory *m, Str model, const TokenFactor *more, Err *e)
{
    jot_status st = JOT_CONFLICT;
    if (model.n == 0 || more->requests == 0)
        return JOT_OK;
    for (int i = 0; st == JOT_CONFLICT && i < TRIES; i++)
        st = add_once(m, model, more, e);
    return st;
}

jot_status factor_list(Memory *m, json_t **out, Err *e)
{
    json_t *read;
    uint64_t seq;
    TRY(read_table(m, &read, &seq, e));
    AUTO_PTR(json_t) table = read;
    const json_t *models = json_object_get(table, "models");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *row = json_array_get(models, i);
        TokenFactor f = row_read(row);
        json_array_append_new(list, json_pack("{s:o, s:f, s:I}", "model",
                                              json_text(json_member(row, "model")), "factor",
                                              factor_of(&f) / (double)FACTOR_ONE, "requests",
                                              (json_int_t)f.requests));
    }
    *out = list;
    return JOT_OK;
}
