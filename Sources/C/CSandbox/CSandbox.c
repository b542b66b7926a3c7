#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSandbox.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- Landlock: which files may be read -------------------------------------------------------------------------------
// Numbers and layouts from the kernel's include/uapi/linux/landlock.h, since the headers of a system may be older than
// its kernel.

enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { version_flag = 1, path_beneath = 1 };
enum { read_file = 1 << 2, read_folder = 1 << 3 };

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

static int landlock_version(void) {
    long version = syscall(create_ruleset, NULL, 0, version_flag);
    return version > 0 ? (int)version : 0;
}

static void allow_reading(int ruleset, const char *path) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status;
    if (fstat(descriptor, &status) == 0) {
        struct path_rule rule = {S_ISDIR(status.st_mode) ? read_file | read_folder : read_file, descriptor};
        syscall(add_rule, ruleset, path_beneath, &rule, 0);
    }
    close(descriptor);
}

static int restrict_files(const char *const *paths, size_t count) {
    int version = landlock_version();
    if (version < 1) return 0;
    // 13 rights in the first version; then moving between folders, shortening files, and commands to devices.
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    // All rights are taken away: to bind and connect TCP, to reach abstract sockets and to signal processes outside.
    struct ruleset ruleset = {(UINT64_C(1) << rights) - 1, 3, 3};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int descriptor = (int)syscall(create_ruleset, &ruleset, size, 0);
    if (descriptor < 0) return 0;
    for (size_t index = 0; index < count; index += 1)
        allow_reading(descriptor, paths[index]);
    long result = syscall(restrict_self, descriptor, 0);
    close(descriptor);
    return result == 0;
}

// --- How many threads there are --------------------------------------------------------------------------------------
// RLIMIT_NPROC counts the threads of all processes that share a real user in a user namespace, and spares root. So the
// process first becomes the only one of its count.

enum { smallest_user = 1 << 30 };

// Keeps what reading files may need. Root could otherwise go beyond the limit.
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct held[2];
    if (syscall(SYS_capget, &header, held) != 0) return 0;
    uint32_t reading = held[0].permitted & (1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    struct __user_cap_data_struct kept[2] = {{reading, reading, 0}, {0, 0, 0}};
    return syscall(SYS_capset, &header, kept) == 0;
}

static int counts_alone(void) {
    // The effective user stays the same, and with it the files that may be read. The access call, which asks about the
    // real user, also keeps its answers. No user has such a number, and no other process of this kind has the same one.
    if (geteuid() == 0) {
        prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
        return setresuid(smallest_user + (uid_t)getpid(), (uid_t)-1, (uid_t)-1) == 0;
    }
    // Namespaces have their own counts from Linux 5.14; Landlock's second version came with 5.19.
    return landlock_version() >= 2 && unshare(CLONE_NEWUSER) == 0;
}

static int restrict_threads(size_t threads) {
    if (!counts_alone() || !drop_capabilities()) return 0;
    struct rlimit limit = {threads, threads};
    return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

// --- seccomp: which system calls there are ---------------------------------------------------------------------------

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// The needs of a process that has its libraries loaded: memory, time, threads, and files that are open or are opened to
// read.
static const int allowed[] = {
#if defined(__x86_64__)
    SYS_access,
    SYS_arch_prctl,
    SYS_dup2,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_getdents,
    SYS_getrlimit,
    SYS_lstat,
    SYS_pipe,
    SYS_poll,
    SYS_readlink,
    SYS_select,
    SYS_stat,
    SYS_time,
#endif
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_exit,
    SYS_exit_group,
    SYS_faccessat,
    SYS_fadvise64,
    SYS_fstat,
    SYS_fstatfs,
    SYS_futex,
    SYS_getcpu,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getpgid,
    SYS_getpid,
    SYS_getppid,
    SYS_getpriority,
    SYS_getrandom,
    SYS_get_robust_list,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_getuid,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_mincore,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_newfstatat,
    SYS_pipe2,
    SYS_ppoll,
    SYS_prctl,
    SYS_pread64,
    SYS_preadv,
    SYS_pselect6,
    SYS_read,
    SYS_readlinkat,
    SYS_readv,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sched_getaffinity,
    SYS_sched_getattr,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_sigaltstack,
    SYS_statfs,
    SYS_statx,
    SYS_sysinfo,
    SYS_timerfd_create,
    SYS_timerfd_gettime,
    SYS_timerfd_settime,
    SYS_times,
    SYS_uname,
    SYS_write,
    SYS_writev,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
};

struct program {
    struct sock_filter code[512];
    unsigned short count;
};

static void add(struct program *program, unsigned short code, uint32_t value, uint8_t yes, uint8_t no) {
    program->code[program->count++] = (struct sock_filter){code, yes, no, value};
}

static void answer(struct program *program, uint32_t result) { add(program, BPF_RET | BPF_K, result, 0, 0); }

// The low half of an argument; both processors have it first in memory.
static void load_argument(struct program *program, int number) {
    add(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (uint32_t)number, 0, 0);
}

// Lets a call through if an argument has none of some bits.
static void allow_without_bits(struct program *program, int call, int argument, uint32_t bits) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load_argument(program, argument);
    add(program, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    answer(program, SECCOMP_RET_ERRNO | EACCES);
    answer(program, SECCOMP_RET_ALLOW);
}

// Lets a call through if the low half of an argument passes a test: BPF_JEQ, it is the value; BPF_JSET, it has one of
// its bits.
static void allow_if(struct program *program, int call, int argument, unsigned short test, uint32_t value) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load_argument(program, argument);
    add(program, BPF_JMP | test | BPF_K, value, 1, 0);
    answer(program, SECCOMP_RET_ERRNO | EPERM);
    answer(program, SECCOMP_RET_ALLOW);
}

