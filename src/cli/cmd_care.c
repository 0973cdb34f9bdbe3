/* cmd_care.c - looking after a pad from the shell: verify, doctor, gc, stats. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/when.h"
#include "memory/care.h"
#include "memory/run/session.h"
#include "memory/search/search.h"
#include "memory/search/vectors.h"

extern const Cmd cmd_verify, cmd_doctor, cmd_gc, cmd_stats;

static unsigned long long ull(uint64_t n)
{
    return n;
}

/* --- Faults ------------------------------------------------------------------------------ */

/* What the commands tell while they work. */
typedef struct CareReport {
    Session *s;
    json_t *faults; /* with --json */
    Progress progress;
    uint64_t looked; /* at files, before it is known how many streams there are */
    bool counted;
    bool would; /* mending is only talked about */
} CareReport;

static void report_fault(void *ctx, const StoreFault *f)
{
    CareReport *t = ctx;
    if (t->s->json) {
        json_array_append_new(t->faults, fault_json(f));
        return;
    }
    progress_clear(&t->progress);
    printf("%s%s%s", ink(fault_counts(f->kind) ? INK_RED : INK_DIM), fault_name(f->kind),
           ink(INK_PLAIN));
    if (f->stream.n) {
        fputs("  ", stdout);
        print_name(f->stream);
    }
    fputs(": ", stdout);
    print_name(str(f->what));
    fputs("; ", stdout);
    print_name(str(f->advice));
    puts(t->would && f->mends ? " (--fix does it)" : "");
}

static void show_progress(void *ctx, const VerifyCount *c)
{
    CareReport *t = ctx;
    if (!t->counted) {
        progress_clear(&t->progress);
        t->progress = progress_new("stream");
        t->counted = true;
    }
    progress_show(&t->progress, c->streams, c->total, counted(c->records, "record").text);
}

/* First the engine looks at its files, then every stream is read. */
static bool look_on(void *ctx)
{
    CareReport *t = ctx;
    if (!t->counted)
        progress_show(&t->progress, ++t->looked, 0, "looked at");
    return !interrupted();
}

/* What is done by verify and doctor without --fix changes nothing; with it, it is begun again. */
static jot_status ended(Session *s, jot_status st)
{
    if (st != JOT_CANCELLED)
        return st;
    return err_set(&s->err, JOT_CANCELLED, "interrupted: not everything was looked at");
}

static void print_count(const CareCount *c)
{
    printf("%s, %s, %s read", counted(c->pad.streams, "stream").text,
           counted(c->pad.records, "record").text, counted(c->pad.bytes, "byte").text);
    if (c->index)
        printf("; %s of the search index compared", counted(c->index_rows, "text").text);
    putchar('\n');
    const HeadsSeen *h = &c->pad.heads;
    if (h->kept && h->at_ms)
        printf("compared with the list of heads of %s (%s)\n", time_text(h->at_ms).text,
               counted(h->names, "name").text);
    else if (h->kept)
        puts("there was no list of heads yet that knows every stream: earlier losses cannot be "
             "detected");
}

static jot_status result(Session *s, uint64_t faults)
{
    s->told = s->json;
    if (faults == 0)
        return JOT_OK;
    return err_set(&s->err, JOT_CORRUPT, "%llu %s found", ull(faults),
                   faults == 1 ? "problem was" : "problems were");
}

static jot_status run_verify(Session *s)
{
    CareCount c;
    AUTO_PTR(json_t) faults = json_array();
    CareReport t = { .s = s, .faults = faults, .progress = progress_new("file") };
    VerifyHooks hooks = { report_fault, t.progress.terminal ? show_progress : NULL, &t, look_on };
    TRY(session_open(s, false));
    interrupt_catch();
    jot_status st = care_verify(&s->memory, &hooks, &c, &s->err);
    progress_clear(&t.progress);
    TRY(ended(s, st));
    if (s->json) {
        json_t *out = care_json(&c);
        json_object_set(out, "problems", faults);
        print_json(out);
    } else {
        print_count(&c);
        if (c.faults == 0)
            puts("everything is as it should be");
    }
    return result(s, c.faults);
}

