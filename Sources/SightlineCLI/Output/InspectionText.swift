import Sightline
import TextFormatting

/// The description of a model for people.
struct InspectionText {
    private var list = FactList(indent: 16)

    init(_ inspection: ModelInspection) {
        list.add("Model", [inspection.path, "\(inspection.byteCount) bytes", inspection.runtime].compactMap(\.self))
        list.add("Operators", Self.operators(inspection.operators ?? []))
        // The description comes last, because it is the longest entry.
        let keys = ["name", "task", "version", "author", "license", "description"]
        list.add("Metadata", keys.compactMap { key in inspection.metadata[key].map { "\(key): \($0)" } })
        list.add("Wants", inspection.inputs.map(Self.summary))
        list.add("Gives", inspection.outputs.map(Self.summary))
        if let labels = inspection.labels {
            let more = labels.count > labels.first.count ? ", …" : ""
            list.add("Labels", ["\(labels.count), from \(labels.source)", labels.first.joined(separator: ", ") + more])
        }
        switch inspection.task {
        case .labeling: list.add("Use", ["sightline label", inspection.head].compactMap(\.self))
        case .detection: list.add("Use", ["sightline detect", inspection.head].compactMap(\.self))
        case nil: break
        }
        list.add("Picture", inspection.preparation)
        if let threshold = inspection.threshold { list.add("Threshold", ["\(threshold)"]) }
        list.add("Assumed", inspection.assumptions)
        list.add("Not used", inspection.unused ?? [])
        if let optimizations = inspection.optimizations {
            list.add("Can be faster", ["sightline optimize"] + optimizations)
        }
        if let problem = inspection.problem { list.add("Cannot be used", [problem]) }
    }

    /// The number of operators that are shown by name.
    private static let shownOperators = 6

    private static func operators(_ all: [String]) -> [String] {
        guard !all.isEmpty else { return [] }
        let more = all.count > shownOperators ? ", and \(all.count - shownOperators) other kinds" : ""
        return [all.prefix(shownOperators).joined(separator: ", ") + more]
    }

    /// The description.
    var text: String { list.text }

    private static func summary(_ tensor: ModelInspection.TensorSummary) -> String {
        let title = tensor.title.map { $0 == tensor.name ? "" : " “\($0)”" } ?? ""
        let quantization =
            if let scale = tensor.scale, let zeroPoint = tensor.zeroPoint {
                ", scale \(scale), zero point \(zeroPoint)"
            } else {
                ""
            }
        return "\(tensor.name)\(title): \(tensor.typeText)\(quantization)"
    }
}
