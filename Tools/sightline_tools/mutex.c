// Tells the thread sanitizer of the locks of `Synchronization.Mutex`. `Scripts/nightly thread` compiles this file and loads it with LD_PRELOAD.
//
// On Linux, a mutex that is free is taken in the program, where the sanitizer sees the atomic access. One that another thread has is taken
// and given up in libswiftSynchronization, which has no instrumentation. Without this library, the sanitizer reports all that such a mutex
// protects. The names are those of Swift 6's library; with another one, the linker finds nothing to replace, and the reports come back.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

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