static void print_done(const DoctorReport *r)
{
    const StoreReport *d = &r->done;
    printf("repaired: %s cut, %s restored, %s recorded, %s put into quarantine%s\n",
           counted(d->torn, "unfinished record").text, counted(d->restored, "file").text,
           counted(d->outside, "edit").text, counted(d->quarantined, "thing").text,
           r->index_made ? ", the search index rebuilt" : "");
    if (d->accepted)
        printf("%s taken off the list of heads: the loss is accepted\n",
               counted(d->accepted, "stream").text);
}

/* What hooks could not say, because nobody listens to them; told once more and forgotten by --fix.
 */
static json_t *report_hook_failures(Session *s, bool fix)
{
    SessionFailures h = session_failures(&s->arena);
    if (fix)
        session_forget_failures();
    if (h.n && !s->json)
        print_sentence("hooks failed %s%s, the last: " STR_FMT, counted(h.n, "time").text,
                       h.more ? " and more" : "", STR_ARG(h.last));
    return json_pack("{s:I, s:o}", "n", (json_int_t)h.n, "last", json_text(h.last));
}

/* Whether searches use a table of word vectors, and if not, why. */
static json_t *look_at_vectors(void)
{
    Vectors *v = NULL;
    Err why = { 0 };
    jot_status st = vectors_open(&v, &why);
    const char *path = vectors_path();
    json_t *out = json_pack("{s:b, s:I, s:s, s:o}", "used", st == JOT_OK, "pieces",
                            (json_int_t)(v ? vectors_pieces(v) : 0), "why", why.text, "file",
                            path ? json_text(str(path)) : json_null());
    vectors_close(v);
    return out;
}

static void print_vectors(const json_t *v)
{
    if (json_is_true(json_object_get(v, "used")))
        printf("searches use a table of word vectors (%lld pieces of words)\n",
               (long long)json_integer_value(json_object_get(v, "pieces")));
    else if (!json_is_null(json_object_get(v, "file")))
        print_sentence("searches use no table of word vectors: %s",
                       json_string_value(json_object_get(v, "why")));
}

/* Whether searches use an embeddings server, and of how many rows they have vectors. */
static json_t *look_at_server(Session *s)
{
    AUTO_PTR(Search) search = NULL;
    SearchEmbedded x = { 0 };
    Err why = { 0 };
    const char *address = getenv("JOTTER_EMBED");
    if (!address || !address[0])
        return json_null();
    jot_status st = search_open(&search, &s->memory, NULL, &why);
    if (st == JOT_OK)
        st = search_embed(search, true, &s->arena, &x, &why);
    bool used = st == JOT_OK && x.told;
    return json_pack("{s:b, s:o, s:o, s:I, s:I, s:s}", "used", used, "url", json_text(x.url),
                     "model", json_text(x.model), "rows", (json_int_t)x.rows, "vectors",
                     (json_int_t)x.had, "why",
                     st != JOT_OK ? why.text
                     : used       ? ""
                                  : "nothing was sent yet: 'jotter embed'");
}

static void print_server(const json_t *v)
{
    if (json_is_null(v))
        return;
    if (json_is_true(json_object_get(v, "used")))
        print_sentence("searches ask %s (model %s) what texts mean: %lld of %lld have a vector",
                       json_string_value(json_object_get(v, "url")),
                       json_string_value(json_object_get(v, "model")),
                       (long long)json_integer_value(json_object_get(v, "vectors")),
                       (long long)json_integer_value(json_object_get(v, "rows")));
    else
        print_sentence("searches do not use JOTTER_EMBED: %s",
                       json_string_value(json_object_get(v, "why")));
}

