import Foundation

/// Runs a model: copy data in, invoke, read data out.
///
/// The interface is that of TensorFlowLiteSwift, so code written for it compiles unchanged. Sightline adds
/// ``init(model:options:)``, which reports why the runtime refuses a model, and ``withMutableInput(at:_:)`` and
/// ``withOutput(at:_:)``, which copy nothing. The differences are:
///
/// - The runtime is LiteRT with its XNNPACK kernels, regardless of ``Options/isXNNPackEnabled``.
/// - The interpreter accepts no delegates.
/// - An output can be read as soon as the tensors are allocated; it is zero until the first ``invoke()``.
/// - ``invoke()`` throws the runtime's message where the original throws `allocateTensorsRequired` for every failure.
/// - All dimensions of a resized input are at least 1.
///
/// An interpreter is not Sendable and has a single owner: if two threads use a compiled model at the same time, the
/// results are wrong. For several threads, create several interpreters from the same ``Model``.
public final class Interpreter {
    /// The options passed to the initializer.
    public let options: Options?
    /// The delegates passed to the initializer.
    public let delegates: [Delegate]?
    /// The model that the interpreter runs.
    public let model: Model

    private let compiled: CompiledModel
    private let execution: Execution

    /// Creates an interpreter for the model file at `modelPath`.
    ///
    /// - Throws: ``InterpreterError``: `failedToLoadModel` if the file cannot be read or is not a valid model,
    ///   `failedToCreateInterpreter` if the runtime refuses the model, `tensorFlowLiteError` if the runtime is missing
    ///   or lacks a feature that the model needs.
    public convenience init(modelPath: String, options: Options? = nil, delegates: [Delegate]? = nil) throws {
        try self.init(options: options, delegates: delegates) { () throws(ModelError) in
            try Model(contentsOf: URL(filePath: modelPath))
        }
    }

    /// Creates an interpreter for a model in memory.
    ///
    /// - Throws: The same errors as ``init(modelPath:options:delegates:)``.
    public convenience init(modelData: Data, options: Options? = nil, delegates: [Delegate]? = nil) throws {
        try self.init(options: options, delegates: delegates) { () throws(ModelError) in try Model(data: modelData) }
    }

    /// Creates an interpreter for a model that several interpreters may share.
    ///
    /// - Throws: ``RuntimeError`` if the runtime is missing; ``ModelError/rejectedByRuntime(reason:)`` if the runtime
    ///   refuses the model.
    /// - Complexity: Compilation takes some milliseconds for a model of a few megabytes.
    public convenience init(model: Model, options: Options? = nil) throws {
        try self.init(compiling: model, options: options, delegates: nil)
    }

    private convenience init(
        options: Options?,
        delegates: [Delegate]?,
        model: () throws(ModelError) -> Model
    ) throws(InterpreterError) {
        if let delegates, !delegates.isEmpty {
            throw .tensorFlowLiteError("The runtime supports no delegates: omit `delegates`.")
        }
        do {
            try self.init(compiling: try model(), options: options, delegates: delegates)
        } catch ModelError.unsupported(let limitation) {
            throw .tensorFlowLiteError("\(ModelError.unsupported(limitation))")
        } catch ModelError.rejectedByRuntime {
            throw .failedToCreateInterpreter
        } catch is ModelError {
            throw .failedToLoadModel
        } catch let error as RuntimeError {
            throw .tensorFlowLiteError(error.description)
        } catch {
            throw .failedToCreateInterpreter
        }
    }

    private init(compiling model: Model, options: Options?, delegates: [Delegate]?) throws {
        self.model = model
        self.options = options
        self.delegates = delegates
        compiled = try CompiledModel(model, threadCount: options?.threadCount)
        execution = try Execution(compiled, signature: model.graph.signatures.first { $0.subgraph == 0 })
    }

    /// The number of inputs.
    public var inputTensorCount: Int { execution.inputs.count }

    /// The number of outputs.
    public var outputTensorCount: Int { execution.outputs.count }

    /// The keys of the model's signatures, in the file's order.
    public var signatureKeys: [String] { model.signatureKeys }

    /// Allocates memory for all tensors at the current input shapes. Does nothing if they are already allocated.
    ///
    /// - Throws: ``InterpreterError``: `failedToAllocateTensors`, or `tensorFlowLiteError` with the runtime's message.
    public func allocateTensors() throws {
        do {
            try execution.allocate()
        } catch {
            guard case .runtime(let message) = error else { throw InterpreterError.failedToAllocateTensors }
            throw InterpreterError.tensorFlowLiteError(message)
        }
    }

