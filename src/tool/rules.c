/* rules.c - the noun `rules`: which notes a person has approved as rules for models.
 *
 * Approving and revoking have no tool's name: they are for a person who has read the text, and no
 * door of a program or an agent has them (rule.h).  The hash of the text that was read is part of
 * the approval, so that nobody approves what was written in between. */
#include "memory/context/rule.h"

#include "memory/doc/note.h"
#include "tool/note.h"

extern const Noun noun_rules;

static const char *const states[] = { "approved", "changed", "not approved", "gone", NULL };

static const char *state_name(RuleState s)
{
    return s == RULE_APPROVED ? states[0] : s == RULE_CHANGED ? states[1] : states[2];
}

static Str approved_at(const Approvals *a, Str key)
{
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->items[i].key, key))
            return a->items[i].at;
    return (Str){ 0 };
}

static void add(json_t *list, Str key, const char *state, Str at, const Doc *d)
{
    json_t *row = json_pack("{s:o, s:s, s:o}", "key", json_text(key), "state", state, "approved_at",
                            json_text_or_null(at));
    if (d) {
        json_object_set_new(row, "version", json_string(version_of(d->mark.sha256).text));
        json_object_set_new(row, "sha256", json_string(hash_hex(d->mark.sha256).text));
        json_object_set_new(row, "by", json_text(d->by));
    }
    json_array_append_new(list, row);
}

static bool has(const Str *keys, size_t n, Str key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(keys[i], key))
            return true;
    return false;
}

static jot_status list(ToolCall *c, VerbData *out)
{
    Approvals a;
    Str *keys;
    size_t n;
    json_t *rules = json_array();
    out->json = json_pack("{s:o}", "rules", rules);
    TRY(rules_read(c->m, c->into, &a, c->e));
    TRY(rules_keys(c->m, c->into, &keys, &n, c->e));
    for (size_t i = 0; i < n; i++) {
        Doc d;
        Str stream = arena_printf(c->into, "notes/" STR_FMT, STR_ARG(keys[i]));
        jot_status st = doc_read(c->m, stream, c->into, &d, c->e);
        if (st == JOT_NOT_FOUND)
            continue;
        TRY(st);
        add(rules, keys[i], state_name(rules_judge(&a, keys[i], d.text)), approved_at(&a, keys[i]),
            &d);
    }
    /* Approvals of notes that are gone: they would count again. */
    for (size_t i = 0; i < a.n; i++)
        if (!has(keys, n, a.items[i].key))
            add(rules, a.items[i].key, states[3], a.items[i].at, NULL);
    if (a.why.text[0])
        json_object_set_new(out->json, "why", json_text(str(a.why.text)));
    return JOT_OK;
}

/* clang-format off */
static const Param rule_fields[] = {
    { "key", .type = PARAM_TEXT }, { "state", PARAM_CHOICE, .choices = states },
    { "approved_at", .type = PARAM_TEXT }, { "version", .type = PARAM_TEXT },
    { "sha256", .type = PARAM_TEXT }, { "by", .type = PARAM_TEXT }, { 0 } };
static const Verb verb_list = {
    .tool = { .name = "rules_list", .title = "List rules",
              .about = "The notes that can be rules for models, and whether a person approved them.",
              .effects = TOOL_READS, .run = verb_answer },
    .verb = "list",
    .summary = "List the notes that can be rules, and whether they are",
    .fields = PARAMS({ "rules", PARAM_OBJECTS, .fields = rule_fields },
                     { "why", PARAM_TEXT, .about = "nothing counts as approved" }),
    .items = "rules", .unit = "rule",
    .present = true,
    .run = list,
};
/* clang-format on */

static jot_status approve(ToolCall *c, VerbData *out)
{
    Str stream, key;
    Doc d;
    const Str kind = S("notes/");
    TRY(note_arg(c, &stream));
    TRY(doc_read(c->m, stream, c->into, &d, c->e));
    key = str_starts(stream, kind) ? str_from(stream, kind.n) : stream;
    if (!str_eq(str(hash_hex(hash_of(d.text)).text), arg_text(c, "sha256")))
        return err_set(c->e, JOT_CONFLICT,
                       "the note is another one than the text that was read: read it again");
    TRY(rules_approve(c->m, key, d.text, c->e));
    out->json =
        json_pack("{s:o, s:s}", "key", json_text(key), "sha256", hash_hex(hash_of(d.text)).text);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_approve = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, { "sha256", PARAM_TEXT, .min = HASH_HEX, .max = HASH_HEX,
                                           .about = "of the text that was read" }),
              .run = verb_answer },
    .verb = "approve",
    .summary = "Make the text of a note, which was read, a rule",
    .fields = PARAMS({ "key", .type = PARAM_TEXT }, { "sha256", .type = PARAM_TEXT }),
    .run = approve,
};
/* clang-format on */

static jot_status revoke_rule(ToolCall *c, VerbData *out)
{
    TRY(rules_revoke(c->m, arg_text(c, "key"), c->e));
    out->json = json_pack("{s:o}", "key", json_text(arg_text(c, "key")));
    return JOT_OK;
}

static const Verb verb_revoke = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY),
              .run = verb_answer },
    .verb = "revoke",
    .summary = "Withdraw the approval of a rule",
    .fields = PARAMS({ "key", .type = PARAM_TEXT }),
    .run = revoke_rule,
};

static const Verb *const verbs[] = { &verb_list, &verb_approve, &verb_revoke, NULL };

const Noun noun_rules = {
    .name = "rules",
    .summary = "Which notes are rules for models, because a person approved their text",
    .verbs = verbs,
    .apart = true,
};
