/* test_resume.c - a loop that is killed at every step it takes towards the disk.
 *
 * A process is killed in front of its n-th step (killer.h); a second one takes the
 * run over.  What both sent to the model is compared, byte for byte, with what a
 * run sent that nobody killed, and a file that the pad knows nothing of says how
 * often the tool that changes something really ran. */
#include "agent/killer.h"
#include "agent/scene.h"

enum { REQUESTS_MAX = 64 };

/* What is played. */
typedef struct Story {
    const char *script;
    uint64_t window;
    bool json;
    const char *counts[2]; /* the calls that count */
    size_t requests;
    bool refused; /* some are too long, and refused */
} Story;

/* Masks, a summary, a spilled result, a tool that counts, tools of the pad. */
static const Story native = {
    .window = 2000,
    .counts = { ".r1c1\n", ".r4c2\n" },
    .requests = 9,
    .script = "- {when: \"# The turns since\", text: \"It was long.\"}\n"
              "- text: I begin.\n"
              "  calls: [{name: count, args: {}}, {name: big, args: {lines: 40}}]\n"
              "- calls: [{name: big, args: {lines: 300}}]\n"
              "- calls: [{name: scratchpad_write, args: {key: findings, content: long}}]\n"
              "- calls: [{name: big, args: {lines: 60}}, {name: count, args: {again: true}}]\n"
              "- calls: [{name: big, args: {lines: 90}}]\n"
              "- calls: [{name: big, args: {lines: 70}}]\n"
              "- text: done\n",
};

/* The other protocol, with a reply that cannot be read. */
static const Story in_json = {
    .window = 20000,
    .json = true,
    .counts = { ".r1c1\n", ".r3c1\n" },
    .requests = 4,
    .script = "- text: 'First {\"tool\": \"count\", \"args\": {}}'\n"
              "- text: Hm.\n"
              "- text: '{\"tool\": \"count\", \"args\": {\"again\": true}}'\n"
              "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"done\"}}'\n",
};

/* A provider that says too long by itself, a reply that used its limit up, one that the window cut:
 * a raised limit, a summary, turns dropped, results shown in part. */
static const Story cut = {
    .window = 20000,
    .counts = { ".r2c3\n", ".r5c1\n" },
    .requests = 10,
    .refused = true,
    .script = "limit: 3500\n"
              "answers:\n"
              "- {when: \"<jotter-turns\", text: \"It was short.\"}\n"
              "- {text: \"\", stop: max_tokens}\n"
              "- calls: [{name: big, args: {lines: 100}}, {name: big, args: {lines: 200}},\n"
              "          {name: count, args: {}}]\n"
              "- {text: and th, stop: window}\n"
              "- {calls: [{name: scratchpad_list}]}\n"
              "- calls: [{name: count, args: {again: true}}]\n"
              "- text: done\n",
};

/* --- What is done ------------------------------------------------------------------------- */

static jot_status keep_id(void *ctx, const RunLine *l)
{
    snprintf(ctx, RUN_ID_MAX + 1, STR_FMT, STR_ARG(l->id));
    return JOT_OK;
}

/* Begin a run, or take over the one there is. */
static int work(Desk *d, Memory *m, const void *ctx)
{
    const Story *story = ctx;
    AUTO(Arena) a = { 0 };
    AUTO(Scene) s = { 0 };
    AUTO(Run) r = { 0 };
    Err e = { 0 };
    LoopOutcome o;
    char id[RUN_ID_MAX + 1] = "";
    jot_status st = scene_open(&s, m, d->dir, &e);
    s.loop.setup.window = story->window;
    s.loop.setup.headroom = 200;
    s.loop.setup.json = story->json;
    if (st == JOT_OK)
        st = run_list(m, keep_id, id, &e);
    if (st == JOT_OK)
        st = id[0] ? loop_resume(&s.loop, str(id), &r, &e)
                   : loop_begin(&s.loop, S("how long is it?"), &r, &e);
    if (st == JOT_OK)
        st = loop_go(&s.loop, &r, &a, &o, &e);
    bool fine = st == JOT_OK && o.end == LOOP_ANSWERED && str_eq(o.answer, S("done"));
    if (!fine)
        fprintf(stderr, "%s: %s\n", status_info(st)->name, e.text);
    return fine ? 0 : 1;
}

