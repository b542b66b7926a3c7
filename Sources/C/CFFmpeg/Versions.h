// FFmpeg's versions. Each major version has other layouts of its structures, so what uses them is compiled once for
// each: FFmpeg5.c and its like include the same sources. cff_load chooses the version that is installed.
#ifndef CFFMPEG_VERSIONS_H
#define CFFMPEG_VERSIONS_H

#include "CFFmpeg.h"

// The functions of CFFmpeg.h that need a version, as FUNCTION(result, name without "cff_", parameters, arguments).
// clang-format off
#define CFF_INTERFACE(FUNCTION) \
    FUNCTION(void, error_text, (int code, char *text, size_t capacity), (code, text, capacity)) \
    FUNCTION(CFFInput *, input_open, (const CFFInputRequest *request, CFFOpenFailure *failure), (request, failure)) \
    FUNCTION(void, input_close, (CFFInput *input), (input)) \
    FUNCTION(void, input_info, (const CFFInput *input, CFFInputInfo *info), (input, info)) \
    FUNCTION(void, input_lengths, (const CFFInput *input, CFFInputLengths *lengths), (input, lengths)) \
    FUNCTION(uint64_t, input_fingerprint, (const CFFInput *input), (input)) \
    FUNCTION(int64_t, input_concealed, (const CFFInput *input), (input)) \
    FUNCTION(int, input_hardware_error, (const CFFInput *input), (input)) \
    FUNCTION(CFFStep, input_step, (CFFInput *input, CFFFrame **frame, int *code), (input, frame, code)) \
    FUNCTION(void, input_packet, (const CFFInput *input, CFFPacketInfo *info), (input, info)) \
    FUNCTION(int, input_decode_packet, (CFFInput *input), (input)) \
    FUNCTION(void, input_leave_out_packet, (CFFInput *input), (input)) \
    FUNCTION(void, input_expect_successor, (CFFInput *input), (input)) \
    FUNCTION(int, input_seek, (CFFInput *input, int64_t timestamp), (input, timestamp)) \
    FUNCTION(void, frame_info, (const CFFFrame *frame, CFFFrameInfo *info), (frame, info)) \
    FUNCTION(CFFFrame *, frame_converted, (CFFInput *input, const CFFFrame *frame, int *code), (input, frame, code)) \
    FUNCTION(void, frame_free, (CFFFrame *frame), (frame)) \
    FUNCTION(CFFOutput *, output_open, (const CFFOutputRequest *request, int *code), (request, code)) \
    FUNCTION(void, output_info, (const CFFOutput *output, CFFOutputInfo *info), (output, info)) \
    FUNCTION(int, output_write, (CFFOutput *output, const CFFFrameInfo *picture, int64_t microseconds), (output, picture, microseconds)) \
    FUNCTION(int, output_finish, (CFFOutput *output), (output)) \
    FUNCTION(void, output_close, (CFFOutput *output), (output))
// clang-format on

/// The functions above as one version of FFmpeg has them.
typedef struct CFFVersion {
    /// Opens libraries. `isAbsent` says whether the first of them is not there at all.
    bool (*load)(CFFLibraries libraries, CFFLoadFailure *failure, bool *isAbsent);
#define CFF_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    CFF_INTERFACE(CFF_MEMBER)
#undef CFF_MEMBER
} CFFVersion;

extern const CFFVersion cff_ffmpeg4, cff_ffmpeg5, cff_ffmpeg6, cff_ffmpeg7, cff_ffmpeg8, cff_ffmpeg9;

/// The callback of inputs for `CFFInterrupt`.
int cff_interrupted(void *interrupt);

#endif
