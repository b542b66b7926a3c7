// FFmpeg's functions as found at run time.
#ifndef CFFMPEG_LIBRARIES_H
#define CFFMPEG_LIBRARIES_H

#include "CFFmpeg.h"

#include <stdatomic.h>

#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/time.h>
#include <libswscale/swscale.h>

// Since FFmpeg 7 what belongs to a whole stream, such as its rotation, lies with the codec's parameters.
#define CFF_SIDE_DATA_IN_PARAMETERS (LIBAVFORMAT_VERSION_MAJOR >= 61)
// FFmpeg 4.4 had other types here.
#if LIBAVFORMAT_VERSION_MAJOR >= 59
typedef const AVInputFormat CFFDemuxer;
typedef size_t CFFSideDataSize;
#else
typedef AVInputFormat CFFDemuxer;
typedef int CFFSideDataSize;
#endif
// Since FFmpeg 6 a frame's duration has another name.
#define CFF_FRAME_HAS_DURATION (LIBAVUTIL_VERSION_MAJOR >= 58)

#if CFF_SIDE_DATA_IN_PARAMETERS
#define CFF_SIDE_DATA_FUNCTIONS(X)                                                                                     \
    X(avcodec, av_packet_side_data_get)                                                                                \
    X(avcodec, av_packet_side_data_new)
#else
#define CFF_SIDE_DATA_FUNCTIONS(X)                                                                                     \
    X(avformat, av_stream_get_side_data)                                                                               \
    X(avformat, av_stream_new_side_data)
#endif

#define CFF_CORE_FUNCTIONS(X)                                                                                          \
    CFF_SIDE_DATA_FUNCTIONS(X)                                                                                         \
    X(avutil, av_dict_free)                                                                                            \
    X(avutil, av_dict_set)                                                                                             \
    X(avutil, av_frame_alloc)                                                                                          \
    X(avutil, av_frame_copy_props)                                                                                     \
    X(avutil, av_frame_free)                                                                                           \
    X(avutil, av_frame_get_buffer)                                                                                     \
    X(avutil, av_frame_make_writable)                                                                                  \
    X(avutil, av_frame_move_ref)                                                                                       \
    X(avutil, av_frame_unref)                                                                                          \
    X(avutil, av_freep)                                                                                                \
    X(avutil, av_hwdevice_ctx_create)                                                                                  \
    X(avutil, av_hwframe_transfer_data)                                                                                \
    X(avutil, av_log_set_callback)                                                                                     \
    X(avutil, av_malloc)                                                                                               \
    X(avutil, av_opt_set)                                                                                              \
    X(avutil, av_pix_fmt_desc_get)                                                                                     \
    X(avutil, av_rescale_q)                                                                                            \
    X(avutil, av_strerror)                                                                                             \
    X(avutil, av_usleep)                                                                                               \
    X(avcodec, av_packet_alloc)                                                                                        \
    X(avcodec, av_packet_free)                                                                                         \
    X(avcodec, av_packet_rescale_ts)                                                                                   \
    X(avcodec, av_packet_unref)                                                                                        \
    X(avcodec, avcodec_alloc_context3)                                                                                 \
    X(avcodec, avcodec_default_get_format)                                                                             \
    X(avcodec, avcodec_descriptor_get)                                                                                 \
    X(avcodec, avcodec_find_decoder)                                                                                   \
    X(avcodec, avcodec_find_encoder)                                                                                   \
    X(avcodec, avcodec_find_encoder_by_name)                                                                           \
    X(avcodec, avcodec_flush_buffers)                                                                                  \
    X(avcodec, avcodec_free_context)                                                                                   \
    X(avcodec, avcodec_get_hw_config)                                                                                  \
    X(avcodec, avcodec_get_name)                                                                                       \
    X(avcodec, avcodec_open2)                                                                                          \
    X(avcodec, avcodec_parameters_copy)                                                                                \
    X(avcodec, avcodec_parameters_from_context)                                                                        \
    X(avcodec, avcodec_parameters_to_context)                                                                          \
    X(avcodec, avcodec_receive_frame)                                                                                  \
    X(avcodec, avcodec_receive_packet)                                                                                 \
    X(avcodec, avcodec_send_frame)                                                                                     \
    X(avcodec, avcodec_send_packet)                                                                                    \
    X(avformat, av_find_best_stream)                                                                                   \
    X(avformat, av_find_input_format)                                                                                  \
    X(avformat, av_interleaved_write_frame)                                                                            \
    X(avformat, av_probe_input_buffer2)                                                                                \
    X(avformat, av_read_frame)                                                                                         \
    X(avformat, av_seek_frame)                                                                                         \
    X(avformat, av_write_trailer)                                                                                      \
    X(avformat, avformat_alloc_context)                                                                                \
    X(avformat, avformat_alloc_output_context2)                                                                        \
    X(avformat, avformat_close_input)                                                                                  \
    X(avformat, avformat_find_stream_info)                                                                             \
    X(avformat, avformat_free_context)                                                                                 \
    X(avformat, avformat_network_init)                                                                                 \
    X(avformat, avformat_new_stream)                                                                                   \
    X(avformat, avformat_open_input)                                                                                   \
    X(avformat, avformat_query_codec)                                                                                  \
    X(avformat, avformat_write_header)                                                                                 \
    X(avformat, avio_alloc_context)                                                                                    \
    X(avformat, avio_closep)                                                                                           \
    X(avformat, avio_context_free)                                                                                     \
    X(avformat, avio_open2)                                                                                            \
    X(avformat, avio_size)