// Lets fcntl through for what libraries do with descriptors. Its other commands can send a signal to any process of the
// user, whom Landlock protects from Linux 6.12 only: F_SETOWN and F_SETSIG, together with the flag O_ASYNC.
static void allow_descriptor_commands(struct program *program) {
    static const uint32_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
    enum { number = sizeof commands / sizeof *commands };
    add(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, number + 6);
    load_argument(program, 1);
    for (uint8_t index = 0; index < number; index += 1)
        add(program, BPF_JMP | BPF_JEQ | BPF_K, commands[index], (uint8_t)(number - index + 3), 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 2);
    load_argument(program, 2);
    add(program, BPF_JMP | BPF_JSET | BPF_K, O_ASYNC, 0, 1);
    answer(program, SECCOMP_RET_ERRNO | EPERM);
    answer(program, SECCOMP_RET_ALLOW);
}

// Lets a call through if an argument, a pointer, is null.
static void allow_with_null(struct program *program, int call, int argument) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 6);
    load_argument(program, argument);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    add(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (uint32_t)argument + 4, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(program, SECCOMP_RET_ALLOW);
    answer(program, SECCOMP_RET_ERRNO | EPERM);
}

static int restrict_calls(void) {
    struct program program = {.count = 0};
    add(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&program, SECCOMP_RET_ERRNO | ENOSYS);
    add(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
#if defined(__x86_64__)
    allow_without_bits(&program, SYS_open, 1, writing);
#endif
    allow_without_bits(&program, SYS_openat, 2, writing);
    allow_descriptor_commands(&program);
    // A thread, not a process. (clone3 hides its flags from filters; without it libraries fall back to clone.)
    allow_if(&program, SYS_clone, 0, BPF_JSET, CLONE_THREAD);
    // A signal to itself, as abort sends it.
    allow_if(&program, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid());
    // To ask for limits, not to set them.
    allow_with_null(&program, SYS_prlimit64, 2);
    for (size_t index = 0; index < sizeof allowed / sizeof *allowed; index += 1) {
        add(&program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[index], 0, 1);
        answer(&program, SECCOMP_RET_ALLOW);
    }
    // As if the kernel were too old for the rest, which libraries can handle.
    answer(&program, SECCOMP_RET_ERRNO | ENOSYS);
    struct sock_fprog filter = {program.count, program.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

int csandbox_available(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    int found = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 ? CSandboxSystemCalls : 0;
    return landlock_version() > 0 ? found | CSandboxFiles : found;
}

int csandbox_enter(const char *const *paths, size_t count, size_t threads) {
    int done = restrict_threads(threads) ? CSandboxThreads : 0;
    // Both want it: a program that is started could not get rights back by its set-user-id bit.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return done;
    if (restrict_files(paths, count)) done |= CSandboxFiles;
    return restrict_calls() ? done | CSandboxSystemCalls : done;
}

#else

int csandbox_available(void) { return 0; }

int csandbox_enter(const char *const *paths, size_t count, size_t threads) {
    (void)paths;
    (void)count;
    (void)threads;
    return 0;
}

#endif
