/* fuzz_action.c - any bytes as a model's reply, and as the result of the tool it asked for.
 *
 * Nothing fails: a reply is one of four things, what it asks for is well formed, and the state it
 * leads to can be written and read back. */
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "memory/cycle/action.h"

const char *const fuzz_words[] = { "{\"tool\":",
                                   "\"update_scratchpad\"",
                                   "\"done\"",
                                   "\"args\":{",
                                   "\"summary\":",
                                   "\"notes\":",
                                   "\"completed_tasks\":[",
                                   "\"pending_actions\":[",
                                   "}",
                                   "]",
                                   "\\u0000",
                                   "[TOOL] x({}) -> ",
                                   "```json\n",
                                   "\xff",
                                   NULL };

static void check_state(const Yaml *state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    AUTO(Buf) again = { 0 };
    Err e = { 0 };
    Yaml *back = NULL;
    MUST(yaml_write(&text, state, &e) == JOT_OK && utf8_valid(buf_str(&text)));
    MUST(yaml_read(buf_str(&text), &a, &back, &e) == JOT_OK);
    MUST(yaml_write(&again, back, &e) == JOT_OK);
    MUST(str_eq(buf_str(&text), buf_str(&again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(Arena) a = { 0 };
    Str reply = { (const char *)data, size }, said;
    Action x = action_parse(reply, &a);
    MUST(action_name(x.kind));
    MUST(utf8_valid(x.tool) && utf8_valid(x.args) && utf8_valid(x.why));
    MUST((x.kind == ACTION_UNREADABLE) == (x.why.n > 0));
    if (x.kind != ACTION_UNREADABLE) {
        json_t *args = NULL;
        MUST(x.tool.n && json_read(x.args, &args, NULL) == JOT_OK && json_is_object(args));
        json_decref(args);
    }
    json_t *shown = action_json(&x);
    MUST(json_is_object(shown));
    json_decref(shown);
    Yaml *state = action_apply(&a, cycle_state_new(&a), &x, &said);
    check_state(state);
    if (x.kind == ACTION_TOOL)
        for (ToolEnd end = TOOL_OK; end <= TOOL_UNKNOWN; end++)
            check_state(action_result(
                &a, state, &x,
                &(ToolResult){ .end = end, .text = reply, .key = S("steps/default/1/2") }, &said));
    return 0;
}
