/// Computes the samples of blocks from their lowest frequencies and stores them in the planes of their components.
///
/// Unsafe code, since it runs for every block. It is sound: there is a prediction for each component, and a step for each
/// coefficient; `write` is called for the blocks of the picture and no others, so that the counters stay below the planes' rows and
/// columns; and a block's bits lie in the data, behind which ``JPEGEntropyData/padding`` bytes can be read.
struct JPEGBlockWriter {
    /// One block of an MCU.
    struct Block {
        /// The codes of its DC differences.
        let dc: JPEGBlockWalk.Codes
        /// The codes of its other coefficients.
        let ac: JPEGBlockWalk.Codes
        let component: Int
        /// The quantization steps of the first ``JPEGBlockWriter/coefficientCount`` coefficients.
        let steps: UnsafePointer<Int32>
        /// The place of the first such block among all samples.
        let origin: Int
        /// The samples from an MCU to the next one, and from a row of MCUs to the next one.
        let columnStride: Int
        let rowStride: Int
        /// The samples of a row of the plane.
        let width: Int
    }

    /// The coefficients up to the last one of those that 2 × 2 samples need.
    static let coefficientCount = 5

    let walk: JPEGBlockWalk
    let blocks: UnsafeBufferPointer<Block>
    let samples: UnsafeMutableBufferPointer<UInt8>
    /// The samples of a block's row and column: 1 or 2.
    private let side: Int
    /// The number of MCUs in a row.
    private let columns: Int
    /// The number of bits by which DC coefficients are shifted right.
    private let shift: Int32
    /// The last DC coefficient of each component.
    private let predictions: UnsafeMutableBufferPointer<Int32>
    private var (number, column, row) = (0, 0, 0)

    init(
        _ walk: JPEGBlockWalk,
        _ blocks: UnsafeBufferPointer<Block>,
        side: Int,
        columns: Int,
        shift: Int,
        samples: UnsafeMutableBufferPointer<UInt8>,
        predictions: UnsafeMutableBufferPointer<Int32>
    ) {
        (self.walk, self.blocks, self.side, self.columns) = (walk, blocks, side, columns)
        (self.samples, self.predictions) = (samples, predictions)
        self.shift = Int32(truncatingIfNeeded: shift)
    }

    /// Begins a restart interval.
    func restart() { predictions.update(repeating: 0) }

    /// Stores the means of the next blocks, which have no other coefficients and follow one another.
    ///
    /// - Returns: The bit behind the last block; nil if a block is damaged or ends behind `limit`.
    mutating func writeBlocks(from first: Int, to limit: Int, count: Int) -> Int? {
        var writer = self
        defer { self = writer }
        var bit = first
        for _ in 0..<count {
            guard bit < limit, let length = writer.writeBlock(at: bit) else { return nil }
            bit &+= length
        }
        return bit > limit ? nil : bit
    }

    /// Stores the samples of the next blocks; false if one of them is damaged.
    mutating func write(_ starts: UnsafeBufferPointer<JPEGBlockWalk.BlockStart>) -> Bool {
        var writer = self
        defer { self = writer }
        guard side == 1 else { return writer.writeFrequencies(starts) }
        for start in starts {
            guard start.block == writer.number, writer.writeBlock(at: start.bit) != nil else { return false }
        }
        return true
    }

    /// Stores the mean of the next block and returns the number of bits of its DC coefficient; nil for an impossible code.
    @inline(__always) private mutating func writeBlock(at bit: Int) -> Int? {
        guard let block = nextBlock(at: bit) else { return nil }
        let coefficient = block.dc &<< shift
        let mean = (coefficient &* blocks[block.number].steps[0] &+ 4) &>> 3 &+ 128
        samples[block.place] = Self.sample(mean)
        return block.bits
    }

    /// A block whose DC coefficient has been read.
    struct Begun {
        /// Its number in its MCU.
        let number: Int
        /// The place of its first sample.
        let place: Int
        let dc: Int32
        /// The bits of its DC coefficient.
        let bits: Int
    }

    /// Reads the DC coefficient of the next block; nil for an impossible code.
    @inline(__always) mutating func nextBlock(at bit: Int) -> Begun? {
        let block = blocks[number]
        let window = walk.window(at: bit)
        let entry = block.dc.next(window)
        let (length, size) = (entry &>> 8, entry & 255)
        guard length > 0, size <= JPEGHuffmanTable.largestDifference else { return nil }
        predictions[block.component] &+= Self.value(window, length, size)
        let place = block.origin &+ row &* block.rowStride &+ column &* block.columnStride
        let begun = Begun(number: number, place: place, dc: predictions[block.component], bits: length &+ size)
        advance()
        return begun
    }

    /// The number in its MCU of the block that is read next.
    var nextNumber: Int { number }

    @inline(__always) static func sample(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max(value, 0), 255))
    }

    /// The signed value in the bits behind a code (T.81, F.2.2.1).
    @inline(__always) static func value(_ window: UInt64, _ length: Int, _ size: Int) -> Int32 {
        let bits = (window &<< UInt64(truncatingIfNeeded: length)) &>> 1
        let value = Int32(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 63 &- size))
        let all: Int32 = (1 &<< Int32(truncatingIfNeeded: size)) &- 1
        // All ones for the lower half of the values, which are negative: a condition would be guessed wrong half of the time.
        let mask = (value &- (all &>> 1) &- 1) &>> 31
        return value &- (all & mask)
    }

    @inline(__always) private mutating func advance() {
        number &+= 1
        guard number == blocks.count else { return }
        (number, column) = (0, column &+ 1)
        guard column == columns else { return }
        (column, row) = (0, row &+ 1)
    }
}
