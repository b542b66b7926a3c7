// The part of FFmpeg that reading and writing video needs, as a few functions of our own. FFmpeg's libraries are opened
// with dlopen when the first video is, since linking them would make every start of a program load a hundred libraries.
//
// FFmpeg 4 to 9 can be installed; its headers are not needed. The fields of its structures differ between versions and
// stay behind this header (Layout.h).
//
// Unless stated otherwise an object belongs to one thread at a time, and a result below 0 is one of FFmpeg's error
// codes.
#ifndef CFFMPEG_H
#define CFFMPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Libraries

typedef enum CFFLibraries {
    /// libavformat, libavcodec and libavutil: all except the following.
    CFFLibrariesCore,
    /// libswscale: frames whose pixels have another format than is wanted.
    CFFLibrariesScaling,
    /// libavdevice: cameras.
    CFFLibrariesDevices,
} CFFLibraries;

/// Why libraries cannot be used.
typedef struct CFFLoadFailure {
    /// For example "libavformat.so.59".
    char library[64];
    char reason[256];
    /// The package of Debian's that has it: "libavformat59", or "ffmpeg" if no version is there.
    char package[32];
} CFFLoadFailure;

/// Opens libraries, once per process each; `CFFLibrariesCore` before the others, and all before what needs them.
///
/// Gives whether they can be used. FFmpeg is kept from writing to standard error.
bool cff_load(CFFLibraries libraries, CFFLoadFailure *failure);

/// FFmpeg's words for an error code.
void cff_error_text(int code, char *text, size_t capacity);

/// The meaning of an error code, as far as callers distinguish them.
typedef enum CFFErrorKind {
    CFFErrorOther,
    CFFErrorInvalidData,
    CFFErrorInterrupted,
    /// There are no more bytes.
    CFFErrorEnd,
    CFFErrorNoMemory,
    CFFErrorNoDecoder,
    CFFErrorNoSpace,
    /// A server refuses the user or the password.
    CFFErrorUnauthorized,
    /// The system reports no reason, as libavformat does for a name that no name server knows.
    CFFErrorInputOutput,
    /// One of the system's, such as a missing permission.
    CFFErrorSystem,
} CFFErrorKind;

CFFErrorKind cff_error_kind(int code);

// MARK: Interrupting

/// Lets another thread end what waits, and time end it: shared by all inputs that follow one another.
typedef struct CFFInterrupt CFFInterrupt;

CFFInterrupt *cff_interrupt_create(void);
void cff_interrupt_destroy(CFFInterrupt *interrupt);
/// Ends what waits now and all that would wait later. Safe from any thread.
void cff_interrupt_cancel(CFFInterrupt *interrupt);
bool cff_interrupt_is_cancelled(const CFFInterrupt *interrupt);
/// From now on nothing waits longer than this; below 0: without end.
void cff_interrupt_limit(CFFInterrupt *interrupt, double seconds);

// MARK: Reading

/// An opened video with its decoder.
typedef struct CFFInput CFFInput;
/// A decoded frame; FFmpeg's AVFrame.
typedef struct AVFrame CFFFrame;

typedef struct CFFInputRequest {
    /// A path with "file:" before it, an address, or a device; only a name if there is a `pipe`.
    const char *url;
    /// An open descriptor to read the input from; it stays the caller's, open as long as the input. NULL for none.
    const int *pipe;
    /// The name of the demuxer; NULL to find it out by the content.
    const char *format;
    /// Names of demuxers with commas between them that may be used; NULL for all.
    const char *formats;
    /// Names of protocols with commas between them that may be used.
    const char *protocols;
    /// Options of demuxer and protocol: names and values in turn, `optionCount` pairs.
    const char *const *options;
    size_t optionCount;
    /// Threads of the decoder; 0: as many as there are cores.
    int threads;
    /// Whether a frame should come out as soon as it went in, instead of some frames later but faster.
    bool isLive;
    /// Whether frames that no other frame refers to may keep the edges of their blocks, which is faster.
    bool keepsEdges;
    /// Whether the graphics processor decodes, if it can (VA-API).
    bool usesVAAPI;
    /// Width × height at most.
    int64_t maximumPixels;
    /// NULL for inputs that never wait.
    CFFInterrupt *interrupt;
} CFFInputRequest;

