import Foundation
import ModelHubServer
import SightlineTestSupport
import TensorFlowLite
import Testing

/// Labels that come with an upload are packed in a process of its own.
@Suite(.hangLimit)
struct LabelPackingTests {
    private func withConsole(_ body: @escaping @Sendable (TestHub, ConsoleClient) async throws -> Void) async throws {
        var options = Hub.Options()
        options.evaluator = HubProgram.executable
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                try await body(test, try await ConsoleClient.signedIn(client, test.admin))
            }
        }
    }

    private static let labels = Data("red\ngreen\nblue\n".utf8)

    @Test func aModelGetsItsLabels() async throws {
        try await withConsole { test, browser in
            let model = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
            let reply = try await browser.upload(
                "/console/models",
                ["name": "colors"],
                files: ["model": ("colors.tflite", model), "labels": ("dict.txt", Self.labels)]
            )
            #expect(reply.status == 303)
            let file = try await browser.get(try #require(reply.location) + "/versions/1/file").body
            #expect(try Model(data: file).associatedFile(named: "dict.txt") == Self.labels)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
        }
    }

    @Test func labelsOfAnyFormArePackedAsOneNameALine() async throws {
        try await withConsole { _, browser in
            let model = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
            let reply = try await browser.upload(
                "/console/models",
                ["name": "colors"],
                files: [
                    "model": ("colors.tflite", model), "labels": ("dict.txt", Data("3: blue\n1: red\n2: green\n".utf8)),
                ]
            )
            let file = try await browser.get(try #require(reply.location) + "/versions/1/file").body
            #expect(try Model(data: file).associatedFile(named: "dict.txt") == Self.labels)
        }
    }

    @Test func whyLabelsCannotBePackedIsSaid() async throws {
        try await withConsole { test, browser in
            let cases: [(model: Data, sentence: String)] = [
                (Data("no model".utf8), "not a usable model"),
                (
                    try Data(contentsOf: TestData.fixture("models/classifier_float_metadata.tflite")),
                    "already has labels"
                ),
                (
                    try Data(contentsOf: TestData.fixture("models/yolov8.tflite")),
                    "dict.txt has 2 labels but the model has 3 classes"
                ),
            ]
            for (model, sentence) in cases {
                let labels = sentence.hasPrefix("dict.txt has 2") ? Data("red\ngreen\n".utf8) : Self.labels
                let reply = try await browser.upload(
                    "/console/models",
                    ["name": "colors"],
                    files: ["model": ("colors.tflite", model), "labels": ("dict.txt", labels)]
                )
                #expect(reply.status == 400 && reply.text.contains(sentence))
                // Where files lie is the hub's own business.
                #expect(!reply.text.contains(test.folder.path))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
        }
    }

    @Test func aModelThatIsTooLargeWithItsLabelsIsRefused() async throws {
        var options = Hub.Options()
        options.evaluator = HubProgram.executable
        let model = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
        options.maximumModelSize = model.count + 10
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                let reply = try await browser.upload(
                    "/console/models",
                    ["name": "colors"],
                    files: ["model": ("colors.tflite", model), "labels": ("dict.txt", Self.labels)]
                )
                #expect(reply.status == 429 && reply.text.contains("has more than \(model.count + 10) bytes"))
            }
        }
    }
}
