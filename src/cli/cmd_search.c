/* cmd_search.c - finding things from the shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/when.h"
#include "memory/doc/doc.h"
#include "memory/search/evidence.h"

extern const Cmd cmd_search, cmd_embed;

/* The words that were found stand between **: on a terminal they are bold instead. */
static void print_snippet(Str text)
{
    bool bold = ink(INK_BOLD)[0] != 0, on = false;
    for (size_t at = 0; bold && at < text.n;) {
        const char *mark = memmem(text.p + at, text.n - at, "**", 2);
        size_t end = mark ? (size_t)(mark - text.p) : text.n;
        print_text(str_slice(text, at, end));
        if (mark)
            fputs(ink(on ? INK_PLAIN : INK_BOLD), stdout);
        on = !on;
        at = end + 2;
    }
    if (!bold)
        print_text(text);
    fputs(bold ? ink(INK_PLAIN) : "", stdout);
    putchar('\n');
}

static void print_explain(const Hit *h)
{
    printf("    score %.3f:", h->score);
    for (size_t i = 0; i < h->parts_n; i++)
        printf("%s %s %.3f", i ? "," : "", h->parts[i].what, h->parts[i].points);
    putchar('\n');
}

static void print_hit(const Session *s, const Hit *h, bool explain)
{
    fputs(ink(INK_CYAN), stdout);
    print_name(h->stream);
    printf("%s  version %s", ink(INK_PLAIN), version_listed(h->seq, h->sha256).text);
    if (str_starts(h->stream, S("runs/")))
        printf("  record %llu", (unsigned long long)h->seq);
    printf("  %s  ", when_shown(s, h->at_ms).text);
    print_name(h->by);
    printf("  ~%s\n    ", counted(h->tokens, "token").text);
    print_snippet(h->snippet);
    if (explain)
        print_explain(h);
}

static void print_hits(const Session *s, const Hits *h, const SearchQuery *q)
{
    for (size_t i = 0; i < h->n; i++)
        print_hit(s, &h->items[i], q->explain);
    if (h->n == 0)
        fputs("(nothing found)\n", stderr); /* words for people: standard output has hits alone */
    if (h->more)
        say("there are more: --offset %zu", q->offset + h->n);
    if (q->explain && !h->stemmed)
        puts("endings of words mattered: there is no libstemmer here, or none was asked for");
    if (q->explain && h->where)
        printf("the index is in memory: %s\n", h->where);
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_show(ctx, done, total, "being indexed");
}

static void print_evidence(const Evidence *v)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    evidence_add(&text, v);
    if (v->n + v->left_n == 0)
        buf_add(&text, S("(nothing found)\n"));
    print_text(buf_str(&text));
}

static jot_status read_query(Session *s, SearchQuery *q, uint64_t *budget)
{
    int64_t limit, offset, tokens;
    *q = (SearchQuery){ .kind = str(opt_text(s, "kind")),
                        .prefix = str(opt_text(s, "prefix")),
                        .by = str(opt_text(s, "by")),
                        .explain = opt_given(s, "explain") };
    AUTO(Buf) words = { 0 };
    for (int i = 0; i < s->n; i++)
        buf_addf(&words, "%s%s", i ? " " : "", s->args[i]);
    q->text = arena_copy(&s->arena, buf_str(&words));
    TRY(check_prefix(s, q->prefix));
    TRY(opt_time(s, "since", false, &q->since_ms));
    TRY(opt_time(s, "until", true, &q->until_ms));
    TRY(opt_number(s, "limit", 1, SEARCH_LIMIT_MAX, SEARCH_LIMIT, &limit));
    TRY(opt_number(s, "offset", 0, SEARCH_OFFSET_MAX, 0, &offset));
    TRY(opt_number(s, "budget", EVIDENCE_BUDGET_MIN, EVIDENCE_BUDGET_MAX, 0, &tokens));
    if (tokens && q->explain)
        return err_set(&s->err, JOT_INVALID, "--budget shows evidence, --explain hits: use one");
    *budget = (uint64_t)tokens;
    q->limit = tokens && !opt_given(s, "limit") ? 0 : (size_t)limit;
    q->offset = (size_t)offset;
    return JOT_OK;
}

/* What a search gives: a list of hits, or, within a budget, what they say. */
typedef struct Found {
    uint64_t budget; /* 0: the list */
    Hits hits;
    Evidence evidence;
} Found;

static void say_where_texts_go(void *ctx, const char *sentence)
{
    (void)ctx;
    say("%s", sentence);
}

static jot_status find(Session *s, const SearchQuery *q, Found *out)
{
    AUTO_PTR(Search) search = NULL;
    Progress p = progress_new("stream");
    SearchOptions o = { .language = getenv("JOTTER_LANGUAGE"),
                        .progress = p.terminal ? show_progress : NULL,
                        .announce = say_where_texts_go,
                        .ctx = &p };
    TRY(search_open(&search, &s->memory, &o, &s->err));
    interrupt_catch();
    s->memory.progress = &interrupt_scan;
    jot_status st = opt_given(s, "reindex") ? search_rebuild(search, &s->err) : JOT_OK;
    if (st == JOT_OK && s->n && out->budget)
        st = evidence_find(search, q, out->budget, &s->arena, &out->evidence, &s->err);
    else if (st == JOT_OK && s->n)
        st = search_find(search, q, &s->arena, &out->hits, &s->err);
    progress_clear(&p);
    if (st == JOT_CANCELLED)
        return err_set(&s->err, st, "interrupted: the next search brings the index up to date");
    return st;
}

