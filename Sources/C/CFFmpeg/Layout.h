// The fields of FFmpeg's structures that are used here, where each major version of FFmpeg has them. FFmpeg adds fields
// only at the end of a structure until the next major version, so an offset holds for all releases of a version.
//
// The offsets are for systems whose long and pointers have 64 bits, which lay out structures alike. They are verified
// twice: against FFmpeg's headers where a build finds them (LayoutCheck.c), and against what the libraries say
// themselves when they are loaded (Libraries.h, `check_layouts`). 4, 5, 7 and 9 come from the headers of 4.3, 5.1, 7.1
// and 9.0; 6 and 8 from the libraries of 6.1, 8.0 and 8.1.
//
// FIELD(structure, declaration, name, offsets in FFmpeg 4, 5, 6, 7, 8, 9)
#ifndef CFFMPEG_LAYOUT_H
#define CFFMPEG_LAYOUT_H

#define CFF_AVFrame(FIELD)                                                                                             \
    FIELD(AVFrame, uint8_t *data[8], data, 0, 0, 0, 0, 0, 0)                                                           \
    FIELD(AVFrame, int linesize[8], linesize, 64, 64, 64, 64, 64, 64)                                                  \
    FIELD(AVFrame, int width, width, 104, 104, 104, 104, 104, 104)                                                     \
    FIELD(AVFrame, int height, height, 108, 108, 108, 108, 108, 108)                                                   \
    FIELD(AVFrame, int format, format, 116, 116, 116, 116, 116, 116)                                                   \
    FIELD(AVFrame, int64_t pts, pts, 136, 136, 136, 136, 136, 136)                                                     \
    FIELD(AVFrame, AVBufferRef *buf[8], buf, 288, 224, 224, 200, 184, 184)                                             \
    FIELD(AVFrame, int flags, flags, 380, 316, 316, 292, 276, 276)                                                     \
    FIELD(AVFrame, int color_range, color_range, 384, 320, 320, 296, 280, 280)                                         \
    FIELD(AVFrame, int colorspace, colorspace, 396, 332, 332, 308, 292, 292)                                           \
    FIELD(AVFrame, int64_t best_effort_timestamp, best_effort_timestamp, 408, 344, 344, 320, 304, 304)                 \
    FIELD(AVFrame, int decode_error_flags, decode_error_flags, 440, 376, 376, 344, 320, 320)                           \
    FIELD(AVFrame, AVBufferRef *hw_frames_ctx, hw_frames_ctx, 480, 392, 392, 352, 328, 328)

#define CFF_AVPacket(FIELD)                                                                                            \
    FIELD(AVPacket, int64_t pts, pts, 8, 8, 8, 8, 8, 8)                                                                \
    FIELD(AVPacket, int64_t dts, dts, 16, 16, 16, 16, 16, 16)                                                          \
    FIELD(AVPacket, uint8_t *data, data, 24, 24, 24, 24, 24, 24)                                                       \
    FIELD(AVPacket, int size, size, 32, 32, 32, 32, 32, 32)                                                            \
    FIELD(AVPacket, int stream_index, stream_index, 36, 36, 36, 36, 36, 36)                                            \
    FIELD(AVPacket, int flags, flags, 40, 40, 40, 40, 40, 40)                                                          \
    FIELD(AVPacket, int64_t duration, duration, 64, 64, 64, 64, 64, 64)                                                \
    FIELD(AVPacket, int64_t pos, pos, 72, 72, 72, 72, 72, 72)

