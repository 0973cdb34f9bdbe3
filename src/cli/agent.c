/* agent.c - from options to an agent. */
#include "cli/agent.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/refusal.h"

enum { RULES_MAX = 256 * 1024, MAX_TOKENS_MAX = 1000 * 1000, SERVER_S_MAX = 24 * 3600 };

/* The model that is meant if none is named. */
static jot_status find_model(Session *s, Str *out)
{
    const char *named = opt_text(s, "model"), *set = getenv("JOTTER_MODEL"),
               *anthropic = getenv("ANTHROPIC_API_KEY"), *openai = getenv("OPENAI_API_KEY"),
               *token = getenv("ANTHROPIC_AUTH_TOKEN");
    if (!named && set && set[0])
        named = set;
    if (!named && ((anthropic && anthropic[0]) || (token && token[0] && !(openai && openai[0]))))
        named = "anthropic:claude-sonnet-5";
    if (!named && openai && openai[0])
        named = "openai:gpt-5";
    if (!named || !named[0])
        return err_set(&s->err, JOT_INVALID,
                       "no model: give --model URL, or set JOTTER_MODEL, ANTHROPIC_API_KEY or "
                       "OPENAI_API_KEY");
    *out = str(named);
    return JOT_OK;
}

static jot_status read_policy(Session *s, Policy *out)
{
    static const struct {
        const char *name;
        PolicyAnswer answer;
    } kinds[] = { { "allow", POLICY_ALLOW }, { "ask", POLICY_ASK }, { "deny", POLICY_DENY } };
    Str *words;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        size_t n = opt_all(s, kinds[i].name, &words);
        for (size_t k = 0; k < n; k++)
            TRY(policy_add(out, kinds[i].answer, words[k], &s->err));
    }
    return JOT_OK;
}

static jot_status read_rules(Session *s, Str *out)
{
    const char *file = opt_text(s, "rules");
    if (!file)
        return JOT_OK;
    TRY(read_file(s, file, RULES_MAX, out));
    return check_text(s, "a file of rules", *out);
}

/* The commands of --mcp, ending in NULL; none of them is started if there are too many. */
static jot_status read_servers(Session *s, Agent *a)
{
    Str *given;
    size_t n = opt_all(s, "mcp", &given);
    if (n > ACT_SERVERS_MAX)
        return err_set(&s->err, JOT_TOO_BIG, "--mcp was given %zu times: an agent has at most %d",
                       n, ACT_SERVERS_MAX);
    a->servers = NEW_ARRAY(&s->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        a->servers[i] = given[i].p;
    return JOT_OK;
}

static jot_status open_tools(Session *s, Agent *a)
{
    AUTO(Buf) left_out = { 0 };
    ActOptions o = { .m = &s->memory,
                     .pad = s->where.url,
                     .dir = a->dir,
                     .policy = &a->policy,
                     .ask = live_can_ask() && !s->json ? live_ask : NULL,
                     .cancelled = live_stopped,
                     .planted = live_planted,
                     .ctx = &a->live,
                     .profiles = a->profiles | TOOLS_PLANS,
                     .unconfined = opt_given(s, "unconfined"),
                     .servers = a->servers,
                     .server_ms = a->server_s * 1000,
                     .left_out = &left_out };
    TRY(act_open(&a->act, &o, &s->err));
    agent_warn_left_out(&left_out);
    a->tools = loop_tools_list(a->act, &s->arena, &a->tools_n);
    return JOT_OK;
}

/* Other processes of the user cannot look into this one, where the keys are; programs it starts
 * are as usual.  The leak sanitizer is one that has to look. */
static void close_curtains(void)
{
#ifndef __SANITIZE_ADDRESS__
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

jot_status agent_read(Session *s, Agent *out)
{
    *out = (Agent){ .live = live_begin(s->json, opt_given(s, "quiet"), opt_given(s, "verbose")) };
    char *dir = getcwd(NULL, 0);
    out->dir = arena_copy(&s->arena, str(dir ? dir : "/"));
    free(dir);
    out->no_files = opt_given(s, "no-agents-md");
    TRY(opt_number(s, "max-iterations", 1, LOOP_ITERATIONS_MAX, 0, &out->iterations_max));
    TRY(opt_number(s, "max-tokens", 16, MAX_TOKENS_MAX, 0, &out->max_tokens));
    TRY(opt_number(s, "mcp-timeout", 1, SERVER_S_MAX, 0, &out->server_s));
    TRY(read_policy(s, &out->policy));
    TRY(read_servers(s, out));
    TRY(tool_profiles(str(opt_text(s, "tools")), &out->profiles, &s->err));
    TRY(read_rules(s, &out->rules));
    return find_model(s, &out->model);
}

/* Rules about tools can be wrong, too, and are reported before a model that is not there; but
 * servers are not started for one. */
jot_status agent_open(Session *s, Agent *a)
{
    LlmOptions o = { .io = s->memory.io,
                     .key_file = opt_text(s, "key-file"),
                     .effort = opt_text(s, "effort") };
    bool servers = opt_given(s, "mcp");
    close_curtains();
    if (!servers)
        TRY(open_tools(s, a));
    TRY(llm_open(a->model, &o, &a->llm, &s->err));
    return servers ? open_tools(s, a) : JOT_OK;
}

void agent_close(Agent *a)
{
    act_close(a->act);
    llm_close(a->llm);
    live_end(&a->live);
    *a = (Agent){ 0 };
}

void agent_warn_left_out(Buf *sentences)
{
    Str rest = buf_str(sentences), line;
    while (str_cut(&rest, '\n', &line))
        say(STR_FMT, STR_ARG(line));
}

PromptAsk agent_prompt(Session *s, const Agent *a, bool json)
{
    return (PromptAsk){ .m = &s->memory,
                        .rules = a->rules,
                        .dir = a->dir,
                        .agent = s->by,
                        .no_files = a->no_files,
                        .json = json,
                        .tools = a->tools,
                        .tools_n = a->tools_n };
}
