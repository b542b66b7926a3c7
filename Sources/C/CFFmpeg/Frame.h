#include <string.h>

static bool is_full_range(const AVFrame *frame) {
    switch (frame->format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P: return true;
    default: return frame->color_range == AVCOL_RANGE_JPEG;
    }
}

static CFFLayout layout_of(const AVFrame *frame) {
    CFFLayout layout;
    int planes = 1;
    switch (frame->format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P:
    // The fourth plane is transparency, which does not matter here.
    case AV_PIX_FMT_YUVA420P:
        layout = CFFLayoutI420;
        planes = 3;
        break;
    case AV_PIX_FMT_NV12:
        layout = CFFLayoutNV12;
        planes = 2;
        break;
    // Gray of the narrow range is converted by swscale, since a gray picture has no range of its own.
    case AV_PIX_FMT_GRAY8: layout = frame->color_range == AVCOL_RANGE_MPEG ? CFFLayoutOther : CFFLayoutGray; break;
    case AV_PIX_FMT_RGB24: layout = CFFLayoutRGB; break;
    case AV_PIX_FMT_RGBA:
    case AV_PIX_FMT_RGB0: layout = CFFLayoutRGBA; break;
    case AV_PIX_FMT_BGRA:
    case AV_PIX_FMT_BGR0: layout = CFFLayoutBGRA; break;
    default: return CFFLayoutOther;
    }
    // Rows from the bottom up have to be turned round.
    for (int i = 0; i < planes; i++)
        if (frame->linesize[i] <= 0 || !frame->data[i]) return CFFLayoutOther;
    return layout;
}

static CFFMatrix matrix_of(const AVFrame *frame) {
    switch (frame->colorspace) {
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_SMPTE240M:
    // The differences to BT.709 are small against those to BT.601.
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: return CFFMatrixBT709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_FCC: return CFFMatrixBT601;
    default: return CFFMatrixUnspecified;
    }
}

static void frame_info(const CFFFrame *frame, CFFFrameInfo *info) {
    memset(info, 0, sizeof *info);
    info->layout = layout_of(frame);
    info->width = frame->width;
    info->height = frame->height;
    for (int i = 0; i < 3; i++) {
        info->planes[i] = frame->data[i];
        info->strides[i] = frame->linesize[i];
    }
    info->isFullRange = is_full_range(frame);
    info->matrix = matrix_of(frame);
    info->hasTimestamp = frame->best_effort_timestamp != AV_NOPTS_VALUE;
    info->timestamp = frame->best_effort_timestamp;
    info->isInHardware = frame->hw_frames_ctx != NULL;
    info->isDamaged = frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags;
}

static void frame_free(CFFFrame *frame) { cff.av_frame_free(&frame); }
