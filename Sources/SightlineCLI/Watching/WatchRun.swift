import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// Watches the cameras of a file until a signal, or until all of them have ended.
actor WatchRun {
    private let path: String
    private var plan: WatchPlan
    private let destinations = EventDestinations()
    private let memory = StateMemory()
    private var cameras: [String: CameraWatch] = [:]
    /// Cameras whose inputs have ended.
    private var ended: Set<String> = []
    /// A plan that could not be put into effect, for example because a file with a secret is missing. It is tried again.
    private var pending: WatchPlan?
    /// The reasons why the file could not be read, if they may pass, for example because a model is missing. It is read again.
    private var failure: WatchPlan.Failure?
    /// Whether something was lost permanently.
    private var isIncomplete = false
    private var hasReportedMetrics = false
    /// The cameras that are outside of their schedules.
    private var asleep: Set<String> = []
    private let workers: Int

    /// The time between looks at the file, the clock and the signals.
    private static let interval = Duration.milliseconds(500)
    /// The number of intervals between writing metrics, and between attempts at a file that could not be put into effect.
    private static let longInterval = 20

    init(file path: String, plan: WatchPlan, workers: Int) {
        (self.path, self.plan, self.workers) = (path, plan, workers)
    }

    /// Watches the cameras.
    ///
    /// - Throws: an exit code after a message.
    nonisolated func run() async throws {
        let isIncomplete = try await Termination.stopping(by: {}) { try await watch() }
        if let signal = Termination.stopSignal { throw ExitStatus.stopped(bySignal: signal) }
        if isIncomplete { throw ExitStatus.incomplete.code }
    }

    /// - Returns: whether something was lost permanently.
    private func watch() async throws -> Bool {
        let hangUp = HangUpSignal()
        let group = StreamGroup(workers: workers) { [self] name, update in await receive(update, from: name) }
        var changes = FileChanges(path)
        try await reporting { [destinations, plan] in
            await destinations.change(to: try await destinations.prepare(plan.eventPlaces()), cameras: plan.names)
        }
        await memory.keep(in: plan.file.delivery.folder(StateMemory.fileName))
        addCameras(of: plan)
        var active = active(at: Date())
        try await start(active, in: group)
        StandardError.report("watching \(plan.summary)")
        reportSleepers()
        var round = 0
        while Termination.stopSignal == nil, ended.count < plan.cameras.count {
            try? await Task.sleep(for: Self.interval)
            if hangUp.take() || changes.look() { await reload(group) }
            let wanted = self.active(at: Date())
            if wanted != active {
                active = wanted
                try await start(active, in: group)
                reportSleepers()
            }
            round += 1
            guard round % Self.longInterval == 1 else { continue }
            // Schedules and periods follow a time zone that is corrected.
            NSTimeZone.resetSystemTimeZone()
            await writeMetrics()
            if pending != nil {
                try? await apply(to: group)
            } else if failure != nil {
                await reload(group, isAgain: true)
            }
        }
        await group.stop()
        await writeMetrics()
        for ending in await destinations.finish() { ending.reportUndelivered() }
        for camera in cameras.values where await camera.metrics.isIncomplete { isIncomplete = true }
        return await destinations.undelivered > 0 || isIncomplete
    }

    private func receive(_ update: StreamGroup.Update, from name: String) async {
        if case .ended = update { ended.insert(name) }
        await cameras[name]?.receive(update)
    }

    /// The streams of the cameras whose schedule has this date.
    private func active(at date: Date) -> [StreamGroup.Stream] {
        plan.cameras.filter { $0.settings.isActive(at: date) }.map(\.stream)
    }

    /// Reports the cameras whose hours have ended, or that begin outside of them.
    private func reportSleepers() {
        let sleepers = plan.sleepers(at: Date())
        for name in sleepers.keys.sorted() where !asleep.contains(name) {
            if let sentence = sleepers[name] { StandardError.report(sentence) }
        }
        asleep = Set(sleepers.keys)
    }

    private func start(_ streams: [StreamGroup.Stream], in group: StreamGroup) async throws {
        let detectors = Dictionary(plan.cameras.map { ($0.stream.name, $0.detector) }) { $1 }
        try await reporting { try await group.set(streams, using: detectors) }
    }

    /// Reads the file again. An erroneous file changes nothing.
    ///
    /// - Parameter isAgain: whether the file is unchanged, so that the same reasons are not reported again.
    private func reload(_ group: StreamGroup, isAgain: Bool = false) async {
        let reported = isAgain ? failure : nil
        (pending, failure) = (nil, nil)
        do throws(WatchPlan.Failure) {
            let next = try await WatchPlan.read(path, workers: workers, earlier: plan)
            next.problems.forEach(StandardError.report)
            pending = next
        } catch {
            if error.mayPass { failure = error }
            guard error != reported else { return }
            error.report()
            return reportUnchanged(willTryAgain: error.mayPass)
        }
        do {
            try await apply(to: group)
        } catch {
            if !(error is ExitCode) { StandardError.report(sentence(for: error)) }
            reportUnchanged(willTryAgain: true)
        }
    }

    private func reportUnchanged(willTryAgain: Bool) {
        let problem = willTryAgain ? "cannot be put into effect" : "has errors"
        let next = willTryAgain ? " Will try again every ten seconds." : ""
        StandardError.report("\(FileName.printed(path)) \(problem); the previous configuration stays in use.\(next)")
    }

    /// Puts the pending plan into effect.
    ///
    /// - Throws: `EventError` if a destination cannot be used; then nothing has changed, and the plan stays pending.
    private func apply(to group: StreamGroup) async throws {
        guard let next = pending else { return }
        let prepared = try await destinations.prepare(next.eventPlaces())
        let kept = next.cameras.filter(plan.contains)
        await memory.keep(in: next.file.delivery.folder(StateMemory.fileName))
        // Changed and removed cameras end before others take their names, and before their destinations are removed.
        do {
            try await start(kept.filter { $0.settings.isActive(at: Date()) }.map(\.stream), in: group)
        } catch {
            await destinations.discard(prepared)
            throw error
        }
        let keptNames = Set(kept.map(\.stream.name)), names = next.names
        for (name, camera) in cameras where !keptNames.contains(name) {
            if await camera.metrics.isIncomplete { isIncomplete = true }
            if !names.contains(name) { await camera.retire() }
            cameras[name] = nil
            ended.remove(name)
        }
        await destinations.change(to: prepared, cameras: names)
        addCameras(of: next)
        (plan, pending) = (next, nil)
        try await start(active(at: Date()), in: group)
        StandardError.report("\(FileName.printed(path)) was read again: \(plan.summary)")
        reportSleepers()
    }

    /// Adds the cameras of a plan that are not there yet.
    private func addCameras(of plan: WatchPlan) {
        for camera in plan.cameras where cameras[camera.settings.name] == nil {
            cameras[camera.settings.name] = CameraWatch(camera, memory: memory, destinations: destinations)
        }
    }

    private func writeMetrics() async {
        guard let file = plan.file.metrics else { return }
        var numbers: [(name: String, CameraMetrics)] = []
        for camera in plan.cameras {
            if let watch = cameras[camera.settings.name] { numbers.append((camera.settings.name, await watch.metrics)) }
        }
        let text = WatchMetrics.text(numbers, await destinations.statistics)
        do {
            try await Task(executorPreference: FileExecutor.shared) {
                try DurableFile.write(Data(text.utf8), to: URL(filePath: file))
            }.value
        } catch {
            if !hasReportedMetrics { StandardError.report("\(error) Will try again.") }
            hasReportedMetrics = true
        }
    }
}
