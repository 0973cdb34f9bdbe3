/* scratchpad_write.c - keep a text under a key. */
#include "memory/doc/note.h"
#include "tool/reply.h"

static jot_status write_note(ToolCall *c, Str stream, const DocWrite *w, ToolReply *out)
{
    Conflict k;
    jot_status st = conflict_write(c->m, stream, w, c->into, &k, c->e);
    if (st == JOT_CONFLICT)
        return reply_conflict(c, &k, out);
    TRY(st);
    Str line = note_wrote(stream, k.now.text, k.joined, c->into);
    reply_changed(c, stream, line, &k.now, k.now.text, out);
    return JOT_OK;
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Str stream;
    DocWrite w = { .text = arg_text(c, "content"), .merge = arg_bool(c, "merge") };
    TRY(arg_note(c, &stream));
    TRY(arg_if_version(c, &w.when));
    if (conflict_check(&w, c->e) != JOT_OK)
        return err_next(c->e, S("give it as if_version"));
    reply_lease(c);
    jot_status st = write_note(c, stream, &w, out);
    reply_unlease(c);
    return st;
}

extern const Tool tool_scratchpad_write;
const Tool tool_scratchpad_write = {
    .name = "scratchpad_write",
    .title = "Write a note",
    .about = "Remember a text beyond this context: keep it in durable memory, as one of your "
             "notes, under a key. Use it for plans, decisions and findings you need more than two "
             "turns from now, and before you stop. Replaces the note; older versions stay. Never "
             "store secrets.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params =
        PARAMS({ "key", PARAM_TEXT, .about = "[A-Za-z0-9_-]+", .max = STORE_NAME_MAX },
               { "content", .type = PARAM_TEXT },
               { "if_version", PARAM_TEXT,
                 .about = "only if the note is still this version; else you get the present text",
                 .optional = true, .max = HASH_HEX },
               { "merge", PARAM_BOOL, .about = "if it is not, write both changes if they merge",
                 .optional = true },
               { "lease", PARAM_NUMBER, .about = "token: only while you hold it", .optional = true,
                 .min = 1 }),
    .run = run,
};
