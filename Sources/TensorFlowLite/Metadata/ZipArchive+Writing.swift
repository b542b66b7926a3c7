import Foundation

#if canImport(zlib)
    import zlib
#else
    import CZlib
#endif

extension ZipArchive {
    /// The bytes to append after the first `position` bytes of a file so that it ends with an archive (PKWARE's
    /// APPNOTE) that holds one new stored file and the files that these bytes already contain.
    ///
    /// - Parameters:
    ///   - records: The directory of the existing files, with offsets from the beginning of the file.
    ///   - count: The number of existing files.
    static func ending(
        with file: (name: String, content: Data),
        after records: Data,
        count: Int,
        at position: Int
    ) -> Data {
        let (entry, record) = stored(file, at: position)
        return entry + ending(records + record, count: count + 1, at: position + entry.count)
    }

    /// The bytes to append after the first `position` bytes of a file so that it ends with an archive of some stored files.
    static func ending(with files: [(name: String, content: Data)], at position: Int) -> Data {
        var (entries, records) = (Data(), Data())
        for file in files {
            let (entry, record) = stored(file, at: position + entries.count)
            entries += entry
            records += record
        }
        return entries + ending(records, count: files.count, at: position + entries.count)
    }

    /// A stored file at a position, and its record in the directory.
    private static func stored(
        _ file: (name: String, content: Data),
        at position: Int
    ) -> (entry: Data, record: Data) {
        let name = Data(file.name.utf8)
        let checksum = file.content.withUnsafeBytes { bytes in
            crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
        }
        // Version 2.0, a name in UTF-8, stored, midnight of 1 January 1980.
        var facts = Data()
        for value in [20, 0x800, 0, 0, 0x21] as [UInt16] { facts.append(littleEndian: value) }
        facts.append(littleEndian: UInt32(truncatingIfNeeded: checksum))
        for _ in 0..<2 { facts.append(littleEndian: UInt32(truncatingIfNeeded: file.content.count)) }
        facts.append(littleEndian: UInt16(truncatingIfNeeded: name.count))
        facts.append(littleEndian: UInt16(0))

        var entry = Data()
        entry.append(littleEndian: UInt32(0x0403_4b50))
        entry.append(facts + name + file.content)

        var record = Data()
        record.append(littleEndian: UInt32(0x0201_4b50))
        record.append(littleEndian: UInt16(20))
        record.append(facts)
        for value in [0, 0, 0] as [UInt16] { record.append(littleEndian: value) }
        record.append(littleEndian: UInt32(0))
        record.append(littleEndian: UInt32(truncatingIfNeeded: position))
        record.append(name)
        return (entry, record)
    }

    /// A directory and the record that ends an archive.
    ///
    /// - Parameters:
    ///   - directory: The directory of the files, with offsets from the beginning of the file.
    ///   - count: The number of files.
    ///   - position: The position of the directory in the file.
    static func ending(_ directory: Data, count: Int, at position: Int) -> Data {
        var ending = directory
        ending.append(littleEndian: UInt32(0x0605_4b50))
        for value in [0, 0] as [UInt16] { ending.append(littleEndian: value) }
        for _ in 0..<2 { ending.append(littleEndian: UInt16(truncatingIfNeeded: count)) }
        ending.append(littleEndian: UInt32(truncatingIfNeeded: directory.count))
        ending.append(littleEndian: UInt32(truncatingIfNeeded: position))
        ending.append(littleEndian: UInt16(0))
        return ending
    }
}

extension Data {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
