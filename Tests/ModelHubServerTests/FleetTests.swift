import Foundation
import HTTPTypes
import HubTestSupport
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
            for credential in try await hubs.0.hub.records.credentials(of: .project(project.id))
            where credential.kind == .apiKey {
                #expect(
                    try await hubs.0.hub.records.revoke(
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
                let store = second.hub.records
                while !store.database.feed.isComplete { await Task.yield() }
                let changes = second.hub.records.changes()
                _ = try await first.hub.createProject("new-project", quota: nil, requiresInstallation: false)
                #expect(await changes.contains(.project("new-project")))
            }
        }
    }

    private func state(of evaluation: EvaluationRecord, in records: HubRecords) async throws -> EvaluationRecord.State?
    {
        try await records.evaluation(evaluation.id, of: TestHub.project)?.state
    }

    /// An evaluation on which a hub works.
    private func running(in test: TestHub) async throws -> EvaluationRecord {
        let model = try await test.hub.records.insert(.test("plants"), version: nil, audit: .test)
        return try await test.hub.records.insert(
            EvaluationRecord(
                project: TestHub.project,
                model: model.id,
                kind: "labels",
                version: 1,
                hash: try .test("x"),
                archiveName: "x.zip",
                byteCount: 1,
                actor: "ann",
                createTime: test.clock.now,
                state: .running
            ),
            audit: .test
        )
    }

    @Test func aHubLeavesTheEvaluationsOfOtherHubsAlone() async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let records = first.hub.records
                let evaluation = try await running(in: first)
                // The other hub starts while the first works.
                try await second.hub.interruptEvaluations()
                #expect(try await state(of: evaluation, in: records) == .running)
                first.clock.advance(by: EvaluationHeartbeat.timeout / 2)
                try await records.keepEvaluationsAlive([evaluation.id], at: first.clock.now)
                first.clock.advance(by: EvaluationHeartbeat.timeout / 2)
                try await second.hub.interruptEvaluations()
                #expect(try await state(of: evaluation, in: records) == .running)
                first.clock.advance(by: EvaluationHeartbeat.timeout)
                try await second.hub.interruptEvaluations()
                #expect(try await state(of: evaluation, in: records) == .failed)
            }
        }
    }

    @Test(arguments: [3600, 365 * 86_400]) func anEvaluationEndsWithItsHubAfterTheClockWasSetBack(ahead: Int)
        async throws
    {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let evaluation = try await running(in: first)
                let records = first.hub.records
                first.clock.advance(by: .seconds(ahead))
                try await records.keepEvaluationsAlive([evaluation.id], at: first.clock.now)
                first.clock.advance(by: .seconds(-ahead))
                // Its hub has not said anything since.
                try await second.hub.interruptEvaluations()
                #expect(try await state(of: evaluation, in: records) == .running)
                first.clock.advance(by: EvaluationHeartbeat.timeout)
                try await second.hub.interruptEvaluations()
                #expect(try await state(of: evaluation, in: records) == .failed)
            }
        }
    }

    @Test func anEvaluationThatAnotherHubCancelsStops() async throws {
        try await withTemporaryFolder { folder in
            let (program, process) = (folder.appending(path: "program"), folder.appending(path: "process"))
            try Data("#!/bin/sh\necho $$ > '\(process.path)'\nexec sleep 600\n".utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
            var options = Hub.Options()
            options.evaluator = program
            try await TestHub.with(options: options, database: .postgres) { first in
                try await first.withAnotherHub { second in
                    let logger = HubServer.makeLogger(level: .critical)
                    let following = Task { try await EvaluationService(hub: first.hub, logger: logger).run() }
                    let caller = try await first.hub.caller(bearerToken: first.admin)
                    try await first.serve { client in _ = try await client.publish("plants", file: fakeModel()) }
                    let models = try await first.hub.records.models(
                        of: TestHub.project,
                        where: nil,
                        after: 0,
                        limit: 1
                    )
                    let archive = try first.hub.stage(for: caller.project)
                    let evaluation = try await first.hub.evaluate(
                        try #require(models.first),
                        version: nil,
                        on: archive,
                        named: "a.zip",
                        by: caller
                    )
                    var number: pid_t?
                    while number == nil {
                        let text = try? String(contentsOf: process, encoding: .utf8)
                        number = text.flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    let store = first.hub.records
                    while !store.database.feed.isComplete { try await Task.sleep(for: .milliseconds(10)) }
                    try await second.hub.cancelEvaluation(evaluation, by: caller)
                    while await !first.hub.evaluations.open.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                    let id = try #require(number)
                    #expect(kill(id, 0) == -1)
                    let record = try await second.hub.records.evaluation(evaluation.id, of: TestHub.project)
                    #expect(record?.state == .cancelled)
                    following.cancel()
                    _ = try? await following.value
                }
            }
        }
    }

    /// Each answer asks its client to come again; the log states the cause in a single line.
    @Test func theCauseOfFailuresIsLoggedOnce() async throws {
        let server = try await PostgresServer.shared
        try await TestHub.with(database: .postgres) { test in
            let store = test.hub.records
            let name = try await store.database.read { db in
                try db.value(String.self, "SELECT current_database()")
            }
            let database = try #require(name)
            let log = LogRecorder()
            try await test.serve(logger: log.logger) { client in
                #expect(try await client.send(.get, TestClient.models).status == 200)
                try await server.execute("ALTER DATABASE \(database) ALLOW_CONNECTIONS false")
                try await server.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(database)'"
                )
                for _ in 0..<5 { #expect(try await client.send(.get, TestClient.models).status == 503) }
            }
            let causes = log.lines.filter { $0.contains("cause of failures") }
            #expect((1...2).contains(causes.count), "\(log.lines)")
            #expect(causes.contains { $0.contains("not currently accepting connections") })
        }
    }

    @Test func oneHubCleansUpForAll() async throws {
        try await TestHub.with(database: .postgres) { first in
            try await first.withAnotherHub { second in
                let isFirst = try await first.hub.records.withExclusiveLease {
                    let isSecond = try await second.hub.records.withExclusiveLease {
                        Issue.record("two hubs clean up at once")
                    }
                    #expect(!isSecond)
                }
                #expect(isFirst)
                let isNext = try await second.hub.records.withExclusiveLease {}
                #expect(isNext)
            }
        }
    }
}
