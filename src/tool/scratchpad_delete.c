/* scratchpad_delete.c - delete a note; its history stays. */
#include "memory/doc/note.h"
#include "tool/reply.h"

static jot_status run(ToolCall *c, ToolReply *out)
{
    Str stream;
    DocIf when;
    Doc now;
    TRY(arg_note(c, &stream));
    TRY(arg_if_version(c, &when));
    reply_lease(c);
    jot_status st = doc_delete(c->m, stream, &when, c->into, &now, c->e);
    reply_unlease(c);
    if (st == JOT_CONFLICT)
        return reply_conflict(c, &(Conflict){ .stream = stream, .now = now }, out);
    TRY(st);
    Str line = arena_printf(c->into, "deleted %s", doc_name(stream).text);
    reply_changed(c, stream, line, &now, (Str){ 0 }, out);
    return JOT_OK;
}

extern const Tool tool_scratchpad_delete;
const Tool tool_scratchpad_delete = {
    .name = "scratchpad_delete",
    .title = "Delete a note",
    .about = "Delete a note from memory when it is no longer useful. scratchpad_edit restore=undo "
             "brings it back.",
    .effects = TOOL_DELETES,
    .params = PARAMS({ "key", PARAM_TEXT, .max = STORE_NAME_MAX },
                     { "if_version", PARAM_TEXT, .optional = true, .max = HASH_HEX },
                     { "lease", PARAM_NUMBER, .optional = true, .min = 1 }),
    .run = run,
};
