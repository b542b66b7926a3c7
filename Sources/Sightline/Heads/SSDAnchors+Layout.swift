extension SSDAnchors {
    /// The number of anchors, counted without laying them out: a few numbers can describe hundreds of millions.
    ///
    /// - Parameter size: the size of the model's input.
    func count(in size: PixelSize) -> Int {
        if let boxes { return boxes.count }
        if let squares {
            return squares.reduce(0) { sum, map in
                let (columns, rows) = map.cells(in: size)
                return sum + columns * rows * map.sizes.count
            }
        }
        return featureMaps.enumerated().reduce(0) { sum, map in
            sum + map.element * map.element * shapes(level: map.offset).count
        }
    }

    /// One anchor: center and size as fractions of the picture.
    struct Box: Sendable, Hashable {
        var y: Float
        var x: Float
        var height: Float
        var width: Float
    }

    /// All anchors in the order of the head's outputs. There must be no ``problem``.
    ///
    /// - Parameter size: the size of the model's input.
    func layout(in size: PixelSize) -> [Box] {
        if let boxes { return boxes.map { Box(y: $0[0], x: $0[1], height: $0[2], width: $0[3]) } }
        if let squares { return squares.flatMap { $0.layout(in: size) } }
        var boxes: [Box] = []
        for (level, cells) in featureMaps.enumerated() {
            let shapes = self.shapes(level: level)
            for row in 0..<cells {
                for column in 0..<cells {
                    let y = (Float(row) + 0.5) / Float(cells)
                    let x = (Float(column) + 0.5) / Float(cells)
                    boxes += shapes.map { Box(y: y, x: x, height: $0.height, width: $0.width) }
                }
            }
        }
        return boxes
    }

    private func scale(level: Int) -> Float {
        guard featureMaps.count > 1 else { return minimumScale }
        guard level < featureMaps.count else { return 1 }
        return minimumScale + (maximumScale - minimumScale) * Float(level) / Float(featureMaps.count - 1)
    }

    private func shapes(level: Int) -> [(height: Float, width: Float)] {
        func shape(_ scale: Float, _ ratio: Float) -> (height: Float, width: Float) {
            (scale / ratio.squareRoot(), scale * ratio.squareRoot())
        }
        if level == 0, reducesFinestMap {
            return [shape(0.1, 1), shape(scale(level: 0), 2), shape(scale(level: 0), 0.5)]
        }
        let between = (scale(level: level) * scale(level: level + 1)).squareRoot()
        return aspectRatios.map { shape(scale(level: level), $0) } + [shape(between, 1)]
    }
}

extension SSDAnchors.Squares {
    fileprivate func cells(in size: PixelSize) -> (columns: Int, rows: Int) {
        ((size.width + stride - 1) / stride, (size.height + stride - 1) / stride)
    }

    /// The anchors of the map, row by row.
    fileprivate func layout(in size: PixelSize) -> [SSDAnchors.Box] {
        let (columns, rows) = cells(in: size)
        return (0..<rows).flatMap { row in
            (0..<columns).flatMap { column in
                sizes.map { side in
                    SSDAnchors.Box(
                        y: (Float(row) + 0.5) / Float(rows),
                        x: (Float(column) + 0.5) / Float(columns),
                        height: min(side / Float(size.height), 1),
                        width: min(side / Float(size.width), 1)
                    )
                }
            }
        }
    }
}

extension SSDAnchors {
    /// The anchors of a published model, which its file does not hold.
    struct Published: Sendable {
        /// The model in words, for example "SSD MobileNet at 300 × 300 pixels".
        let name: String
        let anchors: SSDAnchors
        /// The only size of the input; nil for any.
        var inputSize: PixelSize?
        /// The number of scores of each anchor; nil for any.
        var columnCount: Int?
        var classNames: [String]?
        var summary = "SSD with raw boxes and scores"
        var scoreThreshold: Float = 0.5
        var iouThreshold: Float = 0.6

        /// SSD MobileNet of the TensorFlow object detection API.
        static let mobileNet = Published(name: "SSD MobileNet at 300 × 300 pixels", anchors: SSDAnchors())
        /// RFB-320 and slim-320 without post-processing (`TFLiteFaceDetector.py` in Linzaer's repository).
        static let ultraLightFace = Published(
            name: "Ultra-Light-Face at 320 × 240 pixels",
            anchors: {
                var anchors = SSDAnchors()
                anchors.squares = [
                    Squares(stride: 8, sizes: [10, 16, 24]), Squares(stride: 16, sizes: [32, 48]),
                    Squares(stride: 32, sizes: [64, 96]), Squares(stride: 64, sizes: [128, 192, 256]),
                ]
                anchors.activation = .none
                anchors.hasXFirst = true
                return anchors
            }(),
            inputSize: PixelSize(width: 320, height: 240),
            columnCount: 2,
            classNames: ["face"],
            summary: "Ultra-Light-Face, with raw boxes and scores",
            scoreThreshold: 0.6,
            iouThreshold: 0.3
        )
    }
}
