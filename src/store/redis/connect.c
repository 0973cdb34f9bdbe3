/* connect.c - from a URL to a connection that is fit to be used.
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT][/DB][?pad=NAME&...]
 *   rediss://...                                    the same with TLS
 *   redis+unix://[[USER]:PASSWORD@]/PATH/OF/SOCKET[?db=N&pad=NAME&...]
 *
 * Several hosts, with commas between (or host=A,B&port=1,2), are a primary and those that may take
 * over from it, or nodes of a cluster: the first that is no replica is used, and each has its share
 * of the time.  The others are asked, too: of two primaries none is used.
 *
 * durability=relaxed is the user's word that the server need not be durable;
 * replicas=N waits for so many replicas before a record is acknowledged.
 *
 * Whether the server is durable is judged from its CONFIG, again after every
 * reconnect: appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, and
 * no eviction of keys.  What cannot be asked is not durable. */
#include "store/redis/connect.h"

#include <stdio.h>
#include <string.h>

#include "store/redis/flight.h"
#include "store/redis/pad.h"

enum {
    HOPS_MAX = 16,
    GREETING_MAX = 8,
    REPLICAS_MAX = 100,
    DB_MAX = 1000000,
    ASK_MS = 250, /* the most that another host may take to say what it is */
};

/* --- The URL ----------------------------------------------------------------------------- */

static jot_status set_pad(Redis *p, Str name, Err *e)
{
    Shown shown;
    if (name.n == 0 || name.n > REDIS_PAD_MAX || store_check_key(name, NULL) != JOT_OK)
        return err_set(e, JOT_INVALID, "invalid pad '%s': use [A-Za-z0-9_-]+, at most %d bytes",
                       err_show(&shown, name), REDIS_PAD_MAX);
    snprintf(p->pad, sizeof p->pad, STR_FMT, STR_ARG(name));
    p->prefix = arena_printf(&p->keep, "jotter:{%s}:", p->pad).p;
    return JOT_OK;
}

static jot_status set_number(Str key, Str value, uint64_t max, uint64_t *out, Err *e)
{
    Shown a, b;
    if (str_to_u64(value, max, out))
        return JOT_OK;
    return err_set(e, JOT_INVALID, "%s=%s: use a number from 0 to %llu", err_show(&a, key),
                   err_show(&b, value), (unsigned long long)max);
}

/* Files of certificates, called as redis-cli has them. */
static bool set_file(Redis *p, Str key, Str value)
{
    const struct {
        const char *key;
        const char **to;
    } files[] = { { "cacert", &p->tls.cacert }, { "cert", &p->tls.cert }, { "key", &p->tls.key } };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (str_eq(key, str(files[i].key))) {
            *files[i].to = arena_cstr(&p->keep, value);
            return true;
        }
    return false;
}

static jot_status set_param(Redis *p, Str key, Str value, Err *e)
{
    Shown shown;
    if (str_eq(key, S("pad")))
        return set_pad(p, value, e);
    if (str_eq(key, S("db")))
        return set_number(key, value, DB_MAX, &p->db, e);
    if (str_eq(key, S("replicas")))
        return set_number(key, value, REPLICAS_MAX, &p->replicas, e);
    if (p->encrypted && set_file(p, key, value))
        return JOT_OK;
    if (!str_eq(key, S("durability")))
        return err_set(
            e, JOT_INVALID,
            "'%s' is no parameter of a %s: URL: use pad, db, host, port, durability, replicas%s",
            err_show(&shown, key), p->encrypted ? "rediss" : "redis",
            p->encrypted ? ", cacert, cert or key" : "");
    p->relaxed = str_eq(value, S("relaxed"));
    if (!p->relaxed && !str_eq(value, S("always")))
        return err_set(e, JOT_INVALID, "durability=%s: use always or relaxed",
                       err_show(&shown, value));
    return JOT_OK;
}

/* The next word of a list with commas; false: there is none. */
static bool next_of(Str *list, Str *word)
{
    if (list->n == 0)
        return false;
    *word = *list;
    if (!str_cut(list, ',', word))
        *list = (Str){ 0 };
    return true;
}

