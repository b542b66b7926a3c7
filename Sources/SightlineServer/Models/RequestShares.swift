import DurableFiles
import Foundation
import ModelHub
import Sightline

/// The shares into which the requests for a hub's model fall by their keys while the hub rolls a version out.
///
/// For the hub, each share is a separate installation: it has a group in the rollout, gets the version of that group, and reports the
/// results of its requests. A key always falls into the same share, and shares keep their groups when the server starts again.
struct RequestShares: Sendable {
    /// The number of shares, so that a step of a rollout may be as small as one percent.
    static let count = 100

    /// The share of requests with a key.
    static func number(of key: String) -> Int {
        let digits = SHA256.hexadecimalDigest(of: Data(key.utf8)).prefix(8)
        return Int(digits, radix: 16).map { $0 % count } ?? 0
    }

    private let managers: [ModelManager]
    private let reporters: [OutcomeReporter]

    /// Creates shares whose files are in the folder of a manager.
    init(of manager: ModelManager) {
        managers = (0..<Self.count).map { manager.installation(named: "\($0)") }
        reporters = managers.map { OutcomeReporter(manager: $0) }
    }

    /// The version that the hub gives to each share, in their order; nil where it does not answer.
    func offers(of model: RemoteModel) async -> [ModelManager.Offer?] {
        // A hub answers a few hundred requests a second of one address.
        let offers = try? await managers.concurrentMap(limit: 4) { manager in try? await manager.offer(of: model) }
        return offers ?? Array(repeating: nil, count: Self.count)
    }

    /// Downloads the version of a share.
    ///
    /// - Throws: Any `DownloadError`.
    func download(_ model: RemoteModel, for share: Int) async throws -> DownloadedModel {
        try await managers[share].download(model)
    }

    /// Reports results of a share.
    func report(_ assignment: ExperimentAssignment, of model: String, for share: Int) -> OutcomeReport {
        OutcomeReport(reporter: reporters[share], assignment: assignment, model: model)
    }

    /// Sends the recorded results of all shares. What cannot be sent is kept for the next time.
    func sendOutcomes() async {
        _ = try? await reporters.concurrentMap(limit: 4) { reporter in
            if await reporter.unsentCount > 0 { _ = try? await reporter.send() }
        }
    }
}

/// Records results of requests for the hub's comparison of two versions.
package final class OutcomeReport: Sendable {
    private let reporter: OutcomeReporter
    private let assignment: ExperimentAssignment
    private let model: String

    /// Creates the place for the results of a share.
    init(reporter: OutcomeReporter, assignment: ExperimentAssignment, model: String) {
        (self.reporter, self.assignment, self.model) = (reporter, assignment, model)
    }

    /// Records a picture that was analyzed.
    func succeeded(in timings: StageTimings) async {
        await reporter.record(assignment, model: model, latency: timings.total)
    }

    /// Records a picture that the model could not analyze.
    func failed() async { await reporter.recordFailure(assignment, model: model) }

    /// Records scores that an application gave to a result.
    func scored(_ scores: [String: Double]) async { await reporter.record(assignment, model: model, scores: scores) }
}
