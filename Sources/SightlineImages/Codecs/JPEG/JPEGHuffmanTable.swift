/// A Huffman table of a JPEG (ITU-T T.81, annexes C and F.2.2), laid out for stepping over coefficients.
struct JPEGHuffmanTable: Equatable {
    /// The number of bits that index the look-up tables.
    static let lookAhead = 12
    /// The number of entries of each look-up table.
    static let entryCount = 1 << lookAhead
    /// The length of the longest code.
    static let longestCode = 16
    /// The largest size of a DC difference, in bits (T.81, table F.1).
    static let largestDifference = 11

    /// For the next 12 bits: the length of the code in bits 8 and up, its symbol below. 0 means a longer code.
    private(set) var codes = [UInt16](repeating: 0, count: entryCount)
    /// The same for the next 16 bits from `firstLongCode` to the largest: codes of more than 12 bits, which come behind all
    /// others.
    private(set) var longCodes: [UInt16] = []
    private(set) var firstLongCode = 1 << longestCode
    /// For the next 12 bits: a ``Step``.
    private(set) var steps: [UInt16] = []

    /// The codes that the decoder steps over at once: a DC difference, or several AC coefficients.
    struct Step {
        /// Bits, with the values' own, in bits 0…5; coefficients in bits 6…12, with the end of the block as one more; bit 13
        /// for the end of the block, or of its DC coefficient.
        let packed: UInt16

        @inline(__always) init(packed: UInt16) {
            self.packed = packed
        }

        init(bits: Int, coefficients: Int, isLast: Bool) {
            packed = UInt16(truncatingIfNeeded: bits | coefficients << 6 | (isLast ? 1 << 13 : 0))
        }

        /// No bits means that the first code is longer than an index, or that there is none.
        @inline(__always) var bits: Int { Int(packed & 63) }
        @inline(__always) var coefficients: Int { Int(packed &>> 6 & 127) }
        /// 1 if the block, or its DC coefficient, ends with this step, else 0.
        @inline(__always) var isLast: Int { Int(packed &>> 13) }
    }

    /// Creates a table from the number of codes of each length 1…16 and the symbols in the order of their codes.
    ///
    /// Nil if the counts overfill the code space or if baseline JPEG does not have a symbol.
    init?(counts: [Int], symbols: [UInt8], isAC: Bool) {
        var code = 0
        var index = 0
        for length in 1...Self.longestCode {
            for _ in 0..<counts[length - 1] {
                guard code < 1 << length else { return nil }
                let entry = UInt16(length) << 8 | UInt16(symbols[index])
                if length <= Self.lookAhead {
                    let shift = Self.lookAhead - length
                    for tail in 0..<1 << shift { codes[code << shift + tail] = entry }
                } else {
                    let shift = Self.longestCode - length
                    if longCodes.isEmpty { firstLongCode = code << shift }
                    longCodes += repeatElement(entry, count: 1 << shift)
                }
                code += 1
                index += 1
            }
            code <<= 1
        }
        longCodes += repeatElement(0, count: 1 << Self.longestCode - firstLongCode - longCodes.count)
        if isAC {
            // Two symbols have no coefficient: end of block, and sixteen zeros.
            guard symbols.allSatisfy({ $0 & 15 != 0 || $0 == 0 || $0 == 0xF0 }) else { return nil }
            steps = (0..<Self.entryCount).map(step)
        } else {
            steps = codes.map { entry in
                let (length, size) = (Int(entry >> 8), Int(entry & 255))
                guard length > 0, size <= Self.largestDifference else { return 0 }
                return Step(bits: length + size, coefficients: 0, isLast: true).packed
            }
        }
    }

    /// Follows codes through 12 bits as far as they are complete.
    private func step(_ window: Int) -> UInt16 {
        var step: UInt16 = 0
        var (used, coefficients) = (0, 0)
        while used < Self.lookAhead {
            // Bits that are not known yet are zero here, so a code counts only if it ends within the known ones.
            let entry = codes[(window << used) & (Self.entryCount - 1)]
            let (length, symbol) = (Int(entry >> 8), Int(entry & 255))
            guard length > 0, used + length <= Self.lookAhead else { break }
            used += length + symbol & 15
            coefficients += symbol == 0 ? 1 : symbol >> 4 + 1
            guard coefficients <= 64 else { break }
            step = Step(bits: used, coefficients: coefficients, isLast: symbol == 0).packed
            if symbol == 0 { break }
        }
        return step
    }
}
