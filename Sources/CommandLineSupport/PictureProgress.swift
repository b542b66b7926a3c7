/// A progress line that counts pictures.
package struct PictureProgress {
    /// A run with fewer pictures shows no line: it is over before anybody could read the line.
    private static let minimumTotal = 6

    private var line = ProgressLine()

    /// Creates a line that is not visible yet.
    package init() {}

    /// Shows the progress.
    ///
    /// - Parameters:
    ///   - done: the number of pictures that are done, including failed pictures.
    ///   - total: the number of all known pictures.
    ///   - isTotalFinal: whether no further pictures can be found.
    ///   - failed: the number of failed pictures.
    package mutating func show(done: Int, of total: Int, isTotalFinal: Bool = true, failed: Int) {
        guard total >= Self.minimumTotal else { return }
        line.show(isFinal: done >= total) {
            Self.text(done: done, of: total, isTotalFinal: isTotalFinal, failed: failed)
        }
    }

    /// Removes the line, so that other text can be written in its place.
    package mutating func clear() { line.clear() }

    /// For example `[########········] 50/100, 2 failed`, or `50/100+` while the number of pictures is not known.
    package static func text(done: Int, of total: Int, isTotalFinal: Bool = true, failed: Int) -> String {
        let bar = ProgressLine.bar(Double(done) / Double(max(total, 1)))
        return "\(bar) \(done)/\(total)\(isTotalFinal ? "" : "+")" + (failed > 0 ? ", \(failed) failed" : "")
    }
}
