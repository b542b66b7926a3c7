#include "CWebP.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

static int code_of(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OK: return CWEBP_OK;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return CWEBP_CUT_SHORT;
    case VP8_STATUS_OUT_OF_MEMORY: return CWEBP_OUT_OF_MEMORY;
    default: return CWEBP_CORRUPTED;
    }
}

int cwebp_read_header(const uint8_t *data, size_t size, CWebPHeader *header) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(data, size, &features);
    if (status != VP8_STATUS_OK) return code_of(status);
    header->width = features.width;
    header->height = features.height;
    header->isAnimated = features.has_animation;
    return CWEBP_OK;
}

// Decodes one still picture. Color with alpha comes multiplied by it, so that white has only to be added.
static int decode_still(const uint8_t *data, size_t size, const CWebPRegion *region, uint8_t *rows, size_t stride) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CWEBP_CORRUPTED;
    VP8StatusCode status = WebPGetFeatures(data, size, &config.input);
    if (status != VP8_STATUS_OK) return code_of(status);
    if (region->left < 0 || region->top < 0 || region->left > config.input.width - region->width ||
        region->top > config.input.height - region->height || region->scaledWidth < 1 || region->scaledHeight < 1) {
        return CWEBP_CORRUPTED;
    }
    if (region->width != config.input.width || region->height != config.input.height) {
        config.options.use_cropping = 1;
        config.options.crop_left = region->left;
        config.options.crop_top = region->top;
        config.options.crop_width = region->width;
        config.options.crop_height = region->height;
    }
    if (region->scaledWidth != region->width || region->scaledHeight != region->height) {
        config.options.use_scaling = 1;
        config.options.scaled_width = region->scaledWidth;
        config.options.scaled_height = region->scaledHeight;
    }
    size_t width = (size_t)region->scaledWidth;
    size_t height = (size_t)region->scaledHeight;
    if (!config.input.has_alpha) {
        config.output.colorspace = MODE_RGB;
        config.output.is_external_memory = 1;
        config.output.u.RGBA.rgba = rows;
        config.output.u.RGBA.stride = (int)stride;
        config.output.u.RGBA.size = stride * (height - 1) + width * 3;
        status = WebPDecode(data, size, &config);
        WebPFreeDecBuffer(&config.output);
        return code_of(status);
    }
    config.output.colorspace = MODE_rgbA;
    status = WebPDecode(data, size, &config);
    if (status == VP8_STATUS_OK) {
        for (size_t y = 0; y < height; y++) {
            const uint8_t *in = config.output.u.RGBA.rgba + y * (size_t)config.output.u.RGBA.stride;
            uint8_t *out = rows + y * stride;
            for (size_t x = 0; x < width; x++, in += 4, out += 3) {
                for (int i = 0; i < 3; i++) {
                    unsigned sum = in[i] + (255u - in[3]);
                    out[i] = (uint8_t)(sum > 255 ? 255 : sum);
                }
            }
        }
    }
    WebPFreeDecBuffer(&config.output);
    return code_of(status);
}

static int decode_first_frame(const uint8_t *data, size_t size, const CWebPRegion *region, uint8_t *rows,
                              size_t stride) {
    WebPData bytes = {data, size};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer *demuxer = WebPDemuxPartial(&bytes, &state);
    if (demuxer == NULL) return state == WEBP_DEMUX_PARSE_ERROR ? CWEBP_CORRUPTED : CWEBP_CUT_SHORT;
    WebPIterator frame;
    int code = CWEBP_CUT_SHORT;
    if (WebPDemuxGetFrame(demuxer, 1, &frame)) {
        if (frame.x_offset < 0 || frame.y_offset < 0 || frame.x_offset > region->width - frame.width ||
            frame.y_offset > region->height - frame.height) {
            code = CWEBP_CORRUPTED;
        } else if (frame.complete) {
            for (int32_t y = 0; y < region->height; y++)
                memset(rows + (size_t)y * stride, 255, (size_t)region->width * 3);
            CWebPRegion whole = {0, 0, frame.width, frame.height, frame.width, frame.height};
            uint8_t *corner = rows + (size_t)frame.y_offset * stride + (size_t)frame.x_offset * 3;
            code = decode_still(frame.fragment.bytes, frame.fragment.size, &whole, corner, stride);
        }
        WebPDemuxReleaseIterator(&frame);
    }
    WebPDemuxDelete(demuxer);
    return code;
}

int cwebp_decode(const uint8_t *data, size_t size, const CWebPRegion *region, uint8_t *rows, size_t stride) {
    CWebPHeader header;
    int code = cwebp_read_header(data, size, &header);
    if (code != CWEBP_OK || !header.isAnimated)
        return code == CWEBP_OK ? decode_still(data, size, region, rows, stride) : code;
    if (region->width != header.width || region->height != header.height || region->scaledWidth != header.width ||
        region->scaledHeight != header.height) {
        return CWEBP_CORRUPTED;
    }
    return decode_first_frame(data, size, region, rows, stride);
}
