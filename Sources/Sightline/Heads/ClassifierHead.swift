import Foundation
import TensorFlowLite

/// Reads an output of a classifier as confidences: its only output, or the output that the sidecar names.
struct ClassifierHead: Sendable, Hashable {
    /// The output: `[1, classes]` or `[1, 1, 1, classes]`.
    let output: OutputTensor
    /// The number of classes.
    let classCount: Int
    /// The other outputs.
    let unused: [String]
    private let model: String
    private let scale: Scale
    private let isScaleStated: Bool

    /// The scale of a model's scores.
    private enum Scale: Hashable {
        /// Probabilities, whatever their sum.
        case probabilities
        /// Logits, of which softmax makes probabilities.
        case logits
        /// The file does not show the scale. Scores outside 0…1 are logits.
        case unknown
    }

    /// Operators whose results lie in 0…1.
    private static let limiting: Set = [
        "DIV", "EXP", "HARD_SIGMOID", "LOGISTIC", "SOFTMAX", "Div", "Exp", "HardSigmoid", "Sigmoid", "Softmax",
    ]
    /// Operators whose results have no bounds.
    private static let unlimited: Set = [
        "BATCH_MATMUL", "CONV_2D", "DEPTHWISE_CONV_2D", "ELU", "FULLY_CONNECTED", "GELU", "HARD_SWISH", "LEAKY_RELU",
        "LOG_SOFTMAX", "PRELU", "RELU", "RELU6", "TRANSPOSE_CONV",
        "BatchNormalization", "Conv", "Elu", "Gelu", "Gemm", "HardSwish", "LeakyRelu", "LogSoftmax", "MatMul", "PRelu",
        "Relu",
    ]

    /// Finds the output of a model with a classifier head.
    init(_ files: ModelFiles) throws(LocalModelError) {
        try files.checkOpenShapes()
        let outputs = files.model.outputs
        let index = files.sidecar.scoreOutput ?? 0
        guard outputs.count == 1 || files.sidecar.scoreOutput != nil else {
            throw .output(
                model: files.name,
                reason: OtherTask.summary(of: files)
                    ?? "a classifier has one output, this model has \(outputs.count): choose one with scoreOutput in a sidecar"
            )
        }
        output = try OutputTensor(index, of: files)
        // With labels that fit, the numbers are those of classes.
        if files.labels == nil, let reason = OtherTask.vectorSummary(of: files) {
            throw .output(model: files.name, reason: reason)
        }
        let shape = output.shape
        guard [2, 4].contains(shape.count), let classes = shape.last, classes > 0,
            shape.dropLast().allSatisfy({ $0 == 1 })
        else {
            throw .output(
                model: files.name,
                reason: OtherTask.summary(of: files)
                    ?? "a classifier gives [1, classes] or [1, 1, 1, classes], this model gives \(shape)"
            )
        }
        classCount = classes
        let others = outputs.indices.filter { $0 != index }.map { outputs[$0].name }
        unused =
            others.isEmpty ? [] : ["the \(others.count == 1 ? "output" : "outputs") \(others.joined(separator: ", "))"]
        model = files.name
        isScaleStated = files.sidecar.scoreScale != nil
        scale = Self.scale(files.sidecar.scoreScale, producer: outputs[index].producer)
    }

    /// The scale of the scores, which the model decides and no single picture: unsure logits lie in 0…1, too.
    private static func scale(_ stated: ModelSidecar.ScoreScale?, producer: TensorProducer?) -> Scale {
        if let stated { return stated == .logits ? .logits : .probabilities }
        guard let producer else { return .unknown }
        if limiting.contains(producer.rangeOperatorName) { return .probabilities }
        // Integers that represent only 0 to 1 cannot hold logits.
        if let range = producer.storedRange, range.lowerBound >= -tolerance, range.upperBound <= 1 + tolerance {
            return .probabilities
        }
        guard unlimited.contains(producer.rangeOperatorName) else { return .unknown }
        // A sixth of RELU6 is a hard sigmoid.
        let isScaled = ["DIV", "MUL"].contains(producer.valueOperatorName) && producer.rangeOperatorName == "RELU6"
        return isScaled ? .unknown : .logits
    }

    /// Sentences about the scale of the scores, where the model does not show it.
    var assumptions: [String] {
        guard !isScaleStated, scale != .probabilities else { return [] }
        let taken =
            scale == .logits
            ? "The scores have no softmax, so they are taken for logits, of which softmax makes confidences"
            : "The model does not show the scale of its scores: in a picture with a score outside 0…1, they are taken for logits"
        return [taken + "; \"scoreScale\" in a sidecar states it: \"probabilities\" or \"logits\"."]
    }

    /// Quantized outputs may stick out by a step.
    private static let tolerance: Float = 0.01

    /// Calls `body` with the confidence of every class. Softmax turns logits into probabilities.
    func withScores<Result>(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        _ body: (UnsafeBufferPointer<Float>) -> Result
    ) throws -> Result {
        try values.with(output, of: interpreter) { scores in
            var isOutside = false
            for score in scores {
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                if score < -Self.tolerance || score > 1 + Self.tolerance { isOutside = true }
            }
            switch scale {
            case .logits: return softmax(scores).withUnsafeBufferPointer(body)
            case .unknown where isOutside: return softmax(scores).withUnsafeBufferPointer(body)
            case .probabilities where isOutside:
                return scores.map { min(max($0, 0), 1) }.withUnsafeBufferPointer(body)
            case .probabilities, .unknown: return body(scores)
            }
        }
    }

    /// The probabilities of logits: of a single class, or of all classes together.
    private func softmax(_ logits: UnsafeBufferPointer<Float>) -> [Float] {
        if logits.count == 1 { return [1 / (1 + exp(-logits[0]))] }
        let largest = logits.max() ?? 0
        let powers = logits.map { exp($0 - largest) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}
