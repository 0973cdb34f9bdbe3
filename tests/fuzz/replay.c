/* replay.c - a fuzz target without libFuzzer: its corpus, then mutations of it.
 *
 *     replay_json CORPUS [RUNS [SEED]]
 *
 * Each file of the corpus is run as it is; then RUNS inputs are made from them
 * by a seeded generator and run too, so that a failure can be repeated (20,000,
 * or a tenth with JOT_TEST_VOLUME=small, if nothing else is said).  When
 * the target dies, the input it died of is printed with the seed and number of
 * the run, and kept as a file in $TMPDIR. */
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "fuzz/fuzz.h"
#include "rig/volume.h"

enum { INPUT_MAX = 8192, FILES_MAX = 1000, RUNS_DEFAULT = 20000 };
enum { SMALL = 10 }; /* a short run is a tenth of one */

typedef struct Files {
    Str *items;
    size_t n;
} Files;

/* The run that is being made, for whoever reports its death. */
static struct {
    Str input;
    uint64_t number, seed;
    char file[256];
} now;

/* --- When the target dies -------------------------------------------------------------- */

static void report(void)
{
    static bool reported;
    if (reported)
        return;
    reported = true;
    fprintf(stderr, "died of %s (run %llu, seed %llu), %zu bytes:\n", now.file,
            (unsigned long long)now.number, (unsigned long long)now.seed, now.input.n);
    for (size_t i = 0; i < now.input.n; i++) {
        unsigned char c = (unsigned char)now.input.p[i];
        if (c == '\\' || c < 0x20 || c >= 0x7F)
            fprintf(stderr, "\\x%02x", c);
        else
            fputc(c, stderr);
    }
    const char *tmp = getenv("TMPDIR");
    char path[256];
    snprintf(path, sizeof path, "%s/fuzz-died-of-%llu", tmp ? tmp : "/tmp",
             (unsigned long long)now.number);
    FILE *f = fopen(path, "w");
    if (f) {
        fwrite(now.input.p, 1, now.input.n, f);
        fclose(f);
        fprintf(stderr, "\nkept in %s", path);
    }
    fputc('\n', stderr);
}

static void on_signal(int number)
{
    report();
    signal(number, SIG_DFL);
    raise(number);
}

/* The sanitizers do not end by a signal; they offer this instead. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void expect_death(void)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        signal(signals[i], on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(report);
}

/* --- Random ---------------------------------------------------------------------------- */

/* xorshift64*: small, seeded, the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_random(state) >> 16) % limit : 0;
}

/* --- Mutations ------------------------------------------------------------------------- */

/* Replace `gone` bytes at `at` by `fresh`. */
static void splice(Buf *b, size_t at, size_t gone, Str fresh)
{
    AUTO(Buf) out = { .max = INPUT_MAX };
    buf_add(&out, str_slice(buf_str(b), 0, at));
    buf_add(&out, fresh);
    buf_add(&out, str_from(buf_str(b), at + gone));
    if (!buf_ok(&out))
        return;
    Buf was = *b;
    *b = TAKE(out);
    buf_free(&was);
}

static void mutate_byte(Buf *b, size_t at, uint64_t *random)
{
    static const unsigned char edges[] = { 0,    1,    9,    10,   13,   32,   '"',  '\\', '{',
                                           '}',  '[',  ']',  ':',  ',',  '-',  '0',  '9',  '%',
                                           0x7F, 0x80, 0xBF, 0xC0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF };
    if (b->n == 0)
        return;
    if (below(random, 2))
        b->p[at] = (char)edges[below(random, sizeof edges)];
    else
        b->p[at] = (char)(b->p[at] ^ (1 << below(random, 8)));
}

static Str random_word(uint64_t *random)
{
    size_t n = 0;
    while (fuzz_words[n])
        n++;
    return n ? str(fuzz_words[below(random, n)]) : (Str){ 0 };
}

