import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct NonMaximumSuppressionTests {
    private func randomCandidates(_ count: Int, using generator: inout RepeatableRandom) -> [Candidate] {
        (0..<count).map { _ in
            let (x, y) = (Float.random(in: 0...1, using: &generator), Float.random(in: 0...1, using: &generator))
            let width = Float.random(in: 0.01...0.5, using: &generator)
            let height = Float.random(in: 0.01...0.5, using: &generator)
            return Candidate(
                left: x,
                top: y,
                right: x + width,
                bottom: y + height,
                score: Float.random(in: 0...1, using: &generator),
                classIndex: Int.random(in: 0...2, using: &generator)
            )
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func keptBoxesDoNotOverlapAndEachDroppedOneIsCoveredByABetter(seed: UInt64) {
        var generator = RepeatableRandom(seed: seed)
        let candidates = randomCandidates(Int.random(in: 0...120, using: &generator), using: &generator)
        let threshold = Float.random(in: 0.1...0.9, using: &generator)
        let kept = NonMaximumSuppression.suppress(candidates, iouThreshold: threshold)
        for (index, one) in kept.enumerated() {
            for other in kept[(index + 1)...] where one.classIndex == other.classIndex {
                #expect(one.iou(other) <= threshold)
            }
        }
        for dropped in candidates where !kept.contains(dropped) {
            #expect(
                kept.contains {
                    $0.classIndex == dropped.classIndex && $0.score >= dropped.score && $0.iou(dropped) > threshold
                }
            )
        }
        #expect(kept.map(\.score) == kept.map(\.score).sorted(by: >))
    }

    @Test func boxesOfDifferentClassesDoNotSuppressEachOther() {
        let one = Candidate(left: 0, top: 0, right: 1, bottom: 1, score: 0.9, classIndex: 0)
        var other = one
        other.classIndex = 1
        #expect(NonMaximumSuppression.suppress([one, other], iouThreshold: 0.5).count == 2)
    }

    @Test func acrossClassesOnlyTheMostConfidentBoxIsKept() {
        let cat = Candidate(left: 0, top: 0, right: 1, bottom: 1, score: 0.8, classIndex: 0)
        var dog = cat
        (dog.classIndex, dog.score) = (1, 0.9)
        #expect(NonMaximumSuppression.suppress([cat, dog], iouThreshold: 0.5, acrossClasses: true) == [dog])
    }

    @Test func ofOverlappingBoxesTheOneThatIsSureOfItsClassTooIsKept() {
        let vague = Candidate(left: 0, top: 0, right: 1, bottom: 1, score: 0.8, classIndex: 0, classScore: 0.3)
        var named = vague
        (named.score, named.classScore) = (0.7, 0.6)
        #expect(NonMaximumSuppression.suppress([vague, named], iouThreshold: 0.5) == [named])
    }

    @Test func aBoxInsideAnotherOfItsClassThatTheOverviewShowsGoesWhereThatIsAskedFor() {
        var whole = Candidate(left: 0, top: 0, right: 1, bottom: 1, score: 0.9, classIndex: 0)
        whole.isFromOverview = true
        let part = Candidate(left: 0.1, top: 0.1, right: 0.6, bottom: 0.6, score: 0.8, classIndex: 0)
        var other = part
        other.classIndex = 1
        let half = Candidate(left: 0.6, top: 0.2, right: 1.4, bottom: 0.7, score: 0.7, classIndex: 0)
        let all = [whole, part, other, half]
        #expect(NonMaximumSuppression.suppress(all, iouThreshold: 0.5) == all)
        #expect(NonMaximumSuppression.suppress(all, iouThreshold: 0.5, insideShare: 0.85) == [whole, other, half])
        let surer = Candidate(left: 0.1, top: 0.1, right: 0.6, bottom: 0.6, score: 0.95, classIndex: 0)
        #expect(NonMaximumSuppression.suppress([whole, surer], iouThreshold: 0.5, insideShare: 0.85) == [surer])
        whole.isFromOverview = false
        #expect(NonMaximumSuppression.suppress([whole, part], iouThreshold: 0.5, insideShare: 0.85) == [whole, part])
    }

    @Test func degenerateBoxesHaveNoOverlap() {
        let point = Candidate(left: 0.5, top: 0.5, right: 0.5, bottom: 0.5, score: 1, classIndex: 0)
        #expect(point.iou(point) == 0)
    }
}
