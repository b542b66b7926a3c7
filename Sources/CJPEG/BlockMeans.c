// At scale 1/8 a pixel is the mean of a block: its first coefficient. The other 63 have to be passed over, but neither
// kept nor transformed, and passing over several of them at a time takes half of libjpeg's time.
//
// Codes and their order: ITU-T T.81, annexes C and F.
#include "BlockMeans.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Bits by which a code is looked up. Longer codes are rare.
    window = 11,
    windowSize = 1 << window,
    // In `advance`: the block ends here.
    endOfBlock = 0x80,
};

// What a window's first bits mean. `bits` is 0 when the code is longer than the window.
typedef struct {
    // How many bits to pass over: the code and, for coefficients, the value behind it.
    uint8_t bits;
    // By how many coefficients the position moves, or the category of a difference of means.
    uint8_t advance;
} Step;

typedef struct {
    Step one[windowSize];
    // As many coefficients at once as the window holds.
    Step many[windowSize];
    // The bits of the code alone, without the value.
    uint8_t codeBits[windowSize];
    // For codes by length: the first code, the number of codes and the index of the first one's symbol.
    int32_t first[17];
    int32_t count[17];
    int32_t index[17];
    const JHUFF_TBL *symbols;
} Table;

typedef struct {
    const uint8_t *next;
    const uint8_t *end;
    // The next bits, the first one on top.
    uint64_t bits;
    // How many there are, and how many of them are zeros behind the end.
    int count;
    int padding;
} BitReader;

typedef struct {
    Table *means;
    Table *others;
    int horizontal;
    int vertical;
    int quantizer;
    int mean;
    // `vertical` rows of `width` means.
    uint8_t *row;
    size_t width;
} Component;

static Step stepOf(int codeBits, int symbol, int isMeans) {
    int size = symbol & 15;
    Step step = {(uint8_t)codeBits, (uint8_t)symbol};
    if (!isMeans) {
        step.bits = (uint8_t)(codeBits + size);
        step.advance = (uint8_t)(size != 0 ? (symbol >> 4) + 1 : symbol >> 4 == 15 ? 16 : endOfBlock);
    }
    return step;
}

static int makeTable(Table *table, const JHUFF_TBL *source, int isMeans) {
    if (source == NULL) {
        return 0;
    }
    memset(table, 0, sizeof *table);
    table->symbols = source;
    int32_t code = 0;
    int32_t index = 0;
    for (int length = 1; length <= 16; length++, code <<= 1) {
        int32_t count = source->bits[length];
        if (code + count > 1 << length || index + count > 256) {
            return 0;
        }
        table->first[length] = code;
        table->count[length] = count;
        table->index[length] = index;
        for (int32_t i = 0; i < count; i++, code++, index++) {
            int symbol = source->huffval[index];
            if (isMeans && symbol > 11) {
                return 0;
            }
            if (length > window) {
                continue;
            }
            int32_t start = code << (window - length);
            for (int32_t entry = start; entry < start + (1 << (window - length)); entry++) {
                table->one[entry] = stepOf(length, symbol, isMeans);
                table->codeBits[entry] = (uint8_t)length;
            }
        }
    }
    for (int32_t entry = 0; !isMeans && entry < windowSize; entry++) {
        Step sum = {0, 0};
        while (sum.bits < window) {
            // The bits behind the window are not known: what is shifted in must not matter.
            int32_t rest = (entry << sum.bits) & (windowSize - 1);
            Step step = table->one[rest];
            if (step.bits == 0 || table->codeBits[rest] > window - sum.bits || sum.advance + (step.advance & 0x7F) > 63) {
                break;
            }
            sum.bits = (uint8_t)(sum.bits + step.bits);
            sum.advance = (uint8_t)(sum.advance + step.advance);
            if (step.advance & endOfBlock) {
                break;
            }
        }
        table->many[entry] = sum;
    }
    return 1;
}

// Sees to it that there are at least 56 bits, zeros behind the end or before a marker.
static inline void refill(BitReader *reader) {
    while (reader->count < 56) {
        if (reader->end - reader->next >= 8) {
            uint64_t bytes;
            memcpy(&bytes, reader->next, 8);
            // Whether one of the eight bytes is 0xFF: the complement then has a zero byte.
            uint64_t inverse = ~bytes;
            if (((inverse - 0x0101010101010101u) & bytes & 0x8080808080808080u) == 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                bytes = __builtin_bswap64(bytes);
#endif
                int taken = (64 - reader->count) & ~7;
                reader->bits |= bytes >> (64 - taken) << (64 - taken - reader->count);
                reader->count += taken;
                reader->next += taken / 8;
                return;
            }
        }
        uint64_t byte = 0;
        if (reader->next < reader->end && *reader->next != 0xFF) {
            byte = *reader->next++;
        } else if (reader->end - reader->next >= 2 && reader->next[1] == 0) {
            byte = 0xFF;
            reader->next += 2;
        } else {
            reader->padding += 8;
        }
        reader->bits |= byte << (56 - reader->count);
        reader->count += 8;
    }
}

