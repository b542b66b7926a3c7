import CommandLineSupport
import Foundation
import HTTPServing
import HTTPTypes
import HubTestSupport
import ModelHub
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

/// Second answers of another model, which clients never see.
@Suite(.hangLimit)
struct ShadowTests {
    private func fixture(_ name: String) -> String { TestData.fixture("models/\(name).tflite").path }

    private func file(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: fixture(name))) }

    /// Calls `body` while a server compares all answers of a model with those of a shadow on this machine.
    private func with(
        _ model: String,
        _ shadow: String,
        kept: KeptPictures? = nil,
        sender: KeptPictureSender? = nil,
        token: String? = nil,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            token: token,
            shadows: { metrics in
                let shadow = ServedShadow(
                    of: model,
                    source: shadow,
                    sample: SampledShare(1, seed: 1),
                    metrics: metrics,
                    kept: kept
                )
                return Shadows([shadow], kept: kept, sender: sender)
            },
            followers: { service in
                service.shadows.all.map {
                    ShadowFollower(of: $0, $0.source, by: nil, for: service, interval: .milliseconds(20))
                }
            },
            body
        )
    }

    private func status(_ server: TestServer) -> ServedShadow.Status? { server.service.shadows.all.first?.status }

    private func isReady(_ server: TestServer) -> Bool { status(server)?.candidate != nil }

    private func count(_ server: TestServer, _ outcomes: ServedShadow.Outcome...) -> Int {
        let counts = status(server)?.outcomes ?? [:]
        return outcomes.reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    /// Sends a picture again and again until the shadow answered it.
    private func compare(_ picture: Data, at target: String, _ server: TestServer) async throws {
        let before = count(server, .same, .different)
        try await wait {
            let reply = try await server.send(.post, target, picture)
            #expect(reply.status == 200)
            let end = ContinuousClock.now + .milliseconds(500)
            while count(server, .same, .different) == before, ContinuousClock.now < end { await Task.yield() }
            return count(server, .same, .different) == before
        }
    }

    @Test func clientsGetTheSameAnswersAndTheHubHearsOfTheOthers() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            try await hub.stage(try file("classifier_int8_metadata"), of: "plants", threshold: 1)
            let (plants, staging) = (RemoteModel(name: "plants"), RemoteModel(name: "plants", alias: .staging))
            let manager = ModelManager(
                configuration: ModelHubConfiguration(
                    hub: try #require(URL(string: hub.address)),
                    projectID: "my-plants",
                    apiKey: hub.key
                ),
                folder: folder,
                retry: RetryPolicy(tries: 1, base: .milliseconds(1))
            )
            try await TestServer.with(
                models: [.hub(plants)],
                shadows: { metrics in
                    let shadow = ServedShadow(
                        of: "plants",
                        source: "hub:plants@\(staging.alias)",
                        sample: SampledShare(1),
                        metrics: metrics,
                        reporter: OutcomeReporter(manager: manager)
                    )
                    return Shadows([shadow])
                },
                followers: { service in
                    service.shadows.all.map {
                        ShadowFollower(of: $0, $0.source, by: manager, for: service, interval: .milliseconds(20))
                    } + [HubFollower(of: plants, by: manager, for: service, interval: .milliseconds(20))]
                }
            ) { server in
                try await wait { server.service.servedModels().first?.version == nil || !isReady(server) }
                let picture = try TestScene.two.png()
                let reply = try await server.send(.post, "/v1/label", picture)
                let answer = try reply.json(FoundLabels.self)
                #expect(!answer.labels.isEmpty)
                try await compare(picture, at: "/v1/label", server)
                // The staged version is not confident enough of anything.
                #expect(count(server, .different) >= 1 && count(server, .same) == 0)
                #expect(
                    try await server.send(.post, "/v1/label", picture).json(FoundLabels.self).labels == answer.labels
                )
                try await wait { try await hub.shadows(of: "plants").isEmpty }
                let shown = try #require(try await hub.shadows(of: "plants").first)
                #expect(shown["servedVersion"] as? Int == 1 && shown["candidateVersion"] as? Int == 2)
                let report = try await server.send(.get, "/v1/shadows")
                #expect(report.status == 200 && report.text.contains(#""isReady":true"#), "\(report.text)")
                #expect(report.text.contains(#""label":"\#(answer.labels.first?.text ?? "-")""#), "\(report.text)")
                let metrics = try await server.send(.get, "/metrics").text
                #expect(metrics.contains(#"serve_shadow_ready{model="plants"} 1"#))
                #expect(metrics.contains(#"serve_shadow_different_ratio{model="plants"} 1"#))
                #expect(metrics.contains(#"serve_shadow_requests_total{model="plants",outcome="different"}"#))
                #expect(metrics.contains(#"serve_shadow_label_answers_total{model="plants",label="#))
                // A version that is served is compared no further.
                try await hub.promote("plants")
                let staged = try #require(status(server)?.candidate?.sha256)
                try await wait { server.service.servedModels().first?.version?.sha256 != staged }
                #expect(
                    server.service.shadows["plants"]?.draws(AnswerModel(name: "", version: "", sha256: staged)) == false
                )
            }
        }
    }

    @Test(arguments: ["/nowhere/model.tflite", "FIXTURE custom_operator"])
    func aShadowThatCannotBeLoadedChangesNothing(name: String) async throws {
        let shadow = name.hasPrefix("FIXTURE ") ? fixture(String(name.dropFirst(8))) : name
        try await with("colors", shadow) { server in
            try await wait { status(server)?.problem == nil }
            #expect(try await server.send(.get, "/readyz").status == 200)
            #expect(try await server.send(.post, "/v1/label", try TestScene.two.png()).status == 200)
            let report = try await server.send(.get, "/v1/shadows").text
            #expect(report.contains(#""isReady":false"#) && report.contains(#""problem":""#), "\(report)")
            let metrics = try await server.send(.get, "/metrics").text
            #expect(metrics.contains(#"serve_shadow_ready{model="colors"} 0"#))
        }
    }

    @Test func aShadowOfAnotherKindFailsUnseen() async throws {
        try await with("blocks", fixture("classifier_int8_metadata")) { server in
            try await wait { !isReady(server) }
            try await wait {
                let reply = try await server.send(.post, "/v1/detect", try TestScene.two.png())
                #expect(try reply.json(FoundObjects.self).names.count == 2)
                return count(server, .failed) == 0
            }
            #expect(count(server, .same, .different) == 0)
        }
    }

    @Test(arguments: ["/v1/detect", "/v1/annotate", "/v1/vision/detection", "FORM /v1/detect"])
    func allWaysToAskForObjectsAreCompared(target: String) async throws {
        try await with("blocks", fixture("ssd_metadata")) { server in
            try await wait { !isReady(server) }
            let picture = try TestScene.two.png()
            try await wait {
                let reply =
                    target == "/v1/annotate"
                    ? try await server.send(.post, target, picture)
                    : try await server.post(target.replacing("FORM ", with: ""), files: [("a.png", picture)])
                #expect(reply.status == 200, "\(reply.text)")
                return count(server, .same, .different) == 0
            }
        }
    }

    @Test func picturesThatDifferAreKeptForOperators() async throws {
        try await withTemporaryFolder { folder in
            let kept = try KeptPictures(folder: folder.appending(path: "kept"), limits: .init(count: 2))
            let token = "0123456789abcdef0123"
            try await with("blocks", fixture("ssd_metadata"), kept: kept, token: token) { server in
                try await wait { !isReady(server) }
                let picture = try TestScene.two.png()
                let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
                try await wait {
                    let reply = try await server.send(.post, "/v1/detect", picture, headers: bearer)
                    #expect(reply.status == 200)
                    return count(server, .different) == 0
                }
                try await wait { kept.all.isEmpty }
                let list = try await server.send(.get, "/v1/shadows/pictures", headers: bearer)
                let id = try #require(kept.all.first?.id)
                #expect(list.status == 200 && list.text.contains(id), "\(list.text)")
                let reply = try await server.send(.get, "/v1/shadows/pictures/\(id)", headers: bearer)
                #expect(reply.status == 200 && reply.body == picture)
                #expect(reply.headers[.contentType] == "image/png")
                let wrong: HTTPFields = [.authorization: "Bearer wrong"]
                for target in ["/v1/shadows", "/v1/shadows/pictures", "/v1/shadows/pictures/\(id)"] {
                    #expect(try await server.send(.get, target, headers: wrong).status == 401)
                    // As through a proxy.
                    let elsewhere = try await server.send(.get, target, headers: [.forwardedFor: "192.0.2.1"])
                    #expect(elsewhere.status == 403, "\(elsewhere.text)")
                }
                #expect(try await server.send(.get, "/v1/shadows/pictures/..%2f", headers: bearer).status == 404)
                #expect(try await server.send(.get, "/").text.contains("This server keeps pictures"))
                #expect(try await server.send(.get, "/shadows").status == 200)
            }
        }
    }

    /// Asks until a picture is kept, and returns the address that adds it to a data set.
    private func addressOfAKeptPicture(_ kept: KeptPictures, _ server: TestServer) async throws -> String {
        try await wait { !isReady(server) }
        let picture = try TestScene.two.png()
        try await wait {
            let reply = try await server.send(.post, "/v1/detect", picture)
            #expect(reply.status == 200)
            return kept.all.isEmpty
        }
        return "/v1/shadows/pictures/\(try #require(kept.all.first?.id))"
    }

    @Test func aKeptPictureIsAddedToADataSetOfTheHub() async throws {
        try await ClientHub.with { hub, folder in
            let token = try await hub.publisherToken()
            let configuration = ModelHubConfiguration(
                hub: try #require(URL(string: hub.address)),
                projectID: "my-plants",
                apiKey: hub.key
            )
            let kept = try KeptPictures(folder: folder.appending(path: "kept"), limits: .init(count: 2))
            for (token, status, message) in [
                (token, 502, "has no data set"), ("wrong", 502, "the hub refuses the token"),
            ] {
                let sender = KeptPictureSender(configuration, token: token)
                try await with("blocks", fixture("ssd_metadata"), kept: kept, sender: sender) { server in
                    let target = try await addressOfAKeptPicture(kept, server)
                    let refused = try await server.post(target, json: ["dataSet": "none at all"])
                    #expect(refused.status == status && refused.error?.contains(message) == true, "\(refused.text)")
                    let other = try await server.post("/v1/shadows/pictures/0123", json: ["dataSet": "plants"])
                    #expect(other.status == 404)
                }
            }
        }
    }

    @Test func aClickOnThePageAddsAllKeptPicturesToADataSetOfTheHub() async throws {
        try await ClientHub.with(evaluator: Program("sightline-hub").executable) { hub, folder in
            try await hub.createDataSet("plants")
            let configuration = ModelHubConfiguration(
                hub: try #require(URL(string: hub.address)),
                projectID: "my-plants",
                apiKey: hub.key
            )
            let kept = try KeptPictures(folder: folder.appending(path: "kept"), limits: .init(count: 2))
            let sender = KeptPictureSender(configuration, token: try await hub.publisherToken())
            try await with("blocks", fixture("ssd_metadata"), kept: kept, sender: sender) { server in
                let target = try await addressOfAKeptPicture(kept, server)
                for isNew in [true, false] {
                    let added = try await server.post(target, json: ["dataSet": "plants"])
                    #expect(added.status == 200 && added.text == #"{"isNew":\#(isNew)}"#, "\(added.text)")
                }
                let photos = try await hub.photos(ofDataSet: "plants")
                #expect(photos.count == 1 && photos[0]["label"] == nil)
            }
        }
    }

    @Test func withoutATokenOfTheHubNoPictureIsAdded() async throws {
        try await TestServer.with { server in
            let reply = try await server.post("/v1/shadows/pictures/0123", json: ["dataSet": "plants"])
            #expect(reply.status == 403 && reply.error?.contains("--keep-token-file") == true, "\(reply.text)")
        }
    }

    @Test func withoutShadowsThereIsNoPageOfThem() async throws {
        try await TestServer.with { server in
            let (page, index) = (try await server.send(.get, "/shadows"), try await server.send(.get, "/"))
            #expect(page.status == 404 && !index.text.contains("unseen"))
            let report = try await server.send(.get, "/v1/shadows")
            #expect(report.text == #"{"shadows":[]}"#)
        }
    }
}

