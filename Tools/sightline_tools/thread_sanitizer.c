// Lets the thread sanitizer see the locks of `Synchronization.Mutex`, and work in the hub's processes with limits. `Scripts/nightly thread`
// compiles this file and loads it with LD_PRELOAD.
//
// On Linux, a mutex that is free is taken in the program, where the sanitizer sees the atomic access. One that another thread has is taken
// and given up in libswiftSynchronization, which has no instrumentation. Without this library, the sanitizer reports all that such a mutex
// protects. The names are those of Swift 6's library; with another one, the linker finds nothing to replace, and the reports come back.
//
// The sanitizer reserves terabytes of addresses, so a limit on them would end each process that reads models and pictures. These start with
// few variables of their parent, so this library adds itself.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in programs that are compiled without the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF) {
    bool is_locked = ((SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK))(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock(SELF) {
    if (__tsan_release) __tsan_release(mutex);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(mutex);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    if (resource == RLIMIT_AS && __tsan_acquire) return 0;
    return ((int (*)(__rlimit_resource_t, const struct rlimit *))dlsym(RTLD_NEXT, "setrlimit"))(resource, limit);
}

static char *preload;

__attribute__((constructor)) static void prepare(void) {
    const char *library = getenv("LD_PRELOAD");
    if (library != NULL && asprintf(&preload, "LD_PRELOAD=%s", library) < 0) preload = NULL;
}

int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const words[], char *const variables[]
) {
    size_t count = 0;
    bool is_there = preload == NULL;
    for (; variables[count] != NULL; count++) is_there |= strncmp(variables[count], "LD_PRELOAD=", 11) == 0;
    char *more[count + 2];
    memcpy(more, variables, (count + 1) * sizeof *more);
    if (!is_there) {
        more[count] = preload;
        more[count + 1] = NULL;
    }
    return ((__typeof__(&posix_spawn))dlsym(RTLD_NEXT, "posix_spawn"))(process, path, actions, attributes, words, more);
}
