#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// Real progressive pictures have about ten scans. Each scan costs a pass over the whole picture however few bytes it
// has, so that a small file with thousands of them would keep a core busy for minutes.
enum { maximum_scans = 100 };

// The largest error of the mean of a block when a progressive picture is read only up to its first scans, in pixel
// levels.
enum { tolerated_levels = 2 };

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    int code;
    char *message;
    // Whether the source has run out of bytes.
    int is_exhausted;
} ErrorManager;

static void stop(j_common_ptr info, int code, const char *message) {
    ErrorManager *errors = (ErrorManager *)info->err;
    errors->code = code;
    snprintf(errors->message, CJPEG_MESSAGE_SIZE, "%s", message);
    longjmp(errors->escape, 1);
}

static void stop_with_library_message(j_common_ptr info) {
    ErrorManager *errors = (ErrorManager *)info->err;
    if (errors->is_exhausted) stop(info, CJPEG_CUT_SHORT, "the data ends too early");
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    switch (info->err->msg_code) {
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_EMPTY_IMAGE:
    case JERR_IMAGE_TOO_BIG: stop(info, CJPEG_UNSUPPORTED, text); break;
    case JERR_OUT_OF_MEMORY: stop(info, CJPEG_OUT_OF_MEMORY, text); break;
    default: stop(info, CJPEG_CORRUPTED, text);
    }
}

// Warnings that mean lost pixels are errors; the others (stray bytes between segments, odd version numbers) are not.
static void emit_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC: stop_with_library_message(info); break;
    default: break;
    }
}

static void output_nothing(j_common_ptr info) { (void)info; }

static void set_up_errors(ErrorManager *errors, char *message) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = stop_with_library_message;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_nothing;
    errors->code = CJPEG_OK;
    errors->message = message;
    errors->is_exhausted = 0;
}

static void do_nothing(j_decompress_ptr info) { (void)info; }

// Behind the last byte comes an end-of-image marker, as often as one is asked for.
static boolean supply_end(j_decompress_ptr info) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    ((ErrorManager *)info->err)->is_exhausted = 1;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void skip_bytes(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if ((size_t)count > info->src->bytes_in_buffer) {
        supply_end(info);
        return;
    }
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= (size_t)count;
}

static void set_up_source(j_decompress_ptr info, struct jpeg_source_mgr *source, const uint8_t *data, size_t size) {
    source->init_source = do_nothing;
    source->fill_input_buffer = supply_end;
    source->skip_input_data = skip_bytes;
    source->resync_to_restart = jpeg_resync_to_restart;
    source->term_source = do_nothing;
    source->next_input_byte = data;
    source->bytes_in_buffer = size;
    info->src = source;
}

static void check_scan_count(j_common_ptr info) {
    if (((j_decompress_ptr)info)->input_scan_number > maximum_scans)
        stop(info, CJPEG_CORRUPTED, "there are more than 100 scans");
}

static void read_header(j_decompress_ptr info) {
    jpeg_read_header(info, TRUE);
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: info->out_color_space = JCS_GRAYSCALE; break;
    case JCS_YCbCr:
    case JCS_RGB: info->out_color_space = JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: info->out_color_space = JCS_CMYK; break;
    default: stop((j_common_ptr)info, CJPEG_UNSUPPORTED, "its color space is not known");
    }
}

// Opens a file, reads its header, and lets `work` continue; its errors end here.
static int with_file(const uint8_t *data, size_t size, char *message, void (*work)(j_decompress_ptr, void *),
                     void *context) {
    struct jpeg_decompress_struct info;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    ErrorManager errors;
    memset(&info, 0, sizeof info);
    memset(&progress, 0, sizeof progress);
    set_up_errors(&errors, message);
    info.err = &errors.base;
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&info);
        return errors.code;
    }
    jpeg_create_decompress(&info);
    set_up_source(&info, &source, data, size);
    progress.progress_monitor = check_scan_count;
    info.progress = &progress;
    read_header(&info);
    work(&info, context);
    jpeg_destroy_decompress(&info);
    return CJPEG_OK;
}

