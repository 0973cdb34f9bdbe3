/* scratchpad_list.c - which notes there are. */
#include "base/time.h"
#include "memory/doc/note.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"
#include "tool/template.h"

static Str line_of(ToolCall *c, const Listed *l)
{
    AUTO(Buf) line = { 0 };
    frame_last_name_add(&line, doc_word(l->name));
    if (arg_bool(c, "details")) {
        buf_addf(&line, "  %s  %s  %s  ", version_listed(l->mark.seq, l->mark.sha256).text,
                 counted(l->mark.size, "byte").text, time_text(l->mark.at_ms).text);
        frame_name_add(&line, l->by);
    }
    return arena_copy(c->into, buf_str(&line));
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    AUTO(Lister) l = lister_begin(c);
    Str after = { 0 };
    bool fits = true;
    NoteWhich form = arg_bool(c, "details") ? NOTE_LIVE : NOTE_NAMES;
    if (arg_text(c, "after").n)
        TRY(note_resolve_agent(arg_text(c, "after"), c->into, &after, c->e));
    for (bool more = true; more && fits;) {
        Listing page;
        TRY(note_list(c->m, &(NoteAsk){ arg_text(c, "prefix"), after, STORE_LIST_MAX, form },
                      c->into, &page, c->e));
        for (size_t i = 0; i < page.n && fits; i++) {
            fits = lister_add(&l, line_of(c, &page.items[i]));
            after = fits ? page.items[i].name : after;
        }
        more = page.more && page.n;
    }
    if (!l.n)
        buf_add(&l.text, S("(empty)"));
    if (!fits)
        reply_more(c, &l.text, "after", doc_word(after));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

extern const Tool tool_scratchpad_list;
const Tool tool_scratchpad_list = {
    .name = "scratchpad_list",
    .title = "List notes",
    .about = "List the notes in memory by key: all there is to remember. Look here at the start "
             "of a task, and read what concerns it.",
    .effects = TOOL_READS,
    .params = PARAMS(
        { "prefix", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX },
        { "after", PARAM_TEXT, .about = "only keys after it", .optional = true,
          .max = STORE_NAME_MAX },
        { "details", PARAM_BOOL, .about = "also version, size, time, author", .optional = true }),
    .run = run,
};
