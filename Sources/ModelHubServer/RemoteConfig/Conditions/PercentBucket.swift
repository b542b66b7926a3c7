import Crypto

/// The bucket of an installation, from 0 to 99,999,999 millionths of a percent.
///
/// The bucket is the SHA-256 of seed, point and id (of the id alone if the seed is empty), as a big-endian number,
/// modulo 10⁸. This is the rule of Firebase's server SDKs, whose evaluators are public. Google's rule for clients is
/// not published; the hub uses the same rule for them.
enum PercentBucket {
    /// The number of buckets.
    static let count: UInt32 = 100_000_000

    /// The bucket of an id for a seed.
    static func place(of id: String, seed: String) -> UInt32 {
        var hash = SHA256()
        var text = seed
        if !seed.isEmpty { text += "." }
        text += id
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        // Long division, four bytes at a time.
        var (rest, word): (UInt64, UInt64) = (0, 0)
        for (index, byte) in hash.finalize().enumerated() {
            word = word << 8 | UInt64(byte)
            if index % 4 == 3 {
                rest = (rest << 32 | word) % UInt64(count)
                word = 0
            }
        }
        return UInt32(rest)
    }
}