static void mutate(Buf *b, const Files *corpus, uint64_t *random)
{
    size_t at = below(random, b->n + 1), run = 1 + below(random, 16);
    Str other = corpus->items[below(random, corpus->n)];
    switch (below(random, 8)) {
    case 0: /* a word of the language */
        splice(b, at, 0, random_word(random));
        break;
    case 1: /* a word instead of something */
        splice(b, at, run, random_word(random));
        break;
    case 2: /* something is missing */
        splice(b, at, run, (Str){ 0 });
        break;
    case 3: { /* something twice */
        AUTO(Buf) again = { 0 };
        buf_add(&again, str_slice(buf_str(b), at, at + run));
        splice(b, at, 0, buf_str(&again));
        break;
    }
    case 4: { /* a piece of another file */
        size_t from = below(random, other.n + 1);
        splice(b, at, run, str_slice(other, from, from + 1 + below(random, 64)));
        break;
    }
    case 5: /* cut off */
        if (below(random, 4) == 0)
            b->n = at;
        break;
    default:
        mutate_byte(b, at < b->n ? at : 0, random);
    }
}

/* --- Running --------------------------------------------------------------------------- */

/* Each input is a heap block of exactly its size, so that a sanitizer sees one byte too far. */
static void run(Str input)
{
    uint8_t *exact = malloc(input.n ? input.n : 1);
    if (!exact)
        abort();
    memcpy(exact, input.n ? input.p : "", input.n);
    now.input = (Str){ (char *)exact, input.n };
    LLVMFuzzerTestOneInput(exact, input.n);
    now.number++;
    free(exact);
}

static Str load(Arena *a, const char *dir, const char *name)
{
    FILE *f = fopen(arena_printf(a, "%s/%s", dir, name).p, "r");
    if (!f) {
        fprintf(stderr, "could not open %s/%s\n", dir, name);
        exit(66);
    }
    char *bytes = arena_alloc(a, INPUT_MAX, 1);
    size_t n = fread(bytes, 1, INPUT_MAX, f);
    fclose(f);
    return (Str){ bytes, n };
}

/* By name, so that a seed means the same on every machine. */
static Files load_all(Arena *a, const char *dir)
{
    struct dirent **names = NULL;
    int n = scandir(dir, &names, NULL, alphasort);
    Files out = { .items = NEW_ARRAY(a, Str, FILES_MAX) };
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.' && out.n < FILES_MAX) {
            snprintf(now.file, sizeof now.file, "%s", names[i]->d_name);
            out.items[out.n] = load(a, dir, names[i]->d_name);
            run(out.items[out.n++]);
        }
        free(names[i]);
    }
    free(names);
    return out;
}

int main(int argc, char **argv)
{
    int64_t runs = RUNS_DEFAULT, seed = 1;
    bool good = argc >= 2 && argc <= 4;
    good = good && (argc < 3 || str_to_i64(str(argv[2]), 0, INT64_MAX, &runs));
    good = good && (argc < 4 || str_to_i64(str(argv[3]), 1, INT64_MAX, &seed));
    if (!good) {
        fprintf(stderr, "usage: %s CORPUS [RUNS [SEED]]\n", argv[0]);
        return 64;
    }
    if (volume_small())
        runs /= SMALL;
    expect_death();
    AUTO(Arena) arena = { 0 };
    Files corpus = load_all(&arena, argv[1]);
    if (corpus.n == 0) {
        fprintf(stderr, "no files in %s\n", argv[1]);
        return 66;
    }
    uint64_t random = (uint64_t)seed;
    now.seed = random;
    snprintf(now.file, sizeof now.file, "a mutation");
    for (int64_t i = 0; i < runs; i++) {
        AUTO(Buf) input = { .max = INPUT_MAX };
        buf_add(&input, corpus.items[below(&random, corpus.n)]);
        for (size_t k = 1 + below(&random, 6); k > 0; k--)
            mutate(&input, &corpus, &random);
        run(buf_str(&input));
    }
    Str name = str(argv[1]);
    name = str_from(name, str_find_last(name, '/') == name.n ? 0 : str_find_last(name, '/') + 1);
    printf("fuzz " STR_FMT ": %zu files and %lld mutations of them, seed %lld\n", STR_ARG(name),
           corpus.n, (long long)runs, (long long)seed);
    return 0;
}
