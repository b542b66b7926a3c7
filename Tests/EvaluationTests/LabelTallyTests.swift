import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineEvaluation

/// The numbers of a label report, against figures that were worked out apart from them.
@Suite(.hangLimit)
struct LabelTallyTests {
    /// Seven pictures of three labels; "c" has none, the last picture has no label.
    private func report() -> LabelReport {
        var tally = LabelTally(names: ["a", "b", "c"])
        let pictures: [(Int?, [(Int, Float)])] = [
            (0, [(0, 0.9), (1, 0.05)]), (0, [(0, 0.6), (1, 0.4)]), (0, [(1, 0.8), (0, 0.2)]),
            (1, [(1, 0.7), (0, 0.3)]), (1, [(2, 0.5), (1, 0.4)]), (1, []), (nil, [(0, 0.3)]),
        ]
        for (index, (truth, answers)) in pictures.enumerated() {
            tally.add(
                path: "\(index).jpg",
                truth: truth,
                answers: answers.map { .init(label: $0.0, confidence: $0.1) }
            )
        }
        return tally.report(model: .none, source: "test", duration: .seconds(2))
    }

    @Test func countsAndShares() {
        let report = report()
        #expect(report.pictureCount == 7)
        #expect(report.labeledCount == 6)
        #expect(report.top1 == 0.5)
        #expect(report.top5 == 5.0 / 6)
        #expect(report.meanRecall == (2.0 / 3 + 1.0 / 3) / 2)
        #expect(report.picturesPerSecond == 3.5)
        #expect(report.labels.map(\.name) == ["a", "b", "c"])
        #expect(report.labels.map(\.pictureCount) == [3, 3, 0])
    }

    @Test func averagePrecisionIsThatOfTheWholeRanking() {
        // a: 0.9 right, 0.6 right, 0.3 wrong twice (a picture of b and one without label), 0.2 right: 2/3 + 1/3 × 3/5.
        // b: 0.8 wrong, 0.7 right, 0.4 one right and one wrong together, 0.05 wrong; one is never found: 1/3 × 1/2 + 1/3 × 2/4.
        let report = report()
        let expected: [Double?] = [2.0 / 3 + 1.0 / 5, 1.0 / 3, nil]
        for (found, expected) in zip(report.labels.map(\.averagePrecision), expected) {
            #expect((found == nil) == (expected == nil))
            #expect(abs((found ?? 0) - (expected ?? 0)) < 1e-12)
        }
        #expect(abs((report.meanAveragePrecision ?? 0) - (2.0 / 3 + 1.0 / 5 + 1.0 / 3) / 2) < 1e-12)
    }

    @Test func calibrationErrorIsThatOfFifteenBins() {
        // Six answers: 0.9 right, 0.6 right, 0.8 wrong, 0.7 right, 0.5 wrong, 0.3 wrong, each in a bin of its own.
        let expected = (0.1 + 0.4 + 0.8 + 0.3 + 0.5 + 0.3) / 6
        #expect(abs((report().calibrationError ?? 0) - expected) < 1e-6)
        #expect(report().calibration.count == 6)
    }

    @Test func everyPictureIsInTheConfusionMatrix() {
        let report = report()
        #expect(report.confusion.reduce(0) { $0 + $1.count } == 7)
        let wrong = report.confusion.first { $0.truth == 1 && $0.answer == 2 }
        #expect(wrong?.pictures == [.init(path: "4.jpg", confidence: 0.5)])
        #expect(report.confusion.contains { $0.truth == 1 && $0.answer == nil && $0.count == 1 })
        #expect(report.confusion.contains { $0.truth == nil && $0.answer == 0 && $0.count == 1 })
    }

    @Test func mistakesAreListedTheMostConfidentFirst() {
        let report = report()
        #expect(report.mistakes.map(\.path) == ["2.jpg", "4.jpg", "6.jpg", "5.jpg"])
        #expect(report.mistakeCount == 4)
        #expect(report.mistakes.first?.truth == "a")
        #expect(report.mistakes.first?.answers.map(\.name) == ["b", "a"])
    }

    @Test func aReportComesBackFromJSON() throws {
        let report = report()
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(LabelReport.self, from: data) == report)
        #expect(try LabelReport(json: data) == report)
    }

    @Test func aReportThatCannotBeOneIsRefused() throws {
        var report = report()
        report.confusion[0].truth = 3
        #expect(throws: EvaluationError.self) { try LabelReport(json: JSONEncoder().encode(report)) }
        report.confusion[0].truth = -1
        #expect(throws: EvaluationError.self) { try LabelReport(json: JSONEncoder().encode(report)) }
        report.confusion[0].truth = 0
        report.confusion[0].count = .max
        #expect(throws: EvaluationError.self) { try LabelReport(json: JSONEncoder().encode(report)) }
        #expect(throws: EvaluationError.self) { try LabelReport(json: Data("{}".utf8)) }
    }

    @Test func tenThousandLabelsGiveABoundedReport() throws {
        var tally = LabelTally(names: (0..<10_000).map { "label number \($0)" })
        var random = RepeatableRandom(seed: 5)
        for index in 0..<22_000 {
            let answers = (0..<6).map {
                LabelTally.Answer(label: (index * 7 + $0 * 131) % 10_000, confidence: Float(20 - $0) / 40)
            }
            tally.add(
                path: "folder/with/a/long/name/picture-\(index).jpg",
                truth: Int.random(in: 0..<10_000, using: &random),
                answers: answers
            )
        }
        let report = tally.report(model: .none, source: "test", duration: .seconds(1))
        #expect(report.mistakes.count == LabelReport.maximumMistakes)
        #expect(report.confusion.reduce(0) { $0 + $1.pictures.count } == LabelReport.maximumPicturesOfCells)
        #expect(try JSONEncoder().encode(report).count < 8 << 20)
    }

    @Test func averagePrecisionAgreesWithItsDefinitionOnRandomRankings() {
        var random = RepeatableRandom(seed: 9)
        for _ in 0..<200 {
            let scores = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                (Float.random(in: 0...1, using: &random), Bool.random(using: &random))
            }
            let wanted = scores.count { $0.1 } + Int.random(in: 0...3, using: &random)
            var ranks = LabelRanks()
            for (score, isRight) in scores { ranks.add(3, score, isRight: isRight) }
            // Without equal scores: the mean over the wanted ones of the precision at their rank.
            let sorted = scores.sorted { $0.0 > $1.0 }
            let sum = sorted.indices.filter { sorted[$0].1 }.reduce(0.0) { sum, index in
                sum + Double(sorted[...index].count { $0.1 }) / Double(index + 1)
            }
            let found = ranks.averagePrecisions(wanted: [3: wanted])[3]
            if wanted > 0 { #expect(abs((found ?? -1) - sum / Double(wanted)) < 1e-9) } else { #expect(found == nil) }
        }
    }
}

extension EvaluatedModel {
    /// No model.
    static let none = EvaluatedModel(name: "", sha256: "", byteCount: 0)
}
