/* plant.c - which names of the table mean what. */
#include "agent/sandbox/plant.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/obeyed.h"

bool plant_is_pad(int row)
{
    return row == obeyed_find(S(".jotter"));
}

bool plant_is_git(int dir)
{
    struct stat info;
    if (fstatat(dir, "HEAD", &info, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    return fstatat(dir, "commondir", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           (fstatat(dir, "objects", &info, 0) == 0 && fstatat(dir, "refs", &info, 0) == 0);
}

bool plant_of_git(Str name)
{
    /* Hooks are run.  The configuration names programs for nearly everything, and `commondir`
     * another directory for both; `attributes` says which files they are run for. */
    static const char *const kept[] = { "hooks", "config", "config.worktree", "commondir",
                                        "attributes" };
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        if (obeyed_is(name, kept[i]))
            return true;
    return false;
}
