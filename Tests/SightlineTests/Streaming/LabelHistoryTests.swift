import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct LabelHistoryTests {
    private func label(_ index: Int, _ confidence: Float) -> Label {
        Label(text: "class \(index)", index: index, confidence: confidence)
    }

    private func labels(_ history: LabelHistory) -> [Label] {
        history.labels(of: 1, thresholds: ClassThresholds(0), maximumCount: 10)
    }

    @Test func theFirstClassificationCountsInFull() {
        var history = LabelHistory()
        history.add([label(3, 0.75)], to: 1)
        #expect(labels(history) == [label(3, 0.75)])
    }

    @Test func classificationsAreAveragedAndMissingLabelsCountAsZero() {
        var history = LabelHistory()
        history.add([label(3, 0.5)], to: 1)
        history.add([label(4, 1)], to: 1)
        #expect(labels(history) == [label(4, 0.5), label(3, 0.25)])
    }

    @Test func oneWrongClassificationAmongManyDoesNotChangeTheBestLabel() {
        var history = LabelHistory()
        for _ in 0..<20 { history.add([label(3, 0.8)], to: 1) }
        history.add([label(4, 1)], to: 1)
        #expect(labels(history).first?.index == 3)
    }

    @Test func aLabelThatStaysLongEnoughWins() {
        var history = LabelHistory()
        for _ in 0..<200 { history.add([label(3, 0.8)], to: 1) }
        for _ in 0..<10 { history.add([label(4, 0.8)], to: 1) }
        #expect(labels(history).first?.index == 4)
    }

    @Test func labelsKeepThresholdAndMaximum() {
        var history = LabelHistory()
        history.add([label(1, 0.5), label(2, 0.3), label(3, 0.1)], to: 1)
        #expect(history.labels(of: 1, thresholds: ClassThresholds(0.2), maximumCount: 10).map(\.index) == [1, 2])
        #expect(history.labels(of: 1, thresholds: ClassThresholds(0), maximumCount: 1).map(\.index) == [1])
    }

    @Test func objectsWithoutAClassificationComeFirst() {
        var history = LabelHistory()
        history.add([label(1, 1)], to: 1, at: .zero)
        #expect(history.mostUrgent(of: [1, 2, 3], at: .seconds(100)) == 2)
        history.add([], to: 2, at: .seconds(1))
        history.add([], to: 3, at: .seconds(1))
        #expect(history.mostUrgent(of: [1, 2, 3], at: .seconds(100)) == 1)
    }

    @Test func thePausesBetweenClassificationsGrow() {
        var history = LabelHistory()
        var times: [Duration] = []
        for tenth in 0..<300 where history.mostUrgent(of: [1], at: .milliseconds(100 * tenth)) == 1 {
            times.append(.milliseconds(100 * tenth))
            history.add([], to: 1, at: .milliseconds(100 * tenth))
        }
        #expect(times.prefix(4) == [.zero, .milliseconds(300), .milliseconds(800), .milliseconds(1800)])
        #expect(times.count == 8)
    }

    @Test func forgottenObjectsHaveNoLabels() {
        var history = LabelHistory()
        history.add([label(1, 1)], to: 1)
        history.keep([2])
        #expect(!history.contains(1) && labels(history).isEmpty)
    }
}
