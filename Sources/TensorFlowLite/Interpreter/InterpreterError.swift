import Foundation

/// An error of an ``Interpreter``. The cases are those of TensorFlowLiteSwift.
public enum InterpreterError: Error, Equatable, Hashable {
    /// There is no tensor with this index.
    case invalidTensorIndex(index: Int, maxIndex: Int)
    /// The number of bytes differs from the size of the tensor.
    case invalidTensorDataCount(provided: Int, required: Int)
    /// The tensor's element type has no counterpart in ``Tensor/DataType``.
    case invalidTensorDataType
    /// The model file could not be read or is not a valid model.
    case failedToLoadModel
    /// The runtime could not compile the model.
    case failedToCreateInterpreter
    /// The runtime cannot give this input the requested shape.
    case failedToResizeInputTensor(index: Int)
    /// The bytes could not be copied into the input.
    case failedToCopyDataToInputTensor
    /// The runtime could not allocate memory for the tensors.
    case failedToAllocateTensors
    /// The tensors have no memory yet.
    case allocateTensorsRequired
    /// The output has no data yet.
    case invokeInterpreterRequired
    /// The runtime's own message, or a limitation of the runtime.
    case tensorFlowLiteError(String)
}

extension InterpreterError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .invalidTensorIndex(let index, let maxIndex):
            maxIndex < 0
                ? "There is no tensor with index \(index): the model has no tensors on this side."
                : "There is no tensor with index \(index): use one of 0…\(maxIndex)."
        case .invalidTensorDataCount(let provided, let required):
            "The tensor holds \(required) bytes, but the data has \(provided): check the element type and the shape."
        case .invalidTensorDataType:
            "The tensor's element type cannot be represented here: convert the model to one of the listed types."
        case .failedToLoadModel:
            "The model could not be loaded: open it with Model(contentsOf:) to learn why."
        case .failedToCreateInterpreter:
            "The runtime could not compile the model: open it with Interpreter(model:) to learn why."
        case .failedToResizeInputTensor(let index):
            "Input \(index) cannot have the requested shape: keep its rank and use dimensions of at least 1."
        case .failedToCopyDataToInputTensor:
            "The data could not be copied into the input tensor: call allocateTensors() and try again."
        case .failedToAllocateTensors:
            "The tensors could not be allocated: check the shapes of the resized inputs."
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
