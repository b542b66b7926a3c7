/// Finds the blocks of a scan, in the order of the file, with four walkers that share the data.
///
/// Where restart markers divide the data, each walker gets an interval. Elsewhere three of them begin in the middle of it,
/// perhaps in the middle of a code. Huffman codes bring them into step after some blocks: once the walker before comes to a
/// block that they noted as well, all that they noted from there on is right. What they noted before it is not used, so the
/// blocks are those that a single walker would have found.
/// (S. T. Klein, Y. Wiseman: Parallel Huffman Decoding with Applications to JPEG Files. The Computer Journal 46, 2003.)
struct JPEGBlockReader {
    private typealias Start = JPEGBlockWalk.BlockStart
    private typealias Lane = JPEGBlockWalk.Lane
    private typealias Walker = JPEGBlockWalk.Walker

    /// The most blocks for which a walker has room; about half as many are planned.
    private static let largestRoom = 1 << 15
    /// The blocks below which four walkers would spend much of the time on coming into step.
    private static let fewBlocks = 2048

    let walk: JPEGBlockWalk
    /// Whether blocks have other coefficients than DC. Without them, one block begins where the last one ended.
    let hasAC: Bool

    /// Passes the starts of all blocks to a writer; false if the data is damaged.
    ///
    /// - Parameters:
    ///   - intervals: The restart intervals, or the whole data, in bits.
    ///   - blocksPerInterval: The blocks of each interval but the last.
    ///   - blockCount: The blocks of all intervals.
    func read(
        _ intervals: [Range<Int>],
        blocksPerInterval: Int,
        blockCount: Int,
        into writer: inout JPEGBlockWriter
    ) -> Bool {
        guard intervals.count == (blockCount + blocksPerInterval - 1) / blocksPerInterval else { return false }
        guard hasAC else {
            var left = blockCount
            for (number, interval) in intervals.enumerated() {
                let count = min(left, blocksPerInterval)
                left -= count
                writer.restart()
                let end = writer.writeBlocks(from: interval.lowerBound, to: interval.upperBound, count: count)
                guard let end, fits(end, interval, isLast: number == intervals.count - 1) else { return false }
            }
            return true
        }
        let room = min(Self.largestRoom, blocksPerInterval + 1)
        return withUnsafeTemporaryAllocation(of: Start.self, capacity: 4 * room + 1) { memory in
            guard let memory = memory.baseAddress else { return false }
            // Four intervals at a time, if a walker has room for one of them.
            let group = blocksPerInterval < room && intervals.count > 1 ? 4 : 1
            for first in stride(from: 0, to: intervals.count, by: group) {
                var lanes = lanes(memory, room: room) { number in
                    let index = first + number
                    return number < group && index < intervals.count ? intervals[index] : 0..<0
                }
                if group > 1 { run(&lanes) }
                for (number, interval) in intervals[first..<min(first + group, intervals.count)].enumerated() {
                    let done = (first + number) * blocksPerInterval
                    var progress = Progress(
                        interval: interval,
                        missing: min(blocksPerInterval, blockCount - done),
                        walker: lanes[number].walker
                    )
                    writer.restart()
                    progress.take(from: memory + number * room, to: progress.walker.output, into: &writer)
                    // Where walkers share an interval, they need the memory of all.
                    finish(
                        &progress,
                        speculates: group == 1,
                        memory: memory + number * room,
                        room: room,
                        into: &writer
                    )
                    let isLast = first + number == intervals.count - 1
                    guard let end = progress.end, fits(end, interval, isLast: isLast) else { return false }
                }
            }
            return true
        }
    }

    /// Whether the last block of an interval ends where it should: before a marker, fewer than eight bits fill a byte.
    private func fits(_ end: Int, _ interval: Range<Int>, isLast: Bool) -> Bool {
        end <= interval.upperBound && (isLast || end > interval.upperBound - 8)
    }

    /// The part of an interval that has been read.
    private struct Progress {
        let interval: Range<Int>
        /// The blocks that have not been passed on.
        var missing: Int
        /// The walker behind them.
        var walker: Walker
        var isDamaged = false
        /// The bit at which the last block ends, once it is known.
        var end: Int?

        var isOver: Bool { isDamaged || end != nil }

