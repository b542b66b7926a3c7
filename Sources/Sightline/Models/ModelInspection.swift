import Foundation
import TensorFlowLite

/// What a model wants and gives, and what Sightline does with it.
public struct ModelInspection: Sendable, Codable {
    /// What a model can be used for.
    public enum Task: String, Sendable, Codable {
        /// It names whole pictures, or objects that another model found.
        case labeling
        /// It finds objects.
        case detection
    }

    /// An input or output.
    public struct TensorSummary: Sendable, Codable {
        /// Its name in the model.
        public var name: String
        /// Its name in the metadata, if there is one.
        public var title: String?
        /// Extents; −1 where they are open.
        public var shape: [Int]
        /// The type of its elements.
        public var dataType: String
        /// The step between stored values, if quantised.
        public var scale: Float?
        /// The stored value that stands for 0, if quantised.
        public var zeroPoint: Int?
    }

    /// The labels that belong to the model.
    public struct LabelSummary: Sendable, Codable {
        /// Where they come from.
        public var source: String
        /// How many there are.
        public var count: Int
        /// The first few.
        public var first: [String]
    }

    /// The model file.
    public var path: String
    /// Its size in bytes.
    public var byteCount: Int
    /// The name, version, author, licence and description that its metadata give.
    public var metadata: [String: String]
    /// What it takes.
    public var inputs: [TensorSummary]
    /// What it gives.
    public var outputs: [TensorSummary]
    /// The labels.
    public var labels: LabelSummary?
    /// What Sightline can use it for; nil if it cannot use it.
    public var task: Task?
    /// How its outputs are read.
    public var head: String?
    /// How a picture becomes its input.
    public var preparation: [String]
    /// The confidence below which results are dropped by default.
    public var threshold: Float?
    /// What is assumed since the model does not say it; a sidecar file can say it.
    public var assumptions: [String]
    /// Why Sightline cannot use the model for pictures.
    public var problem: String?

    /// Reads a model.
    ///
    /// - Throws: `LocalModelError` if the files cannot be read as a model at all. A model that can be read but not used is
    ///   described, with the reason in ``problem``.
    public init(of local: LocalModel) throws(LocalModelError) {
        let files = try ModelFiles(local)
        path = files.url.path
        byteCount = files.model.data.count
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
    }

    private static func metadata(_ files: ModelFiles) -> [String: String] {
        let metadata = files.model.metadata
        let fields = [
            "name": metadata?.name, "description": metadata?.description, "version": metadata?.version,
            "author": metadata?.author, "license": metadata?.license,
        ]
        return fields.compactMapValues(\.self)
    }

    /// Tries both tasks and keeps the one that fits, or both reasons.
    private mutating func describeUse(_ files: ModelFiles) {
        let labelingProblem: String
        do {
            let classifier = try Classifier(files: files)
            task = .labeling
            head = "classifier of \(classifier.head.classCount) classes"
            threshold = classifier.threshold(explicit: nil)
            describe(classifier.input, fit: classifier.fit(preferred: .crop))
            noteMissingLabels(classifier.names, files)
            return
        } catch {
            labelingProblem = "\(error)"
        }
        do {
            let model = try DetectionModel(files: files)
            task = .detection
            head = model.head.summary + (model.head.classCount.map { ", \($0) class\($0 == 1 ? "" : "es")" } ?? "")
            threshold = model.scoreThreshold(explicit: nil)
            describe(model.input, fit: model.fit)
            assumptions += model.head.assumptions
            if !model.isClassAgnostic { noteMissingLabels(model.names, files) }
        } catch {
            problem = files.model.outputs.count == 1 ? labelingProblem : "\(error)"
        }
    }

    private mutating func noteMissingLabels(_ names: ClassNames, _ files: ModelFiles) {
        guard names.names.isEmpty else { return }
        if let ignored = files.labels {
            assumptions.append(
                "\(ignored.list.source) lies beside the model but has another number of labels; it is not used."
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
                    + (format.quantization.map { ", quantised with scale \($0.scale), zero point \($0.zeroPoint)" }
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
        case .stretch: "squeezed to the model's shape"
        case .crop: "the largest centred part in the model's shape"
        case .letterbox(let fill, let anchor):
            "shape kept, \(anchor == .center ? "centred" : "in the top left corner"), filled with \(fill)"
        }
    }
}

extension [Float] {
    fileprivate var summary: String {
        let texts = map { Int(exactly: $0).map(String.init) ?? "\($0)" }
        return texts.count == 1 ? texts[0] : "[" + texts.joined(separator: ", ") + "]"
    }
}
