import TensorFlowLite

/// The outputs of the operator TFLite_Detection_PostProcess: boxes, classes, scores, and the number of valid rows.
///
/// The operator has suppressed overlapping boxes already. Boxes are top, left, bottom, right as fractions of the input.
struct SSDPostProcessHead: DetectorHead {
    let boxes: OutputTensor
    let classes: OutputTensor
    let scores: OutputTensor
    let count: OutputTensor?
    let classCount: Int?
    let assumptions: [String]
    private let model: String
    /// The number of valid rows where the model does not give it; later rows are leftovers in memory.
    private let maximumCount: Int

    private static let operatorName = "TFLite_Detection_PostProcess"
    private static let maximumCapacityWithoutCount = 500

    /// On 167 photos of COCO, Google's object localizer finds 54 % of the objects above 5 % of the area at 0.3 (67 % of
    /// its boxes are right) but 38 % at 0.5; COCO SSD finds 72 % at 0.5 (68 % right).
    var defaultScoreThreshold: Float { classCount == 1 ? 0.3 : 0.5 }
    let defaultIoUThreshold: Float? = nil
    let summary: String

    static let names = [ModelSidecar.Head.ssdPostProcess]

    static func find(in files: ModelFiles) throws(LocalModelError) -> SSDPostProcessHead? {
        try SSDPostProcessHead(files)
    }

    private init?(_ files: ModelFiles) throws(LocalModelError) {
        guard let roles = Self.roles(files) else { return nil }
        boxes = try OutputTensor(roles.outputs.boxes, of: files)
        classes = try OutputTensor(roles.outputs.classes, of: files)
        scores = try OutputTensor(roles.outputs.scores, of: files)
        if let index = roles.outputs.count { count = try OutputTensor(index, of: files) } else { count = nil }
        model = files.name
        assumptions = roles.assumptions
        let hasOperator = files.model.operators.contains { $0.name == Self.operatorName }
        summary = hasOperator ? "SSD with \(Self.operatorName)" : "SSD with boxes, classes and scores after suppression"
        maximumCount = files.autoML?.maximumDetections ?? .max
        // Many files leave these shapes open, since the operator sets them. Shapes that are given must fit together.
        let capacities = [boxes, classes, scores].map { $0.shape.dropFirst().first }
        guard Set(capacities.compactMap(\.self)).count <= 1, boxes.shape.isEmpty || boxes.shape.last == 4 else {
            throw .output(
                model: files.name,
                reason:
                    "boxes \(boxes.shape), classes \(classes.shape) and scores \(scores.shape) do not belong together"
            )
        }
        classCount = Self.classCount(files)
    }

    // MARK: - Which output is which

    private static func roles(_ files: ModelFiles) -> (outputs: ModelSidecar.Outputs, assumptions: [String])? {
        if let outputs = files.sidecar.outputs { return (outputs, []) }
        if let traced = tracedRoles(files) { return (traced, []) }
        return shapedRoles(files)
    }

    /// The roles by the operator: its outputs are boxes, classes, scores and count, in this order.
    private static func tracedRoles(_ files: ModelFiles) -> ModelSidecar.Outputs? {
        func output(_ position: Int) -> Int? {
            files.model.outputs.firstIndex {
                $0.producer?.operatorName == operatorName && $0.producer?.position == position
            }
        }
        guard let boxes = output(0), let classes = output(1), let scores = output(2) else { return nil }
        return ModelSidecar.Outputs(boxes: boxes, classes: classes, scores: scores, count: output(3))
    }

    /// Boxes are `[1, n, 4]`, the count is one number, classes and scores are `[1, n]` and told apart by name.
    private static func shapedRoles(_ files: ModelFiles) -> (outputs: ModelSidecar.Outputs, assumptions: [String])? {
        let outputs = files.outputShapes
        guard let boxes = outputs.firstIndex(where: { $0.count == 3 && $0[2] == 4 }) else { return nil }
        let capacity = outputs[boxes][1]
        let lists = outputs.indices.filter { outputs[$0] == [1, capacity] }
        guard lists.count == 2 else { return nil }
        let count = outputs.indices.first { !lists.contains($0) && outputs[$0].allSatisfy { $0 == 1 } }
        // Without the operator and without a count, only TensorFlow's names show that boxes begin with their top.
        let isNamed = ["detection", "location"].contains { name(of: boxes, files).lowercased().contains($0) }
        guard count != nil || isNamed && capacity <= maximumCapacityWithoutCount else { return nil }
        func found(scores place: Int) -> ModelSidecar.Outputs {
            ModelSidecar.Outputs(boxes: boxes, classes: lists[1 - place], scores: lists[place], count: count)
        }
        let names = lists.map { name(of: $0, files).lowercased() }
        let scores = names.firstIndex { $0.contains("score") || $0.contains("prob") || $0.contains("confidence") }
        let classes = names.firstIndex { $0.contains("class") || $0.contains("categor") || $0.contains("label") }
        if let place = scores ?? classes.map({ 1 - $0 }) { return (found(scores: place), []) }
        if let place = numberedScores(lists, boxes: boxes, files) { return (found(scores: place), []) }
        // TensorFlow 1 puts boxes first, then classes and scores; TensorFlow 2 puts scores first, then boxes, count and classes.
        let isOfTensorFlow2 = lists[0] < boxes && boxes < lists[1]
        let first = isOfTensorFlow2 ? "scores" : "classes"
        return (
            found(scores: isOfTensorFlow2 ? 0 : 1),
            ["The outputs do not say which holds classes and which scores; \(first) are assumed to come first."]
        )
    }

