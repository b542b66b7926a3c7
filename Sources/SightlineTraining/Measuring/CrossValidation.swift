import Sightline
import TensorFlowLite

/// The measurement of a fit on pictures that it did not learn from.
///
/// Sets of up to ``mostDivided`` pictures are divided into five parts, and each part is measured by a layer that learned from the other
/// four. Of larger sets, one part is measured, and of sets with pictures that were set aside, those. The penalty on the weights is the one
/// with the least loss on parts that are not learned from.
struct CrossValidation {
    /// The way in which pictures were held out.
    enum Method: Sendable {
        /// Each of this many parts in turn.
        case parts(Int)
        /// One of this many parts.
        case part(Int)
        /// The pictures that the author set aside.
        case setAside
    }

    /// The probabilities of all labels of a row, from a layer that did not learn from it.
    struct Answer: Sendable {
        let row: Int
        let probabilities: [Float]
    }

    let method: Method
    /// The inverse of the penalty on the weights.
    let freedom: Double
    /// The answers in the order of the rows.
    let answers: [Answer]
    /// The rows from which the final layer learns.
    let learned: [Int]
    /// The share of right answers that the final layer is expected to add, because it learns from more pictures than the measured layers.
    let gain: Double
    /// The pictures that were left out because a picture that was set aside is nearly the same.
    let leftOut: Int

    static let mostDivided = 5_000
    /// In larger sets, one part shows the best penalty.
    private static let mostTried = 1_500
    private static let freedoms: [Double] = [5, 25, 125, 625]
    private static let trial = LogisticFit.Effort(steps: 40, tolerance: 1e-4)
    private static let measured = LogisticFit.Effort(steps: 60, tolerance: 1e-5)

    private struct Trial: Sendable {
        let measured: [Int]
        let losses: [Double]
        let probabilities: [[[Float]]]
    }

    init(
        _ fitting: LayerFitting,
        duplicates: NearDuplicates,
        digests: [FeatureCache.Digest],
        heldOut: [Int],
        seed: UInt64,
        workers: Int,
        progress: (TrainingProgress) -> Void
    ) async throws {
        let aside = Set(heldOut.map { duplicates.groups[$0] })
        let all = Array(0..<fitting.matrix.rowCount)
        let learned = all.filter { !aside.contains(duplicates.groups[$0]) }
        self.learned = learned
        leftOut = all.count - learned.count - heldOut.count
        let folds = Folds(
            learned,
            groups: duplicates.groups,
            labels: fitting.labels,
            digests: digests,
            labelCount: fitting.labelCount,
            seed: seed
        )
        guard folds.count > 1 else { throw TrainingError.nothingToHoldOut }
        let triedParts = learned.count <= Self.mostTried && heldOut.isEmpty ? folds.count : 1
        let steps = (heldOut.isEmpty && learned.count <= Self.mostDivided ? folds.count : 1) + 1
        progress(.fitting(done: 0, total: steps))
        let trials = try await Array(0..<triedParts).concurrentMap(limit: workers) { part in
            try Self.trial(fitting, folds.split(part))
        }
        // For equal losses the stronger penalty, so that labels which are easy to tell apart do not get boundless weights.
        let losses = Self.freedoms.indices.map { index in trials.reduce(0) { $0 + $1.losses[index] } }
        var best = 0
        for index in losses.indices where losses[index] < 0.999 * losses[best] { best = index }
        freedom = Self.freedoms[best]
        var answers: [Answer] = []
        func add(_ rows: [Int], _ probabilities: [[Float]]) {
            for (row, found) in zip(rows, probabilities) { answers.append(Answer(row: row, probabilities: found)) }
        }
        if !heldOut.isEmpty {
            method = .setAside
            gain = 0
            let layer = try fitting.layer(learned, freedom: freedom, Self.measured)
            add(heldOut, fitting.probabilities(layer, of: heldOut))
        } else {
            for trial in trials { add(trial.measured, trial.probabilities[best]) }
            if learned.count > Self.mostDivided {
                method = .part(folds.count)
            } else {
                method = .parts(folds.count)
                let freedom = freedom
                let others = try await Array(triedParts..<folds.count).concurrentMap(limit: workers) { part in
                    let (measured, learned) = folds.split(part)
                    let layer = try fitting.layer(learned, freedom: freedom, Self.measured)
                    return (measured, fitting.probabilities(layer, of: measured))
                }
                for (rows, probabilities) in others { add(rows, probabilities) }
            }
            gain = try await LearningCurve(fitting, folds, answers, freedom, Self.measured, workers: workers).gain
        }
        progress(.fitting(done: steps - 1, total: steps))
        self.answers = answers.sorted { $0.row < $1.row }
    }

    /// Fits a layer for each penalty, from the strongest on, and measures it.
    private static func trial(_ fitting: LayerFitting, _ split: (measured: [Int], learned: [Int])) throws -> Trial {
        var (losses, probabilities): ([Double], [[[Float]]]) = ([], [])
        var start: LogisticFit.Layer?
        for freedom in freedoms {
            let layer = try fitting.fit.fitted(split.learned, freedom: freedom, from: start, trial)
            start = layer
            let found = fitting.probabilities(fitting.layer(layer, on: split.learned), of: split.measured)
            probabilities.append(found)
            losses.append(
                zip(split.measured, found).reduce(0) { sum, next in
                    sum + LogisticFit.loss(next.1, fitting.labels[next.0], fitting.activation)
                }
            )
        }
        return Trial(measured: split.measured, losses: losses, probabilities: probabilities)
    }
}
