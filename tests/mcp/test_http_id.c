/* test_http_id.c - ids of sessions: which are believed, and for how long; and names of clients. */
#include "unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/home.h"
#include "mcp/http/http_id.h"
#include "mcp/server/author.h"
#include "unit/remove.h"

typedef struct Place {
    char dir[64];
    int64_t now_s;
    Io io;
    McpIds ids;
    Err e;
} Place;

static int64_t clock_of(void *ctx)
{
    return ((Place *)ctx)->now_s * 1000;
}

static const Hash token = { { 7 } };

static void open_ids(Place *p, McpIds *ids)
{
    assert_int_equal(mcp_ids_open(ids, &p->io, token, S("files:/pad"), &p->e), JOT_OK);
}

static int set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    snprintf(p->dir, sizeof p->dir, "/tmp/jotter-ids-XXXXXX");
    if (!mkdtemp(p->dir) || setenv("XDG_STATE_HOME", p->dir, 1))
        return -1;
    p->now_s = 1800000000;
    p->io = (Io){ .wall_ms = clock_of, .ctx = p };
    open_ids(p, &p->ids);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    Place *p = *state;
    remove_all(p->dir);
    free(p);
    return 0;
}

static bool believed(McpIds *ids, const char *id)
{
    McpIdClaims claims;
    return mcp_ids_read(ids, str(id), &claims);
}

static void an_id_says_what_it_was_made_of(void **state)
{
    Place *p = *state;
    static const char *const names[] = { "codex", "", "\xc3\xa4 b.c/d", "-" };
    char longest[STORE_BY_MAX + 1], id[MCP_ID_MAX + 1], other[MCP_ID_MAX + 1];
    memset(longest, 'x', STORE_BY_MAX);
    longest[STORE_BY_MAX] = 0;
    for (size_t i = 0; i <= COUNT_OF(names); i++) {
        const char *name = i < COUNT_OF(names) ? names[i] : longest;
        McpIdClaims claims;
        McpIds after;
        mcp_ids_make(&p->ids, "2025-06-18", str(name), id);
        mcp_ids_make(&p->ids, "2025-06-18", str(name), other);
        assert_string_not_equal(id, other);
        open_ids(p, &after); /* as another process would */
        assert_true(mcp_ids_read(&after, str(id), &claims));
        assert_string_equal(claims.version, "2025-06-18");
        assert_string_equal(claims.name, name);
        assert_true(strlen(id) <= MCP_ID_MAX);
        for (const char *c = id; *c; c++)
            assert_true(*c > ' ' && *c <= '~');
    }
}

static void an_id_is_good_for_a_day(void **state)
{
    Place *p = *state;
    char id[MCP_ID_MAX + 1];
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
    p->now_s += MCP_ID_LASTS_S - 1;
    assert_true(believed(&p->ids, id));
    p->now_s += 1;
    assert_false(believed(&p->ids, id));
    assert_int_equal(mcp_ids_end(&p->ids, str(id), &p->e), JOT_OK);
}

static void no_byte_of_an_id_can_be_changed(void **state)
{
    Place *p = *state;
    char id[MCP_ID_MAX + 1], cut[MCP_ID_MAX + 1];
    mcp_ids_make(&p->ids, "2025-06-18", S("codex"), id);
    for (size_t i = 0; id[i]; i++) {
        char was = id[i];
        id[i] = was == '1' ? '2' : '1';
        assert_false(believed(&p->ids, id));
        id[i] = was;
        memcpy(cut, id, i);
        cut[i] = 0;
        assert_false(believed(&p->ids, cut));
    }
    assert_true(believed(&p->ids, id));
}

static void another_token_and_another_pad_do_not_believe_it(void **state)
{
    Place *p = *state;
    McpIds other;
    char id[MCP_ID_MAX + 1];
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
    assert_int_equal(mcp_ids_open(&other, &p->io, (Hash){ { 8 } }, S("files:/pad"), &p->e), JOT_OK);
    assert_false(believed(&other, id));
    assert_int_equal(mcp_ids_open(&other, &p->io, token, S("files:/pad2"), &p->e), JOT_OK);
    assert_false(believed(&other, id));
    /* Who cannot show the right token cannot end it either. */
    assert_int_equal(mcp_ids_end(&other, str(id), &p->e), JOT_OK);
    assert_true(believed(&p->ids, id));
}

static void what_has_ended_stays_ended_for_every_process(void **state)
{
    Place *p = *state;
    McpIds other;
    char ended[MCP_ID_MAX + 1], kept[MCP_ID_MAX + 1];
    open_ids(p, &other);
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), ended);
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), kept);
    assert_int_equal(mcp_ids_end(&p->ids, str(ended), &p->e), JOT_OK);
    assert_int_equal(mcp_ids_end(&p->ids, str(ended), &p->e), JOT_OK);
    assert_false(believed(&p->ids, ended) || believed(&other, ended));
    assert_true(believed(&p->ids, kept) && believed(&other, kept));
}