static inline int peek(const BitReader *reader) { return (int)(reader->bits >> (64 - window)); }

static inline void pass(BitReader *reader, int bits) {
    reader->bits <<= bits;
    reader->count -= bits;
}

// A code longer than the window; `bits` of the result is 0 when there is none.
static Step longStep(const BitReader *reader, const Table *table, int isMeans) {
    for (int length = window + 1; length <= 16; length++) {
        int32_t code = (int32_t)(reader->bits >> (64 - length));
        int32_t offset = code - table->first[length];
        if (offset >= 0 && offset < table->count[length]) {
            return stepOf(length, table->symbols->huffval[table->index[length] + offset], isMeans);
        }
    }
    return (Step){0, 0};
}

// Reads the mean of a block into `component` and passes over the rest. A call of `refill` makes 56 bits; a mean takes 27
// at most, a coefficient 31.
static inline int readBlock(BitReader *reader, Component *component) {
    refill(reader);
    Step step = component->means->one[peek(reader)];
    if (step.bits == 0) {
        step = longStep(reader, component->means, 1);
        if (step.bits == 0) {
            return 0;
        }
    }
    pass(reader, step.bits);
    if (step.advance != 0) {
        int size = step.advance;
        int value = (int)(reader->bits >> (64 - size));
        pass(reader, size);
        component->mean += value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
        if (component->mean < -32768 || component->mean > 32767) {
            return 0;
        }
    }
    for (int position = 1; position < 64;) {
        if (reader->count < 32) {
            refill(reader);
        }
        step = component->others->many[peek(reader)];
        // What follows a full block belongs to the next one.
        if (step.bits == 0 || position + (step.advance & 0x7F) > 63) {
            step = component->others->one[peek(reader)];
            if (step.bits == 0) {
                step = longStep(reader, component->others, 0);
                if (step.bits == 0) {
                    return 0;
                }
            }
        }
        pass(reader, step.bits);
        if (step.advance & endOfBlock) {
            break;
        }
        position += step.advance;
        if (position > 64) {
            return 0;
        }
    }
    return reader->count >= reader->padding;
}

// A marker stands where the bits end, after fewer than eight that fill the last byte.
static int restart(BitReader *reader, int number) {
    refill(reader);
    if (reader->count - reader->padding >= 8 || reader->end - reader->next < 2 || reader->next[0] != 0xFF ||
        reader->next[1] != 0xD0 + (number & 7)) {
        return 0;
    }
    reader->next += 2;
    reader->bits = 0;
    reader->count = 0;
    reader->padding = 0;
    return 1;
}

