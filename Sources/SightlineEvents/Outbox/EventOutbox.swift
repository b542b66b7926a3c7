import DurableFiles
public import Foundation
public import ModelHubProtocol
import TextFormatting

/// The ordered, bounded queue of events before a destination.
///
/// Events wait in memory, and in a folder if there is one, until the destination has them. Each is delivered at least once and in
/// order; after an interruption some may come twice, with the same ``CameraEvent/id``. The outbox tries again without end.
///
/// States come after events, and pictures after states: a picture never delays an event, and is dropped where it does not get through.
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
        /// The number of events that the destination refused permanently.
        public var refused = 0
        /// The number of events that waited in the folder when the outbox began.
        public var restored = 0
        /// The number of damaged lines in the folder, which were skipped.
        public var damaged = 0
        /// The number of pictures that did not get through.
        public var droppedPictures = 0

        /// Creates the numbers of an outbox that did nothing yet.
        public init() {}
    }

    let transport: any EventTransport
    private let limit: Int
    private let retry: RetryPolicy
    let report: @Sendable (String) -> Void
    /// Nil without a folder.
    private let journal: EventJournal?
    /// Orders the operations on the journal.
    private let files: FileQueue
    private var waiting: [CameraEvent] = []
    /// The number of the last events that wait, which are stored and not delivered yet.
    private var heldCount = 0
    /// The events that waited in the folder when the outbox began.
    private let restored: Set<String>
    /// The states to show, the last of each camera.
    var states: [String: CameraState] = [:]
    /// The last states, so that equal states are shown once.
    var shown: [String: CameraState] = [:]
    /// The pictures to show, the last of each camera.
    var pictures: [String: [UInt8]] = [:]
    /// The cameras to remove from the destination.
    var retired: Set<String> = []
    var numbers = Statistics()
    /// The number of failures since the last success.
    private var failures = 0
    /// The largest number of events in the next delivery.
    private var batchSize: Int
    private var hasReportedFullQueue = false
    private var refusedEvents: ReportLimit
    var refusedStates: ReportLimit
    private var failuresOfDisk: ReportLimit
    private var lastMaintenance = ContinuousClock.now
    private var isSynchronizing = false
    private var work: Task<Void, Never>?
    /// Sleeps until there is work, or until the next attempt.
    private var pause: Task<Void, Never>?
    private var isFinishing = false
    var isOver = false
    private var finishing: CheckedContinuation<Void, Never>?

    /// Creates an outbox, and begins to deliver the events that wait in its folder.
    ///
    /// - Parameters:
    ///   - transport: the destination.
    ///   - folder: a folder for this outbox alone, which is created if necessary; nil to keep events in memory only.
    ///   - limit: the largest number of events that wait. Further events are dropped, and the outbox reports that.
    ///   - retry: the pauses after failures; the number of tries in it does not matter.
    ///   - reportInterval: the shortest time between two reports of refused events, in which the second counts all since the first.
    ///   - report: receives sentences for people, for example that the destination is away or answers again.
    /// - Throws: `EventError.queue` if the folder cannot be used, or if another program uses it.
    public init(
        _ transport: any EventTransport,
        folder: URL? = nil,
        limit: Int = 10_000,
        retry: RetryPolicy = RetryPolicy(base: .milliseconds(250), maximum: .seconds(15)),
        reportInterval: Duration = .seconds(300),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(EventError) {
        self.transport = transport
        self.limit = limit
        self.retry = RetryPolicy(tries: .max, base: retry.base, maximum: retry.maximum)
        self.report = report
        batchSize = transport.batchLimit
        refusedEvents = ReportLimit(interval: reportInterval)
        refusedStates = ReportLimit(interval: reportInterval)
        failuresOfDisk = ReportLimit(interval: reportInterval)
        files = FileQueue()
        let opened = try await Self.open(folder, on: files)
        journal = opened?.journal
        waiting = opened?.events ?? []
        restored = Set(waiting.map(\.id))
        (numbers.restored, numbers.damaged) = (waiting.count, opened?.damaged ?? 0)
        opened?.damage.map(report)
        work = Task { await self.run() }
    }

    private static func open(_ folder: URL?, on files: FileQueue) async throws(EventError) -> EventJournal.Opened? {
        guard let folder else { return nil }
        return try await files.run { () throws(EventError) in try EventJournal.open(folder) }
    }

    /// The number of events that wait in a folder which no outbox has; 0 if it has none, or if it is in use.
    package static func waitingCount(in folder: URL) async -> Int {
        await FileQueue().run { EventJournal.waitingCount(in: folder) }
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
    public func publish(_ events: [CameraEvent]) async { release(await store(events)) }

    /// Accepts events without delivering them, and returns when they are stored.
    ///
    /// - Returns: The number of accepted events, to be released in the order in which they were stored.
    package func store(_ events: [CameraEvent]) async -> Int {
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
        guard !accepted.isEmpty else { return 0 }
        waiting += accepted
        heldCount += accepted.count
        await onDisk { [events = Array(accepted)] (journal) throws(DurableFileError) in try journal.append(events) }
        synchronizeSoon()
        return accepted.count
    }

    /// Delivers the first stored events that are not released yet.
    package func release(_ count: Int) {
        heldCount -= count
        if count > 0 { wake() }
    }

    /// Accepts the events of an earlier run that did not wait in the folder when the outbox began.
    package func publishMissing(_ events: [CameraEvent]) async {
        await publish(events.filter { !restored.contains($0.id) })
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

    private func end() {
        isOver = true
        work?.cancel()
        wake()
        finishing?.resume()
        finishing = nil
    }

    func wake() { pause?.cancel() }

    /// Waits for a time, or until there is something new.
    private func sleep(for time: Duration) async {
        let pause = Task { do { try await Task.sleep(for: time) } catch {} }
        self.pause = pause
        await pause.value
    }

    /// The time after which an outbox without events checks the connections.
    private static let idleTime = Duration.seconds(3)
    /// The longest pause between attempts once the outbox ends.
    private static let lastPause = Duration.milliseconds(200)

    /// Whether the connections are due for a check. A failed call is repeated first, since its success shows more.
    private var needsMaintenance: Bool {
        guard !isFinishing, lastMaintenance.duration(to: .now) >= Self.idleTime else { return false }
        return failures == 0 || retired.isEmpty && states.isEmpty && pictures.isEmpty
    }

    /// Delivers until the outbox is over.
    private func run() async {
        while !isOver {
            do throws(EventError) {
                if waiting.count > heldCount {
                    try await deliverNext()
                } else if needsMaintenance {
                    lastMaintenance = .now
                    try await maintain()
                } else if let camera = retired.popFirst() {
                    try await retireNow(camera)
                } else if let (_, state) = states.popFirst() {
                    try await showNow(state)
                } else if let (camera, picture) = pictures.popFirst() {
                    try await showNow(picture, of: camera)
                } else if isFinishing, waiting.isEmpty {
                    // Nothing can come between the last look and the end.
                    end()
                    continue
                } else {
                    await sleep(for: Self.idleTime - lastMaintenance.duration(to: .now))
                    continue
                }
                succeed()
            } catch {
                await fail(error)
            }
        }
    }

    private func deliverNext() async throws(EventError) {
        let batch = Array(waiting.prefix(min(batchSize, waiting.count - heldCount)))
        var refusal: EventError?
        do throws(EventError) {
            try await transport.deliver(batch)
        } catch {
            guard case .refused(_, _, let mayAcceptFewer) = error else { throw error }
            if mayAcceptFewer, batch.count > 1 {
                // One of the events may be the reason.
                batchSize = batch.count / 2
                return
            }
            refusal = error
        }
        // The next outbox with the folder delivers them again.
        guard !isOver else { return }
        if let refusal {
            numbers.refused += batch.count
            if let earlier = refusedEvents.pass(batch.count) {
                let others =
                    "\(NumberText.count(earlier, "more event")) \(earlier == 1 ? "was" : "were") refused since the last report."
                report(refusal.description + (earlier > 0 ? " \(others)" : ""))
            }
        } else {
            numbers.delivered += batch.count
            batchSize = min(batchSize * 2, transport.batchLimit)
        }
        waiting.removeFirst(batch.count)
        if waiting.count < limit / 2 { hasReportedFullQueue = false }
        await onDisk { (journal) throws(DurableFileError) in try journal.acknowledge(batch.count) }
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
        // New events do not shorten the pause; finishing does.
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
            guard failuresOfDisk.pass() != nil else { return }
            report("\(error.description) Events are kept in memory until it can be.")
        }
    }
}
