/// Decodes the mean of every block of a JPEG's first scan.
///
/// Unsafe reads are confined to `JPEGBitReader`, which checks its position against the end before each of them.
enum JPEGBlockMeans {
    /// The block means of one component, one sample a block, padded to whole MCUs.
    struct Plane {
        var width: Int
        var height: Int
        var samples: [UInt8]
    }

    /// The planes of all components; nil if the data is damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader) -> [Plane]? {
        let horizontal = header.components[0].horizontal
        let vertical = header.components[0].vertical
        let columns = (header.width + 8 * horizontal - 1) / (8 * horizontal)
        let rows = (header.height + 8 * vertical - 1) / (8 * vertical)
        var planes = header.components.map { component in
            Plane(
                width: columns * component.horizontal,
                height: rows * component.vertical,
                samples: [UInt8](repeating: 0, count: columns * component.horizontal * rows * component.vertical)
            )
        }
        var reader = JPEGBitReader(UnsafeRawBufferPointer(rebasing: bytes[header.scanStart...]))
        var predictions = [Int32](repeating: 0, count: header.components.count)
        var untilRestart = header.restartInterval
        for row in 0..<rows {
            for column in 0..<columns {
                if header.restartInterval > 0 {
                    if untilRestart == 0 {
                        guard reader.restart() else { return nil }
                        for index in predictions.indices { predictions[index] = 0 }
                        untilRestart = header.restartInterval
                    }
                    untilRestart -= 1
                }
                for (index, component) in header.components.enumerated() {
                    for y in 0..<component.vertical {
                        for x in 0..<component.horizontal {
                            guard let difference = reader.dcDifference(component.dcTable) else { return nil }
                            predictions[index] &+= difference
                            if let table = component.acTable {
                                guard reader.skipCoefficients(table) else { return nil }
                            }
                            let coefficient = predictions[index] << Int32(header.pointTransform)
                            let mean = (coefficient &* component.step &+ 4) >> 3 &+ 128
                            let at =
                                (row * component.vertical + y) * planes[index].width
                                + column * component.horizontal + x
                            planes[index].samples[at] = UInt8(truncatingIfNeeded: min(max(mean, 0), 255))
                        }
                    }
                }
            }
        }
        return reader.hasOverrun ? nil : planes
    }
}

/// Reads the bits of a JPEG's entropy-coded data, which ends at a marker.
///
/// `window` holds the next bits from its top; `available` says how many of them count. After the data's end zeros are
/// delivered and counted, so that a caller who used them is found out.
struct JPEGBitReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var window: UInt64 = 0
    private var available = 0
    private var zeros = 0

    /// A reader of the bytes after a scan's header.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether more bits were used than there are.
    var hasOverrun: Bool { available < zeros }

    /// Makes at least 48 bits available.
    @inline(__always) private mutating func refill() {
        guard available < 48 else { return }
        if position + 8 <= bytes.count {
            // Sound: the eight bytes were just seen to lie inside the buffer, and the load needs no alignment.
            let next = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let inverted = ~next
            // No byte of `next` is 0xFF if no byte of its inverse is zero.
            if (inverted &- 0x0101_0101_0101_0101) & next & 0x8080_8080_8080_8080 == 0 {
                window |= next &>> UInt64(available)
                position += (63 &- available) &>> 3
                available |= 56
                return
            }
        }
        refillSlowly()
    }

    private mutating func refillSlowly() {
        // The fast path leaves bits below those that count; here they are read again.
        window &= available == 0 ? 0 : ~0 << UInt64(64 - available)
        while available <= 56 {
            var byte: UInt8 = 0
            if position < bytes.count, bytes[position] != 0xFF {
                byte = bytes[position]
                position += 1
            } else if position + 1 < bytes.count, bytes[position + 1] == 0 {
                byte = 0xFF
                position += 2
            } else {
                zeros += 8
            }
            window |= UInt64(byte) << UInt64(56 - available)
            available += 8
        }
    }

    @inline(__always) private mutating func use(_ count: Int) {
        window <<= UInt64(count)
        available &-= count
    }

    @inline(__always) private mutating func code(_ table: borrowing JPEGHuffmanTable) -> UInt8? {
        let ahead = Int(window >> UInt64(64 - JPEGHuffmanTable.lookAhead))
        let (length, symbol) = table.codes[ahead]
        if length > 0 {
            use(Int(length))
            return symbol
        }
        guard let (length, symbol) = table.slowCode(UInt32(window >> 48)) else { return nil }
        use(length)
        return symbol
    }

    /// The difference of a DC coefficient from the one before (T.81, F.2.2.1); nil for an impossible code.
    @inline(__always) mutating func dcDifference(_ table: borrowing JPEGHuffmanTable) -> Int32? {
        refill()
        guard let size = code(table), size <= 11 else { return nil }
        guard size > 0 else { return 0 }
        let bits = Int32(truncatingIfNeeded: window >> UInt64(64 - Int(size)))
        use(Int(size))
        return bits < 1 << Int32(size - 1) ? bits - (1 << Int32(size)) + 1 : bits
    }

    /// Steps over the 63 AC coefficients of a block (T.81, F.2.2.2); false for an impossible code.
    @inline(__always) mutating func skipCoefficients(_ table: borrowing JPEGHuffmanTable) -> Bool {
        var next = 1
        while next < 64 {
            refill()
            let step = table.steps[Int(window >> UInt64(64 - JPEGHuffmanTable.lookAhead))]
            let reached = next + Int(step.coefficients)
            if step.bits > 0, reached < (step.endsBlock ? 64 : 65) {
                use(Int(step.bits))
                if step.endsBlock { return true }
                next = reached
                continue
            }
            // A long code, or a block that is full before the step's end: one symbol at a time.
            guard let symbol = code(table) else { return false }
            if symbol == 0 { return true }
            use(Int(symbol & 15))
            next += Int(symbol >> 4) + 1
            guard next <= 64 else { return false }
        }
        return true
    }

    /// Passes a restart marker; false if the data before it is not used up or there is none.
    mutating func restart() -> Bool {
        refillSlowly()
        let unread = available - zeros
        guard (0..<8).contains(unread) else { return false }
        while position < bytes.count, bytes[position] == 0xFF, position + 1 < bytes.count, bytes[position + 1] == 0xFF {
            position += 1
        }
        guard position + 1 < bytes.count, bytes[position] == 0xFF, (0xD0...0xD7).contains(bytes[position + 1]) else {
            return false
        }
        position += 2
        (window, available, zeros) = (0, 0, 0)
        return true
    }
}
