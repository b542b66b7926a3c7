import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Annotations that were made elsewhere: names, sizes and mistakes.
@Suite(.hangLimit)
struct AnnotationNamesTests {
    private func json(_ name: String, width: Int = 100, height: Int = 100) throws -> Data {
        try JSONSerialization.data(
            withJSONObject: [
                "images": [["id": 1, "file_name": name, "width": width, "height": height]],
                "categories": [["id": 1, "name": "red"], ["id": 2, "name": "blue"]],
                "annotations": [["id": 1, "image_id": 1, "category_id": 1, "bbox": [20, 10, 40, 40]]],
            ] as [String: Any]
        )
    }

    /// The paths of the pictures that annotations find in a folder `images`.
    private func found(_ name: String, files: [String]) throws -> [String] {
        try withTemporaryFolder { folder in
            let picture = try Pictures.png(red: 9, width: 100, height: 100)
            try Pictures.write(Dictionary(uniqueKeysWithValues: files.map { ("images/\($0)", picture) }), in: folder)
            try json(name.replacing("FOLDER", with: folder.path)).write(to: folder.appending(path: "known.json"))
            return try AnnotatedPictures(contentsOf: folder.appending(path: "known.json")).annotations.pictures.map(
                \.path
            )
        }
    }

    @Test(arguments: [
        ("./a.png", "a.png"), (".//sub/./a.png", "sub/a.png"), ("sub\\a.png", "sub/a.png"),
        ("FOLDER/images/sub/a.png", "sub/a.png"),
        ("/data/birds/images/a.png", "a.png"), ("C:\\birds\\images\\sub\\a.png", "sub/a.png"),
        ("images/a.png", "a.png"),
        ("file:///data/images/a.png", "a.png"), (" a.png\n", "a.png"), ("A.PNG", "a.png"),
        ("u\u{308}n.png", "\u{FC}n.png"), ("\u{FC}N.png", "\u{FC}n.png"),
    ])
    func aPictureIsFoundByTheNamesThatPeopleHave(name: String, path: String) throws {
        let files = ["a.png", "sub/a.png", "\u{FC}n.png"]
        #expect(try found(name, files: files).map { Array($0.utf8) } == [Array(path.utf8)])
    }

    @Test(arguments: ["../a.png", "/etc/hostname", "train/a.png", "b.png", "SUB/A.PNG"])
    func aNameThatCanMeanNoOrSeveralFilesStays(name: String) throws {
        #expect(try found(name, files: ["a.png", "sub/a.PNG", "Sub/a.png"]) == [name])
    }

    @Test func aPictureOfAnotherSizeIsAnError() async throws {
        let error = try await withTemporaryFolder { folder in
            let picture = try Pictures.png(red: 9, width: 50, height: 50)
            try Pictures.write(["images/a.png": picture, "known.json": json("a.png")], in: folder)
            let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
            let known = try AnnotatedPictures(contentsOf: folder.appending(path: "known.json"))
            return await #expect(throws: EvaluationError.self) { try await evaluator.evaluate(known) }
        }
        #expect(try "\(#require(error))".contains("a.png has 50 × 50 pixels, but its annotations are for 100 × 100;"))
    }

    @Test func annotationsOfTheStoredPixelsAreNamed() async throws {
        let error = try await withTemporaryFolder { folder in
            let picture = try Data(contentsOf: TestData.fixture("images/exif-6.jpg"))
            let upright = try VisionImage(data: picture).size
            let known = try json("a.jpg", width: upright.height, height: upright.width)
            try Pictures.write(["images/a.jpg": picture, "known.json": known], in: folder)
            let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
            let pictures = try AnnotatedPictures(contentsOf: folder.appending(path: "known.json"))
            return await #expect(throws: EvaluationError.self) { try await evaluator.evaluate(pictures) }
        }
        #expect(try "\(#require(error))".contains("the stored pixels, which its EXIF orientation rotates"))
    }

    @Test(arguments: [
        (
            "\"bbox\":[20,10,40,40]", "\"bbox\":\"1,2\"",
            "annotations[0].bbox is \"1,2\", expected four numbers x, y, width, height"
        ),
        ("\"bbox\":[20,10,40,40]", "\"bbox\":[1,2,3]", "annotations[0].bbox is [1,2,3], expected four numbers"),
        ("\"bbox\":[20,10,40,40]", "\"bbox\":[1,2,null,3]", "annotations[0].bbox[2] is null, expected a number"),
        ("\"bbox\":[20,10,40,40]", "\"box\":[1]", "annotations[0] lacks \"bbox\", expected four numbers"),
        ("\"width\":100", "\"w\":100", "images[0] lacks \"width\", expected a whole number"),
        ("\"width\":100", "\"width\":1.5", "images[0].width is 1.5, expected a whole number"),
        ("\"width\":100", "\"width\":\"100\"", "images[0].width is \"100\", expected a whole number"),
        ("\"name\":\"blue\"", "\"name\":3", "categories[1].name is 3, expected text"),
        ("\"annotations\":", "\"objects\":", "the file lacks \"annotations\", expected an array"),
        ("{", "", "it is not valid JSON"),
    ])
    func mistakesAreNamedByPlaceExpectationAndValue(old: String, new: String, message: String) throws {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let whole = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: json("a.png")),
            options: options
        )
        let text = String(decoding: whole, as: UTF8.self)
        try #require(text.contains(old))
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "known.json")
            try Data(text.replacing(old, with: new, maxReplacements: 1).utf8).write(to: file)
            let error = #expect(throws: EvaluationError.self) { try BoxAnnotations(contentsOf: file) }
            #expect(try "\(#require(error))".contains("known.json is not in COCO's format: \(message)"))
        }
    }

    @Test func detectionsWithoutAScoreAreCertainAndOtherScoresAreRefused() throws {
        var files = BoxFiles()
        files.objects = [(0, 0, [20, 10, 40, 40], false)]
        files.boxes = [(0, 0, [20, 10, 40, 40], -1)]
        let report = try files.report()
        #expect((report.summary?.ap ?? 0) > 0.999 && report.overall.points.last?.answers == 1)
        files.boxes = [(0, 0, [20, 10, 40, 40], 0.5), (0, 0, [20, 10, 40, 40], 37)]
        let error = #expect(throws: EvaluationError.self) { try files.report() }
        #expect(try "\(#require(error))".contains("[1].score is 37, expected a number from 0 to 1"))
    }
}
