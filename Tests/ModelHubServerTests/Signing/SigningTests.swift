import Foundation
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// Keys that sign models, and what the hub signs and serves.
@Suite(.hangLimit)
struct SigningTests {
    private static let project = "/hub/v1/projects/\(TestHub.project)"
    private static let manifests = "\(project)/models/plants/manifests"
    private static let served = "\(TestClient.models)/plants:manifest"

    /// Calls `body` with a serving hub with the published model "plants", and its id.
    private func withModel(
        _ body: @escaping @Sendable (TestHub, TestClient, Int64) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel(1))
                try await body(test, client, try #require(Int64(id)))
            }
        }
    }

    /// Makes a signing key, and gives its id.
    private func key(_ client: TestClient, _ name: String = "owner", publicKey: Data? = nil) async throws -> String {
        var input = ["name": name, "kind": "signing"]
        input["publicKey"] = publicKey.map { Base64URL.text($0) }
        let reply = try await client.send(.post, "\(Self.project)/keys", json: input)
        #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(reply.text("id"))
    }

    /// Makes a key without an end: one that a token makes ends with the token.
    private func lastingKey(_ test: TestHub, _ name: String, _ publicKey: Data? = nil) async throws {
        var plan = CredentialPlan(.signing, role: .viewer, name: name, owner: .project(TestHub.project))
        plan.publicKey = publicKey.map { Base64URL.text($0) }
        _ = try await test.hub.createCredential(plan, by: .local)
    }

    private func manifest(_ client: TestClient, _ key: String, query: String = "") async throws -> ModelManifest {
        let reply = try await client.send(.get, "\(Self.served)?key=\(key)\(query)", token: .some(nil))
        #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        return try SignedManifest(reply.body).manifest()
    }

    private func refused(_ reply: TestReply, _ text: String) {
        #expect([400, 403, 404].contains(reply.status))
        #expect(reply.text("error.message")?.contains(text) == true, "\(String(decoding: reply.body, as: UTF8.self))")
    }

    // MARK: - Keys

    @Test func theHubKeepsAKeyForItselfAndOutOfItsBackups() async throws {
        try await withModel { test, client, _ in
            let id = try await key(client)
            let file = test.folder.appending(path: "signing/\(id).pem")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let signing = try SigningKey(pem: try String(contentsOf: file, encoding: .utf8))
            #expect(signing.id == id)
            let listed = try await client.send(.get, "\(Self.project)/keys")
            let keys = try #require(listed.value("keys") as? [[String: Any]]).filter {
                $0["kind"] as? String == "signing"
            }
            #expect(keys.count == 1 && keys[0]["publicKey"] as? String == Base64URL.text(signing.publicKey))
            #expect(keys[0]["isKept"] as? Bool == true && keys[0]["secret"] == nil)
            let backup = test.folder.appending(path: "backup")
            _ = try await test.hub.backUp(to: backup)
            let copied = try FileManager.default.subpathsOfDirectory(atPath: backup.path)
            #expect(!copied.contains { $0.contains("signing") || $0.hasSuffix(".pem") })
            let seed = try #require(Data(base64Encoded: signing.pem.split(separator: "\n")[1].description)).suffix(32)
            #expect(try await test.records().range(of: seed) == nil)
            #expect(try await client.send(.delete, "\(Self.project)/keys/\(id)").status == 200)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func ofAKeyOutsideOfTheHubOnlyThePublicPartIsThere() async throws {
        try await withModel { test, client, _ in
            let signing = SigningKey()
            #expect(try await key(client, publicKey: signing.publicKey) == signing.id)
            #expect(!FileManager.default.fileExists(atPath: test.folder.appending(path: "signing").path))
            refused(try await client.send(.post, "\(Self.manifests):sign", json: [:]), "keeps no signing key")
            for (json, text) in [
                (["kind": "signing", "publicKey": Base64URL.text(signing.publicKey)], "already has this signing key"),
                (["kind": "signing", "publicKey": "abc"], "not the public part"),
                (["kind": "token", "publicKey": Base64URL.text(SigningKey().publicKey)], "belongs to signing keys"),
            ] {
                let reply = try await client.send(
                    .post,
                    "\(Self.project)/keys",
                    json: json.merging(["name": "x"]) { $1 }
                )
                #expect(reply.status >= 400 && reply.status < 500)
                #expect(reply.text("error.message")?.contains(text) == true)
            }
            // No key of the whole hub, and none of a person.
            let plan = CredentialPlan(.signing, role: .viewer, name: "x", owner: .hub)
            await #expect(throws: HubError.self) { try await test.hub.createCredential(plan, by: .local) }
        }
    }

    @Test func aSigningKeyGivesAccessToNothing() async throws {
        try await withModel { test, client, _ in
            let id = try await key(client)
            let credential = try #require(try await test.hub.records.credential(id: id))
            #expect(credential.role == .viewer && credential.secretHash == nil)
            #expect(try await test.hub.identity(of: credential) == nil)
            for secret in [id, credential.publicKey ?? ""] {
                #expect(try await client.send(.get, TestClient.models, token: .some(secret)).status == 401)
                #expect(try await client.send(.get, "\(Self.served)?key=\(secret)", token: .some(nil)).status == 403)
            }
        }
    }

    @Test func theFileOfAKeyIsThatOfOpenSSL() throws {
        let key = SigningKey()
        #expect(try SigningKey(pem: key.pem).id == key.id)
        #expect(try SigningKey(pem: key.pem.replacing("\n", with: "\r\n")).id == key.id)
        let text = key.pem.split(separator: "\n")[1]
        for other in [
            "", "abc", String(text), key.pem.replacing("PRIVATE", with: "PUBLIC"), String(key.pem.dropLast(40)),
        ] {
            #expect(throws: HubError.self) { try SigningKey(pem: other) }
        }
    }

    // MARK: - What the hub signs

    @Test func whateverClientsCanAskForIsSigned() async throws {
        try await withModel { test, client, id in
            let appKey = test.apiKey
            let key = try await key(client)
            let first = try await manifest(client, appKey)
            #expect(
                (first.project, first.name, first.alias, first.version) == (TestHub.project, "plants", .production, 1)
            )
            #expect(first.hash == sha256(fakeModel(1)) && first.byteCount == fakeModel(1).count && first.key == key)
            #expect(first.projectNumber == (try await test.hub.testProject()).number)
            #expect(first.expires - first.issued == 30 * 24 * 3600)
            test.clock.advance(by: .seconds(1))
            _ = try await client.send(.patch, "\(Self.project)/models/plants", json: ["confidenceThreshold": 0.4])
            let second = try await manifest(client, appKey)
            #expect(second.confidenceThreshold == 0.4 && second.serial > first.serial)
            let uri = try await client.upload(fakeModel(2), as: "b.tflite")
            _ = try await client.send(.post, "\(Self.project)/models/plants/versions", json: ["gcsTfliteUri": uri])
            _ = try await client.send(.put, "\(Self.project)/models/plants/aliases/beta", json: ["version": 2])
            #expect(try await manifest(client, appKey, query: "&alias=beta").version == 2)
            #expect(try await manifest(client, appKey) == second)
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: ["version": 2])
            let third = try await manifest(client, appKey)
            #expect(third.version == 2 && third.serial > second.serial && third.confidenceThreshold == nil)
            // With a clock that stands still, numbers rise all the same.
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: ["version": 1])
            let fourth = try await manifest(client, appKey)
            #expect(fourth.version == 1 && fourth.serial > third.serial)
            _ = try await client.send(
                .patch,
                "\(TestClient.models)/\(id)?updateMask=displayName",
                json: ["displayName": "leaves"]
            )
            let renamed = try await client.send(
                .get,
                "\(TestClient.models)/leaves:manifest?key=\(appKey)",
                token: .some(nil)
            )
            #expect(try SignedManifest(renamed.body).manifest().name == "leaves")
            let log = try await client.send(.get, "\(Self.project)/audit")
            let entries = try #require(log.value("entries") as? [[String: Any]])
            let signed = entries.filter { $0["action"] as? String == "model.sign" }
            #expect(signed.count >= 8)
            #expect(
                signed.contains {
                    ($0["detail"] as? String)?.contains("version 2, alias production, number \(third.serial)") == true
                }
            )
            #expect(
                entries.contains { $0["action"] as? String == "key.create" && $0["target"] as? String == "keys/\(key)" }
            )
        }
    }

    @Test func theSignatureIsOneOfThePublishedKeyAndServedForTheVersionAlone() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            let id = try await key(client)
            let target = "\(Self.served)?key=\(appKey)&hash=\(sha256(fakeModel(1)))"
            let reply = try await client.send(.get, target, token: .some(nil))
            let credential = try #require(try await test.hub.records.credential(id: id))
            let publicKey = try #require(credential.publicKey.flatMap { SigningKeyID.publicKey($0) })
            #expect(SigningKey.signed(try SignedManifest(reply.body), publicKey: publicKey))
            #expect(!SigningKey.signed(try SignedManifest(reply.body), publicKey: SigningKey().publicKey))
            #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(reply.headers[.cacheControl] == "private, max-age=300")
            let tag = try #require(reply.headers[.eTag])
            let again = try await client.send(.get, target, headers: [.ifNoneMatch: tag], token: .some(nil))
            #expect(again.status == 304 && again.body.isEmpty)
            let head = try await client.sendAlone(.head, target, token: .some(nil))
            #expect(head.status == 200 && head.body.isEmpty)
            let other = try await client.send(
                .get,
                "\(Self.served)?key=\(appKey)&hash=\(sha256(fakeModel(2)))",
                token: .some(nil)
            )
            #expect(other.status == 404)
            #expect(try await client.send(.get, Self.served, token: .some(nil)).status == 403)
            #expect(
                try await client.send(.get, "\(Self.served)?key=\(appKey)&alias=nothing", token: .some(nil)).status
                    == 404
            )
            #expect(try await client.send(.get, Self.served, token: test.stranger).status == 403)
        }
    }

    @Test func anAppThatAsksForItGetsTheManifestWithTheDownload() async throws {
        try await withModel { test, client, _ in
            let target = "\(TestClient.models)/plants:download?key=\(test.apiKey)"
            let asking = HTTPFields(dictionaryLiteral: (.manifest, "1"))
            let unsigned = try await client.send(.get, target, headers: asking, token: .some(nil))
            #expect(unsigned.status == 200 && unsigned.headers[.manifest] == nil)
            _ = try await key(client)
            let manifest = try await client.send(.get, "\(Self.served)?key=\(test.apiKey)", token: .some(nil)).body
            let signed = try await client.send(.get, target, headers: asking, token: .some(nil))
            #expect(signed.headers[.manifest].flatMap { Base64URL.data($0) } == manifest)
            var known = asking
            known[.ifNoneMatch] = signed.headers[.eTag]
            let unchanged = try await client.send(.get, target, headers: known, token: .some(nil))
            #expect(unchanged.status == 304 && unchanged.headers[.manifest] == signed.headers[.manifest])
            let other = try await client.send(.get, target, token: .some(nil))
            #expect(other.headers[.manifest] == nil && other.body.count == signed.body.count)
        }
    }

    @Test func aDamagedKeyOfOneProjectStopsNoOther() async throws {
        try await withModel { test, client, model in
            let other = CredentialPlan(.signing, role: .viewer, name: "owner", owner: .project("a-project"))
            _ = try await test.hub.createProject("a-project", quota: nil, requiresInstallation: false)
            let damaged = try await test.hub.createCredential(other, by: .local).credential.id
            try Data("garbage".utf8).write(to: test.folder.appending(path: "signing/\(damaged).pem"))
            try await lastingKey(test, "owner")
            try await test.hub.records.removeManifests(of: model)
            await #expect {
                try await test.hub.renewManifests()
            } throws: { error in
                "\(error)".hasPrefix("a-project: The private part of the signing key")
            }
            #expect(try await manifest(client, test.apiKey).version == 1)
        }
    }

    /// A change that was made, while the hub cannot look for a key.
    @Test func aDatabaseThatIsAwayIsNoMatterOfSignatures() async throws {
        try await withModel { test, _, id in
            let project = try await test.hub.testProject()
            let caller = Caller(project: project, role: .owner, actor: "test")
            let model = try #require(try await test.hub.records.model(id, of: project.id))
            let isAway = Mutex(false)
            let database = AbsentDatabase(test.hub.records.database) { isAway.withLock { $0 } }
            let hub = try await Hub(
                records: HubRecords(database),
                files: HubFiles(
                    blobs: test.hub.blobs,
                    evaluationFiles: test.hub.evaluationFiles,
                    pieces: test.hub.pieces,
                    uploads: test.hub.uploads
                ),
                validator: test.hub.validator
            )
            isAway.withLock { $0 = true }
            let error = await #expect(throws: HubError.self) {
                try await hub.renewManifests(after: model, model, [], by: caller)
            }
            #expect(error?.httpStatus == 503 && error?.retryAfter == .seconds(2))
            #expect(error?.message.contains("sign") == false)
        }
    }

    @Test func theHubRenewsInTimeAndKeepsTheOrderOfVersionsSignedAhead() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            try await lastingKey(test, "owner")
            let uri = try await client.upload(fakeModel(2), as: "b.tflite")
            _ = try await client.send(.post, "\(Self.project)/models/plants/versions", json: ["gcsTfliteUri": uri])
            #expect(try await client.send(.post, "\(Self.manifests):sign", json: ["version": 2]).status == 200)
            let first = try await manifest(client, appKey)
            try await test.hub.renewManifests()
            #expect(try await manifest(client, appKey) == first)
            test.clock.advance(by: .seconds(11 * 24 * 3600))
            try await test.hub.renewManifests()
            let second = try await manifest(client, appKey)
            #expect(second.serial > first.serial && second.expires > first.expires && second.version == 1)
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: ["version": 2])
            #expect(try await manifest(client, appKey).serial > second.serial)
            // Without renewal it ends, and long after is forgotten.
            test.clock.advance(by: .seconds(31 * 24 * 3600))
            let states = try await client.send(.get, Self.manifests)
            #expect((states.value("manifests") as? [[String: Any]])?.first?["state"] as? String == "ended")
            test.clock.advance(by: .seconds(91 * 24 * 3600))
            _ = try await test.hub.cleanUp()
            #expect(try await client.send(.get, "\(Self.served)?key=\(appKey)", token: .some(nil)).status == 404)
        }
    }

    @Test func aManifestFromBeforeTheClockWasSetBackIsSignedAgain() async throws {
        try await withModel { test, client, _ in
            try await lastingKey(test, "owner")
            let right = test.clock.now
            test.clock.advance(by: .seconds(60 * 86_400))
            try await test.hub.renewManifests()
            let ahead = try await manifest(client, test.apiKey)
            test.clock.advance(by: .zero - .seconds(60 * 86_400))
            try await test.hub.renewManifests()
            let signed = try await manifest(client, test.apiKey)
            #expect(ahead.issued > right.milliseconds / 1000 && signed.issued == right.milliseconds / 1000)
            // Clients that have seen the one of the wrong clock take no lower number.
            #expect(signed.serial > ahead.serial)
        }
    }

    @Test func aClockThatJumpsRemovesNothing() async throws {
        try await withModel { test, client, _ in
            try await lastingKey(test, "owner")
            try await test.hub.renewManifests()
            let signed = try await manifest(client, test.apiKey)
            let start = ContinuousClock.now
            #expect(try await test.hub.cleanUpIfClockIsTrusted(instant: start) != nil)
            let year = Duration.seconds(365 * 86_400)
            test.clock.advance(by: year + .seconds(3600))
            // An hour has passed, but the clock says a year.
            #expect(try await test.hub.cleanUpIfClockIsTrusted(instant: start + .seconds(3600)) == nil)
            // Another process cannot compare the clocks.
            try await test.withAnotherHub { another in
                let removed = try await another.hub.cleanUpIfClockIsTrusted()
                #expect(removed == nil)
            }
            test.clock.advance(by: .zero - year)
            #expect(try await test.hub.cleanUpIfClockIsTrusted(instant: start + .seconds(3600)) == nil)
            try await test.withAnotherHub { another in
                let removed = try await another.hub.cleanUpIfClockIsTrusted()
                #expect(removed == nil)
            }
            #expect(try await manifest(client, test.apiKey) == signed)
            // A week of the right clock later, old things go again.
            for hour in 2...170 {
                test.clock.advance(by: .seconds(3600))
                let removed = try await test.hub.cleanUpIfClockIsTrusted(instant: start + .seconds(3600 * hour))
                #expect((removed != nil) == (hour >= 169), "\(hour)")
            }
        }
    }

    @Test func aManifestIsAddedAfterTheClockWasSetBack() async throws {
        try await withModel { test, client, _ in
            let signing = SigningKey()
            try await lastingKey(test, "owner", signing.publicKey)
            func add() async throws -> TestReply {
                let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: [:])
                let manifest = try ModelManifest(try #require(prepared.text("manifest")))
                let text = String(decoding: try signing.sign(manifest).data, as: UTF8.self)
                return try await client.send(.post, Self.manifests, json: ["manifest": text])
            }
            test.clock.advance(by: .seconds(60 * 86_400))
            #expect(try await add().status == 200)
            test.clock.advance(by: .zero - .seconds(60 * 86_400))
            let reply = try await add()
            #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        }
    }

    @Test func aHubThatLostThePrivatePartSaysSo() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            let id = try await key(client)
            let file = test.folder.appending(path: "signing/\(id).pem")
            try Data("damaged".utf8).write(to: file)
            let reply = try await client.send(
                .patch,
                "\(Self.project)/models/plants",
                json: ["confidenceThreshold": 0.4]
            )
            #expect(reply.status == 500)
            #expect(reply.text("error.message")?.contains("plants was changed, but not signed") == true)
            // Earlier signatures are served as they were.
            #expect(try await manifest(client, appKey).confidenceThreshold == nil)
            let states = try await client.send(.get, Self.manifests)
            #expect((states.value("manifests") as? [[String: Any]])?.first?["state"] as? String == "outdated")
            try FileManager.default.removeItem(at: file)
            let next = try await client.send(
                .patch,
                "\(Self.project)/models/plants",
                json: ["confidenceThreshold": 0.5]
            )
            #expect(next.status == 200)
        }
    }

    @Test func whatARevokedKeySignedIsServedNoMore() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            let (old, next) = (try await key(client), try await key(client, "next"))
            #expect(try await manifest(client, appKey).key == old)
            _ = try await client.send(.delete, "\(Self.project)/keys/\(old)")
            #expect(try await manifest(client, appKey).key == next)
            _ = try await client.send(.delete, "\(Self.project)/keys/\(next)")
            #expect(try await client.send(.get, "\(Self.served)?key=\(appKey)", token: .some(nil)).status == 404)
        }
    }

    // MARK: - What is signed elsewhere

    @Test func aManifestIsPreparedSignedElsewhereAndAdded() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            let signing = SigningKey()
            try await lastingKey(test, "offline", signing.publicKey)
            #expect(try await client.send(.get, "\(Self.served)?key=\(appKey)", token: .some(nil)).status == 404)
            let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: [:])
            let manifest = try ModelManifest(try #require(prepared.text("manifest")))
            #expect(manifest.key == signing.id && manifest.expires - manifest.issued == 180 * 24 * 3600)
            let text = String(decoding: try signing.sign(manifest).data, as: UTF8.self)
            let added = try await client.send(.post, Self.manifests, json: ["manifest": text])
            #expect(added.status == 200)
            let states = try #require(added.value("manifests") as? [[String: Any]])
            #expect(
                states.count == 1 && states[0]["state"] as? String == "valid"
                    && states[0]["keyName"] as? String == "offline"
            )
            #expect(try await self.manifest(client, appKey) == manifest)
            // Once more is not a mistake, and changes nothing.
            #expect(try await client.send(.post, Self.manifests, json: ["manifest": text]).status == 200)
        }
    }

    @Test func aManifestOfSomethingElseIsRefused() async throws {
        try await withModel { test, client, _ in
            let signing = SigningKey()
            _ = try await key(client, publicKey: signing.publicKey)
            _ = try await client.publish("tulips", file: fakeModel(3))
            let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: [:])
            let good = try ModelManifest(try #require(prepared.text("manifest")))
            let changes: [(String, @Sendable (inout ModelManifest) -> Void)] = [
                ("is for tulips", { $0.name = "tulips" }), ("of the project other", { $0.project = "other-project" }),
                ("is for plants of the project", { $0.projectNumber += 1 }), ("another file", { $0.version = 2 }),
                ("another file", { $0.hash = sha256(fakeModel(3)) }), ("another file", { $0.byteCount += 1 }),
                ("another threshold", { $0.confidenceThreshold = 0.1 }),
                ("from the future", { $0.serial += 90_000_000 }),
                ("from the future", { $0.issued += 90_000 }), ("has ended", { $0.expires = $0.issued - 1 }),
                ("ten years", { $0.expires += 3650 * 24 * 3600 }),
            ]
            for (text, change) in changes {
                var other = good
                change(&other)
                let signed = String(decoding: try signing.sign(other).data, as: UTF8.self)
                refused(try await client.send(.post, Self.manifests, json: ["manifest": signed]), text)
            }
            let stranger = String(decoding: try SigningKey().sign(good).data, as: UTF8.self)
            refused(
                try await client.send(.post, Self.manifests, json: ["manifest": stranger]),
                "not a valid signing key"
            )
            let forged = SignedManifest(body: Data(good.text.utf8), signature: Data(count: 64)).data
            refused(
                try await client.send(
                    .post,
                    Self.manifests,
                    json: ["manifest": String(decoding: forged, as: UTF8.self)]
                ),
                "signature is not one of the key"
            )
            for text in ["", good.text, String(repeating: "x\n", count: 2000)] {
                refused(try await client.send(.post, Self.manifests, json: ["manifest": text]), "cannot be read")
            }
            let huge = try await client.send(
                .post,
                Self.manifests,
                json: ["manifest": String(repeating: "x", count: 20_000)]
            )
            #expect(huge.status == 413)
        }
    }

    @Test func anOlderManifestIsNotAddedAgain() async throws {
        try await withModel { test, client, _ in
            let appKey = test.apiKey
            let signing = SigningKey()
            _ = try await key(client, publicKey: signing.publicKey)
            func sign(_ version: Int) async throws -> String {
                test.clock.advance(by: .seconds(1))
                let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: ["version": version])
                let manifest = try ModelManifest(try #require(prepared.text("manifest")))
                return String(decoding: try signing.sign(manifest).data, as: UTF8.self)
            }
            let uri = try await client.upload(fakeModel(2), as: "b.tflite")
            _ = try await client.send(.post, "\(Self.project)/models/plants/versions", json: ["gcsTfliteUri": uri])
            let (first, second) = (try await sign(1), try await sign(2))
            #expect(try await client.send(.post, Self.manifests, json: ["manifest": first]).status == 200)
            #expect(try await client.send(.post, Self.manifests, json: ["manifest": second]).status == 200)
            refused(
                try await client.send(.post, Self.manifests, json: ["manifest": try forgedSerial(first, signing)]),
                "higher number"
            )
            // The first version is still served, with its manifest.
            #expect(try await manifest(client, appKey).version == 1)
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: ["version": 2])
            #expect(try await manifest(client, appKey).version == 2)
            // Going back needs a new signature: apps would refuse the old one.
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: ["version": 1])
            #expect(try await client.send(.get, "\(Self.served)?key=\(appKey)", token: .some(nil)).status == 404)
            refused(try await client.send(.post, Self.manifests, json: ["manifest": first]), "higher number")
            #expect(try await client.send(.post, Self.manifests, json: ["manifest": try await sign(1)]).status == 200)
            #expect(try await manifest(client, appKey).version == 1)
        }
    }

    /// The same manifest with a number just below, signed by its key.
    private func forgedSerial(_ text: String, _ key: SigningKey) throws -> String {
        var manifest = try SignedManifest(Data(text.utf8)).manifest()
        manifest.serial -= 1
        return String(decoding: try key.sign(manifest).data, as: UTF8.self)
    }

    @Test func severalKeysAreNamed() async throws {
        try await withModel { _, client, _ in
            refused(try await client.send(.post, "\(Self.manifests):prepare", json: [:]), "has no signing key")
            let first = try await key(client, "first", publicKey: SigningKey().publicKey)
            _ = try await key(client, "second", publicKey: SigningKey().publicKey)
            refused(try await client.send(.post, "\(Self.manifests):prepare", json: [:]), "several signing keys")
            refused(
                try await client.send(.post, "\(Self.manifests):prepare", json: ["key": "third"]),
                "no signing key \"third\""
            )
            let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: ["key": "first"])
            #expect(try ModelManifest(try #require(prepared.text("manifest"))).key == first)
            refused(
                try await client.send(.post, "\(Self.manifests):prepare", json: ["key": "first", "version": 9]),
                "no version 9"
            )
            refused(try await client.send(.post, "\(Self.manifests):sign", json: ["ttl": "5s"]), "keeps no")
        }
    }

    // MARK: - The console

    @Test func anUnpublishedModelOfAKeptKeyWillBeSigned() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await key(client)
                let id = try #require(try await client.create("plants", file: fakeModel(1)).id)
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                let page = try await browser.get("/console/models/\(id)").text
                #expect(
                    page.contains("The hub signs it when you publish plants.") && !page.contains("sightline hub sign")
                )
                _ = try await client.setPublished(true, id)
                let published = try await browser.get("/console/models/\(id)").text
                #expect(published.contains("Signed until") && !published.contains("notice-warning"))
            }
        }
    }

    @Test func thePageOfAModelShowsWhoSignedUntilWhenAndWarns() async throws {
        try await withModel { test, client, id in
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let path = "/console/models/\(id)"
            #expect(try await !browser.get(path).text.contains("igned"))
            let signing = SigningKey()
            try await lastingKey(test, "offline", signing.publicKey)
            let unsigned = try await browser.get(path).text
            #expect(
                unsigned.contains("Not signed") && unsigned.contains("Version 1 for the alias production is not signed")
            )
            let prepared = try await client.send(.post, "\(Self.manifests):prepare", json: [:])
            let manifest = try ModelManifest(try #require(prepared.text("manifest")))
            let text = String(decoding: try signing.sign(manifest).data, as: UTF8.self)
            _ = try await client.send(.post, Self.manifests, json: ["manifest": text])
            let end = ConsoleText.day(Timestamp(milliseconds: manifest.expires * 1000))
            let signed = try await browser.get(path).text
            #expect(signed.contains("Signed until \(end) by offline") && !signed.contains("notice-warning"))
            test.clock.advance(by: .seconds(170 * 24 * 3600))
            // The sessions of a day ended meanwhile.
            let later = try await ConsoleClient.signedIn(client, try await test.newAdmin())
            let warned = try await later.get(path).text
            #expect(warned.contains("Signed only until \(end) by offline"))
            #expect(warned.contains("The signature of version 1 for the alias production ends on"))
            test.clock.advance(by: .seconds(11 * 24 * 3600))
            let last = try await ConsoleClient.signedIn(client, try await test.newAdmin())
            let ended = try await last.get(path).text
            #expect(ended.contains("Signature ended on \(end)") && ended.contains("ended on"))
        }
    }

    @Test func theConsoleMakesAndRevokesKeys() async throws {
        try await withModel { test, client, id in
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let made = try await browser.post(
                "/console/keys",
                ["kind": "signing", "name": "owner", "role": "viewer", "days": ""]
            )
            #expect(made.status == 303)
            let page = try await browser.get("/console/keys").text
            let key = try #require(try await test.hub.validSigningKeys(of: TestHub.project).first)
            let publicKey = try #require(key.publicKey)
            #expect(page.contains("Signing key") && page.contains(publicKey))
            #expect(page.contains("owner signs the models of the project from now on"))
            #expect(try await browser.get("/console/models/\(id)").text.contains("Signed until"))
            #expect(try await browser.get("/console/keys/\(key.id)/revoke").text.contains("no longer served"))
            #expect(try await browser.post("/console/keys/\(key.id)/revoke", [:]).status == 303)
            #expect(try await test.hub.validSigningKeys(of: TestHub.project).isEmpty)
        }
    }

    // MARK: - Rollouts

    @Test func aRolloutOfASignedModelNeedsItsKey() async throws {
        try await withModel { test, client, _ in
            let uri = try await client.upload(fakeModel(2), as: "version.tflite")
            _ = try await client.send(.post, "\(Self.project)/models/plants/versions", json: ["gcsTfliteUri": uri])
            let id = try await key(client)
            let kept = try #require(try test.hub.signingKeys.key(id))
            test.hub.signingKeys.remove(id)
            let plan: [String: Any] = ["model": "plants", "version": 2]
            refused(try await client.send(.post, "\(Self.project)/rollouts", json: plan), "does not keep")
            try test.hub.signingKeys.add(kept)
            #expect(try await client.send(.post, "\(Self.project)/rollouts", json: plan).status == 200)
        }
    }
}

extension TestHub {
    /// A new token of an owner, for tests whose time advances.
    func newAdmin() async throws -> String {
        let issued = try await hub.issue(
            .token,
            role: .owner,
            name: "later",
            for: try await hub.testProject(),
            address: ""
        )
        return try #require(issued.secret)
    }
}
