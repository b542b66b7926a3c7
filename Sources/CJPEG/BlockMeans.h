// The means of a JPEG's blocks, which are its picture at scale 1/8.
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "CJPEG.h"

// Decodes a region at scale 1/8 from nothing but the means of the blocks. `info` has read its header.
//
// Returns 0, with rows in any state, when the picture is of another kind than baseline grey or YCbCr in one scan, or when
// anything is wrong with its data: libjpeg then decodes it or says what is wrong.
int cjpeg_decode_means(j_decompress_ptr info, const CJPEGRegion *region, uint8_t *rows, size_t stride);