/// The model to which a shadow belongs.
struct ShadowPairTests {
    private let sources: [ModelSource] = [
        .hub(RemoteModel(name: "plants")), .hub(RemoteModel(name: "animals")), .builtInLabeler,
    ]

    private func models(_ texts: String..., of sources: [ModelSource]? = nil) throws -> [String] {
        try ShadowPair.pairs(texts, of: sources ?? self.sources).map { "\($0.served.name) \($0.text)" }
    }

    @Test func aShadowBelongsToTheModelOfItsName() throws {
        #expect(
            try models("hub:animals@staging", "hub:plants@next") == [
                "animals hub:animals@staging", "plants hub:plants@next",
            ]
        )
        #expect(try models("built-in-labeler=other.tflite") == ["built-in-labeler other.tflite"])
        #expect(try models("plants=hub:trees") == ["plants hub:trees"])
        #expect(try models("other.tflite", of: [.builtInLabeler]) == ["built-in-labeler other.tflite"])
    }

    @Test func anUnclearShadowIsRefused() throws {
        for texts in [["other.tflite"], ["hub:trees"], ["hub:plants@a", "hub:plants@b"], ["hub:plants"]] {
            #expect(throws: InputError.self) { try ShadowPair.pairs(texts, of: sources) }
        }
    }
}

