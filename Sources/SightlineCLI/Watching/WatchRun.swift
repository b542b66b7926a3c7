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
    private let delivery = WatchDelivery()
    private var cameras: [String: CameraWatch] = [:]
    /// Cameras that have ended by themselves.
    private var ended: Set<String> = []
    /// Whether something was lost for good.
    private var isIncomplete = false
    private var hasReportedMetrics = false
    /// The cameras that are outside of their schedules.
    private var asleep: Set<String> = []
    private let workers: Int

    /// The time between looks at the file, the clock and the signals.
    private static let interval = Duration.milliseconds(500)
    /// The number of intervals between writing metrics.
    private static let metricsInterval = 20

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

    /// - Returns: whether something was lost for good.
    private func watch() async throws -> Bool {
        let hangUp = HangUpSignal()
        let group = StreamGroup(workers: workers) { [self] name, update in await receive(update, from: name) }
        var changes = FileChanges(path)
        try await reporting { [delivery, plan] in try await delivery.set(plan) }
        for camera in plan.cameras {
            cameras[camera.settings.name] = CameraWatch(camera.settings, delivery: delivery)
        }
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
            if round % Self.metricsInterval == 1 { await writeMetrics() }
        }
        await group.stop()
        await writeMetrics()
        let lost = await delivery.finish()
        if lost > 0 { StandardError.report("\(NumberText.count(lost, "event")) could not be delivered.") }
        for camera in cameras.values where await camera.metrics.isIncomplete { isIncomplete = true }
        return isIncomplete || lost > 0
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

    /// Reads the file again. Mistakes in it leave everything as it is.
    private func reload(_ group: StreamGroup) async {
        do {
            let next = try await WatchPlan.read(path, workers: workers, earlier: plan)
            try await reporting { try await delivery.set(next) }
            let kept = next.cameras.filter { camera in
                plan.cameras.contains { $0.stream == camera.stream && $0.settings.isSame(as: camera.settings) }
            }
            // Cameras that change end before others take their names.
            try await start(kept.filter { $0.settings.isActive(at: Date()) }.map(\.stream), in: group)
            let names = Set(kept.map(\.stream.name))
            for (name, camera) in cameras where !names.contains(name) {
                if await camera.metrics.isIncomplete { isIncomplete = true }
                cameras[name] = nil
                ended.remove(name)
            }
            for camera in next.cameras where cameras[camera.settings.name] == nil {
                cameras[camera.settings.name] = CameraWatch(camera.settings, delivery: delivery)
            }
            plan = next
            try await start(active(at: Date()), in: group)
            StandardError.report("\(FileName.printed(path)) was read again: \(plan.summary)")
            reportSleepers()
        } catch {
            StandardError.report("\(FileName.printed(path)) has mistakes; the earlier cameras go on.")
        }
    }

    private func writeMetrics() async {
        guard let file = plan.file.metrics else { return }
        var numbers: [(name: String, CameraMetrics)] = []
        for camera in plan.cameras {
            if let watch = cameras[camera.settings.name] { numbers.append((camera.settings.name, await watch.metrics)) }
        }
        let text = WatchMetrics.text(numbers, await delivery.statistics)
        do {
            try await Task(executorPreference: FileExecutor.shared) {
                try DurableFile.write(Data(text.utf8), to: URL(filePath: file))
            }.value
        } catch {
            if !hasReportedMetrics { StandardError.report("\(error) The next ones are tried.") }
            hasReportedMetrics = true
        }
    }
}
