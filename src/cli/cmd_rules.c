/* cmd_rules.c - which notes are rules: approving, revoking, showing them.
 *
 * The text that is approved is the text that was shown: it is read once, shown with
 * every character that cannot be seen written out, and remembered by its hash.  If the
 * note is another one by the time the answer comes, it is that text which is not
 * approved. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glyph.h"
#include "base/url.h"
#include "cli/docs.h"
#include "cli/rules.h"
#include "cli/tty.h"
#include "memory/context/rule.h"
#include "memory/frame/frame.h"

extern const Cmd cmd_rules;

/* The key of an argument, which may also be a stream's name. */
static jot_status key_arg(Session *s, Str *key, Str *stream)
{
    const Str kind = S("notes/");
    TRY(docs_arg(s, 0, stream));
    *key = str_starts(*stream, kind) ? str_from(*stream, kind.n) : *stream;
    return JOT_OK;
}

/* --- Approving --------------------------------------------------------------------------- */

/* Each line with its number, so that none can be overlooked or pretended. */
static void add_shown(Buf *to, Str text)
{
    Str line, rest = text;
    for (size_t n = 1; rest.n; n++) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        buf_addf(to, "%5zu | ", n);
        glyph_add(to, line, GLYPH_LINE);
        buf_add_char(to, '\n');
    }
}

static bool all_seen(Str text)
{
    Str line, rest = text;
    bool seen = true;
    while (seen && str_cut(&rest, '\n', &line))
        seen = glyph_hidden_at(line, GLYPH_LINE) == line.n;
    return seen && glyph_hidden_at(rest, GLYPH_LINE) == rest.n;
}

static bool ask(Session *s, int tty, Str key, Str text)
{
    Shown pad;
    AUTO(Buf) shown = { .max = SIZE_MAX / 2 };
    buf_addf(&shown, "The note '" STR_FMT "' of the pad '%s', %s:\n\n", STR_ARG(key),
             err_show(&pad, url_bare(&s->arena, s->where.url)), counted(text.n, "byte").text);
    add_shown(&shown, text);
    if (!all_seen(text))
        buf_add(&shown, S("\nIt holds characters that cannot be seen; they are written out, as "
                          "\\u{202E}.\n"));
    buf_addf(&shown,
             "\nsha256 %s\nApproved, this text is a rule for every model that works with this pad, "
             "until it\nis changed or revoked.\n",
             hash_hex(hash_of(text)).text);
    tty_show(tty, buf_str(&shown));
    return tty_asks_yes(tty, "Approve it? Type yes, or anything else for no: ");
}

static jot_status run_approve(Session *s)
{
    Str key, stream;
    Doc d;
    AUTO(Fd) tty = FD_NONE;
    TRY(key_arg(s, &key, &stream));
    TRY(docs_open(s, stream));
    TRY(doc_read(&s->memory, stream, &s->arena, &d, &s->err));
    memory_close(&s->memory);
    TRY(session_open(s, true)); /* a clone may be without what an id needs (store/files/clone.c) */
    TRY(rules_check(&s->memory, key, d.text, &s->err));
    if (tty_open(&tty, &s->err) != JOT_OK)
        return err_set(&s->err, JOT_DENIED,
                       "a rule is approved by a person at a terminal, and there is none here: "
                       "unattended, give rules with --rules FILE");
    if (!ask(s, tty, key, d.text))
        return err_set(&s->err, JOT_DENIED, "the note '" STR_FMT "' was not approved",
                       STR_ARG(key));
    TRY(rules_approve(&s->memory, key, d.text, &s->err));
    s->changed = true;
    if (s->json)
        print_json(json_pack("{s:o, s:s}", "key", json_text(key), "sha256",
                             hash_hex(hash_of(d.text)).text));
    else
        printf("approved '" STR_FMT "'\n", STR_ARG(key));
    return JOT_OK;
}

static bool at_terminal(Session *s, Fd *tty)
{
    Err ignored = { 0 };
    return isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && !s->json &&
           tty_open(tty, &ignored) == JOT_OK;
}

