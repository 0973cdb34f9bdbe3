/* search_embed.c - asking a server what texts mean.
 *
 * JOTTER_EMBED=URL#MODEL names one (net/embeddings.h).  Rows are sent once, in batches, and their
 * vectors kept in the index; of a search only the question goes there, and a few rows that are new,
 * all within 300 ms unless JOTTER_EMBED says otherwise.  Whatever is wrong with the server, a
 * search goes on by words, says so once, and leaves it alone for a while.
 *
 * What is sent where is said before the first text goes (SearchOptions.announce), and the manifest
 * keeps that it was said.  Secrets are cut out of every text (memory/doc/secret.h); what was
 * redacted is no row. */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/doc/doc.h"
#include "memory/doc/secret.h"
#include "memory/search/index.h"
#include "memory/search/search.h"

enum {
    BATCH_MS = 60 * 1000, /* for a batch that nobody waits for */
    TIME_LEFT_MS = 50,    /* below which a search sends no rows any more */
    SAVE_ROWS = 512,      /* after which vectors are kept */
    SAVE_TRIES = 8,       /* while others write the index */
};

_Static_assert((int)EMBEDDINGS_COLUMNS_MAX <= (int)ROW_VECTOR_COLUMNS_MAX,
               "every vector can be kept");
_Static_assert((int)EMBEDDINGS_MODEL_MAX <= (int)ROW_VECTOR_MODEL_MAX, "and its model named");

/* --- The server -------------------------------------------------------------------------- */

void search_server_done(SearchServer *server)
{
    embeddings_close(server->at);
    meaning_free(&server->meaning);
    *server = (SearchServer){ 0 };
}

/* False: there is none; server->why says so if one is named. */
static bool find_server(Search *s)
{
    SearchServer *server = &s->server;
    const char *address = getenv("JOTTER_EMBED");
    if (!server->looked && address && address[0] &&
        embeddings_open(&server->at, str(address), s->index.m->io, &server->why) != JOT_OK)
        server->at = NULL;
    server->looked = true;
    return server->at != NULL;
}

/* Who is told about: never 0. */
static uint64_t place_of(const Search *s)
{
    AUTO(Arena) arena = { 0 };
    const Embeddings *at = s->server.at;
    return seg_hash(arena_printf(&arena, STR_FMT "#" STR_FMT, STR_ARG(embeddings_url(at)),
                                 STR_ARG(embeddings_model(at)))) |
           1;
}

static bool was_told(const Search *s)
{
    return s->server.told || s->index.told == place_of(s);
}

static void announce(Search *s, uint64_t rows)
{
    AUTO(Arena) arena = { 0 };
    Shown url, model;
    s->announce(s->ctx,
                arena_printf(&arena,
                             "JOTTER_EMBED is set: the texts of %llu notes and records, and every "
                             "question, go to %s (model %s); secrets are left out",
                             (unsigned long long)rows, err_show(&url, embeddings_url(s->server.at)),
                             err_show(&model, embeddings_model(s->server.at)))
                    .p);
    s->server.told = true;
}

Str search_notice(Search *s, Arena *into)
{
    SearchServer *server = &s->server;
    if (server->noticed || !server->why.text[0])
        return (Str){ 0 };
    server->noticed = true;
    return arena_printf(into, "searching by words alone: %s", server->why.text);
}

static void give_up(SearchServer *server, int64_t now_ms)
{
    server->wait_ms = now_ms + SEARCH_EMBED_AGAIN_MS;
}

/* --- Texts ------------------------------------------------------------------------------- */

/* What may leave the machine of a text: no secret, valid, and not all of a long one.  Secrets are
 * looked for first, because half of one does not look like it. */
static Str sendable(Str text, Arena *into)
{
    Str clean = secret_redact(utf8_mended(text, into), into);
    return str_slice(clean, 0, utf8_floor(clean, SEARCH_EMBED_TEXT_MAX));
}

