/* savings.c - what the pad saves, measured: the same long work with and without it.
 *
 * Forty services have to be looked at, one long page each; afterwards ten
 * questions are asked about them.
 *
 *   without   one session, because the context is all the memory there is.  It fills
 *             up, older pages are masked, and those that are asked about are read again
 *   with      five services a session, each of which leaves a line for every service
 *             in a note; the last one reads the note, and answers
 *
 * Both sides run in the real loop, with the same window and the same tool; the
 * model is a script whose answers are filled in from the request at hand, so an
 * answer is right only if what it says was in the context.  Tokens are those of
 * the requests as they were sent, estimated alike on both sides.
 *
 * Three services that fit into one context are the case in which the pad does not
 * help: writing and reading the note cost more than they save. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/loop.h"
#include "memory/artifact/sink.h"
#include "memory/frame/pointer.h"
#include "tool/tool.h"

enum { WINDOW = 16 * 1000, PAGE_LINES = 40, QUESTIONS = 10, PER_SESSION = 5 };

/* --- The work ---------------------------------------------------------------------------- */

/* What is to be found out about a service. */
static unsigned port_of(unsigned service)
{
    return 4000 + service * 37 % 1000;
}

static void page_of(unsigned service, Buf *to)
{
    for (unsigned i = 0; i < PAGE_LINES; i++) {
        if (i == PAGE_LINES / 2)
            buf_addf(to, "The port of service %u is %u.\n", service, port_of(service));
        buf_addf(to, "Line %u of the page about service %u says nothing of interest.\n", i,
                 service);
    }
}

/* Which services the questions are about. */
static unsigned asked(unsigned question, unsigned services, unsigned questions)
{
    return 1 + question * services / questions;
}

/* --- The sides --------------------------------------------------------------------------- */

typedef struct Side {
    Memory m;
    char dir[64];
    uint64_t peak, sent, requests, calls, compactions;
    unsigned right, questions;
    Err e;
} Side;

static void must(bool good, const char *what, const Err *e)
{
    if (good)
        return;
    fprintf(stderr, "bench/context: %s: %s\n", what, e ? e->text : "");
    exit(1);
}

static bool mutates(void *ctx, const Call *call)
{
    (void)ctx;
    return !str_eq(call->tool, S("look"));
}

static jot_status look(Side *s, const Call *c, Arena *into, Reply *out, Err *e)
{
    AUTO(Buf) page = { 0 };
    SinkView view;
    page_of((unsigned)json_integer_value(json_object_get(c->object, "service")), &page);
    SinkPut put = { .call = c->id, .tool = c->tool, .result = buf_str(&page) };
    TRY(sink_write(&s->m, &put, into, &view, NULL, e));
    out->text = sink_text(&view, POINT_TOOLS | POINT_NOTES, into);
    return JOT_OK;
}

static jot_status call(void *ctx, const Call *c, Arena *into, Reply *out, Err *e)
{
    Side *s = ctx;
    ToolHost host = { .m = &s->m };
    ToolReply reply;
    *out = (Reply){ 0 };
    s->calls++;
    if (str_eq(c->tool, S("look")))
        return look(s, c, into, out, e);
    TRY(tool_call(&host, c->tool, c->object, into, &reply, e));
    *out = (Reply){ .text = reply.text, .failed = reply.is_error };
    tool_reply_done(&reply);
    return JOT_OK;
}

static void on_budget(void *ctx, const Transcript *t, const Budget *b)
{
    Side *s = ctx;
    (void)t;
    uint64_t estimate = b->system + b->tools + b->history + b->retrieved;
    s->requests++;
    s->sent += estimate;
    if (estimate > s->peak)
        s->peak = estimate;
}

static void on_compacted(void *ctx, const Compacted *c)
{
    Side *s = ctx;
    s->compactions += c->masked || c->summed || c->dropped;
}

