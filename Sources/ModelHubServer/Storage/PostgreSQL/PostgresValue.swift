import Foundation

/// Values in PostgreSQL's binary format: numbers have their most significant byte first.
enum PostgresValue {
    /// The number of a parameter's type; 0 lets the server choose the type of an absent value.
    static func type(of value: SQLValue) -> UInt32 {
        switch value {
        case .null: 0
        case .boolean: OID.bool
        case .integer: OID.int8
        case .real: OID.float8
        case .text: OID.text
        case .bytes: OID.bytea
        }
    }

    /// Appends the bytes of a value.
    static func append(_ value: SQLValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: break
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer(let number): append(UInt64(bitPattern: number), to: &bytes)
        case .real(let number): append(number.bitPattern, to: &bytes)
        case .text(let text): bytes.append(contentsOf: text.utf8)
        case .bytes(let data): bytes.append(contentsOf: data)
        }
    }

    private static func append(_ bits: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bits.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// The value of bytes; nil if the hub does not use the type.
    static func value(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> SQLValue? {
        switch (type, bytes.count) {
        case (OID.bool, 1): .boolean(bytes[0] != 0)
        case (OID.int2, 2): .integer(Int64(Int16(truncatingIfNeeded: bits(bytes))))
        case (OID.int4, 4): .integer(Int64(Int32(truncatingIfNeeded: bits(bytes))))
        case (OID.int8, 8): .integer(Int64(bitPattern: bits(bytes)))
        case (OID.float8, 8): .real(Double(bitPattern: bits(bytes)))
        case (OID.text, _), (OID.varchar, _), (OID.name, _): .text(String(decoding: bytes, as: UTF8.self))
        case (OID.bytea, _): .bytes(Data(bytes))
        default: nil
        }
    }

    private static func bits(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The numbers of types, which are the same in every server (pg_type.dat).
    private enum OID {
        static let bool: UInt32 = 16
        static let bytea: UInt32 = 17
        static let name: UInt32 = 19
        static let int8: UInt32 = 20
        static let int2: UInt32 = 21
        static let int4: UInt32 = 23
        static let text: UInt32 = 25
        static let float8: UInt32 = 701
        static let varchar: UInt32 = 1043
    }
}
