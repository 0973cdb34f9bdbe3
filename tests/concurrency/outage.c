/* outage.c - servers that die and ways that break, while a crew works. */
#include "outage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHORT_MS = 150, HOLE_MS = 1200, MIX_MS = 600 };

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* S3's gateway listens at a port of loopback. */
static bool begin_s3(Outage *o)
{
    const char *port = getenv("JOT_TEST_S3_PORT"), *dir = getenv("JOT_TEST_S3_DIR");
    static char pid[200];
    *o = (Outage){ .pid = pid };
    if (!port || !dir)
        return false;
    snprintf(pid, sizeof pid, "%s/pid", dir);
    o->through = proxy_start_tcp(&o->proxy, (int)strtol(port, NULL, 10));
    snprintf(o->url, sizeof o->url, "s3://pads/t?endpoint=http://127.0.0.1:%d", o->proxy.port);
    if (o->through)
        setenv("JOT_TEST_S3", o->url, 1);
    return o->through;
}

bool outage_begin(Outage *o, Str scheme)
{
    if (str_eq(scheme, S("s3:")))
        return begin_s3(o);
    bool redis = str_eq(scheme, S("redis:"));
    const char *dir = getenv(redis ? "JOT_TEST_REDIS_DIR" : "JOT_TEST_POSTGRES_DIR");
    static char pid[200], server[200];
    *o = (Outage){ .failover = getenv("JOT_TEST_FAILOVER"), .pid = pid };
    if (!dir)
        return false;
    snprintf(pid, sizeof pid, "%s/pid", dir);
    if (o->failover)
        return true;
    const char *name = redis ? "socket" : ".s.PGSQL.5432";
    snprintf(server, sizeof server, "%s/%s", dir, name);
    o->through = proxy_start(&o->proxy, name, server);
    if (redis)
        snprintf(o->url, sizeof o->url, "redis+unix://%s/socket", o->proxy.dir);
    else
        snprintf(o->url, sizeof o->url, "postgres://jotter@/pads?host=%s", o->proxy.dir);
    if (o->through)
        setenv(redis ? "JOT_TEST_REDIS" : "JOT_TEST_POSTGRES", o->url, 1);
    return o->through;
}

void outage_end(Outage *o)
{
    if (o->through)
        proxy_stop(&o->proxy);
    o->through = false;
}

static void kill_server(Outage *o)
{
    long pid = 0;
    FILE *f = fopen(o->pid, "r");
    if (f && fscanf(f, "%ld", &pid) == 1 && pid > 1)
        o->kills += kill((pid_t)pid, SIGKILL) == 0;
    if (f)
        fclose(f);
}

static void set_mode(Outage *o, ProxyMode mode, unsigned *count, int ms)
{
    o->proxy.state->mode = mode;
    o->end_ns = clock_ns() + (uint64_t)ms * 1000000u;
    ++*count;
}

void outage_next(Outage *o, Dice *dice)
{
    if (o->failover) {
        FILE *f = o->failovers ? NULL : fopen(o->failover, "w");
        o->failovers += f != NULL;
        if (f)
            fclose(f);
        return;
    }
    if (o->end_ns)
        return;
    switch (dice_below(dice, 8)) {
    case 0:
        kill_server(o);
        break;
    case 1:
        set_mode(o, PROXY_HOLE, &o->holes, HOLE_MS);
        break;
    case 2:
    case 3:
        set_mode(o, PROXY_CUT, &o->cuts, SHORT_MS);
        break;
    case 4:
        set_mode(o, PROXY_WAIT, &o->waits, SHORT_MS);
        break;
    case 5:
        set_mode(o, PROXY_MIX, &o->mixes, MIX_MS);
        break;
    default:
        o->proxy.state->lose = 1 + (int)dice_below(dice, 8);
        o->lost++;
        break;
    }
}

void outage_tend(Outage *o)
{
    if (!o->through || !o->end_ns || clock_ns() < o->end_ns)
        return;
    o->proxy.state->mode = PROXY_PASS;
    o->end_ns = 0;
}

void outage_calm(Outage *o)
{
    o->end_ns = 0;
    if (!o->through)
        return;
    o->proxy.state->lose = 0;
    o->proxy.state->mode = PROXY_PASS;
}
