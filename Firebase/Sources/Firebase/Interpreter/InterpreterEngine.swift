import Dispatch
import FacadeSupport
import Foundation
import SightlineLocks

/// The TensorFlow Lite interpreter behind a ``ModelInterpreter``: one run at a time, on its own queue.
///
/// The first run loads the model, because Firebase's factories must not fail or wait.
final class InterpreterEngine: Sendable {
    private let queue = DispatchQueue(label: "sightline.facade.interpreter", qos: .userInitiated)
    private let source: ModelSource
    private let interpreter = Mutex<LoadedInterpreter?>(nil)

    init(_ source: ModelSource) { self.source = source }

    /// Uses the interpreter and calls back on the main queue.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (LoadedInterpreter) throws -> Value,
        _ completion: @escaping @MainActor @Sendable (Result<Value, NSError>) -> Void
    ) {
        queue.async { [self] in
            let result = result(of: body)
            MainQueue.async { completion(result) }
        }
    }

    /// Uses the interpreter.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (LoadedInterpreter) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: result(of: body)) }
        }
    }

    private func result<Value: Sendable>(of body: (LoadedInterpreter) throws -> Value) -> Result<Value, NSError> {
        interpreter.withLock { interpreter in
            do {
                let loaded = try interpreter ?? LoadedInterpreter(source.model())
                interpreter = loaded
                return .success(try body(loaded))
            } catch {
                return .failure(FirebaseErrors.translate(error))
            }
        }
    }
}
