/* crew.c - the chief, the workers' loop, and the one who only follows.
 *
 * A signal falls when a certain number of answers was given, plus a random moment: so the
 * numbers of kills and stops do not depend on how fast the machine is.  A stop is short against
 * the time a writer waits for another (STORE_WAIT_MS); whoever is not answered in that time
 * says so, and the checker rejects it.
 *
 * How many workers are awake changes all the time, from two to all. */
#include "crew.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "follow.h"
#include "toy.h"
#include "trial.h"
#include "worker.h"

enum { OUTAGE_PAUSE_US = 20 * 1000, OPENS_MAX = 1000 };

/* What all processes of a crew see. */
typedef struct Board {
    atomic_ullong answered; /* operations, by all */
    Meeting meeting;
    atomic_uint awake;    /* workers from this number on rest */
    atomic_bool all_sent; /* no signal is due any more */
    atomic_bool enough;   /* workers end */
    atomic_bool calm;     /* workers have ended */
    atomic_flag fault_taken;
    atomic_bool fault_told;
    char fault[600];
    atomic_size_t n[HISTORY_WORKERS_MAX]; /* entries in each log */
    size_t room;                          /* entries that fit into a log */
    Entry entries[];                      /* worker w's begin at w * room */
} Board;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_us(long us)
{
    struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
    nanosleep(&t, NULL);
}

/* Only the first fault is kept: the others mostly follow from it. */
static void report_fault(Board *b, const char *who, const char *what)
{
    if (atomic_flag_test_and_set(&b->fault_taken))
        return;
    snprintf(b->fault, sizeof b->fault, "%s: %s", who, what);
    atomic_store(&b->fault_told, true);
}

/* --- A worker's life -------------------------------------------------------------------- */

typedef struct Life {
    Board *board;
    const CrewPlan *plan;
    Worker worker;
    Store *store;
    Entry *entries;
    Dice jitter;
    IoHook hook;
    Io io;
} Life;

/* Every other worker hesitates now and then in the middle of an operation, mostly with its
 * lock in hand, so that the others come upon it at every step, even if the machine has few
 * processors and an operation is shorter than a turn on one of them. */
static long go_on(void *ctx, IoCall *call)
{
    return 0;
}

static void hesitate(void *ctx, const IoCall *call)
{
    Life *life = ctx;
    bool locked = call->kind == IO_LOCK && call->flags == F_WRLCK && call->result == 0;
    uint64_t one_in = locked ? 4 : 24;
    if (dice_below(&life->jitter, one_in) == 0)
        sleep_us((long)dice_below(&life->jitter, 60));
}

static void set_up_io(Life *life, uint32_t number, uint64_t seed)
{
    life->jitter.state = seed + number;
    life->hook = (IoHook){ .before = go_on, .after = hesitate, .ctx = life };
    life->io = (Io){ .hook = number % 2 ? &life->hook : NULL };
}

/* Statuses that the checker will reject anyway; the sentence behind the first one is kept. */
static void tell_status(Life *life, const Entry *e)
{
    bool plain = e->status == JOT_OK || e->status == JOT_NOT_FOUND || e->status == JOT_CONFLICT ||
                 e->status == JOT_FENCED || e->status == JOT_ID_REUSED;
    if (plain)
        return;
    char who[80];
    snprintf(who, sizeof who, "worker %" PRIu32 " was answered %s", life->worker.number,
             status_info(e->status)->name);
    report_fault(life->board, who, life->worker.said);
}

/* The server could not be reached.  An append that says UNAVAILABLE has written nothing; of
 * whatever else it can only be said that no answer came. */
static bool met_outage(const Life *life, Entry *e)
{
    bool away = e->status == JOT_UNAVAILABLE, unsure = e->status == JOT_UNKNOWN;
    if (!life->plan->outage || (!away && !unsure))
        return false;
    e->flags |= ENTRY_OUTAGE;
    return !away || e->kind != ENTRY_APPEND;
}

static void add_seen(Life *life, const Entry *list, size_t *n)
{
    for (size_t i = 0; i < life->worker.seen_n; i++) {
        Entry *e = &life->entries[(*n)++];
        *e = life->worker.seen[i];
        e->invoke_ns = list->invoke_ns;
        e->answer_ns = list->answer_ns;
        e->answered = 1;
    }
}

