import Foundation

/// Formats times for pages.
enum ConsoleText {
    /// For example `15 Jun 2027`, in UTC.
    static func day(_ time: Timestamp) -> String { String(Self.time(time).prefix { $0 != "," }) }

    /// For example `15 Jun 2027, 08:30`, in UTC.
    static func time(_ time: Timestamp) -> String {
        let parts = "\(time)".split { "-T:.".contains($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count >= 5, let month = Int(parts[1]), months.indices.contains(month - 1), let day = Int(parts[2])
        else { return "\(time)" }
        return "\(day) \(months[month - 1]) \(parts[0]), \(parts[3]):\(parts[4])"
    }

    /// For example `2:05` or `1:02:05`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e7)).rounded())
        let text = String(format: "%d:%02d", whole / 60 % 60, whole % 60)
        return whole < 3600 ? text : "\(whole / 3600):" + String(format: "%02d:%02d", whole / 60 % 60, whole % 60)
    }
}

/// A moment for a `time` element.
struct ConsoleTime: Sendable {
    let text: String
    let machine: String

    init(_ time: Timestamp) {
        text = ConsoleText.time(time)
        machine = "\(time)"
    }
}
