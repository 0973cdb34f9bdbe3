/* fuzz_run.c - any bytes as the fold of a run, and any bytes as the arguments of a call.  Both are
 * read without a tree, so both are compared with what the tree says. */
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "memory/frame/frame.h"
#include "memory/run/run.h"

const char *const fuzz_words[] = { "\"results\":7",
                                   "\"result_seq\":",
                                   "\"compacted\":0,",
                                   "\"cleared\":",
                                   "\"open\":[",
                                   "{\"call\":\"c\",\"tool\":\"t\",\"seq\":3,\"mutating\":true}",
                                   "\"usage\":{",
                                   "\"tools\":[",
                                   "{\"name\":\"t\",\"calls\":1,\"errors\":0}",
                                   "\"queries\":[",
                                   "{\"tool\":\"t\",\"seq\":3,\"words\":[1,2]}",
                                   "\"last\":\"\",",
                                   "\"streak\":1",
                                   "\"more\":{\"of\":[1]},",
                                   "9223372036854775807",
                                   "-1",
                                   "1.0",
                                   "true",
                                   "null",
                                   "\\u0072",
                                   "\\n",
                                   "\\u0000",
                                   "\xE2\x80\xA8",
                                   "\x7F",
                                   "\xff",
                                   ",",
                                   "}",
                                   "]",
                                   " ",
                                   NULL };

static void add_state(Buf *to, const RunState *s)
{
    AUTO_PTR(json_t) value = run_state_json(s);
    MUST(value);
    json_write(to, value);
    MUST(buf_ok(to));
}

/* What is written of a fold that was read is the same fold. */
static void check_again(const RunState *s)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) first = { 0 };
    AUTO(Buf) second = { 0 };
    RunState again;
    add_state(&first, s);
    MUST(run_state_read(buf_str(&first), &a, &again));
    add_state(&second, &again);
    MUST(str_eq(buf_str(&first), buf_str(&second)));
}

static uint64_t number(const json_t *value, const char *name)
{
    const json_t *member = json_object_get(value, name);
    MUST(json_is_integer(member) && json_integer_value(member) >= 0);
    return (uint64_t)json_integer_value(member);
}

static void check_fold(Str text)
{
    AUTO(Arena) a = { 0 };
    RunState s;
    if (!run_state_read(text, &a, &s))
        return;
    MUST(utf8_valid(text) && s.compacted <= s.results && s.cleared <= s.results);
    check_again(&s);
    AUTO_PTR(json_t) value = NULL;
    if (json_read(text, &value, NULL) != JOT_OK)
        return; /* names twice, or numbers too large, in what is passed over */
    const json_t *usage = json_object_get(value, "usage");
    MUST(s.results == number(value, "results") && s.damaged == number(value, "damaged"));
    MUST(s.plan_seq == number(value, "plan_seq") && s.thoughts == number(value, "thoughts"));
    MUST(s.open_n == json_array_size(json_object_get(value, "open")));
    MUST(s.usage.streak == number(usage, "streak"));
    MUST(s.usage.tools_n <= json_array_size(json_object_get(usage, "tools")));
}

/* A call is written as the tree of its arguments is, if they are an object. */
static void check_call(const Frame *f, Str args)
{
    AUTO(Buf) one = { 0 };
    AUTO(Buf) other = { 0 };
    AUTO_PTR(json_t) value = NULL;
    if (json_read(args, &value, NULL) != JOT_OK)
        value = NULL;
    frame_call_add_text(&one, f, S("tool"), args);
    frame_call_add(&other, f, S("tool"), json_is_object(value) ? value : NULL);
    MUST(str_eq(buf_str(&one), buf_str(&other)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str text = { (const char *)data, size };
    check_fold(text);
    check_call(NULL, text);
    check_call(&(Frame){ .sign = "5f3a9c0d1e2b4a67" }, text);
    check_call(&(Frame){ 0 }, text);
    return 0;
}
