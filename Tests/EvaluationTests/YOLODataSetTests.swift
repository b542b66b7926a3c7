import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Data sets with labels of YOLO.
@Suite(.hangLimit)
struct YOLODataSetTests {
    private static let names = "names: [red, green, blue]\n"
    /// The findings of the fixture model.
    private static let labels = "0 0.4 0.3 0.4 0.4\n2 0.75 0.7 0.4 0.4\r\n\n"

    private func write(_ texts: [String: String], pictures: [String], in folder: URL) throws {
        try Pictures.write(texts.mapValues { Data($0.utf8) }, in: folder)
        let picture = try Pictures.png(red: 9, width: 100, height: 100)
        try Pictures.write(Dictionary(uniqueKeysWithValues: pictures.map { ($0, picture) }), in: folder)
    }

    private func report(_ texts: [String: String], pictures: [String], name: String = "") async throws -> BoxReport {
        try await withTemporaryFolder { folder in
            try write(texts, pictures: pictures, in: folder)
            let known = try AnnotatedPictures(contentsOf: name.isEmpty ? folder : folder.appending(path: name))
            return try await BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector)).evaluate(known)
        }
    }

    @Test(
        arguments: [
            (["data.yaml": "train: images\nval: images\n" + names, "labels/a.txt": labels], "images/a.png"),
            (
                [
                    "data.yaml": "path: .\ntrain: images/train\nval: images/val # few\n" + names,
                    "labels/val/a.txt": labels,
                ], "images/val/a.png"
            ),
            (
                [
                    "data.yaml": "train: ../train/images\nval: ../valid/images\nnc: 3\n" + names,
                    "valid/labels/a.txt": labels,
                ], "valid/images/a.png"
            ),
            (
                [
                    "set.yml": "val:\n  - images/val\nnames:\n  0: 'red'\n  1: green\n  2: \"blue\"\n",
                    "labels/val/a.txt": labels,
                ], "images/val/a.png"
            ),
            (
                [
                    "data.yaml": "path: /gone\nval: val.txt\nnames:\n- red\n- green\n- blue\n",
                    "val.txt": "./images/a.png\n", "labels/a.txt": labels,
                ], "images/a.png"
            ),
            (["classes.txt": "red\ngreen\nblue\n", "labels/a.txt": labels], "images/a.png"),
            (["obj.names": "\u{FEFF}red\r\ngreen\r\nblue\r\n", "a.txt": labels], "a.png"),
            (
                [
                    "classes.txt": "red\ngreen\nblue",
                    "labels/a.txt": "0 0.2 0.1 0.6 0.1 0.6 0.5 0.2 0.5\n2 0.75 0.7 0.4 0.4 0.9\n",
                ], "images/a.png"
            ),
        ] as [([String: String], String)]
    )
    func theUsualLayoutsAreRead(texts: [String: String], picture: String) async throws {
        // A picture of another part does not count.
        let report = try await report(
            texts,
            pictures: [picture, "images/train/other.png", "train/images/other.png"].filter {
                $0 == picture || picture.hasPrefix("images/val") || picture.hasPrefix("valid")
            }
        )
        #expect(report.pictureCount == 1 && report.objectCount == 2 && report.skipped.count == 0)
        #expect(report.summary?.ap ?? 0 > 0.9)
    }

    @Test func aPictureWithoutLabelsHasNoObjects() async throws {
        let texts = ["data.yaml": "val: images\n" + Self.names, "labels/a.txt": Self.labels]
        let report = try await report(texts, pictures: ["images/a.png", "images/b.png"], name: "data.yaml")
        #expect(report.pictureCount == 2 && report.objectCount == 2)
    }

    @Test(
        arguments: [
            (
                ["labels/a.txt": "3 0.5 0.5 0.1 0.1"], "labels/a.txt, line 1",
                "the class is 3, expected a whole number below 3"
            ),
            (
                ["labels/a.txt": "0 0.5 0.5 0.1 0.1\n0 12 0.5 0.1 0.1"], "labels/a.txt, line 2",
                "it has 12, expected numbers from 0 to 1"
            ),
            (["labels/a.txt": "0 0.5 0.5"], "labels/a.txt, line 1", "it has 3 numbers, expected class, center x"),
            (["labels/b.txt": ""], "", "no picture has a label file"),
            (["data.yaml": "val: images\n"], "", "no data.yaml, classes.txt or obj.names in it names the classes"),
            (["data.yaml": "val: none\n" + names], "", "none"),
        ] as [([String: String], String, String)]
    )
    func mistakesAreNamedByFileAndLine(texts: [String: String], place: String, reason: String) throws {
        try withTemporaryFolder { folder in
            try write(
                ["data.yaml": "val: images\n" + Self.names].merging(texts) { $1 },
                pictures: ["images/a.png"],
                in: folder
            )
            let error = #expect(throws: EvaluationError.self) { try AnnotatedPictures(contentsOf: folder) }
            let text = try "\(#require(error))"
            #expect((place.isEmpty || text.contains(place)) && text.contains(reason), "\(text)")
        }
    }
}
