import Foundation
import HubTestSupport
import Sightline
import SightlineTestSupport
import SightlineTesting
import Synchronization
import Testing

@testable import ModelHub

/// Differences between answers, and their counts.
struct AnswerDifferenceTests {
    private func label(_ text: String, _ confidence: Float) -> Label {
        Label(text: text, index: 3, confidence: confidence)
    }

    private func object(_ text: String, _ x: Double, confidence: Float = 0.9) -> DetectedObject {
        DetectedObject(
            frame: PixelRect(x: x, y: 0, width: 100, height: 100),
            confidence: confidence,
            labels: text.isEmpty ? [] : [label(text, confidence)]
        )
    }

    @Test func labelsDifferIfTheMostConfidentOneDoes() {
        let same = AnswerDifference([label("ash", 0.9), label("oak", 0.1)], [label("ash", 0.5), label("elm", 0.4)])
        #expect(!same.isDifferent && same.labels == ["ash": false] && same.weight == 0)
        let other = AnswerDifference([label("ash", 0.9)], [label("oak", 0.5)])
        #expect(other.isDifferent && other.labels == ["ash": true] && abs(other.weight - 1.4) < 1e-6)
        let none = AnswerDifference([], [label("oak", 0.5)])
        #expect(none.isDifferent && none.labels == ["(nothing)": true])
        #expect(!AnswerDifference([] as [Label], []).isDifferent)
        #expect(AnswerDifference([label("", 0.9)], [label("", 0.9)]).labels == ["class 3": false])
    }

    @Test func anObjectNeedsAPartnerOfItsLabelAtItsPlace() {
        let moved = AnswerDifference([object("dog", 0)], [object("dog", 30)])
        #expect(!moved.isDifferent && moved.labels == ["dog": false])
        let far = AnswerDifference([object("dog", 0)], [object("dog", 40)])
        #expect(far.isDifferent && far.labels == ["dog": true])
        let renamed = AnswerDifference([object("dog", 0)], [object("cat", 0)])
        #expect(renamed.isDifferent && renamed.labels == ["dog": true, "cat": true])
        let more = AnswerDifference([object("dog", 0)], [object("dog", 0), object("cat", 300)])
        #expect(more.isDifferent && more.labels == ["dog": false, "cat": true])
        #expect(AnswerDifference([object("", 0)], [object("", 0)]).labels == ["object": false])
    }

    @Test func aPartnerIsTheOneOfOneObject() {
        let two = AnswerDifference([object("dog", 0), object("dog", 10, confidence: 0.5)], [object("dog", 5)])
        #expect(two.isDifferent && abs(two.weight - 0.5) < 1e-6)
        // The nearest partner is taken, so that the other object finds its own.
        let crossed = AnswerDifference(
            [object("dog", 0), object("dog", 30)],
            [object("dog", 30, confidence: 0.9), object("dog", 0, confidence: 0.8)]
        )
        #expect(!crossed.isDifferent)
    }

    @Test func theIntervalHoldsHoweverOftenItIsLookedAt() {
        var misses = 0
        for seed in 0..<400 as Range<UInt64> {
            var (sample, different) = (SampledShare(0.03, seed: seed), 0)
            for count in 1...1500 {
                if sample.draw() { different += 1 }
                guard count.isMultiple(of: 25) else { continue }
                let share = DifferenceShare(count: count, different: different)
                if !(share.lower...share.upper).contains(3) {
                    misses += 1
                    break
                }
            }
        }
        #expect(misses <= 20, "\(misses) of 400")
        let share = DifferenceShare(count: 1204, different: 37)
        #expect(share.lower > 1.5 && share.upper < 5.5, "\(share)")
        let none = DifferenceShare(count: 0, different: 0)
        #expect(none.percent == nil && none.lower == 0 && none.upper == 100)
    }

    @Test func aSeedDrawsTheSameCalls() {
        func draws(_ seed: UInt64) -> [Bool] {
            var sample = SampledShare(0.05, seed: seed)
            return (0..<10_000).map { _ in sample.draw() }
        }
        #expect(draws(1) == draws(1) && draws(1) != draws(2))
        #expect((400...600).contains(draws(1).count { $0 }))
        var (all, none) = (SampledShare(1), SampledShare(0))
        #expect((0..<100).allSatisfy { _ in all.draw() && !none.draw() })
    }

