/* mount.h - which mount of its file system a file is seen through.
 *
 * Bytes that were not synced are lost with a mounted file system, not only with
 * a boot: a disk is pulled out and comes back, a network drive drops, an image of a
 * disk in use is mounted.  What is needed is a word for "mounted, without a gap,
 * since then", the same for everybody who sees it: containers and bind mounts
 * have mounts of their own of one file system.
 *
 *   t<device>           a file system in memory: it cannot be lost and come back
 *   s<device>.<number>  the directory that the file system has in /sys/fs as long as it is mounted
 *                       (ext4, XFS, F2FS; Btrfs, with device 0); the kernel gives such a number
 * once m<number>           the unique id of the mount (Linux 6.8), which keeps its file system
 *                       mounted; another mount of the same file system has another, so each new
 *                       mount namespace counts as a file system that was mounted again
 *
 * Times, mount ids before 6.8, device numbers and ids on the disk say nothing: they stay the
 * same, or come again, when the file system was gone in between. */
#ifndef BASE_MOUNT_H
#define BASE_MOUNT_H

enum { MOUNT_TEXT = 48 };

/* 0; -ENODATA if the system cannot say; -errno if it could not be asked.  *out is "" then. */
int mount_identify(int fd, char out[MOUNT_TEXT]);

#endif
