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
        let rewritten = Contestant(
            evaluator: self,
            labeler: try ImageLabeler(options: labeler.options, running: optimized.model),
            model: optimized.model
        )
        var comparison = try await Contestant(self).compared(with: rewritten, on: pictures, progress: progress)
        comparison.rewrites = optimized.plan.rewrites.map(\.description)
        return comparison
    }

    /// Compares the model with an earlier version, whose inputs, outputs and labels may differ.
    ///
    /// Both models answer each picture with a label of one of them. Answers are the same if the labels have the same
    /// name. Then the models run in turn on one thread for their times.
    ///
    /// - Parameters:
    ///   - earlier: The evaluator of the earlier version, which is the comparison's baseline.
    ///   - pictures: A folder or an archive.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: as the evaluation of each model.
    public func compare(
        withEarlier earlier: LabelEvaluator,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> LabelComparison {
        try await Contestant(earlier).compared(with: Contestant(self), on: pictures, progress: progress)
    }
}

/// A model in a comparison.
private struct Contestant {
    /// The evaluator that knows the names of the labels.
    let evaluator: LabelEvaluator
    /// The labeler that runs the model.
    let labeler: ImageLabeler
    let model: any InferenceModel

    init(evaluator: LabelEvaluator, labeler: ImageLabeler, model: any InferenceModel) {
        (self.evaluator, self.labeler, self.model) = (evaluator, labeler, model)
    }

    init(_ evaluator: LabelEvaluator) {
        self.init(evaluator: evaluator, labeler: evaluator.labeler, model: evaluator.labeler.modelFiles.model)
    }

    /// The best label of a picture; nil if there is none.
    func answer(to image: VisionImage) async throws -> Int? {
        evaluator.answers(try await labeler.labels(in: image)).first?.label
    }

    /// Compares this model, the baseline, with a candidate.
    func compared(
        with candidate: Contestant,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> LabelComparison {
        let meanings = try zip(evaluator.meanings(of: pictures), candidate.evaluator.meanings(of: pictures)).map { $0 }
        // At equal distances, and so of all folders.
        let known = OrderedEvaluation.sample(
            of: pictures.pictures.filter { meanings[$0.folder].0 != .unknown || meanings[$0.folder].1 != .unknown },
            atMost: LabelComparison.maximumPictures
        )
        let (names, candidateNames) = (evaluator.labelNames, candidate.evaluator.labelNames)
        var tally = ComparisonTally()
        var state = EvaluationProgress(done: 0, skipped: 0, total: known.count)
        try await OrderedEvaluation.run(known, workers: evaluator.options.workers) { picture in
            let image = try pictures.files.image(at: picture.path)
            return (try await answer(to: image), try await candidate.answer(to: image))
        } deliver: { picture, result in
            state.done += 1
            if case .success((let old, let new)) = result {
                let (truth, candidateTruth) = meanings[picture.folder]
                tally.add(
                    isLabeled: truth.label != nil || candidateTruth.label != nil,
                    areSame: old.map { names[$0] } == new.map { candidateNames[$0] },
                    isBaselineRight: old != nil && old == truth.label,
                    isCandidateRight: new != nil && new == candidateTruth.label
                )
            } else {
                state.skipped += 1
            }
            progress(state)
        }
        let speed = try ModelComparison.Speed(of: model, with: candidate.model)
        return LabelComparison(
            baseline: .init(model, right: tally.baselineRight, speed.originalMilliseconds),
            candidate: .init(candidate.model, right: tally.candidateRight, speed.rewrittenMilliseconds),
            pictureCount: tally.pictureCount,
            labeledCount: tally.labeledCount,
            sameAnswers: tally.sameAnswers,
            speedup: speed.ratio,
            rewrites: []
        )
    }

}

/// Counts the answers of two models.
private struct ComparisonTally {
    private(set) var (pictureCount, labeledCount, sameAnswers) = (0, 0, 0)
    private(set) var (baselineRight, candidateRight) = (0, 0)

    /// Counts a picture.
    mutating func add(isLabeled: Bool, areSame: Bool, isBaselineRight: Bool, isCandidateRight: Bool) {
        pictureCount += 1
        if areSame { sameAnswers += 1 }
        guard isLabeled else { return }
        labeledCount += 1
        if isBaselineRight { baselineRight += 1 }
        if isCandidateRight { candidateRight += 1 }
    }
}

extension LabelComparison.Side {
    fileprivate init(_ model: any InferenceModel, right: Int, _ milliseconds: Double) {
        self.init(
            sha256: SHA256.hexadecimalDigest(of: model.data),
            byteCount: model.data.count,
            right: right,
            milliseconds: milliseconds
        )
    }
}
