// FFmpeg's types and functions as found at run time.
#include "Layout.h"

typedef struct AVRational {
    int num, den;
} AVRational;
typedef struct AVIOInterruptCB {
    int (*callback)(void *);
    void *opaque;
} AVIOInterruptCB;

typedef struct AVBufferRef AVBufferRef;
typedef struct AVCodec AVCodec;
typedef struct AVDictionary AVDictionary;
typedef struct AVOutputFormat AVOutputFormat;
typedef struct SwsContext SwsContext;

#define CFF_DECLARE(structure) typedef struct structure structure;
CFF_STRUCTURES(CFF_DECLARE)
#undef CFF_DECLARE

typedef int (*CFFGetFormat)(AVCodecContext *, const int *);
typedef int (*CFFReadBytes)(void *, uint8_t *, int);

/// A structure whose fields lie where this version has them. Only FFmpeg makes objects of it, so its size does not
/// matter.
#define CFF_FIELD(structure, declaration, name, ...)                                                                   \
    struct {                                                                                                           \
        char before_##name[CFF_PICK(__VA_ARGS__)];                                                                     \
        declaration;                                                                                                   \
    };
#define CFF_DEFINE(structure)                                                                                          \
    struct structure {                                                                                                 \
        union {                                                                                                        \
            CFF_##structure(CFF_FIELD)                                                                                 \
        };                                                                                                             \
    };
CFF_STRUCTURES(CFF_DEFINE)
#undef CFF_FIELD
#undef CFF_DEFINE

