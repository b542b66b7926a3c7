import Sightline

/// A level for each pixel of a rectangle of the upright picture.
struct PixelShape: Sendable {
    /// The column and the row of the first pixel.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// The levels, row by row. All other pixels have level 0.
    private(set) var levels: [UInt8]

    /// Nothing but the ground.
    static let ground: UInt8 = 0

    /// The level of a pixel of the upright picture.
    func level(x column: Int, y row: Int) -> UInt8 {
        let (left, top) = (column - x, row - y)
        guard left >= 0, left < width, top >= 0, top < height else { return Self.ground }
        return levels[top * width + left]
    }

    /// The rectangle of pixels.
    var frame: PixelRect { PixelRect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }
}

extension PixelShape {
    /// Pixels inside an object.
    static let inside: UInt8 = 1
    /// Pixels inside an object, near its edge.
    static let line: UInt8 = 2
    /// Pixels outside an object, near its edge.
    static let rim: UInt8 = 3

    /// The surface of a mask, a line along its edge, and a rim around it.
    ///
    /// - Parameters:
    ///   - size: the size of the picture. Pixels beyond it are dropped.
    ///   - lineWidth: the width of the line inside the mask, in pixels.
    ///   - rimWidth: the width of the rim outside the mask, in pixels.
    init?(surfaceOf mask: ObjectMask, in size: PixelSize, lineWidth: Double, rimWidth: Double) {
        guard let bitmap = Bitmap(mask, margin: Int(rimWidth.rounded(.up)), in: size) else { return nil }
        let toOutside = bitmap.distances(to: false)
        let toInside = bitmap.distances(to: true)
        self.init(bitmap) { place in
            if bitmap.pixels[place] { return Double(toOutside[place]) / 3 <= lineWidth ? Self.line : Self.inside }
            return Double(toInside[place]) / 3 <= rimWidth ? Self.rim : Self.ground
        }
    }

    /// The pixels of a mask, of its holes, and of a margin around it.
    ///
    /// - Parameters:
    ///   - size: the size of the picture. Pixels beyond it are dropped.
    ///   - margin: the width of the margin, in pixels.
    init?(covering mask: ObjectMask, margin: Double, in size: PixelSize) {
        guard var bitmap = Bitmap(mask, margin: Int(margin.rounded(.up)) + 1, in: size) else { return nil }
        bitmap.fillHoles()
        let toInside = bitmap.distances(to: true)
        self.init(bitmap) { Double(toInside[$0]) / 3 <= margin ? Self.inside : Self.ground }
    }

    private init(_ bitmap: Bitmap, level: (Int) -> UInt8) {
        self.init(
            x: bitmap.x,
            y: bitmap.y,
            width: bitmap.width,
            height: bitmap.height,
            levels: bitmap.pixels.indices.map(level)
        )
    }
}

/// The pixels of a mask with a margin, as far as they lie in the picture.
private struct Bitmap {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    var pixels: [Bool]

    init?(_ mask: ObjectMask, margin: Int, in size: PixelSize) {
        let (left, top) = (max(mask.x - margin, 0), max(mask.y - margin, 0))
        let right = min(mask.x + mask.width + margin, size.width)
        let bottom = min(mask.y + mask.height + margin, size.height)
        guard left < right, top < bottom else { return nil }
        (x, y, width, height) = (left, top, right - left, bottom - top)
        pixels = [Bool](repeating: false, count: width * height)
        for span in mask.spans where span.y >= top && span.y < bottom {
            let columns = span.columns.clamped(to: left..<right)
            for column in columns { pixels[(span.y - top) * width + column - left] = true }
        }
    }

    /// Makes pixels that are surrounded by the mask a part of it.
    mutating func fillHoles() {
        var isOutside = [Bool](repeating: false, count: pixels.count)
        var next: [Int] = []
        func visit(_ place: Int, _ pixels: [Bool]) {
            guard !pixels[place], !isOutside[place] else { return }
            isOutside[place] = true
            next.append(place)
        }
        for column in 0..<width {
            visit(column, pixels)
            visit((height - 1) * width + column, pixels)
        }
        for row in 0..<height {
            visit(row * width, pixels)
            visit(row * width + width - 1, pixels)
        }
        while let place = next.popLast() {
            let column = place % width
            if column > 0 { visit(place - 1, pixels) }
            if column + 1 < width { visit(place + 1, pixels) }
            if place >= width { visit(place - width, pixels) }
            if place + width < pixels.count { visit(place + width, pixels) }
        }
        pixels = isOutside.map(!)
    }

    /// The distance of each pixel from the nearest one inside or outside the mask, in thirds of a pixel: 3 along a side and 4 across a
    /// corner (G. Borgefors, "Distance transformations in digital images", 1986). Pixels beyond the bitmap are outside.
    func distances(to isInside: Bool) -> [UInt16] {
        let farthest = UInt16.max - 4
        // With a row and a column more on each side.
        let columns = width + 2
        var found = [UInt16](repeating: isInside ? farthest : 0, count: columns * (height + 2))
        for row in 0..<height {
            for column in 0..<width {
                let isNear = pixels[row * width + column] == isInside
                found[(row + 1) * columns + column + 1] = isNear ? 0 : farthest
            }
        }
        for row in 1...height {
            for place in row * columns + 1...row * columns + width where found[place] > 0 {
                let above = place - columns
                let side = min(found[place - 1], found[above]) + 3
                found[place] = min(found[place], side, min(found[above - 1], found[above + 1]) + 4, farthest)
            }
        }
        for row in (1...height).reversed() {
            for place in (row * columns + 1...row * columns + width).reversed() where found[place] > 0 {
                let below = place + columns
                let side = min(found[place + 1], found[below]) + 3
                found[place] = min(found[place], side, min(found[below - 1], found[below + 1]) + 4, farthest)
            }
        }
        return (1...height).flatMap { found[$0 * columns + 1...$0 * columns + width] }
    }
}