void rules_offer(Session *s, Str stream)
{
    const Str kind = S("notes/");
    Str key = str_from(stream, kind.n);
    Approvals approved;
    Doc d;
    Err e = { 0 };
    AUTO(Fd) tty = FD_NONE;
    if (s->json || !str_starts(stream, kind) || !rule_key(key) ||
        doc_read(&s->memory, stream, &s->arena, &d, &e) != JOT_OK ||
        rules_read(&s->memory, &s->arena, &approved, &e) != JOT_OK ||
        rules_judge(&approved, key, d.text) == RULE_APPROVED)
        return;
    fflush(stdout);
    if (rules_check(&s->memory, key, d.text, &e) == JOT_OK && at_terminal(s, &tty) &&
        ask(s, tty, key, d.text)) {
        if (rules_approve(&s->memory, key, d.text, &e) == JOT_OK)
            printf("approved '" STR_FMT "'\n", STR_ARG(key));
        else
            say("it is written, but not approved: %s", e.text);
        return;
    }
    say("models get '" STR_FMT
        "' as information, not as a rule, until you approve it: jotter rules approve " STR_FMT,
        STR_ARG(key), STR_ARG(key));
}

/* --- Revoking ---------------------------------------------------------------------------- */

static jot_status run_revoke(Session *s)
{
    Str key, stream;
    TRY(key_arg(s, &key, &stream));
    TRY(docs_open(s, stream));
    TRY(rules_revoke(&s->memory, key, &s->err));
    s->changed = true;
    if (s->json)
        print_json(json_pack("{s:o}", "key", json_text(key)));
    else
        printf("revoked '" STR_FMT "'\n", STR_ARG(key));
    return JOT_OK;
}

/* --- Looking ----------------------------------------------------------------------------- */

static const char *state_name(RuleState state)
{
    return state == RULE_APPROVED ? "approved" : state == RULE_CHANGED ? "changed" : "not approved";
}

/* A note that can be a rule, as it is now. */
typedef struct Rule {
    Str key;
    Doc doc;
    RuleState state;
} Rule;

static jot_status read_rules(Session *s, Approvals *approved, Rule **out, size_t *n)
{
    Str *keys;
    size_t keys_n;
    *n = 0;
    TRY(rules_read(&s->memory, &s->arena, approved, &s->err));
    TRY(rules_keys(&s->memory, &s->arena, &keys, &keys_n, &s->err));
    *out = NEW_ARRAY(&s->arena, Rule, keys_n + 1);
    for (size_t i = 0; i < keys_n; i++) {
        Rule *r = &(*out)[*n];
        Str stream = arena_printf(&s->arena, "notes/" STR_FMT, STR_ARG(keys[i]));
        jot_status st = doc_read(&s->memory, stream, &s->arena, &r->doc, &s->err);
        if (st == JOT_NOT_FOUND)
            continue;
        TRY(st);
        r->key = keys[i];
        r->state = rules_judge(approved, r->key, r->doc.text);
        ++*n;
    }
    if (approved->why.text[0])
        say("no note counts as approved: %s", approved->why.text);
    return JOT_OK;
}

static Str approved_at(const Approvals *a, Str key)
{
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->items[i].key, key))
            return a->items[i].at;
    return (Str){ 0 };
}

static void list_one(Session *s, json_t *list, Str key, const char *state, Str at, Str version)
{
    if (s->json) {
        json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o}", "key", json_text(key),
                                              "state", state, "approved_at", json_text_or_null(at),
                                              "version", json_text_or_null(version)));
        return;
    }
    printf("%-12s  " STR_FMT, state, STR_ARG(key));
    if (at.n)
        printf("  (approved " STR_FMT ")", STR_ARG(at));
    putchar('\n');
}

