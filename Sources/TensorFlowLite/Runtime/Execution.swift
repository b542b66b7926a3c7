import CLiteRT

/// One signature of a compiled model with the memory of its inputs and outputs.
///
/// Inputs and outputs are numbered as in the model file; the runtime may number them differently.
final class Execution {
    enum Failure: Error {
        /// The input cannot have this shape.
        case shape
        /// The tensors could not be allocated.
        case allocation
        /// The runtime's message, or a limitation.
        case runtime(String)
    }

    struct Slot {
        /// The tensor's name.
        let name: String
        /// The name in the signature.
        let nameInSignature: String
        let dataType: Tensor.DataType
        let quantizationParameters: QuantizationParameters?
        /// The tensor's number in the runtime.
        let runtimeIndex: Int
        var shape: [Int]
        var memory: TensorMemory?
    }

    private(set) var inputs: [Slot]
    private(set) var outputs: [Slot]
    /// Whether all tensors have memory that fits the current shapes. Another runner may have changed the shapes.
    var isAllocated: Bool { allocated != nil && allocated == compiled.generations[subgraph, default: 0] }
    private let compiled: CompiledModel
    private let signature: Int
    private let subgraph: Int
    /// The generation of shapes that the memory was allocated for; nil before the first allocation.
    private var allocated: Int?
    private var inputHandles: [OpaquePointer?] = []
    private var outputHandles: [OpaquePointer?] = []

    /// - Parameter signature: The description in the model, or nil for the main subgraph of a model without signatures.
    init(_ compiled: CompiledModel, signature: ModelGraph.Signature?) throws {
        let index = signature?.subgraph ?? 0
        let subgraph = compiled.model.graph.subgraphs[index]
        let known = compiled.runtimeModel.signatures
        // For a model without signatures the runtime creates one from the names of the tensors.
        let position =
            signature.map { wanted in known.firstIndex { $0.key == wanted.key } } ?? (known.isEmpty ? nil : 0)
        guard let position else { throw ModelError.rejectedByRuntime(reason: "it does not know the signature") }
        func slots(
            _ tensors: [Int],
            _ entries: [ModelGraph.Signature.Entry]?,
            _ runtimeNames: [String]
        ) throws -> [Slot] {
            var names: [Int: String] = [:]
            for entry in entries ?? [] { names[entry.tensor] = entry.name }
            let slots = try tensors.map { index in
                let tensor = subgraph.tensors[index]
                let name = names[index] ?? tensor.name
                guard let runtimeIndex = runtimeNames.firstIndex(of: name) else {
                    throw ModelError.rejectedByRuntime(reason: "it does not know the tensor \"\(name)\"")
                }
                guard let dataType = tensor.type.dataType else {
                    throw ModelError.unsupported(.elementType(tensor: tensor.name, type: "\(tensor.type)"))
                }
                return Slot(
                    name: tensor.name,
                    nameInSignature: name,
                    dataType: dataType,
                    quantizationParameters: tensor.quantization,
                    runtimeIndex: runtimeIndex,
                    shape: tensor.shape
                )
            }
            // Each buffer is passed exactly once: the runtime would write through a missing one.
            guard slots.map(\.runtimeIndex).sorted() == Array(runtimeNames.indices) else {
                throw ModelError.rejectedByRuntime(reason: "it numbers the tensors differently")
            }
            return slots
        }
        self.compiled = compiled
        self.signature = position
        self.subgraph = index
        inputs = try slots(subgraph.inputs, signature?.inputs, known[position].inputs)
        outputs = try slots(subgraph.outputs, signature?.outputs, known[position].outputs)
    }

    /// Changes the shape of an input, and its rank if necessary. All tensors lose their memory.
    func resizeInput(_ index: Int, to shape: [Int]) throws(Failure) {
        let slot = inputs[index]
        guard (1...Int(kLiteRtMaximumRank)).contains(shape.count) || shape.count == slot.shape.count,
            shape.allSatisfy({ $0 > 0 && $0 <= Int32.max }),
            let byteCount = byteCount(of: shape, slot.dataType),
            byteCount <= compiled.model.limits.maximumTensorBytes
        else { throw .shape }
        if isAllocated, slot.shape == shape { return }
        forgetMemory()
        guard
            compiled.resizeInput(
                signature: signature,
                subgraph: subgraph,
                input: slot.runtimeIndex,
                to: shape.map { Int32(clamping: $0) }
            )
        else { throw .shape }
        inputs[index].shape = shape
    }

