// Counts the calls by which a program changes files, maps memory and talks to others. One of them, chosen by its number, fails,
// or the process ends there. `library.py` compiles this file and loads it with LD_PRELOAD; only tools use it.
//
//     FAULT_RECORD  a file with `struct record`, shared by the program and its children
//     FAULT_AT      the number of the call, from 1 on; 0 only counts
//     FAULT_MODE    once: this call fails; full: this call and all later ones that need room on a disk fail, the first after half of
//                   its bytes; kill: the process ends, a write after half of its bytes
//     FAULT_KIND    calls, or memory: allocations above 4 kB
//
// Only calls of the program and its libraries count, not those inside glibc. Reads of the system's own files, pipes and
// terminals do not count.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct record {
    atomic_long calls;
    atomic_long fired;
    char name[256];
};

enum mode { once, full, kill_process };

static struct record *record;
static long chosen;
static enum mode mode;
static bool counts_memory;
// glibc allocates while a library is loaded, before this one is ready.
static bool is_ready;

#define REAL(name) ((__typeof__(&name))next(#name))

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("FAULT_RECORD"), *at = getenv("FAULT_AT"), *how = getenv("FAULT_MODE"), *kind = getenv("FAULT_KIND");
    if (path == NULL) return;
    int file = REAL(open)(path, O_RDWR | O_CLOEXEC);
    // A child in a sandbox may not open it, and is not disturbed.
    if (file < 0) return;
    void *mapped = REAL(mmap)(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return;
    record = mapped;
    chosen = at == NULL ? 0 : atol(at);
    mode = how == NULL || strcmp(how, "once") == 0 ? once : strcmp(how, "full") == 0 ? full : kill_process;
    counts_memory = kind != NULL && strcmp(kind, "memory") == 0;
    is_ready = true;
}

enum verdict { passes, halves, fails };

/// Counts a call, and decides whether it fails. `needs_room`: whether a full disk lets it fail. `divides`: whether half of it can happen.
static enum verdict decide(const char *name, const char *detail, bool needs_room, bool divides) {
    if (!is_ready || counts_memory) return passes;
    long number = atomic_fetch_add(&record->calls, 1) + 1;
    if (chosen == 0 || number < chosen) return passes;
    if (mode != full && number != chosen) return passes;
    if (mode == full && !needs_room) return passes;
    if (atomic_fetch_add(&record->fired, 1) == 0) {
        snprintf(record->name, sizeof record->name, "%s %s", name, detail == NULL ? "" : detail);
        if (mode != once && divides) return halves;
    }
    if (mode == kill_process) raise(SIGKILL);
    return fails;
}

static bool is_of_the_system(const char *path) {
    static const char *const folders[] = {"/proc/", "/sys/", "/dev/", "/usr/", "/lib", "/etc/", "/opt/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) return true;
    }
    return strstr(path, "/.build/") != NULL;
}

/// Whether a write to a descriptor counts: one to a file or a socket, and not to a pipe, a terminal or an event. No full disk hinders
/// a socket.
static bool counts_write(int descriptor) {
    struct stat info;
    if (!is_ready || fstat(descriptor, &info) != 0) return false;
    return S_ISREG(info.st_mode) || (S_ISSOCK(info.st_mode) && mode != full);
}

static int error_of_writing(int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode)) return ECONNRESET;
    return mode == full ? ENOSPC : EIO;
}

#define FAIL(code) return (errno = (code), -1)
#define PASS_OR_FAIL(name, detail, needs_room, code) \
    if (decide(name, detail, needs_room, false) != passes) FAIL(code)

// Files by name

#define OPENS(flags) ((flags) & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC))
#define MODE_OF_NEW_FILE(flags)                              \
    mode_t permissions = 0;                                  \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                   \
        va_list rest;                                        \
        va_start(rest, flags);                               \
        permissions = va_arg(rest, mode_t);                  \
        va_end(rest);                                        \
    }
#define CHECK_OPEN(path, flags) \
    if (!is_of_the_system(path)) PASS_OR_FAIL("open", path, ((flags) & O_CREAT) != 0, mode == full ? ENOSPC : EMFILE)