static jot_status run_list(Session *s)
{
    Approvals a;
    Rule *rules = NULL;
    size_t n = 0;
    bool there;
    AUTO_PTR(json_t) list = json_array();
    TRY(session_open_any(s, &there));
    if (there)
        TRY(read_rules(s, &a, &rules, &n));
    for (size_t i = 0; i < n; i++)
        list_one(s, list, rules[i].key, state_name(rules[i].state), approved_at(&a, rules[i].key),
                 arena_copy(&s->arena, str(version_of(rules[i].doc.mark.sha256).text)));
    /* Approvals of notes that are gone: they would count again. */
    for (size_t i = 0; there && i < a.n; i++) {
        bool is_there = false;
        for (size_t k = 0; k < n; k++)
            is_there = is_there || str_eq(rules[k].key, a.items[i].key);
        if (!is_there)
            list_one(s, list, a.items[i].key, "gone", a.items[i].at, (Str){ 0 });
    }
    if (s->json)
        print_json(json_pack("{s:O}", "rules", list));
    else if (!n && !(there && a.n))
        fputs("(none)\n", stderr);
    return JOT_OK;
}

/* As a context has them: no text can pass for the line that begins or ends a rule. */
static jot_status run_show(Session *s)
{
    Approvals a;
    Rule *rules = NULL;
    size_t n = 0;
    bool there;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    AUTO_PTR(json_t) list = json_array();
    TRY(session_open_any(s, &there));
    Frame f = { 0 };
    if (there)
        TRY(read_rules(s, &a, &rules, &n));
    if (there)
        f = frame_of_pad(&s->memory, 0);
    for (size_t i = 0; i < n; i++) {
        const Rule *r = &rules[i];
        if (r->state != RULE_APPROVED)
            continue;
        json_array_append_new(list, json_pack("{s:o, s:o}", "key", json_text(r->key), "text",
                                              json_text(r->doc.text)));
        AUTO(Buf) says = { 0 };
        frame_attribute_add(&says, &f, "key", r->key);
        frame_attribute_add(&says, &f, "version", str(version_of(r->doc.mark.sha256).text));
        frame_value_add(&text, &f, "rule", buf_str(&says), r->doc.text);
    }
    if (text.n)
        frame_end_add(&text, &f);
    if (s->json)
        print_json(json_pack("{s:O}", "rules", list));
    else
        print_text(buf_str(&text));
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

static const Cmd list_cmd = {
    .name = "list",
    .args = "",
    .summary = "Print the notes that can be rules, and whether they are",
    .help = "approved; changed: another text was approved; not approved; gone: there is an\n"
            "approval, but no such note.\n",
    .run = run_list,
};

static const Cmd show_cmd = {
    .name = "show",
    .args = "",
    .summary = "Print the rules that are approved, for a model to follow",
    .help = "",
    .run = run_show,
};

static const Cmd approve_cmd = {
    .name = "approve",
    .args = "KEY",
    .summary = "Read a note, and make its text a rule",
    .help =
        "The text is shown, with what cannot be seen written out, and the question is asked at\n"
        "the terminal (/dev/tty, never standard input); only 'yes' approves it.  Unattended,\n"
        "give rules with --rules FILE.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_approve,
};

static const Cmd revoke_cmd = {
    .name = "revoke",
    .args = "KEY",
    .summary = "Withdraw the approval of a rule",
    .help = "Runs that have begun keep the rules they began with.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_revoke,
};

static const Cmd *const subs[] = { &list_cmd, &show_cmd, &approve_cmd, &revoke_cmd, NULL };

const Cmd cmd_rules = {
    .name = "rules",
    .args = "COMMAND",
    .summary = "Approve the notes that models may follow as rules",
    .help =
        "The note 'persistent-rules' and the notes whose keys begin with 'pinned-' are shown to a\n"
        "model first.  Anybody who can write the pad can write them, also an agent; so they are\n"
        "rules only if you have approved their text, and information otherwise.  Another text is\n"
        "not approved.  Approvals lie in $XDG_STATE_HOME/jotter or ~/.local/state/jotter, not in\n"
        "the pad; a program of yours that is not confined could forge one.\n",
    .subs = subs,
};
