// WebP files to rows of RGB pixels, over libwebp.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    CWEBP_OK = 0,
    // The data breaks the rules of the format.
    CWEBP_CORRUPTED = 1,
    // The data ends before the pixels asked for.
    CWEBP_CUT_SHORT = 2,
    CWEBP_OUT_OF_MEMORY = 3,
};

typedef struct {
    // Pixels of the picture, or of the canvas of an animation.
    int32_t width;
    int32_t height;
    int32_t isAnimated;
} CWebPHeader;

// A region in pixels of the stored picture, whose left and top must be even, and the size that it is scaled down to.
typedef struct {
    int32_t left;
    int32_t top;
    int32_t width;
    int32_t height;
    int32_t scaledWidth;
    int32_t scaledHeight;
} CWebPRegion;

int cwebp_read_header(const uint8_t *data, size_t size, CWebPHeader *header);

// Decodes a region into RGB rows of `stride` bytes; transparent parts show white. An animation gives its first frame on
// a white canvas: its region must be the whole canvas, unscaled.
int cwebp_decode(const uint8_t *data, size_t size, const CWebPRegion *region, uint8_t *rows, size_t stride);
