/* http_client.c - requests over libcurl's multi interface.
 *
 * curl_easy_perform cannot be left while it resolves a name or connects.  Here the transfer is a
 * loop that asks after everything that may end it, and then sleeps, HTTP_POLL_MS at most:
 *
 *     +--> cancelled by the caller? --------------> JOT_CANCELLED
 *     |    multi_perform: name, connection, TLS,
 *     |       on_header, on_body as bytes come
 *     |    has a callback refused? ---------------> its status and sentence
 *     |    is libcurl done? ----------------------> the answer, if its head is whole; else why_not
 *     |    has no byte moved for idle_ms? --------> JOT_UNAVAILABLE
 *     +--- multi_poll
 *
 * So a cancellation is seen in every phase, and idleness is measured by our own clock.
 *
 * Callbacks cannot return a status through libcurl: they leave it in the
 * Transfer, and what libcurl says then is only the echo of it. */
#include "net/http_client.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/url.h"
#include "net/curl.h"

struct HttpClient {
    const Io *io;
    const Curl *curl; /* NULL until the first request */
    CURL *easy;
    CURLM *multi;
};

typedef struct Transfer {
    const HttpCall *request;
    HttpAnswer *answer;
    const Io *io;
    bool loopback;     /* the server is this machine */
    int64_t active_ms; /* when a byte last moved */
    curl_off_t sent;
    size_t received;
    size_t head_bytes;
    bool head_ended; /* with an empty line, as it must */
    bool refused;    /* may_connect said no */
    jot_status st;   /* what a callback decided; JOT_OK: nothing */
    Err *e;
    char why[CURL_ERROR_SIZE];
} Transfer;

/* --- SIGPIPE ----------------------------------------------------------------------------- */

/* TLS writes to a connection that the other side has closed raise it.  It is blocked in this thread
 * while libcurl works, and one that came meanwhile is taken away. */
typedef struct SigpipeBlock {
    sigset_t before;
    bool pending; /* it was already waiting: that one is not ours */
} SigpipeBlock;

static sigset_t pipe_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

static SigpipeBlock sigpipe_block(void)
{
    SigpipeBlock q;
    sigset_t set = pipe_signal(), waiting;
    sigpending(&waiting);
    q.pending = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &q.before);
    return q;
}

