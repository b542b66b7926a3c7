import SightlineImages

/// The mask and the points of a detection in little memory: about two bytes for each row of a mask's part, and twelve for each point.
struct PackedDetection: Sendable, Hashable {
    /// The rectangle of the mask, and then its runs, each as the difference to the run two before it; seven bits a byte, the lowest first.
    /// Nil without a mask.
    private let mask: [UInt8]?
    /// The meanings of the points; nil without points. All detections of an object share them.
    let pointNames: [ObjectPoint.Name]?
    /// The x, the y and the confidence of each point; not a number where the confidence is unknown.
    private let points: [Float]

    /// Nil for an object with neither.
    ///
    /// - Parameter earlier: a detection of the same object.
    init?(_ object: DetectedObject, like earlier: PackedDetection?) {
        guard object.mask != nil || object.points != nil else { return nil }
        mask = object.mask.map(Self.packed)
        let names = object.points?.map(\.name)
        pointNames = names == earlier?.pointNames ? earlier?.pointNames : names
        points = (object.points ?? []).flatMap {
            [Float($0.position.x), Float($0.position.y), $0.confidence ?? .nan]
        }
    }

    /// The points, to about a thousandth of a pixel; nil if the detection had none.
    var objectPoints: [ObjectPoint]? {
        pointNames?.indices.map { index in
            let values = points[index * 3..<index * 3 + 3]
            let (x, y, confidence) = (values[index * 3], values[index * 3 + 1], values[index * 3 + 2])
            return ObjectPoint(
                pointNames?[index] ?? ObjectPoint.Name(rawValue: ""),
                at: PixelPoint(x: Double(x), y: Double(y)),
                confidence: confidence.isNaN ? nil : confidence
            )
        }
    }

    /// The mask, widened to contain a frame; nil if the detection had none.
    func objectMask(containing frame: PixelRect) -> ObjectMask? {
        guard let mask else { return nil }
        var numbers: [Int] = []
        var (bits, shift) = (0 as UInt64, 0 as UInt64)
        for byte in mask {
            bits |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            numbers.append(Int(truncatingIfNeeded: bits >> 1) ^ -Int(bits & 1))
            (bits, shift) = (0, 0)
        }
        guard numbers.count >= 4 else { return nil }
        var runs = Array(numbers[4...])
        for index in runs.indices.dropFirst(2) { runs[index] += runs[index - 2] }
        let whole = ObjectMask(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3], runs: runs)
        return whole?.widened(to: frame)
    }

    private static func packed(_ mask: ObjectMask) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ number: Int) {
            // Small numbers of both signs take one byte.
            var bits = UInt64(bitPattern: Int64((number << 1) ^ (number >> (Int.bitWidth - 1))))
            while bits > 0x7F {
                bytes.append(UInt8(bits & 0x7F) | 0x80)
                bits >>= 7
            }
            bytes.append(UInt8(bits))
        }
        for number in [mask.x, mask.y, mask.width, mask.height] { add(number) }
        for (index, run) in mask.runs.enumerated() { add(index < 2 ? run : run - mask.runs[index - 2]) }
        return bytes
    }
}

extension ObjectMask {
    /// The same pixels in a rectangle that contains a frame, too.
    fileprivate func widened(to frame: PixelRect) -> ObjectMask? {
        let left = min(x, Int(max(frame.x.rounded(.down), -Double(Self.maximumPixels))))
        let top = min(y, Int(max(frame.y.rounded(.down), -Double(Self.maximumPixels))))
        let right = max(x + width, Int(min(frame.maxX.rounded(.up), Double(Self.maximumPixels))))
        let bottom = max(y + height, Int(min(frame.maxY.rounded(.up), Double(Self.maximumPixels))))
        guard (left, top, right, bottom) != (x, y, x + width, y + height) else { return self }
        let columns = right - left
        var runs: [Int] = []
        var end = 0
        for span in spans {
            let start = (span.y - top) * columns + span.columns.lowerBound - left
            // Parts of two rows can touch where the mask reaches both edges.
            if start == end, !runs.isEmpty {
                runs[runs.count - 1] += span.columns.count
            } else {
                runs += [start - end, span.columns.count]
            }
            end = start + span.columns.count
        }
        let rest = columns * (bottom - top) - end
        return ObjectMask(x: left, y: top, width: columns, height: bottom - top, runs: runs + [rest])
    }
}
