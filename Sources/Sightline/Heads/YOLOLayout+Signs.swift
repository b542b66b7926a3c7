import TensorFlowLite

/// The signs by which a model's output is known to be that of a YOLO: the sidecar, the metadata, the labels, the number of boxes.
///
/// A shape alone is not a sign: maps of pixels, readers of text and models of features have three dimensions, too.
extension YOLOLayout {
    /// Finds the layout; nil without a sign.
    ///
    /// - Parameters:
    ///   - shape: the output's shape.
    ///   - prototypeCount: the number of prototypes for masks in another output; nil if there is no such output.
    init?(shape: [Int], prototypeCount: Int?, inputSize: PixelSize, files: ModelFiles) {
        guard shape.count == 3, shape[0] == 1, shape[1] > 0, shape[2] > 0,
            ![.classify, .semantic, .depth].contains(files.ultralytics?.task)
        else { return nil }
        let signs = Signs(shape: shape, inputSize: inputSize, files: files)
        guard
            let layout = Self.confirmed(shape, prototypeCount, signs, files)
                ?? Self.counted(shape, prototypeCount, signs)
        else {
            return nil
        }
        self = layout
    }

    /// The known facts about a model beside the shape of its output.
    private struct Signs {
        /// The name in the sidecar.
        let head: ModelSidecar.Head?
        /// Whether the sidecar or the metadata of Ultralytics' exporter says that the model is a YOLO.
        let isNamed: Bool
        /// The boxes for each cell of the usual grids, if rows are boxes.
        let boxesPerCellOfRows: Int?
        /// The boxes for each cell of the usual grids, if columns are boxes.
        let boxesPerCellOfColumns: Int?
        /// Whether the output has the shape of the picture, as maps have.
        let isMap: Bool
        /// Whether there are as many rows as a YOLOX has cells.
        let hasCellsOfYOLOX: Bool

        init(shape: [Int], inputSize: PixelSize, files: ModelFiles) {
            head = files.sidecar.head
            isNamed = head != nil || files.ultralytics != nil
            // Small numbers are those of some grid by chance; a YOLO has more boxes than numbers of a box.
            let isLong = shape[1] > shape[2]
            boxesPerCellOfRows = isLong ? CellGrids.boxesPerCell(count: shape[1], over: inputSize) : nil
            boxesPerCellOfColumns = isLong ? nil : CellGrids.boxesPerCell(count: shape[2], over: inputSize)
            isMap = shape[1] * inputSize.width == shape[2] * inputSize.height
            hasCellsOfYOLOX = shape[1] == CellGrids.cells(inputSize).count
        }

        var isOnGrids: Bool { boxesPerCellOfRows != nil || boxesPerCellOfColumns != nil }
    }

    // MARK: - With labels

    /// The layout whose class scores are as many as the labels.
    private static func confirmed(
        _ shape: [Int],
        _ prototypeCount: Int?,
        _ signs: Signs,
        _ files: ModelFiles
    ) -> YOLOLayout? {
        guard let known = knownClassCount(files), signs.isNamed || signs.isOnGrids || !signs.isMap else { return nil }
        let layouts: [(version: Version, isTransposed: Bool)] =
            switch signs.head {
            case .yolov5?: [(.v5, false), (.v5, true)]
            case .yolov8?: [(.v8, true), (.v8, false)]
            case .yolox?: [(.yolox, false)]
            case nil:
                [(.v8, true)] + (signs.hasCellsOfYOLOX ? [(.yolox, false)] : [])
                    + [(.v5, false), (.v8, false)] + (signs.boxesPerCellOfColumns == 3 ? [(.v5, true)] : [])
            default: []
            }
        for (version, isTransposed) in layouts {
            let others = shape[isTransposed ? 1 : 2] - version.boxNumbers - known
            guard let extra = extra(others, prototypeCount, files) else { continue }
            return YOLOLayout(version, isTransposed: isTransposed, shape: shape, classCount: known, extra: extra)
        }
        return nil
    }