// Nothing was moved for the sake of alignment.
#define CFF_FIELD(structure, declaration, name, ...)                                                                   \
    _Static_assert(offsetof(structure, name) == CFF_PICK(__VA_ARGS__), #structure "." #name);
#define CFF_CHECK(structure) CFF_##structure(CFF_FIELD)
CFF_STRUCTURES(CFF_CHECK)
#undef CFF_FIELD
#undef CFF_CHECK

enum {
#define CFF_ENTRY(name, value) name = value,
    CFF_CONSTANTS(CFF_ENTRY)
#undef CFF_ENTRY
};
#define AVERROR(code) (-(code))
#define AV_NOPTS_VALUE INT64_MIN

#if CFF_FFMPEG >= 7
#define CFF_SIDE_DATA_FUNCTIONS(X)                                                                                     \
    X(avcodec, const AVPacketSideData *, av_packet_side_data_get, (const AVPacketSideData *, int, int))                \
    X(avcodec, AVPacketSideData *, av_packet_side_data_new, (AVPacketSideData **, int *, int, size_t, int))
#else
#define CFF_SIDE_DATA_FUNCTIONS(X)                                                                                     \
    X(avformat, uint8_t *, av_stream_get_side_data, (const AVStream *, int, CFFSideDataSize *))                        \
    X(avformat, uint8_t *, av_stream_new_side_data, (AVStream *, int, CFFSideDataSize))
#endif

// Enumerations are passed as int, which has their size.
// clang-format off
#define CFF_CORE_FUNCTIONS(X) \
    CFF_SIDE_DATA_FUNCTIONS(X) \
    X(avutil, void, av_dict_free, (AVDictionary **)) \
    X(avutil, int, av_dict_set, (AVDictionary **, const char *, const char *, int)) \
    X(avutil, AVFrame *, av_frame_alloc, (void)) \
    X(avutil, int, av_frame_copy_props, (AVFrame *, const AVFrame *)) \
    X(avutil, void, av_frame_free, (AVFrame **)) \
    X(avutil, int, av_frame_get_buffer, (AVFrame *, int)) \
    X(avutil, int, av_frame_make_writable, (AVFrame *)) \
    X(avutil, void, av_frame_move_ref, (AVFrame *, AVFrame *)) \
    X(avutil, void, av_frame_unref, (AVFrame *)) \
    X(avutil, void, av_freep, (void *)) \
    X(avutil, int, av_hwdevice_ctx_create, (AVBufferRef **, int, const char *, AVDictionary *, int)) \
    X(avutil, int, av_hwframe_transfer_data, (AVFrame *, const AVFrame *, int)) \
    X(avutil, void, av_log_set_callback, (void (*)(void *, int, const char *, va_list))) \
    X(avutil, void *, av_malloc, (size_t)) \
    X(avutil, const AVOption *, av_opt_find, (void *, const char *, const char *, int, int)) \
    X(avutil, int, av_opt_set, (void *, const char *, const char *, int)) \
    X(avutil, const AVPixFmtDescriptor *, av_pix_fmt_desc_get, (int)) \
    X(avutil, int64_t, av_rescale_q, (int64_t, AVRational, AVRational)) \
    X(avutil, int, av_strerror, (int, char *, size_t)) \
    X(avutil, int, av_usleep, (unsigned)) \
    X(avcodec, AVPacket *, av_packet_alloc, (void)) \
    X(avcodec, void, av_packet_free, (AVPacket **)) \
    X(avcodec, void, av_packet_rescale_ts, (AVPacket *, AVRational, AVRational)) \
    X(avcodec, void, av_packet_unref, (AVPacket *)) \
    X(avcodec, AVCodecContext *, avcodec_alloc_context3, (const AVCodec *)) \
    X(avcodec, int, avcodec_default_get_format, (AVCodecContext *, const int *)) \
    X(avcodec, const AVCodecDescriptor *, avcodec_descriptor_get, (int)) \
    X(avcodec, const AVCodec *, avcodec_find_decoder, (int)) \
    X(avcodec, const AVCodec *, avcodec_find_encoder, (int)) \
    X(avcodec, const AVCodec *, avcodec_find_encoder_by_name, (const char *)) \
    X(avcodec, void, avcodec_flush_buffers, (AVCodecContext *)) \
    X(avcodec, void, avcodec_free_context, (AVCodecContext **)) \
    X(avcodec, const AVCodecHWConfig *, avcodec_get_hw_config, (const AVCodec *, int)) \
    X(avcodec, const char *, avcodec_get_name, (int)) \
    X(avcodec, int, avcodec_open2, (AVCodecContext *, const AVCodec *, AVDictionary **)) \
    X(avcodec, int, avcodec_parameters_copy, (AVCodecParameters *, const AVCodecParameters *)) \
    X(avcodec, int, avcodec_parameters_from_context, (AVCodecParameters *, const AVCodecContext *)) \
    X(avcodec, int, avcodec_parameters_to_context, (AVCodecContext *, const AVCodecParameters *)) \
    X(avcodec, int, avcodec_receive_frame, (AVCodecContext *, AVFrame *)) \
    X(avcodec, int, avcodec_receive_packet, (AVCodecContext *, AVPacket *)) \
    X(avcodec, int, avcodec_send_frame, (AVCodecContext *, const AVFrame *)) \
    X(avcodec, int, avcodec_send_packet, (AVCodecContext *, const AVPacket *)) \
    X(avformat, int, av_find_best_stream, (AVFormatContext *, int, int, int, const AVCodec **, int)) \
    X(avformat, const AVInputFormat *, av_find_input_format, (const char *)) \
    X(avformat, AVRational, av_guess_frame_rate, (AVFormatContext *, AVStream *, AVFrame *)) \
    X(avformat, int, av_interleaved_write_frame, (AVFormatContext *, AVPacket *)) \
    X(avformat, int, av_probe_input_buffer2, (AVIOContext *, const AVInputFormat **, const char *, void *, unsigned, unsigned)) \
    X(avformat, int, av_read_frame, (AVFormatContext *, AVPacket *)) \
    X(avformat, int, av_seek_frame, (AVFormatContext *, int, int64_t, int)) \
    X(avformat, int, av_write_trailer, (AVFormatContext *)) \
    X(avformat, AVFormatContext *, avformat_alloc_context, (void)) \
    X(avformat, int, avformat_alloc_output_context2, (AVFormatContext **, const AVOutputFormat *, const char *, const char *)) \
    X(avformat, void, avformat_close_input, (AVFormatContext **)) \
    X(avformat, int, avformat_find_stream_info, (AVFormatContext *, AVDictionary **)) \
    X(avformat, void, avformat_free_context, (AVFormatContext *)) \
    X(avformat, int, avformat_network_init, (void)) \
    X(avformat, AVStream *, avformat_new_stream, (AVFormatContext *, const AVCodec *)) \
    X(avformat, int, avformat_open_input, (AVFormatContext **, const char *, const AVInputFormat *, AVDictionary **)) \
    X(avformat, int, avformat_query_codec, (const AVOutputFormat *, int, int)) \
    X(avformat, int, avformat_write_header, (AVFormatContext *, AVDictionary **)) \
    X(avformat, AVIOContext *, avio_alloc_context, (unsigned char *, int, int, void *, CFFReadBytes, void *, void *)) \
    X(avformat, int, avio_closep, (AVIOContext **)) \
    X(avformat, void, avio_context_free, (AVIOContext **)) \
    X(avformat, int, avio_open2, (AVIOContext **, const char *, int, const AVIOInterruptCB *, AVDictionary **)) \
    X(avformat, int64_t, avio_size, (AVIOContext *))

#define CFF_SCALING_FUNCTIONS(X) \
    X(swscale, void, sws_freeContext, (SwsContext *)) \
    X(swscale, SwsContext *, sws_getCachedContext, (SwsContext *, int, int, int, int, int, int, int, void *, void *, const double *)) \
    X(swscale, const int *, sws_getCoefficients, (int)) \
    X(swscale, int, sws_scale, (SwsContext *, const uint8_t *const *, const int *, int, int, uint8_t *const *, const int *)) \
    X(swscale, int, sws_setColorspaceDetails, (SwsContext *, const int *, int, const int *, int, int, int, int))

#define CFF_DEVICE_FUNCTIONS(X) X(avdevice, void, avdevice_register_all, (void))
// clang-format on

/// A pointer for each function, with its name and type; set by `load`.
static struct {
#define CFF_DECLARE(library, result, name, parameters) result(*name) parameters;
    CFF_CORE_FUNCTIONS(CFF_DECLARE)
    CFF_SCALING_FUNCTIONS(CFF_DECLARE)
    CFF_DEVICE_FUNCTIONS(CFF_DECLARE)
#undef CFF_DECLARE
} cff;

/// Sums and differences of timestamps, which may be anything; out of range they end at the nearest number.
static inline int64_t cff_sum(int64_t first, int64_t second) {
    int64_t sum;
    if (!__builtin_add_overflow(first, second, &sum)) return sum;
    return first < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t cff_difference(int64_t first, int64_t second) {
    int64_t difference;
    if (!__builtin_sub_overflow(first, second, &difference)) return difference;
    return first < 0 ? INT64_MIN : INT64_MAX;
}
