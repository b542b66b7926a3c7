/// Measures text in the font of the annotations.
struct TextMeasure: Sendable {
    /// From the base line to the top of the highest letters, in pixels.
    let ascent: Double
    /// From the base line to the bottom of the lowest letters, in pixels.
    let descent: Double
    private let fontSize: Double

    init(fontSize: Double) throws(MediaError) {
        let context = try DrawingContext(width: 1, height: 1)
        context.setFont(size: fontSize)
        let (ascent, descent) = context.fontHeights()
        try context.check()
        self.fontSize = fontSize
        self.ascent = ascent.rounded(.up)
        self.descent = descent.rounded(.up)
    }

    /// The advance width of one line of text, in pixels.
    func width(of text: String) -> Double {
        guard let context = try? DrawingContext(width: 1, height: 1) else { return 0 }
        context.setFont(size: fontSize)
        return context.width(of: text).rounded(.up)
    }

    /// The text, shortened with an ellipsis if it is wider than allowed; nil if not even one letter fits.
    ///
    /// - Parameter keepsEnd: whether the beginning is cut off instead of the end.
    func shortened(_ text: String, to maximumWidth: Double, keepsEnd: Bool = false) -> String? {
        // Longer text fits into no picture. The limit keeps the search short.
        let limit = 400
        let line = String(
            (keepsEnd ? text.suffix(limit) : text.prefix(limit)).map { $0.isNewline || $0 == "\0" ? " " : $0 }
        )
        if width(of: line) <= maximumWidth { return line }
        func part(_ count: Int) -> String {
            if keepsEnd { return "…" + line.suffix(count) }
            return line.prefix(count) + "…"
        }
        var (fitting, tooLong) = (0, line.count)
        while tooLong - fitting > 1 {
            let middle = (fitting + tooLong) / 2
            if width(of: part(middle)) <= maximumWidth {
                fitting = middle
            } else {
                tooLong = middle
            }
        }
        return fitting == 0 ? nil : part(fitting)
    }
}
