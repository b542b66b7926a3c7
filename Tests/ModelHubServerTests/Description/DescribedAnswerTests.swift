import Foundation
import HTTPServing
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The responses of a hub beside its description of them.
@Suite(.hangLimit)
struct DescribedAnswerTests {
    private static let hub = "/hub/v1/projects/\(TestHub.project)"
    private static let models = TestClient.models

    private func withClient(_ body: @escaping @Sendable (TestHub, DescribedClient) async throws -> Void) async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = nil
            try await test.serve(options) { client in try await body(test, try await DescribedClient(client)) }
        }
    }

    @Test func modelsAndVersions() async throws {
        try await withClient { test, client in
            let uri = try await client.client.upload(fakeModel())
            let created = try await client.send(
                .post,
                Self.models,
                #"{"displayName": "plants", "tags": ["flowers"], "tfliteModel": {"gcsTfliteUri": "\#(uri)"}}"#
            )
            let id = try #require(created.id)
            let refused = try await client.send(.post, Self.models, #"{"displayName": "plants"}"#)
            #expect(refused.text("error.message") != nil)
            try await client.send(.post, Self.models, #"{"displayName": "a b"}"#, status: 400)
            try await client.send(.get, "\(Self.models)?pageSize=1")
            try await client.send(.get, "\(Self.models)/\(id)")
            let published = try await client.send(
                .patch,
                "\(Self.models)/\(id)?updateMask=state.published",
                #"{"state": {"published": true}}"#
            )
            let operation = try #require(published.text("name"))
            try await client.send(.get, "/v1beta2/\(operation)")
            let short = "/v1/operations/\(try #require(operation.split(separator: "/").last))"
            try await client.send(.get, "/v1/operations")
            try await client.send(.get, short)
            try await client.send(.post, "\(short):cancel")
            try await client.send(.delete, short)

            let plants = "\(Self.hub)/models/plants"
            let next = try await client.client.upload(fakeModel(2), as: "next.tflite")
            try await client.send(.post, "\(plants)/versions", #"{"gcsTfliteUri": "\#(next)"}"#)
            try await client.send(.get, plants)
            try await client.send(.patch, "\(plants)/versions/2", #"{"confidenceThreshold": 0.5}"#)
            try await client.send(.patch, "\(plants)/card", #"{"license": "MIT", "author": "Ada"}"#)
            try await client.send(.put, "\(plants)/versions/2/notes", #"{"notes": "Trained on more tulips."}"#)
            try await client.send(.post, "\(plants):promote", "{}", status: 400)
            try await client.send(.put, "\(plants)/aliases/staging", #"{"version": 2}"#)
            try await client.send(.post, "\(plants):promote", "{}")
            try await client.send(.patch, plants, #"{"confidenceThreshold": 0.4}"#)
            try await client.send(.patch, plants, #"{"confidenceThreshold": null}"#)
            try await client.send(.put, "\(plants)/aliases/beta", #"{"version": 1}"#)
            try await client.send(.delete, "\(plants)/aliases/beta")
            try await client.send(.get, "\(Self.hub)/models/tulips", status: 404)
            try await self.manifests(test, client)
            let shadow =
                #"{"model":"plants","served":"\#(sha256(fakeModel()))","candidate":"\#(sha256(fakeModel(2)))","count":9,"different":1,"labels":[{"label":"daisy","count":9,"different":1}]}"#
            try await client.send(
                .post,
                "\(Self.hub)/outcomes",
                #"{"batchId":"12345678","outcomes":[],"shadows":[\#(shadow)]}"#
            )
            try await client.send(.get, "\(plants)/drift")
            let shadows = try await client.send(.get, "\(plants)/shadows")
            #expect((shadows.value("shadows") as? [Any])?.count == 1)
            try await client.send(.delete, "\(Self.models)/\(id)")
            #expect(
                client.missing(below: "/v1beta2/projects/{project}/models/{model}:") == [
                    "getDownload", "checkDownload", "getManifest", "checkManifest",
                ]
            )
            #expect(client.missing(below: "\(Self.template(Self.hub))/models") == [])
            #expect(client.missing(below: "/v1/operations") == [])
        }
    }

    /// A manifest by a key of the hub, and one by a key elsewhere.
    private func manifests(_ test: TestHub, _ client: DescribedClient) async throws {
        let manifests = "\(Self.hub)/models/plants/manifests"
        try await client.send(.post, "\(manifests):prepare", "{}", status: 400)
        try await client.send(.post, "\(Self.hub)/keys", #"{"name": "hub", "kind": "signing"}"#)
        try await client.send(.post, "\(manifests):sign", #"{"alias": "production", "ttl": "7200s"}"#)
        let key = SigningKey()
        let input = #"{"name": "own", "kind": "signing", "publicKey": "\#(Base64URL.text(key.publicKey))"}"#
        try await client.send(.post, "\(Self.hub)/keys", input)
        let prepared = try await client.send(.post, "\(manifests):prepare", #"{"key": "own"}"#)
        let manifest = try ModelManifest(try #require(prepared.text("manifest")))
        let signed = ManifestText(manifest: String(decoding: try key.sign(manifest).data, as: UTF8.self))
        try await client.send(.post, manifests, String(decoding: try JSONEncoder().encode(signed), as: UTF8.self))
        try await client.send(.get, manifests)
        try await client.send(.get, "\(Self.hub)/keys")
    }

    @Test func manifestsOfApps() async throws {
        try await withClient { test, client in
            _ = try await client.client.publish("plants", file: fakeModel())
            let target = "\(Self.models)/plants:manifest"
            var headers: HTTPFields = [.apiKey: test.apiKey]
            try await client.send(.get, target, headers: headers, token: .some(nil), status: 404)
            try await client.send(.post, "\(Self.hub)/keys", #"{"name": "hub", "kind": "signing"}"#)
            let found = try await client.send(
                .get,
                "\(target)?alias=production&hash=\(sha256(fakeModel()))",
                headers: headers,
                token: .some(nil)
            )
            try await client.send(.head, target, headers: headers, token: .some(nil))
            headers[.ifNoneMatch] = found.etag
            try await client.send(.get, target, headers: headers, token: .some(nil), status: 304)
        }
    }

    @Test func downloadsOfApps() async throws {
        try await withClient { test, client in
            _ = try await client.client.publish("plants", file: fakeModel())
            try await client.send(.patch, "\(Self.hub)/models/plants", #"{"confidenceThreshold": 0.4}"#)
            let target = "\(Self.models)/plants:download"
            let key: HTTPFields = [.apiKey: test.apiKey]
            let found = try await client.send(.get, target, headers: key, token: .some(nil))
            #expect(found.value("confidenceThreshold") as? Double == 0.4)
            var known = key
            known[.ifNoneMatch] = found.etag
            try await client.send(.get, target, headers: known, token: .some(nil), status: 304)
            try await client.send(.head, target, headers: key, token: .some(nil))
            try await client.send(.get, target, token: .some(nil), status: 403)
            try await client.send(.get, "\(target)?alias=beta&key=\(test.apiKey)", token: .some(nil), status: 404)
            let file = try requestTarget(found.text("downloadUri"))
            let whole = try await client.send(.get, file, token: .some(nil))
            #expect(sha256(whole.body) == found.etag)
            try await client.send(.get, file, headers: [.range: "bytes=0-9"], token: .some(nil), status: 206)
            try await client.send(.head, file, token: .some(nil))
            test.clock.advance(by: .seconds(7200))
            try await client.send(.get, file, token: .some(nil), status: 400)
            #expect(client.missing(below: "/files") == [])
        }
    }

    /// All that an app does to take part in an experiment.
    @Test func installationsConfigurationsAndOutcomes() async throws {
        try await withClient { test, client in
            let project = "/v1/projects/\(TestHub.project)"
            let fetch = "\(project)/namespaces/firebase:fetch"
            var headers: HTTPFields = [.apiKey: test.apiKey]
            let none = try await client.send(.post, fetch, "{}", headers: headers, token: .some(nil))
            #expect(none.text("state") == "NO_TEMPLATE")
            let registered = try await client.send(
                .post,
                "\(project)/installations",
                #"{"fid": "cNhkfwNGTdKmDmVVEs3Qz9", "appId": "1:1:android:ab", "authVersion": "FIS_v2"}"#,
                headers: headers,
                token: .some(nil)
            )
            let fid = try #require(registered.text("fid"))
            let refresh = try #require(registered.text("refreshToken"))
            let renewed = try await client.send(
                .post,
                "\(project)/installations/\(fid)/authTokens:generate",
                headers: [.apiKey: test.apiKey, .authorization: "FIS_v2 \(refresh)"],
                token: .some(nil)
            )
            headers[.installationsAuth] = renewed.text("token")
            try await client.client.putConfig(
                #"{"parameters": {"plant_model": {"defaultValue": {"value": "plants"}}}}"#
            )
            try await client.send(
                .post,
                "\(Self.hub)/experiments",
                #"{"experimentId": "ab", "parameter": "plant_model", "variants": [{"variantId": "control"}, {"variantId": "b", "value": "v2"}], "exposurePercent": 50}"#
            )
            try await client.send(.post, "\(Self.hub)/experiments/ab:expose", #"{"exposurePercent": 100}"#)
            let body =
                #"{"appInstanceId": "\#(fid)", "appId": "1:1:android:ab", "languageCode": "de", "customSignals": {"a": 1}}"#
            let values = try await client.send(.post, fetch, body, headers: headers, token: .some(nil))
            #expect(values.text("state") == "UPDATE")
            let descriptions = try #require(values.value("experimentDescriptions") as? [[String: Any]])
            let variant = try #require(descriptions.first?["variantId"] as? String)
            var known = headers
            known[.ifNoneMatch] = values.etag
            let unchanged = try await client.send(.post, fetch, body, headers: known, token: .some(nil))
            #expect(unchanged.text("state") == "NO_CHANGE")

            // The bucket of 12.3 ms, as the description computes it.
            let bucket = Int((8 * log2(12.3 / 0.1)).rounded(.down))
            let batch = """
                {"batchId": "batch-0001", "outcomes": [{"experimentId": "ab", "variantId": "\(variant)", "model": "plants",
                  "count": 2, "latency": {"count": 2, "sum": 24.6, "squares": 302.58, "histogram": {"\(bucket)": 2}},
                  "scores": {"accepted": {"count": 2, "sum": 1, "squares": 1}}}]}
                """
            let reported = try await client.send(
                .post,
                "\(Self.hub)/outcomes",
                batch,
                headers: headers,
                token: .some(nil)
            )
            #expect(reported.value("accepted") as? Int == 1)
            let again = try await client.send(.post, "\(Self.hub)/outcomes", batch, headers: headers, token: .some(nil))
            #expect(again.value("repeated") as? Bool == true)
            let wrong = #"{"batchId": "batch-0002", "outcomes": [{}]}"#
            try await client.send(
                .post,
                "\(Self.hub)/outcomes",
                wrong,
                headers: headers,
                token: .some(nil),
                status: 400
            )
            let results = try await client.send(.get, "\(Self.hub)/experiments/ab")
            let metrics = try #require(results.value("metrics") as? [[String: Any]])
            #expect(metrics.compactMap { $0["metric"] as? String } == ["results", "latency", "score:accepted"])
            let variants = metrics.compactMap { $0["variants"] as? [[String: Any]] }
            let latency =
                variants[1].first { $0["variantId"] as? String == variant }?["percentiles"] as? [String: Double]
            #expect(abs(try #require(latency?["p50"]) - 12.3) < 12.3 * 0.05)
            try await client.send(.get, "\(Self.hub)/experiments")
            try await client.send(.post, "\(Self.hub)/experiments/ab:stop", #"{"winner": "b"}"#)
            try await client.send(
                .delete,
                "\(project)/installations/\(fid)",
                headers: [.apiKey: test.apiKey, .authorization: "FIS_v2 \(refresh)"],
                token: .some(nil)
            )
            #expect(client.missing(below: "\(Self.template(Self.hub))/experiments") == [])
            #expect(client.missing(below: "\(Self.template(project))/installations") == [])
        }
    }

    @Test func aLineOfTheStreamOfUpdates() async throws {
        try await withClient { test, client in
            try await client.client.putConfig("{}")
            let path = "/v1/projects/\(TestHub.project)/namespaces/firebase:streamFetchInvalidations"
            let description = try APIDescription(try await client.client.send(.get, "/openapi.json").body)
            let operation = try #require(description.operation(.post, path))
            let body = Data(#"{"appId": "1:1:android:ab", "lastKnownVersionNumber": "0"}"#.utf8)
            #expect(try description.problems(ofRequest: body, "application/json", to: operation) == [])
            try await client.client.liveUpdates(path, headers: [.apiKey: test.apiKey], body: body) { _, next in
                let line = try #require(try await next())
                let reply = TestReply(
                    status: 200,
                    headers: [.contentType: "application/json"],
                    body: Data(line.utf8)
                )
                #expect(try description.problems(of: reply, to: operation) == [])
            }
        }
    }

    @Test(arguments: ["", "/namespaces/firebase", "/namespaces/firebase-server"])
    func templates(_ namespace: String) async throws {
        try await withClient { test, client in
            let path = "/v1/projects/\(TestHub.project)\(namespace)/remoteConfig"
            let template = """
                {"conditions": [{"name": "few", "expression": "percent <= 10", "tagColor": "BLUE"}],
                  "parameters": {"a": {"defaultValue": {"useInAppDefault": true}, "valueType": "STRING",
                    "conditionalValues": {"few": {"value": "b"}}, "description": "c"}},
                  "parameterGroups": {"g": {"description": "d", "parameters": {"e": {"defaultValue": {"value": "f"}}}}},
                  "version": {"description": "first"}}
                """
            try await client.send(.put, path, template, headers: [.ifMatch: "*"])
            let got = try await client.send(.get, path)
            try await client.send(.put, "\(path)?validateOnly=true", "{}", headers: [.ifMatch: got.etag])
            try await client.send(.put, path, "{}", headers: [.ifMatch: got.etag])
            try await client.send(.put, path, "{}", headers: [.ifMatch: got.etag], status: 412)
            try await client.send(.put, path, #"{"x": 1}"#, headers: [.ifMatch: "*"], status: 400)
            try await client.send(.get, "\(path)?versionNumber=1")
            try await client.send(.post, "\(path):rollback", #"{"versionNumber": "1"}"#)
            try await client.send(.post, "\(path):rollback?versionNumber=2")
            try await client.send(.get, "\(path):listVersions?pageSize=2")
            for format in ["XML", "PLIST", "JSON"] {
                try await client.send(.get, "\(path):downloadDefaults?format=\(format)")
            }
            try await client.send(.get, "\(path):downloadDefaults", status: 400)
            #expect(client.missing(below: "\(Self.template(path))") == [])
            if namespace.hasSuffix("server") {
                try await client.send(.get, path.replacing("remoteConfig", with: "serverRemoteConfig"))
            }
        }
    }

    @Test func experimentsAndRolloutsOfFirebase() async throws {
        try await withClient { test, client in
            let template = """
                {"conditions": [{"name": "all", "expression": "true"}], "parameters": {"a": {"conditionalValues":
                  {"all": {"rolloutValue": {"rolloutId": "r1", "value": "x", "percent": 25}}}}}}
                """
            let config = "/v1/projects/\(TestHub.project)/remoteConfig"
            try await client.send(.put, config, template, headers: [.ifMatch: "*"])
            let plan =
                #"{"experimentId": "e1", "parameter": "b", "variants": [{"variantId": "x"}, {"variantId": "y", "value": "1"}]}"#
            try await client.send(.post, "\(Self.hub)/experiments", plan)
            for (list, id) in [("experiments", "e1"), ("rollouts", "r1")] {
                let path = "/v1/projects/\(TestHub.project)/namespaces/firebase/\(list)"
                try await client.send(.get, path)
                try await client.send(.get, "\(path)/\(id)")
                try await client.send(.delete, "\(path)/\(id)", status: 400)
            }
        }
    }

    @Test func dataSetsAndTrainings() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let client = try await DescribedClient(client)
                let plants = "\(Self.hub)/datasets/plants"
                let binary = "application/octet-stream"
                try await client.send(.post, "\(Self.hub)/datasets", #"{"name": "plants"}"#)
                let archive = try DrawnPhotos.archive()
                try await client.send(.post, "\(plants)/photos?name=photos.zip", body: archive, type: binary)
                let photo = try DrawnPhotos.picture(0, 99)
                try await client.send(.post, "\(plants)/photos?label=red", body: photo, type: binary)
                try await client.send(.post, "\(plants)/photos", body: Data("x".utf8), type: binary, status: 400)
                let one = "\(plants)/photos/\(sha256(photo))"
                try await client.send(.get, one)
                try await client.send(.get, "\(one)/content")
                try await client.send(.post, "\(one):propose")
                let box = #"{"label": "red", "x": 1, "y": 1, "width": 9, "height": 9}"#
                try await client.send(.put, "\(one)/boxes", #"{"boxes": [\#(box)]}"#)
                try await client.send(.put, "\(one)/boxes", "{}")
                try await client.send(.patch, one, #"{"label": null}"#)
                try await client.send(.get, "\(plants)/photos?label=")
                try await client.send(.delete, one)
                let started = try await client.send(.post, "\(plants):train", "{}")
                let training = "\(Self.hub)/trainings/\(try #require(started.text("trainingId")))"
                _ = try await test.hub.runNextTraining(as: "test")
                try await client.send(.get, training)
                try await client.send(.get, "\(training)/card")
                try await client.send(.get, "\(Self.hub)/trainings")
                try await client.send(.get, "\(plants)/photos?doubtful=true&pageSize=5")
                let next = try await client.send(.post, "\(plants):train", #"{"model": "flowers", "kind": "labels"}"#)
                let second = "\(Self.hub)/trainings/\(try #require(next.text("trainingId")))"
                try await client.send(.post, "\(second):cancel")
                try await client.send(.get, "\(Self.hub)/datasets")
                try await client.send(.get, plants)
                try await client.send(.delete, plants)
                try await client.send(.get, plants, status: 404)
                #expect(client.missing(below: "\(Self.template(Self.hub))/datasets") == [])
                #expect(client.missing(below: "\(Self.template(Self.hub))/trainings") == [])
            }
        }
    }

    @Test(arguments: ["/upload/storage/v1/b", "/resumable/upload/storage/v1/b", "/resumable/storage/v1/b"])
    func uploads(_ area: String) async throws {
        try await withClient { test, client in
            let path = "\(area)/my-plants.appspot.com/o"
            try await client.send(
                .post,
                "\(path)?uploadType=media&name=a",
                body: fakeModel(),
                type: "application/octet-stream"
            )
            let parts = "--x\r\nContent-Type: application/json\r\n\r\n{\"name\": \"b\"}\r\n--x\r\n\r\nfile\r\n--x--\r\n"
            try await client.send(
                .post,
                "\(path)?uploadType=multipart",
                body: Data(parts.utf8),
                type: "multipart/related; boundary=x"
            )
            func begin() async throws -> String {
                let begun = try await client.send(.post, "\(path)?uploadType=resumable", #"{"name": "c"}"#)
                let location = try requestTarget(begun.headers[.location])
                return location.replacing("/upload/storage/v1/b", with: area)
            }
            let target = try await begin()
            let file = "application/octet-stream"
            try await client.send(
                .put,
                target,
                body: Data("ab".utf8),
                type: file,
                headers: [.contentRange: "bytes 0-1/4"],
                status: 308
            )
            try await client.send(
                .put,
                target,
                body: Data("cd".utf8),
                type: file,
                headers: [.contentRange: "bytes 2-3/4"]
            )
            try await client.send(.delete, try await begin(), status: 499)
            #expect(client.missing(below: area) == [])
        }
    }

    @Test(arguments: ["/storage/v1/b", "/download/storage/v1/b"]) func objects(_ area: String) async throws {
        try await withClient { test, client in
            _ = try await client.client.upload(fakeModel(), as: "folder%2Fa")
            let path = "\(area)/my-plants.appspot.com"
            try await client.send(.get, path)
            try await client.send(.get, "\(path)/o/folder%2Fa")
            try await client.send(.get, "\(path)/o/folder/a?alt=media")
            try await client.send(.head, "\(path)/o/folder/a")
            try await client.send(.get, "\(path)/o/b", status: 404)
            try await client.send(.delete, "\(path)/o/folder/a", status: 204)
            #expect(client.missing(below: area) == [])
        }
    }

    @Test func projectsPeopleKeysAndSessions() async throws {
        try await withClient { test, client in
            let plan = CredentialPlan(.token, role: .administrator, name: "everywhere", owner: .hub)
            let administrator = try await test.hub.createCredential(plan, by: .local).secret
            for (base, role, token) in [
                (Self.hub, "editor", test.admin), ("/hub/v1", "administrator", try #require(administrator)),
            ] {
                let ada = "\(base)/people/ada@example.com"
                try await client.send(.put, ada, #"{"role": "\#(role)", "displayName": "Ada"}"#, token: token)
                try await client.send(.get, "\(base)/people", token: token)
                try await client.send(.post, "\(ada):createSignInLink", token: token)
                let key = #"{"name": "ci", "kind": "token", "role": "viewer", "ttl": "3600s"}"#
                let made = try await client.send(.post, "\(base)/keys", key, token: token)
                try await client.send(.get, "\(base)/keys", token: token)
                try await client.send(.delete, "\(base)/keys/\(try #require(made.text("id")))", token: token)
                try await client.send(.get, "\(base)/audit", token: token)
                try await client.send(.get, "\(base)/audit", token: test.reader, status: 403)
                try await client.send(.put, "\(base)/people/eve@example.com", #"{"role": "\#(role)"}"#, token: token)
                try await client.send(.delete, ada, token: token)
            }
            try await client.send(.post, "\(Self.hub)/keys", #"{"name": "sdk", "kind": "service-account"}"#)
            try await client.send(.post, "\(Self.hub)/keys", #"{"name": "app", "kind": "api-key"}"#)

            let person = try #require(try await test.hub.identity(ofPerson: "eve@example.com"))
            let own = CredentialPlan(.token, role: .publisher, name: "own", owner: .person("eve@example.com"))
            let personal = try #require(try await test.hub.createCredential(own, by: person).secret)
            let made = try await client.send(.post, "/hub/v1/tokens", #"{"name": "mine"}"#, token: personal)
            try await client.send(.get, "/hub/v1/tokens", token: personal)
            try await client.send(.delete, "/hub/v1/tokens/\(try #require(made.text("id")))", token: personal)

            let browser = try await ConsoleClient.signedIn(client.client, test.reader)
            #expect(try await browser.get("/console/models").status == 200)
            let sessions = try await client.send(.get, "\(Self.hub)/sessions").value("sessions") as? [[String: Any]]
            let session = try #require(sessions?.first?["id"] as? String)
            try await client.send(.delete, "\(Self.hub)/sessions/\(session)")

            try await client.send(.get, "/hub/v1/projects", token: administrator)
            try await client.send(
                .post,
                "/hub/v1/projects",
                #"{"projectId": "new-plants", "quotaBytes": "1000000"}"#,
                token: administrator
            )
            try await client.send(.get, "/hub/v1/projects/new-plants", token: administrator)
            try await client.send(
                .patch,
                "/hub/v1/projects/new-plants",
                #"{"requiresInstallation": true}"#,
                token: administrator
            )
            try await client.send(.delete, "/hub/v1/projects/new-plants", token: administrator)
            for area in ["people", "keys", "tokens", "audit"] {
                #expect(client.missing(below: "/hub/v1/\(area)") == [])
            }
            for area in ["people", "keys", "sessions", "audit"] {
                #expect(client.missing(below: "/hub/v1/projects/{project}/\(area)") == [])
            }
        }
    }

    @Test func healthAndTheSignInOfKeyFiles() async throws {
        try await withClient { test, client in
            for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
                try await client.send(.get, path, token: .some(nil))
            }
            let assertion = try Assertion(key: try await test.keyFile(), time: test.clock.now).signed()
            let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            let type = "application/x-www-form-urlencoded"
            try await client.send(.post, "/token", body: Data((grant + assertion).utf8), type: type, token: .some(nil))
            try await client.send(
                .post,
                "/token",
                body: Data((grant + "x").utf8),
                type: type,
                token: .some(nil),
                status: 400
            )
        }
    }

    /// A path as the description writes it.
    private static func template(_ path: String) -> String { path.replacing(TestHub.project, with: "{project}") }
}
