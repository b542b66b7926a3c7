import Foundation
import SightlineTestSupport
import SightlineTraining
import Testing

/// The folder that a training writes.
@Suite(.hangLimit)
struct ModelFolderTests {
    private func trained(in folder: URL, each count: Int = 3) async throws -> TrainedLabels {
        try await LabeledPhotos.trained(try LabeledPhotos.files(each: count), in: folder)
    }

    private func names(_ folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func theFolderIsThatOfAnAutoMLExportWithAReportAndACard() async throws {
        try await withTemporaryFolder { folder in
            let model = folder.appending(path: "made/colors", directoryHint: .isDirectory)
            try await trained(in: folder).write(to: model)
            #expect(
                names(model) == ["README.md", "card.json", "dict.txt", "manifest.json", "model.tflite", "report.html"]
            )
            #expect(try String(contentsOf: model.appending(path: "dict.txt"), encoding: .utf8) == "brick\ngrass\nsky\n")
            let card = try JSONDecoder().decode(
                TrainingCard.self,
                from: Data(contentsOf: model.appending(path: "card.json"))
            )
            #expect(card.name == "colors" && card.labels.map(\.pictures) == [3, 3, 3])
            #expect(card.byteCount == (try Data(contentsOf: model.appending(path: "model.tflite")).count))
            #expect(
                try String(contentsOf: model.appending(path: "report.html"), encoding: .utf8).contains(
                    "colors, trained on photos"
                )
            )
        }
    }

    @Test func anEarlierModelIsReplacedAsAWhole() async throws {
        try await withTemporaryFolder { folder in
            let model = folder.appending(path: "colors")
            try await trained(in: folder).write(to: model)
            try Data().write(to: model.appending(path: "old.txt"))
            let new = try await trained(in: folder, each: 4)
            try new.write(to: model)
            #expect(try Data(contentsOf: model.appending(path: "model.tflite")) == new.model)
            #expect(!names(model).contains("old.txt"))
            #expect(names(folder) == ["colors", "photos"])
        }
    }

    @Test func aFolderOfSomethingElseStaysAsItIs() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await trained(in: folder)
            #expect(throws: TrainingError.foreignFolder(path: folder.appending(path: "photos").path)) {
                try trained.write(to: folder.appending(path: "photos"))
            }
            try Data("x".utf8).write(to: folder.appending(path: "file"))
            #expect(throws: TrainingError.foreignFolder(path: folder.appending(path: "file").path)) {
                try trained.write(to: folder.appending(path: "file"))
            }
            #expect(names(folder.appending(path: "photos")) == ["brick", "grass", "sky"])
        }
    }

    @Test func aFailedWriteLeavesNothing() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await trained(in: folder)
            try Data().write(to: folder.appending(path: "plain"))
            #expect(throws: TrainingError.self) { try trained.write(to: folder.appending(path: "plain/colors")) }
            #expect(names(folder) == ["photos", "plain"])
        }
    }

    /// Killed before the new folder had its name, or before the earlier one was removed.
    @Test(arguments: ["", "-old"])
    func leftoversOfKilledProcessesAreRemoved(suffix: String) async throws {
        try await withTemporaryFolder { folder in
            // No process has this number: Linux and macOS count to less.
            let left = folder.appending(path: ".partial-colors-99999999\(suffix)")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
            try Data().write(to: left.appending(path: "card.json"))
            for _ in 0..<2 {
                try await trained(in: folder).write(to: folder.appending(path: "colors"))
                #expect(names(folder) == ["colors", "photos"])
            }
        }
    }
}