static jot_status set_socket(Redis *p, Str path, Err *e)
{
    if (path.n >= sizeof p->hosts[0].host)
        return err_set(e, JOT_INVALID, "the path of a socket has at most %zu bytes",
                       sizeof p->hosts[0].host - 1);
    snprintf(p->hosts[0].host, sizeof p->hosts[0].host, STR_FMT, STR_ARG(path));
    p->hosts_n = 1;
    return JOT_OK;
}

/* Hosts, and a port for all of them or one for each. */
static jot_status set_hosts(Redis *p, Str hosts, Str ports, Err *e)
{
    Str host, port = { 0 };
    bool one = str_find(ports, ',') == ports.n;
    for (p->hosts_n = 0; next_of(&hosts, &host); p->hosts_n++) {
        if (p->hosts_n == REDIS_HOSTS_MAX)
            return err_set(e, JOT_INVALID, "a URL names at most %d hosts", REDIS_HOSTS_MAX);
        RedisAddress *to = &p->hosts[p->hosts_n];
        if (host.n == 0 || host.n >= sizeof to->host)
            return err_set(e, JOT_INVALID, "the name of a host has 1 to %zu bytes",
                           sizeof to->host - 1);
        if ((p->hosts_n == 0 || !one) && !next_of(&ports, &port))
            return err_set(e, JOT_INVALID, "there are more hosts than ports: name one for each");
        uint64_t number = 0;
        TRY(set_number(S("port"), port, UINT16_MAX, &number, e));
        *to = (RedisAddress){ .port = (int)number };
        if (number == 0)
            return err_set(e, JOT_INVALID, "port=0: use a number from 1 to %d", UINT16_MAX);
        memcpy(to->host, host.p, host.n);
    }
    if (p->hosts_n == 0 || ports.n)
        return err_set(e, JOT_INVALID, "there are more ports than hosts: name one for each");
    return JOT_OK;
}

static jot_status set_where(Redis *p, const Url *url, bool socket, Err *e)
{
    Str hosts = url->host.n ? url->host : S("127.0.0.1"), asked;
    Str ports = arena_printf(&p->keep, "%d", url->port ? url->port : REDIS_PORT);
    if (socket)
        return set_socket(p, url->path, e);
    if (url_param(url, S("host"), &p->keep, &asked))
        hosts = asked;
    if (url_param(url, S("port"), &p->keep, &asked))
        ports = asked;
    TRY(set_hosts(p, hosts, ports, e));
    return url->path.n > 1 ? set_number(S("db"), str_from(url->path, 1), DB_MAX, &p->db, e)
                           : JOT_OK;
}

jot_status redis_address(Redis *p, const Url *url, Err *e)
{
    bool socket = str_eq(url->scheme, S("redis+unix"));
    Str key, value;
    if (!url->authority || (socket && (url->host.n || url->path.n < 2)))
        return err_set(e, JOT_INVALID, "write redis://HOST/DB, or redis+unix:///PATH/OF/SOCKET");
    p->encrypted = str_eq(url->scheme, S("rediss"));
    TRY(set_where(p, url, socket, e));
    p->at = p->hosts[0];
    TRY(set_pad(p, S("jotter"), e));
    for (size_t at = 0; url_next_param(url, &at, &p->keep, &key, &value);)
        if (socket || (!str_eq(key, S("host")) && !str_eq(key, S("port"))))
            TRY(set_param(p, key, value, e));
    p->user = arena_cstr(&p->keep, url->user);
    p->password = arena_cstr(&p->keep, url->password);
    return JOT_OK;
}

/* --- What went wrong --------------------------------------------------------------------- */

static const char *show_address(const Redis *p, Shown *shown)
{
    char text[REDIS_HOST_MAX + 16];
    if (!p->at.port)
        return err_show(shown, str(p->at.host));
    snprintf(text, sizeof text, "%s:%d", p->at.host, p->at.port);
    return err_show(shown, str(text));
}

