import Foundation

/// A reason why a zip archive or a file in it cannot be read. The reasons are parts of sentences.
package enum ZipError: Error, Sendable, Hashable {
    /// There is no archive: the bytes do not end with the record of an archive.
    case noArchive
    /// The archive's directory is not valid.
    case damagedDirectory(reason: String)
    /// The archive has more files than allowed.
    case tooManyFiles(Int, maximum: Int)
    /// A file cannot be unpacked.
    case damagedFile(name: String, reason: String)
}

/// The directory at the end of a zip archive, which lists its files.
///
/// Format: PKWARE's APPNOTE 6.3.10, with zip64 (4.3.14, 4.3.15, 4.5.3). The reader checks every offset and length;
/// callers decide which names and sizes they accept. The reader takes a function, so that the archive may be in memory
/// or in a file.
package struct ZipDirectory: Sendable {
    /// Returns `count` bytes from `offset` on, or nil if there are fewer.
    package typealias Read = (_ offset: Int, _ count: Int) -> Data?

    /// The files and folders, in the order of the directory.
    package let entries: [ZipEntry]
    /// The directory as stored in the file.
    private let bytes: Data

    /// The maximum size of a directory in bytes.
    private static let maximumBytes = 64 << 20

    /// Reads the directory.
    ///
    /// - Parameters:
    /// - byteCount: The size of the whole file, which may begin with bytes that do not belong to the archive.
    /// - maximumFiles: The maximum number of files in the archive.
    /// - Throws: `.noArchive`, `.damagedDirectory` or `.tooManyFiles`.
    package init(byteCount: Int, maximumFiles: Int, read: Read) throws(ZipError) {
        let end = try ZipEnd(byteCount: byteCount, read: read)
        guard end.fileCount <= maximumFiles else { throw .tooManyFiles(end.fileCount, maximum: maximumFiles) }
        // Offsets count from the archive's beginning, which is the file's beginning or follows other bytes.
        let start = end.position - end.byteCount
        let shift = start - end.statedStart
        guard start >= 0, shift >= 0, end.byteCount <= Self.maximumBytes, let data = read(start, end.byteCount) else {
            throw .damagedDirectory(reason: "its directory lies outside the file")
        }
        var entries: [ZipEntry] = []
        var position = 0
        for index in 0..<end.fileCount {
            guard let entry = ZipEntry(data, at: &position, shift: shift), entry.headerOffset <= start else {
                throw .damagedDirectory(reason: "entry \(index) of its directory is not valid")
            }
            entries.append(entry)
        }
        self.entries = entries
        bytes = data.prefix(position)
    }

    /// The directory with every file moved by `distance` bytes, with offsets from the beginning of the whole file; nil
    /// if an offset does not fit its 32 bits.
    func records(movedBy distance: Int) -> Data? {
        var records = Data(bytes)
        for entry in entries {
            guard let place = UInt32(exactly: entry.headerOffset + distance), place < .max else { return nil }
            records.replace(place, at: entry.directoryOffset + ZipEntry.placeOffset)
        }
        return records
    }
}

/// The record that ends an archive, with the zip64 records before it if there are any.
private struct ZipEnd {
    /// The number of entries in the directory.
    var fileCount: Int
    /// The size of the directory in bytes.
    var byteCount: Int
    /// The beginning of the directory, as stated in the archive.
    var statedStart: Int
    /// The end of the directory.
    var position: Int

    /// 22 bytes, a comment of up to 65,535, and zip64's locator of 20 bytes before them.
    private static let maximumTail = 22 + 0xffff + 20

    init(byteCount fileBytes: Int, read: ZipDirectory.Read) throws(ZipError) {
        let tailStart = max(fileBytes - Self.maximumTail, 0)
        guard fileBytes >= 22, let tail = read(tailStart, fileBytes - tailStart),
            let end = Self.end(in: tail),
            let files = tail.integer(UInt16.self, at: end + 10), let size = tail.integer(UInt32.self, at: end + 12),
            let start = tail.integer(UInt32.self, at: end + 16)
        else { throw .noArchive }
        fileCount = Int(files)
        byteCount = Int(size)
        statedStart = Int(start)
        position = tailStart + end
        guard files == 0xffff || size == 0xffff_ffff || start == 0xffff_ffff,
            tail.integer(UInt32.self, at: end - 20) == 0x0706_4b50
        else { return }
        guard let offset = tail.integer(UInt64.self, at: end - 12).flatMap({ Int(exactly: $0) }),
            let record = read(offset, 56), record.integer(UInt32.self, at: 0) == 0x0606_4b50,
            let files = record.integer(UInt64.self, at: 32).flatMap({ Int(exactly: $0) }),
            let size = record.integer(UInt64.self, at: 40).flatMap({ Int(exactly: $0) }),
            let start = record.integer(UInt64.self, at: 48).flatMap({ Int(exactly: $0) })
        else { throw .damagedDirectory(reason: "its zip64 record is not where it should be") }
        fileCount = files
        byteCount = size
        statedStart = start
        position = offset
        guard size <= offset, start <= offset else {
            throw .damagedDirectory(reason: "its directory lies outside the file")
        }
    }

    private static func end(in tail: Data) -> Int? {
        var position = tail.count - 22
        while position >= 0 {
            if tail.integer(UInt32.self, at: position) == 0x0605_4b50,
                let comment = tail.integer(UInt16.self, at: position + 20),
                position + 22 + Int(comment) == tail.count
            {
                return position
            }
            position -= 1
        }
        return nil
    }
}

extension Data {
    /// Writes a little-endian integer over the bytes at `offset`, which must be in range.
    fileprivate mutating func replace(_ value: UInt32, at offset: Int) {
        let start = startIndex + offset
        Swift.withUnsafeBytes(of: value.littleEndian) { replaceSubrange(start..<start + 4, with: $0) }
    }

    /// The little-endian integer at `offset`, or nil if it reaches past the end.
    func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { return nil }
        return withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
}
