import Foundation
import HTTPServing
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The confidences that apps report, by week.
@Suite(.hangLimit)
struct DriftTests {
    private static let outcomes = "/hub/v1/projects/my-plants/outcomes"
    private static let drift = "/hub/v1/projects/my-plants/models/plants/drift"

    // MARK: - The index

    private struct Draws: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Draws of the greater of some uniform numbers, in ten ranges.
    private static func draw(_ count: Int, greatestOf number: Int, _ draws: inout Draws) -> [Int] {
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<count {
            let value = (0..<number).map { _ in Double.random(in: 0..<1, using: &draws) }.max() ?? 0
            counts[Int(value * 10)] += 1
        }
        return counts
    }

    @Test(arguments: [100, 300, 3000])
    func equalDistributionsNeverMove(_ count: Int) {
        var draws = Draws(state: UInt64(count))
        var (alarms, covered, sum) = (0, 0, 0.0)
        for _ in 0..<1000 {
            let old = Self.draw(count, greatestOf: 3, &draws)
            guard let index = StabilityIndex(from: old, to: Self.draw(count, greatestOf: 3, &draws)) else { continue }
            alarms += index.hasMoved ? 1 : 0
            covered += index.lower <= 0 && index.upper >= 0 ? 1 : 0
            sum += index.value
        }
        #expect(alarms == 0)
        #expect(covered > 970)
        #expect(abs(sum / 1000) < 6 / Double(count))
    }

