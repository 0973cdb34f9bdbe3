/* mount.c - the superblock by what it is or by its place in /sys/fs, else the mount by its unique
 * id. */
#include "base/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* /sys/fs/ext4/sda1 and /sys/fs/btrfs/UUID are made by the mount and go with it.  Their inode
 * number is the id of their node in sysfs, and those are counted up. */
static int identify_node(const char *path, unsigned long long device, char out[MOUNT_TEXT])
{
    struct stat node;
    struct statfs fs;
    if (stat(path, &node) != 0 || statfs(path, &fs) != 0 || fs.f_type != SYSFS_MAGIC)
        return -ENODATA;
    snprintf(out, MOUNT_TEXT, "s%llx.%llu", device, (unsigned long long)node.st_ino);
    return 0;
}

static int identify_device(const char *kind, dev_t device, char out[MOUNT_TEXT])
{
    char block[64], link[PATH_MAX], path[PATH_MAX + 64];
    snprintf(block, sizeof block, "/sys/dev/block/%u:%u", major(device), minor(device));
    ssize_t n = readlink(block, link, sizeof link - 1);
    if (n <= 0)
        return -ENODATA;
    link[n] = 0;
    const char *name = strrchr(link, '/');
    snprintf(path, sizeof path, "/sys/fs/%s/%s", kind, name ? name + 1 : link);
    return identify_node(path, device, out);
}

/* Each subvolume has a device number of its own, and none of them is a block device's: the
 * directory is named by the file system's id. */
static int identify_btrfs(int fd, char out[MOUNT_TEXT])
{
    struct btrfs_ioctl_fs_info_args info = { 0 };
    if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
        return -ENODATA;
    char path[80];
    int n = snprintf(path, sizeof path, "/sys/fs/btrfs/");
    for (size_t i = 0; i < sizeof info.fsid; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        n += snprintf(path + n, sizeof path - (size_t)n, "%s%02x", dash ? "-" : "", info.fsid[i]);
    }
    return identify_node(path, 0, out);
}

static int identify_superblock(int fd, char out[MOUNT_TEXT])
{
    struct statfs fs;
    struct stat file;
    if (fstatfs(fd, &fs) != 0 || fstat(fd, &file) != 0)
        return -errno;
    unsigned long type = (unsigned long)fs.f_type;
    if (type == TMPFS_MAGIC || type == RAMFS_MAGIC) {
        snprintf(out, MOUNT_TEXT, "t%llx", (unsigned long long)file.st_dev);
        return 0;
    }
    if (type == BTRFS_SUPER_MAGIC)
        return identify_btrfs(fd, out);
    const char *kind = sysfs_kind(&fs);
    return kind ? identify_device(kind, file.st_dev, out) : -ENODATA;
}

static int identify_mount(int fd, char out[MOUNT_TEXT])
{
    struct statx info = { 0 };
    if (statx(fd, "", AT_EMPTY_PATH, MNT_ID_UNIQUE, &info) != 0)
        return errno == ENOSYS || errno == EINVAL ? -ENODATA : -errno;
    if (!(info.stx_mask & MNT_ID_UNIQUE))
        return -ENODATA;
    snprintf(out, MOUNT_TEXT, "m%llu", (unsigned long long)info.stx_mnt_id);
    return 0;
}

int mount_identify(int fd, char out[MOUNT_TEXT])
{
    out[0] = 0;
    int got = identify_superblock(fd, out);
    return got == -ENODATA ? identify_mount(fd, out) : got;
}
