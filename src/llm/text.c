/* text.c - texts of a conversation as JSON.
 *
 * A tool may print any bytes and a model may write what only looks like JSON.
 * Both must reach the wire as something every server reads, and always as the
 * same bytes. */
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/utf8.h"
#include "llm/provider.h"

void llm_quote(Buf *to, Str text)
{
    if (utf8_valid(text)) {
        json_quote(to, text);
        return;
    }
    AUTO(Buf) mended = { .max = LLM_REQUEST_MAX };
    utf8_mend(&mended, text);
    /* What did not fit into `mended` does not fit into a request either. */
    if (!buf_ok(&mended))
        to->full = true;
    json_quote(to, buf_str(&mended));
}

bool llm_is_object(Str text)
{
    AUTO_PTR(json_t) value = NULL;
    return json_read(text, &value, NULL) == JOT_OK && json_is_object(value);
}

/* The JSON text as it is, on one line. */
static void add_json(Buf *to, Str text)
{
    size_t from = 0;
    /* A line end in JSON is space between tokens: inside a string it is escaped. */
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '\n' && text.p[i] != '\r')
            continue;
        buf_add(to, str_slice(text, from, i));
        buf_add_char(to, ' ');
        from = i + 1;
    }
    buf_add(to, str_from(text, from));
}

jot_status llm_add_object(Buf *to, Str text, const char *what, Str whose, Err *e)
{
    Shown shown;
    if (!llm_is_object(text))
        return err_set(e, JOT_INVALID, "the %s of '%s' must be one object in JSON", what,
                       err_show(&shown, whose));
    add_json(to, text);
    return JOT_OK;
}

void llm_add_args(Buf *to, Str args)
{
    if (llm_is_object(args)) {
        add_json(to, args);
        return;
    }
    buf_add(to, S("{\"INVALID_JSON\":"));
    llm_quote(to, args);
    buf_add_char(to, '}');
}

/* --- Files ------------------------------------------------------------------------------- */

void llm_quote_base64(Buf *to, Str bytes)
{
    buf_add_char(to, '"');
    base64_write(to, bytes);
    buf_add_char(to, '"');
}

void llm_quote_data_url(Buf *to, const LlmPart *p)
{
    buf_addf(to, "\"data:" STR_FMT ";base64,", STR_ARG(p->args));
    base64_write(to, p->text);
    buf_add_char(to, '"');
}
