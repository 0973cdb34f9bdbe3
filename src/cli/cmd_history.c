/* cmd_history.c - what documents were, from the shell: history, diff, blame, undo, restore. */
#include "cli/cmd_history.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/docs.h"
#include "cli/when.h"
#include "memory/kinds.h"

extern const Cmd cmd_history, cmd_diff, cmd_blame, cmd_undo, cmd_redo, cmd_restore;

enum { PAGE = 500, CHANGES_SHOWN = 25 };

/* --- history --------------------------------------------------------------------------- */

static void print_note(Session *s, const Record *r)
{
    unsigned long long restored = (unsigned long long)meta_number(r->meta, "restored");
    Str from = meta_text(r->meta, "from", &s->arena);
    AUTO_PTR(json_t) meta = NULL;
    if (r->mark.seq == 0)
        fputs("  (not recorded yet)", stdout);
    if (r->mark.redacted)
        fputs("  (redacted)", stdout);
    if (r->meta.n && json_read(r->meta, &meta, NULL) == JOT_OK && json_object_get(meta, "undo"))
        printf("  (undo: as at %lld)",
               (long long)json_integer_value(json_object_get(meta, "undo")));
    else if (restored)
        printf("  (restored %llu)", restored);
    if (from.n) {
        fputs("  (from ", stdout);
        print_name(from);
        putchar(')');
    }
}

/* How wide a moment is: as people read it at a terminal, or exact. */
static int when_width(const Session *s)
{
    return isatty(STDOUT_FILENO) == 1 && !opt_given(s, "utc") ? 16 : 24;
}

static void print_heads(const Session *s)
{
    if (isatty(STDOUT_FILENO) == 1)
        printf("%s%6s  %-*s  %-6s  %-*s  %8s  %s%s\n", ink(INK_DIM), "seq", when_width(s), "when",
               "what", VERSION_HEX, "version", "bytes", "who", ink(INK_PLAIN));
}

static void print_record(Session *s, const Record *r)
{
    printf("%6llu  %-*s  %-6s  %-*s  %8llu  ", (unsigned long long)r->mark.seq, when_width(s),
           when_shown(s, r->mark.at_ms).text, op_name(r->mark.op), VERSION_HEX,
           mark_live(&r->mark) ? version_of(r->mark.sha256).text : "-",
           (unsigned long long)r->mark.size);
    print_name(r->by);
    print_note(s, r);
    putchar('\n');
}

typedef struct Told {
    uint64_t damaged;
    uint64_t before; /* seq of the oldest one shown */
    bool more;
} Told;

static jot_status show_history(Session *s, Str stream, int64_t limit, uint64_t before, json_t *into,
                               Told *told)
{
    *told = (Told){ .before = before, .more = true };
    while (told->more && limit > 0) {
        AUTO(Arena) arena = { 0 };
        History page;
        size_t room = limit < PAGE ? (size_t)limit : PAGE;
        TRY(history_page(&s->memory, stream, &(HistoryAsk){ .before = told->before, .limit = room },
                         &arena, &page, &s->err));
        AUTO_PTR(json_t) list = into ? history_json(stream, &page) : NULL;
        if (into)
            json_array_extend(into, list);
        if (!into && told->before == before && page.n)
            print_heads(s);
        for (size_t i = 0; i < page.n; i++) {
            if (!into)
                print_record(s, &page.items[i]);
            if (page.items[i].mark.seq)
                told->before = page.items[i].mark.seq;
        }
        told->damaged += page.damaged;
        told->more = page.more && page.n && told->before;
        limit -= (int64_t)page.n;
    }
    return JOT_OK;
}

/* What happened in the pad: "3 min ago  ann  wrote  plan  15 bytes (+3)". */
static void print_change(Session *s, const Change *c)
{
    printf("%-*s  ", when_width(s), when_shown(s, c->record.mark.at_ms).text);
    print_padded(c->record.by, 10);
    printf("  %-7s  ", change_word(c));
    print_name(doc_word(c->stream));
    if (c->joined)
        printf("  %s", counted(c->joined, "record").text);
    else if (mark_live(&c->record.mark))
        printf("  %s (%+lld)", counted(c->record.mark.size, "byte").text, (long long)c->grew);
    print_note(s, &c->record);
    putchar('\n');
}

void changes_print(Session *s, const ChangeList *list)
{
    if (list->n && isatty(STDOUT_FILENO) == 1)
        printf("%s%-*s  %-10s  %-7s  %s%s\n", ink(INK_DIM), when_width(s), "when", "who", "what",
               "which", ink(INK_PLAIN));
    for (size_t i = 0; i < list->n; i++)
        print_change(s, &list->items[i]);
}

/* A kind without changes is one that people and agents write, or one that the pad has; what is
 * neither was mistyped. */