/// Why an input was not opened, besides the code.
typedef enum CFFOpenStage {
    CFFOpenStageContent,
    /// Its format is not among those allowed; `detail` names it.
    CFFOpenStageFormat,
    /// It has no video stream.
    CFFOpenStageNoVideo,
    /// No decoder for its codec; `detail` names the codec.
    CFFOpenStageDecoder,
    /// `width` × `height` exceed the limit.
    CFFOpenStageSize,
} CFFOpenStage;

typedef struct CFFOpenFailure {
    CFFOpenStage stage;
    int code;
    bool hasAudio;
    int width, height;
    char detail[64];
} CFFOpenFailure;

/// Opens a video; NULL after a failure.
CFFInput *cff_input_open(const CFFInputRequest *request, CFFOpenFailure *failure);
void cff_input_close(CFFInput *input);

typedef struct CFFInputInfo {
    char format[64];
    char codec[32];
    int width, height;
    /// Timestamps are in units of numerator / denominator seconds.
    int timeNumerator, timeDenominator;
    /// Whether the format has timestamps; otherwise they are made up from a supposed frame rate.
    bool hasTimestamps;
    /// The timestamp at which the stream begins, if known.
    bool hasStart;
    int64_t start;
    /// Frames a second; denominator 0 if not known.
    int rateNumerator, rateDenominator;
    /// In microseconds; below 0 if not known.
    int64_t duration;
    /// Below 1 if not known.
    int64_t frameCount;
    bool hasAudio;
    /// Width : height of a stored pixel; 1 : 1 if the container and the codec say nothing.
    int pixelWidth, pixelHeight;
    /// The number of bytes of the input; below 1 if not known.
    int64_t byteCount;
    /// Whether the input can go to any byte.
    bool isSeekable;
    /// The first four of the display matrix (a, b, c, d), 16.16 fixed point; only if `hasMatrix`.
    bool hasMatrix;
    int32_t matrix[4];
} CFFInputInfo;

void cff_input_info(const CFFInput *input, CFFInputInfo *info);

/// The stated length of the video and the length that was read, in microseconds.
typedef struct CFFInputLengths {
    /// Whether the container claims a length; the others are 0 if not.
    bool isKnown;
    int64_t claimed;
    int64_t read;
    /// Whether the claim is of the video alone, and not of all streams together.
    bool isOfVideo;
} CFFInputLengths;

void cff_input_lengths(const CFFInput *input, CFFInputLengths *lengths);

/// A hash of the first packet of the video that was read, with its timestamp; 0 before that.
uint64_t cff_input_fingerprint(const CFFInput *input);

/// The number of pictures so far in which the decoder guessed parts that bit errors spoiled. Frames are marked as
/// damaged, too, but not always where the decoder has several threads.
int64_t cff_input_concealed(const CFFInput *input);

/// The code of the error that keeps the graphics processor from decoding; 0 if it decodes, or is not asked to.
int cff_input_hardware_error(const CFFInput *input);

typedef enum CFFStep {
    /// `frame` was decoded; it is the caller's.
    CFFStepFrame,
    /// A packet was read; the caller decides whether it is decoded or left out.
    CFFStepPacket,
    /// A packet was passed over, since it could not be decoded; more may follow.
    CFFStepDamaged,
    /// The end, and no frame is left in the decoder.
    CFFStepEnd,
    /// Nothing more can be read.
    CFFStepFailed,
} CFFStep;

/// Reads to the next frame or the next event worth reporting.
CFFStep cff_input_step(CFFInput *input, CFFFrame **frame, int *code);

/// A coded picture, in the order of decoding.
typedef struct CFFPacketInfo {
    /// When its frame is shown, in the stream's units.
    int64_t timestamp;
    bool hasTimestamp;
    bool isKey;
    /// Other pictures may refer to it. False only where it is certain that none does.
    bool isReference;
} CFFPacketInfo;

