/// Reads the bits of a JPEG's entropy-coded data, which ends at a marker.
///
/// `window` holds the next bits from its top; the first `available` bits are valid. After the data's end the reader delivers
/// zeros and counts them, which reveals a caller that used them.
///
/// Every function but `restarted` is inlined or returns a new value, so that the fields stay in registers.
struct JPEGBitReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var window: UInt64 = 0
    private var available = 0
    private var zeros = 0

    /// Creates a reader of the bytes after a scan's header. The bytes must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether a caller used more bits than the data has.
    var hasOverrun: Bool { available < zeros }

    /// The next 12 bits.
    @inline(__always) var ahead: Int { Int(truncatingIfNeeded: window &>> UInt64(64 - JPEGHuffmanTable.lookAhead)) }

    /// The next 16 bits.
    @inline(__always) var nextSixteen: UInt16 { UInt16(truncatingIfNeeded: window &>> 48) }

    /// Makes at least 32 bits available: more than a code and its value take.
    @inline(__always) mutating func refill() {
        guard available < 32 else { return }
        if position &+ 8 <= bytes.count {
            // Sound: the eight bytes were just seen to lie inside the buffer, and the load needs no alignment.
            let next = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // No byte of `next` is 0xFF if no byte of its inverse is zero.
            if (~next &- 0x0101_0101_0101_0101) & next & 0x8080_8080_8080_8080 == 0 {
                window |= next &>> UInt64(truncatingIfNeeded: available)
                position &+= (63 &- available) &>> 3
                available |= 56
                return
            }
        }
        self = refilledSlowly()
    }

    @inline(never) private func refilledSlowly() -> JPEGBitReader {
        var reader = self
        // The fast path leaves bits below those that count; here they are read again.
        reader.window &= available == 0 ? 0 : ~0 << UInt64(64 - available)
        while reader.available <= 56 {
            var byte: UInt8 = 0
            if reader.position < bytes.count, bytes[reader.position] != 0xFF {
                byte = bytes[reader.position]
                reader.position += 1
            } else if reader.position + 1 < bytes.count, bytes[reader.position + 1] == 0 {
                byte = 0xFF
                reader.position += 2
            } else {
                reader.zeros += 8
            }
            reader.window |= UInt64(byte) << UInt64(56 - reader.available)
            reader.available += 8
        }
        return reader
    }

    /// Discards bits, at most the available ones.
    @inline(__always) mutating func use(_ count: Int) {
        window &<<= UInt64(truncatingIfNeeded: count)
        available &-= count
    }

    /// Takes up to 11 bits as a signed difference (T.81, F.2.2.1).
    @inline(__always) mutating func difference(size: Int) -> Int32 {
        guard size > 0 else { return 0 }
        let bits = Int32(truncatingIfNeeded: window &>> UInt64(truncatingIfNeeded: 64 &- size))
        use(size)
        let half: Int32 = 1 &<< Int32(truncatingIfNeeded: size &- 1)
        return bits < half ? bits &- 2 &* half &+ 1 : bits
    }

    /// Returns the reader behind the restart marker; nil if there is no marker or if the data before it are not used up.
    @inline(never) func restarted() -> JPEGBitReader? {
        var reader = refilledSlowly()
        guard (0..<8).contains(reader.available - reader.zeros) else { return nil }
        var next = reader.position
        while next + 1 < bytes.count, bytes[next] == 0xFF, bytes[next + 1] == 0xFF { next += 1 }
        guard next + 1 < bytes.count, bytes[next] == 0xFF, (0xD0...0xD7).contains(bytes[next + 1]) else { return nil }
        reader = JPEGBitReader(bytes)
        reader.position = next + 2
        return reader
    }
}
