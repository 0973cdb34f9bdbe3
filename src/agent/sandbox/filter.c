/* filter.c - the system calls a command has no business with, as a seccomp filter.
 *
 * The rules about files are Landlock's and the namespaces'.  Here is what goes
 * around those.  The table below judges every call that reaches further than the
 * caller itself, what it holds open, and files by their names: those that act on
 * other processes, and those that act on the machine.  What is not in it acts on
 * none of them and is allowed; calls that are newer than the table do not exist
 * for a command, because nobody has judged them.
 *
 * In bubblewrap's namespaces a process has no other number to name than those of
 * its own jail, and System V's memory and queues are its own, too: what is refused
 * because of those alone (BESIDE) is refused under Landlock only.
 *
 * Landlock says nothing about who owns a file, its mode and its attributes.  Owners
 * and attributes are refused for all files.  Modes cannot be: without them nothing
 * that is compiled can be run, and no repository made.  So those are refused by
 * which a file would be shut, opened for others to write, or run as its owner.
 *
 * A rule is a row: the call and, if it depends on one, an argument with a mask and the values that
 * it is about.  All rows become the same few instructions, one after the other:
 *
 *      A = call
 *      A > NEWEST ?  ENOSYS
 *      A == call 1 ?  errno                        a call that is refused
 *      A == call 2 ?  A = argument & mask          one that depends on it
 *                     A == value 1 ?  errno        (or the other way: only these are allowed)
 *                     A == value 2 ?  errno
 *                     A = call
 *      ...
 *      allowed
 *
 * The instructions are written here, without libseccomp (docs/decisions.md): that has no word for
 * "newer than what was judged".  For calls that are always allowed the kernel remembers the answer
 * and runs nothing. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <assert.h>

#include "agent/sandbox/jail.h"

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#define OWN_ARCH 0
#endif

enum {
    NAMESPACES = 0x7E020080, /* every CLONE_NEW* flag */
    MODE_NEVER = 07022,      /* set-user-id and its like, and writing for others */
    MODE_AS_OWNER = 06000,   /* others would run it as its owner, outside */
    MODE_ALWAYS = 0600,      /* the owner reads and writes */
    IOPRIO_PROCESS = 1,      /* of ioprio_set: whose the number is */
    IOPRIO_GROUP = 2,
    SOCKET_TYPE = 0xF, /* the rest are flags */
};

/* ioctls of any file of a file system, also of one that was opened for reading: they add keys to
 * the file system and take the user's own away, or change a file for good.  The same everywhere. */
#define SET_ENCRYPTION_POLICY UINT32_C(0x800C6613)
#define ADD_ENCRYPTION_KEY UINT32_C(0xC0506617)
#define REMOVE_ENCRYPTION_KEY UINT32_C(0xC0406618)
#define REMOVE_ENCRYPTION_KEY_ALL_USERS UINT32_C(0xC0406619)
#define ENABLE_VERITY UINT32_C(0x40806685)

/* Numbers of calls that the machine's headers may not have; they are the same everywhere. */
enum {
    PIDFD_SEND_SIGNAL = 424,
    IO_URING_SETUP = 425,
    IO_URING_ENTER,
    IO_URING_REGISTER,
    OPEN_TREE,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    CLONE3 = 435,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MOUNT_SETATTR = 442,
    QUOTACTL_FD = 443,
    PROCESS_MRELEASE = 448,
    FCHMODAT2 = 452,
    LSM_SET_SELF_ATTR = 460,
    SETXATTRAT = 463,
    REMOVEXATTRAT = 466,
    OPEN_TREE_ATTR = 467,
    FILE_SETATTR = 469,
    /* The newest that was judged: append, and look at all that are new.  The other numbers for the
     * same calls that x86-64 has (x32) are beyond it, too. */
    NEWEST = FILE_SETATTR,
};

typedef enum Verdict {
    NEVER = 1, /* EPERM */
    ABSENT,    /* ENOSYS, as by a kernel that does not have it: programs know another way */
    BESIDE,    /* EPERM, but allowed in namespaces */
    SELF,      /* in namespaces; else only if the first argument, a process, is 0: the caller */
    JUDGED,    /* allowed, for the reason that stands there */
} Verdict;

