import COnnxRuntime
import Foundation
import TensorFlowLite

/// A model that is ready to run, with the memory of its inputs and the outputs of its last run. It has a single owner.
package final class OnnxSession: InferenceSession {
    private struct Input {
        let description: TensorDescription
        var shape: [Int]
        var memory: OnnxInputMemory?
    }

    private struct Output {
        let description: TensorDescription
        /// The value of the last run; nil before the first run.
        var value: OpaquePointer?
        var shape: [Int] = []
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private let compiled: CompiledOnnxModel
    private let limits: ModelLimits
    private var inputs: [Input]
    private var outputs: [Output]

    private var library: OnnxLibrary { compiled.library }
    private var functions: OnnxFunctions { compiled.library.functions }

    init(_ compiled: CompiledOnnxModel, inputs: [TensorDescription], outputs: [TensorDescription], limits: ModelLimits)
    {
        self.compiled = compiled
        self.limits = limits
        self.inputs = inputs.map { Input(description: $0, shape: $0.defaultShape.dimensions) }
        self.outputs = outputs.map { Output(description: $0) }
    }

    deinit { releaseOutputs() }

    private func releaseOutputs() {
        for index in outputs.indices {
            functions.ReleaseValue(outputs[index].value)
            outputs[index].value = nil
        }
    }

    package var inputTensorCount: Int { inputs.count }
    package var outputTensorCount: Int { outputs.count }

    package func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
        try check(index, inputs.count)
        let stated = inputs[index].description.shape
        guard stated.permits(shape.dimensions), shape.dimensions.allSatisfy({ $0 > 0 }), let count = shape.elementCount,
            count <= limits.maximumTensorBytes / inputs[index].description.dataType.byteCount
        else { throw InterpreterError.failedToResizeInputTensor(index: index) }
        if inputs[index].shape != shape.dimensions { inputs[index].memory = nil }
        inputs[index].shape = shape.dimensions
    }

    package func allocateTensors() throws {
        for index in inputs.indices where inputs[index].memory == nil {
            let input = inputs[index]
            inputs[index].memory = try OnnxInputMemory(input.description.dataType, shape: input.shape, library)
        }
    }

    package func invoke() throws {
        let values = inputs.map { $0.memory?.value }
        guard values.allSatisfy({ $0 != nil }) else { throw InterpreterError.allocateTensorsRequired }
        releaseOutputs()
        var results = [OpaquePointer?](repeating: nil, count: outputs.count)
        let status = functions.Run(
            compiled.handle,
            nil,
            compiled.inputNames.pointers,
            values,
            values.count,
            compiled.outputNames.pointers,
            results.count,
            &results
        )
        for (index, value) in results.enumerated() { outputs[index].value = value }
        if let reason = library.reason(of: status) {
            throw InterpreterError.tensorFlowLiteError(
                "ONNX Runtime could not run the model (\(reason)): export the model again, or check its inputs."
            )
        }
        for index in outputs.indices { try readOutput(index) }
    }

    /// Finds the place of an output's values, and checks that they are what the file states.
    private func readOutput(_ index: Int) throws {
        let description = outputs[index].description
        guard let value = outputs[index].value else { throw InterpreterError.invokeInterpreterRequired }
        var info: OpaquePointer?
        try library.check(functions.GetTensorTypeAndShape(value, &info), "read the output \(description.name)")
        guard let info else { throw InterpreterError.invokeInterpreterRequired }
        defer { functions.ReleaseTensorTypeAndShapeInfo(info) }
        var (type, rank) = (Int32(0), 0)
        try library.check(functions.GetTensorElementType(info, &type), "read the output \(description.name)")
        try library.check(functions.GetDimensionsCount(info, &rank), "read the output \(description.name)")
        var extents = [Int64](repeating: 0, count: rank)
        try library.check(functions.GetDimensions(info, &extents, rank), "read the output \(description.name)")
        let shape = extents.map(Int.init)
        let stated = description.shape
        guard OnnxElementType(rawValue: Int(type)).dataType == description.dataType, stated.permits(shape),
            let count = Tensor.Shape(shape).elementCount
        else {
            throw InterpreterError.tensorFlowLiteError(
                "The model gives \(OnnxElementType(rawValue: Int(type))) \(shape) in its output \(description.name), where its file "
                    + "states \(description.dataType) \(stated.dimensions): export the model again."
            )
        }
        var start: UnsafeMutableRawPointer?
        if count > 0 {
            try library.check(functions.GetTensorMutableData(value, &start), "read the output \(description.name)")
        }
        outputs[index].shape = shape
        outputs[index].bytes = UnsafeRawBufferPointer(start: start, count: count * description.dataType.byteCount)
    }

    /// The shapes of the outputs of the last run.
    var outputShapes: [[Int]] { outputs.map(\.shape) }

    package func output(at index: Int) throws -> Tensor {
        try check(index, outputs.count)
        let output = outputs[index]
        return try withOutput(at: index) { bytes in
            Tensor(
                name: output.description.name,
                dataType: output.description.dataType,
                shape: Tensor.Shape(output.shape),
                data: Data(bytes),
                quantizationParameters: nil
            )
        }
    }

    package func withMutableInput<Result>(
        at index: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        try check(index, inputs.count)
        guard let memory = inputs[index].memory else { throw InterpreterError.allocateTensorsRequired }
        return try withExtendedLifetime(memory) { try body(memory.bytes) }
    }

    package func withOutput<Result>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try check(index, outputs.count)
        guard outputs[index].value != nil else { throw InterpreterError.invokeInterpreterRequired }
        // The session owns the value, which only the next run releases.
        return try withExtendedLifetime(self) { try body(outputs[index].bytes) }
    }

    private func check(_ index: Int, _ count: Int) throws(InterpreterError) {
        guard (0..<count).contains(index) else { throw .invalidTensorIndex(index: index, maxIndex: count - 1) }
    }
}

extension Tensor.Shape {
    /// Whether a tensor may have some dimensions: those that this shape states, and any where it leaves them open.
    fileprivate func permits(_ other: [Int]) -> Bool {
        dimensions.isEmpty || rank == other.count && zip(dimensions, other).allSatisfy { $0 < 0 || $0 == $1 }
    }
}

/// The memory of an input, and the runtime's handle for it.
///
/// Unsafe but sound: `start` is allocated in `init` and released in `deinit` after the handle that refers to it; both are constants.
private final class OnnxInputMemory {
    let bytes: UnsafeMutableRawBufferPointer
    let value: OpaquePointer
    private let library: OnnxLibrary

    init(_ dataType: Tensor.DataType, shape: [Int], _ library: OnnxLibrary) throws {
        guard let type = OnnxElementType(dataType), let count = Tensor.Shape(shape).elementCount else {
            throw InterpreterError.failedToAllocateTensors
        }
        let byteCount = count * dataType.byteCount
        let start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 64)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        var value: OpaquePointer?
        let status = library.functions.CreateTensorWithDataAsOrtValue(
            library.memory,
            start,
            byteCount,
            shape.map(Int64.init),
            shape.count,
            Int32(type.rawValue),
            &value
        )
        guard library.reason(of: status) == nil, let value else {
            start.deallocate()
            throw InterpreterError.failedToAllocateTensors
        }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        self.value = value
        self.library = library
    }

    deinit {
        library.functions.ReleaseValue(value)
        bytes.baseAddress?.deallocate()
    }
}