    /// The place of the scores among the two lists by numbers in names; nil where there are none.
    ///
    /// The converter of TensorFlow 2 numbers the outputs in its signature, and in the names of tensors: 0 count, 1 scores, 2 classes, 3
    /// boxes. TensorFlow 1 numbers the outputs of the operator: 0 boxes, 1 classes, 2 scores, 3 count. The number of the boxes tells them
    /// apart. Source: tensorflow/examples, lite/examples/object_detection.
    private static func numberedScores(_ lists: [Int], boxes: Int, _ files: ModelFiles) -> Int? {
        let signature = files.model.outputNamesInSignature
        let tensors = files.model.outputs.map(\.name)
        for names in [signature, tensors.map(Optional.some)] {
            let numbers = ([boxes] + lists).map { names.indices.contains($0) ? names[$0].flatMap(number(in:)) : nil }
            // A tensor that has no number is the operator's first.
            let boxesNumber = numbers[0] ?? 0
            guard let first = numbers[1], let second = numbers[2], boxesNumber == 0 || boxesNumber == 3 else {
                continue
            }
            let (ofScores, ofClasses) = boxesNumber == 3 ? (1, 2) : (2, 1)
            if (first, second) == (ofScores, ofClasses) { return 0 }
            if (second, first) == (ofScores, ofClasses) { return 1 }
        }
        return nil
    }

    /// The number at the end of a name such as `output_2` or `StatefulPartitionedCall:2`.
    private static func number(in name: String) -> Int? {
        guard let separator = name.lastIndex(where: { $0 == ":" || $0 == "_" }) else { return nil }
        return Int(name[name.index(after: separator)...])
    }

    /// The name in the metadata, otherwise the tensor's.
    private static func name(of output: Int, _ files: ModelFiles) -> String {
        let metadata = files.model.metadata?.outputs ?? []
        let name = metadata.indices.contains(output) ? metadata[output].name : nil
        return name ?? files.model.outputs[output].name
    }

    /// The operator's second input is `[1, anchors, classes]`, where the first class may be the background.
    private static func classCount(_ files: ModelFiles) -> Int? {
        let producer = files.model.outputs.lazy.compactMap(\.producer).first { $0.operatorName == operatorName }
        guard let columns = producer?.inputShapes.dropFirst().first?.last, columns > 0 else { return nil }
        // Anchors are scored with or without a background column; the number of labels decides.
        guard columns > 1, let labels = files.labels?.list else { return columns == 1 ? 1 : columns - 1 }
        let names = labels.names.count - (labels.startsWithBackground ? 1 : 0)
        return names == columns ? columns : columns - 1
    }

    // MARK: - Reading

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        var valid = maximumCount
        if let count {
            let counted = try values.with(count, of: interpreter) { $0.first ?? 0 }
            guard counted.isFinite else { throw OutputError.notFinite(model: model, tensor: count.name) }
            valid = Int(min(max(counted, 0), 1e6))
        }
        // First the rows with enough confidence, then their boxes and classes.
        var rows: [Int] = []
        var candidates: [Candidate] = []
        let (scores, classes) = try lists(of: interpreter, values: &values, valid: valid)
        try values.with(scores, of: interpreter) { scores in
            for (row, score) in scores.prefix(valid).enumerated() {
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: self.scores.name) }
                guard score >= minimumScore else { continue }
                rows.append(row)
                candidates.append(Candidate(left: 0, top: 0, right: 0, bottom: 0, score: min(score, 1), classIndex: 0))
            }
        }
        try values.with(boxes, of: interpreter) { boxes in
            for (index, row) in rows.enumerated() where row * 4 + 3 < boxes.count {
                candidates[index].top = boxes[row * 4]
                candidates[index].left = boxes[row * 4 + 1]
                candidates[index].bottom = boxes[row * 4 + 2]
                candidates[index].right = boxes[row * 4 + 3]
                guard candidates[index].isFinite else {
                    throw OutputError.notFinite(model: model, tensor: self.boxes.name)
                }
            }
        }
        try values.with(classes, of: interpreter) { classes in
            for (index, row) in rows.enumerated() {
                let value = row < classes.count ? classes[row] : 0
                guard value.isFinite else { throw OutputError.notFinite(model: model, tensor: self.classes.name) }
                candidates[index].classIndex = Int(min(max(value.rounded(), 0), 1e6))
            }
        }
        return candidates
    }

    /// The outputs with scores and classes. Where their order is assumed, values that are not classes show that they are exchanged.
    private func lists(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        valid: Int
    ) throws -> (scores: OutputTensor, classes: OutputTensor) {
        guard !assumptions.isEmpty else { return (scores, classes) }
        func areWhole(_ output: OutputTensor) throws -> Bool {
            try values.with(output, of: interpreter) { $0.prefix(valid).allSatisfy { $0 == $0.rounded() } }
        }
        let isExchanged = try !areWhole(classes) && areWhole(scores)
        return isExchanged ? (classes, scores) : (scores, classes)
    }
}

extension ModelSidecar.Head {
    /// Boxes, classes, scores and a count, as the operator TFLite_Detection_PostProcess gives them.
    public static let ssdPostProcess = Self(rawValue: "ssd-postprocess")
}
