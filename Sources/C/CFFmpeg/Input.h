#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CFFInput {
    AVFormatContext *format;
    AVCodecContext *decoder;
    AVStream *stream;
    AVPacket *packet;
    AVFrame *frame;
    struct SwsContext *scaler;
    CFFInterrupt *interrupt;
    bool has_audio;
    /// The demuxer has nothing more, and the decoder was notified.
    bool is_draining;
    /// After a failure another input continues at the last frame.
    bool goes_on_elsewhere;
    /// The demuxer's error, reported after the decoder is drained.
    int read_error;
    /// Where the packets that were read end, in the stream's units; AV_NOPTS_VALUE before the first.
    int64_t end;
    uint64_t fingerprint;
    /// The error that keeps the graphics processor from decoding; 0 if it decodes, or is not asked to.
    int hardware_error;
    /// The number of pictures of which the decoder guessed parts.
    _Atomic int64_t concealed;
};

/// Whether one of the names of a list (commas between them) is one of the names of another.
static bool lists_meet(const char *first, const char *second) {
    for (const char *name = first; *name;) {
        size_t length = strcspn(name, ",");
        for (const char *other = second; *other;) {
            size_t other_length = strcspn(other, ",");
            if (length == other_length && strncmp(name, other, length) == 0) return true;
            other += other_length + (other[other_length] != 0);
        }
        name += length + (name[length] != 0);
    }
    return false;
}

static AVFormatContext *refuse(CFFOpenFailure *failure, CFFOpenStage stage, int code, const char *detail) {
    failure->stage = stage;
    failure->code = code;
    snprintf(failure->detail, sizeof failure->detail, "%s", detail ? detail : "");
    return NULL;
}

static int set_options(AVDictionary **options, const CFFInputRequest *request) {
    int code = cff.av_dict_set(options, "protocol_whitelist", request->protocols, 0);
    for (size_t i = 0; i < request->optionCount && code >= 0; i++)
        code = cff.av_dict_set(options, request->options[2 * i], request->options[2 * i + 1], 0);
    return code;
}

static void close_io(AVIOContext **io, bool is_pipe) {
    if (is_pipe)
        pipe_close(io);
    else
        cff.avio_closep(io);
}

/// Opens the bytes of an input.
static int open_io(AVIOContext **io, const CFFInputRequest *request, const AVIOInterruptCB *callback,
                   AVDictionary **options) {
    if (!request->pipe) return cff.avio_open2(io, request->url, AVIO_FLAG_READ, callback, options);
    *io = pipe_open(*request->pipe, request->interrupt);
    return *io ? 0 : AVERROR(ENOMEM);
}

static void close_format(AVFormatContext **format) {
    if (!*format) return;
    // avformat_close_input does not close a custom AVIOContext.
    AVIOContext *own = (*format)->flags & AVFMT_FLAG_CUSTOM_IO ? (*format)->pb : NULL;
    bool is_pipe = own && own->read_packet == read_pipe;
    cff.avformat_close_input(format);
    if (own) close_io(&own, is_pipe);
}

static AVFormatContext *open_format(const CFFInputRequest *request, CFFOpenFailure *failure) {
    const AVInputFormat *demuxer = NULL;
    if (request->format) {
        demuxer = cff.av_find_input_format(request->format);
        if (!demuxer) return refuse(failure, CFFOpenStageFormat, AVERROR_DEMUXER_NOT_FOUND, request->format);
    }
    AVFormatContext *format = cff.avformat_alloc_context();
    if (!format) return refuse(failure, CFFOpenStageContent, AVERROR(ENOMEM), NULL);
    format->interrupt_callback = (AVIOInterruptCB){cff_interrupted, request->interrupt};
    // A device that has no frame yet says so instead of waiting, so that the wait can be interrupted.
    if (request->format) format->flags |= AVFMT_FLAG_NONBLOCK;
    bool is_pipe = request->pipe != NULL;
    AVIOContext *io = NULL;
    AVDictionary *options = NULL;
    int code = set_options(&options, request);
    if (code >= 0 && request->formats) {
        // The format is found out before any demuxer runs: some would open other files at once.
        code = open_io(&io, request, &format->interrupt_callback, &options);
        if (code >= 0) {
            // The protocol removes its options from the list; the demuxer needs them as well.
            code = cff.av_dict_set(&options, "protocol_whitelist", request->protocols, 0);
        }
        if (code >= 0) code = cff.av_probe_input_buffer2(io, &demuxer, request->url, NULL, 0, 0);
        if (code >= 0 && !lists_meet(demuxer->name, request->formats)) {
            refuse(failure, CFFOpenStageFormat, AVERROR(EINVAL), demuxer->name);
            close_io(&io, is_pipe);
            cff.avformat_free_context(format);
            cff.av_dict_free(&options);
            return NULL;
        }
        format->pb = io;
    }
    if (code < 0) {
        cff.avformat_free_context(format);
    } else {
        // Frees the context after a failure.
        code = cff.avformat_open_input(&format, request->url, demuxer, &options);
    }
    cff.av_dict_free(&options);
    if (code < 0) {
        if (io) close_io(&io, is_pipe);
        return refuse(failure, CFFOpenStageContent, code, NULL);
    }
    return format;
}

