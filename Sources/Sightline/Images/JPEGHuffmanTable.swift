/// A Huffman table of a JPEG (ITU-T T.81, annexes C and F.2.2), laid out for stepping over coefficients.
struct JPEGHuffmanTable {
    /// How many bits the look-up tables see at once.
    static let lookAhead = 12

    /// For the next 12 bits: the length of the code, and its symbol. Length 0 means a longer code.
    private(set) var codes = [(length: UInt8, symbol: UInt8)](repeating: (0, 0), count: 1 << lookAhead)
    /// For the next 12 bits, in an AC table: how far the coefficients that begin there reach.
    private(set) var steps: [Step] = []

    /// What is stepped over at once: bits of the file, coefficients of the block, and whether the block ends there.
    struct Step {
        /// Bits, with the coefficients' own; 0 if the first code is longer than 12 bits.
        var bits: UInt8 = 0
        /// Coefficients.
        var coefficients: UInt8 = 0
        /// Whether the end of the block was among the symbols.
        var endsBlock = false
    }

    private var firstCode = [Int32](repeating: 0, count: 18)
    private var firstIndex = [Int](repeating: 0, count: 18)
    private var counts: [Int]
    private let symbols: [UInt8]

    /// A table by the number of codes of each length 1…16 and the symbols in the order of their codes.
    ///
    /// Nil if the counts overfill the code space.
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
                    for tail in 0..<1 << shift { codes[Int(code) << shift + tail] = (UInt8(length), symbols[index]) }
                }
                code += 1
                index += 1
            }
            code <<= 1
        }
        guard isAC else { return }
        // Baseline knows two symbols without a coefficient: end of block, and sixteen zeros.
        guard symbols.allSatisfy({ $0 & 15 != 0 || $0 == 0 || $0 == 0xF0 }) else { return nil }
        steps = (0..<1 << Self.lookAhead).map(step)
    }

    /// Follows codes through 12 bits as far as they are complete.
    private func step(_ window: Int) -> Step {
        var step = Step()
        var used = 0
        while used < Self.lookAhead {
            // Bits that are not known yet are zero here, so a code counts only if it ends within the known ones.
            let (length, symbol) = codes[(window << used) & (1 << Self.lookAhead - 1)]
            guard length > 0, used + Int(length) <= Self.lookAhead else { break }
            used += Int(length) + Int(symbol & 15)
            step.bits = UInt8(used)
            if symbol == 0 {
                step.endsBlock = true
                break
            }
            step.coefficients += symbol >> 4 + 1
        }
        return step
    }

    /// The symbol and length of a code of any length at the top of 16 bits; nil if there is none.
    func slowCode(_ bits: UInt32) -> (length: Int, symbol: UInt8)? {
        for length in 1...16 {
            let offset = Int32(bits >> UInt32(16 - length)) - firstCode[length]
            if offset >= 0, Int(offset) < counts[length - 1] {
                return (length, symbols[firstIndex[length] + Int(offset)])
            }
        }
        return nil
    }
}
