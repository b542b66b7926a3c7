// Chooses the version of FFmpeg that is installed, and what needs none.
#include "Versions.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CFF_FFMPEG 5
#include "Layout.h"

static const CFFVersion *version;

/// Opens the newest installed version. If one is incomplete, the failure names it.
static bool load_core(CFFLoadFailure *failure) {
    const CFFVersion *const versions[] = {&cff_ffmpeg9, &cff_ffmpeg8, &cff_ffmpeg7,
                                          &cff_ffmpeg6, &cff_ffmpeg5, &cff_ffmpeg4};
    const size_t count = sizeof versions / sizeof *versions;
    bool has_failure = false;
    for (size_t i = 0; i < count; i++) {
        CFFLoadFailure found;
        bool is_absent;
        if (versions[i]->load(CFFLibrariesCore, &found, &is_absent)) {
            version = versions[i];
            return true;
        }
        if (is_absent || has_failure) continue;
        *failure = found;
        has_failure = true;
    }
    if (has_failure) return false;
    snprintf(failure->library, sizeof failure->library, "libavutil");
    snprintf(failure->reason, sizeof failure->reason, "none of FFmpeg 4 to 9 is installed");
    snprintf(failure->package, sizeof failure->package, "ffmpeg");
    return false;
}

bool cff_load(CFFLibraries libraries, CFFLoadFailure *failure) {
    memset(failure, 0, sizeof *failure);
    if (libraries == CFFLibrariesCore) return load_core(failure);
    bool is_absent;
    return version && version->load(libraries, failure, &is_absent);
}

#define CFF_FORWARD(result, name, parameters, arguments)                                                               \
    result cff_##name parameters { return version->name arguments; }
CFF_INTERFACE(CFF_FORWARD)

// The codes of errors are the same in all versions.
#define CFF_ENTRY(name, value) name = value,
enum { CFF_CONSTANTS(CFF_ENTRY) };
#define AVERROR(code) (-(code))

CFFErrorKind cff_error_kind(int code) {
    if (code == AVERROR_INVALIDDATA) return CFFErrorInvalidData;
    if (code == AVERROR_EXIT) return CFFErrorInterrupted;
    if (code == AVERROR_EOF) return CFFErrorEnd;
    if (code == AVERROR(ENOMEM)) return CFFErrorNoMemory;
    if (code == AVERROR_DECODER_NOT_FOUND) return CFFErrorNoDecoder;
    if (code == AVERROR(ENOSPC) || code == AVERROR(EDQUOT) || code == AVERROR(EFBIG)) return CFFErrorNoSpace;
    if (code == AVERROR_HTTP_UNAUTHORIZED || code == AVERROR_HTTP_FORBIDDEN) return CFFErrorUnauthorized;
    if (code == AVERROR(EIO)) return CFFErrorInputOutput;
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
    // A century also counts as endless.
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
