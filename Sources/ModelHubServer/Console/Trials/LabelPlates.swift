/// Plates with the labels of boxes in a picture, placed so that none covers another.
///
/// The size of a text is not known here, so a plate has the width of a guess, and the browser fits the text into it.
struct LabelPlates {
    /// A rectangle in pixels of the picture.
    struct Frame: Hashable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        func overlaps(_ other: Frame) -> Bool {
            x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
        }
    }

    private let width: Double
    private let height: Double
    let fontSize: Double
    private var placed: [Frame] = []

    /// The space between the text and each side of its plate.
    var margin: Double { fontSize / 4 }

    init(width: Int, height: Int) {
        (self.width, self.height) = (Double(width), Double(height))
        fontSize = max(Double(max(width, height)) / 45, 8)
    }

    /// The place of a box's text; nil if there is no free place at the corners of the box.
    mutating func place(_ text: String, of box: Frame) -> Frame? {
        let size = (width: Double(text.count) * fontSize * 0.6 + 2 * margin, height: fontSize * 1.3)
        let bottom = box.y + box.height
        let rows = [box.y - size.height, box.y, bottom, bottom - size.height]
        for left in [box.x, box.x + box.width - size.width] {
            for top in rows where (0...max(height - size.height, 0)).contains(top) {
                let x = min(max(left, 0), max(width - size.width, 0))
                let frame = Frame(x: x, y: top, width: size.width, height: size.height)
                guard !placed.contains(where: frame.overlaps) else { continue }
                placed.append(frame)
                return frame
            }
        }
        return nil
    }
}
