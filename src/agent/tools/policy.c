/* policy.c - rules, and which of them counts.
 *
 *     of a call of the tool `shell`                   the first line that has a rule decides
 *       1  rules that name it: "shell"
 *       2  rules of which it is one: "sh*", the longer one before the shorter
 *       3  for each of its effects: "execute", then "all", then the effect's own answer
 *
 * Where several decide together (two rules on one line, two effects), the strictest counts: deny
 * before ask before allow.  The order in which rules were given means nothing.
 *
 * Rules are looked through for each call: there are at most POLICY_RULES_MAX. */
#include "agent/tools/policy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agent/sandbox/plant.h"

static const struct Effect {
    const char *name;
    PolicyEffect effect;
    PolicyAnswer otherwise; /* without a rule */
} effects[] = {
    { "read", POLICY_READ, POLICY_ALLOW },     { "pad", POLICY_PAD, POLICY_ALLOW },
    { "write", POLICY_WRITE, POLICY_ASK },     { "outside", POLICY_OUTSIDE, POLICY_ASK },
    { "network", POLICY_NETWORK, POLICY_ASK }, { "execute", POLICY_EXECUTE, POLICY_ASK },
    { "mcp", POLICY_MCP, POLICY_ASK },         { "private", POLICY_PRIVATE, POLICY_ASK },
};

static const struct Effect *effect_named(Str word)
{
    for (size_t i = 0; i < COUNT_OF(effects); i++)
        if (str_eq(word, str(effects[i].name)))
            return &effects[i];
    return NULL;
}

unsigned policy_effects(const Tool *t)
{
    unsigned set = 0;
    bool reads = t->effects & TOOL_READS;
    if (t->effects & TOOL_FOREIGN)
        return POLICY_MCP; /* what it says of itself counts for nothing */
    if (t->effects & TOOL_EXECUTES)
        set |= POLICY_EXECUTE;
    if (t->effects & TOOL_NETWORK)
        set |= POLICY_NETWORK;
    if (t->effects & TOOL_OUTSIDE)
        set |= reads ? POLICY_READ : POLICY_WRITE;
    if (set)
        return set;
    return reads ? POLICY_READ : POLICY_PAD;
}

Str policy_effect_names(unsigned set, Arena *into)
{
    AUTO(Buf) text = { 0 };
    for (size_t i = 0; i < COUNT_OF(effects); i++)
        if (set & effects[i].effect)
            buf_addf(&text, "%s%s", text.n ? ", " : "", effects[i].name);
    return arena_copy(into, buf_str(&text));
}

Str policy_word(size_t i, Arena *into)
{
    if (i < COUNT_OF(effects))
        return str(effects[i].name);
    i -= COUNT_OF(effects);
    if (i < 2)
        return i ? S("plant:all") : S("all");
    const char *name = obeyed_name((int)i - 2);
    return name ? arena_printf(into, "plant:%s", name) : (Str){ 0 };
}

/* --- Adding ---------------------------------------------------------------------------- */

static bool is_name(Str word)
{
    if (word.n && word.p[word.n - 1] == '*')
        word.n--;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!fine && c != '_' && c != '-')
            return false;
    }
    return word.n > 0 && word.n <= TOOL_NAME_MAX;
}

/* The name in "plant:NAME"; empty if it is no such word. */
static Str plant_in(Str word)
{
    return str_starts(word, S("plant:")) ? str_from(word, strlen("plant:")) : (Str){ 0 };
}

static jot_status check_plant(PolicyAnswer answer, Str name, Err *e)
{
    Shown shown;
    int row = obeyed_find(name);
    bool known = str_eq(name, S("all")) || (row >= 0 && str_eq(name, str(obeyed_name(row))));
    if (!known)
        return err_set(e, JOT_INVALID,
                       "'%s' is not the name of a protected file: use one of those in "
                       "docs/agent.md, such as .git or AGENTS.md, or all",
                       err_show(&shown, name));
    if (answer == POLICY_ASK)
        return err_set(e, JOT_INVALID, "'plant:%s' cannot be asked for, only allowed or denied",
                       err_show(&shown, name));
    return JOT_OK;
}