    @Test func workBeyondTheLineIsRefused() async throws {
        let lane = ShadowLane()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let done = Mutex(0)
        let blocked: @Sendable () async -> Void = {
            begin.yield()
            for await _ in ends { break }
            done.withLock { $0 += 1 }
        }
        #expect(lane.offer(blocked))
        for await _ in begun { break }
        #expect(lane.offer { done.withLock { $0 += 1 } })
        #expect(lane.offer { done.withLock { $0 += 1 } })
        #expect(!lane.offer { done.withLock { $0 += 100 } })
        end.finish()
        try await wait { done.withLock { $0 } != 3 }
        #expect(lane.offer { done.withLock { $0 += 1 } })
        try await wait { done.withLock { $0 } != 4 }
    }
}

/// The staged version on a share of an app's pictures, against a hub as it is.
@Suite(.hangLimit)
struct ModelShadowTests {
    private static let plants = RemoteModel(name: "plants")

    private func file(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("models/\(name).tflite")) }

    private func picture(_ number: Int) throws -> VisionImage {
        VisionImage(pixels: try TestScene(blocks: [.init(.red, column: number % 8, row: 2)]).pixels())
    }

    @Test func theConsoleHearsHowOftenTheStagedVersionDiffers() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let model = try await manager.download(Self.plants)
            let reporter = OutcomeReporter(manager: manager)
            let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model.localModel))
            let shadow = manager.shadow(of: model, share: 1, reportingTo: reporter)
            // Without a staged version nothing is compared.
            #expect(try await !shadow.update())
            shadow.compare(try await labeler.labels(in: try picture(0)), in: try picture(0))
            #expect(shadow.counts == ModelShadow.Counts())
            // A version that never is confident enough answers nothing.
            try await hub.stage(try file("classifier_int8_metadata"), of: "plants", threshold: 1)
            #expect(try await shadow.update())
            for number in 0..<10 {
                let labels = try await labeler.labels(in: try picture(number))
                #expect(!labels.isEmpty)
                shadow.compare(labels, in: try picture(number))
                try await wait { shadow.counts.compared != number + 1 }
            }
            #expect(shadow.counts.different == 10 && shadow.counts.interval.lowerBound > 0.5)
            try await wait { await reporter.unsentCount != 10 }
            #expect(try await reporter.send() == 10)
            let shown = try #require(try await hub.shadows(of: "plants").first)
            #expect(shown["servedVersion"] as? Int == 1 && shown["candidateVersion"] as? Int == 2)
            #expect(shown["installations"] as? Int == 1)
            let share = try #require(shown["share"] as? [String: Any])
            #expect(share["count"] as? Int == 10 && share["different"] as? Int == 10)
            #expect(share["percent"] as? Double == 100 && share["lower"] as? Double ?? 0 > 50)
            let labels = try #require(shown["labels"] as? [[String: Any]])
            #expect(!labels.isEmpty && labels.allSatisfy { $0["label"] as? String != "" })
            // Sent sums count once.
            #expect(try await reporter.send() == 0)
            try await hub.promote("plants")
            #expect(try await shadow.update())
            // The app's own version is not compared with itself.
            let new = try await manager.download(Self.plants)
            #expect(try await !manager.shadow(of: new, share: 1, reportingTo: nil).update())
        }
    }

    @Test func countsWaitOnDiskForTheHub() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            try await hub.stage(fakeModel(2), of: "plants")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let away = try ModelManager.testing("http://127.0.0.1:1", folder: folder)
            let labels = (0..<250).map { Label(text: "label \($0)", index: $0, confidence: 0.5) }
            let reporter = OutcomeReporter(manager: away)
            for label in labels {
                await reporter.record(
                    AnswerDifference([label], [labels[0]]),
                    of: "plants",
                    served: sha256(fakeModel(1)),
                    candidate: sha256(fakeModel(2))
                )
            }
            await #expect(throws: RemoteConfigError.self) { try await reporter.send() }
            #expect(await reporter.unsentCount == 250)
            // Another process sends them, in parts that a hub takes.
            let later = OutcomeReporter(manager: manager)
            #expect(try await later.send() == 250)
            let shown = try #require(try await hub.shadows(of: "plants").first)
            #expect((shown["labels"] as? [Any])?.count == 250)
            let share = try #require(shown["share"] as? [String: Any])
            #expect(share["count"] as? Int == 250 && share["different"] as? Int == 249)
        }
    }

    @Test func versionsThatTheHubDoesNotHaveAreIgnored() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let reporter = OutcomeReporter(manager: manager)
            for (model, other) in [("plants", 3), ("plants", 1), ("animals", 1)] {
                await reporter.record(
                    AnswerDifference([] as [Label], []),
                    of: model,
                    served: sha256(fakeModel(1)),
                    candidate: sha256(fakeModel(other))
                )
            }
            _ = try await reporter.send()
            #expect(try await hub.shadows(of: "plants").isEmpty)
        }
    }
}
