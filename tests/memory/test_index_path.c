/* test_index_path.c - where the search index lies when the engine has no place for it. */
#include <stdlib.h>
#include <sys/stat.h>

#include "memory/desk.h"
#include "store/engine.h"

static void a_pad_without_a_place_has_its_index_in_the_users_cache(Desk *d)
{
    StoreOps other = *d->m.store->ops;
    const StoreOps *own = d->m.store->ops;
    struct stat info;
    Str path, again;
    other.index_path = NULL;
    d->m.store->ops = &other;
    assert_int_equal(setenv("XDG_CACHE_HOME", arena_printf(&d->a, "%s/cache", d->dir).p, 1), 0);
    desk_ok(d, store_index_path(d->m.store, &d->a, &path, &d->e));
    assert_true(str_starts(path, arena_printf(&d->a, "%s/cache/jotter/", d->dir)));
    assert_true(str_ends(path, S(".index")));
    assert_int_equal(stat(arena_printf(&d->a, "%s/cache/jotter", d->dir).p, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    desk_ok(d, store_index_path(d->m.store, &d->a, &again, &d->e));
    assert_str(path, again);
    unsetenv("XDG_CACHE_HOME");
    assert_int_equal(setenv("HOME", "relative", 1), 0);
    desk_expect(d, JOT_UNAVAILABLE, store_index_path(d->m.store, &d->a, &path, &d->e));
    d->m.store->ops = own;
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_pad_without_a_place_has_its_index_in_the_users_cache),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