static jot_status run_doctor(Session *s)
{
    DoctorOptions o = { .fix = opt_given(s, "fix"), .after_crash = opt_given(s, "after-crash") };
    DoctorReport r;
    AUTO_PTR(json_t) faults = json_array();
    CareReport t = { .s = s, .faults = faults, .progress = progress_new("file"), .would = !o.fix };
    VerifyHooks hooks = { report_fault, t.progress.terminal ? show_progress : NULL, &t, look_on };
    if (o.after_crash && !o.fix)
        return err_set(&s->err, JOT_INVALID, "--after-crash changes files: give --fix too");
    TRY(session_open(s, false));
    if (s->found.listed && !s->json)
        printf("the pad belongs to uid %u, not to you; its directory is on your list (jotter safe "
               "list)\n",
               (unsigned)s->found.owner);
    interrupt_catch();
    jot_status st = care_doctor(&s->memory, &o, &hooks, &r, &s->err);
    progress_clear(&t.progress);
    TRY(ended(s, st));
    AUTO_PTR(json_t) failures = report_hook_failures(s, o.fix);
    if (s->json) {
        json_t *out = doctor_json(&r, o.fix);
        json_object_set(out, "hook_failures", failures);
        if (s->found.listed)
            json_object_set_new(out, "owner", json_integer((json_int_t)s->found.owner));
        json_object_set(out, "problems", faults);
        json_object_set_new(out, "vectors", look_at_vectors());
        json_object_set_new(out, "embed", look_at_server(s));
        print_json(out);
    } else {
        AUTO_PTR(json_t) vectors = look_at_vectors();
        AUTO_PTR(json_t) server = look_at_server(s);
        print_vectors(vectors);
        print_server(server);
        if (o.fix)
            print_done(&r);
        print_count(&r.after);
        if (r.after.faults == 0)
            puts(o.fix ? "nothing is wrong now" : "nothing is wrong");
    }
    return result(s, r.after.faults);
}

/* --- Trimming ---------------------------------------------------------------------------- */

static void report_trimmed(void *ctx, Str stream, const GcCount *c)
{
    CareReport *t = ctx;
    if (t->s->json) {
        json_array_append_new(t->faults,
                              json_pack("{s:s%, s:I, s:I}", "stream", stream.p, stream.n, "records",
                                        (json_int_t)c->records, "bytes", (json_int_t)c->bytes));
        return;
    }
    progress_clear(&t->progress);
    print_name(stream);
    printf(": %s, %s\n", counted(c->records, "record").text, counted(c->bytes, "byte").text);
}

static bool trim_on(void *ctx, uint64_t done, uint64_t total)
{
    CareReport *t = ctx;
    progress_show(&t->progress, done, total, "");
    return !interrupted();
}

static jot_status trim(Session *s, const GcPolicy *p, json_t *streams, GcCount *out)
{
    CareReport t = { .s = s, .faults = streams, .progress = progress_new("stream") };
    interrupt_catch();
    jot_status st = care_gc(&s->memory, p, &(GcHooks){ report_trimmed, trim_on, &t }, out, &s->err);
    progress_clear(&t.progress);
    return st;
}

static jot_status read_policy(Session *s, GcPolicy *p)
{
    int64_t keep, bytes;
    *p = (GcPolicy){ .prefix = str(opt_text(s, "prefix")), .dry_run = opt_given(s, "dry-run") };
    TRY(opt_number(s, "keep", 1, INT64_MAX, 0, &keep));
    TRY(opt_number(s, "bytes", 1, INT64_MAX, 0, &bytes));
    TRY(opt_time(s, "before", false, &p->before_ms));
    TRY(check_prefix(s, p->prefix));
    if (!keep && !bytes && !p->before_ms && !opt_given(s, "sessions"))
        return err_set(&s->err, JOT_INVALID,
                       "give what to keep: --keep N, --before TIME, --bytes N or --sessions TIME");
    p->keep = (uint64_t)keep;
    p->bytes = (uint64_t)bytes;
    return JOT_OK;
}

/* Runs that hooks recorded go whole: nobody asked for them. */
static jot_status purge_sessions(Session *s, const GcPolicy *p, uint64_t *n)
{
    int64_t before = io_wall_ms(s->memory.io) - SESSION_DAYS * (int64_t)(24 * 60 * 60 * 1000);
    *n = 0;
    if (p->prefix.n && !opt_given(s, "sessions"))
        return JOT_OK;
    if (opt_given(s, "sessions"))
        TRY(opt_time(s, "sessions", false, &before));
    return session_purge(&s->memory, before, p->dry_run, n, &s->err);
}

static jot_status run_gc(Session *s)
{
    GcPolicy p;
    GcCount c = { 0 };
    uint64_t sessions;
    AUTO_PTR(json_t) streams = json_array();
    TRY(read_policy(s, &p));
    TRY(session_open(s, false));
    if (p.keep || p.bytes || p.before_ms)
        TRY(trim(s, &p, streams, &c));
    TRY(purge_sessions(s, &p, &sessions));
    if (s->json) {
        print_json(json_pack("{s:b, s:I, s:I, s:I, s:O}", "dry_run", p.dry_run, "records",
                             (json_int_t)c.records, "bytes", (json_int_t)c.bytes, "sessions",
                             (json_int_t)sessions, "streams", streams));
        return JOT_OK;
    }
    if (sessions)
        printf("%s %s that hooks recorded\n", p.dry_run ? "would drop" : "dropped",
               counted(sessions, "session").text);
    if (p.keep || p.bytes || p.before_ms || !sessions)
        printf("%s %s, %s of %s\n", p.dry_run ? "would drop" : "dropped",
               counted(c.records, "record").text, counted(c.bytes, "byte").text,
               counted(c.streams, "stream").text);
    return JOT_OK;
}

