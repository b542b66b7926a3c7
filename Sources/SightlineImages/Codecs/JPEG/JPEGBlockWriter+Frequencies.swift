/// Reading the four lowest frequencies of blocks whose beginnings are known.
///
/// The codes of a block follow from each other, but blocks do not, so four blocks are read in turns. A step has no branch that
/// depends on the codes: a block that is done continues, and its further values fall into a place that is not used.
///
/// Unsafe code, since it runs for every coefficient. It is sound: a block begins in the data, and its DC coefficient and four steps have
/// at most 151 bits, fewer than ``JPEGEntropyData/padding``; a value's place is limited to the room of its block.
extension JPEGBlockWriter {
    /// The places for the coefficients of a block, and a place for values that are not used.
    private static let room = coefficientCount + 1
    /// The last coefficient that is needed.
    private static let last = coefficientCount - 1

    /// A block whose coefficients are read.
    private struct Lane {
        let begun: Begun
        let start: Int
        let ac: JPEGBlockWalk.Codes
        let values: UnsafeMutablePointer<Int32>
        /// The next bit.
        var bit: Int
        /// The last coefficient that was read; beyond 63 after the end of the block.
        var coefficient = 0
        /// Negative if a code was longer than an index of the table.
        var hasLongCode = 0

        init(_ begun: Begun, at start: Int, _ ac: JPEGBlockWalk.Codes, _ values: UnsafeMutablePointer<Int32>) {
            (self.begun, self.start, self.ac, self.values) = (begun, start, ac, values)
            bit = start &+ begun.bits
            values.update(repeating: 0, count: JPEGBlockWriter.room)
            values[0] = begun.dc
        }

        @inline(__always) mutating func step(_ walk: JPEGBlockWalk) {
            let window = walk.window(at: bit)
            let entry = Int(ac.short[Int(truncatingIfNeeded: window &>> UInt64(64 - JPEGHuffmanTable.lookAhead))])
            let (length, symbol) = (entry &>> 8, entry & 255)
            let size = symbol & 15
            // Both are negative for a code that is not in the table, before the last coefficient that is needed.
            hasLongCode |= (entry &- 1) & (coefficient &- JPEGBlockWriter.last)
            let isEnd = (symbol &- 1) &>> 8
            coefficient &+= symbol &>> 4 &+ 1 &+ isEnd & 64
            values[min(coefficient, JPEGBlockWriter.room - 1)] = JPEGBlockWriter.value(window, length, size)
            bit &+= length &+ size
        }

        /// Reads all coefficients again, with codes of any length; false for an impossible code.
        mutating func readAlone(_ walk: JPEGBlockWalk) -> Bool {
            self = Lane(begun, at: start, ac, values)
            while coefficient < JPEGBlockWriter.last {
                let window = walk.window(at: bit)
                let entry = ac.next(window)
                let (length, symbol) = (entry &>> 8, entry & 255)
                guard length > 0 else { return false }
                guard symbol > 0 else { break }
                coefficient += symbol >> 4 + 1
                values[min(coefficient, JPEGBlockWriter.room - 1)] = JPEGBlockWriter.value(window, length, symbol & 15)
                bit += length + symbol & 15
            }
            return true
        }
    }

    /// Reads the first coefficients of the next blocks and stores their samples, two by two; false for damage.
    @inline(__always) mutating func writeFrequencies(
        _ starts: UnsafeBufferPointer<JPEGBlockWalk.BlockStart>
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4 * Self.room) { memory in
            guard let values = memory.baseAddress else { return false }
            values.initialize(repeating: 0, count: 4 * Self.room)
            var index = 0
            while index &+ 4 <= starts.count {
                guard var one = lane(starts[index], values),
                    var two = lane(starts[index &+ 1], values + Self.room),
                    var three = lane(starts[index &+ 2], values + 2 * Self.room),
                    var four = lane(starts[index &+ 3], values + 3 * Self.room)
                else { return false }
                // A step reads one coefficient at least, and possibly zeros before it.
                for _ in 0..<Self.last {
                    one.step(walk)
                    two.step(walk)
                    three.step(walk)
                    four.step(walk)
                }
                guard finish(&one), finish(&two), finish(&three), finish(&four) else { return false }
                index &+= 4
            }
            while index < starts.count {
                guard var one = lane(starts[index], values) else { return false }
                one.hasLongCode = -1
                guard finish(&one) else { return false }
                index &+= 1
            }
            return true
        }
    }

    @inline(__always) private mutating func lane(
        _ start: JPEGBlockWalk.BlockStart,
        _ values: UnsafeMutablePointer<Int32>
    ) -> Lane? {
        guard start.block == nextNumber, let begun = nextBlock(at: start.bit) else { return nil }
        return Lane(begun, at: start.bit, blocks[begun.number].ac, values)
    }

    /// Stores the samples of a block whose coefficients have been read; false for damage.
    @inline(__always) private func finish(_ lane: inout Lane) -> Bool {
        if lane.hasLongCode < 0 {
            guard lane.readAlone(walk) else { return false }
        }
        store(lane)
        return true
    }

    /// Stores the means of a block's quarters, as far as the four lowest frequencies give them.
    ///
    /// The mean of half a wave of the lowest frequency is 0.9061 of what the same coefficient of DC would give.
    @inline(__always) private func store(_ lane: Lane) {
        let block = blocks[lane.begun.number]
        func coefficient(_ index: Int) -> Int32 { lane.values[index] &* block.steps[index] }
        let (first, second): (Int32, Int32) = (7423, 6726)  // 0.9061 and its square, in 1/8192
        // The means of all samples and of 0, and a half for rounding, in 1/65,536.
        let mean = coefficient(0) &<< 13 &+ 128 &<< 16 &+ 1 &<< 15
        let (across, down) = (coefficient(1) &* first, coefficient(2) &* first)
        let both = coefficient(4) &* second
        let (left, right) = (mean &+ across, mean &- across)
        let (same, opposite) = (down &+ both, down &- both)
        let place = lane.begun.place
        samples[place] = Self.sample((left &+ same) &>> 16)
        samples[place &+ 1] = Self.sample((right &+ opposite) &>> 16)
        samples[place &+ block.width] = Self.sample((left &- same) &>> 16)
        samples[place &+ block.width &+ 1] = Self.sample((right &- opposite) &>> 16)
    }
}
