/* tls.c - libssl between two buffers in memory.
 *
 * The buffers, and not the socket, because libssl writes to a socket with write(),
 * which ends the process with SIGPIPE when the peer is gone. */
#include "base/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/library.h"

struct Tls {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out; /* the ssl's */
};

static struct {
    __typeof__(TLS_client_method) *method;
    __typeof__(SSL_CTX_new) *context_new;
    __typeof__(SSL_CTX_free) *context_free;
    __typeof__(SSL_CTX_set_verify) *set_verify;
    __typeof__(SSL_CTX_set_default_verify_paths) *default_paths;
    __typeof__(SSL_CTX_load_verify_locations) *load_locations;
    __typeof__(SSL_CTX_use_certificate_chain_file) *use_certificate;
    __typeof__(SSL_CTX_use_PrivateKey_file) *use_key;
    __typeof__(SSL_new) *new;
    __typeof__(SSL_free) *free;
    __typeof__(SSL_set_bio) *set_bio;
    __typeof__(SSL_set_connect_state) *set_connect_state;
    __typeof__(SSL_set1_host) *set_host;
    __typeof__(SSL_get0_param) *param;
    __typeof__(SSL_ctrl) *ctrl;
    __typeof__(SSL_do_handshake) *shake;
    __typeof__(SSL_read) *read;
    __typeof__(SSL_write) *write;
    __typeof__(SSL_get_error) *error;
    __typeof__(SSL_get_verify_result) *verified;
    __typeof__(BIO_s_mem) *memory;
    __typeof__(BIO_new) *bio_new;
    __typeof__(BIO_read) *bio_read;
    __typeof__(BIO_write) *bio_write;
    __typeof__(ERR_clear_error) *clear_error;
    __typeof__(X509_VERIFY_PARAM_set1_ip_asc) *set_ip;
    __typeof__(X509_verify_cert_error_string) *verify_text;
} ssl;

static const LibraryFunction functions[] = {
    { "TLS_client_method", &ssl.method, NULL },
    { "SSL_CTX_new", &ssl.context_new, NULL },
    { "SSL_CTX_free", &ssl.context_free, NULL },
    { "SSL_CTX_set_verify", &ssl.set_verify, NULL },
    { "SSL_CTX_set_default_verify_paths", &ssl.default_paths, NULL },
    { "SSL_CTX_load_verify_locations", &ssl.load_locations, NULL },
    { "SSL_CTX_use_certificate_chain_file", &ssl.use_certificate, NULL },
    { "SSL_CTX_use_PrivateKey_file", &ssl.use_key, NULL },
    { "SSL_new", &ssl.new, NULL },
    { "SSL_free", &ssl.free, NULL },
    { "SSL_set_bio", &ssl.set_bio, NULL },
    { "SSL_set_connect_state", &ssl.set_connect_state, NULL },
    { "SSL_set1_host", &ssl.set_host, NULL },
    { "SSL_get0_param", &ssl.param, NULL },
    { "SSL_ctrl", &ssl.ctrl, NULL },
    { "SSL_do_handshake", &ssl.shake, NULL },
    { "SSL_read", &ssl.read, NULL },
    { "SSL_write", &ssl.write, NULL },
    { "SSL_get_error", &ssl.error, NULL },
    { "SSL_get_verify_result", &ssl.verified, NULL },
    { "BIO_s_mem", &ssl.memory, NULL },
    { "BIO_new", &ssl.bio_new, NULL },
    { "BIO_read", &ssl.bio_read, NULL },
    { "BIO_write", &ssl.bio_write, NULL },
    { "ERR_clear_error", &ssl.clear_error, NULL },
    { "X509_VERIFY_PARAM_set1_ip_asc", &ssl.set_ip, NULL },
    { "X509_verify_cert_error_string", &ssl.verify_text, NULL },
};

static Library library = { .use = "TLS",
                           .package = "libssl3",
                           .names = { "libssl.so.3" },
                           .functions = functions,
                           .count = COUNT_OF(functions) };