/* One session: a script, a run, its answer. */
static Str session(Side *s, Str question, const Buf *script, Arena *into)
{
    char path[96];
    Llm *llm = NULL;
    LoopOutcome o;
    AUTO(Run) r = { 0 };
    snprintf(path, sizeof path, "%s/script", s->dir);
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, script->p, script->n) == (ssize_t)script->n, path, NULL);
    Str url = arena_printf(into, "script:%s", path);
    must(llm_open(url, NULL, &llm, &s->e) == JOT_OK, "model", &s->e);
    AUTO_PTR(Llm) model = llm;
    Loop l = { .m = &s->m,
               .llm = model,
               .tools = { .mutates = mutates, .call = call, .ctx = s },
               .view = { .budget = on_budget, .compacted = on_compacted, .ctx = s },
               .iterations_max = 1000,
               .limits.calls = 1000000, /* nobody is to be warned */
               .setup = { .system = S("You look at services."),
                          .window = WINDOW,
                          .headroom = 2000,
                          .max_tokens = 2000,
                          .model = S("script") } };
    must(loop_begin(&l, question, &r, &s->e) == JOT_OK, "begin", &s->e);
    must(loop_go(&l, &r, into, &o, &s->e) == JOT_OK, "run", &s->e);
    must(o.end == LOOP_ANSWERED, "no answer", &s->e);
    return o.answer;
}

/* --- The scripts ------------------------------------------------------------------------- */

static void add_look(Buf *to, unsigned service, const char *id)
{
    buf_addf(to, "- calls: [{id: %s%u, name: look, args: {service: %u}}]\n", id, service, service);
}

/* Where the model finds the port in a page that is in its context. */
static Str template(Arena *into, const char *id, unsigned service)
{
    return arena_printf(into, "{{result:%s%u|after The port of service %u is |before .|trim}}", id,
                        service, service);
}

/* Everything in one context; what is asked about is looked at again, for it may be masked. */
static Str work_without(Side *s, unsigned services, bool again, Arena *into)
{
    AUTO(Buf) script = { 0 };
    AUTO(Buf) answer = { 0 };
    buf_add(&script, S("- {when: \"# The turns since\", text: Services were looked at.}\n"));
    for (unsigned i = 1; i <= services; i++)
        add_look(&script, i, "d");
    if (again) {
        buf_add(&script, S("- calls:\n"));
        for (unsigned q = 0; q < s->questions; q++) {
            unsigned service = asked(q, services, s->questions);
            buf_addf(&script, "    - {id: q%u, name: look, args: {service: %u}}\n", service,
                     service);
        }
    }
    for (unsigned q = 0; q < s->questions; q++) {
        unsigned service = asked(q, services, s->questions);
        buf_addf(&answer, "service %u: " STR_FMT "\\n", service,
                 STR_ARG(template(into, again ? "q" : "d", service)));
    }
    buf_addf(&script, "- text: \"" STR_FMT "\"\n", STR_ARG(buf_str(&answer)));
    return session(s, S("Look at all services, then say the ports that are asked for."), &script,
                   into);
}

/* A few services, then a line for each in the note. */
static void work_part(Side *s, unsigned from, unsigned to, Arena *into)
{
    AUTO(Buf) script = { 0 };
    AUTO(Buf) lines = { 0 };
    for (unsigned i = from; i <= to; i++) {
        add_look(&script, i, "d");
        buf_addf(&lines, "%sservice %u: " STR_FMT, i > from ? "\\n" : "", i,
                 STR_ARG(template(into, "d", i)));
    }
    if (from == 1)
        buf_addf(&script,
                 "- calls: [{name: scratchpad_write, args: {key: ports, content: \"" STR_FMT
                 "\"}}]\n",
                 STR_ARG(buf_str(&lines)));
    else
        buf_addf(&script,
                 "- calls: [{name: scratchpad_edit, args: {key: ports, append: \"" STR_FMT
                 "\"}}]\n",
                 STR_ARG(buf_str(&lines)));
    buf_add(&script, S("- text: These are done.\n"));
    session(s, arena_printf(into, "Look at services %u to %u and note their ports.", from, to),
            &script, into);
}