int open(const char *path, int flags, ...) {
    MODE_OF_NEW_FILE(flags)
    CHECK_OPEN(path, flags);
    return REAL(open)(path, flags, permissions);
}
int open64(const char *path, int flags, ...) {
    MODE_OF_NEW_FILE(flags)
    CHECK_OPEN(path, flags);
    return REAL(open64)(path, flags, permissions);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE_OF_NEW_FILE(flags)
    CHECK_OPEN(path, flags);
    return REAL(openat)(folder, path, flags, permissions);
}
int openat64(int folder, const char *path, int flags, ...) {
    MODE_OF_NEW_FILE(flags)
    CHECK_OPEN(path, flags);
    return REAL(openat64)(folder, path, flags, permissions);
}
FILE *fopen(const char *path, const char *how) {
    if (!is_of_the_system(path) && decide("fopen", path, strpbrk(how, "wa") != NULL, false) != passes) {
        errno = mode == full ? ENOSPC : EMFILE;
        return NULL;
    }
    return REAL(fopen)(path, how);
}
FILE *fopen64(const char *path, const char *how) {
    return fopen(path, how);
}
int mkdir(const char *path, mode_t permissions) {
    PASS_OR_FAIL("mkdir", path, true, mode == full ? ENOSPC : EIO);
    return REAL(mkdir)(path, permissions);
}
int mkdirat(int folder, const char *path, mode_t permissions) {
    PASS_OR_FAIL("mkdir", path, true, mode == full ? ENOSPC : EIO);
    return REAL(mkdirat)(folder, path, permissions);
}
int rename(const char *from, const char *to) {
    PASS_OR_FAIL("rename", to, true, mode == full ? ENOSPC : EIO);
    return REAL(rename)(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    PASS_OR_FAIL("rename", to, true, mode == full ? ENOSPC : EIO);
    return REAL(renameat)(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    PASS_OR_FAIL("rename", to, true, mode == full ? ENOSPC : EIO);
    return REAL(renameat2)(a, from, b, to, flags);
}
int link(const char *from, const char *to) {
    PASS_OR_FAIL("link", to, true, mode == full ? ENOSPC : EIO);
    return REAL(link)(from, to);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
    PASS_OR_FAIL("link", to, true, mode == full ? ENOSPC : EIO);
    return REAL(linkat)(a, from, b, to, flags);
}
int symlink(const char *from, const char *to) {
    PASS_OR_FAIL("symlink", to, true, mode == full ? ENOSPC : EIO);
    return REAL(symlink)(from, to);
}
int unlink(const char *path) {
    PASS_OR_FAIL("unlink", path, false, EIO);
    return REAL(unlink)(path);
}
int unlinkat(int folder, const char *path, int flags) {
    PASS_OR_FAIL("unlink", path, false, EIO);
    return REAL(unlinkat)(folder, path, flags);
}
int rmdir(const char *path) {
    PASS_OR_FAIL("rmdir", path, false, EIO);
    return REAL(rmdir)(path);
}

// Files by descriptor

int fsync(int file) {
    PASS_OR_FAIL("fsync", NULL, true, mode == full ? ENOSPC : EIO);
    return REAL(fsync)(file);
}
int fdatasync(int file) {
    PASS_OR_FAIL("fdatasync", NULL, true, mode == full ? ENOSPC : EIO);
    return REAL(fdatasync)(file);
}
int ftruncate(int file, off_t size) {
    PASS_OR_FAIL("ftruncate", NULL, false, EIO);
    return REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
    PASS_OR_FAIL("ftruncate", NULL, false, EIO);
    return REAL(ftruncate64)(file, size);
}
int fallocate(int file, int how, off_t start, off_t size) {
    PASS_OR_FAIL("fallocate", NULL, true, ENOSPC);
    return REAL(fallocate)(file, how, start, size);
}
int posix_fallocate(int file, off_t start, off_t size) {
    if (decide("posix_fallocate", NULL, true, false) != passes) return ENOSPC;
    return REAL(posix_fallocate)(file, start, size);
}

/// Half of a write, after which the process ends or the caller sees a short write.
#define WRITE(name, file, size, whole, half)                                    \
    if (!counts_write(file)) return whole;                                      \
    switch (decide(name, NULL, true, (size) > 1)) {                             \
    case passes: return whole;                                                  \
    case fails: FAIL(error_of_writing(file));                                   \
    case halves: break;                                                         \
    }                                                                           \
    ssize_t count = half;                                                       \
    if (mode == kill_process) raise(SIGKILL);                                   \
    return count

ssize_t write(int file, const void *bytes, size_t size) {
    WRITE("write", file, size, REAL(write)(file, bytes, size), REAL(write)(file, bytes, size / 2));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    WRITE("pwrite", file, size, REAL(pwrite)(file, bytes, size, at), REAL(pwrite)(file, bytes, size / 2, at));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    WRITE("pwrite", file, size, REAL(pwrite64)(file, bytes, size, at), REAL(pwrite64)(file, bytes, size / 2, at));
}
ssize_t writev(int file, const struct iovec *parts, int count_of_parts) {
    WRITE(
        "writev", file, count_of_parts, REAL(writev)(file, parts, count_of_parts),
        REAL(write)(file, parts[0].iov_base, parts[0].iov_len / 2)
    );
}
ssize_t pwritev(int file, const struct iovec *parts, int count_of_parts, off_t at) {
    WRITE(
        "pwritev", file, count_of_parts, REAL(pwritev)(file, parts, count_of_parts, at),
        REAL(pwrite)(file, parts[0].iov_base, parts[0].iov_len / 2, at)
    );
}
ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *target, size_t size, unsigned flags) {
    WRITE(
        "copy_file_range", to, size, REAL(copy_file_range)(from, start, to, target, size, flags),
        REAL(copy_file_range)(from, start, to, target, size / 2, flags)
    );
}
size_t fwrite(const void *bytes, size_t size, size_t count_of_items, FILE *file) {
    if (!counts_write(fileno(file))) return REAL(fwrite)(bytes, size, count_of_items, file);
    switch (decide("fwrite", NULL, true, count_of_items > 1)) {
    case passes: return REAL(fwrite)(bytes, size, count_of_items, file);
    case fails: return (errno = error_of_writing(fileno(file)), 0);
    case halves: break;
    }
    size_t count = REAL(fwrite)(bytes, size, count_of_items / 2, file);
    if (mode == kill_process) raise(SIGKILL);
    errno = ENOSPC;
    return count;
}

// Memory and sockets

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t at) {
    if (file >= 0 && decide("mmap", NULL, false, false) != passes) return (errno = ENOMEM, MAP_FAILED);
    return REAL(mmap)(place, size, protection, flags, file, at);
}
void *mmap64(void *place, size_t size, int protection, int flags, int file, off64_t at) {
    if (file >= 0 && decide("mmap", NULL, false, false) != passes) return (errno = ENOMEM, MAP_FAILED);
    return REAL(mmap64)(place, size, protection, flags, file, at);
}
int connect(int socket, const struct sockaddr *address, socklen_t size) {
    PASS_OR_FAIL("connect", NULL, false, ECONNREFUSED);
    return REAL(connect)(socket, address, size);
}
ssize_t send(int socket, const void *bytes, size_t size, int flags) {
    WRITE("send", socket, size, REAL(send)(socket, bytes, size, flags), REAL(send)(socket, bytes, size / 2, flags));
}
ssize_t sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    WRITE(
        "sendto", socket, 1, REAL(sendto)(socket, bytes, size, flags, to, length),
        REAL(sendto)(socket, bytes, size, flags, to, length)
    );
}
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    WRITE("sendmsg", socket, 1, REAL(sendmsg)(socket, message, flags), REAL(sendmsg)(socket, message, flags));
}

// Allocations above 4 kB: Swift's own end the process, those of C libraries are reported.

static bool allocation_fails(size_t size) {
    if (!is_ready || !counts_memory || size <= 4096) return false;
    long number = atomic_fetch_add(&record->calls, 1) + 1;
    if (chosen == 0 || number != chosen) return false;
    atomic_fetch_add(&record->fired, 1);
    snprintf(record->name, sizeof record->name, "allocation of %zu bytes", size);
    if (mode == kill_process) raise(SIGKILL);
    errno = ENOMEM;
    return true;
}
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t size) {
    return allocation_fails(size) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return allocation_fails(count * size) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    return allocation_fails(size) ? NULL : __libc_realloc(old, size);
}
