import Foundation

/// Formats numbers for reports.
enum ReportNumbers {
    /// For example `87.4 %`; `–` for nil.
    static func percent(_ share: Double?) -> String {
        share.map { fixed($0 * 100, 1) + " %" } ?? "–"
    }

    /// For example `0.35`.
    static func threshold(_ threshold: Double) -> String { fixed(threshold, 2) }

    /// For example `0.4213`; `–` for nil.
    static func score(_ value: Double?) -> String { value.map { fixed($0, 3) } ?? "–" }

    /// A number with a fixed number of decimals, regardless of the system's language.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "–" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let units = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(units)" }
        let fraction = String(units % scale)
        return "\(sign)\(units / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// For example `12 s` or `3 min 20 s`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "–" }
        if seconds < 10 { return fixed(seconds, 1) + " s" }
        let whole = Int(seconds.rounded())
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }

    /// For example `1 picture` or `2 pictures`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
