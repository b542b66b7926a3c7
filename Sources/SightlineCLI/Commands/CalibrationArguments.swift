import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite
import TextFormatting

/// The options of `sightline optimize` that make an int8 model of a float model, and measure what it costs.
struct CalibrationArguments: ParsableArguments {
    @Option(
        help: """
            Turn a float model into an int8 model, with the ranges of values that it computes for the pictures in this folder: some 100 \
            to 300, such as the model sees in use.
            """,
        completion: .directory
    )
    var calibrate: String?

    @Option(
        help: """
            What the pictures show, to measure both models: for a detector, annotations of COCO or YOLO as for `sightline evaluate \
            boxes`; for a classifier, a folder with a folder of pictures for each label.
            """,
        completion: .file()
    )
    var annotations: String?

    @Option(
        help: "The folder of the annotated pictures (default: the folder images beside the annotations).",
        completion: .directory
    )
    var images: String?

    func validate() throws {
        if images != nil, annotations == nil {
            throw ValidationError("--images are the pictures of --annotations; give both, or compare on --pictures.")
        }
    }

    /// The pictures of the folder: those that calibrate the model, and those on which the answers are compared.
    ///
    /// - Parameter sparesSome: Whether every fifth picture is left for the comparison.
    func pictures(sparesSome: Bool) throws -> (calibrating: [URL], comparing: [URL])? {
        guard let calibrate else { return nil }
        let files = try PictureFolder.files(in: calibrate)
        guard sparesSome, files.count >= Self.leastSpared else { return (files, []) }
        let spared = Self.spared
        return (
            files.enumerated().filter { $0.offset % spared != spared - 1 }.map(\.element),
            files.enumerated().filter { $0.offset % spared == spared - 1 }.map(\.element)
        )
    }

    /// One picture of so many is compared, if there are at least so many.
    private static let spared = 5
    private static let leastSpared = 10

    /// Both models on annotated pictures.
    enum Measurement {
        case boxes(BoxComparison)
        case labels(LabelComparison)
    }

    /// Measures both models on the annotated pictures; nil if there are none.
    func measurement(of local: LocalModel, with optimized: OptimizedModel) async throws -> Measurement? {
        guard let annotations else { return nil }
        var line = PictureProgress()
        defer { line.clear() }
        func show(_ progress: EvaluationProgress) {
            line.show(done: progress.done, of: progress.total, failed: progress.skipped)
        }
        let url = URL(filePath: annotations)
        guard let task = try ModelInspection(of: local).task else { return nil }
        switch task {
        case .detection:
            let known = try AnnotatedPictures(contentsOf: url, pictures: images.map { URL(filePath: $0) })
            let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: local))
            return .boxes(try await evaluator.compare(with: optimized, on: known, progress: show))
        case .labeling:
            let evaluator = try LabelEvaluator(options: LabelEvaluatorOptions(model: local))
            let known = try LabeledPictures(contentsOf: url)
            return .labels(try await evaluator.compare(with: optimized, on: known, progress: show))
        }
    }
}

extension CalibrationArguments.Measurement {
    /// The result in lines for people.
    var lines: [String] {
        switch self {
        case .boxes(let comparison):
            let (old, new) = (comparison.baseline, comparison.candidate)
            return [
                "AP \(Self.text(old.ap)) → \(Self.text(new.ap)), AP50 \(Self.text(old.ap50)) → \(Self.text(new.ap50)) on "
                    + NumberText.count(comparison.pictureCount, "annotated picture")
            ]
        case .labels(let comparison):
            let all = Float(max(comparison.labeledCount, 1))
            let shares = [comparison.baseline.right, comparison.candidate.right].map {
                NumberText.percentage(Float($0) / all)
            }
            return [
                "right answers \(shares[0]) → \(shares[1]) (\(comparison.baseline.right) → \(comparison.candidate.right)) on "
                    + NumberText.count(comparison.labeledCount, "labeled picture")
            ]
        }
    }

    private static func text(_ precision: Double?) -> String {
        precision.map { String(format: "%.3f", $0) } ?? "–"
    }
}
