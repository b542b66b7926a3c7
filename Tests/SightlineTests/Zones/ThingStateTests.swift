import Sightline
import Testing

/// A thing's state follows the labels of its pictures after a while.
@Suite struct ThingStateTests {
    /// Reads labels, one each second from a time on; `?` for none.
    private func read(_ labels: String, from start: Double = 0, into state: inout ThingState) -> [StateEvent] {
        labels.enumerated().compactMap { index, letter in
            let label = letter == "?" ? nil : Label(text: String(letter), index: 0, confidence: 0.9)
            return state.read(label, at: .seconds(start + Double(index)))
        }
    }

    @Test func aLabelThatStaysBecomesTheState() {
        var gate = ThingState("gate", holdingTime: .seconds(3))
        #expect(read("ccc", into: &gate).isEmpty && gate.label == nil)
        let first = read("c", from: 3, into: &gate)
        #expect(first.map(\.label) == ["c"] && first.first?.earlier == nil && first.first?.time == .zero)
        let next = read("ccoooo", from: 4, into: &gate)
        #expect(next.map(\.label) == ["o"] && next.first?.earlier == "c" && next.first?.time == .seconds(6))
    }

    @Test func somebodyWhoPassesChangesNothing() {
        var gate = ThingState("gate", holdingTime: .seconds(3))
        _ = read("cccc", into: &gate)
        #expect(read("co?occoo?cc", from: 4, into: &gate).isEmpty && gate.label == "c")
    }

    @Test(arguments: ["???????", "o?o?o?o", "o?ccoo?o?o?"]) func aStateThatNothingConfirmsIsUnknown(labels: String) {
        var gate = ThingState("gate", holdingTime: .seconds(3))
        _ = read("cccc", into: &gate)
        #expect(read(labels, from: 4, into: &gate).isEmpty && gate.label == nil)
    }

    @Test func theSameStateAfterALossOrARestartIsNoEvent() {
        var gate = ThingState("gate", holdingTime: .seconds(2))
        _ = read("ccc", into: &gate)
        gate.lose()
        #expect(gate.label == nil && gate.known == "c")
        #expect(read("ccc", from: 60, into: &gate).isEmpty && gate.label == "c")
        var again = ThingState("gate", holdingTime: .seconds(2), known: gate.known)
        #expect(read("ccc", into: &again).isEmpty && again.label == "c")
        again.lose()
        #expect(read("ooo", from: 60, into: &again).map(\.earlier) == ["c"])
    }

    @Test func rareReadingsAgreeTwice() {
        var gate = ThingState("gate", holdingTime: .seconds(3))
        let labels = ["c", "c", "o", "o"].map { Label(text: $0, index: 0, confidence: 0.9) }
        let events = labels.enumerated().compactMap { gate.read($1, at: .seconds(60 * $0)) }
        #expect(events.map(\.label) == ["c", "o"])
    }

    @Test func withoutAHoldingTimeEachReadingCounts() {
        var gate = ThingState("gate", holdingTime: .zero)
        #expect(read("co?o", into: &gate).map(\.label) == ["c", "o"])
    }

    @Test func countsHaveTheShareOfEachState() {
        var counts = PeriodCounts(of: StreamHistory(), period: .seconds(10), things: ["gate"])
        func change(_ label: String, _ earlier: String?, _ time: Int) -> [StreamEvent] {
            let event = StateEvent(
                thing: "gate",
                label: label,
                earlier: earlier,
                confidence: 0.9,
                time: .seconds(time)
            )
            return [.state(event)]
        }
        _ = counts.add([], until: .zero)
        counts.show("unknown", of: "gate", at: .zero)
        _ = counts.add(change("closed", nil, 1), until: .seconds(2))
        counts.show("closed", of: "gate", at: .seconds(2))
        _ = counts.add(change("open", "closed", 7), until: .seconds(7))
        counts.show("open", of: "gate", at: .seconds(7))
        let rows = counts.add([], until: .seconds(10))
        #expect(rows.map(\.place) == ["gate", "gate", "gate"] && rows.map(\.label) == ["closed", "open", "unknown"])
        #expect(rows.map(\.meanInside) == [0.5, 0.3, 0.2])
        #expect(rows.map(\.entered) == [0, 1, 0] && rows.map(\.left) == [1, 0, 0])
        let rest = counts.finish()
        #expect(rest.isEmpty)
    }
}
