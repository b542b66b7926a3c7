import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineEvaluation

/// Curves of answers against the threshold.
@Suite(.hangLimit)
struct ThresholdCurveTests {
    private func curve(wanted: Int, right: [Float], wrong: [Float]) -> ThresholdCurve {
        var (answers, rightOnes) = (ConfidenceCounts(), ConfidenceCounts())
        for confidence in right {
            answers.add(confidence)
            rightOnes.add(confidence)
        }
        for confidence in wrong { answers.add(confidence) }
        return ThresholdCurve(wanted: wanted, answers: answers, right: rightOnes)
    }

    @Test func anAnswerCountsAtAThresholdThatIsItsConfidenceAsALabelerHasIt() {
        for percent in 0...100 {
            let curve = curve(wanted: 1, right: [Float(percent) / 100], wrong: [])
            for other in 0...100 {
                let point = curve.point(at: Double(other) / 100)
                #expect(point.answers == (other <= percent ? 1 : 0), "\(percent) at \(other)")
            }
        }
    }

    @Test func precisionAndRecallAreThoseOfTheAnswersAtTheThreshold() {
        let curve = curve(wanted: 4, right: [0.9, 0.6, 0.3], wrong: [0.7, 0.2])
        let point = curve.point(at: 0.5)
        #expect(point.precision == 2.0 / 3)
        #expect(point.recall == 0.5)
        #expect(point.f1 == 4.0 / 7)
        #expect(curve.points.count == 101)
        #expect(curve.points.allSatisfy { $0 == curve.point(at: $0.threshold) })
    }

    @Test func theBestThresholdHasTheHighestF1AndIsTheHighestOfEqualOnes() {
        let curve = curve(wanted: 4, right: [0.9, 0.6, 0.305], wrong: [0.7, 0.2])
        #expect(curve.best?.threshold == 0.3)
        #expect(curve.lowest(precision: 0.75)?.threshold == 0.21)
        #expect(curve.lowest(precision: 1)?.threshold == 0.71)
        #expect(self.curve(wanted: 2, right: [], wrong: [0.4]).best == nil)
        #expect(self.curve(wanted: 2, right: [], wrong: [0.4]).lowest(precision: 0.1) == nil)
    }

    @Test func theMiddleThresholdLeavesRoomToRightAndToWrongAnswers() {
        // Of two labels, an answer has a confidence of 0.5 or more.
        #expect(curve(wanted: 3, right: [0.99, 0.98, 0.94], wrong: []).middle(from: 0.5) == 0.72)
        let mistaken = curve(wanted: 5, right: [0.99, 0.98, 0.97, 0.94], wrong: [0.61])
        #expect(mistaken.best?.threshold == 0.94)
        #expect(mistaken.middle(from: 0.5) == 0.78)
        #expect(curve(wanted: 1, right: [0.4], wrong: []).middle(from: 0.5) == 0.4)
        #expect(curve(wanted: 1, right: [], wrong: [0.9]).middle(from: 0.5) == nil)
    }

    @Test func withoutAnswersThereIsNoPrecision() {
        let curve = curve(wanted: 0, right: [], wrong: [])
        #expect(curve.point(at: 0).precision == nil)
        #expect(curve.point(at: 0).recall == nil)
        #expect(curve.point(at: .nan).threshold == 0)
        #expect(curve.point(at: 7).threshold == 1)
    }

    @Test func isShortAndComesBackFromJSON() throws {
        let curve = curve(wanted: 3, right: [0.9, 0.6], wrong: [0.7])
        let data = try JSONEncoder().encode(curve)
        #expect(try JSONDecoder().decode(ThresholdCurve.self, from: data) == curve)
        #expect(String(decoding: data, as: UTF8.self).contains("[[0,3,2],[61,2,1],[71,1,1],[91,0,0]]"))
    }

    @Test(arguments: [
        #"{"wanted":1,"steps":[[0,1]]}"#, #"{"wanted":1,"steps":[[0,1,-1]]}"#, #"{"wanted":1,"steps":[[101,1,1]]}"#,
        #"{"wanted":-1,"steps":[]}"#, #"{"wanted":1,"steps":[[5,1,1],[5,1,1]]}"#,
    ])
    func numbersThatAreNoCurveAreRefused(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ThresholdCurve.self, from: Data(text.utf8))
        }
    }
}
