import SightlineTestSupport
import Testing

@testable import Sightline

/// Boxes inside boxes.
@Suite(.hangLimit) struct NestedBoxesTests {
    private func object(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ confidence: Float,
        class classIndex: Int? = nil
    ) -> DetectedObject {
        DetectedObject(
            frame: PixelRect(x: x, y: y, width: width, height: height),
            confidence: confidence,
            classIndex: classIndex
        )
    }

    private func confidences(_ objects: [DetectedObject], acrossClasses: Bool = false) -> [Float] {
        NestedBoxes.doubted(objects, keptShare: 0.5) { acrossClasses ? nil : $0.classIndex }.map(\.confidence)
    }

    @Test func aBoxInsideAMoreConfidentBoxIsDoubted() {
        #expect(confidences([object(0, 0, 100, 100, 0.8), object(10, 10, 50, 50, 0.6)]) == [0.8, 0.3])
    }

    @Test func aBoxAroundOneMoreConfidentBoxIsNotDoubted() {
        #expect(confidences([object(10, 10, 50, 50, 0.8), object(0, 0, 100, 100, 0.6)]) == [0.8, 0.6])
    }

    @Test func aBoxAroundTwoThatAreAsConfidentIsDoubtedAndTheyAreNot() {
        let objects = [object(0, 0, 40, 90, 0.6), object(0, 0, 100, 100, 0.6), object(50, 0, 40, 90, 0.6)]
        let doubted = NestedBoxes.doubted(objects, keptShare: 0.5, kind: \.classIndex)
        #expect(doubted.map(\.confidence) == [0.6, 0.6, 0.3])
        #expect(doubted.last?.frame == objects[1].frame)
    }

    @Test func aBoxAroundTwoThatLieOnEachOtherIsNotAGroup() {
        let objects = [object(0, 0, 40, 90, 0.7), object(2, 2, 40, 90, 0.7), object(0, 0, 100, 100, 0.6)]
        #expect(confidences(objects) == [0.7, 0.7, 0.6])
    }

    @Test func aBoxThatIsMoreThanAFifthOutsideIsNotDoubted() {
        #expect(confidences([object(0, 0, 100, 100, 0.8), object(80, 0, 25, 50, 0.6)]) == [0.8, 0.6])
    }

    @Test func boxesOfDifferentClassesAreDoubtedOnlyAcrossClasses() {
        let objects = [object(0, 0, 100, 100, 0.8, class: 1), object(10, 10, 50, 50, 0.6, class: 2)]
        #expect(confidences(objects) == [0.8, 0.6])
        #expect(confidences(objects, acrossClasses: true) == [0.8, 0.3])
    }

    @Test func aBoxWithAKindIsNotDoubtedForABoxWithoutOneButTheOtherWayRound() {
        #expect(confidences([object(0, 0, 100, 100, 0.8), object(10, 10, 50, 50, 0.6, class: 1)]) == [0.8, 0.6])
        #expect(confidences([object(0, 0, 100, 100, 0.8, class: 1), object(10, 10, 50, 50, 0.6)]) == [0.8, 0.3])
    }

    @Test(arguments: [Float(0.4), 0.9])
    func `A box without a kind around one that has one is doubted, whichever is surer`(inner: Float) {
        let objects = [object(0, 0, 100, 100, 0.8), object(10, 10, 80, 50, inner, class: 1)]
        let doubted = NestedBoxes.doubted(
            objects.sorted { $0.confidence > $1.confidence },
            keptShare: 0.5,
            kind: \.classIndex
        )
        let confidences = Dictionary(doubted.map { ($0.classIndex, $0.confidence) }) { first, _ in first }
        #expect(confidences == [nil: 0.8 * NestedBoxes.keptShareOfSurroundings, 1: inner])
    }

