import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Where objects stood, and for how long.
@Suite(.hangLimit) struct HeatMapTests {
    private static let size = PixelSize(width: 192, height: 96)

    private func object(standingAt x: Double, _ y: Double, id: Int = 1, width: Double = 20) -> DetectedObject {
        DetectedObject(
            frame: PixelRect(x: x - width / 2, y: y - 40, width: width, height: 40),
            confidence: 0.9,
            track: Track(state: .confirmed(id: id), firstSeen: .zero, lastSeen: .zero, isDetected: true)
        )
    }

    private func map(frames: Int, _ objects: (Int) -> [DetectedObject]) -> HeatMap {
        var map = HeatMap()
        for frame in 0..<frames { map.add(objects(frame), at: .milliseconds(500 * frame), size: Self.size) }
        return map
    }

    private func seconds(_ map: HeatMap, _ x: Int, _ y: Int) -> Double { Double(map.seconds[y * map.columns + x]) }

    @Test func `A place has the time for which an object stood there`() {
        let map = map(frames: 21) { $0 < 10 ? [object(standingAt: 50, 60)] : [object(standingAt: 150, 60)] }
        #expect(map.columns == 192 && map.rows == 96)
        #expect(seconds(map, 50, 58) == 5 && seconds(map, 150, 58) == 5 && map.mostSeconds == 5)
        #expect(seconds(map, 50, 30) == 0 && seconds(map, 100, 58) == 0)
    }

    @Test func `Two objects at one place add up`() {
        let map = map(frames: 11) { _ in [object(standingAt: 50, 60), object(standingAt: 52, 60, id: 2)] }
        #expect(seconds(map, 51, 58) == 10)
    }

    @Test func `An object at any place is counted inside of the picture alone`() {
        let map = map(frames: 3) { _ in
            [
                object(standingAt: -500, 60), object(standingAt: 190, 95), object(standingAt: .nan, 5),
                object(standingAt: 9, .infinity),
            ]
        }
        #expect(seconds(map, 190, 93) == 1 && map.seconds.allSatisfy { $0 <= 1 })
    }

    @Test func `A picture of a video shows heat, a scale in seconds and all paths`() throws {
        var renderer = PictureRenderer([HeatAnnotator(), TraceAnnotator(duration: nil)])
        let ground = try plainImage(width: 192, height: 96)
        for frame in 0..<40 {
            let objects = frame < 20 ? [object(standingAt: 20 + 4 * Double(frame), 50)] : []
            try renderer.observe(
                AnnotatedScene(objects: objects, timestamp: .milliseconds(40 * frame)),
                on: Self.size
            )
        }
        let picture = try renderer.render(AnnotatedScene(timestamp: .milliseconds(1600)), on: ground)
        #expect(try picture.drawnPixels(x: 20..<96, y: 44..<52) > 400)
        #expect(try picture.drawnPixels(x: 20..<96, y: 28..<32) > 60)
        #expect(try picture.drawnPixels(x: 24..<90, y: 56..<64) > 100)
        #expect(try picture.drawnPixels(x: 120..<190, y: 0..<50) == 0)
    }
}