static jot_status say_refused(Redis *p, const redisReply *r, Err *e)
{
    Shown at, user, why;
    const char *where = show_address(p, &at), *who = err_show(&user, str(p->user));
    Str said = { r->str, r->len };
    if (redis_is_error(r, "NOAUTH"))
        return err_set(e, JOT_DENIED,
                       "the Redis server at '%s' wants a password: put it into the URL", where);
    if (redis_is_error(r, "WRONGPASS") || redis_is_error(r, "ERR AUTH"))
        return err_set(e, JOT_DENIED,
                       "the Redis server at '%s' refuses user '%s': check name and password", where,
                       p->user[0] ? who : "default");
    if (redis_is_error(r, "NOPERM"))
        return err_set(e, JOT_DENIED, "the Redis server at '%s' does not allow it: %s", where,
                       err_show(&why, str_from(said, 7)));
    if (redis_is_error(r, "DENIED"))
        return err_set(e, JOT_DENIED,
                       "the Redis server at '%s' is in protected mode: give it a password or an "
                       "address to listen at",
                       where);
    if (redis_is_error(r, "LOADING"))
        return err_set(e, JOT_UNAVAILABLE, "the Redis server at '%s' is starting", where);
    if (redis_is_error(r, "ERR DB index") || redis_is_error(r, "ERR SELECT"))
        return err_set(e, JOT_INVALID, "the Redis server at '%s' has no database %llu", where,
                       (unsigned long long)p->db);
    return err_set(e, JOT_UNAVAILABLE, "the Redis server at '%s' says: %s", where,
                   err_show(&why, said));
}

/* --- Judging the server ------------------------------------------------------------------ */

/* A line "KEY:VALUE" of INFO. */
static Str info(const redisReply *r, const char *key)
{
    Str rest = { r->str, r->len }, line;
    while (str_cut(&rest, '\n', &line)) {
        Str name;
        if (str_cut(&line, ':', &name) && str_eq(name, str(key)))
            return str_trim(line);
    }
    return (Str){ 0 };
}

/* A value of CONFIG GET, which is a list of pairs. */
static Str config(const redisReply *r, const char *key)
{
    for (size_t i = 0; r->type == REDIS_REPLY_ARRAY && i + 1 < r->elements; i += 2)
        if (str_eq(reply_text(r, i), str(key)))
            return reply_text(r, i + 1);
    return (Str){ 0 };
}

/* Why what this server acknowledges may be lost, or NULL. */
static const char *find_weakness(const redisReply *r)
{
    if (r->type != REDIS_REPLY_ARRAY || r->elements == 0)
        return "it does not say how it is set (allow CONFIG GET)";
    if (!str_eq(config(r, "appendonly"), S("yes")))
        return "it keeps no log (set appendonly yes)";
    if (!str_eq(config(r, "appendfsync"), S("always")))
        return "it does not sync what it acknowledges (set appendfsync always)";
    if (!str_eq(config(r, "no-appendfsync-on-rewrite"), S("no")))
        return "it does not sync while it rewrites its log (set no-appendfsync-on-rewrite no)";
    if (!str_eq(config(r, "maxmemory"), S("0")) &&
        str_starts(config(r, "maxmemory-policy"), S("allkeys")))
        return "it removes keys when memory is full (set maxmemory-policy noeviction)";
    return NULL;
}

static void add_caveat(Redis *p, const char *text)
{
    size_t n = strlen(p->caveats);
    snprintf(p->caveats + n, sizeof p->caveats - n, "%s%s", n ? "\n" : "", text);
}

