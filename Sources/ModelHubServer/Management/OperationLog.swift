import Foundation
import ModelHubProtocol
import Synchronization

/// The most recent operations, for clients that request an operation by its name later.
///
/// All of them are finished, and every response contained its result, so a restart may discard them.
final class OperationLog: Sendable {
    private struct State: Sendable {
        /// The operations, oldest first.
        var operations: [OperationResource] = []
    }

    private let state = Mutex(State())
    private static let capacity = 512

    /// Adds an operation, and removes the oldest operations from time to time.
    func add(_ operation: OperationResource) {
        state.withLock { state in
            state.operations.append(operation)
            if state.operations.count >= 2 * Self.capacity { state.operations.removeFirst(Self.capacity) }
        }
    }

    /// The operation with the given name.
    func operation(_ name: String) -> OperationResource? {
        state.withLock { state in state.operations.last { $0.name == name } }
    }

    /// The operations of a project, newest first.
    func operations(of project: String) -> [OperationResource] {
        let prefix = "projects/\(project)/"
        return state.withLock { state in state.operations.reversed().filter { $0.name.hasPrefix(prefix) } }
    }

    /// Removes an operation; false if it is unknown.
    func remove(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.operations.firstIndex(where: { $0.name == name }) else { return false }
            state.operations.remove(at: index)
            return true
        }
    }
}
