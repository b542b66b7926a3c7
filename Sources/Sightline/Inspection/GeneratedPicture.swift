import Foundation

/// Pictures for comparisons where no photos are given: a gradient with colored rectangles and ellipses before it.
///
/// They are the same in every run.
package enum GeneratedPicture {
    /// The number of pictures.
    static let count = 32
    private static let (width, height) = (320, 240)

    /// A picture by its number.
    package static func picture(_ index: Int) throws -> VisionImage {
        var random = RepeatableRandom(seed: UInt64(index) &+ 1)
        let corners = (0..<4).map { _ in random.color() }
        let shapes = (0..<random.number(3...8)).map { _ in Shape(&random) }
        var bytes = Data(capacity: width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let (x, y) = (Double(column) / Double(width), Double(row) / Double(height))
                let shape = shapes.last { $0.contains(x, y) }
                let noise = Double(random.number(0...12)) - 6
                for channel in 0..<3 {
                    let top = corners[0][channel] * (1 - x) + corners[1][channel] * x
                    let bottom = corners[2][channel] * (1 - x) + corners[3][channel] * x
                    let value = shape?.color[channel] ?? (top * (1 - y) + bottom * y)
                    bytes.append(UInt8(min(max(value + noise, 0), 255)))
                }
            }
        }
        return VisionImage(
            pixels: try PixelBuffer(
                format: .rgb,
                width: width,
                height: height,
                planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: width * 3)]
            )
        )
    }

    /// A rectangle or an ellipse, in fractions of the picture.
    private struct Shape {
        let center: (x: Double, y: Double)
        let radius: (x: Double, y: Double)
        let isRound: Bool
        let color: [Double]

        init(_ random: inout RepeatableRandom) {
            center = (random.fraction(), random.fraction())
            radius = (0.05 + 0.25 * random.fraction(), 0.05 + 0.25 * random.fraction())
            isRound = random.number(0...1) == 1
            color = random.color()
        }

        func contains(_ x: Double, _ y: Double) -> Bool {
            let (dx, dy) = ((x - center.x) / radius.x, (y - center.y) / radius.y)
            return isRound ? dx * dx + dy * dy <= 1 : max(abs(dx), abs(dy)) <= 1
        }
    }
}

extension RepeatableRandom {
    fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    fileprivate mutating func fraction() -> Double { Double.random(in: 0...1, using: &self) }
    fileprivate mutating func color() -> [Double] { (0..<3).map { _ in Double.random(in: 0...255, using: &self) } }
}
