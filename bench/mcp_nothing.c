/* mcp_nothing.c - a server that does nothing: every request gets the same result of 2 KiB.
 *
 * What a round trip over pipes and a start cost at least: bench/mcp measures beside it.  It knows
 * one thing of JSON, that a request's id is the number behind "id":. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL, body[2048 + 1];
    size_t size = 0;
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *id = strstr(line, "\"id\":");
        if (!id)
            continue;
        printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"%s\"}]}}\n",
               strtol(id + 5, NULL, 10), body);
        fflush(stdout);
    }
    free(line);
    return 0;
}