static const struct {
    unsigned call;
    Verdict verdict;
} table[] = {
    /* Another process's memory, descriptors and course. */
    { SYS_ptrace, NEVER },
    { SYS_process_vm_readv, NEVER },
    { SYS_process_vm_writev, NEVER },
    { SYS_kcmp, NEVER },
    { PIDFD_GETFD, NEVER },
    { PROCESS_MADVISE, NEVER },
    { PROCESS_MRELEASE, NEVER },
    { SYS_move_pages, SELF },
    { SYS_migrate_pages, SELF },
    { SYS_get_robust_list, SELF },

    /* Its limits, and its share of processor and disk: no other rule stands before these. */
    { SYS_prlimit64, SELF },
    { SYS_sched_setparam, SELF },
    { SYS_sched_setscheduler, SELF },
    { SYS_sched_setattr, SELF },
    { SYS_sched_setaffinity, SELF },

    /* Signals: Landlock lets none out of the jail (it is asked for each receiver, also of -1), nor
     * does a namespace; within, a shell without them is none. */
    { SYS_kill, JUDGED },
    { SYS_tkill, JUDGED },
    { SYS_tgkill, JUDGED },
    { SYS_rt_sigqueueinfo, JUDGED },
    { SYS_rt_tgsigqueueinfo, JUDGED },
    { PIDFD_SEND_SIGNAL, JUDGED },

    /* Memory and queues of other processes by System V's numbers and by names that are no files. */
    { SYS_shmget, BESIDE },
    { SYS_shmat, BESIDE },
    { SYS_shmctl, BESIDE },
    { SYS_semget, BESIDE },
    { SYS_semop, BESIDE },
    { SYS_semtimedop, BESIDE },
    { SYS_semctl, BESIDE },
    { SYS_msgget, BESIDE },
    { SYS_msgsnd, BESIDE },
    { SYS_msgrcv, BESIDE },
    { SYS_msgctl, BESIDE },
    { SYS_mq_open, BESIDE },
    { SYS_mq_unlink, BESIDE },

    /* What happens in directories it cannot read: Landlock has no rule for that.  Of queues for it
     * a user has a hundred or so, and would have none left. */
    { SYS_inotify_add_watch, BESIDE },
    { SYS_inotify_init1, BESIDE },
#ifdef SYS_inotify_init
    { SYS_inotify_init, BESIDE },
#endif
    { SYS_fanotify_init, NEVER },

    /* Keys, which belong to the user and not to the process. */
    { SYS_add_key, NEVER },
    { SYS_request_key, NEVER },
    { SYS_keyctl, NEVER },

    /* Namespaces, mounts and roots: with new ones, rules about names mean other files.  The flags
     * of clone3 are in memory; everybody falls back to clone, whose flags are looked at. */
    { SYS_unshare, NEVER },
    { SYS_setns, NEVER },
    { CLONE3, ABSENT },
    { SYS_mount, NEVER },
    { SYS_umount2, NEVER },
    { SYS_pivot_root, NEVER },
    { SYS_chroot, NEVER },
    { OPEN_TREE, NEVER },
    { OPEN_TREE_ATTR, NEVER },
    { MOVE_MOUNT, NEVER },
    { FSOPEN, NEVER },
    { FSCONFIG, NEVER },
    { FSMOUNT, NEVER },
    { FSPICK, NEVER },
    { MOUNT_SETATTR, NEVER },

    /* Files by their numbers instead of their names. */
    { SYS_open_by_handle_at, NEVER },
    { SYS_name_to_handle_at, NEVER },
    { SYS_lookup_dcookie, NEVER },

    /* Other calls in disguise: io_uring opens files and sockets unseen by this filter. */
    { IO_URING_SETUP, NEVER },
    { IO_URING_ENTER, NEVER },
    { IO_URING_REGISTER, NEVER },

    /* Large doors into the kernel, with a history. */
    { SYS_bpf, NEVER },
    { SYS_perf_event_open, NEVER },
    { SYS_userfaultfd, NEVER },
    { SYS_personality, NEVER },
    { LSM_SET_SELF_ATTR, NEVER },

    /* The machine: its programs, clocks, names, disks, log and terminals.  All ask for a privilege
     * that a command does not have; this is the second lock. */
    { SYS_init_module, NEVER },
    { SYS_finit_module, NEVER },
    { SYS_delete_module, NEVER },
    { SYS_kexec_load, NEVER },
#ifdef SYS_kexec_file_load
    { SYS_kexec_file_load, NEVER },
#endif
    { SYS_reboot, NEVER },
    { SYS_settimeofday, NEVER },
    { SYS_clock_settime, NEVER },
    { SYS_clock_adjtime, NEVER },
    { SYS_adjtimex, NEVER },
    { SYS_sethostname, NEVER },
    { SYS_setdomainname, NEVER },
    { SYS_swapon, NEVER },
    { SYS_swapoff, NEVER },
    { SYS_acct, NEVER },
    { SYS_quotactl, NEVER },
    { QUOTACTL_FD, NEVER },
    { SYS_syslog, NEVER },
    { SYS_vhangup, NEVER },
    { SYS_nfsservctl, ABSENT },
#ifdef SYS_iopl
    { SYS_iopl, NEVER },
    { SYS_ioperm, NEVER },
#endif
#ifdef SYS_uselib
    { SYS_uselib, ABSENT },
    { SYS__sysctl, ABSENT },
    { SYS_sysfs, ABSENT },
    { SYS_ustat, ABSENT },
#endif
};

