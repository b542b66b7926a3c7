import Foundation

/// A reason why a model cannot be used.
public enum ModelError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(path: String, reason: String)
    /// There are no bytes.
    case empty
    /// The bytes are not a model that runs here; `found` is their kind, `advice` the next step.
    case notAModel(found: String, advice: String)
    /// The file is damaged or cut short; `reason` states the position.
    case corrupted(reason: String)
    /// The model needs a feature that the runtime lacks.
    case unsupported(ModelLimitation)
    /// The file is larger than the format of TensorFlow Lite allows.
    case fileTooLarge(bytes: Int, limit: Int)
    /// The machine does not have the memory for the file.
    case outOfMemory(bytes: Int)
    /// A tensor, or all of them together, would take more memory than ``ModelLimits`` allow.
    case tooLarge(what: String, bytes: Int, limit: Int)
    /// The runtime refused the model; `reason` is its message.
    case rejectedByRuntime(reason: String)
    /// The model packs no file with this name.
    case noAssociatedFile(named: String, available: [String])
    /// A packed file is damaged.
    case corruptedAssociatedFile(named: String, reason: String)
}

/// A feature of a model that the runtime lacks.
public enum ModelLimitation: Sendable, Hashable {
    /// An operator that calls other parts of the model, for example a loop, which might never end.
    case controlFlow(operatorName: String)
    /// An operator that keeps state in variables or tables between runs.
    case state(operatorName: String)
    /// A tensor that keeps its value between runs, such as the state of an LSTM.
    case variableTensor(name: String)
    /// An output whose size depends on the input's values.
    case dataDependentSize(tensor: String)
    /// An operator that the runtime lacks, or whose requirements are unknown and so cannot be checked.
    case unknownOperator(name: String)
    /// An input or output whose elements have no type in ``Tensor/DataType``.
    case elementType(tensor: String, type: String)
    /// Weights that are stored without their zeros.
    case sparseTensor(name: String)
    /// Weights that lie in other files.
    case externalWeights
    /// A tensor with more than eight dimensions.
    case rank(tensor: String, rank: Int)
    /// Weights in a file that may not be read, because it lies outside the model's folder, is missing or is too short.
    case weightFile(path: String, reason: String)
    /// An operator that trains a model, or a description of a training.
    case training(name: String)
}

extension ModelLimitation: CustomStringConvertible {
    /// The feature, as a clause.
    public var description: String {
        switch self {
        case .controlFlow(let name): "the control-flow operator \(name)"
        case .state(let name): "the operator \(name), which keeps state between runs"
        case .variableTensor(let name): "the variable tensor \"\(name)\", which keeps its value between runs"
        case .dataDependentSize(let tensor): "the output \"\(tensor)\", whose size depends on the input's values"
        case .unknownOperator(let name): "the operator \(name), which is not supported"
        case .elementType(let tensor, let type): "the tensor \"\(tensor)\" with elements of type \(type)"
        case .sparseTensor(let name): "the sparse tensor \"\(name)\""
        case .externalWeights: "weights in other files"
        case .rank(let tensor, let rank): "the tensor \"\(tensor)\" with \(rank) dimensions (the maximum is 8)"
        case .weightFile(let path, let reason): "weights in the file \"\(path)\", and \(reason)"
        case .training(let name): "a part for training, \(name)"
        }
    }
}

extension ModelLimitation {
    /// The next step, as a clause.
    var advice: String {
        switch self {
        case .unknownOperator("edgetpu-custom-op"):
            "it is compiled for the Edge TPU; use the file from which it was compiled, whose name lacks \"_edgetpu\""
        case .unknownOperator("ethos-u"), .unknownOperator("DISPATCH_OP"), .unknownOperator("tfl.custom_dispatch"):
            "it is compiled for a special chip; use the file from which it was compiled"
        case .unknownOperator(let name) where name.hasPrefix("Flex"):
            "convert it with the built-in operators of TensorFlow Lite alone (TFLITE_BUILTINS)"
        case .state, .elementType(_, "resource"), .controlFlow("CALL_ONCE"):
            "convert it with its variables as constants, for example with TFLiteConverter.from_keras_model"
        case .elementType(_, "string"): "convert it with numbers instead of texts"
        case .weightFile: "put the file beside the model, or export the model as a single file"
        case .training: "export it for inference"
        default: "convert it without this feature"
        }
    }
}

extension ModelError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "The model file \(path) could not be read (\(reason)): check the path and its permissions."
        case .empty:
            "The model file is empty: fetch or export it again."
        case .notAModel(let found, let advice):
            "The file is not a usable model but \(found): \(advice)."
        case .corrupted(let reason):
            "The model is damaged, \(reason): fetch or export it again."
        case .unsupported(let limitation):
            "The model cannot run here because it has \(limitation): \(limitation.advice)."
        case .fileTooLarge(let bytes, let limit):
            "The model file has \(bytes) bytes, and LiteRT cannot load more than \(limit) (2 GiB): export a smaller model, for "
                + "example with weights of 8 bits."
        case .outOfMemory(let bytes):
            "There is no memory for the \(bytes) bytes of the model file: end other programs, or raise this "
                + "program's limit (`ulimit -v`)."
        case .tooLarge(let what, let bytes, let limit):
            "The model's \(what) would take \(bytes) bytes, more than the limit of \(limit): "
                + "use a smaller model, or raise ModelLimits in your own program."
        case .rejectedByRuntime(let reason):
            "The runtime refused the model (\(reason)): \(Self.advice(afterRefusal: reason))."
        case .noAssociatedFile(let name, let available):
            available.isEmpty
                ? "The model packs no files, so \"\(name)\" is missing: put the file beside the model."
                : "The model packs no file \"\(name)\": use one of \(available.joined(separator: ", "))."
        case .corruptedAssociatedFile(let name, let reason):
            "The file \"\(name)\" that the model packs is damaged, \(reason): pack it again."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

extension ModelError {
    /// The error with the runtime's own reason, if the runtime refused the model and printed why.
    ///
    /// - Parameter text: the text that the runtime printed.
    package func explained(by text: String) -> ModelError {
        guard case .rejectedByRuntime(let reason) = self else { return self }
        let lines = text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
            guard let start = line.firstRange(of: "ERROR: ")?.upperBound else { return nil }
            return Self.newerOperator(in: line[start...]) ?? line[start...].trimmingCharacters(in: .whitespaces)
        }
        var known: Set<String> = []
        let reasons = lines.filter { $0 != "Registration failed." && known.insert($0).inserted }
        return reasons.isEmpty ? self : .rejectedByRuntime(reason: (reasons + [reason]).joined(separator: "; "))
    }

    /// The operator that a runtime's sentence about a missing version names.
    private static func newerOperator(in sentence: Substring) -> String? {
        guard let match = sentence.firstMatch(of: /Didn't find op for builtin opcode '([^']*)' version '(\d+)'/) else {
            return nil
        }
        return "\(newerOperatorStart)\(match.1) in version \(match.2)"
    }

    private static let newerOperatorStart = "it does not know the operator "

    /// The next step after the runtime refused a model, as a clause.
    private static func advice(afterRefusal reason: String) -> String {
        if reason.contains(newerOperatorStart) {
            return "a newer TensorFlow converted it; convert it with an older one, or update Sightline and LiteRT"
        }
        return reason.contains("custom operators")
            ? "convert it with the built-in operators of TensorFlow Lite"
            : "convert it again, with another version of the converter or without its optimizations"
    }
}
