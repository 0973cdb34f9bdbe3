/* contract.h - the promises every engine keeps, and the pads they are tried on.
 *
 * A promise is a function whose name is a true sentence.  It gets a fresh pad,
 * uses only what store.h offers, and ends in CHECKs; the first that does not
 * hold ends it.  Each promise runs in a child process of its own, so that one
 * that crashes, hangs or leaks is one broken promise and not the end of the run.
 *
 * Nothing here knows an engine beyond its row in the table of trial.c.  Time is
 * the pad's own: it stands still unless a promise moves it. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "store/engine.h"
#include "wrong.h"

/* --- Running --------------------------------------------------------------------------- */

/* Called for every promise that did not hold. */
typedef void (*FailFn)(void *ctx, const char *promise, const char *why);

typedef struct ContractRun {
    const char *promise; /* only this one; NULL: all */
    bool quiet;          /* print nothing but what did not hold */
    bool silent;         /* print nothing at all */
    bool first;          /* one broken promise is enough */
    bool stay;           /* run in this process, for a debugger: the first failure ends it */
    FailFn failed;       /* NULL is fine */
    void *ctx;
} ContractRun;

typedef struct ContractResult {
    bool missing; /* this build has no such engine */
    int promises; /* in the table, or asked for */
    int held;
    int broken;
    int apart; /* need what this engine does not have: a pad in files, one that outlives its
                  handle, or word of who lives */
} ContractResult;

/* Try the promises on one engine (a name of trial.c's table). */
ContractResult contract_run(const char *engine, const ContractRun *run);

/* True if the build says that this engine must be there. */
bool contract_expects(const char *engine);

/* --- Promises -------------------------------------------------------------------------- */

typedef struct Trial Trial;

typedef struct Promise {
    const char *name;
    void (*keep)(Trial *p);
    bool lasting; /* needs a pad that can be opened twice, at once or later */
    bool local;   /* needs a pad in files of this machine */
    bool holding; /* needs an engine that can tell who lives */
} Promise;

#define PROMISE(f)            \
    {                         \
        .name = #f, .keep = f \
    }
#define LASTING(f)                             \
    {                                          \
        .name = #f, .keep = f, .lasting = true \
    }
#define LOCAL(f)                                              \
    {                                                         \
        .name = #f, .keep = f, .lasting = true, .local = true \
    }

#define HOLDING(f)                                              \
    {                                                           \
        .name = #f, .keep = f, .lasting = true, .holding = true \
    }

/* One table a file; each ends with an empty row. */
extern const Promise body_promises[];
extern const Promise changes_promises[];
extern const Promise clock_promises[];
extern const Promise copy_promises[];
extern const Promise copy_forget_promises[];
extern const Promise expect_promises[];
extern const Promise forget_promises[];
extern const Promise guard_promises[];
extern const Promise hold_promises[];
extern const Promise id_promises[];
extern const Promise limit_promises[];
extern const Promise list_promises[];
extern const Promise many_promises[];
extern const Promise name_promises[];
extern const Promise open_promises[];
extern const Promise order_promises[];
extern const Promise place_promises[];
extern const Promise read_promises[];
extern const Promise verbatim_promises[];

/* --- Pads ------------------------------------------------------------------------------ */

typedef struct Engine {
    const char *name;
    const char *scheme; /* of its URL; NULL: its name */
    const char *where;  /* the pad's name in its directory; NULL: the URL has no path */
    const char *server; /* of a pad on a server: the variable that names it */
    bool lasting;       /* a pad outlives its handles and can be opened twice */
    bool timed;         /* it cannot tell who lives: leases end by time only */
    bool layered;       /* mem: behind the layer of wrong.h: only in the tests of the tests */
    Wrong wrong;        /* the rule that layer breaks */
} Engine;

/* NULL if there is no row of that name. */
const Engine *engine_find(const char *name);
/* The engines of the product, in turn; NULL at the end. */
const Engine *engine_at(size_t i);
/* True if store_open knows its scheme. */
const char *engine_scheme(const Engine *engine);
bool engine_present(const Engine *engine);

enum { TRIAL_HANDLES = 4, TRIAL_OTHERS = 8 };

struct Trial {
    const Engine *engine;
    Store *s; /* the handle in use: one of the open ones */
    Store *open[TRIAL_HANDLES];
    Arena arena;    /* whatever the pad's operations return lives here */
    Err e;          /* of the last call */
    int64_t now_ms; /* what its store takes for the time */
    Io io;
    char boot_id[33];
    char dir[128]; /* its own */
    char url[200];
    Trial *others[TRIAL_OTHERS]; /* more pads, closed with this one */
};

/* Open a fresh pad in a directory of its own below `dir`. */
Trial *trial_new(const Engine *engine, const char *dir);
/* Close all its handles; each must have met nothing it had to mend.  NULL is fine. */
void trial_free(Trial *p);

/* The URL of a pad of that engine that nobody has made. */
void trial_url_of_nothing(const Trial *p, const char *name, char *url, size_t room);

/* Use handle `i` from now on, and open it if it is not. */
void trial_use(Trial *p, size_t i);
/* Close every handle; trial_use opens them again. */
void trial_close(Trial *p);
/* Close every handle and open the first again. */
void trial_reopen(Trial *p);
/* The same, as if the machine had been started anew in between. */
void trial_reboot(Trial *p);
/* One more handle in place `i`, with these options; the one in use stays. */
MUST_USE jot_status trial_open(Trial *p, size_t i, StoreOptions options);
/* Another fresh pad, of the engine of that row. */
Trial *trial_other(Trial *p, const Engine *engine);
/* Run `test` for each pair of this engine and one that is there, in both directions. */
void for_each_pair(Trial *p, void (*test)(Trial *from, Trial *to));
/* A directory for pads in memory, or on disk where there is none.  dir_remove takes all of it. */
void dir_make(char *path, size_t room);
void dir_remove(const char *path);