/* Is there anything but space in it?  Servers refuse what is empty. */
static bool says_something(Str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] > ' ')
            return true;
    return false;
}

/* Rows on their way to the server, and what came back. */
typedef struct Batch {
    Arena arena;
    RowVector rows[EMBEDDINGS_TEXTS_MAX + 1]; /* `of` is set once it came */
    Str texts[EMBEDDINGS_TEXTS_MAX + 1];
    size_t n;
} Batch;

static void batch_done(Batch *b)
{
    arena_free(&b->arena);
}
DEFINE_AUTO(Batch, batch_done)

/* The text of a row as it is sent: of a document with its name in front.  False: it is not what the
 * index has any more. */
static bool read_text(Search *s, const View *v, uint32_t place, Arena *into, Str *out)
{
    SegRow row;
    Segment *seg;
    Record record;
    Str label;
    if (!view_row(v, place, &row, &seg))
        return false;
    Str stream = seg_stream_name(seg, row.stream, into);
    if (search_read_row(s->index.m, stream, row.seq, into, &record, &label) != JOT_OK)
        return false;
    Str text = index_text(stream, record.body, into);
    text = utf8_valid(text) ? text : (Str){ 0 };
    if (record.mark.seq != row.seq || text_digest(text) != row.digest)
        return false;
    *out = (Str){ 0 };
    if (!says_something(text))
        return true;
    bool log = row.flags & ROW_LOG;
    *out = sendable(
        log ? text
            : arena_printf(into, STR_FMT "\n\n" STR_FMT, STR_ARG(doc_word(stream)), STR_ARG(text)),
        into);
    return true;
}

/* --- Sending ----------------------------------------------------------------------------- */

/* Ask for the vectors of a batch; empty texts have one without a direction. */
static jot_status send_batch(Search *s, Batch *b, int64_t within_ms, uint32_t *columns, Err *e)
{
    Str texts[EMBEDDINGS_TEXTS_MAX];
    size_t of[EMBEDDINGS_TEXTS_MAX], n = 0;
    EmbeddingsFound found = { 0 };
    for (size_t i = 0; i < b->n; i++)
        if (b->texts[i].n) {
            of[n] = i;
            texts[n++] = b->texts[i];
        }
    if (n)
        TRY(embeddings_ask(s->server.at, &(EmbeddingsAsk){ texts, n, within_ms }, &b->arena, &found,
                           e));
    if (n && *columns && found.columns != *columns)
        return err_set(e, JOT_INVALID, "the server gave vectors of %zu numbers, then of %u",
                       found.columns, *columns);
    *columns = n ? (uint32_t)found.columns : *columns;
    for (size_t i = 0; i < b->n; i++)
        b->rows[i].of = NEW_ARRAY(&b->arena, int8_t, *columns + 1);
    for (size_t i = 0; i < n; i++)
        row_vector_take(found.rows + i * found.columns, found.columns,
                        (int8_t *)(uintptr_t)b->rows[of[i]].of);
    return JOT_OK;
}

/* What the vectors that are there say of the view.  False: a segment is bad. */
static bool make_meaning(Search *s)
{
    Index *x = &s->index;
    const View *v = index_view(x);
    index_read_vectors(x);
    return v && meaning_make(&s->server.meaning,
                             &(MeaningSource){ .view = v,
                                               .vectors = x->vectors,
                                               .n = x->vectors_n,
                                               .number = x->vectors_state,
                                               .model = embeddings_model(s->server.at) });
}

/* The next rows without a vector, the last ones first, from below *place. */
static void next_batch(Search *s, const View *v, const uint64_t *keys, uint32_t *place, Batch *b)
{
    const Meaning *m = &s->server.meaning;
    while (*place > 0 && b->n < EMBEDDINGS_TEXTS_MAX) {
        uint32_t p = --*place;
        if (m->at[p] || !read_text(s, v, p, &b->arena, &b->texts[b->n]))
            continue;
        b->rows[b->n++] = (RowVector){ .key = keys[p] };
    }
}