static bool is_picture_of_cover(const AVStream *stream) { return stream->disposition & AV_DISPOSITION_ATTACHED_PIC; }

/// Finds the video stream and its decoder.
static int find_stream(CFFInput *input, const AVCodec **decoder, CFFOpenFailure *failure) {
    int code = cff.avformat_find_stream_info(input->format, NULL);
    failure->stage = CFFOpenStageContent;
    if (code < 0) return code;
    input->has_audio = cff.av_find_best_stream(input->format, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0) >= 0;
    failure->hasAudio = input->has_audio;
    int index = cff.av_find_best_stream(input->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    failure->stage = CFFOpenStageNoVideo;
    if (index < 0) return index;
    input->stream = input->format->streams[index];
    if (is_picture_of_cover(input->stream)) return AVERROR_STREAM_NOT_FOUND;
    const AVCodecParameters *parameters = input->stream->codecpar;
    failure->stage = CFFOpenStageDecoder;
    snprintf(failure->detail, sizeof failure->detail, "%s", cff.avcodec_get_name(parameters->codec_id));
    *decoder = cff.avcodec_find_decoder(parameters->codec_id);
    return *decoder ? 0 : AVERROR_DECODER_NOT_FOUND;
}

static int64_t input_concealed(const CFFInput *input) { return atomic_load(&input->concealed); }

static int open_decoder(CFFInput *input, const AVCodec *codec, const CFFInputRequest *request,
                        CFFOpenFailure *failure) {
    const AVCodecParameters *parameters = input->stream->codecpar;
    failure->stage = CFFOpenStageSize;
    failure->width = parameters->width;
    failure->height = parameters->height;
    if ((int64_t)parameters->width * parameters->height > request->maximumPixels) return AVERROR(EINVAL);
    failure->stage = CFFOpenStageDecoder;
    input->decoder = cff.avcodec_alloc_context3(codec);
    if (!input->decoder) return AVERROR(ENOMEM);
    int code = cff.avcodec_parameters_to_context(input->decoder, parameters);
    if (code < 0) return code;
    input->decoder->pkt_timebase = input->stream->time_base;
    input->decoder->max_pixels = request->maximumPixels;
    input->decoder->thread_count = request->threads;
    input->decoder->opaque = &input->concealed;
    // Frames that no other frame refers to may keep the edges of their blocks: errors cannot add up.
    if (request->keepsEdges) input->decoder->skip_loop_filter = AVDISCARD_NONREF;
    if (request->isLive) {
        // Threads that work on several frames at once would give each of them later.
        input->decoder->thread_type = FF_THREAD_SLICE;
        input->decoder->flags |= AV_CODEC_FLAG_LOW_DELAY;
    }
    if (request->usesVAAPI) input->hardware_error = use_vaapi(input->decoder, codec);
    return cff.avcodec_open2(input->decoder, codec, NULL);
}

static int input_hardware_error(const CFFInput *input) { return input->hardware_error; }

static CFFInput *input_open(const CFFInputRequest *request, CFFOpenFailure *failure) {
    memset(failure, 0, sizeof *failure);
    CFFInput *input = calloc(1, sizeof *input);
    if (!input) {
        failure->code = AVERROR(ENOMEM);
        return NULL;
    }
    input->interrupt = request->interrupt;
    input->end = AV_NOPTS_VALUE;
    input->format = open_format(request, failure);
    if (!input->format) {
        free(input);
        return NULL;
    }
    const AVCodec *codec = NULL;
    int code = find_stream(input, &codec, failure);
    if (code >= 0) code = open_decoder(input, codec, request, failure);
    if (code >= 0) {
        input->packet = cff.av_packet_alloc();
        input->frame = cff.av_frame_alloc();
        if (!input->packet || !input->frame) code = AVERROR(ENOMEM);
    }
    if (code < 0) {
        failure->code = code;
        input_close(input);
        return NULL;
    }
    for (unsigned i = 0; i < input->format->nb_streams; i++) {
        AVStream *stream = input->format->streams[i];
        if (stream != input->stream) stream->discard = AVDISCARD_ALL;
    }
    if (input->format->pb) {
        // Errors from the search for properties, which continued without the missing bytes.
        int error = input->format->pb->error;
        input->format->pb->error = 0;
        if (request->isLive && error < 0 && error != AVERROR_EOF) {
            failure->stage = CFFOpenStageContent;
            failure->code = error;
            input_close(input);
            return NULL;
        }
    }
    return input;
}

static void input_close(CFFInput *input) {
    if (!input) return;
    if (input->scaler) cff.sws_freeContext(input->scaler);
    cff.av_frame_free(&input->frame);
    cff.av_packet_free(&input->packet);
    cff.avcodec_free_context(&input->decoder);
    close_format(&input->format);
    free(input);
}

static const int32_t *display_matrix(const AVStream *stream) {
    const uint8_t *data = NULL;
    CFFSideDataSize size = 0;
#if CFF_FFMPEG >= 7
    const AVPacketSideData *found = cff.av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    if (found) {
        data = found->data;
        size = found->size;
    }
#else
    data = cff.av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
#endif
    return data && (size_t)size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
}

static void input_info(const CFFInput *input, CFFInputInfo *info) {
    memset(info, 0, sizeof *info);
    const AVStream *stream = input->stream;
    const AVCodecParameters *parameters = stream->codecpar;
    snprintf(info->format, sizeof info->format, "%s", input->format->iformat->name);
    snprintf(info->codec, sizeof info->codec, "%s", cff.avcodec_get_name(parameters->codec_id));
    info->width = parameters->width;
    info->height = parameters->height;
    info->timeNumerator = stream->time_base.num;
    info->timeDenominator = stream->time_base.den;
    info->hasTimestamps = !(input->format->iformat->flags & AVFMT_NOTIMESTAMPS);
    info->hasStart = stream->start_time != AV_NOPTS_VALUE;
    info->start = stream->start_time;
    AVRational rate = stream->avg_frame_rate;
    if (rate.num <= 0 || rate.den <= 0) rate = cff.av_guess_frame_rate(input->format, input->stream, NULL);
    if (rate.num > 0 && rate.den > 0) {
        info->rateNumerator = rate.num;
        info->rateDenominator = rate.den;
    }
    info->duration = -1;
    if (stream->duration != AV_NOPTS_VALUE && stream->duration > 0)
        info->duration = cff.av_rescale_q(stream->duration, stream->time_base, (AVRational){1, 1000000});
    else if (input->format->duration != AV_NOPTS_VALUE && input->format->duration > 0)
        info->duration = input->format->duration;
    info->frameCount = stream->nb_frames;
    info->hasAudio = input->has_audio;
    AVRational pixel = stream->sample_aspect_ratio;
    if (pixel.num <= 0 || pixel.den <= 0) pixel = parameters->sample_aspect_ratio;
    bool is_usable = pixel.num > 0 && pixel.den > 0 && pixel.num / 100 <= pixel.den && pixel.den / 100 <= pixel.num;
    info->pixelWidth = is_usable ? pixel.num : 1;
    info->pixelHeight = is_usable ? pixel.den : 1;
    info->isSeekable = !input->format->pb || input->format->pb->seekable & AVIO_SEEKABLE_NORMAL;
    info->byteCount = input->format->pb ? cff.avio_size(input->format->pb) : 0;
    const int32_t *matrix = display_matrix(stream);
    if (matrix) {
        info->hasMatrix = true;
        info->matrix[0] = matrix[0];
        info->matrix[1] = matrix[1];
        info->matrix[2] = matrix[3];
        info->matrix[3] = matrix[4];
    }
}

/// The duration of a packet's frame, in the stream's units; by the average rate where the packet does not say.
static int64_t shown_duration(const CFFInput *input) {
    if (input->packet->duration > 0) return input->packet->duration;
    AVRational rate = input->stream->avg_frame_rate;
    if (rate.num <= 0 || rate.den <= 0) return 0;
    return cff.av_rescale_q(1, (AVRational){rate.den, rate.num}, input->stream->time_base);
}

static void note_end(CFFInput *input) {
    if (input->packet->pts == AV_NOPTS_VALUE) return;
    int64_t end = cff_sum(input->packet->pts, shown_duration(input));
    if (input->end == AV_NOPTS_VALUE || end > input->end) input->end = end;
}

static void input_lengths(const CFFInput *input, CFFInputLengths *lengths) {
    const AVStream *stream = input->stream;
    const char *format = input->format->iformat->name;
    const AVRational microseconds = {1, 1000000};
    bool is_avi = strstr(format, "avi");
    memset(lengths, 0, sizeof *lengths);
    // Durations that FFmpeg made up from the bit rate, or found at the end of the file, claim nothing.
    if (input->format->duration_estimation_method != AVFMT_DURATION_FROM_STREAM) return;
    int64_t start = 0;
    if (stream->duration != AV_NOPTS_VALUE && stream->duration > 0) {
        int64_t duration = stream->duration;
        // FFmpeg shortens an AVI file that was cut off; the number of frames stays.
        if (is_avi && stream->nb_frames > duration) duration = stream->nb_frames;
        if (stream->start_time != AV_NOPTS_VALUE) start = stream->start_time;
        lengths->claimed = cff.av_rescale_q(duration, stream->time_base, microseconds);
    } else if (input->format->duration != AV_NOPTS_VALUE && input->format->duration > 0) {
        lengths->claimed = input->format->duration;
    } else {
        return;
    }
    lengths->isKnown = true;
    if (input->end != AV_NOPTS_VALUE)
        lengths->read = cff.av_rescale_q(cff_difference(input->end, start), stream->time_base, microseconds);
    // Matroska states the length of all streams together.
    lengths->isOfVideo = input->format->nb_streams == 1 || strstr(format, "mov") || is_avi;
}

/// Remembers the first packet, by FNV-1a over its timestamp and bytes.
static void note_beginning(CFFInput *input) {
    if (input->fingerprint) return;
    const AVPacket *packet = input->packet;
    uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)packet->pts;
    for (int i = 0; i < packet->size; i++)
        hash = (hash ^ packet->data[i]) * 0x100000001b3;
    input->fingerprint = hash ? hash : 1;
}

