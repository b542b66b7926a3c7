import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// People who walk through the picture, as a detector sees them: late, not in every frame, and not exactly.
private struct Street {
    static let size = PixelSize(width: 160, height: 120)
    static let frames = 120
    /// The truth: the visible part of each person in each frame; nil before and after.
    private(set) var people: [[PixelRect?]] = []
    private(set) var finished: FinishedStream

    init(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        people = (0..<4).map { lane in
            let (width, start, speed, sway) = (number(16...24), number(0...30), number(1.5...3), number(0...4))
            let isLeftward = lane % 2 == 1
            return (0..<Self.frames).map { frame in
                let way = (Double(frame) - start) * speed - width
                let x = isLeftward ? Double(Self.size.width) - way - width : way
                let y = 4 + Double(lane) * 28 + sway * sin(Double(frame) / 15)
                return PixelRect(x: x, y: y, width: width, height: 34).intersection(PixelRect(Self.size))
            }
        }
        var tracker = ObjectTracker()
        var offline = OfflineTracker()
        var inView = [Int](repeating: 0, count: people.count)
        for frame in 0..<Self.frames {
            var found: [DetectedObject] = []
            for index in people.indices {
                guard var box = people[index][frame] else { continue }
                inView[index] += 1
                // A third of a second passes before the first detection, one of five is missed, and another second in the middle.
                guard inView[index] > 8, number(0...1) > 0.2, !(20..<45).contains(inView[index]) else { continue }
                box.x += number(-0.03...0.03) * box.width
                box.y += number(-0.03...0.03) * box.height
                box.width *= number(0.95...1.05)
                box.height *= number(0.95...1.05)
                found.append(DetectedObject(frame: box, confidence: Float(number(0.65...0.95))))
            }
            let time = Duration.milliseconds(40 * frame)
            let objects = tracker.update(found, at: time)
            offline.append(
                StreamResult(
                    timestamp: time,
                    index: frame,
                    size: Self.size,
                    objects: objects.filter { $0.id != nil },
                    tentative: objects.filter { $0.id == nil }
                )
            )
        }
        finished = offline.finish()
    }

    /// The frames in which a person must be hidden: from half a second before the first sighting to half a second after the last.
    func window(of person: Int) -> ClosedRange<Int>? {
        let seen = finished.enumerated().filter { frame, result in
            guard let truth = people[person][frame] else { return false }
            return result.objects.contains { $0.frame.iou(truth) >= 0.5 }
        }.map(\.offset)
        guard let first = seen.first, let last = seen.last else { return nil }
        return first - 12...last + 12
    }
}

/// The promises of `sightline track --offline --blur`.
@Suite(.hangLimit) struct OfflineBlurTests {
    /// Columns of black and white: no pixel of a blurred part is either.
    private func stripes() throws -> VisionImage {
        let row = (0..<Street.size.width).map { UInt8($0 % 2 * 255) }
        let plane = PixelBuffer.Plane(
            data: Data((0..<Street.size.height).flatMap { _ in row }),
            bytesPerRow: row.count
        )
        return VisionImage(
            pixels: try PixelBuffer(
                format: .gray,
                width: Street.size.width,
                height: Street.size.height,
                planes: [plane]
            )
        )
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `No pixel of a person is shown from half a second before to half a second after`(seed: UInt64) throws {
        let street = Street(seed: seed)
        let results = Array(street.finished)
        let windows = street.people.indices.map(street.window)
        #expect(windows.allSatisfy { $0 != nil })
        let picture = try stripes()
        var renderer = PictureRenderer([BlurAnnotator()])
        var planner = CoverPlanner()
        var ahead = results[...]
        var (shown, hidden) = (0, 0)
        for (frame, result) in results.enumerated() {
            while let next = ahead.first, next.timestamp <= result.timestamp + CoverPlanner.lookahead {
                planner.add(next)
                ahead.removeFirst()
            }
            let scene = AnnotatedScene(result, covers: planner.covers(of: result))
            let drawn = try renderer.render(
                scene,
                on: VideoFrame(image: picture, timestamp: result.timestamp, index: frame)
            )
            let pixels = try #require(drawn.image.storedPixels?.planes.first)
            for person in street.people.indices where windows[person]?.contains(frame) == true {
                guard let box = street.people[person][frame] else { continue }
                for y in Int(box.y)..<Int(box.maxY.rounded(.up)) {
                    for x in Int(box.x)..<Int(box.maxX.rounded(.up)) {
                        let value = pixels.data[pixels.data.startIndex + y * pixels.bytesPerRow + x]
                        if value == 0 || value == 255 { shown += 1 } else { hidden += 1 }
                    }
                }
            }
        }
        #expect(shown == 0 && hidden > 50_000, "\(shown) of \(shown + hidden) pixels are shown")
    }

    @Test func `An object is hidden before the size of the frames changes`() {
        func result(_ frame: Int) -> StreamResult {
            let track = Track(state: .confirmed(id: 1), firstSeen: .zero, lastSeen: .zero, isDetected: true)
            let box = PixelRect(x: 20, y: 20, width: 20, height: 40)
            return StreamResult(
                timestamp: .milliseconds(40 * frame),
                index: frame,
                size: PixelSize(width: frame < 10 ? 160 : 80, height: 120),
                objects: frame == 5 ? [DetectedObject(frame: box, confidence: 0.9, track: track)] : []
            )
        }
        var planner = CoverPlanner()
        for frame in 0..<20 { planner.add(result(frame)) }
        for frame in 0..<20 { #expect(planner.covers(of: result(frame)).isEmpty == (frame >= 10)) }
    }
}
