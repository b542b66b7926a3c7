import Foundation
import HubTestSupport
import OnnxRuntime
import SightlineTestSupport
import SightlineTesting
import Testing

/// Models of a hub in the commands of `sightline`, which names them as `sightline serve` does.
@Suite(.hangLimit)
struct HubNameTests {
    /// Calls `body` with a hub, and with `sightline` in a folder with a picture and a file about the hub.
    private func withHub(
        _ body: @escaping @Sendable (ClientHub, URL, _ run: Run) async throws -> Void
    ) async throws {
        try await ClientHub.with { hub, folder in
            let file = folder.appending(path: "hub.json")
            try Self.configuration(hub.address, hub.key).write(to: file)
            try TestScene.two.png().write(to: folder.appending(path: "photo.png"))
            try await body(hub, folder) { arguments, environment in
                var environment = environment
                environment["XDG_DATA_HOME"] = folder.appending(path: "data").path
                environment["SIGHTLINE_LITERT"] = Self.library
                environment["SIGHTLINE_HUB_FILE"] = environment["SIGHTLINE_HUB_FILE"] ?? ""
                return try await Program("sightline").run(arguments, in: folder, environment: environment)
            }
        }
    }

    private typealias Run = @Sendable ([String], [String: String]) async throws -> Program.Result

    private static func configuration(_ address: String, _ key: String) throws -> Data {
        try JSONSerialization.data(withJSONObject: ["hub": address, "projectID": "my-plants", "apiKey": key])
    }

    /// The library of the tests, which lies in the user's data folder.
    private static let library: String? = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["SIGHTLINE_LITERT"] { return path }
        let home =
            environment["XDG_DATA_HOME"].map { URL(filePath: $0) } ?? URL.homeDirectory.appending(path: ".local/share")
        let folder = home.appending(path: "sightline")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix("litert-") }.sorted().last.map {
            folder.appending(path: "\($0)/libLiteRt.so").path
        }
    }()

    private func file(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("models/\(name).tflite")) }

    @Test func labelsAPictureWithThePublishedVersion() async throws {
        try await withHub { hub, folder, run in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            let found = try await run(["label", "photo.png", "--model", "hub:plants", "--hub", "hub.json"], [:])
            #expect(found.status == 0 && !found.output.isEmpty, "\(found.errors)")
            let beside = try await run(
                ["label", "photo.png", "--model", TestData.fixture("models/classifier_float_metadata.tflite").path],
                [:]
            )
            #expect(found.output == beside.output)
            // The folder that `sightline serve` uses, so that both download a version once.
            let hubs = folder.appending(path: "data/sightline/hubs")
            let files = FileManager.default.enumerator(atPath: hubs.path)?.compactMap { $0 as? String } ?? []
            #expect(files.contains { $0.hasSuffix(".tflite") }, "\(files)")
        }
    }

    @Test func theThresholdOfTheHubCountsUnlessTheCommandHasOne() async throws {
        try await withHub { hub, _, run in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            try await hub.setThreshold(1, of: "plants")
            let label = ["label", "photo.png", "--model", "hub:plants", "--hub", "hub.json", "--format", "json"]
            let none = try await run(label, [:])
            let all = try await run(label + ["--threshold", "0"], [:])
            #expect(none.status == 0 && all.status == 0 && none.output.count < all.output.count, "\(none.errors)")
        }
    }

    @Test(arguments: ["inspect", "compare", "optimize"])
    func everyCommandThatTakesAModelTakesOneOfAHub(command: String) async throws {
        try await withHub { hub, _, run in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            try await hub.stage(try file("uint8_classifier"), of: "plants")
            let arguments =
                switch command {
                case "compare": ["--model", "hub:plants", "--model", "hub:plants@staging", "."]
                default: ["hub:plants@staging"]
                }
            let result = try await run([command] + arguments, ["SIGHTLINE_HUB_FILE": "hub.json"])
            #expect(result.status == 0 && !result.output.isEmpty, "\(result.errors)")
        }
    }

    @Test func aModelThatTheHubDoesNotHaveIsNamed() async throws {
        try await withHub { _, _, run in
            let result = try await run(["detect", "photo.png", "--model", "hub:trees", "--hub", "hub.json"], [:])
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.errors.contains("There is no model \"trees\""), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: ["detect", "label", "track", "evaluate labels"])
    func withoutAHubTheSentenceNamesBothWays(command: String) async throws {
        try await withHub { _, _, run in
            let words = command.split(separator: " ").map(String.init)
            let input = command == "evaluate labels" ? "." : "photo.png"
            let result = try await run(words + [input, "--model", "hub:plants@beta"], [:])
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.errors.contains("--hub FILE"))
            #expect(result.errors.contains("`sightline hub download plants --alias beta`"))
        }
    }

    @Test func aDamagedFileAboutTheHubIsNamed() async throws {
        try await withHub { _, folder, run in
            try Data("{}".utf8).write(to: folder.appending(path: "other.json"))
            let result = try await run(["label", "photo.png", "--model", "hub:plants", "--hub", "other.json"], [:])
            #expect(result.status == 2 && result.errors.contains("other.json lacks \"hub\""), "\(result.errors)")
        }
    }

    @Test func aFileWhoseNameBeginsLikeAModelOfAHubIsAFile() async throws {
        try await withHub { _, folder, run in
            try file("classifier_float_metadata").write(to: folder.appending(path: "hub:plants"))
            let result = try await run(["label", "photo.png", "--model", "hub:plants"], [:])
            #expect(result.status == 0 && !result.output.isEmpty, "\(result.errors)")
        }
    }

    @Test func theVersionOfBeforeIsUsedWhileTheHubIsAway() async throws {
        try await withHub { hub, folder, run in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            let label = ["label", "photo.png", "--model", "hub:plants", "--hub", "hub.json"]
            let first = try await run(label, [:])
            #expect(first.status == 0, "\(first.errors)")
            // The folder of a hub has the name of its address.
            let hubs = folder.appending(path: "data/sightline/hubs")
            let there = try #require(try FileManager.default.contentsOfDirectory(atPath: hubs.path).first)
            try FileManager.default.moveItem(
                at: hubs.appending(path: there),
                to: hubs.appending(path: "127.0.0.1-1")
            )
            try Self.configuration("http://127.0.0.1:1", hub.key).write(to: folder.appending(path: "hub.json"))
            let second = try await run(label, [:])
            #expect(second.status == 0 && second.output == first.output, "\(second.errors)")
            #expect(second.errors.contains("The version that was downloaded before is used."))
        }
    }
}
