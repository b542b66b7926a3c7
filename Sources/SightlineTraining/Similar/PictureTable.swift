import DurableFiles
import Foundation

/// Known pictures of a folder, and their features.
struct PictureTable: Sendable {
    /// A known picture.
    struct Picture: Sendable {
        /// The path within the folder.
        var path: String
        var byteCount: Int
        /// The time of the last change, in nanoseconds since 1970.
        var modified: Int64
        /// The SHA-256 of the file.
        let digest: FeatureCache.Digest
        let width: Int
        let height: Int
        let thumbnail: PictureThumbnail
        /// Whether its features are computed. Otherwise its vector is 0.
        let hasVector: Bool
    }

    /// The SHA-256 of the network, 32 bytes; all 0 for none.
    let network: [UInt8]
    private(set) var pictures: [Picture] = []
    private(set) var vectors: ByteVectors

    static let noNetwork = [UInt8](repeating: 0, count: 32)

    init(network: [UInt8], width: Int) {
        self.network = network
        vectors = ByteVectors(width: width)
    }

    mutating func append(_ picture: Picture, _ vector: some Collection<Int8>) {
        pictures.append(picture)
        vectors.append(vector)
    }
}

/// The form of an index file.
///
/// Numbers are little endian. A header: `SLSIMILR`, a version, the numbers of a vector, the bytes of a thumbnail and the number of pictures,
/// 4 bytes each, and the network's SHA-256. For each picture: the bytes of its path, its width and height, and 1 if it has a vector, 4 bytes
/// each; its size and time of change, 8 bytes each; the SHA-256 of the file; the thumbnail, the vector, and the path. At the end, the
/// SHA-256 of all that.
extension PictureTable {
    private static let mark = Array("SLSIMILR".utf8)
    private static let version: UInt32 = 1
    private static let headerLength = 8 + 4 * 4 + 32
    private static let recordLength = 4 * 4 + 2 * 8 + 32
    private static let digestLength = 32
    private static let maximumWidth = 1 << 16
    private static let maximumPath = 1 << 14
    private static let maximumSide = 1 << 30

    /// The bytes of the file.
    var data: Data {
        let perPicture = Self.recordLength + PictureThumbnail.byteCount + vectors.width + 64
        var data = Data(capacity: Self.headerLength + pictures.count * perPicture + Self.digestLength)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: Self.mark)
        for value in [Self.version, UInt32(vectors.width), UInt32(PictureThumbnail.byteCount)] { append(value) }
        append(UInt32(clamping: pictures.count))
        data.append(contentsOf: network)
        for (row, picture) in pictures.enumerated() {
            let path = Array(picture.path.utf8)
            append(UInt32(clamping: path.count))
            append(UInt32(clamping: picture.width))
            append(UInt32(clamping: picture.height))
            append(UInt32(picture.hasVector ? 1 : 0))
            append(UInt64(clamping: picture.byteCount))
            append(picture.modified)
            data.append(contentsOf: picture.digest)
            data.append(contentsOf: picture.thumbnail.bytes)
            vectors.row(row).withUnsafeBytes { data.append(contentsOf: $0) }
            data.append(contentsOf: path)
        }
        data.append(contentsOf: FeatureCache.digest(of: data))
        return data
    }

    /// Reads the bytes of a file; nil if they are damaged, or of another version.
    init?(data: Data) {
        guard data.count >= Self.headerLength + Self.digestLength else { return nil }
        let end = data.count - Self.digestLength
        guard Data(FeatureCache.digest(of: data.prefix(end))) == data.suffix(Self.digestLength) else { return nil }
        // The hash shows damage, but not who wrote the file, so each length is checked.
        let table = data.withUnsafeBytes { bytes -> PictureTable? in
            var reader = Reader(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
            guard reader.bytes(8) == Self.mark, reader.number(UInt32.self) == Self.version,
                let width = reader.number(UInt32.self), width <= Self.maximumWidth,
                reader.number(UInt32.self).map(Int.init) == PictureThumbnail.byteCount,
                let count = reader.number(UInt32.self), count <= FolderPictures.maximum,
                let network = reader.bytes(32)
            else { return nil }
            var table = PictureTable(network: network, width: Int(width))
            let least = Self.recordLength + PictureThumbnail.byteCount + Int(width)
            guard Int(count) * least <= reader.rest else { return nil }
            table.pictures.reserveCapacity(Int(count))
            table.vectors.reserveCapacity(Int(count))
            for _ in 0..<count {
                guard let (picture, vector) = reader.picture(width: Int(width)) else { return nil }
                table.append(picture, vector)
            }
            return reader.rest == 0 ? table : nil
        }
        guard let table else { return nil }
        self = table
    }

    /// Reads numbers and bytes one after another; nil beyond the end.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var place = 0

        var rest: Int { bytes.count - place }

        mutating func number<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
            let length = MemoryLayout<Value>.size
            guard length <= rest else { return nil }
            defer { place += length }
            return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
        }

        mutating func bytes(_ count: Int) -> [UInt8]? {
            guard count >= 0, count <= rest else { return nil }
            defer { place += count }
            return Array(bytes[place..<place + count])
        }

        mutating func picture(width vectorWidth: Int) -> (Picture, [Int8])? {
            guard let pathLength = number(UInt32.self), pathLength <= PictureTable.maximumPath,
                let width = number(UInt32.self), width <= PictureTable.maximumSide,
                let height = number(UInt32.self), height <= PictureTable.maximumSide,
                let hasVector = number(UInt32.self), let byteCount = number(UInt64.self),
                let modified = number(Int64.self), let digest = bytes(32),
                let thumbnail = bytes(PictureThumbnail.byteCount).flatMap({ PictureThumbnail(bytes: $0) }),
                let vector = bytes(vectorWidth), let path = bytes(Int(pathLength))
            else { return nil }
            let picture = Picture(
                path: String(decoding: path, as: UTF8.self),
                byteCount: Int(clamping: byteCount),
                modified: modified,
                digest: digest,
                width: Int(width),
                height: Int(height),
                thumbnail: thumbnail,
                hasVector: hasVector == 1
            )
            return (picture, vector.map { Int8(bitPattern: $0) })
        }
    }
}