static uint64_t input_fingerprint(const CFFInput *input) { return input->fingerprint; }

/// The error of a demuxer that has nothing more; 0 if that is the end of the input. Some demuxers take bytes that did
/// not come for the end.
static int error_behind(const CFFInput *input, int code) {
    if (code != AVERROR_EOF) return code;
    return input->format->pb && input->format->pb->error < 0 ? input->format->pb->error : 0;
}

/// Reads the next packet of the stream, or signals its end to the decoder.
static int read_packet(CFFInput *input) {
    for (;;) {
        int code = cff.av_read_frame(input->format, input->packet);
        if (code == AVERROR(EAGAIN)) {
            // A device has no frame yet.
            if (cff_interrupted(input->interrupt))
                code = AVERROR_EXIT;
            else {
                cff.av_usleep(1000);
                continue;
            }
        }
        const AVIOContext *bytes = input->format->pb;
        if (code >= 0 && input->goes_on_elsewhere && input->packet->flags & AV_PKT_FLAG_CORRUPT && bytes &&
            bytes->error < 0) {
            // The packet was cut off.
            cff.av_packet_unref(input->packet);
            code = bytes->error;
        }
        if (code < 0) {
            input->read_error = error_behind(input, code);
            input->is_draining = true;
            // The decoder's frames would come without those between them that did not arrive.
            if (input->read_error && input->goes_on_elsewhere) return 0;
            return cff.avcodec_send_packet(input->decoder, NULL);
        }
        if (input->packet->stream_index == input->stream->index) break;
        cff.av_packet_unref(input->packet);
    }
    note_beginning(input);
    note_end(input);
    return 0;
}

