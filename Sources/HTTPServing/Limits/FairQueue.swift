/// Limits the number of simultaneous costly operations; owners of waiting operations take turns.
package actor FairQueue {
    private struct Waiter {
        var id: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let places: Int
    private let placesOfOwner: Int
    private var running: [String: Int] = [:]
    private var runningCount = 0
    private var line = FairLine<Waiter>()
    private var lastID = 0

    /// - Parameters:
    ///   - places: The maximum number of simultaneous operations.
    ///   - placesOfOwner: The maximum number of simultaneous operations of an owner, so that no owner takes all places.
    package init(places: Int, placesOfOwner: Int) {
        self.places = places
        self.placesOfOwner = placesOfOwner
    }

    /// Runs an operation when it is the owner's turn.
    ///
    /// - Throws: `CancellationError` if the task is canceled while it waits, and the errors of `body`.
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
        lastID += 1
        let id = lastID
        let isLetIn = await withTaskCancellationHandler {
            await withCheckedContinuation { line.append(Waiter(id: id, continuation: $0), of: owner) }
        } onCancel: {
            Task { await self.giveUp(id) }
        }
        guard isLetIn else { throw CancellationError() }
    }

    private func take(_ owner: String) {
        runningCount += 1
        running[owner, default: 0] += 1
    }

    /// Stops the waiting of a canceled task.
    private func giveUp(_ id: Int) {
        line.removeFirst { $0.id == id }?.continuation.resume(returning: false)
    }

    private func leave(_ owner: String) {
        runningCount -= 1
        running[owner, default: 1] -= 1
        if running[owner] == 0 { running[owner] = nil }
        while runningCount < places,
            let next = line.popFirst(where: { running[$0, default: 0] < placesOfOwner })
        {
            take(next.owner)
            next.element.continuation.resume(returning: true)
        }
    }
}