#define CFF_SCALING_FUNCTIONS(X)                                                                                       \
    X(swscale, sws_freeContext)                                                                                        \
    X(swscale, sws_getCachedContext)                                                                                   \
    X(swscale, sws_getCoefficients)                                                                                    \
    X(swscale, sws_scale)                                                                                              \
    X(swscale, sws_setColorspaceDetails)

#define CFF_DEVICE_FUNCTIONS(X) X(avdevice, avdevice_register_all)

/// A pointer for each function, with its name and type; set by `cff_load`.
#define CFF_DECLARE(library, name) __typeof__(&name) name;
typedef struct CFFFunctions {
    CFF_CORE_FUNCTIONS(CFF_DECLARE)
    CFF_SCALING_FUNCTIONS(CFF_DECLARE)
    CFF_DEVICE_FUNCTIONS(CFF_DECLARE)
} CFFFunctions;
#undef CFF_DECLARE

extern CFFFunctions cff;

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

/// Whether samples fill all of 0…255 rather than the part that video leaves to them.
bool cff_is_full_range(const AVFrame *frame);

/// The callback of inputs for `CFFInterrupt`.
int cff_interrupted(void *interrupt);

/// Reads a descriptor that cannot go back, such as a pipe; NULL without memory. The descriptor stays the caller's.
AVIOContext *cff_pipe_open(int descriptor, CFFInterrupt *interrupt);
/// Frees what `cff_pipe_open` gave, which is NULL afterwards.
void cff_pipe_close(AVIOContext **io);

/// Opens the demuxer of a request, without looking at its streams.
AVFormatContext *cff_open_format(const CFFInputRequest *request, CFFOpenFailure *failure);
/// Closes what `cff_open_format` gave, which is NULL afterwards.
void cff_close_format(AVFormatContext **format);

/// Lets the graphics processor decode. Returns an error's code if it cannot; the decoder then stays as it is.
int cff_use_vaapi(AVCodecContext *decoder, const AVCodec *codec);
/// A copy of a frame that the graphics processor decoded, in the memory of the program; NULL after a failure.
AVFrame *cff_frame_from_hardware(const AVFrame *frame, int *code);

/// Whether other pictures may refer to the picture of a packet.
bool cff_is_reference(const AVCodecParameters *parameters, const AVPacket *packet);

#endif
