import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Testing

/// `RemoteConfig.updates()`.
@Suite(.hangLimit)
struct LiveUpdateClientTests {
    @Test func aPublishedTemplateIsFetchedAtOnce() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.setParameter("model", "plants")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let config = RemoteConfig(manager: manager)
            try await config.fetchAndActivate()
            var updates = config.updates().makeAsyncIterator()
            try await hub.setParameter("model", "plants_v2")
            #expect(try await updates.next() == ConfigUpdate(updatedKeys: ["model"]))
            #expect(await config.value("model").string == "plants")
            try await config.activate()
            #expect(await config.value("model").string == "plants_v2")
            try await hub.setConfig(#"{"parameters":{"other":{"defaultValue":{"value":"1"}}}}"#)
            #expect(try await updates.next() == ConfigUpdate(updatedKeys: ["model", "other"]))
        }
    }

    @Test func aLostConnectionIsMadeAgain() async throws {
        let fetched = #"{"state":"UPDATE","entries":{"a":"1"},"templateVersion":"2"}"#
        try await ScriptedServer.with { request, server in
            guard request.path.hasSuffix("streamFetchInvalidations") else {
                return ScriptedServer.Reply(headers: [("ETag", "e")], body: Data(fetched.utf8))
            }
            let connections = server.requests.count { $0.path.hasSuffix("streamFetchInvalidations") }
            let lines = connections == 1 ? "\n\n" : "\n{\"latestTemplateVersionNumber\":\"2\"}\n"
            return ScriptedServer.Reply(body: Data(lines.utf8), announcedLength: 1000, cutAfter: lines.utf8.count)
        } _: { server in
            try await withTemporaryFolder { folder in
                let config = RemoteConfig(manager: try ModelManager.testing(server.address, folder: folder))
                var updates = config.updates().makeAsyncIterator()
                #expect(try await updates.next() == ConfigUpdate(updatedKeys: ["a"]))
            }
        }
    }

    /// A stream that was alive did not fail, however often streams end. If each end counted, the pauses would grow to
    /// minutes.
    @Test(arguments: ["\n", "{\"retryIntervalSeconds\":\"0\"}\n"])
    func anEndAfterASignOfLifeIsNoFailure(line: String) async throws {
        let fetched = #"{"state":"UPDATE","entries":{"a":"1"},"templateVersion":"2"}"#
        try await ScriptedServer.with { request, server in
            guard request.path.hasSuffix("streamFetchInvalidations") else {
                return ScriptedServer.Reply(headers: [("ETag", "e")], body: Data(fetched.utf8))
            }
            let connections = server.requests.count { $0.path.hasSuffix("streamFetchInvalidations") }
            let lines = connections < 40 ? line : "{\"latestTemplateVersionNumber\":\"2\"}\n"
            return ScriptedServer.Reply(body: Data(lines.utf8))
        } _: { server in
            try await withTemporaryFolder { folder in
                let config = RemoteConfig(manager: try ModelManager.testing(server.address, folder: folder))
                var updates = config.updates().makeAsyncIterator()
                #expect(try await updates.next() == ConfigUpdate(updatedKeys: ["a"]))
            }
        }
    }

    @Test func anAppThatTheHubRefusesIsTold() async throws {
        try await ClientHub.with { hub, folder in
            let config = RemoteConfig(manager: try ModelManager.testing(hub.address, folder: folder, key: "wrong"))
            var updates = config.updates().makeAsyncIterator()
            await #expect(throws: RemoteConfigError.self) { try await updates.next() }
        }
    }
}