/* --- Saying it shortly ----------------------------------------------------------------- */

#define ANY ((Expect){ .kind = EXPECT_ANY })
#define ABSENT ((Expect){ .kind = EXPECT_ABSENT })
#define AT_SEQ(n) ((Expect){ .kind = EXPECT_SEQ, .seq = (n) })
#define VERSION(text) ((Expect){ .kind = EXPECT_HASH, .sha256 = hash_of(str(text)) })

#define PUT(text) ((Draft){ .op = OP_PUT, .by = S("ann"), .body = str(text) })
#define ENTRY(text) ((Draft){ .op = OP_APPEND, .by = S("ann"), .body = str(text) })
#define DELETE ((Draft){ .op = OP_DELETE, .by = S("ann") })

/* An append that must succeed. */
Mark append(Trial *p, const char *stream, Expect expect, Draft draft);
Mark put(Trial *p, const char *stream, const char *body);
Mark entry(Trial *p, const char *stream, const char *body);
Mark bury(Trial *p, const char *stream); /* delete it: a tombstone is its head */
/* `n` entries, "1", "2" ... */
void entries(Trial *p, const char *stream, int n);
/* An append that must end with `status` and change nothing; the mark it answers. */
Mark refused(Trial *p, jot_status status, const char *stream, Expect expect, Draft draft);

/* Reads that must succeed. */
Record head(Trial *p, const char *stream, HeadWant want);
Records read_from(Trial *p, const char *stream, uint64_t from, size_t limit);
/* All that is kept, however many reads it takes. */
Records read_all(Trial *p, const char *stream);
Record record_at(Trial *p, const char *stream, uint64_t seq);
Listing list(Trial *p, const char *prefix, const char *after, size_t limit, ListWhich which);
Changes changes(Trial *p, const Cursor *cursor);
bool names_hold(const Changes *changes, const char *name);

/* A record that may follow `head` in `stream` (seq 0: the stream's first). */
Record next_record(const char *stream, const Mark *head, Draft draft, int64_t at_ms);
/* Everything that can be read in the pad, as text: equal text, equal pads. */
Str trial_dump(Trial *p);
/* Compute every chain again; a stream may begin anywhere. */
void check_chain(Trial *p, const char *stream);
void check_all_chains(Trial *p);
/* The same, where numbers may be missing. */
void check_chains_over_gaps(Trial *p);

/* A failure inside one of these words tells from where it was said. */
void said_at(const char *file, int line);
#ifndef CONTRACT_WORDS_THEMSELVES
#define append(...) (said_at(__FILE__, __LINE__), append(__VA_ARGS__))
#define put(...) (said_at(__FILE__, __LINE__), put(__VA_ARGS__))
#define entry(...) (said_at(__FILE__, __LINE__), entry(__VA_ARGS__))
#define bury(...) (said_at(__FILE__, __LINE__), bury(__VA_ARGS__))
#define entries(...) (said_at(__FILE__, __LINE__), entries(__VA_ARGS__))
#define refused(...) (said_at(__FILE__, __LINE__), refused(__VA_ARGS__))
#define head(...) (said_at(__FILE__, __LINE__), head(__VA_ARGS__))
#define read_from(...) (said_at(__FILE__, __LINE__), read_from(__VA_ARGS__))
#define read_all(...) (said_at(__FILE__, __LINE__), read_all(__VA_ARGS__))
#define record_at(...) (said_at(__FILE__, __LINE__), record_at(__VA_ARGS__))
#define list(...) (said_at(__FILE__, __LINE__), list(__VA_ARGS__))
#define changes(...) (said_at(__FILE__, __LINE__), changes(__VA_ARGS__))
#define trial_use(...) (said_at(__FILE__, __LINE__), trial_use(__VA_ARGS__))
#define trial_reopen(...) (said_at(__FILE__, __LINE__), trial_reopen(__VA_ARGS__))
#define trial_reboot(...) (said_at(__FILE__, __LINE__), trial_reboot(__VA_ARGS__))
#define check_chain(...) (said_at(__FILE__, __LINE__), check_chain(__VA_ARGS__))
#endif

/* --- Checking -------------------------------------------------------------------------- */

NO_RETURN void fail_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
void check_status(const char *file, int line, const char *what, jot_status got, jot_status want,
                  const Err *e);
void check_text(const char *file, int line, Str got, Str want);
void check_mark(const char *file, int line, Mark got, Mark want);
void check_record(const char *file, int line, Record got, Record want);

#define FAIL(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition)                              \
    do {                                              \
        if (!(condition))                             \
            FAIL("it does not hold: %s", #condition); \
    } while (0)
#define CHECK_NUM(got, want)                                               \
    do {                                                                   \
        long long got_ = (long long)(got), want_ = (long long)(want);      \
        if (got_ != want_)                                                 \
            FAIL("%s is %lld and not %s, %lld", #got, got_, #want, want_); \
    } while (0)
/* The call ends with that status; `p` holds the sentence. */
#define CHECK_IS(p, call, want) check_status(__FILE__, __LINE__, #call, call, want, &(p)->e)
#define CHECK_TEXT(got, want) check_text(__FILE__, __LINE__, got, want)
#define CHECK_MARK(got, want) check_mark(__FILE__, __LINE__, got, want)
#define CHECK_RECORD(got, want) check_record(__FILE__, __LINE__, got, want)

#endif
