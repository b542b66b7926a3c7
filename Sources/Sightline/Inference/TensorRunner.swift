package import Foundation
import TensorFlowLite

/// Runs a model on tensors as they are: no picture is prepared, and no output is interpreted.
///
/// The shapes of the inputs are those that the file stores. A runner may be used from many tasks at once; each of its workers has a
/// compiled model of its own.
package final class TensorRunner: Sendable {
    private let pool: WorkerPool<SessionOwner>

    /// Compiles a model.
    ///
    /// - Parameter workers: the number of callers that are served at once.
    /// - Throws: `RuntimeError` if the LiteRT library is missing or too old, `ModelError.rejectedByRuntime(reason:)` if the runtime
    ///   refuses the model, `InterpreterError` if it cannot allocate its tensors.
    package init(_ model: any InferenceModel, workers: Int) throws {
        pool = try WorkerPool(count: workers) {
            let session = try model.makeSession(threads: 1)
            try session.allocateTensors()
            return SessionOwner(session: session)
        }
    }

    /// Runs the model.
    ///
    /// - Parameter inputs: the elements of each input in the model's order: row-major, in the machine's byte order.
    /// - Returns: the outputs in the model's order.
    /// - Throws: `InterpreterError` if an input has another size, or if the runtime fails; `CancellationError` if the task is canceled
    ///   while it waits.
    package func outputs(of inputs: [Data]) async throws -> [Tensor] {
        try await pool.withWorker { owner in
            let interpreter = owner.session
            guard inputs.count == interpreter.inputTensorCount else {
                throw InterpreterError.invalidTensorIndex(
                    index: inputs.count,
                    maxIndex: interpreter.inputTensorCount - 1
                )
            }
            for (index, data) in inputs.enumerated() { try interpreter.fill(data, at: index) }
            try interpreter.invoke()
            return try (0..<interpreter.outputTensorCount).map { try interpreter.output(at: $0) }
        }
    }
}

/// The owner of a compiled model.
private struct SessionOwner {
    let session: any InferenceSession
}

extension InferenceSession {
    /// Copies the elements of an input, without the copy that `copy(_:toInputAt:)` returns.
    fileprivate func fill(_ data: Data, at index: Int) throws {
        try withMutableInput(at: index) { memory in
            guard memory.count == data.count else {
                throw InterpreterError.invalidTensorDataCount(provided: data.count, required: memory.count)
            }
            data.copyBytes(to: memory)
        }
    }
}
