import Foundation
import Synchronization

/// The last operations, for clients that ask for one by its name after it was answered.
///
/// All of them are finished, so that losing them at a restart loses nothing: whoever got an operation got its result.
final class OperationLog: Sendable {
    private struct State: Sendable {
        /// The oldest first.
        var operations: [OperationResource] = []
    }

    private let state = Mutex(State())
    private static let capacity = 512

    /// Remembers an operation, and forgets the oldest ones now and then.
    func add(_ operation: OperationResource) {
        state.withLock { state in
            state.operations.append(operation)
            if state.operations.count >= 2 * Self.capacity { state.operations.removeFirst(Self.capacity) }
        }
    }

    /// An operation by its name.
    func operation(_ name: String) -> OperationResource? {
        state.withLock { state in state.operations.last { $0.name == name } }
    }

    /// The operations of a project, newest first.
    func operations(of project: String) -> [OperationResource] {
        let prefix = "projects/\(project)/"
        return state.withLock { state in state.operations.reversed().filter { $0.name.hasPrefix(prefix) } }
    }

    /// Forgets an operation; false if it is not known.
    func remove(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.operations.firstIndex(where: { $0.name == name }) else { return false }
            state.operations.remove(at: index)
            return true
        }
    }
}
