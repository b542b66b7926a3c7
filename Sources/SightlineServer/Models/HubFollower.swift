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
    }

    /// Follows the model until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await follow() }
    }

    /// What the follower remembers between two questions.
    private struct Memory {
        /// The version in use, with its threshold.
        var used: DownloadedModel?
        /// The version that was tried last and cannot run here, and the reason.
        var refused: (version: DownloadedModel, reason: String)?
        /// The last reason in the log.
        var logged: String?
    }

    private func follow() async {
        var memory = Memory()
        // At the start, a version from before serves at once, also while the hub is away.
        if let there = manager.downloadedModel(for: model) { await use(there, &memory) }
        while !Task.isCancelled {
            do {
                let newest = try await manager.download(model)
                if newest != memory.used, newest != memory.refused?.version { await use(newest, &memory) }
                note(newest == memory.used ? nil : memory.refused?.reason, &memory)
            } catch {
                if Task.isCancelled { return }
                note("\(error)", &memory)
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Compiles a version and puts it into use.
    private func use(_ version: DownloadedModel, _ memory: inout Memory) async {
        do {
            let loaded = try await BlockingExecutor.run {
                let loaded = try LoadedModel(version.localModel, named: name, for: limits)
                try loaded.tryOut()
                return loaded
            }
            table.replace(name, with: loaded)
            (memory.used, memory.refused, memory.logged) = (version, nil, nil)
            metrics.updated(isInUse: true)
            metrics.logger.info(
                "a model of the hub is in use",
                metadata: ["model": "\(name)", "version": "\(loaded.version.model.version)"]
            )
        } catch {
            memory.refused = (version, "The version \(version.hash.prefix(12)) cannot be used: \(error)")
            metrics.updated(isInUse: false)
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
