// HEIC and AVIF files to rows of pixels, over libheif, which is found at run time.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    CHEIF_OK = 0,
    // The data breaks the rules of the format.
    CHEIF_CORRUPTED = 1,
    // The data ends before the pixels.
    CHEIF_CUT_SHORT = 2,
    // A kind of file that libheif does not decode.
    CHEIF_UNSUPPORTED = 3,
    // libheif has no decoder for the compression.
    CHEIF_NO_DECODER = 4,
    CHEIF_OUT_OF_MEMORY = 5,
};

// Room for a message with its closing zero.
#define CHEIF_MESSAGE_SIZE 256

typedef struct {
    // Pixels of the upright picture: libheif turns and mirrors it as the file says.
    int32_t width;
    int32_t height;
    int32_t hasAlpha;
} CHEIFHeader;

// Loads the library. Returns NULL, or the reason for which it cannot be used. May be called by several threads, also
// again.
const char *cheif_load(void);

// Reads what comes before the pixels. `message` has room for CHEIF_MESSAGE_SIZE characters and is set when the result
// is not CHEIF_OK. To be called after cheif_load has returned NULL, like the next function.
int cheif_read_header(const uint8_t *data, size_t size, CHEIFHeader *header, char *message);

// Decodes the upright picture into RGB rows of `stride` bytes; transparent parts show white. The header's size must be
// the picture's.
int cheif_decode(const uint8_t *data, size_t size, const CHEIFHeader *header, uint8_t *rows, size_t stride,
                 char *message);