static bool keep(Search *s, RowVector *rows, size_t n, uint32_t columns, int64_t wait_ms)
{
    return index_add_vectors(&s->index, &(FreshVectors){ .model = embeddings_model(s->server.at),
                                                         .columns = columns,
                                                         .items = rows,
                                                         .n = columns ? n : 0,
                                                         .told = place_of(s),
                                                         .wait_ms = wait_ms });
}

/* --- A search ---------------------------------------------------------------------------- */

/* May the server be asked now? */
static bool is_ready(Search *s, int64_t now_ms)
{
    SearchServer *server = &s->server;
    if (!find_server(s) || (server->wait_ms && now_ms < server->wait_ms))
        return false;
    if (!index_has_files(&s->index) && !s->index.path[0]) {
        (void)err_set(&server->why, JOT_UNAVAILABLE, "there is no place for vectors: %s",
                      s->index.why ? s->index.why : "the index is in memory");
        return false;
    }
    if (was_told(s))
        return true;
    if (!s->announce) {
        (void)err_set(
            &server->why, JOT_DENIED,
            "it was not announced yet what JOTTER_EMBED sends where: 'jotter embed' does");
        return false;
    }
    announce(s, index_view(&s->index)->rows);
    return keep(s, NULL, 0, 0, 0) || s->server.told; /* not kept: another process says it again */
}

/* A few rows that have no vector yet, if there is time. */
static void send_some(Search *s, int64_t within_ms)
{
    AUTO(Batch) b = { 0 };
    const View *v = index_view(&s->index);
    const uint64_t *keys = row_keys(v, &b.arena);
    uint32_t place = v->rows, columns = s->server.meaning.columns;
    if (!keys)
        return;
    next_batch(s, v, keys, &place, &b);
    bool came = b.n && send_batch(s, &b, within_ms, &columns, NULL) == JOT_OK;
    if (came && !keep(s, b.rows, b.n, columns, 0))
        return; /* somebody else writes: the next search sends them again */
}

const int32_t *search_ask_server(Search *s, Str question, Arena *into, bool *bad)
{
    const Io *io = s->index.m->io;
    int64_t began = io_awake_ms(io);
    EmbeddingsFound found;
    SearchServer *server = &s->server;
    Str text = sendable(question, into);
    *bad = false;
    if (!says_something(text) || !is_ready(s, began))
        return NULL;
    int64_t within = embeddings_within_ms(server->at);
    if (embeddings_ask(server->at, &(EmbeddingsAsk){ &text, 1, within }, into, &found,
                       &server->why) != JOT_OK) {
        give_up(server, io_awake_ms(io));
        return NULL;
    }
    int8_t *asked = NEW_ARRAY(into, int8_t, found.columns);
    row_vector_take(found.rows, found.columns, asked);
    *bad = !make_meaning(s);
    int64_t left = began + within - io_awake_ms(io);
    if (!*bad && server->meaning.known < server->meaning.rows && left >= TIME_LEFT_MS) {
        send_some(s, left);
        *bad = !make_meaning(s);
    }
    return *bad ? NULL : meaning_find(&server->meaning, asked, (uint32_t)found.columns, into);
}

/* --- Everything -------------------------------------------------------------------------- */

/* Vectors that are not kept yet. */
typedef struct Pending {
    RowVector *rows;
    size_t n, cap;
    uint32_t columns;
    Arena arena;
} Pending;

static void pending_done(Pending *p)
{
    arena_free(&p->arena);
}
DEFINE_AUTO(Pending, pending_done)

static void take_batch(Pending *p, const Batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        Str copy = arena_copy(&p->arena, (Str){ (const char *)b->rows[i].of, p->columns });
        p->rows =
            arena_grow(&p->arena, p->rows, p->n, &p->cap, sizeof(RowVector), alignof(RowVector));
        p->rows[p->n++] = (RowVector){ b->rows[i].key, (const int8_t *)copy.p };
    }
}