static void describe(j_decompress_ptr info, void *context) {
    CJPEGHeader *header = context;
    header->width = (int32_t)info->image_width;
    header->height = (int32_t)info->image_height;
    header->channels = info->out_color_space == JCS_GRAYSCALE ? 1 : 3;
    // A picture of one component has units of one block, whatever sampling it states.
    header->horizontalSampling = 1;
    header->verticalSampling = 1;
    for (int i = 0; i < info->num_components; i++) {
        if (info->comp_info[i].h_samp_factor > header->horizontalSampling)
            header->horizontalSampling = info->comp_info[i].h_samp_factor;
        if (info->comp_info[i].v_samp_factor > header->verticalSampling)
            header->verticalSampling = info->comp_info[i].v_samp_factor;
    }
    header->isProgressive = info->progressive_mode;
}

int cjpeg_read_header(const uint8_t *data, size_t size, CJPEGHeader *header, char *message) {
    return with_file(data, size, message, describe, header);
}

// Whether the mean of every block is known well enough. `coef_bits` holds, for each coefficient of a component, how
// many of its low bits are still missing, or -1; coefficient 0 is eight times the mean over its quantiser.
static int knows_means(j_decompress_ptr info) {
    for (int i = 0; i < info->num_components; i++) {
        const JQUANT_TBL *table = info->comp_info[i].quant_table;
        int missing_bits = info->coef_bits[i][0];
        if (missing_bits < 0 || missing_bits > 13 || table == NULL) return 0;
        if (((1 << missing_bits) - 1) * (long)table->quantval[0] > 8 * tolerated_levels) return 0;
    }
    return 1;
}

// Reads the scans of a progressive picture until the means of its blocks are known.
static void start_with_means(j_decompress_ptr info) {
    info->buffered_image = TRUE;
    // Smoothing guesses coefficients that scale 1/8 does not use.
    info->do_block_smoothing = FALSE;
    jpeg_start_decompress(info);
    for (;;) {
        int state = jpeg_consume_input(info);
        check_scan_count((j_common_ptr)info);
        if (state == JPEG_REACHED_EOI || (state == JPEG_SCAN_COMPLETED && knows_means(info))) break;
    }
    if (!knows_means(info)) stop_with_library_message((j_common_ptr)info);
    jpeg_start_output(info, info->input_scan_number);
}

// A file cut between two scans has no broken scan, but coefficients without their last bits, or none at all.
static void check_scans_are_complete(j_decompress_ptr info) {
    if (!((ErrorManager *)info->err)->is_exhausted || !jpeg_has_multiple_scans(info)) return;
    if (info->coef_bits == NULL) stop((j_common_ptr)info, CJPEG_CUT_SHORT, "the data ends too early");
    for (int i = 0; i < info->num_components; i++) {
        for (int k = 0; k < DCTSIZE2; k++)
            if (info->coef_bits[i][k] != 0) stop((j_common_ptr)info, CJPEG_CUT_SHORT, "the data ends too early");
    }
}

// Adobe's programs store how much of an ink is absent, and so do all others, also where Adobe's marker is missing.
static void convert_cmyk(const uint8_t *cmyk, uint8_t *rgb, int32_t width, int has_plain_inks) {
    unsigned flip = has_plain_inks ? 255 : 0;
    for (int32_t x = 0; x < width; x++, cmyk += 4, rgb += 3) {
        unsigned black = cmyk[3] ^ flip;
        for (int i = 0; i < 3; i++)
            rgb[i] = (uint8_t)(((cmyk[i] ^ flip) * black + 127) / 255);
    }
}

