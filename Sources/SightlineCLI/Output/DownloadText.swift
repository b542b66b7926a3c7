import CommandLineSupport
import TextFormatting

/// The text of a download's progress line.
enum DownloadText {
    /// For example `yolox-nano [########········] 1.9 MB of 3.9 MB`.
    ///
    /// - Parameter expected: the size of the whole file; nil if it is unknown.
    static func line(_ name: String, received: Int, expected: Int?) -> String {
        guard let expected, expected > 0 else { return "\(name) \(NumberText.bytes(received))" }
        let bar = ProgressLine.bar(Double(received) / Double(expected))
        return "\(name) \(bar) \(NumberText.bytes(received)) of \(NumberText.bytes(expected))"
    }
}
