// SHA-256, as FIPS 180-4 defines it (https://doi.org/10.6028/NIST.FIPS.180-4).
//
// In C, since a debug build of the same loop in Swift takes many times as long.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CSHA256_BLOCK_SIZE = 64, CSHA256_DIGEST_SIZE = 32 };

/// A hash of the bytes so far.
typedef struct {
    uint32_t state[8];
    uint64_t byte_count;
    /// The bytes after the last whole block.
    uint8_t block[CSHA256_BLOCK_SIZE];
} CSHA256;

/// Returns the hash of no bytes.
CSHA256 csha256_empty(void);

/// Adds bytes at the end.
void csha256_update(CSHA256 *_Nonnull hash, const void *_Nullable bytes, size_t count);

/// Writes the digest of all bytes. The hash cannot be used afterwards.
void csha256_finish(CSHA256 *_Nonnull hash, uint8_t *_Nonnull digest);
