import Foundation

/// Runs one signature of a model, with inputs and outputs by name.
///
/// A runner keeps the compiled model of its ``Interpreter`` alive and shares its owner: neither is safe to use from two
/// threads at the same time. The runner has its own memory for inputs and outputs, but all runners of a signature share
/// its shapes. If another runner changed the shapes, ``invoke(with:)`` restores those of this runner.
public final class SignatureRunner {
    /// The signature's key.
    public let signatureKey: String
    /// The names of the inputs.
    public let inputs: [String]
    /// The names of the outputs.
    public let outputs: [String]

    private let execution: Execution

    init(_ compiled: CompiledModel, key: String) throws {
        let graph = compiled.model.graph
        guard let signature = graph.signatures.first(where: { $0.key == key }),
            let execution = try? Execution(compiled, signature: signature)
        else { throw SignatureRunnerError.failedToCreateSignatureRunner(signatureKey: key) }
        signatureKey = key
        inputs = signature.inputs.map(\.name)
        outputs = signature.outputs.map(\.name)
        self.execution = execution
        try allocateTensors()
    }

    /// Copies the data of the named inputs and runs the signature. All other inputs keep their contents.
    ///
    /// - Throws: ``SignatureRunnerError``: `failedToAllocateTensors`, `failedToGetTensor`, `invalidTensorDataCount` or
    ///   `failedToInvokeSignature`.
    public func invoke(with inputs: [String: Data]) throws {
        try allocateTensors()
        for (name, data) in inputs { try copy(data, toInputNamed: name) }
        do {
            try execution.run()
        } catch {
            throw SignatureRunnerError.failedToInvokeSignature(signatureKey: signatureKey)
        }
    }

    /// The input named `name` with a copy of its data.
    ///
    /// - Throws: ``SignatureRunnerError``: `failedToGetTensor`, then `allocateTensorsRequired`.
    public func input(named name: String) throws -> Tensor {
        try tensor(execution.inputs, "input", name)
    }

    /// The output named `name` with a copy of its data.
    ///
    /// - Throws: ``SignatureRunnerError``: `failedToGetTensor`, then `allocateTensorsRequired`.
    public func output(named name: String) throws -> Tensor {
        try tensor(execution.outputs, "output", name)
    }

    /// Changes the shape of the input named `name`.
    ///
    /// - Throws: ``SignatureRunnerError/failedToResizeInputTensor(inputName:)``.
    public func resizeInput(named name: String, toShape shape: Tensor.Shape) throws {
        guard let index = execution.inputs.firstIndex(where: { $0.nameInSignature == name }),
            (try? execution.resizeInput(index, to: shape.dimensions)) != nil
        else { throw SignatureRunnerError.failedToResizeInputTensor(inputName: name) }
    }

    /// Copies data into the input named `name`.
    ///
    /// - Throws: ``SignatureRunnerError``: `failedToGetTensor`, then `allocateTensorsRequired`, then
    ///   `invalidTensorDataCount`.
    public func copy(_ data: Data, toInputNamed name: String) throws {
        guard let slot = execution.inputs.first(where: { $0.nameInSignature == name }) else {
            throw SignatureRunnerError.failedToGetTensor(tensorType: "input", nameInSignature: name)
        }
        guard let memory = slot.memory else { throw SignatureRunnerError.allocateTensorsRequired }
        guard data.count == memory.byteCount else {
            throw SignatureRunnerError.invalidTensorDataCount(provided: data.count, required: memory.byteCount)
        }
        data.copyBytes(to: memory.bytes)
    }

    /// Allocates memory for all tensors at the current input shapes. Does nothing if they are already allocated.
    ///
    /// - Throws: ``SignatureRunnerError/failedToAllocateTensors``.
    public func allocateTensors() throws {
        do {
            try execution.allocate()
        } catch {
            throw SignatureRunnerError.failedToAllocateTensors
        }
    }

    private func tensor(_ slots: [Execution.Slot], _ type: String, _ name: String) throws -> Tensor {
        guard let slot = slots.first(where: { $0.nameInSignature == name }) else {
            throw SignatureRunnerError.failedToGetTensor(tensorType: type, nameInSignature: name)
        }
        guard let tensor = Tensor(slot) else { throw SignatureRunnerError.allocateTensorsRequired }
        return tensor
    }
}
