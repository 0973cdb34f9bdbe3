/* secret.c - the forms in which keys and tokens are given out.
 *
 * One pass: at each place where a word may begin, the table says which forms
 * begin so, and whether enough of the right characters follow.  Vendors give
 * their keys such beginnings so that they can be found.  Passwords have no form;
 * there only the name in front of them tells.
 *
 * A text may be 16 MiB of anything, so no place is looked at far ahead again and again: what must
 * follow is short (match_form), bounded (match_login), or remembered as leading nowhere
 * (match_jwt). */
#include "memory/doc/secret.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"

typedef struct Form {
    const char *what;
    const char *begin;
    size_t min;       /* characters that must follow */
    const char *more; /* which may, besides letters and digits */
} Form;

/* clang-format off */
static const Form forms[] = {
    { "an AWS access key",        "AKIA",             16, ""    },
    { "an AWS access key",        "ASIA",             16, ""    },
    { "an Anthropic key",         "sk-ant-",          20, "-_"  },
    { "an API key",               "sk-proj-",         20, "-_"  },
    { "an API key",               "sk-",              20, "-_"  },
    { "a Stripe key",             "sk_live_",         16, ""    },
    { "a Stripe key",             "rk_live_",         16, ""    },
    { "a GitHub token",           "ghp_",             30, ""    },
    { "a GitHub token",           "gho_",             30, ""    },
    { "a GitHub token",           "ghu_",             30, ""    },
    { "a GitHub token",           "ghs_",             30, ""    },
    { "a GitHub token",           "ghr_",             30, ""    },
    { "a GitHub token",           "github_pat_",      30, "_"   },
    { "a GitLab token",           "glpat-",           20, "-_"  },
    { "a Slack token",            "xoxb-",            10, "-"   },
    { "a Slack token",            "xoxp-",            10, "-"   },
    { "a Slack token",            "xoxa-",            10, "-"   },
    { "a Slack token",            "xoxs-",            10, "-"   },
    { "a Google API key",         "AIza",             35, "-_"  },
    { "an npm token",             "npm_",             36, ""    },
    { "a Hugging Face token",     "hf_",              30, ""    },
    { "a private key",            "-----BEGIN PRIVATE KEY-----",            0, "" },
    { "a private key",            "-----BEGIN RSA PRIVATE KEY-----",        0, "" },
    { "a private key",            "-----BEGIN EC PRIVATE KEY-----",         0, "" },
    { "a private key",            "-----BEGIN OPENSSH PRIVATE KEY-----",    0, "" },
    { "a private key",            "-----BEGIN ENCRYPTED PRIVATE KEY-----",  0, "" },
    { "a private key",            "-----BEGIN PGP PRIVATE KEY BLOCK-----",  0, "" },
};

/* Names in front of '=' or ':' after which a secret stands; compared without regard to case. */
static const char *const names[] = {
    "password", "passwd", "pwd", "secret", "api_key", "api-key", "apikey", "access_token",
    "auth_token", "client_secret", "secret_key", "private_key", "aws_secret_access_key",
};
/* clang-format on */

enum { PASSWORD_MIN = 6, JWT_PART_MIN = 10, BEARER_MIN = 16, SCHEME_MAX = 16 };

static bool alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* How many characters from `at` on are letters, digits or among `more`. */
static size_t span(Str s, size_t at, const char *more)
{
    size_t n = 0;
    while (at + n < s.n && (alnum(s.p[at + n]) || (s.p[at + n] && strchr(more, s.p[at + n]))))
        n++;
    return n;
}

static size_t match_form(Str rest, const Form *f)
{
    size_t n = strlen(f->begin);
    if (!str_starts(rest, (Str){ f->begin, n }))
        return 0;
    size_t more = span(rest, n, f->more);
    return more >= f->min ? n + more : 0;
}

/* header.payload.signature, each base64url, the first beginning with {"  The header ends where it
 * ends wherever one begins to read it: *barren is how far no token can begin. */
static size_t match_jwt(Str rest, size_t *barren)
{
    if (!str_starts(rest, S("eyJ")))
        return 0;
    size_t at = 0;
    for (int part = 0; part < 3; part++) {
        size_t n = span(rest, at, "-_");
        if (n < JWT_PART_MIN || (part < 2 && (at + n >= rest.n || rest.p[at + n] != '.'))) {
            *barren = at + n;
            return 0;
        }
        at += n + (part < 2);
    }
    return at;
}

/* name = value, name: value, with quotes or without; a value in angle brackets or braces or
 * beginning with '$' or '*' stands for one that is not there. */
