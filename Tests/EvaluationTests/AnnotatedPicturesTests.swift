import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Archives of pictures with COCO annotations.
@Suite(.hangLimit)
struct AnnotatedPicturesTests {
    /// The findings of the fixture model in the first picture, and half of it in the second.
    private func annotations(_ names: [String] = ["1.png", "2.png"]) throws -> Data {
        var files = BoxFiles()
        files.objects = [
            (0, 0, [20, 10, 40, 40], false), (0, 2, [55, 50, 40, 40], false), (1, 0, [20, 10, 40, 40], false),
        ]
        var text = String(decoding: try files.annotations, as: UTF8.self)
        for (index, name) in names.enumerated() {
            let escaped = name.replacing("\\", with: "\\\\").replacing("/", with: "\\/")
            text = text.replacing("\"\(index + 1).png\"", with: "\"\(escaped)\"")
        }
        return Data(text.utf8)
    }

    private func picture() throws -> Data { try Pictures.png(red: 9, width: 100, height: 100) }

    /// Reads an archive.
    private func read(_ files: [String: Data], limits: AnnotatedPictures.Limits = .standard) throws -> AnnotatedPictures
    {
        try withTemporaryFolder { folder in
            let zip = folder.appending(path: "street.zip")
            try Pictures.zip(files).write(to: zip)
            return try AnnotatedPictures(contentsOf: zip, limits: limits)
        }
    }

    private func error(_ files: [String: Data], limits: AnnotatedPictures.Limits = .standard) throws -> String {
        let error = #expect(throws: EvaluationError.self) { try read(files, limits: limits) }
        return try "\(#require(error))"
    }

    @Test(arguments: [
        ["annotations.json", "images/1.png", "images/2.png"],
        ["street/annotations.json", "street/1.png", "street/2.png"],
        ["annotations/instances_val2017.json", "val2017/1.png", "val2017/2.png"],
        ["_annotations.coco.json", "a/1.png", "b/2.png"],
        ["annotations.json", "other.json", "images/1.png", "2.png"],
    ])
    func picturesAreFoundInAnyFolder(_ names: [String]) async throws {
        var files: [String: Data] = [:]
        for name in names { files[name] = name.hasSuffix(".png") ? try picture() : Data("[]".utf8) }
        files[names[0]] = try annotations()
        let found = try read(files)
        #expect(Set(found.annotations.pictures.map(\.path)) == Set(names.filter { $0.hasSuffix(".png") }))
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let report = try await evaluator.evaluate(found)
        #expect(report.pictureCount == 2 && report.objectCount == 3 && report.skipped.count == 0)
        #expect(report.source == "street.zip")
        try report.check()
        let again = try BoxReport(json: try JSONEncoder().encode(report))
        #expect(again == report)
    }

    @Test func anArchiveIsMeasuredLikeItsFolder() async throws {
        let content = [
            "annotations.json": try annotations(), "images/1.png": try picture(), "images/2.png": try picture(),
        ]
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let (ofFolder, ofArchive) = try await withTemporaryFolder { folder in
            try Pictures.write(content, in: folder)
            let known = try AnnotatedPictures(contentsOf: folder.appending(path: "annotations.json"))
            return (try await evaluator.evaluate(known), try await evaluator.evaluate(read(content)))
        }
        #expect(ofFolder.summary == ofArchive.summary && ofFolder.overall == ofArchive.overall)
    }

    @Test func aNameThatSeveralFilesHaveIsNoPicture() async throws {
        let files = [
            "x.json": try annotations(), "a/1.png": try picture(), "b/1.png": try picture(), "c/2.png": try picture(),
        ]
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let report = try await evaluator.evaluate(read(files))
        #expect(report.skipped.pictures.map(\.path) == ["1.png", "a/1.png", "b/1.png"] && report.objectCount == 1)
    }

    @Test(arguments: ["../1.png", "/etc/hostname", "images/../1.png", ""])
    func namesThatLeadOutOfTheArchiveAreNoPictures(_ name: String) async throws {
        let files = ["x.json": try annotations([name, "2.png"]), "1.png": try picture(), "2.png": try picture()]
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let report = try await evaluator.evaluate(read(files))
        #expect(report.skipped.pictures.map(\.path) == [name, "1.png"] && report.pictureCount == 1)
    }

