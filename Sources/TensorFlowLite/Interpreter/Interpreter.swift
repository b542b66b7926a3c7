import Foundation

/// Runs a model: copy data in, invoke, read data out.
///
/// The interface is that of TensorFlowLiteSwift, so code written for it compiles unchanged, and on top of it come
/// ``init(model:options:)``, which tells why a model is refused, and ``withMutableInput(at:_:)`` and
/// ``withOutput(at:_:)``, which copy nothing. It differs in this:
///
/// - The runtime is LiteRT with its XNNPACK kernels, whatever ``Options/isXNNPackEnabled`` says.
/// - It takes no delegates.
/// - An output can be read as soon as the tensors are allocated; it is zero until the first ``invoke()``.
/// - ``invoke()`` throws the runtime's message where the original says `allocateTensorsRequired` for every failure.
/// - All dimensions of a resized input are at least 1.
///
/// An interpreter is not Sendable and has one owner: a compiled model that two threads use at once gives wrong results.
/// Several threads have several interpreters over one ``Model``.
public final class Interpreter {
    /// The options that the interpreter was made with.
    public let options: Options?
    /// The delegates that the interpreter was made with.
    public let delegates: [Delegate]?
    /// The model that the interpreter runs.
    public let model: Model

    private let compiled: CompiledModel
    private let execution: Execution

    /// Makes an interpreter for the model file at `modelPath`.
    ///
    /// - Throws: ``InterpreterError``: `failedToLoadModel` when the file cannot be read or is no valid model,
    ///   `failedToCreateInterpreter` when the runtime refuses it, `tensorFlowLiteError` when the runtime is missing or
    ///   cannot do what the model needs.
    public convenience init(modelPath: String, options: Options? = nil, delegates: [Delegate]? = nil) throws {
        try self.init(options: options, delegates: delegates) { () throws(ModelError) in
            try Model(contentsOf: URL(filePath: modelPath))
        }
    }

    /// Makes an interpreter for a model in memory.
    ///
    /// - Throws: as ``init(modelPath:options:delegates:)``.
    public convenience init(modelData: Data, options: Options? = nil, delegates: [Delegate]? = nil) throws {
        try self.init(options: options, delegates: delegates) { () throws(ModelError) in try Model(data: modelData) }
    }

    /// Makes an interpreter for a model that other interpreters may share.
    ///
    /// - Throws: ``RuntimeError`` when the runtime is missing; ``ModelError/rejectedByRuntime(reason:)`` when it refuses
    ///   the model.
    /// - Complexity: compiling takes some milliseconds for a model of a few megabytes.
    public convenience init(model: Model, options: Options? = nil) throws {
        try self.init(compiling: model, options: options, delegates: nil)
    }

    private convenience init(
        options: Options?,
        delegates: [Delegate]?,
        model: () throws(ModelError) -> Model
    ) throws(InterpreterError) {
        if let delegates, !delegates.isEmpty {
            throw .tensorFlowLiteError("The runtime takes no delegates: leave `delegates` out.")
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

    /// Gives all tensors memory for the present input shapes. Costs nothing when they have it.
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

    /// Runs the model on what the inputs hold. Allocates no memory of its own.
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

    /// Copies data into the input at `index` and answers with that input.
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

    /// Lends the memory of the input at `index`, 64-byte aligned, for the time of the call: what is written there is
    /// what the next ``invoke()`` reads.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `allocateTensorsRequired`; and what `body` throws.
    public func withMutableInput<Result>(
        at index: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard let memory = try slot(execution.inputs, at: index).memory else {
            throw InterpreterError.allocateTensorsRequired
        }
        return try withExtendedLifetime(memory) { try body(memory.bytes) }
    }

    /// Lends the memory of the output at `index`, 64-byte aligned, for the time of the call.
    ///
    /// - Throws: ``InterpreterError``: `invalidTensorIndex`, then `invokeInterpreterRequired` when the tensors have no
    ///   memory; and what `body` throws.
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
    /// A copy of what the slot holds, or nil when it has no memory.
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