static jot_status add_word(Policy *p, PolicyAnswer answer, Str word, Err *e)
{
    Shown shown;
    Str plant = plant_in(word);
    if (plant.n)
        TRY(check_plant(answer, plant, e));
    else if (!is_name(word))
        return err_set(
            e, JOT_INVALID,
            "'%s' is neither a tool nor an effect: use a tool's name, or read, pad, write, "
            "outside, network, private, execute, mcp, all, plant:NAME",
            err_show(&shown, word));
    if (p->n == POLICY_RULES_MAX)
        return err_set(e, JOT_TOO_BIG, "more than %d rules: the limit", POLICY_RULES_MAX);
    assert(word.n < sizeof p->rules[0].word);
    PolicyRule *r = &p->rules[p->n++];
    *r = (PolicyRule){ .answer = answer };
    memcpy(r->word, word.p, word.n);
    return JOT_OK;
}

jot_status policy_add(Policy *p, PolicyAnswer answer, Str words, Err *e)
{
    size_t before = p->n; /* all of the words or none */
    Str rest = words, word;
    for (bool more = true; more;) {
        more = str_cut(&rest, ',', &word);
        jot_status st = add_word(p, answer, more ? word : rest, e);
        if (st != JOT_OK) {
            p->n = before;
            return st;
        }
    }
    return JOT_OK;
}

/* --- Asking ---------------------------------------------------------------------------- */

static bool names_tool(Str word, Str name)
{
    if (word.p[word.n - 1] == '*')
        return str_starts(name, str_slice(word, 0, word.n - 1));
    return str_eq(word, name);
}

/* How particular a rule about names is; 0: it is not about this one. */
static size_t particular(Str word, Str name)
{
    if (effect_named(word) || str_eq(word, S("all")) || !names_tool(word, name))
        return 0;
    return word.p[word.n - 1] == '*' ? word.n : POLICY_WORD_MAX + 1;
}

/* Of two answers; 0 is none. */
static PolicyAnswer stricter(PolicyAnswer a, PolicyAnswer b)
{
    return a > b ? a : b;
}

PolicyAnswer policy_for_effect(const Policy *p, PolicyEffect effect)
{
    PolicyAnswer named = 0, all = 0, otherwise = POLICY_ASK;
    for (size_t i = 0; i < p->n; i++) {
        const struct Effect *x = effect_named(str(p->rules[i].word));
        if (x && x->effect == effect)
            named = stricter(named, p->rules[i].answer);
        else if (strcmp(p->rules[i].word, "all") == 0)
            all = stricter(all, p->rules[i].answer);
    }
    for (size_t i = 0; i < COUNT_OF(effects); i++)
        if (effects[i].effect == effect)
            otherwise = effects[i].otherwise;
    if (named)
        return named;
    return all ? all : otherwise;
}

bool policy_allows_plant(const Policy *p, const char *name)
{
    PolicyAnswer named = 0, all = 0;
    for (size_t i = 0; i < p->n; i++) {
        Str plant = plant_in(str(p->rules[i].word));
        if (str_eq(plant, S("all")))
            all = stricter(all, p->rules[i].answer);
        else if (str_eq(plant, str(name)))
            named = stricter(named, p->rules[i].answer);
    }
    return (named ? named : all) == POLICY_ALLOW;
}

PolicyAnswer policy_for_tool(const Policy *p, const Tool *t)
{
    size_t best = 0;
    PolicyAnswer answer = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t how = particular(str(p->rules[i].word), str(t->name));
        if (how && how >= best) {
            answer = how > best ? p->rules[i].answer : stricter(answer, p->rules[i].answer);
            best = how;
        }
    }
    if (best)
        return answer;
    /* Nobody has named it: the strictest answer for what it does. */
    unsigned set = policy_effects(t);
    for (size_t i = 0; i < COUNT_OF(effects); i++)
        if (set & effects[i].effect)
            answer = stricter(answer, policy_for_effect(p, effects[i].effect));
    assert(answer);
    return answer;
}

jot_status policy_check(const Policy *p, const ToolHost *h, Err *e)
{
    for (size_t i = 0; i < p->n; i++) {
        Str word = str(p->rules[i].word);
        bool known = effect_named(word) || str_eq(word, S("all")) || plant_in(word).n;
        const Tool *t;
        for (size_t at = 0; !known && (t = tool_host_at(h, at)); at++)
            known = names_tool(word, str(t->name));
        Shown shown;
        /* A rule that can never match is a mistake, and might be the one that should deny. */
        if (!known)
            return err_set(e, JOT_INVALID,
                           "'%s' is neither a tool here nor an effect: effects are read, pad, "
                           "write, outside, network, private, execute, mcp, all",
                           err_show(&shown, word));
    }
    return JOT_OK;
}