/// The packet that was read.
void cff_input_packet(const CFFInput *input, CFFPacketInfo *info);

/// Decodes the packet that was read. Returns an error's code if the packet is damaged, otherwise 0.
int cff_input_decode_packet(CFFInput *input);

/// Passes over the packet that was read. The packet must be no reference, or all packets until the next key frame are
/// left out, too.
void cff_input_leave_out_packet(CFFInput *input);

/// After a failure to read, gives up the frames in the decoder: another input will continue after its
/// last frame.
void cff_input_expect_successor(CFFInput *input);

/// Goes to the last key frame at or before a timestamp, as far as the format allows.
int cff_input_seek(CFFInput *input, int64_t timestamp);

// MARK: Frames

typedef enum CFFLayout {
    CFFLayoutI420,
    CFFLayoutNV12,
    CFFLayoutGray,
    CFFLayoutRGB,
    CFFLayoutRGBA,
    CFFLayoutBGRA,
    /// Has to be converted first.
    CFFLayoutOther,
} CFFLayout;

typedef enum CFFMatrix { CFFMatrixUnspecified, CFFMatrixBT601, CFFMatrixBT709 } CFFMatrix;

typedef struct CFFFrameInfo {
    CFFLayout layout;
    int width, height;
    uint8_t *planes[3];
    int strides[3];
    bool isFullRange;
    CFFMatrix matrix;
    bool hasTimestamp;
    int64_t timestamp;
    /// Whether the decoder found errors in the picture, or lacked a picture that this one builds on.
    bool isDamaged;
    /// Whether the picture lies in the memory of the graphics processor. It has to be converted first.
    bool isInHardware;
} CFFFrameInfo;

/// The contents of a frame; the planes live as long as the frame.
void cff_frame_info(const CFFFrame *frame, CFFFrameInfo *info);
/// The frame's picture as a separate frame; NULL after a failure. A frame in the memory of the graphics processor is
/// copied as it is; otherwise the result has a layout that is not `CFFLayoutOther`.
CFFFrame *cff_frame_converted(CFFInput *input, const CFFFrame *frame, int *code);
/// Safe from any thread.
void cff_frame_free(CFFFrame *frame);

// MARK: Writing

/// An MP4 file that is being written, with its encoder.
typedef struct CFFOutput CFFOutput;

typedef struct CFFOutputRequest {
    /// A path with "file:" before it.
    const char *path;
    /// Even numbers, at least 2.
    int width, height;
    /// Frames a second, about; both above 0.
    int rateNumerator, rateDenominator;
    /// Frames from a key frame to the next at most.
    int keyFrameInterval;
    /// Whether colors are written by BT.709 rather than BT.601.
    bool isBT709;
    /// Whether to write MPEG-4 also where there is an encoder for H.264.
    bool avoidsH264;
    /// Width : height of a pixel; both above 0.
    int pixelWidth, pixelHeight;
    /// The first four of the display matrix as in `CFFInputInfo`; NULL for an upright video.
    const int32_t *matrix;
    /// Where sound is copied from; NULL for a silent video.
    const CFFInputRequest *audioSource;
} CFFOutputRequest;

/// Creates the file; NULL after a failure. Needs `CFFLibrariesScaling`.
CFFOutput *cff_output_open(const CFFOutputRequest *request, int *code);

typedef struct CFFOutputInfo {
    char codec[32];
    bool copiesAudio;
    int64_t audioPackets;
} CFFOutputInfo;

void cff_output_info(const CFFOutput *output, CFFOutputInfo *info);

/// Encodes a picture that is shown at a time in microseconds, later than the one before, and copies the sound up to
/// there.
///
/// The first picture is shown at the file's beginning, and sound begins with it. The matrix must be specified for I420
/// and NV12. Pictures of another size are scaled, with black borders where the shape differs.
int cff_output_write(CFFOutput *output, const CFFFrameInfo *picture, int64_t microseconds);

/// Writes the rest and closes the file; the object is to be closed afterwards.
int cff_output_finish(CFFOutput *output);

/// Frees the object. A file that was not finished ends with what reached it.
void cff_output_close(CFFOutput *output);

#endif
