import DurableFiles
import Sightline
public import TensorFlowLite

extension LabelEvaluator {
    /// Compares the model with a rewritten form of it.
    ///
    /// Both models answer each picture. Then they run in turn on one thread for their times.
    ///
    /// - Parameters:
    ///   - optimized: A form of the model with the same inputs and outputs.
    ///   - pictures: A folder or an archive.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: as the evaluation.
    public func compare(
        with optimized: OptimizedModel,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> LabelComparison {
        let other = try ImageLabeler(options: labeler.options, running: optimized.model)
        let meanings = try meanings(of: pictures)
        let known = Self.some(of: pictures.pictures.filter { meanings[$0.folder] != .unknown })
        var tally = ComparisonTally()
        var state = EvaluationProgress(done: 0, skipped: 0, total: known.count)
        try await OrderedEvaluation.run(known, workers: options.workers) { picture in
            let image = try pictures.image(at: picture.path)
            return (try await labeler.labels(in: image), try await other.labels(in: image))
        } deliver: { picture, result in
            state.done += 1
            if case .success((let original, let rewritten)) = result {
                tally.add(
                    truth: meanings[picture.folder].label,
                    answers(original).first?.label,
                    answers(rewritten).first?.label
                )
            } else {
                state.skipped += 1
            }
            progress(state)
        }
        let (old, new) = (labeler.modelFiles.model, optimized.model)
        let speed = try ModelComparison.Speed(of: old, with: new)
        return LabelComparison(
            original: .init(old, right: tally.originalRight, speed.originalMilliseconds),
            rewritten: .init(new, right: tally.rewrittenRight, speed.rewrittenMilliseconds),
            pictureCount: tally.pictureCount,
            labeledCount: tally.labeledCount,
            sameAnswers: tally.sameAnswers,
            speedup: speed.ratio,
            rewrites: optimized.plan.rewrites.map(\.description)
        )
    }

    /// At most ``LabelComparison/maximumPictures`` pictures at equal distances, and so of all folders.
    private static func some(of pictures: [LabeledPictures.Picture]) -> [LabeledPictures.Picture] {
        let count = min(pictures.count, LabelComparison.maximumPictures)
        return (0..<count).map { pictures[$0 * pictures.count / count] }
    }
}

/// Counts the answers of two models.
private struct ComparisonTally {
    private(set) var (pictureCount, labeledCount, sameAnswers) = (0, 0, 0)
    private(set) var (originalRight, rewrittenRight) = (0, 0)

    /// Counts a picture with the best label of each model.
    mutating func add(truth: Int?, _ old: Int?, _ new: Int?) {
        pictureCount += 1
        if old == new { sameAnswers += 1 }
        guard let truth else { return }
        labeledCount += 1
        if old == truth { originalRight += 1 }
        if new == truth { rewrittenRight += 1 }
    }
}

extension LabelComparison.Side {
    fileprivate init(_ model: Model, right: Int, _ milliseconds: Double) {
        self.init(
            sha256: SHA256.hexadecimalDigest(of: model.data),
            byteCount: model.data.count,
            right: right,
            milliseconds: milliseconds
        )
    }
}
