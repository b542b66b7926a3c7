import Sightline
import SightlineEvaluation
import TensorFlowLite

/// The measurement of a fit of the grids on the same parts of the pictures as the pair, and the choice of its penalty and of the power of
/// the detector's confidence.
struct GridValidation: Sendable {
    /// The inverse of the penalty on the weights.
    let freedom: Double
    /// The power of the detector's confidence.
    let exponent: Float
    /// The boxes that were found in the measured pictures.
    let detections: BoxDetections

    /// The powers, the usual one first: others have to be better by more than chance.
    private static let exponents: [Float] = [0.15, 0, 0.3, 0.5, 1]
    private static let freedoms: [Double] = [5, 25]
    private static let gain = 0.005
    /// The probabilities with that of the likeliest label alone, since the model gives a cell one label.
    private static func likeliest(_ probabilities: [Float]) -> [Float] {
        let best = probabilities.indices.dropFirst().max { probabilities[$0] < probabilities[$1] }
        return probabilities.indices.map { $0 == best ? probabilities[$0] : 0 }
    }

    private static let trial = LogisticFit.Effort(steps: 40, tolerance: 1e-4)

    init(
        _ grids: GridFit,
        _ samples: GridSamples,
        _ scenes: [ReadScene],
        like pair: BoxValidation,
        workers: Int,
        progress: (Int, Int) -> Void
    ) async throws {
        var rowsOfScene = [[Int]](repeating: [], count: scenes.count)
        for (row, scene) in samples.scenes.enumerated() { rowsOfScene[scene].append(row) }
        let places = Dictionary(uniqueKeysWithValues: pair.measured.enumerated().map { ($1, $0) })
        let parts = pair.measuresAll ? pair.parts : 1
        progress(0, parts + 1)
        let folds = pair.folds
        let trials = try await Array(0..<parts).concurrentMap(limit: workers) { [rowsOfScene] part in
            let (measured, learned) = folds.split(part)
            let rows = learned.flatMap { rowsOfScene[$0] }
            var layers: [LogisticFit.Layer] = []
            for freedom in Self.freedoms {
                layers.append(try grids.fit.fitted(rows, freedom: freedom, from: layers.last, Self.trial))
            }
            var named = [NamedProposals](repeating: NamedProposals(), count: layers.count)
            for scene in measured {
                guard let place = places[scene], let cells = scenes[scene].cells else { continue }
                try Task.checkCancellation()
                for (number, probabilities) in grids.probabilities(layers, of: cells).enumerated() {
                    named[number].add(cells.frames, cells.confidences, probabilities.map(Self.likeliest), at: place)
                }
            }
            return named
        }
        func found(_ named: NamedProposals, _ exponent: Float) -> BoxDetections {
            var description = ModelSidecar.Proposals()
            description.exponent = exponent
            return named.detections(description, mostOfPicture: CellTrunk.maximumObjects, acrossLabels: true)
        }
        func ap50(_ named: NamedProposals, _ exponent: Float) -> Double {
            BoxReport(pair.known, found(named, exponent)).summary?.ap50 ?? 0
        }
        let together = Self.freedoms.indices.map { index in
            trials.reduce(into: NamedProposals()) { $0.add($1[index]) }
        }
        // For results that are hardly better, the stronger penalty and the usual power.
        let scores = together.map { ap50($0, Self.exponents[0]) }
        var best = 0
        for index in scores.indices where scores[index] > scores[best] + Self.gain { best = index }
        freedom = Self.freedoms[best]
        var (exponent, score) = (Self.exponents[0], scores[best] + Self.gain)
        for other in Self.exponents.dropFirst() {
            let other = (exponent: other, score: ap50(together[best], other))
            if other.score > score { (exponent, score) = other }
        }
        self.exponent = exponent
        detections = found(together[best], exponent)
        progress(parts, parts + 1)
    }
}
