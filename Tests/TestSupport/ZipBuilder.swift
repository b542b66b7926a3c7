import Foundation

/// Makes zip archives, also ones that no packer would make.
public struct ZipBuilder {
    /// A file of an archive, with possibly false statements about it.
    public struct File {
        /// The path in the archive.
        public var name: String
        /// The bytes of the file.
        public var content: Data
        /// The flags of the file; bit 11 means a name in UTF-8.
        public var flags: UInt16 = 0x0800
        /// The number of the compression; 0 for stored.
        public var method: UInt16 = 0
        /// The bytes that the archive stores; the content itself unless set.
        public var packed: Data?
        /// The size that the archive states; the content's unless set.
        public var statedCount: Int?
        /// The CRC-32 that the archive states; the content's unless set.
        public var checksum: UInt32?
        /// Unix's kind and permissions.
        public var mode: UInt16?
        /// The place of another file's header that this one claims to be its own.
        public var sharedHeader: Int?

        /// A file, with possibly false statements about it.
        public init(
            name: String,
            content: Data,
            flags: UInt16 = 0x0800,
            method: UInt16 = 0,
            packed: Data? = nil,
            statedCount: Int? = nil,
            checksum: UInt32? = nil,
            mode: UInt16? = nil,
            sharedHeader: Int? = nil
        ) {
            (self.name, self.content, self.flags, self.method) = (name, content, flags, method)
            (self.packed, self.statedCount, self.checksum) = (packed, statedCount, checksum)
            (self.mode, self.sharedHeader) = (mode, sharedHeader)
        }
    }

    /// The files in their order.
    public var files: [File] = []
    /// Whether sizes and offsets are written as zip64 has them.
    public var isZip64 = false

    /// An archive of some files.
    public init(files: [File] = [], isZip64: Bool = false) { (self.files, self.isZip64) = (files, isZip64) }

    /// Adds a file.
    public mutating func add(_ name: String, _ content: Data) { files.append(File(name: name, content: content)) }

    /// The archive's bytes.
    public var data: Data {
        var data = Data()
        var directory = Data()
        var offsets: [Int] = []
        for file in files {
            let offset = file.sharedHeader.map { offsets[$0] } ?? data.count
            offsets.append(offset)
            let packed = file.packed ?? file.content
            let name = Data(file.name.utf8)
            let checksum = file.checksum ?? Self.crc32(file.content)
            let count = file.statedCount ?? file.content.count
            if file.sharedHeader == nil {
                data.append(0x0403_4b50 as UInt32, 20 as UInt16, file.flags, file.method, 0 as UInt32, checksum)
                data.append(UInt32(packed.count), UInt32(clamping: count), UInt16(name.count), 0 as UInt16)
                data += name + packed
            }
            var extra = Data()
            if isZip64 { extra.append(1 as UInt16, 24 as UInt16, UInt64(count), UInt64(packed.count), UInt64(offset)) }
            let maker: UInt16 = file.mode == nil ? 20 : 3 << 8 | 20
            directory.append(0x0201_4b50 as UInt32, maker, 45 as UInt16, file.flags, file.method, 0 as UInt32, checksum)
            directory.append(isZip64 ? .max : UInt32(packed.count), isZip64 ? .max : UInt32(clamping: count))
            directory.append(UInt16(name.count), UInt16(extra.count), 0 as UInt16, 0 as UInt16, 0 as UInt16)
            directory.append(UInt32(file.mode ?? 0) << 16, isZip64 ? .max : UInt32(offset))
            directory += name + extra
        }
        let start = data.count
        data += directory
        if isZip64 {
            let end = data.count
            data.append(0x0606_4b50 as UInt32, 44 as UInt64, 45 as UInt16, 45 as UInt16, 0 as UInt32, 0 as UInt32)
            data.append(UInt64(files.count), UInt64(files.count), UInt64(directory.count), UInt64(start))
            data.append(0x0706_4b50 as UInt32, 0 as UInt32, UInt64(end), 1 as UInt32)
        }
        let count: UInt16 = isZip64 ? .max : UInt16(files.count)
        data.append(0x0605_4b50 as UInt32, 0 as UInt16, 0 as UInt16, count, count)
        data.append(isZip64 ? .max : UInt32(directory.count), isZip64 ? .max : UInt32(start), 0 as UInt16)
        return data
    }

    /// CRC-32 as zip has it (ISO-HDLC: reflected polynomial 0xEDB88320).
    public static func crc32(_ data: Data) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

extension Data {
    /// Appends integers in little-endian order.
    fileprivate mutating func append<each Number: FixedWidthInteger>(_ numbers: repeat each Number) {
        func add(_ number: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: number.littleEndian) { self += Data($0) }
        }
        repeat add(each numbers)
    }
}
