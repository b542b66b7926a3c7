import Foundation
import Sightline

/// One line of a file of detections.
struct MOTLine {
    /// A mistake in a line.
    struct Problem: Error {
        let reason: String
    }

    let frame: Int
    let detection: DetectedObject
    /// Whether the score is −1, which stands for none.
    let isUnscored: Bool

    private static let names = ["frame", "identity", "left", "top", "width", "height", "score"]

    init(_ line: ArraySlice<UInt8>) throws(Problem) {
        var numbers: [Double] = []
        var rest = line
        while numbers.count < Self.names.count {
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            let field = Self.trimmed(rest[rest.startIndex..<end])
            guard let number = Self.number(field), number.isFinite else {
                let text = String(decoding: field.prefix(40), as: UTF8.self)
                throw Problem(reason: "the \(Self.names[numbers.count]) is “\(text)”, which is not a number")
            }
            numbers.append(number)
            guard end < rest.endIndex else { break }
            rest = rest[rest.index(after: end)...]
        }
        guard numbers.count == Self.names.count else {
            throw Problem(reason: "it has \(numbers.count) fields, expected \(Self.names.count)")
        }
        guard let frame = Int(exactly: numbers[0]), (1...MOTDetections.maximumFrame).contains(frame) else {
            throw Problem(
                reason: "the frame is \(numbers[0]), expected a whole number from 1 to \(MOTDetections.maximumFrame)"
            )
        }
        self.frame = frame
        isUnscored = numbers[6] == -1
        detection = DetectedObject(
            frame: PixelRect(x: numbers[2], y: numbers[3], width: numbers[4], height: numbers[5]),
            confidence: isUnscored ? 1 : Float(numbers[6])
        )
    }

    private static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var field = field
        while let first = field.first, MOTDetections.isBlank(first) { field = field.dropFirst() }
        while let last = field.last, MOTDetections.isBlank(last) { field = field.dropLast() }
        return field
    }

    /// Parses a decimal number. A plain number of up to 15 digits, the usual case, is computed from its digits: the digits and the power
    /// of ten are exact then, so one division yields the nearest number (W. D. Clinger, "How to read floating point numbers
    /// accurately", 1990).
    private static func number(_ field: ArraySlice<UInt8>) -> Double? {
        var (digits, fractionDigits, count) = (Int64(0), 0, 0)
        var (isNegative, hasPoint) = (false, false)
        for (position, byte) in field.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                count += 1
                guard count <= 15 else { return Double(String(decoding: field, as: UTF8.self)) }
                digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
                if hasPoint { fractionDigits += 1 }
            case UInt8(ascii: "-") where position == 0: isNegative = true
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            default: return Double(String(decoding: field, as: UTF8.self))
            }
        }
        guard count > 0 else { return nil }
        let value = Double(digits) / powersOfTen[fractionDigits]
        return isNegative ? -value : value
    }

    private static let powersOfTen = (0...15).map { pow(10.0, Double($0)) }
}
