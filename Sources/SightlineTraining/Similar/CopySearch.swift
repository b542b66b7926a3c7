import Sightline
import SightlineLocks

/// The search for pairs of copies among many pictures.
///
/// 8 × 8 brightnesses of all pictures are compared with those of all others, also mirrored; then the colors of the pairs that are left,
/// and then their details (``CopyCheck``). Of 10,000 pairs of photos, four come so far.
struct CopySearch: Sendable {
    private let thumbnails: [PictureThumbnail]
    private let coarse: ByteVectors
    private let colors: [[Float]]

    private static let leastCoarse: Float = 0.7
    /// Above this correlation, colors do not matter: one picture may be gray.
    private static let sureCoarse: Float = 0.9
    private static let mostColor: Float = 0.25
    /// So many rows are compared at a time.
    private static let blockSize = 32

    init(_ thumbnails: [PictureThumbnail]) {
        self.thumbnails = thumbnails
        var coarse = ByteVectors(width: 64)
        coarse.reserveCapacity(thumbnails.count)
        for thumbnail in thumbnails { coarse.append(thumbnail.coarse ?? []) }
        self.coarse = coarse
        colors = thumbnails.map(\.colors)
    }

    /// The pairs, each with its smaller number first, in their order.
    ///
    /// - Parameter progress: Receives the share of the work that is done, one call at a time.
    /// - Throws: `CancellationError`.
    /// - Complexity: Grows with the square of the number of pictures: 10,000 take some seconds, 100,000 some minutes.
    func pairs(workers: Int, progress: (Double) -> Void = { _ in }) async throws -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        let count = thumbnails.count
        let blocks = Array(stride(from: 0, to: count, by: Self.blockSize))
        try await OrderedWork.run(workers: workers, next: { $0 < blocks.count ? blocks[$0] : nil }) {
            (first: Int) throws -> (Int, [(Int, Int)]) in
            try Task.checkCancellation()
            return (first, self.pairs(from: first..<min(first + Self.blockSize, count)))
        } deliver: { first, found in
            pairs += found
            let rest = Double(count - first) / Double(count)
            progress(1 - rest * rest)
        }
        return pairs
    }

    private func pairs(from rows: Range<Int>) -> [(Int, Int)] {
        rows.flatMap { one in copies(of: thumbnails[one], from: one + 1).map { (one, $0) } }
    }

    /// Groups of copies: the numbers of a picture and of its copies, which follow it and are in no earlier group.
    ///
    /// Each picture that is not yet in a group begins one. So all pictures of a group are copies of its first one, while a copy of a copy
    /// that no longer resembles the first one begins its own group. Pictures without copies are a group as well.
    ///
    /// - Parameter progress: Receives the share of the work that is done, one call at a time.
    /// - Throws: `CancellationError`.
    /// - Complexity: As of ``pairs(workers:progress:)``; pictures in a group are not compared any more.
    func groups(workers: Int, progress: (Double) -> Void = { _ in }) async throws -> [[Int]] {
        var groups: [[Int]] = []
        let count = thumbnails.count
        let taken = Mutex([Bool](repeating: false, count: count))
        let blocks = Array(stride(from: 0, to: count, by: Self.blockSize))
        try await OrderedWork.run(workers: workers, next: { $0 < blocks.count ? blocks[$0] : nil }) {
            (first: Int) throws -> (Range<Int>, [[Int]]) in
            try Task.checkCancellation()
            let rows = first..<min(first + Self.blockSize, count)
            return (rows, self.groups(from: rows, taken: taken.withLock { $0 }))
        } deliver: { rows, found in
            taken.withLock { taken in
                // Earlier blocks, which were compared at the same time, come first.
                let isStale = found.contains { $0.contains { taken[$0] } }
                let new = isStale ? self.groups(from: rows, taken: taken) : found
                for row in new.joined() { taken[row] = true }
                groups += new
            }
            let rest = Double(count - rows.upperBound) / Double(count)
            progress(1 - rest * rest)
        }
        return groups
    }

    private func groups(from rows: Range<Int>, taken: [Bool]) -> [[Int]] {
        var (taken, groups) = (taken, [[Int]]())
        for row in rows where !taken[row] {
            let copies = copies(of: thumbnails[row], from: row + 1) { !taken[$0] }
            for copy in copies { taken[copy] = true }
            groups.append([row] + copies)
        }
        return groups
    }

    /// The pictures from a number on that are copies of a picture, perhaps mirrored, in their order.
    ///
    /// - Parameter isWanted: Whether a picture is compared.
    func copies(
        of thumbnail: PictureThumbnail,
        from first: Int = 0,
        where isWanted: (Int) -> Bool = { _ in true }
    ) -> [Int] {
        var copies: [Int] = []
        var check: CopyCheck?
        for (other, isMirrored) in candidates(of: thumbnail, from: first) where copies.last != other && isWanted(other)
        {
            if thumbnails[other] == thumbnail {
                copies.append(other)
                continue
            }
            let known = check ?? CopyCheck(thumbnail)
            check = known
            let turned = isMirrored ? thumbnails[other].mirrored : thumbnails[other]
            if known.isCopy(of: CopyCheck(turned)) { copies.append(other) }
        }
        return copies
    }

    /// The pictures from a number on that may be copies of a picture, in their order; those that may be mirrored copies are listed again.
    private func candidates(of thumbnail: PictureThumbnail, from first: Int) -> [(Int, isMirrored: Bool)] {
        var found: [(Int, isMirrored: Bool)] = []
        for isMirrored in [false, true] {
            let turned = isMirrored ? thumbnail.mirrored : thumbnail
            guard let query = turned.coarse else { return [] }
            let length = query.reduce(Float(0)) { $0 + Float($1) * Float($1) }.squareRoot()
            let turnedColors = turned.colors
            let products = coarse.products(with: query, from: first)
            for (offset, product) in products.enumerated() where product > 0 {
                let other = first + offset
                let correlation = Float(product) / (length * coarse.lengths[other])
                guard correlation >= Self.leastCoarse,
                    correlation >= Self.sureCoarse || Self.haveLikeColors(turnedColors, colors[other])
                else { continue }
                found.append((other, isMirrored))
            }
        }
        return found.sorted { ($0.0, $0.isMirrored ? 1 : 0) < ($1.0, $1.isMirrored ? 1 : 0) }
    }

    private static func haveLikeColors(_ one: [Float], _ two: [Float]) -> Bool {
        var (difference, squareOne, squareTwo): (Float, Float, Float) = (0, 0, 0)
        for (a, b) in zip(one, two) {
            difference += (a - b) * (a - b)
            squareOne += a * a
            squareTwo += b * b
        }
        // Colors of weak pictures differ by rounding alone.
        return difference.squareRoot()
            <= mostColor * (squareOne.squareRoot() + squareTwo.squareRoot() + 30)
    }
}
