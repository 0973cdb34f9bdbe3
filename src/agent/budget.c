/* budget.c - counting what a request takes.
 *
 *     window   |<------------------- usable ------------------->|<- headroom ->|
 *              | system | tools | history | retrieved | missed  |   the reply  |
 *
 * Everything is estimated (tokens.h), because only the provider counts exactly, and only after the
 * request.  It is estimated in the model's own tokens: the factor is what earlier requests taught
 * (factor.h).  What the provider reported last time beyond the estimate is `missed`, and is taken
 * to be missing again: so the estimate can be wrong once, not every time. */
#include "agent/budget.h"

#include <assert.h>
#include <string.h>

#include "agent/messages.h"
#include "memory/frame/tokens.h"
#include "memory/run/factor.h"
#include "tool/tool.h"

const char *budget_state_name(BudgetState state)
{
    static const char *const names[] = { "green", "yellow", "red" };
    assert((size_t)state < COUNT_OF(names));
    return names[state];
}

uint64_t budget_headroom(uint64_t window)
{
    return window / 4 < BUDGET_HEADROOM ? window / 4 : BUDGET_HEADROOM;
}

uint32_t budget_reply(const LlmLimits *known, uint64_t window)
{
    uint64_t limit = known->reply ? known->reply : BUDGET_REPLY;
    if (known->unlimited)
        return 0;
    return (uint32_t)(limit < window / 4 ? limit : window / 4);
}

bool budget_raise(const LlmLimits *known, uint64_t window, uint32_t *limit)
{
    uint64_t raised = (uint64_t)*limit * BUDGET_RAISE;
    if (*limit == 0)
        return false;
    if (known->unlimited)
        raised = 0; /* no limit at all */
    if (raised > window / 2)
        raised = window / 2;
    if (known->reply_max && raised > known->reply_max)
        raised = known->reply_max;
    if (!known->unlimited && raised <= *limit)
        return false;
    *limit = (uint32_t)raised;
    return true;
}

unsigned budget_percent(const Budget *b)
{
    uint64_t percent = b->usable ? b->used * 100 / b->usable : 100;
    return percent < 1000 ? (unsigned)percent : 1000;
}

uint64_t budget_estimate(const Budget *b)
{
    return b->system + b->tools + b->history + b->retrieved;
}

void budget_add_up(Budget *b)
{
    b->usable = b->window > b->headroom ? b->window - b->headroom : 0;
    b->used = budget_estimate(b) + b->missed;
    /* Without division: 80 per cent of what is usable is red also where it is no whole number. */
    b->state = b->used * 100 >= b->usable * BUDGET_RED_PERCENT      ? BUDGET_RED
               : b->used * 100 >= b->usable * BUDGET_YELLOW_PERCENT ? BUDGET_YELLOW
                                                                    : BUDGET_GREEN;
}

/* True if a result with this id came from the pad itself. */
static bool from_pad(const Transcript *t, Str part)
{
    for (size_t i = t->turns_n; i-- > 0;)
        for (size_t c = 0; c < t->turns[i].calls_n; c++)
            if (str_eq(t->turns[i].calls[c].part, part))
                return tool_find(TOOLS_ALL, t->turns[i].calls[c].call.tool) != NULL;
    return false;
}

/* What an image or a document takes, roughly: what the provider counts corrects it.  A page of a
 * PDF is an object of the type Page ("/Type/Pages" is their list), but most are compressed and not
 * seen here: so there are at least as many as so many bytes usually have. */
static uint64_t file_tokens(const LlmPart *p)
{
    static const char word[] = "/Type/Page";
    uint64_t pages = p->text.n / BUDGET_PAGE_BYTES + 1, named = 0;
    if (str_starts(p->args, S("image/")))
        return BUDGET_PER_IMAGE;
    for (Str rest = p->text; rest.n;) {
        const char *at = memmem(rest.p, rest.n, word, sizeof word - 1);
        if (!at)
            break;
        rest = str_from(rest, (size_t)(at - rest.p) + sizeof word - 1);
        named += rest.n == 0 || rest.p[0] != 's';
    }
    return BUDGET_PER_PAGE * (named > pages ? named : pages);
}

static uint64_t scaled(const Budget *b, uint64_t estimated)
{
    return (estimated * b->factor + FACTOR_ONE - 1) / FACTOR_ONE;
}

Budget budget_measure(const Transcript *t)
{
    AUTO(Arena) arena = { 0 };
    Budget b = { .window = t->setup.window,
                 .headroom = t->setup.headroom,
                 .reported = t->reported,
                 .cached = t->cached,
                 .factor = t->factor ? t->factor : FACTOR_ONE,
                 .missed = t->reported > t->estimated ? t->reported - t->estimated : 0,
                 .system = tokens_estimate(t->setup.system) };
    for (size_t i = 0; !t->setup.json && i < t->setup.tools_n; i++)
        b.tools += tokens_estimate(t->setup.tools[i].name) +
                   tokens_estimate(t->setup.tools[i].about) +
                   tokens_estimate(t->setup.tools[i].schema);
    /* What is counted is what would be sent: pointers count as pointers, cut results as cut. */
    MessageList list = messages_of(t, &arena);
    for (size_t i = 0; i < list.n; i++) {
        b.history += BUDGET_PER_MESSAGE;
        for (size_t k = 0; k < list.items[i].n; k++) {
            const LlmPart *p = &list.items[i].parts[k];
            switch (p->kind) {
            case LLM_TEXT:
            case LLM_RAW:
                b.history += tokens_estimate(p->text);
                break;
            case LLM_FILE:
                b.history += file_tokens(p);
                break;
            case LLM_CALL:
                b.history += tokens_estimate(p->name) + tokens_estimate(p->args) + BUDGET_PER_CALL;
                break;
            case LLM_RESULT:
                *(from_pad(t, p->id) ? &b.retrieved : &b.history) +=
                    tokens_estimate(p->text) + BUDGET_PER_RESULT;
                break;
            }
        }
    }
    /* Each part by itself, rounded up, so that the parts add up to what is used. */
    assert(b.factor > 0);
    b.system = scaled(&b, b.system);
    b.tools = scaled(&b, b.tools);
    b.history = scaled(&b, b.history);
    b.retrieved = scaled(&b, b.retrieved);
    budget_add_up(&b);
    return b;
}

json_t *budget_json(const Budget *b)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:s}", "window",
                     (json_int_t)b->window, "headroom", (json_int_t)b->headroom, "system",
                     (json_int_t)b->system, "tools", (json_int_t)b->tools, "history",
                     (json_int_t)b->history, "retrieved", (json_int_t)b->retrieved, "factor",
                     b->factor / (double)FACTOR_ONE, "reported", (json_int_t)b->reported, "cached",
                     (json_int_t)b->cached, "missed", (json_int_t)b->missed, "used",
                     (json_int_t)b->used, "state", budget_state_name(b->state));
}
