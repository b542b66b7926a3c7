import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Boxes are found by place, all of those that touch.
@Suite(.hangLimit) struct DetectionGridTests {
    @Test(arguments: 1...20) func `Every box that overlaps is found`(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        func box() -> PixelRect {
            let size = Double.random(in: -2...9, using: &random)
            return PixelRect(
                x: Double.random(in: -500...1500, using: &random),
                y: Double.random(in: -500...1500, using: &random),
                width: exp2(size),
                height: exp2(size + Double.random(in: -3...3, using: &random))
            )
        }
        var grid = DetectionGrid()
        grid.fill(with: (0..<200).map { _ in DetectedObject(frame: box(), confidence: 0.5) }, minimumConfidence: 0)
        for margin in [0, 0.3] {
            for _ in 0..<50 {
                let wanted = box().grown(by: margin)
                var found: Set<Int> = []
                grid.forEach(near: wanted, margin: margin) { found.insert($0) }
                let expected = grid.entries.indices.filter {
                    wanted.intersection(grid.entries[$0].frame.grown(by: margin)) != nil
                }
                #expect(found.isSuperset(of: expected))
            }
        }
    }

    @Test func `Far boxes are not looked at`() {
        var grid = DetectionGrid()
        let boxes = (0..<1000).map {
            PixelRect(x: Double($0 % 40) * 100, y: Double($0 / 40) * 100, width: 50, height: 50)
        }
        grid.fill(with: boxes.map { DetectedObject(frame: $0, confidence: 0.5) }, minimumConfidence: 0)
        var count = 0
        grid.forEach(near: boxes[500], margin: 0) { _ in count += 1 }
        #expect(count >= 1 && count <= 16)
    }

    @Test func `The order of the entries does not depend on the order of the detections`() {
        var random = RepeatableRandom(seed: 5)
        let detections = (0..<100).map { _ in
            DetectedObject(
                frame: PixelRect(x: Double(Int.random(in: 0...3, using: &random)), y: 0, width: 10, height: 10),
                confidence: Float(Int.random(in: 1...4, using: &random)) / 4
            )
        }
        var first = DetectionGrid()
        var second = DetectionGrid()
        first.fill(with: detections, minimumConfidence: 0)
        second.fill(with: detections.shuffled(using: &random), minimumConfidence: 0)
        #expect(first.entries.map(\.frame) == second.entries.map(\.frame))
        #expect(first.entries.map(\.confidence) == second.entries.map(\.confidence))
    }
}
