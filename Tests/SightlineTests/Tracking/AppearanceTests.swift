import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Colors tell objects apart.
@Suite(.hangLimit) struct AppearanceTests {
    private static let red: [UInt8] = [200, 30, 30]
    private static let blue: [UInt8] = [30, 30, 200]

    /// A person of 8 × 16 pixels with a jacket and trousers.
    private func person(_ jacket: [UInt8], _ trousers: [UInt8]) throws -> Appearance {
        let pixels = (0..<128).flatMap { $0 < 64 ? jacket : trousers }
        return try #require(Appearance(pixels: pixels.map(Float.init)))
    }

    /// A picture of 120 × 60 pixels, red on the left and blue on the right.
    private func picture() throws -> DecodedImage {
        let bytes = (0..<120 * 60).flatMap { $0 % 120 < 60 ? Self.red : Self.blue }
        let plane = PixelBuffer.Plane(data: Data(bytes), bytesPerRow: 360)
        return DecodedImage(whole: try PixelBuffer(format: .rgb, width: 120, height: 60, planes: [plane]))
    }

    private func detection(x: Double, width: Double = 30, confidence: Float = 0.9) -> DetectedObject {
        DetectedObject(frame: PixelRect(x: x, y: 5, width: width, height: 50), confidence: confidence)
    }

    @Test func `Equal colors have no distance, and colors that share no bin have the largest`() throws {
        let red = try person(Self.red, Self.red)
        #expect(red.distance(to: red) == 0)
        // Red and blue of one brightness share the brightness and, nearly, nothing else.
        let blue = try person(Self.blue, Self.blue)
        #expect(red.distance(to: blue) > 0.6 && red.distance(to: blue) <= 1)
        #expect(red.distance(to: blue) == blue.distance(to: red))
    }

    @Test func `A red jacket over blue trousers differs from the reverse`() throws {
        #expect(try person(Self.red, Self.blue).distance(to: person(Self.blue, Self.red)) > 0.6)
    }

    @Test func `A small change of light is a small distance`() throws {
        let lit = try person([205, 35, 35], [205, 35, 35])
        #expect(try person(Self.red, Self.red).distance(to: lit) < 0.1)
    }

    @Test func `A description moves toward another by a share of their distance`() throws {
        var mean = try person(Self.red, Self.red)
        let blue = try person(Self.blue, Self.blue)
        let before = mean.distance(to: blue)
        mean.move(toward: blue, by: 0.25)
        #expect(abs(mean.distance(to: blue) - 0.75 * before) < 1e-5)
    }

    @Test func `A wrong number of values is not a picture`() {
        #expect(Appearance(pixels: []) == nil)
        #expect(Appearance(pixels: Array(repeating: 0, count: 383)) == nil)
    }

    @Test func `Boxes of a picture get the colors in them`() throws {
        let boxes = [detection(x: 10), detection(x: 20), detection(x: 80), detection(x: -500, width: 540)]
        let seen = try Appearance.of(boxes, minimumConfidence: 0.5, in: picture())
        let (first, second) = (try #require(seen[0]), try #require(seen[1]))
        #expect(first.distance(to: second) < 0.01)
        #expect(first.distance(to: try #require(seen[2])) > 0.6)
        // Of a box that reaches beyond the picture, the visible part counts.
        #expect(first.distance(to: try #require(seen[3])) < 0.01)
    }

    @Test func `Weak, invisible and impossible boxes have no appearance`() throws {
        let boxes = [
            detection(x: 10, confidence: 0.4), detection(x: 300), detection(x: .nan), detection(x: .infinity),
            detection(x: 10, width: 0), detection(x: 10, width: -5), detection(x: -1e300, width: 2e300),
        ]
        let seen = try Appearance.of(boxes, minimumConfidence: 0.5, in: picture())
        #expect(seen.dropLast().allSatisfy { $0 == nil } && seen.count == boxes.count)
    }
}
