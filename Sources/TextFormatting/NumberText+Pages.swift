import Foundation

/// Numbers in pages.
extension NumberText {
    /// For example `12,345`.
    package static func grouped(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "−\(text)" : text
    }

    /// A number with its noun: `1 version`, `3,000 versions`.
    package static func grouped(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(grouped(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// For example `0.73`; `–` for an infinite number or NaN.
    package static func decimal(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite else { return "–" }
        return String(format: "%.\(digits)f", locale: nil, value)
    }

    /// For example `73.1 %`; `–` if it is unknown.
    package static func percent(_ fraction: Double?, _ digits: Int = 1) -> String {
        guard let fraction, fraction.isFinite else { return "–" }
        return "\(decimal(fraction * 100, digits)) %"
    }
}
