/// Carries pixels of a decoded picture into a tensor, row by row: interpolated values first, elements from a table second.
///
/// Unsafe pointers, and why every access is in range:
/// - A source plane of `PixelBuffer` holds (rows − 1) × bytesPerRow + samples × bytes of a sample, which its initialiser has
///   checked. `AxisSamples` gives offsets of sample 0 to the last along each axis, and a channel's offset is below the bytes
///   of a sample, so that a sum of the three lies in the plane.
/// - The row of values has width × channels bytes; columns run inside 0..<width.
/// - The destination has width × height × channels elements, which `DecodedImage.write` has checked; a table has 256
///   elements a channel and is looked up with a byte.
struct TensorWriter {
    /// A plane of the source with the samples along both axes of the tensor.
    private struct PlaneSamples {
        let columns: [AxisSamples.Sample]
        let rows: [AxisSamples.Sample]
    }

    private let pixels: PixelBuffer
    private let format: InputFormat
    private let fill: UInt8
    private let columns: Range<Int>
    private let rows: Range<Int>
    /// The plane of luma, of grey or of all colours.
    private let luma: PlaneSamples
    /// The planes of colour differences, which may have strides of their own, or be one.
    private let chroma: (blue: PlaneSamples, red: PlaneSamples)?

    init(_ image: DecodedImage, _ placement: Placement, _ format: InputFormat) {
        let pixels = image.pixels
        self.pixels = pixels
        self.format = format
        fill = placement.fill
        let columns = Self.covered(placement.target.x, placement.target.maxX, of: format.size.width)
        let rows = Self.covered(placement.target.y, placement.target.maxY, of: format.size.height)
        self.columns = columns
        self.rows = rows

        // A tensor coordinate t is the upright coordinate source.x + (t − target.x) × source.width / target.width; the
        // upright axis is an axis of the stored picture, perhaps backwards; decoded pixels cover `region` of it.
        func samples(plane: Int) -> PlaneSamples {
            let size = PixelBuffer.planeSize(plane, of: pixels.size)
            let subsampling: Double = plane == 0 ? 1 : 2
            func axis(isTensorColumn: Bool) -> [AxisSamples.Sample] {
                let (source, target) = (placement.source, placement.target)
                var slope = isTensorColumn ? source.width / target.width : source.height / target.height
                var offset = isTensorColumn ? source.x - target.x * slope : source.y - target.y * slope
                let isStoredColumn = isTensorColumn != image.orientation.swapsAxes
                if isStoredColumn ? image.orientation.mirrorsColumns : image.orientation.mirrorsRows {
                    slope = -slope
                    offset = Double(isStoredColumn ? image.storedSize.width : image.storedSize.height) - offset
                }
                let region = image.region
                let scale =
                    (isStoredColumn ? Double(pixels.width) / region.width : Double(pixels.height) / region.height)
                    / subsampling
                return AxisSamples(
                    isTensorColumn ? columns : rows,
                    offset: (offset - (isStoredColumn ? region.x : region.y)) * scale,
                    slope: slope * scale,
                    count: isStoredColumn ? size.width : size.height,
                    stride: isStoredColumn
                        ? pixels.format.bytesPerSample(plane: plane) : pixels.planes[plane].bytesPerRow
                ).samples
            }
            return PlaneSamples(columns: axis(isTensorColumn: true), rows: axis(isTensorColumn: false))
        }
        luma = samples(plane: 0)
        let needsColours = pixels.format.isYCbCr && format.channels != .grey
        chroma = needsColours ? (samples(plane: 1), samples(plane: pixels.format.planeCount - 1)) : nil
    }

    /// The pixels whose centres lie in a part of an axis.
    private static func covered(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        func firstPixel(_ edge: Double) -> Int { Int(max(min((edge - 0.5).rounded(.up), Double(count)), 0)) }
        let first = firstPixel(from)
        return first..<max(firstPixel(to), first)
    }

