import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Testing

/// Apps in a rollout, against a hub as it is.
@Suite(.hangLimit)
struct RolloutClientTests {
    private static let plants = RemoteModel(name: "plants")

    @Test func eachAppGetsTheVersionOfItsGroupReportsAndReturns() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            try await hub.stage(fakeModel(2), of: "plants")
            let managers = try (0..<12).map { number in
                try ModelManager.testing(hub.address, folder: folder.appending(path: "\(number)"), key: hub.key)
            }
            // Without a rollout nothing is reported about one.
            #expect(try await managers[0].download(Self.plants).assignment == nil)
            let id = try await hub.rollOut("plants", version: 2, steps: [50, 100])
            var groups: [String] = []
            for manager in managers {
                let model = try await manager.download(Self.plants)
                let assignment = try #require(model.assignment)
                #expect(assignment.experimentID == id && assignment.parameters.isEmpty)
                #expect(model.hash == sha256(fakeModel(assignment.variantID == "new" ? 2 : 1)))
                // It is the same after a start without a network, and after another look.
                #expect(manager.downloadedModel(for: Self.plants) == model)
                #expect(try await manager.download(Self.plants) == model)
                groups.append(assignment.variantID)
                let reporter = OutcomeReporter(manager: manager)
                await reporter.record(assignment, model: "plants", latency: .milliseconds(40), scores: ["other": 3])
                await reporter.record(assignment, model: "plants", latency: .milliseconds(44))
                await reporter.recordFailure(assignment, model: "plants")
                #expect(try await reporter.send() == 3)
            }
            #expect(Set(groups).isSubset(of: ["new", "old"]))
            let shown = try await hub.rollout(id)
            let comparisons = try #require(shown["comparisons"] as? [[String: Any]])
            for comparison in comparisons {
                #expect(comparison["newDevices"] as? Int == groups.count { $0 == "new" })
                #expect(comparison["oldDevices"] as? Int == groups.count { $0 == "old" })
            }
            let means = [comparisons[1]["newMean"], comparisons[1]["oldMean"]].compactMap { $0 as? Double }
            #expect(means.allSatisfy { abs($0 - 1.0 / 3) < 1e-9 }, "\(means)")
            try await hub.end(rollout: id, "abort")
            for manager in managers {
                let model = try await manager.download(Self.plants)
                #expect(model.hash == sha256(fakeModel(1)) && model.assignment == nil)
            }
        }
    }

    @Test func afterTheEndOfARolloutAllAppsHaveTheNewVersion() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            try await hub.stage(fakeModel(2), of: "plants", threshold: 0.7)
            let id = try await hub.rollOut("plants", version: 2, steps: [1, 100])
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            _ = try await manager.download(Self.plants)
            try await hub.end(rollout: id, "finish")
            let model = try await manager.download(Self.plants)
            #expect(model.hash == sha256(fakeModel(2)) && model.confidenceThreshold == 0.7 && model.assignment == nil)
        }
    }
}
