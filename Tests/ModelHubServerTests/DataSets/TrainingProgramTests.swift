import Foundation
import HubTestSupport
import ModelHubProtocol
import SightlineTestSupport
import Testing

/// The commands `sightline hub dataset` and `sightline hub train`, with a hub that serves.
@Suite(.hangLimit)
struct TrainingProgramTests {
    private func write(_ archive: Data, in folder: URL) throws -> String {
        let file = folder.appending(path: "photos.zip")
        try archive.write(to: file)
        return file.path
    }

    @Test func photosBecomeAStagedVersionByCommands() async throws {
        try await HubProgram.withProject { folder, run in
            let archive = try write(try DrawnPhotos.archive(), in: folder)
            #expect(try await run(["dataset", "create", "plants"]).output == "plants: created\n")
            #expect(try await run(["dataset", "add", "plants", archive]).output == "plants: 24 photos added\n")
            #expect(try await run(["dataset", "list"]).output.contains("plants"))
            #expect(try await run(["dataset", "show", "plants"]).output.contains("green"))
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            let trained = try await run(["train", "plants", "--json"])
            #expect(trained.status == 0, "\(trained.errors)")
            let training = try JSONDecoder().decode(TrainingResource.self, from: Data(trained.output.utf8))
            #expect(training.version == 1)
            #expect(try await run(["show", "plants"]).output.contains("staging: version 1"))
            let doubtful = try await run(["dataset", "photos", "plants", "--doubtful", "--format", "json"])
            let photos = try JSONDecoder().decode([PhotoResource].self, from: Data(doubtful.output.utf8))
            #expect(photos.count == 12)
            let id = String(try #require(photos.first?.photoId).prefix(12))
            #expect(try await run(["dataset", "label", "plants", id, "red"]).status == 0)
            #expect(try await run(["dataset", "remove", "plants", id]).output == "\(id): removed\n")
            #expect(try await run(["train", "plants", "--cancel"]).errors.contains("No training"))
            #expect(try await run(["dataset", "delete", "plants"]).status == 0)
            #expect(try await run(["dataset", "show", "plants"]).status == 2)
            #expect(try await server.stop() == 0)
        }
    }

    @Test(arguments: [0, 800])
    func aKilledHubTrainsAgainAndStagesOneVersion(milliseconds: Int) async throws {
        try await HubProgram.withProject { folder, run in
            let data = folder.appending(path: "hub")
            let archive = try write(try DrawnPhotos.archive(count: 20), in: folder)
            _ = try await run(["dataset", "create", "plants"])
            #expect(try await run(["dataset", "add", "plants", archive]).status == 0)
            let id = try await run(["train", "plants", "--no-wait"]).output.trimmingCharacters(in: .newlines)
            func training() async throws -> TrainingResource {
                let list = try await run(["train", "--list", "--json"])
                let all = try JSONDecoder().decode([TrainingResource].self, from: Data(list.output.utf8))
                return try #require(all.first { $0.trainingId == id })
            }
            let first = try await HubProgram.Server(data: data)
            while try await training().state == "WAITING" {}
            try await Task.sleep(for: .milliseconds(milliseconds))
            first.kill()
            _ = try await first.process.result()
            let second = try await HubProgram.Server(data: data)
            while try await training().isOpen {}
            let done = try await training()
            #expect(done.state == "DONE", "\(done.message ?? "")")
            let shown = try await run(["show", "plants", "--format", "json"])
            let model = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
            #expect((model?["versions"] as? [Any])?.count == 1)
            #expect(try await run(["verify"]).status == 0)
            #expect(try await second.stop() == 0)
            let uploads = try? FileManager.default.contentsOfDirectory(atPath: data.appending(path: "uploads").path)
            #expect((uploads ?? []).filter { $0.hasPrefix("training-") } == [])
        }
    }
}