#define CFF_AVCodecContext(FIELD)                                                                                      \
    FIELD(AVCodecContext, int codec_id, codec_id, 24, 24, 24, 24, 24, 24)                                              \
    FIELD(AVCodecContext, void *priv_data, priv_data, 32, 32, 32, 32, 32, 32)                                          \
    FIELD(AVCodecContext, void *opaque, opaque, 48, 48, 48, 48, 48, 48)                                                \
    FIELD(AVCodecContext, int flags, flags, 76, 76, 76, 64, 64, 64)                                                    \
    FIELD(AVCodecContext, int global_quality, global_quality, 68, 68, 68, 420, 420, 420)                               \
    FIELD(AVCodecContext, AVRational time_base, time_base, 100, 100, 100, 84, 84, 84)                                  \
    FIELD(AVCodecContext, AVRational pkt_timebase, pkt_timebase, 884, 724, 716, 92, 92, 92)                            \
    FIELD(AVCodecContext, AVRational framerate, framerate, 872, 712, 704, 100, 100, 100)                               \
    FIELD(AVCodecContext, int width, width, 116, 116, 116, 116, 112, 112)                                              \
    FIELD(AVCodecContext, int height, height, 120, 120, 120, 120, 116, 116)                                            \
    FIELD(AVCodecContext, AVRational sample_aspect_ratio, sample_aspect_ratio, 232, 216, 216, 132, 128, 128)           \
    FIELD(AVCodecContext, int pix_fmt, pix_fmt, 136, 136, 136, 140, 136, 136)                                          \
    FIELD(AVCodecContext, int color_primaries, color_primaries, 372, 324, 324, 148, 144, 144)                          \
    FIELD(AVCodecContext, int color_trc, color_trc, 376, 328, 328, 152, 148, 148)                                      \
    FIELD(AVCodecContext, int colorspace, colorspace, 380, 332, 332, 156, 152, 152)                                    \
    FIELD(AVCodecContext, int color_range, color_range, 384, 336, 336, 160, 156, 156)                                  \
    FIELD(AVCodecContext, CFFGetFormat get_format, get_format, 152, 152, 152, 192, 192, 192)                           \
    FIELD(AVCodecContext, int max_b_frames, max_b_frames, 160, 160, 160, 200, 200, 200)                                \
    FIELD(AVCodecContext, int gop_size, gop_size, 132, 132, 132, 332, 332, 332)                                        \
    FIELD(AVCodecContext, AVBufferRef *hw_device_ctx, hw_device_ctx, 1032, 872, 864, 560, 560, 560)                    \
    FIELD(AVCodecContext, int extra_hw_frames, extra_hw_frames, 1048, 888, 880, 572, 572, 572)                         \
    FIELD(AVCodecContext, int thread_count, thread_count, 784, 636, 636, 656, 656, 656)                                \
    FIELD(AVCodecContext, int thread_type, thread_type, 788, 640, 640, 660, 660, 660)                                  \
    FIELD(AVCodecContext, int skip_loop_filter, skip_loop_filter, 828, 684, 676, 700, 700, 696)                        \
    FIELD(AVCodecContext, int64_t max_pixels, max_pixels, 1024, 864, 856, 792, 792, 792)

// Data about a whole stream, such as its rotation, lies with the codec's parameters since FFmpeg 7.
#if CFF_FFMPEG >= 7
#define CFF_SIDE_DATA_FIELDS(FIELD)                                                                                    \
    FIELD(AVCodecParameters, AVPacketSideData *coded_side_data, coded_side_data, 0, 0, 0, 32, 32, 32)                  \
    FIELD(AVCodecParameters, int nb_coded_side_data, nb_coded_side_data, 0, 0, 0, 40, 40, 40)
#else
#define CFF_SIDE_DATA_FIELDS(FIELD)
#endif

#define CFF_AVCodecParameters(FIELD)                                                                                   \
    FIELD(AVCodecParameters, int codec_id, codec_id, 4, 4, 4, 4, 4, 4)                                                 \
    FIELD(AVCodecParameters, uint32_t codec_tag, codec_tag, 8, 8, 8, 8, 8, 8)                                          \
    FIELD(AVCodecParameters, uint8_t *extradata, extradata, 16, 16, 16, 16, 16, 16)                                    \
    FIELD(AVCodecParameters, int extradata_size, extradata_size, 24, 24, 24, 24, 24, 24)                               \
    FIELD(AVCodecParameters, int width, width, 56, 56, 56, 72, 72, 72)                                                 \
    FIELD(AVCodecParameters, int height, height, 60, 60, 60, 76, 76, 76)                                               \
    FIELD(AVCodecParameters, AVRational sample_aspect_ratio, sample_aspect_ratio, 64, 64, 64, 80, 80, 80)              \
    CFF_SIDE_DATA_FIELDS(FIELD)

#define CFF_AVStream(FIELD)                                                                                            \
    FIELD(AVStream, int index, index, 0, 0, 8, 8, 8, 8)                                                                \
    FIELD(AVStream, AVCodecParameters *codecpar, codecpar, 208, 208, 16, 16, 16, 16)                                   \
    FIELD(AVStream, AVRational time_base, time_base, 24, 16, 32, 32, 32, 32)                                           \
    FIELD(AVStream, int64_t start_time, start_time, 32, 24, 40, 40, 40, 40)                                            \
    FIELD(AVStream, int64_t duration, duration, 40, 32, 48, 48, 48, 48)                                                \
    FIELD(AVStream, int64_t nb_frames, nb_frames, 48, 40, 56, 56, 56, 56)                                              \
    FIELD(AVStream, int disposition, disposition, 56, 48, 64, 64, 64, 64)                                              \
    FIELD(AVStream, int discard, discard, 60, 52, 68, 68, 68, 68)                                                      \
    FIELD(AVStream, AVRational sample_aspect_ratio, sample_aspect_ratio, 64, 56, 72, 72, 72, 72)                       \
    FIELD(AVStream, AVRational avg_frame_rate, avg_frame_rate, 80, 72, 88, 88, 88, 88)

