import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite
import TextFormatting

/// The result of rewriting a model, for people and programs.
struct OptimizationReport: Encodable {
    private let model: String
    private let output: String?
    private let rewritten: [String]
    private let kept: [String]
    private let byteCount: Int
    private let rewrittenByteCount: Int
    private let speed: ModelComparison.Speed
    private let agreement: ModelComparison.Agreement?
    private let boxes: BoxComparison?
    private let labels: LabelComparison?
    private let measured: [String]
    private let unreadable: [String]

    private enum CodingKeys: String, CodingKey {
        case model, output, rewritten, kept, byteCount, rewrittenByteCount, speed, agreement, boxes, labels, unreadable
    }

    init(
        _ original: ModelSummary,
        _ output: String?,
        _ optimized: OptimizedModel,
        _ comparison: ModelComparison,
        _ measurement: CalibrationArguments.Measurement? = nil
    ) {
        model = original.url.relativePath
        self.output = output
        rewritten = optimized.plan.rewrites.map(\.description)
        kept = optimized.plan.kept.map(\.description)
        byteCount = original.data.count
        rewrittenByteCount = optimized.model.data.count
        speed = comparison.speed
        agreement = comparison.agreement
        boxes = if case .boxes(let result) = measurement { result } else { nil }
        labels = if case .labels(let result) = measurement { result } else { nil }
        measured = measurement?.lines ?? []
        unreadable = comparison.unreadable
    }

    /// The report for people.
    var text: String {
        var list = FactList(indent: 12)
        list.add("Model", model)
        list.add("Rewritten", rewritten)
        list.add("Kept", kept)
        list.add("Size", "\(NumberText.bytes(byteCount)) → \(NumberText.bytes(rewrittenByteCount))")
        list.add("Time", speed.lines)
        list.add("Answers", agreement?.lines ?? ["not compared: the model is not for pictures"])
        list.add("Measured", measured)
        list.add("Unreadable", unreadable)
        list.add("Written", output ?? "nothing; name an output to write the new model")
        return list.text
    }
}