static jot_status judge_durability(Redis *p, const redisReply *config_reply, Err *e)
{
    Shown at;
    const char *weak = find_weakness(config_reply);
    p->durable = !weak;
    p->logs = str_eq(config(config_reply, "appendonly"), S("yes"));
    p->caveats[0] = 0;
    if (weak && !p->relaxed && !p->base.read_only_why[0])
        return err_set(
            e, JOT_UNSUPPORTED,
            "the Redis server at '%s' may lose what it acknowledges: %s; or say that you "
            "accept it with ?durability=relaxed",
            show_address(p, &at), weak);
    snprintf(p->weak, sizeof p->weak, "the server may lose what it acknowledges: %s",
             weak ? weak : "");
    add_caveat(p, weak ? p->weak
                       : "durable on this server; a failover may lose what was acknowledged last");
    if (p->replicas)
        add_caveat(p,
                   "a write is acknowledged when the replicas that were asked for have it, which "
                   "makes that rarer");
    add_caveat(p, "leases end by time only: the server cannot tell who lives");
    add_caveat(p, "purged text may stay in the server's snapshots and backups");
    return JOT_OK;
}

static jot_status judge(Redis *p, const redisReply *server, const redisReply *replication, Err *e)
{
    Shown at;
    Str version = info(server, "redis_version"), major = { 0 };
    uint64_t number = 0;
    (void)str_cut(&version, '.', &major);
    if (!str_to_u64(major, INT32_MAX, &number) || number < REDIS_SERVER_MIN)
        return err_set(e, JOT_UNSUPPORTED,
                       "the Redis server at '%s' is too old: a pad needs 7.0 or newer",
                       show_address(p, &at));
    Str role = info(replication, "role"), replid = info(replication, "master_replid");
    p->clustered = str_eq(info(server, "redis_mode"), S("cluster"));
    if (!str_eq(role, S("master")) && !p->clustered) /* in a cluster a replica knows who is not */
        return err_set(e, JOT_UNAVAILABLE,
                       "the Redis server at '%s' is a replica: name the primary",
                       show_address(p, &at));
    snprintf(p->replid, sizeof p->replid, STR_FMT, STR_ARG(replid));
    snprintf(p->process, sizeof p->process, STR_FMT, STR_ARG(info(server, "run_id")));
    return JOT_OK;
}

/* --- Connecting -------------------------------------------------------------------------- */

static void queue_words(Redis *p, Arena *arena, const char *const *words)
{
    Words w = { .arena = arena };
    for (; *words; words++)
        words_add(&w, str(*words));
    redis_queue(p, &w);
}

/* Who we are and what we want to know, in one flight. */
typedef struct Greeting {
    size_t n;                                    /* commands ... */
    size_t server, replication, config, scripts; /* ... and where the answers to these are */
    redisReply *replies[GREETING_MAX + SCRIPTS];
} Greeting;

static void greeting_free(Greeting *g)
{
    for (size_t i = 0; i < g->n; i++)
        hi_free(g->replies[i]);
}
DEFINE_AUTO(Greeting, greeting_free)

static void queue_scripts(Redis *p, Arena *arena)
{
    for (size_t i = 0; i < SCRIPTS; i++)
        queue_words(p, arena, (const char *[]){ "SCRIPT", "LOAD", redis_scripts[i], NULL });
}

static void queue_auth(Redis *p, Arena *arena, size_t *n)
{
    if (p->password[0] && p->user[0])
        queue_words(p, arena, (const char *[]){ "AUTH", p->user, p->password, NULL }), ++*n;
    else if (p->password[0])
        queue_words(p, arena, (const char *[]){ "AUTH", p->password, NULL }), ++*n;
}

static void queue_greeting(Redis *p, Arena *arena, Greeting *g)
{
    const char *db = arena_printf(arena, "%llu", (unsigned long long)p->db).p;
    queue_auth(p, arena, &g->n);
    if (p->db)
        queue_words(p, arena, (const char *[]){ "SELECT", db, NULL }), g->n++;
    g->server = g->n++;
    queue_words(p, arena, (const char *[]){ "INFO", "server", NULL });
    g->replication = g->n++;
    queue_words(p, arena, (const char *[]){ "INFO", "replication", NULL });
    g->config = g->n++;
    queue_words(p, arena,
                (const char *[]){ "CONFIG", "GET", "appendonly", "appendfsync",
                                  "no-appendfsync-on-rewrite", "maxmemory", "maxmemory-policy",
                                  NULL });
    g->scripts = g->n;
    g->n += SCRIPTS;
    queue_scripts(p, arena);
}

