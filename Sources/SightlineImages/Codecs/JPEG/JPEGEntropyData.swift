import Foundation

/// The entropy-coded data of a scan without stuffed bytes and markers (ITU-T T.81, B.1.1.5).
struct JPEGEntropyData {
    /// The bytes of all intervals, one after the other, and zeros behind them, so that ``padding`` bytes can be read at each end.
    let bytes: [UInt8]
    /// The restart intervals in bits from the beginning of `bytes`; one interval for data without restart markers.
    let intervals: [Range<Int>]

    /// The bytes that may be read behind the last interval: more than the lowest frequencies of a block have.
    static let padding = 32

    /// Copies data up to the first marker that does not belong to it.
    ///
    /// - Parameters:
    ///   - coded: The bytes after the scan's header.
    ///   - intervalCount: The number of restart intervals. Markers between them are expected in their order.
    init(_ coded: UnsafeRawBufferPointer, intervalCount: Int) {
        var intervals: [Range<Int>] = []
        bytes = [UInt8](unsafeUninitializedCapacity: coded.count + Self.padding) { bytes, count in
            var (position, start) = (0, 0)
            guard let source = coded.baseAddress, let target = bytes.baseAddress else { return }
            // Never more bytes are written than read.
            while position < coded.count {
                let mark = memchr(source + position, 0xFF, coded.count - position).map { UnsafeRawPointer($0) - source }
                let end = mark ?? coded.count
                memcpy(target + count, source + position, end - position)
                count += end - position
                position = end
                guard position < coded.count else { break }
                var code = position + 1
                if code < coded.count, coded[code] == 0 {
                    bytes[count] = 0xFF
                    position += 2
                    count += 1
                    continue
                }
                while code < coded.count, coded[code] == 0xFF { code += 1 }
                guard code < coded.count, intervals.count + 1 < intervalCount,
                    coded[code] == 0xD0 + UInt8(intervals.count % 8)
                else { break }
                intervals.append(start * 8..<count * 8)
                (position, start) = (code + 1, count)
            }
            intervals.append(start * 8..<count * 8)
            memset(target + count, 0, Self.padding)
            count += Self.padding
        }
        self.intervals = intervals
    }
}