static jot_status check_kind(Session *s, const char *kind, bool there)
{
    Shown shown;
    Kinds kinds = { 0 };
    if (!kind || kind_word(kind))
        return JOT_OK;
    if (there)
        TRY(memory_kinds(&s->memory, LIST_LIVE_NAMES, &kinds, &s->err));
    if (kinds_count(&kinds, kind))
        return JOT_OK;
    return err_set(&s->err, JOT_INVALID,
                   "no kind '%s': use notes, memories, artifacts, tasks, plans, runs, cycles, "
                   "checkpoints, logs, graph or threads",
                   err_show(&shown, str(kind)));
}

static jot_status run_changes(Session *s)
{
    bool there;
    int64_t limit;
    ChangeList list = { 0 };
    ChangesAsk ask = { .kind = str(opt_text(s, "kind")), .by = str(opt_text(s, "by")) };
    if (opt_given(s, "before"))
        return err_set(&s->err, JOT_INVALID,
                       "--before is for the history of one note: jotter history KEY --before SEQ");
    TRY(opt_number(s, "limit", 1, CHANGES_MAX, CHANGES_SHOWN, &limit));
    TRY(opt_time(s, "since", false, &ask.since_ms));
    ask.limit = (size_t)limit;
    TRY(session_open_any(s, &there));
    if (there)
        TRY(changes_list(&s->memory, &ask, &s->arena, &list, &s->err));
    if (list.n == 0)
        TRY(check_kind(s, opt_text(s, "kind"), there));
    if (s->json) {
        print_json(changes_json(&list));
        return JOT_OK;
    }
    changes_print(s, &list);
    if (list.n == 0)
        say("nothing has changed%s",
            ask.since_ms || ask.by.n || ask.kind.n ? ", as asked" : " yet");
    if (list.more)
        say("there are older ones: --limit %lld", (long long)limit * 4);
    if (list.unseen)
        say("only the %d newest streams were looked at, and %zu older ones were not: name a --kind",
            CHANGES_STREAMS, list.unseen);
    return JOT_OK;
}

static jot_status run_history(Session *s)
{
    Str stream;
    int64_t limit, before;
    if (s->n == 0)
        return run_changes(s);
    if (opt_given(s, "since") || opt_given(s, "by") || opt_given(s, "kind"))
        return err_set(
            &s->err, JOT_INVALID,
            "--since, --by and --kind are for the whole pad: jotter history without KEY");
    TRY(docs_arg(s, 0, &stream));
    TRY(opt_number(s, "limit", 1, INT32_MAX, INT64_MAX, &limit));
    TRY(opt_number(s, "before", 1, INT64_MAX, 0, &before));
    TRY(docs_open(s, stream));
    AUTO_PTR(json_t) list = s->json ? json_array() : NULL;
    Told told;
    TRY(show_history(s, stream, limit, (uint64_t)before, list, &told));
    if (s->json)
        print_json(json_pack("{s:O, s:b, s:I}", "versions", list, "more", told.more, "damaged",
                             (json_int_t)told.damaged));
    else if (told.more)
        say("there are older ones: --before %llu", (unsigned long long)told.before);
    if (told.damaged && !s->json)
        say("%s cannot be read", counted(told.damaged, "record").text);
    return JOT_OK;
}

/* --- diff ------------------------------------------------------------------------------ */

static jot_status run_diff(Session *s)
{
    HistoryDiffAsk ask = { 0 };
    HistoryDiff d;
    TRY(docs_arg(s, 0, &ask.stream));
    if (s->n > 1)
        TRY(docs_version(s, 1, &ask.from));
    if (s->n > 2)
        TRY(docs_version(s, 2, &ask.to));
    TRY(docs_open(s, ask.stream));
    TRY(history_diff(&s->memory, &ask, &s->arena, &d, &s->err));
    if (!s->json) {
        docs_print_diff(d.text);
        return JOT_OK;
    }
    print_json(json_pack("{s:o, s:o, s:o, s:I, s:I}", "from",
                         d.from.mark.op ? doc_json(ask.stream, &d.from, false) : json_null(), "to",
                         d.to.mark.op ? doc_json(ask.stream, &d.to, false) : json_null(), "diff",
                         json_text(d.text), "added", (json_int_t)d.added, "removed",
                         (json_int_t)d.removed));
    return JOT_OK;
}

/* --- blame ----------------------------------------------------------------------------- */

static jot_status run_blame(Session *s)
{
    Str stream;
    Blame b;
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_open(s, stream));
    TRY(history_blame(&s->memory, stream, &s->arena, &b, &s->err));
    if (s->json) {
        print_json(json_pack("{s:o, s:b}", "lines", blame_json(&b), "cut", b.cut));
        return JOT_OK;
    }
    for (size_t i = 0; i < b.lines.n; i++) {
        const Record *r = b.from[i];
        printf("%s%s  %-16.16s  ", ink(INK_DIM), version_of(r->mark.sha256).text,
               when_shown(s, r->mark.at_ms).text);
        print_padded(r->by, 10);
        printf(" %5zu)%s ", i + 1, ink(INK_PLAIN));
        print_line(lines_slice(&b.lines, i, i + 1));
    }
    if (b.cut)
        say("some lines may be older: what is before is not kept or too far back");
    return JOT_OK;
}