static void sigpipe_unblock(const SigpipeBlock *q)
{
    sigset_t set = pipe_signal();
    struct timespec none = { 0 };
    if (!q->pending)
        (void)sigtimedwait(&set, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
}

/* --- The client -------------------------------------------------------------------------- */

HttpClient *http_client_new(const Io *io)
{
    HttpClient *c = mem_alloc(sizeof *c);
    c->io = io;
    return c;
}

void http_client_free(HttpClient *c)
{
    if (!c)
        return;
    SigpipeBlock q = sigpipe_block();
    if (c->easy)
        c->curl->easy_cleanup(c->easy);
    if (c->multi)
        c->curl->multi_cleanup(c->multi);
    sigpipe_unblock(&q);
    free(c);
}

void http_answer_done(HttpAnswer *a)
{
    buf_free(&a->headers);
    *a = (HttpAnswer){ 0 };
}

/* --- Headers ----------------------------------------------------------------------------- */

bool http_answer_header(const HttpAnswer *a, Str name, Str *value)
{
    Str rest = buf_str(&a->headers), line;
    while (str_cut(&rest, '\n', &line)) {
        Str key = { 0 };
        if (!str_cut(&line, ':', &key) || key.n != name.n ||
            strncasecmp(key.p, name.p, name.n) != 0)
            continue;
        *value = str_trim(line);
        return true;
    }
    return false;
}

bool http_date(Str text, int64_t *ms)
{
    const Curl *curl = NULL;
    char date[64];
    if (text.n >= sizeof date || curl_open(&curl, NULL) != JOT_OK)
        return false;
    memcpy(date, text.p, text.n);
    date[text.n] = 0;
    time_t s = curl->getdate(date, NULL);
    if (s == (time_t)-1)
        return false;
    *ms = (int64_t)s * 1000;
    return true;
}

bool http_host_is_here(Str host)
{
    uint64_t part = 0;
    Str rest = host, head = { 0 };
    if (str_eq(host, S("localhost")) || str_eq(host, S("::1")))
        return true;
    for (int i = 0; i < 3; i++) {
        if (!str_cut(&rest, '.', &head) || !str_to_u64(head, 255, &part) || (i == 0 && part != 127))
            return false;
    }
    return str_to_u64(rest, 255, &part);
}

jot_status http_check_private(const Url *u, Err *e)
{
    Shown shown;
    if (str_eq(u->scheme, S("https")) || http_host_is_here(u->host))
        return JOT_OK;
    return err_set(e, JOT_DENIED,
                   "http:// to '%s' would show everything on the way: use https://, or say "
                   "plain_http=yes",
                   err_show(&shown, u->host));
}

/* A line end in a value would begin a header of somebody else's choice. */
static bool header_good(const HttpField *h)
{
    for (size_t i = 0; i < h->value.n; i++) {
        unsigned char c = (unsigned char)h->value.p[i];
        if (c < 0x20 || c == 0x7F)
            return false;
    }
    return h->name[0] && !strpbrk(h->name, ":\r\n ");
}

static jot_status make_headers(const HttpClient *c, const HttpCall *r, struct curl_slist **out,
                               Err *e)
{
    /* libcurl would ask for permission to send a large body and wait for it. */
    struct curl_slist *list = c->curl->slist_append(NULL, "Expect:");
    for (size_t i = 0; i < r->n_headers && list; i++) {
        AUTO(Buf) line = { 0 };
        if (!header_good(&r->headers[i])) {
            c->curl->slist_free_all(list);
            return err_set(e, JOT_INVALID,
                           "the header '%s' cannot be sent: it contains control characters",
                           r->headers[i].name);
        }
        buf_addf(&line, "%s: " STR_FMT, r->headers[i].name, STR_ARG(r->headers[i].value));
        buf_add_char(&line, 0);
        struct curl_slist *longer = c->curl->slist_append(list, line.p);
        /* Some of them are keys. */
        explicit_bzero(line.p, line.n);
        if (!longer)
            c->curl->slist_free_all(list);
        list = longer;
    }
    if (!list)
        mem_exhausted();
    *out = list;
    return JOT_OK;
}

/* --- Callbacks --------------------------------------------------------------------------- */

static size_t on_header(char *bytes, size_t size, size_t n, void *ctx)
{
    Transfer *t = ctx;
    Str line = { bytes, size * n };
    t->active_ms = io_awake_ms(t->io);
    /* An interim answer, or a proxy's, is followed by the one that counts. */
    if (str_starts(line, S("HTTP/"))) {
        buf_clear(&t->answer->headers);
        t->answer->status = 0;
        t->head_ended = false;
    }
    t->answer->headers.max = HTTP_ANSWER_HEAD_MAX;
    buf_add(&t->answer->headers, line);
    t->head_ended = t->head_ended || str_trim(line).n == 0;
    t->head_bytes += line.n; /* also of interim answers, of which there may be no end */
    if (buf_ok(&t->answer->headers) && t->head_bytes <= HTTP_ANSWER_HEAD_MAX)
        return line.n;
    t->st = err_set(t->e, JOT_TOO_BIG, "the headers of the answer are too long: at most %d bytes",
                    HTTP_ANSWER_HEAD_MAX);
    return 0;
}

/* The status of the answer, from its first line: libcurl gives it only at the end. */
static int read_status(const HttpAnswer *a)
{
    Str line = buf_str(&a->headers), version;
    uint64_t status = 0;
    if (!str_cut(&line, ' ', &version) || !str_to_u64(str_slice(line, 0, 3), 999, &status))
        return 0;
    return (int)status;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *ctx)
{
    Transfer *t = ctx;
    const HttpCall *r = t->request;
    size_t max = r->answer_max ? r->answer_max : BUF_MAX_DEFAULT;
    Str piece = { bytes, size * n };
    t->active_ms = io_awake_ms(t->io);
    t->received += piece.n;
    if (t->answer->status == 0)
        t->answer->status = read_status(t->answer);
    if (t->st != JOT_OK)
        return 0;
    if (t->received > max)
        t->st = err_set(t->e, JOT_TOO_BIG, "the answer is too long: at most %zu bytes", max);
    else if (r->on_body)
        t->st = r->on_body(r->ctx, piece, t->e);
    return t->st == JOT_OK ? piece.n : 0;
}

/* Tools that are started later must not inherit the connection. */
static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

static int on_progress(void *ctx, curl_off_t want_down, curl_off_t down, curl_off_t want_up,
                       curl_off_t up)
{
    Transfer *t = ctx;
    if (up != t->sent)
        t->active_ms = io_awake_ms(t->io);
    t->sent = up;
    return 0;
}

static curl_socket_t on_connect(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
    Transfer *t = ctx;
    if (t->request->may_connect(t->request->ctx, &to->addr))
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    t->refused = true;
    return CURL_SOCKET_BAD;
}

/* --- The transfer ------------------------------------------------------------------------ */

static void set_up(HttpClient *c, Transfer *t, struct curl_slist *headers)
{
    const HttpCall *r = t->request;
    CURLcode (*set)(CURL *, CURLoption, ...) = c->curl->easy_setopt;
    CURL *easy = c->easy;
    c->curl->easy_reset(easy);
    set(easy, CURLOPT_URL, r->url);
    set(easy, CURLOPT_HTTPHEADER, headers);
    if (r->may_connect) {
        set(easy, CURLOPT_OPENSOCKETFUNCTION, on_connect);
        set(easy, CURLOPT_OPENSOCKETDATA, t);
    }
    if (t->loopback || r->may_connect)
        set(easy, CURLOPT_PROXY, ""); /* a proxy would look for this machine on its own */
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_FOLLOWLOCATION, 0L); /* nobody checked where else it leads */
    set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    set(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (r->ca_file)
        set(easy, CURLOPT_CAINFO, r->ca_file);
    /* A name that does not resolve must not be waited for when the transfer is given up. */
    set(easy, CURLOPT_QUICK_EXIT, 1L);
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(r->connect_ms ? r->connect_ms : HTTP_CONNECT_MS));
    set(easy, CURLOPT_ERRORBUFFER, t->why);
    set(easy, CURLOPT_HEADERFUNCTION, on_header);
    set(easy, CURLOPT_HEADERDATA, t);
    set(easy, CURLOPT_WRITEFUNCTION, on_body);
    set(easy, CURLOPT_WRITEDATA, t);
    set(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
    set(easy, CURLOPT_NOPROGRESS, 0L);
    set(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    set(easy, CURLOPT_XFERINFODATA, t);
    /* What may have a body says how long it is, also if there is none. */
    if (r->body.n || strcmp(r->method, "POST") == 0 || strcmp(r->method, "PUT") == 0) {
        set(easy, CURLOPT_POST, 1L);
        set(easy, CURLOPT_POSTFIELDS, r->body.n ? r->body.p : "");
        set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
    }
    set(easy, CURLOPT_CUSTOMREQUEST, r->method);
}

/* What libcurl's code means to a caller. */
static jot_status why_not(const HttpClient *c, const Transfer *t, CURLcode code, Err *e)
{
    Shown shown;
    const char *why = err_show(&shown, str(t->why[0] ? t->why : c->curl->easy_strerror(code)));
    if (t->refused && code == CURLE_COULDNT_CONNECT)
        return err_set(e, JOT_DENIED, "the server's address is not allowed");
    switch ((int)code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return err_set(e, JOT_DENIED, "the server's certificate cannot be trusted: %s", why);
    case CURLE_URL_MALFORMAT:
        return err_set(e, JOT_INVALID, "the URL cannot be used: %s", why);
    case CURLE_OUT_OF_MEMORY: /* libcurl's word for a line beyond its own limit, too */
        return err_set(e, JOT_TOO_BIG, "a header line of the answer is too long");
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_set(e, JOT_UNAVAILABLE, "the server's answer is not HTTP: %s", why);
    default:
        return err_set(e, JOT_UNAVAILABLE, "could not complete the HTTP request: %s", why);
    }
}

/* What ended the transfer; false while it runs. */
static bool ended(const HttpClient *c, CURLcode *code)
{
    int left = 0;
    for (CURLMsg *m; (m = c->curl->multi_info_read(c->multi, &left));)
        if (m->msg == CURLMSG_DONE) {
            *code = m->data.result;
            return true;
        }
    return false;
}

/* The loop that is drawn above. */
static jot_status run(HttpClient *c, Transfer *t, Err *e)
{
    CURLcode code = CURLE_OK;
    int64_t idle_max = t->request->idle_ms ? t->request->idle_ms : HTTP_IDLE_MS;
    for (;;) {
        int running = 0;
        if (t->request->cancelled && t->request->cancelled(t->request->ctx))
            return err_set(e, JOT_CANCELLED, "cancelled");
        if (c->curl->multi_perform(c->multi, &running) != CURLM_OK)
            return err_set(e, JOT_IO, "libcurl cannot continue");
        /* A callback's own reason, before what libcurl makes of it. */
        if (t->st != JOT_OK)
            return t->st;
        if (ended(c, &code)) {
            /* libcurl takes a head that was cut off for all of it. */
            bool whole = t->head_ended && read_status(t->answer) >= 100;
            if (code == CURLE_OK && !whole)
                return err_set(e, JOT_UNAVAILABLE, "the server's answer ended within its headers");
            return code == CURLE_OK ? JOT_OK : why_not(c, t, code, e);
        }
        if (io_awake_ms(t->io) - t->active_ms > idle_max)
            return err_set(e, JOT_UNAVAILABLE, "the server sent nothing for %lld seconds",
                           (long long)idle_max / 1000);
        c->curl->multi_poll(c->multi, NULL, 0, HTTP_POLL_MS, NULL);
    }
}

static jot_status open_client(HttpClient *c, Err *e)
{
    if (c->curl)
        return JOT_OK;
    TRY(curl_open(&c->curl, e));
    c->easy = c->curl->easy_init();
    c->multi = c->curl->multi_init();
    if (!c->easy || !c->multi)
        mem_exhausted();
    return JOT_OK;
}

jot_status http_send(HttpClient *c, const HttpCall *r, HttpAnswer *out, Err *e)
{
    assert(r->method && r->url);
    Err own = { 0 };
    Transfer t = { .request = r, .answer = out, .io = c->io, .e = e ? e : &own };
    struct curl_slist *headers = NULL;
    http_answer_done(out);
    AUTO(Arena) arena = { 0 };
    Url parsed = { 0 };
    TRY(url_parse(str(r->url), &arena, &parsed, e));
    bool http = str_eq(parsed.scheme, S("http")) || str_eq(parsed.scheme, S("https"));
    if (!http || !parsed.authority || parsed.host.n == 0)
        return err_set(e, JOT_INVALID, "an HTTP request needs a URL such as https://HOST/PATH");
    t.loopback = http_host_is_here(parsed.host);
    TRY(open_client(c, e));
    TRY(make_headers(c, r, &headers, e));
    t.active_ms = io_awake_ms(c->io);
    assert(c->easy && c->multi && headers);
    SigpipeBlock q = sigpipe_block();
    set_up(c, &t, headers);
    if (c->curl->multi_add_handle(c->multi, c->easy) != CURLM_OK)
        mem_exhausted();
    jot_status st = run(c, &t, e);
    out->status = read_status(out);
    c->curl->multi_remove_handle(c->multi, c->easy);
    c->curl->easy_reset(c->easy);
    sigpipe_unblock(&q);
    /* The header lines hold keys: they are overwritten before their memory is given back. */
    for (struct curl_slist *l = headers; l; l = l->next)
        explicit_bzero(l->data, strlen(l->data));
    c->curl->slist_free_all(headers);
    return st;
}