static void read_rows(j_decompress_ptr info, const CJPEGRegion *region, uint8_t *rows, size_t stride) {
    enum { most = 16 };
    JDIMENSION left = (JDIMENSION)region->left;
    JDIMENSION width = (JDIMENSION)region->width;
    JDIMENSION top = (JDIMENSION)region->top;
    JDIMENSION height = (JDIMENSION)region->height;
    if (width == 0 || height == 0 || left > info->output_width || width > info->output_width - left ||
        top > info->output_height || height > info->output_height - top) {
        stop((j_common_ptr)info, CJPEG_UNSUPPORTED, "the region lies outside the picture");
    }
    if (width < info->output_width) {
        JDIMENSION cropped_left = left;
        JDIMENSION cropped_width = width;
        jpeg_crop_scanline(info, &cropped_left, &cropped_width);
        if (cropped_left != left || cropped_width != width || info->output_width != width)
            stop((j_common_ptr)info, CJPEG_UNSUPPORTED, "the region does not start at a coded unit");
    }
    if (top > 0 && jpeg_skip_scanlines(info, top) != top) stop_with_library_message((j_common_ptr)info);

    JSAMPARRAY inks = NULL;
    if (info->out_color_space == JCS_CMYK)
        inks = info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE, info->output_width * 4, 1);
    for (JDIMENSION y = 0; y < height;) {
        if (inks != NULL) {
            if (jpeg_read_scanlines(info, inks, 1) != 1) stop_with_library_message((j_common_ptr)info);
            convert_cmyk(inks[0], rows + y * stride, (int32_t)width, region->hasPlainInks);
            y++;
            continue;
        }
        JSAMPROW pointers[most];
        JDIMENSION count = height - y < most ? height - y : most;
        for (JDIMENSION i = 0; i < count; i++)
            pointers[i] = rows + (y + i) * stride;
        JDIMENSION done = jpeg_read_scanlines(info, pointers, count);
        if (done == 0) stop_with_library_message((j_common_ptr)info);
        y += done;
    }
}

typedef struct {
    const CJPEGRegion *region;
    uint8_t *rows;
    size_t stride;
} Target;

static void decode(j_decompress_ptr info, void *context) {
    Target *target = context;
    info->scale_num = (unsigned)target->region->eighths;
    info->scale_denom = 8;
    info->dct_method = JDCT_ISLOW;
    if (info->progressive_mode && target->region->eighths == 1) {
        start_with_means(info);
    } else {
        jpeg_start_decompress(info);
        check_scans_are_complete(info);
    }
    read_rows(info, target->region, target->rows, target->stride);
}

int cjpeg_decode(const uint8_t *data, size_t size, const CJPEGRegion *region, uint8_t *rows, size_t stride,
                 char *message) {
    Target target = {region, rows, stride};
    return with_file(data, size, message, decode, &target);
}

// Where the encoder writes. libjpeg's own memory destination frees its buffer when it grows and stores the new one only
// at the end, so that after an error in between the memory to free is unknown. Here `bytes` is always the only buffer.
typedef struct {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t capacity;
} Destination;

enum { first_capacity = 1 << 16 };

static void grow(j_compress_ptr info, size_t capacity) {
    Destination *destination = (Destination *)info->dest;
    size_t count = destination->capacity;
    uint8_t *bytes = realloc(destination->bytes, capacity);
    if (bytes == NULL) stop((j_common_ptr)info, CJPEG_UNSUPPORTED, "the memory for the JPEG cannot be had");
    destination->bytes = bytes;
    destination->capacity = capacity;
    destination->base.next_output_byte = bytes + count;
    destination->base.free_in_buffer = capacity - count;
}

static void start_destination(j_compress_ptr info) { grow(info, first_capacity); }

// Called when the buffer is full, independent of free_in_buffer.
static boolean grow_destination(j_compress_ptr info) {
    grow(info, ((Destination *)info->dest)->capacity * 2);
    return TRUE;
}

static void end_destination(j_compress_ptr info) { (void)info; }

int cjpeg_encode(const uint8_t *rgb, int32_t width, int32_t height, size_t stride, int32_t quality, uint8_t **out,
                 size_t *outSize, char *message) {
    struct jpeg_compress_struct info;
    ErrorManager errors;
    Destination destination;
    *out = NULL;
    *outSize = 0;
    memset(&info, 0, sizeof info);
    memset(&destination, 0, sizeof destination);
    set_up_errors(&errors, message);
    info.err = &errors.base;
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&info);
        free(destination.bytes);
        return errors.code;
    }
    jpeg_create_compress(&info);
    if (width < 1 || height < 1 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION)
        stop((j_common_ptr)&info, CJPEG_UNSUPPORTED, "a JPEG has 1 to 65,500 rows and columns");
    destination.base.init_destination = start_destination;
    destination.base.empty_output_buffer = grow_destination;
    destination.base.term_destination = end_destination;
    info.dest = &destination.base;
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(rgb + info.next_scanline * stride);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *out = destination.bytes;
    *outSize = destination.capacity - destination.base.free_in_buffer;
    return CJPEG_OK;
}

void cjpeg_free(uint8_t *bytes) { free(bytes); }
