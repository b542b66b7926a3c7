import TensorFlowLite

/// The positions of a box's numbers in the output of a YOLO model.
struct YOLOLayout: Sendable, Hashable {
    /// The versions that differ in their output.
    enum Version: Sendable, Hashable {
        /// Rows of center, size, objectness and class scores, boxes decoded. Ultralytics YOLOv5 and what followed its export.
        case v5
        /// Center, size and class scores without objectness. YOLOv8 to YOLO12; RT-DETR.
        case v8
        /// As YOLOv5, over grids of strides 8, 16, 32. Z. Ge et al., "YOLOX", 2021.
        case yolox
    }

    /// The numbers behind the class scores.
    enum Extra: Sendable, Hashable {
        case none
        /// The factors of the prototypes that make an object's mask.
        case maskCoefficients(Int)
        /// The points of an object's skeleton.
        case keypoints(Int)
        /// The angle of an oriented box in radians, clockwise from the x axis.
        case angle
    }

    let version: Version
    /// Whether a box is a column of the output rather than a row.
    let isTransposed: Bool
    let boxCount: Int
    let columnCount: Int
    let classCount: Int
    let extra: Extra

    /// Where the class scores begin.
    var firstClass: Int { version.boxNumbers }
    var hasObjectness: Bool { version != .v8 }

    /// A sentence about the layout where it is a guess that only labels or a sidecar could confirm.
    let assumption: String?

    init(
        _ version: Version,
        isTransposed: Bool,
        shape: [Int],
        classCount: Int,
        extra: Extra,
        assumption: String? = nil
    ) {
        self.version = version
        self.isTransposed = isTransposed
        boxCount = shape[isTransposed ? 2 : 1]
        columnCount = shape[isTransposed ? 1 : 2]
        self.classCount = classCount
        self.extra = extra
        self.assumption = assumption
    }
}

extension YOLOLayout.Extra {
    /// The parts in words, for those that a head does not use; nil if there are none.
    func unusedSummary(of output: String) -> String? {
        switch self {
        case .none: nil
        case .maskCoefficients(let count): "the \(count) mask coefficients of each box in \(output)"
        case .keypoints(let count): "the \(count) numbers of key points of each box in \(output)"
        case .angle: "the angle of each box in \(output), beyond the upright rectangle around the oriented box"
        }
    }
}
