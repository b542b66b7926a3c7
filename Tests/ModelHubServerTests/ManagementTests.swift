import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct ManagementTests {
    @Test func aNewModelHasAllFieldsThatClientsNeed() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = fakeModel()
                let reply = try await client.create("plants", file: file, tags: ["a", "b"])
                #expect(reply.status == 200)
                #expect(reply.value("done") as? Bool == true)
                #expect(reply.text("metadata.@type")?.hasSuffix("ModelOperationMetadata") == true)
                let model = try #require(reply.value("response") as? [String: Any])
                let id = try #require(reply.id)
                #expect(id.count == 8 && Int(id) != nil)
                #expect(model["name"] as? String == "projects/my-plants/models/\(id)")
                #expect(model["tags"] as? [String] == ["a", "b"])
                #expect(model["modelHash"] as? String == sha256(file))
                #expect(reply.text("response.tfliteModel.sizeBytes") == "\(file.count)")
                #expect(reply.text("response.tfliteModel.gcsTfliteUri") == "gs://my-plants.appspot.com/plants.tflite")
                #expect(reply.value("response.state.published") as? Bool == false)
                #expect((model["etag"] as? String)?.isEmpty == false)
                let time = try #require(model["createTime"] as? String)
                #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)

                let same = try await client.send(.get, "\(TestClient.models)/\(id)").json()
                #expect(same["etag"] as? String == model["etag"] as? String)
            }
        }
    }

    @Test func aModelWithoutFileSaysSo() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.create("empty")
                #expect(reply.text("response.state.validationError.message") == "No model file has been uploaded.")
                #expect(reply.value("response.tfliteModel") == nil)
                #expect(reply.value("response.tags") == nil)
                #expect(reply.value("response.modelHash") == nil)
            }
        }
    }

    @Test func bytesThatAreNoModelAreAcceptedAndSaidToBeInvalid() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.create("bad", file: Data("no model".utf8))
                #expect(reply.text("response.state.validationError.message") == "Invalid flatbuffer format")
                #expect(reply.value("response.modelHash") == nil)
                #expect(reply.value("response.tfliteModel.sizeBytes") == nil)
                let refusal = try await client.setPublished(true, try #require(reply.id))
                #expect(refusal.status == 200)
                #expect(refusal.value("error.code") as? Int == 9)
                #expect(refusal.text("error.message") == "Cannot publish a model that is not verified.")
            }
        }
    }

    @Test func aTakenNameIsAnErrorOfTheOperation() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.create("plants")
                let reply = try await client.create("plants")
                #expect(reply.status == 200)
                #expect(reply.value("error.code") as? Int == 6)
                #expect(reply.text("error.message") == "Model 'plants' already exists")
            }
        }
    }

    @Test(arguments: ["", "1st", "with space", "#*^!", "a/b", "../x", String(repeating: "a", count: 33), "ä"])
    func aNameWithOtherLettersIsRefused(_ name: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.post, TestClient.models, json: ["displayName": name])
                #expect(reply.status == 400)
                #expect(reply.text("error.status") == "INVALID_ARGUMENT")
            }
        }
    }

    @Test func unknownAndMalformedIdsAreToldApart() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for method in [HTTPRequest.Method.get, .delete] {
                    let unknown = try await client.send(method, "\(TestClient.models)/00000000")
                    #expect(unknown.status == 404)
                    #expect(unknown.text("error.message") == "Requested entity was not found.")
                    #expect(unknown.text("error.status") == "NOT_FOUND")
                    let malformed = try await client.send(method, "\(TestClient.models)/invalid-model-id")
                    #expect(malformed.status == 400)
                }
                let patch = try await client.send(.patch, "\(TestClient.models)/00000000", json: ["tags": ["x"]])
                #expect(patch.status == 200)
                #expect(patch.value("error.code") as? Int == 5)
                #expect(patch.text("error.message") == "Model 'projects/my-plants/models/00000000' was not found")
            }
        }
    }

    @Test func operationsAreListedCancelledAndForgotten() async throws {
        try await TestHub.with { test in
            let (reader, stranger) = (test.reader, test.stranger)
            try await test.serve { client in
                #expect(try await client.send(.get, "/v1/operations").body == Data("{}".utf8))
                var made: [String] = []
                for number in 0..<3 { made.append(try #require(try await client.create("m\(number)").text("name"))) }
                func listed(_ query: String = "") async throws -> (names: [String], token: String?) {
                    let reply = try await client.send(.get, "/v1/operations\(query)", token: reader)
                    let operations = reply.value("operations") as? [[String: Any]] ?? []
                    return (operations.compactMap { $0["name"] as? String }, reply.text("nextPageToken"))
                }
                #expect(try await listed().names == made.reversed())
                let first = try await listed("?pageSize=2")
                #expect(first.names == [made[2], made[1]])
                #expect(try await listed("?pageSize=2&pageToken=\(try #require(first.token))").names == [made[0]])

                let path = "/v1/operations/\(try #require(made[0].split(separator: "/").last))"
                #expect(try await client.send(.get, path).text("name") == made[0])
                #expect(try await client.send(.post, "\(path):cancel", body: Data(), token: reader).status == 403)
                let cancelled = try await client.send(.post, "\(path):cancel", body: Data())
                #expect(cancelled.status == 200 && cancelled.body == Data("{}".utf8))
                #expect(try await client.send(.delete, path, token: stranger).status == 404)
                #expect(try await client.send(.get, "/v1/operations", token: stranger).body == Data("{}".utf8))
                #expect(try await client.send(.delete, path).body == Data("{}".utf8))
                #expect(try await client.send(.delete, path).status == 404)
                #expect(try await listed().names == [made[2], made[1]])
            }
        }
    }

    @Test func deletionAnswersWithAnObjectAndIsFinal() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try #require(try await client.create("plants").id)
                let reply = try await client.send(.delete, "\(TestClient.models)/\(id)")
                #expect(reply.status == 200 && reply.body == Data("{}".utf8))
                #expect(try await client.send(.delete, "\(TestClient.models)/\(id)").status == 404)
                #expect(try await client.create("plants").id != id)
            }
        }
    }

    @Test func aPatchWithoutMaskChangesWhatItHasButNotThePublication() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                let before = try await client.send(.get, "\(TestClient.models)/\(id)").json()
                var echo = before
                echo["tags"] = ["new"]
                echo["state"] = ["published": false]
                echo["etag"] = "nonsense"
                let reply = try await client.send(.patch, "\(TestClient.models)/\(id)", json: echo)
                #expect(reply.value("response.tags") as? [String] == ["new"])
                #expect(reply.value("response.state.published") as? Bool == true)
                #expect(reply.text("response.modelHash") == before["modelHash"] as? String)
                #expect(reply.text("response.etag") != before["etag"] as? String)
                let again = try await client.send(.patch, "\(TestClient.models)/\(id)", json: echo)
                #expect(again.text("response.etag") == reply.text("response.etag"))
            }
        }
    }

    @Test(arguments: ["displayName", "display_name"])
    func aMaskNamesWhatChanges(_ path: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try #require(try await client.create("plants", tags: ["old"]).id)
                let reply = try await client.send(
                    .patch,
                    "\(TestClient.models)/\(id)?updateMask=\(path)",
                    json: ["displayName": "renamed", "tags": ["new"]]
                )
                #expect(reply.text("response.displayName") == "renamed")
                #expect(reply.value("response.tags") as? [String] == ["old"])
                let unknown = try await client.send(
                    .patch,
                    "\(TestClient.models)/\(id)?updateMask=etag",
                    json: ["etag": "x"]
                )
                #expect(unknown.status == 400)
            }
        }
    }

    @Test func anInvalidNewFileLeavesTheOldOneServed() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let old = fakeModel(1)
                let id = try await client.publish("plants", file: old)
                let uri = try await client.upload(Data("rubbish".utf8), as: "new.tflite")
                let reply = try await client.send(
                    .patch,
                    "\(TestClient.models)/\(id)",
                    json: ["tfliteModel": ["gcsTfliteUri": uri]]
                )
                #expect(reply.text("response.state.validationError.message") == "Invalid flatbuffer format")
                #expect(reply.value("response.state.published") as? Bool == true)
                let info = try await client.send(.get, "\(TestClient.models)/plants:download")
                #expect(info.headers[.eTag] == sha256(old))
            }
        }
    }

    @Test func anAddressIsLookedUpInTheOwnStorageOnly() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let file = fakeModel()
                _ = try await client.upload(file, as: "dir/a%20b.tflite")
                for address in [
                    "gs://my-plants.appspot.com/dir/a b.tflite",
                    "https://storage.googleapis.com/my-plants.appspot.com/dir/a%20b.tflite?X-Goog-Signature=00",
                    "http://127.0.0.1:1/my-plants.appspot.com/dir/a%20b.tflite?GoogleAccessId=x",
                    "https://my-plants.appspot.com.storage.googleapis.com/dir/a%20b.tflite",
                ] {
                    let id = UUID().uuidString.prefix(8)
                    let reply = try await client.send(
                        .post,
                        TestClient.models,
                        json: ["displayName": "m\(id)", "tfliteModel": ["gcsTfliteUri": address]]
                    )
                    #expect(reply.text("response.modelHash") == sha256(file), "\(address)")
                    #expect(
                        reply.text("response.tfliteModel.gcsTfliteUri") == "gs://my-plants.appspot.com/dir/a b.tflite"
                    )
                }
                let missing = try await client.send(
                    .post,
                    TestClient.models,
                    json: [
                        "displayName": "none",
                        "tfliteModel": ["gcsTfliteUri": "gs://my-plants.appspot.com/../../hub.sqlite"],
                    ]
                )
                #expect(missing.text("response.state.validationError.message")?.contains("upload the file") == true)
            }
        }
    }

    @Test func promotionServesAnEarlierVersionAndAnEchoDoesNotUndoIt() async throws {
        try await TestHub.with { test in
            let clock = test.clock
            try await test.serve { client in
                let (first, second) = (fakeModel(1), fakeModel(2))
                let id = try await client.publish("plants", file: first)
                clock.advance(by: .seconds(1))
                let uri = try await client.upload(second, as: "plants.tflite")
                let path = "\(TestClient.models)/\(id)"
                _ = try await client.send(.patch, path, json: ["tfliteModel": ["gcsTfliteUri": uri]])
                let details = "/hub/v1/projects/my-plants/models/plants"
                #expect(try await client.send(.get, details).value("servedVersion") as? Int == 2)
                clock.advance(by: .seconds(1))
                let reply = try await client.send(.post, "\(details):promote", json: ["version": 1])
                #expect(reply.text("model.modelHash") == sha256(first))
                let echo = try await client.send(.patch, path, json: try #require(reply.value("model")))
                #expect(echo.text("response.modelHash") == sha256(first))
                let info = try await client.send(.get, "\(path.replacing(id, with: "plants")):download")
                #expect(info.headers[.eTag] == sha256(first))
                let unknown = try await client.send(.post, "\(details):promote", json: ["version": 9])
                #expect(unknown.status == 404)
                #expect(
                    unknown.text("error.message")
                        == "Model 'plants' has no version 9 (versions: 1, 2); use one of these."
                )
            }
        }
    }

    @Test func aConfidenceThresholdIsShownAndReachesClientsWithAndWithoutTheFile() async throws {
        try await TestHub.with { test in
            let (key, reader) = (test.apiKey, test.reader)
            try await test.serve { client in
                let file = fakeModel()
                let id = try await client.publish("plants", file: file)
                let details = "/hub/v1/projects/my-plants/models/plants"
                let etag = try await client.send(.get, details).text("model.etag")
                #expect(try await client.send(.get, details).value("confidenceThreshold") == nil)
                func info(_ headers: HTTPFields = HTTPFields()) async throws -> TestReply {
                    let target = "\(TestClient.models)/plants:download?key=\(key)"
                    return try await client.send(.get, target, headers: headers, token: .some(nil))
                }
                #expect(try await info().value("confidenceThreshold") == nil)
                #expect(try await info().headers[.sightlineConfidenceThreshold] == nil)

                let refused = try await client.send(.patch, details, json: ["confidenceThreshold": 0.4], token: reader)
                #expect(refused.status == 403)
                let changed = try await client.send(.patch, details, json: ["confidenceThreshold": 0.4])
                #expect(changed.value("confidenceThreshold") as? Double == 0.4)
                #expect(changed.text("model.etag") != etag)
                #expect(try await client.send(.get, details).value("confidenceThreshold") as? Double == 0.4)
                let fresh = try await info()
                #expect(fresh.value("confidenceThreshold") as? Double == 0.4)
                #expect(fresh.headers[.eTag] == sha256(file))
                let known = try await info([.ifNoneMatch: sha256(file)])
                #expect(known.status == 304)
                #expect(known.headers[.sightlineConfidenceThreshold] == "0.4")
                let audit = try await client.send(.get, "/hub/v1/projects/my-plants/audit")
                let newest = try #require((audit.value("entries") as? [[String: Any]])?.first)
                #expect(newest["action"] as? String == "model.threshold")
                #expect(newest["detail"] as? String == "version 1, confidence threshold 0.4")

                // It belongs to the version: the next one has none, and the first one keeps it.
                let uri = try await client.upload(fakeModel(2), as: "next.tflite")
                let body = ["tfliteModel": ["gcsTfliteUri": uri]]
                _ = try await client.send(.patch, "\(TestClient.models)/\(id)", json: body)
                #expect(try await info().headers[.sightlineConfidenceThreshold] == nil)
                _ = try await client.send(.post, "\(details):promote", json: ["version": 1])
                #expect(try await info().headers[.sightlineConfidenceThreshold] == "0.4")
                _ = try await client.send(.patch, details, json: ["confidenceThreshold": NSNull()])
                #expect(try await info().headers[.sightlineConfidenceThreshold] == nil)
            }
        }
    }

    @Test(arguments: [
        #"{"confidenceThreshold":1.01}"#, #"{"confidenceThreshold":-1}"#, #"{"confidenceThreshold":"high"}"#, "{}",
    ])
    func aConfidenceThresholdIsANumberFromZeroToOne(_ body: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let details = "/hub/v1/projects/my-plants/models/plants"
                let reply = try await client.send(.patch, details, body: Data(body.utf8))
                #expect(reply.status == 400)
                #expect(reply.text("error.status") == "INVALID_ARGUMENT")
            }
        }
    }

    @Test func fiftyClientsThatCreateOneNameAtOnceMakeOneModel() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let replies = try await withThrowingTaskGroup(of: TestReply.self) { group in
                    for _ in 0..<50 { group.addTask { try await client.create("contested") } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(replies.count { $0.id != nil } == 1)
                for reply in replies where reply.id == nil {
                    #expect(reply.text("error.message") == "Model 'contested' already exists")
                }
                let models = try await client.send(.get, TestClient.models).value("models") as? [Any]
                #expect(models?.count == 1)
            }
        }
    }

    @Test func changesAtTheSameTimeAreAllKept() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try #require(try await client.create("plants").id)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for change: [String: any Sendable] in [["displayName": "renamed"], ["tags": ["t"]]] {
                        group.addTask {
                            let target = "\(TestClient.models)/\(id)?updateMask=\(change.keys.joined())"
                            let reply = try await client.send(.patch, target, json: change)
                            #expect(reply.status == 200)
                        }
                    }
                    try await group.waitForAll()
                }
                let changed = try await client.send(.get, "\(TestClient.models)/\(id)")
                #expect(changed.text("displayName") == "renamed")
                #expect(changed.value("tags") as? [String] == ["t"])
            }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let sightlineConfidenceThreshold = HTTPField.Name("x-sightline-confidence-threshold") ?? .via
}