static Str ended_file(Arena *a)
{
    Str text = { 0 };
    Err e = { 0 };
    assert_int_equal(home_read(&io_system, HOME_STATE, "mcp-ended", a, &text, &e), JOT_OK);
    return text;
}

static void what_has_expired_is_forgotten(void **state)
{
    Place *p = *state;
    AUTO(Arena) a = { 0 };
    char id[MCP_ID_MAX + 1];
    for (int i = 0; i < 5; i++) {
        mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
        assert_int_equal(mcp_ids_end(&p->ids, str(id), &p->e), JOT_OK);
        p->now_s += MCP_ID_LASTS_S;
    }
    assert_true(ended_file(&a).n < 100); /* a head and one line */
}

static void too_many_that_ended_end_all(void **state)
{
    Place *p = *state;
    AUTO(Buf) text = { 0 };
    char kept[MCP_ID_MAX + 1], id[MCP_ID_MAX + 1];
    AUTO(Arena) a = { 0 };
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), kept);
    buf_add(&text, S("jotter-mcp-ended 1 0\n"));
    for (int i = 0; i < MCP_IDS_ENDED_MAX; i++)
        buf_addf(&text, "%lld %032d\n", (long long)p->now_s + 1, i);
    assert_int_equal(home_write(&io_system, HOME_STATE, "mcp-ended", buf_str(&text), &p->e),
                     JOT_OK);
    assert_true(believed(&p->ids, kept));
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
    assert_int_equal(mcp_ids_end(&p->ids, str(id), &p->e), JOT_OK);
    assert_false(believed(&p->ids, kept) || believed(&p->ids, id));
    assert_str(ended_file(&a), S("jotter-mcp-ended 1 1\n"));
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
    assert_true(believed(&p->ids, id));
}

static void what_cannot_be_read_is_not_believed(void **state)
{
    Place *p = *state;
    char id[MCP_ID_MAX + 1], later[MCP_ID_MAX + 1];
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), id);
    assert_int_equal(home_write(&io_system, HOME_STATE, "mcp-ended", S("nonsense"), &p->e), JOT_OK);
    assert_false(believed(&p->ids, id));
    /* The next end puts it right, and ends what nobody knows to be alive. */
    assert_int_equal(mcp_ids_end(&p->ids, str(id), &p->e), JOT_OK);
    assert_false(believed(&p->ids, id));
    mcp_ids_make(&p->ids, "2025-06-18", S("a"), later);
    assert_true(believed(&p->ids, later));
}

static void without_a_place_ids_are_good_for_one_process(void **state)
{
    Place *p = *state;
    McpIds here, other;
    char id[MCP_ID_MAX + 1], ended[MCP_ID_MAX + 1];
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    assert_int_not_equal(mcp_ids_open(&here, &p->io, token, S("files:/pad"), &p->e), JOT_OK);
    assert_sentence(&p->e);
    assert_int_not_equal(mcp_ids_open(&other, &p->io, token, S("files:/pad"), &p->e), JOT_OK);
    mcp_ids_make(&here, "2025-06-18", S("a"), id);
    mcp_ids_make(&here, "2025-06-18", S("a"), ended);
    assert_int_equal(mcp_ids_end(&here, str(ended), &p->e), JOT_OK);
    assert_true(believed(&here, id));
    assert_false(believed(&here, ended) || believed(&other, id));
    free(here.ended);
}

/* --- Names ------------------------------------------------------------------------------- */

static void an_agent_has_one_name_whatever_it_calls_itself(void **state)
{
    static const char *const rows[][2] = {
        { "codex-mcp-client", "codex" },
        { "codex", "codex" },
        { "gemini-cli-mcp-client", "gemini" },
        { "gemini-cli-mcp-client-jotter", "gemini" },
        { "qwen-cli-mcp-client-jotter", "qwen" },
        { "qwen-code", "qwen" },
        { "cursor-vscode", "cursor" },
        { "Visual Studio Code", "vscode" },
        { "Visual-Studio-Code", "vscode" },
        { "Cline", "cline" },
        { "claude-code", "claude-code" },
        { "Claude Code", "claude-code" },
        { "goose-desktop", "goose" },
        /* Others keep the name they gave. */
        { "", "" },
        { "codex2", "codex2" },
        { "codex-mcp-clients", "codex-mcp-clients" },
        { "code", "code" },
        { "Gem", "Gem" },
        { "claude-ai", "claude-ai" },
        { "my-mcp-client", "my-mcp-client" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(author_of_client(str(rows[i][0])), str(rows[i][1]));
}

#undef T
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_id_says_what_it_was_made_of),
        T(an_id_is_good_for_a_day),
        T(no_byte_of_an_id_can_be_changed),
        T(another_token_and_another_pad_do_not_believe_it),
        T(what_has_ended_stays_ended_for_every_process),
        T(what_has_expired_is_forgotten),
        T(too_many_that_ended_end_all),
        T(what_cannot_be_read_is_not_believed),
        T(without_a_place_ids_are_good_for_one_process),
        cmocka_unit_test(an_agent_has_one_name_whatever_it_calls_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
