/* cmd_models.c - what is known of models, as the file that a user may edit. */
#include <stdio.h>

#include "base/home.h"
#include "cli/cmd.h"
#include "llm/model.h"

extern const Cmd cmd_models;

static json_t *row_json(const Model *k)
{
    static const char *const thinking[] = { NULL, "adaptive", "budget", "none" };
    static const char *const prices[PRICES] = { "input", "cache_read", "cache_write", "output" };
    json_t *out =
        json_pack("{s:o, s:b, s:o, s:o}", "model", json_text(k->begins), "yours", k->users,
                  "window", k->window ? json_integer((json_int_t)k->window) : json_null(), "reply",
                  k->reply ? json_integer((json_int_t)k->reply) : json_null());
    json_object_set_new(out, "thinking",
                        k->thinking ? json_string(thinking[k->thinking]) : json_null());
    for (size_t i = 0; i < PRICES; i++)
        json_object_set_new(out, prices[i],
                            k->price[i] >= 0 ? json_real(k->price[i]) : json_null());
    return out;
}

/* All rows: the user's, then ours. */
static jot_status show_all(Session *s, Buf *text, json_t *list)
{
    Model *users;
    size_t n;
    TRY(model_users(&io_system, &s->arena, &users, &n, &s->err));
    for (size_t i = 0; i < n + model_count(); i++) {
        Model k = i < n ? users[i] : model_row(i - n);
        if (i == n && !s->json)
            buf_addf(text,
                     "%s# US dollars a million tokens, as the vendors had them in November "
                     "2026.\n",
                     n ? "\n" : "");
        if (s->json)
            json_array_append_new(list, row_json(&k));
        else
            model_write(&k, text);
    }
    return JOT_OK;
}

static jot_status run_models(Session *s)
{
    AUTO(Buf) text = { 0 };
    Str name = arg_at(s, 0), path = home_path(HOME_CONFIG, &s->arena);
    json_t *list = json_array();
    AUTO_PTR(json_t)
    answer = json_pack("{s:o, s:o}", "models", list, "file",
                       json_text(arena_printf(&s->arena, STR_FMT "/" MODEL_FILE, STR_ARG(path))));
    if (s->n) {
        Model k;
        Shown shown;
        TRY(model_find(&io_system, name, &s->arena, &k, &s->err));
        if (!k.begins.n && !k.users)
            return err_set(&s->err, JOT_NOT_FOUND,
                           "nothing is known of '%s': a line in " STR_FMT "/" MODEL_FILE
                           " can say it",
                           err_show(&shown, name), STR_ARG(path));
        k.begins = name;
        model_write(&k, &text);
        json_array_append_new(list, row_json(&k));
    } else {
        TRY(show_all(s, &text, list));
    }
    if (s->json)
        print_json(json_incref(answer));
    else
        fputs(arena_copy(&s->arena, buf_str(&text)).p, stdout);
    return JOT_OK;
}

const Cmd cmd_models = {
    .name = "models",
    .args = "[NAME]",
    .summary = "Show the context windows and prices of models",
    .help =
        "A line is for all models whose names begin like it; the longest that fits counts.\n"
        "Lines of your own, in the same form, go to models.yaml in your configuration\n"
        "($XDG_CONFIG_HOME/jotter, else ~/.config/jotter) and count more, member by member:\n"
        "window and reply in tokens; input, cache_read, cache_write and output in US dollars a\n"
        "million tokens; thinking is adaptive, budget or none.\n",
    .args_max = 1,
    .run = run_models,
};