#define CFF_AVFormatContext(FIELD)                                                                                     \
    FIELD(AVFormatContext, const AVInputFormat *iformat, iformat, 8, 8, 8, 8, 8, 8)                                    \
    FIELD(AVFormatContext, const AVOutputFormat *oformat, oformat, 16, 16, 16, 16, 16, 16)                             \
    FIELD(AVFormatContext, AVIOContext *pb, pb, 32, 32, 32, 32, 32, 32)                                                \
    FIELD(AVFormatContext, unsigned nb_streams, nb_streams, 44, 44, 44, 44, 44, 44)                                    \
    FIELD(AVFormatContext, AVStream **streams, streams, 48, 48, 48, 48, 48, 48)                                        \
    FIELD(AVFormatContext, int64_t duration, duration, 1096, 72, 72, 104, 104, 104)                                    \
    FIELD(AVFormatContext, int flags, flags, 1120, 96, 96, 128, 128, 128)                                              \
    FIELD(AVFormatContext, AVIOInterruptCB interrupt_callback, interrupt_callback, 1224, 200, 200, 216, 216, 216)      \
    FIELD(AVFormatContext, int duration_estimation_method, duration_estimation_method, 1296, 272, 272, 300, 300, 300)

#define CFF_AVInputFormat(FIELD)                                                                                       \
    FIELD(AVInputFormat, const char *name, name, 0, 0, 0, 0, 0, 0)                                                     \
    FIELD(AVInputFormat, int flags, flags, 16, 16, 16, 16, 16, 16)

#define CFF_AVIOContext(FIELD)                                                                                         \
    FIELD(AVIOContext, uint8_t *buffer, buffer, 8, 8, 8, 8, 8, 8)                                                      \
    FIELD(AVIOContext, void *opaque, opaque, 40, 40, 40, 40, 40, 40)                                                   \
    FIELD(AVIOContext, CFFReadBytes read_packet, read_packet, 48, 48, 48, 48, 48, 48)                                  \
    FIELD(AVIOContext, int error, error, 120, 84, 84, 84, 84, 84)                                                      \
    FIELD(AVIOContext, int seekable, seekable, 144, 144, 144, 144, 144, 144)

#define CFF_AVClass(FIELD) FIELD(AVClass, const char *class_name, class_name, 0, 0, 0, 0, 0, 0)

#define CFF_AVOption(FIELD) FIELD(AVOption, int offset, offset, 16, 16, 16, 16, 16, 16)

#define CFF_AVCodecDescriptor(FIELD) FIELD(AVCodecDescriptor, int props, props, 24, 24, 24, 24, 24, 24)

#define CFF_AVCodecHWConfig(FIELD)                                                                                     \
    FIELD(AVCodecHWConfig, int methods, methods, 4, 4, 4, 4, 4, 4)                                                     \
    FIELD(AVCodecHWConfig, int device_type, device_type, 8, 8, 8, 8, 8, 8)

#define CFF_AVPixFmtDescriptor(FIELD)                                                                                  \
    FIELD(AVPixFmtDescriptor, uint8_t nb_components, nb_components, 8, 8, 8, 8, 8, 8)                                  \
    FIELD(AVPixFmtDescriptor, uint64_t flags, flags, 16, 16, 16, 16, 16, 16)

// FFmpeg 4 counts the bytes with 32 bits.
#if CFF_FFMPEG >= 5
typedef size_t CFFSideDataSize;
#else
typedef int CFFSideDataSize;
#endif
#define CFF_AVPacketSideData(FIELD)                                                                                    \
    FIELD(AVPacketSideData, uint8_t *data, data, 0, 0, 0, 0, 0, 0)                                                     \
    FIELD(AVPacketSideData, CFFSideDataSize size, size, 8, 8, 8, 8, 8, 8)

