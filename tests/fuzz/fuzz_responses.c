/* fuzz_responses.c - any bytes as a stream of OpenAI's Responses. */
#define DECODE responses_event
#include "fuzz/decode.h"

const char *const fuzz_words[] = {
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":"
    "\"function_call\",\"call_id\":\"a\",\"name\":\"b\",\"arguments\":\"{}\"}}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"{\"}"
    "\n\n",
    "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":"
    "\"reasoning\",\"encrypted_content\":\"e\"}}\n\n",
    "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\",\"content\":[{"
    "\"type\":\"output_text\",\"text\":\"a\"}]}}\n\n",
    "data: {\"type\":\"response.refusal.delta\",\"delta\":\"no\"}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":3}}}\n\n",
    "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":"
    "\"max_output_tokens\"}}}\n\n",
    "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\"}}}\n\n",
    "data: {\"output\":[{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"b\"}]}\n\n",
    "data: {\"type\":\"error\",\"code\":\"c\",\"message\":\"m\"}\n\n",
    "data: [DONE]\n\n",
    "\"output_index\":",
    "\"status\":\"incomplete\"",
    "null",
    "[]",
    "{}",
    "\\ud83d",
    "\\u0000",
    "\xff",
    "-1",
    "9223372036854775807",
    "\n\n",
    NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode((Str){ (const char *)data, size }, &dialect_responses);
    return 0;
}
