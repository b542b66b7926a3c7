import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Skeletons and points on pictures.
@Suite(.hangLimit) struct SkeletonTests {
    private static let frame = PixelRect(x: 200, y: 200, width: 800, height: 1200)

    private func drawn(_ points: [ObjectPoint]) throws -> PixelBuffer {
        let object = DetectedObject(frame: Self.frame, confidence: 0.9, points: points)
        var renderer = PictureRenderer([PointAnnotator()])
        return try renderer.render(AnnotatedScene(objects: [object]), on: plainImage(width: 1200, height: 1600))
    }

    private func point(_ name: ObjectPoint.Name, _ x: Double, _ y: Double, _ confidence: Float? = 0.9) -> ObjectPoint {
        ObjectPoint(name, at: PixelPoint(x: 4 * x, y: 4 * y), confidence: confidence)
    }

    @Test func aBoneJoinsTheKneeAndTheAnkle() throws {
        let picture = try drawn([point(.leftHip, 150, 80), point(.leftKnee, 150, 200), point(.leftAnkle, 150, 300)])
        #expect(try picture.drawnPixels(x: 560..<640, y: 960..<968) > 0)
        #expect(try picture.drawnPixels(x: 560..<640, y: 560..<568) > 0)
        #expect(try picture.drawnPixels(x: 0..<560, y: 0..<1600) == 0)
    }

    @Test func aLineHasItsColorAndAnEdge() throws {
        let picture = try drawn([point(.leftHip, 150, 80), point(.leftKnee, 150, 300)])
        let row = try (560..<640).map { try picture.pixel($0, 760) }
        #expect(row.contains(Pixel(230, 159, 0)) && row.contains { $0.red < 60 && $0.green < 60 && $0.blue < 60 })
    }

    @Test func pointsOfLittleConfidenceAreLeftOut() throws {
        let picture = try drawn([
            point(.leftHip, 150, 80, 0.1), point(.leftKnee, 150, 200), point(.leftAnkle, 150, 300),
        ])
        #expect(try picture.drawnPixels(x: 0..<1200, y: 0..<760) == 0)
        #expect(try picture.drawnPixels(x: 560..<640, y: 960..<968) > 0)
    }

    @Test func theEyesOfAFaceAreNotJoined() throws {
        let picture = try drawn([point(.leftEye, 200, 100, nil), point(.rightEye, 100, 100, nil)])
        #expect(try picture.drawnPixels(x: 380..<420, y: 380..<420) > 0)
        #expect(try picture.drawnPixels(x: 560..<640, y: 0..<1600) == 0)
    }
}