/* What is refused depends on an argument.  A row is about the bits of `mask`: the call is refused
 * if they are one of the values (IF), or if they are none of them (UNLESS), or if any of them is
 * set (ANY). */
typedef enum Test { IF = 1, UNLESS, ANY } Test;

enum { VALUES_MAX = 3, ALL = -1 };

typedef struct Rule {
    unsigned call, arg;
    Test test;
    int32_t mask;
    uint32_t values[VALUES_MAX];
    unsigned values_n;
    int errnum;
} Rule;

#define RULE(call, arg, test, mask, errnum, ...)                           \
    {                                                                      \
        call, arg, test, mask, { __VA_ARGS__ },                            \
            sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), errnum \
    }

/* clang-format off */
static const Rule always[] = {
    RULE(SYS_clone, 0, ANY, NAMESPACES, EPERM, 0),

    /* Words put into the mouth of a terminal. */
    RULE(SYS_ioctl, 1, IF, ALL, EPERM, TIOCSTI, TIOCLINUX),

    /* What the user's files are locked with belongs to the user, as other keys do. */
    RULE(SYS_ioctl, 1, IF, ALL, EPERM, SET_ENCRYPTION_POLICY, ADD_ENCRYPTION_KEY, ENABLE_VERITY),
    RULE(SYS_ioctl, 1, IF, ALL, EPERM, REMOVE_ENCRYPTION_KEY, REMOVE_ENCRYPTION_KEY_ALL_USERS),

    /* A pair of sockets that are connected to each other is fine, if it stays one: datagrams can be
     * sent to any other address from it, and with them descriptors. */
    RULE(SYS_socketpair, 1, UNLESS, SOCKET_TYPE, EACCES, SOCK_STREAM, SOCK_SEQPACKET),

    /* Room that is taken without being written is not counted as anybody's: a command that does so
     * could fill the disk.  The C library then writes zeros instead; to give room back is fine. */
    RULE(SYS_fallocate, 1, UNLESS, FALLOC_FL_PUNCH_HOLE, EOPNOTSUPP, FALLOC_FL_PUNCH_HOLE),

    /* A program that runs as its owner is for other users: nobody in the jail needs one. */
#ifdef SYS_chmod
    RULE(SYS_chmod, 1, ANY, MODE_AS_OWNER, EPERM, 0),
#endif
    RULE(SYS_fchmod, 1, ANY, MODE_AS_OWNER, EPERM, 0),
    RULE(SYS_fchmodat, 2, ANY, MODE_AS_OWNER, EPERM, 0),
    RULE(FCHMODAT2, 2, ANY, MODE_AS_OWNER, EPERM, 0),
};

/* Where network was given, and in namespaces, where it leads nowhere. */
static const Rule internet_only[] = {
    RULE(SYS_socket, 0, UNLESS, ALL, EACCES, AF_INET, AF_INET6, AF_NETLINK),
};

/* Under Landlock alone. */
static const Rule beside[] = {
    /* The first argument says whose the second one is: a process, a group, a user.  A group of a
     * confined command has nobody else in it, because it is in a session of its own. */
    RULE(SYS_setpriority, 0, UNLESS, ALL, EPERM, PRIO_PROCESS, PRIO_PGRP),
    RULE(SYS_setpriority, 1, UNLESS, ALL, EPERM, 0),
    RULE(SYS_ioprio_set, 0, UNLESS, ALL, EPERM, IOPRIO_PROCESS, IOPRIO_GROUP),
    RULE(SYS_ioprio_set, 1, UNLESS, ALL, EPERM, 0),

    /* Attributes, as by a file system that has none. */
    RULE(SYS_ioctl, 1, IF, ALL, EOPNOTSUPP, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR),

    /* Modes. */
#ifdef SYS_chmod
    RULE(SYS_chmod, 1, ANY, MODE_NEVER, EPERM, 0),
    RULE(SYS_chmod, 1, UNLESS, MODE_ALWAYS, EPERM, MODE_ALWAYS),
#endif
    RULE(SYS_fchmod, 1, ANY, MODE_NEVER, EPERM, 0),
    RULE(SYS_fchmod, 1, UNLESS, MODE_ALWAYS, EPERM, MODE_ALWAYS),
    RULE(SYS_fchmodat, 2, ANY, MODE_NEVER, EPERM, 0),
    RULE(SYS_fchmodat, 2, UNLESS, MODE_ALWAYS, EPERM, MODE_ALWAYS),
    RULE(FCHMODAT2, 2, ANY, MODE_NEVER, EPERM, 0),
    RULE(FCHMODAT2, 2, UNLESS, MODE_ALWAYS, EPERM, MODE_ALWAYS),
};
/* clang-format on */

