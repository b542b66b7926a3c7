import Dispatch
import SightlineLocks

/// A few workers, each lent to one caller at a time.
///
/// A compiled model gives silently wrong results if two threads use it at once, so each worker holds its own model, and
/// the pool lends it to one caller at a time. Callers are served in the order in which they came.
final class WorkerPool<Worker>: Sendable {
    private final class Slot: Sendable {
        let worker: Mutex<Worker>

        init(_ worker: sending Worker) {
            self.worker = Mutex(worker)
        }
    }

    private enum Waiter: Sendable {
        case task(id: Int, CheckedContinuation<Slot, any Error>)
        case thread(Mailbox)
    }

    /// The place where a blocked thread finds its slot.
    private final class Mailbox: Sendable {
        let slot = Mutex<Slot?>(nil)
        let arrived = DispatchSemaphore(value: 0)
    }

    private struct State {
        var idle: [Slot]
        var waiters: [Waiter] = []
        var nextID = 0
        /// Tasks that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    /// The number of callers that are served at once.
    let count: Int

    /// Makes `count` workers, at least one. After the first, several are made at the same time.
    init<Failure: Error>(count: Int, make: @Sendable () throws(Failure) -> sending Worker) throws(Failure) {
        var slots = [Slot(try make())]
        let others = Mutex<[Result<Slot, Failure>]>([])
        DispatchQueue.concurrentPerform(iterations: max(count, 1) - 1) { _ in
            let made: Result<Slot, Failure>
            do throws(Failure) { made = .success(Slot(try make())) } catch { made = .failure(error) }
            others.withLock { $0.append(made) }
        }
        for other in others.withLock({ $0 }) { slots.append(try other.get()) }
        self.count = slots.count
        state = Mutex(State(idle: slots))
    }

    /// Waits for a free worker without blocking a thread, and lends it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits, and what `body` throws.
    func withWorker<Result: Sendable>(_ body: (inout Worker) throws -> Result) async throws -> Result {
        let slot = try await takeSlot()
        defer { giveBack(slot) }
        return try slot.worker.withLock { try body(&$0) }
    }

    /// Blocks the thread until a worker is free, and lends it.
    func withWorkerBlocking<Result: Sendable>(_ body: (inout Worker) throws -> Result) rethrows -> Result {
        let slot = takeSlotBlocking()
        defer { giveBack(slot) }
        return try slot.worker.withLock { try body(&$0) }
    }

    private func takeSlot() async throws -> Slot {
        try Task.checkCancellation()
        let (free, id): (Slot?, Int) = state.withLock { state in
            state.nextID += 1
            return (state.idle.popLast(), state.nextID)
        }
        if let free { return free }
        // A late cancellation leaves its mark, which is removed here.
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Slot, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if let slot = state.idle.popLast() { return .success(slot) }
                    state.waiters.append(.task(id: id, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Slot, any Error>? = state.withLock { state in
                for (index, waiter) in state.waiters.enumerated() {
                    if case .task(id, let continuation) = waiter {
                        state.waiters.remove(at: index)
                        return continuation
                    }
                }
                state.cancelled.insert(id)
                return nil
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    private func takeSlotBlocking() -> Slot {
        let mailbox = Mailbox()
        let free: Slot? = state.withLock { state in
            if let slot = state.idle.popLast() { return slot }
            state.waiters.append(.thread(mailbox))
            return nil
        }
        if let free { return free }
        while true {
            mailbox.arrived.wait()
            if let slot = mailbox.slot.withLock({ $0 }) { return slot }
        }
    }

    private func giveBack(_ slot: Slot) {
        let next: Waiter? = state.withLock { state in
            if state.waiters.isEmpty {
                state.idle.append(slot)
                return nil
            }
            return state.waiters.removeFirst()
        }
        switch next {
        case nil:
            break
        case .task(_, let continuation):
            continuation.resume(returning: slot)
        case .thread(let mailbox):
            mailbox.slot.withLock { $0 = slot }
            mailbox.arrived.signal()
        }
    }
}
