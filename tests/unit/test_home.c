/* test_home.c - the user's own directory, in a place made for the test. */
#include "unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/home.h"
#include "unit/remove.h"

typedef struct Place {
    char dir[64];
    Arena arena;
    Err e;
} Place;

static int set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    snprintf(p->dir, sizeof p->dir, "/tmp/jotter-home-XXXXXX");
    if (!mkdtemp(p->dir) || setenv("XDG_STATE_HOME", p->dir, 1))
        return -1;
    umask(0);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    Place *p = *state;
    remove_all(p->dir);
    arena_free(&p->arena);
    free(p);
    return 0;
}

static mode_t mode_of(Place *p, const char *name)
{
    struct stat info = { 0 };
    stat(arena_printf(&p->arena, "%s/%s", p->dir, name).p, &info);
    return info.st_mode & 0777;
}

static void what_is_written_is_read_and_nobody_else_may(void **state)
{
    Place *p = *state;
    Str text;
    assert_int_equal(home_read(&io_system, HOME_STATE, "x", &p->arena, &text, &p->e),
                     JOT_NOT_FOUND);
    assert_int_equal(home_write(&io_system, HOME_STATE, "x", S("one"), &p->e), JOT_OK);
    assert_int_equal(home_write(&io_system, HOME_STATE, "x", S("two"), &p->e), JOT_OK);
    assert_int_equal(home_read(&io_system, HOME_STATE, "x", &p->arena, &text, &p->e), JOT_OK);
    assert_str(text, S("two"));
    assert_int_equal(mode_of(p, "jotter"), 0700);
    assert_int_equal(mode_of(p, "jotter/x"), 0600);
}

static void the_secret_stays_the_same_and_no_other_user_has_it(void **state)
{
    Place *p = *state;
    Hash first, again, other;
    assert_int_equal(home_secret(&io_system, &first, &p->e), JOT_OK);
    assert_int_equal(home_secret(&io_system, &again, &p->e), JOT_OK);
    assert_true(hash_eq(first, again));
    assert_int_equal(mode_of(p, "jotter/secret"), 0600);
    setenv("XDG_STATE_HOME", arena_printf(&p->arena, "%s/b/c", p->dir).p, 1);
    assert_int_equal(home_secret(&io_system, &other, &p->e), JOT_OK);
    assert_false(hash_eq(first, other));
}

static void a_damaged_secret_is_told_and_not_replaced(void **state)
{
    Place *p = *state;
    Hash secret;
    assert_int_equal(home_write(&io_system, HOME_STATE, "secret", S("short"), &p->e), JOT_OK);
    assert_int_equal(home_secret(&io_system, &secret, &p->e), JOT_CORRUPT);
    assert_sentence(&p->e);
}

static void a_directory_that_others_may_write_is_refused(void **state)
{
    Place *p = *state;
    Hash secret;
    assert_int_equal(home_secret(&io_system, &secret, &p->e), JOT_OK);
    assert_int_equal(chmod(arena_printf(&p->arena, "%s/jotter", p->dir).p, 0770), 0);
    assert_int_equal(home_secret(&io_system, &secret, &p->e), JOT_DENIED);
    assert_int_equal(home_write(&io_system, HOME_STATE, "x", S("one"), &p->e), JOT_DENIED);
    assert_sentence(&p->e);
}

static void a_link_in_the_place_of_a_file_is_not_followed(void **state)
{
    Place *p = *state;
    Str text;
    assert_int_equal(home_write(&io_system, HOME_STATE, "x", S("one"), &p->e), JOT_OK);
    assert_int_equal(symlink("x", arena_printf(&p->arena, "%s/jotter/y", p->dir).p), 0);
    assert_int_not_equal(home_read(&io_system, HOME_STATE, "y", &p->arena, &text, &p->e), JOT_OK);
    assert_int_equal(home_write(&io_system, HOME_STATE, "y", S("two"), &p->e), JOT_OK);
    assert_int_equal(home_read(&io_system, HOME_STATE, "x", &p->arena, &text, &p->e), JOT_OK);
    assert_str(text, S("one"));
}

static void without_a_place_it_says_so(void **state)
{
    Place *p = *state;
    Hash secret;
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "relative", 1);
    assert_int_equal(home_secret(&io_system, &secret, &p->e), JOT_UNAVAILABLE);
    assert_sentence(&p->e);
}

/* Add a letter to a file, by what it holds. */
static int add_letter(void)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Fd lock = FD_NONE;
    Str text = { 0 };
    if (home_lock(&io_system, HOME_STATE, &lock, &e) != JOT_OK)
        return 1;
    jot_status st = home_read(&io_system, HOME_STATE, "letters", &arena, &text, &e);
    if (st == JOT_OK || st == JOT_NOT_FOUND)
        st = home_write(&io_system, HOME_STATE, "letters",
                        arena_printf(&arena, STR_FMT "x", STR_ARG(text)), &e);
    home_unlock(&io_system, &lock);
    return st != JOT_OK;
}

static void no_change_under_the_lock_is_lost(void **state)
{
    enum { PROCESSES = 4, EACH = 5 };
    Place *p = *state;
    Str text;
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        if (child == 0) {
            int bad = 0;
            for (int k = 0; k < EACH; k++)
                bad |= add_letter();
            _exit(bad);
        }
        assert_true(child > 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(home_read(&io_system, HOME_STATE, "letters", &p->arena, &text, &p->e), JOT_OK);
    assert_int_equal(text.n, PROCESSES * EACH);
}

static void state_and_configuration_lie_apart(void **state)
{
    Place *p = *state;
    Str text;
    assert_int_equal(setenv("XDG_CONFIG_HOME", arena_printf(&p->arena, "%s/c", p->dir).p, 1), 0);
    assert_int_equal(home_write(&io_system, HOME_CONFIG, "x", S("one"), &p->e), JOT_OK);
    assert_int_equal(home_read(&io_system, HOME_STATE, "x", &p->arena, &text, &p->e),
                     JOT_NOT_FOUND);
    assert_int_equal(mode_of(p, "c/jotter/x"), 0600);
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/srv/ann", 1);
    assert_str(home_path(HOME_CONFIG, &p->arena), S("/srv/ann/.config/jotter"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read_and_nobody_else_may, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_secret_stays_the_same_and_no_other_user_has_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_secret_is_told_and_not_replaced, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_others_may_write_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_link_in_the_place_of_a_file_is_not_followed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_a_place_it_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_change_under_the_lock_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(state_and_configuration_lie_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