#define CFF_STRUCTURES(STRUCTURE)                                                                                      \
    STRUCTURE(AVFrame)                                                                                                 \
    STRUCTURE(AVPacket)                                                                                                \
    STRUCTURE(AVCodecContext)                                                                                          \
    STRUCTURE(AVCodecParameters)                                                                                       \
    STRUCTURE(AVStream)                                                                                                \
    STRUCTURE(AVFormatContext)                                                                                         \
    STRUCTURE(AVInputFormat)                                                                                           \
    STRUCTURE(AVIOContext)                                                                                             \
    STRUCTURE(AVClass)                                                                                                 \
    STRUCTURE(AVOption)                                                                                                \
    STRUCTURE(AVCodecDescriptor)                                                                                       \
    STRUCTURE(AVCodecHWConfig)                                                                                         \
    STRUCTURE(AVPixFmtDescriptor)                                                                                      \
    STRUCTURE(AVPacketSideData)

/// The value of the version for which a file is compiled.
#define CFF_PICK_4(a, b, c, d, e, f) a
#define CFF_PICK_5(a, b, c, d, e, f) b
#define CFF_PICK_6(a, b, c, d, e, f) c
#define CFF_PICK_7(a, b, c, d, e, f) d
#define CFF_PICK_8(a, b, c, d, e, f) e
#define CFF_PICK_9(a, b, c, d, e, f) f
#define CFF_JOIN_(a, b) a##b
#define CFF_JOIN(a, b) CFF_JOIN_(a, b)
#define CFF_PICK CFF_JOIN(CFF_PICK_, CFF_FFMPEG)

