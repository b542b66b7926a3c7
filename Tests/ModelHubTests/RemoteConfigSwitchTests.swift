import Foundation
import HubTestSupport
import ModelHubServer
import Sightline
import SightlineTestSupport
import Testing

@testable import ModelHub

/// The stand-in for a compiled model: the bytes of its file.
private struct Bytes: Sendable, Hashable {
    let data: Data

    init(_ model: LocalModel) throws { data = try Data(contentsOf: model.url) }
}

@Suite(.hangLimit)
struct RemoteConfigSwitchTests {
    private static func substitute(_ folder: URL) throws -> LocalModel {
        let file = folder.appending(path: "bundled.tflite")
        try fakeModel(0).write(to: file)
        return LocalModel(url: file)
    }

    @Test func aChangedParameterSwitchesTheModelEndToEnd() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("first", fakeModel(1))
            try await hub.publish("second", fakeModel(2))
            try await hub.setParameter("model", "first")
            let manager = try ModelManager.testing(hub.address, folder: folder.appending(path: "m"), key: hub.key)
            let config = RemoteConfig(manager: manager, settings: .always)
            let labeler = try await ModelSwitch(
                parameter: "model",
                of: config,
                from: manager,
                otherwise: try Self.substitute(folder)
            ) { try Bytes($0) }
            #expect(labeler.current.engine.data == fakeModel(0))
            #expect(labeler.current.name == nil)
            let events = await labeler.events()
            let following = Task { await labeler.follow() }
            try await config.fetchAndActivate()
            for await event in events {
                if case .switched("first", _) = event { break }
            }
            #expect(labeler.current.engine.data == fakeModel(1))
            try await hub.setParameter("model", "second")
            try await config.fetchAndActivate()
            let later = await labeler.events()
            if labeler.current.name != "second" {
                for await event in later {
                    if case .switched("second", _) = event { break }
                }
            }
            #expect(labeler.current.engine.data == fakeModel(2))
            #expect(labeler.current.model?.hash == sha256(fakeModel(2)))
            following.cancel()
            // The next start has it at once, without the substitute.
            let again = try await ModelSwitch(
                parameter: "model",
                of: RemoteConfig(manager: manager),
                from: manager,
                otherwise: LocalModel(url: URL(filePath: "/none"))
            ) { try Bytes($0) }
            #expect(again.current.name == "second")
        }
    }

    @Test func theOldModelServesUntilTheNewOneIsReadyAndIfThatFails() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("first", fakeModel(1))
            try await hub.publish("broken", fakeModel(9))
            try await hub.setParameter("model", "first")
            let manager = try ModelManager.testing(hub.address, folder: folder.appending(path: "m"), key: hub.key)
            let config = RemoteConfig(manager: manager, settings: .always)
            try await config.fetchAndActivate()
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let isOpen = Log<Bool>()
            let labeler = try await ModelSwitch(
                parameter: "model",
                of: config,
                from: manager,
                otherwise: try Self.substitute(folder)
            ) { model in
                let engine = try Bytes(model)
                if engine.data == fakeModel(1), isOpen.all.isEmpty { for await _ in gate { break } }
                if engine.data == fakeModel(9) { throw DownloadError.emptyModelName }
                return engine
            }
            let update = Task { try await labeler.update() }
            // While the new one is being compiled the old one serves.
            while manager.downloadedModel(for: RemoteModel(name: "first")) == nil { await Task.yield() }
            #expect(labeler.current.engine.data == fakeModel(0))
            isOpen.add(true)
            opening.yield()
            #expect(try await update.value)
            #expect(labeler.current.engine.data == fakeModel(1))

            let events = await labeler.events()
            for name in ["missing", "broken", "no name"] {
                try await hub.setParameter("model", name)
                try await config.fetchAndActivate()
                await #expect(throws: DownloadError.self) { try await labeler.update() }
                #expect(labeler.current.engine.data == fakeModel(1))
                #expect(labeler.current.name == "first")
                for await event in events {
                    guard case .failed(name, let reason) = event else { continue }
                    #expect(!reason.isEmpty)
                    break
                }
            }
            // An empty name is not an order.
            try await hub.setParameter("model", "")
            try await config.fetchAndActivate()
            #expect(try await !labeler.update())
            #expect(labeler.current.name == "first")
        }
    }

    @Test func anUpdateSeesAChangeThatCameDuringAnother() async throws {
        try await ClientHub.with { hub, folder in
            for (name, number) in [("first", 1), ("second", 2)] { try await hub.publish(name, fakeModel(number)) }
            try await hub.setParameter("model", "first")
            let manager = try ModelManager.testing(hub.address, folder: folder.appending(path: "m"), key: hub.key)
            let config = RemoteConfig(manager: manager, settings: .always)
            try await config.fetchAndActivate()
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let waiting = Log<Bool>()
            let labeler = try await ModelSwitch(
                parameter: "model",
                of: config,
                from: manager,
                otherwise: try Self.substitute(folder)
            ) { model in
                let engine = try Bytes(model)
                if engine.data == fakeModel(1) {
                    waiting.add(true)
                    for await _ in gate { break }
                }
                return engine
            }
            let first = Task { try await labeler.update() }
            try await wait(while: { waiting.all.isEmpty })
            try await hub.setParameter("model", "second")
            try await config.fetchAndActivate()
            let later = (0..<3).map { _ in Task { try await labeler.update() } }
            for _ in 0..<1000 { await Task.yield() }
            opening.yield()
            #expect(try await first.value)
            for update in later { _ = try await update.value }
            #expect(labeler.current.name == "second")
        }
    }

    @Test func aNewVersionOfTheSameModelTakesOverToo() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("first", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder.appending(path: "m"), key: hub.key)
            let config = RemoteConfig(manager: manager, defaults: ["model": "first"])
            let labeler = try await ModelSwitch(
                parameter: "model",
                of: config,
                from: manager,
                otherwise: try Self.substitute(folder)
            ) { try Bytes($0) }
            #expect(try await labeler.update())
            #expect(try await !labeler.update())
            try await hub.replace(id, with: fakeModel(5))
            let old = labeler.current
            #expect(try await labeler.update())
            #expect(labeler.current.engine.data == fakeModel(5))
            // An app that still works with the old one has it.
            #expect(old.engine.data == fakeModel(1))
            #expect(old.model.map { FileManager.default.fileExists(atPath: $0.url.path) } == true)
        }
    }

    @Test func outcomesArriveOnceWhateverHappens() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("first", fakeModel(1))
            let caller = try await hub.caller()
            let plan = ExperimentPlan(
                id: "ab",
                parameter: "model",
                variants: [.init(id: "a", value: "first"), .init(id: "b", value: "first")]
            )
            _ = try await hub.hub.startExperiment(plan, by: caller)
            let manager = try ModelManager.testing(hub.address, folder: folder.appending(path: "m"), key: hub.key)
            let config = RemoteConfig(manager: manager)
            try await config.fetchAndActivate()
            let labeler = try await ModelSwitch(
                parameter: "model",
                of: config,
                from: manager,
                otherwise: try Self.substitute(folder)
            ) { try Bytes($0) }
            #expect(labeler.current.assignment == nil)
            try await labeler.update()
            let assignment = try #require(labeler.current.assignment)
            #expect(assignment.experimentID == "ab")
            #expect(await config.experiment(of: "model") == assignment)

            // Nobody answers: what is recorded stays, also for the next process.
            let offline = try ModelManager.testing("http://127.0.0.1:9", folder: folder.appending(path: "m"))
            let reporter = OutcomeReporter(manager: offline)
            for number in 0..<10 {
                await reporter.record(
                    assignment,
                    model: "first",
                    latency: .milliseconds(10 + number),
                    scores: ["liked": number < 7 ? 1 : 0, "not a name": 1, "bad": .nan]
                )
            }
            await #expect(throws: RemoteConfigError.self) { try await reporter.send() }
            #expect(await reporter.unsentCount == 10)
            let kept = try Data(contentsOf: folder.appending(path: "m/outcomes.json"))
            let next = OutcomeReporter(manager: manager)
            await next.record(assignment, model: "first", scores: ["liked": 1])
            #expect(await next.unsentCount == 11)
            #expect(try await next.send() == 11)
            #expect(await next.unsentCount == 0)
            // A process that was killed before it knew that they had arrived sends them again.
            try kept.write(to: folder.appending(path: "m/outcomes.json"))
            #expect(try await OutcomeReporter(manager: manager).send() == 10)

            let outcome = try await hub.hub.outcome(of: "ab", by: caller)
            func total(_ metric: OutcomeMetric) -> OutcomeTotal? {
                outcome.metrics.first { $0.metric == metric }?.variants.map(\.total).first {
                    $0.variant == assignment.variantID
                }
            }
            #expect(total(.results)?.count == 11)
            #expect(total(.results)?.sums.devices == 1)
            #expect(total(.latency)?.count == 10)
            #expect(total(.latency)?.sums.mean == 14.5)
            #expect(total(.score("liked"))?.sums.sum == 8)
            #expect(outcome.metrics.map(\.metric) == [.results, .latency, .score("liked")])
        }
    }

    /// Reporters of two processes that share a folder know nothing of each other.
    @Test func theResultsOfAllProcessesOfAFolderAreSent() async throws {
        try await ClientHub.with { hub, folder in
            let caller = try await hub.caller()
            let variants: [Experiment.Variant] = [.init(id: "a", value: "x"), .init(id: "b", value: "y")]
            let plan = ExperimentPlan(id: "ab", parameter: "model", variants: variants)
            _ = try await hub.hub.startExperiment(plan, by: caller)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let config = RemoteConfig(manager: manager)
            try await config.fetchAndActivate()
            let assignment = try #require(await config.experiment(of: "model"))
            let reporters = (0..<3).map { _ in OutcomeReporter(manager: manager) }
            for reporter in reporters {
                for _ in 0..<120 { await reporter.record(assignment, model: "m", latency: .milliseconds(5)) }
            }
            for reporter in reporters { try await reporter.save() }
            #expect(await OutcomeReporter(manager: manager).unsentCount == 360)
            #expect(try await reporters[1].send() == 360)
            for reporter in reporters { #expect(await reporter.unsentCount == 0) }
            let metrics = try await hub.hub.outcome(of: "ab", by: caller).metrics
            #expect(metrics.first?.variants.map(\.total.count).reduce(0, +) == 360)
        }
    }

    @Test func manyOutcomesGoInBatchesThatTheHubTakes() async throws {
        try await ClientHub.with { hub, folder in
            let caller = try await hub.caller()
            let variants: [Experiment.Variant] = [.init(id: "a", value: "x"), .init(id: "b", value: "y")]
            let plan = ExperimentPlan(id: "ab", parameter: "model", variants: variants)
            _ = try await hub.hub.startExperiment(plan, by: caller)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let config = RemoteConfig(manager: manager)
            try await config.fetchAndActivate()
            let assignment = try #require(await config.experiment(of: "model"))
            let reporter = OutcomeReporter(manager: manager)
            let scores = Dictionary(uniqueKeysWithValues: (0..<20).map { ("s\($0)", 1.0) })
            for number in 0..<12 {
                await reporter.record(assignment, model: "m\(number)", latency: .milliseconds(5), scores: scores)
            }
            #expect(try await reporter.send() == 12)
            let metrics = try await hub.hub.outcome(of: "ab", by: caller).metrics
            #expect(metrics.count == 22)
            #expect(metrics.allSatisfy { $0.variants.map(\.total.count).reduce(0, +) == 12 })
        }
    }

    @Test func aReporterThatIsAskedToWaitDoes() async throws {
        try await ScriptedServer.with { request, server in
            guard request.path.hasSuffix("/outcomes") else {
                return .init(body: Data(#"{"authToken":{"token":"t"}}"#.utf8))
            }
            return server.count("/hub/v1/projects/my-plants/outcomes") < 3
                ? .init(status: 429, headers: [("Retry-After", "0")]) : .init(body: Data("{}".utf8))
        } _: { server in
            try await withTemporaryFolder { folder in
                let reporter = OutcomeReporter(manager: try ModelManager.testing(server.address, folder: folder))
                let assignment = ExperimentAssignment(experimentID: "ab", variantID: "b", parameters: ["model"])
                await reporter.record(assignment, model: "first")
                #expect(try await reporter.send() == 1)
                #expect(server.count("/hub/v1/projects/my-plants/outcomes") == 3)
            }
        }
    }

    @Test func outcomesStayWhereAHubIsAlwaysTooBusy() async throws {
        try await ScriptedServer.with { request, _ in
            request.path.hasSuffix("/outcomes")
                ? .init(status: 429) : .init(body: Data(#"{"authToken":{"token":"t"}}"#.utf8))
        } _: { server in
            try await withTemporaryFolder { folder in
                let reporter = OutcomeReporter(manager: try ModelManager.testing(server.address, folder: folder))
                let assignment = ExperimentAssignment(experimentID: "ab", variantID: "b", parameters: ["model"])
                await reporter.record(assignment, model: "first")
                let error = await #expect(throws: RemoteConfigError.self) { try await reporter.send() }
                guard case .unavailable = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(await reporter.unsentCount == 1)
                #expect(server.count("/hub/v1/projects/my-plants/outcomes") == RetryPolicy().tries)
            }
        }
    }
}
