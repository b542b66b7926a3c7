import SightlineImages

/// The mask of a ``Candidate`` as a model gives it: a value for each cell of a part of a grid over the model's input.
struct MaskGrid: Sendable, Hashable {
    /// The size of the whole grid, in cells.
    let size: PixelSize
    /// The columns of the grid that `values` has.
    let columns: Range<Int>
    /// The rows of the grid that `values` has.
    let rows: Range<Int>
    /// The cells of these columns and rows, row by row: above 0 inside the object, below 0 outside, about 0 at its edge. All other cells
    /// are outside.
    let values: [Float]

    /// The part of a pixel that a frame may reach into it without having it in its mask.
    private static let slack = 1e-3

    /// The mask in the pixels of a frame, interpolated between the centers of cells; nil if none of these is inside.
    ///
    /// - Parameters:
    ///   - frame: a frame in pixels of the upright picture.
    ///   - placement: the placement of the picture in the model's input.
    func mask(in frame: PixelRect, _ placement: Placement) -> ObjectMask? {
        // An edge that lies on the border of a pixel may be off by the error of its computation.
        let (left, top) = ((frame.x + Self.slack).rounded(.down), (frame.y + Self.slack).rounded(.down))
        let width = (frame.maxX - Self.slack).rounded(.up) - left
        let height = (frame.maxY - Self.slack).rounded(.up) - top
        guard [left, top, width, height].allSatisfy({ abs($0) <= Double(ObjectMask.maximumPixels) }) else { return nil }
        let across = axis(from: left, count: Int(width)) { placement.tensorX($0) * Double(size.width) }
        let down = axis(from: top, count: Int(height)) { placement.tensorY($0) * Double(size.height) }
        let mask = ObjectMask(x: Int(left), y: Int(top), width: Int(width), height: Int(height)) { x, y in
            value(across[x - Int(left)], down[y - Int(top)]) > 0
        }
        return mask.flatMap { $0.area > 0 ? $0 : nil }
    }

    /// The values of all pixels of a picture, row by row, interpolated between the centers of cells.
    func values(in picture: PixelSize, _ placement: Placement) -> [Float] {
        let across = axis(from: 0, count: picture.width) { placement.tensorX($0) * Double(size.width) }
        let down = axis(from: 0, count: picture.height) { placement.tensorY($0) * Double(size.height) }
        return down.flatMap { row in across.map { value($0, row) } }
    }

    /// A place along an axis: the cell whose center lies before it, and the share of the next cell.
    private typealias Place = (cell: Int, share: Float)

    /// For each pixel along an axis, the cell whose center lies before the pixel's center, and the share of the next cell.
    private func axis(from first: Double, count: Int, grid: (Double) -> Double) -> [Place] {
        (0..<max(count, 0)).map { number in
            let place = grid(first + Double(number) + 0.5) - 0.5
            let cell = place.rounded(.down)
            return (Int(cell), Float(place - cell))
        }
    }

    /// The value between the centers of four cells.
    private func value(_ column: Place, _ row: Place) -> Float {
        let above = value(column.cell, row.cell) * (1 - column.share) + value(column.cell + 1, row.cell) * column.share
        let below =
            value(column.cell, row.cell + 1) * (1 - column.share)
            + value(column.cell + 1, row.cell + 1) * column.share
        return above * (1 - row.share) + below * row.share
    }

    /// The value of a cell. Beyond the edges of the grid, its last cells continue.
    private func value(_ column: Int, _ row: Int) -> Float {
        let column = min(max(column, 0), size.width - 1)
        let row = min(max(row, 0), size.height - 1)
        guard columns.contains(column), rows.contains(row) else { return -1 }
        return values[(row - rows.lowerBound) * columns.count + column - columns.lowerBound]
    }
}

extension Placement {
    /// The place of a column of the upright picture, in fractions of the tensor's width.
    fileprivate func tensorX(_ x: Double) -> Double {
        ((x - source.x) * (target.width / source.width) + target.x) / Double(tensorSize.width)
    }

    /// The place of a row of the upright picture, in fractions of the tensor's height.
    fileprivate func tensorY(_ y: Double) -> Double {
        ((y - source.y) * (target.height / source.height) + target.y) / Double(tensorSize.height)
    }
}