static void input_packet(const CFFInput *input, CFFPacketInfo *info) {
    const AVPacket *packet = input->packet;
    info->hasTimestamp = packet->pts != AV_NOPTS_VALUE;
    info->timestamp = packet->pts;
    info->isKey = packet->flags & AV_PKT_FLAG_KEY;
    info->isReference = is_reference(input->stream->codecpar, packet);
}

static int input_decode_packet(CFFInput *input) {
    int code = cff.avcodec_send_packet(input->decoder, input->packet);
    cff.av_packet_unref(input->packet);
    return code == AVERROR_EOF ? 0 : code;
}

static void input_leave_out_packet(CFFInput *input) { cff.av_packet_unref(input->packet); }

/// Codecs made for video mean the narrow range unless they say otherwise, also for gray; those for single pictures do
/// not.
static void assume_range(const CFFInput *input, AVFrame *frame) {
    const AVCodecDescriptor *codec = cff.avcodec_descriptor_get(input->decoder->codec_id);
    bool is_for_video = codec && codec->props & AV_CODEC_PROP_LOSSY;
    if (frame->color_range == AVCOL_RANGE_UNSPECIFIED && is_for_video) frame->color_range = AVCOL_RANGE_MPEG;
}

static CFFStep input_step(CFFInput *input, CFFFrame **frame, int *code) {
    *frame = NULL;
    *code = 0;
    for (;;) {
        int result = cff.avcodec_receive_frame(input->decoder, input->frame);
        if (result == 0) {
            AVFrame *taken = cff.av_frame_alloc();
            if (!taken) {
                cff.av_frame_unref(input->frame);
                *code = AVERROR(ENOMEM);
                return CFFStepFailed;
            }
            cff.av_frame_move_ref(taken, input->frame);
            assume_range(input, taken);
            *frame = taken;
            return CFFStepFrame;
        }
        if (result != AVERROR(EAGAIN) && result != AVERROR_EOF) {
            *code = result;
            return CFFStepDamaged;
        }
        if (result == AVERROR_EOF || input->is_draining) {
            *code = input->read_error;
            input->read_error = 0;
            return *code ? CFFStepFailed : CFFStepEnd;
        }
        result = read_packet(input);
        if (result >= 0 && !input->is_draining) return CFFStepPacket;
        if (result < 0 && result != AVERROR_EOF) {
            *code = result;
            return CFFStepDamaged;
        }
    }
}