static jot_status keep_scripts(Redis *p, redisReply *const *replies, Err *e)
{
    for (size_t i = 0; i < SCRIPTS; i++) {
        const redisReply *r = replies[i];
        if (r->type == REDIS_REPLY_ERROR)
            return say_refused(p, r, e);
        if (r->type != REDIS_REPLY_STRING || r->len != REDIS_SHA_HEX)
            return redis_say(p, e, JOT_CORRUPT, "the Redis server answers something else");
        memcpy(p->sha[i], r->str, r->len);
    }
    return JOT_OK;
}

jot_status redis_load_scripts(Redis *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Greeting) g = { .n = SCRIPTS };
    queue_scripts(p, &arena);
    TRY(redis_fly(p, SCRIPTS, g.replies, e));
    return keep_scripts(p, g.replies, e);
}

static jot_status greet(Redis *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Greeting) g = { 0 };
    queue_greeting(p, &arena, &g);
    TRY(redis_fly(p, g.n, g.replies, e));
    for (size_t i = 0; i < g.config; i++)
        if (g.replies[i]->type == REDIS_REPLY_ERROR)
            return say_refused(p, g.replies[i], e);
    TRY(judge(p, g.replies[g.server], g.replies[g.replication], e));
    TRY(keep_scripts(p, g.replies + g.scripts, e));
    return judge_durability(p, g.replies[g.config], e);
}

static jot_status open_sock(Redis *p, Err *e)
{
    Shown at;
    Err why = { 0 };
    jot_status st = p->at.port
                        ? sock_open_tcp(&p->sock, p->at.host, p->at.port, p->deadline_ms, &why)
                        : sock_open_unix(&p->sock, p->at.host, p->deadline_ms, &why);
    TlsOptions tls = p->tls;
    tls.host = p->at.host;
    if (st == JOT_OK && p->encrypted)
        st = sock_encrypt(&p->sock, &tls, p->deadline_ms, &why);
    if (st != JOT_OK)
        return err_set(e, st, "could not connect to Redis at '%s': %s", show_address(p, &at),
                       why.text);
    p->reader = hi_reader(p->hi, &p->texts);
    return JOT_OK;
}

/* A server that starts is waited for. */
static jot_status connect_at(Redis *p, Err *e)
{
    for (;;) {
        Err why = { 0 };
        jot_status st = open_sock(p, &why);
        if (st == JOT_OK)
            st = greet(p, &why);
        if (st == JOT_OK)
            return JOT_OK;
        redis_disconnect(p);
        if (!strstr(why.text, "is starting") || !redis_pause(p))
            return err_pass(e, &why, st);
    }
}

/* Connect to one of the places that may still be tried, `left` of them with this one: it has its
 * share of the time. */
static jot_status connect_in_share(Redis *p, size_t left, Err *e)
{
    int64_t until = p->deadline_ms, now = io_awake_ms(&io_system);
    if (left > 1 && until > now)
        p->deadline_ms = now + (until - now) / (int64_t)left;
    jot_status st = connect_at(p, e);
    p->deadline_ms = until;
    return st;
}

/* Where we were, or where the URL leads: where a cluster has sent us, and where the primary was,
 * there may be nobody any more, or a replica. */
static jot_status connect_anywhere(Redis *p, Err *e)
{
    RedisAddress was = p->at;
    Err why = { 0 };
    bool known = false;
    for (size_t i = 0; i < p->hosts_n; i++)
        known = known || memcmp(&was, &p->hosts[i], sizeof was) == 0;
    size_t left = p->hosts_n + (known ? 0 : 1);
    jot_status st = connect_in_share(p, left, &why);
    for (size_t i = 0; i < p->hosts_n && st == JOT_UNAVAILABLE; i++) {
        if (memcmp(&was, &p->hosts[i], sizeof was) == 0)
            continue;
        p->at = p->hosts[i];
        st = connect_in_share(p, --left, &why);
    }
    return err_pass(e, &why, st);
}

/* --- Two primaries ----------------------------------------------------------------------- */

