/// Walks along entropy-coded data and notes the bit at which each block begins.
///
/// A step looks twelve bits up in a table and moves on by the codes in them. The next step must wait for it, and a branch that
/// depends on the codes is guessed wrong most of the time. So steps have no such branch, and four walkers take turns: while one
/// waits, the processor works for the others.
///
/// Unsafe code, since it runs for every bit of a file. It is sound: pointers of a state point into memory that lives as long as
/// the walk; a table has an entry for each value of 12 bits, and only such values index it; a walker takes no step behind the
/// end of its data, behind which eight bytes can be read; and it notes one block at most in a step, after its caller has
/// compared the number of steps with the room.
struct JPEGBlockWalk {
    /// The codes of a table, as ``JPEGHuffmanTable`` has them.
    struct Codes {
        let short: UnsafePointer<UInt16>
        let long: UnsafePointer<UInt16>
        let firstLong: Int

        /// The length of the next code in bits 8 and up, its symbol below; 0 if there is none.
        @inline(__always) func next(_ window: UInt64) -> Int {
            let entry = short[Int(truncatingIfNeeded: window &>> UInt64(64 - JPEGHuffmanTable.lookAhead))]
            if entry != 0 { return Int(entry) }
            let code = Int(truncatingIfNeeded: window &>> UInt64(64 - JPEGHuffmanTable.longestCode))
            return code < firstLong ? 0 : Int(long[code &- firstLong])
        }
    }

    /// The expected codes: the DC difference of one of the blocks of an MCU, or its other coefficients.
    struct State {
        let steps: UnsafePointer<UInt16>
        let following: UnsafePointer<State>
        /// The block's number in its MCU.
        let block: Int
        /// 1 if the block begins here, else 0.
        let isBlockStart: Int
        let codes: Codes
    }

    /// The bit at which a block begins, and the block's number in its MCU.
    struct BlockStart: Equatable {
        private let packed: UInt64
        /// The number for a code that does not exist.
        static let damage = 255

        @inline(__always) init(bit: Int, block: Int) {
            packed = UInt64(truncatingIfNeeded: bit) &<< 8 | UInt64(truncatingIfNeeded: block)
        }

        @inline(__always) var bit: Int { Int(truncatingIfNeeded: packed &>> 8) }
        @inline(__always) var block: Int { Int(truncatingIfNeeded: packed & 255) }
    }

    /// A walker. Many steps move `output`, which belongs to the caller.
    struct Walker {
        /// The next bit.
        var bit: Int
        var state: UnsafePointer<State>
        /// The next coefficient of the block.
        fileprivate var coefficient = 1
        var output: UnsafeMutablePointer<BlockStart>

        init(bit: Int, state: UnsafePointer<State>, output: UnsafeMutablePointer<BlockStart>) {
            (self.bit, self.state, self.output) = (bit, state, output)
        }
    }

    /// The most bits of a step: the longest code, and a value of 15 bits.
    static let longestStep = JPEGHuffmanTable.longestCode + 15

    let bytes: UnsafeRawPointer
    /// The state at the beginning of an MCU.
    let start: UnsafePointer<State>

    /// The next bits from a bit on, from the top; at least 57 of them.
    @inline(__always) func window(at bit: Int) -> UInt64 {
        let next = bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self)
        return UInt64(bigEndian: next) &<< UInt64(truncatingIfNeeded: bit & 7)
    }

    @inline(__always) func step(_ walker: inout Walker) {
        let state = walker.state
        let index = window(at: walker.bit) &>> UInt64(64 - JPEGHuffmanTable.lookAhead)
        let step = JPEGHuffmanTable.Step(packed: state.pointee.steps[Int(truncatingIfNeeded: index)])
        let reached = walker.coefficient &+ step.coefficients
        if step.bits == 0 || reached > 64 {
            // A long code, or a block that is full before the step's end.
            walker = singleStep(walker)
            return
        }
        walker.output.pointee = BlockStart(bit: walker.bit, block: state.pointee.block)
        walker.output += state.pointee.isBlockStart
        walker.bit &+= step.bits
        // Masks, because a compiler may make a branch of a condition.
        let isLast = step.isLast | reached &>> 6
        let change = UInt(bitPattern: state) ^ UInt(bitPattern: state.pointee.following)
        let next = UInt(bitPattern: state) ^ change & (0 &- UInt(bitPattern: isLast))
        walker.state = UnsafePointer(bitPattern: next) ?? start
        walker.coefficient = reached & (isLast &- 1) | isLast
    }

    /// Steps over one code and its value. Where there is no code, the walk continues at the next bit as if an MCU began there.
    @inline(never) private func singleStep(_ from: Walker) -> Walker {
        var walker = from
        let state = from.state.pointee
        let entry = state.codes.next(window(at: from.bit))
        let (length, symbol) = (entry >> 8, entry & 255)
        func note(_ block: Int) {
            walker.output.pointee = BlockStart(bit: from.bit, block: block)
            walker.output += 1
        }
        func isLost() -> Walker {
            (walker.bit, walker.state, walker.coefficient) = (from.bit + 1, start, 1)
            return walker
        }
        if state.isBlockStart == 1 {
            // A code that does not exist is found again by the caller, who reads the difference.
            note(state.block)
            guard length > 0, symbol <= JPEGHuffmanTable.largestDifference else { return isLost() }
            (walker.bit, walker.state, walker.coefficient) = (from.bit + length + symbol, state.following, 1)
            return walker
        }
        let reached = symbol == 0 ? 64 : from.coefficient + symbol >> 4 + 1
        guard length > 0, reached <= 64 else {
            note(BlockStart.damage)
            return isLost()
        }
        walker.bit += length + symbol & 15
        walker.coefficient = reached
        if reached == 64 { (walker.state, walker.coefficient) = (state.following, 1) }
        return walker
    }

    /// A walker with the bit and the place in memory at which it stops.
    struct Lane {
        var walker: Walker
        var limit: Int
        var end: UnsafeMutablePointer<BlockStart>

        /// The number of steps that reach neither end.
        @inline(__always) fileprivate var safeSteps: Int {
            min((limit &- walker.bit) / JPEGBlockWalk.longestStep, end - walker.output)
        }
    }

    /// Walks until each lane has come to its limit or has no more room.
    func run(_ first: inout Lane, _ second: inout Lane, _ third: inout Lane, _ fourth: inout Lane) {
        var (one, two, three, four) = (first, second, third, fourth)
        while true {
            let steps = min(min(one.safeSteps, two.safeSteps), min(three.safeSteps, four.safeSteps))
            guard steps > 0 else { break }
            for _ in 0..<steps {
                step(&one.walker)
                step(&two.walker)
                step(&three.walker)
                step(&four.walker)
            }
        }
        run(&one)
        run(&two)
        run(&three)
        run(&four)
        (first, second, third, fourth) = (one, two, three, four)
    }

    /// Walks until a lane has come to its limit or has no more room.
    func run(_ lane: inout Lane) {
        var one = lane
        while one.walker.bit < one.limit, one.walker.output < one.end { step(&one.walker) }
        lane = one
    }
}
