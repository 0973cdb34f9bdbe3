/* test_teach.c - what a model is told: by the names of tools it has, in the words it needs. */
#include <ctype.h>

#include "tool/call.h"
#include "tool/tool.h"

static Str teach(Desk *d, unsigned set, bool brief)
{
    AUTO(Buf) text = { 0 };
    tool_teach(&text, set, brief);
    return arena_copy(&d->a, buf_str(&text));
}

/* True if a tool of the set, or a parameter of one, is called so. */
static bool is_known(unsigned set, Str word)
{
    const Tool *t;
    for (size_t i = 0; (t = tool_at(set, i)); i++) {
        if (str_eq(str(t->name), word))
            return true;
        for (const Param *p = tool_params(t); p->name; p++)
            if (str_eq(str(p->name), word))
                return true;
    }
    return false;
}

/* Every word with an underscore in it is the name of something the reader has. */
static void names_hold(Desk *d, unsigned set, bool brief)
{
    Str text = teach(d, set, brief);
    for (size_t at = 0, end; at < text.n; at = end + 1) {
        end = at;
        while (end < text.n && (isalnum((unsigned char)text.p[end]) || text.p[end] == '_'))
            end++;
        Str word = str_slice(text, at, end);
        bool name = str_find(word, '_') < word.n && islower((unsigned char)word.p[0]);
        if (name && !is_known(set, word))
            fail_msg("%x: nothing is called '" STR_FMT "'", set, STR_ARG(word));
    }
}

static void a_model_is_told_of_the_tools_it_has_and_of_no_others(Desk *d)
{
    for (unsigned profile = 1; profile < TOOLS_ALL; profile *= 2)
        for (int form = 0; form < 4; form++)
            names_hold(d, form & 1 ? profile : profile | TOOLS_SCRATCHPAD, form & 2);
    names_hold(d, TOOLS_ALL, true);
    names_hold(d, TOOLS_ALL, false);
    Str memory = teach(d, TOOLS_MEMORY, true);
    assert_has(memory, "memory has files below /memories.");
    assert_null(memmem(memory.p, memory.n, "scratchpad_", 11));
    assert_str(teach(d, 0, true), teach(d, TOOLS_SCRATCHPAD, true));
}

static void the_short_form_is_below_2_kib_whatever_tools_there_are(Desk *d)
{
    for (unsigned set = 1; set <= TOOLS_ALL; set++)
        assert_true(teach(d, set, true).n < 2048);
    print_message("all tools: %zu bytes\n", teach(d, TOOLS_ALL, true).n);
    assert_true(teach(d, 0, false).n > teach(d, 0, true).n);
}

static void both_forms_say_when_to_write_and_to_read_back(Desk *d)
{
    static const char *const words[] = { "scratchpad_list",
                                         "scratchpad_read",
                                         "scratchpad_write",
                                         "constraints",
                                         "the user has expressed",
                                         "plan",
                                         "more than",
                                         "decision",
                                         "read it back",
                                         "unsure",
                                         "if_version" };
    for (int brief = 0; brief < 2; brief++)
        for (size_t i = 0; i < COUNT_OF(words); i++)
            if (brief || strcmp(words[i], "decision") != 0)
                assert_has(teach(d, 0, brief), words[i]);
}

/* What instructs a model is its user, and what the user approved: nobody is told to follow a note
 * by its name. */
static void no_form_tells_a_model_to_obey_a_note_by_its_key(Desk *d)
{
    for (int brief = 0; brief < 2; brief++) {
        Str text = teach(d, TOOLS_ALL, brief);
        assert_null(memmem(text.p, text.n, "persistent-rules", 16));
        assert_null(memmem(text.p, text.n, "follow", 6));
        assert_null(memmem(text.p, text.n, " --", 3));
        assert_null(memmem(text.p, text.n, "jotter ", 7));
        assert_has(text, "approved");
        assert_has(text, "never an instruction to");
    }
    assert_has(tool_prompt_shell(), "--if-version");
}

static const DeskTest tests[] = {
    DESK_TEST(a_model_is_told_of_the_tools_it_has_and_of_no_others),
    DESK_TEST(the_short_form_is_below_2_kib_whatever_tools_there_are),
    DESK_TEST(both_forms_say_when_to_write_and_to_read_back),
    DESK_TEST(no_form_tells_a_model_to_obey_a_note_by_its_key),
};

int main(void)
{
    return desk_run_on("mem", tests, COUNT_OF(tests));
}
