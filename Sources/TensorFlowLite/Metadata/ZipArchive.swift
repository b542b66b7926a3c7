import CZlib
import Foundation

/// The zip archive that may follow a model's FlatBuffer and that holds its associated files.
///
/// Format: PKWARE's APPNOTE; the central directory at the end of the file is the truth. Every offset and length is
/// checked. Stored and deflated entries are read; encryption and zip64 are not part of model files.
struct ZipArchive: Sendable {
    private struct Entry: Sendable {
        let name: String
        let method: Int
        let checksum: UInt32
        let compressedCount: Int
        let count: Int
        let headerOffset: Int
    }

    /// The most bytes that a packed file may inflate to: 64 MiB, a thousand times a large label file.
    static let maximumFileBytes = 64 << 20
    /// The most files that an archive may hold.
    static let maximumFiles = 10_000

    private let data: Data
    private let entries: [Entry]

    var names: [String] { entries.map(\.name) }

    /// Finds the archive at the end of `data`; nil when there is none.
    init?(trailing data: Data) throws(ModelError) {
        guard let end = Self.endOfCentralDirectory(data) else { return nil }
        let count = Int(data.integer(UInt16.self, at: end + 10) ?? 0)
        let size = Int(data.integer(UInt32.self, at: end + 12) ?? 0)
        let stated = Int(data.integer(UInt32.self, at: end + 16) ?? 0)
        guard count <= Self.maximumFiles, size <= end else { throw Self.damaged("its directory lies outside the file") }
        // Offsets count from the archive's beginning, which is the model's in some files and the zip's in others.
        let start = end - size
        let shift = start - stated
        guard shift >= 0 else { throw Self.damaged("its directory lies outside the file") }
        var entries: [Entry] = []
        var position = start
        for index in 0..<count {
            guard let entry = Self.entry(data, at: &position, before: end, shift: shift) else {
                throw Self.damaged("entry \(index) of its directory is not valid")
            }
            entries.append(entry)
        }
        self.data = data
        self.entries = entries
    }

    /// The content of the file with that name.
    func content(of name: String) throws(ModelError) -> Data {
        guard let entry = entries.first(where: { $0.name == name }) else {
            throw .noAssociatedFile(named: name, available: names)
        }
        func damaged(_ reason: String) -> ModelError { .corruptedAssociatedFile(named: name, reason: reason) }
        guard entry.count <= Self.maximumFileBytes else {
            throw damaged("it claims \(entry.count) bytes, more than \(Self.maximumFileBytes)")
        }
        guard data.integer(UInt32.self, at: entry.headerOffset) == 0x0403_4b50,
            let nameCount = data.integer(UInt16.self, at: entry.headerOffset + 26),
            let extraCount = data.integer(UInt16.self, at: entry.headerOffset + 28)
        else { throw damaged("its header is not where the directory says") }
        let start = entry.headerOffset + 30 + Int(nameCount) + Int(extraCount)
        guard start <= data.count, entry.compressedCount <= data.count - start else {
            throw damaged("it reaches past the end of the model")
        }
        let packed = data.dropFirst(start).prefix(entry.compressedCount)
        let content: Data?
        switch entry.method {
        case 0: content = entry.count == entry.compressedCount ? Data(packed) : nil
        case 8: content = Self.inflate(Data(packed), to: entry.count)
        default: throw damaged("compression method \(entry.method) is neither stored nor deflated")
        }
        guard let content else { throw damaged("it does not unpack to \(entry.count) bytes") }
        guard Self.checksum(of: content) == entry.checksum else { throw damaged("its checksum is wrong") }
        return content
    }

    private static func damaged(_ reason: String) -> ModelError {
        .corruptedAssociatedFile(named: "(archive)", reason: reason)
    }

    /// The record that ends an archive: 22 bytes and a comment of up to 65,535.
    private static func endOfCentralDirectory(_ data: Data) -> Int? {
        guard data.count >= 22 else { return nil }
        var position = data.count - 22
        let last = max(0, position - 0xffff)
        while position >= last {
            if data.integer(UInt32.self, at: position) == 0x0605_4b50,
                let comment = data.integer(UInt16.self, at: position + 20),
                position + 22 + Int(comment) == data.count
            {
                return position
            }
            position -= 1
        }
        return nil
    }

    private static func entry(_ data: Data, at position: inout Int, before end: Int, shift: Int) -> Entry? {
        guard position + 46 <= end, data.integer(UInt32.self, at: position) == 0x0201_4b50,
            let flags = data.integer(UInt16.self, at: position + 8), flags & 1 == 0,
            let method = data.integer(UInt16.self, at: position + 10),
            let checksum = data.integer(UInt32.self, at: position + 16),
            let compressedCount = data.integer(UInt32.self, at: position + 20),
            let count = data.integer(UInt32.self, at: position + 24),
            let nameCount = data.integer(UInt16.self, at: position + 28),
            let extraCount = data.integer(UInt16.self, at: position + 30),
            let commentCount = data.integer(UInt16.self, at: position + 32),
            let offset = data.integer(UInt32.self, at: position + 42)
        else { return nil }
        let next = position + 46 + Int(nameCount) + Int(extraCount) + Int(commentCount)
        guard next <= end, shift + Int(offset) <= end else { return nil }
        let name = String(decoding: data.dropFirst(position + 46).prefix(Int(nameCount)), as: UTF8.self)
        position = next
        return Entry(
            name: name,
            method: Int(method),
            checksum: checksum,
            compressedCount: Int(compressedCount),
            count: Int(count),
            headerOffset: shift + Int(offset)
        )
    }

    /// Inflates to exactly `count` bytes, or nil. Memory is bounded by `count`, whatever the stream holds.
    private static func inflate(_ packed: Data, to count: Int) -> Data? {
        var output = Data(count: count + 1)
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        let produced: Int? = output.withUnsafeMutableBytes { output in
            packed.withUnsafeBytes { packed in
                stream.next_in = UnsafeMutablePointer(mutating: packed.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(packed.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                guard CZlib.inflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
                return output.count - Int(stream.avail_out)
            }
        }
        guard produced == count else { return nil }
        return output.prefix(count)
    }

    private static func checksum(of data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            UInt32(truncatingIfNeeded: crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
        }
    }
}

extension Data {
    /// The little-endian integer at `offset`, or nil when it reaches past the end.
    fileprivate func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { return nil }
        return withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
}
