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

        var archive = Data()
        archive.append(littleEndian: UInt32(0x0403_4b50))
        archive.append(facts + name + file.content)

        var directory = records
        directory.append(littleEndian: UInt32(0x0201_4b50))
        directory.append(littleEndian: UInt16(20))
        directory.append(facts)
        for value in [0, 0, 0] as [UInt16] { directory.append(littleEndian: value) }
        directory.append(littleEndian: UInt32(0))
        directory.append(littleEndian: UInt32(truncatingIfNeeded: position))
        directory.append(name)

        return archive + ending(directory, count: count + 1, at: position + archive.count)
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
