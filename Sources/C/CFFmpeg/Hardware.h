/// Chooses frames in the memory of the graphics processor. FFmpeg asks again without them if the processor refuses this
/// form of the codec.
static int choose_format(AVCodecContext *decoder, const int *formats) {
    for (const int *format = formats; *format != AV_PIX_FMT_NONE; format++)
        if (*format == AV_PIX_FMT_VAAPI) return *format;
    return cff.avcodec_default_get_format(decoder, formats);
}

static bool has_vaapi(const AVCodec *codec) {
    const AVCodecHWConfig *config;
    for (int i = 0; (config = cff.avcodec_get_hw_config(codec, i)); i++)
        if (config->device_type == AV_HWDEVICE_TYPE_VAAPI && config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX)
            return true;
    return false;
}

static int use_vaapi(AVCodecContext *decoder, const AVCodec *codec) {
    if (!has_vaapi(codec)) return AVERROR(ENOSYS);
    int code = cff.av_hwdevice_ctx_create(&decoder->hw_device_ctx, AV_HWDEVICE_TYPE_VAAPI, NULL, NULL, 0);
    if (code < 0) return code;
    decoder->get_format = choose_format;
    // Frames that wait. The processor's memory has a fixed number of frames.
    decoder->extra_hw_frames = 16;
    return 0;
}

static AVFrame *frame_from_hardware(const AVFrame *frame, int *code) {
    AVFrame *copy = cff.av_frame_alloc();
    *code = copy ? cff.av_hwframe_transfer_data(copy, frame, 0) : AVERROR(ENOMEM);
    if (*code >= 0) *code = cff.av_frame_copy_props(copy, frame);
    if (*code < 0) cff.av_frame_free(&copy);
    return copy;
}
