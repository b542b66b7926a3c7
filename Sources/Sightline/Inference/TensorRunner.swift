package import Foundation
import TensorFlowLite

/// Runs a model on tensors as they are: no picture is prepared, and no output is interpreted.
///
/// The shapes of the inputs are those that the file stores, or those of each call where the file leaves them open. A runner may be used from many tasks at once; each of its workers has a
/// compiled model of its own.
package final class TensorRunner: Sendable {
    private let pool: WorkerPool<SessionOwner>
    /// The inputs whose shape a call may choose.
    private let openInputs: [Int]

    /// Compiles a model.
    ///
    /// - Parameter workers: the number of callers that are served at once.
    /// - Throws: `RuntimeError` if the LiteRT library is missing or too old, `ModelError.rejectedByRuntime(reason:)` if the runtime
    ///   refuses the model, `InterpreterError` if it cannot allocate its tensors.
    package init(_ model: any InferenceModel, workers: Int) throws {
        openInputs = model.inputs.indices.filter { model.inputs[$0].shape.elementCount == nil }
        pool = try WorkerPool(count: workers) {
            let session = try model.makeSession(threads: 1)
            try session.allocateTensors()
            return SessionOwner(session: session, shapes: model.inputs.map(\.defaultShape))
        }
    }

    /// Runs the model.
    ///
    /// - Parameters:
    ///   - inputs: the elements of each input in the model's order: row-major, in the machine's byte order.
    ///   - shapes: the shapes of the inputs, which matter where the file leaves them open.
    /// - Returns: the outputs in the model's order.
    /// - Throws: `InterpreterError` if an input has another size, or if the runtime fails; `CancellationError` if the task is canceled
    ///   while it waits.
    package func outputs(of inputs: [Data], shapes: [Tensor.Shape]) async throws -> [Tensor] {
        try await pool.withWorker { owner in
            let interpreter = owner.session
            guard inputs.count == interpreter.inputTensorCount else {
                throw InterpreterError.invalidTensorIndex(
                    index: inputs.count,
                    maxIndex: interpreter.inputTensorCount - 1
                )
            }
            let changed = openInputs.filter { shapes.indices.contains($0) && owner.shapes[$0] != shapes[$0] }
            for index in changed {
                try interpreter.resizeInput(at: index, to: shapes[index])
                owner.shapes[index] = shapes[index]
            }
            if !changed.isEmpty { try interpreter.allocateTensors() }
            for (index, data) in inputs.enumerated() { try interpreter.fill(data, at: index) }
            try interpreter.invoke()
            return try (0..<interpreter.outputTensorCount).map { try interpreter.output(at: $0) }
        }
    }
}

/// The owner of a compiled model.
private struct SessionOwner {
    let session: any InferenceSession
    /// The shapes of its inputs.
    var shapes: [Tensor.Shape]
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
