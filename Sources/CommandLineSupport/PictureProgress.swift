import TextFormatting

/// A progress line that counts pictures.
package struct PictureProgress {
    /// A run with fewer pictures shows no line: it is over before the line could be read.
    private static let minimumTotal = 6

    private var line = ProgressLine()
    private let began = ContinuousClock.now

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
        line.show(isFinal: done >= total) { [began] in
            let elapsed = ContinuousClock.now - began
            return Self.text(done: done, of: total, isTotalFinal: isTotalFinal, failed: failed, elapsed: elapsed)
        }
    }

    /// Removes the line, so that other text can be written in its place.
    package mutating func clear() { line.clear() }

    /// For example `[########········] 50/100, 2 failed, 48.1 pictures/s, 0:01 left`, or `50/100+` while the number of pictures is not
    /// known.
    package static func text(
        done: Int,
        of total: Int,
        isTotalFinal: Bool = true,
        failed: Int,
        elapsed: Duration
    ) -> String {
        var parts = [
            "\(ProgressLine.bar(Double(done) / Double(max(total, 1)))) \(done)/\(total)\(isTotalFinal ? "" : "+")"
        ]
        if failed > 0 { parts.append("\(failed) failed") }
        // The first pictures also wait for the model.
        if done > 1, elapsed > .seconds(1) {
            let rate = Double(done) / (elapsed / .seconds(1))
            parts.append("\((rate * 10).rounded() / 10) pictures/s")
            if isTotalFinal, done < total {
                parts.append("\(ClockText.text(.seconds((Double(total - done) / rate).rounded(.up)))) left")
            }
        }
        return parts.joined(separator: ", ")
    }
}
