import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct LabelMemoryTests {
    private func label(_ index: Int, _ confidence: Float) -> Label {
        Label(text: "class \(index)", index: index, confidence: confidence)
    }

    private func labels(_ memory: LabelMemory) -> [Label] { memory.labels(of: 1, threshold: 0, maximumCount: 10) }

    @Test func theFirstSayingCountsInFull() {
        var memory = LabelMemory()
        memory.add([label(3, 0.75)], to: 1)
        #expect(labels(memory) == [label(3, 0.75)])
    }

    @Test func sayingsAreAveragedAndWhatIsNotSaidCountsAsZero() {
        var memory = LabelMemory()
        memory.add([label(3, 0.5)], to: 1)
        memory.add([label(4, 1)], to: 1)
        #expect(labels(memory) == [label(4, 0.5), label(3, 0.25)])
    }

    @Test func oneWrongSayingAmongManyDoesNotChangeTheBestLabel() {
        var memory = LabelMemory()
        for _ in 0..<20 { memory.add([label(3, 0.8)], to: 1) }
        memory.add([label(4, 1)], to: 1)
        #expect(labels(memory).first?.index == 3)
    }

    @Test func whatIsSaidForLongWinsInTheEnd() {
        var memory = LabelMemory()
        for _ in 0..<200 { memory.add([label(3, 0.8)], to: 1) }
        for _ in 0..<10 { memory.add([label(4, 0.8)], to: 1) }
        #expect(labels(memory).first?.index == 4)
    }

    @Test func labelsKeepThresholdAndMaximum() {
        var memory = LabelMemory()
        memory.add([label(1, 0.5), label(2, 0.3), label(3, 0.1)], to: 1)
        #expect(memory.labels(of: 1, threshold: 0.2, maximumCount: 10).map(\.index) == [1, 2])
        #expect(memory.labels(of: 1, threshold: 0, maximumCount: 1).map(\.index) == [1])
    }

    @Test func objectsNotYetLookedAtComeFirst() {
        var memory = LabelMemory()
        memory.add([label(1, 1)], to: 1, at: .zero)
        #expect(memory.mostUrgent(of: [1, 2, 3], at: .seconds(100)) == 2)
        memory.add([], to: 2, at: .seconds(1))
        memory.add([], to: 3, at: .seconds(1))
        #expect(memory.mostUrgent(of: [1, 2, 3], at: .seconds(100)) == 1)
    }

    @Test func anObjectIsLookedAtEverMoreSeldom() {
        var memory = LabelMemory()
        var looks: [Duration] = []
        for tenth in 0..<300 where memory.mostUrgent(of: [1], at: .milliseconds(100 * tenth)) == 1 {
            looks.append(.milliseconds(100 * tenth))
            memory.add([], to: 1, at: .milliseconds(100 * tenth))
        }
        #expect(looks.prefix(4) == [.zero, .milliseconds(300), .milliseconds(800), .milliseconds(1800)])
        #expect(looks.count == 8)
    }

    @Test func forgottenObjectsAreUnknown() {
        var memory = LabelMemory()
        memory.add([label(1, 1)], to: 1)
        memory.keep([2])
        #expect(!memory.knows(1) && labels(memory).isEmpty)
    }
}