    @Test func aMoveIsFoundFromAHundredReportsOn() {
        var draws = Draws(state: 7)
        var found = 0
        for _ in 0..<200 {
            let old = Self.draw(1000, greatestOf: 6, &draws)
            if StabilityIndex(from: old, to: Self.draw(100, greatestOf: 1, &draws))?.hasMoved == true { found += 1 }
        }
        #expect(found == 200)
        // Twenty answers do not suffice, however different they are.
        let low = [20, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(StabilityIndex(from: [0, 0, 0, 0, 0, 0, 0, 0, 0, 5000], to: low) == nil)
        #expect(StabilityIndex(from: low, to: [0, 0, 0, 0, 0, 0, 0, 0, 0, 5000]) == nil)
    }

    @Test func aWeekBeginsOnMonday() {
        let monday: Int64 = 4 * 86_400_000
        let week: Int64 = 7 * 86_400_000
        #expect(Timestamp(milliseconds: monday).week == 0)
        #expect(Timestamp(milliseconds: monday - 1).week == -1)
        #expect(Timestamp(milliseconds: monday + week - 1).week == 0)
        #expect("\(Timestamp(week: 0))".hasPrefix("1970-01-05"))
    }

    // MARK: - In a hub

    /// Reports of installations with a mean confidence, in an experiment or a rollout.
    private static func report(
        _ client: TestClient,
        _ count: Int,
        mean: Double,
        in experiment: String = "ab",
        variant: String = "a",
        first: Int = 0,
        token: String?? = nil,
        key: String? = nil
    ) async throws {
        for number in first..<first + count {
            let value = min(max(mean + Double(number % 5 - 2) * 0.02, 0), 1)
            let batch = """
                {"batchId":"\(experiment)-\(variant)-\(number)-\(Int(mean * 1000))","outcomes":[{"experimentId":"\(experiment)",
                 "variantId":"\(variant)","model":"plants","count":4,
                 "scores":{"confidence":{"count":4,"sum":\(4 * value),"squares":\(4 * value * value)}}}]}
                """
            let target = outcomes + (key.map { "?key=\($0)" } ?? "")
            let reply = try await client.send(.post, target, body: Data(batch.utf8), token: token)
            #expect(reply.status == 200, "\(reply.text("error.message") ?? "")")
        }
    }

    /// Calls `body` with a hub with the model "plants", an experiment and a webhook for drift.
    private func withExperiment(
        _ body: @escaping @Sendable (TestHub, TestClient, _ id: String) async throws -> Void
    ) async throws {
        // A fast machine sends more requests than one client may.
        var options = HTTPService.Options.patient
        options.rateLimit = nil
        try await TestHub.with { [options] test in
            try await test.serve(options) { client in
                let id = try await client.publish("plants", file: fakeModel(1))
                let plan = """
                    {"experimentId":"ab","parameter":"model","exposurePercent":50,
                     "variants":[{"variantId":"a"},{"variantId":"b","value":"plants"}]}
                    """
                #expect(try await client.post("/hub/v1/projects/my-plants/experiments", plan).status == 200)
                try await body(test, client, id)
            }
        }
    }

    private static func moves(_ test: TestHub) async throws -> [AuditEntry] {
        try await test.hub.records.auditLog(of: TestHub.project, limit: 100).filter { $0.action == "model.drift" }
    }

    @Test func aMoveIsSaidOnceWhereverTheHubLooksAgain() async throws {
        try await withExperiment { test, client, id in
            try await Self.report(client, 120, mean: 0.85)
            test.clock.advance(by: .seconds(7 * 24 * 3600))
            // As before: no word.
            try await Self.report(client, 120, mean: 0.85, first: 1000)
            try await test.hub.logDrift()
            #expect(try await Self.moves(test).isEmpty)
            test.clock.advance(by: .seconds(7 * 24 * 3600))
            // Twenty answers are too few.
            try await Self.report(client, 20, mean: 0.35, first: 2000)
            try await test.hub.logDrift()
            #expect(try await Self.moves(test).isEmpty)
            try await Self.report(client, 110, mean: 0.35, first: 3000)
            for _ in 0..<3 { try await test.hub.logDrift() }
            let moves = try await Self.moves(test)
            #expect(moves.count == 1 && moves.first?.event == .modelDrifted)
            #expect(moves.first?.detail.hasPrefix("version 1 of plants: mean confidence 0.35") == true)
            // The week after, it is still there: the same move.
            test.clock.advance(by: .seconds(7 * 24 * 3600))
            try await Self.report(client, 120, mean: 0.35, first: 4000)
            try await test.hub.logDrift()
            #expect(try await Self.moves(test).count == 1)

            let reply = try await client.send(.get, Self.drift)
            let version = try #require((reply.value("versions") as? [[String: Any]])?.first)
            #expect(version["version"] as? Int == 1 && version["hasMoved"] as? Bool == true)
            let weeks = try #require(version["weeks"] as? [[String: Any]])
            #expect(weeks.map { $0["reports"] as? Int } == [120, 120, 130, 120])
            #expect(weeks.map { $0["isFirst"] as? Bool } == [true, false, false, false])
            #expect(weeks.map { $0["hasMoved"] as? Bool } == [nil, false, true, true])

            let browser = try await ConsoleClient.signedIn(client, test.newAdmin())
            let page = try await browser.get("/console/models/\(id)/evaluate").text
            #expect(page.contains("Confidence of version 1 by week") && page.contains(">Moved</span>"))
            #expect(page.contains("A week that moved"))
            #expect(try await browser.get("/console/models/\(id)").text.contains(">Moved</span>"))
        }
    }

    @Test func aBatchCountsOnceAndForgedOnesNever() async throws {
        try await withExperiment { test, client, id in
            for _ in 0..<3 { try await Self.report(client, 10, mean: 0.8) }
            try await Self.report(client, 10, mean: 0.1, first: 50, token: .some(nil), key: test.apiKey)
            let found = try await test.hub.records.confidences(of: try ModelRecord.id(id))
            #expect(found[1]?.map(\.reports) == [10])
            // A batch with two records of one version is one report.
            let two = """
                {"batchId":"two-records","outcomes":[
                 {"experimentId":"ab","variantId":"a","model":"plants","count":1,
                  "scores":{"confidence":{"count":1,"sum":0.5,"squares":0.25}}},
                 {"experimentId":"ab","variantId":"b","model":"plants","count":3,
                  "scores":{"confidence":{"count":3,"sum":0.45,"squares":0.07}}}]}
                """
            _ = try await client.send(.post, Self.outcomes, body: Data(two.utf8))
            // Not a confidence.
            _ = try await client.send(
                .post,
                Self.outcomes,
                body: Data(
                    """
                    {"batchId":"not-a-share","outcomes":[{"experimentId":"ab","variantId":"a","model":"plants","count":1,
                     "scores":{"confidence":{"count":1,"sum":7,"squares":49}}}]}
                    """.utf8
                )
            )
            let reply = try await client.send(.get, Self.drift)
            let week = ((reply.value("versions") as? [[String: Any]])?.first?["weeks"] as? [[String: Any]])?.first
            #expect(week?["reports"] as? Int == 11)
            #expect((week?["ranges"] as? [Int])?[1] == 1)
        }
    }

    @Test func aRolloutsGroupsAreTwoVersions() async throws {
        try await withExperiment { test, client, _ in
            let uri = try await client.upload(fakeModel(2), as: "version.tflite")
            let model = "/hub/v1/projects/my-plants/models/plants"
            _ = try await client.send(.post, "\(model)/versions", json: ["gcsTfliteUri": uri])
            let plan: [String: Any] = ["model": "plants", "version": 2, "steps": [50]]
            let started = try await client.send(.post, "/hub/v1/projects/my-plants/rollouts", json: plan)
            #expect(started.text("rolloutId") == "plants-v2")
            try await Self.report(client, 5, mean: 0.7, in: "plants-v2", variant: "old")
            try await Self.report(client, 6, mean: 0.9, in: "plants-v2", variant: "new")
            let reply = try await client.send(.get, Self.drift)
            let versions = try #require(reply.value("versions") as? [[String: Any]])
            #expect(versions.map { $0["version"] as? Int } == [2, 1])
            let reports = versions.map { ($0["weeks"] as? [[String: Any]])?.first?["reports"] as? Int }
            #expect(reports == [6, 5])
        }
    }
}