static Str work_with(Side *s, unsigned services, Arena *into)
{
    AUTO(Buf) script = { 0 };
    AUTO(Buf) answer = { 0 };
    for (unsigned from = 1; from <= services; from += PER_SESSION) {
        unsigned to = from + PER_SESSION - 1;
        work_part(s, from, to < services ? to : services, into);
    }
    buf_add(&script, S("- calls: [{id: note, name: scratchpad_read, args: {key: ports}}]\n"));
    for (unsigned q = 0; q < s->questions; q++) {
        unsigned service = asked(q, services, s->questions);
        buf_addf(&answer, "service %u: {{result:note|after service %u: |line 1|trim}}\\n", service,
                 service);
    }
    buf_addf(&script, "- text: \"" STR_FMT "\"\n", STR_ARG(buf_str(&answer)));
    return session(s, S("Say the ports that are asked for."), &script, into);
}

/* --- Measuring --------------------------------------------------------------------------- */

static void check(Side *s, Str answer, unsigned services)
{
    for (unsigned q = 0; q < s->questions; q++) {
        char want[64];
        unsigned service = asked(q, services, s->questions);
        int n = snprintf(want, sizeof want, "service %u: %u\n", service, port_of(service));
        AUTO(Arena) a = { 0 };
        Str whole = arena_printf(&a, STR_FMT "\n", STR_ARG(answer));
        s->right += memmem(whole.p, whole.n, want, (size_t)n) != NULL;
    }
}

static void side_open(Side *s, const char *dir, unsigned questions)
{
    MemoryOptions o = { .by = S("bench"), .create = true };
    *s = (Side){ .questions = questions };
    snprintf(s->dir, sizeof s->dir, "%s", dir);
    must(memory_open(&s->m, S("mem:"), &o, &s->e) == JOT_OK, "pad", &s->e);
}

static void line(const char *what, uint64_t without, uint64_t with)
{
    printf("  %-24s %10llu %10llu", what, (unsigned long long)without, (unsigned long long)with);
    if (without && with)
        printf("   %.2f", (double)with / (double)without);
    putchar('\n');
}

/* True if both sides know all answers. */
static bool compare(const char *title, const char *dir, unsigned services, unsigned questions)
{
    AUTO(Arena) a = { 0 };
    Side without, with;
    side_open(&without, dir, questions);
    side_open(&with, dir, questions);
    check(&without, work_without(&without, services, questions == QUESTIONS, &a), services);
    check(&with, work_with(&with, services, &a), services);
    printf("%s: %u services, window %d tokens\n", title, services, WINDOW);
    printf("  %-24s %10s %10s   %s\n", "", "without", "with", "with / without");
    line("peak context, tokens", without.peak, with.peak);
    line("tokens sent", without.sent, with.sent);
    line("requests", without.requests, with.requests);
    line("calls", without.calls, with.calls);
    line("compactions", without.compactions, with.compactions);
    printf("  %-24s %7u/%u %7u/%u\n\n", "right answers", without.right, questions, with.right,
           questions);
    bool good = without.right == questions && with.right == questions;
    memory_close(&without.m);
    memory_close(&with.m);
    return good;
}

int main(int argc, char **argv)
{
    bool smoke = argc > 1 && strcmp(argv[1], "--smoke") == 0;
    char dir[] = "/tmp/jotter-context-XXXXXX", path[64];
    must(mkdtemp(dir) != NULL, dir, NULL);
    bool good = compare("long work", dir, smoke ? 20 : 40, QUESTIONS);
    good &= compare("short work, where the pad does not help", dir, 3, 3);
    snprintf(path, sizeof path, "%s/script", dir);
    unlink(path);
    rmdir(dir);
    return good ? 0 : 1;
}
