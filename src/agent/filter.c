/* filter.c - the system calls a command has no business with, as a seccomp filter.
 *
 * It is a list of what is refused, not of what is allowed: commands are any
 * programs, and the rules about files are Landlock's and the namespaces'.  Here is
 * what goes around those: other processes' memory, new namespaces and mounts,
 * io_uring (which opens sockets unseen), keys, the terminal's input, and sockets: a
 * network namespace takes away the internet, but neither sockets with a name in the
 * file system nor those to the machine's host.
 *
 * Landlock says nothing about who owns a file, its mode and its attributes.  Owners
 * and attributes are refused for all files.  Modes cannot be: without them nothing
 * that is compiled can be run, and no repository made.  So those are refused by
 * which a file would be shut, opened for others to write, or run as its owner.
 *
 * The instructions are written here, without libseccomp: one comparison a call is
 * all that is needed, and so it is there wherever the kernel can do it. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <assert.h>

#include "agent/jail.h"

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#define OWN_ARCH 0
#endif

enum {
    X32_BIT = 0x40000000,    /* the other way to make the same calls on x86-64 */
    NAMESPACES = 0x7E020080, /* every CLONE_NEW* flag */
    IO_URING_SETUP = 425,    /* these numbers are the same on every machine */
    IO_URING_REGISTER = 427,
    OPEN_TREE = 428,
    FSMOUNT = 432,
    CLONE3 = 435,
    MOUNT_SETATTR = 442,
    FCHMODAT2 = 452,
    SETXATTRAT = 463,
    REMOVEXATTRAT = 466,
    FILE_SETATTR = 469,
    MODE_NEVER = 07022, /* set-user-id and its like, and writing for others */
    MODE_ALWAYS = 0600, /* the owner reads and writes */
};

static const unsigned refused[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_vhangup,
    SYS_personality,
};

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

/* Modes, and which argument is the mode. */
static const struct {
    unsigned call, arg;
} of_modes[] = {
#ifdef SYS_chmod
    { SYS_chmod, 1 },
#endif
    { SYS_fchmod, 1 },
    { SYS_fchmodat, 2 },
    { FCHMODAT2, 2 },
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

/* The low half of an argument; both machines are little-endian. */
static void load_arg(Filter *f, unsigned arg)
{
    load(f, offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t));
}

static void load_call(Filter *f)
{
    load(f, offsetof(struct seccomp_data, nr));
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

/* Refuse a call whose argument has one of the bits. */
static void refuse_bits(Filter *f, unsigned call, unsigned arg, uint32_t bits)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load_arg(f, arg);
    add(f, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load_call(f);
}

static void refuse_value(Filter *f, unsigned call, unsigned arg, uint32_t value, int errnum)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load_arg(f, arg);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)errnum);
    load_call(f);
}

static void refuse_modes(Filter *f, unsigned call, unsigned arg)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 6);
    load_arg(f, arg);
    add(f, BPF_JMP | BPF_JSET | BPF_K, MODE_NEVER, 2, 0);
    add(f, BPF_ALU | BPF_AND | BPF_K, MODE_ALWAYS, 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, MODE_ALWAYS, 1, 0);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load_call(f);
}

static void refuse_inodes(Filter *f)
{
    for (size_t i = 0; i < COUNT_OF(of_owners); i++)
        refuse(f, of_owners[i], EPERM);
    for (size_t i = 0; i < COUNT_OF(of_attributes); i++)
        refuse(f, of_attributes[i], EOPNOTSUPP);
    refuse_value(f, SYS_ioctl, 1, FS_IOC_SETFLAGS, EOPNOTSUPP);
    refuse_value(f, SYS_ioctl, 1, FS_IOC_FSSETXATTR, EOPNOTSUPP);
    for (size_t i = 0; i < COUNT_OF(of_modes); i++)
        refuse_modes(f, of_modes[i].call, of_modes[i].arg);
}

/* No sockets at all, or those of the internet only.  A pair of sockets that are connected to each
 * other is fine. */
static void refuse_sockets(Filter *f, bool internet)
{
    if (!internet) {
        refuse(f, SYS_socket, EACCES);
        return;
    }
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 6);
    load_arg(f, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0);
    answer(f, SECCOMP_RET_ERRNO | EACCES);
    load_call(f);
}

size_t jail_filter(struct sock_filter out[JAIL_FILTER_MAX], bool internet, bool mounts)
{
    Filter f = { .at = out };
    if (!OWN_ARCH)
        return 0;
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
    load_call(&f);
    add(&f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(&f, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        refuse(&f, refused[i], EPERM);
    for (unsigned call = IO_URING_SETUP; call <= IO_URING_REGISTER; call++)
        refuse(&f, call, EPERM);
    for (unsigned call = OPEN_TREE; call <= FSMOUNT; call++)
        refuse(&f, call, EPERM);
    refuse(&f, MOUNT_SETATTR, EPERM);
    refuse(&f, CLONE3, ENOSYS); /* its flags are in memory; everybody falls back to clone */
    refuse_bits(&f, SYS_clone, 0, NAMESPACES);
    refuse_value(&f, SYS_ioctl, 1, TIOCSTI, EPERM);
    refuse_value(&f, SYS_ioctl, 1, TIOCLINUX, EPERM);
    refuse_sockets(&f, internet);
    if (!mounts)
        refuse_inodes(&f);
    answer(&f, SECCOMP_RET_ALLOW);
    return f.n;
}
