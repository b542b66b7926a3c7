import Foundation
import SightlineTestSupport
import Synchronization

@testable import Sightline
@testable import SightlineEvents

/// Events for tests.
enum Events {
    /// A crossing by the object with this identity.
    static func crossing(_ id: Int, of camera: String = "door") -> CameraEvent {
        let event = LineEvent(
            line: "entrance",
            direction: .inward,
            id: id,
            label: "person",
            time: .milliseconds(100 * id),
            isRepeated: false
        )
        return CameraEvent(
            camera: camera,
            event: .line(event),
            date: Date(timeIntervalSince1970: 1_800_000_000 + Double(id))
        )
    }

    static func crossings(_ ids: ClosedRange<Int>) -> [CameraEvent] { ids.map { crossing($0) } }

    /// The identities of the objects in payloads.
    static func ids(_ payloads: [String]) -> [Int] {
        payloads.flatMap { payload -> [Int] in
            let value = try? JSONSerialization.jsonObject(with: Data(payload.utf8))
            let events = value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
            return events.compactMap { $0["id"] as? Int }
        }
    }
}

extension Array where Element: Hashable {
    /// The elements without repetitions, in the order in which each came first.
    var withoutRepetitions: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}

/// A destination that keeps what it gets, and fails as a test wants.
actor RecordingTransport: EventTransport {
    nonisolated let destination = "recorder"
    nonisolated let batchLimit = 10
    private(set) var events: [CameraEvent] = []
    private(set) var calls = 0
    private(set) var states: [CameraState] = []
    private(set) var pictures: [[UInt8]] = []
    private(set) var retired: [String] = []
    /// Everything in its order, for example `event 3`, `state`, `picture` and `retire door`.
    private(set) var order: [String] = []
    private(set) var isClosed = false
    /// Errors of the next calls; nil for success.
    private var failures: [EventError?]
    /// The error of all further calls; nil for success.
    private var lasting: EventError?
    /// Events that are refused, also together with others.
    private let unwelcome: Set<Int>
    /// The error of each picture; nil for success.
    private let pictureFailure: EventError?

    static let away = EventError.unreachable(destination: "recorder", reason: "it is away")
    static let refusal = EventError.refused(destination: "recorder", reason: "it does not like them")

    init(
        failures: [EventError?] = [],
        lasting: EventError? = nil,
        unwelcome: Set<Int> = [],
        pictureFailure: EventError? = nil
    ) {
        (self.failures, self.lasting) = (failures, lasting)
        (self.unwelcome, self.pictureFailure) = (unwelcome, pictureFailure)
    }

    func comeBack() { lasting = nil }

    private func check() throws(EventError) {
        calls += 1
        if let failure = failures.isEmpty ? lasting : failures.removeFirst() { throw failure }
    }

    func deliver(_ events: [CameraEvent]) async throws(EventError) {
        try check()
        if events.contains(where: { unwelcome.contains($0.event.id) }) {
            throw .refused(destination: destination, reason: "it does not like one of them", mayAcceptFewer: true)
        }
        self.events += events
        order += events.map { "event \($0.event.id)" }
    }

    func show(_ state: CameraState) async throws(EventError) {
        try check()
        states.append(state)
        order.append("state")
    }

    func show(picture: [UInt8], of camera: String) async throws(EventError) {
        try check()
        if let pictureFailure { throw pictureFailure }
        pictures.append(picture)
        order.append("picture")
    }

    func retire(_ camera: String) async throws(EventError) {
        try check()
        retired.append(camera)
        order.append("retire \(camera)")
    }

    func close() async { isClosed = true }
}

/// The sentences that an outbox reports.
final class Reports: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