/* Up to SAVE_ROWS rows that have no vector yet. */
static jot_status send_more(Search *s, Pending *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    const View *v = index_view(&s->index);
    const uint64_t *keys = v ? row_keys(v, &arena) : NULL;
    uint32_t place = v ? v->rows : 0;
    if (!keys)
        return err_set(e, JOT_CORRUPT, "the search index is damaged");
    while (place > 0 && p->n < SAVE_ROWS) {
        AUTO(Batch) b = { 0 };
        next_batch(s, v, keys, &place, &b);
        TRY(memory_progress(s->index.m, b.n, e));
        if (b.n)
            TRY(send_batch(s, &b, BATCH_MS, &p->columns, e));
        if (p->columns)
            take_batch(p, &b);
    }
    return JOT_OK;
}

/* Bring the index and its vectors up to date with each other. */
static jot_status look(Search *s, Err *e)
{
    TRY(index_catch_up(&s->index, e));
    if (!make_meaning(s)) {
        s->index.broken = true;
        return err_set(e, JOT_CORRUPT, "the search index is damaged: 'jotter doctor --fix'");
    }
    return JOT_OK;
}

/* Others may publish meanwhile: then what counts is loaded, and it is tried again. */
static jot_status save(Search *s, Pending *p, Err *e)
{
    for (int tries = 0; tries < SAVE_TRIES; tries++) {
        if (keep(s, p->rows, p->n, p->columns, s->index.wait_ms))
            return look(s, e);
        TRY(look(s, e));
    }
    return err_set(e, JOT_UNAVAILABLE, "the vectors could not be kept in the search index");
}

static void fill_state(const Search *s, SearchEmbedded *out)
{
    const Meaning *m = &s->server.meaning;
    out->rows = m->rows;
    out->columns = m->columns;
    out->told = was_told(s);
}

/* One step: false when nothing is left to send. */
static jot_status embed_step(Search *s, SearchEmbedded *out, bool *more, Err *e)
{
    AUTO(Pending) p = { .columns = s->server.meaning.columns };
    uint32_t before = s->server.meaning.known;
    Err why = { 0 };
    jot_status st = send_more(s, &p, &why);
    *more = p.n > 0 && st == JOT_OK;
    if (p.n) /* what came is kept, whatever happened then */
        TRY(save(s, &p, e));
    uint32_t known = s->server.meaning.known;
    out->made += known > before ? known - before : 0;
    fill_state(s, out);
    if (s->index.progress)
        s->index.progress(s->index.ctx, out->made, out->rows - out->had);
    if (st != JOT_OK && e)
        *e = why;
    return st;
}

jot_status search_embed(Search *s, bool only_look, Arena *into, SearchEmbedded *out, Err *e)
{
    Index *x = &s->index;
    *out = (SearchEmbedded){ 0 };
    if (!find_server(s)) {
        if (!s->server.why.text[0])
            return err_set(e, JOT_NOT_FOUND,
                           "JOTTER_EMBED is not set: use https://HOST/v1#MODEL, or "
                           "http://127.0.0.1:PORT/v1#MODEL");
        if (e)
            *e = s->server.why;
        return s->server.why.status;
    }
    out->url = arena_copy(into, embeddings_url(s->server.at));
    out->model = arena_copy(into, embeddings_model(s->server.at));
    if (!x->path[0])
        return err_set(e, JOT_UNAVAILABLE, "there is no place for vectors: %s", x->why);
    TRY(look(s, e));
    out->had = s->server.meaning.known;
    fill_state(s, out);
    if (only_look)
        return JOT_OK;
    if (!was_told(s) && s->announce)
        announce(s, out->rows);
    TRY(save(s, &(Pending){ 0 }, e)); /* that it was said is kept before anything is sent */
    for (bool more = true; more;)
        TRY(embed_step(s, out, &more, e));
    return JOT_OK;
}
