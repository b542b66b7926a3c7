/// Limits the number of simultaneous costly operations; owners of waiting operations take turns.
package actor FairQueue {
    /// The queue has no place for another operation of an owner.
    package struct Full: Error {}

    private struct Waiter {
        var id: Int
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let places: Int
    private let placesOfOwner: Int
    private let waitingPlaces: Int
    private var running: [String: Int] = [:]
    private var runningCount = 0
    private var line = FairLine<Waiter>()
    private var lastID = 0

    /// - Parameters:
    ///   - places: The maximum number of simultaneous operations.
    ///   - placesOfOwner: The maximum number of simultaneous operations of an owner, so that no owner takes all places.
    ///   - waitingPlaces: The maximum number of waiting operations. If they are taken, an owner with few of them takes a place of
    ///     the owner with most.
    package init(places: Int, placesOfOwner: Int, waitingPlaces: Int = .max) {
        self.places = places
        self.waitingPlaces = waitingPlaces
        self.placesOfOwner = placesOfOwner
    }

    /// Runs an operation when it is the owner's turn.
    ///
    /// - Throws: `CancellationError` if the task is canceled while it waits, ``Full`` if there is no place to wait or another owner
    ///   took it, and the errors of `body`.
    package nonisolated func run<Value: Sendable>(as owner: String, _ body: @Sendable () async throws -> Value)
        async throws
        -> Value
    {
        try await enter(owner)
        do {
            let value = try await body()
            await leave(owner)
            return value
        } catch {
            await leave(owner)
            throw error
        }
    }

    private func enter(_ owner: String) async throws {
        try Task.checkCancellation()
        if runningCount < places, running[owner, default: 0] < placesOfOwner { return take(owner) }
        if line.count >= waitingPlaces {
            guard let last = line.makeRoom(for: owner) else { throw Full() }
            last.continuation.resume(throwing: Full())
        }
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { line.append(Waiter(id: id, continuation: $0), of: owner) }
        } onCancel: {
            Task { await self.giveUp(id) }
        }
    }

    /// The number of waiting operations.
    package var waitingCount: Int { line.count }

    private func take(_ owner: String) {
        runningCount += 1
        running[owner, default: 0] += 1
    }

    /// Stops the waiting of a canceled task.
    private func giveUp(_ id: Int) {
        line.removeFirst { $0.id == id }?.continuation.resume(throwing: CancellationError())
    }

    private func leave(_ owner: String) {
        runningCount -= 1
        running[owner, default: 1] -= 1
        if running[owner] == 0 { running[owner] = nil }
        while runningCount < places,
            let next = line.popFirst(where: { running[$0, default: 0] < placesOfOwner })
        {
            take(next.owner)
            next.element.continuation.resume()
        }
    }
}
