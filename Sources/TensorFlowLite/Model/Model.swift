import Foundation
import SightlineLocks

/// A TensorFlow Lite model: the bytes of a .tflite file, read and checked.
///
/// Many interpreters on many threads may share a model. A value of this type has passed every check that does not need
/// the runtime, so a damaged or malicious file leads to a ``ModelError`` and not to a crash.
///
/// Sendable: all stored properties are constants of Sendable types, except `prepared`, which a mutex guards.
public final class Model: Sendable {
    /// The contents of the file.
    public let data: Data
    /// The inputs in the order of ``Interpreter/input(at:)``.
    public let inputs: [TensorDescription]
    /// The outputs in the order of ``Interpreter/output(at:)``.
    public let outputs: [TensorDescription]
    /// The operators in the model, each with its number of uses, most used first.
    public let operators: [OperatorDescription]
    /// The keys of the model's signatures, in the file's order.
    public let signatureKeys: [String]
    /// The names that the first signature gives to the outputs, in the order of ``outputs``; nil for an output that it leaves out.
    package var outputNamesInSignature: [String?] {
        guard let main = graph.subgraphs.first, let signature = graph.signatures.first(where: { $0.subgraph == 0 })
        else {
            return outputs.map { _ in nil }
        }
        return main.outputs.map { output in signature.outputs.first { $0.tensor == output }?.name }
    }
    /// The author's description of the model; nil if the file has no metadata.
    public let metadata: ModelMetadata?

    let graph: ModelGraph
    let limits: ModelLimits
    private let bytes: ModelBytes
    private let archiveResult: Result<ZipArchive?, ModelError>
    private let prepared = Mutex<RuntimeModel?>(nil)

    /// Reads the model file at `url`.
    ///
    /// - Throws: ``ModelError``: `unreadable`, `empty`, `notAModel`, `corrupted`, `unsupported`, `fileTooLarge`,
    ///   `outOfMemory` or `tooLarge`.
    public convenience init(contentsOf url: URL, limits: ModelLimits = .standard) throws(ModelError) {
        try self.init(ModelBytes(contentsOf: url), limits: limits)
    }

    /// Reads a model from a copy of the given bytes.
    ///
    /// - Throws: ``ModelError``: `empty`, `notAModel`, `corrupted`, `unsupported`, `fileTooLarge`, `outOfMemory` or
    ///   `tooLarge`.
    public convenience init(data: Data, limits: ModelLimits = .standard) throws(ModelError) {
        try self.init(ModelBytes(copying: data), limits: limits)
    }

    private init(_ bytes: ModelBytes, limits: ModelLimits) throws(ModelError) {
        let graph = try bytes.withBytes { bytes throws(ModelError) in try ModelGraph(bytes) }
        try graph.check(limits: limits)
        self.bytes = bytes
        self.graph = graph
        self.limits = limits
        data = bytes.data
        inputs = try graph.descriptions(of: \.inputs)
        outputs = try graph.descriptions(of: \.outputs)
        operators = graph.operatorDescriptions
        signatureKeys = graph.signatures.map(\.key)
        metadata = try bytes.withBytes { bytes throws(ModelError) in
            guard let range = graph.metadata["TFLITE_METADATA"] else { return nil }
            return try ModelMetadata(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
        let data = data
        archiveResult = Result { () throws(ModelError) in try ZipArchive(trailing: data) }
    }

    /// The contents of a file that the model packs, for example its labels.
    ///
    /// - Throws: ``ModelError``: `noAssociatedFile`, or `corruptedAssociatedFile` if the packed bytes are damaged.
    public func associatedFile(named name: String) throws(ModelError) -> Data {
        guard let archive = try archive() else { throw .noAssociatedFile(named: name, available: []) }
        return try archive.content(of: name)
    }

    /// The names of the files in the model's archive, in the archive's order; empty if the model packs no files.
    public var associatedFileNames: [String] {
        (try? archive())?.names ?? []
    }

    /// The archive of the packed files; nil if the model packs no files.
    func archive() throws(ModelError) -> ZipArchive? { try archiveResult.get() }

    /// The runtime's view of the bytes, created by the first call and shared.
    func runtimeModel() throws -> RuntimeModel {
        let library = try RuntimeLibrary.shared()
        return try prepared.withLock { prepared in
            if let prepared { return prepared }
            let model = try RuntimeModel(FixedReshapes.bytes(for: self) ?? bytes, library: library)
            prepared = model
            return model
        }
    }
}