/// FFmpeg's constants, as ENTRY(name, value). LayoutCheck.c compares them, too.
#define CFF_CONSTANTS(ENTRY)                                                                                           \
    ENTRY(AVERROR_EXIT, CFF_TAG('E', 'X', 'I', 'T'))                                                                   \
    ENTRY(AVERROR_EOF, CFF_TAG('E', 'O', 'F', ' '))                                                                    \
    ENTRY(AVERROR_INVALIDDATA, CFF_TAG('I', 'N', 'D', 'A'))                                                            \
    ENTRY(AVERROR_DECODER_NOT_FOUND, CFF_TAG(0xf8, 'D', 'E', 'C'))                                                     \
    ENTRY(AVERROR_DEMUXER_NOT_FOUND, CFF_TAG(0xf8, 'D', 'E', 'M'))                                                     \
    ENTRY(AVERROR_ENCODER_NOT_FOUND, CFF_TAG(0xf8, 'E', 'N', 'C'))                                                     \
    ENTRY(AVERROR_HTTP_UNAUTHORIZED, CFF_TAG(0xf8, '4', '0', '1'))                                                     \
    ENTRY(AVERROR_HTTP_FORBIDDEN, CFF_TAG(0xf8, '4', '0', '3'))                                                        \
    ENTRY(AVERROR_STREAM_NOT_FOUND, CFF_TAG(0xf8, 'S', 'T', 'R'))                                                      \
    ENTRY(AV_PIX_FMT_NONE, -1)                                                                                         \
    ENTRY(AV_PIX_FMT_YUV420P, 0)                                                                                       \
    ENTRY(AV_PIX_FMT_YUVJ420P, 12)                                                                                     \
    ENTRY(AV_PIX_FMT_YUVJ422P, 13)                                                                                     \
    ENTRY(AV_PIX_FMT_YUVJ444P, 14)                                                                                     \
    ENTRY(AV_PIX_FMT_YUVJ440P, 32)                                                                                     \
    ENTRY(AV_PIX_FMT_YUVJ411P, CFF_PICK(140, 138, 138, 138, 138, 138))                                                 \
    ENTRY(AV_PIX_FMT_YUVA420P, 33)                                                                                     \
    ENTRY(AV_PIX_FMT_NV12, 23)                                                                                         \
    ENTRY(AV_PIX_FMT_GRAY8, 8)                                                                                         \
    ENTRY(AV_PIX_FMT_RGB24, 2)                                                                                         \
    ENTRY(AV_PIX_FMT_RGBA, 26)                                                                                         \
    ENTRY(AV_PIX_FMT_RGB0, CFF_PICK(121, 119, 119, 119, 119, 119))                                                     \
    ENTRY(AV_PIX_FMT_BGRA, 28)                                                                                         \
    ENTRY(AV_PIX_FMT_BGR0, CFF_PICK(123, 121, 121, 121, 121, 121))                                                     \
    ENTRY(AV_PIX_FMT_VAAPI, CFF_PICK(46, 44, 44, 44, 44, 44))                                                          \
    ENTRY(AV_CODEC_ID_H264, 27)                                                                                        \
    ENTRY(AV_CODEC_ID_MPEG4, 12)                                                                                       \
    ENTRY(AVCOL_RANGE_UNSPECIFIED, 0)                                                                                  \
    ENTRY(AVCOL_RANGE_MPEG, 1)                                                                                         \
    ENTRY(AVCOL_RANGE_JPEG, 2)                                                                                         \
    ENTRY(AVCOL_SPC_BT709, 1)                                                                                          \
    ENTRY(AVCOL_SPC_SMPTE240M, 7)                                                                                      \
    ENTRY(AVCOL_SPC_BT2020_NCL, 9)                                                                                     \
    ENTRY(AVCOL_SPC_BT2020_CL, 10)                                                                                     \
    ENTRY(AVCOL_SPC_BT470BG, 5)                                                                                        \
    ENTRY(AVCOL_SPC_SMPTE170M, 6)                                                                                      \
    ENTRY(AVCOL_SPC_FCC, 4)                                                                                            \
    ENTRY(AVCOL_PRI_BT709, 1)                                                                                          \
    ENTRY(AVCOL_PRI_SMPTE170M, 6)                                                                                      \
    ENTRY(AVCOL_TRC_BT709, 1)                                                                                          \
    ENTRY(AVCOL_TRC_SMPTE170M, 6)                                                                                      \
    ENTRY(AV_PKT_DATA_DISPLAYMATRIX, 5)                                                                                \
    ENTRY(AVDISCARD_NONREF, 8)                                                                                         \
    ENTRY(AVDISCARD_ALL, 48)                                                                                           \
    ENTRY(AVMEDIA_TYPE_VIDEO, 0)                                                                                       \
    ENTRY(AVMEDIA_TYPE_AUDIO, 1)                                                                                       \
    ENTRY(AV_HWDEVICE_TYPE_VAAPI, 3)                                                                                   \
    ENTRY(AV_PKT_FLAG_KEY, 1)                                                                                          \
    ENTRY(AV_PKT_FLAG_CORRUPT, 2)                                                                                      \
    ENTRY(AV_PKT_FLAG_DISPOSABLE, 16)                                                                                  \
    ENTRY(AV_FRAME_FLAG_CORRUPT, 1)                                                                                    \
    ENTRY(AVFMT_FLAG_NONBLOCK, 4)                                                                                      \
    ENTRY(AVFMT_FLAG_CUSTOM_IO, 128)                                                                                   \
    ENTRY(AVFMT_FLAG_FLUSH_PACKETS, 512)                                                                               \
    ENTRY(AVFMT_NOTIMESTAMPS, 128)                                                                                     \
    ENTRY(AV_DISPOSITION_ATTACHED_PIC, 1024)                                                                           \
    ENTRY(AV_CODEC_FLAG_LOW_DELAY, 524288)                                                                             \
    ENTRY(AV_CODEC_FLAG_GLOBAL_HEADER, 4194304)                                                                        \
    ENTRY(AV_CODEC_FLAG_QSCALE, 2)                                                                                     \
    ENTRY(FF_THREAD_SLICE, 2)                                                                                          \
    ENTRY(FF_QP2LAMBDA, 118)                                                                                           \
    ENTRY(FF_COMPLIANCE_NORMAL, 0)                                                                                     \
    ENTRY(AV_CODEC_PROP_LOSSY, 2)                                                                                      \
    ENTRY(AV_PIX_FMT_FLAG_RGB, 32)                                                                                     \
    ENTRY(AV_PIX_FMT_FLAG_PAL, 2)                                                                                      \
    ENTRY(AV_PIX_FMT_FLAG_HWACCEL, 8)                                                                                  \
    ENTRY(AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX, 1)                                                                  \
    ENTRY(SWS_BILINEAR, 2)                                                                                             \
    ENTRY(SWS_ACCURATE_RND, 262144)                                                                                    \
    ENTRY(SWS_CS_ITU709, 1)                                                                                            \
    ENTRY(SWS_CS_ITU601, 5)                                                                                            \
    ENTRY(SWS_CS_DEFAULT, 5)                                                                                           \
    ENTRY(AVIO_FLAG_READ, 1)                                                                                           \
    ENTRY(AVIO_FLAG_WRITE, 2)                                                                                          \
    ENTRY(AVIO_SEEKABLE_NORMAL, 1)                                                                                     \
    ENTRY(AVSEEK_FLAG_BACKWARD, 1)                                                                                     \
    ENTRY(AVFMT_DURATION_FROM_STREAM, 1)

#define CFF_TAG(a, b, c, d) (-(int)((a) | (b) << 8 | (c) << 16 | (unsigned)(d) << 24))

#endif
