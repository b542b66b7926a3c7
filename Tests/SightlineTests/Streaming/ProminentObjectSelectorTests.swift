import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct ProminentObjectSelectorTests {
    private let size = PixelSize(width: 400, height: 400)

    /// Objects with identities, in the middle of the picture, each as wide as said.
    private func objects(_ widths: [Int: Double]) -> [DetectedObject] {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(confirmationHits: 1))
        let detections = widths.sorted { $0.key < $1.key }.map { id, width in
            // Side by side, so that they are not taken for one.
            DetectedObject(
                frame: PixelRect(x: 20 + 140 * Double(id - 1), y: 100, width: width, height: width),
                confidence: 0.9
            )
        }
        var objects = tracker.update(detections, at: .zero)
        for (index, id) in widths.keys.sorted().enumerated() where objects.indices.contains(index) {
            objects[index].track?.state = .confirmed(id: id)
        }
        return objects
    }

    @Test func theMostProminentObjectIsSelectedFirst() {
        var selector = ProminentObjectSelector()
        #expect(selector.select(among: objects([1: 50, 2: 100]), in: size, at: .zero)?.id == 2)
    }

    @Test func theSelectionStaysUntilAnotherIsClearlyMoreProminent() {
        var selector = ProminentObjectSelector()
        #expect(selector.select(among: objects([1: 100, 3: 90]), in: size, at: .zero)?.id == 1)
        #expect(selector.select(among: objects([1: 90, 3: 105]), in: size, at: .milliseconds(40))?.id == 1)
        #expect(selector.select(among: objects([1: 60, 3: 110]), in: size, at: .milliseconds(80))?.id == 3)
        #expect(selector.select(among: objects([1: 110, 3: 100]), in: size, at: .milliseconds(120))?.id == 3)
    }

    @Test func thePlaceOfAHiddenObjectIsKeptForAMoment() {
        var selector = ProminentObjectSelector()
        #expect(selector.select(among: objects([1: 100, 3: 90]), in: size, at: .zero)?.id == 1)
        #expect(selector.select(among: objects([3: 90]), in: size, at: .milliseconds(200)) == nil)
        #expect(selector.select(among: objects([1: 100, 3: 90]), in: size, at: .milliseconds(300))?.id == 1)
        #expect(selector.select(among: objects([3: 90]), in: size, at: .milliseconds(900))?.id == 3)
    }

    @Test func aFrameWithoutObjectsHasNoSelection() {
        var selector = ProminentObjectSelector()
        #expect(selector.select(among: [], in: size, at: .zero) == nil)
    }
}
