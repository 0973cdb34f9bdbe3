/* questions.c - fixtures that ask the client: in the old era by a request, in the stateless one by
 * a result that says what is missing.
 *
 * What a client brings back with the missing answers (requestState) is its word, so
 * it is signed with a key that lasts as long as the process. */
#include <pthread.h>
#include <stdio.h>

#include "base/hash.h"
#include "conformance/fixtures.h"

#define NO_ARGS "{\"type\":\"object\",\"properties\":{}}"
#define ELICIT(message, name, type)                                                              \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"" message                      \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"" type \
    "\"}},\"required\":[\"" name "\"]}}}"
#define SAMPLE(text, max)                                                                  \
    "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\"," \
    "\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}],\"maxTokens\":" #max "}}"
#define ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

/* --- The old era ------------------------------------------------------------------------- */

/* Ask, and answer with what came back behind `before`. */
static bool ask(const Call *c, const char *method, json_t *params, const char *before)
{
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) answer = fixture_ask(c, method, params);
    if (!answer)
        return true;
    const json_t *content = json_object_get(answer, "content");
    if (content)
        json_write(&text, content);
    else
        buf_add(&text, S("null"));
    const char *action = json_string_value(json_object_get(answer, "action"));
    return fixture_say(c, "%saction=%s, content=" STR_FMT, before, action ? action : "none",
                       STR_ARG(buf_str(&text)));
}

static const char *arg(const Call *c, const char *name)
{
    const char *text = json_string_value(json_object_get(c->args, name));
    return text ? text : "";
}

static bool sampling(const Call *c)
{
    json_t *params =
        json_pack("{s:[{s:s, s:{s:s, s:s}}], s:i}", "messages", "role", "user", "content", "type",
                  "text", "text", arg(c, "prompt"), "maxTokens", 100);
    return ask(c, "sampling/createMessage", params, "LLM response: ");
}

/* An elicitation with a schema whose properties are given. */
static bool elicit(const Call *c, const char *message, const char *properties, const char *required)
{
    json_t *params = json_pack("{s:s, s:{s:s, s:o, s:o}}", "message", message, "requestedSchema",
                               "type", "object", "properties", fixture_json(properties), "required",
                               fixture_json(required));
    return ask(c, "elicitation/create", params, "Elicitation completed: ");
}

static bool elicitation(const Call *c)
{
    return elicit(c, arg(c, "message"),
                  "{\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
                  "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}}",
                  "[\"username\",\"email\"]");
}

static bool defaults(const Call *c)
{
    return elicit(c, "Please review",
                  "{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
                  "\"age\":{\"type\":\"integer\",\"default\":30},"
                  "\"score\":{\"type\":\"number\",\"default\":95.5},"
                  "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
                  "\"default\":\"active\"},"
                  "\"verified\":{\"type\":\"boolean\",\"default\":true}}",
                  "[]");
}

