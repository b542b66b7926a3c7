import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineServer

/// The order and the limits of kept pictures.
@Suite(.hangLimit)
struct RankedPicturesTests {
    private func entry(_ number: Int, _ weight: Double, byteCount: Int = 1) -> KeptPictures.Entry {
        KeptPictures.Entry(
            id: "\(number)",
            model: "plants",
            served: "1",
            candidate: "2",
            servedNames: [],
            candidateNames: [],
            picture: "plants/\(number).jpg",
            byteCount: byteCount,
            weight: weight,
            time: Date(timeIntervalSince1970: Double(number))
        )
    }

    @Test func theyStayInOrderWhateverIsAddedAndRemoved() {
        var generator = RepeatableRandom(seed: 7)
        var ranked = RankedPictures()
        var expected: [String: KeptPictures.Entry] = [:]
        for _ in 0..<2000 {
            // Equal weights and the same pictures come again and again.
            let weight = Double(Int.random(in: 0..<20, using: &generator))
            let new = entry(Int.random(in: 0..<200, using: &generator), weight, byteCount: Int(weight) + 1)
            if Bool.random(using: &generator) {
                ranked.add(new)
                expected[new.picture] = new
            } else {
                ranked.remove(new.picture)
                expected[new.picture] = nil
            }
        }
        let sorted = expected.values.sorted { ($0.weight, $0.time) > ($1.weight, $1.time) }
        #expect(ranked.all.map(\.picture) == sorted.map(\.picture) && !sorted.isEmpty)
        #expect(ranked.byteCount == sorted.reduce(0) { $0 + $1.byteCount })
    }

    @Test func thoseThatDifferLeastGoFirst() {
        let ranked = RankedPictures([3, 1, 4, 2].map { entry($0, Double($0), byteCount: 10) })
        let limits = KeptPictures.Limits(count: 9, bytes: 45)
        let others = ranked.others(goingFor: entry(9, 3.5, byteCount: 25), within: limits)
        #expect(others?.map(\.weight) == [1, 2])
        // Of the picture that takes their place, all that go differ less.
        #expect(ranked.others(goingFor: entry(9, 1.5, byteCount: 25), within: limits) == nil)
    }
}
