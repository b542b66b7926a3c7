import Foundation

/// An error of a ``SignatureRunner``. The cases are those of TensorFlowLiteSwift.
public enum SignatureRunnerError: Error, Equatable, Hashable {
    /// The number of bytes differs from the size of the tensor.
    case invalidTensorDataCount(provided: Int, required: Int)
    /// The tensor's element type has no counterpart in ``Tensor/DataType``.
    case invalidTensorDataType
    /// The model has no signature with this key.
    case failedToCreateSignatureRunner(signatureKey: String)
    /// The signature has no input or output (`tensorType`) with this name.
    case failedToGetTensor(tensorType: String, nameInSignature: String)
    /// The runtime cannot give this input the requested shape.
    case failedToResizeInputTensor(inputName: String)
    /// The bytes could not be copied into the input.
    case failedToCopyDataToInputTensor
    /// The runtime could not allocate memory for the tensors.
    case failedToAllocateTensors
    /// The runtime could not run the signature.
    case failedToInvokeSignature(signatureKey: String)
    /// The tensors have no memory yet.
    case allocateTensorsRequired
}

extension SignatureRunnerError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .invalidTensorDataCount(let provided, let required):
            "The tensor holds \(required) bytes, but the data has \(provided): check the element type and the shape."
        case .invalidTensorDataType:
            "The tensor's element type cannot be represented here: convert the model to one of the listed types."
        case .failedToCreateSignatureRunner(let key):
            "The model has no signature \"\(key)\": use one of Interpreter.signatureKeys."
        case .failedToGetTensor(let type, let name):
            "The signature has no \(type) named \"\(name)\": use one of the runner's \(type)s."
        case .failedToResizeInputTensor(let name):
            "Input \"\(name)\" cannot have the requested shape: keep its rank and use dimensions of at least 1."
        case .failedToCopyDataToInputTensor:
            "The data could not be copied into the input tensor: call allocateTensors() and try again."
        case .failedToAllocateTensors:
            "The tensors could not be allocated: check the shapes of the resized inputs."
        case .failedToInvokeSignature(let key):
            "The runtime could not run the signature \"\(key)\": check the shapes of its resized inputs."
        case .allocateTensorsRequired:
            "The tensors have no memory yet: call allocateTensors() first."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
