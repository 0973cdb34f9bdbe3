/* mount.c - the superblock by its place in /sys/fs, else the mount by its unique id. */
#include "base/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/attr.h"

/* Headers may be older than the kernel. */
#define MNT_ID_UNIQUE 0x4000U

/* The directory of /sys/fs in which this kind of file system has one for each device. */
static const char *sysfs_kind(const struct statfs *fs)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } kinds[] = { { EXT4_SUPER_MAGIC, "ext4" },
                  { XFS_SUPER_MAGIC, "xfs" },
                  { F2FS_SUPER_MAGIC, "f2fs" } };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if ((unsigned long)fs->f_type == kinds[i].magic)
            return kinds[i].name;
    return NULL;
}

/* /sys/fs/ext4/sda1 is made by the mount and goes with it.  Its inode number is the id of its node
 * in sysfs, and those are counted up. */
static int tell_superblock(int fd, char out[MOUNT_TEXT])
{
    struct statfs fs;
    struct stat file, node;
    if (fstatfs(fd, &fs) != 0 || fstat(fd, &file) != 0)
        return -errno;
    const char *kind = sysfs_kind(&fs);
    if (!kind)
        return -ENODATA;
    char block[64], link[PATH_MAX], path[PATH_MAX + 64];
    snprintf(block, sizeof block, "/sys/dev/block/%u:%u", major(file.st_dev), minor(file.st_dev));
    ssize_t n = readlink(block, link, sizeof link - 1);
    if (n <= 0)
        return -ENODATA;
    link[n] = 0;
    const char *name = strrchr(link, '/');
    snprintf(path, sizeof path, "/sys/fs/%s/%s", kind, name ? name + 1 : link);
    if (stat(path, &node) != 0 || statfs(path, &fs) != 0 || fs.f_type != SYSFS_MAGIC)
        return -ENODATA;
    snprintf(out, MOUNT_TEXT, "s%llx.%llu", (unsigned long long)file.st_dev,
             (unsigned long long)node.st_ino);
    return 0;
}

static int tell_mount(int fd, char out[MOUNT_TEXT])
{
    struct statx info = { 0 };
    if (statx(fd, "", AT_EMPTY_PATH, MNT_ID_UNIQUE, &info) != 0)
        return errno == ENOSYS || errno == EINVAL ? -ENODATA : -errno;
    if (!(info.stx_mask & MNT_ID_UNIQUE))
        return -ENODATA;
    snprintf(out, MOUNT_TEXT, "m%llu", (unsigned long long)info.stx_mnt_id);
    return 0;
}

int mount_tell(int fd, char out[MOUNT_TEXT])
{
    out[0] = 0;
    int got = tell_superblock(fd, out);
    return got == -ENODATA ? tell_mount(fd, out) : got;
}
