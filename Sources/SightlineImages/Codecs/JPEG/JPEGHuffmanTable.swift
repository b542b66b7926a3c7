/// A Huffman table of a JPEG (ITU-T T.81, annexes C and F.2.2), laid out for stepping over coefficients.
struct JPEGHuffmanTable {
    /// The number of bits that index the look-up tables.
    static let lookAhead = 12
    /// The number of entries of each look-up table.
    static let entryCount = 1 << lookAhead

    /// For the next 12 bits: the length of the code in bits 8 and up, its symbol below. 0 means a longer code.
    private(set) var codes = [UInt16](repeating: 0, count: entryCount)
    /// For the next 12 bits, in an AC table: a ``Step``.
    private(set) var steps: [UInt16] = []

    /// The coefficients that the decoder steps over at once.
    struct Step {
        /// Bits, with the coefficients' own, in bits 0…5; coefficients in bits 6…12; bit 13 for the end of the block.
        let packed: UInt16

        @inline(__always) init(packed: UInt16) {
            self.packed = packed
        }

        init(bits: Int, coefficients: Int, endsBlock: Bool) {
            packed = UInt16(truncatingIfNeeded: bits | coefficients << 6 | (endsBlock ? 1 << 13 : 0))
        }

        /// No bits means that the first code is longer than an index.
        @inline(__always) var bits: Int { Int(packed & 63) }
        @inline(__always) var coefficients: Int { Int(packed &>> 6 & 127) }
        @inline(__always) var endsBlock: Bool { packed &>> 13 != 0 }
    }

    /// For codes of any length: the beginning of each length among codes and among symbols.
    private var firstCode = [Int32](repeating: 0, count: 17)
    private var firstIndex = [Int](repeating: 0, count: 17)
    private let counts: [Int]
    private let symbols: [UInt8]

    /// Creates a table from the number of codes of each length 1…16 and the symbols in the order of their codes.
    ///
    /// Nil if the counts overfill the code space or if baseline JPEG does not have a symbol.
    init?(counts: [Int], symbols: [UInt8], isAC: Bool) {
        self.counts = counts
        self.symbols = symbols
        var code: Int32 = 0
        var index = 0
        for length in 1...16 {
            firstCode[length] = code
            firstIndex[length] = index
            for _ in 0..<counts[length - 1] {
                guard code < 1 << length else { return nil }
                if length <= Self.lookAhead {
                    let shift = Self.lookAhead - length
                    for tail in 0..<1 << shift {
                        codes[Int(code) << shift + tail] = UInt16(length) << 8 | UInt16(symbols[index])
                    }
                }
                code += 1
                index += 1
            }
            code <<= 1
        }
        guard isAC else { return }
        // Two symbols have no coefficient: end of block, and sixteen zeros.
        guard symbols.allSatisfy({ $0 & 15 != 0 || $0 == 0 || $0 == 0xF0 }) else { return nil }
        steps = (0..<Self.entryCount).map(step)
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
            if symbol == 0 { return Step(bits: used, coefficients: coefficients, endsBlock: true).packed }
            coefficients += symbol >> 4 + 1
            guard coefficients <= 64 else { break }
            step = Step(bits: used, coefficients: coefficients, endsBlock: false).packed
        }
        return step
    }

    /// The length and symbol of a code of any length at the top of 16 bits, as in `codes`; 0 if there is none.
    func slowCode(_ bits: UInt16) -> UInt16 {
        for length in 1...16 {
            let offset = Int(Int32(bits >> UInt16(16 - length)) - firstCode[length])
            if offset >= 0, offset < counts[length - 1] {
                return UInt16(length) << 8 | UInt16(symbols[firstIndex[length] + offset])
            }
        }
        return 0
    }
}
