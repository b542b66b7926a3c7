import SightlineTestSupport
import Testing

@testable import Sightline

/// Boxes of a picture and its slices. The picture is 200 × 100 pixels, with slices at 0…120 and 80…200.
@Suite(.hangLimit) struct SliceMergingTests {
    private static let whole = PixelRect(x: 0, y: 0, width: 200, height: 100)
    private static let left = PixelRect(x: 0, y: 0, width: 120, height: 100)
    private static let right = PixelRect(x: 80, y: 0, width: 120, height: 100)

    private func box(
        _ x: Double,
        _ width: Double,
        _ confidence: Float,
        in view: PixelRect,
        class classIndex: Int = 0
    ) -> SliceMerging.Box {
        let frame = PixelRect(x: x, y: 20, width: width, height: 30)
        return SliceMerging.Box(
            object: DetectedObject(frame: frame, confidence: confidence, classIndex: classIndex),
            isCut: SliceMerging.isCut(frame, in: view, of: Self.whole),
            view: view
        )
    }

    private func merged(_ boxes: [SliceMerging.Box]) -> [DetectedObject] {
        SliceMerging.merge(boxes, iouThreshold: 0.5, acrossClasses: false)
    }

    @Test func aBoxIsCutAtASeamAndNotAtTheEdgeOfThePicture() {
        #expect(box(90, 30, 0.9, in: Self.left).isCut)
        #expect(box(80, 30, 0.9, in: Self.right).isCut)
        #expect(!box(0, 30, 0.9, in: Self.left).isCut)
        #expect(!box(170, 30, 0.9, in: Self.right).isCut)
        #expect(!box(0, 200, 0.9, in: Self.whole).isCut)
    }

    @Test func anObjectThatTwoSlicesShowWholeHasOneBox() {
        let found = merged([box(85, 30, 0.7, in: Self.left), box(86, 30, 0.9, in: Self.right)])
        #expect(found.map(\.confidence) == [0.9])
    }

    @Test func aPartGoesWhereAnotherViewShowsTheWholeEvenIfThePartIsMoreConfident() {
        let found = merged([box(60, 60, 0.9, in: Self.left), box(60, 100, 0.4, in: Self.whole)])
        #expect(found.map(\.frame.width) == [100])
    }

    @Test func partsOfALongObjectAreJoined() {
        let found = merged([box(20, 100, 0.6, in: Self.left), box(80, 110, 0.8, in: Self.right)])
        #expect(found.map(\.frame) == [PixelRect(x: 20, y: 20, width: 170, height: 30)])
        #expect(found.map(\.confidence) == [0.8])
    }

    @Test func partsOfDifferentClassesAreNotJoined() {
        let found = merged([box(20, 100, 0.6, in: Self.left), box(80, 110, 0.8, in: Self.right, class: 1)])
        #expect(found.count == 2)
    }

    @Test func neighborsThatOverlapALittleStay() {
        let found = merged([box(85, 30, 0.7, in: Self.left), box(105, 30, 0.9, in: Self.right)])
        #expect(found.count == 2)
    }
}