/* --- Counting ---------------------------------------------------------------------------- */

static void print_stats(const Session *s, const Stats *st)
{
    bool people = isatty(STDOUT_FILENO) == 1 && !opt_given(s, "utc");
    printf("%s%-12s  %8s %8s  %8s  %12s  %7s  %-*s  %s%s\n", ink(INK_DIM), "kind", "streams",
           "deleted", "records", "bytes", "damaged", people ? 16 : 24, "oldest", "newest",
           ink(INK_PLAIN));
    for (size_t i = 0; i < st->n; i++) {
        const KindStats *k = &st->kinds[i];
        printf("%-12.*s  %8llu %8llu  %8llu  %12llu  %7llu  %-*s  %s\n", STR_ARG(k->kind),
               ull(k->streams), ull(k->deleted), ull(k->records), ull(k->bytes), ull(k->damaged),
               people ? 16 : 24, k->records ? when_shown(s, k->oldest_ms).text : "-",
               k->records ? when_shown(s, k->newest_ms).text : "-");
    }
    if (st->requests)
        printf("%s to the server for this\n", counted(st->requests, "request").text);
}

static jot_status run_stats(Session *s)
{
    Stats st = { 0 };
    bool there;
    TRY(session_open_any(s, &there));
    if (there)
        TRY(care_stats(&s->memory, &s->arena, &st, &s->err));
    if (s->json)
        print_json(stats_json(&st));
    else
        print_stats(s, &st);
    return JOT_OK;
}

/* --- Declared ---------------------------------------------------------------------------- */

const Cmd cmd_verify = {
    .name = "verify",
    .args = "",
    .summary = "Read every byte of the pad and report what is wrong",
    .help =
        "Hashes, chains, heads, files and the search index.  Each problem is a line: what it\n"
        "is, where, and what to do.  Ends with 0 if nothing is wrong.  Changes nothing but the\n"
        "search index, which is brought up to date first.\n",
    .run = run_verify,
};

static const Opt doctor_opts[] = {
    { "fix", NULL, "do it" },
    { "after-crash", NULL, "compare every file with its stream, as after a power loss" },
    { 0 },
};

const Cmd cmd_doctor = {
    .name = "doctor",
    .args = "",
    .summary = "Report what is wrong and what would help; with --fix, do it",
    .help = "Restores files people see, finishes what dead writers left, keeps one of two\n"
            "histories that git merged, makes the search index again.  What does not fit is put\n"
            "into quarantine/, never removed.\n",
    .opts = doctor_opts,
    .run = run_doctor,
};

static const Opt gc_opts[] = {
    { "keep", "N", "drop what is older than the newest N versions; at least 16" },
    { "before", "TIME", "drop versions written before: 2026-01-31, or 90d (ago)" },
    { "bytes", "N", "drop old versions beyond N bytes a stream" },
    { "sessions", "TIME", "drop runs of hooks without a record since; 30d if not given" },
    { "prefix", "NAME", "only streams whose names begin with this: notes/, runs/2025" },
    { "dry-run", NULL, "only show what would be dropped" },
    { 0 },
};

const Cmd cmd_gc = {
    .name = "gc",
    .args = "",
    .summary = "Drop old versions, by count, age or size",
    .help = "The newest 16 records of a stream always stay, and so does its value.  Without\n"
            "--prefix only the history of documents goes, never records of runs or logs, and\n"
            "sessions that hooks recorded, whole, after 30 days without a record.\n",
    .opts = gc_opts,
    .run = run_gc,
};

const Cmd cmd_stats = {
    .name = "stats",
    .args = "",
    .summary = "Count what is in the pad, kind by kind",
    .help = "Streams, records, bytes, the oldest and the newest; damaged is what cannot be read.\n",
    .run = run_stats,
};
