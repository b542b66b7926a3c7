import Foundation

extension CellTrunk {
    /// A model whose outputs are the parts of the features of ``cellCount`` cells, their boxes, and the probabilities that they hold an
    /// object, which fall from row to row.
    ///
    /// - Throws: `ModelTrunkError.layout` or `.invalid`.
    package func cells() throws(ModelTrunkError) -> Model {
        try trunk.written { writer in
            let chosen = try writer.append(self)
            writer.outputs = chosen.features + [chosen.boxes, chosen.confidence]
            for (number, output) in writer.outputs.enumerated() { writer.rename(output, to: "cells \(number)") }
        }
    }

    /// A detector with a new last layer and labels, whose outputs are those of `TFLite_Detection_PostProcess`.
    ///
    /// The confidence of a label for a cell is p · c^exponent, with the probability p of the label and the probability c that the cell holds
    /// an object.
    ///
    /// - Parameters:
    ///   - layer: A weight for each feature, for each label in turn. The first label is that of nothing; `metadata` does not name it.
    ///   - exponent: The power of the probability that a cell holds an object.
    /// - Throws: `ModelTrunkError.layout` or `.invalid`.
    package func detector(
        _ layer: ClassifierLayer,
        exponent: Float,
        _ metadata: ClassifierMetadata
    ) throws(ModelTrunkError) -> Model {
        precondition(
            layer.weights.count == featureCount * layer.bias.count && layer.bias.count == metadata.labels.count + 1,
            "There is a weight for each feature and label."
        )
        let written = try trunk.written { writer in
            let chosen = try writer.append(self)
            let scores = writer.scores(of: chosen, self, layer, exponent: exponent)
            writer.appendSelection(
                boxes: writer.centered(chosen.boxes),
                scores: scores,
                labelCount: metadata.labels.count
            )
            if let input = writer.inputs.first { writer.rename(input, to: "image") }
            writer.metadata = metadata.detectorBytes
        }
        return try written.packing([metadata.labelFile] + metadata.files)
    }
}

/// The operators that name chosen cells and select objects from them.
extension TrunkWriter {
    /// The confidence of each label for each chosen cell, that of nothing first.
    fileprivate mutating func scores(
        of chosen: ChosenCells,
        _ cells: CellTrunk,
        _ layer: ClassifierLayer,
        exponent: Float
    ) -> Int {
        let (kept, labels) = (CellTrunk.cellCount, layer.bias.count)
        let floats = zip(chosen.features, cells.parts).map { part, description in
            let float = computed("cells/features", .float32, [kept, description.count])
            add(.dequantize(2), [part], float)
            return float
        }
        let features = computed("cells/features", .float32, [kept, cells.featureCount])
        add(.concatenation(along: 1), floats, features)
        let weights = addFloats("labels/weights", layer.weights, [labels, cells.featureCount])
        let bias = addFloats("labels/bias", layer.bias, [labels])
        let sums = computed("labels/sums", .float32, [kept, labels])
        add(.fullyConnected(1), [features, weights, bias], sums)
        let probabilities = computed("labels/probabilities", .float32, [kept, labels])
        add(.activation(.softmax, 1), [sums], probabilities)
        let power = computed("cells/power", .float32, [kept, 1])
        add(.power, [chosen.confidence, addFloats("cells/exponent", [exponent], [1])], power)
        let scores = computed("labels/scores", .float32, [kept, labels])
        add(.product, [probabilities, power], scores)
        return reshape(scores, to: [1, kept, labels])
    }

    /// The smallest extent of a box as a fraction of the picture, since the selection refuses empty boxes.
    private static let leastExtent: Float = 1e-4

    /// Boxes as the selection takes them: center, and logarithm of the size.
    fileprivate mutating func centered(_ boxes: Int) -> Int {
        let kept = CellTrunk.cellCount
        let centers = multiplied(boxes, by: [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]])
        let differences = multiplied(boxes, by: [[-1, 0, 1, 0], [0, -1, 0, 1]])
        let sizes = computed("cells/sizes", .float32, [kept, 2])
        add(.maximum, [differences, addFloats("cells/least", [Self.leastExtent], [1])], sizes)
        let logarithms = computed("cells/logarithms", .float32, [kept, 2])
        add(.logarithm, [sizes], logarithms)
        let centered = computed("cells/centered", .float32, [kept, 4])
        add(.concatenation(along: 1), [centers, logarithms], centered)
        return reshape(centered, to: [1, kept, 4])
    }

    /// Appends the selection of the most confident boxes, without those that overlap a more confident one.
    fileprivate mutating func appendSelection(boxes: Int, scores: Int, labelCount: Int) {
        let (kept, maximum) = (CellTrunk.cellCount, CellTrunk.maximumObjects)
        // The whole picture is the anchor of every box, so its encoding is the box itself.
        let anchors = addFloats(
            "anchors",
            [[Float]](repeating: [0, 0, 1, 1], count: kept).flatMap(\.self),
            [kept, 4]
        )
        let name = OperatorRule.detectionPostProcess
        outputs = [[1, maximum, 4], [1, maximum], [1, maximum], [1]].enumerated().map { number, shape in
            computed(number == 0 ? name : "\(name):\(number)", .float32, shape)
        }
        // Not the selection for each label by itself ("regular"): with two threads, LiteRT's kernel loses labels there.
        add(
            Code(builtin: BuiltinOperator.custom, version: 1, custom: name),
            inputs: [boxes, scores, anchors],
            outputs: outputs,
            options: nil,
            customOptions: FlexBufferWriter.map([
                "max_detections": .integer(Int32(maximum)), "max_classes_per_detection": .integer(1),
                "detections_per_class": .integer(Int32(maximum)), "num_classes": .integer(Int32(labelCount)),
                "use_regular_nms": .truth(false), "nms_score_threshold": .float(0.01),
                "nms_iou_threshold": .float(0.5), "x_scale": .float(1), "y_scale": .float(1), "w_scale": .float(1),
                "h_scale": .float(1),
            ])
        )
    }
}
