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
    /// Whether the score is −1, which means that there is none.
    let isUnscored: Bool

    private static let names = ["frame", "identity", "left", "top", "width", "height", "score"]

    /// The numbers of columns that files of MOTChallenge have: detections 7 and up to three that are unused, ground truth 9.
    static let columns = 7...10

    init(_ line: ArraySlice<UInt8>) throws(Problem) {
        let fields = Self.fields(line)
        guard Self.columns.contains(fields.count) else { throw Self.wrongColumns(fields) }
        var numbers: [Double] = []
        for (name, field) in zip(Self.names, fields) {
            guard let number = Self.number(field), number.isFinite else {
                let text = String(decoding: field.prefix(40), as: UTF8.self)
                throw Problem(reason: "the \(name) is “\(text)”, which is not a number")
            }
            numbers.append(number)
        }
        guard let frame = Int(exactly: numbers[0]), (1...MOTDetections.maximumFrame).contains(frame) else {
            throw Problem(
                reason: "the frame is \(numbers[0]), expected a whole number from 1 to \(MOTDetections.maximumFrame)"
            )
        }
        for side in 4...5 where numbers[side] <= 0 {
            throw Problem(reason: "the \(Self.names[side]) is \(Self.text(numbers[side])), expected a number above 0")
        }
        guard numbers[6] <= 1 else {
            throw Problem(reason: "the score is \(Self.text(numbers[6])), expected 0 to 1, or -1 for none")
        }
        self.frame = frame
        isUnscored = numbers[6] == -1
        detection = DetectedObject(
            frame: PixelRect(x: numbers[2], y: numbers[3], width: numbers[4], height: numbers[5]),
            confidence: isUnscored ? 1 : Float(numbers[6])
        )
    }

    /// The fields between commas. A comma at the end of the line begins no field.
    private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(trimmed)
        if fields.count > 1, fields.last?.isEmpty == true { fields.removeLast() }
        return fields
    }

    /// A line with another number of columns: fields may be separated otherwise, or decimal commas may divide numbers.
    private static func wrongColumns(_ fields: [ArraySlice<UInt8>]) -> Problem {
        if let first = fields.first, fields.count == 1, let separator = first.first(where: { separators[$0] != nil }) {
            return Problem(reason: "its fields are separated by \(separators[separator] ?? "spaces"), expected commas")
        }
        let count = fields.count == 1 ? "1 column" : "\(fields.count) columns"
        let comma = fields.count > columns.upperBound ? " (numbers need a decimal point, not a comma)" : ""
        return Problem(reason: "it has \(count), expected \(columns.lowerBound) to \(columns.upperBound)\(comma)")
    }

    private static let separators: [UInt8: String] = [
        UInt8(ascii: ";"): "semicolons", UInt8(ascii: "\t"): "tabs", UInt8(ascii: " "): "spaces",
    ]

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e9 ? "\(Int(number))" : "\(number)"
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
                guard count <= 15 else { return decimal(field) }
                digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
                if hasPoint { fractionDigits += 1 }
            case UInt8(ascii: "-") where position == 0: isNegative = true
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            default: return decimal(field)
            }
        }
        guard count > 0 else { return nil }
        let value = Double(digits) / powersOfTen[fractionDigits]
        return isNegative ? -value : value
    }

    /// A number with more digits or an exponent. Hexadecimal numbers are none.
    private static func decimal(_ field: ArraySlice<UInt8>) -> Double? {
        let text = String(decoding: field, as: UTF8.self)
        return text.lowercased().contains("x") ? nil : Double(text)
    }

    private static let powersOfTen = (0...15).map { pow(10.0, Double($0)) }
}
