#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Units of time of the output: all usual frame rates are whole numbers of them, and MPEG-4 allows no finer ones.
static const AVRational time_base = {1, 60000};

struct CFFOutput {
    AVFormatContext *format;
    AVCodecContext *encoder;
    AVStream *video;
    AVFrame *frame;
    AVPacket *packet;
    struct SwsContext *scaler;
    /// A picture of the caller's, which is not copied before the encoder does it.
    AVFrame *view;
    /// The usual duration of a frame, for those whose packets do not say it.
    int64_t frame_duration;
    // Sound that is copied.
    AVFormatContext *source;
    AVStream *source_stream;
    AVStream *audio;
    AVPacket *audio_packet;
    /// A packet of sound was read and waits for its time.
    bool has_waiting_audio;
    bool is_audio_over;
    int64_t audio_packets;
    int64_t last_audio_dts;
    /// The beginning of the source's video in its own time, in microseconds, and of the output after that.
    int64_t source_start, first_frame;

    int64_t last_pts;
    int64_t frames;
};

static AVCodecContext *open_encoder(const CFFOutputRequest *request, bool is_x264) {
    const AVCodec *codec =
        is_x264 ? cff.avcodec_find_encoder_by_name("libx264") : cff.avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    AVCodecContext *encoder = codec ? cff.avcodec_alloc_context3(codec) : NULL;
    if (!encoder) return NULL;
    encoder->width = request->width;
    encoder->height = request->height;
    encoder->pix_fmt = AV_PIX_FMT_YUV420P;
    encoder->sample_aspect_ratio = (AVRational){request->pixelWidth, request->pixelHeight};
    encoder->time_base = time_base;
    encoder->framerate = (AVRational){request->rateNumerator, request->rateDenominator};
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->colorspace = request->isBT709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    encoder->color_primaries = request->isBT709 ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M;
    encoder->color_trc = request->isBT709 ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M;
    encoder->gop_size = request->keyFrameInterval;
    // Frames are written in the order in which they are shown, so that the file's duration is right at any frame rate.
    encoder->max_b_frames = 0;
    encoder->thread_count = 0;
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (is_x264) {
        cff.av_opt_set(encoder->priv_data, "preset", "veryfast", 0);
        cff.av_opt_set(encoder->priv_data, "crf", "23", 0);
    } else {
        encoder->flags |= AV_CODEC_FLAG_QSCALE;
        encoder->global_quality = 4 * FF_QP2LAMBDA;
    }
    if (cff.avcodec_open2(encoder, codec, NULL) < 0) cff.avcodec_free_context(&encoder);
    return encoder;
}

static int set_display_matrix(AVStream *stream, const int32_t *matrix) {
    // Fixed point: 16.16, and 2.30 for what makes up the last column.
    const int32_t values[9] = {matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0, 1 << 30};
#if CFF_FFMPEG >= 7
    AVPacketSideData *data =
        cff.av_packet_side_data_new(&stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data,
                                    AV_PKT_DATA_DISPLAYMATRIX, sizeof values, 0);
    if (!data) return AVERROR(ENOMEM);
    memcpy(data->data, values, sizeof values);
#else
    uint8_t *data = cff.av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof values);
    if (!data) return AVERROR(ENOMEM);
    memcpy(data, values, sizeof values);
#endif
    return 0;
}

static void describe(const CFFOutput *output, AVFrame *frame) {
    frame->format = output->encoder->pix_fmt;
    frame->width = output->encoder->width;
    frame->height = output->encoder->height;
    frame->color_range = output->encoder->color_range;
    frame->colorspace = output->encoder->colorspace;
}

static int open_video(CFFOutput *output, const CFFOutputRequest *request) {
    int code = cff.avformat_alloc_output_context2(&output->format, NULL, "mp4", request->path);
    if (code < 0) return code;
    output->encoder = open_encoder(request, !request->avoidsH264);
    if (!output->encoder) output->encoder = open_encoder(request, false);
    if (!output->encoder) return AVERROR_ENCODER_NOT_FOUND;
    output->video = cff.avformat_new_stream(output->format, NULL);
    if (!output->video) return AVERROR(ENOMEM);
    output->video->time_base = time_base;
    output->video->avg_frame_rate = output->encoder->framerate;
    output->video->sample_aspect_ratio = output->encoder->sample_aspect_ratio;
    code = cff.avcodec_parameters_from_context(output->video->codecpar, output->encoder);
    if (code >= 0 && request->matrix) code = set_display_matrix(output->video, request->matrix);
    output->packet = cff.av_packet_alloc();
    output->frame = cff.av_frame_alloc();
    output->view = cff.av_frame_alloc();
    if (!output->packet || !output->frame || !output->view) return AVERROR(ENOMEM);
    describe(output, output->frame);
    describe(output, output->view);
    output->frame_duration =
        cff.av_rescale_q(1, (AVRational){request->rateDenominator, request->rateNumerator}, time_base);
    return code;
}

