import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Models that have many versions.
@Suite(.hangLimit)
struct VersionTests {
    /// Calls `body` with a served hub with a model of some versions, and the model's id.
    private func withVersions(
        _ count: Int,
        _ body: @escaping @Sendable (TestHub, TestClient, String) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel(0))
                let caller = try await test.hub.caller(bearerToken: test.admin)
                for number in 1..<count {
                    var patch = ModelPatch()
                    patch.file = .set(.uri(try await client.upload(fakeModel(number), as: "\(number)")))
                    _ = try await test.hub.patchModel(try ModelRecord.id(id), patch, by: caller)
                }
                try await body(test, client, id)
            }
        }
    }

    @Test func versionsComePageByPageNewestFirst() async throws {
        try await withVersions(5) { _, client, _ in
            let details = "/hub/v1/projects/my-plants/models/plants"
            var (numbers, token): ([[Int]], String?) = ([], "")
            while let start = token {
                let reply = try await client.send(.get, "\(details)?pageSize=2&pageToken=\(start)")
                #expect(reply.value("servedVersion") as? Int == 5)
                numbers.append(
                    (reply.value("versions") as? [[String: Any]] ?? []).compactMap { $0["version"] as? Int }
                )
                token = reply.text("nextPageToken")
            }
            #expect(numbers == [[5, 4], [3, 2], [1]])
            #expect(try await client.send(.get, "\(details)?pageToken=x").status == 400)
        }
    }

    @Test func filesThatComeAtTheSameTimeBecomeVersionsOfOneNewModel() async throws {
        try await withVersions(1) { test, client, _ in
            let caller = try await test.hub.caller(bearerToken: test.admin)
            var uris: [String] = []
            for number in 1...6 { uris.append(try await client.upload(fakeModel(number), as: "\(number)")) }
            for name in ["roses", "tulips", "lilies"] {
                let numbers = try await withThrowingTaskGroup(of: Int.self) { [uris] group in
                    for uri in uris {
                        group.addTask {
                            try await test.hub.addVersion(uri, toModelNamed: name, by: caller).version.number
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(numbers.sorted() == Array(1...6))
            }
        }
    }

    @Test func theLastTwentyVersionsAreKeptWithWhatTheyWant() async throws {
        try await withVersions(22) { test, _, id in
            let versions = try await test.hub.records.versions(of: try ModelRecord.id(id))
            #expect(versions.filter { $0.inspection == "null" }.map(\.number) == [1, 2])
            #expect(versions.filter { $0.inspection.contains("labeling") }.count == 20)
        }
    }

    @Test func thePageOfAModelShowsTheNewestVersionsAndLeadsToOlderOnes() async throws {
        try await withVersions(1) { test, client, id in
            let caller = try await test.hub.caller(bearerToken: test.admin)
            let number = try ModelRecord.id(id)
            var model = try #require(try await test.hub.records.model(number, of: TestHub.project))
            var version = try #require(try await test.hub.records.version(1, of: number))
            for number in 2...150 {
                let etag = model.etag
                model.etag = "\(number)"
                model.file?.version = number
                version.number = number
                let isDone = try await test.hub.records.update(
                    model,
                    replacing: etag,
                    version: version,
                    audit: test.hub.audit(caller, "test", "")
                )
                #expect(isDone)
            }
            let browser = try await ConsoleClient.signedIn(client, test.reader)
            let path = "/console/models/\(id)"
            let page = try await browser.get("\(path)/versions").text
            #expect(page.contains("\(path)/versions/150/file") && page.contains("\(path)/versions/51/file"))
            #expect(!page.contains("\(path)/versions/50/file"))
            let link = try #require(page.firstMatch(of: /href="([^"]+)">Older versions/)).1
            let older = try await browser.get(String(link)).text
            #expect(older.contains("\(path)/versions/50/file") && older.contains("\(path)/versions/1/file"))
            #expect(!older.contains("Older versions"))
            // The address that led to them when the page had no parts.
            let old = try await browser.get("\(path)?before=51")
            #expect(old.status == 303 && old.location == "\(path)/versions?before=51")
        }
    }
}
