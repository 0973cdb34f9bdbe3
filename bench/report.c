/* report.c - one line a measurement, for people or (with --json) for programs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "bench/bench.h"

/* What a line shows, whatever was measured. */
typedef struct Figures {
    double ratio, least, most;
    double a, b; /* the absolute values, in `unit` */
    bool spread; /* least and most mean something */
    const char *unit;
} Figures;

static bool goal_met(Goal g, double ratio)
{
    return g.kind == GOAL_AT_MOST ? ratio <= g.ratio : ratio >= g.ratio;
}

static const char *goal_sign(Goal g)
{
    return g.kind == GOAL_AT_MOST ? "<=" : ">=";
}

static void print_json(const Line *l, const Figures *f)
{
    printf("{\"id\":\"%s\",\"engine\":\"%s\",\"what\":\"%s\",\"ratio\":%.4f,\"min\":%.4f,"
           "\"max\":%.4f,\"unit\":\"%s\",\"a\":%.3f,\"b\":%.3f",
           l->id, l->engine, l->what, f->ratio, f->least, f->most, f->unit, f->a, f->b);
    if (l->goal.kind != GOAL_NONE)
        printf(",\"goal\":\"%s %g\",\"met\":%s", goal_sign(l->goal), l->goal.ratio,
               goal_met(l->goal, f->ratio) ? "true" : "false");
    printf("}\n");
}

typedef struct Amount {
    char text[32];
} Amount;

static Amount amount(double value, const char *unit)
{
    Amount out;
    int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    if (strcmp(unit, "us") == 0 && value >= 10000)
        snprintf(out.text, sizeof out.text, "%.1f ms", value / 1000);
    else
        snprintf(out.text, sizeof out.text, "%.*f %s", strcmp(unit, "us") ? 0 : digits, value,
                 unit);
    return out;
}

/* A smoke run judges nothing. */
static const char *verdict(const Bench *b, const Line *l, double ratio)
{
    if (b->smoke || l->goal.kind == GOAL_NONE)
        return "-";
    return goal_met(l->goal, ratio) ? "ok" : "MISSED";
}

static void print_text(const Bench *b, const Line *l, const Figures *f)
{
    char spread[40] = "", goal[32] = "no goal";
    if (f->spread)
        snprintf(spread, sizeof spread, "(%.2f..%.2f)", f->least, f->most);
    if (l->goal.kind != GOAL_NONE)
        snprintf(goal, sizeof goal, "goal %s %.4gx", goal_sign(l->goal), l->goal.ratio);
    printf("%-5s %-7s %-58s %6.2fx %-16s %-14s %-6s  [%s / %s]\n", l->id, l->engine, l->what,
           f->ratio, spread, goal, verdict(b, l, f->ratio), amount(f->a, f->unit).text,
           amount(f->b, f->unit).text);
}

static void print_line(Bench *b, const Line *l, const Figures *f)
{
    if (b->json)
        print_json(l, f);
    else
        print_text(b, l, f);
    fflush(stdout);
    b->lines++;
}

static void report_ratio(Bench *bench, const Line *line, const Times *t, size_t a, size_t b,
                         bool speed)
{
    double ratios[ROUNDS_MAX];
    Figures f = { .spread = true, .unit = "us" };
    for (unsigned i = 0; i < t->rounds; i++) {
        ratios[i] = speed ? t->us[b][i] / t->us[a][i] : t->us[a][i] / t->us[b][i];
        f.least = i == 0 || ratios[i] < f.least ? ratios[i] : f.least;
        f.most = ratios[i] > f.most ? ratios[i] : f.most;
    }
    f.ratio = median(ratios, t->rounds);
    f.a = median(t->us[a], t->rounds);
    f.b = median(t->us[b], t->rounds);
    print_line(bench, line, &f);
}

void report_times(Bench *bench, const Line *line, const Times *t, size_t a, size_t b)
{
    report_ratio(bench, line, t, a, b, false);
}

void report_speed(Bench *bench, const Line *line, const Times *t, size_t a, size_t b)
{
    report_ratio(bench, line, t, a, b, true);
}

void report_bytes(Bench *bench, const Line *line, double a, double b)
{
    double ratio = a / b;
    print_line(
        bench, line,
        &(Figures){ .ratio = ratio, .least = ratio, .most = ratio, .a = a, .b = b, .unit = "B" });
}

void report_note(const Bench *b, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (b->json)
        printf("{\"note\":\"%s\"}\n", text);
    else
        printf("# %s\n", text);
    fflush(stdout);
}

static const char *file_system(const char *path)
{
    static const struct {
        unsigned long type;
        const char *name;
    } known[] = { { 0xEF53, "ext4" },      { 0x01021994, "tmpfs" }, { 0x58465342, "xfs" },
                  { 0x9123683E, "btrfs" }, { 0x2FC12FC1, "zfs" },   { 0x794C7630, "overlay" } };
    struct statfs info;
    must(statfs(path, &info) == 0, "statfs");
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if ((unsigned long)info.f_type == known[i].type)
            return known[i].name;
    return "a file system of another kind";
}

void report_header(const Bench *b)
{
    struct utsname system;
    must(uname(&system) == 0, "uname");
    report_note(b,
                "ratios of two sides taking turns; median of %u rounds (least..most), then the "
                "medians themselves",
                b->rounds);
    report_note(b,
                "one process: pinned to processor %d; R4: %d processes, free; Linux %s, SQLite %s",
                pinned_to(), CROWD, system.release, sqlite3_libversion());
    report_note(b, "disk: %s; R10 and R11: %llu streams on %s (on tmpfs a sync costs nothing)",
                file_system(b->disk), (unsigned long long)b->streams, file_system(b->fill));
}

bool wanted(const Bench *b, const char *id)
{
    if (!b->only)
        return true;
    Str rest = str(b->only), one;
    for (bool more = true; more;) {
        more = str_cut(&rest, ',', &one);
        if (str_eq(more ? one : rest, str(id)))
            return true;
    }
    return false;
}
