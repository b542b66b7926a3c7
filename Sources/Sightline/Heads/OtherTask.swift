import TensorFlowLite

/// Recognizes models for other tasks, so that an error can name the task.
///
/// The descriptions follow the shapes of the models that MediaPipe, TensorFlow Hub and Ultralytics publish.
enum OtherTask {
    /// A sentence part such as "it is a segmentation model, which …"; nil for other models.
    static func summary(of files: ModelFiles) -> String? {
        byMetadata(files) ?? OtherInput.summary(of: files) ?? byOutputs(files) ?? vectorSummary(of: files)
    }

    private static func byMetadata(_ files: ModelFiles) -> String? {
        switch files.ultralytics?.task {
        case .semantic?: "it is a segmentation model, which gives a class for each pixel"
        case .depth?: "it is a depth model, which gives a distance for each pixel"
        default: nil
        }
    }

    // MARK: - Outputs

    /// The points of COCO's skeleton.
    private static let skeletonPoints = 17
    /// The numbers of MediaPipe's hands, bodies and faces, and of the 68, 98 or 106 points of a face.
    private static let landmarkCounts: Set = [63, 195, 1404, 1434, 136, 196, 212]

    private static func byOutputs(_ files: ModelFiles) -> String? {
        let shapes = files.outputShapes
        if shapes.contains(where: { $0.suffix(2) == [skeletonPoints, 3] }) {
            return "it is a pose model, which gives the points of a skeleton"
        }
        if shapes.contains(where: { $0.last == skeletonPoints && $0.count == 4 }),
            shapes.contains(where: { $0.last == 2 * skeletonPoints && $0.count == 4 })
        {
            return "it is a pose model, which gives a heat map for each point of a skeleton"
        }
        if shapes.contains(where: isPoints) {
            return "it is a landmark model, which gives the points of a hand, body or face"
        }
        if shapes.count == 2, shapes.allSatisfy({ $0.count == 3 }), shapes[0][1] == shapes[1][1],
            shapes.contains(where: { $0[2] == 1 }),
            let columns = shapes.lazy.map({ $0[2] }).first(where: { (12...18).contains($0) })
        {
            // A box and two numbers for each key point.
            return switch columns {
            case 18: "it is a palm detector with seven key points, whose anchors are not in the file"
            case 12: "it is a pose detector with four key points, whose anchors are not in the file"
            case 16: "it is a face detector with six key points, but not one of MediaPipe's, whose anchors are known"
            default: "it is a detector of faces, hands or bodies with key points, whose anchors are not in the file"
            }
        }
        return byMap(shapes, files) ?? byRows(shapes, files) ?? (isEmbedding(files) ? embedding : nil)
    }

    /// Whether a shape is that of coordinates: in a single list, or two or three numbers for each of some points.
    private static func isPoints(_ shape: [Int]) -> Bool {
        if landmarkCounts.contains(shape.last ?? 0), shape.dropLast().allSatisfy({ $0 == 1 }) { return true }
        return shape.count == 3 && shape[0] == 1 && shape[1] >= 5 && [2, 3].contains(shape[2])
    }

    private static let embedding = """
        it is an embedding model, which gives numbers to compare pictures by and no classes
        """

    /// Models with a value for each place of a picture.
    private static func byMap(_ shapes: [[Int]], _ files: ModelFiles) -> String? {
        let maps = shapes.filter { $0.count == 4 || $0.count == 3 }.filter { $0[0] == 1 }
        guard maps.count == shapes.count, let map = maps.first,
            let (input, isPlanarInput) = picture(files)
        else { return nil }
        let isPlanar = map.count == 4 && isPlanarInput
        let (height, width) = isPlanar ? (map[2], map[3]) : (map[1], map[2])
        let (inputHeight, inputWidth) = (input.height, input.width)
        // A map has the picture's shape and is not much coarser.
        guard height >= 8, width >= 8, inputHeight > 0, inputWidth > 0, height <= 1 << 16, width <= 1 << 16,
            height * inputWidth == width * inputHeight, height * 16 >= inputHeight
        else { return nil }
        let channels = map.count == 3 ? 1 : isPlanar ? map[1] : map[3]
        if channels == 3, height >= inputHeight {
            return "it gives a picture of \(width) × \(height) pixels, as models for styles and resolution do"
        }
        let classes = channels == 1 ? "the probability of one class" : "scores of \(channels) classes"
        return """
            it is a segmentation or depth model, which gives values for each of \(width) × \(height) places; if these are \(classes), give \
            a list of \(channels == 1 ? "its label" : "the \(channels) labels"), and its objects have masks
            """
    }

