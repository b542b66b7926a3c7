// Opens the libraries of a version and finds their functions.
#include "CLoader.h"

#include <dlfcn.h>

// Majors grow together.
enum {
    avutil_major = 52 + CFF_FFMPEG,
    avcodec_major = 54 + CFF_FFMPEG,
    avformat_major = 54 + CFF_FFMPEG,
    avdevice_major = 54 + CFF_FFMPEG,
    swscale_major = 1 + CFF_FFMPEG,
};

/// A library that stays open, or NULL with the failure.
static void *open_library(const char *name, unsigned major, CFFLoadFailure *failure) {
#ifdef __APPLE__
    snprintf(failure->library, sizeof failure->library, "lib%s.%u.dylib", name, major);
#else
    snprintf(failure->library, sizeof failure->library, "lib%s.so.%u", name, major);
#endif
    snprintf(failure->package, sizeof failure->package, "lib%s%u", name, major);
    void *library = cloader_open(failure->library, failure->reason, sizeof failure->reason);
    if (!library) return NULL;
    char function[32];
    snprintf(function, sizeof function, "%s_version", name);
    unsigned (*version)(void) = NULL;
    void *address = dlsym(library, function);
    // A pointer to an object and one to a function have the same size wherever dlsym exists.
    memcpy(&version, &address, sizeof version);
    unsigned found = version ? version() >> 16 : 0;
    if (found != major) {
        snprintf(failure->reason, sizeof failure->reason, "its major version is %u, expected %u", found, major);
        return NULL;
    }
    return library;
}

#define OPEN(library)                                                                                                  \
    void *library = open_library(#library, library##_major, failure);                                                  \
    if (!library) return false;

#define FIND(file, result, function, parameters)                                                                       \
    do {                                                                                                               \
        void *symbol = dlsym(file, #function);                                                                         \
        if (!symbol) {                                                                                                 \
            snprintf(failure->library, sizeof failure->library, "lib%s", #file);                                       \
            snprintf(failure->package, sizeof failure->package, "lib%s%u", #file, (unsigned)file##_major);             \
            snprintf(failure->reason, sizeof failure->reason, "it lacks the function %s", #function);                  \
            return false;                                                                                              \
        }                                                                                                              \
        memcpy(&cff.function, &symbol, sizeof symbol);                                                                 \
    } while (0);

/// Whether an option of an object is stored where Layout.h has the field.
static bool option_is_at(void *object, const char *name, size_t offset) {
    const AVOption *option = cff.av_opt_find(object, name, NULL, 0, 0);
    return option && option->offset == (int)offset;
}

static bool codec_layout_is_right(AVCodecContext *codec) {
#define AT(name, field) option_is_at(codec, name, offsetof(AVCodecContext, field))
    return AT("flags", flags) && AT("global_quality", global_quality) && AT("time_base", time_base) &&
           AT("pkt_timebase", pkt_timebase) && AT("video_size", width) && AT("aspect", sample_aspect_ratio) &&
           AT("pixel_format", pix_fmt) && AT("color_primaries", color_primaries) && AT("color_trc", color_trc) &&
           AT("colorspace", colorspace) && AT("color_range", color_range) && AT("bf", max_b_frames) &&
           AT("g", gop_size) && AT("extra_hw_frames", extra_hw_frames) && AT("threads", thread_count) &&
           AT("thread_type", thread_type) && AT("skip_loop_filter", skip_loop_filter) && AT("max_pixels", max_pixels);
#undef AT
}

static bool format_layout_is_right(AVFormatContext *format) {
    // The options before and after the callback.
    size_t callback = offsetof(AVFormatContext, interrupt_callback);
    if (!option_is_at(format, "fflags", offsetof(AVFormatContext, flags)) ||
        !option_is_at(format, "fdebug", callback + sizeof(AVIOInterruptCB)))
        return false;
    cff.avformat_new_stream(format, NULL);
    AVStream *stream = cff.avformat_new_stream(format, NULL);
    return stream && format->nb_streams == 2 && format->streams[1] == stream && stream->index == 1 &&
           stream->start_time == AV_NOPTS_VALUE && stream->codecpar && stream->sample_aspect_ratio.num == 0 &&
           stream->sample_aspect_ratio.den == 1 && stream->codecpar->sample_aspect_ratio.num == 0 &&
           stream->codecpar->sample_aspect_ratio.den == 1;
}

static bool frame_layout_is_right(AVFrame *frame) {
    // Its values before it has a picture.
    if (frame->format != -1 || frame->pts != AV_NOPTS_VALUE || frame->best_effort_timestamp != AV_NOPTS_VALUE ||
        frame->colorspace != 2 || frame->color_range != AVCOL_RANGE_UNSPECIFIED || frame->flags || frame->buf[0])
        return false;
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = frame->height = 16;
    return cff.av_frame_get_buffer(frame, 0) >= 0 && frame->buf[0] && frame->data[2] && frame->linesize[2] >= 8 &&
           !frame->hw_frames_ctx && !frame->decode_error_flags;
}

/// Whether the libraries lay out their structures as Layout.h says, as far as they show it.
static bool check_layouts(CFFLoadFailure *failure) {
    AVCodecContext *codec = cff.avcodec_alloc_context3(NULL);
    AVFormatContext *format = cff.avformat_alloc_context();
    AVFrame *frame = cff.av_frame_alloc();
    bool is_right = codec && format && frame && codec_layout_is_right(codec) && format_layout_is_right(format) &&
                    frame_layout_is_right(frame);
    cff.av_frame_free(&frame);
    cff.avformat_free_context(format);
    cff.avcodec_free_context(&codec);
    if (!is_right)
        snprintf(failure->reason, sizeof failure->reason, "its structures are not those of FFmpeg %d", CFF_FFMPEG);
    return is_right;
}

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

static bool load_core(CFFLoadFailure *failure, bool *isAbsent) {
    *isAbsent = true;
    OPEN(avutil)
    *isAbsent = false;
    OPEN(avcodec)
    OPEN(avformat)
    CFF_CORE_FUNCTIONS(FIND)
    cff.av_log_set_callback(on_log);
    if (!check_layouts(failure)) return false;
    cff.avformat_network_init();
    return true;
}

static bool load_scaling(CFFLoadFailure *failure) {
    OPEN(swscale)
    CFF_SCALING_FUNCTIONS(FIND)
    return true;
}

static bool load_devices(CFFLoadFailure *failure) {
    OPEN(avdevice)
    CFF_DEVICE_FUNCTIONS(FIND)
    cff.avdevice_register_all();
    return true;
}

#undef OPEN
#undef FIND

static bool load(CFFLibraries libraries, CFFLoadFailure *failure, bool *isAbsent) {
    memset(failure, 0, sizeof *failure);
    *isAbsent = false;
    switch (libraries) {
    case CFFLibrariesCore: return load_core(failure, isAbsent);
    case CFFLibrariesScaling: return load_scaling(failure);
    case CFFLibrariesDevices: return load_devices(failure);
    }
    return false;
}

static void error_text(int code, char *text, size_t capacity) {
    // Gives the system's words or "Error number N occurred" where FFmpeg has none of its own.
    cff.av_strerror(code, text, capacity);
}
