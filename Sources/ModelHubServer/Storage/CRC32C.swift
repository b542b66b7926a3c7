import struct Foundation.Data

/// The CRC-32C (Castagnoli) of bytes that arrive in pieces, as reported by Cloud Storage (RFC 3720, appendix B.4).
struct CRC32C: Sendable {
    private var state: UInt32 = 0xFFFF_FFFF

    /// Eight tables, for processing eight bytes at a time ("slicing by 8", Kounavis and Berry, 2005).
    private static let tables: [[UInt32]] = {
        var tables = [
            (0..<256).map { index -> UInt32 in
                (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
            }
        ]
        for level in 1..<8 {
            tables.append(tables[level - 1].map { ($0 >> 8) ^ tables[0][Int($0 & 0xFF)] })
        }
        return tables
    }()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let tables = Self.tables
        var crc = state
        var position = 0
        while bytes.count - position >= 8 {
            let low = crc ^ UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
            crc =
                tables[7][Int(low & 0xFF)] ^ tables[6][Int(low >> 8 & 0xFF)] ^ tables[5][Int(low >> 16 & 0xFF)]
                ^ tables[4][Int(low >> 24)] ^ tables[3][Int(high & 0xFF)] ^ tables[2][Int(high >> 8 & 0xFF)]
                ^ tables[1][Int(high >> 16 & 0xFF)] ^ tables[0][Int(high >> 24)]
            position += 8
        }
        while position < bytes.count {
            crc = (crc >> 8) ^ tables[0][Int((crc ^ UInt32(bytes[position])) & 0xFF)]
            position += 1
        }
        state = crc
    }

    /// The current value.
    var value: UInt32 { state ^ 0xFFFF_FFFF }

    /// The value in the format of the storage API: big-endian, in base64.
    var base64: String { withUnsafeBytes(of: value.bigEndian) { $0.base64 } }
}

extension UnsafeRawBufferPointer {
    fileprivate var base64: String { Data(self).base64EncodedString() }
}