static void input_expect_successor(CFFInput *input) { input->goes_on_elsewhere = true; }

static int input_seek(CFFInput *input, int64_t timestamp) {
    int code = cff.av_seek_frame(input->format, input->stream->index, timestamp, AVSEEK_FLAG_BACKWARD);
    if (code < 0) return code;
    cff.avcodec_flush_buffers(input->decoder);
    input->is_draining = false;
    input->read_error = 0;
    return 0;
}

static CFFFrame *frame_converted(CFFInput *input, const CFFFrame *frame, int *code) {
    const AVPixFmtDescriptor *description = cff.av_pix_fmt_desc_get(frame->format);
    *code = AVERROR(EINVAL);
    if (!description || frame->width <= 0 || frame->height <= 0) return NULL;
    if (description->flags & AV_PIX_FMT_FLAG_HWACCEL) return frame_from_hardware(frame, code);
    bool is_color = description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
    bool is_full = is_full_range(frame);
    int target = is_color ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUV420P;
    if (description->nb_components < 3 && !is_color && frame->color_range != AVCOL_RANGE_MPEG)
        target = AV_PIX_FMT_GRAY8;
    input->scaler = cff.sws_getCachedContext(input->scaler, frame->width, frame->height, frame->format, frame->width,
                                             frame->height, target, SWS_BILINEAR | SWS_ACCURATE_RND, NULL, NULL, NULL);
    *code = AVERROR(ENOMEM);
    if (!input->scaler) return NULL;
    if (target == AV_PIX_FMT_YUV420P) {
        // Only the arrangement of the samples changes, not their values.
        const int *table = cff.sws_getCoefficients(SWS_CS_DEFAULT);
        cff.sws_setColorspaceDetails(input->scaler, table, is_full, table, is_full, 0, 1 << 16, 1 << 16);
    }
    AVFrame *result = cff.av_frame_alloc();
    if (!result) return NULL;
    cff.av_frame_copy_props(result, frame);
    result->format = target;
    result->width = frame->width;
    result->height = frame->height;
    *code = cff.av_frame_get_buffer(result, 0);
    if (*code >= 0) {
        *code = cff.sws_scale(input->scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height,
                              result->data, result->linesize);
    }
    if (*code < 0) {
        cff.av_frame_free(&result);
        return NULL;
    }
    if (target == AV_PIX_FMT_YUV420P) result->color_range = is_full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    return result;
}
