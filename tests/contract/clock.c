/* clock.c - promises about time: whose clock dates records and judges leases. */
#include <string.h>

#include "contract.h"

static const int64_t day_ms = 24 * 3600 * 1000;

static StoreTime ask(Trial *p)
{
    StoreTime t;
    CHECK_IS(p, store_clock(p->s, &t, &p->e), JOT_OK);
    CHECK(t.era[0] && strlen(t.era) < sizeof t.era);
    CHECK(t.margin_ms >= 0);
    CHECK(t.served || t.margin_ms == 0); /* one machine has one clock */
    return t;
}

static void the_clock_goes_on(Trial *p)
{
    p->io.served_ms = NULL;
    StoreTime before = ask(p), after = { 0 };
    for (int i = 0; i < 1000 && after.now_ms <= before.now_ms; i++) {
        io_sleep_us(&io_system, 2000);
        after = ask(p);
    }
    CHECK(after.now_ms > before.now_ms);
    CHECK(strcmp(after.era, before.era) == 0);
}

static void handles_agree_on_the_time(Trial *p)
{
    p->io.served_ms = NULL;
    StoreTime mine = ask(p);
    trial_use(p, 1);
    StoreTime other = ask(p);
    trial_use(p, 0);
    StoreTime again = ask(p);
    CHECK(strcmp(mine.era, other.era) == 0);
    CHECK(mine.now_ms <= other.now_ms && other.now_ms <= again.now_ms);
}

/* What was noted before a boot is not compared with what comes after it; a server has none. */
static void an_era_ends_with_the_boot_only_where_the_clock_does(Trial *p)
{
    StoreTime before = ask(p);
    trial_reboot(p);
    StoreTime after = ask(p);
    CHECK((strcmp(before.era, after.era) == 0) == before.served);
}

static int64_t tomorrow(void *ctx)
{
    return io_wall_ms(&io_system) + day_ms;
}

/* Another machine: its wall clock is a day ahead and it was started a moment ago. */
static int64_t just_started(void *ctx)
{
    return io_awake_ms(&io_system) % 1000000;
}

static void a_server_dates_records_whatever_the_clocks_of_its_users(Trial *p)
{
    p->io.served_ms = NULL;
    p->io.wall_ms = tomorrow;
    trial_reopen(p);
    int64_t at = put(p, "notes/a", "one").at_ms;
    if (!ask(p).served) {
        CHECK(at > io_wall_ms(&io_system));
        return;
    }
    /* The server of these tests has the clock of this machine. */
    CHECK(at > io_wall_ms(&io_system) - day_ms / 2 && at < io_wall_ms(&io_system) + day_ms / 2);
    p->io.awake_ms = just_started;
    trial_reopen(p);
    int64_t next = put(p, "notes/b", "one").at_ms;
    CHECK(next >= at - 1000 && next < at + day_ms / 2);
    CHECK(ask(p).now_ms < at + day_ms / 2);
}

const Promise clock_promises[] = {
    PROMISE(the_clock_goes_on),
    LASTING(handles_agree_on_the_time),
    LASTING(an_era_ends_with_the_boot_only_where_the_clock_does),
    LASTING(a_server_dates_records_whatever_the_clocks_of_its_users),
    { 0 },
};
