/* cmd_forget.c - taking text out for good, from the shell: purge, redact. */
#include "cli/docs.h"
#include "memory/forget.h"

extern const Cmd cmd_purge, cmd_redact;

static jot_status run_purge(Session *s)
{
    Str stream;
    Mark mark;
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_open(s, stream));
    TRY(forget_document(&s->memory, stream, &mark, &s->err));
    if (s->json)
        print_json(mark_json(stream, &mark, s->by, (Str){ 0 }));
    else
        printf("purged %s and all its versions\n", doc_name(stream).text);
    return JOT_OK;
}

/* The phrase to take out: from the words, or from standard input without its last line break. */
static jot_status read_phrase(Session *s, Str *out)
{
    *out = str(opt_text(s, "text"));
    if (opt_given(s, "stdin")) {
        TRY(read_input(s, STORE_BODY_MAX, out));
        if (str_ends(*out, S("\n")))
            out->n--;
    }
    return out->n ? JOT_OK : err_set(&s->err, JOT_INVALID, "the text to redact cannot be empty");
}

static jot_status redact_phrase(Session *s, Str stream)
{
    Str phrase;
    Forgotten f;
    TRY(read_phrase(s, &phrase));
    TRY(docs_open(s, stream));
    TRY(forget_phrase(&s->memory, stream, phrase, &s->arena, &f, &s->err));
    if (s->json) {
        print_json(json_pack("{s:o, s:b, s:I}", "present",
                             mark_json(stream, &f.mark, (Str){ 0 }, (Str){ 0 }), "rewritten",
                             f.rewritten, "redacted", (json_int_t)f.n));
        return JOT_OK;
    }
    printf("redacted %s of %s%s\n", counted(f.n, "older version").text, doc_name(stream).text,
           f.rewritten ? ", and rewrote the present one" : "");
    if (mark_live(&f.mark))
        docs_print_version(&f.mark);
    return JOT_OK;
}

static jot_status redact_version(Session *s, Str stream)
{
    When which;
    uint64_t n;
    TRY(docs_when(s, s->args[1], &which));
    TRY(docs_open(s, stream));
    TRY(forget_version(&s->memory, stream, &which, &n, &s->err));
    if (s->json)
        print_json(json_pack("{s:o, s:I}", "stream", json_text(stream), "redacted", (json_int_t)n));
    else
        printf("redacted %s of %s\n", counted(n, "record").text, doc_name(stream).text);
    return JOT_OK;
}

static jot_status run_redact(Session *s)
{
    Str stream;
    TRY(docs_arg(s, 0, &stream));
    int ways = (s->n > 1) + opt_given(s, "text") + opt_given(s, "stdin");
    if (ways != 1)
        return err_set(&s->err, JOT_INVALID, "say a VERSION, --text or --stdin, one of them");
    return s->n > 1 ? redact_version(s, stream) : redact_phrase(s, stream);
}

const Cmd cmd_purge = {
    .name = "purge",
    .args = "KEY",
    .summary = "Remove a note and all its versions for good",
    .help = "There is no way back.  'jotter delete' keeps the history.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_purge,
};

static const Opt redact_opts[] = {
    { "text", "TEXT", "take this text out of every version" },
    { "stdin", NULL, "the same, the text is on standard input" },
    { 0 },
};

const Cmd cmd_redact = {
    .name = "redact",
    .args = "KEY [VERSION]",
    .summary = "Remove the text of an older version, or a phrase from all of them",
    .help = "There is no way back.  Numbers, times and hashes stay, so that the log verifies.\n"
            "A phrase becomes '[redacted]' in the present text; older versions that hold it lose\n"
            "their text.\n",
    .opts = redact_opts,
    .args_min = 1,
    .args_max = 2,
    .run = run_redact,
};
