import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

extension PictureIndex {
    /// Groups of a picture and its copies, in the order of the paths of their first pictures. Nothing is deleted.
    ///
    /// All pictures of a group are copies of its first one, so each can be deleted while that one stays. A copy of a copy that no longer
    /// resembles the first one is in no group with it. A picture is in one group at most, and the groups depend on the pictures alone, not on
    /// their names or order.
    ///
    /// Pictures without any pattern, such as blank pages, are copies only if all their pixels are the same.
    ///
    /// - Throws: `CancellationError`.
    /// - Complexity: Grows with the square of the number of pictures: 10,000 take some seconds, 100,000 some minutes.
    public func duplicates(
        progress: (PictureIndexProgress) -> Void = { _ in }
    ) async throws -> [DuplicateGroup] {
        let pictures = table.pictures
        // Of equal files, one is compared with others; the best first.
        let files = Dictionary(grouping: pictures.indices, by: { pictures[$0].digest })
        let rows = files.values.compactMap { $0.min { pictures[$0].isBetter(than: pictures[$1]) } }
            .sorted { pictures[$0].isBetter(than: pictures[$1]) }
        let search = CopySearch(rows.map { pictures[$0].thumbnail })
        let found = try await search.groups(workers: workers) { progress(.comparing($0)) }
        let groups = found.map { group in group.flatMap { files[pictures[rows[$0]].digest] ?? [] } }
        let pixels = try await pixelDigests(groups.filter { $0.count > 1 })
        // Blank pictures are alone, unless all pixels are the same.
        let together = Dictionary(grouping: groups.indices) { pixels.blank[groups[$0][0]] }
        let known = pixels.near.merging(pixels.blank) { one, _ in one }
        let members = together.flatMap { digest, same -> [[Int]] in
            digest == nil ? same.map { groups[$0] } : [same.flatMap { groups[$0] }]
        }
        return members.filter { $0.count > 1 }
            .map { DuplicateGroup($0.map { pictures[$0] }, pixels: $0.map { known[$0] }) }
            .sorted { ($0.pictures.first?.path ?? "") < ($1.pictures.first?.path ?? "") }
    }

    /// The SHA-256 of the pixels of pictures, by their rows, where different files may have the same pixels: those of one size in a
    /// group, and blank ones with the same thumbnail.
    private func pixelDigests(
        _ groups: [[Int]]
    ) async throws -> (near: [Int: FeatureCache.Digest], blank: [Int: FeatureCache.Digest]) {
        func size(_ row: Int) -> PixelSize {
            PixelSize(width: table.pictures[row].width, height: table.pictures[row].height)
        }
        /// The members that another file of the same size may equal.
        func doubtful(_ rows: [Int]) -> [Int] {
            Dictionary(grouping: rows, by: size).values
                .filter { rows in Set(rows.map { table.pictures[$0].digest }).count > 1 }.flatMap(\.self)
        }
        let blank = table.pictures.indices.filter { table.pictures[$0].thumbnail.coarse == nil }
        let equal = Dictionary(grouping: blank, by: { table.pictures[$0].thumbnail }).values
        let near = try await digests(groups.flatMap(doubtful))
        return (near, try await digests(equal.flatMap(doubtful).filter { near[$0] == nil }))
    }

    private func digests(_ rows: [Int]) async throws -> [Int: FeatureCache.Digest] {
        let folder = folder
        let paths = rows.sorted().map { (row: $0, path: table.pictures[$0].path) }
        let found = try await paths.concurrentMap(limit: workers) { row, path -> (Int, FeatureCache.Digest)? in
            try Task.checkCancellation()
            // A file that has vanished equals no other.
            guard let image = try? VisionImage(data: PictureFiles(folder: folder).data(at: path)),
                let pixels = try? image.upright(), pixels.format == .rgb
            else { return nil }
            var hash = SHA256()
            pixels.planes[0].data.withUnsafeBytes { bytes in
                for y in 0..<pixels.height {
                    let start = y * pixels.planes[0].bytesPerRow
                    hash.update(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 3 * pixels.width]))
                }
            }
            return (row, hash.digest)
        }
        return Dictionary(found.compactMap(\.self), uniquingKeysWith: { one, _ in one })
    }
}

extension PictureTable.Picture {
    /// Whether a group of copies rather begins with this picture: the largest, then that with the most bytes. Of two such pictures, their
    /// bytes decide, and of equal files their paths.
    fileprivate func isBetter(than other: PictureTable.Picture) -> Bool {
        if width * height != other.width * other.height { return width * height > other.width * other.height }
        if byteCount != other.byteCount { return byteCount > other.byteCount }
        if digest != other.digest { return digest.lexicographicallyPrecedes(other.digest) }
        return path < other.path
    }
}

/// A picture and its copies.
public struct DuplicateGroup: Sendable, Hashable, Codable {
    /// The relation of a picture to the first of its group.
    public enum Relation: String, Sendable, Hashable, Codable {
        /// It is the first: the largest, and of those of one size the one with the most bytes.
        case first
        /// The files have the same bytes.
        case sameBytes
        /// The files differ, but not their pixels.
        case samePixels
        /// One was resized, compressed again, slightly cropped, made brighter or mirrored.
        case near
    }

    /// A picture of a group.
    public struct Picture: Sendable, Hashable, Codable {
        /// The path within the folder.
        public var path: String
        /// The width of the upright picture in pixels.
        public var width: Int
        /// The height of the upright picture in pixels.
        public var height: Int
        /// The size of the file in bytes.
        public var byteCount: Int
        /// The relation to the first picture.
        public var relation: Relation
    }

    /// The pictures: first the best one, then the others in the order of their paths.
    public var pictures: [Picture]

    /// Whether all pictures have the same pixels.
    public var isExact: Bool { !pictures.contains { $0.relation == .near } }

    /// The bytes of all pictures but the first.
    public var redundantBytes: Int { pictures.dropFirst().reduce(0) { $0 + $1.byteCount } }

    init(_ members: [PictureTable.Picture], pixels: [FeatureCache.Digest?]) {
        let members = zip(members, pixels).sorted { $0.0.isBetter(than: $1.0) }
        let first = members.first
        let best = members.prefix(1)
        let rest = members.dropFirst().sorted { $0.0.path < $1.0.path }
        pictures = (best + rest).enumerated().map { index, member in
            let (picture, pixels) = member
            let relation: Relation =
                if index == 0 {
                    .first
                } else if picture.digest == first?.0.digest {
                    .sameBytes
                } else if pixels != nil, pixels == first?.1 {
                    .samePixels
                } else {
                    .near
                }
            return Picture(
                path: picture.path,
                width: picture.width,
                height: picture.height,
                byteCount: picture.byteCount,
                relation: relation
            )
        }
    }
}
