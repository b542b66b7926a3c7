import Sightline

/// Pictures that are nearly the same: copies of one picture, and frames of one scene.
///
/// Copies are found by their pixels (``CopySearch``): resized, compressed again, slightly cropped, brighter or mirrored.
///
/// Frames of one scene are found by their features, which differ much less than each differs from the mean of its label: the square of
/// the distance is at most ``mostDifference`` times the square of the smaller difference. For pictures of one label, that is a cosine of
/// about 0.87. So pictures of a label that look alike on purpose, as screws on one table do, are not taken for one scene. Such pictures,
/// and those that they lead to, form a group.
///
/// Unlike groups of copies that a person looks through (``PictureIndex/duplicates(progress:)``), these groups are chains: of three pictures
/// of which the second resembles both others, all are one group, even if the first and the third differ. Otherwise the second one would
/// resemble a picture that is measured while it is learned from, wherever it stands.
///
/// If all pictures are one group, or are known to show one scene, as those of a fixed camera do, no group could be held out. Then only equal files are.
struct NearDuplicates: Sendable {
    /// The group of each row, numbered from 0.
    let groups: [Int]
    let groupCount: Int
    /// Pairs that are nearly the same, each with its smaller row first.
    let pairs: [(Int, Int)]
    /// Whether all pictures show one scene, so that only equal files form groups.
    let isOneScene: Bool

    /// The warning for pictures of one scene.
    static let oneSceneWarning =
        "All pictures show one scene, so pictures that look alike were learned from and measured: the figures hold for this scene, and "
        + "another place may give less. Only equal files stayed together."

    /// 531 different photos of flowers differ more.
    static let mostDifference: Float = 0.26

    /// The number of pictures that another picture of their group could replace.
    var redundantCount: Int { groups.count - groupCount }

    /// Compares all pictures with each other.
    ///
    /// - Parameters:
    ///   - digests: The SHA-256 of each picture's file.
    ///   - thumbnails: The pictures in small.
    ///   - labels: The labels of each picture.
    ///   - matrix: The features of each picture.
    ///   - showOneScene: Whether the pictures are known to show one scene.
    init(
        of digests: [FeatureCache.Digest],
        _ thumbnails: [PictureThumbnail],
        labels: [[Int]],
        in matrix: FeatureMatrix,
        showOneScene: Bool = false,
        workers: Int
    ) async throws {
        var firsts: [FeatureCache.Digest: Int] = [:]
        var pairs: [(Int, Int)] = []
        // Of equal files, one is compared with others.
        var rows: [Int] = []
        for (row, digest) in digests.enumerated() {
            if let first = firsts[digest] {
                pairs.append((first, row))
            } else {
                firsts[digest] = row
                rows.append(row)
            }
        }
        let copies = try await CopySearch(rows.map { thumbnails[$0] }).pairs(workers: workers)
        pairs += copies.map { (rows[$0.0], rows[$0.1]) }
        pairs += try Self.scenes(matrix, labels)
        var groups = Groups(count: digests.count)
        for (one, two) in pairs { groups.join(one, two) }
        isOneScene = rows.count > 1 && (showOneScene || Set(groups.numbers()).count == 1)
        if isOneScene {
            groups = Groups(count: digests.count)
            for (row, digest) in digests.enumerated() { groups.join(firsts[digest] ?? row, row) }
        }
        self.groups = groups.numbers()
        groupCount = (self.groups.max() ?? -1) + 1
        self.pairs = pairs.sorted { $0 < $1 }
    }

    /// Compares all pictures with each other: first 64 sums of their features, which keep distances roughly, and where those are near,
    /// the features.
    private static func scenes(_ matrix: FeatureMatrix, _ labels: [[Int]]) throws -> [(Int, Int)] {
        let spreads = spreads(matrix, labels)
        let (short, squares) = projected(matrix)
        var pairs: [(Int, Int)] = []
        for one in 0..<matrix.rowCount {
            try Task.checkCancellation()
            for two in near(one, in: short, squares, spreads)
            where distance(matrix, one, two) <= limit(spreads[one], spreads[two]) + rounding {
                pairs.append((one, two))
            }
        }
        return pairs
    }