    /// Runs the model on the current contents of the inputs. Allocates no memory.
    ///
    /// - Throws: ``InterpreterError``: `allocateTensorsRequired`, or `tensorFlowLiteError` with the runtime's message.
    public func invoke() throws {
        guard execution.isAllocated else { throw InterpreterError.allocateTensorsRequired }
        do {
            try execution.run()
        } catch {
            guard case .runtime(let message) = error else { throw InterpreterError.allocateTensorsRequired }
            throw InterpreterError.tensorFlowLiteError(message)
        }
    }

    /// The input at `index` with a copy of its data.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `allocateTensorsRequired`.
    public func input(at index: Int) throws -> Tensor {
        let slot = try slot(execution.inputs, at: index)
        guard let tensor = Tensor(slot) else { throw InterpreterError.allocateTensorsRequired }
        return tensor
    }

    /// The output at `index` with a copy of its data.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `invokeInterpreterRequired` when the tensors have no
    ///   memory.
    public func output(at index: Int) throws -> Tensor {
        let slot = try slot(execution.outputs, at: index)
        guard let tensor = Tensor(slot) else { throw InterpreterError.invokeInterpreterRequired }
        return tensor
    }

    /// Changes the shape of the input at `index`. Call ``allocateTensors()`` afterwards.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `failedToResizeInputTensor`.
    public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
        _ = try slot(execution.inputs, at: index)
        do {
            try execution.resizeInput(index, to: shape.dimensions)
        } catch {
            throw InterpreterError.failedToResizeInputTensor(index: index)
        }
    }

    /// Copies data into the input at `index` and returns that input.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `allocateTensorsRequired`, then
    ///   `invalidTensorDataCount`.
    @discardableResult
    public func copy(_ data: Data, toInputAt index: Int) throws -> Tensor {
        let slot = try slot(execution.inputs, at: index)
        guard let memory = slot.memory else { throw InterpreterError.allocateTensorsRequired }
        guard data.count == memory.byteCount else {
            throw InterpreterError.invalidTensorDataCount(provided: data.count, required: memory.byteCount)
        }
        data.copyBytes(to: memory.bytes)
        return try input(at: index)
    }

    /// A runner for the signature with the given key.
    ///
    /// - Throws: ``SignatureRunnerError``: `failedToCreateSignatureRunner`, or `failedToAllocateTensors`.
    public func signatureRunner(with key: String) throws -> SignatureRunner {
        try SignatureRunner(compiled, key: key)
    }

    /// Gives access to the memory of the input at `index`, 64-byte aligned, for the duration of the call. The next
    /// ``invoke()`` reads the bytes that the closure writes.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `allocateTensorsRequired`; and the errors of `body`.
    public func withMutableInput<Result>(
        at index: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard let memory = try slot(execution.inputs, at: index).memory else {
            throw InterpreterError.allocateTensorsRequired
        }
        return try withExtendedLifetime(memory) { try body(memory.bytes) }
    }

    /// Gives access to the memory of the output at `index`, 64-byte aligned, for the duration of the call.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `invokeInterpreterRequired` if the tensors have no
    ///   memory; and the errors of `body`.
    public func withOutput<Result>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard let memory = try slot(execution.outputs, at: index).memory else {
            throw InterpreterError.invokeInterpreterRequired
        }
        return try withExtendedLifetime(memory) { try body(UnsafeRawBufferPointer(memory.bytes)) }
    }

    private func slot(_ slots: [Execution.Slot], at index: Int) throws(InterpreterError) -> Execution.Slot {
        guard slots.indices.contains(index) else {
            throw .invalidTensorIndex(index: index, maxIndex: slots.count - 1)
        }
        return slots[index]
    }
}

extension Tensor {
    /// A copy of the slot's contents, or nil if the slot has no memory.
    init?(_ slot: Execution.Slot) {
        guard let memory = slot.memory else { return nil }
        self.init(
            name: slot.name,
            dataType: slot.dataType,
            shape: Shape(slot.shape),
            data: Data(bytes: memory.start, count: memory.byteCount),
            quantizationParameters: slot.quantizationParameters
        )
    }
}
