import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Objects stay hidden around the frames in which they are found.
@Suite(.hangLimit)
struct CoverPlannerTests {
    private static let size = PixelSize(width: 640, height: 480)

    /// An object that goes by, with the frames in which it is found.
    private struct Passage {
        let id: Int?
        let velocity: Double
        let found: (Int) -> Bool

        func box(_ frame: Int) -> PixelRect {
            PixelRect(x: velocity * Double(frame), y: 200 + velocity / 3 * Double(frame), width: 60, height: 120)
        }

        func result(_ frame: Int) -> StreamResult {
            let track = id.map {
                Track(state: .confirmed(id: $0), firstSeen: .zero, lastSeen: .zero, isDetected: true)
            }
            let objects = found(frame) ? [DetectedObject(frame: box(frame), confidence: 0.9, track: track)] : []
            return StreamResult(
                timestamp: .milliseconds(40 * frame),
                index: frame,
                size: size,
                objects: id == nil ? [] : objects,
                tentative: id == nil ? objects : []
            )
        }
    }

    /// The covers of each frame, with the frames of the reach behind it known.
    private func covers(_ passage: Passage, frames: Int) -> [[PixelRect]] {
        (0..<frames).map { frame in
            var planner = CoverPlanner()
            for known in 0...frame + 18 { planner.add(passage.result(known)) }
            return planner.covers(of: passage.result(frame))
        }
    }

    private func isCovered(_ box: PixelRect, by covers: [PixelRect]) -> Bool {
        covers.contains { cover in
            cover.x <= box.x + 1e-6 && cover.y <= box.y + 1e-6 && cover.maxX >= box.maxX - 1e-6
                && cover.maxY >= box.maxY - 1e-6
        }
    }

    @Test(arguments: [0.0, 2, 5, 8], [20..<40, 20..<23, 20..<60])
    func anObjectIsHiddenFromHalfASecondBeforeToHalfASecondAfter(velocity: Double, found: Range<Int>) {
        let passage = Passage(id: 1, velocity: velocity) { found.contains($0) }
        let covers = covers(passage, frames: 80)
        for frame in 0..<80 {
            let isNear = frame >= found.lowerBound - 12 && frame < found.upperBound + 12
            #expect(isCovered(passage.box(frame), by: covers[frame]) == isNear, "frame \(frame)")
            #expect(covers[frame].isEmpty == !isNear)
        }
    }

    @Test(arguments: [2, 3, 11]) func anObjectIsHiddenWhereItIsMissed(step: Int) {
        let passage = Passage(id: 1, velocity: 4) { $0 % step == 0 }
        let covers = covers(passage, frames: 60)
        for frame in 0..<60 { #expect(isCovered(passage.box(frame), by: covers[frame]), "frame \(frame)") }
    }

    @Test func anObjectWithoutAnIdentityIsHiddenAtItsPlace() {
        let passage = Passage(id: nil, velocity: 0) { $0 == 20 }
        let covers = covers(passage, frames: 40)
        for frame in 0..<40 { #expect(covers[frame].isEmpty == (abs(frame - 20) > 12)) }
    }
}
