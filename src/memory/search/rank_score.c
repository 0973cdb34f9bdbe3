/* rank_score.c - the parts of a candidate's score.
 *
 * Some are the row's own, some come from the rows around it, its session or
 * the others of its title.  Each part lies between 0 and ONE, and is then
 * multiplied by its weight, so that `--explain` can show what a score is made
 * of. */
#include "memory/search/rank_internal.h"

#include <string.h>

#include "memory/search/draft.h"
#include "memory/search/likeness.h"
#include "memory/search/scale.h"

/* --- What is around ---------------------------------------------------------------------- */

/* What a term is worth in the row so far before, or behind: nearer rows more, and the one before,
 * which may hold the question, most. */
static const uint32_t before_share[REACH] = { 800, 350, 250, 150, 100 };
static const uint32_t behind_share[REACH] = { 450, 250, 200, 120, 80 };

/* What rows near this one have more of a term than it has itself, at most; *from: where to look for
 * the next candidate. */
static uint32_t near_one(const Ranking *r, const RankTerm *t, uint32_t place, size_t *from)
{
    uint32_t most = 0, own = 0, session = r->view->session_of[place];
    size_t i = *from = view_post_at(&t->posts, *from, place > REACH ? place - REACH : 0);
    for (; i < t->posts.n && t->posts.items[i].place <= place + REACH; i++) {
        ViewPost p = t->posts.items[i];
        if (r->view->session_of[p.place] != session)
            continue;
        uint32_t here = rank_sat_at(r, p.place, p.bits);
        if (place == p.place) {
            own = 1000 * here;
            continue;
        }
        here *=
            place > p.place ? before_share[place - p.place - 1] : behind_share[p.place - place - 1];
        most = here > most ? here : most;
    }
    return most > own ? most - own : 0;
}

/* Only of turns: no other kind has a weight for it. */
static uint32_t *near_all(const Ranking *r, const Candidates *c)
{
    uint32_t *sum = NEW_ARRAY(r->into, uint32_t, c->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        const RankTerm *t = &r->terms[i];
        size_t from = 0;
        for (size_t k = 0; t->weight[PROFILE_TURN] && k < c->n; k++)
            if (r->view->norms[c->items[k].place] >> 8 == PROFILE_TURN)
                sum[k] += (uint32_t)((uint64_t)t->weight[PROFILE_TURN] *
                                     near_one(r, t, c->items[k].place, &from) / 1000);
    }
    return sum;
}

static void extra_term(const Ranking *r, const RankTerm *t, const Candidates *c, Extras *x)
{
    size_t i = 0, f = 0;
    for (size_t k = 0; k < c->n && i < t->posts.n; k++) {
        uint32_t place = c->items[k].place;
        i = view_post_at(&t->posts, i, place);
        if (i == t->posts.n || t->posts.items[i].place != place)
            continue;
        ViewPost p = t->posts.items[i];
        uint32_t weight = t->weight[r->view->norms[place] >> 8];
        f = view_post_at(&t->form, f, place);
        bool formed = f < t->form.n && t->form.items[f].place == place;
        if (t->plain ? !(p.bits & POST_OTHER) : formed)
            x->exact[k] += weight * rank_sat_at(r, place, p.bits);
        if (p.bits & POST_HEAD)
            x->head[k] += weight;
        if (p.bits & POST_ABOUT)
            x->about[k] += weight;
    }
}

/* --- Scores ------------------------------------------------------------------------------ */

static int32_t share(uint32_t value)
{
    return (int32_t)(value / SAT);
}

static uint32_t words_at(const Ranking *r, uint32_t place, int64_t away)
{
    int64_t there = (int64_t)place + away;
    if (there < 0 || there >= r->view->rows ||
        r->view->session_of[there] != r->view->session_of[place])
        return 0;
    return r->words[there];
}

static bool is_question(const Ranking *r, uint32_t place)
{
    SegRow row;
    Segment *seg;
    return view_row(r->view, place, &row, &seg) && (row.flags & ROW_QUESTION);
}

static int32_t recency(const View *v, uint32_t session)
{
    uint32_t since = session < v->documents_n ? v->documents_n - 1 - session : 0;
    return rank_tables.recent[since < RECENT_MAX ? since : RECENT_MAX - 1];
}

