import Foundation

/// What can go wrong with a ``SignatureRunner``. The cases are those of TensorFlowLiteSwift.
public enum SignatureRunnerError: Error, Equatable, Hashable {
    /// The bytes given are not as many as the tensor holds.
    case invalidTensorDataCount(provided: Int, required: Int)
    /// The tensor's element type has no counterpart in ``Tensor/DataType``.
    case invalidTensorDataType
    /// The model has no signature with this key.
    case failedToCreateSignatureRunner(signatureKey: String)
    /// The signature has no input or output (`tensorType`) with this name.
    case failedToGetTensor(tensorType: String, nameInSignature: String)
    /// The runtime cannot give this input the shape asked for.
    case failedToResizeInputTensor(inputName: String)
    /// The bytes could not be copied into the input.
    case failedToCopyDataToInputTensor
    /// The tensors could not be given memory.
    case failedToAllocateTensors
    /// The runtime could not run the signature.
    case failedToInvokeSignature(signatureKey: String)
    /// The tensors have no memory yet.
    case allocateTensorsRequired
}

extension SignatureRunnerError: CustomStringConvertible, LocalizedError {
    /// One sentence: what failed and what to do next.
    public var description: String {
        switch self {
        case .invalidTensorDataCount(let provided, let required):
            "The tensor holds \(required) bytes but \(provided) were given: check the element type and the shape."
        case .invalidTensorDataType:
            "The tensor's element type cannot be represented here: convert the model to one of the listed types."
        case .failedToCreateSignatureRunner(let key):
            "The model has no signature \"\(key)\": use one of Interpreter.signatureKeys."
        case .failedToGetTensor(let type, let name):
            "The signature has no \(type) named \"\(name)\": use one of the runner's \(type)s."
        case .failedToResizeInputTensor(let name):
            "Input \"\(name)\" cannot take the shape asked for: keep its rank, and dimensions that are at least 1."
        case .failedToCopyDataToInputTensor:
            "The data could not be copied into the input tensor: call allocateTensors() and try again."
        case .failedToAllocateTensors:
            "The tensors could not be given memory: check the shapes that the inputs were resized to."
        case .failedToInvokeSignature(let key):
            "The runtime could not run the signature \"\(key)\": check the shapes that its inputs were resized to."
        case .allocateTensorsRequired:
            "The tensors have no memory yet: call allocateTensors() first."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
