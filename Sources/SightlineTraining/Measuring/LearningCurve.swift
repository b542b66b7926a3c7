/// The share of right answers by the number of pictures that a layer learned from.
///
/// A layer that is measured learned from four fifths of the pictures. Where labels have few pictures, the layer of all pictures is much
/// better: with four pictures a label by seven points on groceries. So layers are also fitted to three fifths, and their loss is
/// taken to grow with the logarithm of the number of a label's pictures, as usual for such layers. What may be chance, one standard error,
/// does not count.
struct LearningCurve {
    /// The share that the layer of all pictures is expected to add to that of the measured layers.
    let gain: Double

    /// Layers that are nearly always right cannot gain much.
    private static let leastWrong = 0.03
    /// Larger sets have many pictures, so fewer parts are enough.
    private static let mostInAllParts = 1_500

    /// - Parameters:
    ///   - folds: The parts that were measured.
    ///   - answers: The answers about them, each from a layer of the other parts.
    init(
        _ fitting: LayerFitting,
        _ folds: Folds,
        _ answers: [CrossValidation.Answer],
        _ freedom: Double,
        _ effort: LogisticFit.Effort,
        workers: Int
    ) async throws {
        func isRight(_ row: Int, _ probabilities: [Float]) -> Bool {
            let best = probabilities.indices.max { probabilities[$0] < probabilities[$1] }
            return best.map(fitting.labels[row].contains) ?? false
        }
        let answered = answers.filter { !fitting.labels[$0.row].isEmpty }
        let right = answered.count { isRight($0.row, $0.probabilities) }
        let wrong = 1 - Double(right) / Double(max(answered.count, 1))
        guard folds.count > 2, !answered.isEmpty, wrong > Self.leastWrong else {
            gain = 0
            return
        }
        let known = Set(answered.map(\.row))
        let rows = folds.parts.indices.filter { folds.parts[$0] != nil }
        let parts = (0..<folds.count).filter { part in known.contains { folds.parts[$0] == part } }
            .prefix(rows.count <= Self.mostInAllParts ? folds.count : 2)
        /// The number of pictures of each label among some rows.
        func counts(_ rows: [Int]) -> [Int] {
            rows.reduce(into: [Int](repeating: 0, count: fitting.labelCount)) { counts, row in
                for label in fitting.labels[row] { counts[label] += 1 }
            }
        }
        let all = counts(rows)
        let fewer = try await Array(parts).concurrentMap(limit: workers) { part in
            let (measured, learned) = folds.split(part)
            let rest = learned.filter { folds.parts[$0] != (part + 1) % folds.count }
            let layer = try fitting.layer(rest, freedom: freedom, effort)
            let found = fitting.probabilities(layer, of: measured)
            return (measured: measured, found: found, learned: learned, rest: rest)
        }
        var (better, worse, count, above, below) = (0, 0, 0, 0.0, 0.0)
        let earlier = Dictionary(answered.map { ($0.row, $0.probabilities) }, uniquingKeysWith: { first, _ in first })
        for trial in fewer {
            let (most, least) = (counts(trial.learned), counts(trial.rest))
            for (row, found) in zip(trial.measured, trial.found) {
                guard let label = fitting.labels[row].first, let before = earlier[row] else { continue }
                switch (isRight(row, before), isRight(row, found)) {
                case (true, false): better += 1
                case (false, true): worse += 1
                default: break
                }
                count += 1
                guard most[label] > 0, least[label] > 0 else { continue }
                above += PortableMath.log(Double(all[label]) / Double(most[label]))
                below += PortableMath.log(Double(most[label]) / Double(least[label]))
            }
        }
        guard count > 0, below > 0 else {
            gain = 0
            return
        }
        let difference = Double(better - worse) / Double(count)
        let variance = Double(better + worse) / Double(count) - difference * difference
        let surely = difference - (variance / Double(count)).squareRoot()
        gain = min(max(surely * above / below, 0), wrong / 2)
    }
}
