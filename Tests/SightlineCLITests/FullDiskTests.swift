import Foundation
import SightlineTestSupport
import Testing

/// Commands that write a model or an index on a full disk: files larger than a kilobyte cannot be written.
@Suite(.hangLimit)
struct FullDiskTests {
    private static let start = ["--start", TestData.fixture("models/classifier_float_metadata.tflite").path]
    private static let labels = ["train", "labels", "photos", "--output", "made"] + start
    private static let boxes = ["train", "boxes", "annotations.json", "--output", "made"] + start
    private static let similar = ["similar", "photos/fire/0.png", "photos"] + start

    private func photos(_ count: Int = 6, in folder: URL) throws {
        for number in 0..<count {
            let shade = UInt8(120 + 10 * number)
            try Pictures.write(
                [
                    "photos/fire/\(number).png": Pictures.png(red: shade, green: UInt8(7 * number)),
                    "photos/leaf/\(number).png": Pictures.png(green: shade, blue: UInt8(9 * number)),
                ],
                in: folder
            )
        }
    }

    private func run(_ arguments: [String], on folder: URL, isFull: Bool = true) async throws -> Program.Result {
        let environment = ["XDG_CACHE_HOME": folder.appending(path: "cache").path]
        guard isFull else { return try await Command.run(arguments, in: folder, environment: environment) }
        // With the signal ignored, a write behind the limit fails.
        let limited = ["-c", #"trap "" XFSZ; ulimit -f 1; exec "$0" "$@""#, Command.executable.path] + arguments
        return try await Command.run(
            limited,
            in: folder,
            executable: URL(filePath: "/bin/sh"),
            environment: environment
        )
    }

    private func names(_ folder: URL, _ path: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)) ?? []).sorted()
    }

    @Test(arguments: [labels, boxes])
    func aModelIsNotWrittenInPart(command: [String]) async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            _ = try BoxedPhotos.write(6, in: folder)
            let before = names(folder)
            let failed = try await run(command, on: folder)
            #expect(failed.status == 2 && failed.output.isEmpty)
            #expect(!failed.errors.contains(".partial-"), "\(failed.errors)")
            let sentences = failed.errors.split(separator: "\n").filter { !$0.contains("proposes a box") }
            #expect(sentences.count == 1 && failed.errors.contains("made/ cannot be written: "), "\(failed.errors)")
            #expect(names(folder).filter { $0 != "cache" } == before)
            let kept = names(folder, "cache/sightline/features")
            #expect(!kept.isEmpty)
            for name in kept {
                let file = folder.appending(path: "cache/sightline/features/\(name)")
                #expect(try Data(contentsOf: file).isEmpty, "A part of the features is kept.")
            }
            let made = try await run(command, on: folder, isFull: false)
            let files = names(folder, "made")
            #expect(made.status == 0 && files.contains("model.tflite") && files.contains("card.json"), "\(made.errors)")
            // An earlier model stays.
            let model = folder.appending(path: "made/model.tflite")
            let earlier = try Data(contentsOf: model)
            #expect(try await run(command + ["--seed", "7"], on: folder).status == 2)
            #expect(try Data(contentsOf: model) == earlier && names(folder, "made") == files)
            #expect(names(folder).filter { $0 != "cache" } == (before + ["made"]).sorted())
        }
    }

    @Test func anIndexIsNotWrittenInPart() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let first = try await run(Self.similar, on: folder)
            #expect(first.status == 0 && first.output.contains("Of 12 pictures"), "\(first.errors)")
            let sentences = first.errors.split(separator: "\n")
            #expect(sentences.count(where: { $0.contains("What was read cannot be kept (") }) == 1, "\(first.errors)")
            #expect(names(folder, "photos") == ["fire", "leaf"])
            #expect(names(folder, "cache/sightline/similar").isEmpty)
            #expect(try await run(Self.similar, on: folder, isFull: false).status == 0)
            let index = folder.appending(path: "photos/.sightline-similar")
            let earlier = try Data(contentsOf: index)
            try photos(8, in: folder)
            let second = try await run(Self.similar, on: folder)
            #expect(second.status == 0 && second.output.contains("Of 16 pictures"), "\(second.errors)")
            #expect(try Data(contentsOf: index) == earlier)
            #expect(names(folder, "photos") == [".sightline-similar", "fire", "leaf"])
        }
    }
}