        mutating func take(
            from first: UnsafeMutablePointer<Start>,
            to end: UnsafeMutablePointer<Start>,
            into writer: inout JPEGBlockWriter
        ) {
            let count = end - first
            guard !isOver, count > 0 else { return }
            let used = min(missing, count)
            missing -= used
            if !writer.write(UnsafeBufferPointer(start: first, count: used)) {
                isDamaged = true
            } else if used < count {
                // The block behind the last one begins where that ends.
                if first[used].block == Start.damage { isDamaged = true } else { self.end = first[used].bit }
            }
        }
    }

    private func finish(
        _ progress: inout Progress,
        speculates: Bool,
        memory: UnsafeMutablePointer<Start>,
        room: Int,
        into writer: inout JPEGBlockWriter
    ) {
        let limit = progress.interval.upperBound
        let bitsPerBlock = max((limit - progress.interval.lowerBound) / max(progress.missing, 1), 1)
        while !progress.isOver {
            let left = limit - progress.walker.bit
            if left <= 0 {
                let isBetweenBlocks = progress.walker.state.pointee.isBlockStart == 1 && progress.missing == 0
                if isBetweenBlocks { progress.end = progress.walker.bit } else { progress.isDamaged = true }
            } else if speculates, left / bitsPerBlock >= Self.fewBlocks {
                let window = min(left, 2 * room * bitsPerBlock)
                readTogether(&progress, window: window, memory: memory, room: room, into: &writer)
            } else {
                readAlone(&progress, until: limit, memory: memory, room: room, into: &writer)
            }
        }
    }

    private func readAlone(
        _ progress: inout Progress,
        until limit: Int,
        memory: UnsafeMutablePointer<Start>,
        room: Int,
        into writer: inout JPEGBlockWriter
    ) {
        progress.walker.output = memory
        var lane = Lane(walker: progress.walker, limit: limit, end: memory + room)
        walk.run(&lane)
        progress.walker = lane.walker
        progress.take(from: memory, to: lane.walker.output, into: &writer)
    }

    /// Reads the next bits of an interval with four walkers.
    private func readTogether(
        _ progress: inout Progress,
        window: Int,
        memory: UnsafeMutablePointer<Start>,
        room: Int,
        into writer: inout JPEGBlockWriter
    ) {
        let first = progress.walker.bit
        var lanes = lanes(memory, room: room) { number in
            first + window * number / 4..<first + window * (number + 1) / 4
        }
        progress.walker.output = memory
        lanes[0].walker = progress.walker
        run(&lanes)
        progress.walker = lanes[0].walker
        progress.take(from: memory, to: lanes[0].walker.output, into: &writer)
        for number in 1..<4 {
            // A walker without room has stopped early.
            while !progress.isOver, progress.walker.bit < lanes[number - 1].limit {
                readAlone(&progress, until: lanes[number - 1].limit, memory: memory, room: room, into: &writer)
            }
            join(&progress, lanes[number], noted: memory + number * room, memory + 4 * room, into: &writer)
        }
    }

    /// Walks on until a lane's walker has noted the same block, and from there on takes the blocks of the lane.
    private func join(
        _ progress: inout Progress,
        _ lane: Lane,
        noted: UnsafeMutablePointer<Start>,
        _ memory: UnsafeMutablePointer<Start>,
        into writer: inout JPEGBlockWriter
    ) {
        var noted = noted
        while !progress.isOver, progress.walker.bit < min(lane.walker.bit, progress.interval.upperBound) {
            progress.walker.output = memory
            walk.step(&progress.walker)
            guard progress.walker.output > memory else { continue }
            let start = memory.pointee
            while noted < lane.walker.output, noted.pointee.bit < start.bit { noted += 1 }
            if noted < lane.walker.output, noted.pointee == start {
                progress.walker = lane.walker
                progress.take(from: noted, to: lane.walker.output, into: &writer)
                return
            }
            progress.take(from: memory, to: memory + 1, into: &writer)
        }
    }

    private func lanes(
        _ memory: UnsafeMutablePointer<Start>,
        room: Int,
        bits: (Int) -> Range<Int>
    ) -> [Lane] {
        (0..<4).map { number in
            let output = memory + number * room
            let bits = bits(number)
            return Lane(
                walker: Walker(bit: bits.lowerBound, state: walk.start, output: output),
                limit: bits.upperBound,
                end: output + room
            )
        }
    }

    private func run(_ lanes: inout [Lane]) {
        var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
        walk.run(&first, &second, &third, &fourth)
        lanes = [first, second, third, fourth]
    }
}
