/// Writes pixels of a decoded picture into a tensor, row by row: first interpolated values, then elements from a table.
///
/// Unsafe code, here and in `SampledRow`. Every access is in range:
/// - A source plane of `PixelBuffer` holds (rows − 1) × bytesPerRow + samples × bytes of a sample; its initializer checks this.
///   `AxisSamples` gives offsets of samples inside the plane along each axis, and a channel's offset is below the bytes of a
///   sample, so that the sum of the three lies in the plane. `PlaneSamples` moves the part that all columns share to the rows,
///   which does not change the sums.
/// - The scratch row of a plane has `span` values, and columns reach no further; `GatheredRow` says why its own scratch suffices.
/// - The row of values has width × channels bytes; columns run inside 0..<width.
/// - The destination has width × height × channels elements, which `DecodedImage.write` has checked. A table has 256
///   elements per channel, and its index is a byte.
struct TensorWriter {
    private let pixels: PixelBuffer
    private let format: InputFormat
    private let fill: UInt8
    /// The tensor's columns and rows that show the picture.
    private let columns: Range<Int>
    private let rows: Range<Int>
    /// The samples of each plane that is read.
    private let planes: [PlaneSamples]
    /// Whether whole rows are mixed before columns are read from them.
    private let blendsRows: Bool

    /// The places of the tensor's columns and rows in a plane.
    private struct PlaneSamples {
        let columns: [AxisSamples.Sample]
        let rows: [AxisSamples.Sample]
        /// The number of bytes from the first byte of a column to the last.
        let span: Int
        /// The columns as pairs of neighbors; nil if they are not.
        let pairs: SamplePairs?

        init(columns: AxisSamples, rows: AxisSamples, bytesPerSample: Int, samplesPerRow: Int) {
            // Backwards axes have their smallest offset at the end.
            let start = min(columns.samples.first?.first ?? 0, columns.samples.last?.first ?? 0)
            let end = max(columns.samples.first?.second ?? 0, columns.samples.last?.second ?? 0)
            self.columns = columns.samples.map { $0.moved(by: -start) }
            self.rows = rows.samples.map { $0.moved(by: start) }
            span = end - start + bytesPerSample
            pairs = bytesPerSample == 1 ? SamplePairs(self.columns, sampleCount: samplesPerRow) : nil
        }
    }

    init(_ image: DecodedImage, _ placement: Placement, _ format: InputFormat) {
        let pixels = image.pixels
        self.pixels = pixels
        self.format = format
        fill = placement.fill
        let columns = Self.covered(placement.target.x, placement.target.maxX, of: format.size.width)
        let rows = Self.covered(placement.target.y, placement.target.maxY, of: format.size.height)
        self.columns = columns
        self.rows = rows
        let planeCount = format.channels == .gray && pixels.format.isYCbCr ? 1 : pixels.format.planeCount
        planes = (0..<planeCount).map { plane in
            PlaneSamples(
                columns: image.samples(columns, plane: plane, placement, areTensorColumns: true),
                rows: image.samples(rows, plane: plane, placement, areTensorColumns: false),
                bytesPerSample: pixels.format.bytesPerSample(plane: plane),
                samplesPerRow: image.orientation.swapsAxes ? 0 : PixelBuffer.planeSize(plane, of: pixels.size).width
            )
        }
        // Worthwhile unless most of the mixed pixels would be skipped.
        let values = columns.count * pixels.format.bytesPerSample(plane: 0)
        blendsRows = !image.orientation.swapsAxes && planes[0].span / 4 <= values
    }

    /// The pixels whose centers lie in a part of an axis.
    private static func covered(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        func firstPixel(_ edge: Double) -> Int { Int(max(min((edge - 0.5).rounded(.up), Double(count)), 0)) }
        let first = firstPixel(from)
        return first..<max(firstPixel(to), first)
    }

    func write(_ table: ElementTable, into destination: UnsafeMutableRawBufferPointer) {
        switch table {
        case .bytes(let elements): write(elements, isIdentity: table.isIdentity, into: destination)
        case .halves(let elements): write(elements, isIdentity: false, into: destination)
        case .floats(let elements): write(elements, isIdentity: false, into: destination)
        }
    }

