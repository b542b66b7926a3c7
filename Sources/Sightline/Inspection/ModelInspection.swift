import Foundation
import TensorFlowLite

/// A description of a model: its inputs and outputs, and the way in which Sightline uses them.
public struct ModelInspection: Sendable, Codable {
    /// The purpose of a model.
    public enum Purpose: String, Sendable, Codable {
        /// The model names whole pictures, or objects that another model found.
        case labeling
        /// The model finds objects.
        case detection
    }

    /// An input or output.
    public struct TensorSummary: Sendable, Codable {
        /// The name in the model.
        public var name: String
        /// The name in the metadata, if the metadata gives a name.
        public var title: String?
        /// Extents; −1 where they are open.
        public var shape: [Int]
        /// The type of its elements.
        public var dataType: String
        /// The step between stored values, if the tensor is quantized.
        public var scale: Float?
        /// The stored value that stands for 0, if the tensor is quantized.
        public var zeroPoint: Int?

        /// The shape, for example `1 × 320 × 320 × 3`, with a question mark for an open extent.
        package var shapeText: String {
            // A file may leave all extents open, for example for a detector's postprocessing.
            shape.isEmpty ? "open shape" : shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: " × ")
        }

        /// The shape and the type of the elements.
        package var typeText: String { "\(shapeText)\(shape.isEmpty ? "," : "") \(dataType)" }
    }

    /// The labels that belong to the model.
    public struct LabelSummary: Sendable, Codable {
        /// The source of the labels: a file, or a file inside the model.
        public var source: String
        /// The number of labels.
        public var count: Int
        /// The first few labels.
        public var first: [String]
    }

    /// The model file.
    public var path: String
    /// The size of the file in bytes.
    public var byteCount: Int
    /// The format of the file and the library that runs it, for example "ONNX, operators of version 17; runs in ONNX Runtime".
    public var runtime: String?
    /// The operators, most used first, each with its number of uses.
    public var operators: [String]?
    /// The name, version, author, license, description and task in the model's metadata.
    public var metadata: [String: String]
    /// The inputs.
    public var inputs: [TensorSummary]
    /// The outputs.
    public var outputs: [TensorSummary]
    /// The labels.
    public var labels: LabelSummary?
    /// The purpose for which Sightline can use the model; nil if it cannot use the model.
    public var task: Purpose?
    /// The kind of head that reads the outputs.
    public var head: String?
    /// The steps by which a picture becomes the input.
    public var preparation: [String]
    /// The confidence below which results are dropped by default.
    public var threshold: Float?
    /// Assumptions about properties that the model leaves open; a sidecar file can give these properties.
    public var assumptions: [String]
    /// The unused parts: outputs, parts of outputs, and further models of an archive; nil if everything is used.
    public var unused: [String]?
    /// Why Sightline cannot use the model for pictures.
    public var problem: String?
    /// The parts that `ModelOptimizer` would rewrite, so that the model runs faster; nil if nothing.
    public var optimizations: [String]?

    /// Reads a model.
    ///
    /// - Throws: `LocalModelError` if the files cannot be read as a model. A model that can be read but not used has a
    ///   description with the reason in ``problem``.
    public init(of local: LocalModel) throws(LocalModelError) {
        let files = try ModelFiles(local)
        try DetectorHeads.checkName(in: files)
        path = files.url.path
        byteCount = files.model.data.count
        runtime = "\(files.model.runtime.format); runs in \(files.model.runtime.library)"
        operators = files.model.operators.map { "\($0.name) × \($0.count)" }
        inputs = files.model.inputs.enumerated().map {
            TensorSummary($0.element, metadata: files.model.metadata?.inputs, at: $0.offset)
        }
        outputs = files.model.outputs.enumerated().map {
            TensorSummary($0.element, metadata: files.model.metadata?.outputs, at: $0.offset)
        }
        labels = files.labels.map {
            LabelSummary(source: $0.list.source, count: $0.list.names.count, first: Array($0.list.names.prefix(5)))
        }
        metadata = Self.metadata(files)
        preparation = []
        assumptions = []
        describeUse(files)
        describeOptimizations(files)
        let others = files.otherModels.map { "the model \($0) in the same archive" }
        if !others.isEmpty { unused = others + (unused ?? []) }
    }

    private static func metadata(_ files: ModelFiles) -> [String: String] {
        let metadata = files.model.metadata
        let fields = [
            "name": metadata?.name, "description": metadata?.description, "version": metadata?.version,
            "author": metadata?.author, "license": metadata?.license,
        ]
        return (files.ultralytics?.facts ?? [:]).merging(fields.compactMapValues(\.self)) { _, given in given }
    }

    /// Tries both purposes and keeps the first that fits; otherwise the reason against the likelier of the two.
    private mutating func describeUse(_ files: ModelFiles) {
        let labelingProblem: String
        do {
            let classifier = try Classifier(files: files)
            try classifier.checkThatItNamesPictures()
            task = .labeling
            head = "classifier of \(classifier.head.classCount) classes"
            threshold = Thresholds.label(nil, of: files)
            assumptions += classifier.head.assumptions
            if !classifier.head.unused.isEmpty { unused = classifier.head.unused }
            describe(classifier.input, fit: classifier.fit(preferred: .crop))
            noteMissingLabels(classifier.names, files)
            return
        } catch {
            labelingProblem = "\(error)"
        }
        do {
            let model = try Self.probed(DetectionModel(files: files))
            task = .detection
            head = model.head.summary + (model.head.classCount.map { ", \($0) class\($0 == 1 ? "" : "es")" } ?? "")
            threshold = Thresholds.score(nil, of: files, head: model.head)
            describe(model.input, fit: model.fit)
            if let size = model.overview?.input.format.size {
                preparation.append(
                    "the whole picture once more, as an overview of \(size.width) × \(size.height) pixels"
                )
            }
            assumptions += model.head.assumptions
            if !model.head.unused.isEmpty { unused = model.head.unused }
            if !model.isClassAgnostic { noteMissingLabels(model.names, files) }
        } catch {
            let shapes = files.outputShapes
            problem = shapes.count == 1 && shapes[0].count != 3 ? labelingProblem : "\(error)"
        }
    }

    private mutating func describeOptimizations(_ files: ModelFiles) {
        let scoreThreshold = task == .detection ? threshold : nil
        guard let plan = try? ModelOptimizer(scoreThreshold: scoreThreshold).plan(for: files.tensorFlowLiteModel())
        else { return }
        optimizations = plan.rewrites.map(\.description) + plan.kept.map(\.description)
    }

    /// The model, compiled and run if its outputs show their meaning only then.
    private static func probed(_ model: DetectionModel) throws -> DetectionModel {
        guard model.head.needsProbe else { return model }
        var runner = try model.makeRunner(threads: 1)
        return try model.probed(with: &runner)
    }

    private mutating func noteMissingLabels(_ names: ClassNames, _ files: ModelFiles) {
        guard names.names.isEmpty else { return }
        if let ignored = files.labels {
            assumptions.append(
                "\(ignored.list.source) is next to the model but has another number of labels; it is not used."
            )
        } else {
            assumptions.append("The model has no labels; results carry the class number only. Give them with --labels.")
        }
    }

    private mutating func describe(_ input: ImageInput, fit: ImageFit) {
        let format = input.format
        preparation = [
            "\(format.size.width) × \(format.size.height) pixels, \(format.channels.rawValue.uppercased()), "
                + "\(format.layout.rawValue.uppercased()), \(format.dataType)",
            fit.summary,
            format.quantization == nil && format.dataType != .float32 && format.dataType != .float16
                ? (format.mean == [128] ? "pixel values − 128" : "pixel values as they are")
                : "(pixel value − \(format.mean.summary)) / \(format.standardDeviation.summary)"
                    + (format.quantization.map { ", quantized with scale \($0.scale), zero point \($0.zeroPoint)" }
                        ?? ""),
        ]
        assumptions += input.assumptions
    }
}

extension ModelInspection.TensorSummary {
    fileprivate init(_ tensor: TensorDescription, metadata: [TensorMetadata]?, at index: Int) {
        self.init(
            name: tensor.name,
            title: metadata.flatMap { $0.indices.contains(index) ? $0[index].name : nil },
            shape: tensor.shape.dimensions,
            dataType: "\(tensor.dataType)",
            scale: tensor.quantizationParameters?.scale,
            zeroPoint: tensor.quantizationParameters?.zeroPoint
        )
    }
}

extension ImageFit {
    fileprivate var summary: String {
        switch self {
        case .stretch: "stretched to the model's shape"
        case .crop: "the largest centered part in the model's shape"
        case .letterbox(let fill, let anchor):
            "shape kept, \(anchor == .center ? "centered" : "in the top left corner"), filled with \(fill)"
        }
    }
}

extension [Float] {
    fileprivate var summary: String {
        let texts = map { Int(exactly: $0).map(String.init) ?? "\($0)" }
        return texts.count == 1 ? texts[0] : "[" + texts.joined(separator: ", ") + "]"
    }
}
