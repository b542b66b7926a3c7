/// The grids over its input for whose cells a detector gives boxes. Their number of boxes is a sure sign of a detector: maps of
/// pixels, texts and features have other numbers of rows.
enum CellGrids {
    /// The strides of grids in pixels, as published detectors have them: YOLO from version 3 on, with a finer or a coarser grid
    /// in some variants, and two grids in the tiny ones.
    private static let usualStrides = [
        [8, 16, 32], [16, 32], [8, 16, 32, 64], [4, 8, 16, 32], [8, 16], [4, 8, 16], [8, 16, 32, 64, 128],
    ]

    /// The boxes that a detector with so many boxes gives for each cell: one, or three of different shapes; nil if it is none of
    /// the usual detectors.
    static func boxesPerCell(count: Int, over input: PixelSize) -> Int? {
        for boxes in [1, 3] {
            for strides in usualStrides where matches(count, strides, boxes, input) { return boxes }
        }
        return nil
    }

    private static func matches(_ count: Int, _ strides: [Int], _ boxes: Int, _ input: PixelSize) -> Bool {
        let whole = strides.reduce(0) { $0 + (input.width / $1) * (input.height / $1) }
        // Convolutions with padding give a cell for the rest at an edge, too.
        let padded = strides.reduce(0) { $0 + (input.width + $1 - 1) / $1 * ((input.height + $1 - 1) / $1) }
        return [boxes * whole, boxes * padded].contains(count)
    }

    /// The number of boxes of the Ultra-Light-Fast-Generic-Face-Detector: for each cell of its grids a box of each of some sizes, of which
    /// the coarsest and the finest grid have three. Source: `define_img_size` in its `vision/ssd/config/fd_config.py`.
    static func faceAnchorCount(over input: PixelSize) -> Int {
        [(stride: 8, boxes: 3), (stride: 16, boxes: 2), (stride: 32, boxes: 2), (stride: 64, boxes: 3)].reduce(0) {
            count,
            grid in
            func cells(_ extent: Int) -> Int { (extent + grid.stride - 1) / grid.stride }
            return count + cells(input.width) * cells(input.height) * grid.boxes
        }
    }

    /// The cells of a YOLOX, with their strides in pixels.
    static func cells(_ size: PixelSize) -> [(x: Float, y: Float, stride: Float)] {
        [8, 16, 32].flatMap { stride in
            (0..<size.height / stride).flatMap { row in
                (0..<size.width / stride).map { (Float($0), Float(row), Float(stride)) }
            }
        }
    }
}