    /// Allocates all tensors, unless they are already allocated.
    func allocate() throws(Failure) {
        guard !isAllocated else { return }
        for slot in inputs {
            // For open dimensions the file stores default sizes, as in TensorFlow Lite.
            guard let shape = compiled.inputShape(signature: signature, input: slot.runtimeIndex) else {
                throw .allocation
            }
            if shape != slot.shape, !shape.isEmpty || !slot.shape.isEmpty {
                guard slot.shape.allSatisfy({ $0 > 0 }),
                    compiled.resizeInput(
                        signature: signature,
                        subgraph: subgraph,
                        input: slot.runtimeIndex,
                        to: slot.shape.map { Int32(clamping: $0) }
                    )
                else { throw .allocation }
            }
        }
        guard let shapes = compiled.allocate(signature: signature, outputs: outputs.count) else {
            if let message = compiled.takeErrors() { throw .runtime(message) }
            throw .allocation
        }
        inputHandles = Array(repeating: nil, count: inputs.count)
        outputHandles = Array(repeating: nil, count: outputs.count)
        for index in inputs.indices {
            let memory = try memory(inputs[index].shape, inputs[index])
            inputs[index].memory = memory
            inputHandles[inputs[index].runtimeIndex] = memory.handle
        }
        for index in outputs.indices {
            let shape = shapes[outputs[index].runtimeIndex]
            let memory = try memory(shape, outputs[index])
            outputs[index].shape = shape
            outputs[index].memory = memory
            outputHandles[outputs[index].runtimeIndex] = memory.handle
        }
        allocated = compiled.generations[subgraph, default: 0]
    }

    /// Runs the signature; the tensors must have memory.
    func run() throws(Failure) {
        let status = compiled.run(signature: signature, inputs: &inputHandles, outputs: &outputHandles)
        guard status == kLiteRtOk else {
            throw .runtime(compiled.takeErrors() ?? "status \(status), \(runtimeStatusText(status))")
        }
        try checkSizes()
    }

    /// Refuses outputs that have another size than their memory. The runtime learns some sizes only while it runs: it refuses to write more
    /// than the memory holds, but fewer elements would leave those of earlier runs behind them.
    private func checkSizes() throws(Failure) {
        guard let counts = compiled.elementCounts(signature: signature, outputs: outputs.count) else { return }
        for slot in outputs where counts[slot.runtimeIndex] != Tensor.Shape(slot.shape).elementCount {
            throw .runtime("\(ModelError.unsupported(.dataDependentSize(tensor: slot.name)))")
        }
    }

    private func forgetMemory() {
        allocated = nil
        inputHandles = []
        outputHandles = []
        for index in inputs.indices { inputs[index].memory = nil }
        for index in outputs.indices { outputs[index].memory = nil }
    }

    private func memory(_ shape: [Int], _ slot: Slot) throws(Failure) -> TensorMemory {
        guard let byteCount = byteCount(of: shape, slot.dataType) else {
            throw .runtime("\(ModelError.unsupported(.dataDependentSize(tensor: slot.name)))")
        }
        if let memory = slot.memory, shape == slot.shape { return memory }
        guard byteCount <= compiled.model.limits.maximumTensorBytes,
            let memory = TensorMemory(
                dataType: slot.dataType,
                layout: LiteRtLayout(shape: shape),
                byteCount: byteCount,
                library: compiled.library
            )
        else { throw .allocation }
        return memory
    }

    private func byteCount(of shape: [Int], _ type: Tensor.DataType) -> Int? {
        guard let elements = Tensor.Shape(shape).elementCount else { return nil }
        let (bytes, overflow) = elements.multipliedReportingOverflow(by: type.byteCount)
        return overflow ? nil : bytes
    }
}