/* --- What was sent ----------------------------------------------------------------------- */

typedef struct Sent {
    Str lines[REQUESTS_MAX];
    size_t n;
} Sent;

static Sent take_sent(Desk *d)
{
    Sent out = { 0 };
    Str rest = beside_get(d->dir, "requests", &d->a), line;
    while (str_cut(&rest, '\n', &line)) {
        assert_true(out.n < REQUESTS_MAX);
        out.lines[out.n++] = line;
    }
    scene_put(d->dir, "requests", "");
    return out;
}

/* The same requests in the same order: the one that got no answer is sent again.  If that was one
 * for a summary, because the request before it was too long, that one is sent again, too. */
static void assert_goes_on(const Sent *whole, const Sent *first, const Sent *second, bool refused,
                           size_t at)
{
    size_t from = first->n;
    for (size_t i = 0; i < first->n; i++)
        assert_row(i < whole->n && str_eq(first->lines[i], whole->lines[i]), at, "sent before");
    if (second->n && from && str_eq(second->lines[0], whole->lines[from - 1]))
        from--;
    else if (refused && second->n && from > 1 && str_eq(second->lines[0], whole->lines[from - 2]))
        from -= 2;
    assert_row(from + second->n == whole->n, at, "number of requests");
    for (size_t i = 0; i < second->n; i++)
        assert_row(str_eq(second->lines[i], whole->lines[from + i]), at, "sent afterwards");
}

/* A call whose outcome nobody knows is told of; it was made once, or not at all. */
static bool told_unknown(const Sent *second)
{
    return second->n && scene_times(second->lines[0], "[unknown outcome]") > 0;
}

static void assert_counted(Desk *d, const Story *story, bool unknown, size_t at)
{
    AUTO(Arena) a = { 0 };
    Str counter = beside_get(d->dir, "counter", &a);
    size_t one = scene_times(counter, story->counts[0]),
           two = scene_times(counter, story->counts[1]);
    assert_row(one <= 1 && two <= 1, at, "counted twice");
    assert_row(unknown || (one == 1 && two == 1), at, "not counted");
}

/* --- The tests --------------------------------------------------------------------------- */

static void kill_everywhere(Desk *d, const Story *story)
{
    size_t stride = killer_stride(), unknown = 0, kills = 0;
    memory_close(&d->m);
    scene_put(d->dir, "script", story->script);
    killer_forget(d);
    assert_true(killer_run(d, 0, work, story));
    Sent whole = take_sent(d);
    assert_int_equal(whole.n, story->requests);
    bool ended = false;
    for (size_t at = 1; !ended && at < KILLER_STEPS_MAX; at += stride) {
        killer_forget(d);
        ended = killer_run(d, at, work, story);
        if (ended)
            break;
        kills++;
        Sent first = take_sent(d);
        assert_true(killer_run(d, 0, work, story));
        Sent second = take_sent(d);
        bool told = told_unknown(&second);
        unknown += told;
        if (!told)
            assert_goes_on(&whole, &first, &second, story->refused, at);
        assert_counted(d, story, told, at);
    }
    assert_true(ended);
    print_message("%zu kills, %zu of them with an outcome nobody knows, %zu requests\n", kills,
                  unknown, whole.n);
    killer_forget(d);
    desk_reopen(d);
}

static void a_killed_run_goes_on_as_if_nothing_had_happened(Desk *d)
{
    kill_everywhere(d, &native);
}

static void so_does_one_that_speaks_json(Desk *d)
{
    kill_everywhere(d, &in_json);
}

static void so_does_one_whose_replies_were_cut(Desk *d)
{
    kill_everywhere(d, &cut);
}

static const DeskTest tests[] = {
    DESK_TEST(a_killed_run_goes_on_as_if_nothing_had_happened),
    DESK_TEST(so_does_one_that_speaks_json),
    DESK_TEST(so_does_one_whose_replies_were_cut),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), true);
}
