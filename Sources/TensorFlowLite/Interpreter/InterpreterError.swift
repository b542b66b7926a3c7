import Foundation

/// What can go wrong with an ``Interpreter``. The cases are those of TensorFlowLiteSwift.
public enum InterpreterError: Error, Equatable, Hashable {
    /// There is no tensor with this index.
    case invalidTensorIndex(index: Int, maxIndex: Int)
    /// The bytes given are not as many as the tensor holds.
    case invalidTensorDataCount(provided: Int, required: Int)
    /// The tensor's element type has no counterpart in ``Tensor/DataType``.
    case invalidTensorDataType
    /// The model file could not be read or is not a valid model.
    case failedToLoadModel
    /// The runtime could not compile the model.
    case failedToCreateInterpreter
    /// The runtime cannot give this input the shape asked for.
    case failedToResizeInputTensor(index: Int)
    /// The bytes could not be copied into the input.
    case failedToCopyDataToInputTensor
    /// The tensors could not be given memory.
    case failedToAllocateTensors
    /// The tensors have no memory yet.
    case allocateTensorsRequired
    /// The output has no data yet.
    case invokeInterpreterRequired
    /// The runtime's own message, or a limitation that it has.
    case tensorFlowLiteError(String)
}

extension InterpreterError: CustomStringConvertible, LocalizedError {
    /// One sentence: what failed and what to do next.
    public var description: String {
        switch self {
        case .invalidTensorIndex(let index, let maxIndex):
            maxIndex < 0
                ? "There is no tensor with index \(index), because the model has none on this side."
                : "There is no tensor with index \(index): use one of 0…\(maxIndex)."
        case .invalidTensorDataCount(let provided, let required):
            "The tensor holds \(required) bytes but \(provided) were given: check the element type and the shape."
        case .invalidTensorDataType:
            "The tensor's element type cannot be represented here: convert the model to one of the listed types."
        case .failedToLoadModel:
            "The model could not be loaded: open it with Model(contentsOf:) to learn why."
        case .failedToCreateInterpreter:
            "The runtime could not compile the model: open it with Interpreter(model:) to learn why."
        case .failedToResizeInputTensor(let index):
            "Input \(index) cannot take the shape asked for: keep its rank, and dimensions that are at least 1."
        case .failedToCopyDataToInputTensor:
            "The data could not be copied into the input tensor: call allocateTensors() and try again."
        case .failedToAllocateTensors:
            "The tensors could not be given memory: check the shapes that the inputs were resized to."
        case .allocateTensorsRequired:
            "The tensors have no memory yet: call allocateTensors() first."
        case .invokeInterpreterRequired:
            "The output has no data yet: call allocateTensors() and invoke() first."
        case .tensorFlowLiteError(let message):
            message
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