    /// The number of classes by the labels that certainly belong to the model.
    private static func knownClassCount(_ files: ModelFiles) -> Int? {
        if let names = files.ultralytics?.names { return names.names.count }
        guard let labels = files.labels, !labels.isGuess else { return nil }
        return labels.list.names.count - (labels.list.startsWithBackground ? 1 : 0)
    }

    /// The meaning of a number of values behind the class scores; nil if the model has no such values.
    private static func extra(_ count: Int, _ prototypeCount: Int?, _ files: ModelFiles) -> Extra? {
        guard count >= 0 else { return nil }
        switch files.ultralytics?.task {
        case .segment?: return count > 0 && count == prototypeCount ?? count ? .maskCoefficients(count) : nil
        case .pose?: return count > 0 ? .keypoints(count) : nil
        case .obb?: return count == 1 ? .angle : nil
        case .detect?, .classify?, .semantic?, .depth?, nil: break
        }
        if let prototypeCount { return count == prototypeCount ? .maskCoefficients(count) : nil }
        if count == skeletonNumbers, files.ultralytics?.task == nil { return .keypoints(count) }
        return count == 0 ? Extra.none : nil
    }

    // MARK: - Without labels

    private static let cocoClasses = 80
    private static let skeletonNumbers = PointColumns.bodyNumbers

    /// The layout of a model without fitting labels whose number of boxes, or whose name, is that of a YOLO.
    private static func counted(_ shape: [Int], _ prototypeCount: Int?, _ signs: Signs) -> YOLOLayout? {
        guard signs.isNamed || signs.isOnGrids && !signs.isMap else { return nil }
        let isTransposed =
            switch (signs.boxesPerCellOfRows, signs.boxesPerCellOfColumns) {
            case (_?, nil): false
            case (nil, _?): true
            default: shape[1] < shape[2]
            }
        let factors = prototypeCount ?? 0
        let columns = shape[isTransposed ? 1 : 2] - factors
        guard let version = version(columns: columns, isTransposed: isTransposed, signs) else { return nil }
        let scores = columns - version.boxNumbers
        if prototypeCount == nil, scores == 1 + skeletonNumbers {
            return YOLOLayout(
                version,
                isTransposed: isTransposed,
                shape: shape,
                classCount: 1,
                extra: .keypoints(skeletonNumbers),
                assumption: "The \(columns) numbers of a box are taken for a box, a confidence and 17 key points."
            )
        }
        guard scores > 0 else { return nil }
        let isGuess = version == .yolox && signs.head == nil
        return YOLOLayout(
            version,
            isTransposed: isTransposed,
            shape: shape,
            classCount: scores,
            extra: factors > 0 ? .maskCoefficients(factors) : .none,
            assumption: isGuess
                ? "The \(columns) numbers of a box are taken for a box, an objectness and \(scores) class scores." : nil
        )
    }

    /// The version of a model without fitting labels; nil if nothing shows it.
    private static func version(columns: Int, isTransposed: Bool, _ signs: Signs) -> Version? {
        switch signs.head {
        case .yolov5?: return .v5
        case .yolov8?: return .v8
        case .yolox?: return isTransposed ? nil : .yolox
        case nil: break
        default: return nil
        }
        // Versions with three boxes for each cell have an objectness.
        if (isTransposed ? signs.boxesPerCellOfColumns : signs.boxesPerCellOfRows) == 3 { return .v5 }
        if isTransposed { return .v8 }
        // A box has 4 numbers beside its class scores, or 5 with an objectness; the 80 classes of COCO decide.
        if columns == 4 + cocoClasses || columns == 5 + skeletonNumbers { return .v8 }
        if signs.hasCellsOfYOLOX { return .yolox }
        return columns == 5 + cocoClasses || signs.isNamed ? .v5 : nil
    }
}

extension YOLOLayout.Version {
    /// The numbers of a box before its class scores.
    var boxNumbers: Int { self == .v8 ? 4 : 5 }
}