    /// The size of the picture, and whether its colors are in separate planes; nil where the model leaves the size open.
    private static func picture(_ files: ModelFiles) -> (size: PixelSize, isPlanar: Bool)? {
        guard let input = files.model.inputs.first(where: { $0.shape.dimensions.count == 4 })?.shape.dimensions else {
            return nil
        }
        let isPlanar = [1, 3].contains(input[1]) && ![1, 3].contains(input[3])
        let (height, width) = isPlanar ? (input[2], input[3]) : (input[1], input[2])
        return height > 0 && width > 0 ? (PixelSize(width: width, height: height), isPlanar) : nil
    }

    /// Models with a row of numbers for each place, part or character of a picture.
    private static func byRows(_ shapes: [[Int]], _ files: ModelFiles) -> String? {
        guard shapes.count == 1, shapes[0].count == 3, shapes[0][0] == 1, let (size, _) = picture(files) else {
            return nil
        }
        let (rows, columns) = (shapes[0][1], shapes[0][2])
        func places(_ step: Int) -> Int { (size.width / step) * (size.height / step) }
        // A transformer may have up to five rows for the whole picture beside those of its parts.
        if columns >= 128, [8, 14, 16, 32].contains(where: { (places($0)...places($0) + 5).contains(rows) }) {
            return "it is an embedding model, which gives features for each part of a picture and no classes"
        }
        if rows >= 64, [1, 2, 4, 8].contains(where: { places($0) == rows }) {
            return "it is a segmentation model, which gives values for each of \(rows) places"
        }
        let isWide = max(size.width, size.height) >= 2 * min(size.width, size.height)
        guard isWide, rows <= max(size.width, size.height), columns >= 10 else { return nil }
        return "it is a text reader, which gives scores of \(columns) characters for each of \(rows) places"
    }

    /// The numbers of classes of ImageNet. Some classifiers for them end in a mean over all places.
    private static let imageNetCounts: Set = [1000, 1001]
    private static let poolingOperators: Set = [
        "AVERAGE_POOL_2D", "L2_NORMALIZATION", "MEAN", "AveragePool", "GlobalAveragePool", "LpNormalization",
        "ReduceMean",
    ]

    /// The task of a model whose single output is a vector, if the numbers are not those of classes; otherwise nil.
    static func vectorSummary(of files: ModelFiles) -> String? {
        if let other = OtherInput.summary(of: files) { return other }
        guard files.model.outputs.count == 1, let shape = files.outputShapes.first, shape.count != 3 else { return nil }
        // These operators make confidences.
        let producer = files.model.outputs.first?.producer?.valueOperatorName ?? ""
        if ["LOGISTIC", "SOFTMAX", "Sigmoid", "Softmax"].contains(producer) { return nil }
        if isPoints(shape) { return "it is a landmark model, which gives the points of a hand, body or face" }
        if shape.allSatisfy({ $0 == 1 }) { return "it estimates a number, which is not the confidence of a class" }
        return isEmbedding(files) ? embedding : nil
    }

    /// Whether a single vector is one of features rather than of classes: nothing but pooling computes it, or its name says so.
    private static func isEmbedding(_ files: ModelFiles) -> Bool {
        guard files.model.outputs.count == 1, let output = files.model.outputs.first else { return false }
        let shape = files.outputShapes[0]
        guard let count = shape.last, count >= 32, shape.dropLast().allSatisfy({ $0 == 1 }) else { return false }
        let metadata = files.model.metadata?.outputs.first?.name ?? ""
        if (output.name + metadata).lowercased().contains("embedding") { return true }
        return !imageNetCounts.contains(count) && poolingOperators.contains(output.producer?.valueOperatorName ?? "")
    }
}