static inline uint8_t level(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

// Y, Cb and Cr to RGB as JFIF defines it, in 1/65536. A difference is that of the block which holds the pixel.
static void writeColours(const Component *components, int y, const CJPEGRegion *region, uint8_t *out) {
    const Component *luma = &components[0];
    const Component *blue = &components[1];
    const Component *red = &components[2];
    const uint8_t *lumaRow = luma->row + (size_t)y * luma->width;
    const uint8_t *blueRow = blue->row + (size_t)(y * blue->vertical / luma->vertical) * blue->width;
    const uint8_t *redRow = red->row + (size_t)(y * red->vertical / luma->vertical) * red->width;
    for (int32_t x = region->left; x < region->left + region->width; x++, out += 3) {
        int value = lumaRow[x] * 65536 + 32768;
        int b = blueRow[x * blue->horizontal / luma->horizontal] - 128;
        int r = redRow[x * red->horizontal / luma->horizontal] - 128;
        out[0] = level((value + 91881 * r) >> 16);
        out[1] = level((value - 22554 * b - 46802 * r) >> 16);
        out[2] = level((value + 116130 * b) >> 16);
    }
}

static int isSuitable(j_decompress_ptr info) {
    if (info->progressive_mode || info->arith_code || info->data_precision != 8 ||
        info->comps_in_scan != info->num_components) {
        return 0;
    }
    if (info->num_components == 1) {
        return info->jpeg_color_space == JCS_GRAYSCALE;
    }
    if (info->num_components != 3 || info->jpeg_color_space != JCS_YCbCr) {
        return 0;
    }
    // Luma is the finest, and the others' blocks cover whole numbers of its blocks.
    const jpeg_component_info *luma = &info->comp_info[0];
    for (int i = 0; i < 3; i++) {
        const jpeg_component_info *each = &info->comp_info[i];
        if (info->cur_comp_info[i] != each || luma->h_samp_factor % each->h_samp_factor != 0 ||
            luma->v_samp_factor % each->v_samp_factor != 0) {
            return 0;
        }
    }
    return 1;
}

static int decodeRows(j_decompress_ptr info, Component *components, const CJPEGRegion *region, uint8_t *rows,
                      size_t stride) {
    BitReader reader = {info->src->next_input_byte, info->src->next_input_byte + info->src->bytes_in_buffer, 0, 0, 0};
    const int unitRows = components[0].vertical;
    const int units = (int)(components[0].width / (size_t)components[0].horizontal);
    unsigned untilRestart = info->restart_interval;
    int restarts = 0;
    for (int32_t top = 0; top < region->top + region->height; top += unitRows) {
        for (int unit = 0; unit < units; unit++) {
            if (info->restart_interval != 0 && untilRestart-- == 0) {
                if (!restart(&reader, restarts++)) {
                    return 0;
                }
                untilRestart = info->restart_interval - 1;
                for (int i = 0; i < info->num_components; i++) {
                    components[i].mean = 0;
                }
            }
            for (int i = 0; i < info->num_components; i++) {
                Component *component = &components[i];
                for (int y = 0; y < component->vertical; y++) {
                    uint8_t *out = component->row + (size_t)y * component->width + (size_t)unit * component->horizontal;
                    for (int x = 0; x < component->horizontal; x++) {
                        if (!readBlock(&reader, component)) {
                            return 0;
                        }
                        // Half-way cases go up, as in libjpeg.
                        out[x] = level(((component->mean * component->quantizer + 4) >> 3) + 128);
                    }
                }
            }
        }
        for (int y = 0; y < unitRows; y++) {
            int32_t row = top + y - region->top;
            if (row < 0 || row >= region->height) {
                continue;
            }
            uint8_t *out = rows + (size_t)row * stride;
            if (info->num_components == 1) {
                memcpy(out, components[0].row + region->left, (size_t)region->width);
            } else {
                writeColours(components, y, region, out);
            }
        }
    }
    return 1;
}

int cjpeg_decode_means(j_decompress_ptr info, const CJPEGRegion *region, uint8_t *rows, size_t stride) {
    const int32_t width = (int32_t)((info->image_width + 7) / 8);
    const int32_t height = (int32_t)((info->image_height + 7) / 8);
    if (!isSuitable(info) || region->left < 0 || region->top < 0 || region->width < 1 || region->height < 1 ||
        region->left > width - region->width || region->top > height - region->height) {
        return 0;
    }
    Component components[3];
    memset(components, 0, sizeof components);
    Table *tables = malloc(sizeof(Table) * 2 * (size_t)info->num_components);
    int isDone = tables != NULL;
    for (int i = 0; i < info->num_components && isDone; i++) {
        const jpeg_component_info *source = &info->comp_info[i];
        Component *component = &components[i];
        // One component alone comes block by block, whatever its sampling.
        int isAlone = info->num_components == 1;
        component->horizontal = isAlone ? 1 : source->h_samp_factor;
        component->vertical = isAlone ? 1 : source->v_samp_factor;
        int finest = isAlone ? 1 : info->comp_info[0].h_samp_factor;
        component->width = ((size_t)width + (size_t)finest - 1) / (size_t)finest * (size_t)component->horizontal;
        const JQUANT_TBL *quantizers = info->quant_tbl_ptrs[source->quant_tbl_no & 3];
        component->quantizer = quantizers == NULL ? 0 : quantizers->quantval[0];
        component->means = &tables[2 * i];
        component->others = &tables[2 * i + 1];
        component->row = malloc(component->width * (size_t)component->vertical);
        isDone = component->row != NULL && component->quantizer != 0 &&
                 makeTable(component->means, info->dc_huff_tbl_ptrs[source->dc_tbl_no & 3], 1) &&
                 makeTable(component->others, info->ac_huff_tbl_ptrs[source->ac_tbl_no & 3], 0);
    }
    isDone = isDone && decodeRows(info, components, region, rows, stride);
    for (int i = 0; i < 3; i++) {
        free(components[i].row);
    }
    free(tables);
    return isDone;
}
