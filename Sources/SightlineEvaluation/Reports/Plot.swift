/// Curves drawn as SVG; both axes run from 0 to 1.
struct Plot {
    /// One curve.
    struct Series {
        let name: String
        /// The number of the curve's color, 1…3.
        let color: Int
        /// Points from left to right, with gaps where y is nil.
        let points: [(x: Double, y: Double?)]
    }

    let title: String
    let xTitle: String
    let series: [Series]
    /// The position and the label of a vertical line.
    var marker: (x: Double, name: String)?
    /// Whether the diagonal, where x and y are equal, is drawn.
    var hasDiagonal = false
    /// The bars of a histogram: the range on the x axis and the height.
    var bars: [(from: Double, to: Double, height: Double)] = []

    private static let (left, top, width, height) = (44.0, 14.0, 400.0, 240.0)

    private func x(_ value: Double) -> Double { Self.left + min(max(value, 0), 1) * Self.width }
    private func y(_ value: Double) -> Double { Self.top + (1 - min(max(value, 0), 1)) * Self.height }

    /// The figure with its legend.
    var html: HTML {
        let bottom = Self.top + Self.height
        let grid: [HTML] = (0...5).map { step in
            let share = Double(step) / 5
            let label = ReportNumbers.fixed(share, 1)
            return """
                <line class="grid" x1="\(x(0))" x2="\(x(1))" y1="\(y(share))" y2="\(y(share))"/>\
                <text x="\(Self.left - 8)" y="\(y(share) + 4)" text-anchor="end">\(ReportNumbers.fixed(share * 100, 0)) %</text>\
                <text x="\(x(share))" y="\(bottom + 18)" text-anchor="middle">\(label)</text>
                """
        }
        let legend: [HTML] = series.map { #"<li><i class="c\#($0.color)"></i>\#($0.name)</li>"# }
        return """
            <figure class="plot"><figcaption>\(title)</figcaption>\
            <svg viewBox="0 0 \(Self.left + Self.width + 14) \(bottom + 44)" role="img" aria-label="\(title)">\
            \(grid)\(barMarks)\(diagonal)\(markerLine)\(series.map(curve))\
            <text x="\(x(0.5))" y="\(bottom + 38)" text-anchor="middle" class="axis">\(xTitle)</text></svg>\
            <ul class="legend">\(legend)</ul></figure>
            """
    }

    private var diagonal: HTML? {
        hasDiagonal ? #"<line class="diagonal" x1="\#(x(0))" y1="\#(y(0))" x2="\#(x(1))" y2="\#(y(1))"/>"# : nil
    }

    private var barMarks: [HTML] {
        bars.map { bar in
            """
            <rect class="bar" x="\(x(bar.from) + 1)" y="\(y(bar.height))" width="\(max(x(bar.to) - x(bar.from) - 2, 1))" \
            height="\(max(y(0) - y(bar.height), 0))"/>
            """
        }
    }

    private var markerLine: HTML? {
        guard let marker else { return nil }
        let isRight = marker.x > 0.6
        return """
            <line class="marker" x1="\(x(marker.x))" x2="\(x(marker.x))" y1="\(Self.top)" y2="\(y(0))"/>\
            <text x="\(x(marker.x) + (isRight ? -6 : 6))" y="\(y(0) - 8)" text-anchor="\(isRight ? "end" : "start")" \
            class="note">\(marker.name)</text>
            """
    }

    private func curve(_ series: Series) -> HTML {
        var path = ""
        var isDown = false
        for point in series.points {
            guard let value = point.y else {
                isDown = false
                continue
            }
            path += (isDown ? "L" : "M") + ReportNumbers.fixed(x(point.x), 1) + " " + ReportNumbers.fixed(y(value), 1)
            isDown = true
        }
        return #"<path class="curve c\#(series.color)" d="\#(path)"/>"#
    }
}
