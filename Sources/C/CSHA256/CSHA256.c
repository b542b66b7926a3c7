#include "CSHA256.h"

#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, //
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, //
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, //
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, //
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, //
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, //
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, //
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2, //
};

static inline uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

/// Section 6.2.2: one block changes the state.
static void add_block(uint32_t *state, const uint8_t *block) {
    uint32_t words[64];
    for (int i = 0; i < 16; i++) {
        const uint8_t *bytes = block + 4 * i;
        words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t early = words[i - 15], late = words[i - 2];
        uint32_t sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3;
        uint32_t sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10;
        words[i] = words[i - 16] + sigma0 + words[i - 7] + sigma1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t first = h + sum1 + choice + round_constants[i] + words[i];
        uint32_t sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + sum0 + majority;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

CSHA256 csha256_empty(void) {
    // The first 32 bits of the fractional parts of the square roots of the first 8 primes (5.3.3).
    CSHA256 hash = {
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
    };
    return hash;
}

void csha256_update(CSHA256 *hash, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    size_t held = hash->byte_count % CSHA256_BLOCK_SIZE;
    hash->byte_count += count;
    if (held > 0) {
        size_t part = CSHA256_BLOCK_SIZE - held < count ? CSHA256_BLOCK_SIZE - held : count;
        memcpy(hash->block + held, next, part);
        if (held + part < CSHA256_BLOCK_SIZE) return;
        add_block(hash->state, hash->block);
        next += part;
        count -= part;
    }
    for (; count >= CSHA256_BLOCK_SIZE; count -= CSHA256_BLOCK_SIZE, next += CSHA256_BLOCK_SIZE)
        add_block(hash->state, next);
    if (count > 0) memcpy(hash->block, next, count);
}

void csha256_finish(CSHA256 *hash, uint8_t *digest) {
    // Section 5.1.1: a 1 bit, zeros, and the number of bits in the last 8 bytes of a block.
    uint64_t bit_count = hash->byte_count * 8;
    size_t held = hash->byte_count % CSHA256_BLOCK_SIZE;
    hash->block[held++] = 0x80;
    if (held > CSHA256_BLOCK_SIZE - 8) {
        memset(hash->block + held, 0, CSHA256_BLOCK_SIZE - held);
        add_block(hash->state, hash->block);
        held = 0;
    }
    memset(hash->block + held, 0, CSHA256_BLOCK_SIZE - 8 - held);
    for (int i = 0; i < 8; i++)
        hash->block[CSHA256_BLOCK_SIZE - 8 + i] = (uint8_t)(bit_count >> (56 - 8 * i));
    add_block(hash->state, hash->block);
    for (int i = 0; i < CSHA256_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
