/* fuzz_anthropic.c - any bytes as a stream of Anthropic's Messages. */
#define DECODE anthropic_event
#include "fuzz/decode.h"

const char *const fuzz_words[] = {
    "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{}}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
    "\"text\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
    "\"id\":\"a\",\"name\":\"b\",\"input\":{}}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"thinking\","
    "\"thinking\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"{}\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n",
    "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
    "\"index\":",
    "null",
    "[]",
    "{}",
    "\\ud83d",
    "\\u0000",
    "\xff",
    "-1",
    "9223372036854775807",
    "\n\n",
    "text_delta",
    "thinking_delta",
    "signature_delta",
    NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode((Str){ (const char *)data, size }, &dialect_anthropic);
    return 0;
}