/* --- undo, restore --------------------------------------------------------------------- */

/* `mine` is the text that would have been brought back; none if it is not known. */
static jot_status refuse_changed(Session *s, Str stream, Str mine, const Doc *now)
{
    Conflict c = { .stream = stream, .mine = mine, .now = *now };
    return docs_show_conflict(s, &c);
}

typedef jot_status (*Going)(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                            Err *e);

static jot_status go(Session *s, Going going)
{
    Str stream;
    DocIf when;
    Doc now;
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_if(s, &when));
    TRY(docs_open(s, stream));
    jot_status st = going(&s->memory, stream, &when, &s->arena, &now, &s->err);
    if (st == JOT_CONFLICT)
        return refuse_changed(s, stream, (Str){ 0 }, &now);
    TRY(st);
    uint64_t back = meta_number(now.meta, "undo");
    Str line = arena_printf(&s->arena, "%s is %s%llu", doc_name(stream).text,
                            mark_live(&now.mark) ? "as it was at seq "
                            : back               ? "deleted, as it was at seq "
                                                 : "deleted, as it was before seq ",
                            (unsigned long long)(back ? back : 1));
    docs_answer(s, stream, &now, line, (Str){ 0 });
    return JOT_OK;
}

static jot_status run_undo(Session *s)
{
    return go(s, history_undo);
}

static jot_status run_redo(Session *s)
{
    return go(s, history_redo);
}

static jot_status run_restore(Session *s)
{
    Str stream;
    DocIf when;
    When which;
    Doc now;
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_when(s, s->args[1], &which));
    TRY(docs_if(s, &when));
    TRY(docs_open(s, stream));
    jot_status st =
        history_restore(&s->memory, stream, &(Restore){ which, when }, &s->arena, &now, &s->err);
    Doc was = { 0 };
    if (st == JOT_CONFLICT &&
        history_at(&s->memory, stream, &which, &s->arena, &was, &(Err){ 0 }) != JOT_OK)
        was = (Doc){ 0 };
    if (st == JOT_CONFLICT)
        return refuse_changed(s, stream, was.text, &now);
    TRY(st);
    Str line = arena_printf(&s->arena, "%s is as it was at seq %llu", doc_name(stream).text,
                            (unsigned long long)meta_number(now.meta, "restored"));
    docs_answer(s, stream, &now, line, (Str){ 0 });
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

#define VERSION_HELP                                                                          \
    "A VERSION is 7 to 64 hex digits, a seq, ~N for N versions back, 'now', or a time such\n" \
    "as yesterday, 2h or 2026-01-31T18:45:00Z.\n"

static const Opt history_opts[] = {
    { "limit", "N", "at most N; of the pad 25 if not given" },
    { "before", "SEQ", "only those older than this one" },
    { "since", "TIME", "of the pad: not before; yesterday, monday, 12h, 7d, 2026-01-31" },
    { "by", "NAME", "of the pad: only what this one changed" },
    { "kind", "KIND", "of the pad: only notes, memories, artifacts, tasks, plans, runs ..." },
    { 0 },
};

const Cmd cmd_history = {
    .name = "history",
    .args = "[KEY]",
    .summary = "Print what changed in the pad, or the versions of a note, newest first",
    .help =
        "Without KEY the newest changes of the pad: when, who, what, how much.  With KEY its\n"
        "versions: seq, time, what happened, version, bytes, who.  'outside': the file itself was\n"
        "edited.\n",
    .opts = history_opts,
    .args_max = 1,
    .run = run_history,
};

const Cmd cmd_diff = {
    .name = "diff",
    .args = "KEY [VERSION [VERSION]]",
    .summary = "Print what changed between two versions",
    .help = "Without a version: what the last change did.  With one: what changed "
            "since.\n" VERSION_HELP,
    .args_min = 1,
    .args_max = 3,
    .run = run_diff,
};

const Cmd cmd_blame = {
    .name = "blame",
    .args = "KEY",
    .summary = "Print who wrote each line, and with which version",
    .help = "",
    .args_min = 1,
    .args_max = 1,
    .run = run_blame,
};

static const Opt if_version_opts[] = {
    { "if-version", "VERSION", "only if it is still at this version" },
    { 0 },
};

const Cmd cmd_undo = {
    .name = "undo",
    .args = "KEY",
    .summary = "Restore what was there before the last change",
    .help = "Again and it goes one change further back.  A deleted note comes back; undoing the\n"
            "first write of a note deletes it.  Nothing is lost: undo writes a new version.\n",
    .opts = if_version_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_undo,
};

const Cmd cmd_redo = {
    .name = "redo",
    .args = "KEY",
    .summary = "Take back the last undo",
    .help = "Works as many times as undo did, if nothing was written since.\n",
    .opts = if_version_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_redo,
};

const Cmd cmd_restore = {
    .name = "restore",
    .args = "KEY VERSION",
    .summary = "Restore an older version, as a new one",
    .help = VERSION_HELP,
    .opts = if_version_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_restore,
};