/* One operation, noted before and after.  Whatever a kill cuts off here is either the whole
 * entry (and then nothing was asked) or its answer. */
static void operate(Life *life)
{
    Board *b = life->board;
    atomic_size_t *count = &b->n[life->worker.number];
    size_t n = atomic_load_explicit(count, memory_order_relaxed), index = n++;
    Entry *e = &life->entries[index];
    worker_choose(&life->worker, index, e);
    e->invoke_ns = now_ns();
    atomic_store_explicit(count, n, memory_order_release);
    worker_ask(&life->worker, life->store, index, e);
    if (met_outage(life, e)) {
        sleep_us(OUTAGE_PAUSE_US);
        return;
    }
    e->answer_ns = now_ns();
    atomic_store_explicit(&e->answered, 1, memory_order_release);
    atomic_fetch_add(&b->answered, 1);
    if (!(e->flags & ENTRY_OUTAGE))
        tell_status(life, e);
    add_seen(life, e, &n);
    atomic_store_explicit(count, n, memory_order_release);
}

static bool open_pad(Life *life)
{
    Err e = { 0 };
    store_close(TAKE(life->store));
    StoreOptions options = { .io = &life->io };
    jot_status st;
    for (int i = 0; i < OPENS_MAX; i++) {
        st = open_any(&life->store, str(life->plan->url), &options, &e);
        if (st != JOT_UNAVAILABLE || !life->plan->outage)
            break;
        sleep_us(OUTAGE_PAUSE_US);
    }
    if (st == JOT_OK)
        return true;
    char who[40];
    snprintf(who, sizeof who, "worker %" PRIu32 " opens the pad", life->worker.number);
    report_fault(life->board, who, e.text);
    return false;
}

/* A new life may ask again what the last one died over. */
static void remember_last(Life *life)
{
    size_t n = atomic_load(&life->board->n[life->worker.number]);
    if (n > 0 && !life->entries[n - 1].answered)
        worker_remember(&life->worker, &life->entries[n - 1]);
}

static void work(Board *b, const CrewPlan *plan, uint32_t number, uint32_t incarnation)
{
    Life life = { .board = b, .plan = plan, .entries = &b->entries[number * b->room] };
    worker_init(&life.worker, &plan->scene, number, incarnation, plan->seed, &b->meeting);
    set_up_io(&life, number, plan->seed);
    remember_last(&life);
    bool open = open_pad(&life);
    while (open && !atomic_load(&b->enough)) {
        if (atomic_load(&b->n[number]) + WORKER_SEEN_MAX + 2 > b->room)
            break;
        if (number >= atomic_load(&b->awake)) {
            sleep_us(1000);
            continue;
        }
        if (dice_below(&life.worker.dice, 2000) == 0)
            open = open_pad(&life);
        if (open)
            operate(&life);
        bool done = atomic_load(&b->answered) >= plan->ops && atomic_load(&b->all_sent);
        if (done || atomic_load(&b->fault_told))
            atomic_store(&b->enough, true);
    }
    store_close(life.store);
}

/* --- The chief -------------------------------------------------------------------------- */

typedef struct Hand {
    pid_t pid; /* 0: not running */
    uint32_t lives;
    uint64_t wake_ns; /* when a stopped one goes on; 0: it is not stopped */
    bool killed;
    bool ended; /* by itself, as it should */
} Hand;

typedef struct Chief {
    Crew *crew;
    Board *board;
    const CrewPlan *plan;
    Hand hands[HISTORY_WORKERS_MAX];
    Hand follower;
    Dice dice;
    unsigned signals; /* sent so far */
} Chief;

/* One of the crew, as its process sees it. */
typedef struct Seat {
    Chief *chief;
    size_t number;
} Seat;

static int live_as_worker(void *ctx)
{
    const Seat *seat = ctx;
    Chief *ch = seat->chief;
    work(ch->board, ch->plan, (uint32_t)seat->number, ch->hands[seat->number].lives - 1);
    return 0;
}

static int live_as_follower(void *ctx)
{
    Chief *ch = ctx;
    char fault[500] = "";
    if (!follow(ch->plan->url, &ch->plan->scene, &ch->board->calm, ch->plan->outage, fault,
                sizeof fault))
        report_fault(ch->board, "following changes", fault);
    return 0;
}

