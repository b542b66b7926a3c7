import Foundation
import HTTPServing
import ModelHub
import ServiceLifecycle
import Sightline

/// Loads a shadow, and keeps it up to date if a hub hosts it. A shadow that cannot be loaded changes nothing for clients.
package struct ShadowFollower: Service {
    private let shadow: ServedShadow
    private let text: String
    private let manager: ModelManager?
    private let limits: AnswerService.Options
    private let kept: KeptPictures?
    private let interval: Duration

    /// The numbers of rounds between two reports to the hub, between two trials of a version that cannot run here, and between two searches
    /// for pictures that are too old: with the usual interval a minute, ten minutes and an hour.
    private static let (reportRounds, trialRounds, ageRounds) = (12, 120, 720)

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - text: The shadow as the command line has it.
    ///   - manager: Downloads models; nil without a hub.
    ///   - interval: The time between two questions to the hub.
    package init(
        of shadow: ServedShadow,
        _ text: String,
        by manager: ModelManager?,
        for service: AnswerService,
        interval: Duration = .seconds(5)
    ) {
        (self.shadow, self.text, self.manager, self.interval) = (shadow, text, manager, interval)
        var limits = service.options
        limits.workers = 1
        (self.limits, kept) = (limits, service.shadows.kept)
    }

    /// Follows the shadow until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await follow() }
        await shadow.save()
    }

    private struct Memory {
        var used: DownloadedModel?
        var isLoaded = false
        /// A version that cannot run here, and the rounds until the next trial.
        var refused: (version: DownloadedModel, rest: Int)?
    }

    private func follow() async {
        var memory = Memory()
        var round = 0
        while !Task.isCancelled {
            await update(&memory)
            round += 1
            if round % Self.reportRounds == 0 { await shadow.send() }
            if round % Self.ageRounds == 0, let kept {
                await withTaskExecutorPreference(QuietExecutor.shared) { kept.removeOld() }
            }
            try? await Task.sleep(for: interval)
        }
    }

    private func update(_ memory: inout Memory) async {
        do {
            switch try ModelSource(text) {
            case .hub(let model): try await follow(model, &memory)
            case .builtInDetector, .builtInLabeler, .local:
                guard !memory.isLoaded else { return }
                memory.isLoaded = true
                shadow.use(try await load(try ModelSource(text)))
                shadow.note(nil)
            }
        } catch {
            if Task.isCancelled { return }
            shadow.note("\(error)")
        }
    }

    private func follow(_ model: RemoteModel, _ memory: inout Memory) async throws {
        guard let manager else { return }
        let newest: DownloadedModel
        do throws(DownloadError) {
            newest = try await manager.download(model)
        } catch {
            // Without a staged version there is nothing to compare.
            if error.isAboutMissingVersion, memory.used != nil {
                memory.used = nil
                shadow.use(nil)
            }
            throw error
        }
        guard newest != memory.used else { return shadow.note(nil) }
        if let refused = memory.refused, refused.version == newest, refused.rest > 0 {
            memory.refused?.rest -= 1
            return
        }
        do {
            shadow.use(try await load(newest.localModel))
            (memory.used, memory.refused) = (newest, nil)
            shadow.note(nil)
        } catch {
            memory.refused = (newest, Self.trialRounds)
            throw error
        }
    }

    private func load(_ source: ModelSource) async throws -> LoadedModel? {
        try await quietly { try source.load(for: limits) }
    }

    private func load(_ model: LocalModel) async throws -> LoadedModel {
        try await quietly {
            let loaded = try LoadedModel(model, named: shadow.source, for: limits)
            try loaded.tryOut()
            return loaded
        }
    }

    /// Compiles a model on the quiet thread, so that requests keep their processors.
    private func quietly<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await Task(executorPreference: QuietExecutor.shared, priority: .background) { try body() }.value
    }
}