    private func write<Element: BitwiseCopyable>(
        _ table: [Element],
        isIdentity: Bool,
        into destination: UnsafeMutableRawBufferPointer
    ) {
        let (width, channels) = (format.size.width, format.channels.count)
        // Values that are elements already, in the tensor's order, are written where they belong.
        let isDirect = isIdentity && (format.layout == .nhwc || channels == 1)
        guard let out = destination.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * channels) { values in
            guard let row = values.baseAddress else { return }
            values.initialize(repeating: fill)
            table.withUnsafeBufferPointer { table in
                guard let table = table.baseAddress else { return }
                for y in 0..<format.size.height where !rows.contains(y) {
                    writeRow(y, row, table, out)
                }
                forEachRow { y, sample in
                    if isDirect, columns.count == width {
                        sample((out + y * width * channels).assumingMemoryBound(to: UInt8.self))
                    } else {
                        sample(row + columns.lowerBound * channels)
                        writeRow(y, row, table, out)
                    }
                }
            }
        }
    }

    /// Calls `body` for each row that shows the picture, with a function that writes the row's values.
    private func forEachRow(_ body: (Int, (UnsafeMutablePointer<UInt8>) -> Void) -> Void) {
        withPlanes { first, second, third in
            let pairs = planes.compactMap(\.pairs)
            if pairs.count == planes.count { return forEachGatheredRow(pairs, (first, second, third), body) }
            guard blendsRows else {
                for (index, y) in rows.enumerated() {
                    let sampled = forEachPlane(first, second, third) { pointer, plane in
                        DirectRow(pointer, planes[plane].rows[index])
                    }
                    body(y) { sample(sampled, into: $0) }
                }
                return
            }
            let span = planes.map(\.span).max() ?? 0
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: planes.count * span) { scratch in
                guard let scratch = scratch.baseAddress else { return }
                for (index, y) in rows.enumerated() {
                    let sampled = forEachPlane(first, second, third) { pointer, plane in
                        BlendedRow(
                            pointer,
                            planes[plane].rows[index],
                            count: planes[plane].span,
                            scratch: scratch + plane * span
                        )
                    }
                    body(y) { sample(sampled, into: $0) }
                }
            }
        }
    }

    private func forEachGatheredRow(
        _ pairs: [SamplePairs],
        _ starts: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>),
        _ body: (Int, (UnsafeMutablePointer<UInt8>) -> Void) -> Void
    ) {
        let room = GatheredRow.scratchCount(columns.count)
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: planes.count * room) { scratch in
            guard let scratch = scratch.baseAddress else { return }
            for (index, y) in rows.enumerated() {
                let sampled = forEachPlane(starts.0, starts.1, starts.2) { pointer, plane in
                    GatheredRow(pointer, planes[plane].rows[index], pairs[plane], scratch: scratch + plane * room)
                }
                body(y) { sample(sampled, into: $0) }
            }
        }
    }

    /// Returns a row of each plane. For planes that are not read it repeats the last plane that is.
    @inline(__always)
    private func forEachPlane<Row>(
        _ first: UnsafePointer<UInt8>,
        _ second: UnsafePointer<UInt8>,
        _ third: UnsafePointer<UInt8>,
        _ row: (UnsafePointer<UInt8>, Int) -> Row
    ) -> SampledPlanes<Row> {
        let firstRow = row(first, 0)
        let secondRow = planes.count > 1 ? row(second, 1) : firstRow
        return (firstRow, secondRow, planes.count > 2 ? row(third, 2) : secondRow)
    }

    private typealias SampledPlanes<Row> = (first: Row, second: Row, third: Row)

    /// Passes the addresses of the planes. For planes that the format lacks it repeats the last plane.
    private func withPlanes(
        _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void
    ) {
        func withPlane(_ index: Int, _ body: (UnsafePointer<UInt8>) -> Void) {
            pixels.planes[min(index, pixels.planes.count - 1)].data.withUnsafeBytes { bytes in
                if let start = bytes.bytes { body(start) }
            }
        }
        withPlane(0) { first in
            withPlane(1) { second in
                withPlane(2) { third in body(first, second, third) }
            }
        }
    }

    // MARK: Values to elements

    private func writeRow<Element: BitwiseCopyable>(
        _ y: Int,
        _ values: UnsafePointer<UInt8>,
        _ table: UnsafePointer<Element>,
        _ out: UnsafeMutableRawPointer
    ) {
        let (width, height, channels) = (format.size.width, format.size.height, format.channels.count)
        let step = MemoryLayout<Element>.stride
        switch (format.layout, channels) {
        case (_, 1):
            let start = out + y * width * step
            for x in 0..<width {
                start.storeBytes(of: table[Int(values[x])], toByteOffset: x &* step, as: Element.self)
            }
        case (.nhwc, _):
            var start = out + y * width * 3 * step
            var values = values
            for _ in 0..<width {
                start.storeBytes(of: table[Int(values[0])], as: Element.self)
                start.storeBytes(of: table[256 &+ Int(values[1])], toByteOffset: step, as: Element.self)
                start.storeBytes(of: table[512 &+ Int(values[2])], toByteOffset: 2 &* step, as: Element.self)
                start += 3 &* step
                values += 3
            }
        case (.nchw, _):
            for channel in 0..<3 {
                let start = out + (channel * height + y) * width * step
                let table = table + channel * 256
                for x in 0..<width {
                    start.storeBytes(
                        of: table[Int(values[x &* 3 &+ channel])],
                        toByteOffset: x &* step,
                        as: Element.self
                    )
                }
            }
        }
    }

    // MARK: Pixels to values

    private func sample<Row: SampledRow>(_ sampled: SampledPlanes<Row>, into values: UnsafeMutablePointer<UInt8>) {
        let (row, columns) = (sampled.first, planes[0].columns)
        switch (pixels.format, format.channels) {
        case (.gray, .gray):
            columns.withUnsafeBufferPointer { columns in
                for x in columns.indices { values[x] = row.value(x, of: columns, 0) }
            }
        case (.gray, _):
            sampleColors(row, (0, 0, 0), values)
        case (.nv12, .gray), (.i420, .gray):
            let conversion = YCbCrConversion(pixels.range, pixels.matrix)
            columns.withUnsafeBufferPointer { columns in
                for x in columns.indices { values[x] = conversion.gray(row.value(x, of: columns, 0)) }
            }
        case (.nv12, _):
            sampleYCbCr(row, sampled.second, sampled.second, redPlane: 1, redOffset: 1, values)
        case (.i420, _):
            sampleYCbCr(row, sampled.second, sampled.third, redPlane: 2, redOffset: 0, values)
        case (.bgra, .gray):
            sampleLuma(row, (2, 1, 0), values)
        case (.rgb, .gray), (.rgba, .gray):
            sampleLuma(row, (0, 1, 2), values)
        case (.bgra, .rgb), (.rgb, .bgr), (.rgba, .bgr):
            sampleColors(row, (2, 1, 0), values)
        case (.bgra, .bgr), (.rgb, .rgb), (.rgba, .rgb):
            sampleColors(row, (0, 1, 2), values)
        }
    }

    private func sampleColors<Row: SampledRow>(
        _ row: Row,
        _ offsets: (Int, Int, Int),
        _ values: UnsafeMutablePointer<UInt8>
    ) {
        planes[0].columns.withUnsafeBufferPointer { columns in
            var out = values
            for x in columns.indices {
                out[0] = row.value(x, of: columns, offsets.0)
                out[1] = row.value(x, of: columns, offsets.1)
                out[2] = row.value(x, of: columns, offsets.2)
                out += 3
            }
        }
    }

    /// ITU-R BT.601 luma, 0.299 R + 0.587 G + 0.114 B, in 1/65536.
    private func sampleLuma<Row: SampledRow>(
        _ row: Row,
        _ offsets: (Int, Int, Int),
        _ values: UnsafeMutablePointer<UInt8>
    ) {
        planes[0].columns.withUnsafeBufferPointer { columns in
            for x in columns.indices {
                let red = 19595 &* Int32(row.value(x, of: columns, offsets.0))
                let green = 38470 &* Int32(row.value(x, of: columns, offsets.1))
                let blue = 7471 &* Int32(row.value(x, of: columns, offsets.2))
                values[x] = UInt8(truncatingIfNeeded: (red &+ green &+ blue &+ 32768) &>> 16)
            }
        }
    }

    private func sampleYCbCr<Row: SampledRow>(
        _ lumaRow: Row,
        _ blueRow: Row,
        _ redRow: Row,
        redPlane: Int,
        redOffset: Int,
        _ values: UnsafeMutablePointer<UInt8>
    ) {
        let conversion = YCbCrConversion(pixels.range, pixels.matrix)
        let (first, third) = format.channels == .bgr ? (2, 0) : (0, 2)
        planes[0].columns.withUnsafeBufferPointer { lumaColumns in
            planes[1].columns.withUnsafeBufferPointer { blueColumns in
                planes[redPlane].columns.withUnsafeBufferPointer { redColumns in
                    var out = values
                    for x in lumaColumns.indices {
                        let (red, green, blue) = conversion.rgb(
                            lumaRow.value(x, of: lumaColumns, 0),
                            blueRow.value(x, of: blueColumns, 0),
                            redRow.value(x, of: redColumns, redOffset)
                        )
                        out[first] = red
                        out[1] = green
                        out[third] = blue
                        out += 3
                    }
                }
            }
        }
    }
}