static bool enums(const Call *c)
{
    return elicit(
        c, "Please choose",
        "{\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First "
        "Option\"},{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\","
        "\"title\":\"Third Option\"}]},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":["
        "\"Option One\",\"Option Two\",\"Option Three\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":["
        "\"option1\",\"option2\",\"option3\"]}},"
        "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\","
        "\"title\":\"First Choice\"},{\"const\":\"value2\",\"title\":\"Second Choice\"},{"
        "\"const\":\"value3\",\"title\":\"Third Choice\"}]}}}",
        "[]");
}

const Fixture fixture_questions[] = {
    { "test_sampling",
      "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}},\"required\":["
      "\"prompt\"]}",
      NULL, sampling },
    { "test_elicitation",
      "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":["
      "\"message\"]}",
      NULL, elicitation },
    { "test_elicitation_sep1034_defaults", NO_ARGS, NULL, defaults },
    { "test_elicitation_sep1330_enums", NO_ARGS, NULL, enums },
    { 0 },
};

/* --- The stateless era: state ------------------------------------------------------------ */

static Hash key; /* made by the first who signs */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    io_random(&io_system, key.b, sizeof key.b);
}

/* "WORDS.SIGNATURE"; the words say which tool it is for and how far it has come. */
static void sign(const char *words, char *out, size_t max)
{
    HashState h;
    pthread_once(&once, make_key);
    hash_init(&h);
    hash_add_field(&h, (Str){ (const char *)key.b, sizeof key.b });
    hash_add_field(&h, str(words));
    snprintf(out, max, "%s.%s", words, hash_hex(hash_end(&h)).text);
}

static bool is_signed(const Call *c, const char *words)
{
    char want[256];
    sign(words, want, sizeof want);
    return str_eq(json_str(json_object_get(c->r->msg.params, "requestState")), str(want));
}

/* --- The stateless era: what is missing --------------------------------------------------- */

/* What the client brought for a key, if it is what an answer looks like. */
static const json_t *brought(const Call *c, const char *name)
{
    const json_t *all = json_object_get(c->r->msg.params, "inputResponses");
    const json_t *one = json_object_get(all, name);
    return json_is_object(one) ? one : NULL;
}

/* Ask for what `requests` says; `state` (may be NULL) is signed. */
static bool need(const Call *c, const char *requests, const char *state)
{
    char text[256];
    *c->result = json_pack("{s:o}", "inputRequests", fixture_json(requests));
    if (state) {
        sign(state, text, sizeof text);
        json_object_set_new(*c->result, "requestState", json_string(text));
    }
    return true;
}

static bool bad_state(const Call *c)
{
    return rpc_refuse(c->why, RPC_INVALID_PARAMS, "invalid requestState: use the one you got");
}

static bool need_elicitation(const Call *c)
{
    const json_t *got = brought(c, "user_name");
    if (!got)
        return need(c, "{\"user_name\":" ELICIT("What is your name?", "name", "string") "}", NULL);
    const char *name = json_string_value(json_object_get(json_object_get(got, "content"), "name"));
    return fixture_say(c, "Hello, %s!", name ? name : "whoever you are");
}

static bool need_sampling(const Call *c)
{
    const json_t *got = brought(c, "capital_question");
    if (!got)
        return need(c, "{\"capital_question\":" SAMPLE("What is the capital of France?", 100) "}",
                    NULL);
    const char *text = json_string_value(json_object_get(json_object_get(got, "content"), "text"));
    return fixture_say(c, "%s", text ? text : "no text");
}

static bool need_roots(const Call *c)
{
    const json_t *got = brought(c, "client_roots");
    AUTO(Buf) text = { 0 };
    if (!got)
        return need(c, "{\"client_roots\":" ROOTS "}", NULL);
    json_write(&text, got);
    return fixture_say(c, "roots: " STR_FMT, STR_ARG(buf_str(&text)));
}

/* One answer, with state that must come back as it was. */
static bool need_confirmed(const Call *c, const char *words)
{
    if (!brought(c, "confirm"))
        return need(c, "{\"confirm\":" ELICIT("Please confirm", "ok", "boolean") "}", words);
    return is_signed(c, words) ? fixture_say(c, "state-ok") : bad_state(c);
}

static bool need_state(const Call *c)
{
    return need_confirmed(c, "state");
}

static bool need_untampered(const Call *c)
{
    return need_confirmed(c, "untampered");
}

static bool need_three(const Call *c)
{
    if (!brought(c, "user_name") || !brought(c, "greeting") || !brought(c, "client_roots"))
        return need(c,
                    "{\"user_name\":" ELICIT(
                        "What is your name?", "name",
                        "string") ",\"greeting\":" SAMPLE("Generate a greeting",
                                                          50) ",\"client_roots\":" ROOTS "}",
                    "three");
    return is_signed(c, "three") ? fixture_say(c, "all three are there") : bad_state(c);
}

static bool need_rounds(const Call *c)
{
    if (brought(c, "step2"))
        return is_signed(c, "step2") ? fixture_say(c, "both steps are done") : bad_state(c);
    if (!brought(c, "step1"))
        return need(c, "{\"step1\":" ELICIT("Step 1: What is your name?", "name", "string") "}",
                    "step1");
    if (!is_signed(c, "step1"))
        return bad_state(c);
    return need(c,
                "{\"step2\":" ELICIT("Step 2: What is your favorite color?", "color", "string") "}",
                "step2");
}

static bool need_what_is_possible(const Call *c)
{
    bool samples = json_object_get(c->client, "sampling") != NULL;
    bool elicits = json_object_get(c->client, "elicitation") != NULL;
    if (samples)
        return need(c, "{\"sample\":" SAMPLE("Say something", 50) "}", NULL);
    if (elicits)
        return need(c, "{\"name\":" ELICIT("What is your name?", "name", "string") "}", NULL);
    return fixture_say(c, "the client can do neither");
}

static bool need_context(const Call *c)
{
    if (!brought(c, "user_context"))
        return need(c,
                    "{\"user_context\":" ELICIT("What context should the prompt use?", "context",
                                                "string") "}",
                    NULL);
    *c->result = fixture_json("{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                              "\"text\":\"with context\"}}]}");
    return true;
}

const Fixture fixture_inputs[] = {
    { "test_input_required_result_elicitation", NO_ARGS, NULL, need_elicitation },
    { "test_input_required_result_sampling", NO_ARGS, NULL, need_sampling },
    { "test_input_required_result_list_roots", NO_ARGS, NULL, need_roots },
    { "test_input_required_result_request_state", NO_ARGS, NULL, need_state },
    { "test_input_required_result_tampered_state", NO_ARGS, NULL, need_untampered },
    { "test_input_required_result_multiple_inputs", NO_ARGS, NULL, need_three },
    { "test_input_required_result_multi_round", NO_ARGS, NULL, need_rounds },
    { "test_input_required_result_capabilities", NO_ARGS, NULL, need_what_is_possible },
    { "test_streaming_elicitation", NO_ARGS, NULL, need_elicitation },
    { "test_input_required_result_prompt", "[]", NULL, need_context },
    { 0 },
};
