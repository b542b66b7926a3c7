import Sightline
import SightlineTestSupport
import Testing

/// The masks and points of detections, through an offline tracker.
@Suite(.hangLimit) struct OfflineDetailTests {
    private static let hidden = 8..<11

    /// A disk that moves to the right, with three points, and is hidden in some frames.
    private func object(in frame: Int, givesConfidence: Bool = true) -> DetectedObject {
        // The boxes shake, so that smoothing changes them.
        let x = 20.3 + 4 * Double(frame) + (frame.isMultiple(of: 2) ? 1.5 : -1.5)
        let box = PixelRect(x: x, y: 30, width: 40, height: 40)
        return DetectedObject(
            frame: box,
            confidence: 0.9,
            points: [ObjectPoint.Name.nose, .leftAnkle, .rightAnkle].enumerated().map { index, name in
                ObjectPoint(
                    name,
                    at: PixelPoint(x: x + Double(index), y: -3.25),
                    confidence: givesConfidence ? 0.25 * Float(index) : nil
                )
            },
            mask: ObjectMask(x: Int(x), y: 30, width: 42, height: 40) { column, row in
                let (dx, dy) = (Double(column) + 0.5 - box.midX, Double(row) + 0.5 - box.midY)
                return dx * dx + dy * dy < 400
            }
        )
    }

    private func finished(_ make: (Int) -> DetectedObject) -> [StreamResult] {
        var online = OnlineResults()
        for frame in 0..<20 {
            online.add(Self.hidden.contains(frame) ? [] : [make(frame)], at: .milliseconds(40 * frame))
        }
        return Array(online.finished)
    }

    @Test func aDetectionKeepsItsMask() throws {
        for (frame, result) in finished({ object(in: $0) }).enumerated() {
            let found = try #require(result.objects.first)
            guard !Self.hidden.contains(frame) else {
                #expect(found.mask == nil && found.track?.isDetected == false)
                continue
            }
            let (mask, given) = (try #require(found.mask), try #require(object(in: frame).mask))
            #expect(mask.spans == given.spans && mask.area == given.area)
            // The box is smoothed; the rectangle of a mask contains its box all the same.
            #expect(mask.bounds.intersection(found.frame) == found.frame)
        }
    }

    @Test(arguments: [true, false]) func aDetectionKeepsItsPoints(givesConfidence: Bool) throws {
        for (frame, result) in finished({ object(in: $0, givesConfidence: givesConfidence) }).enumerated() {
            let found = try #require(result.objects.first)
            guard !Self.hidden.contains(frame) else {
                #expect(found.points == nil)
                continue
            }
            let given = try #require(object(in: frame, givesConfidence: givesConfidence).points)
            let points = try #require(found.points)
            #expect(points.map(\.name) == given.map(\.name) && points.map(\.confidence) == given.map(\.confidence))
            for (point, other) in zip(points, given) {
                #expect(abs(point.position.x - other.position.x) < 1e-3 && point.position.y == other.position.y)
            }
        }
    }

    @Test func objectsWithoutAnIdentityKeepTheirsToo() throws {
        var online = OnlineResults()
        let given = object(in: 0)
        for frame in 0..<10 { online.add(frame == 4 ? [given] : [], at: .milliseconds(40 * frame)) }
        let tentative = Array(online.finished)[4].tentative
        #expect(tentative.count == 1 && tentative.first?.mask?.spans == given.mask?.spans)
    }

    @Test func aMaskOfAnyShapeIsTheSame() throws {
        // Full, with holes, with full rows beside each other, and far from the corner.
        let shapes: [(Int, Int) -> Bool] = [
            { _, _ in true }, { x, y in (x + y).isMultiple(of: 3) }, { _, y in y != 4_003 }, { x, _ in x == -7 },
        ]
        for isInside in shapes {
            let mask = try #require(ObjectMask(x: -9, y: 4_000, width: 300, height: 9, isInside: isInside))
            let box = PixelRect(x: -9, y: 4_000, width: 300, height: 9)
            var online = OnlineResults()
            for frame in 0..<5 {
                let object = DetectedObject(frame: box, confidence: 0.9, mask: mask)
                online.add([object], at: .milliseconds(40 * frame), size: PixelSize(width: 5_000, height: 5_000))
            }
            #expect(Array(online.finished).allSatisfy { $0.objects.first?.mask == mask })
        }
    }
}
