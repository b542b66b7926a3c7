import Foundation

#if canImport(zlib)
    import zlib
#else
    import CZlib
#endif

/// A file of a zip archive, as the archive's directory describes it.
package struct ZipEntry: Sendable, Hashable {
    /// The file's path in the archive. Names that are not UTF-8 are repaired.
    package let name: String
    /// Whether the contents are encrypted.
    package let isEncrypted: Bool
    /// The compression method: 0 stored, 8 deflated.
    package let method: Int
    /// The CRC-32 of the contents.
    package let checksum: UInt32
    /// The compressed size in bytes.
    package let compressedCount: Int
    /// The uncompressed size in bytes.
    package let count: Int
    /// The offset of the file's own header from the beginning of the whole file.
    package let headerOffset: Int
    /// The kind and permissions of the file on Unix (`st_mode`); nil if another system packed it.
    package let mode: UInt16?
    /// The offset of the file's record from the beginning of the directory.
    let directoryOffset: Int

    /// The offset, within a record, of the 32-bit position of the file's header.
    static let placeOffset = 42

    /// Reads the entry at `position` of a directory and moves on to the next.
    init?(_ directory: Data, at position: inout Int, shift: Int) {
        guard directory.integer(UInt32.self, at: position) == 0x0201_4b50,
            let maker = directory.integer(UInt16.self, at: position + 4),
            let flags = directory.integer(UInt16.self, at: position + 8),
            let method = directory.integer(UInt16.self, at: position + 10),
            let checksum = directory.integer(UInt32.self, at: position + 16),
            let packed = directory.integer(UInt32.self, at: position + 20),
            let unpacked = directory.integer(UInt32.self, at: position + 24),
            let nameCount = directory.integer(UInt16.self, at: position + 28),
            let extraCount = directory.integer(UInt16.self, at: position + 30),
            let commentCount = directory.integer(UInt16.self, at: position + 32),
            let attributes = directory.integer(UInt32.self, at: position + 38),
            let offset = directory.integer(UInt32.self, at: position + 42)
        else { return nil }
        let extraStart = position + 46 + Int(nameCount)
        let next = extraStart + Int(extraCount) + Int(commentCount)
        guard next <= directory.count else { return nil }
        // A field with its maximum value means that the zip64 record holds the number, in this order.
        var wide = WideFields(directory.dropFirst(extraStart).prefix(Int(extraCount)))
        guard let count = wide.number(unpacked), let compressedCount = wide.number(packed),
            let stated = wide.number(offset), stated <= Int.max - shift
        else { return nil }
        name = String(decoding: directory.dropFirst(position + 46).prefix(Int(nameCount)), as: UTF8.self)
        isEncrypted = flags & 1 != 0
        self.method = Int(method)
        self.checksum = checksum
        self.compressedCount = compressedCount
        self.count = count
        headerOffset = shift + stated
        // 3 is Unix, 19 macOS.
        mode = [3, 19].contains(maker >> 8) ? UInt16(attributes >> 16) : nil
        directoryOffset = position
        position = next
    }

    /// Unpacks the file. The sizes in the directory bound the memory.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of the contents.
    ///   - read: Returns bytes of the file that holds the archive.
    /// - Throws: `ZipError.damagedFile`.
    package func content(atMost maximumBytes: Int, read: ZipDirectory.Read) throws(ZipError) -> Data {
        func damaged(_ reason: String) -> ZipError { .damagedFile(name: name, reason: reason) }
        guard !isEncrypted else { throw damaged("it is encrypted") }
        guard count <= maximumBytes else { throw damaged("it claims \(count) bytes, more than \(maximumBytes)") }
        guard let header = read(headerOffset, 30), header.integer(UInt32.self, at: 0) == 0x0403_4b50,
            let nameCount = header.integer(UInt16.self, at: 26), let extraCount = header.integer(UInt16.self, at: 28)
        else { throw damaged("its header is not where the directory says") }
        let content: Data?
        switch method {
        case 0 where count != compressedCount:
            content = nil
        case 0, 8:
            // Deflated data is at least a 1,032nd of the contents, so that a short file cannot claim much memory.
            guard method == 0 || count / 1032 <= compressedCount else {
                throw damaged("it claims \(count) bytes, more than \(compressedCount) bytes can unpack to")
            }
            // Deflated data grows by at most a few bytes for each 16 KiB.
            guard compressedCount <= maximumBytes + maximumBytes / 1000 + 64,
                let packed = read(headerOffset + 30 + Int(nameCount) + Int(extraCount), compressedCount)
            else { throw damaged("it reaches past the end") }
            content = method == 0 ? packed : Self.inflated(packed, to: count)
        default:
            throw damaged("compression method \(method) is neither stored nor deflated")
        }
        guard let content else { throw damaged("it does not unpack to \(count) bytes") }
        guard Self.checksum(of: content) == checksum else { throw damaged("its checksum is wrong") }
        return content
    }

    /// Inflates to exactly `count` bytes, or nil.
    private static func inflated(_ packed: Data, to count: Int) -> Data? {
        guard let inputCount = UInt32(exactly: packed.count), let outputCount = UInt32(exactly: count + 1) else {
            return nil
        }
        var output = Data(count: count + 1)
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        let produced: Int? = output.withUnsafeMutableBytes { output in
            packed.withUnsafeBytes { packed in
                stream.next_in = UnsafeMutablePointer(mutating: packed.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = inputCount
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = outputCount
                guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
                return output.count - Int(stream.avail_out)
            }
        }
        guard produced == count else { return nil }
        return output.prefix(count)
    }

    private static func checksum(of data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        }
    }
}

/// The 64-bit numbers of an entry whose 32-bit fields have their maximum value: the extra field with the number 1.
private struct WideFields {
    private var numbers: Data

    init(_ extra: Data) {
        numbers = Data()
        var position = 0
        while let id = extra.integer(UInt16.self, at: position), let size = extra.integer(UInt16.self, at: position + 2)
        {
            if id == 1 { numbers = extra.dropFirst(position + 4).prefix(Int(size)) }
            position += 4 + Int(size)
        }
    }

    /// The field itself, or the next 64-bit number if the field has its maximum value; nil if that number is missing.
    mutating func number(_ field: UInt32) -> Int? {
        guard field == .max else { return Int(field) }
        defer { numbers = numbers.dropFirst(8) }
        return numbers.integer(UInt64.self, at: 0).flatMap { Int(exactly: $0) }
    }
}
