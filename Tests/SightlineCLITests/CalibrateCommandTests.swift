import Foundation
import SightlineTestSupport
import Testing

/// `sightline optimize --calibrate`.
@Suite(.hangLimit) struct CalibrateCommandTests {
    private static let model = TestData.fixture("models/float_network.tflite").path

    /// Runs the command in a new folder with photos.
    private func run(_ arguments: [String], _ check: (Command.Result, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for index in 0..<12 {
                let color = UInt8(20 * index)
                let picture = try Pictures.png(red: color, green: 255 - color, blue: UInt8(index % 3 * 100))
                try Pictures.write(["photos/\(index).png": picture], in: folder)
                try Pictures.write(["known/class \(index % 2)/\(index).png": picture], in: folder)
            }
            try await check(try await Command.run(["optimize", Self.model] + arguments, in: folder), folder)
        }
    }

    @Test func writesAnInt8ModelAndTellsWhatItCost() async throws {
        try await run(["fast.tflite", "--calibrate", "photos"]) { result, folder in
            #expect(result.status == 0)
            for part in ["float layers become int8", "times as fast", "Answers", "fast.tflite"] {
                #expect(result.output.contains(part), "\(part)")
            }
            let labels = try await Command.run(["label", "photos/3.png", "--model", "fast.tflite"], in: folder)
            #expect(labels.status == 0 && labels.output.contains("class "))
        }
    }

    @Test func everyFifthPictureIsLeftForTheComparison() async throws {
        try await run(["--calibrate", "photos", "--format", "json"]) { result, _ in
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            )
            #expect((report["rewritten"] as? [String])?.first?.contains("with 10 calibration pictures") == true)
            #expect((report["agreement"] as? [String: Any])?["pictures"] as? Int == 2)
        }
    }

    @Test func fewPicturesAreSaid() async throws {
        try await run(["--calibrate", "photos", "--pictures", "photos"]) { result, _ in
            #expect(result.status == 0)
            #expect(result.errors.contains("calibrated with 12 pictures"))
        }
    }

    @Test func theSamePicturesGiveTheSameFile() async throws {
        try await run(["one.tflite", "--calibrate", "photos"]) { _, folder in
            _ = try await Command.run(["optimize", Self.model, "two.tflite", "--calibrate", "photos"], in: folder)
            let files = try ["one.tflite", "two.tflite"].map { try Data(contentsOf: folder.appending(path: $0)) }
            #expect(files[0] == files[1])
        }
    }

    @Test func labeledPicturesShowTheShareOfRightAnswers() async throws {
        try await run(["--calibrate", "photos", "--annotations", "known"]) { result, _ in
            #expect(result.status == 0)
            #expect(result.output.contains("right answers ") && result.output.contains("on 12 labeled pictures"))
        }
    }

    @Test func unreadablePicturesAreNamed() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photos/a.png": try Pictures.png(red: 9), "photos/b.png": Data("no".utf8)], in: folder)
            let result = try await Command.run(["optimize", Self.model, "--calibrate", "photos"], in: folder)
            #expect(result.status == 0 && result.errors.contains("photos/b.png cannot be read"))
            try FileManager.default.removeItem(at: folder.appending(path: "photos/a.png"))
            let none = try await Command.run(
                ["optimize", Self.model, "new.tflite", "--calibrate", "photos"],
                in: folder
            )
            #expect(none.status == 2 && none.errors.contains("can be read"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "new.tflite").path))
        }
    }

    @Test(arguments: [[:], ["notes.txt": Data("no picture".utf8)], ["a.png": Data()], ["a.jpg": Data("no".utf8)]])
    func aFolderWithoutAReadablePictureIsRefused(_ files: [String: Data]) async throws {
        try await withTemporaryFolder { folder in
            let photos = folder.appending(path: "photos")
            try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
            try Pictures.write(files, in: photos)
            let result = try await Command.run(
                ["optimize", Self.model, "new.tflite", "--calibrate", "photos"],
                in: folder
            )
            #expect(result.status == 2 && result.output == "" && result.errors.contains("picture"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "new.tflite").path))
        }
    }

    @Test(arguments: [UInt8(0), 128, 255])
    func oneColorOnAllPicturesIsEnough(_ gray: UInt8) async throws {
        try await withTemporaryFolder { folder in
            let picture = try Pictures.png(red: gray, green: gray, blue: gray)
            for index in 0..<6 { try Pictures.write(["photos/\(index).png": picture], in: folder) }
            let arguments = ["optimize", Self.model, "new.tflite", "--calibrate", "photos"]
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let labels = try await Command.run(["label", "photos/3.png", "--model", "new.tflite"], in: folder)
            #expect(labels.status == 0)
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aRealClassifierKeepsItsAnswers() async throws {
        try await withTemporaryFolder { folder in
            let source = TestData.real("detection/images")
            let names = try FileManager.default.contentsOfDirectory(atPath: source.path).sorted().prefix(20)
            for name in names {
                let photo = try Data(contentsOf: source.appending(path: name))
                try Pictures.write(["photos/\(name)": photo], in: folder)
            }
            let model = TestData.real("models/classifiers/mobilenet_v1_0.25_224_float.tflite").path
            let arguments = ["optimize", model, "fast.tflite", "--calibrate", "photos", "--pictures", "photos"]
            let result = try await Command.run(arguments + ["--format", "json"], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            )
            let agreement = try #require(report["agreement"] as? [String: Any])
            #expect(agreement["pictures"] as? Int == 20)
            let answers = try #require(agreement["answers"] as? Int)
            let same = try #require(agreement["same"] as? Int)
            #expect(answers > 5 && same >= answers - 1)
            let size = try #require(
                try folder.appending(path: "fast.tflite").resourceValues(forKeys: [.fileSizeKey]).fileSize
            )
            #expect(size < 800_000)
        }
    }

    @Test func aModelOf8BitWeightsIsRefused() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photos/a.png": try Pictures.png(red: 9)], in: folder)
            let quantized = TestData.fixture("models/uint8_classifier.tflite").path
            let result = try await Command.run(
                ["optimize", quantized, "new.tflite", "--calibrate", "photos"],
                in: folder
            )
            #expect(result.status == 2 && result.output == "")
            #expect(result.errors.contains("has 8-bit weights already"))
        }
    }

    @Test func imagesNeedAnnotations() async throws {
        try await run(["--calibrate", "photos", "--images", "photos"]) { result, _ in
            #expect(result.status == 64 && result.errors.contains("--annotations"))
        }
    }
}
