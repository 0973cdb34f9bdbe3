/* fuzz_openai.c - any bytes as a stream of OpenAI's chat completions. */
#define DECODE openai_event
#include "fuzz/decode.h"

const char *const fuzz_words[] = {
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{"
    "\"name\":\"b\",\"arguments\":\"{}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"b\",\"arguments\":{}"
    "}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
    "data: {\"choices\":[{\"message\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n",
    "data: {\"error\":{\"message\":\"m\",\"code\":\"context_length_exceeded\"}}\n\n",
    "data: [DONE]\n\n",
    "\"index\":",
    "\"id\":",
    "null",
    "[]",
    "{}",
    "\\ud83d",
    "\\u0000",
    "\xff",
    "-1",
    "-2",
    "9223372036854775807",
    "\n\n",
    NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode((Str){ (const char *)data, size }, &dialect_openai);
    return 0;
}
