// PNG files to rows of pixels and back, over libpng.
//
// libpng reports errors by a long jump. It starts and lands inside these functions, so that it never crosses a frame of
// the caller; they return a code instead. Nothing is printed.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    CPNG_OK = 0,
    // The data breaks the rules of the format.
    CPNG_CORRUPTED = 1,
    // The data ends before the pixels asked for.
    CPNG_CUT_SHORT = 2,
    // The size cannot be encoded.
    CPNG_UNSUPPORTED = 3,
    CPNG_OUT_OF_MEMORY = 4,
};

// Room for a message with its closing zero.
#define CPNG_MESSAGE_SIZE 256

typedef struct {
    int32_t width;
    int32_t height;
    // 1 for gray, 3 for color; alpha is composited and 16 bits become 8.
    int32_t channels;
    // The rows of an interlaced picture come in seven passes, so that a region of it cannot be decoded alone.
    int32_t isInterlaced;
} CPNGHeader;

typedef struct {
    int32_t left;
    int32_t top;
    int32_t width;
    int32_t height;
} CPNGRegion;

// Reads what comes before the pixels. `message` has room for CPNG_MESSAGE_SIZE characters and is set when the result is
// not CPNG_OK.
int cpng_read_header(const uint8_t *data, size_t size, CPNGHeader *header, char *message);

// Decodes a region into rows of `stride` bytes, in the channels that the header gives; transparent parts show white.
// An interlaced picture is decoded whole: its region must be the whole picture. Rows behind the region are not read.
int cpng_decode(const uint8_t *data, size_t size, const CPNGRegion *region, uint8_t *rows, size_t stride,
                char *message);

// Encodes rows with 8 bits a channel: RGB, or with hasAlpha RGBA, whose colors are not multiplied. The caller frees
// `*out` with cpng_free.
int cpng_encode(const uint8_t *rows, int32_t width, int32_t height, size_t stride, int hasAlpha, uint8_t **out,
                size_t *outSize, char *message);

void cpng_free(uint8_t *bytes);
