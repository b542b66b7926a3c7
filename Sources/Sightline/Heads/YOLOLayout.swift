import TensorFlowLite

/// Where the numbers of a box lie in the output of a YOLO model.
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
    var firstClass: Int { hasObjectness ? 5 : 4 }
    var hasObjectness: Bool { version != .v8 }

    /// Finds the layout; nil if the shape is that of no YOLO model.
    ///
    /// - Parameters:
    ///   - shape: the output's shape.
    ///   - prototypeCount: the number of prototypes for masks in another output; nil if there is no such output.
    init?(shape: [Int], prototypeCount: Int?, inputSize: PixelSize, files: ModelFiles) {
        guard shape.count == 3, shape[0] == 1, shape[1] > 0, shape[2] > 0 else { return nil }
        let cells = Self.grid(inputSize).count
        // The known number of classes tells which numbers are scores; otherwise the longer side counts boxes.
        let layouts: [(version: Version, isTransposed: Bool)] =
            switch files.sidecar.head {
            case .yolov5?: [(.v5, false)]
            case .yolov8?: [(.v8, true), (.v8, false)]
            case .yolox?: [(.yolox, false)]
            case nil: [(.v8, true)] + (shape[1] == cells ? [(.yolox, false)] : []) + [(.v5, false), (.v8, false)]
            default: []
            }
        for (version, isTransposed) in layouts {
            let columns = shape[isTransposed ? 1 : 2]
            guard let known = Self.knownClassCount(files),
                let extra = Self.extra(columns - (version == .v8 ? 4 : 5) - known, prototypeCount, files)
            else { continue }
            self.init(version, isTransposed: isTransposed, shape: shape, classCount: known, extra: extra)
            return
        }
        let isTransposed = shape[1] < shape[2]
        guard let fallback = layouts.first(where: { $0.isTransposed == isTransposed }) ?? layouts.first else {
            return nil
        }
        let extraCount = prototypeCount ?? 0
        let columns = shape[fallback.isTransposed ? 1 : 2]
        let classCount = columns - (fallback.version == .v8 ? 4 : 5) - extraCount
        guard classCount > 0 else { return nil }
        self.init(
            fallback.version,
            isTransposed: fallback.isTransposed,
            shape: shape,
            classCount: classCount,
            extra: extraCount > 0 ? .maskCoefficients(extraCount) : .none
        )
    }

    private init(_ version: Version, isTransposed: Bool, shape: [Int], classCount: Int, extra: Extra) {
        self.version = version
        self.isTransposed = isTransposed
        boxCount = shape[isTransposed ? 2 : 1]
        columnCount = shape[isTransposed ? 1 : 2]
        self.classCount = classCount
        self.extra = extra
    }

    /// The number of classes by the labels that certainly belong to the model.
    private static func knownClassCount(_ files: ModelFiles) -> Int? {
        if let names = files.ultralytics?.names { return names.names.count }
        guard let labels = files.labels, !labels.isGuess else { return nil }
        return labels.list.names.count - (labels.list.startsWithBackground ? 1 : 0)
    }

    /// What a number of values behind the class scores means; nil if the model has no such values.
    private static func extra(_ count: Int, _ prototypeCount: Int?, _ files: ModelFiles) -> Extra? {
        guard count >= 0 else { return nil }
        switch files.ultralytics?.task {
        case .segment?: return count > 0 && count == prototypeCount ?? count ? .maskCoefficients(count) : nil
        case .pose?: return count > 0 ? .keypoints(count) : nil
        case .obb?: return count == 1 ? .angle : nil
        case .classify?, .semantic?, .depth?: return nil
        case .detect?, nil: break
        }
        if let prototypeCount { return count == prototypeCount ? .maskCoefficients(count) : nil }
        // The skeleton of COCO: 17 points of x, y and confidence.
        if count == 51, files.ultralytics?.task == nil { return .keypoints(count) }
        return count == 0 ? Extra.none : nil
    }

    /// The cells of a YOLOX, with their strides in pixels.
    static func grid(_ size: PixelSize) -> [(x: Float, y: Float, stride: Float)] {
        [8, 16, 32].flatMap { stride in
            (0..<size.height / stride).flatMap { row in
                (0..<size.width / stride).map { (Float($0), Float(row), Float(stride)) }
            }
        }
    }
}

extension YOLOLayout.Extra {
    /// What is not used, in words; nil if everything is used.
    func unusedSummary(of output: String) -> String? {
        switch self {
        case .none: nil
        case .maskCoefficients(let count): "the \(count) mask coefficients of each box in \(output)"
        case .keypoints(let count): "the \(count) numbers of key points of each box in \(output)"
        case .angle: "the angle of each box in \(output), beyond the upright rectangle around the oriented box"
        }
    }
}