/* Owners. */
static const unsigned of_owners[] = {
#ifdef SYS_chown
    SYS_chown,
    SYS_lchown,
#endif
    SYS_fchown,
    SYS_fchownat,
};

/* Attributes: refused as by a file system that has none, which programs know. */
static const unsigned of_attributes[] = {
    SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr, SETXATTRAT,   SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, REMOVEXATTRAT, FILE_SETATTR,
};

typedef struct Filter {
    struct sock_filter *at;
    size_t n;
} Filter;

static void add(Filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    assert(f->n < JAIL_FILTER_MAX);
    f->at[f->n++] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
}

static void load(Filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(Filter *f, uint32_t action)
{
    add(f, BPF_RET | BPF_K, action, 0, 0);
}

static void refuse(Filter *f, unsigned call, int errnum)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)errnum);
}

/* The low half of an argument is looked at: nothing that is judged here is longer, and both
 * machines are little-endian.  Jumps count the instructions to pass over: of a value that is found,
 * the others and, if it is to be allowed, the refusal. */
static void refuse_rule(Filter *f, const Rule *r)
{
    size_t skip = f->n;
    unsigned n = r->test == ANY ? 1 : r->values_n;
    add(f, BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, 0);
    load(f, offsetof(struct seccomp_data, args) + r->arg * sizeof(uint64_t));
    add(f, BPF_ALU | BPF_AND | BPF_K, (uint32_t)r->mask, 0, 0);
    for (unsigned i = 0; i < n; i++) {
        uint8_t others = (uint8_t)(n - 1 - i), last = i == n - 1;
        if (r->test == ANY) /* some bit is left: refused */
            add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        else if (r->test == IF)
            add(f, BPF_JMP | BPF_JEQ | BPF_K, r->values[i], others, last);
        else
            add(f, BPF_JMP | BPF_JEQ | BPF_K, r->values[i], (uint8_t)(others + 1), 0);
    }
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)r->errnum);
    load(f, offsetof(struct seccomp_data, nr));
    assert(n <= VALUES_MAX && f->n - skip - 1 <= UINT8_MAX);
    f->at[skip].jf = (uint8_t)(f->n - skip - 1);
}

static void refuse_rules(Filter *f, const Rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        refuse_rule(f, &rules[i]);
}

static void judge(Filter *f, unsigned call, Verdict verdict, bool namespaces)
{
    if (verdict == JUDGED || (namespaces && verdict >= BESIDE))
        return;
    if (verdict == SELF)
        refuse_rule(f, &(Rule)RULE(call, 0, UNLESS, ALL, EPERM, 0));
    else
        refuse(f, call, verdict == ABSENT ? ENOSYS : EPERM);
}

size_t jail_filter(struct sock_filter out[JAIL_FILTER_MAX], bool internet, bool namespaces)
{
    Filter f = { .at = out };
    if (!OWN_ARCH)
        return 0;
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
    add(&f, BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1);
    answer(&f, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        judge(&f, table[i].call, table[i].verdict, namespaces);
    refuse_rules(&f, always, COUNT_OF(always));
    if (internet)
        refuse_rules(&f, internet_only, COUNT_OF(internet_only));
    else
        refuse(&f, SYS_socket, EACCES);
    for (size_t i = 0; !namespaces && i < COUNT_OF(of_owners); i++)
        refuse(&f, of_owners[i], EPERM);
    for (size_t i = 0; !namespaces && i < COUNT_OF(of_attributes); i++)
        refuse(&f, of_attributes[i], EOPNOTSUPP);
    if (!namespaces)
        refuse_rules(&f, beside, COUNT_OF(beside));
    answer(&f, SECCOMP_RET_ALLOW);
    return f.n;
}
