import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import TensorFlowLite
import Testing

/// A real model on folders and archives of pictures.
@Suite(.hangLimit)
struct LabelEvaluatorTests {
    private func evaluator(workers: Int = 2) throws -> LabelEvaluator {
        var options = LabelEvaluatorOptions(model: Pictures.classifier)
        options.workers = workers
        return try LabelEvaluator(options: options)
    }

    /// Reds and greens that are right, a blue among the greens, and a file that is not a picture.
    private func files() throws -> [String: Data] {
        [
            "Red/1.png": try Pictures.png(red: 255), "Red/2.png": try Pictures.png(red: 200),
            "green/1.png": try Pictures.png(green: 255), "green/2.png": try Pictures.png(blue: 255),
            "green/broken.png": try Pictures.png(green: 255).prefix(60), "green/notes.txt": Data("hello".utf8),
            "yellow/1.png": try Pictures.png(red: 255, green: 255),
        ]
    }

    @Test func aFolderAndItsArchiveGiveTheSameReport() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(try files(), in: folder.appending(path: "colors"))
            try Pictures.zip(try files()).write(to: folder.appending(path: "colors.zip"))
            var reports: [LabelReport] = []
            for name in ["colors", "colors.zip"] {
                let pictures = try LabeledPictures(contentsOf: folder.appending(path: name))
                var report = try await evaluator().evaluate(pictures)
                #expect(report.source == name)
                (report.source, report.seconds) = ("", 0)
                reports.append(report)
            }
            #expect(reports[0] == reports[1])
            let report = reports[0]
            #expect(report.pictureCount == 4)
            #expect(report.top1 == 0.75)
            #expect(report.skipped.pictures.map(\.path) == ["green/broken.png", "green/notes.txt"])
            #expect(report.unknownFolders.names == ["yellow"])
            #expect(report.unknownFolders.sentence?.contains("1 picture was left out") == true)
            #expect(report.mistakes.map(\.path) == ["green/2.png"])
            #expect(report.mistakes.first?.answers.first?.name == "blue")
            #expect(report.model.name == "classifier_float_metadata.tflite")
            #expect(report.model.sha256.count == 64)
        }
    }

    @Test func aModelIsComparedWithItsFasterForm() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = [
                "class 1/notes.png": Data("no picture".utf8), "other/1.png": try Pictures.png(),
            ]
            for index in 0..<8 {
                files["class \(index % 2)/\(index).png"] = try Pictures.png(red: UInt8(index * 30), green: 90)
            }
            try Pictures.write(files, in: folder.appending(path: "digits"))
            let model = TestData.fixture("models/uint8_classifier.tflite")
            let optimized = try ModelOptimizer().optimized(try Model(contentsOf: model))
            let evaluator = try LabelEvaluator(options: LabelEvaluatorOptions(model: LocalModel(url: model)))
            let pictures = try LabeledPictures(contentsOf: folder.appending(path: "digits"))
            var last: EvaluationProgress?
            let comparison = try await evaluator.compare(with: optimized, on: pictures) { last = $0 }
            try comparison.check()
            #expect(last == EvaluationProgress(done: 9, skipped: 1, total: 9))
            #expect(comparison.pictureCount == 8 && comparison.labeledCount == 8 && comparison.sameAnswers == 8)
            let report = try await evaluator.evaluate(pictures)
            #expect(Double(comparison.baseline.right) / 8 == report.top1)
            #expect(comparison.candidate.right == comparison.baseline.right)
            #expect(comparison.baseline.sha256 == report.model.sha256)
            #expect(comparison.candidate.byteCount == optimized.model.data.count)
            #expect(comparison.rewrites.count == 1)
        }
    }

    @Test func theNumberOfWorkersDoesNotChangeTheReport() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = [:]
            for index in 0..<40 {
                let level = UInt8(index * 6)
                files["red/\(index).png"] = try Pictures.png(red: level, green: 120)
                files["green/\(index).png"] = try Pictures.png(red: 120, green: level)
            }
            try Pictures.write(files, in: folder)
            let pictures = try LabeledPictures(contentsOf: folder)
            var one = try await evaluator(workers: 1).evaluate(pictures)
            var three = try await evaluator(workers: 3).evaluate(pictures)
            (one.seconds, three.seconds) = (0, 0)
            #expect(one == three)
            #expect(one.top1 > 0.4 && one.top1 < 0.7)
        }
    }

    @Test func progressCountsEveryPicture() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(try files(), in: folder)
            var seen: [EvaluationProgress] = []
            _ = try await evaluator().evaluate(LabeledPictures(contentsOf: folder)) { seen.append($0) }
            #expect(seen.map(\.done) == Array(1...6))
            #expect(seen.last == EvaluationProgress(done: 6, skipped: 2, total: 6))
        }
    }

    @Test func foldersOfOtherNamesAloneAreAnError() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["yellow/1.png": try Pictures.png(red: 255)], in: folder)
            let pictures = try LabeledPictures(contentsOf: folder)
            let evaluator = try evaluator()
            let error = await #expect(throws: EvaluationError.self) { try await evaluator.evaluate(pictures) }
            #expect(error.map { "\($0)".contains("yellow") && "\($0)".contains("red, green, blue") } == true)
        }
    }

    @Test func aCancelledEvaluationEnds() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = [:]
            for index in 0..<300 { files["red/\(index).png"] = try Pictures.png(red: UInt8(index % 256)) }
            try Pictures.write(files, in: folder)
            let pictures = try LabeledPictures(contentsOf: folder)
            let evaluator = try evaluator(workers: 1)
            let (started, signal) = AsyncStream.makeStream(of: Void.self)
            let task = Task { try await evaluator.evaluate(pictures) { _ in signal.yield() } }
            for await _ in started { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func picturesOfNoLabelCountAgainstPrecisionAlone() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                ["red/1.png": try Pictures.png(red: 255), "none of the above/1.png": try Pictures.png(blue: 255)],
                in: folder
            )
            let report = try await evaluator().evaluate(LabeledPictures(contentsOf: folder))
            #expect(report.pictureCount == 2)
            #expect(report.labeledCount == 1)
            #expect(report.top1 == 1)
            #expect(report.overall.point(at: 0).precision == 0.5)
            #expect(report.overall.point(at: 0).recall == 1)
        }
    }
}