static void hire(Chief *ch, size_t i)
{
    Hand *hand = &ch->hands[i];
    *hand = (Hand){ .lives = hand->lives + 1 };
    Seat seat = { ch, i };
    hand->pid = child_start(live_as_worker, &seat, 0);
    if (hand->pid < 0)
        report_fault(ch->board, "fork", strerror(errno));
}

/* A kill that came while an append was under way is worth more than one between two. */
static void count_mid_append(Chief *ch, size_t i)
{
    size_t n = atomic_load(&ch->board->n[i]);
    const Entry *last = &ch->board->entries[i * ch->board->room + (n ? n - 1 : 0)];
    ch->crew->mid_append += n > 0 && !last->answered && last->kind == ENTRY_APPEND;
}

static void say_how_it_died(Chief *ch, const char *who, size_t i, int status)
{
    char text[80], what[80];
    snprintf(text, sizeof text, "%s %zu", who, i);
    snprintf(what, sizeof what, "died by itself (%s %d)", WIFSIGNALED(status) ? "signal" : "exit",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    report_fault(ch->board, text, what);
}

static void reap(Chief *ch, const char *who, Hand *hand, size_t i)
{
    int status;
    if (hand->pid <= 0 || waitpid(hand->pid, &status, WNOHANG) != hand->pid)
        return;
    hand->pid = 0;
    bool by_us = hand->killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    hand->ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (by_us)
        count_mid_append(ch, i);
    else if (!hand->ended)
        say_how_it_died(ch, who, i, status);
}

static void wake(Hand *hand)
{
    hand->wake_ns = 0;
    if (hand->pid > 0)
        kill(hand->pid, SIGCONT);
}

static void kill_one(Chief *ch, Hand *hand)
{
    hand->killed = kill(hand->pid, SIGKILL) == 0;
    hand->wake_ns = 0;
    ch->crew->kills += hand->killed;
}

/* Mostly a blink, sometimes long enough for everybody to pile up behind it. */
static void stop_one(Chief *ch, Hand *hand)
{
    static const unsigned weights[] = { 70, 24, 6 };
    static const uint64_t max_ms[] = { 8, 60, 500 };
    uint64_t ms = 1 + dice_below(&ch->dice, max_ms[dice_pick(&ch->dice, weights, 3)]);
    if (hand->wake_ns || kill(hand->pid, SIGSTOP) != 0)
        return;
    hand->wake_ns = now_ns() + ms * 1000000u;
    ch->crew->stops++;
}

static void change_scene(Chief *ch)
{
    size_t all = ch->plan->workers, few = all < 4 ? all : 4;
    bool quiet = dice_percent(&ch->dice, 20);
    uint64_t n = quiet ? 2 + dice_below(&ch->dice, few - 1) : 2 + dice_below(&ch->dice, all - 1);
    if (!quiet && dice_percent(&ch->dice, 50))
        n = all;
    atomic_store(&ch->board->awake, (unsigned)n);
    atomic_store(&ch->board->meeting.focus, (unsigned)dice_below(&ch->dice, ch->plan->scene.hot));
}

/* Kills and stops are spread evenly over the answers; which comes next is left to the dice. */
static void send_due_signal(Chief *ch)
{
    const CrewPlan *p = ch->plan;
    uint64_t all = (uint64_t)p->kills + p->stops, due = ch->signals;
    if (due >= all)
        atomic_store(&ch->board->all_sent, true);
    if (due >= all || atomic_load(&ch->board->answered) < p->ops * (2 * due + 1) / (2 * all + 2))
        return;
    Hand *hand = &ch->hands[dice_below(&ch->dice, atomic_load(&ch->board->awake))];
    if (hand->pid <= 0 || hand->killed)
        return;
    sleep_us((long)dice_below(&ch->dice, 700));
    unsigned kills_left = p->kills - ch->crew->kills, stops_left = p->stops - ch->crew->stops;
    if (dice_below(&ch->dice, kills_left + stops_left) < kills_left)
        kill_one(ch, hand);
    else
        stop_one(ch, hand);
    ch->signals = ch->crew->kills + ch->crew->stops;
    change_scene(ch);
}

/* Outages too are spread evenly over the answers. */
static void let_it_happen(Chief *ch)
{
    const CrewPlan *p = ch->plan;
    uint64_t done = ch->crew->outages;
    if (done >= p->outages ||
        atomic_load(&ch->board->answered) < p->ops * (2 * done + 1) / (2 * p->outages + 2))
        return;
    outage_next(p->outage, &ch->dice);
    ch->crew->outages++;
}

/* True while anybody but the follower is at work. */
static bool tend(Chief *ch)
{
    if (ch->plan->outage)
        outage_tend(ch->plan->outage);
    bool busy = false, enough = atomic_load(&ch->board->enough);
    for (size_t i = 0; i < ch->plan->workers; i++) {
        Hand *hand = &ch->hands[i];
        if (hand->wake_ns && (enough || now_ns() >= hand->wake_ns))
            wake(hand);
        reap(ch, "worker", hand, i);
        if (hand->pid == 0 && hand->killed && !enough)
            hire(ch, i);
        busy = busy || hand->pid > 0;
    }
    reap(ch, "follower", &ch->follower, 0);
    return busy;
}

static void end_all(Chief *ch)
{
    for (size_t i = 0; i <= ch->plan->workers; i++) {
        Hand *hand = i < ch->plan->workers ? &ch->hands[i] : &ch->follower;
        if (hand->pid <= 0)
            continue;
        kill(hand->pid, SIGKILL);
        waitpid(hand->pid, NULL, 0);
        hand->pid = 0;
    }
}

/* True if there was an answer lately, or nobody is left to give one. */
static bool moving(Chief *ch, uint64_t *answers, uint64_t *since_ns)
{
    uint64_t n = atomic_load(&ch->board->answered);
    if (n != *answers)
        *since_ns = now_ns();
    *answers = n;
    return now_ns() - *since_ns < (uint64_t)ch->plan->stuck_ms * 1000000u;
}

static void lead(Chief *ch)
{
    uint64_t answers = 0, since_ns = now_ns();
    for (size_t i = 0; i < ch->plan->workers; i++)
        hire(ch, i);
    ch->follower.pid = child_start(live_as_follower, ch, 0);
    bool going = true;
    while (tend(ch) && going) {
        if (!atomic_load(&ch->board->enough))
            send_due_signal(ch);
        if (!atomic_load(&ch->board->enough))
            let_it_happen(ch);
        sleep_us(200);
        going = moving(ch, &answers, &since_ns);
    }
    atomic_store(&ch->board->enough, true);
    if (ch->plan->outage)
        outage_calm(ch->plan->outage);
    atomic_store(&ch->board->calm, going);
    for (since_ns = now_ns(); going && ch->follower.pid > 0; sleep_us(1000)) {
        reap(ch, "follower", &ch->follower, 0);
        going = moving(ch, &answers, &since_ns);
    }
    if (!going)
        report_fault(ch->board, "the crew", "nobody was answered for a long time");
    end_all(ch);
}

/* --- The board -------------------------------------------------------------------------- */

/* Memory is taken as it is used, so each log may have room for nearly everything. */
static bool make_board(Crew *c, const CrewPlan *plan)
{
    size_t room = (size_t)plan->ops * 2 + 4096;
    c->board_size = sizeof(Board) + plan->workers * room * sizeof(Entry);
    void *at = mmap(NULL, c->board_size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        snprintf(c->fault, sizeof c->fault, "could not share memory: %s", strerror(errno));
        return false;
    }
    c->board = at;
    c->board->room = room;
    atomic_store(&c->board->awake, (unsigned)plan->workers);
    return true;
}

bool crew_run(Crew *c, const CrewPlan *plan)
{
    *c = (Crew){ 0 };
    if (!make_board(c, plan))
        return false;
    Chief chief = { .crew = c, .board = c->board, .plan = plan, .dice = { plan->seed } };
    lead(&chief);
    c->history.log_n = plan->workers;
    c->history.stream_n = plan->scene.n;
    for (size_t w = 0; w < plan->workers; w++)
        c->history.logs[w] =
            (Log){ &c->board->entries[w * c->board->room], atomic_load(&c->board->n[w]) };
    for (size_t i = 0; i < plan->scene.n; i++)
        c->history.streams[i].name = plan->scene.streams[i].name;
    if (atomic_load(&c->board->fault_told))
        snprintf(c->fault, sizeof c->fault, "%s", c->board->fault);
    return c->fault[0] == 0;
}

void crew_done(Crew *c)
{
    if (c->board)
        munmap(c->board, c->board_size);
    *c = (Crew){ 0 };
}
