/* fixtures.c - fixtures that answer at once, or tell of something on their way. */
#include "conformance/fixtures.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#define PNG                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJ" \
    "RU5ErkJggg=="
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
#define NO_ARGS "{\"type\":\"object\",\"properties\":{}}"

enum { PAUSE_US = 50 * 1000 }; /* between two things that are told, as the suite wants it */

json_t *fixture_json(const char *text)
{
    json_t *value = NULL;
    jot_status st = json_read(str(text), &value, NULL);
    assert(st == JOT_OK);
    return value;
}

bool fixture_say(const Call *c, const char *fmt, ...)
{
    char words[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    *c->result = json_pack("{s:[{s:s, s:s}]}", "content", "type", "text", "text", words);
    return true;
}

bool fixture_fail(const Call *c, const char *text)
{
    fixture_say(c, "%s", text);
    json_object_set_new(*c->result, "isError", json_true());
    return true;
}

/* --- Tools ------------------------------------------------------------------------------- */

static bool with_logging(const Call *c)
{
    fixture_log(c, "Tool execution started");
    io_sleep_us(&io_system, PAUSE_US);
    fixture_log(c, "Tool processing data");
    io_sleep_us(&io_system, PAUSE_US);
    fixture_log(c, "Tool execution completed");
    return fixture_say(c, "Tool with logging executed successfully");
}

static bool with_progress(const Call *c)
{
    for (int i = 0; i <= 100; i += 50) {
        fixture_progress(c, i, 100);
        io_sleep_us(&io_system, PAUSE_US);
    }
    return fixture_say(c, "Tool with progress executed successfully");
}

static bool changed(const Call *c, const char *what)
{
    fixture_list_changed(what);
    return fixture_say(c, "the list of %s has changed", what);
}

static bool change_tools(const Call *c)
{
    return changed(c, "tools");
}

static bool change_prompts(const Call *c)
{
    return changed(c, "prompts");
}

static bool missing_capability(const Call *c)
{
    if (json_object_get(c->client, "sampling"))
        return fixture_say(c, "the client can sample");
    *c->why = rpc_error(-32021, "this needs the client's capability 'sampling'");
    c->why->data = fixture_json("{\"requiredCapabilities\":{\"sampling\":{}}}");
    return false;
}

const Fixture fixture_tools[] = {
    { "test_simple_text", NO_ARGS,
      "{\"content\":[{\"type\":\"text\",\"text\":\"This is a simple text response for "
      "testing.\"}]}",
      NULL },
    { "test_image_content", NO_ARGS,
      "{\"content\":[{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}]}",
      NULL },
    { "test_audio_content", NO_ARGS,
      "{\"content\":[{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}]}",
      NULL },
    { "test_embedded_resource", NO_ARGS,
      "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\","
      "\"mimeType\":\"text/plain\",\"text\":\"This is an embedded resource content.\"}}]}",
      NULL },
    { "test_multiple_content_types", NO_ARGS,
      "{\"content\":[{\"type\":\"text\",\"text\":\"Multiple content types test:\"},"
      "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"},"
      "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
      "\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":"
      "123}\"}}]}",
      NULL },
    { "test_error_handling", NO_ARGS,
      "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"This tool intentionally "
      "returns an error for testing\"}]}",
      NULL },
    { "test_tool_with_logging", NO_ARGS, NULL, with_logging },
    { "test_logging_tool", NO_ARGS, NULL, with_logging },
    { "test_tool_with_progress", NO_ARGS, NULL, with_progress },
    { "test_missing_capability", NO_ARGS, NULL, missing_capability },
    { "test_trigger_tool_change", NO_ARGS, NULL, change_tools },
    { "test_trigger_prompt_change", NO_ARGS, NULL, change_prompts },
    { 0 },
};

/* --- Prompts ----------------------------------------------------------------------------- */

static json_t *user_text(const char *text)
{
    return json_pack("{s:s, s:{s:s, s:s}}", "role", "user", "content", "type", "text", "text",
                     text);
}

static const char *arg(const Call *c, const char *name)
{
    const char *text = json_string_value(json_object_get(c->args, name));
    return text ? text : "";
}

static bool with_arguments(const Call *c)
{
    char text[256];
    snprintf(text, sizeof text, "Prompt with arguments: arg1='%s', arg2='%s'", arg(c, "arg1"),
             arg(c, "arg2"));
    *c->result = json_pack("{s:[o]}", "messages", user_text(text));
    return true;
}

static bool with_resource(const Call *c)
{
    *c->result =
        json_pack("{s:[{s:s, s:{s:s, s:{s:s, s:s, s:s}}}, o]}", "messages", "role", "user",
                  "content", "type", "resource", "resource", "uri", arg(c, "resourceUri"),
                  "mimeType", "text/plain", "text", "Embedded resource content for testing.",
                  user_text("Please process the embedded resource above."));
    return true;
}

const Fixture fixture_prompts[] = {
    { "test_simple_prompt", "[]",
      "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"This is a "
      "simple prompt for testing.\"}}]}",
      NULL },
    { "test_prompt_with_arguments",
      "[{\"name\":\"arg1\",\"description\":\"First test argument\",\"required\":true},"
      "{\"name\":\"arg2\",\"description\":\"Second test argument\",\"required\":true}]",
      NULL, with_arguments },
    { "test_prompt_with_embedded_resource",
      "[{\"name\":\"resourceUri\",\"description\":\"the resource\",\"required\":true}]", NULL,
      with_resource },
    { "test_prompt_with_image", "[]",
      "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"" PNG
      "\",\"mimeType\":\"image/png\"}},{\"role\":\"user\",\"content\":{\"type\":\"text\","
      "\"text\":\"Please analyze the image above.\"}}]}",
      NULL },
    { 0 },
};
