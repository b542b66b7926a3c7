// JPEG files to rows of pixels and back, over libjpeg-turbo.
//
// libjpeg reports errors by a long jump. It starts and lands inside these functions, so that it never crosses a frame
// of the caller; they return a code instead. Nothing is printed.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    CJPEG_OK = 0,
    // The data breaks the rules of the format.
    CJPEG_CORRUPTED = 1,
    // The data ends before the pixels asked for.
    CJPEG_CUT_SHORT = 2,
    // A kind of JPEG, or a use, that is not supported.
    CJPEG_UNSUPPORTED = 3,
    CJPEG_OUT_OF_MEMORY = 4,
};

// Room for a message with its closing zero.
#define CJPEG_MESSAGE_SIZE 256

typedef struct {
    // Pixels of the stored picture.
    int32_t width;
    int32_t height;
    // 1 for gray, 3 for everything else (CMYK is converted to RGB).
    int32_t channels;
    // The numbers of columns and rows of blocks in a minimum coded unit. A region's left edge at scale M/8 must be a
    // multiple of M × this.
    int32_t horizontalSampling;
    int32_t verticalSampling;
    int32_t isProgressive;
} CJPEGHeader;

// The part to decode, in pixels of the picture at scale M/8, which has ceil(width × M / 8) columns.
typedef struct {
    // M, 1 to 8.
    int32_t eighths;
    int32_t left;
    int32_t top;
    int32_t width;
    int32_t height;
    // Whether CMYK says how much of an ink there is, as within TIFF. In their own files, all writers say how much
    // is absent.
    int32_t hasPlainInks;
} CJPEGRegion;

// Reads the header. `message` has room for CJPEG_MESSAGE_SIZE characters and is set when the result is not CJPEG_OK.
int cjpeg_read_header(const uint8_t *data, size_t size, CJPEGHeader *header, char *message);

// Decodes a region into rows of `stride` bytes, in the channels that the header gives.
//
// Damage in the compressed data and a premature end are errors, never gray areas; what lies behind the last row asked
// for is not read. A progressive picture at scale 1/8 is complete as soon as the mean of each block is known to within
// two levels, and no further scan is read.
int cjpeg_decode(const uint8_t *data, size_t size, const CJPEGRegion *region, uint8_t *rows, size_t stride,
                 char *message);

// Encodes RGB rows with 4:2:0 chroma. The caller frees `*out` with cjpeg_free.
int cjpeg_encode(const uint8_t *rgb, int32_t width, int32_t height, size_t stride, int32_t quality, uint8_t **out,
                 size_t *outSize, char *message);

void cjpeg_free(uint8_t *bytes);
