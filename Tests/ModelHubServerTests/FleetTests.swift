import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Two hubs that share a PostgreSQL database and a folder of files.
@Suite(.hangLimit, .enabled(if: PostgresServer.programs != nil, PostgresServer.missing))
struct FleetTests {
    private static let info = "\(TestClient.models)/plants:download"

    /// Calls `body` with two hubs that are served on loopback.
    private func withHubs(
        _ body:
            @escaping @Sendable (_ hubs: (TestHub, TestHub), _ clients: (TestClient, TestClient)) async throws -> Void
    ) async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                try await first.serve { one in
                    try await second.serve { two in try await body((first, second), (one, two)) }
                }
            }
        }
    }

    /// Repeats a request until it has a status; gives the time that took.
    private func time(until status: Int, _ request: () async throws -> TestReply) async throws -> Duration {
        let start = ContinuousClock.now
        while try await request().status != status {}
        return .now - start
    }

    @Test func aModelThatOneHubPublishesIsServedByTheOther() async throws {
        try await withHubs { hubs, clients in
            let headers: HTTPFields = [.apiKey: hubs.0.apiKey]
            func download() async throws -> TestReply {
                try await clients.1.send(.get, Self.info, headers: headers, token: .some(nil))
            }
            #expect(try await download().status == 404)
            let file = fakeModel()
            let id = try await clients.0.publish("plants", file: file)
            _ = try await time(until: 200, download)
            let target = try requestTarget(try await download().text("downloadUri"))
            #expect(try await clients.1.send(.get, target, token: .some(nil)).body == file)
            _ = try await clients.0.setPublished(false, id)
            _ = try await time(until: 404, download)
        }
    }

    @Test func aKeyThatOneHubRevokesIsRefusedByTheOther() async throws {
        try await withHubs { hubs, clients in
            _ = try await clients.0.publish("plants", file: fakeModel())
            let headers: HTTPFields = [.apiKey: hubs.0.apiKey]
            func download() async throws -> TestReply {
                try await clients.1.send(.get, Self.info, headers: headers, token: .some(nil))
            }
            #expect(try await download().status == 200)
            let project = try await hubs.0.hub.testProject()
            for credential in try await hubs.0.hub.metadata.credentials(of: .project(project.id))
            where credential.kind == .apiKey {
                #expect(
                    try await hubs.0.hub.metadata.revoke(
                        credential: credential.id,
                        of: .project(project.id),
                        at: .now,
                        audit: .test
                    )
                )
            }
            while try await download().status == 200 {}
        }
    }

    @Test func everyHubHearsOfAChange() async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let store = try #require(second.hub.metadata as? SQLMetadataStore)
                while !store.database.feed.isComplete { await Task.yield() }
                let changes = second.hub.metadata.changes()
                _ = try await first.hub.createProject("new-project", quota: nil, requiresInstallation: false)
                #expect(await changes.contains(.project("new-project")))
            }
        }
    }

    @Test func aHubLeavesTheEvaluationsOfOtherHubsAlone() async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let records = first.hub.metadata
                let model = try await records.insert(.test("plants"), version: nil, audit: .test)
                let evaluation = try await records.insert(
                    EvaluationRecord(
                        project: TestHub.project,
                        model: model.id,
                        version: 1,
                        hash: try .test("x"),
                        archiveName: "x.zip",
                        byteCount: 1,
                        actor: "ann",
                        createTime: first.clock.now,
                        state: .running
                    ),
                    audit: .test
                )
                func state() async throws -> EvaluationRecord.State? {
                    try await records.evaluation(evaluation.id, of: TestHub.project)?.state
                }
                // The other hub starts while the first works.
                try await second.hub.interruptEvaluations()
                #expect(try await state() == .running)
                first.clock.advance(by: EvaluationHeartbeat.patience / 2)
                try await records.keepEvaluationsAlive([evaluation.id], at: first.clock.now)
                first.clock.advance(by: EvaluationHeartbeat.patience / 2)
                try await second.hub.interruptEvaluations()
                #expect(try await state() == .running)
                first.clock.advance(by: EvaluationHeartbeat.patience)
                try await second.hub.interruptEvaluations()
                #expect(try await state() == .failed)
            }
        }
    }

    @Test func oneHubCleansUpForAll() async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let isFirst = try await first.hub.metadata.runAlone {
                    let isSecond = try await second.hub.metadata.runAlone {
                        Issue.record("two hubs clean up at once")
                    }
                    #expect(!isSecond)
                }
                #expect(isFirst)
                let isNext = try await second.hub.metadata.runAlone {}
                #expect(isNext)
            }
        }
    }
}
