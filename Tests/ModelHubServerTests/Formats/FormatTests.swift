import Foundation
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Clients that read other formats than a model has. The validator here does not run models.
@Suite(.hangLimit)
struct FormatTests {
    private static let details = "/hub/v1/projects/\(TestHub.project)/models/plants"
    private static let onnx = OnnxModels.classifier()

    /// Calls `body` with a served hub with the published model "plants" in versions of some files, of which the first is served.
    private func withVersions(
        _ files: [Data],
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: files[0])
                for file in files.dropFirst() { #expect(try await client.addVersion(file) != nil) }
                try await body(test, client)
            }
        }
    }

    private func download(
        _ client: TestClient,
        _ test: TestHub,
        formats: String? = nil,
        _ query: String = ""
    ) async throws -> TestReply {
        var headers: HTTPFields = [.apiKey: test.apiKey]
        headers[.formats] = formats
        return try await client.send(
            .get,
            "\(TestClient.models)/plants:download\(query)",
            headers: headers,
            token: .some(nil)
        )
    }

    @Test func firebasesClientsAreToldThatThereIsNoSuchModelAndOthersGetIt() async throws {
        try await withVersions([Self.onnx]) { test, client in
            for formats in [nil, "tflite", "", "safetensors"] {
                let refused = try await download(client, test, formats: formats)
                #expect(refused.status == 404 && refused.text("error.status") == "NOT_FOUND")
                let message = try #require(refused.text("error.message"))
                #expect(message.contains("in the format ONNX") && message.contains("X-Sightline-Formats: onnx"))
            }
            for formats in ["onnx", "tflite, onnx", "ONNX,TFLITE"] {
                let reply = try await download(client, test, formats: formats)
                #expect(reply.status == 200 && reply.text("modelFormat") == "ONNX")
                #expect(reply.headers[.eTag] == sha256(Self.onnx))
                let target = try requestTarget(reply.text("downloadUri"))
                #expect(target.contains("/plants.onnx?"))
                #expect(try await client.send(.get, target, token: .some(nil)).body == Self.onnx)
            }
        }
    }

    @Test func aClientOfOnnxAloneGetsNoOtherModel() async throws {
        try await withVersions([fakeModel()]) { test, client in
            let refused = try await download(client, test, formats: "onnx")
            #expect(refused.status == 404)
            #expect(try await download(client, test).text("modelFormat") == "TFLITE")
        }
    }

    /// A device that has a version keeps it while the hub serves one that it cannot read, and gets the next that it can.
    @Test func aVersionInAnotherFormatIsNotGivenToDevicesThatCannotReadIt() async throws {
        try await withVersions([fakeModel(1), Self.onnx]) { test, client in
            #expect(try await download(client, test, "?alias=staging").status == 200)
            _ = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2])
            #expect(try await download(client, test, "?alias=staging").status == 404)
            #expect(try await download(client, test, formats: "onnx", "?alias=staging").status == 200)
            #expect(try await download(client, test).headers[.eTag] == sha256(fakeModel(1)))
            _ = try await client.send(.post, "\(Self.details):promote", json: ["version": 2])
            #expect(try await download(client, test).status == 404)
            #expect(try await download(client, test, formats: "tflite, onnx").headers[.eTag] == sha256(Self.onnx))
            _ = try await client.send(.post, "\(Self.details):promote", json: ["version": 1])
            #expect(try await download(client, test).headers[.eTag] == sha256(fakeModel(1)))
        }
    }

    @Test func aRolloutDoesNotMixFormats() async throws {
        let other = OnnxModels.classifier(scores: [0.2, 0.2, 0.6])
        try await withVersions([fakeModel(1), Self.onnx, other]) { _, client in
            let rollouts = "/hub/v1/projects/\(TestHub.project)/rollouts"
            let refused = try await client.send(.post, rollouts, json: ["model": "plants", "version": 2])
            #expect(refused.status == 400)
            let message = try #require(refused.text("error.message"))
            #expect(message.contains("ONNX") && message.contains("`sightline hub promote plants 2`"))
            _ = try await client.send(.post, "\(Self.details):promote", json: ["version": 2])
            let started = try await client.send(.post, rollouts, json: ["model": "plants", "version": 3])
            #expect(started.status == 200, "\(started.text)")
        }
    }

    @Test func anExperimentDoesNotMixFormats() async throws {
        try await withVersions([fakeModel(1)]) { _, client in
            _ = try await client.publish("trees", file: Self.onnx)
            _ = try await client.publish("other-trees", file: OnnxModels.classifier(scores: [0.2, 0.2, 0.6]))
            func start(_ id: String, _ names: [String]) async throws -> TestReply {
                try await client.send(
                    .post,
                    "/hub/v1/projects/\(TestHub.project)/experiments",
                    json: [
                        "experimentId": id, "exposurePercent": 100,
                        "parameter": "model-\(id)".replacing("-", with: "_"),
                        "variants": names.map { ["variantId": $0, "value": $0] },
                    ]
                )
            }
            let refused = try await start("mixed", ["plants", "trees"])
            #expect(refused.status == 400 && refused.text.contains("models of two formats"), "\(refused.text)")
            #expect(try await start("same", ["trees", "other-trees"]).status == 200)
        }
    }

    // MARK: - Running experiments

    private static let experiments = "/hub/v1/projects/\(TestHub.project)/experiments"

    /// Calls `body` while an experiment compares "plants", of which version 2 is an ONNX model, with "trees".
    private func withExperiment(
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        try await withVersions([fakeModel(1), Self.onnx, fakeModel(2)]) { test, client in
            _ = try await client.publish("trees", file: fakeModel(3))
            let started = try await client.send(
                .post,
                Self.experiments,
                json: [
                    "experimentId": "ab", "exposurePercent": 100, "parameter": "model",
                    "variants": [["variantId": "a", "value": "plants"], ["variantId": "b", "value": "trees"]],
                ]
            )
            #expect(started.status == 200, "\(started.text)")
            try await body(test, client)
        }
    }

    /// The number of a model in Firebase's interface.
    private static func id(of name: String, _ client: TestClient) async throws -> String {
        let models = try await client.send(.get, TestClient.models).value("models") as? [[String: Any]]
        let model = try #require(models?.first { $0["displayName"] as? String == name })
        return try #require((model["name"] as? String)?.split(separator: "/").last.map(String.init))
    }

    @Test func aModelOfARunningExperimentKeepsItsFormat() async throws {
        try await withExperiment { test, client in
            let refused = try await client.send(.post, "\(Self.details):promote", json: ["version": 2])
            #expect(refused.status == 400)
            let message = try #require(refused.text("error.message"))
            #expect(message.contains("the running experiment \"ab\"") && message.contains("in the format ONNX"))
            #expect(try await download(client, test).headers[.eTag] == sha256(fakeModel(1)))
            // A version in the same format, and an alias that Firebase's clients do not ask for, are free.
            #expect(try await client.send(.put, "\(Self.details)/aliases/beta", json: ["version": 2]).status == 200)
            #expect(try await client.send(.post, "\(Self.details):promote", json: ["version": 3]).status == 200)
            _ = try await client.send(.post, "\(Self.experiments)/ab:stop", json: ["winner": "a"])
            #expect(try await client.send(.post, "\(Self.details):promote", json: ["version": 2]).status == 200)
        }
    }

    @Test func aFileOfAnotherFormatIsNotServedThroughFirebasesInterface() async throws {
        try await withExperiment { _, client in
            let id = try await Self.id(of: "plants", client)
            let uri = try await client.upload(OnnxModels.classifier(scores: [0.3, 0.3, 0.4]), as: "other.onnx")
            let refused = try await client.send(
                .patch,
                "\(TestClient.models)/\(id)?updateMask=tfliteModel.gcsTfliteUri",
                json: ["tfliteModel": ["gcsTfliteUri": uri]]
            )
            #expect(refused.text.contains("running experiment"), "\(refused.text)")
            #expect(try await client.send(.get, Self.details).value("servedVersion") as? Int == 1)
        }
    }

    @Test func aModelOfAnotherFormatDoesNotTakeTheNameOfAVariant() async throws {
        try await withVersions([fakeModel(1)]) { _, client in
            _ = try await client.send(
                .post,
                Self.experiments,
                json: [
                    "experimentId": "ab", "exposurePercent": 100, "parameter": "model",
                    "variants": [["variantId": "a", "value": "plants"], ["variantId": "b", "value": "trees"]],
                ]
            )
            let id = try await client.publish("oaks", file: Self.onnx)
            let refused = try await client.send(
                .patch,
                "\(TestClient.models)/\(id)?updateMask=displayName",
                json: ["displayName": "trees"]
            )
            #expect(refused.text.contains("plants is in the format"), "\(refused.text)")
            #expect(try await Self.id(of: "oaks", client) == id)
        }
    }

    @Test func theConsoleGivesTheReason() async throws {
        try await withExperiment { test, client in
            let browser = try await ConsoleClient.signedIn(client, test.publisher)
            let id = try await Self.id(of: "plants", client)
            let reply = try await browser.post("/console/models/\(id)/promote", ["version": "2"])
            let page = reply.status == 303 ? try await browser.get("/console/models/\(id)") : reply
            #expect(page.text.contains("running experiment"), "\(reply.status)")
            #expect(try await client.send(.get, Self.details).value("servedVersion") as? Int == 1)
        }
    }

    @Test func theFormatIsKnownWithoutTheDescriptionOfTheFile() async throws {
        #expect(HostedFormat(inspection: "null") == nil)
        #expect(HostedFormat(inspection: #"{"task":"labeling"}"#) == .tensorFlowLite)
        #expect(HostedFormat(inspection: #"{"runtime":"ONNX, operators of version 9; runs in ONNX Runtime"}"#) == .onnx)
        try await TestHub.with(validator: UnrunnableValidator()) { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: Self.onnx)
                let versions = try await client.send(.get, Self.details).value("versions") as? [[String: Any]]
                #expect(versions?.first?["modelFormat"] as? String == "ONNX")
                #expect(try await download(client, test).status == 404)
            }
        }
    }

    /// Finds every model sound and runs none.
    private struct UnrunnableValidator: ModelValidator {
        func validation(of file: BlobFile, for project: String) async -> ModelValidation { .unrunnable(reason: "No.") }
        func problem() async -> String? { nil }
    }
}