    @Test func picturesThatTheAnnotationsDoNotNameAreSkipped() async throws {
        let files = [
            "x.json": try annotations(), "1.png": try picture(), "2.png": try picture(), "3.png": try picture(),
            "notes.txt": Data("seen in May".utf8),
        ]
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let report = try await evaluator.evaluate(read(files))
        #expect(report.skipped.pictures == [.init(path: "3.png", reason: "x.json does not name it.")])
        #expect(report.skipped.count == 1 && report.pictureCount == 2)
    }

    @Test func whatIsNoArchiveWithAnnotationsIsRefused() throws {
        #expect(try error(["1.png": picture()]).contains("no JSON file with annotations"))
        #expect(try error(["a.json": annotations(), "b.json": annotations()]).contains("2 JSON files"))
        #expect(try error(["a.json": Data("{".utf8)]).contains("a.json is not in COCO's format"))
        #expect(try error(["../annotations.json": annotations()]).contains("leads out of the archive"))
    }

    @Test func numbersAreBoundedBeforeAPictureIsOpened() throws {
        let files = ["annotations.json": try annotations()]
        var limits = AnnotatedPictures.Limits()
        limits.maximumObjects = 2
        #expect(try error(files, limits: limits).contains("3 annotations, and the limit is 2"))
        limits = .standard
        limits.maximumObjectsPerPicture = 1
        #expect(try error(files, limits: limits).contains("image 1 has 2 annotations, and the limit is 1"))
        limits = .standard
        limits.maximumCategories = 2
        #expect(try error(files, limits: limits).contains("3 categories, and the limit is 2"))
        limits = .standard
        limits.files.maximumPictures = 1
        #expect(try error(files, limits: limits).contains("2 images, and the limit is 1"))
        limits = .standard
        limits.files.maximumFileBytes = 10
        #expect(try error(files, limits: limits).contains("annotations.json"))
    }

    @Test func twoVersionsAreComparedBoxByBox() async throws {
        let pictures = try read(["x.json": annotations(), "1.png": picture(), "2.png": picture()])
        let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
        let other = LocalModel(url: TestData.fixture("models/ssd_reordered.tflite"), labels: try labels())
        let same = try await evaluator.compare(withEarlier: evaluator, on: pictures)
        try same.check()
        // Two boxes of each picture have a confidence of 0.3 or more, and a third has 40 %.
        #expect(same.pictureCount == 2 && same.boxCount == 6 && same.sameBoxes == 6)
        #expect(same.baseline.ap == same.candidate.ap && same.baseline.model == same.candidate.model)
        let earlier = try BoxEvaluator(options: BoxEvaluatorOptions(model: other))
        let comparison = try await evaluator.compare(withEarlier: earlier, on: pictures)
        #expect(comparison.baseline.model.sha256 != comparison.candidate.model.sha256)
        #expect(comparison.baseline.milliseconds > 0 && comparison.speedup > 0)
    }

    /// A file with the labels of the fixture model.
    private func labels() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "labels-\(UUID().uuidString).txt")
        try Data("red\ngreen\nblue\n".utf8).write(to: url)
        return url
    }

    @Test(
        arguments: [
            { (report: inout BoxReport) in report.pictureCount = -1 }, { $0.objectCount = .max },
            { $0.summary?.ap = 7 },
            { $0.classAgnostic.ap50 = -0.1 }, { $0.bestThreshold = 1e300 }, { $0.seconds = -1 },
            { $0.pictures = Array(repeating: $0.pictures[0], count: 100) }, { $0.pictures[0].boxes[0].frame.x = 1e300 },
        ] as [@Sendable (inout BoxReport) -> Void]
    )
    func aReportWithImpossibleNumbersIsRefused(_ change: @Sendable (inout BoxReport) -> Void) throws {
        var files = BoxFiles()
        files.objects = [(0, 0, [10, 10, 50, 50], false)]
        files.boxes = [(0, 1, [10, 10, 50, 50], 0.9)]
        var report = try files.report()
        try report.check()
        change(&report)
        #expect(throws: EvaluationError.self) { try report.check() }
    }
}
