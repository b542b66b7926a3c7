/// Decompresses Lempel–Ziv–Welch codes, as GIF (GIF89a, appendix F) and TIFF (TIFF 6.0, section 13) use them.
///
/// The work is bounded by the size of the output: each code writes at least one byte or ends the decoding, except for codes that
/// clear the table, of which there are at most as many as the input has.
struct LZWDecoder {
    /// The differences between the two formats.
    enum Variant: Equatable {
        /// The low bits of a byte come first. `rootBits` is the number of bits of an uncompressed value, 1 to 8.
        case gif(rootBits: Int)
        /// The high bits of a byte come first, values have 8 bits, and codes grow one code early.
        case tiff
    }

    private static let maximumBits = 12
    private let variant: Variant

    init(_ variant: Variant) {
        self.variant = variant
    }

    /// Decompresses until the output is full, the end code comes, or the input ends.
    ///
    /// - Returns: The number of bytes that were written; nil if a code is impossible.
    func decode(_ input: [UInt8], into output: inout [UInt8]) -> Int? {
        let rootBits = if case .gif(let bits) = variant { bits } else { 8 }
        guard (1...8).contains(rootBits) else { return nil }
        let (clear, end, limit) = (1 << rootBits, 1 << rootBits + 1, 1 << Self.maximumBits)
        let early = variant == .tiff ? 1 : 0
        // Entry k of the table is the entry `prefixes[k]` and the byte `lasts[k]` after it.
        var prefixes = [UInt16](repeating: 0, count: limit)
        var lasts = [UInt8](repeating: 0, count: limit)
        var firsts = [UInt8](repeating: 0, count: limit)
        var lengths = [Int32](repeating: 0, count: limit)
        for root in 0..<clear {
            lasts[root] = UInt8(truncatingIfNeeded: root)
            firsts[root] = lasts[root]
            lengths[root] = 1
        }
        var bits = BitReader(input, isHighFirst: variant == .tiff)
        var (width, next, previous, count) = (rootBits + 1, end + 1, -1, 0)
        while count < output.count, let code = bits.next(width) {
            if code == clear {
                (width, next, previous) = (rootBits + 1, end + 1, -1)
                continue
            }
            if code == end { break }
            if previous < 0 {
                guard code < clear else { return nil }
            } else {
                guard code < next || (code == next && next < limit) else { return nil }
                if next < limit {
                    prefixes[next] = UInt16(truncatingIfNeeded: previous)
                    lasts[next] = firsts[code < next ? code : previous]
                    firsts[next] = firsts[previous]
                    lengths[next] = lengths[previous] + 1
                    next += 1
                    if next + early == 1 << width, width < Self.maximumBits { width += 1 }
                }
            }
            previous = code
            // The entry's bytes come last one first.
            let length = Int(lengths[code])
            var (entry, place) = (code, count + length - 1)
            while place >= count {
                if place < output.count { output[place] = lasts[entry] }
                entry = Int(prefixes[entry])
                place -= 1
            }
            count = min(count + length, output.count)
        }
        return count
    }

    /// Reads codes of up to 12 bits.
    private struct BitReader {
        private let bytes: [UInt8]
        private let isHighFirst: Bool
        private var position = 0
        private var window: UInt32 = 0
        private var available = 0

        init(_ bytes: [UInt8], isHighFirst: Bool) {
            self.bytes = bytes
            self.isHighFirst = isHighFirst
        }

        /// The next code; nil if fewer bits are left.
        mutating func next(_ width: Int) -> Int? {
            while available < width {
                guard position < bytes.count else { return nil }
                let byte = UInt32(bytes[position])
                window = isHighFirst ? window << 8 | byte : window | byte << UInt32(available)
                position += 1
                available += 8
            }
            available -= width
            let mask: UInt32 = 1 << UInt32(width) - 1
            if isHighFirst { return Int(window >> UInt32(available) & mask) }
            defer { window >>= UInt32(width) }
            return Int(window & mask)
        }
    }
}