static size_t match_named(Str rest)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(names) && !n; i++) {
        size_t length = strlen(names[i]);
        if (rest.n > length && strncasecmp(rest.p, names[i], length) == 0 &&
            !alnum(rest.p[length]) && rest.p[length] != '_')
            n = length;
    }
    if (!n)
        return 0;
    if (rest.p[n] == '"' || rest.p[n] == '\'')
        n++;
    while (n < rest.n && rest.p[n] == ' ')
        n++;
    if (n >= rest.n || (rest.p[n] != '=' && rest.p[n] != ':'))
        return 0;
    n++;
    while (n < rest.n && (rest.p[n] == ' ' || rest.p[n] == '"' || rest.p[n] == '\''))
        n++;
    size_t value = span(rest, n, "-_+/=.!@#%^&~?");
    bool digit_or_mark = false;
    for (size_t i = 0; i < value; i++)
        digit_or_mark = digit_or_mark || !alnum(rest.p[n + i]) ||
                        (rest.p[n + i] >= '0' && rest.p[n + i] <= '9');
    return value >= PASSWORD_MIN && digit_or_mark ? n + value : 0;
}

/* Bearer and a token, as in a header. */
static size_t match_bearer(Str rest)
{
    const size_t n = strlen("bearer ");
    if (rest.n <= n || strncasecmp(rest.p, "bearer ", n) != 0)
        return 0;
    size_t token = span(rest, n, "-_+/=.~");
    return token >= BEARER_MIN ? n + token : 0;
}

/* USER:PASSWORD@ after the :// of an address. */
static size_t match_login(Str rest)
{
    size_t scheme = alnum(rest.p[0]) ? span(str_slice(rest, 0, SCHEME_MAX), 0, "+.-") : 0;
    if (!scheme || !str_starts(str_from(rest, scheme), S("://")))
        return 0;
    size_t user = scheme + 3 + span(rest, scheme + 3, "-_+.%~");
    if (user >= rest.n || rest.p[user] != ':')
        return 0;
    size_t end = user + 1;
    while (end < rest.n && !strchr("@/ \t\n\"'", rest.p[end]))
        end++;
    return end < rest.n && rest.p[end] == '@' && end > user + 1 ? end + 1 : 0;
}

/* *barren is 0, or how many bytes from here on cannot begin a web token. */
static size_t match(Str rest, const char **what, size_t *barren)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        size_t n = forms[i].begin[0] == rest.p[0] ? match_form(rest, &forms[i]) : 0;
        *what = forms[i].what;
        if (n)
            return n;
    }
    *what = "a JSON web token";
    size_t n = *barren ? 0 : match_jwt(rest, barren);
    if (n)
        return n;
    *what = "a token";
    n = match_bearer(rest);
    if (n)
        return n;
    *what = "a password in an address";
    n = match_login(rest);
    if (n)
        return n;
    *what = "a password or key";
    return match_named(rest);
}

bool secret_find(Str text, Secret *out)
{
    size_t line = 1, barren_to = 0;
    for (size_t i = 0; i < text.n; i++) {
        line += i && text.p[i - 1] == '\n';
        bool begins = i == 0 || !(alnum(text.p[i - 1]) && (alnum(text.p[i]) || text.p[i] == '-'));
        /* An underscore joins words in names such as DB_PASSWORD, and is a place to look at. */
        if (!begins || !(alnum(text.p[i]) || text.p[i] == '-'))
            continue;
        const char *what;
        size_t barren = barren_to > i ? barren_to - i : 0;
        size_t n = match(str_from(text, i), &what, &barren);
        barren_to = i + barren;
        if (n) {
            *out = (Secret){ .what = what, .at = i, .n = n, .line = line };
            return true;
        }
    }
    return false;
}

/* Where the body of a private key ends that begins here. */
static size_t key_end(Str text, size_t at)
{
    Str rest = str_from(text, at);
    const char *end = rest.n ? memmem(rest.p, rest.n, "-----END ", 9) : NULL;
    if (!end)
        return text.n;
    size_t from = (size_t)(end - text.p);
    return from + str_find(str_from(text, from), '\n');
}

Str secret_redact(Str text, Arena *into)
{
    Secret found;
    AUTO(Buf) clean = { 0 };
    bool any = false;
    for (; secret_find(text, &found); any = true) {
        size_t end = found.at + found.n;
        if (strcmp(found.what, "a private key") == 0)
            end = key_end(text, end);
        buf_add(&clean, str_slice(text, 0, found.at));
        buf_addf(&clean, "[redacted: %s]", found.what);
        text = str_from(text, end);
    }
    buf_add(&clean, text);
    return any ? arena_copy(into, buf_str(&clean)) : text;
}