/// Where a stream begins in its file's time, in microseconds.
static int64_t beginning(const AVStream *stream) {
    if (stream->start_time == AV_NOPTS_VALUE) return 0;
    return cff.av_rescale_q(stream->start_time, stream->time_base, (AVRational){1, 1000000});
}

/// Prepares to copy sound; missing sound, or sound that MP4 cannot hold, is not a failure.
static int open_audio(CFFOutput *output, const CFFInputRequest *source) {
    CFFOpenFailure failure;
    output->source = open_format(source, &failure);
    if (!output->source || cff.avformat_find_stream_info(output->source, NULL) < 0) return 0;
    int index = cff.av_find_best_stream(output->source, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0);
    int video = cff.av_find_best_stream(output->source, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (index < 0) return 0;
    AVStream *stream = output->source->streams[index];
    if (cff.avformat_query_codec(output->format->oformat, stream->codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1)
        return 0;
    for (unsigned i = 0; i < output->source->nb_streams; i++)
        if ((int)i != index) output->source->streams[i]->discard = AVDISCARD_ALL;
    output->source_start = beginning(video >= 0 ? output->source->streams[video] : stream);
    output->source_stream = stream;
    output->last_audio_dts = INT64_MIN;
    output->audio_packet = cff.av_packet_alloc();
    output->audio = cff.avformat_new_stream(output->format, NULL);
    if (!output->audio_packet || !output->audio) return AVERROR(ENOMEM);
    output->audio->time_base = stream->time_base;
    int code = cff.avcodec_parameters_copy(output->audio->codecpar, stream->codecpar);
    // The tag is the other container's name for the codec.
    output->audio->codecpar->codec_tag = 0;
    return code;
}

static int write_header(CFFOutput *output, const CFFOutputRequest *request) {
    int code = cff.avio_open2(&output->format->pb, request->path, AVIO_FLAG_WRITE, NULL, NULL);
    if (code < 0) return code;
    AVDictionary *options = NULL;
    // A fragment, with its own index, at each key frame: what was written is playable whenever writing ends.
    cff.av_dict_set(&options, "movflags", "frag_keyframe+delay_moov+default_base_moof", 0);
    cff.av_dict_set(&options, "video_track_timescale", "60000", 0);
    output->format->flags |= AVFMT_FLAG_FLUSH_PACKETS;
    code = cff.avformat_write_header(output->format, &options);
    cff.av_dict_free(&options);
    return code;
}

static CFFOutput *output_open(const CFFOutputRequest *request, int *code) {
    CFFOutput *output = calloc(1, sizeof *output);
    *code = AVERROR(ENOMEM);
    if (!output) return NULL;
    *code = open_video(output, request);
    if (*code >= 0 && request->audioSource) *code = open_audio(output, request->audioSource);
    if (*code >= 0) *code = write_header(output, request);
    if (*code >= 0) return output;
    output_close(output);
    return NULL;
}

static void output_info(const CFFOutput *output, CFFOutputInfo *info) {
    memset(info, 0, sizeof *info);
    snprintf(info->codec, sizeof info->codec, "%s", cff.avcodec_get_name(output->encoder->codec_id));
    info->copiesAudio = output->audio != NULL;
    info->audioPackets = output->audio_packets;
}

// MARK: Sound

/// Reads the next packet of sound; gives whether there is one.
static bool read_audio(CFFOutput *output) {
    AVPacket *packet = output->audio_packet;
    while (!output->has_waiting_audio && !output->is_audio_over) {
        if (cff.av_read_frame(output->source, packet) < 0) {
            // The end, or damage: the video continues without sound.
            output->is_audio_over = true;
            break;
        }
        bool is_usable = packet->stream_index == output->source_stream->index && packet->dts != AV_NOPTS_VALUE &&
                         packet->pts != AV_NOPTS_VALUE && packet->dts > output->last_audio_dts;
        if (is_usable) {
            output->last_audio_dts = packet->dts;
            output->has_waiting_audio = true;
        } else {
            cff.av_packet_unref(packet);
        }
    }
    return output->has_waiting_audio;
}

/// Writes the sound up to a time of the output, and no further.
static int copy_audio(CFFOutput *output, int64_t until) {
    if (!output->audio) return 0;
    const AVRational source_base = output->source_stream->time_base;
    int64_t origin =
        cff.av_rescale_q(cff_sum(output->source_start, output->first_frame), (AVRational){1, 1000000}, source_base);
    AVPacket *packet = output->audio_packet;
    while (read_audio(output)) {
        int64_t pts = cff_difference(packet->pts, origin);
        if (cff.av_rescale_q(pts, source_base, time_base) > until) return 0;
        packet->pts = pts;
        packet->dts = cff_difference(packet->dts, origin);
        output->has_waiting_audio = false;
        // Decoders of sound need a packet or some to settle; the muxer notes that what lies before 0 is not to be
        // heard.
        if (cff.av_rescale_q(packet->pts, source_base, (AVRational){1, 1000}) < -100) {
            cff.av_packet_unref(packet);
            continue;
        }
        packet->pos = -1;
        packet->stream_index = output->audio->index;
        cff.av_packet_rescale_ts(packet, source_base, output->audio->time_base);
        // Takes the packet over.
        int code = cff.av_interleaved_write_frame(output->format, packet);
        if (code < 0) return code;
        output->audio_packets++;
    }
    return 0;
}

// MARK: Pictures

static int format_of(CFFLayout layout) {
    switch (layout) {
    case CFFLayoutI420: return AV_PIX_FMT_YUV420P;
    case CFFLayoutNV12: return AV_PIX_FMT_NV12;
    case CFFLayoutGray: return AV_PIX_FMT_GRAY8;
    case CFFLayoutRGB: return AV_PIX_FMT_RGB24;
    case CFFLayoutRGBA: return AV_PIX_FMT_RGB0;
    case CFFLayoutBGRA: return AV_PIX_FMT_BGR0;
    case CFFLayoutOther: break;
    }
    return AV_PIX_FMT_NONE;
}

/// Whether the encoder can take the picture as it is, but for a row or column beyond the even ones.
static bool is_direct(const CFFOutput *output, const CFFFrameInfo *picture) {
    const AVCodecContext *encoder = output->encoder;
    CFFMatrix matrix = encoder->colorspace == AVCOL_SPC_BT709 ? CFFMatrixBT709 : CFFMatrixBT601;
    return picture->layout == CFFLayoutI420 && !picture->isFullRange && picture->matrix == matrix &&
           picture->width / 2 == encoder->width / 2 && picture->width >= encoder->width &&
           picture->height / 2 == encoder->height / 2 && picture->height >= encoder->height;
}

/// The largest size of the same shape that fits, in even numbers.
static void fit(int width, int height, int *target_width, int *target_height) {
    int64_t by_width = (int64_t)height * *target_width / width, by_height = (int64_t)width * *target_height / height;
    // A difference of two pixels in shape is nothing to leave black borders for.
    if (by_width <= *target_height - 2)
        *target_height = by_width < 2 ? 2 : (int)(by_width & ~1);
    else if (by_height <= *target_width - 2)
        *target_width = by_height < 2 ? 2 : (int)(by_height & ~1);
}

/// Converts and scales a picture into the output's frame, in the middle of black.
static int convert(CFFOutput *output, const CFFFrameInfo *picture) {
    AVFrame *frame = output->frame;
    int code = frame->buf[0] ? cff.av_frame_make_writable(frame) : cff.av_frame_get_buffer(frame, 0);
    if (code < 0) return code;
    int width = frame->width, height = frame->height;
    fit(picture->width, picture->height, &width, &height);
    if (width < frame->width || height < frame->height) {
        memset(frame->data[0], 16, (size_t)frame->linesize[0] * (size_t)frame->height);
        memset(frame->data[1], 128, (size_t)frame->linesize[1] * (size_t)(frame->height / 2));
        memset(frame->data[2], 128, (size_t)frame->linesize[2] * (size_t)(frame->height / 2));
    }
    output->scaler =
        cff.sws_getCachedContext(output->scaler, picture->width, picture->height, format_of(picture->layout), width,
                                 height, AV_PIX_FMT_YUV420P, SWS_BILINEAR, NULL, NULL, NULL);
    if (!output->scaler) return AVERROR(ENOMEM);
    bool is_rgb = picture->layout != CFFLayoutI420 && picture->layout != CFFLayoutNV12;
    int to = frame->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601;
    int from = is_rgb ? to : picture->matrix == CFFMatrixBT709 ? SWS_CS_ITU709 : SWS_CS_ITU601;
    cff.sws_setColorspaceDetails(output->scaler, cff.sws_getCoefficients(from), is_rgb || picture->isFullRange,
                                 cff.sws_getCoefficients(to), 0, 0, 1 << 16, 1 << 16);
    int left = (frame->width - width) / 2 & ~1, top = (frame->height - height) / 2 & ~1;
    uint8_t *target[4] = {
        frame->data[0] + (ptrdiff_t)top * frame->linesize[0] + left,
        frame->data[1] + (ptrdiff_t)(top / 2) * frame->linesize[1] + left / 2,
        frame->data[2] + (ptrdiff_t)(top / 2) * frame->linesize[2] + left / 2,
    };
    code = cff.sws_scale(output->scaler, (const uint8_t *const *)picture->planes, picture->strides, 0, picture->height,
                         target, frame->linesize);
    return code < 0 ? code : 0;
}

static int write_packets(CFFOutput *output) {
    for (;;) {
        int code = cff.avcodec_receive_packet(output->encoder, output->packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return 0;
        if (code < 0) return code;
        if (output->packet->duration <= 0) output->packet->duration = output->frame_duration;
        output->packet->stream_index = output->video->index;
        cff.av_packet_rescale_ts(output->packet, time_base, output->video->time_base);
        code = cff.av_interleaved_write_frame(output->format, output->packet);
        if (code < 0) return code;
    }
}

/// The error of the file is the cause where there is one.
static int outcome(CFFOutput *output, int code) {
    int file_error = output->format->pb ? output->format->pb->error : 0;
    return file_error < 0 ? file_error : code;
}

static int output_write(CFFOutput *output, const CFFFrameInfo *picture, int64_t microseconds) {
    if (output->frames == 0) output->first_frame = microseconds;
    int64_t pts = cff.av_rescale_q(microseconds - output->first_frame, (AVRational){1, 1000000}, time_base);
    if (output->frames > 0 && pts <= output->last_pts) pts = output->last_pts + 1;
    AVFrame *frame = output->frame;
    if (is_direct(output, picture)) {
        frame = output->view;
        for (int i = 0; i < 3; i++) {
            frame->data[i] = picture->planes[i];
            frame->linesize[i] = picture->strides[i];
        }
    } else {
        int code = convert(output, picture);
        if (code < 0) return code;
    }
    frame->pts = pts;
    output->last_pts = pts;
    output->frames++;
    // The encoder copies what it keeps.
    int code = cff.avcodec_send_frame(output->encoder, frame);
    if (code >= 0) code = write_packets(output);
    if (code >= 0) code = copy_audio(output, pts);
    return outcome(output, code);
}

static int output_finish(CFFOutput *output) {
    int code = cff.avcodec_send_frame(output->encoder, NULL);
    if (code >= 0) code = write_packets(output);
    if (code >= 0) code = copy_audio(output, output->last_pts + output->frame_duration);
    if (code >= 0) code = cff.av_write_trailer(output->format);
    code = outcome(output, code);
    int close_code = cff.avio_closep(&output->format->pb);
    return code < 0 ? code : close_code;
}

static void output_close(CFFOutput *output) {
    if (!output) return;
    if (output->scaler) cff.sws_freeContext(output->scaler);
    cff.av_frame_free(&output->view);
    cff.av_frame_free(&output->frame);
    cff.av_packet_free(&output->packet);
    cff.avcodec_free_context(&output->encoder);
    cff.av_packet_free(&output->audio_packet);
    close_format(&output->source);
    if (output->format) {
        if (output->format->pb) cff.avio_closep(&output->format->pb);
        cff.avformat_free_context(output->format);
    }
    free(output);
}
