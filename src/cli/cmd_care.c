/* cmd_care.c - looking after a pad from the shell: verify, doctor, gc, stats. */
#include <stdio.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/when.h"
#include "memory/care.h"

extern const Cmd cmd_verify, cmd_doctor, cmd_gc, cmd_stats;

static unsigned long long ull(uint64_t n)
{
    return n;
}

/* --- Faults ------------------------------------------------------------------------------ */

/* What the commands tell while they work. */
typedef struct Telling {
    Session *s;
    json_t *faults; /* with --json */
    bool terminal;
    bool would; /* mending is only talked about */
} Telling;

static void clear_progress(const Telling *t)
{
    if (t->terminal)
        fputs("\r\033[K", stderr);
}

static void tell_fault(void *ctx, const StoreFault *f)
{
    Telling *t = ctx;
    if (t->s->json) {
        json_array_append_new(t->faults, fault_json(f));
        return;
    }
    clear_progress(t);
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
    const Telling *t = ctx;
    if (t->terminal)
        fprintf(stderr, "\r%s, %s, %s", counted(c->streams, "stream").text,
                counted(c->records, "record").text, counted(c->bytes, "byte").text);
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
    Telling t = { s, faults, can_show_progress(), false };
    VerifyHooks hooks = { tell_fault, show_progress, &t };
    TRY(session_open(s, false));
    jot_status st = care_verify(&s->memory, &hooks, &c, &s->err);
    clear_progress(&t);
    TRY(st);
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

static jot_status run_doctor(Session *s)
{
    DoctorOptions o = { .fix = opt_given(s, "fix"), .after_crash = opt_given(s, "after-crash") };
    DoctorReport r;
    AUTO_PTR(json_t) faults = json_array();
    Telling t = { s, faults, can_show_progress(), !o.fix };
    VerifyHooks hooks = { tell_fault, show_progress, &t };
    if (o.after_crash && !o.fix)
        return err_set(&s->err, JOT_INVALID, "--after-crash changes files: say --fix too");
    TRY(session_open(s, false));
    if (s->found.listed && !s->json)
        printf("the pad belongs to uid %u, not to you; its directory is on your list (jotter safe "
               "list)\n",
               (unsigned)s->found.owner);
    jot_status st = care_doctor(&s->memory, &o, &hooks, &r, &s->err);
    clear_progress(&t);
    TRY(st);
    if (s->json) {
        json_t *out = doctor_json(&r, o.fix);
        if (s->found.listed)
            json_object_set_new(out, "owner", json_integer((json_int_t)s->found.owner));
        json_object_set(out, "problems", faults);
        print_json(out);
    } else {
        if (o.fix)
            print_done(&r);
        print_count(&r.after);
        if (r.after.faults == 0)
            puts(o.fix ? "nothing is wrong now" : "nothing is wrong");
    }
    return result(s, r.after.faults);
}

/* --- Trimming ---------------------------------------------------------------------------- */

static void tell_trimmed(void *ctx, Str stream, const GcCount *c)
{
    Telling *t = ctx;
    if (t->s->json) {
        json_array_append_new(t->faults,
                              json_pack("{s:s%, s:I, s:I}", "stream", stream.p, stream.n, "records",
                                        (json_int_t)c->records, "bytes", (json_int_t)c->bytes));
        return;
    }
    print_name(stream);
    printf(": %s, %s\n", counted(c->records, "record").text, counted(c->bytes, "byte").text);
}

static jot_status read_policy(Session *s, GcPolicy *p)
{
    int64_t keep, bytes;
    *p = (GcPolicy){ .prefix = str(opt_text(s, "prefix")), .dry_run = opt_given(s, "dry-run") };
    TRY(opt_number(s, "keep", 1, INT64_MAX, 0, &keep));
    TRY(opt_number(s, "bytes", 1, INT64_MAX, 0, &bytes));
    TRY(opt_time(s, "before", false, &p->before_ms));
    TRY(check_prefix(s, p->prefix));
    if (!keep && !bytes && !p->before_ms)
        return err_set(&s->err, JOT_INVALID,
                       "say what to keep: --keep N, --before TIME or --bytes N");
    p->keep = (uint64_t)keep;
    p->bytes = (uint64_t)bytes;
    return JOT_OK;
}

static jot_status run_gc(Session *s)
{
    GcPolicy p;
    GcCount c;
    AUTO_PTR(json_t) streams = json_array();
    Telling t = { s, streams, false, false };
    TRY(read_policy(s, &p));
    TRY(session_open(s, false));
    TRY(care_gc(&s->memory, &p, tell_trimmed, &t, &c, &s->err));
    if (s->json)
        print_json(json_pack("{s:b, s:I, s:I, s:O}", "dry_run", p.dry_run, "records",
                             (json_int_t)c.records, "bytes", (json_int_t)c.bytes, "streams",
                             streams));
    else
        printf("%s %s, %s of %s\n", p.dry_run ? "would drop" : "dropped",
               counted(c.records, "record").text, counted(c.bytes, "byte").text,
               counted(c.streams, "stream").text);
    return JOT_OK;
}

/* --- Counting ---------------------------------------------------------------------------- */

static void print_stats(const Stats *st)
{
    puts("kind           streams  deleted   records         bytes  damaged  oldest                 "
         "   "
         "newest");
    for (size_t i = 0; i < st->n; i++) {
        const KindStats *k = &st->kinds[i];
        printf("%-12.*s  %8llu %8llu  %8llu  %12llu  %7llu  %s  %s\n", STR_ARG(k->kind),
               ull(k->streams), ull(k->deleted), ull(k->records), ull(k->bytes), ull(k->damaged),
               k->records ? time_text(k->oldest_ms).text : "-                       ",
               k->records ? time_text(k->newest_ms).text : "-");
    }
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
        print_stats(&st);
    return JOT_OK;
}

/* --- Declared ---------------------------------------------------------------------------- */

const Cmd cmd_verify = {
    .name = "verify",
    .args = "",
    .summary = "Read every byte of the pad and say what is wrong",
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
    .summary = "Say what is wrong and what would help; with --fix, do it",
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
    { "prefix", "NAME", "only streams whose names begin so: notes/, runs/2025" },
    { "dry-run", NULL, "only say what would go" },
    { 0 },
};

const Cmd cmd_gc = {
    .name = "gc",
    .args = "",
    .summary = "Drop old versions, by count, age or size",
    .help = "The newest 16 records of a stream always stay, and so does its value.  Without\n"
            "--prefix only the history of documents goes, never records of runs or logs.\n",
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
