import Foundation
import Sightline
import SightlineEvaluation

/// The pictures of a folder, ready to be compared. ``PictureIndexer`` makes it.
public struct PictureIndex: Sendable {
    /// Where the index of a folder is kept.
    public enum Place: Sendable, Hashable {
        /// In the folder.
        case folder
        /// In the user's cache folder, since the folder cannot be written.
        case cache(path: String)
        /// Nowhere: the next run reads all pictures again. The reason is a clause.
        case memory(reason: String?)
    }

    /// The folder of the pictures.
    public let folder: URL
    /// The files that could not be used.
    public let skipped: SkippedPictures
    /// The number of pictures that this run has read; the others were known.
    public let readCount: Int
    /// Where the index is kept.
    public let place: Place
    /// The path of an earlier index file that was damaged, and was made again; nil if there was none.
    public let damaged: String?

    let table: PictureTable
    let workers: Int
    private let calibration: LikenessCalibration?
    private let center: Center

    /// The number of pictures.
    public var count: Int { table.pictures.count }

    /// Whether likeness can be turned into a probability, which needs a network that was measured: `mobilenet-v2` of the catalog or the
    /// built-in network of features.
    public var isCalibrated: Bool { calibration != nil }

    init(
        _ table: PictureTable,
        folder: URL,
        skipped: SkippedPictures,
        readCount: Int,
        place: Place,
        damaged: String?,
        calibration: LikenessCalibration?,
        workers: Int
    ) {
        (self.table, self.folder, self.skipped, self.readCount) = (table, folder, skipped, readCount)
        (self.place, self.damaged, self.calibration, self.workers) = (place, damaged, calibration, workers)
        center = Center(of: table.vectors)
    }

    /// The pictures that are most like a picture, best first.
    ///
    /// - Parameters:
    ///   - picture: A picture that the same ``PictureIndexer`` has described.
    ///   - maximum: The largest number of pictures.
    ///   - excluded: The paths of pictures that are left out.
    /// - Complexity: Compares all pictures: 100,000 in 50 ms or less.
    public func neighbors(
        of picture: PictureDescription,
        atMost maximum: Int = 10,
        excluding excluded: Set<String> = []
    ) -> [SimilarPicture] {
        guard picture.vector.count == table.vectors.width, maximum > 0 else { return [] }
        let likenesses = likenesses(of: picture.vector)
        // The best so far, worst last. Of equal pictures, the first path is better.
        var best: [Int] = []
        for (row, likeness) in likenesses.enumerated() {
            if best.count == maximum, let last = best.last, likeness <= likenesses[last] { continue }
            guard table.pictures[row].hasVector, !excluded.contains(table.pictures[row].path) else { continue }
            let position = best.firstIndex { likenesses[$0] < likeness } ?? best.count
            best.insert(row, at: position)
            if best.count > maximum { best.removeLast() }
        }
        let copies = Set(CopySearch(best.map { table.pictures[$0].thumbnail }).copies(of: picture.thumbnail))
        return best.enumerated().map { position, row in
            let likeness = Double(likenesses[row])
            return SimilarPicture(
                path: table.pictures[row].path,
                likeness: likeness,
                probability: calibration?.probability(likeness),
                isCopy: copies.contains(position)
            )
        }
    }

    /// The pictures that are most like one of the folder's own, best first, without that one.
    ///
    /// - Parameters:
    ///   - path: The path within the folder. For a path that is not in the index, there are none.
    ///   - maximum: The largest number of pictures.
    ///   - excluded: The paths of other pictures that are left out.
    public func neighbors(
        ofPictureAt path: String,
        atMost maximum: Int = 10,
        excluding excluded: Set<String> = []
    ) -> [SimilarPicture] {
        guard let row = table.pictures.firstIndex(where: { $0.path == path }), table.pictures[row].hasVector else {
            return []
        }
        let description = PictureDescription(
            vector: Array(table.vectors.row(row)),
            thumbnail: table.pictures[row].thumbnail
        )
        return neighbors(of: description, atMost: maximum, excluding: excluded.union([path]))
    }

    /// The paths of the pictures within the folder, in their order.
    public var paths: [String] { table.pictures.map(\.path) }

    /// The cosines of a vector with all others, after what all pictures have in common is taken away.
    func likenesses(of vector: [Int8]) -> [Float] {
        let length = vector.reduce(Float(0)) { $0 + Float($1) * Float($1) }.squareRoot()
        let products = table.vectors.products(with: vector)
        let own = center.product(with: vector, length: length)
        let ownRest = max(1 - 2 * own + center.square, 1e-6)
        return products.indices.map { row in
            let lengths = table.vectors.lengths[row] * length
            guard lengths > 0 else { return -1 }
            let other = center.products[row]
            let rest = max(1 - 2 * other + center.square, 1e-6)
            let product = Float(products[row]) / lengths - own - other + center.square
            return min(max(product / (ownRest * rest).squareRoot(), -1), 1)
        }
    }

    /// The mean direction of all vectors, which says nothing about one of them. Of few pictures, it counts less.
    private struct Center: Sendable {
        private let mean: [Float]
        let square: Float
        /// The product with the direction of each vector.
        let products: [Float]

        /// This many pictures weigh as much as the assumption that nothing is in common.
        private static let doubt: Float = 20

        init(of vectors: ByteVectors) {
            let share = 1 / (Float(vectors.count) + Self.doubt)
            mean = vectors.directionSum.map { $0 * share }
            square = mean.reduce(0) { $0 + $1 * $1 }
            products = zip(vectors.products(with: mean), vectors.lengths).map { $1 > 0 ? $0 / $1 : 0 }
        }

        func product(with vector: [Int8], length: Float) -> Float {
            length > 0 ? zip(vector, mean).reduce(0) { $0 + Float($1.0) * $1.1 } / length : 0
        }
    }
}

/// A picture that is like another one.
public struct SimilarPicture: Sendable, Hashable {
    /// The path within the folder.
    public let path: String
    /// The cosine of both features, without the features that all pictures of the folder share: 1 for the same, about 0 for
    /// pictures that have nothing in common.
    public let likeness: Double
    /// The probability that both show the same thing; nil if the network was not measured.
    public let probability: Double?
    /// Whether one picture is a copy of the other, perhaps resized, compressed again, slightly cropped, brighter or mirrored.
    public let isCopy: Bool
}
