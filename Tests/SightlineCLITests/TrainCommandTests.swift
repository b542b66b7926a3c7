import Foundation
import SightlineImages
import SightlineTestSupport
import Testing

/// `sightline train labels`, from the command line to the model's folder.
@Suite(.hangLimit)
struct TrainCommandTests {
    private static let start = TestData.fixture("models/classifier_float_metadata.tflite").path

    private func photos(in folder: URL) throws {
        var files: [String: Data] = [:]
        for number in 0..<6 {
            let shade = UInt8(120 + 20 * number)
            files["photos/fire 🔥/\(number).png"] = try Pictures.png(red: shade, green: UInt8(7 * number))
            files["photos/leaf/\(number).png"] = try Pictures.png(green: shade, blue: UInt8(9 * number))
        }
        try Pictures.write(files, in: folder)
    }

    @Test func aTrainedModelNamesPictures() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let made = try await Command.run(
                ["train", "labels", "photos", "--output", "colors", "--start", Self.start],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("fire 🔥") && made.output.contains("% right ("))
            let card = try await Command.run(
                ["train", "labels", "photos", "--output", "colors/", "--start", Self.start, "--format", "json"],
                in: folder
            )
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(card.output.utf8)) as? [String: Any]
            )
            #expect(fields["name"] as? String == "colors" && fields["pictureCount"] as? Int == 12)
            let named = try await Command.run(
                ["label", "photos/leaf/3.png", "--model", "colors", "--format", "jsonl"],
                in: folder
            )
            #expect(named.status == 0 && named.output.contains("\"leaf\""))
        }
    }

    @Test func whatCannotBeTrainedOnIsSaidAndWritesNothing() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            try Pictures.write(["one/leaf/1.png": Pictures.png()], in: folder)
            for (arguments, message) in [
                (["one", "--output", "new"], "one label, leaf"),
                (["nowhere", "--output", "new"], "no such file or folder"),
                (["photos", "--output", "one"], "is not the folder of a trained model"),
                (["photos", "--output", "new", "--start", "no-such-model"], "There is neither a file nor a model"),
                (
                    ["photos", "--output", "new", "--start", Command.detector],
                    "it finds objects instead of naming pictures"
                ),
            ] {
                let start = arguments.contains("--start") ? [] : ["--start", Self.start]
                let found = try await Command.run(["train", "labels"] + arguments + start, in: folder)
                #expect(found.status == 2)
                #expect(found.errors.contains(message), "\(found.errors)")
                #expect(found.errors.split(separator: "\n").count == 1)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["one", "photos"])
        }
    }

    @Test func withoutANetworkTheBuiltInNetworkIsTheStart() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            try Command.linkRuntime(into: folder.appending(path: "data/sightline"))
            // Nothing listens at this port.
            let found = try await Command.run(
                ["train", "labels", "photos", "--output", "colors"],
                in: folder,
                environment: [
                    "XDG_DATA_HOME": folder.appending(path: "data").path, "https_proxy": "http://127.0.0.1:9",
                ]
            )
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.errors.contains("usually costs about 8 points"))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "colors/model.tflite").path))
        }
    }
}
