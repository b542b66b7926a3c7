import Foundation
import SightlineEvaluation
import SightlineTestSupport
import SightlineTraining
import Testing

/// The forms in which pictures and labels can be given, and those that cannot be used.
@Suite(.hangLimit)
struct TrainingPicturesTests {
    private func pictures(
        _ files: [String: Data],
        _ name: String = "",
        severalLabels: Bool = false,
        _ body: (TrainingPictures) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            try Pictures.write(files, in: folder)
            try body(
                try TrainingPictures(
                    contentsOf: name.isEmpty ? folder : folder.appending(path: name),
                    severalLabels: severalLabels
                )
            )
        }
    }

    @Test func aFolderForEachLabel() throws {
        try pictures(["a/1.png": Data(), "b ü 🌻/x/2.png": Data(), "b ü 🌻/3.png": Data()]) {
            #expect($0.labels == ["a", "b ü 🌻"] && $0.count == 3)
        }
    }

    @Test(arguments: [
        "TRAIN,gs://bucket/photos/1.png,a\nTEST,gs://bucket/photos/2.png,b\nVALIDATION,gs://bucket/photos/3.png,\"b\"\n",
        "\u{FEFF}1.png,a\r\n2.png,b\r\n\r\n3.png,b", "image,label\n1.png,a\n2.png, b \n./3.png,b\nmissing.png,c\n",
        "UNASSIGNED,/home/other/photos/1.png,a\n,2.png,b\n,3.png,b",
    ])
    func aCSVFile(text: String) throws {
        let files = ["1.png": Data(), "2.png": Data(), "3.png": Data(), "labels.csv": Data(text.utf8)]
        try pictures(files, "labels.csv") {
            #expect($0.labels == ["a", "b"] && $0.count == 3)
        }
    }

    @Test func annotationsInCOCOsFormat() throws {
        let json = """
            {"images": [{"id": 1, "file_name": "1.png"}, {"id": 2, "file_name": "2.png"}, {"id": 3, "file_name": "3.png"}],
             "categories": [{"id": 7, "name": "a"}, {"id": 9, "name": "b"}],
             "annotations": [{"image_id": 1, "category_id": 7}, {"image_id": 2, "category_id": 9, "bbox": [1, 2, 3, 4]},
                             {"image_id": 3, "category_id": 7}, {"image_id": 3, "category_id": 9}]}
            """
        let files = [
            "images/1.png": Data(), "images/2.png": Data(), "images/3.png": Data(), "annotations.json": Data(json.utf8),
        ]
        try pictures(files, "annotations.json") { #expect($0.labels == ["a", "b"] && $0.count == 2) }
        try pictures(files, "annotations.json", severalLabels: true) { #expect($0.count == 3) }
    }

    @Test(arguments: [
        ["a/1.png": "", "b/2.png": ""], ["photos/a/1.png": "", "photos/b/2.png": ""],
        ["1.png": "", "2.png": "", "labels.csv": "1.png,a\n2.png,b\n"],
        [
            "data/images/1.png": "", "data/images/2.png": "",
            "data/labels.csv": "TRAIN,gs://x/1.png,a\nTRAIN,gs://x/2.png,b\n",
        ],
    ])
    func aZipArchive(files: [String: String]) throws {
        try withTemporaryFolder { folder in
            var builder = ZipBuilder()
            for (name, text) in files.sorted(by: { $0.key < $1.key }) { builder.add(name, Data(text.utf8)) }
            let url = folder.appending(path: "photos.zip")
            try builder.data.write(to: url)
            let pictures = try TrainingPictures(contentsOf: url)
            #expect(pictures.labels == ["a", "b"] && pictures.count == 2)
        }
    }

    @Test(arguments: ["1.png,a\n2.png,b\n", "x/1.png,a\n./2.png,b\n"])
    func picturesOfAnArchiveThatItsListDoesNotNameAreSkipped(list: String) throws {
        try withTemporaryFolder { folder in
            var builder = ZipBuilder()
            for name in ["1.png", "2.png", "more/3.png", "readme.txt"] { builder.add(name, Data()) }
            builder.add("labels.csv", Data(list.utf8))
            let url = folder.appending(path: "photos.zip")
            try builder.data.write(to: url)
            let listing = try PhotoListing(archive: url, label: nil, limits: .standard)
            #expect(listing.photos.map(\.label) == ["a", "b"])
            #expect(listing.skipped.pictures == [.init(path: "more/3.png", reason: "labels.csv does not name it.")])
        }
    }

    @Test func aFolderOfNothingIsTheFirstLabel() throws {
        try pictures(["a/1.png": Data(), "None_of_the_above/2.png": Data(), "Z/3.png": Data()]) {
            #expect($0.labels == ["background", "Z", "a"])
        }
    }

    @Test func labelsMayHaveSignsOfPathsAndPictures() throws {
        try pictures(["labels.csv": Data("1.png,a/b\n2.png,🌱\n".utf8), "1.png": Data(), "2.png": Data()], "labels.csv")
        {
            #expect($0.labels == ["a/b", "🌱"])
        }
    }

    private func message(_ files: [String: Data], _ name: String = "") -> String {
        do {
            try pictures(files, name) { _ in }
            return ""
        } catch {
            return (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        }
    }

    @Test func badInputIsToldInASentence() {
        #expect(message(["only/1.png": Data()]).contains("one label, only, but a model tells at least two apart"))
        #expect(message(["1.png": Data()]).contains("create a folder for each label"))
        #expect(message([:]).contains("contains no folders with pictures"))
        #expect(message(["a/1.png": Data()], "nowhere").contains("there is no such file or folder"))
        #expect(message(["x.csv": Data("\n".utf8)], "x.csv").contains("no line of the form TRAIN,path,label"))
        #expect(message(["x.csv": Data([0xFF, 0xFE, 0x00])], "x.csv").contains("not UTF-8"))
        #expect(message(["x.csv": Data("1.png,a,0.1,0.2,,,0.3,0.4,,\n".utf8)], "x.csv").contains("corners of a box"))
        #expect(message(["x.json": Data("[]".utf8)], "x.json").contains("x.json is not in COCO's format"))
        let nameless = Data(#"{"images":[{"id":1}],"categories":[],"annotations":[]}"#.utf8)
        #expect(message(["x.json": nameless], "x.json").contains("images[0] lacks \"file_name\", expected text"))
        #expect(message(["x.csv": Data("1.png,a\n".utf8)], "x.csv").contains("no label"))
    }

    @Test func aLabelWithoutAUsablePictureIsNamed() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = ["rust/broken.png": Data("no picture".utf8)]
            do {
                files.merge(try LabeledPhotos.files(each: 3)) { one, _ in one }
                _ = try await LabeledPhotos.trained(files, in: folder)
                Issue.record("A label without pictures was learned.")
            } catch let error as TrainingError {
                #expect(error.description.hasPrefix("No picture of rust can be used"))
                #expect(error.description.contains("rust/broken.png"))
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func labelsWithFewPicturesAreTold() async throws {
        try await withTemporaryFolder { folder in
            var files = try LabeledPhotos.files(each: 10)
            files["rust/1.png"] = try LabeledPhotos.png([120, 80, 30], number: 1)
            files["sand/1.png"] = try LabeledPhotos.png([220, 200, 150], number: 1)
            files["sand/2.png"] = try LabeledPhotos.png([220, 200, 150], number: 2)
            files["sand/notes.txt"] = Data("hello".utf8)
            let trained = try await LabeledPhotos.trained(files, in: folder)
            #expect(trained.card.warnings.contains { $0.hasPrefix("rust: a single picture") })
            #expect(trained.card.warnings.contains { $0.hasPrefix("Few pictures: sand 2.") })
            #expect(trained.card.skippedCount == 1 && trained.card.pictureCount == 33)
        }
    }
}