static void around_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    uint32_t place = s->c.items[k].place;
    uint32_t before = words_at(r, place, -1), after = words_at(r, place, 1);
    parts[RANK_NEAR] = share(s->near[k]);
    parts[RANK_SESSION] = share(r->session[r->view->session_of[place]]);
    parts[RANK_BEFORE] = share(before);
    parts[RANK_AFTER] = share(after);
    parts[RANK_ANSWER] = before > 1 && is_question(r, place - 1) ? share(before) : 0;
}

/* Of a row, and of what is around it, if their meaning is known. */
static void like_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const View *v = s->r->view;
    const int32_t *like = s->r->ask->like;
    uint32_t place = s->c.items[k].place, session = v->session_of[place];
    if (!like)
        return;
    parts[RANK_LIKE] = like[place];
    if (place > 0 && v->session_of[place - 1] == session)
        parts[RANK_LIKE_BEFORE] = like[place - 1];
    if (place + 1 < v->rows && v->session_of[place + 1] == session)
        parts[RANK_LIKE_AFTER] = like[place + 1];
    parts[RANK_LIKE_SESSION] = s->like_session[session];
}

static void own_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    const SegRow *row = &s->rows[k];
    uint32_t place = s->c.items[k].place;
    parts[RANK_WORDS] = share(r->words[place]);
    parts[RANK_EXACT] = share(s->extras.exact[k]);
    parts[RANK_HEAD] = (int32_t)((uint64_t)s->extras.head[k] * rank_tables.head[row->head] / SAT);
    parts[RANK_ABOUT] = (int32_t)s->extras.about[k];
    parts[RANK_GRAMS] = share(r->grams[place]);
    parts[RANK_SPEAKER] = s->spoken_by[k] ? ONE : 0;
    for (size_t i = 0; i < r->dates.n; i++) {
        int32_t fit = (int32_t)date_fit(r->dates.items[i], date_of(row->at_ms));
        parts[RANK_WRITTEN] = fit > parts[RANK_WRITTEN] ? fit : parts[RANK_WRITTEN];
    }
    parts[RANK_SPOKEN] = (int32_t)s->spoken[k];
    parts[RANK_WHEN] = r->when && (row->flags & ROW_TIME) ? ONE : 0;
    parts[RANK_NUMBER] = r->how && (row->flags & ROW_NUMBER) ? ONE : 0;
    parts[RANK_WHO] = r->who ? (int32_t)(row->flags / ROW_CAPITALS & 3) * ONE / 2 : 0;
    parts[RANK_QUESTION] = row->flags & ROW_QUESTION ? ONE : 0;
    parts[RANK_LENGTH] = rank_tables.length[r->view->norms[place] & 0xFF];
    parts[RANK_RECENT] = recency(r->view, r->view->session_of[place]);
}

static int32_t group_value(const RankHit *h)
{
    return h->parts[RANK_WORDS] + h->parts[RANK_SESSION] / 2 + h->parts[RANK_RECENT] / 10;
}

/* Rows under one title: what the best of them has.  Titles are hashes already; a slot that another
 * title has is passed over. */
typedef struct Group {
    uint32_t title;
    int32_t most;
} Group;

static Group *group_slot(Group *slots, size_t mask, uint32_t title)
{
    size_t i = title & mask;
    while (slots[i].title && slots[i].title != title)
        i = (i + 1) & mask;
    slots[i].title = title;
    return &slots[i];
}

static void group_parts(Scoring *s)
{
    size_t n = s->c.n, cap = 16;
    while (cap < 2 * n)
        cap *= 2;
    Group *slots = NEW_ARRAY(s->r->into, Group, cap);
    for (size_t k = 0; k < n; k++) {
        int32_t value = group_value(&s->hits[k]);
        Group *g = s->rows[k].title ? group_slot(slots, cap - 1, s->rows[k].title) : NULL;
        if (g && value > g->most)
            g->most = value;
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t title = s->rows[k].title;
        s->hits[k].parts[RANK_GROUP] =
            title ? group_slot(slots, cap - 1, title)->most : group_value(&s->hits[k]);
    }
}

