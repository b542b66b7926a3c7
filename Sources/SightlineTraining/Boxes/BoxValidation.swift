import Sightline
import SightlineEvaluation
import TensorFlowLite

/// The measurement of a fit on pictures that it did not learn from, and the choice of its penalty and of the power of the detector's
/// confidence.
///
/// Sets of up to ``mostDivided`` pictures are divided into five parts, and each part is measured by a layer that learned from the other
/// four. Of larger sets, one part is measured. Pictures that are nearly the same are in one part.
struct BoxValidation: Sendable {
    /// The division of the pictures.
    let folds: Folds
    /// The number of parts.
    var parts: Int { folds.count }
    /// Whether each part was measured, or one.
    let measuresAll: Bool
    /// The inverse of the penalty on the weights.
    let freedom: Double
    /// The power of the detector's confidence.
    let exponent: Float
    /// The pictures that were measured, by their positions.
    let measured: [Int]
    /// The drawn boxes in the measured pictures.
    let known: BoxAnnotations
    /// The boxes that were found in the measured pictures.
    let detections: BoxDetections
    /// The group of each picture.
    let groups: [Int]
    /// The number of pictures that another picture of their group could replace.
    let redundantCount: Int
    /// Whether all pictures show one scene.
    let isOneScene: Bool

    static let mostDivided = 600
    /// The powers, the usual one first: others have to be better by more than chance.
    private static let exponents: [Float] = [0.5, 0, 0.15, 0.3, 0.75, 1]
    private static let exponentGain = 0.005
    private static let freedoms: [Double] = [5, 25, 125]
    private static let trial = LogisticFit.Effort(steps: 40, tolerance: 1e-4)

    init(
        _ fitting: LayerFitting,
        _ samples: RegionSamples,
        _ scenes: [ReadScene],
        of pictures: BoxTrainingPictures,
        description: ModelSidecar.Proposals,
        seed: UInt64,
        workers: Int,
        progress: (Int, Int) -> Void
    ) async throws {
        let sceneLabels = scenes.map { Array(Set($0.drawn.map(\.label))).sorted() }
        let duplicates = try await NearDuplicates(
            of: scenes.map(\.digest),
            scenes.map(\.thumbnail),
            labels: sceneLabels,
            in: FeatureMatrix(scenes.map(\.whole), of: fitting.trunk),
            workers: workers
        )
        groups = duplicates.groups
        redundantCount = duplicates.redundantCount
        isOneScene = duplicates.isOneScene
        let folds = Folds(
            Array(scenes.indices),
            groups: duplicates.groups,
            labels: sceneLabels,
            digests: scenes.map(\.digest),
            labelCount: fitting.labelCount,
            seed: seed
        )
        guard folds.count > 1 else { throw TrainingError.nothingToHoldOut }
        self.folds = folds
        measuresAll = scenes.count <= Self.mostDivided
        let measuredParts = measuresAll ? folds.count : 1
        let steps = measuredParts + 1
        progress(0, steps)
        var rowsOfScene = [[Int]](repeating: [], count: scenes.count)
        for (row, scene) in samples.scenes.enumerated() { rowsOfScene[scene].append(row) }
        // Of one part, only pictures whose proposals are all known.
        let measured = (0..<measuredParts).flatMap { folds.split($0).measured }.sorted().filter { scenes[$0].isWhole }
        guard !measured.isEmpty else { throw TrainingError.nothingToHoldOut }
        let places = Dictionary(uniqueKeysWithValues: measured.enumerated().map { ($1, $0) })
        let trials = try await Array(0..<measuredParts).concurrentMap(limit: workers) { [rowsOfScene] part in
            let (measured, learned) = folds.split(part)
            let rows = learned.flatMap { rowsOfScene[$0] }
            var start: LogisticFit.Layer?
            return try Self.freedoms.map { freedom in
                let fitted = try fitting.fit.fitted(rows, freedom: freedom, from: start, Self.trial)
                start = fitted
                let layer = fitting.layer(fitted, on: rows)
                var named = NamedProposals()
                for scene in measured {
                    guard let place = places[scene] else { continue }
                    named.add(scenes[scene], at: place, by: layer, fitting, atMost: description.maximum)
                }
                return named
            }
        }
        self.measured = measured
        let known = Self.annotations(measured.map { scenes[$0] }, of: pictures)
        self.known = known
        func ap50(_ named: NamedProposals, _ exponent: Float) -> Double {
            var description = description
            description.exponent = exponent
            return BoxReport(known, named.detections(description)).summary?.ap50 ?? 0
        }
        let together = Self.freedoms.indices.map { index in
            trials.reduce(into: NamedProposals()) { $0.add($1[index]) }
        }
        // For results that are hardly better, the stronger penalty and the usual power.
        let scores = together.map { ap50($0, Self.exponents[0]) }
        var best = 0
        for index in scores.indices where scores[index] > scores[best] + 0.005 { best = index }
        freedom = Self.freedoms[best]
        var (exponent, score) = (Self.exponents[0], scores[best])
        for other in Self.exponents.dropFirst() {
            let found = ap50(together[best], other)
            if found > score + (exponent == Self.exponents[0] ? Self.exponentGain : 0) {
                (exponent, score) = (other, found)
            }
        }
        self.exponent = exponent
        var chosen = description
        chosen.exponent = exponent
        detections = together[best].detections(chosen)
        progress(measuredParts, steps)
    }

    /// The drawn boxes of some pictures. The categories are the labels without that of nothing.
    private static func annotations(_ scenes: [ReadScene], of pictures: BoxTrainingPictures) -> BoxAnnotations {
        var objects: [BoxAnnotations.Object] = []
        func add(_ frame: PixelRect, _ category: Int, _ scene: Int, isCrowd: Bool) {
            let area = frame.width * frame.height
            objects.append(.init(picture: scene, category: category, frame: frame, area: area, isCrowd: isCrowd))
        }
        for (number, scene) in scenes.enumerated() {
            for box in scene.drawn { add(box.frame, box.label - 1, number, isCrowd: false) }
            for crowd in scene.crowds {
                for category in 0..<pictures.labels.count - 1 { add(crowd, category, number, isCrowd: true) }
            }
        }
        return BoxAnnotations(
            name: pictures.name,
            pictures: scenes.map { .init(id: $0.picture.id, path: $0.picture.path, size: $0.size) },
            categories: pictures.labels.dropFirst().enumerated().map { .init(id: $0 + 1, name: $1) },
            objects: objects
        )
    }
}
