/* budget.c - counting what a request takes.
 *
 *     window   |<------------------- usable ------------------->|<- headroom ->|
 *              | system | tools | history | retrieved | missed  |   the reply  |
 *
 * Everything is estimated (tokens.h), because only the provider counts exactly, and only after the
 * request.  What it reported last time beyond our estimate is `missed`, and is taken to be missing
 * again: so the estimate can be wrong once, not every time. */
#include "agent/budget.h"

#include <assert.h>

#include "agent/messages.h"
#include "memory/frame/tokens.h"
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
        raised = 0;
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

Budget budget_measure(const Transcript *t)
{
    AUTO(Arena) arena = { 0 };
    Budget b = { .window = t->setup.window,
                 .headroom = t->setup.headroom,
                 .reported = t->reported,
                 .missed = t->reported > t->estimated ? t->reported - t->estimated : 0,
                 .system = tokens_estimate(t->setup.system) };
    for (size_t i = 0; !t->setup.json && i < t->setup.tools_n; i++)
        b.tools += tokens_estimate(t->setup.tools[i].name) +
                   tokens_estimate(t->setup.tools[i].about) +
                   tokens_estimate(t->setup.tools[i].schema);
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
    budget_add_up(&b);
    return b;
}

json_t *budget_json(const Budget *b)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "window",
                     (json_int_t)b->window, "headroom", (json_int_t)b->headroom, "system",
                     (json_int_t)b->system, "tools", (json_int_t)b->tools, "history",
                     (json_int_t)b->history, "retrieved", (json_int_t)b->retrieved, "reported",
                     (json_int_t)b->reported, "missed", (json_int_t)b->missed, "used",
                     (json_int_t)b->used, "state", budget_state_name(b->state));
}
