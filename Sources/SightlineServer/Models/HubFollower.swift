import Foundation
import HTTPServing
import Logging
import ModelHub
import ServiceLifecycle

/// Keeps a model of a hub up to date: a new version is downloaded, verified, compiled and run once beside the one in use, then takes
/// its place between two requests.
///
/// A version that cannot run here leaves the earlier one in use; the log, `/v1/models` and the metrics say so. While the hub does not
/// answer, the version that was downloaded last is in use.
package struct HubFollower: Service {
    private let model: RemoteModel
    /// The model's name in the table.
    private let name: String
    private let manager: ModelManager
    private let table: ModelTable
    private let limits: AnswerService.Options
    private let metrics: AnswerMetrics
    /// The time between two questions to the hub, which answers them without a body while nothing is new.
    private let interval: Duration
    private let shares: RequestShares

    /// The number of requests between two checks of a rollout: once a minute.
    private static let questionsPerLook = 12
    /// The number of requests between two trials of a version that cannot run here. It doubles with each trial, up to an hour: what was
    /// missing, such as memory, may be there again.
    private static let (firstPause, longestPause) = (12, 720)

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - model: a model of the service's table.
    ///   - manager: downloads models.
    ///   - interval: the time between two questions to the hub.
    package init(
        of model: RemoteModel,
        by manager: ModelManager,
        for service: AnswerService,
        interval: Duration = .seconds(5)
    ) {
        (self.model, self.manager, table) = (model, manager, service.models)
        name = ModelSource.hub(model).name
        (limits, metrics, self.interval) = (service.options, service.metrics, interval)
        shares = RequestShares(of: manager)
    }

    /// Follows the model until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await follow() }
    }

    /// A version that cannot run here.
    private struct Refused {
        var version: DownloadedModel
        var reason: String
        /// The questions to the hub until the next trial, and between two trials.
        var rest: Int
        var pause: Int
    }

    /// The state of the follower between two requests.
    private struct Memory {
        /// The version in use, with its threshold.
        var used: DownloadedModel?
        /// The version that was tried last and cannot run here.
        var refused: Refused?
        /// The last reason in the log.
        var logged: String?
        /// The version that this server's installation got last.
        var seen: DownloadedModel?
        /// The versions that the hub's last answer offered to the shares of the requests.
        var offers: [ModelManager.Offer?] = []
        /// The version that a rollout gives to some shares of the requests.
        var other: (hash: String, loaded: LoadedModel)?
    }

    private func follow() async {
        var memory = Memory()
        // At the start, a version from before serves at once, also while the hub is away.
        if let there = manager.downloadedModel(for: model) { await use(there, &memory) }
        var question = 0
        while !Task.isCancelled {
            do {
                let newest = try await manager.download(model)
                memory.refused?.rest -= 1
                if memory.used == nil, Self.mayTry(newest, memory) { await use(newest, &memory) }
                let isLookDue = question % Self.questionsPerLook == 0 || newest != memory.seen
                memory.seen = newest
                // A rollout that brings a version to this server's installation does not bring it to all requests.
                if isLookDue ? try await lookAtRollout(&memory) : !memory.offers.isEmpty {
                    note(nil, &memory)
                } else {
                    if newest != memory.used, Self.mayTry(newest, memory) { await use(newest, &memory) }
                    note(newest == memory.used ? nil : memory.refused?.reason, &memory)
                }
            } catch {
                if Task.isCancelled { return }
                note("\(error)", &memory)
            }
            question += 1
            try? await Task.sleep(for: interval)
        }
    }

    /// Whether it is time to try a version.
    private static func mayTry(_ version: DownloadedModel, _ memory: Memory) -> Bool {
        guard let refused = memory.refused, refused.version == version else { return true }
        return refused.rest <= 0
    }

    /// Gives each share of the requests the version that the hub has for it, and sends the results of the shares.
    ///
    /// - Returns: whether a rollout is under way.
    /// - Throws: the errors of `ModelManager` if the hub does not answer; then nothing changes.
    private func lookAtRollout(_ memory: inout Memory) async throws -> Bool {
        let own = try await manager.offer(of: model)
        if !memory.offers.isEmpty { await shares.sendOutcomes() }
        guard own.isRolledOut, let used = memory.used else {
            table.setRollout(nil, of: name)
            (memory.offers, memory.other) = ([], nil)
            return false
        }
        let earlier = memory.offers
        let offers = await shares.offers(of: model).enumerated().map { share, offer in
            offer ?? (share < earlier.count ? earlier[share] : nil)
        }
        memory.offers = offers
        let others = offers.indices.filter { offers[$0].map { $0.hash != used.hash } ?? false }
        if let share = others.first, let hash = offers[share]?.hash, hash != memory.other?.hash {
            memory.other = await load(hash, of: share)
        }
        let other = memory.other
        table.setRollout(
            ModelTable.Rollout(
                versions: offers.map { $0?.hash == other?.hash ? other?.loaded : nil },
                reports: offers.enumerated().map { share, offer in
                    guard let offer, let assignment = offer.assignment, [used.hash, other?.hash].contains(offer.hash)
                    else { return nil }
                    return shares.report(assignment, of: model.name, for: share)
                }
            ),
            of: name
        )
        return true
    }

    /// Downloads and compiles the version of a share; nil after a line in the log if it cannot be used here, and then the share has the
    /// version of the others.
    private func load(_ hash: String, of share: Int) async -> (hash: String, loaded: LoadedModel)? {
        do {
            let version = try await shares.download(model, for: share)
            let loaded = try await load(version)
            metrics.logger.info(
                "a version is rolled out",
                metadata: ["model": "\(name)", "version": "\(loaded.version.model.version)"]
            )
            return (version.hash, loaded)
        } catch {
            metrics.logger.warning(
                "a version that is rolled out cannot be used",
                metadata: ["model": "\(name)", "version": "\(hash.prefix(12))", "reason": "\(error)"]
            )
            return nil
        }
    }

    private func load(_ version: DownloadedModel) async throws -> LoadedModel {
        try await BlockingExecutor.run {
            let loaded = try LoadedModel(version.localModel, named: name, for: limits)
            try loaded.tryOut()
            return loaded
        }
    }

    /// Compiles a version and puts it into use.
    private func use(_ version: DownloadedModel, _ memory: inout Memory) async {
        do {
            let loaded = try await load(version)
            table.replace(name, with: loaded)
            (memory.used, memory.refused, memory.logged) = (version, nil, nil)
            metrics.updated(isInUse: true)
            metrics.logger.info(
                "a model of the hub is in use",
                metadata: ["model": "\(name)", "version": "\(loaded.version.model.version)"]
            )
        } catch {
            let earlier = memory.refused.flatMap { $0.version == version ? $0.pause : nil }
            let pause = min(earlier.map { $0 * 2 } ?? Self.firstPause, Self.longestPause)
            memory.refused = Refused(
                version: version,
                reason: "The version \(version.hash.prefix(12)) cannot be used: \(error)",
                rest: pause,
                pause: pause
            )
            if earlier == nil { metrics.updated(isInUse: false) }
        }
    }

    /// Notes why the newest version is not in use, with a line in the log if the reason is new.
    private func note(_ problem: String?, _ memory: inout Memory) {
        table.note(problem, about: name)
        if let problem, problem != memory.logged {
            metrics.logger.warning(
                "a model of the hub cannot be brought up to date",
                metadata: ["model": "\(name)", "reason": "\(problem)"]
            )
        }
        memory.logged = problem
    }
}
