import Sightline

/// Unsafe code: the region is cut to the picture before any row is touched, and planes hold all rows of the picture, which
/// `PixelBuffer` has checked.
extension PixelRows {
    /// The longer side of a blurred region keeps this number of mean values.
    private static let cellsPerSide = 6

    /// Replaces a region by the mean values of a few cells, with linear transitions between them.
    ///
    /// - Parameters:
    ///   - region: whole pixels of the picture as stored. Parts outside the picture are ignored. The left and upper edges must
    ///     be even and in the picture, because two by two pixels may share their color.
    ///   - isHidden: returns whether a pixel changes, by its column and row in the region; nil if all do.
    func blur(_ region: PixelRegion, where isHidden: ((_ column: Int, _ row: Int) -> Bool)? = nil) {
        let (left, top) = (max(region.x, 0), max(region.y, 0))
        let right = min(region.x + region.width, size.width)
        let bottom = min(region.y + region.height, size.height)
        guard left < right, top < bottom else { return }
        let whole = PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
        let half = PixelRegion(
            x: left / 2,
            y: top / 2,
            width: (right + 1) / 2 - left / 2,
            height: (bottom + 1) / 2 - top / 2
        )
        let hidden = isHidden.map { isHidden in
            (0..<whole.height).flatMap { row in (0..<whole.width).map { isHidden($0, row) } }
        }
        // Colors that pixels share change if one of the pixels does.
        let hiddenHalf = hidden.map { hidden in
            (0..<half.height).flatMap { row in
                (0..<half.width).map { column in
                    (2 * row...min(2 * row + 1, whole.height - 1)).contains { y in
                        (2 * column...min(2 * column + 1, whole.width - 1)).contains { hidden[y * whole.width + $0] }
                    }
                }
            }
        }
        switch format {
        case .rgb: for channel in 0..<3 { blur(plane: 0, channel, step: 3, whole, hidden) }
        case .rgba, .bgra: for channel in 0..<3 { blur(plane: 0, channel, step: 4, whole, hidden) }
        case .gray: blur(plane: 0, 0, step: 1, whole, hidden)
        case .nv12:
            blur(plane: 0, 0, step: 1, whole, hidden)
            for channel in 0..<2 { blur(plane: 1, channel, step: 2, half, hiddenHalf) }
        case .i420:
            blur(plane: 0, 0, step: 1, whole, hidden)
            for plane in 1...2 { blur(plane: plane, 0, step: 1, half, hiddenHalf) }
        }
    }

    /// - Parameter hidden: whether each pixel of the region changes, row by row; nil if all do.
    private func blur(plane: Int, _ channel: Int, step: Int, _ region: PixelRegion, _ hidden: [Bool]?) {
        let side = max(region.width, region.height)
        let cell = (side + Self.cellsPerSide - 1) / Self.cellsPerSide
        let columns = (region.width + cell - 1) / cell
        let rows = (region.height + cell - 1) / cell
        let stride = strides[plane]
        let start = starts[plane] + region.y * stride + region.x * step + channel
        var sums = [Int](repeating: 0, count: columns * rows)
        for y in 0..<region.height {
            let row = start + y * stride
            let base = y / cell * columns
            for x in 0..<region.width { sums[base + x / cell] += Int(row[x * step]) }
        }
        let means = (0..<columns * rows).map { index in
            let width = min(cell, region.width - index % columns * cell)
            let height = min(cell, region.height - index / columns * cell)
            return Float(sums[index]) / Float(width * height)
        }
        let across = (0..<region.width).map { Blend($0, cell: cell, count: columns) }
        for y in 0..<region.height {
            let down = Blend(y, cell: cell, count: rows)
            // The means of this row, one for each column of cells.
            let values = (0..<columns).map { column in
                down.mix(means[down.first * columns + column], means[down.second * columns + column])
            }
            let row = start + y * stride
            for x in 0..<region.width where hidden?[y * region.width + x] ?? true {
                let blend = across[x]
                row[x * step] = UInt8(min(max(blend.mix(values[blend.first], values[blend.second]).rounded(), 0), 255))
            }
        }
    }

    /// The two cells whose centers enclose a pixel, and the weight of the second.
    private struct Blend {
        let first: Int
        let second: Int
        let weight: Float

        init(_ position: Int, cell: Int, count: Int) {
            let place = (Float(position) + 0.5) / Float(cell) - 0.5
            let lower = min(max(Int(place.rounded(.down)), 0), count - 1)
            first = lower
            second = min(lower + 1, count - 1)
            weight = min(max(place - Float(lower), 0), 1)
        }

        func mix(_ one: Float, _ other: Float) -> Float { one + (other - one) * weight }
    }
}
