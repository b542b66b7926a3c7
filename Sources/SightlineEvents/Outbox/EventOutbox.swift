import DurableFiles
public import Foundation
public import ModelHubProtocol
import TextFormatting

/// The ordered, bounded queue of events before a destination.
///
/// Events wait in memory, and in a folder if there is one, until the destination has them. Each is delivered at least once and in
/// order; after an interruption some may come twice, with the same ``CameraEvent/id``. The outbox tries again without end.
///
/// ```swift
/// let outbox = try await EventOutbox(MQTTTransport("mqtt://broker.local/sightline"), folder: folder) { print($0) }
/// await outbox.publish(events)
/// let undelivered = await outbox.finish(within: .seconds(10))
/// ```
///
/// With a folder, a kill of the program loses no event that ``publish(_:)`` has accepted, and a power failure at most those of the
/// last second; the next outbox with the folder delivers them first. A program calls ``finish(within:)`` once.
public actor EventOutbox {
    /// The numbers of an outbox.
    public struct Statistics: Sendable, Hashable {
        /// The number of events that the destination has.
        public var delivered = 0
        /// The number of events that wait.
        public var waiting = 0
        /// The number of events that were not accepted, because the queue was full.
        public var dropped = 0
        /// The number of events that the destination refused for good.
        public var refused = 0
        /// The number of events that waited in the folder when the outbox began.
        public var restored = 0
        /// The number of lines in the folder that were torn or damaged, and so are no events.
        public var damaged = 0

        /// Creates the numbers of an outbox that did nothing yet.
        public init() {}
    }

    private let transport: any EventTransport
    private let limit: Int
    private let retry: RetryPolicy
    private let report: @Sendable (String) -> Void
    /// Nil without a folder.
    private let journal: EventJournal?
    /// Orders the operations on the journal.
    private let files: FileQueue
    private var waiting: [CameraEvent] = []
    /// The states to show, the last of each camera.
    private var states: [String: (state: CameraState, picture: [UInt8]?)] = [:]
    /// The last states, so that equal states are shown once.
    private var shown: [String: CameraState] = [:]
    private var numbers = Statistics()
    /// The number of failures since the last success.
    private var failures = 0
    private var hasReportedFullQueue = false
    private var hasReportedRefusal = false
    private var hasReportedDisk = false
    private var isSynchronizing = false
    private var work: Task<Void, Never>?
    /// Sleeps until there is work, or until the next attempt.
    private var pause: Task<Void, Never>?
    private var isFinishing = false
    private var isOver = false
    private var finishing: CheckedContinuation<Void, Never>?

    /// Creates an outbox, and begins to deliver the events that wait in its folder.
    ///
    /// - Parameters:
    ///   - transport: the destination.
    ///   - folder: a folder for this outbox alone, which is created if necessary; nil to keep events in memory only.
    ///   - limit: the largest number of events that wait. Further events are dropped, and the outbox reports that.
    ///   - retry: the pauses after failures; the number of tries in it does not matter.
    ///   - report: receives sentences for people, for example that the destination is away or answers again.
    /// - Throws: `EventError.queue` if the folder cannot be used, or if another program uses it.
    public init(
        _ transport: any EventTransport,
        folder: URL? = nil,
        limit: Int = 10_000,
        retry: RetryPolicy = RetryPolicy(base: .milliseconds(250), maximum: .seconds(15)),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(EventError) {
        self.transport = transport
        self.limit = limit
        self.retry = RetryPolicy(tries: .max, base: retry.base, maximum: retry.maximum)
        self.report = report
        files = FileQueue()
        let opened = try await Self.open(folder, on: files)
        journal = opened?.journal
        waiting = opened?.events ?? []
        (numbers.restored, numbers.damaged) = (waiting.count, opened?.damaged ?? 0)
        if let folder, numbers.damaged > 0 {
            report(
                "\(folder.path(percentEncoded: false)) has \(NumberText.count(numbers.damaged, "torn or damaged line")), which the "
                    + "outbox skipped."
            )
        }
        work = Task { await self.run() }
    }

    private static func open(_ folder: URL?, on files: FileQueue) async throws(EventError) -> EventJournal.Opened? {
        guard let folder else { return nil }
        return try await files.run { () throws(EventError) in try EventJournal.open(folder) }
    }

    /// The present numbers.
    public var statistics: Statistics {
        var numbers = numbers
        numbers.waiting = waiting.count
        return numbers
    }

    /// Accepts events, and returns when they are stored.
    ///
    /// Events that do not fit into the queue are dropped. If the disk is full, the events are kept in memory.
    public func publish(_ events: [CameraEvent]) async {
        let accepted = isOver ? [] : events.prefix(max(limit - waiting.count, 0))
        let dropped = events.count - accepted.count
        if dropped > 0 {
            numbers.dropped += dropped
            if !isOver, !hasReportedFullQueue {
                hasReportedFullQueue = true
                report(
                    "The queue of \(transport.destination) is full with \(limit) events; further events are dropped."
                )
            }
        }
        guard !accepted.isEmpty else { return }
        waiting += accepted
        wake()
        await onDisk { [events = Array(accepted)] (journal) throws(DurableFileError) in try journal.append(events) }
        synchronizeSoon()
    }

    /// Writes the events of the next second to disk together, since each of such writes may take many milliseconds.
    private func synchronizeSoon() {
        guard journal != nil, !isSynchronizing else { return }
        isSynchronizing = true
        Task {
            do { try await Task.sleep(for: .seconds(1)) } catch {}
            isSynchronizing = false
            await onDisk { (journal) throws(DurableFileError) in try journal.synchronize() }
        }
    }

    /// Shows the state of a camera as soon as the destination accepts it, in place of a state that still waits.
    ///
    /// - Parameter state: the state; the same state again costs nothing.
    public func show(_ state: CameraState) {
        guard !isOver, shown[state.camera] != state else { return }
        shown[state.camera] = state
        states[state.camera] = (state, states[state.camera]?.picture)
        wake()
    }

    /// Shows a picture of a camera's last event, in place of a picture that still waits.
    ///
    /// - Parameters:
    ///   - picture: a JPEG.
    ///   - camera: the name of the camera.
    public func show(picture: [UInt8], of camera: String) {
        guard !isOver else { return }
        states[camera] = (shown[camera] ?? CameraState(camera: camera), picture)
        wake()
    }

    /// Ends the outbox after the events that wait, or at a deadline.
    ///
    /// Events that remain stay in the folder, if there is one.
    ///
    /// - Parameter limit: the time for the events that wait.
    /// - Returns: the number of events that were not delivered: that wait, that were dropped, and that the destination refused.
    public func finish(within limit: Duration) async -> Int {
        guard !isOver, !isFinishing else { return numbers.dropped + numbers.refused + waiting.count }
        isFinishing = true
        let deadline = Task {
            try await Task.sleep(for: limit)
            self.end()
        }
        await withCheckedContinuation {
            finishing = $0
            wake()
        }
        deadline.cancel()
        end()
        let left = numbers.dropped + numbers.refused + waiting.count
        await transport.close()
        await onDisk { (journal) throws(DurableFileError) in try journal.close() }
        return left
    }

    private var hasWork: Bool { !waiting.isEmpty || !states.isEmpty }

    private func end() {
        isOver = true
        work?.cancel()
        wake()
        finishing?.resume()
        finishing = nil
    }

    private func wake() { pause?.cancel() }

    /// Waits for a time, or until there is something new.
    private func sleep(for time: Duration) async {
        let pause = Task { do { try await Task.sleep(for: time) } catch {} }
        self.pause = pause
        await pause.value
    }

    /// The time after which an idle outbox looks at the connection.
    private static let idleTime = Duration.seconds(3)
    /// The longest pause between attempts once the outbox ends.
    private static let lastPause = Duration.milliseconds(200)

    /// Delivers until the outbox is over.
    private func run() async {
        while !isOver {
            do throws(EventError) {
                if !waiting.isEmpty {
                    try await deliverNext()
                } else if let next = states.first?.value {
                    states[next.state.camera] = nil
                    try await show(next)
                } else {
                    finishing?.resume()
                    finishing = nil
                    await sleep(for: Self.idleTime)
                    guard !hasWork, !isFinishing, !isOver else { continue }
                    try await transport.maintain()
                }
                succeed()
            } catch {
                await fail(error)
            }
        }
    }

    private func deliverNext() async throws(EventError) {
        let batch = Array(waiting.prefix(transport.batchLimit))
        var refusal: EventError?
        do throws(EventError) {
            try await transport.deliver(batch)
        } catch .refused(let destination, let reason) {
            refusal = .refused(destination: destination, reason: reason)
        }
        // The next outbox with the folder delivers them again.
        guard !isOver else { return }
        if let refusal {
            numbers.refused += batch.count
            reportOnce(refusal)
        } else {
            numbers.delivered += batch.count
        }
        waiting.removeFirst(batch.count)
        if waiting.count < limit / 2 { hasReportedFullQueue = false }
        await onDisk { (journal) throws(DurableFileError) in try journal.acknowledge(batch.count) }
    }

    private func show(_ next: (state: CameraState, picture: [UInt8]?)) async throws(EventError) {
        do throws(EventError) {
            try await transport.show(next.state, picture: next.picture)
        } catch .refused(let destination, let reason) {
            reportOnce(.refused(destination: destination, reason: reason))
        } catch {
            // A newer state has come, or this one is shown later.
            let newer = states[next.state.camera]
            states[next.state.camera] = (newer?.state ?? next.state, newer?.picture ?? next.picture)
            throw error
        }
    }

    private func reportOnce(_ refusal: EventError) {
        guard !hasReportedRefusal else { return }
        hasReportedRefusal = true
        report(refusal.description)
    }

    private func succeed() {
        if failures > 0 { report("\(transport.destination) accepts events again.") }
        failures = 0
    }

    private func fail(_ error: EventError) async {
        guard !isOver else { return }
        var retryAfter: Duration?
        if case .unreachable(_, _, let delay) = error { retryAfter = delay }
        failures += 1
        if failures == 1 { report("\(error.description) Events wait, and are sent later.") }
        let next = retry.pause(after: failures, retryAfter: retryAfter) ?? retry.maximum
        // News are no reason to try earlier; the end of the outbox is.
        let end = ContinuousClock.now + next
        while !isOver, ContinuousClock.now < end {
            let isLast = isFinishing && retryAfter == nil
            await sleep(for: isLast ? min(Self.lastPause, end - .now) : end - .now)
            if isLast { return }
        }
    }

    /// Runs an operation on the journal, if there is one, after all earlier operations.
    private func onDisk(
        _ operation: @escaping @Sendable (EventJournal) throws(DurableFileError) -> Void
    ) async {
        guard let journal else { return }
        do throws(DurableFileError) {
            try await files.run { () throws(DurableFileError) in try operation(journal) }
        } catch {
            guard !hasReportedDisk else { return }
            hasReportedDisk = true
            report("\(error.description) Events are kept in memory until it can be.")
        }
    }
}
