/// Decodes the mean of every block of a JPEG's first scan.
///
/// The inner loop uses pointers, because it runs for every bit of the file. They are sound: they point into arrays that live
/// until the loop ends; a table has an entry for each value of 12 bits, and only such values index it; and a block's place
/// follows from counters that stay below the plane's rows and columns.
struct JPEGBlockMeans {
    /// The block means of one component, one sample per block, padded to whole MCUs.
    struct Plane {
        var width: Int
        var height: Int
        var samples: [UInt8]
    }

    /// One block of an MCU, in the order of the file.
    private struct Block {
        /// The component, and the offset of its tables in the arena.
        var component: Int
        var tables: Int
        /// The place of the block in its MCU, in blocks.
        var x: Int
        var y: Int
        /// The offset of its plane among all samples, and the plane's width.
        var plane: Int
        var stride: Int
        /// The number of blocks of this component in an MCU, across and down.
        var across: Int
        var down: Int
    }

    private let header: JPEGHeader
    private let columns: Int
    private let rows: Int
    private let blocks: [Block]
    /// For each component: codes of its DC table, codes and steps of its AC table.
    private let arena: [UInt16]
    private let sampleCount: Int

    /// The planes of all components; nil if the data is damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader) -> [Plane]? {
        let means = JPEGBlockMeans(header)
        var isWhole = false
        let samples = [UInt8](unsafeUninitializedCapacity: means.sampleCount) { samples, count in
            samples.initialize(repeating: 0)
            count = means.sampleCount
            isWhole = means.decode(bytes, into: samples)
        }
        guard isWhole else { return nil }
        var start = 0
        return header.components.map { component in
            let (width, height) = (means.columns * component.horizontal, means.rows * component.vertical)
            defer { start += width * height }
            return Plane(width: width, height: height, samples: Array(samples[start..<start + width * height]))
        }
    }

    private init(_ header: JPEGHeader) {
        self.header = header
        let (horizontal, vertical) = (header.components[0].horizontal, header.components[0].vertical)
        columns = (header.width + 8 * horizontal - 1) / (8 * horizontal)
        rows = (header.height + 8 * vertical - 1) / (8 * vertical)
        var blocks: [Block] = []
        var arena: [UInt16] = []
        var plane = 0
        let unused = [UInt16](repeating: 0, count: JPEGHuffmanTable.entryCount)
        for (index, component) in header.components.enumerated() {
            for y in 0..<component.vertical {
                for x in 0..<component.horizontal {
                    blocks.append(
                        Block(
                            component: index,
                            tables: arena.count,
                            x: x,
                            y: y,
                            plane: plane,
                            stride: columns * component.horizontal,
                            across: component.horizontal,
                            down: component.vertical
                        )
                    )
                }
            }
            arena +=
                component.dcTable.codes + (component.acTable?.codes ?? unused) + (component.acTable?.steps ?? unused)
            plane += columns * component.horizontal * rows * component.vertical
        }
        self.blocks = blocks
        self.arena = arena
        sampleCount = plane
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let scan = UnsafeRawBufferPointer(rebasing: bytes[header.scanStart...])
        let steps = header.components.map(\.step)
        let (shift, hasAC) = (Int32(header.pointTransform), !header.isProgressive)
        return arena.withUnsafeBufferPointer { arena in
            blocks.withUnsafeBufferPointer { blocks in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: steps.count) { predictions in
                    predictions.initialize(repeating: 0)
                    var reader = JPEGBitReader(scan)
                    var untilRestart = header.restartInterval
                    for row in 0..<rows {
                        for column in 0..<columns {
                            if header.restartInterval > 0 {
                                if untilRestart == 0 {
                                    guard let restarted = reader.restarted() else { return false }
                                    reader = restarted
                                    predictions.update(repeating: 0)
                                    untilRestart = header.restartInterval
                                }
                                untilRestart -= 1
                            }
                            for block in blocks {
                                guard let difference = difference(&reader, block, arena) else { return false }
                                predictions[block.component] &+= difference
                                if hasAC { guard skipCoefficients(&reader, block, arena) else { return false } }
                                let coefficient = predictions[block.component] &<< shift
                                let mean = (coefficient &* steps[block.component] &+ 4) &>> 3 &+ 128
                                let at =
                                    block.plane &+ (row &* block.down &+ block.y) &* block.stride
                                    &+ column &* block.across &+ block.x
                                samples[at] = UInt8(truncatingIfNeeded: min(max(mean, 0), 255))
                            }
                        }
                    }
                    return !reader.hasOverrun
                }
            }
        }
    }

    /// The difference of a block's DC coefficient from the one before; nil for an impossible code.
    @inline(__always) private func difference(
        _ reader: inout JPEGBitReader,
        _ block: Block,
        _ arena: UnsafeBufferPointer<UInt16>
    ) -> Int32? {
        reader.refill()
        var entry = arena[block.tables &+ reader.ahead]
        if entry == 0 { entry = header.components[block.component].dcTable.slowCode(reader.nextSixteen) }
        let size = Int(entry & 255)
        guard entry != 0, size <= 11 else { return nil }
        reader.use(Int(entry &>> 8))
        return reader.difference(size: size)
    }

    /// Steps over the other coefficients of a block (T.81, F.2.2.2); false for an impossible code.
    @inline(__always) private func skipCoefficients(
        _ reader: inout JPEGBitReader,
        _ block: Block,
        _ arena: UnsafeBufferPointer<UInt16>
    ) -> Bool {
        let codes = block.tables &+ JPEGHuffmanTable.entryCount
        let steps = codes &+ JPEGHuffmanTable.entryCount
        var next = 1
        while next < 64 {
            reader.refill()
            let step = JPEGHuffmanTable.Step(packed: arena[steps &+ reader.ahead])
            let reached = next &+ step.coefficients
            if step.bits > 0, reached < (step.endsBlock ? 64 : 65) {
                reader.use(step.bits)
                if step.endsBlock { return true }
                next = reached
                continue
            }
            // A long code, or a block that is full before the step's end: one symbol at a time.
            var entry = arena[codes &+ reader.ahead]
            if entry == 0 { entry = header.components[block.component].acTable?.slowCode(reader.nextSixteen) ?? 0 }
            guard entry != 0 else { return false }
            let symbol = Int(entry & 255)
            reader.use(Int(entry &>> 8) &+ symbol & 15)
            if symbol == 0 { return true }
            next &+= symbol &>> 4 &+ 1
        }
        return next == 64
    }
}