/// The folder of pictures that differ.
struct KeptPictureTests {
    private let model = AnswerModel(name: "plants", version: "1", sha256: "1")
    private let other = AnswerModel(name: "plants@staging", version: "2", sha256: "2")

    private func given(_ number: Int, byteCount: Int = 100) -> GivenAnswer {
        GivenAnswer(
            model: model,
            picture: Data("\(number)".utf8) + Data(count: byteCount),
            options: AnswerOptions(),
            results: .labels([Label(text: "ash", index: 0, confidence: 0.5)])
        )
    }

    private func keep(_ number: Int, _ weight: Double, byteCount: Int = 100, in kept: KeptPictures) throws {
        try kept.keep(given(number, byteCount: byteCount), .labels([]), by: other, weight: weight)
    }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains("/") }.sorted()
    }

    @Test func thoseThatDifferMostStay() throws {
        try withTemporaryFolder { folder in
            let kept = try KeptPictures(folder: folder, limits: .init(count: 3))
            for (number, weight) in [0.2, 0.9, 0.5, 0.1, 0.7, 0.5].enumerated() { try keep(number, weight, in: kept) }
            #expect(kept.all.map(\.weight) == [0.9, 0.7, 0.5])
            #expect(try files(folder).count == 6)
            // The same picture is kept once.
            try keep(1, 0.95, in: kept)
            #expect(kept.all.map(\.weight) == [0.95, 0.7, 0.5])
            #expect(try files(folder).count == 6)
        }
    }

    @Test func theBytesAreBounded() throws {
        try withTemporaryFolder { folder in
            let kept = try KeptPictures(folder: folder, limits: .init(count: 100, bytes: 5000))
            try keep(0, 5, byteCount: 6000, in: kept)
            #expect(kept.all.isEmpty)
            for number in 1...20 { try keep(number, Double(number), byteCount: 1000, in: kept) }
            #expect(kept.all.map(\.weight) == [20, 19, 18, 17] && kept.byteCount <= 5000)
            // A large picture that differs more takes the place of several.
            try keep(30, 19.5, byteCount: 2900, in: kept)
            #expect(kept.all.map(\.weight) == [20, 19.5, 19] && kept.byteCount <= 5000)
        }
    }

    @Test func oldPicturesGo() throws {
        try withTemporaryFolder { folder in
            do {
                let kept = try KeptPictures(folder: folder, limits: .init(count: 3))
                try keep(0, 1, in: kept)
            }
            let kept = try KeptPictures(folder: folder, limits: .init(count: 3, age: .zero))
            #expect(kept.all.isEmpty)
            #expect(try files(folder).isEmpty)
        }
    }

    @Test(arguments: [31_536_000.0, -31_536_000]) func aClockThatJumpsRemovesNoPicture(shift: Double) throws {
        try withTemporaryFolder { folder in
            let kept = try KeptPictures(folder: folder, limits: .init(count: 100))
            var (date, instant) = (Date(), ContinuousClock.now)
            for number in 0..<30 {
                if number == 15 { date += shift }
                date += 3600
                instant += .seconds(3600)
                try kept.keep(given(number), .labels([]), by: other, weight: 1, at: date, instant: instant)
            }
            #expect(kept.all.count == 30)
            // They go for their age when that much time has passed since.
            date += 8 * 86_400
            instant += .seconds(8 * 86_400)
            kept.removeOld(at: date, instant: instant)
            #expect(shift < 0 ? kept.all.count == 15 : kept.all.isEmpty)
        }
    }

    @Test func aStartFindsWholePicturesAndRemovesHalves() throws {
        try withTemporaryFolder { folder in
            do {
                let kept = try KeptPictures(folder: folder, limits: .init(count: 9))
                for number in 0..<3 { try keep(number, Double(number), in: kept) }
                let names = kept.all
                try FileManager.default.removeItem(at: folder.appending(path: names[0].document))
                try FileManager.default.removeItem(at: folder.appending(path: names[1].picture))
                try Data("mine".utf8).write(to: folder.appending(path: "plants/notes.txt"))
            }
            let kept = try KeptPictures(folder: folder, limits: .init(count: 9))
            #expect(kept.all.map(\.weight) == [0])
            #expect(try files(folder).count == 3)
        }
    }

    @Test func aFolderHasOneServer() throws {
        try withTemporaryFolder { folder in
            let kept = try KeptPictures(folder: folder, limits: .init(count: 9))
            #expect(throws: KeptPictures.Failure.self) { try KeptPictures(folder: folder, limits: .init(count: 9)) }
            withExtendedLifetime(kept) {}
        }
    }
}
