/// The anchors of a raw SSD head, as a sidecar describes them: the boxes to which the head's offsets refer.
///
/// Anchors are laid out as the TensorFlow object detection API's multiple-grid generator does it (W. Liu et al., "SSD:
/// Single Shot MultiBox Detector", 2016, section 2.2): for each feature map, cell by cell in row-major order, one box
/// per aspect ratio and one more of the geometric mean of this scale and the next. A sidecar can also give ``squares``, or list all anchors.
public struct SSDAnchors: Sendable, Hashable, Codable {
    /// Each anchor listed, in the order of the outputs: center y, center x, height, width, as fractions of the
    /// picture. Nil to lay them out from the fields below.
    public var boxes: [[Float]]?
    /// Square anchors of given sizes, as face detectors have them; nil to lay anchors out from the fields below.
    public var squares: [Squares]?
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
    /// The number by which y and x offsets are divided.
    public var centerScale: Float = 10
    /// The number by which height and width offsets are divided.
    public var sizeScale: Float = 5
    /// The conversion of class scores to confidences.
    public var activation = Activation.sigmoid
    /// Whether class 0 is the background.
    public var hasBackground = true
    /// Whether offsets are those of x, y, width and height; otherwise of y, x, height and width.
    public var hasXFirst = false

    /// The square anchors of a feature map, which has a cell for each `stride` pixels of the input, rounded up (Linzaer,
    /// "Ultra-Light-Fast-Generic-Face-Detector-1MB"; S. Zhang et al., "S³FD: Single Shot Scale-invariant Face Detector", 2017).
    ///
    /// At the center of each cell lies one anchor for each size. No anchor is larger than the input.
    public struct Squares: Sendable, Hashable, Codable {
        /// The distance between cells in pixels of the input.
        public var stride: Int
        /// The sides of the anchors at a cell in pixels of the input.
        public var sizes: [Float]

        /// Describes the anchors of a map.
        public init(stride: Int, sizes: [Float]) { (self.stride, self.sizes) = (stride, sizes) }
    }

    /// The conversion of class scores to confidences.
    public enum Activation: String, Sendable, Hashable, Codable, CaseIterable {
        /// The scores are confidences already.
        case none
        /// 1 / (1 + e^−x), for each class separately.
        case sigmoid
        /// e^x over the sum of all classes.
        case softmax
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case boxes, squares, featureMaps, minimumScale, maximumScale, aspectRatios, reducesFinestMap, centerScale,
            sizeScale
        case activation, hasBackground, hasXFirst
    }

    /// Creates the anchors of SSD MobileNet at 300 × 300 pixels, with these feature maps.
    public init(featureMaps: [Int] = [19, 10, 5, 3, 2, 1]) {
        self.featureMaps = featureMaps
    }

    /// Reads the fields that the file has; the rest keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            value = try fields.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        boxes = try fields.decodeIfPresent([[Float]].self, forKey: .boxes)
        squares = try fields.decodeIfPresent([Squares].self, forKey: .squares)
        try read(.featureMaps, into: &featureMaps)
        try read(.minimumScale, into: &minimumScale)
        try read(.maximumScale, into: &maximumScale)
        try read(.aspectRatios, into: &aspectRatios)
        try read(.reducesFinestMap, into: &reducesFinestMap)
        try read(.centerScale, into: &centerScale)
        try read(.sizeScale, into: &sizeScale)
        try read(.activation, into: &activation)
        try read(.hasBackground, into: &hasBackground)
        try read(.hasXFirst, into: &hasXFirst)
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
        if let squares,
            !squares.allSatisfy({ map in
                (1...1024).contains(map.stride) && map.sizes.count <= 16 && map.sizes.allSatisfy(Self.isSize)
            }) || squares.count > 16
        {
            return (
                .squares,
                "there may be at most 16 maps, each with a stride of 1 to 1,024 pixels and at most 16 sizes, which are more than 0"
            )
        }
        if !(featureMaps.allSatisfy { (1...1024).contains($0) } && featureMaps.count <= 16) {
            return (.featureMaps, "there may be at most 16 feature maps, each 1 to 1,024 cells wide")
        }
        if !(aspectRatios.allSatisfy(Self.isSize) && aspectRatios.count <= 16) {
            return (.aspectRatios, "there may be at most 16 ratios, each of them more than 0")
        }
        for (key, scale) in [
            (CodingKeys.minimumScale, minimumScale), (.maximumScale, maximumScale), (.centerScale, centerScale),
            (.sizeScale, sizeScale),
        ] where !Self.isSize(scale) {
            return (key, "it is \(scale); it must be more than 0")
        }
        return nil
    }

    private static func isSize(_ value: Float) -> Bool { value.isFinite && value > 0 }
}
