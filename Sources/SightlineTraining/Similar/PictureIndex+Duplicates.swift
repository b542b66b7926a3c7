import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

extension PictureIndex {
    /// Groups of pictures that are copies of each other, in the order of the paths of their first pictures. Nothing is deleted.
    ///
    /// Pictures without any pattern, such as blank pages, are copies only if all their pixels are the same.
    ///
    /// - Throws: `CancellationError`.
    /// - Complexity: Grows with the square of the number of pictures: 10,000 take some seconds, 100,000 some minutes.
    public func duplicates(
        progress: (PictureIndexProgress) -> Void = { _ in }
    ) async throws -> [DuplicateGroup] {
        let pictures = table.pictures
        var groups = Groups(count: pictures.count)
        // Of equal files, one is compared with others.
        var firsts: [FeatureCache.Digest: Int] = [:]
        var rows: [Int] = []
        for (row, picture) in pictures.enumerated() {
            if let first = firsts[picture.digest] {
                groups.join(first, row)
            } else {
                firsts[picture.digest] = row
                rows.append(row)
            }
        }
        let search = CopySearch(rows.map { pictures[$0].thumbnail })
        let pairs = try await search.pairs(workers: workers) { progress(.comparing($0)) }
        for (one, two) in pairs { groups.join(rows[one], rows[two]) }
        var members = Dictionary(grouping: pictures.indices, by: { [numbers = groups.numbers()] in numbers[$0] })
        let pixels = try await pixelDigests(members.values.filter { $0.count > 1 })
        // Blank pictures are in no pair.
        for same in Dictionary(grouping: pixels.blank.keys, by: { pixels.blank[$0] }).values where same.count > 1 {
            for row in same { groups.join(same.min() ?? row, row) }
        }
        members = Dictionary(grouping: pictures.indices, by: { [numbers = groups.numbers()] in numbers[$0] })
        let known = pixels.near.merging(pixels.blank) { one, _ in one }
        return members.values.filter { $0.count > 1 }
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

/// Pictures that are copies of each other.
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
        let members = zip(members, pixels).sorted { one, two in
            let (a, b) = (one.0, two.0)
            return (b.width * b.height, b.byteCount, a.path) < (a.width * a.height, a.byteCount, b.path)
        }
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
