import CommandOutput
import Sightline

/// A model's description for people.
struct InspectionText {
    private var sections: [String] = []

    init(_ inspection: ModelInspection) {
        add("Model", [inspection.path, "\(inspection.byteCount) bytes"])
        // "description" last: it is the longest.
        let keys = ["name", "version", "author", "license", "description"]
        add("Metadata", keys.compactMap { key in inspection.metadata[key].map { "\(key): \($0)" } })
        add("Wants", inspection.inputs.map(Self.summary))
        add("Gives", inspection.outputs.map(Self.summary))
        if let labels = inspection.labels {
            let more = labels.count > labels.first.count ? ", …" : ""
            add("Labels", ["\(labels.count), from \(labels.source)", labels.first.joined(separator: ", ") + more])
        }
        switch inspection.task {
        case .labeling: add("Use", ["sightline label", inspection.head].compactMap(\.self))
        case .detection: add("Use", ["sightline detect", inspection.head].compactMap(\.self))
        case nil: break
        }
        add("Picture", inspection.preparation)
        if let threshold = inspection.threshold { add("Threshold", ["\(threshold)"]) }
        add("Assumed", inspection.assumptions)
        if let problem = inspection.problem { add("Cannot be used", [problem]) }
    }

    /// Headings at the left, what belongs to them beside them.
    var text: String { sections.joined() }

    private static let indent = 16

    private mutating func add(_ heading: String, _ lines: [String]) {
        for (number, line) in lines.enumerated() {
            let start = number == 0 ? heading : ""
            let space = String(repeating: " ", count: max(Self.indent - start.count, 1))
            sections.append("\(start)\(space)\(TerminalText.printable(line))\n")
        }
    }

    private static func summary(_ tensor: ModelInspection.TensorSummary) -> String {
        // The file may leave all extents open, as a detector's post-processing does.
        let shape =
            tensor.shape.isEmpty ? "open shape," : tensor.shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: " × ")
        let title = tensor.title.map { $0 == tensor.name ? "" : " “\($0)”" } ?? ""
        let quantisation =
            if let scale = tensor.scale, let zeroPoint = tensor.zeroPoint {
                ", scale \(scale), zero point \(zeroPoint)"
            } else {
                ""
            }
        return "\(tensor.name)\(title): \(shape) \(tensor.dataType)\(quantisation)"
    }
}
