/// The boxes that a raw SSD head's offsets refer to.
///
/// They are laid out as the TensorFlow object detection API's multiple-grid generator does it (W. Liu et al., "SSD:
/// Single Shot MultiBox Detector", 2016, section 2.2): for each feature map, cell by cell in row-major order, one box
/// per aspect ratio and one more of the geometric mean of this scale and the next. Or they are listed one by one.
public struct SSDAnchors: Sendable, Hashable, Codable {
    /// Every anchor by itself, in the order of the outputs: centre y, centre x, height, width, as fractions of the
    /// picture. Nil to lay them out from the fields below.
    public var boxes: [[Float]]?
    /// Width and height of each feature map in cells, the finest first, for example `[19, 10, 5, 3, 2, 1]`.
    public var featureMaps: [Int]
    /// The scale of the finest map, as a fraction of the picture.
    public var minimumScale: Float = 0.2
    /// The scale of the coarsest map.
    public var maximumScale: Float = 0.95
    /// Width over height of the boxes at a cell.
    public var aspectRatios: [Float] = [1, 2, 0.5, 3, 1.0 / 3]
    /// Whether the finest map has three boxes a cell only.
    public var reducesFinestMap = true
    /// What y and x offsets are divided by.
    public var centreScale: Float = 10
    /// What height and width offsets are divided by.
    public var sizeScale: Float = 5
    /// How class scores become confidences.
    public var activation = Activation.sigmoid
    /// Whether class 0 is the background.
    public var hasBackground = true

    /// How class scores become confidences.
    public enum Activation: String, Sendable, Hashable, Codable, CaseIterable {
        /// They are confidences already.
        case none
        /// 1 / (1 + e^−x), each class by itself.
        case sigmoid
        /// e^x over the sum of all classes.
        case softmax
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case boxes, featureMaps, minimumScale, maximumScale, aspectRatios, reducesFinestMap, centreScale, sizeScale
        case activation, hasBackground
    }

    /// The anchors of SSD MobileNet at 300 × 300 pixels, with the feature maps given.
    public init(featureMaps: [Int] = [19, 10, 5, 3, 2, 1]) {
        self.featureMaps = featureMaps
    }

    /// Reads the fields that are there; the rest keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            value = try fields.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        boxes = try fields.decodeIfPresent([[Float]].self, forKey: .boxes)
        try read(.featureMaps, into: &featureMaps)
        try read(.minimumScale, into: &minimumScale)
        try read(.maximumScale, into: &maximumScale)
        try read(.aspectRatios, into: &aspectRatios)
        try read(.reducesFinestMap, into: &reducesFinestMap)
        try read(.centreScale, into: &centreScale)
        try read(.sizeScale, into: &sizeScale)
        try read(.activation, into: &activation)
        try read(.hasBackground, into: &hasBackground)
        if let (key, reason) = problem {
            throw DecodingError.dataCorruptedError(forKey: key, in: fields, debugDescription: reason)
        }
    }

    /// The field that cannot be used, and why; nil if all can.
    var problem: (key: CodingKeys, reason: String)? {
        if let boxes, let row = boxes.firstIndex(where: { $0.count != 4 || !$0.allSatisfy(\.isFinite) }) {
            return (
                .boxes,
                "row \(row + 1) has \(boxes[row].count) numbers; it must have 4: center y, center x, height, width"
            )
        }
        if !(featureMaps.allSatisfy { (1...1024).contains($0) } && featureMaps.count <= 16) {
            return (.featureMaps, "there may be at most 16 feature maps, each 1 to 1,024 cells wide")
        }
        if !(aspectRatios.allSatisfy(Self.isSize) && aspectRatios.count <= 16) {
            return (.aspectRatios, "there may be at most 16 ratios, each of them more than 0")
        }
        for (key, scale) in [
            (CodingKeys.minimumScale, minimumScale), (.maximumScale, maximumScale), (.centreScale, centreScale),
            (.sizeScale, sizeScale),
        ] where !Self.isSize(scale) {
            return (key, "it is \(scale); it must be more than 0")
        }
        return nil
    }

    private static func isSize(_ value: Float) -> Bool { value.isFinite && value > 0 }

    /// How many anchors there are, without laying them out: a few numbers can ask for hundreds of millions.
    var count: Int {
        if let boxes { return boxes.count }
        return featureMaps.enumerated().reduce(0) { sum, map in
            sum + map.element * map.element * shapes(level: map.offset).count
        }
    }

    /// One anchor: centre and size as fractions of the picture.
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
