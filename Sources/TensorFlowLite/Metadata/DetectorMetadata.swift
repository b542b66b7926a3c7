/// The description that MediaPipe adds to a detector without post-processing: its anchors, and how boxes are decoded with them.
///
/// Source of the format: `ObjectDetectorOptions` of MediaPipe's object detector metadata schema (file identifier V001), which a
/// model carries as custom metadata with the name `DETECTOR_METADATA`.
public struct DetectorMetadata: Sendable, Hashable {
    /// A box to which the model's offsets refer, in fractions of the picture.
    public struct Anchor: Sendable, Hashable {
        /// The horizontal center: 0 at the left edge, 1 at the right edge.
        public let centerX: Float
        /// The vertical center: 0 at the top edge, 1 at the bottom edge.
        public let centerY: Float
        /// The width.
        public let width: Float
        /// The height.
        public let height: Float
    }

    /// The anchors, in the order of the model's boxes.
    public let anchors: [Anchor]
    /// The number by which horizontal offsets are divided. Finite, never 0.
    public let xScale: Float
    /// The number by which vertical offsets are divided. Finite, never 0.
    public let yScale: Float
    /// The number by which width offsets are divided. Finite, never 0.
    public let widthScale: Float
    /// The number by which height offsets are divided. Finite, never 0.
    public let heightScale: Float
    /// Whether a size is e^offset times that of its anchor (true) or offset times that of its anchor (false).
    public let hasExponentialSizes: Bool
    /// Whether a score becomes a confidence by 1 / (1 + e^−score).
    public let hasSigmoidScores: Bool
}

extension DetectorMetadata {
    static let name = "DETECTOR_METADATA"

    /// Reads the bytes of the custom metadata; nil if a number in them is unusable.
    init?(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
        let buffer = FlatBuffer(bytes: bytes, budget: FlatBufferBudget(maximumElements: 1_000_000))
        guard buffer.identifier == "V001" else { return nil }
        let root = try buffer.root()
        guard let decoding = try root.table(2), let anchors = try root.table(1)?.table(0)?.tables(0) else { return nil }
        self.anchors = try anchors.map { _, anchor throws(FlatBufferError) in
            Anchor(
                centerX: try anchor.float(0, default: 0),
                centerY: try anchor.float(1, default: 0),
                width: try anchor.float(2, default: 0),
                height: try anchor.float(3, default: 0)
            )
        }
        xScale = try decoding.float(6, default: 0)
        yScale = try decoding.float(7, default: 0)
        widthScale = try decoding.float(8, default: 0)
        heightScale = try decoding.float(9, default: 0)
        hasExponentialSizes = try decoding.integer(10, default: UInt8(0)) != 0
        hasSigmoidScores = try decoding.integer(11, default: UInt8(0)) != 0
        guard [xScale, yScale, widthScale, heightScale].allSatisfy({ $0.isFinite && $0 != 0 }),
            self.anchors.allSatisfy({ [$0.centerX, $0.centerY, $0.width, $0.height].allSatisfy(\.isFinite) })
        else { return nil }
    }
}
