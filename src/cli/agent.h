/* agent.h - what `jotter run` and `jotter cycle run` share: the model, the tools, the rules. */
#ifndef CLI_AGENT_H
#define CLI_AGENT_H

#include "agent/loop_tools.h"
#include "agent/prompt.h"
#include "cli/cmd.h"
#include "cli/live.h"

/* clang-format off */
#define AGENT_OPTS \
    { "model", "URL", "anthropic:MODEL, openai:MODEL, http(s)://HOST/v1#MODEL or script:FILE" }, \
    { "key-file", "FILE", "with the model's key; else it is in the environment" }, \
    { "rules", "FILE", "standing rules; {{HOSTNAME}}, {{WORKING_DIR}}, {{DATE}}, {{AGENT}} are filled in" }, \
    { "tools", "PROFILES", "more tools of the pad: " TOOL_PROFILE_WORDS "; with commas" }, \
    { "allow", "WORDS", "tools or effects that need no question: read, pad, write, outside, network, private, "\
      "execute, mcp, all; plant:NAME: files that other programs run or obey, such as .git or AGENTS.md" }, \
    { "ask", "WORDS", "tools or effects to ask about" }, \
    { "deny", "WORDS", "tools or effects to refuse" }, \
    { "unconfined", NULL, "run commands even where they cannot be confined" }, \
    { "mcp", "COMMAND", "also offer the tools of this MCP server; up to 16 times" }, \
    { "mcp-timeout", "SECONDS", "how long a call of such a tool may go without an answer or progress; 120 by default" }, \
    { "max-iterations", "N", "stop after this many replies of the model" }, \
    { "max-tokens", "N", "limit of one reply, hidden reasoning included" }, \
    { "effort", "WORD", "how much the model thinks: none, minimal, low, medium, high, xhigh or max" }, \
    { "no-agents-md", NULL, "do not read AGENTS.md and CLAUDE.md" }, \
    { "verbose", NULL, "show what fills the context" }, \
    { "quiet", NULL, "print the answer and nothing else" }
/* clang-format on */

typedef struct Agent {
    Live live;
    Llm *llm;
    Act *act;
    LlmTool *tools;
    size_t tools_n;
    Policy policy;
    unsigned profiles;
    const char **servers; /* the commands of --mcp, ends in NULL */
    Str model;            /* its address */
    Str rules;
    Str dir;
    bool no_files;                                /* of rules */
    int64_t iterations_max, max_tokens, server_s; /* 0: not said */
} Agent;

/* What the options say, before anything is opened or made. */
MUST_USE jot_status agent_read(Session *s, Agent *out);
/* The model and the tools; the pad is open.  agent_close() also after a failure. */
MUST_USE jot_status agent_open(Session *s, Agent *a);
void agent_close(Agent *a); /* {0} is fine */
DEFINE_AUTO(Agent, agent_close)

/* What the rules are made from. */
PromptAsk agent_prompt(Session *s, const Agent *a, bool json);
/* Say on standard error which rules the model will not see (PromptAsk.left_out). */
void agent_warn_left_out(Buf *sentences);

#endif
