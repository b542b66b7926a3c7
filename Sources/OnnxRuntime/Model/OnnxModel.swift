import Foundation
import SightlineLocks
import TensorFlowLite

/// An ONNX model: the bytes of a `.onnx` file, read and checked.
///
/// A value of this type has passed every check that does not need the runtime, as a ``TensorFlowLite/Model`` has.
///
/// Sendable: all stored properties are constants of Sendable types, except `compiled`, which a mutex guards.
package final class OnnxModel: InferenceModel {
    package let data: Data
    package let inputs: [TensorDescription]
    package let outputs: [TensorDescription]
    package let operators: [OperatorDescription]
    package let properties: [String: String]
    package let runtime: ModelRuntimeSummary
    /// The inputs and outputs with the names of their open extents.
    private let ends: (inputs: [OnnxValue], outputs: [OnnxValue])
    private let bytes: ModelBytes
    private let weights: [String: ModelBytes]
    private let limits: ModelLimits
    /// The compiled forms by their number of threads.
    private let compiled = Mutex<[Int: CompiledOnnxModel]>([:])

    /// Reads the model file at `url`, and the files of weights in its folder that it names.
    ///
    /// - Throws: `ModelError`: `unreadable`, `empty`, `notAModel`, `corrupted`, `unsupported`, `fileTooLarge`, `outOfMemory` or
    ///   `tooLarge`.
    package convenience init(contentsOf url: URL, limits: ModelLimits = .standard) throws(ModelError) {
        try self.init(ModelBytes(contentsOf: url), folder: url.deletingLastPathComponent(), limits: limits)
    }

    /// Reads a model from a copy of the given bytes. It cannot have weights in other files.
    package convenience init(data: Data, limits: ModelLimits = .standard) throws(ModelError) {
        try self.init(ModelBytes(copying: data), folder: nil, limits: limits)
    }

    private init(_ bytes: ModelBytes, folder: URL?, limits: ModelLimits) throws(ModelError) {
        let file = try bytes.withBytes { bytes throws(ModelError) in
            guard ForeignFile.isONNX(bytes) else {
                throw ModelError(foreign: bytes)
                    ?? .notAModel(found: "a TensorFlow Lite model", advice: "name it .tflite")
            }
            return try OnnxReader.file(bytes)
        }
        try file.check(limits: limits)
        weights = try WeightFiles.read(for: file.graph.externalTensors, in: folder, limits: limits)
        let graph = file.graph
        let pictures = graph.inputs.filter { graph.initializers[$0.name] == nil }
        self.bytes = bytes
        self.limits = limits
        data = bytes.data
        ends = (pictures, graph.outputs)
        inputs = pictures.map { TensorDescription($0, producer: nil) }
        outputs = graph.outputs.map { TensorDescription($0, producer: graph.producer(of: $0.name)) }
        operators = graph.operatorDescriptions
        properties = file.properties
        let version = file.operatorSets[""].map { ", operators of version \($0)" } ?? ""
        runtime = ModelRuntimeSummary(
            format: "ONNX\(version)",
            library: "ONNX Runtime",
            platform: "onnxruntime_onnx",
            backend: "onnxruntime"
        )
    }

    package var metadata: ModelMetadata? { nil }
    package var associatedFileNames: [String] { [] }
    package var outputNamesInSignature: [String?] { outputs.map { _ in nil } }

    package func associatedFile(named name: String) throws(ModelError) -> Data {
        throw .noAssociatedFile(named: name, available: [])
    }

    package func makeSession(threads: Int) throws -> any InferenceSession { try session(threads: threads) }

    private func session(threads: Int) throws -> OnnxSession {
        let threads = max(threads, 1)
        let compiled = try compiled.withLock { compiled in
            if let known = compiled[threads] { return known }
            let model = try CompiledOnnxModel(
                bytes,
                weights: weights,
                inputs: inputs.map(\.name),
                outputs: outputs.map(\.name),
                threads: threads
            )
            compiled[threads] = model
            return model
        }
        return OnnxSession(compiled, inputs: inputs, outputs: outputs, limits: limits)
    }

    // MARK: - Open shapes

    package func outputShapes(withInput index: Int, of shape: [Int], threads: Int) throws -> [[Int]]? {
        let stated = statedShapes(withInput: index, of: shape)
        if let stated, stated.allSatisfy({ $0.allSatisfy { $0 > 0 } && !$0.isEmpty }) { return stated }
        let session = try session(threads: threads)
        if inputs[index].shape.dimensions != shape { try session.resizeInput(at: index, to: Tensor.Shape(shape)) }
        try session.allocateTensors()
        try session.invoke()
        // An extent that was zero depends on the input's values.
        return session.outputShapes.map { $0.map { $0 == 0 ? -1 : $0 } }
    }

    /// The shapes that the file states, with the named extents of the inputs; nil if it states none for an output.
    private func statedShapes(withInput index: Int, of shape: [Int]) -> [[Int]]? {
        var known: [String: Int] = [:]
        for (number, input) in ends.inputs.enumerated() {
            for (place, extent) in (input.shape ?? []).enumerated() {
                guard case .named(let name) = extent else { continue }
                if number == index {
                    known[name] = shape.indices.contains(place) ? shape[place] : nil
                } else {
                    known[name] = known[name] ?? 1
                }
            }
        }
        var shapes: [[Int]] = []
        for output in ends.outputs {
            guard let extents = output.shape else { return nil }
            shapes.append(
                extents.map { extent in
                    switch extent {
                    case .fixed(let count): count
                    case .named(let name): known[name] ?? -1
                    case .open: -1
                    }
                }
            )
        }
        return shapes
    }
}

extension TensorDescription {
    /// An input or output whose type was checked.
    fileprivate init(_ value: OnnxValue, producer: TensorProducer?) {
        let shape = (value.shape ?? []).map { if case .fixed(let count) = $0 { count } else { -1 } }
        self = TensorDescription(
            name: value.name,
            dataType: value.type.dataType ?? .float32,
            shape: Tensor.Shape(shape),
            producer: producer
        )
        .with(defaultShape: Tensor.Shape(shape.map { $0 < 0 ? 1 : $0 }))
    }
}
