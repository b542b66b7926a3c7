import Foundation
import Sightline
import TextFormatting

/// A model's inputs, outputs and use, prepared for its page.
struct InspectionView: Sendable {
    struct Tensor: Sendable {
        var role: String
        var name: String
        var shape: String
        var type: String
        var quantization: String
    }

    var kind: ModelInspection.Purpose?
    var task: String
    var head: String
    var problem: String?
    var tensors: [Tensor]
    var preparation: [String]
    var assumptions: [String]
    /// The format, the library that runs it, and the operators; nil if the description was stored before they were.
    var runtime: String?
    var operators: String?
    var labelCount: String
    var labelSource: String
    var labels: [String]
    /// The other labels, separated by commas; nil if there are none.
    var moreLabels: String?
    /// Whether the hub does not know all labels.
    var isCut: Bool
    var metadata: [ModelMetadataLine]
    /// Whether `ModelOptimizer` can rewrite the model; false if the description was stored before there was an optimizer.
    var canBeFaster: Bool

    /// The number of labels that are shown at once.
    private static let shownLabels = 12

    struct ModelMetadataLine: Sendable {
        var name: String
        var value: String
    }

    /// Nil if the stored JSON cannot be read.
    init?(json: String) {
        guard let inspection = try? JSONDecoder().decode(ModelInspection.self, from: Data(json.utf8)) else {
            return nil
        }
        kind = inspection.task
        task =
            switch inspection.task {
            case .labeling: "Labels pictures"
            case .detection: "Finds objects in pictures"
            case nil: "Not for pictures"
            }
        head = inspection.head ?? ""
        problem = inspection.problem.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
        tensors =
            inspection.inputs.map { Tensor($0, role: "Input") } + inspection.outputs.map { Tensor($0, role: "Output") }
        preparation = inspection.preparation
        assumptions = inspection.assumptions
        runtime = inspection.runtime
        operators = inspection.operatorText
        let names = inspection.labels?.first ?? []
        let count = inspection.labels?.count ?? 0
        labels = Array(names.prefix(Self.shownLabels))
        moreLabels =
            names.count > Self.shownLabels ? names.dropFirst(Self.shownLabels).joined(separator: ", ") : nil
        labelCount = NumberText.grouped(count, "label")
        // The source has the form "dict.txt inside" the model, whose file here has a name chosen by the hub.
        labelSource = inspection.labels?.source.components(separatedBy: " inside ").first ?? ""
        isCut = count > names.count
        metadata = inspection.metadata.sorted { $0.key < $1.key }.map {
            ModelMetadataLine(name: $0.key, value: $0.value)
        }
        canBeFaster = inspection.optimizations?.isEmpty == false
    }
}

extension InspectionView.Tensor {
    fileprivate init(_ tensor: ModelInspection.TensorSummary, role: String) {
        self.role = role
        name = tensor.title ?? tensor.name
        shape = tensor.shapeText
        type = tensor.dataType
        quantization = tensor.scale.map { "\($0) · (q − \(tensor.zeroPoint ?? 0))" } ?? ""
    }
}
