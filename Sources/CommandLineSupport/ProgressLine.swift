/// A line on the terminal that shows the progress of a long run.
///
/// The line appears on standard error, and only if that is a terminal. It is redrawn at most ten times a second.
package struct ProgressLine {
    private static let interval = Duration.milliseconds(100)
    private var lastDrawn: ContinuousClock.Instant?
    private var isVisible = false

    /// Creates a line that is not visible yet.
    package init() {}

    /// Draws the line if it is due.
    ///
    /// - Parameters:
    ///   - isFinal: whether to draw the line even if it is not due.
    ///   - text: the content; called only if the line is drawn.
    package mutating func show(isFinal: Bool = false, _ text: () -> String) {
        guard StandardError.isTerminal else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < Self.interval, !isFinal { return }
        (lastDrawn, isVisible) = (now, true)
        StandardError.replaceLine(with: text())
    }

    /// Removes the line, so that other text can be written in its place.
    package mutating func clear() {
        if isVisible { StandardError.clearLine() }
        isVisible = false
    }

    /// A bar, for example `[########········]`.
    ///
    /// - Parameters:
    ///   - share: the filled part, 0 to 1.
    ///   - width: the number of characters between the brackets.
    package static func bar(_ share: Double, width: Int = 32) -> String {
        let filled = share.isNaN ? 0 : Int(min(max(share, 0), 1) * Double(width))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled) + "]"
    }
}