static void add_up(RankHit *h, const int32_t *share)
{
    h->score = 0;
    for (unsigned p = 0; p < RANK_PARTS; p++) {
        h->parts[p] = (int32_t)((int64_t)h->parts[p] * share[p] / ONE);
        h->score += h->parts[p];
    }
}

static void mark_posts(const Candidates *c, const ViewPosts *posts,
                       void (*mark)(void *, size_t, uint8_t), void *ctx)
{
    size_t i = 0;
    for (size_t k = 0; k < c->n && i < posts->n; k++) {
        i = view_post_at(posts, i, c->items[k].place);
        for (; i < posts->n && posts->items[i].place == c->items[k].place; i++)
            mark(ctx, k, posts->items[i].bits);
    }
}

static void mark_speaker(void *ctx, size_t k, uint8_t bits)
{
    (void)bits;
    ((Scoring *)ctx)->spoken_by[k] = true;
}

typedef struct MarkDate {
    Scoring *s;
    Date asked, there;
} MarkDate;

static void mark_date(void *ctx, size_t k, uint8_t day)
{
    MarkDate *m = ctx;
    m->there.day = day;
    uint32_t fit = date_fit(m->asked, m->there);
    m->s->spoken[k] = fit > m->s->spoken[k] ? fit : m->s->spoken[k];
}

/* Rows that speak of a date that is asked for.  A month without a year is looked for in all. */
static void find_spoken(Scoring *s)
{
    Ranking *r = s->r;
    char from[] = { KEY_DATE };
    for (size_t i = 0; r->dates.n && i < r->view->n; i++) {
        SegKeys k;
        bool more = seg_keys_from(&k, &r->view->segs[i], (Str){ from, 1 });
        for (; more && k.key[0] == KEY_DATE; more = seg_keys_next(&k)) {
            unsigned year = 0, month = 0;
            for (size_t d = 1; d < k.key_n && d < 5; d++)
                year = year * 10 + (unsigned)(k.key[d] - '0');
            for (size_t d = 5; d < k.key_n && d < 7; d++)
                month = month * 10 + (unsigned)(k.key[d] - '0');
            for (size_t q = 0; q < r->dates.n; q++) {
                MarkDate m = { s, r->dates.items[q], { (uint16_t)year, (uint8_t)month, 0 } };
                ViewPosts posts;
                if (date_fit(m.asked, m.there) && rank_posts_of(r, (Str){ k.key, k.key_n }, &posts))
                    mark_posts(&s->c, &posts, mark_date, &m);
            }
        }
    }
}

void rank_look_closely(Scoring *s)
{
    Ranking *r = s->r;
    size_t n = s->c.n;
    s->near = near_all(r, &s->c);
    s->extras = (Extras){ NEW_ARRAY(r->into, uint32_t, n + 1), NEW_ARRAY(r->into, uint32_t, n + 1),
                          NEW_ARRAY(r->into, uint32_t, n + 1) };
    for (size_t i = 0; i < r->n; i++)
        extra_term(r, &r->terms[i], &s->c, &s->extras);
    s->spoken_by = NEW_ARRAY(r->into, bool, n + 1);
    s->spoken = NEW_ARRAY(r->into, uint32_t, n + 1);
    for (size_t i = 0; i < r->speakers_n; i++)
        mark_posts(&s->c, &r->speakers[i], mark_speaker, s);
    find_spoken(s);
    s->like_session = r->ask->like ? likeness_sessions(r->view, r->ask->like, r->into) : NULL;
    s->rows = NEW_ARRAY(r->into, SegRow, n + 1);
    s->hits = NEW_ARRAY(r->into, RankHit, n + 1);
    for (size_t k = 0; k < n; k++) {
        Segment *seg;
        s->hits[k].place = s->c.items[k].place;
        if (!view_row(r->view, s->hits[k].place, &s->rows[k], &seg))
            r->bad = true;
        own_parts(s, k, s->hits[k].parts);
        around_parts(s, k, s->hits[k].parts);
        like_parts(s, k, s->hits[k].parts);
    }
    group_parts(s);
    for (size_t k = 0; k < n; k++)
        add_up(&s->hits[k], r->ask->like && r->ask->liked[s->rows[k].profile]
                                ? rank_tables.liked[s->rows[k].profile]
                                : rank_tables.share[s->rows[k].profile]);
}
