#include "CHEIF.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The part of libheif's ABI that is used here. It has not changed since version 1.0 (libheif/heif.h).
typedef struct heif_context heif_context;
typedef struct heif_image_handle heif_image_handle;
typedef struct heif_image heif_image;

typedef struct {
    int code;
    int subcode;
    const char *message;
} heif_error;

enum {
    ERROR_UNSUPPORTED_FILE_TYPE = 3,
    ERROR_UNSUPPORTED_FEATURE = 4,
    ERROR_MEMORY_ALLOCATION = 6,
    SUBERROR_END_OF_DATA = 100,
    SUBERROR_UNSUPPORTED_CODEC = 3000,
    COLORSPACE_RGB = 1,
    CHROMA_INTERLEAVED_RGB = 10,
    CHROMA_INTERLEAVED_RGBA = 11,
    CHANNEL_INTERLEAVED = 10,
};

#define FUNCTIONS(X)                                                                                                   \
    X(heif_context *, heif_context_alloc, (void))                                                                      \
    X(void, heif_context_free, (heif_context *))                                                                       \
    X(heif_error, heif_context_read_from_memory_without_copy, (heif_context *, const void *, size_t, const void *))    \
    X(heif_error, heif_context_get_primary_image_handle, (heif_context *, heif_image_handle **))                       \
    X(void, heif_image_handle_release, (const heif_image_handle *))                                                    \
    X(int, heif_image_handle_get_width, (const heif_image_handle *))                                                   \
    X(int, heif_image_handle_get_height, (const heif_image_handle *))                                                  \
    X(int, heif_image_handle_has_alpha_channel, (const heif_image_handle *))                                           \
    X(heif_error, heif_decode_image, (const heif_image_handle *, heif_image **, int, int, const void *))               \
    X(int, heif_image_get_width, (const heif_image *, int))                                                            \
    X(int, heif_image_get_height, (const heif_image *, int))                                                           \
    X(const uint8_t *, heif_image_get_plane_readonly, (const heif_image *, int, int *))                                \
    X(void, heif_image_release, (const heif_image *))

static struct {
#define DECLARE(result, name, parameters) result(*name) parameters;
    FUNCTIONS(DECLARE)
} heif;

static const char *failure;

static void load(void) {
#ifdef __APPLE__
    void *library = dlopen("libheif.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) {
        failure = "libheif is not installed";
        return;
    }
#define FIND(result, name, parameters)                                                                                 \
    do {                                                                                                               \
        void *address = dlsym(library, #name);                                                                         \
        if (!address) {                                                                                                \
            failure = "libheif lacks the function " #name;                                                             \
            return;                                                                                                    \
        }                                                                                                              \
        /* A pointer to an object and one to a function have the same size wherever dlsym exists. */                   \
        memcpy(&heif.name, &address, sizeof address);                                                                  \
    } while (0);
    FUNCTIONS(FIND)
}

const char *cheif_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

static int status_of(heif_error error, char *message) {
    if (error.code == 0) return CHEIF_OK;
    snprintf(message, CHEIF_MESSAGE_SIZE, "%s", error.message ? error.message : "no reason is known");
    if (error.subcode == SUBERROR_END_OF_DATA) return CHEIF_CUT_SHORT;
    if (error.subcode == SUBERROR_UNSUPPORTED_CODEC) return CHEIF_NO_DECODER;
    switch (error.code) {
    case ERROR_UNSUPPORTED_FILE_TYPE:
    case ERROR_UNSUPPORTED_FEATURE: return CHEIF_UNSUPPORTED;
    case ERROR_MEMORY_ALLOCATION: return CHEIF_OUT_OF_MEMORY;
    default: return CHEIF_CORRUPTED;
    }
}

// Opens the file's main picture. The caller releases everything that is not NULL, for every result.
static int open_picture(const uint8_t *data, size_t size, heif_context **context, heif_image_handle **handle,
                        char *message) {
    *handle = NULL;
    *context = heif.heif_context_alloc();
    if (!*context) return CHEIF_OUT_OF_MEMORY;
    int status = status_of(heif.heif_context_read_from_memory_without_copy(*context, data, size, NULL), message);
    if (status != CHEIF_OK) return status;
    return status_of(heif.heif_context_get_primary_image_handle(*context, handle), message);
}

static void close_picture(heif_context *context, heif_image_handle *handle) {
    if (handle) heif.heif_image_handle_release(handle);
    if (context) heif.heif_context_free(context);
}

int cheif_read_header(const uint8_t *data, size_t size, CHEIFHeader *header, char *message) {
    heif_context *context;
    heif_image_handle *handle;
    int status = open_picture(data, size, &context, &handle, message);
    if (status == CHEIF_OK) {
        header->width = heif.heif_image_handle_get_width(handle);
        header->height = heif.heif_image_handle_get_height(handle);
        header->hasAlpha = heif.heif_image_handle_has_alpha_channel(handle) != 0;
    }
    close_picture(context, handle);
    return status;
}

static void copy_row(const uint8_t *pixels, uint8_t *row, int32_t width, int hasAlpha) {
    if (!hasAlpha) {
        memcpy(row, pixels, (size_t)width * 3);
        return;
    }
    for (int32_t x = 0; x < width; x++, pixels += 4, row += 3) {
        unsigned alpha = pixels[3];
        for (int i = 0; i < 3; i++)
            row[i] = (uint8_t)((pixels[i] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}

int cheif_decode(const uint8_t *data, size_t size, const CHEIFHeader *header, uint8_t *rows, size_t stride,
                 char *message) {
    heif_context *context;
    heif_image_handle *handle;
    heif_image *image = NULL;
    int status = open_picture(data, size, &context, &handle, message);
    if (status == CHEIF_OK) {
        int chroma = header->hasAlpha ? CHROMA_INTERLEAVED_RGBA : CHROMA_INTERLEAVED_RGB;
        status = status_of(heif.heif_decode_image(handle, &image, COLORSPACE_RGB, chroma, NULL), message);
    }
    if (status == CHEIF_OK) {
        int pixel_stride = 0;
        const uint8_t *pixels = heif.heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, &pixel_stride);
        // A picture inside the file may have another size than the one that the file states.
        if (!pixels || heif.heif_image_get_width(image, CHANNEL_INTERLEAVED) != header->width ||
            heif.heif_image_get_height(image, CHANNEL_INTERLEAVED) != header->height ||
            pixel_stride < header->width * (header->hasAlpha ? 4 : 3)) {
            snprintf(message, CHEIF_MESSAGE_SIZE, "its pixels do not have the size that it states");
            status = CHEIF_CORRUPTED;
        } else {
            for (int32_t y = 0; y < header->height; y++) {
                copy_row(pixels + (size_t)y * (size_t)pixel_stride, rows + (size_t)y * stride, header->width,
                         header->hasAlpha);
            }
        }
    }
    if (image) heif.heif_image_release(image);
    close_picture(context, handle);
    return status;
}