    @Test func aBoxWithAKindAroundOneOfAnotherIsNotDoubted() {
        let objects = [object(0, 0, 100, 100, 0.8, class: 2), object(10, 10, 50, 50, 0.6, class: 1)]
        #expect(confidences(objects) == [0.8, 0.6])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func noBoxIsLostNoneRisesAndTheOrderIsThatOfConfidence(seed: UInt64) {
        var generator = RepeatableRandom(seed: seed)
        let objects = (0..<60).map { _ in
            object(
                Double.random(in: 0...80, using: &generator),
                Double.random(in: 0...80, using: &generator),
                Double.random(in: 0...60, using: &generator),
                Double.random(in: 0...60, using: &generator),
                Float.random(in: 0...1, using: &generator),
                class: Int.random(in: 0...1, using: &generator)
            )
        }.sorted { $0.confidence > $1.confidence }
        let doubted = NestedBoxes.doubted(objects, keptShare: 0.5, kind: \.classIndex)
        #expect(doubted.map(\.confidence) == doubted.map(\.confidence).sorted(by: >))
        for object in doubted {
            let before = objects.first { $0.frame == object.frame && $0.classIndex == object.classIndex }
            #expect(before.map { [$0.confidence, $0.confidence / 2].contains(object.confidence) } == true)
        }
        #expect(doubted.count == objects.count)
    }

    /// The rules, with each box compared with each other.
    private func doubtedByAllPairs(_ objects: [DetectedObject]) -> [DetectedObject] {
        func isComparable(_ doubted: DetectedObject, with other: DetectedObject) -> Bool {
            doubted.classIndex == nil || doubted.classIndex == other.classIndex
        }
        func lies(_ inner: DetectedObject, in outer: DetectedObject) -> Bool {
            guard inner.frame.area < outer.frame.area, let shared = inner.frame.intersection(outer.frame)?.area else {
                return false
            }
            return shared >= Double(NestedBoxes.insideShare) * inner.frame.area
        }
        let isGroup = objects.map { outer in
            let held = objects.filter {
                $0.objectConfidence >= outer.objectConfidence && isComparable(outer, with: $0) && lies($0, in: outer)
            }
            return held.dropFirst().contains { $0.frame.intersectionOverSmaller(held[0].frame) < 0.5 }
        }
        var doubted = objects
        for (place, object) in objects.enumerated() {
            let isPart = objects[..<place].indices.contains {
                !isGroup[$0] && isComparable(object, with: objects[$0]) && lies(object, in: objects[$0])
            }
            let isSurrounding =
                object.classIndex == nil
                && objects.contains {
                    $0.classIndex != nil && lies($0, in: object)
                        && $0.frame.area >= NestedBoxes.filledShare * object.frame.area
                }
            if isGroup[place] || isPart {
                doubted[place].objectConfidence *= 0.5
            } else if isSurrounding {
                doubted[place].objectConfidence *= NestedBoxes.keptShareOfSurroundings
            }
        }
        return doubted.sorted { $0.objectConfidence > $1.objectConfidence }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `Boxes sorted by place give the answers of all pairs`(seed: UInt64) {
        var generator = RepeatableRandom(seed: seed)
        let largest = [30.0, 200, 600][Int(seed % 3)]
        let objects = (0..<Int.random(in: 0...150, using: &generator)).map { _ in
            // Whole numbers make equal edges, empty boxes and equal confidences likely.
            object(
                Double.random(in: 0...400, using: &generator).rounded(),
                Double.random(in: 0...400, using: &generator).rounded(),
                Double.random(in: 0...largest, using: &generator).rounded(),
                Double.random(in: 0...largest, using: &generator).rounded(),
                (Float.random(in: 0...1, using: &generator) * 50).rounded() / 50,
                class: [nil, 0, 1].randomElement(using: &generator) ?? nil
            )
        }.sorted { $0.confidence > $1.confidence }
        #expect(NestedBoxes.doubted(objects, keptShare: 0.5, kind: \.classIndex) == doubtedByAllPairs(objects))
    }
}
