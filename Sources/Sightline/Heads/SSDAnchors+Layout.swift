extension SSDAnchors {
    /// The number of anchors, counted without laying them out: a few numbers can describe hundreds of millions.
    var count: Int {
        if let boxes { return boxes.count }
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
    func layout() -> [Box] {
        if let boxes { return boxes.map { Box(y: $0[0], x: $0[1], height: $0[2], width: $0[3]) } }
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
