import Foundation
import Sightline
import SightlineTestSupport

/// A generated landscape that a camera looks at through a window.
struct Scene {
    let width = 480
    let height = 360
    private let brightness: [Float]

    /// Smooth random hills at three sizes, the same for a seed.
    init(seed: UInt64 = 1) {
        var generator = RepeatableRandom(seed: seed)
        var brightness = [Float](repeating: 128, count: 480 * 360)
        for (cell, strength) in [(60, Float(50)), (24, 40), (10, 20)] {
            let columns = 480 / cell + 2
            let nodes = (0..<columns * (360 / cell + 2)).map { _ in Float.random(in: -1...1, using: &generator) }
            for y in 0..<360 {
                for x in 0..<480 {
                    let (column, row) = (x / cell, y / cell)
                    let (u, v) = (Float(x % cell) / Float(cell), Float(y % cell) / Float(cell))
                    let node = row * columns + column
                    let upper = nodes[node] * (1 - u) + nodes[node + 1] * u
                    let lower = nodes[node + columns] * (1 - u) + nodes[node + columns + 1] * u
                    brightness[y * 480 + x] += strength * (upper * (1 - v) + lower * v)
                }
            }
        }
        self.brightness = brightness
    }

    /// The view of the camera: a window of the given size, with its corner at a place, magnified, and lit.
    func frame(
        x: Double,
        y: Double,
        size: PixelSize = PixelSize(width: 320, height: 240),
        zoom: Double = 1,
        light: Float = 0
    ) throws -> VisionImage {
        var bytes = Data(capacity: size.width * size.height)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let (u, v) = (x + Double(column) / zoom, y + Double(row) / zoom)
                bytes.append(UInt8(max(min(value(u, v) + light, 255), 0)))
            }
        }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: size.width)
        return VisionImage(
            pixels: try PixelBuffer(format: .gray, width: size.width, height: size.height, planes: [plane])
        )
    }

    private func value(_ x: Double, _ y: Double) -> Float {
        let (x, y) = (max(min(x, Double(width - 2)), 0), max(min(y, Double(height - 2)), 0))
        let (column, row) = (Int(x), Int(y))
        let (u, v) = (Float(x) - Float(column), Float(y) - Float(row))
        let index = row * width + column
        let upper = brightness[index] * (1 - u) + brightness[index + 1] * u
        let lower = brightness[index + width] * (1 - u) + brightness[index + width + 1] * u
        return upper * (1 - v) + lower * v
    }
}

extension LocalModel {
    static func fixture(_ name: String) -> LocalModel {
        LocalModel(url: TestData.fixture("models/\(name).tflite"))
    }
}
