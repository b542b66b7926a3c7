import Foundation
import HTTPServing
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct OutcomeLimitTests {
    private static let outcomes = "/hub/v1/projects/my-plants/outcomes"

    /// An experiment with two variants, and what is needed to report.
    private func withExperiment(
        _ options: HTTPService.Options = .patient,
        _ body: @escaping @Sendable (TestHub, TestClient, Caller) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let plan = ExperimentPlan(
                id: "ab",
                parameter: "model",
                variants: [.init(id: "control", value: nil), .init(id: "b", value: "v2")]
            )
            _ = try await test.hub.startExperiment(plan, by: .local(project))
            try await test.serve(options) { client in try await body(test, client, .local(project)) }
        }
    }

    private static func outcome(_ variant: String, model: String = "plants", scores: Int = 1) -> String {
        let all = (0..<scores).map { #""s\#($0)":{"count":4,"sum":3,"squares":3}"# }.joined(separator: ",")
        return """
            {"experimentId":"ab","variantId":"\(variant)","model":"\(model)","count":4,
              "latency":{"count":4,"sum":40,"squares":400,"histogram":{"53":4}},"scores":{\(all)}}
            """
    }

    private static func batch(_ id: String, _ outcomes: [String]) -> String {
        "{\"batchId\":\"\(id)\",\"outcomes\":[\(outcomes.joined(separator: ","))]}"
    }

    /// Reports as an app does that has registered.
    private static func report(
        _ batch: String,
        as fid: String,
        _ test: TestHub,
        _ client: TestClient,
        _ project: Project
    ) async throws -> TestReply {
        let installation = Installation(fid: fid, app: "a", project: project.id)
        return try await client.send(
            .post,
            "\(outcomes)?key=\(test.apiKey)",
            headers: [.installationsAuth: try test.hub.installationToken(for: installation)],
            body: Data(batch.utf8),
            token: .some(nil)
        )
    }

    @Test func outcomesOfTheSameModelAreOneRecord() async throws {
        try await withExperiment { test, client, caller in
            let batch = Self.batch("batch-0001", Array(repeating: Self.outcome("b"), count: 50))
            let reply = try await client.post(Self.outcomes, batch)
            #expect(reply.status == 200, "\(reply.message)")
            let totals = try await test.hub.outcome(of: "ab", by: caller).metrics.map { $0.variants[1].total }
            #expect(totals.map(\.count) == [200, 200, 200])
            #expect(totals.map(\.sums.devices) == [1, 1, 1])
            #expect(totals[1].histogram == [53: 200])
            #expect(totals[1].sums.mean == 10)
            #expect(totals[2].sums.mean == 0.75)
        }
    }

    /// Outcomes that are written at once add up to the same as those of many batches.
    @Test func oneBatchCountsAsManyDo() async throws {
        try await withExperiment { test, client, caller in
            let project = caller.project
            let experiment = try await test.hub.experiment("ab", by: caller)
            var fids: [String] = []
            while fids.count < 2 {
                let fid = FirebaseInstallationID.make()
                if CompiledAssignment.variant(of: fid, in: experiment)?.id == "b" { fids.append(fid) }
            }
            let models = ["m1", "m2", "m1"]
            let whole = Self.batch("batch-whole", models.map { Self.outcome("b", model: $0) })
            #expect(try await Self.report(whole, as: fids[0], test, client, project).status == 200)
            for (index, model) in models.enumerated() {
                let part = Self.batch("batch-part-\(index)", [Self.outcome("b", model: model)])
                #expect(try await Self.report(part, as: fids[1], test, client, project).status == 200)
            }
            for metric in try await test.hub.outcome(of: "ab", by: caller).metrics {
                let total = metric.variants[1].total
                #expect(total.count == 24)
                #expect(total.sums.devices == 2)
                // Both installations reported the same.
                #expect(total.sums.sumNN == 2 * 12 * 12)
                #expect(metric.variants[1].models.map(\.count) == [16, 8])
            }
        }
    }

    @Test func aBatchHasALimitedNumberOfRecords() async throws {
        try await withExperiment { test, client, caller in
            let full = (0..<2).map { Self.outcome("b", model: "m\($0)", scores: 20) }
            #expect(try await client.post(Self.outcomes, Self.batch("batch-0001", full)).status == 200)
            let more = (0..<3).map { Self.outcome("b", model: "m\($0)", scores: 20) }
            let refused = try await client.post(Self.outcomes, Self.batch("batch-0002", more))
            #expect(refused.status == 400)
            #expect(refused.message.contains("there are 66 counts, latencies and scores"), "\(refused.message)")
            let many = Array(repeating: Self.outcome("b"), count: 51)
            #expect(
                try await client.post(Self.outcomes, Self.batch("batch-0003", many)).message.contains("more than 50")
            )
        }
    }

    @Test func anInstallationThatReportsTooOftenIsAskedToWait() async throws {
        var options = HTTPService.Options.patient
        options.rateLimit = nil
        try await withExperiment(options) { test, client, caller in
            let (busy, other) = (FirebaseInstallationID.make(), FirebaseInstallationID.make())
            // Ten at once are taken, and one a second. They are sent at once, because a busy machine takes seconds for each.
            let replies = try await withThrowingTaskGroup(of: TestReply.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let batch = Self.batch("batch-\(1000 + number)", [Self.outcome("b")])
                        return try await Self.report(batch, as: busy, test, client, caller.project)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let refused = replies.filter { $0.status == 429 }
            #expect(!refused.isEmpty && refused.allSatisfy { $0.headers[.retryAfter] != nil })
            #expect(replies.count { $0.status == 200 } >= 10)
            let batch = Self.batch("batch-other", [Self.outcome("b")])
            #expect(try await Self.report(batch, as: other, test, client, caller.project).status == 200)
        }
    }

    @Test func reportsThatShowNoInstallationDecideNothing() async throws {
        try await withExperiment { test, client, caller in
            let project = caller.project
            // A stranger who knows the app's key makes one variant look much better, sixty times.
            for number in 0..<60 {
                let (variant, score) = number.isMultiple(of: 2) ? ("control", 0) : ("b", 4)
                let outcome = """
                    {"experimentId":"ab","variantId":"\(variant)","model":"m\(number)","count":4,
                     "scores":{"liked":{"count":4,"sum":\(score),"squares":\(score)}}}
                    """
                let body = Array(Self.batch("batch-\(1000 + number)", [outcome]).utf8)
                let batch = try OutcomeBatch(body, installation: nil)
                let receipt = try await test.hub.add(batch, by: .unidentified, to: project)
                #expect(receipt.accepted == 1)
            }
            let outcome = try await test.hub.outcome(of: "ab", by: caller)
            #expect(outcome.metrics.map(\.metric) == [.unidentified])
            #expect(outcome.metrics[0].variants.map(\.total.count) == [120, 120])
            #expect(outcome.metrics[0].variants.map(\.total.sums.devices) == [0, 0])
            #expect(outcome.metrics[0].variants.allSatisfy { $0.comparison == nil && $0.models.isEmpty })
            #expect(outcome.divisionProbability == nil)
            #expect(outcome.sentences.contains { $0.hasPrefix("240 results came without an installation token") })
            // Through the API it is the same.
            let batch = Self.batch("batch-api", [Self.outcome("b")])
            let reply = try await client.post("\(Self.outcomes)?key=\(test.apiKey)", batch, token: nil)
            #expect(reply.value("accepted") as? Int == 1)
            #expect(try await test.hub.outcome(of: "ab", by: caller).metrics.count == 1)
        }
    }

    @Test func aProjectsBatchesWaitInALineThatEnds() async throws {
        let queue = OutcomeQueue()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (starts, starting) = AsyncStream<Void>.makeStream()
        let (refusals, refusing) = AsyncStream<Int>.makeStream()
        let first = Task {
            try await queue.inTurn(of: "a") {
                starting.yield()
                for await _ in gate { break }
                return true
            }
        }
        for await _ in starts { break }
        let others = (0..<40).map { _ in
            Task {
                do {
                    return try await queue.inTurn(of: "a") { true }
                } catch {
                    refusing.yield((error as? HubError)?.httpStatus ?? 0)
                    return false
                }
            }
        }
        // Sixteen of a project are written or wait; the others get an answer at once.
        var statuses: [Int] = []
        for await status in refusals {
            statuses.append(status)
            if statuses.count == 25 { break }
        }
        #expect(Set(statuses) == [429])
        let another = Task { try await queue.inTurn(of: "b") { true } }
        opening.yield()
        #expect(try await first.value)
        #expect(try await another.value)
        var taken = 0
        for task in others where await task.value { taken += 1 }
        #expect(taken == 15)
        #expect(try await queue.inTurn(of: "a") { true })
    }

    @Test func aBatchIsForgottenAfterAMonth() async throws {
        try await withExperiment { test, client, caller in
            let batch = Self.batch("batch-0001", [Self.outcome("b")])
            #expect(try await client.post(Self.outcomes, batch).value("accepted") as? Int == 1)
            test.clock.advance(by: .seconds(29 * 24 * 3600))
            _ = try await test.hub.cleanUp()
            #expect(try await client.post(Self.outcomes, batch).value("repeated") as? Bool == true)
            test.clock.advance(by: .seconds(2 * 24 * 3600))
            _ = try await test.hub.cleanUp()
            #expect(try await client.post(Self.outcomes, batch).value("accepted") as? Int == 1)
        }
    }

    @Test func aProjectHasALimitedNumberOfExperiments() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let caller = Caller.local(project)
            let variants: [Experiment.Variant] = [.init(id: "a", value: "x"), .init(id: "b", value: "y")]
            var etag = project.firstTemplateEtag
            for number in 0..<Experiment.limit {
                var experiment = Experiment(
                    id: "e\(number)",
                    parameter: "model",
                    variants: variants,
                    exposurePercent: 1,
                    startTime: test.clock.now
                )
                experiment.stopTime = test.clock.now
                etag = try await test.hub.publish(
                    ConfigTemplate(),
                    test.hub.newVersion("REST_API", "FORCED_UPDATE", caller),
                    in: .client,
                    replacing: etag,
                    experiment: experiment,
                    by: caller,
                    "experiment.stop"
                ).etag
            }
            let plan = ExperimentPlan(id: "more", parameter: "model", variants: variants)
            let error = await #expect(throws: HubError.self) { try await test.hub.startExperiment(plan, by: caller) }
            #expect(error?.message.contains("already has the maximum of") == true, "\(error?.message ?? "")")
            #expect(try await test.hub.configTemplate(by: caller).etag == etag)
        }
    }

    @Test func theValuesOfVariantsAreBounded() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let long = String(repeating: "x", count: 40_000)
            let plan = ExperimentPlan(
                id: "ab",
                parameter: "model",
                variants: [.init(id: "a", value: long), .init(id: "b", value: long)]
            )
            let error = await #expect(throws: HubError.self) {
                try await test.hub.startExperiment(plan, by: .local(project))
            }
            #expect(error?.message.contains("80000 bytes in total") == true)
        }
    }
}
