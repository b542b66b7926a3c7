/// Pictures that are nearly the same: copies and slight crops of one picture, frames of one scene. A copy that lost much of its detail,
/// such as one of two thirds of the size in a coarse JPEG, may not be found.
///
/// Two pictures are nearly the same if their features differ much less than each differs from the mean of its label: the square of the
/// distance is at most ``mostDifference`` times the square of the smaller difference. For pictures of one label, that is a cosine of about
/// 0.87. So pictures of a label that look alike on purpose, as screws on one table do, are not taken for copies. Such pictures, and those
/// that they lead to, form a group.
struct NearDuplicates: Sendable {
    /// The group of each row, numbered from 0.
    let groups: [Int]
    let groupCount: Int
    /// Pairs that are nearly the same, each with its smaller row first.
    let pairs: [(Int, Int)]

    /// With MobileNet V2, brighter, mirrored and slightly cropped copies of photos differ less, and 531 different photos of flowers more.
    static let mostDifference: Float = 0.26

    /// The number of pictures that another picture of their group could stand for.
    var redundantCount: Int { groups.count - groupCount }

    /// Compares all pictures with each other: first 64 sums of their features, which keep distances roughly, and where those are near,
    /// the features.
    init(in matrix: FeatureMatrix, labels: [[Int]]) throws {
        let rows = matrix.rowCount
        let spreads = Self.spreads(matrix, labels)
        let (short, squares) = Self.projected(matrix)
        var parents = Array(0..<rows)
        func root(_ row: Int) -> Int {
            var row = row
            while parents[row] != row {
                parents[row] = parents[parents[row]]
                row = parents[row]
            }
            return row
        }
        var pairs: [(Int, Int)] = []
        for one in 0..<rows {
            try Task.checkCancellation()
            for two in Self.near(one, in: short, squares, spreads) {
                guard
                    Self.distance(matrix, one, two) <= Self.limit(spreads[one], spreads[two]) + Self.rounding
                else { continue }
                pairs.append((one, two))
                let (first, second) = (root(one), root(two))
                parents[max(first, second)] = min(first, second)
            }
        }
        var numbers: [Int: Int] = [:]
        groups = (0..<rows).map { row in
            let root = root(row)
            let number = numbers[root] ?? numbers.count
            numbers[root] = number
            return number
        }
        groupCount = numbers.count
        self.pairs = pairs
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
        var random = SplitMix64(state: 64)
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

/// Random numbers that are the same in each run.
///
/// Source: S. Vigna, SplitMix64 (2015).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
