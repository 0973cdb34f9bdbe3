/* cmd_note.c - notes from the shell: write, read, list, history, delete. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "cli/cmd.h"
#include "memory/doc.h"

enum { PAGE = 500 };

extern const Cmd cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete;

static jot_status stream_of(Session *s, const char *key, Str *out)
{
    if (!key[0])
        return err_set(&s->err, JOT_INVALID, "key cannot be empty");
    *out = arena_printf(&s->arena, "notes/%s", key);
    return store_check_name(*out, &s->err);
}

static void print_version(const Mark *m)
{
    printf("version %s\n", version_of(m->sha256).text);
}

static jot_status run_write(Session *s)
{
    Str stream;
    TRY(stream_of(s, s->args[0], &stream));
    Str text;
    TRY(read_input(s, STORE_BODY_MAX, &text));
    TRY(check_text(s, "a note", text));
    TRY(session_open(s, true));
    Mark m;
    Draft d = { .op = OP_PUT, .by = s->by, .body = text };
    TRY(memory_append(&s->memory, stream, NULL, &d, &m, &s->err));
    printf("wrote %zu chars to scratchpad[%s]\n", utf8_count(text), s->args[0]);
    print_version(&m);
    return JOT_OK;
}

static jot_status not_found(Session *s, const char *key)
{
    return err_set(&s->err, JOT_NOT_FOUND, "scratchpad[%s] not found", key);
}

static jot_status run_read(Session *s)
{
    Str stream;
    TRY(stream_of(s, s->args[0], &stream));
    Record head;
    jot_status st = session_open(s, false);
    if (st == JOT_OK)
        st = store_head(s->memory.store, stream, HEAD_VALUE, &s->arena, &head, &s->err);
    if (st == JOT_NOT_FOUND || (st == JOT_OK && head.mark.op == OP_DELETE))
        return not_found(s, s->args[0]);
    TRY(st);
    print_text(head.body);
    return JOT_OK;
}

static jot_status run_list(Session *s)
{
    Str after = { 0 }, kind = S("notes/");
    bool any = false, more = true;
    jot_status st = session_open(s, false);
    if (st == JOT_NOT_FOUND)
        more = false;
    else
        TRY(st);
    while (more) {
        Listing page;
        Str prefix =
            arena_printf(&s->arena, STR_FMT "%s", STR_ARG(kind), s->args[0] ? s->args[0] : "");
        TRY(store_list(s->memory.store, prefix, after, PAGE, LIST_LIVE, &s->arena, &page, &s->err));
        for (size_t i = 0; i < page.n; i++)
            printf(STR_FMT "\n", STR_ARG(str_from(page.items[i].name, kind.n)));
        any = any || page.n;
        more = page.more && page.n;
        if (page.n)
            after = page.items[page.n - 1].name;
    }
    if (!any)
        puts("(empty)");
    return JOT_OK;
}

static jot_status run_history(Session *s)
{
    static const char *const ops[] = {
        [OP_PUT] = "put", [OP_DELETE] = "delete", [OP_APPEND] = "append"
    };
    Str stream;
    TRY(stream_of(s, s->args[0], &stream));
    TRY(session_open(s, false));
    uint64_t from = 1;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Records page;
        jot_status st = store_read(s->memory.store, stream, from, PAGE, &arena, &page, &s->err);
        if (st == JOT_NOT_FOUND)
            return not_found(s, s->args[0]);
        TRY(st);
        for (size_t i = 0; i < page.n; i++) {
            const Record *r = &page.items[i];
            bool text = r->mark.op != OP_DELETE;
            printf("%6llu  %s  %-6s  %.*s  %8llu  ", (unsigned long long)r->mark.seq,
                   time_text(r->mark.at_ms).text, ops[r->mark.op], VERSION_HEX,
                   text ? hash_hex(r->mark.sha256).text : "-           ",
                   (unsigned long long)r->mark.size);
            print_text(r->by);
            puts(r->mark.redacted ? "  (redacted)" : "");
            from = r->mark.seq + 1;
        }
        if (page.damaged)
            fprintf(stderr, "jotter: %llu records cannot be read\n",
                    (unsigned long long)page.damaged);
        more = page.more && page.n;
    }
    return JOT_OK;
}

static jot_status run_delete(Session *s)
{
    Str stream;
    TRY(stream_of(s, s->args[0], &stream));
    Mark m;
    Draft d = { .op = OP_DELETE, .by = s->by };
    jot_status st = session_open(s, false);
    if (st == JOT_OK)
        st = memory_append(&s->memory, stream, NULL, &d, &m, &s->err);
    if (st == JOT_NOT_FOUND)
        return not_found(s, s->args[0]);
    TRY(st);
    printf("deleted scratchpad[%s]\n", s->args[0]);
    return JOT_OK;
}

const Cmd cmd_write = {
    .name = "write",
    .args = "KEY",
    .summary = "Keep the text on standard input under a key",
    .help = "A key is [A-Za-z0-9_-]+, at most 128 bytes.  What was there stays in the history.\n"
            "When it answers, the note is on the disk.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_write,
};

const Cmd cmd_read = {
    .name = "read",
    .args = "KEY",
    .summary = "Print a note",
    .help = "The exact bytes; on a terminal control characters are shown instead of sent.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_read,
};

const Cmd cmd_list = {
    .name = "list",
    .args = "[PREFIX]",
    .summary = "Print the keys, one a line",
    .help = "In byte order; '(empty)' if there is none.\n",
    .args_max = 1,
    .run = run_list,
};

const Cmd cmd_history = {
    .name = "history",
    .args = "KEY",
    .summary = "Print the versions of a note, oldest first",
    .help = "seq, time, what happened, version, bytes, who.  'outside' is whoever edited the\n"
            "file itself.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_history,
};

const Cmd cmd_delete = {
    .name = "delete",
    .args = "KEY",
    .summary = "Delete a note; its history stays",
    .help = "",
    .args_min = 1,
    .args_max = 1,
    .run = run_delete,
};
