import Foundation
import Synchronization

/// The last operations, for clients that ask for one by its name after it was answered.
///
/// All of them are finished, so that losing them at a restart loses nothing: whoever got an operation got its result.
final class OperationLog: Sendable {
    private struct State {
        var texts: [String: String] = [:]
        var names: [String] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private static let capacity = 512

    /// Remembers an operation and forgets the oldest.
    func add(_ operation: OperationResource) {
        guard let data = try? JSONEncoder().encode(operation) else { return }
        let text = String(decoding: data, as: UTF8.self)
        state.withLock { state in
            state.texts[operation.name] = text
            if state.names.count < Self.capacity {
                state.names.append(operation.name)
            } else {
                state.texts[state.names[state.oldest]] = nil
                state.names[state.oldest] = operation.name
                state.oldest = (state.oldest + 1) % Self.capacity
            }
        }
    }

    /// The JSON of an operation.
    func operation(_ name: String) -> String? { state.withLock { $0.texts[name] } }
}