    private static let sumCount = 64
    /// Short features differ from the features' distance by chance.
    private static let allowance: Float = 2
    private static let rounding: Float = 1e-5

    private static func limit(_ one: Float, _ two: Float) -> Float {
        let least = min(one, two)
        return mostDifference * least * least
    }

    /// The distance of each row from the mean of the other pictures of its label, but at least some of what is usual: a label of two
    /// pictures shows no mean.
    private static func spreads(_ matrix: FeatureMatrix, _ labels: [[Int]]) -> [Float] {
        let count = (labels.joined().max() ?? -1) + 2
        // Pictures without a label have the last mean.
        let places = labels.map { $0.first ?? count - 1 }
        var sums = [SIMD8<Float>](repeating: SIMD8(), count: count * matrix.stride)
        var counts = [Float](repeating: 0, count: count)
        for (row, place) in places.enumerated() {
            counts[place] += 1
            for eight in 0..<matrix.stride {
                sums[place * matrix.stride + eight] += matrix.values[row * matrix.stride + eight]
            }
        }
        let own = places.enumerated().map { row, place -> Float in
            var sum = SIMD8<Float>()
            for eight in 0..<matrix.stride {
                let mean = sums[place * matrix.stride + eight] / counts[place]
                let difference = matrix.values[row * matrix.stride + eight] - mean
                sum += difference * difference
            }
            return (sum.sum() * counts[place] / max(counts[place] - 1, 1)).squareRoot()
        }
        let known = own.indices.filter { counts[places[$0]] > 2 }
        let usual = known.isEmpty ? 0 : known.reduce(0) { $0 + own[$1] } / Float(known.count)
        return own.map { max($0, 0.7 * usual) }
    }

    /// The later rows whose short features are near those of a row.
    private static func near(
        _ row: Int,
        in short: [SIMD8<Float>],
        _ squares: [Float],
        _ spreads: [Float]
    ) -> [Int] {
        let stride = sumCount / 8
        var found: [Int] = []
        short.withUnsafeBufferPointer { short in
            for other in row + 1..<max(squares.count, row + 1) {
                var sum = SIMD8<Float>()
                for eight in 0..<stride { sum += short[row * stride + eight] * short[other * stride + eight] }
                let distance = squares[row] + squares[other] - 2 * sum.sum()
                if distance <= allowance * limit(spreads[row], spreads[other]) + 10 * rounding {
                    found.append(other)
                }
            }
        }
        return found
    }

    /// The square of the distance of two rows.
    private static func distance(_ matrix: FeatureMatrix, _ one: Int, _ two: Int) -> Float {
        var sum = SIMD8<Float>()
        for eight in 0..<matrix.stride {
            let difference = matrix.values[one * matrix.stride + eight] - matrix.values[two * matrix.stride + eight]
            sum += difference * difference
        }
        return sum.sum()
    }

    /// The short features of each row, and the squares of their lengths.
    private static func projected(_ matrix: FeatureMatrix) -> (short: [SIMD8<Float>], squares: [Float]) {
        // Sums with random signs, the same in each run.
        var random = RepeatableRandom(seed: 64)
        let signs = (0..<sumCount * matrix.stride).map { _ -> SIMD8<Float> in
            let bits = random.next()
            var part = SIMD8<Float>()
            for lane in 0..<8 { part[lane] = bits >> UInt64(lane) & 1 == 0 ? -0.125 : 0.125 }
            return part
        }
        let sums = LayerSums.sums(
            matrix,
            Array(0..<matrix.rowCount),
            weights: signs,
            bias: [Float](repeating: 0, count: sumCount)
        )
        var (short, squares): ([SIMD8<Float>], [Float]) = ([], [])
        short.reserveCapacity(matrix.rowCount * sumCount / 8)
        for row in 0..<matrix.rowCount {
            var square = SIMD8<Float>()
            for eight in 0..<sumCount / 8 {
                var part = SIMD8<Float>()
                for lane in 0..<8 { part[lane] = sums[row * sumCount + 8 * eight + lane] }
                square += part * part
                short.append(part)
            }
            squares.append(square.sum())
        }
        return (short, squares)
    }
}