static jot_status use_files(Tls *t, const TlsOptions *o, Err *e)
{
    Shown shown;
    if (o->cacert ? ssl.load_locations(t->context, o->cacert, NULL) != 1
                  : ssl.default_paths(t->context) != 1)
        return err_set(e, JOT_INVALID, "'%s' holds no certificates to trust",
                       err_show(&shown, str(o->cacert)));
    if (o->cert && ssl.use_certificate(t->context, o->cert) != 1)
        return err_set(e, JOT_INVALID, "'%s' holds no certificate", err_show(&shown, str(o->cert)));
    const char *key = o->key ? o->key : o->cert;
    if (key && ssl.use_key(t->context, key, SSL_FILETYPE_PEM) != 1)
        return err_set(e, JOT_INVALID, "'%s' holds no key that fits the certificate",
                       err_show(&shown, str(key)));
    return JOT_OK;
}

/* Whose certificate it must be. */
static void expect_host(Tls *t, const char *host)
{
    unsigned char address[16];
    bool numeric =
        inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
    int set = numeric ? ssl.set_ip(ssl.param(t->ssl), host) : ssl.set_host(t->ssl, host);
    if (set != 1)
        mem_exhausted();
    if (!numeric)
        (void)ssl.ctrl(t->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       (void *)(uintptr_t)host);
}

static void tls_drop(Tls **t)
{
    tls_free(*t);
}

jot_status tls_new(Tls **out, const TlsOptions *o, Err *e)
{
    TRY(library_open(&library, e));
    __attribute__((cleanup(tls_drop))) Tls *t = mem_alloc(sizeof *t);
    t->context = ssl.context_new(ssl.method());
    if (!t->context)
        mem_exhausted();
    TRY(use_files(t, o, e));
    ssl.set_verify(t->context, SSL_VERIFY_PEER, NULL);
    t->ssl = ssl.new(t->context);
    t->in = ssl.bio_new(ssl.memory());
    t->out = ssl.bio_new(ssl.memory());
    if (!t->ssl || !t->in || !t->out)
        mem_exhausted();
    ssl.set_bio(t->ssl, t->in, t->out);
    ssl.set_connect_state(t->ssl);
    expect_host(t, o->host);
    *out = TAKE(t);
    return JOT_OK;
}

void tls_free(Tls *t)
{
    if (!t)
        return;
    if (t->ssl)
        ssl.free(t->ssl); /* and with it both buffers */
    if (t->context)
        ssl.context_free(t->context);
    free(t);
}

/* More bytes are wanted, and nothing is wrong. */
static bool wants_more(Tls *t, int got)
{
    return ssl.error(t->ssl, got) == SSL_ERROR_WANT_READ;
}

jot_status tls_shake(Tls *t, bool *done, Err *e)
{
    ssl.clear_error();
    int got = ssl.shake(t->ssl);
    *done = got == 1;
    if (*done || wants_more(t, got))
        return JOT_OK;
    long why = ssl.verified(t->ssl);
    if (why != X509_V_OK)
        return err_set(e, JOT_DENIED, "its certificate is not to be trusted: %s",
                       ssl.verify_text(why));
    return err_set(e, JOT_UNAVAILABLE,
                   "TLS could not be agreed on: check the port, and whether it "
                   "wants a certificate");
}

void tls_feed(Tls *t, Str bytes)
{
    if (bytes.n && ssl.bio_write(t->in, bytes.p, (int)bytes.n) != (int)bytes.n)
        mem_exhausted();
}

size_t tls_take(Tls *t, char *into, size_t room)
{
    int n = ssl.bio_read(t->out, into, (int)room);
    return n > 0 ? (size_t)n : 0;
}

bool tls_write(Tls *t, Str text)
{
    enum { PIECE = 1 << 20 };
    while (text.n) {
        int piece = (int)(text.n < PIECE ? text.n : PIECE);
        ssl.clear_error();
        int n = ssl.write(t->ssl, text.p, piece);
        if (n <= 0)
            return false;
        text = str_from(text, (size_t)n);
    }
    return true;
}

ptrdiff_t tls_read(Tls *t, char *into, size_t room)
{
    ssl.clear_error();
    int n = ssl.read(t->ssl, into, (int)room);
    if (n > 0)
        return n;
    return wants_more(t, n) ? 0 : -1;
}