    func write<Element: BitwiseCopyable>(_ table: [Element], into destination: UnsafeMutableRawBufferPointer) {
        let (width, height, channels) = (format.size.width, format.size.height, format.channels.count)
        guard let out = destination.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * channels) { values in
            guard let row = values.baseAddress else { return }
            values.initialize(repeating: fill)
            table.withUnsafeBufferPointer { table in
                guard let table = table.baseAddress else { return }
                withPlanes { planes in
                    for y in 0..<height where !rows.contains(y) {
                        writeRow(y, row, table, out)
                    }
                    for y in rows {
                        sampleRow(y - rows.lowerBound, planes, row + columns.lowerBound * channels)
                        writeRow(y, row, table, out)
                    }
                }
            }
        }
    }

    private typealias Planes = (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>)

    private func withPlanes(_ body: (Planes) -> Void) {
        func withPlane(_ index: Int, _ body: (UnsafePointer<UInt8>) -> Void) {
            pixels.planes[min(index, pixels.planes.count - 1)].data.withUnsafeBytes { bytes in
                if let start = bytes.bytes { body(start) }
            }
        }
        withPlane(0) { first in
            withPlane(1) { second in
                withPlane(2) { third in body((first, second, third)) }
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
            for x in 0..<width { start.storeBytes(of: table[Int(values[x])], toByteOffset: x * step, as: Element.self) }
        case (.nhwc, _):
            let start = out + y * width * 3 * step
            for x in 0..<width {
                for channel in 0..<3 {
                    let element = table[channel << 8 | Int(values[x * 3 + channel])]
                    start.storeBytes(of: element, toByteOffset: (x * 3 + channel) * step, as: Element.self)
                }
            }
        case (.nchw, _):
            for channel in 0..<3 {
                let start = out + (channel * height + y) * width * step
                for x in 0..<width {
                    let element = table[channel << 8 | Int(values[x * 3 + channel])]
                    start.storeBytes(of: element, toByteOffset: x * step, as: Element.self)
                }
            }
        }
    }

    // MARK: Pixels to values

    private func sampleRow(_ row: Int, _ planes: Planes, _ values: UnsafeMutablePointer<UInt8>) {
        let lumaRow = Interpolated(planes.0, luma.rows[row])
        let order = format.channels
        switch (pixels.format, order) {
        case (.grey, .grey):
            luma.columns.withUnsafeBufferPointer { columns in
                for x in columns.indices { values[x] = lumaRow.value(columns[x], 0) }
            }
        case (.grey, _):
            luma.columns.withUnsafeBufferPointer { columns in
                for x in columns.indices {
                    let value = lumaRow.value(columns[x], 0)
                    (values[x * 3], values[x * 3 + 1], values[x * 3 + 2]) = (value, value, value)
                }
            }
        case (.nv12, .grey), (.i420, .grey):
            let conversion = YCbCrConversion(pixels.range)
            luma.columns.withUnsafeBufferPointer { columns in
                for x in columns.indices { values[x] = conversion.grey(lumaRow.value(columns[x], 0)) }
            }
        case (.nv12, _), (.i420, _):
            sampleYCbCrRow(row, planes, lumaRow, values)
        case (.rgb, _), (.rgba, _), (.bgra, _):
            let (red, blue) = pixels.format == .bgra ? (2, 0) : (0, 2)
            switch order {
            case .grey: sampleLuma(lumaRow, red: red, blue: blue, values)
            case .rgb: sampleColours(lumaRow, first: red, third: blue, values)
            case .bgr: sampleColours(lumaRow, first: blue, third: red, values)
            }
        }
    }

    private func sampleColours(_ row: Interpolated, first: Int, third: Int, _ values: UnsafeMutablePointer<UInt8>) {
        luma.columns.withUnsafeBufferPointer { columns in
            var out = values
            for column in columns {
                out[0] = row.value(column, first)
                out[1] = row.value(column, 1)
                out[2] = row.value(column, third)
                out += 3
            }
        }
    }

    /// ITU-R BT.601 luma, 0.299 R + 0.587 G + 0.114 B, in 1/65536.
    private func sampleLuma(_ row: Interpolated, red: Int, blue: Int, _ values: UnsafeMutablePointer<UInt8>) {
        luma.columns.withUnsafeBufferPointer { columns in
            for x in columns.indices {
                let redPart = 19595 * Int32(row.value(columns[x], red))
                let greenPart = 38470 * Int32(row.value(columns[x], 1))
                let bluePart = 7471 * Int32(row.value(columns[x], blue))
                values[x] = UInt8(truncatingIfNeeded: (redPart + greenPart + bluePart + 32768) >> 16)
            }
        }
    }

    private func sampleYCbCrRow(
        _ row: Int,
        _ planes: Planes,
        _ lumaRow: Interpolated,
        _ values: UnsafeMutablePointer<UInt8>
    ) {
        guard let chroma else { return }
        let isInterleaved = pixels.format == .nv12
        let blueRow = Interpolated(planes.1, chroma.blue.rows[row])
        let redRow = Interpolated(isInterleaved ? planes.1 : planes.2, chroma.red.rows[row])
        let redOffset = isInterleaved ? 1 : 0
        let conversion = YCbCrConversion(pixels.range)
        let (first, third) = format.channels == .bgr ? (2, 0) : (0, 2)
        luma.columns.withUnsafeBufferPointer { lumaColumns in
            chroma.blue.columns.withUnsafeBufferPointer { blueColumns in
                chroma.red.columns.withUnsafeBufferPointer { redColumns in
                    for x in lumaColumns.indices {
                        let (red, green, blue) = conversion.rgb(
                            lumaRow.value(lumaColumns[x], 0),
                            blueRow.value(blueColumns[x], 0),
                            redRow.value(redColumns[x], redOffset)
                        )
                        values[x * 3 + first] = red
                        values[x * 3 + 1] = green
                        values[x * 3 + third] = blue
                    }
                }
            }
        }
    }
}