static jot_status run_search(Session *s)
{
    SearchQuery q;
    Found f = { 0 };
    bool there;
    TRY(read_query(s, &q, &f.budget));
    if (s->n == 0 && !opt_given(s, "reindex"))
        return err_set(
            &s->err, JOT_INVALID,
            "an argument is missing: usage: jotter search QUERY... (or jotter search --reindex)");
    TRY(session_open_any(s, &there));
    if (there)
        TRY(find(s, &q, &f));
    Str notice = f.budget ? f.evidence.notice : f.hits.notice;
    if (notice.n && !s->json)
        say(STR_FMT, STR_ARG(notice));
    if (s->json)
        print_json(f.budget ? evidence_json(&f.evidence) : search_json(&f.hits, q.explain));
    else if (s->n && f.budget)
        print_evidence(&f.evidence);
    else if (s->n)
        print_hits(s, &f.hits, &q);
    else
        puts("the index was rebuilt");
    return JOT_OK;
}

static const Opt opts[] = {
    { "kind", "KIND", "only notes, memories, artifacts or runs" },
    { "prefix", "NAME", "only streams whose names begin with this: notes/plan" },
    { "by", "AGENT", "only what this agent wrote" },
    { "since", "TIME", "written at that time or later: 2026-01-31, or 7d (ago)" },
    { "until", "TIME", "written at that time or earlier" },
    { "budget", "TOKENS", "show the passages themselves, in at most this many tokens" },
    { "limit", "N", "at most N hits; else 10, with --budget 100" },
    { "offset", "N", "skip the first N hits" },
    { "explain", NULL, "explain why each hit ranks where it does" },
    { "reindex", NULL, "rebuild the index first" },
    { 0 },
};

const Cmd cmd_search = {
    .name = "search",
    .args = "QUERY...",
    .summary = "Find notes, memory files, artifacts and steps of runs by their words",
    .help = "Endings do not matter: backups finds backup.  \"exact words\" in a row, as written.\n"
            "wor* finds words that begin with wor.  parseConfig, src/main.c, 1.2.3 are found whole "
            "and by\n"
            "their parts.  The best hits come first, each with its version and what reading it\n"
            "costs in tokens.  With --budget you get the evidence itself: the lines that matter,\n"
            "of a run with the steps beside them, nothing twice.  JOTTER_LANGUAGE is the\n"
            "language of the endings: english, german, ..., none.\n",
    .opts = opts,
    .args_max = 64,
    .run = run_search,
};

/* --- Vectors of a server ----------------------------------------------------------------- */

static unsigned long long ull(uint64_t x)
{
    return (unsigned long long)x;
}

static void show_sent(void *ctx, uint64_t done, uint64_t total)
{
    progress_show(ctx, done, total, "sent");
}

static void print_embedded(const SearchEmbedded *x, bool only_look)
{
    print_sentence("%llu of %llu notes and records have a vector of " STR_FMT " at " STR_FMT,
                   ull(x->had + x->made), ull(x->rows), STR_ARG(x->model), STR_ARG(x->url));
    if (only_look && x->had < x->rows)
        print_sentence("the texts of %llu would be sent, secrets left out", ull(x->rows - x->had));
}

static jot_status run_embed(Session *s)
{
    AUTO_PTR(Search) search = NULL;
    SearchEmbedded x;
    bool only_look = opt_given(s, "dry-run");
    Progress p = progress_new("text");
    SearchOptions o = { .language = getenv("JOTTER_LANGUAGE"),
                        .progress = p.terminal && !only_look ? show_sent : NULL,
                        .announce = say_where_texts_go,
                        .ctx = &p };
    TRY(session_open(s, false));
    TRY(search_open(&search, &s->memory, &o, &s->err));
    interrupt_catch();
    s->memory.progress = &interrupt_scan;
    jot_status st = search_embed(search, only_look, &s->arena, &x, &s->err);
    progress_clear(&p);
    if (st == JOT_CANCELLED)
        err_set(&s->err, st, "interrupted");
    if (st != JOT_OK && x.made)
        say("%llu of %llu notes and records have a vector; the same command continues",
            ull(x.had + x.made), ull(x.rows));
    TRY(st);
    if (s->json)
        print_json(json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "url", json_text(x.url), "model",
                             json_text(x.model), "rows", (json_int_t)x.rows, "had",
                             (json_int_t)x.had, "made", (json_int_t)x.made, "columns",
                             (json_int_t)x.columns));
    else
        print_embedded(&x, only_look);
    return JOT_OK;
}

static const Opt embed_opts[] = {
    { "dry-run", NULL, "show how many texts would be sent where, and send none" },
    { 0 },
};

const Cmd cmd_embed = {
    .name = "embed",
    .args = "",
    .summary = "Compute embeddings on a server, to search by meaning",
    .help =
        "JOTTER_EMBED=URL#MODEL names a server that speaks as OpenAI's: https://HOST/v1#MODEL,\n"
        "or http://127.0.0.1:11434/v1#MODEL.  This sends the texts of all notes, memory files,\n"
        "artifacts and steps of runs that have no vector yet, secrets left out, and keeps what\n"
        "comes back in the search index; interrupted, it continues.  Searches then also find\n"
        "what means the like in other words; each sends its query there, and waits 300 ms at\n"
        "most.  JOTTER_EMBED_API_KEY is the server's key, if it needs one.\n",
    .opts = embed_opts,
    .run = run_embed,
};
