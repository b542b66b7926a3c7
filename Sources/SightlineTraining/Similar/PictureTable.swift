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

    /// Adds a picture with the bytes of a known one.
    mutating func append(_ file: FolderPictures.File, like row: Int) {
        var picture = pictures[row]
        (picture.path, picture.byteCount, picture.modified) = (file.path, file.byteCount, file.modified)
        // Not the row itself: while it exists, adding would copy all rows.
        let vector = Array(vectors.row(row))
        append(picture, vector)
    }

    /// Keeps some pictures, in the given order.
    ///
    /// - Parameter rows: Their numbers, each once.
    mutating func keep(_ rows: [Int]) {
        guard !rows.elementsEqual(pictures.indices) else { return }
        pictures = rows.map { pictures[$0] }
        vectors.keep(rows)
    }

    mutating func reserveCapacity(_ count: Int) {
        pictures.reserveCapacity(count)
        vectors.reserveCapacity(count)
    }
}

/// The form of an index file.
///
/// Numbers are little endian. A header: `SLSIMILR`, a version, the numbers of a vector, the bytes of a thumbnail and the number of pictures,
/// 4 bytes each, and the network's SHA-256. For each picture: the bytes of its path, its width and height, and 1 if it has a vector, 4 bytes
/// each; its size and time of change, 8 bytes each; the SHA-256 of the file; the thumbnail, the vector, and the path. At the end, the
/// SHA-256 of all that.
///
/// The file has as many bytes as the pictures in memory, so it is written and read in pieces.
extension PictureTable {
    private static let mark = Array("SLSIMILR".utf8)
    private static let version: UInt32 = 1
    private static let headerLength = 8 + 4 * 4 + 32
    private static let recordLength = 4 * 4 + 2 * 8 + 32
    private static let digestLength = 32
    private static let maximumWidth = 1 << 16
    private static let maximumPath = 1 << 14
    private static let maximumSide = 1 << 30

    /// Writes the file.
    ///
    /// - Parameter rows: The numbers of the pictures in the file, in the order of their paths.
    func write(_ rows: [Int], to file: borrowing FileDescriptor) throws(DurableFileError) {
        var (hash, piece) = (SHA256(), Data())
        piece.append(contentsOf: Self.mark)
        for value in [Self.version, UInt32(vectors.width), UInt32(PictureThumbnail.byteCount)] {
            Self.append(value, to: &piece)
        }
        Self.append(UInt32(clamping: rows.count), to: &piece)
        piece.append(contentsOf: network)
        for row in rows {
            append(row, to: &piece)
            guard piece.count >= FileDescriptor.pieceSize else { continue }
            piece.withUnsafeBytes { hash.update($0) }
            try file.write(piece)
            piece.removeAll(keepingCapacity: true)
        }
        piece.withUnsafeBytes { hash.update($0) }
        piece.append(contentsOf: hash.digest)
        try file.write(piece)
    }

    private func append(_ row: Int, to data: inout Data) {
        let picture = pictures[row]
        let path = Array(picture.path.utf8)
        Self.append(UInt32(clamping: path.count), to: &data)
        Self.append(UInt32(clamping: picture.width), to: &data)
        Self.append(UInt32(clamping: picture.height), to: &data)
        Self.append(UInt32(picture.hasVector ? 1 : 0), to: &data)
        Self.append(UInt64(clamping: picture.byteCount), to: &data)
        Self.append(picture.modified, to: &data)
        data.append(contentsOf: picture.digest)
        data.append(contentsOf: picture.thumbnail.bytes)
        vectors.row(row).withUnsafeBytes { data.append(contentsOf: $0) }
        data.append(contentsOf: path)
    }

    private static func append(_ value: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }

    /// Reads a file in pieces.
    ///
    /// The hash shows damage, but not who wrote the file, so each length is checked.
    struct FileReader {
        /// The size of the file.
        let byteCount: Int
        private var hash = SHA256()
        /// The bytes that are not read yet.
        private var rest: [UInt8] = []
        private var read: PictureTable?
        /// The number of pictures that are still to come.
        private var missing = 0
        private var isDamaged = false

        init(byteCount: Int) { self.byteCount = byteCount }

        /// The pictures after the last piece; nil if the file is damaged, or of another version.
        var table: PictureTable? { !isDamaged && missing == 0 && rest == hash.digest ? read : nil }

        /// Takes the next piece.
        mutating func append(_ piece: UnsafeRawBufferPointer) {
            guard !isDamaged else { return }
            // Taken out of this value, whose other parts change meanwhile.
            var rest = rest
            self.rest = []
            rest.append(contentsOf: piece)
            let place = rest.withUnsafeBytes { bytes in
                var reader = Reader(bytes: bytes)
                while !isDamaged, read == nil || missing > 0, reader.rest >= reader.nextLength(of: read) {
                    isDamaged = !(read == nil ? readHeader(&reader) : readPicture(&reader))
                }
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<reader.place]))
                return reader.place
            }
            rest.removeFirst(place)
            isDamaged = isDamaged || read != nil && missing == 0 && rest.count > PictureTable.digestLength
            if isDamaged { read = nil } else { self.rest = rest }
        }

        private mutating func readHeader(_ reader: inout Reader) -> Bool {
            guard reader.bytes(8).map({ Array($0) }) == PictureTable.mark,
                reader.number(UInt32.self) == PictureTable.version,
                let width = reader.number(UInt32.self), width <= PictureTable.maximumWidth,
                reader.number(UInt32.self).map(Int.init) == PictureThumbnail.byteCount,
                let count = reader.number(UInt32.self), count <= FolderPictures.maximum,
                let network = reader.bytes(32)
            else { return false }
            let least = PictureTable.recordLength + PictureThumbnail.byteCount + Int(width)
            guard PictureTable.headerLength + Int(count) * least + PictureTable.digestLength <= byteCount else {
                return false
            }
            missing = Int(count)
            var table = PictureTable(network: Array(network), width: Int(width))
            // Some new pictures have a place, too.
            table.reserveCapacity(missing + missing / 8)
            read = table
            return true
        }

        private mutating func readPicture(_ reader: inout Reader) -> Bool {
            guard let (picture, vector) = reader.picture(width: read?.vectors.width ?? 0) else { return false }
            read?.append(picture, vector.lazy.map { Int8(bitPattern: $0) })
            missing -= 1
            return true
        }
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

        mutating func bytes(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
            guard count >= 0, count <= rest else { return nil }
            defer { place += count }
            return bytes[place..<place + count]
        }

        /// The bytes of the next picture, or of the header if there is no table yet. A number that has not arrived makes it too large.
        func nextLength(of table: PictureTable?) -> Int {
            guard let table else { return PictureTable.headerLength }
            var reader = self
            guard let path = reader.number(UInt32.self) else { return .max }
            return PictureTable.recordLength + PictureThumbnail.byteCount + table.vectors.width
                + min(Int(path), PictureTable.maximumPath)
        }

        mutating func picture(width vectorWidth: Int) -> (Picture, vector: Slice<UnsafeRawBufferPointer>)? {
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
                digest: Array(digest),
                width: Int(width),
                height: Int(height),
                thumbnail: thumbnail,
                hasVector: hasVector == 1
            )
            return (picture, vector)
        }
    }
}
