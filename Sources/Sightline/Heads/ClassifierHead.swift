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

    /// Finds the output of a model with a classifier head.
    init(_ files: ModelFiles) throws(LocalModelError) {
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
    }

    /// Calls `body` with the confidence of every class.
    ///
    /// Values outside 0…1 are taken for logits and turned into probabilities by softmax.
    func withScores<Result>(
        of interpreter: Interpreter,
        values: inout OutputValues,
        _ body: (UnsafeBufferPointer<Float>) -> Result
    ) throws -> Result {
        try values.with(output, of: interpreter) { scores in
            var isProbability = true
            for score in scores {
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                // Quantized outputs may stick out by a step.
                if score < -0.01 || score > 1.01 { isProbability = false }
            }
            return isProbability ? body(scores) : softmax(scores).withUnsafeBufferPointer(body)
        }
    }

    /// The probabilities of logits: of one class by itself, or of all classes together.
    private func softmax(_ logits: UnsafeBufferPointer<Float>) -> [Float] {
        if logits.count == 1 { return [1 / (1 + exp(-logits[0]))] }
        let largest = logits.max() ?? 0
        let powers = logits.map { exp($0 - largest) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}
