/* fuzz_setup.c - any bytes as a configuration file that gets an entry: JSON, TOML and YAML.
 *
 * What cannot be edited is refused with a sentence; what was edited once is not
 * changed by doing it again, and an entry that changes leaves the rest as it was. */
#include "base/utf8.h"
#include "cli/setup.h"
#include "fuzz/fuzz.h"

const char *const fuzz_words[] = { "{",
                                   "}",
                                   "[",
                                   "]",
                                   "\"",
                                   ",",
                                   ": ",
                                   "\n",
                                   "\r\n",
                                   "\t",
                                   "  ",
                                   "#",
                                   "//",
                                   "\"servers\": {",
                                   "\"jotter\": ",
                                   "{\"servers\": {\"jotter\": {\"command\": \"x\", \"more\": 1}}}",
                                   "[servers.jotter]\n",
                                   "[servers]\n",
                                   "[[servers]]\n",
                                   "[ \"servers\" . 'jotter' ]\n",
                                   "servers.jotter = 1\n",
                                   "command = \"x\"\n",
                                   "more = [\n1,\n]\n",
                                   "\"\"\"",
                                   "'''",
                                   "\\\"",
                                   "servers:\n",
                                   "  jotter:\n",
                                   "    command: x\n",
                                   "    more: |\n      text\n",
                                   "servers: {}\n",
                                   "- ",
                                   "---\n",
                                   "...\n",
                                   NULL };

typedef jot_status Edit(Str text, const SetupEntry *x, Buf *out, Err *e);

static const char *const ours[] = { "command", "args", "url", NULL };

static void check(Edit *edit, Str text, const SetupEntry *x, const SetupEntry *other)
{
    AUTO(Buf) once = { 0 }, twice = { 0 }, changed = { 0 }, back = { 0 };
    Err e = { 0 };
    jot_status st = edit(text, x, &once, &e);
    if (st != JOT_OK) {
        MUST(st == JOT_UNSUPPORTED);
        MUST_SAY(e, st);
        return;
    }
    MUST(utf8_valid(buf_str(&once)));
    MUST(edit(buf_str(&once), x, &twice, &e) == JOT_OK);
    MUST(str_eq(buf_str(&once), buf_str(&twice)));
    /* To another entry, and to the same again: editing it does not wear it out. */
    MUST(edit(buf_str(&once), other, &changed, &e) == JOT_OK);
    MUST(edit(buf_str(&changed), x, &back, &e) == JOT_OK);
    buf_clear(&changed);
    MUST(edit(buf_str(&back), other, &changed, &e) == JOT_OK);
    buf_clear(&twice);
    MUST(edit(buf_str(&changed), x, &twice, &e) == JOT_OK);
    MUST(str_eq(buf_str(&back), buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Edit *const edits[] = { setup_json, setup_toml, setup_yaml };
    Str text = { (const char *)data, size };
    if (!utf8_valid(text))
        return 0; /* setup_file_read refuses it */
    AUTO_PTR(json_t) local = json_pack("{s:s, s:[s, s]}", "command", "x \"y\"", "args", "a", "b");
    AUTO_PTR(json_t) remote = json_pack("{s:s}", "url", "http://127.0.0.1/");
    SetupEntry x = { "servers", "jotter", local, ours },
               other = { "servers", "jotter", remote, ours };
    for (size_t i = 0; i < COUNT_OF(edits); i++)
        check(edits[i], text, &x, &other);
    return 0;
}
