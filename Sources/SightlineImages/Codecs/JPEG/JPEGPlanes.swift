/// The components of a JPEG at M/8 of their size, with M of 1 or 2, from the lowest frequencies of each block.
struct JPEGPlanes {
    /// The samples of one component, M × M for each block, padded to whole MCUs.
    struct Plane {
        var width: Int
        var height: Int
        var samples: [UInt8]
    }

    private let header: JPEGHeader
    /// The samples of a block's row and column.
    private let side: Int
    /// The numbers of MCUs.
    private let columns: Int
    private let rows: Int
    /// The number of MCUs between two restart markers; all of them if there are no markers.
    private var unitsPerInterval: Int {
        header.restartInterval > 0 ? min(header.restartInterval, columns * rows) : columns * rows
    }

    /// The planes of all components; nil if the data is damaged.
    ///
    /// - Parameter side: M. Of a progressive picture, whose first scan has only the means of the blocks, it is 1.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader, side: Int) -> [Plane]? {
        guard side == 1 || !header.isProgressive else { return nil }
        let planes = JPEGPlanes(header, side: side)
        let sizes = header.components.map { component in
            PixelSize(
                width: planes.columns * component.horizontal * side,
                height: planes.rows * component.vertical * side
            )
        }
        let sampleCount = sizes.reduce(0) { $0 + $1.width * $1.height }
        var isWhole = false
        let samples = [UInt8](unsafeUninitializedCapacity: sampleCount) { samples, count in
            samples.initialize(repeating: 0)
            count = sampleCount
            isWhole = planes.decode(bytes, into: samples)
        }
        guard isWhole else { return nil }
        var start = 0
        return sizes.map { size in
            let end = start + size.width * size.height
            defer { start = end }
            return Plane(width: size.width, height: size.height, samples: Array(samples[start..<end]))
        }
    }

    private init(_ header: JPEGHeader, side: Int) {
        self.header = header
        self.side = side
        let (horizontal, vertical) = (header.components[0].horizontal, header.components[0].vertical)
        columns = (header.width + 8 * horizontal - 1) / (8 * horizontal)
        rows = (header.height + 8 * vertical - 1) / (8 * vertical)
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let data = JPEGEntropyData(
            UnsafeRawBufferPointer(rebasing: bytes[header.scanStart...]),
            intervalCount: (columns * rows + unitsPerInterval - 1) / unitsPerInterval
        )
        let tables = Tables(header.components)
        let steps = header.components.flatMap(\.steps)
        return data.bytes.withUnsafeBytes { bytes in
            tables.entries.withUnsafeBufferPointer { entries in
                steps.withUnsafeBufferPointer { steps in
                    guard let bytes = bytes.baseAddress, let entries = entries.baseAddress,
                        let steps = steps.baseAddress
                    else { return false }
                    return read(data, bytes, blocks(tables, entries, steps), tables, entries, into: samples)
                }
            }
        }
    }

    private func read(
        _ data: JPEGEntropyData,
        _ bytes: UnsafeRawPointer,
        _ blocks: [JPEGBlockWriter.Block],
        _ tables: Tables,
        _ entries: UnsafePointer<UInt16>,
        into samples: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: JPEGBlockWalk.State.self, capacity: 2 * blocks.count) { states in
            guard let start = states.baseAddress else { return false }
            for (number, block) in blocks.enumerated() {
                let (dc, ac) = (tables.dc[block.component], tables.ac[block.component])
                let first = start + 2 * number
                first.initialize(
                    to: JPEGBlockWalk.State(
                        steps: entries + dc.steps,
                        following: first + 1,
                        block: number,
                        isBlockStart: 1,
                        codes: dc.codes(entries)
                    )
                )
                (first + 1).initialize(
                    to: JPEGBlockWalk.State(
                        steps: entries + ac.steps,
                        following: number == blocks.count - 1 ? start : first + 2,
                        block: number,
                        isBlockStart: 0,
                        codes: ac.codes(entries)
                    )
                )
            }
            let walk = JPEGBlockWalk(bytes: bytes, start: UnsafePointer(start))
            let reader = JPEGBlockReader(walk: walk, hasAC: !header.isProgressive)
            return blocks.withUnsafeBufferPointer { blocks in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: header.components.count) { predictions in
                    predictions.initialize(repeating: 0)
                    var writer = JPEGBlockWriter(
                        walk,
                        blocks,
                        side: side,
                        columns: columns,
                        shift: header.pointTransform,
                        samples: samples,
                        predictions: predictions
                    )
                    return reader.read(
                        data.intervals,
                        blocksPerInterval: unitsPerInterval * blocks.count,
                        blockCount: columns * rows * blocks.count,
                        into: &writer
                    )
                }
            }
        }
    }

    /// The blocks of an MCU, in the order of the file.
    private func blocks(
        _ tables: Tables,
        _ entries: UnsafePointer<UInt16>,
        _ steps: UnsafePointer<Int32>
    ) -> [JPEGBlockWriter.Block] {
        var blocks: [JPEGBlockWriter.Block] = []
        var plane = 0
        for (index, component) in header.components.enumerated() {
            let width = columns * component.horizontal * side
            for y in 0..<component.vertical {
                for x in 0..<component.horizontal {
                    blocks.append(
                        JPEGBlockWriter.Block(
                            dc: tables.dc[index].codes(entries),
                            ac: tables.ac[index].codes(entries),
                            component: index,
                            steps: steps + index * JPEGBlockWriter.coefficientCount,
                            origin: plane + (y * width + x) * side,
                            columnStride: component.horizontal * side,
                            rowStride: width * component.vertical * side,
                            width: width
                        )
                    )
                }
            }
            plane += width * rows * component.vertical * side
        }
        return blocks
    }
}

extension JPEGPlanes {
    /// The entries of all tables in one array. Components share equal tables, so that they stay in the processor's cache.
    private struct Tables {
        /// The places of a table's parts in the array.
        struct TablePosition {
            let steps: Int
            let short: Int
            let long: Int
            let firstLong: Int

            func codes(_ entries: UnsafePointer<UInt16>) -> JPEGBlockWalk.Codes {
                JPEGBlockWalk.Codes(short: entries + short, long: entries + long, firstLong: firstLong)
            }
        }

        private(set) var entries: [UInt16] = []
        /// The tables of each component.
        private(set) var dc: [TablePosition] = []
        private(set) var ac: [TablePosition] = []

        private var known: [(table: JPEGHuffmanTable, place: TablePosition)] = []

        init(_ components: [JPEGHeader.Component]) {
            for component in components {
                dc.append(add(component.dcTable))
                // In a progressive picture the walk is not used.
                ac.append(add(component.acTable ?? component.dcTable))
            }
        }

        private mutating func add(_ table: JPEGHuffmanTable) -> TablePosition {
            if let same = known.first(where: { $0.table == table }) { return same.place }
            let place = TablePosition(
                steps: entries.count,
                short: entries.count + table.steps.count,
                long: entries.count + table.steps.count + table.codes.count,
                firstLong: table.firstLongCode
            )
            entries += table.steps + table.codes + table.longCodes
            known.append((table, place))
            return place
        }
    }
}
