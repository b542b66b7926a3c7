import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct LabelFilterTests {
    private func labels(_ filter: LabelFilter, _ scores: [Float], names: ClassNames = .none) -> [Label] {
        scores.withUnsafeBufferPointer { filter.labels(from: $0, names: names) }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func theBestScoresAboveTheThresholdComeInOrder(seed: UInt64) {
        var generator = RepeatableRandom(seed: seed)
        let scores = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
            (Float.random(in: 0...1, using: &generator) * 50).rounded() / 50
        }
        let threshold = Float.random(in: 0...1, using: &generator)
        let filter = LabelFilter(
            thresholds: ClassThresholds(threshold),
            allowed: nil,
            denied: [],
            maximumCount: .random(in: 1...20, using: &generator)
        )
        let expected = scores.enumerated().filter { $0.element >= threshold }
            .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.prefix(filter.maximumCount)
        #expect(labels(filter, scores).map(\.index) == expected.map(\.offset))
    }

    @Test func deniedNotAllowedAndBackgroundClassesAreNotReported() {
        let names = ClassNames(names: ["background", "cat", "dog", "cow"], backgroundIndex: 0)
        let scores: [Float] = [0.9, 0.8, 0.7, 0.6]
        let denied = LabelFilter(thresholds: ClassThresholds(0), allowed: nil, denied: ["cat"], maximumCount: 2)
        #expect(labels(denied, scores, names: names).map(\.text) == ["dog", "cow"])
        let allowed = LabelFilter(thresholds: ClassThresholds(0), allowed: ["cow"], denied: [], maximumCount: 2)
        #expect(labels(allowed, scores, names: names).map(\.text) == ["cow"])
    }

    @Test func aThresholdKeepsScoresThatEqualIt() {
        let filter = LabelFilter(thresholds: ClassThresholds(0.5), allowed: nil, denied: [], maximumCount: 10)
        #expect(labels(filter, [0.5, 0.49]).map(\.index) == [0])
    }

    @Test func aClassCanHaveAThresholdOfItsOwn() {
        let names = ClassNames(names: ["cat", "dog", "cow"], backgroundIndex: nil)
        let thresholds = ClassThresholds(0.5, ["dog": 0.8, "cow": 0.1, "cat": 7], of: names)
        let filter = LabelFilter(thresholds: thresholds, allowed: nil, denied: [], maximumCount: 10)
        #expect(labels(filter, [0.6, 0.7, 0.2], names: names).map(\.text) == ["cat", "cow"])
        #expect(labels(filter, [0.4, 0.8, 0.05], names: names).map(\.text) == ["dog"])
    }

    @Test(arguments: [(-0.1, nil), (1.1, nil), (.nan, nil), (0, 0), (1, 1), (0.5, 0.5)] as [(Float, Float?)])
    func anInvalidThresholdCountsAsNotSet(value: Float, expected: Float?) {
        #expect(value.validConfidence == expected)
    }
}
