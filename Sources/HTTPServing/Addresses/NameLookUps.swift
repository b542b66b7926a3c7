import Foundation
import NIOCore
import Synchronization

/// Looks up the addresses of hosts on its own threads, so that a name server that does not answer delays nothing else.
///
/// The system's resolver cannot be interrupted: a look-up keeps its thread, and its owner's share, until the resolver gives up, also after the
/// caller has gone.
package final class NameLookUps: Sendable {
    /// The reason why there is no answer.
    package enum Failure: Error, Sendable, Hashable {
        /// The look-ups before it took too long.
        case busy
        /// The name server does not answer in time.
        case late
    }

    /// The look-ups of the process.
    package static let shared = NameLookUps()

    private struct Request: Hashable {
        var host: String
        var owner: String?
    }

    private struct State {
        /// The callers of each look-up, which wait for it together.
        var callers: [Request: [AsyncThrowingStream<[NetworkAddress], any Error>.Continuation]] = [:]
        var running: Set<Request> = []
        /// The ends of the times for which names count as unknown.
        var unknown = RecentValues<String, ContinuousClock.Instant>(limit: 1000)
    }

    private let limit: Duration
    private let resolve: @Sendable (String) -> [NetworkAddress]
    private let queue: FairQueue
    /// The server's own look-ups, which clients never crowd out.
    private let ownQueue: FairQueue
    private let state = Mutex(State())

    /// The longest time for which a name without addresses counts as unknown.
    private static let longestMemory = Duration.seconds(60)

    /// - Parameters:
    ///   - threads: The maximum number of simultaneous look-ups.
    ///   - share: The maximum number of simultaneous look-ups of an owner.
    ///   - limit: The longest time that a caller waits.
    ///   - resolve: Looks up a name; it may wait.
    package init(
        threads: Int = 16,
        share: Int = 4,
        limit: Duration = .seconds(5),
        resolve: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.addresses
    ) {
        (self.limit, self.resolve) = (limit, resolve)
        queue = FairQueue(places: threads, placesOfOwner: share, waitingPlaces: 16 * threads)
        ownQueue = FairQueue(places: share, placesOfOwner: share, waitingPlaces: 16 * share)
    }

    /// The addresses of a host; none if it is unknown.
    ///
    /// - Parameters:
    ///   - host: A name, or an address as text, which needs no look-up.
    ///   - owner: The project or person that wants to know; nil for the server itself.
    /// - Throws: ``Failure``, or `CancellationError`.
    package func addresses(of host: String, for owner: String?) async throws -> [NetworkAddress] {
        if let own = try? SocketAddress(ipAddress: host, port: 0) { return NetworkAddress(own).map { [$0] } ?? [] }
        let isUnknown = state.withLock { $0.unknown[host].map { $0 > .now } ?? false }
        // The server's own providers count again as soon as their name server answers.
        if isUnknown, owner != nil { return [] }
        let request = Request(host: host, owner: owner)
        do {
            return try await Patience(limit: limit, connection: nil).run {
                // A canceled caller leaves, while the look-up continues.
                for try await addresses in self.answer(to: request) { return addresses }
                throw CancellationError()
            }
        } catch is Patience.End {
            throw state.withLock { $0.running.contains(request) } ? Failure.late : Failure.busy
        }
    }

    /// The result of the look-up under way, or else of a new one.
    private func answer(to request: Request) -> AsyncThrowingStream<[NetworkAddress], any Error> {
        let (answer, caller) = AsyncThrowingStream.makeStream(of: [NetworkAddress].self)
        let isFirst = state.withLock { state in
            state.callers[request, default: []].append(caller)
            return state.callers[request]?.count == 1
        }
        guard isFirst else { return answer }
        Task {
            // The only failure is that there is no place.
            let found = try? await lookUp(request)
            for caller in state.withLock({ $0.callers.removeValue(forKey: request) ?? [] }) {
                if let found { caller.yield(found) }
                caller.finish(throwing: found == nil ? Failure.busy : nil)
            }
        }
        return answer
    }

    private func lookUp(_ request: Request) async throws -> [NetworkAddress] {
        let asked = ContinuousClock.now
        return try await (request.owner == nil ? ownQueue : queue).run(as: request.owner ?? "") {
            let begin = ContinuousClock.now
            // Nobody waits any more.
            guard begin < asked.advanced(by: limit) else { throw Failure.busy }
            _ = state.withLock { $0.running.insert(request) }
            let found = await onOwnThread { self.resolve(request.host) }
            let end = ContinuousClock.now
            state.withLock { state in
                state.running.remove(request)
                guard found.isEmpty else { return }
                // A name whose look-up cost little may be asked for again soon.
                state.unknown[request.host] = end.advanced(by: min(begin.duration(to: end) * 10, Self.longestMemory))
            }
            return found
        }
    }

    private func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
