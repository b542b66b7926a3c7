/// Pictures that are nearly the same: copies, other sizes and crops of one picture, frames of one scene.
///
/// Two pictures are nearly the same if the cosine between their centered features is at least ``leastSimilarity``. Such pictures, and
/// those that they lead to, form a group.
struct NearDuplicates: Sendable {
    /// The group of each row, numbered from 0.
    let groups: [Int]
    let groupCount: Int
    /// Pairs that are nearly the same, each with its smaller row first.
    let pairs: [(Int, Int)]

    /// With MobileNet V2, brighter, mirrored and slightly cropped copies of photos have 0.86 and more, and none of 531 different photos of
    /// flowers more than 0.83.
    static let leastSimilarity: Float = 0.87

    /// The number of pictures that another picture of their group could stand for.
    var redundantCount: Int { groups.count - groupCount }

    /// Compares all pictures with each other: first 64 sums of their features, which keep distances roughly, and where those are near,
    /// the features.
    init(in matrix: FeatureMatrix) throws {
        let rows = matrix.rowCount
        let (short, lengths) = Self.projected(matrix)
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
            for two in Self.near(one, in: short, rows) {
                let product = Self.product(matrix.values, one, two, matrix.stride)
                guard product >= Self.leastSimilarity * lengths[one] * lengths[two] else { continue }
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
    private static let roughSimilarity: Float = 0.55

    /// The later rows whose short features are near those of a row.
    private static func near(_ row: Int, in short: [SIMD8<Float>], _ rows: Int) -> [Int] {
        let stride = sumCount / 8
        var found: [Int] = []
        short.withUnsafeBufferPointer { short in
            for other in row + 1..<max(rows, row + 1) {
                var sum = SIMD8<Float>()
                for eight in 0..<stride { sum += short[row * stride + eight] * short[other * stride + eight] }
                if sum.sum() >= roughSimilarity { found.append(other) }
            }
        }
        return found
    }

    private static func product(_ values: [SIMD8<Float>], _ one: Int, _ two: Int, _ stride: Int) -> Float {
        var sum = SIMD8<Float>()
        for eight in 0..<stride { sum += values[one * stride + eight] * values[two * stride + eight] }
        return sum.sum()
    }

    /// The short features of each row, of length 1, and the length of the row.
    private static func projected(_ matrix: FeatureMatrix) -> (short: [SIMD8<Float>], lengths: [Float]) {
        // Sums with random signs, the same in each run.
        var random = SplitMix64(state: 64)
        let signs = (0..<sumCount * matrix.stride).map { _ -> SIMD8<Float> in
            let bits = random.next()
            var part = SIMD8<Float>()
            for lane in 0..<8 { part[lane] = bits >> UInt64(lane) & 1 == 0 ? -1 : 1 }
            return part
        }
        let rows = Array(0..<matrix.rowCount)
        let sums = LayerSums.sums(
            matrix,
            rows,
            weights: signs,
            bias: [Float](repeating: 0, count: sumCount)
        )
        var (short, lengths): ([SIMD8<Float>], [Float]) = ([], [])
        short.reserveCapacity(rows.count * sumCount / 8)
        for row in rows {
            let length = product(matrix.values, row, row, matrix.stride).squareRoot()
            lengths.append(length)
            let factor = length > 0 ? 1 / (length * Float(sumCount).squareRoot()) : 0
            for eight in 0..<sumCount / 8 {
                var part = SIMD8<Float>()
                for lane in 0..<8 { part[lane] = factor * sums[row * sumCount + 8 * eight + lane] }
                short.append(part)
            }
        }
        return (short, lengths)
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