/* Is another server than ours there, which says that it is a primary?  One that does not answer at
 * once is none. */
static bool is_other_primary(const Redis *p, const RedisAddress *at)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Greeting) g = { 0 };
    int64_t until = io_awake_ms(&io_system) + ASK_MS;
    Redis ask = *p; /* whom it asks is its own; all else is only read */
    ask.sock = (Sock){ .fd = -1 };
    ask.reader = NULL;
    ask.out = (Buf){ 0 };
    ask.at = *at;
    ask.deadline_ms = until < p->deadline_ms ? until : p->deadline_ms;
    bool primary = open_sock(&ask, NULL) == JOT_OK;
    if (primary) {
        queue_auth(&ask, &arena, &g.n);
        g.server = g.n++;
        queue_words(&ask, &arena, (const char *[]){ "INFO", "server", NULL });
        g.replication = g.n++;
        queue_words(&ask, &arena, (const char *[]){ "INFO", "replication", NULL });
        primary = redis_fly(&ask, g.n, g.replies, NULL) == JOT_OK &&
                  str_eq(info(g.replies[g.replication], "role"), S("master")) &&
                  !str_eq(info(g.replies[g.server], "run_id"), str(p->process));
    }
    redis_disconnect(&ask);
    buf_free(&ask.out);
    return primary;
}

/* A primary that was replaced and comes back as one has none of what was written since, and what is
 * written there is lost: nobody but its owner can say which of the two counts. */
static jot_status check_alone(Redis *p, Err *e)
{
    Shown one, other;
    for (size_t i = 0; i < p->hosts_n && p->hosts_n > 1 && !p->clustered; i++) {
        Redis there = { .at = p->hosts[i] };
        if (memcmp(&p->at, &p->hosts[i], sizeof p->at) == 0 || !is_other_primary(p, &p->hosts[i]))
            continue;
        redis_disconnect(p);
        return err_set(e, JOT_UNAVAILABLE,
                       "of the Redis servers two say that they are the primary, '%s' and '%s': "
                       "stop the one that is not any more, or make it a replica",
                       show_address(p, &one), show_address(&there, &other));
    }
    return JOT_OK;
}

jot_status redis_connect(Redis *p, Err *e)
{
    const char *verb = p->verb;
    Str subject = p->subject;
    p->verb = "use the Redis server at";
    p->subject = str(p->at.host);
    jot_status st = connect_anywhere(p, e);
    if (st == JOT_OK)
        st = check_alone(p, e);
    p->verb = verb;
    p->subject = subject;
    p->lost = false; /* nothing of the operation was under way */
    if (st == JOT_OK && p->id[0])
        st = redis_identify(p, false, e);
    if (st != JOT_OK)
        redis_disconnect(p);
    return st;
}

void redis_disconnect(Redis *p)
{
    if (p->reader)
        p->hi->reader_free(p->reader);
    p->reader = NULL;
    sock_close(&p->sock);
    buf_clear(&p->out);
    p->flying = false;
}

jot_status redis_move(Redis *p, Str said, Err *e)
{
    Str word, rest = said;
    uint64_t port = 0;
    bool good = str_cut(&rest, ' ', &word) && str_cut(&rest, ' ', &word);
    size_t colon = str_find_last(rest, ':');
    Str host = str_slice(rest, 0, colon);
    good = good && str_to_u64(str_from(rest, colon + 1), 65535, &port) && port > 0 &&
           host.n < sizeof p->at.host;
    if (!good || ++p->hops > HOPS_MAX)
        return redis_say(p, e, JOT_UNAVAILABLE, "the cluster does not agree where the pad is");
    redis_disconnect(p);
    if (!p->at.port && (host.n == 0 || str_eq(host, S("?"))))
        host = S("127.0.0.1");
    if (host.n && !str_eq(host, S("?"))) /* else it is the host that answered */
        snprintf(p->at.host, sizeof p->at.host, STR_FMT, STR_ARG(host));
    p->at.port = (int)port;
    return redis_connect(p, e);
}
