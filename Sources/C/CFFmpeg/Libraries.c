#include "Libraries.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

CFFFunctions cff;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#ifdef __APPLE__
#define FILE_NAME(library, major) "lib" library "." TEXT(major) ".dylib"
#else
#define FILE_NAME(library, major) "lib" library ".so." TEXT(major)
#endif

/// A library that is open for good, or NULL with the failure.
static void *open_library(const char *name, const char *version_function, unsigned major, CFFLoadFailure *failure) {
    snprintf(failure->library, sizeof failure->library, "%s", name);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure->reason, sizeof failure->reason, "%s", reason ? reason : "it cannot be opened");
        return NULL;
    }
    unsigned (*version)(void) = NULL;
    void *address = dlsym(library, version_function);
    // A pointer to an object and one to a function have the same size wherever dlsym exists.
    memcpy(&version, &address, sizeof version);
    unsigned found = version ? version() >> 16 : 0;
    if (found != major) {
        snprintf(failure->reason, sizeof failure->reason, "its major version is %u, expected %u", found, major);
        return NULL;
    }
    return library;
}

const char *cff_packages(void) {
#define PACKAGE(library, LIBRARY) "lib" library TEXT(LIBRARY##_VERSION_MAJOR)
    return PACKAGE("avcodec", LIBAVCODEC) " " PACKAGE("avdevice", LIBAVDEVICE) " " PACKAGE(
        "avformat", LIBAVFORMAT) " " PACKAGE("avutil", LIBAVUTIL) " " PACKAGE("swscale", LIBSWSCALE);
}

#define OPEN(library, LIBRARY)                                                                                         \
    void *library = open_library(FILE_NAME(#library, LIBRARY##_VERSION_MAJOR), #library "_version",                    \
                                 LIBRARY##_VERSION_MAJOR, failure);                                                    \
    if (!library) return false;

#define FIND(file, function)                                                                                           \
    do {                                                                                                               \
        void *symbol = dlsym(file, #function);                                                                         \
        if (!symbol) {                                                                                                 \
            snprintf(failure->library, sizeof failure->library, "lib%s", #file);                                       \
            snprintf(failure->reason, sizeof failure->reason, "it lacks the function %s", #function);                  \
            return false;                                                                                              \
        }                                                                                                              \
        memcpy(&cff.function, &symbol, sizeof symbol);                                                                 \
    } while (0);

/// Counts the pictures of which a decoder guesses parts, and writes nothing.
///
/// The decoder marks such frames, too, but loses marks where it works on several frames at once.
static void on_log(void *object, int level, const char *format, va_list arguments) {
    (void)level, (void)arguments;
    if (!object || strncmp(format, "concealing ", 11) != 0) return;
    const AVClass *class = *(const AVClass **)object;
    if (!class || strcmp(class->class_name, "AVCodecContext") != 0) return;
    // Set by `open_decoder`; the decoder's threads have copies of it.
    _Atomic int64_t *count = ((const AVCodecContext *)object)->opaque;
    if (count) atomic_fetch_add(count, 1);
}

static bool load_core(CFFLoadFailure *failure) {
    OPEN(avutil, LIBAVUTIL)
    OPEN(avcodec, LIBAVCODEC)
    OPEN(avformat, LIBAVFORMAT)
    CFF_CORE_FUNCTIONS(FIND)
    cff.av_log_set_callback(on_log);
    cff.avformat_network_init();
    return true;
}

static bool load_scaling(CFFLoadFailure *failure) {
    OPEN(swscale, LIBSWSCALE)
    CFF_SCALING_FUNCTIONS(FIND)
    return true;
}

static bool load_devices(CFFLoadFailure *failure) {
    OPEN(avdevice, LIBAVDEVICE)
    CFF_DEVICE_FUNCTIONS(FIND)
    cff.avdevice_register_all();
    return true;
}

bool cff_load(CFFLibraries libraries, CFFLoadFailure *failure) {
    memset(failure, 0, sizeof *failure);
    switch (libraries) {
    case CFFLibrariesCore: return load_core(failure);
    case CFFLibrariesScaling: return load_scaling(failure);
    case CFFLibrariesDevices: return load_devices(failure);
    }
    return false;
}

void cff_error_text(int code, char *text, size_t capacity) {
    // Gives the system's words or "Error number N occurred" where FFmpeg has none of its own.
    cff.av_strerror(code, text, capacity);
}

CFFErrorKind cff_error_kind(int code) {
    if (code == AVERROR_INVALIDDATA) return CFFErrorInvalidData;
    if (code == AVERROR_EXIT) return CFFErrorInterrupted;
    if (code == AVERROR_EOF) return CFFErrorEnd;
    if (code == AVERROR(ENOMEM)) return CFFErrorNoMemory;
    if (code == AVERROR_DECODER_NOT_FOUND) return CFFErrorNoDecoder;
    if (code == AVERROR(ENOSPC) || code == AVERROR(EDQUOT) || code == AVERROR(EFBIG)) return CFFErrorNoSpace;
    // Codes of the system are small; FFmpeg's own are made of four letters.
    if (code < 0 && code > -4096 && code != AVERROR(EINVAL)) return CFFErrorSystem;
    return CFFErrorOther;
}

struct CFFInterrupt {
    atomic_bool is_cancelled;
    /// In nanoseconds of the monotonic clock; 0: none.
    _Atomic int64_t deadline;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

CFFInterrupt *cff_interrupt_create(void) { return calloc(1, sizeof(CFFInterrupt)); }

void cff_interrupt_destroy(CFFInterrupt *interrupt) { free(interrupt); }

void cff_interrupt_cancel(CFFInterrupt *interrupt) { atomic_store(&interrupt->is_cancelled, true); }

bool cff_interrupt_is_cancelled(const CFFInterrupt *interrupt) {
    return atomic_load(&((CFFInterrupt *)interrupt)->is_cancelled);
}

void cff_interrupt_limit(CFFInterrupt *interrupt, double seconds) {
    // A century is without end too.
    bool is_limited = seconds >= 0 && seconds < 3e9;
    atomic_store(&interrupt->deadline, is_limited ? now() + (int64_t)(seconds * 1e9) : 0);
}

int cff_interrupted(void *context) {
    CFFInterrupt *interrupt = context;
    if (!interrupt) return 0;
    if (atomic_load(&interrupt->is_cancelled)) return 1;
    int64_t deadline = atomic_load(&interrupt->deadline);
    return deadline && now() > deadline;
}
